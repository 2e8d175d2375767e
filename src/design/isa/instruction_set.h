/* SPDX-License-Identifier: MIT */
/*
 * What the encoder of threads (thread_code.c) and the harness (harness.c) need of an instruction
 * set: a handful of instructions that all have, and what is special. For threads, registers fall
 * into groups: arguments (base, log, salt), scratch that an operation uses for itself, the bundle,
 * and value registers, which hold what reads returned. A *token* is a scratch register that is
 * always 0, but depends on a value; the *bundle* is such a register that depends on all values that
 * had to make room. For the harness they have roles.
 */
#pragma once

#include "base/text.h"
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

/* Registers by role. The first group survives the call of a thread. Where registers are few, T2 to
 * T4 are those of A1 to A3, so one of them is free only while the other one is not used. */
typedef enum isa_role {
    ISA_HART,
    ISA_ROUND,
    ISA_PHASE, /* of the barrier: how often it was passed */
    ISA_SALT,
    ISA_PART, /* the round's part of the log */
    ISA_RANDOM,
    ISA_RECORD,
    ISA_ROW,  /* of this hart in the table of threads */
    ISA_TURN, /* the round modulo the count of threads */
    ISA_T0,
    ISA_T1,
    ISA_T2,
    ISA_T3,
    ISA_T4,
    ISA_A0,
    ISA_A1,
    ISA_A2,
    ISA_A3,
    ISA_ZERO, /* is always 0: for plus, for store, and as what branch compares with */
    ISA_ROLE_COUNT
} isa_role;

/* What takes registers, then a label or a number. */
typedef enum isa_basic {
    ISA_PLUS, /* to, a, b */
    ISA_AND,
    ISA_TIMES,
    ISA_PLUS_NUMBER, /* to, a, a signed number of 11 bits */
    ISA_RIGHT,       /* to, a, by */
    ISA_IF_EQUAL,    /* a, b, label, nearby */
    ISA_IF_UNEQUAL,
    ISA_IF_BELOW,
    ISA_LOAD_4, /* to, at, offset: 0 to 2040, and a multiple of the size */
    ISA_LOAD_8,
    ISA_STORE_4, /* from, at, offset */
    ISA_STORE_8,
    ISA_JUMP,    /* label, nearby */
    ISA_CALL,    /* label */
    ISA_CALL_AT, /* function */
    ISA_RETURN,  /* of a function that calls no other one */
    ISA_SET_STACK,
    ISA_FENCE,    /* orders everything, devices included */
    ISA_SEE_CODE, /* after `publish`; changes T0 at most */
    ISA_WAIT,     /* until something happens, or not at all */
    ISA_TOKEN,    /* of the value in a register */
    ISA_BUNDLE,   /* takes the token in */
    ISA_BASICS
} isa_basic;

typedef struct isa_boot isa_boot; /* harness.h */

struct isa_machine {
    void (*basic)(isa_code *code, isa_basic what, uint32_t a, uint32_t b, uint32_t c);
    void (*constant)(isa_code *code, const isa_target *target, uint32_t reg, uint64_t value);

    /* ---- Of threads. */

    struct {
        uint8_t count, registers[16];
    } free, saved; /* value registers that a callee may change, and those that it has to save */
    uint8_t result, skew; /* where a thread leaves its result, and gets its skew */
    uint8_t count;        /* scratch to count with */
    uint8_t bundle;
    uint32_t stub; /* the instruction that a fetch executes: it jumps back */

    /* Goes to a label nearby if the register is 0, or if it is not. */
    void (*branch_zero)(isa_thread *thread, uint32_t reg, bool if_zero, isa_label label);
    /* Takes 1 from the register, and goes to the label unless it is 0 now. */
    void (*count_down)(isa_thread *thread, uint32_t reg, isa_label label);
    void (*jump_far)(isa_thread *thread, isa_label label); /* NULL: ISA_JUMP does */
    /* Registers that have to be saved; `restore` comes before the return. */
    void (*save)(isa_thread *thread);
    void (*restore)(isa_thread *thread);
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
    void (*order)(isa_thread *thread, uint32_t pairs);
    void (*log)(isa_thread *thread, uint8_t reg, uint64_t offset);

    /* ---- Of the harness. */

    uint8_t roles[ISA_ROLE_COUNT];
    /* From the load address on: makes traps go to where `traps` is, and finds the word that tells
     * harts apart, unless it is in memory, in ISA_HART. Falls through. */
    void (*enter)(isa_boot *boot);
    /* At the start of each program: keeps ISA_RECORD for `traps`. Changes T1 to T4 at most. */
    void (*keep_record)(isa_boot *boot);
    /* Once, a hart that has a thread in some program: brings what else there is to its work:
     * translation, the other harts. Falls through. NULL: nothing. */
    void (*prepare)(isa_boot *boot);
    /* Code that finds ISA_RECORD again and goes to `trapped`. */
    void (*traps)(isa_boot *boot);
    /* What this hart has written at `at` is what instruction sides of all harts find, as soon as
     * they know of it and see code. NULL: nothing is needed. */
    void (*publish)(isa_boot *boot, isa_role at);
    void (*exit)(isa_boot *boot, bool passed); /* the ways that are not a word in memory */

    /* The instruction at this address, as assembled. False: it is none of ours. NULL: of all. */
    bool (*say)(const isa_target *target, uint32_t word, uint64_t pc, base_text *text);
};

extern const isa_machine isa_riscv, isa_aarch64, isa_x86_64;
