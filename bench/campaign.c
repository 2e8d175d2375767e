/* SPDX-License-Identifier: MIT */
/*
 * A large store: writes made-up results of a plan (10 engines, 10 errors, some numbers of
 * locations, some seeds) on the points of the real mesi3, and times writing and reading them. What
 * is measured against is the same file read as bytes. bench-campaign STORE.db [SEEDS [LOCATIONS
 * [SHARD]]] 200 seeds and 5 numbers of locations, 100,000 trials in 500 groups, unless given;
 * SHARD, such as 1/4, writes the trials of one shard.
 */
#include "base/clock.h"
#include "base/random.h"
#include "results/plan/trial.h"
#include "results/store/store.h"
#include "units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CURVE = 48, BATCH = 1000, TESTS = 400, ENGINES = 10 };

typedef struct bench {
    cam_store *store;
    cam_plan plan;
    cam_keys keys;
    const col_duv_description *design;
    cam_point *points;
    col_curve_point curve[CURVE];
    uint64_t *hits;
    uint32_t *first;
    uint32_t functional;
} bench;

static void make_plan(bench *b, uint32_t seeds, uint32_t locations) {
    char text[1024];
    col_problem problem;
    (void)snprintf(text, sizeof text,
                   "plan: made-up\ntitle: Made-up results, for measuring\n"
                   "defaults: {design: mesi3, cores: 8, ops: 1Ki, cycles: 20000000}\n"
                   "grids:\n  - engine: [plain, plain-bias, chain, chain-bias, ctg1, ctg2, ctg3, "
                   "htg, mtg, rlg]\n"
                   "    error: [none, D1, D2, D3, D4, D5, D6, D7, D8, D9]\n"
                   "    locations: 1..%u\n    seed: 1..%u\n",
                   locations, seeds);
    if (cam_plan_read(&b->plan, text, strlen(text), "made-up", NULL, &problem) != COL_OK ||
        cam_keys_make(&b->keys, &b->plan, &problem) != COL_OK)
        give_up(problem.message);
}

static void list_points(bench *b) {
    const col_duv_description *d = b->design;
    b->points = calloc(d->point_count + 1, sizeof *b->points);
    b->hits = calloc(d->point_count + 1, sizeof *b->hits);
    b->first = calloc(d->point_count + 1, sizeof *b->first);
    if (b->points == NULL || b->hits == NULL || b->first == NULL)
        give_up("out of memory");
    for (uint32_t m = 0; m < d->machine_count; m++)
        for (uint32_t i = 0; i < d->machines[m].point_count; i++) {
            const uint32_t point = d->machines[m].first_point + i;
            b->points[point] = (cam_point){d->machines[m].name, d->points[point].state,
                                           d->points[point].event, d->points[point].reachable};
        }
    b->functional = col_duv_functional_count(d);
}

/* Points that are rarer the later they are; an engine is as good as its place in the list. */
static uint32_t make_hits(bench *b, base_rng *rng, double skill) {
    uint32_t covered = 0;
    for (uint32_t i = 0; i < b->design->point_count; i++) {
        const double rarity = exp(-12.0 * i / b->design->point_count * (1 - skill / 2));
        const double chance = rarity * (0.5 + base_rng_unit(rng));
        const bool is_hit = chance * TESTS * 40 > base_rng_unit(rng);
        b->hits[i] = is_hit ? 1 + (uint64_t)(chance * 1e6) : 0;
        b->first[i] = is_hit ? 1 + (uint32_t)(TESTS * (1 - rarity) * base_rng_unit(rng)) : 0;
        covered += is_hit;
    }
    return covered;
}

static void make_curve(bench *b, base_rng *rng, uint32_t covered, uint64_t cycles) {
    for (uint32_t i = 0; i < CURVE; i++) {
        const double part = pow((i + base_rng_unit(rng)) / CURVE, 3), rise = (i + 1.0) / CURVE;
        b->curve[i] = (col_curve_point){
            .seconds = part * (double)cycles * 1e-6,
            .tests = 1 + (uint64_t)(part * TESTS),
            .operations = (uint64_t)(part * TESTS * 5120),
            .cycles = (uint64_t)(part * (double)cycles),
            .structural = (uint32_t)(rise * covered),
            .functional = (uint32_t)(rise * covered / b->design->point_count * b->functional)};
    }
}

