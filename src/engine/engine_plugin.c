/* SPDX-License-Identifier: MIT */
/*
 * Engines that are plug-ins: shared objects that define col_engine_plugin. What they hand over is
 * somebody else's: programs are checked, points must be within the ranges that were asked for, and
 * a failure without a word gets one. Programs at points are made as for our own engines, by the
 * seed and the number of the test.
 */
#include "base/file.h"
#include "base/hash.h"
#include "base/plugin.h"
#include "engine/learn/learning_agent.h"
#include "engine/rtg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct plugin_kind {
    dir_engine row; /* the first member: rows are found by it */
    const col_engine_interface *interface;
    void *code;
    char hash[33]; /* of the file: other code could not go on from what was saved */
} plugin_kind;

typedef struct plugin {
    const plugin_kind *kind;
    void *state;
    col_engine_settings settings;
    dir_rtg rtg;
    col_point *points;
    col_engine_space space;
    uint64_t test;
} plugin;

static const plugin_kind *kind_of(const dir_engine *row) {
    return (const plugin_kind *)row;
}

uint64_t col_random(uint64_t *state) {
    return base_splitmix(state);
}

/* ---- What it says. */

/* What a function of the plug-in came to; `inner` is what it was given to say why. */
static col_status take_status(const plugin_kind *kind, col_status status, const col_problem *inner,
                              const char *what, col_problem *problem) {
    if (status == COL_OK)
        return COL_OK;
    if (inner->message[0] == '\0')
        (void)base_fail(problem, "the engine %.60s could not %s, and does not say why",
                        kind->row.name, what);
    else if (problem != NULL)
        *problem = *inner;
    return status == COL_BAD_INPUT && inner->message[0] != '\0' ? COL_BAD_INPUT : COL_FAILURE;
}

static col_status check_interface(const col_engine_interface *interface, const char *what,
                                  col_problem *problem) {
    if (interface->version != COL_ENGINE_VERSION)
        return base_refuse(problem,
                           "%.200s is an engine for version %u of the interface, and this is "
                           "version %d: compile it again",
                           what, interface->version, COL_ENGINE_VERSION);
    if (interface->name == NULL || interface->summary == NULL || interface->open == NULL ||
        interface->close == NULL || interface->next == NULL ||
        (interface->save == NULL) != (interface->restore == NULL))
        return base_refuse(problem,
                           "%.200s does not define all of an engine: it has a name, a summary, "
                           "open, close and next, and both save and restore or neither",
                           what);
    return COL_OK;
}

/* ---- Loading. */

static col_status hash_file(const char *what, char hash[33], col_problem *problem) {
    base_text bytes = {0};
    const col_status status = base_file_read(what, &bytes, problem);
    if (status == COL_OK) {
        const XXH128_hash_t h = XXH3_128bits(bytes.data == NULL ? "" : bytes.data, bytes.length);
        (void)snprintf(hash, 33, "%016llx%016llx", (unsigned long long)h.high64,
                       (unsigned long long)h.low64);
    }
    base_text_free(&bytes);
    return status;
}

col_status dir_plugin_load(const char *what, const dir_engine **row, col_problem *problem) {
    const void *found = NULL;
    plugin_kind *kind = NULL;
    BASE_TRY(base_new(&kind, 1, sizeof *kind, problem));
    col_status status = hash_file(what, kind->hash, problem);
    if (status == COL_OK)
        status = base_plugin_load(what, "col_engine_plugin", &found, &kind->code, problem);
    kind->interface = found;
    if (status == COL_OK)
        status = check_interface(kind->interface, what, problem);
    if (status != COL_OK) {
        dir_plugin_unload(&kind->row);
        return status;
    }
    kind->row = (dir_engine){.name = kind->interface->name,
                             .summary = kind->interface->summary,
                             .functions = &dir_plugin,
                             .watches = kind->interface->watches,
                             .chained = kind->interface->chained,
                             .biased = kind->interface->biased};
    *row = &kind->row;
    return COL_OK;
}

void dir_plugin_unload(const dir_engine *row) {
    plugin_kind *kind = (plugin_kind *)row;
    if (kind->code != NULL)
        base_plugin_unload(kind->code);
    free(kind);
}

/* ---- Opening. */

static void close_plugin(void *state) {
    plugin *p = state;
    if (p->state != NULL)
        p->kind->interface->close(p->state);
    dir_rtg_close(&p->rtg);
    free(p->points);
}

static col_status list_points(plugin *p, col_problem *problem) {
    const uint32_t count = dir_rtg_count(&p->rtg);
    BASE_TRY(base_new(&p->points, (size_t)count + 1, sizeof *p->points, problem));
    for (uint32_t i = 0; i < count; i++)
        p->points[i] = dir_rtg_point(&p->rtg, i);
    p->space = (col_engine_space){p->points, count};
    return COL_OK;
}

static col_status open_plugin(void *state, const dir_engine *row,
                              const col_engine_settings *settings, col_problem *problem) {
    col_problem inner = {0};
    plugin *p = state;
    p->kind = kind_of(row);
    p->settings = *settings;
    col_status status = dir_rtg_open(&p->rtg, row, DIR_RTG_UNASKED, settings, problem);
    if (status == COL_OK)
        status = list_points(p, problem);
    if (status == COL_OK)
        status = take_status(p->kind,
                             p->kind->interface->open(&p->state, &p->settings, &p->space, &inner),
                             &inner, "be opened", problem);
    if (status != COL_OK)
        p->state = NULL; /* what could not be opened is not closed */
    return status;
}

