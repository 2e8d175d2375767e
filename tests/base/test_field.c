/* SPDX-License-Identifier: MIT */
/*
 * Fields: random texts of each kind are read as a slow reader of one kind after another reads them,
 * whether they come as an option, as a pair of "key=value" or from YAML; what is refused leaves the
 * member alone, is refused in one sentence, and in YAML at the place of the value.
 */
#include "base/names.h"
#include "base/number.h"
#include "base/random.h"
#include "base/yaml.h"

#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct settings {
    double real, fraction, seconds, delay;
    uint64_t large;
    const char *text, *name, *file;
    base_said said;
    uint32_t number, power, range[2];
    int word;
    bool flag, truth, is_said;
    char string[8];
    base_place place;
    struct {
        uint32_t depth;
    } inner;
    uint32_t items[4], count;
} settings;

static const char *const words[] = {"red", "green", "blue", NULL};

static bool is_picture(const char *text) {
    return strchr(text, '.') != NULL;
}

static col_status add_item(const base_entry *entry, void *member) {
    static const base_field item = {
        .name = "items", .kind = BASE_NUMBER, .size = sizeof(uint32_t), .most = 9};
    settings *s = member;
    return base_yaml_value(entry, &item, &s->items[s->count++]);
}

static col_status check_depth(const base_entry *entry, void *member) {
    return *(uint32_t *)member == 3 ? base_refuse_value(entry, "the depth is not 3") : COL_OK;
}

static const base_field inner_fields[] = {
    {.name = "depth", .kind = BASE_NUMBER, .size = sizeof(uint32_t), .most = 9},
    BASE_LAST_FIELD,
};

#define FIELD(member, form) BASE_FIELD(#member, form, settings, member)
static const base_field fields[] = {
    {FIELD(text, BASE_TEXT)},
    {FIELD(string, BASE_STRING), .initial = "abc"},
    {FIELD(flag, BASE_FLAG)},
    {FIELD(truth, BASE_FLAG), .words = base_false_true},
    {FIELD(number, BASE_NUMBER), .initial = "0", .least = 2, .most = 5000,
     .is_said = offsetof(settings, is_said), .place = offsetof(settings, place)},
    {FIELD(large, BASE_NUMBER), .most = UINT64_MAX},
    {FIELD(said, BASE_NUMBER), .least = 1, .most = 64},
    {FIELD(power, BASE_POWER), .initial = "64", .least = 8, .most = 4096},
    {FIELD(real, BASE_REAL), .initial = "-1", .low = 0.5, .high = 10},
    {FIELD(fraction, BASE_FRACTION)},
    {FIELD(seconds, BASE_SECONDS), .initial = "1m", .high = 3600},
    {FIELD(delay, BASE_DELAY), .high = 3600},
    {FIELD(range, BASE_RANGE), .initial = "4:128", .most = 1000},
    {FIELD(word, BASE_WORD), .initial = "blue", .words = words, .is_file = is_picture,
     .file = offsetof(settings, file)},
    {FIELD(name, BASE_NAME), .words = words},
    {FIELD(inner, BASE_MAP), .fields = inner_fields, .what = "the inside", .read = check_depth},
    {.name = "items", .kind = BASE_ITEMS, .read = add_item},
    {.name = "more", .kind = BASE_ONE_OR_MORE, .read = add_item},
    BASE_LAST_FIELD,
};
enum { PLAIN_COUNT = sizeof fields / sizeof fields[0] - 4 };

/* ---- The slow reader: what a text means, as a sentence; "": nothing. */

static void say_number(const char *text, uint64_t least, uint64_t most, char *said) {
    char *end;
    const int base = strncmp(text, "0x", 2) == 0 ? 16 : 10;
    __uint128_t number = 0;
    said[0] = '\0';
    if (strspn(text, "0123456789") == 0 || (base == 16 && strlen(text) == 2))
        return;
    (void)strtoull(text, &end, base);
    for (const char *at = text + (base == 16 ? 2 : 0); at < end; at++) {
        const char digit[] = {*at, '\0'};
        number = number * (unsigned)base + strtoul(digit, NULL, base);
        if (number > (__uint128_t)UINT64_MAX << 1)
            return;
    }
    const int shift = strcmp(end, "Ki") == 0   ? 10
                      : strcmp(end, "Mi") == 0 ? 20
                      : strcmp(end, "Gi") == 0 ? 30
                                               : 0;
    if ((shift == 0 && *end != '\0') || number << shift > most || number << shift < least)
        return;
    (void)sprintf(said, "%llu", (unsigned long long)(number << shift));
}

