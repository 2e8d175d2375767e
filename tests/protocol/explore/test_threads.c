/* SPDX-License-Identifier: MIT */
/* ctest: long-sanitized */
/*
 * A search says the same with any number of threads, whoever of them is faster: not only its
 * verdict, but every count, the trace, the witnesses and the transitions that it reached, and that
 * where it ends in the middle, too. An exact search lets the system take every step; the others
 * take steps that they know by numbers, and say the same.
 */
#include "protocol/explore/search.h"
#include "protocol/explore/search_worker.h"
#include "protocol/explore/state_table.h"
#include "protocol/simulate/protocol_library.h"
#include "protocol/simulate/transition_table.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */
#include "protocol/explore/tiny.h"

#include <string.h>

/* ---- Searches: two cores and caches of one block, or one core and a cache of all blocks. */

static sim_system *make(const char *protocol, const sim_mutant *mutant, uint32_t blocks) {
    col_problem problem;
    sim_system *system = tiny_system_of(protocol, blocks > 2 ? 1 : 2, blocks > 2 ? blocks : 1);
    if (mutant != NULL)
        assert_int_equal(sim_mutant_apply(system, mutant, &problem), COL_OK);
    return system;
}

static void expect_same_counts(const sim_system *a, const sim_system *b) {
    for (uint32_t i = 0; i < a->base.controller_count; i++) {
        const sl_machine *m = a->controllers[i]->machine;
        assert_memory_equal(a->controllers[i]->counts, b->controllers[i]->counts,
                            (size_t)m->state_count * m->event_count *
                                sizeof *a->controllers[i]->counts);
    }
}

static void expect_same_witnesses(const exp_witnesses *a, const exp_witnesses *b) {
    assert_int_equal(a->count, b->count);
    for (uint32_t i = 0; i < a->count; i++) {
        assert_int_equal(a->list[i].count, b->list[i].count);
        for (uint32_t s = 0; s < a->list[i].count; s++) {
            const exp_path_step *x = &a->list[i].steps[s], *y = &b->list[i].steps[s];
            assert_int_equal(x->kind, y->kind);
            assert_int_equal(x->core, y->core);
            assert_int_equal(x->request, y->request);
            assert_int_equal(x->block, y->block);
            assert_int_equal(x->number, y->number);
            assert_ptr_equal(x->queue, y->queue);
        }
    }
}

static void expect_same(const exp_exploration *a, const exp_exploration *b) {
    assert_int_equal(a->states, b->states);
    assert_int_equal(a->steps, b->steps);
    assert_int_equal(a->asleep, b->asleep);
    assert_int_equal(a->depth, b->depth);
    assert_int_equal(a->complete, b->complete);
    assert_int_equal(a->broken, b->broken);
    assert_int_equal(a->limit == NULL, b->limit == NULL);
    if (a->limit != NULL)
        assert_string_equal(a->limit, b->limit);
    if (a->broken)
        assert_string_equal(a->trace.data, b->trace.data);
    expect_same_bounds(a, b);
    expect_same_witnesses(&a->witnesses, &b->witnesses);
}

/* Returns what an exact search says. */
static exp_exploration expect_same_by_all(const char *protocol, const sim_mutant *mutant,
                                          exp_exploration_settings settings) {
    static const struct {
        uint32_t workers;
        bool is_exact;
        uint32_t most_step_bytes; /* 1: steps are forgotten after every state */
    } ways[] = {{1, true, 0}, {1, false, 0}, {1, false, 1}, {2, false, 1 << 16}, {4, false, 0}};
    sim_system *one = NULL;
    exp_exploration first = {0};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        sim_system *system = make(protocol, mutant, settings.blocks);
        settings.workers = ways[i].workers;
        settings.is_exact = ways[i].is_exact;
        settings.most_step_bytes = ways[i].most_step_bytes;
        exp_exploration found = tiny_explore(system, &settings);
        if (i == 0) {
            one = system;
            first = found;
            continue;
        }
        expect_same(&first, &found);
        expect_same_counts(one, system);
        tiny_end(system, &found);
    }
    tiny_end(one, &first);
    return first;
}

