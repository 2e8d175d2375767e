/* SPDX-License-Identifier: MIT */
/* What conditionals turned out to be: see settle.h. */
#include "program/settle.h"

bool prg_has_conditionals(const col_program *program) {
    for (uint32_t o = 0; o < col_program_operations(program); o++)
        if (col_kinds[program->operations[o].kind].fails)
            return true;
    return false;
}

void prg_settle(col_operation *operation, bool has_failed) {
    if (!has_failed || !col_kinds[operation->kind].fails)
        return;
    operation->kind = COL_LOAD;
    operation->value = 0;
    operation->order &= COL_ACQUIRE;
    if (operation->dependency == COL_DATA) {
        operation->dependency = COL_NO_DEPENDENCY;
        operation->distance = 0;
    }
}
