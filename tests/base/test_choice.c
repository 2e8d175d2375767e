/* SPDX-License-Identifier: MIT */
/* Lists of words are found by whole words, and read as a sentence says them. */
#include "base/names.h"

#include "harness.h"

#include <string.h>

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

static void lists_end_with_or(void **state) {
    (void)state;
    assert_list(none, "");
    assert_list(one, "sc");
    assert_list(two, "sc or tso");
    assert_list(three, "sc, scc or tso");
}

static void only_whole_words_are_found(void **state) {
    (void)state;
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

static void a_refusal_names_all_choices(void **state) {
    (void)state;
    col_problem problem;
    uint32_t place = 7;
    assert_int_equal(base_choice_read("--", "model", three, "tso", &place, &problem), COL_OK);
    assert_int_equal(place, 2);
    assert_int_equal(base_choice_read("--", "model", three, "rvwmo", &place, &problem),
                     COL_BAD_INPUT);
    assert_string_equal(problem.message, "--model is sc, scc or tso, not 'rvwmo'");
}

static void a_slip_is_answered_with_did_you_mean(void **state) {
    (void)state;
    col_problem problem;
    uint32_t place = 7;
    assert_int_equal(base_choice_read("--", "model", three, "tos", &place, &problem),
                     COL_BAD_INPUT);
    assert_string_equal(problem.message, "--model does not take 'tos'; did you mean 'tso'?");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(lists_end_with_or),
                                       cmocka_unit_test(only_whole_words_are_found),
                                       cmocka_unit_test(a_refusal_names_all_choices),
                                       cmocka_unit_test(a_slip_is_answered_with_did_you_mean)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
