/* SPDX-License-Identifier: MIT */
/*
 * Tests from witnesses: see witness_test.h. A delay before each access is what can be chosen. They
 * start from what the witness suggests; then one or two are changed at random, and what takes the
 * transition in more of a few seeds, or gets farther along the witness, stays. If that is not
 * enough, the accesses are made in many rounds, each with delays of its own near the best ones. If
 * the design's network never lets the transition be taken, networks with more jitter are tried, and
 * then some with more jitter only where the last message of the witness travels: it is late there
 * while others are fast, so that they overtake it.
 */
#include "protocol/explore/witness_test.h"

#include "base/random.h"
#include "protocol/explore/witness_plan.h"
#include "protocol/simulate/design_show.h"
#include "protocol/simulate/transition_table.h"

#include <stdlib.h>
#include <string.h>

enum {
    TRIALS = 500,
    MOST_IDLE = 120, /* trials without anything better, then from another guess */
    TRIAL_SEEDS = 8,
    PROMISING = 6,    /* hits of these seeds: then it is tried with more, */
    ALL_SEEDS = 32,   /* these in all, which scores are of */
    GOOD_HITS = 24,   /* rounds are not needed */
    ENOUGH_HITS = 31, /* nothing better is looked for */
    ROUNDS = 96,
    ROUND_TRIALS = 50,
    HOPELESS_TRIALS = 12, /* of these none with a hit: nothing more is expected */
    MOST_DELAY = 600,
    NEAR = 6 /* cycles around a good delay */
};

typedef struct emitter {
    exp_runner runner;
    exp_plan plan;
    exp_emission *emission;
    uint32_t *delays; /* before each act of each round */
    uint32_t *best;   /* of the single round that is improved */
    uint32_t *kept;   /* of all rounds: of the best program */
    exp_plan kept_shape;
    exp_score most; /* of the best program */
    base_rng rng;
} emitter;

static bool is_better(exp_score a, exp_score b) {
    return a.hits > b.hits || (a.hits == b.hits && a.progress > b.progress);
}

/* Nothing is left to do for this transition. */
static bool is_done(const emitter *e) {
    return e->most.hits >= ENOUGH_HITS || exp_runner_is_over(&e->runner);
}

/* ---- Trying. */

static col_status count_hits(emitter *e, uint64_t first, uint32_t seeds, exp_score *result,
                             col_problem *problem) {
    return exp_runner_count(&e->runner, &e->emission->program, &e->plan, first, seeds, result,
                            problem);
}

/* A few seeds tell what is no good; what looks good may owe it to them. */
static col_status rate(emitter *e, exp_score *result, col_problem *problem) {
    enum { SCALE = ALL_SEEDS / TRIAL_SEEDS };
    exp_score more;
    col_status status = count_hits(e, EXP_FIRST_TRIAL_SEED, TRIAL_SEEDS, result, problem);
    if (status != COL_OK)
        return status;
    if (result->hits < PROMISING) {
        *result = (exp_score){result->hits * SCALE, result->progress * SCALE};
        return COL_OK;
    }
    status =
        count_hits(e, EXP_FIRST_TRIAL_SEED + TRIAL_SEEDS, ALL_SEEDS - TRIAL_SEEDS, &more, problem);
    *result = (exp_score){result->hits + more.hits, result->progress + more.progress};
    return status;
}

/* Keeps the program if it is the best so far. */
static col_status try_delays(emitter *e, exp_score *result, col_problem *problem) {
    col_status status = exp_plan_write(&e->plan, e->delays, &e->emission->program, problem);
    if (status == COL_OK)
        status = rate(e, result, problem);
    if (status != COL_OK || !is_better(*result, e->most))
        return status;
    e->most = *result;
    e->kept_shape = e->plan;
    memcpy(e->kept, e->delays, (size_t)e->plan.count * e->plan.rounds * sizeof *e->kept);
    return COL_OK;
}

/* ---- Delays. */

static const uint32_t guesses[] = {0, 1, 2, 4, 8, 12, 16, 24, 32, 48, 64};
enum { GUESSES = sizeof guesses / sizeof guesses[0] };

