/* SPDX-License-Identifier: MIT */
/*
 * Directing engines: given what came of the last test, hand me the next one. An engine sees
 * numbers, never the names of coverage points, so that it serves any design and any metric.
 */
#ifndef COLLIDER_ENGINE_H
#define COLLIDER_ENGINE_H

#include <collider/geometry.h>
#include <collider/witness.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct col_range {
    uint32_t least, most;
} col_range;

/* The space that an engine may choose from, and the machine it chooses for. */
typedef struct col_engine_settings {
    uint32_t threads;
    col_range operations, locations; /* of a test */
    uint32_t sets;                   /* that locations compete for; 0: the engine's choice */
    const char *mix;                 /* a mix of operations or of chain categories; NULL: default */
    const char *options;             /* the engine's own, "key=value,key=value"; may be NULL */
    bool repeat;                     /* an engine that is through starts over */
    uint64_t cycles;                 /* the episode's budgets; 0: none */
    double seconds;
    col_geometry geometry; /* of the design's caches */
    uint64_t seed;
} col_engine_settings;

/* A point of the space: what the last test was made from. Engines that do not choose by points say
 * what their test has. */
typedef struct col_point {
    uint32_t operations; /* 0: the engine has no further tests */
    uint32_t locations;
    uint32_t sets; /* 0: addresses are unconstrained */
} col_point;

/* What came of the last test. Coverage is that of the metric the episode feeds. Time is simulated
 * cycles: an engine's choices must be the same on any machine, unless it is told to look at the
 * clock. */
typedef struct col_feedback {
    uint64_t tests;               /* so far; 0: there is no last test, and the rest means nothing */
    uint64_t covered, total;      /* cumulative */
    uint64_t own_covered, gained; /* by the last test; of these, by none before it */
    uint64_t cycles, operations;  /* of the last test, all instances */
    double seconds;               /* that the last test took, by the clock */
    const uint64_t *hits;         /* of each of `total` points: how often it was hit so far */
    const col_witness_results *witness; /* of the last test; NULL if the episode does not watch */
} col_feedback;

typedef struct col_engine col_engine;

/* The built-in engines' names, ended by NULL, and what each is in a few words. */
COL_API extern const char *const col_engines[];
COL_API const char *col_engine_summary(const char *name);
/* Does it learn from the witness of a test? Then feedback without one is refused. */
COL_API bool col_engine_watches(const char *name);

/* `name` is that of a built-in engine, or a plug-in (.so), which is native code. */
COL_API col_status col_engine_new(col_engine **engine, const char *name,
                                  const col_engine_settings *settings, col_problem *problem);
COL_API void col_engine_free(col_engine *engine);

/* The next test. The same settings and feedbacks give the same programs; of the feedback's arrays
 * nothing is kept. */
COL_API col_status col_engine_next(col_engine *engine, const col_feedback *feedback,
                                   col_program *program, col_point *point, col_problem *problem);

/* What an engine that learns made of the feedback of a test, and how the test had been chosen. */
typedef struct col_learning {
    uint64_t test; /* from 1; 0: there is nothing to tell */
    uint32_t action;
    bool is_random; /* the action was drawn, not preferred */
    bool is_trained;
    double epsilon;      /* the chance of a random action */
    double reward, loss; /* loss only if the feedback was followed by training */
    col_point point;
    uint32_t action_count;
    const char *const *action_names;
    const float *values; /* by action: what the engine expected of it; NULL: it does not value */
} col_learning;

/* Of the feedback that the last test followed. NULL: the engine does not learn. */
COL_API const col_learning *col_engine_learning(const col_engine *engine);

/* What the engine knows, as a file, with the feedback of its last test, which it was not told yet;
 * an engine of the same name and settings goes on from there as if it had never stopped. Restoring
 * comes before the first test, for which the feedback of the file counts. */
COL_API col_status col_engine_save(const col_engine *engine, const col_feedback *last,
                                   const char *path, col_problem *problem);
COL_API col_status col_engine_restore(col_engine *engine, const char *path, col_problem *problem);

/* ---- An engine of one's own: a plug-in, which `--engine ./mine.so` names. */

enum { COL_ENGINE_VERSION = 1 };

/* The points that the design's caches allow, within the settings' ranges: what Collider can make
 * programs from. */
typedef struct col_engine_space {
    const col_point *points;
    uint32_t count;
} col_engine_space;

/* What an engine implements. All that it chooses must follow from its settings, the seed among
 * them, and the feedbacks: then an episode repeats exactly, and can be saved and resumed. Several
 * may be open at once, each used by one thread at a time. A function that returns something else
 * than COL_OK says why in `problem`: COL_BAD_INPUT for what the user can mend, else COL_FAILURE. */
typedef struct col_engine_interface {
    uint32_t version; /* COL_ENGINE_VERSION */
    const char *name, *summary;
    bool chained; /* programs that Collider makes at its points are chains, else plain */
    bool biased;  /* their locations compete for cache sets; else the points have no sets */
    bool watches; /* it needs the witness of each test */
    /* The settings and the space stay where and as they are while the engine is open. */
    col_status (*open)(void **state, const col_engine_settings *settings,
                       const col_engine_space *space, col_problem *problem);
    void (*close)(void *state);
    /* The next test: either a program (shape and fill it, see program.h), or only a point, at which
     * Collider makes one. The program comes empty, and the point all 0: left so, there is no
     * further test. With `repeat` an engine that has no more should start over. */
    col_status (*next)(void *state, const col_feedback *feedback, col_program *program,
                       col_point *point, col_problem *problem);
    /* For --save and --resume; both or neither. `save` returns how many bytes it has to say, and
     * writes them if `size` is enough. `restore` gets these bytes, or damaged ones: it must check
     * them. */
    size_t (*save)(const void *state, void *bytes, size_t size);
    col_status (*restore)(void *state, const void *bytes, size_t length, col_problem *problem);
} col_engine_interface;

/* What a plug-in defines. */
COL_API extern const col_engine_interface col_engine_plugin;

/* The next of a sequence of random numbers that follows from `*state`, which it changes. Begin with
 * the seed of the settings. */
COL_API uint64_t col_random(uint64_t *state);

#ifdef __cplusplus
}
#endif
#endif
