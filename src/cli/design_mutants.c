/* SPDX-License-Identifier: MIT */
/* collider design mutants: see design_mutants.h. */
#include "cli/design_mutants.h"

#include "base/file.h"
#include "base/json.h"
#include "base/number.h"
#include "cli/command.h"
#include "cli/design_results.h"
#include "sim/mutant.h"
#include "sim/show.h"

#include <string.h>

typedef struct view {
    const cli_design_mutants_request *request;
    const sim_design *design;
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
        base_text_print(text, "%u are of machines that the design has none of: equivalent.\n",
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

static void explain(const view *v, uint32_t number, base_text *text) {
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
    base_text_print(text, "run it: collider run %s --mutant %u\n", v->request->name, number);
}

static col_status find_number(const view *v, uint32_t *number, col_problem *problem) {
    uint64_t value = 0;
    *number = 0;
    if (v->request->number == NULL)
        return COL_OK;
    if (!base_number_parse(v->request->number, &value))
        return base_refuse(problem, "a mutant is named by its number, not by '%.64s'",
                           v->request->number);
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

static json_t *make_results(const view *v, uint32_t only) {
    json_t *list = json_array();
    for (uint32_t k = 1; k <= v->mutants->count; k++) {
        sim_mutant m;
        sim_mutant_find(v->mutants, k, &m);
        if ((only == 0 || only == k) && sim_is_shown(v->machine, m.machine))
            base_json_append(&list, make_mutant(v, k));
    }
    const char *problem = v->mutants->problem.message;
    return json_pack("{s:o, s:s, s:i, s:b, s:o, s:o}", "design", base_json_text(v->design->name),
                     "protocol", v->mutants->protocol->name, "count", (int)v->mutants->count,
                     "reachable_known", (int)v->mutants->reached_is_known, "problem",
                     base_json_text(problem[0] == '\0' ? NULL : problem), "mutants", list);
}

/* ---- The command. */

static col_status show(const view *v, col_problem *problem) {
    const cli_design_mutants_request *r = v->request;
    const bool json_alone = r->json != NULL && strcmp(r->json, "-") == 0;
    uint32_t number;
    base_text text = {0};
    col_status status = find_number(v, &number, problem);
    if (status == COL_OK && r->json != NULL)
        status = base_json_write(r->json, make_results(v, number), problem);
    if (status != COL_OK || json_alone)
        return status;
    if (number != 0)
        explain(v, number, &text);
    else if (r->list)
        print_list(v, &text);
    else
        print_counts(v, &text);
    status = base_text_status(&text, problem);
    if (status == COL_OK && text.length > 0)
        status = cli_write(&text, problem);
    base_text_free(&text);
    return status;
}

col_status cli_design_mutants_show(const cli_design_mutants_request *request,
                                   const sim_design *design, col_problem *problem) {
    sim_mutants mutants;
    view v = {
        .request = request, .design = design, .mutants = &mutants, .machine = SIM_ALL_MACHINES};
    if (request->machine != NULL && request->number != NULL)
        return base_refuse(problem, "a mutant has a number or is one of a --machine, not both");
    if (request->machine != NULL &&
        sim_find_machine(design->protocol, request->machine, &v.machine, problem) != COL_OK)
        return COL_BAD_INPUT;
    col_status status = sim_mutants_open(&mutants, design, problem);
    if (status != COL_OK)
        return status;
    status = show(&v, problem);
    sim_mutants_close(&mutants);
    return status;
}
