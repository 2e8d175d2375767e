/* SPDX-License-Identifier: MIT */
/*
 * From a design file of kind verilog to a shared object in the cache: Verilator makes C++ of the
 * sources, the machine's compiler makes code of that. Both run only if something has changed that
 * they looked at.
 */
#ifndef DESIGN_VERILOG_VERILOG_BUILD_H
#define DESIGN_VERILOG_VERILOG_BUILD_H

#include "base/clock.h"
#include "design/verilog/verilog_file.h"

/* A descriptor of the shared object; `path` is where the cache has it. `file` is completed. */
col_status duv_verilog_build(duv_verilog_file *file, char path[PATH_MAX], int *object,
                             col_problem *problem);

/* The sources with all patterns resolved, in the order of the file; free the words. A pattern that
 * nothing matches is refused. */
col_status duv_verilog_sources(const duv_verilog_file *file, duv_words *paths,
                               col_problem *problem);

/* ---- The C++ of a design, compiled by the machine's C++ compiler: $CXX, or c++. */

/* Everything that decides what it makes of a source: its version, and our flags. */
col_status duv_compiler_describe(base_text *description, col_problem *problem);

/* Compiles what Verilator left in FOLDER with the wrapper to FOLDER/design.so. `runtime` is the
 * folder with the sources of Verilator's runtime. `traces`: the model can write waveforms. */
col_status duv_verilog_compile(const char *folder, const char *runtime, const base_text *wrapper,
                               bool traces, base_patience *patience, col_problem *problem);

#endif
