/* SPDX-License-Identifier: MIT */
/*
 * Verilog designs whose ports speak a bus: AXI4, TileLink or Wishbone. A top module of our own
 * (bus_top.c) instantiates the user's, and for each port an adapter of rtl/adapters
 * between the bus and the request port of docs/rtl-port.md.
 */
#ifndef DESIGN_VERILOG_BUS_ADAPTER_H
#define DESIGN_VERILOG_BUS_ADAPTER_H

#include "base/path.h"
#include "base/yaml.h"

typedef enum duv_bus { DUV_NO_BUS, DUV_AXI4, DUV_TILELINK, DUV_WISHBONE, DUV_BUSES } duv_bus;

/* Bits of a signal: a number above 0, or one of these, which the design decides. */
typedef enum duv_bus_breadth {
    DUV_BUS_ADDRESS = -5,
    DUV_BUS_DATA,
    DUV_BUS_STROBE, /* one for each byte of data */
    DUV_BUS_ID,
    DUV_BUS_SIZE
} duv_bus_breadth;

typedef struct duv_bus_signal {
    const char *names;     /* the adapter's, then others that designs use, separated by blanks */
    bool to_design;        /* else from it */
    bool is_needed;        /* else the design may lack it */
    bool is_checked;       /* the checker has it, too */
    int breadth;           /* a duv_bus_breadth, or bits */
    const char *otherwise; /* what the adapter sees if the design lacks it; NULL: 0 */
} duv_bus_signal;

/* The first says how many ports there are. Ended by a name that is NULL. */
const duv_bus_signal *duv_bus_signals(duv_bus bus);
extern const char *const duv_buses[DUV_BUSES + 1]; /* ended by NULL */

enum { DUV_PATTERN = 96, DUV_MOST_RENAMED = 64, DUV_MOST_BUS_SIGNALS = 40 };

/* A name with # for the number of the port, or ## for two digits, or without. */
typedef struct duv_pattern {
    char text[DUV_PATTERN];
    base_place place;
} duv_pattern;

typedef struct duv_renamed {
    duv_pattern signal, name;
} duv_renamed;

/* What is said of a bus under `ports`; places of line 0: it is not. */
typedef struct duv_adapter {
    duv_bus bus;
    base_place place;
    duv_pattern prefix;
    duv_renamed renamed[DUV_MOST_RENAMED];
    uint32_t renamed_count;
    uint64_t ids; /* at most; 0: as many as there are */
    bool is_pipelined, has_word_addresses, is_unchecked;
    base_place ids_place, pipelined_place, addresses_place, check_place;
} duv_adapter;

/* The words of `addresses` and `check` of ports, ended by NULL. */
extern const char *const duv_bus_addresses[], *const duv_true_false[];

/* Reads the prefix, a duv_pattern. */
col_status duv_adapter_read_prefix(base_yaml *yaml, const base_yaml_node *key,
                                   const base_yaml_node *value, void *prefix);
/* A signal that the request port does not have, of a duv_verilog_file. */
col_status duv_adapter_read_signal(base_yaml *yaml, const base_yaml_node *key,
                                   const base_yaml_node *value, void *target);

/* Once all is read: does the bus have what is said of it? */
struct duv_verilog_file;
col_status duv_adapter_check(const struct duv_verilog_file *file, col_problem *problem);

/* The sources of the adapter, packages first: the paths are found by base/path.h's rules. */
enum { DUV_ADAPTER_SOURCES = 5 };
col_status duv_adapter_source(const duv_adapter *adapter, uint32_t source, char *path, size_t size,
                              col_problem *problem);

#endif
