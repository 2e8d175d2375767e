/* SPDX-License-Identifier: MIT */
/*
 * How series look, and the legend that says so. Colours are those of Okabe and Ito, which people
 * with any kind of colour vision tell apart; dashes, marks and hatches differ as well, with more
 * series than colours in new combinations.
 */
#include "report/escape.h"
#include "report/svg_frame.h"

#include <string.h>

enum { STYLES = 8 };

const char *rep_svg_colour(uint32_t series) {
    static const char *const colours[STYLES] = {"#0072b2", "#d55e00", "#000000", "#009e73",
                                                "#cc79a7", "#e69f00", "#56b4e9", "#777777"};
    return colours[series % STYLES];
}

const char *rep_svg_dash(uint32_t series) {
    static const char *const dashes[STYLES] = {
        "", "8 3", "3 2", "10 3 2 3", "14 4", "1.5 2.5", "6 2 1.5 2 1.5 2", "5 5"};
    return dashes[(series + series / STYLES) % STYLES];
}

void rep_svg_mark(base_text *text, uint32_t series, double x, double y) {
    static const char *const marks[STYLES] = {
        "M@ @m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0z", /* disc */
        "M@ @m-3.5 -3.5h7v7h-7z",                            /* square */
        "M@ @m0 -4.5l4 7h-8z",                               /* triangle */
        "M@ @m0 -5l4 5l-4 5l-4 -5z",                         /* diamond */
        "M@ @m-4 -4l8 8m0 -8l-8 8",                          /* cross */
        "M@ @m0 4.5l4 -7h-8z",                               /* triangle on its tip */
        "M@ @m-4.5 0h9m-4.5 -4.5v9",                         /* plus */
        "M@ @m-4 0h8m-6.5 -3.5l5 7m0 -7l-5 7",               /* star */
    };
    const char *colour = rep_svg_colour(series);
    const uint32_t kind = (series + 3 * (series / STYLES)) % STYLES;
    base_text_add(text, "<path d=\"");
    REP_SVG_PUT(text, marks[kind], x, y);
    base_text_print(text, "\" fill=\"%s\" stroke=\"%s\" stroke-width=\"1.2\"/>\n",
                    series / STYLES % 2 == 1 ? "#ffffff" : colour, colour);
}

void rep_svg_hatches(base_text *text, const char *plot) {
    static const char *const lines[STYLES] = {
        "",                 /* plain */
        "M0 6L6 0",         /* rising */
        "M0 1H6V4H0Z",      /* thick stripes */
        "M0 0L6 6",         /* falling */
        "M0 3H6",           /* level */
        "M3 0V6",           /* upright */
        "M0 0L6 6M0 6L6 0", /* crossed */
        "M2 2h2v2h-2z",     /* dotted */
    };
    base_text_add(text, "<defs>\n");
    for (uint32_t i = 0; i < REP_SVG_HATCHES; i++) {
        const char *line = lines[i % STYLES];
        const bool is_filled = strpbrk(line, "Zz") != NULL;
        base_text_add(text, "<pattern id=\"");
        rep_file_name(text, plot);
        base_text_print(text,
                        "-hatch-%u\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">"
                        "<path d=\"M0 0H6V6H0Z\" fill=\"%s\"/>"
                        "<path d=\"%s\" stroke=\"%s\" stroke-width=\"1.2\" fill=\"%s\"/>"
                        "</pattern>\n",
                        i, i < STYLES ? "#ffffff" : "#d4d4d4", line, rep_svg_colour(i),
                        is_filled ? rep_svg_colour(i) : "none");
    }
    base_text_add(text, "</defs>\n");
}

double rep_svg_legend(base_text *text, const rep_plot *plot, double y, rep_svg_sample *sample) {
    enum { SAMPLE = 28, GAP = 18, LINE = 20, HALF = LINE / 2 };
    double x = REP_SVG_MARGIN + 44;
    const double left = x;
    for (uint32_t i = 0; i < plot->series_count; i++) {
        const double width = SAMPLE + 6 + rep_svg_width(plot->series[i].name) + GAP;
        if (x > left && x + width > REP_SVG_WIDTH) {
            x = left;
            y += LINE;
        }
        sample(text, plot, i, x, y + HALF);
        rep_svg_put_label(text, (rep_svg_label){.x = x + SAMPLE + 6, .y = y + HALF + 4, .size = 12},
                          plot->series[i].name);
        x += width;
    }
    return plot->series_count == 0 ? y : y + LINE;
}
