/* SPDX-License-Identifier: MIT */
/* collider replay: run a recorded failure again. */
#include "base/file.h"
#include "base/json.h"
#include "base/machine.h"
#include "base/number.h"
#include "cli/named_failures.h"
#include "cli/replay_many.h"
#include "cli/replay_step.h"
#include "episode/failure/failure.h"

#include <stdlib.h>
#include <string.h>

static const char *const formats[] = {"perfetto", "vcd", NULL};
enum { VCD = 1 };

/* What options are read into. */
typedef struct values {
    epi_watch watch;
    epi_change change;
} values;

enum { MOST_RUNS = 1 << 20, MOST_JOBS = 1024 };

#define REPLAY_OPTIONS(X)                                                                          \
    CLI_LISTED_FAILURE_OPTION(X)                                                                   \
    X(DESIGN, "design", "DESIGN", NULL,                                                            \
      "run the failures on this design, without the recorded error, and say which are gone",       \
      .input = BASE_INPUT_OR_NAME)                                                                 \
    X(CORES, "cores", "N", NULL, "the same with N cores",                                          \
      CLI_NUMBER(values, change.cores, 1, COL_MAX_THREADS))                                        \
    X(ERROR, "error", "ID", NULL, "the same with this error; '' is none", .several = true,         \
      .input = BASE_INPUT_OR_NAME)                                                                 \
    X(OPTIONS, "options", "TEXT", NULL, "the same with these options of the design; '' is none")   \
    X(RUNS, "runs", "N", "100", "runs with fresh seeds if the recorded seed passes then",          \
      CLI_NUMBER(values, change.runs, 0, MOST_RUNS))                                               \
    X(JOBS, "jobs", "N", NULL, "of these, runs in parallel (all processors)",                      \
      CLI_NUMBER(values, change.jobs, 1, MOST_JOBS))                                               \
    X(EVENTS, "events", NULL, NULL, "print the events, messages included, instead of the story")   \
    X(ALL, "all", NULL, NULL, "print all of them: what repeats is not folded")                     \
    X(STEP, "step", NULL, NULL, "walk through the events on the terminal; ? shows the keys")       \
    X(BLOCK, "block", "B", NULL, "only events of this block: an address or a location such as a2") \
    X(CORE, "core", "C", NULL, "only events of this core and its private caches",                  \
      CLI_NUMBER(values, watch.filter.core, 0, COL_MAX_THREADS - 1),                               \
      .is_said = offsetof(values, watch.filter.has_core))                                          \
    X(FROM, "from", "CYCLE", NULL, "only events from this cycle on",                               \
      CLI_NUMBER(values, watch.filter.from, 0, UINT64_MAX))                                        \
    X(TO, "to", "CYCLE", NULL, "only events up to this cycle",                                     \
      CLI_NUMBER(values, watch.filter.to, 0, UINT64_MAX))                                          \
    X(FORMAT, "format", "F", NULL, "write the events for another tool: %s", formats,               \
      .kind = BASE_WORD)                                                                           \
    X(OUT, "out", "FILE", NULL, "where --format writes; - is standard output")                     \
    X(PRINTED, "printed", "FILE", NULL, "write what the design printed; - is standard output")     \
    X(WAVES, "waves", "FILE", NULL,                                                                \
      "write waveforms of a design in Verilog (FST), and a save file for GTKWave beside them")     \
    CLI_ALLOW_CODE_OPTION(X)                                                                       \
    CLI_COMMON_OPTIONS(X)
CLI_TABLE(REPLAY_OPTIONS);

enum { ERROR_FOUND = 1 };

static bool is_same(const col_failure *was, const col_failure *is) {
    return was->outcome == is->outcome && strcmp(was->reason, is->reason) == 0;
}

/* Of a design that does not repeat: how often. */
static void print_runs(const col_failure *is) {
    if (is->runs == 0)
        return;
    base_print(stdout, "it happened in %llu of %llu run%s: the design does not repeat\n",
               (unsigned long long)is->shown, (unsigned long long)is->runs, base_plural(is->runs));
}

