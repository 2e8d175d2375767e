/* SPDX-License-Identifier: MIT */
/* TBEStorage: slots for TBEs, some of them reserved for requests that were promised one, and some
 * used by more than one TBE. */
#ifndef COLLIDER_PROTOCOL_STORAGE_H
#define COLLIDER_PROTOCOL_STORAGE_H

#include "collider/protocol/error.h"

static inline void sl_storage_start(sl_storage *s, int64_t capacity) {
    *s = (sl_storage){.capacity = capacity < 0               ? 0
                                  : capacity > SL_MOST_SLOTS ? SL_MOST_SLOTS
                                                             : (int32_t)capacity};
}

static inline int64_t sl_storage_free(const sl_storage *s) {
    return (int64_t)s->capacity - s->used - s->reserved;
}

static inline void sl_storage_reserve(sl_controller *c, sl_storage *s, int32_t more) {
    if (COL_RARELY(s->reserved + more < 0))
        sl_fail(c, "a slot of a TBEStorage is given back that was not reserved", NULL);
    s->reserved += more;
}

static inline int64_t sl_storage_take(sl_controller *c, sl_storage *s) {
    if (COL_RARELY(sl_storage_free(s) <= 0))
        sl_fail(c, "a slot of a TBEStorage is taken while none is free", NULL);
    int32_t slot = 0;
    while (s->users[slot] != 0)
        slot++;
    s->users[slot] = 1;
    s->used++;
    return slot;
}

/* One TBE more or less in a slot that is in use. */
static inline void sl_storage_change(sl_controller *c, sl_storage *s, int64_t slot, int32_t more) {
    if (COL_RARELY(slot < 0 || slot >= s->capacity || s->users[slot] == 0 ||
                   s->users[slot] + more > UINT8_MAX))
        sl_fail(c, "a slot of a TBEStorage is used that no TBE has", NULL);
    s->users[slot] = (uint8_t)(s->users[slot] + more);
    s->used -= s->users[slot] == 0;
}

#endif
