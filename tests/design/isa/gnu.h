/* SPDX-License-Identifier: MIT */
/* The GNU assembler and disassembler, the judges of our machine code. */
#pragma once

#include "base/text.h"
#include "design/isa/isa.h"

/* Skips the test, with a sentence, if the tools for the target are missing. */
void want_gnu(const isa_target *target);
/* Skips the test, with a sentence, if there is no such command. */
void want_command(const char *command, const char *package);

/* The path of a file in a folder of this process, which goes with it. */
const char *temporary_file(const char *name);
/* Runs a command, which must succeed. */
void run_command(const char *format, ...) BASE_PRINTF(1, 2);
void read_bytes(const char *path, base_text *bytes);
void write_bytes(const char *path, const void *bytes, size_t size);

/* The machine code of an assembler text. */
void assemble(const isa_target *target, const base_text *text, base_text *bytes);

/* A disassembly, line by line: mnemonic and operands, a blank between, none in the operands. */
typedef struct line {
    uint32_t offset;
    char text[100];
} line;
typedef struct listing {
    line *lines;
    size_t count;
} listing;
/* Fails if anything is not an instruction. */
listing disassemble(const isa_target *target, const isa_code *code);
/* The place in the listing of the instruction at an offset; fails if none starts there. */
size_t line_at(const listing *list, uint32_t offset);
