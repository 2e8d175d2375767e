/* SPDX-License-Identifier: MIT */
/* The directing engines by name. */
#include "engine/engine_state.h"

#include "base/memory.h"
#include "base/plugin.h"
#include "engine/mtg.h"
#include "program/reshape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME(word, ...) word,
#define ROW(word, file, about, ...)                                                                \
    {.name = (word), .summary = (about), .functions = &dir_##file, __VA_ARGS__},

const char *const col_engines[] = {DIR_ENGINES(NAME) NULL};
const char *const dir_undirected_names[] = {DIR_UNDIRECTED(NAME) NULL};
static const dir_engine engines[] = {DIR_ENGINES(ROW)};

/* ---- Engines. */

const dir_engine *dir_engine_find(const char *name) {
    for (size_t i = 0; i < sizeof engines / sizeof engines[0]; i++)
        if (strcmp(engines[i].name, name) == 0)
            return &engines[i];
    return NULL;
}

const char *col_engine_summary(const char *name) {
    const dir_engine *kind = dir_engine_find(name);
    return kind == NULL ? NULL : kind->summary;
}

bool col_engine_watches(const char *name) {
    const dir_engine *kind = dir_engine_find(name);
    return kind != NULL && kind->watches;
}

uint32_t dir_engine_window(const col_engine *engine) {
    return engine->window;
}

static uint32_t widest_window(const dir_engine *kind, bool repeat) {
    return kind->window == 0 || (kind->needs_coverage && !repeat) ? 1 : kind->window;
}

static col_status check_range(const char *what, col_range range, uint32_t most,
                              col_problem *problem) {
    if (range.least == 0 || range.least > range.most || range.most > most)
        return base_refuse(problem, "the range %u:%u of %s is not within 1:%u", range.least,
                           range.most, what, most);
    return COL_OK;
}

/* Texts are kept to be compared with those of a saved engine. */
static bool keep_settings(col_engine *engine, const col_engine_settings *settings) {
    engine->mix = settings->mix == NULL ? NULL : strdup(settings->mix);
    engine->options = settings->options == NULL ? NULL : strdup(settings->options);
    engine->settings = *settings;
    engine->settings.mix = engine->mix;
    engine->settings.options = engine->options;
    return (settings->mix == NULL || engine->mix != NULL) &&
           (settings->options == NULL || engine->options != NULL);
}

static bool make_test(const dir_engine *kind, dir_test *test) {
    *test = (dir_test){.plan = calloc(1, kind->functions->plan + 1)};
    return test->plan != NULL;
}

static void free_tests(dir_test *tests, uint32_t count) {
    for (uint32_t i = 0; tests != NULL && i < count; i++) {
        col_program_free(&tests[i].program);
        col_program_free(&tests[i].other);
        free(tests[i].plan);
        free(tests[i].result.hit);
    }
}

static dir_test *make_tests(const col_engine *engine, uint32_t count) {
    dir_test *tests = calloc(count, sizeof *tests);
    bool is_made = tests != NULL;
    for (uint32_t i = 0; i < count && is_made; i++)
        is_made = make_test(engine->kind, &tests[i]);
    if (is_made)
        return tests;
    free_tests(tests, count);
    free(tests);
    return NULL;
}

static col_status find_kind(col_engine *engine, const char *name, col_problem *problem) {
    engine->is_plugin = base_is_plugin(name);
    if (engine->is_plugin)
        return dir_plugin_load(name, &engine->kind, problem);
    engine->kind = dir_engine_find(name);
    return engine->kind != NULL ? COL_OK : base_refuse(problem, "there is no engine '%.60s'", name);
}

col_status col_engine_new(col_engine **engine, const char *name,
                          const col_engine_settings *settings, col_problem *problem) {
    BASE_TRY(check_range("operations", settings->operations, UINT32_MAX - 1, problem));
    BASE_TRY(check_range("locations", settings->locations, COL_MAX_LOCATIONS, problem));
    col_engine *e = NULL;
    BASE_TRY(base_new(&e, 1, sizeof *e, problem));
    col_status status = find_kind(e, name, problem);
    if (status == COL_OK && e->kind->is_between && settings->threads < 2)
        status = base_refuse(problem,
                             "%s needs two cores or more: its tests are about what goes on between "
                             "them; plain and scout take one",
                             e->kind->name);
    if (status == COL_OK && !keep_settings(e, settings))
        status = base_out_of_memory(problem);
    if (status == COL_OK) { /* whoever needs no feedback is saved with one test under way at most */
        e->window = widest_window(e->kind, e->settings.repeat);
        e->room = e->window == DIR_INDEPENDENT ? 1 : e->window;
        e->under_way = make_tests(e, e->room);
        e->state = calloc(1, e->kind->functions->size);
    }
    if (status == COL_OK && dir_engine_lags(e)) {
        e->waiting = make_tests(e, e->room);
        e->order = calloc((size_t)e->room + 1, sizeof *e->order);
        status = e->waiting == NULL || e->order == NULL ? base_out_of_memory(problem) : COL_OK;
    }
    if (status == COL_OK &&
        (e->under_way == NULL || e->state == NULL || !make_test(e->kind, &e->spare)))
        status = base_out_of_memory(problem);
    if (status == COL_OK)
        status = e->kind->functions->open(e->state, e->kind, &e->settings, problem);
    if (status == COL_OK && e->kind->functions->window != NULL && e->window != DIR_INDEPENDENT)
        e->window = e->kind->functions->window(e->state);
    if (status == COL_OK)
        *engine = e;
    else
        col_engine_free(e);
    return status;
}

void col_engine_free(col_engine *engine) {
    if (engine == NULL)
        return;
    if (engine->state != NULL)
        engine->kind->functions->close(engine->state);
    free(engine->state);
    dir_feedback_free(&engine->kept);
    free_tests(engine->under_way, engine->room);
    free_tests(engine->ahead, engine->ahead_room);
    free_tests(&engine->spare, 1);
    free_tests(engine->waiting, engine->waiting == NULL ? 0 : dir_engine_window(engine));
    free(engine->waiting);
    free(engine->order);
    free(engine->hits);
    free(engine->under_way);
    free(engine->ahead);
    if (engine->is_plugin && engine->kind != NULL)
        dir_plugin_unload(engine->kind);
    free(engine->mix);
    free(engine->options);
    free(engine);
}

bool dir_engine_watches(const col_engine *engine) {
    return engine->kind->watches;
}

col_status dir_engine_check_save(const col_engine *engine, col_problem *problem) {
    const dir_functions *functions = engine->kind->functions;
    return functions->check_save == NULL ? COL_OK : functions->check_save(engine->kind, problem);
}

const col_feedback *dir_engine_kept(const col_engine *engine) {
    return &engine->kept.feedback;
}

uint64_t dir_engine_told(const col_engine *engine) {
    return engine->told;
}

const col_feedback *dir_engine_latest(const col_engine *engine, const col_feedback *feedback) {
    const col_feedback *kept = &engine->kept.feedback;
    return engine->is_restored && feedback->tests <= kept->tests ? kept : feedback;
}

static void swap(dir_test *a, dir_test *b) {
    const dir_test test = *a;
    *a = *b;
    *b = test;
}

/* ---- Tests of which an engine learns out of their order. */

bool dir_engine_lags(const col_engine *engine) {
    return engine->kind->lag > 0;
}

static bool comes_before(const dir_learning *a, const dir_learning *b) {
    return a->place != b->place ? a->place < b->place : a->number < b->number;
}

void dir_engine_add_learning(col_engine *e, const dir_test *test) {
    const dir_learning l = {test->place, test->number};
    uint32_t i = e->order_count++;
    for (; i > 0 && comes_before(&l, &e->order[i - 1]); i--)
        e->order[i] = e->order[i - 1];
    e->order[i] = l;
}

static void drop_learning(col_engine *e, uint64_t number) {
    uint32_t i = 0;
    while (e->order[i].number != number)
        i++;
    e->order_count--;
    memmove(&e->order[i], &e->order[i + 1], (e->order_count - i) * sizeof *e->order);
}

static dir_test *find_test(const col_engine *e, uint64_t number) {
    if (number >= e->told)
        return &e->under_way[number % e->room];
    dir_test *test = e->waiting;
    while (test->number != number)
        test++;
    return test;
}

static col_status learn(col_engine *e, dir_test *test, const col_feedback *feedback,
                        col_problem *problem) {
    test->is_learned = true;
    drop_learning(e, test->number);
    const col_status status = e->kind->functions->learn(e->state, feedback, test, problem);
    if (test->number < e->told) /* it was waiting, and is no more */
        swap(test, &e->waiting[--e->waiting_count]);
    return status;
}

/* The one of which it learns next, if it has to learn of one. */
static dir_test *due(const col_engine *e) {
    return e->order_count < dir_late_window(e->handed, dir_engine_window(e))
               ? NULL
               : find_test(e, e->order[0].number);
}

dir_test *dir_engine_awaits(const col_engine *engine) {
    dir_test *test =
        dir_engine_lags(engine) && engine->again == engine->handed ? due(engine) : NULL;
    return test == NULL || test->is_told ? NULL : test;
}

col_status dir_engine_tell(dir_test *test, const dir_result *result, col_problem *problem) {
    const size_t words = (size_t)(result->total / 64 + 1);
    uint64_t *hit = test->result.hit;
    if (test->is_told || test->is_learned)
        return COL_OK;
    BASE_TRY(base_reserve(&hit, &test->hit_capacity, words, sizeof *hit, problem));
    memcpy(hit, result->hit, words * sizeof *hit);
    test->result = *result;
    test->result.hit = hit;
    test->is_told = true;
    return COL_OK;
}

void dir_engine_count(col_engine *e) {
    dir_test *test = &e->under_way[e->told++ % e->room];
    if (!test->is_learned)
        swap(test, &e->waiting[e->waiting_count++]);
}

/* What came of the next test is what the feedback has more than the last. */
static col_status take_hits(col_engine *e, const col_feedback *feedback, dir_test *test,
                            col_problem *problem) {
    const size_t words = (size_t)(feedback->total / 64 + 1);
    if (feedback->total > 0 && feedback->hits == NULL)
        return base_refuse(problem, "the feedback does not say how often points were hit");
    if (e->hits != NULL && e->total != feedback->total)
        return base_refuse(problem, "the metric has %llu coverage points, not %llu as before",
                           (unsigned long long)feedback->total, (unsigned long long)e->total);
    if (e->hits == NULL)
        e->hits = calloc((size_t)feedback->total + 1, sizeof *e->hits);
    e->total = feedback->total;
    dir_result result = {.cycles = feedback->cycles,
                         .operations = feedback->operations,
                         .total = feedback->total,
                         .hit = calloc(words, sizeof *result.hit)};
    col_status status =
        e->hits == NULL || result.hit == NULL ? base_out_of_memory(problem) : COL_OK;
    for (uint64_t i = 0; status == COL_OK && i < feedback->total; i++) {
        result.hit[i / 64] |= (uint64_t)(feedback->hits[i] != e->hits[i]) << i % 64;
        e->hits[i] = feedback->hits[i];
    }
    if (status == COL_OK)
        status = dir_engine_tell(test, &result, problem);
    free(result.hit);
    return status;
}

/* Who runs one test after the other has the engine learn from each at once. */
static col_status take_late(col_engine *e, const col_feedback *feedback, col_problem *problem) {
    if (!e->is_reserved && feedback->tests > e->told && e->told < e->handed) {
        dir_test *test = &e->under_way[e->told % e->room];
        BASE_TRY(take_hits(e, feedback, test, problem));
        if (!test->is_learned)
            BASE_TRY(learn(e, test, feedback, problem));
        dir_engine_count(e);
    }
    dir_test *test;
    while ((test = due(e)) != NULL && test->is_told)
        BASE_TRY(learn(e, test, feedback, problem));
    if (test != NULL && !e->is_reserved) /* nobody ran them: once more */
        e->again = e->told;
    return COL_OK;
}

/* With a window the engine is told of each test once, in their order; if it makes no more before
 * that, those under way are handed out again. */
static col_status take_feedback(col_engine *e, const col_feedback *feedback, col_problem *problem) {
    const dir_functions *functions = e->kind->functions;
    if (dir_engine_lags(e))
        return take_late(e, feedback, problem);
    if (functions->learn == NULL || e->kind->window == DIR_INDEPENDENT) {
        e->told = e->handed = e->again = feedback->tests;
        return COL_OK;
    }
    if (feedback->tests > e->told && e->told < e->handed) {
        const dir_test *test = &e->under_way[e->told++ % e->room];
        return functions->learn(e->state, feedback, test, problem);
    }
    if (e->handed - e->told == e->window) /* nobody ran them: once more */
        e->again = e->told;
    return COL_OK;
}

/* Chosen beside those under way, which are still needed if there is no further test. */
static col_status choose(col_engine *e, const col_feedback *feedback, dir_test **test,
                         col_problem *problem) {
    const dir_functions *functions = e->kind->functions;
    dir_test *next = &e->spare;
    next->point = (col_point){0};
    next->is_made = functions->choose == NULL;
    next->request = (col_request){.instances = 0};
    const col_status status =
        next->is_made ? functions->next(e->state, feedback, &next->program, &next->point, problem)
                      : functions->choose(e->state, feedback, next, problem);
    e->is_restored = false;
    *test = NULL;
    if (status != COL_OK || next->point.operations == 0)
        return status;
    if (functions->request != NULL && functions->choose == NULL)
        next->request = functions->request(e->state);
    *test = e->ahead == NULL ? &e->under_way[e->handed % e->room]
                             : &e->ahead[e->ahead_next++ % e->ahead_room];
    swap(next, *test);
    if (dir_engine_lags(e)) {
        (*test)->number = e->handed;
        (*test)->place = e->handed + (*test)->point.operations / e->kind->lag;
        (*test)->is_told = (*test)->is_learned = false;
        dir_engine_add_learning(e, *test);
    }
    e->again = ++e->handed;
    e->last = *test;
    return COL_OK;
}

col_status dir_engine_choose(col_engine *engine, const col_feedback *feedback, dir_test **test,
                             col_problem *problem) {
    const col_feedback *last = dir_engine_latest(engine, feedback);
    const bool is_again = engine->again < engine->handed;
    if (!is_again && engine->kind->watches && last->tests > 0 && last->witness == NULL)
        return base_refuse(problem, "the engine %s needs the witness of each test",
                           engine->kind->name);
    const col_status learned = is_again ? COL_OK : take_feedback(engine, last, problem);
    if (learned != COL_OK)
        return learned;
    if (engine->again < engine->handed) {
        *test = &engine->under_way[engine->again++ % engine->room];
        engine->last = *test;
        return COL_OK;
    }
    *test = NULL;
    if (dir_engine_lags(engine) &&
        (due(engine) != NULL || engine->handed - engine->told == engine->room))
        return COL_OK;
    return choose(engine, last, test, problem);
}

col_status dir_engine_make_room(col_engine *engine, uint32_t tests, col_problem *problem) {
    if (tests <= engine->room)
        return COL_OK;
    dir_test *under_way = make_tests(engine, tests);
    if (under_way == NULL)
        return base_out_of_memory(problem);
    free_tests(engine->under_way, engine->room);
    free(engine->under_way);
    engine->under_way = under_way;
    engine->room = tests;
    return COL_OK;
}

col_status dir_engine_reserve(col_engine *engine, uint32_t tests, col_problem *problem) {
    if (dir_engine_lags(engine)) {
        engine->is_reserved = true;
        return dir_engine_make_room(engine, tests, problem);
    }
    if (dir_engine_window(engine) != DIR_INDEPENDENT)
        return COL_OK;
    engine->ahead = make_tests(engine, tests);
    engine->ahead_room = tests;
    return engine->ahead == NULL ? base_out_of_memory(problem) : COL_OK;
}

col_status col_engine_next(col_engine *engine, const col_feedback *feedback, col_program *program,
                           col_point *point, col_problem *problem) {
    dir_test *test = NULL;
    col_status status = dir_engine_choose(engine, feedback, &test, problem);
    *point = (col_point){0};
    if (status != COL_OK || test == NULL)
        return status;
    status = dir_engine_make(engine, NULL, test, program, problem);
    *point = test->point;
    return status;
}

/* ---- Tests that are made by other threads. */

/* The state of an engine of the same settings, which makes programs and chooses nothing. */
struct dir_maker {
    const dir_functions *functions;
    void *state;
};

col_status dir_maker_new(dir_maker **maker, const col_engine *engine, col_problem *problem) {
    const dir_functions *functions = engine->kind->functions;
    dir_maker *m = calloc(1, sizeof *m);
    if (m == NULL)
        return base_out_of_memory(problem);
    m->functions = functions;
    m->state = calloc(1, functions->size);
    const col_status status =
        m->state == NULL ? base_out_of_memory(problem)
                         : functions->open(m->state, engine->kind, &engine->settings, problem);
    if (status == COL_OK)
        *maker = m;
    else
        dir_maker_free(m);
    return status;
}

void dir_maker_free(dir_maker *maker) {
    if (maker == NULL)
        return;
    if (maker->state != NULL)
        maker->functions->close(maker->state);
    free(maker->state);
    free(maker);
}

col_status dir_engine_make(const col_engine *engine, dir_maker *maker, dir_test *test,
                           col_program *program, col_problem *problem) {
    if (!test->is_made) {
        const col_status status = engine->kind->functions->make(
            maker == NULL ? engine->state : maker->state, test, problem);
        if (status != COL_OK)
            return status;
        test->is_made = true;
    }
    return prg_copy(&test->program, program, problem);
}

const col_learning *col_engine_learning(const col_engine *engine) {
    return engine->kind->functions->learning == NULL
               ? NULL
               : engine->kind->functions->learning(engine->state);
}

col_request col_engine_request(const col_engine *engine) {
    const col_request nothing = {.instances = 0};
    return engine->last == NULL ? nothing : engine->last->request;
}

/* ---- Parameters. */

typedef struct parameter_reader {
    const base_field *table;
    const char *engine;
    void *parameters;
} parameter_reader;

static col_status read_parameter(void *context, const char *key, const char *value,
                                 col_problem *problem) {
    const parameter_reader *reader = context;
    const base_field *field = base_field_find(reader->table, key);
    char what[64];
    if (field != NULL)
        return base_field_read(field, value, "the parameter ", reader->parameters, problem);
    (void)snprintf(what, sizeof what, "the engine %.40s", reader->engine);
    return base_fields_refuse(reader->table, what, "parameter", key, problem);
}

col_status dir_parameters_read(const base_field *table, const char *engine, const char *options,
                               void *parameters, col_problem *problem) {
    parameter_reader reader = {table, engine, parameters};
    base_fields_default(table, parameters);
    return base_pairs_read(options, "a parameter of an engine", read_parameter, &reader, problem);
}
