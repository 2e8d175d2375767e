/* SPDX-License-Identifier: MIT */
/*
 * Tours as tests. What a program does is read from the program alone: it is run by a little machine
 * in which at most one thread can ever move, and its loads, stores and evictions are counted by the
 * executor of the abstract protocol. On designs, operations must perform in that order, and private
 * caches must be in the states of the abstract ones.
 */
#include "synthetic.h"

#include "collider/duv.h"
#include "engine/tour/state_space.h"
#include "engine/tour/tour.h"
#include "engine/tour_engine.h"
#include "program/geometry.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 1 << 20, WAYS = 2, THREADS = 4 };

/* ---- A program, in its only order. */

typedef struct sequence {
    uint32_t *operations, count; /* indices into the program's */
} sequence;

static bool can_move(const col_program *program, const uint32_t *next, const uint32_t *words,
                     uint32_t thread) {
    if (next[thread] == program->thread_start[thread + 1])
        return false;
    const col_operation *o = &program->operations[next[thread]];
    return o->kind != COL_AWAIT || words[o->location] == o->value;
}

static void run_alone(const col_program *program, sequence *s) {
    uint32_t next[64], words[64] = {0};
    assert_true(program->thread_count <= 64 && program->location_count <= 64);
    s->operations = calloc(col_program_operations(program), sizeof *s->operations);
    assert_non_null(s->operations);
    s->count = 0;
    memcpy(next, program->thread_start, program->thread_count * sizeof *next);
    for (;;) {
        uint32_t movers = 0, mover = 0;
        for (uint32_t t = 0; t < program->thread_count; t++)
            if (can_move(program, next, words, t)) {
                movers++;
                mover = t;
            }
        if (movers == 0)
            break;
        assert_int_equal(movers, 1);
        const col_operation *o = &program->operations[next[mover]];
        if (o->kind == COL_STORE)
            words[o->location] = o->value;
        s->operations[s->count++] = next[mover]++;
    }
    assert_int_equal(s->count, col_program_operations(program));
}

/* The operation of the protocol that one of a program stands for. False: none, or it goes on. */
static bool abstract_of(const col_program *program, uint32_t index, col_tour_operation *operation) {
    const col_operation *o = &program->operations[index];
    *operation = (col_tour_operation){.core = (uint8_t)col_program_thread_of(program, index)};
    if (!col_kinds[o->kind].located || o->location > 1)
        return false;
    operation->kind = o->kind == COL_FLUSH || o->location == 1 ? COL_TOUR_EVICT
                      : o->kind == COL_STORE                   ? COL_TOUR_STORE
                                                               : COL_TOUR_LOAD;
    return true;
}

/* The other loads of an eviction follow the first, and nothing but fences is between them. */
static void check_eviction(const col_program *program, const sequence *s, uint32_t at) {
    const uint32_t first = s->operations[at];
    for (uint32_t l = 1; l < WAYS; l++) {
        assert_true(at + 2 * l < s->count);
        assert_int_equal(s->operations[at + 2 * l], first + 2 * l);
        assert_int_equal(program->operations[first + 2 * l - 1].kind, COL_FENCE);
        assert_int_equal(program->operations[first + 2 * l].kind, COL_LOAD);
        assert_int_equal(program->operations[first + 2 * l].location, 1 + l);
    }
}

/* ---- Tests together are a tour. */

static col_engine_settings settings_of(uint32_t most_operations, const char *options) {
    col_engine_settings settings =
        synthetic_settings((col_range){1, most_operations}, (col_range){4, 8}, 3);
    settings.options = options;
    return settings;
}

static void count_program(const col_program *program, tour_count *count) {
    sequence s;
    run_alone(program, &s);
    count->state = TOUR_INITIAL;
    for (uint32_t i = 0; i < s.count; i++) {
        col_tour_operation operation;
        if (!abstract_of(program, s.operations[i], &operation))
            continue;
        assert_true(tour_count_take(count, operation));
        if (operation.kind == COL_TOUR_EVICT)
            check_eviction(program, &s, i);
    }
    free(s.operations);
}

