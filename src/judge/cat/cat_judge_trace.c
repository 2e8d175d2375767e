/* SPDX-License-Identifier: MIT */
/*
 * Judging a trace: is there an order of the writes to each location that the model allows? Writes
 * are placed one after the other, location by location; an order that is wrong so far is given up.
 * Wrong so far is what the model's tests forbid whatever pairs are added to co; and an atomic
 * follows the write that it read, directly.
 */
#include "base/clock.h"
#include "judge/cat/cat_judge.h"
#include "judge/trace/trace.h"
#include "judge/violation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOT_PLACED UINT32_MAX

typedef struct search {
    cat_judge *judge;
    const col_trace *trace;
    cat_execution execution;
    uint32_t *writes;  /* of all locations, one after the other */
    uint32_t *starts;  /* by location, and the end: in `writes` */
    uint32_t *last;    /* by location: the write placed last, or COL_INITIAL */
    uint32_t location; /* whose writes are being placed */
    uint32_t placed;   /* of this location */
    double end;        /* of the budget */
    bool is_over;
    col_verdict verdict;
    uint32_t
        explained; /* the violation is of an order of this many writes, + 1; 0: there is none */
    col_status status;
    col_problem *problem;
} search;

/* ---- One order. */

static bool reads(const search *s, uint32_t operation) {
    return col_kinds[s->trace->program.operations[operation].kind].reads;
}

/* What comes after a write: those that are not placed yet. */
static void relate_later(search *s, uint32_t write, bool is_related) {
    cat_graph *graph = &s->judge->graph.graph;
    const uint32_t event = s->judge->graph.write[write];
    for (uint32_t i = s->starts[s->location]; i < s->starts[s->location + 1]; i++) {
        const uint32_t later = s->judge->graph.write[s->writes[i]];
        if (s->judge->place[s->writes[i]] != NOT_PLACED)
            continue;
        if (is_related)
            cat_graph_relate(graph, CAT_CO, event, later);
        else if (graph->relations[CAT_CO] != NULL)
            cat_remove(cat_row(graph->relations[CAT_CO], graph->size, event), later);
    }
    s->status = graph->status;
}

/* What is wrong with the order that came furthest is the most telling. */
static void explain(search *s, uint32_t check) {
    static const char tail[] = "; no other order of the writes is allowed, either";
    col_violation *violation = &s->judge->violation;
    const uint32_t depth = s->starts[s->location] + s->placed;
    if (depth < s->explained)
        return;
    s->explained = depth + 1;
    s->status = cat_judge_explain(s->judge, check, &s->execution, s->problem);
    const size_t length = strlen(violation->reason);
    if (s->status == COL_OK && depth > 0 && length + sizeof tail < sizeof violation->reason)
        memcpy(violation->reason + length, tail, sizeof tail);
}

/* Does the model forbid what has been placed so far? */
static bool is_wrong(search *s, bool is_whole) {
    cat_verdict verdict = {.is_allowed = true};
    cat_run_change(s->judge->run, CAT_WITH_CO);
    if (is_whole)
        cat_graph_find_finals(&s->judge->graph.graph);
    s->status = s->judge->graph.graph.status;
    if (s->status == COL_OK)
        s->status = cat_run_judge(s->judge->run, is_whole ? CAT_WITH_CO : CAT_WITH_PART_OF_CO,
                                  &verdict, s->problem);
    if (s->status != COL_OK)
        return true;
    if (!verdict.is_allowed)
        explain(s, verdict.check);
    return !verdict.is_allowed;
}

/* The only write that can come next: an atomic that read the last one. COL_INITIAL: any can. */
static uint32_t forced(const search *s) {
    for (uint32_t i = s->starts[s->location]; i < s->starts[s->location + 1]; i++) {
        const uint32_t write = s->writes[i];
        if (s->judge->place[write] == NOT_PLACED && reads(s, write) &&
            s->trace->source[write] == s->last[s->location])
            return write;
    }
    return COL_INITIAL;
}

