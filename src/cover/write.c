/* SPDX-License-Identifier: MIT */
/* The text form of a coverage set: the covered functional points in the order of their names, with
 * their hits. One content, one text. docs/coverage.md has the grammar. */
#include "base/file.h"
#include "cover/coverage.h"

static void write_point(const cov_machine *machine, uint32_t controller, const cov_point *point,
                        uint64_t hits, base_text *text) {
    base_text_add(text, machine->name);
    base_text_add(text, " ");
    base_text_number(text, controller);
    base_text_add(text, " ");
    base_text_add(text, point->state);
    base_text_add(text, " ");
    base_text_add(text, point->event);
    base_text_add(text, " ");
    base_text_number(text, hits);
    base_text_add(text, "\n");
}

static void write_machine(const col_coverage *coverage, const cov_machine *machine,
                          base_text *text) {
    const uint32_t *number = coverage->points.by_name + machine->first_place;
    for (uint32_t c = 0; c < machine->controllers; c++)
        for (uint32_t p = 0; p < machine->point_count; p++, number++)
            if (coverage->hits[COL_FUNCTIONAL][*number] > 0)
                write_point(machine, c, machine->by_name[p],
                            coverage->hits[COL_FUNCTIONAL][*number], text);
}

/* STATE EVENT REACHABLE NEEDS SOURCE; what is not known is "-". */
static void write_facts(const cov_points *points, const cov_point *p, base_text *text) {
    base_arena arena = {0};
    base_text_print(text, "%s %s %s ", p->state, p->event,
                    !points->reachable_known ? "-"
                    : p->reachable           ? "yes"
                                             : "no");
    if (points->needs_known)
        base_text_number(text, p->needs | (p->taken_here ? COL_TAKEN_HERE : 0));
    else
        base_text_add(text, "-");
    if (p->file == NULL) {
        base_text_add(text, " -\n");
        return;
    }
    const char *file = cov_spell(&arena, p->file);
    text->failed |= file == NULL;
    base_text_print(text, " %s:%u\n", file == NULL ? "" : file, p->line);
    base_arena_free(&arena);
}

void cov_write_points(const col_coverage *coverage, bool flat, base_text *text) {
    const cov_points *points = &coverage->points;
    base_arena arena = {0};
    base_text_print(text, "collider points %d\ndesign %s %u\nbrought %u\n", COV_VERSION,
                    points->design, points->cores, coverage->brought);
    for (uint32_t l = 0; l < points->level_count; l++) {
        const char *name = cov_spell(&arena, points->levels[l]);
        text->failed |= name == NULL;
        base_text_print(text, "level %s\n", name == NULL ? "" : name);
    }
    for (uint32_t m = 0; m < points->machine_count; m++) {
        const cov_machine *machine = &points->machines[m];
        base_text_print(text, "machine %s %u\n", machine->name,
                        flat && machine->controllers > 1 ? 1 : machine->controllers);
        for (uint32_t p = 0; p < machine->point_count; p++)
            write_facts(points, &machine->first_point[p], text);
    }
    base_text_add(text, "end\n");
    base_arena_free(&arena);
}

void cov_write(const col_coverage *coverage, base_text *text) {
    const cov_points *points = &coverage->points;
    base_text_print(text, "collider coverage %d\ndesign ", COV_VERSION);
    base_text_add(text, points->design);
    base_text_print(text, " %u %016llx%016llx\n", points->cores,
                    (unsigned long long)points->hash.high, (unsigned long long)points->hash.low);
    for (uint32_t m = 0; m < points->machine_count; m++)
        write_machine(coverage, points->machines_by_name[m], text);
    base_text_add(text, "end\n");
}

col_status col_coverage_write_file(const col_coverage *coverage, const char *path,
                                   col_problem *problem) {
    base_text text = {0};
    cov_write_points(coverage, false, &text);
    cov_write(coverage, &text);
    col_status status = base_text_status(&text, problem);
    if (status == COL_OK)
        status = base_file_write(path, text.data, text.length, problem);
    base_text_free(&text);
    return status;
}
