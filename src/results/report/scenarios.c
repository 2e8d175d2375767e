/* SPDX-License-Identifier: MIT */
/*
 * Who contends, and where. Engines contend, methods of tours likewise; where there is one alone,
 * the last setting that varies does. A setting that follows from the contender (only one engine has
 * sets, say) tells no scenarios apart; nor does one of which a contender has values that no other
 * one has, nor do an engine's options: these are variants of it, which contend as well. Design,
 * cores and what was put in always tell them apart.
 */
#include "results/report/report_maker.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SETTINGS = 64 };
static const char *const none = "none", *const options = "engine-options";

static bool is_one_of(const char *name, const char *const *names) {
    for (; *names != NULL; names++)
        if (strcmp(name, *names) == 0)
            return true;
    return false;
}

static const char *value_of(const rep_group *group, const char *name) {
    const char *value = rep_value(group->pairs, group->pair_count, name);
    return value == NULL ? none : value;
}

/* ---- Axes of the report. */

typedef struct axis_list {
    const char *names[MOST_SETTINGS]; /* kept texts */
    const char *firsts[MOST_SETTINGS];
    bool varies[MOST_SETTINGS];
    uint32_t count;
} axis_list;

/* The names of all settings of the groups from..to of one kind, in the order of the first that has
 * them; `kind` CAM_KIND_COUNT: of any. Whether learning is logged makes no difference. */
static void list_names(const rep_report *r, uint32_t from, uint32_t to, cam_kind kind,
                       axis_list *list) {
    *list = (axis_list){0};
    for (uint32_t g = from; g < to; g++) {
        const rep_group *group = &r->groups[g];
        if (kind != CAM_KIND_COUNT && group->kind != kind)
            continue;
        for (uint32_t i = 0; i < group->pair_count; i++) {
            const char *name = group->pairs[i].name; /* kept once */
            uint32_t place = 0;
            while (place < list->count && list->names[place] != name)
                place++;
            if (place == list->count && list->count < MOST_SETTINGS &&
                strcmp(name, "learning") != 0)
                list->names[list->count++] = name;
        }
    }
}

static void find_varying(const rep_report *r, uint32_t from, uint32_t to, cam_kind kind,
                         axis_list *list) {
    list_names(r, from, to, kind, list);
    for (uint32_t g = from; g < to; g++) {
        if (kind != CAM_KIND_COUNT && r->groups[g].kind != kind)
            continue;
        for (uint32_t i = 0; i < list->count; i++) {
            const char *value = value_of(&r->groups[g], list->names[i]);
            if (list->firsts[i] == NULL)
                list->firsts[i] = value;
            list->varies[i] |= strcmp(list->firsts[i], value) != 0;
        }
    }
}

/* Values of the groups whose kind has the setting. */
static void fill_axis(rep_maker *m, rep_axis *axis) {
    const rep_report *r = m->report;
    base_names values = {.arena = &m->report->arena};
    for (uint32_t g = 0; g < r->group_count; g++)
        if (axis->of_kind[r->groups[g].kind])
            (void)rep_number_of(m, &values, value_of(&r->groups[g], axis->name), NULL);
    axis->values = rep_texts(m, &values);
    axis->value_count = (uint32_t)values.count;
    base_names_free(&values);
}

void rep_find_axes(rep_maker *m) {
    rep_report *r = m->report;
    axis_list all, lists[CAM_KIND_COUNT];
    list_names(r, 0, r->group_count, CAM_KIND_COUNT, &all);
    for (int kind = 0; kind < CAM_KIND_COUNT; kind++)
        find_varying(r, 0, r->group_count, (cam_kind)kind, &lists[kind]);
    r->axes = rep_take(m, all.count, sizeof *r->axes);
    for (uint32_t i = 0; i < all.count && m->status == COL_OK; i++) {
        rep_axis *axis = &r->axes[r->axis_count];
        bool varies = false;
        *axis = (rep_axis){.name = all.names[i]};
        for (int kind = 0; kind < CAM_KIND_COUNT; kind++)
            for (uint32_t k = 0; k < lists[kind].count; k++)
                if (lists[kind].names[k] == all.names[i]) {
                    axis->of_kind[kind] = true;
                    varies |= lists[kind].varies[k];
                }
        if (!varies)
            continue;
        r->axis_count++;
        fill_axis(m, axis);
    }
}

/* ---- Who contends. */

typedef enum role { ROLE_NONE, ROLE_CONTENDER, ROLE_VARIANT, ROLE_SCENARIO } role;

