/* SPDX-License-Identifier: MIT */
/* Blocks that a core has locked between the read and the write of an atomic. Messages about such a
 * block wait in the ports that say block_on, except in the queue that the core's write comes from,
 * and a request that would replace it waits where check_on_cache_probe stands. What waits is looked
 * at again in every cycle, behind what has arrived by then, as in gem5. */
#ifndef COLLIDER_PROTOCOL_LOCK_H
#define COLLIDER_PROTOCOL_LOCK_H

#include "collider/protocol/buffer.h"

struct sl_lock {
    sl_address address;
    const sl_buffer *queue; /* that the write comes from */
};

static inline const sl_lock *sl_find_lock(const sl_controller *c, sl_address address) {
    for (uint32_t i = 0; i < c->lock_count; i++)
        if (c->locks[i].address == address)
            return &c->locks[i];
    return NULL;
}

/* Called only while something is locked: does the first message of the buffer wait? `own`: for
 * locks whose write comes from this buffer, or for all others. */
static inline bool sl_wait_for_lock(sl_controller *c, sl_buffer *b, sl_address address, bool own) {
    const sl_lock *lock = sl_find_lock(c, address);
    if (lock == NULL || (lock->queue == b) != own)
        return false;
    sl_recycle(b, 1);
    return true;
}

static inline void sl_lock_block(sl_controller *c, sl_address address, const sl_buffer *queue) {
    if (c->lock_count == c->lock_capacity) {
        const uint32_t capacity = c->lock_capacity * 2 + 4;
        c->locks = c->system->services->grow(c->system, c->locks, capacity * sizeof *c->locks);
        c->lock_capacity = capacity;
    }
    c->locks[c->lock_count++] = (sl_lock){address, queue};
}

static inline void sl_unlock_block(sl_controller *c, sl_address address) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < c->lock_count; i++)
        if (c->locks[i].address != address)
            c->locks[kept++] = c->locks[i];
    c->lock_count = kept;
}

#endif
