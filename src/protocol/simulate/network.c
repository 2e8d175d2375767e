/* SPDX-License-Identifier: MIT */
/*
 * Where messages go: to the controllers they name, over a virtual network; straight over a wire; or
 * to memory, which answers. A message takes the network's latency and a jitter by the instance's
 * seed; on an ordered network messages between two controllers never overtake each other. Where
 * the receiver's buffer has a limit, messages wait for room.
 */
#include "protocol/simulate/system.h"

#include <string.h>

static uint32_t distance(uint32_t a, uint32_t b) {
    return a > b ? a - b : b - a;
}

/* Controllers sit on a square mesh by their number within their type. */
static uint32_t hops(const sim_system *s, uint32_t from, uint32_t to) {
    const uint32_t side = s->mesh_side, a = s->controllers[from]->number,
                   b = s->controllers[to]->number;
    return 1 + distance(a % side, b % side) + distance(a / side, b / side);
}

void sim_network_start(sim_system *s) {
    const sim_wiring *w = &s->wiring;
    s->mesh_side = 1;
    while (s->mesh_side * s->mesh_side < w->cores)
        s->mesh_side++;
    for (uint32_t n = 0; n < SIM_NETWORKS; n++) {
        const sim_virtual_network own = w->virtual_networks[n];
        s->routes[n].latency = own.latency == SIM_AS_OTHERS ? w->network_latency : own.latency;
        s->routes[n].jitter = own.jitter == SIM_AS_OTHERS ? w->jitter : own.jitter;
    }
    for (uint32_t i = 0; i < s->plain_count; i++)
        s->plain[i]->route = &s->routes[s->plain[i]->network];
}

void sim_network_stop(sim_system *s) {
    for (uint32_t i = 0; i < s->plain_count; i++)
        s->plain[i]->route = NULL;
}

static sl_cycles latency(sim_system *s, const sl_buffer *from, uint32_t to) {
    const sl_route *route = &s->routes[from->network];
    const uint32_t jitter = sl_chance(&s->base, route->jitter);
    const uint32_t steps =
        COL_RARELY(s->wiring.topology == SIM_MESH) ? hops(s, from->owner->id, to) : 1;
    return (sl_cycles)steps * route->latency + jitter;
}

void sim_refuse_receiver(const sl_buffer *from, uint32_t to, const sl_message *message) {
    sim_system *s = sim_of(from->system);
    const char *name = s->protocol->messages[message->type].name;
    const sl_controller *owner = from->owner;
    if (to >= s->base.controller_count) /* a Set's number that no controller has */
        sim_fail(s, sim_error_of(owner), "%s %u sends a %s to a controller that does not exist",
                 owner->machine->name, owner->number, name);
    const sl_buffer *target = s->routes[from->network].receivers[to];
    sim_fail(s, sim_error_of(owner), "%s %u sends a %s over network %d to %s %u, which %s%s there",
             owner->machine->name, owner->number, name, from->network,
             s->controllers[to]->machine->name, s->controllers[to]->number,
             target == NULL ? "does not listen" : "expects a ",
             target == NULL ? "" : s->protocol->messages[target->message].name);
}

sl_buffer *sim_receiver(sim_system *s, const sl_buffer *from, uint32_t to,
                        const sl_message *message) {
    if (COL_RARELY(to >= s->base.controller_count))
        sim_refuse_receiver(from, to, message);
    sl_buffer *target = s->routes[from->network].receivers[to];
    if (COL_RARELY(target == NULL ||
                   (target->message != (int32_t)message->type && target->message >= 0)))
        sim_refuse_receiver(from, to, message);
    return target;
}

static void deliver(sl_buffer *from, sl_buffer *target, sl_message *message, sl_cycles delay) {
    sim_system *s = sim_of(from->system);
    if (from->peer == target) {
        sl_buffer_put(target, message, delay + 1);
        return;
    }
    const uint32_t to = (uint32_t)target->owner->id;
    sl_cycles wait = delay + latency(s, from, to);
    if (from->last_to != NULL) {
        const uint64_t arrival = s->base.now + wait;
        if (arrival <= from->last_to[to])
            wait = from->last_to[to] - s->base.now;
        from->last_to[to] = s->base.now + wait;
    }
    sl_buffer_put(target, message, wait);
}

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

