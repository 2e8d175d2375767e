/* SPDX-License-Identifier: MIT */
/*
 * What the encoder of threads (thread.c) needs of an instruction set. Registers fall into roles:
 * arguments (base, log, salt), scratch that an operation uses for itself, the bundle, and value
 * registers, which hold what reads returned. A *token* is a scratch register that is always 0, but
 * depends on a value; the *bundle* is such a register that depends on all values that had to make
 * room.
 */
#ifndef ISA_EMITTER_H
#define ISA_EMITTER_H

#include "isa/isa.h"

enum { ISA_MAX_REGISTERS = 32 };

/* What a block is prefetched for. */
typedef enum isa_purpose { ISA_TO_LOAD, ISA_TO_STORE, ISA_TO_FETCH, ISA_PURPOSES } isa_purpose;

/* The thread under way. */
typedef struct isa_thread {
    isa_code *code;
    const isa_target *target;
    const isa_settings *settings;
    uint32_t word_bytes;
    uint32_t saved;          /* set of the registers that a callee preserves and this one uses */
    bool uses_bundle;        /* it is set to 0 at the start */
    bool has_awaits;         /* somebody jumps to `failed` */
    uint8_t pending_release; /* RISC-V: releases that an acquire has to be kept behind */
    isa_label failed;
} isa_thread;

/* An operation with a location. */
typedef struct isa_access {
    const col_operation *operation;
    uint64_t address; /* from the base; of a fetch: that of its stub (stub.h) */
    uint64_t operand;
    uint8_t reg; /* a value register, if it reads */
    bool has_address_token, has_data_token;
} isa_access;

struct isa_emitter {
    const uint8_t *free_registers; /* value registers that a callee may change */
    uint32_t free_count;
    const uint8_t *saved_registers; /* those that it has to save */
    uint32_t saved_count;
    uint8_t bundle;
    uint32_t stub; /* the instruction that a fetch executes: it jumps back */

    void (*enter)(isa_thread *thread);
    /* Returns 0; from the label `failed` on: 1. */
    void (*leave)(isa_thread *thread);
    void (*token)(isa_thread *thread, uint8_t reg);
    void (*add_to_bundle)(isa_thread *thread, uint8_t reg);
    /* A branch on the register, to what follows. */
    void (*control)(isa_thread *thread, uint8_t reg);
    /* What an access needs before and after it for its attributes; NULL: nothing. */
    void (*before)(isa_thread *thread, const isa_access *access);
    void (*after)(isa_thread *thread, const isa_access *access);
    /* A load, store, swap or add; the offset of the instruction. */
    uint32_t (*access)(isa_thread *thread, const isa_access *access);
    /* Goes to `done` when it has seen its word, and on behind itself when it gives up. */
    uint32_t (*await)(isa_thread *thread, const isa_access *access, isa_label done);
    uint32_t (*flush)(isa_thread *thread, const isa_access *access);
    uint32_t (*prefetch)(isa_thread *thread, const isa_access *access, isa_purpose purpose);
    /* Goes to the stub, and comes back; the offset of the jump. */
    uint32_t (*fetch)(isa_thread *thread, const isa_access *access);
    void (*fence)(isa_thread *thread, uint32_t pairs);
    void (*delay)(isa_thread *thread, uint32_t iterations);
    void (*log)(isa_thread *thread, uint8_t reg, uint64_t offset);
    void (*jump)(isa_thread *thread, isa_label label);
};

extern const isa_emitter isa_riscv_emitter, isa_aarch64_emitter, isa_x86_64_emitter;

#endif
