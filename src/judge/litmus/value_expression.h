/* SPDX-License-Identifier: MIT */
/*
 * Values of an execution before it is known what its reads return: expressions over the reads.
 * Operands come before what is made of them, so one sweep in order computes what can be computed.
 */
#ifndef JUDGE_LITMUS_VALUE_EXPRESSION_H
#define JUDGE_LITMUS_VALUE_EXPRESSION_H

#include "judge/litmus/litmus_reader.h"

enum { LIT_MOST_NODES = 1 << 16 };

typedef uint32_t lit_value; /* a node */

typedef enum lit_node_kind { LIT_KNOWN, LIT_FROM_READ, LIT_COMPUTED } lit_node_kind;

typedef struct lit_node {
    uint8_t kind; /* lit_node_kind */
    uint8_t operator_;
    uint8_t bits;      /* no more of them are set */
    lit_value a, b;    /* of a computation */
    uint64_t constant; /* of what is known */
    uint32_t event;    /* of a read */
} lit_node;

typedef struct lit_nodes {
    lit_node *nodes;
    size_t count, capacity;
    col_status status; /* the first failure is kept */
    col_problem *problem;
} lit_nodes;

lit_value lit_value_known(lit_nodes *nodes, uint64_t constant);
lit_value lit_value_read(lit_nodes *nodes, uint32_t event, uint32_t bits);
/* What is known is computed, and so is what follows whatever the reads return, such as a xor a. */
lit_value lit_value_compute(lit_nodes *nodes, lit_operator operator_, lit_value a, lit_value b);

uint64_t lit_compute_known(lit_operator operator_, uint64_t a, uint64_t b);

#endif
