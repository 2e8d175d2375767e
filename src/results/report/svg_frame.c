/* SPDX-License-Identifier: MIT */
/* What plots share as drawings: writing, axes and the document. See svg_frame.h. */
#include "results/report/svg_frame.h"

#include "base/diagram.h"
#include "base/file.h"
#include "base/folder.h"
#include "results/report/report_escape.h"

#include <math.h>
#include <string.h>

/* ---- Writing. */

void rep_svg_put(base_text *text, const char *form, const double *numbers, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const size_t length = strcspn(form, "@");
        base_text_add_bytes(text, form, length);
        if (form[length] == '\0')
            return; /* more numbers than places */
        rep_number(text, round(numbers[i] * 10) / 10);
        form += length + 1;
    }
    base_text_add(text, form);
}

double rep_svg_width(const char *string) {
    return (double)base_characters(string) * 6.8;
}

void rep_svg_put_label(base_text *text, rep_svg_label label, const char *string) {
    REP_SVG_PUT(text, "<text x=\"@\" y=\"@\" font-size=\"@\"", label.x, label.y, label.size);
    if (label.anchor != NULL && strcmp(label.anchor, "start") != 0)
        base_text_print(text, " text-anchor=\"%s\"", label.anchor);
    if (label.colour != NULL)
        base_text_print(text, " fill=\"%s\"", label.colour);
    if (label.is_bold)
        base_text_add(text, " font-weight=\"bold\"");
    if (label.is_turned)
        REP_SVG_PUT(text, " transform=\"rotate(-90 @ @)\"", label.x, label.y);
    base_text_add(text, ">");
    rep_xml(text, string);
    base_text_add(text, "</text>\n");
}

void rep_svg_put_text(base_text *text, rep_svg_label label, base_text *said) {
    rep_svg_put_label(text, label, said->data == NULL ? "" : said->data);
    base_text_free_part(said, text);
}

/* ---- Axes. */

rep_svg_axis rep_svg_axis_over(double low, double high, uint32_t most_ticks) {
    if (!(high > low)) /* nothing to show, or one value */
        high = low + (low == 0 ? 1 : fabs(low) / 10);
    const double least = (high - low) / most_ticks;
    const double power = pow(10, floor(log10(least)));
    const double factor = least / power;
    const double step = power * (factor <= 1 ? 1 : factor <= 2 ? 2 : factor <= 5 ? 5 : 10);
    return (rep_svg_axis){floor(low / step + 1e-9) * step, ceil(high / step - 1e-9) * step, step, 0,
                          1};
}

double rep_svg_at(const rep_svg_axis *axis, double value) {
    return axis->from + (value - axis->low) / (axis->high - axis->low) * (axis->to - axis->from);
}

void rep_svg_amount(base_text *text, double value, double step, double greatest) {
    static const struct {
        double from, unit;
        const char *name;
    } units[] = {{1e9, 1e9, " G"}, {1e6, 1e6, " M"}, {1e4, 1e3, " k"}, {0, 1, ""}};
    size_t unit = 0;
    while (fabs(greatest) < units[unit].from)
        unit++;
    const double digits = pow(10, ceil(-log10(step / units[unit].unit)) + 1);
    const double shown = round(value / units[unit].unit * digits) / digits;
    rep_number(text, shown);
    base_text_add(text, shown == 0 ? "" : units[unit].name);
}

static void add_tick_label(base_text *text, const rep_svg_axis *axis, double value,
                           rep_svg_label label) {
    base_text amount = {0};
    rep_svg_amount(&amount, value, axis->step, axis->high);
    rep_svg_put_text(text, label, &amount);
}

static uint32_t tick_count(const rep_svg_axis *axis) {
    return axis->step > 0 ? (uint32_t)floor((axis->high - axis->low) / axis->step + 1e-6) + 1 : 0;
}

static const char grid[] = "<path d=\"M@ @L@ @\" stroke=\"#dddddd\"/>\n";
static const char tick[] = "<path d=\"M@ @l@ @\" stroke=\"#000000\"/>\n";

