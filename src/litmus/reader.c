/* SPDX-License-Identifier: MIT */
/* The characters of a litmus file: see reader.h. */
#include "litmus/reader.h"
#include "base/number.h"

#include <ctype.h>
#include <string.h>

col_status lit_refuse_at(lit_reader *reader, lit_place place, const char *what, const char *word) {
    return base_refuse_at(reader->problem, reader->test->file, place.line, place.column, what,
                          word);
}

col_status lit_refuse(lit_reader *reader, const char *what) {
    return base_refuse_at(reader->problem, reader->test->file, reader->place.line,
                          reader->place.column, "%s", what);
}

void lit_advance(lit_reader *reader) {
    if (*reader->at == '\n')
        reader->place = (lit_place){reader->place.line + 1, 0};
    reader->at++;
    reader->place.column++;
}

void lit_advance_to(lit_reader *reader, const char *at) {
    while (reader->at < at)
        lit_advance(reader);
}

static bool starts(const lit_reader *reader, const char *symbol) {
    const size_t length = strlen(symbol);
    return (size_t)(reader->end - reader->at) >= length && memcmp(reader->at, symbol, length) == 0;
}

/* Comments nest, as in herd7. */
static col_status skip_comment(lit_reader *reader) {
    const lit_reader start = *reader;
    uint32_t depth = 0;
    do {
        if (reader->at == reader->end) {
            *reader = start; /* whoever skips again fails again */
            return lit_refuse(reader, "a comment does not end");
        }
        const bool opens = starts(reader, "(*"), closes = starts(reader, "*)");
        depth = depth + (opens ? 1 : 0) - (closes ? 1 : 0);
        lit_advance_to(reader, reader->at + (opens || closes ? 2 : 1));
    } while (depth > 0);
    return COL_OK;
}

col_status lit_skip(lit_reader *reader) {
    for (;;) {
        while (reader->at < reader->end && isspace((unsigned char)*reader->at))
            lit_advance(reader);
        if (!starts(reader, "(*"))
            return COL_OK;
        const col_status status = skip_comment(reader);
        if (status != COL_OK)
            return status;
    }
}

char lit_peek(lit_reader *reader) {
    if (lit_skip(reader) != COL_OK || reader->at == reader->end)
        return '\0';
    return *reader->at;
}

bool lit_take(lit_reader *reader, const char *symbol) {
    if (lit_peek(reader) == '\0' || !starts(reader, symbol))
        return false;
    lit_advance_to(reader, reader->at + strlen(symbol));
    return true;
}

col_status lit_expect(lit_reader *reader, const char *symbol) {
    if (lit_take(reader, symbol))
        return COL_OK;
    const col_status status = lit_skip(reader);
    if (status != COL_OK)
        return status;
    return lit_refuse_at(reader, reader->place, "expected '%s'", symbol);
}

size_t lit_word_length(lit_reader *reader) {
    if (lit_peek(reader) == '\0')
        return 0;
    const char *p = reader->at;
    while (p < reader->end && (isalnum((unsigned char)*p) || *p == '_' || *p == '.' || *p == '$'))
        p++;
    return (size_t)(p - reader->at);
}

bool lit_take_word(lit_reader *reader, const char *word) {
    const size_t length = lit_word_length(reader);
    if (length == 0 || length != strlen(word) || memcmp(reader->at, word, length) != 0)
        return false;
    lit_advance_to(reader, reader->at + length);
    return true;
}

col_status lit_word(lit_reader *reader, const char **word) {
    const size_t length = lit_word_length(reader);
    if (length == 0 || isdigit((unsigned char)*reader->at))
        return lit_refuse(reader, "expected a name");
    *word = base_arena_text(&reader->test->arena, reader->at, length);
    lit_advance_to(reader, reader->at + length);
    return *word != NULL ? COL_OK : base_out_of_memory(reader->problem);
}

bool lit_is_number(lit_reader *reader) {
    const char c = lit_peek(reader);
    return isdigit((unsigned char)c) ||
           (c == '-' && reader->at + 1 < reader->end && isdigit((unsigned char)reader->at[1]));
}

col_status lit_number(lit_reader *reader, uint64_t *number) {
    char digits[40];
    if (!lit_is_number(reader))
        return lit_refuse(reader, "expected a number");
    const bool is_negative = lit_take(reader, "-");
    const size_t length = lit_word_length(reader);
    if (length >= sizeof digits)
        return lit_refuse(reader, "expected a number");
    memcpy(digits, reader->at, length);
    digits[length] = '\0';
    if (!base_number_parse(digits, number))
        return lit_refuse(reader, "expected a number");
    if (is_negative)
        *number = 0 - *number;
    lit_advance_to(reader, reader->at + length);
    return COL_OK;
}
