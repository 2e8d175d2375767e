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

    col_status status; /* not COL_OK: what went wrong first is in `problem` */
    col_problem *problem;
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
static void choose_part(work *w) {
    enum { PARTS = 4 };
    static const double least = 60;
    const cam_batch *b = &w->batch;
    double cost = 0;
    size_t count = 0;
    const double most = fmax(least * w->cluster->jobs, w->cost / PARTS);
    memset(w->chosen, 0, w->plan.trial_count * sizeof *w->chosen);
    while (count < b->count && (count == 0 || (b->tries == 0 && cost < most))) {
        const cam_costly *trial = &b->trials[count++];
        cost += trial->cost;
        w->chosen[trial->position] = true;
        w->costs[trial->position] = trial->cost;
    }
}

static void run_part(work *w, const char *local) {
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
    w->status = cam_campaign_run(&settings, &summary, w->problem);
    w->worked->ran += summary.ran;
    w->worked->failed += summary.failed;
}

/* The first trial of the batch, which no task survives. */
static void fail_first(work *w, const char *local) {
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
    w->status = cam_store_create(&store, local, w->problem);
    BASE_THEN(w->status,
              cam_store_put_plan(store, &w->plan, &w->keys, w->chosen, &number, w->problem));
    BASE_THEN(w->status, cam_store_add(store, &outcome.row, NULL, 0, w->problem));
    BASE_THEN(w->status, cam_store_take_log(store, w->problem));
    cam_store_close(store);
}

/* Leaves in the batch what has no row in the store; returns how many had one. */
static size_t strike_out(work *w, const char *local) {
    cam_store *store = NULL;
    cam_batch *b = &w->batch;
    size_t kept = 0;
    w->status = cam_store_open(&store, local, w->problem);
    BASE_THEN(w->status,
              cam_store_status(store, w->plan.hash, w->statuses, w->plan.trial_count, w->problem));
    cam_store_close(store);
    if (w->status != COL_OK)
        return 0;
    for (size_t i = 0; i < b->count; i++)
        if (w->statuses[b->trials[i].position] == CAM_OPEN)
            b->trials[kept++] = b->trials[i];
    const size_t struck = b->count - kept;
    b->count = kept;
    return struck;
}

/* The result first, then what is left: a crash in between costs time, not a trial. */
static void publish(work *w, const char *local) {
    char path[PATH_MAX], place[CAM_CLUSTER_NAME * 3];
    cam_batch *b = &w->batch;
    if (strike_out(w, local) == 0)
        return;
    (void)snprintf(place, sizeof place, "results/%s-%u.%s.db", b->name, b->parts, w->task->owner);
    w->status = base_path_in(path, w->cluster->folder, place, w->problem);
    BASE_THEN(w->status, cam_cluster_publish(local, path, w->problem));
    if (w->status != COL_OK)
        return;
    b->parts++;
    b->tries = b->tries > 0 && b->count > 0 ? 1 : 0; /* from then on one by one */
    w->is_lost = !give_sign(w);
    if (b->count > 0 && !w->is_lost)
        w->status = cam_batch_write(b, w->cluster, w->problem);
}

static void do_part(work *w) {
    char local[PATH_MAX];
    w->status = base_path_in(local, w->task->scratch, "part.db", w->problem);
    if (w->status == COL_OK && remove(local) != 0 && errno != ENOENT)
        w->status = base_fail(w->problem, "cannot remove %.300s: %s", local, strerror(errno));
    if (w->status != COL_OK)
        return;
    if (w->batch.tries >= CAM_CLUSTER_TRIES) {
        fail_first(w, local);
    } else {
        choose_part(w);
        run_part(w, local);
    }
    if (w->status == COL_OK && !w->is_lost)
        publish(w, local);
    (void)remove(local);
}

static bool is_stopped(const work *w) {
    return base_is_stopped(w->task->stop);
}

static void run_batch(work *w) {
    char place[CAM_CLUSTER_NAME * 2];
    w->stop = 0;
    w->cost = 0;
    for (size_t i = 0; i < w->batch.count; i++)
        w->cost += w->batch.trials[i].cost;
    w->is_lost = !give_sign(w);
    while (w->batch.count > 0 && !w->is_lost && !is_stopped(w) && w->status == COL_OK) {
        const uint32_t parts = w->batch.parts;
        do_part(w);
        const bool is_out_of_time = is_stopped(w) && *w->task->stop == w->task->time_signal;
        if (parts == w->batch.parts && !w->is_lost && (w->status != COL_OK || is_out_of_time))
            w->batch.tries++; /* in vain */
    }
    if (w->is_lost) {
        w->status = COL_OK;
        return;
    }
    if (w->batch.count > 0) {
        /* For whoever takes it next. A problem of this machine counts as a try: it may be the
         * trial's. */
        (void)snprintf(place, sizeof place, "open/%s", w->batch.name);
        (void)cam_batch_write(&w->batch, w->cluster, NULL);
        (void)cam_cluster_move(w->cluster, w->token, place, &(bool){false}, NULL);
        return;
    }
    (void)snprintf(place, sizeof place, "done/%s", w->batch.name);
    bool is_done = false;
    BASE_THEN(w->status, cam_cluster_move(w->cluster, w->token, place, &is_done, w->problem));
    w->worked->batches += is_done;
}