/* The end of it, indented. */
static void print_output(const base_text *output) {
    enum { MOST = 10 };
    size_t lines = 0;
    if (output->length == 0)
        return;
    for (size_t i = 0; i < output->length; i++)
        lines += output->data[i] == '\n' || i + 1 == output->length;
    base_print(stdout,
               lines > MOST ? "the last %d of %zu lines that the design printed (--printed "
                              "FILE has all):\n"
                            : "the design printed:\n",
               (int)MOST, lines);
    const char *at = output->data, *end = at + output->length;
    for (size_t line = 0; at < end; line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        const size_t length = (size_t)((stop != NULL ? stop : end) - at);
        char shown[400];
        (void)snprintf(shown, sizeof shown, "%.*s", (int)length, at);
        base_make_printable(shown, false);
        if (line + MOST >= lines)
            base_print(stdout, "  %s\n", shown);
        at += length + 1;
    }
}

/* ---- Events. */

/* What the user wants to see of them. */
typedef struct wish {
    const cli_arguments *arguments;
    json_t *events; /* for --json */
    uint64_t missing;
} wish;

static bool read_location(const char *text, uint32_t *location) {
    uint64_t number;
    if (text[0] != 'a' || text[1] < '0' || text[1] > '9' || !base_number_parse(text + 1, &number) ||
        number > UINT32_MAX)
        return false;
    *location = (uint32_t)number;
    return true;
}

static col_status read_block(const char *text, epi_watch *watch, col_problem *problem) {
    watch->has_location = read_location(text, &watch->location);
    if (watch->has_location)
        return COL_OK;
    watch->filter.has_block = base_number_parse(text, &watch->filter.block);
    if (watch->filter.has_block)
        return COL_OK;
    return base_refuse(problem,
                       "--block takes an address such as 0x1040 or a location such as a2, "
                       "not '%s'",
                       text);
}

static col_status read_filter(const cli_arguments *a, epi_watch *watch, col_problem *problem) {
    col_status status = COL_OK;
    values read = {.watch = *watch};
    read.watch.filter.to = UINT64_MAX;
    if (a->values[OPTION_BLOCK] != NULL)
        status = read_block(a->values[OPTION_BLOCK], &read.watch, problem);
    BASE_THEN(status, cli_arguments_read(a, &read, problem));
    *watch = read.watch;
    if (status == COL_OK && watch->filter.from > watch->filter.to)
        status = base_refuse(problem, "--from %s comes after --to %s", a->values[OPTION_FROM],
                             a->values[OPTION_TO]);
    return status;
}

/* One way of seeing the events at a time, and what narrows them down only with one. */
static col_status check_wish(const cli_arguments *a, bool *wants, col_problem *problem) {
    const char *narrowing = CLI_FIRST_TYPED(a, OPTION_BLOCK, OPTION_CORE, OPTION_FROM, OPTION_TO);
    const bool steps = a->values[OPTION_STEP] != NULL,
               formats_it = a->values[OPTION_FORMAT] != NULL;
    const int ways = (a->values[OPTION_EVENTS] != NULL) + steps + formats_it;
    *wants = ways > 0;
    if (ways > 1)
        return base_refuse(problem, "--events, --step and --format exclude each other");
    if (formats_it != (a->values[OPTION_OUT] != NULL))
        return base_refuse(problem, "--format and --out need each other: --format vcd --out FILE");
    if (formats_it && !a->prints && strcmp(a->values[OPTION_OUT], "-") == 0)
        return base_refuse(problem, "--out and --json cannot both go to standard output");
    if (ways == 0 && narrowing != NULL)
        return base_refuse(problem, "--%s needs --events, --step or --format", narrowing);
    if (a->values[OPTION_ALL] != NULL && a->values[OPTION_EVENTS] == NULL)
        return base_refuse(problem, "--all needs --events");
    if (steps && !cli_screen_is())
        return base_refuse(problem,
                           "--step needs a terminal as input and output; --events prints the same");
    return COL_OK;
}

static col_status show_events(void *context, const epi_timeline *timeline, const epi_ending *ending,
                              col_problem *problem) {
    wish *w = context;
    const cli_arguments *a = w->arguments;
    base_text text = {0};
    if (a->values[OPTION_STEP] != NULL)
        return cli_step(timeline, ending, problem);
    if (a->values[OPTION_FORMAT] != NULL) {
        if (strcmp(a->values[OPTION_FORMAT], formats[VCD]) == 0)
            epi_timeline_vcd(timeline, &text);
        else
            epi_timeline_perfetto(timeline, &text);
        return base_file_write_text(a->values[OPTION_OUT], &text, problem);
    }
    if (a->json != NULL) {
        w->events = epi_timeline_json(timeline);
        w->missing = epi_timeline_missing(timeline);
    }
    if (!a->prints)
        return COL_OK;
    epi_timeline_lines(timeline, a->values[OPTION_ALL] != NULL, &text);
    return cli_write(&text, problem);
}

