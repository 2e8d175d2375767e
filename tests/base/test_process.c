/* SPDX-License-Identifier: MIT */
/* Child processes and the lines to them: how they end, what goes over, and when nothing does. */
#include "base/process.h"

#include "base/clock.h"

#include "harness.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static base_process start(void (*run)(void *, int), void *context, bool has_group) {
    const base_process_plan plan = {.what = "a test's process",
                                    .has_line = true,
                                    .has_group = has_group,
                                    .dies_by = SIGKILL,
                                    .run = run,
                                    .context = context};
    base_process process;
    col_problem problem;
    if (base_process_start(&process, &plan, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    return process;
}

/* ---- Ends. */

static void leave(void *context, int line) {
    (void)line;
    _exit(*(const int *)context);
}

static void crash(void *context, int line) {
    (void)context;
    (void)line;
    (void)raise(SIGKILL);
}

static void sleep_long(void *context, int line) {
    (void)context;
    (void)line;
    for (;;)
        (void)pause();
}

TEST(the_end_of_a_process_is_told_in_words) {
    int seven = 7;
    char sentence[100];
    base_process process = start(leave, &seven, false);
    base_process_tell("it", base_process_wait(&process), sentence, sizeof sentence);
    assert_string_equal(sentence, "it ended by itself, with status 7");
    assert_int_equal(process.id, 0);
    process = start(crash, NULL, false);
    base_process_tell("it", base_process_wait(&process), sentence, sizeof sentence);
    assert_string_equal(sentence, "it was ended by signal 9 (Killed)");
}

TEST(a_running_process_is_killed) {
    base_process process = start(sleep_long, NULL, false);
    int status = 0;
    assert_false(base_process_ends_within(&process, 20));
    assert_false(base_process_has_ended(&process, &status));
    status = base_process_end(&process);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

TEST(a_process_that_has_ended_is_noticed) {
    int three = 3, status = 0;
    base_process process = start(leave, &three, false);
    assert_true(base_process_ends_within(&process, 120000));
    assert_true(base_process_has_ended(&process, &status));
    assert_int_equal(WEXITSTATUS(status), 3);
    assert_int_equal(process.id, 0);
}

/* Holds the line open from a process below it. */
static void have_child(void *context, int line) {
    (void)context;
    const pid_t below = fork();
    if (below == 0)
        for (;;)
            (void)pause();
    (void)write(line, "x", 1);
    for (;;)
        (void)pause();
}

TEST(a_group_ends_with_what_it_started) {
    char byte;
    base_process process = start(have_child, NULL, true);
    base_line line = {.socket = dup(process.line), .has_deadline = true};
    line.deadline = base_seconds() + 120;
    assert_int_equal(base_line_receive(&line, &byte, 1), BASE_TRANSFER_DONE);
    (void)base_process_end(&process);
    /* The line is closed when the last process that has it has ended. */
    assert_int_equal(base_line_receive(&line, &byte, 1), BASE_TRANSFER_GONE);
    (void)close(line.socket);
}

/* Under a parent that ignores SIGCHLD the system forgets processes at once. */
TEST(a_process_that_the_system_forgot_has_ended) {
    int seven = 7;
    void (*const before)(int) = signal(SIGCHLD, SIG_IGN);
    base_process process = start(leave, &seven, false);
    assert_true(base_process_ends_within(&process, 120000));
    assert_int_equal(base_process_end(&process), -1);
    (void)signal(SIGCHLD, before);
}

/* ---- Lines. */

enum { LARGE = 3 << 20 };

/* Sends back what it gets. */
static void echo(void *context, int socket) {
    (void)context;
    base_line line = {.socket = socket};
    char *bytes = malloc(LARGE);
    while (bytes != NULL && base_line_receive(&line, bytes, LARGE) == BASE_TRANSFER_DONE &&
           base_line_send(&line, bytes, LARGE) == BASE_TRANSFER_DONE)
        ;
}

TEST(messages_larger_than_the_socket_arrive) {
    base_process process = start(echo, NULL, false);
    base_line line = {.socket = process.line};
    char *sent = malloc(LARGE), *got = calloc(LARGE, 1);
    assert_true(sent != NULL && got != NULL);
    for (int turn = 0; turn < 3; turn++) {
        for (size_t i = 0; i < LARGE; i++)
            sent[i] = (char)((i * 7 + (size_t)turn) >> 3);
        assert_int_equal(base_line_send(&line, sent, LARGE), BASE_TRANSFER_DONE);
        assert_int_equal(base_line_receive(&line, got, LARGE), BASE_TRANSFER_DONE);
        assert_memory_equal(sent, got, LARGE);
    }
    free(sent);
    free(got);
    assert_int_equal(WEXITSTATUS(base_process_wait(&process)), 0); /* it hears that we hang up */
}

TEST(a_silent_process_is_late) {
    char byte;
    base_process process = start(sleep_long, NULL, false);
    base_line line = {.socket = process.line, .has_deadline = true};
    const double begin = base_seconds();
    line.deadline = begin + 0.15;
    assert_int_equal(base_line_receive(&line, &byte, 1), BASE_TRANSFER_LATE);
    assert_true(base_seconds() >= begin + 0.15);
    assert_int_equal(base_line_receive(&line, &byte, 1), BASE_TRANSFER_LATE);
    (void)base_process_end(&process);
}

typedef struct looker {
    base_line *line;
    uint32_t looks;
} looker;

/* Has enough when it has looked three times. */
static void look(void *context, double now) {
    looker *l = context;
    if (++l->looks == 3) {
        l->line->has_deadline = true;
        l->line->deadline = now;
    }
}

TEST(a_callback_may_end_the_wait) {
    char byte;
    base_process process = start(sleep_long, NULL, false);
    looker l = {0};
    base_line line = {.socket = process.line, .look = look, .context = &l};
    l.line = &line;
    assert_int_equal(base_line_receive(&line, &byte, 1), BASE_TRANSFER_LATE);
    assert_int_equal(l.looks, 3);
    (void)base_process_end(&process);
}

TEST(a_process_that_ended_is_gone) {
    int none = 0;
    char bytes[LARGE / 16];
    memset(bytes, 0, sizeof bytes);
    base_process process = start(leave, &none, false);
    base_line line = {.socket = process.line};
    assert_true(base_process_ends_within(&process, 120000));
    assert_int_equal(base_line_receive(&line, bytes, 1), BASE_TRANSFER_GONE);
    assert_int_equal(base_line_send(&line, bytes, sizeof bytes), BASE_TRANSFER_GONE);
    (void)base_process_wait(&process);
}
