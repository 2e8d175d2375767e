/* SPDX-License-Identifier: MIT */
/* Spaces of programs for tests: see dqg_support.h. */
#include "engine/dqg_support.h"

#include "harness.h"
#include "program/generate/generator.h"

#include <string.h>

dir_dqg_space dqg_space_of(dqg_shape shape, uint64_t seed) {
    col_generation generation;
    col_generation_default(&generation);
    const col_engine_settings settings = {.threads = shape.threads,
                                          .operations = shape.operations,
                                          .locations = shape.locations,
                                          .mix = shape.mix,
                                          .geometry = generation.addressing.geometry,
                                          .seed = seed};
    dir_dqg_space space;
    col_problem problem = {0};
    if (dir_dqg_space_open(&space, dir_engine_find("rag"), &settings, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    return space;
}

dir_dqg_program dqg_program_in(const dir_dqg_space *space) {
    dir_dqg_program program;
    assert_int_equal(dir_dqg_program_new(&program, space, NULL), COL_OK);
    return program;
}

void dqg_copy(const dir_dqg_space *space, const dir_dqg_program *from, dir_dqg_program *to) {
    dir_mtg_gene *genes = to->genes;
    memcpy(genes, from->genes, space->rtg.sizes[from->size] * sizeof *genes);
    *to = *from;
    to->genes = genes;
}

bool dqg_equal_genes(const dir_dqg_space *space, const dir_dqg_program *a,
                     const dir_dqg_program *b) {
    if (a->size != b->size)
        return false;
    for (uint32_t i = 0; i < space->rtg.sizes[a->size]; i++)
        if (a->genes[i].template != b->genes[i].template ||
            a->genes[i].location != b->genes[i].location ||
            a->genes[i].thread != b->genes[i].thread)
            return false;
    return true;
}

void dqg_act(dir_dqg_space *space, dir_dqg_action action, base_rng *rng, dir_dqg_program *program) {
    col_problem problem = {0};
    if (dir_dqg_transform(space, action, rng, program, &problem) != COL_OK)
        fail_msg("%s: %s", dir_dqg_action_names[action], problem.message);
}

dir_dqg_action dqg_any_action(dir_dqg_space *space, const dir_dqg_program *program, base_rng *rng) {
    const uint64_t allowed = dir_dqg_allowed(space, program);
    for (;;) {
        const uint64_t action = base_rng_below(rng, DIR_DQG_ACTION_COUNT);
        if ((allowed >> action & 1) != 0)
            return (dir_dqg_action)action;
    }
}

const col_operation *dqg_operation_of(const dir_mtg_gene *gene) {
    return &gen_templates[gene->template].operation;
}

bool dqg_is_located(const dir_mtg_gene *gene) {
    return col_kinds[dqg_operation_of(gene)->kind].located;
}

bool dqg_is_same_operation(const dir_mtg_gene *a, const dir_mtg_gene *b) {
    return a->template == b->template && a->location == b->location;
}

bool dqg_is_load(const dir_mtg_gene *gene) {
    return dqg_operation_of(gene)->kind == COL_LOAD;
}
bool dqg_is_store(const dir_mtg_gene *gene) {
    return dqg_operation_of(gene)->kind == COL_STORE;
}
bool dqg_is_plain(const dir_mtg_gene *gene) {
    return dqg_is_load(gene) || dqg_is_store(gene);
}
bool dqg_is_other(const dir_mtg_gene *gene) {
    return !dqg_is_plain(gene);
}
