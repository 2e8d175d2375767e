/* SPDX-License-Identifier: MIT */
/* ctest: long */
/*
 * The oracle against the known verdicts of the litmus tests, and its parts against each other on
 * random programs: machines that run free, machines that follow a given outcome, and axioms; and
 * what is a theorem about the models.
 */
#include "litmus.h"
#include "oracle_parts.h"
#include "oracle_random.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#ifdef REDUCED
enum { SMALL_PROGRAMS = 1000, LARGE_PROGRAMS = 1000 };
#else
enum { SMALL_PROGRAMS = 10000, LARGE_PROGRAMS = 10000 };
#endif

typedef struct wanted {
    const litmus *test;
    bool found;
} wanted;

static bool look_for(void *context, const outcome *allowed) {
    wanted *w = context;
    const bool holds = litmus_holds(w->test, allowed);
    w->found |= holds;
    return !holds;
}

/* What the machine says must hold for all memory orders too, where these are few enough. */
static bool reaches(oracle_model m, const litmus *test) {
    const bool reached = oracle_reaches(m, &test->program, test->conditions, test->count);
    wanted w = {.test = test};
    if (m > ORACLE_WMO || col_program_operations(&test->program) > 8)
        return reached;
    oracle_orders_each(m, &test->program, NULL, look_for, &w);
    assert_int_equal(w.found, reached);
    return reached;
}

TEST(every_litmus_test_has_its_verdicts) {
    litmus test = {.program = COL_PROGRAM_EMPTY};
    uint32_t wrong = 0;
    col_problem problem;
    char text[900];
    glob_t paths;
    if (litmus_list(&paths, &problem) != COL_OK)
        fail_msg("%s", col_problem_text(&problem, text, sizeof text));
    for (size_t i = 0; i < paths.gl_pathc; i++) {
        if (litmus_read(paths.gl_pathv[i], &test, &problem) != COL_OK)
            fail_msg("%s", col_problem_text(&problem, text, sizeof text));
        for (oracle_model m = 0; m < ORACLE_MODEL_COUNT; m++) {
            if (reaches(m, &test) == test.verdicts[m])
                continue;
            print_error("%s: %s should say %s\n", test.name, oracle_model_names[m],
                        test.verdicts[m] ? "yes" : "no");
            wrong++;
        }
    }
    assert_true(paths.gl_pathc >= 400);
    assert_int_equal(wrong, 0);
    globfree(&paths);
    litmus_free(&test);
}

static const mixture small = {.threads = 3, .operations = 10, .locations = 2, .awaits = true};
static const mixture middle = {.threads = 4, .operations = 16, .locations = 3};
static const mixture large = {.threads = 4, .operations = ORACLE_OPERATIONS, .locations = 3};

/* Checks of one program, outcome by outcome. */
typedef struct check {
    const col_program *program;
    oracle_set allowed; /* by the model in question */
    oracle_model model;
    const oracle_times *times;
    uint32_t candidates, passed;
} check;

static void key_of(const check *c, const outcome *seen, uint64_t *key) {
    const uint32_t count = col_program_operations(c->program);
    for (uint32_t i = 0; i < count; i++) {
        const col_kind_traits *traits = &col_kinds[c->program->operations[i].kind];
        key[i] = traits->reads ? seen->read[i] : 0;
        key[count + i] = traits->writes ? seen->replaced[i] : 0;
    }
}

static bool collect(void *context, const outcome *allowed) {
    check *c = context;
    uint64_t key[2 * ORACLE_OPERATIONS];
    key_of(c, allowed, key);
    assert_true(oracle_set_add(&c->allowed, key)); /* once only */
    return true;
}

static void assert_rejected(const col_program *program, const outcome *seen) {
    for (oracle_model m = 0; m < ORACLE_MODEL_COUNT; m++) {
        assert_false(oracle_allows(m, program, seen));
        assert_false(oracle_axioms_allow(m, program, seen, NULL));
    }
}

