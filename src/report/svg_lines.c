/* SPDX-License-Identifier: MIT */
/* Lines of medians in bands of quartiles: the evolution of coverage, and what agents learn. */
#include "report/escape.h"
#include "report/svg_frame.h"

#include <float.h>
#include <math.h>

enum { LEFT = 72, HEIGHT = 300, MARKS = 7, MOST_TOLD = 12 };

typedef struct range {
    double low, high;
} range;

static void stretch(range *extent, double value) {
    if (!isfinite(value))
        return;
    extent->low = fmin(extent->low, value);
    extent->high = fmax(extent->high, value);
}

static bool is_there(const rep_series *series, size_t i) {
    return isfinite(series->x[i]) && isfinite(series->median[i]);
}

static bool has_band(const rep_series *series, size_t i) {
    return is_there(series, i) && isfinite(series->lower[i]) && isfinite(series->upper[i]);
}

static bool has_ceiling(const rep_plot *plot) {
    return isfinite(plot->reachable) && plot->reachable > 0;
}

static void measure_x(const rep_plot *plot, range *x) {
    *x = (range){DBL_MAX, -DBL_MAX};
    for (uint32_t s = 0; s < plot->series_count; s++)
        for (size_t i = 0; i < plot->series[s].count; i++)
            if (is_there(&plot->series[s], i))
                stretch(x, plot->series[s].x[i]);
}

/* From this x on. */
static void measure_y(const rep_plot *plot, double from, range *y) {
    *y = (range){DBL_MAX, -DBL_MAX};
    for (uint32_t s = 0; s < plot->series_count; s++)
        for (size_t i = 0; i < plot->series[s].count; i++) {
            if (!is_there(&plot->series[s], i) || plot->series[s].x[i] < from)
                continue;
            stretch(y, plot->series[s].median[i]);
            stretch(y, plot->series[s].lower[i]);
            stretch(y, plot->series[s].upper[i]);
        }
}

/* Most of what trials cover they cover at once, and never all: what tells their lines apart is what
 * comes then. So the plot begins where they are after a fiftieth of the time. */
static void measure_evolution(const rep_plot *plot, const range *x, range *y) {
    range settled;
    measure_y(plot, x->low + (x->high - x->low) / 50, &settled);
    if (settled.low < settled.high)
        *y = settled;
    if (has_ceiling(plot) && plot->reachable <= y->high + (y->high - y->low) / 4)
        stretch(y, plot->reachable);
}

static void measure(const rep_plot *plot, range *x, range *y) {
    measure_x(plot, x);
    measure_y(plot, x->low, y);
    if (x->low > x->high)
        *x = *y = (range){0, 1};
    if (plot->metric != NULL) /* coverage */
        measure_evolution(plot, x, y);
    /* From 0, unless that would leave the lower half of the plot empty. */
    if (x->low > 0 && x->low < x->high / 2)
        x->low = 0;
    if (y->low > 0 && y->low < y->high / 2)
        y->low = 0;
}

/* What is outside of the plot is drawn at its edge. */
static double height_of(const rep_svg_axis *y, double value) {
    return rep_svg_at(y, fmin(fmax(value, y->low), y->high));
}

/* ---- One series. */

/* From `first` to `last` where there are values without a gap, along one of the three lines. */
static void add_path(base_text *text, const double *x_values, const double *y_values, size_t first,
                     size_t last, const rep_svg_axis *x, const rep_svg_axis *y,
                     const char *command) {
    const bool goes_back = first > last;
    for (size_t i = first;; i = goes_back ? i - 1 : i + 1) {
        base_text_add(text, i == first ? command : "L");
        REP_SVG_PUT(text, "@ @", rep_svg_at(x, x_values[i]), height_of(y, y_values[i]));
        if (i == last)
            return;
    }
}

typedef bool has_value(const rep_series *series, size_t i);

/* The next stretch of values from *first on; false: there is none. */
static bool next_stretch(const rep_series *series, has_value *has, size_t *first, size_t *last) {
    size_t i = *first;
    while (i < series->count && !has(series, i))
        i++;
    if (i >= series->count)
        return false;
    *first = i;
    while (i + 1 < series->count && has(series, i + 1))
        i++;
    *last = i;
    return true;
}

static void add_band(base_text *text, const rep_series *series, uint32_t place,
                     const rep_svg_axis *x, const rep_svg_axis *y) {
    for (size_t first = 0, last = 0; next_stretch(series, has_band, &first, &last);
         first = last + 1) {
        base_text_add(text, "<path d=\"");
        add_path(text, series->x, series->lower, first, last, x, y, "M");
        add_path(text, series->x, series->upper, last, first, x, y, "L");
        base_text_print(text, "Z\" fill=\"%s\" fill-opacity=\"0.15\"/>\n", rep_svg_colour(place));
    }
}

/* Marks tell lines apart where colours do not; each series has them at other places, and a short
 * one has its end marked. */
