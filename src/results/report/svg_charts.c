/* SPDX-License-Identifier: MIT */
/* Box plots: for each interval of time a box for each series, from the lower to the upper quartile
 * with the median in it, and whiskers to the least and the most. */
#include "base/text.h"
#include "results/report/report_escape.h"
#include "results/report/svg_frame.h"

#include <float.h>
#include <math.h>

enum { LEFT = 72, HEIGHT = 300, LEAST_BOX = 7, MOST_BOX = 30, MOST_TOLD = 12 };

static bool has_box(const rep_plot *plot, uint32_t series, uint32_t interval) {
    const rep_series *s = &plot->series[series];
    return s->boxes != NULL && interval < s->count && s->boxes[interval].count > 0 &&
           isfinite(s->boxes[interval].least) && isfinite(s->boxes[interval].most);
}

static rep_svg_axis measure(const rep_plot *plot) {
    double low = DBL_MAX, high = -DBL_MAX;
    for (uint32_t s = 0; s < plot->series_count; s++)
        for (uint32_t i = 0; i < plot->interval_count; i++)
            if (has_box(plot, s, i)) {
                low = fmin(low, plot->series[s].boxes[i].least);
                high = fmax(high, plot->series[s].boxes[i].most);
            }
    if (low > high) {
        low = 0;
        high = 1;
    }
    if (low > 0 && low < high / 2)
        low = 0;
    return rep_svg_axis_over(low, high, 8);
}

static void add_fill(base_text *text, const rep_plot *plot, uint32_t series) {
    rep_xml_print(text, " fill=\"url(#%n-hatch-%u)\" stroke=\"%s\"/>\n", plot->id,
                  series % REP_SVG_HATCHES, rep_svg_colour(series));
}

static void add_box(base_text *text, const rep_plot *plot, uint32_t series, const rep_box *box,
                    double left, double width, const rep_svg_axis *y) {
    const double middle = left + width / 2;
    const double lower = rep_svg_at(y, box->lower), upper = rep_svg_at(y, box->upper);
    const double least = rep_svg_at(y, box->least), most = rep_svg_at(y, box->most);
    const double median = rep_svg_at(y, box->median);
    REP_SVG_PUT(text, "<path d=\"M@ @V@M@ @V@", middle, least, lower, middle, upper, most);
    REP_SVG_PUT(text, "M@ @h@M@ @h@\" fill=\"none\" ", left + width / 4, least, width / 2,
                left + width / 4, most, width / 2);
    base_text_print(text, "stroke=\"%s\"/>\n", rep_svg_colour(series));
    REP_SVG_PUT(text, "<path d=\"M@ @H@V@H@Z\"", left, lower, left + width, upper, left);
    add_fill(text, plot, series);
    if (lower - upper > LEAST_BOX) /* seen on every hatch */
        REP_SVG_PUT(text, "<path d=\"M@ @h@\" stroke=\"#ffffff\" stroke-width=\"5\"/>\n",
                    left + 0.5, median, width - 1);
    REP_SVG_PUT(text, "<path d=\"M@ @h@\" stroke=\"#000000\" stroke-width=\"2.2\"/>\n", left,
                median, width);
}

static void add_sample(base_text *text, const rep_plot *plot, uint32_t series, double x, double y) {
    REP_SVG_PUT(text, "<path d=\"M@ @h22v12h-22z\"", x + 4, y - 6);
    add_fill(text, plot, series);
}

static void add_interval(base_text *text, const rep_plot *plot, uint32_t interval, double left,
                         double width, double box, const rep_svg_axis *y) {
    const double first = left + (width - box * plot->series_count) / 2;
    base_text said = {0};
    for (uint32_t s = 0; s < plot->series_count; s++)
        if (has_box(plot, s, interval))
            add_box(text, plot, s, &plot->series[s].boxes[interval], first + box * s + 1, box - 2,
                    y);
    if (interval > 0)
        REP_SVG_PUT(text, "<path d=\"M@ @V@\" stroke=\"#dddddd\"/>\n", left, y->from, y->to);
    const double end = plot->intervals[interval];
    rep_svg_amount(&said, end, fabs(end) > 0 ? fabs(end) / 100 : 1,
                   plot->intervals[plot->interval_count - 1]);
    rep_svg_put_text(
        text,
        (rep_svg_label){.x = left + width / 2, .y = y->from + 19, .size = 12, .anchor = "middle"},
        &said);
}

