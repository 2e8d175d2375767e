/* SPDX-License-Identifier: MIT */
/*
 * The built-in simulator as a design under verification. Its points are the transitions that the
 * protocol defines; cells that only leave a message where it is (stalls) are none. Every instance
 * starts with empty caches, so that it follows from program and seed alone. If the design varies,
 * the upper half of the seed draws the configuration that the instance runs in, and the description
 * is that of the widest one.
 */
#include "base/memory.h"
#include "base/text.h"
#include "design/design_kind.h"
#include "design/simulator_options.h"
#include "program/geometry.h"
#include "protocol/simulate/cell_change.h"
#include "protocol/simulate/design_error.h"
#include "protocol/simulate/simulated_design.h"
#include "protocol/simulate/transition_table.h"
#include "protocol/slicc/translate.h"

#include <stdlib.h>
#include <string.h>

typedef struct simulator {
    sim_design design;
    base_arena arena;   /* for what follows from it */
    sim_plugin mutated; /* the protocol, if it is a mutant of its source */
    sim_mutant mutant;
    sim_design_error *wrong; /* NULL: none */
    bool is_changed;         /* by one of these: what cells need may not hold */
    duv_options options;
    sim_system *system;
    sim_bench bench;          /* changes of it that are tried */
    uint32_t configuration;   /* that the system has, if the design varies */
    base_text configured;     /* the same in words */
    const sim_wiring *widest; /* at most this many controllers, sets and ways */
    uint32_t *uncollected;    /* hits of systems that are gone, by functional point */
    bool has_uncollected;
    bool is_drawn; /* the system has a configuration: */
    sim_wiring drawn;
    const col_program *program;
    col_duv_description description;
    col_duv_machine machines[SIM_MOST_MACHINES];
    col_duv_names names[SIM_MOST_MACHINES];
    col_duv_cell edited[4 * SIM_ERROR_EDITS];
    uint32_t edited_count;
    col_duv_point *points;
    uint32_t *cells; /* of each point, in its machine's table */
    uint32_t *needs;
    col_duv_source *sources;
} simulator;

/* ---- Points. */

/* "L1" of L1Cache, if the machine has no other cache; else the cache's own name. */
static void name_level(const sl_machine *machine, const sim_cache_shape *cache, bool alone,
                       col_cache_level *level) {
    const char *name = alone ? machine->name : cache->name;
    const char *ending = strstr(name, "Cache");
    size_t length = strlen(name);
    if (alone && ending != NULL && ending != name && ending[strlen("Cache")] == '\0')
        length = (size_t)(ending - name);
    if (length >= sizeof level->name)
        length = sizeof level->name - 1;
    memcpy(level->name, name, length);
    level->name[length] = '\0';
}

static uint32_t cells_of(const sl_machine *machine) {
    return machine->state_count * machine->event_count;
}

/* All machines have numbers, also those of which the system has no controllers: they have no
 * points. */
static uint32_t count_points(const sl_machine *machine, const sim_machine_wiring *wiring) {
    uint32_t count = 0;
    for (uint32_t i = 0; wiring->count > 0 && i < cells_of(machine); i++)
        count += sim_is_transition(&machine->cells[i]);
    return count;
}

/* The level of a machine's only cache, of those that the geometry has; else none. */
static uint32_t level_of(const simulator *s, uint32_t machine) {
    const sim_machine_wiring *w = &s->widest->machines[machine];
    if (w->count == 0 || w->cache_count != 1)
        return COL_MAX_LEVELS;
    col_cache_level level = {0};
    name_level(s->design.protocol->machines[machine], &w->caches[0], true, &level);
    uint32_t found = COL_MAX_LEVELS, count = 0;
    for (uint32_t l = 0; l < s->description.geometry.level_count; l++)
        if (strcmp(s->description.geometry.levels[l].name, level.name) == 0) {
            found = l;
            count++;
        }
    return count == 1 ? found : COL_MAX_LEVELS;
}

/* From the protocol's machines to the design's levels. A replacement in a machine of several caches
 * is not told from others, nor is one in one of several roles, and caches that vary may be smaller
 * than the description says, so nothing is known of those. */
