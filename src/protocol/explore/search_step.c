/* SPDX-License-Identifier: MIT */
/* Steps: see search_step.h. Failures leave by the system's escape. */
#include "protocol/explore/search_step.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { WORDS = 2 }; /* values that stores write in turn */

static stepper *stepper_of(const sl_controller *c) {
    return (stepper *)((sim_system *)(void *)c->system)->explorer;
}

/* ---- What is checked. */

static BASE_PRINTF(2, 3) void tell(stepper *x, const char *format, ...) {
    if (x->trace == NULL)
        return;
    va_list arguments;
    va_start(arguments, format);
    char line[512];
    (void)vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    base_text_print(x->trace, "%s\n", line);
}

static _Noreturn void stop(stepper *x, const char *what, uint32_t core, uint32_t block) {
    const col_event event = {.kind = COL_INVARIANT_BROKEN, .block = exp_block_address(block)};
    sim_fail(x->world.system, event, "%s: core %u, block 0x%llx", what, core,
             (unsigned long long)exp_block_address(block));
}

static uint32_t block_of(const stepper *x, sl_address address) {
    for (uint32_t b = 0; b < x->world.blocks; b++)
        if (exp_block_address(b) == address)
            return b;
    return 0;
}

bool exp_is_lazy(const sl_controller *c) {
    return sl_takes(c->machine, SL_ACQUIRE);
}

/* The step depends on the last word of the block. */
static void note_reading(stepper *x, uint32_t block) {
    x->touches_core = true;
    x->reads |= (uint8_t)(1U << block);
}

/* The protocol takes the request of this step. */
static void take_access(stepper *x, knowledge *k) {
    const bool is_judged = !exp_is_lazy(x->world.system->cores[x->core].controller);
    note_reading(x, x->block);
    k->access = x->request == SL_LD ? LOADING : x->request == SL_FLUSH ? FLUSHING : STORING;
    k->possible =
        (uint8_t)(x->request == SL_LD && is_judged ? 1U << x->world.of_cores.current[x->block] : 0);
    k->lost = false;
}

/* The access that the protocol completes: one under way, or that of this step. */
static knowledge *completed(stepper *x, sl_controller *c, sl_address address, bool as_load) {
    const uint32_t block = block_of(x, address);
    knowledge *k = &x->world.of_cores.known[c->core][block];
    note_reading(x, block);
    if (k->access == NO_ACCESS && (x->request >= 0 && x->core == c->core && x->block == block)) {
        take_access(x, k);
        x->completed = true;
    }
    if (k->access == NO_ACCESS || (k->access == LOADING) != as_load)
        sl_fail(c, "the protocol completes an access that the core did not make", NULL);
    return k;
}

static void load_done(sl_controller *c, sl_address address, const sl_data *data, bool external,
                      uint32_t machine_type) {
    stepper *x = stepper_of(c);
    const uint32_t block = block_of(x, address);
    knowledge *k = completed(x, c, address, true);
    const uint64_t word = data->words[0];
    (void)external;
    (void)machine_type;
    tell(x, "  core %u loads %llu", c->core, (unsigned long long)word);
    if (word >= WORDS || (!exp_is_lazy(c) && (k->possible >> word & 1) == 0))
        stop(x, "a load returns a value that has not been current since it started", c->core,
             block);
    const bool believes = !exp_is_lazy(c) && !k->lost;
    *k = (knowledge){.believes = believes, .word = believes ? (uint8_t)word : 0};
    x->done |= exp_mark(x->world.blocks, c->core, block, false);
}

static void store_done(sl_controller *c, sl_address address, sl_data *data, bool external,
                       uint32_t machine_type) {
    stepper *x = stepper_of(c);
    if (address == SL_NOWHERE) { /* an acquire is done at once */
        x->completed = true;
        return;
    }
    const uint32_t block = block_of(x, address);
    knowledge *k = completed(x, c, address, false);
    uint8_t *current = &x->world.of_cores.current[block];
    (void)external;
    (void)machine_type;
    if (k->access == FLUSHING) {
        tell(x, "  core %u has flushed", c->core);
        *k = (knowledge){.believes = k->believes, .word = k->word};
        return;
    }
    if (data->words[0] != *current)
        stop(x, "a store replaces a value that is not the last one stored", c->core, block);
    x->writes |= (uint8_t)(1U << block);
    x->stores++;
    *current = (uint8_t)((*current + 1) % WORDS);
    data->words[0] = *current;
    tell(x, "  core %u stores %u", c->core, *current);
    *k = (knowledge){.believes = !exp_is_lazy(c), .word = exp_is_lazy(c) ? 0 : *current};
    x->done |= exp_mark(x->world.blocks, c->core, block, true);
    for (uint32_t i = 0; i < x->world.cores; i++)
        if (!exp_is_lazy(c) && x->world.of_cores.known[i][block].access == LOADING)
            x->world.of_cores.known[i][block].possible |= (uint8_t)(1U << *current);
}

