/* SPDX-License-Identifier: MIT */
/* ctest: long */
/*
 * The global state space against caches written as letters, state by state: all that can be reached
 * from all caches in I, no more and no less; the published sizes; and the executor against a list
 * of transitions kept by their letters.
 */
#include "base/random.h"
#include "harness.h"
#include "letters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef REDUCED
static const shape one_level[] = {{0, 2}, {0, 3}, {0, 4}};
#else
static const shape one_level[] = {{0, 2}, {0, 3}, {0, 4}, {0, 5}, {0, 6}};
#endif

typedef struct search {
    tour_space space;
    bool *is_found; /* by number */
    uint64_t *queue;
    uint64_t states, transitions;
} search;

static void take_step(search *s, uint64_t number, col_tour_operation operation) {
    char got[64], wanted[64];
    const tour_state state = tour_numbered_state(&s->space, number);
    letters oracle = letters_of(&s->space, &state);
    assert_true(letters_are_legal(&s->space, &oracle));
    const bool is_possible = letters_step(&s->space, &oracle, operation);
    assert_int_equal(tour_is_possible(&s->space, &state, operation), is_possible);
    if (!is_possible)
        return;
    s->transitions++;
    const tour_state next = tour_after(&s->space, &state, operation);
    const letters after = letters_of(&s->space, &next);
    assert_string_equal(letters_text(&s->space, &after, got),
                        letters_text(&s->space, &oracle, wanted));
    const uint64_t place = tour_state_number(&s->space, &next);
    assert_true(place < tour_state_count(&s->space));
    const tour_state again = tour_numbered_state(&s->space, place);
    const letters back = letters_of(&s->space, &again);
    assert_string_equal(letters_text(&s->space, &back, got), wanted);
    if (!s->is_found[place])
        s->queue[s->states++] = place;
    s->is_found[place] = true;
}

static void search_space(const tour_space *space) {
    const uint64_t count = tour_state_count(space);
    search s = {.space = *space, .states = 1};
    s.is_found = calloc(count, sizeof *s.is_found);
    s.queue = calloc(count, sizeof *s.queue);
    if (s.is_found == NULL || s.queue == NULL)
        abort();
    assert_int_equal(tour_state_number(space, &TOUR_INITIAL), 0);
    s.is_found[0] = true;
    for (uint64_t i = 0; i < s.states; i++)
        for (uint32_t number = 0; number < tour_operation_count(space); number++) {
            const col_tour_operation operation = tour_numbered_operation(space, number);
            assert_int_equal(tour_operation_number(space, operation), number);
            take_step(&s, s.queue[i], operation);
        }
    assert_int_equal(s.states, count);
    assert_int_equal(s.transitions, tour_transition_count(space));
    free(s.is_found);
    free(s.queue);
}

static void the_space_matches_a_search_over_state_words(void **state) {
    (void)state;
    FOR_EACH_SPACE(one_level, search_space);
    FOR_EACH_SPACE(small_shapes, search_space);
    FOR_EACH_SPACE(large_shapes, search_space);
}

