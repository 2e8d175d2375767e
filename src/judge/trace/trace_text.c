/* SPDX-License-Identifier: MIT */
/*
 * Reading a trace in text, in two passes: the first counts the operations of each thread, so that
 * the second can put each one where it belongs and nothing has to be kept twice.
 */
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "judge/trace/trace_scan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Numbers of the text and their indices. */

typedef struct numbers {
    uint64_t *names; /* by index */
    size_t capacity;
    uint32_t count;
    base_index index;
} numbers;

/* The index of a number that is there, or BASE_NO_NUMBER. */
static uint32_t find_number(const numbers *n, uint64_t name) {
    return base_index_find(&n->index, base_index_hash(name), NULL, NULL, NULL);
}

/* A new number gets the next index. */
static col_status add_number(numbers *n, uint64_t name, uint32_t *index, col_problem *problem) {
    *index = find_number(n, name);
    if (*index != BASE_NO_NUMBER)
        return COL_OK;
    col_status status =
        base_reserve(&n->names, &n->capacity, (size_t)n->count + 1, sizeof *n->names, problem);
    if (status == COL_OK)
        status = base_index_put(&n->index, base_index_hash(name), problem);
    if (status != COL_OK)
        return status;
    *index = n->count++;
    n->names[*index] = name;
    return COL_OK;
}

/* ---- The reader. */

/* A part of a file that holds one trace. */
typedef struct piece {
    const char *file;
    const char *text;
    size_t length;
    uint32_t line; /* of its first character, from 1 */
} piece;

typedef struct reader {
    const piece *passage;
    col_trace *trace;
    col_problem *problem;
    numbers threads, locations;
    uint32_t *lengths; /* by thread */
    uint32_t *next;    /* by thread: where its next operation goes */
    size_t length_capacity, next_capacity;
    uint64_t operation_count;
    uint32_t *first_line; /* by location */
    size_t first_capacity;
    chk_finals finals;
    bool is_checked; /* ends with 'check' */
} reader;

/* The line that begins at `start`; returns where the next one begins. */
static const char *line_at(const piece *passage, const char *start, const char **end) {
    const char *text_end = passage->text + passage->length;
    *end = memchr(start, '\n', (size_t)(text_end - start));
    if (*end == NULL)
        *end = text_end;
    return *end == text_end ? text_end : *end + 1;
}

/* Behind the first line 'check', or NULL if there is none yet. `*from` is the start of a line, and
 * moves to where to look on when there is more text: a last line without its end is not looked at.
 * Lines that were passed are counted. */
static const char *end_of_passage(const char **from, const char *end, uint32_t *lines) {
    for (const char *line_end; (line_end = memchr(*from, '\n', (size_t)(end - *from))) != NULL;) {
        const bool is_check = chk_scan_word(*from, line_end, "check");
        *from = line_end + 1;
        ++*lines;
        if (is_check)
            return *from;
    }
    return NULL;
}

/* ---- The first pass. */

static col_status count_operation(reader *r, uint64_t thread, uint32_t line) {
    const uint32_t known = r->threads.count;
    uint32_t index = 0;
    if (++r->operation_count >= UINT32_MAX - 1)
        return base_refuse_at(r->problem, r->passage->file, line, 1,
                              "a trace has fewer than 2^32 - 2 operations");
    col_status status = add_number(&r->threads, thread, &index, r->problem);
    if (status == COL_OK)
        status = base_reserve(&r->lengths, &r->length_capacity, r->threads.count,
                              sizeof *r->lengths, r->problem);
    if (status == COL_OK && r->threads.count > COL_MAX_THREADS)
        status = base_refuse_at(r->problem, r->passage->file, line, 1,
                                "a trace has at most %d threads", COL_MAX_THREADS);
    if (status != COL_OK)
        return status;
    if (index == known)
        r->lengths[index] = 0;
    r->lengths[index]++;
    return COL_OK;
}

static col_status count_operations(reader *r) {
    const piece *passage = r->passage;
    const char *end, *text_end = passage->text + passage->length;
    uint32_t line = passage->line;
    col_status status = COL_OK;
    for (const char *start = passage->text, *next; status == COL_OK && start < text_end;
         start = next, line++) {
        uint64_t thread;
        next = line_at(passage, start, &end);
        if (chk_scan_thread(start, end, &thread))
            status = count_operation(r, thread, line);
    }
    return status;
}

/* To be sorted by a number of the text. */
typedef struct numbered {
    uint64_t number;
    uint32_t what; /* the length of a thread; a location */
} numbered;

