/* SPDX-License-Identifier: MIT */
/* Labels, references and problems of machine code. */
#include "design/isa/aarch64.h"
#include "design/isa/isa.h"
#include "design/isa/riscv.h"
#include "design/isa/x86_64.h"
#include "harness.h"

#include <string.h>

static uint32_t word_at(const isa_code *code, uint32_t offset) {
    uint32_t word;
    memcpy(&word, code->bytes + offset, sizeof word);
    return word;
}

TEST(references_reach_labels_before_and_behind_them) {
    isa_code code = ISA_CODE_EMPTY;
    const isa_label back = isa_new_label(&code), ahead = isa_new_label(&code);
    isa_bind(&code, back);
    ISA_RV(&code, JAL, 0, ahead);
    ISA_RV(&code, BEQ, 0, 0, back);
    isa_bind(&code, ahead);
    isa_rv_address(&code, 5, back);
    assert_int_equal(isa_code_finish(&code, NULL), COL_OK);
    assert_int_equal(word_at(&code, 0), 0x0080006f);  /* j .+8 */
    assert_int_equal(word_at(&code, 4), 0xfe000ee3);  /* beqz zero,.-4 */
    assert_int_equal(word_at(&code, 8), 0x00000297);  /* auipc t0,0 */
    assert_int_equal(word_at(&code, 12), 0xff828293); /* addi t0,t0,-8 */
    isa_code_free(&code);
}

static void expect_problem(isa_code *code, const char *sentence) {
    col_problem problem;
    assert_int_equal(isa_code_finish(code, &problem), COL_BAD_INPUT);
    assert_string_equal(problem.message, sentence);
    isa_code_clear(code);
}

TEST(what_cannot_be_encoded_is_a_problem) {
    isa_code code = ISA_CODE_EMPTY;
    ISA_RV(&code, ADDI, 1, 2, 2048);
    ISA_RV(&code, ADDI, 1, 2, 5000); /* the first one counts */
    expect_problem(&code, "2048 is out of range for 'addi'");
    ISA_A64(&code, LDR, 1, 2, 12);
    expect_problem(&code, "12 is out of range for 'ldr'");
    ISA_X86(&code, ADDI, .width = 8, .imm = 128);
    expect_problem(&code, "128 is out of range for 'add'");
    ISA_RV(&code, BNE, 1, 0, isa_new_label(&code));
    expect_problem(&code, "a branch of the machine code leads nowhere");
    ISA_RV(&code, ADDI, 1, 1, 1);
    assert_int_equal(isa_code_finish(&code, NULL), COL_OK);
    isa_code_free(&code);
}

TEST(far_branches_are_a_problem) {
    isa_code code = ISA_CODE_EMPTY;
    const isa_label label = isa_new_label(&code);
    ISA_RV(&code, BNE, 1, 0, label);
    isa_align(&code, 4);
    for (int i = 0; i < 1023; i++)
        ISA_RV(&code, ADDI, 0, 0, 0);
    isa_bind(&code, label);
    expect_problem(&code, "the branch at offset 0x0 of the machine code does not reach 0x1000");
    isa_code_free(&code);
}

TEST(a_failed_thread_leaves_the_code_as_it_was) {
    static const char text[] =
        "collider program 1\nlocation a0 64\nthread 0\nload a0\nthread 1\nflush a0\nend\n";
    const isa_target *target = isa_find("rv64");
    const isa_settings settings = {.log = ISA_LOG_STORE};
    col_program program = COL_PROGRAM_EMPTY;
    isa_code code = ISA_CODE_EMPTY;
    assert_int_equal(col_program_read(&program, text, sizeof text - 1, "test", NULL), COL_OK);
    assert_int_equal(isa_encode_thread(target, &program, 0, &settings, &code, NULL), COL_OK);
    const size_t size = code.size;
    assert_int_equal(isa_encode_thread(target, &program, 1, &settings, &code, NULL), COL_BAD_INPUT);
    assert_int_equal(code.size, size);
    assert_int_equal(code.site_count, 1);
    assert_int_equal(isa_encode_thread(target, &program, 0, &settings, &code, NULL), COL_OK);
    assert_int_equal(code.size, 2 * size);
    assert_memory_equal(code.bytes, code.bytes + size, size); /* it is position-independent */
    assert_int_equal(isa_code_finish(&code, NULL), COL_OK);
    isa_code_free(&code);
    col_program_free(&program);
}

TEST(long_threads_are_encoded) {
    enum { LENGTH = 100000 };
    const uint32_t length = LENGTH;
    const isa_settings settings = {.log = ISA_LOG_REGISTERS, .await_limit = 100};
    col_program program = COL_PROGRAM_EMPTY;
    assert_int_equal(col_program_shape(&program, 1, &length, 1, NULL), COL_OK);
    for (uint32_t o = 0; o < LENGTH; o += 2) {
        program.operations[o] = (col_operation){.kind = COL_AWAIT, .value = 1 + o};
        program.operations[o + 1].dependency = COL_ADDRESS;
        program.operations[o + 1].distance = o < 40 ? 1 : 39; /* none in a register for long */
    }
    for (const isa_target *const *target = isa_targets; *target != NULL; target++) {
        isa_code code = ISA_CODE_EMPTY;
        col_problem problem;
        program.is_narrow = (*target)->word_sizes == 4;
        if (isa_encode_thread(*target, &program, 0, &settings, &code, &problem) != COL_OK ||
            isa_code_finish(&code, &problem) != COL_OK)
            fail_msg("%s: %s", (*target)->name, problem.message);
        assert_int_equal(code.site_count, LENGTH);
        isa_code_free(&code);
    }
    col_program_free(&program);
}
