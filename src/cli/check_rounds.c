/* SPDX-License-Identifier: MIT */
/* Rounds of an image as traces: see check_rounds.h. */
#include "cli/check_rounds.h"

static col_status read_commits(cli_check_log *log, const char *path, const isa_map **map,
                               const uint8_t **bytes, col_problem *problem) {
    col_status status = isa_commits_new(&log->commits, &log->map, &log->program, path, problem);
    if (status == COL_OK)
        status = isa_commits_read(log->commits, path, problem);
    if (status == COL_OK)
        status = isa_commits_end(log->commits, map, bytes, problem);
    if (status == COL_OK) /* what came of the harness is not in it */
        log->ending = (isa_ending){.state = ISA_STATE_DONE, .rounds = (*map)->rounds};
    return status;
}

static col_status read_results(cli_check_log *log, const char *path, col_problem *problem) {
    if (log->map.log == ISA_LOG_TAP)
        return base_refuse(problem, "this image does not log: give --commit-log, or make it with "
                                    "--log registers or --log store");
    return isa_results_read(&log->map, path, &log->text, problem);
}

col_status cli_check_log_open(cli_check_log *log, const char *program, const char *map,
                              const char *results, const char *commit_log, col_problem *problem) {
    const isa_map *used = &log->map;
    const uint8_t *bytes = NULL;
    col_status status = col_program_read_file(&log->program, program, problem);
    if (status == COL_OK)
        status = isa_map_read(&log->map, map, &log->program, problem);
    if (status == COL_OK)
        status = commit_log != NULL ? read_commits(log, commit_log, &used, &bytes, problem)
                                    : read_results(log, results, problem);
    if (status == COL_OK && commit_log == NULL)
        bytes = (const uint8_t *)log->text.data + isa_map_part(&log->map);
    if (status == COL_OK)
        status = isa_results_open(&log->results, used, &log->program, bytes, problem);
    if (status == COL_OK && commit_log == NULL)
        status = isa_results_ending(&log->results, &log->ending, problem);
    return status == COL_OK ? chk_returned_load(&log->returned, &log->program, problem) : status;
}

void cli_check_log_close(cli_check_log *log) {
    chk_returned_free(&log->returned);
    isa_reads_free(&log->reads);
    isa_results_close(&log->results);
    isa_commits_free(log->commits);
    base_text_free(&log->text);
    isa_map_free(&log->map);
    col_program_free(&log->program);
}

static void notice(void *context, const col_event *event) {
    chk_returned_notice(context, event);
}

col_status cli_check_log_round(cli_check_log *log, uint64_t round, char *sentence, size_t size,
                               col_problem *problem) {
    const col_observer observer = {.context = &log->returned, .notice = notice};
    const col_status status = isa_results_round(&log->results, round, &log->reads, problem);
    sentence[0] = '\0';
    if (status != COL_OK)
        return status;
    if (log->reads.lost_count + log->reads.old_count > 0)
        (void)isa_reads_explain(&log->results, &log->reads, sentence, size);
    if (log->reads.lost_count > 0 && log->reads.old_count == 0)
        return base_refuse(problem, "%s", sentence);
    chk_returned_restart(&log->returned);
    isa_reads_tell(&log->reads, &log->program, &observer);
    chk_returned_finish(&log->returned, true);
    return COL_OK;
}
