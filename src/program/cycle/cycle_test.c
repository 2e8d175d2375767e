/* SPDX-License-Identifier: MIT */
/* From a cycle to its test. */
#include "program/cycle/cycle.h"

#include "collider/check.h"
#include "program/program.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 64 }; /* locations are this many bytes apart */

/* Where the accesses are: access i is the source of edges[i]. */
typedef struct layout {
    uint32_t threads, locations;
    uint32_t lengths[CYC_MOST];
    uint32_t location[CYC_MOST], operation[CYC_MOST];
    uint32_t start; /* the first access behind the last move; at one location: behind the return */
} layout;

static void lay_out(const cyc_cycle *cycle, layout *l) {
    uint32_t moves = 0, operation = 0;
    *l = (layout){.threads = 0};
    for (uint32_t i = 0; i < cycle->count; i++)
        l->locations += cycle->edges[i].moves;
    l->locations = l->locations == 0 ? 1 : l->locations;
    for (uint32_t i = 0; i < cycle->count; i++) {
        const cyc_relaxation *e = &cycle->edges[i];
        l->location[i] = moves % l->locations;
        l->operation[i] = operation;
        l->lengths[l->threads]++;
        l->lengths[l->threads] += e->kind == CYC_FENCED;
        operation += e->kind == CYC_FENCED ? 2 : 1;
        moves += e->moves;
        l->threads += e->is_external;
        if (e->moves != 0 || (l->locations == 1 && !cyc_is_communication(e)))
            l->start = (i + 1) % cycle->count;
    }
}

static col_operation operation_of(const cyc_cycle *cycle, const layout *l, uint32_t i,
                                  uint32_t *values) {
    const cyc_relaxation *e = &cycle->edges[i];
    const cyc_relaxation *before = &cycle->edges[(i + cycle->count - 1) % cycle->count];
    const bool writes = e->writes[CYC_SOURCE] != 0;
    const bool is_ordered = e->annotations[CYC_SOURCE] == CYC_ORDERED;
    col_operation o = {.kind = writes ? COL_STORE : COL_LOAD, .location = l->location[i]};
    if (writes)
        o.value = ++*values;
    if (is_ordered)
        o.order = writes ? COL_RELEASE : COL_ACQUIRE;
    if (before->kind == CYC_DEPENDENT) {
        o.dependency = before->dependency;
        o.distance = l->operation[i] - l->operation[i - 1];
    }
    return o;
}

static void fill_program(cyc_test *test, const layout *l) {
    const cyc_cycle *cycle = &test->cycle;
    uint32_t values = 0;
    for (uint32_t i = 0; i < cycle->count; i++) {
        col_operation *o = &test->program.operations[l->operation[i]];
        o[0] = operation_of(cycle, l, i, &values);
        if (cycle->edges[i].kind == CYC_FENCED)
            o[1] = (col_operation){.kind = COL_FENCE, .fence = cycle->edges[i].fence};
    }
    for (uint32_t a = 0; a < l->locations; a++)
        test->program.addresses[a] = (uint64_t)a * BLOCK;
}

/* The cycle visits each location once. There, each access comes after the one before: a read
 * returns the latest write, and a write replaces it. */
static void find_outcome(cyc_test *test, const layout *l) {
    const cyc_cycle *cycle = &test->cycle;
    for (uint32_t a = 0; a < l->locations; a++) {
        test->last[a] = COL_INITIAL;
        test->says_last[a] = false;
    }
    for (uint32_t k = 0; k < cycle->count; k++) {
        const uint32_t i = (l->start + k) % cycle->count, o = l->operation[i];
        uint32_t *last = &test->last[l->location[i]];
        test->source[o] = *last;
        if (cycle->edges[i].writes[CYC_SOURCE] == 0)
            continue;
        test->says_last[l->location[i]] = *last != COL_INITIAL;
        *last = o;
    }
}

col_status cyc_test_make(cyc_test *test, const cyc_cycle *cycle, col_problem *problem) {
    layout l;
    test->cycle = *cycle;
    test->name.length = test->relaxations.length = 0;
    cyc_cycle_write_name(cycle, &test->name);
    cyc_cycle_write(cycle, &test->relaxations);
    lay_out(cycle, &l);
    col_status status = base_text_status(&test->name, problem);
    if (status == COL_OK)
        status = base_text_status(&test->relaxations, problem);
    if (status == COL_OK)
        status = col_program_shape(&test->program, l.threads, l.lengths, l.locations, problem);
    if (status != COL_OK)
        return status;
    fill_program(test, &l);
    find_outcome(test, &l);
    return COL_OK;
}

