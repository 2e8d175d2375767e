/* SPDX-License-Identifier: MIT */
/*
 * Delta debugging of programs. See shrink_search.h. What has been found to pass is remembered, so
 * that going over a program again until nothing changes costs nothing.
 */
#include "episode/shrink/shrink_search.h"

#include "base/memory.h"
#include "base/problem.h"
#include "program/reshape.h"

#include <stdlib.h>
#include <string.h>

/* What can be left out as one. */
typedef enum part_kind { PART_THREAD, PART_LOCATION, PART_OPERATION } part_kind;

enum { MOST_MERGED = 16, MOST_ARRANGED = 6, MOST_ARRANGEMENTS = 24 };

col_status epi_search_begin(epi_search *search, const col_program *program, col_problem *problem) {
    return prg_copy(program, &search->best, problem);
}

void epi_search_free(epi_search *search) {
    col_program_free(&search->best);
    col_program_free(&search->candidate);
    col_program_free(&search->other);
    free(search->keeps);
    base_index_free(&search->passed);
}

bool epi_search_is_fine(epi_search *search, col_status status) {
    if (status == COL_OK)
        return true;
    search->status = status;
    search->over = true;
    return false;
}

static void swap_programs(col_program *a, col_program *b) {
    const col_program was = *a;
    *a = *b;
    *b = was;
}

bool epi_search_try(epi_search *search) {
    if (search->over || col_program_operations(&search->candidate) == 0 ||
        col_program_equal(&search->candidate, &search->best))
        return false;
    const uint64_t hash = col_program_hash(&search->candidate).low;
    if (base_index_find(&search->passed, hash, NULL, NULL, NULL) != BASE_NO_NUMBER)
        return false;
    const epi_answer answer = search->ask(search->context, &search->candidate);
    if (answer == EPI_FAILS) {
        swap_programs(&search->candidate, &search->best);
        return true;
    }
    search->over = answer == EPI_NO_ANSWER;
    if (!search->over)
        (void)epi_search_is_fine(search, base_index_put(&search->passed, hash, &search->problem));
    return false;
}

bool epi_search_keep(epi_search *search, const bool *keeps) {
    if (search->keep != NULL)
        return search->keep(search, keeps);
    return epi_search_is_fine(
               search, prg_keep(&search->best, keeps, &search->candidate, &search->problem)) &&
           epi_search_try(search);
}

/* ---- Leaving out. */

static uint32_t count_parts(const col_program *program, part_kind part) {
    if (part == PART_THREAD)
        return program->thread_count;
    return part == PART_LOCATION ? program->location_count : col_program_operations(program);
}

/* Is the operation in one of the parts `first` to `end` - 1? Fences and delays are nowhere. */
static bool is_in(const col_program *program, uint32_t operation, part_kind part, uint32_t first,
                  uint32_t end) {
    uint32_t number = operation;
    if (part == PART_THREAD)
        number = col_program_thread_of(program, operation);
    if (part == PART_LOCATION) {
        const col_operation *o = &program->operations[operation];
        number = col_kinds[o->kind].located ? o->location : UINT32_MAX;
    }
    return number >= first && number < end;
}

static bool drop(epi_search *search, part_kind part, uint32_t first, uint32_t end) {
    const uint32_t operations = col_program_operations(&search->best);
    if (!epi_search_is_fine(search,
                            base_reserve(&search->keeps, &search->keeps_capacity, operations + 1,
                                         sizeof *search->keeps, &search->problem)))
        return false;
    for (uint32_t o = 0; o < operations; o++)
        search->keeps[o] = !is_in(&search->best, o, part, first, end);
    return epi_search_keep(search, search->keeps);
}

