/* SPDX-License-Identifier: MIT */
/* A part of a plan for one of several machines: trials belong to shards by their keys, so that
 * shards are disjoint and complete whoever runs them, whenever, in whatever order. */
#ifndef CAMPAIGN_SHARD_H
#define CAMPAIGN_SHARD_H

#include "campaign/key.h"

enum { CAM_MOST_SHARDS = 1000000 };

typedef struct cam_shard {
    uint32_t number, count; /* from 1 to count; count 0: the whole plan */
} cam_shard;

/* "3/8". */
col_status cam_shard_read(cam_shard *shard, const char *text, col_problem *problem);
bool cam_shard_has(const cam_shard *shard, const char *key);
/* Clears chosen[i] of the trials of other shards. */
void cam_shard_choose(const cam_shard *shard, const cam_keys *keys, bool *chosen);

#endif
