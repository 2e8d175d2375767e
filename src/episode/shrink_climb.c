/* SPDX-License-Identifier: MIT */
/*
 * Climbing. See shrink_climb.h. A candidate is judged by the seeds of the current set; before it is
 * taken it must prove itself with those of the next set, so that luck with seeds does not add up.
 */
#include "episode/shrink_climb.h"
#include "base/memory.h"
#include "base/problem.h"
#include "program/reduce.h"
#include "program/vary.h"

#include <stdlib.h>

enum {
    BATCHES = 8,    /* of a set */
    FEW = 8,        /* failing seeds that say little */
    MORE_SEEDS = 4, /* then there are this many times more */
    OFTEN = 2,      /* one seed of this many fails: no need to climb */
    MOST_DELAYS = 8,
    MOST_IDLE = 3, /* rounds in which nothing was found */
    FEWEST_VARIANTS = 96,
    VARIANTS = 8, /* in a round, for each operation */
};

col_status epi_climb_begin(epi_climb *climb, const col_program *program, col_problem *problem) {
    base_rng_seed(&climb->rng, climb->seed, 0);
    return prg_copy(program, &climb->best, problem);
}

void epi_climb_free(epi_climb *climb) {
    col_program_free(&climb->best);
    col_program_free(&climb->candidate);
    col_program_free(&climb->second);
    free(climb->keeps);
}

static bool is_fine(epi_climb *climb, col_status status) {
    if (status == COL_OK)
        return true;
    climb->status = status;
    climb->over = true;
    return false;
}

static uint32_t below(epi_climb *climb, uint32_t bound) {
    return (uint32_t)base_rng_below(&climb->rng, bound);
}

static void swap_programs(col_program *a, col_program *b) {
    const col_program was = *a;
    *a = *b;
    *b = was;
}

static uint32_t count_kind(const col_program *program, col_kind kind) {
    uint32_t count = 0;
    for (uint32_t o = 0; o < col_program_operations(program); o++)
        count += program->operations[o].kind == kind;
    return count;
}

/* ---- Judging. */

/* How many of the set's seeds fail. Where it is plain that they are fewer than wanted it is not
 * counted to the end. */
static uint32_t judge(epi_climb *climb, const col_program *program, uint32_t tried,
                      uint32_t wanted) {
    uint32_t failing = 0;
    for (uint32_t batch = 0; batch < BATCHES && !climb->over; batch++) {
        const int64_t here = climb->count(climb->context, program, climb->set * BATCHES + batch,
                                          tried / BATCHES, &climb->failed);
        climb->work += (uint64_t)(tried / BATCHES) * col_program_operations(program);
        climb->over = here < 0 || climb->work > climb->most_work;
        failing += here < 0 ? 0 : (uint32_t)here;
        if (2 * BATCHES * (failing + 2) < wanted * (batch + 1))
            return 0;
    }
    return climb->over ? 0 : failing;
}

/* With the seeds of other sets; more of them if that says little. */
static epi_rate judge_again(epi_climb *climb, const col_program *program) {
    epi_rate rate = {.tried = (climb->seeds + BATCHES - 1) / BATCHES * BATCHES};
    climb->set++;
    rate.failing = judge(climb, program, rate.tried, 0);
    if (rate.failing >= FEW)
        return rate;
    climb->set++;
    rate.tried *= MORE_SEEDS;
    rate.failing = judge(climb, program, rate.tried, 0);
    return rate;
}

/* The candidate becomes the best program if it keeps this many failing seeds with others too. */
static bool take(epi_climb *climb, uint32_t wanted) {
    const epi_rate rate = judge_again(climb, &climb->candidate);
    if (climb->over || rate.failing == 0 ||
        (uint64_t)rate.failing * climb->rate.tried < (uint64_t)wanted * rate.tried)
        return false;
    swap_programs(&climb->best, &climb->candidate);
    climb->rate = rate;
    climb->shown = climb->failed;
    return true;
}

/* ---- Leaving out. */

/* The failing seeds that a smaller program must keep: a quarter, if they are many. */
static uint32_t least_kept(const epi_rate *rate) {
    const uint32_t few = rate->tried / 100, many = rate->tried / 20, quarter = rate->failing / 4;
    if (rate->failing <= few)
        return rate->failing == 0 ? 1 : rate->failing;
    return quarter < few ? few : quarter > many ? many : quarter;
}

static bool make_without(epi_climb *climb, uint32_t operation) {
    const uint32_t operations = col_program_operations(&climb->best);
    if (!is_fine(climb, base_reserve(&climb->keeps, &climb->keeps_capacity, operations + 1,
                                     sizeof *climb->keeps, &climb->problem)))
        return false;
    for (uint32_t o = 0; o < operations; o++)
        climb->keeps[o] = o != operation;
    return is_fine(climb, prg_keep(&climb->best, climb->keeps, &climb->candidate, &climb->problem));
}

/* The first operation without which it fails as often, or else the one that is missed least. */
static bool leave_out(epi_climb *climb) {
    const uint32_t operations = col_program_operations(&climb->best);
    const uint32_t start = below(climb, operations), wanted = least_kept(&climb->rate);
    uint32_t most = 0;
    for (uint32_t i = 0; i < operations && operations > 1; i++) {
        const uint32_t o = (start + i) % operations;
        if (climb->best.operations[o].kind == COL_DELAY || !make_without(climb, o))
            continue;
        const uint32_t failing = judge(climb, &climb->candidate, climb->rate.tried, wanted);
        if (climb->over)
            return false;
        if (failing >= climb->rate.failing && failing > 0 && take(climb, wanted))
            return true;
        if (failing <= most)
            continue;
        most = failing;
        swap_programs(&climb->candidate, &climb->second);
    }
    if (most < wanted)
        return false;
    swap_programs(&climb->candidate, &climb->second);
    return take(climb, wanted);
}

