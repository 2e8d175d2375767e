/* SPDX-License-Identifier: MIT */
/* Designs as JSON: see design_results.h. */
#include "cli/design_results.h"

#include "base/json.h"
#include "sim/show.h"

#include <stdlib.h>

static json_t *make_cell(const sl_machine *machine, uint32_t state, uint32_t event,
                         const sl_cell *cell) {
    const bool stall = (cell->flags & SL_STALL) != 0;
    json_t *actions = json_array();
    for (uint32_t i = 0; i < cell->action_count; i++)
        base_json_append(
            &actions, json_string(machine->actions[machine->action_list[cell->first_action + i]]));
    return json_pack("{s:s, s:s, s:s?, s:b, s:o}", "state", machine->states[state], "event",
                     machine->events[event], "next", stall ? NULL : sim_next_name(machine, cell),
                     "stall", stall, "actions", actions);
}

static json_t *make_cells(const sl_machine *machine) {
    json_t *cells = json_array();
    for (uint32_t s = 0; s < machine->state_count; s++)
        for (uint32_t e = 0; e < machine->event_count; e++) {
            const sl_cell *cell = sim_cell(machine, s, e);
            if (cell != NULL)
                base_json_append(&cells, make_cell(machine, s, e, cell));
        }
    return cells;
}

static json_t *make_caches(const sim_machine_wiring *w) {
    static const char *const replacements[] = {
        [SL_LRU] = "lru", [SL_TREE_PLRU] = "plru", [SL_RANDOM] = "random"};
    json_t *caches = json_array();
    for (uint32_t i = 0; i < w->cache_count; i++)
        base_json_append(&caches,
                         json_pack("{s:s, s:I, s:i, s:s}", "name", w->caches[i].name, "bytes",
                                   (json_int_t)w->caches[i].bytes, "ways", (int)w->caches[i].ways,
                                   "replacement", replacements[w->caches[i].replacement]));
    return caches;
}

static json_t *make_machine(const sl_machine *machine, const sim_machine_wiring *w, bool cells) {
    const sim_counts counts = sim_count(machine);
    json_t *result = json_pack(
        "{s:s, s:i, s:b, s:i, s:i, s:i, s:i, s:i, s:i, s:o}", "name", machine->name, "controllers",
        (int)w->count, "private", (int)w->is_private, "states", (int)counts.states, "events",
        (int)counts.events, "actions", (int)counts.actions, "transitions", (int)counts.transitions,
        "stalls", (int)counts.stalls, "reached", (int)counts.reached, "caches", make_caches(w));
    if (cells)
        base_json_set(&result, "cells", make_cells(machine));
    return result;
}

static json_t *make_core(const sim_core_settings *core) {
    json_t *without = json_array();
    for (uint32_t m = 0; m < SIM_MECHANISM_COUNT; m++)
        if ((core->without >> m & 1) != 0)
            base_json_append(&without, json_string(sim_mechanisms[m]));
    return json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:o}", "mode", sim_modes[core->mode],
                     "width", (int)core->width, "window", (int)core->window, "loads",
                     (int)core->loads, "stores", (int)core->stores, "outstanding",
                     (int)core->outstanding, "jitter", (int)core->jitter, "without", without);
}

static json_t *make_varied(const sim_vary *vary) {
    json_t *varied = json_object();
    for (uint32_t i = 0; vary != NULL && i < sim_vary_count(vary); i++) {
        base_text values = {0};
        sim_vary_values(vary, i, &values);
        base_json_set(&varied, sim_vary_key(vary, i),
                      values.failed ? NULL : base_json_text(values.data));
        base_text_free(&values);
    }
    return varied;
}

json_t *cli_design_results_make(const sim_design *design, uint32_t machine, bool cells,
                                const char *problem) {
    const sl_protocol *protocol = design->protocol;
    json_t *machines = json_array();
    for (uint32_t m = 0; protocol != NULL && m < protocol->machine_count; m++)
        if (sim_is_shown(machine, m))
            base_json_append(
                &machines, make_machine(protocol->machines[m], &design->wiring.machines[m], cells));
    return json_pack(
        "{s:o, s:o, s:o, s:s?, s:o, s:s?, s:o, s:o, s:o, s:o}", "design",
        base_json_text(design->name), "description", base_json_text(design->description), "source",
        base_json_text(design->source), "protocol", protocol != NULL ? protocol->name : NULL,
        "cores", protocol != NULL ? json_integer(design->wiring.cores) : json_null(), "model",
        protocol != NULL ? sim_model_name(&design->wiring) : NULL, "core",
        protocol != NULL ? make_core(&design->wiring.core) : json_null(), "problem",
        base_json_text(problem), "vary", make_varied(design->vary), "machines", machines);
}
