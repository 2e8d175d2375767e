/* SPDX-License-Identifier: MIT */
/*
 * Reading the text form, line by line, into hits of its own that are merged into the set only when
 * all is well. The lines may come in any order, but a point comes once: a file that was pasted
 * together by hand would count hits twice or lose them, so it is refused. Points that stand before
 * the coverage are for readers that do not know the design (read_points.c); this one does.
 */
#include "base/file.h"
#include "base/lines.h"
#include "cover/coverage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HASH_DIGITS = 32 };

typedef struct reader {
    base_lines lines;
    const cov_points *points;
    uint64_t *hits; /* by functional points' numbers */
} reader;

/* ---- The lines of a file. */

/* To the coverage behind a section of points. */
static col_status skip_points(base_lines *l) {
    col_status status = base_lines_next(l);
    if (status != COL_OK || !base_lines_is(l, 0, "collider") || !base_lines_is(l, 1, "points"))
        return status;
    while (status == COL_OK && l->word_count > 0 &&
           !(l->word_count == 1 && base_lines_is(l, 0, "end")))
        status = base_lines_next(l);
    return status == COL_OK ? base_lines_next(l) : status;
}

static col_status read_header(reader *r) {
    col_status status = skip_points(&r->lines);
    if (status != COL_OK)
        return status;
    if (r->lines.word_count == 0)
        return base_refuse_at(r->lines.problem, r->lines.file, r->lines.line_number + 1, 1,
                              "a file of coverage starts with 'collider coverage %d'", COV_VERSION);
    if (r->lines.word_count != 3 || !base_lines_is(&r->lines, 0, "collider") ||
        !base_lines_is(&r->lines, 1, "coverage"))
        return BASE_REFUSE_AT(&r->lines, r->lines.words[0].start,
                              "a file of coverage starts with 'collider coverage %d'", COV_VERSION);
    uint64_t version;
    status = base_lines_number(&r->lines, 2, "a version", &version);
    if (status == COL_OK && version != COV_VERSION)
        status =
            BASE_REFUSE_AT(&r->lines, r->lines.words[2].start,
                           "this version of Collider reads coverage of version %d", COV_VERSION);
    return status;
}

static col_status read_design(reader *r) {
    static const char form[] = "design NAME CORES HASH";
    const cov_points *points = r->points;
    uint64_t cores;
    col_status status = base_lines_next(&r->lines);
    if (status == COL_OK)
        status = base_lines_want(&r->lines, 4, form);
    if (status == COL_OK && !base_lines_is(&r->lines, 0, "design"))
        status = BASE_REFUSE_AT(&r->lines, r->lines.words[0].start, "expected a line '%s'", form);
    if (status == COL_OK)
        status = base_lines_number(&r->lines, 2, "a number of cores", &cores);
    if (status != COL_OK)
        return status;
    char hash[HASH_DIGITS + 1];
    (void)snprintf(hash, sizeof hash, "%016llx%016llx", (unsigned long long)points->hash.high,
                   (unsigned long long)points->hash.low);
    const base_word w = r->lines.words[1];
    if (base_lines_is(&r->lines, 3, hash))
        return COL_OK;
    return BASE_REFUSE_AT(
        &r->lines, w.start,
        "this is coverage of %.*s with %llu cores, and %s with %u has other points",
        base_word_shown(&w), w.start, (unsigned long long)cores, points->design, points->cores);
}

static col_status read_point(reader *r) {
    uint64_t controller, hits;
    col_status status = base_lines_want(&r->lines, 5, "MACHINE CONTROLLER STATE EVENT COUNT");
    if (status != COL_OK)
        return status;
    const base_word name = r->lines.words[0], state = r->lines.words[2], event = r->lines.words[3];
    const cov_machine *machine = cov_find_machine(r->points, name);
    if (machine == NULL)
        return BASE_REFUSE_AT(&r->lines, name.start, "the design has no machine '%.*s'",
                              base_word_shown(&name), name.start);
    status = base_lines_number(&r->lines, 1, "the number of a controller", &controller);
    if (status != COL_OK)
        return status;
    if (controller >= machine->controllers && machine->controllers == 0)
        return BASE_REFUSE_AT(&r->lines, name.start, "the design has no controller %s",
                              machine->name);
    if (controller >= machine->controllers)
        return BASE_REFUSE_AT(&r->lines, r->lines.words[1].start,
                              "the last controller %s is number %u", machine->name,
                              machine->controllers - 1);
    const uint32_t place = cov_find_point(machine, state, event);
    if (place == machine->point_count)
        return BASE_REFUSE_AT(&r->lines, state.start, "%s has no point '%.*s %.*s'", machine->name,
                              base_word_shown(&state), state.start, base_word_shown(&event),
                              event.start);
    status = base_lines_number(&r->lines, 4, "a count", &hits);
    if (status == COL_OK && hits == 0)
        status = BASE_REFUSE_AT(&r->lines, r->lines.words[4].start,
                                "a covered point has a count of 1 or more");
    if (status != COL_OK)
        return status;
    const uint32_t index =
        machine->first_place + (uint32_t)controller * machine->point_count + place;
    uint64_t *const sum = &r->hits[r->points->by_name[index]];
    if (*sum > 0)
        return BASE_REFUSE_AT(&r->lines, name.start, "this point has a line further up");
    *sum = hits;
    return COL_OK;
}

static col_status read_points(reader *r) {
    while (true) {
        col_status status = base_lines_next(&r->lines);
        if (status != COL_OK)
            return status;
        if (r->lines.word_count == 0)
            return base_refuse_at(r->lines.problem, r->lines.file, r->lines.line_number + 1, 1,
                                  "the file is cut: it has no 'end'");
        if (r->lines.word_count == 1 && base_lines_is(&r->lines, 0, "end"))
            break;
        status = read_point(r);
        if (status != COL_OK)
            return status;
    }
    const col_status status = base_lines_next(&r->lines);
    if (status != COL_OK || r->lines.word_count == 0)
        return status;
    return BASE_REFUSE_AT(&r->lines, r->lines.words[0].start, "nothing is expected after 'end'");
}

col_status col_coverage_read(col_coverage *coverage, const char *text, size_t length,
                             const char *file, col_problem *problem) {
    const cov_points *points = &coverage->points;
    uint64_t *hits = calloc((size_t)points->count[COL_FUNCTIONAL] + 1, sizeof *hits);
    if (hits == NULL)
        return base_out_of_memory(problem);
    reader r = {.lines = base_lines_begin(text, length, file, COV_WORDS, problem),
                .points = points,
                .hits = hits};
    col_status status = read_header(&r);
    if (status == COL_OK)
        status = read_design(&r);
    if (status == COL_OK)
        status = read_points(&r);
    col_gain gain = {{0}};
    if (status == COL_OK)
        cov_merge_hits(coverage, hits, &gain);
    free(hits);
    return status;
}

col_status col_coverage_read_file(col_coverage *coverage, const char *path, col_problem *problem) {
    base_text text = {0};
    col_status status = base_file_read(path, &text, problem);
    if (status == COL_OK)
        status = col_coverage_read(coverage, text.data, text.length, path, problem);
    base_text_free(&text);
    return status;
}
