/* SPDX-License-Identifier: MIT */
/* Numbers and durations as users write them, and hexadecimal text: what is one, what it is worth,
 * and what is none. */
#include "base/number.h"
#include "base/random.h"
#include "harness.h"

#include <inttypes.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

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

TEST(numbers_have_their_values) {
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        uint64_t number = 99;
        if (!base_number_parse(known[i].text, &number) || number != known[i].number)
            fail_msg("%s is %llu", known[i].text, (unsigned long long)number);
    }
}

TEST(other_texts_are_not_numbers) {
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        uint64_t number = 99;
        if (base_number_parse(wrong[i], &number) || number != 99)
            fail_msg("'%s' is %llu", wrong[i], (unsigned long long)number);
    }
}

TEST(decimals_do_not_depend_on_the_locale) {
    const struct {
        const char *text;
        double number;
        size_t length; /* 0: refused */
    } cases[] = {
        {"0.48", 0.48, 4}, {"3", 3, 1},   {"3,5", 3, 1},  {"1e3", 1000, 3}, {"25e-2x", 0.25, 5},
        {"2.5E+1", 25, 6}, {".5", 0, 0},  {"5.", 0, 0},   {"-1", 0, 0},     {"", 0, 0},
        {"1e", 0, 0},      {"nan", 0, 0}, {"0x10", 0, 1},
    };
    (void)setlocale(LC_ALL, "de_DE.UTF-8"); /* where it is installed */
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double number = 0;
        const char *end = base_decimal_parse(cases[i].text, &number);
        assert_int_equal(end == NULL ? 0 : end - cases[i].text, cases[i].length);
        assert_true(end == NULL || number == cases[i].number);
    }
    (void)setlocale(LC_ALL, "C");
}

/* As the C library reads it, to the last bit. */
static void assert_as_strtod(const char *text) {
    double number = -1;
    char *expected_end = NULL;
    const double expected = strtod(text, &expected_end);
    const char *end = base_decimal_parse(text, &number);
    if (end != expected_end || !(number <= expected && number >= expected))
        fail_msg("%.60s is %.17g, not %.17g", text, expected, number);
}

TEST(decimals_are_the_nearest_numbers) {
    static const char *const texts[] = {
        "1e-6",
        "1e-5",
        "1e23",
        "0.1e-6",
        "7e-324",
        "2e-324",
        "1e-400",
        "1e400",
        "0e99999999999999999999",
        "1e99999999999999999999",
        "1e-99999999999999999999",
        "1.7976931348623157e308",
        "1.7976931348623159e308",
        "2.2250738585072011e-308",
        "9007199254740993",
        "0.000000000000000000000000000000000000000000000000000001",
        "8.5e-0003",
        "000123.4560",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_as_strtod(texts[i]);
}

TEST(random_decimals_are_the_nearest_numbers) {
    enum { ROUNDS = 20000 };
    base_rng rng;
    base_rng_seed(&rng, 12, 0);
    for (int round = 0; round < ROUNDS; round++) {
        char text[64];
        const uint64_t whole = base_rng_next(&rng) >> base_rng_next(&rng) % 64;
        const uint64_t fraction = base_rng_next(&rng) >> base_rng_next(&rng) % 64;
        const int exponent = (int)(base_rng_next(&rng) % 700) - 350;
        (void)snprintf(text, sizeof text, "%" PRIu64 ".%0*" PRIu64 "e%d", whole,
                       (int)(base_rng_next(&rng) % 20) + 1, fraction, exponent);
        assert_as_strtod(text);
    }
}

/* Halfway between two numbers the last of very many digits decides. */
TEST(very_many_digits_count) {
    enum { ZEROS = 2000 };
    char text[ZEROS + 64];
    for (size_t zeros = 0; zeros <= ZEROS; zeros += 100) {
        static const char *const tails[] = {"", "1", "9", "0", "1e-5", "e3"};
        for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
            (void)snprintf(text, sizeof text, "9007199254740993.%0*d%s", (int)zeros + 1, 0,
                           tails[i]);
            assert_as_strtod(text);
            (void)snprintf(text, sizeof text, "9007199254740993%0*d%s", (int)zeros + 1, 0,
                           tails[i]);
            assert_as_strtod(text);
            (void)snprintf(text, sizeof text, "0.%0*d%s", (int)zeros + 1, 0, tails[i]);
            assert_as_strtod(text);
        }
    }
}

/* ---- Durations. */

TEST(durations_are_read) {
    static const struct {
        const char *text;
        double seconds;
    } good[] = {{"90", 90},       {"90s", 90},    {"2m", 120},         {"1h30m", 5400},
                {"1h1m1s", 3661}, {"1.5h", 5400}, {"0.25", 0.25},      {"500ms", 0.5},
                {"1s500ms", 1.5}, {"1e3s", 1000}, {"1h1ms", 3600.001}, {"0", 0}};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        double seconds = -1;
        assert_true(base_duration_parse(good[i].text, &seconds));
        assert_true(seconds == good[i].seconds);
    }
}

TEST(other_texts_are_not_durations) {
    static const char *const bad[] = {"",      "s",    "90 s", " 90",  "-1s", "90x", "1h30",
                                      "30m1h", "1m1m", "1sm",  "2min", "1d",  "inf", "1e999",
                                      "0x10s", "1h m", "90s ", "1,5h", "1S",  "+1"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        double seconds = 0;
        if (base_duration_parse(bad[i], &seconds))
            fail_msg("'%s' is taken for %g seconds", bad[i], seconds);
    }
}

/* ---- Hexadecimal text. */

TEST(numbers_round_trip) {
    base_rng rng;
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

TEST(the_last_digits_are_written) {
    char text[4] = {0};
    (void)base_put_hexadecimal(text, 0xabcdef, 3);
    assert_string_equal(text, "def");
}

TEST(unknown_text_is_refused) {
    static const char *const texts[] = {"", "12", "12g4", "12A4", " 123", "-123", "0x12", "12\n4"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const char *at = texts[i];
        uint64_t number = 0;
        assert_false(base_take_hexadecimal(&at, 4, &number));
    }
}
