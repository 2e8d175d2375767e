/* SPDX-License-Identifier: MIT */
/* collider campaign: many trials by a plan, kept in a store. */
#include "campaign/campaign.h"
#include "base/json.h"
#include "base/plural.h"
#include "base/processors.h"
#include "campaign/estimate.h"
#include "campaign/plan_find.h"
#include "campaign/plan_try.h"
#include "campaign/trial.h"
#include "cli/campaign_grid.h"
#include "cli/campaign_progress.h"
#include "cli/commands.h"
#include "cli/signals.h"
#include "cli/stored.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CAMPAIGN_OPTIONS(X)                                                                        \
    X(OUT, "out", "FILE", NULL, "the store, an SQLite database (the plan's name and .db)")         \
    X(JOBS, "jobs", "N", NULL, "worker processes (as many as there are cores)")                    \
    X(SCALE, "scale", "NAME", NULL, "use the sizes that the plan defines under this name")         \
    X(RESUME, "resume", NULL, NULL, "continue a campaign; finished trials are not run again")      \
    X(RETRY, "retry", NULL, NULL, "also rerun trials that failed")                                 \
    X(CODE, "allow-code", NULL, NULL, "let the plan name designs that are native code")            \
    X(DRY, "dry-run", NULL, NULL, "print the grid and the estimated time, and run nothing")        \
    CLI_COMMON_OPTIONS(X)

enum { CAMPAIGN_OPTIONS(CLI_OPTION_PLACE) OPTIONS_END };
static const cli_option options[] = {CAMPAIGN_OPTIONS(CLI_OPTION_ROW)};

enum { ERROR_FOUND = 1, REASON = 256 };

typedef struct campaign {
    const cli_arguments *arguments;
    cam_plan plan;
    char store[1100];
    uint32_t jobs;
    bool quiet, prints;
} campaign;

/* ---- What is asked for. */

static col_status read_arguments(campaign *c, col_problem *problem) {
    enum { MOST_JOBS = 256 };
    const cli_arguments *arguments = c->arguments;
    const char *json = arguments->values[OPTION_JSON];
    uint64_t jobs = base_processors();
    c->quiet = arguments->values[OPTION_QUIET] != NULL;
    c->prints = json == NULL || strcmp(json, "-") != 0;
    if (arguments->operand_count == 0)
        return base_refuse(problem, "campaign is followed by a plan; see collider campaign --help");
    if (arguments->values[OPTION_JOBS] != NULL &&
        cli_argument_number(arguments, OPTION_JOBS, 1, MOST_JOBS, &jobs, problem) != COL_OK)
        return COL_BAD_INPUT;
    c->jobs = (uint32_t)jobs;
    c->plan.allows_code = arguments->typed[OPTION_CODE];
    char path[PATH_MAX];
    col_status status = cam_plan_find(path, arguments->operands[0], problem);
    if (status == COL_OK)
        status = cam_plan_read_file(&c->plan, path, arguments->values[OPTION_SCALE], problem);
    if (status != COL_OK)
        return status;
    const char *out = arguments->values[OPTION_OUT];
    const int length = out != NULL ? snprintf(c->store, sizeof c->store, "%s", out)
                                   : snprintf(c->store, sizeof c->store, "%s.db", c->plan.name);
    if (length < 0 || (size_t)length >= sizeof c->store)
        return base_refuse(problem, "the path of --out is too long");
    return cam_plan_try(&c->plan, problem);
}

/* From the results that there are, if there are any: whether the store is any good is said later.
 */
static col_status make_estimate(const campaign *c, bool calibrates, cam_estimate *estimate,
                                col_problem *problem) {
    cam_store *store = NULL;
    if (access(c->store, F_OK) == 0) {
        const col_status status = cam_store_open(&store, c->store, problem);
        if (status != COL_OK)
            return status;
    }
    col_status status =
        cam_estimate_make(estimate, &c->plan, store, calibrates, &cli_stop, problem);
    if (store != NULL)
        status = cam_store_settle(store, status, problem);
    cam_store_close(store);
    return status;
}