/* A candidate is allowed exactly if the enumeration had it. */
static bool compare(void *context, const outcome *candidate) {
    check *c = context;
    uint64_t key[2 * ORACLE_OPERATIONS];
    const bool allowed = oracle_allows(c->model, c->program, candidate);
    key_of(c, candidate, key);
    assert_int_equal(allowed, !oracle_set_add(&c->allowed, key));
    assert_int_equal(allowed, oracle_axioms_allow(c->model, c->program, candidate, NULL));
    c->candidates++;
    c->passed += allowed;
    if (allowed) {
        /* Nor is an await allowed to end with the initial word. */
        for (uint32_t i = 0; i < col_program_operations(c->program); i++) {
            outcome broken = *candidate;
            broken.read[i] = 0;
            if (c->program->operations[i].kind == COL_AWAIT)
                assert_rejected(c->program, &broken);
        }
    }
    return true;
}

TEST(enumeration_is_the_allowed_candidates) {
    col_program program = COL_PROGRAM_EMPTY;
    check c = {.program = &program};
    uint32_t candidates = 0, passed[ORACLE_MODEL_COUNT] = {0};
    base_rng rng;
    base_rng_seed(&rng, 1, 0);
    for (uint32_t i = 0; i < SMALL_PROGRAMS; i++) {
        random_program(&rng, &small, &program);
        for (c.model = 0; c.model < ORACLE_MODEL_COUNT; c.model++) {
            oracle_set_empty(&c.allowed, 2 * col_program_operations(&program));
            oracle_each(c.model, &program, collect, &c);
            const size_t enumerated = c.allowed.count;
            c.candidates = c.passed = 0;
            oracle_each_candidate(&program, NULL, 0, compare, &c);
            assert_int_equal(c.passed, enumerated);
            passed[c.model] += c.passed;
        }
        candidates += c.candidates;
    }
    /* The models differ, or nothing has been compared. */
    assert_true(0 < passed[ORACLE_SC] && passed[ORACLE_SC] < passed[ORACLE_TSO]);
    assert_true(passed[ORACLE_TSO] < passed[ORACLE_PSO] && passed[ORACLE_PSO] < passed[ORACLE_WMO]);
    assert_true(passed[ORACLE_TSO] < passed[ORACLE_RVWMO] && passed[ORACLE_WMO] < candidates);
    assert_true(passed[ORACLE_RVWMO] <= passed[ORACLE_ARMV8] && passed[ORACLE_ARMV8] < candidates);
    oracle_set_free(&c.allowed);
    col_program_free(&program);
}

/* ---- The machines, the acyclic graphs and the memory orders say the same, with times too. */

static bool take_in(void *context, const outcome *allowed) {
    check *c = context;
    uint64_t key[2 * ORACLE_OPERATIONS];
    key_of(c, allowed, key);
    oracle_set_add(&c->allowed, key);
    return true;
}

static bool compare_timed(void *context, const outcome *candidate) {
    check *c = context;
    uint64_t key[2 * ORACLE_OPERATIONS];
    const bool allowed = oracle_machine_allows(c->model, c->program, candidate, c->times);
    key_of(c, candidate, key);
    assert_int_equal(allowed, !oracle_set_add(&c->allowed, key));
    assert_int_equal(allowed, oracle_axioms_allow(c->model, c->program, candidate, c->times));
    c->candidates++;
    c->passed += allowed;
    return true;
}