/* Returns the operations of all tests together. */
static uint64_t check_tour(const char *protocol, const char *method, const tour_space *space,
                           uint32_t most_operations) {
    char options[64];
    tour_count count;
    uint64_t operations = 0;
    (void)snprintf(options, sizeof options, "protocol=%s,method=%s,cores=%u", protocol, method,
                   space->cores);
    const col_engine_settings settings = settings_of(most_operations, options);
    synthetic_walk w = synthetic_start("tour", &settings, 1, 1000);
    assert_int_equal(tour_count_begin(&count, space, NULL), COL_OK);
    while (synthetic_step(&w)) {
        col_problem problem = {0};
        if (col_program_check(&w.program, &problem) != COL_OK)
            fail_msg("%s", problem.message);
        assert_true(w.point.operations <= (most_operations < 56 ? 56 : most_operations));
        operations += w.point.operations;
        assert_int_equal(w.program.location_count, 1 + WAYS + space->cores);
        count_program(&w.program, &count);
        (void)synthetic_run(&w.design, &w.point);
    }
    assert_int_equal(count.covered, tour_transition_count(space));
    assert_false(synthetic_step(&w)); /* and stays through */
    assert_true(operations <= most_operations || w.design.feedback.tests > 1);
    tour_count_end(&count);
    synthetic_end(&w);
    return operations;
}

TEST(all_transitions_are_visited) {
    static const char *const methods[] = {"euler", "postman"};
    for (int p = 0; p < COL_TOUR_PROTOCOL_COUNT; p++)
        for (int m = 0; m < 2; m++)
            for (uint32_t cores = TOUR_LEAST_CORES; cores <= THREADS; cores++) {
                const tour_space space = TOUR_ONE_LEVEL((col_tour_protocol)p, cores);
                const uint64_t whole =
                    check_tour(col_tour_protocols[p], methods[m], &space, MOST_STEPS);
                const uint64_t pieces = check_tour(col_tour_protocols[p], methods[m], &space, 56);
                (void)check_tour(col_tour_protocols[p], methods[m], &space,
                                 1); /* more if it must be */
                if (whole <= 56)
                    assert_int_equal(pieces, whole);
            }
}

/* A test that is long enough is the tour itself. */
typedef struct listing {
    col_tour_operation operations[1 << 14];
    uint32_t count, at;
} listing;

static bool list(void *context, col_tour_operation operation) {
    listing *l = context;
    l->operations[l->count++] = operation;
    return true;
}

TEST(one_large_test_is_the_whole_tour) {
    static listing l;
    const tour_space space = TOUR_ONE_LEVEL(COL_TOUR_MOESI, THREADS);
    l = (listing){.count = 0};
    const col_engine_settings settings = settings_of(MOST_STEPS, "method=euler");
    synthetic_walk w = synthetic_start("tour", &settings, 1, 1000);
    assert_true(tour_euler(&space, (tour_sink){list, &l}));
    assert_true(synthetic_step(&w));
    sequence s;
    run_alone(&w.program, &s);
    for (uint32_t i = 0; i < s.count; i++) {
        col_tour_operation operation;
        if (!abstract_of(&w.program, s.operations[i], &operation))
            continue;
        assert_true(l.at < l.count);
        assert_memory_equal(&operation, &l.operations[l.at++], sizeof operation);
    }
    assert_int_equal(l.at, l.count);
    free(s.operations);
    synthetic_end(&w);
}

