/* SPDX-License-Identifier: MIT */
/*
 * The runtime checker against the oracles: on random executions, in whatever order their events
 * come, it gives the oracle's verdict for each model, not before it can be known and not later than
 * the events show it, with a cycle that holds step by step. And on the litmus tests, and on events
 * that no memory could have brought about.
 */
#include "cycles.h"

#include "protocol/simulate/litmus.h"
#include "protocol/simulate/oracle_parts.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <string.h>

#ifdef REDUCED
enum { EXECUTIONS = 4000, WATCHED = 120, BROKEN = 800 };
#elif defined(THOROUGH)
enum { EXECUTIONS = 100000, WATCHED = 3000, BROKEN = 20000 };
#else
enum { EXECUTIONS = 30000, WATCHED = 1000, BROKEN = 6000 };
#endif

_Static_assert((int)ORACLE_MODEL_COUNT == (int)COL_MODEL_COUNT,
               "every model has an oracle, in the order of COL_MODELS");

static col_checker *checkers[ORACLE_MODEL_COUNT];

static int make_checkers(void **state) {
    col_problem problem;
    for (oracle_model m = 0; m < ORACLE_MODEL_COUNT; m++) {
        assert_string_equal(oracle_model_names[m], col_models[m]);
        assert_int_equal(col_checker_new(&checkers[m], (col_model)m, &problem), COL_OK);
    }
    return 0;
}

static int free_checkers(void **state) {
    for (oracle_model m = 0; m < ORACLE_MODEL_COUNT; m++)
        col_checker_free(checkers[m]);
    return 0;
}

static void load(const col_program *program) {
    col_problem problem;
    for (oracle_model m = 0; m < ORACLE_MODEL_COUNT; m++)
        assert_int_equal(col_checker_load(checkers[m], program, &problem), COL_OK);
}

/* Everything about an execution, for whoever has to find out what is wrong. */
static void show(const col_program *program, const outcome *seen, const uint32_t *order,
                 uint32_t count, const col_violation *violation) {
    for (uint32_t i = 0; i < col_program_operations(program); i++) {
        show_operation(program, i);
        print_error(" read %llx repl %llx\n", (unsigned long long)seen->read[i],
                    (unsigned long long)seen->replaced[i]);
    }
    print_error("  events:");
    for (uint32_t k = 0; k < count; k++)
        print_error(" %u", order[k]);
    print_error("\n");
    show_violation(violation);
}

/* ---- Verdicts and cycles. */

typedef struct trial {
    const col_program *program;
    const candidate *c;
    const outcome *seen;
    uint32_t order[ORACLE_OPERATIONS], count;
} trial;

static bool give_events(col_checker *checker, const trial *t) {
    bool fine = true;
    for (uint32_t k = 0; k < t->count; k++) {
        const col_event event = event_of(t->program, t->seen, t->order[k]);
        const bool still = col_checker_notice(checker, &event);
        assert_true(fine || !still); /* once wrong, always wrong */
        fine = still;
    }
    assert_int_equal(col_checker_finish(checker, true), fine);
    return fine;
}

/* Where locations are coherent no cycle holds the other way round, if the judge of cycles is one.
 */
static void check_judge(oracle_model m, const trial *t, const col_violation *violation) {
    col_step steps[4 * ORACLE_OPERATIONS];
    col_violation reversed = *violation;
    const uint32_t count = violation->step_count;
    assert_true(count <= 4 * ORACLE_OPERATIONS);
    reversed.steps = steps;
    for (uint32_t s = 0; s < count; s++) {
        steps[s] = violation->steps[count - 1 - s];
        steps[s].from = violation->steps[count - 1 - s].to;
        steps[s].to = violation->steps[count - 1 - s].from;
    }
    if (cycle_fault(m, t->program, t->c, &reversed) != NULL)
        return;
    show(t->program, t->seen, t->order, t->count, &reversed);
    fail_msg("%s: a cycle that holds both ways", oracle_model_names[m]);
}

