/* SPDX-License-Identifier: MIT */
/*
 * Cycles of relaxations, which is how diy makes litmus tests: each relaxation begins where the one
 * before it ends. An execution in which all of them hold is not sequentially consistent; a model
 * that keeps each of them in order forbids it.
 *
 * A relaxation has the name that diy gives it: PodWR is a write and then a read of another location
 * in program order, Rfe a write that a read of another thread reads from. A model may let the
 * memory relax, or ignore, such a step. docs/cycles.md has the names.
 */
#pragma once

#include "program/litmus_writer.h"

/* ---- Relaxations (relaxation.c). */

typedef enum cyc_kind {
    CYC_DEPENDENT, /* the first three stay in their thread; names have them in this order */
    CYC_FENCED,
    CYC_PROGRAM_ORDER,
    CYC_READS_FROM, /* the others stay at their location */
    CYC_FROM_READ,
    CYC_COHERENCE
} cyc_kind;

/* What a relaxation says about an access at one of its ends. */
typedef enum cyc_annotation {
    CYC_NOT_SAID, /* its neighbour decides */
    CYC_PLAIN,
    CYC_ORDERED /* a read is an acquire, a write a release */
} cyc_annotation;

enum { CYC_SOURCE, CYC_TARGET };

/* Bytes alone, so that relaxations can be compared. */
typedef struct cyc_relaxation {
    uint8_t kind;
    uint8_t is_external; /* the target is in another thread */
    uint8_t moves;       /* the target is at another location */
    uint8_t writes[2];   /* source, target: it is a write; else a read */
    uint8_t fence;       /* its ordered pairs; of others: 0 */
    uint8_t dependency;  /* col_dependency */
    uint8_t annotations[2];
} cyc_relaxation;

bool cyc_is_communication(const cyc_relaxation *relaxation);

/* A list of names, separated by blanks or commas. An asterisk stands for a read and for a write:
 * Pod** names four relaxations. The array is the caller's to free. */
col_status cyc_relaxations_read(const char *text, cyc_relaxation **relaxations, uint32_t *count,
                                col_problem *problem);

/* The relaxations that tell a model from others, as such a list. */
extern const char *const cyc_model_relaxations[COL_MODEL_COUNT];

/* Its name, as diy writes it; and the word that names of tests have for it: "po", "addr", "rfi". */
void cyc_relaxation_write(const cyc_relaxation *relaxation, base_text *text);
void cyc_relaxation_write_short(const cyc_relaxation *relaxation, base_text *text);

/*
 * ---- Cycles. A cycle has one form, whichever relaxation one begins with: it starts a thread, W
 * before WW, WR, R, RR and RW. So threads come in the order that the field's names have.
 */

enum { CYC_MOST = 16 }; /* relaxations of a cycle */

typedef struct cyc_cycle {
    uint32_t count;
    cyc_relaxation edges[CYC_MOST];
} cyc_cycle;

/* Joins the annotations where relaxations meet, checks that they are a cycle, and brings it into
 * its form. */
col_status cyc_cycle_make(cyc_cycle *cycle, col_problem *problem);
/* The same of names, "PodWR Fre PodWR Fre". */
col_status cyc_cycle_read(cyc_cycle *cycle, const char *text, col_problem *problem);

/* No shorter cycle says the same: no two steps in a row are one together, and a thread comes back
 * to a location only in cycles of one location. */
bool cyc_cycle_is_critical(const cyc_cycle *cycle);

/* By length, then by the form. 0: they are the same test. */
int cyc_cycle_compare(const cyc_cycle *a, const cyc_cycle *b);

void cyc_cycle_write(const cyc_cycle *cycle, base_text *text);
/* SB, MP+fence+addr, ...: the field's name if there is one, else the accesses of each thread,
 * "W+RW+WW+RR"; then what is within the threads, unless it is plain program order. */
void cyc_cycle_write_name(const cyc_cycle *cycle, base_text *text);

/* ---- All cycles. */

typedef struct cyc_list {
    cyc_cycle *cycles;
    uint32_t count;
    size_t capacity;
} cyc_list;

/* All critical cycles of up to this many relaxations, each once, the shortest first. */
col_status cyc_list_make(cyc_list *list, const cyc_relaxation *relaxations, uint32_t count,
                         uint32_t up_to, col_problem *problem);
void cyc_list_free(cyc_list *list);

/*
 * ---- The test of a cycle: a program with a thread for each relaxation that goes to
 * another thread and a location for each that goes to another location, and the outcome in which
 * the cycle holds. Which models allow the outcome is decided by the checker of traces.
 */

enum { CYC_MOST_OPERATIONS = 2 * CYC_MOST };

typedef struct cyc_test {
    cyc_cycle cycle;
    col_program program;
    base_text name, relaxations;
    uint32_t source[CYC_MOST_OPERATIONS]; /* of a read: the write it reads from, or COL_INITIAL */
    uint32_t last[CYC_MOST];              /* by location: the last write; COL_INITIAL: none */
    bool says_last[CYC_MOST]; /* by location: of several writes, the outcome says the last */
    bool allowed[COL_MODEL_COUNT];
} cyc_test;

/* From the cycle, which must be in its form, all else but what is allowed. Begin with {0}; can be
 * used again for another cycle. */
col_status cyc_test_make(cyc_test *test, const cyc_cycle *cycle, col_problem *problem);
/* Which models allow the outcome. */
col_status cyc_test_judge(cyc_test *test, col_problem *problem);
void cyc_test_free(cyc_test *test);

/* As a program, with the outcome and the verdicts in comments ("forbidden by sc; allowed by tso,
 * pso, ..."); as a litmus test. */
void cyc_test_write_program(const cyc_test *test, base_text *text);
col_status cyc_test_write_litmus(const cyc_test *test, prg_isa isa, base_text *text,
                                 col_problem *problem);
