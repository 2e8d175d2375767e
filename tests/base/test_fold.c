/* SPDX-License-Identifier: MIT */
/* Folding: nothing is lost, and the longest stretch that repeats is folded, at its shortest. */
#include "base/fold.h"
#include "base/random.h"

#include "harness.h"

#include <string.h>

enum { MOST = 400 };

static size_t compared;

static bool alike(const void *context, size_t one, size_t other) {
    const unsigned char *items = context;
    compared++;
    return items[one] == items[other];
}

static base_folding folding_of(const unsigned char *items, size_t count) {
    return (base_folding){.alike = alike, .context = items, .count = count};
}

/* Random items, with stretches that repeat planted among them. */
static size_t plant(base_rng *rng, unsigned char *items, size_t most) {
    const uint64_t letters = 1 + base_rng_below(rng, 4);
    size_t count = 0;
    while (count < most) {
        const size_t period = 1 + (size_t)base_rng_below(rng, 20);
        const size_t times = 1 + (size_t)base_rng_below(rng, 6) * (size_t)base_rng_below(rng, 4);
        const size_t start = count;
        for (size_t i = 0; i < period * times + base_rng_below(rng, period) && count < most; i++)
            items[count++] = i < period ? (unsigned char)base_rng_below(rng, letters)
                                        : items[start + i % period];
    }
    return count;
}

/* The most items that one fold can cover. */
static size_t longest(const unsigned char *items, size_t count) {
    size_t most = 0;
    for (size_t first = 0; first < count; first++)
        for (size_t period = 1; period <= BASE_MOST_PERIOD; period++) {
            size_t length = period;
            while (first + length < count &&
                   items[first + length] == items[first + length - period])
                length++;
            length -= length % period;
            if (length / period >= BASE_LEAST_TIMES && length > most)
                most = length;
        }
    return most;
}

/* Does the stretch consist of copies of something shorter? */
static bool has_shorter(const unsigned char *items, const base_fold *fold) {
    for (size_t period = 1; period < fold->period; period++)
        if (fold->period % period == 0 &&
            memcmp(items + fold->first, items + fold->first + period, fold->period - period) == 0)
            return true;
    return false;
}

TEST(unfolded_a_sequence_is_what_it_was) {
    base_rng rng;
    base_rng_seed(&rng, 1, 0);
    for (int round = 0; round < 5000; round++) {
        unsigned char items[MOST], unfolded[MOST];
        const size_t count = plant(&rng, items, 1 + (size_t)base_rng_below(&rng, MOST));
        base_folding folding = folding_of(items, count);
        base_fold fold;
        size_t length = 0;
        while (base_fold_next(&folding, &fold)) {
            assert_true(fold.first == length);
            assert_true(fold.times == 1 ? fold.period == 1 : fold.times >= BASE_LEAST_TIMES);
            assert_in_range(fold.period, 1, BASE_MOST_PERIOD);
            for (size_t i = 0; i < fold.period * fold.times; i++)
                unfolded[length++] = items[fold.first + i % fold.period];
            assert_true(length <= count);
        }
        assert_int_equal(length, count);
        assert_memory_equal(unfolded, items, count);
    }
}

TEST(the_longest_stretch_that_repeats_is_folded_at_its_shortest) {
    base_rng rng;
    base_rng_seed(&rng, 2, 0);
    for (int round = 0; round < 20000; round++) {
        unsigned char items[90];
        const size_t count = plant(&rng, items, 1 + (size_t)base_rng_below(&rng, sizeof items));
        const size_t most = longest(items, count);
        base_folding folding = folding_of(items, count);
        base_fold fold;
        bool is_found = most == 0;
        while (base_fold_next(&folding, &fold)) {
            assert_true(fold.times == 1 || !has_shorter(items, &fold));
            is_found |= fold.times > 1 && fold.times * fold.period == most;
        }
        assert_true(is_found);
    }
}

TEST(folding_takes_linear_time) {
    enum { SHORT = 4000, LONG = 40000 };
    static unsigned char items[LONG];
    size_t spent[2];
    base_rng rng;
    for (int shape = 0; shape < 4; shape++) {
        base_rng_seed(&rng, 3, (uint64_t)shape);
        (void)plant(&rng, items, LONG);
        if (shape > 0)
            for (size_t i = 0; i < LONG; i++)
                items[i] = shape == 1 ? 0 : (unsigned char)(i % (shape == 2 ? 7 : 17));
        for (int size = 0; size < 2; size++) {
            base_folding folding = folding_of(items, size == 0 ? SHORT : LONG);
            base_fold fold;
            compared = 0;
            while (base_fold_next(&folding, &fold))
                continue;
            spent[size] = compared;
        }
        assert_true(spent[1] < 12 * spent[0]);
        assert_true(spent[1] < 40 * (size_t)BASE_MOST_PERIOD * LONG);
    }
}
