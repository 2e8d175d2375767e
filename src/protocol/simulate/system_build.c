/* SPDX-License-Identifier: MIT */
/* Building a system: controllers and what they have, wires between them, cores in front. */
#include "protocol/simulate/system.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TOKENS = 1024 }; /* of a block, in token protocols */

static void notice_transition(sl_controller *c, uint32_t state, uint32_t event, uint32_t next,
                              sl_address address);
static void fail_controller(sl_controller *c, const char *message, const char *place);
static void fail_missing(const sl_system *system, sl_machine_id id);

static const sl_services services = {
    .load_done = sim_load_done,
    .store_done = sim_store_done,
    .store_failed = sim_store_failed,
    .is_linked = sim_is_linked,
    .evicted = sim_evicted,
    .dma_read_done = sim_dma_read_done,
    .dma_write_done = sim_dma_write_done,
    .store_through = sim_dma_store_through,
    .send = sim_send,
    .refuse = sim_refuse_receiver,
    .sent = sim_tell_sent,
    .received = sim_tell_received,
    .transition = notice_transition,
    .permission = sim_monitor_permission,
    .stop = fail_controller,
    .missing = fail_missing,
    .grow = sim_grow,
};

uint32_t sim_machine_of(const sim_system *s, const sl_controller *c) {
    uint32_t m = 0;
    while (s->protocol->machines[m] != c->machine)
        m++;
    return m;
}

static void notice_transition(sl_controller *c, uint32_t state, uint32_t event, uint32_t next,
                              sl_address address) {
    sim_system *s = sim_of(c->system);
    const col_event e = {.kind = COL_TRANSITION,
                         .cycle = s->base.now,
                         .machine = sim_machine_of(s, c),
                         .controller = c->number,
                         .state = state,
                         .event = event,
                         .next_state = next,
                         .block = address};
    sim_notice(s, &e);
}

col_event sim_error_of(const sl_controller *c) {
    const sim_system *s = sim_of(c->system);
    return (col_event){.kind = COL_PROTOCOL_ERROR,
                       .cycle = s->base.now,
                       .machine = sim_machine_of(s, c),
                       .controller = c->number,
                       .state = c->state,
                       .event = c->event,
                       .block = c->address};
}

static void fail_controller(sl_controller *c, const char *message, const char *place) {
    sim_system *s = sim_of(c->system);
    const sl_machine *machine = c->machine;
    sim_fail(s, sim_error_of(c), "%s%s%s: %s %u in state %s at event %s, block 0x%llx, cycle %llu",
             place != NULL ? place : "", place != NULL ? ": " : "", message, machine->name,
             c->number, machine->states[c->state], machine->events[c->event],
             (unsigned long long)c->address, (unsigned long long)s->base.now);
}

static void fail_missing(const sl_system *system, sl_machine_id id) {
    sim_system *s = sim_of((sl_system *)system);
    const col_event e = s->awake != NULL
                            ? sim_error_of(s->awake)
                            : (col_event){.kind = COL_PROTOCOL_ERROR, .cycle = s->base.now};
    const char *name = NULL;
    for (uint32_t m = 0; m < s->protocol->machine_count; m++)
        if (s->protocol->machines[m]->type == sl_machine_type(id))
            name = s->protocol->machines[m]->name;
    if (name == NULL)
        sim_fail(s, e, "a machine type or machine ID names no machine of this system (cycle %llu)",
                 (unsigned long long)s->base.now);
    sim_fail(s, e, "a message or a set names %s %u, which this system does not have (cycle %llu)",
             name, sl_machine_number(id), (unsigned long long)s->base.now);
}

/* ---- What a controller has. */

static void *take(sim_system *s, size_t size) {
    return sim_grow(&s->base, NULL, size);
}

