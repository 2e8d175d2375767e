/* SPDX-License-Identifier: MIT */
/* Plain threads: kind and location of every operation drawn independently. */
#ifndef GENERATE_PLAIN_H
#define GENERATE_PLAIN_H

#include "base/rng.h"
#include "collider/generate.h"

/* Fills the operations of a shaped program. */
void gen_generate_plain(const col_instruction_mix *mix, base_rng *rng, col_program *program);

#endif
