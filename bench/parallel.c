/* SPDX-License-Identifier: MIT */
/*
 * How many processors an engine can keep busy. An episode with two jobs is measured: what its main
 * thread does for a test (the serial part: making the next program, counting what a test covered),
 * and what all threads do for a simulated cycle. From these and the cycles of each test follows how
 * long the same episode would take with P workers: a test is chosen once the engine knows what came
 * of as many as its window asks for, in their places; instances go to whichever worker is free
 * first; tests are counted in order, and so many may wait for that.
 */
#include "base/clock.h"
#include "collider/episode.h"
#include "engine/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_TESTS = 1 << 15, MOST_WORKERS = 256 };
enum { AHEAD = 32 }; /* tests that wait to be counted, for each worker (episode.c) */

typedef struct recording {
    uint32_t tests;
    uint64_t cycles, instances; /* up to the last test */
    double test_cycles[MOST_TESTS];
    uint32_t test_instances[MOST_TESTS], test_operations[MOST_TESTS];
} recording;

static void record(void *context, const col_progress *progress) {
    recording *r = context;
    if (r->tests == MOST_TESTS)
        return;
    r->test_cycles[r->tests] = (double)(progress->cycles - r->cycles);
    r->test_operations[r->tests] = progress->point.operations;
    r->test_instances[r->tests++] = (uint32_t)(progress->instances - r->instances);
    r->cycles = progress->cycles;
    r->instances = progress->instances;
}

static double thread_seconds(void) {
    struct timespec time;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Of the tests up to `made` of which the engine knows nothing, the one of the lowest place. */
static uint32_t find_due(const recording *r, const bool *is_known, uint32_t first, uint32_t made,
                         uint32_t lag) {
    uint32_t due = first;
    uint64_t least = UINT64_MAX;
    for (uint32_t t = first; t < made; t++) {
        const uint64_t place = t + (lag == 0 ? 0 : (uint64_t)r->test_operations[t] / lag);
        if (is_known[t] || place >= least)
            continue;
        least = place;
        due = t;
    }
    return due;
}

/* The end of the episode with that many workers. */
static double simulate(const recording *r, uint32_t workers, const dir_engine *kind, double serial,
                       double cycle) {
    static double ends[MOST_TESTS], counted[MOST_TESTS];
    static bool is_known[MOST_TESTS];
    const uint32_t most = kind->window == 0 ? 1 : kind->window;
    const uint32_t room =
        most >= MOST_TESTS ? MOST_TESTS : most + (kind->lag == 0 ? 0 : AHEAD * workers);
    double free_at[MOST_WORKERS] = {0}, now = 0;
    uint32_t unknown = 0, first = 0;
    memset(is_known, 0, sizeof is_known);
    for (uint32_t t = 0; t < r->tests; t++) {
        const uint32_t grown = dir_late_window(t, most);
        if (unknown == (kind->lag == 0 ? most : grown)) {
            const uint32_t due = find_due(r, is_known, first, t, kind->lag);
            now = ends[due] > now ? ends[due] : now;
            is_known[due] = true;
            unknown--;
            while (first < t && is_known[first])
                first++;
        }
        if (t >= room && counted[t - room] > now)
            now = counted[t - room];
        unknown++;
        now += serial;
        double end = now;
        for (uint32_t i = 0; i < r->test_instances[t]; i++) {
            uint32_t w = 0;
            for (uint32_t v = 1; v < workers; v++)
                if (free_at[v] < free_at[w])
                    w = v;
            const double start = free_at[w] > now ? free_at[w] : now;
            free_at[w] = start + cycle * r->test_cycles[t] / r->test_instances[t];
            end = free_at[w] > end ? free_at[w] : end;
        }
        ends[t] = end;
        counted[t] = t > 0 && counted[t - 1] > end ? counted[t - 1] : end;
    }
    return counted[r->tests - 1];
}

static void measure(const char *design, const char *engine) {
    static const uint32_t workers[] = {2, 8, 16, 32, 64, 128};
    static recording r;
    const dir_engine *kind = dir_engine_find(engine);
    col_episode_settings s;
    col_episode episode = {0};
    col_problem problem;
    r = (recording){.tests = 0};
    col_episode_default(&s);
    s.setting.design.name = design;
    s.engine = engine;
    s.operations = kind->operations.most > 0 ? kind->operations : s.operations;
    s.locations = kind->locations.most > 0 ? kind->locations : s.locations;
    s.cycles = kind->lag > 0 ? 60000000 : 20000000; /* how it begins is not all */
    s.seconds = 0;
    s.jobs = 2;
    s.repeat = true;
    s.progress = record;
    s.context = &r;
    const double main_start = thread_seconds(), start = base_processor_seconds();
    if (col_episode_run(&s, &episode, &problem) != COL_OK) {
        (void)fprintf(stderr, "bench: %s\n", problem.message);
        exit(COL_FAILURE);
    }
    const double serial = (thread_seconds() - main_start) / r.tests;
    const double all = base_processor_seconds() - start;
    const double cycle = (all - serial * r.tests) / (double)r.cycles;
    (void)printf("%-10s %-10s %5u tests, serial %6.1f us of %8.1f us a test; times as fast with",
                 design, engine, r.tests, 1e6 * serial, 1e6 * all / r.tests);
    for (size_t i = 0; i < sizeof workers / sizeof workers[0]; i++)
        (void)printf(" %u: %.1f", workers[i], all / simulate(&r, workers[i], kind, serial, cycle));
    (void)printf("\n");
    col_episode_free(&episode);
}

int main(void) {
    measure("mesi3", "chain-bias");
    measure("mesi3", "scout");
    measure("moesi2", "scout");
    measure("mesi3", "htg");
    measure("mesi3", "rlg");
    return 0;
}
