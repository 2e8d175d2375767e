/* SPDX-License-Identifier: MIT */
/*
 * Explanations: building them step by step, saying them in words, and drawing them: a column for
 * each thread, its operations from the top, and an arrow for each step of the cycle.
 *
 * Steps that continue each other are made one as they come, so a cycle names only the operations
 * where the reason changes.
 */
#include "judge/violation.h"

#include "base/file.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

const char *const col_relations[COL_RELATION_COUNT] = {
    [COL_PROGRAM_ORDER] = "po", [COL_FENCED] = "fence",         [COL_ACQUIRED] = "acquire",
    [COL_RELEASED] = "release", [COL_DEPENDENT] = "dependency", [COL_ATOMIC] = "atomic",
    [COL_TIMED] = "time",       [COL_SAME_LOCATION] = "po-loc", [COL_READS_FROM] = "rf",
    [COL_COHERENCE] = "co",     [COL_FROM_READ] = "fr",
};

/* ---- Building. */

void chk_violation_clear(col_violation *violation) {
    violation->reason[0] = '\0';
    violation->mention_count = 0;
    violation->step_count = 0;
    violation->is_cut = false;
}

uint32_t chk_mention(col_violation *violation, uint32_t operation) {
    uint32_t m = 0;
    while (m < violation->mention_count && violation->mentions[m].operation != operation)
        m++;
    if (m < violation->mention_count)
        return m;
    if (base_reserve(&violation->mentions, &violation->mention_capacity, (size_t)m + 1,
                     sizeof *violation->mentions, NULL) != COL_OK) {
        violation->is_cut = true;
        return COL_NO_MENTION;
    }
    violation->mentions[m] = (col_mention){.operation = operation};
    violation->mention_count++;
    return m;
}

uint32_t chk_mention_in(col_violation *violation, const col_program *program, uint32_t operation) {
    const uint32_t number = chk_mention(violation, operation);
    if (number == COL_NO_MENTION)
        return number;
    col_mention *m = &violation->mentions[number];
    m->thread = col_program_thread_of(program, operation);
    m->thread_name = m->thread;
    m->place = operation - program->thread_start[m->thread];
    return number;
}

void chk_print_word(char *text, size_t size, uint64_t word) {
    const unsigned long long low = word & UINT32_MAX, high = word >> 32;
    if (high == 0)
        (void)snprintf(text, size, "%llu", low);
    else
        (void)snprintf(text, size, "%llu and %llu added", low, high);
}

void chk_describe(const col_operation *operation, const uint64_t *word, char *text, size_t size) {
    const col_kind_traits *traits = &col_kinds[operation->kind];
    char value[16] = "", seen[48] = "";
    if (!traits->located) {
        (void)snprintf(text, size, "%s", traits->name);
        return;
    }
    if (operation->value != 0)
        (void)snprintf(value, sizeof value, " %u", operation->value);
    if (traits->reads && word != NULL) {
        memcpy(seen, " = ", 4);
        chk_print_word(seen + 3, sizeof seen - 3, *word);
    }
    (void)snprintf(text, size, "%s%s%s a%u%s%s", traits->name,
                   (operation->order & COL_ACQUIRE) != 0 ? ".acquire" : "",
                   (operation->order & COL_RELEASE) != 0 ? ".release" : "", operation->location,
                   value, seen);
}

static bool is_within_thread(col_relation relation) {
    return relation <= COL_SAME_LOCATION;
}

/* How much a relation within a thread tells a reader. */
static int weight(col_relation relation) {
    if (relation == COL_ATOMIC || relation == COL_SAME_LOCATION)
        return 0;
    return relation == COL_PROGRAM_ORDER ? 1 : 2;
}

static bool join_relations(col_relation first, col_relation second, col_relation *joined) {
    *joined = first;
    if (is_within_thread(first) && is_within_thread(second)) {
        if (weight(second) > weight(first))
            *joined = second;
        return first == second || weight(first) < 2 || weight(second) < 2;
    }
    return second == COL_COHERENCE && (first == COL_COHERENCE || first == COL_FROM_READ);
}

/* Makes `first` the step that both are together. A step cannot give two reasons, nor lead back to
 * where it came from: that would be the whole cycle, unsaid. */
static bool join_steps(col_step *first, const col_step *second) {
    col_relation joined;
    if (first->to != second->from || first->from == second->to ||
        !join_relations(first->relation, second->relation, &joined))
        return false;
    if (first->note != COL_NO_MENTION && second->note != COL_NO_MENTION &&
        first->note != second->note)
        return false;
    first->to = second->to;
    first->relation = joined;
    if (first->note == COL_NO_MENTION)
        first->note = second->note;
    return true;
}

