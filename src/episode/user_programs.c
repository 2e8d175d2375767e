/* SPDX-License-Identifier: MIT */
/* Programs that a user gave: see user_programs.h. */
#include "episode/user_programs.h"

#include "base/file.h"
#include "base/folder.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/problem.h"
#include "episode/suite/suite.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- Which files. */

/* Its files, and their streams. */
typedef struct listing {
    col_episode *episode;
    epi_stream *streams;
    size_t room; /* of these */
} listing;

static col_status add_file(listing *l, const char *path, col_problem *problem) {
    col_episode *e = l->episode;
    BASE_TRY(base_reserve(&l->streams, &l->room, e->given_count + 1, sizeof *l->streams, problem));
    l->streams[e->given_count] = (epi_stream){.is_kept = false};
    BASE_TRY(
        base_reserve(&e->given, &e->given_capacity, e->given_count + 1, sizeof *e->given, problem));
    col_given *given = &e->given[e->given_count];
    *given = (col_given){.path = strdup(path)};
    if (given->path == NULL)
        return base_out_of_memory(problem);
    e->given_count++;
    return COL_OK;
}

/* test-0000.txt and so on, as collider generate names them. */
static int is_test(const struct dirent *entry) {
    const char *name = entry->d_name;
    const size_t length = strlen(name);
    return strncmp(name, "test-", 5) == 0 && length > 9 && strcmp(name + length - 4, ".txt") == 0;
}

static col_status add_tests(listing *l, const char *folder, col_problem *problem) {
    char path[PATH_MAX];
    struct dirent **entries = NULL;
    const int count = scandir(folder, &entries, is_test, alphasort);
    col_status status = COL_OK;
    if (count < 0)
        return base_cannot_read(folder, errno, problem);
    if (count == 0)
        status = base_refuse(problem,
                             "%.400s has no programs: neither test-0000.txt and so on, as collider "
                             "generate writes them, nor the program.txt of a failure",
                             folder);
    for (int i = 0; i < count; i++) {
        if (status == COL_OK)
            status = base_path_in(path, folder, entries[i]->d_name, problem);
        if (status == COL_OK)
            status = add_file(l, path, problem);
        free(entries[i]);
    }
    free(entries);
    return status;
}

/* A program of a suite, with its seeds. */
static col_status add_member(listing *l, const char *folder, const epi_suite *suite,
                             const epi_suite_program *program, col_problem *problem) {
    char path[PATH_MAX];
    BASE_TRY(base_path_in(path, folder, program->file, problem));
    BASE_TRY(base_file_check_regular(path, false, problem)); /* the suite may be somebody else's */
    BASE_TRY(add_file(l, path, problem));
    epi_stream *stream = &l->streams[l->episode->given_count - 1];
    BASE_TRY(base_new(&stream->seeds, program->instance_count, sizeof *stream->seeds, problem));
    stream->seed_count = program->instance_count;
    for (uint32_t i = 0; i < program->instance_count; i++)
        stream->seeds[i] = suite->instances[program->first_instance + i].seed;
    return COL_OK;
}

/* All programs of a suite, or the one of that name; `found`: there was any. */
static col_status add_suite(listing *l, const char *folder, const char *name, bool *found,
                            col_problem *problem) {
    epi_suite suite = {0};
    col_status status = epi_suite_read_folder(&suite, folder, problem);
    *found = false;
    for (size_t i = 0; i < suite.program_count && status == COL_OK; i++) {
        if (name != NULL && strcmp(name, suite.programs[i].file) != 0)
            continue;
        *found = true;
        status = add_member(l, folder, &suite, &suite.programs[i], problem);
    }
    if (status == COL_OK && name == NULL && !*found)
        status = base_refuse(problem, "the suite %.400s has no programs", folder);
    epi_suite_free(&suite);
    return status;
}

/* A file beside the index of a suite that has it is run as the suite says. One that is not there is
 * reported when it is read. */
static col_status add_one(listing *l, const char *path, col_problem *problem) {
    const char *name = base_path_name(path);
    const size_t above = (size_t)(name - path);
    char folder[PATH_MAX] = ".";
    bool found = false;
    if (above > 0 && above < sizeof folder)
        (void)snprintf(folder, sizeof folder, "%.*s", (int)above - (above > 1), path);
    if (strncmp(name, "test-", 5) == 0 && base_folder_has(folder, EPI_SUITE_INDEX))
        BASE_TRY(add_suite(l, folder, name, &found, problem));
    return found ? COL_OK : add_file(l, path, problem);
}

