/* SPDX-License-Identifier: MIT */
/*
 * The out-of-order core. Operations enter in program order, ask the caches in any order that their
 * dependencies allow, and perform when everything that they must follow has performed
 * (pipeline_order.c). A load that has its word before that is speculative: if its block is given up
 * meanwhile, it loses the word and asks again. Stores wait in the window, then in the store buffer,
 * until it is their turn; loads find their words there. pipeline_order.c lists the invariants of
 * the sets.
 */
#include "protocol/simulate/pipeline.h"

#include "base/problem.h"
#include "protocol/simulate/system.h"

#include <stddef.h>
#include <string.h>

sim_pipeline *sim_pipeline_new(sim_system *s) {
    sim_pipeline *p = sim_grow(&s->base, NULL, sizeof *p);
    p->without = s->wiring.core.without;
    if (s->wiring.core.mode != SIM_WEAK) /* acquire and release add nothing to these modes */
        p->without |= 1U << SIM_ACQUIRE | 1U << SIM_RELEASE;
    p->always = sim_order_always(s->wiring.core.mode, p->without);
    return p;
}

void sim_pipeline_start(sim_core *core) {
    sim_pipeline *p = core->pipeline;
    const uint32_t always = p->always, without = p->without;
    memset(p, 0, offsetof(sim_pipeline, before));
    p->always = always;
    p->without = without;
    p->stepped = UINT64_MAX;
}

/* ---- Places and ages. */

/* Turned so that the oldest operation is bit 0, if all are younger than next - 64. */
static sim_places by_age(const sim_core *core, sim_places set) {
    return sim_turn(set, core->next);
}

/* Takes the oldest out of a set that by_age made. */
static uint32_t take_oldest(const sim_core *core, sim_places *aged) {
    return (sim_take_place(aged) + core->next) % SIM_PLACES;
}

static uint32_t operation_at(const sim_core *core, uint32_t place) {
    return core->next - 1 - (core->next - 1 - place) % SIM_PLACES;
}

static const col_operation *at(const sim_core *core, uint32_t place) {
    return &core->system->program->operations[operation_at(core, place)];
}

static void wake(sim_core *core, uint64_t time) {
    sim_pipeline *p = core->pipeline;
    if (p->wake_at > core->system->base.now && p->wake_at <= time)
        return;
    p->wake_at = time;
    sl_wake(&core->system->base, core->id, time);
}

/* ---- Performing. */

static void perform_load(sim_core *core, uint32_t place) {
    sim_pipeline *p = core->pipeline;
    const uint64_t now = core->system->base.now;
    const col_operation *o = at(core, place);
    if (o->kind == COL_AWAIT && p->word[place] != o->value) {
        p->bound &= ~sim_place_bit(place);
        p->early |= sim_place_bit(place);
        p->start_at[place] = now + SIM_AWAIT_PAUSE;
        wake(core, p->start_at[place]);
        return;
    }
    sim_perform_load(core, operation_at(core, place), p->word[place], p->source[place],
                     p->issued[place]);
    sim_order_leave(p, place, now);
}

/* Loads that have their words and whose turn it is. */
static void perform_loads(sim_core *core) {
    sim_pipeline *p = core->pipeline;
    for (sim_places ready; (ready = p->bound & p->ordered & ~p->writes) != 0;) {
        sim_places aged = by_age(core, ready);
        perform_load(core, take_oldest(core, &aged));
    }
}

/* With the youngest operation that it must follow: what it waits for. */
static void tell_bound(sim_core *core, uint32_t place) {
    const sim_pipeline *p = core->pipeline;
    const uint32_t operation = operation_at(core, place);
    const sim_places aged = by_age(core, p->before[place]);
    const uint32_t last = aged == 0 ? 0 : SIM_PLACES - 1 - (uint32_t)__builtin_clzll(aged);
    sim_tell_core(core, &(col_event){.kind = COL_LOAD_BOUND,
                                     .operation = operation,
                                     .word = p->word[place],
                                     .source = (col_source)p->source[place],
                                     .after = aged == 0 ? operation
                                                        : operation_at(core, (last + core->next) %
                                                                                 SIM_PLACES)});
}