TEST(right_protocols_are_searched_alike) {
    static const char *const protocols[] = {"mi", "msi", "mesi2", "moesi2"};
    for (size_t i = 0; i < sizeof protocols / sizeof protocols[0]; i++)
        for (int renamed = 0; renamed < 2; renamed++) {
            const exp_exploration_settings settings = {.use_symmetry = renamed == 1,
                                                       .wants_witnesses = true};
            assert_true(expect_same_by_all(protocols[i], NULL, settings).complete);
        }
}

/* Several members may be taken for the smallest, and all steps are kept. */
TEST(other_ways_to_search_are_alike) {
    const exp_exploration_settings any = {.use_symmetry = true, .takes_any = true};
    assert_true(expect_same_by_all("moesi2", NULL, any).complete);
    const exp_exploration_settings graph = {.finds_livelocks = true, .takes_all_steps = true};
    assert_true(expect_same_by_all("mesi2", NULL, graph).complete);
}

/* A cache of three blocks, which a state keeps in their order of use. A thread that joins in the
 * middle of the search has to get this order right in its first step; where that is differs from
 * run to run, so the search is repeated. */
TEST(the_order_of_use_is_the_same) {
    const exp_exploration_settings settings = {.blocks = 3, .outstanding = 2, .use_symmetry = true};
    for (int i = 0; i < 4; i++)
        assert_true(expect_same_by_all("mi", NULL, settings).complete);
}

/* Loads may return old words, so stores tell other cores nothing. */
TEST(searches_of_lazy_protocols_are_alike) {
    const exp_exploration_settings settings = {.most_states = 5000};
    assert_string_equal(expect_same_by_all("tsocc", NULL, settings).limit, "states");
}

/* Cores repeat requests that the protocol has begun with. */
TEST(searches_that_remember_are_alike) {
    const exp_exploration_settings settings = {.use_symmetry = true, .remembers = true};
    assert_true(expect_same_by_all("mesi2", NULL, settings).complete);
}

/* The transition that a search reaches last. */
static exp_cell farthest(const char *protocol, exp_exploration_settings settings) {
    sim_system *system = make(protocol, NULL, settings.blocks);
    exp_cell cell = {0};
    uint32_t longest = 0;
    settings.wants_witnesses = true;
    exp_exploration found = tiny_explore(system, &settings);
    for (uint32_t i = 0; i < found.witnesses.count; i++)
        if (found.witnesses.list[i].count > longest) {
            longest = found.witnesses.list[i].count;
            cell = found.witnesses.list[i].cell;
        }
    tiny_end(system, &found);
    return cell;
}

/* Far from the first state, where all threads are at work. */
TEST(searches_that_stop_on_the_way_stop_alike) {
    static const char *const protocols[] = {"mi", "mesi2", "moesi2"};
    for (size_t i = 0; i < sizeof protocols / sizeof protocols[0]; i++) {
        exp_exploration_settings settings = {
            .blocks = 2, .most_states = 15000, .use_symmetry = true};
        assert_string_equal(expect_same_by_all(protocols[i], NULL, settings).limit, "states");
        const exp_cell goal = farthest(protocols[i], settings);
        settings.goal = &goal;
        const exp_exploration found = expect_same_by_all(protocols[i], NULL, settings);
        assert_string_equal(found.limit, "reach");
        assert_true(found.states > 2000);
    }
}

TEST(mutants_break_alike) {
    enum { MUTANTS = 12, LATE = 4000 };
    const sl_protocol *p = sim_built_in_find("moesi2");
    const uint32_t count = sim_table_mutant_count(p);
    uint32_t late = 0;
    for (uint32_t n = 0; n < MUTANTS; n++) {
        sim_mutant mutant;
        const exp_exploration_settings settings = {.most_states = 30000};
        assert_true(sim_table_mutant(p, 1 + n * count / MUTANTS, &mutant));
        const exp_exploration found = expect_same_by_all("moesi2", &mutant, settings);
        late += found.broken && found.states > LATE;
    }
    assert_true(late > 0); /* else no thread but one was at work */
}

