/* SPDX-License-Identifier: MIT */
/*
 * The search: see explore.h. Breadth first, so that a trace is as short as can be. A step is one
 * access that a core makes, or one message that arrives; each takes at most one transition. A
 * request that the protocol does not take now is forgotten: the core may make it again at any time.
 */
#include "explore/explore.h"
#include "base/clock.h"
#include "base/stop.h"

#include "explore/known.h"
#include "explore/state.h"
#include "sim/deadlock.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WORDS = 2,              /* values that stores write in turn */
    NO_CHOICE = UINT16_MAX, /* the state itself is wrong, not a step from it */
    MOST_CHOICES = EXP_MOST_CORES * EXP_MOST_BLOCKS * 5 + MOST_FLIGHTS + 64
};

typedef struct search {
    world world;
    sl_services services;
    const sl_services *usual;
    const exp_exploration_settings *settings;
    exp_exploration *result;
    known_states states;
    uint32_t depth_end; /* states found before this are at the present depth */
    uint32_t number;    /* of the state whose steps are taken */
    uint32_t choice;    /* of the step */
    /* Of the step under way. */
    flight parked[MOST_FLIGHTS]; /* messages that stand in their bounded queue meanwhile */
    uint32_t parked_count;
    uint32_t core, block;
    int32_t request; /* RubyRequestType; -1: a message */
    bool completed;  /* the request of this step */
    bool telling;    /* write the steps into the trace */
} search;

static search *search_of(const sl_controller *c) {
    return (search *)((sim_system *)(void *)c->system)->explorer;
}

static uint32_t cores(const search *x) {
    return x->world.system->wiring.cores;
}

/* ---- What is checked. */

static BASE_PRINTF(2, 3) void tell(search *x, const char *format, ...) {
    if (!x->telling)
        return;
    va_list arguments;
    va_start(arguments, format);
    char line[512];
    (void)vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    base_text_print(&x->result->trace, "%s\n", line);
}

static _Noreturn void stop(search *x, const char *what, uint32_t core, uint32_t block) {
    const col_event event = {.kind = COL_INVARIANT_BROKEN, .block = exp_world_block(block)};
    sim_fail(x->world.system, &event, "%s: core %u, block 0x%llx", what, core,
             (unsigned long long)exp_world_block(block));
}

static uint32_t block_of(const search *x, sl_address address) {
    for (uint32_t b = 0; b < x->world.blocks; b++)
        if (exp_world_block(b) == address)
            return b;
    return 0;
}

static bool is_asking(const search *x, uint32_t core, uint32_t block) {
    return x->request >= 0 && x->core == core && x->block == block;
}

static uint8_t access_of(int32_t request) {
    return request == SL_LD ? LOADING : request == SL_FLUSH ? FLUSHING : STORING;
}

/* Does the protocol give stale words by design? What loads return is then for the memory model to
 * judge, not for a search of single accesses. */
static bool is_lazy(const sl_controller *c) {
    return sl_takes(c->machine, SL_ACQUIRE);
}

/* The access is done; does the core believe that it has the word from now on? */
static void note_word(knowledge *k, bool believes, uint8_t word) {
    *k = (knowledge){.believes = believes, .word = believes ? word : 0};
}

/* The protocol takes the request of this step. */
static void take_access(const search *x, knowledge *k) {
    const bool is_judged = !is_lazy(x->world.system->cores[x->core].controller);
    k->access = access_of(x->request);
    k->possible =
        (uint8_t)(x->request == SL_LD && is_judged ? 1U << x->world.current[x->block] : 0);
    k->lost = false;
}

/* The access that the protocol completes: one under way, or that of this step. */
static knowledge *completed(search *x, sl_controller *c, sl_address address, bool as_load) {
    const uint32_t block = block_of(x, address);
    knowledge *k = &x->world.known[c->core][block];
    if (k->access == NO_ACCESS && is_asking(x, c->core, block)) {
        take_access(x, k);
        x->completed = true;
    }
    if (k->access == NO_ACCESS || (k->access == LOADING) != as_load)
        sl_fail(c, "the protocol completes an access that the core did not make", NULL);
    return k;
}

