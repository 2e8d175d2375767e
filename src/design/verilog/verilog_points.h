/* SPDX-License-Identifier: MIT */
/*
 * Coverage points that the RTL does not write down: the values of a state signal and the changes
 * between them, lines of the source, bits that toggle. The design file names modules and signals;
 * an XML file of Verilator's says what these are.
 */
#ifndef DESIGN_VERILOG_VERILOG_POINTS_H
#define DESIGN_VERILOG_VERILOG_POINTS_H

#include "base/text.h"
#include "design/verilog/verilog_file.h"

#include <stdbool.h>
#include <stddef.h>

enum { DUV_MOST_MACHINES = 32, DUV_MOST_STATES = 64 };

typedef struct duv_state {
    char name[DUV_NAME];
    uint64_t value;
    uint64_t next; /* the states that may follow: bit i for state i */
} duv_state;

/* A signal, or each element of an array, whose values are states. */
typedef struct duv_state_signal {
    duv_named module, signal;
    duv_named type; /* the enumeration with its values; empty: they are listed, or the signal's */
    duv_state states[DUV_MOST_STATES];
    uint32_t state_count;
    duv_words transitions;  /* the possible ones, as "FROM TO" */
    bool lists_transitions; /* otherwise all are */
    /* What the XML says of it: */
    char file[DUV_NAME]; /* where the signal is declared */
    uint32_t line;
    base_text paths; /* of the instances, without generate blocks, as C++ strings */
    uint32_t instances;
} duv_state_signal;

/* The patterns of modules in the file, and the modules that they match, as C++ strings. */
typedef struct duv_module_filter {
    duv_words patterns;
    base_text modules;
} duv_module_filter;

typedef struct duv_points {
    duv_state_signal signals[DUV_MOST_MACHINES];
    uint32_t signal_count;
    duv_module_filter lines, toggles;
    base_text configuration; /* for Verilator */
} duv_points;

/* Readers of the design file's keys `coverage` and `fsm`; the target is the file. */
col_status duv_read_coverage(base_yaml *yaml, const base_yaml_node *key,
                             const base_yaml_node *value, void *target);
col_status duv_read_fsms(base_yaml *yaml, const base_yaml_node *key, const base_yaml_node *value,
                         void *target);

/* Completes the points from the XML of the design. */
col_status duv_points_resolve(const duv_verilog_file *file, const char *xml, col_problem *problem);

/* What they are in C++: an object `observed`. */
void duv_points_print(const duv_points *points, base_text *source);

void duv_points_free(duv_points *points); /* may be NULL */

#endif
