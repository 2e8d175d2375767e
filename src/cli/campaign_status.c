/* SPDX-License-Identifier: MIT */
/* collider campaign status: how far the campaigns of a store have got, on this machine or on a
 * cluster. All is taken from the store, which may be somebody else's: no file that its plans name
 * is opened. */

#include "base/json.h"
#include "cli/campaign_command.h"
#include "results/cluster/cluster.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_LISTED = 20 };

typedef struct listing {
    cam_store *store;
    const char *path;
    base_text text; /* what is printed */
    json_t *plans, *running;
    uint64_t open, alive; /* trials */
    char scale[80];       /* of the plan that is open */
} listing;

/* Nothing of a name begins a line of its own. */
static void end_line(listing *l, base_text *line) {
    if (line->data != NULL)
        base_make_printable(line->data, false);
    if (line->failed)
        l->text.failed = true;
    else
        base_text_print(&l->text, "%s\n", line->data);
    base_text_free(line);
}

/* ---- Plans. */

typedef struct took {
    double seconds;
    uint64_t trials;
} took;

static col_status add_time(void *context, const cam_row *row, col_problem *problem) {
    took *t = context;
    (void)problem;
    t->seconds += row->is_done ? row->seconds : 0;
    t->trials += row->is_done;
    return COL_OK;
}

static col_status add_plan(void *context, const cam_plan_row *row, col_problem *problem) {
    listing *l = context;
    const uint64_t ended = row->done + row->failed;
    const uint64_t open = row->trials > ended ? row->trials - ended : 0;
    const bool is_scaled = row->scale[0] != '\0';
    took t = {0, 0};
    base_text line = {0};
    BASE_TRY(open == 0 ? COL_OK : cam_store_each(l->store, row->hash, 0, add_time, &t, problem));
    const double left = t.trials == 0 ? -1 : t.seconds / (double)t.trials * (double)open;
    base_text_print(&line, "%s%s%s: %llu of %llu trial%s done", row->name, is_scaled ? ", " : "",
                    row->scale, (unsigned long long)row->done, (unsigned long long)row->trials,
                    base_plural(row->trials));
    if (row->failed > 0)
        base_text_print(&line, ", %llu failed", (unsigned long long)row->failed);
    if (left >= 1) {
        base_text_add(&line, "; about ");
        cli_progress_add_time(&line, left);
        base_text_add(&line, " of one processor left, at the pace so far");
    }
    end_line(l, &line);
    base_json_append(&l->plans,
                     json_pack("{s:o, s:o, s:I, s:I, s:I, s:o}", "plan", base_json_text(row->name),
                               "scale", base_json_text(is_scaled ? row->scale : NULL), "trials",
                               (json_int_t)row->trials, "done", (json_int_t)row->done, "failed",
                               (json_int_t)row->failed, "seconds_left",
                               open == 0  ? json_real(0)
                               : left < 0 ? json_null()
                                          : json_real(left)));
    l->open += open;
    if (open > 0)
        (void)snprintf(l->scale, sizeof l->scale, "%s", row->scale);
    return COL_OK;
}

/* ---- What runs. */

static col_status add_running(void *context, const cam_running *r, col_problem *problem) {
    listing *l = context;
    const int64_t now = (int64_t)time(NULL);
    const double seconds = now > r->since ? (double)(now - r->since) : 0;
    const uint32_t covered = r->covered[COL_STRUCTURAL], total = r->total[COL_STRUCTURAL];
    base_text line = {0};
    (void)problem;
    base_json_append(&l->running,
                     json_pack("{s:o, s:o, s:b, s:f, s:I, s:I, s:I, s:I}", "key",
                               base_json_text(r->key), "trial", base_json_text(r->text), "alive",
                               (int)r->is_alive, "seconds", seconds, "tests", (json_int_t)r->tests,
                               "cycles", (json_int_t)r->cycles, "covered", (json_int_t)covered,
                               "points", (json_int_t)total));
    l->alive += r->is_alive;
    if (!r->is_alive || l->alive > MOST_LISTED)
        return COL_OK;
    base_text_print(&line, "running: %s, for ", r->text == NULL ? r->key : r->text);
    cli_progress_add_time(&line, seconds);
    if (total > 0)
        base_text_print(&line, ", %llu test%s, %.0f %% covered", (unsigned long long)r->tests,
                        base_plural(r->tests), 100 * (double)covered / total);
    end_line(l, &line);
    return COL_OK;
}

