/* SPDX-License-Identifier: MIT */
/*
 * Files that have a name: designs, design errors and plans. They are looked for in the folder that
 * an environment variable names, where they are installed beside the command, and in the source
 * tree that this was built from, in this order.
 */
#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

#include "base/problem.h"

#include <stdbool.h>

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

#endif
