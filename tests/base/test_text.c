/* SPDX-License-Identifier: MIT */
/* A text grows to exactly what was added, and remembers that it could not. Sentences that fit stay
 * as they are; others end with a whole word and an ellipsis. */
#include "base/random.h"
#include "base/text.h"
#include "harness.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Adds the bytes to the text in one of three ways that must come to the same. */
static void add_somehow(base_rng *rng, base_text *text, const char *bytes, size_t count) {
    switch (base_rng_below(rng, 3)) {
    case 0:
        base_text_add_bytes(text, bytes, count);
        break;
    case 1:
        base_text_add(text, bytes);
        break;
    default:
        base_text_print(text, "%s", bytes);
    }
}

TEST(texts_are_what_was_added) {
    enum { MOST = 1 << 17 };
    static char expected[MOST];
    for (uint64_t test = 0; test < 50; test++) {
        base_rng rng;
        base_rng_seed(&rng, 1, test);
        base_text text = {0};
        size_t length = 0;
        for (int step = 0; step < 200; step++) {
            char piece[600];
            const size_t count = base_rng_below(&rng, base_rng_below(&rng, 4) == 0 ? 600 : 8);
            for (size_t i = 0; i < count; i++)
                piece[i] = (char)('!' + base_rng_below(&rng, 90));
            piece[count] = '\0';
            assert_true(length + count <= MOST);
            memcpy(expected + length, piece, count);
            length += count;
            add_somehow(&rng, &text, piece, count);
            assert_int_equal(text.length, length);
            if (length > 0) {
                assert_memory_equal(text.data, expected, length);
                assert_int_equal(text.data[length], '\0');
            }
        }
        assert_int_equal(base_text_status(&text, NULL), COL_OK);
        base_text_free(&text);
        assert_null(text.data);
        assert_int_equal(text.length, 0);
    }
}

/* Random words in random lines: nothing is lost, no line that could be shorter is too long. */
TEST(wrapped_lines_fit_and_lose_nothing) {
    enum { MOST = 600, WIDTH = 20 };
    for (uint64_t test = 0; test < 2000; test++) {
        char words[MOST + 1], back[2 * MOST];
        base_rng rng;
        base_text text = {0};
        size_t at = 0;
        base_rng_seed(&rng, 2, test);
        const size_t length = 1 + base_rng_below(&rng, MOST - 1);
        for (size_t i = 0; i < length; i++) { /* words are apart by one blank or line */
            const bool ends = i > 0 && i + 1 < length && words[i - 1] != ' ' &&
                              words[i - 1] != '\n' && base_rng_below(&rng, 8) == 0;
            const char *from = ends ? "    \n" : "abcdefghijklmnopqrstuvwxyz";
            words[i] = from[base_rng_below(&rng, strlen(from))];
        }
        words[length] = '\0';
        base_text_add_wrapped(&text, words, WIDTH, "  ");
        assert_int_equal(text.data[text.length - 1], '\n');
        for (char *line = strtok(text.data, "\n"); line != NULL; line = strtok(NULL, "\n")) {
            const bool goes_on = line[0] == ' ';
            const char *own = line + (goes_on ? 2 : 0);
            assert_true(strlen(line) <= WIDTH || strchr(own, ' ') == NULL);
            at += (size_t)snprintf(back + at, sizeof back - at, "%s%s",
                                   at == 0   ? ""
                                   : goes_on ? " "
                                             : "\n",
                                   own);
        }
        assert_string_equal(back, words);
        base_text_free(&text);
    }
}

TEST(bytes_may_be_zero) {
    base_text text = {0};
    base_text_add_bytes(&text, "a\0b", 3);
    base_text_add(&text, "c");
    assert_int_equal(text.length, 4);
    assert_memory_equal(text.data, "a\0bc", 5);
    base_text_free(&text);
}

static void assert_number(uint64_t number) {
    char expected[32];
    (void)snprintf(expected, sizeof expected, "n%" PRIu64, number);
    base_text text = {0};
    base_text_add(&text, "n");
    base_text_number(&text, number);
    assert_string_equal(text.data, expected);
    assert_int_equal(text.length, strlen(expected));
    base_text_free(&text);
}

TEST(numbers_are_decimal) {
    base_rng rng;
    base_rng_seed(&rng, 2, 0);
    for (uint64_t power = 1, digits = 1; digits <= 20; digits++, power *= 10) {
        assert_number(power - 1);
        assert_number(power);
    }
    assert_number(UINT64_MAX);
    for (int i = 0; i < 20000; i++)
        assert_number(base_rng_next(&rng) >> base_rng_below(&rng, 64));
}

