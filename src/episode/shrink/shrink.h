/* SPDX-License-Identifier: MIT */
/*
 * One failing instance, looked at closely: which operations performed, in which order, with which
 * words, and which of them the failure is about.
 */
#ifndef EPISODE_SHRINK_SHRINK_H
#define EPISODE_SHRINK_SHRINK_H

#include "collider/shrink.h"
#include "episode/shrink/shrink_search.h"
#include "episode/worker_pool.h"

typedef struct epi_failing_run {
    epi_worker worker;
    epi_instance instance; /* with its events */
    bool *mentioned;       /* by operation: the violation names it */
    bool has_mentions;
    uint64_t block; /* an address in the block that a protocol error or an invariant is about */
    bool has_block;
    size_t capacity;
} epi_failing_run;

/* ---- The first cut (shrink_simplify.c): a failure of thousands of operations is mostly about the
 * last few of them. */

/* Tries the operations that performed last before the failure, from `fewest` on more and more:
 * those on the blocks that the failure is about first. `run` has seen the best program fail. */
bool epi_search_cut(epi_search *search, const epi_failing_run *run, uint32_t block_bits,
                    uint32_t fewest);

/* ---- Litmus tests (shrink_litmus.c), and what the words that reads returned prove alone. */

/* Judges the instance that was looked at. */
col_status epi_evidence_of(epi_failing_run *run, const col_program *program, col_evidence *evidence,
                           col_problem *problem);

/* Writes test.riscv.litmus, test.aarch64.litmus and test.x86-64.litmus into the folder; those that
 * an instruction set cannot say are left out. */
col_status epi_litmus_write(const epi_failing_run *run, const col_program *program,
                            const col_setting *setting, const col_shrunk *shrunk,
                            const char *folder, col_problem *problem);

#endif
