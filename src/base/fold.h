/* SPDX-License-Identifier: MIT */
/*
 * What repeats in a sequence, told once: stretches in which up to BASE_MOST_PERIOD items come again
 * and again. From the first item to the last, in linear time: of what could be folded at a place,
 * that which covers most, and of equals the shortest period. A fold gives way to a longer one that
 * begins inside it, so the longest of all is always folded.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { BASE_MOST_PERIOD = 16, BASE_LEAST_TIMES = 3 };

/* Are the items at these places alike? */
typedef bool base_alike(const void *context, size_t one, size_t other);

/* Start from {.alike, .context, .count}. */
typedef struct base_folding {
    base_alike *alike;
    const void *context;
    size_t count;
    size_t at;                         /* the next item */
    size_t limit;                      /* where a longer fold begins */
    size_t ends[BASE_MOST_PERIOD + 1]; /* by period: the first place from `at` on that differs from
                                          the one a period later */
} base_folding;

/* `period` items from `first` on, `times` times; an item alone: 1 and 1. */
typedef struct base_fold {
    size_t first, period, times;
} base_fold;

/* The next part of the sequence. False: that was all. */
bool base_fold_next(base_folding *folding, base_fold *fold);
