/* SPDX-License-Identifier: MIT */
/*
 * MCjammer's agents: their dichotomic FSM is checked against everything that any core can see in
 * larger spaces than it was made from, and what they do is counted by the executor: fast at first,
 * slow at the end.
 */
#include "engine/tour/jammer_agents.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdlib.h>
#include <string.h>

#ifdef REDUCED
enum { SEEDS = 1, MOST_CORES = 6 };
#else
enum { SEEDS = 3, MOST_CORES = 8 };
#endif

static uint32_t view_of(tour_own own, tour_others others) {
    return (uint32_t)own * TOUR_OTHERS_COUNT + others;
}

/* ---- The dichotomic FSM. */

enum { OWN_LOAD, OWN_STORE, OWN_EVICT, OTHER_LOAD, OTHER_STORE, OTHER_EVICT };

static void expect_after(const tour_dichotomy *d, uint32_t view, uint32_t event, uint64_t views) {
    if (d->after[view][event] != views)
        fail_msg("view %u, event %u: %llx, not %llx", view, event,
                 (unsigned long long)d->after[view][event], (unsigned long long)views);
}

#define VIEW(own, others) (UINT64_C(1) << view_of(TOUR_OWN_##own, TOUR_##others))

/* Some rows as a reader of the protocols would write them. */
TEST(views_change_as_the_protocols_say) {
    const tour_space mesi = TOUR_ONE_LEVEL(COL_TOUR_MESI, 8);
    const tour_space mosi = TOUR_ONE_LEVEL(COL_TOUR_MOSI, 8);
    const tour_space si = TOUR_ONE_LEVEL(COL_TOUR_SI, 8);
    tour_dichotomy d;
    tour_dichotomy_of(&mesi, &d);
    const uint32_t invalid = view_of(TOUR_OWN_I, TOUR_NO_OTHER);
    expect_after(&d, invalid, OWN_LOAD, VIEW(E, NO_OTHER));
    expect_after(&d, invalid, OWN_STORE, VIEW(M, NO_OTHER));
    expect_after(&d, invalid, OWN_EVICT, 0);
    expect_after(&d, invalid, OTHER_LOAD, VIEW(I, ANOTHER_E));
    expect_after(&d, invalid, OTHER_STORE, VIEW(I, ANOTHER_M));
    expect_after(&d, invalid, OTHER_EVICT, 0);
    const uint32_t modified = view_of(TOUR_OWN_M, TOUR_NO_OTHER);
    expect_after(&d, modified, OWN_LOAD, VIEW(M, NO_OTHER));
    expect_after(&d, modified, OWN_EVICT, VIEW(I, NO_OTHER));
    expect_after(&d, modified, OTHER_LOAD, VIEW(S, ONE_SHARES));
    expect_after(&d, modified, OTHER_STORE, VIEW(I, ANOTHER_M));
    const uint32_t shared = view_of(TOUR_OWN_S, TOUR_SOME_SHARE);
    expect_after(&d, shared, OWN_EVICT, VIEW(I, SOME_SHARE));
    expect_after(&d, shared, OTHER_LOAD, VIEW(S, SOME_SHARE) | VIEW(S, ALL_SHARE));
    expect_after(&d, shared, OTHER_EVICT, VIEW(S, SOME_SHARE) | VIEW(S, ONE_SHARES));
    expect_after(&d, view_of(TOUR_OWN_O, TOUR_ONE_SHARES), OWN_LOAD, 0);
    tour_dichotomy_of(&mosi, &d);
    expect_after(&d, modified, OTHER_LOAD, VIEW(O, ONE_SHARES));
    expect_after(&d, view_of(TOUR_OWN_S, TOUR_ANOTHER_O), OTHER_EVICT, VIEW(S, NO_OTHER));
    expect_after(&d, view_of(TOUR_OWN_O, TOUR_NO_OTHER), OWN_LOAD, VIEW(O, NO_OTHER));
    expect_after(&d, invalid, OWN_LOAD, VIEW(S, NO_OTHER));
    tour_dichotomy_of(&si, &d);
    expect_after(&d, invalid, OWN_STORE, 0);
    expect_after(&d, invalid, OTHER_STORE, 0);
}

/* Everything that a core can see is in the FSM, and what it cannot see is not. */
static void check_views(const tour_space *space) {
    static uint64_t seen[TOUR_VIEW_COUNT][TOUR_EVENT_COUNT];
    tour_dichotomy d;
    memset(seen, 0, sizeof seen);
    tour_dichotomy_of(space, &d);
    for (uint64_t number = 0; number < tour_state_count(space); number++) {
        const tour_state state = tour_numbered_state(space, number);
        for (uint8_t actor = 0; actor < space->cores; actor++)
            for (uint32_t kind = 0; kind < TOUR_KIND_COUNT; kind++) {
                const col_tour_operation operation = {(uint8_t)kind, actor};
                if (!tour_is_possible(space, &state, operation))
                    continue;
                const tour_state after = tour_after(space, &state, operation);
                for (uint32_t core = 0; core < space->cores; core++)
                    seen[tour_view(space, &state, core)][kind + (actor == core ? 0 : 3)] |=
                        UINT64_C(1) << tour_view(space, &after, core);
            }
    }
    assert_memory_equal(seen, d.after, sizeof seen);
}

