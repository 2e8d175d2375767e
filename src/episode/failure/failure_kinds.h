/* SPDX-License-Identifier: MIT */
/*
 * The failures of an episode by their fingerprints: how many there are of each kind, and which of
 * them keep a folder: the earliest and the smallest of a kind, so that a long run leaves tens of
 * folders. It follows from the failures alone, in their order.
 */
#pragma once

#include "base/json.h"
#include "collider/episode.h"

/* Adds a failure to its kind. Kinds beyond COL_MOST_KINDS are not told apart. */
col_status epi_kind_add(col_episode *episode, const col_failure *failure, col_problem *problem);

/* A failure that has a folder. */
typedef struct epi_kept {
    uint64_t test;
    uint32_t instance, operations;
    uint32_t kind; /* of the episode's; COL_MOST_KINDS: one of those that are not told apart */
} epi_kept;

/* Start from {.most = ...}. */
typedef struct epi_keeping {
    uint32_t most;  /* folders of a kind; 0: all */
    epi_kept *list; /* in the order in which they came; the first of all stays */
    size_t count, capacity;
} epi_keeping;

/* Further folders of a kind, beyond its first, are there for as many kinds as this. */
enum { EPI_KINDS_WITH_MORE = 16 };

/* Is the failure, which is not added to its kind yet, to be kept? */
bool epi_keeping_wants(const epi_keeping *keeping, const col_episode *episode,
                       const col_failure *failure);
/* It has a folder in that of the episode now: removes the one that it takes the place of. */
col_status epi_keeping_add(epi_keeping *keeping, const col_episode *episode,
                           const col_failure *failure, const char *folder, col_problem *problem);
void epi_keeping_free(epi_keeping *keeping);

/* For an episode that goes on later. */
json_t *epi_keeping_save(const epi_keeping *keeping);
col_status epi_keeping_restore(epi_keeping *keeping, const json_t *saved, bool *is_good,
                               col_problem *problem);
