/* SPDX-License-Identifier: MIT */
/*
 * Limits hold whatever the design does: each command gets work for hours, or a design that never
 * answers, and ends all the same by its time limit or by a signal. All run at once. How quickly
 * they end is not looked at, since machines may be busy: that they do is what hours are for.
 */
#include "base/clock.h"
#include "base/file.h"
#include "cli/own_folder.h"
#include "harness.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_WORDS = 32, MOST_SECONDS = 200, NO_SIGNAL = 0 };

/* What a command ends with: its exit status, or minus the signal that it dies by. Where the machine
 * is busy a signal may come before the command is ready for it, and then it dies by any. */
typedef struct limit {
    const char *words; /* after "collider"; TOY is the toy design */
    int signal;        /* that it gets after a while */
    int ends;
} limit;

static const limit limits[] = {
    /* A test that takes hours; a design that never answers; steps that take long. */
    {"run mesi2 --ops 1Mi --instances 1000 --engine plain --time 1s --out a", NO_SIGNAL, 3},
    {"run TOY --own-process --options bug=hang --time 1s --out b", NO_SIGNAL, 3},
    {"run calls.sm --cores 1 --ops 64Ki --instances 1000 --engine plain --time 1s --out c",
     NO_SIGNAL, 3},
    {"run mesi2 --ops 1Mi --instances 1000 --engine plain --time 10h --out d", SIGINT, 130},
    {"run TOY --own-process --options bug=hang --time 10h --out e", SIGTERM, 143},
    {"run calls.sm --cores 1 --ops 64Ki --instances 1000 --engine plain --time 10h --out f", SIGINT,
     130},
    {"campaign trials.yaml --allow-code --out g.db", NO_SIGNAL, 3},
    {"campaign hours.yaml --allow-code --out h.db", SIGINT, 130},
    {"shrink hanging --allow-code --time 1s --out i", NO_SIGNAL, 3},
    {"shrink hanging --allow-code --time 10h --out j", SIGINT, 130},
    {"triage hanging --allow-code --time 1s --out n", NO_SIGNAL, 3},
    {"triage hanging --allow-code --time 10h --out o", SIGINT, 130},
    {"replay hanging --allow-code", SIGINT, -SIGINT},
    {"replay hanging --design TOY --allow-code --jobs 1", SIGINT, -SIGINT},
    {"shrink hanging compiled --allow-code --time 10h --out q", SIGINT, 130},
    {"explore mesi3 --cores 3 --blocks 2 --time 1s", NO_SIGNAL, 3},
    {"explore mesi3 --cores 3 --blocks 2 --time 10h", SIGINT, 130},
    {"explore mesi3 --cores 3 --time 1s --reach all --emit m", NO_SIGNAL, 3},
    {"litmus large.litmus --budget 1s", NO_SIGNAL, 3},
    {"litmus large.litmus --budget 10h", SIGINT, -SIGINT},
    {"litmus small.litmus --design mi --cores 2 --runs 4000000000 --budget 1s", NO_SIGNAL, 3},
    {"litmus small.litmus --design calls.sm --cores 2 --budget 10h --runs 4000000000", SIGTERM,
     -SIGTERM},
    {"check free.axe --model none.cat --budget 1s", NO_SIGNAL, 3},
    {"check free.axe --model none.cat --budget 10h", SIGINT, -SIGINT},
    {"tour --protocol moesi --cores 16 --method random --ops 1000000000000", SIGINT, 130},
    {"generate --ops 64 --count 1000000 --out l", SIGINT, 130},
    {"design compile calls.sm", SIGINT, -SIGINT},
    {"pack compiled", SIGINT, -SIGINT},
    /* These wait for somebody. */
    {"image pipe-1 --platform tohost --out k", SIGINT, -SIGINT},
    {"coverage show pipe-2", SIGINT, -SIGINT},
    {"report store.db --out pipe-3", SIGINT, -SIGINT},
    {"distil covered --out r --json pipe-4", SIGINT, -SIGINT},
    {"lsp", SIGINT, -SIGINT},
    {"serve store.db --port 0", SIGINT, 0},
};
enum { LIMITS = sizeof limits / sizeof limits[0] };

/* ---- What they work on. */

static const char *toy(void) {
    static char path[4096];
    const char *slash = strrchr(COLLIDER_COMMAND, '/');
    (void)snprintf(path, sizeof path, "%.*s/toy.so", (int)(slash - COLLIDER_COMMAND),
                   COLLIDER_COMMAND);
    return path;
}