static int compare_numbers(const void *left, const void *right) {
    const numbered *a = left, *b = right;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* Threads come by their numbers, whatever the order of the lines: in most traces the index of a
 * thread is its number. */
static col_status sort_threads(reader *r) {
    numbers *threads = &r->threads;
    if (threads->count == 0)
        return COL_OK;
    numbered *sorted = malloc(threads->count * sizeof *sorted);
    if (sorted == NULL)
        return base_out_of_memory(r->problem);
    for (uint32_t t = 0; t < threads->count; t++)
        sorted[t] = (numbered){threads->names[t], r->lengths[t]};
    qsort(sorted, threads->count, sizeof *sorted, compare_numbers);
    for (uint32_t t = 0; t < threads->count; t++) {
        threads->names[t] = sorted[t].number;
        r->lengths[t] = sorted[t].what;
    }
    free(sorted);
    base_index_clear(&threads->index);
    col_status status = COL_OK;
    for (uint32_t t = 0; t < threads->count && status == COL_OK; t++)
        status = base_index_put(&threads->index, base_index_hash(threads->names[t]), r->problem);
    return status;
}

/* ---- Room. */

static col_status make_room(reader *r) {
    col_trace *trace = r->trace;
    col_program *program = &trace->program;
    const size_t count = r->operation_count;
    const size_t threads = (size_t)r->threads.count + 1;
    col_status status = col_program_shape(program, r->threads.count, r->lengths, 0, r->problem);
    if (status == COL_OK)
        status = chk_trace_reserve(
            trace, 1U << CHK_SOURCE | 1U << CHK_READ | 1U << CHK_WRITTEN | 1U << CHK_LINE, count,
            r->problem);
    if (status == COL_OK)
        status = base_reserve(&r->next, &r->next_capacity, threads, sizeof *r->next, r->problem);
    if (status == COL_OK)
        memcpy(r->next, program->thread_start, threads * sizeof *r->next);
    return status;
}

/* The first time makes room for all. */
static col_status make_times(reader *r) {
    col_trace *trace = r->trace;
    const size_t count = r->operation_count;
    if (trace->begin != NULL)
        return COL_OK;
    const col_status status =
        chk_trace_reserve(trace, 1U << CHK_BEGIN | 1U << CHK_END, count, r->problem);
    for (size_t i = 0; i < count && status == COL_OK; i++)
        trace->begin[i] = trace->end[i] = COL_NO_TIME;
    return status;
}

/* ---- The second pass. */

/* All addresses of a trace are names, or all have a size; each keeps its own. */
static col_status fit_size(const reader *r, const chk_scan *s, uint32_t location) {
    const uint8_t known = r->trace->bits[location];
    if (known == s->bits)
        return COL_OK;
    if (known == 0 || s->bits == 0)
        return CHK_REFUSE(s, s->part_at[CHK_PART_ADDRESS],
                          "a trace says the size of all words, as in M32[0x40], or of none");
    return CHK_REFUSE(
        s, s->part_at[CHK_PART_ADDRESS],
        "line %u has a word of %u bits here; accesses of different sizes that overlap "
        "cannot be judged",
        r->first_line[location], known);
}

static col_status add_location(reader *r, const chk_scan *s, uint32_t location) {
    col_trace *trace = r->trace;
    if (r->locations.count > COL_MAX_LOCATIONS)
        return CHK_REFUSE(s, s->part_at[CHK_PART_ADDRESS], "a trace has at most %d addresses",
                          COL_MAX_LOCATIONS);
    if (chk_trace_reserve(trace, 1U << CHK_BITS, (size_t)location + 1, r->problem) != COL_OK ||
        base_reserve(&r->first_line, &r->first_capacity, (size_t)location + 1,
                     sizeof *r->first_line, r->problem) != COL_OK)
        return COL_FAILURE;
    trace->bits[location] = s->bits;
    r->first_line[location] = s->line;
    return (trace->bits[0] == 0) == (s->bits == 0) ? COL_OK : fit_size(r, s, 0);
}

static col_status locate(reader *r, const chk_scan *s, uint32_t *location) {
    const uint32_t known = r->locations.count;
    const col_status status = add_number(&r->locations, s->address, location, r->problem);
    if (status != COL_OK)
        return status;
    return *location == known ? add_location(r, s, *location) : fit_size(r, s, *location);
}

/* The first one makes room for all. */
static col_status make_replaced(reader *r) {
    col_trace *trace = r->trace;
    const size_t count = r->operation_count;
    if (trace->replaced != NULL)
        return COL_OK;
    const col_status status =
        chk_trace_reserve(trace, 1U << CHK_REPLACED | 1U << CHK_REPLACED_VALUE, count, r->problem);
    for (size_t i = 0; i < count && status == COL_OK; i++)
        trace->replaced[i] = COL_NOT_SAID;
    return status;
}

static col_status put_operation(reader *r, const chk_scan *s) {
    col_trace *trace = r->trace;
    uint32_t location = 0;
    col_status status = COL_OK;
    /* What a branch depends on is found later, and its location with it. */
    if (s->operation.kind != COL_FENCE && s->operation.kind != COL_FLUSH)
        status = locate(r, s, &location);
    if (status == COL_OK && (s->begin != COL_NO_TIME || s->end_time != COL_NO_TIME))
        status = make_times(r);
    if (status == COL_OK && s->has_replaced)
        status = make_replaced(r);
    if (status != COL_OK)
        return status;
    const uint32_t index = r->next[find_number(&r->threads, s->thread)]++;
    trace->program.operations[index] = s->operation;
    trace->program.operations[index].location = location;
    trace->source[index] = s->is_unfinished ? COL_UNFINISHED : COL_INITIAL;
    trace->unfinished_count += s->is_unfinished;
    trace->read[index] = s->read;
    trace->written[index] = s->written;
    trace->line[index] = s->line;
    if (trace->begin != NULL) {
        trace->begin[index] = s->begin;
        trace->end[index] = s->end_time;
    }
    if (s->has_replaced) {
        trace->replaced[index] = COL_NEVER_STORED; /* until it is found */
        trace->replaced_value[index] = s->replaced;
    }
    return COL_OK;
}

static col_status put_final(reader *r, const chk_scan *s) {
    chk_finals *finals = &r->finals;
    uint32_t location;
    col_status status = locate(r, s, &location);
    if (status == COL_OK)
        status = base_reserve(&finals->items, &finals->capacity, (size_t)finals->count + 1,
                              sizeof *finals->items, r->problem);
    if (status == COL_OK)
        finals->items[finals->count++] =
            (chk_final){.value = s->read, .location = location, .line = s->line};
    return status;
}

static col_status take_line(reader *r, const chk_scan *s) {
    if (s->kind != CHK_NOTHING && r->is_checked)
        return CHK_REFUSE(s, s->start, "another trace begins here, and one was to be read");
    r->is_checked = r->is_checked || s->kind == CHK_CHECK;
    if (s->kind == CHK_OPERATION)
        return put_operation(r, s);
    return s->kind == CHK_LAST_VALUE ? put_final(r, s) : COL_OK;
}

static col_status put_operations(reader *r) {
    const piece *passage = r->passage;
    const char *text_end = passage->text + passage->length;
    chk_scan s = {.file = passage->file, .line = passage->line, .problem = r->problem};
    col_status status = COL_OK;
    for (const char *next = passage->text; status == COL_OK && next < text_end; s.line++) {
        s.start = next;
        next = line_at(passage, next, &s.end);
        status = chk_scan_line(&s);
        if (status == COL_OK)
            status = take_line(r, &s);
    }
    return status;
}

/* Locations a block apart: no trace says that two addresses share one. */
static col_status put_addresses(reader *r) {
    enum { BLOCK_BYTES = 64 };
    col_program *program = &r->trace->program;
    const col_status status =
        base_reserve(&program->addresses, &program->location_capacity, r->locations.count,
                     sizeof *program->addresses, r->problem);
    if (status != COL_OK)
        return status;
    program->location_count = r->locations.count;
    for (uint32_t l = 0; l < program->location_count; l++)
        program->addresses[l] = (uint64_t)l * BLOCK_BYTES;
    return COL_OK;
}

/* ---- Words that overlap. */

/* Words are aligned, so of two that overlap the larger one holds the smaller one, and all that lie
 * between its address and its end follow it in the list. The line that comes first is reported. */
static void find_overlap(const reader *r, const numbered *list, uint32_t count,
                         chk_trace_fault *fault) {
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t bytes = r->trace->bits[list[i].what] / 8U;
        for (uint32_t j = i + 1; j < count && list[j].number - list[i].number < bytes; j++) {
            const uint32_t one = r->first_line[list[i].what];
            const uint32_t other = r->first_line[list[j].what];
            const uint32_t later = one > other ? one : other;
            if (fault->line != 0 && fault->line <= later)
                continue;
            fault->line = later;
            fault->part = CHK_PART_ADDRESS;
            (void)snprintf(fault->message, sizeof fault->message,
                           "this word overlaps that of line %u; accesses of different sizes that "
                           "overlap cannot be judged",
                           one + other - later);
        }
    }
}

