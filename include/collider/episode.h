/* SPDX-License-Identifier: MIT */
/*
 * One verification episode: generate a test, run instances of it on the design, judge them, measure
 * coverage and let the engine choose the next test, until a budget is spent or an error is found.
 */
#ifndef COLLIDER_EPISODE_H
#define COLLIDER_EPISODE_H

#include <collider/check.h>
#include <collider/cover.h>
#include <collider/engine.h>

COL_C_BEGIN

/* How an instance, or an episode, ended; rows X(NAME, word, meaning). Only episodes can be
 * incomplete. */
#define COL_OUTCOMES(X)                                                                            \
    X(COL_PASS, "pass", "it did what it was asked for, and no error was found")                    \
    X(COL_VIOLATION, "violation",                                                                  \
      "of the memory model, or of an invariant that the design watches")                           \
    X(COL_PROTOCOL_WRONG, "protocol-error", "the protocol met an undefined case")                  \
    X(COL_DEADLOCKED, "deadlock", "no operation completes any more")                               \
    X(COL_STARVED, "starvation", "an access waits for too long while others are served")           \
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

/* Why an episode ended; rows X(NAME, word, meaning). From COL_ENDED_BY_ERROR on, it was cut short.
 */
#define COL_ENDINGS(X)                                                                             \
    X(COL_ENDED_BY_TESTS, "tests", "`--tests` were run")                                           \
    X(COL_ENDED_BY_TIME, "time", "`--time` was spent")                                             \
    X(COL_ENDED_BY_CYCLES, "cycles", "`--cycles` were simulated")                                  \
    X(COL_ENDED_BY_COVERAGE, "coverage", "`--until-coverage` was reached")                         \
    X(COL_ENDED_BY_ENGINE, "engine", "it has no further tests, and is not to restart (`--once`)")  \
    X(COL_ENDED_BY_PROGRAMS, "programs", "each given program (`--program`) was run once")          \
    X(COL_ENDED_BY_ERROR, "error", "an error was found")                                           \
    X(COL_ENDED_BY_SIGNAL, "signal", "SIGINT, SIGTERM or SIGHUP")                                  \
    X(COL_ENDED_BY_FAILURE, "failure", "it could not continue")

typedef enum col_ending {
#define COL_ENDING_NAME(name, word, meaning) name,
    COL_ENDINGS(COL_ENDING_NAME)
#undef COL_ENDING_NAME
        COL_ENDING_COUNT
} col_ending;
COL_API extern const char *const col_endings[COL_ENDING_COUNT + 1]; /* words, ended by NULL */

/* What an instance depends on, apart from the program and the seed. */
typedef struct col_setting {
    col_duv_settings design; /* its name as col_duv_open takes it */
    int model;               /* a col_model; -1: that of a file, or the design's */
    const char *model_file;  /* a model in cat (docs/cat.md), used if `model` is -1; may be NULL */
    const char *model_include; /* where to look for included files: folders separated by colons;
                                * may be NULL */
    const char *model_text;    /* the content of the file, in UTF-8 and without includes, to be used
                                * instead of reading it. NULL: the file is read */
    double limit; /* seconds that an instance may take, for designs in their own process; 0: none */
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
    bool has_operations, has_locations, has_instances; /* otherwise the design or the engine may
                                                        * prefer others than the above */
    uint64_t tests, cycles;                            /* budgets; 0: none */
    double seconds;        /* from the start of the first test; 0: none */
    double until_coverage; /* a fraction; 0: none, full coverage does not end the episode */
    col_metric metric;     /* that engines are fed, and that until_coverage refers to */
    bool keep_going;       /* errors do not end the episode */
    bool watches;          /* measure witnesses and non-determinism of each test, for engines */
    /* Run these programs instead of an engine's tests: files, or folders of them. Each runs once,
     * or repeatedly if there is a budget of tests, cycles or seconds. NULL: the engine's tests. */
    const char *const *programs;
    uint32_t program_count;
    uint64_t seed;
    const char *folder; /* for failures; NULL: nothing is written */
    bool waves; /* write the waveforms of failures beside them; only of designs that have some */
    bool keeps_smallest; /* the same as `keep` 1 */
    uint32_t keep;    /* write at most so many failures of a kind (docs/episode.md); 0: every one */
    const char *save; /* a folder for what is needed to resume; NULL: nothing is saved */
    double save_every;  /* seconds; with `save`, the episode is also saved at the end */
    const char *resume; /* such a folder: continue from there; NULL: start. Budgets count from the
                         * episode's beginning */
    const char *learning_log; /* a file for what the engine learns, test by test; may be NULL */
    /* Called when everything is open and checked, before the first test and before anything is
     * written. Any status but COL_OK ends the episode; may be NULL. */
    col_status (*begun)(void *context, const struct col_episode *episode, col_problem *problem);
    void (*progress)(void *context,
                     const col_progress *progress); /* after each test; may be NULL */
    void *context;
    const volatile int *stop; /* if not 0: end now; may be NULL */
} col_episode_settings;