static void evicted(sl_controller *c, sl_address address) {
    stepper *x = stepper_of(c);
    knowledge *k = &x->world.of_cores.known[c->core][block_of(x, address)];
    tell(x, "  core %u is notified that it loses the block", c->core);
    x->touches_core = true;
    if (exp_is_lazy(c))
        return;
    k->believes = false;
    k->lost = k->access != NO_ACCESS;
}

uint32_t exp_permission_of(const sl_cache *cache, sl_address address) {
    const sl_entry *entry = sl_cache_lookup(cache, address);
    if (entry == NULL || entry->permission > SL_READ_WRITE)
        return 0;
    return entry->permission == SL_READ_WRITE ? 2 : 1;
}

/* Of all of the core's private caches. */
static uint32_t permission_of(const world *w, uint32_t core, sl_address address) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < w->cache_count; i++) {
        if (w->caches[i].core != core)
            continue;
        const uint32_t may = exp_permission_of(w->caches[i].cache, address);
        most = may > most ? may : most;
    }
    return most;
}

static void check_state(stepper *x) {
    for (uint32_t b = 0; b < x->world.blocks; b++) {
        uint32_t readers = 0, writers = 0;
        for (uint32_t c = 0; c < x->world.cores; c++) {
            const knowledge *k = &x->world.of_cores.known[c][b];
            const uint32_t may = permission_of(&x->world, c, exp_block_address(b));
            readers += may > 0;
            writers += may == 2;
            if (k->believes && k->word != x->world.of_cores.current[b])
                stop(x, "a core is not told that it lost a block", c, b);
            if (writers > 0 && readers > 1)
                stop(x, "one core may write a block that another may access", c, b);
        }
    }
}

/* ---- Messages. */

static void add_flight(world *w, const sl_buffer *buffer, uint32_t channel, sl_message *message) {
    const uint32_t reader = buffer->consumer == NULL ? 0 : buffer->consumer->id;
    const uint32_t end = w->first_buffer[reader + 1];
    uint32_t number = w->first_buffer[reader];
    while (number < end && w->buffers[number] != buffer)
        number++;
    if (number == end)
        sl_fail(buffer->owner, "a message arrives where nobody reads it", buffer->name);
    if (w->flight_count == MOST_FLIGHTS)
        exp_world_meet_limit(w, "messages under way");
    w->flights[w->flight_count++] =
        (flight){.buffer = number, .channel = channel, .message = message, .held = NOBODY};
}