static uint32_t needs_of(const simulator *s, uint32_t of_cell) {
    _Static_assert((int)COL_NEEDS_LOADS == (int)SL_NEEDS_LOADS &&
                       (int)COL_NEEDS_DMA == (int)SL_NEEDS_DMA &&
                       (int)COL_NEEDS_PREFETCHES == (int)SL_NEEDS_PREFETCHES,
                   "the protocol's bits are the design's");
    uint32_t needs = of_cell & (COL_NEEDS_REPLACEMENT - 1);
    for (uint32_t m = 0; m < s->design.protocol->machine_count; m++) {
        const uint32_t level = s->design.vary == NULL ? level_of(s, m) : COL_MAX_LEVELS;
        if (!s->design.wiring.machines[m].is_role &&
            (of_cell >> SL_NEEDS_REPLACEMENT >> m & 1) != 0 && level < COL_MAX_LEVELS)
            needs |= (uint32_t)COL_NEEDS_REPLACEMENT << level;
    }
    return needs;
}

static void list_points(simulator *s, const sl_machine *machine, slicc_reached *taken,
                        uint32_t point) {
    for (uint32_t i = 0; i < cells_of(machine); i++) {
        if (!sim_is_transition(&machine->cells[i]))
            continue;
        const bool is_reached = (machine->cells[i].flags & SL_REACHED) != 0;
        s->points[point] = (col_duv_point){.state = machine->states[i / machine->event_count],
                                           .event = machine->events[i % machine->event_count],
                                           .reachable = is_reached};
        s->description.reachable_known = s->description.reachable_known || is_reached;
        s->sources[point] = (col_duv_source){.file = machine->file, .line = machine->lines[i]};
        s->needs[point] = needs_of(s, machine->needs[i]);
        if (slicc_reached_has(taken, machine->name, s->points[point].state, s->points[point].event))
            s->needs[point] |= COL_TAKEN_HERE;
        s->cells[point++] = i;
    }
}

static col_status describe_machines(simulator *s, col_problem *problem) {
    const sl_protocol *protocol = s->design.protocol;
    col_duv_description *d = &s->description;
    for (uint32_t m = 0; m < protocol->machine_count; m++) {
        const sim_machine_wiring *wiring = &s->widest->machines[m];
        s->machines[m] =
            (col_duv_machine){.name = protocol->machines[m]->name,
                              .controllers = wiring->count,
                              .is_private = wiring->is_private && wiring->sequencers == 1,
                              .first_point = d->point_count,
                              .point_count = count_points(protocol->machines[m], wiring)};
        d->point_count += s->machines[m].point_count;
    }
    const size_t count = (size_t)d->point_count + 1;
    const base_part parts[] = {BASE_PART(s->points, count),
                               BASE_PART(s->cells, count),
                               BASE_PART(s->needs, count),
                               BASE_PART(s->sources, count),
                               {NULL, 0}};
    BASE_TRY(base_arena_divide(&s->arena, parts, problem));
    slicc_reached taken = {0};
    const col_status status = sim_taken_read(&taken, &s->design, &s->design.wiring, problem);
    for (uint32_t m = 0; status == COL_OK && m < protocol->machine_count; m++)
        if (s->machines[m].point_count > 0)
            list_points(s, protocol->machines[m], &taken, s->machines[m].first_point);
    slicc_reached_free(&taken);
    if (status != COL_OK)
        return status;
    d->machine_count = protocol->machine_count;
    d->machines = s->machines;
    d->points = s->points;
    d->sources = s->sources;
    d->needs = s->is_changed ? NULL : s->needs;
    return COL_OK;
}

/* ---- Names. */

static col_status describe_names(simulator *s, col_problem *problem) {
    enum { INVALID = SL_NO_PERMISSION, NOT_PRESENT }; /* of AccessPermission */
    const sl_protocol *protocol = s->design.protocol;
    size_t states = 0;
    for (uint32_t m = 0; m < protocol->machine_count; m++)
        states += protocol->machines[m]->state_count;
    bool *empty = base_arena_take(&s->arena, (states + 1) * sizeof *empty);
    if (empty == NULL)
        return base_out_of_memory(problem);
    for (uint32_t m = 0; m < protocol->machine_count; m++) {
        const sl_machine *machine = protocol->machines[m];
        s->names[m] = (col_duv_names){.state_count = machine->state_count,
                                      .event_count = machine->event_count,
                                      .states = machine->states,
                                      .events = machine->events,
                                      .empty = empty};
        /* A shared level that knows of a block has no valid copy if a core has a newer one. */
        const bool is_private = s->design.wiring.machines[m].is_private;
        for (uint32_t i = 0; i < machine->state_count; i++)
            *empty++ = machine->permissions[i] == NOT_PRESENT ||
                       (machine->permissions[i] == INVALID && is_private);
    }
    s->description.names = s->names;
    return COL_OK;
}

