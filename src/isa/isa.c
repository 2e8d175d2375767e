/* SPDX-License-Identifier: MIT */
/* The instruction sets that there are: see isa.h. */
#include "isa/isa.h"

#include "isa/emitter.h"

#include <string.h>

const char *const isa_log_words[ISA_LOG_COUNT + 1] = {"tap", "store", "registers", NULL};

/* Numbers of ELF: EM_RISCV, EM_AARCH64, EM_X86_64. */
enum { RISCV = 243, AARCH64 = 183, X86_64 = 62 };

static const char *const riscv_registers[] = {
    "x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",  "x8",  "x9",  "x10",
    "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21",
    "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30", "x31"};

static const char *const aarch64_registers[] = {
    "x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",  "x8",  "x9",  "x10",
    "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21",
    "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30", "sp"};

static const char *const x86_64_registers[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp",
                                               "rsi", "rdi", "r8",  "r9",  "r10", "r11",
                                               "r12", "r13", "r14", "r15"};

static const isa_target rv32 = {.name = "rv32",
                                .registers = riscv_registers,
                                .register_count = 32,
                                .address_bytes = 4,
                                .word_sizes = 4,
                                .alignment = 4,
                                .elf_machine = RISCV,
                                .elf_class = 1,
                                .model = COL_RVWMO,
                                .emitter = &isa_riscv_emitter};
static const isa_target rv64 = {.name = "rv64",
                                .registers = riscv_registers,
                                .register_count = 32,
                                .address_bytes = 8,
                                .word_sizes = 4 | 8,
                                .alignment = 4,
                                .elf_machine = RISCV,
                                .elf_class = 2,
                                .model = COL_RVWMO,
                                .emitter = &isa_riscv_emitter};
static const isa_target aarch64 = {.name = "aarch64",
                                   .registers = aarch64_registers,
                                   .register_count = 32,
                                   .address_bytes = 8,
                                   .word_sizes = 4 | 8,
                                   .alignment = 4,
                                   .elf_machine = AARCH64,
                                   .elf_class = 2,
                                   .model = COL_ARMV8,
                                   .emitter = &isa_aarch64_emitter};
static const isa_target x86_64 = {.name = "x86-64",
                                  .registers = x86_64_registers,
                                  .register_count = 16,
                                  .address_bytes = 8,
                                  .word_sizes = 4 | 8,
                                  .alignment = 1,
                                  .elf_machine = X86_64,
                                  .elf_class = 2,
                                  .model = COL_TSO,
                                  .emitter = &isa_x86_64_emitter};

const isa_target *const isa_targets[] = {&rv32, &rv64, &aarch64, &x86_64, NULL};

const isa_target *isa_find(const char *name) {
    for (const isa_target *const *target = isa_targets; *target != NULL; target++)
        if (strcmp((*target)->name, name) == 0)
            return *target;
    return NULL;
}