static void tell_squashed(sim_core *core, uint32_t place) {
    if (COL_RARELY(core->system->watch_cores))
        sim_tell_core(
            core, &(col_event){.kind = COL_LOAD_SQUASHED, .operation = operation_at(core, place)});
}

static void bind(sim_core *core, uint32_t place, uint64_t word, col_source source,
                 uint64_t issued) {
    sim_pipeline *p = core->pipeline;
    p->bound |= sim_place_bit(place);
    p->word[place] = word;
    p->source[place] = (uint8_t)source;
    p->issued[place] = issued;
    if (COL_RARELY(core->system->watch_cores))
        tell_bound(core, place);
}

/* ---- Entering. */

/* Fences that ask the caches wait for the stores before them; flushes and fetches are beside. */
static bool is_queued_as_store(const sim_core *core, const col_operation *o) {
    return col_kinds[o->kind].writes || o->kind == COL_FLUSH || o->kind == COL_FETCH ||
           (o->kind == COL_FENCE && sim_is_access(core, o));
}

static bool has_room(const sim_core *core, const col_operation *o) {
    sim_pipeline *p = core->pipeline;
    const sim_core_settings *settings = &core->system->wiring.core;
    if ((p->pending & sim_place_bit(core->next)) != 0)
        return false;
    /* Stores and flushes leave the window before they perform, others when they have. */
    const sim_places buffered = (p->writes & ~p->reads) | p->flushes;
    const sim_places in_window = by_age(core, p->pending & ~buffered);
    const uint32_t length = in_window == 0 ? 0 : SIM_PLACES - (uint32_t)__builtin_ctzll(in_window);
    if (length >= settings->window)
        return false;
    if (is_queued_as_store(core, o))
        return p->stores < settings->stores;
    if (!col_kinds[o->kind].reads || length < settings->loads)
        return true;
    const sim_places loads = by_age(core, p->loads) >> (SIM_PLACES - length);
    return (uint32_t)__builtin_popcountll(loads) < settings->loads;
}

static void enter_memory_operation(sim_core *core, const col_operation *o) {
    sim_system *s = core->system;
    sim_pipeline *p = core->pipeline;
    const uint32_t place = core->next % SIM_PLACES;
    const sim_places bit = sim_place_bit(place);
    const uint32_t jitter = s->wiring.core.jitter;
    const bool is_fence = o->kind == COL_FENCE;
    p->location[place] = is_fence ? UINT32_MAX : o->location;
    p->block[place] = is_fence ? SL_NOWHERE : sl_line(s->program->addresses[o->location]);
    p->ordered_since[place] = s->base.now;
    if (is_queued_as_store(core, o)) {
        p->loads &= ~bit;
        p->stores++;
    } else {
        p->loads |= bit;
    }
    sim_order_enter(p, core->next, o);
    const uint64_t chance = jitter == 0 ? 0 : sl_random(&s->base) >> 32;
    const uint64_t delay = chance % 4 != 0 ? 0 : chance * (jitter + 1) >> 32;
    if (delay > 0) {
        p->early |= bit;
        p->start_at[place] = s->base.now + delay;
        wake(core, p->start_at[place]);
    }
}

/* In program order, as many as the width allows. */
static void enter(sim_core *core) {
    sim_system *s = core->system;
    sim_pipeline *p = core->pipeline;
    for (uint32_t i = 0; core->next < core->end; i++) {
        const col_operation *o = &s->program->operations[core->next];
        if (s->base.now < core->not_before || i == s->wiring.core.width) {
            wake(core, s->base.now < core->not_before ? core->not_before : s->base.now + 1);
            return;
        }
        if (!has_room(core, o))
            return;
        if (COL_RARELY(col_kinds[o->kind].dma) && sim_dma_takes(s, o)) {
            if (!sim_dma_hand_over(core, core->next))
                return;
            p->loads &= ~sim_place_bit(core->next);
        } else if (!sim_is_access(core, o)) {
            p->loads &= ~sim_place_bit(core->next);
            if (o->kind == COL_FENCE)
                sim_order_fence(p, o->fence, core->next);
            else if (o->kind == COL_DELAY)
                sim_core_delay(core, o->location);
            else if (o->kind == COL_PREFETCH)
                sim_sequencer_prefetch(core, o);
            s->operations_done++;
        } else {
            enter_memory_operation(core, o);
        }
        core->next++;
    }
}