static void load_done(sl_controller *c, sl_address address, const sl_data *data, bool external,
                      uint32_t machine_type) {
    search *x = search_of(c);
    const uint32_t block = block_of(x, address);
    knowledge *k = completed(x, c, address, true);
    const uint64_t word = data->words[0];
    (void)external;
    (void)machine_type;
    tell(x, "  core %u loads %llu", c->core, (unsigned long long)word);
    if (word >= WORDS || (!is_lazy(c) && (k->possible >> word & 1) == 0))
        stop(x, "a load returns a value that has not been current since it started", c->core,
             block);
    note_word(k, !is_lazy(c) && !k->lost, (uint8_t)word);
}

static void store_done(sl_controller *c, sl_address address, sl_data *data, bool external,
                       uint32_t machine_type) {
    search *x = search_of(c);
    if (address == SL_NOWHERE) { /* an acquire is done at once */
        x->completed = true;
        return;
    }
    const uint32_t block = block_of(x, address);
    knowledge *k = completed(x, c, address, false);
    uint8_t *current = &x->world.current[block];
    (void)external;
    (void)machine_type;
    if (k->access == FLUSHING) {
        tell(x, "  core %u has flushed", c->core);
        *k = (knowledge){.believes = k->believes, .word = k->word};
        return;
    }
    if (data->words[0] != *current)
        stop(x, "a store replaces a value that is not the last one stored", c->core, block);
    *current = (uint8_t)((*current + 1) % WORDS);
    data->words[0] = *current;
    tell(x, "  core %u stores %u", c->core, *current);
    note_word(k, !is_lazy(c), *current);
    for (uint32_t i = 0; i < cores(x); i++)
        if (!is_lazy(c) && x->world.known[i][block].access == LOADING)
            x->world.known[i][block].possible |= (uint8_t)(1U << *current);
}

static void evicted(sl_controller *c, sl_address address) {
    search *x = search_of(c);
    knowledge *k = &x->world.known[c->core][block_of(x, address)];
    tell(x, "  core %u is told that it loses the block", c->core);
    if (is_lazy(c))
        return;
    k->believes = false;
    k->lost = k->access != NO_ACCESS;
}

/* May the core's private caches read or write the block? 0: neither, 1: read, 2: write. */
static uint32_t permission_of(const search *x, uint32_t core, sl_address address) {
    const sim_system *s = x->world.system;
    uint32_t most = 0;
    for (uint32_t i = 0; i < s->base.controller_count; i++) {
        const sl_controller *c = s->controllers[i];
        if (c->core != core)
            continue;
        for (uint32_t m = 0; m < c->machine->member_count; m++) {
            if (c->machine->members[m].kind != SL_MEMBER_CACHE)
                continue;
            sl_cache *cache;
            memcpy(&cache, (const uint8_t *)c + c->machine->members[m].offset, sizeof cache);
            const sl_entry *entry = sl_cache_lookup(cache, address);
            if (entry == NULL || entry->permission > SL_READ_WRITE)
                continue;
            const uint32_t may = entry->permission == SL_READ_WRITE ? 2 : 1;
            most = may > most ? may : most;
        }
    }
    return most;
}

static void check_state(search *x) {
    for (uint32_t b = 0; b < x->world.blocks; b++) {
        uint32_t readers = 0, writers = 0;
        for (uint32_t c = 0; c < cores(x); c++) {
            const knowledge *k = &x->world.known[c][b];
            const uint32_t may = permission_of(x, c, exp_world_block(b));
            readers += may > 0;
            writers += may == 2;
            if (k->believes && k->word != x->world.current[b])
                stop(x, "a core is not told that it lost a block", c, b);
            if (writers > 0 && readers > 1)
                stop(x, "one core may write a block that another may access", c, b);
        }
    }
}

/* ---- Messages. */

static void add_flight(world *w, const sl_buffer *buffer, uint32_t channel, sl_message *message) {
    uint32_t number = 0;
    while (number < w->buffer_count && w->buffers[number] != buffer)
        number++;
    if (number == w->buffer_count)
        sl_fail(buffer->owner, "a message arrives where nobody reads it", buffer->name);
    if (w->flight_count == MOST_FLIGHTS)
        exp_world_meet_limit(w, "messages under way");
    w->flights[w->flight_count++] = (flight){number, channel, message};
}

