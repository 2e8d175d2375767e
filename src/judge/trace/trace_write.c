/* SPDX-License-Identifier: MIT */
/*
 * A trace as text. A recording is first turned into what a text says: for each operation what it
 * read and wrote, and what it replaced; flushes and delays are left out, but for the branch that
 * stands before a flush, and an await is a load and a branch. What did not perform is unfinished:
 * others may be ordered through it. A store whose value was seen before it performed, as from a
 * store buffer, is written like any other.
 */
#include "base/file.h"
#include "base/hash.h"
#include "judge/trace/trace.h"

#include <stdlib.h>
#include <string.h>

/* ---- A text. */

static void print_times(const col_trace *trace, uint32_t o, base_text *text) {
    if (trace->begin == NULL || (trace->begin[o] == COL_NO_TIME && trace->end[o] == COL_NO_TIME))
        return;
    base_text_add(text, " @");
    if (trace->begin[o] != COL_NO_TIME)
        base_text_print(text, " %lld", (long long)trace->begin[o]);
    base_text_add(text, " :");
    if (trace->end[o] != COL_NO_TIME)
        base_text_print(text, " %lld", (long long)trace->end[o]);
}

static void print_final(const col_trace *trace, uint32_t location, base_text *text) {
    char place[40];
    if (trace->final == NULL || trace->final[location] == COL_NOT_SAID)
        return;
    (void)chk_trace_describe_location(trace, location, place, sizeof place);
    base_text_print(text, "final %s == %llu\n", place,
                    (unsigned long long)trace->final_value[location]);
}

static void print_text(const col_trace *trace, base_text *text) {
    const col_program *program = &trace->program;
    char words[256];
    for (uint32_t t = 0; t < program->thread_count; t++)
        for (uint32_t o = program->thread_start[t]; o < program->thread_start[t + 1]; o++) {
            chk_trace_describe(trace, o, words, sizeof words);
            base_text_print(text, "%llu: %s", (unsigned long long)trace->thread_names[t], words);
            print_times(trace, o, text);
            base_text_add(text, "\n");
        }
    for (uint32_t l = 0; l < program->location_count; l++)
        print_final(trace, l, text);
    base_text_add(text, "check\n");
}

/* ---- A recording. */

enum { NOT_PERFORMED = UINT32_MAX };

typedef struct writer {
    const col_trace *trace;
    base_text *text;
    col_problem *problem;
    uint32_t *event; /* by operation: its event, or NOT_PERFORMED */
    uint32_t *place; /* by operation: the place of its line in its thread */
    bool *is_seen;   /* by operation: it has not performed, but its value was seen */
    bool of_reads;   /* nothing is known but what reads returned */
} writer;

static col_status refuse(const writer *w, uint32_t operation, const char *why) {
    const col_program *program = &w->trace->program;
    const uint32_t thread = col_program_thread_of(program, operation);
    return base_refuse(w->problem,
                       "this recording cannot be written as a text: thread %u, operation %u %s",
                       thread, operation - program->thread_start[thread], why);
}

/* The value that a write leaves in a memory that does what it is told. */
static uint64_t value_left(const col_program *program, const col_event *event) {
    const col_operation *operation = &program->operations[event->operation];
    const uint64_t operand = col_program_operand(program, operation);
    return operation->kind == COL_ADD ? event->overwritten + operand : operand;
}

/* A text has what was stored, not what should have been: what the checker at run time says of a
 * single event cannot be said. */
static col_status take_event(writer *w, uint32_t number) {
    const col_event *event = &w->trace->events[number];
    const col_operation *operation = &w->trace->program.operations[event->operation];
    if (w->event[event->operation] != NOT_PERFORMED)
        return refuse(w, event->operation, "performed twice");
    if (operation->kind == COL_AWAIT && event->word != operation->value)
        return refuse(w, event->operation, "ended with another value than it waits for");
    if (event->kind == COL_STORE_PERFORMED && event->word != value_left(&w->trace->program, event))
        return refuse(w, event->operation, "left another value than it was to");
    w->event[event->operation] = number;
    return COL_OK;
}

static bool is_access(const col_operation *operation) {
    return col_kinds[operation->kind].reads || col_kinds[operation->kind].writes;
}

static col_status take_events(writer *w) {
    const col_program *program = &w->trace->program;
    const uint32_t count = col_program_operations(program);
    col_status status = COL_OK;
    memset(w->event, 0xFF, count * sizeof *w->event); /* NOT_PERFORMED */
    for (size_t i = 0; i < w->trace->event_count && status == COL_OK; i++)
        status = take_event(w, (uint32_t)i);
    for (uint32_t o = 0; o < count && status == COL_OK && w->trace->complete; o++)
        if (is_access(&program->operations[o]) && w->event[o] == NOT_PERFORMED)
            status = refuse(w, o, "never performed");
    return status;
}

