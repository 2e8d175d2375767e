/* SPDX-License-Identifier: MIT */
/*
 * A design file as it is written (docs/design-file.md), read without knowing the protocol. Each
 * part keeps its place, for errors that show only when it is applied to the protocol.
 */
#pragma once

#include "base/text.h"
#include "base/yaml.h"
#include "protocol/simulate/wiring.h"

enum {
    SIM_FILE_CACHES = 2 * SIM_MOST_CACHES,         /* optional ones may be of several releases */
    SIM_FILE_PARAMETERS = SIM_MOST_PARAMETERS - 8, /* the rest are inferred */
    SIM_FILE_MACHINES = 2 * SIM_MOST_MACHINES,
    SIM_FILE_VARIED = 48, /* keys of `vary` */
    SIM_FILE_VALUES = 16, /* of each */
    SIM_FILE_MOST_BYTES = 64 << 20,
    SIM_FILE_MOST_WAYS = 64,
    SIM_FILE_MOST_SETS = SIM_FILE_MOST_BYTES / SL_BLOCK_BYTES,
    SIM_FILE_MOST_LATENCY = 100000,
    SIM_FILE_MOST_MESSAGES = 65536,
    SIM_FILE_MOST_TBES = 65536
};

/* The numbers of a design but its cores; X(PLACE, key, least, most, member of the wiring). */
#define SIM_FILE_NUMBERS(X)                                                                        \
    X(TBES, "tbes", 1, SIM_FILE_MOST_TBES, tbes)                                                   \
    X(TRANSITIONS, "transitions_per_cycle", 1, 1024, transitions_per_cycle)                        \
    X(DEADLOCK, "deadlock_cycles", 1000, 1000000000, deadlock_cycles)                              \
    X(PATIENCE, "patience", 100, 1000000000, patience)

/* The numbers of its cores. */
#define SIM_FILE_CORE_NUMBERS(X)                                                                   \
    X(WIDTH, "width", 1, 64, core.width)                                                           \
    X(WINDOW, "window", 1, 64, core.window)                                                        \
    X(LOADS, "loads", 1, 64, core.loads)                                                           \
    X(STORES, "stores", 1, 64, core.stores)                                                        \
    X(OUTSTANDING, "outstanding", 1, 64, core.outstanding)                                         \
    X(CORE_JITTER, "jitter", 0, 1000, core.jitter)                                                 \
    X(SKEW, "skew", 0, SIM_FILE_MOST_LATENCY, core.skew)

/* Those of its network. */
#define SIM_FILE_NETWORK_NUMBERS(X)                                                                \
    X(LATENCY, "latency", 1, SIM_FILE_MOST_LATENCY, network_latency)                               \
    X(JITTER, "jitter", 0, SIM_FILE_MOST_LATENCY, jitter)                                          \
    X(INTERVAL, "interval", 0, 1000, interval)                                                     \
    X(BUFFERS, "buffers", 1, SIM_FILE_MOST_MESSAGES, network_buffers)

/* Those of its memory. */
#define SIM_FILE_MEMORY_NUMBERS(X) X(MEMORY, "latency", 1, SIM_FILE_MOST_LATENCY, memory_latency)

typedef enum sim_file_number {
#define SIM_FILE_PLACE(place, key, least, most, member) SIM_FILE_##place,
    SIM_FILE_NUMBERS(SIM_FILE_PLACE) SIM_FILE_CORE_NUMBERS(SIM_FILE_PLACE)
        SIM_FILE_NETWORK_NUMBERS(SIM_FILE_PLACE) SIM_FILE_MEMORY_NUMBERS(SIM_FILE_PLACE)
#undef SIM_FILE_PLACE
            SIM_FILE_CORES,
    SIM_FILE_MODE,
    SIM_FILE_MODEL,
    SIM_FILE_WITHOUT, /* a set of mechanisms */
    SIM_FILE_TOPOLOGY,
    SIM_FILE_START,
    SIM_FILE_ATOMICS,
    SIM_FILE_ORDERED,   /* a set of virtual networks */
    SIM_FILE_UNORDERED, /* the same */
    SIM_FILE_MONITORS,
    SIM_FILE_NUMBER_COUNT
} sim_file_number;