void rep_svg_axes(base_text *text, const rep_plot *plot, const rep_svg_axis *x,
                  const rep_svg_axis *y) {
    const double middle = (x->from + x->to) / 2, bottom = y->from;
    for (uint32_t i = 0; i < tick_count(y); i++) {
        const double value = y->low + i * y->step, at = rep_svg_at(y, value);
        REP_SVG_PUT(text, grid, x->from, at, x->to, at);
        REP_SVG_PUT(text, tick, x->from, at, -4, 0);
        add_tick_label(text, y, value,
                       (rep_svg_label){.x = x->from - 8, .y = at + 4, .size = 12, .anchor = "end"});
    }
    for (uint32_t i = 0; i < tick_count(x); i++) {
        const double value = x->low + i * x->step, at = rep_svg_at(x, value);
        REP_SVG_PUT(text, grid, at, bottom, at, y->to);
        REP_SVG_PUT(text, tick, at, bottom, 0, 4);
        add_tick_label(text, x, value,
                       (rep_svg_label){.x = at, .y = bottom + 19, .size = 12, .anchor = "middle"});
    }
    REP_SVG_PUT(text, "<path d=\"M@ @V@H@\" fill=\"none\" stroke=\"#000000\"/>\n", x->from, y->to,
                bottom, x->to);
    rep_svg_put_label(
        text, (rep_svg_label){.x = middle, .y = bottom + 40, .size = 13, .anchor = "middle"},
        plot->x_title == NULL ? "" : plot->x_title);
    rep_svg_put_label(text,
                      (rep_svg_label){.x = REP_SVG_MARGIN + 6,
                                      .y = (y->from + y->to) / 2,
                                      .size = 13,
                                      .anchor = "middle",
                                      .is_turned = true},
                      plot->y_title == NULL ? "" : plot->y_title);
}

/* ---- The document. */

enum { TITLE_SIZE = 15, TITLE_LINE = 20 };

/* How much of the title goes onto a line of this width, in whole characters; *rest is what goes
 * onto the next ones. */
static size_t title_part(const char *title, double width, const char **rest) {
    size_t length =
        base_line_length(title, strlen(title), (size_t)((width - 2 * REP_SVG_MARGIN) / 8.5));
    while (length > 1 && ((unsigned char)title[length] & 0xC0) == 0x80)
        length--;
    *rest = title + length + (title[length] == ' ');
    return length;
}

double rep_svg_title_height(const rep_plot *plot, double width) {
    double height = REP_SVG_MARGIN;
    for (const char *title = plot->title; *title != '\0'; height += TITLE_LINE)
        (void)title_part(title, width, &title);
    return height + 12;
}

static void add_title(base_text *text, const rep_plot *plot, double width) {
    double y = REP_SVG_MARGIN;
    for (const char *title = plot->title, *rest; *title != '\0'; title = rest) {
        base_text line = {0};
        base_text_add_bytes(&line, title, title_part(title, width, &rest));
        y += TITLE_LINE;
        rep_svg_put_text(
            text,
            (rep_svg_label){.x = REP_SVG_MARGIN, .y = y - 5, .size = TITLE_SIZE, .is_bold = true},
            &line);
    }
}

void rep_svg_document(base_text *text, const rep_plot *plot, double width, double height,
                      const base_text *description, const base_text *body) {
    REP_SVG_PUT(text,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 @ @\" width=\"@\" "
                "height=\"@\" role=\"img\" ",
                width, height, width, height);
    rep_xml_print(text,
                  "font-family=\"Helvetica, Arial, sans-serif\" fill=\"#000000\" "
                  "aria-labelledby=\"%n-title %n-text\">\n<title id=\"%n-title\">%t</title>\n"
                  "<desc id=\"%n-text\">%t</desc>\n",
                  plot->id, plot->id, plot->id, plot->title, plot->id, description->data);
    REP_SVG_PUT(text, "<path d=\"M0 0H@V@H0Z\" fill=\"#ffffff\"/>\n", width, height);
    add_title(text, plot, width);
    if (body->data != NULL)
        base_text_add_bytes(text, body->data, body->length);
    base_text_add(text, "</svg>\n");
    text->failed = text->failed || body->failed || description->failed;
}

/*
 * How series look, and the legend that says so. Colours are those of Okabe and Ito, which people
 * with any kind of colour vision tell apart; dashes, marks and hatches differ as well, with more
 * series than colours in new combinations.
 */

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
        rep_xml_print(text,
                      "<pattern id=\"%n-hatch-%u\" width=\"6\" height=\"6\""
                      " patternUnits=\"userSpaceOnUse\">"
                      "<path d=\"M0 0H6V6H0Z\" fill=\"%s\"/>"
                      "<path d=\"%s\" stroke=\"%s\" stroke-width=\"1.2\" fill=\"%s\"/>"
                      "</pattern>\n",
                      plot, i, i < STYLES ? "#ffffff" : "#d4d4d4", line, rep_svg_colour(i),
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

/* Plots as drawings, a file for each. */

void rep_svg_plot(const rep_plot *plot, base_text *text) {
    if (plot->kind == REP_LINES)
        rep_svg_lines(text, plot);
    else if (plot->kind == REP_BOXES)
        rep_svg_boxes(text, plot);
    else
        rep_svg_heat(text, plot);
}

col_status rep_svg_write(const rep_report *report, const char *folder, col_problem *problem) {
    const col_status status = base_folder_make(folder, problem);
    return status == COL_OK ? rep_write_plots(report, folder, "svg", rep_svg_plot, problem)
                            : status;
}
