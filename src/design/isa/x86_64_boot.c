/* SPDX-License-Identifier: MIT */
/*
 * What is special in the harness on x86-64 (harness.h): how a hart comes to 64-bit mode. The first
 * one starts at the load address in 32-bit mode, as PVH has it; the others start in 16-bit mode on
 * a page below 1 MiB (the trampoline), when the first one asks for it by INIT and SIPI. Behind a
 * jump at the load address there are tables at fixed offsets; then code for 32-bit mode, made of
 * instructions that have the same bytes in both modes, and of what follows in 64-bit mode.
 */
#include "design/isa/harness.h"
#include "design/isa/x86_64.h"

/* Words behind the load address that harts count up. */
enum {
    COUNTER = 0x48, /* who comes first */
    ARRIVED = 0x50, /* harts with a thread that are there */
};

enum { VECTORS = 32, VECTOR_BYTES = 16 };

/* ---- Tables. */

/* Offsets from the load address. */
enum {
    AT_GDT = 0x10,
    AT_GDTR = 0x30,
    AT_FAR = 0x40, /* where 64-bit mode begins */
    AT_IDTR = 0x60,
    AT_TRAMPOLINE = 0x70,
    AT_IDT = 0x100,
    AT_CODE = AT_IDT + 16 * VECTORS,
};

/* The trampoline has tables of its own, because in 16-bit mode it cannot reach those. */
enum { TRAMPOLINE_GDTR = 0x20, TRAMPOLINE_FAR = 0x28, TRAMPOLINE_BYTES = 0x30 };

enum { CODE_64 = 0x08, CODE_32 = 0x10, DATA = 0x18, GDT_BYTES = 0x20 };
static const uint64_t descriptors[] = {0, 0x00af9b000000ffff, 0x00cf9b000000ffff,
                                       0x00cf93000000ffff};

const isa_x86_start_row isa_x86_trampoline[] = {
    {"cli", 1, {0xfa}},
    {"xorw %ax,%ax", 2, {0x31, 0xc0}},
    {"movw %ax,%ds", 2, {0x8e, 0xd8}},
    {"lgdtl 0x8020", 6, {0x66, 0x0f, 0x01, 0x16, 0x20, 0x80}},
    {"movl $0x11,%eax", 6, {0x66, 0xb8, 0x11}}, /* protection, and what is always 1 */
    {"movl %eax,%cr0", 3, {0x0f, 0x22, 0xc0}},
    {"ljmpl *0x8028", 5, {0x66, 0xff, 0x2e, 0x28, 0x80}},
    {.text = NULL},
};

static uint32_t address_at(const isa_boot *boot, uint32_t offset) {
    return (uint32_t)boot->platform->load + offset;
}

/* A word of 4 bytes: the address of a label. `place` is the word's own one. */
static bool patch_address(uint8_t *at, uint32_t place, int64_t distance) {
    const uint64_t address = (uint64_t)((int64_t)place + distance);
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(address >> (8 * i));
    return address <= UINT32_MAX;
}

/* A gate has its address in parts. `place` counts from the gate, plus the vector's code. */
static bool patch_gate(uint8_t *at, uint32_t place, int64_t distance) {
    uint8_t address[4];
    const bool fits = patch_address(address, place, distance);
    for (int i = 0; i < 2; i++) {
        at[i] = address[i];
        at[6 + i] = address[2 + i];
    }
    return fits;
}

/* What lgdt and lidt load; in 32-bit mode 6 bytes of it. */
static void emit_table(isa_boot *boot, uint32_t bytes, uint32_t at) {
    isa_emit_number(boot->code, bytes - 1, 2);
    isa_emit_number(boot->code, address_at(boot, at), 8);
}

static void emit_far(isa_boot *boot, isa_label label, uint32_t selector) {
    isa_refer(boot->code, label, address_at(boot, isa_here(boot->code)), patch_address);
    isa_emit_number(boot->code, 0, 4);
    isa_emit_number(boot->code, selector, 2);
}

