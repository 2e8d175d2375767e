/* SPDX-License-Identifier: MIT */
/* A shrunken failure as litmus tests, and what the words that its reads returned prove alone. */
#ifndef EPISODE_SHRINK_LITMUS_H
#define EPISODE_SHRINK_LITMUS_H

#include "collider/shrink.h"
#include "episode/shrink_look.h"

/* Judges the instance that was looked at. */
col_status epi_evidence_of(epi_look *look, const col_program *program, col_evidence *evidence,
                           col_problem *problem);

/* Writes test.riscv.litmus, test.aarch64.litmus and test.x86-64.litmus into the folder; those that
 * an instruction set cannot say are left out. */
col_status epi_litmus_write(const epi_look *look, const col_program *program,
                            const col_setting *setting, const col_shrunk *shrunk,
                            const char *folder, col_problem *problem);

#endif
