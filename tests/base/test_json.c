/* SPDX-License-Identifier: MIT */
/* JSON that is made piece by piece: what cannot be added makes the whole fail, so that no record
 * without its members passes for one. And texts that are read,
 * and written with nothing that a terminal obeys. */
#include "base/file.h"
#include "base/json.h"
#include "harness.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TEST(added_values_are_there) {
    json_t *list = json_array(), *object = json_object();
    base_json_append(&list, json_integer(1));
    base_json_append(&list, json_integer(2));
    base_json_set(&object, "list", list);
    assert_non_null(object);
    assert_int_equal(json_array_size(json_object_get(object, "list")), 2);
    json_decref(object);
}

/* NULL is what jansson gives when out of memory. */
TEST(a_part_that_cannot_be_added_fails_the_whole) {
    json_t *list = json_array(), *object = json_object();
    base_json_append(&list, json_integer(1));
    base_json_append(&list, NULL);
    assert_null(list);
    base_json_append(&list, json_integer(3)); /* and stays so */
    assert_null(list);
    base_json_set(&object, "list", list);
    assert_null(object);
    base_json_set(&object, "more", json_true());
    assert_null(object);
    col_problem problem;
    assert_int_equal(base_json_write("/dev/null", object, &problem), COL_FAILURE);
    assert_non_null(strstr(problem.message, "out of memory"));
}

TEST(texts_are_read_after_a_byte_order_mark) {
    static const char good[] = "\xef\xbb\xbf{\"a\": 1}", bad[] = "\xef\xbb\xbf{]";
    json_t *value = NULL;
    col_problem problem, plain;
    assert_int_equal(base_json_parse(good, sizeof good - 1, "good", &value, &problem), COL_OK);
    assert_int_equal(json_integer_value(json_object_get(value, "a")), 1);
    json_decref(value);
    assert_int_equal(base_json_parse(bad, sizeof bad - 1, "bad", &value, &problem), COL_BAD_INPUT);
    assert_null(value);
    assert_int_equal(base_json_parse(bad + 3, sizeof bad - 4, "bad", &value, &plain),
                     COL_BAD_INPUT);
    assert_int_equal(problem.line, plain.line);
    assert_int_equal(problem.column, plain.column);
    assert_int_equal(base_json_parse(NULL, 0, "nothing", &value, &problem), COL_BAD_INPUT);
}

/* What we stored ourselves is read without a complaint. */
TEST(stored_texts_are_values_or_null) {
    json_t *value = NULL;
    assert_int_equal(base_json_parse_stored("{\"a\": 1}", &value, NULL), COL_OK);
    assert_true(json_is_object(value));
    json_decref(value);
    assert_int_equal(base_json_parse_stored("{\"a\": ", &value, NULL), COL_OK);
    assert_null(value);
}

/* What jansson asks memory of. */
static uint64_t asked, fail_at; /* 0: never */
static bool fails_on;

static void *allocate(size_t size) {
    asked++;
    return fail_at > 0 && (asked == fail_at || (fails_on && asked > fail_at)) ? NULL : malloc(size);
}

/* Strings that end where jansson's buffer is full among them: it would read on. */
TEST(without_memory_there_is_no_value) {
    char letters[150];
    memset(letters, 'a', sizeof letters);
    for (int length = 0; length < 140; length++)
        for (fail_at = 1, fails_on = length % 2 != 0;; fail_at++) {
            char text[400];
            json_t *value = NULL;
            col_problem problem;
            const int size = snprintf(text, sizeof text, "{\"%.*s\\n\": [\"\\u00e4%.*s\\\"\", 1]}",
                                      length, letters, length / 2, letters);
            asked = 0;
            const col_status status = base_json_parse(text, (size_t)size, "t", &value, &problem);
            if (asked < fail_at) {
                assert_int_equal(status, COL_OK);
                assert_int_equal(json_object_size(value), 1);
                json_decref(value);
                break;
            }
            assert_int_equal(status, COL_FAILURE);
            assert_non_null(strstr(problem.message, "out of memory"));
            assert_null(value);
        }
    fail_at = 0;
}

TEST(written_text_has_no_controls) {
    static const char nasty[] = "\x1b[2J \x7f \xc2\x9b[2J \xc2\xa0\xc3\xbc \\u009b";
    char path[] = "/tmp/collider-json-XXXXXX";
    base_text text = {0};
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    (void)close(descriptor);
    assert_int_equal(base_json_write(path, json_pack("[s]", nasty), NULL), COL_OK);
    assert_int_equal(base_file_read(path, &text, NULL), COL_OK);
    (void)unlink(path);
    assert_null(strpbrk(text.data, "\x1b\x7f"));
    assert_null(strstr(text.data, "\xc2\x9b"));
    assert_non_null(strstr(text.data, "\xc2\xa0\xc3\xbc"));
    json_t *value = json_loads(text.data, 0, NULL);
    assert_string_equal(json_string_value(json_array_get(value, 0)), nasty);
    json_decref(value);
    base_text_free(&text);
}

int main(void) {
    json_set_alloc_funcs(allocate, free);
    return run_all_tests(NULL, NULL);
}
