/* SPDX-License-Identifier: MIT */
/* ctest: long */
/*
 * Two levels of caches: the space against caches written as letters, state by state; tours that
 * cover all of it, counted; and their costs against the exact minimum, which is found in two ways.
 */
#include "engine/tour/levels_tour.h"
#include "harness.h"
#include "letters.h"

#include <stdlib.h>
#include <string.h>

typedef struct shape {
    uint32_t clusters, width;
} shape;

static tour_levels_space space_of(tour_protocol protocol, shape s, bool inclusive) {
    return (tour_levels_space){protocol, s.clusters, s.clusters * s.width, inclusive};
}

/* All protocols, inclusive and not; large spaces of SI and MESI alone, or it takes minutes. */
enum { MOST_STATES = 3500 };
static void for_each_space(const shape *shapes, size_t count,
                           void (*test)(const tour_levels_space *)) {
    for (size_t i = 0; i < count; i++)
        for (int variant = 0; variant < 2 * TOUR_PROTOCOL_COUNT; variant++) {
            const tour_levels_space space =
                space_of((tour_protocol)(variant / 2), shapes[i], variant % 2 != 0);
            col_problem problem = {0};
            assert_int_equal(tour_levels_check(&space, &problem), COL_OK);
            const bool is_always = space.protocol == TOUR_SI || space.protocol == TOUR_MESI;
            if (is_always || tour_levels_state_count(&space) <= MOST_STATES)
                test(&space);
        }
}

#define FOR_EACH_SPACE(shapes, test) for_each_space(shapes, sizeof(shapes) / sizeof *(shapes), test)

static const shape small_shapes[] = {{2, 2}, {2, 3}, {3, 2}, {2, 4}, {4, 2}};
#ifdef REDUCED
static const shape large_shapes[] = {{3, 3}};
#else
static const shape large_shapes[] = {{3, 3}, {5, 2}, {4, 3}, {2, 6}};
#endif

/* ---- The space. */

typedef struct search {
    tour_levels_space space;
    bool *is_found; /* by number */
    uint64_t *queue;
    uint64_t states, transitions;
} search;

static void take_step(search *s, uint64_t number, tour_operation operation) {
    char got[64], wanted[64];
    const tour_levels_state state = tour_levels_numbered_state(&s->space, number);
    letters oracle = letters_of(&s->space, &state);
    assert_true(letters_are_legal(&s->space, &oracle));
    const bool is_possible = letters_step(&s->space, &oracle, operation);
    assert_int_equal(tour_levels_is_possible(&s->space, &state, operation), is_possible);
    if (!is_possible)
        return;
    s->transitions++;
    const tour_levels_state next = tour_levels_after(&s->space, &state, operation);
    const letters after = letters_of(&s->space, &next);
    assert_string_equal(letters_text(&s->space, &after, got),
                        letters_text(&s->space, &oracle, wanted));
    const uint64_t place = tour_levels_state_number(&s->space, &next);
    assert_true(place < tour_levels_state_count(&s->space));
    const tour_levels_state again = tour_levels_numbered_state(&s->space, place);
    const letters back = letters_of(&s->space, &again);
    assert_string_equal(letters_text(&s->space, &back, got), wanted);
    if (!s->is_found[place])
        s->queue[s->states++] = place;
    s->is_found[place] = true;
}

static void search_space(const tour_levels_space *space) {
    const uint64_t count = tour_levels_state_count(space);
    search s = {.space = *space, .states = 1};
    s.is_found = calloc(count, sizeof *s.is_found);
    s.queue = calloc(count, sizeof *s.queue);
    if (s.is_found == NULL || s.queue == NULL)
        abort();
    assert_int_equal(tour_levels_state_number(space, &TOUR_LEVELS_INITIAL), 0);
    s.is_found[0] = true;
    for (uint64_t i = 0; i < s.states; i++)
        for (uint32_t number = 0; number < tour_levels_operation_count(space); number++) {
            const tour_operation operation = tour_levels_numbered_operation(space, number);
            assert_int_equal(tour_levels_operation_number(space, operation), number);
            take_step(&s, s.queue[i], operation);
        }
    assert_int_equal(s.states, count);
    assert_int_equal(s.transitions, tour_levels_transition_count(space));
    free(s.is_found);
    free(s.queue);
}

