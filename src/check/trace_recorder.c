/* SPDX-License-Identifier: MIT */
/*
 * Writing recordings: an observer that packs each event into some eight bytes as it comes. An event
 * is stored as how it differs from what is expected: the next operation of its core, soon after the
 * last event. The reader, trace_recording.c, expects the same.
 */
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "check/trace_bytes.h"

#include <stdlib.h>
#include <string.h>

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
    const unsigned low = (1U << CHK_OPERATION_ORDER) - 1;
    add_byte(text, (operation->kind & low) | (unsigned)operation->order << CHK_OPERATION_ORDER |
                       (unsigned)operation->dependency << CHK_OPERATION_DEPENDENCY |
                       (operation->kind > low ? 1U << CHK_OPERATION_KIND : 0));
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
    add_number(text, program->thread_count | (program->is_narrow ? CHK_NARROW : 0));
    add_number(text, program->location_count);
    for (uint32_t t = 0; t < program->thread_count; t++)
        add_number(text, program->thread_start[t + 1] - program->thread_start[t]);
    uint64_t last = 0;
    for (uint32_t l = 0; l < program->location_count; l++) {
        add_number(text, chk_fold(program->addresses[l] - last));
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
    add_byte(&r->events,
             (writes ? CHK_EVENT_WRITES : 0U) | ((unsigned)event->source & 7) << CHK_EVENT_SOURCE |
                 (own_word ? CHK_EVENT_OWN_WORD : 0U) | (same_read ? CHK_EVENT_SAME_READ : 0U));
    add_number(&r->events, event->core);
    add_number(&r->events, chk_fold((uint64_t)event->operation - *next));
    add_number(&r->events, chk_fold(event->cycle - r->cycle));
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
