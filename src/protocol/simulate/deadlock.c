/* SPDX-License-Identifier: MIT */
/* What is reported of a deadlock, and of an access that starves: the cycle of waits, who waits, who
 * has no free TBE, and which queues are not empty. */
#include "protocol/simulate/system.h"

#include "base/memory.h"
#include "base/text.h"

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

/* The graph of waits. */

typedef enum node_kind { ACCESS, TBE, MESSAGE } node_kind;

typedef struct node {
    node_kind kind;
    sl_address block;
    sl_address needs;     /* of a message: the block that something must happen to first */
    const sim_core *core; /* of an access */
    uint64_t since;
    const sl_controller *controller; /* of a TBE and of a message: whose it is */
    const sl_buffer *buffer;         /* of a message */
    const sl_message *message;
    uint32_t ahead;      /* messages before it in the queue */
    bool is_aside;       /* it waits for its block beside the queue */
    bool is_under_way;   /* it has not arrived yet */
    const sl_buffer *to; /* it waits in the network for room there, sent from `buffer`; else NULL */
    bool is_seen;
} node;

typedef struct graph {
    const sim_system *system;
    node *nodes;
    size_t count, capacity;
    bool failed;
} graph;

/* ---- The nodes. */

static void add(graph *g, const node *n) {
    if (!g->failed &&
        base_reserve(&g->nodes, &g->capacity, g->count + 1, sizeof *g->nodes, NULL) == COL_OK)
        g->nodes[g->count++] = *n;
    else
        g->failed = true;
}

static void add_tbes(graph *g, const sl_controller *c) {
    const sl_table *tbes = NULL;
    for (uint32_t i = 0; i < c->machine->member_count; i++)
        if (c->machine->members[i].kind == SL_MEMBER_TBES)
            tbes = sim_member(c, &c->machine->members[i]);
    for (uint32_t i = 0; tbes != NULL && i <= tbes->mask; i++)
        if (tbes->places[i] != NULL)
            add(g, &(node){.kind = TBE, .block = tbes->places[i]->address, .controller = c});
}

static void add_messages(graph *g, const sl_controller *c) {
    for (uint32_t b = 0; b < c->in_buffer_count; b++) {
        sl_buffer *buffer = c->in_buffers[b];
        for (uint32_t i = 0; i < buffer->waiting_end; i++) {
            const sl_waiting *waiting = &buffer->waiting[i];
            if (!waiting->is_over)
                add(g, &(node){.kind = MESSAGE,
                               .block = sim_message_block(g->system, waiting->slot.message),
                               .needs = waiting->address,
                               .controller = c,
                               .buffer = buffer,
                               .message = waiting->slot.message,
                               .is_aside = true});
        }
        for (uint32_t i = 0; i < buffer->count; i++) {
            const sl_slot *slot = sl_buffer_at(buffer, i);
            if (slot->message != NULL)
                add(g, &(node){.kind = MESSAGE,
                               .block = sim_message_block(g->system, slot->message),
                               .needs = sim_message_block(g->system, slot->message),
                               .controller = c,
                               .buffer = buffer,
                               .message = slot->message,
                               .ahead = i,
                               .is_under_way = slot->time > g->system->base.now});
        }
    }
}

static graph make_graph(const sim_system *s) {
    graph g = {.system = s};
    for (uint32_t i = 0; i < g.system->wiring.cores; i++) {
        const sim_core *core = &g.system->cores[i];
        for (uint32_t a = 0; a < core->access_count; a++)
            add(&g, &(node){.kind = ACCESS,
                            .block = core->accesses[a].block,
                            .core = core,
                            .since = core->accesses[a].issued});
    }
    for (uint32_t i = 0; i < s->base.controller_count; i++)
        add_tbes(&g, s->controllers[i]);
    for (uint32_t i = 0; i < s->base.controller_count; i++)
        add_messages(&g, s->controllers[i]);
    for (uint32_t i = 0; i < g.system->held_count; i++) {
        const sim_held *h = &g.system->held[i];
        uint32_t ahead = 0;
        for (uint32_t j = 0; j < i; j++)
            ahead += g.system->held[j].from == h->from;
        add(&g, &(node){.kind = MESSAGE,
                        .block = sim_message_block(g.system, h->message),
                        .controller = h->from->owner,
                        .buffer = h->from,
                        .message = h->message,
                        .ahead = ahead,
                        .to = h->to});
    }
    return g;
}