static void send(sl_buffer *buffer, sl_message *message, sl_cycles delay) {
    sim_system *s = (sim_system *)(void *)buffer->system;
    search *x = (search *)s->explorer;
    world *w = &x->world;
    (void)delay;
    if (buffer->peer != NULL) {
        add_flight(w, buffer->peer, 1, message);
        return;
    }
    if (message->type == SL_MEMORY_MESSAGE) {
        sl_message *answer = sim_memory_answer(buffer, (sl_memory_message *)(void *)message);
        add_flight(w, buffer->owner->memory_responses, 0, answer);
        return;
    }
    const sl_destination *to = sim_destination(buffer, message);
    const uint32_t usual = buffer->last_to != NULL ? 2 + buffer->owner->id : 0;
    for (uint32_t word = 0; word < s->base.words; word++)
        for (uint64_t bits = to->words[word]; bits != 0; bits &= bits - 1) {
            sl_message *copy = sl_message_new(&s->base, message->type);
            memcpy(copy + 1, message + 1, s->protocol->messages[message->type].size - sizeof *copy);
            const uint32_t id = word * 64 + (uint32_t)__builtin_ctzll(bits);
            const sl_buffer *receiver = sim_receiver(s, buffer, id, message);
            add_flight(w, receiver, receiver->ordered ? 1 : usual, copy);
        }
    sl_message_release(&s->base, message);
}

static bool is_request_queue(const search *x, const sl_buffer *buffer) {
    for (uint32_t c = 0; c < cores(x); c++)
        if (x->world.system->cores[c].requests == buffer)
            return true;
    return false;
}

/* Messages under way to a queue with a limit stand in it during a step, so that they take up room:
 * behind the one that is delivered, and not due. */
static void park(search *x) {
    world *w = &x->world;
    uint32_t kept = 0;
    x->parked_count = 0;
    for (uint32_t i = 0; i < w->flight_count; i++) {
        const flight f = w->flights[i];
        sl_buffer *b = w->buffers[f.buffer];
        if (b->capacity == 0) {
            w->flights[kept++] = f;
            continue;
        }
        x->parked[x->parked_count++] = f;
        b->last_time = NEVER; /* what is sent in this step comes last */
        sl_buffer_insert(b,
                         (sl_slot){.time = NEVER, .order = x->parked_count, .message = f.message});
    }
    w->flight_count = kept;
}

/* Of those with one channel, the one that was delivered is the first again. */
static void put_back(world *w, const flight *delivered) {
    add_flight(w, w->buffers[delivered->buffer], delivered->channel, delivered->message);
    for (uint32_t i = w->flight_count - 1; i > 0; i--)
        w->flights[i] = w->flights[i - 1];
    w->flights[0] = *delivered;
}

/* A message that stands in a buffer after a step goes back among those under way. */
static void collect_message(search *x, const sl_buffer *b, const sl_slot *slot,
                            const flight *delivered) {
    world *w = &x->world;
    for (uint32_t i = 0; i < x->parked_count; i++)
        if (slot->message == x->parked[i].message) {
            add_flight(w, b, x->parked[i].channel, slot->message);
            return;
        }
    if (delivered == NULL || slot->message != delivered->message)
        add_flight(w, b, b->ordered ? 1 : 0, slot->message);
    else if (slot->order == 0)
        put_back(w, delivered);
    else
        add_flight(w, b, 0, slot->message); /* recycled */
}

/* What stands in buffers after a step goes back among the messages under way; `delivered` to its
 * old place if it was not looked at. A message that was recycled, or waits for its block, may be
 * overtaken from now on. True: a request of a core was among them. */
static bool collect(search *x, const flight *delivered) {
    world *w = &x->world;
    bool refused = false;
    for (uint32_t i = 0; i < w->buffer_count; i++) {
        sl_buffer *b = w->buffers[i];
        const bool requests = (b->count > 0 || b->waiting_count > 0) && is_request_queue(x, b);
        refused = refused || requests;
        while (b->count > 0) {
            const sl_slot slot = sl_buffer_take(b);
            if (requests)
                sl_message_release(&w->system->base, slot.message);
            else
                collect_message(x, b, &slot, delivered);
        }
        for (uint32_t j = 0; j < b->waiting_count; j++) {
            if (requests)
                sl_message_release(&w->system->base, b->waiting[j].slot.message);
            else
                add_flight(w, b, 0, b->waiting[j].slot.message);
        }
        b->waiting_count = 0;
        b->last_time = 0;
        b->owner->waiting_total = 0;
    }
    return refused;
}

