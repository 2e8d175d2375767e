/* SPDX-License-Identifier: MIT */
/* Messages that wait for room: see backlog.h. */
#include "sim/backlog.h"

/* Who is woken for it: behind the controllers, cores and DMA engines. */
static uint32_t id_of(const sim_system *s) {
    return s->base.controller_count + s->wiring.cores + s->dma_count;
}

static bool has_room(const sl_buffer *to) {
    return to->capacity == 0 || to->count + to->waiting_count < to->capacity;
}

/* Does an earlier one wait in the same buffer? Those before `end` are looked at. */
static bool is_behind(const sim_system *s, const sl_buffer *from, uint32_t end) {
    for (uint32_t i = 0; i < end; i++)
        if (s->held[i].from == from)
            return true;
    return false;
}

bool sim_backlog_holds(const sim_system *s, const sl_buffer *from, const sl_buffer *to) {
    return !has_room(to) || is_behind(s, from, s->held_count);
}

void sim_backlog_add(sim_system *s, sl_buffer *from, sl_buffer *to, sl_message *message,
                     uint64_t ready) {
    if (s->held_count == s->held_capacity) {
        const uint32_t capacity = s->held_capacity * 2 + 16;
        sl_check_flood(from, capacity);
        s->held = sim_grow(&s->base, s->held, capacity * sizeof *s->held);
        s->held_capacity = capacity;
    }
    s->held[s->held_count++] = (sim_held){from, to, message, ready};
    sl_wake(&s->base, id_of(s), s->base.now + 1);
}

/* Gives the slot of a message back that has left: those of held ones come last, as they leave
 * last. */
static void free_slot(sl_buffer *from) {
    if (from->capacity == 0 || from->count == 0)
        return;
    if (--from->count == 0) {
        from->head = 0;
        from->ready_at = UINT64_MAX;
    }
}

static bool has_copy(const sim_system *s, const sim_held *one, uint32_t first, uint32_t end) {
    for (uint32_t i = first; i < end; i++)
        if (&s->held[i] != one && s->held[i].message == one->message)
            return true;
    return false;
}

void sim_backlog_step(sim_system *s) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->held_count; i++) {
        const sim_held h = s->held[i];
        if (is_behind(s, h.from, kept) || h.ready > s->base.now || !has_room(h.to)) {
            s->held[kept++] = h;
            continue;
        }
        if (!has_copy(s, &h, 0, kept) && !has_copy(s, &h, i + 1, s->held_count))
            free_slot(h.from);
        sim_deliver(h.from, h.to, h.message, 0);
    }
    s->held_count = kept;
    if (kept > 0)
        sl_wake(&s->base, id_of(s), s->base.now + 1);
}

void sim_backlog_clear(sim_system *s) {
    for (uint32_t i = 0; i < s->held_count; i++)
        sl_message_release(&s->base, s->held[i].message);
    s->held_count = 0;
}
