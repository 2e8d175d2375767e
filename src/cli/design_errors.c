/* SPDX-License-Identifier: MIT */
/* collider design errors: see design_command.h. */

#include "base/file.h"
#include "base/json.h"
#include "base/number.h"
#include "cli/design_command.h"
#include "protocol/simulate/design_error.h"
#include "protocol/simulate/design_show.h"
#include "protocol/simulate/transition_table.h"

#include <stdlib.h>
#include <string.h>

/* ---- As JSON. */

static json_t *text_or_null(const char *text) {
    return base_json_text(text[0] == '\0' ? NULL : text);
}

static json_t *make_summary(const sim_design_error *wrong) {
    return json_pack("{s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "error",
                     base_json_text(wrong->id), "name", text_or_null(wrong->name), "class",
                     sim_error_classes[wrong->class], "level", text_or_null(wrong->level), "source",
                     text_or_null(wrong->source), "protocol", text_or_null(wrong->protocol.text),
                     "summary", base_json_text(wrong->summary), "explanation",
                     text_or_null(wrong->explanation), "adapted", text_or_null(wrong->adapted),
                     "same_as", text_or_null(wrong->same_as), "file", base_json_text(wrong->path));
}

static json_t *said(const sl_protocol *protocol, const sim_cell_change *change, bool after) {
    base_text text = {0};
    sim_design_error_say_cell(protocol, change, after, &text);
    json_t *value = text.failed ? NULL : base_json_text(text.data);
    base_text_free(&text);
    return value;
}

static json_t *make_edit(const sl_protocol *protocol, const sim_cell_change *change) {
    const sim_edit *edit = &change->edit;
    const sl_machine *machine = protocol->machines[edit->machine];
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o}", "machine", machine->name, "state",
                     machine->states[edit->state], "event", machine->events[edit->event], "change",
                     edit->removed ? "removed"
                     : edit->added ? "new"
                                   : "changed",
                     "before", said(protocol, change, false), "after",
                     said(protocol, change, true));
}

static json_t *make_without(const sim_design_error *wrong) {
    const uint64_t without = wrong->wiring.numbers[SIM_FILE_WITHOUT].value;
    json_t *list = json_array();
    for (uint32_t m = 0; m < SIM_MECHANISM_COUNT; m++)
        if ((without >> m & 1) != 0)
            base_json_append(&list, json_string(sim_mechanisms[m]));
    return list;
}

/* ---- The wiring in words: a line for each thing that differs. */

static void say_cache(const char *machine, const sim_file_cache *cache, base_text *text) {
    const char *between = "has";
    base_text_print(text, "%s: %s ", machine, cache->name.text);
    if (cache->bytes.said) {
        base_text_print(text, "%s %llu byte%s", between, (unsigned long long)cache->bytes.value,
                        base_plural(cache->bytes.value));
        between = ",";
    }
    if (cache->ways.said) {
        base_text_print(text, "%s %llu way%s", between, (unsigned long long)cache->ways.value,
                        base_plural(cache->ways.value));
        between = ",";
    }
    if (cache->replacement.said)
        base_text_print(text, "%s %s replacement", between,
                        sim_replacements[cache->replacement.value]);
    base_text_add(text, "\n");
}

static void say_machine(const sim_file_machine *machine, base_text *text) {
    const char *name = machine->name.text;
    if (machine->count.said && !machine->count_is_cores)
        base_text_print(text, "%s: there are %llu\n", name,
                        (unsigned long long)machine->count.value);
    for (uint32_t i = 0; i < machine->cache_count; i++)
        say_cache(name, &machine->caches[i], text);
    for (uint32_t i = 0; i < machine->parameter_count; i++)
        base_text_print(text, "%s: %s is %s%lld\n", name, machine->parameters[i].name.text,
                        machine->parameters[i].per_core ? "cores + " : "",
                        (long long)machine->parameters[i].value);
    for (uint32_t i = 0; i < machine->buffer_count; i++)
        base_text_print(text, "%s: %s has room for %lld message%s\n", name,
                        machine->buffers[i].name.text, (long long)machine->buffers[i].value,
                        base_plural((uint64_t)machine->buffers[i].value));
}

static void say_wiring(const sim_design_error *wrong, base_text *text) {
    static const char *const meanings[] = {
#define MEANING(name, word, meaning) meaning,
        SIM_MECHANISMS(MEANING)
#undef MEANING
    };
    const uint64_t without = wrong->wiring.numbers[SIM_FILE_WITHOUT].value;
    for (uint32_t m = 0; m < SIM_MECHANISM_COUNT; m++)
        if ((without >> m & 1) != 0)
            base_text_print(text, "core: without %s (%s)\n", sim_mechanisms[m], meanings[m]);
    for (uint32_t m = 0; m < wrong->wiring.machine_count; m++)
        say_machine(&wrong->wiring.machines[m], text);
}

