/* SPDX-License-Identifier: MIT */
/* From a protocol's files to one C file. */
#pragma once

#include "base/lines.h"
#include "protocol/slicc/slicc_report.h"

/*
 * Mutations of a protocol's source: conditions of in_ports turned around or off by one, and counts
 * off by one. The code generator meets the places while it writes a protocol and knows the types
 * there; it notes each, and makes the one that is wanted. The order in which it writes is their
 * numbering.
 */

typedef enum slicc_mutation_kind {
    SLICC_MUTATED_CONDITION, /* of an in_port, or of a function that chooses an event */
    SLICC_MUTATED_COUNT,     /* an int that is assigned */
} slicc_mutation_kind;

typedef struct slicc_mutation {
    slicc_mutation_kind kind;
    const char *machine;
    const char *within, *name; /* "action", "in_port" or "function", and which */
    const char *file;
    uint32_t line, column;
    const char *before, *after; /* in SLICC */
} slicc_mutation;

typedef struct slicc_mutations {
    uint32_t wanted; /* from 1; 0: none is made */
    slicc_mutation *list;
    size_t count, capacity;
    base_arena arena; /* of the texts */
    bool failed;      /* out of memory */
} slicc_mutations;

void slicc_mutations_free(slicc_mutations *mutations);

struct emitter;
struct slicc_expression;

/* A place that can be mutated, for the code generator: `[target :=] value` becomes the value with
 * the texts around it. Returns whether this one is wanted. */
bool slicc_mutate(struct emitter *e, slicc_mutation_kind kind,
                  const struct slicc_expression *target, const struct slicc_expression *value,
                  const char *front, const char *back);

/* 0; 1 or -1 if a mutation of this value, which is then noted as two, is wanted. */
int slicc_mutate_count(struct emitter *e, slicc_mutation_kind kind,
                       const struct slicc_expression *target, const struct slicc_expression *value);

/*
 * The cells of a protocol's tables that are known to be reachable, kept beside it: NAME.reached for
 * NAME.slicc, a line `MACHINE STATE EVENT` for each. Found by search and simulation; without the
 * file nothing is known.
 */

typedef struct slicc_reached_cell {
    base_word names[3]; /* machine, state, event */
    slicc_place place;
    bool exists;
} slicc_reached_cell;

typedef struct slicc_reached {
    base_text path, text; /* of the file */
    slicc_reached_cell *cells;
    size_t count, capacity;
} slicc_reached;

/* Start from {0}; the name of the file must last. What is wrong with a line goes into the report;
 * no problem if there is not a file. */
col_status slicc_reached_read(slicc_reached *reached, const char *file, slicc_report *report,
                              col_problem *problem);
bool slicc_reached_has(slicc_reached *reached, const char *machine, const char *state,
                       const char *event);
/* About cells that slicc_reached_has was never asked for: the protocol does not define them. */
void slicc_reached_complain(const slicc_reached *reached, slicc_report *report);
void slicc_reached_free(slicc_reached *reached);

enum { SLICC_MOST_NAME = 64 };

/* Reads a .slicc list or a .sm file and writes the protocol as C. COL_BAD_INPUT: the first mistake
 * is in `problem`, all of them, for a person to read, in `complaints`. `name` is what the protocol
 * calls itself, or its file's name. Notes all mutations that the source has room for, and makes the
 * one that is wanted; NULL: nobody asks. */
col_status slicc_translate(const char *path, slicc_mutations *mutations, base_text *c,
                           char name[SLICC_MOST_NAME], base_text *complaints, col_problem *problem);

/* For editors: reads and checks all of a protocol and keeps the tree, which starts from {0} but for
 * its overlay. COL_OK also if there are complaints; they are in the report. A part without machines
 * is only parsed. */
col_status slicc_analyse(slicc_tree *tree, slicc_report *report, const char *path,
                         col_problem *problem);
