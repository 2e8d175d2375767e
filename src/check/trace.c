/* SPDX-License-Identifier: MIT */
/* A trace in memory: see col_trace in include/collider/check.h. */
#include "check/trace.h"

#include "check/violation.h"

#include <stdio.h>
#include <stdlib.h>

/* What is NULL when the trace says nothing of it. */
static void drop_optional(col_trace *trace) {
    free(trace->begin);
    free(trace->end);
    free(trace->final);
    free(trace->events);
    trace->begin = trace->end = NULL;
    trace->final = NULL;
    trace->events = NULL;
    trace->capacities[CHK_BEGIN] = trace->capacities[CHK_END] = 0;
    trace->capacities[CHK_FINAL] = trace->capacities[CHK_EVENTS] = 0;
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

void chk_trace_describe(const col_trace *trace, uint32_t operation, char *text, size_t size) {
    const col_operation *o = &trace->program.operations[operation];
    if (o->kind == COL_FENCE) {
        (void)snprintf(text, size, "sync");
        return;
    }
    const unsigned long long address = trace->location_names[o->location];
    const unsigned long long read = trace->read[operation], written = trace->written[operation];
    if (o->kind == COL_LOAD)
        (void)snprintf(text, size, "M[%llu] == %llu", address, read);
    else if (o->kind == COL_STORE)
        (void)snprintf(text, size, "M[%llu] := %llu", address, written);
    else
        (void)snprintf(text, size, "{ M[%llu] == %llu; M[%llu] := %llu }", address, read, address,
                       written);
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
