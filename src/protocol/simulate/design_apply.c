/* SPDX-License-Identifier: MIT */
/*
 * Applying a design file to the wiring that was inferred from its protocol: see design_file.h. What
 * follows from the counts (the bits that select a bank, and the index bits they take from its
 * cache) is worked out here, after all counts are known.
 */
#include "base/text.h"
#include "protocol/simulate/design_file.h"

#include <string.h>

typedef struct application {
    const sim_design_file *file;
    const sl_protocol *protocol;
    sim_wiring *wiring;
    col_problem *problem;
} application;

#define REFUSE(a, place, ...) SIM_REFUSE_AT((a)->problem, (a)->file->path, place, __VA_ARGS__)

/* ---- Finding what the file names. */

static bool is_power_of_two(uint64_t number) {
    return number != 0 && (number & (number - 1)) == 0;
}

static bool is_named(const sl_member *m, uint32_t kind) {
    const bool is_any = m->kind == SL_MEMBER_CACHE || m->kind == SL_MEMBER_BUFFER ||
                        (m->kind == SL_MEMBER_NUMBER && m->parameter);
    return is_any && (kind == SIM_ANY_MEMBER || m->kind == kind);
}

const sl_member *sim_file_member(const sl_machine *machine, const char *name, uint32_t kind) {
    for (uint32_t i = 0; i < machine->member_count; i++)
        if (is_named(&machine->members[i], kind) && strcmp(machine->members[i].name, name) == 0)
            return &machine->members[i];
    return NULL;
}

/* Says what there is instead, unless the file says that the machine may be without. */
static col_status refuse_member(const application *a, const sl_machine *machine, uint32_t kind,
                                const sim_file_name *name) {
    const char *what = kind == SL_MEMBER_CACHE    ? "cache"
                       : kind == SL_MEMBER_BUFFER ? "buffer"
                                                  : "parameter";
    base_list list = {""};
    if (name->optional)
        return COL_OK;
    for (uint32_t i = 0; i < machine->member_count; i++)
        if (is_named(&machine->members[i], kind))
            base_list_add(&list, machine->members[i].name);
    return REFUSE(a, name->place, "the machine %s has no %s '%s'; it has %s", machine->name, what,
                  name->text, base_list_text(&list));
}

static col_status refuse_machine(const application *a, const sim_file_name *name) {
    base_list list = {""};
    for (uint32_t m = 0; m < a->protocol->machine_count; m++)
        base_list_add(&list, a->protocol->machines[m]->name);
    return REFUSE(a, name->place, "the protocol %s has no machine '%s'; it has %s",
                  a->protocol->name, name->text, base_list_text(&list));
}

/* ---- Machines. */

/* Groups of equal size, each for a part of the cores. */
static col_status apply_clusters(const application *a, const sim_file_machine *said,
                                 const sl_machine *machine, sim_machine_wiring *w) {
    if (!said->clusters.said)
        return COL_OK;
    const uint32_t clusters = (uint32_t)said->clusters.value, cores = a->wiring->cores;
    if (w->is_private && clusters > 1)
        return REFUSE(a, said->clusters.place,
                      "the machine %s is private to a core, so it has no clusters", machine->name);
    if (w->count > 0 && (w->count % clusters != 0 || clusters > cores))
        return REFUSE(a, said->clusters.place,
                      "the %u controllers of %s cannot be %u clusters of equal size for %u cores",
                      w->count, machine->name, clusters, cores);
    w->clusters = clusters;
    return COL_OK;
}

/* Where the machine is; one role of a machine that may have a core need not have one. */
static col_status apply_level(const application *a, const sim_file_machine *said,
                              const sl_machine *machine, sim_machine_wiring *w) {
    w->is_role = said->of.text[0] != '\0';
    if (!said->level.said)
        return COL_OK;
    const bool is_beside = said->level.value <= SIM_LEVEL_FETCH;
    w->is_io = said->level.value == SIM_LEVEL_IO;
    if ((is_beside || w->is_io) && !w->has_sequencer)
        return REFUSE(a, said->level.place, "the machine %s has no sequencer, so no %s",
                      machine->name, w->is_io ? "DMA engine in its place" : "core");
    w->is_fetcher = said->level.value == SIM_LEVEL_FETCH;
    if (w->is_fetcher && !sl_takes(machine, SL_IFETCH))
        return REFUSE(a, said->level.place, "the machine %s takes no instruction fetches",
                      machine->name);
    w->has_sequencer = is_beside;
    w->has_dma = w->has_dma || w->is_io;
    w->is_private = said->level.value < SIM_LEVEL_SHARED;
    w->count = w->is_private ? a->wiring->cores / w->sequencers : 1;
    return COL_OK;
}

