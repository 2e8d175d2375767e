/* SPDX-License-Identifier: MIT */
/*
 * Grids give the trials that a simple expander gives, in its order: random plans of defaults,
 * grids, scales and combinations that are left out. Equal trials, however they are spelled, are
 * one. What a user chooses of a plan is what the same words leave out of it.
 */
#include "base/random.h"
#include "harness.h"
#include "results/plan/plan.h"
#include "results/plan/trial.h"

#include <stdlib.h>
#include <string.h>

static char *trial_text(const cam_trial *trial) {
    base_text text = {0};
    cam_trial_print(trial, &text);
    assert_false(text.failed);
    return text.data;
}

/* Settings, in the order of pairs, with values as plans spell them and as trials do. */

typedef struct value {
    const char *plan, *trial; /* NULL: not given */
} value;

typedef struct setting {
    const char *name;
    value values[4];
} setting;

static const setting settings[] = {
    {"design", {{"mesi3", "mesi3"}, {"\"a b.yaml\"", "a b.yaml"}, {"mesi2", "mesi2"}}},
    {"cores", {{"8", "8"}, {"0x10", "16"}, {"none", NULL}, {"1Ki", "1024"}}},
    {"error", {{"E.4.1", "E.4.1"}, {"none", NULL}, {"D9", "D9"}}},
    {"engine", {{"htg", "htg"}, {"rlg", "rlg"}, {"plain", "plain"}}},
    {"ops", {{"1Ki:2Ki", "1024:2048"}, {"4Ki:4Ki", "4096"}, {"4096", "4096"}, {"7", "7"}}},
    {"metric", {{"functional", "functional"}, {"structural", "structural"}}},
    {"keep-going", {{"yes", "yes"}, {"no", NULL}}},
    {"cycles", {{"2Mi", "2097152"}, {"none", NULL}, {"2000000", "2000000"}}},
    {"time", {{"60s", "60s"}, {"0.50s", "0.5s"}, {"1e3s", "1000s"}}},
    {"seed", {{"1", "1"}, {"2", "2"}, {"3", "3"}, {"0x4", "4"}}},
};
enum { SETTINGS = sizeof settings / sizeof settings[0], SEED = SETTINGS - 1, MOST_VALUES = 4 };

/* Of each setting: which of its values, and where it stands among the names. 0 values: it is not
 * named. */
typedef struct map {
    uint32_t counts[SETTINGS], values[SETTINGS][MOST_VALUES], order[SETTINGS];
    uint32_t named;
} map;

enum { GRIDS = 3, RULES = 2 };

typedef struct random_plan {
    map defaults, grids[GRIDS], rules[RULES], scale;
    uint32_t grid_count, rule_count;
    bool is_scaled;
} random_plan;

static uint32_t value_count(uint32_t s) {
    uint32_t count = 0;
    while (count < MOST_VALUES && settings[s].values[count].plan != NULL)
        count++;
    return count;
}

static uint32_t draw(base_rng *rng, uint32_t bound) {
    return (uint32_t)base_rng_below(rng, bound);
}

static void draw_map(map *m, base_rng *rng, uint32_t chance, uint32_t most_values) {
    *m = (map){.named = 0};
    for (uint32_t s = 0; s < SETTINGS; s++) {
        if (draw(rng, 100) >= chance)
            continue;
        const uint32_t most = value_count(s) < most_values ? value_count(s) : most_values;
        m->counts[s] = 1 + draw(rng, most);
        for (uint32_t v = 0; v < m->counts[s]; v++)
            m->values[s][v] = draw(rng, value_count(s)); /* the same one twice, too */
        const uint32_t at = draw(rng, m->named + 1);
        memmove(&m->order[at + 1], &m->order[at], (m->named - at) * sizeof m->order[0]);
        m->order[at] = s;
        m->named++;
    }
}

static void draw_plan(random_plan *p, base_rng *rng) {
    p->grid_count = 1 + draw(rng, GRIDS);
    p->rule_count = draw(rng, RULES + 1);
    p->is_scaled = draw(rng, 2) == 0;
    draw_map(&p->defaults, rng, 30, 2);
    for (uint32_t g = 0; g < p->grid_count; g++)
        draw_map(&p->grids[g], rng, 50, 3);
    for (uint32_t r = 0; r < p->rule_count; r++)
        do
            draw_map(&p->rules[r], rng, 20, 2);
        while (p->rules[r].named == 0);
    draw_map(&p->scale, rng, 20, 2);
    for (uint32_t g = 0; g < p->grid_count; g++) /* a design is needed */
        if (p->defaults.counts[0] == 0 && p->grids[g].counts[0] == 0) {
            p->defaults.counts[0] = 1;
            p->defaults.order[p->defaults.named++] = 0;
        }
}