/* ---- Known states. */

/* Hashes of all sizes, and many near both ends, whose run goes on at the other one. */
static uint64_t hash_of(uint64_t i) {
    const uint64_t spread = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    return i % 64 == 0 ? 1 + i : i % 64 == 1 ? UINT64_MAX - i : spread | 1;
}

TEST(a_table_of_states_that_grows_keeps_them) {
    enum { KNOWN = 400000, EACH = 1 << 12 };
    known_states known;
    assert_true(exp_known_open(&known, false));
    uint32_t grown = 0;
    for (uint64_t i = 0; i < KNOWN; i++) {
        if (exp_known_room(&known) == 0) {
            assert_true(exp_known_grow(&known));
            grown++;
            for (uint64_t old = 0; old < i; old++)
                assert_true(exp_known_has(&known, hash_of(old)));
            for (uint64_t next = i; next < i + EACH; next++)
                assert_false(exp_known_has(&known, hash_of(next)));
        }
        assert_int_equal(exp_known_add(&known, hash_of(i), NULL, 0), KNOWN_NEW);
        known.count++;
    }
    assert_true(grown > 4);
    exp_known_close(&known);
}

/* ---- Claims. */

enum { THREADS = 4, STATES = 3000, ROUNDS = 20 };

typedef struct contest {
    claim_table table;
    bool stood[THREADS][STATES];
    uint32_t places[THREADS][STATES];
} contest;

static uint64_t print_of(uint32_t s) {
    return (s + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

/* Of each state another thread has the smallest number. */
static uint32_t number_of(uint32_t thread, uint32_t s) {
    return s * THREADS + (thread + s) % THREADS;
}

static void claim_all(void *context, uint32_t thread) {
    contest *c = context;
    for (uint32_t i = 0; i < STATES; i++) {
        const uint32_t s = thread % 2 == 0 ? i : STATES - 1 - i;
        c->stood[thread][s] = exp_claims_make(&c->table, print_of(s), number_of(thread, s),
                                              &c->places[thread][s]) == CLAIM_STANDS;
    }
}

TEST(the_smallest_claim_stands) {
    static contest all;
    contest *c = &all;
    thread_team *threads = exp_team_new(THREADS);
    assert_non_null(threads);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        assert_true(exp_claims_begin(&c->table, STATES));
        memset(c->stood, 0, sizeof c->stood);
        exp_team_run(threads, claim_all, c);
        for (uint32_t s = 0; s < STATES; s++)
            for (uint32_t t = 0; t < THREADS; t++) {
                const bool is_first = number_of(t, s) % THREADS == 0;
                assert_int_equal(c->places[t][s], c->places[0][s]);
                assert_int_equal(exp_claims_stands(&c->table, c->places[t][s], number_of(t, s)),
                                 is_first);
                assert_true(c->stood[t][s] || !is_first);
            }
    }
    exp_claims_free(&c->table);
    exp_team_free(threads);
}

/* Far more claims than were expected are refused, and none is forgotten. */
TEST(a_full_table_of_claims_says_so) {
    claim_table table = {0};
    uint32_t place, made = 0;
    assert_true(exp_claims_begin(&table, 1));
    const uint32_t places = table.places;
    while (exp_claims_make(&table, print_of(made), made, &place) == CLAIM_STANDS)
        made++;
    assert_in_range(made, places / 2, places);
    for (uint32_t s = 0; s < made; s++) {
        assert_int_equal(exp_claims_make(&table, print_of(s), made + s, &place), CLAIM_LATE);
        assert_true(exp_claims_stands(&table, place, s));
    }
    exp_claims_free(&table);
}
