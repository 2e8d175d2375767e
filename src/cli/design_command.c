/* SPDX-License-Identifier: MIT */
/* collider design: list designs, show one, its errors and mutants, compile a protocol. */
#include "cli/design_command.h"

#include "base/file.h"
#include "base/json.h"
#include "base/names.h"
#include "cli/diagnose.h"
#include "collider/duv.h"
#include "design/command/command_file.h"
#include "design/design_kind.h"
#include "design/verilog/verilog_file.h"
#include "protocol/simulate/design_show.h"
#include "protocol/simulate/transition_table.h"

#include <stdlib.h>
#include <string.h>

/* How `show` writes; rows X(word, writer). */
#define FORMATS(X)                                                                                 \
    X("text", sim_show_text)                                                                       \
    X("markdown", sim_show_markdown)                                                               \
    X("html", sim_show_html)                                                                       \
    X("dot", sim_show_dot)
#define FORMAT_WORD(word, writer) word,
#define FORMAT_WRITER(word, writer) writer,
static const char *const formats[] = {FORMATS(FORMAT_WORD) NULL};
static sim_show *const shows[] = {FORMATS(FORMAT_WRITER)};

static const base_field *const options[] = {DESIGN_OPTIONS(CLI_OPTION_ROW) NULL};

/* Opens a design; what its protocol's compiler complains of is shown if it cannot be opened. */
static col_status open_design(sim_design *design, const char *what, uint32_t cores,
                              col_problem *problem) {
    base_text complaints = {0};
    const col_status status = sim_design_open(design, what, cores, &complaints, problem);
    if (status != COL_OK)
        cli_complaints_tell(what, &complaints, status, problem);
    base_text_free(&complaints);
    return status;
}

col_status cli_design_open(sim_design *design, const char *what, col_problem *problem) {
    return open_design(design, what, 0, problem);
}

static void print_counts(const sl_machine *machine) {
    const sim_counts counts = sim_count(machine);
    base_print(stdout, "  %-14s %3u states, %3u events, %4u transitions", machine->name,
               counts.states, counts.events, counts.transitions);
    if (counts.reached > 0)
        base_print(stdout, ", %u reachable", counts.reached);
    base_print(stdout, "\n");
}

/* Designs as JSON. */

