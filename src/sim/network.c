/* SPDX-License-Identifier: MIT */
/*
 * Where messages go: to the controllers they name, over a virtual network; straight over a wire; or
 * to memory, which answers. A message takes the network's latency and a jitter by the instance's
 * seed; on an ordered network messages between two controllers never overtake each other.
 */
#include "sim/dma.h"
#include "sim/system.h"

#include <string.h>

static sim_system *system_of(sl_buffer *buffer) {
    return (sim_system *)(void *)buffer->system;
}

static uint32_t distance(uint32_t a, uint32_t b) {
    return a > b ? a - b : b - a;
}

/* Controllers sit on a square mesh by their number within their type. */
static uint32_t hops(const sim_system *s, uint32_t from, uint32_t to) {
    uint32_t side = 1;
    while (side * side < s->wiring.cores)
        side++;
    const uint32_t a = s->controllers[from]->number, b = s->controllers[to]->number;
    return 1 + distance(a % side, b % side) + distance(a / side, b / side);
}

static sl_cycles latency(sim_system *s, uint32_t from, uint32_t to) {
    const sim_wiring *w = &s->wiring;
    const uint32_t jitter =
        w->jitter == 0 ? 0 : (uint32_t)((sl_random(&s->base) >> 32) * (w->jitter + 1) >> 32);
    const uint32_t steps = w->topology == SIM_MESH ? hops(s, from, to) : 1;
    return (sl_cycles)steps * w->network_latency + jitter;
}

sl_buffer *sim_receiver(sim_system *s, const sl_buffer *from, uint32_t to,
                        const sl_message *message) {
    if (COL_RARELY(to >= s->base.controller_count)) { /* a Set's number that no controller has */
        const col_event event = sim_error_of(from->owner);
        sim_fail(s, &event, "%s %u sends a %s to a controller that does not exist",
                 from->owner->machine->name, from->owner->number,
                 s->protocol->messages[message->type].name);
    }
    sl_buffer *target = s->by_network[to * s->networks + (uint32_t)from->network];
    if (COL_RARELY(target == NULL)) {
        const col_event event = sim_error_of(from->owner);
        sim_fail(s, &event,
                 "%s %u sends a %s over network %d to %s %u, which does not listen there",
                 from->owner->machine->name, from->owner->number,
                 s->protocol->messages[message->type].name, from->network,
                 s->controllers[to]->machine->name, s->controllers[to]->number);
    }
    if (COL_RARELY(target->message != (int32_t)message->type && target->message >= 0)) {
        const col_event event = sim_error_of(from->owner);
        sim_fail(s, &event, "%s %u sends a %s over network %d to %s %u, which expects a %s there",
                 from->owner->machine->name, from->owner->number,
                 s->protocol->messages[message->type].name, from->network,
                 s->controllers[to]->machine->name, s->controllers[to]->number,
                 s->protocol->messages[target->message].name);
    }
    return target;
}

static void deliver(sim_system *s, sl_buffer *from, uint32_t to, sl_message *message,
                    sl_cycles delay) {
    sl_buffer *target = sim_receiver(s, from, to, message);
    sl_cycles wait = delay + latency(s, from->owner->id, to);
    if (from->last_to != NULL) {
        const uint64_t arrival = s->base.now + wait;
        if (arrival <= from->last_to[to])
            wait = from->last_to[to] - s->base.now;
        from->last_to[to] = s->base.now + wait;
    }
    sl_buffer_put(target, message, wait);
}

typedef struct memory_record {
    sl_entry header;
    sl_data data;
} memory_record;

static sl_data *memory_at(sim_system *s, sl_address address) {
    memory_record *record = sl_table_lookup(s->memory, address);
    if (record == NULL) {
        record = sl_table_allocate(s->memory, address);
        sl_data_clear(&record->data);
    }
    return &record->data;
}

/* A length is of a part, which begins where the address says; 0 is the whole block. */
static void write_memory(sl_buffer *buffer, sl_data *data, const sl_memory_message *request) {
    sim_system *s = system_of(buffer);
    if (request->Len == 0)
        *data = request->DataBlk;
    else
        sl_data_copy_part(buffer->owner, data, &request->DataBlk,
                          (int64_t)(request->addr - sl_line(request->addr)), request->Len);
    if (COL_RARELY(s->dma_writes > 0))
        sim_dma_written(s, sl_line(request->addr), data);
}

sl_message *sim_memory_answer(sl_buffer *buffer, sl_memory_message *request) {
    sim_system *s = system_of(buffer);
    if (buffer->owner->memory_responses == NULL) {
        const col_event event = sim_error_of(buffer->owner);
        sim_fail(s, &event, "%s asks memory but has no in_port for its answers",
                 buffer->owner->machine->name);
    }
    sl_memory_message *answer = sl_message_new(&s->base, SL_MEMORY_MESSAGE);
    const sl_message header = answer->header;
    sl_data *data = memory_at(s, sl_line(request->addr));
    *answer = *request;
    answer->header = header;
    answer->OriginalRequestorMachId = request->Sender;
    answer->Sender = buffer->owner->machine_id;
    if (request->Type == SL_MEMORY_READ)
        answer->DataBlk = *data;
    else
        write_memory(buffer, data, request);
    sl_message_release(&s->base, &request->header);
    return &answer->header;
}

static void access_memory(sl_buffer *buffer, sl_memory_message *request, sl_cycles delay) {
    sim_system *s = system_of(buffer);
    if (COL_RARELY(s->base.watch_messages))
        sim_tell_memory(buffer, &request->header);
    sl_message *answer = sim_memory_answer(buffer, request);
    const uint32_t jitter =
        s->wiring.jitter == 0
            ? 0
            : (uint32_t)((sl_random(&s->base) >> 32) * (s->wiring.jitter + 1) >> 32);
    if (COL_RARELY(s->base.watch_messages))
        sim_tell_answer(buffer, answer);
    sl_buffer_put(buffer->owner->memory_responses, answer,
                  delay + s->wiring.memory_latency + jitter);
}

const sl_destination *sim_destination(sl_buffer *buffer, const sl_message *message) {
    sim_system *s = system_of(buffer);
    const sl_message_type *type = &s->protocol->messages[message->type];
    if (buffer->network < 0 || type->destination < 0) {
        const col_event event = sim_error_of(buffer->owner);
        sim_fail(s, &event, "%s puts a %s into %s, which leads nowhere",
                 buffer->owner->machine->name, type->name, buffer->name);
    }
    return (const sl_destination *)(const void *)((const uint8_t *)message + type->destination);
}

void sim_send(sl_buffer *buffer, sl_message *message, sl_cycles delay) {
    sim_system *s = system_of(buffer);
    if (buffer->capacity != 0 && buffer->consumer == NULL)
        sl_buffer_insert(buffer, (sl_slot){.time = s->base.now + delay, .order = s->base.order++});
    if (buffer->peer != NULL) {
        sl_buffer_put(buffer->peer, message, delay + 1);
        return;
    }
    if (message->type == SL_MEMORY_MESSAGE) {
        access_memory(buffer, (sl_memory_message *)(void *)message, delay);
        return;
    }
    const sl_destination *to = sim_destination(buffer, message);
    for (uint32_t word = 0; word < s->base.words; word++)
        for (uint64_t bits = to->words[word]; bits != 0; bits &= bits - 1) {
            message->references++;
            deliver(s, buffer, word * 64 + (uint32_t)__builtin_ctzll(bits), message, delay);
        }
    sl_message_release(&s->base, message);
}
