/* SPDX-License-Identifier: MIT */
/* Worker processes: see trial_worker.h. */
#include "results/trial_worker.h"

#include "base/clock.h"
#include "base/folder.h"
#include "results/store/store_parts.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- In the worker. */

static col_status keep(cam_store *store, const cam_task *task, const cam_job *job,
                       const cam_outcome *outcome, cam_reply *reply) {
    if (outcome->was_stopped) {
        reply->kind = CAM_ANSWER_STOPPED;
        return cam_claim_drop(store, job->key, &reply->problem);
    }
    col_status status = COL_OK;
    if (outcome->row.is_done)
        status = cam_design_store(store, job->trial, task->keys->designs[reply->position],
                                  &reply->problem);
    BASE_THEN(status, cam_store_add(store, &outcome->row, outcome->failures, outcome->failure_count,
                                    &reply->problem));
    reply->kind = outcome->row.is_done ? CAM_ANSWER_DONE : CAM_ANSWER_FAILED;
    return status;
}

static col_status do_trial(cam_store *store, const cam_task *task, const char *folder,
                           cam_pulse *pulse, cam_reply *reply) {
    const size_t position = reply->position;
    const cam_job job = {.trial = &task->plan->trials[position],
                         .key = task->keys->keys[position],
                         .design_hash = task->keys->designs[position],
                         .host = task->self.host,
                         .folder = folder,
                         .keeps_failure = task->keeps_failure[position],
                         .pulse = pulse,
                         .stop = task->stop};
    cam_outcome outcome = {0};
    cam_claim claim;
    col_status status =
        cam_claim_take(store, job.key, task->retry, &task->self, &claim, &reply->problem);
    if (status != COL_OK || claim != CAM_CLAIMED) {
        reply->kind = claim == CAM_WAS_DONE     ? CAM_ANSWER_WAS_DONE
                      : claim == CAM_WAS_FAILED ? CAM_ANSWER_WAS_FAILED
                                                : CAM_ANSWER_ELSEWHERE;
        return status;
    }
    cam_trial_run(&job, &outcome);
    status = keep(store, task, &job, &outcome, reply);
    cam_outcome_free(&outcome);
    return status;
}

/* Interrupts of the terminal are for the campaign, which tells us by task->stop. A file that may
 * not grow is an error, not the end. */
static void set_signals(void) {
    static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ};
    for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++)
        (void)signal(ignored[i], SIG_IGN);
    (void)signal(SIGCHLD, SIG_DFL);
}

/* What a worker is started with. */
typedef struct birth {
    const cam_worker *workers;
    uint32_t count, number;
    const cam_task *task;
} birth;

static void work(void *context, int socket) {
    const birth *b = context;
    const cam_task *task = b->task;
    char folder[PATH_MAX];
    uint64_t position;
    cam_store *store = NULL;
    col_problem problem = {0};
    base_line line = {.socket = socket};
    for (uint32_t i = 0; i < b->count; i++)
        if (b->workers[i].process.id != 0)
            (void)close(b->workers[i].process.line);
    set_signals();
    cam_scratch_name(folder, sizeof folder, task->store, task->campaign, b->number);
    const col_status opened = cam_store_open_again(&store, task->store, &problem);
    if (opened == COL_OK)
        cam_store_credit(store, task->campaign);
    while (base_line_receive(&line, &position, sizeof position) == BASE_TRANSFER_DONE) {
        cam_reply reply = {.position = position, .problem = problem};
        if (opened != COL_OK ||
            do_trial(store, task, folder, &task->pulses[b->number], &reply) != COL_OK)
            reply.kind = CAM_ANSWER_BROKEN;
        if (base_line_send(&line, &reply, sizeof reply) != BASE_TRANSFER_DONE)
            break;
    }
    cam_store_close(store);
    base_folder_remove_path(folder);
}

/* ---- In the campaign. */

