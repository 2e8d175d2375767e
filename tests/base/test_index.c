/* SPDX-License-Identifier: MIT */
/* Numbers of things and of texts: the same as a search through all of them would find. */
#include "base/hash.h"

#include "base/names.h"
#include "base/random.h"

#include "harness.h"

#include <stdio.h>

enum { THINGS = 3000 };

static bool is_thing(const void *things, uint32_t number, const void *wanted) {
    return ((const uint64_t *)things)[number] == *(const uint64_t *)wanted;
}

static uint32_t find_slowly(const uint64_t *things, size_t count, uint64_t wanted) {
    for (size_t i = 0; i < count; i++)
        if (things[i] == wanted)
            return (uint32_t)i;
    return BASE_NO_NUMBER;
}

/* Hashes of few bits: many things have the same one, and most of their slots. */
static void check_things(uint64_t hash_mask) {
    static uint64_t things[THINGS];
    base_index index = {0};
    base_rng rng;
    base_rng_seed(&rng, 1, hash_mask);
    for (uint32_t i = 0; i < THINGS; i++) {
        const uint64_t thing = base_rng_below(&rng, THINGS);
        const uint64_t hash = base_index_hash(thing) & hash_mask;
        const uint32_t expected = find_slowly(things, index.count, thing);
        assert_int_equal(base_index_find(&index, hash, is_thing, things, &thing), expected);
        if (expected != BASE_NO_NUMBER)
            continue;
        things[index.count] = thing;
        assert_int_equal(base_index_put(&index, hash, NULL), COL_OK);
    }
    assert_true(index.count > THINGS / 2);
    for (uint64_t thing = 0; thing < THINGS; thing++)
        assert_int_equal(
            base_index_find(&index, base_index_hash(thing) & hash_mask, is_thing, things, &thing),
            find_slowly(things, index.count, thing));
    base_index_free(&index);
}

TEST(an_index_matches_a_linear_search) {
    check_things(UINT64_MAX);
    check_things(31);
    check_things(0);
}

TEST(a_number_can_be_its_own_hash) {
    base_index index = {0};
    for (uint64_t i = 0; i < 1000; i++)
        assert_int_equal(base_index_put(&index, base_index_hash(i << 40), NULL), COL_OK);
    for (uint64_t i = 0; i < 1000; i++) {
        assert_int_equal(base_index_find(&index, base_index_hash(i << 40), NULL, NULL, NULL), i);
        assert_int_equal(base_index_find(&index, base_index_hash((i << 40) + 1), NULL, NULL, NULL),
                         BASE_NO_NUMBER);
    }
    base_index_free(&index);
}

TEST(a_cleared_index_is_empty) {
    base_index index = {0};
    base_index_clear(&index);
    for (uint64_t i = 0; i < 100; i++)
        assert_int_equal(base_index_put(&index, base_index_hash(i), NULL), COL_OK);
    const size_t slots = index.slot_count;
    base_index_clear(&index);
    assert_int_equal(base_index_find(&index, base_index_hash(7), NULL, NULL, NULL), BASE_NO_NUMBER);
    assert_int_equal(base_index_put(&index, base_index_hash(7), NULL), COL_OK);
    assert_int_equal(base_index_find(&index, base_index_hash(7), NULL, NULL, NULL), 0);
    assert_int_equal(index.slot_count, slots);
    base_index_free(&index);
}

TEST(reserved_entries_do_not_move) {
    base_index index = {0};
    assert_int_equal(base_index_reserve(&index, 1000, NULL), COL_OK);
    const uint32_t *slots = index.slots;
    const uint64_t *hashes = index.hashes;
    for (uint64_t i = 0; i < 1000; i++)
        assert_int_equal(base_index_put(&index, i, NULL), COL_OK);
    assert_ptr_equal(index.slots, slots);
    assert_ptr_equal(index.hashes, hashes);
    base_index_free(&index);
}

TEST(a_text_is_kept_once) {
    base_arena arena = {0};
    base_names names = {.arena = &arena};
    for (uint32_t turn = 0; turn < 2; turn++)
        for (uint32_t i = 0; i < 500; i++) {
            char text[16];
            uint32_t number;
            bool is_new;
            (void)snprintf(text, sizeof text, "name %u", i);
            assert_int_equal(base_names_find(&names, text), turn == 0 ? BASE_NO_NUMBER : i);
            assert_int_equal(base_names_add(&names, text, &number, &is_new, NULL), COL_OK);
            assert_int_equal(number, i);
            assert_int_equal(is_new, turn == 0);
            assert_string_equal(names.texts[number], text);
        }
    assert_int_equal(names.count, 500);
    base_names_free(&names);
    base_arena_free(&arena);
}

TEST(a_part_is_a_text_of_its_own) {
    base_arena arena = {0};
    base_names names = {.arena = &arena};
    uint32_t number;
    for (uint32_t length = 0; length <= 5; length++) {
        assert_int_equal(base_names_add_part(&names, "cache", length, &number, NULL, NULL), COL_OK);
        assert_int_equal(number, length);
    }
    assert_string_equal(names.texts[0], "");
    assert_string_equal(names.texts[3], "cac");
    assert_int_equal(base_names_find(&names, "cach"), 4);
    assert_int_equal(base_names_find(&names, "caches"), BASE_NO_NUMBER);
    base_names_free(&names);
    base_arena_free(&arena);
}
