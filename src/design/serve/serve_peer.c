/* SPDX-License-Identifier: MIT */
/* A command at the other end of pipes: see serve_peer.h. */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): pipe2, execvpe
#include "design/serve/serve_peer.h"

#include "base/clock.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER = 4 * DUV_PEER_LINE, CANNOT_START = 127 };

/* ---- The beginning. Pipes, not a socket: a testbench may open /dev/stdin. */

typedef enum pipe_name { INPUT, OUTPUT, COMPLAINTS, REFUSAL, PIPES } pipe_name;

typedef struct birth {
    const duv_peer_plan *plan;
    pid_t parent;
    int ends[PIPES][2]; /* read, write */
} birth;

static void close_end(int *end) {
    if (*end >= 0)
        (void)close(*end);
    *end = -1;
}

static void close_pipes(birth *b) {
    for (int p = 0; p < PIPES; p++)
        for (int e = 0; e < 2; e++)
            close_end(&b->ends[p][e]);
}

/* In the child. A program that cannot be started is reported through the pipe, which closes if it
 * can. */
static void become(void *context, int no_line) {
    const birth *b = context;
    sigset_t none;
    (void)no_line;
    (void)sigemptyset(&none);
    (void)signal(SIGPIPE, SIG_DFL);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    const duv_peer_plan *plan = b->plan;
    if (base_guard(b->parent) && dup2(b->ends[INPUT][0], STDIN_FILENO) >= 0 &&
        dup2(b->ends[OUTPUT][1], STDOUT_FILENO) >= 0 &&
        dup2(b->ends[plan->joins ? OUTPUT : COMPLAINTS][1], STDERR_FILENO) >= 0 &&
        (plan->folder == NULL || chdir(plan->folder) == 0))
        (void)execvpe(plan->words[0], plan->words,
                      plan->environment != NULL ? plan->environment : environ);
    const int reason = errno;
    (void)!write(b->ends[REFUSAL][1], &reason, sizeof reason);
    _exit(CANNOT_START);
}

static bool make_ours(int end) {
    const int flags = fcntl(end, F_GETFL);
    return flags >= 0 && fcntl(end, F_SETFL, flags | O_NONBLOCK) >= 0;
}

static col_status open_pipes(birth *b, col_problem *problem) {
    bool are_open = true;
    for (int p = 0; p < PIPES; p++)
        b->ends[p][0] = b->ends[p][1] = -1;
    for (int p = 0; p < PIPES && are_open; p++)
        are_open = pipe2(b->ends[p], O_CLOEXEC) == 0;
    if (are_open && make_ours(b->ends[INPUT][1]) && make_ours(b->ends[OUTPUT][0]) &&
        make_ours(b->ends[COMPLAINTS][0]))
        return COL_OK;
    const int reason = errno;
    close_pipes(b);
    return base_fail(problem, "cannot make pipes to the design's command: %s", strerror(reason));
}

/* Did the child become the command? Waits until it is known. */
static col_status await_start(duv_peer *peer, birth *b, col_problem *problem) {
    int reason = 0;
    ssize_t got;
    close_end(&b->ends[REFUSAL][1]);
    do
        got = read(b->ends[REFUSAL][0], &reason, sizeof reason);
    while (got < 0 && errno == EINTR);
    if (got != sizeof reason)
        return COL_OK;
    (void)base_process_wait(&peer->process);
    const bool is_machine =
        reason == EAGAIN || reason == ENOMEM || reason == EMFILE || reason == ENFILE;
    return (is_machine ? base_fail : base_refuse)(problem,
                                                  "cannot start the design's command '%.200s': %s",
                                                  b->plan->words[0], strerror(reason));
}

static int take_end(birth *b, pipe_name name, int end) {
    const int taken = b->ends[name][end];
    b->ends[name][end] = -1;
    return taken;
}

col_status duv_peer_start(duv_peer *peer, const duv_peer_plan *plan, col_problem *problem) {
    birth b = {.plan = plan, .parent = getpid()};
    const base_process_plan process = {
        .what = "the design's command", .has_group = true, .run = become, .context = &b};
    peer->begin = peer->end = peer->complained = 0;
    peer->complaints[0] = '\0';
    if (peer->buffer == NULL && (peer->buffer = malloc(BUFFER)) == NULL)
        return base_out_of_memory(problem);
    BASE_TRY(open_pipes(&b, problem));
    col_status status = base_process_start(&peer->process, &process, problem);
    if (status == COL_OK)
        status = await_start(peer, &b, problem);
    if (status == COL_OK) {
        peer->to = take_end(&b, INPUT, 1);
        peer->from = take_end(&b, OUTPUT, 0);
        peer->complaints_from = take_end(&b, COMPLAINTS, 0);
    }
    close_pipes(&b);
    return status;
}

/* ---- Standard error. */

static void keep_complaints(duv_peer *peer, const char *bytes, size_t count) {
    const size_t room = DUV_PEER_COMPLAINTS;
    const size_t kept = peer->complained + count <= room ? peer->complained : room - count;
    memmove(peer->complaints, peer->complaints + peer->complained - kept, kept);
    memcpy(peer->complaints + kept, bytes, count);
    for (size_t i = kept; i < kept + count; i++) /* it is to be text */
        peer->complaints[i] = (char)(peer->complaints[i] == '\0' ? '?' : peer->complaints[i]);
    peer->complained = kept + count;
    peer->complaints[peer->complained] = '\0';
}

