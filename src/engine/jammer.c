/* SPDX-License-Identifier: MIT */
/*
 * MCjammer on designs: an agent for each core, with the dichotomic FSM of an abstract protocol. In
 * a test the agents jam some blocks as they would the abstract ones, and what each does is its
 * thread. Nothing keeps the threads in step, so that the design sees the agents' plans race. The
 * agents' visits are those of the abstract protocol: they are told no names of coverage points.
 */
#include "base/memory.h"
#include "engine/engine.h"
#include "engine/tour/jammer_agents.h"
#include "engine/tour_engine.h"

#include <stdlib.h>
#include <string.h>

typedef struct jammer_parameters {
    uint64_t protocol, levels;
    double fences;
} jammer_parameters;

static const base_field parameters[] = {
    {BASE_FIELD("protocol", BASE_WORD, jammer_parameters, protocol), .initial = "moesi",
     .words = col_tour_protocols, .help = "whose dichotomic FSM the agents have"},
    {BASE_FIELD("levels", BASE_NUMBER, jammer_parameters, levels), .least = 1,
     .most = COL_MAX_LEVELS,
     .help = "cache levels that evictions reach; any number, drawn for each test"},
    {BASE_FIELD("fences", BASE_REAL, jammer_parameters, fences), .initial = "0.04", .high = 0.9,
     .help = "the chance of a fence before an operation"},
    {.name = NULL}};

typedef struct jammer {
    jammer_parameters parameters;
    col_engine_settings settings; /* without its texts */
    tour_space space;
    tour_dichotomy dichotomy;
    uint64_t test;
    tour_agent *agents; /* one for each thread */
    /* The test under way. */
    dir_layout layout;
    tour_jam_block *blocks;
    size_t block_capacity;
    uint32_t block_count, set_count;
    dir_steps steps;
    uint32_t most, values;
    uint32_t *order; /* of threads */
} jammer;

/* ---- Locations: for each set the rivals, which drive blocks out, then the blocks, set by set in
 * turn. The agents' blocks of a set compete with each other, too. */

static uint32_t rival_count(const jammer *j) {
    return j->set_count * j->layout.ways;
}

/* ---- What a test is like. */

/* Of a space with fewer cores than there are threads each block has others. */
static void choose_agents(jammer *j, tour_jam_block *block, base_rng *rng) {
    tour_jam_block_reset(block);
    if (j->space.cores == j->settings.threads)
        return;
    base_rng_shuffle(rng, j->order, j->settings.threads);
    memcpy(block->agents, j->order, j->space.cores * sizeof *block->agents);
}

static col_status begin_test(jammer *j, base_rng *rng, col_problem *problem) {
    uint32_t levels = (uint32_t)j->parameters.levels;
    if (levels == 0)
        levels = 1 + (uint32_t)base_rng_below(rng, j->settings.geometry.level_count);
    BASE_TRY(dir_layout_make(&j->layout, &j->settings.geometry, levels, problem));
    j->most = dir_draw_size(j->settings.operations, rng);
    const uint32_t locations = dir_draw_size(j->settings.locations, rng);
    /* Sets that the locations lie in: a power of two, so few that each has a block and what drives
     * it out. */
    uint64_t most = locations / (1 + j->layout.ways);
    most = most < dir_layout_sets(&j->layout) ? most : dir_layout_sets(&j->layout);
    j->set_count = dir_draw_size((col_range){1, most == 0 ? 1 : (uint32_t)most}, rng);
    const uint32_t rivals = rival_count(j);
    j->block_count = locations > rivals ? locations - rivals : 1;
    j->steps.count = j->values = 0;
    BASE_TRY(
        base_reserve(&j->blocks, &j->block_capacity, j->block_count, sizeof *j->blocks, problem));
    BASE_TRY(dir_steps_reserve(&j->steps, j->most, problem));
    for (uint32_t i = 0; i < j->settings.threads; i++)
        j->order[i] = i;
    for (uint32_t b = 0; b < j->block_count; b++)
        choose_agents(j, &j->blocks[b], rng);
    return COL_OK;
}

/* ---- From operations of the agents to those of a program. */

/* What has no room is left out. */
static void add(jammer *j, uint32_t thread, col_operation operation) {
    if (j->steps.count < j->most)
        j->steps.items[j->steps.count++] = (dir_step){thread, operation};
}

static void act(jammer *j, uint32_t block, col_tour_operation operation) {
    const uint32_t thread = j->blocks[block].agents[operation.core];
    const uint32_t location = rival_count(j) + block;
    const uint32_t first_rival = block % j->set_count * j->layout.ways;
    if (operation.kind == COL_TOUR_LOAD)
        add(j, thread, (col_operation){.kind = COL_LOAD, .location = location});
    else if (operation.kind == COL_TOUR_STORE)
        add(j, thread,
            (col_operation){.kind = COL_STORE, .location = location, .value = ++j->values});
    else
        for (uint32_t r = 0; r < j->layout.ways; r++)
            add(j, thread, (col_operation){.kind = COL_LOAD, .location = first_rival + r});
}