static void add_rest(listing *l) {
    base_text line = {0};
    if (l->alive > MOST_LISTED)
        base_text_print(&line, "and %llu more are running",
                        (unsigned long long)(l->alive - MOST_LISTED));
    if (l->alive == 0 && l->open > 0) {
        base_text_add(&line, "nothing is running; collider campaign PLAN ");
        if (l->scale[0] != '\0') {
            base_text_add(&line, "--scale ");
            base_text_add_shell(&line, l->scale);
            base_text_add(&line, " ");
        }
        base_text_add(&line, "--out ");
        base_text_add_shell(&line, l->path);
        base_text_add(&line, " --resume continues it");
    }
    if (line.length > 0)
        end_line(l, &line);
}

static col_status read_store(listing *l, col_problem *problem) {
    l->plans = json_array();
    l->running = json_array();
    col_status status = cam_store_open(&l->store, l->path, problem);
    BASE_THEN(status, cam_store_plans(l->store, add_plan, l, problem));
    BASE_THEN(status, cam_store_running(l->store, add_running, l, problem));
    if (status == COL_OK)
        add_rest(l);
    status = cam_store_end(l->store, status, problem);
    return status == COL_OK ? base_text_status(&l->text, problem) : status;
}

static int status_of_store(const cli_arguments *arguments, col_problem *problem) {
    listing l = {.path = arguments->operands[1]};
    col_status status = read_store(&l, problem);
    if (status == COL_OK && arguments->prints)
        status = cli_print(&l.text, problem);
    json_t *all = json_pack("{s:o, s:o, s:o}", "store", base_json_text(l.path), "plans", l.plans,
                            "running", l.running);
    status = cli_write_json(arguments, status, all, problem);
    base_text_free(&l.text);
    return (int)status;
}

int cli_campaign_status(const cli_arguments *arguments, col_problem *problem) {
    char folder[PATH_MAX];
    const char *place = arguments->operand_count == 2 ? arguments->operands[1] : "";
    const bool is_store = cam_cluster_folder(folder, place, NULL) == COL_OK &&
                          strncmp(place, folder, strlen(folder)) != 0 &&
                          !cam_cluster_exists(folder);
    return is_store ? status_of_store(arguments, problem) : cli_cluster_status(arguments, problem);
}

/* The grid of a plan and its time. */

static const char *const kind_words[CAM_KIND_COUNT] = {"episodes", "tours", "studies of locations"};
static const struct {
    const char *key, *words;
} bases[CAM_BASIS_COUNT] = {
    [CAM_BASIS_RESULTS] = {"results", "by finished trials of the same settings"},
    [CAM_BASIS_RATES] = {"rates", "by the rates of finished trials"},
    [CAM_BASIS_CALIBRATION] = {"calibration", "by a short calibration"},
    [CAM_BASIS_BUDGET] = {"budget", "by a budget of time"},
    [CAM_BASIS_NONE] = {"none", "by what is usual"},
};

/* ---- Settings. */

/* The values that a setting has in trials of a kind, in the order of the plan. */
static json_t *list_values(const cam_plan *plan, cam_kind kind, const char *name) {
    const char *const names[] = {name, NULL};
    cam_distinct distinct = {0};
    json_t *values =
        cam_distinct_find(&distinct, plan, names, NULL) == COL_OK ? json_array() : NULL;
    for (size_t i = 0; i < distinct.count && values != NULL; i++) {
        const cam_trial *trial = &plan->trials[distinct.positions[i]];
        const char *value = cam_trial_value(trial, name);
        if (trial->kind == kind)
            base_json_append(&values, base_json_text(value == NULL ? CAM_NONE : value));
    }
    cam_distinct_free(&distinct);
    return values;
}