/* Time stands still: nobody needs to be woken. */
static void forget_wakes(sl_system *b) {
    for (uint32_t word = 0; word < SL_WHEEL_SLOTS / 64; word++)
        for (; b->wheel_bits[word] != 0; b->wheel_bits[word] &= b->wheel_bits[word] - 1)
            b->wheel[word * 64 + (uint32_t)__builtin_ctzll(b->wheel_bits[word])].count = 0;
    b->far_count = 0;
    b->order = 1U << 16; /* above all ranks of cache entries */
}

/* ---- Steps. */

/* Accesses that cores may make: core, block, kind. */
static const int32_t kinds[] = {SL_LD, SL_ST, SL_FLUSH, SL_ATOMIC, SL_ACQUIRE};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static uint32_t accesses(const search *x) {
    return cores(x) * x->world.blocks * KINDS;
}

/* Is there such a request of the core for the block? An acquire is for none, so for the first. */
static bool is_kind(const sl_machine *machine, int32_t kind, uint32_t block) {
    switch (kind) {
    case SL_FLUSH:
        return sl_takes(machine, SL_FLUSH);
    case SL_ATOMIC:
        return sl_takes(machine, SL_ACQUIRE);
    case SL_ACQUIRE:
        return sl_takes(machine, SL_ACQUIRE) && block == 0;
    default:
        return true;
    }
}

/* One access to a block at a time, and as many as are allowed in all. */
static bool may_ask(const search *x, uint32_t choice) {
    const uint32_t core = choice / KINDS / x->world.blocks;
    if (!is_kind(x->world.system->cores[core].controller->machine, kinds[choice % KINDS],
                 choice / KINDS % x->world.blocks))
        return false;
    if (kinds[choice % KINDS] == SL_ACQUIRE)
        return true;
    uint32_t under_way = 0;
    for (uint32_t b = 0; b < x->world.blocks; b++)
        under_way += x->world.known[core][b].access != NO_ACCESS;
    return under_way < x->settings->outstanding &&
           x->world.known[core][choice / KINDS % x->world.blocks].access == NO_ACCESS;
}

static bool is_first(const world *w, uint32_t place) {
    return w->flights[place].channel == 0 || place == 0 ||
           w->flights[place - 1].channel != w->flights[place].channel ||
           w->flights[place - 1].buffer != w->flights[place].buffer;
}

/* Does the protocol take the request? */
static bool ask(search *x, uint32_t choice) {
    world *w = &x->world;
    x->block = choice / KINDS % w->blocks;
    x->core = choice / KINDS / w->blocks;
    x->request = kinds[choice % KINDS];
    sim_core *core = &w->system->cores[x->core];
    const sl_address address = x->request == SL_ACQUIRE ? SL_NOWHERE : exp_world_block(x->block);
    tell(x, "core %u %s block 0x%llx", x->core,
         x->request == SL_LD        ? "loads"
         : x->request == SL_FLUSH   ? "flushes"
         : x->request == SL_ACQUIRE ? "acquires, with"
                                    : "stores to",
         (unsigned long long)address);
    sl_request *request = sl_message_new(&w->system->base, SL_REQUEST_MESSAGE);
    const sl_message header = request->header;
    *request = (sl_request){.LineAddress = address,
                            .PhysicalAddress = address,
                            .Type = x->request,
                            .AccessMode = 1,
                            .Size = COL_WORD_BYTES,
                            .contextId = (int32_t)x->core};
    request->header = header;
    x->completed = false;
    park(x);
    sl_buffer_insert(core->requests, (sl_slot){.time = 0, .message = &request->header});
    core->controller->machine->wakeup(core->controller);
    if (collect(x, NULL)) {
        if (x->completed)
            stop(x, "a request is completed but stays in its queue", x->core, x->block);
        return false;
    }
    if (!x->completed)
        take_access(x, &w->known[x->core][x->block]);
    return true;
}