static void describe(const rep_plot *plot, base_text *said) {
    base_text_print(
        said,
        "Boxes from the lower to the upper quartile with the median in them and whiskers "
        "to the least and the most; %u series in %u intervals.",
        plot->series_count, plot->interval_count);
    for (uint32_t s = 0; s < plot->series_count && s < MOST_TOLD; s++)
        for (uint32_t i = plot->interval_count; i-- > 0;)
            if (has_box(plot, s, i)) {
                base_text_print(said, " %s has a median of ", plot->series[s].name);
                rep_number(said, plot->series[s].boxes[i].median);
                base_text_add(said, " at ");
                rep_number(said, plot->intervals[i]);
                base_text_print(said, " %s.", plot->unit == NULL ? "" : plot->unit);
                break;
            }
}

void rep_svg_boxes(base_text *text, const rep_plot *plot) {
    base_text body = {0}, said = {0};
    const double series = plot->series_count == 0 ? 1 : plot->series_count;
    const double intervals = plot->interval_count == 0 ? 1 : plot->interval_count;
    const double room = (REP_SVG_WIDTH - 2 * REP_SVG_MARGIN - LEFT) / intervals;
    const double box = fmin(fmax((room - 12) / series, LEAST_BOX), MOST_BOX);
    const double interval = fmax(room, box * series + 12);
    const double width = LEFT + interval * intervals + 2 * REP_SVG_MARGIN;
    const double top = rep_svg_title_height(plot, width);
    const rep_svg_axis x = {.from = LEFT, .to = LEFT + interval * intervals};
    rep_svg_axis y = measure(plot);
    y.from = top + HEIGHT;
    y.to = top;
    rep_svg_hatches(&body, plot->id);
    rep_svg_axes(&body, plot, &x, &y);
    for (uint32_t i = 0; i < plot->interval_count; i++)
        add_interval(&body, plot, i, LEFT + interval * i, interval, box, &y);
    const double end = rep_svg_legend(&body, plot, top + HEIGHT + 54, add_sample);
    describe(plot, &said);
    rep_svg_document(text, plot, width, end + REP_SVG_MARGIN, &said, &body);
    base_text_free(&body);
    base_text_free(&said);
}

/*
 * A protocol's table as a heat map: states by events, the darker the more often a transition was
 * taken, by the logarithm. Lightness alone carries it, so that print in black and white does, too.
 */

enum { CELL_WIDTH = 30, CELL_HEIGHT = 19, MOST_CELLS_TOLD = 20, LEGEND = 46 };

/* Where the table is. */
typedef struct table_place {
    double left, top;
} table_place;

/* The least and the most that a transition was taken, of those that were. */
typedef struct hit_range {
    uint64_t least, most;
} hit_range;

static hit_range range_of(const rep_protocol *protocol) {
    hit_range range = {UINT64_MAX, 0};
    for (size_t i = 0; i < protocol->cell_count; i++) {
        const uint64_t hits = protocol->cells[i].hits;
        if (hits > 0 && hits < range.least)
            range.least = hits;
        if (hits > range.most)
            range.most = hits;
    }
    return range.most == 0 ? (hit_range){1, 1} : range;
}

/* 0 to 1. */
static double heat_of(uint64_t hits, hit_range range) {
    return range.least == range.most ? 1
                                     : log((double)hits / (double)range.least) /
                                           log((double)range.most / (double)range.least);
}

static void add_colour(base_text *text, double heat) {
    static const double light[3] = {226, 237, 248}, dark[3] = {8, 48, 107};
    base_text_add(text, "#");
    for (int i = 0; i < 3; i++)
        base_text_print(text, "%02x", (unsigned)lround(light[i] + (dark[i] - light[i]) * heat));
}

/* At most four characters: 123, 12k, 4M. */
static void add_count(base_text *text, uint64_t count) {
    static const char units[] = {'k', 'M', 'G', 'T', 'P', 'E'};
    int unit = -1;
    while (count >= 1000) {
        count /= 1000;
        unit++;
    }
    base_text_number(text, count);
    if (unit >= 0)
        base_text_add_bytes(text, &units[unit], 1);
}