static col_status apply_count(const application *a, const sim_file_machine *said,
                              const sl_machine *machine, sim_machine_wiring *w) {
    const uint32_t cores = a->wiring->cores;
    if (said->count.said)
        w->count = said->count_is_cores ? cores / w->sequencers : (uint32_t)said->count.value;
    if (w->is_private && w->count != cores / w->sequencers)
        return REFUSE(a, said->count.place,
                      "the machine %s is private to a core, so its count is cores", machine->name);
    if (said->transfers.said && !w->has_dma)
        return REFUSE(a, said->transfers.place,
                      "the machine %s has no DMA sequencer, so it has no transfers", machine->name);
    w->whole_blocks = said->transfers.said ? said->transfers.value != 0 : w->whole_blocks;
    BASE_TRY(apply_clusters(a, said, machine, w));
    const uint32_t banks = w->count / w->clusters;
    const bool is_chosen =
        !w->is_private && !w->is_io && banks > 1 && sim_count_members(machine, SL_MEMBER_CACHE) > 0;
    if (is_chosen && !is_power_of_two(banks))
        return REFUSE(a, said->count.place,
                      "the count of %s%s is a power of two, because address bits select one of "
                      "them, not %u",
                      machine->name, w->clusters > 1 ? " in a cluster" : "", banks);
    w->index_skip = is_chosen ? sim_bits_of(banks) : 0;
    return COL_OK;
}

static col_status apply_cache(const application *a, const sim_file_cache *said,
                              const sl_machine *machine, sim_machine_wiring *w) {
    if (sim_file_member(machine, said->name.text, SL_MEMBER_CACHE) == NULL)
        return refuse_member(a, machine, SL_MEMBER_CACHE, &said->name);
    sim_cache_shape *shape = sim_wiring_cache(w, said->name.text);
    if (shape == NULL)
        return REFUSE(a, said->name.place, "a machine has at most %d caches", SIM_MOST_CACHES);
    if (said->bytes.said)
        shape->bytes = said->bytes.value;
    if (said->ways.said)
        shape->ways = (uint32_t)said->ways.value;
    if (said->sets.said)
        shape->bytes = said->sets.value * shape->ways * SL_BLOCK_BYTES;
    if (said->replacement.said)
        shape->replacement = (sl_replacement)said->replacement.value;
    const uint64_t way = (uint64_t)SL_BLOCK_BYTES * shape->ways;
    if (shape->bytes > SIM_FILE_MOST_BYTES)
        return REFUSE(a, said->name.place, "the cache %s has %llu bytes, and 64MiB are the most",
                      said->name.text, (unsigned long long)shape->bytes);
    if (shape->bytes % way != 0 || !is_power_of_two(shape->bytes / way))
        return REFUSE(
            a, said->name.place,
            "the cache %s of %llu bytes in %u ways has no power of two of sets of %d-byte "
            "blocks",
            said->name.text, (unsigned long long)shape->bytes, shape->ways, SL_BLOCK_BYTES);
    if (shape->replacement == SL_TREE_PLRU && !is_power_of_two(shape->ways))
        return REFUSE(a, said->name.place, "plru needs a power of two of ways, and %s has %u",
                      said->name.text, shape->ways);
    return COL_OK;
}

static col_status apply_parameter(const application *a, const sim_file_parameter *said,
                                  const sl_machine *machine, sim_machine_wiring *w) {
    const sl_member *member = sim_file_member(machine, said->name.text, SL_MEMBER_NUMBER);
    if (member == NULL)
        return refuse_member(a, machine, SL_MEMBER_NUMBER, &said->name);
    const int64_t value = said->value + (said->per_core ? (int64_t)a->wiring->cores : 0);
    sim_wiring_parameter(w, said->name.text, value);
    if (member->above_cores && value <= (int64_t)a->wiring->cores)
        return REFUSE(a, said->place, "%s is more than the %u cores, such as cores + 1",
                      member->name, a->wiring->cores);
    if (member->has_least && value < member->least)
        return REFUSE(a, said->place, "%s is at least %lld, not %lld", member->name,
                      (long long)member->least, (long long)value);
    if (member->has_most && value > member->most)
        return REFUSE(a, said->place, "%s is at most %lld, not %lld", member->name,
                      (long long)member->most, (long long)value);
    return COL_OK;
}

