/* SPDX-License-Identifier: MIT */
/*
 * Designs in a process of their own: the same to everybody else, except that a crash or a hang is
 * an answer. Most is tried on a design that does in each instance what the seed says.
 */
#include "fake.h"
#include "watch.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void shape(col_program *program, uint32_t locations) {
    const uint32_t lengths[] = {1, 2};
    assert_int_equal(col_program_shape(program, 2, lengths, locations, NULL), COL_OK);
    for (uint32_t l = 0; l < locations; l++)
        program->addresses[l] = (uint64_t)l * COL_WORD_BYTES;
}

static void start_fake(trial *t) {
    col_duv *duv;
    assert_int_equal(col_duv_open_interface(&duv, &fake_interface, NULL, NULL), COL_OK);
    trial_start(t, duv, NULL);
    shape(&t->program, 17);
    trial_load(t);
}

static void assert_hits(trial *t, uint64_t first, uint64_t second, uint64_t third) {
    uint64_t hits[3] = {0};
    col_duv_collect(t->duv, hits);
    assert_int_equal(hits[0], first);
    assert_int_equal(hits[1], second);
    assert_int_equal(hits[2], third);
}

/* ---- All goes well. */

static void a_description_arrives(void **state) {
    (void)state;
    trial t;
    start_fake(&t);
    const col_duv_description *d = col_duv_describe(t.duv);
    assert_string_equal(d->name, "fake");
    assert_int_equal(d->cores, 3);
    assert_int_equal(d->model, COL_PSO);
    assert_int_equal(d->geometry.block_bits, 5);
    assert_int_equal(d->geometry.level_count, 1);
    assert_string_equal(d->geometry.levels[0].name, "L7");
    assert_int_equal(d->geometry.levels[0].index_low, 5);
    assert_int_equal(d->geometry.levels[0].index_bits, 4);
    assert_int_equal(d->geometry.levels[0].ways, 3);
    assert_true(d->reachable_known);
    assert_int_equal(d->point_count, 3);
    assert_string_equal(d->machines[0].name, "M");
    assert_int_equal(d->machines[0].controllers, 1);
    assert_false(d->machines[0].is_private);
    assert_string_equal(d->points[0].event, "E");
    assert_string_equal(d->points[1].event, "");
    assert_false(d->points[1].reachable);
    assert_true(d->points[2].reachable);
    trial_end(&t);
}

static uint64_t next_cycle, last_run, wrong;

static void expect_next(void *context, const col_event *event) {
    (void)context;
    wrong += event->kind != COL_LOAD_PERFORMED || event->cycle != next_cycle++ ||
             event->word != 17 || event->message != NULL;
    last_run = event->block;
}

static void all_events_arrive_in_order(void **state) {
    (void)state;
    trial t;
    col_run run;
    start_fake(&t);
    for (uint64_t i = 1; i <= 3; i++) {
        const col_observer observer = {NULL, expect_next, 1U << COL_LOAD_PERFORMED};
        next_cycle = wrong = 0;
        assert_int_equal(col_duv_run(t.duv, FINE, &observer, NULL, &run, NULL), COL_OK);
        assert_int_equal(run.end, COL_RUN_COMPLETE);
        assert_int_equal(run.cycles, FAKE_EVENTS);
        assert_int_equal(next_cycle, FAKE_EVENTS);
        assert_int_equal(wrong, 0);
        assert_int_equal(last_run, i); /* one state for all instances */
        assert_hits(&t, 7, 0, 1);
        assert_hits(&t, 0, 0, 0);
    }
    const col_observer deaf = {NULL, expect_next, 1U << COL_DEADLOCK};
    assert_int_equal(col_duv_run(t.duv, FINE, &deaf, NULL, &run, NULL), COL_OK);
    assert_int_equal(next_cycle, FAKE_EVENTS); /* none that was not asked for */
    assert_int_equal(col_duv_run(t.duv, FINE, NULL, NULL, &run, NULL), COL_OK);
    assert_hits(&t, 14, 0, 2);
    trial_end(&t);
}

static void messages_arrive(void **state) {
    (void)state;
    trial t;
    start_fake(&t);
    const col_run run = trial_run(&t, SAYS_FAILURE);
    assert_int_equal(run.end, COL_RUN_INVARIANT);
    assert_string_equal(run.message, "broken");
    assert_string_equal(t.watch.message, "and more");
    assert_int_equal(t.watch.events, FAKE_SOME + 2);
    trial_end(&t);
}

