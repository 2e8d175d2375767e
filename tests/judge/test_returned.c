/* SPDX-License-Identifier: MIT */
/*
 * Executions of which only reads are known: they are judged as the trace that says the same is, the
 * quick search finds nothing that the exact one forbids, and what no design should say is said.
 */
#include "harness.h"
#include "judge/trace/black_box.h"
#include "judge/trace/greedy_order.h"
#include "protocol/simulate/oracle_random.h"

#include <string.h>

enum { ROUNDS = 4000, BUFFER = ORACLE_OPERATIONS };

/* ---- What a machine with store buffers would return, or something else. */

typedef struct machine {
    const col_program *program;
    uint64_t memory[ORACLE_OPERATIONS];
    uint32_t next[ORACLE_OPERATIONS];                           /* by thread */
    uint32_t buffers[ORACLE_OPERATIONS][BUFFER], count[BUFFER]; /* stores on their way */
    uint64_t words[ORACLE_OPERATIONS];                          /* that reads returned */
} machine;

static void drain(machine *m, uint32_t thread) {
    const col_operation *o = &m->program->operations[m->buffers[thread][0]];
    m->memory[o->location] = col_program_operand(m->program, o);
    m->count[thread]--;
    memmove(m->buffers[thread], m->buffers[thread] + 1,
            m->count[thread] * sizeof m->buffers[thread][0]);
}

static uint64_t look(const machine *m, uint32_t thread, uint32_t location) {
    for (uint32_t i = m->count[thread]; i-- > 0;) {
        const col_operation *o = &m->program->operations[m->buffers[thread][i]];
        if (o->location == location)
            return col_program_operand(m->program, o);
    }
    return m->memory[location];
}

static bool step(machine *m, base_rng *rng) {
    const col_program *p = m->program;
    const uint32_t thread = below(rng, p->thread_count);
    if (m->count[thread] > 0 && below(rng, 3) == 0) {
        drain(m, thread);
        return true;
    }
    if (m->next[thread] == p->thread_start[thread + 1])
        return false;
    const uint32_t index = m->next[thread]++;
    const col_operation *o = &p->operations[index];
    const col_kind_traits *traits = &col_kinds[o->kind];
    while (m->count[thread] > 0 && (o->kind == COL_FENCE || (traits->reads && traits->writes)))
        drain(m, thread);
    if (traits->reads)
        m->words[index] = look(m, thread, o->location);
    if (traits->reads && traits->writes)
        m->memory[o->location] =
            (o->kind == COL_ADD ? m->words[index] : 0) + col_program_operand(p, o);
    else if (traits->writes)
        m->buffers[thread][m->count[thread]++] = index;
    return true;
}

static void run_machine(machine *m, base_rng *rng, const col_program *program) {
    *m = (machine){.program = program};
    for (uint32_t t = 0; t < program->thread_count; t++)
        m->next[t] = program->thread_start[t];
    for (int i = 0; i < 40 * ORACLE_OPERATIONS; i++)
        (void)step(m, rng);
    for (uint32_t t = 0; t < program->thread_count; t++)
        while (m->count[t] > 0)
            drain(m, t);
}

/* A read returns the word of any write of its location. */
static void disturb(machine *m, base_rng *rng) {
    const uint32_t count = col_program_operations(m->program);
    const uint32_t read = below(rng, count), write = below(rng, count);
    const col_operation *r = &m->program->operations[read], *w = &m->program->operations[write];
    if (col_kinds[r->kind].reads && r->kind != COL_AWAIT && col_kinds[w->kind].writes &&
        w->kind != COL_ADD && w->location == r->location)
        m->words[read] = col_program_operand(m->program, w);
}

static void tell_all(chk_returned *returned, const machine *m, bool finals) {
    const col_program *p = m->program;
    chk_returned_restart(returned);
    for (uint32_t o = 0; o < col_program_operations(p); o++)
        if (col_kinds[p->operations[o].kind].reads)
            chk_returned_notice(
                returned,
                &(col_event){.kind = COL_VALUE_RETURNED, .operation = o, .word = m->words[o]});
    for (uint32_t l = 0; finals && l < p->location_count; l++)
        chk_returned_notice(
            returned, &(col_event){.kind = COL_FINAL_VALUE, .location = l, .word = m->memory[l]});
    chk_returned_finish(returned, true);
}