static col_status add_path(listing *l, const char *path, col_problem *problem) {
    char inside[PATH_MAX];
    struct stat about;
    bool found;
    if (stat(path, &about) != 0 || !S_ISDIR(about.st_mode))
        return add_one(l, path, problem);
    BASE_TRY(base_path_in(inside, path, "program.txt", problem));
    if (stat(inside, &about) == 0)
        return add_file(l, inside, problem);
    return base_folder_has(path, EPI_SUITE_INDEX) ? add_suite(l, path, NULL, &found, problem)
                                                  : add_tests(l, path, problem);
}

/* ---- What is in them. */

static col_status read_given(const col_given *given, const epi_stream *stream, col_program *program,
                             col_problem *problem) {
    BASE_TRY(stream->is_kept ? col_program_read(program, stream->text.data, stream->text.length,
                                                given->path, problem)
                             : col_program_read_file(program, given->path, problem));
    if (col_program_operations(program) == 0)
        return base_refuse_at(problem, given->path, 0, 0, "the program has no operations");
    return COL_OK;
}

static col_status check_given(col_given *given, epi_pool *pool, epi_stream *stream,
                              col_program *program, col_problem *problem) {
    struct stat about;
    /* A pipe or a device is empty when it has been read. */
    stream->is_kept = stat(given->path, &about) == 0 && !S_ISREG(about.st_mode);
    if (stream->is_kept)
        BASE_TRY(base_file_read(given->path, &stream->text, problem));
    BASE_TRY(read_given(given, stream, program, problem));
    given->threads = program->thread_count;
    given->operations = col_program_operations(program);
    given->locations = program->location_count;
    col_status status = epi_pool_check(pool, program, problem);
    if (status == COL_BAD_INPUT && problem != NULL && problem->file[0] == '\0')
        (void)snprintf(problem->file, sizeof problem->file, "%s", given->path);
    return status;
}

col_status epi_given_open(col_episode *e, const col_episode_settings *s, epi_pool *pool,
                          epi_stream **streams, uint32_t *instances, col_problem *problem) {
    col_program program = COL_PROGRAM_EMPTY;
    listing l = {.episode = e};
    col_status status = COL_OK;
    if (s->save != NULL || s->resume != NULL)
        return base_refuse(problem, "an episode of given programs cannot be saved or resumed: "
                                    "leave --save and --resume out");
    for (uint32_t i = 0; i < s->program_count && status == COL_OK; i++)
        status = add_path(&l, s->programs[i], problem);
    *streams = l.streams;
    for (size_t i = 0; i < e->given_count && l.streams != NULL && status == COL_OK; i++) {
        status = check_given(&e->given[i], pool, &l.streams[i], &program, problem);
        if (l.streams[i].seed_count > *instances)
            *instances = l.streams[i].seed_count;
    }
    col_program_free(&program);
    return status;
}

void epi_streams_free(epi_stream *streams, size_t count) {
    for (size_t i = 0; i < count && streams != NULL; i++) {
        base_text_free(&streams[i].text);
        free(streams[i].seeds);
    }
    free(streams);
}

void epi_given_free(col_episode *e) {
    for (size_t i = 0; i < e->given_count; i++) {
        for (size_t k = 0; k < e->given[i].outcome_count; k++)
            free(e->given[i].outcomes[k].seen);
        free(e->given[i].outcomes);
        free(e->given[i].path);
    }
    free(e->given);
}

/* ---- Which comes next. */

col_status epi_given_next(const col_episode *e, const col_episode_settings *s,
                          const epi_stream *streams, uint64_t test, col_program *program,
                          col_point *point, col_problem *problem) {
    const bool has_budget = s->tests > 0 || s->cycles > 0 || s->seconds > 0;
    *point = (col_point){0};
    if (!has_budget && test >= e->given_count)
        return COL_OK;
    const bool is_read = e->given_count == 1 && program->thread_count > 0;
    const size_t place = test % e->given_count;
    BASE_TRY(is_read ? COL_OK : read_given(&e->given[place], &streams[place], program, problem));
    *point = (col_point){col_program_operations(program), program->location_count, 0};
    return COL_OK;
}

const epi_stream *epi_given_seeds(const col_episode *e, const epi_stream *streams, uint64_t test) {
    return test < e->given_count && streams[test].seed_count > 0 ? &streams[test] : NULL;
}

/* ---- What came of it. */

/* The values of reads by operation, then the last ones of locations that were written. */
typedef struct values {
    uint64_t *words;
    bool *is_known;
    uint32_t reads, count;
} values;

