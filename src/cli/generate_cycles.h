/* SPDX-License-Identifier: MIT */
/* What `collider generate --engine litmus` does. */
#ifndef CLI_GENERATE_CYCLES_H
#define CLI_GENERATE_CYCLES_H

#include "cycle/test.h"

typedef struct cli_cycles {
    const char *cycle;       /* the one cycle; NULL: all of up to this many relaxations */
    const char *relaxations; /* a list; NULL: those of the model */
    uint32_t up_to;
    col_model model;
    bool is_litmus; /* litmus tests; else programs */
    prg_isa isa;    /* of litmus tests; PRG_ISA_COUNT: all */
    const char *folder, *json_file;
    bool stats, quiet;
} cli_cycles;

/* Returns the exit status. */
int cli_generate_cycles(const cli_cycles *cycles, col_problem *problem);

#endif
