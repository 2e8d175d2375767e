/* SPDX-License-Identifier: MIT */
/*
 * What the encoder of threads (thread_code.c) needs of an instruction set. Registers fall into
 * roles: arguments (base, log, salt), scratch that an operation uses for itself, the bundle, and
 * value registers, which hold what reads returned. A *token* is a scratch register that is always
 * 0, but depends on a value; the *bundle* is such a register that depends on all values that had to
 * make room.
 */
#ifndef DESIGN_ISA_THREAD_CODE_H
#define DESIGN_ISA_THREAD_CODE_H

#include "design/isa/isa.h"

enum { ISA_MAX_REGISTERS = 32 };

/* What brings a block, by turns, or drops it. */
typedef enum isa_touch {
    ISA_TO_LOAD,
    ISA_TO_STORE,
    ISA_TO_FETCH,
    ISA_PREFETCHES,
    ISA_TO_FLUSH = ISA_PREFETCHES,
    ISA_TOUCHES
} isa_touch;

/* The thread under way. */
typedef struct isa_thread {
    isa_code *code;
    const isa_target *target;
    const isa_settings *settings;
    uint32_t word_bytes;
    uint32_t saved;          /* set of the registers that a callee preserves and this one uses */
    uint8_t pending_release; /* RISC-V: releases that an acquire has to be kept behind */
} isa_thread;

/* An operation with a location. */
typedef struct isa_access {
    const col_operation *operation;
    uint64_t address; /* from the base; of a fetch: that of its stub (isa.h) */
    uint64_t operand;
    uint8_t reg; /* a value register, if it reads */
    bool has_address_token, has_data_token;
} isa_access;

/* Memory at a register and an offset; on x86-64 an index register may be added. */
typedef struct isa_place {
    uint32_t reg;
    int64_t offset;
    bool has_index;
    uint8_t index;
} isa_place;

struct isa_emitter {
    const uint8_t *free_registers; /* value registers that a callee may change */
    uint32_t free_count;
    const uint8_t *saved_registers; /* those that it has to save */
    uint32_t saved_count;
    uint8_t result, skew; /* where a thread leaves its result, and gets its skew */
    uint8_t count;        /* scratch to count with */
    uint8_t bundle;
    uint32_t stub; /* the instruction that a fetch executes: it jumps back */

    void (*constant)(isa_thread *thread, uint32_t reg, uint64_t value);
    /* Goes to a label nearby if the register is 0, or if it is not. */
    void (*branch)(isa_thread *thread, uint32_t reg, bool if_zero, isa_label label);
    /* Takes 1 from the register, and goes to the label unless it is 0 now. */
    void (*count_down)(isa_thread *thread, uint32_t reg, isa_label label);
    void (*jump)(isa_thread *thread, isa_label label); /* nearby */
    void (*jump_far)(isa_thread *thread, isa_label label);
    /* Registers that have to be saved; `leave` restores them and returns. */
    void (*save)(isa_thread *thread);
    void (*leave)(isa_thread *thread);
    void (*token)(isa_thread *thread, uint8_t reg);
    void (*bundle_token)(isa_thread *thread);
    /* What an access needs before and after it for its attributes; NULL: nothing. */
    void (*before)(isa_thread *thread, const isa_access *access);
    void (*after)(isa_thread *thread, const isa_access *access);
    isa_place (*address)(isa_thread *thread, const isa_access *access);
    /* Makes what is written or awaited. */
    void (*value)(isa_thread *thread, const isa_access *access);
    /* A load, store, swap or add, or the load of an await; it begins with its instruction. */
    void (*access)(isa_thread *thread, const isa_access *access, isa_place place);
    /* Goes to a label nearby if an await has seen its value, or if it has not. */
    void (*compare)(isa_thread *thread, const isa_access *access, bool if_equal, isa_label label);
    void (*touch)(isa_thread *thread, isa_place place, isa_touch what);
    /* Goes to the stub, and comes back; the offset of the jump. */
    uint32_t (*fetch)(isa_thread *thread, isa_place place);
    void (*fence)(isa_thread *thread, uint32_t pairs);
    void (*log)(isa_thread *thread, uint8_t reg, uint64_t offset);
};

extern const isa_emitter isa_riscv_emitter, isa_aarch64_emitter, isa_x86_64_emitter;

#endif
