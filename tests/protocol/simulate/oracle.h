/* SPDX-License-Identifier: MIT */
/*
 * What may a program do? The memory models, written from their definitions and from nothing else:
 * SC, TSO, PSO and WMO as textbook machines that are searched exhaustively, ARMv8 and RVWMO as
 * axioms. An outcome tells everything that was seen, so which write a read takes its word from and
 * the order of the writes to each location are known.
 *
 * How our operations are read:
 * - A fence is a set of ordered pairs and orders exactly these pairs of operations around it, an
 *   atomic being a read and a write: all four are Arm's dmb, RISC-V's fence rw,rw and SPARC's full
 *   membar; r,rw is dmb ld; w,w is dmb st.
 * - SC, TSO, PSO and WMO know nothing of dependencies, acquire and release. To them an await is a
 *   load.
 * - A control dependency is a branch that stands before its operation, so all later operations of
 *   the thread depend by control too. An await is a loop: all that follow it depend on it by
 *   control. Looks of an await that failed add nothing to what is allowed.
 * - Acquire and release are RCsc: an acquire waits for the releases before it. (Arm's A and L;
 *   RISC-V's aq and rl on atomics, and those of Zalasr on loads and stores.)
 * - A swap or add is a pair of a read and a write on ARMv8, as in Arm's model (of which we take the
 *   present form: a write by an atomic with both acquire and release comes before all that follows;
 *   an acquire that reads from an atomic's write comes after the atomic's read; dependencies go on
 *   through an add and a read of its word). On RVWMO it is one event, as in the RISC-V manual.
 * - A conditional here is one that has stored: two events, a load-reserved and a store-conditional.
 *   On ARMv8 it has the order of exclusives, not of a swap. Programs with conditionals are the
 *   axioms' business alone.
 * - Flush and delay do nothing.
 */
#pragma once

#include "collider/program.h"

enum { ORACLE_OPERATIONS = 64 }; /* a program has no more than these */

/* In the order of col_model. */
typedef enum oracle_model {
    ORACLE_SC,
    ORACLE_TSO,
    ORACLE_PSO,
    ORACLE_WMO,
    ORACLE_ARMV8,
    ORACLE_RVWMO,
    ORACLE_MODEL_COUNT
} oracle_model;

extern const char *const oracle_model_names[ORACLE_MODEL_COUNT];

/* By operation index of the whole program; what does not apply is ignored. */
typedef struct outcome {
    uint64_t read[ORACLE_OPERATIONS];     /* of loads, awaits, swaps and adds */
    uint64_t replaced[ORACLE_OPERATIONS]; /* of stores, swaps and adds */
} outcome;

typedef struct condition {
    uint32_t operation;
    bool replaced; /* the word that it replaced; else the word that it read */
    uint64_t word;
} condition;

bool oracle_allows(oracle_model model, const col_program *program, const outcome *seen);

/* When each operation began and ended; negative if that is not known. */
typedef struct oracle_times {
    const int64_t *begin, *end;
} oracle_times;

/* WMO where times are known. An operation comes after the reads of its thread that had ended when
 * it, or one between them, began. Where no time is given it began when the last one before it did.
 * (So far Axe and its manual agree; operations without times are Axe's business alone.) */
bool oracle_allows_timed(const col_program *program, const outcome *seen,
                         const oracle_times *times);

/* Is there an allowed outcome in which all conditions hold? For programs of up to about ten
 * operations, as is the next function. */
bool oracle_reaches(oracle_model model, const col_program *program, const condition *conditions,
                    uint32_t count);

/* Calls back once for every allowed outcome; what does not apply is 0. Stops when `notice` returns
 * false. */
typedef bool oracle_notice(void *context, const outcome *allowed);
void oracle_each(oracle_model model, const col_program *program, oracle_notice *notice,
                 void *context);
