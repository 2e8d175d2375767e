/* SPDX-License-Identifier: MIT */
/*
 * Writing recordings: an observer that packs each event into some eight bytes as it comes. An event
 * is stored as how it differs from what is expected: the next operation of its core, soon after the
 * last event. The reader, below, expects the same.
 */
#include "judge/trace/trace.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "program/program.h"

#include <stdlib.h>
#include <string.h>

/* What the two share: the layout of the payload; docs/checking-traces.md says it in words. Its
 * numbers are of seven bits a byte, least first, with the top bit set in all bytes but the last;
 * those around it are little-endian. */

/* The first byte of an event. */
enum {
    EVENT_WRITES = 1,     /* a performed store */
    EVENT_SOURCE = 1,     /* the shift of its source, three bits */
    EVENT_OWN_WORD = 16,  /* the word is the operand of its operation */
    EVENT_SAME_READ = 32, /* what it read is what it overwrote */
    EVENT_BITS = 64 - 1,
};

/* The first byte of an operation: kind, order and dependency. */
enum { OPERATION_ORDER = 3, OPERATION_DEPENDENCY = 5, OPERATION_KIND = 7 };

/* Beside the number of threads, which is smaller: words have 4 bytes. */
enum { NARROW = 1 << 17 };

/* A difference as a number that is small if it is near 0 on either side. */
static uint64_t fold(uint64_t difference) {
    return difference << 1 ^ (0 - (difference >> 63));
}

static uint64_t unfold(uint64_t folded) {
    return folded >> 1 ^ (0 - (folded & 1));
}

struct col_recorder {
    const col_program *program; /* NULL until one is loaded */
    base_text records;          /* whole ones */
    base_text payload;          /* of the record under way */
    base_text events;           /* of the instance under way */
    uint64_t event_count, cycle;
    uint32_t *next; /* by thread: the operation that is expected of it */
    size_t next_capacity;
    bool begun; /* an instance is under way */
};

uint64_t chk_recording_checksum(const uint8_t *bytes, size_t length) {
    return XXH3_64bits(bytes, length);
}

/* ---- Bytes. */

static void add_byte(base_text *text, unsigned byte) {
    const char c = (char)byte;
    base_text_add_bytes(text, &c, 1);
}

static void add_number(base_text *text, uint64_t number) {
    char bytes[10];
    size_t count = 0;
    for (; number > 0x7f; number >>= 7)
        bytes[count++] = (char)(number | 0x80);
    bytes[count++] = (char)number;
    base_text_add_bytes(text, bytes, count);
}

static void add_fixed(base_text *text, uint64_t number, int bytes) {
    for (int i = 0; i < bytes; i++)
        add_byte(text, (unsigned)(number >> 8 * i & 0xff));
}

/* ---- The program. */

static void add_operation(base_text *text, const col_operation *operation) {
    const col_kind_traits *traits = &col_kinds[operation->kind];
    const unsigned low = (1U << OPERATION_ORDER) - 1;
    add_byte(text, (operation->kind & low) | (unsigned)operation->order << OPERATION_ORDER |
                       (unsigned)operation->dependency << OPERATION_DEPENDENCY |
                       (operation->kind > low ? 1U << OPERATION_KIND : 0));
    if (operation->kind == COL_FENCE)
        add_byte(text, operation->fence);
    else
        add_number(text, operation->location);
    if (traits->writes || operation->kind == COL_AWAIT)
        add_number(text, operation->value);
    if (operation->dependency != COL_NO_DEPENDENCY)
        add_number(text, operation->distance);
}

static void add_program(base_text *text, const col_program *program) {
    add_number(text, program->thread_count | (program->is_narrow ? NARROW : 0));
    add_number(text, program->location_count);
    for (uint32_t t = 0; t < program->thread_count; t++)
        add_number(text, program->thread_start[t + 1] - program->thread_start[t]);
    uint64_t last = 0;
    for (uint32_t l = 0; l < program->location_count; l++) {
        add_number(text, fold(program->addresses[l] - last));
        last = program->addresses[l];
    }
    for (uint32_t o = 0; o < col_program_operations(program); o++)
        add_operation(text, &program->operations[o]);
}

/* ---- Events. */

