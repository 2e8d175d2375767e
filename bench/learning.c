/* SPDX-License-Identifier: MIT */
/*
 * Do the learning engines learn? Coverage at thirds of a budget of simulated cycles, and cycles
 * until errors are found, of each against its random twin and against the engines of the thesis.
 *   bench-learning coverage|errors [seeds=10] [first=1] [millions=2] [file=FILE.csv]
 *       [setting=rlg|dqg] [design=mesi3|moesi2] [cores=16|32] [metric=structural|functional]
 *       [CONTENDER...]
 * Without names all contenders run. NAME+OPTION=VALUE+... is one more, with options of its own; it
 * has NAME's pairs and one with NAME. A file keeps every curve; with it an interrupted run goes on.
 */
#include "base/clock.h"
#include "contrast.h"
#include "store.h"
#include "units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The settings of the two papers on coverage, and the search for errors. */
enum { RLG = 1, DQG = 2, ERROR = 4, SETTINGS = 2 };
enum { SIZES = 2, THIRDS = 3, MOST_CONTENDERS = 64 };

static const char *const settings[SETTINGS] = {"rlg", "dqg"};
static const char *const titles[SETTINGS] = {"1Ki to 64Ki operations, 4 to 128 locations",
                                             "1Ki to 4Ki operations, 4 to 128 locations"};
static const uint32_t sizes[SIZES] = {16, 32};
static const char *const thirds[THIRDS] = {"1/3", "2/3", "3/3"};

typedef struct entrant {
    contender contender;
    uint32_t settings; /* set of RLG, DQG, ERROR */
    const char *base;  /* of a contender with options of its own */
} entrant;

#define SHORT                                                                                      \
    { 1 << 10, 1 << 12 }
#define DIRECTED(name)                                                                             \
    { .label = (name), .engine = (name) }
#define RANDOM(name, actor)                                                                        \
    { .label = (name), .engine = (actor), .options = "policy=random", .is_blind = true }

static const entrant known[] = {
    {DIRECTED("rlg"), RLG | ERROR, NULL},
    {DIRECTED("rlg-bias"), RLG | ERROR, NULL},
    {DIRECTED("rlg-chain"), RLG | ERROR, NULL},
    {RANDOM("rlg-random", "rlg"), RLG, NULL},
    {RANDOM("rlg-bias-random", "rlg-bias"), RLG, NULL},
    {RANDOM("rlg-chain-random", "rlg-chain"), RLG | ERROR, NULL},
    {{.label = "chain-bias", .engine = "chain-bias", .is_blind = true}, RLG, NULL},
    {{.label = "ctg1", .engine = "ctg1", .is_blind = true}, ERROR, NULL},
    {DIRECTED("htg"), RLG | ERROR, NULL},
    {{.label = "dqg-rf", .engine = "dqg-rf", .operations = SHORT}, DQG, NULL},
    {{.label = "dqg-co", .engine = "dqg-co", .operations = SHORT}, DQG, NULL},
    {{.label = "dqg-corf", .engine = "dqg-corf", .operations = SHORT}, DQG | ERROR, NULL},
    {{.label = "rag", .engine = "rag", .operations = SHORT, .is_blind = true}, DQG | ERROR, NULL},
    {MTG("mtg-1Ki", NO_FLUSHES, 1 << 10), DQG | ERROR, NULL},
    {MTG("mtg-4Ki", NO_FLUSHES, 1 << 12), DQG, NULL},
    {MTG("mtg-64Ki", NO_FLUSHES, 1 << 16), ERROR, NULL},
};
enum { KNOWN = sizeof known / sizeof known[0] };

/* What is claimed to be better than what. */
static const struct claim {
    const char *first, *second;
} claims[] = {
    {"rlg", "rlg-random"},
    {"rlg", "chain-bias"},
    {"rlg", "htg"},
    {"rlg-bias", "rlg-bias-random"},
    {"rlg-bias", "chain-bias"},
    {"rlg-bias", "htg"},
    {"rlg-chain", "rlg-chain-random"},
    {"rlg-chain", "chain-bias"},
    {"rlg-chain", "htg"},
    {"rlg-chain", "ctg1"},
    {"rlg-chain", "mtg-64Ki"},
    {"dqg-rf", "rag"},
    {"dqg-rf", "mtg-1Ki"},
    {"dqg-rf", "mtg-4Ki"},
    {"dqg-co", "rag"},
    {"dqg-co", "mtg-1Ki"},
    {"dqg-co", "mtg-4Ki"},
    {"dqg-corf", "rag"},
    {"dqg-corf", "mtg-1Ki"},
    {"dqg-corf", "mtg-4Ki"},
    {"dqg-corf", "dqg-rf"},
    {"dqg-corf", "dqg-co"},
};
enum { CLAIMS = sizeof claims / sizeof claims[0] };