void cyc_test_free(cyc_test *test) {
    col_program_free(&test->program);
    base_text_free(&test->name);
    base_text_free(&test->relaxations);
}

/* ---- Verdicts. */

col_status cyc_test_judge(cyc_test *test, col_problem *problem) {
    uint32_t final[CYC_MOST];
    for (uint32_t a = 0; a < test->program.location_count; a++)
        final[a] = test->says_last[a] ? test->last[a] : COL_NOT_SAID;
    const col_trace trace = {.program = test->program, .source = test->source, .final = final};
    for (uint32_t m = 0; m < COL_MODEL_COUNT; m++) {
        const col_trace_settings settings = {.model = (col_model)m};
        col_verdict verdict = COL_UNDECIDED;
        const col_status status = col_trace_check(&trace, &settings, &verdict, NULL, problem);
        if (status != COL_OK)
            return status;
        test->allowed[m] = verdict == COL_ALLOWED;
    }
    return COL_OK;
}

static bool write_models(const cyc_test *test, bool allowed, const char *before, base_text *text) {
    bool any = false;
    for (uint32_t m = 0; m < COL_MODEL_COUNT; m++)
        if (test->allowed[m] == allowed) {
            base_text_print(text, "%s%s", any ? ", " : before, col_models[m]);
            any = true;
        }
    return any;
}

static void write_verdicts(const cyc_test *test, base_text *text) {
    const bool any = write_models(test, false, "forbidden by ", text);
    (void)write_models(test, true, any ? "; allowed by " : "allowed by ", text);
}

/* ---- Files. */

static uint64_t word_of(const cyc_test *test, uint32_t write) {
    return write == COL_INITIAL
               ? 0
               : col_program_operand(&test->program, &test->program.operations[write]);
}

static bool is_read(const cyc_test *test, uint32_t operation) {
    return test->program.operations[operation].kind == COL_LOAD;
}

/* "thread 0: a1 = 0, thread 1: ...; at the end a0 = 2" */
static void write_outcome(const cyc_test *test, base_text *text) {
    const col_program *p = &test->program;
    const char *before = "";
    for (uint32_t o = 0; o < col_program_operations(p); o++)
        if (is_read(test, o)) {
            base_text_print(text, "%sthread %u reads a%u = %llu", before,
                            col_program_thread_of(p, o), p->operations[o].location,
                            (unsigned long long)word_of(test, test->source[o]));
            before = ", ";
        }
    for (uint32_t a = 0; a < p->location_count; a++)
        if (test->says_last[a]) {
            base_text_print(text, "%sa%u ends as %llu", before, a,
                            (unsigned long long)word_of(test, test->last[a]));
            before = ", ";
        }
}

void cyc_test_write_program(const cyc_test *test, base_text *text) {
    base_text_print(text, "# %s: %s\n# outcome: ", test->name.data, test->relaxations.data);
    write_outcome(test, text);
    base_text_add(text, "\n# ");
    write_verdicts(test, text);
    base_text_add(text, "\n");
    prg_program_write(&test->program, text);
}

col_status cyc_test_write_litmus(const cyc_test *test, prg_isa isa, base_text *text,
                                 col_problem *problem) {
    uint64_t words[CYC_MOST_OPERATIONS] = {0}, finals[CYC_MOST] = {0};
    bool has_word[CYC_MOST_OPERATIONS] = {0};
    base_text comment = {0};
    for (uint32_t o = 0; o < col_program_operations(&test->program); o++) {
        has_word[o] = is_read(test, o);
        words[o] = has_word[o] ? word_of(test, test->source[o]) : 0;
    }
    for (uint32_t a = 0; a < test->program.location_count; a++)
        finals[a] = word_of(test, test->last[a]);
    base_text_print(&comment, "%s\n", test->relaxations.data);
    write_verdicts(test, &comment);
    col_status status = base_text_status(&comment, problem);
    const prg_litmus about = {.name = test->name.data,
                              .comment = comment.data,
                              .words = words,
                              .has_word = has_word,
                              .finals = finals,
                              .has_final = test->says_last,
                              .forbidden = !test->allowed[prg_isa_models[isa]]};
    if (status == COL_OK)
        status = prg_litmus_write(&test->program, isa, &about, text, problem);
    base_text_free(&comment);
    return status;
}
