/* SPDX-License-Identifier: MIT */
/*
 * A whole chip as a design: something else simulates its processors and caches, such as an RTL
 * model; this is the memory behind its bus. It holds the image of a test program (docs/images.md),
 * serves the devices that the platform names (docs/platforms.md), and makes of what harts retired,
 * or logged, what the checker judges. What drives the model hands on each access of the bus and
 * each retirement, cycle by cycle. docs/rtl.md has the buses.
 */
#ifndef COLLIDER_CHIP_H
#define COLLIDER_CHIP_H

#include <collider/duv.h>

COL_C_BEGIN

/* Where the values of reads come from. */
typedef enum col_chip_log {
    COL_CHIP_TAP,       /* retirements: col_chip_retire */
    COL_CHIP_STORE,     /* the image stores each value behind its read, */
    COL_CHIP_REGISTERS, /* or when registers run out */
    COL_CHIP_LOGS
} col_chip_log;
COL_API extern const char *const col_chip_logs[COL_CHIP_LOGS + 1]; /* ended by NULL */

typedef struct col_chip_settings {
    const char *platform; /* the text of a platform's file */
    uint32_t harts;       /* 0: as the platform says */
    col_chip_log log;
    bool tells_commits; /* writes are reported as they perform: col_chip_commit; needs the tap */
    bool takes_atomics; /* harts have swaps and adds */
    bool is_current;    /* once a write has committed, no load that its hart begins later returns an
                         * older value; a hart begins an instruction once the one before it has
                         * retired. Needs commits */
    uint32_t rounds;    /* of an image; beyond 1, which start a round was in depends on others */
    uint32_t skew;      /* harts start within about 2^skew iterations of a loop */
    uint64_t patience;  /* cycles without any progress that count as a deadlock; 0: none */
} col_chip_settings;

COL_API void col_chip_default(col_chip_settings *settings);

typedef struct col_chip col_chip;

COL_API col_status col_chip_new(col_chip **chip, const col_chip_settings *settings,
                                col_problem *problem);
COL_API void col_chip_free(col_chip *chip);

/* Completes a description: harts, words, caches, what is shown. */
COL_API void col_chip_describe(const col_chip *chip, col_duv_description *description);

/* The program stays as it is until the next one. */
COL_API col_status col_chip_load(col_chip *chip, const col_program *program, col_problem *problem);

/* An instance begins: is there a round of an earlier start that was not handed out yet? Then `run`
 * is complete, and the observer, which may be NULL, has been notified. */
COL_API bool col_chip_hand_out(col_chip *chip, const col_observer *observer, col_run *run);

/* Else a start begins, with the chip in reset and the image in memory. */
COL_API col_status col_chip_begin(col_chip *chip, uint64_t seed, const col_observer *observer,
                                  col_problem *problem);

/* ---- A boot, from which many instances go on. Its image runs the program twice: the boot ends
 * before the second round, when all harts have arrived at the barrier that begins it. What it was
 * then can be kept, and each instance goes on from there by a seed of its own. */

/* Can it? Not with more rounds to a start, without a device as the barrier, or with a tap but no
 * commits. A program is loaded. */
COL_API bool col_chip_boots(const col_chip *chip);
/* In place of col_chip_begin. The observer is told of the first round. */
COL_API col_status col_chip_boot(col_chip *chip, uint64_t seed, const col_observer *observer,
                                 col_problem *problem);
/* After col_chip_end: did it come to the second round? Then it can be kept, until the next one. */
COL_API bool col_chip_has_booted(const col_chip *chip);
COL_API col_status col_chip_keep(col_chip *chip, col_problem *problem);
/* In place of col_chip_begin, with the model as it was when the boot was kept: the second round. */
COL_API col_status col_chip_go_on(col_chip *chip, uint64_t seed, const col_observer *observer,
                                  col_problem *problem);

/* ---- A cycle: accesses of the bus, commits, retirements, then its end. */

/* Bytes from memory or a device. False: nothing is there, and they are 0. */
COL_API bool col_chip_read(col_chip *chip, uint64_t address, uint32_t bytes, uint8_t *to);
/* Byte i is written if bit i of `strobes` is set; at most 64 at once. */
COL_API bool col_chip_write(col_chip *chip, uint64_t address, uint32_t bytes, const uint8_t *from,
                            uint64_t strobes);

/* For the story of a failure, which names accesses that have no answer: bus `bus` asks for these
 * bytes, at most 4096; the access has happened; it has its answer; the bus lets go of all that it
 * asked for. A `number` is of one access of its bus. */
COL_API void col_chip_ask(col_chip *chip, uint32_t bus, uint64_t number, bool is_write,
                          uint64_t address, uint32_t bytes, uint64_t id);
COL_API void col_chip_perform(col_chip *chip, uint32_t bus, uint64_t number);
COL_API void col_chip_answer(col_chip *chip, uint32_t bus, uint64_t number);
COL_API void col_chip_forget(col_chip *chip, uint32_t bus);

/* The hart finished the instruction at this address. `reg` 0: no register was written. */
COL_API void col_chip_retire(col_chip *chip, uint32_t hart, uint64_t pc, uint32_t reg,
                             uint64_t value);
/* What the instruction at this address wrote became visible to all, and replaced this. */
COL_API void col_chip_commit(col_chip *chip, uint32_t hart, uint64_t pc, uint64_t replaced);

/* True: it goes on. False: the image has ended, or nothing moves any more. */
COL_API bool col_chip_end_cycle(col_chip *chip);

/* The start has ended, after this many cycles. `run` says how if someone else ended it: anything
 * but COL_RUN_COMPLETE; then only its sentence is completed. */
COL_API col_status col_chip_end(col_chip *chip, const col_observer *observer, col_run *run,
                                col_problem *problem);

COL_C_END
#endif
