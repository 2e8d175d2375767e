/* SPDX-License-Identifier: MIT */
/* Who waits for whom: see wait_graph.h. Whatever a node may wait for shares its block, its
 * controller or its queue with it, so that only the lists of these are looked at. */
#include "protocol/simulate/wait_graph.h"

#include "base/hash.h"
#include "protocol/simulate/state_needs.h"

#include <stdlib.h>
#include <string.h>

/* WORK: what a controller has under way for a block, in a TBE or in a state that is Busy. */
typedef enum node_kind { ACCESS, WORK, MESSAGE } node_kind;

typedef struct node {
    node_kind kind;
    sl_address block;
    sl_address needs;         /* of a message: the block that something must happen to first */
    const sim_core *core;     /* of an access */
    uint64_t since;           /* likewise */
    const sim_access *access; /* likewise */
    const sl_controller *controller; /* of work and of a message: whose it is */
    uint32_t state; /* of work, of a message aside that of what it needs; or SIM_NO_STATE */
    bool has_tbe;   /* likewise */
    const sl_buffer *buffer; /* of a message */
    const sl_message *message;
    uint32_t ahead;      /* messages before it in the queue */
    bool is_aside;       /* it waits for its block beside the queue */
    bool is_under_way;   /* it has not arrived yet */
    const sl_buffer *to; /* it waits in the network for room there, sent from `buffer`; else NULL */
    bool is_seen;
    size_t step; /* on the path, from 1; 0: it is not on it */
} node;

/* What nodes have in common. */
typedef enum share { OF_BLOCK, OF_CONTROLLER, OF_BUFFER, SHARES } share;

typedef struct graph {
    sim_system *system;
    node *nodes;
    size_t count, capacity;
    base_index shares; /* each block, controller and buffer */
    size_t *firsts;    /* of each, the first node; */
    size_t *nexts;     /* of each node, the next one with the same: SHARES of them */
    bool failed;
    bool is_alive; /* transitions go on: a message at the head of its queue may yet be taken */
} graph;

/* ---- The nodes. */

static void add(graph *g, const node *n) {
    if (!g->failed &&
        base_reserve(&g->nodes, &g->capacity, g->count + 1, sizeof *g->nodes, NULL) == COL_OK)
        g->nodes[g->count++] = *n;
    else
        g->failed = true;
}

static void add_tbes(graph *g, sl_controller *c) {
    const sl_table *tbes = NULL;
    for (uint32_t i = 0; i < c->machine->member_count; i++)
        if (c->machine->members[i].kind == SL_MEMBER_TBES)
            tbes = sim_member(c, &c->machine->members[i]);
    for (uint32_t i = 0; tbes != NULL && i <= tbes->mask; i++)
        if (tbes->places[i] != NULL)
            add(g, &(node){.kind = WORK,
                           .block = tbes->places[i]->address,
                           .controller = c,
                           .state = sim_state_of(g->system, c, tbes->places[i]->address),
                           .has_tbe = true});
}

/* Controllers without a TBE for the block may be busy with it all the same. */
static void add_busy(graph *g, sl_address block) {
    void *tbe;
    for (uint32_t i = 0; i < g->system->base.controller_count; i++) {
        sl_controller *c = g->system->controllers[i];
        const uint32_t state =
            sim_has_tbe(c, block, &tbe) ? SIM_NO_STATE : sim_state_of(g->system, c, block);
        if (state != SIM_NO_STATE && sim_is_busy(c->machine, state))
            add(g, &(node){.kind = WORK, .block = block, .controller = c, .state = state});
    }
}

/* The block, for the first time. */
static bool is_new(graph *g, base_index *met, sl_address block) {
    const uint64_t hash = base_index_hash(block);
    if (base_index_find(met, hash, NULL, NULL, NULL) != BASE_NO_NUMBER)
        return false;
    g->failed = g->failed || base_index_put(met, hash, NULL) != COL_OK;
    return !g->failed;
}