/* The groups of one plan and kind, and what each setting that varies among them is for. */
typedef struct span {
    uint32_t from, to;
    cam_kind kind;
    axis_list list;
    role roles[MOST_SETTINGS];
    uint32_t contender; /* in the list; UINT32_MAX: nobody contends */
} span;

static const char *const contending[] = {"engine", "method", NULL};
static const char *const of_scenarios[] = {"design", "protocol", "cores",  "clusters", "error",
                                           "mutant", "options",  "metric", "model",    NULL};

static uint32_t find_contender(const span *s) {
    for (uint32_t i = 0; i < s->list.count; i++)
        if (s->list.varies[i] && is_one_of(s->list.names[i], contending))
            return i;
    for (uint32_t i = s->list.count; i-- > 0;)
        if (s->list.varies[i] && !is_one_of(s->list.names[i], of_scenarios))
            return i;
    return UINT32_MAX;
}

/* Which contenders have which values of a setting. */
typedef struct owners {
    base_names contenders, values;
    uint32_t *only_value;       /* of each contender, numbered from 1; MANY: it has several */
    uint32_t *only_owner;       /* of each value, in the same way */
    const char *name, *setting; /* that the contenders, and the values, are of */
} owners;
enum { MANY = UINT32_MAX };

/* False: there is not enough memory. Free them also then. */
static bool find_owners(rep_maker *m, const span *s, uint32_t axis, owners *o) {
    const size_t most = (size_t)(s->to - s->from) + 1;
    *o = (owners){.contenders.arena = &m->report->arena,
                  .values.arena = &m->report->arena,
                  .only_value = calloc(most, sizeof *o->only_value),
                  .only_owner = calloc(most, sizeof *o->only_owner),
                  .name = s->list.names[s->contender],
                  .setting = s->list.names[axis]};
    if (!rep_has(m, o->only_value) || !rep_has(m, o->only_owner))
        return false;
    for (uint32_t g = s->from; g < s->to && m->status == COL_OK; g++) {
        const rep_group *group = &m->report->groups[g];
        if (group->kind != s->kind)
            continue;
        const uint32_t contender = rep_number_of(m, &o->contenders, value_of(group, o->name), NULL);
        const uint32_t value = rep_number_of(m, &o->values, value_of(group, o->setting), NULL);
        uint32_t *const noted[] = {&o->only_value[contender], &o->only_owner[value]};
        const uint32_t numbers[] = {value + 1, contender + 1};
        for (int i = 0; i < 2; i++)
            *noted[i] = *noted[i] == 0 || *noted[i] == numbers[i] ? numbers[i] : MANY;
    }
    return m->status == COL_OK;
}

static void free_owners(owners *o) {
    free(o->only_value);
    free(o->only_owner);
    base_names_free(&o->contenders);
    base_names_free(&o->values);
}

static bool has_variants(const owners *o, const rep_group *group) {
    return o->only_value[base_names_find(&o->contenders, value_of(group, o->name))] == MANY;
}

/* Adds the group's values of all settings that tell scenarios apart, but for one (NULL: none). */
static void write_scenario(const span *s, const rep_group *group, const char *but,
                           base_text *text) {
    text->length = 0;
    base_text_print(text, "%u %d", group->plan, (int)group->kind);
    for (uint32_t i = 0; i < s->list.count; i++)
        if (s->roles[i] == ROLE_SCENARIO && s->list.names[i] != but)
            base_text_print(text, "\x1f%s", value_of(group, s->list.names[i]));
}

static size_t count_scenarios(rep_maker *m, const span *s, const char *but) {
    base_arena arena = {0};
    base_names scenarios = {.arena = &arena};
    base_text text = {0};
    for (uint32_t g = s->from; g < s->to; g++) {
        if (m->report->groups[g].kind != s->kind)
            continue;
        write_scenario(s, &m->report->groups[g], but, &text);
        if (rep_has(m, text.failed ? NULL : text.data))
            (void)rep_number_of(m, &scenarios, text.data, NULL);
    }
    const size_t count = scenarios.count;
    base_text_free(&text);
    base_names_free(&scenarios);
    base_arena_free(&arena);
    return count;
}

