/* SPDX-License-Identifier: MIT */
/* The memory that there is: see room.h. */
#include "base/room.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* Of a line that begins with `name`, behind it; without it: no limit. */
static uint64_t number_in(const char *path, const char *name, uint64_t unit) {
    char line[128];
    uint64_t number = UINT64_MAX;
    const size_t length = strlen(name);
    FILE *file = fopen(path, "re");
    while (file != NULL && number == UINT64_MAX && fgets(line, sizeof line, file) != NULL) {
        char *end = line;
        if (strncmp(line, name, length) != 0)
            continue;
        const uint64_t found = strtoull(line + length, &end, 10);
        if (end != line + length && found <= UINT64_MAX / unit)
            number = found * unit;
    }
    if (file != NULL)
        (void)fclose(file);
    return number;
}

static uint64_t less(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

uint64_t base_room(void) {
    struct rlimit limit;
    const uint64_t machine = number_in("/proc/meminfo", "MemAvailable:", 1024);
    const uint64_t group = number_in("/sys/fs/cgroup/memory.max", "", 1);
    const bool is_limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return less(less(machine, group), is_limited ? (uint64_t)limit.rlim_cur : UINT64_MAX);
}

col_status base_room_check(uint64_t bytes, uint64_t room, const char *what, uint64_t number,
                           col_problem *problem) {
    static const double unit = 1 << 30;
    if (bytes <= room)
        return COL_OK;
    return base_refuse(problem,
                       "%s %llu needs at least %.1f GiB of memory, and %.1f GiB are free; ask for "
                       "less",
                       what, (unsigned long long)number, (double)bytes / unit, (double)room / unit);
}
