/* SPDX-License-Identifier: MIT */
/* The judge of a black box: see black_box.h. */
#include "judge/trace/black_box.h"

#include "base/memory.h"
#include "judge/violation.h"
#include "program/reshape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ALLOWED = 1 << 13 };

col_status chk_black_box_load(chk_black_box *box, const col_program *program,
                              col_problem *problem) {
    col_status status = chk_returned_load(&box->returned, program, problem);
    if (status == COL_OK)
        status = chk_greedy_load(&box->greedy, program, chk_model_of(box->model), problem);
    if (status == COL_OK)
        status = base_index_reserve(&box->allowed, MOST_ALLOWED, problem);
    base_index_clear(&box->allowed);
    return status;
}

void chk_black_box_free(chk_black_box *box) {
    chk_returned_free(&box->returned);
    chk_greedy_free(&box->greedy);
    col_violation_free(&box->violation);
    base_index_free(&box->allowed);
    *box = (chk_black_box){.model = COL_SC};
}

/* ---- The end of an instance. */

static col_status search(chk_black_box *box, col_verdict *verdict, col_problem *problem) {
    const chk_returned *r = &box->returned;
    const col_trace_settings settings = {.model = box->model, .budget = box->budget};
    if (r->is_plain && chk_greedy_finds(&box->greedy, r->trace.source, r->trace.final)) {
        *verdict = COL_ALLOWED;
        return COL_OK;
    }
    return chk_trace_check(&r->trace, &settings, box->stop, verdict, &box->violation, problem);
}

col_status chk_black_box_finish(chk_black_box *box, bool complete, chk_black_box_judge *judge,
                                void *context, col_verdict *verdict, bool *is_strange,
                                col_problem *problem) {
    chk_returned *r = &box->returned;
    const uint64_t hash = chk_returned_hash(r);
    *verdict = COL_ALLOWED;
    *is_strange = false;
    if (complete && r->what == NULL &&
        base_index_find(&box->allowed, hash, NULL, NULL, NULL) != BASE_NO_NUMBER)
        return COL_OK;
    chk_returned_finish(r, complete);
    *is_strange = r->what != NULL;
    if (*is_strange) {
        *verdict = COL_FORBIDDEN;
        chk_returned_explain(r, &box->violation);
        return COL_OK;
    }
    const col_status status =
        judge != NULL ? judge(context, &r->trace, verdict, problem) : search(box, verdict, problem);
    if (status == COL_OK && *verdict == COL_ALLOWED && complete &&
        box->allowed.count < MOST_ALLOWED &&
        base_index_find(&box->allowed, hash, NULL, NULL, NULL) == BASE_NO_NUMBER)
        return base_index_put(&box->allowed, hash, problem);
    return status;
}

/* From what reads returned to a trace. */

static const col_kind_traits *traits_of(const chk_returned *r, uint32_t operation) {
    return &col_kinds[r->program->operations[operation].kind];
}

/* ---- A program. */

static col_status make_room(chk_returned *r, col_problem *problem) {
    col_trace *trace = &r->trace;
    const size_t count = (size_t)col_program_operations(r->program) + 1;
    const size_t locations = (size_t)r->program->location_count + 1;
    col_status status = chk_trace_reserve(
        trace, 1U << CHK_SOURCE | 1U << CHK_READ | 1U << CHK_WRITTEN, count, problem);
    if (status == COL_OK)
        status =
            chk_trace_reserve(trace, 1U << CHK_FINAL | 1U << CHK_FINAL_VALUE, locations, problem);
    const base_part parts[] = {
        BASE_PART(r->is_given, count), BASE_PART(r->is_final, locations), {0}};
    if (status == COL_OK)
        status = base_block_divide(&r->block, parts, problem);
    return status;
}

