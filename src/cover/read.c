/* SPDX-License-Identifier: MIT */
/*
 * Reading the text form, line by line, into hits of its own that are merged into the set only when
 * all is well. The lines may come in any order, but a point comes once: a file that was pasted
 * together by hand would count hits twice or lose them, so it is refused.
 */
#include "base/file.h"
#include "cover/coverage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 5, HASH_DIGITS = 32 };

typedef struct word {
    const char *start;
    size_t length;
} word;

typedef struct reader {
    const char *file, *next, *end;
    col_problem *problem;
    uint32_t line_number;
    const char *line; /* start of the current line */
    word words[WORDS];
    uint32_t word_count;
    const cov_points *points;
    uint64_t *hits; /* by functional points' numbers */
} reader;

/* For messages: a word of the input may be long or binary. */
static int shown(word w) {
    return w.length > 40 ? 40 : (int)w.length;
}

#define REFUSE(r, place, ...)                                                                      \
    base_refuse_at((r)->problem, (r)->file, (r)->line_number, (uint32_t)((place) - (r)->line) + 1, \
                   __VA_ARGS__)

/* ---- Lines and words. */

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static col_status split(reader *r, const char *line_end) {
    for (const char *at = r->line;;) {
        while (at < line_end && is_blank(*at))
            at++;
        if (at == line_end || *at == '#')
            return COL_OK;
        if (r->word_count == WORDS)
            return REFUSE(r, at, "too many words on this line");
        const char *start = at;
        while (at < line_end && !is_blank(*at) && *at != '#')
            at++;
        r->words[r->word_count++] = (word){.start = start, .length = (size_t)(at - start)};
    }
}

/* The next line that has words; none are left: word_count is 0. */
static col_status next_line(reader *r) {
    r->word_count = 0;
    while (r->word_count == 0 && r->next < r->end) {
        r->line = r->next;
        r->line_number++;
        const char *line_end = memchr(r->line, '\n', (size_t)(r->end - r->line));
        r->next = line_end == NULL ? r->end : line_end + 1;
        const col_status status = split(r, line_end == NULL ? r->end : line_end);
        if (status != COL_OK)
            return status;
    }
    return COL_OK;
}

static bool is(const reader *r, uint32_t position, const char *text) {
    return position < r->word_count && r->words[position].length == strlen(text) &&
           memcmp(r->words[position].start, text, strlen(text)) == 0;
}

static col_status want_words(const reader *r, uint32_t count, const char *form) {
    if (r->word_count == count)
        return COL_OK;
    if (r->word_count == 0)
        return base_refuse_at(r->problem, r->file, r->line_number + 1, 1, "expected a line '%s'",
                              form);
    return REFUSE(r, r->words[0].start, "expected a line '%s'", form);
}

static col_status want_number(const reader *r, uint32_t position, const char *what,
                              uint64_t *number) {
    const word w = r->words[position];
    *number = 0;
    for (size_t i = 0; i < w.length; i++) {
        const uint64_t digit = (uint64_t)(w.start[i] - '0');
        if (w.start[i] < '0' || w.start[i] > '9')
            return REFUSE(r, w.start, "expected %s, got '%.*s'", what, shown(w), w.start);
        if (*number > (UINT64_MAX - digit) / 10)
            return REFUSE(r, w.start, "%s has to fit into 64 bits", what);
        *number = *number * 10 + digit;
    }
    return COL_OK;
}

/* ---- Names. */

static int compare(word w, const char *name) {
    const size_t length = strlen(name);
    const int order = memcmp(w.start, name, w.length < length ? w.length : length);
    return order != 0 ? order : (w.length > length) - (w.length < length);
}

static const cov_machine *find_machine(const cov_points *points, word name) {
    uint32_t first = 0, end = points->machine_count;
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        const int order = compare(name, points->machines_by_name[middle]->name);
        if (order == 0)
            return points->machines_by_name[middle];
        if (order < 0)
            end = middle;
        else
            first = middle + 1;
    }
    return NULL;
}

/* The place of the point among its machine's, by name; point_count: there is none. */
static uint32_t find_point(const cov_machine *machine, word state, word event) {
    uint32_t first = 0, end = machine->point_count;
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        int order = compare(state, machine->by_name[middle]->state);
        if (order == 0)
            order = compare(event, machine->by_name[middle]->event);
        if (order == 0)
            return middle;
        if (order < 0)
            end = middle;
        else
            first = middle + 1;
    }
    return machine->point_count;
}

/* ---- The lines of a file. */

