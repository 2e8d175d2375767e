/* SPDX-License-Identifier: MIT */
/* No list of classes makes its reader crash; what it refuses has a place; what it accepts gives
 * points classes that have names, and read again it says the same. */
#include "../cover/toy_design.h"
#include "cover/holes.h"
#include "fuzz.h"

static char path[64];

static void remove_list(void) {
    (void)unlink(path);
}

static void check(const cov_classes *classes) {
    require(classes->count <= COV_MOST_CLASSES);
    for (uint32_t c = 0; c < classes->count; c++)
        require(classes->names[c][0] != '\0');
    for (uint32_t p = 0; p < toy_design.point_count; p++)
        require(classes->of_point[p] < classes->count || classes->of_point[p] == COV_NO_CLASS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static col_coverage *coverage;
    cov_classes classes = {0}, again = {0};
    col_problem problem = {0};
    if (coverage == NULL) {
        name_file(path, "classes");
        require(atexit(remove_list) == 0);
        require(col_coverage_new(&coverage, &toy_design, NULL) == COL_OK);
    }
    put_file(path, data, size);
    const col_status status = cov_classes_read(&classes, coverage, path, &problem);
    require_sentence(status, &problem);
    if (status == COL_OK) {
        check(&classes);
        require(cov_classes_read(&again, coverage, path, NULL) == COL_OK);
        require(again.count == classes.count &&
                memcmp(again.of_point, classes.of_point, toy_design.point_count) == 0);
    }
    cov_classes_free(&classes);
    cov_classes_free(&again);
    return 0;
}
