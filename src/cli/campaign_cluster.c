/* SPDX-License-Identifier: MIT */
/* collider campaign work, status and cancel: a campaign on a cluster, seen from a task and from
 * outside. */
#include "cli/campaign_cluster.h"
#include "base/folder.h"
#include "base/json.h"
#include "base/plural.h"
#include "base/temporary.h"
#include "campaign/scratch.h"
#include "campaign/slurm.h"
#include "cli/campaign_options.h"
#include "cli/signals.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Neither a store that has a folder beside it, nor such a folder. */
static col_status refuse_place(const char *place, const char *folder, col_problem *problem) {
    struct stat about;
    if (stat(place, &about) == 0 && S_ISDIR(about.st_mode))
        return base_refuse(
            problem, "%.300s is not the folder of a campaign on a cluster; those end in .cluster",
            place);
    return base_refuse(problem, "%.200s has no campaign on a cluster: there is no folder %.200s",
                       place, folder);
}

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
    if (status == COL_OK && strcmp(folder, place) != 0 && !cam_cluster_exists(folder))
        return refuse_place(place, folder, problem);
    return status == COL_OK ? cam_cluster_read(cluster, folder, problem) : status;
}

/* ---- work. */

col_status cli_cluster_scratch(char folder[PATH_MAX], col_problem *problem) {
    static const char *const names[] = {"SLURM_TMPDIR", "TMPDIR"};
    const char *place = NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && place == NULL; i++)
        place = getenv(names[i]);
    const int length = snprintf(folder, PATH_MAX, "%s/collider-XXXXXX",
                                place == NULL || place[0] == '\0' ? "/tmp" : place);
    if (length >= PATH_MAX || mkdtemp(folder) == NULL)
        return base_fail(problem, "no temporary folder can be made in %.300s",
                         place == NULL ? "/tmp" : place);
    (void)base_temporary_add_folder(folder);
    return COL_OK;
}

void cli_cluster_owner(char owner[CAM_CLUSTER_NAME]) {
    char host[32] = "";
    (void)gethostname(host, sizeof host - 1);
    for (char *c = host; *c != '\0'; c++)
        if (strchr(".@/", *c) != NULL)
            *c = '_';
    (void)snprintf(owner, CAM_CLUSTER_NAME, "%s-%ld", host, (long)getpid());
}

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

/* As a campaign on this machine does; the batch is done all the same. */
static int tell_failed(const cam_cluster_worked *worked, const cam_cluster *cluster,
                       col_problem *problem) {
    return (int)base_fail(problem,
                          "%llu of %llu trial%s that this task ran failed; once all are done, "
                          "collider report %.200s lists them",
                          (unsigned long long)worked->failed, (unsigned long long)worked->ran,
                          base_plural(worked->ran), cluster->out);
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
        cli_cluster_owner(task.owner);
    }
    col_status status = open_cluster(&cluster, arguments, problem);
    if (status == COL_OK)
        status = cli_cluster_scratch(scratch, problem);
    if (status != COL_OK)
        return (int)status;
    status = cam_cluster_work(&cluster, &task, &worked, problem);
    base_folder_remove_path(scratch);
    if (arguments->values[OPTION_QUIET] == NULL)
        base_print(stdout, "%s: %llu trial%s run, %llu batch%s finished%s\n", task.owner,
                   (unsigned long long)worked.ran, base_plural(worked.ran),
                   (unsigned long long)worked.batches, worked.batches == 1 ? "" : "es",
                   worked.has_merged ? "; all of them are done and merged" : "");
    if (status == COL_OK && worked.was_stopped)
        return tell_stopped(&cluster, is_slurm, problem);
    return status == COL_OK && worked.failed > 0 ? tell_failed(&worked, &cluster, problem)
                                                 : (int)status;
}

/* ---- status. */

void cli_cluster_add_progress(base_text *line, const cam_cluster_progress *p,
                              const cam_slurm_tasks *t) {
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
    cli_cluster_add_progress(&line, p, t);
    const col_status status = base_text_status(&line, problem);
    if (status == COL_OK)
        base_print(stdout, "%s\n", line.data);
    base_text_free(&line);
    if (status != COL_OK)
        return status;
    if (p->is_merged)
        base_print(stdout, "results: %s\n", c->out);
    else if (p->silent > CAM_CLUSTER_SILENCE)
        base_print(stdout, "a task has given no sign of life for %.0f s\n", p->silent);
    if (!p->is_merged && job != NULL && t->pending + t->running == 0)
        base_print(stdout,
                   "no task of job %s is waiting or running; collider campaign PLAN --slurm "
                   "--resume continues it\n",
                   job);
    return COL_OK;
}

int cli_cluster_status(const cli_arguments *arguments, col_problem *problem) {
    cam_cluster cluster;
    cam_cluster_progress progress = {0};
    cam_slurm_tasks tasks = {0};
    char job[CAM_SLURM_JOB];
    const char *json = arguments->values[OPTION_JSON];
    col_status status = open_cluster(&cluster, arguments, problem);
    if (status == COL_OK)
        status = cam_cluster_look(&cluster, &progress, problem);
    bool has_job = false;
    if (status == COL_OK)
        status = cam_slurm_find_job(&cluster, job, &has_job, problem);
    if (status == COL_OK && has_job && !progress.is_merged)
        status = cam_slurm_look(job, &tasks, problem);
    if (status == COL_OK && (json == NULL || strcmp(json, "-") != 0))
        status = print_status(&cluster, &progress, has_job ? job : NULL, &tasks, problem);
    if (status == COL_OK && json != NULL)
        status = base_json_write(json, make_json(&cluster, &progress, has_job ? job : NULL, &tasks),
                                 problem);
    return (int)status;
}

/* ---- cancel. */

int cli_campaign_cancel(const cli_arguments *arguments, col_problem *problem) {
    cam_cluster cluster;
    char job[CAM_SLURM_JOB];
    col_status status = open_cluster(&cluster, arguments, problem);
    if (status == COL_OK)
        status = cam_slurm_job(&cluster, job, problem);
    if (status == COL_OK)
        status = cam_slurm_cancel(job, problem);
    if (status == COL_OK && arguments->values[OPTION_QUIET] == NULL)
        base_print(stdout,
                   "job %s is cancelled; what its tasks have done is kept in %s, and --resume "
                   "continues it\n",
                   job, cluster.folder);
    return (int)status;
}
