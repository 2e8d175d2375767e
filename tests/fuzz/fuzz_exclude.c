/* SPDX-License-Identifier: MIT */
/* No list of exclusions makes its reader crash; what it refuses has a place; what it accepts names
 * points of the design, each once and with a reason, and a list of just these says the same. */
#include "../cover/toy_design.h"
#include "cover/holes.h"
#include "fuzz.h"

static char path[64];

static void remove_list(void) {
    (void)unlink(path);
}

/* The machine of a point, by its number. */
static const char *machine_of(uint32_t point) {
    for (uint32_t m = 0; m < toy_design.machine_count; m++)
        if (point >= toy_machines[m].first_point &&
            point - toy_machines[m].first_point < toy_machines[m].point_count)
            return toy_machines[m].name;
    return "";
}

/* Points that have names; the texts of tests/data/exclude are about these. */
static void rewrite(const cov_exclusions *exclusions, base_text *list) {
    for (uint32_t i = 0; i < toy_design.point_count; i++) {
        const char *reason = cov_excluded(exclusions, i);
        if (reason == NULL)
            continue;
        require(reason[0] != '\0' && strchr(reason, '\n') == NULL);
        base_text_print(list, "%s %s %s %s\n", machine_of(i), toy_points[i].state,
                        toy_points[i].event, reason);
    }
}

static void round_trip(const col_coverage *coverage, const cov_exclusions *exclusions) {
    cov_exclusions again = {0};
    base_text list = {0};
    rewrite(exclusions, &list);
    if (list.length > 0)
        put_file(path, list.data, list.length);
    if (list.length > 0 && cov_exclusions_read(&again, coverage, path, NULL) == COL_OK) {
        require(again.count == exclusions->count);
        for (uint32_t i = 0; i < toy_design.point_count; i++) {
            const char *one = cov_excluded(exclusions, i), *other = cov_excluded(&again, i);
            require((one == NULL) == (other == NULL) && (one == NULL || strcmp(one, other) == 0));
        }
    }
    base_text_free(&list);
    cov_exclusions_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static col_coverage *coverage;
    cov_exclusions exclusions = {0};
    col_problem problem = {0};
    if (coverage == NULL) {
        name_file(path, "exclude");
        require(atexit(remove_list) == 0);
        require(col_coverage_new(&coverage, &toy_design, NULL) == COL_OK);
    }
    put_file(path, data, size);
    const col_status status = cov_exclusions_read(&exclusions, coverage, path, &problem);
    require_sentence(status, &problem);
    if (status == COL_OK) {
        require(exclusions.count <= toy_design.point_count);
        round_trip(coverage, &exclusions);
    }
    cov_exclusions_free(&exclusions);
    return 0;
}
