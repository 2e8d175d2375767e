/* SPDX-License-Identifier: MIT */
/* Running one instance: the event loop, its end, and what stops it early. */
#include "sim/system.h"

#include "base/rng.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void sim_notice(sim_system *s, const col_event *event) {
    if (s->observer != NULL && (s->observer->kinds >> event->kind & 1) != 0)
        s->observer->notice(s->observer->context, event);
}

/* Ends the run: control goes back to sim_system_run. */
void sim_fail(sim_system *s, const col_event *event, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(s->failure.text, sizeof s->failure.text, format, arguments);
    va_end(arguments);
    s->failure.happened = true;
    s->failure.event = *event;
    s->failure.event.cycle = s->base.now;
    s->failure.event.message = s->failure.text;
    sim_notice(s, &s->failure.event);
    longjmp(s->escape, 1);
}

void sim_out_of_memory(sim_system *s) {
    s->failure.out_of_memory = true;
    longjmp(s->escape, 1);
}

/* ---- Deadlock. */

enum { MOST_LISTED = 3 }; /* of waiting cores, and of queues */

typedef struct stuck_text {
    char text[384];
} stuck_text;

static COL_PRINTF(2, 3) void add(stuck_text *stuck, const char *format, ...) {
    const size_t used = strlen(stuck->text);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(stuck->text + used, sizeof stuck->text - used, format, arguments);
    va_end(arguments);
}

static void list_accesses(const sim_system *s, stuck_text *stuck) {
    uint32_t waiting = 0;
    for (uint32_t i = 0; i < s->wiring.cores; i++) {
        const sim_core *core = &s->cores[i];
        for (uint32_t a = 0; a < core->access_count; a++)
            if (waiting++ < MOST_LISTED)
                add(stuck, "; core %u waits for block 0x%llx since cycle %llu", i,
                    (unsigned long long)core->accesses[a].block,
                    (unsigned long long)core->accesses[a].issued);
    }
    if (waiting > MOST_LISTED)
        add(stuck, "; %u more accesses wait", waiting - MOST_LISTED);
}

static const char *first_message(const sim_system *s, const sl_buffer *buffer) {
    const sl_message *first =
        buffer->count > 0 ? buffer->ring[buffer->head].message : buffer->waiting[0].slot.message;
    return s->protocol->messages[first->type].name;
}

static void list_queues(const sim_system *s, stuck_text *stuck) {
    uint32_t filled = 0;
    for (uint32_t i = 0; i < s->base.controller_count; i++) {
        const sl_controller *c = s->controllers[i];
        for (uint32_t b = 0; b < c->in_buffer_count; b++) {
            const sl_buffer *buffer = c->in_buffers[b];
            const uint32_t messages = buffer->count + buffer->waiting_count;
            if (messages > 0 && filled++ < MOST_LISTED)
                add(stuck, "; %s %u has %u messages in %s, first a %s", c->machine->name, c->number,
                    messages, buffer->name, first_message(s, buffer));
        }
    }
    if (filled > MOST_LISTED)
        add(stuck, "; so have %u more queues", filled - MOST_LISTED);
}

