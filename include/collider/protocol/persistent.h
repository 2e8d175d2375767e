/* SPDX-License-Identifier: MIT */
/* Persistent requests of token coherence: one entry a block. */
#ifndef COLLIDER_PROTOCOL_PERSISTENT_H
#define COLLIDER_PROTOCOL_PERSISTENT_H

#include "collider/protocol/destination.h"

/* Who holds or waits for a block persistently, by machine number (token coherence). */
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
        if (p->count == p->capacity) {
            const uint32_t capacity = p->capacity * 2 + 8;
            sl_check_records(p->owner, p->count);
            p->items = p->system->services->grow(p->system, p->items, capacity * sizeof *p->items);
            p->capacity = capacity;
        }
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