static void say_decimal(const char *text, char *said) {
    const char *at = text + (*text == '-');
    const size_t whole = strspn(at, "0123456789");
    at += whole;
    const size_t part = *at == '.' ? strspn(at + 1, "0123456789") : 1;
    at += *at == '.' ? part + 1 : 0;
    said[0] = '\0';
    if (whole > 0 && part > 0 && *at == '\0')
        (void)sprintf(said, "%.17g", strtod(text, NULL));
}

static void say_word(const char *text, const char *const *list, char *said) {
    said[0] = '\0';
    for (int i = 0; list[i] != NULL; i++)
        if (strcmp(list[i], text) == 0)
            (void)sprintf(said, "%d", i);
}

static void say_range(const char *text, char *said) {
    char first[64], low[64], high[64];
    (void)snprintf(first, sizeof first, "%.*s", (int)strcspn(text, ":"), text);
    say_number(first, 1, 1000, low);
    say_number(strchr(text, ':') == NULL ? first : strchr(text, ':') + 1, 1, 1000, high);
    said[0] = '\0';
    if (low[0] != '\0' && high[0] != '\0' && atoi(low) <= atoi(high))
        (void)sprintf(said, "%s:%s", low, high);
}

static void say(const base_field *field, const char *text, char *said) {
    double seconds = 0;
    switch (field->kind) {
    case BASE_NUMBER:
    case BASE_POWER:
        say_number(text, field->least, field->most, said);
        for (int bit = 0; field->kind == BASE_POWER && said[0] != '\0'; bit++) {
            if (strtoull(said, NULL, 10) == 1ULL << bit) {
                (void)sprintf(said, "%d", bit);
                return;
            }
            if (bit == 63)
                said[0] = '\0';
        }
        return;
    case BASE_REAL:
    case BASE_FRACTION:
        say_decimal(text, said);
        if (said[0] != '\0' && field->kind == BASE_REAL &&
            !(atof(said) >= field->low && atof(said) <= field->high))
            said[0] = '\0';
        if (said[0] != '\0' && field->kind == BASE_FRACTION && !(atof(said) > 0 && atof(said) <= 1))
            said[0] = '\0';
        return;
    case BASE_SECONDS:
    case BASE_DELAY: /* durations have a test of their own */
        said[0] = '\0';
        if (base_duration_parse(text, &seconds) && seconds <= 3600 &&
            (seconds > 0 || field->kind == BASE_DELAY))
            (void)sprintf(said, "%.17g", seconds);
        return;
    case BASE_RANGE:
        say_range(text, said);
        return;
    case BASE_FLAG:
        say_word(text, field->words == NULL ? base_no_yes : field->words, said);
        return;
    case BASE_WORD:
        say_word(text, words, said);
        if (strchr(text, '.') != NULL)
            (void)sprintf(said, "-1 %s", text);
        return;
    case BASE_NAME:
        say_word(text, words, said);
        if (said[0] != '\0')
            (void)strcpy(said, text);
        return;
    default:
        (void)sprintf(said, "'%s'", field->kind == BASE_STRING && strlen(text) > 7 ? "" : text);
        if (field->kind == BASE_STRING && strlen(text) > 7)
            said[0] = '\0';
    }
}