static void report_deadlock(sim_system *s) {
    stuck_text stuck = {""};
    const col_event event = {.kind = COL_DEADLOCK};
    list_accesses(s, &stuck);
    list_queues(s, &stuck);
    sim_fail(s, &event, "no operation completes since cycle %llu%s",
             (unsigned long long)s->last_progress, stuck.text);
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

static void wake_one(sim_system *s, uint32_t id) {
    if (id >= s->base.controller_count) {
        sim_core_step(&s->cores[id - s->base.controller_count]);
        return;
    }
    sl_controller *c = s->controllers[id];
    if (c->last_wakeup == s->base.now)
        return;
    c->last_wakeup = s->base.now;
    s->awake = c;
    c->machine->wakeup(c);
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
    static const volatile int never = 0;
    const volatile int *stop = s->stop != NULL ? s->stop : &never;
    while (s->cores_running > 0) {
        if (SL_RARELY(*stop != 0)) {
            s->stopped = true;
            return;
        }
        const uint64_t time = next_time(&s->base);
        if (time == UINT64_MAX || time > s->last_progress + s->wiring.deadlock_cycles)
            report_deadlock(s);
        s->base.now = time;
        if (SL_RARELY(s->base.far_count > 0))
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
    for (uint32_t i = 0; i < b->waiting_count; i++)
        sl_message_release(b->system, b->waiting[i].slot.message);
    b->waiting_count = 0;
    b->last_time = 0;
    if (b->last_to != NULL)
        memset(b->last_to, 0, b->system->controller_count * sizeof *b->last_to);
}

static void clear_table(sl_table *t) {
    for (uint32_t i = 0; i <= t->mask && t->count > 0; i++)
        while (t->places[i] != NULL)
            sl_table_deallocate(t, t->places[i]->address);
}

static void clear_member(sl_controller *c, const sl_member *m) {
    void *pointer;
    memcpy(&pointer, (const uint8_t *)c + m->offset, sizeof pointer);
    switch (m->kind) {
    case SL_MEMBER_BUFFER:
        clear_buffer(pointer);
        break;
    case SL_MEMBER_CACHE: {
        sl_cache *cache = pointer;
        memset(cache->tags, 0, (cache->index_mask + 1) * cache->ways * sizeof *cache->tags);
        memset(cache->plru, 0, (cache->index_mask + 1) * sizeof *cache->plru);
        break;
    }
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
        c->last_wakeup = UINT64_MAX;
    }
    clear_table(s->memory);
    for (uint32_t i = 0; i < SL_WHEEL_SLOTS; i++)
        s->base.wheel[i].count = 0;
    memset(s->base.wheel_bits, 0, SL_WHEEL_SLOTS / 64 * sizeof *s->base.wheel_bits);
    s->base.far_count = 0;
    s->base.now = s->base.order = 0;
}

/* ---- Warm instances: blocks stay where they are, with words of 0. */

static void zero_cache(sl_cache *cache, uint32_t offset) {
    const uint64_t entries = (cache->index_mask + 1) * cache->ways;
    for (uint64_t i = 0; i < entries; i++)
        if (cache->tags[i] != 0)
            sl_data_clear((sl_data *)(void *)(cache->entries + i * cache->entry_size + offset));
}

static void zero_table(sl_table *table, uint32_t offset) {
    for (uint32_t i = 0; i <= table->mask; i++)
        if (table->places[i] != NULL)
            sl_data_clear((sl_data *)(void *)((uint8_t *)table->places[i] + offset));
}

static void zero_data(sim_system *s) {
    for (uint32_t i = 0; i < s->base.controller_count; i++) {
        sl_controller *c = s->controllers[i];
        for (uint32_t m = 0; m < c->machine->member_count && c->machine->data >= 0; m++) {
            void *pointer;
            memcpy(&pointer, (const uint8_t *)c + c->machine->members[m].offset, sizeof pointer);
            if (c->machine->members[m].kind == SL_MEMBER_CACHE)
                zero_cache(pointer, (uint32_t)c->machine->data);
            else if (c->machine->members[m].kind == SL_MEMBER_TABLE)
                zero_table(pointer, (uint32_t)c->machine->data);
        }
    }
    zero_table(s->memory, sizeof(sl_entry));
}

/* Lets messages that are still under way arrive. False: they do not come to an end. */
static bool settle(sim_system *s) {
    const uint64_t patience = s->base.now + s->wiring.deadlock_cycles;
    if (setjmp(s->escape) != 0)
        return false;
    for (uint64_t time; (time = next_time(&s->base)) != UINT64_MAX;) {
        if (time > patience)
            return false;
        s->base.now = time;
        if (s->base.far_count > 0)
            bring_near(s);
        run_cycle(s);
    }
    return true;
}

static void start(sim_system *s, const col_program *program, uint64_t seed) {
    col_rng rng;
    col_rng_seed(&rng, seed, 0);
    memcpy(s->base.random, rng.state, sizeof s->base.random);
    s->program = program;
    s->operations_done = 0;
    s->awake = NULL;
    s->failure.happened = false;
    s->failure.out_of_memory = false;
    s->stopped = false;
    s->last_progress = s->base.now;
    s->cores_running = s->wiring.cores;
    for (uint32_t i = 0; i < s->wiring.cores; i++)
        sim_core_start(&s->cores[i], (sl_random(&s->base) >> 32) * (s->wiring.jitter + 1) >> 32);
}

col_status sim_system_run(sim_system *s, const col_program *program, uint64_t seed, bool warm,
                          const col_observer *observer, sim_result *result, col_error *error) {
    if (program->thread_count > s->wiring.cores)
        return col_refuse(error, "the program has %u threads, the design %u cores",
                          program->thread_count, s->wiring.cores);
    const bool has_acquires = s->cores[0].controller->machine->takes_acquire;
    for (uint32_t l = 0; has_acquires && l < program->location_count; l++)
        if (program->addresses[l] >= SL_NOWHERE)
            return col_refuse(error, "the last block of all addresses is for fences, not for a%u",
                              l);
    /* What is still under way from the last instance is not this observer's. */
    s->observer = NULL;
    s->base.watch_transitions = false;
    s->base.watch_permissions = s->monitor != NULL;
    const bool kept = warm && !s->failure.happened && !s->stopped && settle(s);
    if (kept)
        zero_data(s);
    else
        sim_system_clear(s);
    s->observer = observer;
    s->base.watch_transitions = observer != NULL && (observer->kinds >> COL_TRANSITION & 1) != 0;
    const uint64_t begin = s->base.now;
    if (setjmp(s->escape) == 0) {
        start(s, program, seed);
        if (s->monitor != NULL)
            sim_monitor_start(s, kept);
        run_to_the_end(s);
    }
    *result = (sim_result){.cycles = s->base.now - begin, .operations = s->operations_done};
    if (s->failure.out_of_memory) {
        s->failure.happened = true; /* nothing of this instance can be kept */
        return col_out_of_memory(error);
    }
    return COL_OK;
}
