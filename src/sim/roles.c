/* SPDX-License-Identifier: MIT */
/* Machines that have several roles in a design: see roles.h. */
#include "sim/roles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool names_roles(const sim_design_file *file) {
    for (uint32_t i = 0; i < file->machine_count; i++)
        if (file->machines[i].of.text[0] != '\0')
            return true;
    return false;
}

static bool has_machine(const sl_protocol *protocol, const char *name) {
    for (uint32_t m = 0; m < protocol->machine_count; m++)
        if (strcmp(protocol->machines[m]->name, name) == 0)
            return true;
    return false;
}

#define REFUSE(file, name, error, ...)                                                             \
    base_refuse_at(error, (file)->path, (name)->place.line, (name)->place.column, __VA_ARGS__)

/* What a machine is of must exist, and its own name must not. */
static col_status check_names(const sim_design_file *file, const sl_protocol *protocol,
                              col_problem *problem) {
    for (uint32_t i = 0; i < file->machine_count; i++) {
        const sim_file_machine *machine = &file->machines[i];
        if (machine->of.text[0] == '\0')
            continue;
        if (!has_machine(protocol, machine->of.text))
            return REFUSE(file, &machine->of, problem, "the protocol %s has no machine '%s'",
                          protocol->name, machine->of.text);
        if (has_machine(protocol, machine->name.text))
            return REFUSE(file, &machine->name, problem,
                          "'%s' is a machine of the protocol; give this one another name",
                          machine->name.text);
    }
    return COL_OK;
}

static col_status add(sim_roles *s, const char *name, uint32_t place, col_problem *problem) {
    const uint32_t m = s->protocol.machine_count;
    if (m == SIM_MOST_MACHINES)
        return base_refuse(problem, "a design has at most %d machines", SIM_MOST_MACHINES);
    (void)snprintf(s->names[m], sizeof s->names[m], "%s", name);
    s->places[m] = place;
    s->protocol.machine_count++;
    return COL_OK;
}

/* Those of one machine are next to each other: so are their numbers. */
static col_status add_machine(sim_roles *s, const sim_design_file *file, uint32_t place,
                              col_problem *problem) {
    const char *name = s->of->machines[place]->name;
    const uint32_t before = s->protocol.machine_count;
    col_status status = COL_OK;
    for (uint32_t i = 0; status == COL_OK && i < file->machine_count; i++)
        if (strcmp(file->machines[i].of.text, name) == 0)
            status = add(s, file->machines[i].name.text, place, problem);
    if (status == COL_OK && s->protocol.machine_count == before)
        status = add(s, name, place, problem);
    return status;
}

void sim_roles_renew(sim_roles *s, const sl_protocol *protocol) {
    const uint32_t count = s->protocol.machine_count;
    s->of = protocol;
    s->protocol = *protocol;
    s->protocol.machine_count = count;
    s->protocol.machines = s->list;
    for (uint32_t m = 0; m < count; m++) {
        s->machines[m] = *protocol->machines[s->places[m]];
        s->machines[m].name = s->names[m];
        s->list[m] = &s->machines[m];
    }
}

col_status sim_roles_make(sim_roles **out, const sim_design_file *file, const sl_protocol *protocol,
                          col_problem *problem) {
    *out = NULL;
    if (!names_roles(file))
        return COL_OK;
    col_status status = check_names(file, protocol, problem);
    if (status != COL_OK)
        return status;
    sim_roles *s = calloc(1, sizeof *s);
    if (s == NULL)
        return base_out_of_memory(problem);
    s->of = protocol;
    for (uint32_t m = 0; status == COL_OK && m < protocol->machine_count; m++)
        status = add_machine(s, file, m, problem);
    if (status != COL_OK) {
        free(s);
        return status;
    }
    sim_roles_renew(s, protocol);
    *out = s;
    return COL_OK;
}
