/* SPDX-License-Identifier: MIT */
/*
 * The replay against plain lists: what is there after any number of steps, and how often each step
 * is drawn, by chi-square against the chances that its priorities say.
 */
#include "engine/learn/learning_agent.h"
#include "harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { INPUTS = 3, ACTIONS = 5, MOST = 40 };

static lrn_replay *make(uint32_t capacity, float priority) {
    lrn_replay *replay = NULL;
    col_problem problem = {0};
    assert_int_equal(lrn_replay_new(&replay, capacity, INPUTS, priority, &problem), COL_OK);
    return replay;
}

/* All about a step follows from its number. */
static lrn_step make_step(uint32_t number, float *seen) {
    for (uint32_t i = 0; i < INPUTS; i++)
        seen[i] = (float)(number * 10 + i);
    const bool is_first = number % 7 == 0;
    return (lrn_step){
        .seen = seen,
        .before = is_first ? LRN_NO_ACTION : (number - 1) % ACTIONS,
        .action = number % ACTIONS,
        .allowed = 1u << number % ACTIONS | 1u,
        .reward = (float)number / 8,
        .ended = number % 7 == 6,
    };
}

static void add(lrn_replay *replay, uint32_t number) {
    float seen[INPUTS];
    const lrn_step step = make_step(number, seen);
    lrn_replay_add(replay, &step);
}

static void assert_step(const lrn_replay *replay, uint32_t age, uint32_t number) {
    float seen[INPUTS];
    const lrn_step expected = make_step(number, seen), step = lrn_replay_step(replay, age);
    assert_memory_equal(step.seen, seen, sizeof seen);
    assert_int_equal(step.before, expected.before);
    assert_int_equal(step.action, expected.action);
    assert_int_equal(step.allowed, expected.allowed);
    assert_true(step.reward == expected.reward);
    assert_int_equal(step.ended, expected.ended);
}

TEST(the_newest_steps_are_kept) {
    for (uint32_t capacity = 1; capacity <= 9; capacity++) {
        lrn_replay *replay = make(capacity, 0.5F);
        for (uint32_t steps = 1; steps <= MOST; steps++) {
            add(replay, steps - 1);
            const uint32_t count = steps < capacity ? steps : capacity;
            assert_int_equal(lrn_replay_count(replay), count);
            assert_int_equal(lrn_replay_is_full(replay), steps >= capacity);
            for (uint32_t age = 0; age < count; age++)
                assert_step(replay, age, steps - count + age);
        }
        lrn_replay_free(replay);
    }
}

/* Draws often among ages `first` to `last`; the chances are `shares` over their sum. The limit is
 * far in the tail of the distribution: five deviations above its mean. */
static void assert_shares(const lrn_replay *replay, uint32_t first, uint32_t last,
                          const double *shares, uint64_t seed) {
    enum { DRAWS = 20000 };
    uint32_t hits[MOST] = {0};
    double sum = 0, chi = 0;
    base_rng rng;
    base_rng_seed(&rng, seed, 0);
    for (uint32_t i = 0; i < DRAWS; i++) {
        uint64_t priority = 0;
        const uint32_t age = lrn_replay_draw(replay, &rng, first, last, &priority);
        assert_true(age >= first && age <= last);
        assert_true(priority > 0);
        hits[age]++;
    }
    for (uint32_t age = first; age <= last; age++)
        sum += shares[age];
    for (uint32_t age = first; age <= last; age++) {
        const double expected = DRAWS * shares[age] / sum;
        chi += (hits[age] - expected) * (hits[age] - expected) / expected;
    }
    const double freedom = last - first;
    assert_true(chi <= freedom + 5 * sqrt(2 * freedom + 1));
}

TEST(steps_are_drawn_in_proportion_to_their_errors) {
    const float exponents[] = {0, 0.5F, 1};
    for (uint32_t e = 0; e < 3; e++)
        for (uint32_t steps = 5; steps <= 24; steps += 4) { /* 12 and more go around the ring */
            lrn_replay *replay = make(11, exponents[e]);
            double shares[MOST];
            for (uint32_t i = 0; i < steps; i++)
                add(replay, i);
            const uint32_t count = lrn_replay_count(replay);
            for (uint32_t age = 0; age < count; age++) {
                const float error = (float)((age * 5 + steps) % 7) / 2;
                lrn_replay_judge(replay, age, error);
                shares[age] = pow((double)error + 1e-3, (double)exponents[e]);
            }
            assert_shares(replay, 0, count - 1, shares, steps);
            assert_shares(replay, 1, count - 2, shares, steps + 1);
            assert_shares(replay, 2, 2, shares, steps + 2);
            lrn_replay_free(replay);
        }
}

/* Chances are in proportion to what is said of them. */
TEST(priorities_are_as_drawn) {
    lrn_replay *replay = make(4, 1);
    base_rng rng;
    uint64_t by_age[4] = {0};
    for (uint32_t i = 0; i < 6; i++)
        add(replay, i);
    for (uint32_t age = 0; age < 4; age++)
        lrn_replay_judge(replay, age, (float)(age + 1));
    base_rng_seed(&rng, 1, 0);
    for (uint32_t i = 0; i < 200; i++) {
        uint64_t priority = 0;
        const uint32_t age = lrn_replay_draw(replay, &rng, 0, 3, &priority);
        by_age[age] = priority;
    }
    for (uint32_t age = 1; age < 4; age++)
        assert_true(fabs((double)by_age[age] / (double)by_age[0] - (age + 1.001) / 1.001) < 1e-6);
    lrn_replay_free(replay);
}

