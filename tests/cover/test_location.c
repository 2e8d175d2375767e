/* SPDX-License-Identifier: MIT */
/* Transition coverage of locations against a set of tuples (location, core, level, transition) that
 * is searched from end to end, over several tests of a scenario; and quartiles of a sorted list. */
#include "cover/support.h"
#include "harness.h"

#include <stdlib.h>
#include <string.h>

#ifdef REDUCED
enum { SCENARIOS = 40 };
#else
enum { SCENARIOS = 300 };
#endif

enum { TESTS = 4, EVENTS = 150, MOST_LOCATIONS = 12, NUMBERS = 9 };

/* What location `location` saw. */
typedef struct seen {
    uint32_t location, machine, core, state, event;
} seen;

typedef struct seen_list {
    seen items[TESTS * EVENTS * MOST_LOCATIONS];
    uint32_t count;
} seen_list;

static void see(seen_list *list, seen what) {
    for (uint32_t i = 0; i < list->count; i++)
        if (memcmp(&list->items[i], &what, sizeof what) == 0)
            return;
    list->items[list->count++] = what;
}

static int compare_numbers(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The coverage of each pair, sorted; how many there are. */
static size_t sorted_values(const seen_list *list, const design *of, uint32_t machine,
                            uint32_t locations, double *values) {
    const col_duv_machine *level = &of->machines[machine];
    const uint32_t cores = level->is_private || level->controllers == 0 ? level->controllers : 1;
    size_t count = 0;
    for (uint32_t a = 0; a < locations; a++)
        for (uint32_t core = 0; core < cores; core++) {
            uint32_t taken = 0;
            for (uint32_t i = 0; i < list->count; i++)
                taken += list->items[i].location == a && list->items[i].core == core &&
                         list->items[i].machine == machine;
            values[count++] = level->point_count == 0 ? 0 : (double)taken / level->point_count;
        }
    qsort(values, count, sizeof *values, compare_numbers);
    return count;
}

static double quantile(const double *values, size_t count, double part) {
    if (count == 0)
        return 0;
    const double place = (double)(count - 1) * part;
    const size_t low = (size_t)place;
    const double rest = place - (double)low;
    return rest == 0 ? values[low] : values[low] + (values[low + 1] - values[low]) * rest;
}

static void assert_near(double a, double b) {
    assert_true(a - b < 1e-12 && b - a < 1e-12);
}

static void assert_quartiles(col_quartiles q, const double *values, size_t count) {
    assert_near(q.low, quantile(values, count, 0.25));
    assert_near(q.median, quantile(values, count, 0.5));
    assert_near(q.high, quantile(values, count, 0.75));
}

/* A design's own numbers of the state and event of a point. */
static uint32_t state_of(uint32_t point) {
    return point / NUMBERS * 1000003;
}

static uint32_t event_of(uint32_t point) {
    return point % NUMBERS;
}

static void random_map(base_rng *rng, col_program *program, uint32_t locations) {
    col_problem problem;
    assert_int_equal(col_program_shape(program, 1, (const uint32_t[]){1}, locations, &problem),
                     COL_OK);
    uint32_t words[MOST_LOCATIONS * 4]; /* in some of eight blocks: many are shared */
    for (uint32_t i = 0; i < MOST_LOCATIONS * 4; i++)
        words[i] = i;
    base_rng_shuffle(rng, words, MOST_LOCATIONS * 4);
    for (uint32_t a = 0; a < locations; a++)
        program->addresses[a] = 0x7000000000 + 8 * (uint64_t)words[a];
}

static void random_event(base_rng *rng, const design *of, const col_program *program,
                         const col_observer *observer, seen_list *list) {
    const uint32_t machine = random_upto(rng, of->description.machine_count - 1);
    const col_duv_machine *level = &of->machines[machine];
    if (level->controllers == 0 || level->point_count == 0)
        return;
    const uint32_t point = random_upto(rng, level->point_count - 1);
    const col_event event = {.kind = COL_TRANSITION,
                             .machine = machine,
                             .controller = random_upto(rng, level->controllers - 1),
                             .state = state_of(point),
                             .event = event_of(point),
                             .block = 0x7000000000 + 64 * (uint64_t)random_upto(rng, 7)};
    observer->notice(observer->context, &event);
    for (uint32_t a = 0; a < program->location_count; a++)
        if (program->addresses[a] / 64 * 64 == event.block)
            see(list, (seen){.location = a,
                             .machine = machine,
                             .core = level->is_private ? event.controller : 0,
                             .state = event.state,
                             .event = event.event});
}

static void run_scenario(base_rng *rng, const design *of, col_location_coverage *coverage) {
    static seen_list list;
    list.count = 0;
    col_program program = COL_PROGRAM_EMPTY;
    col_problem problem;
    const uint32_t locations = random_upto(rng, MOST_LOCATIONS);
    assert_int_equal(col_location_coverage_begin(coverage, locations, &problem), COL_OK);
    const col_observer observer = col_location_coverage_observer(coverage);
    assert_int_equal(observer.kinds, 1U << COL_TRANSITION);
    for (uint32_t t = 0; t < TESTS; t++) {
        random_map(rng, &program, locations);
        assert_int_equal(col_location_coverage_load(coverage, &program, &problem), COL_OK);
        for (uint32_t e = 0; e < EVENTS && of->description.machine_count > 0; e++)
            random_event(rng, of, &program, &observer, &list);
        for (uint32_t m = 0; m < of->description.machine_count; m++) {
            double values[MOST_LOCATIONS * MOST_CONTROLLERS];
            const uint32_t total = of->machines[m].point_count;
            const size_t count = sorted_values(&list, of, m, locations, values);
            const uint64_t *distribution = col_location_coverage_distribution(coverage, m);
            size_t next = 0;
            for (uint32_t k = 0; k <= total; k++)
                for (uint64_t i = 0; i < distribution[k]; i++) {
                    assert_true(next < count);
                    assert_near(values[next++], total == 0 ? 0 : (double)k / total);
                }
            assert_int_equal(next, count);
            assert_quartiles(col_quartiles_of(distribution, total), values, count);
        }
    }
    assert_int_equal(col_location_coverage_unknown(coverage), 0);
    col_program_free(&program);
}

TEST(coverage_matches_a_set_of_tuples) {
    for (uint64_t i = 0; i < SCENARIOS; i++) {
        base_rng rng;
        design made;
        col_location_coverage *coverage;
        col_problem problem;
        base_rng_seed(&rng, 5, i);
        random_design(&rng, &made);
        assert_int_equal(col_location_coverage_new(&coverage, &made.description, &problem), COL_OK);
        run_scenario(&rng, &made, coverage);
        run_scenario(&rng, &made, coverage); /* nothing of the first one is left */
        col_location_coverage_free(coverage);
    }
}

/* ---- By hand. */

static const col_duv_machine levels[] = {
    {.name = "L1", .controllers = 2, .is_private = true, .first_point = 0, .point_count = 2},
    {.name = "L2", .controllers = 2, .first_point = 2, .point_count = 2}};
static const col_duv_point points[] = {
    {"I", "Load", true}, {"S", "Inv", true}, {"I", "Get", true}, {"S", "Get", true}};
static const col_duv_description two_levels = {.name = "two",
                                               .cores = 2,
                                               .geometry = {.block_bits = 6},
                                               .machine_count = 2,
                                               .point_count = 4,
                                               .machines = levels,
                                               .points = points};

static void take(const col_observer *observer, uint32_t machine, uint32_t controller,
                 uint32_t event, uint64_t block) {
    observer->notice(observer->context, &(col_event){.kind = COL_TRANSITION,
                                                     .machine = machine,
                                                     .controller = controller,
                                                     .event = event,
                                                     .block = block});
}

static col_location_coverage *begin_two(col_program *program) {
    col_location_coverage *coverage;
    col_problem problem;
    assert_int_equal(col_location_coverage_new(&coverage, &two_levels, &problem), COL_OK);
    assert_int_equal(col_location_coverage_begin(coverage, 2, &problem), COL_OK);
    assert_int_equal(col_program_shape(program, 1, (const uint32_t[]){1}, 2, &problem), COL_OK);
    program->addresses[0] = 64;
    program->addresses[1] = 128;
    assert_int_equal(col_location_coverage_load(coverage, program, &problem), COL_OK);
    return coverage;
}

/* Location 0 in two tests, at different addresses: the union. Banks of a shared level are one. */
TEST(a_location_is_followed_through_its_addresses) {
    col_program program = COL_PROGRAM_EMPTY;
    col_location_coverage *coverage = begin_two(&program);
    const col_observer observer = col_location_coverage_observer(coverage);
    take(&observer, 0, 0, 7, 64);
    take(&observer, 1, 0, 3, 64);
    take(&observer, 0, 1, 7, 4096); /* nobody's block */
    program.addresses[0] = 0x10008;
    col_problem problem;
    assert_int_equal(col_location_coverage_load(coverage, &program, &problem), COL_OK);
    take(&observer, 0, 0, 8, 0x10000);
    take(&observer, 1, 1, 4, 0x10000);
    take(&observer, 0, 1, 8, 128);
    /* L1: core 0 took both for location 0, core 1 one for location 1. */
    const uint64_t *l1 = col_location_coverage_distribution(coverage, 0);
    assert_true(l1[0] == 2 && l1[1] == 1 && l1[2] == 1);
    const col_quartiles quartiles = col_quartiles_of(l1, 2);
    assert_near(quartiles.low, 0);
    assert_near(quartiles.median, 0.25); /* of 0, 0, 1/2, 1 */
    assert_near(quartiles.high, 0.625);
    const uint64_t *l2 = col_location_coverage_distribution(coverage, 1);
    assert_true(l2[0] == 1 && l2[1] == 0 && l2[2] == 1);
    col_location_coverage_free(coverage);
    col_program_free(&program);
}

TEST(impossible_points_are_counted_apart) {
    col_program program = COL_PROGRAM_EMPTY;
    col_location_coverage *coverage = begin_two(&program);
    const col_observer observer = col_location_coverage_observer(coverage);
    take(&observer, 2, 0, 0, 64);
    take(&observer, 0, 2, 0, 64);
    take(&observer, 1, 2, 0, 64);
    assert_int_equal(col_location_coverage_unknown(coverage), 3);
    for (uint32_t event = 0; event < 5; event++)
        take(&observer, 0, 0, event, 64);
    assert_int_equal(col_location_coverage_unknown(coverage), 6);
    const uint64_t *l1 = col_location_coverage_distribution(coverage, 0);
    assert_true(l1[0] == 3 && l1[1] == 0 && l1[2] == 1);
    observer.notice(observer.context, &(col_event){.kind = COL_EVICTION, .block = 64});
    assert_int_equal(col_location_coverage_unknown(coverage), 6);
    col_location_coverage_free(coverage);
    col_program_free(&program);
}

TEST(a_test_of_another_scenario_is_refused) {
    col_program program = COL_PROGRAM_EMPTY;
    col_location_coverage *coverage = begin_two(&program);
    const col_observer observer = col_location_coverage_observer(coverage);
    col_problem problem;
    assert_int_equal(col_program_shape(&program, 1, (const uint32_t[]){1}, 3, &problem), COL_OK);
    assert_int_equal(col_location_coverage_load(coverage, &program, &problem), COL_BAD_INPUT);
    assert_string_equal(problem.message,
                        "the program has 3 locations, but the scenario's tests have 2");
    take(&observer, 0, 0, 7, 64); /* no test, no locations */
    assert_true(col_location_coverage_distribution(coverage, 0)[0] == 4);
    assert_int_equal(col_location_coverage_begin(coverage, UINT32_MAX, &problem), COL_BAD_INPUT);
    take(&observer, 0, 0, 7, 64);
    assert_true(col_location_coverage_distribution(coverage, 0)[0] == 0);
    col_location_coverage_free(coverage);
    col_program_free(&program);
}

/* ---- Quartiles of any list. */

TEST(quartiles_are_those_of_the_sorted_list) {
    enum { MOST = 60, TRANSITIONS = 7 };
    for (uint64_t i = 0; i < 3000; i++) {
        base_rng rng;
        uint64_t distribution[TRANSITIONS + 1] = {0};
        double values[MOST];
        base_rng_seed(&rng, 6, i);
        const uint32_t count = random_upto(&rng, MOST), most = random_upto(&rng, TRANSITIONS);
        for (uint32_t k = 0; k < count; k++) {
            const uint32_t value = random_upto(&rng, most);
            distribution[value]++;
            values[k] = (double)value / TRANSITIONS;
        }
        qsort(values, count, sizeof *values, compare_numbers);
        assert_quartiles(col_quartiles_of(distribution, TRANSITIONS), values, count);
    }
}
