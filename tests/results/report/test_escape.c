/* SPDX-License-Identifier: MIT */
/* Any bytes as a text, and any number, come out of every format as they went in. */
#include "base/random.h"
#include "harness.h"
#include "results/report/report_escape.h"
#include "results/report/writers_sample.h"

#include <jansson.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef REDUCED
enum { ROUNDS = 3000 };
#else
enum { ROUNDS = 30000 };
#endif

/* ---- Numbers. */

static double any_number(base_rng *rng) {
    union {
        uint64_t bits;
        double number;
    } any = {.bits = base_rng_next(rng)};
    switch (base_rng_below(rng, 4)) {
    case 0:
        return any.number;
    case 1:
        return (double)base_rng_below(rng, 100000) / 1000;
    case 2:
        return -(double)base_rng_below(rng, 1000000000000);
    default:
        return (double)base_rng_below(rng, 1000) * pow(10, (double)base_rng_below(rng, 40) - 20);
    }
}

static size_t digits_of(const char *number) {
    size_t count = 0, zeros = 0;
    bool leads = true;
    for (; *number != '\0' && *number != 'e'; number++)
        if (*number >= '0' && *number <= '9') {
            leads = leads && *number == '0';
            count += !leads;
            zeros = *number == '0' ? zeros + 1 : 0;
        }
    return count > zeros ? count - zeros : count;
}

TEST(numbers_read_back_and_are_short) {
    base_rng rng;
    base_rng_seed(&rng, 1, 1);
    for (int round = 0; round < ROUNDS; round++) {
        const double number = any_number(&rng);
        base_text text = {0};
        rep_number(&text, number);
        if (!isfinite(number)) {
            assert_int_equal(text.length, 0);
            continue;
        }
        char shorter[400];
        assert_true(strtod(text.data, NULL) == number);
        const int digits = (int)digits_of(text.data);
        assert_true(digits <= 17);
        if (digits > 1) {
            (void)snprintf(shorter, sizeof shorter, "%.*g", digits - 1, number);
            assert_true(strtod(shorter, NULL) != number);
        }
        base_text_free(&text);
    }
}

TEST(numbers_are_plain) {
    static const struct {
        double number;
        const char *text;
    } cases[] = {{0, "0"},
                 {-0.0, "0"},
                 {0.1, "0.1"},
                 {200000000, "200000000"},
                 {-7, "-7"},
                 {1.0 / 3, "0.3333333333333333"},
                 {1e15, "1e+15"},
                 {3e300, "3e+300"},
                 {5e-324, "4.94065645841247e-324"},
                 {NAN, ""},
                 {INFINITY, ""}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        base_text text = {0};
        rep_number(&text, cases[i].number);
        assert_string_equal(text.data == NULL ? "" : text.data, cases[i].text);
        base_text_free(&text);
    }
}

/* With a locale that has a comma for the point, if the machine has one. */
TEST(the_decimal_point_does_not_depend_on_the_locale) {
    static const char *const locales[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "es_ES.UTF-8"};
    for (size_t i = 0; i < sizeof locales / sizeof locales[0]; i++)
        if (setlocale(LC_NUMERIC, locales[i]) != NULL)
            break;
    base_text text = {0};
    rep_number(&text, 2.5);
    (void)setlocale(LC_NUMERIC, "C");
    assert_string_equal(text.data, "2.5");
    base_text_free(&text);
}

/* ---- Texts. */

/* Bytes that formats care for, and any others; never empty. */
static void any_text(base_rng *rng, char *text, size_t size) {
    static const char special[] = "<>&\"'\n\r\t,|\\ ]*_`\x01\x7F\xC3\xA9\xE2\x86\x92\xFF";
    const size_t length = 1 + base_rng_below(rng, size - 1);
    for (size_t i = 0; i < length; i++)
        text[i] =
            (char)(base_rng_below(rng, 3) == 0 ? (int)(1 + base_rng_below(rng, 255))
                                               : special[base_rng_below(rng, sizeof special - 1)]);
    text[length] = '\0';
}

TEST(xml_is_well_formed) {
    base_rng rng;
    base_rng_seed(&rng, 1, 2);
    for (int round = 0; round < ROUNDS / 10; round++) {
        char string[64];
        base_text text = {0};
        any_text(&rng, string, sizeof string - 1);
        base_text_add(&text, "<a b=\"");
        rep_xml_attribute(&text, string);
        base_text_add(&text, "\">");
        rep_xml(&text, string);
        base_text_add(&text, "</a>");
        assert_well_formed(&text);
        base_text_free(&text);
    }
}