static void make_row(bench *b, size_t place, base_rng *rng, cam_row *row) {
    const cam_trial *trial = &b->plan.trials[place];
    const bool hunts = cam_trial_hunts(trial);
    const bool is_found = hunts && base_rng_unit(rng) < 0.8;
    const uint64_t cycles =
        is_found ? (uint64_t)(-log(1 - base_rng_unit(rng)) * 5e6) + 1 : UINT64_C(20000000);
    const size_t engine = place * ENGINES / b->plan.trial_count; /* the axis that varies slowest */
    const double skill = (double)engine / ENGINES;
    const uint32_t covered = make_hits(b, rng, skill);
    make_curve(b, rng, covered, cycles);
    *row = (cam_row){.key = b->keys.keys[place],
                     .kind = trial->kind,
                     .pairs = trial->pairs,
                     .pair_count = trial->pair_count,
                     .seed = strtoull(cam_trial_value(trial, "seed"), NULL, 10),
                     .is_done = place % 1000 != 999,
                     .provenance = {.version = "0.1.0",
                                    .host = "made-up",
                                    .design_hash = b->keys.designs[place],
                                    .started = 1700000000 + (int64_t)place}};
    if (!row->is_done) {
        row->reason = "the worker was ended by signal 9 (Killed)";
        return;
    }
    row->reason = is_found ? "a made-up violation" : NULL;
    row->design = "mesi3";
    row->model = "tso";
    row->verdict = is_found ? "violation" : "pass";
    row->ended_by = is_found ? "error" : "cycles";
    row->cores = b->design->cores;
    row->tests = TESTS;
    row->instances = (uint64_t)TESTS * 5;
    row->operations = (uint64_t)TESTS * 5120;
    row->cycles = cycles;
    row->seconds = (double)cycles * 1e-6;
    row->coverage[COL_STRUCTURAL] = (cam_extent){.covered = covered,
                                                 .total = b->design->point_count,
                                                 .reachable_known = true,
                                                 .reached = covered,
                                                 .reachable = b->design->point_count - 4};
    row->coverage[COL_FUNCTIONAL] = (cam_extent){.covered = b->curve[CURVE - 1].functional,
                                                 .total = b->functional,
                                                 .reachable_known = true,
                                                 .reached = b->curve[CURVE - 1].functional,
                                                 .reachable = b->functional - 32};
    row->failing_tests = is_found;
    row->failing_cycles = is_found ? 40000 : 0;
    row->failing_seconds = is_found ? 0.04 : 0;
    row->failure_test = is_found ? TESTS : 0;
    row->failure_instance = is_found ? 3 : 0;
    row->failure_cycles = is_found ? cycles : 0;
    row->failure_seconds = is_found ? row->seconds : 0;
    row->curve = b->curve;
    row->curve_count = CURVE;
    row->hits = b->hits;
    row->first = b->first;
    row->point_count = b->design->point_count;
}

static void write_designs(bench *b) {
    col_problem problem;
    for (size_t i = 0; i < b->keys.count; i++) {
        if (i > 0 && strcmp(b->keys.designs[i], b->keys.designs[i - 1]) == 0)
            continue;
        const cam_design_row design = {.hash = b->keys.designs[i],
                                       .name = "mesi3",
                                       .cores = b->design->cores,
                                       .reachable_known = b->design->reachable_known,
                                       .points = b->points,
                                       .point_count = b->design->point_count};
        if (cam_store_add_design(b->store, &design, &problem) != COL_OK)
            give_up(problem.message);
    }
}

/* With one story and picture for each group. */
static void write_row(bench *b, size_t place) {
    col_problem problem;
    cam_row row;
    base_rng rng;
    base_rng_seed(&rng, 1, place);
    make_row(b, place, &rng, &row);
    const cam_failure_row failure = {.key = row.key,
                                     .kind = 1,
                                     .count = 1,
                                     .story = "a made-up story\n",
                                     .picture = "<svg xmlns=\"http://www.w3.org/2000/svg\"/>"};
    const bool has_story = row.failure_test > 0 && row.seed == 1;
    if (cam_store_add(b->store, &row, &failure, has_story, &problem) != COL_OK)
        give_up(problem.message);
}