static void emit_tables(isa_boot *boot, isa_label others, isa_label wide) {
    isa_pad(boot->code, AT_GDT);
    for (size_t i = 0; i < sizeof descriptors / sizeof descriptors[0]; i++)
        isa_emit_number(boot->code, descriptors[i], 8);
    emit_table(boot, GDT_BYTES, AT_GDT);
    isa_pad(boot->code, AT_FAR);
    emit_far(boot, wide, CODE_64);
    isa_pad(boot->code, AT_IDTR);
    emit_table(boot, 16 * VECTORS, AT_IDT);
    isa_pad(boot->code, AT_TRAMPOLINE);
    for (const isa_x86_start_row *row = isa_x86_trampoline; row->text != NULL; row++)
        isa_emit(boot->code, row->bytes, row->size);
    isa_pad(boot->code, AT_TRAMPOLINE + TRAMPOLINE_GDTR);
    isa_emit_number(boot->code, GDT_BYTES - 1, 2);
    isa_emit_number(boot->code, address_at(boot, AT_GDT), 4);
    isa_pad(boot->code, AT_TRAMPOLINE + TRAMPOLINE_FAR);
    emit_far(boot, others, CODE_32);
    isa_pad(boot->code, AT_IDT);
    enum { INTERRUPT_GATE = 0x8e };
    for (uint32_t v = 0; v < VECTORS; v++) {
        isa_refer(boot->code, boot->trap, address_at(boot, isa_here(boot->code)) + v * VECTOR_BYTES,
                  patch_gate);
        isa_emit_number(boot->code, CODE_64 << 16, 4);
        isa_emit_number(boot->code, INTERRUPT_GATE << 8, 4);
        isa_emit_number(boot->code, 0, 8);
    }
}

/* ---- 32-bit mode. */

static void set_control(isa_boot *boot, uint8_t control, uint32_t value) {
    isa_x86_constant(boot->code, ISA_RAX, value);
    ISA_X86(boot->code, MOV_TO_CONTROL, .reg = control, .rm = ISA_RAX);
}

/* With translation, caches on: after INIT they are off. */
static void switch_to_64(isa_boot *boot) {
    enum { PHYSICAL_ADDRESS_EXTENSION = 0x20, LONG_MODE = 0x100 };
    const uint32_t efer = 0xc0000080, paging = 0x80000011;
    isa_x86_constant(boot->code, ISA_RAX, DATA);
    ISA_X86(boot->code, MOV_TO_SEGMENT, .reg = ISA_DS, .rm = ISA_RAX);
    ISA_X86(boot->code, MOV_TO_SEGMENT, .reg = ISA_SS, .rm = ISA_RAX);
    set_control(boot, 4, PHYSICAL_ADDRESS_EXTENSION);
    set_control(boot, 3, (uint32_t)boot->layout->pages);
    isa_x86_constant(boot->code, ISA_RCX, efer);
    isa_x86_constant(boot->code, ISA_RAX, LONG_MODE);
    isa_x86_constant(boot->code, ISA_RDX, 0);
    ISA_X86(boot->code, WRMSR, .width = 0);
    set_control(boot, 0, paging);
    isa_x86_constant(boot->code, ISA_RAX, address_at(boot, AT_FAR));
    ISA_X86(boot->code, JMP_FAR, .base = ISA_RAX);
}

/* ---- The other harts, from 64-bit mode. */

/* All harts but this one are reset, and asked to start until those with a thread are there: who has
 * started does not heed it. One that does not start is missed at the barrier. */
