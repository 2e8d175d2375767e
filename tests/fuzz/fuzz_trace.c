/* SPDX-License-Identifier: MIT */
/* No text makes the reader of traces crash, what it refuses has a place, and what it accepts makes
 * sense and is read back the same when it is written thread by thread. */
#include "base/text.h"
#include "check/trace.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds) {
    if (!holds)
        abort();
}

static void check_sources(const col_trace *trace) {
    const col_program *program = &trace->program;
    for (uint32_t o = 0; o < col_program_operations(program); o++) {
        const uint32_t source = trace->source[o];
        if (!col_kinds[program->operations[o].kind].reads || source == COL_INITIAL)
            require(trace->read[o] == 0);
        else
            require(source < col_program_operations(program) &&
                    program->operations[source].location == program->operations[o].location &&
                    trace->written[source] == trace->read[o]);
    }
}

static void write_again(const col_trace *trace, base_text *text) {
    const col_program *program = &trace->program;
    for (uint32_t o = 0; o < col_program_operations(program); o++) {
        char words[128];
        chk_trace_describe(trace, o, words, sizeof words);
        base_text_print(text, "%llu: %s",
                        (unsigned long long)trace->thread_names[col_program_thread_of(program, o)],
                        words);
        if (trace->begin != NULL)
            base_text_add(text, "@");
        if (trace->begin != NULL && trace->begin[o] != COL_NO_TIME)
            base_text_print(text, "%lld", (long long)trace->begin[o]);
        if (trace->begin != NULL)
            base_text_add(text, ":");
        if (trace->begin != NULL && trace->end[o] != COL_NO_TIME)
            base_text_print(text, "%lld", (long long)trace->end[o]);
        base_text_add(text, "\n");
    }
    for (uint32_t l = 0; trace->final != NULL && l < program->location_count; l++)
        if (trace->final[l] != COL_NO_FINAL)
            base_text_print(text, "final M[%llu] == %llu\n",
                            (unsigned long long)trace->location_names[l],
                            trace->final[l] == COL_INITIAL
                                ? 0ULL
                                : (unsigned long long)trace->written[trace->final[l]]);
    base_text_add(text, "check\n");
}

static bool same(const void *a, const void *b, size_t count, size_t size) {
    return count == 0 ||
           ((a == NULL) == (b == NULL) && (a == NULL || memcmp(a, b, count * size) == 0));
}

static void compare(const col_trace *a, const col_trace *b) {
    const uint32_t count = col_program_operations(&a->program);
    require(count == col_program_operations(&b->program));
    require(a->program.thread_count == b->program.thread_count);
    require(same(a->thread_names, b->thread_names, a->program.thread_count, 8));
    for (uint32_t o = 0; o < count; o++)
        require(a->program.operations[o].kind == b->program.operations[o].kind &&
                a->source[o] == b->source[o] && a->read[o] == b->read[o] &&
                a->written[o] == b->written[o]);
    require(same(a->begin, b->begin, count, 8) && same(a->end, b->end, count, 8));
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
    write_again(&first, &text);
    require(col_trace_read(&second, text.data, text.length, "again", &problem) == COL_OK);
    compare(&first, &second);
    base_text_free(&text);
    return 0;
}
