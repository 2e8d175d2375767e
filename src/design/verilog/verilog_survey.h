/* SPDX-License-Identifier: MIT */
/*
 * What an elaborated design is like: its clock and reset, the buses at its top module, found by
 * the names of signals, and its state registers. For `collider design new` and `design check`.
 */
#pragma once

#include "design/verilog/verilog_build.h"
#include "design/verilog/verilog_machines.h"

enum { DUV_MOST_SEEN = 64 };

/* A bus at the top module. */
typedef struct duv_seen_bus {
    duv_bus bus;
    bool is_memory_side;      /* the design takes requests; else it makes them */
    bool is_packed;           /* several ports by one signal */
    char prefix[DUV_PATTERN]; /* with # or ## where ports have numbers */
    uint32_t ports;
    uint32_t data_bits, address_bits; /* of a port */
    uint32_t signals;
} duv_seen_bus;

typedef struct duv_survey {
    base_text xml;
    base_arena nodes;
    const xml_node *root, *top;
    duv_signals *signals;
    duv_wiring wiring;
    char clock[DUV_NAME], reset[DUV_NAME]; /* empty: none was found */
    base_list clocks;                      /* all inputs that blocks wait for */
    uint32_t clock_uses, reset_uses;       /* blocks */
    bool reset_is_low;
    bool has_covers, has_ports; /* cover statements; request ports of Collider's own */
    duv_seen_bus buses[DUV_MOST_SEEN];
    uint32_t bus_count;
    duv_machines machines;
} duv_survey;

/* The sources, parameters and so on are those of the file. Start from {0}; free also after an
 * error. */
col_status duv_survey_read(duv_survey *survey, duv_verilog_file *file, col_problem *problem);
/* The same from XML that was read. */
col_status duv_survey_take(duv_survey *survey, col_problem *problem);
void duv_survey_free(duv_survey *survey);

/* The bus that the signal is part of; NULL: none. */
const duv_seen_bus *duv_survey_bus_of(const duv_survey *survey, const duv_signal *signal);
/* Instances of a module, by its name without parameters. */
uint32_t duv_survey_instances(const duv_survey *survey, const char *module);
/* Does the name have one of these words, separated by blanks, in it, whatever their case is? */
bool duv_has_word(const char *name, const char *words);
