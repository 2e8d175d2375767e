/* SPDX-License-Identifier: MIT */
/* Whole files. Writing is all or nothing: a reader sees the old file or the new one. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/text.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

/* What is read whole has a size that fits any memory and is beyond any file of ours (the largest, a
 * saved engine, has tens of MiB): a pipe or device without an end, such as /dev/zero, is refused.
 */
enum { BASE_MOST_FILE = 256 << 20 };

/* What a file could not be read for, by its errno: the path is wrong, or the machine fails us. */
col_status base_cannot_read(const char *path, int reason, col_problem *problem);

/* Refuses what is there and is no regular file: a file of somebody else names it, and a pipe would
 * be waited for. Without `follows`, links are refused, too. */
col_status base_file_check_regular(const char *path, bool follows, col_problem *problem);

/* Appends the file's bytes to `text`. */
col_status base_file_read(const char *path, base_text *text, col_problem *problem);
/* The same for a path that a file names, or that a program writes: see base_file_check_regular. */
col_status base_file_read_regular(const char *path, base_text *text, col_problem *problem);
/* The same for a regular file in a folder that may be somebody else's: links are refused. */
col_status base_file_read_in(const char *folder, const char *name, base_text *text,
                             col_problem *problem);

/* Replaces the file, through a temporary one in the same folder; "-" is standard output. */
col_status base_file_write(const char *path, const char *data, size_t length, col_problem *problem);

/* In a folder that may be somebody else's: see base_file_begin_anew. */
col_status base_file_write_anew(const char *path, const char *data, size_t length,
                                col_problem *problem);

/* The same for content that is too long to be kept: begin, write to the stream, end. Without `keep`
 * a regular file stays what it was; what went to pipes and devices is gone. */
typedef struct base_file {
    const char *path; /* the caller's */
    FILE *stream;
    char target[PATH_MAX];    /* the file itself: a link stays a link */
    char temporary[PATH_MAX]; /* what becomes it at the end; empty: written in place */
    int listed;               /* in temporary.h */
} base_file;
col_status base_file_begin(base_file *file, const char *path, col_problem *problem);
/* In a folder that may be somebody else's: a link, or whatever else is in its place, is replaced
 * and not followed. */
col_status base_file_begin_anew(base_file *file, const char *path, col_problem *problem);
col_status base_file_end(base_file *file, bool keep, col_problem *problem);

#endif
