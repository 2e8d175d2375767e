/* SPDX-License-Identifier: MIT */
/* What episodes could not reach, told by rows: a need counts as unmet only if all of them say so,
 * and a row that says nothing, or nonsense, puts nothing out of reach. */
#include "results/store/store_coverage.h"

#include "base/json.h"
#include "harness.h"

enum { POINTS = 4 };

static void add(cam_reach *reach, const char *text) {
    assert_int_equal(cam_reach_add(reach, text, POINTS, NULL), COL_OK);
}

/* The needs of a point that no row met, with commas. */
static void assert_unmet(const cam_reach *reach, uint32_t point, const char *expected) {
    base_text words = {0};
    for (uint32_t n = 0; n < reach->need_count; n++)
        if ((reach->unmet[point] >> n & 1) != 0)
            base_text_print(&words, "%s%s", words.length == 0 ? "" : ",", reach->needs[n]);
    assert_string_equal(words.data == NULL ? "" : words.data, expected);
    base_text_free(&words);
}

TEST(needs_are_unmet_if_all_rows_say_so) {
    cam_reach reach = {0};
    add(&reach, "{\"unmet\": {\"flushes\": [0, 1], \"replacements in L2\": [1, 2]}}");
    assert_true(reach.is_known);
    assert_unmet(&reach, 0, "flushes");
    assert_unmet(&reach, 1, "flushes,replacements in L2");
    assert_unmet(&reach, 3, "");
    add(&reach, "{\"unmet\": {\"replacements in L2\": [1, 2], \"loads\": [3]}}");
    assert_unmet(&reach, 0, "");
    assert_unmet(&reach, 1, "replacements in L2");
    assert_unmet(&reach, 3, "");
    cam_reach_free(&reach);
}

TEST(rows_that_do_not_tell_put_nothing_out_of_reach) {
    static const char *const silent[] = {NULL, "null", "{}", "[1]", "{\"unmet\": 3}", "no JSON"};
    static const char told[] = "{\"unmet\": {\"flushes\": [0]}}";
    for (size_t i = 0; i < sizeof silent / sizeof silent[0]; i++)
        for (int first = 0; first < 2; first++) {
            cam_reach reach = {0};
            add(&reach, first ? silent[i] : told);
            add(&reach, first ? told : silent[i]);
            assert_true(reach.is_known);
            assert_unmet(&reach, 0, "");
            cam_reach_free(&reach);
        }
    cam_reach reach = {0};
    add(&reach, NULL);
    assert_false(reach.is_known);
    cam_reach_free(&reach);
}

/* A store may be somebody else's. */
TEST(nonsense_is_left_out) {
    cam_reach reach = {0};
    add(&reach, "{\"unmet\": {\"flushes\": [99999999999, -1, \"x\", 4, 2], \"loads\": {\"a\": 1},"
                " \"a need whose words are longer than any that there is, by far\": [1]}}");
    assert_unmet(&reach, 0, "");
    assert_unmet(&reach, 1, "");
    assert_unmet(&reach, 2, "flushes");
    cam_reach_free(&reach);
}

TEST(reach_round_trips) {
    static const col_duv_machine machine = {.name = "L1", .controllers = 2, .point_count = POINTS};
    static const col_duv_point points[POINTS] = {
        {"I", "a", true}, {"I", "b", true}, {"I", "c", true}, {"I", "d", true}};
    static const uint32_t needs[POINTS] = {COL_NEEDS_LOADS, COL_NEEDS_FLUSHES,
                                           COL_NEEDS_FLUSHES | COL_NEEDS_REPLACEMENT, 0};
    const col_duv_description d = {
        .name = "toy",
        .cores = 2,
        .geometry = {.block_bits = 6,
                     .level_count = 1,
                     .levels = {{.name = "L1", .index_low = 6, .ways = 1}}},
        .machine_count = 1,
        .point_count = POINTS,
        .machines = &machine,
        .points = points,
        .needs = needs};
    col_coverage *coverage;
    base_text text = {0};
    cam_reach reach = {0};
    assert_int_equal(col_coverage_new(&coverage, &d, NULL), COL_OK);
    col_coverage_bring(coverage, COL_NEEDS_LOADS);
    json_t *told = cam_result_json(coverage, NULL);
    base_json_print(told, JSON_COMPACT, &text);
    json_decref(told);
    assert_string_equal(text.data, "{\"here\":{\"covered\":0,\"total\":2},"
                                   "\"unmet\":{\"flushes\":[1,2],\"replacements in L1\":[2]}}");
    add(&reach, text.data);
    assert_unmet(&reach, 0, "");
    assert_unmet(&reach, 1, "flushes");
    assert_unmet(&reach, 2, "flushes,replacements in L1");
    cam_reach_free(&reach);
    base_text_free(&text);
    col_coverage_free(coverage);
}
