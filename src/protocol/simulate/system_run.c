/* SPDX-License-Identifier: MIT */
/* Running one instance: the event loop, its end, and what stops it early. */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): MAP_ANONYMOUS
#include "base/clock.h"
#include "base/random.h"
#include "base/text.h"
#include "protocol/simulate/system.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void sim_notice(sim_system *s, const col_event *event) {
    if (s->observer != NULL && (s->observer->kinds >> event->kind & 1) != 0)
        s->observer->notice(s->observer->context, event);
}

/* Ends the run: control goes back to sim_system_run. */
void sim_fail(sim_system *s, col_event event, const char *format, ...) {
    va_list arguments;
    if (s->is_asking)
        longjmp(s->escape, 1);
    va_start(arguments, format);
    base_sentence_from(s->failure.text, sizeof s->failure.text, format, arguments);
    va_end(arguments);
    s->failure.happened = true;
    s->failure.event = event;
    s->failure.event.cycle = s->base.now;
    s->failure.event.message = s->failure.text;
    sim_notice(s, &s->failure.event);
    longjmp(s->escape, 1);
}

void sim_out_of_memory(sim_system *s) {
    s->failure.out_of_memory = true;
    longjmp(s->escape, 1);
}

/* ---- The event loop. */

static void bring_near(sim_system *s) {
    sl_system *b = &s->base;
    for (uint32_t i = 0; i < b->far_count;) {
        const sl_far_event event = b->far[i];
        if (event.time - b->now >= SL_WHEEL_SLOTS) {
            i++;
            continue;
        }
        b->far[i] = b->far[--b->far_count];
        sl_wake(b, event.id, event.time);
    }
}

/* The next cycle in which something happens; UINT64_MAX: none. */
static uint64_t next_time(const sl_system *b) {
    const uint32_t start = (uint32_t)(b->now + 1) & (SL_WHEEL_SLOTS - 1);
    uint32_t word = start / 64;
    uint64_t bits = b->wheel_bits[word] & (UINT64_MAX << (start % 64));
    for (uint32_t i = 0; i <= SL_WHEEL_SLOTS / 64; i++) {
        if (bits != 0) {
            const uint32_t place = word * 64 + (uint32_t)__builtin_ctzll(bits);
            return b->now + 1 + ((place - start) & (SL_WHEEL_SLOTS - 1));
        }
        word = (word + 1) % (SL_WHEEL_SLOTS / 64);
        bits = b->wheel_bits[word];
    }
    uint64_t far = UINT64_MAX;
    for (uint32_t i = 0; i < b->far_count; i++)
        far = b->far[i].time < far ? b->far[i].time : far;
    return far;
}

COL_NEVER_INLINE void wake_other(sim_system *s, uint32_t place) {
    if (COL_RARELY(place >= s->wiring.cores + s->dma_count))
        sim_backlog_step(s);
    else if (COL_RARELY(place >= s->wiring.cores))
        sim_dma_step(&s->dmas[place - s->wiring.cores]);
    else
        sim_core_step(&s->cores[place]);
}

COL_ALWAYS_INLINE void wake_one(sim_system *s, uint32_t id) {
    if (id >= s->base.controller_count) {
        wake_other(s, id - s->base.controller_count);
        return;
    }
    sl_controller *c = s->controllers[id];
    if (c->last_wakeup == s->base.now)
        return;
    c->last_wakeup = s->base.now;
    s->awake = c;
    c->wakeup(c);
}