typedef struct bench {
    bool searches; /* for errors */
    uint32_t seeds;
    uint64_t first, cycles;
    const char *file, *setting, *design, *cores, *metric; /* NULL: all */
    entrant entrants[MOST_CONTENDERS];
    uint32_t count;
    trial *trials; /* that are not in the store */
    uint32_t trial_count;
    _Atomic uint32_t done;
    double start;
    store *store;
} bench;

/* What a table is about. */
typedef struct condition {
    const bench *bench;
    uint32_t setting, design, cores;
    col_metric metric;
} condition;

static bool is_chosen(const char *choice, const char *name) {
    return choice == NULL || strcmp(choice, name) == 0;
}

static bool is_size_chosen(const bench *b, uint32_t cores) {
    return b->searches ? cores == 32 : b->cores == NULL || strtoul(b->cores, NULL, 10) == cores;
}

/* In the search for errors, or in a setting that was chosen. */
static bool takes_part(const bench *b, const entrant *e) {
    uint32_t chosen = b->searches ? ERROR : 0;
    for (uint32_t i = 0; !b->searches && i < SETTINGS; i++)
        chosen |= is_chosen(b->setting, settings[i]) ? UINT32_C(1) << i : 0;
    return (e->settings & chosen) != 0;
}

/* ---- The command line. */

static void add_entrant(bench *b, const entrant *e) {
    if (b->count == MOST_CONTENDERS)
        give_up("too many contenders");
    b->entrants[b->count++] = *e;
}

/* NAME or NAME+OPTION=VALUE+OPTION=VALUE. */
static void add_named(bench *b, const char *name) {
    const size_t base = strcspn(name, "+");
    for (uint32_t i = 0; i < KNOWN; i++) {
        entrant e = known[i];
        if (strlen(e.contender.label) != base || strncmp(e.contender.label, name, base) != 0)
            continue;
        if (b->searches)
            e.settings |= ERROR;
        if (name[base] != '\0') {
            const char *before = e.contender.options == NULL ? "" : e.contender.options;
            const size_t length = strlen(before) + strlen(name + base) + 1;
            char *options = take_memory(length); /* lives as long as the bench */
            (void)snprintf(options, length, "%s%s", before, name + base + (before[0] == '\0'));
            for (char *plus = strchr(options, '+'); plus != NULL; plus = strchr(plus, '+'))
                *plus = ',';
            e.base = e.contender.label;
            e.contender.label = name;
            e.contender.options = options;
        }
        add_entrant(b, &e);
        return;
    }
    give_up("there is no such contender");
}

static bool take_option(bench *b, const char *text) {
    static const char *const names[] = {
        "seeds=", "first=", "millions=", "file=", "setting=", "design=", "cores=", "metric="};
    enum { NAMES = sizeof names / sizeof names[0] };
    uint32_t which = 0;
    while (which < NAMES && strncmp(text, names[which], strlen(names[which])) != 0)
        which++;
    if (which == NAMES)
        return false;
    const char *value = text + strlen(names[which]);
    const char **const choices[NAMES] = {NULL,        NULL,       NULL,      &b->file,
                                         &b->setting, &b->design, &b->cores, &b->metric};
    if (which == 0)
        b->seeds = (uint32_t)strtoul(value, NULL, 10);
    else if (which == 1)
        b->first = strtoull(value, NULL, 10);
    else if (which == 2)
        b->cycles = (uint64_t)(1e6 * strtod(value, NULL));
    else
        *choices[which] = value;
    return true;
}

static void take_arguments(bench *b, int count, char **arguments) {
    b->searches = count > 1 && strcmp(arguments[1], "errors") == 0;
    if (count < 2 || (!b->searches && strcmp(arguments[1], "coverage") != 0))
        give_up("say coverage or errors");
    for (int i = 2; i < count; i++)
        if (!take_option(b, arguments[i]))
            add_named(b, arguments[i]);
    bool takes_all = true;
    for (uint32_t i = 0; i < b->count; i++)
        takes_all = takes_all && b->entrants[i].base != NULL;
    for (uint32_t i = 0; takes_all && i < KNOWN; i++)
        if (takes_part(b, &known[i]))
            add_entrant(b, &known[i]);
    for (uint32_t i = 0; i < b->count; i++)
        if (!takes_part(b, &b->entrants[i]))
            give_up("a contender is not of this setting");
    if (b->seeds == 0 || b->seeds > MOST_SEEDS)
        give_up("the number of seeds is from 1 to 64");
}

