/* SPDX-License-Identifier: MIT */
/*
 * Trials as they would be with another budget: tests that cost more than their cycles (--price),
 * and an earlier end (--until).
 */
#ifndef CAMPAIGN_BUDGET_H
#define CAMPAIGN_BUDGET_H

#include "campaign/store.h"

/* What a simulator takes for each execution, whatever its length, as if it were cycles. */
uint64_t cam_paid(uint64_t cycles, double price, uint64_t tests);
void cam_charge(cam_row *row, double price, col_curve_point *curve);

/* Ends an episode after so many cycles, unless it ended before. The row has its curve, not packed;
 * without one, nobody knows what it had covered by then, and it counts as failed. */
void cam_end_after(cam_row *row, uint64_t cycles);

#endif
