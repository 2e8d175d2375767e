/* SPDX-License-Identifier: MIT */
/* Where fetches go: in the block of their location, beside all locations. */
#include "design/isa/isa.h"

#include "base/random.h"
#include "harness.h"

#include <stdlib.h>

/* A thread that fetches from each location, at these addresses, in turn. */
static col_program make(uint64_t *addresses, uint32_t count, bool is_narrow) {
    col_program program = COL_PROGRAM_EMPTY;
    program.location_count = count;
    program.addresses = addresses;
    program.is_narrow = is_narrow;
    program.thread_count = 1;
    program.thread_start = calloc(2, sizeof *program.thread_start);
    program.operations = calloc(count, sizeof *program.operations);
    assert_non_null(program.thread_start);
    assert_non_null(program.operations);
    program.thread_start[1] = count;
    for (uint32_t i = 0; i < count; i++)
        program.operations[i] = (col_operation){.kind = COL_FETCH, .location = i};
    return program;
}

static void drop(col_program *program) {
    free(program->thread_start);
    free(program->operations);
}

static bool is_free(const col_program *program, uint64_t place) {
    const uint32_t bytes = col_program_word_bytes(program);
    for (uint32_t l = 0; l < program->location_count; l++)
        if (place + ISA_STUB_BYTES > program->addresses[l] && place < program->addresses[l] + bytes)
            return false;
    return true;
}

/* As the header says, looked for at every place of the block. */
static uint64_t expected_place(const col_program *program, uint32_t location) {
    const uint64_t own = program->addresses[location], block = own / ISA_STUB_BLOCK;
    uint64_t best = ISA_NO_STUB;
    for (uint64_t at = 0; at < ISA_STUB_BLOCK; at += ISA_STUB_BYTES) {
        const uint64_t place = block * ISA_STUB_BLOCK + at;
        if (is_free(program, place) && (best == ISA_NO_STUB || (place ^ own) < (best ^ own)))
            best = place;
    }
    return best;
}

TEST(stubs_are_beside_all_locations_and_near_their_own) {
    enum { PROGRAMS = 200, BLOCKS = 4, MOST = BLOCKS * ISA_STUB_BLOCK / COL_NARROW_BYTES };
    base_rng rng;
    uint64_t addresses[MOST];
    uint32_t full = 0;
    base_rng_seed(&rng, 1, 0);
    for (int p = 0; p < PROGRAMS; p++) {
        const bool is_narrow = p % 2 != 0;
        const uint32_t bytes = is_narrow ? COL_NARROW_BYTES : COL_WORD_BYTES;
        const uint64_t base = base_rng_next(&rng) % 1000 * ISA_STUB_BLOCK;
        uint32_t count = 0;
        for (uint64_t at = (uint64_t)BLOCKS * ISA_STUB_BLOCK; at > 0; at -= bytes)
            if (base_rng_next(&rng) % 8 != 0)
                addresses[count++] = base + at - bytes;
        col_program program = make(addresses, count, is_narrow);
        uint64_t *places;
        assert_int_equal(isa_stub_places(&program, 0, count, &places, NULL), COL_OK);
        for (uint32_t l = 0; l < count; l++) {
            assert_int_equal(places[l], expected_place(&program, l));
            full += places[l] == ISA_NO_STUB;
        }
        free(places);
        assert_int_equal(isa_stub_places(&program, 0, 0, &places, NULL), COL_OK);
        assert_null(places); /* nothing fetches there */
        drop(&program);
    }
    assert_true(full > 0);
}

/* Looking at all locations for each fetch would take minutes. */
TEST(a_large_program_has_its_stubs_at_once) {
    enum { COUNT = 1 << 18, APART = 1 << 7 };
    uint64_t *addresses = calloc(COUNT, sizeof *addresses), *places;
    uint32_t count;
    assert_non_null(addresses);
    for (uint32_t i = 0; i < COUNT; i++)
        addresses[i] = (uint64_t)(COUNT - i) * APART;
    col_program program = make(addresses, COUNT, false);
    assert_int_equal(isa_stub_list(&program, &places, &count, NULL), COL_OK);
    assert_int_equal(count, COUNT);
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(places[i], (uint64_t)(i + 1) * APART + COL_WORD_BYTES);
    free(places);
    drop(&program);
    free(addresses);
}
