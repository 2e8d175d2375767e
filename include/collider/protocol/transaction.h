/* SPDX-License-Identifier: MIT */
/* What a machine keeps of its transactions: what they do next (TriggerQueue), which messages they
 * still wait for (ExpectedMap), and the slots of their TBEs (TBEStorage). */
#ifndef COLLIDER_PROTOCOL_TRANSACTION_H
#define COLLIDER_PROTOCOL_TRANSACTION_H

#include "collider/protocol/error.h"

#include <string.h>

/* ---- TriggerQueue: what a transaction does next (sl_triggers, events), and who waits for a credit
 * (the functions for records, which are behind an sl_queue). The first one is always the first of
 * the array and what is not in use is zero, so that equal queues are equal bytes. */

enum { SL_NOT_BLOCKING = 1 << 15 }; /* beside the value: pushNB */

static inline void sl_check_first(sl_controller *c, uint64_t count) {
    if (COL_RARELY(count == 0))
        sl_fail(c, "a TriggerQueue that is empty is asked for its first", NULL);
}

static inline uint32_t sl_triggers_item(sl_controller *c, const sl_triggers *q, int32_t value,
                                        bool blocks) {
    if (COL_RARELY(q->count == SL_MOST_TRIGGERS))
        sl_fail(c, "a TriggerQueue is flooded with events", NULL);
    if (COL_RARELY(value < 0 || value >= SL_NOT_BLOCKING))
        sl_fail(c, "a TriggerQueue is given a value that is not an event", NULL);
    return (uint32_t)value | (blocks ? 0 : (uint32_t)SL_NOT_BLOCKING);
}

static inline void sl_triggers_push(sl_controller *c, sl_triggers *q, int32_t value, bool blocks) {
    const uint32_t item = sl_triggers_item(c, q, value, blocks);
    q->items[q->count++] = (uint16_t)item;
}

static inline void sl_triggers_push_front(sl_controller *c, sl_triggers *q, int32_t value,
                                          bool blocks) {
    const uint32_t item = sl_triggers_item(c, q, value, blocks);
    memmove(q->items + 1, q->items, q->count * sizeof *q->items);
    q->items[0] = (uint16_t)item;
    q->count++;
}

/* Values, perhaps with SL_NOT_BLOCKING. */
static inline int32_t sl_triggers_front(sl_controller *c, const sl_triggers *q) {
    sl_check_first(c, q->count);
    return q->items[0];
}

static inline int32_t sl_triggers_back(sl_controller *c, const sl_triggers *q) {
    sl_check_first(c, q->count);
    return q->items[q->count - 1];
}

static inline void sl_triggers_pop(sl_controller *c, sl_triggers *q) {
    sl_check_first(c, q->count);
    memmove(q->items, q->items + 1, --q->count * sizeof *q->items);
    q->items[q->count] = 0;
}

/* Records of `size` bytes behind the queue's head. */

static inline void *sl_queue_first(sl_controller *c, sl_queue *q, void *items) {
    sl_check_first(c, q->count);
    return items;
}

static inline void *sl_queue_add(sl_controller *c, sl_queue *q, void *items, size_t size) {
    if (COL_RARELY(q->count == SL_MOST_QUEUED))
        sl_fail(c, "a TriggerQueue is flooded with records", NULL);
    return (uint8_t *)items + q->count++ * size;
}

static inline void sl_queue_pop(sl_controller *c, sl_queue *q, void *items, size_t size) {
    (void)sl_queue_first(c, q, items);
    memmove(items, (uint8_t *)items + size, --q->count * size);
    memset((uint8_t *)items + q->count * size, 0, size);
}

static inline void sl_queue_clear(sl_queue *q, void *items, size_t size) {
    memset(items, 0, q->count * size);
    q->count = 0;
}

/* ---- ExpectedMap: which messages a transaction still waits for. A block's data may come in
 * several messages, which count as one. */

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

/* ---- TBEStorage: slots for TBEs, some of them reserved for requests that were promised one, and
 * some used by more than one TBE. */

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