static void check_verdict(oracle_model m, const trial *t, bool allowed) {
    col_checker *checker = checkers[m];
    col_checker_restart(checker);
    const bool accepted = give_events(checker, t);
    const col_violation *violation = col_checker_violation(checker);
    assert_int_equal(accepted, violation == NULL);
    if (accepted != allowed) {
        show(t->program, t->seen, t->order, t->count, violation);
        fail_msg("%s: %s by the oracle", oracle_model_names[m], allowed ? "allowed" : "forbidden");
    }
    if (violation == NULL)
        return;
    const char *fault = cycle_fault(m, t->program, t->c, violation);
    if (fault != NULL) {
        show(t->program, t->seen, t->order, t->count, violation);
        fail_msg("%s: a wrong cycle: %s", oracle_model_names[m], fault);
    }
    if (oracle_is_coherent(t->program, t->seen))
        check_judge(m, t, violation);
}

static void random_execution(base_rng *rng, col_program *program, uint32_t operations,
                             candidate *c) {
    const mixture m = {.threads = 4,
                       .operations = operations,
                       .locations = 1 + below(rng, 3),
                       .packed = true,
                       .awaits = true,
                       .atomic = below(rng, 3) == 0};
    random_program(rng, &m, program);
    if (below(rng, 2) == 0 || !candidate_make_subtle(rng, program, c))
        candidate_make(rng, program, c);
}

/* All models and all orders of events. */
static void check_execution(base_rng *rng, const col_program *program, const candidate *c,
                            uint32_t *allowed) {
    outcome seen;
    bool verdicts[ORACLE_MODEL_COUNT];
    trial t = {.program = program, .c = c, .seen = &seen};
    candidate_outcome(program, c, &seen);
    load(program);
    for (oracle_model m = 0; m < ORACLE_MODEL_COUNT; m++) {
        verdicts[m] = oracle_allows(m, program, &seen);
        allowed[m] += verdicts[m];
    }
    for (event_order o = 0; o < EVENT_ORDERS; o++) {
        t.count = events_order(rng, program, c, o, t.order);
        for (oracle_model m = 0; m < ORACLE_MODEL_COUNT; m++)
            check_verdict(m, &t, verdicts[m]);
    }
}

static void check_executions(uint32_t count, uint64_t seed, uint32_t operations) {
    col_program program = COL_PROGRAM_EMPTY;
    uint32_t allowed[ORACLE_MODEL_COUNT] = {0};
    base_rng rng;
    base_rng_seed(&rng, seed, 0);
    for (uint32_t i = 0; i < count; i++) {
        candidate c;
        random_execution(&rng, &program, operations, &c);
        check_execution(&rng, &program, &c, allowed);
    }
    for (oracle_model m = 0; m < ORACLE_MODEL_COUNT; m++) {
        print_message("%u operations, %s: %u allowed, %u forbidden\n", operations,
                      oracle_model_names[m], allowed[m], count - allowed[m]);
        assert_true(allowed[m] > count / 10 && count - allowed[m] > count / 10);
    }
    col_program_free(&program);
}

TEST(executions_get_the_oracles_verdict) {
    check_executions(EXECUTIONS, 1, 11);
    check_executions(EXECUTIONS / 10, 5, 28);
}

typedef struct rare_run {
    base_rng rng;
    const col_program *program;
    uint32_t allowed[ORACLE_MODEL_COUNT], count;
} rare_run;

static bool check_outcome(void *context, const outcome *seen) {
    rare_run *run = context;
    candidate c;
    candidate_of(run->program, seen, &c);
    for (uint32_t i = 0; i < 20; i++, run->count++)
        check_execution(&run->rng, run->program, &c, run->allowed);
    return true;
}

/* All outcomes, allowed or not, with events in many orders. */
TEST(rare_programs_get_the_oracles_verdict) {
    col_program program = COL_PROGRAM_EMPTY;
    col_problem problem;
    for (uint32_t i = 0; rare_programs[i] != NULL; i++) {
        rare_run run = {.program = &program};
        base_rng_seed(&run.rng, i, 0);
        assert_int_equal(col_program_read(&program, rare_programs[i], strlen(rare_programs[i]),
                                          "rare", &problem),
                         COL_OK);
        oracle_each_candidate(&program, NULL, 0, check_outcome, &run);
        assert_true(0 < run.allowed[ORACLE_SC] && run.allowed[ORACLE_SC] < run.count);
    }
    col_program_free(&program);
}

/* ---- When. */

