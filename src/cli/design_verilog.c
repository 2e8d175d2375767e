/* SPDX-License-Identifier: MIT */
/* Designs in Verilog: see design_verilog.h. */
#include "cli/design_verilog.h"

#include "base/json.h"
#include "base/plural.h"
#include "base/text.h"
#include "collider/duv.h"

#include <stdio.h>
#include <string.h>

/* Points of a machine that are transitions. */
static uint32_t count_transitions(const col_duv_description *d, const col_duv_machine *m) {
    uint32_t count = 0;
    for (uint32_t p = 0; p < m->point_count; p++)
        count += d->points[m->first_point + p].event[0] != '\0';
    return count;
}

static void print_caches(const col_geometry *g) {
    for (uint32_t l = 0; l < g->level_count; l++)
        base_print(stdout, "  cache %s: %u set%s, %u way%s, blocks of %u bytes\n",
                   g->levels[l].name, 1U << g->levels[l].index_bits,
                   base_plural(UINT64_C(1) << g->levels[l].index_bits), g->levels[l].ways,
                   base_plural(g->levels[l].ways), 1U << g->block_bits);
}

static void print_machine(const col_duv_description *d, const col_duv_machine *m, int width) {
    const uint32_t transitions = count_transitions(d, m);
    base_print(stdout, "  %-*s %3u instance%s %4u point%s", width, m->name, m->controllers,
               m->controllers == 1 ? ", " : "s,", m->point_count, base_plural(m->point_count));
    if (transitions > 0)
        base_print(stdout, ", %u of them transitions", transitions);
    base_print(stdout, "%s\n", m->is_private ? ", one instance for each port" : "");
}

static void print(const col_duv_description *d, const char *path) {
    int width = 12;
    base_print(stdout, "%s: a memory system in Verilog, %s\n", d->name, path);
    base_print(stdout, "  %u port%s, %d data bits, memory model %s, shows %s\n", d->cores,
               base_plural(d->cores), d->is_narrow ? 32 : 64, col_models[d->model],
               col_shows_names[d->shows]);
    if (d->window != 0)
        base_print(stdout, "  tests use %llu bytes of memory\n", (unsigned long long)d->window);
    print_caches(&d->geometry);
    for (uint32_t m = 0; m < d->machine_count; m++)
        width = (int)strlen(d->machines[m].name) > width ? (int)strlen(d->machines[m].name) : width;
    for (uint32_t m = 0; m < d->machine_count; m++)
        print_machine(d, &d->machines[m], width);
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

col_status cli_design_verilog_show(const char *path, const char *json, bool prints,
                                   col_problem *problem) {
    col_duv *duv;
    col_status status = col_duv_open(&duv, path, NULL, problem);
    if (status != COL_OK)
        return status;
    const col_duv_description *d = col_duv_describe(duv);
    if (json != NULL)
        status = base_json_write(json, results(d, path), problem);
    if (status == COL_OK && prints)
        print(d, path);
    col_duv_close(duv);
    return status;
}
