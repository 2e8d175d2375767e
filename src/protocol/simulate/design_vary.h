/* SPDX-License-Identifier: MIT */
/*
 * What varies from test to test (swarm testing): a design file lists keys with ranges or lists of
 * values, and a number draws one of each. A key's value follows from the number and the key alone,
 * whatever else varies; values that do not fit together are drawn again.
 */
#pragma once

#include "base/text.h"
#include "protocol/simulate/design_file.h"

/*
 * What a design file says, by name: "tbes", "network.jitter", "L1Cache.L1Dcache.ways". The names
 * are those of the file, without the words machines, caches, parameters and buffers, which the
 * protocol makes superfluous. Options of the command line and `vary` use them.
 */

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

/* ---- What varies. */

typedef struct sim_vary sim_vary;

/* A key that the user has chosen a value for. */
typedef struct sim_choice {
    const char *key, *value;
} sim_choice;

/* Puts the choices over what the file says. */
col_status sim_choices_apply(const sim_choice *choices, size_t count, sim_design_file *file,
                             const sl_protocol *protocol, col_problem *problem);

/* `plain` is the wiring without anything varied; the choices do not vary. Every value must fit
 * together with some of the others. Gives NULL if nothing varies. */
col_status sim_vary_open(sim_vary **vary, const sim_design_file *file, const sl_protocol *protocol,
                         const sim_wiring *plain, const sim_choice *choices, size_t choice_count,
                         col_problem *problem);
void sim_vary_free(sim_vary *vary);

void sim_vary_draw(sim_vary *vary, uint64_t number, sim_wiring *wiring);
/* Which value of each key a number draws; of a range, values of about the same size are one. Below
 * SIM_VARY_CLASSES. What was drawn last stays. */
enum { SIM_VARY_CLASSES = SIM_FILE_VALUES };
void sim_vary_classes(sim_vary *vary, uint64_t number, uint8_t *classes);
/* What was drawn last, as choices: "tbes=8,network.jitter=40". */
void sim_vary_tell(const sim_vary *vary, base_text *text);

/* Each machine as often, each cache with as many sets and ways, as in any configuration. */
const sim_wiring *sim_vary_widest(const sim_vary *vary);

/* For a list of what varies. */
uint32_t sim_vary_count(const sim_vary *vary);
const char *sim_vary_key(const sim_vary *vary, uint32_t i);
void sim_vary_values(const sim_vary *vary, uint32_t i, base_text *text); /* "1..8", "lru, random" */
