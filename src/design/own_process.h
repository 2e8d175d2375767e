/* SPDX-License-Identifier: MIT */
/*
 * A design in a child process, so that a crash or a hang is an answer and not the end of the
 * episode. The child opens the design once and keeps its state from instance to instance; when it
 * has died, the next instance starts another one, which opens the design and loads the program
 * again.
 */
#pragma once

#include "base/memory.h"
#include "base/process.h"
#include "base/text.h"
#include "design/design_kind.h"
#include "design/duv.h"

#include <string.h>
#include <sys/types.h>

/* A design in a process, as a kind of design: all of it is for the state that is opened here. */
extern const duv_kind duv_child;

/* `kind` may be NULL: the interface is all that there is. */
col_status duv_child_open(void **state, const duv_kind *kind, const col_duv_interface *interface,
                          const col_duv_settings *settings, col_problem *problem);

/*
 * What the two processes say to each other: requests and answers over a socket, events in memory
 * that both see. Both are the same program, so structures go over as they are.
 */

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

void duv_write_program(const col_program *program, base_text *bytes);

/* The bytes that follow a request or an answer. Running out of memory is left to the text. */
base_transfer duv_receive_text(base_line *line, uint64_t size, base_text *text);

/* A description with all that it points to, but names: these stay in the bytes. */
typedef struct duv_copy {
    col_duv_description description;
    base_arena arena;
    col_duv_machine *machines;
    col_duv_point *points;
    col_duv_names *names;
    const char **words; /* of the states and events of all machines */
    bool *empty;        /* by word */
} duv_copy;

/* Do two processes describe the same design? */
static inline bool duv_is_same(const base_text *one, const base_text *other) {
    return one->length == other->length &&
           (one->length == 0 || memcmp(one->data, other->data, one->length) == 0);
}

col_status duv_read_description(const base_text *bytes, duv_copy *copy, col_problem *problem);
void duv_copy_free(duv_copy *copy);

/* ---- The child's side; never returns. */

_Noreturn void duv_child_serve(int socket, pid_t parent_process, duv_shared *shared,
                               const duv_kind *kind, const col_duv_interface *interface,
                               const col_duv_settings *settings);
