/* SPDX-License-Identifier: MIT */
/* Plots as drawings: well-formed, with a title and a description, nothing outside of the paper. */
#include "base/random.h"
#include "harness.h"
#include "results/report/report.h"
#include "results/report/svg_frame.h"
#include "results/report/writers_sample.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST(drawings_are_well_formed) {
    const rep_report report = sample_report();
    for (uint32_t i = 0; i < report.plot_count; i++) {
        base_text text = {0}, again = {0};
        rep_svg_plot(&report.plots[i], &text);
        rep_svg_plot(&report.plots[i], &again);
        assert_well_formed(&text);
        assert_string_equal(text.data, again.data);
        assert_int_equal(occurrences(&text, "<title "), 1);
        assert_int_equal(occurrences(&text, "<desc "), 1);
        assert_null(strstr(text.data, "nan"));
        assert_null(strstr(text.data, "inf"));
        base_text_free(&text);
        base_text_free(&again);
    }
}

/* What people who do not see the picture are told. */
TEST(descriptions_say_what_is_shown) {
    const rep_report report = sample_report();
    static const char *const said[] = {
        " htg ends at 160.5 (150 to 172) after 1500000 cycles.",
        " htg has a median of 140 at 2000000 cycles.",
        " and 1 of the others are known to be out of reach. Never taken: I on ",
    };
    for (uint32_t i = 0; i < 3; i++) {
        base_text text = {0};
        rep_svg_plot(&report.plots[i], &text);
        assert_non_null(strstr(text.data, said[i]));
        base_text_free(&text);
    }
}

/* Each kind has what its readers look for: bands and lines where there are values, boxes, cells. */
TEST(drawings_have_their_parts) {
    const rep_report report = sample_report();
    base_text text = {0};
    rep_svg_plot(&report.plots[0], &text);
    assert_int_equal(occurrences(&text, "fill-opacity"), 1 + 2); /* a gap divides the second */
    assert_int_equal(occurrences(&text, "stroke-width=\"1.8\""), 3 + 2); /* lines, legend */
    assert_int_equal(occurrences(&text, ">reachable: 190<"), 1);
    base_text_free(&text);
    rep_svg_plot(&report.plots[1], &text);
    assert_int_equal(occurrences(&text, "stroke-width=\"2.2\""), 3); /* medians of three boxes */
    assert_int_equal(occurrences(&text, "<pattern "), REP_SVG_HATCHES);
    assert_int_equal(occurrences(&text, "url(#boxes-1-hatch-"), 3 + 2);
    base_text_free(&text);
    rep_svg_plot(&report.plots[2], &text);
    assert_int_equal(occurrences(&text, ">123k<"), 1);
    assert_int_equal(occurrences(&text, ">18E<"), 1);
    assert_int_equal(occurrences(&text, ">18E times<"), 1);
    assert_int_equal(occurrences(&text, "stroke=\"#d55e00\""), 2 + 1); /* never taken, legend */
    base_text_free(&text);
}

/* ---- Axes. */

TEST(ticks_are_round) {
    base_rng rng;
    base_rng_seed(&rng, 1, 1);
    for (int test = 0; test < 20000; test++) {
        const double size = pow(10, (double)base_rng_below(&rng, 24) - 8);
        const double low = (base_rng_unit(&rng) - 0.3) * size;
        const double high = low + base_rng_unit(&rng) * size + size * 1e-6;
        const uint32_t most = 2 + (uint32_t)base_rng_below(&rng, 12);
        const rep_svg_axis axis = rep_svg_axis_over(low, high, most);
        const double slack = axis.step * 1e-6;
        assert_true(axis.low <= low + slack && axis.high >= high - slack);
        assert_true(low - axis.low < axis.step + slack && axis.high - high < axis.step + slack);
        assert_true((axis.high - axis.low) / axis.step < most + 2.5);
        const double power = pow(10, floor(log10(axis.step) + 1e-9));
        const double leading = axis.step / power;
        assert_true(fabs(leading - 1) < 1e-6 || fabs(leading - 2) < 1e-6 ||
                    fabs(leading - 5) < 1e-6);
        const double multiple = axis.low / axis.step;
        assert_true(fabs(multiple - round(multiple)) < 1e-3);
    }
}

