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

/* Cuts an episode off at this cycle if it ran longer. The row must have its curve, unpacked:
 * without one, what was covered by then is unknown, and the row counts as failed. */
void cam_end_after(cam_row *row, uint64_t cycles);

#endif
