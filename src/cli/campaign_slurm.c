/* SPDX-License-Identifier: MIT */
/* collider campaign PLAN --slurm: deals out the plan, submits an array job, and watches it to its
 * end, unless it is to be left alone. */
#include "base/clock.h"
#include "base/folder.h"
#include "base/path.h"
#include "base/plural.h"
#include "campaign/merge.h"
#include "campaign/plan_find.h"
#include "campaign/scratch.h"
#include "campaign/slurm.h"
#include "campaign/store_parts.h"
#include "cli/campaign_cluster.h"
#include "cli/campaign_options.h"
#include "cli/progress.h"
#include "cli/signals.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct watch {
    cli_campaign *c;
    cam_cluster cluster;
    cam_slurm_request request;
    char collider[PATH_MAX], job[CAM_SLURM_JOB];
    cam_slurm_tasks tasks;
    cam_cluster_progress progress;
    cli_progress_display display;
    double start, asked; /* when Slurm was */
    uint32_t silent;     /* times that it did not answer, one after the other */
    uint64_t before;     /* trials that were done when the job was submitted */
} watch;

/* ---- Names that hold on any machine. */

static col_status make_absolute(char path[PATH_MAX], const char *name, col_problem *problem) {
    char here[PATH_MAX];
    if (name[0] != '/' && getcwd(here, sizeof here) == NULL)
        return base_fail(problem, "the current folder has no name");
    const int length = name[0] == '/' ? snprintf(path, PATH_MAX, "%s", name)
                                      : snprintf(path, PATH_MAX, "%s/%s", here, name);
    return length < PATH_MAX ? COL_OK : base_refuse(problem, "the path of --out is too long");
}

static col_status name_all(watch *w, col_problem *problem) {
    char path[PATH_MAX], found[PATH_MAX];
    col_status status = cam_plan_find(found, w->c->arguments->operands[0], problem);
    if (status == COL_OK)
        status = make_absolute(w->cluster.plan, found, problem);
    if (status == COL_OK)
        status = make_absolute(w->cluster.out, w->c->store, problem);
    if (status == COL_OK)
        status = cam_cluster_folder(w->cluster.folder, w->cluster.out, problem);
    if (status != COL_OK)
        return status;
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0)
        return base_fail(problem, "cannot find out where the command collider is");
    path[length] = '\0';
    (void)snprintf(w->collider, sizeof w->collider, "%s", path);
    return COL_OK;
}

static col_status read_request(watch *w, col_problem *problem) {
    const cli_arguments *arguments = w->c->arguments;
    uint64_t tasks = 0;
    const col_status status =
        cli_argument_number(arguments, OPTION_TASKS, 1, CAM_CLUSTER_MOST_TASKS, &tasks, problem);
    w->cluster.tasks = (uint32_t)tasks;
    w->cluster.jobs = w->c->jobs;
    w->cluster.trial_limit = w->c->trial_limit;
    w->request = (cam_slurm_request){.collider = w->collider,
                                     .partition = arguments->values[OPTION_PARTITION],
                                     .time = arguments->values[OPTION_TIME],
                                     .account = arguments->values[OPTION_ACCOUNT],
                                     .options = arguments->values[OPTION_SBATCH],
                                     .tasks = (uint32_t)tasks,
                                     .allows_code = arguments->typed[OPTION_CODE]};
    return status;
}

/* ---- A new campaign. */

/* Trials with results need not be run; those that failed neither, unless they are to be retried. */
static col_status mark_done(watch *w, cam_estimate *estimate, col_problem *problem) {
    const cli_arguments *arguments = w->c->arguments;
    const size_t count = w->c->plan.trial_count;
    cam_store *store = NULL;
    if (access(w->cluster.out, F_OK) != 0)
        return COL_OK;
    col_status status = cam_merge_fits(w->cluster.out, w->cluster.hash, w->cluster.grid, problem);
    if (status == COL_OK && !arguments->typed[OPTION_RESUME] && !arguments->typed[OPTION_RETRY])
        return base_refuse(problem,
                           "%.300s has results of this plan already; --resume continues it, --out "
                           "names another store",
                           w->c->store);
    if (status == COL_OK)
        status = cam_store_open(&store, w->cluster.out, problem);
    if (status != COL_OK)
        return status;
    uint8_t *statuses = calloc(count + 1, sizeof *statuses);
    if (statuses == NULL) {
        cam_store_close(store);
        return base_out_of_memory(problem);
    }
    status = cam_store_status(store, w->cluster.hash, statuses, count, problem);
    for (size_t i = 0; i < count && status == COL_OK; i++)
        estimate->is_done[i] = statuses[i] == CAM_DONE ||
                               (statuses[i] == CAM_FAILED && !arguments->typed[OPTION_RETRY]);
    free(statuses);
    cam_store_close(store);
    return status;
}

