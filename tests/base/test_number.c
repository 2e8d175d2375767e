/* SPDX-License-Identifier: MIT */
/* Numbers as users write them: what is one, what it is worth, and what is none. */
#include "base/number.h"
#include "harness.h"

static const struct known {
    const char *text;
    uint64_t number;
} known[] = {
    {"0", 0},
    {"007", 7},
    {"4096", 4096},
    {"4Ki", 4096},
    {"2Mi", 2097152},
    {"3Gi", 3221225472},
    {"0x10", 16},
    {"0xFf", 255},
    {"0x10Ki", 16384},
    {"0Gi", 0},
    {"18446744073709551615", UINT64_MAX},
    {"0xffffffffffffffff", UINT64_MAX},
    {"18014398509481983Ki", UINT64_MAX - 1023},
    {"17179869183Gi", UINT64_MAX - 1073741823},
};

static const char *const wrong[] = {
    "",
    " 1",
    "1 ",
    "+1",
    "-1",
    "x",
    "0x",
    "0xKi",
    "0xg",
    "0X10",
    "1.5",
    "1e3",
    "1ki",
    "1K",
    "1KiB",
    "1 Ki",
    "Ki",
    "0x0x1",
    "1Ti",
    "18446744073709551616",
    "1_000",
    "0x-1",
    "1KiKi",
    "17179869184Gi",
    "18014398509481984Ki",
    "0x10000000000000000",
};

static void numbers_are_worth_what_they_say(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        uint64_t number = 99;
        if (!col_number_parse(known[i].text, &number) || number != known[i].number)
            fail_msg("%s is %llu", known[i].text, (unsigned long long)number);
    }
}

static void other_texts_are_no_numbers(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        uint64_t number = 99;
        if (col_number_parse(wrong[i], &number) || number != 99)
            fail_msg("'%s' is %llu", wrong[i], (unsigned long long)number);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_worth_what_they_say),
        cmocka_unit_test(other_texts_are_no_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
