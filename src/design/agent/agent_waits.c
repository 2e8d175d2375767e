/* SPDX-License-Identifier: MIT */
/*
 * Who waits for whom when a memory system no longer answers: of each port the request that has been
 * out for longest, and the first operation of its thread if that waits for it. An await waits for
 * the port whose thread has yet to store the value.
 */
#include "design/agent/agent.h"

#include <stdio.h>

enum { MOST_WAITS = 64 };

typedef struct agt_wait {
    uint32_t port, operation;
    uint64_t since; /* 0: it has not been asked */
    char text[160];
    uint32_t on; /* an operation; UINT32_MAX: the memory system */
} agt_wait;

static const col_operation *at(const col_agents *a, uint32_t operation) {
    return &a->program->operations[operation];
}

static bool is_out(const agt_slot *slot) {
    return slot->state == AGT_ASKED || slot->state == AGT_OFFERED;
}

/* UINT32_MAX: nothing is. */
static uint32_t oldest_out(const col_agents *a, const agt_core *core) {
    uint32_t oldest = UINT32_MAX;
    for (uint32_t o = core->first; o < core->next; o++)
        if (is_out(agt_slot_of(a, core, o)) &&
            (oldest == UINT32_MAX ||
             agt_slot_of(a, core, o)->since < agt_slot_of(a, core, oldest)->since))
            oldest = o;
    return oldest;
}

static bool is_done(const col_agents *a, const agt_core *core, uint32_t operation) {
    return operation < core->next && agt_slot_of(a, core, operation)->state == AGT_DONE;
}

/* The store that an await waits for, if it is not done; UINT32_MAX: none. */
static uint32_t awaited_store(const col_agents *a, uint32_t operation) {
    const col_operation *await = at(a, operation);
    for (uint32_t p = 0; p < a->program->thread_count && await->kind == COL_AWAIT; p++)
        for (uint32_t o = a->cores[p].first; o < a->cores[p].end; o++)
            if (at(a, o)->kind == COL_STORE && at(a, o)->location == await->location &&
                at(a, o)->value == await->value && !is_done(a, &a->cores[p], o))
                return o;
    return UINT32_MAX;
}

static uint32_t port_of(const col_agents *a, uint32_t operation) {
    uint32_t port = 0;
    while (operation >= a->program->thread_start[port + 1])
        port++;
    return port;
}

/* The stores that a fence has to wait for. */
static void say_stores(const col_agents *a, const agt_wait *w, char *text, size_t size) {
    const agt_core *core = &a->cores[w->port];
    int used = snprintf(text, size, "port %u has not answered its fence", w->port);
    for (uint32_t o = core->first, told = 0; o < w->operation && told < 4; o++) {
        if (!col_kinds[at(a, o)->kind].writes || used < 0 || (size_t)used >= size)
            continue;
        used += snprintf(text + used, size - (size_t)used, "%s operation %u (a%u)",
                         told++ == 0 ? "; stores before it that have not performed:" : ",",
                         o - a->program->thread_start[w->port], at(a, o)->location);
    }
}

static void describe(const col_agents *a, agt_wait *w) {
    const agt_slot *slot = agt_slot_of(a, &a->cores[w->port], w->operation);
    w->since = is_out(slot) ? slot->since : 0;
    w->on = awaited_store(a, w->operation);
    if (slot->state == AGT_ASKED && at(a, w->operation)->kind == COL_FENCE)
        say_stores(a, w, w->text, sizeof w->text);
    else if (slot->state == AGT_ASKED)
        (void)snprintf(w->text, sizeof w->text, "waits for the answer of port %u", w->port);
    else if (slot->state == AGT_OFFERED)
        (void)snprintf(w->text, sizeof w->text, "waits for port %u to accept its request", w->port);
    else if (w->operation == a->cores[w->port].first)
        (void)snprintf(w->text, sizeof w->text, "has not been requested");
    else
        (void)snprintf(w->text, sizeof w->text, "waits for an earlier operation");
}

static void tell(const col_agents *a, const agt_wait *w, uint32_t number, uint32_t on) {
    const col_operation *o = at(a, w->operation);
    const bool is_located = col_kinds[o->kind].located;
    const uint64_t address = is_located ? a->program->addresses[o->location] : 0;
    const uint64_t bytes = a->settings.block > 0 ? a->settings.block : 1;
    const col_event event = {.kind = COL_WAIT,
                             .cycle = a->cycle,
                             .number = number,
                             .machine = COL_OF_CORE,
                             .controller = w->port,
                             .core = w->port,
                             .operation = w->operation,
                             .state = UINT32_MAX,
                             .overwritten = w->since,
                             .read = on,
                             .block = address / bytes * bytes,
                             .message = w->text};
    a->observer->notice(a->observer->context, &event);
}

void agt_tell_waits(const col_agents *a) {
    agt_wait waits[MOST_WAITS];
    uint32_t count = 0;
    if (a->observer == NULL || (a->observer->kinds >> COL_WAIT & 1) == 0)
        return;
    for (uint32_t p = 0; p < a->settings.ports && count + 1 < MOST_WAITS; p++) {
        const agt_core *core = &a->cores[p];
        const uint32_t out = oldest_out(a, core);
        if (core->first < core->end && out != core->first) {
            waits[count] = (agt_wait){.port = p, .operation = core->first};
            describe(a, &waits[count]);
            if (out != UINT32_MAX)
                waits[count].on = out;
            count++;
        }
        if (out != UINT32_MAX) {
            waits[count] = (agt_wait){.port = p, .operation = out};
            describe(a, &waits[count++]);
        }
    }
    const col_event header = {
        .kind = COL_WAIT, .cycle = a->cycle, .message = "no answer from the memory system"};
    a->observer->notice(a->observer->context, &header);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t on = 0;
        for (uint32_t j = 0; j < count && waits[i].on != UINT32_MAX && on == 0; j++)
            if (waits[j].operation == waits[i].on ||
                (waits[j].port == port_of(a, waits[i].on) && waits[j].port != waits[i].port))
                on = j + 1;
        tell(a, &waits[i], i + 1, on);
    }
}