/* ---- The edges. */

static bool has_tbe(const graph *g, const sl_controller *c, sl_address block) {
    for (size_t i = 0; i < g->count; i++)
        if (g->nodes[i].kind == TBE && g->nodes[i].controller == c && g->nodes[i].block == block)
            return true;
    return false;
}

static uint32_t level_of(const graph *g, const sl_controller *c) {
    return sim_wiring_level(&g->system->wiring.machines[sim_machine_of(g->system, c)]);
}

/* Is the message what the TBE waits for? One that is stalled by the TBE itself is not. */
static bool is_awaited(const node *t, const node *n) {
    if (n->kind != MESSAGE || n->block != t->block || n->message->type == SL_REQUEST_MESSAGE)
        return false; /* a core's request is nobody else's business */
    return n->controller != t->controller || n->is_under_way || n->ahead > 0 || n->to != NULL;
}

/* A message waits for those before it. The first waits for what its controller has under way for
 * the block, or else for a TBE to become free; one that was set aside for a block (a victim, say)
 * waits for what is under way for that. */
static bool message_waits_for(const graph *g, const node *m, const node *n) {
    if (n->kind == ACCESS || m->is_under_way)
        return false;
    if (m->ahead > 0)
        return n->kind == MESSAGE && n->buffer == m->buffer && n->ahead == m->ahead - 1 &&
               !n->is_aside;
    if (m->to != NULL) /* the first of a full queue must be taken */
        return n->kind == MESSAGE && n->buffer == m->to && n->ahead == 0;
    if (n->kind == MESSAGE && n->to != NULL && n->ahead == 0 && n->controller == m->controller &&
        n->buffer->count >= n->buffer->capacity && n->buffer->capacity > 0)
        return true;
    const bool has_own = has_tbe(g, m->controller, m->needs);
    if (m->is_aside && !has_own)
        return n->kind == MESSAGE && n->block == m->needs && !n->is_aside;
    return n->kind == TBE && n->controller == m->controller && (!has_own || n->block == m->needs);
}

static bool waits_for(const graph *g, const node *a, const node *b) {
    switch (a->kind) {
    case ACCESS: /* waits for its request, or what its own caches have under way for the block */
        if (b->block != a->block || b->kind == ACCESS)
            return false;
        if (b->kind == TBE)
            return b->controller->core == a->core->number;
        return b->buffer == a->core->requests || b->buffer == a->core->fetches ||
               !(has_tbe(g, a->core->controller, a->block) ||
                 has_tbe(g, a->core->fetcher, a->block));
    case TBE: /* waits for messages about the block, or else for a farther level's work on it */
        if (b->kind != TBE || b->block != a->block)
            return is_awaited(a, b);
        for (size_t i = 0; i < g->count; i++)
            if (is_awaited(a, &g->nodes[i]))
                return false;
        return level_of(g, b->controller) > level_of(g, a->controller);
    default:
        return message_waits_for(g, a, b);
    }
}

/* ---- In words. */