TEST(views_match_the_space) {
    for (int protocol = 0; protocol < COL_TOUR_PROTOCOL_COUNT; protocol++)
        for (uint32_t cores = TOUR_LEAST_CORES; cores <= MOST_CORES; cores++)
            check_views(&(tour_space)TOUR_ONE_LEVEL((col_tour_protocol)protocol, cores));
}

/* Distances by relaxing all pairs. Every view that there is can be reached from every other. */
TEST(distances_between_views_are_shortest) {
    static uint32_t far[TOUR_VIEW_COUNT][TOUR_VIEW_COUNT];
    for (int protocol = 0; protocol < COL_TOUR_PROTOCOL_COUNT; protocol++) {
        const tour_space space = TOUR_ONE_LEVEL((col_tour_protocol)protocol, 8);
        tour_dichotomy d;
        tour_dichotomy_of(&space, &d);
        for (uint32_t a = 0; a < TOUR_VIEW_COUNT; a++)
            for (uint32_t b = 0; b < TOUR_VIEW_COUNT; b++) {
                far[a][b] = a == b ? 0 : TOUR_FAR;
                for (uint32_t event = 0; event < TOUR_EVENT_COUNT; event++)
                    if (a != b && (d.after[a][event] >> b & 1) != 0)
                        far[a][b] = 1;
            }
        for (uint32_t k = 0; k < TOUR_VIEW_COUNT; k++)
            for (uint32_t a = 0; a < TOUR_VIEW_COUNT; a++)
                for (uint32_t b = 0; b < TOUR_VIEW_COUNT; b++)
                    if (far[a][k] + far[k][b] < far[a][b])
                        far[a][b] = far[a][k] + far[k][b];
        for (uint32_t a = 0; a < TOUR_VIEW_COUNT; a++)
            for (uint32_t b = 0; b < TOUR_VIEW_COUNT; b++) {
                assert_int_equal(d.distance[a][b], far[a][b]);
                if (d.after[a][OWN_LOAD] != 0 && d.after[b][OWN_LOAD] != 0)
                    assert_int_not_equal(far[a][b], TOUR_FAR);
            }
    }
}

/* ---- What the agents do. */

typedef struct run {
    tour_count count;
    uint64_t total, most; /* stop there */
    uint64_t hash;
    uint64_t cost_of[101]; /* of this many percent */
} run;

static bool take(void *context, col_tour_operation operation) {
    run *r = context;
    const uint64_t before = r->count.covered * 100 / r->total;
    assert_true(tour_count_take(&r->count, operation));
    for (uint64_t p = before + 1; p <= r->count.covered * 100 / r->total; p++)
        r->cost_of[p] = r->count.cost;
    r->hash = (r->hash ^ operation.kind ^ (uint64_t)operation.core << 8) * 0x100000001b3U;
    return r->count.cost < r->most && r->count.covered < r->total;
}

static run run_begin(const tour_space *space, uint64_t most) {
    run r = {.most = most, .total = tour_transition_count(space)};
    assert_int_equal(tour_count_begin(&r.count, space, NULL), COL_OK);
    return r;
}

static run jam(const tour_space *space, uint64_t seed, uint64_t most) {
    run r = run_begin(space, UINT64_MAX);
    const bool has_enough = !tour_jam(space, seed, most, (tour_sink){take, &r});
    assert_int_equal(has_enough, r.count.covered == r.total);
    tour_count_end(&r.count);
    return r;
}

/* Small spaces are covered to the last transition, and no operation is impossible. */
TEST(small_spaces_are_covered) {
    for (int protocol = 0; protocol < COL_TOUR_PROTOCOL_COUNT; protocol++)
        for (uint32_t cores = TOUR_LEAST_CORES; cores <= 4; cores++)
            for (uint64_t seed = 1; seed <= 5; seed++) {
                const tour_space space = TOUR_ONE_LEVEL((col_tour_protocol)protocol, cores);
                const run r = jam(&space, seed, 200000);
                assert_int_equal(r.count.covered, r.total);
            }
}

