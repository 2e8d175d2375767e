/* SPDX-License-Identifier: MIT */
/* What the engine scout knows, as JSON and back: see scout.h. */
#include "engine/scout.h"

#include "program/program.h"

#include <math.h>
#include <string.h>

/* ---- Programs: as text. */

static json_t *save_program(const col_program *program) {
    base_text text = {0};
    prg_program_write(program, &text);
    json_t *saved = text.failed ? NULL : json_string(text.data);
    base_text_free(&text);
    return saved;
}

static bool restore_program(const json_t *saved, uint32_t threads, col_program *program) {
    const char *text = json_string_value(saved);
    if (text == NULL || col_program_read(program, text, strlen(text), "saved", NULL) != COL_OK ||
        program->thread_count != threads)
        return false;
    return dir_scout_takes(program) && col_program_operations(program) > 0;
}

/* ---- Numbers. */

static json_t *save_numbers(const uint64_t *numbers, uint64_t count) {
    json_t *list = json_array();
    for (uint64_t i = 0; i < count; i++)
        base_json_append(&list, json_integer((json_int_t)numbers[i]));
    return list;
}

static bool restore_numbers(const json_t *saved, uint64_t count, uint64_t *numbers) {
    bool is_good = json_array_size(saved) == count;
    for (uint64_t i = 0; is_good && i < count; i++)
        numbers[i] = base_json_number(json_array_get(saved, (size_t)i), &is_good);
    return is_good;
}

static bool restore_real(const json_t *saved, double *number) {
    *number = json_number_value(saved);
    return json_is_number(saved) && isfinite(*number) && *number >= 0;
}

/* ---- Arms. */

static json_t *save_arm(const dir_scout_arm *arm) {
    return json_pack("[f, f]", arm->reward, arm->cost);
}

static bool restore_arm(const json_t *saved, dir_scout_arm *arm) {
    return json_array_size(saved) == 2 && restore_real(json_array_get(saved, 0), &arm->reward) &&
           restore_real(json_array_get(saved, 1), &arm->cost);
}

static json_t *save_bandit(const dir_scout_bandit *b) {
    json_t *arms = json_array();
    for (uint32_t c = 0; c < DIR_SCOUT_CHOICES; c++)
        for (uint32_t i = 0; i < b->counts[c]; i++)
            base_json_append(&arms, save_arm(&b->arms[c][i]));
    return json_pack("{s:o, s:o, s:f}", "arms", arms, "all", save_arm(&b->all), "tests", b->tests);
}

static bool restore_bandit(const json_t *saved, dir_scout_bandit *b) {
    const json_t *arms = json_object_get(saved, "arms");
    size_t place = 0;
    bool is_good = restore_arm(json_object_get(saved, "all"), &b->all) &&
                   restore_real(json_object_get(saved, "tests"), &b->tests);
    for (uint32_t c = 0; c < DIR_SCOUT_CHOICES; c++)
        for (uint32_t i = 0; is_good && i < b->counts[c]; i++)
            is_good = restore_arm(json_array_get(arms, place++), &b->arms[c][i]);
    return is_good && json_array_size(arms) == place;
}

static json_t *save_swarm(const dir_scout_swarm *swarm) {
    json_t *arms = json_array();
    for (uint32_t k = 0; k < swarm->keys; k++)
        for (uint32_t v = 0; v < COL_KEY_VALUES; v++)
            base_json_append(&arms, save_arm(&swarm->arms[k][v]));
    return arms;
}

static bool restore_swarm(const json_t *saved, dir_scout_swarm *swarm) {
    bool is_good = json_array_size(saved) == (size_t)swarm->keys * COL_KEY_VALUES;
    for (uint32_t k = 0; k < swarm->keys; k++)
        for (uint32_t v = 0; is_good && v < COL_KEY_VALUES; v++)
            is_good = restore_arm(json_array_get(saved, (size_t)k * COL_KEY_VALUES + v),
                                  &swarm->arms[k][v]);
    return is_good;
}

/* ---- Recipes. */

static json_t *save_recipe(const dir_scout_recipe *recipe) {
    uint64_t numbers[DIR_SCOUT_CHOICES + 2];
    for (uint32_t c = 0; c < DIR_SCOUT_CHOICES; c++)
        numbers[c] = recipe->values[c];
    numbers[DIR_SCOUT_CHOICES] = recipe->used;
    numbers[DIR_SCOUT_CHOICES + 1] = recipe->configuration;
    return save_numbers(numbers, DIR_SCOUT_CHOICES + 2);
}

static bool restore_recipe(const json_t *saved, const dir_scout_bandit *bandit,
                           dir_scout_recipe *recipe) {
    uint64_t numbers[DIR_SCOUT_CHOICES + 2];
    if (!restore_numbers(saved, DIR_SCOUT_CHOICES + 2, numbers) ||
        numbers[DIR_SCOUT_CHOICES] >> DIR_SCOUT_CHOICES != 0 ||
        numbers[DIR_SCOUT_CHOICES + 1] > UINT32_MAX)
        return false;
    for (uint32_t c = 0; c < DIR_SCOUT_CHOICES; c++) {
        if (numbers[c] >= bandit->counts[c])
            return false;
        recipe->values[c] = (uint8_t)numbers[c];
    }
    recipe->used = (uint32_t)numbers[DIR_SCOUT_CHOICES];
    recipe->configuration = (uint32_t)numbers[DIR_SCOUT_CHOICES + 1];
    return true;
}

