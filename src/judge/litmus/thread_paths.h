/* SPDX-License-Identifier: MIT */
/*
 * What a thread may do: its paths, each a list of events with values that depend on what its reads
 * return, and on conditions over these. A thread has more than one if it
 * branches on what it reads, if a store-conditional may fail, or if an address is read. Loops are
 * unrolled.
 */
#pragma once

#include "judge/cat/execution_graph.h"
#include "judge/litmus/litmus_reader.h"

/*
 * Values of an execution before it is known what its reads return: expressions over the reads.
 * Operands come before what is made of them, so one sweep in order computes what can be computed.
 */

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

uint64_t lit_compute_known(lit_operator operator_, uint64_t a, uint64_t b);

/* ---- Paths. */

enum {
    LIT_UNROLL = 2, /* a jump backwards to one place is taken this many times, as by herd7 */
    LIT_MOST_PATHS = 4096,
    LIT_MOST_MEMORY_EVENTS = 64 /* of a path */
};

typedef struct lit_event {
    uint8_t kind;     /* cat_event_kind; an atomic that is one event is a CAT_WRITE that reads */
    bool reads;       /* memory */
    bool is_selected; /* of a branch: no jump */
    uint8_t sets[LIT_STEP_SETS];
    uint32_t instance;
    uint32_t place;                                 /* of lit_test.parts, or a register */
    uint32_t access;                                /* not 0: those of one access have one number */
    uint32_t first_part, part_count;                /* of its whole access */
    uint32_t memory;                                /* its number among the events of memory */
    lit_value value;                                /* of a write */
    lit_value found;                                /* of what reads */
    uint64_t address_from, data_from, control_from; /* sets of events of memory, by `memory` */
} lit_event;

/* Inside an instruction, and from writes of registers to reads of them. */
typedef struct lit_edge {
    uint32_t from, to; /* events */
    cat_relation relation;
} lit_edge;

/* The path is one only where the value is 0 (is_zero) or is not. */
typedef struct lit_demand {
    lit_value value;
    bool is_zero;
} lit_demand;

typedef struct lit_path {
    lit_nodes nodes;
    lit_event *events;
    lit_edge *edges;
    lit_demand *demands;
    size_t event_count, edge_count, demand_count;
    size_t event_capacity, edge_capacity, demand_capacity;
    uint32_t memory_count;
    lit_value registers[LIT_REGISTERS]; /* at the end */
    bool has_failed;                    /* a store-conditional */
} lit_path;

typedef struct lit_paths {
    lit_path *paths;
    size_t count, capacity;
    bool is_cut;      /* a loop would have gone on */
    bool is_cut_well; /* one in which no store-conditional failed */
} lit_paths;

typedef struct lit_path_settings {
    bool with_registers; /* events of registers and branches, for models that ask for them */
    bool splits_atomics; /* an atomic that is one event for RISC-V is a read and a write */
} lit_path_settings;

/* Start from {0}. Cells without a size get one. */
col_status lit_paths_make(lit_paths *paths, lit_test *test, uint32_t thread,
                          lit_path_settings settings, col_problem *problem);
void lit_paths_free(lit_paths *paths);
/* Leaves out the paths in which a store-conditional failed, if there are others. */
void lit_paths_drop_failed(lit_paths *paths);
