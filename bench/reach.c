/* SPDX-License-Identifier: MIT */
/*
 * What tours reach on a design: the transitions of its controllers for the block that is toured,
 * for the blocks that drive it out, and for the flags that keep the cores in order. Only the first
 * two are what the tour asks for; the flags are races of an await and a store.
 *   bench-reach DESIGN CORES [OPTIONS [INSTANCES]]
 * Options are those of the engine. Prints counts by machine, then each transition: machine, state,
 * event, and where it was seen.
 */
#include "collider/duv.h"
#include "collider/engine.h"
#include "units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1, CONFLICT = 2, FLAG = 4, MOST_NAMES = 256 };

typedef struct reach {
    const col_duv_description *design;
    const col_program *program;
    uint32_t cores; /* the last locations of a program are their flags, if it has any */
    bool has_flags;
    uint8_t *seen; /* by machine, state, event: the classes it was seen with */
} reach;

static uint8_t class_of(const reach *r, uint64_t block) {
    const uint32_t count = r->program->location_count;
    for (uint32_t l = 0; l < count; l++)
        if (r->program->addresses[l] == block)
            return l == 0 ? BLOCK : r->has_flags && l >= count - r->cores ? FLAG : CONFLICT;
    return 0;
}

static void notice(void *context, const col_event *event) {
    reach *r = context;
    r->seen[(event->machine * MOST_NAMES + event->state) * MOST_NAMES + event->event] |=
        class_of(r, event->block);
}

static void run_tour(reach *r, col_duv *duv, col_engine *engine, uint64_t instances) {
    const col_observer observer = {r, notice, 1U << COL_TRANSITION};
    col_feedback feedback = {0};
    col_program program = COL_PROGRAM_EMPTY;
    col_point point;
    col_problem problem;
    for (;; feedback.tests++) {
        if (col_engine_next(engine, &feedback, &program, &point, &problem) != COL_OK)
            give_up(problem.message);
        if (point.operations == 0)
            break;
        r->program = &program;
        if (col_duv_load(duv, &program, &problem) != COL_OK)
            give_up(problem.message);
        for (uint64_t seed = 1; seed <= instances; seed++) {
            col_run run;
            if (col_duv_run(duv, seed, &observer, NULL, &run, &problem) != COL_OK)
                give_up(problem.message);
            if (run.end != COL_RUN_COMPLETE)
                give_up(run.message);
        }
    }
    r->program = NULL;
    col_program_free(&program);
}

/* Stalls are transitions that leave the message where it is, and no points. */
static bool is_point(const reach *r, uint32_t machine, const char *state, const char *event) {
    const col_duv_machine *m = &r->design->machines[machine];
    for (uint32_t p = m->first_point; p < m->first_point + m->point_count; p++)
        if (strcmp(r->design->points[p].state, state) == 0 &&
            strcmp(r->design->points[p].event, event) == 0)
            return true;
    return false;
}

static void print_machine(const reach *r, uint32_t machine, bool in_full) {
    const col_duv_names *names = &r->design->names[machine];
    const col_duv_machine *m = &r->design->machines[machine];
    uint32_t count = 0, asked = 0, block = 0;
    for (uint32_t s = 0; s < names->state_count; s++)
        for (uint32_t e = 0; e < names->event_count; e++) {
            const uint8_t seen = r->seen[(machine * MOST_NAMES + s) * MOST_NAMES + e];
            if (seen == 0 || !is_point(r, machine, names->states[s], names->events[e]))
                continue;
            count++;
            asked += (seen & (BLOCK | CONFLICT)) != 0;
            block += (seen & BLOCK) != 0;
            if (in_full)
                printf("%s %s %s%s%s%s\n", m->name, names->states[s], names->events[e],
                       (seen & BLOCK) != 0 ? " block" : "",
                       (seen & CONFLICT) != 0 ? " conflict" : "",
                       (seen & FLAG) != 0 ? " flag" : "");
        }
    if (!in_full)
        printf("%-10s %4u of the block, %4u with conflicts, %4u with flags, of %u\n", m->name,
               block, asked, count, m->point_count);
}

int main(int argc, char **argv) {
    const char *const options = argc > 3 ? argv[3] : NULL;
    const uint64_t instances = argc > 4 ? strtoull(argv[4], NULL, 10) : 5;
    col_duv *duv;
    col_engine *engine;
    col_problem problem;
    if (argc < 3)
        give_up("usage: bench-reach DESIGN CORES [OPTIONS [INSTANCES]]");
    const col_duv_settings with = {.cores = (uint32_t)strtoul(argv[2], NULL, 10)};
    if (col_duv_open(&duv, argv[1], &with, &problem) != COL_OK)
        give_up(problem.message);
    reach r = {.design = col_duv_describe(duv), .cores = with.cores};
    r.has_flags = options == NULL || strstr(options, "order=none") == NULL;
    const col_engine_settings settings = {.threads = with.cores,
                                          .operations = {1 << 10, 1 << 16},
                                          .locations = {4, 128},
                                          .options = options,
                                          .geometry = r.design->geometry,
                                          .seed = 1};
    if (col_engine_new(&engine, "tour", &settings, &problem) != COL_OK)
        give_up(problem.message);
    r.seen = calloc((size_t)r.design->machine_count * MOST_NAMES * MOST_NAMES, 1);
    if (r.seen == NULL || r.design->names == NULL)
        give_up("out of memory, or a design without names");
    run_tour(&r, duv, engine, instances);
    for (int in_full = 0; in_full < 2; in_full++)
        for (uint32_t m = 0; m < r.design->machine_count; m++)
            print_machine(&r, m, in_full != 0);
    free(r.seen);
    col_engine_free(engine);
    col_duv_close(duv);
    return 0;
}
