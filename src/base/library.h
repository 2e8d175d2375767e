/* SPDX-License-Identifier: MIT */
/*
 * Files that have a name: designs and design errors. They are looked for in the folder that a
 * variable of the environment names, where they are installed beside the command, and in the source
 * tree that this was built from, in this order.
 */
#ifndef SIM_LIBRARY_H
#define SIM_LIBRARY_H

#include "base/problem.h"

#include <stdbool.h>

#define SIM_LIBRARY_ENDING ".yaml"

typedef struct sim_library_file {
    char name[64];   /* the file's, without .yaml */
    char path[1024]; /* empty: it is built in */
    uint32_t turn;   /* where it was found: a smaller number goes first */
} sim_library_file;

typedef struct sim_library {
    sim_library_file *entries;
    size_t count, capacity;
} sim_library;

typedef struct sim_library_place {
    const char *variable; /* of the environment: a folder */
    const char *source;   /* the folder in the source tree */
    const char *kind;     /* the folder's name below share/collider */
    bool has_folders;     /* the files are in these folders and in those right below them */
} sim_library_place;

/* <prefix>/share/collider/KIND of a command that is <prefix>/bin/collider; false: nobody knows. */
bool sim_installed_folder(const char *kind, char *path, size_t size);

/* Adds all files NAME.yaml; a folder that is not there has none. Names may be there twice. */
col_status sim_library_add_files(sim_library *library, const sim_library_place *place,
                                 col_problem *problem);
/* Adds one, behind all that are there; what is no name for a file is left out. */
col_status sim_library_add(sim_library *library, const char *name, size_t length, const char *path,
                           col_problem *problem);
/* By name; of one name as they were found, so that the first is the one that counts. */
void sim_library_sort(sim_library *library);
void sim_library_free(sim_library *library);

/* The first of that name; NULL: none. */
const sim_library_file *sim_library_find(const sim_library *library, const char *name);

#endif
