/* SPDX-License-Identifier: MIT */
/* collider litmus: judge litmus tests by a model in cat, as herd7 does. */
#include "base/clock.h"
#include "base/json.h"
#include "base/number.h"
#include "cli/commands.h"
#include "litmus/judge.h"

#include <stdio.h>
#include <string.h>

#define LITMUS_OPTIONS(X)                                                                          \
    X(MODEL, "model", "FILE.cat", NULL, "judge by this model; sc.cat, ..., power.cat are our own") \
    X(INCLUDE, "include", "FOLDERS", NULL,                                                         \
      "folders of files that a cat model includes, between colons; then COLLIDER_CATPATH")         \
    X(BUDGET, "budget", "T", NULL, "give up on a test after so many seconds, such as 10s")         \
    CLI_COMMON_OPTIONS(X)

enum { LITMUS_OPTIONS(CLI_OPTION_PLACE) OPTIONS_END };
static const cli_option options[] = {LITMUS_OPTIONS(CLI_OPTION_ROW)};

typedef struct job {
    const cli_arguments *arguments;
    lit_judge *judge;
    lit_test test;
    lit_outcomes outcomes;
    double budget;
    bool prints;
    json_t *results;
    uint32_t unread, undecided;
} job;

static col_status parse_budget(const cli_arguments *arguments, double *seconds,
                               col_problem *problem) {
    const char *text = arguments->values[OPTION_BUDGET];
    if (text == NULL)
        return COL_OK;
    const char *end = base_decimal_parse(text, seconds);
    if (end == NULL || strcmp(end, "s") != 0 || !(*seconds > 0))
        return base_refuse(problem, "--budget is a number of seconds such as 10s, not '%.60s'",
                           text);
    return COL_OK;
}

static col_status parse(job *j, col_problem *problem) {
    const cli_arguments *a = j->arguments;
    const cat_sources sources = {.path = a->values[OPTION_INCLUDE]};
    if (a->operand_count == 0)
        return base_refuse(problem, "litmus is followed by litmus files; see collider litmus "
                                    "--help");
    if (a->values[OPTION_MODEL] == NULL)
        return base_refuse(problem, "litmus needs --model FILE.cat; see collider litmus --help");
    j->prints = a->values[OPTION_JSON] == NULL || strcmp(a->values[OPTION_JSON], "-") != 0;
    const col_status status = parse_budget(a, &j->budget, problem);
    return status == COL_OK ? lit_judge_new(&j->judge, a->values[OPTION_MODEL], &sources, problem)
                            : status;
}

static col_status print_verdict(job *j, double seconds, col_problem *problem) {
    base_text text = {0};
    lit_write_verdict(&text, &j->test, &j->outcomes);
    base_text_print(&text, "Time %s %.2f\n\n", j->test.name, seconds);
    const col_status status = base_text_status(&text, problem);
    if (status == COL_OK && j->prints)
        base_print(stdout, "%s", text.data);
    base_text_free(&text);
    return status;
}

static col_status judge_file(job *j, const char *path, col_problem *problem) {
    const double start = base_seconds();
    bool is_complete = true;
    col_status status = lit_test_read_file(&j->test, path, problem);
    if (status == COL_OK)
        status = lit_judge_test(j->judge, &j->test, j->budget, &j->outcomes, &is_complete, problem);
    if (status == COL_OK && !is_complete) {
        base_print(stderr, "collider: %s: no verdict within the budget\n", path);
        j->undecided++;
        return COL_OK;
    }
    if (status == COL_BAD_INPUT) { /* the other tests may be better */
        char sentence[1024];
        base_print(stderr, "collider: %s\n", col_problem_text(problem, sentence, sizeof sentence));
        j->unread++;
        return COL_OK;
    }
    return status == COL_OK ? print_verdict(j, base_seconds() - start, problem) : status;
}

static int run_litmus(const cli_arguments *arguments, col_problem *problem) {
    job j = {.arguments = arguments};
    col_status status = parse(&j, problem);
    for (uint32_t i = 0; status == COL_OK && i < arguments->operand_count; i++)
        status = judge_file(&j, arguments->operands[i], problem);
    if (status == COL_OK && j.unread > 0)
        status = base_refuse(problem, "%u of %u litmus tests could not be read", j.unread,
                             arguments->operand_count);
    else if (status == COL_OK && j.undecided > 0)
        status =
            base_fail(problem, "%u of %u litmus tests have no verdict; a larger --budget may help",
                      j.undecided, arguments->operand_count);
    lit_outcomes_free(&j.outcomes);
    lit_test_free(&j.test);
    lit_judge_free(j.judge);
    json_decref(j.results);
    return (int)status;
}

const cli_command cli_litmus_command = {
    .name = "litmus",
    .summary = "judge litmus tests by a memory model",
    .example = "collider litmus --model tso.cat SB.litmus",
    .usage = "  collider litmus FILE...\n",
    .most_operands = CLI_MOST_OPERANDS,
    .options = options,
    .option_count = OPTIONS_END,
    .run = run_litmus,
};