/* Everybody who is due in this cycle, in an order that the seed decides. */
static void run_cycle(sim_system *s) {
    sl_system *b = &s->base;
    const uint32_t place = (uint32_t)b->now & (SL_WHEEL_SLOTS - 1);
    sl_wheel_slot *slot = &b->wheel[place];
    /* Those known by now start at a random one; who is added on the way comes last. */
    const uint32_t known = slot->count;
    const uint32_t first = known > 1 ? (uint32_t)((sl_random(b) >> 32) * known >> 32) : 0;
    for (uint32_t i = first; i < known; i++)
        wake_one(s, slot->ids[i]);
    for (uint32_t i = 0; i < first; i++)
        wake_one(s, slot->ids[i]);
    for (uint32_t i = known; i < slot->count; i++)
        wake_one(s, slot->ids[i]);
    slot->count = 0;
    b->wheel_bits[place / 64] &= ~(UINT64_C(1) << (place % 64));
}

static void run_to_the_end(sim_system *s) {
    const volatile int *stop = s->stop;
    while (s->cores_running > 0) {
        if (COL_RARELY(base_is_stopped(stop))) {
            s->stopped = true;
            return;
        }
        const uint64_t next = s->base.now + 1;
        const uint64_t time = s->base.wheel[next & (SL_WHEEL_SLOTS - 1)].count > 0
                                  ? next /* it mostly is */
                                  : next_time(&s->base);
        if (COL_RARELY(time > s->last_progress + s->wiring.deadlock_cycles / 2))
            sim_look_for_deadlock(s, time);
        s->base.now = time;
        if (COL_RARELY(time >= s->look_at))
            sim_look_for_starvation(s);
        if (COL_RARELY(s->base.far_count > 0))
            bring_near(s);
        run_cycle(s);
    }
}

/* ---- Instances. */

static void clear_buffer(sl_buffer *b) {
    while (b->count > 0) {
        const sl_slot slot = sl_buffer_take(b);
        if (slot.message != NULL)
            sl_message_release(b->system, slot.message);
    }
    for (uint32_t i = 0; i < b->waiting_end; i++)
        if (!b->waiting[i].is_over)
            sl_message_release(b->system, b->waiting[i].slot.message);
    sl_waiting_clear(b);
    b->last_time = 0;
    if (b->last_to != NULL)
        memset(b->last_to, 0, b->system->controller_count * sizeof *b->last_to);
}

static void clear_table(sl_table *t) {
    for (uint32_t i = 0; i <= t->mask && t->count > 0; i++)
        while (t->places[i] != NULL)
            sl_table_deallocate(t, t->places[i]->address);
}

static void clear_cache(sl_cache *c) {
    for (uint64_t set = 0; (set = sl_cache_next_used(c, set)) <= c->index_mask; set++) {
        memset(c->tags + set * c->ways, 0, c->ways * sizeof *c->tags);
        c->plru[set] = 0;
    }
    memset(c->used, 0, (c->index_mask / 64 + 1) * sizeof *c->used);
}

static void clear_member(sl_controller *c, const sl_member *m) {
    void *pointer = sim_member(c, m);
    switch (m->kind) {
    case SL_MEMBER_BUFFER:
        clear_buffer(pointer);
        break;
    case SL_MEMBER_CACHE:
        clear_cache(pointer);
        break;
    case SL_MEMBER_TBES:
    case SL_MEMBER_TABLE:
    case SL_MEMBER_PERFECT:
        clear_table(pointer);
        break;
    case SL_MEMBER_TIMER:
        ((sl_timer *)pointer)->count = 0;
        break;
    case SL_MEMBER_PERSISTENT:
        ((sl_persistent *)pointer)->count = 0;
        break;
    default:
        break;
    }
}

void sim_system_clear(sim_system *s) {
    for (uint32_t i = 0; i < s->base.controller_count; i++) {
        sl_controller *c = s->controllers[i];
        for (uint32_t m = 0; m < c->machine->member_count; m++)
            clear_member(c, &c->machine->members[m]);
        c->machine->initialise(c);
        c->waiting_total = 0;
        c->lock_count = 0;
        c->last_wakeup = UINT64_MAX;
    }
    sim_backlog_clear(s);
    if (s->link_free != NULL)
        memset(s->link_free, 0, s->base.controller_count * sizeof *s->link_free);
    clear_table(s->memory);
    for (uint32_t i = 0; i < SL_WHEEL_SLOTS; i++)
        s->base.wheel[i].count = 0;
    memset(s->base.wheel_bits, 0, sizeof s->base.wheel_bits);
    s->base.far_count = 0;
    s->base.now = s->base.order = 0;
}

