/* SPDX-License-Identifier: MIT */
/*
 * What an image left behind: how the run ended, and for each round what its reads returned. The
 * bytes are those of the map's window `results`, from wherever: a memory file, a dump, a signature.
 */
#pragma once

#include "base/hash.h"
#include "base/text.h"
#include "collider/event.h"
#include "design/isa/image.h"

typedef struct isa_results {
    const isa_map *map;
    const col_program *program;
    const uint8_t *bytes;
    base_index values; /* of stores and swaps */
    uint32_t *writers; /* by their number there */
    size_t writer_capacity;
} isa_results;

/* Start from {0}. Map, program and bytes must stay; close at the end. */
col_status isa_results_open(isa_results *results, const isa_map *map, const col_program *program,
                            const uint8_t *bytes, col_problem *problem);
void isa_results_close(isa_results *results);

/* How a run ended. */
typedef struct isa_ending {
    isa_state state;    /* ISA_STATE_DONE: well */
    uint32_t hart;      /* whose record says so */
    uint64_t round;     /* that it was in, from 0 */
    uint64_t rounds;    /* that are whole, and can be judged */
    uint64_t pc;        /* of a trap; else 0 */
    char sentence[320]; /* what went wrong; empty: nothing */
} isa_ending;

/* Refuses what is not the results of this image. */
col_status isa_results_ending(const isa_results *results, isa_ending *ending, col_problem *problem);

/* How far a hart came, by its record. */
isa_state isa_results_state(const isa_results *results, uint32_t hart, uint64_t *round);

/* What a word of the log says. */
typedef enum isa_word_state {
    ISA_WORD_GOOD,
    ISA_WORD_LOST, /* nobody logged it */
    ISA_WORD_OLD   /* it belongs to another round */
} isa_word_state;

typedef struct isa_read {
    uint64_t word; /* that was returned, as the program's words are */
    isa_word_state state;
} isa_read;

/* The reads of a round. Start from {0}. */
typedef struct isa_reads {
    uint64_t round;
    isa_read *operations; /* of the program; those that do not read are good */
    isa_read *finals;     /* by location */
    uint32_t lost_count, old_count;
    bool has_finals;
    size_t operation_capacity, final_capacity;
} isa_reads;

/* Rounds below the ending's `rounds`; others have words that are lost. */
col_status isa_results_round(const isa_results *results, uint64_t round, isa_reads *reads,
                             col_problem *problem);
void isa_reads_free(isa_reads *reads);

/* Tells all words but lost ones: COL_VALUE_RETURNED, then COL_FINAL_VALUE. */
void isa_reads_tell(const isa_reads *reads, const col_program *program,
                    const col_observer *observer);

/* What is wrong with the first word that is lost or old; rounds are counted from 1. False: all are
 * good. */
bool isa_reads_explain(const isa_results *results, const isa_reads *reads, char *sentence,
                       size_t size);

/* The results of all programs of the image in a file: their bytes; all of RAM; or text, lines of
 * hexadecimal digits as riscv-tests' signatures have them, of any width, the last byte first. */
col_status isa_results_read(const isa_map *map, const char *path, base_text *bytes,
                            col_problem *problem);
/* The same for what a file holds; it is replaced. */
col_status isa_results_take(const isa_map *map, const char *file, base_text *content,
                            col_problem *problem);

/* "thread 1, operation 3 (load a0)" */
void isa_name_operation(const col_program *program, uint32_t operation, char *text, size_t size);

/*
 * ---- Commit logs: what a simulator says of every instruction that it retires. Whoever has one
 * needs no code that logs. Two forms, which may be mixed:
 *
 *     core   0: 3 0x0000000080004024 (0x00053683) x13 0x0000000000000005 mem 0x0000000080010040
 *     0 0x80004024 x13 0x5
 *
 * The first is Spike's (--log-commits); lines that begin with "core" and say nothing of a register
 * are skipped. The second has the hart, the program counter, the register and its new value, as
 * RVFI does; '#' starts a comment.
 */

typedef struct isa_commits isa_commits;

/* The map must stay; commits have a map of their own, of results as they would be in memory. */
col_status isa_commits_new(isa_commits **commits, const isa_map *map, const col_program *program,
                           const char *file, col_problem *problem);
void isa_commits_free(isa_commits *commits);

/* Some more text, cut anywhere. */
col_status isa_commits_add(isa_commits *commits, const char *text, size_t length,
                           col_problem *problem);

/* The same for what a simulator prints, among other things: only lines that look like commits are
 * taken for them. */
col_status isa_commits_add_output(isa_commits *commits, const char *text, size_t length,
                                  col_problem *problem);

/* One commit, without text. `reg` is ISA_NONE if no register was written. */
col_status isa_commits_take(isa_commits *commits, uint32_t hart, uint64_t pc, uint32_t reg,
                            uint64_t value, col_problem *problem);

/* The text has ended: what can be judged, for isa_results_open. They are the commits'. Rounds that
 * a hart did not finish are missing from the map's. A log without any read of the image is refused.
 */
col_status isa_commits_end(isa_commits *commits, const isa_map **map, const uint8_t **bytes,
                           col_problem *problem);

/* A whole file; "-" is standard input. */
col_status isa_commits_read(isa_commits *commits, const char *path, col_problem *problem);
