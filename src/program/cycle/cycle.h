/* SPDX-License-Identifier: MIT */
/*
 * Cycles of relaxations, which is how diy makes litmus tests: each relaxation begins where the one
 * before it ends. An execution in which all of them hold is not sequentially consistent; a model
 * that keeps each of them in order forbids it.
 *
 * A cycle has one form, whichever relaxation one begins with: it starts a thread, W before WW, WR,
 * R, RR and RW. So threads come in the order that the field's names have.
 */
#ifndef PROGRAM_CYCLE_CYCLE_H
#define PROGRAM_CYCLE_CYCLE_H

#include "program/cycle/relaxation.h"

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

#endif
