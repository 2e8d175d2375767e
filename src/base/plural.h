/* SPDX-License-Identifier: MIT */
/* "1 test", "2 tests". */
#ifndef BASE_PLURAL_H
#define BASE_PLURAL_H

#include <stdint.h>

/* What follows a noun that is counted: "%u test%s". */
static inline const char *base_plural(uint64_t count) {
    return count == 1 ? "" : "s";
}

#endif
