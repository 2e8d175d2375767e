/* SPDX-License-Identifier: MIT */
/* Random programs with settings, as machine code, and what a trivial interpreter makes of them when
 * their threads run one after the other. */
#pragma once

#include "base/random.h"
#include "design/isa/isa.h"

enum {
    MAX_THREADS = 3,
    MAX_LENGTH = 150,
    MAX_LOCATIONS = 9,
    WINDOW = 4096, /* bytes that the locations are in */
    MARGIN = 64,   /* bytes before and behind them that stubs of fetches may be in */
};

#define UNTOUCHED UINT64_C(0x5a5a5a5a5a5a5a5a) /* what a log holds before */

typedef struct sample {
    col_program program;
    isa_settings settings;
    uint64_t salt, skew;
    uint64_t origin; /* the address of the window */
    isa_label entries[MAX_THREADS];
    size_t first_sites[MAX_THREADS + 1];
    /* What is expected. */
    uint64_t memory[MAX_LOCATIONS];
    uint64_t logs[MAX_THREADS][MAX_LENGTH];
    uint32_t results[MAX_THREADS];
} sample;

/* Draws a program, interprets it and encodes it at the end of `code`. Programs that are to be run
 * have short delays, and no flush if the settings say so; most of their awaits see their value. */
void draw_sample(base_rng *rng, const isa_target *target, bool has_flush, sample *s,
                 isa_code *code);
void free_sample(sample *s);

/* An operation that machine code does not have becomes a load or a store. */
void sample_make_executable(col_operation *operation);

/* Puts the instructions there that fetches execute; returns how many there are. */
uint32_t put_stubs(const sample *s, const isa_target *target, uint8_t *window);

/* Did the memory (from the start of the window), a thread's log and its result come out as
 * expected? */
void check_memory(const sample *s, const uint8_t *window);
void check_thread(const sample *s, uint32_t thread, const uint8_t *log, uint64_t result);
