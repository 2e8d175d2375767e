/* SPDX-License-Identifier: MIT */
/* Instruction fetches: they bring blocks, are ordered by nothing, and must not return stale words.
 */
#include "runs.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#ifdef REDUCED
enum { SEEDS = 8, SYSTEMS = 12 };
#else
enum { SEEDS = 50, SYSTEMS = 64 };
#endif

/* Protocols without fetches, which take everything but stores and flushes as loads: what is asked
 * for here is what the core does. */
static const char *const names[] = {"mi", "msi"};
enum { NAMES = sizeof names / sizeof names[0] };

typedef struct fetching {
    sl_protocol protocol;
    sl_machine copies[SIM_MOST_MACHINES];
    const sl_machine *machines[SIM_MOST_MACHINES];
} fetching;

static void make_fetching(fetching *f, const sl_protocol *protocol, bool fetches) {
    f->protocol = *protocol;
    for (uint32_t m = 0; m < protocol->machine_count; m++) {
        f->copies[m] = *protocol->machines[m];
        assert_false(sl_takes(&f->copies[m], SL_IFETCH));
        f->copies[m].requests |= (uint64_t)fetches << SL_IFETCH;
        f->machines[m] = &f->copies[m];
    }
    f->protocol.machines = f->machines;
}

static seen_run run_once(const sl_protocol *protocol, const char *text, sim_mode mode,
                         uint64_t seed) {
    col_program program = COL_PROGRAM_EMPTY;
    run_shape shape = plain_shape(2, 0);
    shape.mode = mode;
    sim_system *system = make_system(protocol, &shape);
    read_text(&program, text);
    const seen_run s = see(system, &program, seed);
    sim_system_free(system);
    col_program_free(&program);
    return s;
}

/* Operation 0 is the fetch, and no load. */
TEST(a_fetch_brings_its_block_where_the_protocol_takes_it) {
    static const char text[] = "collider program 1\nlocation a0 0x40\n"
                               "thread 0\n fetch a0\n delay 2000\n load a0\nend\n";
    for (uint32_t n = 0; n < NAMES; n++)
        for (uint32_t mode = SIM_SIMPLE; mode < SIM_MODE_COUNT; mode++)
            for (uint32_t fetches = 0; fetches < 2; fetches++) {
                fetching f;
                make_fetching(&f, sim_built_in_find(names[n]), fetches == 1);
                const seen_run s = run_once(&f.protocol, text, (sim_mode)mode, mode);
                assert_int_equal(s.operations[0].times, 0);
                assert_int_equal(s.operations[2].source == COL_FROM_PRIVATE_CACHE, fetches == 1);
            }
}

/* A store to the block comes after the fetch, and a load behind it still sees the store. */
TEST(accesses_to_the_block_of_a_fetch_keep_their_words) {
    static const char text[] = "collider program 1\nlocation a0 0x40\n"
                               "thread 0\n fetch a0\n store a0 1\n load a0\nend\n";
    for (uint32_t n = 0; n < NAMES; n++)
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            fetching f;
            make_fetching(&f, sim_built_in_find(names[n]), true);
            const seen_run s = run_once(&f.protocol, text, SIM_TSO, seed);
            assert_int_equal(s.operations[2].word, 1);
        }
}

TEST(random_programs_with_fetches_run_coherently) {
    col_program program = COL_PROGRAM_EMPTY;
    base_rng rng;
    base_rng_seed(&rng, 4, 30);
    for (uint32_t n = 0; n < NAMES; n++) {
        fetching f;
        make_fetching(&f, sim_built_in_find(names[n]), true);
        for (uint32_t i = 0; i < SYSTEMS; i++) {
            run_shape shape = random_shape(&rng, 4, 512);
            witness w = {0};
            shape.monitors = true;
            shape.mix = "load=0.25,store=0.3,swap=0.02,fence=0.03,flush=0.1,fetch=0.3";
            sim_system *system = make_system(&f.protocol, &shape);
            make_program(&shape, i, &program);
            run_instance(system, &program, i, false, &w);
            if (system->failure.happened)
                fail_msg("%s, system %u: %s", names[n], i, system->failure.text);
            assert_complete(&w);
            witness_end(&w);
            sim_system_free(system);
        }
    }
    col_program_free(&program);
}