/* What the member says now, in the same words. */
static void show(const base_field *field, const settings *s, char *said) {
    const void *member = (const char *)s + field->offset;
    switch (field->kind) {
    case BASE_NUMBER:
    case BASE_POWER:
        (void)sprintf(said, "%llu",
                      field->size == sizeof(uint32_t) ? *(const uint32_t *)member
                      : field->size == sizeof(uint64_t)
                          ? (unsigned long long)*(const uint64_t *)member
                          : (unsigned long long)((const base_said *)member)->value);
        return;
    case BASE_REAL:
    case BASE_FRACTION:
    case BASE_SECONDS:
    case BASE_DELAY:
        (void)sprintf(said, "%.17g", *(const double *)member);
        return;
    case BASE_RANGE:
        (void)sprintf(said, "%u:%u", s->range[0], s->range[1]);
        return;
    case BASE_FLAG:
        (void)sprintf(said, "%d", *(const bool *)member);
        return;
    case BASE_WORD:
        (void)sprintf(said, s->file == NULL ? "%d" : "%d %s", s->word, s->file);
        return;
    case BASE_NAME:
        (void)strcpy(said, s->name);
        return;
    default:
        (void)sprintf(said, "'%s'", field->kind == BASE_STRING ? s->string : s->text);
    }
}

/* ---- Random texts, most of them close to one that is taken. */

static void make_text(base_rng *rng, char *text) {
    static const char *const texts[] = {"0",
                                        "1",
                                        "2",
                                        "16",
                                        "64",
                                        "4999",
                                        "5000",
                                        "5001",
                                        "0x40",
                                        "4Ki",
                                        "1Mi",
                                        "16Gi",
                                        "yes",
                                        "true",
                                        "red",
                                        "bue",
                                        "0.5",
                                        "1.0",
                                        "9.75",
                                        "1:2",
                                        "4:128",
                                        "7:5",
                                        "90s",
                                        "1h30m",
                                        "2m",
                                        "-1",
                                        "-",
                                        "a.b",
                                        ".",
                                        "Ki",
                                        "0x",
                                        "abcdefg",
                                        "18446744073709551615",
                                        "18446744073709551616"};
    static const char letters[] = "0123456789:.xKimrednogs-";
    (void)strcpy(text, texts[base_rng_below(rng, sizeof texts / sizeof texts[0])]);
    for (uint64_t slips = base_rng_below(rng, 3); slips > 0; slips--) {
        const size_t length = strlen(text), at = (size_t)base_rng_below(rng, length + 1);
        const char letter = letters[base_rng_below(rng, sizeof letters - 1)];
        if (at == length || length < 2) {
            text[length] = letter;
            text[length + 1] = '\0';
        } else if (base_rng_below(rng, 2) == 0) {
            text[at] = letter;
        } else {
            memmove(text + at, text + at + 1, length - at);
        }
    }
}

/* ---- The three ways to a member. */

static col_status take_pair(void *context, const char *key, const char *value,
                            col_problem *problem) {
    return base_field_read(base_field_find(fields, key), value, "", context, problem);
}

static col_status read_pair(const base_field *field, const char *text, settings *s,
                            col_problem *problem) {
    char pair[200];
    (void)snprintf(pair, sizeof pair, "%s=%s", field->name, text);
    return base_pairs_read(pair, "a pair", take_pair, s, problem);
}

static col_status read_yaml(const char *text, settings *s, col_problem *problem) {
    base_yaml yaml;
    col_status status = base_yaml_read(&yaml, text, strlen(text), "f.yaml", problem);
    assert_int_equal(status, COL_OK);
    status = base_yaml_map(&yaml, base_yaml_root(&yaml), "a thing", fields, s);
    base_yaml_free(&yaml);
    return status;
}

