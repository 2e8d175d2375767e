/* SPDX-License-Identifier: MIT */
/*
 * What an episode costs beside simulation: the same tests and instances are run by an episode, with
 * generation, checker and coverage, and by the bare design. The ratio of the two is the figure;
 * both are measured in turns, so that a noisy machine treats them alike.
 */
#include "collider/episode.h"
#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>

enum { TESTS = 4, TURNS = 5, INSTANCES = 5 };

typedef struct bench_case {
    const char *design, *engine;
    uint32_t cores, operations, locations;
} bench_case;

static void give_up(const col_problem *problem) {
    (void)fprintf(stderr, "bench: %s\n", problem->message);
    exit(COL_FAILURE);
}

static col_episode_settings settings_of(const bench_case *b, uint64_t seed) {
    col_episode_settings s;
    col_episode_default(&s);
    s.setting.design.name = b->design;
    s.setting.design.cores = b->cores;
    s.engine = b->engine;
    s.operations = (col_range){b->operations, b->operations};
    s.locations = (col_range){b->locations, b->locations};
    s.instances = INSTANCES;
    s.tests = TESTS;
    s.seconds = 0;
    s.seed = seed;
    return s;
}

static double time_episode(const bench_case *b, uint64_t seed, double *operations) {
    const col_episode_settings settings = settings_of(b, seed);
    col_episode episode = {0};
    col_problem problem;
    const double start = base_processor_seconds();
    if (col_episode_run(&settings, &episode, &problem) != COL_OK)
        give_up(&problem);
    const double spent = base_processor_seconds() - start;
    if (episode.outcome != COL_PASS) {
        (void)fprintf(stderr, "bench: %s\n", episode.failure.reason);
        exit(COL_FAILURE);
    }
    *operations += (double)episode.operations;
    col_episode_free(&episode);
    return spent;
}

/* Opening the design and making the tests is not timed here: simulation alone is. */
static double time_design(const bench_case *b, uint64_t seed) {
    const col_episode_settings s = settings_of(b, seed);
    const col_duv_settings opening = {.cores = b->cores};
    col_program program = COL_PROGRAM_EMPTY;
    col_feedback feedback = {0};
    col_engine *engine;
    col_point point;
    col_duv *duv;
    col_run run;
    col_problem problem;
    double spent = 0;
    if (col_duv_open(&duv, b->design, &opening, &problem) != COL_OK)
        give_up(&problem);
    const col_engine_settings choice = {.threads = b->cores,
                                        .operations = s.operations,
                                        .locations = s.locations,
                                        .geometry = col_duv_describe(duv)->geometry,
                                        .seed = seed};
    if (col_engine_new(&engine, b->engine, &choice, &problem) != COL_OK)
        give_up(&problem);
    for (uint32_t test = 0; test < TESTS; test++) {
        if (col_engine_next(engine, &feedback, &program, &point, &problem) != COL_OK ||
            col_duv_load(duv, &program, &problem) != COL_OK)
            give_up(&problem);
        const double start = base_processor_seconds();
        for (uint64_t i = 0; i < INSTANCES; i++)
            if (col_duv_run(duv, i, NULL, NULL, &run, &problem) != COL_OK)
                give_up(&problem);
        spent += base_processor_seconds() - start;
    }
    col_engine_free(engine);
    col_program_free(&program);
    col_duv_close(duv);
    return spent;
}

int main(void) {
    static const bench_case cases[] = {
        {"mesi3", "plain", 8, 1 << 14, 16},         {"mesi3", "plain", 32, 1 << 14, 16},
        {"mesi3", "plain", 128, 1 << 14, 16},       {"mesi3", "chain-bias", 8, 1 << 14, 16},
        {"mesi3", "chain-bias", 32, 1 << 14, 16},   {"mesi2", "plain", 32, 1 << 14, 16},
        {"moesi2-rvwmo", "plain", 32, 1 << 14, 16},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const bench_case *b = &cases[i];
        double episode = 0, design = 0, operations = 0;
        for (uint64_t turn = 0; turn < TURNS; turn++) {
            design += time_design(b, turn);
            episode += time_episode(b, turn, &operations);
        }
        (void)printf("%-14s %4u cores %-11s %7.3f M operations/s, %3.0f %% of the bare design\n",
                     b->design, b->cores, b->engine, operations / episode / 1e6,
                     100 * design / episode);
    }
    return 0;
}