/* ---- Which batch. */

/* `from` is the token's place, where it is no longer if somebody else was faster. `is_left`: its
 * owner is dead, and a trial of it may be the reason. */
static void take_and_run(work *w, const char *from, const char *name, bool is_left) {
    bool is_ours;
    (void)snprintf(w->token, sizeof w->token, "running/%s@%s", name, w->task->owner);
    w->status = cam_cluster_move(w->cluster, from, w->token, &is_ours, w->problem);
    if (!is_ours)
        return;
    w->status = cam_batch_read(&w->batch, w->cluster, name, w->problem);
    for (size_t i = 0; i < w->batch.count && w->status == COL_OK; i++)
        if (w->batch.trials[i].position >= w->plan.trial_count)
            w->status =
                base_refuse(w->problem, "the batch %.60s in %.300s has a trial that the plan lacks",
                            w->batch.name, w->cluster->folder);
    if (w->status == COL_OK && is_left) {
        w->batch.tries++;
        w->status = cam_batch_write(&w->batch, w->cluster, w->problem);
    }
    if (w->status == COL_OK)
        run_batch(w);
}

static void take_left(work *w) {
    cam_cluster_list list;
    char from[CAM_CLUSTER_NAME * 4], name[CAM_CLUSTER_NAME];
    const double now = cam_cluster_now(w->cluster);
    w->status = cam_cluster_tokens(w->cluster, CAM_BATCH_RUNNING, &list, w->problem);
    for (size_t i = 0; i < list.count && w->status == COL_OK && !is_stopped(w); i++) {
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
        take_and_run(w, from, name, true);
    }
    cam_cluster_free_list(&list);
}

/* Those that were dealt to us first, then those of others, from our neighbour on, so that tasks
 * that are early do not all try the same. One list serves for many: a token that has gone costs a
 * rename. Returns how many there were. */
static size_t take_open(work *w) {
    cam_cluster_list list;
    char from[CAM_CLUSTER_NAME * 2], home[16];
    w->status = cam_cluster_tokens(w->cluster, CAM_BATCH_OPEN, &list, w->problem);
    const size_t count = list.count;
    size_t first = 0;
    (void)snprintf(home, sizeof home, "%05u-", w->task->number % w->cluster->tasks);
    while (first < count && strcmp(list.names[first], home) < 0)
        first++;
    for (size_t i = 0; i < count && w->status == COL_OK && !is_stopped(w); i++) {
        const char *name = list.names[(first + i) % count];
        (void)snprintf(from, sizeof from, "open/%s", name);
        take_and_run(w, from, name, false);
    }
    cam_cluster_free_list(&list);
    return count;
}

static void run_all(work *w) {
    take_left(w);
    for (size_t found = 1; found > 0 && w->status == COL_OK && !is_stopped(w);)
        found = take_open(w);
    if (w->status == COL_OK && !is_stopped(w))
        take_left(w);
    w->worked->was_stopped = is_stopped(w);
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

static void begin(work *w) {
    const char *scale = w->cluster->scale[0] == '\0' ? NULL : w->cluster->scale;
    w->plan.allows_code = w->task->allows_code;
    w->status = base_file_check_regular(w->cluster->plan, true, w->problem);
    BASE_THEN(w->status, cam_plan_read_file(&w->plan, w->cluster->plan, scale, w->problem));
    BASE_THEN(w->status, cam_keys_make(&w->keys, &w->plan, w->problem));
    BASE_THEN(w->status, check_plan(w, w->problem));
    w->chosen = calloc(w->plan.trial_count + 1, sizeof *w->chosen);
    w->costs = calloc(w->plan.trial_count + 1, sizeof *w->costs);
    w->statuses = calloc(w->plan.trial_count + 1, sizeof *w->statuses);
    if (w->status == COL_OK && (w->chosen == NULL || w->costs == NULL || w->statuses == NULL))
        w->status = base_out_of_memory(w->problem);
}

col_status cam_cluster_work(cam_cluster *cluster, const cam_cluster_task *task,
                            cam_cluster_worked *worked, col_problem *problem) {
    work w = {.cluster = cluster, .task = task, .worked = worked, .problem = problem};
    *worked = (cam_cluster_worked){0};
    if (cluster->is_merged)
        return COL_OK;
    begin(&w);
    if (w.status == COL_OK)
        run_all(&w);
    if (w.status == COL_OK && !worked->was_stopped)
        w.status =
            cam_cluster_merge(cluster, task->owner, task->scratch, &worked->has_merged, problem);
    cam_batch_free(&w.batch);
    cam_keys_free(&w.keys);
    cam_plan_free(&w.plan);
    free(w.chosen);
    free(w.costs);
    free(w.statuses);
    return w.status;
}
