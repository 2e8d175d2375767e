/* SPDX-License-Identifier: MIT */
/* Which controller serves an address for whom, with banks and with clusters. */
#include "collider/protocol.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

enum { CACHE = 1, BANK = 2, CORES = 8 };

static sl_system a_system(uint32_t banks, uint32_t clusters) {
    sl_system s = {0};
    s.count_of[CACHE] = CORES;
    s.clusters_of[CACHE] = 1;
    s.count_of[BANK] = banks;
    s.clusters_of[BANK] = clusters;
    return s;
}

static uint32_t serving(sl_system *s, uint32_t type, uint32_t number, sl_address address) {
    const sl_machine machine = {.type = type};
    const sl_controller c = {.system = s, .machine = &machine, .number = number};
    const sl_machine_id by_address = sl_map_address(&c, address, BANK);
    const uint32_t banks = s->count_of[BANK] / s->clusters_of[BANK];
    int64_t bits = 0;
    while (1U << bits < banks)
        bits++;
    assert_int_equal(by_address, sl_map_range(&c, address, BANK, SL_BLOCK_BITS, bits));
    assert_int_equal(sl_machine_type(by_address), BANK);
    return sl_machine_number(by_address);
}

/* Without clusters all controllers ask the same one, and blocks go round. */
static void banks_serve_everybody(void **state) {
    for (uint32_t banks = 1; banks <= 8; banks *= 2) {
        sl_system s = a_system(banks, 1);
        for (uint32_t core = 0; core < CORES; core++)
            for (uint32_t block = 0; block < 32; block++)
                assert_int_equal(serving(&s, CACHE, core, (sl_address)block << SL_BLOCK_BITS | 24),
                                 block % banks);
    }
}

/* Eight cores, two clusters of two banks: cores 0 to 3 ask banks 0 and 1, the others 2 and 3. */
static void clusters_serve_neighbours(void **state) {
    sl_system s = a_system(4, 2);
    for (uint32_t core = 0; core < CORES; core++)
        for (uint32_t block = 0; block < 32; block++)
            assert_int_equal(serving(&s, CACHE, core, (sl_address)block << SL_BLOCK_BITS),
                             core / 4 * 2 + block % 2);
    for (uint32_t bank = 0; bank < 4; bank++) /* a bank belongs to its own cluster */
        assert_int_equal(serving(&s, BANK, bank, 0), bank / 2 * 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(banks_serve_everybody),
        cmocka_unit_test(clusters_serve_neighbours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