static void collect_values(values *s, const col_program *program, const epi_instance *instance) {
    assert(s->words != NULL && s->is_known != NULL);
    memset(s->words, 0, s->count * sizeof *s->words);
    memset(s->is_known, 0, s->count);
    for (size_t i = 0; i < instance->event_count; i++) {
        const epi_event *event = &instance->events[i];
        if (event->kind == COL_FINAL_VALUE && event->operation < program->location_count) {
            s->words[s->reads + event->operation] = event->word;
            s->is_known[s->reads + event->operation] = true;
        }
        if (event->kind == COL_FINAL_VALUE || event->operation >= s->reads)
            continue;
        const col_operation *o = &program->operations[event->operation];
        uint64_t word;
        if (epi_event_reads(program, event, &word)) {
            s->words[event->operation] = word;
            s->is_known[event->operation] = true;
        }
        if (event->kind == COL_STORE_PERFORMED && !instance->of_reads) {
            s->words[s->reads + o->location] = event->word;
            s->is_known[s->reads + o->location] = true;
        }
    }
}

static col_status keep_seen(const values *s, const col_program *program, col_seen_outcome *outcome,
                            col_problem *problem) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->count; i++)
        count += s->is_known[i];
    if (count > COL_MOST_SEEN)
        return COL_OK;
    BASE_TRY(base_new(&outcome->seen, (size_t)count + 1, sizeof *outcome->seen, problem));
    for (uint32_t i = 0; i < s->count; i++) {
        col_seen seen = {COL_FINAL, COL_FINAL, i - s->reads, s->words[i]};
        if (i < s->reads) {
            seen.thread = col_program_thread_of(program, i);
            seen.operation = i - program->thread_start[seen.thread];
            seen.location = program->operations[i].location;
        }
        if (s->is_known[i])
            outcome->seen[outcome->seen_count++] = seen;
    }
    return COL_OK;
}

static col_status count_outcome(col_given *given, const values *s, const col_program *program,
                                col_problem *problem) {
    const XXH128_hash_t hash = XXH3_128bits(s->words, s->count * sizeof *s->words);
    given->passed++;
    for (size_t i = 0; i < given->outcome_count; i++)
        if (given->outcomes[i].hash[0] == hash.high64 && given->outcomes[i].hash[1] == hash.low64) {
            given->outcomes[i].count++;
            return COL_OK;
        }
    if (given->outcome_count == COL_MOST_OUTCOMES) {
        given->others++;
        return COL_OK;
    }
    BASE_TRY(base_reserve(&given->outcomes, &given->outcome_capacity, given->outcome_count + 1,
                          sizeof *given->outcomes, problem));
    col_seen_outcome *outcome = &given->outcomes[given->outcome_count];
    *outcome = (col_seen_outcome){.count = 1, .hash = {hash.high64, hash.low64}};
    col_status status = keep_seen(s, program, outcome, problem);
    given->outcome_count += status == COL_OK;
    return status;
}

col_status epi_given_add(col_episode *e, const col_episode_settings *settings, const epi_test *test,
                         col_problem *problem) {
    const col_program *program = &test->program;
    const epi_instance *instances = test->instances;
    col_given *given = &e->given[e->tests % e->given_count];
    const uint32_t reads = col_program_operations(program);
    values s = {.reads = reads, .count = reads + program->location_count};
    bool has_failed = false;
    s.words = malloc(((size_t)s.count + 1) * sizeof *s.words);
    s.is_known = malloc((size_t)s.count + 1);
    col_status status =
        s.words != NULL && s.is_known != NULL ? COL_OK : base_out_of_memory(problem);
    for (uint32_t i = 0; i < test->count && status == COL_OK; i++) {
        if (!instances[i].done || (has_failed && !settings->keep_going))
            continue;
        given->instances++;
        has_failed |= instances[i].outcome != COL_PASS && instances[i].waived == NULL;
        if (instances[i].outcome != COL_PASS)
            continue;
        collect_values(&s, program, &instances[i]);
        status = count_outcome(given, &s, program, problem);
    }
    given->tests++;
    given->failing += has_failed;
    free(s.words);
    free(s.is_known);
    return status;
}

/* ---- In order. */

static int by_count(const void *a, const void *b) {
    const col_seen_outcome *const *x = a, *const *y = b;
    if ((*x)->count != (*y)->count)
        return (*x)->count > (*y)->count ? -1 : 1;
    return *x < *y ? -1 : *x > *y; /* as they came */
}

const col_seen_outcome **epi_given_by_count(const col_given *given) {
    const col_seen_outcome **sorted = calloc(given->outcome_count + 1, sizeof *sorted);
    for (size_t i = 0; sorted != NULL && i < given->outcome_count; i++)
        sorted[i] = &given->outcomes[i];
    if (sorted != NULL)
        qsort(sorted, given->outcome_count, sizeof *sorted, by_count);
    return sorted;
}
