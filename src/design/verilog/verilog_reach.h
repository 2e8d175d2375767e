/* SPDX-License-Identifier: MIT */
/*
 * What a register may become, given its value now, by abstract interpretation of the blocks that
 * assign it. Where the source is not understood, that is any value. The reset is off.
 */
#pragma once

#include "design/verilog/verilog_file.h"
#include "design/verilog/verilog_source.h"
#include "design/verilog/verilog_wires.h"

enum { DUV_MOST_KNOWN = 64 };

typedef struct duv_values {
    uint64_t all[DUV_MOST_STATES];
    uint32_t count;
    bool is_any;
} duv_values;

/* An assignment of a module to a variable, or to a part of it. */
typedef struct duv_assignment {
    xml_slice name;
    const xml_node *node, *process; /* the block that it is in; NULL: a function or the like */
    bool is_delayed, is_element, is_part, is_clocked, is_initial;
} duv_assignment;

typedef struct duv_reach {
    const xml_node *root, *module;
    const duv_net *reset;
    bool reset_is_low;
    duv_assignment *assignments; /* of the module, by name; those of initial blocks last */
    size_t count, capacity;
    uint32_t *widths; /* of types, by their numbers */
    uint32_t width_count;
    /* The register that is looked at: */
    const duv_assignment *own;
    uint32_t own_count;
    bool is_array, is_tested;
    duv_values now; /* empty: not known, and none of its own */
    /* Variables whose value is known for it: */
    struct duv_known {
        xml_slice name;
        duv_values values;
        bool is_busy;
    } known[DUV_MOST_KNOWN];
    uint32_t known_count, depth, fuel;
    duv_source source;

    col_problem *problem;
} duv_reach;

/* Start with root, reset and problem; the caller frees assignments and widths. */
col_status duv_reach_widths(duv_reach *s);
/* Takes up a module: its assignments. */
col_status duv_reach_module(duv_reach *s, const xml_node *module);
/* Those to a variable of it; NULL: there are none. */
const duv_assignment *duv_reach_assignments(const duv_reach *s, xml_slice name, uint32_t *count);
/* Bits of an expression or a variable; 0: not known. */
uint32_t duv_reach_width(const duv_reach *s, const xml_node *e);

/* All values that the register's assignments have. */
void duv_reach_values(duv_reach *s, duv_values *all);
/* What it may become from its value now. */
void duv_reach_next(duv_reach *s, duv_values *next);
bool duv_has_value(const duv_values *set, uint64_t value);
