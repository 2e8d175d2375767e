/* SPDX-License-Identifier: MIT */
/*
 * One verification episode: generate a test, run instances of it on the design, judge them, measure
 * coverage, let the engine choose the next test; until a budget is spent or an error is found.
 */
#ifndef COLLIDER_EPISODE_H
#define COLLIDER_EPISODE_H

#include <collider/check.h>
#include <collider/cover.h>
#include <collider/engine.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How an instance, or an episode, ended; rows X(NAME, word, meaning). Instances and failures are
 * never incomplete: what stands before it is what they can be. */
#define COL_OUTCOMES(X)                                                                            \
    X(COL_PASS, "pass", "it did what it was asked for, and no error was found")                    \
    X(COL_VIOLATION, "violation",                                                                  \
      "of the memory model, or of an invariant that the design watches")                           \
    X(COL_PROTOCOL_WRONG, "protocol-error", "the protocol met what it does not define")            \
    X(COL_DEADLOCKED, "deadlock", "no operation completes any more")                               \
    X(COL_CRASHED, "crash", "the design's own process died or took too long")                      \
    X(COL_INCOMPLETE, "incomplete",                                                                \
      "no error, but a signal or a failure of the machine cut it short, or it ran no test")        \
    X(COL_UNJUDGED, "undecided", "no error, but not every instance could be judged in time")

typedef enum col_outcome {
#define COL_OUTCOME_NAME(name, word, meaning) name,
    COL_OUTCOMES(COL_OUTCOME_NAME)
#undef COL_OUTCOME_NAME
        COL_OUTCOME_COUNT
} col_outcome;
COL_API extern const char *const col_outcomes[COL_OUTCOME_COUNT + 1]; /* words, ended by NULL */

/* Why an episode ended; rows X(NAME, word, meaning). From COL_ENDED_BY_ERROR on it was stopped: it
 * would have gone on. */
#define COL_ENDINGS(X)                                                                             \
    X(COL_ENDED_BY_TESTS, "tests", "`--tests` were run")                                           \
    X(COL_ENDED_BY_TIME, "time", "`--time` was spent")                                             \
    X(COL_ENDED_BY_CYCLES, "cycles", "`--cycles` were simulated")                                  \
    X(COL_ENDED_BY_COVERAGE, "coverage", "`--until-coverage` was reached")                         \
    X(COL_ENDED_BY_ENGINE, "engine", "it has no further tests, and is not to restart (`--once`)")  \
    X(COL_ENDED_BY_PROGRAMS, "programs", "each given program (`--program`) was run once")          \
    X(COL_ENDED_BY_ERROR, "error", "an error was found")                                           \
    X(COL_ENDED_BY_SIGNAL, "signal", "SIGINT, SIGTERM or SIGHUP")                                  \
    X(COL_ENDED_BY_FAILURE, "failure", "it could not go on")

typedef enum col_ending {
#define COL_ENDING_NAME(name, word, meaning) name,
    COL_ENDINGS(COL_ENDING_NAME)
#undef COL_ENDING_NAME
        COL_ENDING_COUNT
} col_ending;
COL_API extern const char *const col_endings[COL_ENDING_COUNT + 1]; /* words, ended by NULL */

/* A design with a program and a seed: all that an instance follows from. */
typedef struct col_setting {
    col_duv_settings design; /* its name as col_duv_open takes it */
    int model;               /* a col_model; -1: that of a file, or the design's */
    const char *model_file;  /* a model in cat (docs/cat.md), if none is given above; NULL: none */
    const char *model_include; /* folders, between colons, of what it includes; may be NULL */
    const char *model_text;    /* what the file says, in UTF-8, so that it is not read; it
                                * includes nothing. NULL: the file is read */
    double limit;   /* seconds of an instance, of designs in a process of their own; 0: none */
    double judging; /* seconds to judge an instance of a design that shows reads; 0: as usual */
} col_setting;

typedef struct col_progress {
    uint64_t tests, instances, operations, cycles;
    double seconds;
    col_point point; /* of the last test */
    const col_coverage *coverage;
} col_progress;

struct col_episode;

typedef struct col_episode_settings {
    col_setting setting;
    const char *engine;
    col_range operations, locations;
    uint32_t sets;
    const char *mix;            /* NULL: default */
    const char *engine_options; /* of the engine; may be NULL */
    bool repeat;                /* restart the engine when it has no further tests; the default */
    uint32_t instances, jobs;
    bool has_operations, has_instances; /* else the design may prefer others than those above */
    uint64_t tests, cycles;             /* budgets; 0: none */
    double seconds;                     /* from the start of the first test; 0: none */
    double until_coverage; /* a fraction; 0: none, full coverage does not end the episode */
    col_metric metric;     /* that engines are fed, and that until_coverage means */
    bool keep_going;       /* errors do not end the episode */
    bool watches;          /* witnesses and non-determinism of each test, for engines */
    /* Run these instead of an engine's tests: files, or folders of them; each once, or again and
     * again if there is a budget of tests, cycles or seconds. NULL: the engine's. */
    const char *const *programs;
    uint32_t program_count;
    uint64_t seed;
    const char *folder;  /* for failures; NULL: nothing is written */
    bool keeps_smallest; /* of a kind of failures only the first, and what is smaller, is written */
    const char *save;    /* a folder for what is needed to go on; NULL: nothing is saved */
    double save_every;   /* seconds; an episode that is saved is saved at the end, too */
    const char *resume;  /* such a folder: go on from there; NULL: begin. Budgets count from the
                          * episode's beginning */
    const char *learning_log; /* a file for what the engine learns, test by test; may be NULL */
    /* Everything is open and checked, the first test comes next, and nothing has been written yet.
     * Any other status than COL_OK ends the episode; may be NULL. */
    col_status (*begun)(void *context, const struct col_episode *episode, col_problem *problem);
    void (*progress)(void *context,
                     const col_progress *progress); /* after each test; may be NULL */
    void *context;
    const volatile int *stop; /* not 0: end now; may be NULL */
} col_episode_settings;