col_status chk_returned_load(chk_returned *r, const col_program *program, col_problem *problem) {
    r->program = program;
    col_status status = prg_copy(program, &r->trace.program, problem);
    if (status == COL_OK)
        status = chk_words_load(&r->words, program, problem);
    if (status == COL_OK)
        status = make_room(r, problem);
    if (status == COL_OK)
        chk_returned_restart(r);
    return status;
}

void chk_returned_free(chk_returned *r) {
    free(r->words.block.memory);
    col_trace_free(&r->trace);
    free(r->block.memory);
    *r = (chk_returned){0};
}

/* ---- An instance. */

void chk_returned_restart(chk_returned *r) {
    const uint32_t count = col_program_operations(r->program);
    memset(r->is_given, 0, count * sizeof *r->is_given);
    memset(r->is_final, 0, r->program->location_count * sizeof *r->is_final);
    memset(r->trace.read, 0, count * sizeof *r->trace.read);
    r->final_count = 0;
    r->what = NULL;
}

static void find_strange(chk_returned *r, uint32_t operation, const char *what) {
    if (r->what != NULL)
        return;
    r->strange = operation;
    r->what = what;
}

static void take_value(chk_returned *r, uint32_t o, uint64_t word) {
    if (o >= col_program_operations(r->program))
        find_strange(r, CHK_NONE, "the design returned a value for an operation that there is not");
    else if (!traits_of(r, o)->reads)
        find_strange(r, o, "reads nothing, but returned a value");
    else if (r->is_given[o] && r->trace.read[o] != word)
        find_strange(r, o, "returned two values");
    else if (r->program->operations[o].kind == COL_AWAIT && word != r->program->operations[o].value)
        find_strange(r, o, "ended with another value than it waits for");
    else {
        r->is_given[o] = true;
        r->trace.read[o] = word;
    }
}

void chk_returned_notice(chk_returned *r, const col_event *event) {
    if (event->kind == COL_VALUE_RETURNED) {
        take_value(r, event->operation, event->word);
    } else if (event->kind == COL_FINAL_VALUE) {
        const uint32_t location = event->location;
        if (location >= r->program->location_count ||
            (r->is_final[location] && r->trace.final_value[location] != event->word)) {
            find_strange(r, CHK_NONE, "the design told of the final memory what makes no sense");
            return;
        }
        r->final_count += !r->is_final[location];
        r->is_final[location] = true;
        r->trace.final_value[location] = event->word;
    }
}

/* ---- Sources. */

/* Words at a location never repeat, so two adds that left one word both replaced the same. */
static void enter_adds(chk_returned *r) {
    chk_words_reset(&r->words);
    for (uint32_t o = 0; r->words.add_count > 0 && o < col_program_operations(r->program); o++) {
        const col_operation *operation = &r->program->operations[o];
        if (operation->kind != COL_ADD || !r->is_given[o])
            continue;
        r->trace.written[o] = r->trace.read[o] + col_program_operand(r->program, operation);
        chk_sum *sum = chk_words_sum(&r->words, operation->location, r->trace.written[o]);
        if (sum == NULL || sum->write != CHK_NONE)
            find_strange(r, o, "left a value that another add left, too: one of them was lost");
        else
            sum->write = o;
    }
}

static uint32_t source_of(chk_returned *r, uint32_t location, uint64_t word, bool complete) {
    chk_sum *sum = NULL;
    const uint32_t write = chk_words_search(&r->words, location, word, &sum);
    if (write == CHK_NONE) /* an add that is under way may have left it */
        return complete ? COL_NEVER_STORED : COL_UNFINISHED;
    if (write == CHK_NOBODY)
        return COL_NEVER_STORED;
    return write < col_program_operations(r->program) ? write : COL_INITIAL;
}

