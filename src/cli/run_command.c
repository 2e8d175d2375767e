/* SPDX-License-Identifier: MIT */
/* collider run: one verification episode. */

#include "base/machine.h"
#include "base/path.h"
#include "cli/bug_lines.h"
#include "cli/command_line.h"
#include "cli/diagnose.h"
#include "cli/run_junit.h"
#include "cli/run_results.h"
#include "cli/signals.h"
#include "cli/status_screen.h"
#include "cli/waived.h"
#include "design/duv.h"
#include "episode/episode_record.h"
#include "episode/episode_run.h"
#include "episode/episode_settings.h"
#include "episode/suite/corpus.h"

#include <stdlib.h>
#include <string.h>

/* Rows X of this command, and S(PLACE) of an episode's settings. */
#define RUN_OPTIONS(X, S)                                                                          \
    S(CORES)                                                                                       \
    S(ENGINE)                                                                                      \
    S(OPS)                                                                                         \
    S(LOCATIONS)                                                                                   \
    S(SETS)                                                                                        \
    S(MIX)                                                                                         \
    X(PROGRAM, "program", "FILE...", NULL,                                                         \
      "run these programs, or folders of them, instead of an engine's; each once")                 \
    S(INSTANCES)                                                                                   \
    S(TESTS)                                                                                       \
    S(TIME)                                                                                        \
    S(CYCLES)                                                                                      \
    S(UNTIL)                                                                                       \
    S(METRIC)                                                                                      \
    S(MODEL)                                                                                       \
    S(INCLUDE)                                                                                     \
    S(ERROR)                                                                                       \
    S(MUTANT)                                                                                      \
    X(SAVE, "save", NULL, NULL, "save the episode in the folder of --out, to resume it later")     \
    X(SAVE_EVERY, "save-every", "T", "60s", "with --save: also save after every T of running",     \
      CLI_TIME(BASE_DELAY, col_episode_settings, save_every, EPI_MOST_SECONDS))                    \
    X(RESUME, "resume", "FOLDER", NULL,                                                            \
      "continue the episode that was saved there, in the same folder unless --out names another; " \
      "budgets count from its beginning",                                                          \
      .input = BASE_INPUT)                                                                         \
    S(REPEAT)                                                                                      \
    X(ONCE, "once", NULL, NULL, "stop when the engine has no further tests")                       \
    S(ENGINE_OPTIONS)                                                                              \
    X(LEARNING_LOG, "learning-log", "FILE", NULL,                                                  \
      "write, test by test, what an engine that learns did (CSV)", .adds = true)                   \
    S(OPTIONS)                                                                                     \
    S(WITNESS)                                                                                     \
    S(OWN)                                                                                         \
    S(READS)                                                                                       \
    S(JUDGE_LIMIT)                                                                                 \
    X(WAVES, "waves", NULL, NULL,                                                                  \
      "write the waveforms of failures into their folders: designs in Verilog alone")              \
    S(KEEP)                                                                                        \
    X(KEEP_FOLDERS, "keep", "N", "3",                                                              \
      "with --keep-going: failure folders of a kind to keep, the earliest and the smallest",       \
      CLI_NUMBER(col_episode_settings, keep, 1, UINT32_MAX))                                       \
    X(TRIAGE, "triage", "T", "10s",                                                                \
      "with --keep-going: group the failures by bug at the end, for at most T; 0 switches it off", \
      .kind = BASE_DELAY, .high = EPI_MOST_SECONDS)                                                \
    X(KNOWN, "known", "BUGS", NULL,                                                                \
      "waive failures of the bugs in this file (YAML): see docs/known-bugs.md",                    \
      .input = BASE_INPUT)                                                                         \
    S(JOBS)                                                                                        \
    S(SEED)                                                                                        \
    X(OUT, "out", "FOLDER", "collider-out", "where failures and the record go", .writes = true)    \
    X(CORPUS, "corpus", NULL, NULL,                                                                \
      "keep the tests that cover anything new in the folder of --out, for collider distil")        \
    X(JUNIT, "junit", "FILE", NULL,                                                                \
      "write the result as JUnit's XML, for systems of continuous integration")                    \
    X(FORCE, "force", NULL, NULL, "replace the episode that is in the folder of --out")            \
    CLI_COMMON_OPTIONS(X)

#define SETTING_PLACE(place) OPTION_##place,
#define SETTING_ROW(place) &epi_fields[EPI_##place],
enum { RUN_OPTIONS(CLI_OPTION_PLACE, SETTING_PLACE) };
static const base_field *const options[] = {RUN_OPTIONS(CLI_OPTION_ROW, SETTING_ROW) NULL};

enum { ERROR_FOUND = 1 };

/* ---- From options to settings. */