static void another_program_is_another_one(void **state) {
    (void)state;
    trial t;
    col_problem problem;
    col_run run;
    start_fake(&t);
    assert_int_equal(trial_run(&t, FINE).end, COL_RUN_COMPLETE);
    const uint64_t before = t.watch.hash;
    shape(&t.program, 18);
    assert_int_equal(col_duv_load(t.duv, &t.program, &problem), COL_OK);
    assert_int_equal(trial_run(&t, FINE).end, COL_RUN_COMPLETE);
    assert_true(t.watch.hash != before);
    shape(&t.program, 98);
    assert_int_equal(col_duv_load(t.duv, &t.program, &problem), COL_BAD_INPUT);
    assert_string_equal(problem.message, "98 is too many");
    assert_int_equal(col_duv_run(t.duv, FINE, NULL, NULL, &run, &problem), COL_BAD_INPUT);
    trial_end(&t);
}

/* ---- In a process or not, a design is the same. */

/* A run here and one in a process, stopped after N events (0: not stopped), give the same result.
 */
static void check_run(trial both[2], uint64_t seed, uint64_t stop_after) {
    const size_t count = (size_t)col_duv_functional_count(both[0].watch.description);
    col_run runs[2];
    uint64_t *hits = calloc(2 * count, sizeof *hits);
    assert_non_null(hits);
    for (int i = 0; i < 2; i++) {
        both[i].watch.stop_after = stop_after;
        runs[i] = trial_run(&both[i], seed);
        col_duv_collect(both[i].duv, &hits[i == 0 ? 0 : count]);
    }
    assert_int_equal(runs[0].end, runs[1].end);
    assert_int_equal(runs[0].cycles, runs[1].cycles);
    assert_int_equal(runs[0].operations, runs[1].operations);
    assert_string_equal(runs[0].message, runs[1].message);
    assert_int_equal(both[0].watch.events, both[1].watch.events);
    assert_int_equal(both[0].watch.hash, both[1].watch.hash);
    assert_memory_equal(hits, hits + count, count * sizeof *hits);
    free(hits);
}

static void check_same(const char *what, const char *options, const char *error) {
    static const uint64_t stops[] = {1, 2, 100, 1023, 1024, 1025, 1500, 2048};
    trial both[2];
    for (int i = 0; i < 2; i++)
        trial_start(&both[i], duv_open_wrong(what, 4, options, error, i == 1), NULL);
    const col_duv_description *d = both[0].watch.description, *same = both[1].watch.description;
    assert_int_equal(col_duv_functional_count(d), col_duv_functional_count(same));
    assert_int_equal(d->point_count, same->point_count);
    for (uint64_t seed = 0; seed < 6; seed++) {
        for (int i = 0; i < 2 && seed % 2 == 0; i++)
            trial_make(&both[i], 500, 16, seed);
        check_run(both, seed, 0);
        const uint64_t events = both[0].watch.events;
        assert_true(events > 100);
        for (size_t i = 0; i < sizeof stops / sizeof stops[0]; i++)
            check_run(both, seed, stops[i]);
        check_run(both, seed, events - 1);
        check_run(both, seed, events);
    }
    for (int i = 0; i < 2; i++)
        trial_end(&both[i]);
}

static void a_process_makes_no_difference(void **state) {
    (void)state;
    check_same("mesi3", NULL, NULL);
    check_same("msi", NULL, "msi-no-acknowledgement");
    check_same(toy_path(), NULL, NULL);
    check_same(toy_path(), "bug=stale", NULL);
}

/* ---- Things go wrong. */

static void a_crash_is_an_answer(void **state) {
    (void)state;
    trial t;
    start_fake(&t);
    for (uint64_t i = 0; i < 3; i++) {
        assert_int_equal(trial_run(&t, FINE).end, COL_RUN_COMPLETE);
        col_run run = trial_run(&t, SEGFAULT);
        assert_int_equal(run.end, COL_RUN_CRASHED);
        assert_non_null(strstr(run.message, "ended by signal 11 (Segmentation fault)"));
        assert_int_equal(t.watch.events, FAKE_SOME); /* all until then */
        run = trial_run(&t, EXITS);
        assert_int_equal(run.end, COL_RUN_CRASHED);
        assert_non_null(strstr(run.message, "with status 3"));
        assert_int_equal(t.watch.events, FAKE_SOME);
        assert_hits(&t, 7, 0, 1); /* of the instance that went well */
    }
    trial_end(&t);
}

