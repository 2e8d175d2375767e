/* SPDX-License-Identifier: MIT */
/*
 * Distilling: two set covers, one behind the other. The first chooses among programs, each of which
 * has what all of its instances cover; the second among the instances of those that were chosen.
 * Each of these has a point that no other one has, so that none of them loses all its instances.
 */
#include "episode/suite/distil.h"

#include "base/file.h"
#include "base/folder.h"
#include "base/path.h"
#include "cover/coverage.h"
#include "episode/suite/corpus.h"
#include "episode/suite/set_cover.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

/* Conflicts that the SAT solver may spend on a question: seconds. */
enum { EFFORT = 100000 };

typedef struct input {
    epi_suite suite;
    char folder[PATH_MAX]; /* of the suite */
    const char *name;      /* as it was given */
    uint32_t first;        /* number of its first program */
} input;

/* Programs and instances count through all inputs. */
typedef struct work {
    const epi_distil_settings *settings;
    epi_distilled *result;
    input *inputs;
    uint32_t program_count, instance_count;
    epi_cover programs, instances;
} work;

/* ---- Reading. */

static col_status find_folder(input *in, col_problem *problem) {
    char path[PATH_MAX];
    BASE_TRY(base_path_in(path, in->name, EPI_CORPUS, problem));
    if (base_folder_has(path, EPI_SUITE_INDEX))
        return base_path_in(in->folder, in->name, EPI_CORPUS, problem);
    if (base_folder_has(in->name, EPI_SUITE_INDEX))
        return (size_t)snprintf(in->folder, sizeof in->folder, "%s", in->name) < sizeof in->folder
                   ? COL_OK
                   : base_refuse(problem, "the path %.100s... is too long", in->name);
    if (base_folder_has(in->name, "episode.json"))
        return base_refuse(problem,
                           "%.300s has no corpus: run the episode again with --corpus; the same "
                           "settings and seed give the same tests",
                           in->name);
    return base_refuse(problem, "%.300s is neither an episode folder nor a suite", in->name);
}

static col_status check_same(const work *w, const input *in, col_problem *problem) {
    uint32_t cores[2];
    const col_coverage *sets[2] = {w->inputs[0].suite.points, in->suite.points};
    const char *first = col_coverage_design(sets[0], &cores[0]);
    const char *other = col_coverage_design(sets[1], &cores[1]);
    const col_hash a = col_coverage_points(sets[0]), b = col_coverage_points(sets[1]);
    if (a.high == b.high && a.low == b.low && cores[0] == cores[1])
        return COL_OK;
    return base_refuse(problem,
                       "%.200s is of %.64s with %u cores and %.200s of %.64s with %u: they have "
                       "different points",
                       w->inputs[0].name, first, cores[0], in->name, other, cores[1]);
}

static col_status read_inputs(work *w, col_problem *problem) {
    for (uint32_t i = 0; i < w->settings->input_count; i++) {
        input *in = &w->inputs[i];
        in->name = w->settings->inputs[i];
        in->first = w->program_count;
        BASE_TRY(find_folder(in, problem));
        BASE_TRY(epi_suite_read_folder(&in->suite, in->folder, problem));
        BASE_TRY(check_same(w, in, problem));
        w->program_count += (uint32_t)in->suite.program_count;
        w->instance_count += (uint32_t)in->suite.instance_count;
    }
    return w->program_count > 0
               ? COL_OK
               : base_refuse(problem, "there are no programs in %.300s", w->inputs[0].name);
}

static const epi_suite_program *program_at(const work *w, uint32_t number, const input **of) {
    uint32_t i = w->settings->input_count - 1;
    while (w->inputs[i].first > number)
        i--;
    *of = &w->inputs[i];
    return &w->inputs[i].suite.programs[number - w->inputs[i].first];
}

/* ---- Choosing. */

/* The elements of a cover are points of the metric: functional ones in the order of names, or the
 * transitions that they are of. */
static uint32_t element_count(const work *w) {
    return w->inputs[0].suite.points->points.count[w->settings->metric];
}

static void add_elements(const work *w, const epi_suite_instance *instance, uint64_t *row) {
    const cov_points *points = &w->inputs[0].suite.points->points;
    for (uint32_t i = 0; i < points->count[COL_FUNCTIONAL]; i++) {
        const uint32_t element =
            w->settings->metric == COL_FUNCTIONAL ? i : points->transition_of[points->by_name[i]];
        if ((instance->points[i / 64] >> i % 64 & 1) != 0)
            row[element / 64] |= UINT64_C(1) << element % 64;
    }
}