static sl_buffer *new_buffer(sim_system *s, const sim_machine_wiring *w, sl_controller *c,
                             const sl_member *m) {
    sl_buffer *b = take(s, sizeof *b);
    b->system = &s->base;
    b->owner = c;
    b->consumer = m->in_port ? c : NULL;
    b->reader = m->in_port ? c->id + 1 : 0;
    b->network = m->network;
    b->message = m->in_port ? m->message : -1;
    b->name = m->name;
    for (uint32_t i = 0; i < w->buffer_count; i++)
        if (strcmp(w->buffers[i].name, m->name) == 0)
            b->capacity = (uint32_t)w->buffers[i].value;
    if (b->capacity == 0 && (m->to_network || m->from_network)) {
        /* What the design says of all buffers at the network: a transition must be able to take
         * place. */
        const uint32_t needed = sim_most_slots(c->machine, m->offset),
                       room = s->wiring.network_buffers;
        b->capacity = room == 0 || room > needed ? room : needed;
    }
    s->base.bounded = s->base.bounded || b->capacity > 0;
    s->is_finite = s->is_finite || (m->from_network && b->capacity > 0);
    b->mask = 15;
    b->first.time = UINT64_MAX;
    b->ring = take(s, 16 * sizeof *b->ring);
    const bool is_freed = m->network >= 0 && (s->wiring.unordered >> m->network & 1) != 0;
    b->ordered = (m->ordered == 1 && !is_freed) || (m->in_port && !m->from_network) ||
                 (m->network < 0 && (m->to_network || m->from_network));
    return b;
}

static col_status new_cache(sim_system *s, const sim_machine_wiring *w, sl_controller *c,
                            const sl_member *m, sl_cache **out, col_problem *problem) {
    sim_cache_shape *shape = sim_wiring_cache((sim_machine_wiring *)w, m->name);
    const uint64_t blocks = shape == NULL ? 0 : shape->bytes / SL_BLOCK_BYTES;
    const uint64_t sets = shape == NULL || shape->ways == 0 ? 0 : blocks / shape->ways;
    if (sets == 0 || (sets & (sets - 1)) != 0)
        return base_refuse(problem, "the cache %s of %s must have a power of two of sets", m->name,
                           c->machine->name);
    sl_cache *cache = take(s, sizeof *cache);
    cache->system = &s->base;
    cache->owner = c;
    cache->ways = shape->ways;
    cache->entry_size = (m->record_size + 15) / 16 * 16;
    cache->index_low = SL_BLOCK_BITS + w->index_skip;
    cache->index_mask = sets - 1;
    cache->replacement = (uint8_t)shape->replacement;
    cache->tag_latency = cache->data_latency = 1; /* as gem5 has it */
    cache->entries = take(s, blocks * cache->entry_size);
    cache->tags = take(s, blocks * sizeof *cache->tags);
    cache->plru = take(s, sets * sizeof *cache->plru);
    cache->used = take(s, (sets + 63) / 64 * sizeof *cache->used);
    *out = cache;
    return COL_OK;
}

static sl_table *new_table(sim_system *s, sl_controller *owner, uint32_t record_size,
                           uint32_t capacity) {
    sl_table *t = take(s, sizeof *t);
    t->system = &s->base;
    t->owner = owner;
    t->record_size = (record_size + 15) / 16 * 16;
    t->capacity = capacity;
    t->mask = 15;
    t->places = take(s, 16 * sizeof *t->places);
    return t;
}

static col_status new_member(sim_system *s, const sim_machine_wiring *w, sl_controller *c,
                             const sl_member *m, col_problem *problem) {
    sl_cache *cache = NULL;
    void *made = NULL;
    col_status status = COL_OK;
    switch (m->kind) {
    case SL_MEMBER_BUFFER: {
        sl_buffer *buffer = made = new_buffer(s, w, c, m);
        if (m->in_port)
            c->in_buffers[c->in_buffer_count++] = buffer;
        if (m->in_port && m->message == SL_MEMORY_MESSAGE) {
            c->memory_responses = buffer;
            c->keeps_data = m->out_port; /* one buffer for both ways */
        }
        break;
    }
    case SL_MEMBER_CACHE:
        status = new_cache(s, w, c, m, &cache, problem);
        made = cache;
        break;
    case SL_MEMBER_TBES:
        made = new_table(s, c, m->record_size, w->tbes > 0 ? w->tbes : s->wiring.tbes);
        break;
    case SL_MEMBER_TABLE:
    case SL_MEMBER_PERFECT:
        made = new_table(s, c, m->record_size, 0);
        break;
    case SL_MEMBER_TIMER: {
        sl_timer *timer = made = take(s, sizeof *timer);
        timer->system = &s->base;
        timer->consumer = c;
        break;
    }
    case SL_MEMBER_PERSISTENT: {
        sl_persistent *persistent = made = take(s, sizeof *persistent);
        persistent->system = &s->base;
        persistent->owner = c;
        break;
    }
    case SL_MEMBER_NUMBER: {
        int64_t value = m->has_initial ? m->initial : 0;
        for (uint32_t i = 0; i < w->parameter_count; i++)
            if (m->parameter && strcmp(w->parameters[i].name, m->name) == 0)
                value = w->parameters[i].value;
        memcpy((uint8_t *)c + m->offset, &value, sizeof value);
        return COL_OK;
    }
    default:
        return COL_OK;
    }
    memcpy((uint8_t *)c + m->offset, &made, sizeof made);
    return status;
}

