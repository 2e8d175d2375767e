/* SPDX-License-Identifier: MIT */
/* collider triage: which of many recorded failures are the same bug. */
#include "base/json.h"
#include "base/machine.h"
#include "cli/bug_lines.h"
#include "cli/command_line.h"
#include "cli/progress_line.h"
#include "cli/signals.h"
#include "cli/waived.h"

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

static col_status print_bugs(const epi_triage *t, col_problem *problem) {
    base_text text = {0};
    cli_bugs_add(t, &text);
    return cli_write(&text, problem);
}

/* ---- JSON. */

static col_status write_json(const epi_triage *t, const epi_known *known, const char *path,
                             col_problem *problem) {
    return base_json_write(
        path,
        json_pack("{s:I, s:b, s:o, s:o, s:o}", "failures", (json_int_t)t->failures, "complete",
                  (int)t->is_complete, "bugs", epi_bugs_json(t), "unexplained",
                  epi_bug_failures_json(t, EPI_NO_BUG), "waived", epi_known_json(known)),
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
        .progress = cli_bugs_progress,
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
        BASE_TRY(print_bugs(triage, problem));
        cli_waived_print(known, "failure");
    }
    if (arguments->json != NULL)
        BASE_TRY(write_json(triage, known, arguments->json, problem));
    if (arguments->quiet)
        return COL_OK;
    base_print(stderr, "collider: %llu failure%s, %zu %sbug%s%s\n",
               (unsigned long long)triage->failures, base_plural(triage->failures), bugs,
               epi_known_waived(known) > 0 ? "new " : "", base_plural(bugs),
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
