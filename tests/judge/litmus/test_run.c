/* SPDX-License-Identifier: MIT */
/* Litmus tests as programs, and on designs. */
#include "judge/litmus/litmus_run.h"
#include "program/litmus_writer.h"
#include "program/random_program.h"

#include <stdio.h>
#include <string.h>

#include "harness.h"

#ifdef REDUCED
enum { PROGRAMS = 200 };
#else
enum { PROGRAMS = 2000 };
#endif

static bool convert(const col_program *program, prg_isa isa, base_text *text, lit_test *test,
                    lit_program *made) {
    const prg_litmus about = {.name = "test"};
    col_problem problem;
    text->length = 0;
    if (prg_litmus_write(program, isa, &about, text, &problem) != COL_OK)
        return false;
    assert_int_equal(lit_test_read(test, text->data, text->length, "t", &problem), COL_OK);
    return lit_program_make(made, test, &problem) == COL_OK;
}

/* A program that was read from a litmus test is the one that its own litmus test says. (The first
 * one need not be: an instruction set may have no weaker fence and no flush, and locations that are
 * not accessed are left out.) */
TEST(programs_round_trip) {
    base_rng rng;
    base_text text = {0};
    col_program program = COL_PROGRAM_EMPTY;
    lit_test tests[3] = {{0}, {0}, {0}};
    lit_program made[3] = {{.test = NULL}, {.test = NULL}, {.test = NULL}};
    uint32_t count = 0;
    base_rng_seed(&rng, 23, 0);
    for (int i = 0; i < PROGRAMS; i++) {
        random_program(&rng, &program);
        for (prg_isa isa = 0; isa < PRG_ISA_COUNT; isa++) {
            if (!convert(&program, isa, &text, &tests[0], &made[0]) ||
                !convert(&made[0].program, isa, &text, &tests[1], &made[1]) ||
                !convert(&made[1].program, isa, &text, &tests[2], &made[2]))
                continue;
            assert_true(col_program_equal(&made[1].program, &made[2].program));
            count++;
        }
    }
    assert_true(count > PROGRAMS / 10);
    for (int i = 0; i < 3; i++) {
        lit_program_free(&made[i]);
        lit_test_free(&tests[i]);
    }
    col_program_free(&program);
    base_text_free(&text);
}

static const char message_passing[] =
    "RISCV MP\n{ 0:x5=x; 0:x6=y; 1:x5=x; 1:x6=y; x=7; 0:x7=8; }\n P0 | P1 ;\n sw x7,0(x5) | lw "
    "x7,0(x6) ;\n fence w,w | xor x8,x7,x7 ;\n li x8,3 | add x8,x8,x5 ;\n amoadd.w x0,x8,(x6) | lw "
    "x9,0(x8) ;\nexists (1:x7=3 /\\ 1:x9=7)";

/* A test and its program. */
static void open_test(const char *text, lit_test *test, lit_program *made) {
    col_problem problem;
    *test = (lit_test){0};
    *made = (lit_program){.test = NULL};
    assert_int_equal(lit_test_read(test, text, strlen(text), "t", &problem), COL_OK);
    assert_int_equal(lit_program_make(made, test, &problem), COL_OK);
}

static void close_test(lit_test *test, lit_program *made) {
    lit_program_free(made);
    lit_test_free(test);
}

TEST(operations_are_those_of_the_test) {
    lit_test test;
    lit_program made;
    open_test(message_passing, &test, &made);
    /* There is a delay before each access, and two more before all. */
    const col_operation *o = made.program.operations + 3, *p = o + 7;
    assert_int_equal(col_program_operations(&made.program), 13);
    assert_int_equal(o[0].kind, COL_STORE);
    assert_int_equal(o[1].fence, COL_WRITE_WRITE);
    assert_int_equal(o[3].kind, COL_ADD);
    assert_int_equal(p[0].kind, COL_LOAD);
    assert_int_equal(p[2].dependency, COL_ADDRESS);
    assert_int_equal(p[2].distance, 2);
    close_test(&test, &made);
}

/* A pair of exclusives that exchanges or adds is an atomic; paths in which it fails are left out.
 */
TEST(pairs_of_exclusives_are_atomics) {
    static const char text[] =
        "RISCV pairs\n{ 0:x5=x; 1:x5=x; 0:x6=1; 2:x5=x; }\n P0 | P1 | P2 ;\n"
        " lr.w.aq x7,0(x5) | L: | lr.w x7,0(x5) ;\n sc.w.rl x8,x6,0(x5) | lr.w x7,0(x5) | ;\n"
        " | addi x9,x7,3 | ;\n | sc.w x8,x9,0(x5) | ;\n | bne x8,x0,L | ;\nexists (x=1)";
    lit_test test;
    lit_program made;
    open_test(text, &test, &made);
    const col_operation *o = made.program.operations;
    assert_int_equal(made.pairs, 2);
    assert_int_equal(col_program_operations(&made.program), 12);
    assert_int_equal(o[3].kind, COL_SWAP);
    assert_int_equal(o[3].order, COL_ACQUIRE | COL_RELEASE);
    assert_int_equal(o[7].kind, COL_ADD);
    assert_int_equal(made.origins[7].operand, 3);
    assert_int_equal(o[11].kind, COL_LOAD);
    close_test(&test, &made);
}