COL_API void col_episode_default(col_episode_settings *settings);

/* A point of the coverage curve: the state when coverage had risen. */
typedef struct col_curve_point {
    double seconds;
    uint64_t tests, operations, cycles;
    uint32_t structural, functional;
} col_curve_point;

/* Sums over the tests of an episode that watches. */
typedef struct col_watched {
    uint64_t tests;
    uint64_t distinct[COL_OBSERVATION_COUNT], outcomes; /* instances that differ */
    double nondeterminism;
} col_watched;

/* What a failure is, without the numbers of this one: the design, the verdict, and the shape of
 * what went wrong. Failures of one fingerprint are of one kind. */
typedef struct col_fingerprint {
    char hash[17]; /* of the text, in hexadecimal; empty: there is no fingerprint */
    char text[384];
} col_fingerprint;

typedef struct col_failure {
    col_outcome outcome;
    uint32_t instance; /* from 1 */
    uint64_t test;     /* from 1 */
    uint64_t seed;     /* of the instance */
    double seconds;
    uint64_t cycles;
    uint32_t operations; /* of the program */
    char reason[512];
    char folder[1024]; /* empty: none was written */
    bool shown_again;  /* it showed again when the folder was written */
    /* Of a design that varies, run again: how often it failed in how many runs; else 0. */
    uint64_t shown, runs;
    col_fingerprint fingerprint;
} col_failure;

/* Failures of one fingerprint. */
enum { COL_MOST_KINDS = 64 };
typedef struct col_failure_kind {
    uint64_t count;
    col_failure smallest; /* the first of those with the fewest operations */
} col_failure_kind;

/* ---- Programs that are given. */

/* A value that a read returned, or that a location held at the end. */
typedef struct col_seen {
    uint32_t thread, operation; /* of a read, counted in its thread; of a location: COL_FINAL */
    uint32_t location;
    uint64_t word;
} col_seen;
enum { COL_FINAL = UINT32_MAX };

/* What came of an instance that passed: what its reads returned and its locations held at the end.
 */
typedef struct col_seen_outcome {
    uint64_t count; /* instances in which it came */
    uint64_t hash[2];
    col_seen *seen; /* reads by operation, then locations; NULL: there are too many to be kept */
    uint32_t seen_count;
} col_seen_outcome;

/* Outcomes, and what of each, that are kept of a program. */
enum { COL_MOST_OUTCOMES = 1024, COL_MOST_SEEN = 64 };

/* A program that was given, and what came of it. */
typedef struct col_given {
    char *path;
    uint32_t threads, operations, locations;
    uint64_t tests, instances;  /* that were run */
    uint64_t failing;           /* tests that failed */
    uint64_t passed;            /* instances whose outcomes were counted */
    uint64_t others;            /* of these, with outcomes beyond the kept ones */
    col_seen_outcome *outcomes; /* in the order in which they came */
    size_t outcome_count, outcome_capacity;
} col_given;

typedef struct col_episode {
    col_outcome outcome; /* of the first failure; without one COL_PASS or COL_INCOMPLETE */
    col_ending ending;
    char design[64];
    uint32_t cores;
    col_model model;     /* COL_MODEL_COUNT: that of a file */
    char model_name[64]; /* its word, or the name of the file */
    uint64_t tests, instances, operations, cycles;
    uint64_t undecided;        /* instances that passed because judging them took too long */
    col_range test_operations; /* that tests had, and how many instances */
    uint32_t test_instances;
    double seconds; /* from the start of the first test: opening the design is not part of it */
    col_coverage *coverage;
    col_curve_point *curve;
    size_t curve_count, curve_capacity;
    col_watched watched;
    col_failure failure;     /* the first one */
    uint64_t failures;       /* tests that failed */
    uint64_t failing_cycles; /* of these tests alone */
    double failing_seconds;
    col_failure_kind *kinds; /* in the order in which they came */
    size_t kind_count, kind_capacity;
    col_given *given; /* the programs that were given */
    size_t given_count, given_capacity;
} col_episode;

/* COL_OK also when an error was found in the design: `episode->outcome` tells. What was done so far
 * is in the episode even if the status is not COL_OK. Start from {0}; free at the end. */
COL_API col_status col_episode_run(const col_episode_settings *settings, col_episode *episode,
                                   col_problem *problem);
COL_API void col_episode_free(col_episode *episode);

/* The record of an episode as JSON, as docs/episode.md says; "-" is standard output. */
COL_API col_status col_episode_write(const col_episode_settings *settings,
                                     const col_episode *episode, const char *path,
                                     col_problem *problem);

/* ---- Failures again. */

/* Runs the failure of a folder again. A folder may come from somebody else, so a design that is
 * native code is refused unless `allow_code`. `was` is what the folder says, `is` what happened
 * now; `violation` (may be NULL) is filled if the memory model was broken. */
COL_API col_status col_replay(const char *folder, bool allow_code, col_failure *was,
                              col_failure *is, col_violation *violation, col_problem *problem);

#ifdef __cplusplus
}
#endif
#endif
