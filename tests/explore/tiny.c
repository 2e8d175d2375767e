/* SPDX-License-Identifier: MIT */
#include "explore/tiny.h"

#include "sim/protocols.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

sim_system *tiny_system_of(const char *protocol, uint32_t cores, uint32_t blocks) {
    sim_system *system = NULL;
    sim_wiring wiring;
    col_problem problem;
    const sl_protocol *p = sim_built_in_find(protocol);
    assert_int_equal(sim_wiring_infer(&wiring, p, cores, &problem), COL_OK);
    for (uint32_t m = 0; m < p->machine_count; m++)
        for (uint32_t i = 0; i < wiring.machines[m].cache_count; i++) {
            wiring.machines[m].caches[i].ways = blocks;
            wiring.machines[m].caches[i].bytes = (uint64_t)blocks * SL_BLOCK_BYTES;
        }
    wiring.core.mode = SIM_SIMPLE;
    assert_int_equal(sim_system_new(&system, p, &wiring, &problem), COL_OK);
    return system;
}

sim_system *tiny_system(const char *protocol, uint32_t cores) {
    return tiny_system_of(protocol, cores, 1);
}