void col_recorder_notice(col_recorder *r, const col_event *event) {
    const bool writes = event->kind == COL_STORE_PERFORMED;
    if (r->program == NULL || (!writes && event->kind != COL_LOAD_PERFORMED) ||
        event->operation >= col_program_operations(r->program))
        return;
    const uint64_t operand =
        col_program_operand(r->program, &r->program->operations[event->operation]);
    const bool own_word = writes && event->word == operand;
    const bool same_read = writes && event->read == event->overwritten;
    uint32_t *next = &r->next[event->core % r->program->thread_count];
    add_byte(&r->events, (writes ? EVENT_WRITES : 0U) |
                             ((unsigned)event->source & 7) << EVENT_SOURCE |
                             (own_word ? EVENT_OWN_WORD : 0U) | (same_read ? EVENT_SAME_READ : 0U));
    add_number(&r->events, event->core);
    add_number(&r->events, fold((uint64_t)event->operation - *next));
    add_number(&r->events, fold(event->cycle - r->cycle));
    if (!own_word)
        add_number(&r->events, event->word);
    if (writes)
        add_number(&r->events, event->overwritten);
    if (writes && !same_read)
        add_number(&r->events, event->read);
    *next = event->operation + 1;
    r->cycle = event->cycle;
    r->event_count++;
}

static void notice(void *context, const col_event *event) {
    col_recorder_notice(context, event);
}

col_observer col_recorder_observer(col_recorder *r) {
    return (col_observer){.context = r,
                          .notice = notice,
                          .kinds = 1U << COL_LOAD_PERFORMED | 1U << COL_STORE_PERFORMED};
}

/* ---- Instances and records. */

static void begin_instance(col_recorder *r) {
    r->begun = true;
    r->event_count = 0;
    r->cycle = 0;
    r->events.length = 0;
    for (uint32_t t = 0; t < r->program->thread_count; t++)
        r->next[t] = r->program->thread_start[t];
}

void col_recorder_finish(col_recorder *r, bool complete) {
    if (!r->begun)
        return;
    add_number(&r->payload, r->event_count);
    add_byte(&r->payload, complete);
    if (r->events.length > 0)
        base_text_add_bytes(&r->payload, r->events.data, r->events.length);
    r->payload.failed = r->payload.failed || r->events.failed;
    r->begun = false;
}

void col_recorder_restart(col_recorder *r) {
    if (r->program == NULL)
        return;
    col_recorder_finish(r, false);
    begin_instance(r);
}

/* Ends the record under way. */
static void close_record(col_recorder *r) {
    if (r->program == NULL)
        return;
    col_recorder_finish(r, false);
    base_text *text = &r->records;
    const size_t start = text->length;
    base_text_add_bytes(text, (const char *)chk_recording_magic, CHK_MAGIC);
    add_fixed(text, CHK_RECORDING_VERSION, 4);
    add_fixed(text, r->payload.length, 8);
    if (r->payload.length > 0)
        base_text_add_bytes(text, r->payload.data, r->payload.length);
    text->failed = text->failed || r->payload.failed;
    if (!text->failed)
        add_fixed(text,
                  chk_recording_checksum((const uint8_t *)text->data + start, text->length - start),
                  CHK_RECORDING_CHECKSUM);
    r->payload.length = 0;
    r->program = NULL;
}

col_status col_recorder_load(col_recorder *r, const col_program *program, col_problem *problem) {
    close_record(r);
    const col_status status = base_reserve(
        &r->next, &r->next_capacity, (size_t)program->thread_count + 1, sizeof *r->next, problem);
    if (status != COL_OK)
        return status;
    r->program = program;
    add_program(&r->payload, program);
    begin_instance(r);
    return COL_OK;
}

col_status col_recorder_write_file(col_recorder *r, const char *path, col_problem *problem) {
    close_record(r);
    const col_status status = base_text_status(&r->records, problem);
    if (status != COL_OK)
        return status;
    return base_file_write(path, r->records.length > 0 ? r->records.data : "", r->records.length,
                           problem);
}

col_status col_recorder_new(col_recorder **recorder, col_problem *problem) {
    *recorder = calloc(1, sizeof **recorder);
    return *recorder == NULL ? base_out_of_memory(problem) : COL_OK;
}

void col_recorder_free(col_recorder *r) {
    if (r == NULL)
        return;
    base_text_free(&r->records);
    base_text_free(&r->payload);
    base_text_free(&r->events);
    free(r->next);
    free(r);
}

/*
 * Reading recordings. The checksum says whether the bytes are those that were written; beyond that
 * everything is checked as if an enemy had written them.
 */

typedef struct decoder {
    const uint8_t *at, *end;
    const char *file;
    col_trace *trace;
    col_problem *problem;
    bool failed; /* a number was cut off or too large */
} decoder;

static col_status refuse(const decoder *d, const char *what) {
    return base_refuse_at(d->problem, d->file, 0, 0, "not a good recording: %s", what);
}

/* ---- Bytes. */

static uint64_t get_fixed(const uint8_t *bytes, int count) {
    uint64_t number = 0;
    for (int i = count; i-- > 0;)
        number = number << 8 | bytes[i];
    return number;
}