static bool may_come_next(const search *s, uint32_t write, uint32_t only) {
    const uint32_t count = s->starts[s->location + 1] - s->starts[s->location];
    const uint32_t final = s->trace->final != NULL ? s->trace->final[s->location] : COL_NOT_SAID;
    if (s->judge->place[write] != NOT_PLACED || (only != COL_INITIAL && write != only) ||
        (reads(s, write) && s->trace->source[write] != s->last[s->location]))
        return false;
    if (s->trace->replaced != NULL && s->trace->replaced[write] != COL_NOT_SAID &&
        s->trace->replaced[write] != s->last[s->location])
        return false;
    return final == COL_NOT_SAID || (s->placed + 1 == count) == (write == final);
}

/* ---- All orders. */

static bool is_over(search *s) {
    s->is_over = s->is_over || base_is_stopped(s->judge->stop) || base_seconds() > s->end;
    return s->is_over;
}

/* Where the next write belongs: the location is left when all of its writes are placed. */
static void go_to(search *s, uint32_t depth) {
    s->location = 0;
    while (s->location + 1 < s->trace->program.location_count &&
           s->starts[s->location + 1] <= depth)
        s->location++;
    s->placed = depth - s->starts[s->location];
}

static void place(search *s, uint32_t write) {
    s->judge->place[write] = s->placed++;
    s->last[s->location] = write;
    relate_later(s, write, true);
}

static void unplace(search *s, uint32_t write, uint32_t before) {
    s->judge->place[write] = NOT_PLACED;
    s->last[s->location] = before;
    relate_later(s, write, false);
}

/* Is there an allowed order that begins with the writes placed so far, `depth` of `count`? */
static bool complete(search *s, uint32_t depth, uint32_t count) {
    if (depth == count)
        return !is_wrong(s, true);
    go_to(s, depth);
    const uint32_t location = s->location, before = s->last[location], only = forced(s);
    for (uint32_t i = s->starts[location]; i < s->starts[location + 1]; i++) {
        const uint32_t write = s->writes[i];
        if (!may_come_next(s, write, only))
            continue;
        if (is_over(s))
            return false;
        place(s, write);
        if (!is_wrong(s, false) && complete(s, depth + 1, count))
            return true;
        if (s->is_over || s->status != COL_OK)
            return false;
        go_to(s, depth);
        unplace(s, write, before);
    }
    return false;
}

/* ---- The whole. */

static uint32_t list_writes(search *s) {
    const col_program *program = &s->trace->program;
    uint32_t count = 0;
    for (uint32_t l = 0; l < program->location_count; l++) {
        s->starts[l] = count;
        s->last[l] = COL_INITIAL;
        for (uint32_t i = 0; i < s->judge->count; i++)
            if (col_kinds[program->operations[i].kind].writes &&
                program->operations[i].location == l)
                s->writes[count++] = i;
    }
    s->starts[program->location_count] = count;
    for (uint32_t i = 0; i < s->judge->count; i++)
        s->judge->place[i] = NOT_PLACED;
    return count;
}

/* A location that ends as it began has no writes. */
static bool finals_are_possible(const search *s) {
    for (uint32_t l = 0; s->trace->final != NULL && l < s->trace->program.location_count; l++)
        if (s->trace->final[l] == COL_INITIAL && s->starts[l] < s->starts[l + 1])
            return false;
    return true;
}

static void run_search(search *s, uint32_t count) {
    cat_judge *judge = s->judge;
    s->status = cat_program_graph_make(&judge->graph, &s->execution, &judge->model, s->problem);
    if (s->status == COL_OK)
        s->status = cat_run_load(judge->run, &judge->graph.graph, s->problem);
    if (s->status == COL_OK && !is_wrong(s, count == 0) && (count == 0 || complete(s, 0, count)))
        s->verdict = COL_ALLOWED;
    else if (s->is_over)
        s->verdict = COL_UNDECIDED;
}

static void judge_trace(search *s) {
    chk_violation_clear(&s->judge->violation);
    (void)snprintf(
        s->judge->violation.reason, sizeof s->judge->violation.reason,
        "no order of the writes fits what atomics read, what writes replaced and the final values");
    memset(s->judge->seen, 0, s->judge->count * sizeof *s->judge->seen);
    const uint32_t count = list_writes(s);
    s->verdict = COL_FORBIDDEN;
    if (finals_are_possible(s))
        run_search(s, count);
}

