/* SPDX-License-Identifier: MIT */
/* From a protocol's files to one C file. */
#ifndef SLICC_TRANSLATE_H
#define SLICC_TRANSLATE_H

#include "slicc/mutate.h"
#include "slicc/report.h"

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

/* For editors: reads and checks all of a protocol and keeps the tree, which starts from {0} but for
 * its overlay. COL_OK also if there are complaints; they are in the report. A part without machines
 * is only parsed. */
col_status slicc_analyse(slicc_tree *tree, slicc_report *report, const char *path,
                         col_problem *problem);

#endif