static unsigned get_byte(decoder *d) {
    if (d->at < d->end)
        return *d->at++;
    d->failed = true;
    return 0;
}

static uint64_t get_number(decoder *d, uint64_t most) {
    uint64_t number = 0;
    unsigned byte = 0x80;
    for (int shift = 0; (byte & 0x80) != 0; shift += 7) {
        byte = get_byte(d);
        const uint64_t bits = byte & 0x7f;
        if (d->failed || shift > 63 || bits << shift >> shift != bits) {
            d->failed = true;
            return 0;
        }
        number |= bits << shift;
    }
    d->failed = d->failed || number > most;
    return d->failed ? 0 : number;
}

bool chk_is_recording(const uint8_t *bytes, size_t length) {
    return memcmp(bytes, chk_recording_magic, length < CHK_MAGIC ? length : CHK_MAGIC) == 0;
}

col_status chk_recording_length(const uint8_t *bytes, const char *file, uint64_t *length,
                                col_problem *problem) {
    const decoder d = {.file = file, .problem = problem};
    if (!chk_is_recording(bytes, CHK_MAGIC))
        return refuse(&d, "it does not begin as one");
    if (get_fixed(bytes + CHK_MAGIC, 4) != CHK_RECORDING_VERSION)
        return base_refuse_at(problem, file, 0, 0,
                              "this version of Collider reads recordings of version %d",
                              CHK_RECORDING_VERSION);
    const uint64_t payload = get_fixed(bytes + CHK_MAGIC + 4, 8);
    if (payload > UINT64_MAX / 4)
        return refuse(&d, "its length is damaged");
    *length = CHK_RECORDING_HEADER + payload + CHK_RECORDING_CHECKSUM;
    return COL_OK;
}

/* ---- The program. */

static void get_operation(decoder *d, col_operation *operation) {
    const unsigned first = get_byte(d), low = (1U << OPERATION_ORDER) - 1;
    const unsigned kind = (first & low) + (first >> OPERATION_KIND << OPERATION_ORDER);
    *operation = (col_operation){.kind = (uint8_t)(kind < COL_KIND_COUNT ? kind : 0),
                                 .order = (uint8_t)(first >> OPERATION_ORDER & 3),
                                 .dependency = (uint8_t)(first >> OPERATION_DEPENDENCY & 3)};
    d->failed = d->failed || kind >= COL_KIND_COUNT;
    if (operation->kind == COL_FENCE)
        operation->fence = (uint8_t)get_byte(d);
    else
        operation->location = (uint32_t)get_number(d, UINT32_MAX);
    if (col_kinds[operation->kind].writes || operation->kind == COL_AWAIT)
        operation->value = (uint32_t)get_number(d, UINT32_MAX);
    if (operation->dependency != COL_NO_DEPENDENCY)
        operation->distance = (uint32_t)get_number(d, UINT32_MAX);
}

/* An operation takes a byte at least: no recording can ask for more memory than its length
 * justifies. */
static col_status get_program(decoder *d, uint32_t *lengths) {
    col_program *program = &d->trace->program;
    const uint32_t first = (uint32_t)get_number(d, NARROW | COL_MAX_THREADS);
    const uint32_t threads = first & ~(uint32_t)NARROW;
    const uint32_t locations = (uint32_t)get_number(d, COL_MAX_LOCATIONS);
    uint64_t operations = 0;
    d->failed = d->failed || threads > COL_MAX_THREADS;
    for (uint32_t t = 0; t < threads && !d->failed; t++) {
        lengths[t] = (uint32_t)get_number(d, UINT32_MAX);
        operations += lengths[t];
    }
    if (d->failed || operations + locations > (uint64_t)(d->end - d->at))
        return refuse(d, "its program is damaged");
    col_status status = col_program_shape(program, threads, lengths, locations, d->problem);
    if (status != COL_OK)
        return status;
    program->is_narrow = (first & NARROW) != 0;
    uint64_t last = 0;
    for (uint32_t l = 0; l < program->location_count; l++) {
        last += unfold(get_number(d, UINT64_MAX));
        program->addresses[l] = last;
    }
    for (uint32_t o = 0; o < operations; o++)
        get_operation(d, &program->operations[o]);
    if (d->failed)
        return refuse(d, "its program is damaged");
    col_problem inner;
    status = col_program_check(program, &inner);
    if (status == COL_BAD_INPUT)
        return base_refuse_at(d->problem, d->file, 0, 0, "not a good recording: %s", inner.message);
    return status == COL_OK ? COL_OK : base_out_of_memory(d->problem);
}

/* ---- Events. */

/* What is expected next: see the recorder. */
typedef struct expected {
    uint64_t cycle;
    uint32_t *next; /* by thread */
} expected;