TEST(memory_orders_are_what_the_machines_do) {
    const mixture tiny = {
        .threads = 3, .operations = 7, .locations = 2, .packed = true, .awaits = true};
    col_program program = COL_PROGRAM_EMPTY;
    random_times random;
    const oracle_times times = {random.begin, random.end};
    check c = {.program = &program};
    uint32_t passed = 0, passed_in_time = 0;
    base_rng rng;
    base_rng_seed(&rng, 5, 0);
    for (uint32_t i = 0; i < SMALL_PROGRAMS; i++) {
        random_program(&rng, &tiny, &program);
        random_times_make(&rng, &program, &random);
        for (uint32_t variant = 0; variant <= ORACLE_WMO + 1; variant++) {
            c.model = variant <= ORACLE_WMO ? variant : ORACLE_WMO;
            c.times = variant <= ORACLE_WMO ? NULL : &times;
            c.candidates = c.passed = 0;
            oracle_set_empty(&c.allowed, 2 * col_program_operations(&program));
            oracle_orders_each(c.model, &program, c.times, take_in, &c);
            const size_t ordered = c.allowed.count;
            oracle_each_candidate(&program, NULL, 0, compare_timed, &c);
            assert_int_equal(c.passed, ordered);
            passed += variant == ORACLE_WMO ? c.passed : 0;
            passed_in_time += variant > ORACLE_WMO ? c.passed : 0;
        }
    }
    assert_true(0 < passed_in_time && passed_in_time < passed);
    oracle_set_free(&c.allowed);
    col_program_free(&program);
}

static bool has_order(const col_program *program, uint8_t order) {
    for (uint32_t i = 0; i < col_program_operations(program); i++) {
        if ((program->operations[i].order & order) != 0)
            return true;
    }
    return false;
}

/* Each of SC, TSO, PSO and WMO orders all that the next one orders. RVWMO orders all that ARMv8
 * orders, TSO all that RVWMO orders, but releases with acquires. */
static bool check_strength(void *context, const outcome *candidate) {
    const col_program *program = context;
    bool allowed[ORACLE_MODEL_COUNT];
    for (oracle_model m = 0; m < ORACLE_MODEL_COUNT; m++)
        allowed[m] = oracle_allows(m, program, candidate);
    for (oracle_model m = ORACLE_TSO; m <= ORACLE_WMO; m++)
        assert_true(!allowed[m - 1] || allowed[m]);
    assert_true(!allowed[ORACLE_SC] || allowed[ORACLE_RVWMO]);
    assert_true(!allowed[ORACLE_RVWMO] || allowed[ORACLE_ARMV8]);
    if (!has_order(program, COL_ACQUIRE) || !has_order(program, COL_RELEASE))
        assert_true(!allowed[ORACLE_TSO] || allowed[ORACLE_RVWMO]);
    return true;
}

/* With a full fence between any two operations, or all possible attributes on all of them, every
 * model is SC; but TSO, PSO and WMO know no attributes. */
static bool check_order_restored(void *context, const outcome *candidate) {
    const col_program *program = context;
    const bool allowed = oracle_allows(ORACLE_SC, program, candidate);
    for (oracle_model m = ORACLE_TSO; m < ORACLE_MODEL_COUNT; m++) {
        if (m > ORACLE_WMO || !has_order(program, COL_ACQUIRE | COL_RELEASE))
            assert_int_equal(oracle_allows(m, program, candidate), allowed);
    }
    return true;
}

static void for_random_programs(const mixture *m, oracle_notice *notice, uint32_t count) {
    col_program program = COL_PROGRAM_EMPTY;
    base_rng rng;
    base_rng_seed(&rng, 2, 0);
    for (uint32_t i = 0; i < count; i++) {
        random_program(&rng, m, &program);
        oracle_each_candidate(&program, NULL, 0, notice, &program);
    }
    col_program_free(&program);
}

TEST(stronger_models_allow_less) {
    for_random_programs(&small, check_strength, SMALL_PROGRAMS);
}

TEST(fences_and_attributes_restore_order) {
    const mixture fenced = {.threads = 3, .operations = 18, .locations = 2, .fenced = true};
    const mixture attributed = {.threads = 3, .operations = 10, .locations = 2, .attributed = true};
    for_random_programs(&fenced, check_order_restored, SMALL_PROGRAMS / 4);
    for_random_programs(&attributed, check_order_restored, SMALL_PROGRAMS);
}

