/* SPDX-License-Identifier: MIT */
/*
 * Mutations of a protocol's source: conditions of in_ports turned around or off by one, and counts
 * off by one. The code generator meets the places while it writes a protocol and knows the types
 * there; it notes each, and makes the one that is wanted. The order in which it writes is their
 * numbering.
 */
#ifndef SLICC_MUTATE_H
#define SLICC_MUTATE_H

#include "base/arena.h"
#include "base/text.h"

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

#endif
