/* SPDX-License-Identifier: MIT */
/* Valid random programs, built in memory through the public interface alone. */
#pragma once

#include "base/random.h"
#include "base/text.h"
#include "collider/program.h"

/* Uniform in low..high. */
uint32_t random_between(base_rng *rng, uint32_t low, uint32_t high);

/* Fills a shaped program: every kind, attribute, dependency and fence; values and addresses dense
 * in some programs and spread over their whole range in others; awaits that some write serves. */
void random_content(base_rng *rng, col_program *program);

/* 1 to 6 threads of 0 to 16 operations on 0 to 9 locations. */
void random_program(base_rng *rng, col_program *program);

/* Makes it narrow, perhaps: words of 4 bytes have no room for large values. */
void perhaps_narrow(base_rng *rng, col_program *program);

/* The program's text, in `text` from its start. */
void write_program(const col_program *program, base_text *text);

/* Reads the text, which must be good. */
void read_program(col_program *program, const base_text *text);