static col_status apply_buffer(const application *a, const sim_file_parameter *said,
                               const sl_machine *machine, sim_machine_wiring *w) {
    const sl_member *member = sim_file_member(machine, said->name.text, SL_MEMBER_BUFFER);
    if (member == NULL)
        return refuse_member(a, machine, SL_MEMBER_BUFFER, &said->name);
    const uint32_t needed = sim_most_slots(machine, member->offset);
    if (!member->to_network && !member->from_network && !member->out_port)
        return REFUSE(a, said->name.place,
                      "a limit is for buffers that controllers send into; nothing waits for room "
                      "in '%s' of %s",
                      said->name.text, machine->name);
    if (said->value > 0 && said->value < (int64_t)needed)
        return REFUSE(a, said->place,
                      "a transition of %s needs room for %u messages in '%s'; fewer would block it",
                      machine->name, needed, said->name.text);
    sim_wiring_buffer(w, said->name.text, (uint32_t)said->value);
    return COL_OK;
}

static col_status apply_machine(const application *a, const sim_file_machine *said) {
    const uint32_t m = sim_machine_named(a->protocol, said->name.text);
    if (m == a->protocol->machine_count)
        return said->name.optional ? COL_OK : refuse_machine(a, &said->name);
    const sl_machine *machine = a->protocol->machines[m];
    sim_machine_wiring *w = &a->wiring->machines[m];
    BASE_TRY(apply_level(a, said, machine, w));
    BASE_TRY(apply_count(a, said, machine, w));
    w->tbes = said->tbes.said ? (uint32_t)said->tbes.value : w->tbes;
    for (uint32_t i = 0; i < said->cache_count; i++)
        BASE_TRY(apply_cache(a, &said->caches[i], machine, w));
    for (uint32_t i = 0; i < said->parameter_count; i++)
        BASE_TRY(apply_parameter(a, &said->parameters[i], machine, w));
    for (uint32_t i = 0; i < said->buffer_count; i++)
        BASE_TRY(apply_buffer(a, &said->buffers[i], machine, w));
    return COL_OK;
}

static col_status apply_downstream(const application *a, const sim_file_machine *said) {
    const uint32_t machines = a->protocol->machine_count;
    const uint32_t m = sim_machine_named(a->protocol, said->name.text);
    const uint32_t target = sim_machine_named(a->protocol, said->downstream.text);
    if (m == machines || said->downstream.text[0] == '\0')
        return COL_OK;
    if (target == machines)
        return refuse_machine(a, &said->downstream);
    sim_machine_wiring *w = &a->wiring->machines[m];
    const sim_machine_wiring *below = &a->wiring->machines[target];
    if (below->count == 0 || (below->is_private && !w->is_private))
        return REFUSE(a, said->downstream.place, "%s cannot ask %s, which %s", said->name.text,
                      said->downstream.text,
                      below->count == 0 ? "has no controllers" : "is private to a core");
    w->downstream = target + 1;
    return COL_OK;
}

/* ---- What follows from the counts. */

static col_status check_bits(const application *a, const sl_member *m, uint32_t bits) {
    for (uint32_t i = 0; i < a->file->machine_count; i++) {
        const sim_file_machine *machine = &a->file->machines[i];
        for (uint32_t j = 0; j < machine->parameter_count; j++) {
            const sim_file_parameter *p = &machine->parameters[j];
            if (strcmp(p->name.text, m->name) == 0 && (p->per_core || p->value != (int64_t)bits))
                return REFUSE(a, p->place,
                              "%s follows from the count of %s: leave it out, or say %u", m->name,
                              m->bits_of, bits);
        }
    }
    return COL_OK;
}

static col_status apply_bits(const application *a) {
    for (uint32_t i = 0; i < a->protocol->machine_count; i++)
        for (uint32_t j = 0; j < a->protocol->machines[i]->member_count; j++) {
            const sl_member *m = &a->protocol->machines[i]->members[j];
            if (m->bits_of == NULL)
                continue;
            const uint32_t bits = sim_wiring_bits(a->wiring, a->protocol, m->bits_of);
            sim_wiring_parameter(&a->wiring->machines[i], m->name, bits);
            BASE_TRY(check_bits(a, m, bits));
        }
    return COL_OK;
}

/* ---- What parameters of several machines, or of one, must agree on. */