/* Short ones are as likely as long ones. */
static uint32_t any_delay(emitter *e) {
    const uint64_t most = UINT64_C(2) << base_rng_below(&e->rng, 9);
    const uint64_t delay = base_rng_below(&e->rng, most);
    return (uint32_t)(delay < MOST_DELAY ? delay : MOST_DELAY);
}

static uint32_t near_delay(emitter *e, uint32_t delay) {
    const uint32_t moved = delay + (uint32_t)base_rng_below(&e->rng, 2 * NEAR + 1);
    return moved > NEAR ? moved - NEAR : 0;
}

/* Changes one or two of the delays of a round. */
static void change_delays(emitter *e, uint32_t *delays) {
    for (uint64_t changes = 1 + base_rng_below(&e->rng, 2); changes > 0; changes--) {
        const uint64_t i = base_rng_below(&e->rng, e->plan.count);
        const bool is_near = base_rng_below(&e->rng, 2) == 0;
        if (!e->plan.acts[i].follows_soon)
            delays[i] = is_near ? near_delay(e, delays[i]) : any_delay(e);
    }
}

/* ---- The search. */

/* The accesses once; `best` has the delays at its end. */
static col_status search_one(emitter *e, col_problem *problem) {
    const size_t bytes = e->plan.count * sizeof *e->delays;
    exp_score here = {0}, result = {0};
    uint32_t idle = 0, guess = 0;
    col_status status = COL_OK;
    for (uint32_t i = 0; status == COL_OK && !is_done(e) && i < TRIALS; i++) {
        const bool is_guess = i < GUESSES || idle >= MOST_IDLE;
        if (is_guess) {
            exp_plan_guess(&e->plan, guesses[guess++ % GUESSES], e->delays);
        } else {
            memcpy(e->delays, e->best, bytes);
            change_delays(e, e->delays);
        }
        status = try_delays(e, &result, problem);
        idle = is_better(result, here) ? 0 : idle + 1;
        if (!is_better(here, result) || idle > MOST_IDLE) {
            here = result;
            idle = idle > MOST_IDLE ? 0 : idle;
            memcpy(e->best, e->delays, bytes);
        }
    }
    if (e->most.progress > 0 || e->most.hits > 0)
        memcpy(e->best, e->kept, bytes);
    return status;
}

/* Many rounds: half of them near the best delays of one, the others guesses with changes. If the
 * best program has such rounds, half of its own stay. */
static void draw_rounds(emitter *e) {
    const bool has_some =
        e->kept_shape.rounds == e->plan.rounds && e->kept_shape.rounds_are == e->plan.rounds_are;
    if (has_some)
        memcpy(e->delays, e->kept, (size_t)e->plan.count * e->plan.rounds * sizeof *e->kept);
    for (uint32_t round = 0; round < e->plan.rounds; round++) {
        uint32_t *delays = e->delays + (size_t)round * e->plan.count;
        if (has_some && base_rng_below(&e->rng, 2) == 0)
            continue;
        if (round % 2 == 0) {
            for (uint32_t i = 0; i < e->plan.count; i++)
                delays[i] = e->plan.acts[i].follows_soon ? 0 : near_delay(e, e->best[i]);
        } else {
            exp_plan_guess(&e->plan, guesses[base_rng_below(&e->rng, GUESSES)], delays);
            change_delays(e, delays);
        }
    }
}

static col_status search_rounds(emitter *e, exp_rounds rounds_are, col_problem *problem) {
    col_status status = COL_OK;
    exp_score result;
    e->plan.rounds = ROUNDS;
    e->plan.rounds_are = rounds_are;
    for (uint32_t i = 0; status == COL_OK && !is_done(e) && i < ROUND_TRIALS &&
                         (i < HOPELESS_TRIALS || e->most.hits > 0);
         i++) {
        draw_rounds(e);
        status = try_delays(e, &result, problem);
    }
    e->plan.rounds = 1;
    e->plan.rounds_are = EXP_ALIKE;
    return status;
}