/* ---- Running. */

static trial trial_of(const condition *c, const contender *who, const char *error, uint32_t seed) {
    return (trial){.contender = who,
                   .design = designs[c->design],
                   .error = error,
                   .cores = c->cores,
                   .metric = c->metric,
                   .seed = c->bench->first + seed,
                   .cycles = c->bench->cycles};
}

static void plan_trial(bench *b, const trial *t) {
    if (store_find(b->store, t) == NULL)
        b->trials[b->trial_count++] = *t;
}

static void plan_condition(bench *b, const condition *c, uint32_t seed) {
    for (uint32_t i = 0; i < b->count; i++) {
        const contender *who = &b->entrants[i].contender;
        /* One episode of a blind engine shows both metrics. */
        if (who->is_blind && c->metric != COL_STRUCTURAL && b->metric == NULL)
            continue;
        for (uint32_t e = 0; e < (b->searches ? ERRORS : 1); e++) {
            const trial t = trial_of(c, who, b->searches ? errors[c->design][e] : NULL, seed);
            plan_trial(b, &t);
        }
    }
}

/* The next condition of those that were chosen; `at` goes on from 0. */
static bool next_condition(condition *c, uint32_t *at) {
    while (*at < DESIGNS * SIZES * COL_METRIC_COUNT) {
        const uint32_t i = (*at)++;
        c->design = i / COL_METRIC_COUNT / SIZES;
        c->cores = sizes[i / COL_METRIC_COUNT % SIZES];
        c->metric = (col_metric)(i % COL_METRIC_COUNT);
        if (is_chosen(c->bench->design, designs[c->design]) && is_size_chosen(c->bench, c->cores) &&
            is_chosen(c->bench->metric, col_metrics[c->metric]))
            return true;
    }
    return false;
}

/* Seed by seed: what is interrupted has some seeds of everything. */
static void plan(bench *b) {
    b->trials = take_memory((size_t)DESIGNS * SIZES * COL_METRIC_COUNT * ERRORS * b->count *
                            b->seeds * sizeof *b->trials);
    for (uint32_t seed = 0; seed < b->seeds; seed++) {
        condition c = {.bench = b};
        for (uint32_t at = 0; next_condition(&c, &at);)
            plan_condition(b, &c, seed);
    }
    if (!next_condition(&(condition){.bench = b}, &(uint32_t){0}))
        give_up("there is no such design, number of cores or metric");
}

static void run_unit(void *context, uint32_t unit) {
    bench *b = context;
    sample taken;
    sample_take(&b->trials[unit], &taken);
    store_add(b->store, &b->trials[unit], &taken);
    const uint32_t done = ++b->done, all = b->trial_count;
    if (done * 100 / all != (done - 1) * 100 / all)
        (void)fprintf(stderr, "%u of %u episodes, %.0f seconds\n", done, all,
                      base_seconds() - b->start);
}

static const sample *sample_of(const condition *c, const contender *who, const char *error,
                               uint32_t seed) {
    const trial t = trial_of(c, who, error, seed);
    const sample *s = store_find(c->bench->store, &t);
    if (s == NULL)
        give_up("an episode is missing");
    return s;
}

/* ---- Pairs. */

static const entrant *find_entrant(const bench *b, const char *label, uint32_t setting) {
    for (uint32_t i = 0; i < b->count; i++)
        if (strcmp(b->entrants[i].contender.label, label) == 0 &&
            (b->entrants[i].settings & setting) != 0)
            return &b->entrants[i];
    return NULL;
}

static bool has_entrants(const bench *b, uint32_t setting) {
    for (uint32_t i = 0; i < b->count; i++)
        if ((b->entrants[i].settings & setting) != 0)
            return true;
    return false;
}

static void add_pair(pair *pairs, uint32_t *count, const entrant *first, const entrant *second) {
    if (second == NULL)
        return;
    if (*count == MOST_PAIRS)
        give_up("too many pairs of contenders");
    pairs[(*count)++] = (pair){&first->contender, &second->contender};
}

/* Of the contenders that there are. One with options of its own has the claims of its base, and is
 * compared with it. */
