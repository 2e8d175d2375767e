/* SPDX-License-Identifier: MIT */
/*
 * Design files of kind `verilog`: a memory system in Verilog with its ports, or a whole chip with
 * its bus, for Verilator (docs/rtl.md). Reading one starts nothing. What it names has been checked
 * to be names: they become parts of C++.
 */
#pragma once

#include "base/path.h"
#include "base/text.h"
#include "base/yaml.h"
#include "collider/agent.h"
#include "collider/chip.h"
#include "collider/geometry.h"
#include "collider/model.h"

#include <limits.h>

enum { DUV_NAME = 128, DUV_MOST_BUSES = 8 };

/* What names have; they do not begin with a digit. */
#define DUV_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

/* A name of the file, and where it has it. */
typedef struct duv_named {
    char text[DUV_NAME]; /* empty: not said */
    base_place place;
} duv_named;

/* ---- Buses, of ports and of chips. At ports, a top module of our own (bus_top.c) instantiates the
 * user's, and for each port an adapter of rtl/adapters between the bus and the request port of
 * docs/rtl-port.md; behind chips, collider/verilator_bus.hpp has a memory for each. */

/* Every bus is a row here: its name, and a list of its signals in bus_adapter.c. */
#define DUV_EACH_BUS(ROW)                                                                          \
    ROW(AXI4, axi4)                                                                                \
    ROW(TILELINK, tilelink) ROW(WISHBONE, wishbone) ROW(AHB, ahb) ROW(APB, apb) ROW(OBI, obi)

#define DUV_BUS_OF(upper, lower) DUV_##upper,
typedef enum duv_bus {
    DUV_NATIVE, /* ours: the request port, or that of docs/rtl-chips.md */
    DUV_EACH_BUS(DUV_BUS_OF) DUV_BUSES
} duv_bus;
#undef DUV_BUS_OF

/* Bits of a signal: a number above 0, or one of these, which the design decides. */
typedef enum duv_bus_breadth {
    DUV_BUS_ADDRESS = -6,
    DUV_BUS_LOCK, /* 1, or of AXI3 2 */
    DUV_BUS_DATA,
    DUV_BUS_STROBE, /* one for each byte of data */
    DUV_BUS_ID,
    DUV_BUS_SIZE
} duv_bus_breadth;

/* Between a core, or the chip that it is in, and memory. */
typedef struct duv_bus_signal {
    const char *names;     /* ours, then others that designs use, separated by blanks */
    bool to_memory;        /* else from it */
    bool is_needed;        /* else a memory system may lack it */
    bool is_checked;       /* the checker has it, too, */
    bool is_only_checked;  /* or it alone */
    bool is_pin;           /* a chip may have it, */
    bool is_needed_pin;    /* or must */
    int breadth;           /* a duv_bus_breadth, or bits */
    const char *otherwise; /* what the adapter sees if the design lacks it; NULL: 0 */
} duv_bus_signal;

/* The first says how many ports there are. Ended by a name that is NULL. Of the native bus, those
 * of chips. */
const duv_bus_signal *duv_bus_signals(duv_bus bus);
/* Is the word our name of the signal? */
bool duv_bus_is(const duv_bus_signal *signal, const char *word);
/* By duv_bus, ended by NULL: in ports the native one is 'none'. */
extern const char *const duv_port_buses[DUV_BUSES + 1], *const duv_chip_buses[DUV_BUSES + 1];

enum { DUV_PATTERN = 96, DUV_MOST_RENAMED = 64, DUV_MOST_BUS_SIGNALS = 40 };

/* A name with # for the number of the port, or ## for two digits, or without. */
typedef struct duv_pattern {
    char text[DUV_PATTERN];
    base_place place;
} duv_pattern;

typedef struct duv_renamed {
    duv_pattern signal, name;
} duv_renamed;

/* Which bursts accesses may be in; the numbers are the adapter's. */
typedef enum duv_bursts { DUV_BURSTS_NONE, DUV_BURSTS_INCR, DUV_BURSTS_ALL } duv_bursts;

/* What is said of a bus under `ports`; places of line 0: it is not. */
typedef struct duv_adapter {
    duv_bus bus;
    base_place place;
    duv_pattern prefix;
    duv_renamed renamed[DUV_MOST_RENAMED];
    uint32_t renamed_count;
    uint64_t ids; /* at most; 0: as many as there are */
    duv_bursts bursts;
    bool is_pipelined, is_exclusive, has_word_addresses, is_unchecked, is_plain;
    base_place ids_place, bursts_place, exclusive_place, pipelined_place, addresses_place,
        check_place, extra_place;
} duv_adapter;

