/* SPDX-License-Identifier: MIT */
/* No text makes the reader of traces crash, what it refuses has a place, and what it accepts makes
 * sense, is read back the same when it is written, and gets a verdict. */
#include "base/text.h"
#include "fuzz.h"
#include "judge/trace/trace.h"

/* Is the write that a value is said to come from one of that value? */
static void check_source(const col_trace *trace, uint32_t source, uint32_t location,
                         uint64_t value) {
    if (source == COL_INITIAL)
        require(value == 0);
    else if (source < COL_UNFINISHED)
        require(source < col_program_operations(&trace->program) &&
                trace->program.operations[source].location == location &&
                trace->written[source] == value);
    else
        require(source == COL_NEVER_STORED && value != 0);
}

static void check_sources(const col_trace *trace) {
    const col_program *program = &trace->program;
    uint32_t unfinished = 0;
    for (uint32_t o = 0; o < col_program_operations(program); o++) {
        const uint32_t location = program->operations[o].location;
        unfinished += trace->source[o] == COL_UNFINISHED;
        if (trace->source[o] != COL_UNFINISHED)
            check_source(trace, trace->source[o], location, trace->read[o]);
        if (trace->replaced != NULL && trace->replaced[o] != COL_NOT_SAID)
            check_source(trace, trace->replaced[o], location, trace->replaced_value[o]);
    }
    require(unfinished == trace->unfinished_count);
    for (uint32_t l = 0; trace->final != NULL && l < program->location_count; l++)
        if (trace->final[l] != COL_NOT_SAID)
            check_source(trace, trace->final[l], l, trace->final_value[l]);
}

static bool same(const void *a, const void *b, size_t count, size_t size) {
    return count == 0 ||
           ((a == NULL) == (b == NULL) && (a == NULL || memcmp(a, b, count * size) == 0));
}

static void compare_operation(const col_trace *a, const col_trace *b, uint32_t o) {
    const col_operation *one = &a->program.operations[o], *other = &b->program.operations[o];
    require(one->kind == other->kind && one->order == other->order &&
            one->dependency == other->dependency && one->distance == other->distance &&
            one->fence == other->fence && one->value == other->value);
    require(a->source[o] == b->source[o] && a->read[o] == b->read[o] &&
            a->written[o] == b->written[o]);
    require(a->replaced == NULL ||
            (a->replaced[o] == b->replaced[o] &&
             (a->replaced[o] == COL_NOT_SAID || a->replaced_value[o] == b->replaced_value[o])));
    if (!col_kinds[one->kind].located)
        return;
    require(a->location_names[one->location] == b->location_names[other->location] &&
            a->bits[one->location] == b->bits[other->location]);
}

static void compare(const col_trace *a, const col_trace *b) {
    const uint32_t count = col_program_operations(&a->program);
    require(count == col_program_operations(&b->program));
    require(a->program.thread_count == b->program.thread_count);
    require(same(a->thread_names, b->thread_names, a->program.thread_count, 8));
    for (uint32_t o = 0; o < count; o++)
        compare_operation(a, b, o);
    require(same(a->begin, b->begin, count, 8) && same(a->end, b->end, count, 8));
}

/* Any model has a verdict on any trace that is small. */
static void judge(const col_trace *trace) {
    enum { SMALL = 40 };
    if (col_program_operations(&trace->program) > SMALL)
        return;
    for (uint32_t model = 0; model < COL_MODEL_COUNT; model++) {
        const col_trace_settings settings = {.model = (col_model)model};
        static col_violation violation;
        col_verdict verdict;
        col_problem problem;
        require(col_trace_check(trace, &settings, &verdict, &violation, &problem) == COL_OK);
        require(verdict == COL_ALLOWED ||
                (verdict == COL_FORBIDDEN && violation.reason[0] != '\0'));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static col_trace first = COL_TRACE_EMPTY, second = COL_TRACE_EMPTY;
    col_problem problem = {0};
    const col_status status = col_trace_read(&first, (const char *)data, size, "fuzz", &problem);
    if (status != COL_OK) {
        require(status == COL_BAD_INPUT && problem.line > 0 && problem.column > 0 &&
                problem.line <= size + 1 && problem.column <= size + 1);
        return 0;
    }
    base_text text = {0};
    require(col_program_check(&first.program, &problem) == COL_OK);
    check_sources(&first);
    require(chk_trace_print(&first, &text, &problem) == COL_OK);
    require(col_trace_read(&second, text.data, text.length, "again", &problem) == COL_OK);
    compare(&first, &second);
    judge(&first);
    base_text_free(&text);
    return 0;
}