static col_status choose_programs(work *w, col_problem *problem) {
    const size_t words = epi_cover_words(element_count(w));
    uint64_t *bits = NULL, *weights = NULL;
    col_status status = base_new(&bits, w->program_count * words, sizeof *bits, problem);
    BASE_THEN(status, base_new(&weights, w->program_count, sizeof *weights, problem));
    for (uint32_t p = 0; p < w->program_count && status == COL_OK; p++) {
        const input *in;
        const epi_suite_program *program = program_at(w, p, &in);
        weights[p] = program->operations;
        for (uint32_t i = 0; i < program->instance_count; i++)
            add_elements(w, &in->suite.instances[program->first_instance + i], bits + p * words);
    }
    const epi_cover_task task = {.set_count = w->program_count,
                                 .element_count = element_count(w),
                                 .bits = bits,
                                 .weights = weights,
                                 .effort = EFFORT};
    BASE_THEN(status, epi_cover_find(&task, &w->programs, problem));
    free(bits);
    free(weights);
    return status;
}

/* Of the programs that were chosen; the sets are their instances, in this order. */
static col_status choose_instances(work *w, col_problem *problem) {
    const size_t words = epi_cover_words(element_count(w));
    uint64_t *bits = NULL;
    uint32_t count = 0;
    const input *in;
    BASE_TRY(base_new(&bits, w->instance_count * words, sizeof *bits, problem));
    for (uint32_t p = 0; p < w->programs.count; p++) {
        const epi_suite_program *program = program_at(w, w->programs.chosen[p], &in);
        for (uint32_t i = 0; i < program->instance_count; i++)
            add_elements(w, &in->suite.instances[program->first_instance + i],
                         bits + count++ * words);
    }
    const epi_cover_task task = {
        .set_count = count, .element_count = element_count(w), .bits = bits, .effort = EFFORT};
    const col_status status = epi_cover_find(&task, &w->instances, problem);
    free(bits);
    return status;
}

/* ---- Writing. */

/* What another suite says of its programs goes on being said. */
static col_status spell_episode(const input *in, const epi_suite_program *program,
                                base_arena *arena, const char **word, col_problem *problem) {
    *word = strcmp(program->episode, "-") == 0 ? cov_spell(arena, in->name) : program->episode;
    return *word == NULL ? base_out_of_memory(problem) : COL_OK;
}

static col_status list_programs(work *w, col_problem *problem) {
    epi_suite *out = &w->result->suite;
    base_arena arena = {0};
    uint32_t first = 0, next = 0;
    col_status status = COL_OK;
    epi_suite_begin(out, w->inputs[0].suite.points);
    for (uint32_t p = 0; p < w->programs.count && status == COL_OK; p++) {
        const input *in;
        const epi_suite_program *was = program_at(w, w->programs.chosen[p], &in);
        epi_suite_program program = *was;
        char name[32];
        (void)snprintf(name, sizeof name, "test-%04u.txt", p + 1);
        program.file = name;
        status = spell_episode(in, was, &arena, &program.episode, problem);
        BASE_THEN(status, epi_suite_add(out, &program, problem));
        for (; next < w->instances.count && status == COL_OK &&
               w->instances.chosen[next] < first + was->instance_count;
             next++) {
            const epi_suite_instance *instance =
                &in->suite.instances[was->first_instance + w->instances.chosen[next] - first];
            status = epi_suite_add_instance(out, instance->seed, instance->points, problem);
        }
        first += was->instance_count;
    }
    base_arena_free(&arena);
    return status;
}

/* Only what is a program is copied. */
static col_status copy_program(const input *in, const char *from, const char *folder,
                               const char *to, col_problem *problem) {
    char path[PATH_MAX], shown[PATH_MAX];
    base_text text = {0};
    col_program program = COL_PROGRAM_EMPTY;
    col_status status = base_path_in(path, folder, to, problem);
    BASE_THEN(status, base_path_in(shown, in->folder, from, problem));
    BASE_THEN(status, base_file_read_in(in->folder, from, &text, problem));
    BASE_THEN(status, col_program_read(&program, text.data == NULL ? "" : text.data, text.length,
                                       shown, problem));
    BASE_THEN(status, base_file_write(path, text.data, text.length, problem));
    col_program_free(&program);
    base_text_free(&text);
    return status;
}

static col_status write_staged(const work *w, const char *folder, col_problem *problem) {
    char path[PATH_MAX];
    base_text text = {0};
    for (uint32_t p = 0; p < w->programs.count; p++) {
        const input *in;
        const epi_suite_program *program = program_at(w, w->programs.chosen[p], &in);
        BASE_TRY(
            copy_program(in, program->file, folder, w->result->suite.programs[p].file, problem));
    }
    BASE_TRY(base_path_in(path, folder, EPI_SUITE_INDEX, problem));
    epi_suite_print(&w->result->suite, &text);
    return base_file_write_text(path, &text, problem);
}

/* A folder with anything else in it stays as it is. */
static col_status check_out(const char *out, col_problem *problem) {
    DIR *entries = opendir(out);
    bool is_empty = true, is_suite = base_folder_has(out, EPI_SUITE_INDEX);
    for (const struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;)
        is_empty = is_empty && entry->d_name[0] == '.';
    if (entries != NULL)
        (void)closedir(entries);
    return is_empty || is_suite
               ? COL_OK
               : base_refuse(problem,
                             "%.300s holds something other than a suite; use --out FOLDER "
                             "for a new folder",
                             out);
}