static uint32_t find_pairs(const bench *b, uint32_t setting, pair pairs[MOST_PAIRS]) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        const entrant *e = &b->entrants[i];
        const char *name = e->base == NULL ? e->contender.label : e->base;
        if ((e->settings & setting) == 0)
            continue;
        if (e->base != NULL)
            add_pair(pairs, &count, e, find_entrant(b, e->base, setting));
        for (uint32_t j = 0; j < CLAIMS; j++)
            if (strcmp(claims[j].first, name) == 0)
                add_pair(pairs, &count, e, find_entrant(b, claims[j].second, setting));
    }
    return count;
}

static void explain_pairs(const bench *b) {
    (void)printf("Pairs: the difference of the medians, p of the two-sided Mann-Whitney test (%s), "
                 "and A12, the share of pairs of seeds in which the first is better. \\* p < 0.05; "
                 "\\*\\* still so when corrected for all comparisons of the table (Holm). Many "
                 "comparisons are made: where nothing differs, one in twenty has a star by chance "
                 "alone.\n",
                 2 * b->seeds <= STA_MOST_EXACT ? "exact, ties included" : "normal approximation");
}

/* ---- Coverage. */

static void gather_coverage(const void *context, const contender *who, uint32_t third,
                            double *values) {
    const condition *c = context;
    for (uint32_t seed = 0; seed < c->bench->seeds; seed++)
        values[seed] = sample_covered_at(sample_of(c, who, NULL, seed), c->metric,
                                         c->bench->cycles * (third + 1) / THIRDS);
}

static void print_cost(const condition *c, const contender *who) {
    double tests[MOST_SEEDS] = {0}, seconds[MOST_SEEDS] = {0};
    for (uint32_t seed = 0; seed < c->bench->seeds; seed++) {
        const sample *s = sample_of(c, who, NULL, seed);
        tests[seed] = (double)s->tests;
        seconds[seed] = s->processor_seconds;
    }
    (void)printf(" %.0f | %.1f |\n", sta_summarise(tests, c->bench->seeds).median,
                 sta_summarise(seconds, c->bench->seeds).median);
}

static void print_distributions(const condition *c) {
    const bench *b = c->bench;
    (void)printf("\n**%s, %u cores, %s**\n\n| contender | 1/3 | 2/3 | 3/3 | tests | seconds |\n"
                 "| --- | --: | --: | --: | --: | --: |\n",
                 designs[c->design], c->cores, col_metrics[c->metric]);
    for (uint32_t i = 0; i < b->count; i++) {
        const contender *who = &b->entrants[i].contender;
        if ((b->entrants[i].settings & c->setting) == 0)
            continue;
        (void)printf("| %s |", who->label);
        for (uint32_t third = 0; third < THIRDS; third++) {
            double values[MOST_SEEDS] = {0};
            gather_coverage(c, who, third, values);
            const sta_quartiles q = sta_summarise(values, b->seeds);
            (void)printf(" %.1f (%.1f %.1f %.1f %.1f) |", q.median, q.least, q.lower, q.upper,
                         q.most);
        }
        print_cost(c, who);
    }
}

static void print_caption(const bench *b, const char *title) {
    (void)printf(
        "\n## %s\n\nCoverage in percent at thirds of %.2f million cycles: median (least, "
        "lower quartile, upper quartile, most) of %u seeds; tests and processor seconds of "
        "an episode, medians. ",
        title, (double)b->cycles / 1e6, b->seeds);
    explain_pairs(b);
}

static void print_setting(const bench *b, uint32_t setting) {
    pair pairs[MOST_PAIRS];
    condition c = {.bench = b, .setting = UINT32_C(1) << setting};
    const contrast table = {.pairs = pairs,
                            .pair_count = find_pairs(b, c.setting, pairs),
                            .columns = thirds,
                            .column_count = THIRDS,
                            .seeds = b->seeds,
                            .gather = gather_coverage,
                            .context = &c};
    findings *found = take_memory(sizeof *found);
    tally *sum = take_memory(sizeof *sum);
    print_caption(b, titles[setting]);
    for (uint32_t at = 0; next_condition(&c, &at);) {
        print_distributions(&c);
        contrast_find(&table, found);
        contrast_print(&table, found);
        tally_add(sum, &table, found);
    }
    if (table.pair_count > 0)
        (void)printf(
            "\n**All together**: in how many of the %u tables the first is better, and worse, "
            "corrected (in brackets: p < 0.05 alone); mean A12.\n",
            sum->tables);
    tally_print(sum, &table);
    free(found);
    free(sum);
}

/* ---- Errors. */

