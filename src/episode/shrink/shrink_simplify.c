/* SPDX-License-Identifier: MIT */
/*
 * The first cut. See shrink_trial.h. What had not performed when the failure showed has no part
 * in a violation; in a deadlock it is what hangs.
 */
#include "episode/shrink/shrink_trial.h"

#include "base/memory.h"
#include "program/geometry.h"
#include "program/reshape.h"

enum { MOST_WAITING = 16, NEVER = UINT32_MAX };

/* Which operations of the window to keep. */
typedef enum focus_kind { ON_THREADS_AND_BLOCKS, ON_BLOCKS, ON_ALL, FOCUS_COUNT } focus_kind;

typedef struct cut {
    const col_program *program;
    const epi_failing_run *run;
    uint32_t block_bits;
    uint32_t *age;      /* by operation: how many performed after it */
    bool *in_focus;     /* by location: in a block that the failure is about */
    bool *thread_named; /* by thread */
    bool *keeps;
    uint32_t oldest, fewest;
} cut;

static bool is_access(const col_program *program, uint32_t operation) {
    const col_kind_traits *traits = &col_kinds[program->operations[operation].kind];
    return traits->reads || traits->writes;
}

/* What waits at the end of a thread is the youngest of all. */
static void find_ages(cut *c) {
    const col_program *program = c->program;
    const epi_instance *instance = &c->run->instance;
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
    for (uint32_t o = 0; c->run->has_mentions && o < col_program_operations(program); o++) {
        if (!c->run->mentioned[o])
            continue;
        c->thread_named[col_program_thread_of(program, o)] = true;
        if (!col_kinds[program->operations[o].kind].located)
            continue;
        const uint64_t block = program->addresses[program->operations[o].location] >> c->block_bits;
        for (uint32_t l = 0; l < program->location_count; l++)
            c->in_focus[l] |= program->addresses[l] >> c->block_bits == block;
    }
    for (uint32_t l = 0; c->run->has_block && l < program->location_count; l++)
        c->in_focus[l] |= program->addresses[l] >> c->block_bits == c->run->block >> c->block_bits;
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
            if (focus == ON_THREADS_AND_BLOCKS && !c->run->has_mentions)
                continue;
            if (focus == ON_BLOCKS && !c->run->has_mentions && !c->run->has_block)
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

bool epi_search_cut(epi_search *search, const epi_failing_run *run, uint32_t block_bits,
                    uint32_t fewest) {
    const size_t operations = (size_t)col_program_operations(&search->best) + 1;
    base_arena arena = {0};
    cut c = {.program = &search->best, .run = run, .block_bits = block_bits, .fewest = fewest};
    const base_part parts[] = {BASE_PART(c.age, operations),
                               BASE_PART(c.keeps, operations),
                               BASE_PART(c.in_focus, search->best.location_count),
                               BASE_PART(c.thread_named, search->best.thread_count),
                               {0}};
    bool is_changed = false;
    if (epi_search_is_fine(search, base_arena_divide(&arena, parts, &search->problem))) {
        find_ages(&c);
        find_focus(&c);
        is_changed = try_windows(search, &c);
    }
    base_arena_free(&arena);
    return is_changed;
}

/*
 * Addresses of a program that is being shrunk. What matters of an address is which other locations
 * share its block, and which share its set at each level of the caches; all else is made as plain
 * as possible: the smallest addresses that have these conflicts, or fewer.
 */

enum { MOST_BLOCKS = 1 << 18, MOST_LOCATIONS = 32 };
enum { IN_ONE_BLOCK = INT32_MAX, ALL_LEVELS = INT32_MAX }; /* sets of levels */
enum { ALL_LOCATIONS = INT32_MAX - 1, NO_LOCATION };       /* instead of one */

/* Which levels' sets two addresses share, a bit for each; IN_ONE_BLOCK: the block too. */
static uint32_t conflicts(const col_geometry *geometry, uint64_t a, uint64_t b) {
    uint32_t found = 0;
    if (a >> geometry->block_bits == b >> geometry->block_bits)
        return IN_ONE_BLOCK;
    for (uint32_t l = 0; l < geometry->level_count; l++)
        if (((a ^ b) & prg_level_mask(&geometry->levels[l])) == 0)
            found |= 1U << l;
    return found;
}

/* Does the address conflict with those before it as `wanted` says? */
static bool fits(const col_geometry *geometry, const uint64_t *addresses, uint32_t location,
                 uint64_t address, const uint32_t *wanted) {
    for (uint32_t l = 0; l < location; l++)
        if (address == addresses[l] || conflicts(geometry, address, addresses[l]) != wanted[l])
            return false;
    return true;
}

/* The smallest address that fits; false: there is none that is small. */
static bool find_address(const col_geometry *geometry, uint64_t *addresses, uint32_t location,
                         const uint32_t *wanted) {
    const uint64_t words = (UINT64_C(1) << geometry->block_bits) / COL_WORD_BYTES;
    for (uint64_t block = 1; block <= MOST_BLOCKS; block++) { /* 0 looks like nothing */
        const uint64_t address = block << geometry->block_bits;
        bool shares = false; /* only then do its other words fit better than the first */
        for (uint32_t l = 0; l < location; l++)
            shares |= addresses[l] >> geometry->block_bits == block;
        for (uint64_t word = 0; word < (shares ? words : 1); word++)
            if (fits(geometry, addresses, location, address + word * COL_WORD_BYTES, wanted)) {
                addresses[location] = address + word * COL_WORD_BYTES;
                return true;
            }
    }
    return false;
}

/* What the best program's conflicts become. */
typedef struct conflict_rule {
    uint32_t location; /* whose conflicts change; ALL_LOCATIONS; NO_LOCATION */
    uint32_t ignored;  /* levels at which there are to be none */
    bool splits;       /* it leaves its block; else all that share the block go with it */
} conflict_rule;

static bool is_about(const epi_search *search, const col_geometry *geometry,
                     const conflict_rule *kept, uint32_t location) {
    const uint64_t *addresses = search->best.addresses;
    if (kept->location >= search->best.location_count)
        return kept->location == ALL_LOCATIONS;
    return location == kept->location ||
           (!kept->splits &&
            conflicts(geometry, addresses[location], addresses[kept->location]) == IN_ONE_BLOCK);
}

static uint32_t wanted_conflicts(const epi_search *search, const col_geometry *geometry,
                                 const conflict_rule *kept, uint32_t a, uint32_t b) {
    const uint32_t were = conflicts(geometry, search->best.addresses[a], search->best.addresses[b]);
    if (!is_about(search, geometry, kept, a) && !is_about(search, geometry, kept, b))
        return were;
    if (were == IN_ONE_BLOCK)
        return kept->splits ? 0 : IN_ONE_BLOCK;
    return were & ~kept->ignored;
}

/* Tries the smallest addresses that have these conflicts. */
static bool assign(epi_search *search, const col_geometry *geometry, conflict_rule kept) {
    uint32_t wanted[MOST_LOCATIONS];
    if (search->over ||
        !epi_search_is_fine(search, prg_copy(&search->best, &search->candidate, &search->problem)))
        return false;
    for (uint32_t l = 0; l < search->best.location_count; l++) {
        for (uint32_t k = 0; k < l; k++)
            wanted[k] = wanted_conflicts(search, geometry, &kept, k, l);
        if (!find_address(geometry, search->candidate.addresses, l, wanted))
            return false;
    }
    return epi_search_try(search);
}

static bool has_conflict(const col_program *program, const col_geometry *geometry) {
    for (uint32_t l = 0; l < program->location_count; l++)
        for (uint32_t k = 0; k < l; k++)
            if (conflicts(geometry, program->addresses[k], program->addresses[l]) != 0)
                return true;
    return false;
}

/* From the greatest change to the smallest, while there is something to be gained. */
static bool drop_conflicts(epi_search *search, const col_geometry *geometry) {
    const uint32_t locations = search->best.location_count;
    bool is_changed = false;
    for (uint32_t i = 0; i < 2 * locations + 2 && has_conflict(&search->best, geometry); i++)
        is_changed |= assign(search, geometry,
                             (conflict_rule){.location = i < 2 ? ALL_LOCATIONS : (i - 2) / 2,
                                             .ignored = ALL_LEVELS,
                                             .splits = i % 2 == 0});
    for (uint32_t i = geometry->level_count; i-- > 0 && has_conflict(&search->best, geometry);)
        is_changed |= assign(search, geometry,
                             (conflict_rule){.location = ALL_LOCATIONS, .ignored = 1U << i});
    return is_changed;
}

bool epi_search_addresses(epi_search *search, const col_geometry *geometry) {
    if (search->best.location_count > MOST_LOCATIONS)
        return false;
    const bool is_changed = drop_conflicts(search, geometry);
    return assign(search, geometry, (conflict_rule){.location = NO_LOCATION}) || is_changed;
}
