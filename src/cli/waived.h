/* SPDX-License-Identifier: MIT */
/* What there is to say of known bugs, whose failures are waived. */
#pragma once

#include "episode/failure/known_bugs.h"

/* Entries that waive nothing: they have expired, or are of `where` ("triage") alone; NULL: of none.
 */
void cli_waived_warn(const epi_known *known, const char *alone);
/* A line for each bug with failures that were waived. */
void cli_waived_print(const epi_known *known, const char *noun);