/* Writes that have not performed, by their values; `place` has their operations until lines are
 * numbered. */
static void mark(writer *w, const base_index *values, uint32_t location, uint64_t value) {
    const uint32_t number = base_index_find(values, base_index_hash(value), NULL, NULL, NULL);
    if (number != BASE_NO_NUMBER &&
        w->trace->program.operations[w->place[number]].location == location)
        w->is_seen[w->place[number]] = true;
}

/* Writes that have not performed, but whose value was seen: read from the store buffer, or told of
 * too early. */
static col_status mark_seen(writer *w) {
    const col_program *program = &w->trace->program;
    base_index values = {0};
    col_status status = COL_OK;
    for (uint32_t o = 0; o < col_program_operations(program) && status == COL_OK; o++) {
        const col_operation *operation = &program->operations[o];
        if (!col_kinds[operation->kind].writes || operation->kind == COL_ADD ||
            w->event[o] != NOT_PERFORMED)
            continue;
        w->place[values.count] = o;
        status = base_index_put(&values, base_index_hash(operation->value), w->problem);
    }
    for (size_t i = 0; i < w->trace->event_count && status == COL_OK; i++) {
        const col_event *event = &w->trace->events[i];
        const uint32_t location = program->operations[event->operation].location;
        mark(w, &values, location, event->word);
        mark(w, &values, location, event->overwritten);
        mark(w, &values, location, event->read);
    }
    base_index_free(&values);
    return status;
}

/* ---- Its lines. */

static uint32_t lines_of(const col_operation *operation) {
    if (operation->kind == COL_AWAIT)
        return 2;
    /* Flushes order nothing; before one there may be a branch. */
    return is_access(operation) || operation->kind == COL_FENCE ||
           (operation->kind == COL_FLUSH && operation->dependency == COL_CONTROL);
}

static void number_lines(const writer *w) {
    const col_program *program = &w->trace->program;
    for (uint32_t t = 0; t < program->thread_count; t++) {
        uint32_t place = 0;
        for (uint32_t o = program->thread_start[t]; o < program->thread_start[t + 1]; o++) {
            w->place[o] = place;
            place += lines_of(&program->operations[o]);
        }
    }
}

/* The operation as one of a text, with arrays of one operation. */
static void print_line(const writer *w, uint32_t o, uint32_t thread) {
    const col_program *program = &w->trace->program;
    col_operation operation = program->operations[o];
    const bool performed = w->event[o] != NOT_PERFORMED;
    const col_event none = {0}, *event = performed ? &w->trace->events[w->event[o]] : &none;
    const bool writes = event->kind == COL_STORE_PERFORMED;
    uint64_t read = writes ? event->read : event->word, name = operation.location;
    uint64_t written = performed ? event->word : operation.value, replaced = event->overwritten;
    uint32_t source = performed || w->is_seen[o] ? COL_INITIAL : COL_UNFINISHED, known = 0;
    char words[256];
    if (operation.kind == COL_AWAIT)
        operation.kind = COL_LOAD;
    if (operation.dependency != COL_NO_DEPENDENCY)
        operation.distance = w->place[o] - w->place[o - operation.distance];
    operation.location = 0;
    const col_trace line = {.program = {.operations = &operation},
                            .source = &source,
                            .read = &read,
                            .written = &written,
                            .replaced = performed && writes && !w->of_reads ? &known : NULL,
                            .replaced_value = &replaced,
                            .location_names = &name};
    chk_trace_describe(&line, 0, words, sizeof words);
    base_text_print(w->text, "%u: %s", thread, words);
    if (performed && !w->of_reads)
        base_text_print(w->text, "  # cycle %llu", (unsigned long long)event->cycle);
    base_text_add(w->text, "\n");
}

static col_status print_operation(const writer *w, uint32_t o, uint32_t thread) {
    const col_operation *operation = &w->trace->program.operations[o];
    if (w->is_seen[o] && col_kinds[operation->kind].reads)
        return refuse(w, o, "has not performed, but what it is to leave was read");
    if (col_kinds[operation->kind].dma)
        return refuse(w, o, "is an access by DMA, in no order with its thread");
    if (lines_of(operation) > 0)
        print_line(w, o, thread);
    if (operation->kind == COL_AWAIT)
        base_text_print(w->text, "%u: branch control@-1\n", thread);
    return COL_OK;
}

