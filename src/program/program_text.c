/* SPDX-License-Identifier: MIT */
/*
 * Reading the text form, line by line. The reader knows the grammar; what a whole program promises
 * is program.c's business, whose faults are put back on their line and column here.
 */
#include "program/program.h"

#include "base/file.h"
#include "base/lines.h"
#include "base/memory.h"
#include "base/names.h"
#include "base/number.h"

#include <string.h>

typedef struct reader {
    base_lines lines;
    col_program *program;
    uint32_t operation_count;
    bool ended;
} reader;

#define REFUSE(r, place, ...) BASE_REFUSE_AT(&(r)->lines, place, __VA_ARGS__)

static const char *end_of_words(const base_lines *l) {
    if (l->word_count == 0)
        return l->line;
    const base_word *last = &l->words[l->word_count - 1];
    return last->start + last->length;
}

/* The word at `position`, or NULL and an error that says what is missing. */
static const base_word *want_word(const reader *r, uint32_t position, const char *what) {
    if (position < r->lines.word_count)
        return &r->lines.words[position];
    (void)REFUSE(r, end_of_words(&r->lines), "expected %s here", what);
    return NULL;
}

static col_status want_no_more(const reader *r, uint32_t position) {
    if (position >= r->lines.word_count)
        return COL_OK;
    const base_word *extra = &r->lines.words[position];
    return REFUSE(r, extra->start, "unexpected '%.*s'", base_word_shown(extra), extra->start);
}

static col_status parse_number(const reader *r, base_word digits, uint64_t most, const char *what,
                               uint64_t *out) {
    const base_word whole = digits;
    uint64_t base = 10;
    if (digits.length > 2 && digits.start[0] == '0' && digits.start[1] == 'x') {
        base = 16;
        digits.start += 2;
        digits.length -= 2;
    }
    uint64_t number = 0;
    for (size_t i = 0; i < digits.length; i++) {
        const uint64_t digit = base_digit(digits.start[i]);
        if (digit >= base)
            return REFUSE(r, whole.start, "expected %s, got '%.*s'", what, base_word_shown(&whole),
                          whole.start);
        if (number > (most - digit) / base)
            return REFUSE(r, whole.start, "%s is at most %llu", what, (unsigned long long)most);
        number = number * base + digit;
    }
    if (digits.length == 0)
        return REFUSE(r, whole.start, "expected %s", what);
    *out = number;
    return COL_OK;
}

static col_status want_number(const reader *r, uint32_t position, uint64_t most, const char *what,
                              uint64_t *out) {
    const base_word *candidate = want_word(r, position, what);
    return candidate == NULL ? COL_BAD_INPUT : parse_number(r, *candidate, most, what, out);
}

/* "a12" */
static col_status want_location(const reader *r, uint32_t position, uint32_t *out) {
    const base_word *candidate = want_word(r, position, "a location such as a0");
    if (candidate == NULL)
        return COL_BAD_INPUT;
    if (candidate->start[0] != 'a' || candidate->length < 2)
        return REFUSE(r, candidate->start, "expected a location such as a0, got '%.*s'",
                      base_word_shown(candidate), candidate->start);
    uint64_t number = 0;
    const col_status status =
        parse_number(r, (base_word){candidate->start + 1, candidate->length - 1},
                     COL_MAX_LOCATIONS - 1, "the number of a location", &number);
    *out = (uint32_t)number;
    return status;
}

static col_status read_header(reader *r) {
    BASE_TRY(base_lines_next(&r->lines));
    if (r->lines.word_count == 0)
        return base_refuse_at(r->lines.problem, r->lines.file, r->lines.line_number + 1, 1,
                              "a program starts with 'collider program %d'", PRG_PROGRAM_VERSION);
    if (r->lines.word_count < 2 || !base_word_is(&r->lines.words[0], "collider") ||
        !base_word_is(&r->lines.words[1], "program"))
        return REFUSE(r, r->lines.words[0].start, "a program starts with 'collider program %d'",
                      PRG_PROGRAM_VERSION);
    uint64_t version;
    BASE_TRY(want_number(r, 2, UINT32_MAX, "a version", &version));
    if (version != PRG_PROGRAM_VERSION)
        return REFUSE(r, r->lines.words[2].start,
                      "this version of Collider reads programs of version %d", PRG_PROGRAM_VERSION);
    return want_no_more(r, 3);
}

