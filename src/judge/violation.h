/* SPDX-License-Identifier: MIT */
/* Explanations of what is wrong with an execution: building them, and showing them. */
#pragma once

#include "base/diagram.h"
#include "collider/check.h"

/* Nobody reads longer cycles, and mentions are looked for one by one. */
enum { CHK_MOST_STEPS = 1 << 13 };

/* Forget what is there; memory is kept. */
void chk_violation_clear(col_violation *violation);

/* The mention of that operation, new (with an empty text) or the one that is there. Returns
 * COL_NO_MENTION when out of memory. */
uint32_t chk_mention(col_violation *violation, uint32_t operation);
/* The same with its place in the program. */
uint32_t chk_mention_in(col_violation *violation, const col_program *program, uint32_t operation);

/* An operation with what it did: "load a3 = 17". `word`: what it read; NULL: not known. */
void chk_describe(const col_operation *operation, const uint64_t *word, char *text, size_t size);

/* Words with what adds have counted in the upper half; see col_program_operand. */
void chk_print_word(char *text, size_t size, uint64_t word);

/* Add a step. A step that continues the last one within a thread, or from fr or co to co, is
 * added to it; so is the last step of a cycle to the first. */
col_status chk_step(col_violation *violation, col_step step, col_problem *problem);

/* Is the mention part of a step? (Where there are no steps, all mentions count.) */
bool chk_is_used(const col_violation *violation, uint32_t mention);

void chk_violation_print(const col_violation *violation, col_violation_format format,
                         base_text *text);

/* Draws the steps as arrows between the boxes of their operations, if these are there, and says the
 * reasons of steps in the caption. Thick are the steps in `back`. */
void chk_draw_steps(const col_violation *violation, const uint32_t *back, uint32_t back_count,
                    base_diagram *diagram);
