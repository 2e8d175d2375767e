/* SPDX-License-Identifier: MIT */
/* collider triage: which of many recorded failures are the same bug. */
#include "base/json.h"
#include "base/machine.h"
#include "base/memory.h"
#include "base/path.h"
#include "cli/bug_lines.h"
#include "cli/named_failures.h"
#include "cli/progress_line.h"
#include "cli/signals.h"
#include "cli/waived.h"
#include "episode/failure/pack.h"

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

/* What the user calls them, which is not a temporary folder. */
static void name_folder(const cli_failures *failures, char *folder, size_t size) {
    const char *name = cli_failures_name(failures, folder);
    if (name != folder)
        (void)snprintf(folder, size, "%s", name);
}

static void name_folders(epi_triage *t, const cli_failures *failures) {
    for (size_t i = 0; i < t->case_count; i++)
        name_folder(failures, t->cases[i].folder, sizeof t->cases[i].folder);
    for (size_t b = 0; b < t->bug_count; b++)
        name_folder(failures, t->bugs[b].shrunk.folder, sizeof t->bugs[b].shrunk.folder);
}

/* ---- The command. */

static col_status group(const cli_arguments *arguments, cli_failures *failures,
                        const char *const *folders, epi_triage *triage, epi_known *known,
                        col_problem *problem) {
    cli_progress_display display = {.quiet = arguments->quiet};
    char room[PATH_MAX];
    const bool moves = has_pack(failures);
    const char *out = arguments->values[OPTION_OUT];
    epi_triage_settings settings = {
        .folders = folders,
        .folder_count = failures->count,
        .episodes = failures->episodes,
        .episode_count = failures->episode_count,
        .allow_code = arguments->values[OPTION_ALLOW_CODE] != NULL,
        .jobs = base_processors(),
        .progress = cli_bugs_progress,
        .context = &display,
        .stop = &cli_stop,
    };
    if (moves)
        BASE_TRY(cli_failures_make_room(failures, "bugs", room, problem));
    BASE_TRY(cli_arguments_read(arguments, &settings, problem));
    if (arguments->values[OPTION_KNOWN] != NULL) {
        BASE_TRY(epi_known_read(known, arguments->values[OPTION_KNOWN], problem));
        settings.known = known;
        if (!arguments->quiet)
            cli_waived_warn(known, NULL);
    }
    settings.out = moves ? room : out;
    cli_catch_signals();
    col_status status = epi_triage_run(&settings, triage, problem);
    cli_progress_end(&display);
    if (status == COL_OK && moves)
        status = move_bugs(triage, room, out, problem);
    settings.out = out;
    BASE_THEN(status, epi_triage_write_known(&settings, triage, problem));
    name_folders(triage, failures);
    return status;
}

static col_status run(const cli_arguments *arguments, cli_failures *failures, epi_triage *triage,
                      epi_known *known, col_problem *problem) {
    const char **folders = NULL;
    BASE_TRY(
        cli_failures_find(failures, arguments, arguments->values[OPTION_FAILURE], false, problem));
    BASE_TRY(base_new(&folders, failures->count, sizeof *folders, problem));
    col_status status = open_all(failures, folders, problem);
    BASE_THEN(status, group(arguments, failures, folders, triage, known, problem));
    free(folders);
    if (status != COL_OK)
        cli_failures_blame(failures, problem);
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
                       : "collider: %s/known.yaml has reasons in it and was not replaced\n",
                   arguments->values[OPTION_OUT]);
    return COL_OK;
}

static int run_triage(const cli_arguments *arguments, col_problem *problem) {
    cli_failures failures;
    epi_triage triage = {0};
    epi_known known = {0};
    col_status status = run(arguments, &failures, &triage, &known, problem);
    BASE_THEN(status, show(arguments, &triage, &known, problem));
    int result = status != COL_OK ? (int)status : new_bugs(&triage) == 0 ? 0 : ERROR_FOUND;
    if (cli_stop != 0)
        result = cli_cut_short(problem, "some failures are not assigned to a bug yet");
    else if (status == COL_OK && !triage.is_complete)
        result = (int)base_fail(problem, "time ran out before every failure was assigned to a bug; "
                                         "allow more with --time");
    epi_triage_free(&triage);
    epi_known_free(&known);
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
    .done = "none of the failures happens any more, or all are waived",
    .found = "there are bugs",
    .incomplete = "time ran out before every failure was assigned to a bug",
    .run = run_triage,
};
