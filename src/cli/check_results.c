/* SPDX-License-Identifier: MIT */
/* Verdicts as JSON: see check_results.h. */
#include "cli/check_results.h"

#include "base/json.h"

#include <stdio.h>
#include <stdlib.h>

const char *const cli_check_verdicts[COL_UNDECIDED + 1] = {
    [COL_ALLOWED] = "OK", [COL_FORBIDDEN] = "NO", [COL_UNDECIDED] = "UNDECIDED"};

static json_t *make_mention(const col_mention *m) {
    json_t *result =
        json_pack("{s:I, s:I, s:I, s:s}", "operation", (json_int_t)m->operation, "thread",
                  (json_int_t)m->thread, "place", (json_int_t)m->place, "text", m->text);
    if (m->line > 0) {
        char name[24]; /* as text: a number of 64 bits is more than many readers of JSON take */
        (void)snprintf(name, sizeof name, "%llu", (unsigned long long)m->thread_name);
        base_json_set(&result, "line", json_integer(m->line));
        base_json_set(&result, "thread_name", json_string(name));
    }
    return result;
}

/* Each operation with the relation that leads to the next one; without a cycle, the operations. */
static json_t *make_cycle(const col_violation *violation) {
    json_t *cycle = json_array();
    for (uint32_t s = 0; s < violation->step_count; s++) {
        const col_step *step = &violation->steps[s];
        json_t *entry = make_mention(&violation->mentions[step->from]);
        base_json_set(&entry, "relation", json_string(col_relations[step->relation]));
        if (step->note != COL_NO_MENTION)
            base_json_set(&entry, "because", make_mention(&violation->mentions[step->note]));
        base_json_append(&cycle, entry);
    }
    for (uint32_t m = 0; violation->step_count == 0 && m < violation->mention_count; m++)
        base_json_append(&cycle, make_mention(&violation->mentions[m]));
    return cycle;
}

bool cli_check_results_add(json_t *list, const cli_check_result *r) {
    const col_program *program = &r->trace->program;
    const col_violation *violation = r->violation;
    json_t *entry = json_pack(
        "{s:o, s:I, s:s, s:I, s:I, s:I, s:f, s:s?, s:o}", "file", base_json_text(r->file), "trace",
        (json_int_t)r->number, "verdict", cli_check_verdicts[r->verdict], "operations",
        (json_int_t)col_program_operations(program), "threads", (json_int_t)program->thread_count,
        "locations", (json_int_t)program->location_count, "seconds", r->seconds, "reason",
        violation != NULL ? violation->reason : NULL, "cycle",
        violation != NULL ? make_cycle(violation) : json_null());
    return entry != NULL && json_array_append_new(list, entry) == 0;
}

static json_t *make_problem(const col_problem *p) {
    if (p == NULL)
        return json_null();
    return json_pack("{s:o, s:I, s:I, s:o}", "file",
                     p->file[0] != '\0' ? base_json_text(p->file) : json_null(), "line",
                     (json_int_t)p->line, "column", (json_int_t)p->column, "message",
                     base_json_text(p->message));
}

col_status cli_check_results_write(json_t *list, const char *model, const col_problem *ended_by,
                                   const char *path, col_problem *problem) {
    json_t *root = json_pack("{s:o, s:s, s:o, s:o}", "model", base_json_text(model), "version",
                             col_version(), "traces", list, "problem", make_problem(ended_by));
    return base_json_write(path, root, problem);
}
