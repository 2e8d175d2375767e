/* SPDX-License-Identifier: MIT */
/* Images run under QEMU, with RAM as a file that the results are read from. */
#pragma once

#include "design/isa/image.h"
#include "design/isa/image_results.h"
#include "judge/trace/black_box.h"

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
