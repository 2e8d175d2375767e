/* SPDX-License-Identifier: MIT */
/*
 * The files that a design consists of, for whoever wants to copy it: those that the user made, and
 * those of the libraries of designs and errors. What is compiled into Collider is no file.
 */
#pragma once

#include "base/problem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Files of one part refer to each other, and so keep their places relative to each other. */
enum {
    DUV_PART_DESIGN,
    DUV_PART_PROTOCOL,
    DUV_PART_ERROR /* + the place of the error in the list of errors */
};

typedef struct duv_file {
    uint32_t part;
    char *path; /* the real path of its folder, and its name there */
    char *text; /* its bytes, and a NUL */
    size_t length;
    /* A design file names the first file of its protocol here, in any way. */
    size_t name_at, name_length; /* 0: it does not */
} duv_file;

/* Start from {0}; free it also after an error. The design's own file comes first, then the first
 * one of its protocol; a design of the list need not have either. */
typedef struct duv_files {
    duv_file *list;
    size_t count, capacity, bytes;
} duv_files;

enum { DUV_MOST_FILES = 4096, DUV_MOST_BYTES = 64 << 20 };

/* `errors` may be NULL. Refuses a kind of designs that has no files to be copied. */
col_status duv_files_gather(duv_files *files, const char *design, const char *errors,
                            col_problem *problem);
void duv_files_free(duv_files *files);

/* The first file of a part; NULL: it has none. */
const duv_file *duv_files_first(const duv_files *files, uint32_t part);

/* For the kinds: adds the file with what is in it, once. */
col_status duv_files_add(duv_files *files, uint32_t part, const char *path, col_problem *problem);
