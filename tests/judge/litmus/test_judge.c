/* SPDX-License-Identifier: MIT */
/* ctest: long-sanitized */
/*
 * Litmus tests judged by models in cat: what is known of famous ones, and the programs of
 * tests/data/litmus, written as litmus tests of three instruction sets and read back.
 */
#include "judge/litmus/litmus_run.h"
#include "program/litmus_writer.h"
#include "protocol/simulate/litmus.h"

#include <stdio.h>
#include <string.h>

#include "texts.h"

/* ---- Famous tests. */

static const struct {
    const char *model, *text, *expected; /* the states, and the observation */
} known[] = {
    {"tso.cat",
     "X86_64 SB\n{}\n P0 | P1 ;\n movl $1,(x) | movl $1,(y) ;\n movl (y),%eax | movl (x),%eax ;\n"
     "exists (0:rax=0 /\\ 1:rax=0)",
     "0:rax=0; 1:rax=0;|0:rax=0; 1:rax=1;|0:rax=1; 1:rax=0;|0:rax=1; 1:rax=1;|Sometimes 1 3"},
    {"sc.cat",
     "X86 SB\n{}\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\n"
     "~exists (0:EAX=0 /\\ 1:EAX=0)",
     "0:EAX=0; 1:EAX=1;|0:EAX=1; 1:EAX=0;|0:EAX=1; 1:EAX=1;|Never 0 3"},
    {"tso.cat",
     "X86_64 SB+xchgs\n{ 0:rax=1; 1:rax=1; }\n P0 | P1 ;\n xchgl %eax,(x) | xchgl %eax,(y) ;\n"
     " movl (y),%ebx | movl (x),%ebx ;\nexists (0:rbx=0 /\\ 1:rbx=0)",
     "0:rbx=0; 1:rbx=1;|0:rbx=1; 1:rbx=0;|0:rbx=1; 1:rbx=1;|Never 0 3"},
    {"tso.cat",
     "X86_64 locked-inc\n{}\n P0 | P1 ;\n lock incl (x) | lock addl $2,(x) ;\nforall (x=3)",
     "[x]=3;|Always 2 0"},
    {"tso.cat",
     "X86_64 cmpxchg\n{ 0:rbx=5; x=1; 0:rax=0; }\n P0 ;\n lock cmpxchgl %ebx,(x) ;\n jne L ;\n"
     " movl $9,%ecx ;\n L: ;\nforall (0:rax=1 /\\ 0:rcx=0 /\\ x=1)",
     "0:rax=1; 0:rcx=0; [x]=1;|Always 1 0"},
    {"armv8.cat",
     "AArch64 MP+rel+addr\n{ 0:X1=x; 0:X3=y; 1:X1=x; 1:X3=y; }\n P0 | P1 ;\n MOV W0,#1 | LDR "
     "W0,[X3]"
     " ;\n STR W0,[X1] | EOR W2,W0,W0 ;\n STLR W0,[X3] | LDR W4,[X1,W2,SXTW] ;\n"
     "exists (1:X0=1 /\\ 1:X4=0)",
     "1:X0=0; 1:X4=0;|1:X0=0; 1:X4=1;|1:X0=1; 1:X4=1;|Never 0 3"},
    {"armv8.cat",
     "AArch64 MP+rel+ctrl\n{ 0:X1=x; 0:X3=y; 1:X1=x; 1:X3=y; }\n P0 | P1 ;\n MOV W0,#1 | LDR "
     "W0,[X3]"
     " ;\n STR W0,[X1] | CBNZ W0,L ;\n STLR W0,[X3] | L: ;\n | LDR W4,[X1] ;\n"
     "exists (1:X0=1 /\\ 1:X4=0)",
     "1:X0=0; 1:X4=0;|1:X0=0; 1:X4=1;|1:X0=1; 1:X4=0;|1:X0=1; 1:X4=1;|Sometimes 1 3"},
    {"armv8.cat",
     "AArch64 exclusives\n{ 0:X1=x; 1:X1=x; }\n P0 | P1 ;\n L0: LDXR W2,[X1] | L1: LDXR W2,[X1] ;\n"
     " ADD W2,W2,#1 | ADD W2,W2,#1 ;\n STXR W3,W2,[X1] | STXR W3,W2,[X1] ;\n CBNZ W3,E0 | CBNZ "
     "W3,E1"
     " ;\n E0: | E1: ;\nforall (0:X3=1 \\/ 1:X3=1 \\/ x=2)",
     "0:X3=0; 1:X3=0; [x]=2;|0:X3=0; 1:X3=1; [x]=1;|0:X3=1; 1:X3=0; [x]=1;|0:X3=1; 1:X3=1; "
     "[x]=0;|Always 7 0"},
    {"armv8.cat",
     "AArch64 flags\n{ 0:X0=3; int64_t 0:X5; }\n P0 ;\n CMP W0,#5 ;\n CSET W1,LT ;\n CSET W2,HI ;\n"
     " CSEL X3,X0,XZR,NE ;\n SUBS W4,W0,#3 ;\n CSINV X5,X0,XZR,NE ;\n"
     "forall (0:X1=1 /\\ 0:X2=0 /\\ 0:X3=3 /\\ 0:X4=0 /\\ 0:X5=-1)",
     "0:X1=1; 0:X2=0; 0:X3=3; 0:X4=0; 0:X5=-1;|Always 1 0"},
    {"armv8.cat",
     "AArch64 atomics\n{ 0:X0=2; 0:X1=x; x=5; 0:X4=7; 0:X6=9; }\n P0 ;\n LDADD W0,W2,[X1] ;\n"
     " CAS W4,W6,[X1] ;\n SWP W0,W7,[X1] ;\n LDSMAX W6,W8,[X1] ;\n"
     "forall (0:X2=5 /\\ 0:X4=7 /\\ 0:X7=9 /\\ 0:X8=2 /\\ x=9)",
     "0:X2=5; 0:X4=7; 0:X7=9; 0:X8=2; [x]=9;|Always 2 0"},
    {"rvwmo.cat",
     "RISCV LB+data+ctrl\n{ 0:x5=x; 0:x6=y; 1:x5=x; 1:x6=y; }\n P0 | P1 ;\n lw x7,0(x5) | lw "
     "x7,0(x6)"
     " ;\n xor x8,x7,x7 | bne x7,x0,L ;\n ori x8,x8,1 | L: ;\n sw x8,0(x6) | ori x8,x0,1 ;\n"
     " | sw x8,0(x5) ;\nexists (0:x7=1 /\\ 1:x7=1)",
     "0:x7=0; 1:x7=0;|0:x7=0; 1:x7=1;|0:x7=1; 1:x7=0;|Never 0 3"},
    {"rvwmo.cat",
     "RISCV LR-SC\n{ 0:x5=x; 1:x5=x; 0:x6=1; 1:x6=2; }\n P0 | P1 ;\n lr.w x7,0(x5) | sw x6,0(x5) "
     ";\n"
     " sc.w x8,x6,0(x5) | ;\nexists (0:x7=0 /\\ 0:x8=0 /\\ x=1)\n(* the store came first *)",
     "0:x7=0; 0:x8=0; [x]=2;|0:x7=0; 0:x8=1; [x]=2;|0:x7=2; 0:x8=0; [x]=1;|0:x7=2; 0:x8=1; [x]=2;"
     "|Never 0 4"},
    {"rvwmo.cat",
     "RISCV AMOs\n{ 0:x5=x; 1:x5=x; 0:x6=1; 1:x6=-8; int32_t x=3; }\n P0 | P1 ;\n"
     " amoadd.w.aq.rl x7,x6,(x5) | amomin.w x7,x6,(x5) ;\nlocations [x;]\n"
     "forall (0:x7=3 \\/ 0:x7=-8)",
     "0:x7=3; [x]=-8;|0:x7=-8; [x]=-7;|Always 2 0"},
    {"rvwmo.cat",
     "RISCV pointer\n{ int z=4; int y; int *p=&y; 0:x5=p; }\n P0 ;\n ld x6,0(x5) ;\n lw x7,0(x6) "
     ";\n"
     "filter (0:x7=0)\nforall (0:x6=y /\\ 0:x7=0)",
     "0:x6=y; 0:x7=0;|Always 1 0"},
    {"armv8.cat",
     "AArch64 pairs\n{ int t[2]={7,-8}; int64_t 0:X6; 0:X1=t; 0:X2=3; 0:X3=4; 0:X7=5; }\n P0 ;\n"
     " LDPSW X5,X6,[X1] ;\n STP W2,W3,[X1] ;\n CASP W2,W3,W7,W8,[X1] ;\n LDP W9,W10,[X1] ;\n"
     "forall (0:X5=7 /\\ 0:X6=-8 /\\ 0:X9=5 /\\ 0:X10=0 /\\ t[0]=5)",
     "0:X5=7; 0:X6=-8; 0:X9=5; 0:X10=0; t[0]=5;|Always 2 0"},
    /* Parts of locations: the states of the first are those of herd7 -variant mixed, too. */
    {"armv8.cat",
     "AArch64 parts\n{ uint16_t x; uint16_t 1:X3; 0:X0=0x101; 0:X1=x; 1:X1=x; 1:X2=2; }\n P0 | P1 "
     ";\n"
     " STRH W0,[X1] | LDRB W0,[X1,#1] ;\n | STRB W2,[X1] ;\n | LDRH W3,[X1] ;\n"
     "exists (1:X0=1 /\\ 1:X3=0x102 /\\ x=0x101)",
     "1:X0=0; 1:X3=2; [x]=257;|1:X0=0; 1:X3=2; [x]=258;|1:X0=0; 1:X3=257; [x]=257;|1:X0=0; "
     "1:X3=258; [x]=258;|1:X0=1; 1:X3=257; [x]=257;|1:X0=1; 1:X3=258; [x]=258;|Never 0 6"},
    {"rvwmo.cat",
     "RISCV whole\n{ uint16_t x; 0:x1=x; 1:x1=x; 2:x1=x; 0:x2=0x20; 2:x2=0x1110; }\n P0 | P1 | P2 "
     ";\n"
     " sb x2,0(x1) | lh x2,0(x1) | sh x2,0(x1) ;\nexists (x=0x1120 /\\ 1:x2=0x20)",
     "1:x2=0; [x]=4368;|1:x2=0; [x]=4384;|1:x2=32; [x]=4368;|1:x2=4368; [x]=4368;|1:x2=4368; "
     "[x]=4384;|1:x2=4384; [x]=4384;|Never 0 6"},
    {"rvwmo.cat",
     "RISCV loop\n{ 0:x5=x; 1:x5=x; }\n P0 | P1 ;\n L: | li x6,1 ;\n lw x6,0(x5) | sw x6,0(x5) ;\n"
     " beq x6,x0,L | ;\nforall (0:x6=1)",
     "0:x6=1;|Always 3 0"}};

