/* SPDX-License-Identifier: MIT */
/*
 * Directing engines: given the results of the last test, hand over the next one. An engine sees
 * numbers, never the names of coverage points, so that it works with any design and any metric.
 */
#ifndef COLLIDER_ENGINE_H
#define COLLIDER_ENGINE_H

#include <collider/geometry.h>
#include <collider/witness.h>

COL_C_BEGIN

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
    bool repeat;                     /* restart when there are no further tests */
    uint64_t cycles;                 /* the episode's budgets; 0: none */
    double seconds;
    col_geometry geometry; /* of the design's caches */
    uint64_t seed;
    bool fetches; /* the design's cores fetch instructions: the default mix does, too */
    bool dma;     /* the design has DMA engines: the default mix has accesses for them */
    bool packs; /* in every other test that Collider makes at a point, locations share blocks (false
                 * sharing), although the engine, by default, gives each a block of its own */
    /* How a test may be run, for engines that choose that (col_request). */
    uint32_t instances; /* the most that it may ask for; 0: there is no choice */
    bool draws;         /* the design has configurations, each drawn by a number */
    uint32_t keys;      /* that differ between configurations, if the engine may know them */
    /* Of each key: which of its values this number draws, below COL_KEY_VALUES. */
    void (*drawn)(void *context, uint32_t configuration, uint8_t *values);
    void *context;
} col_engine_settings;

enum { COL_KEY_VALUES = 16 };

/* A point of the space: what the last test was made from. Engines that do not choose points report
 * the sizes of their test. */
typedef struct col_point {
    uint32_t operations; /* 0: the engine has no further tests */
    uint32_t locations;
    uint32_t sets; /* 0: addresses are unconstrained */
} col_point;

/* The results of the last test. Coverage is in the metric that the episode feeds. Time is simulated
 * cycles: an engine's choices must be the same on any machine, unless it is told to use the clock.
 */
typedef struct col_feedback {
    uint64_t tests;               /* so far; 0: there is no last test, and the rest means nothing */
    uint64_t covered, total;      /* cumulative */
    uint64_t own_covered, gained; /* by the last test; of these, by none before it */
    uint64_t cycles, operations;  /* of the last test, all instances */
    double seconds;               /* that the last test took, by the clock */
    const uint64_t *hits;         /* for each of `total` points: how often it was hit so far */
    const col_witness_results *witness; /* of the last test; NULL if the episode does not watch */
} col_feedback;

typedef struct col_engine col_engine;

/* The built-in engines' names, ended by NULL, and what each is in a few words. */
COL_API extern const char *const col_engines[];
COL_API const char *col_engine_summary(const char *name);
/* Does it learn from the witness of a test? If so, feedback without one is refused. */
COL_API bool col_engine_watches(const char *name);

/* `name` is that of a built-in engine, or a plug-in (.so), which is native code. */
COL_API col_status col_engine_new(col_engine **engine, const char *name,
                                  const col_engine_settings *settings, col_problem *problem);
COL_API void col_engine_free(col_engine *engine);

/* The next test. The same settings and feedback give the same programs. Keeps no pointer into the
 * feedback. */
COL_API col_status col_engine_next(col_engine *engine, const col_feedback *feedback,
                                   col_program *program, col_point *point, col_problem *problem);

/* How the last test is to be run. */
typedef struct col_request {
    uint32_t instances; /* 0: as many as the episode has */
    bool is_configured;
    uint32_t configuration; /* if so: the number that draws it */
} col_request;

COL_API col_request col_engine_request(const col_engine *engine);

/* What a learning engine made of the feedback of a test, and how that test had been chosen. */
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

/* For the feedback before the last test. NULL: the engine does not learn. */
COL_API const col_learning *col_engine_learning(const col_engine *engine);

/* Saves what the engine knows to a file, with the feedback of its last test, which it has not seen
 * yet. An engine of the same name and settings continues from there as if it had never stopped.
 * Restore before the first test, which then uses the feedback from the file. */
COL_API col_status col_engine_save(const col_engine *engine, const col_feedback *last,
                                   const char *path, col_problem *problem);
COL_API col_status col_engine_restore(col_engine *engine, const char *path, col_problem *problem);

/* ---- Your own engine: a plug-in, named by `--engine ./mine.so`. */

enum { COL_ENGINE_VERSION = 1 };

/* The points that the design's caches allow within the settings' ranges, from which Collider can
 * make programs. */
typedef struct col_engine_space {
    const col_point *points;
    uint32_t count;
} col_engine_space;

/* What an engine implements. All its choices must follow from its settings (including the seed) and
 * the feedback: then an episode repeats exactly, and can be saved and resumed. Several engines may
 * be open at once, each used by one thread at a time. A function that does not return COL_OK says
 * why in `problem`: COL_BAD_INPUT for what the user can fix, otherwise COL_FAILURE. */
typedef struct col_engine_interface {
    uint32_t version; /* COL_ENGINE_VERSION */
    const char *name, *summary;
    bool chained; /* programs that Collider makes at its points are chained, otherwise plain */
    bool biased;  /* their locations compete for cache sets; otherwise the points have no sets */
    bool watches; /* it needs the witness of each test */
    /* The settings and the space neither move nor change while the engine is open. */
    col_status (*open)(void **state, const col_engine_settings *settings,
                       const col_engine_space *space, col_problem *problem);
    void (*close)(void *state);
    /* The next test: either a program (shape and fill it, see program.h), or only a point, from
     * which Collider makes one. The program is empty on entry, and the point all 0; left that way,
     * there is no further test. With `repeat`, an engine should restart rather than run out. */
    col_status (*next)(void *state, const col_feedback *feedback, col_program *program,
                       col_point *point, col_problem *problem);
    /* For --save and --resume; both or neither. `save` returns how many bytes it needs, and writes
     * them if `size` is enough. `restore` gets these bytes, possibly damaged, and must check them.
     */
    size_t (*save)(const void *state, void *bytes, size_t size);
    col_status (*restore)(void *state, const void *bytes, size_t length, col_problem *problem);
} col_engine_interface;

/* What a plug-in defines. */
COL_API extern const col_engine_interface col_engine_plugin;

/* The next number of the random sequence of `*state`, which it advances. Begin with the seed from
 * the settings. */
COL_API uint64_t col_random(uint64_t *state);

COL_C_END
#endif