/* Given programs leave nothing for an engine to choose. */
static col_status read_programs(const cli_arguments *arguments, col_episode_settings *s,
                                col_problem *problem) {
    const char *of_engines = CLI_FIRST_TYPED(arguments, OPTION_ENGINE, OPTION_ENGINE_OPTIONS,
                                             OPTION_OPS, OPTION_LOCATIONS, OPTION_SETS, OPTION_MIX,
                                             OPTION_REPEAT, OPTION_ONCE, OPTION_LEARNING_LOG);
    if (!arguments->typed[OPTION_PROGRAM])
        return COL_OK;
    if (of_engines != NULL)
        return base_refuse(problem, "--program runs given programs: leave --%s out", of_engines);
    if (s->save != NULL || s->resume != NULL)
        return base_refuse(problem,
                           "an episode of given programs cannot be saved or resumed: "
                           "leave --%s out",
                           s->save != NULL ? "save" : "resume");
    s->engine = "given";
    s->programs = (const char *const *)arguments->list;
    s->program_count = arguments->list_count;
    return COL_OK;
}

/* An episode that is resumed stays in its folder, unless another one is named. */
static bool goes_on(const cli_arguments *arguments) {
    return arguments->values[OPTION_RESUME] != NULL && !arguments->typed[OPTION_OUT];
}

static col_status check_combination(const cli_arguments *arguments, col_problem *problem) {
    const char *model = arguments->values[OPTION_MODEL];
    if (arguments->typed[OPTION_ONCE] && arguments->typed[OPTION_REPEAT])
        return base_refuse(problem, "--once and --repeat contradict each other: leave one out");
    if (arguments->typed[OPTION_SAVE_EVERY] && !arguments->typed[OPTION_SAVE])
        return base_refuse(problem, "--save-every goes with --save");
    const char *of_failures = CLI_FIRST_TYPED(arguments, OPTION_KEEP_FOLDERS, OPTION_TRIAGE);
    if (of_failures != NULL && !arguments->typed[OPTION_KEEP])
        return base_refuse(problem, "--%s goes with --keep-going", of_failures);
    if (arguments->typed[OPTION_CORPUS] && arguments->values[OPTION_RESUME] != NULL &&
        !goes_on(arguments) &&
        !base_path_same(arguments->values[OPTION_RESUME], arguments->values[OPTION_OUT]))
        return base_refuse(problem, "--corpus goes on in its own folder: leave --out out");
    if (arguments->typed[OPTION_INCLUDE] && (model == NULL || !base_path_ends(model, ".cat")))
        return base_refuse(problem, "--include goes with a model in cat: --model NAME.cat");
    return COL_OK;
}

static col_status read_settings(const cli_arguments *arguments, col_episode_settings *s,
                                col_problem *problem) {
    epi_settings_begin(s);
    s->setting.design.name = arguments->operands[0];
    s->stop = &cli_stop;
    s->jobs = base_processors();
    s->resume = arguments->values[OPTION_RESUME];
    s->folder = goes_on(arguments) ? s->resume : arguments->values[OPTION_OUT];
    s->save = arguments->values[OPTION_SAVE] != NULL ? s->folder : NULL;
    s->learning_log = arguments->values[OPTION_LEARNING_LOG];
    s->waves = arguments->values[OPTION_WAVES] != NULL;
    if (s->waves) {
        BASE_TRY(duv_check_waves(s->setting.design.name, problem));
    }
    BASE_TRY(cli_arguments_read(arguments, s, problem));
    s->has_operations = arguments->typed[OPTION_OPS]; /* a default of ours is no wish */
    s->has_locations = arguments->typed[OPTION_LOCATIONS];
    s->has_instances = arguments->typed[OPTION_INSTANCES];
    BASE_TRY(check_combination(arguments, problem));
    if (arguments->typed[OPTION_ONCE])
        s->repeat = false;
    const col_status given = read_programs(arguments, s, problem);
    epi_settings_end(s);
    return given;
}

/* ---- What came of it. */

/* What the callbacks of the episode get. */
typedef struct run_context {
    cli_screen display;
    epi_folder folder;
    char name[32]; /* of the folder, if it is not the first */
    bool has_jobs; /* the user said how many */
    bool keeps;    /* a corpus */
    epi_corpus corpus;
    cli_junit junit;
    const col_episode_settings *settings;
} run_context;

static void show_progress(void *context, const col_progress *progress) {
    run_context *c = context;
    cli_screen_show(&c->display, progress);
}