/* What is left moves up, so that forward the next part is where the one was that has gone. */
static bool drop_chunks(epi_search *search, part_kind part, uint32_t chunk) {
    bool is_changed = false;
    uint32_t at = search->forward ? 0 : count_parts(&search->best, part);
    while (search->forward && at < count_parts(&search->best, part) && !search->over) {
        const bool is_gone = drop(search, part, at, at + chunk);
        at += is_gone ? 0 : chunk;
        is_changed |= is_gone;
    }
    for (; !search->forward && at > 0 && !search->over; at = at > chunk ? at - chunk : 0)
        is_changed |= drop(search, part, at > chunk ? at - chunk : 0, at);
    return is_changed;
}

static bool drop_parts(epi_search *search, part_kind part) {
    bool is_changed = false;
    uint32_t chunk = count_parts(&search->best, part) / 2;
    for (chunk = chunk == 0 ? 1 : chunk; chunk > 0 && !search->over; chunk /= 2)
        is_changed |= drop_chunks(search, part, chunk);
    return is_changed;
}

/* ---- Weaker operations. */

/* The n-th way to make it weaker; false: there is no such way for it. */
static bool weaken(col_operation *operation, int way) {
    const bool is_atomic = col_kinds[operation->kind].reads && col_kinds[operation->kind].writes;
    switch (way) {
    case 0: /* a plain read */
        if (!is_atomic && operation->kind != COL_AWAIT)
            return false;
        operation->kind = COL_LOAD;
        operation->value = 0;
        operation->order &= COL_ACQUIRE;
        return true;
    case 1: /* a plain write */
        if (!is_atomic)
            return false;
        operation->kind = COL_STORE;
        operation->order &= COL_RELEASE;
        return true;
    case 2:
        if (operation->order == 0)
            return false;
        operation->order = 0;
        return true;
    case 3:
        if (operation->dependency == COL_NO_DEPENDENCY)
            return false;
        operation->dependency = COL_NO_DEPENDENCY;
        operation->distance = 0;
        return true;
    default: /* a shorter delay */
        if (operation->kind != COL_DELAY || operation->location <= 1)
            return false;
        operation->location /= 2;
        return true;
    }
}

static bool copy_best(epi_search *search) {
    return epi_search_is_fine(search,
                              prg_copy(&search->best, &search->candidate, &search->problem));
}

static bool try_mended(epi_search *search) {
    return epi_search_is_fine(search, prg_mend(&search->candidate, &search->problem)) &&
           epi_search_try(search);
}

static bool weaken_operations(epi_search *search) {
    enum { WAYS = 5 };
    bool is_changed = false;
    for (uint32_t o = col_program_operations(&search->best); o-- > 0;)
        for (int way = 0; way < WAYS && !search->over; way++)
            if (copy_best(search) && weaken(&search->candidate.operations[o], way))
                is_changed |= try_mended(search);
    return is_changed;
}

/* ---- Fewer locations and threads with the same operations. */

static bool merge_locations(epi_search *search) {
    bool is_changed = false;
    if (search->best.location_count > MOST_MERGED)
        return false;
    for (uint32_t l = search->best.location_count; l-- > 1;)
        for (uint32_t into = 0; into < l && l < search->best.location_count; into++) {
            if (!copy_best(search))
                return is_changed;
            for (uint32_t o = 0; o < col_program_operations(&search->candidate); o++) {
                col_operation *operation = &search->candidate.operations[o];
                if (col_kinds[operation->kind].located && operation->location == l)
                    operation->location = into;
            }
            is_changed |= try_mended(search);
        }
    return is_changed;
}

static bool is_empty(const col_program *program, uint32_t thread) {
    return program->thread_start[thread] == program->thread_start[thread + 1];
}

