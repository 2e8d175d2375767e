/* SPDX-License-Identifier: MIT */
/* What is reported of a deadlock: who waits, who has no free TBE, and which queues are not empty.
 */
#include "sim/deadlock.h"
#include "base/plural.h"
#include "sim/dma.h"

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

void sim_report_deadlock(sim_system *s) {
    sim_stuck stuck = {""};
    const col_event event = {.kind = COL_DEADLOCK};
    list_accesses(s, &stuck);
    sim_list_exhausted(s, &stuck);
    list_queues(s, &stuck);
    sim_fail(s, &event, "no operation completes since cycle %llu%s",
             (unsigned long long)s->last_progress, stuck.text);
}