/* ---- Variants. */

static uint32_t draw_place(epi_climb *climb, uint32_t *thread) {
    const col_program *best = &climb->best;
    *thread = below(climb, best->thread_count);
    return below(climb, best->thread_start[*thread + 1] - best->thread_start[*thread] + 1);
}

static uint32_t draw_length(epi_climb *climb) {
    enum { SHORTEST = 8, LENGTHS = 8 };
    return (uint32_t)SHORTEST << below(climb, LENGTHS);
}

static bool add_delay(epi_climb *climb, uint32_t unused) {
    uint32_t thread;
    (void)unused;
    if (count_kind(&climb->best, COL_DELAY) >= MOST_DELAYS)
        return false;
    const uint32_t place = draw_place(climb, &thread);
    const col_operation delay = {.kind = COL_DELAY, .location = draw_length(climb)};
    return is_fine(
        climb, prg_insert(&climb->best, &delay, thread, place, &climb->candidate, &climb->problem));
}

static bool drop_delay(epi_climb *climb, uint32_t o) {
    return climb->best.operations[o].kind == COL_DELAY && make_without(climb, o);
}

static bool move(epi_climb *climb, uint32_t o) {
    uint32_t thread, place = draw_place(climb, &thread);
    if (col_program_thread_of(&climb->best, o) == thread && place > 0)
        place--; /* counted without itself */
    return is_fine(climb,
                   prg_move(&climb->best, o, thread, place, &climb->candidate, &climb->problem));
}

static bool exchange(epi_climb *climb, uint32_t o) {
    const uint32_t thread = col_program_thread_of(&climb->best, o);
    const uint32_t place = o - climb->best.thread_start[thread];
    return place > 0 && is_fine(climb, prg_move(&climb->best, o, thread, place - 1,
                                                &climb->candidate, &climb->problem));
}

/* A read for a write, or the other way round; false: it is neither. */
static bool turn(col_program *program, col_operation *operation) {
    if (operation->kind != COL_LOAD && operation->kind != COL_STORE)
        return false;
    operation->value = operation->kind == COL_LOAD ? prg_unused_value(program) : 0;
    operation->kind = operation->kind == COL_LOAD ? COL_STORE : COL_LOAD;
    operation->order = 0;
    operation->dependency = COL_NO_DEPENDENCY;
    operation->distance = 0;
    return true;
}

/* Another length, another location, or another kind. */
static bool alter(epi_climb *climb, uint32_t o) {
    if (!is_fine(climb, prg_copy(&climb->best, &climb->candidate, &climb->problem)))
        return false;
    col_operation *operation = &climb->candidate.operations[o];
    const bool is_delay = operation->kind == COL_DELAY;
    if (!is_delay && !col_kinds[operation->kind].located)
        return false;
    if (is_delay)
        operation->location = draw_length(climb);
    else if (below(climb, 2) == 0)
        operation->location = below(climb, climb->best.location_count);
    else if (!turn(&climb->candidate, operation))
        return false;
    return is_fine(climb, prg_mend(&climb->candidate, &climb->problem));
}

/* What a variant must reach: a delay has its price, and without one it is plainer. What fails as
 * often is taken too, because the way up may be behind it. */
typedef struct variant_kind {
    bool (*make)(epi_climb *climb, uint32_t operation);
    uint32_t quarters; /* of the seeds that fail now */
} variant_kind;

static const variant_kind variants[] = {{add_delay, 6},  {add_delay, 6}, {add_delay, 6},
                                        {drop_delay, 3}, {move, 4},      {exchange, 4},
                                        {alter, 4},      {alter, 4}};

static bool try_variant(epi_climb *climb) {
    const variant_kind *kind = &variants[below(climb, sizeof variants / sizeof variants[0])];
    const uint32_t failing = climb->rate.failing, more = kind->quarters > 4 ? 1 : 0;
    const uint32_t wanted = failing * kind->quarters / 4 + more;
    if (!kind->make(climb, below(climb, col_program_operations(&climb->best))) ||
        col_program_equal(&climb->candidate, &climb->best))
        return false;
    if (judge(climb, &climb->candidate, climb->rate.tried, wanted) < wanted || climb->over)
        return false;
    return take(climb, more > 0 ? failing : wanted);
}

static bool try_variants(epi_climb *climb) {
    const uint32_t count = FEWEST_VARIANTS + VARIANTS * col_program_operations(&climb->best);
    bool is_changed = false;
    for (uint32_t i = 0; i < count && !climb->over; i++) {
        is_changed |= try_variant(climb);
        if (climb->rate.failing * OFTEN >= climb->rate.tried)
            break;
    }
    return is_changed;
}

bool epi_climb_run(epi_climb *climb) {
    bool is_changed = false;
    if (count_kind(&climb->best, COL_AWAIT) > 0 || climb->best.location_count == 0)
        return false;
    climb->rate = judge_again(climb, &climb->best);
    for (int idle = 0; idle < MOST_IDLE && !climb->over;) {
        const epi_rate was = climb->rate;
        bool is_better = false;
        while (!climb->over && leave_out(climb))
            is_better = true;
        is_changed |= is_better;
        is_changed |= try_variants(climb);
        is_better |= (uint64_t)climb->rate.failing * was.tried * 4 >
                     (uint64_t)was.failing * climb->rate.tried * 5;
        idle = is_better ? 0 : idle + 1;
    }
    return is_changed;
}
