/* SPDX-License-Identifier: MIT */
/*
 * What repeats in the history of a block. A protocol that runs in circles would push out everything
 * that led there, so a stretch that has repeated for long enough is kept once, with how often it
 * came, as it happens. Shorter ones are folded when they are told. Two stretches that both cover
 * FOLDED notes have one shortest period (Fine and Wilf), so none is folded within a longer one.
 */
#include "episode/story/story.h"

#include <string.h>

enum { FOLDED = 2 * BASE_MOST_PERIOD };

static bool is_alike(const epi_note *a, const epi_note *b) {
    return a->kind == b->kind && a->machine == b->machine && a->controller == b->controller &&
           a->state == b->state && a->event == b->event && a->next_state == b->next_state &&
           a->core == b->core && a->operation == b->operation && !a->is_folded && !b->is_folded;
}

/* ---- While it happens. */

static const epi_note *recent(const epi_repeats *r, uint64_t back) {
    return &r->last[(r->count - back) % BASE_MOST_PERIOD];
}

/* By period, how many of the last notes were like those a period before. */
static void count_matches(epi_repeats *r, const epi_note *note) {
    for (uint32_t period = 1; period <= BASE_MOST_PERIOD; period++)
        r->matches[period] =
            r->count >= period && is_alike(recent(r, period), note) ? r->matches[period] + 1 : 0;
    r->last[r->count++ % BASE_MOST_PERIOD] = *note;
}

static void append(epi_block *b, const epi_note *note) {
    b->notes[b->count++ % EPI_NOTES] = *note;
    b->repeats.plain++;
    if (b->count - b->oldest > EPI_NOTES)
        b->oldest = b->count - EPI_NOTES;
}

/* The note goes on with the fold at the end, or ends it. */
static void go_on(epi_block *b, const epi_note *note) {
    epi_repeats *r = &b->repeats;
    if (r->matches[r->period] > 0) {
        if (++r->begun == r->period) {
            epi_note *end = &b->notes[(b->count - 1) % EPI_NOTES];
            end->times++;
            end->until = note->cycle;
            r->begun = 0;
        }
        return;
    }
    r->plain = 0;
    for (uint64_t back = r->begun + 1; back > 0; back--)
        append(b, recent(r, back));
    memset(r->matches, 0, sizeof r->matches);
    r->period = 0;
}

/* Leaves one period of the stretch at the end. */
static void fold(epi_block *b, uint32_t period, const epi_note *note) {
    epi_repeats *r = &b->repeats;
    const uint64_t covered =
        r->matches[period] + (r->plain >= r->matches[period] + period ? period : 0);
    b->count -= covered - period;
    for (uint64_t i = b->count - period; i < b->count; i++)
        b->notes[i % EPI_NOTES].is_folded = true;
    epi_note *end = &b->notes[(b->count - 1) % EPI_NOTES];
    end->period = period;
    end->times = covered / period;
    end->until = note->cycle;
    r->period = period;
    r->begun = 0;
}

void epi_block_note(epi_block *b, const epi_note *note) {
    epi_repeats *r = &b->repeats;
    count_matches(r, note);
    b->happened++;
    if (r->period > 0) {
        go_on(b, note);
        return;
    }
    append(b, note);
    for (uint32_t period = 1; period <= BASE_MOST_PERIOD && r->period == 0; period++)
        if (r->matches[period] >= FOLDED && r->matches[period] % period == 0)
            fold(b, period, note);
}

/* ---- When it is told. */

static bool rows_alike(const void *context, size_t one, size_t other) {
    const epi_note *const *notes = context;
    return is_alike(notes[one], notes[other]);
}

/* The rows of a period that was folded as it happened: those before its end that are there. */
static void spread(epi_row *rows, uint32_t end) {
    const epi_note *last = rows[end].note;
    for (uint32_t i = end + 1; i > 0 && i + last->period > end + 1; i--)
        rows[i - 1].times = last->times;
    rows[end].period = last->period;
    rows[end].until = last->until;
}

uint32_t epi_fold_rows(const epi_note *const *notes, uint32_t count, epi_row *rows) {
    base_folding folding = {.alike = rows_alike, .context = notes, .count = count};
    base_fold fold;
    uint32_t made = 0;
    while (base_fold_next(&folding, &fold)) {
        for (size_t i = 0; i < fold.period; i++)
            rows[made++] = (epi_row){.note = notes[fold.first + i], .times = fold.times};
        if (fold.times > 1) {
            rows[made - 1].period = (uint32_t)fold.period;
            rows[made - 1].until = notes[fold.first + fold.period * fold.times - 1]->cycle;
        } else if (notes[fold.first]->period > 0) {
            spread(rows, made - 1);
        }
    }
    return made;
}

void epi_say_times(uint64_t period, uint64_t times, uint64_t until, base_text *text) {
    base_text_add(text, "(");
    if (period > 1)
        base_text_print(text, "these %llu events ", (unsigned long long)period);
    base_text_count(text, times);
    base_text_print(text, " times, until cycle %llu)", (unsigned long long)until);
}
