/* SPDX-License-Identifier: MIT */
/* Names of memory, while a test is read. */
#ifndef LIT_SYMBOLS_H
#define LIT_SYMBOLS_H

#include "litmus/test.h"

/* The symbol of that name; one that is not there yet becomes a single cell of an undeclared type,
 * with 0 in it. */
col_status lit_symbol_find(lit_test *test, const char *name, uint32_t *symbol,
                           col_problem *problem);

/* Makes a symbol that has one cell an array. */
col_status lit_symbol_extend(lit_test *test, uint32_t symbol, uint32_t cells, col_problem *problem);

/* Events access whole cells. */
void lit_parts_are_cells(lit_test *test);

#endif
