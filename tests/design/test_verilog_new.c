/* SPDX-License-Identifier: MIT */
/*
 * Design files that are written for RTL (tests/data/verilog-new), and what is wrong with others:
 * each module there has its file beside it, each bad file a list. COLLIDER_FIX=1 writes them.
 * Skipped where there is no Verilator.
 */
#include "design/verilog/verilog_new.h"

#include "watch.h"

#include "texts.h" /* after the rest: cmocka makes `fail` a macro */

#include <unistd.h>

static uint32_t wrong;

static void compare(const char *file, const base_text *written) {
    base_text expected = {0};
    col_problem problem = {0};
    if (getenv("COLLIDER_FIX") != NULL)
        assert_int_equal(base_file_write(file, written->data, written->length, &problem), COL_OK);
    (void)base_file_read(file, &expected, NULL);
    if (expected.data == NULL || strcmp(expected.data, written->data) != 0) {
        print_error("%s is now\n%s", file, written->data);
        wrong++;
    }
    base_text_free(&expected);
}

/* From the folder of the files: a source that is named relative to it stays so, wherever that is.
 */
static void check_new(const char *name, const base_text *source) {
    char file[64], top[64];
    base_text written = {0};
    col_problem problem = {0};
    (void)source;
    (void)snprintf(file, sizeof file, "%.*s.yaml", (int)strlen(name) - 3, name);
    (void)snprintf(top, sizeof top, "%.*s", (int)strlen(name) - 3, name);
    const duv_new_request asked = {.sources = &name, .count = 1, .top = top, .path = file};
    if (duv_verilog_new(&asked, &written, &problem) != COL_OK)
        fail_msg("%s: %s", name, problem.message);
    compare(file, &written);
    base_text_free(&written);
}

/* Without the folder of the file, which is somewhere else for everybody. */
static void check_bad(const char *name, const base_text *design) {
    char path[1024], file[1024];
    base_text list = {0};
    duv_notes notes = {.errors = 0};
    col_problem problem = {0};
    (void)design;
    if (strncmp(name, "bad-", 4) != 0)
        return;
    (void)snprintf(path, sizeof path, "%s/verilog-new/%s", TEST_DATA, name);
    (void)snprintf(file, sizeof file, "%.*s.list", (int)strlen(path) - 5, path);
    if (duv_verilog_check(path, &notes, &problem) != COL_OK)
        fail_msg("%s: %s", name, problem.message);
    const size_t folder = strlen(path) - strlen(name);
    for (const char *at = notes.lines.data; at != NULL && *at != '\0'; at++)
        if (strncmp(at, path, folder) == 0)
            at += folder - 1;
        else
            base_text_add_bytes(&list, at, 1);
    compare(file, &list);
    assert_true(notes.errors > 0);
    base_text_free(&list);
    base_text_free(&notes.lines);
}

static void a_design_file_is_written_for_rtl(void **state) {
    (void)state;
    assert_int_equal(chdir(TEST_DATA "/verilog-new"), 0);
    assert_true(for_each_text("verilog-new", ".sv", check_new) >= 5);
    assert_int_equal(wrong, 0);
}

static void all_that_is_wrong_is_in_one_list(void **state) {
    (void)state;
    wrong = 0;
    assert_true(for_each_text("verilog-new", ".yaml", check_bad) >= 10);
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_design_file_is_written_for_rtl),
        cmocka_unit_test(all_that_is_wrong_is_in_one_list),
    };
    if (!has_verilator()) {
        print_message("skipped: there is no Verilator (package verilator)\n");
        return 0;
    }
    return cmocka_run_group_tests(tests, begin_cache, end_cache);
}