static void write_rows(bench *b, const cam_shard *shard) {
    col_problem problem;
    for (size_t i = 0; i < b->plan.trial_count; i++) {
        if (i % BATCH == 0 && cam_store_begin(b->store, &problem) != COL_OK)
            give_up(problem.message);
        if (cam_shard_has(shard, b->keys.keys[i]))
            write_row(b, i);
        if ((i % BATCH == BATCH - 1 || i + 1 == b->plan.trial_count) &&
            cam_store_commit(b->store, &problem) != COL_OK)
            give_up(problem.message);
    }
}

static col_status count_row(void *context, const cam_row *row, col_problem *problem) {
    uint64_t *rows = context;
    (void)row;
    (void)problem;
    ++*rows;
    return COL_OK;
}

static double read_bytes(const char *path) {
    static char buffer[1 << 16];
    const double start = base_seconds();
    FILE *file = fopen(path, "rb");
    while (file != NULL && fread(buffer, 1, sizeof buffer, file) == sizeof buffer)
        continue;
    if (file != NULL)
        (void)fclose(file);
    return base_seconds() - start;
}

static void time_reading(const char *path, const char *plan) {
    static const struct {
        const char *name;
        unsigned parts;
    } ways[] = {{"numbers", 0}, {"curves", CAM_CURVES}, {"hits", CAM_HITS}};
    col_problem problem;
    cam_store *store = NULL;
    const double bytes = read_bytes(path);
    if (cam_store_open(&store, path, &problem) != COL_OK)
        give_up(problem.message);
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        uint64_t rows = 0;
        const double start = base_seconds();
        if (cam_store_each(store, plan, ways[i].parts, count_row, &rows, &problem) != COL_OK)
            give_up(problem.message);
        const double took = base_seconds() - start;
        (void)printf("read %-8s %8llu rows %7.2f s  %6.1f us each  x %.1f of the file's bytes\n",
                     ways[i].name, (unsigned long long)rows, took, took / (double)rows * 1e6,
                     took / bytes);
    }
    cam_store_close(store);
}

int main(int count, char **words) {
    const uint32_t seeds = count > 2 ? (uint32_t)strtoul(words[2], NULL, 10) : 200;
    const uint32_t locations = count > 3 ? (uint32_t)strtoul(words[3], NULL, 10) : 5;
    cam_shard shard = {0};
    const col_duv_settings settings = {.cores = 8};
    bench b = {0};
    col_duv *duv = NULL;
    col_problem problem;
    if (count < 2)
        give_up("bench-campaign STORE.db [SEEDS [LOCATIONS [SHARD]]]");
    if (count > 4 && cam_shard_read(&shard, words[4], &problem) != COL_OK)
        give_up(problem.message);
    if (access(words[1], F_OK) == 0)
        give_up("the store is there already");
    if (col_duv_open(&duv, "mesi3", &settings, &problem) != COL_OK ||
        cam_store_create(&b.store, words[1], &problem) != COL_OK)
        give_up(problem.message);
    b.design = col_duv_describe(duv);
    list_points(&b);
    make_plan(&b, seeds, locations);
    double start = base_seconds();
    if (cam_store_add_plan(b.store, &b.plan, &problem) != COL_OK)
        give_up(problem.message);
    (void)printf("plan         %8zu trials %5.2f s\n", b.plan.trial_count, base_seconds() - start);
    start = base_seconds();
    write_designs(&b);
    write_rows(&b, &shard);
    cam_store_close(b.store);
    (void)printf("written      %8zu rows %7.2f s\n", b.plan.trial_count, base_seconds() - start);
    time_reading(words[1], b.plan.hash);
    cam_keys_free(&b.keys);
    cam_plan_free(&b.plan);
    col_duv_close(duv);
    free(b.points);
    free(b.hits);
    free(b.first);
    return 0;
}
