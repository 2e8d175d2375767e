/* SPDX-License-Identifier: MIT */
/* What does not fit into memory is refused with both figures; limits on the process count. */
#include "base/memory.h"
#include "harness.h"

#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void what_needs_more_than_there_is_is_refused(void **state) {
    col_problem problem = {0};
    const uint64_t room = UINT64_C(3) << 30;
    (void)state;
    assert_int_equal(base_room_check(room, room, "--ops", 7, &problem), COL_OK);
    assert_int_equal(base_room_check(room + 1, room, "--ops", 7, &problem), COL_BAD_INPUT);
    assert_string_equal(problem.message,
                        "--ops 7 needs at least 3.0 GiB of memory, and 3.0 GiB are free; ask for "
                        "less");
}

static void limits_on_the_process_count(void **state) {
    const uint64_t limit = UINT64_C(1) << 20; /* less than any machine has */
    int status;
    (void)state;
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_needs_more_than_there_is_is_refused),
        cmocka_unit_test(limits_on_the_process_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