static col_status read_header(reader *r) {
    col_status status = next_line(r);
    if (status != COL_OK)
        return status;
    if (r->word_count == 0)
        return base_refuse_at(r->problem, r->file, r->line_number + 1, 1,
                              "a file of coverage starts with 'collider coverage %d'", COV_VERSION);
    if (r->word_count != 3 || !is(r, 0, "collider") || !is(r, 1, "coverage"))
        return REFUSE(r, r->words[0].start, "a file of coverage starts with 'collider coverage %d'",
                      COV_VERSION);
    uint64_t version;
    status = want_number(r, 2, "a version", &version);
    if (status == COL_OK && version != COV_VERSION)
        status = REFUSE(r, r->words[2].start,
                        "this version of Collider reads coverage of version %d", COV_VERSION);
    return status;
}

static col_status read_design(reader *r) {
    static const char form[] = "design NAME CORES HASH";
    const cov_points *points = r->points;
    uint64_t cores;
    col_status status = next_line(r);
    if (status == COL_OK)
        status = want_words(r, 4, form);
    if (status == COL_OK && !is(r, 0, "design"))
        status = REFUSE(r, r->words[0].start, "expected a line '%s'", form);
    if (status == COL_OK)
        status = want_number(r, 2, "a number of cores", &cores);
    if (status != COL_OK)
        return status;
    char hash[HASH_DIGITS + 1];
    (void)snprintf(hash, sizeof hash, "%016llx%016llx", (unsigned long long)points->hash.high,
                   (unsigned long long)points->hash.low);
    const word w = r->words[1];
    if (is(r, 3, hash))
        return COL_OK;
    return REFUSE(r, w.start,
                  "this is coverage of %.*s with %llu cores, and %s with %u has other points",
                  shown(w), w.start, (unsigned long long)cores, points->design, points->cores);
}

static col_status read_point(reader *r) {
    uint64_t controller, hits;
    col_status status = want_words(r, 5, "MACHINE CONTROLLER STATE EVENT COUNT");
    if (status != COL_OK)
        return status;
    const word name = r->words[0], state = r->words[2], event = r->words[3];
    const cov_machine *machine = find_machine(r->points, name);
    if (machine == NULL)
        return REFUSE(r, name.start, "the design has no machine '%.*s'", shown(name), name.start);
    status = want_number(r, 1, "the number of a controller", &controller);
    if (status != COL_OK)
        return status;
    if (controller >= machine->controllers && machine->controllers == 0)
        return REFUSE(r, name.start, "the design has no controller %s", machine->name);
    if (controller >= machine->controllers)
        return REFUSE(r, r->words[1].start, "the last controller %s is number %u", machine->name,
                      machine->controllers - 1);
    const uint32_t place = find_point(machine, state, event);
    if (place == machine->point_count)
        return REFUSE(r, state.start, "%s has no point '%.*s %.*s'", machine->name, shown(state),
                      state.start, shown(event), event.start);
    status = want_number(r, 4, "a count", &hits);
    if (status == COL_OK && hits == 0)
        status = REFUSE(r, r->words[4].start, "a covered point has a count of 1 or more");
    if (status != COL_OK)
        return status;
    const uint32_t index =
        machine->first_place + (uint32_t)controller * machine->point_count + place;
    uint64_t *const sum = &r->hits[r->points->by_name[index]];
    if (*sum > 0)
        return REFUSE(r, name.start, "this point has a line further up");
    *sum = hits;
    return COL_OK;
}

static col_status read_points(reader *r) {
    while (true) {
        col_status status = next_line(r);
        if (status != COL_OK)
            return status;
        if (r->word_count == 0)
            return base_refuse_at(r->problem, r->file, r->line_number + 1, 1,
                                  "the file is cut: it has no 'end'");
        if (r->word_count == 1 && is(r, 0, "end"))
            break;
        status = read_point(r);
        if (status != COL_OK)
            return status;
    }
    const col_status status = next_line(r);
    if (status != COL_OK || r->word_count == 0)
        return status;
    return REFUSE(r, r->words[0].start, "nothing is expected after 'end'");
}

col_status col_coverage_read(col_coverage *coverage, const char *text, size_t length,
                             const char *file, col_problem *problem) {
    const cov_points *points = &coverage->points;
    uint64_t *hits = calloc((size_t)points->count[COL_FUNCTIONAL] + 1, sizeof *hits);
    if (hits == NULL)
        return base_out_of_memory(problem);
    text = base_skip_bom(text, &length);
    reader r = {.file = file,
                .next = text,
                .end = text + length,
                .line = text,
                .problem = problem,
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