static json_t *make_wiring(const sim_design_error *wrong) {
    base_text text = {0};
    json_t *lines = json_array();
    say_wiring(wrong, &text);
    for (char *line = text.data, *end; line != NULL && *line != '\0'; line = end + 1) {
        end = strchr(line, '\n');
        *end = '\0';
        base_json_append(&lines, base_json_text(line));
    }
    if (text.failed) {
        json_decref(lines);
        lines = NULL;
    }
    base_text_free(&text);
    return lines;
}

/* ---- One error. */

/* Trying the wiring finds names that the protocol has not got. */
static col_status check_wiring(const sim_design_error *wrong, const sim_design *design,
                               col_problem *problem) {
    sim_wiring *wiring = NULL;
    BASE_TRY(base_new(&wiring, 1, sizeof *wiring, problem));
    *wiring = design->wiring;
    const col_status status = sim_design_error_wire(wrong, design->protocol, wiring, problem);
    free(wiring);
    return status;
}

/* Words of a paragraph, in lines of at most 100 characters behind a label of 12. */
static void say_paragraph(const char *label, const char *paragraph, base_text *text) {
    enum { INDENT = 13, WIDTH = 100 };
    size_t column = INDENT;
    if (paragraph[0] == '\0')
        return;
    base_text_print(text, "%-*s", INDENT - 1, label);
    for (const char *at = paragraph + strspn(paragraph, " \n"); *at != '\0';) {
        const size_t length = strcspn(at, " \n");
        if (column + length + 1 > WIDTH) {
            base_text_print(text, "\n%*s", INDENT - 1, "");
            column = INDENT;
        }
        base_text_add(text, " ");
        base_text_add_bytes(text, at, length);
        column += length + 1;
        at += length;
        at += strspn(at, " \n");
    }
    base_text_add(text, "\n");
}

/* All of it: `text` for people, `edits` for programs. */
static col_status describe(const sim_design_error *wrong, const sl_protocol *protocol,
                           base_text *text, json_t **edits, col_problem *problem) {
    base_text_print(text, "%s: %s\n", wrong->id, wrong->summary);
    if (strcmp(wrong->name, wrong->id) != 0)
        say_paragraph("name", wrong->name, text);
    say_paragraph("class", sim_error_classes[wrong->class], text);
    say_paragraph("level", wrong->level, text);
    say_paragraph("protocol", wrong->protocol.text[0] == '\0' ? "any" : wrong->protocol.text, text);
    say_paragraph("source", wrong->source, text);
    say_paragraph("same as", wrong->same_as, text);
    say_paragraph("explanation", wrong->explanation, text);
    say_paragraph("adapted", wrong->adapted, text);
    say_paragraph("file", wrong->path, text);
    base_text_add(text, "\n");
    say_wiring(wrong, text);
    for (uint32_t i = 0; i < wrong->edit_count; i++) {
        sim_cell_change change;
        BASE_TRY(sim_design_error_change(wrong, i, protocol, &change, problem));
        sim_design_error_say(protocol, &change, text);
        base_text_add(text, "\n  before  ");
        sim_design_error_say_cell(protocol, &change, false, text);
        base_text_add(text, "\n  after   ");
        sim_design_error_say_cell(protocol, &change, true, text);
        base_text_add(text, "\n");
        base_json_append(edits, make_edit(protocol, &change));
    }
    return base_text_status(text, problem);
}

static col_status explain(const cli_arguments *arguments, const sim_design *design,
                          col_problem *problem) {
    sim_design_error *wrong;
    base_text text = {0};
    BASE_TRY(sim_design_error_open(&wrong, arguments->operands[2], design->protocol, problem));
    json_t *edits = json_array();
    col_status status =
        wrong->next == NULL
            ? check_wiring(wrong, design, problem)
            : base_refuse(problem, "design errors explains one error at a time, not %.100s",
                          arguments->operands[2]);
    BASE_THEN(status, describe(wrong, design->protocol, &text, &edits, problem));
    if (status == COL_OK && arguments->json != NULL) {
        json_t *result = make_summary(wrong);
        base_json_set(&result, "without", make_without(wrong));
        base_json_set(&result, "wiring", make_wiring(wrong));
        base_json_set(&result, "edits", json_incref(edits));
        status = base_json_write(arguments->json, result, problem);
    }
    if (status == COL_OK && arguments->prints)
        status = cli_write(&text, problem);
    json_decref(edits);
    base_text_free(&text);
    sim_design_error_free(wrong);
    return status;
}