/* ---- Warm instances: blocks stay where they are, with words of 0. */

static void zero_cache(sl_cache *c, uint32_t offset) {
    for (uint64_t set = 0; (set = sl_cache_next_used(c, set)) <= c->index_mask; set++)
        for (uint32_t way = 0; way < c->ways; way++)
            if (c->tags[set * c->ways + way] != 0)
                sl_data_clear((sl_data *)(void *)((uint8_t *)sl_cache_at(c, set, way) + offset));
}

static void zero_table(sl_table *table, uint32_t offset) {
    for (uint32_t i = 0; i <= table->mask; i++)
        if (table->places[i] != NULL)
            sl_data_clear((sl_data *)(void *)((uint8_t *)table->places[i] + offset));
}

/* Lets messages that are still under way arrive. False: they do not come to an end. */
static bool let_messages_arrive(sim_system *s) {
    const uint64_t patience = s->base.now + s->wiring.deadlock_cycles;
    if (setjmp(s->escape) != 0)
        return false;
    for (uint64_t time; (time = next_time(&s->base)) != UINT64_MAX;) {
        if (time > patience || (s->stop != NULL && *s->stop != 0))
            return false;
        s->base.now = time;
        if (s->base.far_count > 0)
            bring_near(s);
        run_cycle(s);
    }
    return true;
}

static void start(sim_system *s, const col_program *program, uint64_t seed) {
    base_rng rng;
    base_rng_seed(&rng, seed, 0);
    memcpy(s->base.random, rng.state, sizeof s->base.random);
    s->program = program;
    s->last_progress = s->base.now;
    s->looked_at = UINT64_MAX;
    s->look_at = s->base.now + sim_wiring_patience(&s->wiring);
    s->cores_running = s->wiring.cores;
    sim_network_start(s);
    sim_dma_start(s);
    const uint64_t skew = program == &s->writing ? 0 : sim_wiring_skew(&s->wiring);
    for (uint32_t i = 0; i < s->wiring.cores; i++)
        sim_core_start(&s->cores[i], (sl_random(&s->base) >> 32) * (skew + 1) >> 32);
}

/* What an instance begins with: empty caches; what the last one left, with words of 0; or what core
 * 0 wrote, which are zeros. */
typedef enum beginning { NOTHING, WARM, WRITTEN } beginning;

/* To its end, or to the failure that it escapes with. */
static void run_instance(sim_system *s, const col_program *program, uint64_t seed, beginning from) {
    s->failure.happened = s->failure.is_starvation = s->stopped = false;
    s->awake = NULL;
    s->operations_done = 0;
    if (setjmp(s->escape) != 0)
        return;
    if (from == WARM) {
        for (uint32_t i = 0; i < s->base.controller_count; i++) {
            sl_controller *c = s->controllers[i];
            for (uint32_t m = 0; m < c->machine->member_count && c->machine->data >= 0; m++) {
                void *pointer = sim_member(c, &c->machine->members[m]);
                if (c->machine->members[m].kind == SL_MEMBER_CACHE)
                    zero_cache(pointer, (uint32_t)c->machine->data);
                else if (c->machine->members[m].kind == SL_MEMBER_TABLE)
                    zero_table(pointer, (uint32_t)c->machine->data);
            }
        }
        zero_table(s->memory, sizeof(sl_entry));
    } else if (from == NOTHING)
        sim_system_clear(s);
    start(s, program, seed);
    if (s->monitor != NULL)
        sim_monitor_start(s, from != NOTHING);
    run_to_the_end(s);
}

/* ---- Starts that are written. */

