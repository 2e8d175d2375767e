/* SPDX-License-Identifier: MIT */
/* Parameters of engines: defaults, text, and what is refused. */
#include "direct/parameters.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <string.h>

typedef struct settings {
    double fit_bias;
    uint64_t size, shape;
    char file[DIR_MOST_TEXT];
} settings;

static const char *const shapes[] = {"round", "square", NULL};

static const dir_parameter table[] = {
    {DIR_PARAMETER(settings, fit_bias), .kind = DIR_REAL, .initial = 0.05, .least = 0, .most = 1},
    {DIR_PARAMETER(settings, size), .kind = DIR_WHOLE, .initial = 100, .least = 2, .most = 1 << 20},
    {DIR_PARAMETER(settings, shape), .kind = DIR_WORD, .initial = 1, .words = shapes},
    {DIR_PARAMETER(settings, file), .kind = DIR_TEXT},
    {.name = NULL},
};

static void expect(const char *options, double fit_bias, uint64_t size, uint64_t shape,
                   const char *file) {
    settings s;
    memset(&s, 0xa5, sizeof s);
    assert_int_equal(dir_parameters_read(table, "mole", options, &s, NULL), COL_OK);
    assert_true(s.fit_bias == fit_bias);
    assert_int_equal(s.size, size);
    assert_int_equal(s.shape, shape);
    assert_string_equal(s.file, file);
}

static void values_are_read_and_defaults_kept(void **state) {
    (void)state;
    expect(NULL, 0.05, 100, 1, "");
    expect("", 0.05, 100, 1, "");
    expect("fit-bias=0.25", 0.25, 100, 1, "");
    expect("size=4Ki,shape=round", 0.05, 4096, 0, "");
    expect("file=a/b=c.json,size=2", 0.05, 2, 1, "a/b=c.json");
    expect("size=3,size=4", 0.05, 4, 1, ""); /* the last one counts */
    expect("fit-bias=1,", 1, 100, 1, "");
}

static void malformed_parameters_are_refused(void **state) {
    static const char *const refusals[][2] = {
        {"hole=1", "the engine mole has no parameter 'hole'; it has: fit-bias, size, shape, file"},
        {"fit_bias=1", "has no parameter 'fit_bias'"},
        {"size", "written key=value, not 'size'"},
        {"=3", "has no parameter ''"},
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
    settings s;
    char longest[DIR_MOST_TEXT + 10];
    col_problem problem = {0};
    (void)state;
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
    assert_non_null(strstr(problem.message, "is too long"));
    /* So many digits are beyond doubles; behind the point they are next to 1. */
    memset(longest, '9', sizeof longest);
    memcpy(longest, "fit-bias=", 9);
    longest[400] = '\0';
    assert_int_equal(dir_parameters_read(table, "mole", longest, &s, &problem), COL_BAD_INPUT);
    memcpy(longest, "fit-bias=0.", 11);
    expect(longest, 1, 100, 1, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_read_and_defaults_kept),
        cmocka_unit_test(malformed_parameters_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
