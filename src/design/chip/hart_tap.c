/* SPDX-License-Identifier: MIT */
/*
 * What harts retire: see chip.h. At the level of reads, a commit log without text. At the level of
 * events, a load performs when its instruction retires, and a write when the chip says so; a
 * swap or add is reported once both are known.
 */
#include "base/memory.h"
#include "design/chip/chip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ENTRY = UINT32_MAX };

/* ---- Opening. */

static col_status place(duv_tap *tap, uint64_t pc, uint32_t what, col_problem *problem) {
    const size_t at = (size_t)(pc - tap->first) / tap->map->target->alignment;
    const size_t before = tap->site_count;
    if (at >= before) {
        BASE_TRY(
            base_reserve(&tap->sites, &tap->site_capacity, at + 1, sizeof *tap->sites, problem));
        memset(tap->sites + before, 0, (at + 1 - before) * sizeof *tap->sites);
        tap->site_count = at + 1;
    }
    tap->sites[at] = what;
    return COL_OK;
}

static col_status place_all(duv_tap *tap, col_problem *problem) {
    const isa_map *map = tap->map;
    tap->first = UINT64_MAX;
    tap->site_count = 0;
    for (uint32_t t = 0; t < map->thread_count; t++)
        if (map->threads[t].entry < tap->first)
            tap->first = map->threads[t].entry;
    for (uint32_t t = 0; t < map->thread_count; t++)
        BASE_TRY(place(tap, map->threads[t].entry, ENTRY, problem));
    for (uint32_t s = 0; s < map->site_count; s++)
        BASE_TRY(place(tap, map->sites[s].pc, s + 1, problem));
    return COL_OK;
}

col_status duv_tap_turn(duv_tap *tap, uint64_t round, const col_observer *observer,
                        col_problem *problem) {
    const size_t operations = (size_t)col_program_operations(tap->program) + 1;
    tap->round = round;
    tap->observer = observer;
    tap->performed = 0;
    tap->stale[0] = '\0';
    BASE_TRY(base_reserve(&tap->operations, &tap->operation_capacity, operations,
                          sizeof *tap->operations, problem));
    memset(tap->operations, 0, operations * sizeof *tap->operations);
    return tap->is_current ? agt_words_clear(&tap->words, tap->program->location_count, problem)
                           : COL_OK;
}

col_status duv_tap_open(duv_tap *tap, const isa_map *map, const col_program *program,
                        col_problem *problem) {
    tap->map = map;
    tap->program = program;
    tap->status = COL_OK;
    tap->cycle = 0;
    isa_commits_free(tap->commits);
    tap->commits = NULL;
    if (tap->last == NULL)
        tap->last = calloc((size_t)tap->harts + 1, sizeof *tap->last);
    if (tap->last_pc == NULL)
        tap->last_pc = calloc((size_t)tap->harts + 1, sizeof *tap->last_pc);
    if (tap->arrivals == NULL)
        tap->arrivals = calloc((size_t)tap->harts + 1, sizeof *tap->arrivals);
    if (tap->last == NULL || tap->last_pc == NULL || tap->arrivals == NULL)
        return base_out_of_memory(problem);
    memset(tap->last, 0, tap->harts * sizeof *tap->last);
    memset(tap->last_pc, 0, tap->harts * sizeof *tap->last_pc);
    memset(tap->arrivals, 0, tap->harts * sizeof *tap->arrivals);
    BASE_TRY(duv_tap_turn(tap, 0, tap->observer, problem));
    BASE_TRY(place_all(tap, problem));
    return tap->tells_events ? COL_OK
                             : isa_commits_new(&tap->commits, map, program, "the tap", problem);
}

void duv_tap_free(duv_tap *tap) {
    isa_commits_free(tap->commits);
    free(tap->sites);
    free(tap->operations);
    free(tap->last);
    free(tap->last_pc);
    free(tap->arrivals);
    agt_words_free(&tap->words);
    *tap = (duv_tap){0};
}

/* ---- Events. */

/* A word of the round, as the program has it. */
static uint64_t unsalt(const duv_tap *tap, uint64_t held) {
    const uint64_t mask = tap->map->word_bytes == 8 ? UINT64_MAX : UINT32_MAX;
    return col_program_from_memory(tap->program,
                                   (held - isa_map_salt(tap->map, tap->round)) & mask);
}

static void tell(const duv_tap *tap, const col_event *event) {
    if (tap->observer != NULL && (tap->observer->kinds >> event->kind & 1) != 0)
        tap->observer->notice(tap->observer->context, event);
}

/* What is in memory once the write has committed. */
static uint64_t written(const duv_tap *tap, uint32_t operation) {
    const col_operation *o = &tap->program->operations[operation];
    return col_program_operand(tap->program, o) +
           (o->kind == COL_ADD ? tap->operations[operation].replaced : 0);
}

static void tell_write(duv_tap *tap, uint32_t hart, uint32_t operation) {
    const col_operation *o = &tap->program->operations[operation];
    duv_tapped *t = &tap->operations[operation];
    const bool reads = col_kinds[o->kind].reads;
    if (t->is_told || !t->is_committed || (reads && !t->has_value))
        return;
    t->is_told = true;
    tap->performed++;
    tell(tap, &(col_event){.kind = COL_STORE_PERFORMED,
                           .cycle = tap->cycle,
                           .core = hart,
                           .operation = operation,
                           .word = written(tap, operation),
                           .overwritten = t->replaced,
                           .read = reads ? t->value : 0});
}

