/* SPDX-License-Identifier: MIT */
/* Rows by chance: see store_sample.h. */
#include "results/store_sample.h"

#include "base/random.h"

#include <stdio.h>
#include <string.h>

/* Numbers of all sizes: up to 62 bits, since SQLite has 63. */
static uint64_t any_number(base_rng *rng) {
    const uint64_t bits = base_rng_below(rng, 63);
    return base_rng_next(rng) & ((UINT64_C(1) << bits) - 1);
}

static void make_arrays(sample *s, base_rng *rng) {
    s->row.curve_count = (size_t)base_rng_below(rng, MOST_CURVE + 1);
    s->row.point_count = (size_t)base_rng_below(rng, MOST_POINTS + 1);
    for (size_t i = 0; i < s->row.curve_count; i++)
        s->curve[i] = (col_curve_point){.seconds = (double)base_rng_below(rng, 100000000) * 1e-6,
                                        .tests = any_number(rng),
                                        .operations = any_number(rng),
                                        .cycles = any_number(rng),
                                        .structural = (uint32_t)base_rng_next(rng),
                                        .functional = (uint32_t)base_rng_next(rng)};
    for (size_t i = 0; i < s->row.point_count; i++) {
        s->hits[i] = any_number(rng) | (base_rng_below(rng, 50) == 0 ? UINT64_C(1) << 63 : 0);
        s->first[i] = (uint32_t)any_number(rng);
    }
    s->row.curve = s->row.curve_count > 0 ? s->curve : NULL;
    s->row.hits = s->row.point_count > 0 ? s->hits : NULL;
    s->row.first = s->row.point_count > 0 ? s->first : NULL;
}

static cam_extent any_extent(base_rng *rng) {
    const bool known = base_rng_below(rng, 2) == 0;
    return (cam_extent){.covered = (uint32_t)base_rng_next(rng),
                        .total = (uint32_t)base_rng_next(rng),
                        .reachable_known = known,
                        .reached = known ? (uint32_t)base_rng_next(rng) : 0,
                        .reachable = known ? (uint32_t)base_rng_next(rng) : 0};
}

static void make_numbers(sample *s, base_rng *rng) {
    cam_row *row = &s->row;
    row->model = "tso";
    row->verdict = "violation";
    row->ended_by = "error";
    row->cores = 1 + (uint32_t)base_rng_below(rng, 64);
    row->tests = any_number(rng);
    row->instances = any_number(rng);
    row->operations = any_number(rng);
    row->cycles = any_number(rng);
    row->undecided = any_number(rng);
    row->seconds = base_rng_unit(rng);
    for (int m = 0; m < COL_METRIC_COUNT; m++)
        row->coverage[m] = any_extent(rng);
    row->failing_tests = any_number(rng);
    row->failing_cycles = any_number(rng);
    row->failing_seconds = base_rng_unit(rng);
    if (base_rng_below(rng, 2) == 0) {
        row->failure_test = 1 + any_number(rng);
        row->failure_instance = (uint32_t)base_rng_next(rng);
        row->failure_cycles = any_number(rng);
        row->failure_seconds = base_rng_unit(rng);
    }
    make_arrays(s, rng);
    (void)snprintf(s->learning, sizeof s->learning, "test,loss\n1,%llu\n",
                   (unsigned long long)any_number(rng));
    row->learning = base_rng_below(rng, 2) == 0 ? s->learning : NULL;
}

void make_sample(sample *s, uint64_t number) {
    static const char *const texts[] = {"mesi3", "", "a \"b\" \\ \n\t", "\xc3\xbc </script>"};
    base_rng rng;
    base_rng_seed(&rng, 7, number);
    memset(s, 0, sizeof *s);
    (void)snprintf(s->key, sizeof s->key, "%016llx%016llx", (unsigned long long)base_rng_next(&rng),
                   (unsigned long long)number);
    (void)snprintf(s->seed, sizeof s->seed, "%llu", (unsigned long long)number);
    s->pairs[0] = (cam_pair){.name = "design", .value = texts[base_rng_below(&rng, 4)]};
    s->pairs[1] = (cam_pair){.name = "options", .value = texts[base_rng_below(&rng, 4)]};
    s->pairs[2] = (cam_pair){.name = "seed", .value = s->seed};
    s->row = (cam_row){.key = s->key,
                       .kind = CAM_EPISODE,
                       .pairs = s->pairs,
                       .pair_count = PAIRS,
                       .seed = number,
                       .is_done = base_rng_below(&rng, 5) != 0,
                       .reason = texts[base_rng_below(&rng, 4)],
                       .provenance = {.version = "0.1.0",
                                      .host = "here",
                                      .design_hash = "abc",
                                      .started = (int64_t)any_number(&rng)}};
    if (!s->row.is_done)
        return;
    s->row.design = s->pairs[0].value;
    make_numbers(s, &rng);
    s->has_failure = s->row.failure_test > 0;
    (void)snprintf(s->story, sizeof s->story, "story %llu", (unsigned long long)number);
    s->failure = (cam_failure_row){.key = s->key,
                                   .kind = 1,
                                   .hash = "0123456789abcdef",
                                   .fingerprint = "mesi3, violation: A: load x",
                                   .count = any_number(&rng),
                                   .verdict = "violation",
                                   .reason = s->story,
                                   .test = any_number(&rng),
                                   .cycles = any_number(&rng),
                                   .instance = (uint32_t)base_rng_next(&rng),
                                   .seconds = base_rng_unit(&rng),
                                   .size = 1 + (uint32_t)base_rng_below(&rng, 1000),
                                   .story = s->story,
                                   .picture = "<svg/>"};
    if (number % 2 == 0) {
        s->failure.record = "{}";
        s->failure.program = "collider program 1";
        s->failure.shrunk = "thread 0\n";
        s->failure.threads = 2;
        s->failure.operations = 5;
        s->failure.locations = 1;
    }
}