static bool has_file(const epi_suite *suite, const char *file) {
    for (size_t p = 0; p < suite->program_count; p++)
        if (strcmp(suite->programs[p].file, file) == 0)
            return true;
    return false;
}

/* The files of the suite that is there, so that none of them stays. */
static col_status write_suite(work *w, col_problem *problem) {
    const char *out = w->settings->out;
    const epi_suite *suite = &w->result->suite;
    epi_suite old = {0};
    const char **names = NULL;
    size_t count = 0;
    base_stage stage;
    col_status status = check_out(out, problem);
    if (status == COL_OK && base_folder_has(out, EPI_SUITE_INDEX))
        status = epi_suite_read_folder(&old, out, problem);
    BASE_THEN(status, base_new(&names, old.program_count + suite->program_count + 2, sizeof *names,
                               problem));
    BASE_THEN(status, base_stage_begin(&stage, out, problem));
    if (status == COL_OK) {
        for (size_t p = 0; p < suite->program_count; p++)
            names[count++] = suite->programs[p].file;
        names[count++] = EPI_SUITE_INDEX;
        for (size_t p = 0; p < old.program_count; p++)
            if (!has_file(suite, old.programs[p].file))
                names[count++] = old.programs[p].file;
        status = write_staged(w, stage.path, problem);
        const col_status ended = base_stage_end(&stage, status == COL_OK, names, problem);
        status = status == COL_OK ? ended : status;
    }
    free(names);
    epi_suite_free(&old);
    return status;
}

/* ---- All of it. */

/* Points of an episode that its corpus lacks: the episode went on without one, or was killed. */
static col_status count_missing(work *w, col_problem *problem) {
    const size_t words = epi_cover_words(element_count(w));
    uint64_t *row = NULL;
    col_status status = base_new(&row, words, sizeof *row, problem);
    for (uint32_t i = 0; i < w->settings->input_count && status == COL_OK; i++) {
        const input *in = &w->inputs[i];
        char path[PATH_MAX];
        base_text text = {0};
        col_coverage *covered = NULL, *named = NULL;
        if (!base_folder_has(in->name, "coverage.txt"))
            continue;
        memset(row, 0, words * sizeof *row);
        for (size_t k = 0; k < in->suite.instance_count; k++)
            add_elements(w, &in->suite.instances[k], row);
        status = base_path_in(path, in->name, "coverage.txt", problem);
        BASE_THEN(status, base_file_read_in(in->name, "coverage.txt", &text, problem));
        BASE_THEN(status, cov_read_whole(&covered, text.data == NULL ? "" : text.data, text.length,
                                         path, problem));
        BASE_THEN(status, cov_renumber(&named, covered, w->inputs[0].suite.points, problem));
        const cov_points *points = &w->inputs[0].suite.points->points;
        for (uint32_t e = 0; e < element_count(w) && status == COL_OK; e++) {
            const uint32_t point = w->settings->metric == COL_FUNCTIONAL ? points->by_name[e] : e;
            w->result->missing +=
                col_coverage_has(named, COL_CUMULATIVE, (col_metric)w->settings->metric, point) &&
                (row[e / 64] >> e % 64 & 1) == 0;
        }
        col_coverage_free(covered);
        col_coverage_free(named);
        base_text_free(&text);
    }
    free(row);
    return status;
}

static col_status distil(work *w, col_problem *problem) {
    BASE_TRY(read_inputs(w, problem));
    BASE_TRY(choose_programs(w, problem));
    BASE_TRY(choose_instances(w, problem));
    BASE_TRY(list_programs(w, problem));
    BASE_TRY(count_missing(w, problem));
    w->result->inputs = w->settings->input_count;
    w->result->from = w->program_count;
    w->result->points = w->programs.covered;
    w->result->least = w->programs.least;
    w->result->least_instances = w->instances.least;
    BASE_TRY(write_suite(w, problem));
    w->result->suite.points = w->inputs[0].suite.points; /* from now on its own */
    w->result->suite.is_borrowed = false;
    w->inputs[0].suite.is_borrowed = true;
    return COL_OK;
}

col_status epi_distil(const epi_distil_settings *settings, epi_distilled *distilled,
                      col_problem *problem) {
    work w = {.settings = settings, .result = distilled};
    BASE_TRY(base_new(&w.inputs, settings->input_count, sizeof *w.inputs, problem));
    const col_status status = distil(&w, problem);
    for (uint32_t i = 0; i < settings->input_count; i++)
        epi_suite_free(&w.inputs[i].suite);
    free(w.inputs);
    free(w.programs.chosen);
    free(w.instances.chosen);
    return status;
}

void epi_distilled_free(epi_distilled *distilled) {
    epi_suite_free(&distilled->suite);
}
