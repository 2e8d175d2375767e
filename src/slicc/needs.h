/* SPDX-License-Identifier: MIT */
/*
 * What a cell of a transition table needs that not every test brings: a kind of request of a core,
 * or that a cache of some machine runs out of room. Found by following, without it, what can happen
 * at all: events that in_ports can trigger, states that transitions lead to, kinds of messages that
 * actions name. What is not understood can happen, so that a cell that needs something never occurs
 * without it. docs/coverage.md has the rules.
 */
#ifndef SLICC_NEEDS_H
#define SLICC_NEEDS_H

#include "slicc/ast.h"
#include "slicc/report.h"

enum { SLICC_MOST_REPLACERS = 16 }; /* machines whose replacements have a bit */

typedef struct slicc_needs {
    base_arena arena;
    const slicc_declaration **machines; /* all of the tree, in its order */
    uint32_t **cells;                   /* of each: state * events + event, a set of SL_NEEDS_... */
    uint32_t count;
} slicc_needs;

/* Start from {0}; free also when out of memory, which the report remembers. */
void slicc_needs_find(slicc_needs *needs, const slicc_tree *tree, slicc_report *report);
/* Of a machine; NULL: nothing is known. */
const uint32_t *slicc_needs_of(const slicc_needs *needs, const slicc_declaration *machine);
void slicc_needs_free(slicc_needs *needs);

#endif
