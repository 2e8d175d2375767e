/* SPDX-License-Identifier: MIT */
/*
 * Classes of transitions: their files, what is shown of them, and those that protocols come with,
 * against the examples in the thesis's Table 10.
 */
#include "base/file.h"
#include "collider/duv.h"
#include "cover/coverage_show.h"
#include "cover/support.h"
#include "harness.h"
#include "protocol/simulate/protocol_library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static col_coverage *hit_toy(void) {
    col_coverage *coverage = new_toy();
    /* Functional: the four of L1Cache 0, of L1Cache 1, then Directory. */
    uint64_t hits[11] = {0, 5, 0, 0, 0, 2, 0, 0, 3, 0, 0};
    (void)col_coverage_add(coverage, hits);
    return coverage;
}

static col_status read_text(cov_classes *classes, const col_coverage *coverage, const char *content,
                            col_problem *problem) {
    char path[64];
    write_temporary(content, path);
    *classes = (cov_classes){0};
    const col_status status = cov_classes_read(classes, coverage, path, problem);
    assert_int_equal(remove(path), 0);
    return status;
}

TEST(wrong_lines_are_refused_at_their_place) {
    static const mistake rows[] = {
        {"L1Cache Load\n", 1, 1, "expected a line 'MACHINE EVENT CLASS'"},
        {"L1Cache Load a b\n", 1, 16, "too many words on this line"},
        {"\nL2Cache Load a\n", 2, 1, "toy has no machine 'L2Cache'"},
        {"L1Cache Fetch a\n", 1, 9, "L1Cache has no transition by an event 'Fetch'"},
        {"L1Cache Load a\nL1Cache Load b\n", 2, 9, "this event has a line further up"},
        {"L1Cache L* a\nL1Cache L* a\n", 2, 9, "this event has a line further up"},
    };
    col_coverage *coverage = hit_toy();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cov_classes classes;
        col_problem problem = {0};
        assert_int_equal(read_text(&classes, coverage, rows[i].text, &problem), COL_BAD_INPUT);
        assert_mistake(&rows[i], &problem);
        cov_classes_free(&classes);
    }
    col_coverage_free(coverage);
}

TEST(there_are_no_more_classes_than_have_room) {
    base_text text = {0};
    col_coverage *coverage = hit_toy();
    cov_classes classes;
    col_problem problem = {0};
    for (uint32_t i = 0; i <= COV_MOST_CLASSES; i++)
        base_text_print(&text, "L1Cache %.*s* c%u\n", (int)i,
                        "abcdefghijklmnopqrstuvwxyzabcdefghij", i);
    assert_int_equal(read_text(&classes, coverage, text.data, &problem), COL_BAD_INPUT);
    assert_int_equal(problem.line, COV_MOST_CLASSES + 1);
    assert_non_null(strstr(problem.message, "at most 32 classes"));
    cov_classes_free(&classes);
    base_text_free(&text);
    col_coverage_free(coverage);
}

TEST(the_closest_match_counts_whatever_the_order) {
    static const char *const texts[] = {
        "L1Cache * rest\nL1Cache Lo* part\nL1Cache Store whole\nL1Cache Sto* part\n",
        "L1Cache Store whole\nL1Cache Sto* part\nL1Cache Lo* part\nL1Cache * rest\n"};
    static const char *const expected[] = {"whole", "part", "rest", "part", NULL, NULL, NULL};
    col_coverage *coverage = hit_toy();
    for (size_t t = 0; t < 2; t++) {
        cov_classes classes;
        assert_int_equal(read_text(&classes, coverage, texts[t], NULL), COL_OK);
        assert_int_equal(classes.count, 3);
        for (size_t p = 0; p < 7; p++) {
            if (expected[p] == NULL)
                assert_int_equal(classes.of_point[p], COV_NO_CLASS);
            else
                assert_string_equal(classes.names[classes.of_point[p]], expected[p]);
        }
        cov_classes_free(&classes);
    }
    col_coverage_free(coverage);
}

