/* SPDX-License-Identifier: MIT */
/* A design for people to read: counts, hierarchy and transition tables, as text, Markdown, one
 * self-contained HTML page, or a graph for dot. */
#pragma once

#include "base/text.h"
#include "protocol/simulate/simulated_design.h"

typedef struct sim_counts {
    uint32_t states, events, actions;
    uint32_t transitions; /* cells of the table that are defined */
    uint32_t stalls;      /* of these, the ones that leave the message where it is */
    uint32_t reached;     /* of these, the ones known to be reachable; 0: nothing is known */
} sim_counts;

sim_counts sim_count(const sl_machine *machine);

/* The cell of a machine's table; NULL: not defined. */
const sl_cell *sim_cell(const sl_machine *machine, uint32_t state, uint32_t event);

/* Where a transition leads: a state, or "*" when the protocol works it out. */
const char *sim_next_name(const sl_machine *machine, const sl_cell *cell);

/* "tso", or "none". */
const char *sim_model_name(const sim_wiring *wiring);

/* One machine, or all. */
#define SIM_ALL_MACHINES UINT32_MAX

static inline bool sim_is_shown(uint32_t wanted, uint32_t machine) {
    return wanted == SIM_ALL_MACHINES || wanted == machine;
}

typedef void sim_show(const sim_design *design, uint32_t machine, base_text *text);
sim_show sim_show_text, sim_show_markdown, sim_show_html, sim_show_dot;