/* The words stay 0, so that the program finds the values that it expects. */
static col_status make_writing(col_program *writing, const col_program *program,
                               col_problem *problem) {
    const uint32_t count = program->location_count;
    const col_status status = col_program_shape(writing, 1, &count, count, problem);
    if (status != COL_OK)
        return status;
    writing->is_narrow = program->is_narrow;
    for (uint32_t l = 0; l < count; l++) {
        writing->addresses[l] = program->addresses[l];
        writing->operations[l] = (col_operation){.kind = COL_STORE, .location = l};
    }
    return COL_OK;
}

static bool can_go_on(const sim_system *s) {
    return !s->failure.out_of_memory && !s->failure.happened && !s->stopped;
}

/* COL_OK also if it failed or was stopped: then the program's own run does not begin. A design that
 * does not come to rest is left for a while; then the program runs all the same. */
static col_status write_locations(sim_system *s, const col_program *program, uint64_t seed,
                                  const col_observer *observer, col_problem *problem) {
    const col_status status = make_writing(&s->writing, program, problem);
    if (status != COL_OK)
        return status;
    s->aside = (col_observer){0};
    if (observer != NULL)
        s->aside =
            (col_observer){observer->context, observer->notice, observer->kinds & 1U << COL_OUTPUT};
    s->observer = &s->aside;
    run_instance(s, &s->writing, seed, NOTHING);
    if (can_go_on(s))
        (void)let_messages_arrive(s);
    s->operations_done = 0; /* none of the program */
    if (s->failure.happened && !s->failure.out_of_memory) {
        /* The program's own run has not begun: of its operations the event may name none. */
        char text[sizeof s->failure.text];
        memcpy(text, s->failure.text, sizeof text);
        base_sentence(s->failure.text, sizeof s->failure.text,
                      "before the program, while core 0 was writing all locations: %s", text);
        s->failure.event.core = s->failure.event.operation = 0;
        s->observer = observer;
        sim_notice(s, &s->failure.event);
    }
    return COL_OK;
}

col_status sim_system_run(sim_system *s, const col_program *program, uint64_t seed, bool warm,
                          const col_observer *observer, sim_result *result, col_problem *problem) {
    if (program->thread_count > s->wiring.cores)
        return base_refuse(problem, "the program has %u thread%s, the design %u core%s",
                           program->thread_count, base_plural(program->thread_count),
                           s->wiring.cores, base_plural(s->wiring.cores));
    const bool has_acquires = sl_takes(s->cores[0].controller->machine, SL_ACQUIRE);
    for (uint32_t l = 0; has_acquires && l < program->location_count; l++)
        if (program->addresses[l] >= SL_NOWHERE)
            return base_refuse(problem,
                               "the last block of all addresses is for fences, not for a%u", l);
    /* What is still under way from the last instance is not this observer's. */
    s->observer = NULL;
    s->base.watch_transitions = s->base.watch_messages = s->watch_cores = false;
    s->base.watch_permissions = s->monitor != NULL;
    s->failure.out_of_memory = false;
    const bool kept = warm && !s->failure.happened && !s->stopped && let_messages_arrive(s);
    const uint64_t begin = kept ? s->base.now : 0;
    const bool is_written = !kept && s->wiring.start == SIM_WRITTEN;
    if (is_written && !s->failure.out_of_memory) {
        const col_status status = write_locations(s, program, seed, observer, problem);
        if (status != COL_OK)
            return status;
    }
    s->observer = observer;
    const uint32_t kinds = observer == NULL ? 0 : observer->kinds;
    s->base.watch_transitions = (kinds & 1U << COL_TRANSITION) != 0;
    s->base.watch_messages = (kinds & (1U << COL_MESSAGE_SENT | 1U << COL_MESSAGE_RECEIVED)) != 0;
    s->watch_cores =
        (kinds & (1U << COL_OPERATION_ISSUED | 1U << COL_LOAD_BOUND | 1U << COL_LOAD_SQUASHED)) !=
        0;
    s->messages = 0;
    if (is_written ? can_go_on(s) : !s->failure.out_of_memory)
        run_instance(s, program, seed, kept ? WARM : is_written ? WRITTEN : NOTHING);
    *result = (sim_result){.cycles = s->base.now - begin, .operations = s->operations_done};
    if (s->failure.out_of_memory) {
        s->failure.happened = true; /* nothing of this instance can be kept */
        return base_out_of_memory(problem);
    }
    return COL_OK;
}