COL_API void col_episode_default(col_episode_settings *settings);

/* Sets what a text says, as an option of `collider run` does: "engine", "ops", "time" and so on,
 * without dashes; flags are "yes" or "no". The text is not copied: it must last as long as the
 * settings. Refuses unknown names and what the setting cannot be. */
COL_API col_status col_episode_set(col_episode_settings *settings, const char *name,
                                   const char *text, col_problem *problem);

/* A point of the coverage curve: the state after coverage rose. */
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

/* A failure without its own numbers: the design, the verdict, and the shape of what went wrong.
 * Failures with the same fingerprint are of the same kind. */
typedef struct col_fingerprint {
    char hash[17]; /* of the text, in hexadecimal; empty: no fingerprint */
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
    bool shown_again;  /* it was reproduced when the folder was written */
    /* Rerun on a design that varies: it failed in `shown` of `runs` runs; otherwise 0. */
    uint64_t shown, runs;
    col_fingerprint fingerprint;
} col_failure;

/* Failures with the same fingerprint. */
enum { COL_MOST_KINDS = 64 };
typedef struct col_failure_kind {
    uint64_t count;
    col_failure smallest; /* the first of those with the fewest operations */
} col_failure_kind;

/* ---- Given programs. */

/* A value that a read returned, or that a location held at the end. */
typedef struct col_seen {
    uint32_t thread, operation; /* of a read, counted in its thread; for a location: COL_FINAL */
    uint32_t location;
    uint64_t word;
} col_seen;
enum { COL_FINAL = UINT32_MAX };

/* The outcome of an instance that passed: the values that its reads returned and that its locations
 * held at the end. */
typedef struct col_seen_outcome {
    uint64_t count; /* instances with this outcome */
    uint64_t hash[2];
    col_seen *seen; /* reads by operation, then locations; NULL: too many to keep */
    uint32_t seen_count;
} col_seen_outcome;

/* How many outcomes of a program, and how many values of each, are kept. */
enum { COL_MOST_OUTCOMES = 1024, COL_MOST_SEEN = 64 };

/* A given program and its results. */
typedef struct col_given {
    char *path;
    uint32_t threads, operations, locations;
    uint64_t tests, instances;  /* that were run */
    uint64_t failing;           /* tests that failed */
    uint64_t passed;            /* instances whose outcomes were counted */
    uint64_t others;            /* of these, those whose outcomes were not kept */
    col_seen_outcome *outcomes; /* in order of first occurrence */
    size_t outcome_count, outcome_capacity;
} col_given;

typedef struct col_episode {
    col_outcome outcome; /* of the first failure; without one, COL_PASS or COL_INCOMPLETE */
    col_ending ending;
    char design[64];
    uint32_t cores;
    col_model model;     /* COL_MODEL_COUNT: that of a file */
    char model_name[64]; /* its word, or the name of the file */
    uint64_t tests, instances, operations, cycles;
    uint64_t undecided;        /* instances that passed because judging them took too long */
    col_range test_operations; /* that tests had, and how many instances */
    uint32_t test_instances;
    uint32_t most_jobs; /* instances that can run at once; 0: any number */
    double seconds;     /* from the start of the first test, so without opening the design */
    col_coverage *coverage;
    col_curve_point *curve;
    size_t curve_count, curve_capacity;
    col_watched watched;
    col_failure failure;     /* the first one */
    uint64_t failures;       /* tests that failed */
    uint64_t failing_cycles; /* of these tests alone */
    double failing_seconds;
    col_failure_kind *kinds; /* in order of first occurrence */
    size_t kind_count, kind_capacity;
    col_given *given; /* the given programs */
    size_t given_count, given_capacity;
} col_episode;

/* Returns COL_OK also when an error was found in the design: see `episode->outcome`. The episode
 * has the results so far even if the status is not COL_OK. Start from {0}; free at the end. */
COL_API col_status col_episode_run(const col_episode_settings *settings, col_episode *episode,
                                   col_problem *problem);
COL_API void col_episode_free(col_episode *episode);

/* Write the record of an episode as JSON (docs/episode.md); "-" is standard output. */
COL_API col_status col_episode_write(const col_episode_settings *settings,
                                     const col_episode *episode, const char *path,
                                     col_problem *problem);

/* The same record as a text, to be freed with col_text_free. */
COL_API col_status col_episode_record(const col_episode_settings *settings,
                                      const col_episode *episode, char **text, size_t *length,
                                      col_problem *problem);

/* ---- Replaying failures. */

/* Reruns the failure in a folder. The folder may come from somebody else, so a design that is
 * native code is refused unless `allow_code` is set. `was` is the failure in the folder, `is` what
 * happened now; `violation` (may be NULL) is filled if the memory model was violated. */
COL_API col_status col_replay(const char *folder, bool allow_code, col_failure *was,
                              col_failure *is, col_violation *violation, col_problem *problem);

COL_C_END
#endif
