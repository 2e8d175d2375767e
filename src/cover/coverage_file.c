/* SPDX-License-Identifier: MIT */
/*
 * Reading the text form, line by line, into hits of its own that are merged into the set only when
 * all is well. The lines may come in any order, but a point comes once: a file that was pasted
 * together by hand would count hits twice or lose them, so it is refused. Points that stand before
 * the coverage are for readers that do not know the design (coverage_file.c); this one does.
 */
#include "base/file.h"
#include "base/lines.h"
#include "base/memory.h"
#include "base/text.h"
#include "cover/coverage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HASH_DIGITS = 32 };
enum { HITS = 5, HITS_AND_FIRST = 7 }; /* words of a line */

typedef struct reader {
    base_lines lines;
    const cov_points *points;
    uint64_t *hits;   /* by functional points' numbers */
    cov_first *first; /* likewise */
} reader;

/* ---- The lines of a file. */

/* To the coverage behind a section of points. */
static col_status skip_points(base_lines *l) {
    BASE_TRY(base_lines_next(l));
    if (!base_lines_is(l, 0, "collider") || !base_lines_is(l, 1, "points"))
        return COL_OK;
    while (l->word_count > 0 && !(l->word_count == 1 && base_lines_is(l, 0, "end")))
        BASE_TRY(base_lines_next(l));
    return base_lines_next(l);
}

static col_status check_version(const base_lines *l, const char *what) {
    uint64_t version;
    BASE_TRY(base_lines_number(l, 2, "a version", &version));
    if (version != COV_VERSION)
        return BASE_REFUSE_AT(l, l->words[2].start,
                              "this version of Collider reads %s of version %d", what, COV_VERSION);
    return COL_OK;
}

static col_status next_design(base_lines *l, uint32_t words, const char *form) {
    BASE_TRY(base_lines_next(l));
    BASE_TRY(base_lines_want(l, words, form));
    if (!base_lines_is(l, 0, "design"))
        return BASE_REFUSE_AT(l, l->words[0].start, "expected a line '%s'", form);
    return COL_OK;
}

static col_status read_header(reader *r) {
    BASE_TRY(skip_points(&r->lines));
    if (r->lines.word_count == 0)
        return base_refuse_at(r->lines.problem, r->lines.file, r->lines.line_number + 1, 1,
                              "a file of coverage starts with 'collider coverage %d'", COV_VERSION);
    if (r->lines.word_count != 3 || !base_lines_is(&r->lines, 0, "collider") ||
        !base_lines_is(&r->lines, 1, "coverage"))
        return BASE_REFUSE_AT(&r->lines, r->lines.words[0].start,
                              "a file of coverage starts with 'collider coverage %d'", COV_VERSION);
    return check_version(&r->lines, "coverage");
}

