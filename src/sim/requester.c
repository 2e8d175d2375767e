/* SPDX-License-Identifier: MIT */
/*
 * The simple requester: a core that issues the operations of its thread in order, up to this many
 * at once, never two to one block, and performs them as the protocol brings the blocks. A fence
 * waits for everything before it; so do awaits, swaps and adds, and what follows them. It promises
 * coherence, and no order between locations beyond that.
 */
#include "sim/core.h"
#include "sim/dma.h"
#include "sim/system.h"

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

void sim_requester_step(sim_core *core) {
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

void sim_requester_loaded(sim_core *core, const sim_access *access, const sl_data *data,
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

void sim_requester_stored(sim_core *core, const sim_access *access, sl_data *data,
                          col_source source) {
    sl_wake(&core->system->base, core->id, core->system->base.now + 1);
    if (sim_is_wordless(access->type))
        sim_count_performed(core->system);
    else
        sim_perform_store(core, access->operation, data, source, sim_word_read(access));
}

void sim_requester_failed(sim_core *core, const sim_access *access) {
    sl_wake(&core->system->base, core->id, core->system->base.now + 1);
    sim_perform_load(core, access->operation, access->word, (col_source)access->source,
                     access->issued);
}
