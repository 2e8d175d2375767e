/* SPDX-License-Identifier: MIT */
/*
 * Design files of kind `verilog`: a memory system in Verilog with its ports, or a whole chip with
 * its bus, for Verilator (docs/rtl.md). Reading one starts nothing. What it names has been checked
 * to be names: they become parts of C++.
 */
#ifndef DESIGN_VERILOG_VERILOG_FILE_H
#define DESIGN_VERILOG_VERILOG_FILE_H

#include "base/yaml.h"
#include "collider/agent.h"
#include "collider/geometry.h"
#include "collider/model.h"
#include "design/verilog/bus_adapter.h"
#include "design/verilog/chip_file.h"

#include <limits.h>

/* The signals of the port. Rows X(NAME, word, direction, bits of a port). */
#define DUV_PORT_SIGNALS(X)                                                                        \
    X(REQUEST_VALID, request_valid, IN, ONE)                                                       \
    X(REQUEST_READY, request_ready, OUT, ONE)                                                      \
    X(REQUEST_OPERATION, request_operation, IN, FOUR)                                              \
    X(REQUEST_WIDTH, request_width, IN, TWO)                                                       \
    X(REQUEST_ADDRESS, request_address, IN, ADDRESS)                                               \
    X(REQUEST_DATA, request_data, IN, DATA)                                                        \
    X(REQUEST_TAG, request_tag, IN, TAG)                                                           \
    X(RESPONSE_VALID, response_valid, OUT, ONE)                                                    \
    X(RESPONSE_READY, response_ready, IN, ONE)                                                     \
    X(RESPONSE_TAG, response_tag, OUT, TAG)                                                        \
    X(RESPONSE_DATA, response_data, OUT, DATA)                                                     \
    X(INVALIDATE_VALID, invalidate_valid, OUT, ONE)                                                \
    X(INVALIDATE_ADDRESS, invalidate_address, OUT, ADDRESS)                                        \
    X(COMMIT_VALID, commit_valid, OUT, ONE)                                                        \
    X(COMMIT_TAG, commit_tag, OUT, TAG)                                                            \
    X(COMMIT_OLD, commit_old, OUT, DATA)

typedef enum duv_port_signal {
#define DUV_PORT_SIGNAL_NAME(name, word, direction, bits) DUV_##name,
    DUV_PORT_SIGNALS(DUV_PORT_SIGNAL_NAME)
#undef DUV_PORT_SIGNAL_NAME
        DUV_PORT_SIGNAL_COUNT
} duv_port_signal;

extern const char *const duv_port_signals[DUV_PORT_SIGNAL_COUNT];

enum { DUV_MOST_PARAMETERS = 64, DUV_MOST_INPUTS = 64, DUV_MOST_WORDS = 256 };

typedef struct duv_parameter {
    duv_named name;
    char value[DUV_NAME]; /* as Verilog writes it */
} duv_parameter;

typedef struct duv_input {
    duv_named name;
    bool is_random;
    uint64_t low, high;
    uint32_t percent;
    uint32_t bits; /* of the signal, once that is known */
} duv_input;

/* Texts of the file, such as paths. */
typedef struct duv_words {
    char *texts[DUV_MOST_WORDS];
    base_place places[DUV_MOST_WORDS];
    uint32_t count;
} duv_words;

typedef struct duv_verilog_file {
    char path[PATH_MAX];
    char name[64], description[256];
    duv_words sources, includes, private_modules;
    duv_named top, clock, reset;
    bool reset_is_low;
    bool starts_random; /* what no reset sets, else it is 0 */
    uint64_t reset_cycles;
    duv_parameter parameters[DUV_MOST_PARAMETERS];
    uint32_t parameter_count;
    duv_parameter defines[DUV_MOST_PARAMETERS];
    uint32_t define_count;
    /* Ports. Where the file does not say how many there are or how wide they are, the top module
     * does: 0 until then. */
    base_place ports;
    uint64_t count, address_bits, data_bits, tag_bits;
    duv_named signals[DUV_PORT_SIGNAL_COUNT];
    duv_adapter adapter; /* of ports that speak a bus */
    col_agent_settings agents;
    bool takes_atomics;
    bool says_invalidate, says_commit; /* else what signals there are says it */
    bool says_atomics;                 /* else what the bus has */
    uint64_t memory;
    col_geometry geometry;
    duv_input inputs[DUV_MOST_INPUTS];
    uint32_t input_count;
    col_model model;
    base_place model_place; /* line 0: not said */
    duv_chip_file chip;     /* in place of ports */
    bool covers;
    struct duv_points *points; /* others than cover points (verilog_points.h); NULL: none */
    bool traces;               /* the model can write waveforms; the file does not say so */
    uint64_t limit;            /* 0: not said */
} duv_verilog_file;

/* Is it a whole chip? */
static inline bool duv_is_chip(const duv_verilog_file *file) {
    return file->chip.bus_count > 0;
}

/* Start from {0}; free also after an error. */
col_status duv_verilog_file_read(duv_verilog_file *file, const char *path, col_problem *problem);
col_status duv_verilog_file_parse(duv_verilog_file *file, const char *text, size_t length,
                                  const char *path, col_problem *problem);
void duv_verilog_file_free(duv_verilog_file *file);

/* What keys say of each other: of chips, and of those that are none. */
col_status duv_chip_check(base_yaml *yaml, const base_yaml_node *root, duv_verilog_file *file);
/* Of a chip: reads the platform that it names, for what the file leaves to it; else nothing. */
col_status duv_chip_open_platform(duv_verilog_file *file, col_problem *problem);

extern const base_field duv_verilog_fields[]; /* ended by a NULL name */

/* A name of Verilog, for readers of parts of such files; `what` begins the sentence that refuses
 * anything else. */
col_status duv_take_name(base_yaml *yaml, const base_yaml_node *node, const char *what,
                         duv_named *named);
/* Keeps a text and its place; `what` has too many if there is no room. */
col_status duv_words_add(base_yaml *yaml, const base_yaml_node *node, const char *what,
                         const char *text, duv_words *words);
void duv_words_free(duv_words *words);
/* The same into a duv_named, of the key (base/yaml.h). */
col_status duv_read_name(base_yaml *yaml, const base_yaml_node *key, const base_yaml_node *value,
                         void *named);

#endif