static col_status begin_folder(void *context, const col_episode *episode, col_problem *problem) {
    run_context *c = context;
    const uint32_t jobs = c->has_jobs ? c->settings->jobs : 0;
    if (episode->most_jobs > 0 && jobs > episode->most_jobs && !c->display.quiet) {
        const uint32_t tests = episode->most_jobs / c->settings->instances;
        (void)base_refuse(problem,
                          "--jobs %u is more than %s can use: it has %u test%s under way at a "
                          "time, at most %u instances",
                          jobs, c->settings->engine, tests, base_plural(tests), episode->most_jobs);
        cli_warn(problem);
    }
    cli_junit_begin(&c->junit);
    BASE_TRY(epi_folder_begin(&c->folder, c->settings, episode, problem));
    c->keeps |= c->folder.goes_on && base_folder_has(c->folder.path, EPI_CORPUS);
    return c->keeps
               ? epi_corpus_begin(&c->corpus, c->folder.path, episode, c->folder.goes_on, problem)
               : COL_OK;
}

/* What covered anything new is kept. */
static col_status note_test(void *context, const col_episode *episode, const epi_test *test,
                            const col_gain *gain, col_problem *problem) {
    run_context *c = context;
    BASE_TRY(cli_junit_note_test(&c->junit, episode, test, problem));
    return c->keeps && gain->points[COL_FUNCTIONAL] > 0
               ? epi_corpus_add(&c->corpus, episode, test, problem)
               : COL_OK;
}

enum { MOST_FOLDERS = 1000 };

/* Without --out and --force the episodes of a working day stay side by side: collider-out,
 * collider-out-2 and so on. */
static col_status claim_folder(const cli_arguments *arguments, col_episode_settings *s,
                               run_context *c, col_problem *problem) {
    const bool replaces = arguments->values[OPTION_FORCE] != NULL;
    const char *first = s->folder;
    col_status status = epi_folder_claim(&c->folder, first, s->resume, replaces, problem);
    if (arguments->typed[OPTION_OUT] || replaces || goes_on(arguments))
        return status;
    for (int i = 2; status == COL_BAD_INPUT && i <= MOST_FOLDERS; i++) {
        (void)snprintf(c->name, sizeof c->name, "%s-%d", first, i);
        s->folder = c->name;
        s->save = s->save == NULL ? NULL : c->name;
        status = epi_folder_claim(&c->folder, c->name, s->resume, false, problem);
    }
    return status;
}

/* Cut short by a signal: nothing is verified, whatever was found. */
static int tell_signal(const col_episode *episode, col_problem *problem) {
    char what[200];
    const unsigned long long tests = episode->tests, failures = episode->failures;
    if (failures > 0)
        (void)snprintf(what, sizeof what, "%llu of %llu test%s failed so far", failures, tests,
                       base_plural(tests));
    else
        (void)snprintf(what, sizeof what,
                       "the episode is incomplete: no error found in %llu test%s", tests,
                       base_plural(tests));
    return cli_cut_short(problem, what);
}

/* The last word: what was found, and what to do about it. */
static int conclude(const col_episode *episode, bool quiet, col_problem *problem) {
    const col_failure *f = &episode->failure;
    if (episode->outcome == COL_INCOMPLETE && episode->ending == COL_ENDED_BY_TIME)
        return (int)base_fail(problem, "no test was run: --time was over before the first");
    if (episode->outcome == COL_INCOMPLETE)
        return (int)base_fail(problem, "no test was run: the engine has none to offer");
    if (episode->outcome == COL_UNJUDGED)
        return (int)base_fail(problem,
                              "%llu of %llu instances could not be judged in time; a larger "
                              "--judge-limit or smaller tests (--ops) may help",
                              (unsigned long long)episode->undecided,
                              (unsigned long long)episode->instances);
    if (episode->outcome == COL_PASS) {
        if (!quiet && episode->ending == COL_ENDED_BY_ENGINE)
            base_print(stderr, "collider: the engine has no further tests; without --once it "
                               "restarts with new seeds\n");
        return COL_OK;
    }
    if (!quiet)
        base_print(stderr,
                   "collider: %s in test %llu, instance %u; collider replay %s shows it again, "
                   "collider shrink makes it small\n",
                   col_outcomes[episode->outcome], (unsigned long long)f->test, f->instance,
                   f->folder);
    return ERROR_FOUND;
}

/* The bugs whose failures are waived. */
static col_status read_known(const cli_arguments *arguments, epi_known *known,
                             col_problem *problem) {
    const char *path = arguments->values[OPTION_KNOWN];
    if (path == NULL)
        return COL_OK;
    BASE_TRY(epi_known_read(known, path, problem));
    if (!arguments->quiet)
        cli_waived_warn(known, "triage");
    return COL_OK;
}

