/* SPDX-License-Identifier: MIT */
/* collider tour: tests that walk the global state space of an abstract protocol. */
#include "base/json.h"
#include "base/plural.h"
#include "cli/commands.h"
#include "cli/signals.h"
#include "cli/tour_output.h"

#include <string.h>

#define TOUR_OPTIONS(X)                                                                            \
    X(PROTOCOL, "protocol", "NAME", "mesi", "%s", col_tour_protocols)                              \
    X(CORES, "cores", "N", "8", "cores, each with a private cache: 2 to 24")                       \
    X(METHOD, "method", "NAME", "postman", "%s; see below", col_tour_methods)                      \
    X(CLUSTERS, "clusters", "C", NULL,                                                             \
      "the cores of each of C clusters share a second-level cache (euler, postman)")               \
    X(INCLUSIVE, "inclusive", NULL, NULL, "the second level holds what its cores hold")            \
    X(SEED, "seed", "N", "1", "the seed of random and jammer")                                     \
    X(OPS, "ops", "N", "1Mi", "operations after which random and jammer stop at the latest")       \
    X(MEMORY, "memory", "N", "2048Mi", "bytes that counting the coverage may take")                \
    X(EMIT, "emit", "FILE", NULL, "write the tour, an operation per line; - is standard output")   \
    X(CURVE, "curve", "FILE", NULL, "write coverage against cost as CSV")                          \
    CLI_COMMON_OPTIONS(X)

enum { TOUR_OPTIONS(CLI_OPTION_PLACE) OPTIONS_END };
static const cli_option options[] = {TOUR_OPTIONS(CLI_OPTION_ROW)};

/* ---- From options to settings. */

static col_status read_space(const cli_arguments *arguments, col_tour_settings *s,
                             col_problem *problem) {
    uint32_t protocol = 0, method = 0;
    uint64_t cores = 0, clusters = 0;
    col_status status = cli_argument_choice(arguments, OPTION_PROTOCOL, &protocol, problem);
    if (status == COL_OK)
        status = cli_argument_choice(arguments, OPTION_METHOD, &method, problem);
    if (status == COL_OK)
        status = cli_argument_number(arguments, OPTION_CORES, 2, 24, &cores, problem);
    if (status == COL_OK && arguments->typed[OPTION_CLUSTERS])
        status = cli_argument_number(arguments, OPTION_CLUSTERS, 2, 8, &clusters, problem);
    s->protocol = (col_tour_protocol)protocol;
    s->method = (col_tour_method)method;
    s->cores = (uint32_t)cores;
    s->clusters = (uint32_t)clusters;
    s->inclusive = arguments->typed[OPTION_INCLUSIVE];
    return status;
}

static col_status read_limits(const cli_arguments *arguments, col_tour_settings *s,
                              col_problem *problem) {
    const bool is_by_chance = s->method == COL_TOUR_RANDOM || s->method == COL_TOUR_JAMMER;
    for (uint32_t option = OPTION_SEED; option <= OPTION_OPS; option++)
        if (arguments->typed[option] && !is_by_chance)
            return base_refuse(problem, "--%s is for the methods random and jammer",
                               options[option].name);
    col_status status =
        cli_argument_number(arguments, OPTION_SEED, 0, INT64_MAX, &s->seed, problem);
    if (status == COL_OK)
        status =
            cli_argument_number(arguments, OPTION_OPS, 1, INT64_MAX, &s->most_operations, problem);
    if (status == COL_OK)
        status =
            cli_argument_number(arguments, OPTION_MEMORY, 0, INT64_MAX, &s->most_bytes, problem);
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
    return cli_tour_output_take(context, operation) && cli_stop == 0;
}

static col_status make(const col_tour_settings *s, cli_tour_output *output, col_tour_results *r,
                       bool *is_cut_short, col_problem *problem) {
    col_status status = cli_tour_output_begin(output, problem);
    if (status != COL_OK)
        return status;
    status = col_tour(s, r, problem);
    *is_cut_short = cli_stop != 0;
    if (status == COL_OK && *is_cut_short)
        status = COL_FAILURE; /* the caller says why */
    const col_status ended = cli_tour_output_end(output, status == COL_OK, problem);
    return status == COL_OK ? ended : status;
}

static int run_tour(const cli_arguments *arguments, col_problem *problem) {
    col_tour_settings s;
    col_tour_results r = {0};
    bool is_taken = false, is_cut_short = false;
    col_tour_default(&s);
    col_status status = read_space(arguments, &s, problem);
    if (status == COL_OK)
        status = read_limits(arguments, &s, problem);
    if (status == COL_OK)
        status = check_outputs(arguments, &is_taken, problem);
    if (status != COL_OK)
        return (int)status;
    cli_tour_output output = {.path = arguments->values[OPTION_EMIT],
                              .has_curve = arguments->values[OPTION_CURVE] != NULL,
                              .results = &r};
    s.take = take;
    s.context = &output;
    cli_catch_signals_briefly();
    status = make(&s, &output, &r, &is_cut_short, problem);
    if (status == COL_OK && output.has_curve && !r.is_counted)
        status = base_refuse(problem, "--curve needs the coverage counted: raise --memory");
    if (status == COL_OK && output.has_curve)
        status = cli_tour_output_write_curve(&output, arguments->values[OPTION_CURVE], problem);
    if (status == COL_OK && arguments->values[OPTION_JSON] != NULL)
        status = base_json_write(arguments->values[OPTION_JSON], make_json(&s, &r), problem);
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
    .option_count = OPTIONS_END,
    .run = run_tour,
};
