/* SPDX-License-Identifier: MIT */
/*
 * What plots share as drawings for papers: axes with round ticks, styles that differ in black and
 * white too (dashes, marks and hatches besides colours), a legend, a title and a description. Only
 * attributes are used, no style sheet, since what turns SVG into other formats knows those best.
 */
#pragma once

#include "base/text.h"
#include "results/report/report.h"

/* ---- Writing. */

/* Writes the form with each @ replaced by the next number, to a tenth. */
#define REP_SVG_PUT(text, form, ...)                                                               \
    rep_svg_put((text), (form), (const double[]){__VA_ARGS__},                                     \
                sizeof(const double[]){__VA_ARGS__} / sizeof(double))
void rep_svg_put(base_text *text, const char *form, const double *numbers, size_t count);

/* About how wide a text is in letters of 12 pixels. */
double rep_svg_width(const char *string);

typedef struct rep_svg_label {
    double x, y, size;
    const char *anchor;      /* start, middle or end */
    const char *colour;      /* NULL: black */
    bool is_bold, is_turned; /* turned: read from below */
} rep_svg_label;
void rep_svg_put_label(base_text *text, rep_svg_label label, const char *string);
/* The same of a text that was made for it, and is freed. */
void rep_svg_put_text(base_text *text, rep_svg_label label, base_text *said);

/* ---- Axes. */

typedef struct rep_svg_axis {
    double low, high, step; /* ticks are multiples of the step: 1, 2 or 5 times a power of ten */
    double from, to;        /* where low and high are drawn */
} rep_svg_axis;
/* Low and high go outwards to ticks. */
rep_svg_axis rep_svg_axis_over(double low, double high, uint32_t most_ticks);
double rep_svg_at(const rep_svg_axis *axis, double value);
/* A number for people: "2.5 M", "40 k"; `step` says how many digits count. */
void rep_svg_amount(base_text *text, double value, double step, double greatest);

/* The frame, grid, ticks and titles of both axes, each of which knows where it is drawn; y's from
 * is the bottom. Without ticks of x if it has no step. */
void rep_svg_axes(base_text *text, const rep_plot *plot, const rep_svg_axis *x,
                  const rep_svg_axis *y);

/* ---- Series. */

const char *rep_svg_colour(uint32_t series);
const char *rep_svg_dash(uint32_t series);
void rep_svg_mark(base_text *text, uint32_t series, double x, double y);
/* The hatches of boxes, which are referred to as url(#PLOT-hatch-N), N below REP_SVG_HATCHES; from
 * half of them on they are the same on grey. */
enum { REP_SVG_HATCHES = 16 };
void rep_svg_hatches(base_text *text, const char *plot);

typedef void rep_svg_sample(base_text *text, const rep_plot *plot, uint32_t series, double x,
                            double y);
/* The legend from this height on, with a sample of each series, 28 wide; returns where it ends. */
double rep_svg_legend(base_text *text, const rep_plot *plot, double y, rep_svg_sample *sample);

/* ---- The document: its head needs the height, which is known at the end. */

enum { REP_SVG_WIDTH = 640, REP_SVG_MARGIN = 16 };
double rep_svg_title_height(const rep_plot *plot, double width);
/* Head, title, the body and the end. */
void rep_svg_document(base_text *text, const rep_plot *plot, double width, double height,
                      const base_text *description, const base_text *body);

/* The kinds. */
void rep_svg_lines(base_text *text, const rep_plot *plot);
void rep_svg_boxes(base_text *text, const rep_plot *plot);
void rep_svg_heat(base_text *text, const rep_plot *plot);
