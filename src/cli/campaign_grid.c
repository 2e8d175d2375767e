/* SPDX-License-Identifier: MIT */
/* The grid of a plan and its time: see campaign_grid.h. */
#include "cli/campaign_grid.h"

#include "base/json.h"
#include "base/plural.h"
#include "campaign/trial.h"
#include "cli/progress_line.h"

#include <stdio.h>
#include <string.h>

static const char *const kind_words[CAM_KIND_COUNT] = {"episodes", "tours", "studies of locations"};
static const char *const basis_words[CAM_BASIS_COUNT] = {
    [CAM_BASIS_RESULTS] = "by finished trials of the same settings",
    [CAM_BASIS_RATES] = "by the rates of finished trials",
    [CAM_BASIS_CALIBRATION] = "by a short calibration",
    [CAM_BASIS_BUDGET] = "by a budget of time",
    [CAM_BASIS_NONE] = "by what is usual",
};

static const char *const basis_keys[CAM_BASIS_COUNT] = {
    [CAM_BASIS_RESULTS] = "results",
    [CAM_BASIS_RATES] = "rates",
    [CAM_BASIS_CALIBRATION] = "calibration",
    [CAM_BASIS_BUDGET] = "budget",
    [CAM_BASIS_NONE] = "none",
};

/* ---- Axes. */

/* The values that a setting has in trials of a kind, in the order of the plan. */
typedef struct axis {
    const char *name;
    cam_kind kind;
    cam_distinct distinct;
    size_t count;
} axis;

static col_status find_axis(axis *a, const cam_plan *plan, const char *const *names,
                            col_problem *problem) {
    const col_status status = cam_distinct_find(&a->distinct, plan, names, problem);
    for (size_t i = 0; i < a->distinct.count && status == COL_OK; i++)
        a->count += plan->trials[a->distinct.positions[i]].kind == a->kind;
    return status;
}

/* The next value of the kind, from *place on; NULL: there is no further. */
static const char *next_value(const axis *a, size_t *place) {
    while (*place < a->distinct.count) {
        const cam_trial *trial = &a->distinct.plan->trials[a->distinct.positions[(*place)++]];
        const char *value = cam_trial_value(trial, a->name);
        if (trial->kind == a->kind)
            return value == NULL ? CAM_NONE : value;
    }
    return NULL;
}

static void print_values(const axis *a) {
    enum { SHOWN = 12 };
    size_t place = 0, shown = 0;
    const char *value = NULL, *last = NULL;
    base_print(stdout, "  %-16s %4zu  ", a->name, a->count);
    while ((value = next_value(a, &place)) != NULL) {
        if (shown++ < SHOWN)
            base_print(stdout, "%s%s", shown == 1 ? "" : ", ", value);
        last = value;
    }
    base_print(stdout, "%s%s\n", shown > SHOWN ? ", ... " : "", shown > SHOWN ? last : "");
}

typedef col_status (*visit_axis)(void *context, const axis *a);

static col_status each_axis(const cam_plan *plan, cam_kind kind, visit_axis visit, void *context,
                            col_problem *problem) {
    col_status status = COL_OK;
    const epi_field *field = NULL;
    for (uint32_t i = 0; status == COL_OK && (field = cam_field_at(kind, i)) != NULL; i++) {
        const char *const names[] = {field->name, NULL};
        axis a = {.name = field->name, .kind = kind};
        size_t place = 0;
        status = find_axis(&a, plan, names, problem);
        const char *value = status == COL_OK ? next_value(&a, &place) : NULL;
        const bool is_given = value != NULL && (a.count > 1 || strcmp(value, CAM_NONE) != 0);
        if (is_given)
            status = visit(context, &a);
        cam_distinct_free(&a.distinct);
    }
    return status;
}

static col_status print_fixed(void *context, const axis *a) {
    size_t place = 0;
    (void)context;
    if (a->count == 1)
        base_print(stdout, " %s=%s", a->name, next_value(a, &place));
    return COL_OK;
}

static col_status print_axis(void *context, const axis *a) {
    (void)context;
    if (a->count > 1)
        print_values(a);
    return COL_OK;
}

static size_t count_kind(const cam_plan *plan, cam_kind kind) {
    size_t count = 0;
    for (size_t i = 0; i < plan->trial_count; i++)
        count += plan->trials[i].kind == kind;
    return count;
}

static col_status print_kind(const cam_plan *plan, cam_kind kind, col_problem *problem) {
    const size_t count = count_kind(plan, kind);
    if (count == 0)
        return COL_OK;
    base_print(stdout, "%zu %s:", count, kind_words[kind]);
    col_status status = each_axis(plan, kind, print_fixed, NULL, problem);
    base_print(stdout, "\n");
    if (status == COL_OK)
        status = each_axis(plan, kind, print_axis, NULL, problem);
    return status;
}

