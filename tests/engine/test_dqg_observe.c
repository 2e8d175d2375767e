/* SPDX-License-Identifier: MIT */
/*
 * What the agent sees: numbers of a count that does not depend on the cores, against an oracle that
 * goes by definitions, for 1 to 64 cores.
 */
#include "engine/dqg_support.h"

#include "harness.h"

#include <math.h>
#include <string.h>

enum { MOST_CORES = 64, GUARD = 4 };

typedef struct scene {
    dir_dqg_space space;
    dir_dqg_program program;
    col_program written;
    col_signature signatures[MOST_CORES];
    col_witness_results witness;
    double sum; /* of all values that are written */
} scene;

static scene *open_scene(scene *s, uint32_t cores, uint64_t seed) {
    base_rng rng;
    base_rng_seed(&rng, seed, cores);
    *s = (scene){.space = dqg_space_of((dqg_shape){cores, {128, 512}, {4, 16}, NULL}, seed),
                 .written = COL_PROGRAM_EMPTY};
    s->program = dqg_program_in(&s->space);
    dir_dqg_first(&s->space, &rng, &s->program);
    for (uint32_t i = 0; i < 30; i++)
        dqg_act(&s->space, dqg_any_action(&s->space, &s->program, &rng), &rng, &s->program);
    assert_int_equal(dir_dqg_write(&s->space, &s->program, &s->written, NULL), COL_OK);
    s->witness = (col_witness_results){.instances = 5, .distinct = {1, 3, 5}};
    for (uint32_t o = 0; o < col_program_operations(&s->written); o++)
        s->sum += s->written.operations[o].value;
    for (uint32_t c = 0; c < cores; c++)
        s->signatures[c] = (col_signature){.sum = base_rng_below(&rng, (uint64_t)s->sum + 1),
                                           .identity = base_rng_next(&rng)};
    for (uint32_t o = 0; o < COL_OBSERVATION_COUNT; o++)
        s->witness.signatures[o] = s->signatures;
    return s;
}

static void close_scene(scene *s) {
    col_program_free(&s->written);
    dir_dqg_program_free(&s->program);
    dir_dqg_space_close(&s->space);
}

/* Fails if more or fewer numbers are written than promised. */
static void observe(const scene *s, dir_dqg_view view, col_observation observation, float *inputs) {
    double scratch[MOST_CORES];
    float room[DIR_DQG_MOST_INPUTS + GUARD];
    const uint32_t count = dir_dqg_inputs(&view);
    for (uint32_t i = 0; i < DIR_DQG_MOST_INPUTS + GUARD; i++)
        room[i] = -7;
    dir_dqg_observe(&view, &s->space, &s->program, &s->witness, observation, scratch, room);
    for (uint32_t i = 0; i < DIR_DQG_MOST_INPUTS + GUARD; i++)
        assert_true(i < count ? room[i] >= 0 && room[i] <= 1 : room[i] == -7);
    memcpy(inputs, room, count * sizeof *inputs);
}

/* ---- The oracle. */

static double share(const scene *s, uint32_t core) {
    return s->sum > 0 ? sqrt((double)s->signatures[core].sum / s->sum) : 0;
}

/* A core belongs to the bin in which it ends; of fewer cores than bins, the one that covers the
 * bin's beginning. */
static double bin(const scene *s, uint32_t cores, uint32_t number) {
    double sum = 0, count = 0;
    for (uint32_t c = 0; c < cores; c++) {
        const bool is_in =
            cores < DIR_DQG_BINS
                ? c * DIR_DQG_BINS <= number * cores && (c + 1) * DIR_DQG_BINS > number * cores
                : (c + 1) * DIR_DQG_BINS > number * cores &&
                      (c + 1) * DIR_DQG_BINS <= (number + 1) * cores;
        sum += is_in ? share(s, c) : 0;
        count += is_in;
    }
    assert_true(count > 0);
    return sum / count;
}

/* Of all cores: the number that has this many below or beside it. */
static double ranked(const scene *s, uint32_t cores, uint32_t rank) {
    for (uint32_t c = 0; c < cores; c++) {
        uint32_t below = 0, same = 0;
        for (uint32_t d = 0; d < cores; d++) {
            below += share(s, d) < share(s, c);
            same += share(s, d) == share(s, c);
        }
        if (below <= rank && rank < below + same)
            return share(s, c);
    }
    return -1;
}

static void expect_near(float value, double expected) {
    assert_true(fabs((double)value - expected) < 1e-6);
}

TEST(inputs_summarise_signatures_of_all_cores) {
    for (uint32_t cores = 1; cores <= MOST_CORES; cores++)
        for (int o = 0; o < COL_OBSERVATION_COUNT; o++) {
            scene s;
            float inputs[DIR_DQG_MOST_INPUTS];
            double mean = 0;
            (void)open_scene(&s, cores, 40 + (uint64_t)o);
            observe(&s, (dir_dqg_view){0}, (col_observation)o, inputs);
            for (uint32_t b = 0; b < DIR_DQG_BINS; b++)
                expect_near(inputs[b], bin(&s, cores, b));
            for (uint32_t c = 0; c < cores; c++)
                mean += share(&s, c) / cores;
            expect_near(inputs[DIR_DQG_BINS], ranked(&s, cores, 0));
            expect_near(inputs[DIR_DQG_BINS + 1],
                        (ranked(&s, cores, (cores - 1) / 2) + ranked(&s, cores, cores / 2)) / 2);
            expect_near(inputs[DIR_DQG_BINS + 2], ranked(&s, cores, cores - 1));
            expect_near(inputs[DIR_DQG_BINS + 3], mean);
            expect_near(inputs[DIR_DQG_BINS + 4], (1 + 2 * o) / 5.0);
            close_scene(&s);
        }
}