/*
 * Telling an observer of messages and of what cores do before operations perform. Nobody comes here
 * unless an observer asked for it: a run without one pays a test of a flag.
 */

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

typedef struct party {
    uint32_t machine, controller;
} party;

static party party_of(const sim_system *s, uint32_t id) {
    if (id == SIM_MEMORY)
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
    sim_system *s = sim_of(buffer->system);
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

void sim_tell_made(sim_system *s, sl_message *message, uint32_t from, uint32_t to) {
    number(s, message, from);
    tell(s, COL_MESSAGE_SENT, message, to);
    if (to == SIM_MEMORY) /* it acts at once */
        tell(s, COL_MESSAGE_RECEIVED, message, to);
}

void sim_tell_received(sl_buffer *buffer, const sl_message *message) {
    tell(sim_of(buffer->system), COL_MESSAGE_RECEIVED, message, buffer->owner->id);
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

/*
 * Where the system's memory comes from: blocks that are freed together, and counted. Large blocks
 * are pages of their own, which are zero when they are first touched: most of a large cache never
 * is, and a system that is built for every test must not pay for it.
 */

enum { LARGE = 64 << 10 };

struct sim_block {
    struct sim_block *next, **to_here;
    size_t size;
    void *allocated;
    size_t mapped;      /* bytes of pages of its own; 0: it is from the heap */
    uint64_t unused[3]; /* what follows starts on a line of the host's cache */
};
_Static_assert(sizeof(struct sim_block) == 64, "blocks keep the alignment");

static void release(struct sim_block *block) {
    if (block->mapped > 0)
        (void)munmap(block->allocated, block->mapped);
    else
        free(block->allocated);
}

/* Zeroed, at the beginning of a line of the host's cache; NULL: out of memory. */
static struct sim_block *allocate(size_t size) {
    const size_t all = sizeof(struct sim_block) + size;
    if (size >= LARGE) {
        void *pages = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (pages == MAP_FAILED)
            return NULL;
        struct sim_block *block = pages;
        block->allocated = pages;
        block->mapped = all;
        return block;
    }
    uint8_t *allocated = calloc(1, all + 64);
    if (allocated == NULL)
        return NULL;
    struct sim_block *block =
        (struct sim_block *)(void *)(allocated + (64 - (uintptr_t)allocated % 64) % 64);
    block->allocated = allocated;
    return block;
}

/* Zeroed; the content is kept when an old block grows. Running out of memory ends the run. */
void *sim_grow(sl_system *base, void *old, size_t size) {
    sim_system *s = sim_of(base);
    struct sim_block *fresh = allocate(size);
    if (fresh == NULL) {
        sim_out_of_memory(s);
        return NULL; /* not reached */
    }
    s->allocations++;
    fresh->size = size;
    fresh->next = s->blocks;
    fresh->to_here = &s->blocks;
    if (s->blocks != NULL)
        s->blocks->to_here = &fresh->next;
    s->blocks = fresh;
    if (old != NULL) {
        struct sim_block *block = (struct sim_block *)old - 1;
        memcpy(fresh + 1, old, block->size < size ? block->size : size);
        *block->to_here = block->next;
        if (block->next != NULL)
            block->next->to_here = block->to_here;
        release(block);
    }
    return fresh + 1;
}

void sim_free_all(sim_system *s) {
    while (s->blocks != NULL) {
        struct sim_block *next = s->blocks->next;
        release(s->blocks);
        s->blocks = next;
    }
}
