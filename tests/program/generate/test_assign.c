/* SPDX-License-Identifier: MIT */
/* Addresses keep the biasing constraints, and only constraints that cannot be kept are refused. */
#include "address_oracle.h"
#include "harness.h"
#include "program/generate/generator.h"
#include "program/geometry.h"
#include "support.h"

#include <stdio.h>
#include <string.h>

enum { MOST_LOCATIONS = 4096 };

/* Levels whose index bits lie within those of the next larger one, in any order. */
static col_geometry random_geometry(base_rng *rng) {
    col_geometry geometry;
    prg_geometry_default(&geometry);
    if (chance(rng, 15))
        return geometry;
    geometry.block_bits = dice(rng, 3, 9);
    geometry.level_count = dice(rng, chance(rng, 10) ? 0 : 1, 4);
    uint32_t low = geometry.block_bits + (chance(rng, 40) ? dice(rng, 0, 8) : 0);
    uint32_t high = low + dice(rng, 0, 14);
    for (uint32_t n = 0; n < geometry.level_count; n++) {
        const uint32_t place = dice(rng, 0, n);
        geometry.levels[n] = geometry.levels[place];
        geometry.levels[place] =
            (col_cache_level){.index_low = low, .index_bits = high - low, .ways = dice(rng, 1, 16)};
        (void)snprintf(geometry.levels[place].name, sizeof geometry.levels[place].name, "C%u", n);
        low += chance(rng, 30) ? dice(rng, 0, high - low) / 2 : 0;
        high -= dice(rng, 0, high - low);
    }
    return geometry;
}

static col_addressing random_addressing(base_rng *rng, uint32_t locations) {
    col_addressing a = {.geometry = random_geometry(rng)};
    a.sharing = (col_sharing)dice(rng, 0, COL_SHARING_COUNT - 1);
    a.space_bits = chance(rng, 50) ? dice(rng, 3, 20) : dice(rng, 16, 48);
    a.alignment_bits = dice(rng, 3, a.space_bits < 9 ? a.space_bits : 9);
    if (chance(rng, 10))
        a.alignment_bits = dice(rng, 3, a.space_bits);
    a.base = base_rng_next(rng) >> a.space_bits << a.space_bits;
    if (chance(rng, 10))
        a.base = UINT64_MAX >> a.space_bits << a.space_bits;
    if (chance(rng, 25))
        return a;
    a.sets = dice(rng, 1, chance(rng, 50) && locations > 8 ? 8 : locations);
    if (chance(rng, 30))
        while (locations % a.sets != 0) /* uniform */
            a.sets--;
    else if (chance(rng, 90)) {
        uint32_t least, most;
        gen_cbc_range(locations, a.sets, &least, &most);
        a.largest = chance(rng, 50) ? least : dice(rng, least, most);
    } else {
        a.largest = dice(rng, 0, locations + 1);
        a.sets = dice(rng, 1, locations + 1);
    }
    return a;
}

BENCH_TEST(addresses_keep_the_constraints) {
    static uint64_t addresses[MOST_LOCATIONS];
    gen_assigner assigner = {0};
    uint32_t feasible = 0, refused = 0;
    for (uint32_t round = 0; round < 30000; round++) {
        /* Few more often than many. */
        const uint32_t most[] = {4, 16, 64, 200};
        const uint32_t locations = dice(&b->rng, 1, most[dice(&b->rng, 0, 3)]);
        const col_addressing a = random_addressing(&b->rng, locations);
        const char *impossible = infeasibility(&a, locations);
        b->problem.message[0] = '\0';
        const col_status status =
            gen_assign(&assigner, &a, locations, &b->rng, addresses, &b->problem);
        const char *wrong = NULL;
        if (status != COL_OK)
            wrong = impossible == NULL || status != COL_BAD_INPUT || b->problem.message[0] == '\0'
                        ? b->problem.message
                        : NULL;
        else if (impossible != NULL)
            wrong = impossible;
        else
            wrong =
                address_violation(&a, locations, addresses, a.sets == 0 ? NULL : assigner.set_of);
        if (wrong != NULL) {
            print_error(
                "%u locations, base 2^%u * %llu, aligned to 2^%u, sharing %d, cbc (%u, %u), blocks "
                "of 2^%u, levels",
                locations, a.space_bits, (unsigned long long)(a.base >> a.space_bits),
                a.alignment_bits, (int)a.sharing, a.sets, a.largest, a.geometry.block_bits);
            for (uint32_t n = 0; n < a.geometry.level_count; n++)
                print_error(" %u+%u", a.geometry.levels[n].index_low,
                            a.geometry.levels[n].index_bits);
            print_error("\n");
            fail_saying("round %u, status %d: %s\n", round, (int)status, wrong);
        }
        feasible += status == COL_OK;
        refused += status != COL_OK;
    }
    assert_true(feasible > 5000 && refused > 1000);
    gen_assigner_free(&assigner);
}