static void try_text(const base_field *field, const char *text) {
    char expected[100], found[100], document[200];
    say(field, text, expected);
    const col_status wanted = expected[0] == '\0' ? COL_BAD_INPUT : COL_OK;
    for (int way = 0; way < 3; way++) {
        settings s = {.text = "", .name = "", .said = {.value = 77}}, before = s;
        col_problem problem = {.message = ""};
        (void)snprintf(document, sizeof document, "# one\n%s: \"%s\"\n", field->name, text);
        if (way > 0 && (field->kind == BASE_TEXT || expected[0] == '-'))
            continue; /* it would last no longer than the pair or the document */
        const col_status status = way == 0   ? base_field_read(field, text, "--", &s, &problem)
                                  : way == 1 ? read_pair(field, text, &s, &problem)
                                             : read_yaml(document, &s, &problem);
        if (status != wanted)
            fail_msg("%s of '%s': %d, %s", field->name, text, (int)status, problem.message);
        show(field, wanted == COL_OK ? &s : &before, expected);
        show(field, &s, found);
        if (wanted == COL_OK)
            say(field, text, expected);
        if (strcmp(expected, found) != 0)
            fail_msg("%s of '%s' is %s, not %s", field->name, text, found, expected);
        if (wanted == COL_OK)
            continue;
        (void)snprintf(found, sizeof found, "%s%s ", way == 0 ? "--" : "", field->name);
        assert_int_equal(strncmp(problem.message, found, strlen(found)), 0);
        (void)snprintf(found, sizeof found, "'%s'", text);
        if (field->kind != BASE_STRING)
            assert_non_null(strstr(problem.message, found));
        assert_int_equal(problem.line, way == 2 ? 2 : 0);
        assert_int_equal(problem.column, way == 2 ? strlen(field->name) + 3 : 0);
    }
}

TEST(texts_are_read_as_a_slow_reader_reads_them) {
    base_rng rng;
    base_rng_seed(&rng, 46, 0);
    for (int i = 0; i < 40000; i++) {
        char text[64];
        make_text(&rng, text);
        try_text(&fields[base_rng_below(&rng, PLAIN_COUNT)], text);
    }
}

/* A spelling means the same, and is its own spelling. */
TEST(a_spelling_means_the_same) {
    base_rng rng;
    base_rng_seed(&rng, 47, 0);
    for (int i = 0; i < 20000; i++) {
        const base_field *field = &fields[base_rng_below(&rng, PLAIN_COUNT)];
        char text[64], first[100], second[100];
        make_text(&rng, text);
        say(field, text, first);
        if (first[0] == '\0')
            continue;
        base_text spelling = {0}, again = {0};
        base_field_spell(field, text, &spelling);
        base_field_spell(field, spelling.data == NULL ? "" : spelling.data, &again);
        say(field, spelling.data == NULL ? "" : spelling.data, second);
        assert_string_equal(first, second);
        assert_string_equal(spelling.data == NULL ? "" : spelling.data,
                            again.data == NULL ? "" : again.data);
        base_text_free(&spelling);
        base_text_free(&again);
    }
}

TEST(defaults_are_set_whatever_their_range) {
    settings s = {.number = 9, .large = 9};
    base_fields_default(fields, &s);
    assert_int_equal(s.number, 0);
    assert_false(s.is_said);
    assert_int_equal(s.large, 9);
    assert_int_equal(s.power, 6);
    assert_true(s.real == -1 && s.seconds == 60);
    assert_int_equal(s.range[0] * 1000 + s.range[1], 4128);
    assert_int_equal(s.word, 2);
    assert_string_equal(s.string, "abc");
}

TEST(refusals_say_what_is_taken) {
    static const char *const refusals[][3] = {
        {"number", "1", "--number is a number from 2 to 5000, not '1'"},
        {"power", "63", "--power is a power of two from 8 to 4096, not '63'"},
        {"real", "11", "--real is a number from 0.5 to 10, not '11'"},
        {"fraction", "90%", "--fraction is a number such as 0.9, not '90%'"},
        {"seconds", "0", "--seconds is a duration such as 90, 90s, 2m or 1h30m, not '0'"},
        {"range", "0", "--range is a number up to 1000 or a range such as 4:128, not '0'"},
        {"word", "pink", "--word is red, green or blue, not 'pink'"},
        {"word", "geren", "--word does not take 'geren'; did you mean 'green'?"},
        {"name", "pink.png", "--name is red, green or blue, not 'pink.png'"},
        {"flag", "maybe", "--flag is no or yes, not 'maybe'"},
        {"string", "abcdefgh", "--string is a text of 1 to 7 bytes"},
    };
    settings s = {0};
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        col_problem problem = {.message = ""};
        assert_int_equal(base_field_read(base_field_find(fields, refusals[i][0]), refusals[i][1],
                                         "--", &s, &problem),
                         COL_BAD_INPUT);
        assert_string_equal(problem.message, refusals[i][2]);
    }
}

