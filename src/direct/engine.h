/* SPDX-License-Identifier: MIT */
/* What an engine is inside: one file each, a row in the table of engine.c. */
#ifndef DIRECT_ENGINE_H
#define DIRECT_ENGINE_H

#include "base/error.h"
#include "collider/engine.h"

typedef struct dir_engine {
    const char *name, *summary;
    col_status (*open)(const struct dir_engine *kind, void **state,
                       const col_engine_settings *settings, col_error *error);
    void (*close)(void *state);
    col_status (*next)(void *state, const col_feedback *feedback, col_program *program,
                       col_point *point, col_error *error);
    bool chained, biased; /* of the engines that steer random test generation */
} dir_engine;

extern const dir_engine dir_plain, dir_plain_bias, dir_chain, dir_chain_bias;

#endif
