/* SPDX-License-Identifier: MIT */
/* Variations of programs that were kept: see scout.h. */
#include "direct/scout.h"
#include "generate/mix.h"
#include "generate/synthesise.h"
#include "program/reduce.h"

typedef struct variation {
    dir_scout_space *space;
    dir_scout_corpus *corpus;
    const dir_scout_rarity *rarity;
    dir_scout_recipe *recipe;
    base_rng *rng;
    uint32_t sets; /* that the locations were placed in, if they were */
} variation;

static bool is_located(const col_operation *operation) {
    return col_kinds[operation->kind].located;
}

static col_status relocate(variation *v, col_program *program, col_problem *problem) {
    return dir_scout_place(v->space, v->recipe, v->rng, program->location_count, program->addresses,
                           &v->sets, problem);
}

/* Threads of this program and of another, in the places that they had; the locations of the one
 * with more of them. */
static col_status splice(variation *v, col_program *program, col_problem *problem) {
    const col_program *other = &dir_scout_corpus_pick(v->corpus, v->rarity, v->rng)->program;
    const uint32_t threads = program->thread_count;
    if (other->thread_count != threads)
        return COL_OK;
    const col_program *wider = other->location_count > program->location_count ? other : program;
    uint64_t from_other = base_rng_next(v->rng);
    col_program *child = &v->space->trial;
    for (uint32_t t = 0; t < threads; t++) {
        const col_program *from = (from_other >> t % 64 & 1) != 0 ? other : program;
        v->space->lengths[t] = from->thread_start[t + 1] - from->thread_start[t];
    }
    const col_status status =
        col_program_shape(child, threads, v->space->lengths, wider->location_count, problem);
    if (status != COL_OK)
        return status;
    for (uint32_t l = 0; l < wider->location_count; l++)
        child->addresses[l] = wider->addresses[l];
    for (uint32_t t = 0; t < threads; t++) {
        const col_program *from = (from_other >> t % 64 & 1) != 0 ? other : program;
        for (uint32_t i = 0; i < v->space->lengths[t]; i++)
            child->operations[child->thread_start[t] + i] =
                from->operations[from->thread_start[t] + i];
    }
    return col_program_operations(child) == 0 ? COL_OK : prg_copy(child, program, problem);
}

static col_status focus(variation *v, col_program *program, col_problem *problem) {
    const uint32_t few = 1U << base_rng_below(v->rng, 4);
    const uint32_t first = (uint32_t)base_rng_below(v->rng, program->location_count);
    (void)problem;
    for (uint32_t o = 0; o < col_program_operations(program); o++) {
        col_operation *operation = &program->operations[o];
        if (is_located(operation))
            operation->location = (first + operation->location % few) % program->location_count;
    }
    return COL_OK;
}

static col_status repeat(variation *v, col_program *program, col_problem *problem) {
    const uint32_t shift = (uint32_t)base_rng_below(v->rng, program->location_count);
    const double from = base_rng_unit(v->rng),
                 part = 1.0 / (double)(2U << base_rng_below(v->rng, 4));
    (void)problem;
    for (uint32_t t = 0; t < program->thread_count; t++) {
        const uint32_t first = program->thread_start[t];
        const uint32_t length = program->thread_start[t + 1] - first;
        const uint32_t window = (uint32_t)(length * part);
        if (window == 0)
            continue;
        const uint32_t start = (uint32_t)((length - window) * from);
        col_operation *thread = &program->operations[first];
        /* From the window's end on, and then before it: what is copied is not overwritten. */
        for (uint32_t i = 1; i + window <= length; i++) {
            const uint32_t to = (start + window + i - 1) % length;
            const uint32_t offset = (i - 1) % window, round = 1 + (i - 1) / window;
            thread[to] = thread[start + offset];
            if (is_located(&thread[to]))
                thread[to].location = (uint32_t)((thread[to].location + (uint64_t)round * shift) %
                                                 program->location_count);
            if (thread[to].distance > to || thread[to].distance > offset) {
                thread[to].dependency = COL_NO_DEPENDENCY;
                thread[to].distance = 0;
            }
        }
    }
    return COL_OK;
}

/* One operation in eight, or in a hundred, becomes another. */
static col_status scramble(variation *v, col_program *program, col_problem *problem) {
    const uint64_t rate = base_rng_below(v->rng, 2) == 0 ? 8 : 100;
    const col_kind kinds[] = {COL_LOAD, COL_STORE, COL_LOAD, COL_STORE,
                              COL_SWAP, COL_ADD,   COL_FLUSH};
    (void)problem;
    for (uint32_t o = 0; o < col_program_operations(program); o++) {
        if (base_rng_below(v->rng, rate) != 0)
            continue;
        const col_kind kind = kinds[base_rng_below(v->rng, sizeof kinds / sizeof kinds[0])];
        program->operations[o] =
            (col_operation){.kind = (uint8_t)kind,
                            .location = (uint32_t)base_rng_below(v->rng, program->location_count)};
    }
    return COL_OK;
}

static col_status repace(variation *v, col_program *program, col_problem *problem) {
    col_program *child = &v->space->trial;
    for (uint32_t t = 0; t < program->thread_count; t++)
        v->space->order[t] = t;
    base_rng_shuffle(v->rng, v->space->order, program->thread_count);
    dir_scout_pace(v->recipe, v->rng, program);
    v->recipe->used |= 1U << DIR_SCOUT_PACE;
    const col_status status =
        prg_arrange(program, v->space->order, program->thread_count, child, problem);
    return status == COL_OK ? prg_copy(child, program, problem) : status;
}

typedef col_status vary(variation *v, col_program *program, col_problem *problem);

static vary *const ways[DIR_SCOUT_WAYS] = {
    [DIR_SCOUT_RELOCATE] = relocate, [DIR_SCOUT_SPLICE] = splice,     [DIR_SCOUT_FOCUS] = focus,
    [DIR_SCOUT_REPEAT] = repeat,     [DIR_SCOUT_SCRAMBLE] = scramble, [DIR_SCOUT_REPACE] = repace};

col_status dir_scout_vary(dir_scout_space *space, dir_scout_corpus *corpus,
                          const dir_scout_rarity *rarity, dir_scout_recipe *recipe, base_rng *rng,
                          col_program *program, col_point *point, col_problem *problem) {
    variation v = {space, corpus, rarity, recipe, rng, 0};
    const dir_scout_kept *kept = dir_scout_corpus_pick(corpus, rarity, rng);
    recipe->used = 1U << DIR_SCOUT_WAY | 1U << DIR_SCOUT_INSTANCES;
    if (base_rng_below(rng, 4) != 0)
        recipe->configuration = kept->recipe.configuration;
    col_status status = prg_copy(&kept->program, program, problem);
    if (status == COL_OK && program->location_count > 0)
        status = ways[recipe->values[DIR_SCOUT_WAY]](&v, program, problem);
    if (status == COL_OK)
        status = prg_mend(program, problem);
    if (status != COL_OK)
        return status;
    gen_synthesise(program);
    *point = (col_point){col_program_operations(program), program->location_count, v.sets};
    return COL_OK;
}
