/* SPDX-License-Identifier: MIT */
/* Whole files. Writing is all or nothing: a reader sees the old file or the new one. */
#pragma once

#include "base/text.h"

#include <limits.h>

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

/* The same; frees the text. */
col_status base_file_write_text(const char *path, base_text *text, col_problem *problem);

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
    int listed;               /* in file.h */
} base_file;
col_status base_file_begin(base_file *file, const char *path, col_problem *problem);
/* In a folder that may be somebody else's: a link, or whatever else is in its place, is replaced
 * and not followed. */
col_status base_file_begin_anew(base_file *file, const char *path, col_problem *problem);
col_status base_file_end(base_file *file, bool keep, col_problem *problem);

/*
 * Temporary files and folders that a signal must not leave behind. The list is global, because that
 * is all that a signal can reach; it belongs to the process that made it, not to what it forks.
 */

/* Remembers the file, or the folder with all that will be in it; returns what to forget it by. */
int base_temporary_add(const char *path);
void base_temporary_forget(int which);

/* Removes them; and what has this name in an open folder, with all that is in it. May be called by
 * a signal's handler. */
void base_temporary_remove_all(void);
void base_remove_at(int above, const char *name);

/*
 * Files that options name for a command to write. What it reads must not be among them, also where
 * no word of its line names the input: a file of a failure folder, a protocol that a design file
 * names, what a model includes. Nor must what it writes besides: a record in its folder, a results
 * store. The command line lists its outputs before it reads anything; a program that embeds the
 * library lists none, and may write what it has read.
 */

/* A file, whether it exists or not, and the option that names it. Both texts must stay until all
 * are forgotten, at the end of the command: another may follow in the same process. `is_read`: the
 * command may read it before it writes it. */
void base_outputs_add(const char *option, const char *path, bool is_read);
void base_outputs_forget(void);

/* Refuses an open file if it is one of the outputs. */
col_status base_outputs_check(int descriptor, col_problem *problem);

/* Before a file is replaced, and after it was replaced or moved into place. What is written for an
 * option has the very text that was listed for its path, not a copy. It is refused if the command
 * has made that file for something else, by whatever path. What another process has put there is
 * replaced: the last of two writers wins. */
col_status base_outputs_claim(const char *path, col_problem *problem);
void base_outputs_note(const char *path);
