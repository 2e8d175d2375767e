/* SPDX-License-Identifier: MIT */
/*
 * The test of a cycle: a program with a thread for each relaxation that goes to another thread and
 * a location for each that goes to another location, and the outcome in which the cycle holds.
 * Which models allow the outcome is decided by the checker of traces.
 */
#ifndef PROGRAM_CYCLE_CYCLE_TEST_H
#define PROGRAM_CYCLE_CYCLE_TEST_H

#include "program/cycle/cycle.h"
#include "program/litmus_writer.h"

enum { CYC_MOST_OPERATIONS = 2 * CYC_MOST };

typedef struct cyc_test {
    cyc_cycle cycle;
    col_program program;
    base_text name, relaxations;
    uint32_t source[CYC_MOST_OPERATIONS];   /* of a read: the write it reads from, or COL_INITIAL */
    uint32_t replaced[CYC_MOST_OPERATIONS]; /* of a write: the write before it at its location */
    uint32_t last[CYC_MOST];                /* by location: the last write; COL_INITIAL: none */
    bool says_last[CYC_MOST]; /* by location: of several writes, the outcome says the last */
    bool allowed[COL_MODEL_COUNT];
} cyc_test;

/* From the cycle, which must be in its form, all else but what is allowed. Begin with {0}; can be
 * used again for another cycle. */
col_status cyc_test_make(cyc_test *test, const cyc_cycle *cycle, col_problem *problem);
/* Which models allow the outcome. */
col_status cyc_test_judge(cyc_test *test, col_problem *problem);
void cyc_test_free(cyc_test *test);

/* "forbidden by sc; allowed by tso, pso, ..." */
/* As a program, with the outcome and the verdicts in comments; as a litmus test. */
void cyc_test_write_program(const cyc_test *test, base_text *text);
col_status cyc_test_write_litmus(const cyc_test *test, prg_isa isa, base_text *text,
                                 col_problem *problem);

#endif
