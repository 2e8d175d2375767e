/* SPDX-License-Identifier: MIT */
/*
 * collider litmus: judge litmus tests by a model in cat, as herd7 does, or run them on a design, as
 * litmus7 does on a machine. A test that cannot be read does not keep the others from it.
 */

#include "base/json.h"
#include "cli/command_line.h"
#include "cli/diagnose.h"
#include "judge/litmus/litmus_run.h"

#include <string.h>
#include <unistd.h>

#define LITMUS_OPTIONS(X)                                                                          \
    X(MODEL, "model", "NAME", NULL,                                                                \
      "judge by this model, a file in cat or one of our own: sc, ..., power (that of the test's "  \
      "instruction set)",                                                                          \
      .input = BASE_INPUT_OR_NAME)                                                                 \
    X(INCLUDE, "include", "FOLDERS", NULL,                                                         \
      "where a cat model's includes are: folders separated by colons; then COLLIDER_CATPATH",      \
      .input = BASE_INPUT)                                                                         \
    X(BUDGET, "budget", "T", "60s",                                                                \
      "give up on a test after T; with --runs only if it is given, too",                           \
      CLI_TIME(BASE_SECONDS, job, budget, MOST_SECONDS))                                           \
    X(DESIGN, "design", "DESIGN", NULL, "run the tests on this design",                            \
      .input = BASE_INPUT_OR_NAME)                                                                 \
    X(CORES, "cores", "N", NULL, "cores of the design (as the design says)",                       \
      CLI_NUMBER(job, cores, 1, MOST_CORES))                                                       \
    X(ERROR, "error", "ID", NULL, "inject this error into the design",                             \
      .input = BASE_INPUT_OR_NAME)                                                                 \
    X(OPTIONS, "options", "TEXT", NULL, "settings of the design itself; see docs/duv.md")          \
    X(RUNS, "runs", "N", "1000", "run each test N times, each perturbed in another way",           \
      CLI_NUMBER(job, runs.count, 1, UINT32_MAX))                                                  \
    X(SEED, "seed", "N", "1", "seed of the perturbation",                                          \
      CLI_NUMBER(job, runs.seed, 0, UINT64_MAX))                                                   \
    CLI_COMMON_OPTIONS(X)

enum { FOUND_FORBIDDEN = 1, COMPARING_SECONDS = 10, MOST_SECONDS = 1 << 30, MOST_CORES = 1 << 16 };

typedef struct job {
    const cli_arguments *arguments;
    lit_judge *judges[LIT_ISA_COUNT]; /* of a model that was named, the first alone; or */
    lit_runs runs;
    uint32_t cores; /* 0: as the design says */
    lit_program program;
    lit_test test;
    lit_outcomes outcomes;
    double budget;
    json_t *results;                   /* for --json */
    uint32_t unread, undecided, wrong; /* tests */
    char first_wrong[256];             /* test, and what is wrong */
} job;

CLI_TABLE(LITMUS_OPTIONS);

/* ---- What was asked for. */

static bool is_by_design(const job *j) {
    return j->arguments->values[OPTION_DESIGN] != NULL;
}

/* The one that was named, or, as in herd7, the one that the test's instruction set promises. */
static const char *model_of(const job *j) {
    const char *named = j->arguments->values[OPTION_MODEL];
    return named != NULL ? named : col_models[lit_isas[j->test.isa].model];
}

/* "tso" is tso.cat, unless there is such a file. */
static col_status open_judge(job *j, lit_judge **judge, const char *model, col_problem *problem) {
    const cat_sources sources = {.path = j->arguments->values[OPTION_INCLUDE]};
    char name[64];
    const bool is_plain = strpbrk(model, "./") == NULL && strlen(model) < sizeof name - 4;
    (void)snprintf(name, sizeof name, "%.59s.cat", model);
    return lit_judge_new(judge, is_plain && access(model, F_OK) != 0 ? name : model, &sources,
                         problem);
}