/* From an operation in the middle the test begins with the way there. */
TEST(a_tour_from_the_middle_starts_by_walking_there) {
    static listing l;
    const tour_space space = TOUR_ONE_LEVEL(COL_TOUR_MESI, THREADS);
    enum { FROM = 100 };
    tour_state there = TOUR_INITIAL;
    col_tour_operation walk[DIR_MOST_WALK], operation;
    l = (listing){.count = 0};
    (void)tour_postman(&space, (tour_sink){list, &l});
    for (uint32_t i = 0; i < FROM; i++)
        there = tour_after(&space, &there, l.operations[i]);
    const uint32_t length = dir_tour_walk(&space, &there, walk);
    const col_engine_settings settings = settings_of(MOST_STEPS, "protocol=mesi,from=100");
    synthetic_walk w = synthetic_start("tour", &settings, 1, 1000);
    assert_true(synthetic_step(&w));
    sequence s;
    run_alone(&w.program, &s);
    uint32_t seen = 0;
    for (uint32_t i = 0; i < s.count; i++) {
        if (!abstract_of(&w.program, s.operations[i], &operation))
            continue;
        const col_tour_operation expected =
            seen < length ? walk[seen] : l.operations[FROM + seen - length];
        assert_memory_equal(&operation, &expected, sizeof operation);
        seen++;
    }
    assert_int_equal(seen, length + l.count - FROM);
    free(s.operations);
    synthetic_end(&w);
}

/* To every state, by as few operations as any way takes. */
TEST(walks_to_every_state_are_shortest) {
    for (int p = 0; p < COL_TOUR_PROTOCOL_COUNT; p++)
        for (uint32_t cores = TOUR_LEAST_CORES; cores <= 6; cores++) {
            const tour_space space = TOUR_ONE_LEVEL((col_tour_protocol)p, cores);
            const uint64_t states = tour_state_count(&space);
            uint32_t *distance = calloc(states, sizeof *distance);
            uint64_t *queue = calloc(states, sizeof *queue), reached = 1;
            assert_non_null(distance);
            assert_non_null(queue);
            for (uint64_t i = 0; i < reached; i++)
                for (uint32_t o = 0; o < TOUR_KIND_COUNT * cores; o++) {
                    const tour_state from = tour_numbered_state(&space, queue[i]);
                    const col_tour_operation operation = {(uint8_t)(o / cores),
                                                          (uint8_t)(o % cores)};
                    if (!tour_is_possible(&space, &from, operation))
                        continue;
                    const tour_state to = tour_after(&space, &from, operation);
                    const uint64_t number = tour_state_number(&space, &to);
                    if (number == 0 || distance[number] != 0)
                        continue;
                    distance[number] = distance[queue[i]] + 1;
                    queue[reached++] = number;
                }
            assert_int_equal(reached, states);
            for (uint64_t number = 0; number < states; number++) {
                const tour_state to = tour_numbered_state(&space, number);
                col_tour_operation walk[DIR_MOST_WALK];
                tour_state at = TOUR_INITIAL;
                const uint32_t length = dir_tour_walk(&space, &to, walk);
                assert_int_equal(length, distance[number]);
                for (uint32_t i = 0; i < length; i++)
                    at = tour_after(&space, &at, walk[i]);
                assert_int_equal(tour_state_number(&space, &at), number);
            }
            free(distance);
            free(queue);
        }
}

/* ---- Where locations lie. */

static uint64_t set_of(const col_geometry *geometry, uint32_t level, uint64_t address) {
    return address & prg_level_mask(&geometry->levels[level]);
}

TEST(rivals_share_private_sets_but_not_the_shared_one) {
    col_engine_settings settings = settings_of(MOST_STEPS, NULL);
    const col_geometry *g = &settings.geometry;
    for (settings.seed = 0; settings.seed < 50; settings.seed++) {
        synthetic_walk w = synthetic_start("tour", &settings, 1, 1000);
        assert_true(synthetic_step(&w));
        const uint64_t *a = w.program.addresses;
        for (uint32_t level = 0; level < 2; level++) {
            for (uint32_t l = 1; l < 1 + WAYS; l++)
                assert_true(set_of(g, level, a[l]) == set_of(g, level, a[0]));
            for (uint32_t l = 1 + WAYS; l < w.program.location_count; l++)
                assert_true(set_of(g, level, a[l]) != set_of(g, level, a[0]));
        }
        for (uint32_t l = 1; l < 1 + WAYS; l++) /* not driven out of the shared level */
            assert_true(set_of(g, 2, a[l]) != set_of(g, 2, a[0]));
        for (uint32_t l = 0; l < w.program.location_count; l++)
            for (uint32_t k = 0; k < l; k++)
                assert_true(a[l] >> g->block_bits != a[k] >> g->block_bits);
        synthetic_end(&w);
    }
}

