/* SPDX-License-Identifier: MIT */
/* collider campaign status: how far the campaigns of a store have got, on this machine or on a
 * cluster. */
#include "base/json.h"
#include "base/plural.h"
#include "campaign/cluster.h"
#include "campaign/running.h"
#include "cli/campaign_cluster.h"
#include "cli/campaign_options.h"
#include "cli/progress_line.h"
#include "cli/signals.h"

#include <string.h>
#include <time.h>

enum { MOST_LISTED = 20 };

/* ---- How long the rest of a plan will take. */

/* Seconds of one processor; below 0: not known. A plan that cannot be read here, because files that
 * it names are elsewhere, say, has a status all the same. */
static col_status estimate_left(const char *path, const cam_plan_row *row, double *left,
                                col_problem *problem) {
    cam_plan plan = {0};
    cam_estimate estimate = {0};
    cam_store *store = NULL;
    const char *scale = row->scale[0] == '\0' ? NULL : row->scale;
    *left = -1;
    col_status status =
        cam_plan_read(&plan, row->text, strlen(row->text), row->name, scale, problem);
    if (status == COL_OK)
        status = cam_store_open(&store, path, problem);
    if (status == COL_OK)
        status = cam_estimate_make(&estimate, &plan, store, false, &cli_stop, problem);
    if (status == COL_OK && estimate.trials[CAM_BASIS_NONE] == 0)
        *left = estimate.remaining;
    cam_estimate_free(&estimate);
    cam_store_close(store);
    cam_plan_free(&plan);
    return status;
}

static col_status find_left(const char *path, const cam_plan_row *row, double *left,
                            col_problem *problem) {
    *left = -1;
    if (row->done + row->failed >= row->trials)
        return COL_OK;
    return estimate_left(path, row, left, problem) == COL_FAILURE ? COL_FAILURE : COL_OK;
}

/* ---- What there is. */

typedef struct listing {
    const char *path;
    base_text text; /* what is printed */
    json_t *plans, *running;
    uint64_t open; /* trials */
    uint64_t alive, dead;
} listing;

static void append(json_t *list, json_t *item, listing *l) {
    if (item == NULL || json_array_append_new(list, item) != 0)
        l->text.failed = true;
}

static col_status add_plan(void *context, const cam_plan_row *row, col_problem *problem) {
    listing *l = context;
    const bool is_scaled = row->scale[0] != '\0';
    double left = -1;
    if (find_left(l->path, row, &left, problem) != COL_OK)
        return COL_FAILURE;
    l->open += row->trials - row->done - row->failed;
    base_text_print(&l->text, "%s%s%s: %llu of %llu trial%s done (%.0f %%)", row->name,
                    is_scaled ? ", " : "", row->scale, (unsigned long long)row->done,
                    (unsigned long long)row->trials, base_plural(row->trials),
                    row->trials == 0 ? 100 : 100 * (double)row->done / (double)row->trials);
    if (row->failed > 0)
        base_text_print(&l->text, ", %llu failed", (unsigned long long)row->failed);
    if (left >= 1) {
        base_text_add(&l->text, ", about ");
        cli_progress_add_time(&l->text, left);
        base_text_add(&l->text, " of one processor left");
    }
    base_text_add(&l->text, "\n");
    append(l->plans,
           json_pack("{s:o, s:o, s:I, s:I, s:I, s:o}", "plan", base_json_text(row->name), "scale",
                     base_json_text(is_scaled ? row->scale : NULL), "trials",
                     (json_int_t)row->trials, "done", (json_int_t)row->done, "failed",
                     (json_int_t)row->failed, "seconds_left",
                     left < 0 ? json_null() : json_real(left)),
           l);
    return COL_OK;
}

static col_status add_running(void *context, const cam_running *r, col_problem *problem) {
    listing *l = context;
    const int64_t now = (int64_t)time(NULL);
    const double seconds = now > r->since ? (double)(now - r->since) : 0;
    const uint32_t covered = r->covered[COL_STRUCTURAL], total = r->total[COL_STRUCTURAL];
    const char *name = r->text == NULL ? r->key : r->text;
    (void)problem;
    append(l->running,
           json_pack("{s:o, s:b, s:f, s:I, s:I, s:I, s:I}", "trial", base_json_text(name), "alive",
                     (int)r->is_alive, "seconds", seconds, "tests", (json_int_t)r->tests, "cycles",
                     (json_int_t)r->cycles, "covered", (json_int_t)covered, "points",
                     (json_int_t)total),
           l);
    l->alive += r->is_alive;
    l->dead += !r->is_alive;
    if (!r->is_alive || l->alive > MOST_LISTED)
        return COL_OK;
    base_text_print(&l->text, "running: %s, for ", name);
    cli_progress_add_time(&l->text, seconds);
    if (total > 0)
        base_text_print(&l->text, ", %llu test%s, %.0f %% covered", (unsigned long long)r->tests,
                        base_plural(r->tests), 100 * (double)covered / total);
    base_text_add(&l->text, "\n");
    return COL_OK;
}

static void add_rest(listing *l) {
    if (l->alive > MOST_LISTED)
        base_text_print(&l->text, "and %llu more are running\n",
                        (unsigned long long)(l->alive - MOST_LISTED));
    if (l->alive == 0 && l->open > 0)
        base_text_add(&l->text, "nothing is running; collider campaign PLAN --resume continues\n");
}

static col_status look(listing *l, col_problem *problem) {
    cam_store *store = NULL;
    l->plans = json_array();
    l->running = json_array();
    if (l->plans == NULL || l->running == NULL)
        return base_out_of_memory(problem);
    col_status status = cam_store_open(&store, l->path, problem);
    if (status == COL_OK)
        status = cam_store_plans(store, add_plan, l, problem);
    if (status == COL_OK)
        status = cam_store_running(store, add_running, l, problem);
    if (store != NULL)
        status = cam_store_settle(store, status, problem);
    cam_store_close(store);
    if (status == COL_OK)
        add_rest(l);
    return status == COL_OK ? base_text_status(&l->text, problem) : status;
}

static int status_of_store(const char *path, const char *json, col_problem *problem) {
    listing l = {.path = path};
    col_status status = look(&l, problem);
    if (status == COL_OK && (json == NULL || strcmp(json, "-") != 0))
        base_print(stdout, "%s", l.text.data == NULL ? "" : l.text.data);
    if (status == COL_OK && json != NULL)
        status = base_json_write(json,
                                 json_pack("{s:o, s:O, s:O}", "store", base_json_text(path),
                                           "plans", l.plans, "running", l.running),
                                 problem);
    json_decref(l.plans);
    json_decref(l.running);
    base_text_free(&l.text);
    return (int)status;
}

int cli_campaign_status(const cli_arguments *arguments, col_problem *problem) {
    char folder[PATH_MAX];
    if (arguments->operand_count == 2 &&
        cam_cluster_folder(folder, arguments->operands[1], NULL) == COL_OK &&
        !cam_cluster_exists(folder) && strcmp(folder, arguments->operands[1]) != 0)
        return status_of_store(arguments->operands[1], arguments->values[OPTION_JSON], problem);
    return cli_cluster_status(arguments, problem);
}