static bool may_come_later(void) {
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

/* What is there now, within reason. */
static void hear_complaints(duv_peer *peer) {
    enum { MOST_READS = 64 };
    char piece[4096];
    for (int i = 0; i < MOST_READS && peer->complaints_from >= 0; i++) {
        const ssize_t got = read(peer->complaints_from, piece, sizeof piece);
        if (got > 0)
            keep_complaints(peer, piece, (size_t)got);
        else if (got < 0 && may_come_later())
            return;
        else
            close_end(&peer->complaints_from);
    }
}

const char *duv_peer_complaints(duv_peer *peer) {
    hear_complaints(peer);
    return peer->complaints;
}

void duv_peer_last_complaint(const duv_peer *peer, char *line, size_t size) {
    size_t end = peer->complained;
    while (end > 0 && (peer->complaints[end - 1] == '\n' || peer->complaints[end - 1] == '\r'))
        end--;
    size_t begin = end;
    while (begin > 0 && peer->complaints[begin - 1] != '\n')
        begin--;
    (void)snprintf(line, size, "%.*s", (int)(end - begin), peer->complaints + begin);
    base_make_printable(line, false);
}

/* ---- Waiting. */

static bool is_late(duv_peer *peer) {
    const double now = base_seconds();
    if (peer->look != NULL)
        peer->look(peer->context, now);
    return peer->has_deadline && now >= peer->deadline;
}

/* Nothing that is looked at wakes us, so it is looked at ten times a second. */
static int time_to_wait(const duv_peer *peer) {
    enum { SLICE = 100 };
    const double left = (peer->deadline - base_seconds()) * 1000;
    if (peer->has_deadline && left < SLICE)
        return left < 0 ? 0 : (int)left + 1;
    return SLICE;
}

/* Until there is something to do at `end`, or the peer complains. */
static duv_heard wait_for(duv_peer *peer, int end, short events) {
    struct pollfd ready[] = {{.fd = end, .events = events},
                             {.fd = peer->complaints_from, .events = POLLIN}};
    if (is_late(peer))
        return DUV_HEARD_LATE;
    const int count = poll(ready, 2, time_to_wait(peer));
    if (count < 0 && errno != EINTR)
        return DUV_HEARD_GONE;
    if (count > 0 && ready[1].revents != 0)
        hear_complaints(peer);
    return DUV_HEARD;
}

/* ---- What it says. */

/* Some more bytes. */
static duv_heard hear(duv_peer *peer) {
    memmove(peer->buffer, peer->buffer + peer->begin, peer->end - peer->begin);
    peer->end -= peer->begin;
    peer->begin = 0;
    if (is_late(peer)) /* one that never pauses is not waited for */
        return DUV_HEARD_LATE;
    while (true) {
        const ssize_t got = read(peer->from, peer->buffer + peer->end, BUFFER - peer->end);
        if (got > 0) {
            peer->end += (size_t)got;
            return DUV_HEARD;
        }
        if (got == 0 || !may_come_later())
            return DUV_HEARD_GONE;
        const duv_heard waited = wait_for(peer, peer->from, POLLIN);
        if (waited != DUV_HEARD)
            return waited;
    }
}

duv_heard duv_peer_line(duv_peer *peer, char **line, size_t *length) {
    size_t looked = 0;
    while (true) {
        char *start = peer->buffer + peer->begin;
        char *newline = memchr(start + looked, '\n', peer->end - peer->begin - looked);
        looked = peer->end - peer->begin;
        if ((newline != NULL ? (size_t)(newline - start) : looked) >= DUV_PEER_LINE)
            return DUV_HEARD_TOO_LONG;
        if (newline != NULL) {
            *newline = '\0';
            *line = start;
            *length = (size_t)(newline - start);
            peer->begin += *length + 1;
            return DUV_HEARD;
        }
        const duv_heard heard = hear(peer);
        if (heard != DUV_HEARD)
            return heard;
    }
}

duv_heard duv_peer_piece(duv_peer *peer, const char **bytes, size_t *count) {
    peer->begin = peer->end;
    const duv_heard heard = hear(peer);
    *bytes = peer->buffer;
    *count = peer->end;
    return heard;
}

/* ---- What is sent to it. */

/* write, without the signal that ends us if nobody reads. */
static ssize_t write_quietly(int end, const char *bytes, size_t size) {
    const struct timespec now = {0};
    sigset_t broken, old, pending;
    (void)sigemptyset(&broken);
    (void)sigaddset(&broken, SIGPIPE);
    (void)pthread_sigmask(SIG_BLOCK, &broken, &old);
    const bool was_pending = sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1;
    const ssize_t written = write(end, bytes, size);
    const int reason = errno;
    if (written < 0 && reason == EPIPE && !was_pending)
        while (sigtimedwait(&broken, NULL, &now) < 0 && errno == EINTR) {
        }
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    errno = reason;
    return written;
}

duv_heard duv_peer_send(duv_peer *peer, const char *bytes, size_t size) {
    while (size > 0) {
        const ssize_t written = write_quietly(peer->to, bytes, size);
        if (written > 0) {
            bytes += written;
            size -= (size_t)written;
            continue;
        }
        if (!may_come_later())
            return DUV_HEARD_GONE;
        const duv_heard waited = wait_for(peer, peer->to, POLLOUT);
        if (waited != DUV_HEARD)
            return waited;
    }
    return DUV_HEARD;
}

/* ---- The end. */

void duv_peer_hush(duv_peer *peer) {
    close_end(&peer->to);
}

int duv_peer_end(duv_peer *peer, uint32_t milliseconds, bool *by_itself) {
    close_end(&peer->to);
    const bool has_ended =
        milliseconds > 0 && base_process_ends_within(&peer->process, milliseconds);
    if (by_itself != NULL)
        *by_itself = has_ended;
    hear_complaints(peer);
    close_end(&peer->from);
    close_end(&peer->complaints_from);
    return base_process_end(&peer->process);
}

void duv_peer_free(duv_peer *peer) {
    free(peer->buffer);
    peer->buffer = NULL;
}
