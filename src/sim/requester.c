/* SPDX-License-Identifier: MIT */
/*
 * The simple requester in front of each sequencer: it issues the operations of its thread in order,
 * up to so many at once, never two to one block, and performs them when the protocol says the block
 * is there. A fence waits for everything before it; so do awaits, swaps and adds, and what follows
 * them. Out-of-order cores take its place through the same calls.
 */
#include "sim/system.h"

static sim_system *system_of(sl_controller *c) {
    return (sim_system *)(void *)c->system;
}

static bool is_atomic(const col_operation *operation) {
    return operation->kind == COL_SWAP || operation->kind == COL_ADD ||
           operation->kind == COL_AWAIT;
}

static bool is_busy(const sim_core *core, sl_address block) {
    for (uint32_t i = 0; i < core->access_count; i++)
        if (core->accesses[i].block == block)
            return true;
    return false;
}

static void issue(sim_core *core, uint32_t index) {
    sim_system *s = core->system;
    const col_operation *operation = &s->program->operations[index];
    const sl_address address = s->program->addresses[operation->location];
    core->accesses[core->access_count++] =
        (sim_access){.operation = index, .block = sl_line(address), .issued = s->base.now};
    sl_request *request = sl_message_new(&s->base, SL_REQUEST_MESSAGE);
    const sl_message header = request->header;
    *request = (sl_request){.LineAddress = sl_line(address),
                            .PhysicalAddress = address,
                            .Type = col_kinds[operation->kind].writes ? SL_ST : SL_LD,
                            .AccessMode = 1,
                            .Size = COL_WORD_BYTES,
                            .contextId = (int32_t)core->number};
    request->header = header;
    sl_buffer_put(core->requests, &request->header, 1);
}

/* May the next operation start now? */
static bool may_issue(const sim_core *core, const col_operation *operation) {
    const sim_system *s = core->system;
    if (core->access_count > 0) {
        const col_operation *oldest = &s->program->operations[core->accesses[0].operation];
        if (is_atomic(operation) || is_atomic(oldest) || operation->dependency != 0 ||
            operation->order != 0 || oldest->order != 0)
            return false;
    }
    return core->access_count < s->wiring.outstanding &&
           !is_busy(core, sl_line(s->program->addresses[operation->location]));
}

/* Time that passes because the program says so is no lack of progress. */
static void delay(sim_core *core, uint32_t cycles) {
    sim_system *s = core->system;
    core->not_before = s->base.now + cycles;
    if (s->last_progress < core->not_before)
        s->last_progress = core->not_before;
}

void sim_core_step(sim_core *core) {
    sim_system *s = core->system;
    while (core->next < core->end) {
        const col_operation *operation = &s->program->operations[core->next];
        if (s->base.now < core->not_before) {
            sl_wake(&s->base, core->id, core->not_before);
            return;
        }
        if (operation->kind == COL_FENCE || operation->kind == COL_DELAY ||
            operation->kind == COL_FLUSH) {
            if (core->access_count > 0)
                return;
            if (operation->kind == COL_DELAY)
                delay(core, operation->location);
            core->next++;
            s->operations_done++;
            continue;
        }
        if (!may_issue(core, operation))
            return;
        issue(core, core->next++);
    }
    if (core->access_count == 0 && core->end != UINT32_MAX) {
        core->end = UINT32_MAX; /* counted once */
        core->next = UINT32_MAX;
        s->cores_running--;
    }
}

void sim_core_start(sim_core *core, uint64_t offset) {
    sim_system *s = core->system;
    core->access_count = 0;
    core->next = core->end = 0;
    core->not_before = 0;
    if (core->number < s->program->thread_count) {
        core->next = s->program->thread_start[core->number];
        core->end = s->program->thread_start[core->number + 1];
    }
    sl_wake(&s->base, core->id, s->base.now + 1 + offset);
}

