/* SPDX-License-Identifier: MIT */
/* A trace in memory: see col_trace in include/collider/check.h. */
#include "check/trace.h"

#include "base/problem.h"
#include "check/violation.h"
#include "program/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* What is NULL when the trace says nothing of it. */
static void drop_optional(col_trace *trace) {
    free(trace->begin);
    free(trace->end);
    free(trace->final);
    free(trace->final_value);
    free(trace->replaced);
    free(trace->replaced_value);
    free(trace->bits);
    free(trace->events);
    trace->begin = trace->end = NULL;
    trace->final = trace->replaced = NULL;
    trace->final_value = trace->replaced_value = NULL;
    trace->bits = NULL;
    trace->events = NULL;
    trace->capacities[CHK_BEGIN] = trace->capacities[CHK_END] = 0;
    trace->capacities[CHK_FINAL] = trace->capacities[CHK_FINAL_VALUE] = 0;
    trace->capacities[CHK_REPLACED] = trace->capacities[CHK_REPLACED_VALUE] = 0;
    trace->capacities[CHK_BITS] = trace->capacities[CHK_EVENTS] = 0;
    trace->unfinished_count = 0;
}

void chk_trace_clear(col_trace *trace) {
    drop_optional(trace);
    trace->program.thread_count = 0;
    trace->program.location_count = 0;
    trace->event_count = 0;
    trace->complete = false;
}

void col_trace_free(col_trace *trace) {
    drop_optional(trace);
    free(trace->source);
    free(trace->read);
    free(trace->written);
    free(trace->line);
    free(trace->thread_names);
    free(trace->location_names);
    col_program_free(&trace->program);
    *trace = (col_trace)COL_TRACE_EMPTY;
}

/* ---- An operation in the words of the text. */

/* Text that grows in a buffer, and is cut at its end. */
typedef struct buffer {
    char *at;
    size_t left;
} buffer;

static void add(buffer *b, const char *format, ...) BASE_PRINTF(2, 3);

static void add(buffer *b, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(b->at, b->left, format, arguments);
    va_end(arguments);
    const size_t used = length < 0 || (size_t)length >= b->left ? b->left - 1 : (size_t)length;
    b->at += used;
    b->left -= used;
}

int chk_trace_describe_location(const col_trace *trace, uint32_t location, char *text,
                                size_t size) {
    const unsigned long long address = trace->location_names[location];
    if (trace->bits == NULL || trace->bits[location] == 0)
        return snprintf(text, size, "M[%llu]", address);
    return snprintf(text, size, "M%u[0x%llx]", trace->bits[location], address);
}

/* "M[1] == 7", or a question mark for what is not finished. */
static void add_value(buffer *b, const col_trace *trace, uint32_t operation, const char *sign,
                      uint64_t value) {
    char place[40];
    (void)chk_trace_describe_location(trace, trace->program.operations[operation].location, place,
                                      sizeof place);
    if (trace->source[operation] == COL_UNFINISHED)
        add(b, "%s %s ?", place, sign);
    else
        add(b, "%s %s %llu", place, sign, (unsigned long long)value);
}

static void add_access(buffer *b, const col_trace *trace, uint32_t operation) {
    const col_kind_traits *traits = &col_kinds[trace->program.operations[operation].kind];
    if (traits->reads && traits->writes)
        add(b, "{ ");
    if (traits->reads)
        add_value(b, trace, operation, "==", trace->read[operation]);
    if (traits->reads && traits->writes)
        add(b, "; ");
    if (traits->writes)
        add_value(b, trace, operation, ":=", trace->written[operation]);
    if (traits->reads && traits->writes)
        add(b, " }");
}

static void add_attributes(buffer *b, const col_trace *trace, uint32_t operation) {
    const col_operation *o = &trace->program.operations[operation];
    if (o->kind == COL_ADD || o->kind == COL_CONDITIONAL)
        add(b, " %s", col_kinds[o->kind].name);
    if ((o->order & COL_ACQUIRE) != 0)
        add(b, " acquire");
    if ((o->order & COL_RELEASE) != 0)
        add(b, " release");
    if (o->dependency != COL_NO_DEPENDENCY)
        add(b, " %s@-%u", prg_dependency_words[o->dependency], o->distance);
    if (trace->replaced != NULL && trace->replaced[operation] != COL_NOT_SAID)
        add(b, " replaces %llu", (unsigned long long)trace->replaced_value[operation]);
}

void chk_trace_describe(const col_trace *trace, uint32_t operation, char *text, size_t size) {
    buffer b = {text, size};
    const col_operation *o = &trace->program.operations[operation];
    if (o->kind == COL_FENCE && o->fence == COL_FULL_FENCE)
        add(&b, "sync");
    else if (o->kind == COL_FENCE)
        add(&b, "fence %s", prg_fence_words[o->fence]);
    else if (o->kind == COL_FLUSH)
        add(&b, "branch");
    else
        add_access(&b, trace, operation);
    add_attributes(&b, trace, operation);
}

void col_trace_name(const col_trace *trace, col_violation *violation) {
    if (trace->events != NULL)
        return;
    const uint32_t count = col_program_operations(&trace->program);
    for (uint32_t m = 0; m < violation->mention_count; m++) {
        col_mention *mention = &violation->mentions[m];
        if (mention->operation >= count)
            continue;
        mention->thread = col_program_thread_of(&trace->program, mention->operation);
        mention->thread_name = trace->thread_names[mention->thread];
        mention->line = trace->line[mention->operation];
        chk_trace_describe(trace, mention->operation, mention->text, sizeof mention->text);
    }
}