static void start_others(isa_boot *boot) {
    enum { COMMAND = 0x300, INIT = 0xc4500, STARTUP = 0xc4600 | ISA_TRAMPOLINE >> 12 };
    enum { TRIES = 200, DELAY = 1 << 20 };
    const uint32_t apic = 0xfee00000;
    const isa_label again = isa_new_label(boot->code), delay = isa_new_label(boot->code);
    const isa_label done = isa_new_label(boot->code);
    isa_x86_constant(boot->code, ISA_RSI, address_at(boot, AT_TRAMPOLINE));
    isa_x86_constant(boot->code, ISA_RDI, ISA_TRAMPOLINE);
    for (int at = 0; at < TRAMPOLINE_BYTES; at += 8) {
        ISA_X86(boot->code, LOAD, .width = 8, .reg = ISA_RAX, .base = ISA_RSI, .disp = at);
        ISA_X86(boot->code, STORE, .width = 8, .reg = ISA_RAX, .base = ISA_RDI, .disp = at);
    }
    isa_x86_constant(boot->code, ISA_RDI, apic);
    isa_x86_constant(boot->code, ISA_RSI, TRIES);
    isa_x86_constant(boot->code, ISA_RDX, address_at(boot, COUNTER));
    ISA_X86(boot->code, STORE_I32, .width = 8, .base = ISA_RDX);
    isa_x86_constant(boot->code, ISA_RDX, address_at(boot, ARRIVED));
    ISA_X86(boot->code, STORE_I32, .width = 8, .base = ISA_RDX);
    isa_x86_constant(boot->code, ISA_R8, boot->harts - 1);
    ISA_X86(boot->code, STORE_I32, .width = 4, .base = ISA_RDI, .disp = COMMAND, .imm = INIT);
    isa_bind(boot->code, again);
    isa_x86_constant(boot->code, ISA_RCX, DELAY);
    isa_bind(boot->code, delay);
    ISA_X86(boot->code, DEC, .width = 8, .rm = ISA_RCX);
    ISA_X86(boot->code, JNE, .label = delay);
    ISA_X86(boot->code, LOAD, .width = 8, .reg = ISA_RAX, .base = ISA_RDX);
    ISA_X86(boot->code, CMP, .width = 8, .reg = ISA_R8, .rm = ISA_RAX);
    ISA_X86(boot->code, JE, .label = done);
    ISA_X86(boot->code, STORE_I32, .width = 4, .base = ISA_RDI, .disp = COMMAND, .imm = STARTUP);
    ISA_X86(boot->code, DEC, .width = 8, .rm = ISA_RSI);
    ISA_X86(boot->code, JNE, .label = again);
    isa_bind(boot->code, done);
}

/* From the load address on. What is emitted next runs in 64-bit mode, on all harts; traps lead to
 * boot->trap, 16 bytes for each vector. rbp is 1 on the hart that starts first. */

static void emit_start_up(isa_boot *boot) {
    const isa_label first = isa_new_label(boot->code), others = isa_new_label(boot->code);
    const isa_label both = isa_new_label(boot->code), wide = isa_new_label(boot->code);
    const isa_label started = isa_new_label(boot->code);
    ISA_X86(boot->code, JMP, .label = first);
    emit_tables(boot, others, wide);
    isa_bind(boot->code, first);
    ISA_X86(boot->code, CLI, .width = 0);
    isa_x86_constant(boot->code, ISA_RAX, address_at(boot, AT_GDTR));
    ISA_X86(boot->code, LGDT, .base = ISA_RAX);
    isa_x86_constant(boot->code, ISA_RBP, 1);
    ISA_X86(boot->code, JMP, .label = both);
    isa_bind(boot->code, others);
    isa_x86_constant(boot->code, ISA_RBP, 0);
    isa_bind(boot->code, both);
    switch_to_64(boot);
    isa_bind(boot->code, wide);
    isa_x86_constant(boot->code, ISA_RAX, address_at(boot, AT_IDTR));
    ISA_X86(boot->code, LIDT, .base = ISA_RAX);
    if (boot->platform->start == ISA_START_SIPI) {
        ISA_X86(boot->code, TEST, .width = 8, .reg = ISA_RBP, .rm = ISA_RBP);
        ISA_X86(boot->code, JE, .label = started);
        start_others(boot);
    }
    isa_bind(boot->code, started);
}

/* ---- The machine. */

#define REG(role) isa_x86_64.roles[role]

/* MSRs; that of a segment which is not used otherwise keeps the record's address. */
#define FS_BASE UINT32_C(0xc0000100)

/* reg = what the word was, before one was added to it. */
static void count_up(isa_boot *boot, uint8_t reg, uint32_t word) {
    isa_x86_constant(boot->code, reg, 1);
    isa_x86_constant(boot->code, ISA_RAX, boot->platform->load + word);
    ISA_X86(boot->code, LOCK_XADD, .width = 8, .reg = reg, .base = ISA_RAX);
}

