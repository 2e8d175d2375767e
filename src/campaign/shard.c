/* SPDX-License-Identifier: MIT */
/* Shards of a plan: see shard.h. */
#include "campaign/shard.h"

#include "base/problem.h"

#include <stdlib.h>
#include <string.h>

/* A number without sign or blanks; false: there is none. */
static bool take_number(const char **at, uint32_t *number) {
    uint64_t value = 0;
    const char *start = *at;
    while (**at >= '0' && **at <= '9' && value <= CAM_MOST_SHARDS)
        value = value * 10 + (uint64_t)(*(*at)++ - '0');
    *number = (uint32_t)value;
    return *at != start && value >= 1 && value <= CAM_MOST_SHARDS;
}

col_status cam_shard_read(cam_shard *shard, const char *text, col_problem *problem) {
    const char *at = text;
    if (take_number(&at, &shard->number) && *at++ == '/' && take_number(&at, &shard->count) &&
        *at == '\0' && shard->number <= shard->count)
        return COL_OK;
    return base_refuse(problem,
                       "--shard takes K/N with K from 1 to N and N at most %d, such as 3/8, not "
                       "'%.40s'",
                       CAM_MOST_SHARDS, text);
}

/* Keys are hashes: their first bits spread evenly. */
bool cam_shard_has(const cam_shard *shard, const char *key) {
    enum { DIGITS = 15 };
    char first[DIGITS + 1] = "";
    memcpy(first, key, strnlen(key, DIGITS));
    return shard->count == 0 || strtoull(first, NULL, 16) % shard->count == shard->number - 1;
}

void cam_shard_choose(const cam_shard *shard, const cam_keys *keys, bool *chosen) {
    for (size_t i = 0; i < keys->count; i++)
        chosen[i] = chosen[i] && cam_shard_has(shard, keys->keys[i]);
}
