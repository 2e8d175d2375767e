/* SPDX-License-Identifier: MIT */
/* The state of the engine as JSON: the program, chance, and what the agent knows. */
#include "direct/dqg.h"

/* The genes' text depends on the sizes of the program at hand: a copy of the space has them. */
static dir_mtg_space genes_of(const dir_dqg_engine *e, const dir_dqg_program *program) {
    const col_point point = dir_dqg_point(&e->space, program);
    dir_mtg_space genes = e->space.genes;
    genes.operations = point.operations;
    genes.locations = point.locations;
    return genes;
}

static json_t *save_program(const dir_dqg_engine *e) {
    if (!e->has_program)
        return json_null();
    const dir_mtg_space genes = genes_of(e, &e->program);
    return json_pack("{s:I, s:I, s:I, s:o}", "size", (json_int_t)e->program.size, "pair",
                     (json_int_t)e->program.pair, "layout", (json_int_t)e->program.layout, "genes",
                     dir_mtg_save_genes(&genes, e->program.genes));
}

json_t *dir_dqg_save(const void *state) {
    const dir_dqg_engine *e = state;
    return json_pack("{s:o, s:I, s:o, s:o}", "random", dir_chance_save(&e->rng), "told",
                     (json_int_t)e->told, "program", save_program(e), "learner",
                     dir_learner_save(&e->learner));
}

/* ---- Restoring: nothing in the file is taken on trust. */

/* Threads are equal, and their genes follow each other. */
static bool is_in_order(const dir_dqg_engine *e) {
    const uint32_t operations = e->space.rtg.sizes[e->program.size];
    for (uint32_t t = 0; t < e->space.genes.threads; t++)
        for (uint32_t i = dir_dqg_start(&e->space, operations, t);
             i < dir_dqg_start(&e->space, operations, t + 1); i++)
            if (e->program.genes[i].thread != t)
                return false;
    return true;
}

static bool restore_program(dir_dqg_engine *e, const json_t *saved) {
    uint64_t size = 0, pair = 0;
    e->has_program = !json_is_null(saved);
    if (!e->has_program)
        return true;
    if (!base_json_take(saved, "size", &size) || size >= e->space.rtg.size_count ||
        !base_json_take(saved, "pair", &pair) || pair >= e->space.rtg.pair_count ||
        !base_json_take(saved, "layout", &e->program.layout))
        return false;
    e->program.size = (uint32_t)size;
    e->program.pair = (uint32_t)pair;
    const dir_mtg_space genes = genes_of(e, &e->program);
    return dir_mtg_restore_genes(&genes, json_object_get(saved, "genes"), e->program.genes) &&
           is_in_order(e);
}

col_status dir_dqg_restore(void *state, const json_t *saved, col_problem *problem) {
    dir_dqg_engine *e = state;
    if (!dir_chance_restore(json_object_get(saved, "random"), &e->rng) ||
        !base_json_take(saved, "told", &e->told))
        return base_refuse(problem, "the state of the engine has no state of chance");
    if (!restore_program(e, json_object_get(saved, "program")))
        return base_refuse(problem, "the state of the engine has no program of its space");
    return dir_learner_restore(&e->learner, json_object_get(saved, "learner"), problem);
}
