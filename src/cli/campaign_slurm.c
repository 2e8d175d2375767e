/* SPDX-License-Identifier: MIT */
/* collider campaign PLAN --slurm: deals out the plan, submits an array job, and watches it to its
 * end, unless it is to be left alone. */

#include "base/clock.h"
#include "base/file.h"
#include "base/folder.h"
#include "base/json.h"
#include "cli/campaign_command.h"
#include "cli/signals.h"
#include "results/cluster/cluster.h"
#include "results/plan/plan.h"
#include "results/store/store.h"
#include "results/store/store_parts.h"
#include "results/trial_worker.h"

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

/* A new folder on a disk of this machine; whoever makes it removes it. */
static col_status make_scratch(char folder[PATH_MAX], col_problem *problem) {
    static const char *const names[] = {"SLURM_TMPDIR", "TMPDIR"};
    const char *place = NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && place == NULL; i++)
        place = getenv(names[i]);
    const int length = snprintf(folder, PATH_MAX, "%s/collider-XXXXXX",
                                place == NULL || place[0] == '\0' ? "/tmp" : place);
    if (length >= PATH_MAX || mkdtemp(folder) == NULL)
        return base_fail(problem, "no temporary folder can be made in %.300s",
                         place == NULL ? "/tmp" : place);
    (void)base_temporary_add(folder);
    return COL_OK;
}

/* A name that no other process of any machine has. */
static void name_owner(char owner[CAM_CLUSTER_NAME]) {
    char host[32] = "";
    (void)gethostname(host, sizeof host - 1);
    for (char *c = host; *c != '\0'; c++)
        if (strchr(".@/", *c) != NULL)
            *c = '_';
    (void)snprintf(owner, CAM_CLUSTER_NAME, "%s-%ld", host, (long)getpid());
}

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
    char found[PATH_MAX];
    col_status status = cam_plan_find(found, w->c->arguments->operands[0], problem);
    BASE_THEN(status, make_absolute(w->cluster.plan, found, problem));
    BASE_THEN(status, make_absolute(w->cluster.out, w->c->store, problem));
    BASE_THEN(status, cam_cluster_folder(w->cluster.folder, w->cluster.out, problem));
    if (status != COL_OK)
        return status;
    const ssize_t length = readlink("/proc/self/exe", w->collider, sizeof w->collider - 1);
    w->collider[length < 0 ? 0 : length] = '\0';
    return length > 0 ? COL_OK
                      : base_fail(problem, "cannot find out where the command collider is");
}

static void read_request(watch *w) {
    const cli_arguments *arguments = w->c->arguments;
    w->cluster.tasks = w->c->tasks;
    w->cluster.jobs = w->c->jobs;
    w->cluster.trial_limit = w->c->trial_limit;
    w->request = (cam_slurm_request){.collider = w->collider,
                                     .partition = arguments->values[OPTION_PARTITION],
                                     .time = arguments->values[OPTION_TIME],
                                     .account = arguments->values[OPTION_ACCOUNT],
                                     .options = arguments->values[OPTION_SBATCH],
                                     .tasks = w->c->tasks,
                                     .allows_code = arguments->typed[OPTION_CODE]};
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
    BASE_THEN(status, cam_store_open(&store, w->cluster.out, problem));
    if (status != COL_OK)
        return status;
    uint8_t *statuses = calloc(count + 1, sizeof *statuses);
    status = statuses == NULL ? base_out_of_memory(problem)
                              : cam_store_status(store, w->cluster.hash, statuses, count, problem);
    for (size_t i = 0; statuses != NULL && i < count && status == COL_OK; i++)
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
    BASE_THEN(status, mark_done(w, &estimate, problem));
    BASE_THEN(status,
              cam_cluster_deal(&w->cluster, plan, estimate.seconds, estimate.is_done, problem));
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
    if (status == COL_OK && !w->c->arguments->quiet)
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
    BASE_THEN(status, cam_cluster_look(&w->cluster, &w->progress, problem));
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
        status = cam_slurm_count_tasks(w->job, &w->tasks, problem);
    BASE_THEN(status, cam_cluster_look(&w->cluster, &w->progress, problem));
    if (status == COL_OK && !is_queued(w))
        status = submit_rest(w, problem);
    return status;
}

static col_status begin(watch *w, col_problem *problem) {
    cam_cluster old;
    col_status status = name_all(w, problem);
    if (status != COL_OK)
        return status;
    read_request(w);
    if (cam_cluster_exists(w->cluster.folder)) {
        status = cam_cluster_read(&old, w->cluster.folder, problem);
        if (status != COL_OK || !old.is_merged)
            return status == COL_OK ? go_on(w, problem) : status;
    }
    status = deal(w, problem);
    BASE_THEN(status, cam_cluster_look(&w->cluster, &w->progress, problem));
    return status == COL_OK && !w->progress.is_complete ? submit(w, problem) : status;
}

