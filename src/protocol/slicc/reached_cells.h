/* SPDX-License-Identifier: MIT */
/*
 * The cells of a protocol's tables that are known to be reachable, kept beside it: NAME.reached for
 * NAME.slicc, a line `MACHINE STATE EVENT` for each. Found by search and simulation; without the
 * file nothing is known.
 */
#ifndef PROTOCOL_SLICC_REACHED_CELLS_H
#define PROTOCOL_SLICC_REACHED_CELLS_H

#include "protocol/slicc/slicc_report.h"

typedef struct slicc_reached_cell {
    const char *machine, *state, *event;
    slicc_place place;
    bool exists;
} slicc_reached_cell;

typedef struct slicc_reached {
    base_arena arena;
    base_text text; /* of the file */
    slicc_reached_cell *cells;
    size_t count;
} slicc_reached;

/* Start from {0}. What is wrong with a line goes into the report; no problem if there is not a
 * file.
 */
col_status slicc_reached_read(slicc_reached *reached, const char *file, slicc_report *report,
                              col_problem *problem);
/* The same for the file beside a protocol. */
col_status slicc_reached_read_beside(slicc_reached *reached, const char *protocol,
                                     slicc_report *report, col_problem *problem);
bool slicc_reached_has(slicc_reached *reached, const char *machine, const char *state,
                       const char *event);
/* About cells that slicc_reached_has was never asked for: the protocol does not define them. */
void slicc_reached_complain(const slicc_reached *reached, slicc_report *report);
void slicc_reached_free(slicc_reached *reached);

#endif
