/* SPDX-License-Identifier: MIT */
/* A task of a campaign on a cluster: it takes batches, runs them and publishes what came of them.
 * See cluster.h. */
#include "base/clock.h"
#include "base/file.h"
#include "base/folder.h"
#include "base/path.h"
#include "results/cluster/cluster.h"
#include "results/store/store_parts.h"
#include "results/trial_run.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct work {
    cam_cluster *cluster;
    const cam_cluster_task *task;
    cam_cluster_worked *worked;
    cam_plan plan;
    cam_keys keys;
    bool *chosen;
    double *costs;
    uint8_t *statuses;

    cam_batch batch;
    double cost;                      /* of what was left of it when we took it */
    char token[CAM_CLUSTER_NAME * 3]; /* running/BATCH@OWNER, of the batch that it has */
    double last_sign;
    volatile int stop; /* of the trials that run: the task's, or the batch was lost */
    bool is_lost;      /* somebody took us for dead, and has the batch */
} work;

/* ---- Signs of life. */

static bool give_sign(work *w) {
    char path[PATH_MAX];
    w->last_sign = base_seconds();
    return base_path_in(path, w->cluster->folder, w->token, NULL) == COL_OK &&
           utimensat(AT_FDCWD, path, NULL, 0) == 0;
}

static void look_around(void *context, const cam_progress *progress) {
    work *w = context;
    (void)progress;
    if (base_is_stopped(w->task->stop))
        w->stop = 1;
    if (base_seconds() - w->last_sign < CAM_CLUSTER_HEARTBEAT)
        return;
    if (!give_sign(w)) {
        w->is_lost = true;
        w->stop = 1;
    }
}

/* ---- A part of a batch: one store. */

/* How many of its trials to run before something is published: those of a minute, or a quarter of
 * the batch. One by one after a task did not survive: then it is known which trial it was. */
static size_t choose_part(work *w) {
    enum { PARTS = 4 };
    static const double least = 60;
    const cam_batch *b = &w->batch;
    double cost = 0;
    size_t count = 0;
    const double most = fmax(least * w->cluster->jobs, w->cost / PARTS);
    memset(w->chosen, 0, w->plan.trial_count * sizeof *w->chosen);
    while (count < b->count && (count == 0 || (b->tries == 0 && cost < most))) {
        const cam_batch_trial *trial = &b->trials[count++];
        cost += trial->cost;
        w->chosen[trial->position] = true;
        w->costs[trial->position] = trial->cost;
    }
    return count;
}

static col_status run_part(work *w, const char *local, col_problem *problem) {
    cam_campaign_summary summary;
    const cam_campaign_settings settings = {.plan = &w->plan,
                                            .store = local,
                                            .jobs = w->cluster->jobs,
                                            .chosen = w->chosen,
                                            .keys = &w->keys,
                                            .costs = w->costs,
                                            .trial_limit = w->cluster->trial_limit,
                                            .stop = &w->stop,
                                            .progress = look_around,
                                            .context = w};
    const col_status status = cam_campaign_run(&settings, &summary, problem);
    w->worked->ran += summary.ran;
    w->worked->failed += summary.failed;
    return status;
}

/* The first trial of the batch, which no task survives. */
static col_status fail_first(work *w, const char *local, col_problem *problem) {
    const size_t position = w->batch.trials[0].position;
    cam_store *store = NULL;
    cam_outcome outcome = {0};
    char reason[200], host[256] = "";
    int64_t number;
    (void)snprintf(reason, sizeof reason,
                   "its task ended %u times before the trial did; it needs a longer time limit or "
                   "more memory",
                   w->batch.tries);
    (void)gethostname(host, sizeof host - 1);
    cam_row_begin(&outcome.row, &w->plan.trials[position], w->keys.keys[position],
                  w->keys.designs[position], host);
    cam_outcome_fail(&outcome, reason);
    memset(w->chosen, 0, w->plan.trial_count * sizeof *w->chosen);
    w->chosen[position] = true;
    col_status status = cam_store_create(&store, local, problem);
    if (status == COL_OK)
        status = cam_store_put_plan(store, &w->plan, &w->keys, w->chosen, &number, problem);
    if (status == COL_OK)
        status = cam_store_add(store, &outcome.row, NULL, 0, problem);
    if (status == COL_OK)
        status = cam_store_take_log(store, problem);
    cam_store_close(store);
    return status;
}

/* Leaves in the batch what has no row in the store. */
static col_status strike_out(work *w, const char *local, size_t *struck, col_problem *problem) {
    cam_store *store = NULL;
    cam_batch *b = &w->batch;
    size_t kept = 0;
    *struck = 0;
    col_status status = cam_store_open(&store, local, problem);
    if (status == COL_OK)
        status = cam_store_status(store, w->plan.hash, w->statuses, w->plan.trial_count, problem);
    cam_store_close(store);
    if (status != COL_OK)
        return status;
    for (size_t i = 0; i < b->count; i++)
        if (w->statuses[b->trials[i].position] == CAM_OPEN)
            b->trials[kept++] = b->trials[i];
    *struck = b->count - kept;
    b->count = kept;
    return COL_OK;
}