/* The machine without memory ends processes so, and that says nothing of the design. */
static void a_killed_process_is_no_crash(void **state) {
    (void)state;
    trial t;
    col_run run;
    col_problem problem;
    start_fake(&t);
    assert_int_equal(col_duv_run(t.duv, KILLED, NULL, NULL, &run, &problem), COL_FAILURE);
    assert_non_null(strstr(problem.message, "signal 9 (Killed); it may have run out of memory"));
    assert_int_equal(trial_run(&t, FINE).end, COL_RUN_COMPLETE);
    trial_end(&t);
}

static void the_toy_crashes_and_hangs_on_request(void **state) {
    (void)state;
    trial t;
    trial_start(&t, duv_open(toy_path(), 2, "bug=crash", true), NULL);
    trial_make(&t, 500, 4, 1);
    assert_int_equal(trial_run(&t, 1).end, COL_RUN_CRASHED);
    const uint64_t hash = t.watch.hash;
    assert_true(t.watch.events > 50);
    assert_int_equal(trial_run(&t, 1).end, COL_RUN_CRASHED);
    assert_int_equal(t.watch.hash, hash);
    trial_end(&t);
    trial_start(&t, duv_open(toy_path(), 2, "bug=hang", true), NULL);
    trial_make(&t, 500, 4, 1);
    col_duv_limit(t.duv, 5); /* enough for what comes before the hang */
    assert_int_equal(trial_run(&t, 1).end, COL_RUN_TIMED_OUT);
    assert_int_equal(t.watch.hash, hash);
    trial_end(&t);
}

static void a_hang_ends_by_the_limit(void **state) {
    (void)state;
    static const uint64_t ways[] = {HANGS, FORKS, FLOODS, SILENT};
    trial t;
    start_fake(&t);
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        const double start = seconds_now();
        col_duv_limit(t.duv, 0.3);
        const col_run run = trial_run(&t, ways[i]);
        assert_int_equal(run.end, COL_RUN_TIMED_OUT);
        assert_string_equal(run.message, "the design did not answer within 0.3 seconds");
        assert_true(seconds_now() - start >= 0.29);
        col_duv_limit(t.duv, 0); /* for ever: the machine may be busy */
        assert_int_equal(trial_run(&t, FINE).end, COL_RUN_COMPLETE);
        assert_int_equal(t.watch.events, FAKE_EVENTS);
    }
    const col_run run = trial_run(&t, CLOSES_ALL);
    assert_int_equal(run.end, COL_RUN_CRASHED);
    assert_non_null(strstr(run.message, "does not answer any more"));
    trial_end(&t);
}

static void errors_arrive(void **state) {
    (void)state;
    trial t;
    col_run run;
    col_problem problem;
    start_fake(&t);
    assert_int_equal(col_duv_run(t.duv, REFUSES, NULL, NULL, &run, &problem), COL_FAILURE);
    assert_string_equal(problem.message, "no memory for that");
    assert_int_equal(trial_run(&t, FINE).end, COL_RUN_COMPLETE);
    shape(&t.program, 99);
    assert_int_equal(col_duv_load(t.duv, &t.program, &problem), COL_FAILURE);
    assert_non_null(strstr(problem.message, "status 8 while it loaded a program"));
    shape(&t.program, 17);
    assert_int_equal(col_duv_load(t.duv, &t.program, &problem), COL_OK);
    assert_int_equal(trial_run(&t, FINE).end, COL_RUN_COMPLETE);
    trial_end(&t);
    const col_duv_settings refuse = {.options = "refuse"}, crash = {.options = "crash"};
    col_duv *duv;
    assert_int_equal(col_duv_open_interface(&duv, &fake_interface, &refuse, &problem),
                     COL_BAD_INPUT);
    assert_string_equal(problem.message, "it does not like you");
    assert_int_equal(col_duv_open_interface(&duv, &fake_interface, &crash, &problem), COL_FAILURE);
    assert_non_null(strstr(problem.message, "status 9 while it opened the design"));
    assert_null(duv);
}

static void a_design_must_stay_the_same(void **state) {
    (void)state;
    trial t;
    col_run run;
    col_problem problem;
    start_fake(&t);
    assert_int_equal(trial_run(&t, EXITS).end, COL_RUN_CRASHED);
    assert_int_equal(setenv("FAKE_NAME", "other", 1), 0);
    assert_int_equal(col_duv_run(t.duv, FINE, NULL, NULL, &run, &problem), COL_FAILURE);
    assert_non_null(strstr(problem.message, "describes itself in another way"));
    assert_int_equal(unsetenv("FAKE_NAME"), 0);
    trial_end(&t);
}

