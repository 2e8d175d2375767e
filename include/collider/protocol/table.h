/* SPDX-License-Identifier: MIT */
/* What is kept by block: records in tables, timers, and persistent requests. */
#ifndef COLLIDER_PROTOCOL_TABLE_H
#define COLLIDER_PROTOCOL_TABLE_H

#include "collider/protocol/destination.h"

#include <string.h>

/* Records of any size, which do not move. */
struct sl_table {
    sl_system *system;
    sl_controller *owner; /* NULL: the simulator */
    uint32_t record_size;
    uint32_t capacity; /* of TBEs; 0: no limit */
    uint32_t count;
    uint32_t mask;
    sl_entry **places; /* open addressing */
    sl_entry *free;    /* unused records, linked through `address` */
    void *chunks;
};

static inline uint32_t sl_table_place(const sl_table *t, sl_address address) {
    return (uint32_t)((address >> SL_BLOCK_BITS) * UINT64_C(0x9e3779b97f4a7c15) >> 40) & t->mask;
}

static inline void *sl_table_lookup(const sl_table *t, sl_address address) {
    if (t->count == 0)
        return NULL;
    for (uint32_t place = sl_table_place(t, address);; place = (place + 1) & t->mask) {
        sl_entry *e = t->places[place];
        if (e == NULL || e->address == address)
            return e;
    }
}

static inline void sl_table_insert(sl_table *t, sl_entry *e) {
    uint32_t place = sl_table_place(t, e->address);
    while (t->places[place] != NULL)
        place = (place + 1) & t->mask;
    t->places[place] = e;
}

static inline void sl_table_enlarge(sl_table *t) {
    sl_entry **old = t->places;
    const uint32_t old_mask = t->mask, mask = old_mask * 2 + 1;
    t->places = t->system->services->grow(t->system, NULL, (mask + 1) * sizeof *t->places);
    t->mask = mask;
    memset(t->places, 0, (mask + 1) * sizeof *t->places);
    for (uint32_t i = 0; i <= old_mask; i++)
        if (old[i] != NULL)
            sl_table_insert(t, old[i]);
}

static inline void *sl_table_allocate(sl_table *t, sl_address address) {
    if (COL_RARELY(t->free == NULL)) {
        sl_check_records(t->owner, t->count);
        const uint32_t batch = 32;
        uint8_t *chunk = t->system->services->grow(t->system, NULL, (size_t)batch * t->record_size);
        for (uint32_t i = 0; i < batch; i++) {
            sl_entry *e = (sl_entry *)(void *)(chunk + (size_t)i * t->record_size);
            memcpy(&e->address, &t->free, sizeof(void *));
            t->free = e;
        }
    }
    if (COL_RARELY((t->count + 1) * 2 > t->mask))
        sl_table_enlarge(t);
    sl_entry *e = t->free;
    memcpy(&t->free, &e->address, sizeof(void *));
    *e = (sl_entry){.address = address, .permission = SL_NO_PERMISSION};
    t->count++;
    sl_table_insert(t, e);
    return e;
}

static inline void sl_table_deallocate(sl_table *t, sl_address address) {
    if (t->count == 0)
        return;
    uint32_t place = sl_table_place(t, address);
    while (t->places[place] != NULL && t->places[place]->address != address)
        place = (place + 1) & t->mask;
    sl_entry *e = t->places[place];
    if (e == NULL)
        return;
    t->places[place] = NULL;
    t->count--;
    memcpy(&e->address, &t->free, sizeof(void *));
    t->free = e;
    /* Close the gap: entries behind it may have passed over this place. */
    for (uint32_t next = (place + 1) & t->mask; t->places[next] != NULL;
         next = (next + 1) & t->mask) {
        sl_entry *moved = t->places[next];
        t->places[next] = NULL;
        sl_table_insert(t, moved);
    }
}

static inline bool sl_table_has_room(const sl_table *t) {
    return t->capacity == 0 || t->count < t->capacity;
}

/* ---- Timers: blocks with a time each. */

typedef struct sl_timer {
    sl_system *system;
    sl_controller *consumer;
    struct {
        sl_address address;
        uint64_t time;
    } * items;
    uint32_t count, capacity;
} sl_timer;

static inline void sl_timer_set(sl_timer *t, sl_address address, uint64_t time) {
    sl_check_records(t->consumer, t->count);
    t->items = sl_reserve(t->system, t->items, t->count, &t->capacity, sizeof *t->items);
    t->items[t->count].address = address;
    t->items[t->count++].time = time;
    sl_wake(t->system, t->consumer->id, time > t->system->now ? time : t->system->now + 1);
}

