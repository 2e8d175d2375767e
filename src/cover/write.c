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
    cov_write(coverage, &text);
    col_status status = base_text_status(&text, problem);
    if (status == COL_OK)
        status = base_file_write(path, text.data, text.length, problem);
    base_text_free(&text);
    return status;
}