static void write_map(const map *m, base_text *text) {
    base_text_add(text, "{");
    for (uint32_t i = 0; i < m->named; i++) {
        const uint32_t s = m->order[i];
        base_text_print(text, "%s%s: ", i == 0 ? "" : ", ", settings[s].name);
        if (m->counts[s] > 1)
            base_text_add(text, "[");
        for (uint32_t v = 0; v < m->counts[s]; v++)
            base_text_print(text, "%s%s", v == 0 ? "" : ", ",
                            settings[s].values[m->values[s][v]].plan);
        if (m->counts[s] > 1)
            base_text_add(text, "]");
    }
    base_text_add(text, "}\n");
}

static void write_plan(const random_plan *p, base_text *text) {
    base_text_add(text, "plan: random\ndefaults: ");
    write_map(&p->defaults, text);
    base_text_add(text, "grids:\n");
    for (uint32_t g = 0; g < p->grid_count; g++) {
        base_text_add(text, "  - ");
        write_map(&p->grids[g], text);
    }
    if (p->rule_count > 0)
        base_text_add(text, "without:\n");
    for (uint32_t r = 0; r < p->rule_count; r++) {
        base_text_add(text, "  - ");
        write_map(&p->rules[r], text);
    }
    base_text_add(text, "scales:\n  small: ");
    write_map(&p->scale, text);
}

/* The expander. A trial is a value for each setting. */
typedef struct expander {
    const random_plan *plan;
    const map *sources[SETTINGS]; /* whose values a setting takes; NULL: nobody's */
    uint32_t order[SETTINGS], named;
    const char *values[SETTINGS];
    char **trials;
    size_t count;
} expander;

static bool is_named_by_a_grid(const random_plan *p, uint32_t s) {
    for (uint32_t g = 0; g < p->grid_count; g++)
        if (p->grids[g].counts[s] > 0)
            return true;
    return false;
}

static bool is_left_out(const expander *x) {
    for (uint32_t r = 0; r < x->plan->rule_count; r++) {
        const map *rule = &x->plan->rules[r];
        bool matches = true;
        for (uint32_t s = 0; s < SETTINGS; s++) {
            bool has = rule->counts[s] == 0;
            for (uint32_t v = 0; v < rule->counts[s]; v++) {
                const char *wanted = settings[s].values[rule->values[s][v]].trial;
                has = has ||
                      (wanted == NULL || x->values[s] == NULL ? wanted == x->values[s]
                                                              : strcmp(wanted, x->values[s]) == 0);
            }
            matches = matches && has;
        }
        if (matches)
            return true;
    }
    return false;
}

static void add_expected(expander *x) {
    base_text text = {0};
    if (is_left_out(x))
        return;
    for (uint32_t s = 0; s < SETTINGS; s++)
        if (x->values[s] != NULL)
            base_text_print(&text, "%s%s=%s", text.length == 0 ? "" : " ", settings[s].name,
                            x->values[s]);
    for (size_t i = 0; i < x->count; i++)
        if (strcmp(x->trials[i], text.data) == 0) {
            base_text_free(&text);
            return;
        }
    x->trials = realloc(x->trials, (x->count + 1) * sizeof *x->trials);
    x->trials[x->count++] = text.data;
}

static void expand_from(expander *x, uint32_t axis) {
    if (axis == x->named) {
        add_expected(x);
        return;
    }
    const uint32_t s = x->order[axis];
    const map *source = x->sources[s];
    for (uint32_t v = 0; v < source->counts[s]; v++) {
        x->values[s] = settings[s].values[source->values[s][v]].trial;
        expand_from(x, axis + 1);
    }
}

static void name_axis(expander *x, uint32_t s, const map *source) {
    const map *scale = &x->plan->scale;
    const bool is_scaled = x->plan->is_scaled && scale->counts[s] > 0;
    x->sources[s] = is_scaled ? scale : source;
    x->order[x->named++] = s;
}

