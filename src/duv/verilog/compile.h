/* SPDX-License-Identifier: MIT */
/* The C++ of a Verilog design, compiled by the machine's C++ compiler: $CXX, or c++. */
#ifndef DUV_VERILOG_COMPILE_H
#define DUV_VERILOG_COMPILE_H

#include "base/patience.h"
#include "base/text.h"

/* Everything that decides what it makes of a source: its version, and our flags. */
col_status duv_compiler_describe(base_text *description, col_problem *problem);

/* Compiles what Verilator left in FOLDER with the wrapper to FOLDER/design.so. `runtime` is the
 * folder with the sources of Verilator's runtime. `traces`: the model can write waveforms. */
col_status duv_verilog_compile(const char *folder, const char *runtime, const base_text *wrapper,
                               bool traces, base_patience *patience, col_problem *problem);

#endif
