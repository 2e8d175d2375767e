/* SPDX-License-Identifier: MIT */
/*
 * Tests by chance: see emit_random.h. A program is a function of the generator's state, so that
 * state is all that has to be kept of it.
 */
#include "explore/emit_random.h"

enum {
    PROGRAM_SEEDS = 4, /* a program that takes a transition in more of them than the best so far */
                       /* is counted with all seeds */
    PATIENCE = 5000,   /* programs without anything better */
    MOST_RANDOM_BLOCKS = 3,
    LEAST_LENGTH = 8, /* of a thread */
    LENGTHS = 120,
    EIGHTHS = 8,
    DELAY_BITS = 9
};

/* ---- Drawing. */

static uint32_t below(base_rng *rng, uint32_t bound) {
    return (uint32_t)base_rng_below(rng, bound);
}

/* A quarter of the programs run on the design's own network, the others where messages overtake
 * each other: everywhere, or those of one virtual network are late. */
static exp_network draw_network(const exp_runner *r, base_rng *rng) {
    static const uint32_t jitters[] = {20, 60, 200}, latencies[] = {60, 250}, far[] = {200, 1000};
    const uint32_t style = below(rng, 4), number = below(rng, r->system->networks);
    exp_network n = exp_own_network;
    if (style == 0 || r->aims->keeps_network)
        return n;
    if (style == 1) {
        n.jitter = jitters[below(rng, 3)];
        return n;
    }
    n.number = (int32_t)number;
    if (style == 2)
        n.jitter = far[below(rng, 2)];
    else
        n.latency = latencies[below(rng, 2)];
    return n;
}

/* Kinds of accesses that the protocol takes and the caller wants, beside loads and stores. */
static uint32_t list_others(const exp_runner *r, uint8_t kinds[3]) {
    const sl_machine *m = r->system->cores[0].controller->machine;
    const uint32_t wanted = r->aims->accesses == 0 ? UINT32_MAX : r->aims->accesses;
    const bool acquires = sl_takes(m, SL_ACQUIRE);
    uint32_t count = 0;
    if ((wanted & EXP_FLUSHES) != 0 && sl_takes(m, SL_FLUSH))
        kinds[count++] = COL_FLUSH;
    if ((wanted & EXP_ATOMICS) != 0 && acquires)
        kinds[count++] = COL_SWAP;
    if ((wanted & EXP_ACQUIRES) != 0 && acquires)
        kinds[count++] = COL_FENCE;
    return count;
}

/* Shares of the operations, in eighths, and kinds beside loads and stores. */
typedef struct mixture {
    uint32_t delays, stores, others;
    uint8_t kinds[3];
    uint32_t kind_count;
} mixture;

static mixture draw_mixture(const exp_runner *r, base_rng *rng) {
    const uint32_t wanted = r->aims->accesses;
    mixture m = {.delays = 2 * below(rng, 4),
                 .stores = 1 + below(rng, EIGHTHS - 1),
                 .others = below(rng, 4)};
    m.kind_count = list_others(r, m.kinds);
    if (wanted != 0 && (wanted & EXP_LOADS) == 0)
        m.stores = EIGHTHS;
    if (wanted != 0 && (wanted & EXP_STORES) == 0)
        m.stores = 0;
    return m;
}

static col_operation draw_operation(const mixture *m, uint32_t blocks, uint32_t value,
                                    base_rng *rng) {
    const bool is_delay = below(rng, EIGHTHS) < m->delays;
    const bool is_other = below(rng, EIGHTHS) < m->others && m->kind_count > 0;
    const bool is_store = below(rng, EIGHTHS) < m->stores;
    const uint32_t block = below(rng, blocks);
    if (is_delay) /* short ones are as likely as long ones */
        return (col_operation){.kind = COL_DELAY,
                               .location = 1 + below(rng, 2U << below(rng, DELAY_BITS))};
    const uint8_t kind = is_other   ? m->kinds[below(rng, m->kind_count)]
                         : is_store ? COL_STORE
                                    : COL_LOAD;
    return (col_operation){.kind = kind,
                           .location = kind == COL_FENCE ? 0 : block,
                           .value = col_kinds[kind].writes ? value : 0,
                           .fence = kind == COL_FENCE ? COL_FULL_FENCE : 0};
}

/* Few blocks, so that threads meet; several, so that caches replace them. */
static col_status draw_program(const exp_runner *r, base_rng *rng, col_program *program,
                               col_problem *problem) {
    uint32_t lengths[EXP_MOST_CORES];
    const uint32_t cores = r->system->wiring.cores, length = LEAST_LENGTH + below(rng, LENGTHS);
    const uint32_t blocks = 1 + below(rng, MOST_RANDOM_BLOCKS);
    const mixture m = draw_mixture(r, rng);
    for (uint32_t c = 0; c < cores; c++)
        lengths[c] = length;
    const col_status status = col_program_shape(program, cores, lengths, blocks, problem);
    if (status != COL_OK)
        return status;
    for (uint32_t b = 0; b < blocks; b++)
        program->addresses[b] = exp_block_address(b);
    for (uint32_t i = 0; i < cores * length; i++)
        program->operations[i] = draw_operation(&m, blocks, i + 1, rng);
    return COL_OK;
}

