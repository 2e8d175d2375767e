/* SPDX-License-Identifier: MIT */
/* collider shrink: the smallest program that still shows a recorded failure. */
#include "base/json.h"
#include "base/machine.h"
#include "cli/progress_line.h"
#include "cli/signals.h"
#include "cli/stored_failures.h"
#include "collider/shrink.h"

#include <inttypes.h>
#include <string.h>

#define SHRINK_OPTIONS(X)                                                                          \
    CLI_FAILURE_OPTION(X)                                                                          \
    X(OUT, "out", "FOLDER", NULL,                                                                  \
      "where the small failure goes (FOLDER/shrunk; failure-N of a store)", .writes = true)        \
    X(TIME, "time", "T", "60s", "stop after T, with the smallest so far",                          \
      CLI_TIME(BASE_SECONDS, col_shrink_settings, seconds, MOST_SECONDS))                          \
    X(SEEDS, "seeds", "N", "500", "instances of a program that pass before it counts as passing",  \
      CLI_NUMBER(col_shrink_settings, seeds, 1, MOST_SEEDS))                                       \
    X(JOBS, "jobs", "N", NULL, "instances that run in parallel (all processors)",                  \
      CLI_NUMBER(col_shrink_settings, jobs, 1, MOST_JOBS))                                         \
    X(SEED, "seed", "N", "1", "the seed of all random choices",                                    \
      CLI_NUMBER(col_shrink_settings, seed, 0, INT64_MAX))                                         \
    CLI_ALLOW_CODE_OPTION(X)                                                                       \
    CLI_COMMON_OPTIONS(X)

enum { ERROR_FOUND = 1, MOST_SEEDS = 1 << 20, MOST_JOBS = 1024, MOST_SECONDS = 1000000000 };
CLI_TABLE(SHRINK_OPTIONS);

typedef struct display {
    cli_progress_display display;
    double budget;
} display;

static void show_progress(void *context, const col_shrink_progress *p) {
    enum { ALWAYS, SHARE, TRIED };
    display *d = context;
    cli_progress_line line = {.count = 0};
    if (!cli_progress_is_due(&d->display, p->seconds))
        return;
    cli_progress_line_add(&line, ALWAYS, "%6.1f s", p->seconds);
    cli_progress_line_add_share(&line, SHARE, p->seconds / d->budget, p->seconds);
    cli_progress_line_add(&line, TRIED, "%llu program%s tried", (unsigned long long)p->trials,
                          base_plural(p->trials));
    cli_progress_line_add(&line, ALWAYS, "%u operation%s, %u thread%s, %u location%s",
                          p->size.operations, base_plural(p->size.operations), p->size.threads,
                          base_plural(p->size.threads), p->size.locations,
                          base_plural(p->size.locations));
    cli_progress_put_line(&d->display, &line);
}

static void print_size(const char *word, const col_size *size) {
    base_print(stdout, "%s %u operation%s, %u thread%s, %u location%s", word, size->operations,
               base_plural(size->operations), size->threads, base_plural(size->threads),
               size->locations, base_plural(size->locations));
    if (size->delays > 0)
        base_print(stdout, ", %u delay%s", size->delays, base_plural(size->delays));
    base_print(stdout, "\n");
}

static void print_result(const col_shrunk *shrunk) {
    static const char *const says[COL_EVIDENCE_COUNT] = {
        [COL_SHOWN_BY_READS] = "the values of its reads are forbidden by the memory model",
        [COL_SHOWN_BY_FINALS] =
            "the values of its reads and the final values are forbidden by the memory model",
        [COL_SHOWN_BY_ORDER] = "only the coherence order shows it",
        [COL_SHOWN_UNDECIDED] = "whether its values show it was not decided",
    };
    print_size("from", &shrunk->from);
    print_size("to  ", &shrunk->to);
    base_print(stdout, "%s: %s\n", col_outcomes[shrunk->outcome], shrunk->reason);
    if (says[shrunk->evidence] != NULL)
        base_print(stdout, "%s\n", says[shrunk->evidence]);
    base_print(stdout, "fails with %s%u of %u fresh seeds%s\n",
               shrunk->failing == 0 ? "the seed in its folder and " : "", shrunk->failing,
               shrunk->tried, shrunk->minimal ? "; nothing more can be removed" : "");
}

