/* SPDX-License-Identifier: MIT */
/* Programs that hit something rare: see scout.h. */
#include "direct/scout.h"
#include "program/reduce.h"

void dir_scout_corpus_free(dir_scout_corpus *corpus) {
    for (uint32_t i = 0; i < corpus->count; i++)
        col_program_free(&corpus->kept[i].program);
    corpus->count = 0;
}

/* What its points are worth now: each is shared with all tests that hit it since. */
static double worth_of(const dir_scout_kept *kept, const dir_scout_rarity *rarity) {
    double sum = 0;
    for (uint32_t i = 0; i < kept->rare_count; i++) {
        const uint64_t point = kept->rare[i];
        if (point < rarity->total && rarity->count[point] > 0)
            sum += 1.0 / (double)rarity->count[point];
    }
    return sum;
}

static uint32_t find_least(const dir_scout_corpus *corpus, const dir_scout_rarity *rarity) {
    uint32_t least = 0;
    for (uint32_t i = 1; i < corpus->count; i++)
        if (worth_of(&corpus->kept[i], rarity) < worth_of(&corpus->kept[least], rarity))
            least = i;
    return least;
}

col_status dir_scout_corpus_add(dir_scout_corpus *corpus, const dir_scout_rarity *rarity,
                                const dir_scout_kept *found, col_problem *problem) {
    if (found->rare_count == 0 || col_program_operations(&found->program) > DIR_SCOUT_LONGEST)
        return COL_OK;
    uint32_t place = corpus->count;
    if (place == DIR_SCOUT_CORPUS) {
        place = find_least(corpus, rarity);
        if (worth_of(&corpus->kept[place], rarity) >= worth_of(found, rarity))
            return COL_OK;
    }
    dir_scout_kept *kept = &corpus->kept[place];
    col_program program = kept->program;
    const col_status status = prg_copy(&found->program, &program, problem);
    *kept = *found;
    kept->program = program;
    corpus->count += place == corpus->count;
    return status;
}

dir_scout_kept *dir_scout_corpus_pick(dir_scout_corpus *corpus, const dir_scout_rarity *rarity,
                                      base_rng *rng) {
    double weights[DIR_SCOUT_CORPUS], sum = 0;
    uint32_t i = 0;
    for (uint32_t k = 0; k < corpus->count; k++) {
        const dir_scout_kept *kept = &corpus->kept[k];
        sum += weights[k] = worth_of(kept, rarity) / (double)(1 + kept->picks) / (double)kept->cost;
    }
    double left = base_rng_unit(rng) * sum;
    while (i + 1 < corpus->count && left >= weights[i])
        left -= weights[i++];
    corpus->kept[i].picks++;
    return &corpus->kept[i];
}