static void add_all_busy(graph *g) {
    const size_t count = g->count;
    base_index met = {0};
    for (size_t i = 0; i < count; i++) {
        const node n = g->nodes[i];
        if (n.kind != WORK && is_new(g, &met, n.block))
            add_busy(g, n.block);
        if (n.is_aside && is_new(g, &met, n.needs))
            add_busy(g, n.needs);
    }
    base_index_free(&met);
}

/* It was put back, to be looked at later, if all that came to the buffer has arrived. */
static bool is_under_way(const graph *g, const sl_buffer *b, const sl_slot *slot) {
    const uint64_t now = g->system->base.now;
    return slot->time > now && !(b->ordered && b->last_time <= now);
}

static void add_messages(graph *g, sl_controller *c) {
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
                               .state = sim_state_of(g->system, c, waiting->address),
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
                               .is_under_way = is_under_way(g, buffer, slot)});
        }
    }
}

/* ---- What they share. */

static uint64_t share_hash(share of, uint64_t what) {
    return XXH3_64bits_withSeed(&what, sizeof what, (uint64_t)of);
}

/* Accesses have neither a controller nor a buffer. */
static uint64_t shared_by(const node *n, share of) {
    const void *what = of == OF_CONTROLLER ? (const void *)n->controller : n->buffer;
    return of == OF_BLOCK ? n->block : (uint64_t)(uintptr_t)what;
}

/* From the last node on, so that each list is in their order. */
static void make_lists(graph *g) {
    const size_t most = g->count * SHARES + 1;
    g->firsts = calloc(most, sizeof *g->firsts);
    g->nexts = calloc(most, sizeof *g->nexts);
    if (g->failed || g->firsts == NULL || g->nexts == NULL ||
        base_index_reserve(&g->shares, most, NULL) != COL_OK) {
        g->failed = true;
        g->count = 0;
        return;
    }
    for (size_t i = g->count; i-- > 0;)
        for (int of = 0; of < SHARES; of++) {
            const uint64_t hash = share_hash((share)of, shared_by(&g->nodes[i], (share)of));
            uint32_t number = base_index_find(&g->shares, hash, NULL, NULL, NULL);
            g->nexts[i * SHARES + (size_t)of] =
                number == BASE_NO_NUMBER ? g->count : g->firsts[number];
            if (number == BASE_NO_NUMBER) {
                number = (uint32_t)g->shares.count;
                (void)base_index_put(&g->shares, hash, NULL); /* there is room */
            }
            g->firsts[number] = i;
        }
}

/* The count of nodes, if there is none. */
static size_t first_of(const graph *g, share of, uint64_t what) {
    const uint32_t number = base_index_find(&g->shares, share_hash(of, what), NULL, NULL, NULL);
    return number == BASE_NO_NUMBER ? g->count : g->firsts[number];
}

static size_t next_of(const graph *g, share of, size_t place) {
    return g->nexts[place * SHARES + (size_t)of];
}

