/* SPDX-License-Identifier: MIT */
/*
 * Reading the text form, line by line. The reader knows the grammar; what a whole program promises
 * is check.c's business, whose faults are put back on their line and column here.
 */
#include "base/choice.h"
#include "base/file.h"
#include "base/memory.h"
#include "program/check.h"
#include "program/words.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 8 };

typedef struct word {
    const char *start;
    size_t length;
} word;

typedef struct reader {
    const char *file, *next, *end;
    col_problem *problem;
    uint32_t line_number;
    const char *line; /* start of the current line */
    word words[MOST_WORDS];
    uint32_t word_count;

    col_program *program;
    uint32_t operation_count;
    uint32_t *operation_lines, *location_lines;
    size_t operation_line_capacity, location_line_capacity;
    bool ended;
} reader;

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static bool is(const word *candidate, const char *text) {
    return candidate->length == strlen(text) &&
           memcmp(candidate->start, text, candidate->length) == 0;
}

/* For messages: a word of the input may be long or binary. */
static int shown(const word *candidate) {
    return candidate->length > 40 ? 40 : (int)candidate->length;
}

static uint32_t column_of(const reader *r, const char *place) {
    return (uint32_t)(place - r->line) + 1;
}

#define REFUSE(r, place, ...)                                                                      \
    base_refuse_at((r)->problem, (r)->file, (r)->line_number, column_of(r, place), __VA_ARGS__)

static const char *end_of_words(const reader *r) {
    if (r->word_count == 0)
        return r->line;
    const word *last = &r->words[r->word_count - 1];
    return last->start + last->length;
}

/* Splits the next line that has words; none are left: word_count is 0. */
static col_status next_line(reader *r) {
    r->word_count = 0;
    while (r->word_count == 0 && r->next < r->end) {
        r->line = r->next;
        r->line_number++;
        const char *line_end = memchr(r->line, '\n', (size_t)(r->end - r->line));
        if (line_end == NULL)
            line_end = r->end;
        r->next = line_end < r->end ? line_end + 1 : r->end;
        const char *at = r->line;
        while (true) {
            while (at < line_end && is_space(*at))
                at++;
            if (at == line_end || *at == '#')
                break;
            if (r->word_count == MOST_WORDS)
                return REFUSE(r, at, "too many words on this line");
            const char *start = at;
            while (at < line_end && !is_space(*at) && *at != '#')
                at++;
            r->words[r->word_count++] = (word){.start = start, .length = (size_t)(at - start)};
        }
    }
    return COL_OK;
}

/* The word at `position`, or NULL and an error that says what is missing. */
static const word *want_word(const reader *r, uint32_t position, const char *what) {
    if (position < r->word_count)
        return &r->words[position];
    (void)REFUSE(r, end_of_words(r), "expected %s here", what);
    return NULL;
}

static col_status want_no_more(const reader *r, uint32_t position) {
    if (position >= r->word_count)
        return COL_OK;
    const word *extra = &r->words[position];
    return REFUSE(r, extra->start, "unexpected '%.*s'", shown(extra), extra->start);
}

