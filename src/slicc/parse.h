/* SPDX-License-Identifier: MIT */
/*
 * From the text of a protocol to its tree. Both functions append to the tree, which starts from
 * {0}, and may be called several times on one. They return COL_OK also when the text is wrong: what
 * is wrong is in the report, and the tree holds what could be read.
 */
#ifndef SLICC_PARSE_H
#define SLICC_PARSE_H

#include "slicc/report.h"

enum {
    SLICC_MOST_NESTING = 200,    /* levels of blocks, operators, calls and parentheses */
    SLICC_MOST_INCLUDES = 20,    /* files open at once */
    SLICC_MOST_BYTES = 64 << 20, /* of one file */
};

/* A .sm file or a .slicc list of files. COL_BAD_INPUT: it cannot be read. */
col_status slicc_parse_file(slicc_tree *tree, const char *path, slicc_report *report,
                            col_problem *problem);

/* `file` names the text in complaints; its folder is where included files are looked for. */
col_status slicc_parse_text(slicc_tree *tree, const char *text, size_t length, const char *file,
                            slicc_report *report, col_problem *problem);

/* The tree's one copy of a name, or NULL when out of memory. */
const char *slicc_intern(slicc_tree *tree, const char *text, size_t length);

void slicc_tree_free(slicc_tree *tree);

#endif
