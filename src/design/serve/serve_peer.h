/* SPDX-License-Identifier: MIT */
/*
 * A command that we started and talk to in lines, over pipes: its standard input and output. What
 * it writes to standard error is read too, and the end of it kept. It may be silent, talk without
 * end or die: every wait has a deadline, and it is ended with all that it started.
 */
#pragma once

#include "base/process.h"

enum {
    DUV_PEER_LINE = 1 << 16,      /* bytes of the longest line, with its end */
    DUV_PEER_COMPLAINTS = 1 << 16 /* that are kept of standard error */
};

typedef enum duv_heard {
    DUV_HEARD,
    DUV_HEARD_GONE, /* it hung up */
    DUV_HEARD_LATE,
    DUV_HEARD_TOO_LONG /* a line */
} duv_heard;

typedef struct duv_peer {
    base_process process; /* its id is 0: there is no peer */
    int to, from, complaints_from;
    char *buffer; /* what it said and nobody has taken: */
    size_t begin, end;
    char complaints[DUV_PEER_COMPLAINTS + 1]; /* the last of them, ended by 0 */
    size_t complained;
    bool has_deadline;
    double deadline; /* by base_seconds */
    /* Called while we wait, ten times a second, and whenever something came; may change the
     * deadline. */
    void (*look)(void *context, double now);
    void *context;
} duv_peer;

/* What is started. */
typedef struct duv_peer_plan {
    char *const *words;       /* of the command, ended by NULL */
    const char *folder;       /* that it runs in; NULL: ours */
    char *const *environment; /* its own, "NAME=VALUE", ended by NULL; NULL: ours */
    bool joins;               /* what it writes to standard error comes by standard output */
} duv_peer_plan;

/* A command that cannot be started is refused. `look` and `context` stay. */
col_status duv_peer_start(duv_peer *peer, const duv_peer_plan *plan, col_problem *problem);

/* The next line without its end, which is replaced by 0; it is valid until the next call. */
duv_heard duv_peer_line(duv_peer *peer, char **line, size_t *length);

/* Some more bytes, however many came; they are valid until the next call. */
duv_heard duv_peer_piece(duv_peer *peer, const char **bytes, size_t *count);

duv_heard duv_peer_send(duv_peer *peer, const char *bytes, size_t size);

/* Says no more to it: its standard input ends. */
void duv_peer_hush(duv_peer *peer);

/* Ends it by force, unless it ends by itself within these milliseconds. Returns its status as
 * waitpid does and says whether it ended by itself (`by_itself` may be NULL); -1: nobody knows. */
int duv_peer_end(duv_peer *peer, uint32_t milliseconds, bool *by_itself);
void duv_peer_free(duv_peer *peer); /* one that has ended */

/* What it wrote to standard error and is here by now, the end of it, since it was started. */
const char *duv_peer_complaints(duv_peer *peer);

/* The last line that it wrote to standard error, printable, "" if there is none. */
void duv_peer_last_complaint(const duv_peer *peer, char *line, size_t size);
