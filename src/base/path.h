/* SPDX-License-Identifier: MIT */
/* Paths as text. A path that does not fit is an error, never another file's name. */
#pragma once

#include "base/problem.h"

#include <limits.h>

/* FOLDER/NAME. */
col_status base_path_in(char path[PATH_MAX], const char *folder, const char *name,
                        col_problem *problem);

/* What `name` means in a file: an absolute path is itself, any other one starts at the folder that
 * the file is in. */
col_status base_path_beside(char path[PATH_MAX], const char *file, const char *name,
                            col_problem *problem);

/* "${VARIABLE}/rest", a path that starts in the environment: its variable. False: it is another
 * path, or malformed. */
enum { BASE_VARIABLE = 128 };
bool base_path_variable(const char *name, char variable[BASE_VARIABLE]);

/* The same as base_path_beside, of a path that may start in the environment. `what` it is of, such
 * as "protocol", is for the sentence about a variable that is not set. */
col_status base_path_expand(char path[PATH_MAX], const char *file, const char *name,
                            const char *what, col_problem *problem);

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

/*
 * Files that have a name: designs, design errors and plans. They are looked for in the folder that
 * an environment variable names, where they are installed beside the command, and in the source
 * tree that this was built from, in this order.
 */

#define BASE_LIBRARY_ENDING ".yaml"

typedef struct base_library_file {
    char name[64];   /* the file's, without .yaml */
    char path[1024]; /* empty: it is built in */
    uint32_t turn;   /* where it was found: a smaller number goes first */
} base_library_file;

typedef struct base_library {
    base_library_file *entries;
    size_t count, capacity;
} base_library;

typedef struct base_library_place {
    const char *variable; /* of the environment: a folder */
    const char *source;   /* the folder in the source tree */
    const char *kind;     /* the folder's name below share/collider */
    bool has_folders;     /* the files are in these folders and in those right below them */
} base_library_place;

/* <prefix>/share/collider/KIND of a command that is <prefix>/bin/collider, or of a shared library
 * below <prefix>/lib; false: nobody knows. */
bool base_installed_folder(const char *kind, char *path, size_t size);

/* Adds all files NAME.yaml; a folder that is not there has none. Names may be there twice. */
col_status base_library_add_files(base_library *library, const base_library_place *place,
                                  col_problem *problem);
/* Adds one, behind all that are there; what is no name for a file is left out. */
col_status base_library_add(base_library *library, const char *name, size_t length,
                            const char *path, col_problem *problem);
/* By name; of one name as they were found, so that the first is the one that counts. */
void base_library_sort(base_library *library);
/* Of a sorted library: keeps the first of each name. */
void base_library_keep_first(base_library *library);
void base_library_free(base_library *library);

/* The file of that name that counts, without a list, and so without memory that could run out;
 * false: there is none. Not for places that have folders. */
bool base_library_path(const base_library_place *place, const char *name, char *path, size_t size);
/* The same of a file with an ending of its own. */
bool base_library_find_file(const base_library_place *place, const char *file, char *path,
                            size_t size);

/* The first of that name; NULL: none. */
const base_library_file *base_library_find(const base_library *library, const char *name);