static void deliver(search *x, uint32_t place) {
    world *w = &x->world;
    const flight f = w->flights[place];
    sl_buffer *b = w->buffers[f.buffer];
    x->request = -1;
    w->flight_count--;
    for (uint32_t i = place; i < w->flight_count; i++)
        w->flights[i] = w->flights[i + 1];
    tell(x, "%s %u gets a %s in %s", b->consumer->machine->name, b->consumer->number,
         w->system->protocol->messages[f.message->type].name, b->name);
    park(x);
    sl_buffer_insert(b, (sl_slot){.time = 0, .message = f.message});
    b->consumer->machine->wakeup(b->consumer);
    (void)collect(x, &f);
}

/* The time of something comes. */
static void ring(search *x, uint32_t number) {
    alarm_clock alarm = {0};
    x->request = -1;
    (void)exp_world_alarms(&x->world, number, &alarm);
    sl_controller *c = alarm.timer->consumer;
    alarm.timer->items[alarm.item].time = 0;
    tell(x, "%s %u: a time has come", c->machine->name, c->number);
    park(x);
    c->machine->wakeup(c);
    (void)collect(x, NULL);
}

/* Takes one step from the state in the world: choices are accesses, then messages, then times.
 * False: the protocol does not take the request. Failures leave by the system's escape. */
static bool take_step(search *x, uint32_t choice) {
    const uint32_t messages = accesses(x), alarms = messages + x->world.flight_count;
    bool taken = true;
    if (choice < messages)
        taken = ask(x, choice);
    else if (choice < alarms)
        deliver(x, choice - messages);
    else
        ring(x, choice - alarms);
    forget_wakes(&x->world.system->base);
    check_state(x);
    return taken;
}

/* Notes the state that is packed. False: no memory. */
static bool note_state(search *x, uint32_t parent, uint32_t choice) {
    const world *w = &x->world;
    const uint64_t most = x->settings->most_bytes;
    if (most != 0 && exp_known_bytes_soon(&x->states) > most)
        exp_world_meet_limit(&x->world, "memory");
    const found how = {parent, (uint16_t)choice};
    return exp_known_note(&x->states, w->packed, w->packed_count, how);
}

/* ---- The search. */

static bool is_quiet(const world *w) {
    for (uint32_t c = 0; c < w->system->wiring.cores; c++)
        for (uint32_t b = 0; b < w->blocks; b++)
            if (w->known[c][b].access != NO_ACCESS)
                return false;
    return w->flight_count == 0 && exp_world_alarms(w, 0, NULL) == 0;
}

/* The choices that are steps in the state of the world. */
static uint32_t list_choices(search *x, uint16_t *list) {
    const uint32_t messages = accesses(x), alarms = messages + x->world.flight_count;
    const uint32_t end = alarms + exp_world_alarms(&x->world, 0, NULL);
    uint32_t count = 0;
    if (end > MOST_CHOICES)
        exp_world_meet_limit(&x->world, "steps from a state");
    for (uint32_t choice = 0; choice < end; choice++)
        if (choice < messages ? may_ask(x, choice)
            : choice < alarms ? is_first(&x->world, choice - messages)
                              : true)
            list[count++] = (uint16_t)choice;
    return count;
}

/* Takes the step in x->choice from a state. False: no memory. */
static bool try_step(search *x, uint64_t own, bool is_quiet_before, bool *moves) {
    const bool taken = take_step(x, x->choice);
    exp_world_pack(&x->world);
    const bool changes = exp_known_print(x->world.packed, x->world.packed_count) != own;
    *moves = *moves || (changes && x->choice >= accesses(x));
    if (is_quiet_before && !taken && !changes)
        stop(x, "a request is refused though nothing is under way", x->core, x->block);
    x->result->steps += changes;
    return !changes || note_state(x, x->number, x->choice);
}

/* Nothing that is under way in the state can be taken. */
static _Noreturn void report_stuck(search *x, const uint64_t *state) {
    world *w = &x->world;
    const col_event event = {.kind = COL_DEADLOCK};
    sim_stuck stuck = {""};
    x->choice = NO_CHOICE;
    exp_world_unpack(w, state + 1, state[0]);
    sim_list_exhausted(w->system, &stuck);
    sim_fail(w->system, &event, "deadlock: no message that is under way can be taken%s",
             stuck.text);
}