static const char *value_at(const json_t *values, size_t place) {
    return json_string_value(json_array_get(values, place));
}

/* Of all that are given; NULL: no memory. */
static json_t *list_settings(const cam_plan *plan, cam_kind kind) {
    json_t *settings = json_object();
    const base_field *field = NULL;
    for (uint32_t i = 0; (field = cam_field_at(kind, i)) != NULL; i++) {
        json_t *values = list_values(plan, kind, field->name);
        const size_t count = json_array_size(values);
        if (values == NULL || count > 1 ||
            (count == 1 && strcmp(value_at(values, 0), CAM_NONE) != 0))
            base_json_set(&settings, field->name, values);
        else
            json_decref(values);
    }
    return settings;
}

static void print_values(const char *name, const json_t *values) {
    enum { SHOWN = 12 };
    const size_t count = json_array_size(values);
    base_print(stdout, "  %-16s %4zu  ", name, count);
    for (size_t i = 0; i < count && i < SHOWN; i++)
        base_print(stdout, "%s%s", i == 0 ? "" : ", ", value_at(values, i));
    base_print(stdout, "%s%s\n", count > SHOWN ? ", ... " : "",
               count > SHOWN ? value_at(values, count - 1) : "");
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
    const char *name;
    json_t *settings = list_settings(plan, kind), *values;
    base_print(stdout, "%zu %s:", count, kind_words[kind]);
    json_object_foreach(settings, name, values) {
        if (json_array_size(values) == 1)
            base_print(stdout, " %s=%s", name, value_at(values, 0));
    }
    base_print(stdout, "\n");
    json_object_foreach(settings, name, values) {
        if (json_array_size(values) > 1)
            print_values(name, values);
    }
    const col_status status = settings == NULL ? base_out_of_memory(problem) : COL_OK;
    json_decref(settings);
    return status;
}

/* ---- Trials and time. */

static void add_trial(base_text *text, const char *which, const cam_trial *trial) {
    base_text pairs = {0};
    cam_trial_print(trial, &pairs);
    base_text_print(text, "%s %s\n", which, pairs.data == NULL ? "" : pairs.data);
    base_text_free_part(&pairs, text);
}

static void add_grid_time(base_text *text, const cam_estimate *e, uint32_t jobs) {
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
                            base_plural(e->trials[basis]), bases[basis].words);
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
    add_grid_time(&text, estimate, jobs);
    return cli_print(&text, problem);
}

/* ---- The same for programs. */

json_t *cli_campaign_grid_json(const cam_plan *plan, const cam_estimate *estimate, uint32_t jobs) {
    json_t *kinds = json_object(), *by_basis = json_object();
    for (int kind = 0; kind < CAM_KIND_COUNT; kind++)
        base_json_set(&kinds, cam_kinds[kind],
                      json_pack("{s:I, s:o}", "trials",
                                (json_int_t)count_kind(plan, (cam_kind)kind), "settings",
                                list_settings(plan, (cam_kind)kind)));
    for (int basis = 0; basis < CAM_BASIS_COUNT; basis++)
        base_json_set(&by_basis, bases[basis].key,
                      json_integer((json_int_t)estimate->trials[basis]));
    return json_pack(
        "{s:s, s:o, s:o, s:s, s:I, s:I, s:o, s:{s:f, s:f, s:I, s:o}}", "plan", plan->name, "title",
        base_json_text(plan->title), "scale", base_json_text(plan->scale), "hash", plan->hash,
        "trials", (json_int_t)plan->trial_count, "done", (json_int_t)estimate->done, "kinds", kinds,
        "estimate", "processor_seconds", estimate->remaining, "seconds",
        cam_estimate_wall(estimate, jobs), "jobs", (json_int_t)jobs, "trials", by_basis);
}
