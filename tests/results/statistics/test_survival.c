/* SPDX-License-Identifier: MIT */
/*
 * Kaplan and Meier's estimate against figures of R's package survival (tests/data/statistics), and
 * against the definition, literally, on samples in which each observation is there several times.
 * The log-rank test also by simulation: if nothing makes two samples differ, its probabilities are
 * as often below a level as the level says.
 */
#include "base/random.h"
#include "harness.h"
#include "results/statistics/significance.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 256 };

static void assert_near(double is, double expected) {
    if (isinf(expected) ? is != expected : !(fabs(is - expected) <= 1e-9 * (1 + fabs(expected))))
        fail_msg("%.17g is not %.17g", is, expected);
}

/* ---- R's figures. */

typedef struct sample {
    sta_observation observations[MOST];
    size_t count;
} sample;

/* The next number of a line; none is infinite, any is no number, a plus after it is taken. */
static bool next_number(char **text, double *number, bool *has_plus) {
    char *word = strtok(*text, " \n");
    *text = NULL;
    if (word == NULL)
        return false;
    char *end = word;
    *number = strcmp(word, "none") == 0  ? INFINITY
              : strcmp(word, "any") == 0 ? NAN
                                         : strtod(word, &end);
    *has_plus = *end == '+';
    return true;
}

static size_t read_numbers(char *text, double numbers[MOST], bool pluses[MOST]) {
    size_t count = 0;
    while (count < MOST && next_number(&text, &numbers[count], &pluses[count]))
        count++;
    return count;
}

static void take_times(sample *s, const double *numbers, const bool *pluses, size_t count) {
    *s = (sample){.count = count};
    for (size_t i = 0; i < count; i++)
        s->observations[i] = (sta_observation){numbers[i], !pluses[i]};
    sta_sort_observations(s->observations, count);
}

static void check_log_rank(const sample *first, const sample *second, const double *n) {
    sta_log_rank r;
    assert_int_equal(sta_compare_survival(first->observations, first->count, second->observations,
                                          second->count, 1, &r, NULL),
                     COL_OK);
    assert_near(r.observed, n[0]);
    assert_near(r.expected, n[1]);
    assert_near(r.statistic, n[2]);
    assert_near(r.large_p, n[3]);
}

/* False: the line is about something that nobody here asks for. */
static bool check_line(const char *word, sample samples[2], const double *n, const bool *pluses,
                       size_t count) {
    sample *s = &samples[1];
    if (strcmp(word, "times") == 0) {
        samples[0] = samples[1];
        take_times(s, n, pluses, count);
        return false;
    }
    if (strcmp(word, "quartiles") == 0) {
        for (size_t i = 0; i < 3; i++)
            if (!isnan(n[i]))
                assert_near(
                    sta_event_quantile(s->observations, NULL, s->count, 0.25 * (double)(i + 1)),
                    n[i]);
        return true;
    }
    if (strcmp(word, "log-rank") != 0)
        return false;
    check_log_rank(&samples[0], &samples[1], n);
    return true;
}

TEST(the_estimate_matches_that_of_r) {
    static sample samples[2];
    static char line[8192];
    double numbers[MOST] = {0};
    bool pluses[MOST];
    size_t checked = 0;
    FILE *file = fopen(TEST_DATA "/statistics/survival.txt", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) {
        char *rest = strchr(line, ' ');
        if (line[0] == '#' || rest == NULL)
            continue;
        *rest++ = '\0';
        const size_t count = read_numbers(rest, numbers, pluses);
        checked += check_line(line, samples, numbers, pluses, count);
    }
    assert_int_equal(fclose(file), 0);
    assert_true(checked > 60);
}

/* ---- The definition. */

/* The product over all times so far of the share that stays; by looking through everything. */
static double surviving_after(const sta_observation *all, size_t count, double time) {
    double product = 1;
    for (size_t i = 0; i < count; i++) {
        size_t at_risk = 0, events = 0, same_before = 0;
        for (size_t j = 0; j < count; j++) {
            at_risk += all[j].time >= all[i].time;
            events += all[j].is_event && all[j].time == all[i].time;
            same_before += all[j].is_event && all[j].time == all[i].time && j < i;
        }
        if (all[i].is_event && same_before == 0 && all[i].time <= time)
            product *= 1 - (double)events / (double)at_risk;
    }
    return product;
}

static double slow_quantile(const sta_observation *all, size_t count, double share) {
    double met = INFINITY, after = INFINITY;
    const double level = 1 - share, small = 1e-9;
    for (size_t i = 0; i < count; i++) {
        if (!all[i].is_event)
            continue;
        const double s = surviving_after(all, count, all[i].time);
        if (s <= level + small)
            met = fmin(met, all[i].time);
        if (s < level - small)
            after = fmin(after, all[i].time);
    }
    return isinf(after) || met == after ? met : (met + after) / 2;
}

