/* SPDX-License-Identifier: MIT */
/*
 * No saved engine crashes the one that goes on from it: it is refused, or makes tests that are
 * programs. An input is a state as JSON, and is mutated as such. Engines that watch executions make
 * one test, from the witness in the file.
 */
#include "base/json.h"
#include "collider/engine.h"
#include "engine/engine.h"
#include "fuzz.h"
#include "program/geometry.h"

enum { TESTS = 4, POINTS = 8 };

static const uint64_t hits[POINTS] = {3, 0, 1, 9, 0, 2, 1, 1};

static col_engine *make(const char *name) {
    static const char small[] = "batch=4,warm-up=4,replay=32";
    col_engine_settings settings = {
        .threads = 2, .operations = {8, 32}, .locations = {2, 4}, .seed = 1, .repeat = true};
    col_engine *engine = NULL;
    prg_geometry_default(&settings.geometry);
    settings.options = strncmp(name, "rlg", 3) == 0 ? small : NULL;
    return col_engine_new(&engine, name, &settings, NULL) == COL_OK ? engine : NULL;
}

static void go_on(col_engine *engine) {
    col_program program = COL_PROGRAM_EMPTY;
    col_feedback feedback = {.total = POINTS, .hits = hits};
    col_point point;
    col_problem problem = {0};
    for (uint32_t i = 0; i < TESTS; i++) {
        const col_status status = col_engine_next(engine, &feedback, &program, &point, &problem);
        require(status == COL_OK || problem.message[0] != '\0');
        if (status != COL_OK || point.operations == 0)
            break;
        require(col_program_check(&program, NULL) == COL_OK);
        feedback.tests++;
        feedback.covered = feedback.covered < POINTS ? feedback.covered + 1 : POINTS;
        feedback.own_covered = feedback.covered;
        feedback.gained = 1;
        feedback.cycles = 1000;
        feedback.operations = col_program_operations(&program);
    }
    col_program_free(&program);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    json_t *root = json_loadb((const char *)data, size, 0, NULL);
    const char *name = json_string_value(json_object_get(root, "engine"));
    const char *const *known = col_engines;
    while (*known != NULL && (name == NULL || strcmp(*known, name) != 0))
        known++;
    col_engine *engine = *known == NULL ? NULL : make(*known);
    if (engine != NULL) {
        col_problem problem = {0};
        const col_status status = dir_engine_restore(engine, root, "state.json", &problem);
        require(status == COL_OK || problem.message[0] != '\0');
        if (status == COL_OK)
            go_on(engine);
        col_engine_free(engine);
    }
    json_decref(root);
    return 0;
}
