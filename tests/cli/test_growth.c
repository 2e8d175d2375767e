/* SPDX-License-Identifier: MIT */
/*
 * Four times the input takes about four times the time, and not sixteen times. What counts is the
 * processor time of the command, the least of several runs; a constant part makes the ratio
 * smaller, and nothing but the input makes it larger. To add an input that grows, add a row.
 */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): wait4
#include "base/file.h"
#include "cli/own_folder.h"
#include "harness.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIMES = 4, MOST_RATIO = 10, TRIES = 6 };
#define LEAST 0.005 /* seconds that can be measured */

#define MACHINE                                                                                    \
    "machine(MachineType:L1Cache, \"x\") : {\n state_declaration(State, default=\"S0\") {\n S0, "  \
    "AccessPermission:Invalid, desc=\"x\";\n }\n enumeration(Event) {\n E0, desc=\"x\";\n }\n"
#define ASK                                                                                        \
    "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"textDocument/documentSymbol\",\"params\":"         \
    "{\"textDocument\":{\"uri\":\"untitled:a.sm\"}}}"
#define LONG "a line that is long: whoever counts from the beginning of the text takes long, too"
#define PLAN "plan: p\ndefaults: {design: mi, cores: 2, ops: 16, tests: 1}\ngrids:\n"

/* `part`, and behind the middle `other`, are repeated with numbers in them. */
static const struct growth {
    const char *name, *file, *begin, *part, *middle, *other, *end;
    const char *arguments[4];
    int size;
    bool is_input; /* of the language server, as a document */
} rows[] = {
    {"unknown names in a protocol",
     "a.slicc",
     "protocol \"a\";\n" MACHINE,
     " transition(S0, F%d) { b%d; }\n",
     "",
     "",
     "}\n",
     {"design", "compile", "a.slicc"},
     4000,
     false},
    {"functions of a protocol",
     "a.slicc",
     "protocol \"a\";\n" MACHINE,
     " int f%d(int a) { return a; }\n",
     "",
     " int h%d(int a) { return f%d(a); }\n",
     "}\n",
     {"design", "compile", "a.slicc"},
     4000,
     false},
    {"fields of a structure",
     "a.slicc",
     "protocol \"a\";\n" MACHINE " structure(S, desc=\"x\") {\n",
     " int v%d, desc=\"x\";\n",
     " }\n int f(S s) {\n",
     " s.w%d := %d;\n",
     " return 0;\n }\n}\n",
     {"design", "compile", "a.slicc"},
     4000,
     false},
    {"values of an enumeration",
     "a.slicc",
     "protocol \"a\";\n" MACHINE " enumeration(N) {\n",
     " v%d, desc=\"x\";\n",
     " }\n int f(N n) {\n",
     " if (n == N:w%d) { return %d; }\n",
     " return 0;\n }\n}\n",
     {"design", "compile", "a.slicc"},
     4000,
     false},
    {"symbols in the language server",
     "input",
     MACHINE,
     " int f%d(int a) { return a; }\n",
     "",
     "",
     "}\n",
     {"lsp"},
     1000,
     true},
    {"errors in the language server",
     "input",
     MACHINE,
     " int f%d(Unknown%d a) { return a; } // " LONG LONG LONG LONG "\n",
     "",
     "",
     "}\n",
     {"lsp"},
     240,
     true},
    {"what a plan leaves out",
     "plan.yaml",
     PLAN "  - {engine: chain, seed: 1000000}\n  - {engine: plain, seed: [1000001",
     ", %d",
     "]}\nwithout:\n",
     "  - {seed: %d}\n",
     "",
     {"campaign", "plan.yaml", "--dry-run"},
     4000,
     false},
    {"grids of a plan",
     "plan.yaml",
     PLAN,
     "  - {engine: plain, seed: %d}\n",
     "",
     "",
     "",
     {"campaign", "plan.yaml", "--dry-run"},
     4000,
     false},
    {"locations of a trace",
     "t.axe",
     "",
     "0: M[%d] := 1\n",
     "",
     "1: M[%d] == 1\n",
     "",
     {"check", "t.axe"},
     20000,
     false},
    {"threads of a trace",
     "t.axe",
     "",
     "%d: M[%d] := 1\n",
     "",
     "",
     "",
     {"check", "t.axe"},
     10000,
     false},
    {"traces in a file",
     "t.axe",
     "",
     "%d: M[1] := 1\ncheck\n",
     "",
     "",
     "",
     {"check", "t.axe"},
     10000,
     false},
    {"definitions of a model",
     "m.cat",
     "\"m\"\n",
     "let r%d = po\n",
     "",
     "",
     "acyclic r0\n",
     {"check", "--model", "./m.cat", "/dev/null"},
     10000,
     false},
};
enum { ROWS = sizeof rows / sizeof *rows };