static col_status new_controller(sim_system *s, uint32_t machine_index, uint32_t number,
                                 uint32_t id, col_problem *problem) {
    const sl_machine *machine = s->protocol->machines[machine_index];
    const sim_machine_wiring *w = &s->wiring.machines[machine_index];
    const uint32_t cells = machine->state_count * machine->event_count;
    sl_controller *c = take(s, machine->size);
    s->controllers[id] = c;
    c->system = &s->base;
    c->machine = machine;
    c->cells = s->cells[machine_index];
    c->action_functions = machine->action_functions;
    c->sequences = machine->sequences;
    c->event_count = machine->event_count;
    c->action_list = s->action_lists[machine_index];
    c->counts = s->counts[machine_index] + (size_t)number * cells;
    c->wakeup = machine->wakeup;
    c->id = id;
    c->number = number;
    c->machine_id = sl_machine_make(machine->type, w->first + number);
    c->core = w->is_private ? number * w->sequencers : UINT32_MAX;
    c->transitions_per_cycle = s->wiring.transitions_per_cycle;
    c->in_buffers = take(s, machine->member_count * sizeof *c->in_buffers + 1);
    for (uint32_t i = 0; i < machine->member_count; i++) {
        const col_status status = new_member(s, w, c, &machine->members[i], problem);
        if (status != COL_OK)
            return status;
    }
    machine->initialise(c);
    return COL_OK;
}

/* ---- Wires. */

/* The other end of a wire: the buffer of the same name that a machine reads, or, straight through
 * the network, the one for such messages of another machine. */
static sl_buffer *find_peer(const sim_system *s, const sl_controller *c, const sl_member *m) {
    for (uint32_t i = 0; i < s->base.controller_count; i++) {
        const sl_controller *other = s->controllers[i];
        for (uint32_t j = 0; other->number == c->number && j < other->machine->member_count; j++) {
            const sl_member *n = &other->machine->members[j];
            const bool fits = m->to_network ? other->machine != c->machine && n->from_network &&
                                                  n->network < 0 && n->message == m->message
                                            : other != c && n->wire && n->in_port &&
                                                  strcmp(n->name, m->name) == 0;
            if (n->kind == SL_MEMBER_BUFFER && fits)
                return sim_member(other, n);
        }
    }
    return NULL;
}

/* The controllers that this one asks: its core's own, or those of its cluster. */
static void set_downstream(const sim_system *s, sl_controller *c) {
    const sim_machine_wiring *w = &s->wiring.machines[sim_machine_of(s, c)];
    if (w->downstream == 0)
        return;
    const sim_machine_wiring *below = &s->wiring.machines[w->downstream - 1];
    const sl_machine *machine = s->protocol->machines[w->downstream - 1];
    c->downstream_count = below->is_private ? 1 : below->count / below->clusters;
    const uint32_t own = w->count == 0 ? 1 : w->count; /* not 0: it has this controller */
    const uint32_t cluster = (uint32_t)((uint64_t)c->number * below->clusters / own);
    c->downstream = sl_machine_make(
        machine->type,
        below->first + (below->is_private ? c->number : cluster * c->downstream_count));
}

static col_status wire(sim_system *s, sl_controller *c, col_problem *problem) {
    set_downstream(s, c);
    for (uint32_t i = 0; i < c->machine->member_count; i++) {
        const sl_member *m = &c->machine->members[i];
        if (m->kind != SL_MEMBER_BUFFER)
            continue;
        sl_buffer *buffer = sim_member(c, m);
        if (m->wire && !m->in_port)
            buffer->peer = find_peer(s, c, m);
        if (m->from_network && m->network >= 0)
            s->routes[m->network].receivers[c->id] = buffer;
        if (m->to_network && m->network >= 0 && (s->wiring.ordered >> m->network & 1) != 0)
            buffer->last_to = take(s, s->base.controller_count * sizeof *buffer->last_to);
        if (m->to_network && m->network >= 0 && buffer->peer == NULL && buffer->last_to == NULL &&
            buffer->capacity == 0 && !s->is_finite && s->link_free == NULL &&
            s->wiring.topology == SIM_CROSSBAR)
            s->plain[s->plain_count++] = buffer;
        if (m->to_network && m->network < 0) {
            buffer->peer = find_peer(s, c, m);
            if (buffer->peer != NULL && buffer->peer->capacity > 0 && buffer->capacity == 0)
                buffer->capacity = UINT32_MAX; /* it is sent by the network, which sees the limit */
            if (buffer->peer == NULL)
                return base_refuse(problem,
                                   "the buffer %s of %s is on no virtual network and no other "
                                   "machine has a buffer to wire it to",
                                   m->name, c->machine->name);
        }
    }
    return COL_OK;
}

