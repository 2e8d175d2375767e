/* SPDX-License-Identifier: MIT */
/*
 * A line to another process: a stream socket on which all bytes of a message go over, or none is
 * waited for any longer. Signals do not cut a message in two.
 */
#ifndef BASE_LINE_H
#define BASE_LINE_H

#include <stdbool.h>
#include <stddef.h>

typedef enum col_transfer {
    COL_TRANSFER_DONE,
    COL_TRANSFER_GONE, /* nobody is at the other end */
    COL_TRANSFER_LATE
} col_transfer;

typedef struct col_line {
    int socket;
    bool has_deadline; /* else it waits for ever */
    double deadline;   /* by col_seconds: of all transfers together */
    /* While it waits, this is called ten times a second, and may change the deadline; NULL: it has
     * nothing to look at. */
    void (*look)(void *context, double now);
    void *context;
} col_line;

/* All bytes, or the reason why not. */
col_transfer col_line_send(col_line *line, const void *bytes, size_t size);
col_transfer col_line_receive(col_line *line, void *bytes, size_t size);

#endif
