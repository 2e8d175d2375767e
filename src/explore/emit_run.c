/* SPDX-License-Identifier: MIT */
/* Runs that try out a test: see emit_run.h. */
#include "explore/emit_run.h"
#include "base/stop.h"

#include <string.h>

const exp_network exp_own_network = {
    .number = -1, .latency = SIM_AS_OTHERS, .jitter = SIM_AS_OTHERS};

bool exp_network_is_own(const exp_network *n) {
    return n->latency == SIM_AS_OTHERS && n->jitter == SIM_AS_OTHERS;
}

bool exp_runner_is_over(const exp_runner *r) {
    return (r->aims->most_runs != 0 && r->runs >= r->aims->most_runs) ||
           base_is_stopped(r->aims->stop);
}

static void set_cycles(uint32_t *cycles, uint32_t wanted) {
    if (wanted != SIM_AS_OTHERS)
        *cycles = wanted;
}

void exp_runner_wire(exp_runner *r, const exp_network *n) {
    sim_wiring *w = &r->system->wiring;
    w->network_latency = r->own->network_latency;
    w->jitter = r->own->jitter;
    memcpy(w->virtual_networks, r->own->virtual_networks, sizeof w->virtual_networks);
    set_cycles(n->number < 0 ? &w->network_latency : &w->virtual_networks[n->number].latency,
               n->latency);
    set_cycles(n->number < 0 ? &w->jitter : &w->virtual_networks[n->number].jitter, n->jitter);
}

uint64_t exp_runner_times(const exp_runner *r, const exp_cell *cell) {
    const sl_machine *m = r->system->protocol->machines[cell->machine];
    uint64_t sum = 0;
    for (uint32_t i = 0; i < r->system->base.controller_count; i++)
        if (r->system->controllers[i]->machine == m)
            sum += r->system->controllers[i]->counts[cell->state * m->event_count + cell->event];
    return sum;
}

col_status exp_runner_count(exp_runner *r, const col_program *program, const exp_cell *cell,
                            exp_plan *plan, uint64_t first, uint32_t seeds, exp_score *score,
                            col_problem *problem) {
    const bool is_watched = plan != NULL && plan->rounds == 1;
    *score = (exp_score){0};
    r->runs += seeds;
    for (uint32_t i = 0; i < seeds; i++) {
        const uint64_t before = exp_runner_times(r, cell);
        col_observer observer;
        sim_result run;
        if (is_watched)
            observer = exp_plan_watch(plan);
        const col_status status = sim_system_run(r->system, program, first + i, false,
                                                 is_watched ? &observer : NULL, &run, problem);
        if (status != COL_OK)
            return status;
        score->hits += exp_runner_times(r, cell) > before;
        score->progress += is_watched ? exp_plan_progress(plan) : 0;
    }
    return COL_OK;
}
