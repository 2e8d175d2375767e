/* SPDX-License-Identifier: MIT */
/*
 * From a design file of kind verilog to a shared object in the cache: Verilator makes C++ of the
 * sources, the machine's compiler makes code of that. Both run only if something has changed that
 * they looked at.
 */
#ifndef DUV_VERILOG_BUILD_H
#define DUV_VERILOG_BUILD_H

#include "duv/verilog/file.h"

/* A descriptor of the shared object; `path` is where the cache has it. `file` is completed. */
col_status duv_verilog_build(duv_verilog_file *file, char path[PATH_MAX], int *object,
                             col_problem *problem);

/* The sources with all patterns resolved, in the order of the file; free the words. A pattern that
 * nothing matches is refused. */
col_status duv_verilog_sources(const duv_verilog_file *file, duv_words *paths,
                               col_problem *problem);

#endif
