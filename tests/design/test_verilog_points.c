/* SPDX-License-Identifier: MIT */
/* ctest: long unsanitized */
/*
 * Points that the RTL does not write down, of tests/data/verilog/points.yaml. They are counted in
 * other ways than cover points are, so what both see must be the same: state changes are compared
 * with the cover points of the transitions, branches and toggles with both. Skipped where there is
 * no Verilator.
 */
#include "watch.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- What is counted. */

typedef struct counts {
    const col_duv_description *d;
    uint64_t *hits;
} counts;

static uint64_t count_of(const counts *c, const char *machine, uint32_t controller,
                         const char *point, const char *event) {
    for (uint32_t m = 0; m < c->d->machine_count; m++)
        for (uint32_t p = 0; p < c->d->machines[m].point_count; p++) {
            const uint32_t number = c->d->machines[m].first_point + p;
            if (strcmp(c->d->machines[m].name, machine) == 0 &&
                strcmp(c->d->points[number].state, point) == 0 &&
                strcmp(c->d->points[number].event, event) == 0)
                return c->hits[col_duv_functional(c->d, m, controller, number)];
        }
    fail_msg("there is no point %s %s/%s", machine, point, event);
    return 0;
}

static void check_agent(const counts *c, uint32_t a) {
    const uint64_t requests = count_of(c, "agent", a, "Idle", "Request");
    const uint64_t performed = count_of(c, "agent", a, "Waiting", "Load") +
                               count_of(c, "agent", a, "Waiting", "Store") +
                               count_of(c, "agent", a, "Waiting", "Atomic");
    const uint64_t taken = count_of(c, "agent", a, "Answering", "Taken");
    assert_true(requests > 100);
    assert_int_equal(count_of(c, "agent.state", a, "Idle", "Waiting"), requests);
    assert_int_equal(count_of(c, "agent.state", a, "Waiting", "Answering"), performed);
    assert_int_equal(count_of(c, "agent.state", a, "Answering", "Idle"), taken);
    assert_int_equal(count_of(c, "agent.state", a, "Waiting", ""), requests);
    assert_int_equal(count_of(c, "agent.state", a, "Waiting", "Idle"), 0);
    /* if (request_valid) begin, and both directions of a signal that is the state. */
    assert_int_equal(count_of(c, "agent.lines", a, "flat.sv:116:17-if", ""), requests);
    assert_int_equal(count_of(c, "agent.lines", a, "flat.sv:124:17-if", ""), performed);
    assert_int_equal(count_of(c, "agent.toggles", a, "response_valid", ""), performed + taken);
}

static void all_ways_of_counting_agree(void **state) {
    (void)state;
    enum { INSTANCES = 40 };
    trial t;
    uint64_t cycles = 0;
    trial_start(&t, duv_open(TEST_DATA "/verilog/points.yaml", 0, NULL, false), NULL);
    counts c = {.d = t.watch.description};
    c.hits = calloc(col_duv_functional_count(c.d), sizeof *c.hits);
    assert_non_null(c.hits);
    assert_true(c.d->reachable_known);
    for (uint64_t seed = 0; seed < INSTANCES; seed++) {
        trial_make_small(&t, 60, 10, seed);
        cycles += trial_run(&t, seed).cycles;
    }
    col_duv_collect(t.duv, c.hits);
    for (uint32_t a = 0; a < 3; a++)
        check_agent(&c, a);
    /* A number that changes in each cycle. */
    assert_int_equal(count_of(&c, "flat.turn", 0, "First", "Second") +
                         count_of(&c, "flat.turn", 0, "Second", "Last") +
                         count_of(&c, "flat.turn", 0, "Last", "First"),
                     cycles);
    free(c.hits);
    trial_end(&t);
}

/* ---- Faults. */

static const struct {
    const char *from, *to; /* an edit of the design file */
    uint32_t line, column;
    const char *message;
} faults[] = {
    {"module: agent, signal: state", "module: actor, signal: state", 19, 14,
     "the design has no module 'actor'; it has flat, agent"},
    {"signal: state", "signal: mood", 19, 29, "the module agent has no signal 'mood'"},
    {"signal: state", "signal: data", 19, 29, "which values of data are states? Name an "},
    {"signal: state,", "signal: state, states: mood_t,", 19, 44,
     "the design has no enumeration 'mood_t'"},
    {"Idle: Waiting", "Idle: Walking", 19, 56, "the signal state of agent has no state 'Walking'"},
    {"signal: turn", "signal: addresses", 20, 28,
     "the signal addresses of flat is not a number of at most 64 bits, nor"},
    {"\"ag*t\"", "\"ag*s\"", 17, 50, "the design has no module 'ag*s'; it has flat, agent"},
};

static void faults_have_a_place_and_a_sentence(void **state) {
    (void)state;
    (void)write_edited("flat.sv", "module", "module");
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        col_duv *duv = NULL;
        col_problem problem = {0};
        const char *design = write_edited("points.yaml", faults[i].from, faults[i].to);
        assert_int_equal(col_duv_open(&duv, design, NULL, &problem), COL_BAD_INPUT);
        if (problem.line != faults[i].line || problem.column != faults[i].column ||
            strstr(problem.message, faults[i].message) == NULL)
            fail_msg("%s: %u:%u: %s", faults[i].to, problem.line, problem.column, problem.message);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_ways_of_counting_agree),
        cmocka_unit_test(faults_have_a_place_and_a_sentence),
    };
    if (!has_verilator()) {
        print_message("skipped: there is no Verilator (package verilator)\n");
        return 0;
    }
    return cmocka_run_group_tests(tests, begin_cache, end_cache);
}
