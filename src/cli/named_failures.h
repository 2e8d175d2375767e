/* SPDX-License-Identifier: MIT */
/*
 * Failures as users name them, for all commands that take some: a failure folder, an episode folder
 * (all its failures), a pattern of these, a results store (all of its failures, or --failure N), or
 * a pack. What is in a store or pack is used from a temporary folder.
 */
#pragma once

#include "cli/command_line.h"

#include "base/memory.h"
#include "episode/failure/pack.h"

#include <limits.h>
#include <sys/types.h>

/* Of commands that take failures: those that list a store's unless they are told which, and those
 * that take them all. */
#define CLI_LISTED_FAILURE_OPTION(X)                                                               \
    X(FAILURE, "failure", "N", NULL,                                                               \
      "the failure of a results store to use, or all; without it, list them")
#define CLI_FAILURE_OPTION(X)                                                                      \
    X(FAILURE, "failure", "N", NULL, "the failure of a results store to use (all)")

typedef struct cli_failure {
    const char *name;       /* behind `collider replay`, unless the shell needs quotes */
    const char *short_name; /* of a folder for what is made of it */
    const char *path;       /* the folder, pack or store that the user named */
    const char *folder;     /* where it is once it is opened */
    const char *parts;      /* of a pack: where the files of its design are then */
    epi_pack pack;          /* the names of its files */
    bool is_of_store, is_pack;
    dev_t device;
    ino_t inode;
} cli_failure;

typedef struct cli_failures {
    base_arena arena;
    cli_failure *list;
    size_t count, capacity;
    const char **episodes; /* folders of all whose failures are in the list */
    size_t episode_count, episode_capacity;
    size_t named;   /* failures, as often as they are */
    size_t lost;    /* failures of stores whose programs are not there */
    bool is_one;    /* the words name one failure, and not a group that has just one */
    bool is_listed; /* instead, the failures of a store were printed */
    char temporary[PATH_MAX];
    int listed; /* in base/file.h */
} cli_failures;

/* The operands; `failure` is the value of --failure. `lists`: a store without --failure is printed
 * as a list, where options about failures are refused. Free it also after a problem. */
col_status cli_failures_find(cli_failures *failures, const cli_arguments *arguments,
                             const char *failure, bool lists, col_problem *problem);
/* Its folder is there until it is closed, or all are freed. */
col_status cli_failure_open(cli_failures *failures, cli_failure *failure, col_problem *problem);
void cli_failure_close(const cli_failure *failure);
/* Problems name what the user named, not a temporary folder. */
void cli_failure_blame(const cli_failures *failures, const cli_failure *failure,
                       col_problem *problem);
/* The same for a problem of any of them. */
void cli_failures_blame(const cli_failures *failures, col_problem *problem);
/* What the user calls an open folder. */
const char *cli_failures_name(const cli_failures *failures, const char *folder);
/* A folder for a command's own results that will be moved, beside opened failures. */
col_status cli_failures_make_room(cli_failures *failures, const char *name, char path[PATH_MAX],
                                  col_problem *problem);
void cli_failures_free(cli_failures *failures);