/* ---- All. */

typedef struct table {
    sim_design_error **rows;
    size_t count;
    base_text problems; /* files that are no errors: a line each */
} table;

/* One of the list, with all that it names found. NULL after COL_OK: it is for another protocol. */
static col_status read_one(sim_design_error **wrong, const base_library_file *file,
                           const sim_design *design, col_problem *problem) {
    col_status status = sim_design_error_read(wrong, file, design->protocol, problem);
    if (status != COL_OK || *wrong == NULL)
        return status;
    status = check_wiring(*wrong, design, problem);
    if (status != COL_OK)
        sim_design_error_free(*wrong);
    return status;
}

/* Of one ID the first that fits. A file that cannot be read is reported, and does not stop us. */
static col_status fill_table(table *t, const base_library *library, const sim_design *design,
                             col_problem *problem) {
    BASE_TRY(base_new(&t->rows, library->count + 1, sizeof(sim_design_error *), problem));
    for (size_t i = 0; i < library->count; i++) {
        sim_design_error *wrong;
        col_problem inner;
        char sentence[800];
        const char *last = t->count == 0 ? "" : t->rows[t->count - 1]->id;
        if (strcmp(last, library->entries[i].name) == 0)
            continue;
        const col_status status = read_one(&wrong, &library->entries[i], design, &inner);
        if (status == COL_FAILURE) {
            *problem = inner;
            return status;
        }
        if (status != COL_OK)
            base_text_print(&t->problems, "not here: %s\n",
                            col_problem_text(&inner, sentence, sizeof sentence));
        else if (wrong != NULL)
            t->rows[t->count++] = wrong;
    }
    return COL_OK;
}

enum { COLUMNS = 4 };

static const char *column_of(const sim_design_error *wrong, size_t column) {
    const char *const columns[COLUMNS] = {wrong->id, sim_error_classes[wrong->class], wrong->level,
                                          wrong->source};
    return columns[column];
}

static col_status print_table(const table *t, const sim_design *design, col_problem *problem) {
    size_t widths[COLUMNS] = {0};
    base_text text = {0};
    if (t->count == 0)
        base_text_print(&text, "no design errors fit the protocol %s\n", design->protocol->name);
    for (size_t i = 0; i < t->count; i++)
        for (size_t c = 0; c < COLUMNS; c++)
            if (strlen(column_of(t->rows[i], c)) > widths[c])
                widths[c] = strlen(column_of(t->rows[i], c));
    for (size_t i = 0; i < t->count; i++) {
        for (size_t c = 0; c < COLUMNS; c++)
            base_text_print(&text, "%-*s  ", (int)widths[c], column_of(t->rows[i], c));
        base_text_print(&text, "%s\n", t->rows[i]->summary);
    }
    if (t->problems.length > 0)
        base_text_add(&text, t->problems.data);
    return cli_write(&text, problem);
}

static col_status list(const cli_arguments *arguments, const sim_design *design,
                       col_problem *problem) {
    base_library library;
    table t = {0};
    BASE_TRY(sim_design_error_list(&library, problem));
    col_status status = fill_table(&t, &library, design, problem);
    json_t *results = json_array();
    for (size_t i = 0; i < t.count; i++)
        base_json_append(&results, make_summary(t.rows[i]));
    status = cli_write_json(arguments, status, results, problem);
    if (status == COL_OK && arguments->prints)
        status = print_table(&t, design, problem);
    for (size_t i = 0; i < t.count; i++)
        sim_design_error_free(t.rows[i]);
    free(t.rows);
    base_text_free(&t.problems);
    base_library_free(&library);
    return status;
}

col_status cli_design_errors_show(const cli_arguments *arguments, sim_design *design,
                                  col_problem *problem) {
    return arguments->operand_count > 2 ? explain(arguments, design, problem)
                                        : list(arguments, design, problem);
}

/* collider design mutants. */

typedef struct view {
    const cli_arguments *arguments;
    const sim_mutants *mutants;
    uint32_t machine; /* or SIM_ALL_MACHINES */
} view;

static const char *within(const view *v, const sim_mutant *m) {
    if (m->mutation != NULL)
        return m->mutation->within;
    return v->mutants->protocol->machines[m->machine]->states[m->state];
}

static const char *within_name(const view *v, const sim_mutant *m) {
    if (m->mutation != NULL)
        return m->mutation->name;
    return v->mutants->protocol->machines[m->machine]->events[m->event];
}

/* ---- Counts. */

