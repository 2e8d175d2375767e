/* SPDX-License-Identifier: MIT */
/* What is reported of a deadlock, and of an access that starves: the cycle of waits, who waits, who
 * has no free TBE, and which queues are not empty. */
#include "sim/deadlock.h"
#include "base/plural.h"
#include "sim/dma.h"
#include "sim/wait_for.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_LISTED = 3 }; /* of waiting cores, of controllers, and of queues */

static BASE_PRINTF(2, 3) void add(sim_stuck *stuck, const char *format, ...) {
    const size_t used = strlen(stuck->text);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(stuck->text + used, sizeof stuck->text - used, format, arguments);
    va_end(arguments);
}

static void list_accesses(const sim_system *s, sim_stuck *stuck) {
    uint32_t waiting = 0;
    for (uint32_t i = 0; i < s->wiring.cores; i++) {
        const sim_core *core = &s->cores[i];
        for (uint32_t a = 0; a < core->access_count; a++)
            if (waiting++ < MOST_LISTED)
                add(stuck, "; core %u waits for block 0x%llx since cycle %llu", i,
                    (unsigned long long)core->accesses[a].block,
                    (unsigned long long)core->accesses[a].issued);
    }
    for (uint32_t i = 0; i < s->dma_count; i++) {
        const sim_dma *dma = &s->dmas[i];
        for (uint32_t a = 0; a < dma->access_count; a++)
            if (dma->accesses[a].is_started && waiting++ < MOST_LISTED)
                add(stuck, "; %s %u waits for block 0x%llx since cycle %llu",
                    dma->controller->machine->name, dma->controller->number,
                    (unsigned long long)dma->accesses[a].block,
                    (unsigned long long)dma->accesses[a].issued);
    }
    if (waiting > MOST_LISTED)
        add(stuck, "; %u more accesses wait", waiting - MOST_LISTED);
}

static bool has_free_tbe(const sl_controller *c) {
    for (uint32_t i = 0; i < c->machine->member_count; i++) {
        if (c->machine->members[i].kind != SL_MEMBER_TBES)
            continue;
        const sl_table *tbes;
        memcpy(&tbes, (const uint8_t *)c + c->machine->members[i].offset, sizeof tbes);
        if (!sl_table_has_room(tbes))
            return false;
    }
    return true;
}

void sim_list_exhausted(const sim_system *s, sim_stuck *stuck) {
    uint32_t exhausted = 0;
    for (uint32_t i = 0; i < s->base.controller_count; i++) {
        const sl_controller *c = s->controllers[i];
        if (!has_free_tbe(c) && exhausted++ < MOST_LISTED)
            add(stuck, "; %s %u has no free TBE", c->machine->name, c->number);
    }
    if (exhausted > MOST_LISTED)
        add(stuck, "; nor have %u more controllers", exhausted - MOST_LISTED);
}

static const char *first_message(const sim_system *s, const sl_buffer *buffer) {
    const sl_message *first =
        buffer->count > 0 ? buffer->ring[buffer->head].message : buffer->waiting[0].slot.message;
    return s->protocol->messages[first->type].name;
}

static void list_queues(const sim_system *s, sim_stuck *stuck) {
    uint32_t filled = 0;
    for (uint32_t i = 0; i < s->base.controller_count; i++) {
        const sl_controller *c = s->controllers[i];
        for (uint32_t b = 0; b < c->in_buffer_count; b++) {
            const sl_buffer *buffer = c->in_buffers[b];
            const uint32_t messages = buffer->count + buffer->waiting_count;
            if (messages > 0 && filled++ < MOST_LISTED)
                add(stuck, "; %s %u has %u message%s in %s, first a %s", c->machine->name,
                    c->number, messages, base_plural(messages), buffer->name,
                    first_message(s, buffer));
        }
    }
    if (filled > MOST_LISTED)
        add(stuck, "; so have %u more queues", filled - MOST_LISTED);
}

/* The whole graph goes to whoever reads what the design prints. */
static void print_graph(sim_system *s) {
    base_text graph = {0};
    sim_wait_graph(s, &graph);
    const col_event event = {.kind = COL_OUTPUT, .message = graph.data};
    if (!graph.failed)
        sim_notice(s, &event);
    base_text_free(&graph);
}

static void add_chain(const sim_system *s, sim_waiter from, sim_stuck *stuck) {
    base_text chain = {0};
    sim_wait_chain(s, from, &chain);
    if (chain.length > 0 && !chain.failed)
        add(stuck, "; %s", chain.data);
    base_text_free(&chain);
}

void sim_report_deadlock(sim_system *s) {
    sim_stuck stuck = {""};
    sim_waiter oldest;
    const col_event event = {.kind = COL_DEADLOCK};
    print_graph(s);
    if (sim_oldest_access(s, &oldest))
        add_chain(s, oldest, &stuck);
    list_accesses(s, &stuck);
    sim_list_exhausted(s, &stuck);
    list_queues(s, &stuck);
    sim_fail(s, &event, "no operation has completed since cycle %llu%s",
             (unsigned long long)s->last_progress, stuck.text);
}

void sim_look_for_starvation(sim_system *s) {
    sim_waiter oldest;
    const uint64_t patience = sim_wiring_patience(&s->wiring);
    s->look_at = s->base.now + patience;
    if (!sim_oldest_access(s, &oldest))
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
    add_chain(s, oldest, &stuck);
    s->failure.is_starvation = true;
    sim_fail(s, &event,
             "core %u waits for block 0x%llx since cycle %llu, for %llu cycles, while others are "
             "served%s",
             oldest.core, (unsigned long long)access->block, (unsigned long long)access->issued,
             (unsigned long long)(s->base.now - access->issued), stuck.text);
}
