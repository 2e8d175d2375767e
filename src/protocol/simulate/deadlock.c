/* SPDX-License-Identifier: MIT */
/* What is reported of a deadlock, and of an access that starves: the cycle of waits, who waits, who
 * has no free TBE, and which queues are not empty. */
#include "protocol/simulate/wait_graph.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LISTED = 3 }; /* of waiting cores, of controllers, and of queues */

static BASE_PRINTF(2, 3) void say(sim_stuck *stuck, const char *format, ...) {
    const size_t used = strlen(stuck->text);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(stuck->text + used, sizeof stuck->text - used, format, arguments);
    va_end(arguments);
}

static bool has_free_tbe(const sl_controller *c) {
    for (uint32_t i = 0; i < c->machine->member_count; i++) {
        if (c->machine->members[i].kind != SL_MEMBER_TBES)
            continue;
        if (!sl_table_has_room(sim_member(c, &c->machine->members[i])))
            return false;
    }
    return true;
}

void sim_list_exhausted(const sim_system *s, sim_stuck *stuck) {
    uint32_t exhausted = 0;
    for (uint32_t i = 0; i < s->base.controller_count; i++) {
        const sl_controller *c = s->controllers[i];
        if (!has_free_tbe(c) && exhausted++ < MOST_LISTED)
            say(stuck, "; %s %u has no free TBE", c->machine->name, c->number);
    }
    if (exhausted > MOST_LISTED)
        say(stuck, "; nor have %u more controllers", exhausted - MOST_LISTED);
}

/* ---- The reports. */

static const char *first_message(const sim_system *s, const sl_buffer *buffer) {
    const sl_waiting *waiting = buffer->waiting;
    while (buffer->count == 0 && waiting->is_over)
        waiting++;
    const sl_message *first = buffer->count > 0 ? buffer->first.message : waiting->slot.message;
    return s->protocol->messages[first->type].name;
}

/* The whole graph goes to whoever reads what the design prints. */
static void print_graph(sim_system *s) {
    base_text text = {0};
    sim_wait_graph(s, &text);
    const col_event event = {.kind = COL_OUTPUT, .message = text.data};
    if (!text.failed)
        sim_notice(s, &event);
    base_text_free(&text);
}

static void add_waits(sim_system *s, const char *kind, sim_stuck *stuck) {
    base_text chain = {0};
    sim_tell_waits(s, kind, &chain);
    if (chain.length > 0 && !chain.failed)
        say(stuck, "; %s", chain.data);
    base_text_free(&chain);
}

static uint64_t count_transitions(const sim_system *s) {
    uint64_t count = 0;
    for (uint32_t i = 0; i < s->base.controller_count; i++) {
        const sl_controller *c = s->controllers[i];
        for (uint32_t cell = 0; cell < c->machine->state_count * c->machine->event_count; cell++)
            count += c->counts[cell];
    }
    return count;
}

/* Are transitions still taken, long after the last operation completed? */
static bool is_alive(const sim_system *s) {
    enum { FEW = 64 };
    return s->looked_at == s->last_progress && count_transitions(s) > s->transitions + FEW;
}

static _Noreturn void report(sim_system *s) {
    sim_stuck stuck = {""};
    const bool is_livelock = is_alive(s);
    print_graph(s);
    if (is_livelock)
        say(&stuck, "; livelock: transitions go on");
    add_waits(s, is_livelock ? "livelock" : NULL, &stuck);
    uint32_t waiting = 0;
    for (uint32_t i = 0; i < s->wiring.cores; i++) {
        const sim_core *core = &s->cores[i];
        for (uint32_t a = 0; a < core->access_count; a++)
            if (waiting++ < MOST_LISTED)
                say(&stuck, "; core %u waits for block 0x%llx since cycle %llu", i,
                    (unsigned long long)core->accesses[a].block,
                    (unsigned long long)core->accesses[a].issued);
    }
    for (uint32_t i = 0; i < s->dma_count; i++) {
        const sim_dma *dma = &s->dmas[i];
        for (uint32_t a = 0; a < dma->access_count; a++)
            if (dma->accesses[a].is_started && waiting++ < MOST_LISTED)
                say(&stuck, "; %s %u waits for block 0x%llx since cycle %llu",
                    dma->controller->machine->name, dma->controller->number,
                    (unsigned long long)dma->accesses[a].block,
                    (unsigned long long)dma->accesses[a].issued);
    }
    if (waiting > MOST_LISTED)
        say(&stuck, "; %u more accesses wait", waiting - MOST_LISTED);
    sim_list_exhausted(s, &stuck);
    uint32_t filled = 0;
    for (uint32_t i = 0; i < s->base.controller_count; i++) {
        const sl_controller *c = s->controllers[i];
        for (uint32_t b = 0; b < c->in_buffer_count; b++) {
            const sl_buffer *buffer = c->in_buffers[b];
            const uint32_t messages = buffer->count + buffer->waiting_count;
            if (messages > 0 && filled++ < MOST_LISTED)
                say(&stuck, "; %s %u has %u message%s in %s, first a %s", c->machine->name,
                    c->number, messages, base_plural(messages), buffer->name,
                    first_message(s, buffer));
        }
    }
    if (filled > MOST_LISTED)
        say(&stuck, "; so have %u more queues", filled - MOST_LISTED);
    sim_fail(s, (col_event){.kind = COL_DEADLOCK}, "no operation has completed since cycle %llu%s",
             (unsigned long long)s->last_progress, stuck.text);
}

void sim_look_for_deadlock(sim_system *s, uint64_t next) {
    if (next == UINT64_MAX || next > s->last_progress + s->wiring.deadlock_cycles)
        report(s);
    if (s->looked_at != s->last_progress)
        s->transitions = count_transitions(s);
    s->looked_at = s->last_progress;
}

/* An access by its core and its index there. */
typedef struct waiter {
    uint32_t core, access;
} waiter;

/* The access that waits longest; false: none does. */
static bool find_oldest_access(const sim_system *s, waiter *oldest) {
    uint64_t since = UINT64_MAX;
    for (uint32_t i = 0; i < s->wiring.cores; i++)
        for (uint32_t a = 0; a < s->cores[i].access_count; a++)
            if (s->cores[i].accesses[a].issued < since) {
                since = s->cores[i].accesses[a].issued;
                *oldest = (waiter){i, a};
            }
    return since != UINT64_MAX;
}

void sim_look_for_starvation(sim_system *s) {
    waiter oldest;
    const uint64_t patience = sim_wiring_patience(&s->wiring);
    s->look_at = s->base.now + patience;
    if (!find_oldest_access(s, &oldest))
        return;
    const sim_access *access = &s->cores[oldest.core].accesses[oldest.access];
    if (access->issued + patience > s->base.now) {
        s->look_at = access->issued + patience;
        return;
    }
    if (s->last_served + patience / 4 < s->base.now)
        return; /* nobody gets on: if it stays so, that is a deadlock */
    sim_stuck stuck = {""};
    const col_event event = {.kind = COL_DEADLOCK, .core = oldest.core, .block = access->block};
    print_graph(s);
    add_waits(s, "starvation", &stuck);
    s->failure.is_starvation = true;
    sim_fail(s, event,
             "core %u waits for block 0x%llx since cycle %llu, for %llu cycles, while others are "
             "served%s",
             oldest.core, (unsigned long long)access->block, (unsigned long long)access->issued,
             (unsigned long long)(s->base.now - access->issued), stuck.text);
}
