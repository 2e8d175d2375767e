/* SPDX-License-Identifier: MIT */
/*
 * How often do forecasts of new coverage points hold? At several moments of each run, the forecast
 * for as many tests again, and for the rest of the run, beside what came. The seeds from 1001 on
 * are those that the forecast was fitted to.
 *
 * bench-discovery [FIRST LAST [DESIGN...]]: the seeds, 1 to 20 unless given, and the designs.
 * The reference is the textbook's: Chao's estimator, extrapolated (Chao and Jost 2012), with the
 * shortest Poisson interval.
 */
#include "collider/episode.h"
#include "cover/coverage.h"
#include "episode/episode_settings.h"
#include "units.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_MOMENTS = 8, MOST_DESIGNS = 16, ENGINES = 4 };

typedef struct engine {
    const char *name;
    uint64_t tests; /* of a run; those of scout are small */
} engine;

static const engine engines[ENGINES] = {
    {"scout", 2048}, {"chain-bias", 512}, {"htg", 512}, {"mtg", 512}};

/* Forecasts, those that held, and sums over them. */
typedef struct tally {
    uint64_t count, held, any;
    double found, expected, chance, width;
} tally;

typedef struct bench {
    uint32_t first, seeds, design_count;
    const char *designs[MOST_DESIGNS];
    pthread_mutex_t lock;
    tally tallies[ENGINES][MOST_DESIGNS];
    tally again, rest, reference;
} bench;

typedef struct run {
    uint64_t tests;
    cov_incidence moments[MOST_MOMENTS];
    uint32_t covered[MOST_MOMENTS], count;
} run;

/* At 128 tests, and whenever they have doubled. */
static void note(void *context, const col_progress *p) {
    run *r = context;
    if (p->tests < COV_LEAST_TESTS || (p->tests & (p->tests - 1)) != 0 || r->count == MOST_MOMENTS)
        return;
    r->moments[r->count] = cov_incidence_of(p->coverage, p->tests);
    r->covered[r->count++] =
        col_coverage_of(p->coverage, COL_CUMULATIVE, COL_STRUCTURAL, COL_ALL_MACHINES).covered;
}

static void add(tally *t, const cov_forecast *f, uint32_t found) {
    t->count++;
    t->held += found >= f->low && found <= f->high;
    t->any += found > 0;
    t->found += found;
    t->expected += f->expected;
    t->chance += f->chance;
    t->width += f->high - f->low + 1;
}

/* The shortest interval of a Poisson distribution with 90 % of it. */
static void find_poisson(double mean, cov_forecast *f) {
    uint32_t low = (uint32_t)mean, high = low;
    double first = exp(-mean + low * log(mean) - lgamma(low + 1.0)), last = first, sum = first;
    while (sum < 0.9) {
        const double below = low == 0 ? 0 : first * low / mean, above = last * mean / (high + 1.0);
        if (above >= below) {
            last = above;
            high++;
        } else {
            first = below;
            low--;
        }
        sum += above >= below ? above : below;
    }
    f->low = low;
    f->high = high;
}

static cov_forecast chao(const cov_incidence *n, double ahead) {
    const double tests = (double)n->tests, once = n->hit_by[0], twice = n->hit_by[1];
    const double unseen =
        (tests - 1) / tests * (twice > 0 ? once * once / (2 * twice) : once * (once - 1) / 2);
    cov_forecast f = {.expected = 0};
    if (unseen <= 0)
        return f;
    f.expected = unseen * (1 - pow(1 - once / (tests * unseen + once), tests * ahead));
    f.chance = 1 - exp(-f.expected);
    find_poisson(f.expected, &f);
    return f;
}

static void compare(bench *b, const run *r, uint32_t from, uint32_t to, tally *own, tally *all) {
    const double ahead = (double)r->moments[to].tests / (double)r->moments[from].tests - 1;
    const uint32_t found = r->covered[to] - r->covered[from];
    const cov_forecast f = cov_forecast_of(&r->moments[from], ahead);
    const cov_forecast reference = chao(&r->moments[from], ahead);
    add(own, &f, found);
    add(all, &f, found);
    add(&b->reference, &reference, found);
}

