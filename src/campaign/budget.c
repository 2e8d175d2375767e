/* SPDX-License-Identifier: MIT */
/* Other budgets: see budget.h. */
#include "campaign/budget.h"

#include "collider/episode.h"

/* A foreign store may hold any numbers. */
static uint64_t whole(double number) {
    return number < 0x1p63 ? (uint64_t)number : UINT64_MAX / 2;
}

uint64_t cam_paid(uint64_t cycles, double price, uint64_t tests) {
    return cycles + whole(price * (double)tests);
}

void cam_charge(cam_row *row, double price, col_curve_point *curve) {
    row->cycles = cam_paid(row->cycles, price, row->tests);
    row->failing_cycles = cam_paid(row->failing_cycles, price, row->failing_tests);
    row->failure_cycles = cam_paid(row->failure_cycles, price, row->failure_test);
    for (size_t i = 0; curve != NULL && i < row->curve_count; i++)
        curve[i].cycles = cam_paid(curve[i].cycles, price, curve[i].tests);
}

/* A curve does not say which points are reachable: it is known only if everything covered in the
 * end was. */
static void cover_less(cam_extent *extent, uint32_t covered) {
    extent->reachable_known = extent->reachable_known && extent->reached == extent->covered;
    extent->covered = covered;
    extent->reached = covered;
}

static void forget_failure(cam_row *row) {
    row->verdict = col_outcomes[row->undecided > 0 ? COL_UNJUDGED : COL_PASS];
    row->reason = NULL;
    row->failing_tests = row->failing_cycles = 0;
    row->failing_seconds = 0;
    row->failure_test = row->failure_cycles = 0;
    row->failure_instance = 0;
    row->failure_seconds = 0;
}

static uint64_t between(uint64_t from, uint64_t to, double part) {
    return to > from ? from + whole(part * (double)(to - from)) : from;
}

void cam_end_after(cam_row *row, uint64_t cycles) {
    if (row->kind != CAM_EPISODE || !row->is_done || row->cycles <= cycles)
        return;
    if (row->curve_count == 0) {
        row->is_done = false;
        row->reason = "the store has no curve of its coverage";
        return;
    }
    size_t kept = 0;
    while (kept < row->curve_count && row->curve[kept].cycles <= cycles)
        kept++;
    const col_curve_point last = {.seconds = row->seconds,
                                  .tests = row->tests,
                                  .operations = row->operations,
                                  .cycles = row->cycles};
    const col_curve_point from = kept > 0 ? row->curve[kept - 1] : (col_curve_point){0};
    const col_curve_point to = kept < row->curve_count ? row->curve[kept] : last;
    const double part = (double)(cycles - from.cycles) / (double)(to.cycles - from.cycles);
    const uint64_t all = row->tests;
    row->seconds = from.seconds + part * (to.seconds - from.seconds);
    row->tests = between(from.tests, to.tests, part);
    row->operations = between(from.operations, to.operations, part);
    row->instances = all == 0 ? 0 : between(0, row->instances, (double)row->tests / (double)all);
    row->cycles = cycles;
    row->curve_count = kept;
    row->ended_by = col_endings[COL_ENDED_BY_CYCLES];
    cover_less(&row->coverage[COL_STRUCTURAL], from.structural);
    cover_less(&row->coverage[COL_FUNCTIONAL], from.functional);
    if (row->failure_cycles > cycles)
        forget_failure(row);
}