/* As many blocks as the shared level has ways, all in one of its sets. */
TEST(with_all_levels_rivals_fill_a_shared_set) {
    const col_engine_settings settings = settings_of(MOST_STEPS, "levels=3,cores=2");
    synthetic_walk w = synthetic_start("tour", &settings, 1, 1000);
    assert_true(synthetic_step(&w));
    assert_int_equal(w.program.location_count, 1 + 8 + 2);
    for (uint32_t l = 1; l < 1 + 8; l++)
        assert_true(set_of(&settings.geometry, 2, w.program.addresses[l]) ==
                    set_of(&settings.geometry, 2, w.program.addresses[0]));
    synthetic_end(&w);
}

/* ---- On designs. */

typedef struct watcher {
    const col_program *program;
    const col_duv_description *design;
    sequence order;
    uint32_t at; /* in the order */
    tour_space space;
    tour_state abstract;
    bool remembers;          /* the directory, sharers that may have left without a word */
    uint32_t cache;          /* the machine of private caches; UINT32_MAX: do not look at it */
    const char *states[8];   /* of the block, by core */
    uint32_t checks, misses; /* of states, when the baton is handed on */
    uint32_t own_loads;      /* of a block that the core has just written */
} watcher;

/* By the first letters of the states that a protocol calls stable. An eviction that waits for its
 * acknowledgement is one. */
static bool is_as(const char *name, char letter) {
    if (letter == 'I')
        return strcmp(name, "I") == 0 || strcmp(name, "NP") == 0 || strcmp(name, "M_I") == 0;
    return name[0] == letter && name[1] == '\0';
}

/* Where the designs differ from the abstract protocol: shared copies are evicted silently, so that
 * a core that loads a block which all others have left, but were sharing, is given it to share. */
static char letter_of(const watcher *w, uint32_t core) {
    const tour_state *state = &w->abstract;
    if ((state->holders >> core & 1) == 0)
        return 'I';
    if (state->holding == TOUR_EXCLUSIVE && w->remembers)
        return 'S';
    if (state->holding == TOUR_OWNED && state->owner != core)
        return 'S';
    return "SEMO"[state->holding];
}

static void follow(watcher *w, col_tour_operation operation) {
    w->abstract = tour_after(&w->space, &w->abstract, operation);
    if (operation.kind == COL_TOUR_STORE)
        w->remembers = false;
    else if (w->abstract.holding == TOUR_SHARED && w->abstract.holders != 0)
        w->remembers = true;
}

static void look_at_states(watcher *w) {
    for (uint32_t core = 0; core < w->space.cores && w->cache != UINT32_MAX; core++) {
        w->checks++;
        w->misses += !is_as(w->states[core], letter_of(w, core));
    }
}

static void notice(void *context, const col_event *event) {
    watcher *w = context;
    col_tour_operation operation;
    if (event->kind == COL_TRANSITION) {
        if (event->machine != w->cache || event->block != w->program->addresses[0])
            return;
        const col_duv_names *names = &w->design->names[w->cache];
        w->states[event->controller] = names->states[event->next_state];
        w->own_loads += strcmp(names->states[event->state], "M") == 0 &&
                        strcmp(names->events[event->event], "Load") == 0;
        return;
    }
    while (w->program->operations[w->order.operations[w->at]].kind == COL_FENCE)
        w->at++;
    assert_int_equal(event->operation, w->order.operations[w->at]);
    w->at++;
    const col_operation *o = &w->program->operations[event->operation];
    if (abstract_of(w->program, event->operation, &operation))
        follow(w, operation);
    else if (o->kind == COL_STORE)
        look_at_states(w);
}