static col_status search(emitter *e, col_problem *problem) {
    const bool flushes = sl_takes(e->runner.system->cores[0].controller->machine, SL_FLUSH);
    e->most = (exp_score){0};
    e->kept_shape = e->plan;
    col_status status = search_one(e, problem);
    for (exp_rounds r = EXP_ALIKE; status == COL_OK && r <= EXP_FRESH && e->most.hits < GOOD_HITS;
         r++)
        if (r != EXP_FLUSHED || flushes)
            status = search_rounds(e, r, problem);
    if (status == COL_OK)
        status = exp_plan_write(&e->kept_shape, e->kept, &e->emission->program, problem);
    return status;
}

/* ---- Networks. */

static const struct {
    uint32_t jitter;
    bool is_single; /* of the last message's virtual network alone */
} networks[] = {{20, false}, {60, false}, {200, false}, {200, true}, {1000, true}};
enum { NETWORKS = sizeof networks / sizeof networks[0] };

/* The virtual network of the last message; -1: the last step has none, or none travels there. */
static int32_t last_network(const emitter *e) {
    const exp_witness *w = e->plan.witness;
    const exp_path_step *last = &w->steps[w->count - 1];
    const sim_system *s = e->runner.system;
    if (last->kind != EXP_MESSAGE)
        return -1;
    for (uint32_t i = 0; i < s->base.controller_count; i++) {
        const sl_controller *c = s->controllers[i];
        if (c->number != last->number || strcmp(c->machine->name, last->machine) != 0)
            continue;
        for (uint32_t b = 0; b < c->in_buffer_count; b++)
            if (strcmp(c->in_buffers[b]->name, last->queue) == 0)
                return c->in_buffers[b]->network;
    }
    return -1;
}

static col_status search_network(emitter *e, const exp_network *network, col_problem *problem) {
    exp_score counted = {0};
    exp_runner_wire(&e->runner, network);
    e->emission->network = *network;
    col_status status = search(e, problem);
    if (status == COL_OK)
        status = count_hits(e, 1, EXP_EMISSION_SEEDS, &counted, problem);
    e->emission->hits = counted.hits;
    return status;
}

/* On the design's network, then on others, until the transition is taken. */
static col_status search_networks(emitter *e, col_problem *problem) {
    const uint32_t own = e->runner.own->jitter;
    const uint32_t count = e->runner.aims->keeps_network ? 0 : NETWORKS;
    const int32_t last = last_network(e);
    col_status status = search_network(e, &exp_own_network, problem);
    for (uint32_t i = 0;
         status == COL_OK && e->emission->hits == 0 && i < count && !exp_runner_is_over(&e->runner);
         i++) {
        const exp_network network = {.number = networks[i].is_single ? last : -1,
                                     .latency = SIM_AS_OTHERS,
                                     .jitter = networks[i].jitter};
        if (network.jitter > own && (!networks[i].is_single || last >= 0))
            status = search_network(e, &network, problem);
    }
    return status;
}

/* ---- The whole. */

static col_status emit(emitter *e, const exp_witness *witness, exp_emission *emission,
                       col_problem *problem) {
    const size_t delays = ((size_t)witness->count + 1) * ROUNDS;
    col_status status = COL_OK;
    *emission = (exp_emission){.program = COL_PROGRAM_EMPTY};
    e->emission = emission;
    base_rng_seed(&e->rng, e->runner.aims->seed, 0);
    e->delays = calloc(delays, sizeof *e->delays);
    e->best = calloc((size_t)witness->count + 1, sizeof *e->best);
    e->kept = calloc(delays, sizeof *e->kept);
    if (e->delays == NULL || e->best == NULL || e->kept == NULL ||
        !exp_plan_open(&e->plan, witness, e->runner.system->wiring.cores))
        status = base_out_of_memory(problem);
    if (status == COL_OK)
        status = search_networks(e, problem);
    if (status != COL_OK)
        col_program_free(&emission->program);
    exp_plan_close(&e->plan);
    free(e->delays);
    free(e->best);
    free(e->kept);
    return status;
}

static bool is_wanted(const exp_aims *aims, const exp_cell *cell) {
    return aims->wants == NULL || aims->wants(aims->context, cell);
}