static void the_space_matches_a_search_over_state_words(void **state) {
    (void)state;
    FOR_EACH_SPACE(small_shapes, search_space);
    FOR_EACH_SPACE(large_shapes, search_space);
}

/* All states that the table allows are reached: counted over all words of letters. */
static uint64_t count_legal(const tour_levels_space *space) {
    static const char *const alphabets[] = {"IS", "ISM", "ISEM", "ISMO", "ISEMO"};
    const char *alphabet = alphabets[space->protocol];
    const uint64_t kinds = strlen(alphabet), caches = space->cores + space->clusters;
    uint64_t words = 1, legal = 0;
    for (uint64_t cache = 0; cache < caches; cache++)
        words *= kinds;
    for (uint64_t word = 0; word < words; word++) {
        letters l = letters_initial(space);
        uint64_t rest = word;
        for (uint32_t core = 0; core < space->cores; core++, rest /= kinds)
            l.first[core] = alphabet[rest % kinds];
        for (uint32_t cluster = 0; cluster < space->clusters; cluster++, rest /= kinds)
            l.second[cluster] = alphabet[rest % kinds];
        legal += letters_are_legal(space, &l);
    }
    return legal;
}

static void check_legal(const tour_levels_space *space) {
    assert_int_equal(tour_levels_state_count(space), count_legal(space));
}

static void all_legal_states_are_reached(void **state) {
    (void)state;
    static const shape shapes[] = {{2, 2}, {2, 3}}; /* 390,625 words of MOESI */
    FOR_EACH_SPACE(shapes, check_legal);
}

static void si_spaces_have_the_computed_sizes(void **state) {
    (void)state;
    /* Not inclusive SI is the product of two hypercubes, of the cores and of the clusters. */
    const tour_levels_space product = space_of(TOUR_SI, (shape){2, 2}, false);
    assert_int_equal(tour_levels_state_count(&product), 16 * 4);
    assert_int_equal(tour_levels_transition_count(&product), 64 * (4 + 2) + 64 * (4 + 2) / 2);
    const tour_levels_space inclusive = space_of(TOUR_SI, (shape){2, 2}, true);
    assert_int_equal(tour_levels_state_count(&inclusive), 5 * 5);
}

/* ---- Tours. */

static tour_levels_count count_tour(const tour_levels_space *space, bool is_postman) {
    tour_levels_count count;
    col_problem problem = {0};
    assert_int_equal(tour_levels_count_open(&count, space, &problem), COL_OK);
    const tour_sink sink = {tour_levels_count_take, &count};
    if (is_postman)
        assert_int_equal(tour_levels_postman(space, sink, NULL, &problem), COL_OK);
    else
        assert_true(tour_levels_euler(space, sink));
    assert_false(count.is_wrong);
    assert_int_equal(count.covered, tour_levels_transition_count(space));
    tour_levels_count_close(&count);
    return count;
}

static uint64_t optimum_of(const tour_levels_space *space) {
    uint64_t optimum = 0;
    col_problem problem = {0};
    assert_int_equal(tour_levels_optimum(space, &optimum, &problem), COL_OK);
    return optimum;
}

static void check_euler(const tour_levels_space *space) {
    const tour_levels_count count = count_tour(space, false);
    if (space->protocol == TOUR_SI)
        assert_int_equal(count.cost, tour_levels_transition_count(space)); /* each exactly once */
    else
        assert_true(count.cost >= optimum_of(space));
}

static void euler_tours_cover_everything(void **state) {
    (void)state;
    FOR_EACH_SPACE(small_shapes, check_euler);
    FOR_EACH_SPACE(large_shapes, check_euler);
}

/* The flow between all states, walked, costs what the flow between classes says. */
static void check_postman(const tour_levels_space *space) {
    assert_int_equal(count_tour(space, true).cost, optimum_of(space));
}

