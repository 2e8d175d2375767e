/* SPDX-License-Identifier: MIT */
/* Worker processes: see worker.h. */
#include "campaign/worker.h"

#include "base/clock.h"
#include "campaign/scratch.h"
#include "campaign/store_parts.h"
#include "campaign/trial_run.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/prctl.h>
#endif

/* ---- The line. */

static bool send_all(int line, const void *bytes, size_t size) {
    const char *at = bytes;
    while (size > 0) {
        const ssize_t sent = send(line, at, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        at += sent;
        size -= (size_t)sent;
    }
    return true;
}

static bool receive_all(int line, void *bytes, size_t size) {
    char *at = bytes;
    while (size > 0) {
        const ssize_t got = recv(line, at, size, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        size -= (size_t)got;
    }
    return true;
}

/* ---- In the worker. */

static cam_answer_kind answer_to(cam_claim claim) {
    return claim == CAM_WAS_DONE     ? CAM_ANSWER_WAS_DONE
           : claim == CAM_WAS_FAILED ? CAM_ANSWER_WAS_FAILED
                                     : CAM_ANSWER_ELSEWHERE;
}

static col_status keep(cam_store *store, const cam_task *task, const cam_job *job,
                       const cam_outcome *outcome, cam_reply *reply) {
    if (outcome->was_stopped) {
        reply->kind = CAM_ANSWER_STOPPED;
        return cam_claim_drop(store, job->key, &reply->error);
    }
    col_status status = COL_OK;
    if (outcome->row.is_done)
        status = cam_design_store(store, job->trial, task->keys->designs[reply->position],
                                  &reply->error);
    if (status == COL_OK)
        status = cam_store_add(store, &outcome->row,
                               outcome->has_failure ? &outcome->failure : NULL, &reply->error);
    reply->kind = outcome->row.is_done ? CAM_ANSWER_DONE : CAM_ANSWER_FAILED;
    return status;
}

static col_status do_trial(cam_store *store, const cam_task *task, const char *folder,
                           cam_reply *reply) {
    const size_t position = reply->position;
    const cam_job job = {.trial = &task->plan->trials[position],
                         .key = task->keys->keys[position],
                         .design_hash = task->keys->designs[position],
                         .host = task->self.host,
                         .folder = folder,
                         .keeps_failure = task->keeps_failure[position],
                         .stop = task->stop};
    cam_outcome outcome = {0};
    cam_claim claim;
    col_status status =
        cam_claim_take(store, job.key, task->retry, &task->self, &claim, &reply->error);
    if (status != COL_OK || claim != CAM_CLAIMED) {
        reply->kind = answer_to(claim);
        return status;
    }
    cam_trial_run(&job, &outcome);
    status = keep(store, task, &job, &outcome, reply);
    cam_outcome_free(&outcome);
    return status;
}

/* Interrupts of the terminal are for the campaign, which tells us by task->stop. A file that may
 * not grow is an error, not the end. */
static void set_signals(pid_t campaign) {
    static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ};
    for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++)
        (void)signal(ignored[i], SIG_IGN);
    (void)signal(SIGCHLD, SIG_DFL);
#if defined(__linux__)
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != campaign)
        _exit(0);
}

static void work(int line, uint32_t number, const cam_task *task) {
    char folder[PATH_MAX];
    uint64_t position;
    cam_store *store = NULL;
    col_error problem = {0};
    cam_scratch_name(folder, sizeof folder, task->store, task->campaign, number);
    const col_status opened = store_open_again(&store, task->store, &problem);
    if (opened == COL_OK)
        cam_store_credit(store, task->campaign);
    while (receive_all(line, &position, sizeof position)) {
        cam_reply reply = {.position = position, .error = problem};
        if (opened != COL_OK || do_trial(store, task, folder, &reply) != COL_OK)
            reply.kind = CAM_ANSWER_BROKEN;
        if (!send_all(line, &reply, sizeof reply))
            break;
    }
    cam_store_close(store);
    cam_scratch_remove(folder);
}

/* ---- In the campaign. */

col_status cam_worker_start(cam_worker *workers, uint32_t count, uint32_t number,
                            const cam_task *task, col_error *error) {
    int ends[2];
    cam_worker *worker = &workers[number];
    const pid_t here = getpid();
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return col_fail(error, "cannot make a line to a worker: %s", strerror(errno));
    (void)fflush(NULL); /* or the worker might write it once more */
    const pid_t process = fork();
    if (process == 0) {
        (void)close(ends[0]);
        for (uint32_t i = 0; i < count; i++)
            if (workers[i].process != 0)
                (void)close(workers[i].line);
        set_signals(here);
        work(ends[1], number, task);
        _exit(0);
    }
    const int reason = errno;
    (void)close(ends[1]);
    if (process < 0) {
        (void)close(ends[0]);
        return col_fail(error, "cannot start a worker: %s", strerror(reason));
    }
    *worker = (cam_worker){.process = process, .line = ends[0]};
    return COL_OK;
}

bool cam_worker_tell(cam_worker *worker, size_t position) {
    const uint64_t number = position;
    worker->is_busy = true;
    worker->is_late = false;
    worker->position = position;
    worker->began = col_seconds();
    return send_all(worker->line, &number, sizeof number);
}

bool cam_worker_hear(cam_worker *worker, cam_reply *reply) {
    if (!receive_all(worker->line, reply, sizeof *reply))
        return false;
    worker->is_busy = false;
    return true;
}

void cam_worker_end(cam_worker *worker, bool by_force, char *sentence, size_t size) {
    int status = 0;
    if (by_force)
        (void)kill(worker->process, SIGKILL);
    (void)close(worker->line);
    while (waitpid(worker->process, &status, 0) < 0 && errno == EINTR)
        continue;
    if (worker->is_late)
        (void)snprintf(sentence, size, "it took longer than %.0f seconds", worker->limit);
    else if (WIFSIGNALED(status))
        (void)snprintf(sentence, size, "the worker was ended by signal %d (%s)", WTERMSIG(status),
                       strsignal(WTERMSIG(status)));
    else
        (void)snprintf(sentence, size, "the worker ended by itself, with status %d",
                       WEXITSTATUS(status));
    *worker = (cam_worker){0};
}
