/* SPDX-License-Identifier: MIT */
/* collider campaign: many trials by a plan, kept in a store. */
#include "cli/campaign_command.h"

#include "base/json.h"
#include "base/machine.h"
#include "cli/signals.h"
#include "cli/stored_failures.h"
#include "results/store/store.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const base_field *const options[] = {CAMPAIGN_OPTIONS(CLI_OPTION_ROW) NULL};

enum { ERROR_FOUND = 1 };

/* ---- A campaign on the screen. */

typedef struct campaign_display {
    cli_progress_display display;
    cam_pace pace; /* {0}: nothing is said of the time left */
    uint32_t jobs;
} campaign_display;

/* Workers share what is left; the last trials keep some of them waiting. */
static void add_time_left(base_text *line, const campaign_display *d, const cam_progress *p) {
    double spent = 0;
    if (d->pace.estimate == NULL)
        return;
    for (uint32_t i = 0; i < p->running_count; i++)
        spent += p->running[i].seconds;
    const double left = cam_pace_left(&d->pace, spent);
    const uint64_t open = p->total - p->done - p->failed;
    if (left < 1 || open == 0)
        return; /* not known, or longer than expected */
    base_text_add(line, ", about ");
    cli_progress_add_time(line, left / (double)(open < d->jobs ? open : d->jobs));
    base_text_add(line, " left");
}

static void make_line(base_text *line, const campaign_display *d, const cam_progress *p) {
    base_text_print(line, "%llu of %llu done", (unsigned long long)p->done,
                    (unsigned long long)p->total);
    if (p->total > 0)
        base_text_print(line, " (%.0f %%)", 100 * (double)(p->done + p->failed) / (double)p->total);
    if (p->failed > 0)
        base_text_print(line, ", %llu failed", (unsigned long long)p->failed);
    base_text_print(line, ", %u running", p->running_count);
    if (p->elsewhere > 0)
        base_text_print(line, ", %llu elsewhere", (unsigned long long)p->elsewhere);
    base_text_add(line, "; ");
    cli_progress_add_time(line, p->seconds);
    add_time_left(line, d, p);
    for (uint32_t i = 0; i < p->running_count; i++) {
        const cam_activity *trial = &p->running[i];
        base_text_print(line, "%s%s", i == 0 ? ";  " : " | ", trial->text);
        if (trial->points > 0)
            base_text_print(line, " (%.0f %% covered)",
                            100 * (double)trial->covered / trial->points);
    }
}

/* For cam_campaign_settings. */
static void show_progress(void *context, const cam_progress *progress) {
    campaign_display *d = context;
    base_text line = {0};
    for (uint32_t i = 0; i < progress->ended_count && d->pace.estimate != NULL; i++)
        cam_pace_end_trial(&d->pace, progress->ended[i].position, progress->ended[i].seconds);
    if (!cli_progress_is_due(&d->display, progress->seconds))
        return;
    make_line(&line, d, progress);
    cli_progress_put(&d->display, &line);
}

/* ---- What is asked for. */

static col_status check_slurm(const cli_arguments *arguments, col_problem *problem) {
    const char *of_slurm = CLI_FIRST_TYPED(arguments, OPTION_TASKS, OPTION_PARTITION, OPTION_TIME,
                                           OPTION_ACCOUNT, OPTION_SBATCH, OPTION_DETACH);
    const char *of_parts = CLI_FIRST_TYPED(arguments, OPTION_SHARD, OPTION_WHERE);
    const bool is_slurm = arguments->typed[OPTION_SLURM];
    if (!is_slurm && of_slurm != NULL)
        return base_refuse(problem, "--%s is for --slurm", of_slurm);
    if (is_slurm && of_parts != NULL)
        return base_refuse(problem, "--slurm deals out the whole plan: it takes no --%s", of_parts);
    return COL_OK;
}

static col_status read_numbers(cli_campaign *c, col_problem *problem) {
    const cli_arguments *arguments = c->arguments;
    c->jobs = arguments->typed[OPTION_SLURM] ? 1 : base_processors();
    BASE_TRY(cli_arguments_read(arguments, c, problem));
    return arguments->values[OPTION_SHARD] == NULL
               ? COL_OK
               : cam_shard_read(&c->shard, arguments->values[OPTION_SHARD], problem);
}