/* A cycle may have begun in the middle of what is one step. */
static void join_ends(col_violation *violation) {
    col_step *first = &violation->steps[0];
    col_step *last = &violation->steps[violation->step_count - 1];
    if (violation->step_count < 2 || last->to != first->from || !join_steps(last, first))
        return;
    *first = *last;
    violation->step_count--;
}

col_status chk_step(col_violation *violation, col_step step, col_problem *problem) {
    if (step.from == step.to)
        return COL_OK;
    const uint32_t count = violation->step_count;
    if (count == 0 || !join_steps(&violation->steps[count - 1], &step)) {
        const col_status status =
            base_reserve(&violation->steps, &violation->step_capacity, (size_t)count + 1,
                         sizeof *violation->steps, problem);
        violation->is_cut = violation->is_cut || status != COL_OK;
        if (status != COL_OK)
            return status;
        violation->steps[violation->step_count++] = step;
    }
    join_ends(violation);
    return COL_OK;
}

bool chk_is_used(const col_violation *violation, uint32_t mention) {
    for (uint32_t s = 0; s < violation->step_count; s++) {
        const col_step *step = &violation->steps[s];
        if (step->from == mention || step->to == mention || step->note == mention)
            return true;
    }
    return violation->step_count == 0;
}

void col_violation_free(col_violation *violation) {
    free(violation->mentions);
    free(violation->steps);
    *violation = (col_violation){0};
}

/* ---- Words. */

static void print_place(const col_mention *mention, base_text *text) {
    if (mention->line > 0)
        base_text_print(text, "thread %llu, line %u", (unsigned long long)mention->thread_name,
                        mention->line);
    else
        base_text_print(text, "thread %u, operation %u", mention->thread, mention->place);
}

/* What stands between two operations makes a sentence with them; the colour of an arrow. */
static const struct {
    const char *sentence, *colour;
} relations[COL_RELATION_COUNT] = {
    [COL_PROGRAM_ORDER] = {"comes, in program order, before", "#7a8494"},
    [COL_FENCED] = {"is kept by a fence before", "#2e9b5f"},
    [COL_ACQUIRED] = {"is kept by an acquire before", "#2e9b5f"},
    [COL_RELEASED] = {"is kept by a release before", "#2e9b5f"},
    [COL_DEPENDENT] = {"is kept by a dependency before", "#8e5bd0"},
    [COL_ATOMIC] = {"comes, by the atomic between them, before", "#7a8494"},
    [COL_TIMED] = {"had ended before the beginning of", "#2e9b5f"},
    [COL_SAME_LOCATION] = {"comes, on the same location, before", "#7a8494"},
    [COL_READS_FROM] = {"is read by", "#d0433b"},
    [COL_COHERENCE] = {"is replaced by", "#3b78d0"},
    [COL_FROM_READ] = {"read the value that is then replaced by", "#d98a1f"},
};

enum { PLACE_WIDTH = 24, RELATION_WIDTH = 10 };

/* "thread 0, line 3         M[1] == 1" */
static void print_mention(const col_mention *mention, base_text *text) {
    const size_t start = text->length;
    print_place(mention, text);
    const size_t used = text->length - start;
    base_text_print(text, "%*s  %s", used < PLACE_WIDTH ? (int)(PLACE_WIDTH - used) : 0, "",
                    mention->text);
}

static void print_step(const col_violation *violation, uint32_t s, base_text *text) {
    const col_step *step = &violation->steps[s];
    const bool is_last = s + 1 == violation->step_count;
    base_text_print(text, "%4u. ", s + 1);
    print_mention(&violation->mentions[step->from], text);
    base_text_print(text, "\n        %-*s %s%s\n", RELATION_WIDTH, col_relations[step->relation],
                    relations[step->relation].sentence,
                    is_last && step->to == violation->steps[0].from ? " 1." : "");
    if (step->note != COL_NO_MENTION) {
        const col_mention *note = &violation->mentions[step->note];
        base_text_print(text, "        %*s because of ", RELATION_WIDTH, "");
        print_place(note, text);
        base_text_print(text, ": %s\n", note->text);
    }
}

static void print_words(const col_violation *violation, base_text *text) {
    base_text_print(text, "%s\n", violation->reason);
    for (uint32_t s = 0; s < violation->step_count; s++)
        print_step(violation, s, text);
    for (uint32_t m = 0; m < violation->mention_count && violation->step_count == 0; m++) {
        base_text_add(text, "      ");
        print_mention(&violation->mentions[m], text);
        base_text_add(text, "\n");
    }
}

/* ---- Pictures. */

