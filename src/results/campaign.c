/* SPDX-License-Identifier: MIT */
/* A campaign's own process: it hands trials to workers, one at a time, and notes what became of
 * them. */
#include "base/clock.h"
#include "base/machine.h"
#include "base/memory.h"
#include "results/campaign_store.h"
#include "results/plan/trial.h"
#include "results/trial_run.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum {
    TICK = 50,          /* milliseconds */
    GRACE_SECONDS = 15, /* seconds that a worker has after a stop */
    SECONDS_BETWEEN = 1 /* questions whether what was elsewhere is done */
};

/* ---- What became of a trial. */

static void note_ended(cam_campaign *c, size_t position, double seconds, bool is_failed) {
    c->statuses[position] = is_failed ? CAM_FAILED : CAM_DONE;
    c->summary->ran++;
    if (cam_note(c, base_reserve(&c->ended, &c->ended_capacity, c->ended_count + 1,
                                 sizeof *c->ended, &c->latest)))
        c->ended[c->ended_count++] =
            (cam_activity){.position = position, .seconds = seconds, .is_failed = is_failed};
}

static void take_reply(cam_campaign *c, const cam_worker *worker, const cam_reply *reply) {
    const size_t position = worker->position;
    const double seconds = base_seconds() - worker->began;
    switch (reply->kind) {
    case CAM_ANSWER_DONE:
    case CAM_ANSWER_FAILED:
        note_ended(c, position, seconds, reply->kind == CAM_ANSWER_FAILED);
        break;
    case CAM_ANSWER_WAS_DONE:
        c->statuses[position] = CAM_DONE;
        break;
    case CAM_ANSWER_WAS_FAILED:
        c->statuses[position] = CAM_FAILED;
        break;
    case CAM_ANSWER_ELSEWHERE:
        if (cam_note(c, base_reserve(&c->elsewhere, &c->elsewhere_capacity, c->elsewhere_count + 1,
                                     sizeof *c->elsewhere, &c->latest)))
            c->elsewhere[c->elsewhere_count++] = position;
        break;
    case CAM_ANSWER_STOPPED:
        break;
    default:
        c->latest = reply->problem;
        (void)cam_note(c, COL_FAILURE);
    }
}

/* A worker that is not there any more died of its trial, unless it had none. */
static void bury(cam_campaign *c, cam_worker *worker) {
    char sentence[200];
    const bool was_busy = worker->is_busy;
    const size_t position = worker->position;
    const double seconds = base_seconds() - worker->began;
    cam_worker_end(worker, true, sentence, sizeof sentence);
    if (!was_busy || c->is_stopping)
        return;
    cam_campaign_fail(c, position, sentence, seconds);
    note_ended(c, position, seconds, true);
}

/* ---- Handing out. */

/* A trial with a budget of time that takes many times as long hangs. */
static double limit_by_budget(const cam_trial *trial) {
    enum { TIMES = 10, GRACE = 60 };
    col_episode_settings s;
    if (trial->kind != CAM_EPISODE || cam_trial_value(trial, "time") == NULL ||
        cam_trial_episode(trial, &s, NULL) != COL_OK)
        return 0;
    const double kinds = s.keep_going ? CAM_MOST_FAILURES : 1; /* each is shrunk */
    return TIMES * (s.seconds + kinds * trial->shrink) + GRACE;
}

/* What is to be done next; false: nothing, at this moment. When all else is handed out, those that
 * were elsewhere are asked for once more, now and then. */
static bool take_next(cam_campaign *c, size_t *position) {
    const double now = base_seconds();
    if (c->next == c->open_count && c->elsewhere_count > 0 && now >= c->ask_again) {
        memcpy(c->open, c->elsewhere, c->elsewhere_count * sizeof *c->open);
        c->open_count = c->elsewhere_count;
        c->next = c->elsewhere_count = 0;
        c->is_asking = true;
        c->ask_again = now + SECONDS_BETWEEN;
    }
    if (c->next == c->open_count)
        return false;
    *position = c->open[c->next++];
    return true;
}

static bool is_over(const cam_campaign *c) {
    return c->is_stopping || (c->next == c->open_count && c->elsewhere_count == 0);
}

static uint32_t count_busy(const cam_campaign *c) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->worker_count; i++)
        count += c->workers[i].process.id != 0 && c->workers[i].is_busy;
    return count;
}

static void hand_out(cam_campaign *c) {
    size_t position;
    for (uint32_t i = 0; i < c->worker_count && !is_over(c) && c->status == COL_OK; i++) {
        cam_worker *worker = &c->workers[i];
        if (worker->process.id != 0 && worker->is_busy)
            continue;
        if (!take_next(c, &position))
            return;
        if (worker->process.id == 0 &&
            !cam_note(c, cam_worker_start(c->workers, c->worker_count, i, &c->task, &c->latest)))
            return;
        const double limit = limit_by_budget(&c->plan->trials[position]);
        const double most = c->settings->trial_limit;
        worker->limit = most > 0 && (limit == 0 || most < limit) ? most : limit;
        if (!cam_worker_tell(worker, position))
            bury(c, worker);
    }
}

/* ---- Listening. */