static inline void sl_timer_unset(sl_timer *t, sl_address address) {
    for (uint32_t i = 0; i < t->count; i++)
        if (t->items[i].address == address) {
            t->items[i] = t->items[--t->count];
            return;
        }
}

static inline bool sl_timer_is_set(const sl_timer *t, sl_address address) {
    for (uint32_t i = 0; i < t->count; i++)
        if (t->items[i].address == address)
            return true;
    return false;
}

/* The earliest item that is due; its place, or the count. */
static inline uint32_t sl_timer_due(const sl_timer *t) {
    uint32_t due = t->count;
    for (uint32_t i = 0; i < t->count; i++)
        if (t->items[i].time <= t->system->now &&
            (due == t->count || t->items[i].time < t->items[due].time))
            due = i;
    return due;
}

static inline bool sl_timer_is_ready(const sl_timer *t) {
    return sl_timer_due(t) < t->count;
}

static inline sl_address sl_timer_next(const sl_timer *t) {
    const uint32_t due = sl_timer_due(t);
    return due < t->count ? t->items[due].address : 0;
}

/* ---- Persistent requests of token coherence: one entry a block. */

typedef struct sl_persistent {
    sl_system *system;
    sl_controller *owner;
    struct sl_persistent_entry {
        sl_address address;
        sl_destination starving, marked, writing;
    } * items;
    uint32_t count, capacity;
} sl_persistent;

static inline struct sl_persistent_entry *sl_persistent_find(sl_persistent *p, sl_address address) {
    for (uint32_t i = 0; i < p->count; i++)
        if (p->items[i].address == address)
            return &p->items[i];
    return NULL;
}

static inline void sl_persistent_lock(sl_persistent *p, sl_address address, sl_machine_id who,
                                      bool write) {
    struct sl_persistent_entry *e = sl_persistent_find(p, address);
    if (e == NULL) {
        sl_check_records(p->owner, p->count);
        p->items = sl_reserve(p->system, p->items, p->count, &p->capacity, sizeof *p->items);
        e = &p->items[p->count++];
        e->address = address;
        sl_dest_clear(p->system, &e->starving);
        sl_dest_clear(p->system, &e->marked);
        sl_dest_clear(p->system, &e->writing);
    }
    sl_dest_add(p->system, &e->starving, who);
    if (write)
        sl_dest_add(p->system, &e->writing, who);
}

static inline void sl_persistent_unlock(sl_persistent *p, sl_address address, sl_machine_id who) {
    struct sl_persistent_entry *e = sl_persistent_find(p, address);
    if (e == NULL)
        return;
    sl_dest_remove(p->system, &e->starving, who);
    sl_dest_remove(p->system, &e->marked, who);
    sl_dest_remove(p->system, &e->writing, who);
    if (sl_dest_count(p->system, &e->starving) == 0)
        *e = p->items[--p->count];
}

static inline bool sl_persistent_may_issue(sl_persistent *p, sl_address address,
                                           sl_machine_id who) {
    const struct sl_persistent_entry *e = sl_persistent_find(p, address);
    return e == NULL ||
           (!sl_dest_has(p->system, &e->starving, who) && !sl_dest_has(p->system, &e->marked, who));
}

static inline sl_machine_id sl_persistent_smallest(sl_persistent *p, sl_address address) {
    const struct sl_persistent_entry *e = sl_persistent_find(p, address);
    return e == NULL ? 0 : sl_dest_smallest(p->system, &e->starving);
}

/* Does the first in line want to write? */
static inline bool sl_persistent_writes(sl_persistent *p, sl_address address) {
    const struct sl_persistent_entry *e = sl_persistent_find(p, address);
    return e != NULL &&
           sl_dest_has(p->system, &e->writing, sl_dest_smallest(p->system, &e->starving));
}

/* All that starve now are marked: they wait for the others before they ask again. */
static inline void sl_persistent_mark(sl_persistent *p, sl_address address) {
    struct sl_persistent_entry *e = sl_persistent_find(p, address);
    if (e != NULL)
        sl_dest_copy(p->system, &e->marked, &e->starving);
}

static inline int32_t sl_persistent_count(sl_persistent *p, sl_address address) {
    const struct sl_persistent_entry *e = sl_persistent_find(p, address);
    return e == NULL ? 0 : sl_dest_count(p->system, &e->starving);
}

static inline int32_t sl_persistent_readers(sl_persistent *p, sl_address address) {
    const struct sl_persistent_entry *e = sl_persistent_find(p, address);
    return e == NULL
               ? 0
               : sl_dest_count(p->system, &e->starving) - sl_dest_count(p->system, &e->writing);
}

#endif
