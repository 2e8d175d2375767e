/* SPDX-License-Identifier: MIT */
/*
 * The options of the built-in simulator, as text: "key=value,key=value". They leave mechanisms of
 * the cores out, and put one edit into a transition table: a design error to be found.
 */
#ifndef DUV_OPTIONS_H
#define DUV_OPTIONS_H

#include "sim/system.h"

enum { DUV_WORD = 64 };

typedef struct duv_options {
    /* A cell of a machine's table; `machine` is empty if none is edited. */
    char machine[DUV_WORD], state[DUV_WORD], event[DUV_WORD];
    char next[DUV_WORD]; /* where it leads instead; empty: as before */
    char drop[DUV_WORD]; /* an action that it leaves out; empty: none */
    bool says_without, says_monitors;
    uint32_t without; /* a set of mechanisms */
    bool monitors;
} duv_options;

/* `text` may be NULL: no options. */
col_status duv_options_read(duv_options *options, const char *text, col_error *error);

/* What is not about the table. */
void duv_options_wire(const duv_options *options, sim_wiring *wiring);

/* Edits the system's own copy of the table. `*actions` is memory that the system needs from then
 * on, to be freed after it; NULL if it needs none. */
col_status duv_options_edit(const duv_options *options, sim_system *system, uint16_t **actions,
                            col_error *error);

#endif
