/* SPDX-License-Identifier: MIT */
/* Opening a design by name, by design file or by protocol file: see simulated_design.h. */
#include "protocol/simulate/simulated_design.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool sim_is_protocol_file(const char *what) {
    return base_path_ends(what, ".slicc") || base_path_ends(what, ".sm");
}

bool sim_is_design_file(const char *what) {
    return base_path_ends(what, ".yaml") || base_path_ends(what, ".yml");
}

/* ---- The protocol. */

static col_status compile(sim_design *design, const char *path, base_text *complaints,
                          col_problem *problem) {
    const col_status status = sim_plugin_compile(&design->plugin, path, complaints, problem);
    design->protocol = design->plugin.protocol;
    return status;
}

/* What is wrong with the protocol that the file names. */
#define REFUSE_PROTOCOL(file, error, ...)                                                          \
    base_refuse_at(error, (file)->path, (file)->protocol_place.line,                               \
                   (file)->protocol_place.column, __VA_ARGS__)

/* A path is relative to the design file, or starts in the environment: ${GEM5}/rest. */
static col_status find_protocol_file(const sim_design_file *file, char path[PATH_MAX],
                                     col_problem *problem) {
    col_problem own = {0};
    const col_status status = base_path_expand(path, file->path, file->protocol, "protocol", &own);
    if (status != COL_OK)
        return REFUSE_PROTOCOL(file, problem, "%s", own.message);
    return file->protocol[0] == '$' ? COL_OK : base_file_check_regular(path, true, problem);
}

static void name_built_in(base_list *list) {
    for (const sl_protocol *const *p = sim_built_in; *p != NULL; p++)
        base_list_add(list, (*p)->name);
}

static col_status refuse_protocol(const sim_design_file *file, col_problem *problem) {
    base_list list = {""};
    name_built_in(&list);
    return REFUSE_PROTOCOL(
        file, problem,
        "no protocol '%.100s' is built in; a protocol is a .slicc or .sm file, or one of %s",
        file->protocol, base_list_text(&list));
}

static col_status open_protocol(sim_design *design, const sim_design_file *file,
                                base_text *complaints, col_problem *problem) {
    if (!sim_is_protocol_file(file->protocol)) {
        design->protocol = sim_built_in_find(file->protocol);
        return design->protocol == NULL ? refuse_protocol(file, problem) : COL_OK;
    }
    char path[PATH_MAX];
    BASE_TRY(find_protocol_file(file, path, problem));
    return compile(design, path, complaints, problem);
}

/* ---- The design. */

static col_status wire(sim_design *design, sim_design_file *file, uint32_t cores,
                       const sim_request *asked, col_problem *problem) {
    BASE_TRY(
        sim_choices_apply(asked->choices, asked->choice_count, file, design->protocol, problem));
    BASE_TRY(sim_wiring_infer(&design->wiring, design->protocol, cores, problem));
    BASE_TRY(sim_design_file_apply(file, design->protocol, &design->wiring, problem));
    return sim_vary_open(&design->vary, file, design->protocol, &design->wiring, asked->choices,
                         asked->choice_count, problem);
}

static uint32_t cores_of(const sim_request *asked, uint32_t said) {
    const uint32_t usual = asked->usual_cores > 0 ? asked->usual_cores : SIM_USUAL_CORES;
    return asked->cores > 0 ? asked->cores : said > 0 ? said : usual;
}

static col_status open_design_file(sim_design *design, const char *path, const sim_request *asked,
                                   base_text *complaints, col_problem *problem) {
    base_text text = {0};
    sim_design_file *file = malloc(sizeof *file);
    if (file == NULL)
        return base_out_of_memory(problem);
    if (strlen(path) < sizeof design->path)
        memcpy(design->path, path, strlen(path) + 1);
    col_status status = base_file_read(path, &text, problem);
    if (status == COL_OK)
        status = sim_design_file_parse(file, text.data == NULL ? "" : text.data, text.length, path,
                                       problem);
    if (status == COL_OK) {
        (void)snprintf(design->name, sizeof design->name, "%s", file->name);
        (void)snprintf(design->description, sizeof design->description, "%s", file->description);
        (void)snprintf(design->source, sizeof design->source, "%s", file->protocol);
        const uint32_t cores = cores_of(asked, (uint32_t)file->numbers[SIM_FILE_CORES].value);
        status = open_protocol(design, file, complaints, problem);
        if (status == COL_OK && file->description[0] == '\0')
            (void)snprintf(design->description, sizeof design->description, "the protocol %s",
                           design->protocol->name);
        if (status == COL_OK)
            status = sim_roles_make(&design->roles, file, design->protocol, problem);
        if (status == COL_OK && design->roles != NULL)
            design->protocol = &design->roles->protocol;
        if (status == COL_OK)
            status = wire(design, file, cores, asked, problem);
    }
    base_text_free(&text);
    free(file);
    return status;
}

