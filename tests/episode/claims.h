/* SPDX-License-Identifier: MIT */
/*
 * Holds the story of a failure against a recording of the same instance, made without the code
 * under test. It knows every sentence that a story can have, and recomputes what the sentence says
 * from all recorded events; a sentence that it does not know is wrong, too.
 */
#ifndef TESTS_EPISODE_CLAIMS_H
#define TESTS_EPISODE_CLAIMS_H

#include "recorded.h"

enum { CLAIMS_WRONG = 1024 };

/* How many claims were checked; 0: one does not follow from the recording, and `wrong` says which.
 */
uint32_t check_claims(const char *words, const events *recording, char wrong[CLAIMS_WRONG]);

#endif
