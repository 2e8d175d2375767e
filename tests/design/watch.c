/* SPDX-License-Identifier: MIT */
/* An observer that counts: see watch.h. */
#include "watch.h"

#include "base/file.h"
#include "collider/check.h"
#include "collider/generate.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

static void mix(watch *w, uint64_t number) {
    w->hash = (w->hash ^ number) * UINT64_C(0x9e3779b97f4a7c15);
    w->hash ^= w->hash >> 29;
}

/* Which point has these names? Looked up the slow way. */
static uint32_t point_named(const col_duv_description *d, uint32_t machine, const char *state,
                            const char *event) {
    const col_duv_machine *m = &d->machines[machine];
    for (uint32_t p = m->first_point; p < m->first_point + m->point_count; p++)
        if (strcmp(d->points[p].state, state) == 0 && strcmp(d->points[p].event, event) == 0)
            return p;
    fail_msg("%s has no point %s/%s", m->name, state, event);
    return 0;
}

static void count_transition(watch *w, const col_event *e) {
    const col_duv_description *d = w->description;
    assert_true(e->machine < d->machine_count);
    assert_true(e->controller < d->machines[e->machine].controllers);
    const names *n = &w->names[e->machine];
    const uint32_t point = point_named(d, e->machine, n->states[e->state], n->events[e->event]);
    uint64_t before = 0; /* the machines one after the other, within each its controllers */
    for (uint32_t m = 0; m < e->machine; m++)
        before += (uint64_t)d->machines[m].point_count * d->machines[m].controllers;
    const uint64_t functional = before +
                                (uint64_t)e->controller * d->machines[e->machine].point_count +
                                point - d->machines[e->machine].first_point;
    w->hits[functional]++;
}

static void notice(void *context, const col_event *e) {
    watch *w = context;
    const uint64_t numbers[] = {
        e->kind,   e->cycle,   e->core,       e->operation, e->word,  e->overwritten, e->read,
        e->source, e->machine, e->controller, e->state,     e->event, e->next_state,  e->block};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        mix(w, numbers[i]);
    if (e->message != NULL)
        (void)snprintf(w->message, sizeof w->message, "%s", e->message);
    w->performed += e->kind == COL_LOAD_PERFORMED || e->kind == COL_STORE_PERFORMED;
    w->last_cycle = e->cycle;
    if (e->kind == COL_TRANSITION && w->names != NULL)
        count_transition(w, e);
    if (++w->events == w->stop_after) {
        w->stop = 1;
        w->cycle_of_stop = e->cycle;
    }
}

void watch_start(watch *w, const col_duv *duv, const names *by_machine) {
    *w = (watch){.description = col_duv_describe(duv), .names = by_machine};
    w->hits = calloc(col_duv_functional_count(w->description) + 1, sizeof *w->hits);
    assert_non_null(w->hits);
}

void watch_end(watch *w) {
    free(w->hits);
}

col_observer watch_observer(watch *w) {
    return (col_observer){w, notice, UINT32_MAX};
}

