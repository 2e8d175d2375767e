/* SPDX-License-Identifier: MIT */
/* collider triage: which of many recorded failures are the same bug. */
#include "base/json.h"
#include "base/machine.h"
#include "cli/command_line.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "cli/waived.h"
#include "episode/triage/triage.h"

#include <stdio.h>

#define TRIAGE_OPTIONS(X)                                                                          \
    X(OUT, "out", "FOLDER", "collider-triage", "folder for the smallest test of each bug",         \
      .writes = true)                                                                              \
    X(TIME, "time", "T", "5m", "stop after T and report the bugs found so far",                    \
      CLI_TIME(BASE_SECONDS, epi_triage_settings, seconds, MOST_SECONDS))                          \
    X(JOBS, "jobs", "N", NULL, "instances that run in parallel (all processors)",                  \
      CLI_NUMBER(epi_triage_settings, jobs, 1, MOST_JOBS))                                         \
    X(SEED, "seed", "N", "1", "the seed of all random choices",                                    \
      CLI_NUMBER(epi_triage_settings, seed, 0, INT64_MAX))                                         \
    X(KNOWN, "known", "BUGS", NULL,                                                                \
      "waive failures of the bugs in this file (YAML): see docs/known-bugs.md",                    \
      .input = BASE_INPUT)                                                                         \
    CLI_ALLOW_CODE_OPTION(X)                                                                       \
    CLI_COMMON_OPTIONS(X)

enum { ERROR_FOUND = 1, MOST_JOBS = 1024, MOST_SECONDS = 1000000000 };
CLI_TABLE(TRIAGE_OPTIONS);

static void show_progress(void *context, const epi_triage *t) {
    cli_progress_display *display = context;
    cli_progress_line line = {.count = 0};
    size_t left = 0;
    if (!cli_progress_is_due(display, t->seconds))
        return;
    for (size_t i = 0; i < t->case_count; i++)
        left += t->cases[i].bug == EPI_NO_BUG && !t->cases[i].is_mended;
    cli_progress_line_add(&line, 0, "%6.1f s", t->seconds);
    cli_progress_line_add(&line, 0, "%zu bug%s", t->bug_count, base_plural(t->bug_count));
    cli_progress_line_add(&line, 0, "%zu of %zu failures to explain", left, t->case_count);
    cli_progress_put_line(display, &line);
}

/* Its description: the change that mends it, or what went wrong in its smallest test. */
static const char *words_of(const epi_bug *bug) {
    return bug->says[0] != '\0' ? bug->says : bug->shrunk.reason;
}

static void print_bugs(const epi_triage *t) {
    for (size_t b = 0; b < t->bug_count; b++) {
        const epi_bug *bug = &t->bugs[b];
        if (bug->known != NULL)
            continue;
        base_print(stdout, "%6llu  %s; %u operation%s, first in test %llu: collider replay %s\n",
                   (unsigned long long)bug->count, words_of(bug), bug->shrunk.to.operations,
                   base_plural(bug->shrunk.to.operations),
                   (unsigned long long)t->cases[bug->earliest].was.test, bug->shrunk.folder);
    }
}

/* ---- JSON. */

static json_t *describe_failures(const epi_triage *t, size_t bug) {
    json_t *list = json_array();
    for (size_t i = 0; i < t->case_count; i++)
        if (t->cases[i].bug == bug)
            base_json_append(&list, base_json_text(t->cases[i].folder));
    return list;
}

static json_t *describe_bug(const epi_triage *t, size_t number) {
    const epi_bug *b = &t->bugs[number];
    const bool has_suspect = b->mend[0] != '\0';
    return json_pack(
        "{s:I, s:o, s:o, s:s, s:s, s:o, s:I, s:I, s:I, s:I, s:o, s:o}", "count",
        (json_int_t)b->count, "suspect", has_suspect ? base_json_text(b->says) : json_null(),
        "mend", has_suspect ? base_json_text(b->mend) : json_null(), "shape", b->shape, "verdict",
        col_outcomes[b->shrunk.outcome], "reason", base_json_text(b->shrunk.reason), "first_test",
        (json_int_t)t->cases[b->earliest].was.test, "operations",
        (json_int_t)b->shrunk.to.operations, "failing", (json_int_t)b->shrunk.failing, "tried",
        (json_int_t)b->shrunk.tried, "folder", base_json_text(b->shrunk.folder), "failures",
        describe_failures(t, number));
}

