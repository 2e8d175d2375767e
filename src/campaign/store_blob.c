/* SPDX-License-Identifier: MIT */
/* Arrays as blobs: see store_parts.h. Differences are of 64 bits and wrap, so that any curve comes
 * back as it was, to the microsecond; those that rise, as all do, are short. */
#include "campaign/store_parts.h"

#include <math.h>

static void pack(base_text *bytes, uint64_t number) {
    char part[10];
    size_t length = 0;
    do {
        const unsigned more = number > 0x7f ? 0x80 : 0;
        part[length++] = (char)((number & 0x7f) | more);
        number >>= 7;
    } while (number > 0);
    base_text_add_bytes(bytes, part, length);
}

bool cam_store_unpack(cam_store_bytes *bytes, uint64_t *number) {
    *number = 0;
    for (unsigned shift = 0; bytes->at < bytes->end && shift < 64; shift += 7) {
        const unsigned char byte = *bytes->at++;
        *number |= (uint64_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0)
            return true;
    }
    return false;
}

static uint64_t microseconds_of(double seconds) {
    return seconds > 0 && seconds < 1e12 ? (uint64_t)llround(seconds * 1e6) : 0;
}

void cam_store_pack_curve(const col_curve_point *curve, size_t count, base_text *bytes) {
    col_curve_point last = {0};
    uint64_t last_time = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t now = microseconds_of(curve[i].seconds);
        pack(bytes, now - last_time);
        pack(bytes, curve[i].tests - last.tests);
        pack(bytes, curve[i].operations - last.operations);
        pack(bytes, curve[i].cycles - last.cycles);
        pack(bytes, (uint64_t)curve[i].structural - last.structural);
        pack(bytes, (uint64_t)curve[i].functional - last.functional);
        last = curve[i];
        last_time = now;
    }
}

bool cam_store_unpack_point(cam_store_bytes *bytes, col_curve_point *point,
                            uint64_t *microseconds) {
    uint64_t part[6];
    for (int i = 0; i < 6; i++)
        if (!cam_store_unpack(bytes, &part[i]))
            return false;
    *microseconds += part[0];
    point->seconds = (double)*microseconds * 1e-6;
    point->tests += part[1];
    point->operations += part[2];
    point->cycles += part[3];
    point->structural += (uint32_t)part[4];
    point->functional += (uint32_t)part[5];
    return true;
}

void cam_store_pack_hits(const uint64_t *hits, size_t count, base_text *bytes) {
    for (size_t i = 0; i < count; i++)
        pack(bytes, hits[i]);
}

void cam_store_pack_first(const uint32_t *first, size_t count, base_text *bytes) {
    for (size_t i = 0; i < count; i++)
        pack(bytes, first[i]);
}
