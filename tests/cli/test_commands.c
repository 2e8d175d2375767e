/* SPDX-License-Identifier: MIT */
/*
 * What users type and what they get. Each file of tests/data/cli, named on the command line, holds
 * sessions. (Those of the README and the tutorials are run by tools/transcript.)
 *     $ collider generate --ops 4      a shell command, run in an empty folder of the file's own
 *     expected output, both streams
 *     = 0                              the exit status
 * $TEST_DATA is tests/data; compiled protocols are cached in the folder.
 */
#include "base/file.h"
#include "harness.h"
#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct session {
    const char *file;
    char folder[64];
    uint32_t line_number;
    char command[2048];
    base_text expected;
    uint32_t commands_run;
} session;

static int run_in(const char *folder, const char *command, base_text *output) {
    char shell[4096];
    (void)snprintf(
        shell, sizeof shell,
        "cd %s && PATH=$(dirname %s):$PATH && export TEST_DATA=%s XDG_CACHE_HOME=%s && "
        "unset GEM5 VEXRISCV COLLIDER_DESIGNS COLLIDER_ERRORS COLLIDER_PLANS COLLIDER_PROTOCOLS "
        "&& { %s\n} 2>&1",
        folder, COLLIDER_COMMAND, TEST_DATA, folder, command);
    FILE *pipe = popen(shell, "r"); /* NOLINT: the commands are the project's own data */
    assert_non_null(pipe);
    char chunk[4096];
    size_t count;
    while ((count = fread(chunk, 1, sizeof chunk, pipe)) > 0)
        base_text_add_bytes(output, chunk, count);
    const int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* No part of what a session is about. */
static bool is_noise(const char *line) {
#ifdef EMULATED /* its last words for a program that crashes */
    if (strncmp(line, "qemu: uncaught target signal ", 29) == 0)
        return true;
#endif
    return is_progress(line);
}

static void run_command(session *s, int expected_status) {
    base_text output = {0};
    const int status = run_in(s->folder, s->command, &output);
    drop_lines(&output, is_noise);
    const char *got = output.data == NULL ? "" : output.data;
    const char *wanted = s->expected.data == NULL ? "" : s->expected.data;
    if (status != expected_status || strcmp(got, wanted) != 0) {
        print_error("%s:%u: $ %s\n--- expected, status %d\n%s--- got, status %d\n%s", s->file,
                    s->line_number, s->command, expected_status, wanted, status, got);
        fail();
    }
    s->commands_run++;
    base_text_free(&output);
    base_text_free(&s->expected);
}

static void take_line(session *s, const char *line, size_t length) {
    s->line_number++;
    if (strncmp(line, "$ ", 2) == 0) {
        assert_true(length + 64 < sizeof s->command);
        memcpy(s->command, line + 2, length - 2);
        s->command[length - 2] = '\0';
        base_text_free(&s->expected);
    } else if (strncmp(line, "= ", 2) == 0) {
        run_command(s, atoi(line + 2));
    } else if (line[0] != '#' || s->command[0] != '\0') {
        base_text_add_bytes(&s->expected, line, length);
        base_text_add(&s->expected, "\n");
    }
}

static void end_session(session *s) {
    char command[128];
    base_text unused = {0};
    (void)snprintf(command, sizeof command, "rm -rf %s", s->folder);
    assert_int_equal(run_in("/", command, &unused), 0);
    base_text_free(&unused);
    base_text_free(&s->expected);
}

static void run_file(const char *path, const char *name) {
    session s = {.file = name, .folder = "/tmp/collider-cli-XXXXXX"};
    base_text text = {0};
    col_problem problem;
    assert_int_equal(base_file_read(path, &text, &problem), COL_OK);
    assert_non_null(mkdtemp(s.folder));
    for (const char *line = text.data; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        take_line(&s, line, length);
        line += length + (line[length] == '\n');
    }
    assert_true(s.commands_run > 0);
    end_session(&s);
    base_text_free(&text);
}

static const char *chosen; /* the file of sessions */

TEST(a_session_prints_what_is_written) {
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/cli/%s", TEST_DATA, chosen);
    run_file(path, chosen);
}

int main(int count, char **words) {
    if (count < 2) {
        (void)fprintf(stderr, "test-cli-commands FILE: a file of tests/data/cli\n");
        return 2;
    }
    chosen = words[1];
    return run_all_tests(NULL, NULL);
}