TEST(yaml_is_refused_at_its_place) {
    static const struct {
        const char *text;
        uint32_t line, column;
        const char *says;
    } refusals[] = {
        {"number: 3\nnumbr: 4", 2, 1, "a thing has no key 'numbr'; did you mean 'number'?"},
        {"colour: 4", 1, 1, "a thing has no key 'colour'; it has text, string, flag"},
        {"number: [3]", 1, 9, "number is a number from 2 to 5000, not 'a list'"},
        {"word: {a: b}", 1, 7, "word is red, green or blue, not 'a map'"},
        {"string: ''", 1, 9, "string is a text of 1 to 7 bytes"},
        {"truth: yes", 1, 8, "truth is false or true, not 'yes'"},
        {"inner: 3", 1, 8, "the inside is a map"},
        {"inner: {depth: 10}", 1, 16, "depth is a number from 0 to 9, not '10'"},
        {"inner: {depht: 1}", 1, 9, "the inside has no key 'depht'; did you mean 'depth'?"},
        {"inner:\n  depth: 3", 2, 3, "the depth is not 3"},
        {"items: 3", 1, 8, "items is a list"},
        {"items: [3, 12]", 1, 12, "items is a number from 0 to 9, not '12'"},
        {"more: x", 1, 7, "items is a number from 0 to 9, not 'x'"},
        {"flag: no\nflag: yes", 2, 1, "a thing says 'flag' twice"},
    };
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        settings s = {0};
        col_problem problem = {.message = ""};
        assert_int_equal(read_yaml(refusals[i].text, &s, &problem), COL_BAD_INPUT);
        if (strstr(problem.message, refusals[i].says) != problem.message)
            fail_msg("'%s' is not '%s'", problem.message, refusals[i].says);
        assert_int_equal(problem.line, refusals[i].line);
        assert_int_equal(problem.column, refusals[i].column);
    }
}

TEST(yaml_is_read_with_its_places) {
    settings s = {0};
    col_problem problem = {.message = ""};
    assert_int_equal(read_yaml("flag: yes\nnumber: 0x10\ninner: {depth: 4}\nitems: [1, 2]\nmore: 3",
                               &s, &problem),
                     COL_OK);
    assert_true(s.flag && s.is_said);
    assert_int_equal(s.number, 16);
    assert_int_equal(s.place.line * 100 + s.place.column, 209);
    assert_int_equal(s.inner.depth, 4);
    assert_int_equal(s.count, 3);
    assert_int_equal(s.items[0] * 100 + s.items[1] * 10 + s.items[2], 123);
}

TEST(pairs_are_split_and_refused) {
    settings s = {0};
    col_problem problem = {.message = ""};
    char longest[2 * BASE_MOST_PAIR];
    assert_int_equal(base_pairs_read(NULL, "a pair", take_pair, &s, &problem), COL_OK);
    assert_int_equal(
        base_pairs_read("number=3,number=4,string=a=b,", "a pair", take_pair, &s, &problem),
        COL_OK);
    assert_int_equal(s.number, 4);
    assert_string_equal(s.string, "a=b");
    assert_int_equal(base_pairs_read("number", "a pair", take_pair, &s, &problem), COL_BAD_INPUT);
    assert_string_equal(problem.message, "a pair is written key=value, not 'number'");
    for (size_t length = BASE_MOST_PAIR - 1; length <= BASE_MOST_PAIR; length++) {
        memset(longest, 'x', length);
        memcpy(longest, "text=", 5);
        longest[length] = '\0';
        assert_int_equal(base_pairs_read(longest, "a pair", take_pair, &s, &problem),
                         length < BASE_MOST_PAIR ? COL_OK : COL_BAD_INPUT);
    }
    assert_int_equal(strncmp(problem.message, "a pair is shorter than 'text=xxx", 32), 0);
}

TEST(help_names_words_and_default) {
    base_text help = {0};
    const base_field field = {.name = "x", .help = "%s: colours", .words = words, .initial = "red"};
    base_field_help(&field, &help);
    assert_string_equal(help.data, "red, green or blue: colours [red]");
    base_text_free(&help);
}
