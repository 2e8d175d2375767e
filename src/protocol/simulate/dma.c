/* SPDX-License-Identifier: MIT */
/* DMA engines: see core.h. */
#include "protocol/simulate/system.h"

#include <string.h>

static const col_operation *at(const sim_system *s, const sim_dma_access *access) {
    return &s->program->operations[access->operation];
}

static bool is_write(const sim_system *s, const sim_dma_access *access) {
    return at(s, access)->kind == COL_DMA_WRITE;
}

/* ---- Beginning. */

static sl_buffer *request_queue(const sl_controller *c, bool is_io) {
    if (is_io) {
        const sl_member *requests = sim_request_queue(c->machine);
        return requests == NULL ? NULL : sim_member(c, requests);
    }
    for (uint32_t i = 0; i < c->in_buffer_count; i++)
        if (c->in_buffers[i]->message == SL_DMA_MESSAGE)
            return c->in_buffers[i];
    return NULL;
}

col_status sim_dma_new(sim_system *s, col_problem *problem) {
    for (uint32_t m = 0; m < s->protocol->machine_count; m++)
        s->dma_count += s->wiring.machines[m].has_dma ? s->wiring.machines[m].count : 0;
    if (s->dma_count == 0)
        return COL_OK;
    s->dmas = sim_grow(&s->base, NULL, s->dma_count * sizeof *s->dmas);
    sim_dma *dma = s->dmas;
    for (uint32_t i = 0; i < s->base.controller_count; i++) {
        sl_controller *c = s->controllers[i];
        const sim_machine_wiring *w = &s->wiring.machines[sim_machine_of(s, c)];
        if (!w->has_dma)
            continue;
        *dma = (sim_dma){.system = s,
                         .controller = c,
                         .requests = request_queue(c, w->is_io),
                         .is_io = w->is_io};
        dma->id = s->base.controller_count + s->wiring.cores + (uint32_t)(dma - s->dmas);
        if (dma->requests == NULL)
            return base_refuse(problem,
                               "the machine %s has a sequencer for DMA but no in_port for its "
                               "requests",
                               c->machine->name);
        dma++;
    }
    return COL_OK;
}

static uint32_t block_of(const sim_system *s, uint32_t location) {
    const sl_address block = sl_line(s->program->addresses[location]);
    return base_index_find(&s->dma_blocks, base_index_hash(block), NULL, NULL, NULL);
}

void sim_dma_start(sim_system *s) {
    s->dma_writes = 0;
    for (uint32_t i = 0; i < s->dma_count; i++) {
        s->dmas[i].access_count = 0;
        s->dmas[i].has_refused = false;
    }
    if (s->dma_count == 0)
        return;
    const uint32_t locations = s->program->location_count;
    if (locations > s->last_capacity) {
        s->last_words = sim_grow(&s->base, s->last_words, locations * sizeof *s->last_words);
        s->neighbours = sim_grow(&s->base, s->neighbours, locations * sizeof *s->neighbours);
        s->last_capacity = locations;
    }
    if (locations == 0)
        return;
    memset(s->last_words, 0, locations * sizeof *s->last_words);
    memset(s->neighbours, 0, locations * sizeof *s->neighbours);
    base_index_clear(&s->dma_blocks);
    if (base_index_reserve(&s->dma_blocks, locations, NULL) != COL_OK)
        sim_out_of_memory(s);
    for (uint32_t l = 0; l < locations; l++) {
        uint32_t block = block_of(s, l);
        if (block == BASE_NO_NUMBER) {
            block = (uint32_t)s->dma_blocks.count;
            const uint64_t hash = base_index_hash(sl_line(s->program->addresses[l]));
            (void)base_index_put(&s->dma_blocks, hash, NULL); /* there is room */
        }
        s->neighbours[block]++;
    }
}

/* ---- Handing over. */

/* Is no other location of the program in its block? Then the whole block can be written. */
static bool is_alone(const sim_system *s, uint32_t location) {
    return s->neighbours[block_of(s, location)] == 1;
}