static col_verdict judge(const col_trace *trace, col_model model) {
    col_problem problem;
    col_verdict verdict = COL_UNDECIDED;
    const col_trace_settings settings = {.model = model};
    if (col_trace_check(trace, &settings, &verdict, NULL, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    return verdict;
}

/* The text says the same, and is read back. */
static void assert_same_as_text(const chk_returned *returned, col_model model,
                                col_verdict verdict) {
    base_text text = {0};
    col_trace trace = COL_TRACE_EMPTY;
    col_problem problem;
    if (chk_returned_print(returned, &text, &problem) != COL_OK ||
        col_trace_read(&trace, text.data, text.length, "text", &problem) != COL_OK)
        fail_msg("%s\n%s", problem.message, text.data);
    if (judge(&trace, model) != verdict)
        fail_msg("another verdict by %s:\n%s", col_models[model], text.data);
    col_trace_free(&trace);
    base_text_free(&text);
}

TEST(quick_finds_only_what_is_allowed) {
    base_rng rng;
    chk_returned returned = {0};
    chk_greedy quick = {0};
    col_program program = COL_PROGRAM_EMPTY;
    uint32_t allowed = 0, forbidden = 0, found = 0, in_order = 0, missed = 0;
    base_rng_seed(&rng, 24, 0);
    for (int i = 0; i < ROUNDS; i++) {
        const mixture m = {.threads = 2 + below(&rng, 3),
                           .operations = 12 + below(&rng, 28),
                           .locations = 1 + below(&rng, 4),
                           .packed = true,
                           .plain = below(&rng, 3) == 0,
                           .atomic = below(&rng, 3) == 0};
        col_problem problem;
        machine seen;
        random_program(&rng, &m, &program);
        program.is_narrow = below(&rng, 2) == 0;
        assert_int_equal(chk_returned_load(&returned, &program, &problem), COL_OK);
        run_machine(&seen, &rng, &program);
        for (uint32_t d = below(&rng, 3); d > 0; d--)
            disturb(&seen, &rng);
        tell_all(&returned, &seen, below(&rng, 2) == 0);
        if (returned.what != NULL) /* two adds left one value */
            continue;
        for (col_model model = 0; model < COL_MODEL_COUNT; model++) {
            const col_verdict verdict = judge(&returned.trace, model);
            assert_int_equal(chk_greedy_load(&quick, &program, chk_model_of(model), &problem),
                             COL_OK);
            const bool is_found =
                returned.is_plain &&
                chk_greedy_finds(&quick, returned.trace.source, returned.trace.final);
            if (is_found && verdict != COL_ALLOWED)
                fail_msg("round %d: %s forbids what was found", i, col_models[model]);
            allowed += verdict == COL_ALLOWED && quick.is_apt;
            found += is_found;
            in_order += verdict == COL_ALLOWED && quick.implied.is_apt;
            missed += verdict == COL_ALLOWED && quick.implied.is_apt && !is_found;
            forbidden += verdict == COL_FORBIDDEN;
            if (i % 8 == 0)
                assert_same_as_text(&returned, model, verdict);
        }
    }
    print_message(
        "%u allowed, %u of them found at once; %u forbidden; by models that keep writes in "
        "order %u allowed, %u missed\n",
        allowed, found, forbidden, in_order, missed);
    assert_true(allowed > 4000 && forbidden > 1000 && 10 * found > 9 * allowed);
    assert_true(in_order > 4000 && 100 * missed < in_order); /* what reads imply is made use of */
    chk_greedy_free(&quick);
    chk_returned_free(&returned);
    col_program_free(&program);
}

/* ---- What is strange by itself. */

static const char text[] = "collider program 1\n"
                           "location a0 0x40\nlocation a1 0x80\n"
                           "thread 0\nstore a0 1\nload a1\nadd a1 4\n"
                           "thread 1\nadd a1 5\nawait a0 1\nload a1\n"
                           "end\n";

static void read_test(col_program *program) {
    col_problem problem;
    assert_int_equal(col_program_read(program, text, sizeof text - 1, "test", &problem), COL_OK);
}

typedef struct told {
    uint32_t operation;
    uint64_t word;
} told;

static void assert_strange(const told *list, uint32_t count, const char *sentence) {
    col_program program = COL_PROGRAM_EMPTY;
    chk_returned returned = {0};
    col_violation violation = {.reason = ""};
    col_problem problem;
    read_test(&program);
    assert_int_equal(chk_returned_load(&returned, &program, &problem), COL_OK);
    for (uint32_t i = 0; i < count; i++)
        chk_returned_notice(&returned, &(col_event){.kind = COL_VALUE_RETURNED,
                                                    .operation = list[i].operation,
                                                    .word = list[i].word});
    chk_returned_finish(&returned, true);
    if (sentence == NULL) {
        assert_null(returned.what);
    } else {
        assert_non_null(returned.what);
        chk_returned_explain(&returned, &violation);
        assert_string_equal(violation.reason, sentence);
    }
    col_violation_free(&violation);
    chk_returned_free(&returned);
    col_program_free(&program);
}

#define TOLD(...) (const told[]){__VA_ARGS__}, sizeof((told[]){__VA_ARGS__}) / sizeof(told)
#define FOUR (UINT64_C(4) << 32)
#define FIVE (UINT64_C(5) << 32)

TEST(what_no_design_should_say_is_said) {
    assert_strange(TOLD({1, 0}, {2, 0}, {3, FOUR}, {4, 1}, {5, FOUR + FIVE}), NULL);
    assert_strange(TOLD({0, 1}), "thread 0, operation 0 (store a0 1) reads nothing, but returned a "
                                 "value");
    assert_strange(TOLD({6, 1}), "the design returned a value for an operation that there is not");
    assert_strange(TOLD({1, 0}, {1, FIVE}),
                   "thread 0, operation 1 (load a1 = 0) returned two values");
    assert_strange(TOLD({4, 3}), "thread 1, operation 1 (await a0 1) ended with another value than "
                                 "it waits for");
    assert_strange(TOLD({1, 0}, {2, 0}, {3, 0}, {4, 1}),
                   "thread 1, operation 2 (load a1) never returned a value");
}