/* An await that must look again is no progress. */
static void count_performed(sim_system *s) {
    s->operations_done++;
    if (s->last_progress < s->base.now)
        s->last_progress = s->base.now;
}

static const col_operation *complete(sl_controller *c, sl_address address, sim_access *access) {
    sim_system *s = system_of(c);
    sim_core *core = &s->cores[c->core];
    for (uint32_t i = 0; i < core->access_count; i++) {
        if (core->accesses[i].block != address)
            continue;
        *access = core->accesses[i];
        core->access_count--;
        for (; i < core->access_count; i++)
            core->accesses[i] = core->accesses[i + 1];
        sl_wake(&s->base, core->id, s->base.now + 1);
        return &s->program->operations[access->operation];
    }
    sl_fail(c, "the protocol completes an access that the core did not make", NULL);
    return NULL;
}

static uint32_t word_of(const sim_system *s, const col_operation *operation) {
    return (uint32_t)(s->program->addresses[operation->location] & (SL_BLOCK_BYTES - 1)) / 8;
}

/* What the protocol says of where the data came from. */
static col_source source_of(const sim_system *s, bool external, uint32_t machine_type) {
    if (!external)
        return COL_FROM_PRIVATE_CACHE;
    for (uint32_t m = 0; m < s->protocol->machine_count; m++) {
        const sim_machine_wiring *w = &s->wiring.machines[m];
        if (s->protocol->machines[m]->type != machine_type)
            continue;
        if (w->is_private) /* a further private level is the core's own */
            return w->has_sequencer ? COL_FROM_OTHER_CORE : COL_FROM_PRIVATE_CACHE;
        return w->memory_side ? COL_FROM_MEMORY : COL_FROM_SHARED_LEVEL;
    }
    return COL_FROM_UNKNOWN;
}

void sim_load_done(sl_controller *c, sl_address address, const sl_data *data, bool external,
                   uint32_t machine_type) {
    sim_system *s = system_of(c);
    sim_access access = {0};
    const col_operation *operation = complete(c, address, &access);
    const uint64_t word = data->words[word_of(s, operation)];
    if (operation->kind == COL_AWAIT && word != operation->value) {
        sim_core *core = &s->cores[c->core];
        core->next = access.operation; /* once more, a little later */
        core->not_before = s->base.now + 8;
        return;
    }
    count_performed(s);
    if (s->monitor != NULL)
        sim_monitor_load(s, operation->location, word, access.issued);
    const col_event event = {.kind = COL_LOAD_PERFORMED,
                             .cycle = s->base.now,
                             .core = c->core,
                             .operation = access.operation,
                             .word = word,
                             .block = address,
                             .source = source_of(s, external, machine_type)};
    sim_notice(s, &event);
}

void sim_store_done(sl_controller *c, sl_address address, sl_data *data, bool external,
                    uint32_t machine_type) {
    sim_system *s = system_of(c);
    sim_access access = {0};
    const col_operation *operation = complete(c, address, &access);
    uint64_t *word = &data->words[word_of(s, operation)];
    const uint64_t overwritten = *word;
    const uint64_t operand = col_operation_operand(operation);
    *word = operation->kind == COL_ADD ? overwritten + operand : operand;
    count_performed(s);
    if (s->monitor != NULL)
        sim_monitor_store(s, operation->location, overwritten, *word);
    const col_event event = {.kind = COL_STORE_PERFORMED,
                             .cycle = s->base.now,
                             .core = c->core,
                             .operation = access.operation,
                             .word = *word,
                             .overwritten = overwritten,
                             .block = address,
                             .source = source_of(s, external, machine_type)};
    sim_notice(s, &event);
}

void sim_evicted(sl_controller *c, sl_address address) {
    sim_system *s = system_of(c);
    const col_event event = {
        .kind = COL_EVICTION, .cycle = s->base.now, .core = c->core, .block = address};
    sim_notice(s, &event);
}