/* Does the trace speak of a value that nobody stored? */
static bool has_never_stored(const col_trace *trace) {
    bool has = false;
    for (uint32_t i = 0; i < col_program_operations(&trace->program); i++)
        has = has || trace->source[i] == COL_NEVER_STORED ||
              (trace->replaced != NULL && trace->replaced[i] == COL_NEVER_STORED);
    for (uint32_t l = 0; trace->final != NULL && l < trace->program.location_count; l++)
        has = has || trace->final[l] == COL_NEVER_STORED;
    return has;
}

/* ---- Operations that were under way when the trace ended. They end in some way: stores are in the
 * order of writes as others are, and what reads takes its value from any write. */

static bool is_open(const col_trace *trace, uint32_t operation) {
    return trace->source[operation] == COL_UNFINISHED &&
           col_kinds[trace->program.operations[operation].kind].reads;
}

/* The write of the location behind `source`; COL_INITIAL if there is none. */
static uint32_t next_source(const col_trace *trace, uint32_t operation, uint32_t source) {
    const col_operation *operations = trace->program.operations;
    for (uint32_t i = source == COL_INITIAL ? 0 : source + 1;
         i < col_program_operations(&trace->program); i++)
        if (i != operation && col_kinds[operations[i].kind].writes &&
            operations[i].location == operations[operation].location)
            return i;
    return COL_INITIAL;
}

/* The next way to end; false: it is the first one again. */
static bool advance_sources(const col_trace *trace, uint32_t *source) {
    for (uint32_t i = 0; i < col_program_operations(&trace->program); i++) {
        if (!is_open(trace, i))
            continue;
        source[i] = next_source(trace, i, source[i]);
        if (source[i] != COL_INITIAL)
            return true;
    }
    return false;
}

static void judge_unfinished(search *s) {
    static const char tail[] =
        "; no other way for the unfinished operations to end is allowed, either";
    const col_trace *given = s->trace;
    const uint32_t count = col_program_operations(&given->program);
    uint32_t *source = calloc((size_t)count + 1, sizeof *source);
    col_trace ended = *given;
    if (source == NULL) {
        s->status = base_out_of_memory(s->problem);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        source[i] = given->source[i] == COL_UNFINISHED ? COL_INITIAL : given->source[i];
    ended.source = source;
    s->trace = &ended;
    s->execution.source = source;
    do {
        s->explained = 0;
        judge_trace(s);
    } while (s->status == COL_OK && s->verdict == COL_FORBIDDEN && !is_over(s) &&
             advance_sources(given, source));
    if (s->status == COL_OK && s->verdict == COL_FORBIDDEN && s->is_over)
        s->verdict = COL_UNDECIDED;
    const size_t length = strlen(s->judge->violation.reason);
    if (length + sizeof tail < sizeof s->judge->violation.reason)
        memcpy(s->judge->violation.reason + length, tail, sizeof tail);
    s->trace = given;
    free(source);
}

col_status cat_judge_trace(cat_judge *judge, const col_trace *trace,
                           const col_trace_settings *settings, col_verdict *verdict,
                           col_problem *problem) {
    const double budget = settings->budget > 0 ? settings->budget : CAT_SEARCH_SECONDS;
    const size_t locations = trace->program.location_count;
    search s = {.judge = judge,
                .trace = trace,
                .execution = {.program = &trace->program,
                              .source = trace->source,
                              .begin = settings->ignore_times ? NULL : trace->begin,
                              .end = settings->ignore_times ? NULL : trace->end},
                .end = base_seconds() + budget,
                .problem = problem};
    if (has_never_stored(trace)) { /* no model allows that: the built-in checker says where */
        const col_trace_settings any = {.model = COL_SC, .budget = settings->budget};
        chk_violation_clear(&judge->violation);
        return chk_trace_check(trace, &any, judge->stop, verdict, &judge->violation, problem);
    }
    s.status = cat_judge_reserve(judge, &trace->program, problem);
    if (s.status != COL_OK)
        return s.status;
    s.writes = calloc(judge->count + 2 * locations + 2, sizeof *s.writes);
    if (s.writes == NULL)
        return base_out_of_memory(problem);
    s.starts = s.writes + judge->count;
    s.last = s.starts + locations + 1;
    if (trace->unfinished_count > 0)
        judge_unfinished(&s);
    else
        judge_trace(&s);
    if (s.status == COL_OK && s.verdict == COL_FORBIDDEN && trace->line != NULL) /* it was read */
        col_trace_name(trace, &judge->violation);
    free(s.writes);
    *verdict = s.verdict;
    return s.status;
}