/* ---- Geometry. */

static bool is_for_instructions(const sim_machine_wiring *w, const sim_cache_shape *cache) {
    return w->cache_count > 1 && strstr(cache->name, "Icache") != NULL;
}

/* The bits that select one of several controllers count as index bits: see prg_geometry_check. */
static void add_levels(const sl_machine *machine, const sim_machine_wiring *w, col_geometry *g) {
    uint32_t data_caches = 0;
    for (uint32_t i = 0; i < w->cache_count; i++)
        data_caches += !is_for_instructions(w, &w->caches[i]);
    for (uint32_t i = 0; i < w->cache_count && g->level_count < COL_MAX_LEVELS; i++) {
        const sim_cache_shape *cache = &w->caches[i];
        if (is_for_instructions(w, cache))
            continue;
        const uint64_t sets = cache->bytes / SL_BLOCK_BYTES / cache->ways;
        col_cache_level *level = &g->levels[g->level_count++];
        level->index_low = SL_BLOCK_BITS;
        level->index_bits = sim_bits_of((uint32_t)sets) + w->index_skip;
        level->ways = cache->ways;
        name_level(machine, cache, data_caches == 1, level);
    }
}

/* Do the machines next to the cores take such requests? */
static bool takes(const sim_design *design, int32_t type) {
    for (uint32_t m = 0; m < design->protocol->machine_count; m++)
        if (design->wiring.machines[m].has_sequencer &&
            sl_takes(design->protocol->machines[m], type))
            return true;
    return false;
}

/* Lazy protocols get atomics as such. */
static bool takes_conditionals(const sim_design *design) {
    const sim_way way = design->wiring.core.atomics;
    return takes(design, SL_STORE_CONDITIONAL) && !takes(design, SL_ACQUIRE) &&
           (way == SIM_ANY_WAY || way == SIM_LINKED);
}

static bool prefetches(const sim_design *design) {
    for (uint32_t m = 0; m < design->protocol->machine_count; m++)
        if (design->wiring.machines[m].has_sequencer &&
            sim_prefetch_queue(design->protocol->machines[m]) != NULL)
            return true;
    return false;
}

static col_status describe_design(simulator *s, col_problem *problem) {
    s->description = (col_duv_description){.name = s->design.name,
                                           .cores = s->design.wiring.cores,
                                           .model = s->design.wiring.model,
                                           .fetches = takes(&s->design, SL_IFETCH),
                                           .prefetches = prefetches(&s->design),
                                           .conditionals = takes_conditionals(&s->design),
                                           .dma = sim_wiring_has_dma(&s->design.wiring),
                                           .draws = s->design.vary != NULL,
                                           .edited = s->edited,
                                           .edited_count = s->edited_count};
    /* From the cores to memory: the private machine beside the core, other private ones, shared
     * ones; not what has instructions alone. */
    s->description.geometry = (col_geometry){.block_bits = SL_BLOCK_BITS};
    for (uint32_t distance = 0; distance < 3; distance++)
        for (uint32_t m = 0; m < s->design.protocol->machine_count; m++) {
            const sim_machine_wiring *w = &s->widest->machines[m];
            const uint32_t own = !w->is_private ? 2 : w->has_sequencer ? 0 : 1;
            if (own == distance && w->count > 0 && !w->is_fetcher && !w->is_io)
                add_levels(s->design.protocol->machines[m], w, &s->description.geometry);
        }
    col_status status = describe_names(s, problem);
    if (status == COL_OK)
        status = describe_machines(s, problem);
    if (status != COL_OK || !s->description.draws)
        return status;
    s->uncollected =
        base_arena_take(&s->arena, ((size_t)col_duv_functional_count(&s->description) + 1) *
                                       sizeof *s->uncollected);
    return s->uncollected == NULL ? base_out_of_memory(problem) : COL_OK;
}

