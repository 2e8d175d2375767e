/* SPDX-License-Identifier: MIT */
/* ExpectedMap: which messages a transaction still waits for. A block's data may come in several
 * messages, which count as one. */
#ifndef COLLIDER_PROTOCOL_EXPECTED_H
#define COLLIDER_PROTOCOL_EXPECTED_H

#include "collider/protocol/error.h"

static inline uint64_t sl_expected_bit(sl_controller *c, int32_t type) {
    if (COL_RARELY(type < 0 || type > 63))
        sl_fail(c, "an ExpectedMap knows the first 64 values of an enumeration alone", NULL);
    return UINT64_C(1) << type;
}

static inline void sl_expected_clear(sl_expected *m, int64_t chunks) {
    *m = (sl_expected){.data = {.chunks = (int32_t)chunks}, .responses = {.chunks = 1}};
}

static inline void sl_expected_add(sl_controller *c, sl_expected_kind *k, int32_t type) {
    k->types |= sl_expected_bit(c, type);
    k->seen &= ~sl_expected_bit(c, type);
}

static inline int64_t sl_expected_received(const sl_expected *m) {
    return (int64_t)m->data.received + m->responses.received;
}

static inline int64_t sl_expected_left(const sl_expected *m) {
    return m->total - sl_expected_received(m);
}

/* One message came; false if it was not expected. */
static inline bool sl_expected_receive(sl_controller *c, sl_expected_kind *k, int32_t type) {
    const uint64_t bit = sl_expected_bit(c, type);
    if ((k->types & bit) == 0)
        return false;
    k->seen |= bit;
    if (++k->chunk == k->chunks) {
        k->received++;
        k->chunk = 0;
    }
    return true;
}

static inline bool sl_expected_response(sl_controller *c, sl_expected *m, int32_t type) {
    if (COL_RARELY(sl_expected_received(m) >= m->total))
        sl_fail(c, "a response comes that nothing waits for", NULL);
    return sl_expected_receive(c, &m->responses, type);
}

static inline bool sl_expected_data(sl_controller *c, sl_expected *m, int32_t type) {
    if (COL_RARELY(sl_expected_received(m) > m->total))
        sl_fail(c, "data comes that nothing waits for", NULL);
    return sl_expected_receive(c, &m->data, type);
}

static inline bool sl_expected_saw(sl_controller *c, const sl_expected_kind *k, int32_t type) {
    return (k->seen & sl_expected_bit(c, type)) != 0;
}

#endif
