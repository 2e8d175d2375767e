/* SPDX-License-Identifier: MIT */
/*
 * Our models in cat say what the tables of the checkers say: on random executions, by the oracles'
 * verdicts, on the programs whose outcomes are rare, and on the litmus tests.
 */
#include "cat/program.h"
#include "check/candidates.h"
#include "sim/litmus.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdio.h>
#include <stdlib.h>

/* A hundred thousand with COLLIDER_EXECUTIONS=100000. */
#ifdef SANITIZED
enum { EXECUTIONS = 300 };
#else
enum { EXECUTIONS = 4000 };
#endif

typedef struct judges {
    cat_model models[ORACLE_MODEL_COUNT];
    cat_run *runs[ORACLE_MODEL_COUNT];
    cat_program_graph graph;
} judges;

static void open_judges(judges *j) {
    col_problem problem = {0};
    *j = (judges){0};
    for (oracle_model m = 0; m < ORACLE_MODEL_COUNT; m++) {
        char name[32];
        (void)snprintf(name, sizeof name, "%s.cat", oracle_model_names[m]);
        if (cat_model_read_file(&j->models[m], name, NULL, &problem) != COL_OK)
            fail_msg("%s: %s", name, problem.message);
        assert_int_equal(cat_run_new(&j->runs[m], &j->models[m], &problem), COL_OK);
    }
}

static void close_judges(judges *j) {
    for (oracle_model m = 0; m < ORACLE_MODEL_COUNT; m++) {
        cat_run_free(j->runs[m]);
        cat_model_free(&j->models[m]);
    }
    cat_program_graph_free(&j->graph);
}

static bool allows(judges *j, oracle_model m, const cat_execution *execution) {
    col_problem problem = {0};
    cat_verdict verdict = {0};
    assert_int_equal(cat_program_graph_make(&j->graph, execution, &j->models[m], &problem), COL_OK);
    assert_int_equal(cat_run_load(j->runs[m], &j->graph.graph, &problem), COL_OK);
    assert_int_equal(cat_run_judge(j->runs[m], CAT_WITH_CO, &verdict, &problem), COL_OK);
    return verdict.is_allowed;
}

static bool awaits_end(const col_program *program, const outcome *seen) {
    for (uint32_t i = 0; i < col_program_operations(program); i++)
        if (program->operations[i].kind == COL_AWAIT &&
            seen->read[i] != program->operations[i].value)
            return false;
    return true;
}

static void show(const col_program *program, const candidate *c) {
    for (uint32_t i = 0; i < col_program_operations(program); i++) {
        const col_operation *o = &program->operations[i];
        print_error("  %u: thread %u %s a%u %u order %u dep %u@-%u fence %u source %d place %u\n",
                    i, col_program_thread_of(program, i), col_kinds[o->kind].name, o->location,
                    o->value, o->order, o->dependency, o->distance, o->fence, (int)c->source[i],
                    c->place[i]);
    }
}

static void check_execution(judges *j, const col_program *program, const outcome *seen,
                            uint32_t *allowed) {
    candidate c = {0};
    candidate_of(program, seen, &c);
    const cat_execution execution = {.program = program, .source = c.source, .place = c.place};
    for (oracle_model m = 0; m < ORACLE_MODEL_COUNT; m++) {
        const bool wanted = oracle_allows(m, program, seen);
        allowed[m] += wanted;
        if (allows(j, m, &execution) == wanted)
            continue;
        show(program, &c);
        fail_msg("%s: %s by the oracle", oracle_model_names[m], wanted ? "allowed" : "forbidden");
    }
}

static void random_execution(base_rng *rng, col_program *program, outcome *seen) {
    const mixture m = {.threads = 4,
                       .operations = 11,
                       .locations = 1 + below(rng, 3),
                       .packed = true,
                       .awaits = true,
                       .atomic = below(rng, 3) == 0};
    candidate c;
    do {
        random_program(rng, &m, program);
        if (below(rng, 3) == 0 || !candidate_make_subtle(rng, program, &c))
            candidate_make(rng, program, &c);
        candidate_outcome(program, &c, seen);
    } while (!awaits_end(program, seen));
}

static void executions_get_the_oracles_verdict(void **state) {
    (void)state;
    judges j;
    col_program program = COL_PROGRAM_EMPTY;
    uint32_t allowed[ORACLE_MODEL_COUNT] = {0};
    base_rng rng;
    const char *wanted = getenv("COLLIDER_EXECUTIONS");
    const uint32_t count = wanted != NULL ? (uint32_t)atoi(wanted) : EXECUTIONS;
    base_rng_seed(&rng, 1, 0);
    open_judges(&j);
    for (uint32_t i = 0; i < count; i++) {
        outcome seen = {0};
        random_execution(&rng, &program, &seen);
        check_execution(&j, &program, &seen, allowed);
    }
    for (oracle_model m = 0; m < ORACLE_MODEL_COUNT; m++) {
        print_message("%s: %u of %u allowed\n", oracle_model_names[m], allowed[m], count);
        assert_true(allowed[m] > count / 20 && count - allowed[m] > count / 20);
    }
    close_judges(&j);
    col_program_free(&program);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(executions_get_the_oracles_verdict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