/* All steps from a state. False: no memory. A failure leaves by the system's escape. */
static bool expand(search *x, const uint64_t *state) {
    world *w = &x->world;
    uint16_t choices[MOST_CHOICES];
    bool moves = false;
    exp_world_unpack(w, state + 1, state[0]);
    const uint64_t own = exp_known_print(state + 1, state[0]);
    const bool quiet = is_quiet(w);
    const uint32_t count = list_choices(x, choices);
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0)
            exp_world_unpack(w, state + 1, state[0]);
        x->choice = choices[i];
        if (!try_step(x, own, quiet, &moves))
            return false;
    }
    if (!quiet && !moves)
        report_stuck(x, state);
    return true;
}

/* The initial state, empty and with memory of zeros. */
static void begin(search *x) {
    world *w = &x->world;
    for (uint32_t i = 0; i < w->flight_count; i++)
        sl_message_release(&w->system->base, w->flights[i].message);
    w->flight_count = 0;
    memset(w->known, 0, sizeof w->known);
    memset(w->current, 0, sizeof w->current);
    sim_system_clear(w->system);
    forget_wakes(&w->system->base);
}

static void tell_transition(sl_controller *c, uint32_t state, uint32_t event, uint32_t next,
                            sl_address address) {
    const sl_machine *m = c->machine;
    tell(search_of(c), "  %s %u: %s at %s -> %s, block 0x%llx", m->name, c->number,
         m->states[state], m->events[event], m->states[next], (unsigned long long)address);
}

/* Takes steps from the beginning, up to a failure. */
static void replay(search *x, const uint16_t *choices, uint32_t count) {
    if (setjmp(x->world.system->escape) != 0)
        return;
    begin(x);
    for (uint32_t i = 0; i < count; i++) {
        exp_world_pack(&x->world); /* as the search did: choices count in what it saw */
        exp_world_unpack(&x->world, x->world.packed, x->world.packed_count);
        if (choices[i] != NO_CHOICE)
            (void)take_step(x, choices[i]);
    }
}

/* The messages that nobody takes. */
static void tell_stuck(search *x) {
    const world *w = &x->world;
    for (uint32_t i = 0; i < w->flight_count; i++) {
        const sl_buffer *b = w->buffers[w->flights[i].buffer];
        tell(x, "%s %u does not take a %s in %s", b->consumer->machine->name, b->consumer->number,
             w->system->protocol->messages[w->flights[i].message->type].name, b->name);
    }
}

/* Takes the steps to the failure again and writes them down. False: no memory. */
static bool write_trace(search *x) {
    sim_system *s = x->world.system;
    uint32_t length = 1;
    for (uint32_t i = x->number; i != 0; i = x->states.founds[i].parent)
        length++;
    uint16_t *choices = calloc(length, sizeof *choices);
    if (choices == NULL)
        return false;
    choices[length - 1] = (uint16_t)x->choice;
    for (uint32_t i = x->number, place = length - 1; i != 0; i = x->states.founds[i].parent)
        choices[--place] = x->states.founds[i].choice;
    x->telling = true;
    s->base.watch_transitions = true;
    replay(x, choices, length);
    s->base.watch_transitions = false;
    if (x->choice == NO_CHOICE)
        tell_stuck(x);
    base_text_print(&x->result->trace, "%s\n", s->failure.text);
    free(choices);
    return !x->result->trace.failed;
}

static col_status refuse(const sim_system *s, const exp_exploration_settings *settings,
                         col_problem *problem) {
    if (settings->blocks == 0 || settings->blocks > EXP_MOST_BLOCKS)
        return base_refuse(problem, "a search has 1 to %d blocks", EXP_MOST_BLOCKS);
    if (s->wiring.cores > EXP_MOST_CORES)
        return base_refuse(problem, "a search has 1 to %d cores", EXP_MOST_CORES);
    for (uint32_t m = 0; m < s->protocol->machine_count; m++)
        for (uint32_t i = 0; i < s->protocol->machines[m]->member_count; i++) {
            const sl_member *member = &s->protocol->machines[m]->members[i];
            if (member->kind == SL_MEMBER_PERSISTENT)
                return base_refuse(problem,
                                   "%s has the persistent table %s; such protocols cannot be "
                                   "searched",
                                   s->protocol->machines[m]->name, member->name);
        }
    return COL_OK;
}

