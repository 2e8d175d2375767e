/* SPDX-License-Identifier: MIT */
/* Wires that lead a signal of the top module through the design, and what looks at them: where the
 * clock and the reset are. */
#pragma once

#include "design/verilog/verilog_xml.h"

/* A variable of a module that always has the signal's value, or its inverse. */
typedef struct duv_wire {
    const xml_node *module;
    xml_slice name;
    bool is_inverted;
} duv_wire;

/* Assignments of one variable to another, and ports that have one: found once for a design. */
typedef struct duv_wiring {
    struct duv_link *links;
    size_t count, capacity;
    const xml_node *root, *top;
    struct duv_use *uses; /* of variables by blocks with a clock */
    size_t use_count, use_capacity;
} duv_wiring;

/* Everything that has the value of one signal. */
typedef struct duv_net {
    duv_wire *wires; /* the signal itself first */
    size_t count, capacity;
} duv_net;

/* Start from {0}; free also after an error. */
col_status duv_wiring_find(duv_wiring *wiring, const xml_node *root, col_problem *problem);
void duv_wiring_free(duv_wiring *wiring);

/* The same. */
col_status duv_net_follow(duv_net *net, const duv_wiring *wiring, const char *signal,
                          col_problem *problem);
void duv_net_free(duv_net *net);
const duv_wire *duv_net_find(const duv_net *net, const xml_node *module, xml_slice name);

/* How often blocks wait for its edges, and how often they test it. */
typedef struct duv_net_use {
    uint32_t rising, falling, tested, tested_inverted;
} duv_net_use;
duv_net_use duv_net_count(const duv_net *net, const duv_wiring *wiring);
