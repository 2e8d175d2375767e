/* SPDX-License-Identifier: MIT */
/* Numbers as hexadecimal text: there and back, and what is none. */
#include "base/number.h"
#include "base/random.h"

#include "harness.h"

#include <inttypes.h>
#include <stdio.h>

static void numbers_round_trip(void **state) {
    base_rng rng;
    (void)state;
    base_rng_seed(&rng, 1, 0);
    for (uint32_t i = 0; i < 2000; i++) {
        const int digits = 1 + (int)(i % 16);
        const uint64_t number = base_rng_next(&rng) >> (64 - 4 * digits);
        char text[17] = {0}, expected[32];
        uint64_t read = 0;
        assert_ptr_equal(base_put_hexadecimal(text, number, digits), text + digits);
        (void)snprintf(expected, sizeof expected, "%0*" PRIx64, digits, number);
        assert_string_equal(text, expected);
        const char *at = text;
        assert_true(base_take_hexadecimal(&at, digits, &read));
        assert_ptr_equal(at, text + digits);
        assert_int_equal(read, number);
    }
}

static void the_last_digits_are_written(void **state) {
    char text[4] = {0};
    (void)state;
    (void)base_put_hexadecimal(text, 0xabcdef, 3);
    assert_string_equal(text, "def");
}

static void unknown_text_is_refused(void **state) {
    static const char *const texts[] = {"", "12", "12g4", "12A4", " 123", "-123", "0x12", "12\n4"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const char *at = texts[i];
        uint64_t number = 0;
        assert_false(base_take_hexadecimal(&at, 4, &number));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_round_trip),
        cmocka_unit_test(the_last_digits_are_written),
        cmocka_unit_test(unknown_text_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