/* ---- The command. */

static col_status write_json(const col_failure *was, const col_failure *is, const epi_told *told,
                             const wish *w, col_problem *problem) {
    json_t *root = json_pack("{s:s, s:o, s:I, s:b}", "verdict", col_outcomes[is->outcome], "reason",
                             base_json_text(is->reason), "cycles", (json_int_t)is->cycles, "same",
                             (int)is_same(was, is));
    if (root != NULL && json_object_update(root, told->waits) != 0)
        root = (json_decref(root), NULL);
    if (told->output.length > 0)
        base_json_set(&root, "output", base_json_text(told->output.data));
    if (w->arguments->values[OPTION_EVENTS] != NULL) {
        base_json_set(&root, "missing", json_integer((json_int_t)w->missing));
        base_json_set(&root, "events", w->events);
    }
    return base_json_write(w->arguments->json, root, problem);
}

static col_status replay(const cli_arguments *a, const char *folder, col_failure *was,
                         col_failure *is, col_problem *problem) {
    epi_told told = {.words = {0}};
    bool wants_events;
    wish w = {.arguments = a};
    epi_watch watch = {.context = &w, .show = show_events};
    col_status status = check_wish(a, &wants_events, problem);
    if (status == COL_OK && a->values[OPTION_FORMAT] != NULL)
        status = cli_argument_read(a, OPTION_FORMAT, &watch, problem); /* checks the word */
    BASE_THEN(status, read_filter(a, &watch, problem));
    BASE_THEN(status, epi_replay(folder, a->values[OPTION_ALLOW_CODE] != NULL, was, is, NULL, &told,
                                 wants_events ? &watch : NULL, a->values[OPTION_WAVES], problem));
    if (status == COL_OK && !wants_events && a->prints) {
        print_runs(is);
        base_print(stdout, "test %llu, instance %u: %s after %llu cycle%s%s\n",
                   (unsigned long long)was->test, was->instance, col_outcomes[is->outcome],
                   (unsigned long long)is->cycles, base_plural(is->cycles),
                   is_same(was, is) ? ", as recorded" : "");
        if (is->outcome != COL_PASS)
            base_print(stdout, "%s", told.words.data == NULL ? "" : told.words.data);
        if (!is_same(was, is))
            base_print(stdout, "recorded was: %s: %s\n", col_outcomes[was->outcome], was->reason);
        print_output(&told.output);
    }
    if (status == COL_OK && a->values[OPTION_PRINTED] != NULL)
        status = base_file_write(a->values[OPTION_PRINTED],
                                 told.output.data == NULL ? "" : told.output.data,
                                 told.output.length, problem);
    if (status == COL_OK && a->json != NULL)
        status = write_json(was, is, &told, &w, problem);
    else
        json_decref(w.events);
    base_text_free(&told.words);
    base_text_free(&told.output);
    json_decref(told.waits);
    return status;
}

static int replay_one(const cli_arguments *arguments, cli_failures *failures,
                      col_problem *problem) {
    col_failure was, is;
    cli_failure *failure = &failures->list[0];
    col_status status = cli_failure_open(failures, failure, problem);
    BASE_THEN(status, replay(arguments, failure->folder, &was, &is, problem));
    if (status != COL_OK) {
        cli_failure_blame(failures, failure, problem);
        return (int)status;
    }
    if (!arguments->quiet && !is_same(&was, &is))
        base_print(stderr, "collider: this is not the failure that was recorded: the design is "
                           "not deterministic, or it has changed\n");
    else if (!arguments->quiet)
        base_print(stderr, "collider: %s, as recorded\n", col_outcomes[is.outcome]);
    return is.outcome == COL_PASS ? COL_OK : ERROR_FOUND;
}

/* ---- Many, and changed designs. */

static const char *changing(const cli_arguments *a) {
    return CLI_FIRST_TYPED(a, OPTION_DESIGN, OPTION_CORES, OPTION_ERROR, OPTION_OPTIONS);
}

