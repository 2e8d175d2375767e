/* SPDX-License-Identifier: MIT */
/* Arrays that grow and are kept: the memory of the largest job so far serves the next one. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include "base/problem.h"

/* Make room for `count` items. `array` is the address of the array's pointer; its content is kept.
 */
col_status base_reserve(void *array, size_t *capacity, size_t count, size_t item_size,
                        col_problem *problem);

#endif