/* The words of `bursts`, `addresses` and `check` of ports, ended by NULL. */
extern const char *const duv_bus_bursts[], *const duv_bus_addresses[], *const duv_true_false[];

/* Reads the prefix, a duv_pattern. */
col_status duv_adapter_read_prefix(const base_entry *entry, void *prefix);
/* A signal that the request port does not have, of a duv_verilog_file. */
col_status duv_adapter_read_signal(const base_entry *entry, void *target);

/* The sources of the adapter, packages first: the paths are found by base/path.h's rules. */
enum { DUV_ADAPTER_SOURCES = 6 };
col_status duv_adapter_source(const duv_adapter *adapter, uint32_t source, char *path, size_t size,
                              col_problem *problem);

/* ---- Whole chips: what is at the chip's pins. */

typedef struct duv_chip_bus {
    duv_bus protocol;
    base_place place;
    duv_named prefix;
    duv_named signals[DUV_MOST_BUS_SIGNALS]; /* those of the file; else the prefix says them */
    bool is_there[DUV_MOST_BUS_SIGNALS];     /* once the top module is known */
    uint32_t pin_bits[DUV_MOST_BUS_SIGNALS]; /* of those that are there */
    uint64_t bits[-DUV_BUS_ADDRESS];         /* by duv_bus_breadth, from the first */
    bool counts_words;
    bool interleaves;
    bool is_classic; /* of Wishbone: whatever signals there are, it is not pipelined */
    uint64_t latency;
} duv_chip_bus;

/* What a hart retires, and what its writes replace. */
typedef enum duv_tap_signal {
    DUV_TAP_RETIRE_VALID,
    DUV_TAP_RETIRE_PC,
    DUV_TAP_RETIRE_REGISTER,
    DUV_TAP_RETIRE_VALUE,
    DUV_TAP_COMMIT_VALID,
    DUV_TAP_COMMIT_PC,
    DUV_TAP_COMMIT_OLD,
    DUV_TAP_SIGNALS
} duv_tap_signal;

typedef struct duv_chip_file {
    duv_chip_bus buses[DUV_MOST_BUSES];
    uint32_t bus_count;
    base_place place;   /* of `bus`; line 0: it is not a chip */
    char platform[256]; /* its name, or a file beside the design's */
    base_place platform_place;
    uint64_t harts, rounds; /* harts 0: as many as the platform has */
    bool has_platform;      /* in the design file itself: platform_text */
    bool has_tap, has_commits, says_log, takes_atomics, is_current;
    uint32_t skew, stalls; /* of starts: bits; of the bus: percent */
    uint64_t log;          /* col_chip_log */
    duv_named tap[DUV_TAP_SIGNALS];
    uint32_t tap_bits[DUV_TAP_SIGNALS]; /* of one hart's or tap's, once they are known */
    uint32_t taps;                      /* of a hart */
    /* What the platform says, once it has been read: */
    base_text platform_text;
} duv_chip_file;

void duv_chip_file_default(duv_chip_file *chip);
void duv_chip_file_free(duv_chip_file *chip);

/* Readers of keys (base/yaml.h). A bus is read into a design file's chip.buses, its first member;
 * signals into chip.tap. */
col_status duv_chip_read_bus(const base_entry *entry, void *chip);
col_status duv_chip_read_platform(const base_entry *entry, void *chip);
col_status duv_chip_read_tap(const base_entry *entry, void *tap);
col_status duv_chip_read_commit(const base_entry *entry, void *tap);

/* ---- The request port. */

/* The signals of the port: those of invalidations and commits, which it may lack, come last. */
enum { DUV_INVALIDATE_VALID = 11, DUV_COMMIT_VALID = 13, DUV_PORT_SIGNALS = 16 };

/* Bits of a port: a number above 0, or one of these, which the design decides. */
typedef enum duv_breadth { DUV_ADDRESS = -3, DUV_DATA, DUV_TAG } duv_breadth;

extern const struct duv_port_signal {
    const char *word;
    bool is_input;
    int bits; /* a duv_breadth, or bits */
} duv_port_signals[DUV_PORT_SIGNALS];

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

/* ---- Coverage points that the RTL does not write down: the values of a state signal and the
 * changes between them, lines of the source, bits that toggle. The file names modules and signals;
 * an XML file of Verilator's says what these are. */

