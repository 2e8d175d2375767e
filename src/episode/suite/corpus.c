/* SPDX-License-Identifier: MIT */
/* The corpus of an episode: see corpus.h. */
#include "episode/suite/corpus.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/folder.h"
#include "base/path.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Seconds that the index may be behind: a process that is killed loses no more. */
enum { DELAY = 10 };

/* What is there already, up to the test that the episode goes on from. */
static col_status go_on(epi_corpus *c, const col_episode *episode, col_problem *problem) {
    epi_suite old = {0};
    struct stat about;
    if (lstat(c->folder, &about) != 0 || !S_ISDIR(about.st_mode))
        return base_refuse(problem,
                           "%.300s is not there: the episode was begun without --corpus, so that "
                           "its corpus would not be complete",
                           c->folder);
    col_status status = epi_suite_read_folder(&old, c->folder, problem);
    const col_hash was = status == COL_OK ? col_coverage_points(old.points) : (col_hash){0};
    const col_hash is = col_coverage_points(episode->coverage);
    if (status == COL_OK && (was.high != is.high || was.low != is.low))
        status = base_refuse(problem, "%.300s is of a design with other points", c->folder);
    if (status == COL_OK)
        epi_suite_cut(&old, episode->tests);
    for (size_t p = 0; p < old.program_count && status == COL_OK; p++) {
        const epi_suite_program *program = &old.programs[p];
        status = epi_suite_add(&c->suite, program, problem);
        for (uint32_t i = 0; i < program->instance_count && status == COL_OK; i++) {
            const epi_suite_instance *instance = &old.instances[program->first_instance + i];
            status = epi_suite_add_instance(&c->suite, instance->seed, instance->points, problem);
        }
    }
    epi_suite_free(&old);
    return status;
}

col_status epi_corpus_begin(epi_corpus *c, const char *folder, const col_episode *episode,
                            bool goes_on, col_problem *problem) {
    const cov_points *points = &episode->coverage->points;
    const uint32_t count = points->count[COL_FUNCTIONAL];
    epi_suite_begin(&c->suite, episode->coverage);
    BASE_TRY(base_path_in(c->folder, folder, EPI_CORPUS, problem));
    BASE_TRY(base_new(&c->place, (size_t)count + 1, sizeof *c->place, problem));
    BASE_TRY(base_new(&c->points, c->suite.words, sizeof *c->points, problem));
    for (uint32_t i = 0; i < count; i++)
        c->place[points->by_name[i]] = i;
    if (goes_on)
        return go_on(c, episode, problem);
    base_folder_remove(folder, EPI_CORPUS);
    BASE_TRY(base_folder_make(c->folder, problem));
    c->is_behind = true;
    return epi_corpus_end(c, problem);
}

/* ---- A test. */

/* Up to the failure that ended the episode, if one did. */
static col_status add_instances(epi_corpus *c, const epi_test *test, bool is_last,
                                col_problem *problem) {
    for (uint32_t i = 0; i < test->count; i++) {
        const epi_instance *instance = &test->instances[i];
        if (!instance->done)
            continue;
        memset(c->points, 0, c->suite.words * sizeof *c->points);
        for (size_t h = 0; h < instance->hit_count; h++) {
            const uint32_t place = c->place[instance->hits[h].point];
            c->points[place / 64] |= UINT64_C(1) << place % 64;
        }
        BASE_TRY(epi_suite_add_instance(&c->suite, instance->seed, c->points, problem));
        if (is_last && instance->outcome != COL_PASS && instance->waived == NULL)
            break;
    }
    return COL_OK;
}

static col_status write_program(const epi_corpus *c, const char *name, const col_program *program,
                                col_problem *problem) {
    char path[PATH_MAX], *text = NULL;
    size_t length = 0;
    BASE_TRY(base_path_in(path, c->folder, name, problem));
    col_status status = col_program_write(program, &text, &length, problem);
    BASE_THEN(status, base_file_write_anew(path, text, length, problem));
    col_text_free(text);
    return status;
}

col_status epi_corpus_add(epi_corpus *c, const col_episode *episode, const epi_test *test,
                          col_problem *problem) {
    char name[40];
    (void)snprintf(name, sizeof name, "test-%07llu.txt", (unsigned long long)episode->tests);
    const epi_suite_program program = {.file = name,
                                       .episode = "-",
                                       .test = episode->tests,
                                       .operations = col_program_operations(&test->program)};
    BASE_TRY(write_program(c, name, &test->program, problem));
    BASE_TRY(epi_suite_add(&c->suite, &program, problem));
    BASE_TRY(add_instances(c, test, episode->ending == COL_ENDED_BY_ERROR, problem));
    c->is_behind = true;
    return base_seconds() - c->written < DELAY ? COL_OK : epi_corpus_end(c, problem);
}

col_status epi_corpus_end(epi_corpus *c, col_problem *problem) {
    char path[PATH_MAX];
    base_text text = {0};
    if (!c->is_behind)
        return COL_OK;
    BASE_TRY(base_path_in(path, c->folder, EPI_SUITE_INDEX, problem));
    epi_suite_print(&c->suite, &text);
    col_status status = base_text_status(&text, problem);
    BASE_THEN(status, base_file_write_anew(path, text.data, text.length, problem));
    base_text_free(&text);
    c->written = base_seconds();
    c->is_behind = status != COL_OK;
    return status;
}

void epi_corpus_free(epi_corpus *c) {
    epi_suite_free(&c->suite);
    free(c->place);
    free(c->points);
    *c = (epi_corpus){0};
}
