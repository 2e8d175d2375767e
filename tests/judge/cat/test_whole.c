/* SPDX-License-Identifier: MIT */
/*
 * A model as one text says what the model says: with files in place of those that include them, and
 * without reading any file.
 */
#include "judge/cat/cat_judge.h"
#include "judge/cat/cat_model.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/collider-whole-XXXXXX";
static char start[4096];
static const cat_sources none = {0}, whole = {.is_whole = true};

/* Files are beside each other, and beside the tests that run. */
static int begin(void **state) {
    return getcwd(start, sizeof start) == NULL || mkdtemp(folder) == NULL || chdir(folder) != 0;
}

static int end(void **state) {
    char command[64];
    (void)snprintf(command, sizeof command, "rm -rf %s", folder);
    return chdir(start) != 0 ||
           system(command) != 0; /* NOLINT(concurrency-mt-unsafe,cert-env33-c) */
}

static void put(const char *name, const char *text) {
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void take(const char *name, base_text *text) {
    col_problem problem = {0};
    if (cat_whole(text, name, &none, &problem) != COL_OK)
        fail_msg("%s:%u:%u: %s", problem.file, problem.line, problem.column, problem.message);
}

/* The text says the same when the files are gone, at the same lines. */
static void assert_same(const char *name, const char *const *files) {
    cat_model model, again;
    base_text text = {0};
    col_problem problem = {0};
    assert_int_equal(cat_model_read_file(&model, name, &none, &problem), COL_OK);
    take(name, &text);
    for (; *files != NULL; files++)
        (void)remove(*files);
    if (cat_model_read(&again, text.data, text.length, name, &whole, &problem) != COL_OK)
        fail_msg("%u:%u: %s\n%s", problem.line, problem.column, problem.message, text.data);
    assert_true(again.digest == model.digest);
    assert_int_equal(again.finds_dependencies, model.finds_dependencies);
    assert_int_equal(again.check_count, model.check_count);
    for (size_t i = 0; i < model.check_count; i++)
        assert_int_equal(again.checks[i].place.line, model.checks[i].place.line);
    assert_true((model.title == NULL) == (again.title == NULL));
    if (model.title != NULL)
        assert_string_equal(again.title, model.title);
    cat_model_free(&model);
    cat_model_free(&again);
    base_text_free(&text);
}

TEST(a_file_without_includes_is_unchanged) {
    static const char text[] = "(* mine *)\n\"title\"\n# include \"no.cat\"\nacyclic po | rf\n";
    base_text taken = {0};
    put("a.cat", text);
    take("a.cat", &taken);
    assert_string_equal(taken.data, text);
    base_text_free(&taken);
}

TEST(included_files_stand_in_their_places) {
    static const char *const files[] = {"a.cat", "b.cat", "c.cat", NULL};
    put("a.cat", "NAME \"the title\"\n\ninclude \"b.cat\" acyclic mine | co as first\n"
                 "(* include \"no.cat\" *) include\n\"c.cat\"\nempty yours & mine\n");
    put("b.cat", "\"another title\"\nlet mine = po | rf\nacyclic mine // the end");
    put("c.cat", "let yours = fr\n\ninclude \"b.cat\"\ninclude \"power.cat\"\nempty yours; mine");
    assert_same("a.cat", files);
}

/* It stands at the beginning of a file, and goes for all. */
TEST(catdep_of_an_included_file_counts) {
    static const char *const files[] = {"a.cat", "b.cat", NULL};
    cat_model model;
    col_problem problem;
    put("a.cat", "\"a\"\ninclude \"b.cat\"\nacyclic po | rf\n");
    put("b.cat", "\"b\" catdep\nlet mine = po\n");
    assert_int_equal(cat_model_read_file(&model, "a.cat", &none, &problem), COL_OK);
    assert_true(model.finds_dependencies);
    cat_model_free(&model);
    assert_same("a.cat", files);
}

TEST(a_library_beside_the_model_is_taken_along) {
    static const char *const files[] = {"a.cat", "stdlib.cat", NULL};
    base_text text = {0};
    put("a.cat", "\"a\"\nacyclic odd | rf\n");
    put("stdlib.cat", "\"library\"\nlet odd = po; co\n");
    take("a.cat", &text);
    assert_non_null(strstr(text.data, "let odd"));
    base_text_free(&text);
    assert_same("a.cat", files);
}

/* What the model does not use may be anything. */
TEST(files_that_are_not_included_do_not_matter) {
    static const char *const files[] = {"a.cat", "b.cat", NULL};
    base_text text = {0};
    put("a.cat", "if \"odd\" include \"b.cat\" include \"none.cat\" end\nacyclic po\n");
    put("b.cat", "this is no cat : at all\n");
    take("a.cat", &text);
    assert_non_null(strstr(text.data, "include \"b.cat\" include \"none.cat\""));
    base_text_free(&text);
    assert_same("a.cat", files);
}

TEST(flattened_built_in_models_include_nothing) {
    static const char *const names[] = {"sc.cat",    "tso.cat",   "pso.cat",   "wmo.cat",
                                        "armv8.cat", "rvwmo.cat", "power.cat", NULL};
    static const char *const files[] = {NULL};
    for (size_t i = 0; names[i] != NULL; i++) {
        base_text text = {0};
        take(names[i], &text);
        assert_null(strstr(text.data, "\ninclude"));
        base_text_free(&text);
        assert_same(names[i], files);
    }
}

TEST(a_whole_text_reads_no_file) {
    cat_model model;
    col_problem problem;
    static const char text[] = "include \"secret.cat\"\nacyclic mine\n";
    put("secret.cat", "let mine = po\n");
    assert_int_equal(cat_model_read(&model, text, sizeof text - 1, "a.cat", &none, &problem),
                     COL_OK);
    cat_model_free(&model);
    assert_int_equal(cat_model_read(&model, text, sizeof text - 1, "a.cat", &whole, &problem),
                     COL_BAD_INPUT);
    assert_non_null(strstr(problem.message, "cannot find 'secret.cat'"));
}

TEST(what_cannot_be_one_text_is_refused) {
    base_text text = {0};
    col_problem problem;
    FILE *file = fopen("zero.cat", "w");
    assert_non_null(file);
    (void)fwrite("(*\0*) acyclic po\n", 1, 17, file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(cat_whole(&text, "zero.cat", &none, &problem), COL_BAD_INPUT);
    assert_string_equal(problem.message, "a model with a zero byte");
    base_text_free(&text);
    put("a.cat", "include \"a.cat\"\n");
    assert_int_equal(cat_whole(&text, "a.cat", &none, &problem), COL_BAD_INPUT);
    assert_non_null(strstr(problem.message, "does one include itself?"));
    base_text_free(&text);
    put("a.cat", "acyclic po | nothing\n");
    assert_int_equal(cat_whole(&text, "a.cat", &none, &problem), COL_BAD_INPUT);
    assert_int_equal(problem.column, 14);
    base_text_free(&text);
}

int main(void) {
    return run_all_tests(begin, end);
}