static int64_t number_of(const sim_machine_wiring *w, const sl_member *member) {
    for (uint32_t i = 0; i < w->parameter_count; i++)
        if (strcmp(w->parameters[i].name, member->name) == 0)
            return w->parameters[i].value;
    return member->has_initial ? member->initial : 0;
}

/* Where the file says it last; where it names the protocol, if it leaves it to that. */
static base_place place_of(const sim_design_file *file, const char *name) {
    base_place place = file->protocol_place;
    for (uint32_t m = 0; m < file->machine_count; m++)
        for (uint32_t i = 0; i < file->machines[m].parameter_count; i++)
            if (strcmp(file->machines[m].parameters[i].name.text, name) == 0)
                place = file->machines[m].parameters[i].place;
    return place;
}

static col_status check_agreement(const application *a, const char *name) {
    const sl_machine *first = NULL;
    int64_t agreed = 0;
    for (uint32_t m = 0; m < a->protocol->machine_count; m++) {
        const sl_machine *machine = a->protocol->machines[m];
        const sl_member *member = sim_file_member(machine, name, SL_MEMBER_NUMBER);
        if (member == NULL)
            continue;
        const int64_t value = number_of(&a->wiring->machines[m], member);
        if (first != NULL && value != agreed)
            return REFUSE(a, place_of(a->file, name),
                          "%s is the same for all machines, not %lld for %s and %lld for %s", name,
                          (long long)agreed, first->name, (long long)value, machine->name);
        first = machine;
        agreed = value;
    }
    return COL_OK;
}

static int64_t number_by_name(const application *a, uint32_t machine, const char *name,
                              int64_t otherwise) {
    const sl_member *member =
        name == NULL ? NULL
                     : sim_file_member(a->protocol->machines[machine], name, SL_MEMBER_NUMBER);
    return member == NULL ? otherwise : number_of(&a->wiring->machines[machine], member);
}

/* A message must not be overtaken by half a ring: which of two came first is then taken the wrong
 * way round. The ring goes one further when `length` is reached, by one for each group of writes. A
 * core writes at most once in a cycle, and a message waits at most for a transaction of a shared
 * level: a forward, data and an unblock. */
static col_status check_ring(const application *a, uint32_t machine, const sl_member *ring) {
    const sim_virtual_network slowest = sim_wiring_slowest(a->wiring);
    const int64_t under_way = 4 * ((int64_t)slowest.latency + slowest.jitter);
    const int64_t last = number_by_name(a, machine, ring->ring_length, 0);
    const int64_t half = number_by_name(a, machine, ring->name, 0) / 2;
    const int64_t writes =
        (last > 2 ? last - 1 : 1) * number_by_name(a, machine, ring->ring_group, 1);
    if (last == 0 || half >= under_way || writes >= under_way || half * writes >= under_way)
        return COL_OK;
    return REFUSE(a, place_of(a->file, ring->ring_length),
                  "half of the %s of %s begin within %lld writes, so messages that take up to %lld "
                  "cycles may count as later ones; it needs more %s or a larger %s",
                  ring->name, a->protocol->machines[machine]->name, (long long)(half * writes),
                  (long long)under_way, ring->name, ring->ring_length);
}

static col_status check_relations(const application *a) {
    for (uint32_t i = 0; i < a->protocol->machine_count; i++)
        for (uint32_t j = 0; j < a->protocol->machines[i]->member_count; j++) {
            const sl_member *m = &a->protocol->machines[i]->members[j];
            if (m->same)
                BASE_TRY(check_agreement(a, m->name));
            /* Simple cores are for searches, which do not judge loads. */
            if (m->ring_length != NULL && a->wiring->core.mode != SIM_SIMPLE)
                BASE_TRY(check_ring(a, i, m));
        }
    return COL_OK;
}

/* ---- The rest. */

