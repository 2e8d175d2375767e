/* SPDX-License-Identifier: MIT */
/* The index of a suite: see suite.h. It may be somebody else's: a program is a name in its folder,
 * never a path, and each mistake is refused at its place. */
#include "episode/suite/suite.h"

#include "base/file.h"
#include "base/names.h"
#include "base/path.h"
#include "cover/coverage.h"

#include <stdlib.h>
#include <string.h>

enum { VERSION = 1, WORDS = 5, MOST_NAME = 64 };

#define HEAD "collider suite 1"

/* ---- Making. */

void epi_suite_begin(epi_suite *suite, col_coverage *points) {
    suite->points = points;
    suite->is_borrowed = true;
    suite->words = points->points.count[COL_FUNCTIONAL] / 64 + 1;
}

col_status epi_suite_add(epi_suite *suite, const epi_suite_program *program, col_problem *problem) {
    BASE_TRY(base_reserve(&suite->programs, &suite->program_room, suite->program_count + 1,
                          sizeof *suite->programs, problem));
    epi_suite_program *new = &suite->programs[suite->program_count];
    *new = *program;
    new->file = base_arena_text(&suite->arena, program->file, strlen(program->file));
    new->episode = base_arena_text(&suite->arena, program->episode, strlen(program->episode));
    new->first_instance = (uint32_t)suite->instance_count;
    new->instance_count = 0;
    if (new->file == NULL || new->episode == NULL)
        return base_out_of_memory(problem);
    suite->program_count++;
    return COL_OK;
}

col_status epi_suite_add_instance(epi_suite *suite, uint64_t seed, const uint64_t *points,
                                  col_problem *problem) {
    BASE_TRY(base_reserve(&suite->instances, &suite->instance_room, suite->instance_count + 1,
                          sizeof *suite->instances, problem));
    epi_suite_instance *new = &suite->instances[suite->instance_count];
    *new =
        (epi_suite_instance){seed, base_arena_take(&suite->arena, suite->words * sizeof(uint64_t))};
    if (new->points == NULL)
        return base_out_of_memory(problem);
    memcpy(new->points, points, suite->words * sizeof(uint64_t));
    suite->instance_count++;
    suite->programs[suite->program_count - 1].instance_count++;
    return COL_OK;
}

void epi_suite_cut(epi_suite *suite, uint64_t last_test) {
    while (suite->program_count > 0 && suite->programs[suite->program_count - 1].test > last_test)
        suite->instance_count -= suite->programs[--suite->program_count].instance_count;
}

void epi_suite_free(epi_suite *suite) {
    if (!suite->is_borrowed)
        col_coverage_free(suite->points);
    free(suite->programs);
    free(suite->instances);
    base_arena_free(&suite->arena);
    *suite = (epi_suite){0};
}

/* ---- Writing. */

static uint32_t digits_of(const epi_suite *suite) {
    return (suite->points->points.count[COL_FUNCTIONAL] + 3) / 4;
}

/* Of the set, which may be empty: a digit for four points, the first of them its lowest bit. */
static void print_points(const epi_suite *suite, const uint64_t *points, base_text *text) {
    const uint32_t digits = digits_of(suite);
    for (uint32_t d = 0; d < digits; d++)
        base_text_add_bytes(text, &"0123456789abcdef"[points[d / 16] >> d % 16 * 4 & 15], 1);
    base_text_add(text, digits == 0 ? "-\n" : "\n");
}

void epi_suite_print(const epi_suite *suite, base_text *text) {
    cov_write_points(suite->points, false, text);
    base_text_add(text, HEAD "\n");
    for (size_t p = 0; p < suite->program_count; p++) {
        const epi_suite_program *program = &suite->programs[p];
        base_text_print(text, "program %s %llu %llu %s\n", program->file,
                        (unsigned long long)program->operations, (unsigned long long)program->test,
                        program->episode);
        for (uint32_t i = 0; i < program->instance_count; i++) {
            const epi_suite_instance *instance = &suite->instances[program->first_instance + i];
            base_text_print(text, "instance %llu ", (unsigned long long)instance->seed);
            print_points(suite, instance->points, text);
        }
    }
    base_text_add(text, "end\n");
}

/* ---- Reading. */