/* After a failure nothing is added, so that no text with a hole in it passes for whole. */
TEST(failure_is_remembered) {
    base_text text = {0};
    base_text_add(&text, "before");
    base_text_add_bytes(&text, "", SIZE_MAX / 2); /* more than there can be: nothing is copied */
    base_text_add(&text, "after");
    base_text_number(&text, 7);
    base_text_print(&text, "%d", 8);
    col_problem problem;
    assert_int_equal(base_text_status(&text, &problem), COL_FAILURE);
    assert_non_null(strstr(problem.message, "out of memory"));
    assert_string_equal(text.data, "before");
    assert_int_equal(text.length, 6);

    base_text_free(&text);
    base_text_add(&text, "again");
    assert_int_equal(base_text_status(&text, &problem), COL_OK);
    assert_string_equal(text.data, "again");
    base_text_free(&text);
}

TEST(a_byte_order_mark_is_skipped) {
    static const char marked[] = "\xef\xbb\xbf"
                                 "a";
    size_t length = 4;
    assert_ptr_equal(base_skip_bom(marked, &length), marked + 3);
    assert_int_equal(length, 1);
    length = 2;
    assert_ptr_equal(base_skip_bom(marked, &length), marked); /* half of one is none */
    assert_int_equal(length, 2);
    length = 0;
    assert_string_equal(base_skip_bom(NULL, &length), "");
}

TEST(utf8_is_recognised) {
    assert_true(base_is_utf8("a\xc3\xa9\xf0\x9f\x98\x80"));
    assert_false(base_is_utf8("a\xe9"));
    assert_false(base_is_utf8("\xc0\x80"));
}

static void assert_printable(const char *text, bool keeps_lines, const char *expected) {
    char copy[64];
    (void)snprintf(copy, sizeof copy, "%s", text);
    base_make_printable(copy, keeps_lines);
    assert_string_equal(copy, expected);
}

TEST(terminal_escapes_are_not_printed) {
    assert_printable("\x1b[2J\a\b\r\x7f|", true, "?[2J????|");
    assert_printable("a\n\tb", true, "a\n\tb");
    assert_printable("a\n\tb", false, "a??b");
    assert_printable("\xc2\x9b"
                     "31m \xc2\x80 \xc2\x9f",
                     false, "??31m ?? ??"); /* C1 */
    assert_printable("\x9b"
                     "31m \xff",
                     false, "?31m ?"); /* of 8 bits */
    assert_printable("\xc2\xa0 gr\xc3\xbc\xc3\x9f \xe2\x86\x92", false,
                     "\xc2\xa0 gr\xc3\xbc\xc3\x9f \xe2\x86\x92");
}

TEST(printing_is_printable) {
    char text[5000], read[6000] = "";
    FILE *stream = tmpfile();
    assert_non_null(stream);
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    text[4000] = '\x1b';
    base_print(stream, "%s\n", "short \x1b[31m");
    base_print(stream, "%s %d\n", text, 7);
    rewind(stream);
    const size_t length = fread(read, 1, sizeof read - 1, stream);
    (void)fclose(stream);
    text[4000] = '?';
    assert_int_equal(length, strlen("short ?[31m\n") + sizeof text - 1 + strlen(" 7\n"));
    assert_memory_equal(read, "short ?[31m\n", 12);
    assert_memory_equal(read + 12, text, sizeof text - 1);
    assert_string_equal(read + 12 + sizeof text - 1, " 7\n");
    assert_false(base_print_failed());
}

TEST(words_are_quoted_for_the_shell) {
    static const char *const cases[][2] = {{"results.db", "results.db"},
                                           {"my results.db", "'my results.db'"},
                                           {"it's", "'it'\\''s'"},
                                           {"$(rm)", "'$(rm)'"},
                                           {"", "''"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        base_text text = {0};
        base_text_add_shell(&text, cases[i][0]);
        assert_string_equal(text.data, cases[i][1]);
        base_text_free(&text);
    }
}

/* ---- Sentences. */

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

TEST(long_sentences_end_with_a_whole_word) {
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char field[64];
        memset(field, '#', sizeof field);
        base_sentence(field, cases[i].size, "%s", cases[i].text);
        assert_string_equal(field, cases[i].expected);
        assert_int_equal(field[cases[i].size], '#');
    }
}

TEST(errors_end_with_a_whole_word) {
    char text[1024] = "";
    col_problem problem;
    while (strlen(text) < 900)
        (void)strcat(text, "elephant ");
    assert_int_equal(base_refuse(&problem, "%s", text), COL_BAD_INPUT);
    const size_t length = strlen(problem.message);
    assert_true(length > 490 && length < sizeof problem.message);
    assert_string_equal(problem.message + length - strlen("elephant…"), "elephant…");
}

TEST(large_counts_are_grouped_by_thousands) {
    static const struct {
        uint64_t number;
        const char *text;
    } counts[] = {{0, "0"},
                  {7, "7"},
                  {999, "999"},
                  {1000, "1,000"},
                  {6381, "6,381"},
                  {1048576, "1,048,576"},
                  {UINT64_MAX, "18,446,744,073,709,551,615"}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        base_text text = {0};
        base_text_count(&text, counts[i].number);
        assert_string_equal(text.data, counts[i].text);
        base_text_free(&text);
    }
}
