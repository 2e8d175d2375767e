/* SPDX-License-Identifier: MIT */
/*
 * How fast shortest tours are made, and how much of their cost is first visits. The reference,
 * measured beside each figure, is the time of as many calls of the sink from an empty loop: no
 * generator can beat it.
 */
#include "engine/tour/tour.h"

#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>

static bool count_one(void *context, col_tour_operation operation) {
    uint64_t *count = context;
    __asm__ volatile("" : : "r"(operation.core) : "memory");
    ++*count;
    return true;
}

static double time_calls(uint64_t calls) {
    uint64_t count = 0;
    const tour_sink sink = {count_one, &count};
    const double start = base_processor_seconds();
    for (uint64_t i = 0; i < calls; i++) {
        bool (*volatile take)(void *context, col_tour_operation operation) = sink.take;
        (void)take(sink.context, (col_tour_operation){COL_TOUR_LOAD, (uint8_t)i});
    }
    return base_processor_seconds() - start;
}

static void measure(col_tour_protocol protocol, uint32_t cores) {
    const tour_space space = TOUR_ONE_LEVEL(protocol, cores);
    uint64_t optimum = 0;
    uint64_t cost = 0;
    col_problem problem;
    const double start = base_processor_seconds();
    if (tour_find_optimum(&space, &optimum, &problem) != COL_OK) {
        (void)fprintf(stderr, "bench: %s\n", problem.message);
        exit(COL_FAILURE);
    }
    const double solved = base_processor_seconds();
    (void)tour_postman(&space, (tour_sink){count_one, &cost});
    const double made = base_processor_seconds() - solved;
    (void)printf("%-6s %5u %13llu %13llu %13llu %7.0f %8.2f %6.1f %6.1f\n",
                 col_tour_protocols[protocol], cores,
                 (unsigned long long)tour_transition_count(&space), (unsigned long long)cost,
                 (unsigned long long)optimum, 1e6 * (solved - start), made,
                 1e9 * made / (double)cost, made / time_calls(cost));
}

int main(void) {
    static const uint32_t sizes[] = {12, 16, 20};
    (void)puts(
        "space  cores   transitions          cost       optimum  opt/us  seconds  ns/op  x loop");
    for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (uint32_t protocol = COL_TOUR_MSI; protocol < COL_TOUR_PROTOCOL_COUNT; protocol++)
            measure((col_tour_protocol)protocol, sizes[i]);
    return 0;
}
