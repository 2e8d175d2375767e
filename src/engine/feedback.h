/* SPDX-License-Identifier: MIT */
/*
 * The feedback of a test as JSON and back: an engine that is saved between two tests has not been
 * told yet what came of the last one.
 */
#pragma once

#include "base/json.h"
#include "collider/engine.h"

/* A feedback with the arrays that it points to. Start from {0}. */
typedef struct dir_kept_feedback {
    col_feedback feedback;
    col_witness_results witness;
    uint64_t *hits;
    uint32_t *event_nondeterminism, *fit_locations;
    bool *is_fit;
    col_signature *signatures[COL_OBSERVATION_COUNT];
    uint32_t operations, locations; /* of the test that was watched; 0 if it was not */
} dir_kept_feedback;

/* Of a test with that many operations and locations, if it was watched. NULL when out of memory. */
json_t *dir_feedback_save(const col_feedback *feedback, uint32_t cores, uint32_t operations,
                          uint32_t locations);
/* Whatever the file says, all arrays have the sizes that the feedback promises. */
col_status dir_feedback_restore(const json_t *saved, uint32_t cores, dir_kept_feedback *kept,
                                col_problem *problem);
void dir_feedback_free(dir_kept_feedback *kept);
