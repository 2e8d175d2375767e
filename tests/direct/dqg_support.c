/* SPDX-License-Identifier: MIT */
/* Spaces of programs for tests: see dqg_support.h. */
#include "direct/dqg_support.h"

#include "generate/mix.h"
#include "harness.h"

#include <string.h>

dqg_space dqg_space_of(dqg_shape shape, uint64_t seed) {
    col_generation generation;
    col_generation_default(&generation);
    const col_engine_settings settings = {.threads = shape.threads,
                                          .operations = shape.operations,
                                          .locations = shape.locations,
                                          .mix = shape.mix,
                                          .geometry = generation.addressing.geometry,
                                          .seed = seed};
    dqg_space space;
    col_error error = {0};
    if (dqg_space_open(&space, dir_engine_find("rag"), &settings, &error) != COL_OK)
        fail_msg("%s", error.message);
    return space;
}

dqg_program dqg_program_in(const dqg_space *space) {
    dqg_program program;
    assert_int_equal(dqg_program_new(&program, space, NULL), COL_OK);
    return program;
}

void dqg_copy(const dqg_space *space, const dqg_program *from, dqg_program *to) {
    mtg_gene *genes = to->genes;
    memcpy(genes, from->genes, space->rtg.sizes[from->size] * sizeof *genes);
    *to = *from;
    to->genes = genes;
}

bool dqg_equal_genes(const dqg_space *space, const dqg_program *a, const dqg_program *b) {
    if (a->size != b->size)
        return false;
    for (uint32_t i = 0; i < space->rtg.sizes[a->size]; i++)
        if (a->genes[i].template != b->genes[i].template ||
            a->genes[i].location != b->genes[i].location ||
            a->genes[i].thread != b->genes[i].thread)
            return false;
    return true;
}

void dqg_act(dqg_space *space, dqg_action action, col_rng *rng, dqg_program *program) {
    col_error error = {0};
    if (dqg_transform(space, action, rng, program, &error) != COL_OK)
        fail_msg("%s: %s", dqg_action_names[action], error.message);
}

dqg_action dqg_any_action(dqg_space *space, const dqg_program *program, col_rng *rng) {
    const uint64_t allowed = dqg_allowed(space, program);
    for (;;) {
        const uint64_t action = col_rng_below(rng, DQG_ACTION_COUNT);
        if ((allowed >> action & 1) != 0)
            return (dqg_action)action;
    }
}

const col_operation *dqg_operation_of(const mtg_gene *gene) {
    return &col_templates[gene->template].operation;
}

bool dqg_is_located(const mtg_gene *gene) {
    return col_kinds[dqg_operation_of(gene)->kind].located;
}

bool dqg_is_same_operation(const mtg_gene *a, const mtg_gene *b) {
    return a->template == b->template && a->location == b->location;
}

bool dqg_is_load(const mtg_gene *gene) {
    return dqg_operation_of(gene)->kind == COL_LOAD;
}
bool dqg_is_store(const mtg_gene *gene) {
    return dqg_operation_of(gene)->kind == COL_STORE;
}
bool dqg_is_plain(const mtg_gene *gene) {
    return dqg_is_load(gene) || dqg_is_store(gene);
}
bool dqg_is_other(const mtg_gene *gene) {
    return !dqg_is_plain(gene);
}