static void list_buffers(search *x) {
    sim_system *s = x->world.system;
    for (uint32_t i = 0; i < s->base.controller_count; i++)
        x->world.buffer_count += s->controllers[i]->in_buffer_count;
    x->world.buffers =
        sim_grow(&s->base, NULL, (x->world.buffer_count + 1) * sizeof *x->world.buffers);
    uint32_t next = 0;
    for (uint32_t i = 0; i < s->base.controller_count; i++) {
        sl_controller *c = s->controllers[i];
        c->transitions_per_cycle = 1;
        for (uint32_t b = 0; b < c->in_buffer_count; b++)
            x->world.buffers[next++] = c->in_buffers[b];
    }
}

/* What stops the search; NULL: nothing. */
static const char *limit_met(const search *x, double start) {
    const exp_exploration_settings *limits = x->settings;
    if (base_is_stopped(limits->stop))
        return "stop";
    if (x->states.count > UINT32_MAX - 65536 ||
        (limits->most_states != 0 && x->states.count >= limits->most_states))
        return "states";
    if (limits->most_bytes != 0 && exp_known_bytes(&x->states) >= limits->most_bytes)
        return "memory";
    if (limits->most_seconds > 0 && x->number % 256 == 0 &&
        base_seconds() - start >= limits->most_seconds)
        return "time";
    return NULL;
}

static void tell_progress(const search *x, double start) {
    if (x->settings->progress == NULL || x->number % 256 != 0)
        return;
    const exp_exploration_progress progress = {.states = x->states.count,
                                               .waiting = x->states.count - x->number,
                                               .bytes = exp_known_bytes(&x->states),
                                               .depth = x->result->depth,
                                               .seconds = base_seconds() - start};
    x->settings->progress(x->settings->context, &progress);
}

/* False: no memory. Mistakes leave by the system's escape. */
static bool search_all(search *x) {
    exp_exploration *r = x->result;
    const double start = base_seconds();
    list_buffers(x);
    begin(x);
    exp_world_pack(&x->world);
    if (!note_state(x, 0, 0))
        return false;
    for (const uint64_t *state; (state = exp_known_next(&x->states)) != NULL; x->number++) {
        if (x->number == x->depth_end) {
            x->depth_end = (uint32_t)x->states.count;
            r->depth += x->number > 0;
        }
        if (!expand(x, state))
            return false;
        r->bytes = exp_known_bytes(&x->states) > r->bytes ? exp_known_bytes(&x->states) : r->bytes;
        tell_progress(x, start);
        x->world.limit = limit_met(x, start);
        if (x->world.limit != NULL)
            return true;
    }
    r->complete = true;
    return true;
}

/* False: no memory. */
static bool run(search *x) {
    sim_system *s = x->world.system;
    s->failure.happened = s->failure.out_of_memory = false;
    if (setjmp(s->escape) == 0)
        return search_all(x);
    if (s->failure.happened) {
        x->result->broken = true;
        if (!write_trace(x))
            return false;
    }
    return !s->failure.out_of_memory;
}

col_status exp_explore(sim_system *system, const exp_exploration_settings *settings,
                       exp_exploration *result, col_problem *problem) {
    search x = {.world = {.system = system, .blocks = settings->blocks},
                .services = *system->base.services,
                .usual = system->base.services,
                .settings = settings,
                .result = result};
    *result = (exp_exploration){0};
    col_status status = refuse(system, settings, problem);
    if (status != COL_OK)
        return status;
    x.services.load_done = load_done;
    x.services.store_done = store_done;
    x.services.evicted = evicted;
    x.services.send = send;
    x.services.transition = tell_transition;
    system->base.services = &x.services;
    system->explorer = &x;
    if (!run(&x))
        status = base_out_of_memory(problem);
    result->states = x.states.count;
    result->limit = result->broken ? NULL : x.world.limit;
    system->base.services = x.usual;
    system->explorer = NULL;
    exp_known_free(&x.states);
    return status;
}
