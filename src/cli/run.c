/* SPDX-License-Identifier: MIT */
/* collider run: one verification episode. */
#include "base/error.h"
#include "base/file.h"
#include "cli/commands.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "episode/settings.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RUN_OPTIONS(X)                                                                             \
    X(CORES, "cores", "N", "8", "cores of the design")                                             \
    X(ENGINE, "engine", "NAME", "htg", "what chooses the tests; see below")                        \
    X(OPS, "ops", "N", "1Ki:64Ki", "operations of a test, N or MIN:MAX")                           \
    X(LOCATIONS, "locations", "N", "4:128", "shared locations, N or MIN:MAX")                      \
    X(SETS, "sets", "K", NULL,                                                                     \
      "cache sets that the locations compete for (biased engines; their choice "                   \
      "unless given)")                                                                             \
    X(MIX, "mix", "NAME", NULL, "a mix of operations or chain categories, as collider generate")   \
    X(INSTANCES, "instances", "I", "5", "perturbed executions of each test")                       \
    X(TESTS, "tests", "T", NULL, "end after so many tests")                                        \
    X(TIME, "time", "T", NULL, "end after so many seconds (60s without --tests and --cycles)")     \
    X(CYCLES, "cycles", "C", NULL, "end after so many simulated cycles")                           \
    X(UNTIL, "until-coverage", "F", NULL, "end when this fraction is covered, such as 0.9")        \
    X(METRIC, "metric", "NAME", "structural", "structural or functional: what engines are fed")    \
    X(MODEL, "model", "NAME", NULL, "sc, tso, pso, wmo, armv8 or rvwmo (the design's own)")        \
    X(ERROR, "error", "ID", NULL,                                                                  \
      "put a design error in: of the library (collider design errors), or a file (.yaml)")         \
    X(MUTANT, "mutant", "K", NULL, "run a mutant of the protocol (collider design mutants)")       \
    X(SAVE, "save", NULL, NULL, "leave in the folder of --out what is needed to go on later")      \
    X(RESUME, "resume", "FOLDER", NULL,                                                            \
      "go on with an episode that was saved there; budgets count from its beginning")              \
    X(REPEAT, "repeat", NULL, NULL, "an engine that is through starts over with a new seed")       \
    X(ENGINE_OPTIONS, "engine-options", "TEXT", NULL,                                              \
      "parameters of the engine, key=value,...; see docs/engines")                                 \
    X(LEARNING_LOG, "learning-log", "FILE", NULL,                                                  \
      "write what an engine learns, test by test (CSV; rlg, dqg, rag)")                            \
    X(OPTIONS, "options", "TEXT", NULL, "settings of the design itself; see docs/duv.md")          \
    X(WITNESS, "witness", NULL, NULL, "measure how much the instances of a test differ")           \
    X(OWN, "own-process", NULL, NULL, "run the design in a process of its own")                    \
    X(KEEP, "keep-going", NULL, NULL, "errors do not end the episode")                             \
    X(JOBS, "jobs", "N", "1", "instances that run side by side")                                   \
    X(SEED, "seed", "N", "1", "the seed of all chance")                                            \
    X(OUT, "out", "FOLDER", "collider-out", "where failures and the record go")                    \
    COL_COMMON_OPTIONS(X)

enum { RUN_OPTIONS(COL_OPTION_PLACE) OPTIONS_END };
static const col_option options[] = {RUN_OPTIONS(COL_OPTION_ROW)};

enum { ERROR_FOUND = 1 };

/* ---- From options to settings. */

static uint32_t option_named(const char *name) {
    uint32_t option = 0;
    while (option < OPTIONS_END && strcmp(options[option].name, name) != 0)
        option++;
    return option;
}

static col_status read_settings(const col_arguments *arguments, col_episode_settings *s,
                                col_error *error) {
    epi_settings_begin(s);
    s->setting.design = arguments->operands[0];
    s->stop = &cli_stop;
    s->folder = arguments->values[OPTION_OUT];
    s->save = arguments->values[OPTION_SAVE] != NULL ? s->folder : NULL;
    s->resume = arguments->values[OPTION_RESUME];
    s->learning_log = arguments->values[OPTION_LEARNING_LOG];
    for (const epi_field *field = epi_fields; field->name != NULL; field++) {
        const uint32_t option = option_named(field->name);
        if (option == OPTIONS_END || arguments->values[option] == NULL)
            continue;
        const col_status status = epi_field_read(field, arguments->values[option], "--", s, error);
        if (status != COL_OK)
            return status;
    }
    epi_settings_end(s);
    return COL_OK;
}

/* ---- What came of it. */

static bool is_same_folder(const char *a, const char *b) {
    char first[PATH_MAX], second[PATH_MAX];
    return realpath(a, first) != NULL && realpath(b, second) != NULL && strcmp(first, second) == 0;
}

