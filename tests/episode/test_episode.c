/* SPDX-License-Identifier: MIT */
/* ctest: long-sanitized */
/*
 * Episodes: the same settings give the same tests, coverage and verdict, whatever the number of
 * jobs; each budget ends them; an error in the design is found, kept, and shown again from its
 * folder.
 */
#include "collider/episode.h"

#include "base/file.h"
#include "base/folder.h"
#include "episode/episode_adapt.h"
#include "episodes.h"
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef REDUCED
enum { TESTS_OF_EACH = 4, ERRORS = 2, MOST_JOBS = 2 };
#elif defined(THOROUGH)
enum { TESTS_OF_EACH = 60, ERRORS = 4, MOST_JOBS = 4 };
#else
enum { TESTS_OF_EACH = 30, ERRORS = 4, MOST_JOBS = 4 };
#endif

/* Small tests on a small machine. */
static col_episode_settings small(void) {
    col_episode_settings s = small_episode("mesi2", "chain-bias");
    s.instances = 3;
    return s;
}

/* Everything but the clock. */
static void assert_same(const col_episode *a, const col_episode *b) {
    const uint32_t points =
        col_coverage_of(a->coverage, COL_CUMULATIVE, COL_FUNCTIONAL, COL_ALL_MACHINES).total;
    assert_int_equal(a->outcome, b->outcome);
    assert_int_equal(a->ending, b->ending);
    assert_int_equal(a->tests, b->tests);
    assert_int_equal(a->instances, b->instances);
    assert_int_equal(a->operations, b->operations);
    assert_int_equal(a->cycles, b->cycles);
    assert_int_equal(a->failures, b->failures);
    assert_int_equal(a->failing_cycles, b->failing_cycles);
    assert_int_equal(a->failure.test, b->failure.test);
    assert_int_equal(a->failure.instance, b->failure.instance);
    assert_int_equal(a->failure.seed, b->failure.seed);
    assert_string_equal(a->failure.reason, b->failure.reason);
    assert_memory_equal(col_coverage_hits(a->coverage, COL_FUNCTIONAL),
                        col_coverage_hits(b->coverage, COL_FUNCTIONAL), points * sizeof(uint64_t));
    assert_int_equal(a->curve_count, b->curve_count);
    for (size_t i = 0; i < a->curve_count; i++) {
        assert_int_equal(a->curve[i].tests, b->curve[i].tests);
        assert_int_equal(a->curve[i].operations, b->curve[i].operations);
        assert_int_equal(a->curve[i].cycles, b->curve[i].cycles);
        assert_int_equal(a->curve[i].structural, b->curve[i].structural);
        assert_int_equal(a->curve[i].functional, b->curve[i].functional);
    }
}

TEST(the_result_does_not_depend_on_jobs) {
    static const char *const errors[] = {NULL, "LQ+no-TSO", "SQ+no-FIFO",
                                         TEST_DATA "/error/mesi2-stays-shared.yaml"};
    _Static_assert(ERRORS <= (int)(sizeof errors / sizeof errors[0]), "that many are listed");
    for (size_t o = 0; o < ERRORS; o++) {
        col_episode first, other;
        col_episode_settings s = small();
        s.setting.design.error = errors[o];
        for (size_t e = 0; col_engines[e] != NULL; e++) {
            s.engine = col_engines[e];
            s.jobs = 1;
            run_episode(&s, &first);
            for (s.jobs = 1; s.jobs <= MOST_JOBS; s.jobs++) {
                run_episode(&s, &other);
                assert_same(&first, &other);
                col_episode_free(&other);
            }
            col_episode_free(&first);
        }
    }
}

/* Tests that were begun when a budget or an error ended the episode do not count. */
TEST(tests_run_ahead_of_the_end_do_not_count) {
    for (uint32_t i = 0; i < 3; i++) {
        col_episode first, other;
        col_episode_settings s = small();
        s.instances = 1;
        s.tests = 0;
        s.cycles = i == 0 ? 20000 : 2000000;
        s.until_coverage = i == 1 ? 0.7 : 0;
        s.setting.design.error = i == 2 ? "LQ+no-TSO" : NULL;
        run_episode(&s, &first);
        assert_true(first.tests > 1);
        for (s.jobs = 2; s.jobs <= 8; s.jobs *= 2) {
            run_episode(&s, &other);
            assert_same(&first, &other);
            col_episode_free(&other);
        }
        col_episode_free(&first);
    }
}

