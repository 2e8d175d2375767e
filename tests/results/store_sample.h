/* SPDX-License-Identifier: MIT */
/* Rows by chance: whatever a row can hold. A sample follows from its number, which is the second
 * half of its key. */
#pragma once

#include "results/plan/trial.h"
#include "results/store/store.h"

enum { MOST_CURVE = 60, MOST_POINTS = 300, PAIRS = 3 };

typedef struct sample {
    char key[CAM_HASH];
    cam_pair pairs[PAIRS];
    char seed[24], learning[64], story[64];
    col_curve_point curve[MOST_CURVE];
    uint64_t hits[MOST_POINTS];
    uint32_t first[MOST_POINTS];
    cam_row row;
    bool has_failure;
    cam_failure_row failure;
} sample;

void make_sample(sample *s, uint64_t number);