TEST(json_reads_back) {
    base_rng rng;
    base_rng_seed(&rng, 1, 3);
    for (int round = 0; round < ROUNDS / 10; round++) {
        char string[64];
        base_text text = {0};
        any_text(&rng, string, sizeof string - 1);
        rep_json_string(&text, string);
        assert_null(strpbrk(text.data, "<>&"));
        json_t *value = json_loads(text.data, JSON_DECODE_ANY, NULL);
        assert_non_null(value);
        base_clean_utf8(string);
        assert_string_equal(json_string_value(value), string);
        json_decref(value);
        base_text_free(&text);
    }
}

/* What is left of a text: no control characters, and no formula. */
static void expect_csv(const char *string, char *field) {
    const unsigned char *at = (const unsigned char *)string;
    char kept[64];
    size_t length = 0;
    for (; *at != '\0'; at++) {
        const bool is_c1 = at[0] == 0xC2 && at[1] < 0xA0;
        if ((*at >= ' ' && *at != 0x7F && !is_c1) || *at == '\n' || *at == '\t')
            kept[length++] = (char)*at;
        at += is_c1;
    }
    kept[length] = '\0';
    char *end;
    const bool is_sign = length > 0 && strchr("+-", kept[0]) != NULL;
    const bool is_number = is_sign && strtod(kept, &end) != 0 && *end == '\0';
    const bool is_formula = length > 0 && strchr("=+-@\t", kept[0]) != NULL && !is_number;
    (void)snprintf(field, 65, "%s%s", is_formula ? "'" : "", kept);
}

TEST(spreadsheet_formulas_are_written_as_text) {
    static const char *const cells[][2] = {{"=1+1", "'=1+1"},
                                           {"@SUM(A1)", "'@SUM(A1)"},
                                           {"+1-cmd|' /C calc'!A0", "'+1-cmd|' /C calc'!A0"},
                                           {"-2+3", "'-2+3"},
                                           {"-", "'-"},
                                           {"-1.5", "-1.5"},
                                           {"+12", "+12"},
                                           {"-1e-9", "-1e-9"},
                                           {"-1e", "'-1e"},
                                           {"\r=1", "'=1"},
                                           {"\x01\x7f\xc2\x9b=1", "'=1"},
                                           {"\t=1", "\"'\t=1\""},
                                           {"=a,b", "\"'=a,b\""},
                                           {"a=b", "a=b"}};
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
        base_text text = {0};
        rep_csv(&text, cells[i][0]);
        assert_string_equal(text.data, cells[i][1]);
        base_text_free(&text);
    }
}

TEST(csv_reads_back) {
    base_rng rng;
    base_rng_seed(&rng, 1, 4);
    for (int round = 0; round < ROUNDS / 10; round++) {
        char string[64], field[65], expected[65];
        base_text text = {0};
        any_text(&rng, string, sizeof string - 1);
        rep_csv(&text, string);
        const char *end = read_csv_field(text.data == NULL ? "" : text.data, field, sizeof field);
        assert_int_equal(*end, '\0');
        base_clean_utf8(string);
        expect_csv(string, expected);
        assert_string_equal(field, expected);
        base_text_free(&text);
    }
}

/* Nothing in a cell is markup: every character that could be is behind a backslash or an entity. */
TEST(markdown_is_text) {
    base_rng rng;
    base_rng_seed(&rng, 1, 5);
    for (int round = 0; round < ROUNDS / 10; round++) {
        char string[64];
        base_text text = {0};
        any_text(&rng, string, sizeof string - 1);
        rep_markdown(&text, string);
        for (const char *at = text.data == NULL ? "" : text.data; *at != '\0'; at++) {
            if (strncmp(at, "<br>", 4) == 0) {
                at += 3;
                continue;
            }
            assert_null(strchr("|*_`[]<>\n", *at));
            if (*at == '\\')
                at++;
        }
        base_text_free(&text);
    }
}

TEST(file_names_are_safe) {
    static const char *const cases[][2] = {{"time-to-error", "time-to-error"},
                                           {"../Odd Name!", "odd-name"},
                                           {"", "unnamed"},
                                           {"///", "unnamed"},
                                           {"E.4.2 / mesi3", "e.4.2-mesi3"}};
    base_rng rng;
    base_rng_seed(&rng, 1, 6);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        base_text text = {0};
        rep_file_name(&text, cases[i][0]);
        assert_string_equal(text.data, cases[i][1]);
        base_text_free(&text);
    }
    for (int round = 0; round < ROUNDS / 10; round++) {
        char string[200];
        base_text text = {0};
        any_text(&rng, string, sizeof string - 1);
        rep_file_name(&text, string);
        assert_true(text.length > 0 && text.length <= 82 && text.data[0] != '.');
        assert_int_equal(strspn(text.data, "abcdefghijklmnopqrstuvwxyz0123456789._-"), text.length);
        base_text_free(&text);
    }
}
