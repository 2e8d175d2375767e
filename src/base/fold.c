/* SPDX-License-Identifier: MIT */
/*
 * Folding what repeats: see fold.h. Two stretches with different shortest periods p and q overlap
 * by less than p + q items (Fine and Wilf), so only the end of a fold need be searched for a longer
 * one.
 */
#include "base/fold.h"

#include <string.h>

/* The fold at a place that covers most; times 1: there is none. `ends` are those of an earlier
 * place, and become those of this. */
static base_fold best_at(const base_folding *f, size_t at, size_t *ends) {
    base_fold best = {at, 1, 1};
    for (size_t period = 1; period <= BASE_MOST_PERIOD; period++) {
        size_t *end = &ends[period];
        if (*end < at)
            *end = at;
        while (*end + period < f->count && f->alike(f->context, *end, *end + period))
            ++*end;
        const size_t times = (*end - at) / period + 1;
        if (times >= BASE_LEAST_TIMES && times * period > best.times * best.period)
            best = (base_fold){at, period, times};
    }
    return best;
}

/* Where a longer fold begins inside this one; its end: nowhere. */
static size_t find_longer(const base_folding *f, const base_fold *fold) {
    const size_t length = fold->period * fold->times, end = fold->first + length;
    const size_t overlap = 2 * (size_t)BASE_MOST_PERIOD;
    size_t ends[BASE_MOST_PERIOD + 1], most = length, found = end;
    memcpy(ends, f->ends, sizeof ends);
    for (size_t at = length > overlap ? end - overlap : fold->first + 1; at < end; at++) {
        const base_fold other = best_at(f, at, ends);
        if (other.period * other.times <= most)
            continue;
        most = other.period * other.times;
        found = at;
    }
    return found;
}

bool base_fold_next(base_folding *f, base_fold *fold) {
    if (f->at >= f->count)
        return false;
    *fold = best_at(f, f->at, f->ends);
    if (fold->times > 1 && f->at >= f->limit)
        f->limit = find_longer(f, fold);
    if (fold->times > 1 && f->at + fold->period * fold->times > f->limit) {
        fold->times = (f->limit - f->at) / fold->period;
        if (fold->times < BASE_LEAST_TIMES)
            *fold = (base_fold){f->at, 1, 1};
    }
    f->at += fold->period * fold->times;
    return true;
}
