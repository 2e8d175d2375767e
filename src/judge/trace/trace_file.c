/* SPDX-License-Identifier: MIT */
/*
 * Files and pipes of traces. No more is read than it takes to see the end of the next trace: a
 * program at the other end of a pipe may wait for the verdict before it goes on.
 */
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "judge/trace/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    CHUNK = 1 << 18,
    MOST_BYTES = 1 << 30 /* of one trace, fifty times what a million operations take: a device
                            without an end, such as /dev/zero, is refused */
};

struct col_trace_file {
    char *path;
    int descriptor;
    bool ended;
    char *bytes;
    size_t start, length, capacity; /* what has been read and not used is [start, length) */
    uint32_t line;                  /* of text: of bytes[start] */
    bool has_begun;                 /* a byte order mark is no part of the first trace */
    uint32_t found;                 /* traces */
    uint64_t instance;              /* of a recording: where the next one is in its record */
};

col_status col_trace_open(col_trace_file **file, const char *path, col_problem *problem) {
    const bool is_input = strcmp(path, "-") == 0;
    col_trace_file *f = calloc(1, sizeof *f);
    *file = NULL;
    if (f == NULL)
        return base_out_of_memory(problem);
    f->line = 1;
    f->path = strdup(is_input ? "standard input" : path);
    f->descriptor = is_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (f->path != NULL && f->descriptor >= 0) {
        *file = f;
        return COL_OK;
    }
    const int reason = errno;
    const bool is_open = f->descriptor >= 0;
    col_trace_close(f);
    return is_open ? base_out_of_memory(problem) : base_cannot_read(path, reason, problem);
}

void col_trace_close(col_trace_file *f) {
    if (f == NULL)
        return;
    if (f->descriptor > STDIN_FILENO)
        (void)close(f->descriptor);
    free(f->path);
    free(f->bytes);
    free(f);
}

/* Some more, as soon as it is there. */
static col_status read_more(col_trace_file *f, col_problem *problem) {
    if (f->start > 0) {
        memmove(f->bytes, f->bytes + f->start, f->length - f->start);
        f->length -= f->start;
        f->start = 0;
    }
    if (f->length > MOST_BYTES)
        return base_refuse(problem, "cannot read %s: a trace in it has more than %d MiB", f->path,
                           MOST_BYTES >> 20);
    const col_status status = base_reserve(&f->bytes, &f->capacity, f->length + CHUNK, 1, problem);
    if (status != COL_OK)
        return status;
    ssize_t count;
    do
        count = read(f->descriptor, f->bytes + f->length, f->capacity - f->length);
    while (count < 0 && errno == EINTR);
    if (count < 0)
        return base_cannot_read(f->path, errno, problem);
    f->ended = count == 0;
    f->length += (size_t)count;
    return COL_OK;
}

static col_status want_bytes(col_trace_file *f, uint64_t count, col_problem *problem) {
    col_status status = COL_OK;
    while (status == COL_OK && !f->ended && f->length - f->start < count)
        status = read_more(f, problem);
    return status;
}

/* ---- Text. */

static col_status next_text(col_trace_file *f, col_trace *trace, bool *found,
                            col_problem *problem) {
    size_t looked = 0; /* how far behind the start there is no 'check' */
    uint32_t lines = 0;
    const char *end = NULL;
    while (true) {
        const char *from = f->bytes + f->start + looked;
        if (f->length > f->start)
            end = chk_passage_end(&from, f->bytes + f->length, &lines);
        if (end != NULL || f->ended)
            break;
        looked = f->length > f->start ? (size_t)(from - (f->bytes + f->start)) : 0;
        const col_status status = read_more(f, problem);
        if (status != COL_OK)
            return status;
    }
    const size_t start = f->start;
    f->start = end != NULL ? (size_t)(end - f->bytes) : f->length;
    const chk_passage passage = {
        .file = f->path, .text = f->bytes + start, .length = f->start - start, .line = f->line};
    bool empty;
    const col_status status = chk_trace_parse(trace, &passage, &empty, problem);
    f->line += lines;
    *found = status == COL_OK && !empty;
    return status;
}

/* ---- Recordings. */

static col_status next_recorded(col_trace_file *f, col_trace *trace, bool *found,
                                col_problem *problem) {
    uint64_t length = 0;
    col_status status = want_bytes(f, CHK_RECORDING_HEADER, problem);
    while (status == COL_OK && f->length > f->start) {
        const uint8_t *bytes = (const uint8_t *)f->bytes + f->start;
        if (f->length - f->start < CHK_RECORDING_HEADER)
            return base_refuse_at(problem, f->path, 0, 0, "the recording is cut off");
        status = chk_recording_length(bytes, f->path, &length, problem);
        if (status == COL_OK)
            status = want_bytes(f, length, problem);
        if (status != COL_OK)
            return status;
        if (f->length - f->start < length)
            return base_refuse_at(problem, f->path, 0, 0, "the recording is cut off");
        bytes = (const uint8_t *)f->bytes + f->start;
        status =
            chk_recording_read(bytes, (size_t)length, f->path, &f->instance, trace, found, problem);
        if (status != COL_OK || *found)
            return status;
        f->start += (size_t)length;
        f->instance = 0;
        status = want_bytes(f, CHK_RECORDING_HEADER, problem);
    }
    return status;
}

/* The first byte tells whether there may be a mark, so that no other text has to wait for more. */
static col_status skip_mark(col_trace_file *f, col_problem *problem) {
    static const char first = '\xef';
    f->has_begun = true;
    if (f->length == f->start || f->bytes[f->start] != first)
        return COL_OK;
    const col_status status = want_bytes(f, 3, problem);
    size_t length = f->length - f->start;
    const char *text = f->bytes + f->start;
    f->start += (size_t)(base_skip_bom(text, &length) - text);
    return status == COL_OK ? want_bytes(f, 1, problem) : status;
}

col_status col_trace_next(col_trace_file *f, col_trace *trace, bool *found, col_problem *problem) {
    *found = false;
    /* The first byte tells text from a recording, so that no text has to wait for more. */
    col_status status = want_bytes(f, 1, problem);
    if (status == COL_OK && !f->has_begun)
        status = skip_mark(f, problem);
    if (status != COL_OK)
        return status;
    if (f->length > f->start && chk_is_recording((const uint8_t *)f->bytes + f->start, 1))
        status = next_recorded(f, trace, found, problem);
    else
        status = next_text(f, trace, found, problem);
    f->found += *found;
    if (status == COL_OK && !*found && f->found == 0)
        return base_refuse_at(problem, f->path, 0, 0, "there is no trace here, not even 'check'");
    return status;
}