/* ---- Asking the caches. */

/* From the store buffer, if the store's word is known. False: the load waits. What a DMA engine
 * left to the core is nobody's own: all see it at once. */
static bool forward(sim_core *core, uint32_t place) {
    sim_pipeline *p = core->pipeline;
    const uint32_t supplier = p->supplier[place];
    if ((p->always & COL_WRITE_READ) != 0 || (p->reads & sim_place_bit(supplier)) != 0 ||
        p->hold[supplier] != 0 || col_kinds[at(core, supplier)->kind].dma)
        return false;
    bind(core, place, col_program_operand(core->system->program, at(core, supplier)),
         COL_FROM_STORE_BUFFER, 0);
    return true;
}

static int32_t request_type(const sim_core *core, uint32_t place) {
    const sim_pipeline *p = core->pipeline;
    const sim_places bit = sim_place_bit(place);
    const bool reads_first =
        (p->reads & bit) != 0 && sim_lacks(p, SIM_ATOMIC) && (p->bound & bit) == 0;
    return reads_first ? SL_LD : sim_request_type(core, at(core, place));
}

/* Loads behind a store that waits take its word. */
static void forward_words(sim_core *core, sim_places among) {
    const sim_pipeline *p = core->pipeline;
    bool any = false;
    while (among != 0)
        any = forward(core, sim_take_place(&among)) || any;
    if (any && (p->bound & p->ordered & ~p->writes) != 0) {
        perform_loads(core);
        wake(core, core->system->base.now + 1);
    }
}

/* Oldest first: loads that nothing holds, writes and flushes whose turn it is. */
static void start_accesses(sim_core *core) {
    sim_system *s = core->system;
    sim_pipeline *p = core->pipeline;
    const sim_places others = p->writes | p->flushes;
    const sim_places loads = ~others & ~p->bound & ~p->held & (~p->squashed | p->ordered);
    const sim_places waiting =
        p->pending & ~p->started & ~p->early & (loads | (others & p->ordered));
    sim_places aged = by_age(core, waiting & ~p->supplied);
    for (uint32_t started = 0; aged != 0 && core->access_count < s->wiring.core.outstanding;) {
        const uint32_t place = take_oldest(core, &aged);
        if (sim_sequencer_busy(core, p->block[place]))
            continue;
        if (started++ == s->wiring.core.width) {
            wake(core, s->base.now + 1);
            break;
        }
        p->started |= sim_place_bit(place);
        sim_sequencer_issue(core, operation_at(core, place), request_type(core, place));
    }
    forward_words(core, waiting & p->supplied);
}

void sim_pipeline_step(sim_core *core) {
    sim_pipeline *p = core->pipeline;
    const uint64_t now = core->system->base.now;
    if (p->stepped == now)
        return;
    p->stepped = now;
    for (sim_places rest = p->early; rest != 0;) {
        const uint32_t place = sim_take_place(&rest);
        if (p->start_at[place] <= now)
            p->early &= ~sim_place_bit(place);
    }
    perform_loads(core);
    enter(core);
    start_accesses(core);
    uint64_t first = UINT64_MAX;
    for (sim_places rest = p->early; rest != 0;) {
        const uint32_t place = sim_take_place(&rest);
        first = p->start_at[place] < first ? p->start_at[place] : first;
    }
    if (first != UINT64_MAX)
        wake(core, first);
    base_invariant(sim_order_sets_agree(p));
    base_costly_invariant(sim_order_agrees(p, core->next));
    if (core->next >= core->end && p->pending == 0)
        sim_core_finish(core);
}

/* ---- What the caches answer. */