/* ---- The interface. */

static void close_simulator(void *state) {
    simulator *s = state;
    sim_bench_free(&s->bench);
    sim_system_free(s->system);
    sim_design_error_free(s->wrong);
    sim_plugin_close(&s->mutated);
    sim_design_close(&s->design);
    base_text_free(&s->configured);
    base_arena_free(&s->arena);
    free(s);
}

static col_status open_design(simulator *s, const col_duv_settings *settings,
                              col_problem *problem) {
    const sim_request asked = {.cores = settings->cores,
                               .choices = s->options.choices,
                               .choice_count = s->options.choice_count};
    /* The first complaint is in the problem. */
    BASE_TRY(sim_design_open_as(&s->design, settings->name, &asked, NULL, problem));
    if (s->design.wiring.core.mode == SIM_SIMPLE)
        return base_refuse(
            problem,
            "the cores of %s are simple ones, which promise no memory model; give it "
            "sc, tso or weak cores",
            s->design.name);
    return COL_OK;
}

static void add_edited(simulator *s, uint32_t machine, uint32_t state, uint32_t event) {
    if (s->edited_count < sizeof s->edited / sizeof s->edited[0])
        s->edited[s->edited_count++] =
            (col_duv_cell){.machine = machine, .state = state, .event = event};
}

/* The cells that design errors or the mutant change. */
static col_status list_edited(simulator *s, col_problem *problem) {
    for (const sim_design_error *e = s->wrong; e != NULL; e = e->next)
        for (uint32_t i = 0; i < e->edit_count; i++) {
            sim_edit cell;
            BASE_TRY(sim_design_error_cell(e, i, s->design.protocol, &cell, problem));
            add_edited(s, cell.machine, cell.state, cell.event);
        }
    if (s->mutant.number != 0 && s->mutant.kind <= SIM_MUTANT_DROP)
        add_edited(s, s->mutant.machine, s->mutant.state, s->mutant.event);
    return COL_OK;
}

/* What options and the design error make of a wiring. */
static col_status finish_wiring(const simulator *s, sim_wiring *wiring, col_problem *problem) {
    duv_options_wire(&s->options, wiring);
    return s->wrong == NULL ? COL_OK
                            : sim_design_error_wire(s->wrong, s->design.protocol, wiring, problem);
}

static col_status build_system(simulator *s, const sim_wiring *wiring, col_problem *problem) {
    col_status status = sim_system_new(&s->system, s->design.protocol, wiring, problem);
    if (status == COL_OK && s->mutant.number != 0)
        status = sim_mutant_apply(s->system, &s->mutant, problem);
    if (status == COL_OK && s->wrong != NULL)
        status = sim_design_error_apply(s->wrong, s->system, problem);
    return status;
}

static col_status open_parts(simulator *s, const col_duv_settings *settings, col_problem *problem) {
    col_status status = duv_options_read(&s->options, settings->options, problem);
    if (status == COL_OK)
        status = open_design(s, settings, problem);
    if (status == COL_OK)
        status = sim_mutant_prepare(&s->design, settings->mutant, &s->mutated, &s->mutant, problem);
    if (status == COL_OK && settings->error != NULL)
        status = sim_design_error_open(&s->wrong, settings->error, s->design.protocol, problem);
    if (status == COL_OK)
        status = finish_wiring(s, &s->design.wiring, problem);
    if (status == COL_OK)
        status = build_system(s, &s->design.wiring, problem);
    if (status == COL_OK)
        status = list_edited(s, problem);
    s->widest = s->design.vary == NULL ? &s->design.wiring : sim_vary_widest(s->design.vary);
    return status == COL_OK ? describe_design(s, problem) : status;
}

static col_status open_simulator(void **state, const col_duv_settings *settings,
                                 col_problem *problem) {
    if (settings->name == NULL)
        return base_refuse(problem, "the simulator is opened by the name of a design");
    simulator *s = NULL;
    BASE_TRY(base_new(&s, 1, sizeof *s, problem));
    s->is_changed = settings->error != NULL || settings->mutant != 0;
    return duv_opened(state, s, open_parts(s, settings, problem), close_simulator);
}

