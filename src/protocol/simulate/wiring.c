/* SPDX-License-Identifier: MIT */
/* Inferring how a protocol becomes a system: see wiring.h. */
#include "protocol/simulate/wiring.h"

#include "protocol/simulate/protocol_library.h"

#include <stdio.h>
#include <string.h>

enum { LEAST_PATIENCE = 50000 };

const char *const sim_modes[SIM_MODE_COUNT + 1] = {
    [SIM_SIMPLE] = "simple",
    [SIM_SC] = "sc",
    [SIM_TSO] = "tso",
    [SIM_WEAK] = "weak",
};

const char *const sim_ways[SIM_WAY_COUNT + 1] = {
    [SIM_ANY_WAY] = "any",
    [SIM_SINGLE] = "single",
    [SIM_LINKED] = "linked",
    [SIM_LOCKED] = "locked",
};

uint32_t sim_ways_of(const sl_machine *machine) {
    if (sl_takes(machine, SL_ACQUIRE)) /* it takes SL_ATOMIC */
        return 1U << SIM_SINGLE;
    return 1U << SIM_SINGLE | (uint32_t)sl_takes(machine, SL_STORE_CONDITIONAL) << SIM_LINKED |
           (uint32_t)sl_takes(machine, SL_LOCKED_WRITE) << SIM_LOCKED;
}

const char *const sim_mechanisms[SIM_MECHANISM_COUNT + 1] = {
#define WORD(name, word, text) [SIM_##name] = (word),
    SIM_MECHANISMS(WORD)
#undef WORD
};

const char *const sim_transfers[3] = {"parts", "blocks", NULL};

bool sim_mode_keeps(sim_mode mode, col_model model) {
    switch (mode) {
    case SIM_SC:
        return true;
    case SIM_TSO: /* not armv8 and rvwmo: an acquire may pass a release */
        return model == COL_TSO || model == COL_PSO || model == COL_WMO;
    case SIM_WEAK:
        return model == COL_ARMV8 || model == COL_RVWMO;
    default:
        return false;
    }
}

col_model sim_mode_model(sim_mode mode) {
    col_model model = COL_SC;
    while (model + 1 < COL_MODEL_COUNT && !sim_mode_keeps(mode, model))
        model++;
    return model;
}

sim_virtual_network sim_wiring_slowest(const sim_wiring *w) {
    sim_virtual_network slowest = {w->network_latency, w->jitter};
    for (uint32_t n = 0; n < SIM_NETWORKS; n++) {
        const sim_virtual_network *own = &w->virtual_networks[n];
        if (own->latency != SIM_AS_OTHERS && own->latency > slowest.latency)
            slowest.latency = own->latency;
        if (own->jitter != SIM_AS_OTHERS && own->jitter > slowest.jitter)
            slowest.jitter = own->jitter;
    }
    return slowest;
}

uint64_t sim_wiring_patience(const sim_wiring *w) {
    const sim_virtual_network slowest = sim_wiring_slowest(w);
    const uint64_t way = (uint64_t)slowest.latency + slowest.jitter + w->interval;
    const uint64_t all = (4 * way + w->memory_latency + w->jitter) * w->cores * w->core.outstanding;
    if (w->patience > 0)
        return w->patience;
    return 8 * all > LEAST_PATIENCE ? 8 * all : LEAST_PATIENCE;
}

uint32_t sim_wiring_skew(const sim_wiring *w) {
    return w->core.skew == SIM_SKEW_OF_NETWORK ? w->jitter : w->core.skew;
}

uint32_t sim_count_members(const sl_machine *machine, uint32_t kind) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < machine->member_count; i++)
        count += machine->members[i].kind == kind;
    return count;
}

sim_cache_shape *sim_wiring_cache(sim_machine_wiring *machine, const char *name) {
    for (uint32_t i = 0; i < machine->cache_count; i++)
        if (strcmp(machine->caches[i].name, name) == 0)
            return &machine->caches[i];
    if (machine->cache_count == SIM_MOST_CACHES)
        return NULL;
    sim_cache_shape *shape = &machine->caches[machine->cache_count++];
    (void)snprintf(shape->name, sizeof shape->name, "%s", name);
    return shape;
}