TEST(a_run_follows_from_its_seed_and_ends_on_request) {
    const tour_space space = TOUR_ONE_LEVEL(COL_TOUR_MOESI, 8);
    const run once = jam(&space, 7, 3000), again = jam(&space, 7, 3000),
              other = jam(&space, 8, 3000);
    assert_int_equal(once.count.cost, 3000);
    assert_true(once.hash == again.hash);
    assert_true(once.hash != other.hash);
    run short_run = run_begin(&space, 100);
    assert_false(tour_jam(&space, 7, 3000, (tour_sink){take, &short_run}));
    assert_int_equal(short_run.count.cost, 100);
    tour_count_end(&short_run.count);
    short_run = run_begin(&space, 100);
    assert_false(tour_random(&space, 7, 3000, (tour_sink){take, &short_run}));
    assert_int_equal(short_run.count.cost, 100);
    tour_count_end(&short_run.count);
}

/* Figure 8: better than breadth first search up to 70 %, and worse than it at the end; a tour is
 * through long before. */
TEST(jamming_covers_fast_at_first_and_slowly_at_last) {
    const tour_space space = TOUR_ONE_LEVEL(COL_TOUR_MESI, 8);
    run bfs = run_begin(&space, UINT64_MAX), euler = run_begin(&space, UINT64_MAX);
    uint64_t bytes;
    assert_int_equal(tour_bfs(&space, (tour_sink){take, &bfs}, &bytes, NULL), COL_OK);
    (void)tour_euler(&space, (tour_sink){take, &euler});
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        const run r = jam(&space, seed, 2000000);
        assert_int_equal(r.count.covered, r.total);
        for (uint32_t p = 10; p <= 70; p++)
            assert_true(r.cost_of[p] < bfs.cost_of[p]);
        assert_true(r.cost_of[100] > 2 * bfs.cost_of[100]);
        assert_true(r.cost_of[95] > euler.cost_of[100]);
        run chance = run_begin(&space, UINT64_MAX);
        (void)tour_random(&space, seed, r.cost_of[70], (tour_sink){take, &chance});
        assert_true(chance.count.covered * 100 < chance.total * 60);
        tour_count_end(&chance.count);
    }
    tour_count_end(&bfs.count);
    tour_count_end(&euler.count);
}

/* Agents remember what there was to see, and what they gave up. */
TEST(agents_count_what_they_saw_and_abandoned) {
    enum { CORES = 6, STEPS = 5000 };
    const tour_space space = TOUR_ONE_LEVEL(COL_TOUR_MOSI, CORES);
    static tour_agent agents[CORES], seen[CORES];
    static const uint32_t crew[CORES] = {3, 5, 1, 0, 4, 2};
    tour_dichotomy d;
    tour_jam_block block;
    base_rng rng;
    uint64_t given_up = 0;
    tour_dichotomy_of(&space, &d);
    tour_jam_block_reset(&block);
    memcpy(block.agents, crew, sizeof crew);
    base_rng_seed(&rng, 1, 2);
    for (uint32_t step = 0; step < STEPS; step++) {
        const tour_state before = block.state;
        const col_tour_operation operation = tour_jam_step(&space, &d, agents, &block, &rng);
        const tour_state after = tour_after(&space, &before, operation);
        assert_memory_equal(&after, &block.state, sizeof after);
        for (uint32_t core = 0; core < CORES; core++)
            seen[crew[core]].visits[tour_view(&space, &before, core) * TOUR_EVENT_COUNT +
                                    operation.kind + (operation.core == core ? 0 : 3)]++;
    }
    for (uint32_t a = 0; a < CORES; a++)
        for (uint32_t i = 0; i < TOUR_VIEW_COUNT * TOUR_EVENT_COUNT; i++) {
            assert_true(agents[a].visits[i] >= seen[a].visits[i]);
            given_up += agents[a].visits[i] - seen[a].visits[i];
        }
    assert_true(given_up > 0 && given_up <= STEPS / CORES);
}

/* ---- Chance alone: every possible operation is equally likely. */

static bool take_first(void *context, col_tour_operation operation) {
    *(col_tour_operation *)context = operation;
    return false;
}

TEST(random_operations_are_uniform) {
    enum { CORES = 4, SAMPLES = 16000 };
    const tour_space space = TOUR_ONE_LEVEL(COL_TOUR_MESI, CORES);
    uint32_t drawn[CORES][TOUR_KIND_COUNT] = {{0}};
    for (uint64_t seed = 0; seed < SAMPLES; seed++) {
        col_tour_operation first;
        (void)tour_random(&space, seed, 1, (tour_sink){take_first, &first});
        drawn[first.core][first.kind]++;
    }
    double chi_square = 0;
    for (uint32_t core = 0; core < CORES; core++)
        for (uint32_t kind = 0; kind < COL_TOUR_EVICT; kind++) {
            const double expected = SAMPLES / (2.0 * CORES), off = drawn[core][kind] - expected;
            chi_square += off * off / expected;
        }
    assert_true(chi_square < 24.3); /* 7 degrees of freedom, 0.1 % */
    for (uint32_t core = 0; core < CORES; core++)
        assert_int_equal(drawn[core][COL_TOUR_EVICT], 0);
}
