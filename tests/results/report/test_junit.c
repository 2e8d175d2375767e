/* SPDX-License-Identifier: MIT */
/* Results for systems of continuous integration: what fails, and that the sums are right. */
#include "harness.h"
#include "results/report/report.h"
#include "results/report/writers_sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST(cases_are_as_expected) {
    const rep_report report = sample_report();
    base_text text = {0};
    rep_junit_text(&report, &text);
    assert_well_formed(&text);
    assert_as_expected(&text, "junit.xml");
    base_text_free(&text);
}

TEST(an_empty_store_has_no_test_cases) {
    const rep_report report = empty_report();
    base_text text = {0};
    rep_junit_text(&report, &text);
    assert_well_formed(&text);
    assert_non_null(strstr(text.data, "tests=\"0\" failures=\"0\" errors=\"0\""));
    assert_int_equal(occurrences(&text, "<testsuite "), 0);
    base_text_free(&text);
}

/* What a group is as a case, by a table that is written another way than the code. */
TEST(each_group_has_its_ending) {
    static const struct {
        uint32_t trials, done, failed, found;
        const char *error, *mutant, *has; /* has: NULL: nothing in it */
    } cases[] = {
        {10, 10, 0, 0, NULL, NULL, NULL},
        {10, 10, 0, 1, NULL, NULL, "<failure type=\"error-found\""},
        {10, 9, 1, 1, NULL, NULL, "<failure type=\"error-found\""},
        {10, 9, 1, 0, NULL, NULL, "<error type=\"not-run\""},
        {10, 9, 0, 0, NULL, NULL, "<skipped message=\"9 of 10 trials are done\""},
        {10, 0, 0, 0, NULL, NULL, "<skipped message=\"0 of 10 trials are done\""},
        {10, 10, 0, 10, "E.1", NULL, "<system-out>found by 10 of 10 trials"},
        {10, 10, 0, 1, "E.1", NULL, "<system-out>found by 1 of 10 trials"},
        {10, 9, 0, 1, "E.1", NULL, "<system-out>found by 1 of 9 trials"},
        {10, 10, 0, 0, "E.1", NULL, "<failure type=\"error-missed\" message=\"none of 10 trials"},
        {10, 9, 0, 0, "E.1", NULL, "<skipped"},
        {10, 9, 1, 9, "E.1", NULL, "<error type=\"not-run\""},
        {10, 10, 0, 0, NULL, "3", "<failure type=\"mutant-survived\""},
        {10, 10, 0, 1, NULL, "3", "<system-out>found by 1 of 10 trials"},
    };
    rep_plan plan = {.name = "p", .title = "", .scale = ""};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        rep_group group = {.name = "g",
                           .trials = cases[i].trials,
                           .done = cases[i].done,
                           .failed = cases[i].failed,
                           .found = cases[i].found,
                           .hunts = cases[i].error != NULL || cases[i].mutant != NULL,
                           .error = cases[i].error,
                           .mutant = cases[i].mutant};
        const rep_report report = {.title = "t",
                                   .tool = "collider",
                                   .plans = &plan,
                                   .plan_count = 1,
                                   .groups = &group,
                                   .group_count = 1};
        base_text text = {0};
        rep_junit_text(&report, &text);
        assert_well_formed(&text);
        if (cases[i].has != NULL)
            assert_non_null(strstr(text.data, cases[i].has));
        const size_t insides = occurrences(&text, "<failure ") + occurrences(&text, "<error ") +
                               occurrences(&text, "<skipped ") + occurrences(&text, "<system-out");
        assert_int_equal(insides, cases[i].has != NULL);
        base_text_free(&text);
    }
}

/* As many groups as 100,000 trials may have, and each with its failures: a case each, no more. */
TEST(many_groups_stay_sensible) {
#ifdef SANITIZED
    skip(); /* where strstr looks at all of the ten megabytes for each of its answers */
#endif
    enum { GROUPS = 10000, FAILURES = 100000, PLANS = 20, STORY = 5000 };
    static char story[STORY + 1];
    static rep_group groups[GROUPS];
    static rep_failure failures[FAILURES];
    static char names[GROUPS][16];
    rep_plan plans[PLANS];
    for (uint32_t i = 0; i < PLANS; i++)
        plans[i] = (rep_plan){.name = "p", .title = "", .scale = "small"};
    for (uint32_t i = 0; i < GROUPS; i++) {
        (void)snprintf(names[i], sizeof names[i], "group %u", i);
        groups[i] =
            (rep_group){.plan = i % PLANS, .name = names[i], .trials = 10, .done = 10, .found = 10};
    }
    memset(story, 's', STORY);
    for (uint32_t i = 0; i < FAILURES; i++)
        failures[i] = (rep_failure){
            .group = i % GROUPS, .seed = i, .verdict = "violation", .reason = "r", .story = story};
    const rep_report report = {.title = "t",
                               .tool = "collider",
                               .plans = plans,
                               .plan_count = PLANS,
                               .groups = groups,
                               .group_count = GROUPS,
                               .failures = failures,
                               .failure_count = FAILURES};
    base_text text = {0};
    rep_junit_text(&report, &text);
    assert_well_formed(&text);
    assert_int_equal(occurrences(&text, "<testcase "), GROUPS);
    assert_int_equal(occurrences(&text, "<testsuite "), PLANS);
    assert_int_equal(occurrences(&text, "seed "), 5 * GROUPS);
    assert_int_equal(occurrences(&text, "and 5 more"), GROUPS);
    assert_true(text.length < 20000000);
    assert_true(text.length > 10000000); /* the first stories are there */
    base_text_free(&text);
}