static void set_by_name(sim_parameter *list, uint32_t *count, uint32_t most, const char *name,
                        int64_t value) {
    uint32_t place = 0;
    while (place < *count && strcmp(list[place].name, name) != 0)
        place++;
    if (place == most)
        return;
    if (place == *count) {
        (void)snprintf(list[place].name, sizeof list[place].name, "%s", name);
        (*count)++;
    }
    list[place].value = value;
}

void sim_wiring_parameter(sim_machine_wiring *machine, const char *name, int64_t value) {
    set_by_name(machine->parameters, &machine->parameter_count, SIM_MOST_PARAMETERS, name, value);
}

void sim_wiring_buffer(sim_machine_wiring *machine, const char *name, uint32_t messages) {
    set_by_name(machine->buffers, &machine->buffer_count, SIM_MOST_BUFFERS, name, messages);
}

uint32_t sim_bits_of(uint32_t count) {
    uint32_t bits = 0;
    while ((UINT32_C(1) << bits) < count)
        bits++;
    return bits;
}

uint32_t sim_most_slots(const sl_machine *machine, uint32_t offset) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < machine->state_count * machine->event_count; i++)
        for (uint32_t r = 0; r < machine->cells[i].resource_count; r++) {
            const sl_resource *resource = &machine->resources[machine->cells[i].first_resource + r];
            if (resource->buffer == offset && resource->slots > most)
                most = resource->slots;
        }
    return most;
}

/* Private caches grow with the distance from the core; shared ones are large. */
static void infer_caches(sim_machine_wiring *w, const sl_machine *machine) {
    const uint64_t bytes = !w->is_private ? 2 << 20 : w->has_sequencer ? 4 << 10 : 64 << 10;
    const uint32_t ways = !w->is_private ? 8 : w->has_sequencer ? 1 : 2;
    for (uint32_t i = 0; i < machine->member_count; i++) {
        if (machine->members[i].kind != SL_MEMBER_CACHE)
            continue;
        sim_cache_shape *shape = sim_wiring_cache(w, machine->members[i].name);
        if (shape == NULL)
            return;
        shape->bytes = bytes;
        shape->ways = ways;
        shape->replacement = SL_LRU;
    }
}

static bool takes_requests(const sl_member *m) {
    return m->kind == SL_MEMBER_BUFFER && m->in_port && m->message == SL_REQUEST_MESSAGE;
}

const sl_member *sim_request_queue(const sl_machine *machine) {
    const sl_member *found = NULL;
    for (uint32_t i = 0; i < machine->member_count; i++) {
        const sl_member *m = &machine->members[i];
        if (takes_requests(m) && (found == NULL || strcmp(m->name, "mandatoryQueue") == 0))
            found = m;
    }
    return found;
}

const sl_member *sim_prefetch_queue(const sl_machine *machine) {
    const sl_member *requests = sim_request_queue(machine);
    for (uint32_t i = 0; i < machine->member_count; i++)
        if (takes_requests(&machine->members[i]) && &machine->members[i] != requests)
            return &machine->members[i];
    return NULL;
}

bool sim_wiring_has_dma(const sim_wiring *w) {
    for (uint32_t m = 0; m < SIM_MOST_MACHINES; m++)
        if (w->machines[m].has_dma && w->machines[m].count > 0)
            return true;
    return false;
}

uint32_t sim_wiring_level(const sim_machine_wiring *w) {
    if (w->is_private)
        return w->has_sequencer ? 0 : 1;
    return w->memory_side ? 3 : 2;
}

uint32_t sim_machine_named(const sl_protocol *protocol, const char *name) {
    uint32_t m = 0;
    while (m < protocol->machine_count && strcmp(protocol->machines[m]->name, name) != 0)
        m++;
    return m;
}

