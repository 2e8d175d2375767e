/* SPDX-License-Identifier: MIT */
/* What is asked of collider explore, and what it found, as text and as JSON. */
#ifndef CLI_EXPLORE_RESULTS_H
#define CLI_EXPLORE_RESULTS_H

#include "explore/explore.h"
#include "sim/design.h"
#include "sim/design_error.h"

#include <jansson.h>

typedef struct cli_explore_request {
    uint64_t cores, tbes; /* 0: the design's */
    uint64_t slots;       /* 0: no limit */
    uint64_t states;      /* 0: no limit */
    uint64_t blocks, outstanding, memory, jobs, seed;
    const char *error;                /* NULL: none */
    exp_cell edited[SIM_ERROR_EDITS]; /* cells that it changes */
    uint32_t edited_count;
    uint32_t accesses;      /* kinds, as bits; 0: all */
    const char *operations; /* as they are given; NULL: all */
    bool is_exact, is_plain, takes_any, keeps_ways, wants_witnesses, draws, finds_livelocks;
    bool has_goal, emits_all;
    exp_cell goal;
    double seconds, save_every;
    uint64_t caches[3];
} cli_explore_request;

col_status cli_explore_print(const sim_design *design, const sim_system *system,
                             const cli_explore_request *request, const exp_exploration *found,
                             col_problem *problem);
/* NULL: no memory. */
json_t *cli_explore_json(const sim_design *design, const sim_system *system,
                         const cli_explore_request *request, const exp_exploration *found);

#endif