/* ---- What would be done. */

static int dry_run(const campaign *c, col_problem *problem) {
    const char *json = c->arguments->values[OPTION_JSON];
    cam_estimate estimate = {0};
    col_status status = make_estimate(c, true, &estimate, problem);
    if (status == COL_OK && c->prints)
        status = cli_campaign_grid_print(&c->plan, &estimate, c->jobs, problem);
    if (status == COL_OK && json != NULL)
        status =
            base_json_write(json, cli_campaign_grid_json(&c->plan, &estimate, c->jobs), problem);
    cam_estimate_free(&estimate);
    return cli_stop == 0 ? (int)status : cli_cut_short(problem, "the plan was not estimated");
}

/* ---- What came of it. */

static json_t *make_json(const campaign *c, const cam_campaign_summary *s,
                         const cli_kinds_told *told) {
    return json_pack(
        "{s:s, s:o, s:o, s:s, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:f, s:I, s:I, s:I}", "plan",
        c->plan.name, "title", base_json_text(c->plan.title), "scale",
        base_json_text(c->plan.scale), "hash", c->plan.hash, "store", base_json_text(c->store),
        "trials", (json_int_t)s->total, "done", (json_int_t)s->done, "failed",
        (json_int_t)s->failed, "ran", (json_int_t)s->ran, "found", (json_int_t)s->found,
        "unexpected", (json_int_t)s->unexpected, "stopped", (int)s->was_stopped, "seconds",
        s->seconds, "outdated", (json_int_t)s->outdated, "failures", (json_int_t)told->failures,
        "kinds", (json_int_t)told->kinds);
}

static void print_summary(const campaign *c, const cam_campaign_summary *s) {
    base_print(stdout, "%s%s%s: %llu of %llu trial%s done, %llu failed, in %.1f s\n", c->plan.name,
               c->plan.scale == NULL ? "" : ", ", c->plan.scale == NULL ? "" : c->plan.scale,
               (unsigned long long)s->done, (unsigned long long)s->total, base_plural(s->total),
               (unsigned long long)s->failed, s->seconds);
    if (s->found > 0)
        base_print(stdout, "%llu found the injected error\n", (unsigned long long)s->found);
    if (s->unexpected > 0)
        base_print(stdout, "%llu found an error although none was injected\n",
                   (unsigned long long)s->unexpected);
    if (s->outdated > 0)
        base_print(
            stdout,
            "%llu result%s of another version of a design: kept in the store, but in no plan any "
            "more\n",
            (unsigned long long)s->outdated, base_plural(s->outdated));
}

static col_status take_reason(void *context, const cam_row *row, col_problem *problem) {
    char *reason = context;
    if (row->is_done)
        return COL_OK;
    (void)snprintf(reason, REASON, "%s",
                   row->reason == NULL ? "the reason is unknown" : row->reason);
    (void)problem;
    return COL_FAILURE; /* no further one */
}

static int tell_failed(const campaign *c, const cam_campaign_summary *s, col_problem *problem) {
    char reason[REASON] = "";
    cam_store *store = NULL;
    if (cam_store_open(&store, c->store, NULL) == COL_OK)
        (void)cam_store_each(store, c->plan.hash, 0, take_reason, reason, NULL);
    cam_store_close(store);
    return (int)base_fail(problem,
                          "%llu of %llu trial%s failed, the first because %.200s; collider report "
                          "%.100s lists them, --retry runs them again",
                          (unsigned long long)s->failed, (unsigned long long)s->total,
                          base_plural(s->total), reason, c->store);
}

static void add_word(base_text *text, const char *word) {
    base_text_add(text, " ");
    base_text_add_shell(text, word);
}

