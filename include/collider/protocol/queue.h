/* SPDX-License-Identifier: MIT */
/* TriggerQueue: what a transaction does next (sl_triggers, events), and who waits for a credit (the
 * functions for records, which are behind an sl_queue). The first one is always the first of the
 * array and what is not in use is zero, so that equal queues are equal bytes. */
#ifndef COLLIDER_PROTOCOL_QUEUE_H
#define COLLIDER_PROTOCOL_QUEUE_H

#include "collider/protocol/error.h"

#include <string.h>

enum { SL_NOT_BLOCKING = 1 << 15 }; /* beside the value: pushNB */

static inline void sl_triggers_check(sl_controller *c, const sl_triggers *q) {
    if (COL_RARELY(q->count == 0))
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

static inline int32_t sl_triggers_front(sl_controller *c, const sl_triggers *q) {
    sl_triggers_check(c, q);
    return q->items[0] & (SL_NOT_BLOCKING - 1);
}

static inline int32_t sl_triggers_back(sl_controller *c, const sl_triggers *q) {
    sl_triggers_check(c, q);
    return q->items[q->count - 1] & (SL_NOT_BLOCKING - 1);
}

static inline bool sl_triggers_front_nb(sl_controller *c, const sl_triggers *q) {
    sl_triggers_check(c, q);
    return (q->items[0] & SL_NOT_BLOCKING) != 0;
}

static inline bool sl_triggers_back_nb(sl_controller *c, const sl_triggers *q) {
    sl_triggers_check(c, q);
    return (q->items[q->count - 1] & SL_NOT_BLOCKING) != 0;
}

static inline void sl_triggers_pop(sl_controller *c, sl_triggers *q) {
    sl_triggers_check(c, q);
    memmove(q->items, q->items + 1, --q->count * sizeof *q->items);
    q->items[q->count] = 0;
}

/* Records of `size` bytes behind the queue's head. */

static inline void *sl_queue_first(sl_controller *c, sl_queue *q, void *items) {
    if (COL_RARELY(q->count == 0))
        sl_fail(c, "a TriggerQueue that is empty is asked for its first", NULL);
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

#endif
