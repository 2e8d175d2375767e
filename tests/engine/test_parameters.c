/* SPDX-License-Identifier: MIT */
/* Parameters of engines: defaults, text, and what is refused. */
#include "engine/engine.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <string.h>

typedef struct settings {
    double fit_bias;
    uint64_t size, shape;
    char file[BASE_MOST_PAIR];
} settings;

static const char *const shapes[] = {"round", "square", NULL};

static const base_field table[] = {
    {BASE_FIELD("fit-bias", BASE_REAL, settings, fit_bias), .initial = "0.05", .high = 1},
    {BASE_FIELD("size", BASE_NUMBER, settings, size), .initial = "100", .least = 2,
     .most = 1 << 20},
    {BASE_FIELD("shape", BASE_WORD, settings, shape), .initial = "square", .words = shapes},
    {BASE_FIELD("file", BASE_STRING, settings, file)},
    BASE_LAST_FIELD,
};

static void expect(const char *options, double fit_bias, uint64_t size, uint64_t shape,
                   const char *file) {
    settings s = {0};
    assert_int_equal(dir_parameters_read(table, "mole", options, &s, NULL), COL_OK);
    assert_true(s.fit_bias == fit_bias);
    assert_int_equal(s.size, size);
    assert_int_equal(s.shape, shape);
    assert_string_equal(s.file, file);
}

TEST(values_are_read_and_defaults_kept) {
    expect(NULL, 0.05, 100, 1, "");
    expect("", 0.05, 100, 1, "");
    expect("fit-bias=0.25", 0.25, 100, 1, "");
    expect("size=4Ki,shape=round", 0.05, 4096, 0, "");
    expect("file=a/b=c.json,size=2", 0.05, 2, 1, "a/b=c.json");
    expect("size=3,size=4", 0.05, 4, 1, ""); /* the last one counts */
    expect("fit-bias=1,", 1, 100, 1, "");
}

TEST(malformed_parameters_are_refused) {
    static const char *const refusals[][2] = {
        {"hole=1", "the engine mole has no parameter 'hole'; it has fit-bias, size, shape, file"},
        {"fit_bias=1", "has no parameter 'fit_bias'; did you mean 'fit-bias'?"},
        {"size", "written key=value, not 'size'"},
        {"=3", "written key=value, not '=3'"},
        {"size=1", "the parameter size is a number from 2 to 1048576, not '1'"},
        {"size=3.5", "not '3.5'"},
        {"size=-3", "not '-3'"},
        {"fit-bias=1.5", "the parameter fit-bias is a number from 0 to 1, not '1.5'"},
        {"fit-bias=x", "not 'x'"},
        {"fit-bias=0.5x", "not '0.5x'"},
        {"fit-bias=nan", "not 'nan'"},
        {"shape=oval", "the parameter shape is round or square, not 'oval'"},
        {"shape=", "not ''"},
    };
    settings s = {0};
    char longest[BASE_MOST_PAIR + 10];
    col_problem problem = {0};
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        assert_int_equal(dir_parameters_read(table, "mole", refusals[i][0], &s, &problem),
                         COL_BAD_INPUT);
        if (strstr(problem.message, refusals[i][1]) == NULL)
            fail_msg("'%s' does not say '%s'", problem.message, refusals[i][1]);
    }
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    memcpy(longest, "file=", 5);
    assert_int_equal(dir_parameters_read(table, "mole", longest, &s, &problem), COL_BAD_INPUT);
    assert_non_null(strstr(problem.message, "a parameter of an engine is shorter than 'file=xxx"));
    /* So many digits are beyond doubles; behind the point they are next to 1. */
    memset(longest, '9', sizeof longest);
    memcpy(longest, "fit-bias=", 9);
    longest[400] = '\0';
    assert_int_equal(dir_parameters_read(table, "mole", longest, &s, &problem), COL_BAD_INPUT);
    memcpy(longest, "fit-bias=0.", 11);
    expect(longest, 1, 100, 1, "");
}
