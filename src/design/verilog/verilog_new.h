/* SPDX-License-Identifier: MIT */
/* A design file of kind verilog for RTL that has none yet, and what is wrong with one. */
#pragma once

#include "design/verilog/verilog_file.h"

typedef struct duv_new_request {
    const char *const *sources; /* files, patterns and lists */
    uint32_t count;
    const char *top, *path;                      /* the file that is to be written */
    const char *includes, *defines, *parameters; /* with commas between them; NULL: none */
} duv_new_request;

/* Elaborates the design, which starts Verilator. */
col_status duv_verilog_new(const duv_new_request *asked, base_text *text, col_problem *problem);

/* Reads the design file and elaborates the design; nothing is compiled. Bad input is in the notes;
 * free their lines. */
col_status duv_verilog_check(const char *path, duv_notes *notes, col_problem *problem);