uint32_t sim_wiring_bits(const sim_wiring *w, const sl_protocol *protocol, const char *machine) {
    const uint32_t m = sim_machine_named(protocol, machine);
    return m == protocol->machine_count
               ? 0
               : sim_bits_of(w->machines[m].count / w->machines[m].clusters);
}

col_status sim_wiring_infer(sim_wiring *w, const sl_protocol *protocol, uint32_t cores,
                            col_problem *problem) {
    if (protocol->machine_count > SIM_MOST_MACHINES)
        return base_refuse(problem, "a protocol has at most %d machines", SIM_MOST_MACHINES);
    if (cores == 0 || cores > 1024)
        return base_refuse(problem, "a system has 1 to 1024 cores");
    *w = (sim_wiring){.cores = cores,
                      .model = COL_TSO,
                      .core = {.mode = SIM_TSO,
                               .width = 4,
                               .window = 40,
                               .loads = 32,
                               .stores = 32,
                               .outstanding = 8,
                               .jitter = 4,
                               .skew = SIM_SKEW_OF_NETWORK},
                      .network_latency = 3,
                      .jitter = 4,
                      .memory_latency = 30,
                      .tbes = 256,
                      .transitions_per_cycle = 32,
                      .deadlock_cycles = 500000,
                      /* What is built in is compared with papers whose designs had none. */
                      .monitors = sim_built_in_find(protocol->name) != protocol};
    for (uint32_t n = 0; n < SIM_NETWORKS; n++)
        w->virtual_networks[n] = (sim_virtual_network){SIM_AS_OTHERS, SIM_AS_OTHERS};
    bool any_sequencer = false;
    for (uint32_t m = 0; m < protocol->machine_count; m++) {
        const sl_machine *machine = protocol->machines[m];
        sim_machine_wiring *mw = &w->machines[m];
        const uint32_t sequencers = sim_count_members(machine, SL_MEMBER_SEQUENCER);
        bool is_straight = false; /* a buffer is on the network but on no virtual network */
        for (uint32_t i = 0; i < machine->member_count; i++) {
            const sl_member *b = &machine->members[i];
            if (b->kind != SL_MEMBER_BUFFER)
                continue;
            mw->memory_side |= b->in_port && b->message == SL_MEMORY_MESSAGE;
            is_straight |= b->network < 0 && (b->to_network || b->from_network);
        }
        mw->has_sequencer = sequencers > 0;
        mw->has_dma = sim_count_members(machine, SL_MEMBER_DMA) > 0;
        any_sequencer = any_sequencer || mw->has_sequencer;
        mw->is_private = mw->has_sequencer || is_straight;
        mw->sequencers = sequencers == 0 ? 1 : sequencers;
        mw->count = mw->is_private ? cores / mw->sequencers : 1;
        mw->clusters = 1;
        if (cores % mw->sequencers != 0)
            return base_refuse(problem,
                               "a controller of the machine %s is for %u cores, and %u are not a "
                               "multiple of that",
                               machine->name, mw->sequencers, cores);
        if (sim_count_members(machine, SL_MEMBER_COALESCER) > 0)
            return base_refuse(problem,
                               "the machine %s of the protocol %s is a part of a GPU, and scopes "
                               "of GPUs are not supported",
                               machine->name, protocol->name);
        infer_caches(mw, machine);
    }
    if (!any_sequencer)
        return base_refuse(problem,
                           "no machine of the protocol %s has a sequencer, so no core can be "
                           "attached; name the machine in a design file",
                           protocol->name);
    for (uint32_t m = 0; m < protocol->machine_count; m++) {
        /* Parameters that say how many there are of something. */
        for (uint32_t i = 0; i < protocol->machines[m]->member_count; i++) {
            const sl_member *member = &protocol->machines[m]->members[i];
            if (member->bits_of != NULL)
                sim_wiring_parameter(&w->machines[m], member->name,
                                     sim_wiring_bits(w, protocol, member->bits_of));
            else if (member->above_cores)
                sim_wiring_parameter(&w->machines[m], member->name, (int64_t)w->cores + 1);
        }
    }
    return COL_OK;
}