static int run_run(const cli_arguments *arguments, col_problem *problem) {
    col_episode_settings settings;
    epi_known known = {0};
    col_episode episode = {0};
    if (arguments->operand_count == 0)
        return (int)base_refuse(problem, "run is followed by a design%s; see collider run --help",
                                arguments->typed[OPTION_PROGRAM] ? ", before --program" : "");
    col_status status = read_settings(arguments, &settings, problem);
    if (status != COL_OK)
        return (int)status;
    run_context context = {
        .display = {.quiet = arguments->quiet, .settings = &settings, .episode = &episode},
        .folder = EPI_FOLDER_NONE,
        .has_jobs = arguments->typed[OPTION_JOBS],
        .keeps = arguments->values[OPTION_CORPUS] != NULL,
        .junit.path = arguments->values[OPTION_JUNIT],
        .settings = &settings};
    cli_run_bugs bugs = {
        .jobs = settings.jobs, .quiet = arguments->quiet, .prints = arguments->prints};
    settings.progress = show_progress;
    settings.begun = begin_folder;
    settings.context = &context;
    cli_catch_signals();
    const epi_listener listener = {note_test, &context};
    status = cli_argument_read(arguments, OPTION_TRIAGE, &bugs.seconds, problem);
    BASE_THEN(status, read_known(arguments, &known, problem));
    BASE_THEN(status, claim_folder(arguments, &settings, &context, problem));
    context.folder.known = &known;
    context.display.known = &known;
    BASE_THEN(status, epi_run(&settings, &known, &listener, &episode, problem));
    cli_screen_end(&context.display);
    bugs.is_wanted = status == COL_OK && settings.keep_going && bugs.seconds > 0;
    cli_complaints_find(settings.setting.design.name, status, problem);
    if (status == COL_OK && context.name[0] != '\0' && !context.display.quiet)
        (void)fprintf(stderr, "collider: the record is in %s\n", context.name);
    if (episode.coverage != NULL && (status == COL_OK || episode.tests > 0)) {
        col_problem inner;
        const col_status printed =
            arguments->prints
                ? cli_run_print_result(&settings, &episode, epi_known_waived(&known), &inner)
                : COL_OK;
        if (arguments->prints)
            cli_waived_print(&known, "failure");
        /* All that can be written is; the first error is reported. */
        col_problem others;
        col_status written = epi_corpus_end(&context.corpus, &inner);
        const col_status recorded = epi_folder_record(&context.folder, &settings, &episode,
                                                      written == COL_OK ? &inner : &others);
        written = written == COL_OK ? recorded : written;
        BASE_THEN(written, cli_run_bugs_tell(&bugs, &settings, &episode, &context.folder, &inner));
        if (arguments->json != NULL) {
            const col_status said =
                epi_folder_write(&context.folder, &settings, &episode, arguments->json,
                                 written == COL_OK ? &inner : &others);
            written = written == COL_OK ? said : written;
        }
        if (context.junit.path != NULL) {
            const col_status said = cli_junit_write(&context.junit, &settings, &episode,
                                                    written == COL_OK ? &inner : &others);
            written = written == COL_OK ? said : written;
        }
        if (written == COL_OK && printed != COL_OK)
            written = base_out_of_memory(&inner);
        if (status == COL_OK && written != COL_OK) {
            status = written;
            *problem = inner;
        }
    }
    int result = (int)status;
    if (status == COL_OK)
        result = episode.ending == COL_ENDED_BY_SIGNAL
                     ? tell_signal(&episode, problem)
                     : conclude(&episode, context.display.quiet, problem);
    else if (cli_stop != 0 && episode.tests == 0) /* such as a compiler that got the signal, too */
        result = cli_cut_short(problem, "no test was run");
    cli_junit_free(&context.junit);
    epi_corpus_free(&context.corpus);
    epi_triage_free(&bugs.triage);
    col_episode_free(&episode);
    epi_known_free(&known);
    epi_folder_release(&context.folder);
    return result;
}

static void add_notes(base_text *text) {
    cli_add_designs(text, false);
    base_text_add(text, "Engines:\n");
    for (size_t i = 0; col_engines[i] != NULL; i++)
        base_text_print(text, "  %-12s %s\n", col_engines[i], col_engine_summary(col_engines[i]));
    base_text_print(text, "  %-12s %s\n", "FILE.so", "an engine of your own: native code");
    base_text_add(
        text, "Tests of mtg-standard, mtg, rlg*, rag, dqg-* and FILE.so run one after the other, "
              "because each\nfollows from the last; their instances run in parallel. "
              "--engine-options window=16 lets mtg run\n16 tests at once.\n");
}

const cli_command cli_run_command = {
    .name = "run",
    .summary = "verify a design: generate, run, judge, measure, until a budget or an error",
    .example = "collider run mesi3 --cores 8 --engine chain-bias --time 10s",
    .add_notes = add_notes,
    .usage = "  collider run DESIGN\n  collider run DESIGN --program FILE...\n",
    .most_operands = 1,
    .first = BASE_INPUT_OR_NAME,
    .options = options,
    .done = "done, no error found in the design",
    .found = "an error was found in the design: a violation of the memory model, a protocol error, "
             "a deadlock or a crash",
    .incomplete = "no test could be run, or some instances are undecided",
    .run = run_run,
};
