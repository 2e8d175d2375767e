/* SPDX-License-Identifier: MIT */
/*
 * Threads that stay for a whole search and do one thing after the other together: a thread that is
 * made for a few milliseconds of work often gets no processor of its own before it ends.
 */
#ifndef EXPLORE_CREW_H
#define EXPLORE_CREW_H

#include <stdbool.h>
#include <stdint.h>

typedef struct crew crew;

/* The calling thread, and others up to `count`; fewer, if no more can be had. NULL: no memory. */
crew *exp_crew_new(uint32_t count);
void exp_crew_free(crew *crew);

/* Every thread calls `task` with a number of its own, the caller with 0; returns when all have
 * returned. */
void exp_crew_do(crew *crew, void (*task)(void *context, uint32_t number), void *context);

#endif