static void put(const char *path, base_text *text) {
    col_problem problem;
    assert_int_equal(base_text_status(text, &problem), COL_OK);
    assert_int_equal(base_file_write(path, text->data, text->length, &problem), COL_OK);
    base_text_free(text);
}

static void put_words(const char *path, const char *words) {
    base_text text = {0};
    base_text_add(&text, words);
    put(path, &text);
}

static void put_plan(const char *path, const char *time) {
    base_text text = {0};
    base_text_print(&text,
                    "plan: p\ngrids: [{design: %s, options: bug=hang, own-process: yes, cores: 2, "
                    "ops: 1Ki, engine: plain, time: %s}]\n",
                    toy(), time);
    put(path, &text);
}

/* Each access calls functions half a million times; a step is still fine. */
static void put_protocol(void) {
    enum { LEVELS = 18 };
    base_text text = {0};
    base_text_add(&text, "machine(MachineType:L1Cache, \"L1\") : Sequencer * sequencer; "
                         "CacheMemory * cache; MessageBuffer * mandatoryQueue; {\n"
                         "  include \"" TEST_DATA "/slicc-run/parts/frame.sm\";\n");
    for (int i = 0; i < LEVELS; i++)
        base_text_print(&text, "  int f%d(int n) { return f%d(n) + f%d(n + 1); }\n", i, i + 1,
                        i + 1);
    base_text_print(&text,
                    "  int f%d(int n) { return n; }\n"
                    "  action(check, \"c\") { if (f0(1) == 0) { error(\"sum\"); } }\n"
                    "  transition({I, M}, Load, M) { take; check; load; pop; }\n"
                    "  transition({I, M}, Store, M) { take; check; store; pop; }\n}\n",
                    LEVELS);
    put("calls.sm", &text);
}

/* Eight threads, each with writes of one location and reads of it: too many orders to try. */
static void put_litmus(void) {
    enum { THREADS = 8, ROWS = 8 };
    base_text text = {0};
    base_text_add(&text, "X86_64 large\n{}\n");
    for (int t = 0; t < THREADS; t++)
        base_text_print(&text, "%s P%d", t == 0 ? "" : " |", t);
    for (int row = 0; row < ROWS; row++)
        for (int t = 0; t < THREADS; t++)
            base_text_print(&text, row % 2 == 0 ? "%s movl $%d,(x)" : "%s movl (x),%%eax",
                            t == 0 ? " ;\n" : " |", 1 + row * THREADS + t);
    base_text_add(&text, " ;\nexists (0:rax=0)\n");
    put("large.litmus", &text);
}

static void put_trace(void) {
    base_text text = {0};
    for (int i = 1; i <= 60; i++)
        base_text_print(&text, "%d: M[0] := %d\n", i, i);
    put("free.axe", &text);
    put_words("none.cat", "~empty co & rf\n");
}

static void put_failure(const char *folder, const char *design, const char *options) {
    base_text text = {0};
    char path[64];
    assert_int_equal(mkdir(folder, 0700), 0);
    base_text_add(&text, "collider program 1\nlocation a0 0x40\nthread 0\n");
    for (int i = 0; i < 200; i++) /* it hangs in cycle 100 */
        base_text_add(&text, "load a0\n");
    base_text_add(&text, "end\n");
    (void)snprintf(path, sizeof path, "%s/program.txt", folder);
    put(path, &text);
    base_text_print(&text,
                    "{\"format\": 1, \"design\": \"%s\", \"cores\": 2, \"options\": %s, "
                    "\"error\": null, \"mutant\": 0, \"own_process\": true, \"limit\": 1000000.0, "
                    "\"model\": \"tso\", \"seed\": \"1\", \"test\": 1, \"instance\": 1, "
                    "\"verdict\": \"crash\", \"reason\": \"it hung\"}\n",
                    design, options);
    (void)snprintf(path, sizeof path, "%s/failure.json", folder);
    put(path, &text);
}