/* A setting that follows from the others, such as a budget for each error, tells nothing apart. */
static void drop_redundant(rep_maker *m, span *s) {
    const size_t all = count_scenarios(m, s, NULL);
    for (uint32_t i = s->list.count; i-- > 0;)
        if (s->roles[i] == ROLE_SCENARIO && !is_one_of(s->list.names[i], of_scenarios) &&
            count_scenarios(m, s, s->list.names[i]) == all)
            s->roles[i] = ROLE_NONE;
}

/* No contender that has several values shares one of them with another. An engine's options
 * are part of the engine in any case. */
static bool are_apart(const rep_maker *m, const span *s, const owners *o) {
    if (strcmp(o->name, "engine") == 0 && strcmp(o->setting, options) == 0)
        return true;
    for (uint32_t g = s->from; g < s->to; g++) {
        const rep_group *group = &m->report->groups[g];
        if (group->kind == s->kind && has_variants(o, group) &&
            o->only_owner[base_names_find(&o->values, value_of(group, o->setting))] == MANY)
            return false;
    }
    return true;
}

static void mark_variants(rep_maker *m, span *s, uint32_t axis) {
    owners o;
    if (find_owners(m, s, axis, &o) && are_apart(m, s, &o)) {
        s->roles[axis] = ROLE_VARIANT;
        for (uint32_t g = s->from; g < s->to; g++)
            if (m->report->groups[g].kind == s->kind && has_variants(&o, &m->report->groups[g]))
                m->variants[g] |= UINT64_C(1) << axis;
    }
    free_owners(&o);
}

/* Each contender has one value of the setting: it follows from who contends. */
static bool is_implied(rep_maker *m, const span *s, uint32_t axis) {
    owners o;
    bool implied = find_owners(m, s, axis, &o);
    for (size_t k = 0; k < o.contenders.count && implied; k++)
        implied = o.only_value[k] != MANY;
    free_owners(&o);
    return implied;
}

static void find_roles(rep_maker *m, span *s) {
    find_varying(m->report, s->from, s->to, s->kind, &s->list);
    s->contender = find_contender(s);
    for (uint32_t i = 0; i < s->list.count; i++) {
        s->roles[i] = s->list.varies[i] ? ROLE_SCENARIO : ROLE_NONE;
        if (i == s->contender)
            s->roles[i] = ROLE_CONTENDER;
        else if (s->roles[i] == ROLE_SCENARIO && s->contender != UINT32_MAX &&
                 !is_one_of(s->list.names[i], of_scenarios) && is_implied(m, s, i))
            s->roles[i] = ROLE_NONE;
    }
    drop_redundant(m, s);
    for (uint32_t i = 0; i < s->list.count && s->contender != UINT32_MAX; i++)
        if (s->roles[i] == ROLE_SCENARIO && !is_one_of(s->list.names[i], of_scenarios))
            mark_variants(m, s, i);
}

/* ---- Their names. */

/* Words for a setting: those whose value speaks for itself go without their name. */
static const char *describe(rep_maker *m, const char *name, const char *value) {
    static const char *const bare[] = {"design", "protocol",       "engine", "method",
                                       "error",  "engine-options", NULL};
    static const char *const counted[] = {"cores",  "locations", "sets", "instances",
                                          "cycles", "tests",     "ops",  NULL};
    if (strcmp(value, none) == 0)
        return rep_print(m, "no %s", name);
    if (is_one_of(name, counted))
        return rep_print(m, "%s %s", value, name);
    if (is_one_of(name, bare))
        return value;
    return rep_print(m, "%s %s", name, value);
}

/* "mtg", or of a variant "mtg, 1024 ops"; an engine without options goes without saying. */
static const char *name_contender(rep_maker *m, const rep_group *group) {
    const cam_selector *contender = &m->contenders[group - m->report->groups];
    const char *text = NULL;
    for (uint32_t i = 0; i < contender->count; i++) {
        if (i > 0 && strcmp(contender->pairs[i].name, options) == 0 &&
            strcmp(contender->pairs[i].value, none) == 0)
            continue;
        const char *word = describe(m, contender->pairs[i].name, contender->pairs[i].value);
        text = text == NULL ? word : rep_print(m, "%s, %s", text, word);
    }
    if (text != NULL)
        return text;
    for (uint32_t i = 0; contending[i] != NULL; i++) {
        const char *value = rep_value(group->pairs, group->pair_count, rep_keep(m, contending[i]));
        if (value != NULL)
            return value;
    }
    return cam_kinds[group->kind];
}

/* Design and cores always, and what tells it from other scenarios. What was not given goes without
 * saying. */
