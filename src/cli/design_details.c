/* SPDX-License-Identifier: MIT */
/* Designs that are commands: see design_command.h. */
#include "cli/design_command.h"

#include "base/json.h"
#include "collider/duv.h"

#include <string.h>

bool cli_design_command_find(const char *what, char path[PATH_MAX]) {
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

void cli_design_command_print(const duv_command_file *file, const char *inner, bool is_list) {
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

json_t *cli_design_command_results(const duv_command_file *file, const char *inner) {
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

/* Designs in Verilog. */

/* Points of a machine that are transitions. */
static uint32_t count_transitions(const col_duv_description *d, const col_duv_machine *m) {
    uint32_t count = 0;
    for (uint32_t p = 0; p < m->point_count; p++)
        count += d->points[m->first_point + p].event[0] != '\0';
    return count;
}

static void print(const col_duv_description *d, const char *path) {
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

static json_t *results(const col_duv_description *d, const char *path) {
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

col_status cli_design_verilog_show(const cli_arguments *arguments, col_problem *problem) {
    const char *path = arguments->operands[1];
    col_duv *duv;
    col_status status = col_duv_open(&duv, path, NULL, problem);
    if (status != COL_OK)
        return status;
    const col_duv_description *d = col_duv_describe(duv);
    if (arguments->json != NULL)
        status = base_json_write(arguments->json, results(d, path), problem);
    if (status == COL_OK && arguments->prints)
        print(d, path);
    col_duv_close(duv);
    return status;
}
