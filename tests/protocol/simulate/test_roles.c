/* SPDX-License-Identifier: MIT */
/* Designs that have several kinds of one machine: who is where, who asks whom, and that it runs. */
#include "runs.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <string.h>

static sim_system *open_levels(sim_design *design, uint32_t cores) {
    return open_design(design, TEST_DATA "/design/levels.yaml", cores);
}

static sl_controller *find(const sim_system *s, const char *machine, uint32_t number) {
    for (uint32_t i = 0; i < s->base.controller_count; i++)
        if (strcmp(s->controllers[i]->machine->name, machine) == 0 &&
            s->controllers[i]->number == number)
            return s->controllers[i];
    fail_msg("there is no %s %u", machine, number);
    return NULL;
}

TEST(each_kind_has_its_own_numbers_and_parameters) {
    static sim_design design;
    sim_system *s = open_levels(&design, 0);
    assert_int_equal(design.protocol->machine_count, 3);
    assert_int_equal(s->base.controller_count, 12);
    for (uint32_t i = 0; i < s->base.controller_count; i++) {
        const sl_controller *c = s->controllers[i];
        assert_int_equal(c->id, i);
        assert_int_equal(sl_controller_of(&s->base, c->machine_id), i);
        assert_ptr_equal(s->controllers[i], find(s, c->machine->name, c->number));
    }
    assert_int_equal(find(s, "First", 3)->core, 3);
    assert_int_equal(find(s, "Second", 3)->core, 3);
    assert_int_equal(find(s, "Home", 3)->core, UINT32_MAX);
    assert_ptr_equal(s->cores[2].controller, find(s, "First", 2));
    assert_int_equal(design.wiring.machines[0].caches[0].bytes, 1024);
    assert_int_not_equal(design.wiring.machines[1].caches[0].bytes, 1024);
    sim_system_free(s);
    sim_design_close(&design);
}

/* The second level of the same core; then a bank of the core's cluster. */
TEST(requests_go_downstream) {
    static sim_design design;
    sim_system *s = open_levels(&design, 0);
    for (uint32_t core = 0; core < 4; core++)
        for (uint32_t block = 0; block < 4; block++) {
            sl_controller *first = find(s, "First", core);
            sl_controller *second = find(s, "Second", core);
            const sl_address address = (sl_address)block * 64;
            assert_int_equal(sl_map_downstream(first, address), second->machine_id);
            assert_int_equal(sl_map_downstream(second, address),
                             find(s, "Home", core / 2 * 2 + block % 2)->machine_id);
        }
    sim_system_free(s);
    sim_design_close(&design);
}

static void run(sim_system *s, const char *text) {
    col_program program = COL_PROGRAM_EMPTY;
    read_text(&program, text);
    for (uint64_t seed = 0; seed < 20; seed++)
        (void)run_well(s, &program, seed, false, NULL);
    col_program_free(&program);
}

TEST(a_system_of_them_runs) {
    static const char text[] = "collider program 1\nlocation a0 0x40\nlocation a1 0x80\n"
                               "thread 0\n load a0\n load a1\n load a0\n"
                               "thread 1\n load a1\n load a0\nend\n";
    static sim_design design;
    sim_system *s = open_levels(&design, 2);
    run(s, text);
    sim_system_free(s);
    sim_design_close(&design);
}

/* Each core gets the answers to its own requests, and the monitor sees no stale word. */
TEST(two_cores_share_a_controller) {
    static const char text[] = "collider program 1\nlocation a0 0x40\nlocation a1 0x80\n"
                               "thread 0\n store a0 1\n load a1\n store a1 2\n load a0\n"
                               "thread 1\n load a1\n store a0 3\n load a0\n load a1\nend\n";
    static sim_design design;
    col_problem problem = {0};
    sim_system *s = open_design(&design, TEST_DATA "/design/pair.yaml", 0);
    assert_int_equal(design.wiring.machines[0].count, 1);
    assert_ptr_equal(s->cores[0].controller, s->cores[1].controller);
    run(s, text);
    sim_system_free(s);
    sim_design_close(&design);
    assert_int_equal(sim_design_open(&design, TEST_DATA "/design/pair.yaml", 3, NULL, &problem),
                     COL_BAD_INPUT);
    assert_non_null(strstr(problem.message, "is for 2 cores, and 3 are not a multiple of that"));
}

