/* SPDX-License-Identifier: MIT */
/*
 * The genetic engine's state as JSON. Genes are text of twelve hexadecimal digits each: six of the
 * location, four of the thread, two of the template.
 */
#include "direct/mtg.h"

#include "base/hexadecimal.h"
#include "direct/engine.h"

#include <stdlib.h>
#include <string.h>

enum { LOCATION_DIGITS = 6, THREAD_DIGITS = 4, TEMPLATE_DIGITS = 2, GENE_DIGITS = 12 };

/* ---- Saving. */

json_t *dir_mtg_save_genes(const dir_mtg_space *space, const dir_mtg_gene *genes) {
    const size_t length = (size_t)space->operations * GENE_DIGITS;
    char *text = malloc(length + 1);
    if (text == NULL)
        return NULL;
    char *at = text;
    for (uint32_t i = 0; i < space->operations; i++) {
        at = base_put_hexadecimal(at, genes[i].location, LOCATION_DIGITS);
        at = base_put_hexadecimal(at, genes[i].thread, THREAD_DIGITS);
        at = base_put_hexadecimal(at, genes[i].template, TEMPLATE_DIGITS);
    }
    json_t *value = json_stringn(text, length);
    free(text);
    return value;
}

static json_t *save_fit(const dir_mtg_space *space, const bool *is_fit) {
    json_t *list = json_array();
    for (uint32_t l = 0; l < space->locations && list != NULL; l++)
        if (is_fit[l] && json_array_append_new(list, json_integer(l)) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

static json_t *save_test(const dir_mtg_space *space, const dir_mtg_test *test) {
    return json_pack("{s:o, s:o, s:f}", "genes", dir_mtg_save_genes(space, test->genes), "fit",
                     save_fit(space, test->is_fit), "fitness", test->fitness);
}

static json_t *save_population(const dir_mtg_engine *e) {
    json_t *list = json_array();
    for (uint32_t age = 0; age < e->population.count && list != NULL; age++) {
        const dir_mtg_test *test = dir_mtg_population_test(&e->population, age);
        if (json_array_append_new(list, save_test(&e->space, test)) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static json_t *save_numbers(const uint64_t *numbers, uint64_t count) {
    json_t *list = json_array();
    for (uint64_t i = 0; i < count && list != NULL; i++)
        if (json_array_append_new(list, json_integer((json_int_t)numbers[i])) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

json_t *dir_mtg_save(const void *state) {
    const dir_mtg_engine *e = state;
    json_t *candidate =
        e->has_candidate ? dir_mtg_save_genes(&e->space, dir_mtg_candidate(&e->population)->genes)
                         : json_null();
    return json_pack("{s:o, s:o, s:o, s:I, s:I, s:I, s:o, s:o}", "random", dir_chance_save(&e->rng),
                     "candidate", candidate, "population", save_population(e), "cutoff",
                     (json_int_t)e->coverage.cutoff, "stalled", (json_int_t)e->coverage.stalled,
                     "tests", (json_int_t)e->coverage.tests, "hits",
                     save_numbers(e->coverage.hits, e->coverage.total), "seen",
                     save_numbers(e->coverage.seen, e->coverage.total));
}

/* ---- Restoring: nothing in the file is taken on trust. */

static bool has_template(const dir_mtg_space *space, uint64_t template) {
    for (uint32_t i = 0; i < space->chooser.count; i++)
        if (space->templates[i] == template)
            return true;
    return false;
}

static bool read_gene(const dir_mtg_space *space, const char **at, dir_mtg_gene *gene) {
    uint64_t location = 0, thread = 0, template = 0;
    if (!base_take_hexadecimal(at, LOCATION_DIGITS, &location) ||
        !base_take_hexadecimal(at, THREAD_DIGITS, &thread) ||
        !base_take_hexadecimal(at, TEMPLATE_DIGITS, &template) || thread >= space->threads ||
        !has_template(space, template))
        return false;
    *gene = (dir_mtg_gene){(uint32_t)location, (uint16_t)thread, (uint8_t) template};
    return location < (dir_mtg_is_located(space, gene) ? space->locations : 1);
}

bool dir_mtg_restore_genes(const dir_mtg_space *space, const json_t *saved, dir_mtg_gene *genes) {
    const char *at = json_string_value(saved);
    if (at == NULL || json_string_length(saved) != (size_t)space->operations * GENE_DIGITS)
        return false;
    for (uint32_t i = 0; i < space->operations; i++)
        if (!read_gene(space, &at, &genes[i]))
            return false;
    return true;
}

static bool restore_test(const dir_mtg_space *space, const json_t *saved, dir_mtg_test *test) {
    const json_t *fit = json_object_get(saved, "fit"), *item;
    const json_t *fitness = json_object_get(saved, "fitness");
    size_t i;
    if (!dir_mtg_restore_genes(space, json_object_get(saved, "genes"), test->genes) ||
        !json_is_array(fit) || !json_is_number(fitness))
        return false;
    memset(test->is_fit, 0, space->locations * sizeof *test->is_fit);
    json_array_foreach(fit, i, item) {
        const json_int_t location = json_integer_value(item);
        if (!json_is_integer(item) || location < 0 || location >= (json_int_t)space->locations)
            return false;
        test->is_fit[location] = true;
    }
    test->fitness = json_number_value(fitness);
    return test->fitness >= 0 && test->fitness <= 1;
}

static bool restore_population(dir_mtg_engine *e, const json_t *saved) {
    const json_t *item;
    size_t i;
    if (!json_is_array(saved) || json_array_size(saved) > e->population.size)
        return false;
    json_array_foreach(saved, i, item) {
        if (!restore_test(&e->space, item, dir_mtg_candidate(&e->population)))
            return false;
        dir_mtg_population_add(&e->population);
    }
    return true;
}

static bool restore_numbers(const json_t *saved, uint64_t *numbers) {
    const json_t *item;
    size_t i;
    json_array_foreach(saved, i, item) {
        if (!json_is_integer(item))
            return false;
        numbers[i] = (uint64_t)json_integer_value(item);
    }
    return true;
}

static col_status restore_coverage(dir_mtg_coverage *coverage, const json_t *saved,
                                   col_problem *problem) {
    const json_t *hits = json_object_get(saved, "hits"), *seen = json_object_get(saved, "seen");
    const uint64_t least = coverage->cutoff; /* it only ever doubles */
    if (!json_is_array(hits) || !json_is_array(seen) ||
        json_array_size(hits) != json_array_size(seen) ||
        !base_json_take(saved, "cutoff", &coverage->cutoff) || coverage->cutoff < least ||
        !base_json_take(saved, "stalled", &coverage->stalled) ||
        !base_json_take(saved, "tests", &coverage->tests))
        return base_refuse(problem, "the state of the engine has no valid coverage");
    const col_status status = dir_mtg_coverage_shape(coverage, json_array_size(hits), problem);
    if (status != COL_OK)
        return status;
    if (!restore_numbers(hits, coverage->hits) || !restore_numbers(seen, coverage->seen))
        return base_refuse(problem, "the state of the engine has no valid coverage");
    return COL_OK;
}

col_status dir_mtg_restore(void *state, const json_t *saved, col_problem *problem) {
    dir_mtg_engine *e = state;
    const json_t *candidate = json_object_get(saved, "candidate");
    e->population.count = e->population.oldest = 0;
    if (!dir_chance_restore(json_object_get(saved, "random"), &e->rng))
        return base_refuse(problem, "the state of the engine has no state of chance");
    if (!restore_population(e, json_object_get(saved, "population")))
        return base_refuse(problem,
                           "the state of the engine has no population of tests of its size");
    e->has_candidate = !json_is_null(candidate);
    if (e->has_candidate &&
        !dir_mtg_restore_genes(&e->space, candidate, dir_mtg_candidate(&e->population)->genes))
        return base_refuse(problem, "the state of the engine has no valid test under way");
    return restore_coverage(&e->coverage, saved, problem);
}