static void listen(cam_campaign *c) {
    struct pollfd lines[CAM_MOST_WORKERS];
    uint32_t whose[CAM_MOST_WORKERS];
    nfds_t count = 0;
    for (uint32_t i = 0; i < c->worker_count; i++)
        if (c->workers[i].process.id != 0) {
            whose[count] = i;
            lines[count++] = (struct pollfd){.fd = c->workers[i].process.line, .events = POLLIN};
        }
    if (poll(lines, count, TICK) <= 0)
        return;
    for (nfds_t i = 0; i < count; i++) {
        cam_reply reply;
        cam_worker *worker = &c->workers[whose[i]];
        if (lines[i].revents == 0)
            continue;
        if (cam_worker_hear(worker, &reply))
            take_reply(c, worker, &reply);
        else
            bury(c, worker);
    }
}

static void end_late(cam_campaign *c) {
    const double now = base_seconds();
    for (uint32_t i = 0; i < c->worker_count; i++) {
        cam_worker *worker = &c->workers[i];
        if (worker->process.id == 0 || !worker->is_busy)
            continue;
        worker->is_late = worker->limit > 0 && now - worker->began > worker->limit;
        if (worker->is_late || (c->is_stopping && now - c->stopped_at > GRACE_SECONDS))
            bury(c, worker);
    }
}

static void look_for_stop(cam_campaign *c) {
    const bool is_wanted = base_is_stopped(c->settings->stop);
    if (c->is_stopping || (!is_wanted && c->status == COL_OK))
        return;
    c->is_stopping = true;
    c->summary->was_stopped = is_wanted;
    c->stopped_at = base_seconds();
    base_stop_set(c->task.stop, true);
}

static void tell(cam_campaign *c, bool is_last) {
    enum { TIMES_A_SECOND = 10 };
    cam_activity running[CAM_MOST_WORKERS];
    uint32_t count = 0;
    const double now = base_seconds();
    if (c->settings->progress == NULL || (!is_last && now - c->last_told < 1.0 / TIMES_A_SECOND))
        return;
    c->last_told = now;
    for (uint32_t i = 0; i < c->worker_count; i++)
        if (c->workers[i].process.id != 0 && c->workers[i].is_busy)
            running[count++] =
                (cam_activity){.position = c->workers[i].position,
                               .text = cam_wording_of(&c->wording, c->workers[i].position),
                               .seconds = now - c->workers[i].began,
                               .covered = atomic_load(&c->pulses[i].covered[COL_STRUCTURAL]),
                               .points = atomic_load(&c->pulses[i].total[COL_STRUCTURAL])};
    for (size_t i = 0; i < c->ended_count; i++)
        c->ended[i].text = cam_wording_of(&c->wording, c->ended[i].position);
    const cam_progress progress = {.total = c->total,
                                   .done = cam_count(c, CAM_DONE),
                                   .failed = cam_count(c, CAM_FAILED),
                                   .before = c->before,
                                   .elsewhere = c->elsewhere_count +
                                                (c->is_asking ? c->open_count - c->next : 0),
                                   .seconds = now - c->start,
                                   .running = running,
                                   .ended = c->ended,
                                   .running_count = count,
                                   .ended_count = (uint32_t)c->ended_count};
    c->settings->progress(c->settings->context, &progress);
    c->ended_count = 0;
    cam_wording_forget(&c->wording);
}

/* ---- The end. */

static void run(cam_campaign *c) {
    while (true) {
        look_for_stop(c);
        hand_out(c);
        tell(c, false);
        if (count_busy(c) == 0 && is_over(c))
            break;
        listen(c);
        end_late(c);
        cam_campaign_beat(c);
        cam_running_publish(c);
    }
    for (uint32_t i = 0; i < c->worker_count; i++) {
        char sentence[200];
        if (c->workers[i].process.id != 0)
            cam_worker_end(&c->workers[i], false, sentence, sizeof sentence);
    }
    cam_campaign_leave(c);
    tell(c, true);
}

/* Signals that would end us, or take the news of a worker's end away, while the store is written.
 */
typedef struct old_signals {
    struct sigaction child, pipe, size;
} old_signals;

static void set_signals(old_signals *old) {
    struct sigaction usual = {.sa_handler = SIG_DFL}, ignored = {.sa_handler = SIG_IGN};
    (void)sigemptyset(&usual.sa_mask);
    (void)sigemptyset(&ignored.sa_mask);
    (void)sigaction(SIGCHLD, &usual, &old->child);
    (void)sigaction(SIGPIPE, &ignored, &old->pipe);
    (void)sigaction(SIGXFSZ, &ignored, &old->size);
}

static void reset_signals(const old_signals *old) {
    (void)sigaction(SIGCHLD, &old->child, NULL);
    (void)sigaction(SIGPIPE, &old->pipe, NULL);
    (void)sigaction(SIGXFSZ, &old->size, NULL);
}

col_status cam_campaign_run(const cam_campaign_settings *settings, cam_campaign_summary *summary,
                            col_problem *problem) {
    old_signals signals;
    cam_campaign *c = calloc(1, sizeof *c);
    *summary = (cam_campaign_summary){0};
    if (c == NULL)
        return base_out_of_memory(problem);
    const uint32_t jobs = settings->jobs == 0 ? base_processors() : settings->jobs;
    c->settings = settings;
    c->plan = settings->plan;
    c->summary = summary;
    c->worker_count = jobs < CAM_MOST_WORKERS ? jobs : CAM_MOST_WORKERS;
    c->start = c->last_beat = base_seconds();
    set_signals(&signals);
    c->status = cam_campaign_begin(c, &c->problem);
    if (c->status == COL_OK)
        run(c);
    reset_signals(&signals);
    summary->seconds = base_seconds() - c->start;
    const col_status status = c->status;
    if (status != COL_OK && problem != NULL)
        *problem = c->problem;
    cam_campaign_free(c);
    return status;
}
