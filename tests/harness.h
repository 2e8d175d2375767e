/* SPDX-License-Identifier: MIT */
/*
 * cmocka with the headers that it wants before it. A test is
 *     TEST(its_name) { ... }
 * and those of a program run in the order of its file. The program's main is in tests/main.c,
 * unless it has a group to set up and a main of its own, which calls run_all_tests.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

void add_test(const char *name, CMUnitTestFunction test, CMFixtureFunction setup,
              CMFixtureFunction teardown, int line);
/* Returns how many failed. */
int run_all_tests(CMFixtureFunction setup, CMFixtureFunction teardown);

#define TEST(name) TEST_WITH(name, NULL, NULL)
#define TEST_WITH(name, setup, teardown)                                                           \
    static void name(void **state);                                                                \
    __attribute__((constructor)) static void add_##name(void) {                                    \
        add_test(#name, name, setup, teardown, __LINE__);                                          \
    }                                                                                              \
    static void name(__attribute__((unused)) void **state)

/* With sanitizers, and EMULATED (make verify-cross), tests do the same on less; THOROUGH (make
 * verify-tests), on more. */
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(SANITIZED) || defined(EMULATED)
#define REDUCED 1
#endif