/* Leaf 1 of cpuid has the APIC's id in the upper byte of ebx, which is ISA_HART. */
void isa_x86_enter(isa_boot *boot) {
    enum { ID_SHIFT = 24 };
    emit_start_up(boot);
    if (boot->platform->hart.from == ISA_HART_COUNTER)
        count_up(boot, REG(ISA_HART), COUNTER);
    if (boot->platform->hart.from != ISA_HART_APIC)
        return;
    isa_x86_constant(boot->code, ISA_RAX, 1);
    ISA_X86(boot->code, CPUID, .width = 0);
    ISA_X86(boot->code, SHR, .width = 4, .rm = REG(ISA_HART), .imm = ID_SHIFT);
}

void isa_x86_keep_record(isa_boot *boot) {
    enum { HALF = 32 };
    ISA_X86(boot->code, MOV, .width = 8, .reg = REG(ISA_RECORD), .rm = ISA_RAX);
    ISA_X86(boot->code, MOV, .width = 8, .reg = REG(ISA_RECORD), .rm = ISA_RDX);
    ISA_X86(boot->code, SHR, .width = 8, .rm = ISA_RDX, .imm = HALF);
    isa_x86_constant(boot->code, ISA_RCX, FS_BASE);
    ISA_X86(boot->code, WRMSR, .width = 0);
}

void isa_x86_prepare(isa_boot *boot) {
    if (boot->platform->start == ISA_START_SIPI)
        count_up(boot, ISA_RDX, ARRIVED);
}

/* ---- Traps. */

/* Vectors that push an error code: double fault, TSS, segments, protection, pages, alignment,
 * control protection, and two of AMD's. */
static bool has_error(uint32_t vector) {
    return (0x60227d00U >> vector & 1) != 0;
}

/* The cause is the vector; the value is the address of a page fault, or the error code. */
void isa_x86_traps(isa_boot *boot) {
    enum { PAGE_FAULT = 14, FAULT_ADDRESS = 2, HALF = 32 };
    const isa_label same = isa_new_label(boot->code), other = isa_new_label(boot->code);
    isa_align(boot->code, VECTOR_BYTES);
    isa_bind(boot->code, boot->trap);
    for (uint32_t v = 0; v < VECTORS; v++) {
        if (has_error(v))
            ISA_X86(boot->code, POP, .rm = REG(ISA_T2));
        else
            isa_set(boot, ISA_T2, 0);
        isa_set(boot, ISA_T0, v);
        ISA_X86(boot->code, JMP, .label = same);
        isa_align(boot->code, VECTOR_BYTES);
    }
    isa_bind(boot->code, same);
    ISA_X86(boot->code, POP, .rm = ISA_RDI); /* where it was */
    ISA_X86(boot->code, CMPI, .width = 8, .rm = REG(ISA_T0), .imm = PAGE_FAULT);
    ISA_X86(boot->code, JNE, .label = other);
    ISA_X86(boot->code, MOV_FROM_CONTROL, .reg = FAULT_ADDRESS, .rm = REG(ISA_T2));
    isa_bind(boot->code, other);
    isa_x86_constant(boot->code, ISA_RCX, FS_BASE);
    ISA_X86(boot->code, RDMSR, .width = 0);
    ISA_X86(boot->code, SHL, .width = 8, .rm = ISA_RDX, .imm = HALF);
    ISA_X86(boot->code, OR, .width = 8, .reg = ISA_RDX, .rm = ISA_RAX);
    ISA_X86(boot->code, MOV, .width = 8, .reg = ISA_RAX, .rm = REG(ISA_RECORD));
    ISA_X86(boot->code, MOV, .width = 8, .reg = ISA_RDI, .rm = REG(ISA_T1));
    ISA_X86(boot->code, JMP, .label = boot->trapped);
}

void isa_x86_exit(isa_boot *boot, bool passed) {
    const isa_exit *way = &boot->platform->exit;
    isa_x86_constant(boot->code, ISA_RAX, passed ? way->pass : way->fail);
    isa_x86_constant(boot->code, ISA_RDX, way->address);
    ISA_X86(boot->code, OUT, .width = 0);
}
