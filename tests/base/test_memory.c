/* SPDX-License-Identifier: MIT */
/* Arrays that grow keep their content, grow seldom, and refuse the impossible unharmed. What does
 * not fit into memory is refused with both figures; limits on the process count. */
#include "base/memory.h"
#include "harness.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

TEST(growing_keeps_the_content_and_is_rare) {
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

TEST(reserved_room_is_kept) {
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

TEST(impossible_sizes_are_refused) {
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

/* ---- Room. */

TEST(what_needs_more_than_there_is_is_refused) {
    col_problem problem = {0};
    const uint64_t room = UINT64_C(3) << 30;
    assert_int_equal(base_room_check(room, room, "--ops", 7, &problem), COL_OK);
    assert_int_equal(base_room_check(room + 1, room, "--ops", 7, &problem), COL_BAD_INPUT);
    assert_string_equal(problem.message,
                        "--ops 7 needs at least 3.0 GiB of memory, and 3.0 GiB are free; ask for "
                        "less");
}

TEST(limits_on_the_process_count) {
    const uint64_t limit = UINT64_C(1) << 20; /* less than any machine has */
    int status;
    assert_true(base_room() > limit);
    const pid_t process = fork();
    assert_true(process >= 0);
    if (process == 0) {
        const struct rlimit little = {.rlim_cur = (rlim_t)limit, .rlim_max = RLIM_INFINITY};
        _exit(setrlimit(RLIMIT_AS, &little) != 0 || base_room() > limit);
    }
    assert_int_equal(waitpid(process, &status, 0), process);
    assert_int_equal(status, 0);
}
