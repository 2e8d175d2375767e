/* SPDX-License-Identifier: MIT */
/* What fuzz targets and mutators share: what libFuzzer calls and offers, and what must hold. */
#pragma once

#include "collider/problem.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *count, char ***words);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

static inline void require(bool holds) {
    if (!holds)
        abort();
}

/* What is refused is refused with a sentence, */
static inline void require_sentence(col_status status, const col_problem *problem) {
    require(status == COL_OK || (status == COL_BAD_INPUT && problem->message[0] != '\0'));
}

/* or at a place in the text. */
static inline void require_place(col_status status, const col_problem *problem, size_t size) {
    require(status != COL_BAD_INPUT ||
            (problem->line > 0 && problem->column > 0 && problem->line <= size + 1));
}

/* A file for this process alone, where it is memory. */
static inline void name_file(char path[64], const char *name) {
    (void)snprintf(path, 64, "/dev/shm/fuzz-%s-%ld", name, (long)getpid());
}

static inline void put_file(const char *path, const void *data, size_t size) {
    FILE *file = fopen(path, "wb");
    require(file != NULL && fwrite(data, 1, size, file) == size && fclose(file) == 0);
}
