/* SPDX-License-Identifier: MIT */
/* Every instruction of the tables, with operands of all sorts, is what the GNU assembler makes of
 * it. */
#include "base/random.h"
#include "design/isa/aarch64.h"
#include "design/isa/riscv.h"
#include "design/isa/x86_64.h"
#include "gnu.h"
#include "harness.h"

#include <stdlib.h>
#include <string.h>

enum { PADDING = 1 << 21, SAMPLES = 40 };

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

/* ---- Operands by patterns: %, a kind, and the number of the operand. All else is text. */

typedef struct operand_kind {
    char letter;
    bool is_label;
    int64_t low, high, step;
} operand_kind;

static const operand_kind kinds[] = {
    {'i', false, -2048, 2047, 1},
    {'u', false, 0, 0xfffff, 1},
    {'s', false, 0, 63, 1},
    {'c', false, 0, 0xfff, 1},
    {'n', false, 0, 31, 1},
    {'m', false, 0, 0xffff, 1},
    {'d', false, 0, 4095, 1},
    {'k', false, 0, 48, 16},
    {'4', false, 0, 4095L * 4, 4},
    {'8', false, 0, 4095L * 8, 8},
    {'t', false, 1, 15, 1},
    {'v', false, 0, 15, 1},
    {'B', true, -4096, 4094, 2},
    {'J', true, -(1 << 20), (1 << 20) - 2, 2},
    {'L', true, -(1 << 20), (1 << 20) - 4, 4},
    {'A', true, -(1 << 20), (1 << 20) - 1, 1},
};

static void print_number(comparison *c, char letter, int64_t *operand) {
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kinds[i].letter == letter) {
            const int64_t drawn = number(c, kinds[i].low, kinds[i].high, kinds[i].step);
            *operand = kinds[i].is_label ? label_at(c, drawn) : drawn;
            PRINT(kinds[i].is_label ? ".+%d" : "%d", (int)drawn);
            return;
        }
    fail_msg("unknown operand %c", letter);
}

/* Prints operands of the instruction, one after the other; `print` knows what no number is. */
static void print_operands(comparison *c, const char *pattern, char letter, int64_t operands[4],
                           bool (*print)(comparison *, char, char, int64_t *)) {
    for (const char *at = pattern; *at != '\0'; at++)
        if (*at != '%') {
            PRINT("%c", *at);
        } else {
            const char kind = *++at;
            int64_t *operand = &operands[*++at - '0'];
            if (!print(c, letter, kind, operand))
                print_number(c, kind, operand);
        }
}

/* ---- RISC-V. */

static bool print_riscv(comparison *c, char letter, char kind, int64_t *operand) {
    static const char *const orders[] = {"", ".aq", ".rl", ".aqrl"};
    (void)letter;
    if (kind == 'x') {
        *operand = below(c, 32);
        PRINT("x%d", (int)*operand);
    } else if (kind == 'o') {
        *operand = below(c, 4);
        PRINT("%s", orders[*operand]);
    } else if (kind == 'f') { /* a set of a fence */
        *operand = 1 + below(c, 15);
        for (int bit = 3; bit >= 0; bit--)
            if ((*operand >> bit & 1) != 0)
                PRINT("%c", "wroi"[bit]);
    }
    return strchr("xof", kind) != NULL;
}

static void compare_riscv(comparison *c, isa_rv instruction) {
    static const char *const patterns[] = {
        [ISA_RVF_R] = " %x0,%x1,%x2",      [ISA_RVF_I] = " %x0,%x1,%i2",
        [ISA_RVF_SHIFT] = " %x0,%x1,%s2",  [ISA_RVF_U] = " %x0,%u1",
        [ISA_RVF_LOAD] = " %x0,%i2(%x1)",  [ISA_RVF_STORE] = " %x0,%i2(%x1)",
        [ISA_RVF_BRANCH] = " %x0,%x1,%B2", [ISA_RVF_JUMP] = " %x0,%J1",
        [ISA_RVF_FENCE] = " %f0,%f1",      [ISA_RVF_CSR] = " %x0,%c1,%x2",
        [ISA_RVF_CSRI] = " %x0,%c1,%n2",   [ISA_RVF_AMO] = "%o3 %x0,%x1,(%x2)",
        [ISA_RVF_AT] = " (%x0)",           [ISA_RVF_PLAIN] = ""};
    const isa_rv_row *row = &isa_rv_rows[instruction];
    int64_t o[4] = {0};
    PRINT("%s", row->mnemonic);
    print_operands(c, patterns[row->format], 'x', o, print_riscv);
    isa_rv_emit(&c->code, instruction, o);
    take(c);
}

static void compare_csr(comparison *c, const char *name, int64_t csr) {
    PRINT("csrrw x1,%s,x2", name);
    ISA_RV(&c->code, CSRRW, 1, csr, 2);
    take(c);
}

