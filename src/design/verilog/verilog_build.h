/* SPDX-License-Identifier: MIT */
/*
 * From a design file of kind verilog to a shared object in the cache: Verilator makes C++ of the
 * sources, the machine's compiler makes code of that. Both run only if something has changed that
 * they looked at.
 */
#pragma once

#include "base/clock.h"
#include "design/verilog/verilog_file.h"
#include "design/verilog/verilog_xml.h"

/* A descriptor of the shared object; `path` is where the cache has it. `file` is completed. */
col_status duv_verilog_build(duv_verilog_file *file, char path[PATH_MAX], int *object,
                             col_problem *problem);

/* Verilator's XML of the design, elaborated; nothing is compiled. */
col_status duv_verilog_describe(duv_verilog_file *file, base_text *xml, col_problem *problem);

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

/* ---- The C++ between a model of Verilator's and us: which signals the top module has, whether
 * they are those of the design file, and a source that names them (collider/verilator.hpp does the
 * rest). Only names and numbers that were checked get into it. */

enum { DUV_MOST_SIGNALS = 1024 };

typedef struct duv_signal {
    char name[DUV_NAME]; /* as C++ has it */
    bool is_input;
    uint32_t bits;                   /* 0: it is an array, or nothing that we know */
    uint32_t elements, element_bits; /* of an array */
} duv_signal;

typedef struct duv_signals {
    duv_signal all[DUV_MOST_SIGNALS];
    uint32_t count;
} duv_signals;

/* From the text of the model's header. */
void duv_signals_read(duv_signals *signals, const char *header);
/* From the top module in Verilator's XML. */
void duv_signals_describe(duv_signals *signals, const xml_node *root, const xml_node *top);

/* By its name in Verilog; NULL: there is none. */
const duv_signal *duv_signals_find(const duv_signals *signals, const char *name);
/* What Verilog calls it. */
void duv_signal_name(const duv_signal *signal, char name[DUV_NAME]);
/* The signal of a bus whose names begin with the prefix, whatever their case is: by our name, or
 * another that designs use, with underscores and the words of generators in it, i_ or o_ before it,
 * or _i or _o behind it. NULL: there is none. */
const duv_signal *duv_bus_find(const duv_signals *signals, const char *prefix,
                               const duv_bus_signal *signal, bool is_input);
bool duv_bus_names(const char *name, bool is_input, const char *prefix,
                   const duv_bus_signal *signal);
/* The sentence for one that there is not. */
col_status duv_signals_refuse(const duv_verilog_file *file, const duv_signals *signals,
                              const char *name, bool is_input, base_place place,
                              col_problem *problem);
/* The bits of one that is no array. */
col_status duv_signals_take(const duv_verilog_file *file, const duv_signals *signals,
                            const duv_named *named, bool is_input, uint32_t *bits,
                            col_problem *problem);

/* Finds the signals of the file among these, and what the file leaves to them. */
col_status duv_verilog_connect_inputs(duv_verilog_file *file, const duv_signals *signals,
                                      col_problem *problem);
/* All, those of ports or buses too. */
col_status duv_verilog_connect(duv_verilog_file *file, const duv_signals *signals,
                               col_problem *problem);

/* For ports that speak a bus: the top module in SystemVerilog that has an adapter for each. The
 * file is changed to be about that one. `signals` are those of the user's. */
col_status duv_adapter_top(duv_verilog_file *file, const duv_signals *signals, base_text *source,
                           col_problem *problem);

/* Says what the file has of DUV_RUN_TIME to a compiled design, before it is opened. False: it is no
 * such design. */
bool duv_verilog_configure(const duv_verilog_file *file, void *code);

/* The source, for a file that is connected. */
void duv_verilog_wrap(const duv_verilog_file *file, const char *state, base_text *source);

/* The part of it that names all of the model's state, by Verilator's headers; empty: something in
 * it cannot be copied. */
col_status duv_verilog_state(const char *folder, base_text *source, col_problem *problem);

/* For chips, which have buses in place of ports. */

/* A function that returns the signal; name NULL: there is none. */
void duv_print_accessor(base_text *source, const char *word, const char *name);

col_status duv_chip_connect(duv_verilog_file *file, const duv_signals *signals,
                            col_problem *problem);
/* Of the structure `design`: what watches harts; then the buses, and what is made of them. */
void duv_chip_wrap_taps(const duv_verilog_file *file, base_text *source);
void duv_chip_wrap_buses(const duv_verilog_file *file, base_text *source);
/* Taps and buses, as lines of the text `collider_waves` (gtkwave.c). */
void duv_chip_print_waves(const duv_verilog_file *file, base_text *source);
