/* SPDX-License-Identifier: MIT */
/* The memory behind a chip's bus, and what watches its harts: parts of collider/chip.h. */
#ifndef DUV_CHIP_CHIP_H
#define DUV_CHIP_CHIP_H

#include "agent/words.h"
#include "collider/chip.h"
#include "isa/commits.h"
#include "isa/image.h"

/* An end that nobody sees from outside is none for a chip. */
col_status duv_chip_check_platform(const isa_platform *platform, col_problem *problem);

/* ---- Memory: pages that exist once they are written. */

typedef struct duv_pages {
    isa_window window;
    uint8_t **pages;   /* NULL: all bytes are 0 */
    uint32_t *touched; /* numbers of the pages that may hold something else */
    size_t touched_count, touched_capacity;
} duv_pages;

/* Words that harts write to and read from, and that are not memory. */
typedef struct duv_devices {
    uint32_t threads; /* that meet at the barrier */
    bool has_barrier;
    uint64_t arrive, go, exit;
    uint32_t coming, arrived, gone; /* a barrier, who is there, the last that is open */
    bool exits_in_memory;           /* the word of the exit is memory, too */
    bool has_exited;
    uint32_t exit_word;
} duv_devices;

typedef struct duv_chip_memory {
    duv_pages ram, uncached;
    duv_devices devices;
    col_status status; /* something could not be written */
    uint64_t strange;  /* the first address without anything behind it */
    bool has_strange;
} duv_chip_memory;

/* Start from {0}. */
col_status duv_chip_memory_open(duv_chip_memory *memory, const isa_platform *platform,
                                col_problem *problem);
void duv_chip_memory_free(duv_chip_memory *memory);
/* All bytes are 0, and nobody has arrived. */
void duv_chip_memory_clear(duv_chip_memory *memory);
bool duv_chip_memory_read(const duv_chip_memory *memory, uint64_t address, uint32_t bytes,
                          uint8_t *to);
bool duv_chip_memory_write(duv_chip_memory *memory, uint64_t address, uint32_t bytes,
                           const uint8_t *from, uint64_t strobes);

/* ---- The tap: what harts retire, and what their writes do. */

typedef struct duv_tapped { /* an operation */
    bool has_value, is_committed, is_told;
    uint64_t value, replaced;
} duv_tapped;

typedef struct duv_tap {
    const col_program *program;
    const isa_map *map;
    bool tells_events;
    bool is_current;      /* loads return what was there when they began, or later */
    agt_words words;      /* then: what locations hold */
    char stale[256];      /* the first load that did not; empty: none */
    isa_commits *commits; /* of reads; NULL at the level of events */
    uint64_t first;       /* of the addresses that something is at */
    uint32_t *sites;      /* by instruction from there on: 1 + operation; 0: nothing is there */
    size_t site_count, site_capacity;
    duv_tapped *operations;
    size_t operation_capacity;
    const col_observer *observer;
    uint64_t performed;
    uint64_t cycle;
    uint64_t *last; /* by hart: the cycle and the address of its last instruction */
    uint64_t *last_pc;
    uint32_t harts;
    col_status status;
    col_problem problem;
} duv_tap;

/* Start from {0}; a tap can be opened again. Map and program must stay. */
col_status duv_tap_open(duv_tap *tap, const isa_map *map, const col_program *program,
                        col_problem *problem);
void duv_tap_free(duv_tap *tap);
void duv_tap_retire(duv_tap *tap, uint32_t hart, uint64_t pc, uint32_t reg, uint64_t value);
void duv_tap_commit(duv_tap *tap, uint32_t hart, uint64_t pc, uint64_t replaced);
/* The first hart that has retired nothing for this many cycles; tap->harts if there is none. */
uint32_t duv_tap_stuck(const duv_tap *tap, uint64_t patience);
/* The operation at or before this address, such as "thread 1, operation 3 (load a0)"; else the
 * address itself. */
void duv_tap_name(const duv_tap *tap, uint64_t pc, char *text, size_t size);

#endif