/* Without thread `gone`, or without all that are empty (UINT32_MAX). */
static bool close_ranks(epi_search *search, uint32_t gone) {
    const uint32_t threads = search->best.thread_count;
    uint32_t *order = malloc(((size_t)threads + 1) * sizeof *order), count = 0;
    if (order == NULL)
        return epi_search_is_fine(search, base_out_of_memory(&search->problem));
    for (uint32_t t = 0; t < threads; t++)
        if (t != gone && (gone != UINT32_MAX || !is_empty(&search->best, t)))
            order[count++] = t;
    const bool is_made = epi_search_is_fine(
        search, prg_arrange(&search->best, order, count, &search->candidate, &search->problem));
    free(order);
    return is_made && epi_search_try(search);
}

bool epi_search_minimise(epi_search *search) {
    bool is_changed = false;
    for (bool goes_on = true; goes_on && !search->over; is_changed |= goes_on) {
        goes_on = drop_parts(search, PART_THREAD);
        goes_on |= drop_parts(search, PART_LOCATION);
        goes_on |= drop_parts(search, PART_OPERATION);
        /* A thread runs on the core of its number: without empty ones others move to other cores.
         */
        goes_on |= close_ranks(search, UINT32_MAX);
        for (uint32_t t = search->best.thread_count; t-- > 0;)
            if (is_empty(&search->best, t))
                goes_on |= close_ranks(search, t);
        goes_on |= merge_locations(search);
        goes_on |= weaken_operations(search);
    }
    return is_changed;
}

/* ---- The canonical form. */

/* The next order of the numbers; false: that was the last one. */
static bool permute(uint32_t *order, uint32_t count) {
    uint32_t i = count, j = count;
    while (i > 1 && order[i - 2] >= order[i - 1])
        i--;
    if (i <= 1)
        return false;
    while (order[j - 1] <= order[i - 2])
        j--;
    uint32_t was = order[i - 2];
    order[i - 2] = order[j - 1];
    order[j - 1] = was;
    for (j = count - 1; i - 1 < j; i++, j--) {
        was = order[i - 1];
        order[i - 1] = order[j];
        order[j] = was;
    }
    return true;
}

/* The candidate becomes the first arrangement, as prg_compare orders them, that comes before the
 * best program and after the `other` one; false: there is none. */
static bool next_arrangement(epi_search *search, bool has_other, col_program *arranged) {
    uint32_t order[MOST_ARRANGED];
    const uint32_t threads = search->best.thread_count;
    bool found = false;
    for (uint32_t t = 0; t < threads; t++)
        order[t] = t;
    do {
        if (!epi_search_is_fine(
                search, prg_arrange(&search->best, order, threads, arranged, &search->problem)) ||
            !epi_search_is_fine(search, prg_rename(arranged, &search->problem)))
            return false;
        if (prg_compare(arranged, &search->best) >= 0 ||
            (has_other && prg_compare(arranged, &search->other) <= 0) ||
            (found && prg_compare(arranged, &search->candidate) >= 0))
            continue;
        found = true;
        swap_programs(arranged, &search->candidate);
    } while (permute(order, threads));
    return found;
}

static bool arrange(epi_search *search) {
    col_program arranged = COL_PROGRAM_EMPTY;
    bool is_changed = false;
    for (int i = 0; i < MOST_ARRANGEMENTS && !search->over && !is_changed; i++) {
        if (!next_arrangement(search, i > 0, &arranged) ||
            !epi_search_is_fine(search,
                                prg_copy(&search->candidate, &search->other, &search->problem)))
            break;
        is_changed = epi_search_try(search);
    }
    col_program_free(&arranged);
    return is_changed;
}

bool epi_search_canonical(epi_search *search) {
    const bool is_renamed =
        copy_best(search) &&
        epi_search_is_fine(search, prg_rename(&search->candidate, &search->problem)) &&
        epi_search_try(search);
    if (search->best.thread_count < 2 || search->best.thread_count > MOST_ARRANGED)
        return is_renamed;
    return arrange(search) || is_renamed;
}

/*
 * Climbing. A candidate is judged by the seeds of the current set; before it is
 * taken it must prove itself with those of the next set, so that luck with seeds does not add up.
 */

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
