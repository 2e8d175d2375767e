/* SPDX-License-Identifier: MIT */
/*
 * Where a core meets its private caches: accesses under way, at most one to a block, and what the
 * protocol says of them. What an operation's performing means to monitors and observers is the same
 * for all cores and stands here too.
 */
#include "protocol/simulate/core.h"
#include "protocol/simulate/system.h"

enum {
    LONGEST_PAUSE = 32, /* cycles before a load-linked is tried again */
    MOST_FAILURES =
        16, /* before the atomic is made in one step: no cache promises that two succeed */
};

void sim_core_start(sim_core *core, uint64_t offset) {
    sim_system *s = core->system;
    core->access_count = 0;
    core->next = core->end = 0;
    core->not_before = 0;
    if (core->number < s->program->thread_count) {
        core->next = s->program->thread_start[core->number];
        core->end = s->program->thread_start[core->number + 1];
    }
    if (core->pipeline != NULL)
        sim_pipeline_start(core);
    sl_wake(&s->base, core->id, s->base.now + 1 + offset);
}

void sim_core_finish(sim_core *core) {
    if (core->end == UINT32_MAX)
        return; /* counted once */
    core->end = core->next = UINT32_MAX;
    core->system->cores_running--;
}

void sim_core_delay(sim_core *core, uint32_t cycles) {
    sim_system *s = core->system;
    core->not_before = s->base.now + cycles;
    if (s->last_progress < core->not_before)
        s->last_progress = core->not_before;
}

/* ---- Accesses. */

/* The controller may serve another core, which has locked the block. */
bool sim_sequencer_busy(const sim_core *core, sl_address block) {
    if (COL_RARELY(core->controller->lock_count > 0) &&
        sl_find_lock(core->controller, block) != NULL)
        return true;
    for (uint32_t i = 0; i < core->access_count; i++)
        if (core->accesses[i].block == block)
            return true;
    return false;
}

bool sim_is_access(const sim_core *core, const col_operation *operation) {
    if (operation->kind == COL_FLUSH)
        return sl_takes(core->controller->machine, SL_FLUSH);
    if (operation->kind == COL_FETCH)
        return sl_takes(core->fetcher->machine, SL_IFETCH);
    if (operation->kind == COL_PREFETCH)
        return false;
    if (operation->kind == COL_FENCE)
        return sl_takes(core->controller->machine, SL_ACQUIRE) &&
               (operation->fence & COL_WRITE_READ) != 0;
    return col_kinds[operation->kind].located;
}

int32_t sim_request_type(const sim_core *core, const col_operation *operation) {
    const col_kind_traits *facts = &col_kinds[operation->kind];
    if (operation->kind == COL_FLUSH)
        return SL_FLUSH;
    if (operation->kind == COL_FETCH)
        return SL_IFETCH;
    if (operation->kind == COL_FENCE)
        return SL_ACQUIRE;
    if (facts->reads && facts->writes && sl_takes(core->controller->machine, SL_ACQUIRE))
        return SL_ATOMIC;
    return facts->writes ? SL_ST : SL_LD;
}

/* Of an atomic: one of the ways that the core has, by chance; one that may fail is linked. */
static sim_way choose_way(const sim_core *core, const col_kind_traits *facts) {
    uint32_t ways[SIM_WAY_COUNT], count = 0;
    if (facts->fails && (core->ways >> SIM_LINKED & 1) != 0)
        return SIM_LINKED;
    for (uint32_t w = 0; w < SIM_WAY_COUNT; w++)
        if ((core->ways >> w & 1) != 0)
            ways[count++] = w;
    if (count == 1)
        return (sim_way)ways[0];
    return (sim_way)ways[(sl_random(&core->system->base) >> 32) * count >> 32];
}

static sl_address address_of(const sim_core *core, uint32_t operation, int32_t type) {
    const col_program *program = core->system->program;
    return type == SL_ACQUIRE ? SL_NOWHERE
                              : program->addresses[program->operations[operation].location];
}