static void apply_numbers(const application *a) {
    sim_wiring *w = a->wiring;
    uint32_t *const places[SIM_FILE_NUMBER_COUNT] = {
#define MEMBER(place, key, least, most, member) [SIM_FILE_##place] = &w->member,
        SIM_FILE_NUMBERS(MEMBER) SIM_FILE_CORE_NUMBERS(MEMBER) SIM_FILE_NETWORK_NUMBERS(MEMBER)
            SIM_FILE_MEMORY_NUMBERS(MEMBER)
#undef MEMBER
                [SIM_FILE_WITHOUT] = &w->core.without,
        [SIM_FILE_ORDERED] = &w->ordered,
        [SIM_FILE_UNORDERED] = &w->unordered,
    };
    const sim_said *numbers = a->file->numbers;
    for (uint32_t i = 0; i < SIM_FILE_NUMBER_COUNT; i++)
        if (places[i] != NULL && numbers[i].said)
            *places[i] = (uint32_t)numbers[i].value;
    for (uint32_t n = 0; n < SIM_NETWORKS; n++) {
        const sim_file_network *own = &a->file->networks[n];
        if (own->latency.said)
            w->virtual_networks[n].latency = (uint32_t)own->latency.value;
        if (own->jitter.said)
            w->virtual_networks[n].jitter = (uint32_t)own->jitter.value;
    }
    if (numbers[SIM_FILE_MODE].said)
        w->core.mode = (sim_mode)numbers[SIM_FILE_MODE].value;
    if (numbers[SIM_FILE_ATOMICS].said)
        w->core.atomics = (sim_way)numbers[SIM_FILE_ATOMICS].value;
    if (numbers[SIM_FILE_TOPOLOGY].said)
        w->topology = (sim_topology)numbers[SIM_FILE_TOPOLOGY].value;
    if (numbers[SIM_FILE_START].said)
        w->start = (sim_start)numbers[SIM_FILE_START].value;
    if (numbers[SIM_FILE_MONITORS].said)
        w->monitors = numbers[SIM_FILE_MONITORS].value != 0;
}

static col_status check_numbers(const application *a) {
    const sim_mode mode = a->wiring->core.mode;
    const sim_way way = a->wiring->core.atomics;
    const sim_said *said = a->file->numbers;
    for (uint32_t m = 0; m < a->protocol->machine_count; m++)
        /* Stale words come in an order that TSO cores can live with, no others. */
        if (mode != SIM_TSO && mode != SIM_SIMPLE && sl_takes(a->protocol->machines[m], SL_ACQUIRE))
            return REFUSE(a, said[SIM_FILE_MODE].place,
                          "the protocol %s is made for tso cores, not for %s", a->protocol->name,
                          sim_modes[mode]);
    const uint32_t both = a->wiring->ordered & a->wiring->unordered;
    for (uint32_t n = 0; n < SIM_NETWORKS; n++)
        if ((both >> n & 1) != 0)
            return REFUSE(a, said[SIM_FILE_UNORDERED].place,
                          "the virtual network %u is both ordered and unordered", n);
    for (uint32_t m = 0; way != SIM_ANY_WAY && m < a->protocol->machine_count; m++)
        if (a->wiring->machines[m].has_sequencer &&
            (sim_ways_of(a->protocol->machines[m]) >> way & 1) == 0)
            return REFUSE(a, said[SIM_FILE_ATOMICS].place,
                          "the machine %s of %s takes no %s atomics",
                          a->protocol->machines[m]->name, a->protocol->name, sim_ways[way]);
    return COL_OK;
}

static col_status apply_model(const application *a) {
    const sim_said *said = &a->file->numbers[SIM_FILE_MODEL];
    const sim_mode mode = a->wiring->core.mode;
    a->wiring->model = said->said ? (col_model)said->value : sim_mode_model(mode);
    if (!said->said || sim_mode_keeps(mode, a->wiring->model))
        return COL_OK;
    base_list list = {""};
    for (uint32_t m = 0; m < COL_MODEL_COUNT; m++)
        if (sim_mode_keeps(mode, (col_model)m))
            base_list_add(&list, col_models[m]);
    return REFUSE(a, said->place, "%s cores do not keep %s; they keep %s", sim_modes[mode],
                  col_models[a->wiring->model], base_list_text(&list));
}

col_status sim_design_file_apply_machines(const sim_design_file *file, const sl_protocol *protocol,
                                          sim_wiring *wiring, col_problem *problem) {
    const application a = {file, protocol, wiring, problem};
    for (uint32_t m = 0; m < file->machine_count; m++)
        BASE_TRY(apply_machine(&a, &file->machines[m]));
    BASE_TRY(check_relations(&a));
    for (uint32_t m = 0; m < file->machine_count; m++)
        BASE_TRY(apply_downstream(&a, &file->machines[m]));
    return apply_bits(&a);
}

col_status sim_design_file_apply(const sim_design_file *file, const sl_protocol *protocol,
                                 sim_wiring *wiring, col_problem *problem) {
    const application a = {file, protocol, wiring, problem};
    apply_numbers(&a);
    BASE_TRY(check_numbers(&a));
    BASE_TRY(apply_model(&a));
    return sim_design_file_apply_machines(file, protocol, wiring, problem);
}