static int digit_of(char c, uint64_t base) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (base == 16 && c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (base == 16 && c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

static col_status parse_number(const reader *r, word digits, uint64_t most, const char *what,
                               uint64_t *out) {
    const word whole = digits;
    uint64_t base = 10;
    if (digits.length > 2 && digits.start[0] == '0' && digits.start[1] == 'x') {
        base = 16;
        digits.start += 2;
        digits.length -= 2;
    }
    uint64_t number = 0;
    for (size_t i = 0; i < digits.length; i++) {
        const int digit = digit_of(digits.start[i], base);
        if (digit < 0)
            return REFUSE(r, whole.start, "expected %s, got '%.*s'", what, shown(&whole),
                          whole.start);
        if (number > (most - (uint64_t)digit) / base)
            return REFUSE(r, whole.start, "%s is at most %llu", what, (unsigned long long)most);
        number = number * base + (uint64_t)digit;
    }
    if (digits.length == 0)
        return REFUSE(r, whole.start, "expected %s", what);
    *out = number;
    return COL_OK;
}

static col_status want_number(const reader *r, uint32_t position, uint64_t most, const char *what,
                              uint64_t *out) {
    const word *candidate = want_word(r, position, what);
    return candidate == NULL ? COL_BAD_INPUT : parse_number(r, *candidate, most, what, out);
}

/* "a12" */
static col_status want_location(const reader *r, uint32_t position, uint32_t *out) {
    const word *candidate = want_word(r, position, "a location such as a0");
    if (candidate == NULL)
        return COL_BAD_INPUT;
    if (candidate->start[0] != 'a' || candidate->length < 2)
        return REFUSE(r, candidate->start, "expected a location such as a0, got '%.*s'",
                      shown(candidate), candidate->start);
    uint64_t number = 0;
    const col_status status =
        parse_number(r, (word){candidate->start + 1, candidate->length - 1}, COL_MAX_LOCATIONS - 1,
                     "the number of a location", &number);
    *out = (uint32_t)number;
    return status;
}

static col_status read_header(reader *r) {
    col_status status = next_line(r);
    if (status != COL_OK)
        return status;
    if (r->word_count == 0)
        return base_refuse_at(r->problem, r->file, r->line_number + 1, 1,
                              "a program starts with 'collider program %d'", PRG_PROGRAM_VERSION);
    if (r->word_count < 2 || !is(&r->words[0], "collider") || !is(&r->words[1], "program"))
        return REFUSE(r, r->words[0].start, "a program starts with 'collider program %d'",
                      PRG_PROGRAM_VERSION);
    uint64_t version;
    status = want_number(r, 2, UINT32_MAX, "a version", &version);
    if (status == COL_OK && version != PRG_PROGRAM_VERSION)
        status =
            REFUSE(r, r->words[2].start, "this version of Collider reads programs of version %d",
                   PRG_PROGRAM_VERSION);
    return status == COL_OK ? want_no_more(r, 3) : status;
}

/* "word 4" */
static col_status read_word(reader *r) {
    uint64_t bytes;
    if (r->program->location_count > 0 || r->program->thread_count > 0)
        return REFUSE(r, r->words[0].start, "the size of words is said before the first location");
    const col_status status = want_number(r, 1, COL_WORD_BYTES, "the bytes of a word", &bytes);
    if (status != COL_OK)
        return status;
    if (bytes != COL_WORD_BYTES && bytes != COL_NARROW_BYTES)
        return REFUSE(r, r->words[1].start, "words have %d or %d bytes", COL_NARROW_BYTES,
                      COL_WORD_BYTES);
    r->program->is_narrow = bytes == COL_NARROW_BYTES;
    return want_no_more(r, 2);
}

static col_status read_location(reader *r) {
    col_program *program = r->program;
    uint32_t location;
    uint64_t address;
    if (program->thread_count > 0)
        return REFUSE(r, r->words[0].start, "locations are declared before the first thread");
    col_status status = want_location(r, 1, &location);
    if (status == COL_OK && location != program->location_count)
        status = REFUSE(r, r->words[1].start, "locations are declared in order; a%u is next",
                        program->location_count);
    if (status == COL_OK)
        status = want_number(r, 2, UINT64_MAX, "an address", &address);
    if (status == COL_OK)
        status = want_no_more(r, 3);
    if (status == COL_OK)
        status = base_reserve(&program->addresses, &program->location_capacity,
                              (size_t)location + 1, sizeof *program->addresses, r->problem);
    if (status == COL_OK)
        status = base_reserve(&r->location_lines, &r->location_line_capacity, (size_t)location + 1,
                              sizeof *r->location_lines, r->problem);
    if (status != COL_OK)
        return status;
    program->addresses[location] = address;
    r->location_lines[location] = r->line_number;
    program->location_count++;
    return COL_OK;
}

static col_status read_thread(reader *r) {
    col_program *program = r->program;
    uint64_t thread;
    col_status status = want_number(r, 1, COL_MAX_THREADS - 1, "the number of a thread", &thread);
    if (status == COL_OK && thread != program->thread_count)
        status = REFUSE(r, r->words[1].start, "threads come in order; thread %u is next",
                        program->thread_count);
    if (status == COL_OK)
        status = want_no_more(r, 2);
    if (status == COL_OK)
        status = base_reserve(&program->thread_start, &program->thread_capacity, (size_t)thread + 2,
                              sizeof *program->thread_start, r->problem);
    if (status != COL_OK)
        return status;
    program->thread_start[thread] = r->operation_count;
    program->thread_start[thread + 1] = r->operation_count;
    program->thread_count++;
    return COL_OK;
}

/* A set of accesses, "r", "w" or "rw", as bit 0 for reads and bit 1 for writes; 0 is an error. */
static unsigned access_set(const char *start, size_t length) {
    unsigned set = 0;
    for (size_t i = 0; i < length; i++) {
        const unsigned bit = start[i] == 'r' ? 1 : start[i] == 'w' ? 2 : 0;
        if (bit == 0 || (set & bit) != 0)
            return 0;
        set |= bit;
    }
    return set;
}

/* The pairs of the product of two access sets. */
static unsigned pairs_of(unsigned before, unsigned after) {
    return ((before & 1) != 0 ? after : 0) | ((before & 2) != 0 ? after << 2 : 0);
}

/* "r,rw" or "rr+ww": any spelling of the set; the writer has one. */
uint8_t prg_fence_pairs(const char *text, size_t length) {
    const char *comma = memchr(text, ',', length);
    if (comma != NULL) {
        const size_t before = (size_t)(comma - text);
        return (uint8_t)pairs_of(access_set(text, before),
                                 access_set(comma + 1, length - before - 1));
    }
    unsigned set = 0;
    for (size_t i = 0; i < length; i += 3) {
        if (length - i < 2 || (length - i > 2 && text[i + 2] != '+'))
            return 0;
        const unsigned pair = pairs_of(access_set(text + i, 1), access_set(text + i + 1, 1));
        if (pair == 0 || (set & pair) != 0)
            return 0;
        set |= pair;
    }
    return length % 3 == 2 ? (uint8_t)set : 0;
}

static col_status read_fence(const reader *r, col_operation *operation) {
    operation->fence = COL_FULL_FENCE;
    if (r->word_count == 1)
        return COL_OK;
    const word *pairs = &r->words[1];
    operation->fence = prg_fence_pairs(pairs->start, pairs->length);
    if (operation->fence == 0)
        return REFUSE(r, pairs->start,
                      "expected what the fence orders, as r,rw or rr+ww, got '%.*s'", shown(pairs),
                      pairs->start);
    return want_no_more(r, 2);
}

static col_status refuse_dependency(const reader *r, const word *name) {
    base_text list = {0};
    base_choice_list(prg_dependency_words + COL_ADDRESS, &list);
    col_status status = base_text_status(&list, r->problem);
    if (status == COL_OK)
        status = REFUSE(r, name->start, "a dependency is %s, not '%.*s'", list.data, shown(name),
                        name->start);
    base_text_free(&list);
    return status;
}

/* "address@-2" */
static col_status read_dependency(const reader *r, const word *attribute, const char *at,
                                  col_operation *operation) {
    const word name = {attribute->start, (size_t)(at - attribute->start)};
    uint32_t kind = 0;
    if (!base_choice_find(prg_dependency_words + COL_ADDRESS, name.start, name.length, &kind))
        return refuse_dependency(r, &name);
    if (operation->dependency != COL_NO_DEPENDENCY)
        return REFUSE(r, name.start, "an operation has one dependency at most");
    word distance = {at + 1, attribute->length - name.length - 1};
    if (distance.length == 0 || distance.start[0] != '-')
        return REFUSE(r, distance.start, "expected a distance such as @-1");
    distance.start++;
    distance.length--;
    uint64_t number = 0;
    const col_status status = parse_number(r, distance, UINT32_MAX, "a distance", &number);
    operation->dependency = (uint8_t)(COL_ADDRESS + kind);
    operation->distance = (uint32_t)number;
    return status;
}

static col_status read_attributes(const reader *r, uint32_t position, col_operation *operation) {
    col_status status = COL_OK;
    for (; status == COL_OK && position < r->word_count; position++) {
        const word *attribute = &r->words[position];
        const char *at = memchr(attribute->start, '@', attribute->length);
        const uint8_t order = is(attribute, "acquire")   ? COL_ACQUIRE
                              : is(attribute, "release") ? COL_RELEASE
                                                         : 0;
        if (at != NULL)
            status = read_dependency(r, attribute, at, operation);
        else if (order == 0)
            status = REFUSE(r, attribute->start,
                            "expected acquire, release or a dependency such as data@-1, got '%.*s'",
                            shown(attribute), attribute->start);
        else if ((operation->order & order) != 0)
            status = REFUSE(r, attribute->start, "'%.*s' is said twice", shown(attribute),
                            attribute->start);
        operation->order |= order;
    }
    return status;
}

static col_status read_operands(const reader *r, col_operation *operation) {
    const col_kind_traits *traits = &col_kinds[operation->kind];
    uint64_t number = 0;
    col_status status;
    if (operation->kind == COL_FENCE)
        return read_fence(r, operation);
    if (operation->kind == COL_DELAY) {
        status = want_number(r, 1, UINT32_MAX, "a number of cycles", &number);
        operation->location = (uint32_t)number;
        return status == COL_OK ? want_no_more(r, 2) : status;
    }
    status = want_location(r, 1, &operation->location);
    uint32_t position = 2;
    if (status == COL_OK && (traits->writes || operation->kind == COL_AWAIT)) {
        status = want_number(r, position++, UINT32_MAX, "a value", &number);
        operation->value = (uint32_t)number;
    }
    return status == COL_OK ? read_attributes(r, position, operation) : status;
}

static col_status read_operation(reader *r) {
    col_program *program = r->program;
    const word *name = &r->words[0];
    col_operation operation = {0};
    while (operation.kind < COL_KIND_COUNT && !is(name, col_kinds[operation.kind].name))
        operation.kind++;
    if (operation.kind == COL_KIND_COUNT)
        return REFUSE(r, name->start,
                      "expected an operation, 'thread', 'location' or 'end', got '%.*s'",
                      shown(name), name->start);
    if (program->thread_count == 0)
        return REFUSE(r, name->start, "an operation belongs to a thread; 'thread 0' comes first");
    if (r->operation_count >= UINT32_MAX - 1)
        return REFUSE(r, name->start, "a program has fewer than 2^32 - 1 operations");
    col_status status = read_operands(r, &operation);
    const size_t count = (size_t)r->operation_count + 1;
    if (status == COL_OK)
        status = base_reserve(&program->operations, &program->operation_capacity, count,
                              sizeof *program->operations, r->problem);
    if (status == COL_OK)
        status = base_reserve(&r->operation_lines, &r->operation_line_capacity, count,
                              sizeof *r->operation_lines, r->problem);
    if (status != COL_OK)
        return status;
    program->operations[r->operation_count] = operation;
    r->operation_lines[r->operation_count] = r->line_number;
    program->thread_start[program->thread_count] = ++r->operation_count;
    return COL_OK;
}

static col_status read_line(reader *r) {
    const word *first = &r->words[0];
    if (r->ended)
        return REFUSE(r, first->start, "nothing may follow 'end'");
    if (is(first, "word"))
        return read_word(r);
    if (is(first, "location"))
        return read_location(r);
    if (is(first, "thread"))
        return read_thread(r);
    if (is(first, "end")) {
        r->ended = true;
        return want_no_more(r, 1);
    }
    return read_operation(r);
}

/* Puts the reader back on a line that it has read. */
static void revisit(reader *r, const char *text, uint32_t line_number) {
    r->next = text;
    r->line_number = 0;
    do
        (void)next_line(r);
    while (r->line_number < line_number);
}

/* The word of the current line that a fault is about. */
static const char *place_of(const reader *r, prg_part part) {
    for (uint32_t i = 0; i < r->word_count; i++) {
        const word *candidate = &r->words[i];
        if ((part == PRG_PART_LOCATION && i == 1) || (part == PRG_PART_VALUE && i == 2) ||
            (part == PRG_PART_ACQUIRE && is(candidate, "acquire")) ||
            (part == PRG_PART_RELEASE && is(candidate, "release")) ||
            (part == PRG_PART_DEPENDENCY && memchr(candidate->start, '@', candidate->length)))
            return candidate->start;
    }
    return r->words[0].start;
}

static col_status check_whole(reader *r, const char *text) {
    prg_fault fault;
    const col_status status = prg_program_find_fault(r->program, &fault, r->problem);
    if (status != COL_BAD_INPUT)
        return status;
    const uint32_t *lines = fault.in_map ? r->location_lines : r->operation_lines;
    assert(lines != NULL); /* what is at fault was read */
    revisit(r, text, lines[fault.index]);
    return REFUSE(r, place_of(r, fault.part), "%s", fault.message);
}

static col_status read_all(reader *r, const char *text) {
    col_status status = read_header(r);
    while (status == COL_OK) {
        status = next_line(r);
        if (status != COL_OK || r->word_count == 0)
            break;
        status = read_line(r);
    }
    if (status == COL_OK && !r->ended)
        status = base_refuse_at(r->problem, r->file, r->line_number + 1, 1,
                                "the program stops without 'end': the text may be cut");
    return status == COL_OK ? check_whole(r, text) : status;
}

static col_status make_empty(col_program *program, col_problem *problem) {
    return col_program_shape(program, 0, NULL, 0, problem);
}

col_status col_program_read(col_program *program, const char *text, size_t length, const char *file,
                            col_problem *problem) {
    text = base_skip_bom(text, &length);
    reader r = {.file = file,
                .next = text,
                .end = text + length,
                .line = text,
                .problem = problem,
                .program = program};
    col_status status = make_empty(program, problem);
    if (status == COL_OK)
        status = read_all(&r, text);
    if (status != COL_OK)
        (void)make_empty(program, NULL);
    free(r.operation_lines);
    free(r.location_lines);
    return status;
}

col_status col_program_read_file(col_program *program, const char *path, col_problem *problem) {
    base_text text = {0};
    col_status status = base_file_read(path, &text, problem);
    if (status != COL_OK)
        (void)make_empty(program, NULL);
    else
        status = col_program_read(program, text.data, text.length, path, problem);
    base_text_free(&text);
    return status;
}
