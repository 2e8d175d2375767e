/* SPDX-License-Identifier: MIT */
/* Plots as drawings, a file for each. */
#include "base/file.h"
#include "base/folder.h"
#include "report/svg_frame.h"
#include "report/writers.h"

void rep_svg_plot(const rep_plot *plot, base_text *text) {
    if (plot->kind == REP_LINES)
        rep_svg_lines(text, plot);
    else if (plot->kind == REP_BOXES)
        rep_svg_boxes(text, plot);
    else
        rep_svg_heat(text, plot);
}

col_status rep_svg_write(const rep_report *report, const char *folder, col_problem *problem) {
    base_text text = {0};
    col_status status = base_folder_make(folder, problem);
    for (uint32_t i = 0; i < report->plot_count && status == COL_OK; i++) {
        rep_drawn drawn;
        text.length = 0;
        status = rep_plot_draw(report, &report->plots[i], &drawn, problem);
        if (status == COL_OK)
            rep_svg_plot(&drawn.plot, &text);
        rep_drawn_free(&drawn);
        if (status == COL_OK)
            status = rep_write_part(&text, folder, report->plots[i].id, "svg", problem);
    }
    base_text_free(&text);
    return status;
}
