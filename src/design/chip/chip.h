/* SPDX-License-Identifier: MIT */
/* The memory behind a chip's bus, and what watches its harts: parts of collider/chip.h. */
#pragma once

#include "collider/chip.h"
#include "design/agent/agent.h"
#include "design/isa/image.h"
#include "design/isa/image_results.h"

/* An end that nobody sees from outside is none for a chip. */
col_status duv_chip_check_platform(const isa_platform *platform, col_problem *problem);

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
/* Where each hart stands, to the observer. */
void duv_tap_tell_waits(const duv_tap *tap, uint64_t patience);
/* The operation at or before this address, such as "thread 1, operation 3 (load a0)"; else the
 * address itself. */
void duv_tap_name(const duv_tap *tap, uint64_t pc, char *text, size_t size);