static void describe_scenario(rep_maker *m, const span *s, const rep_group *group,
                              rep_scenario *scenario) {
    static const char *const always[] = {"design", "protocol", "cores", NULL};
    cam_pair *axes = rep_take(m, s->list.count, sizeof *axes);
    base_text text = {0};
    *scenario = (rep_scenario){.plan = group->plan, .kind = group->kind, .axes = axes};
    for (uint32_t i = 0; i < s->list.count && axes != NULL; i++) {
        const char *name = s->list.names[i], *value = value_of(group, name);
        if (s->roles[i] != ROLE_SCENARIO && !is_one_of(name, always))
            continue;
        axes[scenario->axis_count++] = (cam_pair){.name = name, .value = value};
        if (strcmp(value, none) != 0)
            base_text_print(&text, "%s%s", text.length > 0 ? ", " : "", describe(m, name, value));
    }
    const char *name = text.failed ? NULL : rep_keep(m, text.data == NULL ? "" : text.data);
    scenario->name = rep_has(m, name) ? name : "";
    base_text_free(&text);
}

/* ---- Scenarios. */

static void note_contender(rep_maker *m, const span *s, uint32_t g) {
    const rep_group *group = &m->report->groups[g];
    cam_pair *pairs = s->contender == UINT32_MAX ? NULL : rep_take(m, s->list.count, sizeof *pairs);
    if (pairs == NULL)
        return;
    uint32_t count = 0;
    const char *name = s->list.names[s->contender];
    pairs[count++] = (cam_pair){.name = name, .value = value_of(group, name)};
    for (uint32_t i = 0; i < s->list.count; i++)
        if ((m->variants[g] >> i & 1) != 0)
            pairs[count++] =
                (cam_pair){.name = s->list.names[i], .value = value_of(group, s->list.names[i])};
    m->contenders[g] = (cam_selector){pairs, count};
}

/* Scenarios by what tells them apart. */
typedef struct scenario_list {
    base_names identities;
    base_text text;
    size_t capacity;
} scenario_list;

static void place_group(rep_maker *m, const span *s, uint32_t g, scenario_list *list) {
    rep_group *group = &m->report->groups[g];
    bool is_new = false;
    write_scenario(s, group, NULL, &list->text);
    if (!rep_has(m, list->text.failed ? NULL : list->text.data))
        return;
    const uint32_t number = rep_number_of(m, &list->identities, list->text.data, &is_new);
    if (is_new &&
        rep_grow(m, &m->scenarios, &list->capacity, m->scenario_count, sizeof *m->scenarios))
        describe_scenario(m, s, group, &m->scenarios[m->scenario_count++]);
    note_contender(m, s, g);
    if (m->status != COL_OK)
        return;
    rep_scenario *scenario = &m->scenarios[number];
    group->contender = name_contender(m, group);
    group->scenario = scenario->name;
    group->name = scenario->name[0] == '\0'
                      ? group->contender
                      : rep_print(m, "%s: %s", group->contender, scenario->name);
    if (!rep_grow(m, &scenario->groups, &scenario->group_capacity, scenario->group_count,
                  sizeof *scenario->groups))
        return;
    scenario->groups[scenario->group_count++] = g;
    scenario->hunts |= group->hunts || group->found > 0;
    scenario->is_done |= group->done > 0;
}

/* Groups of a plan follow each other. */
void rep_find_scenarios(rep_maker *m) {
    rep_report *r = m->report;
    base_arena arena = {0};
    scenario_list list = {.identities.arena = &arena};
    m->contenders = rep_take(m, r->group_count, sizeof *m->contenders);
    m->variants = rep_take(m, r->group_count, sizeof *m->variants);
    for (uint32_t from = 0, to; from < r->group_count && m->status == COL_OK; from = to) {
        for (to = from; to < r->group_count && r->groups[to].plan == r->groups[from].plan;)
            to++;
        for (int kind = 0; kind < CAM_KIND_COUNT; kind++) {
            span s = {.from = from, .to = to, .kind = (cam_kind)kind};
            find_roles(m, &s);
            for (uint32_t g = from; g < to && m->status == COL_OK; g++)
                if (r->groups[g].kind == s.kind)
                    place_group(m, &s, g, &list);
        }
    }
    for (size_t i = 0; i < m->scenario_count && !m->has_quiet; i++)
        m->has_quiet = rep_is_quiet(&m->scenarios[i]);
    base_names_free(&list.identities);
    base_arena_free(&arena);
    base_text_free(&list.text);
}
