/* SPDX-License-Identifier: MIT */
/*
 * Dealing out a plan: see cluster.h. Batches are of equal cost, not of equal numbers of trials, and
 * become smaller towards the end: each is a quarter of what a task would still have to do. So a
 * machine that is four times slower than the others holds nobody up, and few files are needed.
 */
#include "campaign/cluster.h"

#include "base/folder.h"
#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int compare_costs(const void *a, const void *b) {
    const cam_batch_trial *x = a, *y = b;
    const int by_cost = (x->cost < y->cost) - (x->cost > y->cost);
    return by_cost != 0 ? by_cost : (x->position > y->position) - (x->position < y->position);
}

static col_status make_folders(const cam_cluster *c, col_problem *problem) {
    char path[PATH_MAX];
    col_status status = COL_OK;
    for (size_t i = 0; cam_cluster_folders[i] != NULL && status == COL_OK; i++) {
        const char *name = cam_cluster_folders[i];
        base_folder_remove(c->folder, name); /* of one that was not dealt out to the end */
        status = base_path_in(path, c->folder, name, problem);
        if (status == COL_OK)
            status = base_folder_make(path, problem);
    }
    return status;
}

static col_status put_token(const cam_cluster *c, const char *folder, const char *name,
                            col_problem *problem) {
    char path[PATH_MAX], place[CAM_CLUSTER_NAME * 2];
    (void)snprintf(place, sizeof place, "%s%s%s", folder, folder[0] == '\0' ? "" : "/", name);
    const col_status status = base_path_in(path, c->folder, place, problem);
    if (status != COL_OK)
        return status;
    const int token = open(path, O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0666);
    if (token < 0)
        return base_fail(problem, "cannot write %.300s: %s", path, strerror(errno));
    (void)close(token);
    return COL_OK;
}

/* The tasks take turns, forth and back, since batches become smaller. */
static uint32_t home_of(const cam_cluster *c, uint64_t number) {
    const uint32_t place = (uint32_t)(number % c->tasks);
    return number / c->tasks % 2 == 0 ? place : c->tasks - 1 - place;
}

static col_status put_batch(cam_cluster *c, cam_batch_trial *trials, size_t count,
                            col_problem *problem) {
    cam_batch batch = {.trials = trials, .count = count};
    cam_cluster_batch_name(batch.name, home_of(c, c->batches), (uint32_t)(c->batches / c->tasks),
                           count);
    c->batches++;
    const col_status status = cam_batch_write(&batch, c, problem);
    return status == COL_OK ? put_token(c, "open", batch.name, problem) : status;
}

static col_status deal(cam_cluster *c, cam_batch_trial *trials, size_t count,
                       col_problem *problem) {
    enum { SHARE = 4, SMALLEST_SHARE = 16 };
    static const double smallest = 10; /* seconds: more than it takes to claim and publish it */
    double left = 0, most;
    col_status status = COL_OK;
    for (size_t i = 0; i < count; i++)
        left += trials[i].cost;
    const double least = fmin(smallest * c->jobs, left / (SMALLEST_SHARE * c->tasks));
    for (size_t i = 0; i < count && status == COL_OK;) {
        const size_t first = i;
        double cost = 0;
        most = fmax(least, left / (SHARE * (double)c->tasks));
        do
            cost += trials[i++].cost;
        while (i < count && cost + trials[i].cost <= most);
        left -= cost;
        status = put_batch(c, trials + first, i - first, problem);
    }
    return status;
}

col_status cam_cluster_deal(cam_cluster *c, const cam_plan *plan, const double *costs,
                            const bool *is_done, col_problem *problem) {
    size_t count = 0;
    cam_batch_trial *trials = calloc(plan->trial_count + 1, sizeof *trials);
    if (trials == NULL)
        return base_out_of_memory(problem);
    for (size_t i = 0; i < plan->trial_count; i++)
        if (!is_done[i])
            trials[count++] = (cam_batch_trial){.position = i, .cost = fmax(costs[i], 1e-3)};
    qsort(trials, count, sizeof *trials, compare_costs);
    c->trials = count;
    c->batches = 0;
    c->is_merged = false;
    if (count > 0 && c->tasks > count)
        c->tasks = (uint32_t)count;
    col_status status = make_folders(c, problem);
    if (status == COL_OK)
        status = deal(c, trials, count, problem);
    free(trials);
    if (status == COL_OK)
        status = put_token(c, "", "unmerged", problem);
    return status == COL_OK ? cam_cluster_write(c, problem) : status;
}