static json_t *describe_size(const col_size *size) {
    return json_pack("{s:I, s:I, s:I, s:I}", "threads", (json_int_t)size->threads, "operations",
                     (json_int_t)size->operations, "locations", (json_int_t)size->locations,
                     "delays", (json_int_t)size->delays);
}

static col_status write_json(const col_shrunk *s, const char *path, col_problem *problem) {
    char seed[24];
    (void)snprintf(seed, sizeof seed, "%" PRIu64, s->seed);
    return base_json_write(
        path,
        json_pack("{s:o, s:o, s:s, s:o, s:s, s:s, s:I, s:I, s:b, s:I, s:I, s:f, s:o}", "from",
                  describe_size(&s->from), "to", describe_size(&s->to), "verdict",
                  col_outcomes[s->outcome], "reason", base_json_text(s->reason), "evidence",
                  col_evidences[s->evidence], "seed", seed, "failing", (json_int_t)s->failing,
                  "tried", (json_int_t)s->tried, "minimal", (int)s->minimal, "programs",
                  (json_int_t)s->trials, "instances", (json_int_t)s->instances, "seconds",
                  s->seconds, "folder", base_json_text(s->folder)),
        problem);
}

static int shrink_stored(const cli_arguments *arguments, const cli_stored *stored,
                         col_problem *problem) {
    col_shrink_settings settings;
    col_shrunk shrunk;
    char out[64];
    col_shrink_default(&settings);
    settings.folder = stored->folder;
    settings.out = arguments->values[OPTION_OUT];
    settings.allow_code = arguments->values[OPTION_ALLOW_CODE] != NULL;
    settings.stop = &cli_stop;
    settings.jobs = base_processors();
    col_status status = cli_arguments_read(arguments, &settings, problem);
    if (status != COL_OK)
        return (int)status;
    if (stored->is_of_store && settings.out == NULL) { /* the folder is gone when this ends */
        (void)snprintf(out, sizeof out, "failure-%.40s", arguments->values[OPTION_FAILURE]);
        settings.out = out;
    }
    display shown = {.display = {.quiet = arguments->quiet}, .budget = settings.seconds};
    settings.progress = show_progress;
    settings.context = &shown;
    cli_catch_signals();
    status = col_shrink(&settings, &shrunk, problem);
    cli_progress_end(&shown.display);
    if (status == COL_OK && arguments->prints)
        print_result(&shrunk);
    if (status == COL_OK && arguments->json != NULL)
        status = write_json(&shrunk, arguments->json, problem);
    if (cli_stop != 0)
        return cli_cut_short(problem, status != COL_OK ? "nothing was shrunk"
                                      : shrunk.minimal ? "other ways to shrink were not tried"
                                                       : "the test is not yet as small as can be");
    if (status != COL_OK)
        return (int)status;
    if (!arguments->quiet)
        base_print(stderr, "collider: %s%s; collider replay %s shows it\n",
                   col_outcomes[shrunk.outcome],
                   shrunk.minimal ? "" : ", not yet as small as can be", shrunk.folder);
    return ERROR_FOUND;
}

static int run_shrink(const cli_arguments *arguments, col_problem *problem) {
    return cli_stored_use(arguments, arguments->values[OPTION_FAILURE], shrink_stored, problem);
}

const cli_command cli_shrink_command = {
    .name = "shrink",
    .summary = "reduce a recorded failure to the smallest test that still fails",
    .example = "collider shrink collider-out/failure-17-3 --time 20s",
    .notes = "FOLDER is what collider run wrote when it found an error; RESULTS.db what "
             "collider campaign\nwrote. The result is such a folder too, with litmus "
             "tests beside.\n",
    .usage = "  collider shrink FOLDER\n  collider shrink RESULTS.db [--failure N]\n",
    .missing = "shrink is followed by the folder of a failure, or by a results store; see collider "
               "shrink --help",
    .most_operands = 1,
    .first = BASE_INPUT,
    .options = options,
    .done = "",
    .found = "the small program fails",
    .run = run_shrink,
};
