/* SPDX-License-Identifier: MIT */
/* The directing engines by name. */
#include "direct/engine.h"

#include <stdlib.h>
#include <string.h>

static const dir_engine *const engines[] = {&dir_plain, &dir_plain_bias, &dir_chain,
                                            &dir_chain_bias};

const char *const col_engines[] = {"plain", "plain-bias", "chain", "chain-bias", NULL};

struct col_engine {
    const dir_engine *kind;
    void *state;
};

static const dir_engine *find(const char *name) {
    for (size_t i = 0; i < sizeof engines / sizeof engines[0]; i++)
        if (strcmp(engines[i]->name, name) == 0)
            return engines[i];
    return NULL;
}

const char *col_engine_summary(const char *name) {
    const dir_engine *kind = find(name);
    return kind == NULL ? NULL : kind->summary;
}

static col_status check_range(const char *what, col_range range, uint32_t most, col_error *error) {
    if (range.least == 0 || range.least > range.most || range.most > most)
        return col_refuse(error, "the range %u:%u of %s is not within 1:%u", range.least,
                          range.most, what, most);
    return COL_OK;
}

col_status col_engine_new(col_engine **engine, const char *name,
                          const col_engine_settings *settings, col_error *error) {
    const dir_engine *kind = find(name);
    if (kind == NULL)
        return col_refuse(error, "there is no engine '%.60s'", name);
    col_status status = check_range("operations", settings->operations, UINT32_MAX - 1, error);
    if (status == COL_OK)
        status = check_range("locations", settings->locations, COL_MAX_LOCATIONS, error);
    if (status != COL_OK)
        return status;
    col_engine *e = calloc(1, sizeof *e);
    if (e == NULL)
        return col_out_of_memory(error);
    e->kind = kind;
    status = kind->open(kind, &e->state, settings, error);
    if (status != COL_OK) {
        free(e);
        return status;
    }
    *engine = e;
    return COL_OK;
}

void col_engine_free(col_engine *engine) {
    if (engine == NULL)
        return;
    engine->kind->close(engine->state);
    free(engine);
}

col_status col_engine_next(col_engine *engine, const col_feedback *feedback, col_program *program,
                           col_point *point, col_error *error) {
    return engine->kind->next(engine->state, feedback, program, point, error);
}