/* ---- The next test. */

static bool is_within(uint32_t number, col_range range) {
    return number >= range.least && number <= range.most;
}

static col_status check_point(const plugin *p, const col_point *point, col_problem *problem) {
    const col_engine_settings *s = &p->settings;
    if (!is_within(point->operations, s->operations) || !is_within(point->locations, s->locations))
        return base_refuse(problem,
                           "the engine %.60s chose %u operations and %u locations, which are not "
                           "within %u:%u and %u:%u",
                           p->kind->row.name, point->operations, point->locations,
                           s->operations.least, s->operations.most, s->locations.least,
                           s->locations.most);
    if (point->sets != 0 && !p->kind->row.biased)
        return base_refuse(problem, "the engine %.60s chose %u sets, but does not bias addresses",
                           p->kind->row.name, point->sets);
    if (s->sets != 0 && point->sets != s->sets)
        return base_refuse(problem, "the engine %.60s chose %u sets, and %u were asked for",
                           p->kind->row.name, point->sets, s->sets);
    return COL_OK;
}

static col_status check_program(const plugin *p, const col_program *program, col_point *point,
                                col_problem *problem) {
    col_problem inner = {0};
    if (program->thread_count > p->settings.threads)
        return base_refuse(problem, "the engine %.60s made a program of %u threads for %u cores",
                           p->kind->row.name, program->thread_count, p->settings.threads);
    const col_status status = col_program_check(program, &inner);
    if (status == COL_BAD_INPUT)
        return base_refuse(problem, "the engine %.60s made a program that is not one: %.300s",
                           p->kind->row.name, inner.message);
    point->operations = col_program_operations(program);
    point->locations = program->location_count;
    if (status == COL_OK && point->operations == 0)
        return base_refuse(problem, "the engine %.60s made a program without operations",
                           p->kind->row.name);
    return status == COL_OK ? COL_OK : base_out_of_memory(problem);
}

static col_status next_test(void *state, const col_feedback *feedback, col_program *program,
                            col_point *point, col_problem *problem) {
    plugin *p = state;
    col_problem inner = {0};
    *point = (col_point){0};
    BASE_TRY(col_program_shape(program, 0, NULL, 0, problem));
    BASE_TRY(take_status(p->kind,
                         p->kind->interface->next(p->state, feedback, program, point, &inner),
                         &inner, "choose a test", problem));
    const uint64_t test = p->test++;
    if (program->thread_count > 0)
        return check_program(p, program, point, problem);
    if (point->operations == 0)
        return COL_OK;
    BASE_TRY(check_point(p, point, problem));
    return dir_rtg_make(&p->rtg, point, test, program, problem);
}

/* ---- Saving. */

static col_status check_save(const dir_engine *row, col_problem *problem) {
    if (kind_of(row)->interface->save != NULL)
        return COL_OK;
    return base_refuse(problem,
                       "the engine %.60s cannot be saved or resumed: it has no save and restore",
                       row->name);
}

static json_t *save_bytes(const plugin *p) {
    const col_engine_interface *interface = p->kind->interface;
    const size_t length = interface->save(p->state, NULL, 0);
    uint8_t *bytes = malloc(length + 1);
    json_t *saved = NULL;
    if (bytes != NULL && interface->save(p->state, bytes, length) == length)
        saved = lrn_save_items(bytes, length, 1);
    free(bytes);
    return saved;
}

static json_t *save_plugin(const void *state) {
    const plugin *p = state;
    return json_pack("{s:I, s:s, s:o}", "test", (json_int_t)p->test, "code", p->kind->hash, "bytes",
                     save_bytes(p));
}

static col_status restore_bytes(plugin *p, const json_t *saved, col_problem *problem) {
    const size_t length = json_string_length(saved) / 2;
    col_problem inner = {0};
    uint8_t *bytes = malloc(length + 1);
    if (bytes == NULL)
        return base_out_of_memory(problem);
    const col_status status =
        lrn_restore_items(saved, length, 1, bytes)
            ? take_status(p->kind, p->kind->interface->restore(p->state, bytes, length, &inner),
                          &inner, "be restored", problem)
            : base_refuse(problem, "the state of the engine is damaged");
    free(bytes);
    return status;
}

static col_status restore_plugin(void *state, const json_t *saved, col_problem *problem) {
    plugin *p = state;
    const json_t *bytes = json_object_get(saved, "bytes");
    const char *code = json_string_value(json_object_get(saved, "code"));
    if (code == NULL)
        return base_refuse(problem, "the state of the engine is damaged");
    if (strcmp(code, p->kind->hash) != 0)
        return base_refuse(problem,
                           "the engine %.60s has been changed since it was saved: other code "
                           "cannot go on from there",
                           p->kind->row.name);
    if (!base_json_take(saved, "test", &p->test))
        return base_refuse(problem, "the state of the engine has no number of tests");
    return restore_bytes(p, bytes, problem);
}

const dir_functions dir_plugin = {.size = sizeof(plugin),
                                  .open = open_plugin,
                                  .close = close_plugin,
                                  .next = next_test,
                                  .check_save = check_save,
                                  .save = save_plugin,
                                  .restore = restore_plugin};
