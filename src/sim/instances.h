/* SPDX-License-Identifier: MIT */
/*
 * Machines of a protocol that a design has several kinds of: one cache controller is the first
 * level, the second and the home node, with other parameters each. Each kind is a machine of a
 * protocol of its own, with the name that the design file gives it (`of: MACHINE`), and shares
 * everything else with the machine that it is of.
 */
#ifndef SIM_INSTANCES_H
#define SIM_INSTANCES_H

#include "sim/design_file.h"

typedef struct sim_instances {
    const sl_protocol *of; /* as it was compiled */
    sl_protocol protocol;
    sl_machine machines[SIM_MOST_MACHINES];
    const sl_machine *list[SIM_MOST_MACHINES + 1];
    char names[SIM_MOST_MACHINES][48];
    uint32_t places[SIM_MOST_MACHINES]; /* in `of` */
} sim_instances;

/* What the file makes of the protocol; *instances is NULL if it names no instances. */
col_status sim_instances_make(sim_instances **instances, const sim_design_file *file,
                              const sl_protocol *protocol, col_problem *problem);

/* The same for another protocol with the same machines. */
void sim_instances_renew(sim_instances *instances, const sl_protocol *protocol);

#endif
