/* SPDX-License-Identifier: MIT */
/* The event wheel: who wakes up when. */
#ifndef COLLIDER_PROTOCOL_WHEEL_H
#define COLLIDER_PROTOCOL_WHEEL_H

#include "collider/protocol/system.h"

#include <string.h>

static inline void sl_wake(sl_system *s, uint32_t id, uint64_t time) {
    if (COL_RARELY(time - s->now >= SL_WHEEL_SLOTS)) {
        if (s->far_count == s->far_capacity) {
            const uint32_t capacity = s->far_capacity * 2 + 64;
            s->far = s->services->grow(s, s->far, capacity * sizeof *s->far);
            s->far_capacity = capacity;
        }
        s->far[s->far_count++] = (sl_far_event){time, id};
        return;
    }
    const uint32_t place = (uint32_t)time & (SL_WHEEL_SLOTS - 1);
    sl_wheel_slot *slot = &s->wheel[place];
    if (COL_RARELY(slot->count == slot->capacity)) {
        uint32_t *ids = s->services->grow(s, NULL, (slot->capacity * 2 + 8) * sizeof *ids);
        memcpy(ids, slot->ids, slot->count * sizeof *ids);
        slot->capacity = slot->capacity * 2 + 8;
        slot->ids = ids;
    }
    slot->ids[slot->count++] = id;
    s->wheel_bits[place / 64] |= UINT64_C(1) << (place % 64);
}

static inline void sl_wake_later(sl_controller *c, sl_cycles delay) {
    sl_wake(c->system, c->id, c->system->now + delay);
}

#endif