/* Options that are about a single failure, or about a changed design. */
static col_status check_options(const cli_arguments *a, const cli_failures *f,
                                col_problem *problem) {
    const char *single =
        CLI_FIRST_TYPED(a, OPTION_EVENTS, OPTION_STEP, OPTION_BLOCK, OPTION_CORE, OPTION_FROM,
                        OPTION_TO, OPTION_FORMAT, OPTION_OUT, OPTION_PRINTED, OPTION_WAVES);
    const char *fresh = CLI_FIRST_TYPED(a, OPTION_RUNS, OPTION_JOBS);
    const char *change = changing(a);
    if (fresh != NULL && change == NULL)
        return base_refuse(problem, "--%s is for a changed design: add --design DESIGN", fresh);
    if (single != NULL && change != NULL)
        return base_refuse(problem, "--%s and --%s exclude each other", single, change);
    if (single != NULL && !f->is_one)
        return base_refuse(problem, "--%s needs one failure, such as %.300s", single,
                           f->list[0].name);
    return COL_OK;
}

/* What is wrong with the design is said once, and not of each failure. */
static col_status check_design(const epi_change *change, col_problem *problem) {
    const char *words = change->options, *error = change->error;
    const col_duv_settings settings = {
        .cores = change->cores,
        .options = words == NULL || words[0] == '\0' ? NULL : words,
        .error = error == NULL || error[0] == '\0' ? NULL : error,
    };
    col_duv *duv = NULL;
    if (change->design == NULL)
        return COL_OK;
    BASE_TRY(col_duv_open(&duv, change->design, &settings, problem));
    col_duv_close(duv);
    return COL_OK;
}

static int replay_changed(const cli_arguments *a, cli_failures *failures, bool allow_code,
                          col_problem *problem) {
    values read = {.change.jobs = base_processors()};
    col_status status = cli_arguments_read(a, &read, problem);
    read.change.design = a->values[OPTION_DESIGN];
    read.change.error = a->values[OPTION_ERROR];
    read.change.options = a->values[OPTION_OPTIONS];
    BASE_THEN(status, check_design(&read.change, problem));
    return status == COL_OK ? cli_replay_many(a, failures, allow_code, &read.change, problem)
                            : (int)status;
}

static int run_replay(const cli_arguments *a, col_problem *problem) {
    cli_failures failures;
    const bool allow_code = a->values[OPTION_ALLOW_CODE] != NULL;
    int result = (int)cli_failures_find(&failures, a, a->values[OPTION_FAILURE], true, problem);
    if (result == COL_OK && !failures.is_listed)
        result = (int)check_options(a, &failures, problem);
    if (result == COL_OK && !failures.is_listed)
        result = changing(a) != NULL ? replay_changed(a, &failures, allow_code, problem)
                 : failures.is_one   ? replay_one(a, &failures, problem)
                                     : cli_replay_many(a, &failures, allow_code, NULL, problem);
    cli_failures_free(&failures);
    return result;
}

const cli_command cli_replay_command = {
    .name = "replay",
    .summary = "run recorded failures again",
    .example = "collider replay collider-out/failure-17-3",
    .notes = "A FAILURE is a failure folder or an episode folder of collider run, a quoted pattern "
             "of these,\nthe results store of a campaign, or a file of collider pack. One is told "
             "in full, several by a\nline each. --format writes a trace for ui.perfetto.dev, or a "
             "waveform of controller states for\nGTKWave.\n",
    .usage = "  collider replay FAILURE...\n"
             "  collider replay RESULTS.db [--failure N|all]\n"
             "  collider replay FAILURE... --design DESIGN [--cores N] [--error ID] [--runs N]\n"
             "  collider replay FOLDER --events [--block B] [--core C] [--from CYCLE] [--to CYCLE] "
             "[--all]\n"
             "  collider replay FOLDER --step\n"
             "  collider replay FOLDER --format perfetto|vcd --out FILE\n"
             "  collider replay FOLDER --waves FILE.fst\n",
    .missing = "replay needs a failure folder, an episode folder, a results store or a pack; see "
               "collider replay --help",
    .most_operands = CLI_MOST_OPERANDS,
    .first = BASE_INPUT,
    .others = BASE_INPUT,
    .options = options,
    .done = "no failure happens any more",
    .found = "a failure happened again",
    .run = run_replay,
};
