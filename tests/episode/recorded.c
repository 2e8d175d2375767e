/* SPDX-License-Identifier: MIT */
/* Failures for tests: see recorded.h. */
#include "episodes.h"
#include "harness.h"

#include "base/file.h"
#include "recorded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static col_episode_settings settings_of(const failing *f, const char *out) {
    col_episode_settings s = small_episode(f->design, "chain-bias");
    s.setting.design.cores = 8;
    s.operations = (col_range){64, 1024};
    s.locations = (col_range){4, 32};
    s.instances = 5;
    s.tests = 300;
    s.setting.design.options = f->options;
    s.setting.design.error = f->error;
    s.setting.design.own_process = f->own_process;
    s.folder = out;
    return s;
}

void find_failure(const failing *f, const char *out, col_failure *failure) {
    const col_episode_settings s = settings_of(f, out);
    col_episode episode = {0};
    col_problem problem;
    if (col_episode_run(&s, &episode, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    assert_int_not_equal(episode.outcome, COL_PASS);
    *failure = episode.failure;
    col_episode_free(&episode);
}

char *read_text(const char *where, const char *name) {
    char path[1200];
    base_text text = {0};
    col_problem problem;
    (void)snprintf(path, sizeof path, "%s/%s", where, name);
    assert_int_equal(base_file_read(path, &text, &problem), COL_OK);
    assert_non_null(text.data);
    return text.data;
}

static void keep(void *context, const col_event *event) {
    events *e = context;
    const bool is_move = event->kind == COL_TRANSITION || event->kind == COL_POINT;
    if (*e->ended != 0 && (!is_move || event->cycle != e->cycle))
        return;
    e->cycle = event->cycle;
    if (e->count == e->capacity) {
        e->capacity = 2 * e->capacity + 1024;
        e->list = realloc(e->list, e->capacity * sizeof *e->list);
        assert_non_null(e->list);
    }
    e->list[e->count] = *event;
    if (event->message != NULL)
        e->list[e->count].message = strdup(event->message);
    e->count++;
}

void record(const char *where, events *e) {
    col_failure was;
    col_problem problem;
    epi_instance instance = {0};
    const col_observer observer = {e, keep, UINT32_MAX};
    *e = (events){.recorded = {.program = COL_PROGRAM_EMPTY}};
    assert_int_equal(epi_failure_read(where, true, &e->recorded, &was, &problem), COL_OK);
    assert_int_equal(epi_worker_open(&e->worker, &e->recorded.setting, &problem), COL_OK);
    assert_int_equal(epi_worker_load(&e->worker, &e->recorded.program, &problem), COL_OK);
    e->ended = &e->worker.ended;
    e->worker.also[0] = &observer;
    instance.seed = was.seed;
    epi_worker_run(&e->worker, &instance);
    assert_int_equal(instance.outcome, was.outcome);
    e->outcome = instance.outcome;
    (void)snprintf(e->reason, sizeof e->reason, "%s", instance.reason);
    if (epi_judge_violation(&e->worker.judge) != NULL)
        e->violation = read_text(where, "violation.txt");
}

void release(events *e) {
    epi_worker_close(&e->worker);
    epi_recorded_free(&e->recorded);
    for (size_t i = 0; i < e->count; i++)
        free((char *)e->list[i].message);
    free(e->list);
    free(e->violation);
}