static col_status check_sizes(const reader *r, chk_trace_fault *fault) {
    const uint32_t count = r->locations.count;
    if (count == 0 || r->trace->bits[0] == 0)
        return COL_OK;
    numbered *list = malloc(count * sizeof *list);
    if (list == NULL)
        return base_out_of_memory(r->problem);
    for (uint32_t l = 0; l < count; l++)
        list[l] = (numbered){r->locations.names[l], l};
    qsort(list, count, sizeof *list, compare_numbers);
    find_overlap(r, list, count, fault);
    free(list);
    return COL_OK;
}

/* ---- The whole. */

/* Scans the line of a fault again for its column. */
static col_status refuse_fault(const reader *r, const chk_trace_fault *fault) {
    chk_scan s = {.file = r->passage->file, .line = r->passage->line};
    const char *next = line_at(r->passage, r->passage->text, &s.end);
    s.start = r->passage->text;
    for (; s.line < fault->line; s.line++) {
        s.start = next;
        next = line_at(r->passage, next, &s.end);
    }
    (void)chk_scan_line(&s);
    s.problem = r->problem;
    return CHK_REFUSE(&s, s.part_at[fault->part], "%s", fault->message);
}

static col_status read_passage(reader *r) {
    chk_trace_fault fault = {0};
    col_status status = count_operations(r);
    if (status == COL_OK)
        status = sort_threads(r);
    if (status == COL_OK)
        status = make_room(r);
    if (status == COL_OK)
        status = put_operations(r);
    if (status == COL_OK)
        status = put_addresses(r);
    r->trace->thread_names = r->threads.names;
    r->trace->location_names = r->locations.names;
    r->trace->capacities[CHK_THREAD_NAMES] = r->threads.capacity;
    r->trace->capacities[CHK_LOCATION_NAMES] = r->locations.capacity;
    if (status == COL_OK)
        status = check_sizes(r, &fault);
    if (status == COL_OK)
        status = chk_trace_resolve(r->trace, &r->finals, &fault, r->problem);
    if (status == COL_OK && fault.line > 0)
        status = refuse_fault(r, &fault);
    return status;
}

