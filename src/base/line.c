/* SPDX-License-Identifier: MIT */
/* Bytes from one process to the other: see line.h. */
#include "base/line.h"

#include "base/clock.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

/* Milliseconds. Nothing that is looked at wakes us, so it is looked at ten times a second. */
static int time_to_wait(const col_line *line, double now) {
    enum { SLICE = 100 };
    const double left = (line->deadline - now) * 1000;
    if (line->has_deadline && left < SLICE)
        return (int)left + 1;
    return line->has_deadline || line->look != NULL ? SLICE : -1;
}

/* Waits until the socket is ready. */
static col_transfer wait_for(col_line *line, short events) {
    while (true) {
        struct pollfd ready = {.fd = line->socket, .events = events};
        const double now = col_seconds();
        if (line->look != NULL)
            line->look(line->context, now);
        if (line->has_deadline && now >= line->deadline)
            return COL_TRANSFER_LATE;
        const int count = poll(&ready, 1, time_to_wait(line, now));
        if (count > 0)
            return COL_TRANSFER_DONE;
        if (count < 0 && errno != EINTR)
            return COL_TRANSFER_GONE;
    }
}

static bool may_come_later(void) {
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

col_transfer col_line_send(col_line *line, const void *bytes, size_t size) {
    const char *at = bytes;
    while (size > 0) {
        const ssize_t sent = send(line->socket, at, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent > 0) {
            at += sent;
            size -= (size_t)sent;
            continue;
        }
        if (!may_come_later())
            return COL_TRANSFER_GONE;
        const col_transfer waited = wait_for(line, POLLOUT);
        if (waited != COL_TRANSFER_DONE)
            return waited;
    }
    return COL_TRANSFER_DONE;
}

/* One that never pauses is not waited for, but its time is over all the same. */
col_transfer col_line_receive(col_line *line, void *bytes, size_t size) {
    char *at = bytes;
    if (line->has_deadline && col_seconds() >= line->deadline)
        return COL_TRANSFER_LATE;
    while (size > 0) {
        const ssize_t got = recv(line->socket, at, size, MSG_DONTWAIT);
        if (got > 0) {
            at += got;
            size -= (size_t)got;
            continue;
        }
        if (got == 0 || !may_come_later())
            return COL_TRANSFER_GONE;
        const col_transfer waited = wait_for(line, POLLIN);
        if (waited != COL_TRANSFER_DONE)
            return waited;
    }
    return COL_TRANSFER_DONE;
}
