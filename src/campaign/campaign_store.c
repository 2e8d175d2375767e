/* SPDX-License-Identifier: MIT */
/*
 * A campaign and its store. It has the store open only for moments, never while it forks: an SQLite
 * connection must not be carried over a fork.
 */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): MAP_ANONYMOUS
#include "campaign/campaign_parts.h"

#include "base/clock.h"
#include "base/memory.h"
#include "campaign/scratch.h"
#include "campaign/store_parts.h"
#include "campaign/trial.h"
#include "campaign/trial_run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void cam_break_off(cam_campaign *c, col_status status, const col_problem *problem) {
    if (c->status == COL_OK && status != COL_OK) {
        c->status = status;
        c->problem = *problem;
    }
}

uint64_t cam_count(const cam_campaign *c, cam_status status) {
    uint64_t count = 0;
    for (size_t i = 0; i < c->plan->trial_count; i++)
        count += c->statuses[i] == status;
    return count;
}

/* ---- Beginning. */

/* Before anything is written. Trials that another plan has in common with this one are no reason to
 * be careful. */
static col_status check_results(const cam_campaign *c, cam_store *store, col_problem *problem) {
    uint64_t count = 0;
    if (c->settings->resume || c->settings->retry)
        return COL_OK;
    const col_status status = cam_store_count_results(store, c->plan->hash, &count, problem);
    if (status != COL_OK || count == 0)
        return status;
    return base_refuse(problem,
                       "%.300s has results of this plan already (%" PRIu64
                       " of %zu trials); --resume "
                       "continues it, --out names another store",
                       c->settings->store, count, c->plan->trial_count);
}

static col_status list_open(cam_campaign *c, col_problem *problem) {
    const col_status status = base_reserve(&c->open, &c->open_capacity, c->plan->trial_count + 1,
                                           sizeof *c->open, problem);
    for (size_t i = 0; i < c->plan->trial_count && status == COL_OK; i++)
        if (c->statuses[i] == CAM_OPEN || (c->statuses[i] == CAM_FAILED && c->settings->retry)) {
            c->statuses[i] = CAM_OPEN;
            c->open[c->open_count++] = i;
        }
    c->before = c->plan->trial_count - c->open_count;
    return status;
}

/* Registers the plan and the campaign, finds out what there is to do, and cleans up after those
 * that were killed. */
static col_status enter_store(cam_campaign *c, cam_store *store, col_problem *problem) {
    int64_t plan = 0;
    col_status status = check_results(c, store, problem);
    if (status == COL_OK)
        status = cam_store_put_plan(store, c->plan, &c->keys, &plan, problem);
    if (status == COL_OK)
        status = cam_store_count_outdated(store, &c->summary->outdated, problem);
    if (status == COL_OK)
        status = cam_store_status(store, c->plan->hash, c->statuses, c->plan->trial_count, problem);
    if (status == COL_OK)
        status = list_open(c, problem);
    if (status == COL_OK)
        status =
            cam_enlist(store, plan, c->worker_count, &c->task.self, &c->task.campaign, problem);
    if (status == COL_OK)
        status = cam_scratch_sweep(store, c->settings->store, 0, &c->task.self, problem);
    return status;
}

static col_status begin_task(cam_campaign *c, col_problem *problem) {
    void *memory =
        mmap(NULL, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return base_fail(problem, "no memory can be shared with workers");
    c->shared_stop = memory;
    c->task = (cam_task){.plan = c->plan,
                         .keys = &c->keys,
                         .keeps_failure = c->keeps_failure,
                         .store = c->settings->store,
                         .retry = c->settings->retry,
                         .stop = c->shared_stop};
    cam_process_self(&c->task.self);
    return COL_OK;
}

col_status cam_campaign_begin(cam_campaign *c, col_problem *problem) {
    cam_store *store = NULL;
    c->statuses = calloc(c->plan->trial_count + 1, sizeof *c->statuses);
    c->keeps_failure = calloc(c->plan->trial_count + 1, sizeof *c->keeps_failure);
    if (c->statuses == NULL || c->keeps_failure == NULL)
        return base_out_of_memory(problem);
    col_status status = cam_keys_make(&c->keys, c->plan, problem);
    if (status == COL_OK)
        status = cam_wording_begin(&c->wording, c->plan, problem);
    if (status == COL_OK)
        status = cam_choose_kept(c->plan, c->keeps_failure, problem);
    if (status == COL_OK)
        status = begin_task(c, problem);
    if (status != COL_OK)
        return status;
    status = cam_store_create(&store, c->settings->store, problem);
    if (status == COL_OK)
        status = enter_store(c, store, problem);
    cam_store_close(store);
    return status;
}

/* ---- The store, for a moment. */

static cam_store *open_store(cam_campaign *c) {
    cam_store *store = NULL;
    col_problem problem;
    const col_status status = cam_store_open_again(&store, c->settings->store, &problem);
    cam_break_off(c, status, &problem);
    if (status == COL_OK)
        cam_store_credit(store, c->task.campaign);
    return store;
}

void cam_campaign_beat(cam_campaign *c) {
    col_problem problem;
    if (base_seconds() - c->last_beat < CAM_HEARTBEAT)
        return;
    c->last_beat = base_seconds();
    cam_store *store = open_store(c);
    if (store != NULL)
        cam_break_off(c, cam_beat(store, c->task.campaign, &problem), &problem);
    cam_store_close(store);
}

void cam_campaign_fail(cam_campaign *c, size_t position, const char *reason, double seconds) {
    col_problem problem;
    cam_outcome outcome = {0};
    cam_row_begin(&outcome.row, &c->plan->trials[position], c->keys.keys[position],
                  c->keys.designs[position], c->task.self.host);
    outcome.row.seconds = seconds;
    cam_outcome_fail(&outcome, reason);
    cam_store *store = open_store(c);
    if (store != NULL)
        cam_break_off(c, cam_store_add(store, &outcome.row, NULL, 0, &problem), &problem);
    cam_store_close(store);
}

/* ---- The end. */

static col_status sum_up(void *context, const cam_row *row, col_problem *problem) {
    cam_campaign_summary *summary = context;
    const cam_trial trial = {.kind = row->kind, .pairs = row->pairs, .pair_count = row->pair_count};
    (void)problem;
    summary->done += row->is_done;
    summary->failed += !row->is_done;
    if (row->verdict == NULL || strcmp(row->verdict, col_outcomes[COL_PASS]) == 0)
        return COL_OK;
    *(cam_trial_hunts(&trial) ? &summary->found : &summary->unexpected) += 1;
    return COL_OK;
}

void cam_campaign_leave(cam_campaign *c) {
    col_problem problem;
    cam_campaign_summary *summary = c->summary;
    summary->total = c->plan->trial_count;
    cam_store *store = open_store(c);
    if (store == NULL)
        return;
    cam_break_off(c, cam_discharge(store, c->task.campaign, &problem), &problem);
    (void)cam_scratch_sweep(store, c->settings->store, c->task.campaign, &c->task.self, NULL);
    cam_break_off(c, cam_store_each(store, c->plan->hash, 0, sum_up, summary, &problem), &problem);
    cam_store_close(store);
}

void cam_campaign_free(cam_campaign *c) {
    cam_keys_free(&c->keys);
    cam_wording_end(&c->wording);
    if (c->shared_stop != NULL)
        (void)munmap(c->shared_stop, sizeof *c->shared_stop);
    free(c->statuses);
    free(c->keeps_failure);
    free(c->open);
    free(c->elsewhere);
    free(c->ended);
    free(c);
}
