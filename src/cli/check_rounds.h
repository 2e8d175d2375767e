/* SPDX-License-Identifier: MIT */
/*
 * Rounds of an image as traces, for collider check: from what the image left in memory, or from a
 * commit log. Each round is a trace of what its reads returned.
 */
#ifndef CLI_CHECK_ROUNDS_H
#define CLI_CHECK_ROUNDS_H

#include "design/isa/commit_log.h"
#include "judge/trace/black_box.h"

typedef struct cli_check_log {
    col_program program;
    isa_map map;
    isa_commits *commits;
    base_text text; /* the results */
    isa_results results;
    isa_ending ending; /* how the run ended */
    isa_reads reads;
    chk_returned returned;
} cli_check_log;

#define CLI_CHECK_LOG_EMPTY                                                                        \
    { .program = COL_PROGRAM_EMPTY, .map = ISA_MAP_EMPTY }

/* Exactly one of `log` and `commit_log` is a file, the other one NULL. */
col_status cli_check_log_open(cli_check_log *log, const char *program, const char *map,
                              const char *results, const char *commit_log, col_problem *problem);
void cli_check_log_close(cli_check_log *log);

/* Makes log->returned the trace of a round below log->ending.rounds. Refuses a round of which a
 * value is missing. A round that shows by itself that it is wrong has a sentence; else that is
 * empty. */
col_status cli_check_log_round(cli_check_log *log, uint64_t round, char *sentence, size_t size,
                               col_problem *problem);

#endif