static void add_rectangle(base_text *text, double x, double y, double width) {
    REP_SVG_PUT(text, "<path d=\"M@ @h@v@h@z\"", x, y, width, CELL_HEIGHT - 2, -width);
}

static void add_number(base_text *text, double x, double y, uint64_t count, const char *colour) {
    base_text said = {0};
    add_count(&said, count);
    rep_svg_put_text(text,
                     (rep_svg_label){.x = x + CELL_WIDTH / 2.0 - 1,
                                     .y = y + CELL_HEIGHT / 2.0 + 2.5,
                                     .size = 9.5,
                                     .anchor = "middle",
                                     .colour = colour},
                     &said);
}

/* A transition that nothing reached: it could be reached here, or in other tests and caches, or
 * never. */
typedef enum reach { OUT_OF_REACH, ELSEWHERE, HERE } reach;

static reach reach_of(const rep_protocol_cell *cell) {
    if (cell->reachable == 0 || cell->excluded != NULL)
        return OUT_OF_REACH;
    return cell->here == 0 ? ELSEWHERE : HERE;
}

static void add_empty(base_text *text, double x, double y, reach is) {
    enum { WIDTH = CELL_WIDTH - 2, DOWN = CELL_HEIGHT - 2 };
    add_rectangle(text, x, y, WIDTH);
    if (is != OUT_OF_REACH) {
        base_text_add(text, is == HERE
                                ? " fill=\"#ffffff\" stroke=\"#d55e00\" stroke-width=\"1.6\"/>\n"
                                : " fill=\"#ffffff\" stroke=\"#d55e00\" stroke-width=\"1\""
                                  " stroke-dasharray=\"3 2\"/>\n");
        add_number(text, x, y, 0, "#b04a00");
        return;
    }
    base_text_add(text, " fill=\"#ffffff\" stroke=\"#bbbbbb\"/>\n");
    REP_SVG_PUT(text, "<path d=\"M@ @l@ @M@ @l@ @\" stroke=\"#bbbbbb\"/>\n", x, y, WIDTH, DOWN, x,
                y + DOWN, WIDTH, -DOWN);
}

static void add_cell(base_text *text, const rep_protocol_cell *cell, hit_range range, double x,
                     double y) {
    if (cell->hits == 0) {
        add_empty(text, x, y, reach_of(cell));
        return;
    }
    const double heat = heat_of(cell->hits, range);
    add_rectangle(text, x, y, CELL_WIDTH - 2);
    base_text_add(text, " fill=\"");
    add_colour(text, heat);
    base_text_add(text, "\"/>\n");
    add_number(text, x, y, cell->hits, heat > 0.62 ? "#ffffff" : "#000000");
}

static void add_names(base_text *text, const rep_protocol *protocol, table_place at) {
    for (uint32_t i = 0; i < protocol->state_count; i++)
        rep_svg_put_label(text,
                          (rep_svg_label){.x = at.left - 6,
                                          .y = at.top + i * CELL_HEIGHT + CELL_HEIGHT / 2.0 + 3,
                                          .size = 11,
                                          .anchor = "end"},
                          protocol->states[i]);
    for (uint32_t i = 0; i < protocol->event_count; i++)
        rep_svg_put_label(text,
                          (rep_svg_label){.x = at.left + i * CELL_WIDTH + CELL_WIDTH / 2.0 + 3,
                                          .y = at.top - 6,
                                          .size = 11,
                                          .is_turned = true},
                          protocol->events[i]);
}

/* Returns how wide it is. */
static double add_amount(base_text *text, double x, double y, uint64_t count, const char *after) {
    base_text said = {0};
    add_count(&said, count);
    base_text_add(&said, after);
    rep_svg_put_label(text, (rep_svg_label){.x = x, .y = y, .size = 12},
                      said.data == NULL ? "" : said.data);
    const double width = rep_svg_width(said.data == NULL ? "" : said.data);
    base_text_free_part(&said, text);
    return width;
}