/* DSB ST holds back loads, too; what orders nothing for other threads is left out. */
TEST(barriers_of_arm_order_what_they_do_on_arm) {
    static const char text[] =
        "AArch64 barriers\n{ 0:X1=x; 0:X3=y; }\n P0 ;\n LDR W0,[X1] ;\n DMB NSH ;\n DSB ST ;\n"
        " DMB ST ;\n DMB OSHLD ;\n DSB OSH ;\n LDR W2,[X3] ;\nexists (0:X2=1)";
    lit_test test;
    lit_program made;
    open_test(text, &test, &made);
    const col_operation *fences = made.program.operations + 4;
    assert_int_equal(col_program_operations(&made.program), 10);
    assert_int_equal(fences[0].fence, COL_WRITE_READ | COL_WRITE_WRITE);
    assert_int_equal(fences[1].fence, COL_WRITE_WRITE);
    assert_int_equal(fences[2].fence, COL_READ_READ | COL_READ_WRITE);
    assert_int_equal(fences[3].fence, COL_FULL_FENCE);
    close_test(&test, &made);
}

/* On a design that is right no run is forbidden, and values are those of the test. */
TEST(a_correct_design_passes) {
    lit_test test;
    lit_program made;
    lit_outcomes outcomes = {0};
    lit_runs runs = {.count = 100, .seed = 1};
    const col_duv_settings settings = {.cores = 2};
    col_problem problem;
    open_test(message_passing, &test, &made);
    assert_int_equal(col_duv_open(&runs.duv, "mesi3", &settings, &problem), COL_OK);
    assert_int_equal(col_checker_new(&runs.checker, col_duv_describe(runs.duv)->model, &problem),
                     COL_OK);
    assert_int_equal(lit_run(&runs, &made, &outcomes, &problem), COL_OK);
    assert_int_equal(runs.forbidden + runs.failures, 0);
    assert_int_equal(outcomes.holds, 0);
    assert_int_equal(outcomes.fails, 100);
    for (size_t i = 0; i < outcomes.count; i++) {
        const uint64_t *v = outcomes.states[i].values;
        assert_true((v[0] == 0 || v[0] == 3) && (v[1] == 7 || v[1] == 8));
    }
    lit_outcomes_free(&outcomes);
    close_test(&test, &made);
    col_checker_free(runs.checker);
    col_duv_close(runs.duv);
}

TEST(tests_that_programs_cannot_express_are_refused) {
    static const char *const bodies[][2] = {
        {" lw x7,0(x5) ;\n bne x7,x0,L ;\n sw x8,0(x6) ;\n L: ;\n",
         "thread 0 may do different things"},
        {" lr.w x7,0(x5) ;\n lw x9,0(x6) ;\n sc.w x8,x6,0(x5) ;\n",
         "thread 0 has a store-conditional apart from its load"},
        {" lr.w x7,0(x5) ;\n xori x9,x7,1 ;\n sc.w x8,x9,0(x5) ;\n",
         "thread 0 has an atomic that is neither an exchange nor an addition"},
        {" L: lw x7,0(x5) ;\n bne x7,x0,L ;\n", "thread 0 has a loop"},
        {" lw x7,0(x5) ;\n sw x7,0(x6) ;\n",
         "thread 0 stores a value that depends on what was read"},
        {" amoxor.w x7,x8,(x5) ;\n",
         "thread 0 has an atomic that is neither an exchange nor an addition"},
        {" lr.w.aq.rl x7,0(x5) ;\n", "thread 0 has a load that releases"}};
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        lit_test test = {0};
        lit_program made = {.test = NULL};
        col_problem problem;
        char text[512];
        (void)snprintf(text, sizeof text,
                       "RISCV a\n{ 0:x5=x; 0:x6=y; 0:x8=3; }\n P0 ;\n%sexists (x=1)", bodies[i][0]);
        assert_int_equal(lit_test_read(&test, text, strlen(text), "t", &problem), COL_OK);
        assert_int_equal(lit_program_make(&made, &test, &problem), COL_BAD_INPUT);
        assert_non_null(strstr(problem.message, bodies[i][1]));
        lit_program_free(&made);
        lit_test_free(&test);
    }
}