static void check_on(const char *design, const char *options, const tour_space *space,
                     const char *cache) {
    col_duv *duv;
    col_problem problem = {0};
    const col_duv_settings with = {.cores = space->cores};
    if (col_duv_open(&duv, design, &with, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    watcher w = {.design = col_duv_describe(duv), .space = *space, .cache = UINT32_MAX};
    for (uint32_t m = 0; cache != NULL && m < w.design->machine_count; m++)
        if (strcmp(w.design->machines[m].name, cache) == 0)
            w.cache = m;
    col_engine_settings settings = settings_of(1 << 12, options);
    settings.threads = space->cores;
    settings.geometry = w.design->geometry;
    synthetic_walk walk = synthetic_start("tour", &settings, 1, 1000);
    const col_observer observer = {
        &w, notice, 1U << COL_LOAD_PERFORMED | 1U << COL_STORE_PERFORMED | 1U << COL_TRANSITION};
    while (synthetic_step(&walk)) {
        w.program = &walk.program;
        run_alone(w.program, &w.order);
        assert_int_equal(col_duv_load(duv, w.program, NULL), COL_OK);
        for (uint64_t seed = 1; seed <= 2; seed++) {
            col_run run;
            w.at = 0;
            w.abstract = TOUR_INITIAL;
            w.remembers = false;
            for (uint32_t core = 0; core < 8; core++)
                w.states[core] = "I";
            assert_int_equal(col_duv_run(duv, seed, &observer, NULL, &run, NULL), COL_OK);
            assert_int_equal(run.end, COL_RUN_COMPLETE);
        }
        free(w.order.operations);
    }
    if (w.misses > 0)
        fail_msg("%s: %u of %u states differ", design, w.misses, w.checks);
    assert_true(cache == NULL || w.checks > 1000);
    assert_true(cache == NULL || w.own_loads >= 2 * space->cores); /* in two instances */
    synthetic_end(&walk);
    col_duv_close(duv);
}

TEST(designs_visit_the_states_of_the_tour) {
    const tour_space mesi = TOUR_ONE_LEVEL(COL_TOUR_MESI, 4);
    const tour_space moesi = TOUR_ONE_LEVEL(COL_TOUR_MOESI, 4);
    check_on("mesi2", "protocol=mesi", &mesi, "L1Cache");
    check_on("mesi2-rvwmo", "protocol=mesi", &mesi, "L1Cache");
    check_on("mesi3", "protocol=mesi", &mesi, NULL);
    check_on("moesi2", "protocol=moesi", &moesi, NULL);
}

/* ---- The rest of an engine. */

static void expect_refusal(const col_engine_settings *settings, const char *part) {
    col_engine *engine = NULL;
    col_problem problem = {0};
    assert_int_equal(col_engine_new(&engine, "tour", settings, &problem), COL_BAD_INPUT);
    if (strstr(problem.message, part) == NULL)
        fail_msg("'%s' does not say '%s'", problem.message, part);
}

TEST(impossible_settings_are_refused) {
    col_engine_settings settings = settings_of(MOST_STEPS, "protocol=mersi");
    expect_refusal(&settings, "did you mean 'mesi'?");
    settings.options = "cores=5";
    expect_refusal(&settings, "needs a design with as many");
    settings.options = "levels=4";
    expect_refusal(&settings, "has 3 cache levels, not 4");
    settings.options = NULL;
    settings.sets = 1;
    expect_refusal(&settings, "chooses the sets");
    settings.sets = 0;
    settings.mix = "balanced";
    expect_refusal(&settings, "not by a mix");
    settings.mix = NULL;
    settings.threads = 1;
    expect_refusal(&settings, "two cores or more");
    settings.threads = THREADS;
    settings.geometry.level_count = 0;
    expect_refusal(&settings, "does not describe any");
    settings.geometry.level_count = 1;
    settings.geometry.levels[0].index_bits = 0;
    expect_refusal(&settings, "two sets or more");
}
