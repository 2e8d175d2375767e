/* SPDX-License-Identifier: MIT */
/* Arrays that grow keep their content, grow seldom, and refuse the impossible unharmed. */
#include "base/memory.h"
#include "harness.h"

#include <stdlib.h>
#include <string.h>

static void growing_keeps_the_content_and_is_rare(void **state) {
    (void)state;
    enum { ITEMS = 1000000 };
    uint64_t *items = NULL;
    size_t capacity = 0, growths = 0;
    for (size_t i = 0; i < ITEMS; i++) {
        const size_t before = capacity;
        assert_int_equal(base_reserve(&items, &capacity, i + 1, sizeof *items, NULL), COL_OK);
        assert_true(capacity > i);
        growths += capacity != before;
        items[i] = i * i;
    }
    for (size_t i = 0; i < ITEMS; i++)
        assert_int_equal(items[i], i * i);
    assert_true(growths < 50);
    free(items);
}

static void reserved_room_is_kept(void **state) {
    (void)state;
    char *items = NULL;
    size_t capacity = 0;
    assert_int_equal(base_reserve(&items, &capacity, 1000, 1, NULL), COL_OK);
    const char *const before = items;
    for (size_t count = 0; count <= 1000; count++)
        assert_int_equal(base_reserve(&items, &capacity, count, 1, NULL), COL_OK);
    assert_ptr_equal(items, before);
    assert_int_equal(capacity, 1000);
    free(items);
}

static void impossible_sizes_are_refused(void **state) {
    (void)state;
    const size_t counts[] = {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / sizeof(uint64_t) + 2};
    uint64_t *items = NULL;
    size_t capacity = 0;
    assert_int_equal(base_reserve(&items, &capacity, 1, sizeof *items, NULL), COL_OK);
    items[0] = 42;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        col_problem problem = {0};
        assert_int_equal(base_reserve(&items, &capacity, counts[i], sizeof *items, &problem),
                         COL_FAILURE);
        assert_non_null(strstr(problem.message, "out of memory"));
        assert_int_equal(capacity, 1);
        assert_int_equal(items[0], 42);
    }
    free(items);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(growing_keeps_the_content_and_is_rare),
        cmocka_unit_test(reserved_room_is_kept),
        cmocka_unit_test(impossible_sizes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
