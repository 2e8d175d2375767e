/* SPDX-License-Identifier: MIT */
/*
 * A line to another process: a stream socket on which all bytes of a message go over, or none is
 * waited for any longer. Signals do not cut a message in two.
 */
#ifndef BASE_LINE_H
#define BASE_LINE_H

#include <stdbool.h>
#include <stddef.h>

typedef enum base_transfer {
    BASE_TRANSFER_DONE,
    BASE_TRANSFER_GONE, /* nobody is at the other end */
    BASE_TRANSFER_LATE
} base_transfer;

typedef struct base_line {
    int socket;
    bool has_deadline; /* else it waits for ever */
    double deadline;   /* by base_seconds: of all transfers together */
    /* While it waits, this is called ten times a second, and may change the deadline; NULL: it has
     * nothing to look at. */
    void (*look)(void *context, double now);
    void *context;
} base_line;

/* All bytes, or the reason why not. */
base_transfer base_line_send(base_line *line, const void *bytes, size_t size);
base_transfer base_line_receive(base_line *line, void *bytes, size_t size);

#endif