static col_status write_json(const epi_triage *t, const epi_known *known, const char *path,
                             col_problem *problem) {
    json_t *bugs = json_array();
    for (size_t b = 0; b < t->bug_count; b++)
        if (t->bugs[b].known == NULL)
            base_json_append(&bugs, describe_bug(t, b));
    return base_json_write(path,
                           json_pack("{s:I, s:b, s:o, s:o, s:o}", "failures",
                                     (json_int_t)t->case_count, "complete", (int)t->is_complete,
                                     "bugs", bugs, "unexplained", describe_failures(t, EPI_NO_BUG),
                                     "waived", epi_known_json(known)),
                           problem);
}

/* ---- The command. */

static col_status run(const cli_arguments *arguments, epi_triage *triage, epi_known *known,
                      col_problem *problem) {
    cli_progress_display display = {.quiet = arguments->quiet};
    epi_triage_settings settings = {
        .folders = (const char *const *)arguments->operands,
        .folder_count = arguments->operand_count,
        .allow_code = arguments->values[OPTION_ALLOW_CODE] != NULL,
        .out = arguments->values[OPTION_OUT],
        .jobs = base_processors(),
        .progress = show_progress,
        .context = &display,
        .stop = &cli_stop,
    };
    BASE_TRY(cli_arguments_read(arguments, &settings, problem));
    if (arguments->values[OPTION_KNOWN] != NULL) {
        BASE_TRY(epi_known_read(known, arguments->values[OPTION_KNOWN], problem));
        settings.known = known;
        if (!arguments->quiet)
            cli_waived_warn(known, NULL);
    }
    cli_catch_signals();
    col_status status = epi_triage_run(&settings, triage, problem);
    cli_progress_end(&display);
    BASE_THEN(status, epi_triage_write_known(&settings, triage, problem));
    return status;
}

/* Bugs that are not waived. */
static size_t new_bugs(const epi_triage *t) {
    size_t count = 0;
    for (size_t b = 0; b < t->bug_count; b++)
        count += t->bugs[b].known == NULL;
    return count;
}

/* What there is, also when the time was up. */
static col_status show(const cli_arguments *arguments, const epi_triage *triage,
                       const epi_known *known, col_problem *problem) {
    const size_t bugs = new_bugs(triage);
    if (arguments->prints) {
        print_bugs(triage);
        cli_waived_print(known, "failure");
    }
    if (arguments->json != NULL)
        BASE_TRY(write_json(triage, known, arguments->json, problem));
    if (arguments->quiet)
        return COL_OK;
    base_print(stderr, "collider: %zu failure%s, %zu %sbug%s%s\n", triage->case_count,
               base_plural(triage->case_count), bugs, epi_known_waived(known) > 0 ? "new " : "",
               base_plural(bugs),
               triage->bug_count == 0 && triage->is_complete ? ": none of them fails any more"
                                                             : "");
    if (bugs > 0)
        base_print(stderr,
                   triage->has_known_file
                       ? "collider: to waive bugs, write reasons into %s/known.yaml\n"
                       : "collider: %s/known.yaml has reasons in it, and is left as it is\n",
                   arguments->values[OPTION_OUT]);
    return COL_OK;
}

static int run_triage(const cli_arguments *arguments, col_problem *problem) {
    epi_triage triage = {0};
    epi_known known = {0};
    col_status status = run(arguments, &triage, &known, problem);
    BASE_THEN(status, show(arguments, &triage, &known, problem));
    int result = status != COL_OK ? (int)status : new_bugs(&triage) == 0 ? 0 : ERROR_FOUND;
    if (cli_stop != 0)
        result = cli_cut_short(problem, "some failures are not assigned to a bug yet");
    else if (status == COL_OK && !triage.is_complete)
        result = (int)base_fail(problem, "time ran out before every failure was assigned to a bug; "
                                         "allow more with --time");
    epi_triage_free(&triage);
    epi_known_free(&known);
    return result;
}

const cli_command cli_triage_command = {
    .name = "triage",
    .summary = "group recorded failures by the bugs that cause them",
    .example = "collider triage collider-out --time 2m",
    .notes = "FOLDER is what collider run --keep-going wrote, or the folder of one failure. Prints "
             "one line per\nbug: how many failures it causes, the change to the design that fixes "
             "them, and its smallest test.\n",
    .usage = "  collider triage FOLDER...\n",
    .missing = "triage is followed by folders of failures or of episodes; see collider triage "
               "--help",
    .most_operands = CLI_MOST_OPERANDS,
    .first = BASE_INPUT,
    .others = BASE_INPUT,
    .options = options,
    .done = "none of the failures happens any more, or all are waived",
    .found = "there are bugs",
    .incomplete = "time ran out before every failure was assigned to a bug",
    .run = run_triage,
};