/* A test, and what a model says of it. */
typedef struct session {
    lit_judge *judge;
    lit_test test;
    lit_outcomes outcomes;
    bool is_complete;
} session;

static void judge_text(session *s, const char *model, const char *text, const char *file,
                       double budget) {
    col_problem problem;
    *s = (session){.judge = NULL};
    assert_int_equal(lit_test_read(&s->test, text, strlen(text), file, &problem), COL_OK);
    assert_int_equal(lit_judge_new(&s->judge, model, NULL, &problem), COL_OK);
    assert_int_equal(
        lit_judge_test(s->judge, &s->test, budget, &s->outcomes, &s->is_complete, &problem),
        COL_OK);
}

static void end_session(session *s) {
    lit_outcomes_free(&s->outcomes);
    lit_test_free(&s->test);
    lit_judge_free(s->judge);
}

static void judge_known(size_t number) {
    session s;
    base_text text = {0};
    judge_text(&s, known[number].model, known[number].text, "known", 0);
    assert_true(s.is_complete);
    for (size_t i = 0; i < s.outcomes.count; i++) {
        lit_write_state(&text, &s.test, s.outcomes.states[i].values);
        base_text_add(&text, "|");
    }
    base_text_print(&text, "%s %llu %llu", lit_observation(&s.outcomes),
                    (unsigned long long)s.outcomes.holds, (unsigned long long)s.outcomes.fails);
    if (strcmp(text.data, known[number].expected) != 0)
        print_message("%s\n", s.test.name);
    assert_string_equal(text.data, known[number].expected);
    base_text_free(&text);
    end_session(&s);
}

