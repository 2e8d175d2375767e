/* SPDX-License-Identifier: MIT */
/* Feedback without a design: see synthetic.h. */
#include "synthetic.h"

#include "collider/generate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"

static uint64_t mix(uint64_t x) {
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

synthetic synthetic_new(uint64_t salt, uint32_t one_in) {
    return (synthetic){.salt = salt, .one_in = one_in, .feedback = {.total = SYNTHETIC_POINTS}};
}

bool synthetic_covers(const synthetic *s, const col_point *point, uint32_t coverage_point) {
    uint64_t x = mix(s->salt + coverage_point);
    x = mix(x ^ point->operations);
    x = mix(x ^ point->locations);
    return mix(x ^ point->sets) % s->one_in == 0;
}

const col_feedback *synthetic_run(synthetic *s, const col_point *point) {
    col_feedback *f = &s->feedback;
    f->tests++;
    f->own_covered = f->gained = 0;
    for (uint32_t i = 0; i < SYNTHETIC_POINTS; i++) {
        if (!synthetic_covers(s, point, i))
            continue;
        f->own_covered++;
        f->gained += s->hits[i] == 0;
        s->hits[i] += 1 + i % 3;
    }
    f->covered += f->gained;
    f->operations = point->operations;
    f->cycles = point->operations * (uint64_t)10 + mix(s->salt ^ point->sets) % 97;
    f->hits = s->hits;
    return f;
}

col_engine_settings synthetic_settings(col_range operations, col_range locations, uint64_t seed) {
    col_generation generation;
    col_generation_default(&generation);
    return (col_engine_settings){.threads = 4,
                                 .operations = operations,
                                 .locations = locations,
                                 .geometry = generation.addressing.geometry,
                                 .seed = seed};
}

col_engine *synthetic_engine(const char *name, const col_engine_settings *settings) {
    col_engine *engine = NULL;
    col_problem problem = {0};
    if (col_engine_new(&engine, name, settings, &problem) != COL_OK)
        fail_msg("%s: %s", name, problem.message);
    return engine;
}

const char *synthetic_path(char path[64]) {
    const char *folder = getenv("TMPDIR");
    (void)snprintf(path, 64, "%.30s/collider-XXXXXX", folder == NULL ? "/tmp" : folder);
    const int file = mkstemp(path);
    assert_true(file >= 0);
    (void)close(file);
    return path;
}

synthetic_walk synthetic_start(const char *name, const col_engine_settings *settings, uint64_t salt,
                               uint32_t one_in) {
    return (synthetic_walk){.engine = synthetic_engine(name, settings),
                            .design = synthetic_new(salt, one_in),
                            .program = COL_PROGRAM_EMPTY};
}

void synthetic_end(synthetic_walk *w) {
    col_engine_free(w->engine);
    col_program_free(&w->program);
}

bool synthetic_step(synthetic_walk *w) {
    col_problem problem = {0};
    if (col_engine_next(w->engine, &w->design.feedback, &w->program, &w->point, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    if (w->point.operations == 0)
        return false;
    assert_int_equal(col_program_operations(&w->program), w->point.operations);
    assert_int_equal(w->program.location_count, w->point.locations);
    return true;
}
