/* SPDX-License-Identifier: MIT */
/* collider tour: tests that walk the global state space of an abstract protocol. */

#include "base/file.h"
#include "base/json.h"
#include "cli/command_line.h"
#include "cli/signals.h"
#include "results/plan/trial.h"

#include <string.h>

/* Rows X of this command, and S(PLACE) of a tour's settings. */
#define TOUR_OPTIONS(X, S)                                                                         \
    S(PROTOCOL)                                                                                    \
    S(CORES)                                                                                       \
    S(METHOD)                                                                                      \
    S(CLUSTERS)                                                                                    \
    S(INCLUSIVE)                                                                                   \
    S(SEED)                                                                                        \
    X(OPS, "ops", "N", "1Mi", "operations after which random and jammer stop at the latest",       \
      CLI_NUMBER(col_tour_settings, most_operations, 1, INT64_MAX))                                \
    S(MEMORY)                                                                                      \
    X(EMIT, "emit", "FILE", NULL, "write the tour, an operation per line; - is standard output")   \
    X(CURVE, "curve", "FILE", NULL, "write coverage against cost as CSV")                          \
    CLI_COMMON_OPTIONS(X)

#define SETTING_PLACE(place) OPTION_##place,
#define SETTING_ROW(place) &cam_tour_fields[CAM_TOUR_##place],
enum { TOUR_OPTIONS(CLI_OPTION_PLACE, SETTING_PLACE) };
static const base_field *const options[] = {TOUR_OPTIONS(CLI_OPTION_ROW, SETTING_ROW) NULL};

enum { OUTPUT_CORES = 24 };

typedef struct tour_output {
    const char *path; /* of the operations, or NULL; "-" is standard output */
    base_file file;
    char lines[COL_TOUR_KIND_COUNT][OUTPUT_CORES][12]; /* by kind and core */

    bool has_curve;
    const col_tour_results *results; /* so far */
    uint64_t next;                   /* covered transitions that are worth a row of the curve */
    uint64_t row_cost;               /* of the last row */
    base_text curve;                 /* CSV */
} tour_output;

/* Where a tour goes. */

enum { CURVE_ROWS = 1000 };

static col_status begin_output(tour_output *output, col_problem *problem) {
    if (output->has_curve)
        base_text_add(&output->curve, "cost,covered,fraction\n");
    if (output->path == NULL)
        return COL_OK;
    for (uint32_t kind = 0; kind < COL_TOUR_KIND_COUNT; kind++)
        for (uint32_t core = 0; core < OUTPUT_CORES; core++)
            (void)snprintf(output->lines[kind][core], sizeof output->lines[kind][core], "%s %u\n",
                           col_tour_kinds[kind], core);
    return base_file_begin(&output->file, output->path, problem);
}

static void add_row(tour_output *output) {
    const col_tour_results *r = output->results;
    base_text_print(&output->curve, "%llu,%llu,%.6f\n", (unsigned long long)r->cost,
                    (unsigned long long)r->covered, (double)r->covered / (double)r->transitions);
    output->next = r->covered + 1 + r->transitions / CURVE_ROWS;
    output->row_cost = r->cost;
}

/* False: it cannot be written. */
static bool take_operation(tour_output *output, col_tour_operation operation) {
    if (output->has_curve && output->results->covered >= output->next)
        add_row(output);
    if (output->file.stream == NULL)
        return true;
    return fputs(output->lines[operation.kind][operation.core], output->file.stream) >= 0;
}

/* The file takes its place, or if it is not to be kept goes away. */
static col_status end_output(tour_output *output, bool keep, col_problem *problem) {
    return output->file.stream == NULL ? COL_OK : base_file_end(&output->file, keep, problem);
}

/* The curve, with its last row. */
static col_status write_curve(tour_output *output, const char *path, col_problem *problem) {
    if (output->row_cost != output->results->cost)
        add_row(output);
    return base_file_write_text(path, &output->curve, problem);
}

/* ---- From options to settings. */

static col_status read_settings(const cli_arguments *arguments, col_tour_settings *s,
                                col_problem *problem) {
    const col_status status = cli_arguments_read(arguments, s, problem);
    const bool is_by_chance = s->method == COL_TOUR_RANDOM || s->method == COL_TOUR_JAMMER;
    for (uint32_t option = OPTION_SEED; option <= OPTION_OPS && status == COL_OK; option++)
        if (arguments->typed[option] && !is_by_chance)
            return base_refuse(problem, "--%s is for the methods random and jammer",
                               options[option]->name);
    return status;
}

/* Standard output has room for one. */
static col_status check_outputs(const cli_arguments *arguments, bool *is_taken,
                                col_problem *problem) {
    static const uint32_t outputs[] = {OPTION_EMIT, OPTION_CURVE, OPTION_JSON};
    *is_taken = false;
    for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; i++) {
        const char *path = arguments->values[outputs[i]];
        if (path == NULL || strcmp(path, "-") != 0)
            continue;
        if (*is_taken)
            return base_refuse(problem, "only one of --emit, --curve and --json can be -");
        *is_taken = true;
    }
    return COL_OK;
}

/* ---- What came of it. */

static double per_transition(const col_tour_results *r) {
    return (double)r->cost / (double)r->transitions;
}