TEST(seeds_and_engines_differ) {
    col_episode episodes[3];
    col_episode_settings s = small();
    run_episode(&s, &episodes[0]);
    s.seed = 2;
    run_episode(&s, &episodes[1]);
    s.engine = "plain";
    run_episode(&s, &episodes[2]);
    assert_int_not_equal(episodes[0].cycles, episodes[1].cycles);
    assert_int_not_equal(episodes[1].cycles, episodes[2].cycles);
    for (int i = 0; i < 3; i++)
        col_episode_free(&episodes[i]);
}

/* Whatever point is drawn, addresses can be assigned for the design's caches. */
TEST(every_engine_serves_every_design) {
    static const char *const designs[] = {"mi",    "msi",         "mesi2",        "moesi2",
                                          "mesi3", "mesi2-rvwmo", "moesi2-rvwmo", "mcversi-mesi"};
    for (size_t d = 0; d < sizeof designs / sizeof designs[0]; d++)
        for (size_t e = 0; col_engines[e] != NULL; e++) {
            col_episode episode;
            col_episode_settings s = small();
            s.setting.design.name = designs[d];
            s.engine = col_engines[e];
            s.operations = (col_range){8, 8};
            s.locations = (col_range){1, 1 << 12};
            s.instances = 1;
            s.tests = TESTS_OF_EACH;
            s.repeat = true; /* engines that are through start over */
            run_episode(&s, &episode);
            assert_int_equal(episode.outcome, COL_PASS);
            assert_int_equal(episode.tests, TESTS_OF_EACH);
            col_episode_free(&episode);
        }
}

TEST(the_curve_rises_to_the_coverage) {
    col_episode e;
    const col_episode_settings s = small();
    run_episode(&s, &e);
    const col_covered all =
        col_coverage_of(e.coverage, COL_CUMULATIVE, COL_STRUCTURAL, COL_ALL_MACHINES);
    assert_true(e.curve_count >= 2);
    for (size_t i = 1; i < e.curve_count; i++) {
        assert_true(e.curve[i].functional >= e.curve[i - 1].functional);
        assert_true(e.curve[i].structural >= e.curve[i - 1].structural);
        assert_true(e.curve[i].cycles >= e.curve[i - 1].cycles);
    }
    assert_int_equal(e.curve[e.curve_count - 1].structural, all.covered);
    assert_true(all.covered > 30 && all.covered < all.total);
    assert_int_equal(e.instances, s.tests * s.instances);
    col_episode_free(&e);
}

/* ---- Budgets. */

typedef struct stopper {
    volatile int stop;
    uint64_t tests;
} stopper;

static void stop_after_three(void *context, const col_progress *progress) {
    stopper *s = context;
    s->tests = progress->tests;
    s->stop = progress->tests == 3;
}

TEST(each_budget_ends_an_episode) {
    col_episode e;
    stopper stopping = {0, 0};
    col_episode_settings s = small();
    run_episode(&s, &e);
    assert_int_equal(e.ending, COL_ENDED_BY_TESTS);
    assert_int_equal(e.tests, 12);
    const uint64_t cycles = e.cycles;
    col_episode_free(&e);

    s.cycles = cycles / 2;
    run_episode(&s, &e);
    assert_int_equal(e.ending, COL_ENDED_BY_CYCLES);
    assert_true(e.cycles >= cycles / 2 && e.tests < 12);
    col_episode_free(&e);

    s.cycles = 0;
    s.until_coverage = 0.2;
    run_episode(&s, &e);
    assert_int_equal(e.ending, COL_ENDED_BY_COVERAGE);
    assert_true(
        col_coverage_of(e.coverage, COL_CUMULATIVE, COL_STRUCTURAL, COL_ALL_MACHINES).fraction >=
        0.2);
    col_episode_free(&e);

    s.until_coverage = 0;
    s.tests = 0;
    s.seconds = 0.2;
    run_episode(&s, &e);
    assert_int_equal(e.ending, COL_ENDED_BY_TIME);
    assert_true(e.seconds >= 0.2);
    col_episode_free(&e);

    s.seconds = 0;
    s.stop = &stopping.stop;
    s.progress = stop_after_three;
    s.context = &stopping;
    run_episode(&s, &e);
    assert_int_equal(e.ending, COL_ENDED_BY_SIGNAL);
    assert_int_equal(e.tests, 3);
    col_episode_free(&e);
}

/* ---- Errors. */

