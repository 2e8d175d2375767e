/* SPDX-License-Identifier: MIT */
/* collider triage: which of many recorded failures are the same bug. */
#include "base/json.h"
#include "base/machine.h"
#include "base/memory.h"
#include "base/path.h"
#include "cli/named_failures.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "episode/failure/pack.h"
#include "episode/triage/triage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRIAGE_OPTIONS(X)                                                                          \
    CLI_FAILURE_OPTION(X)                                                                          \
    X(OUT, "out", "FOLDER", "collider-triage", "folder for the smallest test of each bug",         \
      .writes = true)                                                                              \
    X(TIME, "time", "T", "5m", "stop after T and report the bugs found so far",                    \
      CLI_TIME(BASE_SECONDS, epi_triage_settings, seconds, MOST_SECONDS))                          \
    X(JOBS, "jobs", "N", NULL, "instances that run in parallel (all processors)",                  \
      CLI_NUMBER(epi_triage_settings, jobs, 1, MOST_JOBS))                                         \
    X(SEED, "seed", "N", "1", "the seed of all random choices",                                    \
      CLI_NUMBER(epi_triage_settings, seed, 0, INT64_MAX))                                         \
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

static void print_bugs(const epi_triage *t, const cli_failures *failures) {
    for (size_t b = 0; b < t->bug_count; b++) {
        const epi_bug *bug = &t->bugs[b];
        base_print(stdout, "%6llu  %s; %u operation%s, first in test %llu: collider replay %s\n",
                   (unsigned long long)bug->count, words_of(bug), bug->shrunk.to.operations,
                   base_plural(bug->shrunk.to.operations),
                   (unsigned long long)t->cases[bug->earliest].was.test,
                   cli_failures_name(failures, bug->shrunk.folder));
    }
}

/* ---- JSON. */

static json_t *describe_failures(const epi_triage *t, const cli_failures *failures, size_t bug) {
    json_t *list = json_array();
    for (size_t i = 0; i < t->case_count; i++)
        if (t->cases[i].bug == bug)
            base_json_append(&list,
                             base_json_text(cli_failures_name(failures, t->cases[i].folder)));
    return list;
}

static json_t *describe_bug(const epi_triage *t, const cli_failures *failures, size_t number) {
    const epi_bug *b = &t->bugs[number];
    const bool has_suspect = b->mend[0] != '\0';
    return json_pack("{s:I, s:o, s:o, s:s, s:o, s:I, s:I, s:I, s:I, s:o, s:o}", "count",
                     (json_int_t)b->count, "suspect",
                     has_suspect ? base_json_text(b->says) : json_null(), "mend",
                     has_suspect ? base_json_text(b->mend) : json_null(), "verdict",
                     col_outcomes[b->shrunk.outcome], "reason", base_json_text(b->shrunk.reason),
                     "first_test", (json_int_t)t->cases[b->earliest].was.test, "operations",
                     (json_int_t)b->shrunk.to.operations, "failing", (json_int_t)b->shrunk.failing,
                     "tried", (json_int_t)b->shrunk.tried, "folder",
                     base_json_text(cli_failures_name(failures, b->shrunk.folder)), "failures",
                     describe_failures(t, failures, number));
}

static col_status write_json(const epi_triage *t, const cli_failures *failures, const char *path,
                             col_problem *problem) {
    json_t *bugs = json_array();
    for (size_t b = 0; b < t->bug_count; b++)
        base_json_append(&bugs, describe_bug(t, failures, b));
    return base_json_write(path,
                           json_pack("{s:I, s:b, s:o, s:o}", "failures", (json_int_t)t->case_count,
                                     "complete", (int)t->is_complete, "bugs", bugs, "unexplained",
                                     describe_failures(t, failures, EPI_NO_BUG)),
                           problem);
}

/* ---- Failures in packs, whose designs are in a temporary folder. */

static bool has_pack(const cli_failures *failures) {
    bool is_found = false;
    for (size_t i = 0; i < failures->count; i++)
        is_found |= failures->list[i].is_pack;
    return is_found;
}

static col_status open_all(cli_failures *failures, const char **folders, col_problem *problem) {
    for (size_t i = 0; i < failures->count; i++) {
        const col_status status = cli_failure_open(failures, &failures->list[i], problem);
        if (status != COL_OK) {
            cli_failure_blame(failures, &failures->list[i], problem);
            return status;
        }
        folders[i] = failures->list[i].folder;
    }
    return COL_OK;
}