/* Full to the last place: as many locations as the subspace has room for, and one more. */
BENCH_TEST(a_full_subspace_works_and_one_more_is_refused) {
    static uint64_t addresses[MOST_LOCATIONS + 1];
    gen_assigner assigner = {0};
    for (uint32_t sharing = 0; sharing < COL_SHARING_COUNT; sharing++)
        for (uint32_t sets = 0; sets <= 64; sets = sets == 0 ? 1 : sets * 4) {
            col_addressing a = {.space_bits = 15, .alignment_bits = 3, .sets = sets};
            a.sharing = (col_sharing)sharing;
            prg_geometry_default(&a.geometry);
            a.geometry.level_count = 1; /* 64 sets, so 8 blocks and 64 words in each */
            const uint32_t room = (sharing == COL_TRUE_SHARING ? 8 : 64) * (sets == 0 ? 64 : sets);
            assert_int_equal(gen_assign(&assigner, &a, room, &b->rng, addresses, &b->problem),
                             COL_OK);
            assert_null(address_violation(&a, room, addresses, sets == 0 ? NULL : assigner.set_of));
            const uint32_t over = room + (sets == 0 ? 1 : sets);
            assert_refused(gen_assign(&assigner, &a, over, &b->rng, addresses, &b->problem),
                           &b->problem, "do not fit");
        }
    gen_assigner_free(&assigner);
}

BENCH_TEST(many_locations_are_spread) {
    static uint64_t addresses[MOST_LOCATIONS];
    gen_assigner assigner = {0};
    for (uint32_t sets = 0; sets <= 512; sets = sets == 0 ? 1 : sets * 8)
        for (uint32_t sharing = 0; sharing < COL_SHARING_COUNT; sharing++) {
            col_addressing a = {.space_bits = 31, .alignment_bits = 3, .sets = sets};
            a.sharing = (col_sharing)sharing;
            prg_geometry_default(&a.geometry);
            assert_int_equal(
                gen_assign(&assigner, &a, MOST_LOCATIONS, &b->rng, addresses, &b->problem), COL_OK);
            assert_null(address_violation(&a, MOST_LOCATIONS, addresses,
                                          sets == 0 ? NULL : assigner.set_of));
        }
    gen_assigner_free(&assigner);
}

/* Over many assignments a location is in every place equally often: low bits, index and tag. */
BENCH_TEST(places_are_drawn_evenly) {
    static const uint32_t shifts[] = {3, 6, 12, 15};
    gen_assigner assigner = {0};
    for (uint32_t sharing = 0; sharing < COL_SHARING_COUNT; sharing++)
        for (uint32_t sets = 0; sets <= 4; sets += 2) {
            uint32_t observed[4][8] = {{0}};
            col_addressing a = {.space_bits = 18, .alignment_bits = 3, .sets = sets};
            a.sharing = (col_sharing)sharing;
            prg_geometry_default(&a.geometry);
            a.geometry.level_count = 2;
            for (uint32_t draw = 0; draw < 8000; draw++) {
                uint64_t addresses[8];
                assert_int_equal(gen_assign(&assigner, &a, 8, &b->rng, addresses, &b->problem),
                                 COL_OK);
                for (uint32_t i = 0; i < 4; i++)
                    observed[i][addresses[draw % 8] >> shifts[i] & 7]++;
            }
            for (uint32_t i = 0; i < 4; i++)
                if (!spread_evenly(observed[i], 8))
                    fail_saying("sharing %u, %u sets: bits %u and up are uneven\n", sharing, sets,
                                shifts[i]);
        }
    gen_assigner_free(&assigner);
}

typedef struct malformed {
    const char *name, *words;
    col_addressing change; /* what is not 0 here replaces a setting of the default */
    col_cache_level level; /* and this level 1 */
    uint32_t level_count;
} malformed;