sl_request *sim_request_new(sl_system *base, sl_address address, int32_t type, uint32_t core) {
    sl_request *request = sl_message_new(base, SL_REQUEST_MESSAGE);
    *request = (sl_request){.header = request->header,
                            .LineAddress = sl_line(address),
                            .PhysicalAddress = address,
                            .Type = type,
                            .AccessMode = 1,
                            .Size = COL_WORD_BYTES,
                            .contextId = (int32_t)core};
    return request;
}

/* To load, to store or to fetch, by chance. */
void sim_sequencer_prefetch(sim_core *core, const col_operation *operation) {
    static const int32_t types[] = {SL_LD, SL_ST, SL_IFETCH};
    sim_system *s = core->system;
    const bool fetches = core->fetcher == core->controller;
    const uint32_t count = fetches && sl_takes(core->controller->machine, SL_IFETCH) ? 3 : 2;
    const sl_address address = s->program->addresses[operation->location];
    if (core->prefetches == NULL)
        return;
    const int32_t type = types[(sl_random(&s->base) >> 32) * count >> 32];
    sl_request *request = sim_request_new(&s->base, address, type, core->number);
    request->Prefetch = SL_PREFETCH;
    request->AccessMode = 0;
    if (COL_RARELY(s->base.watch_messages))
        sim_tell_made(s, &request->header, core->id, core->controller->id);
    sl_buffer_put(core->prefetches, &request->header, 1);
}

static void send_request(sim_core *core, const sim_access *access, sl_cycles delay) {
    sim_system *s = core->system;
    const bool is_fetch = access->type == SL_IFETCH;
    const bool is_locked = access->type == SL_LOCKED_READ || access->type == SL_LOCKED_WRITE;
    sl_request *request =
        sim_request_new(&s->base, address_of(core, access->operation, access->type),
                        is_locked ? SL_ST : access->type, core->number);
    if (COL_RARELY(s->base.watch_messages))
        sim_tell_made(s, &request->header, core->id,
                      (is_fetch ? core->fetcher : core->controller)->id);
    sl_buffer_put(is_fetch ? core->fetches : core->requests, &request->header, delay);
}

void sim_sequencer_issue(sim_core *core, uint32_t operation, int32_t type) {
    sim_system *s = core->system;
    sim_access *access = &core->accesses[core->access_count++];
    *access = (sim_access){.operation = operation,
                           .type = type,
                           .block = sl_line(address_of(core, operation, type)),
                           .issued = s->base.now};
    const col_kind_traits *facts = &col_kinds[s->program->operations[operation].kind];
    if (COL_RARELY(facts->reads && facts->writes && type == SL_ST)) {
        access->way = choose_way(core, facts);
        if (access->way == SIM_LINKED)
            access->type = SL_LD;
        else if (access->way == SIM_LOCKED)
            access->type = SL_LOCKED_READ;
    }
    if (COL_RARELY(s->watch_cores))
        sim_tell_core(core, &(col_event){.kind = COL_OPERATION_ISSUED, .operation = operation});
    send_request(core, access, 1);
}

/* Is a DMA engine in the place of a core? */
static bool is_io(const sl_controller *c) {
    const sim_system *s = sim_of(c->system);
    return c->core == UINT32_MAX && s->wiring.machines[sim_machine_of(s, c)].is_io;
}

/* The core in front of a controller with a sequencer. */
static sim_core *core_of(sl_controller *c) {
    if (COL_RARELY(c->core >= sim_of(c->system)->wiring.cores || sim_of(c->system)->cores == NULL))
        sl_fail(c, "a machine without a core calls a sequencer", NULL);
    return &sim_of(c->system)->cores[c->core + c->sequencer];
}

