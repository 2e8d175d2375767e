/* SPDX-License-Identifier: MIT */
/*
 * What a design's process and its parent say to each other: requests and answers over a socket,
 * events in memory that both see. Both are the same program, so structures go over as they are.
 */
#ifndef DUV_LINE_H
#define DUV_LINE_H

#include "base/text.h"
#include "duv/duv.h"
#include "duv/kind.h"

#include <sys/types.h>

/* ---- Events. The child fills the batch, says so and waits until it may go on. */

enum { DUV_BATCH = 1024, DUV_TEXT = 1 << 16, DUV_NAME = 48 };

static inline bool duv_is_message(const col_event *event) {
    return event->kind == COL_MESSAGE_SENT || event->kind == COL_MESSAGE_RECEIVED;
}

typedef struct duv_shared {
    volatile int stop; /* what the design looks at */
    _Atomic uint32_t count;
    bool has_text; /* the last event's message is `text` */
    char text[DUV_TEXT];
    col_event events[DUV_BATCH];
    char names[DUV_BATCH][DUV_NAME]; /* of messages: their types */
} duv_shared;

/* ---- Requests and answers. The first answer, to opening, comes without a request. */

typedef enum duv_request_kind {
    DUV_LOAD,
    DUV_RUN,
    DUV_GO_ON,
    DUV_DRAWN,
    DUV_QUIT
} duv_request_kind;

typedef struct duv_request {
    duv_request_kind kind;
    uint64_t size;          /* of a load: bytes of the program that follow */
    uint32_t configuration; /* of DUV_DRAWN */
    uint64_t seed;          /* of a run, like the rest */
    uint64_t stop_after;    /* events; 0: the design is not stopped by their number */
    uint32_t kinds;
    bool is_watched, may_stop;
} duv_request;

typedef struct duv_answer {
    bool is_batch; /* events are there, and nothing else is said */
    col_status status;
    col_problem problem;
    col_run run;
    uint64_t size; /* bytes that follow: a description, duv_hit[], or what was drawn */
    uint32_t keys; /* of an opened design: as duv_keys */
} duv_answer;

typedef struct duv_hit {
    uint64_t count;
    uint32_t point; /* functional */
} duv_hit;

/* ---- What does not go over as it is. */

/* Bytes that are read one thing after the other. */
typedef struct duv_reader {
    const char *at;
    size_t left;
    bool is_wrong; /* there were too few, or they made no sense */
} duv_reader;

void duv_write_program(const col_program *program, base_text *bytes);
col_status duv_read_program(duv_reader *reader, col_program *program, col_problem *problem);

void duv_write_description(const col_duv_description *description, base_text *bytes);

/* All but the description is taken from malloc; names stay in the bytes. */
typedef struct duv_copy {
    col_duv_description description;
    col_duv_machine *machines;
    col_duv_point *points;
    col_duv_names *names;
    const char **words; /* of the states and events of all machines */
    bool *empty;        /* by word */
    col_duv_cell *edited;
    uint32_t *needs;
    col_duv_source *sources;
} duv_copy;

col_status duv_read_description(duv_reader *reader, duv_copy *copy, col_problem *problem);
void duv_copy_free(duv_copy *copy);

/* ---- The child's side; never returns. */

_Noreturn void duv_child_serve(int socket, pid_t parent_process, duv_shared *shared,
                               const duv_kind *kind, const col_duv_interface *interface,
                               const col_duv_settings *settings);

#endif
