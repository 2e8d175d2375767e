/* SPDX-License-Identifier: MIT */
/* All that the engine scout knows, and that as JSON. */
#ifndef DIRECT_SCOUT_STATE_H
#define DIRECT_SCOUT_STATE_H

#include "direct/scout.h"

/* A point is rare if at most this many tests have hit it. */
enum { DIR_SCOUT_FEW = 4 };

typedef struct dir_scout_parameters {
    double explore, forget;
    uint64_t vary, without;
} dir_scout_parameters;

/* Time is set aside for long tests: what wraps around or wears out shows in no other. */
typedef struct dir_scout_reserve {
    uint64_t cost, operations; /* of all tests: their ratio is the cost of an operation */
    uint64_t used;             /* of the cost: by long tests */
    uint64_t tests;            /* long ones that were made from it */
} dir_scout_reserve;

typedef struct dir_scout {
    dir_scout_parameters parameters;
    dir_scout_space space;
    dir_scout_bandit bandit;
    dir_scout_swarm swarm;
    dir_scout_corpus corpus;
    dir_scout_rarity rarity;
    dir_scout_reserve reserve;
    uint64_t test, told;
    bool is_pending; /* a test was handed out; what came of it is not known */
    dir_scout_recipe recipe;
    col_program pending;
    col_point point;
} dir_scout;

/* Memory for what tests hit, once the number of coverage points is known. */
col_status dir_scout_expect(dir_scout_rarity *rarity, uint64_t total, col_problem *problem);

/* What a test is paid for a point that it hit and that has been counted. */
double dir_scout_worth(const dir_scout_rarity *rarity, uint64_t point);

json_t *dir_scout_save(const void *state);
col_status dir_scout_restore(void *state, const json_t *saved, col_problem *problem);

#endif