static void assert_replays(const col_failure *failure) {
    col_failure was, is;
    col_violation violation = {0};
    col_problem problem;
    if (col_replay(failure->folder, true, &was, &is, &violation, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    assert_int_equal(was.outcome, failure->outcome);
    assert_int_equal(is.outcome, failure->outcome);
    assert_string_equal(is.reason, failure->reason);
    assert_int_equal(was.seed, failure->seed);
    if (failure->outcome == COL_VIOLATION)
        assert_string_equal(violation.reason, failure->reason);
    col_violation_free(&violation);
}

/* The recorded events break the model again, judged by themselves. */
static void assert_recording_is_forbidden(const col_episode *e) {
    char path[1100];
    bool found = false;
    col_trace trace = COL_TRACE_EMPTY;
    col_trace_file *file;
    col_checker *checker;
    col_problem problem;
    (void)snprintf(path, sizeof path, "%s/events.trace", e->failure.folder);
    assert_int_equal(col_trace_open(&file, path, &problem), COL_OK);
    assert_int_equal(col_trace_next(file, &trace, &found, &problem), COL_OK);
    assert_true(found);
    assert_int_equal(col_checker_new(&checker, e->model, &problem), COL_OK);
    assert_int_equal(col_checker_load(checker, &trace.program, &problem), COL_OK);
    for (size_t i = 0; i < trace.event_count; i++)
        (void)col_checker_notice(checker, &trace.events[i]);
    assert_false(col_checker_finish(checker, trace.complete));
    assert_string_equal(col_checker_violation(checker)->reason, e->failure.reason);
    col_checker_free(checker);
    col_trace_free(&trace);
    col_trace_close(file);
}

TEST(errors_are_found_and_replayed) {
    static const struct {
        const char *options, *error;
        col_outcome outcome;
    } errors[] = {
        {"without=squash", NULL, COL_VIOLATION},
        {"without=fifo", NULL, COL_VIOLATION},
        {"without=forward", NULL, COL_VIOLATION},
        {NULL, "MESI,LQ+IS,Inv", COL_VIOLATION},
        {NULL, TEST_DATA "/error/mesi2-stays-shared.yaml", COL_OUTCOME_COUNT}, /* any */
    };
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        col_episode e;
        col_episode_settings s = small();
        s.setting.design.options = errors[i].options;
        s.setting.design.error = errors[i].error;
        s.tests = 400;
        s.folder = folder;
        run_episode(&s, &e);
        if (e.outcome == COL_PASS)
            fail_msg("%s was not found", errors[i].error ? errors[i].error : errors[i].options);
        assert_int_equal(e.ending, COL_ENDED_BY_ERROR);
        if (errors[i].outcome != COL_OUTCOME_COUNT)
            assert_int_equal(e.outcome, errors[i].outcome);
        assert_replays(&e.failure);
        if (e.outcome == COL_VIOLATION)
            assert_recording_is_forbidden(&e);
        col_episode_free(&e);
    }
}

TEST(an_episode_may_continue) {
    col_episode e;
    col_episode_settings s = small();
    s.setting.design.options = "without=squash";
    s.tests = 60;
    s.keep_going = true;
    run_episode(&s, &e);
    assert_int_equal(e.ending, COL_ENDED_BY_TESTS);
    assert_int_equal(e.tests, 60);
    assert_int_equal(e.outcome, COL_VIOLATION);
    assert_true(e.failures > 1);
    col_episode_free(&e);
}

typedef struct cycle_count {
    uint64_t after[64]; /* each test, from 1 */
    double seconds;
} cycle_count;

static void note_cycles(void *context, const col_progress *progress) {
    cycle_count *count = context;
    count->after[progress->tests] = progress->cycles;
    count->seconds = progress->seconds;
}

/* The tests that failed are those that left a folder. */
TEST(the_cycles_of_tests_that_failed_are_summed) {
    cycle_count count = {{0}, 0};
    col_episode e;
    col_episode_settings s = small();
    char path[128], failure[256];
    uint64_t tests = 0, cycles = 0;
    (void)snprintf(path, sizeof path, "%s/failing", folder);
    s.setting.design.options = "without=fifo";
    s.tests = 8;
    s.keep_going = true;
    s.folder = path;
    s.progress = note_cycles;
    s.context = &count;
    run_episode(&s, &e);
    for (uint32_t test = 1; test <= 8; test++)
        for (uint32_t instance = 1; instance <= s.instances; instance++) {
            (void)snprintf(failure, sizeof failure, "%s/failure-%u-%u", path, test, instance);
            if (access(failure, F_OK) != 0)
                continue;
            tests++;
            cycles += count.after[test] - count.after[test - 1];
        }
    assert_true(tests > 0 && tests < 8);
    assert_int_equal(e.failures, tests);
    assert_int_equal(e.failing_cycles, cycles);
    assert_true(e.failing_seconds > 0 && e.failing_seconds < count.seconds);
    col_episode_free(&e);
}

/* ---- What is refused. */

static void assert_refused(col_episode_settings s, const char *sentence) {
    col_episode e = {0};
    col_problem problem;
    assert_int_equal(col_episode_run(&s, &e, &problem), COL_BAD_INPUT);
    assert_string_equal(problem.message, sentence);
    col_episode_free(&e);
}

TEST(wrong_settings_are_refused) {
    col_episode_settings s = small();
    s.instances = 0;
    assert_refused(s, "an episode has at least one instance of a test, and one job");
    s = small();
    s.engine = "magic";
    assert_refused(s, "there is no engine 'magic'");
    s = small();
    s.locations = (col_range){8, 4};
    assert_refused(s, "the range 8:4 of locations is not within 1:16777216");
    s = small();
    s.engine = "plain";
    s.sets = 2;
    assert_refused(s, "sets are for engines that bias addresses; plain does not");
}

static void write_text(const char *path, const char *text) {
    col_problem problem;
    assert_int_equal(base_file_write(path, text, strlen(text), &problem), COL_OK);
}

TEST(tests_that_memory_cannot_hold_are_refused) {
    col_episode_settings s = small();
    col_problem problem = {0};
    const uint64_t room = UINT64_C(1) << 32;
    s.jobs = 2;
    s.operations = (col_range){1, 1 << 20};
    assert_int_equal(epi_check_room(&s, room, &problem), COL_OK);
    s.operations.most = 1 << 30;
    assert_int_equal(epi_check_room(&s, room, &problem), COL_BAD_INPUT);
    assert_non_null(strstr(problem.message, "--ops 1073741824 needs at least 152.0 GiB"));
    s.jobs = 1;
    assert_int_equal(epi_check_room(&s, UINT64_C(88) << 30, &problem), COL_OK);
#ifndef SANITIZED /* sanitizers need all addresses that there are */
    int status;
    const pid_t process = fork();
    assert_true(process >= 0);
    if (process == 0) {
        const struct rlimit limit = {.rlim_cur = (rlim_t)room, .rlim_max = RLIM_INFINITY};
        col_episode episode = {0};
        _exit(setrlimit(RLIMIT_AS, &limit) == 0 ? (int)col_episode_run(&s, &episode, &problem) : 0);
    }
    assert_int_equal(waitpid(process, &status, 0), process);
    assert_int_equal(WEXITSTATUS(status), COL_BAD_INPUT);
#endif
}

TEST(damaged_folders_are_refused) {
    char path[128];
    col_failure was, is;
    col_problem problem;
    assert_int_equal(col_replay("/nowhere", true, &was, &is, NULL, &problem), COL_BAD_INPUT);
    assert_non_null(strstr(problem.message, "/nowhere is not a failure folder"));
    (void)snprintf(path, sizeof path, "%s/damaged", folder);
    assert_int_equal(base_folder_make(path, &problem), COL_OK);
    (void)snprintf(path, sizeof path, "%s/damaged/failure.json", folder);
    (void)was;
    char damaged[128];
    (void)snprintf(damaged, sizeof damaged, "%s/damaged", folder);
    write_text(path, "{\n \"format\": 1,,");
    assert_int_equal(col_replay(damaged, true, &was, &is, NULL, &problem), COL_BAD_INPUT);
    assert_int_equal(problem.line, 2);
    assert_string_equal(problem.file, path);
    write_text(path, "{\"format\": 1, \"design\": 5}\n");
    assert_int_equal(col_replay(damaged, true, &was, &is, NULL, &problem), COL_BAD_INPUT);
    assert_string_equal(problem.message, "this is not the description of a failure");
    /* What has another type is not left out: without the error the design would pass. */
    static const char *const parts[] = {"", ", \"error\": 5", ", \"options\": 5",
                                        ", \"mutant\": \"5\"", ", \"mutant\": -1"};
    for (size_t i = 0; i <= sizeof parts / sizeof parts[0]; i++) {
        const bool is_last = i == sizeof parts / sizeof parts[0];
        char text[400];
        (void)snprintf(text, sizeof text,
                       "{\"format\": 1, \"design\": \"msi\", \"cores\": 2, \"model\": \"tso\", "
                       "\"seed\": \"%s\", \"test\": 1, \"instance\": 1, \"verdict\": \"pass\", "
                       "\"reason\": \"\", \"limit\": 60%s}\n",
                       is_last ? "0x5" : "5", is_last ? "" : parts[i]);
        write_text(path, text);
        assert_int_equal(col_replay(damaged, true, &was, &is, NULL, &problem), COL_BAD_INPUT);
        assert_non_null(strstr(problem.message, i == 0
                                                    ? "program.txt: No such file"
                                                    : "this is not the description of a failure"));
    }
}

int main(void) {
    return run_all_tests(make_folder, remove_folder);
}
