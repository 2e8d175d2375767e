/* SPDX-License-Identifier: MIT */
/* What a search found: see explore_results.h. */
#include "cli/explore_results.h"
#include "base/json.h"
#include "base/plural.h"
#include "collider/episode.h"
#include "sim/reached.h"
#include "sim/show.h"

#include <stdio.h>

static const char *verdict(const sim_system *system, const exp_exploration *found) {
    if (!found->broken)
        return col_outcomes[found->complete ? COL_PASS : COL_INCOMPLETE];
    switch (system->failure.event.kind) {
    case COL_DEADLOCK:
        return col_outcomes[COL_DEADLOCKED];
    case COL_INVARIANT_BROKEN:
        return col_outcomes[COL_VIOLATION];
    default:
        return col_outcomes[COL_PROTOCOL_WRONG];
    }
}

static col_status print_machine(const sim_system *system, uint32_t machine, col_problem *problem) {
    const sl_machine *m = system->protocol->machines[machine];
    uint32_t defined = 0, reached = 0;
    base_text others = {0};
    for (uint32_t s = 0; s < m->state_count; s++)
        for (uint32_t e = 0; e < m->event_count; e++) {
            const sl_cell *cell = sim_cell(m, s, e);
            if (cell == NULL || (cell->flags & SL_STALL) != 0)
                continue;
            defined++;
            if (sim_was_reached(system, machine, s, e))
                reached++;
            else
                base_text_print(&others, " %s/%s", m->states[s], m->events[e]);
        }
    const col_status status = base_text_status(&others, problem);
    if (status == COL_OK)
        base_print(stdout, "%s: %u of %u transition%s reached%s%s\n", m->name, reached, defined,
                   base_plural(defined), others.length > 0 ? "; not" : "",
                   others.length > 0 ? others.data : "");
    base_text_free(&others);
    return status;
}

/* What makes the search longer than it could be. */
static void print_asymmetry(const sim_system *system, const cli_explore_request *r,
                            const exp_exploration *found) {
    if (found->remembered)
        base_print(stdout, "cores repeat requests that the protocol has begun with\n");
    if (r->is_plain)
        return;
    if (!found->symmetry.cores && system->wiring.cores > 1)
        base_print(stdout, "searched without symmetry of cores: %s tells them apart\n",
                   found->symmetry.no_cores);
    if (!found->symmetry.blocks && r->blocks > 1)
        base_print(stdout, "searched without symmetry of blocks: %s tells them apart\n",
                   found->symmetry.no_blocks);
}

col_status cli_explore_print(const sim_system *system, const cli_explore_request *r,
                             const exp_exploration *found, col_problem *problem) {
    col_status status = COL_OK;
    base_print(stdout, "%llu state%s, %llu step%s, depth %u, %s\n",
               (unsigned long long)found->states, base_plural(found->states),
               (unsigned long long)found->steps, base_plural(found->steps), found->depth,
               found->complete ? "complete"
               : found->broken ? "broken"
                               : "not complete");
    print_asymmetry(system, r, found);
    if (found->broken)
        base_print(stdout, "\n%s", found->trace.data == NULL ? "" : found->trace.data);
    for (uint32_t m = 0; status == COL_OK && m < system->protocol->machine_count && !found->broken;
         m++)
        status = print_machine(system, m, problem);
    return status;
}

/* The cells that were reached; NULL: no memory. */
static json_t *make_reached(const sim_system *system, uint32_t machine) {
    const sl_machine *m = system->protocol->machines[machine];
    json_t *cells = json_array();
    for (uint32_t s = 0; s < m->state_count; s++)
        for (uint32_t e = 0; e < m->event_count; e++)
            if (sim_was_reached(system, machine, s, e))
                base_json_append(&cells, json_pack("[s, s]", m->states[s], m->events[e]));
    return cells;
}

/* NULL: no memory. */
static json_t *make_machines(const sim_system *system) {
    json_t *machines = json_array();
    for (uint32_t i = 0; i < system->protocol->machine_count; i++) {
        const sl_machine *m = system->protocol->machines[i];
        const sim_counts counts = sim_count(m);
        base_json_append(&machines, json_pack("{s:s, s:i, s:o}", "name", m->name, "transitions",
                                              (int)(counts.transitions - counts.stalls), "reached",
                                              make_reached(system, i)));
    }
    return machines;
}

/* What was renamed; NULL: no memory. */
static json_t *make_symmetry(const exp_exploration *found) {
    json_t *what = json_array();
    if (found->symmetry.cores)
        base_json_append(&what, json_string("cores"));
    if (found->symmetry.blocks)
        base_json_append(&what, json_string("blocks"));
    return what;
}

/* NULL: the design's own ways. */
static json_t *make_caches(const cli_explore_request *r) {
    return r->keeps_ways ? json_null()
                         : json_pack("[I, I, I]", (json_int_t)r->caches[0],
                                     (json_int_t)r->caches[1], (json_int_t)r->caches[2]);
}

json_t *cli_explore_json(const sim_design *design, const sim_system *system,
                         const cli_explore_request *r, const exp_exploration *found) {
    return json_pack("{s:o, s:i, s:I, s:I, s:o, s:i, s:s, s:I, s:I, s:i, s:I, s:I, s:b, s:f, "
                     "s:o, s:s?, s:b, s:o, s:o}",
                     "design", base_json_text(design->name), "cores", (int)system->wiring.cores,
                     "blocks", (json_int_t)r->blocks, "outstanding", (json_int_t)r->outstanding,
                     "caches", make_caches(r), "tbes", (int)system->wiring.tbes, "verdict",
                     verdict(system, found), "states", (json_int_t)found->states, "steps",
                     (json_int_t)found->steps, "depth", (int)found->depth, "bytes",
                     (json_int_t)found->bytes, "disk_bytes", (json_int_t)found->disk_bytes,
                     "complete", (int)found->complete, "omission", found->omission, "symmetry",
                     make_symmetry(found), "limit", found->limit, "broken", (int)found->broken,
                     "failure", base_json_text(found->broken ? found->trace.data : NULL),
                     "machines", make_machines(system));
}
