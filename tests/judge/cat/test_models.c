/* SPDX-License-Identifier: MIT */
/*
 * Our models in cat say what the tables of the checkers say: on random executions, by the oracles'
 * verdicts, on the programs whose outcomes are rare, and on the litmus tests.
 */
#include "judge/candidates.h"
#include "judge/cat/cat_judge.h"
#include "protocol/simulate/litmus.h"
#include "protocol/simulate/oracle_parts.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A hundred thousand with COLLIDER_EXECUTIONS=100000. */
#ifdef REDUCED
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
        show_operation(program, i);
        print_error(" source %d place %u\n", (int)c->source[i], c->place[i]);
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
                       .paired = true,
                       .atomic = below(rng, 3) == 0};
    candidate c;
    do {
        random_program(rng, &m, program);
        if (below(rng, 3) == 0 || !candidate_make_subtle(rng, program, &c))
            candidate_make(rng, program, &c);
        candidate_outcome(program, &c, seen);
    } while (!awaits_end(program, seen));
}

TEST(executions_get_the_oracles_verdict) {
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

/* ---- Litmus tests, and programs whose outcomes tell what chance hardly ever finds. */

typedef struct outcomes {
    judges *j;
    const col_program *program;
    uint32_t allowed[ORACLE_MODEL_COUNT];
    bool seen[ORACLE_MODEL_COUNT]; /* by the cat models */
} outcomes;

static bool note_outcome(void *context, const outcome *seen) {
    outcomes *o = context;
    candidate c = {0};
    candidate_of(o->program, seen, &c);
    const cat_execution execution = {.program = o->program, .source = c.source, .place = c.place};
    for (oracle_model m = 0; m < ORACLE_MODEL_COUNT; m++)
        o->seen[m] = o->seen[m] || allows(o->j, m, &execution);
    return true;
}

TEST(litmus_tests_get_their_verdicts) {
    judges j;
    glob_t paths;
    col_problem problem;
    litmus test = {.program = COL_PROGRAM_EMPTY};
    open_judges(&j);
    assert_int_equal(litmus_list(&paths, &problem), COL_OK);
    assert_true(paths.gl_pathc >= 411);
    for (size_t i = 0; i < paths.gl_pathc; i++) {
        assert_int_equal(litmus_read(paths.gl_pathv[i], &test, &problem), COL_OK);
        outcomes o = {.j = &j, .program = &test.program};
        oracle_each_candidate(&test.program, test.conditions, test.count, note_outcome, &o);
        for (oracle_model m = 0; m < ORACLE_MODEL_COUNT; m++)
            if (o.seen[m] != test.verdicts[m])
                fail_msg("%s: %s %s it", test.name, oracle_model_names[m],
                         test.verdicts[m] ? "allows" : "forbids");
    }
    litmus_free(&test);
    globfree(&paths);
    close_judges(&j);
}

static bool compare_outcome(void *context, const outcome *seen) {
    outcomes *o = context;
    check_execution(o->j, o->program, seen, o->allowed);
    return true;
}

TEST(rare_outcomes_get_the_oracles_verdict) {
    judges j;
    col_program program = COL_PROGRAM_EMPTY;
    col_problem problem;
    open_judges(&j);
    for (uint32_t i = 0; rare_programs[i] != NULL; i++) {
        outcomes o = {.j = &j, .program = &program};
        if (col_program_read(&program, rare_programs[i], strlen(rare_programs[i]), "rare",
                             &problem) != COL_OK)
            fail_msg("%s", problem.message);
        oracle_each_candidate(&program, NULL, 0, compare_outcome, &o);
    }
    col_program_free(&program);
    close_judges(&j);
}

/* ---- Reasons. */

/* What a step claims, from the graph's own relations. */
static bool step_holds(const cat_graph *g, const cat_step *step) {
    const uint32_t from = step->is_inverse ? step->to : step->from;
    const uint32_t to = step->is_inverse ? step->from : step->to;
    const cat_event *a = &g->events[from], *b = &g->events[to];
    const bool own = a->thread == b->thread;
    if (strcmp(step->name, "fr") == 0) {
        for (uint32_t w = 0; w < g->size.events; w++)
            if (cat_relates(g->relations[CAT_RF], g->size, w, from) &&
                cat_relates(g->relations[CAT_CO], g->size, w, to))
                return true;
        return false;
    }
    if (strcmp(step->name, "rmw") == 0 || strcmp(step->name, "amo") == 0)
        return own && a->owner == b->owner && a->kind == CAT_READ && b->kind == CAT_WRITE;
    if (strcmp(step->name, "po-loc") == 0)
        return own && a->instance < b->instance && a->location == b->location;
    if (strcmp(step->name, "rfe") == 0 || strcmp(step->name, "rfi") == 0)
        return own == (step->name[2] == 'i') &&
               cat_relates(g->relations[CAT_RF], g->size, from, to);
    for (cat_relation r = 0; r < CAT_RELATION_COUNT; r++)
        if (strcmp(step->name, cat_relation_names[r]) == 0)
            return g->relations[r] != NULL && cat_relates(g->relations[r], g->size, from, to);
    return false;
}

static void check_reason(judges *j, oracle_model m, uint32_t check, cat_explanation *why) {
    col_problem problem;
    const cat_graph *g = &j->graph.graph;
    assert_int_equal(cat_run_explain(j->runs[m], check, why, &problem), COL_OK);
    assert_true(why->count > 0);
    for (size_t i = 0; i < why->count; i++) {
        if (!step_holds(g, &why->steps[i]))
            fail_msg("%s: '%s' does not lead from %u to %u", oracle_model_names[m],
                     why->steps[i].name, why->steps[i].from, why->steps[i].to);
        if (i > 0)
            assert_int_equal(why->steps[i].from, why->steps[i - 1].to);
    }
    if (j->models[m].checks[check].test == CAT_IS_ACYCLIC) {
        assert_true(why->is_cycle);
        assert_int_equal(why->steps[0].from, why->steps[why->count - 1].to);
    }
}

TEST(reasons_lead_through_relations_of_the_execution) {
    judges j;
    col_program program = COL_PROGRAM_EMPTY;
    col_problem problem;
    cat_explanation why = {0};
    base_rng rng;
    uint32_t explained = 0;
    base_rng_seed(&rng, 2, 0);
    open_judges(&j);
    for (uint32_t i = 0; i < EXECUTIONS / 4; i++) {
        outcome seen = {0};
        candidate c = {0};
        cat_verdict verdict;
        const oracle_model m = (oracle_model)(i % ORACLE_MODEL_COUNT);
        random_execution(&rng, &program, &seen);
        candidate_of(&program, &seen, &c);
        const cat_execution execution = {.program = &program, .source = c.source, .place = c.place};
        if (allows(&j, m, &execution))
            continue;
        assert_int_equal(cat_run_judge(j.runs[m], CAT_WITH_CO, &verdict, &problem), COL_OK);
        check_reason(&j, m, verdict.check, &why);
        explained++;
    }
    assert_true(explained > EXECUTIONS / 40);
    cat_explanation_free(&why);
    close_judges(&j);
    col_program_free(&program);
}

/* ---- Judges: instances from their events, traces by search. */

static cat_judge *open_judge(oracle_model m) {
    cat_judge *judge;
    col_problem problem;
    col_model which;
    char name[32];
    (void)snprintf(name, sizeof name, "%s.cat", oracle_model_names[m]);
    if (cat_judge_new(&judge, NULL, name, NULL, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    assert_true(cat_judge_is_built_in(judge, &which));
    assert_int_equal(which, m);
    return judge;
}

static void check_instance(cat_judge *judge, base_rng *rng, oracle_model m,
                           const col_program *program, const outcome *seen, uint32_t *found) {
    uint32_t order[ORACLE_OPERATIONS];
    candidate c = {0};
    col_problem problem;
    bool is_allowed;
    const bool wanted = oracle_allows(m, program, seen);
    candidate_of(program, seen, &c);
    const uint32_t count = events_order(rng, program, &c, AS_SEEN, order);
    const uint32_t cut = below(rng, count + 1);
    assert_int_equal(cat_judge_load(judge, program, &problem), COL_OK);
    for (uint32_t i = 0; i < count; i++) {
        const col_event event = event_of(program, seen, order[i]);
        if (i == cut) { /* what is forbidden before the end stays so */
            assert_int_equal(cat_judge_finish(judge, false, &is_allowed, &problem), COL_OK);
            assert_true(is_allowed || !wanted);
            *found += !is_allowed;
        }
        cat_judge_notice(judge, &event);
    }
    assert_int_equal(cat_judge_finish(judge, true, &is_allowed, &problem), COL_OK);
    if (is_allowed != wanted) {
        show(program, &c);
        fail_msg("%s: %s", oracle_model_names[m], judge->violation.reason);
    }
    assert_true(is_allowed || judge->violation.reason[0] != '\0');
}

TEST(instances_are_judged_from_their_events) {
    base_rng rng;
    col_program program = COL_PROGRAM_EMPTY;
    uint32_t found = 0;
    base_rng_seed(&rng, 3, 0);
    for (oracle_model m = 0; m < ORACLE_MODEL_COUNT; m++) {
        cat_judge *judge = open_judge(m);
        for (uint32_t i = 0; i < EXECUTIONS / 10; i++) {
            outcome seen = {0};
            random_execution(&rng, &program, &seen);
            check_instance(judge, &rng, m, &program, &seen, &found);
        }
        cat_judge_free(judge);
    }
    assert_true(found > EXECUTIONS / 100);
    col_program_free(&program);
}

static void check_trace(cat_judge *judge, oracle_model m, const small_trace *t, uint32_t *allowed) {
    const col_trace_settings settings = {.budget = 60};
    col_problem problem;
    col_verdict verdict;
    const bool wanted = small_trace_allowed(m, t);
    assert_int_equal(cat_judge_trace(judge, &t->trace, &settings, &verdict, &problem), COL_OK);
    if (verdict != (wanted ? COL_ALLOWED : COL_FORBIDDEN))
        fail_msg("%s: %s by the oracle, but %s", oracle_model_names[m],
                 wanted ? "allowed" : "forbidden", judge->violation.reason);
    assert_true(wanted || judge->violation.reason[0] != '\0');
    *allowed += wanted;
}

TEST(traces_are_judged_by_search) {
    base_rng rng;
    col_program program = COL_PROGRAM_EMPTY;
    const uint32_t count = EXECUTIONS / 20;
    base_rng_seed(&rng, 4, 0);
    for (oracle_model m = 0; m < ORACLE_MODEL_COUNT; m++) {
        uint32_t allowed = 0;
        cat_judge *judge = open_judge(m);
        for (uint32_t i = 0; i < count; i++) {
            const mixture kinds = {.threads = 3,
                                   .operations = 8,
                                   .locations = 1 + below(&rng, 2),
                                   .packed = true,
                                   .paired = true,
                                   .atomic = below(&rng, 3) == 0};
            candidate c;
            small_trace t = {0};
            random_program(&rng, &kinds, &program);
            candidate_make(&rng, &program, &c);
            small_trace_make(&t, &program, &c);
            small_trace_vary(&rng, &t, &c);
            check_trace(judge, m, &t, &allowed);
            small_trace_free(&t);
        }
        assert_true(allowed > count / 20 && count - allowed > count / 20);
        cat_judge_free(judge);
    }
    col_program_free(&program);
}

/* Marks an operation that nobody took a value from; false: it was none such. */
static bool leave_unfinished(base_rng *rng, col_trace *trace, bool *reads) {
    const uint32_t count = col_program_operations(&trace->program), o = below(rng, count);
    const col_kind_traits *kind = &col_kinds[trace->program.operations[o].kind];
    if ((!kind->reads && !kind->writes) || trace->source[o] == COL_UNFINISHED)
        return false;
    for (uint32_t i = 0; i < count && kind->writes; i++)
        if (i != o && trace->source[i] == o && col_kinds[trace->program.operations[i].kind].reads)
            return false;
    trace->source[o] = COL_UNFINISHED;
    trace->unfinished_count++;
    *reads = *reads || kind->reads;
    return true;
}

/* The checker does not ask what an unfinished read may return, so it may allow what the model in
 * cat forbids: docs/checking-traces.md. Never the other way round. */
TEST(unfinished_operations_end_in_any_way) {
    base_rng rng;
    col_program program = COL_PROGRAM_EMPTY;
    base_rng_seed(&rng, 23, 0);
    for (oracle_model m = 0; m < ORACLE_MODEL_COUNT; m++) {
        const col_trace_settings settings = {.model = (col_model)m, .budget = 60};
        cat_judge *judge = open_judge(m);
        uint32_t counts[2] = {0};
        for (uint32_t i = 0; i < EXECUTIONS / 4; i++) {
            const mixture kinds = {.threads = 3,
                                   .operations = 8,
                                   .locations = 2,
                                   .packed = true,
                                   .paired = true,
                                   .atomic = i % 3 == 0};
            candidate c;
            small_trace t = {0};
            col_verdict wanted, got;
            col_problem problem;
            random_program(&rng, &kinds, &program);
            candidate_make(&rng, &program, &c);
            small_trace_make(&t, &program, &c);
            bool reads = false;
            const bool is_one = leave_unfinished(&rng, &t.trace, &reads);
            if (is_one || leave_unfinished(&rng, &t.trace, &reads)) {
                assert_int_equal(col_trace_check(&t.trace, &settings, &wanted, NULL, &problem),
                                 COL_OK);
                assert_int_equal(cat_judge_trace(judge, &t.trace, &settings, &got, &problem),
                                 COL_OK);
                if (got != wanted && !(reads && wanted == COL_ALLOWED && got == COL_FORBIDDEN))
                    fail_msg("%s: %d, not %d", oracle_model_names[m], (int)got, (int)wanted);
                counts[wanted == COL_ALLOWED]++;
            }
            small_trace_free(&t);
        }
        assert_true(counts[0] > 0 && counts[1] > 0);
        cat_judge_free(judge);
    }
    col_program_free(&program);
}

static void check_examples(cat_judge *judge, oracle_model m, const char *path) {
    const col_trace_settings settings = {.model = (col_model)m, .budget = 60};
    col_trace_file *file;
    col_trace trace = COL_TRACE_EMPTY;
    col_problem problem;
    bool found = true;
    assert_int_equal(col_trace_open(&file, path, &problem), COL_OK);
    while (found) {
        col_verdict wanted, got;
        assert_int_equal(col_trace_next(file, &trace, &found, &problem), COL_OK);
        if (!found)
            break;
        assert_int_equal(col_trace_check(&trace, &settings, &wanted, NULL, &problem), COL_OK);
        assert_int_equal(cat_judge_trace(judge, &trace, &settings, &got, &problem), COL_OK);
        if (got != wanted)
            fail_msg("%s by %s: %d, not %d", path, oracle_model_names[m], (int)got, (int)wanted);
    }
    col_trace_close(file);
    col_trace_free(&trace);
}

TEST(examples_of_traces_get_the_checkers_verdict) {
    glob_t paths;
    assert_int_equal(glob(TEST_DATA "/trace/*.axe", 0, NULL, &paths), 0);
    for (oracle_model m = 0; m < ORACLE_MODEL_COUNT; m++) {
        cat_judge *judge = open_judge(m);
        for (size_t i = 0; i < paths.gl_pathc; i++)
            check_examples(judge, m, paths.gl_pathv[i]);
        cat_judge_free(judge);
    }
    globfree(&paths);
}