/* ---- Trials and time. */

static void add_trial(base_text *text, const char *which, const cam_trial *trial) {
    base_text pairs = {0};
    cam_trial_print(trial, &pairs);
    base_text_print(text, "%s %s\n", which, pairs.data == NULL ? "" : pairs.data);
    base_text_free_part(&pairs, text);
}

static void add_time(base_text *text, const cam_estimate *e, uint32_t jobs) {
    if (e->done > 0)
        base_text_print(text, "%zu of %zu trial%s in the store\n", e->done, e->plan->trial_count,
                        base_plural(e->plan->trial_count));
    if (e->done == e->plan->trial_count)
        return;
    base_text_add(text, "estimated: ");
    cli_progress_add_time(text, e->remaining);
    base_text_add(text, " of one processor, ");
    cli_progress_add_time(text, cam_estimate_wall(e, jobs));
    base_text_print(text, " with %u worker%s", jobs, base_plural(jobs));
    const char *separator = ": ";
    for (int basis = 0; basis < CAM_BASIS_COUNT; basis++)
        if (e->trials[basis] > 0) {
            base_text_print(text, "%s%zu trial%s %s", separator, e->trials[basis],
                            base_plural(e->trials[basis]), basis_words[basis]);
            separator = ", ";
        }
    base_text_add(text, "; trials that end early take less\n");
}

col_status cli_campaign_grid_print(const cam_plan *plan, const cam_estimate *estimate,
                                   uint32_t jobs, col_problem *problem) {
    cam_distinct groups = {0};
    col_status status = cam_distinct_find(&groups, plan, cam_all_but_seed, problem);
    if (status == COL_OK)
        base_print(stdout, "%s%s%s: %s\n%zu trial%s in %zu group%s\n", plan->name,
                   plan->scale == NULL ? "" : ", ", plan->scale == NULL ? "" : plan->scale,
                   plan->title, plan->trial_count, base_plural(plan->trial_count), groups.count,
                   base_plural(groups.count));
    cam_distinct_free(&groups);
    for (int kind = 0; kind < CAM_KIND_COUNT && status == COL_OK; kind++)
        status = print_kind(plan, (cam_kind)kind, problem);
    if (status != COL_OK)
        return status;
    base_text text = {0};
    add_trial(&text, "first:", &plan->trials[0]);
    add_trial(&text, "last: ", &plan->trials[plan->trial_count - 1]);
    add_time(&text, estimate, jobs);
    status = base_text_status(&text, problem);
    if (status == COL_OK)
        base_print(stdout, "%s", text.data);
    base_text_free(&text);
    return status;
}

/* ---- The same for programs. */

static col_status add_axis(void *context, const axis *a) {
    json_t **axes = context;
    json_t *values = json_array();
    const char *value = NULL;
    size_t place = 0;
    while ((value = next_value(a, &place)) != NULL)
        base_json_append(&values, base_json_text(value));
    base_json_set(axes, a->name, values);
    return COL_OK;
}

json_t *cli_campaign_grid_json(const cam_plan *plan, const cam_estimate *estimate, uint32_t jobs) {
    json_t *kinds = json_object(), *bases = json_object();
    for (int kind = 0; kind < CAM_KIND_COUNT; kind++) {
        json_t *axes = json_object();
        if (each_axis(plan, (cam_kind)kind, add_axis, &axes, NULL) != COL_OK) {
            json_decref(axes);
            axes = NULL;
        }
        base_json_set(&kinds, cam_kinds[kind],
                      json_pack("{s:I, s:o}", "trials",
                                (json_int_t)count_kind(plan, (cam_kind)kind), "settings", axes));
    }
    for (int basis = 0; basis < CAM_BASIS_COUNT; basis++)
        base_json_set(&bases, basis_keys[basis], json_integer((json_int_t)estimate->trials[basis]));
    return json_pack("{s:s, s:o, s:o, s:s, s:I, s:I, s:o, s:{s:f, s:f, s:I, s:o}}", "plan",
                     plan->name, "title", base_json_text(plan->title), "scale",
                     base_json_text(plan->scale), "hash", plan->hash, "trials",
                     (json_int_t)plan->trial_count, "done", (json_int_t)estimate->done, "kinds",
                     kinds, "estimate", "processor_seconds", estimate->remaining, "seconds",
                     cam_estimate_wall(estimate, jobs), "jobs", (json_int_t)jobs, "trials", bases);
}