/* What the design's model allows, to compare with what comes. */
static col_status open_own_model(job *j, col_problem *problem) {
    char name[64];
    (void)snprintf(name, sizeof name, "%s.cat", col_models[col_duv_describe(j->runs.duv)->model]);
    j->runs.budget = j->arguments->typed[OPTION_BUDGET] ? j->budget : COMPARING_SECONDS;
    const col_status status = lit_judge_new(&j->runs.allows, name, NULL, problem);
    if (status == COL_OK)
        lit_judge_as_designs(j->runs.allows);
    return status;
}

static col_status open_design(job *j, col_problem *problem) {
    const cli_arguments *a = j->arguments;
    const col_duv_settings settings = {
        .cores = j->cores, .options = a->values[OPTION_OPTIONS], .error = a->values[OPTION_ERROR]};
    BASE_TRY(col_duv_open(&j->runs.duv, a->values[OPTION_DESIGN], &settings, problem));
    if (a->typed[OPTION_BUDGET] || !a->typed[OPTION_RUNS])
        BASE_TRY(base_timer_new(&j->runs.timer, NULL, problem));
    BASE_TRY(col_checker_new(&j->runs.checker, col_duv_describe(j->runs.duv)->model, problem));
    return open_own_model(j, problem);
}

/* Options about a design have no effect where a model judges, and the other way round. */
static col_status check_mode(const job *j, col_problem *problem) {
    const cli_arguments *a = j->arguments;
    const char *of_design =
        CLI_FIRST_TYPED(a, OPTION_CORES, OPTION_ERROR, OPTION_OPTIONS, OPTION_RUNS, OPTION_SEED);
    if (!is_by_design(j) && of_design != NULL)
        return base_refuse(problem, "--%s needs --design: without one, a model judges the tests",
                           of_design);
    if (is_by_design(j) && a->typed[OPTION_MODEL])
        return base_refuse(problem, "litmus takes either --model or --design, not both");
    if (is_by_design(j) && a->typed[OPTION_INCLUDE])
        return base_refuse(problem, "--include is for --model: a design has its own model");
    return COL_OK;
}

static col_status parse(job *j, col_problem *problem) {
    const cli_arguments *a = j->arguments;
    const char *model = a->values[OPTION_MODEL];
    col_status status = check_mode(j, problem);
    BASE_THEN(status, cli_arguments_read(a, j, problem));
    if (status != COL_OK)
        return status;
    j->results = json_array();
    if (is_by_design(j))
        return open_design(j, problem);
    return model != NULL ? open_judge(j, &j->judges[0], model, problem) : COL_OK;
}

/* ---- What came of it, as JSON. */

static json_t *make_state(const job *j, const lit_outcome *s) {
    base_text text = {0};
    lit_write_state(&text, &j->test, s->values);
    json_t *state = json_pack(
        "{s:o, s:I, s:b}", "state", text.failed ? NULL : base_json_text(text.data), "count",
        (json_int_t)s->count, "holds", (int)lit_holds(&j->test, j->test.condition, s->values));
    if (is_by_design(j))
        base_json_set(&state, "forbidden", json_boolean(s->is_forbidden));
    base_text_free(&text);
    return state;
}