TEST(new_steps_have_the_highest_priority) {
    lrn_replay *replay = make(8, 1);
    for (uint32_t i = 0; i < 8; i++)
        add(replay, i);
    for (uint32_t age = 0; age < 8; age++)
        lrn_replay_judge(replay, age, age == 3 ? 9 : 1);
    lrn_replay_judge(replay, 3, 2); /* the 9 is remembered */
    add(replay, 8);
    const double shares[8] = {1.001, 1.001, 2.001, 1.001, 1.001, 1.001, 1.001, 9.001};
    assert_shares(replay, 0, 7, shares, 5);
    lrn_replay_free(replay);
}

/* Errors of any kind, and none: still all can be drawn, and sums do not overflow. */
TEST(steps_with_any_error_can_be_drawn) {
    const float errors[] = {INFINITY, NAN, 1e30F, 0, 1e5F};
    lrn_replay *replay = make(5, 1);
    double shares[5] = {1e5 + 1e-3, 1e5 + 1e-3, 1e5 + 1e-3, 1e-3, 1e5 + 1e-3};
    for (uint32_t i = 0; i < 5; i++) {
        add(replay, i);
        lrn_replay_judge(replay, i, errors[i]);
    }
    assert_shares(replay, 0, 4, shares, 1);
    assert_shares(replay, 3, 3, shares, 1);
    lrn_replay_free(replay);
}

/* ---- Saving. */

static void restore(lrn_replay *replay, const json_t *saved) {
    col_problem problem = {0};
    assert_int_equal(lrn_replay_restore(replay, ACTIONS, saved, &problem), COL_OK);
}

/* Wherever the ring stands: the same steps, draws, and the same further on. */
TEST(a_restored_replay_is_the_same) {
    for (uint32_t steps = 0; steps < 30; steps++) {
        lrn_replay *replay = make(9, 0.6F), *other = make(9, 0.6F);
        base_rng first_rng, second_rng;
        base_rng_seed(&first_rng, steps, 0);
        second_rng = first_rng;
        for (uint32_t i = 0; i < steps; i++) {
            add(replay, i);
            lrn_replay_judge(replay, lrn_replay_count(replay) / 2, (float)(i % 5));
        }
        json_t *saved = lrn_replay_save(replay);
        assert_non_null(saved);
        restore(other, saved);
        json_decref(saved);
        for (uint32_t i = steps; i < steps + 20; i++) {
            uint64_t first_priority = 0, second_priority = 0;
            add(replay, i);
            add(other, i);
            const uint32_t last = lrn_replay_count(replay) - 1;
            const uint32_t age =
                lrn_replay_draw(replay, &first_rng, last / 3, last, &first_priority);
            assert_int_equal(age,
                             lrn_replay_draw(other, &second_rng, last / 3, last, &second_priority));
            assert_int_equal(first_priority, second_priority);
            lrn_replay_judge(replay, age, (float)(i % 3));
            lrn_replay_judge(other, age, (float)(i % 3));
            for (uint32_t a = 0; a <= last; a++)
                assert_step(other, a, i - last + a);
        }
        json_t *first = lrn_replay_save(replay), *second = lrn_replay_save(other);
        assert_true(json_equal(first, second));
        json_decref(first);
        json_decref(second);
        lrn_replay_free(replay);
        lrn_replay_free(other);
    }
}

typedef struct mistake {
    const char *key;
    const char *value; /* JSON; NULL: left out */
    size_t at;         /* or digits to put into the text there */
} mistake;

static void assert_refused(const mistake *m) {
    lrn_replay *replay = make(4, 0.5F);
    col_problem problem = {0};
    for (uint32_t i = 0; i < 3; i++)
        add(replay, i);
    json_t *saved = lrn_replay_save(replay);
    if (m->value == NULL) {
        json_object_del(saved, m->key);
    } else if (m->at == SIZE_MAX) {
        json_object_set_new(saved, m->key, json_loads(m->value, JSON_DECODE_ANY, NULL));
    } else {
        char *text = strdup(json_string_value(json_object_get(saved, m->key)));
        memcpy(text + m->at, m->value, strlen(m->value));
        json_object_set_new(saved, m->key, json_string(text));
        free(text);
    }
    assert_int_equal(lrn_replay_restore(replay, ACTIONS, saved, &problem), COL_BAD_INPUT);
    assert_true(strlen(problem.message) > 0);
    assert_int_equal(lrn_replay_count(replay), 0); /* empty, and fit for use */
    add(replay, 0);
    assert_step(replay, 0, 0);
    json_decref(saved);
    lrn_replay_free(replay);
}

TEST(files_that_are_not_replays_are_refused) {
    static const mistake mistakes[] = {
        {"count", "5", SIZE_MAX},
        {"count", "-1", SIZE_MAX},
        {"count", "2", SIZE_MAX},
        {"count", NULL, 0},
        {"highest", "0", SIZE_MAX},
        {"highest", "9000000000000000000", SIZE_MAX},
        {"seen", "7fc00000", 8},
        {"seen", "7f800000", 16},
        {"seen", "g", 0},
        {"seen", "\"00\"", SIZE_MAX},
        {"seen", NULL, 0},
        {"rewards", "ff800000", 0},
        {"actions", "00000005", 0},
        {"actions", "00000003", 8},
        {"before", "00000002", 8},
        {"before", "00000005", 0},
        {"allowed", "0000000000000000", 0},
        {"allowed", "ff00000000000000", 0},
        {"ended", "02", 2},
        {"ended", "01", 2},
        {"priorities", "0000000000000000", 16},
        {"priorities", "7", 0},
        {"priorities", "[]", SIZE_MAX},
        {"rewards", "1", SIZE_MAX},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++)
        assert_refused(&mistakes[i]);
}
