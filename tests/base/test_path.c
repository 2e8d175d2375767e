/* SPDX-License-Identifier: MIT */
/* Paths are put together whole, or refused. */
#include "base/path.h"
#include "harness.h"

#include <stdlib.h>
#include <string.h>

/* At every length around the limit: never a path that was cut. */
TEST(paths_that_do_not_fit_are_refused) {
    for (size_t length = PATH_MAX - 10; length < PATH_MAX + 10; length++) {
        char path[PATH_MAX];
        char *folder = malloc(length + 1);
        assert_non_null(folder);
        memset(folder, 'x', length);
        folder[length] = '\0';
        const bool fits = length + strlen("/name") < PATH_MAX;
        assert_int_equal(base_path_in(path, folder, "name", NULL), fits ? COL_OK : COL_BAD_INPUT);
        assert_int_equal(strlen(path), fits ? length + strlen("/name") : 0);
        folder[length - 1] = '/';
        assert_int_equal(base_path_beside(path, folder, "name", NULL),
                         length + strlen("name") < PATH_MAX ? COL_OK : COL_BAD_INPUT);
        free(folder);
    }
}

TEST(names_are_relative_to_their_file) {
    static const char *const cases[][3] = {
        {"plans/a.yaml", "b.yaml", "plans/b.yaml"},     {"a.yaml", "b.yaml", "b.yaml"},
        {"/a/b/c.yaml", "../d.yaml", "/a/b/../d.yaml"}, {"/c.yaml", "d", "/d"},
        {"plans/a.yaml", "/b.yaml", "/b.yaml"},
    };
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(base_path_beside(path, cases[i][0], cases[i][1], NULL), COL_OK);
        assert_string_equal(path, cases[i][2]);
    }
}

TEST(endings_need_a_name_before_them) {
    assert_true(base_path_ends("x.so", ".so"));
    assert_false(base_path_ends(".so", ".so"));
    assert_false(base_path_ends("so", ".so"));
    assert_false(base_path_ends("x.sox", ".so"));
}

TEST(a_name_is_what_follows_the_last_slash) {
    static const struct {
        const char *path, *name;
        size_t stem;
    } cases[] = {
        {"a/b/D9.yaml", "D9.yaml", 2},    {"D9.yaml", "D9.yaml", 2},
        {"/E.5.3.yaml", "E.5.3.yaml", 5}, {"a.b/c", "c", 1},
        {"a/.yaml", ".yaml", 5},          {"a/", "", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_string_equal(base_path_name(cases[i].path), cases[i].name);
        assert_int_equal(base_path_stem(cases[i].name), cases[i].stem);
    }
}

TEST(one_file_has_many_names) {
    assert_true(base_path_same("/tmp", "/tmp/../tmp/."));
    assert_false(base_path_same("/tmp", "/"));
    assert_false(base_path_same("/not-there", "/not-there"));
    assert_true(base_path_same_place("/tmp", "/tmp/../tmp/."));
    assert_true(base_path_same_place("/not-there", "/tmp/../not-there"));
    assert_true(base_path_same_place("not-there", "./not-there"));
    assert_true(base_path_same_place("/not-there/x", "/not-there/x"));
    assert_false(base_path_same_place("/tmp/not-there", "/not-there"));
    assert_false(base_path_same_place("/tmp/not-there", "/tmp/nor-that"));
    assert_false(base_path_same_place("/tmp", "/not-there"));
}
