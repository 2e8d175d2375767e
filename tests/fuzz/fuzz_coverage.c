/* SPDX-License-Identifier: MIT */
/* No text makes the reader of coverage crash; what it refuses has a place and leaves the set as it
 * was; what it accepts is written and read back the same, and merging it again adds no points. */
#include "../cover/toy_design.h"
#include "cover/coverage.h"
#include "fuzz.h"

static col_coverage *new_toy(void) {
    col_coverage *coverage;
    require(col_coverage_new(&coverage, &toy_design, NULL) == COL_OK);
    return coverage;
}

static uint32_t covered(const col_coverage *coverage) {
    return col_coverage_of(coverage, COL_CUMULATIVE, COL_FUNCTIONAL, COL_ALL_MACHINES).covered;
}

static void round_trip(const col_coverage *coverage) {
    col_coverage *again = new_toy();
    base_text text = {0}, rewritten = {0};
    col_gain gain;
    cov_write(coverage, &text);
    require(col_coverage_read(again, text.data, text.length, "again", NULL) == COL_OK);
    cov_write(again, &rewritten);
    require(strcmp(text.data, rewritten.data) == 0);
    require(col_coverage_merge(again, coverage, &gain, NULL) == COL_OK);
    require(gain.points[COL_STRUCTURAL] + gain.points[COL_FUNCTIONAL] == 0);
    require(covered(again) == covered(coverage));
    base_text_free(&text);
    base_text_free(&rewritten);
    col_coverage_free(again);
}

/* A file that lists its points is read without the design, and written back the same. */
static void read_whole(const char *text, size_t size) {
    col_coverage *coverage, *again;
    col_problem problem;
    base_text first = {0}, second = {0};
    if (cov_read_whole(&coverage, text, size, "fuzz", &problem) != COL_OK) {
        require(coverage == NULL);
        return;
    }
    cov_write_points(coverage, false, &first);
    cov_write(coverage, &first);
    require(cov_read_whole(&again, first.data, first.length, "again", NULL) == COL_OK);
    cov_write_points(again, false, &second);
    cov_write(again, &second);
    require(strcmp(first.data, second.data) == 0);
    base_text_free(&first);
    base_text_free(&second);
    col_coverage_free(coverage);
    col_coverage_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    col_coverage *coverage = new_toy();
    col_problem problem;
    const char *text = size == 0 ? "" : (const char *)data;
    if (col_coverage_read(coverage, text, size, "fuzz", &problem) == COL_OK)
        round_trip(coverage);
    else
        require(covered(coverage) == 0 && problem.line > 0 && problem.column > 0);
    col_coverage_free(coverage);
    read_whole(text, size);
    return 0;
}
