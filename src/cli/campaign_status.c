/* SPDX-License-Identifier: MIT */
/* collider campaign status: how far the campaigns of a store have got, on this machine or on a
 * cluster. All is taken from the store, which may be somebody else's: no file that its plans name
 * is opened. */
#include "base/json.h"
#include "base/plural.h"
#include "campaign/cluster.h"
#include "campaign/running.h"
#include "cli/campaign_cluster.h"
#include "cli/campaign_options.h"
#include "cli/progress_line.h"

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
    const col_status status =
        open == 0 ? COL_OK : cam_store_each(l->store, row->hash, 0, add_time, &t, problem);
    if (status != COL_OK)
        return status;
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

static col_status look(listing *l, col_problem *problem) {
    l->plans = json_array();
    l->running = json_array();
    col_status status = cam_store_open(&l->store, l->path, problem);
    if (status != COL_OK)
        return status;
    status = cam_store_plans(l->store, add_plan, l, problem);
    if (status == COL_OK)
        status = cam_store_running(l->store, add_running, l, problem);
    if (status == COL_OK)
        add_rest(l);
    status = cam_store_settle(l->store, status, problem);
    return status == COL_OK ? base_text_status(&l->text, problem) : status;
}

static int status_of_store(const char *path, const char *json, col_problem *problem) {
    listing l = {.path = path};
    col_status status = look(&l, problem);
    if (status == COL_OK && (json == NULL || strcmp(json, "-") != 0))
        base_print(stdout, "%s", l.text.data == NULL ? "" : l.text.data);
    if (status == COL_OK && json != NULL) {
        status = base_json_write(json,
                                 json_pack("{s:o, s:o, s:o}", "store", base_json_text(path),
                                           "plans", l.plans, "running", l.running),
                                 problem);
        l.plans = l.running = NULL;
    }
    json_decref(l.plans);
    json_decref(l.running);
    cam_store_close(l.store);
    base_text_free(&l.text);
    return (int)status;
}

int cli_campaign_status(const cli_arguments *arguments, col_problem *problem) {
    char folder[PATH_MAX];
    const char *place = arguments->operand_count == 2 ? arguments->operands[1] : "";
    const bool is_store = cam_cluster_folder(folder, place, NULL) == COL_OK &&
                          strncmp(place, folder, strlen(folder)) != 0 &&
                          !cam_cluster_exists(folder);
    return is_store ? status_of_store(place, arguments->values[OPTION_JSON], problem)
                    : cli_cluster_status(arguments, problem);
}
