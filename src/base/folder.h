/* SPDX-License-Identifier: MIT */
/*
 * Folders that results go to. What belongs together is staged: written into a hidden folder beside
 * its place and moved there when all of it is on the disk. Nothing below a folder that a user named
 * is reached through a symbolic link: the folder may come from somebody else.
 */
#pragma once

#include "base/problem.h"

#include <dirent.h>
#include <limits.h>
#include <sys/types.h>

/* Makes the folder and those above it; no problem if it is there. */
col_status base_folder_make(const char *path, col_problem *problem);

/* Makes a folder for this process alone, below TMPDIR or /tmp; `listed` is its place in file.h. The
 * path is empty after an error. */
col_status base_folder_make_temporary(char path[PATH_MAX], int *listed, col_problem *problem);
/* Removes it with all that is in it; nothing if the path is empty. */
void base_folder_remove_temporary(char path[PATH_MAX], int listed);

/* Is there something of that name in the folder, a dangling link included? */
bool base_folder_has(const char *folder, const char *name);

/* The next entry of an open folder. NULL: the end if errno is 0, else the folder cannot be read on.
 */
const struct dirent *base_folder_next(DIR *folder);

/* Removes a file, a link, or a folder with all that is in it, never what a link points to. */
void base_folder_remove(const char *folder, const char *name);
void base_folder_remove_path(const char *path);
/* The same for a folder whose files are known, ended by NULL: by name, which needs neither memory
 * nor a descriptor, for there may be none left. */
void base_folder_remove_files(const char *path, const char *const *names);

/* ---- One process at a time. */

typedef struct base_lock {
    int descriptor; /* -1: not held */
    char path[PATH_MAX];
} base_lock;
#define BASE_LOCK_NONE                                                                             \
    { .descriptor = -1 }

/* Refused while another process holds the lock of that folder, which must exist. A process that
 * dies lets go of it. */
col_status base_folder_lock(base_lock *lock, const char *folder, col_problem *problem);
void base_folder_unlock(base_lock *lock);

/* The lock itself: a file that is made if need be, and removed by who holds it. Its descriptor; or
 * -1 and the reason in errno, EWOULDBLOCK: another process has it. */
int base_lock_at(int folder, const char *name, mode_t mode);

/* ---- Staging. */

typedef struct base_stage {
    char path[PATH_MAX];   /* write here; nobody else does */
    char folder[PATH_MAX]; /* where it will be */
    bool is_new;           /* the folder itself is new: it is there whole or not at all */
    int listed;            /* in file.h */
} base_stage;

/* Begins a folder, or files of one that is there. */
col_status base_stage_begin(base_stage *stage, const char *folder, col_problem *problem);
/* With `keep` moves the files into place. `names`, ended by NULL, are all that the set may have:
 * old files of these names that are not staged are removed, files of other names are left alone.
 * They are moved in this order. */
col_status base_stage_end(base_stage *stage, bool keep, const char *const *names,
                          col_problem *problem);

/* Removes what processes that died left staged in the folder. Hold its lock. */
void base_stage_sweep(const char *folder);