/* The count of numbers is that of the view alone. */
TEST(the_number_of_inputs_depends_on_the_view_alone) {
    const dir_dqg_view views[] = {{0, 0}, {0, 1}, {8, 0}, {64, 1}};
    const uint32_t counts[] = {21, 26, 29, 90};
    float inputs[DIR_DQG_MOST_INPUTS];
    for (uint32_t cores = 1; cores <= MOST_CORES; cores += 7)
        for (uint32_t v = 0; v < 4; v++) {
            scene s;
            assert_int_equal(dir_dqg_inputs(&views[v]), counts[v]);
            observe(open_scene(&s, cores, 3), views[v], COL_OBSERVE_CO, inputs);
            close_scene(&s);
        }
}

/* Only the observation's own signatures count, and no identity without bits for it. */
TEST(only_the_observed_signatures_count) {
    scene s;
    float before[DIR_DQG_MOST_INPUTS], after[DIR_DQG_MOST_INPUTS];
    col_signature others[MOST_CORES] = {{.sum = 1, .identity = 2}};
    (void)open_scene(&s, 8, 5);
    observe(&s, (dir_dqg_view){0}, COL_OBSERVE_CO, before);
    s.witness.signatures[COL_OBSERVE_RF] = s.witness.signatures[COL_OBSERVE_CORF] = others;
    s.signatures[3].identity ^= 1;
    observe(&s, (dir_dqg_view){0}, COL_OBSERVE_CO, after);
    assert_memory_equal(before, after, DIR_DQG_SIGNATURE_INPUTS * sizeof *after);
    observe(&s, (dir_dqg_view){0}, COL_OBSERVE_RF, after);
    assert_memory_not_equal(before, after, DIR_DQG_SIGNATURE_INPUTS * sizeof *after);
    close_scene(&s);
}

/* Of the exact signatures every bit of every core counts: about half of the hash changes. */
TEST(every_bit_of_an_identity_changes_the_inputs) {
    scene s;
    float before[DIR_DQG_MOST_INPUTS], after[DIR_DQG_MOST_INPUTS];
    const dir_dqg_view view = {.bits = 64};
    uint32_t least = 64, changed_in_all = 0;
    (void)open_scene(&s, 32, 6);
    observe(&s, view, COL_OBSERVE_RF, before);
    for (uint32_t c = 0; c < 32; c++)
        for (uint32_t b = 0; b < 64; b++) {
            uint32_t changed = 0;
            s.signatures[c].identity ^= UINT64_C(1) << b;
            observe(&s, view, COL_OBSERVE_RF, after);
            s.signatures[c].identity ^= UINT64_C(1) << b;
            for (uint32_t i = DIR_DQG_SIGNATURE_INPUTS; i < dir_dqg_inputs(&view); i++)
                changed += before[i] != after[i];
            least = changed < least ? changed : least;
            changed_in_all += changed;
        }
    assert_true(least > 0);
    assert_true(changed_in_all > 32 * 64 * 24);
    close_scene(&s);
}

TEST(inputs_describe_the_program_on_request) {
    const dir_dqg_view view = {.has_program = 1};
    scene s;
    float inputs[DIR_DQG_MOST_INPUTS];
    for (uint64_t seed = 0; seed < 40; seed++) {
        double stores = 0, others = 0;
        observe(open_scene(&s, 5, seed), view, COL_OBSERVE_CORF, inputs);
        const col_point point = dir_dqg_point(&s.space, &s.program);
        for (uint32_t o = 0; o < point.operations; o++) {
            stores += s.written.operations[o].kind == COL_STORE;
            others += s.written.operations[o].kind != COL_STORE &&
                      s.written.operations[o].kind != COL_LOAD;
        }
        const float *seen = inputs + DIR_DQG_SIGNATURE_INPUTS;
        expect_near(seen[0], log2(point.operations / 128.0) / 2);
        expect_near(seen[1], log2(point.locations / 4.0) / 2);
        expect_near(seen[2], log2(point.sets) / log2(point.locations)); /* 1, 2, 4, ..., s */
        expect_near(seen[3], stores / point.operations);
        expect_near(seen[4], others / point.operations);
        close_scene(&s);
    }
}

/* A program that writes nothing, a witness of nothing, and sums of a broken design. */
TEST(inputs_stay_within_zero_and_one) {
    scene s;
    float inputs[DIR_DQG_MOST_INPUTS];
    (void)open_scene(&s, 4, 8);
    for (uint32_t c = 0; c < 4; c++)
        s.signatures[c].sum = UINT64_MAX;
    s.witness.distinct[COL_OBSERVE_RF] = 77;
    observe(&s, (dir_dqg_view){0}, COL_OBSERVE_RF, inputs);
    assert_true(inputs[0] == 1 && inputs[DIR_DQG_BINS + 4] == 1);
    for (uint32_t i = 0; i < s.space.genes.operations; i++)
        s.program.genes[i] = (dir_mtg_gene){.template = 0, .thread = s.program.genes[i].thread};
    s.witness.instances = 0;
    observe(&s, (dir_dqg_view){0}, COL_OBSERVE_RF, inputs);
    assert_true(inputs[0] == 0 && inputs[DIR_DQG_BINS + 4] == 0);
    close_scene(&s);
}