static col_status name_store(cli_campaign *c, col_problem *problem) {
    const char *out = c->arguments->values[OPTION_OUT];
    int length;
    if (out != NULL)
        length = snprintf(c->store, sizeof c->store, "%s", out);
    else if (c->shard.count > 0)
        length = snprintf(c->store, sizeof c->store, "%s-%u-of-%u.db", c->plan.name,
                          c->shard.number, c->shard.count);
    else
        length = snprintf(c->store, sizeof c->store, "%s.db", c->plan.name);
    if (length < 0 || (size_t)length >= sizeof c->store)
        return base_refuse(problem, "the path of --out is too long");
    return out != NULL ? COL_OK : cli_arguments_check_output(c->arguments, c->store, problem);
}

/* A part of the plan, by --shard, --where or both. */
static col_status choose_part(cli_campaign *c, col_problem *problem) {
    const char *where = c->arguments->values[OPTION_WHERE];
    const size_t count = c->plan.trial_count;
    if (c->shard.count == 0 && where == NULL)
        return COL_OK;
    BASE_TRY(base_new(&c->chosen, count, sizeof *c->chosen, problem));
    for (size_t i = 0; i < count; i++)
        c->chosen[i] = true;
    col_status status =
        where == NULL ? COL_OK : cam_plan_choose(&c->plan, where, c->chosen, problem);
    BASE_THEN(status, cam_keys_make(&c->keys, &c->plan, problem));
    if (status == COL_OK)
        cam_shard_choose(&c->shard, &c->keys, c->chosen);
    return status;
}

/* Reads the plan that the first operand names, and the options. Free also after a problem. */
static col_status read_campaign(cli_campaign *c, const cli_arguments *arguments,
                                col_problem *problem) {
    char path[PATH_MAX];
    *c = (cli_campaign){.arguments = arguments};
    if (arguments->operand_count > 1)
        return base_refuse(problem, "campaign takes one plan, but '%.100s' follows it",
                           arguments->operands[1]);
    col_status status = check_slurm(arguments, problem);
    BASE_THEN(status, read_numbers(c, problem));
    if (status != COL_OK)
        return status;
    c->plan.allows_code = arguments->typed[OPTION_CODE];
    status = cam_plan_find(path, arguments->operands[0], problem);
    BASE_THEN(status, cam_plan_read_file(&c->plan, path, arguments->values[OPTION_SCALE], problem));
    BASE_THEN(status, name_store(c, problem));
    BASE_THEN(status, cam_plan_try(&c->plan, problem));
    return status == COL_OK ? choose_part(c, problem) : status;
}

col_status cli_campaign_estimate(const cli_campaign *c, bool calibrates, cam_estimate *estimate,
                                 col_problem *problem) {
    cam_store *store = NULL;
    col_status status = COL_OK;
    if (access(c->store, F_OK) == 0)
        status = cam_store_open(&store, c->store, problem);
    BASE_THEN(status, cam_estimate_make(estimate, &c->plan, store, calibrates, &cli_stop, problem));
    return cam_store_end(store, status, problem);
}

/* ---- What would be done. */

/* The trials of the part that is chosen; and the time of one processor, of those that are not done.
 */
static size_t measure_part(const cli_campaign *c, const cam_estimate *estimate, double *seconds) {
    size_t trials = 0;
    *seconds = 0;
    for (size_t i = 0; i < c->plan.trial_count; i++)
        if (c->chosen[i]) {
            trials++;
            *seconds += estimate->is_done[i] ? 0 : estimate->seconds[i]; /* NOLINT */
        }
    return trials;
}

static col_status print_part(const cli_campaign *c, const cam_estimate *estimate,
                             col_problem *problem) {
    double seconds;
    const size_t trials = measure_part(c, estimate, &seconds);
    base_text line = {0};
    if (c->arguments->typed[OPTION_WHERE])
        base_text_add(&line, c->shard.count > 0 ? "chosen, " : "chosen: ");
    if (c->shard.count > 0)
        base_text_print(&line, "shard %u of %u: ", c->shard.number, c->shard.count);
    base_text_print(&line, "%zu of %zu trial%s, about ", trials, c->plan.trial_count,
                    base_plural(c->plan.trial_count));
    cli_progress_add_time(&line, seconds / c->jobs);
    base_text_add(&line, " of this\n");
    return cli_print(&line, problem);
}

