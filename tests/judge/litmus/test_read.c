/* SPDX-License-Identifier: MIT */
/* Litmus tests that are refused, each with its place and a sentence that names what is wrong. */
#include "judge/litmus/litmus_reader.h"

#include <stdio.h>
#include <string.h>

#include "harness.h"

static const struct {
    const char *text, *sentence;
} refused[] = {
    {"MIPS a\n{}\n P0 ;\nexists (true)", "t:1:1: litmus tests for 'MIPS' are not supported: "
                                         "expected X86, X86_64, AArch64 or RISCV"},
    {"RISCV\n", "t:1:6: expected the name of the test"},
    {"RISCV a\n{ (* no end\n}", "t:2:3: a comment does not end"},
    {"RISCV a\nOrig={\n P0 ;", "t:3:6: expected '{'"},
    {"RISCV a\n{ 0:x5=1 }\n P0 ;\n frob x1,x2 ;\n",
     "t:4:2: the instruction 'frob' is not supported"},
    {"AArch64 a\n{}\n P0 | P1 ;\n | LDXP W0,W1,[X2] ;\n",
     "t:4:4: the instruction 'ldxp' is not supported"},
    {"X86_64 a\n{}\n P0 ;\n ret ;\n", "t:4:2: the instruction 'ret' is not supported"},
    {"RISCV a\n{}\n P0 ;\n lw x5,0(y) ;\n", "t:4:10: expected a register in 'lw x5,0(y)'"},
    {"RISCV a\n{}\n P0 ;\n bne x5,x0,L ;\n",
     "t:4:12: expected a label of this thread in 'bne x5,x0,L'"},
    {"RISCV a\n{}\n P0 ;\n nop nop ;\n", "t:4:6: more than the instruction needs in 'nop nop'"},
    {"RISCV a\n{}\n P1 ;\n", "t:3:2: expected 'P0', the name of a thread"},
    {"RISCV a\n{}\n P0 ;\n nop | nop ;\n", "t:4:2: this row has more columns than threads"},
    {"RISCV a\n{ 0:q5=1; }\n P0 ;\n", "t:2:5: there is no register 'q5'"},
    {"RISCV a\n{ pteval_t x; }\n P0 ;\n", "t:2:3: the type 'pteval_t' is not supported"},
    {"RISCV a\n{}\n P0 ;\nexists (1:x5=0)", "t:4:11: there is no such thread"},
    {"RISCV a\n{}\n P0 ;\nexists (0:x5=0", "t:4:15: expected ')'"},
    {"RISCV a\n{}\n P0 ;\nexists (fault(P0))", "t:4:9: 'fault' is not supported in a condition"},
    {"RISCV a\n{}\n P0 ;\nexists (0:x5=0) x", "t:4:17: expected the end of the test"},
    {"RISCV a\n{ int x[2]; }\n P0 ;\nexists (x[2]=0)", "t:4:9: the array 'x' is not that long"},
    {"RISCV a\n{ int x[2]; 0:x5=x[2]; }\n P0 ;\n", "t:2:22: the array is not that long"},
    {"RISCV a\n{ int x[2]; 0:x5=x[1152921504606846; }\n P0 ;\n", "t:2:36: expected ']'"},
    {"RISCV a\n{ int x[2]; int x[2]={5,6}; }\n P0 ;\n", "t:2:19: the array 'x' is declared twice"}};

TEST(mistakes_have_a_place) {
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        lit_test test = {0};
        col_problem problem = {0};
        char sentence[1024];
        assert_int_equal(
            lit_test_read(&test, refused[i].text, strlen(refused[i].text), "t", &problem),
            COL_BAD_INPUT);
        assert_string_equal(col_problem_text(&problem, sentence, sizeof sentence),
                            refused[i].sentence);
        assert_null(test.cells);
    }
}

TEST(what_is_written_in_many_ways_is_read) {
    static const char text[] =
        "\xef\xbb\xbf"
        "RISCV a+b.c-d\n\"a text { here\"\nCycle=Rfe Fre\n(* a (* nested *) comment { *)\n"
        "{\n uint64_t x=0x10; int64_t y; int *z=&x; int t[3]={1,2,-3};\n 0:x5=x; 0:a0=7; "
        "P1:t0=t[1];\n"
        " uint8_t 1:s11; }\n"
        " P0          | P1          ;\n (* one *)\n L0: L1: nop | fence iorw,ow ;\n"
        " sd a0,0(x5) |             ;\n"
        "locations [0:x5; t[2]; x uint64_t;]\nfilter (not (0:x5=1 => 1:s11=2))\n"
        "~exists (0:a0=7 /\\ (x=16 \\/ [y]!=0) /\\ 1:t0=0:a0)\nwith tso: ~exists;";
    lit_test test = {0};
    col_problem problem = {0};
    assert_int_equal(lit_test_read(&test, text, sizeof text - 1, "t", &problem), COL_OK);
    assert_string_equal(test.name, "a+b.c-d");
    assert_int_equal(test.thread_count, 2);
    assert_int_equal(test.threads[0].instruction_count, 2);
    assert_int_equal(test.threads[1].instruction_count, 1);
    assert_int_equal(test.threads[0].registers[10].initial, 7);
    assert_int_equal(test.threads[1].registers[27].type.bytes, 1);
    assert_int_equal(test.cell_count, 6);
    assert_int_equal(test.cells[0].initial, 16);
    assert_int_equal(test.cells[2].initial, test.cells[0].address);
    assert_int_equal(test.cells[5].initial, (uint64_t)-3);
    assert_int_equal(test.threads[1].registers[5].initial, test.cells[4].address);
    assert_int_equal(test.quantifier, LIT_NOT_EXISTS);
    assert_non_null(test.filter);
    assert_int_equal(test.item_count, 7);
    assert_int_equal(test.shown_count, 6);
    lit_test_free(&test);
}

/* What is nested or long is refused before the stack ends. */
TEST(depth_is_bounded) {
    static char text[400000];
    lit_test test = {0};
    col_problem problem = {0};
    (void)snprintf(text, sizeof text, "RISCV a\n{}\n P0 ;\nexists ");
    memset(text + strlen(text), '(', 100000);
    assert_int_equal(lit_test_read(&test, text, strlen(text), "t", &problem), COL_BAD_INPUT);
    assert_string_equal(problem.message, "the condition is nested too deeply");
    (void)snprintf(text, sizeof text, "RISCV a\n{}\n P0 ;\nexists x=0");
    for (size_t at = strlen(text); at + 8 < sizeof text; at += 7)
        memcpy(text + at, " /\\ x=0", 8);
    assert_int_equal(lit_test_read(&test, text, strlen(text), "t", &problem), COL_BAD_INPUT);
    assert_string_equal(problem.message, "the condition is too long");
}
