/* SPDX-License-Identifier: MIT */
/* A trace in memory: see col_trace in include/collider/check.h. */
#include "judge/trace/trace.h"

#include "base/memory.h"
#include "base/problem.h"
#include "program/program.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARRAY(name, member, optional)                                                              \
    [name] = {offsetof(col_trace, member), sizeof *((col_trace *)NULL)->member, optional}
static const struct {
    size_t offset, item_size;
    bool is_optional; /* NULL when the trace says nothing of it */
} arrays[CHK_ARRAY_COUNT] = {ARRAY(CHK_SOURCE, source, false),
                             ARRAY(CHK_READ, read, false),
                             ARRAY(CHK_WRITTEN, written, false),
                             ARRAY(CHK_LINE, line, false),
                             ARRAY(CHK_BEGIN, begin, true),
                             ARRAY(CHK_END, end, true),
                             ARRAY(CHK_THREAD_NAMES, thread_names, false),
                             ARRAY(CHK_LOCATION_NAMES, location_names, false),
                             ARRAY(CHK_FINAL, final, true),
                             ARRAY(CHK_EVENTS, events, true),
                             ARRAY(CHK_REPLACED, replaced, true),
                             ARRAY(CHK_REPLACED_VALUE, replaced_value, true),
                             ARRAY(CHK_BITS, bits, true),
                             ARRAY(CHK_FINAL_VALUE, final_value, true)};
#undef ARRAY

col_status chk_trace_reserve(col_trace *trace, uint32_t wanted, size_t count,
                             col_problem *problem) {
    col_status status = COL_OK;
    for (uint32_t i = 0; i < CHK_ARRAY_COUNT && status == COL_OK; i++)
        if ((wanted >> i & 1) != 0)
            status = base_reserve((char *)trace + arrays[i].offset, &trace->capacities[i], count,
                                  arrays[i].item_size, problem);
    return status;
}

static void drop_arrays(col_trace *trace, bool only_optional) {
    for (uint32_t i = 0; i < CHK_ARRAY_COUNT; i++) {
        void *array, *address = (char *)trace + arrays[i].offset;
        if (only_optional && !arrays[i].is_optional)
            continue;
        memcpy(&array, address, sizeof array);
        free(array);
        memset(address, 0, sizeof array);
        trace->capacities[i] = 0;
    }
}

void chk_trace_clear(col_trace *trace) {
    drop_arrays(trace, true);
    trace->unfinished_count = 0;
    trace->program.thread_count = 0;
    trace->program.location_count = 0;
    trace->event_count = 0;
    trace->complete = false;
}

