/* SPDX-License-Identifier: MIT */
/* What has been seen of an execution: see execution.h. */
#include "check/execution.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

col_status chk_execution_reset(chk_execution *execution, const chk_order *order,
                               col_problem *problem) {
    const size_t count = (size_t)order->operation_count + order->program->location_count;
    const uint32_t threads = order->thread_count;
    col_status status = base_reserve(&execution->seen, &execution->capacity, count + 1,
                                     sizeof *execution->seen, problem);
    if (status == COL_OK)
        status = base_reserve(&execution->furthest, &execution->thread_capacity,
                              (size_t)threads + 1, sizeof *execution->furthest, problem);
    if (status != COL_OK)
        return status;
    execution->order = order;
    memset(execution->seen, 0xFF, count * sizeof *execution->seen);
    memset(execution->furthest, 0, threads * sizeof *execution->furthest);
    return COL_OK;
}

void chk_execution_free(chk_execution *execution) {
    free(execution->seen);
    free(execution->furthest);
    *execution = (chk_execution){0};
}
