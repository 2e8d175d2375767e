/* SPDX-License-Identifier: MIT */
/* Timers: they fire when their time is up or when somebody outside asks, and only then. */
#include "base/clock.h"
#include "harness.h"

#include <time.h>

enum { LONG = 1000000 }; /* seconds: never, here */

static void wait_for(const volatile int *flag) {
    const struct timespec time = {.tv_nsec = 1000000};
    while (!base_is_stopped(flag))
        (void)nanosleep(&time, NULL);
}

static base_timer *make(const volatile int *outside) {
    base_timer *timer = NULL;
    col_problem problem;
    assert_int_equal(base_timer_new(&timer, outside, &problem), COL_OK);
    return timer;
}

TEST(the_end_of_the_time_is_a_stop) {
    base_timer *timer = make(NULL);
    const double start = base_seconds();
    base_timer_set(timer, 0.05);
    wait_for(base_timer_stop(timer));
    assert_true(base_seconds() - start >= 0.05);
    base_timer_set(timer, LONG);
    assert_false(base_is_stopped(base_timer_stop(timer)));
    base_timer_free(timer);
}

TEST(a_stop_from_outside_is_passed_on) {
    volatile int outside = 0, flag = 0;
    col_problem problem;
    base_timer *timer = make(&outside);
    assert_int_equal(base_timer_add(timer, &flag, &problem), COL_OK);
    base_timer_set(timer, LONG);
    assert_false(base_is_stopped(base_timer_stop(timer)));
    base_stop_set(&outside, true);
    wait_for(base_timer_stop(timer));
    wait_for(&flag);
    base_stop_set(&flag, false); /* as when the next instance begins */
    wait_for(&flag);
    base_timer_remove(timer, &flag);
    base_stop_set(&flag, false);
    base_timer_set(timer, LONG);
    assert_true(base_is_stopped(base_timer_stop(timer))); /* at once: it was asked before */
    assert_false(base_is_stopped(&flag));
    base_timer_free(timer);
}

TEST(what_was_begun_has_a_second_left) {
    volatile int outside = 1;
    base_timer *timer = make(&outside);
    const double start = base_seconds();
    base_timer_grant(timer, LONG);
    wait_for(base_timer_stop(timer));
    assert_true(base_seconds() - start >= 1);
    base_timer_grant(timer, 0.05); /* less than that */
    wait_for(base_timer_stop(timer));
    base_timer_free(timer);
}
