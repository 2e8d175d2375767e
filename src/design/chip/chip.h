/* SPDX-License-Identifier: MIT */
/* The memory behind a chip's bus, and what watches its harts: parts of collider/chip.h. */
#pragma once

#include "collider/chip.h"
#include "design/agent/agent.h"
#include "design/isa/image.h"
#include "design/isa/image_results.h"

/* An end that nobody sees from outside is none for a chip. */
col_status duv_chip_check_platform(const isa_platform *platform, col_problem *problem);

/* ---- For the story of a failure: where operations are, what the chip asks of memory, and, if an
 * image does not come to its end, where everything stands. It costs nothing unless an observer
 * asks.
 */

enum { DUV_MOST_ACCESSES = 256, DUV_WORDS = 160 };

typedef struct duv_access {
    uint64_t number, id, address, since, told;
    uint32_t bus, bytes;
    bool is_write, is_ours;
    char words[DUV_WORDS]; /* of locations, once it has happened */
} duv_access;

typedef struct duv_watch {
    const col_observer *observer;
    const isa_image *image;
    const col_program *program;
    uint32_t block_bits;
    bool sees_bus;
    uint64_t cycle, told; /* messages */
    uint32_t waits, count;
    duv_access accesses[DUV_MOST_ACCESSES]; /* that have no answer yet */
} duv_watch;

/* The round of the image that is looked at. */
void duv_watch_begin(duv_watch *watch, const isa_image *image, uint64_t round,
                     const col_program *program, uint32_t block_bits, const col_observer *observer);
void duv_watch_ask(duv_watch *watch, const duv_access *access);
/* What memory holds there then. */
void duv_watch_perform(duv_watch *watch, uint32_t bus, uint64_t number, const uint8_t *bytes);
void duv_watch_answer(duv_watch *watch, uint32_t bus, uint64_t number);
void duv_watch_forget(duv_watch *watch, uint32_t bus); /* whatever it has asked for */
/* NULL: it is not watched. */
const duv_access *duv_watch_under_way(duv_watch *watch, uint32_t bus, uint64_t number);
/* A COL_WAIT; the first says what kind of hang it is. */
void duv_watch_say(duv_watch *watch, uint32_t machine, uint32_t controller, uint64_t since,
                   const char *format, ...) BASE_PRINTF(5, 6);
void duv_watch_say_bus(duv_watch *watch);

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
    uint64_t round; /* of the image, that is watched */
    uint64_t performed;
    uint64_t cycle;
    uint64_t *last; /* by hart: the cycle and the address of its last instruction */
    uint64_t *last_pc;
    uint64_t arrives;   /* the store by which a hart arrives at a barrier; 0: there is none */
    uint64_t *arrivals; /* by hart: how often it has retired that */
    uint32_t harts;
    col_status status;
    col_problem problem;
} duv_tap;

/* Start from {0}; a tap can be opened again. Map and program must stay. */
col_status duv_tap_open(duv_tap *tap, const isa_map *map, const col_program *program,
                        col_problem *problem);
/* At the level of events: what comes now is this round, of which nothing has performed yet. */
col_status duv_tap_turn(duv_tap *tap, uint64_t round, const col_observer *observer,
                        col_problem *problem);
void duv_tap_free(duv_tap *tap);
void duv_tap_retire(duv_tap *tap, uint32_t hart, uint64_t pc, uint32_t reg, uint64_t value);
void duv_tap_commit(duv_tap *tap, uint32_t hart, uint64_t pc, uint64_t replaced);
/* The first hart that has retired nothing for this many cycles; tap->harts if there is none. */
uint32_t duv_tap_stuck(const duv_tap *tap, uint64_t patience);
/* The operation at or before this address, such as "thread 1, operation 3 (load a0)"; else the
 * address itself. */
void duv_tap_name(const duv_tap *tap, uint64_t pc, char *text, size_t size);
