/* SPDX-License-Identifier: MIT */
/* collider shrink: the smallest program that still shows a recorded failure. */
#include "base/clock.h"
#include "base/folder.h"
#include "base/json.h"
#include "base/machine.h"
#include "base/path.h"
#include "cli/named_failures.h"
#include "cli/progress_line.h"
#include "cli/signals.h"
#include "collider/shrink.h"
#include "episode/failure/failure.h"
#include "episode/failure/pack.h"

#include <inttypes.h>
#include <string.h>

#define SHRINK_OPTIONS(X)                                                                          \
    CLI_LISTED_FAILURE_OPTION(X)                                                                   \
    X(OUT, "out", "FOLDER", NULL,                                                                  \
      "where the small failure goes (FOLDER/shrunk; PACK-shrunk; failure-N of a store); of "       \
      "several, a folder for theirs",                                                              \
      .writes = true)                                                                              \
    X(TIME, "time", "T", "60s", "stop after T, with the smallest so far; several share it",        \
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

static json_t *describe(const col_shrunk *s) {
    char seed[24];
    (void)snprintf(seed, sizeof seed, "%" PRIu64, s->seed);
    return json_pack("{s:o, s:o, s:s, s:o, s:s, s:s, s:I, s:I, s:b, s:I, s:I, s:f, s:o}", "from",
                     describe_size(&s->from), "to", describe_size(&s->to), "verdict",
                     col_outcomes[s->outcome], "reason", base_json_text(s->reason), "evidence",
                     col_evidences[s->evidence], "seed", seed, "failing", (json_int_t)s->failing,
                     "tried", (json_int_t)s->tried, "minimal", (int)s->minimal, "programs",
                     (json_int_t)s->trials, "instances", (json_int_t)s->instances, "seconds",
                     s->seconds, "folder", base_json_text(s->folder));
}

/* ---- Where results go. */

static bool is_taken(const cli_failures *f, const char *name) {
    bool is_found = false;
    for (size_t i = 0; i < f->count; i++)
        is_found |= strcmp(f->list[i].short_name, name) == 0;
    return is_found;
}

/* Beside others in a folder, no two have one name: the second gets NAME-2. */
static col_status name_beside(const cli_failures *f, size_t which, const char *out,
                              char path[PATH_MAX], col_problem *problem) {
    const char *name = f->list[which].short_name;
    char numbered[NAME_MAX + 32];
    unsigned number = 1;
    (void)snprintf(numbered, sizeof numbered, "%.*s", NAME_MAX, name);
    for (size_t i = 0; i < which; i++)
        if (strcmp(f->list[i].short_name, name) == 0)
            do
                (void)snprintf(numbered, sizeof numbered, "%.*s-%u", NAME_MAX, name, ++number);
            while (is_taken(f, numbered));
    return base_path_in(path, out, numbered, problem);
}

/* Of what is not in a folder of its own, the temporary folder is gone when this ends. A pack may
 * lie beside the folder that it was made of, which stays as it is. */
static col_status name_out(const cli_arguments *a, const cli_failures *f, size_t which,
                           char path[PATH_MAX], col_problem *problem) {
    const char *out = a->values[OPTION_OUT];
    const cli_failure *failure = &f->list[which];
    if (out != NULL && f->is_one) {
        const bool fits = snprintf(path, PATH_MAX, "%s", out) < PATH_MAX;
        return fits ? COL_OK : base_refuse(problem, "the folder's name is too long");
    }
    if (out == NULL && !failure->is_of_store && !failure->is_pack) {
        path[0] = '\0'; /* in its own */
        return COL_OK;
    }
    const col_status status = name_beside(f, which, out == NULL ? "." : out, path, problem);
    if (status != COL_OK || out != NULL || !failure->is_pack)
        return status;
    const size_t length = strlen(path);
    return snprintf(path + length, PATH_MAX - length, "-shrunk") < (int)(PATH_MAX - length)
               ? COL_OK
               : base_refuse(problem, "the folder's name is too long");
}

/* ---- One failure. */

typedef struct shrinking {
    const cli_arguments *arguments;
    cli_failures *failures;
    display shown;
    col_shrink_settings settings; /* of all */
} shrinking;

/* The result of a pack takes the design along, which is in a temporary folder. */
static col_status shrink_pack(const col_shrink_settings *settings, cli_failures *failures,
                              const char *out, col_shrunk *shrunk, col_problem *problem) {
    char room[PATH_MAX];
    col_shrink_settings own = *settings;
    BASE_TRY(cli_failures_make_room(failures, "shrunk", room, problem));
    own.out = room;
    col_status status = col_shrink(&own, shrunk, problem);
    BASE_THEN(status, epi_failure_move(room, out, problem));
    base_folder_remove_files(room, epi_failure_names);
    (void)snprintf(shrunk->folder, sizeof shrunk->folder, "%.*s", (int)sizeof shrunk->folder - 1,
                   out);
    return status;
}

static col_status shrink_one(shrinking *s, size_t which, col_shrunk *shrunk, col_problem *problem) {
    char out[PATH_MAX];
    cli_failure *failure = &s->failures->list[which];
    col_shrink_settings settings = s->settings;
    col_status status = name_out(s->arguments, s->failures, which, out, problem);
    BASE_THEN(status, cli_failure_open(s->failures, failure, problem));
    const char *place = strncmp(out, "./", 2) == 0 ? out + 2 : out;
    settings.folder = failure->folder;
    settings.out = out[0] == '\0' ? NULL : place;
    BASE_THEN(status, failure->is_pack ? shrink_pack(&settings, s->failures, place, shrunk, problem)
                                       : col_shrink(&settings, shrunk, problem));
    cli_progress_end(&s->shown.display);
    cli_failure_close(failure);
    if (status != COL_OK)
        cli_failure_blame(s->failures, failure, problem);
    return status;
}

static int shrink_alone(shrinking *s, col_problem *problem) {
    const cli_arguments *arguments = s->arguments;
    col_shrunk shrunk;
    col_status status = shrink_one(s, 0, &shrunk, problem);
    if (status == COL_OK && arguments->prints)
        print_result(&shrunk);
    if (status == COL_OK && arguments->json != NULL)
        status = base_json_write(arguments->json, describe(&shrunk), problem);
    if (cli_stop != 0)
        return cli_cut_short(problem, status != COL_OK ? "nothing was shrunk"
                                      : shrunk.minimal ? "other ways to shrink were not tried"
                                                       : "the test is not yet as small as can be");
    if (status != COL_OK)
        return (int)status;
    base_text folder = {0};
    base_text_add_shell(&folder, shrunk.folder);
    if (!arguments->quiet)
        base_print(stderr, "collider: %s%s; collider replay %s shows it\n",
                   col_outcomes[shrunk.outcome],
                   shrunk.minimal ? "" : ", not yet as small as can be",
                   folder.failed ? shrunk.folder : folder.data);
    base_text_free(&folder);
    return ERROR_FOUND;
}

/* ---- Several: a line for each. */

typedef struct tally {
    size_t shrunk, refused;
    bool is_late; /* there was no time for all */
    json_t *list;
    col_problem first; /* of those that were refused */
} tally;

static void note_shrunk(const shrinking *s, const cli_failure *failure, const col_shrunk *shrunk,
                        tally *t) {
    json_t *one = describe(shrunk);
    base_json_set(&one, "failure", base_json_text(failure->name));
    base_json_append(&t->list, one);
    t->shrunk++;
    base_text folder = {0};
    base_text_add_shell(&folder, shrunk->folder);
    if (s->arguments->prints)
        base_print(stdout, "%s: %u operation%s, %u thread%s, %u location%s%s: collider replay %s\n",
                   failure->name, shrunk->to.operations, base_plural(shrunk->to.operations),
                   shrunk->to.threads, base_plural(shrunk->to.threads), shrunk->to.locations,
                   base_plural(shrunk->to.locations),
                   shrunk->minimal ? "" : ", not yet as small as can be",
                   folder.failed ? shrunk->folder : folder.data);
    base_text_free(&folder);
}

static void note_refused(const shrinking *s, const cli_failure *failure, const col_problem *problem,
                         tally *t) {
    base_json_append(&t->list, json_pack("{s:o, s:o}", "failure", base_json_text(failure->name),
                                         "reason", base_json_text(problem->message)));
    if (t->refused++ == 0)
        t->first = *problem;
    if (s->arguments->prints)
        base_print(stdout, "%s: not shrunk: %s\n", failure->name, problem->message);
}

/* Each gets its share of what is left of the time. */
static col_status shrink_each(shrinking *s, tally *t, col_problem *problem) {
    const double began = base_seconds(), budget = s->settings.seconds;
    for (size_t i = 0; i < s->failures->count && cli_stop == 0; i++) {
        col_shrunk shrunk;
        const double left = budget - (base_seconds() - began);
        t->is_late = budget > 0 && left <= 0;
        if (t->is_late)
            break;
        s->settings.seconds = budget == 0 ? 0 : left / (double)(s->failures->count - i);
        s->shown.budget = s->settings.seconds;
        const col_status status = shrink_one(s, i, &shrunk, problem);
        if (status == COL_OK)
            note_shrunk(s, &s->failures->list[i], &shrunk, t);
        else if (status == COL_BAD_INPUT)
            note_refused(s, &s->failures->list[i], problem, t);
        else
            return status;
    }
    return COL_OK;
}

static int shrink_all(shrinking *s, col_problem *problem) {
    tally t = {.list = json_array()};
    const size_t count = s->failures->count;
    col_status status = shrink_each(s, &t, problem);
    if (s->arguments->prints)
        base_print(stdout, "%zu failure%s: %zu shrunk, %zu not shrunk\n", count, base_plural(count),
                   t.shrunk, count - t.shrunk);
    status = cli_write_json(s->arguments, status, t.list, problem);
    if (cli_stop != 0)
        return cli_cut_short(problem, "not every failure was shrunk");
    if (status == COL_OK && t.is_late)
        status = base_fail(problem, "time ran out before every failure was shrunk; allow more with "
                                    "--time");
    if (status == COL_OK && t.refused > 0) {
        *problem = t.first;
        base_sentence(problem->message, sizeof problem->message,
                      "%s (%zu of %zu failures not "
                      "shrunk)",
                      t.first.message, t.refused, count);
        status = COL_BAD_INPUT;
    }
    return status != COL_OK ? (int)status : ERROR_FOUND;
}

/* ---- The command. */

static int shrink(const cli_arguments *arguments, cli_failures *failures, col_problem *problem) {
    shrinking s = {.arguments = arguments,
                   .failures = failures,
                   .shown = {.display = {.quiet = arguments->quiet}}};
    col_shrink_default(&s.settings);
    s.settings.allow_code = arguments->values[OPTION_ALLOW_CODE] != NULL;
    s.settings.stop = &cli_stop;
    s.settings.jobs = base_processors();
    s.settings.progress = show_progress;
    s.settings.context = &s.shown;
    const col_status status = cli_arguments_read(arguments, &s.settings, problem);
    if (status != COL_OK)
        return (int)status;
    s.shown.budget = s.settings.seconds;
    cli_catch_signals();
    return failures->is_one ? shrink_alone(&s, problem) : shrink_all(&s, problem);
}

static int run_shrink(const cli_arguments *arguments, col_problem *problem) {
    cli_failures failures;
    int result = (int)cli_failures_find(&failures, arguments, arguments->values[OPTION_FAILURE],
                                        true, problem);
    if (result == COL_OK && !failures.is_listed)
        result = shrink(arguments, &failures, problem);
    cli_failures_free(&failures);
    return result;
}

const cli_command cli_shrink_command = {
    .name = "shrink",
    .summary = "reduce recorded failures to the smallest tests that still fail",
    .example = "collider shrink collider-out/failure-17-3 --time 20s",
    .notes = "A FAILURE is a failure folder or an episode folder of collider run, a quoted pattern "
             "of these,\nthe results store of a campaign, or a file of collider pack. The result "
             "is a failure folder,\ntoo, with litmus tests beside.\n",
    .usage = "  collider shrink FAILURE...\n  collider shrink RESULTS.db [--failure N|all]\n",
    .missing = "shrink needs a failure folder, an episode folder, a results store or a pack; see "
               "collider shrink --help",
    .most_operands = CLI_MOST_OPERANDS,
    .first = BASE_INPUT,
    .others = BASE_INPUT,
    .options = options,
    .done = "",
    .found = "the small program fails",
    .incomplete = "time ran out before every failure was shrunk",
    .run = run_shrink,
};