/* Each moment with the one after it, and with the last. */
static void compare_all(bench *b, const run *r, tally *own) {
    for (uint32_t i = 0; i + 1 < r->count; i++) {
        compare(b, r, i, i + 1, own, &b->again);
        if (i + 2 < r->count)
            compare(b, r, i, r->count - 1, own, &b->rest);
    }
}

static void set(col_episode_settings *s, const char *name, const char *value) {
    col_problem problem;
    if (col_episode_set(s, name, value, &problem) != COL_OK)
        give_up(problem.message);
}

static void run_one(void *context, uint32_t unit) {
    bench *b = context;
    const uint32_t e = unit % ENGINES, d = unit / ENGINES % b->design_count;
    run r = {.count = 0};
    col_episode_settings settings;
    col_episode episode = {0};
    col_problem problem;
    epi_settings_begin(&settings);
    set(&settings, "engine", engines[e].name);
    set(&settings, "ops", "256:2Ki");
    epi_settings_end(&settings);
    settings.setting.design.name = b->designs[d];
    settings.seed = b->first + unit / ENGINES / b->design_count;
    settings.tests = engines[e].tests;
    settings.has_operations = true;
    settings.jobs = 1;
    settings.progress = note;
    settings.context = &r;
    if (col_episode_run(&settings, &episode, &problem) != COL_OK)
        give_up(problem.message);
    if (episode.tests != engines[e].tests)
        give_up("an episode ended early");
    (void)pthread_mutex_lock(&b->lock);
    compare_all(b, &r, &b->tallies[e][d]);
    (void)pthread_mutex_unlock(&b->lock);
    col_episode_free(&episode);
}

static void print_row(const char *engine_name, const char *design, const tally *t) {
    const double n = t->count == 0 ? 1 : (double)t->count;
    printf("| %s | %s | %llu | %.0f %% | %.2f | %.2f | %.1f | %.0f %% | %.0f %% |\n", engine_name,
           design, (unsigned long long)t->count, 100 * (double)t->held / n, t->expected / n,
           t->found / n, t->width / n, 100 * t->chance / n, 100 * (double)t->any / n);
}

static void sum(tally *to, const tally *t) {
    to->count += t->count;
    to->held += t->held;
    to->any += t->any;
    to->found += t->found;
    to->expected += t->expected;
    to->chance += t->chance;
    to->width += t->width;
}

static void print(const bench *b) {
    tally all = {0};
    printf(
        "| engine | design | forecasts | interval held | expected | found | width | chance of one "
        "| found one |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (uint32_t e = 0; e < ENGINES; e++) {
        tally own = {0};
        for (uint32_t d = 0; d < b->design_count; d++) {
            print_row(engines[e].name, b->designs[d], &b->tallies[e][d]);
            sum(&own, &b->tallies[e][d]);
        }
        print_row(engines[e].name, "all", &own);
        sum(&all, &own);
    }
    print_row("as long again", "all", &b->again);
    print_row("rest, 3 to 15 times as long", "all", &b->rest);
    print_row("all", "all", &all);
    print_row("Chao's estimator", "all", &b->reference);
}

int main(int count, char **words) {
    static bench b = {.first = 1,
                      .seeds = 20,
                      .design_count = 4,
                      .designs = {"mesi3", "mesi2", "moesi2", "tsocc"},
                      .lock = PTHREAD_MUTEX_INITIALIZER};
    if (count > 2) {
        b.first = (uint32_t)strtoul(words[1], NULL, 10);
        b.seeds = (uint32_t)strtoul(words[2], NULL, 10) - b.first + 1;
    }
    if (count > 3)
        b.design_count = 0;
    for (int i = 3; i < count && b.design_count < MOST_DESIGNS; i++)
        b.designs[b.design_count++] = words[i];
    units_run(b.seeds * b.design_count * ENGINES, run_one, &b);
    print(&b);
    return 0;
}
