/* SPDX-License-Identifier: MIT */
/* Paths as text. A path that does not fit is an error, never another file's name. */
#ifndef BASE_PATH_H
#define BASE_PATH_H

#include "base/problem.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* FOLDER/NAME. */
col_status base_path_in(char path[PATH_MAX], const char *folder, const char *name,
                        col_problem *problem);

/* What `name` means in a file: an absolute path is itself, any other one starts at the folder that
 * the file is in. */
col_status base_path_beside(char path[PATH_MAX], const char *file, const char *name,
                            col_problem *problem);

/* Do both name one file or folder that exists, by whatever way? */
bool base_path_same(const char *a, const char *b);

/* The same; or would both make the same new file? */
bool base_path_same_place(const char *a, const char *b);

/* What follows the last slash; all of it if there is none. Points into the path. */
const char *base_path_name(const char *path);

/* How long this name is without its ending: "D9" of "folder/D9.yaml", all of ".yaml". */
size_t base_path_stem(const char *name);

/* Does the path end in `ending`, with a name before it? */
bool base_path_ends(const char *path, const char *ending);

#endif
