/* SPDX-License-Identifier: MIT */
/* Programs and single operations as text. */
#ifndef PROGRAM_WRITE_H
#define PROGRAM_WRITE_H

#include "base/text.h"
#include "collider/program.h"

void col_program_write(const col_program *program, col_text *text);
void col_operation_write(const col_operation *operation, col_text *text);

#endif