TEST(classes_are_shown_below_their_machine) {
    col_coverage *coverage = hit_toy();
    cov_classes classes;
    base_text text = {0};
    assert_int_equal(read_text(&classes, coverage, "L1Cache Load local\nL1Cache * others\n", NULL),
                     COL_OK);
    const cov_view view = {.coverage = coverage, .classes = &classes};
    cov_show_text(&view, &text);
    assert_non_null(strstr(text.data, "  L1Cache         1 of    4  25.0 %    1 of    3  33.3 %"
                                      "            not known\n"
                                      "    local         1 of    2  50.0 %    1 of    1 100.0 %"
                                      "            not known\n"
                                      "    others        0 of    2   0.0 %    0 of    2   0.0 %"
                                      "            not known\n"
                                      "  Directory       1 of    3  33.3 %    1 of    3  33.3 %"
                                      "            not known\n"
                                      "    (no class)    1 of    3  33.3 %"));
    text.length = 0;
    cov_show_markdown(&view, &text);
    assert_non_null(strstr(text.data, "\n| all, local | 1 of 2 | 50.0 | 1 of 1 | 100.0 |"));
    text.length = 0;
    cov_show_json(&view, &text);
    assert_non_null(strstr(text.data, "\"by_class\""));
    text.length = 0;
    cov_show_json(&(cov_view){.coverage = coverage}, &text);
    assert_null(strstr(text.data, "\"by_class\""));
    base_text_free(&text);
    cov_classes_free(&classes);
    col_coverage_free(coverage);
}

/* ---- The classes that protocols come with. */

static col_coverage *of_design(const char *name) {
    col_duv *duv = NULL;
    col_coverage *coverage = NULL;
    const col_duv_settings settings = {.name = name, .cores = 2};
    assert_int_equal(col_duv_open(&duv, name, &settings, NULL), COL_OK);
    assert_int_equal(col_coverage_new(&coverage, col_duv_describe(duv), NULL), COL_OK);
    col_duv_close(duv);
    return coverage;
}

static void read_shipped(cov_classes *classes, const col_coverage *coverage, const char *protocol) {
    char path[SIM_MOST_PATH];
    col_problem problem = {0};
    *classes = (cov_classes){0};
    assert_true(sim_find_beside(protocol, "classes", path));
    if (cov_classes_read(classes, coverage, path, &problem) != COL_OK)
        fail_msg("%s:%u: %s", path, problem.line, problem.message);
}

/* Each transition is in one class, so that those of the classes add up. */
TEST(every_transition_of_a_protocol_has_a_class) {
    static const char *const protocols[] = {"mi", "msi", "mesi2", "mesi3", "moesi2", "tsocc"};
    for (size_t i = 0; i < sizeof protocols / sizeof protocols[0]; i++) {
        col_coverage *coverage = of_design(protocols[i]);
        cov_classes classes;
        read_shipped(&classes, coverage, protocols[i]);
        const cov_extent all = cov_extent_of(coverage, NULL, COL_ALL_MACHINES);
        uint32_t sum = 0;
        for (uint32_t c = 0; c < classes.count; c++)
            sum += cov_extent_of_class(coverage, NULL, COL_ALL_MACHINES, &classes, c).defined;
        assert_int_equal(sum, all.defined);
        cov_classes_free(&classes);
        col_coverage_free(coverage);
    }
}

/* As gem5's protocol calls them in the table, and as ours does. */
TEST(classes_of_three_levels_are_those_of_table_10) {
    static const char *const rows[][3] = {
        {"L0Cache", "Load", "local"},
        {"L0Cache", "Store", "local"},
        {"L0Cache", "InvElse", "remote"}, /* Invalidate */
        {"L0Cache", "L0_Replacement", "replacement"},
        {"L1Cache", "Load", "local"},  /* L0_GETS */
        {"L1Cache", "Store", "local"}, /* L0_UPG, L0_GETX */
        {"L1Cache", "Inv", "remote"},
        {"L1Cache", "Fwd_GETS", "remote"},
        {"L1Cache", "Fwd_GETX", "remote"},
        {"L1Cache", "L1_Replacement", "replacement"},
        {"L2Cache", "L1_UPGRADE", "request"},
        {"L2Cache", "L1_GETS", "request"},
        {"L2Cache", "L1_GETX", "request"},
        {"L2Cache", "L2_Replacement", "replacement"},
    };
    col_coverage *coverage = of_design("mesi3");
    cov_classes classes;
    col_point_facts f;
    read_shipped(&classes, coverage, "mesi3");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint32_t count = 0;
        for (uint32_t p = 0; col_coverage_point(coverage, p, &f); p++) {
            if (strcmp(f.machine, rows[i][0]) != 0 || strcmp(f.event, rows[i][1]) != 0)
                continue;
            count++;
            assert_string_equal(classes.names[classes.of_point[p]], rows[i][2]);
        }
        assert_true(count > 0);
    }
    cov_classes_free(&classes);
    col_coverage_free(coverage);
}
