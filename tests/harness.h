/* SPDX-License-Identifier: MIT */
/* cmocka with the headers that it wants before it. */
#ifndef TESTS_HARNESS_H
#define TESTS_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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

#endif