/* All states that the table allows are reached: counted over all words of letters. */
static uint64_t count_legal(const tour_space *space) {
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

static void check_legal(const tour_space *space) {
    assert_int_equal(tour_state_count(space), count_legal(space));
}

static void all_legal_states_are_reached(void **state) {
    (void)state;
    static const shape shapes[] = {{2, 2}, {2, 3}}; /* 390,625 words of MOESI */
    FOR_EACH_SPACE(one_level, check_legal);
    FOR_EACH_SPACE(shapes, check_legal);
}

static void si_spaces_have_the_computed_sizes(void **state) {
    (void)state;
    /* Not inclusive SI is the product of two hypercubes, of the cores and of the clusters. */
    const tour_space product = space_of(COL_TOUR_SI, (shape){2, 2}, false);
    assert_int_equal(tour_state_count(&product), 16 * 4);
    assert_int_equal(tour_transition_count(&product), 64 * (4 + 2) + 64 * (4 + 2) / 2);
    const tour_space inclusive = space_of(COL_TOUR_SI, (shape){2, 2}, true);
    assert_int_equal(tour_state_count(&inclusive), 5 * 5);
}

/* Where the search would not fit. */
static void walk(const tour_space *space, base_rng *rng) {
    tour_state state = TOUR_INITIAL;
    letters oracle = letters_initial(space);
    char got[64], wanted[64];
    for (uint32_t i = 0; i < 2000; i++) {
        const col_tour_operation operation = {(uint8_t)base_rng_below(rng, TOUR_KIND_COUNT),
                                              (uint8_t)base_rng_below(rng, space->cores)};
        const bool is_possible = letters_step(space, &oracle, operation);
        assert_int_equal(tour_is_possible(space, &state, operation), is_possible);
        if (is_possible)
            state = tour_after(space, &state, operation);
        const letters here = letters_of(space, &state);
        assert_string_equal(letters_text(space, &here, got), letters_text(space, &oracle, wanted));
        const uint64_t number = tour_state_number(space, &state);
        assert_true(number < tour_state_count(space));
        const tour_state back = tour_numbered_state(space, number);
        const letters again = letters_of(space, &back);
        assert_string_equal(letters_text(space, &again, got), wanted);
    }
}

static void long_walks_agree_with_the_oracle(void **unused) {
    (void)unused;
    base_rng rng;
    base_rng_seed(&rng, 1, 0);
    for (uint32_t protocol = 0; protocol < COL_TOUR_PROTOCOL_COUNT; protocol++)
        for (uint32_t cores = 7; cores <= TOUR_MOST_CORES; cores++) {
            const tour_space space = TOUR_ONE_LEVEL((col_tour_protocol)protocol, cores);
            walk(&space, &rng);
        }
}

/* The sizes that Qin and Mishra give. */
static void sizes_are_the_published_ones(void **unused) {
    (void)unused;
    static const struct {
        col_tour_protocol protocol;
        uint32_t cores;
        uint64_t states, transitions;
    } rows[] = {
        {COL_TOUR_MSI, 8, 264, 5256},        {COL_TOUR_MESI, 8, 272, 5392},
        {COL_TOUR_MOSI, 8, 1288, 26248},     {COL_TOUR_MOESI, 8, 1296, 26384},
        {COL_TOUR_MESI, 16, 65568, 2622496}, {COL_TOUR_MOSI, 16, 589840, 23855632},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const tour_space space = TOUR_ONE_LEVEL(rows[i].protocol, rows[i].cores);
        assert_int_equal(tour_state_count(&space), rows[i].states);
        assert_int_equal(tour_transition_count(&space), rows[i].transitions);
    }
}

/* ---- The executor. */

enum { STEPS = 1500, MOST_TRANSITIONS = 600 };

typedef struct notebook {
    char lines[MOST_TRANSITIONS][40];
    uint32_t count;
} notebook;

static void note(notebook *n, const char *state, col_tour_operation operation) {
    char line[40];
    (void)snprintf(line, sizeof line, "%s %u %u", state, operation.kind, operation.core);
    for (uint32_t i = 0; i < n->count; i++)
        if (strcmp(n->lines[i], line) == 0)
            return;
    assert_true(n->count < MOST_TRANSITIONS);
    memcpy(n->lines[n->count++], line, sizeof line);
}

static void run_stream(const tour_space *space, base_rng *rng) {
    tour_count count;
    notebook n = {.count = 0};
    letters oracle = letters_initial(space);
    uint64_t cost = 0;
    assert_int_equal(tour_count_begin(&count, space, NULL), COL_OK);
    for (uint32_t i = 0; i < STEPS; i++) {
        const col_tour_operation operation = {(uint8_t)base_rng_below(rng, TOUR_KIND_COUNT + 1),
                                              (uint8_t)base_rng_below(rng, space->cores + 1)};
        const letters before = oracle;
        char got[64], wanted[64];
        const bool is_known = operation.kind < TOUR_KIND_COUNT && operation.core < space->cores;
        const bool is_possible = is_known && letters_step(space, &oracle, operation);
        assert_int_equal(tour_count_take(&count, operation), is_possible);
        if (is_possible)
            note(&n, letters_text(space, &before, got), operation);
        cost += is_possible;
        assert_int_equal(count.cost, cost);
        assert_int_equal(count.covered, n.count);
        const letters after = letters_of(space, &count.state);
        assert_string_equal(letters_text(space, &after, got), letters_text(space, &oracle, wanted));
    }
    tour_count_end(&count);
}

static void the_count_matches_a_naive_count(void **unused) {
    (void)unused;
    base_rng rng;
    base_rng_seed(&rng, 2, 0);
    for (uint32_t protocol = 0; protocol < COL_TOUR_PROTOCOL_COUNT; protocol++)
        for (uint32_t cores = TOUR_LEAST_CORES; cores <= 4; cores++) {
            const tour_space space = TOUR_ONE_LEVEL((col_tour_protocol)protocol, cores);
            run_stream(&space, &rng);
        }
}

/* From each state, put there by hand, everything twice: all transitions, and not
 * one more, are counted. */
static void every_transition_counts_once(void **unused) {
    (void)unused;
    for (uint32_t protocol = 0; protocol < COL_TOUR_PROTOCOL_COUNT; protocol++) {
        const tour_space space = TOUR_ONE_LEVEL((col_tour_protocol)protocol, 5);
        tour_count count;
        uint64_t taken = 0;
        assert_int_equal(tour_count_begin(&count, &space, NULL), COL_OK);
        for (int round = 0; round < 2; round++)
            for (uint64_t number = 0; number < tour_state_count(&space); number++)
                for (uint32_t kind = 0; kind < TOUR_KIND_COUNT; kind++)
                    for (uint32_t core = 0; core < space.cores; core++) {
                        count.state = tour_numbered_state(&space, number);
                        taken += tour_count_take(
                            &count, (col_tour_operation){(uint8_t)kind, (uint8_t)core});
                    }
        assert_int_equal(taken, 2 * tour_transition_count(&space));
        assert_int_equal(count.covered, tour_transition_count(&space));
        assert_int_equal(count.cost, taken);
        tour_count_end(&count);
    }
}

/* Three bits for each core and state, in whole words. */
static void memory_use_is_known_in_advance(void **unused) {
    (void)unused;
    assert_int_equal(tour_count_bytes(&(tour_space)TOUR_ONE_LEVEL(COL_TOUR_MSI, 8)), 264 * 24 / 8);
    assert_int_equal(tour_count_bytes(&(tour_space)TOUR_ONE_LEVEL(COL_TOUR_MOSI, 16)),
                     589840 * 48 / 8);
}

static void check_refused(const tour_space *space, col_tour_operation operation) {
    tour_count count;
    col_problem problem = {0};
    assert_int_equal(tour_count_begin(&count, space, &problem), COL_OK);
    assert_false(tour_count_take(&count, operation));
    assert_int_equal(count.cost, 0);
    tour_count_end(&count);
}

static void impossible_operations_are_refused(void **state) {
    (void)state;
    const tour_space si = space_of(COL_TOUR_SI, (shape){2, 2}, true);
    const tour_space mesi = space_of(COL_TOUR_MESI, (shape){2, 2}, false);
    check_refused(&si, (col_tour_operation){COL_TOUR_LOAD, 0}); /* its second level has it not */
    check_refused(&si, (col_tour_operation){COL_TOUR_STORE, 0});
    check_refused(&mesi, (col_tour_operation){COL_TOUR_EVICT, 1});
    check_refused(&mesi, (col_tour_operation){COL_TOUR_EVICT2, 1});
    check_refused(&mesi, (col_tour_operation){COL_TOUR_LOAD2, 2}); /* there is no such cluster */
    check_refused(&mesi, (col_tour_operation){COL_TOUR_LOAD, 4});
    check_refused(&mesi, (col_tour_operation){COL_TOUR_KIND_COUNT, 0});
    const tour_space one_si = TOUR_ONE_LEVEL(COL_TOUR_SI, 3);
    const tour_space one_msi = TOUR_ONE_LEVEL(COL_TOUR_MSI, 3);
    check_refused(&one_si, (col_tour_operation){COL_TOUR_STORE, 0});
    check_refused(&one_msi, (col_tour_operation){COL_TOUR_STORE, 3});
    check_refused(&one_msi, (col_tour_operation){COL_TOUR_EVICT, 0});
    check_refused(&one_msi, (col_tour_operation){COL_TOUR_LOAD2, 0});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_space_matches_a_search_over_state_words),
        cmocka_unit_test(all_legal_states_are_reached),
        cmocka_unit_test(si_spaces_have_the_computed_sizes),
        cmocka_unit_test(long_walks_agree_with_the_oracle),
        cmocka_unit_test(sizes_are_the_published_ones),
        cmocka_unit_test(the_count_matches_a_naive_count),
        cmocka_unit_test(every_transition_counts_once),
        cmocka_unit_test(memory_use_is_known_in_advance),
        cmocka_unit_test(impossible_operations_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
