/* SPDX-License-Identifier: MIT */
/* Bytes from one process to the other: see line.h. */
#include "base/line.h"

#include "base/clock.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

/* Milliseconds. Nothing that is looked at wakes us, so it is looked at ten times a second. */
static int time_to_wait(const base_line *line, double now) {
    enum { SLICE = 100 };
    const double left = (line->deadline - now) * 1000;
    if (line->has_deadline && left < SLICE)
        return (int)left + 1;
    return line->has_deadline || line->look != NULL ? SLICE : -1;
}

/* Waits until the socket is ready. */
static base_transfer wait_for(base_line *line, short events) {
    while (true) {
        struct pollfd ready = {.fd = line->socket, .events = events};
        const double now = base_seconds();
        if (line->look != NULL)
            line->look(line->context, now);
        if (line->has_deadline && now >= line->deadline)
            return BASE_TRANSFER_LATE;
        const int count = poll(&ready, 1, time_to_wait(line, now));
        if (count > 0)
            return BASE_TRANSFER_DONE;
        if (count < 0 && errno != EINTR)
            return BASE_TRANSFER_GONE;
    }
}

static bool may_come_later(void) {
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

base_transfer base_line_send(base_line *line, const void *bytes, size_t size) {
    const char *at = bytes;
    while (size > 0) {
        const ssize_t sent = send(line->socket, at, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent > 0) {
            at += sent;
            size -= (size_t)sent;
            continue;
        }
        if (!may_come_later())
            return BASE_TRANSFER_GONE;
        const base_transfer waited = wait_for(line, POLLOUT);
        if (waited != BASE_TRANSFER_DONE)
            return waited;
    }
    return BASE_TRANSFER_DONE;
}

/* One that never pauses is not waited for, but its time is over all the same. */
base_transfer base_line_receive(base_line *line, void *bytes, size_t size) {
    char *at = bytes;
    if (line->has_deadline && base_seconds() >= line->deadline)
        return BASE_TRANSFER_LATE;
    while (size > 0) {
        const ssize_t got = recv(line->socket, at, size, MSG_DONTWAIT);
        if (got > 0) {
            at += got;
            size -= (size_t)got;
            continue;
        }
        if (got == 0 || !may_come_later())
            return BASE_TRANSFER_GONE;
        const base_transfer waited = wait_for(line, POLLIN);
        if (waited != BASE_TRANSFER_DONE)
            return waited;
    }
    return BASE_TRANSFER_DONE;
}