static void add_result(job *j) {
    const lit_outcomes *outcomes = &j->outcomes;
    const lit_runs *runs = &j->runs;
    json_t *states = json_array();
    for (size_t i = 0; i < outcomes->count; i++)
        base_json_append(&states, make_state(j, &outcomes->states[i]));
    json_t *result = json_pack(
        "{s:o, s:o, s:s, s:b, s:s, s:I, s:I, s:b, s:o}", "file", base_json_text(j->test.file),
        "test", base_json_text(j->test.name), "kind", lit_kind(&j->test), "holds",
        (int)lit_outcomes_are_expected(outcomes, &j->test), "observation",
        lit_observation(outcomes), "positive", (json_int_t)outcomes->holds, "negative",
        (json_int_t)outcomes->fails, "loop_cut", (int)outcomes->is_cut, "states", states);
    if (is_by_design(j)) {
        const bool is_wrong = runs->forbidden + runs->failures > 0;
        base_json_set(&result, "runs", json_integer((json_int_t)runs->done));
        base_json_set(&result, "forbidden", json_integer((json_int_t)runs->forbidden));
        base_json_set(&result, "failures", json_integer((json_int_t)runs->failures));
        base_json_set(&result, "allowed_states", json_integer((json_int_t)runs->allowed));
        base_json_set(&result, "allowed_states_complete", json_boolean(runs->is_complete));
        base_json_set(&result, "allowed_states_seen", json_integer((json_int_t)runs->seen));
        base_json_set(&result, "exclusive_pairs", json_integer((json_int_t)runs->pairs));
        base_json_set(&result, "reason", base_json_text(is_wrong ? runs->reason : NULL));
    } else
        base_json_set(&result, "model", base_json_text(model_of(j)));
    base_json_append(&j->results, result);
}

/* ---- Tests. */

static col_status tell(job *j, double seconds, col_problem *problem) {
    base_text text = {0};
    if (is_by_design(j)) {
        lit_write_result(&text, &j->test, &j->outcomes, true);
        if (j->runs.pairs > 0)
            base_text_print(&text, "Exclusives %s %u pair%s run as atomics\n", j->test.name,
                            j->runs.pairs, base_plural(j->runs.pairs));
        base_text_print(&text, "Seen %s %zu of %s%zu states that %s allows\n", j->test.name,
                        j->runs.seen, j->runs.is_complete ? "" : "at least ", j->runs.allowed,
                        col_models[col_duv_describe(j->runs.duv)->model]);
    } else
        lit_write_result(&text, &j->test, &j->outcomes, false);
    base_text_print(&text, "Time %s %.2f\n\n", j->test.name, seconds);
    if (j->arguments->json != NULL)
        add_result(j);
    if (j->arguments->prints)
        return cli_write(&text, problem);
    base_text_free(&text);
    return COL_OK;
}

/* The judge of a test by the model that was named, or by the usual one of its instruction set. */
static col_status find_judge(job *j, lit_judge **judge, col_problem *problem) {
    const bool is_named = j->arguments->values[OPTION_MODEL] != NULL;
    lit_judge **place = &j->judges[is_named ? 0 : j->test.isa];
    col_status status = COL_OK;
    if (*place == NULL) {
        status = open_judge(j, place, model_of(j), problem);
        if (status == COL_OK && !is_named && !j->arguments->quiet)
            base_print(stderr, "collider: tests for %s are judged by %s unless --model is given\n",
                       lit_isas[j->test.isa].name, model_of(j));
    }
    *judge = *place;
    return status;
}

static void note_undecided(job *j) {
    if (is_by_design(j))
        base_print(stderr, "collider: %s: %llu of %llu runs within the budget\n", j->test.file,
                   (unsigned long long)j->runs.done, (unsigned long long)j->runs.count);
    else
        base_print(stderr, "collider: %s: no verdict within the budget\n", j->test.file);
    j->undecided++;
}

static col_status judge_test(job *j, col_problem *problem) {
    const double start = base_seconds();
    lit_judge *judge;
    bool is_complete = true;
    col_status status = find_judge(j, &judge, problem);
    BASE_THEN(status,
              lit_judge_test(judge, &j->test, j->budget, &j->outcomes, &is_complete, problem));
    if (status != COL_OK)
        return status;
    if (is_complete)
        return tell(j, base_seconds() - start, problem);
    note_undecided(j);
    return COL_OK;
}

