/* SPDX-License-Identifier: MIT */
/* Verification scenarios: see scenario.h. */
#include "scenario.h"
#include "units.h"

const char *const kind_names[KINDS] = {"plain", "chain", "plain-bias", "chain-bias"};

static const char *const instruction_mixes[MIXES] = {
    "load=0.30,store=0.66,fence=0.04", "load=0.48,store=0.48,fence=0.04",
    "load=0.66,store=0.30,fence=0.04", "load=0.80,store=0.16,fence=0.04"};
static const char *const category_mixes[MIXES] = {"c0=0.4,c1=0.6", "c1=1", "c1=0.8,c2=0.2",
                                                  "c1=0.8,c3=0.2"};

uint32_t scenario_operations(uint32_t scenario) {
    return UINT32_C(1) << (10 + scenario / LOCATIONS);
}

uint32_t scenario_locations(uint32_t scenario) {
    return UINT32_C(4) << scenario % LOCATIONS;
}

void scenario_make(col_generation *g, uint32_t kind, uint32_t scenario, uint32_t cores,
                   uint32_t sets, const col_geometry *geometry) {
    col_generation_default(g);
    g->chained = kind % 2 == 1;
    g->threads = cores;
    g->operations = scenario_operations(scenario);
    g->locations = scenario_locations(scenario);
    g->addressing.geometry = *geometry;
    if (kind >= 2)
        col_addressing_bias(&g->addressing, sets);
}

void scenario_mix(col_generation *g, uint32_t mix) {
    col_problem problem;
    const col_status status =
        g->chained ? col_category_mix_parse(category_mixes[mix], &g->categories, &problem)
                   : col_instruction_mix_parse(instruction_mixes[mix], &g->instructions, &problem);
    if (status != COL_OK)
        give_up(problem.message);
}