/* The smallest tests go to where they were wanted, each with its design. */
static col_status move_bugs(epi_triage *t, const char *room, const char *out,
                            col_problem *problem) {
    const size_t length = strlen(room);
    for (size_t b = 0; b < t->bug_count; b++) {
        col_shrunk *shrunk = &t->bugs[b].shrunk;
        char path[PATH_MAX];
        if (strncmp(shrunk->folder, room, length) != 0)
            continue;
        BASE_TRY(base_path_in(path, out, base_path_name(shrunk->folder), problem));
        BASE_TRY(epi_failure_move(shrunk->folder, path, problem));
        (void)snprintf(shrunk->folder, sizeof shrunk->folder, "%.*s",
                       (int)sizeof shrunk->folder - 1, path);
    }
    return COL_OK;
}

/* ---- The command. */

static col_status group(const cli_arguments *arguments, cli_failures *failures,
                        const char *const *folders, epi_triage *triage, col_problem *problem) {
    cli_progress_display display = {.quiet = arguments->quiet};
    char room[PATH_MAX];
    const bool moves = has_pack(failures);
    const char *out = arguments->values[OPTION_OUT];
    epi_triage_settings settings = {
        .folders = folders,
        .folder_count = failures->count,
        .allow_code = arguments->values[OPTION_ALLOW_CODE] != NULL,
        .jobs = base_processors(),
        .progress = show_progress,
        .context = &display,
        .stop = &cli_stop,
    };
    if (moves)
        BASE_TRY(cli_failures_make_room(failures, "bugs", room, problem));
    BASE_TRY(cli_arguments_read(arguments, &settings, problem));
    settings.out = moves ? room : out;
    cli_catch_signals();
    const col_status status = epi_triage_run(&settings, triage, problem);
    cli_progress_end(&display);
    return status == COL_OK && moves ? move_bugs(triage, room, out, problem) : status;
}

static col_status run(const cli_arguments *arguments, cli_failures *failures, epi_triage *triage,
                      col_problem *problem) {
    const char **folders = NULL;
    BASE_TRY(
        cli_failures_find(failures, arguments, arguments->values[OPTION_FAILURE], false, problem));
    BASE_TRY(base_new(&folders, failures->count, sizeof *folders, problem));
    col_status status = open_all(failures, folders, problem);
    BASE_THEN(status, group(arguments, failures, folders, triage, problem));
    free(folders);
    if (status != COL_OK)
        cli_failures_blame(failures, problem);
    return status;
}

/* What there is, also when the time was up. */
static col_status show(const cli_arguments *arguments, const cli_failures *failures,
                       const epi_triage *triage, col_problem *problem) {
    if (arguments->prints)
        print_bugs(triage, failures);
    if (arguments->json != NULL)
        BASE_TRY(write_json(triage, failures, arguments->json, problem));
    if (!arguments->quiet)
        base_print(
            stderr, "collider: %zu failure%s, %zu bug%s%s\n", triage->case_count,
            base_plural(triage->case_count), triage->bug_count, base_plural(triage->bug_count),
            triage->bug_count == 0 && triage->is_complete ? ": none of them fails any more" : "");
    return COL_OK;
}

static int run_triage(const cli_arguments *arguments, col_problem *problem) {
    cli_failures failures;
    epi_triage triage = {0};
    col_status status = run(arguments, &failures, &triage, problem);
    BASE_THEN(status, show(arguments, &failures, &triage, problem));
    int result = status != COL_OK ? (int)status : triage.bug_count == 0 ? 0 : ERROR_FOUND;
    if (cli_stop != 0)
        result = cli_cut_short(problem, "some failures are not assigned to a bug yet");
    else if (status == COL_OK && !triage.is_complete)
        result = (int)base_fail(problem, "time ran out before every failure was assigned to a bug; "
                                         "allow more with --time");
    epi_triage_free(&triage);
    cli_failures_free(&failures);
    return result;
}

const cli_command cli_triage_command = {
    .name = "triage",
    .summary = "group recorded failures by the bugs that cause them",
    .example = "collider triage collider-out --time 2m",
    .notes = "A FAILURE is a failure folder or an episode folder of collider run, a quoted pattern "
             "of these,\nthe results store of a campaign, or a file of collider pack. Prints one "
             "line per bug: how many\nfailures it causes, the change to the design that fixes "
             "them, and its smallest test.\n",
    .usage = "  collider triage FAILURE...\n",
    .missing = "triage needs failure folders, episode folders, results stores or packs; see "
               "collider triage --help",
    .most_operands = CLI_MOST_OPERANDS,
    .first = BASE_INPUT,
    .others = BASE_INPUT,
    .options = options,
    .done = "none of the failures happens any more",
    .found = "there are bugs",
    .incomplete = "time ran out before every failure was assigned to a bug",
    .run = run_triage,
};