typedef base_said sim_said;

typedef struct sim_file_name {
    char text[48];
    bool optional; /* written with a '?' */
    base_place place;
} sim_file_name;

typedef struct sim_file_cache {
    sim_file_name name;
    sim_said bytes, sets, ways, replacement; /* bytes or sets */
} sim_file_cache;

typedef struct sim_file_parameter {
    sim_file_name name;
    int64_t value;
    bool per_core; /* `cores` and `value` more */
    base_place place;
} sim_file_parameter;

typedef struct sim_file_machine {
    sim_file_name name;
    sim_file_name of;         /* the protocol's machine whose role it is, or empty */
    sim_file_name downstream; /* the machine that its requests go to, or empty */
    sim_said level;           /* a sim_level */
    sim_said count;
    bool count_is_cores;
    sim_said clusters, tbes;
    sim_said transfers; /* of its DMA engines: a place in sim_transfers */
    sim_file_cache caches[SIM_FILE_CACHES];
    uint32_t cache_count;
    sim_file_parameter parameters[SIM_FILE_PARAMETERS];
    uint32_t parameter_count;
    sim_file_parameter buffers[SIM_MOST_BUFFERS]; /* the value: room for this many messages */
    uint32_t buffer_count;
} sim_file_machine;

/* A key of `vary` (design_vary.h) and what it may be: one of the values, or from the first to the
 * second. */
typedef struct sim_file_value {
    char text[32];
    base_place place;
} sim_file_value;

typedef struct sim_file_varied {
    char key[128];
    base_place place;
    sim_file_value values[SIM_FILE_VALUES];
    uint32_t value_count;
    bool is_range;
} sim_file_varied;

/* What a virtual network has for itself. */
typedef struct sim_file_network {
    sim_said latency, jitter;
} sim_file_network;

typedef struct sim_design_file {
    const char *path; /* as given; must outlive this */
    char name[64], description[256];
    char protocol[1024];
    base_place protocol_place;
    sim_said numbers[SIM_FILE_NUMBER_COUNT];
    sim_file_network networks[SIM_NETWORKS];
    sim_file_machine machines[SIM_FILE_MACHINES];
    uint32_t machine_count;
    sim_file_varied varied[SIM_FILE_VARIED];
    uint32_t varied_count;
} sim_design_file;

/* The words of topologies, starts and replacement policies, ended by NULL. */
extern const char *const sim_topologies[];
extern const char *const sim_starts[];
extern const char *const sim_replacements[];

/* Refuses with the place in the file; what has no place (line 0) was said on the command line. */
#define SIM_REFUSE_AT(problem, path, place, ...)                                                   \
    ((place).line == 0 ? base_refuse(problem, __VA_ARGS__)                                         \
                       : base_refuse_at(problem, path, (place).line, (place).column, __VA_ARGS__))

/* A cache, buffer or parameter of the machine, by its name: of this kind, or any; NULL: none. */
enum { SIM_ANY_MEMBER = UINT32_MAX };
const sl_member *sim_file_member(const sl_machine *machine, const char *name, uint32_t kind);

/* "512B", "64KiB"; "8", "true", "cores + 1". */
bool sim_file_size(const char *text, uint64_t *bytes);
void sim_show_bytes(uint64_t bytes, base_text *text);
bool sim_file_parse_parameter(const char *text, sim_file_parameter *parameter);

col_status sim_design_file_parse(sim_design_file *file, const char *text, size_t length,
                                 const char *path, col_problem *problem);

/* Puts what the file says over what was inferred. */
col_status sim_design_file_apply(const sim_design_file *file, const sl_protocol *protocol,
                                 sim_wiring *wiring, col_problem *problem);

/* For other files that say a part of this in the same words: rows for `machines` and a core's
 * `without` in a sim_design_file; a check of a name (base/yaml.h); and the machines put over the
 * wiring of a design. */
extern const base_field sim_machines_field, sim_without_field;
col_status sim_design_file_check_name(const base_entry *entry, void *name);
col_status sim_design_file_apply_machines(const sim_design_file *file, const sl_protocol *protocol,
                                          sim_wiring *wiring, col_problem *problem);
