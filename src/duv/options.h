/* SPDX-License-Identifier: MIT */
/*
 * The options of the built-in simulator, as text: "key=value,key=value". They leave mechanisms of
 * the cores out and turn the monitors on or off, whatever the design file says.
 */
#ifndef DUV_OPTIONS_H
#define DUV_OPTIONS_H

#include "sim/system.h"

typedef struct duv_options {
    bool says_without, says_monitors;
    uint32_t without; /* a set of mechanisms */
    bool monitors;
} duv_options;

/* `text` may be NULL: no options. */
col_status duv_options_read(duv_options *options, const char *text, col_problem *problem);

void duv_options_wire(const duv_options *options, sim_wiring *wiring);

#endif
