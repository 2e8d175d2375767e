/* SPDX-License-Identifier: MIT */
/* Durations: what people write, and what is refused in one sentence. */
#include "base/number.h"
#include "harness.h"

#include <stdio.h>

static void durations_are_read(void **state) {
    static const struct {
        const char *text;
        double seconds;
    } good[] = {{"90", 90},       {"90s", 90},    {"2m", 120},         {"1h30m", 5400},
                {"1h1m1s", 3661}, {"1.5h", 5400}, {"0.25", 0.25},      {"500ms", 0.5},
                {"1s500ms", 1.5}, {"1e3s", 1000}, {"1h1ms", 3600.001}, {"0", 0}};
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        double seconds = -1;
        assert_true(base_duration_parse(good[i].text, &seconds));
        assert_true(seconds == good[i].seconds);
    }
}

static void other_texts_are_not_durations(void **state) {
    static const char *const bad[] = {"",      "s",    "90 s", " 90",  "-1s", "90x", "1h30",
                                      "30m1h", "1m1m", "1sm",  "2min", "1d",  "inf", "1e999",
                                      "0x10s", "1h m", "90s ", "1,5h", "1S",  "+1"};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        double seconds = 0;
        if (base_duration_parse(bad[i], &seconds))
            fail_msg("'%s' is taken for %g seconds", bad[i], seconds);
    }
}

static void refusals_name_the_setting(void **state) {
    static const char *const bad[] = {"soon", "0", "101s"};
    double seconds = 7;
    col_problem problem;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char expected[200];
        (void)snprintf(expected, sizeof expected,
                       "--time is a duration such as 90, 90s, 2m or 1h30m, not '%s'", bad[i]);
        assert_int_equal(base_duration_read("--", "time", bad[i], 100, false, &seconds, &problem),
                         COL_BAD_INPUT);
        assert_string_equal(problem.message, expected);
        assert_true(seconds == 7);
    }
    assert_int_equal(base_duration_read("--", "time", "1m40s", 100, false, &seconds, &problem),
                     COL_OK);
    assert_true(seconds == 100);
    assert_int_equal(base_duration_read("--", "time", "0s", 100, true, &seconds, &problem), COL_OK);
    assert_true(seconds == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(durations_are_read),
        cmocka_unit_test(other_texts_are_not_durations),
        cmocka_unit_test(refusals_name_the_setting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