/* Takes the access to the block out of the list. */
static sim_access complete(sl_controller *c, sl_address block, bool as_load) {
    sim_core *core = core_of(c);
    for (uint32_t i = 0; i < core->access_count; i++) {
        if (core->accesses[i].block != block)
            continue;
        const sim_access access = core->accesses[i];
        if ((access.type == SL_LD || access.type == SL_IFETCH) != as_load)
            sl_fail(c,
                    as_load ? "the protocol completes a store or flush as a load"
                            : "the protocol completes a load as a store",
                    NULL);
        core->access_count--;
        for (; i < core->access_count; i++)
            core->accesses[i] = core->accesses[i + 1];
        return access;
    }
    sl_fail(c, "the protocol completes an access that the core did not make", NULL);
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

/*
 * The simple requester: a core that issues the operations of its thread in order, up to this many
 * at once, never two to one block, and performs them as the protocol brings the blocks. A fence
 * waits for everything before it; so do awaits, swaps and adds, and what follows them. It promises
 * coherence, and no order between locations beyond that.
 */

static bool is_alone(const col_operation *operation) {
    return operation->kind == COL_SWAP || operation->kind == COL_ADD ||
           operation->kind == COL_CONDITIONAL || operation->kind == COL_AWAIT ||
           operation->kind == COL_FENCE;
}

/* May the next operation start now? */
static bool may_issue(const sim_core *core, const col_operation *operation) {
    const sim_system *s = core->system;
    if (core->access_count == 0)
        return true;
    const col_operation *oldest = &s->program->operations[core->accesses[0].operation];
    if (is_alone(operation) || is_alone(oldest) || operation->dependency != 0 ||
        operation->order != 0 || oldest->order != 0)
        return false;
    return core->access_count < s->wiring.core.outstanding &&
           !sim_sequencer_busy(core, sl_line(s->program->addresses[operation->location]));
}

static void requester_step(sim_core *core) {
    sim_system *s = core->system;
    while (core->next < core->end) {
        const col_operation *operation = &s->program->operations[core->next];
        if (s->base.now < core->not_before) {
            sl_wake(&s->base, core->id, core->not_before);
            return;
        }
        if (COL_RARELY(col_kinds[operation->kind].dma) && sim_dma_takes(s, operation)) {
            if (!sim_dma_hand_over(core, core->next))
                return;
            core->next++;
            continue;
        }
        if (!sim_is_access(core, operation)) {
            if (core->access_count > 0)
                return;
            if (operation->kind == COL_DELAY)
                sim_core_delay(core, operation->location);
            else if (operation->kind == COL_PREFETCH)
                sim_sequencer_prefetch(core, operation);
            core->next++;
            s->operations_done++;
            continue;
        }
        if (!may_issue(core, operation))
            return;
        sim_sequencer_issue(core, core->next, sim_request_type(core, operation));
        core->next++;
    }
    if (core->access_count == 0)
        sim_core_finish(core);
}

static void requester_loaded(sim_core *core, const sim_access *access, const sl_data *data,
                             col_source source) {
    sim_system *s = core->system;
    const col_operation *operation = &s->program->operations[access->operation];
    const uint64_t word = data->words[sim_word_of(s, operation)];
    sl_wake(&s->base, core->id, s->base.now + 1);
    if (operation->kind == COL_AWAIT && word != operation->value) {
        core->next = access->operation; /* once more, a little later */
        core->not_before = s->base.now + SIM_AWAIT_PAUSE;
        return;
    }
    sim_perform_load(core, access->operation, word, source, access->issued);
}

static void requester_stored(sim_core *core, const sim_access *access, sl_data *data,
                             col_source source) {
    sl_wake(&core->system->base, core->id, core->system->base.now + 1);
    if (sim_is_wordless(access->type))
        sim_count_performed(core->system);
    else
        sim_perform_store(core, access->operation, data, source, sim_word_read(access));
}

/* A conditional has failed: it performs as a load of what its first step read. */
static void requester_failed(sim_core *core, const sim_access *access) {
    sl_wake(&core->system->base, core->id, core->system->base.now + 1);
    sim_perform_load(core, access->operation, access->word, (col_source)access->source,
                     access->issued);
}

void sim_core_step(sim_core *core) {
    if (core->pipeline != NULL)
        sim_pipeline_step(core);
    else
        requester_step(core);
}

/* ---- Atomics in two steps: a load-linked, and a store-conditional that fails if the block was
 * lost in between, and then both are tried again; or a read that locks the block, and a write. */

static sl_cycles pause_of(const sim_core *core, uint32_t most) {
    return 1 + ((sl_random(&core->system->base) >> 32) * (most + 1) >> 32);
}

static sim_access *find_step(sl_controller *c, sl_address block, sim_way way, int32_t type) {
    sim_core *core = core_of(c);
    for (uint32_t i = 0; (core->ways >> way & 1) != 0 && i < core->access_count; i++) {
        sim_access *access = &core->accesses[i];
        if (access->block == block && access->way == way && access->type == type)
            return access;
    }
    return NULL;
}

/* The first step is done. */
static void step_on(sim_core *core, sim_access *access, const sl_data *data, int32_t type,
                    col_source source) {
    const sim_system *s = core->system;
    access->source = (uint8_t)source;
    access->word = data->words[sim_word_of(s, &s->program->operations[access->operation])];
    access->type = type;
    access->lost = false;
    send_request(core, access, pause_of(core, s->wiring.core.jitter));
}

/* A conditional is tried once; swaps and adds are tried again. */
static void fail_to_store(sl_controller *c, sim_access *access) {
    sim_core *core = core_of(c);
    if (col_kinds[core->system->program->operations[access->operation].kind].fails) {
        const sim_access failed = complete(c, access->block, false);
        if (core->pipeline != NULL)
            sim_pipeline_failed(core, &failed);
        else
            requester_failed(core, &failed);
        return;
    }
    access->way = ++access->failures < MOST_FAILURES ? SIM_LINKED : SIM_SINGLE;
    access->type = access->way == SIM_LINKED ? SL_LD : SL_ST;
    send_request(core, access, pause_of(core, LONGEST_PAUSE));
}

bool sim_is_linked(sl_controller *c, sl_address address) {
    const sim_access *access = find_step(c, sl_line(address), SIM_LINKED, SL_STORE_CONDITIONAL);
    return access != NULL && !access->lost;
}

void sim_store_failed(sl_controller *c, sl_address address) {
    sim_access *access = find_step(c, sl_line(address), SIM_LINKED, SL_STORE_CONDITIONAL);
    if (access == NULL)
        sl_fail(c, "the protocol fails a store-conditional that the core did not make", NULL);
    fail_to_store(c, access);
}

/* ---- What the protocol says. */

void sim_load_done(sl_controller *c, sl_address address, const sl_data *data, bool external,
                   uint32_t machine_type) {
    sim_system *s = sim_of(c->system);
    if (COL_RARELY(is_io(c))) {
        sim_dma_read_done(c, address, data);
        return;
    }
    sim_core *core = core_of(c);
    sim_access *linking = find_step(c, address, SIM_LINKED, SL_LD);
    const col_source source = source_of(s, external, machine_type);
    if (COL_RARELY(linking != NULL)) {
        step_on(core, linking, data, SL_STORE_CONDITIONAL, source);
        return;
    }
    const sim_access access = complete(c, address, true);
    if (access.type == SL_IFETCH) {
        /* No model orders a fetch, and no instruction is executed: its word must have been current
         * since it was asked for, which is for the monitor to say. */
        const col_operation *o = &s->program->operations[access.operation];
        const uint64_t word = data->words[sim_word_of(s, o)];
        if (COL_RARELY(s->dma_writes > 0))
            sim_dma_met(s, o->location, word);
        sim_count_performed(s);
        if (s->monitor != NULL)
            sim_monitor_load(s, o->location, word, access.issued);
        if (core->pipeline != NULL)
            sim_pipeline_fetched(core, &access);
        else
            sl_wake(&s->base, core->id, s->base.now + 1);
    } else if (core->pipeline != NULL) {
        sim_pipeline_loaded(core, &access, data, source);
    } else {
        requester_loaded(core, &access, data, source);
    }
}

void sim_store_done(sl_controller *c, sl_address address, sl_data *data, bool external,
                    uint32_t machine_type) {
    sim_system *s = sim_of(c->system);
    if (COL_RARELY(is_io(c))) {
        sim_dma_store_through(c, address, data);
        return;
    }
    sim_core *core = core_of(c);
    const col_source source = source_of(s, external, machine_type);
    sim_access *linked = find_step(c, address, SIM_LINKED, SL_STORE_CONDITIONAL);
    if (COL_RARELY(linked != NULL && linked->lost)) {
        fail_to_store(c, linked);
        return;
    }
    sim_access *locking = find_step(c, address, SIM_LOCKED, SL_LOCKED_READ);
    if (COL_RARELY(locking != NULL)) {
        sl_lock_block(c, address, core->requests);
        step_on(core, locking, data, SL_LOCKED_WRITE, source);
        return;
    }
    const sim_access access = complete(c, address, false);
    if (COL_RARELY(access.type == SL_LOCKED_WRITE)) {
        /* Cores at the same controller may wait for the block. */
        const uint32_t cores = s->wiring.machines[sim_machine_of(s, c)].sequencers;
        sl_unlock_block(c, address);
        for (uint32_t i = 0; i < cores; i++)
            sl_wake(&s->base, s->cores[c->core + i].id, s->base.now + 1);
    }
    if (core->pipeline != NULL)
        sim_pipeline_stored(core, &access, data, source);
    else
        requester_stored(core, &access, data, source);
}

void sim_evicted(sl_controller *c, sl_address address) {
    sim_system *s = sim_of(c->system);
    if (COL_RARELY(is_io(c)))
        return; /* engines keep nothing that could be lost */
    sim_core *core = core_of(c);
    if (c != core->controller)
        return; /* the instruction side: loads may still have the block */
    for (uint32_t i = 0; i < core->access_count; i++)
        if (core->accesses[i].block == address)
            core->accesses[i].lost = true;
    if (core->pipeline != NULL)
        sim_pipeline_evicted(core, address);
    const col_event event = {
        .kind = COL_EVICTION, .cycle = s->base.now, .core = core->number, .block = address};
    sim_notice(s, &event);
}

/* ---- Performing. */

uint32_t sim_word_of(const sim_system *s, const col_operation *operation) {
    return (uint32_t)(s->program->addresses[operation->location] & (SL_BLOCK_BYTES - 1)) /
           COL_WORD_BYTES;
}

void sim_count_performed(sim_system *s) {
    s->operations_done++;
    s->last_served = s->base.now;
    if (s->last_progress < s->base.now)
        s->last_progress = s->base.now;
}

void sim_perform_load(sim_core *core, uint32_t operation, uint64_t word, col_source source,
                      uint64_t issued) {
    sim_system *s = core->system;
    const uint32_t location = s->program->operations[operation].location;
    if (COL_RARELY(s->dma_writes > 0))
        sim_dma_met(s, location, word);
    sim_count_performed(s);
    /* What came from the store buffer is not in memory yet. */
    if (s->monitor != NULL && source != COL_FROM_STORE_BUFFER)
        sim_monitor_load(s, location, word, issued);
    const col_event event = {.kind = COL_LOAD_PERFORMED,
                             .cycle = s->base.now,
                             .core = core->number,
                             .operation = operation,
                             .word = word,
                             .block = sl_line(s->program->addresses[location]),
                             .source = source};
    sim_notice(s, &event);
}

void sim_perform_store(sim_core *core, uint32_t operation, sl_data *data, col_source source,
                       const uint64_t *read) {
    sim_system *s = core->system;
    const col_operation *o = &s->program->operations[operation];
    uint64_t *word = &data->words[sim_word_of(s, o)];
    const uint64_t overwritten = *word;
    const uint64_t returned = read != NULL ? *read : overwritten;
    *word = (o->kind == COL_ADD ? returned : 0) + col_program_operand(s->program, o);
    if (COL_RARELY(s->dma_writes > 0))
        sim_dma_met(s, o->location, overwritten);
    sim_report_store(core, operation, overwritten, *word, returned, source);
}

void sim_report_store(sim_core *core, uint32_t operation, uint64_t overwritten, uint64_t word,
                      uint64_t returned, col_source source) {
    sim_system *s = core->system;
    const col_operation *o = &s->program->operations[operation];
    sim_count_performed(s);
    if (COL_RARELY(s->dma_count > 0))
        s->last_words[o->location] = word;
    if (s->monitor != NULL)
        sim_monitor_store(s, o->location, overwritten, word);
    const col_event event = {.kind = COL_STORE_PERFORMED,
                             .cycle = s->base.now,
                             .core = core->number,
                             .operation = operation,
                             .word = word,
                             .overwritten = overwritten,
                             .read = returned,
                             .block = sl_line(s->program->addresses[o->location]),
                             .source = source};
    sim_notice(s, &event);
}
