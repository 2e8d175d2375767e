/* SPDX-License-Identifier: MIT */
/*
 * Reading recordings. The checksum says whether the bytes are those that were written; beyond that
 * everything is checked as if an enemy had written them.
 */
#include "base/memory.h"
#include "check/trace_bytes.h"
#include "program/settle.h"

#include <stdlib.h>
#include <string.h>

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
    const unsigned first = get_byte(d), low = (1U << CHK_OPERATION_ORDER) - 1;
    const unsigned kind = (first & low) + (first >> CHK_OPERATION_KIND << CHK_OPERATION_ORDER);
    *operation = (col_operation){.kind = (uint8_t)(kind < COL_KIND_COUNT ? kind : 0),
                                 .order = (uint8_t)(first >> CHK_OPERATION_ORDER & 3),
                                 .dependency = (uint8_t)(first >> CHK_OPERATION_DEPENDENCY & 3)};
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

static void get_addresses(decoder *d, col_program *program) {
    uint64_t last = 0;
    for (uint32_t l = 0; l < program->location_count; l++) {
        last += chk_unfold(get_number(d, UINT64_MAX));
        program->addresses[l] = last;
    }
}

/* An operation takes a byte at least: no recording can ask for more memory than its length
 * justifies. */
static col_status get_program(decoder *d, uint32_t *lengths) {
    col_program *program = &d->trace->program;
    const uint32_t first = (uint32_t)get_number(d, CHK_NARROW | COL_MAX_THREADS);
    const uint32_t threads = first & ~(uint32_t)CHK_NARROW;
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
    program->is_narrow = (first & CHK_NARROW) != 0;
    get_addresses(d, program);
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
    const bool writes = (first & CHK_EVENT_WRITES) != 0;
    *event = (col_event){.kind = writes ? COL_STORE_PERFORMED : COL_LOAD_PERFORMED,
                         .source = (col_source)(first >> CHK_EVENT_SOURCE & 7),
                         .core = (uint32_t)get_number(d, UINT32_MAX)};
    if (d->failed || first > CHK_EVENT_BITS || event->source > COL_FROM_MEMORY)
        return refuse(d, "an event is damaged");
    uint32_t *next = &e->next[event->core % program->thread_count];
    const uint64_t operation = *next + chk_unfold(get_number(d, UINT64_MAX));
    event->cycle = e->cycle + chk_unfold(get_number(d, UINT64_MAX));
    if (d->failed || operation >= col_program_operations(program))
        return refuse(d, "an event is of no operation");
    event->operation = (uint32_t)operation;
    if (!fits(program, event))
        return refuse(d, "an event does not fit its operation");
    event->word = (first & CHK_EVENT_OWN_WORD) != 0
                      ? col_program_operand(program, &program->operations[operation])
                      : get_number(d, UINT64_MAX);
    if (writes)
        event->overwritten = get_number(d, UINT64_MAX);
    if (writes)
        event->read =
            (first & CHK_EVENT_SAME_READ) != 0 ? event->overwritten : get_number(d, UINT64_MAX);
    *next = event->operation + 1;
    e->cycle = event->cycle;
    return d->failed ? refuse(d, "an event is damaged") : COL_OK;
}

/* Conditionals become what they turned out to be; those that have not performed may still store. */
static void settle(col_trace *trace) {
    col_program *program = &trace->program;
    for (uint64_t i = 0; i < trace->event_count; i++)
        prg_settle(&program->operations[trace->events[i].operation],
                   trace->events[i].kind == COL_LOAD_PERFORMED);
}

static col_status get_events(decoder *d, uint32_t *next, uint64_t count) {
    col_trace *trace = d->trace;
    expected e = {.next = next};
    memcpy(next, trace->program.thread_start, trace->program.thread_count * sizeof *next);
    col_status status = base_reserve(&trace->events, &trace->capacities[CHK_EVENTS], count + 1,
                                     sizeof *trace->events, d->problem);
    for (uint64_t i = 0; status == COL_OK && i < count; i++)
        status = get_event(d, &e, &trace->events[i]);
    trace->event_count = status == COL_OK ? count : 0;
    settle(trace);
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