typedef struct reader {
    base_lines lines;
    epi_suite *suite;
    base_names files;
    uint64_t *points; /* of the instance at hand */
} reader;

/* The programs of a suite have names that collider run takes for those of tests. */
static bool is_file(base_word w) {
    static const char begin[] = "test-", end[] = ".txt";
    const size_t before = strlen(begin), behind = strlen(end);
    if (w.length <= before + behind || w.length > MOST_NAME ||
        memcmp(w.start, begin, before) != 0 ||
        memcmp(w.start + w.length - behind, end, behind) != 0)
        return false;
    for (size_t i = before; i < w.length - behind; i++)
        if (w.start[i] < '0' || w.start[i] > '9')
            return false;
    return true;
}

static col_status check_last(const reader *r) {
    const epi_suite *s = r->suite;
    if (s->program_count == 0 || s->programs[s->program_count - 1].instance_count > 0)
        return COL_OK;
    return BASE_REFUSE_AT(&r->lines, r->lines.line, "expected a line 'instance SEED POINTS' for %s",
                          s->programs[s->program_count - 1].file);
}

static col_status read_program(reader *r) {
    base_lines *l = &r->lines;
    epi_suite_program program = {0};
    base_arena *arena = r->files.arena;
    uint32_t number;
    bool is_new;
    BASE_TRY(check_last(r));
    BASE_TRY(base_lines_want(l, 5, "program FILE OPERATIONS TEST EPISODE"));
    if (!is_file(l->words[1]))
        return BASE_REFUSE_AT(l, l->words[1].start,
                              "a program of a suite is named test-NUMBER.txt, not '%.*s'",
                              base_word_shown(&l->words[1]), l->words[1].start);
    BASE_TRY(base_lines_number(l, 2, "a number of operations", &program.operations));
    BASE_TRY(base_lines_number(l, 3, "the number of a test", &program.test));
    BASE_TRY(base_names_add_part(&r->files, l->words[1].start, l->words[1].length, &number, &is_new,
                                 l->problem));
    if (!is_new)
        return BASE_REFUSE_AT(l, l->words[1].start, "this program has a line further up");
    program.file = r->files.texts[number];
    program.episode = base_arena_text(arena, l->words[4].start, l->words[4].length);
    if (program.episode == NULL)
        return base_out_of_memory(l->problem);
    return epi_suite_add(r->suite, &program, l->problem);
}