/* ---- Inputs. */

static void repeat(base_text *text, const char *part, int count) {
    for (int i = 0; i < count && part[0] != '\0'; i++)
        // NOLINTNEXTLINE(clang-diagnostic-format-nonliteral): of the table
        base_text_print(text, part, i, i);
}

static void add_message(base_text *text, const char *message) {
    base_text_print(text, "Content-Length: %zu\r\n\r\n%s", strlen(message), message);
}

/* As an editor opens it. */
static void make_session(base_text *text) {
    base_text message = {0}, session = {0};
    base_text_add(&message, "{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/didOpen\",\"params\":"
                            "{\"textDocument\":{\"uri\":\"untitled:a.sm\",\"languageId\":\"slicc\","
                            "\"version\":1,\"text\":\"");
    for (const char *c = text->data; *c != '\0'; c++)
        base_text_print(&message, *c == '\n' ? "\\n" : *c == '"' ? "\\\"" : "%c", *c);
    base_text_add(&message, "\"}}}");
    add_message(&session, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":"
                          "{\"capabilities\":{}}}");
    add_message(&session, message.data);
    add_message(&session, ASK);
    add_message(&session, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"shutdown\"}");
    add_message(&session, "{\"jsonrpc\":\"2.0\",\"method\":\"exit\"}");
    base_text_free(&message);
    base_text_free(text);
    *text = session;
}

static void make_input(const struct growth *row, int size) {
    base_text text = {0};
    base_text_add(&text, row->begin);
    repeat(&text, row->part, size);
    base_text_add(&text, row->middle);
    repeat(&text, row->other, size);
    base_text_add(&text, row->end);
    if (row->is_input)
        make_session(&text);
    assert_int_equal(base_file_write(row->file, text.data, text.length, NULL), COL_OK);
    base_text_free(&text);
}

/* ---- Time. */

static void be_command(const struct growth *row) {
    char *arguments[] = {(char *)COLLIDER_COMMAND,  (char *)row->arguments[0],
                         (char *)row->arguments[1], (char *)row->arguments[2],
                         (char *)row->arguments[3], NULL};
    const int input = open(row->is_input ? row->file : "/dev/null", O_RDONLY);
    const int output = open("/dev/null", O_WRONLY);
    (void)dup2(input, STDIN_FILENO);
    (void)dup2(output, STDOUT_FILENO);
    (void)dup2(output, STDERR_FILENO);
    (void)setenv("XDG_CACHE_HOME", own_folder, 1);
    (void)execv(COLLIDER_COMMAND, arguments);
    _exit(127);
}

/* Of its children it has none: nothing here compiles. */
static double run(const struct growth *row) {
    struct rusage used;
    int status;
    const pid_t process = fork();
    assert_true(process >= 0);
    if (process == 0)
        be_command(row);
    assert_int_equal(wait4(process, &status, 0, &used), process);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) <= COL_BAD_INPUT);
    return (double)used.ru_utime.tv_sec + (double)used.ru_utime.tv_usec / 1e6;
}

static double less(double a, double b) {
    return a < b ? a : b;
}

TEST_WITH(four_times_the_input_takes_four_times_the_time, make_own_folder, remove_own_folder) {
    int failures = 0;
    for (int r = 0; r < ROWS; r++) {
        double small = 1e9, large = 1e9, ratio = 1e9;
        for (int i = 0; i < TRIES && ratio > MOST_RATIO; i++) {
            make_input(&rows[r], rows[r].size);
            small = less(small, run(&rows[r]));
            make_input(&rows[r], TIMES * rows[r].size);
            large = less(large, run(&rows[r]));
            ratio = large / (small > LEAST ? small : LEAST);
        }
        print_message("%-36s %6d %7.3f s, %6d %7.3f s: %4.1f times\n", rows[r].name, rows[r].size,
                      small, TIMES * rows[r].size, large, ratio);
        failures += ratio > MOST_RATIO;
    }
    assert_int_equal(failures, 0);
}
