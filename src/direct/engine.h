/* SPDX-License-Identifier: MIT */
/* What an engine is inside: one file each, a row in the table of engine.c. */
#ifndef DIRECT_ENGINE_H
#define DIRECT_ENGINE_H

#include "base/error.h"
#include "base/json.h"
#include "base/rng.h"
#include "collider/engine.h"

typedef struct dir_engine {
    const char *name, *summary;
    col_status (*open)(const struct dir_engine *kind, void **state,
                       const col_engine_settings *settings, col_error *error);
    void (*close)(void *state);
    col_status (*next)(void *state, const col_feedback *feedback, col_program *program,
                       col_point *point, col_error *error);
    /* What it knows, as JSON (NULL when out of memory), and back. Whatever `restore` is given, it
     * must check; on an error the state is of no use any more, but can be closed. */
    json_t *(*save)(const void *state);
    col_status (*restore)(void *state, const json_t *saved, col_error *error);
    const col_learning *(*learning)(const void *state); /* NULL: it does not learn */
    bool watches;                                       /* needs the witness of each test */
    bool chained, biased; /* of the engines that steer random test generation */
    uint32_t variant;     /* tells engines of one file apart, if that is not enough */
} dir_engine;

/* Of a restored engine: the feedback that was saved with it, and the test that was under way then,
 * which the episode keeps: what comes of it is of this program. */
const col_feedback *dir_engine_kept(const col_engine *engine);
void dir_engine_under_way(col_engine *engine, const col_program *program);

/* What an engine knows, inside another file: `path` is that file's. */
json_t *dir_engine_save(const col_engine *engine, const col_feedback *last);
col_status dir_engine_restore(col_engine *engine, const json_t *saved, const char *path,
                              col_error *error);
/* The engine in what was read from a file: of an engine alone, or of a saved episode. */
const json_t *dir_saved_engine(const json_t *root);

/* Chance as JSON. Restoring leaves nothing unchecked; false: it is not valid. */
json_t *dir_chance_save(const col_rng *rng);
bool dir_chance_restore(const json_t *saved, col_rng *rng);

extern const dir_engine dir_plain, dir_plain_bias, dir_chain, dir_chain_bias;
extern const dir_engine dir_ctg1, dir_ctg2, dir_ctg3, dir_htg;
extern const dir_engine dir_mtg, dir_mtg_standard, dir_mtg_random;
extern const dir_engine dir_rlg, dir_rlg_bias, dir_rlg_chain;
extern const dir_engine dir_rag, dir_dqg_rf, dir_dqg_co, dir_dqg_corf;
extern const dir_engine dir_tour, dir_jammer;

#endif
