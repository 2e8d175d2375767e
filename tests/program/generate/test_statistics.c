/* SPDX-License-Identifier: MIT */
/* The statistics, counted pair by pair. */
#include "base/random.h"
#include "harness.h"
#include "program/generate/program_summary.h"
#include "program/geometry.h"

#include <math.h>

static bool accesses(const col_operation *operation) {
    return operation->kind <= COL_ADD;
}

static bool writes(const col_operation *operation) {
    return operation->kind == COL_STORE || operation->kind == COL_SWAP ||
           operation->kind == COL_ADD;
}

/* Quadratic: every pair of accesses is looked at. */
static void count_pairs(const col_program *program, gen_statistics *s) {
    const uint32_t count = col_program_operations(program);
    s->least_races = UINT64_MAX;
    for (uint32_t a = 0; a < count; a++) {
        uint64_t races = 0;
        const col_operation *one = &program->operations[a];
        if (!accesses(one))
            continue;
        s->accesses++;
        for (uint32_t b = 0; b < count; b++) {
            const col_operation *two = &program->operations[b];
            if (a == b || !accesses(two) || one->location != two->location)
                continue;
            const bool intra =
                col_program_thread_of(program, a) == col_program_thread_of(program, b);
            const bool conflict = writes(one) || writes(two);
            races += !intra && conflict;
            if (b < a)
                continue; /* a pair once */
            s->intra_collisions += intra;
            s->inter_collisions += !intra;
            s->intra_conflicts += intra && conflict;
            s->inter_conflicts += !intra && conflict;
        }
        s->least_races = races < s->least_races ? races : s->least_races;
        s->most_races = races > s->most_races ? races : s->most_races;
    }
}

TEST(counts_match_a_count_over_all_pairs) {
    col_generator *generator = col_generator_new();
    col_program program = COL_PROGRAM_EMPTY;
    col_problem problem;
    base_rng rng;
    base_rng_seed(&rng, 11, 0);
    for (uint64_t round = 0; round < 400; round++) {
        col_generation g;
        col_generation_default(&g);
        g.chained = base_rng_below(&rng, 2) == 0;
        g.threads = 2 + (uint32_t)base_rng_below(&rng, 6);
        g.operations = 1 + (uint32_t)base_rng_below(&rng, 300);
        g.locations = 1 + (uint32_t)base_rng_below(&rng, 12);
        assert_int_equal(col_instruction_mix_parse("load=3,store=2,swap=1,add=1,fence=1,flush=1,"
                                                   "delay=1",
                                                   &g.instructions, &problem),
                         COL_OK);
        assert_int_equal(col_generate(generator, &g, 3, round, &program, &problem), COL_OK);
        gen_statistics fast = {0}, slow = {0};
        assert_int_equal(
            gen_statistics_add(&fast, &program, col_generator_last(generator), &problem), COL_OK);
        count_pairs(&program, &slow);
        assert_int_equal(fast.accesses, slow.accesses);
        assert_int_equal(fast.intra_collisions, slow.intra_collisions);
        assert_int_equal(fast.inter_collisions, slow.inter_collisions);
        assert_int_equal(fast.intra_conflicts, slow.intra_conflicts);
        assert_int_equal(fast.inter_conflicts, slow.inter_conflicts);
        assert_int_equal(fast.least_races, slow.least_races);
        assert_int_equal(fast.most_races, slow.most_races);
        uint64_t by_kind = 0;
        for (uint32_t kind = 0; kind < COL_KIND_COUNT; kind++)
            by_kind += fast.by_kind[kind];
        assert_int_equal(by_kind, g.operations);
        const double mean =
            slow.accesses ? 2.0 * (double)slow.inter_conflicts / (double)slow.accesses : 0;
        assert_true(fabs(gen_statistics_races(&fast) - mean) < 1e-9);
    }
    col_program_free(&program);
    col_generator_free(generator);
}

/* The pressure on a level, with one counter for each set. */
TEST(pressure_counts_blocks_of_a_set) {
    col_program program = COL_PROGRAM_EMPTY;
    col_problem problem;
    col_geometry geometry;
    base_rng rng;
    base_rng_seed(&rng, 12, 0);
    assert_int_equal(prg_geometry_parse("4x1,16x2", 6, &geometry, &problem), COL_OK);
    for (int round = 0; round < 300; round++) {
        const uint32_t locations = 1 + (uint32_t)base_rng_below(&rng, 40);
        assert_int_equal(col_program_shape(&program, 0, NULL, locations, &problem), COL_OK);
        for (uint32_t l = 0; l < locations; l++)
            program.addresses[l] = base_rng_below(&rng, 1 << 13) & ~UINT64_C(7);
        for (uint32_t level = 0; level < 2; level++) {
            const uint32_t sets = level == 0 ? 4 : 16;
            uint32_t fullest = 0, pressure;
            for (uint32_t set = 0; set < sets; set++) {
                uint32_t blocks = 0;
                for (uint64_t block = set; block < (1 << 13) / 64; block += sets) {
                    bool used = false;
                    for (uint32_t l = 0; l < locations; l++)
                        used |= program.addresses[l] / 64 == block;
                    blocks += used;
                }
                fullest = blocks > fullest ? blocks : fullest;
            }
            assert_int_equal(gen_level_pressure(&program, &geometry, level, &pressure, &problem),
                             COL_OK);
            assert_int_equal(pressure, fullest);
        }
    }
    col_program_free(&program);
}