/* "120 of 200 trials done (60 %); batches: ...; tasks: ..."; without tasks if `t` is NULL. */
static void add_progress(base_text *line, const cam_cluster_progress *p, const cam_slurm_tasks *t) {
    const double part = p->trials == 0 ? 1 : (double)p->trials_done / (double)p->trials;
    base_text_print(line, "%llu of %llu trial%s done (%.0f %%)", (unsigned long long)p->trials_done,
                    (unsigned long long)p->trials, base_plural(p->trials), 100 * part);
    if (p->is_merged)
        return;
    base_text_print(line, "; batches: %llu open, %llu running, %llu done",
                    (unsigned long long)p->open, (unsigned long long)p->running,
                    (unsigned long long)p->done);
    if (t != NULL && t->is_known)
        base_text_print(line, "; tasks: %u waiting, %u running, %u ended", t->pending, t->running,
                        t->completed + t->cancelled + t->failed);
}

/* ---- Watching. */

static void show(watch *w) {
    base_text line = {0};
    if (!cli_progress_is_due(&w->display, base_seconds() - w->start))
        return;
    add_progress(&line, &w->progress, &w->tasks);
    cli_progress_put(&w->display, &line);
}

static col_status merge(watch *w, col_problem *problem) {
    char scratch[PATH_MAX], owner[CAM_CLUSTER_NAME];
    bool has_merged;
    name_owner(owner);
    BASE_TRY(make_scratch(scratch, problem));
    col_status status = cam_cluster_merge(&w->cluster, owner, scratch, &has_merged, problem);
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
    const col_status status = cam_slurm_count_tasks(w->job, &tasks, problem);
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
    BASE_THEN(status, cam_cluster_look(&w->cluster, &w->progress, problem));
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

int cli_campaign_slurm(cli_campaign *c, col_problem *problem) {
    watch *w = calloc(1, sizeof *w);
    cam_campaign_summary summary = {0};
    if (w == NULL)
        return (int)base_out_of_memory(problem);
    w->c = c;
    w->display.quiet = c->arguments->quiet;
    w->start = base_seconds();
    int result = (int)begin(w, problem);
    const bool is_left = c->arguments->typed[OPTION_DETACH] && !w->progress.is_complete;
    if (result == COL_OK && !is_left)
        result = (int)wait_for_end(w, problem);
    summary.seconds = base_seconds() - w->start;
    if (result == COL_OK && !is_left && cli_stop != 0) {
        char what[300];
        (void)snprintf(what, sizeof what,
                       "job %s goes on; --resume watches it again, collider campaign status %.150s "
                       "shows it",
                       w->job, w->c->store);
        result = cli_cut_short(problem, what);
    } else if (result == COL_OK && !is_left)
        result = (int)cam_campaign_sum(w->cluster.out, &c->plan, &summary, problem);
    if (result == COL_OK && !is_left)
        result = cli_campaign_conclude(c, &summary, problem);
    free(w);
    return result;
}

/* collider campaign work, status and cancel: a campaign on a cluster, seen from a task and from
 * outside. */

static col_status open_cluster(cam_cluster *cluster, const cli_arguments *arguments,
                               col_problem *problem) {
    char folder[PATH_MAX];
    if (arguments->operand_count != 2)
        return base_refuse(
            problem,
            "campaign %s is followed by a store or its folder; see collider campaign "
            "--help",
            arguments->operands[0]);
    const char *place = arguments->operands[1];
    const col_status status = cam_cluster_folder(folder, place, problem);
    if (status == COL_OK && strcmp(folder, place) != 0 && !cam_cluster_exists(folder)) {
        struct stat about;
        if (stat(place, &about) == 0 && S_ISDIR(about.st_mode))
            return base_refuse(
                problem,
                "%.300s is not the folder of a campaign on a cluster; those end in .cluster",
                place);
        return base_refuse(problem,
                           "%.200s has no campaign on a cluster: there is no folder %.200s", place,
                           folder);
    }
    return status == COL_OK ? cam_cluster_read(cluster, folder, problem) : status;
}

/* ---- work. */

/* Of other schedulers, whose tasks count from 1. */
static uint32_t number_elsewhere(void) {
    static const char *const names[] = {"COLLIDER_TASK", "SGE_TASK_ID", "LSB_JOBINDEX"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = getenv(names[i]);
        if (value != NULL && strtoul(value, NULL, 10) > 0)
            return (uint32_t)strtoul(value, NULL, 10) - 1;
    }
    return (uint32_t)getpid();
}

static int tell_stopped(const cam_cluster *cluster, bool is_slurm, col_problem *problem) {
    char what[300];
    (void)snprintf(what, sizeof what, "what was done is in %.200s", cluster->folder);
    if (is_slurm && cli_stop == CAM_SLURM_TIME_SIGNAL) {
        const col_status status = cam_slurm_requeue(problem);
        if (status != COL_OK)
            return (int)status;
        base_print(stderr, "collider: the time is up; this task is queued again\n");
    }
    return cli_cut_short(problem, what);
}

int cli_campaign_work(const cli_arguments *arguments, col_problem *problem) {
    cam_cluster cluster;
    cam_cluster_worked worked = {0};
    char scratch[PATH_MAX];
    cam_cluster_task task = {.scratch = scratch,
                             .allows_code = arguments->typed[OPTION_CODE],
                             .stop = &cli_stop,
                             .time_signal = CAM_SLURM_TIME_SIGNAL};
    const bool is_slurm = cam_slurm_self(&task.number, task.owner);
    cli_catch_signals();
    cli_catch_also(CAM_SLURM_TIME_SIGNAL);
    if (!is_slurm) {
        task.number = number_elsewhere();
        name_owner(task.owner);
    }
    col_status status = open_cluster(&cluster, arguments, problem);
    BASE_THEN(status, make_scratch(scratch, problem));
    if (status != COL_OK)
        return (int)status;
    status = cam_cluster_work(&cluster, &task, &worked, problem);
    base_folder_remove_path(scratch);
    if (!arguments->quiet)
        base_print(stdout, "%s: %llu trial%s run, %llu batch%s finished%s\n", task.owner,
                   (unsigned long long)worked.ran, base_plural(worked.ran),
                   (unsigned long long)worked.batches, worked.batches == 1 ? "" : "es",
                   worked.has_merged ? "; all of them are done and merged" : "");
    if (status == COL_OK && worked.was_stopped)
        return tell_stopped(&cluster, is_slurm, problem);
    return status == COL_OK && worked.failed > 0
               ? (int)base_fail(
                     problem,
                     "%llu of %llu trial%s that this task ran failed; once all are done, "
                     "collider report %.200s lists them",
                     (unsigned long long)worked.failed, (unsigned long long)worked.ran,
                     base_plural(worked.ran), cluster.out)
               : (int)status;
}

/* ---- status. */

static json_t *make_json(const cam_cluster *c, const cam_cluster_progress *p, const char *job,
                         const cam_slurm_tasks *t) {
    json_t *tasks = !t->is_known
                        ? json_null()
                        : json_pack("{s:i, s:i, s:i, s:i, s:i}", "waiting", (int)t->pending,
                                    "running", (int)t->running, "completed", (int)t->completed,
                                    "cancelled", (int)t->cancelled, "failed", (int)t->failed);
    return json_pack("{s:o, s:o, s:I, s:I, s:{s:I, s:I, s:I}, s:b, s:b, s:o, s:o}", "folder",
                     base_json_text(c->folder), "store", base_json_text(c->out), "trials",
                     (json_int_t)p->trials, "done", (json_int_t)p->trials_done, "batches", "open",
                     (json_int_t)p->open, "running", (json_int_t)p->running, "done",
                     (json_int_t)p->done, "complete", (int)p->is_complete, "merged",
                     (int)p->is_merged, "job", base_json_text(job), "tasks", tasks);
}

static col_status print_status(const cam_cluster *c, const cam_cluster_progress *p, const char *job,
                               const cam_slurm_tasks *t, col_problem *problem) {
    base_text line = {0};
    add_progress(&line, p, t);
    if (p->is_merged)
        base_text_print(&line, "\nresults: %s\n", c->out);
    else if (p->silent > CAM_CLUSTER_SILENCE)
        base_text_print(&line, "\na task has given no sign of life for %.0f s\n", p->silent);
    else
        base_text_add(&line, "\n");
    if (!p->is_merged && job != NULL && t->pending + t->running == 0)
        base_text_print(&line,
                        "no task of job %s is waiting or running; collider campaign PLAN --slurm "
                        "--resume continues it\n",
                        job);
    return cli_print(&line, problem);
}

int cli_cluster_status(const cli_arguments *arguments, col_problem *problem) {
    cam_cluster cluster;
    cam_cluster_progress progress = {0};
    cam_slurm_tasks tasks = {0};
    char job[CAM_SLURM_JOB];
    col_status status = open_cluster(&cluster, arguments, problem);
    BASE_THEN(status, cam_cluster_look(&cluster, &progress, problem));
    bool has_job = false;
    BASE_THEN(status, cam_slurm_find_job(&cluster, job, &has_job, problem));
    if (status == COL_OK && has_job && !progress.is_merged)
        status = cam_slurm_count_tasks(job, &tasks, problem);
    if (status == COL_OK && arguments->prints)
        status = print_status(&cluster, &progress, has_job ? job : NULL, &tasks, problem);
    if (status == COL_OK && arguments->json != NULL)
        status = base_json_write(
            arguments->json, make_json(&cluster, &progress, has_job ? job : NULL, &tasks), problem);
    return (int)status;
}

/* ---- cancel. */

int cli_campaign_cancel(const cli_arguments *arguments, col_problem *problem) {
    cam_cluster cluster;
    char job[CAM_SLURM_JOB];
    col_status status = open_cluster(&cluster, arguments, problem);
    BASE_THEN(status, cam_slurm_job(&cluster, job, problem));
    BASE_THEN(status, cam_slurm_cancel(job, problem));
    if (status == COL_OK && !arguments->quiet)
        base_print(stdout,
                   "job %s is cancelled; what its tasks have done is kept in %s, and --resume "
                   "continues it\n",
                   job, cluster.folder);
    return (int)status;
}