static int make_folder(void **state) {
    if (make_own_folder(state) != 0 || setenv("XDG_CACHE_HOME", own_folder, 1) != 0)
        return 1;
    put_plan("trials.yaml", "1s");
    put_plan("hours.yaml", "10h");
    put_protocol();
    put_litmus();
    put_words("small.litmus", "X86_64 small\n{}\n P0 ;\n movl $1,(x) ;\nexists (x=1)\n");
    put_trace();
    put_failure("hanging", toy(), "\"bug=hang\"");
    put_failure("compiled", "../calls.sm", "null");
    put_words("sleeper",
              "#!/bin/sh\n[ \"$1\" = --version ] && exec echo sleeper\nexec sleep 100000\n");
    put_words("store.yaml", "plan: p\ngrids: [{design: mi, cores: 2, ops: 64, tests: 1}]\n");
    if (system(COLLIDER_COMMAND " campaign store.yaml --out store.db --quiet") != 0) /* NOLINT */
        return 1;
    if (system(COLLIDER_COMMAND /* NOLINT */
               " run mi --cores 2 --ops 16 --tests 2 --corpus --out covered --quiet >/dev/null") !=
        0)
        return 1;
    return chmod("sleeper", 0700) != 0 || mkfifo("pipe-1", 0600) != 0 ||
           mkfifo("pipe-2", 0600) != 0 || mkfifo("pipe-3", 0600) != 0 ||
           mkfifo("pipe-4", 0600) != 0;
}

/* ---- Running them. */

/* With the compiler never at its end, and standard input never, either. */
static void execute(const limit *l, int input) {
    static char words[1024];
    char *list[MOST_WORDS] = {(char *)"collider"}, *rest = NULL;
    const int nowhere = open("/dev/null", O_WRONLY);
    (void)snprintf(words, sizeof words, "%s", l->words);
    for (int i = 1; i < MOST_WORDS - 1; i++) {
        list[i] = strtok_r(i == 1 ? words : NULL, " ", &rest);
        if (list[i] != NULL && strcmp(list[i], "TOY") == 0)
            list[i] = (char *)toy();
    }
    if (strncmp(l->words, "design", 6) == 0 || strncmp(l->words, "pack", 4) == 0)
        (void)setenv("CC", "./sleeper", 1); /* NOLINT(concurrency-mt-unsafe): it is ours */
    if (dup2(input, STDIN_FILENO) >= 0 && dup2(nowhere, STDOUT_FILENO) >= 0 &&
        dup2(nowhere, STDERR_FILENO) >= 0)
        (void)execv(COLLIDER_COMMAND, list);
    _exit(99);
}

static pid_t start(const limit *l, int input) {
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        execute(l, input);
    return child;
}

static void wait_a_little(void) {
    const struct timespec time = {.tv_nsec = 20000000};
    (void)nanosleep(&time, NULL);
}

/* Its end, or 1000 if it does not come in time. */
static int end_of(pid_t child, double deadline) {
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (base_seconds() > deadline) {
            (void)kill(child, SIGKILL);
            (void)waitpid(child, &status, 0);
            return 1000;
        }
        wait_a_little();
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(every_command_ends) {
    enum { A_WHILE = 50 }; /* a second */
    pid_t children[LIMITS];
    int ends[2], wrong = 0;
    assert_int_equal(pipe(ends), 0);
    const double deadline = base_seconds() + MOST_SECONDS;
    for (int i = 0; i < LIMITS; i++)
        children[i] = start(&limits[i], ends[0]);
    for (int i = 0; i < A_WHILE; i++)
        wait_a_little();
    for (int i = 0; i < LIMITS; i++)
        if (limits[i].signal != NO_SIGNAL)
            assert_int_equal(kill(children[i], limits[i].signal), 0);
    for (int i = 0; i < LIMITS; i++) {
        const int end = end_of(children[i], deadline);
        if (end == limits[i].ends || (limits[i].signal != NO_SIGNAL && end == -limits[i].signal))
            continue;
        print_error("collider %s: ended with %d, not %d\n", limits[i].words, end, limits[i].ends);
        wrong++;
    }
    (void)close(ends[0]);
    (void)close(ends[1]);
    assert_int_equal(wrong, 0);
}

/* A command that is new gets its rows. */
TEST(every_command_is_there) {
    char line[256];
    int count = 0;
    FILE *help = popen(COLLIDER_COMMAND " --help", "r"); /* NOLINT(cert-env33-c) */
    assert_non_null(help);
    while (fgets(line, sizeof line, help) != NULL) {
        char name[64];
        bool is_there = false;
        if (sscanf(line, "  %63s ", name) != 1 || line[0] != ' ' || line[2] == ' ') /* NOLINT */
            continue;
        count++;
        for (int i = 0; i < LIMITS && !is_there; i++)
            is_there =
                limits[i].signal != NO_SIGNAL && strncmp(limits[i].words, name, strlen(name)) == 0;
        if (!is_there)
            fail_msg("what ends 'collider %s'?", name);
    }
    (void)pclose(help);
    assert_true(count > 10);
}

int main(void) {
    return run_all_tests(make_folder, remove_own_folder);
}
