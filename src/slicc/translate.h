/* SPDX-License-Identifier: MIT */
/* From a protocol's files to one C file. */
#ifndef SLICC_TRANSLATE_H
#define SLICC_TRANSLATE_H

#include "slicc/mutate.h"

enum { SLICC_MOST_NAME = 64 };

/* Reads a .slicc list or a .sm file and writes the protocol as C. COL_BAD_INPUT: the first mistake
 * is in `problem`, all of them, for a person to read, in `complaints`. `name` is what the protocol
 * calls itself, or its file's name. */
col_status slicc_translate(const char *path, base_text *c, char name[SLICC_MOST_NAME],
                           base_text *complaints, col_problem *problem);

/* The same; notes all mutations that the source has room for, and makes the one that is wanted. */
col_status slicc_translate_mutant(const char *path, slicc_mutations *mutations, base_text *c,
                                  char name[SLICC_MOST_NAME], base_text *complaints,
                                  col_problem *problem);

#endif
