/* SPDX-License-Identifier: MIT */
/* Words and steps of one instruction: see assemble.h. */
#include "litmus/assemble.h"
#include "base/number.h"
#include "litmus/symbols.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- Words. */

static void skip_blanks(lit_line *line) {
    while (line->at < line->end && isspace((unsigned char)*line->at))
        line->at++;
}

static col_status refuse(lit_line *line, const char *what) {
    /* An instruction stands on one line. */
    const uint32_t column = line->place.column + (uint32_t)(line->at - line->start);
    return base_refuse_at(line->problem, line->file, line->place.line, column, "%s in '%.*s'", what,
                          (int)(line->end - line->start), line->start);
}

void lit_line_refuse(lit_line *line, const char *what) {
    if (line->status == COL_OK)
        line->status = refuse(line, what);
}

void lit_line_refuse_name(lit_line *line) {
    line->at = line->start;
    if (line->status == COL_OK)
        line->status =
            base_refuse_at(line->problem, line->file, line->place.line, line->place.column,
                           "the instruction '%s' is not supported", line->mnemonic);
}

char lit_line_peek(lit_line *line) {
    skip_blanks(line);
    if (line->at == line->end)
        return '\0';
    return *line->at;
}

bool lit_line_is_at_end(lit_line *line) {
    return lit_line_peek(line) == '\0';
}

bool lit_line_take(lit_line *line, char c) {
    if (lit_line_peek(line) != c || c == '\0')
        return false;
    line->at++;
    return true;
}

void lit_line_expect(lit_line *line, char c) {
    char what[] = "expected 'x'";
    what[10] = c;
    if (line->status == COL_OK && !lit_line_take(line, c))
        lit_line_refuse(line, what);
}