static json_t *make_cell(const sl_machine *machine, uint32_t state, uint32_t event,
                         const sl_cell *cell) {
    const bool stall = (cell->flags & SL_STALL) != 0;
    json_t *names = json_array();
    for (uint32_t i = 0; i < cell->action_count; i++)
        base_json_append(
            &names, json_string(machine->actions[machine->action_list[cell->first_action + i]]));
    return json_pack("{s:s, s:s, s:s?, s:b, s:o}", "state", machine->states[state], "event",
                     machine->events[event], "next", stall ? NULL : sim_next_name(machine, cell),
                     "stall", stall, "actions", names);
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
    json_t *caches = json_array();
    for (uint32_t i = 0; i < w->cache_count; i++)
        base_json_append(&caches,
                         json_pack("{s:s, s:I, s:i, s:s}", "name", w->caches[i].name, "bytes",
                                   (json_int_t)w->caches[i].bytes, "ways", (int)w->caches[i].ways,
                                   "replacement", sim_replacements[w->caches[i].replacement]));
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

/* A design with its machines: counts, controllers and caches, with `cells` also the table. The
 * problem says why a design could not be opened; NULL: it could. Returns NULL when out of
 * memory. */
static json_t *make_results(const sim_design *design, uint32_t machine, bool cells,
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

/* ---- Designs that are commands (docs/command.md). */

/* The file of a design that is a command; false: it is none. */
static bool find_command(const char *what, char path[PATH_MAX]) {
    if (!duv_is_command_file(what))
        return duv_find_command(what, path);
    (void)snprintf(path, PATH_MAX, "%s", what);
    return true;
}

/* What keeps it from being run; false: nothing. */
static bool say_why_not(const duv_command_file *file, const char *inner, char *sentence,
                        size_t size) {
    char path[PATH_MAX];
    if (inner != NULL)
        (void)snprintf(sentence, size, "%s", inner);
    else if (!duv_command_find_program(file, path))
        duv_command_say_missing(file, sentence, size);
    else
        return false;
    return true;
}

/* All that is known of it, or a line or two for the list; it could not be read: `inner` says why.
 */
static void print_command(const duv_command_file *file, const char *inner, bool is_list) {
    char sentence[400], programs[60] = "";
    const bool is_absent = say_why_not(file, inner, sentence, sizeof sentence);
    base_print(stdout, "%s: %s\n", file->name,
               file->description[0] != '\0' ? file->description : "a command");
    if (!is_list || !is_absent)
        base_print(stdout, "  platform %s (%s), %llu hart%s unless given, memory model %s\n",
                   file->platform.name, file->platform.target->name,
                   (unsigned long long)file->harts, base_plural(file->harts),
                   col_models[file->model]);
    if (file->programs > 1)
        (void)snprintf(programs, sizeof programs, " of up to %llu programs",
                       (unsigned long long)file->programs);
    if (!is_list)
        base_print(stdout,
                   "  %llu round%s%s for each start, %s; results come back by %s, log %s\n"
                   "  run %s\n",
                   (unsigned long long)file->rounds, base_plural(file->rounds), programs,
                   file->repeats ? "which repeat" : "which do not repeat",
                   duv_returns_words[file->returns], isa_log_words[file->log], file->run);
    if (is_absent)
        base_print(stdout, "  not here: %s\n", sentence);
}

static json_t *make_command(const duv_command_file *file, const char *inner) {
    char sentence[400];
    const bool is_absent = say_why_not(file, inner, sentence, sizeof sentence);
    const bool is_read = inner == NULL;
    return json_pack("{s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:s?, s:o}", "design",
                     base_json_text(file->name), "description", base_json_text(file->description),
                     "kind", "command", "source", base_json_text(file->path), "run",
                     base_json_text(file->run), "platform",
                     is_read ? base_json_text(file->platform.name) : json_null(), "cores",
                     is_read ? json_integer((json_int_t)file->harts) : json_null(), "model",
                     is_read ? col_models[file->model] : NULL, "problem",
                     is_absent ? base_json_text(sentence) : json_null());
}

/* ---- Designs in Verilog (docs/rtl.md): what Verilator makes of them. */

/* Points of a machine that are transitions. */
static uint32_t count_transitions(const col_duv_description *d, const col_duv_machine *m) {
    uint32_t count = 0;
    for (uint32_t p = 0; p < m->point_count; p++)
        count += d->points[m->first_point + p].event[0] != '\0';
    return count;
}

static void print_verilog(const col_duv_description *d, const char *path) {
    int width = 12;
    base_print(stdout, "%s: a memory system in Verilog, %s\n", d->name, path);
    base_print(stdout, "  %u port%s, %d data bits, memory model %s, shows %s\n", d->cores,
               base_plural(d->cores), d->is_narrow ? 32 : 64, col_models[d->model],
               col_shows_names[d->shows]);
    if (d->window != 0)
        base_print(stdout, "  tests use %llu bytes of memory\n", (unsigned long long)d->window);
    for (uint32_t l = 0; l < d->geometry.level_count; l++)
        base_print(stdout, "  cache %s: %u set%s, %u way%s, blocks of %u bytes\n",
                   d->geometry.levels[l].name, 1U << d->geometry.levels[l].index_bits,
                   base_plural(UINT64_C(1) << d->geometry.levels[l].index_bits),
                   d->geometry.levels[l].ways, base_plural(d->geometry.levels[l].ways),
                   1U << d->geometry.block_bits);
    for (uint32_t m = 0; m < d->machine_count; m++)
        width = (int)strlen(d->machines[m].name) > width ? (int)strlen(d->machines[m].name) : width;
    for (uint32_t m = 0; m < d->machine_count; m++) {
        const uint32_t transitions = count_transitions(d, &d->machines[m]);
        base_print(stdout, "  %-*s %3u instance%s %4u point%s", width, d->machines[m].name,
                   d->machines[m].controllers, d->machines[m].controllers == 1 ? ", " : "s,",
                   d->machines[m].point_count, base_plural(d->machines[m].point_count));
        if (transitions > 0)
            base_print(stdout, ", %u of them transitions", transitions);
        base_print(stdout, "%s\n", d->machines[m].is_private ? ", one instance for each port" : "");
    }
    base_print(stdout, "  %-*s %u point%s, %u of instances\n", width, "all", d->point_count,
               base_plural(d->point_count), col_duv_functional_count(d));
}

static json_t *make_verilog(const col_duv_description *d, const char *path) {
    json_t *machines = json_array();
    for (uint32_t m = 0; m < d->machine_count; m++) {
        const col_duv_machine *machine = &d->machines[m];
        base_json_append(&machines,
                         json_pack("{s:s, s:i, s:b, s:i, s:i}", "name", machine->name, "instances",
                                   (int)machine->controllers, "private", (int)machine->is_private,
                                   "points", (int)machine->point_count, "transitions",
                                   (int)count_transitions(d, machine)));
    }
    return json_pack("{s:o, s:s, s:o, s:i, s:i, s:s, s:s, s:o}", "design", base_json_text(d->name),
                     "kind", "verilog", "source", base_json_text(path), "cores", (int)d->cores,
                     "data_bits", d->is_narrow ? 32 : 64, "model", col_models[d->model], "shows",
                     col_shows_names[d->shows], "machines", machines);
}

/* Builds the design, unless that was done before, and says what it has: ports, machines, points. */
static col_status show_verilog(const cli_arguments *arguments, col_problem *problem) {
    const char *path = arguments->operands[1];
    col_duv *duv;
    col_status status = col_duv_open(&duv, path, NULL, problem);
    if (status != COL_OK)
        return status;
    const col_duv_description *d = col_duv_describe(duv);
    if (arguments->json != NULL)
        status = base_json_write(arguments->json, make_verilog(d, path), problem);
    if (status == COL_OK && arguments->prints)
        print_verilog(d, path);
    col_duv_close(duv);
    return status;
}

/* ---- list */

static void print_entry(const sim_design *design, const char *inner) {
    base_print(stdout, "%s: %s\n", design->name, design->description);
    if (inner != NULL) {
        base_print(stdout, "  not here: %s\n", inner);
        return;
    }
    base_print(stdout, "  protocol %s, %u core%s unless given, memory model %s\n",
               design->protocol->name, design->wiring.cores, base_plural(design->wiring.cores),
               sim_model_name(&design->wiring));
    for (uint32_t m = 0; m < design->protocol->machine_count; m++)
        print_counts(design->protocol->machines[m]);
    (void)fflush(stdout); /* the next one may have to be compiled */
}

/* Designs in trees of somebody else, by the variables that name these and are not set. */
enum { MOST_TREES = 8 };
typedef struct absent {
    char variable[BASE_VARIABLE];
    base_text names;
    uint32_t count;
} absent;

/* Is it such a design, with its protocol or first source at `place`? Then it is only counted. */
static bool is_absent(const char *name, const char *place, absent others[MOST_TREES]) {
    char variable[BASE_VARIABLE];
    uint32_t t = 0;
    if (!base_path_variable(place, variable))
        return false;
    const char *value = getenv(variable); /* NOLINT(concurrency-mt-unsafe): nobody sets it */
    while (t < MOST_TREES && others[t].count > 0 && strcmp(others[t].variable, variable) != 0)
        t++;
    if ((value != NULL && value[0] != '\0') || t == MOST_TREES)
        return false;
    memcpy(others[t].variable, variable, sizeof variable);
    base_text_print(&others[t].names, "%s%s", others[t].count == 0 ? "" : ", ", name);
    others[t].count++;
    return true;
}

/* Frees them, whatever came before. */
static col_status print_absent(absent others[MOST_TREES], col_status status, col_problem *problem) {
    for (uint32_t t = 0; t < MOST_TREES; t++) {
        const bool is_one = others[t].count == 1;
        BASE_THEN(status, base_text_status(&others[t].names, problem));
        if (status == COL_OK && others[t].count > 0)
            base_print(stdout, "%u more when %s names the source tree that %s in: %s\n",
                       others[t].count, others[t].variable, is_one ? "it is" : "they are",
                       others[t].names.data);
        base_text_free(&others[t].names);
    }
    return status;
}

/* A design that cannot be opened is listed with the reason, unless it is the machine that failed.
 */
static col_status list_entry(const cli_arguments *arguments, sim_design *design,
                             const base_library_file *entry, json_t **results,
                             absent others[MOST_TREES], col_problem *problem) {
    col_problem inner = {0};
    base_text complaints = {0};
    const col_status status = sim_design_open(design, entry->name, 0, &complaints, &inner);
    const char *why = status == COL_OK ? NULL : inner.message;
    base_text_free(&complaints);
    if (status == COL_FAILURE) {
        *problem = inner;
        return status;
    }
    memcpy(design->name, entry->name, sizeof entry->name); /* what a user types */
    if (arguments->json != NULL)
        base_json_append(results, make_results(design, SIM_ALL_MACHINES, false, why));
    if (arguments->prints && (why == NULL || !is_absent(design->name, design->source, others)))
        print_entry(design, why);
    if (why == NULL)
        sim_design_close(design);
    return COL_OK;
}

/* A design that is a command; `is_first`: in front of it stands what they are. */
static col_status list_command(const cli_arguments *arguments, const base_library_file *entry,
                               json_t **results, bool is_first, col_problem *problem) {
    col_problem inner = {0};
    duv_command_file *file = NULL;
    BASE_TRY(base_new(&file, 1, sizeof *file, problem));
    const col_status status = duv_command_file_read(file, entry->path, &inner);
    const char *why = status == COL_OK ? NULL : inner.message;
    (void)snprintf(file->name, sizeof file->name, "%s", entry->name); /* what a user types */
    if (status == COL_FAILURE)
        *problem = inner;
    else if (arguments->json != NULL)
        base_json_append(results, make_command(file, why));
    if (status != COL_FAILURE && arguments->prints) {
        base_print(stdout, "%s", is_first ? "\ncommands that run machine code:\n" : "");
        print_command(file, why, true);
    }
    duv_command_file_free(file);
    free(file);
    return status == COL_FAILURE ? status : COL_OK;
}

static json_t *make_verilog_file(const duv_verilog_file *file, const char *inner) {
    return json_pack("{s:s, s:o, s:s, s:s, s:o, s:o, s:s?, s:o}", "design", file->name,
                     "description", base_json_text(file->description), "kind", "verilog", "source",
                     file->path, "platform", base_json_text(file->chip.platform), "cores",
                     inner == NULL ? json_integer((json_int_t)file->chip.harts) : json_null(),
                     "model", inner == NULL ? col_models[file->model] : NULL, "problem",
                     base_json_text(inner));
}

/* A chip in Verilog, as far as its file tells: nothing is compiled. */
static col_status list_verilog(const cli_arguments *arguments, const base_library_file *entry,
                               json_t **results, absent others[MOST_TREES], col_problem *problem) {
    col_problem inner = {0};
    duv_verilog_file *file = NULL;
    BASE_TRY(base_new(&file, 1, sizeof *file, problem));
    col_status status = duv_verilog_file_read(file, entry->path, &inner);
    BASE_THEN(status, duv_chip_open_platform(file, &inner));
    const char *why = status == COL_OK ? NULL : inner.message;
    (void)snprintf(file->name, sizeof file->name, "%s", entry->name); /* what a user types */
    if (status == COL_FAILURE)
        *problem = inner;
    else if (arguments->json != NULL)
        base_json_append(results, make_verilog_file(file, why));
    if (arguments->prints && why != NULL && status != COL_FAILURE)
        base_print(stdout, "%s: not here: %s\n", file->name, why);
    else if (arguments->prints && why == NULL &&
             !is_absent(file->name, file->sources.texts[0], others))
        base_print(stdout, "%s: %s\n  in Verilog, %llu cores, memory model %s\n", file->name,
                   file->description, (unsigned long long)file->chip.harts,
                   col_models[file->model]);
    duv_verilog_file_free(file);
    free(file);
    return status == COL_FAILURE ? status : COL_OK;
}

/* Those that are commands are a group of their own behind the others. One that cannot be read is
 * none: opening it fails. */
static col_status list_designs(const cli_arguments *arguments, sim_design *design,
                               col_problem *problem) {
    base_library list = {0};
    absent others[MOST_TREES] = {{.count = 0}};
    json_t *results = json_array();
    size_t commands = 0;
    col_status status = sim_design_list_make(&list, problem);
    for (size_t i = 0; i < list.count && status == COL_OK; i++)
        if (duv_is_verilog(list.entries[i].path))
            status = list_verilog(arguments, &list.entries[i], &results, others, problem);
        else if (!duv_is_command_file(list.entries[i].path))
            status = list_entry(arguments, design, &list.entries[i], &results, others, problem);
    status = print_absent(others, status, problem);
    for (size_t i = 0; i < list.count && status == COL_OK; i++)
        if (duv_is_command_file(list.entries[i].path))
            status = list_command(arguments, &list.entries[i], &results, commands++ == 0, problem);
    status = cli_write_json(arguments, status, results, problem);
    base_library_free(&list);
    return status;
}

/* ---- show */

static col_status print_design(const cli_arguments *arguments, const sim_design *design,
                               sim_show *show, col_problem *problem) {
    uint32_t machine = SIM_ALL_MACHINES;
    const char *name = arguments->values[OPTION_MACHINE];
    base_text text = {0};
    col_status status =
        name == NULL ? COL_OK : sim_find_machine(design->protocol, name, &machine, problem);
    if (status == COL_OK && arguments->json != NULL)
        status =
            base_json_write(arguments->json, make_results(design, machine, true, NULL), problem);
    if (status != COL_OK || !arguments->prints)
        return status;
    show(design, machine, &text);
    return cli_write(&text, problem);
}

/* A command has no protocol: what there is to say is said in the same few lines, whatever the
 * format. */
static col_status show_command(const cli_arguments *arguments, const char *path,
                               col_problem *problem) {
    const char *typed = CLI_FIRST_TYPED(arguments, OPTION_FORMAT, OPTION_MACHINE);
    if (typed != NULL)
        return base_refuse(problem, "--%s is for protocols, and %.200s is a command", typed,
                           arguments->operands[1]);
    duv_command_file *file = NULL;
    BASE_TRY(base_new(&file, 1, sizeof *file, problem));
    col_status status = duv_command_file_read(file, path, problem);
    if (status == COL_OK && arguments->json != NULL)
        status = base_json_write(arguments->json, make_command(file, NULL), problem);
    if (status == COL_OK && arguments->prints)
        print_command(file, NULL, false);
    duv_command_file_free(file);
    free(file);
    return status;
}

static col_status show_design(const cli_arguments *arguments, sim_design *design,
                              col_problem *problem) {
    uint32_t format = 0, cores = 0;
    const char *name = arguments->operands[1];
    const char *of_protocols =
        CLI_FIRST_TYPED(arguments, OPTION_FORMAT, OPTION_MACHINE, OPTION_CORES);
    char path[PATH_MAX];
    col_status status = cli_argument_read(arguments, OPTION_FORMAT, &format, problem);
    if (status == COL_OK && arguments->typed[OPTION_CORES])
        status = cli_argument_read(arguments, OPTION_CORES, &cores, problem);
    if (status == COL_OK && !arguments->prints && arguments->typed[OPTION_FORMAT])
        status =
            base_refuse(problem, "--json - has standard output for itself: give --json a file, or "
                                 "leave out --format");
    if (status != COL_OK)
        return status;
    if (find_command(name, path))
        return show_command(arguments, path, problem);
    if (duv_is_verilog(name) || duv_is_named_verilog(name))
        return of_protocols == NULL
                   ? show_verilog(arguments, problem)
                   : base_refuse(problem, "--%s is for protocols, and %.200s is a Verilog design",
                                 of_protocols, name);
    status = open_design(design, name, cores, problem);
    if (status != COL_OK)
        return status;
    status = print_design(arguments, design, shows[format], problem);
    sim_design_close(design);
    return status;
}

/* ---- compile */

static col_status compile_protocol(const cli_arguments *arguments, sim_design *design,
                                   col_problem *problem) {
    sim_plugin *plugin = &design->plugin;
    base_text complaints = {0};
    if (duv_is_verilog(arguments->operands[1]))
        return show_verilog(arguments, problem);
    const col_status status =
        sim_plugin_compile(plugin, arguments->operands[1], &complaints, problem);
    cli_complaints_tell(arguments->operands[1], &complaints, status, problem);
    base_text_free(&complaints);
    if (status != COL_OK)
        return status;
    base_print(stdout, "protocol %s\n", plugin->protocol->name);
    for (uint32_t m = 0; m < plugin->protocol->machine_count; m++)
        print_counts(plugin->protocol->machines[m]);
    base_print(stdout, "plug-in %s (%s)\n", plugin->path,
               plugin->compiled ? "compiled now" : "was there");
    sim_plugin_close(plugin);
    return COL_OK;
}

/* ---- The command. */

typedef struct action {
    const char *name, *operand; /* NULL: takes none */
    uint32_t most;              /* words, its name and the operand included */
    bool opens;                 /* the design is open already */
    col_status (*run)(const cli_arguments *arguments, sim_design *design, col_problem *problem);
    uint32_t without[16]; /* options that have no effect: they are refused, not ignored */
} action;

#define OF_NEW                                                                                     \
    OPTION_VERILOG, OPTION_TOP, OPTION_INCLUDE, OPTION_DEFINE, OPTION_PARAMETER, OPTION_OUT,       \
        OPTION_FORCE
#define OF_PROTOCOLS OPTION_CORES, OPTION_FORMAT, OPTION_MACHINE, OPTION_LIST
#define OF_SHOW OPTION_CORES, OPTION_FORMAT, OF_NEW
#define OF_LISTS OF_SHOW, OPTION_MACHINE, OPTION_LIST
static const action actions[] = {
    {"list", NULL, 1, false, list_designs, {OF_LISTS, CLI_NO_OPTION}},
    {"show", "NAME", 2, false, show_design, {OPTION_LIST, OF_NEW, CLI_NO_OPTION}},
    {"errors", "NAME", 3, true, cli_design_errors_show, {OF_LISTS, CLI_NO_OPTION}},
    {"mutants", "NAME", 3, true, cli_design_mutants_show, {OF_SHOW, CLI_NO_OPTION}},
    /* Or a Verilog design. */
    {"compile", "FILE.slicc", 2, false, compile_protocol, {OF_LISTS, OPTION_JSON, CLI_NO_OPTION}},
    {"check", "FILE", 2, false, cli_design_check, {OF_LISTS, OPTION_JSON, CLI_NO_OPTION}},
    {"new", NULL, 1, false, cli_design_new, {OF_PROTOCOLS, OPTION_JSON, CLI_NO_OPTION}},
};

static col_status refuse_action(col_problem *problem) {
    enum { COUNT = sizeof actions / sizeof actions[0] };
    char forms[COUNT][40];
    const char *words[COUNT + 1] = {NULL};
    base_text list = {0};
    for (size_t i = 0; i < COUNT; i++) {
        const char *operand = actions[i].operand;
        (void)snprintf(forms[i], sizeof forms[i], "%s%s%s", actions[i].name,
                       operand == NULL ? "" : " ", operand == NULL ? "" : operand);
        words[i] = forms[i];
    }
    base_choice_list(words, &list);
    col_status status = base_text_status(&list, problem);
    BASE_THEN(status, base_refuse(problem, "design is followed by %s; see collider design --help",
                                  list.data));
    base_text_free(&list);
    return status;
}

static int run_design(const cli_arguments *arguments, col_problem *problem) {
    const char *name = arguments->operand_count > 0 ? arguments->operands[0] : "";
    const action *found = NULL;
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
        if (strcmp(actions[i].name, name) == 0)
            found = &actions[i];
    if (found == NULL)
        return (int)refuse_action(problem);
    if (found->operand != NULL && arguments->operand_count < 2)
        return (int)base_refuse(problem, "design %s needs one more word: collider design %s %s",
                                name, name, found->operand);
    if (arguments->operand_count > found->most)
        return (int)base_refuse(problem, "unexpected '%s'; see collider design --help",
                                arguments->operands[found->most]);
    const char *typed = cli_first_typed(arguments, found->without);
    if (typed != NULL)
        return (int)base_refuse(problem, "--%s is not for design %s", typed, name);
    sim_design *design = calloc(1, sizeof *design);
    if (design == NULL)
        return (int)base_out_of_memory(problem);
    col_status status =
        found->opens ? open_design(design, arguments->operands[1], 0, problem) : COL_OK;
    if (status == COL_OK) {
        status = found->run(arguments, design, problem);
        if (found->opens)
            sim_design_close(design);
    }
    free(design);
    return (int)status;
}

static void add_notes(base_text *text) {
    cli_add_designs(text, true);
    base_text_add(text, "A compiled protocol is kept in ~/.cache/collider.\n");
}

const cli_command cli_design_command = {
    .name = "design",
    .summary = "list, show, compile and make designs, and what can be wrong with them",
    .example = "collider design show msi --cores 4 --format html >msi.html",
    .add_notes = add_notes,
    .usage = "  collider design list\n"
             "  collider design show NAME\n"
             "  collider design errors NAME [ID]\n"
             "  collider design mutants NAME [NUMBER]\n"
             "  collider design compile FILE.slicc\n"
             "  collider design check FILE\n"
             "  collider design new --verilog FILE... --top MODULE\n",
    .most_operands = 3,
    .first = BASE_INPUT_OR_NAME,
    .others = BASE_INPUT_OR_NAME,
    .options = options,
    .run = run_design,
};