/* Tests along witnesses. What they do not take is open, if there are random programs. */
static col_status emit_witnesses(emitter *e, const exp_witnesses *witnesses, exp_open_cells *open,
                                 col_problem *problem) {
    const exp_aims *aims = e->runner.aims;
    col_status status = COL_OK;
    for (uint32_t i = 0;
         status == COL_OK && i < witnesses->count && !exp_runner_is_over(&e->runner); i++) {
        const exp_witness *witness = &witnesses->list[i];
        exp_emission emission;
        if (!is_wanted(aims, &witness->cell))
            continue;
        status = emit(e, witness, &emission, problem);
        if (status == COL_OK && emission.hits == 0 && aims->random_programs > 0) {
            open->list[open->count++] =
                (exp_open_cell){.cell = witness->cell, .has_witness = true, .emission = emission};
        } else if (status == COL_OK) {
            status = aims->take(aims->context, &witness->cell, true, &emission, problem);
            col_program_free(&emission.program);
        }
    }
    return status;
}

static bool has_witness(const exp_witnesses *witnesses, const exp_cell *cell) {
    for (uint32_t i = 0; i < witnesses->count; i++)
        if (memcmp(&witnesses->list[i].cell, cell, sizeof *cell) == 0)
            return true;
    return false;
}

static void open_others(const sl_protocol *p, const exp_witnesses *witnesses, const exp_aims *aims,
                        exp_open_cells *open) {
    exp_cell cell = {0};
    do {
        const sl_cell *row = sim_cell(p->machines[cell.machine], cell.state, cell.event);
        if (row != NULL && sim_is_transition(row) && !has_witness(witnesses, &cell) &&
            is_wanted(aims, &cell))
            open->list[open->count++] =
                (exp_open_cell){.cell = cell, .emission = {.program = COL_PROGRAM_EMPTY}};
    } while (exp_cell_next(p, &cell));
}

/* Frees them, too. */
static col_status take_open(const exp_aims *aims, exp_open_cells *open, col_status status,
                            col_problem *problem) {
    for (uint32_t i = 0; i < open->count; i++) {
        exp_open_cell *o = &open->list[i];
        if (status == COL_OK && (o->has_witness || o->emission.hits > 0))
            status = aims->take(aims->context, &o->cell, o->has_witness, &o->emission, problem);
        col_program_free(&o->emission.program);
    }
    free(open->list);
    return status;
}

col_status exp_emit_all(const sim_system *system, const exp_witnesses *witnesses,
                        const exp_aims *aims, col_problem *problem) {
    emitter e = {.runner = {.own = &system->wiring, .aims = aims}};
    exp_open_cells open = {.list = calloc(exp_cell_count(system->protocol) + 1, sizeof *open.list)};
    if (open.list == NULL)
        return base_out_of_memory(problem);
    col_status status = sim_system_copy(&e.runner.system, system, problem);
    if (status != COL_OK) {
        free(open.list);
        return status;
    }
    status = emit_witnesses(&e, witnesses, &open, problem);
    if (status == COL_OK && aims->random_programs > 0 && !exp_runner_is_over(&e.runner))
        open_others(system->protocol, witnesses, aims, &open);
    if (status == COL_OK)
        status = exp_emit_random(&e.runner, &open, problem);
    sim_system_free(e.runner.system);
    return take_open(aims, &open, status, problem);
}

col_status exp_emit(const sim_system *system, const exp_witness *witness, uint64_t seed,
                    uint32_t accesses, const volatile int *stop, exp_emission *emission,
                    col_problem *problem) {
    const exp_aims aims = {
        .seed = seed, .stop = stop, .random_programs = EXP_RANDOM_PROGRAMS, .accesses = accesses};
    emitter e = {.runner = {.own = &system->wiring, .aims = &aims}};
    *emission = (exp_emission){.program = COL_PROGRAM_EMPTY};
    col_status status = sim_system_copy(&e.runner.system, system, problem);
    if (status != COL_OK)
        return status;
    if (!exp_runner_is_over(&e.runner))
        status = emit(&e, witness, emission, problem);
    if (status == COL_OK && emission->hits == 0) {
        exp_open_cell open = {.cell = witness->cell, .emission = *emission};
        status = exp_emit_random(&e.runner, &(exp_open_cells){&open, 1}, problem);
        *emission = open.emission;
    }
    sim_system_free(e.runner.system);
    return status;
}
