/* SPDX-License-Identifier: MIT */
/* Every instruction of the tables, with operands of all sorts, is what the GNU assembler makes of
 * it. */
#include "base/rng.h"
#include "gnu.h"
#include "harness.h"
#include "isa/aarch64.h"
#include "isa/riscv.h"
#include "isa/x86_64.h"
#include "isa/x86_64_start.h"

#include <stdlib.h>
#include <string.h>

enum { PADDING = 1 << 21, SAMPLES = 24 };

/* What was encoded, and the text to be assembled. Instructions stand one after the other in both.
 */
typedef struct comparison {
    const isa_target *target;
    isa_code code; /* the instruction under way, behind a padding */
    base_text ours, theirs;
    base_rng rng;
    size_t *starts; /* of the lines, in `ours` */
    size_t count, capacity;
} comparison;

static void begin(comparison *c, const char *target) {
    *c = (comparison){.target = isa_find(target)};
    want_gnu(c->target);
    base_rng_seed(&c->rng, 24, 0);
    c->capacity = 100000;
    c->starts = calloc(c->capacity, sizeof *c->starts);
    if (c->target->name[0] == 'r')
        base_text_add(&c->theirs, ".option norelax\n");
    static const uint8_t zeros[PADDING];
    isa_emit(&c->code, zeros, PADDING);
}

static int64_t below(comparison *c, uint64_t bound) {
    return (int64_t)base_rng_below(&c->rng, bound);
}

/* A bound or something between. */
static int64_t number(comparison *c, int64_t low, int64_t high, int64_t step) {
    const int64_t choices[] = {low, high, 0, step, low + step, high - step};
    if (below(c, 2) == 0)
        return low + below(c, (uint64_t)(high - low) / (uint64_t)step + 1) * step;
    const int64_t choice = choices[below(c, 6)];
    return choice < low || choice > high ? low : choice;
}

/* A label that far from the instruction that comes next. */
static isa_label label_at(comparison *c, int64_t distance) {
    const isa_label label = isa_new_label(&c->code);
    c->code.labels[label] = (uint32_t)(PADDING + distance);
    return label;
}

