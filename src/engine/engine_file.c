/* SPDX-License-Identifier: MIT */
/* What engines know, as a file. */
#include "engine/engine_state.h"

#include "program/program.h"

#include <stdlib.h>
#include <string.h>

/* ---- What engines save alike. */

const json_t *dir_saved_engine(const json_t *root) {
    const json_t *engine = json_object_get(root, "engine");
    return json_is_object(engine) ? engine : root;
}

json_t *dir_chance_save(const base_rng *rng) {
    const uint64_t *s = rng->state;
    return json_pack("[I, I, I, I]", (json_int_t)s[0], (json_int_t)s[1], (json_int_t)s[2],
                     (json_int_t)s[3]);
}

/* From four zeros nothing but zeros would follow. */
bool dir_chance_restore(const json_t *saved, base_rng *rng) {
    uint64_t any = 0;
    if (json_array_size(saved) != 4)
        return false;
    for (size_t i = 0; i < 4; i++) {
        const json_t *number = json_array_get(saved, i);
        if (!json_is_integer(number))
            return false;
        rng->state[i] = (uint64_t)json_integer_value(number);
        any |= rng->state[i];
    }
    return any != 0;
}

/* ---- What it knows, as a file. */

enum { FORMAT = 2 };

/* An engine with other settings could not go on. */
static json_t *save_settings(const col_engine_settings *s) {
    return json_pack("[I, I, I, I, I, I, I, b, o, o]", (json_int_t)s->threads,
                     (json_int_t)s->operations.least, (json_int_t)s->operations.most,
                     (json_int_t)s->locations.least, (json_int_t)s->locations.most,
                     (json_int_t)s->sets, (json_int_t)s->seed, (int)s->repeat,
                     base_json_text(s->mix), base_json_text(s->options));
}

static json_t *save_state(const col_engine *engine) {
    const dir_functions *f = engine->kind->functions;
    if (f->save != NULL)
        return f->save(engine->state);
    uint64_t test;
    memcpy(&test, (const char *)engine->state + f->test, sizeof test);
    return json_pack("{s:I}", "test", (json_int_t)test);
}

static json_t *save_test(const col_engine *engine, const dir_test *test) {
    const dir_functions *f = engine->kind->functions;
    base_text text = {0};
    prg_program_write(&test->program, &text);
    json_t *saved =
        text.failed
            ? NULL
            : json_pack("{s:[I, I, I], s:[I, b, I], s:s, s:o*}", "point",
                        (json_int_t)test->point.operations, (json_int_t)test->point.locations,
                        (json_int_t)test->point.sets, "request",
                        (json_int_t)test->request.instances, (int)test->request.is_configured,
                        (json_int_t)test->request.configuration, "program", text.data, "plan",
                        f->save_plan == NULL ? NULL : f->save_plan(engine->state, test));
    base_text_free(&text);
    return saved;
}

/* What is to be learned of it, if that is known; a test that does not count yet is run again. */
static json_t *save_late(const col_engine *engine, const dir_test *test) {
    const dir_result *r = &test->result;
    json_t *hit = json_array();
    for (uint64_t i = 0; test->number < engine->told && i < r->total; i++)
        if ((r->hit[i / 64] >> i % 64 & 1) != 0)
            base_json_append(&hit, json_integer((json_int_t)i));
    json_t *saved = save_test(engine, test);
    base_json_set(&saved, "late",
                  json_pack("{s:I, s:I, s:b, s:I, s:I, s:I, s:o}", "number",
                            (json_int_t)test->number, "place", (json_int_t)test->place, "learned",
                            (int)test->is_learned, "cycles", (json_int_t)r->cycles, "operations",
                            (json_int_t)r->operations, "total", (json_int_t)r->total, "hit", hit));
    return saved;
}

static json_t *save_under_way(const col_engine *engine) {
    json_t *tests = json_array();
    for (uint32_t i = 0; i < engine->waiting_count; i++)
        base_json_append(&tests, save_late(engine, &engine->waiting[i]));
    for (uint64_t number = engine->told; number < engine->handed; number++) {
        const dir_test *test = &engine->under_way[number % engine->room];
        base_json_append(&tests, dir_engine_lags(engine) ? save_late(engine, test)
                                                         : save_test(engine, test));
    }
    return tests;
}

/* All that the tests hit of which the engine was told. */
static json_t *save_hits(const col_engine *engine, const col_feedback *feedback) {
    const uint64_t *hits = engine->is_reserved ? feedback->hits : engine->hits;
    const uint64_t total = engine->is_reserved ? feedback->total : engine->total;
    json_t *list = json_array();
    for (uint64_t i = 0; hits != NULL && i < total; i++)
        base_json_append(&list, json_integer((json_int_t)hits[i]));
    return list;
}

