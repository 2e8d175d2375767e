/* SPDX-License-Identifier: MIT */
/* The synthesiser: see synthesise.h. */
#include "generate/synthesise.h"

#include <assert.h>

void gen_synthesise(col_program *program) {
    /* One bit for each kind that writes, so that the loop needs no table. */
    uint32_t writers = 0;
    for (uint32_t kind = 0; kind < COL_KIND_COUNT; kind++)
        writers |= (uint32_t)col_kinds[kind].writes << kind;

    const uint32_t count = col_program_operations(program);
    uint32_t value = 0;
    for (uint32_t o = 0; o < count; o++) {
        col_operation *operation = &program->operations[o];
        assert(operation->kind != COL_AWAIT);
        const uint32_t writes = writers >> operation->kind & 1;
        value += writes;
        operation->value = value & (0 - writes);
    }
}