/* Can the events so far be part of an allowed execution? */
static bool can_go_on(oracle_model m, const trial *t, uint32_t count) {
    condition conditions[2 * ORACLE_OPERATIONS];
    uint32_t used = 0;
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t i = t->order[k];
        const col_kind_traits *traits = &col_kinds[t->program->operations[i].kind];
        if (traits->reads)
            conditions[used++] = (condition){i, false, t->seen->read[i]};
        if (traits->writes)
            conditions[used++] = (condition){i, true, t->seen->replaced[i]};
    }
    return oracle_reaches(m, t->program, conditions, used);
}

typedef struct punctuality {
    uint32_t at_once, late; /* reported when nothing could go on any more; or later */
} punctuality;

/* Exactly when the events show a cycle, and so never while all may still end well. */
static void watch(col_checker *checker, oracle_model m, const trial *t, punctuality *p) {
    uint64_t performed = 0;
    col_checker_restart(checker);
    for (uint32_t k = 0; k < t->count; k++) {
        const col_event event = event_of(t->program, t->seen, t->order[k]);
        const bool fine = col_checker_notice(checker, &event);
        performed |= oracle_bit(t->order[k]);
        const bool shown = prefix_has_cycle(m, t->program, t->c, performed);
        if (fine == shown) {
            show(t->program, t->seen, t->order, k + 1, col_checker_violation(checker));
            fail_msg("%s: %s", oracle_model_names[m],
                     fine ? "a cycle that was not reported" : "reported without a cycle");
        }
        if (!fine && can_go_on(m, t, k + 1)) {
            show(t->program, t->seen, t->order, k + 1, col_checker_violation(checker));
            fail_msg("%s: reported too early", oracle_model_names[m]);
        }
        if (!fine) {
            const bool late = !can_go_on(m, t, k);
            p->late += late;
            p->at_once += !late;
            return;
        }
    }
}

TEST(violations_are_reported_in_time) {
    col_program program = COL_PROGRAM_EMPTY;
    punctuality p[EVENT_ORDERS] = {0};
    base_rng rng;
    base_rng_seed(&rng, 2, 0);
    for (uint32_t i = 0; i < WATCHED; i++) {
        candidate c;
        outcome seen;
        trial t = {.program = &program, .c = &c, .seen = &seen};
        random_execution(&rng, &program, 9, &c);
        candidate_outcome(&program, &c, &seen);
        load(&program);
        for (event_order o = 0; o < EVENT_ORDERS; o++) {
            t.count = events_order(&rng, &program, &c, o, t.order);
            for (oracle_model m = 0; m < ORACLE_MODEL_COUNT; m++)
                watch(checkers[m], m, &t, &p[o]);
        }
    }
    /* Later: an operation that completes the cycle had not performed yet, though it had to. */
    for (event_order o = 0; o < EVENT_ORDERS; o++) {
        print_message("order %u: %u reported at once, %u later\n", (uint32_t)o, p[o].at_once,
                      p[o].late);
        assert_true(2 * p[o].at_once > p[o].late);
    }
    col_program_free(&program);
}

/* ---- Litmus tests. */

typedef struct litmus_run {
    col_checker *checker;
    oracle_model model;
    const litmus *test;
    bool reached;
    uint32_t candidates;
} litmus_run;

static bool run_candidate(void *context, const outcome *seen) {
    litmus_run *run = context;
    candidate c;
    trial t = {.program = &run->test->program, .c = &c, .seen = seen};
    base_rng rng;
    base_rng_seed(&rng, run->candidates++, 0);
    candidate_of(t.program, seen, &c);
    t.count = events_order(&rng, t.program, &c, AS_SEEN, t.order);
    col_checker_restart(run->checker);
    run->reached |= give_events(run->checker, &t);
    return true;
}

