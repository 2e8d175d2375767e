/* SPDX-License-Identifier: MIT */
/*
 * The first cut. See shrink_cut.h. What had not performed when the failure showed has no part in a
 * violation; in a deadlock it is what hangs.
 */
#include "episode/shrink_cut.h"
#include "base/problem.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_WAITING = 16, NEVER = UINT32_MAX };

/* Which operations of the window to keep. */
typedef enum focus_kind { ON_THREADS_AND_BLOCKS, ON_BLOCKS, ON_ALL, FOCUS_COUNT } focus_kind;

typedef struct cut {
    const col_program *program;
    const epi_look *look;
    uint32_t block_bits;
    uint32_t *age;      /* by operation: how many performed after it */
    bool *in_focus;     /* by location: in a block that the failure is about */
    bool *thread_named; /* by thread */
    bool *keeps;
    uint32_t oldest, fewest;
} cut;

static void free_cut(cut *c) {
    free(c->age);
    free(c->in_focus);
    free(c->thread_named);
    free(c->keeps);
}

static bool make_cut(cut *c) {
    const size_t operations = (size_t)col_program_operations(c->program) + 1;
    c->age = malloc(operations * sizeof *c->age);
    c->keeps = calloc(operations, sizeof *c->keeps);
    c->in_focus = calloc((size_t)c->program->location_count + 1, sizeof *c->in_focus);
    c->thread_named = calloc((size_t)c->program->thread_count + 1, sizeof *c->thread_named);
    return c->age != NULL && c->keeps != NULL && c->in_focus != NULL && c->thread_named != NULL;
}

static bool is_access(const col_program *program, uint32_t operation) {
    const col_kind_traits *traits = &col_kinds[program->operations[operation].kind];
    return traits->reads || traits->writes;
}

/* What waits at the end of a thread is the youngest of all. */
static void find_ages(cut *c) {
    const col_program *program = c->program;
    const epi_instance *instance = &c->look->instance;
    for (uint32_t o = 0; o < col_program_operations(program); o++)
        c->age[o] = NEVER;
    c->oldest = 0;
    for (size_t i = instance->event_count; i-- > 0;)
        if (instance->events[i].kind != COL_FINAL_VALUE &&
            c->age[instance->events[i].operation] == NEVER)
            c->age[instance->events[i].operation] = c->oldest++;
    if (instance->outcome == COL_VIOLATION)
        return;
    for (uint32_t t = 0; t < program->thread_count; t++) {
        uint32_t waiting = 0;
        for (uint32_t o = program->thread_start[t];
             o < program->thread_start[t + 1] && waiting < MOST_WAITING; o++)
            if (c->age[o] == NEVER && is_access(program, o))
                c->age[o] = waiting++;
    }
}

static void find_focus(cut *c) {
    const col_program *program = c->program;
    for (uint32_t o = 0; c->look->has_mentions && o < col_program_operations(program); o++) {
        if (!c->look->mentioned[o])
            continue;
        c->thread_named[col_program_thread_of(program, o)] = true;
        if (!col_kinds[program->operations[o].kind].located)
            continue;
        const uint64_t block = program->addresses[program->operations[o].location] >> c->block_bits;
        for (uint32_t l = 0; l < program->location_count; l++)
            c->in_focus[l] |= program->addresses[l] >> c->block_bits == block;
    }
    for (uint32_t l = 0; c->look->has_block && l < program->location_count; l++)
        c->in_focus[l] |= program->addresses[l] >> c->block_bits == c->look->block >> c->block_bits;
}

static bool is_wanted(const cut *c, uint32_t thread, uint32_t operation, focus_kind focus) {
    const col_operation *o = &c->program->operations[operation];
    if (focus == ON_THREADS_AND_BLOCKS && !c->thread_named[thread])
        return false;
    return focus == ON_ALL || !col_kinds[o->kind].located || c->in_focus[o->location];
}

/* Accesses by their age; what shows in no event (fences, flushes, delays) if it stands between
 * such. Returns how many are kept. */
static uint32_t choose(cut *c, uint32_t window, focus_kind focus) {
    const col_program *program = c->program;
    uint32_t count = 0;
    for (uint32_t t = 0; t < program->thread_count; t++) {
        uint32_t first = NEVER, last = 0;
        for (uint32_t o = program->thread_start[t]; o < program->thread_start[t + 1]; o++) {
            c->keeps[o] = c->age[o] < window && is_wanted(c, t, o, focus);
            count += c->keeps[o];
            if (c->keeps[o] && first == NEVER)
                first = o;
            last = c->keeps[o] ? o : last;
        }
        for (uint32_t o = first; first != NEVER && o < last; o++) {
            const bool is_between = !is_access(program, o) && is_wanted(c, t, o, focus);
            c->keeps[o] |= is_between;
            count += is_between;
        }
    }
    return count;
}

static bool try_windows(epi_search *search, cut *c) {
    const uint32_t operations = col_program_operations(c->program);
    uint32_t counts[FOCUS_COUNT] = {0};
    for (uint64_t window = c->fewest; !search->over; window *= 2) {
        const bool is_last = window > c->oldest + MOST_WAITING;
        for (int focus = 0; focus < FOCUS_COUNT; focus++) {
            if (focus == ON_THREADS_AND_BLOCKS && !c->look->has_mentions)
                continue;
            if (focus == ON_BLOCKS && !c->look->has_mentions && !c->look->has_block)
                continue;
            const uint32_t count = choose(c, is_last ? NEVER : (uint32_t)window, (focus_kind)focus);
            if (count == counts[focus] || count >= operations)
                continue;
            counts[focus] = count;
            if (epi_search_keep(search, c->keeps))
                return true;
        }
        if (is_last)
            return false;
    }
    return false;
}

bool epi_search_cut(epi_search *search, const epi_look *look, uint32_t block_bits,
                    uint32_t fewest) {
    cut c = {.program = &search->best, .look = look, .block_bits = block_bits, .fewest = fewest};
    bool is_changed = false;
    if (make_cut(&c)) {
        find_ages(&c);
        find_focus(&c);
        is_changed = try_windows(search, &c);
    } else {
        (void)epi_search_is_fine(search, base_out_of_memory(&search->problem));
    }
    free_cut(&c);
    return is_changed;
}
