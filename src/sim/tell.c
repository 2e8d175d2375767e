/* SPDX-License-Identifier: MIT */
/*
 * Telling an observer of messages and of what cores do before operations perform. Nobody comes here
 * unless an observer asked for it: a run without one pays a test of a flag.
 */
#include "sim/system.h"

#include <string.h>

static sim_system *system_of(const sl_buffer *buffer) {
    return (sim_system *)(void *)buffer->system;
}

/* ---- What a message is called, and which block it is about. */

const char *sim_message_name(const sim_system *s, const sl_message *message) {
    const sl_message_type *type = &s->protocol->messages[message->type];
    int32_t kind = 0;
    if (type->kind < 0)
        return type->name;
    memcpy(&kind, (const uint8_t *)message + type->kind, sizeof kind);
    return kind >= 0 && (uint32_t)kind < type->kind_count ? type->kinds[kind] : type->name;
}

uint64_t sim_message_block(const sim_system *s, const sl_message *message) {
    const sl_message_type *type = &s->protocol->messages[message->type];
    sl_address address = 0;
    if (type->address >= 0)
        memcpy(&address, (const uint8_t *)message + type->address, sizeof address);
    return sl_line(address);
}

/* ---- Messages. Their senders are controllers by id, then cores, and memory. */

enum { MEMORY = INT32_MAX };

typedef struct party {
    uint32_t machine, controller;
} party;

static party party_of(const sim_system *s, uint32_t id) {
    if (id == MEMORY)
        return (party){COL_OF_MEMORY, 0};
    if (id >= s->base.controller_count)
        return (party){COL_OF_CORE, id - s->base.controller_count};
    return (party){sim_machine_of(s, s->controllers[id]), s->controllers[id]->number};
}

static void tell(sim_system *s, col_event_kind kind, const sl_message *message, uint32_t to_id) {
    const party from = party_of(s, message->sender), to = party_of(s, to_id);
    const col_event event = {.kind = kind,
                             .cycle = s->base.now,
                             .number = message->number,
                             .machine = from.machine,
                             .controller = from.controller,
                             .to_machine = to.machine,
                             .to_controller = to.controller,
                             .block = sim_message_block(s, message),
                             .message = sim_message_name(s, message)};
    sim_notice(s, &event);
}

static void number(sim_system *s, sl_message *message, uint32_t sender) {
    message->number = ++s->messages;
    message->sender = sender;
}

static void tell_each(sim_system *s, const sl_buffer *buffer, const sl_message *message) {
    const sl_message_type *type = &s->protocol->messages[message->type];
    if (buffer->network < 0 || type->destination < 0)
        return; /* it leads nowhere: the run ends here */
    const sl_destination *to =
        (const sl_destination *)(const void *)((const uint8_t *)message + type->destination);
    for (uint32_t id = 0; id < s->base.controller_count; id++)
        if ((to->words[id / 64] >> (id % 64) & 1) != 0)
            tell(s, COL_MESSAGE_SENT, message, id);
}

void sim_tell_sent(sl_buffer *buffer, sl_message *message) {
    sim_system *s = system_of(buffer);
    if (buffer->consumer == NULL && buffer->peer == NULL && message->type == SL_MEMORY_MESSAGE)
        return; /* told when it gets to memory */
    number(s, message, buffer->owner->id);
    if (buffer->consumer != NULL)
        tell(s, COL_MESSAGE_SENT, message, buffer->consumer->id);
    else if (buffer->peer != NULL)
        tell(s, COL_MESSAGE_SENT, message, buffer->peer->owner->id);
    else
        tell_each(s, buffer, message);
}

/* Memory acts at once. */
void sim_tell_memory(sl_buffer *buffer, sl_message *request) {
    sim_system *s = system_of(buffer);
    number(s, request, buffer->owner->id);
    tell(s, COL_MESSAGE_SENT, request, MEMORY);
    tell(s, COL_MESSAGE_RECEIVED, request, MEMORY);
}

void sim_tell_answer(sl_buffer *buffer, sl_message *answer) {
    sim_system *s = system_of(buffer);
    number(s, answer, MEMORY);
    tell(s, COL_MESSAGE_SENT, answer, buffer->owner->id);
}

void sim_tell_request(const sim_core *core, const sl_controller *to, sl_message *request) {
    sim_system *s = core->system;
    number(s, request, core->id);
    tell(s, COL_MESSAGE_SENT, request, to->id);
}

void sim_tell_received(sl_buffer *buffer, const sl_message *message) {
    tell(system_of(buffer), COL_MESSAGE_RECEIVED, message, buffer->owner->id);
}

/* ---- Cores. */

void sim_tell_core(sim_core *core, const col_event *event) {
    sim_system *s = core->system;
    const col_operation *o = &s->program->operations[event->operation];
    col_event whole = *event;
    whole.cycle = s->base.now;
    whole.core = core->number;
    whole.block = col_kinds[o->kind].located ? sl_line(s->program->addresses[o->location]) : 0;
    sim_notice(s, &whole);
}