static json_t *make_dry_json(const cli_campaign *c, const cam_estimate *estimate) {
    double seconds;
    json_t *json = cli_campaign_grid_json(&c->plan, estimate, c->jobs);
    if (c->chosen != NULL) {
        const size_t trials = measure_part(c, estimate, &seconds);
        base_json_set(
            &json, "part",
            json_pack("{s:I, s:f}", "trials", (json_int_t)trials, "processor_seconds", seconds));
    }
    return json;
}

static int dry_run(const cli_campaign *c, col_problem *problem) {
    const cli_arguments *arguments = c->arguments;
    cam_estimate estimate = {0};
    col_status status = cli_campaign_estimate(c, true, &estimate, problem);
    if (status == COL_OK && arguments->prints)
        status = cli_campaign_grid_print(&c->plan, &estimate, c->jobs, problem);
    if (status == COL_OK && arguments->prints && c->chosen != NULL)
        status = print_part(c, &estimate, problem);
    if (status == COL_OK && arguments->json != NULL)
        status = base_json_write(arguments->json, make_dry_json(c, &estimate), problem);
    cam_estimate_free(&estimate);
    return cli_stop == 0 ? (int)status : cli_cut_short(problem, "the plan was not estimated");
}

/* ---- What came of it. */

static json_t *make_json(const cli_campaign *c, const cam_campaign_summary *s,
                         const cli_kinds_told *told, json_t *bugs) {
    return json_pack(
        "{s:s, s:o, s:o, s:s, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:f, s:I, s:I, "
        "s:I, s:o}",
        "plan", c->plan.name, "title", base_json_text(c->plan.title), "scale",
        base_json_text(c->plan.scale), "hash", c->plan.hash, "store", base_json_text(c->store),
        "trials", (json_int_t)s->total, "done", (json_int_t)s->done, "failed",
        (json_int_t)s->failed, "ran", (json_int_t)s->ran, "found", (json_int_t)s->found,
        "unexpected", (json_int_t)s->unexpected, "undecided", (json_int_t)s->undecided, "waived",
        (json_int_t)s->waived, "stopped", (int)s->was_stopped, "seconds", s->seconds, "outdated",
        (json_int_t)s->outdated, "failures", (json_int_t)told->failures, "kinds",
        (json_int_t)told->kinds, "bugs", bugs == NULL ? json_array() : json_incref(bugs));
}

static void print_summary(const cli_campaign *c, const cam_campaign_summary *s) {
    base_print(stdout, "%s%s%s: %llu of %llu trial%s done, %llu failed, in %.1f s\n", c->plan.name,
               c->plan.scale == NULL ? "" : ", ", c->plan.scale == NULL ? "" : c->plan.scale,
               (unsigned long long)s->done, (unsigned long long)s->total, base_plural(s->total),
               (unsigned long long)s->failed, s->seconds);
    if (s->found > 0)
        base_print(stdout, "%llu found the injected error\n", (unsigned long long)s->found);
    if (s->unexpected > 0)
        base_print(stdout, "%llu found an error although none was injected\n",
                   (unsigned long long)s->unexpected);
    if (s->undecided > 0)
        base_print(stdout,
                   "%llu undecided: no error found, but %llu of %llu instances were not judged\n",
                   (unsigned long long)s->undecided, (unsigned long long)s->unjudged,
                   (unsigned long long)s->instances);
    if (s->waived > 0)
        base_print(stdout, "%llu failure%s of known bugs waived\n", (unsigned long long)s->waived,
                   base_plural(s->waived));
    if (s->outdated > 0)
        base_print(
            stdout,
            "%llu result%s of another version of a design: kept in the store, but in no plan any "
            "more\n",
            (unsigned long long)s->outdated, base_plural(s->outdated));
}

static void add_word(base_text *text, const char *option, const char *word) {
    base_text_add(text, word == NULL ? "" : option);
    if (word != NULL)
        base_text_add_shell(text, word);
}

/* "collider campaign PLAN --scale ...", as it was typed but for --resume. */
static void add_command_line(const cli_campaign *c, base_text *line) {
    add_word(line, "collider campaign ", c->arguments->operands[0]);
    add_word(line, " --scale ", c->plan.scale);
    base_text_add(line, c->plan.allows_code ? " --allow-code" : "");
    if (c->shard.count > 0)
        base_text_print(line, " --shard %u/%u", c->shard.number, c->shard.count);
    add_word(line, " --where ", c->arguments->values[OPTION_WHERE]);
    base_text_add(line, c->arguments->typed[OPTION_SLURM] ? " --slurm" : "");
    add_word(line, " --out ", c->arguments->values[OPTION_OUT]);
}

