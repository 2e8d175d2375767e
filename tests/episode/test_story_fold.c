/* SPDX-License-Identifier: MIT */
/* What a story keeps of the history of a block: all of its end, with what repeats kept once. */
#include "base/random.h"
#include "episode/story/story.h"

#include "harness.h"

#include <stdlib.h>

enum { MOST = 6000 };

static void happen(epi_block *block, uint32_t *events, uint64_t *count, uint32_t event) {
    const epi_note note = {
        .kind = COL_TRANSITION, .cycle = 3 * *count, .number = *count + 1, .event = event};
    events[(*count)++] = event;
    epi_block_note(block, &note);
}

/* From this note on, unfolded; behind the last are those of a period that has begun. */
static uint64_t unfold(const epi_block *block, uint32_t first, uint32_t *events) {
    const epi_repeats *r = &block->repeats;
    uint64_t count = 0;
    for (uint32_t i = first; i < epi_story_notes(block); i++) {
        const epi_note *note = epi_story_note(block, i);
        events[count++] = note->event;
        for (uint64_t again = 1; note->period > 0 && again < note->times; again++)
            for (uint32_t place = note->period; place > 0; place--, count++)
                events[count] = events[count - note->period];
    }
    for (uint64_t back = r->begun; back > 0 && r->period > 0; back--)
        events[count++] = r->last[(r->count - back) % BASE_MOST_PERIOD].event;
    return count;
}

/* The first note that is not within a fold whose beginning was pushed out. */
static uint32_t first_whole(const epi_block *block) {
    uint32_t first = 0;
    while (first < epi_story_notes(block) && epi_story_note(block, first)->is_folded &&
           epi_story_note(block, first)->period == 0)
        first++;
    const bool is_cut =
        first < epi_story_notes(block) && epi_story_note(block, first)->period > first + 1;
    return is_cut ? first + 1 : 0;
}

TEST(unfolded_a_history_is_the_end_of_what_happened) {
    static uint32_t events[MOST + 1000], unfolded[MOST + 1000];
    base_rng rng;
    uint64_t folds = 0;
    base_rng_seed(&rng, 1, 0);
    for (int round = 0; round < 3000; round++) {
        epi_block *block = calloc(1, sizeof *block);
        const uint64_t letters = 1 + base_rng_below(&rng, 5), most = base_rng_below(&rng, MOST);
        uint64_t count = 0;
        assert_non_null(block);
        while (count < most) {
            const uint64_t period = 1 + base_rng_below(&rng, 20), start = count;
            const uint64_t length = base_rng_below(&rng, 3) == 0 ? base_rng_below(&rng, 900) : 9;
            for (uint64_t i = 0; i < length && count < most; i++)
                happen(block, events, &count,
                       i < period ? (uint32_t)base_rng_below(&rng, letters)
                                  : events[start + i % period]);
        }
        const uint32_t first = first_whole(block);
        const uint64_t length = unfold(block, first, unfolded);
        assert_int_equal(block->happened, count);
        assert_true(length <= count);
        assert_memory_equal(unfolded, events + (count - length), length * sizeof *events);
        assert_true(length + 24 >= (count < EPI_NOTES ? count : EPI_NOTES) - first);
        folds += block->repeats.period > 0;
        free(block);
    }
    assert_true(folds > 100);
}

/* A circle of up to sixteen events, however long: what led there stays. */
TEST(a_livelock_does_not_push_out_what_led_to_it) {
    static uint32_t events[MOST];
    for (uint32_t period = 1; period <= BASE_MOST_PERIOD; period++) {
        epi_block *block = calloc(1, sizeof *block);
        uint64_t count = 0;
        assert_non_null(block);
        for (uint32_t i = 0; i < 10; i++)
            happen(block, events, &count, 100 + i);
        for (uint32_t i = 0; i < 5000; i++)
            happen(block, events, &count, i % period);
        assert_int_equal(epi_story_notes(block), 10 + period);
        assert_int_equal(epi_story_note(block, 0)->event, 100);
        const epi_note *last = epi_story_note(block, 9 + period);
        assert_int_equal(last->period, period);
        assert_int_equal(last->times, 5000 / period);
        assert_int_equal(last->until, 3 * (10 + 5000 / period * period - 1));
        free(block);
    }
}

/* Rows: a fold made as it happened is told whole, one that is short is made now. */
TEST(rows_tell_how_often_what_repeats_happened) {
    static uint32_t events[MOST];
    epi_block *block = calloc(1, sizeof *block);
    const epi_note *notes[EPI_NOTES];
    epi_row rows[EPI_NOTES];
    uint64_t count = 0, told = 0;
    assert_non_null(block);
    for (uint32_t i = 0; i < 12; i++)
        happen(block, events, &count, i % 3);
    for (uint32_t i = 0; i < 1000; i++)
        happen(block, events, &count, 10 + i % 2);
    for (uint32_t i = 0; i < epi_story_notes(block); i++)
        notes[i] = epi_story_note(block, i);
    const uint32_t made = epi_fold_rows(notes, epi_story_notes(block), rows);
    assert_int_equal(made, 5);
    for (uint32_t i = 0; i < made; i++)
        told += rows[i].times;
    assert_int_equal(told, count);
    assert_int_equal(rows[2].period, 3);
    assert_int_equal(rows[2].times, 4);
    assert_int_equal(rows[4].period, 2);
    assert_int_equal(rows[4].times, 500);
    free(block);
}
