/* SPDX-License-Identifier: MIT */
/* The judges of our machine code: the GNU assembler and disassembler, and QEMU, with RAM as a file
 * that results are read from. */
#pragma once

#include "base/text.h"
#include "design/isa/image_results.h"
#include "judge/trace/black_box.h"

/* Reads a program that must be good. */
void read_text(col_program *program, const char *text);

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
typedef struct listed {
    uint32_t offset;
    char text[100];
} listed;
typedef struct listing {
    listed *lines;
    size_t count;
} listing;
/* Fails if anything is not an instruction. */
listing disassemble(const isa_target *target, const isa_code *code);
/* The place in the listing of the instruction at an offset; fails if none starts there. */
size_t line_at(const listing *list, uint32_t offset);

/* ---- Images under QEMU. */

/* The preset of the target's QEMU; skips the test, with a sentence, if that is missing. */
void want_qemu(const char *target, isa_platform *platform);

typedef struct qemu_run {
    uint32_t harts;      /* that QEMU has; 0: one for each thread */
    uint32_t seconds;    /* then it is ended; 0: only if it hangs */
    bool began;          /* it had its memory before it was ended */
    const char *more;    /* options; NULL: none */
    const char *machine; /* NULL: the usual one */
    bool traces;         /* every instruction of threads, on one thread of the host */
    int status;          /* of the exit, afterwards: 0 or 1 by a port, too */
    char trace[128];     /* its file, afterwards */
} qemu_run;

/* Boots the image; `results` gets the bytes of its window of results. */
void run_image(const isa_image *image, const isa_platform *platform, qemu_run *run,
               base_text *results);

/* What was counted over all images. */
typedef struct qemu_tally {
    uint64_t images, rounds, operations, distinct;
} qemu_tally;

/* Opens the results of a run that must have come to its end, and judges all its rounds by the
 * model: none may be forbidden. Returns how many a stronger model forbids. */
uint64_t judge_rounds(const isa_image *image, const col_program *program, const base_text *results,
                      col_model model, col_model stronger, qemu_tally *tally);
