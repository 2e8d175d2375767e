/* SPDX-License-Identifier: MIT */
/* The directing engines by name. */
#include "direct/engine.h"

#include "base/plugin.h"
#include "direct/feedback.h"
#include "direct/mtg.h"

#include <stdlib.h>
#include <string.h>

#define NAME(word, ...) word,
#define ROW(word, file, about, ...)                                                                \
    {.name = (word), .summary = (about), .functions = &dir_##file, __VA_ARGS__},

const char *const col_engines[] = {DIR_ENGINES(NAME) NULL};
const char *const dir_undirected_names[] = {DIR_UNDIRECTED(NAME) NULL};
static const dir_engine engines[] = {DIR_ENGINES(ROW)};

struct col_engine {
    const dir_engine *kind; /* of the table, or a plug-in's own */
    bool is_plugin;
    void *state;
    col_engine_settings settings;   /* its texts are those below */
    char *mix, *options;            /* as they were given; may be NULL */
    uint32_t operations, locations; /* of the last test */
    bool is_restored;               /* `kept` is what the next test follows */
    dir_kept_feedback kept;
};

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

bool dir_engine_is_independent(const col_engine *engine) {
    return engine->kind->is_independent;
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

static void free_settings(col_engine *engine) {
    free(engine->mix);
    free(engine->options);
}

/* All but its state. */
static void free_shell(col_engine *engine) {
    if (engine->is_plugin && engine->kind != NULL)
        dir_plugin_unload(engine->kind);
    free_settings(engine);
    free(engine);
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
    col_status status = check_range("operations", settings->operations, UINT32_MAX - 1, problem);
    if (status == COL_OK)
        status = check_range("locations", settings->locations, COL_MAX_LOCATIONS, problem);
    if (status != COL_OK)
        return status;
    col_engine *e = calloc(1, sizeof *e);
    if (e == NULL)
        return base_out_of_memory(problem);
    status = find_kind(e, name, problem);
    if (status == COL_OK && e->kind->is_between && settings->threads < 2)
        status = base_refuse(problem,
                             "%s needs two cores or more: its tests are about what goes on between "
                             "them; plain and scout take one",
                             e->kind->name);
    if (status == COL_OK && !keep_settings(e, settings))
        status = base_out_of_memory(problem);
    if (status == COL_OK)
        status = e->kind->functions->open(e->kind, &e->state, &e->settings, problem);
    if (status != COL_OK) {
        free_shell(e);
        return status;
    }
    *engine = e;
    return COL_OK;
}

void col_engine_free(col_engine *engine) {
    if (engine == NULL)
        return;
    engine->kind->functions->close(engine->state);
    dir_feedback_free(&engine->kept);
    free_shell(engine);
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

void dir_engine_under_way(col_engine *engine, const col_program *program) {
    engine->operations = col_program_operations(program);
    engine->locations = program->location_count;
}

/* What came of the last test: until a restored engine hands one out, that is in its file. Not if
 * the file's is older: a test that was under way when the engine was saved was run again. */
static const col_feedback *latest(const col_engine *engine, const col_feedback *feedback) {
    const col_feedback *kept = &engine->kept.feedback;
    return engine->is_restored && feedback->tests <= kept->tests ? kept : feedback;
}

col_status col_engine_next(col_engine *engine, const col_feedback *feedback, col_program *program,
                           col_point *point, col_problem *problem) {
    const col_feedback *last = latest(engine, feedback);
    if (engine->kind->watches && last->tests > 0 && last->witness == NULL)
        return base_refuse(problem, "the engine %s needs the witness of each test",
                           engine->kind->name);
    const col_status status =
        engine->kind->functions->next(engine->state, last, program, point, problem);
    engine->is_restored = false;
    if (status == COL_OK && point->operations > 0)
        dir_engine_under_way(engine, program);
    return status;
}

const col_learning *col_engine_learning(const col_engine *engine) {
    return engine->kind->functions->learning == NULL
               ? NULL
               : engine->kind->functions->learning(engine->state);
}

col_request col_engine_request(const col_engine *engine) {
    const dir_functions *functions = engine->kind->functions;
    const col_request nothing = {.instances = 0};
    return functions->request == NULL ? nothing : functions->request(engine->state);
}

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

enum { FORMAT = 1 };

/* An engine with other settings could not go on. */
static json_t *save_settings(const col_engine_settings *s) {
    return json_pack("[I, I, I, I, I, I, I, b, o, o]", (json_int_t)s->threads,
                     (json_int_t)s->operations.least, (json_int_t)s->operations.most,
                     (json_int_t)s->locations.least, (json_int_t)s->locations.most,
                     (json_int_t)s->sets, (json_int_t)s->seed, (int)s->repeat,
                     base_json_text(s->mix), base_json_text(s->options));
}

json_t *dir_engine_save(const col_engine *engine, const col_feedback *last) {
    return json_pack("{s:i, s:s, s:o, s:o, s:o}", "format", FORMAT, "engine", engine->kind->name,
                     "settings", save_settings(&engine->settings), "feedback",
                     dir_feedback_save(latest(engine, last), engine->settings.threads,
                                       engine->operations, engine->locations),
                     "state", engine->kind->functions->save(engine->state));
}

col_status col_engine_save(const col_engine *engine, const col_feedback *last, const char *path,
                           col_problem *problem) {
    const col_status status = dir_engine_check_save(engine, problem);
    return status == COL_OK ? base_json_write_exact(path, dir_engine_save(engine, last), problem)
                            : status;
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
    col_status status = dir_engine_check_save(engine, problem);
    if (status != COL_OK)
        return status;
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
    status = dir_feedback_restore(json_object_get(root, "feedback"), engine->settings.threads,
                                  &engine->kept, problem);
    if (status != COL_OK)
        return status;
    engine->is_restored = true;
    engine->operations = engine->kept.operations;
    engine->locations = engine->kept.locations;
    return engine->kind->functions->restore(engine->state, state, problem);
}

col_status col_engine_restore(col_engine *engine, const char *path, col_problem *problem) {
    json_t *root;
    col_status status = base_json_read(path, &root, problem);
    if (status != COL_OK)
        return status;
    status = dir_engine_restore(engine, dir_saved_engine(root), path, problem);
    json_decref(root);
    return status;
}