enum { DUV_MOST_MACHINES = 32, DUV_MOST_STATES = 64 };

typedef struct duv_state {
    char name[DUV_NAME];
    uint64_t value;
    uint64_t next; /* the states that may follow: bit i for state i */
} duv_state;

/* A signal, or each element of an array, whose values are states. */
typedef struct duv_state_signal {
    duv_named module, signal;
    duv_named type; /* the enumeration with its values; empty: they are listed, or the signal's */
    duv_state states[DUV_MOST_STATES];
    uint32_t state_count;
    duv_words transitions;  /* the possible ones, as "FROM TO" */
    bool lists_transitions; /* otherwise all are */
    /* What the XML says of it: */
    char file[DUV_NAME]; /* where the signal is declared */
    uint32_t line;
    base_text paths; /* of the instances, without generate blocks, as C++ strings */
    uint32_t instances;
} duv_state_signal;

/* The patterns of modules in the file, and the modules that they match, as C++ strings. */
typedef struct duv_module_filter {
    duv_words patterns;
    base_text modules;
} duv_module_filter;

typedef struct duv_points {
    duv_state_signal signals[DUV_MOST_MACHINES];
    uint32_t signal_count;
    duv_module_filter lines, toggles;
    base_text configuration; /* for Verilator */
} duv_points;

/* ---- The file. */

typedef struct duv_verilog_file {
    char path[PATH_MAX];
    char name[64], description[256];
    duv_words sources, includes, private_modules, options; /* of Verilator */
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
    duv_named signals[DUV_PORT_SIGNALS];
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
    duv_points *points;      /* others than cover points; NULL: none */
    bool traces;             /* the model can write waveforms; the file does not say so */
    uint64_t limit;          /* 0: not said */
    uint64_t reach;          /* bytes that there are addresses for; 0: all of 64 bits */
    base_text spelled;       /* what it says that a compiled design depends on: not DUV_RUN_TIME */
    struct duv_notes *notes; /* collects what is wrong with it; NULL: the first refuses it */
} duv_verilog_file;

/* Is it a whole chip? */
static inline bool duv_is_chip(const duv_verilog_file *file) {
    return file->chip.bus_count > 0;
}

/* Does the port have the signal, and how many bits has it? */
bool duv_port_has(const duv_verilog_file *file, uint32_t signal);
uint64_t duv_port_bits(const duv_verilog_file *file, uint32_t signal);

/* Refuses what is said at a place of the file, in a sentence. */
#define DUV_REFUSE_AT(file, place, problem, ...)                                                   \
    base_refuse_at(problem, (file)->path, (place).line, (place).column, __VA_ARGS__)

/* Keys that a compiled design is told when it is loaded; the others compile it again. */
#define DUV_RUN_TIME                                                                               \
    "description", "platform", "rounds", "block", "caches", "model", "memory", "patience", "limit"

/* All that is wrong with a design, a line for each: for `collider design check`. */
typedef struct duv_notes {
    base_text lines;
    uint32_t errors, warnings;
} duv_notes;

/* Bad input becomes a line of the notes, if there are any, and is then no reason to stop. */
col_status duv_note(const duv_verilog_file *file, const col_problem *problem, col_status status);
#define DUV_NOTE(file, problem, ...) BASE_TRY(duv_note((file), (problem), (__VA_ARGS__)))

/* Start from {0}; free also after an error. The notes stay. */
col_status duv_verilog_file_read(duv_verilog_file *file, const char *path, col_problem *problem);
col_status duv_verilog_file_parse(duv_verilog_file *file, const char *text, size_t length,
                                  const char *path, col_problem *problem);
void duv_verilog_file_free(duv_verilog_file *file);

/* Once all is read: does the bus have what is said of it? */
col_status duv_adapter_check(const duv_verilog_file *file, col_problem *problem);

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
col_status duv_read_name(const base_entry *entry, void *named);

/* ---- Its points. */

/* Readers of the design file's keys `coverage` and `fsm`; the target is the file. */
col_status duv_read_coverage(const base_entry *entry, void *target);
col_status duv_read_fsms(const base_entry *entry, void *target);

/* Completes the points from the XML of the design. */
col_status duv_points_resolve(const duv_verilog_file *file, const char *xml, col_problem *problem);

/* What they are in C++: an object `observed`. */
void duv_points_print(const duv_points *points, base_text *source);

void duv_points_free(duv_points *points); /* may be NULL */
