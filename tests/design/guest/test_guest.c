/* SPDX-License-Identifier: MIT */
/* A guest's command: its words, by a shell's quotes. tests/rtl/guest.sh has a simulator as the
 * design. */
#include "collider/guest.h"
#include "harness.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/collider-guest-XXXXXX";

static int begin(void **state) {
    (void)state;
    return mkdtemp(folder) != NULL && chdir(folder) == 0 ? 0 : -1;
}

static int end(void **state) {
    char command[64];
    (void)state;
    (void)snprintf(command, sizeof command, "rm -r %s", folder);
    return chdir("/") == 0 && system(command) == 0 ? 0 : -1; /* NOLINT: our own folder */
}

/* Its exit status; -1: it could not be started. */
static int run(const char *command) {
    if (col_guest_open(command, 1, 32, 64, 4, 0, 0, 0) != 0)
        return -1;
    while (col_guest_cycle() != COL_GUEST_DONE)
        continue;
    return col_guest_close();
}

TEST(quotes_keep_words_together) {
    static const struct {
        const char *command, *file;
    } cases[] = {
        {"generate --ops 4 --quiet --out plain", "plain/test-0000.txt"},
        {"generate --ops 4 --quiet --out 'two words'", "two words/test-0000.txt"},
        {"generate --ops 4 --quiet\t--out=\"it's here\"", "it's here/test-0000.txt"},
        {"  generate --ops 4 --quiet --out one\\ \\\"word\\\"\n", "one \"word\"/test-0000.txt"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(run(cases[i].command), 0);
        assert_int_equal(access(cases[i].file, R_OK), 0);
    }
}

/* Its outputs are the next one's inputs, if need be. */
TEST(another_command_may_follow) {
    assert_int_equal(run("explore mi --reach 'L1Cache I Load' --emit test.txt --quiet"), 0);
    assert_int_equal(run("run mi --program test.txt --out ran --quiet"), 0);
}

TEST(a_command_may_have_many_words) {
    char command[2048] = "check --quiet";
    FILE *trace = fopen("trace", "w");
    assert_non_null(trace);
    (void)fputs("0: M[0] := 1\n", trace);
    assert_int_equal(fclose(trace), 0);
    for (size_t i = 0; i < 300; i++)
        strcat(command, " trace"); /* NOLINT: it has room */
    assert_int_equal(run(command), 0);
}

/* In one sentence, on standard error. */
TEST(a_command_without_words_is_refused) {
    static const struct {
        const char *command, *says;
    } cases[] = {
        {"run 'mesi2 --tests 1",
         "collider: error: a quote is not closed in the command 'run 'mesi2 --tests 1'\n"},
        {"run \"mesi2", "collider: error: a quote is not closed in the command 'run \"mesi2'\n"},
        {" ", "collider: error: a command is missing: ' ' has no words\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char said[400] = "";
        const int before = dup(STDERR_FILENO);
        const int file = open("said", O_RDWR | O_CREAT | O_TRUNC, 0600);
        assert_true(before >= 0 && file >= 0 && dup2(file, STDERR_FILENO) >= 0);
        const int status = run(cases[i].command);
        (void)dup2(before, STDERR_FILENO);
        assert_true(pread(file, said, sizeof said - 1, 0) > 0);
        assert_int_equal(status, -1);
        assert_string_equal(said, cases[i].says);
        (void)close(before);
        (void)close(file);
    }
    assert_int_equal(run("generate --ops 4 --quiet --out after"), 0);
}

int main(void) {
    return run_all_tests(begin, end);
}
