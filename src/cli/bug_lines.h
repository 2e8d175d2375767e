/* SPDX-License-Identifier: MIT */
/* Bugs on the screen: how far a triage is, a line for each bug, and the failures of a run. */
#pragma once

#include "cli/progress_line.h"
#include "episode/episode_record.h"
#include "episode/triage/bugs.h"

/* For epi_triage_settings; the context is a cli_progress_display. */
void cli_bugs_progress(void *display, const epi_triage *triage);

/* A line for each bug, with the command that shows it. */
void cli_bugs_add(const epi_triage *triage, base_text *text);

/* What came of the failures of a run. Free the triage. */
typedef struct cli_run_bugs {
    double seconds; /* for the triage, if it is wanted */
    uint32_t jobs;
    bool is_wanted, quiet, prints;
    epi_triage triage;
} cli_run_bugs;

/* Triages the failures of an episode that was recorded in its folder, into bug-1, bug-2, ... there,
 * and prints the bugs; or the kinds of failures, if no bug was found. The folder then has what is
 * to be recorded of them. A triage that fails is a warning: the episode is as it was. */
col_status cli_run_bugs_tell(cli_run_bugs *bugs, const col_episode_settings *settings,
                             const col_episode *episode, epi_folder *folder, col_problem *problem);
