/* SPDX-License-Identifier: MIT */
/* Files of tests, compiling and running small protocols: see slicc_helpers.h. */
#include "protocol/slicc/slicc_helpers.h"

#include "base/file.h"
#include "protocol/simulate/system.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int wrong_files;

static int is_protocol(const struct dirent *entry) {
    const char *dot = strrchr(entry->d_name, '.');
    return dot != NULL && (strcmp(dot, ".sm") == 0 || strcmp(dot, ".slicc") == 0);
}

int for_each_protocol(const char *where, void (*test)(const char *path)) {
    struct dirent **entries;
    const int count = scandir(where, &entries, is_protocol, alphasort);
    assert_true(count > 0);
    for (int i = 0; i < count; i++) {
        char path[1024];
        (void)snprintf(path, sizeof path, "%s/%s", where, entries[i]->d_name);
        test(path);
        free(entries[i]);
    }
    free(entries);
    return count;
}

void expectations(const char *path, base_text *lines) {
    base_text text = {0};
    col_problem problem;
    assert_int_equal(base_file_read(path, &text, &problem), COL_OK);
    for (const char *line = text.data; (line = strstr(line, "// expect ")) != NULL;) {
        const bool begins = line == text.data || line[-1] == '\n';
        line += strlen("// expect ");
        const size_t length = strcspn(line, "\n");
        if (begins)
            base_text_print(lines, "%.*s\n", (int)length, line);
    }
    base_text_free(&text);
    assert_non_null(lines->data);
}

void complaints_of(const base_text *written, const char *path, const char *where, base_text *got) {
    const char *line = written->data == NULL ? "" : written->data;
    base_text_add(got, "");
    for (size_t length; *line != '\0'; line += length + (line[length] != '\0')) {
        const size_t own = strlen(path), other = where == NULL ? 0 : strlen(where);
        length = strcspn(line, "\n");
        const size_t skipped = strncmp(line, path, own) == 0 && line[own] == ':' ? own + 1
                               : other > 0 && strncmp(line, where, other) == 0   ? other + 1
                                                                                 : 0;
        if (skipped == 0)
            continue;
        base_text_add_bytes(got, line + skipped, length - skipped);
        base_text_add(got, "\n");
    }
}

void expect_text(const char *path, const base_text *expected, const base_text *got) {
    if (strcmp(got->data, expected->data) == 0)
        return;
    print_error("%s: expected\n%sgot\n%s", path, expected->data, got->data);
    wrong_files++;
}

static char folder[] = "/tmp/collider-slicc-XXXXXX";

const char *cache_folder(void) {
    return folder;
}

void read_frame(base_text *text) {
    col_problem problem;
    assert_int_equal(base_file_read(TEST_DATA "/slicc-run/parts/frame.sm", text, &problem), COL_OK);
}

int make_cache(void **state) {
    char path[256];
    base_text frame = {0};
    (void)state;
    if (mkdtemp(folder) == NULL || setenv("XDG_CACHE_HOME", folder, 1) != 0)
        return -1;
    read_frame(&frame);
    (void)snprintf(path, sizeof path, "%s/frame.sm", folder);
    const col_status status = base_file_write(path, frame.data, frame.length, NULL);
    base_text_free(&frame);
    return status == COL_OK ? 0 : -1;
}

int remove_cache(void **state) {
    char command[128];
    (void)state;
    (void)snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

void compile(const char *path, sim_plugin *plugin) {
    base_text complaints = {0};
    col_problem problem;
    if (sim_plugin_compile(plugin, path, &complaints, &problem) != COL_OK)
        fail_msg("%s: %s\n%s", path, problem.message,
                 complaints.data != NULL ? complaints.data : "");
    base_text_free(&complaints);
}

void run_program(const sl_protocol *protocol, const char *source, base_text *said) {
    col_program program = COL_PROGRAM_EMPTY;
    sim_wiring wiring;
    sim_system *system;
    sim_result result;
    col_problem problem;
    assert_int_equal(col_program_read(&program, source, strlen(source), "text", &problem), COL_OK);
    assert_int_equal(sim_wiring_infer(&wiring, protocol, 1, &problem), COL_OK);
    wiring.monitors = true;
    if (sim_system_new(&system, protocol, &wiring, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    for (uint64_t seed = 1; seed <= 2; seed++) {
        assert_int_equal(sim_system_run(system, &program, seed, false, NULL, &result, &problem),
                         COL_OK);
        if (system->failure.happened)
            break;
        assert_int_equal(result.operations, col_program_operations(&program));
    }
    base_text_add(said, system->failure.happened ? system->failure.text : "ok");
    sim_system_free(system);
    col_program_free(&program);
}
