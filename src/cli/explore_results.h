/* SPDX-License-Identifier: MIT */
/* What is asked of collider explore, and what it found, as text and as JSON. */
#pragma once

#include "protocol/explore/search.h"
#include "protocol/simulate/design_error.h"
#include "protocol/simulate/simulated_design.h"

#include <jansson.h>

enum { CLI_EXPLORE_EDITED = 4 * SIM_ERROR_EDITS };

typedef struct cli_explore_request {
    exp_exploration_settings search;
    uint32_t cores, tbes;                /* 0: the design's */
    const char *error;                   /* NULL: none */
    exp_cell edited[CLI_EXPLORE_EDITED]; /* cells that it changes */
    uint32_t edited_count;
    const char *operations; /* as they are given; NULL: all */
    bool is_plain, keeps_ways, emits_all;
    exp_cell goal; /* if the search has one */
    double seconds;
    uint64_t seed, caches[3];
} cli_explore_request;

col_status cli_explore_print(const sim_design *design, const sim_system *system,
                             const cli_explore_request *request, const exp_exploration *found,
                             col_problem *problem);
/* NULL: no memory. */
json_t *cli_explore_json(const sim_design *design, const sim_system *system,
                         const cli_explore_request *request, const exp_exploration *found);

/* Searches of collider explore that are saved and resumed. */

enum { CLI_IDENTITY_BYTES = 1024 };

/* What a saved search is of: the design, and the options that change what is searched. */
col_status cli_explore_identify(const char *what, const sim_design *design,
                                const cli_explore_request *request,
                                char identity[CLI_IDENTITY_BYTES], col_problem *problem);

/* Where states wait that do not fit into memory: beside the file of --save, else where temporary
 * files go. */
const char *cli_explore_folder(const char *save, char folder[PATH_MAX]);

/* What collider explore says of single transitions: how they are reached, and tests that take them.
 */

/* "L1Cache IS_I Data_Exclusive" */
col_status cli_witness_parse(const sl_protocol *protocol, const char *text, exp_cell *cell,
                             col_problem *problem);

/* Every transition with its verdict, and with a path if it is reachable. */
col_status cli_witness_write(const sim_system *system, uint32_t blocks,
                             const exp_exploration *found, const char *file, col_problem *problem);

/* Prints how the transition is reached; writes a test for it unless `file` is NULL, or `stop` ends
 * the search for one. */
col_status cli_witness_reach(const sim_system *system, const exp_exploration *found,
                             const cli_explore_request *request, const char *file,
                             const volatile int *stop, col_problem *problem);

/* Writes a test for every transition that has no test in the folder and that one can be found for,
 * and says how often it takes it. */
col_status cli_witness_emit_all(const sim_system *system, const exp_exploration *found,
                                const cli_explore_request *request, const char *folder, FILE *out,
                                const volatile int *stop, col_problem *problem);