static void expand_grid(expander *x, const map *grid) {
    const random_plan *p = x->plan;
    static const map one = {.counts = {[SEED] = 1}};
    x->named = 0;
    memset(x->values, 0, sizeof x->values);
    for (uint32_t i = 0; i < p->defaults.named; i++)
        if (grid->counts[p->defaults.order[i]] == 0)
            name_axis(x, p->defaults.order[i], &p->defaults);
    for (uint32_t i = 0; p->is_scaled && i < p->scale.named; i++) {
        const uint32_t s = p->scale.order[i];
        if (s != SEED && p->defaults.counts[s] == 0 && !is_named_by_a_grid(p, s))
            name_axis(x, s, &p->scale);
    }
    for (uint32_t i = 0; i < grid->named; i++)
        name_axis(x, grid->order[i], grid);
    if (p->defaults.counts[SEED] == 0 && grid->counts[SEED] == 0)
        name_axis(x, SEED, &one);
    expand_from(x, 0);
}

static void assert_expands(const random_plan *p) {
    base_text text = {0};
    expander x = {.plan = p};
    cam_plan plan = {0};
    col_problem problem;
    write_plan(p, &text);
    for (uint32_t g = 0; g < p->grid_count; g++)
        expand_grid(&x, &p->grids[g]);
    const char *scale = p->is_scaled ? "small" : NULL;
    const col_status status =
        cam_plan_read(&plan, text.data, text.length, "random.yaml", scale, &problem);
    if (status != (x.count == 0 ? COL_BAD_INPUT : COL_OK))
        fail_msg("%s\n%s", problem.message, text.data);
    assert_int_equal(plan.trial_count, x.count);
    for (size_t i = 0; i < x.count; i++) {
        char *got = trial_text(&plan.trials[i]);
        if (strcmp(got, x.trials[i]) != 0)
            fail_msg("%s\ntrial %zu is %s, not %s", text.data, i, got, x.trials[i]);
        free(got);
        free(x.trials[i]);
    }
    free(x.trials);
    cam_plan_free(&plan);
    base_text_free(&text);
}

TEST(grids_give_the_trials_of_a_simple_expander) {
#ifdef REDUCED
    enum { ROUNDS = 150 };
#else
    enum { ROUNDS = 1500 };
#endif
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        random_plan p;
        base_rng rng;
        base_rng_seed(&rng, 12, seed);
        draw_plan(&p, &rng);
        assert_expands(&p);
    }
}

/* ---- Choosing. */

static col_status read_scaled(const random_plan *p, cam_plan *plan) {
    base_text text = {0};
    write_plan(p, &text);
    const col_status status = cam_plan_read(plan, text.data, text.length, "random.yaml",
                                            p->is_scaled ? "small" : NULL, NULL);
    base_text_free(&text);
    return status;
}

static size_t assert_chooses_the_rest(random_plan *p) {
    base_text where = {0};
    cam_plan all = {0}, rest = {0};
    size_t left = 0;
    p->rule_count = 0;
    assert_int_equal(read_scaled(p, &all), COL_OK);
    p->rule_count = 1;
    (void)read_scaled(p, &rest); /* refused if it leaves out all, with none */
    bool *chosen = malloc(all.trial_count);
    assert_non_null(chosen);
    memset(chosen, true, all.trial_count);
    write_map(&p->rules[0], &where);
    const col_status status = cam_plan_choose(&all, where.data, chosen, NULL);
    assert_int_equal(status, rest.trial_count == all.trial_count ? COL_BAD_INPUT : COL_OK);
    for (size_t i = 0; i < all.trial_count; i++) {
        if (chosen[i])
            continue;
        assert_true(left < rest.trial_count);
        char *got = trial_text(&all.trials[i]), *wanted = trial_text(&rest.trials[left++]);
        assert_string_equal(got, wanted);
        free(got);
        free(wanted);
    }
    assert_int_equal(left, rest.trial_count);
    const size_t count = all.trial_count - left;
    free(chosen);
    base_text_free(&where);
    cam_plan_free(&rest);
    cam_plan_free(&all);
    return count;
}

TEST(what_is_chosen_is_what_the_same_words_leave_out) {
    enum { ROUNDS = 300 };
    size_t chosen = 0;
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        random_plan p;
        base_rng rng;
        base_rng_seed(&rng, 13, seed);
        draw_plan(&p, &rng);
        do
            draw_map(&p.rules[0], &rng, 20, 3);
        while (p.rules[0].named == 0);
        chosen += assert_chooses_the_rest(&p) > 0;
    }
    assert_true(chosen > ROUNDS / 10);
}