static void tell_node(const graph *g, const node *n, base_text *text) {
    const unsigned long long block = n->block;
    if (n->kind == ACCESS) {
        base_text_print(text, "core %u for 0x%llx since cycle %llu", n->core->number, block,
                        (unsigned long long)n->since);
        return;
    }
    if (n->kind == TBE) {
        base_text_print(text, "the TBE of %s %u for 0x%llx", n->controller->machine->name,
                        n->controller->number, block);
        return;
    }
    base_text_print(text, "%s for 0x%llx in %s of %s %u", sim_message_name(g->system, n->message),
                    block, n->buffer->name, n->controller->machine->name, n->controller->number);
    if (n->is_aside)
        base_text_print(text, ", set aside until 0x%llx changes", (unsigned long long)n->needs);
    else if (n->to != NULL)
        base_text_print(text, ", for which %s of %s %u has no room", n->to->name,
                        n->to->owner->machine->name, n->to->owner->number);
    else if (n->is_under_way)
        base_text_add(text, ", on its way");
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

/* ---- The chain. */

typedef struct path {
    size_t *places;
    size_t length, capacity;
    size_t cycle; /* where it comes back to; SIZE_MAX: nowhere */
} path;

static size_t find_on(const path *p, size_t place) {
    for (size_t i = 0; i < p->length; i++)
        if (p->places[i] == place)
            return i;
    return SIZE_MAX;
}

/* Depth first; the first way that comes back to itself is kept, else the first that ends. */
static bool walk(graph *g, path *p, size_t place, path *dead_end) {
    if (base_reserve(&p->places, &p->capacity, p->length + 1, sizeof *p->places, NULL) != COL_OK)
        return true;
    p->places[p->length++] = place;
    g->nodes[place].is_seen = true;
    bool is_end = true;
    for (size_t i = 0; i < g->count; i++) {
        if (i == place || !waits_for(g, &g->nodes[place], &g->nodes[i]))
            continue;
        is_end = false;
        p->cycle = find_on(p, i);
        if (p->cycle != SIZE_MAX || (!g->nodes[i].is_seen && walk(g, p, i, dead_end)))
            return true;
    }
    if (is_end && dead_end->length == 0 &&
        base_reserve(&dead_end->places, &dead_end->capacity, p->length, sizeof *p->places, NULL) ==
            COL_OK) {
        memcpy(dead_end->places, p->places, p->length * sizeof *p->places);
        dead_end->length = p->length;
    }
    p->length--;
    return false;
}

static void tell_path(const graph *g, const path *p, base_text *text) {
    const bool is_cycle = p->cycle != SIZE_MAX;
    base_text_add(text, is_cycle ? "cycle of waits: " : "chain of waits: ");
    for (size_t i = is_cycle ? p->cycle : 0; i < p->length; i++) {
        tell_node(g, &g->nodes[p->places[i]], text);
        base_text_add(text, i + 1 < p->length || is_cycle ? " -> " : "");
    }
    if (is_cycle)
        base_text_add(text, "the first again");
    else if (!g->nodes[p->places[p->length - 1]].is_under_way)
        base_text_add(text, ", for which nothing is on its way");
}

/* From an access along what it waits for, in a few words: "cycle: A -> B -> A", or the chain to
 * what nothing is known to move. Running out of memory leaves it out. */
static void tell_chain(const sim_system *s, waiter from, base_text *text) {
    graph g = make_graph(s);
    path p = {.cycle = SIZE_MAX}, dead_end = {.cycle = SIZE_MAX};
    size_t start = from.access;
    for (uint32_t i = 0; i < from.core; i++)
        start += s->cores[i].access_count;
    if (!g.failed && start < g.count) {
        const bool is_found = walk(&g, &p, start, &dead_end);
        if (is_found && p.cycle != SIZE_MAX)
            tell_path(&g, &p, text);
        else if (dead_end.length > 0)
            tell_path(&g, &dead_end, text);
    }
    free(p.places);
    free(dead_end.places);
    free(g.nodes);
}

void sim_wait_graph(const sim_system *s, base_text *text) {
    graph g = make_graph(s);
    base_text_add(text, "what waits for what:\n");
    for (size_t i = 0; i < g.count; i++) {
        uint32_t found = 0;
        base_text_add(text, "  ");
        tell_node(&g, &g.nodes[i], text);
        for (size_t j = 0; j < g.count; j++) {
            if (i == j || !waits_for(&g, &g.nodes[i], &g.nodes[j]))
                continue;
            base_text_add(text, found++ == 0 ? "\n    waits for " : " or ");
            tell_node(&g, &g.nodes[j], text);
        }
        base_text_add(text, "\n");
    }
    free(g.nodes);
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

static void add_chain(const sim_system *s, waiter from, sim_stuck *stuck) {
    base_text chain = {0};
    tell_chain(s, from, &chain);
    if (chain.length > 0 && !chain.failed)
        say(stuck, "; %s", chain.data);
    base_text_free(&chain);
}

void sim_report_deadlock(sim_system *s) {
    sim_stuck stuck = {""};
    waiter oldest;
    print_graph(s);
    if (find_oldest_access(s, &oldest))
        add_chain(s, oldest, &stuck);
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
    add_chain(s, oldest, &stuck);
    s->failure.is_starvation = true;
    sim_fail(s, event,
             "core %u waits for block 0x%llx since cycle %llu, for %llu cycles, while others are "
             "served%s",
             oldest.core, (unsigned long long)access->block, (unsigned long long)access->issued,
             (unsigned long long)(s->base.now - access->issued), stuck.text);
}