static col_status run_test(job *j, col_problem *problem) {
    const double start = base_seconds();
    if (j->runs.timer != NULL)
        base_timer_set(j->runs.timer, j->budget);
    col_status status = lit_program_make(&j->program, &j->test, problem);
    BASE_THEN(status, lit_run(&j->runs, &j->program, &j->outcomes, problem));
    const double seconds = base_seconds() - start;
    BASE_THEN(status, lit_compare(&j->runs, &j->test, &j->outcomes, problem));
    if (status != COL_OK)
        return status;
    if (j->runs.forbidden + j->runs.failures == 0 && j->runs.done < j->runs.count)
        note_undecided(j);
    else if (j->runs.forbidden + j->runs.failures > 0 && j->wrong++ == 0)
        (void)snprintf(j->first_wrong, sizeof j->first_wrong, "%.80s: %.160s", j->test.name,
                       j->runs.reason);
    return tell(j, seconds, problem);
}

static col_status do_file(job *j, const char *path, col_problem *problem) {
    *problem = (col_problem){0};
    col_status status = lit_test_read_file(&j->test, path, problem);
    BASE_THEN(status, is_by_design(j) ? run_test(j, problem) : judge_test(j, problem));
    if (status != COL_BAD_INPUT || j->arguments->operand_count == 1)
        return status;
    cli_diagnose(problem);
    j->unread++;
    return COL_OK;
}

/* ---- The whole. */

static int conclude(const job *j, col_problem *problem) {
    const uint32_t all = j->arguments->operand_count;
    if (j->wrong > 0) {
        if (!j->arguments->quiet && fflush(stdout) == 0)
            base_print(stderr, "collider: the design failed %u of %u litmus test%s; first %s\n",
                       j->wrong, all, base_plural(all), j->first_wrong);
        return FOUND_FORBIDDEN;
    }
    if (j->unread > 0)
        return (int)base_refuse(problem, "%u of %u litmus tests could not be used", j->unread, all);
    if (j->undecided > 0)
        return (int)base_fail(problem,
                              "%u of %u litmus tests have no verdict; a larger --budget may help",
                              j->undecided, all);
    return COL_OK;
}

static int run_litmus(const cli_arguments *arguments, col_problem *problem) {
    job j = {.arguments = arguments};
    col_status status = parse(&j, problem);
    for (uint32_t i = 0; status == COL_OK && i < arguments->operand_count; i++)
        status = do_file(&j, arguments->operands[i], problem);
    json_t *all =
        json_pack("{s:o, s:o, s:o}", "model", base_json_text(arguments->values[OPTION_MODEL]),
                  "design", base_json_text(arguments->values[OPTION_DESIGN]), "tests", j.results);
    status = cli_write_json(arguments, status, all, problem);
    const int result = status == COL_OK ? conclude(&j, problem) : (int)status;
    lit_program_free(&j.program);
    lit_outcomes_free(&j.outcomes);
    lit_test_free(&j.test);
    for (int i = 0; i < LIT_ISA_COUNT; i++)
        lit_judge_free(j.judges[i]);
    lit_judge_free(j.runs.allows);
    col_checker_free(j.runs.checker);
    chk_black_box_free(&j.runs.box);
    col_duv_close(j.runs.duv);
    base_timer_free(j.runs.timer);
    return result;
}

const cli_command cli_litmus_command = {
    .name = "litmus",
    .summary = "judge litmus tests by a model, or run them on a design",
    .example = "collider litmus SB.litmus",
    .notes = "FILE is a litmus test for X86, X86_64, AArch64 or RISCV, as herd7 and litmus7 "
             "read them.\nWithout --design all states that the model allows are printed in "
             "herd7's format, with it\nthose that were seen in litmus7's. Each run is "
             "judged by the model that the design promises.\nA file that cannot be used is "
             "reported, and the others are judged all the same.\n",
    .usage = "  collider litmus FILE...\n",
    .missing = "litmus is followed by litmus files; see collider litmus --help",
    .most_operands = CLI_MOST_OPERANDS,
    .first = BASE_INPUT,
    .options = options,
    .found = "the design did what its model forbids",
    .incomplete = "a test was not judged or run within --budget",
    .run = run_litmus,
};