static int digit_of(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static col_status read_points(reader *r, base_word w) {
    const epi_suite *s = r->suite;
    const uint32_t digits = digits_of(s), count = s->points->points.count[COL_FUNCTIONAL];
    memset(r->points, 0, s->words * sizeof *r->points);
    if (digits == 0 && w.length == 1 && *w.start == '-')
        return COL_OK;
    if (w.length != digits)
        return BASE_REFUSE_AT(&r->lines, w.start,
                              "expected %u hexadecimal digits, a bit for each of %u points", digits,
                              count);
    for (uint32_t d = 0; d < digits; d++) {
        const int digit = digit_of(w.start[d]);
        const uint32_t left = count - d * 4;
        if (digit < 0 || (left < 4 && digit >> left != 0))
            return BASE_REFUSE_AT(&r->lines, w.start + d,
                                  digit < 0 ? "expected a hexadecimal digit"
                                            : "the design has no more points");
        r->points[d / 16] |= (uint64_t)digit << d % 16 * 4;
    }
    return COL_OK;
}

static col_status read_instance(reader *r) {
    uint64_t seed;
    if (r->suite->program_count == 0)
        return BASE_REFUSE_AT(&r->lines, r->lines.line,
                              "expected a line 'program FILE OPERATIONS TEST EPISODE' before it");
    BASE_TRY(base_lines_want(&r->lines, 3, "instance SEED POINTS"));
    BASE_TRY(base_lines_number(&r->lines, 1, "a seed", &seed));
    BASE_TRY(read_points(r, r->lines.words[2]));
    return epi_suite_add_instance(r->suite, seed, r->points, r->lines.problem);
}

/* To the line behind the points, which are read by themselves. */
static col_status skip_points(reader *r) {
    base_lines *l = &r->lines;
    BASE_TRY(base_lines_next(l));
    while (l->word_count != 1 || !base_lines_is(l, 0, "end"))
        BASE_TRY(base_lines_next(l));
    BASE_TRY(base_lines_next(l));
    if (l->word_count == 3 && base_lines_is(l, 0, "collider") && base_lines_is(l, 1, "suite")) {
        uint64_t version;
        BASE_TRY(base_lines_number(l, 2, "a version", &version));
        return version == VERSION
                   ? COL_OK
                   : BASE_REFUSE_AT(l, l->words[2].start,
                                    "this version of Collider reads suites of version %d", VERSION);
    }
    return base_refuse_at(l->problem, l->file, l->line_number + (l->word_count == 0), 1,
                          "expected '" HEAD "' behind the points");
}

static col_status read_line(reader *r) {
    if (base_lines_is(&r->lines, 0, "program"))
        return read_program(r);
    if (base_lines_is(&r->lines, 0, "instance"))
        return read_instance(r);
    return BASE_REFUSE_AT(&r->lines, r->lines.line, "expected program, instance or end");
}

static col_status read_lines(reader *r) {
    base_lines *l = &r->lines;
    BASE_TRY(skip_points(r));
    while (true) {
        BASE_TRY(base_lines_next(l));
        if (l->word_count == 0)
            return base_refuse_at(l->problem, l->file, l->line_number + 1, 1,
                                  "the file is cut: it has no 'end'");
        if (l->word_count == 1 && base_lines_is(l, 0, "end"))
            break;
        BASE_TRY(read_line(r));
    }
    BASE_TRY(check_last(r));
    BASE_TRY(base_lines_next(l));
    return l->word_count == 0 ? COL_OK
                              : BASE_REFUSE_AT(l, l->line, "nothing is expected after 'end'");
}

col_status epi_suite_read(epi_suite *suite, const char *text, size_t length, const char *file,
                          col_problem *problem) {
    BASE_TRY(cov_read_points(&suite->points, text, length, file, problem));
    suite->words = suite->points->points.count[COL_FUNCTIONAL] / 64 + 1;
    base_arena arena = {0};
    reader r = {.lines = base_lines_begin(text, length, file, WORDS, problem),
                .suite = suite,
                .files.arena = &arena};
    col_status status = base_new(&r.points, suite->words, sizeof *r.points, problem);
    BASE_THEN(status, read_lines(&r));
    free(r.points);
    base_names_free(&r.files);
    base_arena_free(&arena);
    return status;
}

col_status epi_suite_read_folder(epi_suite *suite, const char *folder, col_problem *problem) {
    char path[PATH_MAX];
    base_text text = {0};
    col_status status = base_path_in(path, folder, EPI_SUITE_INDEX, problem);
    BASE_THEN(status, base_file_read_in(folder, EPI_SUITE_INDEX, &text, problem));
    BASE_THEN(status, epi_suite_read(suite, text.data == NULL ? "" : text.data, text.length, path,
                                     problem));
    base_text_free(&text);
    return status;
}

/* ---- As a set. */

col_status epi_suite_cover(const epi_suite *suite, col_problem *problem) {
    const cov_points *points = &suite->points->points;
    uint64_t *hits = NULL;
    BASE_TRY(base_new(&hits, (size_t)points->count[COL_FUNCTIONAL] + 1, sizeof *hits, problem));
    for (size_t p = 0; p < suite->program_count; p++) {
        col_coverage_begin(suite->points);
        for (uint32_t k = 0; k < suite->programs[p].instance_count; k++) {
            const epi_suite_instance *instance =
                &suite->instances[suite->programs[p].first_instance + k];
            for (uint32_t i = 0; i < points->count[COL_FUNCTIONAL]; i++)
                hits[points->by_name[i]] = instance->points[i / 64] >> i % 64 & 1;
            (void)col_coverage_add(suite->points, hits);
        }
    }
    free(hits);
    return COL_OK;
}

col_status epi_suite_coverage(col_coverage **coverage, const char *folder, col_problem *problem) {
    epi_suite suite = {0};
    *coverage = NULL;
    col_status status = epi_suite_read_folder(&suite, folder, problem);
    BASE_THEN(status, epi_suite_cover(&suite, problem));
    if (status == COL_OK) {
        *coverage = suite.points;
        suite.is_borrowed = true;
    }
    epi_suite_free(&suite);
    return status;
}