static void print_counts(const view *v, base_text *text) {
    const sl_protocol *protocol = v->mutants->protocol;
    uint32_t counts[SIM_MOST_MACHINES + 1][SIM_MUTANT_KINDS + 1] = {{0}}, equivalent = 0;
    for (uint32_t k = 1; k <= v->mutants->count; k++) {
        sim_mutant m;
        sim_mutant_find(v->mutants, k, &m);
        if (!sim_is_shown(v->machine, m.machine))
            continue;
        equivalent += m.equivalent;
        counts[m.machine][m.kind]++;
        counts[m.machine][SIM_MUTANT_KINDS]++;
        counts[protocol->machine_count][m.kind]++;
        counts[protocol->machine_count][SIM_MUTANT_KINDS]++;
    }
    base_text_print(text, "%-16s", "machine");
    for (uint32_t kind = 0; kind < SIM_MUTANT_KINDS; kind++)
        base_text_print(text, "%16s", sim_mutant_kinds[kind]);
    base_text_print(text, "%16s\n", "all");
    for (uint32_t i = 0; i <= protocol->machine_count; i++) {
        if (i < protocol->machine_count && !sim_is_shown(v->machine, i))
            continue;
        base_text_print(text, "%-16s",
                        i < protocol->machine_count ? protocol->machines[i]->name : "all");
        for (uint32_t kind = 0; kind <= SIM_MUTANT_KINDS; kind++)
            base_text_print(text, "%16u", counts[i][kind]);
        base_text_add(text, "\n");
    }
    if (v->mutants->reached_is_known)
        base_text_print(text, "%u in cells that are not known to be reachable: equivalent.\n",
                        equivalent);
    else
        base_text_print(text,
                        "Which cells of %s are reachable is not known: see collider explore. ",
                        protocol->name);
    if (!v->mutants->reached_is_known && equivalent == 0)
        base_text_add(text, "No mutant is marked.\n");
    else if (!v->mutants->reached_is_known)
        base_text_print(text, "%u in machines that the design does not have: equivalent.\n",
                        equivalent);
    if (v->mutants->problem.message[0] != '\0')
        base_text_print(text, "Those of the source are missing: %s.\n",
                        v->mutants->problem.message);
}

/* ---- The list. */

static void print_list(const view *v, base_text *text) {
    for (uint32_t k = 1; k <= v->mutants->count; k++) {
        sim_mutant m;
        sim_mutant_find(v->mutants, k, &m);
        if (!sim_is_shown(v->machine, m.machine))
            continue;
        base_text_print(text, "%u %s %s %s: ", k, v->mutants->protocol->machines[m.machine]->name,
                        within(v, &m), within_name(v, &m));
        sim_mutant_describe(v->mutants->protocol, &m, text);
        base_text_add(text, m.equivalent ? " (equivalent)\n" : "\n");
    }
}

/* ---- One. */

static void print_cell(const view *v, const sim_mutant *m, bool mutated, base_text *text) {
    const sl_machine *machine = v->mutants->protocol->machines[m->machine];
    const sl_cell *cell = &machine->cells[m->state * machine->event_count + m->event];
    const bool moved = mutated && m->kind == SIM_MUTANT_NEXT;
    base_text_print(text, "%s leads to %s by", mutated ? "after: " : "before:",
                    moved ? machine->states[m->next] : sim_next_name(machine, cell));
    uint32_t written = 0;
    for (uint32_t i = 0; i < cell->action_count; i++) {
        if (mutated && m->kind == SIM_MUTANT_DROP && i == m->place)
            continue;
        base_text_print(text, "%s %s", written++ == 0 ? "" : ",",
                        machine->actions[machine->action_list[cell->first_action + i]]);
    }
    base_text_add(text, written == 0 ? " no action\n" : "\n");
}

static void explain_mutant(const view *v, uint32_t number, base_text *text) {
    sim_mutant m;
    sim_mutant_find(v->mutants, number, &m);
    base_text_print(text, "mutant %u of %u of the protocol %s: %s\n", number, v->mutants->count,
                    v->mutants->protocol->name, sim_mutant_kinds[m.kind]);
    base_text_print(text, "%s: %s %s\n", v->mutants->protocol->machines[m.machine]->name,
                    within(v, &m), within_name(v, &m));
    if (m.mutation != NULL) {
        base_text_print(text, "%s:%u:%u\nbefore: %s\nafter:  %s\n", m.mutation->file,
                        m.mutation->line, m.mutation->column, m.mutation->before,
                        m.mutation->after);
    } else {
        print_cell(v, &m, false, text);
        print_cell(v, &m, true, text);
    }
    if (m.equivalent)
        base_text_add(text, "equivalent: not known to be reachable in this design\n");
    base_text_print(text, "run it: collider run %s --mutant %u\n", v->arguments->operands[1],
                    number);
}

