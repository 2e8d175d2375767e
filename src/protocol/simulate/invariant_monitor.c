/* SPDX-License-Identifier: MIT */
/*
 * Invariant monitors. Single writer, multiple readers: while one core's private caches may write a
 * block, no other core's may read or write it, by the permissions of their states. Data value: a
 * load returns a word that was current at some time between its issue and its end, and a store
 * replaces the current word. Both are exact for protocols that keep them in physical time. Of a
 * protocol that gives stale words by design, a load's word need only have been written.
 */
#include "base/hash.h"
#include "base/memory.h"
#include "protocol/simulate/system.h"

#include <stdlib.h>
#include <string.h>

/* How many controllers of each core may read and write a block. */
typedef struct permissions {
    sl_entry header;
    uint32_t readers, writers; /* cores that have any */
    uint8_t counts[];          /* readers of each core, then writers of each core */
} permissions;

struct sim_monitor {
    sl_table blocks;
    uint64_t *current;      /* the word of each location */
    uint64_t *initial_gone; /* by location: the cycle its initial word was overwritten */
    base_index written;     /* the values that have been */
    uint64_t *gone; /* by number: the cycle the value was overwritten; UINT64_MAX: not yet */
    size_t location_count, capacity;
    uint32_t largest; /* value of the program */
};

col_status sim_monitor_new(sim_system *s, col_problem *problem) {
    s->monitor = calloc(1, sizeof *s->monitor);
    if (s->monitor == NULL)
        return base_out_of_memory(problem);
    sl_table *t = &s->monitor->blocks;
    t->system = &s->base;
    t->record_size = ((uint32_t)sizeof(permissions) + 2 * s->wiring.cores + 15) / 16 * 16;
    t->mask = 511;
    t->places = sim_grow(&s->base, NULL, 512 * sizeof *t->places);
    return COL_OK;
}

void sim_monitor_free(sim_system *s) {
    if (s->monitor == NULL)
        return;
    free(s->monitor->current);
    free(s->monitor->gone);
    base_index_free(&s->monitor->written);
    free(s->monitor->initial_gone);
    free(s->monitor);
    s->monitor = NULL;
}

/* Replaces an array by one of `size` bytes. Running out of memory leaves the old one in its place:
 * the escape skips whatever would follow. */
static void *renew(sim_system *s, void *old, size_t size, int byte) {
    void *fresh = malloc(size + 1);
    if (fresh == NULL) {
        sim_out_of_memory(s);
        return NULL; /* not reached */
    }
    free(old);
    return memset(fresh, byte, size);
}

void sim_monitor_start(sim_system *s, bool warm) {
    struct sim_monitor *m = s->monitor;
    const uint32_t operations = col_program_operations(s->program);
    m->largest = 0;
    for (uint32_t o = 0; o < operations; o++)
        if (s->program->operations[o].value > m->largest)
            m->largest = s->program->operations[o].value;
    base_index_clear(&m->written);
    if (base_index_reserve(&m->written, (size_t)operations + 1, NULL) != COL_OK)
        sim_out_of_memory(s);
    m->location_count = s->program->location_count;
    m->current = renew(s, m->current, m->location_count * sizeof *m->current, 0);
    m->initial_gone = renew(s, m->initial_gone, m->location_count * sizeof *m->initial_gone, 0xff);
    m->gone = renew(s, m->gone, ((size_t)operations + 1) * sizeof *m->gone, 0xff);
    m->capacity = (size_t)operations + 1;
    for (uint32_t i = 0; !warm && i <= m->blocks.mask && m->blocks.count > 0; i++)
        while (m->blocks.places[i] != NULL)
            sl_table_deallocate(&m->blocks, m->blocks.places[i]->address);
}

static void broken(sim_system *s, sl_address block, uint32_t one, uint32_t other) {
    sim_fail(s, (col_event){.kind = COL_INVARIANT_BROKEN, .block = block},
             "core %u may write block 0x%llx while core %u may still access it (cycle %llu)", one,
             (unsigned long long)block, other, (unsigned long long)s->base.now);
}

/* Counts a controller in or out; `cores` is how many cores have one counted. */
static void count(uint8_t *counts, uint32_t core, bool was, bool is, uint32_t *cores) {
    const uint8_t before = counts[core];
    counts[core] = (uint8_t)(before - was + is);
    *cores = *cores - (before > 0) + (counts[core] > 0);
}