static void find_sources(chk_returned *r, bool complete) {
    col_trace *trace = &r->trace;
    trace->unfinished_count = 0;
    for (uint32_t o = 0; o < col_program_operations(r->program); o++) {
        const col_operation *operation = &r->program->operations[o];
        const col_kind_traits *traits = &col_kinds[operation->kind];
        trace->source[o] = COL_INITIAL;
        if (traits->writes && operation->kind != COL_ADD)
            trace->written[o] = operation->value;
        if (traits->reads && !r->is_given[o] && complete)
            find_strange(r, o, "never returned a value");
        if (traits->reads)
            trace->source[o] = r->is_given[o]
                                   ? source_of(r, operation->location, trace->read[o], complete)
                                   : COL_UNFINISHED;
        trace->unfinished_count += trace->source[o] == COL_UNFINISHED;
        r->is_plain = r->is_plain && trace->source[o] != COL_NEVER_STORED;
    }
}

void chk_returned_finish(chk_returned *r, bool complete) {
    r->is_plain = complete;
    enter_adds(r);
    find_sources(r, complete);
    for (uint32_t l = 0; l < r->program->location_count; l++) {
        r->trace.final[l] = COL_NOT_SAID;
        if (r->is_final[l] && complete)
            r->trace.final[l] = source_of(r, l, r->trace.final_value[l], complete);
        r->is_plain = r->is_plain && r->trace.final[l] != COL_NEVER_STORED;
    }
    r->trace.complete = complete;
}

void chk_returned_explain(const chk_returned *r, col_violation *violation) {
    chk_violation_clear(violation);
    const uint32_t number =
        r->strange == CHK_NONE ? COL_NO_MENTION : chk_mention_in(violation, r->program, r->strange);
    if (number == COL_NO_MENTION) {
        (void)snprintf(violation->reason, sizeof violation->reason, "%s", r->what);
        return;
    }
    col_mention *mention = &violation->mentions[number];
    chk_describe(&r->program->operations[r->strange],
                 r->is_given[r->strange] ? &r->trace.read[r->strange] : NULL, mention->text,
                 sizeof mention->text);
    (void)snprintf(violation->reason, sizeof violation->reason, "thread %u, operation %u (%s) %s",
                   mention->thread, mention->place, mention->text, r->what);
}

uint64_t chk_returned_hash(const chk_returned *r) {
    const size_t count = col_program_operations(r->program), locations = r->program->location_count;
    uint64_t hash = XXH3_64bits(r->trace.read, count * sizeof *r->trace.read);
    if (r->final_count > 0)
        for (size_t l = 0; l < locations; l++)
            hash = XXH3_64bits_withSeed(&r->trace.final_value[l],
                                        r->is_final[l] ? sizeof *r->trace.final_value : 0, hash);
    return hash;
}

/* ---- Text. */

/* What performed, as far as it is known: a store has no event of its own. */
static size_t make_events(const chk_returned *r, col_event *events) {
    size_t count = 0;
    for (uint32_t o = 0; o < col_program_operations(r->program); o++) {
        const col_kind_traits *traits = traits_of(r, o);
        if ((!traits->reads && !traits->writes) || (traits->reads && !r->is_given[o]))
            continue;
        events[count++] =
            (col_event){.kind = traits->writes ? COL_STORE_PERFORMED : COL_LOAD_PERFORMED,
                        .operation = o,
                        .core = col_program_thread_of(r->program, o),
                        .word = traits->writes ? r->trace.written[o] : r->trace.read[o],
                        .overwritten = r->trace.read[o],
                        .read = r->trace.read[o]};
    }
    return count;
}

col_status chk_returned_print(const chk_returned *r, base_text *text, col_problem *problem) {
    const size_t count = (size_t)col_program_operations(r->program) + 1;
    col_trace told = {.program = *r->program,
                      .events = malloc(count * sizeof *told.events),
                      .complete = r->trace.complete,
                      .final = r->final_count > 0 ? r->trace.final : NULL,
                      .final_value = r->trace.final_value};
    if (told.events == NULL)
        return base_out_of_memory(problem);
    told.event_count = make_events(r, told.events);
    const col_status status = chk_trace_print_reads(&told, text, problem);
    free(told.events);
    return status;
}