/* Might an add that has not performed have left this value, which nothing else has? */
static bool is_promised(const writer *w, uint32_t location, uint64_t value, uint32_t source) {
    const col_program *program = &w->trace->program;
    if (source != COL_NEVER_STORED || value >> 32 == 0)
        return false;
    uint32_t o = 0;
    while (o < col_program_operations(program) &&
           (program->operations[o].kind != COL_ADD || program->operations[o].location != location ||
            w->event[o] != NOT_PERFORMED))
        o++;
    return o < col_program_operations(program);
}

/* Values that cannot be told apart, or whose write cannot be named. */
static col_status check_values(const writer *w, const col_trace *again) {
    for (uint32_t o = 0; o < col_program_operations(&again->program); o++) {
        const uint32_t location = again->program.operations[o].location;
        if (col_kinds[again->program.operations[o].kind].located &&
            (is_promised(w, (uint32_t)again->location_names[location], again->read[o],
                         again->source[o]) ||
             (again->replaced != NULL &&
              is_promised(w, (uint32_t)again->location_names[location], again->replaced_value[o],
                          again->replaced[o]))))
            return base_refuse(
                w->problem,
                "this recording cannot be written as a text: line %u has a value that "
                "an add may have left which has not performed",
                again->line[o]);
    }
    return COL_OK;
}

/* In a memory that lost an add, two may have left one value. */
static col_status read_again(const writer *w, size_t start) {
    col_trace again = COL_TRACE_EMPTY;
    col_problem inner;
    col_status status =
        col_trace_read(&again, w->text->data + start, w->text->length - start, "text", &inner);
    if (status == COL_OK)
        status = check_values(w, &again);
    else if (status == COL_BAD_INPUT)
        status = base_refuse(w->problem, "this recording cannot be written as a text: %s",
                             inner.message);
    else
        status = base_out_of_memory(w->problem);
    col_trace_free(&again);
    return status;
}

static col_status print_recording(writer *w) {
    const col_program *program = &w->trace->program;
    const size_t start = w->text->length;
    col_status status = take_events(w);
    if (status == COL_OK)
        status = mark_seen(w);
    if (status != COL_OK)
        return status;
    number_lines(w);
    /* The address map, for those who want to know. */
    for (uint32_t l = 0; l < program->location_count; l++)
        base_text_print(w->text, "# M[%u] is a%u at 0x%llx\n", l, l,
                        (unsigned long long)program->addresses[l]);
    for (uint32_t t = 0; t < program->thread_count; t++)
        for (uint32_t o = program->thread_start[t];
             o < program->thread_start[t + 1] && status == COL_OK; o++)
            status = print_operation(w, o, t);
    for (uint32_t l = 0; l < program->location_count; l++)
        if (w->trace->final != NULL && w->trace->final[l] != COL_NOT_SAID)
            base_text_print(w->text, "final M[%u] == %llu\n", l,
                            (unsigned long long)w->trace->final_value[l]);
    base_text_add(w->text, "check\n");
    if (status == COL_OK)
        status = base_text_status(w->text, w->problem);
    if (status != COL_OK)
        return status;
    return read_again(w, start);
}

static col_status print_events(const col_trace *trace, bool of_reads, base_text *text,
                               col_problem *problem) {
    const size_t count = (size_t)col_program_operations(&trace->program) + 1;
    writer w = {.trace = trace,
                .text = text,
                .problem = problem,
                .of_reads = of_reads,
                .event = malloc(count * sizeof *w.event),
                .place = malloc(count * sizeof *w.place),
                .is_seen = calloc(count, sizeof *w.is_seen)};
    const col_status status = w.event == NULL || w.place == NULL || w.is_seen == NULL
                                  ? base_out_of_memory(problem)
                                  : print_recording(&w);
    free(w.event);
    free(w.place);
    free(w.is_seen);
    return status;
}

col_status chk_trace_print(const col_trace *trace, base_text *text, col_problem *problem) {
    if (trace->events != NULL)
        return print_events(trace, false, text, problem);
    print_text(trace, text);
    return base_text_status(text, problem);
}

col_status chk_trace_print_reads(const col_trace *trace, base_text *text, col_problem *problem) {
    return print_events(trace, true, text, problem);
}

col_status col_trace_write_file(const col_trace *trace, const char *path, col_problem *problem) {
    base_text text = {0};
    col_status status = chk_trace_print(trace, &text, problem);
    if (status == COL_OK)
        status = base_file_write(path, text.data, text.length, problem);
    base_text_free(&text);
    return status;
}