static void new_fetcher(sim_system *s, sl_controller *c, uint32_t number) {
    const sl_member *requests = sim_request_queue(c->machine);
    s->cores[number].fetcher = c;
    s->cores[number].fetches = requests == NULL ? NULL : sim_member(c, requests);
}

static void new_core(sim_system *s, sl_controller *c, uint32_t number) {
    sim_core *core = &s->cores[number];
    const sl_member *requests = sim_request_queue(c->machine);
    const sl_member *prefetches = sim_prefetch_queue(c->machine);
    core->system = s;
    core->number = number;
    core->id = s->base.controller_count + number;
    core->controller = c;
    core->requests = requests == NULL ? NULL : sim_member(c, requests);
    core->prefetches = prefetches == NULL ? NULL : sim_member(c, prefetches);
    core->ways = sim_ways_of(c->machine);
    if (s->wiring.core.atomics != SIM_ANY_WAY)
        core->ways &= 1U << s->wiring.core.atomics;
    if (core->fetcher == NULL)
        new_fetcher(s, c, number);
    core->accesses = take(s, s->wiring.core.outstanding * sizeof *core->accesses);
    if (s->wiring.core.mode != SIM_SIMPLE)
        core->pipeline = sim_pipeline_new(s);
}

static col_status new_cores(sim_system *s, col_problem *problem) {
    s->cores = take(s, s->wiring.cores * sizeof *s->cores);
    for (uint32_t i = 0; i < s->base.controller_count; i++) {
        sl_controller *c = s->controllers[i];
        const sim_machine_wiring *w = &s->wiring.machines[sim_machine_of(s, c)];
        for (uint32_t n = 0; w->has_sequencer && n < w->sequencers; n++)
            (w->is_fetcher ? new_fetcher : new_core)(s, c, c->core + n);
        if (w->has_sequencer && sim_request_queue(c->machine) == NULL)
            return base_refuse(problem,
                               "the machine %s has a sequencer but no in_port for its requests",
                               c->machine->name);
    }
    for (uint32_t k = 0; k < s->wiring.cores; k++)
        if (s->cores[k].controller == NULL)
            return base_refuse(problem, "no machine takes the loads and stores of core %u", k);
    return COL_OK;
}

/* ---- The whole. */

static col_status count_controllers(sim_system *s, col_problem *problem) {
    uint32_t id = 0, networks = 0;
    for (uint32_t m = 0; m < s->protocol->machine_count; m++) {
        const sl_machine *machine = s->protocol->machines[m];
        s->wiring.machines[m].first = s->base.count_of[machine->type];
        if (s->base.count_of[machine->type] == 0)
            s->base.first_of[machine->type] = id;
        s->base.count_of[machine->type] += s->wiring.machines[m].count;
        s->base.clusters_of[machine->type] = s->wiring.machines[m].clusters;
        id += s->wiring.machines[m].count;
        for (uint32_t i = 0; i < machine->member_count; i++)
            if (machine->members[i].kind == SL_MEMBER_BUFFER &&
                machine->members[i].network >= (int32_t)networks)
                networks = (uint32_t)machine->members[i].network + 1;
    }
    if (id > SL_WORDS * 64)
        return base_refuse(problem, "a system has at most %d controllers; this one would have %u",
                           SL_WORDS * 64, id);
    if (networks > SIM_NETWORKS)
        return base_refuse(problem, "a protocol has at most %d virtual networks", SIM_NETWORKS);
    s->base.controller_count = id;
    s->base.words = (id + 63) / 64;
    s->networks = networks == 0 ? 1 : networks;
    return COL_OK;
}

/* That a controller may have. */
static uint32_t most_members(const sl_protocol *protocol) {
    uint32_t most = 0;
    for (uint32_t m = 0; m < protocol->machine_count; m++)
        if (protocol->machines[m]->member_count > most)
            most = protocol->machines[m]->member_count;
    return most;
}

