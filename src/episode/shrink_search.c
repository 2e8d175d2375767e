/* SPDX-License-Identifier: MIT */
/*
 * Delta debugging of programs. See shrink_search.h. What has been found to pass is remembered, so
 * that going over a program again until nothing changes costs nothing.
 */
#include "episode/shrink_search.h"
#include "base/memory.h"
#include "base/problem.h"
#include "program/reduce.h"

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
    free(search->passed);
}

bool epi_search_is_fine(epi_search *search, col_status status) {
    if (status == COL_OK)
        return true;
    search->status = status;
    search->over = true;
    return false;
}

static bool has_passed(const epi_search *search, col_hash hash) {
    for (size_t i = search->passed_count; i-- > 0;)
        if (search->passed[i].high == hash.high && search->passed[i].low == hash.low)
            return true;
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
    const col_hash hash = col_program_hash(&search->candidate);
    if (has_passed(search, hash))
        return false;
    const epi_answer answer = search->ask(search->context, &search->candidate);
    if (answer == EPI_FAILS) {
        swap_programs(&search->candidate, &search->best);
        return true;
    }
    search->over = answer == EPI_NO_ANSWER;
    if (!search->over &&
        epi_search_is_fine(search,
                           base_reserve(&search->passed, &search->passed_capacity,
                                        search->passed_count + 1, sizeof hash, &search->problem)))
        search->passed[search->passed_count++] = hash;
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

static bool merge(epi_search *search, uint32_t into, uint32_t location) {
    if (!copy_best(search))
        return false;
    for (uint32_t o = 0; o < col_program_operations(&search->candidate); o++) {
        col_operation *operation = &search->candidate.operations[o];
        if (col_kinds[operation->kind].located && operation->location == location)
            operation->location = into;
    }
    return try_mended(search);
}

static bool merge_locations(epi_search *search) {
    bool is_changed = false;
    if (search->best.location_count > MOST_MERGED)
        return false;
    for (uint32_t l = search->best.location_count; l-- > 1;)
        for (uint32_t into = 0; into < l && l < search->best.location_count; into++)
            is_changed |= merge(search, into, l);
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

/* A thread runs on the core of its number: without empty ones others move to other cores. */
static bool drop_empty_threads(epi_search *search) {
    bool is_changed = close_ranks(search, UINT32_MAX);
    for (uint32_t t = search->best.thread_count; t-- > 0;)
        if (is_empty(&search->best, t))
            is_changed |= close_ranks(search, t);
    return is_changed;
}

bool epi_search_minimise(epi_search *search) {
    bool is_changed = false;
    for (bool goes_on = true; goes_on && !search->over; is_changed |= goes_on) {
        goes_on = drop_parts(search, PART_THREAD);
        goes_on |= drop_parts(search, PART_LOCATION);
        goes_on |= drop_parts(search, PART_OPERATION);
        goes_on |= drop_empty_threads(search);
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