static void print_results(const col_tour_settings *s, const col_tour_results *r) {
    (void)printf("%s, %u core%s", col_tour_protocols[s->protocol], s->cores, base_plural(s->cores));
    if (s->clusters > 0)
        (void)printf(" in %u cluster%s, second level%s inclusive", s->clusters,
                     base_plural(s->clusters), s->inclusive ? "" : " not");
    (void)printf(": %llu state%s, %llu transition%s\n%s: %llu operation%s, %.2f per transition",
                 (unsigned long long)r->states, base_plural(r->states),
                 (unsigned long long)r->transitions, base_plural(r->transitions),
                 col_tour_methods[s->method], (unsigned long long)r->cost, base_plural(r->cost),
                 per_transition(r));
    if (r->optimum > 0)
        (void)printf("; a shortest tour has %llu", (unsigned long long)r->optimum);
    if (r->is_counted)
        (void)printf("\ncovered %llu of %llu transition%s, counted by running it (%llu byte%s)\n",
                     (unsigned long long)r->covered, (unsigned long long)r->transitions,
                     base_plural(r->transitions), (unsigned long long)r->count_bytes,
                     base_plural(r->count_bytes));
    else
        (void)printf("\ncovered: not counted, it takes more than --memory\n");
    (void)printf("made in %.3f s and %llu byte%s\n", r->seconds, (unsigned long long)r->peak_bytes,
                 base_plural(r->peak_bytes));
}

static json_t *number_or_null(bool is_known, uint64_t number) {
    return is_known ? json_integer((json_int_t)number) : json_null();
}

static json_t *make_json(const col_tour_settings *s, const col_tour_results *r) {
    const bool is_by_chance = s->method == COL_TOUR_RANDOM || s->method == COL_TOUR_JAMMER;
    return json_pack("{s:s, s:I, s:o, s:o, s:s, s:o, s:I, s:I, s:I, s:f, s:o, s:o, s:f, s:I, s:I}",
                     "protocol", col_tour_protocols[s->protocol], "cores", (json_int_t)s->cores,
                     "clusters", number_or_null(s->clusters > 0, s->clusters), "inclusive",
                     s->clusters > 0 ? json_boolean(s->inclusive) : json_null(), "method",
                     col_tour_methods[s->method], "seed", number_or_null(is_by_chance, s->seed),
                     "states", (json_int_t)r->states, "transitions", (json_int_t)r->transitions,
                     "cost", (json_int_t)r->cost, "cost_per_transition", per_transition(r),
                     "covered", number_or_null(r->is_counted, r->covered), "optimum",
                     number_or_null(r->optimum > 0, r->optimum), "seconds", r->seconds,
                     "peak_bytes", (json_int_t)r->peak_bytes, "count_bytes",
                     (json_int_t)r->count_bytes);
}

/* ---- Making it. */

static bool take(void *context, col_tour_operation operation) {
    return take_operation(context, operation) && cli_stop == 0;
}

static col_status make(const col_tour_settings *s, tour_output *output, col_tour_results *r,
                       bool *is_cut_short, col_problem *problem) {
    BASE_TRY(begin_output(output, problem));
    col_status status = col_tour(s, r, problem);
    *is_cut_short = cli_stop != 0;
    if (status == COL_OK && *is_cut_short)
        status = COL_FAILURE; /* the caller says why */
    const col_status ended = end_output(output, status == COL_OK, problem);
    return status == COL_OK ? ended : status;
}

static int run_tour(const cli_arguments *arguments, col_problem *problem) {
    col_tour_settings s;
    col_tour_results r = {0};
    bool is_taken = false, is_cut_short = false;
    col_tour_default(&s);
    col_status status = read_settings(arguments, &s, problem);
    BASE_THEN(status, check_outputs(arguments, &is_taken, problem));
    if (status != COL_OK)
        return (int)status;
    tour_output output = {.path = arguments->values[OPTION_EMIT],
                          .has_curve = arguments->values[OPTION_CURVE] != NULL,
                          .results = &r};
    s.take = take;
    s.context = &output;
    cli_catch_signals_briefly();
    status = make(&s, &output, &r, &is_cut_short, problem);
    if (status == COL_OK && output.has_curve && !r.is_counted)
        status = base_refuse(problem, "--curve needs the coverage counted: raise --memory");
    if (status == COL_OK && output.has_curve)
        status = write_curve(&output, arguments->values[OPTION_CURVE], problem);
    if (status == COL_OK && arguments->json != NULL)
        status = base_json_write(arguments->json, make_json(&s, &r), problem);
    if (status == COL_OK && !is_taken)
        print_results(&s, &r);
    base_text_free(&output.curve);
    return is_cut_short ? cli_cut_short(problem, "there is no tour") : (int)status;
}

static void add_notes(base_text *text) {
    base_text_add(text, "Methods:\n");
#define NOTE(name, word, meaning) base_text_print(text, "  %-8s %s\n", word, meaning);
    COL_TOUR_METHODS(NOTE)
#undef NOTE
    base_text_add(
        text,
        "A line of --emit is 'load 3', 'store 3' or 'evict 3', with clusters also 'load2 1' and\n"
        "'evict2 1', of the second level of a cluster.\n");
}

const cli_command cli_tour_command = {
    .name = "tour",
    .summary = "tests that walk the global state space of an abstract protocol",
    .example = "collider tour --protocol mosi --cores 8 --method euler --emit mosi-8.txt",
    .add_notes = add_notes,
    .options = options,
    .run = run_tour,
};
