/* SPDX-License-Identifier: MIT */
/* What `collider generate` made: collected program by program, printed, written as JSON. */
#pragma once

#include "cli/command_line.h"
#include "program/cycle/cycle.h"
#include "program/generate/program_summary.h"

#include <jansson.h>

typedef struct cli_generate_results {
    const char *engine;
    const col_generation *generation;
    uint64_t seed;
    gen_statistics statistics;
    base_text pattern;                 /* of the first program */
    uint32_t pressure[COL_MAX_LEVELS]; /* the most of all programs */
    json_t *programs;                  /* one entry each; NULL: no JSON is wanted */
} cli_generate_results;

/* `path` is where the program went; NULL: nowhere. */
col_status cli_generate_results_add(cli_generate_results *results, const col_program *program,
                                    const col_generated *generated, const char *path,
                                    col_problem *problem);
void cli_generate_results_print(const cli_generate_results *results);
col_status cli_generate_results_write(const cli_generate_results *results, const char *file,
                                      col_problem *problem);
void cli_generate_results_free(cli_generate_results *results);

/* Refuses a folder of --out, unless it is NULL, that cannot be one, or not be said in JSON. */
col_status cli_generate_check_folder(const cli_arguments *arguments, const char *folder,
                                     col_problem *problem);

/* What `collider generate --engine litmus` does. */

typedef struct cli_cycles {
    const char *cycle;       /* the one cycle; NULL: all of up to this many relaxations */
    const char *relaxations; /* a list; NULL: those of the model */
    uint32_t up_to;
    col_model model;
    bool is_litmus; /* litmus tests; else programs */
    prg_isa isa;    /* of litmus tests; PRG_ISA_COUNT: all */
    const cli_arguments *arguments;
    const char *folder; /* NULL: none was named */
    bool stats;
} cli_cycles;

/* Returns the exit status. */
int cli_generate_cycles(const cli_cycles *cycles, col_problem *problem);