TEST(counts_repeat_observations) {
    enum { ROUNDS = 3000, MOST_ITEMS = 8 };
    base_rng rng;
    base_rng_seed(&rng, 2, 0);
    for (int round = 0; round < ROUNDS; round++) {
        sta_observation items[MOST_ITEMS], all[4 * MOST_ITEMS];
        uint32_t counts[MOST_ITEMS];
        const size_t count = 1 + (size_t)base_rng_below(&rng, MOST_ITEMS);
        size_t all_count = 0;
        for (size_t i = 0; i < count; i++) {
            items[i] =
                (sta_observation){(double)base_rng_below(&rng, 6), base_rng_below(&rng, 3) > 0};
            if (!items[i].is_event && base_rng_below(&rng, 4) == 0)
                items[i].time = INFINITY;
        }
        sta_sort_observations(items, count);
        for (size_t i = 0; i < count; i++) {
            counts[i] = (uint32_t)base_rng_below(&rng, 4);
            for (uint32_t j = 0; j < counts[i]; j++)
                all[all_count++] = items[i];
        }
        for (int q = 1; q < 4; q++)
            assert_near(sta_event_quantile(items, counts, count, q / 4.0),
                        slow_quantile(all, all_count, q / 4.0));
    }
}

/* Of samples in which nothing is censored. */
TEST(median_is_the_ordinary_one) {
    base_rng rng;
    base_rng_seed(&rng, 3, 0);
    for (size_t count = 1; count < 40; count++) {
        sta_observation observations[40];
        double values[40];
        for (size_t i = 0; i < count; i++) {
            values[i] = (double)base_rng_below(&rng, count % 2 == 0 ? 8 : 1000);
            observations[i] = (sta_observation){values[i], true};
        }
        sta_sort_observations(observations, count);
        assert_near(sta_event_quantile(observations, NULL, count, 0.5),
                    sta_summarise(values, count).median);
    }
}

/* Engines that were through have all the time there is. */
TEST(a_censored_time_is_later_than_all_others) {
    sta_observation half[] = {{3, true}, {INFINITY, false}, {1, true}, {INFINITY, false}};
    sta_observation less[] = {{3, true}, {INFINITY, false}, {INFINITY, false}};
    sta_observation cut[] = {{3, true}, {2, false}, {2, false}};
    sta_sort_observations(half, 4);
    sta_sort_observations(less, 3);
    sta_sort_observations(cut, 3);
    assert_true(sta_event_quantile(half, NULL, 4, 0.5) == 3);
    assert_true(isinf(sta_event_quantile(half, NULL, 4, 0.75)));
    assert_true(isinf(sta_event_quantile(less, NULL, 3, 0.5)));
    assert_true(sta_event_quantile(cut, NULL, 3, 0.5) == 3);
}

/* ---- The log-rank test by simulation. */

static double exponential(base_rng *rng) {
    return -log(1 - base_rng_unit(rng));
}

/* How many of the rounds have a probability of at most 0.05; the second is this many times slower.
 */
static uint32_t count_small(size_t size, double budget, double slower, uint32_t rounds,
                            bool is_large) {
    base_rng rng;
    uint32_t small = 0;
    base_rng_seed(&rng, 4, size);
    for (uint32_t round = 0; round < rounds; round++) {
        sta_observation samples[2][32];
        sta_log_rank r;
        for (size_t i = 0; i < 2 * size; i++) {
            const double time = exponential(&rng) * (i % 2 == 0 ? 1 : slower);
            samples[i % 2][i / 2] = (sta_observation){fmin(time, budget), time <= budget};
        }
        assert_int_equal(sta_compare_survival(samples[0], size, samples[1], size, round, &r, NULL),
                         COL_OK);
        small += (is_large ? r.large_p : r.p) <= 0.05;
    }
    return small;
}

TEST(the_test_keeps_its_significance_level) {
#ifdef REDUCED
    enum { ROUNDS = 300 };
#else
    enum { ROUNDS = 2000 };
#endif
    /* 0.05 and four deviations. */
    const double most = ROUNDS * (0.05 + 4 * sqrt(0.05 * 0.95 / ROUNDS));
    const double least = ROUNDS * (0.05 - 4 * sqrt(0.05 * 0.95 / ROUNDS));
    assert_in_range(count_small(10, INFINITY, 1, ROUNDS, false), (uintmax_t)fmax(least, 1),
                    (uintmax_t)most);
    assert_in_range(count_small(10, 1, 1, ROUNDS, false), (uintmax_t)fmax(least, 1),
                    (uintmax_t)most);
    assert_true(count_small(5, 0.5, 1, ROUNDS, false) <= most);
    assert_true(count_small(10, 2, 10, ROUNDS / 10, false) > 0.8 * ROUNDS / 10);
}

/* ---- */

TEST(values_that_are_not_times_are_refused) {
    sta_observation bad[] = {{-1, true}, {NAN, false}, {INFINITY, true}};
    sta_observation good[] = {{1, true}};
    sta_log_rank r;
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(sta_compare_survival(good, 1, &bad[i], 1, 1, &r, NULL), COL_BAD_INPUT);
    assert_int_equal(sta_compare_survival(good, 1, good, 0, 1, &r, NULL), COL_BAD_INPUT);
}