static col_status deal(watch *w, col_problem *problem) {
    cam_keys keys = {0};
    cam_estimate estimate = {0};
    const cam_plan *plan = &w->c->plan;
    (void)snprintf(w->cluster.scale, sizeof w->cluster.scale, "%s",
                   plan->scale == NULL ? "" : plan->scale);
    (void)snprintf(w->cluster.hash, CAM_HASH, "%s", plan->hash);
    (void)snprintf(w->cluster.version, sizeof w->cluster.version, "%s", col_version());
    col_status status = cam_keys_make(&keys, plan, problem);
    if (status == COL_OK) {
        cam_store_hash_grid(&keys, w->cluster.grid);
        status = cli_campaign_estimate(w->c, true, &estimate, problem);
    }
    if (status == COL_OK)
        status = mark_done(w, &estimate, problem);
    if (status == COL_OK)
        status = cam_cluster_deal(&w->cluster, plan, estimate.seconds, estimate.is_done, problem);
    cam_estimate_free(&estimate);
    cam_keys_free(&keys);
    return status;
}

/* ---- Submitting. */

static bool is_queued(const watch *w) {
    return w->tasks.pending + w->tasks.running > 0;
}

static col_status submit(watch *w, col_problem *problem) {
    const uint64_t open = w->progress.open;
    w->request.tasks = w->cluster.tasks < open ? w->cluster.tasks : (uint32_t)open;
    w->before = w->progress.trials_done;
    const col_status status = cam_slurm_submit(&w->cluster, &w->request, w->job, problem);
    w->tasks = (cam_slurm_tasks){.pending = w->request.tasks, .is_known = true};
    w->asked = base_seconds();
    if (status == COL_OK && !w->c->quiet)
        base_print(stderr,
                   "submitted job %s: %u task%s for %llu trial%s; the script is %s/job.sh\n",
                   w->job, w->request.tasks, base_plural(w->request.tasks),
                   (unsigned long long)(w->progress.trials - w->progress.trials_done),
                   base_plural(w->progress.trials - w->progress.trials_done), w->cluster.folder);
    return status;
}

/* No task runs: what they left goes to others. */
static col_status submit_rest(watch *w, col_problem *problem) {
    col_status status = cam_cluster_reopen(&w->cluster, problem);
    if (status == COL_OK)
        status = cam_cluster_look(&w->cluster, &w->progress, problem);
    return status == COL_OK && !w->progress.is_complete ? submit(w, problem) : status;
}

/* A campaign that was dealt out before. */
static col_status go_on(watch *w, col_problem *problem) {
    const cli_arguments *arguments = w->c->arguments;
    cam_cluster old;
    col_status status = cam_cluster_read(&old, w->cluster.folder, problem);
    if (status != COL_OK)
        return status;
    if (!arguments->typed[OPTION_RESUME] && !arguments->typed[OPTION_RETRY])
        return base_refuse(problem,
                           "%.300s has a campaign that has not ended; --resume continues it, "
                           "collider campaign status %.200s shows it",
                           old.folder, w->c->store);
    if (strcmp(old.hash, w->c->plan.hash) != 0)
        return base_refuse(problem, "%.300s is of another plan; --out names another store",
                           old.folder);
    w->cluster = old;
    bool has_job = false;
    status = cam_slurm_find_job(&w->cluster, w->job, &has_job, problem);
    if (status == COL_OK && has_job)
        status = cam_slurm_look(w->job, &w->tasks, problem);
    if (status == COL_OK)
        status = cam_cluster_look(&w->cluster, &w->progress, problem);
    if (status == COL_OK && !is_queued(w))
        status = submit_rest(w, problem);
    return status;
}

static col_status begin(watch *w, col_problem *problem) {
    cam_cluster old;
    col_status status = name_all(w, problem);
    if (status == COL_OK)
        status = read_request(w, problem);
    if (status != COL_OK)
        return status;
    if (cam_cluster_exists(w->cluster.folder)) {
        status = cam_cluster_read(&old, w->cluster.folder, problem);
        if (status != COL_OK || !old.is_merged)
            return status == COL_OK ? go_on(w, problem) : status;
    }
    status = deal(w, problem);
    if (status == COL_OK)
        status = cam_cluster_look(&w->cluster, &w->progress, problem);
    return status == COL_OK && !w->progress.is_complete ? submit(w, problem) : status;
}