static void add_legend(base_text *text, hit_range range, bool has_elsewhere, table_place at) {
    enum { STEPS = 16, STEP = 8, GAP = 6 };
    const double y = at.top + 14, line = y + 12;
    double x = at.left;
    x += add_amount(text, x, line, range.least, "") + GAP;
    for (int i = 0; i < STEPS; i++) {
        add_rectangle(text, x + i * STEP, y, STEP + 0.5);
        base_text_add(text, " fill=\"");
        add_colour(text, range.least == range.most ? 1 : i / (STEPS - 1.0));
        base_text_add(text, "\"/>\n");
    }
    x += STEPS * STEP + GAP;
    x += add_amount(text, x, line, range.most, " times") + 4 * GAP;
    add_empty(text, x, y, HERE);
    rep_svg_put_label(text, (rep_svg_label){.x = x + CELL_WIDTH + 4, .y = line, .size = 12},
                      "never");
    x += CELL_WIDTH + 52;
    if (has_elsewhere) {
        add_empty(text, x, y, ELSEWHERE);
        rep_svg_put_label(text, (rep_svg_label){.x = x + CELL_WIDTH + 4, .y = line, .size = 12},
                          "not with these tests");
        x += CELL_WIDTH + 132;
    }
    add_empty(text, x, y, OUT_OF_REACH);
    rep_svg_put_label(text, (rep_svg_label){.x = x + CELL_WIDTH + 4, .y = line, .size = 12},
                      "out of reach");
}

static void describe_heat(const rep_protocol *protocol, base_text *said) {
    uint32_t hit = 0, out = 0, told = 0;
    for (size_t i = 0; i < protocol->cell_count; i++) {
        hit += protocol->cells[i].hits > 0;
        out += protocol->cells[i].hits == 0 && protocol->cells[i].reachable == 0;
    }
    base_text_print(said,
                    "Table of the transitions of %s by states and events. Of %llu transition%s %u "
                    "were taken in %u trial%s, and %u of the others are known to be out of reach.",
                    protocol->machine, (unsigned long long)protocol->cell_count,
                    base_plural(protocol->cell_count), hit, protocol->trials,
                    base_plural(protocol->trials), out);
    for (size_t i = 0; i < protocol->cell_count && told < MOST_CELLS_TOLD; i++) {
        const rep_protocol_cell *cell = &protocol->cells[i];
        if (cell->hits > 0 || cell->reachable == 0)
            continue;
        base_text_print(said, "%s%s on %s", told == 0 ? " Never taken: " : ", ",
                        protocol->states[cell->state], protocol->events[cell->event]);
        told++;
    }
    if (told > 0)
        base_text_add(said, told == MOST_CELLS_TOLD ? ", ..." : ".");
}

static double longest(const char *const *names, uint32_t count) {
    double width = 0;
    for (uint32_t i = 0; i < count; i++)
        width = fmax(width, rep_svg_width(names[i]));
    return width;
}

void rep_svg_heat(base_text *text, const rep_plot *plot) {
    const rep_protocol *protocol = plot->protocol;
    bool has_elsewhere = false;
    for (size_t i = 0; i < protocol->cell_count; i++)
        has_elsewhere |= protocol->cells[i].hits == 0 && reach_of(&protocol->cells[i]) == ELSEWHERE;
    const hit_range range = range_of(protocol);
    const double left = REP_SVG_MARGIN + longest(protocol->states, protocol->state_count) + 6;
    const double table = protocol->event_count * (double)CELL_WIDTH;
    const double width =
        fmax(left + table + REP_SVG_MARGIN, left + 450 + (has_elsewhere ? 160 : 0));
    const double top =
        rep_svg_title_height(plot, width) + longest(protocol->events, protocol->event_count) + 6;
    const double bottom = top + protocol->state_count * (double)CELL_HEIGHT;
    base_text body = {0}, said = {0};
    add_names(&body, protocol, (table_place){left, top});
    for (size_t i = 0; i < protocol->cell_count; i++) {
        const rep_protocol_cell *cell = &protocol->cells[i];
        add_cell(&body, cell, range, left + cell->event * (double)CELL_WIDTH,
                 top + cell->state * (double)CELL_HEIGHT);
    }
    add_legend(&body, range, has_elsewhere, (table_place){left, bottom});
    describe_heat(protocol, &said);
    rep_svg_document(text, plot, width, bottom + LEGEND, &said, &body);
    base_text_free(&body);
    base_text_free(&said);
}