/* ---- What is kept. */

static json_t *save_corpus(const dir_scout_corpus *corpus) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < corpus->count; i++)
        base_json_append(&list,
                         json_pack("{s:o, s:o, s:o, s:I, s:I}", "program",
                                   save_program(&corpus->kept[i].program), "recipe",
                                   save_recipe(&corpus->kept[i].recipe), "rare",
                                   save_numbers(corpus->kept[i].rare, corpus->kept[i].rare_count),
                                   "cost", (json_int_t)corpus->kept[i].cost, "picks",
                                   (json_int_t)corpus->kept[i].picks));
    return list;
}

static bool restore_corpus(const json_t *saved, const dir_scout_bandit *bandit, uint32_t threads,
                           dir_scout_corpus *corpus) {
    const size_t count = json_array_size(saved);
    if (!json_is_array(saved) || count > DIR_SCOUT_CORPUS)
        return false;
    for (size_t i = 0; i < count; i++) {
        const json_t *one = json_array_get(saved, i), *rare = json_object_get(one, "rare");
        dir_scout_kept *kept = &corpus->kept[corpus->count++];
        kept->rare_count = (uint32_t)json_array_size(rare);
        if (json_array_size(rare) > DIR_SCOUT_RARE ||
            !restore_recipe(json_object_get(one, "recipe"), bandit, &kept->recipe) ||
            !restore_numbers(rare, kept->rare_count, kept->rare) ||
            !base_json_take(one, "cost", &kept->cost) || kept->cost == 0 ||
            !base_json_take(one, "picks", &kept->picks) ||
            !restore_program(json_object_get(one, "program"), threads, &kept->program))
            return false;
    }
    return true;
}

/* ---- The tests that are under way. */

json_t *dir_scout_save_plan(const void *state, const dir_test *test) {
    (void)state;
    const dir_scout_plan *plan = test->plan;
    return json_pack("{s:o, s:I}", "recipe", save_recipe(&plan->recipe), "promised",
                     (json_int_t)plan->promised);
}

bool dir_scout_restore_plan(const void *state, const json_t *saved, dir_test *test) {
    dir_scout_plan *plan = test->plan;
    return base_json_take(saved, "promised", &plan->promised) &&
           restore_recipe(json_object_get(saved, "recipe"), &((const dir_scout *)state)->bandit,
                          &plan->recipe);
}

/* ---- Time for long tests. */

static json_t *save_reserve(const dir_scout_reserve *r) {
    const uint64_t numbers[] = {r->cost, r->operations, r->used, r->tests, r->promised};
    return save_numbers(numbers, 5);
}

static bool restore_reserve(const json_t *saved, dir_scout_reserve *r) {
    uint64_t numbers[5];
    if (!restore_numbers(saved, 5, numbers))
        return false;
    *r = (dir_scout_reserve){numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]};
    return true;
}

/* ---- All of it. */

json_t *dir_scout_save(const void *state) {
    const dir_scout *s = state;
    return json_pack("{s:I, s:I, s:o, s:o, s:o, s:o, s:I, s:o}", "test", (json_int_t)s->test,
                     "told", (json_int_t)s->told, "bandit", save_bandit(&s->bandit),
                     "configurations", save_swarm(&s->swarm), "reserve", save_reserve(&s->reserve),
                     "corpus", save_corpus(&s->corpus), "tests", (json_int_t)s->rarity.tests,
                     "count", save_numbers(s->rarity.count, s->rarity.total));
}

static bool restore_rarity(const json_t *saved, dir_scout_rarity *r, col_status *status,
                           col_problem *problem) {
    const json_t *count = json_object_get(saved, "count");
    if (!json_is_array(count) || !base_json_take(saved, "tests", &r->tests))
        return false;
    if (json_array_size(count) == 0)
        return true;
    *status = dir_scout_expect(r, json_array_size(count), problem);
    return *status != COL_OK || restore_numbers(count, r->total, r->count);
}

col_status dir_scout_restore(void *state, const json_t *saved, col_problem *problem) {
    dir_scout *s = state;
    col_status status = COL_OK;
    const bool is_good = base_json_take(saved, "test", &s->test) &&
                         base_json_take(saved, "told", &s->told) && s->told <= s->test &&
                         restore_bandit(json_object_get(saved, "bandit"), &s->bandit) &&
                         restore_swarm(json_object_get(saved, "configurations"), &s->swarm) &&
                         restore_reserve(json_object_get(saved, "reserve"), &s->reserve) &&
                         restore_rarity(saved, &s->rarity, &status, problem) &&
                         restore_corpus(json_object_get(saved, "corpus"), &s->bandit,
                                        s->space.settings.threads, &s->corpus);
    if (status != COL_OK)
        return status;
    return is_good ? COL_OK
                   : base_refuse(problem, "the saved state of a scout is not whole: it has its "
                                          "arms, counts of points and programs");
}
