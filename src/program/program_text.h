/* SPDX-License-Identifier: MIT */
/* Programs and single operations as text. */
#ifndef PROGRAM_PROGRAM_TEXT_H
#define PROGRAM_PROGRAM_TEXT_H

#include "base/text.h"
#include "collider/program.h"

void prg_program_write(const col_program *program, base_text *text);
void prg_operation_write(const col_operation *operation, base_text *text);

/* The words of the text form that reader and writer share, besides the names of kinds. */

#define PRG_PROGRAM_VERSION 1

static const char *const prg_dependency_words[COL_DEPENDENCY_COUNT + 1] = {
    [COL_NO_DEPENDENCY] = "none",
    [COL_ADDRESS] = "address",
    [COL_DATA] = "data",
    [COL_CONTROL] = "control",
};

/* Every set of pairs has one canonical word. Products of a predecessor and a successor set are
 * written in RISC-V's way; the rest as a sum of pairs, in SPARC's spirit. */
static const char *const prg_fence_words[COL_FULL_FENCE + 1] = {
    [0] = "",
    [COL_READ_READ] = "r,r",
    [COL_READ_WRITE] = "r,w",
    [COL_READ_READ | COL_READ_WRITE] = "r,rw",
    [COL_WRITE_READ] = "w,r",
    [COL_READ_READ | COL_WRITE_READ] = "rw,r",
    [COL_READ_WRITE | COL_WRITE_READ] = "rw+wr",
    [COL_READ_READ | COL_READ_WRITE | COL_WRITE_READ] = "rr+rw+wr",
    [COL_WRITE_WRITE] = "w,w",
    [COL_READ_READ | COL_WRITE_WRITE] = "rr+ww",
    [COL_READ_WRITE | COL_WRITE_WRITE] = "rw,w",
    [COL_READ_READ | COL_READ_WRITE | COL_WRITE_WRITE] = "rr+rw+ww",
    [COL_WRITE_READ | COL_WRITE_WRITE] = "w,rw",
    [COL_READ_READ | COL_WRITE_READ | COL_WRITE_WRITE] = "rr+wr+ww",
    [COL_READ_WRITE | COL_WRITE_READ | COL_WRITE_WRITE] = "rw+wr+ww",
    [COL_FULL_FENCE] = "rw,rw",
};

/* The set that a word such as r,rw or rr+ww names, in any spelling; 0 if it names none. */
uint8_t prg_fence_pairs(const char *text, size_t length);

#endif
