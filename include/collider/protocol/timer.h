/* SPDX-License-Identifier: MIT */
/* Timers: blocks with a time each. */
#ifndef COLLIDER_PROTOCOL_TIMER_H
#define COLLIDER_PROTOCOL_TIMER_H

#include "collider/protocol/error.h"
#include "collider/protocol/wheel.h"

/* Blocks with a time each. */
typedef struct sl_timer {
    sl_system *system;
    sl_controller *consumer;
    struct {
        sl_address address;
        uint64_t time;
    } * items;
    uint32_t count, capacity;
} sl_timer;

static inline void sl_timer_set(sl_timer *t, sl_address address, uint64_t time) {
    if (t->count == t->capacity) {
        const uint32_t capacity = t->capacity * 2 + 8;
        sl_check_records(t->consumer, t->count);
        t->items = t->system->services->grow(t->system, t->items, capacity * sizeof *t->items);
        t->capacity = capacity;
    }
    t->items[t->count].address = address;
    t->items[t->count++].time = time;
    sl_wake(t->system, t->consumer->id, time > t->system->now ? time : t->system->now + 1);
}

static inline void sl_timer_unset(sl_timer *t, sl_address address) {
    for (uint32_t i = 0; i < t->count; i++)
        if (t->items[i].address == address) {
            t->items[i] = t->items[--t->count];
            return;
        }
}

static inline bool sl_timer_is_set(const sl_timer *t, sl_address address) {
    for (uint32_t i = 0; i < t->count; i++)
        if (t->items[i].address == address)
            return true;
    return false;
}

/* The earliest item that is due; its place, or the count. */
static inline uint32_t sl_timer_due(const sl_timer *t) {
    uint32_t due = t->count;
    for (uint32_t i = 0; i < t->count; i++)
        if (t->items[i].time <= t->system->now &&
            (due == t->count || t->items[i].time < t->items[due].time))
            due = i;
    return due;
}

static inline bool sl_timer_is_ready(const sl_timer *t) {
    return sl_timer_due(t) < t->count;
}

static inline sl_address sl_timer_next(const sl_timer *t) {
    const uint32_t due = sl_timer_due(t);
    return due < t->count ? t->items[due].address : 0;
}

#endif