void chk_draw_steps(const col_violation *violation, const uint32_t *back, uint32_t back_count,
                    base_diagram *diagram) {
    for (uint32_t s = 0; s < violation->step_count; s++) {
        const col_step *step = &violation->steps[s];
        const col_mention *from = &violation->mentions[step->from];
        const col_mention *to = &violation->mentions[step->to];
        const char *colour = relations[step->relation].colour;
        bool is_back = false;
        for (uint32_t i = 0; i < back_count; i++)
            is_back |= back[i] == s;
        base_diagram_arrow(diagram, from->operation, to->operation,
                           is_back ? BASE_BACK : BASE_ARROW, col_relations[step->relation], colour);
        if (step->note == COL_NO_MENTION)
            continue;
        const col_mention *note = &violation->mentions[step->note];
        base_diagram_arrow(diagram, note->operation, to->operation, BASE_BECAUSE, "because",
                           colour);
        base_text_print(&diagram->caption, "%s from '%s' to '%s' because of ",
                        col_relations[step->relation], from->text, to->text);
        print_place(note, &diagram->caption);
        base_text_print(&diagram->caption, ": %s\n", note->text);
    }
}

static int by_place(const void *left, const void *right) {
    const col_mention *a = *(const col_mention *const *)left;
    const col_mention *b = *(const col_mention *const *)right;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

/* The mentions that are a part of it, by thread and place. */
static void make_diagram(const col_violation *violation, base_diagram *diagram) {
    const col_mention **shown = calloc((size_t)violation->mention_count + 1, sizeof *shown);
    uint32_t count = 0;
    diagram->failed = shown == NULL;
    for (uint32_t m = 0; m < violation->mention_count && shown != NULL; m++)
        if (chk_is_used(violation, m))
            shown[count++] = &violation->mentions[m];
    if (count > 0)
        qsort(shown, count, sizeof *shown, by_place);
    for (uint32_t i = 0, columns = 0; i < count; i++) {
        const col_mention *m = shown[i];
        if (i == 0 || m->thread != shown[i - 1]->thread) {
            base_diagram_column(diagram);
            columns++;
            base_text_print(base_diagram_line(diagram), "thread %llu",
                            m->line > 0 ? (unsigned long long)m->thread_name : m->thread);
        }
        base_diagram_box(
            diagram, (base_box){.id = m->operation, .column = columns - 1, .style = BASE_FOCUS});
        base_text_add(base_diagram_line(diagram), m->text);
        base_text_print(base_diagram_line(diagram), "%s %u", m->line > 0 ? "line" : "operation",
                        m->line > 0 ? m->line : m->place);
    }
    free(shown);
    chk_draw_steps(violation, NULL, 0, diagram);
}

static void print_dot(const col_violation *violation, base_text *text) {
    base_diagram diagram = {0};
    make_diagram(violation, &diagram);
    base_diagram_dot(&diagram, "violation", violation->reason, text);
    base_diagram_free(&diagram);
}

static void print_svg(const col_violation *violation, base_text *text) {
    base_diagram diagram = {.least_width = 512};
    make_diagram(violation, &diagram);
    base_diagram_lay_out(&diagram);
    const int width = diagram.width + 2 * BASE_PAGE_MARGIN;
    const int top =
        BASE_PAGE_MARGIN + BASE_PAGE_LINE + base_page_heading(violation->reason, "", width, NULL);
    base_page_open(width, top + diagram.height + BASE_PAGE_MARGIN, violation->reason, text);
    (void)base_page_heading(violation->reason, "", width, text);
    base_diagram_draw(&diagram, BASE_PAGE_MARGIN, top, text);
    base_text_add(text, "</svg>\n");
    base_diagram_free(&diagram);
}

void chk_violation_print(const col_violation *violation, col_violation_format format,
                         base_text *text) {
    static void (*const print[COL_VIOLATION_FORMAT_COUNT])(const col_violation *, base_text *) = {
        [COL_WORDS] = print_words, [COL_DOT] = print_dot, [COL_SVG] = print_svg};
    print[format](violation, text);
    text->failed = text->failed || violation->is_cut;
}

col_status col_violation_write_file(const col_violation *violation, col_violation_format format,
                                    const char *path, col_problem *problem) {
    base_text text = {0};
    chk_violation_print(violation, format, &text);
    col_status status = base_text_status(&text, problem);
    if (status == COL_OK)
        status = base_file_write(path, text.data, text.length, problem);
    base_text_free(&text);
    return status;
}

col_status col_violation_write(const col_violation *violation, col_violation_format format,
                               char **text, size_t *length, col_problem *problem) {
    base_text written = {0};
    chk_violation_print(violation, format, &written);
    return base_text_give(&written, text, length, problem);
}
