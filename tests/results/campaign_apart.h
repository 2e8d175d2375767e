/* SPDX-License-Identifier: MIT */
/*
 * Campaigns in processes of their own, so that they can be killed; and a plan of quick trials of
 * all kinds, with what comes of it if nobody disturbs it.
 */
#pragma once

#include "results/campaign.h"
#include "results/plan/trial.h"
#include "results/store_dump.h"

#include <sys/types.h>

/* Errors that are found, with their stories; an error that does not exist; an engine that learns; a
 * study of locations. */
extern const char quick_plan[];
enum { TRIALS = 12, FAILING = 2, FOUND = 2 };

typedef struct how {
    const char *plan, *store;
    uint32_t jobs;
    bool resume, retry;
    cam_shard shard;
    uint64_t most_bytes; /* that a file may have; 0: any */
} how;

typedef struct campaign_result {
    col_status status;
    cam_campaign_summary summary;
    char message[512];
} campaign_result;

typedef struct running {
    pid_t process;
    int line; /* the result comes over this */
} running;

running start(const how *h);
/* False: it was killed. */
bool finish(running *campaign, campaign_result *r);

void run_apart(const how *h, campaign_result *r);
/* The same; that it does not work is the end of the test. */
void run_well(const how *h, campaign_result *r);

/* What a campaign of the quick plan makes that nobody disturbs, and how long it takes. */
void make_reference(base_text *reference, double *seconds);
/* The store is that one, and nothing lies beside it. */
void check_same(const char *store, const base_text *reference);
bool has_temporary_folders(void);
