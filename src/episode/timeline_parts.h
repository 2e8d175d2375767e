/* SPDX-License-Identifier: MIT */
/* Inside a timeline: what was recorded (timeline.c), and how it is told (timeline_text.c,
 * timeline_perfetto.c, timeline_vcd.c). */
#ifndef EPISODE_TIMELINE_PARTS_H
#define EPISODE_TIMELINE_PARTS_H

#include "episode/names.h"
#include "episode/timeline.h"

struct epi_timeline {
    const epi_story *story;
    epi_filter filter;
    const volatile int *ended;
    epi_moment *moments; /* a ring of the last `most` */
    size_t capacity;
    uint64_t count; /* so far */
    uint32_t most;
    uint64_t cycle;
    epi_names names;
    bool failed; /* there was not enough memory */
};

/* Can this send or receive messages? */
bool epi_is_party(const epi_timeline *timeline, uint32_t machine, uint32_t controller);
/* "L1Cache 0", "core 2", "memory" */
void epi_say_party(const epi_timeline *timeline, uint32_t machine, uint32_t controller,
                   base_text *text);
/* "load a2 = 0": an operation and, of reads, what it returned at this moment. */
void epi_moment_operation(const epi_timeline *timeline, const epi_moment *moment, base_text *text);

/* The words for kinds of events, as lines and JSON have them. */
extern const char *const epi_verbs[COL_EVENT_KINDS];

#endif
