/* SPDX-License-Identifier: MIT */
/* The synthesiser: numbers the values that a program writes, 1, 2, 3, ... thread by thread. */
#ifndef GENERATE_SYNTHESISE_H
#define GENERATE_SYNTHESISE_H

#include "collider/program.h"

/* Overwrites the values of everything that writes. The program must have no awaits. */
void gen_synthesise(col_program *program);

#endif