static const col_duv_description *describe(void *state) {
    return &((const simulator *)state)->description;
}

static col_status load(void *state, const col_program *program, col_problem *problem) {
    (void)problem;
    ((simulator *)state)->program = program;
    return COL_OK;
}

static col_run_end end_of(const sim_system *system) {
    if (!system->failure.happened)
        return system->stopped ? COL_RUN_STOPPED : COL_RUN_COMPLETE;
    switch (system->failure.event.kind) {
    case COL_DEADLOCK:
        return system->failure.is_starvation ? COL_RUN_STARVED : COL_RUN_DEADLOCK;
    case COL_INVARIANT_BROKEN:
        return COL_RUN_INVARIANT;
    default:
        return COL_RUN_PROTOCOL_ERROR;
    }
}

/* ---- Hits. */

/* Takes the hits of a controller's points out of the system. */
static void take_hits(const simulator *s, uint32_t machine, uint32_t *counts, uint64_t *hits,
                      uint32_t *kept) {
    const uint32_t *cells = s->cells + s->machines[machine].first_point;
    for (uint32_t p = 0; p < s->machines[machine].point_count; p++) {
        if (counts[cells[p]] == 0)
            continue;
        if (hits != NULL)
            hits[p] += counts[cells[p]];
        else if (kept != NULL)
            kept[p] += counts[cells[p]];
        counts[cells[p]] = 0;
    }
}

/* Adds to `hits`; or, if that is NULL, to those that are kept. After every instance, and in a large
 * system most points of most controllers were not hit. */
static void take_all_hits(simulator *s, uint64_t *hits) {
    uint32_t *kept = s->uncollected;
    for (uint32_t m = 0; m < s->description.machine_count; m++) {
        const uint32_t points = s->machines[m].point_count;
        uint32_t *counts = s->system->counts[m];
        for (uint32_t c = 0; c < s->machines[m].controllers; c++) {
            if (c < s->system->wiring.machines[m].count)
                take_hits(s, m, counts, hits, kept);
            counts += cells_of(s->design.protocol->machines[m]);
            hits = hits == NULL ? NULL : hits + points;
            kept = kept == NULL ? NULL : kept + points;
        }
    }
}

static void collect(void *state, uint64_t *hits) {
    simulator *s = state;
    if (s->system != NULL)
        take_all_hits(s, hits);
    for (uint32_t i = 0; s->has_uncollected && i < col_duv_functional_count(&s->description); i++) {
        hits[i] += s->uncollected[i];
        s->uncollected[i] = 0;
    }
    s->has_uncollected = false;
}

/* ---- Running. */

/* The system in the configuration that the seed draws. */
static col_status configure(simulator *s, uint64_t seed, col_problem *problem) {
    const uint32_t configuration = (uint32_t)(seed >> 32);
    if (s->design.vary == NULL || (s->is_drawn && s->configuration == configuration))
        return COL_OK;
    if (s->system != NULL)
        take_all_hits(s, NULL);
    s->has_uncollected = true;
    sim_change_undo(&s->bench, 0);
    sim_system_free(s->system);
    s->system = NULL;
    sim_vary_draw(s->design.vary, configuration, &s->drawn);
    s->configured.length = 0;
    base_text_add(&s->configured, "configuration: ");
    sim_vary_tell(s->design.vary, &s->configured);
    base_text_add(&s->configured, "\n");
    col_status status = base_text_status(&s->configured, problem);
    if (status == COL_OK)
        status = finish_wiring(s, &s->drawn, problem);
    if (status == COL_OK)
        status = build_system(s, &s->drawn, problem);
    if (status != COL_OK) {
        sim_system_free(s->system);
        s->system = NULL;
    }
    s->configuration = configuration;
    s->is_drawn = status == COL_OK;
    return status;
}

uint32_t duv_simulator_keys(void *state) {
    const simulator *s = state;
    return s->design.vary == NULL ? 0 : sim_vary_count(s->design.vary);
}

void duv_simulator_drawn(void *state, uint32_t configuration, uint8_t *values) {
    const simulator *s = state;
    sim_vary_classes(s->design.vary, configuration, values);
}