static col_status read_location(reader *r) {
    col_program *program = r->program;
    uint32_t location;
    uint64_t address;
    if (program->thread_count > 0)
        return REFUSE(r, r->lines.words[0].start, "locations are declared before the first thread");
    BASE_TRY(want_location(r, 1, &location));
    if (location != program->location_count)
        return REFUSE(r, r->lines.words[1].start, "locations are declared in order; a%u is next",
                      program->location_count);
    BASE_TRY(want_number(r, 2, UINT64_MAX, "an address", &address));
    BASE_TRY(want_no_more(r, 3));
    BASE_TRY(base_reserve(&program->addresses, &program->location_capacity, (size_t)location + 1,
                          sizeof *program->addresses, r->lines.problem));
    program->addresses[location] = address;
    program->location_count++;
    return COL_OK;
}

static col_status read_thread(reader *r) {
    col_program *program = r->program;
    uint64_t thread;
    BASE_TRY(want_number(r, 1, COL_MAX_THREADS - 1, "the number of a thread", &thread));
    if (thread != program->thread_count)
        return REFUSE(r, r->lines.words[1].start, "threads come in order; thread %u is next",
                      program->thread_count);
    BASE_TRY(want_no_more(r, 2));
    BASE_TRY(base_reserve(&program->thread_start, &program->thread_capacity, (size_t)thread + 2,
                          sizeof *program->thread_start, r->lines.problem));
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

/* "address@-2" */
static col_status read_dependency(const reader *r, const base_word *attribute, const char *at,
                                  col_operation *operation) {
    const base_word name = {attribute->start, (size_t)(at - attribute->start)};
    uint32_t kind = 0;
    if (!base_choice_find(prg_dependency_words + COL_ADDRESS, name.start, name.length, &kind)) {
        base_text list = {0};
        base_choice_list(prg_dependency_words + COL_ADDRESS, &list);
        col_status status = base_text_status(&list, r->lines.problem);
        if (status == COL_OK)
            status = REFUSE(r, name.start, "a dependency is %s, not '%.*s'", list.data,
                            base_word_shown(&name), name.start);
        base_text_free(&list);
        return status;
    }
    if (operation->dependency != COL_NO_DEPENDENCY)
        return REFUSE(r, name.start, "an operation has one dependency at most");
    base_word distance = {at + 1, attribute->length - name.length - 1};
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
    for (; position < r->lines.word_count; position++) {
        const base_word *attribute = &r->lines.words[position];
        const char *at = memchr(attribute->start, '@', attribute->length);
        const uint8_t order = base_word_is(attribute, "acquire")   ? COL_ACQUIRE
                              : base_word_is(attribute, "release") ? COL_RELEASE
                                                                   : 0;
        if (at != NULL)
            BASE_TRY(read_dependency(r, attribute, at, operation));
        else if (order == 0)
            return REFUSE(r, attribute->start,
                          "expected acquire, release or a dependency such as data@-1, got '%.*s'",
                          base_word_shown(attribute), attribute->start);
        else if ((operation->order & order) != 0)
            return REFUSE(r, attribute->start, "'%.*s' is said twice", base_word_shown(attribute),
                          attribute->start);
        operation->order |= order;
    }
    return COL_OK;
}

static col_status read_operands(const reader *r, col_operation *operation) {
    const col_kind_traits *traits = &col_kinds[operation->kind];
    uint64_t number = 0;
    if (operation->kind == COL_FENCE) {
        operation->fence = COL_FULL_FENCE;
        if (r->lines.word_count == 1)
            return COL_OK;
        const base_word *pairs = &r->lines.words[1];
        operation->fence = prg_fence_pairs(pairs->start, pairs->length);
        if (operation->fence == 0)
            return REFUSE(r, pairs->start,
                          "expected what the fence orders, as r,rw or rr+ww, got '%.*s'",
                          base_word_shown(pairs), pairs->start);
        return want_no_more(r, 2);
    }
    if (operation->kind == COL_DELAY) {
        BASE_TRY(want_number(r, 1, UINT32_MAX, "a number of cycles", &number));
        operation->location = (uint32_t)number;
        return want_no_more(r, 2);
    }
    BASE_TRY(want_location(r, 1, &operation->location));
    uint32_t position = 2;
    if (traits->writes || operation->kind == COL_AWAIT) {
        BASE_TRY(want_number(r, position++, UINT32_MAX, "a value", &number));
        operation->value = (uint32_t)number;
    }
    return read_attributes(r, position, operation);
}

static col_status read_operation(reader *r) {
    col_program *program = r->program;
    const base_word *name = &r->lines.words[0];
    col_operation operation = {0};
    while (operation.kind < COL_KIND_COUNT && !base_word_is(name, col_kinds[operation.kind].name))
        operation.kind++;
    if (operation.kind == COL_KIND_COUNT)
        return REFUSE(r, name->start,
                      "expected an operation, 'thread', 'location' or 'end', got '%.*s'",
                      base_word_shown(name), name->start);
    if (program->thread_count == 0)
        return REFUSE(r, name->start, "an operation belongs to a thread; 'thread 0' comes first");
    if (r->operation_count >= UINT32_MAX - 1)
        return REFUSE(r, name->start, "a program has fewer than 2^32 - 1 operations");
    BASE_TRY(read_operands(r, &operation));
    BASE_TRY(base_reserve(&program->operations, &program->operation_capacity,
                          (size_t)r->operation_count + 1, sizeof *program->operations,
                          r->lines.problem));
    program->operations[r->operation_count] = operation;
    program->thread_start[program->thread_count] = ++r->operation_count;
    return COL_OK;
}

static col_status read_line(reader *r) {
    const base_word *first = &r->lines.words[0];
    if (r->ended)
        return REFUSE(r, first->start, "nothing may follow 'end'");
    if (base_word_is(first, "word")) {
        /* "word 4" */
        uint64_t bytes;
        if (r->program->location_count > 0 || r->program->thread_count > 0)
            return REFUSE(r, r->lines.words[0].start,
                          "the word size comes before the first location");
        BASE_TRY(want_number(r, 1, COL_WORD_BYTES, "the bytes of a word", &bytes));
        if (bytes != COL_WORD_BYTES && bytes != COL_NARROW_BYTES)
            return REFUSE(r, r->lines.words[1].start, "words have %d or %d bytes", COL_NARROW_BYTES,
                          COL_WORD_BYTES);
        r->program->is_narrow = bytes == COL_NARROW_BYTES;
        return want_no_more(r, 2);
    }
    if (base_word_is(first, "location"))
        return read_location(r);
    if (base_word_is(first, "thread"))
        return read_thread(r);
    if (base_word_is(first, "end")) {
        r->ended = true;
        return want_no_more(r, 1);
    }
    return read_operation(r);
}

/* The word of the current line that a fault is about. */
static const char *place_of(const reader *r, prg_part part) {
    for (uint32_t i = 0; i < r->lines.word_count; i++) {
        const base_word *candidate = &r->lines.words[i];
        if ((part == PRG_PART_LOCATION && i == 1) || (part == PRG_PART_VALUE && i == 2) ||
            (part == PRG_PART_ACQUIRE && base_word_is(candidate, "acquire")) ||
            (part == PRG_PART_RELEASE && base_word_is(candidate, "release")) ||
            (part == PRG_PART_DEPENDENCY && memchr(candidate->start, '@', candidate->length)))
            return candidate->start;
    }
    return r->lines.words[0].start;
}

static col_status check_whole(reader *r, const char *text) {
    prg_fault fault;
    const col_status status = prg_program_find_fault(r->program, &fault, r->lines.problem);
    if (status != COL_BAD_INPUT)
        return status;
    /* Puts the reader back on the line of a location or an operation that it has read. */
    static const char *const others[] = {"collider", "word", "location", "thread", NULL};
    r->lines.next = text;
    r->lines.line_number = 0;
    for (uint32_t left = fault.index + 1, which; left > 0;) {
        (void)base_lines_next(&r->lines);
        const base_word *first = &r->lines.words[0];
        const bool is_other = base_choice_find(others, first->start, first->length, &which);
        left -= fault.in_map ? base_word_is(first, "location") : !is_other;
    }
    return REFUSE(r, place_of(r, fault.part), "%s", fault.message);
}

static col_status read_all(reader *r, const char *text) {
    col_status status = read_header(r);
    while (status == COL_OK) {
        status = base_lines_next(&r->lines);
        if (status != COL_OK || r->lines.word_count == 0)
            break;
        status = read_line(r);
    }
    if (status == COL_OK && !r->ended)
        status = base_refuse_at(r->lines.problem, r->lines.file, r->lines.line_number + 1, 1,
                                "the program stops without 'end': the text may be cut");
    return status == COL_OK ? check_whole(r, text) : status;
}

static col_status make_empty(col_program *program, col_problem *problem) {
    return col_program_shape(program, 0, NULL, 0, problem);
}

col_status col_program_read(col_program *program, const char *text, size_t length, const char *file,
                            col_problem *problem) {
    reader r = {.lines = base_lines_begin(text, length, file, BASE_MOST_WORDS, problem),
                .program = program};
    col_status status = make_empty(program, problem);
    if (status == COL_OK)
        status = read_all(&r, r.lines.next);
    if (status != COL_OK)
        (void)make_empty(program, NULL);
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

/* The canonical text of a program: one program, one text. docs/program.md has the grammar. */

void prg_operation_write(const col_operation *operation, base_text *text) {
    const col_kind_traits *traits = &col_kinds[operation->kind];
    base_text_add(text, traits->name);
    if (traits->located) {
        base_text_add(text, " a");
        base_text_number(text, operation->location);
    } else if (operation->kind == COL_DELAY) {
        base_text_add(text, " ");
        base_text_number(text, operation->location);
    } else if (operation->fence != COL_FULL_FENCE) {
        base_text_add(text, " ");
        base_text_add(text, prg_fence_words[operation->fence]);
    }
    if (operation->value != 0) {
        base_text_add(text, " ");
        base_text_number(text, operation->value);
    }
    if ((operation->order & COL_ACQUIRE) != 0)
        base_text_add(text, " acquire");
    if ((operation->order & COL_RELEASE) != 0)
        base_text_add(text, " release");
    if (operation->dependency != COL_NO_DEPENDENCY) {
        base_text_add(text, " ");
        base_text_add(text, prg_dependency_words[operation->dependency]);
        base_text_add(text, "@-");
        base_text_number(text, operation->distance);
    }
}

void prg_program_write(const col_program *program, base_text *text) {
    base_text_print(text, "collider program %d\n", PRG_PROGRAM_VERSION);
    if (program->is_narrow)
        base_text_print(text, "word %d\n", COL_NARROW_BYTES);
    for (uint32_t l = 0; l < program->location_count; l++)
        base_text_print(text, "location a%u 0x%08llx\n", l,
                        (unsigned long long)program->addresses[l]);
    for (uint32_t t = 0; t < program->thread_count; t++) {
        base_text_print(text, "thread %u\n", t);
        for (uint32_t o = program->thread_start[t]; o < program->thread_start[t + 1]; o++) {
            base_text_add(text, "  ");
            prg_operation_write(&program->operations[o], text);
            base_text_add(text, "\n");
        }
    }
    base_text_add(text, "end\n");
}

col_status col_program_write(const col_program *program, char **text, size_t *length,
                             col_problem *problem) {
    base_text written = {0};
    prg_program_write(program, &written);
    return base_text_give(&written, text, length, problem);
}

col_status col_program_write_file(const col_program *program, const char *path,
                                  col_problem *problem) {
    base_text text = {0};
    prg_program_write(program, &text);
    return base_file_write_text(path, &text, problem);
}
