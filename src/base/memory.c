/* SPDX-License-Identifier: MIT */
/* Arrays that grow: see memory.h. */
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

col_status base_reserve(void *array, size_t *capacity, size_t count, size_t item_size,
                        col_problem *problem) {
    if (count <= *capacity)
        return COL_OK;
    size_t wanted = *capacity + *capacity / 2;
    if (wanted < count)
        wanted = count;
    if (wanted > SIZE_MAX / 2 / item_size)
        return base_out_of_memory(problem);
    void *old;
    memcpy(&old, array, sizeof old);
    void *grown = realloc(old, wanted * item_size);
    if (grown == NULL)
        return base_out_of_memory(problem);
    memcpy(array, &grown, sizeof grown);
    *capacity = wanted;
    return COL_OK; // cppcheck-suppress memleak ; the caller's pointer has it
}
