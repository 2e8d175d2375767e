/* SPDX-License-Identifier: MIT */
/* The table of the kinds of designs: which kind a name is of, and what follows from it. */
#include "design/design_kind.h"

#include "watch.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <string.h>

static const struct {
    const char *design, *form;
    bool is_file, is_code, has_protocol;
} cases[] = {
    {"mesi2", "NAME", false, false, true},
    {"mesi2.old", "NAME", false, false, true}, /* a dot does not make a file */
    {"folder/mesi2", "NAME", false, false, true},
    {".so", "NAME", false, false, true}, /* nor does an ending alone */
    {"", "NAME", false, false, true},
    {"mine.yaml", "FILE.yaml", true, false, true},
    {"mine.yml", "FILE.yaml", true, false, true},
    {"a/mine.slicc", "FILE.slicc, FILE.sm", true, false, true},
    {"mine.sm", "FILE.slicc, FILE.sm", true, false, true},
    {"./mine.so", "FILE.so", true, true, false},
    {"mine.yaml.so", "FILE.so", true, true, false},
    {"serve:./mine.so", "serve:COMMAND", false, true, false},
    {"serve:", "serve:COMMAND", false, true, false},
    {"serve", "NAME", false, false, true},
    {TEST_DATA "/verilog/flat.yaml", "FILE.yaml", true, true, false}, /* which says so */
};

TEST(a_name_is_of_one_kind) {
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const duv_kind *kind = duv_kind_of(cases[i].design);
        if (strcmp(kind->form, cases[i].form) != 0 || kind->is_file != cases[i].is_file ||
            kind->is_code != cases[i].is_code || kind->has_protocol != cases[i].has_protocol)
            fail_msg("'%s' is taken for %s", cases[i].design, kind->name);
    }
}

TEST(every_kind_is_recognised_identified_and_opened) {
    for (const duv_kind *kind = duv_kinds; kind->name != NULL; kind++) {
        assert_true(kind->name != NULL && kind->form != NULL && kind->summary != NULL);
        assert_true(kind->opens != NULL && kind->identify != NULL);
        assert_int_equal(kind->interface == NULL, kind->load != NULL);
        assert_int_equal(kind->load != NULL, kind->unload != NULL);
    }
}

TEST(an_error_is_a_file_or_an_id) {
    assert_true(duv_error_is_file("a/mine.yaml"));
    assert_false(duv_error_is_file("E.5.3"));
    assert_false(duv_error_is_file("LQ+no-TSO"));
    assert_false(duv_error_is_file(".yaml"));
}

TEST(errors_and_mutants_of_plugins_are_refused) {
    const col_duv_settings wrong = {.error = "D9"}, mutant = {.mutant = 1};
    const char *refusal = "design errors and mutants are for the built-in simulator; a plug-in may "
                          "have options for its own";
    col_duv *duv;
    col_problem problem;
    assert_int_equal(col_duv_open(&duv, toy_path(), &wrong, &problem), COL_BAD_INPUT);
    assert_string_equal(problem.message, refusal);
    assert_int_equal(col_duv_open(&duv, toy_path(), &mutant, &problem), COL_BAD_INPUT);
    assert_string_equal(problem.message, refusal);
    assert_null(duv);
}
