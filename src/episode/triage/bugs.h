/* SPDX-License-Identifier: MIT */
/*
 * What a triage found, for people and programs: how many failures each bug causes, a line and JSON.
 */
#pragma once

#include "base/json.h"
#include "episode/triage/triage.h"

/* Counts the failures of each bug: the cases, and those of their episodes that have no folder. The
 * record of an episode says how many there are of a kind; those without a folder count for the bug
 * that most of the kind's cases are of. Notes the earliest case of each bug, too. */
col_status epi_bugs_count(const epi_triage_settings *settings, epi_triage *triage,
                          col_problem *problem);

/* What names the bug: the change that mends it, or what went wrong in its smallest test. */
const char *epi_bug_words(const epi_bug *bug);
/* "    31  L0Cache E Store needs mark_dirty; 3 operations, first in test 1", without an end. */
void epi_bug_line(const epi_triage *triage, size_t bug, base_text *text);

/* The bugs as a list; and the folders of failures of a bug, or of none (EPI_NO_BUG). */
json_t *epi_bugs_json(const epi_triage *triage);
json_t *epi_bug_failures_json(const epi_triage *triage, size_t bug);
