/* SPDX-License-Identifier: MIT */
/* JSON that is made piece by piece: what cannot be added makes the whole fail, so that no record
 * without its members passes for one. And texts that are read. */
#include "base/json.h"
#include "harness.h"

#include <string.h>

static void what_is_added_is_there(void **state) {
    (void)state;
    json_t *list = json_array(), *object = json_object();
    col_json_append(&list, json_integer(1));
    col_json_append(&list, json_integer(2));
    col_json_set(&object, "list", list);
    assert_non_null(object);
    assert_int_equal(json_array_size(json_object_get(object, "list")), 2);
    json_decref(object);
}

/* NULL is what jansson gives when out of memory. */
static void what_cannot_be_added_fails_the_whole(void **state) {
    (void)state;
    json_t *list = json_array(), *object = json_object();
    col_json_append(&list, json_integer(1));
    col_json_append(&list, NULL);
    assert_null(list);
    col_json_append(&list, json_integer(3)); /* and stays so */
    assert_null(list);
    col_json_set(&object, "list", list);
    assert_null(object);
    col_json_set(&object, "more", json_true());
    assert_null(object);
    col_error error;
    assert_int_equal(col_json_write("/dev/null", object, &error), COL_FAILURE);
    assert_non_null(strstr(error.message, "out of memory"));
}

static void texts_are_read_behind_their_mark(void **state) {
    static const char good[] = "\xef\xbb\xbf{\"a\": 1}", bad[] = "\xef\xbb\xbf{]";
    json_t *value = NULL;
    col_error error, plain;
    (void)state;
    assert_int_equal(col_json_parse(good, sizeof good - 1, "good", &value, &error), COL_OK);
    assert_int_equal(json_integer_value(json_object_get(value, "a")), 1);
    json_decref(value);
    assert_int_equal(col_json_parse(bad, sizeof bad - 1, "bad", &value, &error), COL_BAD_INPUT);
    assert_null(value);
    assert_int_equal(col_json_parse(bad + 3, sizeof bad - 4, "bad", &value, &plain), COL_BAD_INPUT);
    assert_int_equal(error.line, plain.line);
    assert_int_equal(error.column, plain.column);
    assert_int_equal(col_json_parse(NULL, 0, "nothing", &value, &error), COL_BAD_INPUT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_added_is_there),
        cmocka_unit_test(what_cannot_be_added_fails_the_whole),
        cmocka_unit_test(texts_are_read_behind_their_mark),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