/* The feedback is of the oldest test under way, unless the engine was told of it already. */
json_t *dir_engine_save(const col_engine *engine, const col_feedback *last) {
    const bool is_kept = dir_engine_latest(engine, last) == &engine->kept.feedback;
    col_feedback feedback = *dir_engine_latest(engine, last);
    const col_program *program = &engine->under_way[engine->told % engine->room].program;
    if (feedback.tests <= engine->told) /* the engine was told, and has no use for the witness */
        feedback.witness = NULL;
    return json_pack(
        "{s:i, s:s, s:o, s:o, s:I, s:o, s:o, s:o*}", "format", FORMAT, "engine", engine->kind->name,
        "settings", save_settings(&engine->settings), "feedback",
        dir_feedback_save(&feedback, engine->settings.threads,
                          is_kept ? engine->kept.operations : col_program_operations(program),
                          is_kept ? engine->kept.locations : program->location_count),
        "told", (json_int_t)engine->told, "under_way", save_under_way(engine), "state",
        save_state(engine), "hits", dir_engine_lags(engine) ? save_hits(engine, &feedback) : NULL);
}

col_status col_engine_save(const col_engine *engine, const col_feedback *last, const char *path,
                           col_problem *problem) {
    BASE_TRY(dir_engine_check_save(engine, problem));
    return base_json_write_exact(path, dir_engine_save(engine, last), problem);
}

static bool restore_test(const col_engine *engine, const json_t *saved, dir_test *test) {
    const dir_functions *f = engine->kind->functions;
    const uint32_t threads = engine->settings.threads;
    const json_t *point = json_object_get(saved, "point");
    const json_t *request = json_object_get(saved, "request");
    const char *text = json_string_value(json_object_get(saved, "program"));
    uint32_t numbers[5];
    bool is_good = text != NULL;
    for (size_t i = 0; i < 5; i++) {
        const json_t *value =
            i < 3 ? json_array_get(point, i) : json_array_get(request, i == 3 ? 0 : 2);
        const uint64_t number = base_json_number(value, &is_good);
        is_good = is_good && number <= UINT32_MAX;
        numbers[i] = (uint32_t)number;
    }
    test->point = (col_point){numbers[0], numbers[1], numbers[2]};
    test->request = (col_request){.instances = numbers[3],
                                  .is_configured = json_is_true(json_array_get(request, 1)),
                                  .configuration = numbers[4]};
    test->is_made = true;
    return is_good && test->point.operations > 0 &&
           col_program_read(&test->program, text, strlen(text), "saved", NULL) == COL_OK &&
           test->program.thread_count == threads && col_program_operations(&test->program) > 0 &&
           (f->restore_plan == NULL ||
            f->restore_plan(engine->state, json_object_get(saved, "plan"), test));
}

/* The next test in the file: one that counts already, or the next of those that do not. */
static bool restore_late(col_engine *e, const json_t *saved) {
    const json_t *late = json_object_get(saved, "late"), *hit = json_object_get(late, "hit");
    uint64_t number;
    if (!base_json_take(late, "number", &number) || (number >= e->told && number != e->handed))
        return false;
    if (number < e->told && e->waiting_count == dir_engine_window(e))
        return false;
    dir_test *test =
        number < e->told ? &e->waiting[e->waiting_count++] : &e->under_way[e->handed++ % e->room];
    test->number = number;
    test->is_learned = json_is_true(json_object_get(late, "learned"));
    dir_result r = {.total = 0};
    bool is_good = restore_test(e, saved, test) && base_json_take(late, "place", &test->place) &&
                   base_json_take(late, "cycles", &r.cycles) &&
                   base_json_take(late, "operations", &r.operations) &&
                   base_json_take(late, "total", &r.total) && json_is_array(hit) &&
                   r.total <= UINT32_MAX;
    if (!is_good || (!test->is_learned && e->order_count == dir_engine_window(e)))
        return false;
    for (uint32_t i = 0; i < e->order_count; i++)
        is_good = is_good && e->order[i].number != number;
    if (!test->is_learned)
        dir_engine_add_learning(e, test);
    if (number >= e->told)
        return is_good;
    if (r.total != e->total) /* and a small file cannot ask for much memory */
        return false;
    r.hit = calloc((size_t)(r.total / 64 + 1), sizeof *r.hit);
    for (size_t i = 0; r.hit != NULL && is_good && i < json_array_size(hit); i++) {
        const uint64_t point = base_json_number(json_array_get(hit, i), &is_good);
        is_good = is_good && point < r.total;
        if (is_good)
            r.hit[point / 64] |= UINT64_C(1) << point % 64;
    }
    is_good =
        is_good && r.hit != NULL && !test->is_learned && dir_engine_tell(test, &r, NULL) == COL_OK;
    free(r.hit);
    return is_good;
}

