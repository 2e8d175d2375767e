/* SPDX-License-Identifier: MIT */
/* A tree as an S-expression, to compare it with what is expected. */
#ifndef TESTS_SLICC_PRINT_TREE_H
#define TESTS_SLICC_PRINT_TREE_H

#include "base/text.h"
#include "slicc/ast.h"

void print_tree(const slicc_tree *tree, base_text *text);

#endif
