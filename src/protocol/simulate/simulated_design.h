/* SPDX-License-Identifier: MIT */
/*
 * A design: a protocol and how it becomes a system. Named by a built-in name, by a design file
 * (YAML, docs/design-file.md), or by a protocol's file, whose wiring is then inferred.
 */
#pragma once

#include "base/path.h"
#include "protocol/simulate/design_file.h"
#include "protocol/simulate/design_vary.h"
#include "protocol/simulate/protocol_library.h"
#include "protocol/simulate/wiring.h"

enum { SIM_USUAL_CORES = 8 }; /* of a design that does not say how many */

typedef struct sim_design {
    char name[64];
    char description[256];
    char source[1024]; /* the protocol as the design names it */
    char path[1024];   /* of the design's file; empty: it has none */
    const sl_protocol *protocol;
    sim_plugin plugin;       /* when the protocol is not built in */
    struct sim_roles *roles; /* whose protocol it then is; mostly NULL */
    sim_wiring wiring;
    sim_vary *vary; /* NULL: nothing varies */
} sim_design;

/* What a name stands for; anything else is a design of the list. */
bool sim_is_design_file(const char *what);
bool sim_is_protocol_file(const char *what);

/* What is asked of a design: this many cores (0: as many as the design says, else the usual number;
 * 0: SIM_USUAL_CORES), and choices over what it says. */
typedef struct sim_request {
    uint32_t cores, usual_cores;
    const sim_choice *choices;
    size_t choice_count;
} sim_request;

/* What is wrong with a protocol is said in `complaints` in full, unless that is NULL. A design that
 * cannot be opened still has as much of name, description and source as was found out. */
col_status sim_design_open_as(sim_design *design, const char *what, const sim_request *asked,
                              base_text *complaints, col_problem *problem);
col_status sim_design_open(sim_design *design, const char *what, uint32_t cores,
                           base_text *complaints, col_problem *problem);
void sim_design_close(sim_design *design);

/* The designs that have a name, each once: built-in protocols, whose path is empty, and files of
 * the folders of designs. */
col_status sim_design_list_make(base_library *list, col_problem *problem);
/* The file of a design of that name, without a list; false: it has none. */
bool sim_design_list_path(const char *name, char *path, size_t size);

/*
 * Machines of a protocol that have several roles in a design: one cache controller is the first
 * level, the second and the home node, with other parameters each. Each role is a machine of a
 * protocol of its own, with the name that the design file gives it (`of: MACHINE`), and shares
 * everything else with the machine whose role it is.
 */

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