bool sim_dma_takes(const sim_system *s, const col_operation *o) {
    if (s->dma_count == 0 || !col_kinds[o->kind].dma)
        return false;
    bool writes_whole = false; /* any of them does */
    for (uint32_t d = 0; d < s->dma_count; d++)
        writes_whole = writes_whole ||
                       s->wiring.machines[sim_machine_of(s, s->dmas[d].controller)].whole_blocks;
    return o->kind == COL_DMA_READ || !writes_whole || is_alone(s, o->location);
}

bool sim_dma_hand_over(sim_core *core, uint32_t operation) {
    sim_system *s = core->system;
    sim_dma *dma = &s->dmas[core->number % s->dma_count];
    if (dma->access_count == SIM_DMA_ACCESSES) {
        dma->has_refused = true;
        return false;
    }
    const uint64_t delay = (sl_random(&s->base) >> 32) * (s->wiring.jitter + 1) >> 32;
    sim_dma_access *access = &dma->accesses[dma->access_count++];
    *access =
        (sim_dma_access){.core = core, .operation = operation, .start_at = s->base.now + 1 + delay};
    access->block = sl_line(s->program->addresses[at(s, access)->location]);
    if (dma->access_count == 1)
        s->cores_running++;
    sl_wake(&s->base, dma->id, access->start_at);
    return true;
}

/* ---- Asking. */

/* Two writes to a block, by two engines, would have no order that shows from outside. */
static bool is_busy(const sim_system *s, const sim_dma *asking, const sim_dma_access *wanted) {
    for (uint32_t d = 0; d < s->dma_count; d++) {
        const sim_dma *dma = &s->dmas[d];
        for (uint32_t i = 0; i < dma->access_count; i++) {
            const sim_dma_access *other = &dma->accesses[i];
            if (other->is_started && other->block == wanted->block &&
                (dma == asking || (is_write(s, other) && is_write(s, wanted))))
                return true;
        }
    }
    return false;
}

/* As a DMA sequencer asks: the bytes are in the message. */
static sl_message *new_transfer(sim_dma *dma, const sim_dma_access *access, sl_address address,
                                bool is_whole) {
    const sim_system *s = dma->system;
    sl_dma_message *m = sl_message_new(&dma->system->base, SL_DMA_MESSAGE);
    *m = (sl_dma_message){.header = m->header,
                          .LineAddress = access->block,
                          .PhysicalAddress = address,
                          .Len = is_whole ? SL_BLOCK_BYTES : COL_WORD_BYTES,
                          .Type = is_write(s, access) ? SL_DMA_ST : SL_DMA_LD,
                          .AccessMode = 1};
    if (is_write(s, access))
        m->DataBlk.words[sim_word_of(s, at(s, access))] =
            col_program_operand(s->program, at(s, access));
    return &m->header;
}

/* As a core asks: the bytes are asked for later. */
static sl_message *new_request(sim_dma *dma, const sim_dma_access *access, sl_address address,
                               bool is_whole) {
    sim_system *s = dma->system;
    sl_request *request = sim_request_new(&s->base, address, is_write(s, access) ? SL_ST : SL_LD,
                                          s->wiring.cores + (uint32_t)(dma - s->dmas));
    if (is_whole)
        request->Size = SL_BLOCK_BYTES;
    return &request->header;
}

static void ask(sim_dma *dma, sim_dma_access *access) {
    sim_system *s = dma->system;
    const col_operation *o = at(s, access);
    const sim_machine_wiring *w = &s->wiring.machines[sim_machine_of(s, dma->controller)];
    const sl_address address = s->program->addresses[o->location];
    const bool may_be_whole = !is_write(s, access) || is_alone(s, o->location);
    const bool is_whole = w->whole_blocks || (may_be_whole && sl_random(&s->base) >> 63 != 0);
    sl_message *m = (dma->is_io ? new_request : new_transfer)(
        dma, access, is_whole ? access->block : address, is_whole);
    s->dma_writes += is_write(s, access);
    access->is_started = true;
    access->is_whole = is_whole;
    access->issued = s->base.now;
    if (COL_RARELY(s->watch_cores))
        sim_tell_core(access->core,
                      &(col_event){.kind = COL_OPERATION_ISSUED, .operation = access->operation});
    if (COL_RARELY(s->base.watch_messages))
        sim_tell_made(s, m, access->core->id, dma->controller->id);
    sl_buffer_put(dma->requests, m, 1);
}