static col_status build(sim_system *s, col_problem *problem) {
    col_status status = count_controllers(s, problem);
    if (status != COL_OK)
        return status;
    uint32_t size = 64;
    for (uint32_t i = 0; i < s->protocol->message_count; i++)
        if (s->protocol->messages[i].size > size)
            size = s->protocol->messages[i].size;
    s->base.message_size = (size + 63) / 64 * 64;
    s->base.tokens = MOST_TOKENS;
    /* With room for everybody to wake up several times in a cycle, so that it does not grow later;
     * few do, and the lists lie together, so that the near future stays in the host's cache. */
    const uint32_t room = 4 * (s->base.controller_count + s->wiring.cores);
    uint32_t *ids = take(s, (size_t)SL_WHEEL_SLOTS * room * sizeof *ids);
    for (uint32_t i = 0; i < SL_WHEEL_SLOTS; i++)
        s->base.wheel[i] = (sl_wheel_slot){.ids = ids + (size_t)i * room, .capacity = room};
    s->cells = take(s, s->protocol->machine_count * sizeof *s->cells);
    s->counts = take(s, s->protocol->machine_count * sizeof *s->counts);
    s->action_lists = take(s, s->protocol->machine_count * sizeof *s->action_lists);
    s->action_counts = take(s, s->protocol->machine_count * sizeof *s->action_counts);
    for (uint32_t m = 0; m < s->protocol->machine_count; m++) {
        const sl_machine *machine = s->protocol->machines[m];
        const size_t cells = (size_t)machine->state_count * machine->event_count;
        s->cells[m] = take(s, cells * sizeof **s->cells);
        memcpy(s->cells[m], machine->cells, cells * sizeof **s->cells);
        s->action_lists[m] = machine->action_list;
        s->action_counts[m] = machine->action_list_count;
        s->counts[m] = take(s, cells * s->wiring.machines[m].count * sizeof **s->counts);
    }
    s->controllers = take(s, s->base.controller_count * sizeof *s->controllers);
    for (uint32_t n = 0; n < s->networks; n++)
        s->routes[n].receivers = take(s, s->base.controller_count * sizeof *s->routes[n].receivers);
    s->plain =
        take(s, (size_t)s->base.controller_count * most_members(s->protocol) * sizeof *s->plain);
    if (s->wiring.interval > 0)
        s->link_free = take(s, s->base.controller_count * sizeof *s->link_free);
    s->memory = new_table(s, NULL, sizeof(sl_entry) + sizeof(sl_data), 0);
    for (uint32_t m = 0; status == COL_OK && m < s->protocol->machine_count; m++)
        for (uint32_t n = 0; status == COL_OK && n < s->wiring.machines[m].count; n++)
            status = new_controller(s, m, n,
                                    s->base.first_of[s->protocol->machines[m]->type] +
                                        s->wiring.machines[m].first + n,
                                    problem);
    for (uint32_t i = 0; status == COL_OK && i < s->base.controller_count; i++)
        status = wire(s, s->controllers[i], problem);
    if (status == COL_OK)
        status = new_cores(s, problem);
    if (status == COL_OK)
        status = sim_dma_new(s, problem);
    return status;
}

col_status sim_system_new(sim_system **out, const sl_protocol *protocol, const sim_wiring *wiring,
                          col_problem *problem) {
    *out = NULL;
    if (protocol->abi != SL_ABI)
        return base_refuse(problem,
                           "the protocol %s was compiled for another version of Collider; "
                           "compile it again",
                           protocol->name);
    sim_system *s = calloc(1, sizeof *s);
    if (s == NULL)
        return base_out_of_memory(problem);
    s->base.services = &services;
    s->protocol = protocol;
    s->wiring = *wiring;
    if (setjmp(s->escape) != 0) { /* out of memory, or what a variable starts with fails */
        const col_status escaped = s->failure.out_of_memory
                                       ? base_out_of_memory(problem)
                                       : base_refuse(problem, "%s", s->failure.text);
        sim_system_free(s);
        return escaped;
    }
    col_status status = build(s, problem);
    if (status == COL_OK && wiring->monitors)
        status = sim_monitor_new(s, problem);
    if (status != COL_OK) {
        sim_system_free(s);
        return status;
    }
    *out = s;
    return COL_OK;
}

void sim_system_free(sim_system *s) {
    if (s == NULL)
        return;
    sim_monitor_free(s);
    base_index_free(&s->dma_blocks);
    col_program_free(&s->writing);
    sim_free_all(s);
    free(s);
}
