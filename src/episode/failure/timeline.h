/* SPDX-License-Identifier: MIT */
/*
 * The events of an instance as they happened, messages included: recorded while a failure is run
 * again, then printed, stepped through, or written for other tools. What passes a filter is kept
 * in full up to a bound; beyond it only the last events are kept, and their loss is counted.
 */
#pragma once

#include "base/json.h"
#include "base/text.h"
#include "episode/story/story.h"

/* Which events are kept. */
typedef struct epi_filter {
    bool has_block, has_core;
    uint64_t block; /* its address, or one inside it */
    uint32_t core; /* its own events, those of its private controllers, messages to and from them */
    uint64_t from, to; /* cycles, both included */
} epi_filter;

enum { EPI_MOST_MOMENTS = 1 << 20 };

typedef struct epi_moment {
    uint64_t cycle, block;
    uint64_t word, overwritten, read; /* of a message `word` is its number */
    uint32_t core, operation;
    uint32_t machine, controller;
    uint32_t state, event, next_state; /* as the unions of col_event say */
    uint16_t name;                     /* of a message, error or deadlock */
    uint8_t kind, source;
} epi_moment;

typedef struct epi_timeline epi_timeline;

/* The story tells names, so it must stay while the timeline is used. After `*ended` is not 0 only
 * the rest of the cycle is kept; may be NULL. */
col_status epi_timeline_new(epi_timeline **timeline, const epi_story *story,
                            const epi_filter *filter, uint32_t most, const volatile int *ended,
                            col_problem *problem);
void epi_timeline_free(epi_timeline *timeline);
col_observer epi_timeline_observer(epi_timeline *timeline);
col_status epi_timeline_status(const epi_timeline *timeline, col_problem *problem);

uint32_t epi_timeline_count(const epi_timeline *timeline);
uint64_t epi_timeline_missing(const epi_timeline *timeline); /* earlier ones that were not kept */
const epi_moment *epi_timeline_at(const epi_timeline *timeline, uint32_t i);

/* The moment at which it went wrong: the last one if none is known to be. */
uint32_t epi_timeline_wrong(const epi_timeline *timeline, const epi_ending *ending);

/* ---- Telling. */

enum { EPI_WHO = 14 }; /* characters of a column */
const char *epi_moment_name(const epi_timeline *timeline, const epi_moment *moment);
/* Is it a transition of the controller whose event `here` is; of a core: of its private ones? */
bool epi_moment_follows(const epi_timeline *timeline, const epi_moment *here,
                        const epi_moment *moment);
bool epi_moment_is_message(const epi_moment *moment);
/* A line without its end: cycle, who, what, block, and what else there is to say. */
void epi_moment_line(const epi_timeline *timeline, const epi_moment *moment, base_text *text);
/* "0x1040 (a2)" */
void epi_moment_block(const epi_timeline *timeline, const epi_moment *moment, base_text *text);
/* The controllers that have a state for the block of moment `i` by then, a line for each. */
void epi_timeline_states(const epi_timeline *timeline, uint32_t i, base_text *text);
/* All events, or with what repeats told once. */
void epi_timeline_lines(const epi_timeline *timeline, bool all, base_text *text);
json_t *epi_timeline_json(const epi_timeline *timeline); /* an array; NULL: no memory */

/* ---- For other tools. */

void epi_timeline_perfetto(const epi_timeline *timeline, base_text *text); /* trace events */
void epi_timeline_vcd(const epi_timeline *timeline, base_text *text);      /* IEEE 1364 */

/* The save file of GTKWave beside the waveforms that an open design wrote to `waves` in an instance
 * of this many cycles: markers for the operations of the story. */
col_status epi_waves_write(const epi_story *story, const epi_ending *ending, const col_duv *duv,
                           const char *waves, uint64_t cycles, col_problem *problem);
/* The cycle from which on waveforms of such an instance are worth their time. */
uint64_t epi_waves_begin(const epi_story *story, const epi_ending *ending, uint64_t cycles);

/* Inside a timeline: what was recorded (timeline.c), and how it is told (there and in
 * timeline_export.c). */

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

/* "load a2 = 0": an operation and, of reads, what it returned at this moment. */
void epi_moment_operation(const epi_timeline *timeline, const epi_moment *moment, base_text *text);

/* The words for kinds of events, as lines and JSON have them. */
extern const char *const epi_verbs[COL_EVENT_KINDS];
