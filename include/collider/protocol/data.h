/* SPDX-License-Identifier: MIT */
/* Blocks of data. */
#ifndef COLLIDER_PROTOCOL_DATA_H
#define COLLIDER_PROTOCOL_DATA_H

#include "collider/protocol/error.h"

#include <string.h>

static inline void sl_data_clear(sl_data *d) {
    memset(d, 0, sizeof *d);
}

static inline void sl_data_copy_part(sl_controller *c, sl_data *to, const sl_data *from,
                                     int64_t offset, int64_t length) {
    if (COL_RARELY(offset < 0 || offset > SL_BLOCK_BYTES || length < 0 ||
                   length > SL_BLOCK_BYTES - offset))
        sl_fail(c, "copyPartial names bytes outside of the block", NULL);
    memmove((uint8_t *)to + offset, (const uint8_t *)from + offset, (size_t)length);
}

#endif