static col_status find_number(const view *v, uint32_t *number, col_problem *problem) {
    uint64_t value = 0;
    *number = 0;
    if (v->arguments->operand_count < 3)
        return COL_OK;
    if (!base_number_parse(v->arguments->operands[2], &value))
        return base_refuse(problem, "a mutant is named by its number, not by '%.64s'",
                           v->arguments->operands[2]);
    if (value > v->mutants->count && v->mutants->problem.message[0] != '\0')
        return base_refuse(problem, "%s", v->mutants->problem.message);
    if (value == 0 || value > v->mutants->count)
        return base_refuse(problem, "the mutants of %s have the numbers 1 to %u",
                           v->mutants->protocol->name, v->mutants->count);
    *number = (uint32_t)value;
    return COL_OK;
}

/* ---- JSON. */

static json_t *make_mutant(const view *v, uint32_t number) {
    sim_mutant m;
    base_text change = {0};
    sim_mutant_find(v->mutants, number, &m);
    sim_mutant_describe(v->mutants->protocol, &m, &change);
    json_t *result = json_pack(
        "{s:i, s:s, s:s, s:o, s:b}", "number", (int)number, "kind", sim_mutant_kinds[m.kind],
        "machine", v->mutants->protocol->machines[m.machine]->name, "change",
        change.failed ? NULL : base_json_text(change.data == NULL ? "" : change.data), "equivalent",
        (int)m.equivalent);
    base_text_free(&change);
    json_t *place =
        m.mutation == NULL
            ? json_pack("{s:s, s:s}", "state", within(v, &m), "event", within_name(v, &m))
            : json_pack("{s:s, s:o, s:i, s:i, s:o, s:o}", m.mutation->within, m.mutation->name,
                        "file", base_json_text(m.mutation->file), "line", (int)m.mutation->line,
                        "column", (int)m.mutation->column, "before",
                        base_json_text(m.mutation->before), "after",
                        base_json_text(m.mutation->after));
    const bool is_whole = json_object_update(result, place) == 0;
    json_decref(place);
    if (is_whole)
        return result;
    json_decref(result);
    return NULL;
}

static json_t *make_results(const view *v, const sim_design *design, uint32_t only) {
    json_t *list = json_array();
    for (uint32_t k = 1; k <= v->mutants->count; k++) {
        sim_mutant m;
        sim_mutant_find(v->mutants, k, &m);
        if ((only == 0 || only == k) && sim_is_shown(v->machine, m.machine))
            base_json_append(&list, make_mutant(v, k));
    }
    const char *problem = v->mutants->problem.message;
    return json_pack("{s:o, s:s, s:i, s:b, s:o, s:o}", "design", base_json_text(design->name),
                     "protocol", v->mutants->protocol->name, "count", (int)v->mutants->count,
                     "reachable_known", (int)v->mutants->reached_is_known, "problem",
                     base_json_text(problem[0] == '\0' ? NULL : problem), "mutants", list);
}

/* ---- The command. */

static col_status show(const view *v, const sim_design *design, col_problem *problem) {
    const cli_arguments *a = v->arguments;
    uint32_t number;
    base_text text = {0};
    col_status status = find_number(v, &number, problem);
    if (status == COL_OK && a->json != NULL)
        status = base_json_write(a->json, make_results(v, design, number), problem);
    if (status != COL_OK || !a->prints)
        return status;
    if (number != 0)
        explain_mutant(v, number, &text);
    else if (a->typed[OPTION_LIST] || a->typed[OPTION_MACHINE])
        print_list(v, &text);
    else
        print_counts(v, &text);
    return cli_write(&text, problem);
}

col_status cli_design_mutants_show(const cli_arguments *arguments, sim_design *design,
                                   col_problem *problem) {
    const char *machine = arguments->values[OPTION_MACHINE];
    sim_mutants mutants;
    view v = {.arguments = arguments, .mutants = &mutants, .machine = SIM_ALL_MACHINES};
    if (machine != NULL && arguments->operand_count > 2)
        return base_refuse(problem, "a mutant has a number or is one of a --machine, not both");
    if (machine != NULL &&
        sim_find_machine(design->protocol, machine, &v.machine, problem) != COL_OK)
        return COL_BAD_INPUT;
    BASE_TRY(sim_mutants_open(&mutants, design, problem));
    col_status status = show(&v, design, problem);
    sim_mutants_close(&mutants);
    return status;
}
