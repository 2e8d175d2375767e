/* SPDX-License-Identifier: MIT */
/* Small random programs and their executions: see small_programs.h. */
#include "small_programs.h"

#include "collider/generate.h"
#include "harness.h"

enum { LOCATIONS = 3 };

void draw_small_program(const char *mix, uint64_t seed, col_program *program) {
    col_generator *generator = col_generator_new();
    col_generation settings;
    col_problem problem;
    col_generation_default(&settings);
    settings.threads = 3;
    settings.operations = 10;
    settings.locations = LOCATIONS;
    assert_int_equal(col_instruction_mix_parse(mix, &settings.instructions, &problem), COL_OK);
    assert_int_equal(col_generate(generator, &settings, seed, 0, program, &problem), COL_OK);
    assert_true(col_program_operations(program) <= MOST_SMALL_OPERATIONS);
    col_generator_free(generator);
}

uint32_t execute_nearly_in_order(const col_program *program, base_rng *rng, col_event *events) {
    const uint32_t count = col_program_operations(program);
    uint64_t memory[LOCATIONS] = {0};
    bool is_done[MOST_SMALL_OPERATIONS] = {false};
    uint32_t event_count = 0;
    for (uint32_t left = count; left > 0; left--) {
        uint32_t o = (uint32_t)base_rng_below(rng, count), step = (uint32_t)base_rng_below(rng, 2);
        const uint32_t thread = col_program_thread_of(program, o);
        for (o = program->thread_start[thread];
             o < program->thread_start[thread + 1] && (is_done[o] || step-- > 0);)
            o++;
        for (o = o < count ? o : 0; is_done[o];)
            o = (o + 1) % count;
        is_done[o] = true;
        const col_operation *operation = &program->operations[o];
        const col_kind_traits *traits = &col_kinds[operation->kind];
        const bool writes =
            traits->writes && (operation->kind != COL_CONDITIONAL || base_rng_below(rng, 2) == 0);
        if (!traits->reads && !traits->writes)
            continue;
        uint64_t *word = &memory[operation->location];
        col_event event = {.kind = writes ? COL_STORE_PERFORMED : COL_LOAD_PERFORMED,
                           .operation = o,
                           .word = *word};
        if (writes) {
            event.overwritten = event.read = *word;
            *word =
                (operation->kind == COL_ADD ? *word : 0) + col_program_operand(program, operation);
            event.word = *word;
        }
        events[event_count++] = event;
    }
    return event_count;
}