/* The instruction is done; its text is in `theirs`. */
static void take(comparison *c) {
    col_problem problem;
    base_text_add(&c->theirs, "\n");
    if (isa_code_finish(&c->code, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    assert_true(c->count < c->capacity);
    c->starts[c->count++] = c->ours.length;
    base_text_add_bytes(&c->ours, (const char *)c->code.bytes + PADDING, c->code.size - PADDING);
    c->code.size = PADDING;
    c->code.label_count = 0;
}

static void fail_at(const comparison *c, size_t which, const base_text *theirs) {
    const char *text = c->theirs.data;
    for (size_t skipped = c->target->name[0] == 'r' ? 0 : 1; skipped <= which; skipped++)
        text = strchr(text, '\n') + 1;
    fail_msg("%s: instruction %zu (%.*s) at %zu differs, or one before does: %02x%02x%02x%02x",
             c->target->name, which, (int)strcspn(text, "\n"), text, c->starts[which],
             (uint8_t)theirs->data[c->starts[which]], (uint8_t)theirs->data[c->starts[which] + 1],
             (uint8_t)theirs->data[c->starts[which] + 2],
             (uint8_t)theirs->data[c->starts[which] + 3]);
}

static void end(comparison *c) {
    base_text theirs = {0};
    assemble(c->target, &c->theirs, &theirs);
    for (size_t i = 0; i < c->count; i++) {
        const size_t next = i + 1 < c->count ? c->starts[i + 1] : c->ours.length;
        if (next > theirs.length || memcmp(c->ours.data + c->starts[i], theirs.data + c->starts[i],
                                           next - c->starts[i]) != 0)
            fail_at(c, i, &theirs);
    }
    assert_int_equal(c->ours.length, theirs.length);
    assert_true(c->count > 1000);
    print_message("%s: %zu instructions\n", c->target->name, c->count);
    base_text_free(&theirs);
    base_text_free(&c->ours);
    base_text_free(&c->theirs);
    isa_code_free(&c->code);
    free(c->starts);
}

#define PRINT(...) base_text_print(&c->theirs, __VA_ARGS__)

static const char *const riscv_orders[] = {"", ".aq", ".rl", ".aqrl"};

static void print_set(comparison *c, int64_t set) {
    for (int bit = 3; bit >= 0; bit--)
        if ((set >> bit & 1) != 0)
            PRINT("%c", "wroi"[bit]);
}

static void compare_riscv(comparison *c, isa_rv instruction) {
    const isa_rv_row *row = &isa_rv_rows[instruction];
    const char *name = row->mnemonic;
    const int a = (int)below(c, 32), b = (int)below(c, 32), d = (int)below(c, 32);
    const int64_t imm = number(c, -2048, 2047, 1);
    int64_t o[4] = {a, b, d, 0};
    switch (row->format) {
    case ISA_RVF_R:
        PRINT("%s x%d,x%d,x%d", name, a, b, d);
        break;
    case ISA_RVF_I:
        o[2] = imm;
        PRINT("%s x%d,x%d,%d", name, a, b, (int)imm);
        break;
    case ISA_RVF_SHIFT:
    case ISA_RVF_SHIFTW:
        o[2] = number(c, 0, row->format == ISA_RVF_SHIFT ? 63 : 31, 1);
        PRINT("%s x%d,x%d,%d", name, a, b, (int)o[2]);
        break;
    case ISA_RVF_U:
        o[1] = number(c, 0, 0xfffff, 1);
        PRINT("%s x%d,%d", name, a, (int)o[1]);
        break;
    case ISA_RVF_LOAD:
    case ISA_RVF_STORE:
        o[2] = imm;
        PRINT("%s x%d,%d(x%d)", name, a, (int)imm, b);
        break;
    case ISA_RVF_BRANCH: {
        const int64_t distance = number(c, -4096, 4094, 2);
        o[2] = label_at(c, distance);
        PRINT("%s x%d,x%d,.+%d", name, a, b, (int)distance);
        break;
    }
    case ISA_RVF_JUMP: {
        const int64_t distance = number(c, -(1 << 20), (1 << 20) - 2, 2);
        o[1] = label_at(c, distance);
        PRINT("%s x%d,.+%d", name, a, (int)distance);
        break;
    }
    case ISA_RVF_FENCE:
        o[0] = 1 + below(c, 15);
        o[1] = 1 + below(c, 15);
        PRINT("%s ", name);
        print_set(c, o[0]);
        PRINT(",");
        print_set(c, o[1]);
        break;
    case ISA_RVF_CSR:
        o[1] = number(c, 0, 0xfff, 1);
        PRINT("%s x%d,%d,x%d", name, a, (int)o[1], d);
        break;
    case ISA_RVF_CSRI:
        o[1] = number(c, 0, 0xfff, 1);
        PRINT("%s x%d,%d,%d", name, a, (int)o[1], d);
        break;
    case ISA_RVF_AMO:
        o[3] = below(c, 4);
        PRINT("%s%s x%d,x%d,(x%d)", name, riscv_orders[o[3]], a, b, d);
        break;
    case ISA_RVF_LR:
        o[2] = below(c, 4);
        PRINT("%s%s x%d,(x%d)", name, riscv_orders[o[2]], a, b);
        break;
    case ISA_RVF_RR:
        PRINT("%s x%d,x%d", name, a, b);
        break;
    case ISA_RVF_AT:
        PRINT("%s (x%d)", name, a);
        break;
    case ISA_RVF_PLAIN:
        PRINT("%s", name);
        break;
    }
    isa_rv_emit(&c->code, instruction, o);
    take(c);
}

static void compare_csr(comparison *c, const char *name, int64_t csr) {
    PRINT("csrrw x1,%s,x2", name);
    ISA_RV(&c->code, CSRRW, 1, csr, 2);
    take(c);
}

static void riscv_instructions_are_those_of_the_gnu_assembler(void **state) {
    (void)state;
    comparison c;
    begin(&c, "rv64");
    for (int i = 0; i < ISA_RV_COUNT; i++)
        for (int sample = 0; sample < SAMPLES; sample++)
            compare_riscv(&c, (isa_rv)i);
#define CSR(name, text, bits) compare_csr(&c, text, ISA_CSR_##name);
    ISA_RV_CSRS(CSR)
    end(&c);
}

/* Registers of 64 or 32 bits; 31 is zero, or sp. */
static const char *a64(char letter, int64_t number, bool is_sp) {
    static char names[8][8];
    static int next;
    char *name = names[next++ % 8];
    if (number == 31)
        snprintf(name, 8, is_sp ? "sp" : "%czr", letter);
    else
        snprintf(name, 8, "%c%d", letter, (int)number);
    return name;
}

static void compare_aarch64(comparison *c, isa_a64 instruction) {
    static const char *const orders[] = {"", "a", "l", "al"};
    static const char *const conditions[] = {"eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc",
                                             "hi", "ls", "ge", "lt", "gt", "le", "al"};
    const isa_a64_row *row = &isa_a64_rows[instruction];
    const char *name = row->mnemonic;
    const char l = row->letter;
    int64_t o[4] = {below(c, 32), below(c, 32), below(c, 32), 0};
    switch (row->format) {
    case ISA_A64F_RRR:
        PRINT("%s %s,%s,%s", name, a64(l, o[0], 0), a64(l, o[1], 0), a64(l, o[2], 0));
        break;
    case ISA_A64F_RRI:
        o[2] = number(c, 0, 4095, 1);
        o[3] = below(c, 2);
        PRINT("%s %s,%s,#%d,lsl #%d", name, a64(l, o[0], 1), a64(l, o[1], 1), (int)o[2],
              (int)o[3] * 12);
        break;
    case ISA_A64F_CMP:
        PRINT("%s %s,%s", name, a64(l, o[0], 0), a64(l, o[1], 0));
        break;
    case ISA_A64F_LSL_X:
    case ISA_A64F_LSR_X:
        o[2] = number(c, 0, 63, 1);
        PRINT("%s %s,%s,#%d", name, a64(l, o[0], 0), a64(l, o[1], 0), (int)o[2]);
        break;
    case ISA_A64F_MOVE:
        o[1] = number(c, 0, 0xffff, 1);
        o[2] = 16 * below(c, 4);
        PRINT("%s %s,#%d,lsl #%d", name, a64(l, o[0], 0), (int)o[1], (int)o[2]);
        break;
    case ISA_A64F_MEM1:
    case ISA_A64F_MEM4:
    case ISA_A64F_MEM8: {
        const int step = row->format == ISA_A64F_MEM1 ? 1 : row->format == ISA_A64F_MEM4 ? 4 : 8;
        o[2] = number(c, 0, 4095 * (int64_t)step, step);
        PRINT("%s %s,[%s,#%d]", name, a64(l, o[0], 0), a64('x', o[1], 1), (int)o[2]);
        break;
    }
    case ISA_A64F_AT:
        PRINT("%s %s,[%s]", name, a64(l, o[0], 0), a64('x', o[1], 1));
        break;
    case ISA_A64F_STX: /* the status goes to a register that is none of the others */
        o[0] = 1;
        o[1] = 2 + below(c, 30);
        o[2] = 2 + below(c, 30);
        PRINT("%s %s,%s,[%s]", name, a64('w', o[0], 0), a64(l, o[1], 0), a64('x', o[2], 1));
        break;
    case ISA_A64F_ATOMIC:
        o[3] = below(c, 4);
        PRINT("%s%s %s,%s,[%s]", name, orders[o[3]], a64(l, o[0], 0), a64(l, o[1], 0),
              a64('x', o[2], 1));
        break;
    case ISA_A64F_BRANCH:
    case ISA_A64F_COMPARE:
    case ISA_A64F_COND:
    case ISA_A64F_ADDRESS: {
        const int step = row->format == ISA_A64F_ADDRESS ? 1 : 4;
        const int64_t distance = number(c, -(1 << 20), (1 << 20) - step, step);
        if (row->format == ISA_A64F_COND)
            o[0] = below(c, 15);
        o[row->format == ISA_A64F_BRANCH ? 0 : 1] = label_at(c, distance);
        if (row->format == ISA_A64F_COND)
            PRINT("%s%s .+%d", name, conditions[o[0]], (int)distance);
        else if (row->format == ISA_A64F_BRANCH)
            PRINT("%s .+%d", name, (int)distance);
        else
            PRINT("%s %s,.+%d", name, a64(l, o[0], 0), (int)distance);
        break;
    }
    case ISA_A64F_REG:
    case ISA_A64F_RT:
        PRINT("%s %s", name, a64(l, o[0], 0));
        break;
    case ISA_A64F_BASE:
        PRINT("%s[%s]", name, a64('x', o[0], 1));
        break;
    case ISA_A64F_BARRIER:
        o[0] = 1 + below(c, 15);
        PRINT("%s #%d", name, (int)o[0]);
        break;
    case ISA_A64F_READ:
    case ISA_A64F_WRITE: {
        const bool reads = row->format == ISA_A64F_READ;
        const int64_t reg = below(c, 0x8000), rt = below(c, 32);
        char text[32];
        snprintf(text, sizeof text, "s%d_%d_c%d_c%d_%d", (int)(2 + (reg >> 14)),
                 (int)(reg >> 11 & 7), (int)(reg >> 7 & 15), (int)(reg >> 3 & 15), (int)(reg & 7));
        o[reads ? 0 : 1] = rt;
        o[reads ? 1 : 0] = reg;
        PRINT("%s %s,%s", name, reads ? a64(l, rt, 0) : text, reads ? text : a64(l, rt, 0));
        break;
    }
    case ISA_A64F_IMM4:
        o[0] = below(c, 16);
        PRINT("%s #%d", name, (int)o[0]);
        break;
    case ISA_A64F_IMM16:
        o[0] = number(c, 0, 0xffff, 1);
        PRINT("%s #%d", name, (int)o[0]);
        break;
    case ISA_A64F_PLAIN:
        PRINT("%s", name);
        break;
    }
    isa_a64_emit(&c->code, instruction, o);
    take(c);
}

static void compare_system(comparison *c, const char *name, int64_t reg) {
    PRINT("mrs x3,%s", name);
    ISA_A64(&c->code, MRS, 3, reg);
    take(c);
}

static void aarch64_instructions_are_those_of_the_gnu_assembler(void **state) {
    (void)state;
    comparison c;
    begin(&c, "aarch64");
    for (int i = 0; i < ISA_A64_COUNT; i++)
        for (int sample = 0; sample < SAMPLES; sample++)
            compare_aarch64(&c, (isa_a64)i);
#define SYSTEM(name, text, op0, op1, n, m, op2) compare_system(&c, text, ISA_##name);
    ISA_A64_REGISTERS(SYSTEM)
    end(&c);
}

static const char *x86(uint32_t width, uint32_t reg) {
    static const char *const wide[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                       "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
    static const char *const narrow[] = {"eax",  "ecx",  "edx",  "ebx", "esp",  "ebp",
                                         "esi",  "edi",  "r8d",  "r9d", "r10d", "r11d",
                                         "r12d", "r13d", "r14d", "r15d"};
    return width == 4 ? narrow[reg] : wide[reg];
}

static isa_x86_operands draw_x86(comparison *c) {
    static const int64_t displacements[] = {0, 1, -1, 127, 128, -128, -129, INT32_MAX, INT32_MIN};
    isa_x86_operands o = {.width = below(c, 2) == 0 ? 4 : 8,
                          .reg = (uint8_t)below(c, 16),
                          .rm = (uint8_t)below(c, 16),
                          .base = (uint8_t)below(c, 16),
                          .has_index = below(c, 2) == 0,
                          .index = (uint8_t)below(c, 16),
                          .disp = displacements[below(c, 9)]};
    if (o.index == ISA_RSP)
        o.has_index = false;
    return o;
}

static const char *memory(const isa_x86_operands *o) {
    static char text[80];
    char disp[24] = "";
    if (o->disp != 0)
        snprintf(disp, sizeof disp, "%lld", (long long)o->disp);
    if (o->has_index)
        snprintf(text, sizeof text, "%s(%%%s,%%%s)", disp, x86(8, o->base), x86(8, o->index));
    else
        snprintf(text, sizeof text, "%s(%%%s)", disp, x86(8, o->base));
    return text;
}

static void compare_x86(comparison *c, isa_x86 instruction, isa_x86_operands o) {
    static const uint8_t controls[] = {0, 2, 3, 4, 8};
    static const uint8_t segments[] = {ISA_ES, ISA_SS, ISA_DS, ISA_FS, ISA_GS};
    static const char *const segment_names[] = {"es", "cs", "ss", "ds", "fs", "gs"};
    const isa_x86_row *row = &isa_x86_rows[instruction];
    const size_t length = strlen(row->mnemonic);
    const char last = row->mnemonic[length - 1];
    if (last == ' ' || last == '*')
        o.width = 0;
    char name[24];
    snprintf(name, sizeof name, "%s%s", row->mnemonic,
             o.width == 0   ? ""
             : o.width == 4 ? "l "
                            : "q ");
    const char *reg = x86(o.width, o.reg), *rm = x86(o.width, o.rm);
    switch (row->form) {
    case ISA_X86F_REG_RM:
        PRINT("%s%%%s,%%%s", name, reg, rm);
        break;
    case ISA_X86F_RM_REG:
        PRINT("%s%%%s,%%%s", name, rm, reg);
        break;
    case ISA_X86F_CONTROL:
        o.reg = controls[below(c, 5)];
        if (instruction == ISA_X86_MOV_TO_CONTROL)
            PRINT("%s%%%s,%%cr%d", name, rm, o.reg);
        else
            PRINT("%s%%cr%d,%%%s", name, o.reg, rm);
        break;
    case ISA_X86F_SEGMENT:
        o.reg = segments[below(c, 5)];
        PRINT("%s%%%s,%%%s", name, x86(4, o.rm), segment_names[o.reg]);
        break;
    case ISA_X86F_REG_MEM:
        if (instruction == ISA_X86_LOAD || instruction == ISA_X86_LEA)
            PRINT("%s%s,%%%s", name, memory(&o), reg);
        else
            PRINT("%s%%%s,%s", name, reg, memory(&o));
        break;
    case ISA_X86F_MEM:
        PRINT("%s%s", name, memory(&o));
        break;
    case ISA_X86F_MEM_IMM32:
        o.imm = number(c, INT32_MIN, INT32_MAX, 1);
        PRINT("%s$%d,%s", name, (int)o.imm, memory(&o));
        break;
    case ISA_X86F_RM:
    case ISA_X86F_LOW:
        PRINT("%s%%%s", name, rm);
        break;
    case ISA_X86F_RM_IMM8: /* a shift by 1 has a shorter form, too */
        o.imm = row->opcode == 0xc1 ? number(c, 2, 31, 1) : number(c, -128, 127, 1);
        PRINT("%s$%d,%%%s", name, (int)o.imm, rm);
        break;
    case ISA_X86F_LOW_IMM32:
        o.imm = number(c, 0, UINT32_MAX, 1);
        PRINT("%s$%lld,%%%s", name, (long long)o.imm, x86(4, o.rm));
        break;
    case ISA_X86F_LOW_IMM64:
        o.imm = (int64_t)base_rng_next(&c->rng);
        PRINT("%s$%lld,%%%s", name, (long long)o.imm, rm);
        break;
    case ISA_X86F_RM_IMM32:
        o.imm = number(c, INT32_MIN, INT32_MAX, 1);
        PRINT("%s$%d,%%%s", name, (int)o.imm, rm);
        break;
    case ISA_X86F_LABEL: {
        const int64_t distance = number(c, -(1 << 20), 1 << 20, 1);
        o.label = label_at(c, distance);
        PRINT("%s%s.+%d", name[0] == 'j' ? "{disp32} " : "", name, (int)distance);
        break;
    }
    case ISA_X86F_PLAIN:
        PRINT("%s", name);
        break;
    }
    isa_x86_emit(&c->code, instruction, &o);
    take(c);
}

static void x86_64_instructions_are_those_of_the_gnu_assembler(void **state) {
    (void)state;
    comparison c;
    begin(&c, "x86-64");
    for (int i = 0; i < ISA_X86_COUNT; i++)
        for (int sample = 0; sample < SAMPLES; sample++)
            compare_x86(&c, (isa_x86)i, draw_x86(&c));
    for (uint8_t base = 0; base < 16; base++) /* addresses are the odd part */
        for (uint8_t index = 0; index < 16; index++)
            for (int sample = 0; sample < 4; sample++) {
                isa_x86_operands o = draw_x86(&c);
                o.base = base;
                o.index = index;
                o.has_index = index != ISA_RSP;
                compare_x86(&c, ISA_X86_LOAD, o);
            }
    end(&c);
}

/* In 16-bit mode, where the other harts of x86-64 begin. */
static void the_trampoline_is_that_of_the_gnu_assembler(void **state) {
    const isa_target *target = isa_find("x86-64");
    base_text text = {0}, theirs = {0}, ours = {0};
    (void)state;
    want_gnu(target);
    base_text_add(&text, ".code16\n");
    for (const isa_x86_start_row *row = isa_x86_trampoline; row->text != NULL; row++) {
        base_text_print(&text, "%s\n", row->text);
        base_text_add_bytes(&ours, (const char *)row->bytes, row->size);
    }
    assemble(target, &text, &theirs);
    assert_int_equal(ours.length, theirs.length);
    assert_memory_equal(ours.data, theirs.data, ours.length);
    base_text_free(&text);
    base_text_free(&theirs);
    base_text_free(&ours);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(riscv_instructions_are_those_of_the_gnu_assembler),
        cmocka_unit_test(aarch64_instructions_are_those_of_the_gnu_assembler),
        cmocka_unit_test(x86_64_instructions_are_those_of_the_gnu_assembler),
        cmocka_unit_test(the_trampoline_is_that_of_the_gnu_assembler),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