/* ---- Trying. */

/* With each of the seeds; notes how many of them take each cell. */
static col_status run_seeds(exp_runner *r, exp_open_cells *cells, const col_program *program,
                            uint64_t first, uint32_t seeds, col_problem *problem) {
    for (uint32_t i = 0; i < cells->count; i++) {
        cells->list[i].before = exp_runner_times(r, &cells->list[i].cell);
        cells->list[i].hits = 0;
    }
    r->runs += seeds;
    for (uint32_t seed = 0; seed < seeds; seed++) {
        sim_result run;
        const col_status status =
            sim_system_run(r->system, program, first + seed, false, NULL, &run, problem);
        if (status != COL_OK)
            return status;
        for (uint32_t i = 0; i < cells->count; i++) {
            exp_open_cell *o = &cells->list[i];
            const uint64_t times = exp_runner_times(r, &o->cell);
            o->hits += times > o->before;
            o->before = times;
        }
    }
    return COL_OK;
}

/* The design's network is better than any other, and that than none. */
enum { ON_NONE, ON_OTHER, ON_OWN };

static uint32_t rank_of(uint32_t hits, const exp_network *network) {
    return hits == 0 ? ON_NONE : exp_network_is_own(network) ? ON_OWN : ON_OTHER;
}

/* Is the program, after its first seeds, worth all of them for some cell? Notes for which. */
static bool are_promising(exp_open_cells *cells, const exp_network *network) {
    bool some = false;
    for (uint32_t i = 0; i < cells->count; i++) {
        exp_open_cell *o = &cells->list[i];
        const uint32_t best = rank_of(o->emission.hits, &o->emission.network);
        const uint32_t rank = rank_of(o->hits, network);
        o->is_promising = rank > best || (rank == best && o->hits > o->promise);
        o->first_hits = o->hits;
        some = some || o->is_promising;
    }
    return some;
}

/* After all seeds: keeps the program for the cells that it is better for than the best so far.
 * `rng` is what it was drawn with. Is there such a cell? */
static bool keep(exp_open_cells *cells, const base_rng *rng, const exp_network *network) {
    bool some = false;
    for (uint32_t i = 0; i < cells->count; i++) {
        exp_open_cell *o = &cells->list[i];
        exp_emission *best = &o->emission;
        if (!o->is_promising || o->hits == 0)
            continue;
        const uint32_t best_rank = rank_of(best->hits, &best->network);
        o->promise = o->first_hits;
        if (rank_of(o->hits, network) == best_rank && o->hits <= best->hits)
            continue;
        o->rng = *rng;
        best->hits = o->hits;
        best->network = *network;
        best->is_random = some = true;
    }
    return some;
}

static bool are_settled(const exp_open_cells *cells) {
    for (uint32_t i = 0; i < cells->count; i++) {
        const exp_open_cell *o = &cells->list[i];
        if (rank_of(o->promise, &o->emission.network) < ON_OWN || o->promise < PROGRAM_SEEDS)
            return false;
    }
    return true;
}

static col_status write_programs(const exp_runner *r, exp_open_cells *cells, col_problem *problem) {
    col_status status = COL_OK;
    for (uint32_t i = 0; status == COL_OK && i < cells->count; i++) {
        exp_open_cell *o = &cells->list[i];
        if (!o->emission.is_random)
            continue;
        base_rng rng = o->rng;
        (void)draw_network(r, &rng);
        status = draw_program(r, &rng, &o->emission.program, problem);
    }
    return status;
}

col_status exp_emit_random(exp_runner *r, exp_open_cells *cells, col_problem *problem) {
    col_program program = COL_PROGRAM_EMPTY;
    col_status status = COL_OK;
    base_rng rng;
    base_rng_seed(&rng, r->aims->seed, 1);
    for (uint32_t i = 0, idle = 0; status == COL_OK && i < r->aims->random_programs &&
                                   idle < PATIENCE && !are_settled(cells) && !exp_runner_is_over(r);
         i++) {
        idle++;
        const base_rng first = rng;
        const exp_network network = draw_network(r, &rng);
        exp_runner_wire(r, &network);
        status = draw_program(r, &rng, &program, problem);
        if (status == COL_OK)
            status = run_seeds(r, cells, &program, EXP_FIRST_TRIAL_SEED, PROGRAM_SEEDS, problem);
        if (status != COL_OK || !are_promising(cells, &network))
            continue;
        status = run_seeds(r, cells, &program, 1, EXP_EMISSION_SEEDS, problem);
        if (status == COL_OK && keep(cells, &first, &network))
            idle = 0;
    }
    if (status == COL_OK)
        status = write_programs(r, cells, problem);
    col_program_free(&program);
    return status;
}
