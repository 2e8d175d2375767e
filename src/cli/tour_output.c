/* SPDX-License-Identifier: MIT */
/* Where a tour goes: see cli_tour_output.h. */
#include "cli/tour_output.h"

#include <stdio.h>

enum { CURVE_ROWS = 1000 };

static void write_lines(cli_tour_output *output) {
    for (uint32_t kind = 0; kind < COL_TOUR_KIND_COUNT; kind++)
        for (uint32_t core = 0; core < CLI_TOUR_OUTPUT_CORES; core++)
            (void)snprintf(output->lines[kind][core], sizeof output->lines[kind][core], "%s %u\n",
                           col_tour_kinds[kind], core);
}

col_status cli_tour_output_begin(cli_tour_output *output, col_problem *problem) {
    if (output->has_curve)
        base_text_add(&output->curve, "cost,covered,fraction\n");
    if (output->path == NULL)
        return COL_OK;
    write_lines(output);
    return base_file_begin(&output->file, output->path, problem);
}

static void add_row(cli_tour_output *output) {
    const col_tour_results *r = output->results;
    base_text_print(&output->curve, "%llu,%llu,%.6f\n", (unsigned long long)r->cost,
                    (unsigned long long)r->covered, (double)r->covered / (double)r->transitions);
    output->next = r->covered + 1 + r->transitions / CURVE_ROWS;
    output->row_cost = r->cost;
}

bool cli_tour_output_take(cli_tour_output *output, col_tour_operation operation) {
    if (output->has_curve && output->results->covered >= output->next)
        add_row(output);
    if (output->file.stream == NULL)
        return true;
    return fputs(output->lines[operation.kind][operation.core], output->file.stream) >= 0;
}

col_status cli_tour_output_end(cli_tour_output *output, bool keep, col_problem *problem) {
    return output->file.stream == NULL ? COL_OK : base_file_end(&output->file, keep, problem);
}

col_status cli_tour_output_write_curve(cli_tour_output *output, const char *path,
                                       col_problem *problem) {
    if (output->row_cost != output->results->cost)
        add_row(output);
    col_status status = base_text_status(&output->curve, problem);
    if (status == COL_OK)
        status = base_file_write(path, output->curve.data, output->curve.length, problem);
    return status;
}
