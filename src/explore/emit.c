/* SPDX-License-Identifier: MIT */
/*
 * Tests from witnesses: see emit.h. A delay before each access is what can be chosen. They start
 * from the steps between an access and the end of the core's last one, some cycles each; then one
 * after the other is changed at random, and what takes the transition in more of a few seeds stays.
 * If that is not enough, the accesses are made in many rounds, each with delays of its own, after
 * the cores have flushed what they have.
 */
#include "explore/emit.h"
#include "base/rng.h"
#include "sim/edit.h"

#include <stdlib.h>
#include <string.h>

enum {
    TRIALS = 400,
    TRIAL_SEEDS = 8,
    GOOD_HITS = 6, /* of these seeds */
    ROUNDS = 64,
    ROUND_TRIALS = 500,
    MOST_DELAY = 600,
    FLUSH_DELAY = 100,
    FIRST_SEED = 1000
};

typedef struct emitter {
    sim_system *system;
    const exp_witness *witness;
    exp_emission *emission;
    uint32_t *accesses; /* steps of the witness */
    uint32_t count;
    uint32_t rounds;
    uint32_t *delays; /* before each access of each round */
    uint32_t *best;
    bool flushes; /* before a round */
    uint32_t blocks;
    base_rng rng;
} emitter;

static uint8_t kind_of(int32_t request) {
    switch (request) {
    case SL_LD:
        return COL_LOAD;
    case SL_FLUSH:
        return COL_FLUSH;
    case SL_ATOMIC:
        return COL_SWAP;
    case SL_ACQUIRE:
        return COL_FENCE;
    default:
        return COL_STORE;
    }
}

/* ---- The program. */

static void list_accesses(emitter *e) {
    for (uint32_t i = 0; i < e->witness->count; i++) {
        const exp_path_step *s = &e->witness->steps[i];
        const uint32_t block = (uint32_t)(s->block / exp_block_address(0));
        if (s->kind != EXP_ACCESS)
            continue;
        e->accesses[e->count++] = i;
        if (s->request != SL_ACQUIRE && block > e->blocks)
            e->blocks = block;
    }
}

static void count_operations(const emitter *e, uint32_t *lengths) {
    const uint32_t flushes = e->flushes ? 1 + e->blocks : 0; /* a delay comes before */
    for (uint32_t c = 0; c < e->system->wiring.cores; c++)
        lengths[c] = (e->rounds - 1) * flushes;
    for (uint32_t i = 0; i < e->count; i++)
        lengths[e->witness->steps[e->accesses[i]].core] += 2 * e->rounds; /* here, too */
}

static void add(emitter *e, uint32_t *next, uint8_t kind, uint32_t location, uint32_t value) {
    e->emission->program.operations[(*next)++] =
        (col_operation){.kind = kind,
                        .location = kind == COL_FENCE ? 0 : location,
                        .value = col_kinds[kind].writes ? value : 0,
                        .fence = kind == COL_FENCE ? COL_FULL_FENCE : 0};
}

static void add_round(emitter *e, uint32_t round, uint32_t *next) {
    for (uint32_t c = 0; c < e->system->wiring.cores && e->flushes && round > 0; c++) {
        add(e, &next[c], COL_DELAY, FLUSH_DELAY, 0);
        for (uint32_t b = 0; b < e->blocks; b++)
            add(e, &next[c], COL_FLUSH, b, 0);
    }
    for (uint32_t i = 0; i < e->count; i++) {
        const exp_path_step *s = &e->witness->steps[e->accesses[i]];
        const uint32_t delay = e->delays[round * e->count + i];
        add(e, &next[s->core], COL_DELAY, delay == 0 ? 1 : delay, 0);
        add(e, &next[s->core], kind_of(s->request), (uint32_t)(s->block / exp_block_address(0)) - 1,
            round * e->count + i + 1);
    }
}

static col_status write_program(emitter *e, col_problem *problem) {
    col_program *p = &e->emission->program;
    uint32_t lengths[EXP_MOST_CORES], next[EXP_MOST_CORES];
    count_operations(e, lengths);
    const col_status status =
        col_program_shape(p, e->system->wiring.cores, lengths, e->blocks, problem);
    if (status != COL_OK)
        return status;
    for (uint32_t l = 0; l < p->location_count; l++)
        p->addresses[l] = exp_block_address(l);
    memcpy(next, p->thread_start, e->system->wiring.cores * sizeof *next);
    for (uint32_t round = 0; round < e->rounds; round++)
        add_round(e, round, next);
    return COL_OK;
}

/* ---- Trying. */

static uint64_t times_taken(const emitter *e) {
    const exp_cell *cell = &e->witness->cell;
    const sl_machine *m = e->system->protocol->machines[cell->machine];
    uint64_t sum = 0;
    for (uint32_t i = 0; i < e->system->base.controller_count; i++)
        if (e->system->controllers[i]->machine == m)
            sum += e->system->controllers[i]->counts[cell->state * m->event_count + cell->event];
    return sum;
}

/* In how many of the seeds the transition is taken. */
static col_status count_hits(emitter *e, uint64_t first, uint32_t seeds, uint32_t *hits,
                             col_problem *problem) {
    *hits = 0;
    for (uint32_t i = 0; i < seeds; i++) {
        const uint64_t before = times_taken(e);
        sim_result result;
        const col_status status = sim_system_run(e->system, &e->emission->program, first + i, false,
                                                 NULL, &result, problem);
        if (status != COL_OK)
            return status;
        *hits += times_taken(e) > before;
    }
    return COL_OK;
}

