/* SPDX-License-Identifier: MIT */
/* Packed rows: whatever is in the cells comes back. */
#include "base/random.h"
#include "harness.h"
#include "results/report/report_maker.h"

#include <math.h>
#include <string.h>

enum { COLUMNS = 7, ROWS = 2000 };

static double some_number(base_rng *rng) {
    static const double numbers[] = {NAN, 0, -0.0, 1e-300, 12.5, INFINITY};
    return numbers[base_rng_below(rng, sizeof numbers / sizeof *numbers)];
}

static rep_cell some_cell(base_rng *rng) {
    static const char *const texts[] = {"", "a", "12.3 M", "\x1f\xff", "ein längerer Text"};
    return (rep_cell){.text = texts[base_rng_below(rng, sizeof texts / sizeof *texts)],
                      .value = some_number(rng),
                      .best = base_rng_below(rng, 2) != 0,
                      .censored = base_rng_below(rng, 2) != 0,
                      .found = (uint32_t)base_rng_below(rng, 3),
                      .of = (uint32_t)base_rng_below(rng, 3),
                      .low = some_number(rng),
                      .high = some_number(rng),
                      .group = base_rng_below(rng, 2) != 0 ? REP_NO_GROUP
                                                           : (uint32_t)base_rng_below(rng, 1000)};
}

static void assert_same_number(double a, double b) {
    assert_true(isnan(a) ? isnan(b) : a == b && signbit(a) == signbit(b));
}

static void assert_same(const rep_cell *a, const rep_cell *b) {
    assert_string_equal(a->text, b->text);
    assert_same_number(a->value, b->value);
    assert_same_number(a->low, b->low);
    assert_same_number(a->high, b->high);
    assert_int_equal(a->best, b->best);
    assert_int_equal(a->censored, b->censored);
    assert_int_equal(a->found, b->found);
    assert_int_equal(a->of, b->of);
    assert_int_equal(a->group, b->group);
}

TEST(packed_cells_come_back) {
    static rep_cell cells[ROWS][COLUMNS];
    static rep_row rows[ROWS];
    rep_cell room[COLUMNS];
    const rep_table table = {
        .rows = rows, .row_count = ROWS, .column_count = COLUMNS, .room = room};
    base_arena arena = {0};
    base_text bytes = {0};
    base_rng rng;
    base_rng_seed(&rng, 7, 0);
    for (size_t i = 0; i < ROWS; i++) {
        rep_cell copy[COLUMNS];
        for (uint32_t c = 0; c < COLUMNS; c++)
            cells[i][c] = some_cell(&rng);
        memcpy(copy, cells[i], sizeof copy);
        rows[i] = (rep_row){.cells = copy};
        assert_true(rep_row_pack(&rows[i], COLUMNS, &arena, &bytes));
        assert_null(rows[i].cells);
    }
    for (size_t i = 0; i < ROWS; i++) {
        const rep_cell *back = rep_row_cells(&table, &rows[i]);
        for (uint32_t c = 0; c < COLUMNS; c++)
            assert_same(&cells[i][c], &back[c]);
    }
    base_text_free(&bytes);
    base_arena_free(&arena);
}

TEST(cells_that_are_not_packed_are_as_they_are) {
    rep_cell cells[1] = {{.text = "x"}};
    const rep_row row = {.cells = cells};
    const rep_table table = {.column_count = 1};
    assert_ptr_equal(rep_row_cells(&table, &row), cells);
}