/* `*empty`: there is nothing but comments. On failure the trace is left empty. */
static col_status parse_passage(col_trace *trace, const piece *passage, bool *empty,
                                col_problem *problem) {
    chk_trace_clear(trace);
    reader r = {
        .passage = passage,
        .trace = trace,
        .problem = problem,
        .threads = {.names = trace->thread_names, .capacity = trace->capacities[CHK_THREAD_NAMES]},
        .locations = {.names = trace->location_names,
                      .capacity = trace->capacities[CHK_LOCATION_NAMES]}};
    const col_status status = read_passage(&r);
    *empty = r.operation_count == 0 && r.finals.count == 0 && !r.is_checked;
    base_index_free(&r.threads.index);
    base_index_free(&r.locations.index);
    free(r.lengths);
    free(r.next);
    free(r.first_line);
    free(r.finals.items);
    if (status != COL_OK)
        chk_trace_clear(trace);
    return status;
}

col_status col_trace_read(col_trace *trace, const char *text, size_t length, const char *file,
                          col_problem *problem) {
    text = base_skip_bom(text, &length);
    const piece passage = {.file = file, .text = text, .length = length, .line = 1};
    bool empty;
    const col_status status = parse_passage(trace, &passage, &empty, problem);
    if (status == COL_OK && empty)
        return base_refuse_at(problem, file, 1, 1, "there is no trace here, not even 'check'");
    return status;
}

/*
 * Files and pipes of traces. No more is read than it takes to see the end of the next trace: a
 * program at the other end of a pipe may wait for the verdict before it goes on.
 */

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
            end = end_of_passage(&from, f->bytes + f->length, &lines);
        if (end != NULL || f->ended)
            break;
        looked = f->length > f->start ? (size_t)(from - (f->bytes + f->start)) : 0;
        const col_status status = read_more(f, problem);
        if (status != COL_OK)
            return status;
    }
    const size_t start = f->start;
    f->start = end != NULL ? (size_t)(end - f->bytes) : f->length;
    const piece passage = {
        .file = f->path, .text = f->bytes + start, .length = f->start - start, .line = f->line};
    bool empty;
    const col_status status = parse_passage(trace, &passage, &empty, problem);
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
