/* SPDX-License-Identifier: MIT */
/* Sentences that fit stay as they are; others end with a whole word and an ellipsis. */
#include "base/text.h"

#include "harness.h"

#include <string.h>

static const struct {
    const char *text;
    size_t size;
    const char *expected;
} cases[] = {
    {"", 8, ""},
    {"core 0 waits", 13, "core 0 waits"},
    {"core 0 waits", 12, "core 0…"},
    {"core 0 waits", 9, "core…"},
    {"core 0; core 1 waits", 20, "core 0; core 1…"},
    {"core 0 waits; core 1 waits", 17, "core 0 waits…"},
    {"core 0 waits, and so on", 18, "core 0 waits…"},
    {"0123456789abcdef", 12, "01234567…"},   /* one long word */
    {"a 0123456789abcdef", 12, "a 012345…"}, /* its space comes too early */
    {"größtes", 7, "gr…"},                   /* not half of the ö */
    {"ööööööööö", 12, "öööö…"},              /* nor of any other */
    {"日本語日本語", 13, "日本語…"},
    {"abc", 1, ""},
    {"abcdef", 4, "abc"}, /* no room for an ellipsis and a letter */
};

static void long_sentences_end_with_a_whole_word(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char field[64];
        memset(field, '#', sizeof field);
        base_sentence(field, cases[i].size, "%s", cases[i].text);
        assert_string_equal(field, cases[i].expected);
        assert_int_equal(field[cases[i].size], '#');
    }
}

static void errors_end_with_a_whole_word(void **state) {
    (void)state;
    char text[1024] = "";
    col_problem problem;
    while (strlen(text) < 900)
        (void)strcat(text, "elephant ");
    assert_int_equal(base_refuse(&problem, "%s", text), COL_BAD_INPUT);
    const size_t length = strlen(problem.message);
    assert_true(length > 490 && length < sizeof problem.message);
    assert_string_equal(problem.message + length - strlen("elephant…"), "elephant…");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_sentences_end_with_a_whole_word),
        cmocka_unit_test(errors_end_with_a_whole_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