static col_status infer(sim_design *design, const char *name, const sim_request *asked,
                        col_problem *problem) {
    (void)snprintf(design->name, sizeof design->name, "%s", name);
    (void)snprintf(design->description, sizeof design->description,
                   "the protocol %s, its wiring inferred", design->protocol->name);
    const uint32_t cores = cores_of(asked, 0);
    if (asked->choice_count == 0)
        return sim_wiring_infer(&design->wiring, design->protocol, cores, problem);
    sim_design_file *empty = calloc(1, sizeof *empty); /* that nothing is said in */
    if (empty == NULL)
        return base_out_of_memory(problem);
    empty->path = name;
    const col_status status = wire(design, empty, cores, asked, problem);
    free(empty);
    return status;
}

static col_status refuse_name(const base_library *list, const char *what, col_problem *problem) {
    base_nearest nearest = {.text = what};
    for (size_t i = 0; i < list->count; i++)
        base_nearest_try(&nearest, list->entries[i].name);
    if (nearest.word != NULL)
        return base_refuse(problem, "there is no design '%.100s'; did you mean '%s'?", what,
                           nearest.word);
    base_list names = {""};
    name_built_in(&names);
    return base_refuse(
        problem,
        "there is no design '%.100s'; give a design file (.yaml), a protocol (.slicc or .sm), or a "
        "name such as %s; `collider design list` has all of them",
        what, names.text[0] == '\0' ? "those of yours" : names.text);
}

static col_status open_name(sim_design *design, const char *name, const sim_request *asked,
                            base_text *complaints, col_problem *problem) {
    base_library list;
    BASE_TRY(sim_design_list_make(&list, problem));
    col_status status = COL_OK;
    const base_library_file *entry = base_library_find(&list, name);
    if (entry == NULL) {
        status = refuse_name(&list, name, problem);
    } else if (entry->path[0] != '\0') {
        status = open_design_file(design, entry->path, asked, complaints, problem);
    } else {
        (void)snprintf(design->source, sizeof design->source, "%s", name);
        design->protocol = sim_built_in_find(name);
        status = infer(design, name, asked, problem);
    }
    base_library_free(&list);
    return status;
}

col_status sim_design_open_as(sim_design *design, const char *what, const sim_request *asked,
                              base_text *complaints, col_problem *problem) {
    col_status status;
    memset(design, 0, sizeof *design);
    if (sim_is_design_file(what)) {
        status = open_design_file(design, what, asked, complaints, problem);
    } else if (sim_is_protocol_file(what)) {
        (void)snprintf(design->source, sizeof design->source, "%s", what);
        status = compile(design, what, complaints, problem);
        if (status == COL_OK)
            status = infer(design, design->protocol->name, asked, problem);
    } else {
        status = open_name(design, what, asked, complaints, problem);
    }
    if (status != COL_OK)
        sim_design_close(design);
    return status;
}

col_status sim_design_open(sim_design *design, const char *what, uint32_t cores,
                           base_text *complaints, col_problem *problem) {
    return sim_design_open_as(design, what, &(sim_request){.cores = cores}, complaints, problem);
}

/* The name, description and source stay. */
void sim_design_close(sim_design *design) {
    sim_vary_free(design->vary);
    design->vary = NULL;
    sim_plugin_close(&design->plugin);
    free(design->roles);
    design->roles = NULL;
    design->protocol = NULL;
}

/*
 * The designs that have a name: see simulated_design.h. The first file of a name counts (path.h
 * says where they are looked for); a file goes before the built-in protocol of the same name.
 */

static const base_library_place designs_place = {
    .variable = "COLLIDER_DESIGNS", .source = COLLIDER_SOURCE_DESIGNS, .kind = "designs"};

bool sim_design_list_path(const char *name, char *path, size_t size) {
    return base_library_path(&designs_place, name, path, size);
}

col_status sim_design_list_make(base_library *list, col_problem *problem) {
    *list = (base_library){0};
    col_status status = base_library_add_files(list, &designs_place, problem);
    for (const sl_protocol *const *p = sim_built_in; status == COL_OK && *p != NULL; p++)
        status = base_library_add(list, (*p)->name, strlen((*p)->name), "", problem);
    if (status != COL_OK) {
        base_library_free(list);
        return status;
    }
    base_library_sort(list);
    base_library_keep_first(list);
    return COL_OK;
}

/* Machines that have several roles in a design. */

static bool names_roles(const sim_design_file *file) {
    for (uint32_t i = 0; i < file->machine_count; i++)
        if (file->machines[i].of.text[0] != '\0')
            return true;
    return false;
}

static bool has_machine(const sl_protocol *protocol, const char *name) {
    return sim_machine_named(protocol, name) < protocol->machine_count;
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
    for (uint32_t i = 0; i < file->machine_count; i++)
        if (strcmp(file->machines[i].of.text, name) == 0)
            BASE_TRY(add(s, file->machines[i].name.text, place, problem));
    return s->protocol.machine_count == before ? add(s, name, place, problem) : COL_OK;
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
    BASE_TRY(check_names(file, protocol, problem));
    sim_roles *s = NULL;
    BASE_TRY(base_new(&s, 1, sizeof *s, problem));
    s->of = protocol;
    col_status status = COL_OK;
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
