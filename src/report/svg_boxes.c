/* SPDX-License-Identifier: MIT */
/* Box plots: for each interval of time a box for each series, from the lower to the upper quartile
 * with the median in it, and whiskers to the least and the most. */
#include "report/escape.h"
#include "report/svg_frame.h"

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
    base_text_add(text, " fill=\"url(#");
    rep_file_name(text, plot->id);
    base_text_print(text, "-hatch-%u)\" stroke=\"%s\"/>\n", series % REP_SVG_HATCHES,
                    rep_svg_colour(series));
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
    rep_svg_put_label(
        text,
        (rep_svg_label){.x = left + width / 2, .y = y->from + 19, .size = 12, .anchor = "middle"},
        said.data == NULL ? "" : said.data);
    base_text_free_part(&said, text);
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
