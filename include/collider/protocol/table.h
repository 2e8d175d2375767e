/* SPDX-License-Identifier: MIT */
/* Maps from blocks to records that do not move: TBEs, directory entries, perfect caches. */
#ifndef COLLIDER_PROTOCOL_TABLE_H
#define COLLIDER_PROTOCOL_TABLE_H

#include "collider/protocol/error.h"

#include <string.h>

/* A map from blocks to records of any size: TBEs, directory entries, perfect caches. Records do not
 * move. */
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

#endif