/* ---- Stopping. */

static void a_run_stops_at_the_same_event_every_time(void **state) {
    (void)state;
    trial t;
    start_fake(&t);
    t.watch.stop_after = 2000;
    const col_run first = trial_run(&t, UNTIL_STOP);
    const uint64_t events = t.watch.events;
    assert_int_equal(first.end, COL_RUN_STOPPED);
    assert_int_equal(first.cycles, 2000);
    assert_int_equal(events, 2000);
    assert_hits(&t, 7, 0, 1);
    for (uint32_t i = 0; i < 20; i++) {
        const col_run run = trial_run(&t, UNTIL_STOP);
        assert_int_equal(run.end, COL_RUN_STOPPED);
        assert_int_equal(run.cycles, first.cycles);
        assert_int_equal(t.watch.events, events);
    }
    trial_end(&t);
}

/* It would have gone wrong before the stop reached it: here, it would have been stopped first. */
static void what_comes_after_a_stop_does_not_count(void **state) {
    static const uint64_t ways[] = {STOPS_OR_DIES, STOPS_OR_HANGS};
    (void)state;
    trial t;
    start_fake(&t);
    t.watch.stop_after = FAKE_SOME + 50;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        col_duv_limit(t.duv, 3);
        const col_run run = trial_run(&t, ways[i]);
        assert_int_equal(run.end, COL_RUN_STOPPED);
        assert_int_equal(run.cycles, FAKE_SOME + 50);
        assert_int_equal(t.watch.events, FAKE_SOME + 50);
        assert_hits(&t, 7, 0, 1);
    }
    trial_end(&t);
}

static void *stop_soon(void *context) {
    const struct timespec moment = {.tv_nsec = 200000000};
    (void)nanosleep(&moment, NULL);
    *(volatile int *)context = 1;
    return NULL;
}

static void a_stop_reaches_a_run_that_tells_nothing(void **state) {
    (void)state;
    trial t;
    volatile int stop = 0;
    pthread_t thread;
    col_run run;
    start_fake(&t);
    assert_int_equal(pthread_create(&thread, NULL, stop_soon, (void *)&stop), 0);
    assert_int_equal(col_duv_run(t.duv, SILENT, NULL, &stop, &run, NULL), COL_OK);
    assert_int_equal(run.end, COL_RUN_STOPPED);
    assert_int_equal(pthread_join(thread, NULL), 0);
    trial_end(&t);
}

/* The limit is a minute; the second process has taken the first one's place. */
static void an_interrupt_ends_the_wait_for_any_process(void **state) {
    (void)state;
    trial t;
    volatile int interrupt = 0;
    pthread_t thread;
    col_run run;
    start_fake(&t);
    col_duv_interrupt(t.duv, &interrupt);
    assert_int_equal(trial_run(&t, EXITS).end, COL_RUN_CRASHED);
    const double begin = seconds_now();
    assert_int_equal(pthread_create(&thread, NULL, stop_soon, (void *)&interrupt), 0);
    assert_int_equal(col_duv_run(t.duv, HANGS, NULL, NULL, &run, NULL), COL_OK);
    assert_int_equal(run.end, COL_RUN_TIMED_OUT);
    assert_true(seconds_now() - begin < COL_DUV_LIMIT / 2.0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    trial_end(&t);
}

/* ---- Processes and signals. */

/* The process dies between two instances, while the parent does or does not ignore SIGPIPE. */
static void check_death_in_between(void (*on_pipe)(int)) {
    trial t;
    col_run run;
    col_problem problem;
    void (*before)(int) = signal(SIGPIPE, on_pipe);
    start_fake(&t);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(trial_run(&t, TELLS_PROCESS).end, COL_RUN_COMPLETE);
        const pid_t process = (pid_t)strtol(t.watch.message, NULL, 10);
        assert_true(process > 1 && process != getpid());
        assert_int_equal(kill(process, SIGKILL), 0);
        if (i == 0) {
            assert_int_equal(col_duv_run(t.duv, FINE, NULL, NULL, &run, &problem), COL_FAILURE);
            assert_non_null(strstr(problem.message, "signal 9"));
        } else {
            assert_int_equal(col_duv_load(t.duv, &t.program, &problem), COL_FAILURE);
            assert_non_null(strstr(problem.message, "signal 9"));
            assert_int_equal(col_duv_load(t.duv, &t.program, &problem), COL_OK);
        }
        assert_int_equal(kill(process, 0), -1); /* it was waited for */
        assert_int_equal(trial_run(&t, FINE).end, COL_RUN_COMPLETE);
    }
    trial_end(&t);
    (void)signal(SIGPIPE, before);
}

