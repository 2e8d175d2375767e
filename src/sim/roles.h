/* SPDX-License-Identifier: MIT */
/*
 * Machines of a protocol that have several roles in a design: one cache controller is the first
 * level, the second and the home node, with other parameters each. Each role is a machine of a
 * protocol of its own, with the name that the design file gives it (`of: MACHINE`), and shares
 * everything else with the machine whose role it is.
 */
#ifndef SIM_ROLES_H
#define SIM_ROLES_H

#include "sim/design_file.h"

typedef struct sim_roles {
    const sl_protocol *of; /* as it was compiled */
    sl_protocol protocol;
    sl_machine machines[SIM_MOST_MACHINES];
    const sl_machine *list[SIM_MOST_MACHINES + 1];
    char names[SIM_MOST_MACHINES][48];
    uint32_t places[SIM_MOST_MACHINES]; /* in `of` */
} sim_roles;

/* What the file makes of the protocol; *roles is NULL if it names none. */
col_status sim_roles_make(sim_roles **roles, const sim_design_file *file,
                          const sl_protocol *protocol, col_problem *problem);

/* The same for another protocol with the same machines. */
void sim_roles_renew(sim_roles *roles, const sl_protocol *protocol);

#endif
