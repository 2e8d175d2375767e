/* SPDX-License-Identifier: MIT */
/* What an engine is inside: a row of engines.h, and the functions that a file defines for it. */
#pragma once

#include "base/field.h"
#include "base/json.h"
#include "base/random.h"
#include "collider/engine.h"
#include "engine/engines.h"

struct dir_engine;

/* What came of a test, for engines that learn of tests out of their order. */
typedef struct dir_result {
    uint64_t cycles, operations; /* of all instances */
    uint64_t total;              /* coverage points */
    uint64_t *hit;               /* a bit for each: whether the test hit it */
} dir_result;

/* A test that an engine has chosen. What it is made from was copied here, so that it can be made
 * later, by another thread. */
typedef struct dir_test {
    col_program program; /* before it is made: one that it is to be a variation of, or empty */
    col_program other;   /* likewise */
    col_point point;     /* before: about how many operations, at least */
    col_request request;
    void *plan; /* as many bytes as the functions say */
    bool is_made;
    /* Of engines that learn of tests out of their order. */
    uint64_t number; /* from 0 */
    uint64_t place;  /* in which the engine learns of it: after all tests of lower places */
    bool is_told, is_learned;
    dir_result result;
    size_t hit_capacity;
} dir_test;

typedef struct dir_functions {
    size_t size; /* of the state, which is all zero when it is opened, and closed if that fails */
    col_status (*open)(void *state, const struct dir_engine *kind,
                       const col_engine_settings *settings, col_problem *problem);
    void (*close)(void *state); /* frees what the state has, but not the state */
    col_status (*next)(void *state, const col_feedback *feedback, col_program *program,
                       col_point *point, col_problem *problem);
    /* Instead, in two parts: the choice of the next test, and its program, which follows from what
     * was chosen alone. It may be made in another engine of the same settings, by another thread.
     */
    size_t plan; /* bytes of a test's plan */
    col_status (*choose)(void *state, const col_feedback *feedback, dir_test *test,
                         col_problem *problem);
    col_status (*make)(void *state, dir_test *test, col_problem *problem);
    /* Engines with a window: what came of the oldest test under way or, with a lag, of the one of
     * the lowest place, which has its result. */
    col_status (*learn)(void *state, const col_feedback *feedback, const dir_test *test,
                        col_problem *problem);
    /* May be NULL: it can be saved. */
    col_status (*check_save)(const struct dir_engine *kind, col_problem *problem);
    /* What it knows, as JSON (NULL when out of memory), and back. Whatever `restore` is given, it
     * must check; on failure the state is of no use any more, but can be closed. */
    json_t *(*save)(const void *state);
    col_status (*restore)(void *state, const json_t *saved, col_problem *problem);
    /* May be NULL: of a test under way, what it was made from. */
    json_t *(*save_plan)(const void *state, const dir_test *test);
    bool (*restore_plan)(const void *state, const json_t *saved, dir_test *test);
    /* May be NULL: how many tests may be under way, if that is fewer than its row says. */
    uint32_t (*window)(const void *state);
    size_t test; /* without both: where the state has the number of the next test, from which it
                  * follows */
    const col_learning *(*learning)(const void *state); /* NULL: it does not learn */
    col_request (*request)(const void *state);          /* NULL: it takes tests as they come */
} dir_functions;

typedef struct dir_engine {
    const char *name, *summary;
    const dir_functions *functions;
    const char *paper, *feedback; /* what papers call it, what of the feedback it uses */
    const char *page;             /* of its docs, seen from docs/engines */
    bool ends;                    /* it has a last test */
    bool watches;                 /* needs the witness of each test */
    uint32_t window;              /* tests under way at once; 0: one */
    uint32_t lag;         /* not 0: so many operations of a test let one more test come before it */
    bool needs_coverage;  /* it ends when all is covered, unless it repeats: one test */
    bool is_between;      /* they are about what goes on between threads: two at least */
    bool chained, biased; /* of the engines that steer random test generation */
    col_range operations, locations; /* that it prefers, if the user does not say; 0: it does not */
    uint32_t variant;                /* tells engines of one file apart, if that is not enough */
} dir_engine;

/* The built-in engine of that name; NULL: there is none. */
const dir_engine *dir_engine_find(const char *name);