/* Loads of the block that wait for it take their words. Those that had to follow nothing any more
 * when the access started perform: it brought a word of a later time. The others must still have
 * the block in the next cycle. */
static void bind_loads(sim_core *core, const sim_access *access, const sl_data *data,
                       col_source source) {
    sim_pipeline *p = core->pipeline;
    const sim_places unready = p->writes | p->flushes | p->bound | p->held | p->early | p->supplied;
    for (sim_places aged = by_age(core, *sim_at_block(p, access->block) & ~unready); aged != 0;) {
        const uint32_t place = take_oldest(core, &aged);
        if (p->block[place] != access->block)
            continue;
        const bool is_safe =
            (p->ordered & sim_place_bit(place)) != 0 && p->ordered_since[place] <= access->issued;
        if (access->lost && !is_safe && !sim_lacks(p, SIM_SQUASH)) {
            tell_squashed(core, place);
            continue;
        }
        bind(core, place, data->words[sim_word_of(core->system, at(core, place))], source,
             access->issued);
        if (is_safe)
            perform_load(core, place);
    }
    wake(core, core->system->base.now + 1);
}

void sim_pipeline_loaded(sim_core *core, const sim_access *access, const sl_data *data,
                         col_source source) {
    sim_pipeline *p = core->pipeline;
    const uint32_t place = access->operation % SIM_PLACES;
    p->started &= ~sim_place_bit(place);
    if ((p->writes & sim_place_bit(place)) != 0) /* the read of a swap or add that is not atomic */
        bind(core, place, data->words[sim_word_of(core->system, at(core, place))], source,
             access->issued);
    bind_loads(core, access, data, source);
}

void sim_pipeline_fetched(sim_core *core, const sim_access *access) {
    sim_pipeline *p = core->pipeline;
    const uint32_t place = access->operation % SIM_PLACES;
    p->started &= ~sim_place_bit(place);
    p->stores--;
    sim_order_leave(p, place, core->system->base.now);
    wake(core, core->system->base.now + 1);
}

void sim_pipeline_stored(sim_core *core, const sim_access *access, sl_data *data,
                         col_source source) {
    sim_pipeline *p = core->pipeline;
    sim_system *s = core->system;
    const uint32_t place = access->operation % SIM_PLACES;
    const sim_places bit = sim_place_bit(place);
    const bool is_wordless = sim_is_wordless(access->type);
    p->started &= ~bit;
    if (is_wordless)
        sim_count_performed(s);
    else
        sim_perform_store(core, access->operation, data, source,
                          (p->bound & bit) != 0 ? &p->word[place] : sim_word_read(access));
    p->stores--;
    sim_order_leave(p, place, s->base.now);
    const sim_access hit = {.block = access->block, .issued = s->base.now};
    if (!is_wordless)
        bind_loads(core, &hit, data, COL_FROM_PRIVATE_CACHE);
    wake(core, s->base.now + 1);
}

void sim_pipeline_failed(sim_core *core, const sim_access *access) {
    sim_pipeline *p = core->pipeline;
    const uint32_t place = access->operation % SIM_PLACES;
    const uint64_t now = core->system->base.now;
    p->started &= ~sim_place_bit(place);
    sim_perform_load(core, access->operation, access->word, (col_source)access->source,
                     access->issued);
    p->stores--;
    sim_order_leave(p, place, now);
    wake(core, now + 1);
}

/* Loads that took a word from the block and have not performed must ask again, unless the word is
 * that of a store which still waits. */
void sim_pipeline_evicted(sim_core *core, sl_address block) {
    sim_pipeline *p = core->pipeline;
    if (sim_lacks(p, SIM_SQUASH))
        return;
    const sim_places kept = p->writes | p->supplied;
    for (sim_places rest = *sim_at_block(p, block) & p->bound & ~kept; rest != 0;) {
        const uint32_t place = sim_take_place(&rest);
        if (p->block[place] != block)
            continue;
        p->bound &= ~sim_place_bit(place);
        p->squashed |= sim_place_bit(place);
        tell_squashed(core, place);
        wake(core, core->system->base.now + 1);
    }
}