/* The first core other than this one that is counted. */
static uint32_t other_of(const uint8_t *counts, uint32_t core) {
    uint32_t other = core == 0;
    while (counts[other] == 0 || other == core)
        other++;
    return other;
}

void sim_monitor_permission(sl_controller *c, sl_entry *entry, uint32_t permission) {
    sim_system *s = sim_of(c->system);
    struct sim_monitor *m = s->monitor;
    const bool could_read = entry->permission <= SL_READ_WRITE, reads = permission <= SL_READ_WRITE;
    const bool could_write = entry->permission == SL_READ_WRITE,
               writes = permission == SL_READ_WRITE;
    if (c->core == UINT32_MAX || m == NULL || (could_read == reads && could_write == writes))
        return;
    permissions *p = sl_table_lookup(&m->blocks, entry->address);
    if (p == NULL) {
        p = sl_table_allocate(&m->blocks, entry->address);
        p->readers = p->writers = 0;
        memset(p->counts, 0, 2 * (size_t)s->wiring.cores);
    }
    uint8_t *readers = p->counts, *writers = p->counts + s->wiring.cores;
    count(readers, c->core, could_read, reads, &p->readers);
    count(writers, c->core, could_write, writes, &p->writers);
    if (writes && p->readers > 1)
        broken(s, entry->address, c->core, other_of(readers, c->core));
    if (reads && p->writers > (writers[c->core] > 0))
        broken(s, entry->address, other_of(writers, c->core), c->core);
}

/* Words with adds in them are not traced. */
static bool is_traced(const struct sim_monitor *m, uint64_t word) {
    return word <= m->largest;
}

/* BASE_NO_NUMBER: it has not been written. */
static uint32_t number_of(const struct sim_monitor *m, uint64_t word) {
    return base_index_find(&m->written, base_index_hash(word), NULL, NULL, NULL);
}

/* A program has no more values than operations, but a design may write what is in none. */
static void note_written(sim_system *s, uint64_t word) {
    struct sim_monitor *m = s->monitor;
    if (number_of(m, word) != BASE_NO_NUMBER)
        return;
    const size_t number = m->written.count;
    if (base_reserve(&m->gone, &m->capacity, number + 1, sizeof *m->gone, NULL) != COL_OK ||
        base_index_put(&m->written, base_index_hash(word), NULL) != COL_OK)
        sim_out_of_memory(s);
    m->gone[number] = UINT64_MAX;
}

void sim_monitor_load(sim_system *s, uint32_t location, uint64_t word, uint64_t issued) {
    const struct sim_monitor *m = s->monitor;
    const col_event event = {.kind = COL_INVARIANT_BROKEN,
                             .block = sl_line(s->program->addresses[location])};
    if (word == m->current[location] || !is_traced(m, word))
        return;
    const uint32_t number = number_of(m, word);
    if (word != 0 && number == BASE_NO_NUMBER)
        sim_fail(s, event, "a load of a%u returns %llu, which nothing has written (cycle %llu)",
                 location, (unsigned long long)word, (unsigned long long)s->base.now);
    if (sl_takes(s->cores[0].controller->machine, SL_ACQUIRE))
        return;
    const uint64_t gone = word == 0 ? m->initial_gone[location] : m->gone[number];
    if (gone < issued)
        sim_fail(s, event,
                 "a load of a%u issued in cycle %llu returns %llu, which was overwritten in cycle "
                 "%llu",
                 location, (unsigned long long)issued, (unsigned long long)word,
                 (unsigned long long)gone);
}

void sim_monitor_store(sim_system *s, uint32_t location, uint64_t overwritten, uint64_t word) {
    struct sim_monitor *m = s->monitor;
    const col_event event = {.kind = COL_INVARIANT_BROKEN,
                             .block = sl_line(s->program->addresses[location])};
    if (overwritten != m->current[location])
        sim_fail(s, event,
                 "a store to a%u replaces %llu where the last store left %llu (cycle %llu)",
                 location, (unsigned long long)overwritten,
                 (unsigned long long)m->current[location], (unsigned long long)s->base.now);
    m->current[location] = word;
    if (is_traced(m, word))
        note_written(s, word);
    const uint32_t number = number_of(m, overwritten);
    if (overwritten == 0)
        m->initial_gone[location] = s->base.now;
    else if (number != BASE_NO_NUMBER)
        m->gone[number] = s->base.now;
}