/* Sets an engine's parameters, which are zeroed: as its options say ("key=value,key=value" or
 * NULL), else as the table does. */
col_status dir_parameters_read(const base_field *table, const char *engine, const char *options,
                               void *parameters, col_problem *problem);

/* Of an open engine: does it need the witness of each test? Can it be saved? */
bool dir_engine_watches(const col_engine *engine);
col_status dir_engine_check_save(const col_engine *engine, col_problem *problem);

/* How many tests may be under way at once. It is the same for all numbers of jobs, so that an
 * episode is; DIR_INDEPENDENT: its tests depend on no feedback at all. */
enum { DIR_WINDOW = 64, DIR_LATE_WINDOW = 128, DIR_LAG = 8 };
#define DIR_INDEPENDENT UINT32_MAX
uint32_t dir_engine_window(const col_engine *engine);

/* ---- Tests that are made by other threads than the engine's. */

/* col_engine_next in two parts: NULL, if there is no test. It is the engine's, and stays until it
 * was told what came of it; of an engine whose tests are independent, until as many more were
 * chosen as were reserved. Whoever makes it gets a copy of the program. */
col_status dir_engine_choose(col_engine *engine, const col_feedback *feedback, dir_test **test,
                             col_problem *problem);
/* So many tests may be chosen before the first of them counts. Before the first test. */
col_status dir_engine_reserve(col_engine *engine, uint32_t tests, col_problem *problem);

/* Of an engine with a lag: before it chooses test n it learns what came of n minus its window of
 * those before, however long they take: a test of N operations is in the place of one that was
 * chosen N / lag tests later. Once `dir_engine_reserve` was called, the caller tells what came of
 * tests, each once and in any order, and counts them in their order. Here is which one it must be
 * told of before it can choose the next; NULL: none. */
dir_test *dir_engine_awaits(const col_engine *engine);
col_status dir_engine_tell(dir_test *test, const dir_result *result, col_problem *problem);
void dir_engine_count(col_engine *engine); /* the next one, of which it was told */
bool dir_engine_lags(const col_engine *engine);
/* Its window when it chooses test n: in the first tests there is most to learn, so it grows by one
 * with every fourth. */
static inline uint32_t dir_late_window(uint64_t test, uint32_t most) {
    enum { LEAST = 8, EACH = 4 };
    const uint64_t grown = LEAST + test / EACH;
    return grown < most ? (uint32_t)grown : most;
}

/* What a thread makes programs with. */
typedef struct dir_maker dir_maker;
col_status dir_maker_new(dir_maker **maker, const col_engine *engine, col_problem *problem);
void dir_maker_free(dir_maker *maker);

/* `maker` NULL: the engine itself, in its own thread. */
col_status dir_engine_make(const col_engine *engine, dir_maker *maker, dir_test *test,
                           col_program *program, col_problem *problem);

/* An engine that is a plug-in, as a row. */
col_status dir_plugin_load(const char *what, const dir_engine **kind, col_problem *problem);
void dir_plugin_unload(const dir_engine *kind);
/* The names of the engines without direction, ended by NULL. */
extern const char *const dir_undirected_names[];

/* Of a restored engine: the feedback that was saved with it. */
const col_feedback *dir_engine_kept(const col_engine *engine);
uint64_t dir_engine_told(const col_engine *engine); /* of how many tests it knows what came */

/* What an engine knows, inside another file: `path` is that file's. */
json_t *dir_engine_save(const col_engine *engine, const col_feedback *last);
col_status dir_engine_restore(col_engine *engine, const json_t *saved, const char *path,
                              col_problem *problem);
/* The engine in what was read from a file: of an engine alone, or of a saved episode. */
const json_t *dir_saved_engine(const json_t *root);

/* Chance as JSON. Restoring leaves nothing unchecked; false: it is not valid. */
json_t *dir_chance_save(const base_rng *rng);
bool dir_chance_restore(const json_t *saved, base_rng *rng);

/* What the files define; several engines may share one. */
#define DIR_DECLARE(name, file, ...) extern const dir_functions dir_##file;
DIR_ENGINES(DIR_DECLARE)
#undef DIR_DECLARE
extern const dir_functions dir_plugin;