/* ---- Watching. */

static void show(watch *w) {
    base_text line = {0};
    if (!cli_progress_is_due(&w->display, base_seconds() - w->start))
        return;
    cli_cluster_add_progress(&line, &w->progress, &w->tasks);
    if (line.data != NULL)
        cli_progress_put(&w->display, line.data);
    base_text_free(&line);
}

static col_status merge(watch *w, col_problem *problem) {
    char scratch[PATH_MAX], owner[CAM_CLUSTER_NAME];
    bool has_merged;
    cli_cluster_owner(owner);
    col_status status = cli_cluster_scratch(scratch, problem);
    if (status != COL_OK)
        return status;
    status = cam_cluster_merge(&w->cluster, owner, scratch, &has_merged, problem);
    base_folder_remove_path(scratch);
    return status == COL_OK ? cam_cluster_look(&w->cluster, &w->progress, problem) : status;
}

/* All tasks are gone, and not all is done: nodes were lost, or time limits were too short. */
static col_status go_on_without(watch *w, col_problem *problem) {
    if (w->tasks.cancelled > 0)
        return base_fail(problem,
                         "job %s was cancelled; %llu of %llu trials are done and kept, --resume "
                         "continues it",
                         w->job, (unsigned long long)w->progress.trials_done,
                         (unsigned long long)w->progress.trials);
    if (w->progress.trials_done == w->before)
        return base_fail(problem,
                         "no task of job %s finished a trial; %.300s/logs says why, --resume tries "
                         "again",
                         w->job, w->cluster.folder);
    return submit_rest(w, problem);
}

/* A controller that is busy does not answer at times: then its last answer counts. */
static col_status ask_slurm(watch *w, col_problem *problem) {
    enum { MOST_SILENT = 100 };
    cam_slurm_tasks tasks;
    const col_status status = cam_slurm_look(w->job, &tasks, problem);
    w->asked = base_seconds();
    w->silent = status == COL_OK ? 0 : w->silent + 1;
    if (status == COL_OK)
        w->tasks = tasks;
    return w->silent < MOST_SILENT ? COL_OK : status;
}

static col_status step(watch *w, col_problem *problem) {
    enum { BETWEEN = 3 }; /* seconds: Slurm's controller answers everybody */
    col_status status = COL_OK;
    const bool is_time = base_seconds() - w->asked >= BETWEEN;
    if (is_time && w->job[0] != '\0')
        status = ask_slurm(w, problem);
    if (status == COL_OK)
        status = cam_cluster_look(&w->cluster, &w->progress, problem);
    if (status != COL_OK || w->progress.is_merged || !is_time || is_queued(w))
        return status;
    if (!w->progress.is_complete)
        return go_on_without(w, problem);
    status = cam_cluster_reopen(&w->cluster, problem);
    return status == COL_OK ? merge(w, problem) : status;
}

static col_status wait_for_end(watch *w, col_problem *problem) {
    static const struct timespec tick = {.tv_nsec = 500000000};
    col_status status = COL_OK;
    while (status == COL_OK && !w->progress.is_merged && cli_stop == 0) {
        status = step(w, problem);
        show(w);
        if (status == COL_OK && !w->progress.is_merged)
            (void)nanosleep(&tick, NULL);
    }
    cli_progress_end(&w->display);
    return status;
}

static int tell_left_alone(const watch *w, col_problem *problem) {
    char what[300];
    (void)snprintf(what, sizeof what,
                   "job %s goes on; --resume watches it again, collider campaign status %.150s "
                   "shows it",
                   w->job, w->c->store);
    return cli_cut_short(problem, what);
}

int cli_campaign_slurm(cli_campaign *c, col_problem *problem) {
    watch *w = calloc(1, sizeof *w);
    cam_campaign_summary summary = {0};
    if (w == NULL)
        return (int)base_out_of_memory(problem);
    w->c = c;
    w->display.quiet = c->quiet;
    w->start = base_seconds();
    int result = (int)begin(w, problem);
    const bool is_left = c->arguments->typed[OPTION_DETACH] && !w->progress.is_complete;
    if (result == COL_OK && !is_left)
        result = (int)wait_for_end(w, problem);
    summary.seconds = base_seconds() - w->start;
    if (result == COL_OK && !is_left && cli_stop != 0)
        result = tell_left_alone(w, problem);
    else if (result == COL_OK && !is_left)
        result = (int)cam_campaign_sum(w->cluster.out, &c->plan, &summary, problem);
    if (result == COL_OK && !is_left)
        result = cli_campaign_conclude(c, &summary, problem);
    free(w);
    return result;
}