/* Lines of medians in bands of quartiles: the evolution of coverage, and what agents learn. */

enum { MARKS = 7 };

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

static void measure_lines(const rep_plot *plot, range *x, range *y) {
    *x = (range){DBL_MAX, -DBL_MAX};
    for (uint32_t s = 0; s < plot->series_count; s++)
        for (size_t i = 0; i < plot->series[s].count; i++)
            if (is_there(&plot->series[s], i))
                stretch(x, plot->series[s].x[i]);
    measure_y(plot, x->low, y);
    if (x->low > x->high)
        *x = *y = (range){0, 1};
    if (plot->metric != NULL) {
        /* Most of what trials cover they cover at once, and never all: what tells their lines apart
         * is what comes then. So the plot begins where they are after a fiftieth of the time. */
        range settled;
        measure_y(plot, x->low + (x->high - x->low) / 50, &settled);
        if (settled.low < settled.high)
            *y = settled;
        if (plot->reachable > 0 && plot->reachable <= y->high + (y->high - y->low) / 4)
            stretch(y, plot->reachable);
    }
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

/* How a line looks, and the end of its element. */
static void add_stroke(base_text *text, uint32_t place) {
    base_text_print(text, "stroke=\"%s\" stroke-width=\"1.8\"", rep_svg_colour(place));
    if (rep_svg_dash(place)[0] != '\0')
        base_text_print(text, " stroke-dasharray=\"%s\"", rep_svg_dash(place));
    base_text_add(text, "/>\n");
}

static void add_line_sample(base_text *text, const rep_plot *plot, uint32_t series, double x,
                            double y) {
    (void)plot;
    REP_SVG_PUT(text, "<path d=\"M@ @h28\" fill=\"none\" ", x, y);
    add_stroke(text, series);
    rep_svg_mark(text, series, x + 14, y);
}

static void add_line(base_text *text, const rep_series *series, uint32_t place,
                     const rep_svg_axis *x, const rep_svg_axis *y) {
    for (size_t first = 0, last = 0; next_stretch(series, is_there, &first, &last);
         first = last + 1) {
        base_text_add(text, "<path d=\"");
        add_path(text, series->x, series->median, first, last, x, y, "M");
        base_text_add(text, "\" fill=\"none\" ");
        add_stroke(text, place);
    }
    add_marks(text, series, place, x, y);
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
    rep_svg_put_text(text,
                     (rep_svg_label){.x = is_above ? x->to - 6 : x->from + 6,
                                     .y = is_above ? at + 14 : at - 5,
                                     .size = 11,
                                     .anchor = is_above ? "end" : "start",
                                     .colour = "#555555"},
                     &said);
}

static void describe_lines(const rep_plot *plot, base_text *said) {
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
    measure_lines(plot, &x_extent, &y_extent);
    rep_svg_axis x = rep_svg_axis_over(x_extent.low, x_extent.high, 8);
    rep_svg_axis y = rep_svg_axis_over(y_extent.low, y_extent.high, 8);
    /* Time ends where the trials do. */
    x.high = fmax(x_extent.high, x.low + x.step);
    x.from = LEFT;
    x.to = REP_SVG_WIDTH - 2 * REP_SVG_MARGIN;
    y.from = top + HEIGHT;
    y.to = top;
    rep_svg_axes(&body, plot, &x, &y);
    if (plot->reachable > 0)
        add_ceiling(&body, plot, &x, &y);
    for (uint32_t s = 0; s < plot->series_count; s++)
        add_band(&body, &plot->series[s], s, &x, &y);
    for (uint32_t s = 0; s < plot->series_count; s++)
        add_line(&body, &plot->series[s], s, &x, &y);
    const double end = rep_svg_legend(&body, plot, top + HEIGHT + 54, add_line_sample);
    describe_lines(plot, &said);
    rep_svg_document(text, plot, REP_SVG_WIDTH, end + REP_SVG_MARGIN, &said, &body);
    base_text_free(&body);
    base_text_free(&said);
}