/* False: it must wait for room. */
static bool try_deliver(sim_system *s, sl_buffer *from, sl_buffer *to, sl_message *message,
                        sl_cycles delay) {
    if (!COL_RARELY(s->is_finite) || (has_room(to) && !is_behind(s, from, s->held_count))) {
        deliver(from, to, message, delay);
        return true;
    }
    if (s->held_count == s->held_capacity) {
        const uint32_t capacity = s->held_capacity * 2 + 16;
        sl_check_flood(from, capacity);
        s->held = sim_grow(&s->base, s->held, capacity * sizeof *s->held);
        s->held_capacity = capacity;
    }
    s->held[s->held_count++] = (sim_held){from, to, message, s->base.now + delay};
    sl_wake(&s->base, id_of(s), s->base.now + 1);
    return false;
}

typedef struct memory_record {
    sl_entry header;
    sl_data data;
} memory_record;

/* What is wrong with a request; NULL: nothing. */
static const char *complaint_of(const sl_buffer *buffer, const sl_memory_message *request) {
    const int64_t offset = (int64_t)(request->addr & (SL_BLOCK_BYTES - 1));
    if (buffer->owner->memory_responses == NULL)
        return "has no in_port for its answers";
    if (request->Type != SL_MEMORY_READ && request->Type != SL_MEMORY_WB)
        return "neither reads nor writes";
    if (request->Len < 0 || request->Len > SL_BLOCK_BYTES - offset)
        return "names bytes outside of the block";
    return NULL;
}

/* As gem5's: a length of 0 is the block, others are bytes from the address on, of which a write
 * takes those at their place in the block, and a read has the first at the beginning. */
static void access_bytes(sim_system *s, const sl_memory_message *request, sl_data *read) {
    const uint64_t line = sl_line(request->addr);
    const uint64_t offset = request->Len == 0 ? 0 : request->addr & (SL_BLOCK_BYTES - 1);
    const size_t length = request->Len == 0 ? SL_BLOCK_BYTES : (size_t)request->Len;
    memory_record *record = sl_table_lookup(s->memory, line);
    if (record == NULL) {
        record = sl_table_allocate(s->memory, line);
        sl_data_clear(&record->data);
    }
    sl_data *memory = &record->data;
    uint8_t *bytes = (uint8_t *)memory + offset;
    if (request->Type == SL_MEMORY_READ) {
        memcpy(read, bytes, length);
        return;
    }
    memcpy(bytes, (const uint8_t *)&request->DataBlk + offset, length);
}

sl_message *sim_memory_answer(sl_buffer *buffer, sl_memory_message *request) {
    sim_system *s = sim_of(buffer->system);
    const char *complaint = complaint_of(buffer, request);
    if (COL_RARELY(complaint != NULL)) {
        sim_fail(s, sim_error_of(buffer->owner), "%s asks memory but %s",
                 buffer->owner->machine->name, complaint);
    }
    sl_memory_message *answer = sl_message_new(&s->base, SL_MEMORY_MESSAGE);
    *answer = (sl_memory_message){.header = answer->header,
                                  .addr = request->addr,
                                  .Type = request->Type,
                                  .Sender = buffer->owner->machine_id,
                                  .OriginalRequestorMachId = request->Sender,
                                  .MessageSize = request->MessageSize};
    if (COL_RARELY(buffer->owner->keeps_data))
        answer->DataBlk = request->DataBlk;
    else
        access_bytes(s, request, &answer->DataBlk);
    sl_message_release(&s->base, &request->header);
    return &answer->header;
}

