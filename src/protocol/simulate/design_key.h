/* SPDX-License-Identifier: MIT */
/*
 * What a design file says, by name: "tbes", "network.jitter", "L1Cache.L1Dcache.ways". The names
 * are those of the file, without the words machines, caches, parameters and buffers, which the
 * protocol makes superfluous. Options of the command line and `vary` use them.
 */
#ifndef PROTOCOL_SIMULATE_DESIGN_KEY_H
#define PROTOCOL_SIMULATE_DESIGN_KEY_H

#include "protocol/simulate/design_file.h"

typedef enum sim_key_type {
    SIM_KEY_NUMBER,
    SIM_KEY_SIZE, /* 512B, 64KiB */
    SIM_KEY_SETS, /* a power of two */
    SIM_KEY_WORD,
    SIM_KEY_PARAMETER /* a number, true, false, or cores + a number */
} sim_key_type;

/* A key of a file that is kept: where its value belongs. */
typedef struct sim_key {
    sim_key_type type;
    uint64_t least, most;
    const char *const *words;
    sim_said *said, *instead;      /* `instead` holds no longer once this is said; may be NULL */
    bool *is_cores;                /* said as the word cores, no longer; may be NULL */
    sim_file_parameter *parameter; /* instead of `said` */
    bool is_ignored;               /* it was written with a '?', and the protocol has no such */
} sim_key;

typedef struct sim_key_value {
    uint64_t number; /* of a parameter, the bits of an int64_t */
    bool per_core;
    base_place place; /* line 0: on the command line */
} sim_key_value;

/* Finds the key, or makes room for it in the file. */
col_status sim_key_find(sim_key *key, sim_design_file *file, const sl_protocol *protocol,
                        const char *name, base_place place, col_problem *problem);
col_status sim_key_read(const sim_key *key, const char *path, const char *name, const char *text,
                        sim_key_value *value, col_problem *problem);
void sim_key_set(const sim_key *key, const sim_key_value *value);

/* Names that differ in question marks alone are the same. */
bool sim_key_is(const char *name, const char *other);

#endif
