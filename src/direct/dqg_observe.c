/* SPDX-License-Identifier: MIT */
/*
 * What the agent sees of the last test: the multicore signature, as numbers from 0 to 1 whose count
 * is the same for any number of cores. A core's signature is the sum of the values of its witness,
 * here as the square root of its share of the sum of all values that the program writes. Sums are
 * seen, not identities: witnesses that are alike have sums that are alike, so what was learned of
 * one helps with the other; of a hash nothing follows for its neighbours.
 */
#include "direct/dqg.h"

#include "generate/mix.h"

#include <math.h>
#include <stdlib.h>

uint32_t dir_dqg_inputs(const dir_dqg_view *view) {
    return DIR_DQG_SIGNATURE_INPUTS + (uint32_t)view->bits +
           (view->has_program != 0 ? DIR_DQG_PROGRAM_INPUTS : 0);
}

/* Values are numbered from 1. */
static double sum_of_values(const dir_dqg_space *space, const dir_dqg_program *program) {
    const uint32_t operations = space->rtg.sizes[program->size];
    double writes = 0;
    for (uint32_t i = 0; i < operations; i++)
        writes += col_kinds[gen_templates[program->genes[i].template].operation.kind].writes;
    return writes * (writes + 1) / 2;
}

static int compare(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

/* Neighbouring cores share a bin if there are more of them, and a core fills more than one if there
 * are fewer. */
static double mean_of_bin(const double *shares, uint64_t cores, uint64_t bin) {
    const uint64_t first = bin * cores / DIR_DQG_BINS, next = (bin + 1) * cores / DIR_DQG_BINS;
    const uint64_t end = next > first ? next : first + 1;
    double sum = 0;
    for (uint64_t core = first; core < end; core++)
        sum += shares[core];
    return sum / (double)(end - first);
}

static float *add_sums(const double total, uint32_t cores, const col_signature *signatures,
                       double *shares, float *at) {
    double mean = 0;
    for (uint32_t c = 0; c < cores; c++) {
        const double share = total > 0 ? (double)signatures[c].sum / total : 0;
        shares[c] = sqrt(share < 1 ? share : 1);
        mean += shares[c] / cores;
    }
    for (uint32_t bin = 0; bin < DIR_DQG_BINS; bin++)
        *at++ = (float)mean_of_bin(shares, cores, bin);
    qsort(shares, cores, sizeof *shares, compare);
    *at++ = (float)shares[0];
    *at++ = (float)((shares[(cores - 1) / 2] + shares[cores / 2]) / 2);
    *at++ = (float)shares[cores - 1];
    *at++ = (float)mean;
    return at;
}

/* Bits of one number that stands for the exact signatures of all cores. */
static float *add_identity(uint64_t bits, uint32_t cores, const col_signature *signatures,
                           float *at) {
    uint64_t hash = 0;
    for (uint32_t c = 0; c < cores; c++) {
        hash = (hash ^ signatures[c].identity) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    for (uint64_t bit = 0; bit < bits; bit++)
        *at++ = (float)(hash >> bit & 1);
    return at;
}

static float *add_program(const dir_dqg_space *space, const dir_dqg_program *program, float *at) {
    const dir_rtg *rtg = &space->rtg;
    const float operations = (float)rtg->sizes[program->size];
    const uint32_t run = dir_rtg_run(rtg, program->pair);
    uint32_t counts[DIR_DQG_KIND_COUNT];
    dir_dqg_count_kinds(space, program, counts);
    *at++ = dir_fraction(program->size, rtg->size_count);
    *at++ = dir_fraction(run, rtg->location_count);
    *at++ = dir_fraction(program->pair - rtg->runs[run], rtg->runs[run + 1] - rtg->runs[run]);
    *at++ = (float)counts[DIR_DQG_STORE] / operations;
    *at++ = (float)counts[DIR_DQG_OTHER] / operations;
    return at;
}

void dir_dqg_observe(const dir_dqg_view *view, const dir_dqg_space *space,
                     const dir_dqg_program *program, const col_witness_results *witness,
                     col_observation observation, double *scratch, float *inputs) {
    const uint32_t cores = space->genes.threads;
    const col_signature *signatures = witness->signatures[observation];
    float *at = add_sums(sum_of_values(space, program), cores, signatures, scratch, inputs);
    const uint32_t distinct = witness->distinct[observation], instances = witness->instances;
    const uint32_t bounded = distinct < instances ? distinct : instances;
    *at++ = instances == 0 ? 0 : (float)bounded / (float)instances;
    at = add_identity(view->bits, cores, signatures, at);
    if (view->has_program != 0)
        (void)add_program(space, program, at);
}