/* The result first, then what is left: a crash in between costs time, not a trial. */
static col_status publish(work *w, const char *local, col_problem *problem) {
    char path[PATH_MAX], place[CAM_CLUSTER_NAME * 3];
    cam_batch *b = &w->batch;
    size_t struck;
    const uint32_t tries = b->tries;
    col_status status = strike_out(w, local, &struck, problem);
    if (status != COL_OK || struck == 0)
        return status;
    (void)snprintf(place, sizeof place, "results/%s-%u.%s.db", b->name, b->parts, w->task->owner);
    status = base_path_in(path, w->cluster->folder, place, problem);
    if (status == COL_OK)
        status = cam_cluster_publish(local, path, problem);
    if (status != COL_OK)
        return status;
    b->parts++;
    b->tries = tries > 0 && b->count > 0 ? 1 : 0; /* from then on one by one */
    w->is_lost = !give_sign(w);
    return b->count == 0 || w->is_lost ? COL_OK : cam_batch_write(b, w->cluster, problem);
}

static col_status do_part(work *w, col_problem *problem) {
    char local[PATH_MAX];
    col_status status = base_path_in(local, w->task->scratch, "part.db", problem);
    if (status != COL_OK)
        return status;
    if (remove(local) != 0 && errno != ENOENT)
        return base_fail(problem, "cannot remove %.300s: %s", local, strerror(errno));
    if (w->batch.tries >= CAM_CLUSTER_TRIES) {
        status = fail_first(w, local, problem);
    } else {
        (void)choose_part(w);
        status = run_part(w, local, problem);
    }
    if (status == COL_OK && !w->is_lost)
        status = publish(w, local, problem);
    (void)remove(local);
    return status;
}

/* ---- A batch. */

static col_status run_batch(work *w, col_problem *problem) {
    char place[CAM_CLUSTER_NAME * 2];
    col_status status = COL_OK;
    w->stop = 0;
    w->cost = 0;
    for (size_t i = 0; i < w->batch.count; i++)
        w->cost += w->batch.trials[i].cost;
    w->is_lost = !give_sign(w);
    while (w->batch.count > 0 && !w->is_lost && !base_is_stopped(w->task->stop) &&
           status == COL_OK) {
        const uint32_t parts = w->batch.parts;
        status = do_part(w, problem);
        const bool is_out_of_time =
            base_is_stopped(w->task->stop) && *w->task->stop == w->task->time_signal;
        if (parts == w->batch.parts && !w->is_lost && (status != COL_OK || is_out_of_time))
            w->batch.tries++; /* in vain */
    }
    if (w->is_lost)
        return COL_OK;
    if (w->batch.count > 0) {
        /* For whoever takes it next. A problem of this machine counts as a try: it may be the
         * trial's. */
        (void)snprintf(place, sizeof place, "open/%s", w->batch.name);
        (void)cam_batch_write(&w->batch, w->cluster, NULL);
        (void)cam_cluster_move(w->cluster, w->token, place, &(bool){false}, NULL);
        return status;
    }
    (void)snprintf(place, sizeof place, "done/%s", w->batch.name);
    bool is_done = false;
    if (status == COL_OK)
        status = cam_cluster_move(w->cluster, w->token, place, &is_done, problem);
    w->worked->batches += is_done;
    return status;
}

/* ---- Which batch. */

/* `from` is the token's place, where it is no longer if somebody else was faster. `is_left`: its
 * owner is dead, and a trial of it may be the reason. */
static col_status take_and_run(work *w, const char *from, const char *name, bool is_left,
                               col_problem *problem) {
    bool is_ours;
    (void)snprintf(w->token, sizeof w->token, "running/%s@%s", name, w->task->owner);
    col_status status = cam_cluster_move(w->cluster, from, w->token, &is_ours, problem);
    if (!is_ours)
        return status;
    status = cam_batch_read(&w->batch, w->cluster, name, problem);
    for (size_t i = 0; i < w->batch.count && status == COL_OK; i++)
        if (w->batch.trials[i].position >= w->plan.trial_count)
            status =
                base_refuse(problem, "the batch %.60s in %.300s has a trial that the plan lacks",
                            w->batch.name, w->cluster->folder);
    if (status == COL_OK && is_left) {
        w->batch.tries++;
        status = cam_batch_write(&w->batch, w->cluster, problem);
    }
    return status == COL_OK ? run_batch(w, problem) : status;
}