static void postman_tours_cost_the_optimum(void **state) {
    (void)state;
    FOR_EACH_SPACE(small_shapes, check_postman);
}

/* Near the optimum where a shortest tour does not fit in memory or soon will not. */
static void euler_tours_are_near_the_optimum(void **state) {
    (void)state;
    static const struct {
        tour_protocol protocol;
        shape shape;
        bool inclusive;
        uint64_t most_permille;
    } rows[] = {
        {TOUR_MESI, {4, 2}, false, 1015},  {TOUR_MESI, {3, 3}, false, 1015},
        {TOUR_MOESI, {2, 4}, false, 1080}, {TOUR_MOSI, {3, 3}, true, 1105},
#ifndef REDUCED
        {TOUR_MESI, {5, 2}, false, 1005},  {TOUR_MESI, {4, 3}, false, 1005},
        {TOUR_MESI, {4, 3}, true, 1030},   {TOUR_MESI, {4, 4}, true, 1010},
        {TOUR_MOESI, {2, 6}, false, 1040}, {TOUR_MOSI, {2, 6}, true, 1035},
        {TOUR_MOESI, {4, 3}, true, 1105},
#endif
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const tour_levels_space space =
            space_of(rows[i].protocol, rows[i].shape, rows[i].inclusive);
        const uint64_t cost = count_tour(&space, false).cost;
        assert_true(cost * 1000 <= optimum_of(&space) * rows[i].most_permille);
    }
}

/* Facts of the documentation. */
static void costs_are_the_documented_ones(void **state) {
    (void)state;
    static const struct {
        tour_protocol protocol;
        shape shape;
        bool inclusive;
        uint64_t cost, optimum;
    } rows[] = {
        {TOUR_MSI, {2, 2}, false, 1808, 1547},       {TOUR_MSI, {2, 2}, true, 852, 670},
        {TOUR_MSI, {2, 4}, false, 55644, 53927},     {TOUR_MSI, {4, 2}, true, 32942, 30286},
        {TOUR_MESI, {2, 2}, false, 2774, 2135},      {TOUR_MESI, {2, 2}, true, 1649, 1204},
        {TOUR_MESI, {2, 4}, false, 60792, 57063},    {TOUR_MESI, {2, 4}, true, 20493, 17716},
        {TOUR_MESI, {4, 2}, false, 260394, 257791},  {TOUR_MESI, {4, 2}, true, 36325, 32482},
        {TOUR_MOSI, {2, 2}, false, 8066, 6723},      {TOUR_MOSI, {2, 4}, true, 120963, 111678},
        {TOUR_MOSI, {4, 2}, true, 320390, 272166},   {TOUR_MOSI, {2, 4}, false, 396752, 370742},
        {TOUR_MOESI, {2, 2}, false, 9066, 7178},     {TOUR_MOESI, {2, 2}, true, 4325, 3170},
        {TOUR_MOESI, {2, 4}, false, 401998, 373422},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const tour_levels_space space =
            space_of(rows[i].protocol, rows[i].shape, rows[i].inclusive);
        assert_int_equal(optimum_of(&space), rows[i].optimum);
        assert_int_equal(count_tour(&space, false).cost, rows[i].cost);
    }
}

typedef struct limited {
    uint64_t left, taken;
} limited;

static bool take_some(void *context, tour_operation operation) {
    (void)operation;
    limited *l = context;
    l->taken++;
    return --l->left > 0;
}

static void check_enough(const tour_levels_space *space) {
    for (uint64_t most = 1; most < 3000; most += most / 3 + 1) {
        limited l = {.left = most};
        const bool is_whole = tour_levels_euler(space, (tour_sink){take_some, &l});
        assert_true(is_whole ? l.taken < most : l.taken == most);
        limited p = {.left = most};
        col_problem problem = {0};
        if (tour_levels_state_count(space) > 200)
            continue;
        assert_int_equal(tour_levels_postman(space, (tour_sink){take_some, &p}, NULL, &problem),
                         COL_OK);
        assert_true(p.taken <= most);
    }
}

