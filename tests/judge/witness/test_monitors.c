/* SPDX-License-Identifier: MIT */
/*
 * What the simulator's designs tell of the sources of words is enough for both monitors. With one
 * location in a block, what a core reads or replaces of another core's must be among the replies to
 * its misses: by the sources alone on every protocol, but for a few replies to loads that lost
 * their words before they performed; and always in the witness, which knows whose words they are.
 */
#include "collider/generate.h"
#include "collider/witness.h"
#include "protocol/simulate/protocol_library.h"
#include "protocol/simulate/system.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdlib.h>
#include <string.h>

#ifdef REDUCED
enum { PROGRAMS = 2 };
#else
enum { PROGRAMS = 12 };
#endif

enum { CORES = 4, OPERATIONS = 400, LOCATIONS = 12, INSTANCES = 3, MOST_VALUES = 2 * OPERATIONS };

/* By core and value: what was seen in the instance under way. */
typedef struct seen {
    const col_program *program;
    col_witness *witness;
    bool external[CORES][MOST_VALUES]; /* of another core's write */
    bool replied[CORES][MOST_VALUES];  /* that by its source came from outside */
    uint32_t values, external_values;  /* of all instances */
    uint32_t untold[SIM_MODE_COUNT];   /* external values that by no source came from outside */
} seen;

static uint32_t writer_of(const col_program *program, uint64_t value) {
    for (uint32_t i = 0; i < col_program_operations(program); i++)
        if (col_kinds[program->operations[i].kind].writes && program->operations[i].value == value)
            return col_program_thread_of(program, i);
    return UINT32_MAX;
}

static void notice(void *context, const col_event *event) {
    seen *s = context;
    const uint64_t value = event->kind == COL_LOAD_PERFORMED ? event->word : event->overwritten;
    col_witness_notice(s->witness, event);
    assert_true(value < MOST_VALUES && event->core < CORES);
    assert_true(event->source != COL_FROM_UNKNOWN);
    if (event->source >= COL_FROM_OTHER_CORE)
        s->replied[event->core][value] = true;
    if (value != 0 && writer_of(s->program, value) != event->core)
        s->external[event->core][value] = true;
}

/* The witness of replies has what was replied, and what other cores wrote, and no more. */
static void check_core(seen *s, sim_mode mode, uint32_t core) {
    uint64_t list[MOST_VALUES];
    bool is_in[MOST_VALUES] = {false};
    const uint32_t count =
        col_witness_values(s->witness, COL_LAST_INSTANCE, COL_OBSERVE_CO, core, list, MOST_VALUES);
    for (uint32_t i = 0; i < count; i++)
        is_in[list[i]] = true;
    for (uint32_t v = 0; v < MOST_VALUES; v++) {
        assert_int_equal(is_in[v], s->replied[core][v] || s->external[core][v]);
        s->values += is_in[v];
        s->external_values += s->external[core][v];
        s->untold[mode] += s->external[core][v] && !s->replied[core][v];
    }
}

static void make_program(uint64_t number, col_program *program) {
    col_problem problem;
    col_generation generation;
    col_generator *generator = col_generator_new();
    assert_non_null(generator);
    col_generation_default(&generation);
    generation.threads = CORES;
    generation.operations = OPERATIONS;
    generation.locations = LOCATIONS;
    assert_int_equal(col_instruction_mix_parse("even", &generation.instructions, &problem), COL_OK);
    assert_int_equal(col_generate(generator, &generation, 1, number, program, &problem), COL_OK);
    for (uint32_t l = 0; l < LOCATIONS; l++) /* five of them in a set of a small cache */
        program->addresses[l] = (uint64_t)(l % 2 + 64 * l) * 64;
    col_generator_free(generator);
}

static sim_system *make_system(const sl_protocol *protocol, sim_mode mode) {
    sim_wiring wiring;
    sim_system *system = NULL;
    col_problem problem;
    assert_int_equal(sim_wiring_infer(&wiring, protocol, CORES, &problem), COL_OK);
    wiring.core.mode = mode;
    for (uint32_t m = 0; m < protocol->machine_count; m++)
        for (uint32_t i = 0; i < wiring.machines[m].cache_count; i++)
            wiring.machines[m].caches[i].bytes = wiring.machines[m].is_private ? 512 : 4096;
    if (sim_system_new(&system, protocol, &wiring, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    return system;
}

static void try_design(seen *s, const sl_protocol *protocol, sim_mode mode,
                       const col_program *program) {
    sim_system *system = make_system(protocol, mode);
    const col_observer observer = {s, notice, 1U << COL_LOAD_PERFORMED | 1U << COL_STORE_PERFORMED};
    sim_result result;
    col_problem problem;
    s->program = program;
    assert_int_equal(col_witness_load(s->witness, program, CORES, &problem), COL_OK);
    for (uint64_t seed = 0; seed < INSTANCES; seed++) {
        memset(s->external, 0, sizeof s->external);
        memset(s->replied, 0, sizeof s->replied);
        assert_int_equal(col_witness_begin(s->witness, &problem), COL_OK);
        assert_int_equal(sim_system_run(system, program, seed, false, &observer, &result, &problem),
                         COL_OK);
        if (system->failure.happened)
            fail_msg("%s: %s", protocol->name, system->failure.text);
        col_witness_end(s->witness);
        for (uint32_t core = 0; core < CORES; core++)
            check_core(s, mode, core);
    }
    sim_system_free(system);
}

TEST(witnesses_hold_the_values_replied_to_misses) {
    col_program program = COL_PROGRAM_EMPTY;
    col_problem problem;
    seen *s = calloc(1, sizeof *s);
    assert_non_null(s);
    assert_int_equal(col_witness_new(&s->witness, &problem), COL_OK);
    for (uint64_t number = 0; number < PROGRAMS; number++) {
        make_program(number, &program);
        for (const sl_protocol *const *p = sim_built_in; *p != NULL; p++)
            for (sim_mode mode = SIM_SIMPLE; mode < SIM_MODE_COUNT; mode++)
                try_design(s, *p, mode, &program);
    }
    print_message("%u values replied, %u of them other cores'; by sources alone %u, %u, %u and %u "
                  "less (simple, sc, tso, weak)\n",
                  s->values, s->external_values, s->untold[SIM_SIMPLE], s->untold[SIM_SC],
                  s->untold[SIM_TSO], s->untold[SIM_WEAK]);
    assert_true(s->external_values > s->values / 2 && s->external_values < s->values);
    assert_int_equal(s->untold[SIM_SIMPLE] + s->untold[SIM_WEAK], 0);
    assert_true(s->untold[SIM_SC] + s->untold[SIM_TSO] < s->external_values / 200);
    col_witness_free(s->witness);
    col_program_free(&program);
    free(s);
}