static bool restore_hits(col_engine *e, const json_t *saved) {
    bool is_good = json_is_array(saved);
    e->total = json_array_size(saved);
    e->hits = e->total == 0 ? NULL : calloc((size_t)e->total, sizeof *e->hits);
    for (size_t i = 0; i < e->total && e->hits != NULL && is_good; i++)
        e->hits[i] = base_json_number(json_array_get(saved, i), &is_good);
    return is_good && (e->hits != NULL || e->total == 0);
}

/* As many as another number of jobs may have had under way. */
static col_status restore_all_late(col_engine *e, const json_t *root, col_problem *problem) {
    enum { MOST = 1 << 16 };
    const json_t *tests = json_object_get(root, "under_way");
    const size_t count = json_array_size(tests);
    bool is_good = json_is_array(tests) && count <= MOST &&
                   base_json_take(root, "told", &e->told) && e->told < UINT64_MAX - MOST &&
                   restore_hits(e, json_object_get(root, "hits"));
    if (is_good)
        BASE_TRY(dir_engine_make_room(e, (uint32_t)count, problem));
    e->handed = e->told;
    for (size_t i = 0; i < count && is_good; i++)
        is_good = restore_late(e, json_array_get(tests, i));
    e->again = e->kept.feedback.tests;
    /* Counting is one test ahead of learning at most, unless tests are learned of late. */
    const uint64_t ahead = e->again - e->told;
    return is_good && e->again >= e->told && e->again <= e->handed &&
                   ahead <= (e->is_reserved ? 0 : 1)
               ? COL_OK
               : base_refuse(problem, "the tests under way of the saved engine are not whole");
}

static col_status restore_under_way(col_engine *engine, const json_t *root, col_problem *problem) {
    if (dir_engine_lags(engine))
        return restore_all_late(engine, root, problem);
    const json_t *tests = json_object_get(root, "under_way");
    const size_t count = json_array_size(tests);
    bool is_good = json_is_array(tests) && count <= engine->room &&
                   base_json_take(root, "told", &engine->told) &&
                   engine->told < UINT64_MAX - engine->room;
    for (engine->handed = engine->told; is_good && engine->handed - engine->told < count;
         engine->handed++)
        is_good =
            restore_test(engine, json_array_get(tests, (size_t)(engine->handed - engine->told)),
                         &engine->under_way[engine->handed % engine->room]);
    engine->again = engine->kept.feedback.tests;
    is_good = is_good && engine->again >= engine->told;
    return is_good ? COL_OK
                   : base_refuse(problem, "the tests under way of the saved engine are not whole");
}

col_status dir_engine_restore(col_engine *engine, const json_t *root, const char *path,
                              col_problem *problem) {
    const char *name = json_string_value(json_object_get(root, "engine"));
    const json_t *state = json_object_get(root, "state");
    if (json_integer_value(json_object_get(root, "format")) != FORMAT || name == NULL ||
        state == NULL)
        return base_refuse_at(problem, path, 1, 1, "this is not the state of an engine");
    if (strcmp(name, engine->kind->name) != 0)
        return base_refuse_at(problem, path, 1, 1,
                              "this is the state of the engine %.40s, not of %s", name,
                              engine->kind->name);
    BASE_TRY(dir_engine_check_save(engine, problem));
    json_t *settings = save_settings(&engine->settings);
    if (settings == NULL)
        return base_out_of_memory(problem);
    const bool is_same = json_equal(settings, json_object_get(root, "settings"));
    json_decref(settings);
    if (!is_same)
        return base_refuse_at(problem, path, 1, 1,
                              "this is the state of an engine with other settings: cores, --ops, "
                              "--locations, --sets, --mix, --engine-options, --seed and --once "
                              "must be the same");
    BASE_TRY(dir_feedback_restore(json_object_get(root, "feedback"), engine->settings.threads,
                                  &engine->kept, problem));
    engine->is_restored = true;
    BASE_TRY(restore_under_way(engine, root, problem));
    const dir_functions *f = engine->kind->functions;
    if (f->restore != NULL)
        return f->restore(engine->state, state, problem);
    uint64_t test;
    if (!base_json_take(state, "test", &test))
        return base_refuse(problem, "the state of the engine has no number of tests");
    memcpy((char *)engine->state + f->test, &test, sizeof test);
    return COL_OK;
}

col_status col_engine_restore(col_engine *engine, const char *path, col_problem *problem) {
    json_t *root;
    BASE_TRY(base_json_read(path, &root, problem));
    col_status status = dir_engine_restore(engine, dir_saved_engine(root), path, problem);
    json_decref(root);
    return status;
}