static bool is_word_character(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static size_t word_length(lit_line *line) {
    skip_blanks(line);
    const char *p = line->at;
    while (p < line->end && is_word_character(*p))
        p++;
    return (size_t)(p - line->at);
}

const char *lit_line_word(lit_line *line) {
    const size_t length = word_length(line);
    const char *word = base_arena_text(&line->test->arena, line->at, length);
    if (word == NULL && line->status == COL_OK)
        line->status = base_out_of_memory(line->problem);
    line->at += length;
    return word != NULL ? word : "";
}

const char *lit_line_name(lit_line *line) {
    const size_t length = word_length(line);
    char *name = base_arena_text(&line->test->arena, line->at, length);
    if (name == NULL) {
        if (line->status == COL_OK)
            line->status = base_out_of_memory(line->problem);
        return "";
    }
    for (size_t i = 0; i < length; i++)
        name[i] = (char)tolower((unsigned char)name[i]);
    line->at += length;
    return name;
}

bool lit_line_take_word(lit_line *line, const char *word) {
    const size_t length = word_length(line);
    if (length == 0 || length != strlen(word) || strncasecmp(line->at, word, length) != 0)
        return false;
    line->at += length;
    return true;
}

bool lit_line_is_number(lit_line *line) {
    skip_blanks(line);
    const char *p = line->at;
    if (p < line->end && (*p == '#' || *p == '$'))
        p++;
    if (p < line->end && (*p == '-' || *p == '+'))
        p++;
    return p < line->end && isdigit((unsigned char)*p);
}

uint64_t lit_line_number(lit_line *line) {
    char digits[LIT_MOST_LABEL];
    uint64_t number = 0;
    if (!lit_line_is_number(line)) {
        lit_line_refuse(line, "expected a number");
        return 0;
    }
    if (*line->at == '#' || *line->at == '$')
        line->at++;
    const bool is_negative = *line->at == '-';
    if (*line->at == '-' || *line->at == '+')
        line->at++;
    const size_t length = word_length(line);
    if (length < sizeof digits) {
        memcpy(digits, line->at, length);
        digits[length] = '\0';
    }
    if (length >= sizeof digits || !base_number_parse(digits, &number))
        lit_line_refuse(line, "expected a number");
    line->at += length;
    return is_negative ? 0 - number : number;
}

/* Reads ahead: a register's number, and where it ends. */
static uint8_t look_for_register(lit_line *line, const char **end, uint8_t *bits) {
    skip_blanks(line);
    const char *start = line->at;
    if (start < line->end && *start == '%')
        line->at++;
    const size_t length = word_length(line);
    const uint8_t number = lit_register_find(line->test->isa, line->at, length, bits);
    *end = line->at + length;
    line->at = start;
    return number;
}

bool lit_line_is_register(lit_line *line) {
    const char *end;
    uint8_t bits;
    return look_for_register(line, &end, &bits) != LIT_NO_REGISTER;
}

uint8_t lit_line_register(lit_line *line, uint8_t *bits) {
    const char *end;
    uint8_t width;
    const uint8_t number = look_for_register(line, &end, &width);
    if (number == LIT_NO_REGISTER) {
        lit_line_refuse(line, "expected a register");
        return 0;
    }
    line->at = end;
    if (bits != NULL)
        *bits = width;
    return number;
}

uint32_t lit_line_label(lit_line *line) {
    const size_t length = word_length(line);
    for (uint32_t i = 0; i < line->label_count; i++) {
        if (strlen(line->labels[i].name) != length ||
            strncmp(line->labels[i].name, line->at, length) != 0)
            continue;
        line->at += length;
        return line->labels[i].instruction;
    }
    lit_line_refuse(line, "expected a label of this thread");
    return 0;
}

/* ---- Steps. */

static lit_step *add(lit_line *line, lit_step_kind kind) {
    static lit_step nowhere;
    if (line->step_count == LIT_MOST_STEPS)
        lit_line_refuse(line, "too much is done");
    lit_step *step = line->status == COL_OK ? &line->steps[line->step_count++] : &nowhere;
    *step = (lit_step){.kind = (uint8_t)kind};
    memset(step->sets, LIT_NO_SET, sizeof step->sets);
    return step;
}

static uint8_t make(lit_line *line) {
    if (line->temporaries + 1 == LIT_TEMPORARIES)
        lit_line_refuse(line, "too much is computed");
    return line->status == COL_OK ? line->temporaries++ : 0;
}

uint8_t lit_constant(lit_line *line, uint64_t value) {
    lit_step *step = add(line, LIT_CONSTANT);
    step->value = value;
    return step->to = make(line);
}

uint8_t lit_get(lit_line *line, uint8_t register_, lit_port port) {
    lit_step *step = add(line, LIT_GET);
    step->a = register_;
    step->port = (uint8_t)port;
    return step->to = make(line);
}

void lit_put(lit_line *line, uint8_t register_, uint8_t value) {
    lit_step *step = add(line, LIT_PUT);
    step->to = register_;
    step->a = value;
}

uint8_t lit_compute(lit_line *line, lit_operator operator_, uint8_t a, uint8_t b) {
    lit_step *step = add(line, LIT_COMPUTE);
    step->operator_ = (uint8_t)operator_;
    step->a = a;
    step->b = b;
    return step->to = make(line);
}

uint8_t lit_compute_by(lit_line *line, lit_operator operator_, uint8_t a, uint64_t constant) {
    return lit_compute(line, operator_, a, lit_constant(line, constant));
}

uint8_t lit_read(lit_line *line, uint8_t address, uint32_t bits) {
    lit_step *step = add(line, LIT_READ);
    step->a = address;
    step->bytes = (uint8_t)(bits / 8);
    return step->to = make(line);
}

lit_step *lit_write(lit_line *line, uint8_t address, uint8_t value, uint32_t bits) {
    lit_step *step = add(line, LIT_WRITE);
    step->a = address;
    step->b = value;
    step->bytes = (uint8_t)(bits / 8);
    return step;
}

uint8_t lit_update(lit_line *line, lit_operator operator_, uint8_t address, uint8_t value,
                   uint32_t bits) {
    lit_step *step = add(line, LIT_UPDATE);
    step->operator_ = (uint8_t)operator_;
    step->a = address;
    step->b = value;
    step->bytes = (uint8_t)(bits / 8);
    return step->to = make(line);
}

void lit_fence(lit_line *line, uint32_t set) {
    add(line, LIT_FENCE)->sets[0] = (uint8_t)set;
}

void lit_branch(lit_line *line, uint8_t condition, uint32_t target) {
    lit_step *step = add(line, LIT_BRANCH);
    step->a = condition;
    step->target = target;
}

void lit_jump(lit_line *line, uint32_t target) {
    add(line, LIT_JUMP)->target = target;
}

uint32_t lit_open(lit_line *line, lit_step_kind kind, uint8_t condition) {
    add(line, kind)->a = condition;
    return line->step_count;
}

void lit_close(lit_line *line, uint32_t opened) {
    if (line->status == COL_OK)
        line->steps[opened - 1].target = line->step_count - opened;
}

uint32_t lit_otherwise(lit_line *line, uint32_t opened) {
    (void)add(line, LIT_SKIP);
    lit_close(line, opened);
    return line->step_count;
}

void lit_assume(lit_line *line, uint8_t condition) {
    add(line, LIT_ASSUME)->a = condition;
}

void lit_commit(lit_line *line, uint8_t condition) {
    add(line, LIT_COMMIT)->a = condition;
}

void lit_mark(lit_line *line, uint32_t set) {
    if (line->status != COL_OK || line->step_count == 0)
        return;
    lit_step *step = &line->steps[line->step_count - 1];
    for (uint32_t i = 0; i < LIT_STEP_SETS; i++) {
        if (step->sets[i] != LIT_NO_SET)
            continue;
        step->sets[i] = (uint8_t)set;
        return;
    }
}