TEST(known_tests_have_their_outcomes) {
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        judge_known(i);
}

/* ---- What the instruction sets say of pairs, success registers, ISB and DSB: the quantifiers of
 * tests/data/verdicts are herd7's verdicts. */

static void judge_file(const char *name, const base_text *text) {
    session s;
    lit_test test = {0};
    char model[32];
    col_problem problem;
    assert_int_equal(lit_test_read(&test, text->data, text->length, name, &problem), COL_OK);
    (void)snprintf(model, sizeof model, "%s.cat", col_models[lit_isas[test.isa].model]);
    judge_text(&s, model, text->data, name, 0);
    if (!lit_outcomes_are_expected(&s.outcomes, &s.test))
        fail_msg("%s: %s", name, lit_observation(&s.outcomes));
    end_session(&s);
    lit_test_free(&test);
}

TEST(instruction_sets_get_herd7s_verdicts) {
    assert_true(for_each_text("verdicts", ".litmus", judge_file) >= 15);
}

/* ---- The programs of tests/data/litmus. */

/* AArch64 has no fence as weak as these have: the files say so. */
static bool is_stronger(const litmus *test, prg_isa isa) {
    return isa == PRG_AARCH64 && strcmp(test->name, "LB+fence.rrs") == 0;
}

/* False: the outcome speaks of what a write replaced, or cannot be said. */
static bool write_test(const litmus *test, prg_isa isa, base_text *text) {
    uint64_t words[256] = {0};
    bool has_word[256] = {false};
    const prg_litmus about = {.name = "test", .words = words, .has_word = has_word};
    col_problem problem;
    assert_true(col_program_operations(&test->program) <= 256);
    for (uint32_t i = 0; i < test->count; i++) {
        if (test->conditions[i].replaced)
            return false;
        words[test->conditions[i].operation] = test->conditions[i].word;
        has_word[test->conditions[i].operation] = true;
    }
    text->length = 0;
    return prg_litmus_write(&test->program, isa, &about, text, &problem) == COL_OK;
}