/* One interleaving, by chance, of a program without awaits. */
static void run_in_order(base_rng *rng, const col_program *program, outcome *seen) {
    uint32_t next[ORACLE_OPERATIONS], left = col_program_operations(program);
    uint64_t memory[ORACLE_OPERATIONS] = {0};
    for (uint32_t t = 0; t < program->thread_count; t++)
        next[t] = program->thread_start[t];
    while (left > 0) {
        const uint32_t t = below(rng, program->thread_count);
        if (next[t] == program->thread_start[t + 1])
            continue;
        const uint32_t i = next[t]++;
        const col_operation *operation = &program->operations[i];
        left--;
        if (!col_kinds[operation->kind].located)
            continue;
        seen->read[i] = seen->replaced[i] = memory[operation->location];
        if (col_kinds[operation->kind].writes)
            memory[operation->location] = oracle_word_after(program, i, seen->replaced[i]);
    }
}

/* Makes two operations on one location change what they have seen. */
static bool confuse(base_rng *rng, const col_program *program, outcome *seen) {
    const uint32_t count = col_program_operations(program);
    const uint32_t i = below(rng, count), j = below(rng, count);
    const col_operation *a = &program->operations[i], *b = &program->operations[j];
    if (a->kind != COL_LOAD || !col_kinds[b->kind].reads || a->location != b->location ||
        seen->read[i] == seen->read[j])
        return false;
    const uint64_t word = seen->read[i];
    seen->read[i] = seen->read[j];
    if (b->kind == COL_LOAD)
        seen->read[j] = word;
    return true;
}

TEST(long_runs_are_allowed_until_confused) {
    col_program program = COL_PROGRAM_EMPTY;
    uint32_t confused = 0, rejected = 0;
    base_rng rng;
    base_rng_seed(&rng, 3, 0);
    for (uint32_t i = 0; i < LARGE_PROGRAMS; i++) {
        outcome seen = {0};
        random_program(&rng, i % 2 == 0 ? &middle : &large, &program);
        run_in_order(&rng, &program, &seen);
        for (oracle_model m = 0; m < ORACLE_MODEL_COUNT; m++)
            assert_true(oracle_allows(m, &program, &seen));
        for (uint32_t attempt = 0; attempt < 4; attempt++) {
            if (!confuse(&rng, &program, &seen))
                continue;
            confused++;
            rejected += !oracle_allows(ORACLE_SC, &program, &seen);
            for (oracle_model m = ORACLE_SC; m <= ORACLE_WMO; m++)
                assert_int_equal(oracle_machine_allows(m, &program, &seen, NULL),
                                 oracle_axioms_allow(m, &program, &seen, NULL));
            check_strength(&program, &seen);
        }
    }
    assert_true(0 < rejected && rejected < confused);
    col_program_free(&program);
}

/* Whatever the model: a word from nowhere, an update that is lost, an atomic that is none. */
TEST(broken_memories_are_rejected) {
    col_program program = COL_PROGRAM_EMPTY;
    base_rng rng;
    base_rng_seed(&rng, 4, 0);
    for (uint32_t i = 0; i < SMALL_PROGRAMS; i++) {
        outcome seen = {0};
        random_program(&rng, &large, &program);
        run_in_order(&rng, &program, &seen);
        const uint32_t k = below(&rng, col_program_operations(&program));
        const col_kind_traits *traits = &col_kinds[program.operations[k].kind];
        outcome broken = seen;
        broken.read[k] = 12345;
        if (traits->reads)
            assert_rejected(&program, &broken);
        broken.read[k] = 0;
        if (traits->reads && traits->writes && seen.read[k] != 0)
            assert_rejected(&program, &broken);
        broken = seen;
        broken.replaced[k] = seen.replaced[k] != 0 ? 0 : 12345;
        if (traits->writes)
            assert_rejected(&program, &broken);
        broken.read[k] = broken.replaced[k];
        if (traits->writes)
            assert_rejected(&program, &broken);
    }
    col_program_free(&program);
}