/* ---- The engine. */

static void close_engine(void *state) {
    jammer *j = state;
    free(j->agents);
    free(j->blocks);
    dir_steps_free(&j->steps);
    free(j->order);
}

static col_status open_engine(void *state, const dir_engine *kind,
                              const col_engine_settings *settings, col_problem *problem) {
    jammer *j = state;
    const uint32_t threads = settings->threads;
    BASE_TRY(
        dir_parameters_read(parameters, kind->name, settings->options, &j->parameters, problem));
    BASE_TRY(dir_layout_check(kind->name, settings, problem));
    j->settings = *settings;
    j->settings.mix = j->settings.options = NULL;
    j->space = (tour_space)TOUR_ONE_LEVEL((col_tour_protocol)j->parameters.protocol,
                                          threads < TOUR_MOST_CORES ? threads : TOUR_MOST_CORES);
    tour_dichotomy_of(&j->space, &j->dichotomy);
    BASE_TRY(base_new(&j->agents, threads, sizeof *j->agents, problem));
    BASE_TRY(base_new(&j->order, threads, sizeof *j->order, problem));
    return dir_layout_make(&j->layout, &settings->geometry, (uint32_t)j->parameters.levels,
                           problem);
}

static col_status next_test(void *state, const col_feedback *feedback, col_program *program,
                            col_point *point, col_problem *problem) {
    jammer *j = state;
    base_rng rng;
    (void)feedback;
    base_rng_seed(&rng, j->settings.seed, j->test);
    BASE_TRY(begin_test(j, &rng, problem));
    const col_operation fence = {.kind = COL_FENCE, .fence = COL_FULL_FENCE};
    while (j->steps.count < j->most) {
        const uint32_t block = (uint32_t)base_rng_below(&rng, j->block_count);
        if (base_rng_unit(&rng) < j->parameters.fences)
            add(j, (uint32_t)base_rng_below(&rng, j->settings.threads), fence);
        act(j, block, tour_jam_step(&j->space, &j->dichotomy, j->agents, &j->blocks[block], &rng));
    }
    BASE_TRY(dir_steps_write(&j->steps, j->settings.threads, rival_count(j) + j->block_count,
                             program, problem));
    const uint64_t sets = dir_layout_sets(&j->layout), first = base_rng_below(&rng, sets);
    const uint32_t rivals = rival_count(j), ways = j->layout.ways;
    for (uint32_t l = 0; l < rivals; l++)
        program->addresses[l] = dir_layout_address(&j->layout, (first + l / ways) % sets, l % ways);
    for (uint32_t b = 0; b < j->block_count; b++) {
        const uint64_t set = (first + b % j->set_count) % sets;
        program->addresses[rivals + b] =
            dir_layout_address(&j->layout, set, ways + b / j->set_count);
    }
    j->test++;
    *point = (col_point){
        .operations = j->steps.count, .locations = program->location_count, .sets = j->set_count};
    return COL_OK;
}

/* ---- What agents remember: the visits of possible transitions, agent by agent. */

static json_t *save_engine(const void *state) {
    const jammer *j = state;
    json_t *visits = json_array();
    for (uint32_t a = 0; a < j->settings.threads; a++)
        for (uint32_t i = 0; i < j->dichotomy.transition_count; i++)
            base_json_append(&visits,
                             json_integer(j->agents[a].visits[j->dichotomy.transitions[i]]));
    return json_pack("{s:I, s:o}", "test", (json_int_t)j->test, "visits", visits);
}

static col_status restore_engine(void *state, const json_t *saved, col_problem *problem) {
    jammer *j = state;
    const json_t *visits = json_object_get(saved, "visits");
    const uint32_t count = j->dichotomy.transition_count;
    bool is_good = base_json_take(saved, "test", &j->test) &&
                   json_array_size(visits) == (size_t)j->settings.threads * count;
    for (size_t i = 0; is_good && i < json_array_size(visits); i++) {
        const uint64_t number = base_json_number(json_array_get(visits, i), &is_good);
        is_good = is_good && number <= UINT32_MAX;
        j->agents[i / count].visits[j->dichotomy.transitions[i % count]] = (uint32_t)number;
    }
    if (!is_good)
        return base_refuse(problem,
                           "the saved state of a jammer needs its test and the %u visits of "
                           "each of its %u agents",
                           count, j->settings.threads);
    return COL_OK;
}

const dir_functions dir_jammer = {.size = sizeof(jammer),
                                  .open = open_engine,
                                  .close = close_engine,
                                  .next = next_test,
                                  .save = save_engine,
                                  .restore = restore_engine};
