/* SPDX-License-Identifier: MIT */
/*
 * Relaxations, by the names that diy gives them: PodWR is a write and then a read of another
 * location in program order, Rfe a write that a read of another thread reads from. A model may let
 * the memory relax, or ignore, such a step. docs/cycles.md has the names.
 */
#ifndef PROGRAM_CYCLE_RELAXATION_H
#define PROGRAM_CYCLE_RELAXATION_H

#include "base/text.h"
#include "collider/model.h"
#include "collider/program.h"

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

#endif
