/* SPDX-License-Identifier: MIT */
/* Programs and single operations as text. */
#ifndef PROGRAM_WRITE_H
#define PROGRAM_WRITE_H

#include "base/text.h"
#include "collider/program.h"

void prg_program_write(const col_program *program, base_text *text);
void prg_operation_write(const col_operation *operation, base_text *text);

#endif