/* Is it what a store before it, which has not committed, writes? */
static bool writes_itself(const duv_tap *tap, uint32_t load, uint64_t word) {
    const col_program *p = tap->program;
    const uint32_t start = p->thread_start[col_program_thread_of(p, load)];
    for (uint32_t o = load; o-- > start;) {
        const col_operation *own = &p->operations[o];
        if (own->kind == COL_STORE && own->location == p->operations[load].location)
            return !tap->operations[o].is_committed && col_program_operand(p, own) == word;
    }
    return false;
}

/* A load began after this cycle: what it returns was there then, or later. */
static void check_current(duv_tap *tap, uint32_t hart, uint32_t load, uint64_t word,
                          uint64_t since) {
    char name[160];
    if (!tap->is_current || tap->stale[0] != '\0' ||
        agt_words_held(&tap->words, tap->program->operations[load].location, word, since) ||
        writes_itself(tap, load, word))
        return;
    isa_name_operation(tap->program, load, name, sizeof name);
    (void)snprintf(
        tap->stale, sizeof tap->stale,
        "%s of hart %u began after cycle %llu and returned a value that had been replaced "
        "before",
        name, hart, (unsigned long long)since);
}

static void take_value(duv_tap *tap, uint32_t hart, uint32_t operation, uint64_t held,
                       uint64_t since) {
    const col_operation *o = &tap->program->operations[operation];
    duv_tapped *t = &tap->operations[operation];
    const uint64_t word = unsalt(tap, held);
    if (t->has_value || (o->kind == COL_AWAIT && word != o->value))
        return;
    t->has_value = true;
    t->value = word;
    if (col_kinds[o->kind].writes) {
        tell_write(tap, hart, operation);
    } else {
        tap->performed++;
        tell(tap, &(col_event){.kind = COL_LOAD_PERFORMED,
                               .cycle = tap->cycle,
                               .core = hart,
                               .operation = operation,
                               .word = word});
        check_current(tap, hart, operation, word, since);
    }
}

/* ---- What harts do. */

/* 1 + operation, ENTRY, or 0: nothing of this hart's is there. */
static uint32_t find(const duv_tap *tap, uint32_t hart, uint64_t pc) {
    const uint32_t alignment = tap->map->target->alignment;
    if (hart >= tap->map->thread_count || pc < tap->first || pc % alignment != 0 ||
        (pc - tap->first) / alignment >= tap->site_count)
        return 0;
    const uint32_t found = tap->sites[(pc - tap->first) / alignment];
    return found != 0 && found != ENTRY && tap->map->sites[found - 1].thread != hart ? 0 : found;
}

void duv_tap_retire(duv_tap *tap, uint32_t hart, uint64_t pc, uint32_t reg, uint64_t value) {
    if (hart >= tap->harts)
        return;
    const uint64_t since = tap->last[hart];
    tap->last[hart] = tap->cycle;
    tap->last_pc[hart] = pc;
    tap->arrivals[hart] += pc == tap->arrives;
    const uint32_t found = find(tap, hart, pc);
    if (found == 0 || tap->status != COL_OK)
        return;
    if (tap->commits != NULL)
        tap->status = isa_commits_take(tap->commits, hart, pc, reg == 0 ? ISA_NONE : reg, value,
                                       &tap->problem);
    else if (found != ENTRY && reg != 0 && tap->map->sites[found - 1].reg == reg)
        take_value(tap, hart, found - 1, value, since);
}

void duv_tap_commit(duv_tap *tap, uint32_t hart, uint64_t pc, uint64_t replaced) {
    const uint32_t found = find(tap, hart, pc);
    if (found == 0 || found == ENTRY || !tap->tells_events ||
        !col_kinds[tap->program->operations[found - 1].kind].writes)
        return;
    duv_tapped *t = &tap->operations[found - 1];
    t->is_committed = true;
    t->replaced = unsalt(tap, replaced);
    if (tap->is_current)
        agt_words_write(&tap->words, tap->program->operations[found - 1].location,
                        written(tap, found - 1), tap->cycle);
    tell_write(tap, hart, found - 1);
}

uint32_t duv_tap_stuck(const duv_tap *tap, uint64_t patience) {
    for (uint32_t h = 0; h < tap->map->thread_count; h++)
        if (tap->cycle - tap->last[h] >= patience)
            return h;
    return tap->harts;
}

void duv_tap_name(const duv_tap *tap, uint64_t pc, char *text, size_t size) {
    enum { NEAR = 8 };
    const uint32_t alignment = tap->map->target->alignment;
    for (uint32_t back = 0; back < NEAR && pc >= tap->first + (uint64_t)back * alignment; back++) {
        const uint64_t at = (pc - tap->first) / alignment - back;
        if (at >= tap->site_count || tap->sites[at] == 0)
            continue;
        if (tap->sites[at] == ENTRY)
            break;
        isa_name_operation(tap->program, tap->sites[at] - 1, text, size);
        return;
    }
    (void)snprintf(text, size, "at pc 0x%llx", (unsigned long long)pc);
}