/* So many cycles for each step since the core's last access ended. */
static void guess_delays(emitter *e, uint32_t round, uint32_t cycles) {
    uint32_t ended[EXP_MOST_CORES] = {0};
    for (uint32_t i = 0; i < e->count; i++) {
        const exp_path_step *s = &e->witness->steps[e->accesses[i]];
        const uint32_t steps =
            e->accesses[i] > ended[s->core] ? e->accesses[i] - ended[s->core] : 0;
        e->delays[round * e->count + i] = steps * cycles;
        ended[s->core] = s->ends == EXP_NOT_ENDED ? e->accesses[i] : s->ends;
    }
}

/* Short ones are as likely as long ones. */
static uint32_t any_delay(emitter *e) {
    const uint64_t most = UINT64_C(2) << base_rng_below(&e->rng, 9);
    const uint64_t delay = base_rng_below(&e->rng, most);
    return (uint32_t)(delay < MOST_DELAY ? delay : MOST_DELAY);
}

/* Changes one or two of the best delays of a round. */
static void change_delays(emitter *e, uint32_t round) {
    uint32_t *delays = e->delays + (size_t)round * e->count;
    for (uint64_t changes = 1 + base_rng_below(&e->rng, 2); changes > 0; changes--)
        delays[base_rng_below(&e->rng, e->count)] = any_delay(e);
}

static col_status try_delays(emitter *e, uint32_t *most, col_problem *problem) {
    uint32_t hits = 0;
    col_status status = write_program(e, problem);
    if (status == COL_OK)
        status = count_hits(e, FIRST_SEED, TRIAL_SEEDS, &hits, problem);
    if (status == COL_OK && hits >= *most) {
        *most = hits;
        memcpy(e->best, e->delays, (size_t)e->count * e->rounds * sizeof *e->best);
    }
    return status;
}

static const uint32_t guesses[] = {0, 1, 2, 4, 8, 12, 16, 24, 32, 48, 64};
enum { GUESSES = sizeof guesses / sizeof guesses[0] };

static col_status search_one(emitter *e, uint32_t *most, col_problem *problem) {
    col_status status = COL_OK;
    for (uint32_t i = 0; status == COL_OK && *most < TRIAL_SEEDS && i < TRIALS; i++) {
        if (i < GUESSES) {
            guess_delays(e, 0, guesses[i]);
        } else {
            memcpy(e->delays, e->best, e->count * sizeof *e->delays);
            change_delays(e, 0);
        }
        status = try_delays(e, most, problem);
    }
    return status;
}

/* Many rounds, each a guess with changes. Every trial draws new ones for some of the rounds. */
static col_status search_rounds(emitter *e, uint32_t *most, col_problem *problem) {
    col_status status = COL_OK;
    e->rounds = ROUNDS;
    e->flushes = sl_takes(e->system->cores[0].controller->machine, SL_FLUSH);
    *most = 0;
    for (uint32_t i = 0; status == COL_OK && *most < TRIAL_SEEDS && i < ROUND_TRIALS; i++) {
        if (i > 0)
            memcpy(e->delays, e->best, (size_t)e->count * e->rounds * sizeof *e->delays);
        for (uint32_t round = 0; round < e->rounds; round++) {
            if (i > 0 && base_rng_below(&e->rng, 2) == 0)
                continue;
            guess_delays(e, round, guesses[base_rng_below(&e->rng, GUESSES)]);
            change_delays(e, round);
        }
        status = try_delays(e, most, problem);
    }
    return status;
}

static col_status search(emitter *e, col_problem *problem) {
    uint32_t most = 0;
    col_status status = search_one(e, &most, problem);
    if (status == COL_OK && most < GOOD_HITS)
        status = search_rounds(e, &most, problem);
    memcpy(e->delays, e->best, (size_t)e->count * e->rounds * sizeof *e->delays);
    return status == COL_OK ? write_program(e, problem) : status;
}

/* ---- The whole. */

static col_status emit(emitter *e, col_problem *problem) {
    list_accesses(e);
    col_status status = search(e, problem);
    if (status == COL_OK)
        status = count_hits(e, 1, EXP_EMISSION_SEEDS, &e->emission->hits, problem);
    return status;
}

col_status exp_emit(const sim_system *system, const exp_witness *witness, uint64_t seed,
                    exp_emission *emission, col_problem *problem) {
    emitter e = {.witness = witness, .emission = emission, .rounds = 1};
    *emission = (exp_emission){.program = COL_PROGRAM_EMPTY};
    col_status status = sim_system_copy(&e.system, system, problem);
    if (status != COL_OK)
        return status;
    base_rng_seed(&e.rng, seed, 0);
    e.accesses = calloc((size_t)witness->count + 1, sizeof *e.accesses);
    e.delays = calloc((size_t)witness->count + 1, ROUNDS * sizeof *e.delays);
    e.best = calloc((size_t)witness->count + 1, ROUNDS * sizeof *e.best);
    status = e.accesses == NULL || e.delays == NULL || e.best == NULL ? base_out_of_memory(problem)
                                                                      : emit(&e, problem);
    if (status != COL_OK)
        col_program_free(&emission->program);
    free(e.accesses);
    free(e.delays);
    free(e.best);
    sim_system_free(e.system);
    return status;
}