/* The last word: what is left to do. */
static int conclude(const cli_campaign *c, const cam_campaign_summary *s, col_problem *problem) {
    if (s->total > s->done + s->failed) {
        enum { LONGEST = 300 }; /* a longer command would be cut off, and wrong */
        base_text command = {0};
        add_command_line(c, &command);
        char what[LONGEST + 100];
        (void)snprintf(
            what, sizeof what, "%llu of %llu trial%s done and kept, %s --resume continues it",
            (unsigned long long)s->done, (unsigned long long)s->total, base_plural(s->total),
            command.failed || command.length > LONGEST ? "the same command with" : command.data);
        base_text_free(&command);
        return s->was_stopped
                   ? cli_cut_short(problem, what)
                   : (int)base_fail(problem, "the campaign did not get to its end; %.400s", what);
    }
    if (s->failed > 0)
        return (int)base_fail(
            problem,
            "%llu of %llu trial%s failed, the first because %.200s; collider report "
            "%.100s lists them, --retry runs them again",
            (unsigned long long)s->failed, (unsigned long long)s->total, base_plural(s->total),
            s->reason, c->store);
    if (s->unexpected == 0)
        return s->undecided > 0
                   ? (int)base_fail(
                         problem,
                         "%llu of %llu trial%s undecided: instances could not be judged in time; "
                         "a larger judge-limit or smaller tests (ops) may help",
                         (unsigned long long)s->undecided, (unsigned long long)s->total,
                         base_plural(s->total))
                   : COL_OK;
    if (!c->arguments->quiet)
        base_print(stderr,
                   "collider: an error was found although none was injected; collider "
                   "report %s shows it\n",
                   c->store);
    return ERROR_FOUND;
}

bool cli_campaign_allows_code(const cli_campaign *c) {
    return c->arguments->typed[OPTION_CODE];
}

int cli_campaign_conclude(const cli_campaign *c, const cam_campaign_summary *summary,
                          col_problem *problem) {
    const cli_arguments *a = c->arguments;
    cli_kinds_told told = {0, 0};
    base_text lines = {0};
    json_t *bugs = NULL;
    if (a->prints)
        print_summary(c, summary);
    if (summary->unexpected > 0)
        cli_campaign_bugs(c, &lines, &bugs);
    col_status status =
        cli_stored_tell_kinds(c->store, c->plan.hash, a->prints, lines.data, &told, problem);
    base_text_free(&lines);
    if (status == COL_OK && a->prints)
        base_print(stdout, "results: %s\n", c->store);
    if (status == COL_OK && a->json != NULL)
        status = base_json_write(a->json, make_json(c, summary, &told, bugs), problem);
    json_decref(bugs);
    return status == COL_OK ? conclude(c, summary, problem) : (int)status;
}

static int run_plan(const cli_campaign *c, col_problem *problem) {
    campaign_display display = {.display = {.quiet = c->arguments->quiet}, .jobs = c->jobs};
    cam_campaign_summary summary = {0};
    cam_estimate estimate = {0};
    const bool is_estimated = cli_campaign_estimate(c, false, &estimate, NULL) == COL_OK;
    if (is_estimated && c->chosen == NULL)
        (void)cam_pace_begin(&display.pace, &estimate, NULL);
    const cam_campaign_settings settings = {.plan = &c->plan,
                                            .store = c->store,
                                            .jobs = c->jobs,
                                            .resume = c->arguments->typed[OPTION_RESUME],
                                            .retry = c->arguments->typed[OPTION_RETRY],
                                            .chosen = c->chosen,
                                            .keys = c->chosen == NULL ? NULL : &c->keys,
                                            .costs = is_estimated ? estimate.seconds : NULL,
                                            .trial_limit = c->trial_limit,
                                            .stop = &cli_stop,
                                            .progress = show_progress,
                                            .context = &display};
    const col_status status = cam_campaign_run(&settings, &summary, problem);
    cli_progress_end(&display.display);
    cam_pace_free(&display.pace);
    cam_estimate_free(&estimate);
    return status == COL_OK ? cli_campaign_conclude(c, &summary, problem) : (int)status;
}