TEST(litmus_tests_get_their_verdicts) {
    litmus test = {.program = COL_PROGRAM_EMPTY};
    uint32_t wrong = 0;
    glob_t paths;
    col_problem problem;
    assert_int_equal(litmus_list(&paths, &problem), COL_OK);
    assert_true(paths.gl_pathc >= 400);
    for (size_t i = 0; i < paths.gl_pathc; i++) {
        assert_int_equal(litmus_read(paths.gl_pathv[i], &test, &problem), COL_OK);
        load(&test.program);
        for (oracle_model m = 0; m < ORACLE_MODEL_COUNT; m++) {
            litmus_run run = {.checker = checkers[m], .model = m, .test = &test};
            oracle_each_candidate(&test.program, test.conditions, test.count, run_candidate, &run);
            if (run.reached == test.verdicts[m])
                continue;
            print_error("%s: %s should say %s\n", test.name, oracle_model_names[m],
                        test.verdicts[m] ? "yes" : "no");
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
    globfree(&paths);
    litmus_free(&test);
}

/* ---- What no memory does. */

typedef void damage(base_rng *rng, const col_program *program, uint32_t victim, col_event *event);

static void invent_word(base_rng *rng, const col_program *program, uint32_t victim,
                        col_event *event) {
    const bool store = event->kind == COL_STORE_PERFORMED;
    const uint64_t word = 5000 + below(rng, 5000);
    const col_operation *o = &program->operations[victim];
    *(store ? &event->overwritten : &event->word) = word;
    if (store && col_kinds[o->kind].reads)
        event->read = word;
    if (o->kind == COL_ADD)
        event->word = word + col_program_operand(program, o);
}

static void return_other_word(base_rng *rng, const col_program *program, uint32_t victim,
                              col_event *event) {
    (void)rng;
    if (col_kinds[program->operations[victim].kind].reads && event->kind == COL_STORE_PERFORMED)
        event->read += 1;
    else
        invent_word(rng, program, victim, event);
}

static void leave_other_word(base_rng *rng, const col_program *program, uint32_t victim,
                             col_event *event) {
    event->word += event->kind == COL_STORE_PERFORMED ? 1 + below(rng, 3) : 0;
    if (event->kind == COL_LOAD_PERFORMED)
        invent_word(rng, program, victim, event);
}

static void change_kind(base_rng *rng, const col_program *program, uint32_t victim,
                        col_event *event) {
    (void)rng;
    (void)program;
    (void)victim;
    event->kind = event->kind == COL_STORE_PERFORMED ? COL_LOAD_PERFORMED : COL_STORE_PERFORMED;
}

static void name_nothing(base_rng *rng, const col_program *program, uint32_t victim,
                         col_event *event) {
    (void)victim;
    event->operation = below(rng, 2) == 0 ? col_program_operations(program) + below(rng, 10)
                                          : UINT32_MAX - below(rng, 3);
}

/* The same word twice replaced: one write comes to stand where another one stands. */
static bool fork_order(const col_program *program, const outcome *seen, uint32_t victim,
                       col_event *event) {
    for (uint32_t i = 0; i < col_program_operations(program); i++) {
        const col_operation *o = &program->operations[i];
        if (i == victim || program->operations[victim].kind != COL_STORE ||
            !col_kinds[o->kind].writes || o->location != program->operations[victim].location)
            continue;
        event->overwritten = seen->replaced[i];
        return true;
    }
    return false;
}

/* A sequential execution, and one event of it damaged. */
static bool give_damaged(col_checker *checker, const trial *t, uint32_t victim,
                         const col_event *damaged, bool twice) {
    bool fine = true;
    for (uint32_t k = 0; k < t->count; k++) {
        const col_event event = event_of(t->program, t->seen, t->order[k]);
        fine = col_checker_notice(checker, t->order[k] == victim && !twice ? damaged : &event);
        if (twice && t->order[k] == victim)
            fine = col_checker_notice(checker, &event);
    }
    return col_checker_finish(checker, true) && fine;
}

static void assert_caught(const trial *t, uint32_t victim, const col_event *damaged, bool twice) {
    for (oracle_model m = 0; m < ORACLE_MODEL_COUNT; m++) {
        col_checker_restart(checkers[m]);
        if (give_damaged(checkers[m], t, victim, damaged, twice)) {
            show(t->program, t->seen, t->order, t->count, NULL);
            fail_msg("%s: event %u of operation %u is impossible", oracle_model_names[m],
                     (uint32_t)damaged->kind, victim);
        }
        assert_non_null(col_checker_violation(checkers[m]));
        assert_true(col_checker_violation(checkers[m])->reason[0] != '\0');
    }
}

/* Every sort of damage to the event of one operation. Returns whether there was a second write that
 * could be made to replace the same word. */
static bool damage_event(base_rng *rng, const trial *t, uint32_t victim) {
    static damage *const damages[] = {invent_word, return_other_word, leave_other_word, change_kind,
                                      name_nothing};
    col_event event;
    for (uint32_t d = 0; d < sizeof damages / sizeof damages[0]; d++) {
        event = event_of(t->program, t->seen, victim);
        damages[d](rng, t->program, victim, &event);
        assert_caught(t, victim, &event, false);
    }
    event = event_of(t->program, t->seen, victim);
    assert_caught(t, victim, &event, true);
    if (!fork_order(t->program, t->seen, victim, &event))
        return false;
    assert_caught(t, victim, &event, false);
    return true;
}

TEST(impossible_events_are_violations) {
    const mixture m = {.threads = 4, .operations = 12, .locations = 2, .packed = true};
    col_program program = COL_PROGRAM_EMPTY;
    uint32_t forks = 0, done = 0;
    base_rng rng;
    base_rng_seed(&rng, 3, 0);
    while (done < BROKEN) {
        candidate c;
        outcome seen;
        trial t = {.program = &program, .c = &c, .seen = &seen};
        random_program(&rng, &m, &program);
        candidate_make(&rng, &program, &c);
        candidate_outcome(&program, &c, &seen);
        t.count = events_order(&rng, &program, &c, below(&rng, EVENT_ORDERS), t.order);
        if (t.count == 0 || !oracle_allows(ORACLE_SC, &program, &seen))
            continue;
        load(&program);
        forks += damage_event(&rng, &t, t.order[below(&rng, t.count)]);
        done++;
    }
    assert_true(forks > BROKEN / 20);
    col_program_free(&program);
}

/* Operations that never perform matter only to a complete execution. */
TEST(missing_events_count_if_it_is_complete) {
    const mixture m = {.threads = 3, .operations = 9, .locations = 2, .packed = true};
    col_program program = COL_PROGRAM_EMPTY;
    base_rng rng;
    base_rng_seed(&rng, 4, 0);
    for (uint32_t i = 0; i < BROKEN; i++) {
        candidate c;
        outcome seen;
        uint32_t order[ORACLE_OPERATIONS];
        random_program(&rng, &m, &program);
        candidate_make(&rng, &program, &c);
        candidate_outcome(&program, &c, &seen);
        if (!oracle_allows(ORACLE_SC, &program, &seen))
            continue;
        load(&program);
        const uint32_t count = events_order(&rng, &program, &c, AS_SEEN, order);
        const uint32_t given = count == 0 ? 0 : below(&rng, count);
        for (oracle_model k = 0; k < ORACLE_MODEL_COUNT; k++) {
            for (uint32_t e = 0; e < given; e++) {
                const col_event event = event_of(&program, &seen, order[e]);
                assert_true(col_checker_notice(checkers[k], &event));
            }
            assert_true(col_checker_finish(checkers[k], false));
            assert_int_equal(col_checker_finish(checkers[k], true), count == 0);
        }
    }
    col_program_free(&program);
}

/* Words of adds that overflow their half repeat, and would tell of wrong writes. */
TEST(adds_that_overflow_are_refused) {
    static const uint32_t lengths[] = {1, 1};
    col_program program = COL_PROGRAM_EMPTY;
    col_checker *checker;
    col_problem problem;
    assert_int_equal(col_checker_new(&checker, COL_TSO, &problem), COL_OK);
    assert_int_equal(col_program_shape(&program, 2, lengths, 1, &problem), COL_OK);
    program.operations[0].kind = program.operations[1].kind = COL_ADD;
    program.operations[0].value = UINT32_MAX - 1;
    program.operations[1].value = 1;
    assert_int_equal(col_checker_load(checker, &program, &problem), COL_OK);
    program.operations[1].value = 2;
    assert_int_equal(col_checker_load(checker, &program, &problem), COL_BAD_INPUT);
    assert_non_null(strstr(problem.message, "the adds at a0 sum to more than 4294967295"));
    col_program_free(&program);
    col_checker_free(checker);
}

int main(void) {
    return run_all_tests(make_checkers, free_checkers);
}