/* Before anything is done that could be lost: the folder is there, can be written to, and has no
 * results of another episode. */
static col_status prepare_folder(const char *folder, const char *resume, col_error *error) {
    static const char *const old[] = {"coverage.txt", "engine.json", "resume.json",
                                      "resume-coverage.txt"};
    char path[1100];
    col_status status = col_folder_make(folder, error);
    if (status == COL_OK)
        status = col_file_write(col_path_in(path, sizeof path, folder, "episode.json"), "{}\n", 3,
                                error);
    if (status == COL_OK)
        (void)unlink(path);
    const bool goes_on = resume != NULL && is_same_folder(folder, resume);
    for (size_t i = 0; !goes_on && i < sizeof old / sizeof old[0]; i++)
        (void)unlink(col_path_in(path, sizeof path, folder, old[i]));
    return status;
}

/* All that can be written is; the first error is told. */
static col_status write_records(const col_arguments *arguments, const col_episode_settings *s,
                                const col_episode *episode, col_error *error) {
    char path[1100];
    col_error others;
    const char *json = arguments->values[OPTION_JSON];
    col_status status = col_episode_write(
        s, episode, col_path_in(path, sizeof path, s->folder, "episode.json"), error);
    const col_status covered = col_coverage_write_file(
        episode->coverage, col_path_in(path, sizeof path, s->folder, "coverage.txt"),
        status == COL_OK ? error : &others);
    if (status == COL_OK)
        status = covered;
    const col_status said =
        json == NULL ? COL_OK
                     : col_episode_write(s, episode, json, status == COL_OK ? error : &others);
    return status == COL_OK ? said : status;
}

/* The last word: what was found, and what to do about it. */
static int conclude(const col_episode *episode, bool quiet, col_error *error) {
    const col_failure *f = &episode->failure;
    if (episode->outcome == COL_CRASHED)
        return (int)col_fail(error,
                             "the design failed in test %llu, instance %u: %.200s; see %.200s",
                             (unsigned long long)f->test, f->instance, f->reason, f->folder);
    if (episode->outcome == COL_PASS) {
        if (!quiet && episode->ending == COL_ENDED_BY_ENGINE)
            (void)fprintf(stderr, "collider: the engine has no further test; --repeat lets it "
                                  "start over with new seeds\n");
        return COL_OK;
    }
    if (!quiet)
        (void)fprintf(stderr,
                      "collider: %s in test %llu, instance %u; collider replay %s shows it again, "
                      "collider shrink makes it small\n",
                      col_outcomes[episode->outcome], (unsigned long long)f->test, f->instance,
                      f->folder);
    return ERROR_FOUND;
}

static int run_run(const col_arguments *arguments, col_error *error) {
    col_episode_settings settings;
    col_episode episode = {0};
    if (arguments->operand_count == 0)
        return (int)col_refuse(error, "run is followed by a design; see collider run --help");
    col_status status = read_settings(arguments, &settings, error);
    if (status != COL_OK)
        return (int)status;
    const char *json = arguments->values[OPTION_JSON];
    const bool prints = json == NULL || strcmp(json, "-") != 0;
    progress_display display = {.quiet = arguments->values[OPTION_QUIET] != NULL};
    settings.progress = progress_show;
    settings.context = &display;
    cli_catch_signals();
    status = prepare_folder(settings.folder, settings.resume, error);
    if (status == COL_OK)
        status = col_episode_run(&settings, &episode, error);
    progress_end(&display);
    if (episode.coverage != NULL && (status == COL_OK || episode.tests > 0)) {
        col_error problem;
        if (prints)
            progress_print_result(&settings, &episode);
        const col_status written = write_records(arguments, &settings, &episode, &problem);
        if (status == COL_OK && written != COL_OK) {
            status = written;
            *error = problem;
        }
    }
    const int result = status == COL_OK ? conclude(&episode, display.quiet, error) : (int)status;
    col_episode_free(&episode);
    return result;
}

static void add_notes(col_text *text) {
    col_text_add(text, "DESIGN is a design of the list (collider design list), a design file "
                       "(.yaml), a protocol (.slicc,\n.sm), or a plug-in (.so). Engines:\n");
    for (size_t i = 0; col_engines[i] != NULL; i++)
        col_text_print(text, "  %-12s %s\n", col_engines[i], col_engine_summary(col_engines[i]));
    col_text_add(text, "Exit status 1: an error was found in the design.\n");
}

const col_command col_run_command = {
    .name = "run",
    .summary = "verify a design: generate, run, judge, measure, until a budget "
               "or an error",
    .example = "collider run mesi3 --cores 8 --engine chain-bias --time 10s",
    .add_notes = add_notes,
    .usage = "  collider run DESIGN\n",
    .most_operands = 1,
    .options = options,
    .option_count = OPTIONS_END,
    .run = run_run,
};