TEST(verdicts_survive_writing_and_reading) {
    static const char *const models[PRG_ISA_COUNT] = {
        [PRG_RISCV] = "rvwmo.cat", [PRG_AARCH64] = "armv8.cat", [PRG_X86_64] = "tso.cat"};
    glob_t paths;
    col_problem problem;
    litmus test = {.program = COL_PROGRAM_EMPTY};
    lit_judge *judges[PRG_ISA_COUNT];
    lit_test read = {0};
    lit_outcomes outcomes = {0};
    base_text text = {0};
    uint32_t judged = 0;
    for (prg_isa isa = 0; isa < PRG_ISA_COUNT; isa++)
        assert_int_equal(lit_judge_new(&judges[isa], models[isa], NULL, &problem), COL_OK);
    assert_int_equal(litmus_list(&paths, &problem), COL_OK);
    for (size_t i = 0; i < paths.gl_pathc; i++) {
        assert_int_equal(litmus_read(paths.gl_pathv[i], &test, &problem), COL_OK);
        for (prg_isa isa = 0; isa < PRG_ISA_COUNT; isa++) {
            bool is_complete;
            if (is_stronger(&test, isa) || !write_test(&test, isa, &text))
                continue;
            assert_int_equal(lit_test_read(&read, text.data, text.length, "read", &problem),
                             COL_OK);
            assert_int_equal(
                lit_judge_test(judges[isa], &read, 0, &outcomes, &is_complete, &problem), COL_OK);
            if ((outcomes.holds > 0) != test.verdicts[prg_isa_models[isa]])
                print_message("%s %s\n", test.name, prg_isa_words[isa]);
            assert_int_equal(outcomes.holds > 0, test.verdicts[prg_isa_models[isa]]);
            judged++;
        }
    }
    assert_true(judged > 700);
    for (prg_isa isa = 0; isa < PRG_ISA_COUNT; isa++)
        lit_judge_free(judges[isa]);
    base_text_free(&text);
    lit_outcomes_free(&outcomes);
    lit_test_free(&read);
    litmus_free(&test);
    globfree(&paths);
}

