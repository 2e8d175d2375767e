/* SPDX-License-Identifier: MIT */
/* See processors.h. */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): CPU_COUNT
#include "base/processors.h"

#include <sched.h>
#include <unistd.h>

uint32_t base_processors(void) {
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return (uint32_t)CPU_COUNT(&set);
#endif
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : (uint32_t)count;
}
