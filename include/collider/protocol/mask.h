/* SPDX-License-Identifier: MIT */
/* WriteMask: which bytes of a block are meant. A mask carries no operations of its own: cores make
 * atomic accesses in their caches. */
#ifndef COLLIDER_PROTOCOL_MASK_H
#define COLLIDER_PROTOCOL_MASK_H

#include "collider/protocol/error.h"

#include <string.h>

_Static_assert(SL_BLOCK_BYTES == 64, "a mask has a bit for each byte of a block");

static inline void sl_mask_fill(sl_mask *m, bool value) {
    m->bytes = value ? UINT64_MAX : 0;
}

static inline void sl_mask_and(sl_mask *m, const sl_mask *other) {
    m->bytes &= other->bytes;
}

static inline void sl_mask_or(sl_mask *m, const sl_mask *other) {
    m->bytes |= other->bytes;
}

static inline void sl_mask_invert(sl_mask *m, const sl_mask *other) {
    m->bytes = ~other->bytes;
}

static inline bool sl_mask_covers(const sl_mask *m, const sl_mask *other) {
    return (other->bytes & ~m->bytes) == 0;
}

static inline bool sl_mask_meets(const sl_mask *m, const sl_mask *other) {
    return (other->bytes & m->bytes) != 0;
}

static inline void sl_mask_check(sl_controller *c, int64_t offset, int64_t length) {
    if (COL_RARELY(offset < 0 || length < 0 || offset > SL_BLOCK_BYTES ||
                   length > SL_BLOCK_BYTES - offset))
        sl_fail(c, "a WriteMask names bytes outside of the block", NULL);
}

static inline uint64_t sl_mask_range(sl_controller *c, int64_t offset, int64_t length) {
    sl_mask_check(c, offset, length);
    return length == 0 ? 0 : UINT64_MAX >> (SL_BLOCK_BYTES - length) << offset;
}

static inline void sl_mask_set(sl_controller *c, sl_mask *m, int64_t offset, int64_t length,
                               bool value) {
    const uint64_t range = sl_mask_range(c, offset, length);
    m->bytes = value ? m->bytes | range : m->bytes & ~range;
}

static inline bool sl_mask_has(sl_controller *c, const sl_mask *m, int64_t offset, int64_t length) {
    return (~m->bytes & sl_mask_range(c, offset, length)) == 0;
}

/* The bytes from `offset` on. */
static inline uint64_t sl_mask_from(sl_controller *c, const sl_mask *m, int64_t offset) {
    sl_mask_check(c, offset, 0);
    return offset == SL_BLOCK_BYTES ? 0 : m->bytes >> offset << offset;
}

static inline int64_t sl_mask_count(sl_controller *c, const sl_mask *m, int64_t offset) {
    return (int64_t)COL_COUNT_BITS(sl_mask_from(c, m, offset));
}

/* The first byte that is in the mask, or is not; as many as a block has if there is none. */
static inline int64_t sl_mask_first(sl_controller *c, const sl_mask *m, bool value,
                                    int64_t offset) {
    const sl_mask wanted = {value ? m->bytes : ~m->bytes};
    const uint64_t bytes = sl_mask_from(c, &wanted, offset);
    return bytes == 0 ? SL_BLOCK_BYTES : (int64_t)COL_LOWEST_BIT(bytes);
}

/* atomicPartial: a mask has no operations, so what is left of it is the block. */
static inline void sl_data_atomic(sl_data *to, const sl_data *from, const sl_mask *m) {
    (void)m;
    memmove(to, from, sizeof *to);
}

/* copyPartial with a mask */
static inline void sl_data_copy_mask(sl_data *to, const sl_data *from, const sl_mask *m) {
    if (m->bytes == UINT64_MAX) {
        memmove(to, from, sizeof *to);
        return;
    }
    for (uint64_t bytes = m->bytes; bytes != 0; bytes &= bytes - 1) {
        const uint32_t byte = (uint32_t)COL_LOWEST_BIT(bytes);
        ((uint8_t *)to)[byte] = ((const uint8_t *)from)[byte];
    }
}

#endif