TEST(riscv_instructions_are_those_of_the_gnu_assembler) {
    comparison c;
    begin(&c, "rv64");
    for (int i = 0; i < ISA_RV_COUNT; i++)
        for (int sample = 0; sample < SAMPLES; sample++)
            compare_riscv(&c, (isa_rv)i);
#define CSR(name, text, bits) compare_csr(&c, text, ISA_CSR_##name);
    ISA_RV_CSRS(CSR)
    end(&c);
}

/* ---- AArch64. */

/* A register of 64 or 32 bits; 31 is zero, or sp. */
static void print_a64_register(comparison *c, char letter, int64_t reg, bool is_sp) {
    if (reg < 31)
        PRINT("%c%d", letter, (int)reg);
    else if (is_sp)
        PRINT("sp");
    else
        PRINT("%czr", letter);
}

static bool print_aarch64(comparison *c, char letter, char kind, int64_t *operand) {
    static const char *const orders[] = {"", "a", "l", "al"};
    static const char *const conditions[] = {"eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc",
                                             "hi", "ls", "ge", "lt", "gt", "le", "al"};
    switch (kind) {
    case 'r': /* a register, one that may be sp, and the base of an address */
    case 'p':
    case 'b':
        *operand = below(c, 32);
        if (kind == 'b')
            letter = 'x';
        print_a64_register(c, letter, *operand, kind != 'r');
        return true;
    case 'w': /* a status goes to a register that is none of the others: */
        *operand = 1;
        print_a64_register(c, 'w', *operand, false);
        return true;
    case 'q':
    case 'y':
        *operand = 2 + below(c, 30);
        if (kind == 'y')
            letter = 'x';
        print_a64_register(c, letter, *operand, kind == 'y');
        return true;
    case 'z':
        *operand = below(c, 2);
        PRINT("%d", (int)*operand * 12);
        return true;
    case 'o':
        *operand = below(c, 4);
        PRINT("%s", orders[*operand]);
        return true;
    case 'e':
        *operand = below(c, 15);
        PRINT("%s", conditions[*operand]);
        return true;
    case 'g': { /* a system register */
        const int reg = (int)(*operand = below(c, 0x8000));
        PRINT("s%d_%d_c%d_c%d_%d", 2 + (reg >> 14), reg >> 11 & 7, reg >> 7 & 15, reg >> 3 & 15,
              reg & 7);
        return true;
    }
    default:
        return false;
    }
}

static void compare_aarch64(comparison *c, isa_a64 instruction) {
    static const char *const patterns[] = {[ISA_A64F_RRR] = " %r0,%r1,%r2",
                                           [ISA_A64F_RRI] = " %p0,%p1,#%d2,lsl #%z3",
                                           [ISA_A64F_CMP] = " %r0,%r1",
                                           [ISA_A64F_LSL_X] = " %r0,%r1,#%s2",
                                           [ISA_A64F_LSR_X] = " %r0,%r1,#%s2",
                                           [ISA_A64F_MOVE] = " %r0,#%m1,lsl #%k2",
                                           [ISA_A64F_MEM4] = " %r0,[%b1,#%42]",
                                           [ISA_A64F_MEM8] = " %r0,[%b1,#%82]",
                                           [ISA_A64F_AT] = " %r0,[%b1]",
                                           [ISA_A64F_STX] = " %w0,%q1,[%y2]",
                                           [ISA_A64F_ATOMIC] = "%o3 %r0,%r1,[%b2]",
                                           [ISA_A64F_BRANCH] = " %L0",
                                           [ISA_A64F_COMPARE] = " %r0,%L1",
                                           [ISA_A64F_COND] = "%e0 %L1",
                                           [ISA_A64F_ADDRESS] = " %r0,%A1",
                                           [ISA_A64F_REG] = " %r0",
                                           [ISA_A64F_RT] = " %r0",
                                           [ISA_A64F_BASE] = "[%b0]",
                                           [ISA_A64F_BARRIER] = " #%t0",
                                           [ISA_A64F_READ] = " %r0,%g1",
                                           [ISA_A64F_WRITE] = " %g0,%r1",
                                           [ISA_A64F_IMM4] = " #%v0",
                                           [ISA_A64F_IMM16] = " #%m0",
                                           [ISA_A64F_PLAIN] = ""};
    const isa_a64_row *row = &isa_a64_rows[instruction];
    int64_t o[4] = {0};
    PRINT("%s", row->mnemonic);
    print_operands(c, patterns[row->format], row->letter, o, print_aarch64);
    isa_a64_emit(&c->code, instruction, o);
    take(c);
}

static void compare_system(comparison *c, const char *name, int64_t reg) {
    PRINT("mrs x3,%s", name);
    ISA_A64(&c->code, MRS, 3, reg);
    take(c);
}

TEST(aarch64_instructions_are_those_of_the_gnu_assembler) {
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

TEST(x86_64_instructions_are_those_of_the_gnu_assembler) {
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
TEST(the_trampoline_is_that_of_the_gnu_assembler) {
    const isa_target *target = isa_find("x86-64");
    base_text text = {0}, theirs = {0}, ours = {0};
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
