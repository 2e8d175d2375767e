/* SPDX-License-Identifier: MIT */
/* The word that was meant: slips of the finger are found, other words are not guessed at. */
#include "base/names.h"
#include "harness.h"

#include <string.h>

static const char *const words[] = {"run",        "generate", "replay", "report",
                                    "plain-bias", "htg",      NULL};

static void slips_are_found(void **state) {
    static const struct {
        const char *typed, *meant;
    } slips[] = {{"rnu", "run"},
                 {"RUN", "run"},
                 {"rum", "run"},
                 {"genrate", "generate"},
                 {"repaly", "replay"},
                 {"reprot", "report"},
                 {"hgt", "htg"},
                 {"plain_bias", "plain-bias"},
                 {"plainbias", "plain-bias"}};
    (void)state;
    for (size_t i = 0; i < sizeof slips / sizeof slips[0]; i++) {
        const char *found = base_nearest_of(words, slips[i].typed);
        if (found == NULL || strcmp(found, slips[i].meant) != 0)
            fail_msg("'%s' is not taken for '%s' but for '%s'", slips[i].typed, slips[i].meant,
                     found == NULL ? "nothing" : found);
    }
}

static void words_too_different_are_not_suggested(void **state) {
    static const char *const others[] = {"",
                                         "x",
                                         "frobnicate",
                                         "magic",
                                         "abc",
                                         "bias",
                                         "a-word-that-is-much-longer-than-any-that-there-are"};
    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (base_nearest_of(words, others[i]) != NULL)
            fail_msg("'%s' is taken for '%s'", others[i], base_nearest_of(words, others[i]));
}

/* The first of those that are equally near, so that the order of a list decides. */
static void the_first_of_equals_wins(void **state) {
    static const char *const alike[] = {"ctg1", "ctg2", "ctg3", NULL};
    (void)state;
    assert_string_equal(base_nearest_of(alike, "ctg"), "ctg1");
    assert_string_equal(base_nearest_of(alike, "ctg22"), "ctg2");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slips_are_found),
        cmocka_unit_test(words_too_different_are_not_suggested),
        cmocka_unit_test(the_first_of_equals_wins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
