/* SPDX-License-Identifier: MIT */
/* Lists of words: found by whole words, read as a sentence says them; and the word that was meant:
 * slips of the finger are found, other words are not guessed at. */
#include "base/names.h"
#include "harness.h"

#include <string.h>

/* ---- Words to choose from. */

static const char *const none[] = {NULL};
static const char *const one[] = {"sc", NULL};
static const char *const two[] = {"sc", "tso", NULL};
static const char *const three[] = {"sc", "scc", "tso", NULL};

static void assert_list(const char *const *words, const char *expected) {
    base_text list = {0};
    base_choice_list(words, &list);
    assert_string_equal(list.data == NULL ? "" : list.data, expected);
    base_text_free(&list);
}

TEST(lists_end_with_or) {
    assert_list(none, "");
    assert_list(one, "sc");
    assert_list(two, "sc or tso");
    assert_list(three, "sc, scc or tso");
}

TEST(only_whole_words_are_found) {
    uint32_t place = 7;
    assert_true(base_choice_find(three, "scc,tso", 3, &place));
    assert_int_equal(place, 1);
    assert_true(base_choice_find(three, "scc", 2, &place));
    assert_int_equal(place, 0);
    assert_false(base_choice_find(three, "s", 1, &place));
    assert_int_equal(place, 3);
    assert_false(base_choice_find(three, "", 0, &place));
    assert_false(base_choice_find(none, "sc", 2, &place));
}

TEST(a_refusal_names_all_choices) {
    col_problem problem;
    uint32_t place = 7;
    assert_int_equal(base_choice_read("--", "model", three, "tso", &place, &problem), COL_OK);
    assert_int_equal(place, 2);
    assert_int_equal(base_choice_read("--", "model", three, "rvwmo", &place, &problem),
                     COL_BAD_INPUT);
    assert_string_equal(problem.message, "--model is sc, scc or tso, not 'rvwmo'");
}

TEST(a_slip_is_answered_with_did_you_mean) {
    col_problem problem;
    uint32_t place = 7;
    assert_int_equal(base_choice_read("--", "model", three, "tos", &place, &problem),
                     COL_BAD_INPUT);
    assert_string_equal(problem.message, "--model does not take 'tos'; did you mean 'tso'?");
}

/* ---- The word that was meant. */

static const char *const words[] = {"run",        "generate", "replay", "report",
                                    "plain-bias", "htg",      NULL};

TEST(slips_are_found) {
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
    for (size_t i = 0; i < sizeof slips / sizeof slips[0]; i++) {
        const char *found = base_nearest_of(words, slips[i].typed);
        if (found == NULL || strcmp(found, slips[i].meant) != 0)
            fail_msg("'%s' is not taken for '%s' but for '%s'", slips[i].typed, slips[i].meant,
                     found == NULL ? "nothing" : found);
    }
}

TEST(words_too_different_are_not_suggested) {
    static const char *const others[] = {"",
                                         "x",
                                         "frobnicate",
                                         "magic",
                                         "abc",
                                         "bias",
                                         "a-word-that-is-much-longer-than-any-that-there-are"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (base_nearest_of(words, others[i]) != NULL)
            fail_msg("'%s' is taken for '%s'", others[i], base_nearest_of(words, others[i]));
}

/* The first of those that are equally near, so that the order of a list decides. */
TEST(the_first_of_equals_wins) {
    static const char *const alike[] = {"ctg1", "ctg2", "ctg3", NULL};
    assert_string_equal(base_nearest_of(alike, "ctg"), "ctg1");
    assert_string_equal(base_nearest_of(alike, "ctg22"), "ctg2");
}