static uint32_t count_events(const sim_system *s, const char *machine, const char *event) {
    uint32_t count = 0;
    for (uint32_t m = 0; m < s->protocol->machine_count; m++) {
        const sl_machine *of = s->protocol->machines[m];
        for (uint32_t i = 0; strcmp(of->name, machine) == 0 &&
                             i < s->wiring.machines[m].count * of->state_count * of->event_count;
             i++)
            count += strcmp(of->events[i % of->event_count], event) == 0 ? s->counts[m][i] : 0;
    }
    return count;
}

/* Fetches go to their own side, whose losses are nothing to the loads. */
TEST(fetches_have_their_own_machine) {
    static const char text[] = "collider program 1\nlocation a0 0x40\nlocation a1 0x80\n"
                               "thread 0\n load a0\n fetch a1\n fetch a0\n"
                               "thread 1\n fetch a0\n load a1\nend\n";
    static sim_design design;
    col_program program = COL_PROGRAM_EMPTY;
    sim_system *s = open_design(&design, TEST_DATA "/design/sides.yaml", 0);
    assert_ptr_equal(s->cores[1].fetcher, find(s, "Instructions", 1));
    assert_ptr_equal(s->cores[1].controller, find(s, "First", 1));
    read_text(&program, text);
    (void)run_well(s, &program, 1, false, NULL);
    assert_int_equal(count_events(s, "Instructions", "Load"), 3);
    assert_int_equal(count_events(s, "First", "Load"), 2);
    s->cores[0].access_count = 1;
    s->cores[0].accesses[0] = (sim_access){.block = 0x40};
    sim_evicted(s->cores[0].fetcher, 0x40);
    assert_false(s->cores[0].accesses[0].lost);
    sim_evicted(s->cores[0].controller, 0x40);
    assert_true(s->cores[0].accesses[0].lost);
    col_program_free(&program);
    sim_system_free(s);
    sim_design_close(&design);
}

/* What an engine does is seen by the other cores, and the monitor sees no stale word. */
TEST(engines_ask_as_cores_do) {
    static const char text[] = "collider program 1\nlocation a0 0x40\nlocation a1 0x80\n"
                               "location a2 0x88\n"
                               "thread 0\n dma-write a0 1\n store a1 2\n load a0\n await a2 4\n"
                               "thread 1\n load a0\n dma-read a1\n dma-write a2 4\n store a1 3\n"
                               " await a0 1\nend\n";
    static sim_design design;
    sim_system *s = open_design(&design, TEST_DATA "/design/io.yaml", 0);
    assert_int_equal(s->dma_count, 2);
    assert_int_equal(find(s, "Engine", 1)->core, UINT32_MAX);
    assert_ptr_equal(s->cores[1].controller, find(s, "First", 1));
    run(s, text);
    assert_true(count_events(s, "Engine", "Load") >= 1);
    assert_true(count_events(s, "Engine", "Store") >= 2);
    sim_system_free(s);
    sim_design_close(&design);
}

/* ---- Which controller serves an address for whom, with banks and with clusters. */

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
TEST(banks_serve_everybody) {
    for (uint32_t banks = 1; banks <= 8; banks *= 2) {
        sl_system s = a_system(banks, 1);
        for (uint32_t core = 0; core < CORES; core++)
            for (uint32_t block = 0; block < 32; block++)
                assert_int_equal(serving(&s, CACHE, core, (sl_address)block << SL_BLOCK_BITS | 24),
                                 block % banks);
    }
}

/* Eight cores, two clusters of two banks: cores 0 to 3 ask banks 0 and 1, the others 2 and 3. */
TEST(clusters_serve_neighbours) {
    sl_system s = a_system(4, 2);
    for (uint32_t core = 0; core < CORES; core++)
        for (uint32_t block = 0; block < 32; block++)
            assert_int_equal(serving(&s, CACHE, core, (sl_address)block << SL_BLOCK_BITS),
                             core / 4 * 2 + block % 2);
    for (uint32_t bank = 0; bank < 4; bank++) /* a bank belongs to its own cluster */
        assert_int_equal(serving(&s, BANK, bank, 0), bank / 2 * 2);
}