void col_trace_free(col_trace *trace) {
    drop_arrays(trace, false);
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

/*
 * From what reads returned to the writes that they read from. An address and a value name one
 * write, or the trace is refused: two writes of one value could not be told apart, and neither
 * could a write of 0 and the start. A value that nobody stored is not malformed: that is for the
 * checker to judge.
 */

/* The writes by location and value. Slots hold a part of the hash above the operation's index, so
 * that few operations are looked at in vain. */
typedef struct writes {
    uint64_t *slots;
    size_t mask;
} writes;

#define NO_WRITE UINT64_MAX
enum { AHEAD = 12 }; /* operations whose slots are on their way while one is looked up */

typedef struct resolver {
    col_trace *trace;
    uint32_t count;
    writes writes;
    chk_trace_fault *fault;
} resolver;

static void report(resolver *r, uint32_t line, chk_part part, const char *format, ...)
    BASE_PRINTF(4, 5);

/* Keeps the fault that comes first in the text. */
static void report(resolver *r, uint32_t line, chk_part part, const char *format, ...) {
    if (r->fault->line != 0 && r->fault->line <= line)
        return;
    va_list arguments;
    va_start(arguments, format);
    r->fault->line = line;
    r->fault->part = part;
    (void)vsnprintf(r->fault->message, sizeof r->fault->message, format, arguments);
    va_end(arguments);
}

static unsigned long long address_of(const resolver *r, uint32_t location) {
    return r->trace->location_names[location];
}

/* ---- The table of writes. */

static uint64_t hash_of(uint32_t location, uint64_t value) {
    uint64_t hash = (value ^ (uint64_t)location << 40) * 0xff51afd7ed558ccdU;
    hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53U + location;
    hash *= 0x9e3779b97f4a7c15U;
    return hash ^ hash >> 29;
}

static inline void prefetch(const void *address) {
#if defined(__GNUC__)
    __builtin_prefetch(address);
#else
    (void)address;
#endif
}

/* The slot of that write, or the free one where it belongs. */
static uint64_t *find_write(const resolver *r, uint32_t location, uint64_t value) {
    const uint64_t hash = hash_of(location, value);
    const uint64_t upper = hash >> 32 << 32;
    for (size_t at = (size_t)hash & r->writes.mask;; at = (at + 1) & r->writes.mask) {
        uint64_t *slot = &r->writes.slots[at];
        const uint32_t operation = (uint32_t)*slot;
        if (*slot == NO_WRITE)
            return slot;
        if ((*slot ^ upper) >> 32 == 0 && r->trace->written[operation] == value &&
            r->trace->program.operations[operation].location == location)
            return slot;
    }
}

static void expect(const resolver *r, uint32_t operation, const uint64_t *values) {
    if (operation >= r->count)
        return;
    const uint64_t hash =
        hash_of(r->trace->program.operations[operation].location, values[operation]);
    prefetch(&r->writes.slots[(size_t)hash & r->writes.mask]);
}

/* Returns the earlier one: of three the second is reported, whatever the order of threads. */
static uint32_t refuse_twin(resolver *r, uint32_t one, uint32_t other) {
    const uint32_t *line = r->trace->line;
    const uint32_t later = line[one] > line[other] ? one : other, earlier = one + other - later;
    report(r, line[later], CHK_PART_WRITTEN,
           "line %u stores %llu at M[%llu] already; a value names one store of an address",
           line[earlier], (unsigned long long)r->trace->written[later],
           address_of(r, r->trace->program.operations[later].location));
    return earlier;
}

/* Gives writes their values of the program, 1, 2, ... */
static void enter_writes(resolver *r) {
    col_trace *trace = r->trace;
    uint32_t value = 0;
    for (uint32_t o = 0; o < r->count; o++) {
        col_operation *operation = &trace->program.operations[o];
        expect(r, o + AHEAD, trace->written);
        if (!col_kinds[operation->kind].writes)
            continue;
        operation->value = ++value;
        if (trace->source[o] == COL_UNFINISHED)
            continue;
        if (trace->written[o] == 0)
            report(r, trace->line[o], CHK_PART_WRITTEN,
                   "0 is what every address holds at the start, so it cannot be stored");
        uint64_t *slot = find_write(r, operation->location, trace->written[o]);
        const uint32_t named = *slot != NO_WRITE ? refuse_twin(r, o, (uint32_t)*slot) : o;
        *slot = hash_of(operation->location, trace->written[o]) >> 32 << 32 | named;
    }
}

static col_status make_table(resolver *r, col_problem *problem) {
    size_t count = 0, size = 16;
    for (uint32_t o = 0; o < r->count; o++)
        count += col_kinds[r->trace->program.operations[o].kind].writes;
    while (size < 2 * count)
        size *= 2;
    r->writes.slots = malloc(size * sizeof *r->writes.slots);
    if (r->writes.slots == NULL)
        return base_out_of_memory(problem);
    memset(r->writes.slots, 0xff, size * sizeof *r->writes.slots);
    r->writes.mask = size - 1;
    return COL_OK;
}

/* ---- Reads and last values. */

/* The write that left the value there. */
static uint32_t find_source(const resolver *r, uint32_t location, uint64_t value) {
    if (value == 0)
        return COL_INITIAL;
    const uint64_t slot = *find_write(r, location, value);
    return slot == NO_WRITE ? COL_NEVER_STORED : (uint32_t)slot;
}

static void find_sources(resolver *r) {
    col_trace *trace = r->trace;
    for (uint32_t o = 0; o < r->count; o++) {
        const col_operation *operation = &trace->program.operations[o];
        expect(r, o + AHEAD, trace->read);
        if (col_kinds[operation->kind].reads && trace->source[o] != COL_UNFINISHED)
            trace->source[o] = find_source(r, operation->location, trace->read[o]);
        if (trace->replaced != NULL && trace->replaced[o] != COL_NOT_SAID)
            trace->replaced[o] = find_source(r, operation->location, trace->replaced_value[o]);
    }
}

static col_status find_finals(resolver *r, const chk_finals *finals, col_problem *problem) {
    col_trace *trace = r->trace;
    if (finals->count == 0)
        return COL_OK;
    const uint32_t locations = trace->program.location_count;
    const col_status status =
        chk_trace_reserve(trace, 1U << CHK_FINAL | 1U << CHK_FINAL_VALUE, locations, problem);
    for (uint32_t l = 0; status == COL_OK && l < locations; l++)
        trace->final[l] = COL_NOT_SAID;
    for (uint32_t f = 0; status == COL_OK && f < finals->count; f++) {
        const chk_final *final = &finals->items[f];
        uint32_t *known = &trace->final[final->location];
        uint64_t *value = &trace->final_value[final->location];
        if (*known != COL_NOT_SAID && *value != final->value)
            report(r, final->line, CHK_PART_READ,
                   "a line before says that M[%llu] ends with another value",
                   address_of(r, final->location));
        *known = find_source(r, final->location, final->value);
        *value = final->value;
    }
    return status;
}

/* ---- Dependencies. */

static void check_dependency(resolver *r, uint32_t o, uint32_t place) {
    col_operation *operation = &r->trace->program.operations[o];
    const uint32_t distance = operation->distance;
    if (distance == 0 || distance > place) {
        report(r, r->trace->line[o], CHK_PART_DEPENDENCY,
               "@-%u is not an earlier operation of this thread", distance);
        return;
    }
    const col_operation *read = operation - distance;
    if (!col_kinds[read->kind].reads)
        report(r, r->trace->line[o], CHK_PART_DEPENDENCY,
               "the operation at @-%u is in line %u and reads nothing", distance,
               r->trace->line[o - distance]);
    if (operation->kind == COL_FLUSH)
        operation->location = read->location;
}

static void check_dependencies(resolver *r) {
    const col_program *program = &r->trace->program;
    for (uint32_t t = 0; t < program->thread_count; t++) {
        const uint32_t start = program->thread_start[t];
        for (uint32_t o = start; o < program->thread_start[t + 1]; o++)
            if (program->operations[o].dependency != COL_NO_DEPENDENCY)
                check_dependency(r, o, o - start);
    }
}

/* ---- Times. */

static void check_time(resolver *r, uint32_t o) {
    const col_trace *trace = r->trace;
    const long long begin = trace->begin[o], end = trace->end[o];
    if (end == COL_NO_TIME)
        return;
    if (trace->program.operations[o].kind == COL_STORE)
        report(r, trace->line[o], CHK_PART_END,
               "a store has no end-time: nothing comes back that would show its end");
    else if (end < begin)
        report(r, trace->line[o], CHK_PART_END, "the end-time %lld is before the begin-time %lld",
               end, begin);
}

static void check_times(resolver *r) {
    const col_trace *trace = r->trace;
    const col_program *program = &trace->program;
    for (uint32_t t = 0; t < program->thread_count; t++) {
        uint32_t last = COL_INITIAL;
        for (uint32_t o = program->thread_start[t]; o < program->thread_start[t + 1]; o++) {
            check_time(r, o);
            if (trace->begin[o] == COL_NO_TIME)
                continue;
            if (last != COL_INITIAL && trace->begin[o] < trace->begin[last])
                report(r, trace->line[o], CHK_PART_BEGIN,
                       "the begin-time %lld is before %lld, that of line %u, which comes "
                       "earlier in this thread",
                       (long long)trace->begin[o], (long long)trace->begin[last],
                       trace->line[last]);
            last = o;
        }
    }
}

col_status chk_trace_resolve(col_trace *trace, const chk_finals *finals, chk_trace_fault *fault,
                             col_problem *problem) {
    resolver r = {.trace = trace, .count = col_program_operations(&trace->program), .fault = fault};
    col_status status = make_table(&r, problem);
    if (status != COL_OK)
        return status;
    enter_writes(&r);
    find_sources(&r);
    check_dependencies(&r);
    if (trace->begin != NULL)
        check_times(&r);
    status = find_finals(&r, finals, problem);
    free(r.writes.slots);
    return status;
}
