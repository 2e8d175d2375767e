/* SPDX-License-Identifier: MIT */
/*
 * The transition tables of protocols with what all trials did to their cells. Designs of one name
 * and number of cores share a table, whatever error was put in: a cell is its machine, state and
 * event, not its number.
 */
#ifndef RESULTS_REPORT_PROTOCOL_TABLE_H
#define RESULTS_REPORT_PROTOCOL_TABLE_H

#include "base/names.h"
#include "results/report/report.h"

typedef struct rep_machine_table rep_machine_table; /* one under way */
typedef struct rep_design_map rep_design_map;

typedef struct rep_protocols {
    base_arena *arena;
    base_names machines, designs; /* by design, cores and machine; by hash */
    rep_machine_table *tables;
    rep_design_map *maps;
    size_t table_count, table_capacity, map_capacity;
    const char *const *excluded; /* of each point of the only trial: why; NULL: none is */
} rep_protocols;

col_status rep_protocols_add_design(rep_protocols *protocols, const cam_design_row *design,
                                    col_problem *problem);
/* The hits of a trial; nothing if it has none, or its design is not there. */
col_status rep_protocols_add(rep_protocols *protocols, const cam_row *row, col_problem *problem);
/* Fills in the report's protocols. */
col_status rep_protocols_finish(rep_protocols *protocols, rep_report *report, col_problem *problem);
void rep_protocols_free(rep_protocols *protocols);

#endif