TEST(amounts_are_readable) {
    static const struct {
        double value, step, greatest;
        const char *text;
    } cases[] = {{0, 500000, 2e6, "0"},      {500000, 500000, 2e6, "0.5 M"},
                 {2e6, 500000, 2e6, "2 M"},  {150, 50, 200, "150"},
                 {8000, 2000, 9999, "8000"}, {8000, 2000, 10000, "8 k"},
                 {0.3, 0.1, 0.5, "0.3"},     {1e-4, 5e-5, 1e-3, "0.0001"},
                 {-200, 100, 300, "-200"},   {3.5e9, 5e8, 5e9, "3.5 G"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        base_text text = {0};
        rep_svg_amount(&text, cases[i].value, cases[i].step, cases[i].greatest);
        assert_string_equal(text.data, cases[i].text);
        base_text_free(&text);
    }
}

/* ---- Drawings of any values stay on the paper. */

enum { MOST_SERIES = 20, POINTS = 40 };

typedef struct any_plot {
    rep_plot plot;
    rep_series series[MOST_SERIES];
    double x[MOST_SERIES][POINTS], values[MOST_SERIES][3][POINTS];
} any_plot;

static void draw_values(base_rng *rng, any_plot *any) {
    const double size = pow(10, (double)base_rng_below(rng, 16) - 4);
    const uint32_t count = 1 + (uint32_t)base_rng_below(rng, MOST_SERIES);
    for (uint32_t s = 0; s < count; s++) {
        for (size_t i = 0; i < POINTS; i++) {
            const double middle = base_rng_unit(rng) * size, width = base_rng_unit(rng) * size;
            const bool is_gap = base_rng_below(rng, 10) == 0;
            any->x[s][i] = (double)i * size;
            any->values[s][0][i] = is_gap ? NAN : middle - width / 2;
            any->values[s][1][i] = is_gap ? NAN : middle;
            any->values[s][2][i] = is_gap ? NAN : middle + width / 2;
        }
        any->series[s] = (rep_series){.name = "some name of a series",
                                      .count = POINTS,
                                      .x = any->x[s],
                                      .lower = any->values[s][0],
                                      .median = any->values[s][1],
                                      .upper = any->values[s][2]};
    }
    any->plot =
        (rep_plot){.id = "any",
                   .title = "A title of this many words that it takes more than one line of "
                            "any plot that has the usual width",
                   .kind = REP_LINES,
                   .x_title = "x",
                   .y_title = "y",
                   .metric = base_rng_below(rng, 2) == 0 ? NULL : "structural",
                   .total = NAN,
                   .reachable = base_rng_below(rng, 2) == 0 ? NAN : size,
                   .series = any->series,
                   .series_count = count};
}

/* All absolute points of lines and bands are between these bounds. */
static void check_points(const base_text *text, double width, double height) {
    for (const char *at = text->data; (at = strstr(at, "d=\"M")) != NULL;) {
        const char *end = strchr(at + 3, '"');
        for (at += 3; at < end;) {
            char *after;
            if (*at != 'M' && *at != 'L')
                break; /* the rest is not of absolute points */
            const double x = strtod(at + 1, &after), y = strtod(after, &after);
            assert_true(x >= -0.05 && x <= width + 0.05 && y >= -0.05 && y <= height + 0.05);
            at = after;
        }
    }
}

TEST(values_stay_inside_the_plot) {
    static any_plot any;
#ifdef REDUCED
    enum { ROUNDS = 40 };
#else
    enum { ROUNDS = 300 };
#endif
    for (uint64_t round = 0; round < ROUNDS; round++) {
        base_rng rng;
        base_text text = {0};
        double width, height;
        base_rng_seed(&rng, 2, round);
        draw_values(&rng, &any);
        rep_svg_plot(&any.plot, &text);
        assert_well_formed(&text);
        const char *size = strstr(text.data, "viewBox=\"0 0 ");
        assert_int_equal(sscanf(size, "viewBox=\"0 0 %lf %lf\"", &width, &height), 2);
        check_points(&text, width, height);
        base_text_free(&text);
    }
}

/* Twenty series look different from each other. */
/* Coverage that rises at once and hardly any more: the plot shows where it is then, and says what
 * would be far above. */
TEST(plots_of_coverage_show_what_differs) {
    static const double x[] = {0, 1, 2, 50, 100}, median[] = {0, 900, 950, 960, 970};
    const rep_series series = {
        .name = "htg", .count = 5, .x = x, .lower = median, .median = median, .upper = median};
    rep_plot plot = {.id = "coverage",
                     .title = "Coverage",
                     .kind = REP_LINES,
                     .x_title = "cycles",
                     .y_title = "points",
                     .metric = "structural",
                     .total = NAN,
                     .reachable = 2000,
                     .series = &series,
                     .series_count = 1};
    base_text text = {0};
    rep_svg_plot(&plot, &text);
    assert_int_equal(occurrences(&text, ">950<"), 1); /* a tick */
    assert_int_equal(occurrences(&text, ">900<"), 0);
    assert_int_equal(occurrences(&text, ">reachable: 2000<"), 1);
    assert_int_equal(occurrences(&text, "stroke-dasharray=\"2 3\""), 0);
    base_text_free(&text);
    plot.reachable = 972;
    rep_svg_plot(&plot, &text);
    assert_int_equal(occurrences(&text, "stroke-dasharray=\"2 3\""), 1);
    base_text_free(&text);
    plot.metric = NULL; /* no coverage */
    rep_svg_plot(&plot, &text);
    assert_int_equal(occurrences(&text, ">950<"), 0);
    base_text_free(&text);
}

TEST(series_are_distinguishable) {
    for (uint32_t a = 0; a < 20; a++)
        for (uint32_t b = 0; b < a; b++) {
            base_text first = {0}, second = {0};
            rep_svg_mark(&first, a, 0, 0);
            rep_svg_mark(&second, b, 0, 0);
            assert_true(strcmp(first.data, second.data) != 0 ||
                        strcmp(rep_svg_dash(a), rep_svg_dash(b)) != 0);
            base_text_free(&first);
            base_text_free(&second);
        }
}
