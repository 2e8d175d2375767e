/* SPDX-License-Identifier: MIT */
/*
 * Merging stores: the shards of a campaign become one store. A trial has one row, whatever is
 * merged how often and in which order: one that is done counts, else the first that failed. Where a
 * row comes from (campaign, host, version, time) comes along.
 */
#ifndef RESULTS_STORE_STORE_MERGE_H
#define RESULTS_STORE_STORE_MERGE_H

#include "base/problem.h"

#include <stddef.h>

typedef struct cam_merge_summary {
    uint64_t added;   /* rows that were not there, or replaced one that failed */
    uint64_t present; /* rows that were there */
    uint64_t trials;  /* of all plans of the store, afterwards */
    uint64_t done, failed;
} cam_merge_summary;

/* One or more into `out`, which is made or goes on; none is enough if it is there. All of them are
 * looked at before anything is written: stores of different plans, designs or versions are refused.
 * Each store is one transaction; what is made is there whole or not at all. */
col_status cam_merge(const char *out, char *const *in, size_t count, cam_merge_summary *summary,
                     col_problem *problem);

/* Whether results of this version, of that plan alone and of its designs as they are, can be merged
 * into the store; hashes as a store has them. */
col_status cam_merge_fits(const char *out, const char *plan, const char *grid,
                          col_problem *problem);

#endif