sim_bench *duv_simulator_bench(void *state) {
    simulator *s = state;
    s->bench.system = s->system;
    return &s->bench;
}

static col_status run_instance(void *state, uint64_t seed, const col_observer *observer,
                               const volatile int *stop, col_run *run, col_problem *problem) {
    simulator *s = state;
    sim_result result;
    BASE_TRY(configure(s, seed, problem));
    const col_event event = {.kind = COL_OUTPUT, .message = s->configured.data};
    if (s->design.vary != NULL && observer != NULL && (observer->kinds >> COL_OUTPUT & 1) != 0)
        observer->notice(observer->context, &event);
    s->system->stop = stop;
    col_status status =
        sim_system_run(s->system, s->program, seed, false, observer, &result, problem);
    s->system->stop = NULL;
    if (status != COL_OK)
        return status;
    run->end = end_of(s->system);
    run->cycles = result.cycles;
    run->operations = result.operations;
    const char *message = s->system->failure.happened ? s->system->failure.text
                          : s->system->stopped        ? "the run was stopped"
                                                      : "";
    base_sentence(run->message, sizeof run->message, "%s", message);
    return COL_OK;
}

const col_duv_interface duv_simulator = {
    .version = COL_DUV_VERSION,
    .name = "simulator",
    .open = open_simulator,
    .close = close_simulator,
    .describe = describe,
    .load = load,
    .run = run_instance,
    .collect = collect,
};

/* What a design of the built-in simulator is: its file, its protocol, its design error. */

/* Its own file, if it has one. */
static void add_design_file(duv_hasher *h, const char *what) {
    base_library list;
    col_problem problem;
    if (sim_is_design_file(what)) {
        duv_hash_file(h, what);
        return;
    }
    if (!duv_hash_done(h, sim_design_list_make(&list, &problem), &problem))
        return;
    const base_library_file *entry = base_library_find(&list, what);
    if (entry != NULL && entry->path[0] != '\0')
        duv_hash_file(h, entry->path);
    base_library_free(&list);
}

/* Of a user's protocol: the C that it becomes, which follows from its files. */
static void add_protocol(duv_hasher *h, const sim_design *design) {
    base_text c = {0}, complaints = {0};
    col_problem problem;
    char name[SLICC_MOST_NAME];
    if (design->plugin.source[0] == '\0')
        duv_hash_word(
            h, sim_built_in_hash(design->roles != NULL ? design->roles->of : design->protocol));
    else if (duv_hash_done(
                 h, slicc_translate(design->plugin.source, NULL, &c, name, &complaints, &problem),
                 &problem))
        duv_hash_bytes(h, c.data, c.length);
    base_text_free(&c);
    base_text_free(&complaints);
}

static void add_opened(duv_hasher *h, const sim_design *design, const char *error_name,
                       duv_identity *identity) {
    duv_hash_begin(h);
    add_protocol(h, design);
    duv_hash_end(h, identity->protocol);
    duv_hash_begin(h);
    if (error_name != NULL) {
        sim_design_error *wrong = NULL;
        col_problem problem;
        if (duv_hash_done(h, sim_design_error_open(&wrong, error_name, design->protocol, &problem),
                          &problem))
            for (const sim_design_error *e = wrong; e != NULL; e = e->next)
                if (e->has_file)
                    duv_hash_file(h, e->path);
                else
                    duv_hash_word(h, error_name);
        else
            duv_hash_word(h, "no such error");
        sim_design_error_free(wrong);
    }
    duv_hash_end(h, identity->error);
    identity->cores = design->wiring.cores;
}

void duv_simulator_identify(duv_hasher *h, const char *what, const char *error_name,
                            duv_identity *identity) {
    sim_design design;
    col_problem problem;
    identity->cores = SIM_USUAL_CORES;
    add_design_file(h, what);
    duv_hash_end(h, identity->file);
    /* The number of cores matters to the wiring alone, which is the file's and the protocol's. */
    if (duv_hash_done(h, sim_design_open(&design, what, 0, NULL, &problem), &problem)) {
        add_opened(h, &design, error_name, identity);
        sim_design_close(&design);
    } else {
        duv_hash_word(h, "cannot be opened");
    }
}