col_run watch_run(watch *w, col_duv *duv, uint64_t seed) {
    col_run run;
    col_problem problem;
    const col_observer observer = watch_observer(w);
    w->hash = w->events = w->performed = 0;
    w->stop = 0;
    w->message[0] = '\0';
    if (col_duv_run(duv, seed, &observer, &w->stop, &run, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    return run;
}

void watch_compare_hits(watch *w, col_duv *duv) {
    const uint32_t count = col_duv_functional_count(w->description);
    uint64_t *hits = calloc(count + 1, sizeof *hits);
    assert_non_null(hits);
    col_duv_collect(duv, hits);
    assert_memory_equal(hits, w->hits, count * sizeof *hits);
    memset(w->hits, 0, count * sizeof *w->hits);
    free(hits);
}

void program_make(col_program *program, const col_duv_description *description, uint32_t operations,
                  uint32_t locations, uint64_t seed) {
    col_problem problem;
    col_generation generation;
    col_generator *generator = col_generator_new();
    col_generation_default(&generation);
    generation.threads = description->cores;
    generation.operations = operations;
    generation.locations = locations;
    generation.addressing.geometry = description->geometry;
    col_addressing_bias(&generation.addressing, locations % 4 == 0 ? 4 : 1);
    assert_non_null(generator);
    if (col_generate(generator, &generation, seed, 0, program, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    col_generator_free(generator);
}

col_duv *duv_open(const char *what, uint32_t cores, const char *options, bool own_process) {
    return duv_open_wrong(what, cores, options, NULL, own_process);
}

col_duv *duv_open_wrong(const char *what, uint32_t cores, const char *options, const char *wrong,
                        bool own_process) {
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/error/%s.yaml", TEST_DATA, wrong == NULL ? "" : wrong);
    const col_duv_settings settings = {.cores = cores,
                                       .options = options,
                                       .error = wrong == NULL ? NULL : path,
                                       .own_process = own_process};
    col_duv *duv;
    col_problem problem;
    if (col_duv_open(&duv, what, &settings, &problem) != COL_OK)
        fail_msg("%s: %s", what, problem.message);
    return duv;
}

const char *duv_refusal(const char *what, const col_duv_settings *settings) {
    static col_problem problem;
    col_duv *duv;
    assert_int_equal(col_duv_open(&duv, what, settings, &problem), COL_BAD_INPUT);
    assert_null(duv);
    return problem.message;
}

void duv_refuses(const char *what, const col_duv_settings *settings, const char *sentence) {
    if (strstr(duv_refusal(what, settings), sentence) == NULL)
        fail_msg("%s %s: %s", what, settings->options, duv_refusal(what, settings));
}

/* ---- Trials. */

void trial_start(trial *t, col_duv *duv, const names *by_machine) {
    *t = (trial){.duv = duv, .program = COL_PROGRAM_EMPTY};
    watch_start(&t->watch, duv, by_machine);
}

void trial_load(trial *t) {
    assert_int_equal(col_duv_load(t->duv, &t->program, NULL), COL_OK);
}

void trial_make(trial *t, uint32_t operations, uint32_t locations, uint64_t seed) {
    program_make(&t->program, t->watch.description, operations, locations, seed);
    trial_load(t);
}

void trial_make_small(trial *t, uint32_t operations, uint32_t locations, uint64_t seed) {
    program_make(&t->program, t->watch.description, operations, locations, seed);
    for (uint32_t l = 0; l < t->program.location_count; l++)
        t->program.addresses[l] = (uint64_t)8 * l;
    trial_load(t);
}

col_run trial_run(trial *t, uint64_t seed) {
    return watch_run(&t->watch, t->duv, seed);
}

void trial_end(trial *t) {
    watch_end(&t->watch);
    col_duv_close(t->duv);
    col_program_free(&t->program);
}

uint32_t trial_violations(trial *t, col_model model, uint32_t tests,
                          void make(trial *t, uint64_t seed)) {
    col_checker *checker;
    uint32_t violations = 0;
    assert_int_equal(col_checker_new(&checker, model, NULL), COL_OK);
    const col_observer observer = col_checker_observer(checker);
    for (uint64_t seed = 0; seed < tests; seed++) {
        col_run run;
        make(t, seed);
        assert_int_equal(col_checker_load(checker, &t->program, NULL), COL_OK);
        assert_int_equal(col_duv_run(t->duv, seed, &observer, NULL, &run, NULL), COL_OK);
        assert_int_equal(run.end, COL_RUN_COMPLETE);
        violations += !col_checker_finish(checker, true);
    }
    col_checker_free(checker);
    return violations;
}

/* Beside the command. */
const char *toy_path(void) {
    static char path[4096];
    const char *slash = strrchr(COLLIDER_COMMAND, '/');
    (void)snprintf(path, sizeof path, "%.*s/toy.so", (int)(slash - COLLIDER_COMMAND),
                   COLLIDER_COMMAND);
    return path;
}

/* ---- Processes. */

double seconds_now(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static uint32_t count_descriptors(void) {
    uint32_t count = 0;
    DIR *entries = opendir("/proc/self/fd");
    assert_non_null(entries);
    while (readdir(entries) != NULL)
        count++;
    (void)closedir(entries);
    return count;
}

static uint32_t descriptors;

int begin_tidy(void **state) {
    (void)state;
    descriptors = count_descriptors();
    return 0;
}

int end_tidy(void **state) {
    (void)state;
    errno = 0;
    const bool no_children = waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD;
    return no_children && count_descriptors() == descriptors ? 0 : -1;
}

bool is_gone(long process) {
    char path[64], text[256] = "";
    (void)snprintf(path, sizeof path, "/proc/%ld/stat", process);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return true;
    const char *line = fgets(text, sizeof text, file);
    (void)fclose(file);
    const char *name_end = line == NULL ? NULL : strrchr(text, ')');
    return name_end == NULL || name_end[2] == 'Z' || name_end[2] == 'X';
}

bool goes_away(long process) {
    const struct timespec moment = {.tv_nsec = 10000000};
    for (int i = 0; i < 12000 && !is_gone(process); i++)
        (void)nanosleep(&moment, NULL);
    return is_gone(process);
}

/* ---- Verilator. */

char cache_folder[] = "/tmp/collider-cache-XXXXXX";

bool has_verilator(void) {
    return system("verilator --version >/dev/null 2>&1") == 0; /* NOLINT(cert-env33-c) */
}

int begin_cache(void **state) {
    (void)state;
    assert_non_null(mkdtemp(cache_folder));
    assert_int_equal(setenv("XDG_CACHE_HOME", cache_folder, 1), 0);
    return setenv("COLLIDER_OPTIMISATION", "-O0", 1);
}

int end_cache(void **state) {
    (void)state;
    char command[128];
    (void)snprintf(command, sizeof command, "rm -rf %s", cache_folder);
    return system(command); /* NOLINT(cert-env33-c) */
}

const char *write_edited(const char *name, const char *from, const char *to) {
    static char paths[2][256]; /* of designs and of sources */
    base_text text = {0}, edited = {0};
    char original[256], *path = paths[strstr(name, ".yaml") == NULL];
    (void)snprintf(original, sizeof original, "%s/verilog/%s", TEST_DATA, name);
    assert_int_equal(base_file_read(original, &text, NULL), COL_OK);
    char *at = strstr(text.data, from);
    assert_non_null(at);
    base_text_add_bytes(&edited, text.data, (size_t)(at - text.data));
    base_text_print(&edited, "%s%s", to, at + strlen(from));
    (void)snprintf(path, sizeof paths[0], "%s/%s", cache_folder, name);
    assert_int_equal(base_file_write(path, edited.data, edited.length, NULL), COL_OK);
    base_text_free(&text);
    base_text_free(&edited);
    return path;
}
