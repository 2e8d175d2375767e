/* SPDX-License-Identifier: MIT */
/* Blocks of data, and WriteMask: which bytes of a block are meant. A mask carries no operations of
 * its own: cores make atomic accesses in their caches. */
#ifndef COLLIDER_PROTOCOL_DATA_H
#define COLLIDER_PROTOCOL_DATA_H

#include "collider/protocol/error.h"

#include <string.h>

static inline void sl_data_clear(sl_data *d) {
    memset(d, 0, sizeof *d);
}

static inline void sl_check_bytes(sl_controller *c, int64_t offset, int64_t length,
                                  const char *message) {
    if (COL_RARELY(offset < 0 || length < 0 || offset > SL_BLOCK_BYTES ||
                   length > SL_BLOCK_BYTES - offset))
        sl_fail(c, message, NULL);
}

static inline void sl_data_copy_part(sl_controller *c, sl_data *to, const sl_data *from,
                                     int64_t offset, int64_t length) {
    sl_check_bytes(c, offset, length, "copyPartial names bytes outside of the block");
    memmove((uint8_t *)to + offset, (const uint8_t *)from + offset, (size_t)length);
}

/* ---- Masks. */

_Static_assert(SL_BLOCK_BYTES == 64, "a mask has a bit for each byte of a block");

static inline void sl_mask_invert(sl_mask *m, const sl_mask *other) {
    m->bytes = ~other->bytes;
}

static inline uint64_t sl_mask_range(sl_controller *c, int64_t offset, int64_t length) {
    sl_check_bytes(c, offset, length, "a WriteMask names bytes outside of the block");
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
    sl_check_bytes(c, offset, 0, "a WriteMask names bytes outside of the block");
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