col_status cam_worker_start(cam_worker *workers, uint32_t count, uint32_t number,
                            const cam_task *task, col_problem *problem) {
    birth b = {.workers = workers, .count = count, .number = number, .task = task};
    const base_process_plan plan = {
        .what = "a worker", .has_line = true, .dies_by = SIGKILL, .run = work, .context = &b};
    base_process process;
    (void)fflush(NULL); /* or the worker might write it once more */
    const col_status status = base_process_start(&process, &plan, problem);
    if (status == COL_OK)
        workers[number] = (cam_worker){.process = process};
    return status;
}

bool cam_worker_tell(cam_worker *worker, size_t position) {
    const uint64_t number = position;
    base_line line = {.socket = worker->process.line};
    worker->is_busy = true;
    worker->is_late = false;
    worker->position = position;
    worker->began = base_seconds();
    return base_line_send(&line, &number, sizeof number) == BASE_TRANSFER_DONE;
}

bool cam_worker_hear(cam_worker *worker, cam_reply *reply) {
    base_line line = {.socket = worker->process.line};
    if (base_line_receive(&line, reply, sizeof *reply) != BASE_TRANSFER_DONE)
        return false;
    worker->is_busy = false;
    return true;
}

void cam_worker_end(cam_worker *worker, bool by_force, char *sentence, size_t size) {
    const int status =
        by_force ? base_process_end(&worker->process) : base_process_wait(&worker->process);
    if (worker->is_late)
        (void)snprintf(sentence, size, "it took longer than %g seconds", worker->limit);
    else
        base_process_tell("the worker", status, sentence, size);
    *worker = (cam_worker){0};
}

/* Temporary folders. */

#define MARK ".trial-"
#define RUNNING_MARK ".running-"

void cam_scratch_name(char *path, size_t size, const char *store, int64_t campaign,
                      uint32_t worker) {
    (void)snprintf(path, size, "%s" MARK "%lld-%u", store, (long long)campaign, worker);
}

void cam_running_name(char *path, size_t size, const char *store, int64_t campaign) {
    (void)snprintf(path, size, "%s" RUNNING_MARK "%lld", store, (long long)campaign);
}

/* The campaign that a name in the store's folder belongs to; 0: it is something else. What bears it
 * is removed: it must be such a name to the letter. */
static int64_t campaign_of(const char *name, const char *store) {
    char same[PATH_MAX];
    const size_t length = strlen(store), mark = strlen(MARK), other = strlen(RUNNING_MARK);
    if (strncmp(name, store, length) != 0)
        return 0;
    const bool is_folder = strncmp(name + length, MARK, mark) == 0;
    if (!is_folder && strncmp(name + length, RUNNING_MARK, other) != 0)
        return 0;
    char *end = NULL;
    const int64_t campaign = strtoll(name + length + (is_folder ? mark : other), &end, 10);
    if (is_folder && *end == '-')
        cam_scratch_name(same, sizeof same, store, campaign, (uint32_t)strtoul(end + 1, NULL, 10));
    else
        cam_running_name(same, sizeof same, store, campaign);
    return campaign > 0 && strcmp(name, same) == 0 ? campaign : 0;
}

col_status cam_scratch_sweep(cam_store *store, const char *path, int64_t campaign,
                             const cam_process *self, col_problem *problem) {
    char folder[PATH_MAX], left[PATH_MAX];
    const char *name = base_path_name(path);
    const int length = name - path > 1 ? (int)(name - path) - 1 : (int)(name - path);
    col_status status = COL_OK;
    if (snprintf(folder, sizeof folder, "%.*s", length, path) >= (int)sizeof folder)
        return COL_OK;
    DIR *list = opendir(length == 0 ? "." : folder);
    if (list == NULL)
        return COL_OK;
    for (struct dirent *entry = readdir(list); entry != NULL && status == COL_OK;
         entry = readdir(list)) {
        bool is_alive = false;
        const int64_t owner = campaign_of(entry->d_name, name);
        if (owner == 0)
            continue;
        if (owner != campaign)
            status = cam_is_alive(store, owner, self, &is_alive, problem);
        if (status == COL_OK && !is_alive &&
            base_path_in(left, length == 0 ? "." : folder, entry->d_name, NULL) == COL_OK)
            base_folder_remove_path(left);
    }
    (void)closedir(list);
    return status;
}