BENCH_TEST(malformed_settings_are_refused) {
    static const malformed cases[] = {
        {.name = "tiny space", .words = "2^3 to 2^48", .change = {.space_bits = 2}},
        {.name = "huge space", .words = "2^3 to 2^48", .change = {.space_bits = 49}},
        {.name = "endless space", .words = "2^3 to 2^48", .change = {.space_bits = 4294967295u}},
        {.name = "crooked base", .words = "multiple of its size", .change = {.base = 64}},
        {.name = "bytes", .words = "alignment is", .change = {.alignment_bits = 2}},
        {.name = "above the space", .words = "alignment is", .change = {.alignment_bits = 26}},
        {.name = "endless", .words = "alignment is", .change = {.alignment_bits = 4294967295u}},
        {.name = "sharing", .words = "sharing", .change = {.sharing = COL_SHARING_COUNT}},
        {.name = "small block", .words = "block", .change = {.geometry = {.block_bits = 2}}},
        {.name = "large block", .words = "block", .change = {.geometry = {.block_bits = 17}}},
        {.name = "levels", .words = "levels", .level_count = COL_MAX_LEVELS + 1},
        {.name = "in the block", .words = "index of level", .level = {"Y", 5, 6, 1}},
        {.name = "too high", .words = "index of level", .level = {"Y", 40, 9, 1}},
        {.name = "beyond", .words = "index of level", .level = {"Y", 6, 4294967295u, 1}},
        {.name = "wraps", .words = "index of level", .level = {"Y", 4294967290u, 16, 1}},
        {.name = "no ways", .words = "ways", .level = {"Y", 6, 9, 0}},
        {.name = "not nested", .words = "not among those", .level = {"Y", 14, 9, 1}},
        {.name = "too many sets", .words = "no cache level", .change = {.sets = 5000}},
        {.name = "odd sets", .words = "divides", .change = {.sets = 7}},
        {.name = "few", .words = "at least", .change = {.sets = 10, .largest = 2}},
        {.name = "many", .words = "at most", .change = {.sets = 10, .largest = 9992}},
    };
    static uint64_t addresses[10000];
    gen_assigner assigner = {0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const malformed *m = &cases[i];
        col_addressing a = {.space_bits = 25, .alignment_bits = 6};
        prg_geometry_default(&a.geometry);
        if (m->change.space_bits != 0)
            a.space_bits = m->change.space_bits;
        if (m->change.alignment_bits != 0)
            a.alignment_bits = m->change.alignment_bits;
        if (m->change.geometry.block_bits != 0)
            a.geometry.block_bits = m->change.geometry.block_bits;
        if (m->level.name[0] != '\0')
            a.geometry.levels[1] = m->level;
        if (m->level_count != 0)
            a.geometry.level_count = m->level_count;
        a.base = m->change.base;
        a.sharing = m->change.sharing;
        a.sets = m->change.sets;
        a.largest = m->change.largest;
        memset(&b->problem, 0, sizeof b->problem);
        const col_status status = gen_assign(&assigner, &a, 10000, &b->rng, addresses, &b->problem);
        if (status != COL_BAD_INPUT)
            print_error("not refused: %s\n", m->name);
        assert_refused(status, &b->problem, m->words);
    }
    gen_assigner_free(&assigner);
}

/* The oracle sees each wrong that it is there to see: a right assignment spoilt at one place. */
TEST(the_oracle_detects_wrong_assignments) {
    col_addressing a = {.space_bits = 20, .alignment_bits = 3, .sets = 2, .largest = 2};
    prg_geometry_default(&a.geometry);
    a.geometry.level_count = 2; /* 64 and 512 sets */
    const uint32_t set_of[4] = {0, 0, 1, 1};
    const uint64_t right[4] = {0x00000, 0x08000, 0x00040, 0x08040};
    static const struct {
        uint64_t address; /* of location 3 */
        const char *words;
    } spoilt[] = {{0x08040, NULL},          {0x08041, "aligned"}, {0x108040, "outside"},
                  {0x00040, "one address"}, {0x00048, "share"},   {0x08080, "two sets"},
                  {0x18040, NULL},          {0x09040, "two sets"}};
    for (size_t i = 0; i < sizeof spoilt / sizeof spoilt[0]; i++) {
        uint64_t addresses[4];
        memcpy(addresses, right, sizeof addresses);
        addresses[3] = spoilt[i].address;
        const char *found = address_violation(&a, 4, addresses, set_of);
        if (spoilt[i].words == NULL)
            assert_null(found);
        else if (found == NULL || strstr(found, spoilt[i].words) == NULL)
            fail_saying("location 3 at %llx: %s\n", (unsigned long long)spoilt[i].address,
                        found == NULL ? "accepted" : found);
    }
    const uint32_t lopsided[4] = {0, 0, 0, 1}, together[4] = {0, 0, 0, 0};
    assert_string_equal(address_violation(&a, 4, right, lopsided), "the largest class is not chi");
    assert_string_equal(address_violation(&a, 4, right, together), "not kappa classes");
    const uint64_t one_set[4] = {0x00000, 0x08000, 0x10000, 0x18000};
    assert_string_equal(address_violation(&a, 4, one_set, set_of),
                        "two classes lie in one set of a level");
    a.sharing = COL_FALSE_SHARING;
    assert_string_equal(address_violation(&a, 4, right, set_of),
                        "a location is alone in its block");
    a.sharing = COL_TRUE_SHARING;
    a.geometry.levels[0].index_bits = 1;
    a.sets = 4;
    a.largest = 1;
    const uint32_t apart[4] = {0, 1, 2, 3};
    const uint64_t even[4] = {0x000, 0x080, 0x040, 0x0c0}, uneven[4] = {0x000, 0x080, 0x100, 0x0c0};
    assert_null(address_violation(&a, 4, even, apart));
    assert_string_equal(address_violation(&a, 4, uneven, apart),
                        "classes are spread unevenly over a level");
}
