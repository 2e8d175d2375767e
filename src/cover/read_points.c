/* SPDX-License-Identifier: MIT */
/*
 * The points that a coverage file begins with, for readers that do not know the design: they become
 * a description, from which a set is made that the coverage is read into.
 */
#include "base/lines.h"
#include "base/memory.h"
#include "base/text.h"
#include "cover/coverage.h"

#include <stdlib.h>
#include <string.h>

typedef struct reading {
    base_lines lines;
    base_arena arena;
    col_duv_description description;
    col_duv_machine *machines;
    col_duv_point *points;
    uint32_t *needs;
    col_duv_source *sources;
    size_t machine_room, point_room, need_room, source_room;
    uint32_t brought;
} reading;

static col_status read_limited(const reading *r, uint32_t position, const char *what,
                               uint32_t *number) {
    uint64_t large;
    const col_status status = base_lines_number(&r->lines, position, what, &large);
    if (status != COL_OK)
        return status;
    *number = (uint32_t)large;
    return large <= UINT32_MAX ? COL_OK
                               : BASE_REFUSE_AT(&r->lines, r->lines.words[position].start,
                                                "%s is at most %u", what, UINT32_MAX);
}

/* ---- Names. */

static int digit_of(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The name that a word stands for. */
static col_status unspell(reading *r, base_word w, const char **name) {
    if (w.length == 1 && *w.start == '-')
        w.length = 0;
    char *const copy = base_arena_text(&r->arena, w.start, w.length);
    *name = copy;
    if (copy == NULL)
        return base_out_of_memory(r->lines.problem);
    char *end = copy;
    for (size_t i = 0; i < w.length; i++) {
        const bool is_code = w.start[i] == '%';
        const int high = is_code && i + 2 < w.length ? digit_of(w.start[i + 1]) : -1;
        const int low = is_code && i + 2 < w.length ? digit_of(w.start[i + 2]) : -1;
        if (is_code && (high < 0 || low < 0 || high * 16 + low == 0))
            return BASE_REFUSE_AT(&r->lines, w.start + i,
                                  "expected two hexadecimal digits behind %%");
        *end++ = (char)(unsigned char)(is_code ? high * 16 + low : (unsigned char)w.start[i]);
        i += is_code ? 2 : 0;
    }
    *end = '\0';
    return COL_OK;
}

/* ---- The lines. */

static col_status read_header(reading *r) {
    col_status status = base_lines_next(&r->lines);
    if (status != COL_OK)
        return status;
    if (r->lines.word_count != 3 || !base_lines_is(&r->lines, 0, "collider") ||
        !base_lines_is(&r->lines, 1, "points"))
        return base_refuse_at(
            r->lines.problem, r->lines.file, r->lines.line_number, 1,
            "this file does not list its design's points; give the folder of its episode, or name "
            "the design with --design");
    uint64_t version;
    status = base_lines_number(&r->lines, 2, "a version", &version);
    if (status == COL_OK && version != COV_VERSION)
        status = BASE_REFUSE_AT(&r->lines, r->lines.words[2].start,
                                "this version of Collider reads points of version %d", COV_VERSION);
    return status;
}

static col_status read_design(reading *r) {
    static const char form[] = "design NAME CORES";
    col_status status = base_lines_next(&r->lines);
    if (status == COL_OK)
        status = base_lines_want(&r->lines, 3, form);
    if (status == COL_OK && !base_lines_is(&r->lines, 0, "design"))
        status = BASE_REFUSE_AT(&r->lines, r->lines.words[0].start, "expected a line '%s'", form);
    if (status == COL_OK)
        status = unspell(r, r->lines.words[1], &r->description.name);
    return status == COL_OK ? read_limited(r, 2, "a number of cores", &r->description.cores)
                            : status;
}

static col_status read_level(reading *r) {
    col_geometry *g = &r->description.geometry;
    const char *name;
    const col_status status = unspell(r, r->lines.words[1], &name);
    if (status != COL_OK)
        return status;
    if (g->level_count == COL_MAX_LEVELS)
        return BASE_REFUSE_AT(&r->lines, r->lines.line, "a geometry has at most %d levels",
                              COL_MAX_LEVELS);
    col_cache_level *level = &g->levels[g->level_count++];
    *level = (col_cache_level){.index_low = g->block_bits, .ways = 1};
    strncpy(level->name, name, sizeof level->name - 1);
    return COL_OK;
}

static col_status read_machine(reading *r) {
    col_duv_description *d = &r->description;
    col_status status = base_reserve(&r->machines, &r->machine_room, (size_t)d->machine_count + 1,
                                     sizeof *r->machines, r->lines.problem);
    if (status != COL_OK)
        return status;
    col_duv_machine *machine = &r->machines[d->machine_count++];
    *machine = (col_duv_machine){.first_point = d->point_count};
    status = unspell(r, r->lines.words[1], &machine->name);
    return status == COL_OK ? read_limited(r, 2, "a number of controllers", &machine->controllers)
                            : status;
}

static col_status read_source(reading *r, col_duv_source *source) {
    const base_word w = r->lines.words[4];
    *source = (col_duv_source){0};
    if (w.length == 1 && *w.start == '-')
        return COL_OK;
    size_t colon = w.length;
    while (colon > 0 && w.start[colon - 1] != ':')
        colon--;
    if (colon < 2)
        return BASE_REFUSE_AT(&r->lines, w.start, "expected FILE:LINE or -");
    for (size_t i = colon; i < w.length; i++) {
        if (w.start[i] < '0' || w.start[i] > '9' || source->line > UINT32_MAX / 16)
            return BASE_REFUSE_AT(&r->lines, w.start, "expected FILE:LINE or -");
        source->line = source->line * 10 + (uint32_t)(w.start[i] - '0');
    }
    return unspell(r, (base_word){.start = w.start, .length = colon - 1}, &source->file);
}

static col_status reserve_point(reading *r) {
    const size_t count = (size_t)r->description.point_count + 1;
    col_status status =
        base_reserve(&r->points, &r->point_room, count, sizeof *r->points, r->lines.problem);
    if (status == COL_OK)
        status = base_reserve(&r->needs, &r->need_room, count, sizeof *r->needs, r->lines.problem);
    if (status == COL_OK)
        status =
            base_reserve(&r->sources, &r->source_room, count, sizeof *r->sources, r->lines.problem);
    return status;
}

static bool is_word(const reading *r, uint32_t position, const char *word) {
    return base_lines_is(&r->lines, position, word);
}

static col_status read_point(reading *r) {
    col_duv_description *d = &r->description;
    if (d->machine_count == 0)
        return BASE_REFUSE_AT(&r->lines, r->lines.line,
                              "expected a line 'machine NAME CONTROLLERS'");
    col_status status = reserve_point(r);
    if (status != COL_OK)
        return status;
    const uint32_t number = d->point_count;
    if (!is_word(r, 2, "yes") && !is_word(r, 2, "no") && !is_word(r, 2, "-"))
        return BASE_REFUSE_AT(&r->lines, r->lines.words[2].start, "expected yes, no or -");
    r->points[number] = (col_duv_point){.reachable = is_word(r, 2, "yes")};
    d->reachable_known |= !is_word(r, 2, "-");
    r->needs[number] = 0;
    status = unspell(r, r->lines.words[0], &r->points[number].state);
    if (status == COL_OK)
        status = unspell(r, r->lines.words[1], &r->points[number].event);
    if (status == COL_OK && !is_word(r, 3, "-")) {
        d->needs = r->needs; /* known */
        status = read_limited(r, 3, "a set of needs", &r->needs[number]);
    }
    if (status == COL_OK)
        status = read_source(r, &r->sources[number]);
    if (status != COL_OK)
        return status;
    d->point_count++;
    r->machines[d->machine_count - 1].point_count++;
    return COL_OK;
}

static col_status read_line(reading *r) {
    const uint32_t words = r->lines.word_count;
    if (words == 2 && is_word(r, 0, "brought"))
        return read_limited(r, 1, "a set of needs", &r->brought);
    if (words == 2 && is_word(r, 0, "level"))
        return read_level(r);
    if (words == 3 && is_word(r, 0, "machine"))
        return read_machine(r);
    const col_status status =
        base_lines_want(&r->lines, COV_WORDS, "STATE EVENT REACHABLE NEEDS SOURCE");
    return status == COL_OK ? read_point(r) : status;
}

static col_status read_points(reading *r) {
    col_status status = read_header(r);
    if (status == COL_OK)
        status = read_design(r);
    while (status == COL_OK) {
        status = base_lines_next(&r->lines);
        if (status == COL_OK && r->lines.word_count == 0)
            return base_refuse_at(r->lines.problem, r->lines.file, r->lines.line_number + 1, 1,
                                  "the file is cut: its points have no 'end'");
        if (status != COL_OK || (r->lines.word_count == 1 && is_word(r, 0, "end")))
            break;
        status = read_line(r);
    }
    return status;
}

/* ---- The set. */

/* What is wrong with the points as a whole has no line of its own. */
static col_status refuse_whole(col_status status, const char *file, col_problem *problem) {
    if (status != COL_BAD_INPUT || problem == NULL)
        return status;
    const col_problem was = *problem;
    return base_refuse_at(problem, file, 1, 1, "%s", was.message);
}

static col_status make_set(col_coverage **coverage, const char *text, size_t length,
                           const char *file, col_problem *problem) {
    reading r = {.lines = base_lines_begin(text, length, file, COV_WORDS, problem),
                 .description.geometry.block_bits = 6};
    col_status status = read_points(&r);
    if (status == COL_OK) {
        r.description.machines = r.machines;
        r.description.points = r.points;
        r.description.sources = r.sources;
        r.description.needs = r.description.needs == NULL ? NULL : r.needs;
        status = refuse_whole(col_coverage_new(coverage, &r.description, problem), file, problem);
    }
    if (status == COL_OK)
        col_coverage_bring(*coverage, r.brought);
    free(r.machines);
    free(r.points);
    free(r.needs);
    free(r.sources);
    base_arena_free(&r.arena);
    return status;
}

col_status cov_read_whole(col_coverage **coverage, const char *text, size_t length,
                          const char *file, col_problem *problem) {
    *coverage = NULL;
    col_status status = make_set(coverage, text, length, file, problem);
    if (status == COL_OK)
        status = col_coverage_read(*coverage, text, length, file, problem);
    if (status != COL_OK) {
        col_coverage_free(*coverage);
        *coverage = NULL;
    }
    return status;
}

/* An empty set of the same points. */
static col_status make_empty(col_coverage **empty, const col_coverage *as, bool flat,
                             col_problem *problem) {
    base_text text = {0};
    *empty = NULL;
    cov_write_points(as, flat, &text);
    col_status status = base_text_status(&text, problem);
    if (status == COL_OK)
        status = make_set(empty, text.data, text.length, "points", problem);
    base_text_free(&text);
    return status;
}

col_status cov_renumber(col_coverage **copy, const col_coverage *coverage, const col_coverage *as,
                        col_problem *problem) {
    const col_status status = make_empty(copy, as, false, problem);
    return status == COL_OK ? col_coverage_merge(*copy, coverage, NULL, problem) : status;
}

col_status cov_flatten(col_coverage **flat, const col_coverage *coverage, col_problem *problem) {
    const col_status status = make_empty(flat, coverage, true, problem);
    if (status != COL_OK)
        return status;
    const uint32_t count = (*flat)->points.count[COL_FUNCTIONAL];
    uint64_t *hits = calloc((size_t)count + 1, sizeof *hits);
    for (uint32_t i = 0; hits != NULL && i < count; i++)
        hits[i] = coverage->hits[COL_STRUCTURAL][(*flat)->points.transition_of[i]];
    if (hits != NULL)
        (void)col_coverage_add(*flat, hits);
    free(hits);
    return hits != NULL ? COL_OK : base_out_of_memory(problem);
}