/* ---- Models that choose an order. */

static uint32_t accesses_of(const col_program *program) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < col_program_operations(program); i++)
        count += col_kinds[program->operations[i].kind].reads ||
                 col_kinds[program->operations[i].kind].writes;
    return count;
}

TEST(a_chosen_order_of_all_accesses_is_sequential_consistency) {
    glob_t paths;
    col_problem problem;
    litmus test = {.program = COL_PROGRAM_EMPTY};
    lit_judge *sc, *total;
    lit_test read = {0};
    lit_outcomes expected = {0}, found = {0};
    base_text text = {0};
    uint32_t judged = 0;
    bool is_complete;
    assert_int_equal(lit_judge_new(&sc, "sc.cat", NULL, &problem), COL_OK);
    assert_int_equal(lit_judge_new(&total, TEST_DATA "/cat/total.cat", NULL, &problem), COL_OK);
    assert_int_equal(litmus_list(&paths, &problem), COL_OK);
    for (size_t i = 0; i < paths.gl_pathc; i++) {
        assert_int_equal(litmus_read(paths.gl_pathv[i], &test, &problem), COL_OK);
        if (accesses_of(&test.program) > 9 || !write_test(&test, PRG_RISCV, &text))
            continue;
        assert_int_equal(lit_test_read(&read, text.data, text.length, "read", &problem), COL_OK);
        assert_int_equal(lit_judge_test(sc, &read, 0, &expected, &is_complete, &problem), COL_OK);
        assert_int_equal(lit_judge_test(total, &read, 0, &found, &is_complete, &problem), COL_OK);
        if (found.count != expected.count)
            print_message("%s\n", test.name);
        assert_int_equal(found.count, expected.count);
        assert_int_equal(lit_outcomes_shared(&found, &expected), found.count);
        judged++;
    }
    assert_true(judged > 250);
    lit_judge_free(sc);
    lit_judge_free(total);
    base_text_free(&text);
    lit_outcomes_free(&expected);
    lit_outcomes_free(&found);
    lit_test_free(&read);
    litmus_free(&test);
    globfree(&paths);
}

/* ---- Budgets. */

TEST(a_budget_ends_a_search) {
    base_text text = {0};
    session s;
    base_text_add(&text,
                  "RISCV large\n{ 0:x5=x; 1:x5=x; 2:x5=x; 3:x5=x; }\n P0 | P1 | P2 | P3 ;\n");
    for (int i = 0; i < 12; i++)
        base_text_add(&text, " sw x0,0(x5) | sw x0,0(x5) | lw x6,0(x5) | sw x0,0(x5) ;\n");
    base_text_add(&text, "exists (2:x6=0)");
    judge_text(&s, "sc.cat", text.data, "large", 0.05);
    assert_false(s.is_complete);
    end_session(&s);
    base_text_free(&text);
}