void sim_dma_step(sim_dma *dma) {
    const uint64_t now = dma->system->base.now;
    for (uint32_t i = 0; i < dma->access_count; i++) {
        sim_dma_access *access = &dma->accesses[i];
        if (!access->is_started && access->start_at <= now && !is_busy(dma->system, dma, access))
            ask(dma, access);
    }
}

/* ---- Performing. */

static void perform_write(sim_system *s, sim_dma_access *access) {
    const col_operation *o = at(s, access);
    const uint64_t word = col_program_operand(s->program, o);
    access->is_performed = true;
    s->dma_writes--;
    sim_report_store(access->core, access->operation, s->last_words[o->location], word,
                     s->last_words[o->location], COL_FROM_MEMORY);
}

/* The write under way that leaves this word at the location; NULL: there is none. */
static sim_dma_access *find_write(const sim_system *s, uint32_t location, uint64_t word) {
    for (uint32_t d = 0; d < s->dma_count; d++)
        for (uint32_t i = 0; i < s->dmas[d].access_count; i++) {
            sim_dma_access *access = &s->dmas[d].accesses[i];
            if (access->is_started && !access->is_performed && is_write(s, access) &&
                at(s, access)->location == location &&
                col_program_operand(s->program, at(s, access)) == word)
                return access;
        }
    return NULL;
}

void sim_dma_met(sim_system *s, uint32_t location, uint64_t word) {
    sim_dma_access *access = find_write(s, location, word);
    if (access != NULL)
        perform_write(s, access);
}

/* ---- What the controller answers. */

/* Takes the access to the block out of its engine's list. */
static sim_dma_access complete(sl_controller *c, sl_address block, bool as_write) {
    sim_system *s = sim_of(c->system);
    sim_dma *dma = s->dmas;
    while (dma < s->dmas + s->dma_count && dma->controller != c)
        dma++;
    for (uint32_t i = 0; dma < s->dmas + s->dma_count && i < dma->access_count; i++) {
        const sim_dma_access access = dma->accesses[i];
        if (!access.is_started || access.block != block)
            continue;
        if (is_write(s, &access) != as_write)
            sl_fail(c,
                    as_write ? "the protocol completes a DMA read as a write"
                             : "the protocol completes a DMA write as a read",
                    NULL);
        if (as_write && !access.is_performed)
            perform_write(s, &dma->accesses[i]);
        dma->access_count--;
        for (; i < dma->access_count; i++)
            dma->accesses[i] = dma->accesses[i + 1];
        if (dma->access_count == 0)
            s->cores_running--;
        for (uint32_t d = 0; d < s->dma_count; d++) /* the block may have been busy for others */
            sl_wake(&s->base, s->dmas[d].id, s->base.now + 1);
        for (uint32_t k = 0; dma->has_refused && k < s->wiring.cores; k++)
            sl_wake(&s->base, s->cores[k].id, s->base.now + 1);
        dma->has_refused = false;
        return access;
    }
    sl_fail(c, "the protocol completes a DMA access that was not made", NULL);
}

void sim_dma_read_done(sl_controller *c, sl_address address, const sl_data *data) {
    sim_system *s = sim_of(c->system);
    const sim_dma_access access = complete(c, sl_line(address), false);
    sim_perform_load(access.core, access.operation, data->words[sim_word_of(s, at(s, &access))],
                     COL_FROM_UNKNOWN, access.issued);
}

void sim_dma_store_through(sl_controller *c, sl_address address, sl_data *data) {
    sim_system *s = sim_of(c->system);
    if (!s->wiring.machines[sim_machine_of(s, c)].is_io)
        sl_fail(c,
                "stores of cores that are written through are not supported: let the cache "
                "allocate on them",
                NULL);
    const sim_dma_access access = complete(c, sl_line(address), true);
    const col_operation *o = at(s, &access);
    if (access.is_whole)
        memset(data, 0, sizeof *data);
    data->words[sim_word_of(s, o)] = col_program_operand(s->program, o);
}

void sim_dma_write_done(sl_controller *c, sl_address address) {
    (void)complete(c, sl_line(address), true);
}