/* Thousands of cycles; infinite: not found. The last test of an episode may go beyond the budget,
 * which must not favour those with large tests. */
static void gather_times(const void *context, const contender *who, uint32_t error,
                         double *values) {
    const condition *c = context;
    for (uint32_t seed = 0; seed < c->bench->seeds; seed++) {
        const sample *s = sample_of(c, who, errors[c->design][error], seed);
        const bool is_found = s->outcome != COL_PASS && s->cycles <= c->bench->cycles;
        values[seed] = is_found ? (double)s->cycles / 1e3 : INFINITY;
    }
}

static double median_time(const condition *c, const contender *who, uint32_t error,
                          uint32_t *found) {
    double values[MOST_SEEDS] = {0};
    gather_times(c, who, error, values);
    *found = 0;
    for (uint32_t seed = 0; seed < c->bench->seeds; seed++)
        *found += isfinite(values[seed]) ? 1 : 0;
    return sta_summarise(values, c->bench->seeds).median;
}

static void print_times(const condition *c, uint32_t error) {
    const bench *b = c->bench;
    double best = INFINITY;
    uint32_t found;
    for (uint32_t i = 0; i < b->count; i++)
        best = fmin(best, median_time(c, &b->entrants[i].contender, error, &found));
    (void)printf("| %s | %s |", errors[c->design][error], col_metrics[c->metric]);
    for (uint32_t i = 0; i < b->count; i++) {
        const double time = median_time(c, &b->entrants[i].contender, error, &found);
        const char *mark = time <= best && isfinite(time) ? "**" : "";
        if (isfinite(time))
            (void)printf(" %s%.*f%s (%u) |", mark, time < 10 ? 1 : 0, time, mark, found);
        else
            (void)printf(" >%.0f (%u) |", (double)b->cycles / 1e3, found);
    }
    (void)printf("\n");
}

/* Error by error, as the thesis has it. */
static void print_design(const bench *b, uint32_t design) {
    (void)printf("\n**%s, 32 cores**\n\n| error | fed |", designs[design]);
    for (uint32_t i = 0; i < b->count; i++)
        (void)printf(" %s |", b->entrants[i].contender.label);
    (void)printf("\n| --- | --- |");
    for (uint32_t i = 0; i < b->count; i++)
        (void)printf(" --: |");
    (void)printf("\n");
    for (uint32_t error = 0; error < ERRORS; error++) {
        condition c = {.bench = b, .setting = ERROR};
        for (uint32_t at = 0; next_condition(&c, &at);)
            if (c.design == design)
                print_times(&c, error);
    }
}

static void print_errors(const bench *b) {
    pair pairs[MOST_PAIRS];
    condition c = {.bench = b, .setting = ERROR};
    contrast table = {.pairs = pairs,
                      .pair_count = find_pairs(b, ERROR, pairs),
                      .column_count = ERRORS,
                      .seeds = b->seeds,
                      .less_is_better = true,
                      .gather = gather_times,
                      .context = &c};
    findings *found = take_memory(sizeof *found);
    (void)printf("\nThousands of cycles until an error is found, median, and in brackets how many "
                 "of %u seeds found it within %.2f million; the least in bold. Better is sooner. ",
                 b->seeds, (double)b->cycles / 1e6);
    explain_pairs(b);
    for (uint32_t design = 0; design < DESIGNS; design++)
        if (is_chosen(b->design, designs[design]))
            print_design(b, design);
    for (uint32_t at = 0; next_condition(&c, &at);) {
        table.columns = errors[c.design];
        (void)printf("\n**%s, fed with %s coverage**\n", designs[c.design], col_metrics[c.metric]);
        contrast_find(&table, found);
        contrast_print(&table, found);
    }
    free(found);
}

int main(int count, char **arguments) {
    bench *b = take_memory(sizeof *b);
    *b = (bench){.seeds = 10, .first = 1, .cycles = 2000000, .start = base_seconds()};
    take_arguments(b, count, arguments);
    b->store = store_open(b->file);
    plan(b);
    units_run(b->trial_count, run_unit, b);
    (void)fprintf(stderr, "%u episodes in %.0f seconds, %.0f of processors\n", b->trial_count,
                  base_seconds() - b->start, base_processor_seconds());
    if (b->searches)
        print_errors(b);
    for (uint32_t i = 0; !b->searches && i < SETTINGS; i++)
        if (is_chosen(b->setting, settings[i]) && has_entrants(b, UINT32_C(1) << i))
            print_setting(b, i);
    store_close(b->store);
    free(b->trials);
    free(b);
    return 0;
}
