/* SPDX-License-Identifier: MIT */
/*
 * The options of the built-in simulator, as text: "key=value,key=value". They leave mechanisms of
 * the cores out, turn the monitors on or off, and choose values for keys of the design file
 * (protocol/simulate/design_vary.h), whatever that says.
 */
#pragma once

#include "protocol/simulate/design_vary.h"
#include "protocol/simulate/system.h"

enum { DUV_CHOICES = 64, DUV_CHOICE_TEXT = 4096 };

typedef struct duv_options {
    bool says_without, says_monitors;
    uint32_t without; /* a set of mechanisms */
    bool monitors;
    sim_choice choices[DUV_CHOICES]; /* for keys of the design */
    size_t choice_count;
    char texts[DUV_CHOICE_TEXT]; /* their keys and values */
    size_t text_length;
} duv_options;

/* `text` may be NULL: no options. */
col_status duv_options_read(duv_options *options, const char *text, col_problem *problem);

/* Do the options inject an error, by leaving a mechanism of the cores out? Only those of the
 * built-in simulator can: what other designs take these letters for is their own affair. */
bool duv_options_inject(const char *design, const char *options);

void duv_options_wire(const duv_options *options, sim_wiring *wiring);