static void send(sl_buffer *buffer, sl_message *message, sl_cycles delay) {
    sim_system *s = (sim_system *)(void *)buffer->system;
    stepper *x = (stepper *)s->explorer;
    world *w = &x->world;
    (void)delay;
    if (buffer->peer != NULL) {
        add_flight(w, buffer->peer, 1, message);
        return;
    }
    if (message->type == SL_MEMORY_MESSAGE) {
        w->memory_touched = true;
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

static bool is_request_queue(const stepper *x, const sl_buffer *buffer) {
    for (uint32_t c = 0; c < x->world.cores; c++)
        if (x->world.system->cores[c].requests == buffer)
            return true;
    return false;
}

/* Messages under way to a queue with a limit stand in it during a step, so that they take up room:
 * behind the one that is delivered, and not due. */
static void park(stepper *x) {
    world *w = &x->world;
    uint32_t kept = 0;
    x->parked_count = 0;
    if (!w->system->base.bounded)
        return;
    for (uint32_t i = 0; i < w->flight_count; i++) {
        const flight f = w->flights[i];
        sl_buffer *b = w->buffers[f.buffer];
        if (b->capacity == 0) {
            w->flights[kept++] = f;
            continue;
        }
        x->parked[x->parked_count++] = f;
        b->last_time = EXP_NEVER; /* what is sent in this step comes last */
        sl_buffer_insert(
            b, (sl_slot){.time = EXP_NEVER, .order = x->parked_count, .message = f.message});
    }
    w->flight_count = kept;
}

/* Of those with one channel, the one that was delivered is the first again. */
static void put_back(world *w, const flight *delivered) {
    add_flight(w, w->buffers[delivered->buffer], delivered->channel, delivered->message);
    for (uint32_t i = w->flight_count - 1; i > 0; i--)
        w->flights[i] = w->flights[i - 1];
    w->flights[0] = *delivered;
    w->flights[0].image = NULL; /* whoever looked at it may have written into it */
    w->flights[0].held = NOBODY;
}

/* A message that stands in a buffer after a step goes back among those under way. */
static void collect_message(stepper *x, const sl_buffer *b, const sl_slot *slot,
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
static bool collect(stepper *x, const flight *delivered) {
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
        for (uint32_t j = 0; j < b->waiting_end; j++) {
            if (b->waiting[j].is_over)
                continue;
            if (requests)
                sl_message_release(&w->system->base, b->waiting[j].slot.message);
            else
                add_flight(w, b, 0, b->waiting[j].slot.message);
        }
        sl_waiting_clear(b);
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
_Static_assert((int)KINDS == (int)EXP_KINDS, "EXP_MOST_CHOICES counts them");

uint32_t exp_step_accesses(const stepper *x) {
    return x->world.cores * x->world.blocks * KINDS;
}

exp_access exp_access_of(const stepper *x, uint32_t choice) {
    return (exp_access){.core = choice / KINDS / x->world.blocks,
                        .block = choice / KINDS % x->world.blocks,
                        .kind = kinds[choice % KINDS]};
}

/* What the core's machine takes, of the kinds that are wanted; 0: of all. */
static uint8_t kinds_of(const stepper *x, uint32_t core, uint32_t wanted) {
    const sl_machine *machine = x->world.system->cores[core].controller->machine;
    uint32_t bits = 1U << 0 | 1U << 1; /* loads and stores */
    for (uint32_t kind = 2; kind < KINDS; kind++)
        bits |= (uint32_t)sl_takes(machine, kinds[kind] == SL_FLUSH ? SL_FLUSH : SL_ACQUIRE)
                << kind;
    return (uint8_t)(wanted == 0 ? bits : bits & wanted);
}

/* Accesses of a core: one to a block at a time, and as many as are allowed in all. An acquire is
 * for no block, so for the first. */
static uint32_t list_accesses(const stepper *x, uint32_t core, uint16_t *list) {
    const world *w = &x->world;
    const uint8_t begun = w->of_cores.begun[core];
    uint32_t count = 0, under_way = 0;
    for (uint32_t b = 0; b < w->blocks; b++)
        under_way += w->of_cores.known[core][b].access != NO_ACCESS;
    for (uint32_t b = 0; b < w->blocks; b++) {
        const bool is_free =
            under_way < x->outstanding && w->of_cores.known[core][b].access == NO_ACCESS;
        for (uint32_t kind = 0; kind < KINDS; kind++) {
            const bool may = kinds[kind] == SL_ACQUIRE ? b == 0 : is_free;
            if (may && (x->kinds[core] >> kind & 1) != 0 &&
                (begun == 0 || begun == exp_begun(kind, b)))
                list[count++] = (uint16_t)((core * w->blocks + b) * KINDS + kind);
        }
    }
    return count;
}

static bool is_first(const world *w, uint32_t place) {
    return w->flights[place].channel == 0 || place == 0 ||
           w->flights[place - 1].channel != w->flights[place].channel ||
           w->flights[place - 1].buffer != w->flights[place].buffer;
}

/* Does the protocol take the request? */
static bool ask(stepper *x, uint32_t choice) {
    world *w = &x->world;
    const exp_access a = exp_access_of(x, choice);
    x->block = a.block;
    x->core = a.core;
    x->request = a.kind;
    sim_core *core = &w->system->cores[x->core];
    w->touched = core->controller->id;
    const sl_address address = x->request == SL_ACQUIRE ? SL_NOWHERE : exp_block_address(x->block);
    tell(x, "core %u %s block 0x%llx", x->core,
         x->request == SL_LD        ? "loads"
         : x->request == SL_FLUSH   ? "flushes"
         : x->request == SL_ACQUIRE ? "acquires, with"
                                    : "stores to",
         (unsigned long long)address);
    sl_request *request = sim_request_new(&w->system->base, address, x->request, x->core);
    x->completed = false;
    x->touches_core = true;
    park(x);
    sl_buffer_insert(core->requests, (sl_slot){.time = 0, .message = &request->header});
    core->controller->machine->wakeup(core->controller);
    if (collect(x, NULL)) {
        if (x->completed)
            stop(x, "a request is completed but stays in its queue", x->core, x->block);
        return false;
    }
    w->of_cores.begun[x->core] = 0;
    if (!x->completed)
        take_access(x, &w->of_cores.known[x->core][x->block]);
    return true;
}

static void deliver(stepper *x, uint32_t place) {
    world *w = &x->world;
    const flight f = w->flights[place];
    sl_buffer *b = w->buffers[f.buffer];
    x->request = -1;
    w->touched = b->consumer->id;
    w->delivered = place;
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
static void ring(stepper *x, uint32_t number) {
    alarm_clock alarms[MOST_ALARMS];
    x->request = -1;
    (void)exp_world_alarms(&x->world, alarms);
    sl_timer *timer = alarms[number].timer;
    sl_controller *c = timer->consumer;
    x->world.touched = c->id;
    timer->items[alarms[number].item].time = 0;
    tell(x, "%s %u: a time has come", c->machine->name, c->number);
    park(x);
    c->machine->wakeup(c);
    (void)collect(x, NULL);
}

bool exp_step_is_free(const stepper *x, uint32_t choice) {
    return choice < exp_step_accesses(x) &&
           x->world.held_of_cores.begun[exp_access_of(x, choice).core] == 0;
}

void exp_step_remember(stepper *x, uint32_t choice) {
    const exp_access a = exp_access_of(x, choice);
    x->world.of_cores.begun[a.core] = exp_begun(choice % KINDS, a.block);
}

/* Is a queue fuller than it may be, and than it was before? */
static bool overflows(const stepper *x) {
    const world *w = &x->world;
    uint8_t now[EXP_MOST_BUFFERS] = {0}, before[EXP_MOST_BUFFERS] = {0};
    for (uint32_t i = 0; i < w->held_count; i++)
        before[w->held[i].buffer]++;
    for (uint32_t i = 0; i < w->flight_count; i++) {
        const uint32_t buffer = w->flights[i].buffer;
        if (++now[buffer] > x->slots && now[buffer] > before[buffer])
            return true;
    }
    return false;
}

/* As if the step had not been tried. */
static void block(stepper *x) {
    for (uint32_t i = 0; i < x->taken_count; i++)
        --*x->counted[i];
    x->taken_count = 0;
    x->done = 0;
    x->blocked = true;
    exp_world_undo(&x->world);
}

bool exp_step_take(stepper *x, uint32_t listed) {
    const uint32_t choice = listed % EXP_MOST_CHOICES;
    const uint32_t messages = exp_step_accesses(x), alarms = messages + x->world.flight_count;
    bool taken = true;
    x->taken_count = x->stores = 0;
    x->done = 0;
    x->blocked = x->touches_core = false;
    x->reads = x->writes = 0;
    x->picker = (sl_picker){.wanted = listed / EXP_MOST_CHOICES, .most = 1};
    if (choice < messages)
        taken = ask(x, choice);
    else if (choice < alarms)
        deliver(x, choice - messages);
    else
        ring(x, choice - alarms);
    forget_wakes(&x->world.system->base);
    x->orders = 0;
    for (uint32_t i = 0; i < x->world.flight_count; i++)
        if (x->world.flights[i].held == NOBODY && x->world.flights[i].channel == EXP_KEEPS_ORDER)
            x->orders |= UINT64_C(1) << x->world.flights[i].buffer % 64;
    if (x->picker.calls > 1)
        exp_world_meet_limit(&x->world, "members taken in one step");
    if (x->picker.wanted >= x->picker.most || (x->slots != 0 && overflows(x))) {
        block(x);
        return false;
    }
    /* What is checked in a state is of private caches and cores. */
    const world *w = &x->world;
    if (x->touches_core || x->writes != 0 || w->system->controllers[w->touched]->core < w->cores)
        check_state(x);
    return taken;
}

/* Members that the step may take for the smallest, at most. */
static uint32_t members(const stepper *x, const sl_controller *c) {
    const bool picks = x->takes_any && c->machine->asymmetric[SL_ASYMMETRIC_PICKS] != NULL;
    return picks ? SL_PICKABLE : 1;
}

uint32_t exp_step_list(stepper *x, uint16_t *list) {
    const uint8_t *owners;
    const uint32_t messages = exp_step_accesses(x), alarms = messages + x->world.flight_count;
    const uint32_t end = alarms + exp_world_alarm_owners(&x->world, &owners);
    const world *w = &x->world;
    uint32_t count = 0;
    for (uint32_t core = 0; core < w->cores; core++)
        count += list_accesses(x, core, list + count);
    for (uint32_t choice = messages; choice < end; choice++) {
        const bool is_message = choice < alarms;
        if (is_message && !is_first(w, choice - messages))
            continue;
        const sl_controller *c =
            w->system
                ->controllers[is_message ? w->buffer_owner[w->flights[choice - messages].buffer]
                                         : owners[choice - alarms]];
        for (uint32_t member = 0; member < members(x, c); member++)
            list[count++] = (uint16_t)(choice + member * EXP_MOST_CHOICES);
    }
    return count;
}

bool exp_step_may(stepper *x, uint32_t choice) {
    uint16_t choices[EXP_MOST_LISTED];
    const uint32_t count = exp_step_list(x, choices);
    for (uint32_t i = 0; i < count; i++)
        if (choices[i] == choice)
            return true;
    return false;
}

bool exp_step_is_quiet(stepper *x) {
    const world *w = &x->world;
    const uint8_t *ignored;
    for (uint32_t c = 0; c < w->cores; c++)
        for (uint32_t b = 0; b < w->blocks; b++)
            if (w->of_cores.known[c][b].access != NO_ACCESS || w->of_cores.begun[c] != 0)
                return false;
    return w->flight_count == 0 && exp_world_alarm_owners(&x->world, &ignored) == 0;
}

void exp_step_refuse(stepper *x) {
    x->refused = true;
    stop(x, "a request is refused though nothing is under way", x->core, x->block);
}

void exp_step_begin(stepper *x) {
    exp_world_begin(&x->world);
    forget_wakes(&x->world.system->base);
}

/* ---- Between the search and the system. */

static void tell_transition(sl_controller *c, uint32_t state, uint32_t event, uint32_t next,
                            sl_address address) {
    const sl_machine *m = c->machine;
    stepper *x = stepper_of(c);
    if (x->notes_cells && x->taken_count < EXP_MOST_TAKEN) {
        x->counted[x->taken_count] = &c->counts[state * m->event_count + event];
        x->taken[x->taken_count++] = (exp_cell){sim_machine_of(x->world.system, c), state, event};
    }
    tell(x, "  %s %u: %s at %s -> %s, block 0x%llx", m->name, c->number, m->states[state],
         m->events[event], m->states[next], (unsigned long long)address);
}

void exp_step_open(stepper *x, sim_system *system, const exp_exploration_settings *settings) {
    *x = (stepper){.services = *system->base.services,
                   .usual = system->base.services,
                   .outstanding = settings->outstanding,
                   .slots = settings->slots,
                   .takes_any = settings->takes_any};
    x->services.load_done = load_done;
    x->services.store_done = store_done;
    x->services.evicted = evicted;
    x->services.send = send;
    x->services.transition = tell_transition;
    sim_network_stop(system);
    system->base.services = &x->services;
    system->explorer = x;
    system->base.picker = x->takes_any ? &x->picker : NULL;
    exp_world_open(&x->world, system, settings->blocks, settings->remembers);
    for (uint32_t core = 0; core < x->world.cores; core++)
        x->kinds[core] = kinds_of(x, core, settings->accesses);
    forget_wakes(&system->base); /* also for a worker that never sees the first state */
}

void exp_step_close(stepper *x) {
    x->world.system->base.services = x->usual;
    x->world.system->explorer = NULL;
    x->world.system->base.picker = NULL;
}