static void access_memory(sl_buffer *buffer, sl_memory_message *request, sl_cycles delay) {
    sim_system *s = sim_of(buffer->system);
    if (COL_RARELY(s->base.watch_messages))
        sim_tell_made(s, &request->header, buffer->owner->id, SIM_MEMORY);
    sl_message *answer = sim_memory_answer(buffer, request);
    const uint32_t jitter = sl_chance(&s->base, s->wiring.jitter);
    if (COL_RARELY(s->base.watch_messages))
        sim_tell_made(s, answer, SIM_MEMORY, buffer->owner->id);
    sl_buffer_put(buffer->owner->memory_responses, answer,
                  delay + s->wiring.memory_latency + jitter);
}

_Noreturn static void refuse_destination(const sl_buffer *buffer, const char *name) {
    sim_fail(sim_of(buffer->system), sim_error_of(buffer->owner),
             "%s puts a %s into %s, which leads nowhere", buffer->owner->machine->name, name,
             buffer->name);
}

const sl_destination *sim_destination(sl_buffer *buffer, const sl_message *message) {
    const sim_system *s = sim_of(buffer->system);
    const sl_message_type *type = &s->protocol->messages[message->type];
    if (COL_RARELY(buffer->network < 0 || type->destination < 0))
        refuse_destination(buffer, type->name);
    return (const sl_destination *)(const void *)((const uint8_t *)message + type->destination);
}

/* False: some of its receivers have no room. */
static bool send_to_all(sim_system *s, sl_buffer *buffer, sl_message *message, sl_cycles delay) {
    const sl_destination *to = sim_destination(buffer, message);
    bool has_left = true;
    for (uint32_t word = 0; word < s->base.words; word++)
        for (uint64_t bits = to->words[word]; bits != 0; bits &= bits - 1) {
            const uint32_t id = word * 64 + (uint32_t)__builtin_ctzll(bits);
            message->references++;
            if (!try_deliver(s, buffer, sim_receiver(s, buffer, id, message), message, delay))
                has_left = false;
        }
    sl_message_release(&s->base, message);
    return has_left;
}

COL_NEVER_INLINE void send(sim_system *s, sl_buffer *buffer, sl_message *message, sl_cycles delay) {
    bool has_left = true;
    if (s->link_free != NULL && buffer->network >= 0) {
        /* A controller's link takes one message after the other. */
        uint64_t *is_free = &s->link_free[buffer->owner->id];
        const uint64_t start = s->base.now + delay > *is_free ? s->base.now + delay : *is_free;
        *is_free = start + s->wiring.interval;
        delay = start - s->base.now;
    }
    if (buffer->peer != NULL) {
        has_left = try_deliver(s, buffer, buffer->peer, message, delay);
    } else if (message->type == SL_MEMORY_MESSAGE) {
        access_memory(buffer, (sl_memory_message *)(void *)message, delay);
    } else {
        has_left = send_to_all(s, buffer, message, delay);
    }
    if (buffer->capacity != 0 && buffer->consumer == NULL)
        sl_buffer_insert(buffer, (sl_slot){.time = has_left ? s->base.now + delay : UINT64_MAX,
                                           .order = s->base.order++});
}

void sim_send(sl_buffer *buffer, sl_message *message, sl_cycles delay) {
    sim_system *s = sim_of(buffer->system);
    if (buffer->route == NULL || message->type == SL_MEMORY_MESSAGE)
        send(s, buffer, message, delay);
    else
        sl_send_by_route(buffer, message, sim_destination(buffer, message), delay);
}

/* ---- Messages that wait for room. */

/* Gives the slot of a message back that has left: those of held ones come last, as they leave
 * last. */
static void free_slot(sl_buffer *from) {
    if (from->capacity == 0 || from->count == 0)
        return;
    if (--from->count == 0)
        from->first.time = UINT64_MAX;
}

static bool is_held(const sim_system *s, const sl_message *message, uint32_t first, uint32_t end) {
    for (uint32_t i = first; i < end; i++)
        if (s->held[i].message == message)
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
        if (!is_held(s, h.message, 0, kept) && !is_held(s, h.message, i + 1, s->held_count))
            free_slot(h.from);
        deliver(h.from, h.to, h.message, 0);
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