static int tell_open(const campaign *c, const cam_campaign_summary *s, col_problem *problem) {
    base_text command = {0};
    base_text_add(&command, "collider campaign");
    add_word(&command, c->arguments->operands[0]);
    if (c->plan.scale != NULL) {
        base_text_add(&command, " --scale");
        add_word(&command, c->plan.scale);
    }
    if (c->plan.allows_code)
        base_text_add(&command, " --allow-code");
    if (c->arguments->values[OPTION_OUT] != NULL) {
        base_text_add(&command, " --out");
        add_word(&command, c->store);
    }
    char what[500];
    (void)snprintf(what, sizeof what,
                   "%llu of %llu trial%s done and kept, %.400s --resume continues it",
                   (unsigned long long)s->done, (unsigned long long)s->total, base_plural(s->total),
                   command.failed ? "" : command.data);
    base_text_free(&command);
    return s->was_stopped
               ? cli_cut_short(problem, what)
               : (int)base_fail(problem, "the campaign did not get to its end; %.400s", what);
}

/* The last word: what is left to do. */
static int conclude(const campaign *c, const cam_campaign_summary *s, col_problem *problem) {
    if (s->total > s->done + s->failed)
        return tell_open(c, s, problem);
    if (s->failed > 0)
        return tell_failed(c, s, problem);
    if (s->unexpected == 0)
        return COL_OK;
    if (!c->quiet)
        base_print(stderr,
                   "collider: an error was found although none was injected; collider "
                   "report %s shows it\n",
                   c->store);
    return ERROR_FOUND;
}

static int run_plan(const campaign *c, col_problem *problem) {
    const char *json = c->arguments->values[OPTION_JSON];
    cli_campaign_display display = {.display = {.quiet = c->quiet}, .jobs = c->jobs};
    cam_campaign_summary summary = {0};
    cam_estimate estimate = {0};
    if (make_estimate(c, false, &estimate, NULL) == COL_OK)
        (void)cam_pace_begin(&display.pace, &estimate, NULL);
    const cam_campaign_settings settings = {.plan = &c->plan,
                                            .store = c->store,
                                            .jobs = c->jobs,
                                            .resume = c->arguments->typed[OPTION_RESUME],
                                            .retry = c->arguments->typed[OPTION_RETRY],
                                            .stop = &cli_stop,
                                            .progress = cli_campaign_progress_show,
                                            .context = &display};
    col_status status = cam_campaign_run(&settings, &summary, problem);
    cli_progress_end(&display.display);
    cam_pace_free(&display.pace);
    cam_estimate_free(&estimate);
    cli_kinds_told told = {0, 0};
    if (status == COL_OK && c->prints)
        print_summary(c, &summary);
    if (status == COL_OK)
        status = cli_stored_tell_kinds(c->store, c->plan.hash, c->prints, &told, problem);
    if (status == COL_OK && c->prints)
        base_print(stdout, "results: %s\n", c->store);
    if (status == COL_OK && json != NULL)
        status = base_json_write(json, make_json(c, &summary, &told), problem);
    return status == COL_OK ? conclude(c, &summary, problem) : (int)status;
}

static int run_campaign(const cli_arguments *arguments, col_problem *problem) {
    campaign c = {.arguments = arguments};
    col_status status = read_arguments(&c, problem);
    int result = (int)status;
    cli_catch_signals();
    if (status == COL_OK)
        result = arguments->typed[OPTION_DRY] ? dry_run(&c, problem) : run_plan(&c, problem);
    cam_plan_free(&c.plan);
    return result;
}

static void add_notes(base_text *text) {
    base_text_add(
        text, "A plan is a YAML file, or the name of an installed one; docs/campaigns.md has the "
              "format,\nplans/ the plans that repeat the tables and figures of the papers. Each "
              "finished trial is\nkept at once: whatever ends a campaign, --resume finishes it.\n");
}

const cli_command cli_campaign_command = {
    .name = "campaign",
    .summary = "many episodes by a plan: designs, engines, errors, seeds; resumable",
    .example = "collider campaign mcversi --scale small --jobs 2",
    .add_notes = add_notes,
    .usage = "  collider campaign PLAN\n",
    .most_operands = 1,
    .options = options,
    .option_count = OPTIONS_END,
    .done = "all trials are done; that injected errors were found is as expected",
    .found = "an error was found in a design without an injected one",
    .incomplete = "some trials failed or were not run",
    .run = run_campaign,
};
