/* SPDX-License-Identifier: MIT */
/*
 * What one has to know of an image to read what it left behind: where its operations are, and what
 * its results and logs look like. An image has it, and map.json keeps it for later.
 *
 * The results are one piece of memory: a record of ISA_RECORD_BYTES for each hart with a thread,
 * then the log, a part of `stride` bytes for each round. In it every thread has its slots, one word
 * for each read, and behind them may come the final word of each location. A slot that nobody
 * filled has all bits set. An image of several programs has a map for each.
 */
#ifndef DESIGN_ISA_IMAGE_MAP_H
#define DESIGN_ISA_IMAGE_MAP_H

#include "design/isa/platform.h"

enum { ISA_MAP_VERSION = 1, ISA_RECORD_BYTES = 64 };

/* Fields of a record, 8 bytes each, at these offsets. */
enum {
    ISA_RECORD_STATE = 0,  /* ISA_STATE_MARK + isa_state */
    ISA_RECORD_ROUND = 8,  /* that the hart is in, from 0 */
    ISA_RECORD_CAUSE = 16, /* of a trap: mcause, ESR_EL1; of one that waits: for which hart */
    ISA_RECORD_PC = 24,    /* of a trap */
    ISA_RECORD_VALUE = 32, /* of a trap: mtval, FAR_EL1 */
    ISA_RECORD_IMAGE = 40, /* which image wrote this: isa_map.image */
};
#define ISA_STATE_MARK UINT32_C(0x434f4c00)

typedef enum isa_state {
    ISA_STATE_NONE, /* it never started */
    ISA_STATE_RUNNING,
    ISA_STATE_DONE,
    ISA_STATE_ALONE,   /* another hart did not come to the barrier */
    ISA_STATE_GAVE_UP, /* an await did not see its value */
    ISA_STATE_TRAPPED,
    ISA_STATE_COUNT
} isa_state;

typedef struct isa_map_site { /* where an operation is */
    uint64_t pc;              /* of the instruction that reads or writes, or of the first one */
    uint32_t operation, thread;
    uint32_t slot, reg; /* of a read; else ISA_NONE */
} isa_map_site;

typedef struct isa_map_thread {
    uint64_t entry;      /* of its function */
    uint64_t log_offset; /* of its slots in the part of a round */
    uint32_t slots;
} isa_map_thread;

typedef struct isa_map {
    const isa_target *target;
    char platform[64];
    col_model model;
    isa_log log;
    uint64_t rounds, seed;
    uint32_t image; /* a number that tells images apart */
    col_hash program;
    uint32_t word_bytes;
    uint64_t ones; /* a word with all bits set */
    /* Round r has the salt (first + r + 1) * step & mask: the programs of an image share none. */
    uint64_t salt_first, salt_step, salt_mask;
    isa_window ram, results;
    isa_window all;         /* the results of all programs of the image, these among them */
    uint64_t stride;        /* of the log, from round to round; 0: there is no log */
    uint64_t finals_offset; /* in the part of a round; ISA_NO_FINALS: there are none */
    uint32_t thread_count, site_count, location_count;
    isa_map_thread *threads;
    isa_map_site *sites; /* by operation */
} isa_map;

#define ISA_NO_FINALS UINT64_MAX
#define ISA_MAP_EMPTY                                                                              \
    { .finals_offset = ISA_NO_FINALS }

void isa_map_free(isa_map *map);

uint64_t isa_map_salt(const isa_map *map, uint64_t round);
/* What memory holds in a round for a word of the program. */
uint64_t isa_map_word(const isa_map *map, const col_program *program, uint64_t word,
                      uint64_t round);
/* Where a read's slot is in the part of a round. */
uint64_t isa_map_slot(const isa_map *map, const isa_map_site *site);

/* Does any thread read? */
bool isa_map_has_reads(const isa_map *map);

/* Where the log begins in the results. */
uint64_t isa_map_log(const isa_map *map);

/* Where the program's results begin in those of all programs of the image. */
uint64_t isa_map_part(const isa_map *map);

/* Reads map.json into an empty map, and refuses what is not the map of an image of this program.
 * Of an image of several programs it takes the part that is about this one. */
col_status isa_map_read(isa_map *map, const char *path, const col_program *program,
                        col_problem *problem);
col_status isa_map_parse(isa_map *map, const char *text, size_t length, const char *file,
                         const col_program *program, col_problem *problem);

#endif