static void a_death_in_between_is_noticed(void **state) {
    (void)state;
    check_death_in_between(SIG_DFL);
    check_death_in_between(SIG_IGN);
}

static void nobody_has_to_wait_for_children(void **state) {
    (void)state;
    trial t;
    void (*before)(int) = signal(SIGCHLD, SIG_IGN);
    start_fake(&t);
    assert_int_equal(trial_run(&t, FINE).end, COL_RUN_COMPLETE);
    assert_int_equal(trial_run(&t, EXITS).end, COL_RUN_CRASHED);
    assert_int_equal(trial_run(&t, FINE).end, COL_RUN_COMPLETE);
    trial_end(&t);
    (void)signal(SIGCHLD, before);
}

static void write_process(void *context, const col_event *event) {
    if (event->message != NULL)
        (void)!write(*(const int *)context, event->message, strlen(event->message) + 1);
}

static void run_until_killed(int to) {
    col_duv *duv;
    col_run run;
    col_program program = COL_PROGRAM_EMPTY;
    const col_observer observer = {&to, write_process, UINT32_MAX};
    const uint32_t lengths[] = {1};
    if (col_duv_open_interface(&duv, &fake_interface, NULL, NULL) != COL_OK ||
        col_program_shape(&program, 1, lengths, 1, NULL) != COL_OK ||
        col_duv_load(duv, &program, NULL) != COL_OK)
        _exit(1);
    (void)col_duv_run(duv, TELLS_AND_HANGS, &observer, NULL, &run, NULL);
    _exit(0);
}

static void a_hung_design_does_not_outlive_its_parent(void **state) {
    (void)state;
    int ends[2];
    char text[64] = "";
    assert_int_equal(pipe(ends), 0);
    const pid_t parent = fork();
    assert_true(parent >= 0);
    if (parent == 0)
        run_until_killed(ends[1]);
    assert_true(read(ends[0], text, sizeof text - 1) > 0);
    const long process = strtol(text, NULL, 10);
    assert_true(process > 1 && !is_gone(process));
    assert_int_equal(kill(parent, SIGKILL), 0);
    assert_int_equal(waitpid(parent, NULL, 0), parent);
    assert_true(goes_away(process));
    (void)close(ends[0]);
    (void)close(ends[1]);
}

static void *open_in_thread(void *context) {
    start_fake(context);
    return NULL;
}

/* A design may be opened by one thread and used by another one. */
static void a_design_outlives_the_thread_that_opened_it(void **state) {
    (void)state;
    trial t;
    pthread_t thread;
    const struct timespec moment = {.tv_nsec = 50000000};
    assert_int_equal(pthread_create(&thread, NULL, open_in_thread, &t), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    (void)nanosleep(&moment, NULL);
    assert_int_equal(trial_run(&t, FINE).end, COL_RUN_COMPLETE);
    assert_int_equal(t.watch.events, FAKE_EVENTS);
    trial_end(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TIDY_TEST(a_description_arrives),
        TIDY_TEST(all_events_arrive_in_order),
        TIDY_TEST(messages_arrive),
        TIDY_TEST(another_program_is_another_one),
        TIDY_TEST(a_process_makes_no_difference),
        TIDY_TEST(a_crash_is_an_answer),
        TIDY_TEST(a_killed_process_is_no_crash),
        TIDY_TEST(the_toy_crashes_and_hangs_on_request),
        TIDY_TEST(a_hang_ends_by_the_limit),
        TIDY_TEST(errors_arrive),
        TIDY_TEST(a_design_must_stay_the_same),
        TIDY_TEST(a_run_stops_at_the_same_event_every_time),
        TIDY_TEST(what_comes_after_a_stop_does_not_count),
        TIDY_TEST(a_stop_reaches_a_run_that_tells_nothing),
        TIDY_TEST(an_interrupt_ends_the_wait_for_any_process),
        TIDY_TEST(a_death_in_between_is_noticed),
        TIDY_TEST(nobody_has_to_wait_for_children),
        TIDY_TEST(a_hung_design_does_not_outlive_its_parent),
        TIDY_TEST(a_design_outlives_the_thread_that_opened_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