static graph make_graph(sim_system *s) {
    graph g = {.system = s};
    for (uint32_t i = 0; i < g.system->wiring.cores; i++) {
        const sim_core *core = &g.system->cores[i];
        for (uint32_t a = 0; a < core->access_count; a++)
            add(&g, &(node){.kind = ACCESS,
                            .block = core->accesses[a].block,
                            .core = core,
                            .access = &core->accesses[a],
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
    add_all_busy(&g);
    make_lists(&g);
    return g;
}

static void free_graph(graph *g) {
    base_index_free(&g->shares);
    free(g->firsts);
    free(g->nexts);
    free(g->nodes);
}

/* ---- The edges. */

static bool has_work(const graph *g, const sl_controller *c, sl_address block) {
    for (size_t i = first_of(g, OF_BLOCK, block); i < g->count; i = next_of(g, OF_BLOCK, i))
        if (g->nodes[i].kind == WORK && g->nodes[i].controller == c)
            return true;
    return false;
}

/* May the message be what the controller waits for? One that is stalled by the work itself is not.
 */
static bool is_awaited(const graph *g, const node *w, const node *n) {
    if (n->kind != MESSAGE || n->block != w->block || n->message->type == SL_REQUEST_MESSAGE)
        return false; /* a core's request is nobody else's business */
    return n->controller != w->controller || n->is_under_way || n->ahead > 0 || n->to != NULL ||
           (g->is_alive && !n->is_aside);
}

static uint32_t level_of(const graph *g, const sl_controller *c) {
    return sim_wiring_level(&g->system->wiring.machines[sim_machine_of(g->system, c)]);
}

/* What a controller waits for with a block: messages that concern it, or, if there are none, those
 * that may, or else what others have under way for the block, best those that it has noted. One
 * farther from the cores has noted who asked for it. */
typedef enum nearness { FAR, RELATED, NOTED, MAYBE_OWN, OWN } nearness;

/* Is the message for the controller, or of something that it asked for? Of types that name no
 * controllers nobody knows. */
static nearness concern_of(const graph *g, const node *n, const sl_controller *c) {
    const sl_field *f = g->system->protocol->messages[n->message->type].fields;
    bool names_any = false;
    if (n->controller == c)
        return OWN;
    for (; f != NULL && f->kind != SL_FIELD_END; f++) {
        sl_machine_id id;
        if (f->kind != SL_FIELD_MACHINE)
            continue;
        memcpy(&id, (const uint8_t *)n->message + f->offset, sizeof id);
        if (id == c->machine_id)
            return OWN;
        names_any = true;
    }
    return names_any ? FAR : MAYBE_OWN;
}

/* Is there no level between them? */
static bool are_adjacent(const graph *g, const sl_controller *a, const sl_controller *b) {
    const uint32_t x = level_of(g, a), y = level_of(g, b);
    for (uint32_t m = 0; m < g->system->protocol->machine_count; m++) {
        const uint32_t z = sim_wiring_level(&g->system->wiring.machines[m]);
        if ((x < z && z < y) || (y < z && z < x))
            return false;
    }
    return x != y;
}

/* May one nearer to the cores owe an answer? Not if all that it waits for is held up by the one
 * that asks, and nobody has asked it for anything. */
static bool may_owe(const graph *g, const sl_controller *asks, const node *w) {
    bool is_held_up = false;
    for (size_t i = first_of(g, OF_BLOCK, w->block); i < g->count; i = next_of(g, OF_BLOCK, i)) {
        const node *n = &g->nodes[i];
        if (n->kind != MESSAGE || n->message->type == SL_REQUEST_MESSAGE)
            continue;
        if (n->controller == w->controller ||
            (n->controller != asks && concern_of(g, n, w->controller) != FAR))
            return true;
        is_held_up |= n->controller == asks && concern_of(g, n, w->controller) != FAR;
    }
    return !is_held_up;
}

static nearness work_of(const graph *g, const node *w, const node *n) {
    const sl_controller *a = w->controller, *b = n->controller;
    const bool is_shared = a->core == UINT32_MAX || b->core == UINT32_MAX;
    if (n->block != w->block || !are_adjacent(g, a, b) || (!is_shared && a->core != b->core))
        return FAR;
    if (level_of(g, a) > level_of(g, b))
        return !may_owe(g, a, n) ? FAR : sim_is_named(a, w->block, b) ? NOTED : RELATED;
    return !is_shared || (n->has_tbe && sim_is_named(b, w->block, a)) ? RELATED : FAR;
}

static nearness nearness_of(const graph *g, const node *w, const node *n) {
    if (n->kind == WORK)
        return work_of(g, w, n);
    return is_awaited(g, w, n) ? concern_of(g, n, w->controller) : FAR;
}

static nearness nearest_of(const graph *g, const node *w) {
    nearness most = FAR;
    for (size_t i = first_of(g, OF_BLOCK, w->block); i < g->count; i = next_of(g, OF_BLOCK, i)) {
        const nearness found = nearness_of(g, w, &g->nodes[i]);
        most = found > most ? found : most;
    }
    return most;
}

/* Who waits, and what is known of all that it may wait for. */
typedef struct asking {
    const node *node;
    nearness nearest; /* of work */
    bool has_own;     /* of others: its controllers have something under way for the block */
    size_t at[SHARES];
} asking;

/* A message waits for those before it. The first waits for what its controller has under way for
 * the block, or else for a TBE to become free; one that was set aside for a block (a victim, say)
 * waits for what is under way for that. */
static bool message_waits_for(const asking *q, const node *n) {
    const node *m = q->node;
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
    if (m->is_aside && !q->has_own)
        return n->kind == MESSAGE && n->block == m->needs && !n->is_aside;
    return n->kind == WORK && n->controller == m->controller &&
           (q->has_own ? n->block == m->needs : n->has_tbe);
}

static bool waits_for(const graph *g, const asking *q, const node *b) {
    const node *a = q->node;
    if (a == b)
        return false;
    switch (a->kind) {
    case ACCESS: /* waits for its request, or what its own caches have under way for the block */
        if (b->block != a->block || b->kind == ACCESS)
            return false;
        if (b->kind == WORK)
            return b->controller->core == a->core->number;
        return b->buffer == a->core->requests || b->buffer == a->core->fetches || !q->has_own;
    case WORK:
        return q->nearest != FAR && nearness_of(g, a, b) == q->nearest;
    default:
        return message_waits_for(q, b);
    }
}

static asking ask(const graph *g, const node *n) {
    asking q = {.node = n, .at = {g->count, g->count, g->count}};
    if (n->kind == ACCESS)
        q.has_own =
            has_work(g, n->core->controller, n->block) || has_work(g, n->core->fetcher, n->block);
    else if (n->kind == WORK)
        q.nearest = nearest_of(g, n);
    else
        q.has_own = has_work(g, n->controller, n->needs);
    q.at[OF_BLOCK] = first_of(g, OF_BLOCK, n->kind == MESSAGE ? n->needs : n->block);
    if (n->kind == MESSAGE) {
        q.at[OF_CONTROLLER] = first_of(g, OF_CONTROLLER, (uint64_t)(uintptr_t)n->controller);
        q.at[OF_BUFFER] =
            first_of(g, OF_BUFFER,
                     (uint64_t)(uintptr_t)(n->ahead == 0 && n->to != NULL ? n->to : n->buffer));
    }
    return q;
}

/* The next that it waits for, in the order of the nodes; their count: there are no more. */
static size_t next_awaited(const graph *g, asking *q) {
    for (;;) {
        size_t next = g->count;
        for (int of = 0; of < SHARES; of++)
            next = q->at[of] < next ? q->at[of] : next;
        for (int of = 0; of < SHARES && next < g->count; of++)
            if (q->at[of] == next)
                q->at[of] = next_of(g, (share)of, next);
        if (next == g->count || waits_for(g, q, &g->nodes[next]))
            return next;
    }
}

/* ---- In words. */

static void say_state(const node *n, const char *begin, base_text *text) {
    const sl_machine *m = n->controller->machine;
    base_text needs = {0};
    if (n->state == SIM_NO_STATE)
        return;
    base_text_print(text, "%swaits in %s", begin, m->states[n->state]);
    sim_say_needs(m, n->controller->cells, n->state, &needs);
    if (needs.length > 0)
        base_text_print(text, " for %s", needs.data);
    base_text_free_part(&needs, text);
}

static const char *message_name(const graph *g, const node *n) {
    return sim_message_name(g->system, n->message);
}

static void say_hindrance(const node *n, base_text *text) {
    if (n->is_aside && n->state == SIM_NO_STATE)
        base_text_print(text, ", set aside until 0x%llx changes", (unsigned long long)n->needs);
    else if (n->is_aside)
        base_text_print(text, ", set aside until 0x%llx leaves %s", (unsigned long long)n->needs,
                        n->controller->machine->states[n->state]);
    else if (n->to != NULL)
        base_text_print(text, ", for which %s of %s %u has no room", n->to->name,
                        n->to->owner->machine->name, n->to->owner->number);
    else if (n->is_under_way)
        base_text_add(text, ", in flight");
    else if (n->ahead > 0)
        base_text_print(text, ", behind %u other%s", n->ahead, n->ahead == 1 ? "" : "s");
}

static void tell_node(const graph *g, const node *n, base_text *text) {
    const unsigned long long block = n->block;
    if (n->kind == ACCESS) {
        base_text_print(text, "core %u for 0x%llx since cycle %llu", n->core->number, block,
                        (unsigned long long)n->since);
        return;
    }
    if (n->kind == WORK) {
        base_text_print(text, "%s %u with 0x%llx", n->controller->machine->name,
                        n->controller->number, block);
        say_state(n, ", which ", text);
        return;
    }
    base_text_print(text, "%s for 0x%llx in %s of %s %u", message_name(g, n), block,
                    n->buffer->name, n->controller->machine->name, n->controller->number);
    say_hindrance(n, text);
}

static bool is_oldest(const node *n, const node *oldest) {
    return n->kind == ACCESS && (oldest == NULL || n->since < oldest->since);
}

/* ---- The chain. */

typedef struct path {
    size_t *places;
    size_t length, capacity;
    size_t cycle; /* where it comes back to; SIZE_MAX: nowhere */
} path;

/* Depth first; the first way that comes back to itself is kept, else the first that ends. */
static bool walk(graph *g, path *p, size_t place, path *dead_end) {
    if (base_reserve(&p->places, &p->capacity, p->length + 1, sizeof *p->places, NULL) != COL_OK)
        return true;
    p->places[p->length++] = place;
    g->nodes[place].is_seen = true;
    g->nodes[place].step = p->length;
    bool is_end = true;
    asking q = ask(g, &g->nodes[place]);
    for (size_t i; (i = next_awaited(g, &q)) < g->count;) {
        is_end = false;
        if (g->nodes[i].step > 0)
            p->cycle = g->nodes[i].step - 1;
        if (p->cycle != SIZE_MAX || (!g->nodes[i].is_seen && walk(g, p, i, dead_end)))
            return true;
    }
    if (is_end && dead_end->length == 0 &&
        base_reserve(&dead_end->places, &dead_end->capacity, p->length, sizeof *p->places, NULL) ==
            COL_OK) {
        memcpy(dead_end->places, p->places, p->length * sizeof *p->places);
        dead_end->length = p->length;
    }
    g->nodes[place].step = 0;
    p->length--;
    return false;
}

/* ---- What kind of waiting it is. */

static const char *const kinds[SIM_HANGS] = {
    [SIM_HANG_CYCLE] = "cycle of waits",
    [SIM_HANG_LOST] = "lost message",
    [SIM_HANG_SLEEPING] = "nothing wakes a message",
    [SIM_HANG_CHAIN] = "chain of waits",
};

/* Controllers that wait for each other with one block, and no message that concerns one of them in
 * flight: the one that they wait for does not exist. */
static sim_hang hang_of(const graph *g, const path *p) {
    const node *last = &g->nodes[p->places[p->length - 1]];
    bool is_lost = true;
    for (size_t i = p->cycle; i < p->length; i++)
        is_lost &= g->nodes[p->places[i]].kind == WORK;
    if (p->cycle != SIZE_MAX)
        return is_lost ? SIM_HANG_LOST : SIM_HANG_CYCLE;
    if (last->kind == WORK)
        return SIM_HANG_LOST;
    return last->kind == MESSAGE && last->is_aside ? SIM_HANG_SLEEPING : SIM_HANG_CHAIN;
}

static void tell_path(const graph *g, const path *p, sim_hang hang, base_text *text) {
    const size_t first = hang == SIM_HANG_CYCLE ? p->cycle : 0;
    base_text_print(text, "%s: ", kinds[hang]);
    for (size_t i = first; i < p->length; i++) {
        tell_node(g, &g->nodes[p->places[i]], text);
        base_text_add(text, i + 1 < p->length ? " -> " : "");
    }
    if (hang == SIM_HANG_CYCLE)
        base_text_add(text, " -> the first again");
    else if (hang == SIM_HANG_LOST)
        base_text_print(text, "; no message for %s is in flight",
                        p->cycle == SIZE_MAX || p->cycle + 1 == p->length ? "it" : "them");
    else if (hang == SIM_HANG_SLEEPING)
        base_text_add(text, ", but nothing is about to change it");
}

/* ---- As events. */

static void notice_wait(const graph *g, const path *p, size_t place) {
    const node *n = &g->nodes[p->places[place]];
    const bool is_last = place + 1 == p->length;
    base_text text = {0};
    col_event event = {.kind = COL_WAIT,
                       .cycle = g->system->base.now,
                       .number = place + 1,
                       .overwritten = n->since,
                       .read = !is_last               ? place + 2
                               : p->cycle == SIZE_MAX ? 0
                                                      : p->cycle + 1,
                       .operation = UINT32_MAX,
                       .machine = COL_OF_CORE,
                       .state = UINT32_MAX,
                       .block = n->block};
    if (n->kind == ACCESS) {
        event.core = event.controller = n->core->number;
        event.operation = n->access->operation;
        base_text_add(&text, "waits for its caches");
    } else {
        event.machine = sim_machine_of(g->system, n->controller);
        event.controller = n->controller->number;
    }
    if (n->kind == WORK) {
        event.state = n->state;
        base_text_add(&text, n->state == SIM_NO_STATE ? "has a TBE" : "");
        say_state(n, "", &text);
    } else if (n->kind == MESSAGE) {
        base_text_print(&text, "has %s in %s", message_name(g, n), n->buffer->name);
        say_hindrance(n, &text);
    }
    event.message = text.data;
    if (!text.failed)
        sim_notice(g->system, &event);
    base_text_free(&text);
}

static void notice_path(const graph *g, const path *p, const char *kind) {
    const col_event header = {.kind = COL_WAIT, .cycle = g->system->base.now, .message = kind};
    sim_notice(g->system, &header);
    for (size_t i = 0; i < p->length; i++)
        notice_wait(g, p, i);
}

void sim_tell_waits(sim_system *s, const char *kind, base_text *text) {
    graph g = make_graph(s);
    g.is_alive = kind != NULL;
    path p = {.cycle = SIZE_MAX}, dead_end = {.cycle = SIZE_MAX};
    size_t start = SIZE_MAX;
    for (size_t i = 0; i < g.count && !g.failed; i++)
        if (is_oldest(&g.nodes[i], start == SIZE_MAX ? NULL : &g.nodes[start]))
            start = i;
    if (start != SIZE_MAX) {
        const bool is_found = walk(&g, &p, start, &dead_end);
        const path *found = is_found && p.cycle != SIZE_MAX ? &p : &dead_end;
        if (found->length > 0) {
            const sim_hang hang = hang_of(&g, found);
            tell_path(&g, found, hang, text);
            notice_path(&g, found, kind != NULL ? kind : kinds[hang]);
        }
    }
    free(p.places);
    free(dead_end.places);
    free_graph(&g);
}

void sim_wait_graph(sim_system *s, base_text *text) {
    graph g = make_graph(s);
    base_text_add(text, "what waits for what:\n");
    for (size_t i = 0; i < g.count; i++) {
        uint32_t found = 0;
        base_text_add(text, "  ");
        tell_node(&g, &g.nodes[i], text);
        asking q = ask(&g, &g.nodes[i]);
        for (size_t j; (j = next_awaited(&g, &q)) < g.count;) {
            base_text_add(text, found++ == 0 ? "\n    waits for " : " or ");
            tell_node(&g, &g.nodes[j], text);
        }
        base_text_add(text, "\n");
    }
    free_graph(&g);
}
