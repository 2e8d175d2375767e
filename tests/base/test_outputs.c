/* SPDX-License-Identifier: MIT */
/* What a command has written itself is not overwritten by another of its outputs; what another
 * process has put there is replaced. In an empty folder, with relative paths. */
#include "base/file.h"
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void write_text(const char *path, const char *text, col_status expected) {
    col_problem problem = {0};
    assert_int_equal(base_file_write(path, text, strlen(text), &problem), expected);
}

static void expect(const char *path, const char *text) {
    char data[64] = "";
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    (void)fread(data, 1, sizeof data - 1, file);
    (void)fclose(file);
    assert_string_equal(data, text);
}

/* As another process does it: a new file, moved into place. */
static void replace_from_outside(const char *path) {
    FILE *file = fopen("outside", "wb");
    assert_non_null(file);
    (void)fputs("theirs", file);
    (void)fclose(file);
    assert_int_equal(rename("outside", path), 0);
}

TEST(a_file_that_another_process_replaced_is_replaced) {
    static const char path[] = "json";
    base_outputs_add("json", path, false);
    replace_from_outside(path);
    write_text(path, "ours", COL_OK);
    expect(path, "ours");
    replace_from_outside(path);
    write_text(path, "ours again", COL_OK);
    expect(path, "ours again");
}

TEST(a_file_that_the_command_wrote_is_kept) {
    static const char path[] = "dot";
    base_outputs_add("dot", path, false);
    write_text("./dot", "a record", COL_OK);
    write_text(path, "a drawing", COL_BAD_INPUT);
    expect(path, "a record");
}

int main(void) {
    char folder[] = "/tmp/collider-outputs-XXXXXX";
    if (mkdtemp(folder) == NULL || chdir(folder) != 0)
        return 1;
    const int failures = run_all_tests(NULL, NULL);
    (void)unlink("json");
    (void)unlink("dot");
    (void)rmdir(folder);
    return failures;
}