/* collider campaign merge|work|status|cancel ... */
static int merge(const cli_arguments *arguments, col_problem *problem) {
    cam_merge_summary s;
    if (arguments->operand_count < 3)
        return (int)base_refuse(
            problem, "campaign merge is followed by the store to make and those to merge; see "
                     "collider campaign --help");
    const char *out = arguments->operands[1];
    const size_t stores = arguments->operand_count - 2;
    col_status status = cli_arguments_check_output(arguments, out, problem);
    BASE_THEN(status, cam_merge(out, arguments->operands + 2, stores, &s, problem));
    if (status == COL_OK && arguments->prints)
        base_print(stdout,
                   "%s: %llu of %llu trial%s done, %llu failed; %llu added, %llu were there\n", out,
                   (unsigned long long)s.done, (unsigned long long)s.trials, base_plural(s.trials),
                   (unsigned long long)s.failed, (unsigned long long)s.added,
                   (unsigned long long)s.present);
    if (status == COL_OK && arguments->json != NULL)
        status = base_json_write(
            arguments->json,
            json_pack("{s:o, s:I, s:I, s:I, s:I, s:I, s:I}", "store", base_json_text(out), "merged",
                      (json_int_t)stores, "added", (json_int_t)s.added, "present",
                      (json_int_t)s.present, "trials", (json_int_t)s.trials, "done",
                      (json_int_t)s.done, "failed", (json_int_t)s.failed),
            problem);
    return (int)status;
}

#define TAKES(option) (1ULL << OPTION_##option)

/* What may stand in the place of a plan, and the options that it takes. */
typedef struct verb {
    const char *word;
    int (*run)(const cli_arguments *arguments, col_problem *problem);
    uint64_t options; /* besides --help and --version, which are dealt with before */
} verb;

static const verb verbs[] = {
    {"merge", merge, TAKES(JSON) | TAKES(QUIET)},
    {"work", cli_campaign_work, TAKES(CODE) | TAKES(QUIET)},
    {"status", cli_campaign_status, TAKES(JSON) | TAKES(QUIET)},
    {"cancel", cli_campaign_cancel, TAKES(QUIET)},
};

static int run_campaign(const cli_arguments *arguments, col_problem *problem) {
    cli_campaign c;
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
        if (arguments->operand_count > 0 && strcmp(arguments->operands[0], verbs[i].word) == 0) {
            for (int o = 0; options[o] != NULL; o++)
                if (arguments->typed[o] && (verbs[i].options >> o & 1) == 0)
                    return (int)base_refuse(problem, "campaign %s takes no --%s", verbs[i].word,
                                            options[o]->name);
            return verbs[i].run(arguments, problem);
        }
    col_status status = read_campaign(&c, arguments, problem);
    int result = (int)status;
    cli_catch_signals();
    if (status == COL_OK)
        result = arguments->typed[OPTION_DRY]     ? dry_run(&c, problem)
                 : arguments->typed[OPTION_SLURM] ? cli_campaign_slurm(&c, problem)
                                                  : run_plan(&c, problem);
    free(c.chosen);
    cam_keys_free(&c.keys);
    cam_plan_free(&c.plan);
    return result;
}

const cli_command cli_campaign_command = {
    .name = "campaign",
    .summary = "many episodes by a plan: designs, engines, errors, seeds; resumable",
    .example = "collider campaign mcversi --scale small --jobs 2",
    .notes = "A plan is a YAML file, or the name of an installed one; docs/campaigns.md has the "
             "format,\nplans/ the plans that repeat the tables and figures of the papers. Each "
             "finished trial is\nkept at once: whatever ends a campaign, --resume finishes it.\n",
    .usage = "  collider campaign PLAN\n"
             "  collider campaign merge STORE SHARD...\n"
             "  collider campaign status STORE\n"
             "  collider campaign cancel STORE\n"
             "  collider campaign work FOLDER\n",
    .missing = "campaign is followed by a plan; see collider campaign --help",
    .most_operands = CLI_MOST_OPERANDS,
    .first = BASE_INPUT_OR_NAME,
    .options = options,
    .done = "all trials are done; that injected errors were found is as expected",
    .found = "an error was found in a design without an injected one",
    .incomplete = "some trials failed, were not run, or are undecided",
    .run = run_campaign,
};
