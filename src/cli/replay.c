/* SPDX-License-Identifier: MIT */
/* collider replay: run a recorded failure again. */
#include "base/json.h"
#include "base/plural.h"
#include "cli/commands.h"
#include "collider/episode.h"
#include "episode/failure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPLAY_OPTIONS(X)                                                                          \
    CLI_ALLOW_CODE_OPTION(X)                                                                       \
    CLI_COMMON_OPTIONS(X)
enum { REPLAY_OPTIONS(CLI_OPTION_PLACE) OPTIONS_END };
static const cli_option options[] = {REPLAY_OPTIONS(CLI_OPTION_ROW)};

enum { ERROR_FOUND = 1 };

static bool is_same(const col_failure *was, const col_failure *is) {
    return was->outcome == is->outcome && strcmp(was->reason, is->reason) == 0;
}

static void print_result(const col_failure *was, const col_failure *is, const base_text *words) {
    base_print(stdout, "test %llu, instance %u: %s after %llu cycle%s%s\n",
               (unsigned long long)was->test, was->instance, col_outcomes[is->outcome],
               (unsigned long long)is->cycles, base_plural(is->cycles),
               is_same(was, is) ? ", as recorded" : "");
    if (is->outcome != COL_PASS)
        base_print(stdout, "%s", words->data == NULL ? "" : words->data);
    if (!is_same(was, is))
        base_print(stdout, "recorded was: %s: %s\n", col_outcomes[was->outcome], was->reason);
}

static col_status write_json(const col_failure *was, const col_failure *is, const char *path,
                             col_problem *problem) {
    return base_json_write(path,
                           json_pack("{s:s, s:o, s:I, s:b}", "verdict", col_outcomes[is->outcome],
                                     "reason", base_json_text(is->reason), "cycles",
                                     (json_int_t)is->cycles, "same", (int)is_same(was, is)),
                           problem);
}

static int run_replay(const cli_arguments *arguments, col_problem *problem) {
    col_failure was, is;
    base_text words = {0};
    const char *json = arguments->values[OPTION_JSON];
    if (arguments->operand_count == 0)
        return (int)base_refuse(
            problem, "replay is followed by the folder of a failure; see collider replay "
                     "--help");
    col_status status =
        epi_replay(arguments->operands[0], arguments->values[OPTION_ALLOW_CODE] != NULL, &was, &is,
                   NULL, &words, problem);
    if (status == COL_OK && (json == NULL || strcmp(json, "-") != 0))
        print_result(&was, &is, &words);
    if (status == COL_OK && json != NULL)
        status = write_json(&was, &is, json, problem);
    base_text_free(&words);
    if (status != COL_OK)
        return (int)status;
    if (arguments->values[OPTION_QUIET] == NULL && !is_same(&was, &is))
        base_print(stderr, "collider: this is not the failure that was recorded: the design is "
                           "not deterministic, or it has changed\n");
    else if (arguments->values[OPTION_QUIET] == NULL)
        base_print(stderr, "collider: %s, as recorded\n", col_outcomes[is.outcome]);
    return is.outcome == COL_PASS ? COL_OK : ERROR_FOUND;
}

static void add_notes(base_text *text) {
    base_text_add(text, "FOLDER is what collider run wrote when it found an error.\n");
}

const cli_command cli_replay_command = {
    .name = "replay",
    .summary = "run a recorded failure again",
    .example = "collider replay collider-out/failure-17-3",
    .add_notes = add_notes,
    .usage = "  collider replay FOLDER\n",
    .most_operands = 1,
    .options = options,
    .option_count = OPTIONS_END,
    .done = "the design passes now",
    .found = "the design failed again",
    .run = run_replay,
};