static bool fits(const col_program *program, const col_event *event) {
    const col_kind_traits *traits = &col_kinds[program->operations[event->operation].kind];
    return event->kind == COL_STORE_PERFORMED ? traits->writes
                                              : traits->reads && (!traits->writes || traits->fails);
}

static col_status get_event(decoder *d, expected *e, col_event *event) {
    const col_program *program = &d->trace->program;
    const unsigned first = get_byte(d);
    const bool writes = (first & EVENT_WRITES) != 0;
    *event = (col_event){.kind = writes ? COL_STORE_PERFORMED : COL_LOAD_PERFORMED,
                         .source = (col_source)(first >> EVENT_SOURCE & 7),
                         .core = (uint32_t)get_number(d, UINT32_MAX)};
    if (d->failed || first > EVENT_BITS || event->source > COL_FROM_MEMORY)
        return refuse(d, "an event is damaged");
    uint32_t *next = &e->next[event->core % program->thread_count];
    const uint64_t operation = *next + unfold(get_number(d, UINT64_MAX));
    event->cycle = e->cycle + unfold(get_number(d, UINT64_MAX));
    if (d->failed || operation >= col_program_operations(program))
        return refuse(d, "an event is of no operation");
    event->operation = (uint32_t)operation;
    if (!fits(program, event))
        return refuse(d, "an event does not fit its operation");
    event->word = (first & EVENT_OWN_WORD) != 0
                      ? col_program_operand(program, &program->operations[operation])
                      : get_number(d, UINT64_MAX);
    if (writes)
        event->overwritten = get_number(d, UINT64_MAX);
    if (writes)
        event->read =
            (first & EVENT_SAME_READ) != 0 ? event->overwritten : get_number(d, UINT64_MAX);
    *next = event->operation + 1;
    e->cycle = event->cycle;
    return d->failed ? refuse(d, "an event is damaged") : COL_OK;
}

/* Conditionals become what they turned out to be; those that have not performed may still store. */
static void resolve_conditionals(col_trace *trace) {
    col_program *program = &trace->program;
    for (uint64_t i = 0; i < trace->event_count; i++)
        prg_resolve_conditional(&program->operations[trace->events[i].operation],
                                trace->events[i].kind == COL_LOAD_PERFORMED);
}

static col_status get_events(decoder *d, uint32_t *next, uint64_t count) {
    col_trace *trace = d->trace;
    expected e = {.next = next};
    memcpy(next, trace->program.thread_start, trace->program.thread_count * sizeof *next);
    col_status status = chk_trace_reserve(trace, 1U << CHK_EVENTS, count + 1, d->problem);
    for (uint64_t i = 0; status == COL_OK && i < count; i++)
        status = get_event(d, &e, &trace->events[i]);
    trace->event_count = status == COL_OK ? count : 0;
    resolve_conditionals(trace);
    return status;
}

static col_status get_instance(decoder *d, uint32_t *next, bool *found) {
    enum { LEAST_EVENT_BYTES = 5 };
    *found = d->at < d->end;
    if (!*found)
        return COL_OK;
    const uint64_t count = get_number(d, UINT64_MAX);
    const unsigned complete = get_byte(d);
    if (d->failed || complete > 1 || count > (uint64_t)(d->end - d->at) / LEAST_EVENT_BYTES ||
        (count > 0 && d->trace->program.thread_count == 0))
        return refuse(d, "an instance is damaged");
    d->trace->complete = complete == 1;
    return get_events(d, next, count);
}

col_status chk_recording_read(const uint8_t *bytes, size_t length, const char *file,
                              uint64_t *offset, col_trace *trace, bool *found,
                              col_problem *problem) {
    const size_t used = length - CHK_RECORDING_CHECKSUM;
    decoder d = {.at = bytes + CHK_RECORDING_HEADER,
                 .end = bytes + used,
                 .file = file,
                 .trace = trace,
                 .problem = problem};
    chk_trace_clear(trace);
    *found = false;
    if (*offset == 0 &&
        chk_recording_checksum(bytes, used) != get_fixed(bytes + used, CHK_RECORDING_CHECKSUM))
        return refuse(&d, "its checksum does not match, so it is damaged");
    uint32_t *by_thread = malloc(COL_MAX_THREADS * sizeof *by_thread);
    if (by_thread == NULL)
        return base_out_of_memory(problem);
    col_status status = get_program(&d, by_thread);
    if (status == COL_OK && *offset > 0)
        d.at = bytes + *offset;
    if (status == COL_OK)
        status = get_instance(&d, by_thread, found);
    free(by_thread);
    *offset = (uint64_t)(d.at - bytes);
    if (status != COL_OK) {
        chk_trace_clear(trace);
        *found = false;
    }
    return status;
}