static void add_marks(base_text *text, const rep_series *series, uint32_t place,
                      const rep_svg_axis *x, const rep_svg_axis *y) {
    const double between = (x->high - x->low) / MARKS;
    const double first = x->low + between * (0.4 + 0.17 * (place % 5));
    double next = first;
    size_t end = series->count;
    while (end > 0 && !is_there(series, end - 1))
        end--;
    for (size_t i = 0; i < end; i++) {
        const bool is_short = i + 1 == end && next == first;
        if (!is_there(series, i) || series->median[i] < y->low || series->median[i] > y->high ||
            (series->x[i] < next && !is_short))
            continue;
        rep_svg_mark(text, place, rep_svg_at(x, series->x[i]), rep_svg_at(y, series->median[i]));
        while (next <= series->x[i])
            next += between;
    }
}

static void add_line(base_text *text, const rep_series *series, uint32_t place,
                     const rep_svg_axis *x, const rep_svg_axis *y) {
    for (size_t first = 0, last = 0; next_stretch(series, is_there, &first, &last);
         first = last + 1) {
        base_text_add(text, "<path d=\"");
        add_path(text, series->x, series->median, first, last, x, y, "M");
        base_text_print(text, "\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\"",
                        rep_svg_colour(place));
        if (rep_svg_dash(place)[0] != '\0')
            base_text_print(text, " stroke-dasharray=\"%s\"", rep_svg_dash(place));
        base_text_add(text, "/>\n");
    }
    add_marks(text, series, place, x, y);
}

static void add_sample(base_text *text, const rep_plot *plot, uint32_t series, double x, double y) {
    (void)plot;
    REP_SVG_PUT(text, "<path d=\"M@ @h28\" fill=\"none\" ", x, y);
    base_text_print(text, "stroke=\"%s\" stroke-width=\"1.8\"", rep_svg_colour(series));
    if (rep_svg_dash(series)[0] != '\0')
        base_text_print(text, " stroke-dasharray=\"%s\"", rep_svg_dash(series));
    base_text_add(text, "/>\n");
    rep_svg_mark(text, series, x + 14, y);
}

/* ---- The plot. */

/* As many points as can be covered: a line, or a word where that is far above. */
static void add_ceiling(base_text *text, const rep_plot *plot, const rep_svg_axis *x,
                        const rep_svg_axis *y) {
    const bool is_above = plot->reachable > y->high;
    const double at = rep_svg_at(y, is_above ? y->high : plot->reachable);
    base_text said = {0};
    base_text_add(&said, "reachable: ");
    rep_number(&said, plot->reachable);
    if (!is_above)
        REP_SVG_PUT(text, "<path d=\"M@ @H@\" stroke=\"#555555\" stroke-dasharray=\"2 3\"/>\n",
                    x->from, at, x->to);
    rep_svg_put_label(text,
                      (rep_svg_label){.x = is_above ? x->to - 6 : x->from + 6,
                                      .y = is_above ? at + 14 : at - 5,
                                      .size = 11,
                                      .anchor = is_above ? "end" : "start",
                                      .colour = "#555555"},
                      said.data == NULL ? "" : said.data);
    base_text_free_part(&said, text);
}

static void describe(const rep_plot *plot, base_text *said) {
    base_text_print(said,
                    "Medians over trials as lines, from the lower to the upper quartile as "
                    "bands; %u series.",
                    plot->series_count);
    for (uint32_t s = 0; s < plot->series_count && s < MOST_TOLD; s++) {
        const rep_series *series = &plot->series[s];
        size_t last = series->count;
        while (last > 0 && !is_there(series, last - 1))
            last--;
        if (last == 0)
            continue;
        base_text_print(said, " %s ends at ", series->name);
        rep_number(said, series->median[last - 1]);
        if (has_band(series, last - 1)) {
            base_text_add(said, " (");
            rep_number(said, series->lower[last - 1]);
            base_text_add(said, " to ");
            rep_number(said, series->upper[last - 1]);
            base_text_add(said, ")");
        }
        base_text_add(said, " after ");
        rep_number(said, series->x[last - 1]);
        base_text_print(said, " %s.", plot->unit == NULL ? "" : plot->unit);
    }
}

void rep_svg_lines(base_text *text, const rep_plot *plot) {
    range x_extent, y_extent;
    base_text body = {0}, said = {0};
    const double top = rep_svg_title_height(plot, REP_SVG_WIDTH);
    measure(plot, &x_extent, &y_extent);
    rep_svg_axis x = rep_svg_axis_over(x_extent.low, x_extent.high, 8);
    rep_svg_axis y = rep_svg_axis_over(y_extent.low, y_extent.high, 8);
    /* Time ends where the trials do. */
    x.high = fmax(x_extent.high, x.low + x.step);
    x.from = LEFT;
    x.to = REP_SVG_WIDTH - 2 * REP_SVG_MARGIN;
    y.from = top + HEIGHT;
    y.to = top;
    rep_svg_axes(&body, plot, &x, &y);
    if (has_ceiling(plot))
        add_ceiling(&body, plot, &x, &y);
    for (uint32_t s = 0; s < plot->series_count; s++)
        add_band(&body, &plot->series[s], s, &x, &y);
    for (uint32_t s = 0; s < plot->series_count; s++)
        add_line(&body, &plot->series[s], s, &x, &y);
    const double end = rep_svg_legend(&body, plot, top + HEIGHT + 54, add_sample);
    describe(plot, &said);
    rep_svg_document(text, plot, REP_SVG_WIDTH, end + REP_SVG_MARGIN, &said, &body);
    base_text_free(&body);
    base_text_free(&said);
}
