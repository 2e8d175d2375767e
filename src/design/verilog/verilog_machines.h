/* SPDX-License-Identifier: MIT */
/*
 * State registers of a design, with the transitions that its source can take: from Verilator's XML.
 * A register is one whose values are constants, and which looks at itself.
 */
#pragma once

#include "design/verilog/verilog_file.h"
#include "design/verilog/verilog_wires.h"

typedef struct duv_machines {
    duv_state_signal *found; /* module, signal, type, states; next unless all may follow */
    uint32_t count;
    size_t capacity;
} duv_machines;

/* `reset` is what the reset's net is; while tests run it is not `reset_is_low`. Start from {0};
 * free also after an error. */
col_status duv_machines_find(duv_machines *machines, const xml_node *root, const duv_net *reset,
                             bool reset_is_low, col_problem *problem);
void duv_machines_free(duv_machines *machines);