static void tours_end_when_the_sink_returns_false(void **state) {
    (void)state;
    static const shape shapes[] = {{2, 2}, {8, 3}}; /* the latter would take days */
    FOR_EACH_SPACE(shapes, check_enough);
}

/* ---- What is refused. */

static void check_refused(const tour_levels_space *space, tour_operation operation) {
    tour_levels_count count;
    col_problem problem = {0};
    assert_int_equal(tour_levels_count_open(&count, space, &problem), COL_OK);
    assert_false(tour_levels_count_take(&count, operation));
    assert_true(count.is_wrong);
    assert_false(
        tour_levels_count_take(&count, (tour_operation){TOUR_LEVELS_LOAD2, 0})); /* and stays so */
    assert_int_equal(count.cost, 0);
    tour_levels_count_close(&count);
}

static void impossible_operations_are_refused(void **state) {
    (void)state;
    const tour_levels_space si = space_of(TOUR_SI, (shape){2, 2}, true);
    const tour_levels_space mesi = space_of(TOUR_MESI, (shape){2, 2}, false);
    check_refused(&si, (tour_operation){TOUR_LOAD, 0}); /* its second level has it not */
    check_refused(&si, (tour_operation){TOUR_STORE, 0});
    check_refused(&mesi, (tour_operation){TOUR_EVICT, 1});
    check_refused(&mesi, (tour_operation){TOUR_LEVELS_EVICT2, 1});
    check_refused(&mesi, (tour_operation){TOUR_LEVELS_LOAD2, 2}); /* there is no such cluster */
    check_refused(&mesi, (tour_operation){TOUR_LOAD, 4});
    check_refused(&mesi, (tour_operation){TOUR_LEVELS_KIND_COUNT, 0});
}

static void expect_refusal(tour_levels_space space, const char *part) {
    col_problem problem = {0};
    assert_int_equal(tour_levels_check(&space, &problem), COL_BAD_INPUT);
    assert_non_null(strstr(problem.message, part));
}

static void impossible_shapes_are_refused(void **state) {
    (void)state;
    expect_refusal((tour_levels_space){TOUR_SI, 1, 4, false}, "2 to 8");
    expect_refusal((tour_levels_space){TOUR_SI, 9, 18, false}, "2 to 8");
    expect_refusal((tour_levels_space){TOUR_SI, 2, 26, false}, "at most 24");
    expect_refusal((tour_levels_space){TOUR_SI, 2, 5, false}, "at least 2");
    expect_refusal((tour_levels_space){TOUR_SI, 4, 4, false}, "at least 2");
}

static void large_spaces_are_refused_before_any_work(void **state) {
    (void)state;
    const tour_levels_space space = space_of(TOUR_MESI, (shape){8, 3}, false);
    col_problem problem = {0};
    limited l = {.left = 1};
    tour_levels_count count;
    assert_int_equal(tour_levels_postman(&space, (tour_sink){take_some, &l}, NULL, &problem),
                     COL_BAD_INPUT);
    assert_int_equal(l.taken, 0);
    assert_int_equal(tour_levels_count_open(&count, &space, &problem), COL_BAD_INPUT);
    tour_levels_count_close(&count);
    assert_true(optimum_of(&space) > tour_levels_transition_count(&space));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_space_matches_a_search_over_state_words),
        cmocka_unit_test(all_legal_states_are_reached),
        cmocka_unit_test(si_spaces_have_the_computed_sizes),
        cmocka_unit_test(euler_tours_cover_everything),
        cmocka_unit_test(postman_tours_cost_the_optimum),
        cmocka_unit_test(euler_tours_are_near_the_optimum),
        cmocka_unit_test(costs_are_the_documented_ones),
        cmocka_unit_test(tours_end_when_the_sink_returns_false),
        cmocka_unit_test(impossible_operations_are_refused),
        cmocka_unit_test(impossible_shapes_are_refused),
        cmocka_unit_test(large_spaces_are_refused_before_any_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