static col_status read_design(reader *r) {
    const cov_points *points = r->points;
    uint64_t cores;
    BASE_TRY(next_design(&r->lines, 4, "design NAME CORES HASH"));
    BASE_TRY(base_lines_number(&r->lines, 2, "a number of cores", &cores));
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

static col_status read_first(const reader *r, cov_first *first) {
    uint64_t instance;
    BASE_TRY(base_lines_number(&r->lines, 5, "the number of a test", &first->test));
    BASE_TRY(base_lines_number(&r->lines, 6, "the number of an instance", &instance));
    first->instance = (uint32_t)instance;
    return first->test > 0 && instance > 0 && instance <= UINT32_MAX
               ? COL_OK
               : BASE_REFUSE_AT(&r->lines, r->lines.words[first->test == 0 ? 5 : 6].start,
                                "tests and instances are counted from 1");
}

static col_status read_point(reader *r) {
    uint64_t controller, hits;
    cov_first first = {0};
    if (r->lines.word_count != HITS_AND_FIRST)
        BASE_TRY(base_lines_want(&r->lines, HITS, "MACHINE CONTROLLER STATE EVENT COUNT"));
    const base_word name = r->lines.words[0], state = r->lines.words[2], event = r->lines.words[3];
    const cov_machine *machine = cov_find_machine(r->points, name);
    if (machine == NULL)
        return BASE_REFUSE_AT(&r->lines, name.start, "the design has no machine '%.*s'",
                              base_word_shown(&name), name.start);
    BASE_TRY(base_lines_number(&r->lines, 1, "the number of a controller", &controller));
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
    BASE_TRY(base_lines_number(&r->lines, 4, "a count", &hits));
    if (hits == 0)
        return BASE_REFUSE_AT(&r->lines, r->lines.words[4].start,
                              "a covered point has a count of 1 or more");
    const uint32_t index =
        machine->first_place + (uint32_t)controller * machine->point_count + place;
    if (r->lines.word_count == HITS_AND_FIRST)
        BASE_TRY(read_first(r, &first));
    r->first[r->points->by_name[index]] = first;
    uint64_t *const sum = &r->hits[r->points->by_name[index]];
    if (*sum > 0)
        return BASE_REFUSE_AT(&r->lines, name.start, "this point has a line further up");
    *sum = hits;
    return COL_OK;
}

/* The next line of a part; `ends`: it is the last one, "end". */
static col_status next_of_part(base_lines *l, const char *cut, bool *ends) {
    BASE_TRY(base_lines_next(l));
    if (l->word_count == 0)
        return base_refuse_at(l->problem, l->file, l->line_number + 1, 1,
                              "the file is cut: %s no 'end'", cut);
    *ends = l->word_count == 1 && base_lines_is(l, 0, "end");
    return COL_OK;
}

static col_status read_points(reader *r) {
    bool ends = false;
    BASE_TRY(next_of_part(&r->lines, "it has", &ends));
    while (!ends) {
        BASE_TRY(read_point(r));
        BASE_TRY(next_of_part(&r->lines, "it has", &ends));
    }
    BASE_TRY(base_lines_next(&r->lines));
    if (r->lines.word_count == 0)
        return COL_OK;
    return BASE_REFUSE_AT(&r->lines, r->lines.words[0].start, "nothing is expected after 'end'");
}

col_status col_coverage_read(col_coverage *coverage, const char *text, size_t length,
                             const char *file, col_problem *problem) {
    const cov_points *points = &coverage->points;
    uint64_t *hits = NULL;
    cov_first *first = NULL;
    BASE_TRY(base_new(&hits, (size_t)points->count[COL_FUNCTIONAL] + 1, sizeof *hits, problem));
    col_status status =
        base_new(&first, (size_t)points->count[COL_FUNCTIONAL] + 1, sizeof *first, problem);
    reader r = {.lines = base_lines_begin(text, length, file, HITS_AND_FIRST, problem),
                .points = points,
                .hits = hits,
                .first = first};
    BASE_THEN(status, read_header(&r));
    if (status == COL_OK)
        status = read_design(&r);
    if (status == COL_OK)
        status = read_points(&r);
    col_gain gain = {{0}};
    if (status == COL_OK)
        cov_merge_hits(coverage, hits, first, &gain);
    free(first);
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

/*
 * The points that a coverage file begins with, for readers that do not know the design: they become
 * a description, from which a set is made that the coverage is read into.
 */

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
    BASE_TRY(base_lines_number(&r->lines, position, what, &large));
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

static col_status read_described_header(reading *r) {
    BASE_TRY(base_lines_next(&r->lines));
    if (r->lines.word_count != 3 || !base_lines_is(&r->lines, 0, "collider") ||
        !base_lines_is(&r->lines, 1, "points"))
        return base_refuse_at(
            r->lines.problem, r->lines.file, r->lines.line_number + (r->lines.word_count == 0), 1,
            "this file does not list its design's points; give the folder of its episode, or name "
            "the design with --design");
    return check_version(&r->lines, "points");
}

static col_status read_machine(reading *r) {
    col_duv_description *d = &r->description;
    BASE_TRY(base_reserve(&r->machines, &r->machine_room, (size_t)d->machine_count + 1,
                          sizeof *r->machines, r->lines.problem));
    col_duv_machine *machine = &r->machines[d->machine_count++];
    *machine = (col_duv_machine){.first_point = d->point_count};
    BASE_TRY(unspell(r, r->lines.words[1], &machine->name));
    return read_limited(r, 2, "a number of controllers", &machine->controllers);
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

static col_status read_described_point(reading *r) {
    col_duv_description *d = &r->description;
    if (d->machine_count == 0)
        return BASE_REFUSE_AT(&r->lines, r->lines.line,
                              "expected a line 'machine NAME CONTROLLERS'");
    const size_t count = (size_t)r->description.point_count + 1;
    BASE_TRY(base_reserve(&r->points, &r->point_room, count, sizeof *r->points, r->lines.problem));
    BASE_TRY(base_reserve(&r->needs, &r->need_room, count, sizeof *r->needs, r->lines.problem));
    BASE_TRY(
        base_reserve(&r->sources, &r->source_room, count, sizeof *r->sources, r->lines.problem));
    const uint32_t number = d->point_count;
    if (!base_lines_is(&r->lines, 2, "yes") && !base_lines_is(&r->lines, 2, "no") &&
        !base_lines_is(&r->lines, 2, "-"))
        return BASE_REFUSE_AT(&r->lines, r->lines.words[2].start, "expected yes, no or -");
    r->points[number] = (col_duv_point){.reachable = base_lines_is(&r->lines, 2, "yes")};
    d->reachable_known |= !base_lines_is(&r->lines, 2, "-");
    r->needs[number] = 0;
    BASE_TRY(unspell(r, r->lines.words[0], &r->points[number].state));
    BASE_TRY(unspell(r, r->lines.words[1], &r->points[number].event));
    if (!base_lines_is(&r->lines, 3, "-")) {
        d->needs = r->needs; /* known */
        BASE_TRY(read_limited(r, 3, "a set of needs", &r->needs[number]));
    }
    BASE_TRY(read_source(r, &r->sources[number]));
    d->point_count++;
    r->machines[d->machine_count - 1].point_count++;
    return COL_OK;
}

static col_status read_line(reading *r) {
    const uint32_t words = r->lines.word_count;
    if (words == 2 && base_lines_is(&r->lines, 0, "brought"))
        return read_limited(r, 1, "a set of needs", &r->brought);
    if (words == 2 && base_lines_is(&r->lines, 0, "level")) {
        col_geometry *g = &r->description.geometry;
        const char *name;
        BASE_TRY(unspell(r, r->lines.words[1], &name));
        if (g->level_count == COL_MAX_LEVELS)
            return BASE_REFUSE_AT(&r->lines, r->lines.line, "a geometry has at most %d levels",
                                  COL_MAX_LEVELS);
        col_cache_level *level = &g->levels[g->level_count++];
        *level = (col_cache_level){.index_low = g->block_bits, .ways = 1};
        strncpy(level->name, name, sizeof level->name - 1);
        return COL_OK;
    }
    if (words == 3 && base_lines_is(&r->lines, 0, "machine"))
        return read_machine(r);
    BASE_TRY(base_lines_want(&r->lines, COV_WORDS, "STATE EVENT REACHABLE NEEDS SOURCE"));
    return read_described_point(r);
}

static col_status read_described_points(reading *r) {
    BASE_TRY(read_described_header(r));
    BASE_TRY(next_design(&r->lines, 3, "design NAME CORES"));
    BASE_TRY(unspell(r, r->lines.words[1], &r->description.name));
    BASE_TRY(read_limited(r, 2, "a number of cores", &r->description.cores));
    for (bool ends = false; !ends;) {
        BASE_TRY(next_of_part(&r->lines, "its points have", &ends));
        if (!ends)
            BASE_TRY(read_line(r));
    }
    return COL_OK;
}

/* ---- The set. */

col_status cov_read_points(col_coverage **coverage, const char *text, size_t length,
                           const char *file, col_problem *problem) {
    *coverage = NULL;
    reading r = {.lines = base_lines_begin(text, length, file, COV_WORDS, problem),
                 .description.geometry.block_bits = 6};
    col_status status = read_described_points(&r);
    if (status == COL_OK) {
        r.description.machines = r.machines;
        r.description.points = r.points;
        r.description.sources = r.sources;
        r.description.needs = r.description.needs == NULL ? NULL : r.needs;
        status = col_coverage_new(coverage, &r.description, problem);
        if (status == COL_BAD_INPUT && problem != NULL) { /* the points as a whole have no line */
            const col_problem was = *problem;
            status = base_refuse_at(problem, file, 1, 1, "%s", was.message);
        }
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
    col_status status = cov_read_points(coverage, text, length, file, problem);
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
        status = cov_read_points(empty, text.data, text.length, "points", problem);
    base_text_free(&text);
    return status;
}

col_status cov_renumber(col_coverage **copy, const col_coverage *coverage, const col_coverage *as,
                        col_problem *problem) {
    const col_status status = make_empty(copy, as, false, problem);
    return status == COL_OK ? col_coverage_merge(*copy, coverage, NULL, problem) : status;
}

col_status cov_flatten(col_coverage **flat, const col_coverage *coverage, col_problem *problem) {
    BASE_TRY(make_empty(flat, coverage, true, problem));
    const uint32_t count = (*flat)->points.count[COL_FUNCTIONAL];
    uint64_t *hits = calloc((size_t)count + 1, sizeof *hits);
    for (uint32_t i = 0; hits != NULL && i < count; i++)
        hits[i] = coverage->hits[COL_STRUCTURAL][(*flat)->points.transition_of[i]];
    if (hits != NULL)
        (void)col_coverage_add(*flat, hits);
    free(hits);
    return hits != NULL ? COL_OK : base_out_of_memory(problem);
}

/* The text form of a coverage set: the covered functional points in the order of their names, with
 * their hits. One content, one text. docs/coverage-files.md has the grammar. */

static void add_spelled(const char *name, base_text *text) {
    base_arena arena = {0};
    const char *word = cov_spell(&arena, name);
    text->failed |= word == NULL;
    base_text_add(text, word == NULL ? "" : word);
    base_arena_free(&arena);
}

/* STATE EVENT REACHABLE NEEDS SOURCE; what is not known is "-". */
static void write_facts(const cov_points *points, const cov_point *p, base_text *text) {
    base_text_print(text, "%s %s %s ", p->state, p->event,
                    !points->reachable_known ? "-"
                    : p->reachable           ? "yes"
                                             : "no");
    if (points->needs_known)
        base_text_number(text, p->needs | (p->taken_here ? COL_TAKEN_HERE : 0));
    else
        base_text_add(text, "-");
    base_text_add(text, p->file == NULL ? " -" : " ");
    if (p->file != NULL) {
        add_spelled(p->file, text);
        base_text_print(text, ":%u", p->line);
    }
    base_text_add(text, "\n");
}

void cov_write_points(const col_coverage *coverage, bool flat, base_text *text) {
    const cov_points *points = &coverage->points;
    base_text_print(text, "collider points %d\ndesign %s %u\nbrought %u\n", COV_VERSION,
                    points->design, points->cores, coverage->brought);
    for (uint32_t l = 0; l < points->level_count; l++) {
        base_text_add(text, "level ");
        add_spelled(points->levels[l], text);
        base_text_add(text, "\n");
    }
    for (uint32_t m = 0; m < points->machine_count; m++) {
        const cov_machine *machine = &points->machines[m];
        base_text_print(text, "machine %s %u\n", machine->name,
                        flat && machine->controllers > 1 ? 1 : machine->controllers);
        for (uint32_t p = 0; p < machine->point_count; p++)
            write_facts(points, &machine->first_point[p], text);
    }
    base_text_add(text, "end\n");
}

/* Nothing if nobody knows. */
static void write_first(cov_first first, base_text *text) {
    if (first.test > 0)
        base_text_print(text, " %llu %u", (unsigned long long)first.test, first.instance);
    base_text_add(text, "\n");
}

void cov_write(const col_coverage *coverage, base_text *text) {
    const cov_points *points = &coverage->points;
    base_text_print(text, "collider coverage %d\ndesign ", COV_VERSION);
    base_text_add(text, points->design);
    base_text_print(text, " %u %016llx%016llx\n", points->cores,
                    (unsigned long long)points->hash.high, (unsigned long long)points->hash.low);
    for (uint32_t m = 0; m < points->machine_count; m++) {
        const cov_machine *machine = points->machines_by_name[m];
        const uint32_t *number = coverage->points.by_name + machine->first_place;
        for (uint32_t c = 0; c < machine->controllers; c++)
            for (uint32_t p = 0; p < machine->point_count; p++, number++)
                if (coverage->hits[COL_FUNCTIONAL][*number] > 0) {
                    base_text_add(text, machine->name);
                    base_text_add(text, " ");
                    base_text_number(text, c);
                    base_text_add(text, " ");
                    base_text_add(text, machine->by_name[p]->state);
                    base_text_add(text, " ");
                    base_text_add(text, machine->by_name[p]->event);
                    base_text_add(text, " ");
                    base_text_number(text, coverage->hits[COL_FUNCTIONAL][*number]);
                    write_first(coverage->first[*number], text);
                }
    }
    base_text_add(text, "end\n");
}

col_status col_coverage_write_file(const col_coverage *coverage, const char *path,
                                   col_problem *problem) {
    base_text text = {0};
    cov_write_points(coverage, false, &text);
    cov_write(coverage, &text);
    return base_file_write_text(path, &text, problem);
}