static col_status take_left(work *w, col_problem *problem) {
    cam_cluster_list list;
    char from[CAM_CLUSTER_NAME * 4], name[CAM_CLUSTER_NAME];
    const double now = cam_cluster_now(w->cluster);
    col_status status = cam_cluster_tokens(w->cluster, CAM_BATCH_RUNNING, &list, problem);
    for (size_t i = 0; i < list.count && status == COL_OK && !base_is_stopped(w->task->stop); i++) {
        const char *token = list.names[i];
        /* A scheduler started us again after our machine was lost: what we had then is ours. */
        const char *owner = strchr(token, '@'), *ours = w->task->owner;
        const size_t job = strcspn(ours, ".");
        const bool was_ours =
            owner != NULL && ours[job] == '.' && strncmp(owner + 1, ours, job + 1) == 0;
        if (!was_ours && cam_cluster_silence(w->cluster, token, now) < CAM_CLUSTER_SILENCE)
            continue;
        (void)snprintf(from, sizeof from, "running/%s", token);
        (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(token, "@"), token);
        status = take_and_run(w, from, name, true, problem);
    }
    cam_cluster_free_list(&list);
    return status;
}

/* Those that were dealt to us first, then those of others, from our neighbour on, so that tasks
 * that are early do not all try the same. One list serves for many: a token that has gone costs a
 * rename. */
static col_status take_open(work *w, bool *is_empty, col_problem *problem) {
    cam_cluster_list list;
    char from[CAM_CLUSTER_NAME * 2], home[16];
    col_status status = cam_cluster_tokens(w->cluster, CAM_BATCH_OPEN, &list, problem);
    size_t first = 0;
    *is_empty = list.count == 0;
    (void)snprintf(home, sizeof home, "%05u-", w->task->number % w->cluster->tasks);
    while (first < list.count && strcmp(list.names[first], home) < 0)
        first++;
    for (size_t i = 0; i < list.count && status == COL_OK && !base_is_stopped(w->task->stop); i++) {
        const char *name = list.names[(first + i) % list.count];
        (void)snprintf(from, sizeof from, "open/%s", name);
        status = take_and_run(w, from, name, false, problem);
    }
    cam_cluster_free_list(&list);
    return status;
}

static col_status run_all(work *w, col_problem *problem) {
    bool is_empty = false;
    col_status status = take_left(w, problem);
    while (status == COL_OK && !is_empty && !base_is_stopped(w->task->stop))
        status = take_open(w, &is_empty, problem);
    if (status == COL_OK && !base_is_stopped(w->task->stop))
        status = take_left(w, problem);
    w->worked->was_stopped = base_is_stopped(w->task->stop);
    return status;
}

/* ---- The plan, as it was when it was dealt out. */

static col_status check_plan(const work *w, col_problem *problem) {
    char grid[CAM_HASH];
    cam_store_hash_grid(&w->keys, grid);
    if (strcmp(w->plan.hash, w->cluster->hash) != 0)
        return base_refuse(problem, "the plan %.300s was changed after %.300s was made from it",
                           w->cluster->plan, w->cluster->folder);
    if (strcmp(grid, w->cluster->grid) != 0)
        return base_refuse(problem,
                           "a design of the plan %.300s is not the same here as where %.300s was "
                           "made",
                           w->cluster->plan, w->cluster->folder);
    if (strcmp(col_version(), w->cluster->version) != 0)
        return base_refuse(problem, "%.300s was made by collider %.60s, this is %.60s",
                           w->cluster->folder, w->cluster->version, col_version());
    return COL_OK;
}

static col_status begin(work *w, col_problem *problem) {
    const char *scale = w->cluster->scale[0] == '\0' ? NULL : w->cluster->scale;
    w->plan.allows_code = w->task->allows_code;
    col_status status = base_file_check_regular(w->cluster->plan, true, problem);
    if (status == COL_OK)
        status = cam_plan_read_file(&w->plan, w->cluster->plan, scale, problem);
    if (status == COL_OK)
        status = cam_keys_make(&w->keys, &w->plan, problem);
    if (status == COL_OK)
        status = check_plan(w, problem);
    if (status != COL_OK)
        return status;
    w->chosen = calloc(w->plan.trial_count + 1, sizeof *w->chosen);
    w->costs = calloc(w->plan.trial_count + 1, sizeof *w->costs);
    w->statuses = calloc(w->plan.trial_count + 1, sizeof *w->statuses);
    return w->chosen == NULL || w->costs == NULL || w->statuses == NULL
               ? base_out_of_memory(problem)
               : COL_OK;
}

col_status cam_cluster_work(cam_cluster *cluster, const cam_cluster_task *task,
                            cam_cluster_worked *worked, col_problem *problem) {
    work w = {.cluster = cluster, .task = task, .worked = worked};
    *worked = (cam_cluster_worked){0};
    if (cluster->is_merged)
        return COL_OK;
    col_status status = begin(&w, problem);
    if (status == COL_OK)
        status = run_all(&w, problem);
    if (status == COL_OK && !worked->was_stopped)
        status =
            cam_cluster_merge(cluster, task->owner, task->scratch, &worked->has_merged, problem);
    cam_batch_free(&w.batch);
    cam_keys_free(&w.keys);
    cam_plan_free(&w.plan);
    free(w.chosen);
    free(w.costs);
    free(w.statuses);
    return status;
}
