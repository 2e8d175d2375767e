/* SPDX-License-Identifier: MIT */
/* Lines and words: see lines.h. */
#include "base/lines.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool base_word_is(const base_word *word, const char *text) {
    return word->length == strlen(text) && memcmp(word->start, text, word->length) == 0;
}

int base_word_shown(const base_word *word) {
    return word->length > 40 ? 40 : (int)word->length;
}

base_lines base_lines_begin(const char *text, size_t length, const char *file, uint32_t most_words,
                            col_problem *problem) {
    assert(most_words <= BASE_MOST_WORDS);
    text = base_skip_bom(text, &length);
    return (base_lines){.file = file,
                        .next = text,
                        .end = text + length,
                        .problem = problem,
                        .most_words = most_words,
                        .line = text};
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

/* Up to `most` words; then, unless there may be a rest, nothing. */
static col_status split(base_lines *l, const char *line_end, uint32_t most, bool has_rest) {
    for (const char *at = l->line;;) {
        while (at < line_end && is_blank(*at))
            at++;
        if (at == line_end || *at == '#')
            return COL_OK;
        if (l->word_count == most && has_rest) {
            while (line_end > at && is_blank(line_end[-1]))
                line_end--;
            l->rest = (base_word){.start = at, .length = (size_t)(line_end - at)};
            return COL_OK;
        }
        if (l->word_count == most)
            return BASE_REFUSE_AT(l, at, "too many words on this line");
        const char *start = at;
        while (at < line_end && !is_blank(*at) && *at != '#')
            at++;
        l->words[l->word_count++] = (base_word){.start = start, .length = (size_t)(at - start)};
    }
}

static col_status next(base_lines *l, uint32_t most, bool has_rest) {
    l->word_count = 0;
    l->rest = (base_word){0};
    while (l->word_count == 0 && l->next < l->end) {
        l->line = l->next;
        l->line_number++;
        const char *line_end = memchr(l->line, '\n', (size_t)(l->end - l->line));
        l->next = line_end == NULL ? l->end : line_end + 1;
        BASE_TRY(split(l, line_end == NULL ? l->end : line_end, most, has_rest));
    }
    return COL_OK;
}

col_status base_lines_next(base_lines *l) {
    return next(l, l->most_words, false);
}

col_status base_lines_next_text(base_lines *l, uint32_t words) {
    return next(l, words, true);
}

bool base_lines_is(const base_lines *l, uint32_t position, const char *text) {
    return position < l->word_count && base_word_is(&l->words[position], text);
}

col_status base_lines_want(const base_lines *l, uint32_t count, const char *form) {
    if (l->word_count == count)
        return COL_OK;
    if (l->word_count == 0)
        return base_refuse_at(l->problem, l->file, l->line_number + 1, 1, "expected a line '%s'",
                              form);
    return BASE_REFUSE_AT(l, l->words[0].start, "expected a line '%s'", form);
}

col_status base_lines_number(const base_lines *l, uint32_t position, const char *what,
                             uint64_t *number) {
    const base_word w = l->words[position];
    *number = 0;
    for (size_t i = 0; i < w.length; i++) {
        const uint64_t digit = (uint64_t)(w.start[i] - '0');
        if (w.start[i] < '0' || w.start[i] > '9')
            return BASE_REFUSE_AT(l, w.start, "expected %s, got '%.*s'", what, base_word_shown(&w),
                                  w.start);
        if (*number > (UINT64_MAX - digit) / 10)
            return BASE_REFUSE_AT(l, w.start, "%s has to fit into 64 bits", what);
        *number = *number * 10 + digit;
    }
    return COL_OK;
}

/* Words of a command. */

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Within double quotes a backslash is itself, unless it stands before one of these. */
static bool is_escape(const char *at, char quote) {
    return at[0] == '\\' && at[1] != '\0' && quote != '\'' &&
           (quote == '\0' || at[1] == '"' || at[1] == '\\' || at[1] == '$' || at[1] == '`');
}

/* Copies the word without its quotes. Returns where it ends, or NULL: a quote is open. */
static const char *copy_word(const char *at, char **to) {
    char quote = '\0';
    while (*at != '\0' && (quote != '\0' || !is_space(*at))) {
        if (is_escape(at, quote)) {
            *(*to)++ = at[1];
            at += 2;
        } else if (quote == '\0' && (*at == '\'' || *at == '"')) {
            quote = *at++;
        } else if (quote != '\0' && *at == quote) {
            quote = '\0';
            at++;
        } else {
            *(*to)++ = *at++;
        }
    }
    *(*to)++ = '\0';
    return quote == '\0' ? at : NULL;
}

static const char *skip_blanks(const char *at) {
    while (is_space(*at))
        at++;
    return at;
}

col_status base_command_split(const char *line, char ***words, col_problem *problem) {
    const size_t length = strlen(line), most = length / 2 + 2; /* a letter and a blank each */
    *words = malloc(most * sizeof **words + length + 1);
    if (*words == NULL)
        return base_out_of_memory(problem);
    char *to = (char *)(*words + most);
    size_t count = 0;
    const char *at = skip_blanks(line);
    while (at != NULL && *at != '\0') {
        (*words)[count++] = to;
        at = copy_word(at, &to);
        at = at == NULL ? NULL : skip_blanks(at);
    }
    (*words)[count] = NULL;
    if (at != NULL && count > 0)
        return COL_OK;
    free(*words);
    *words = NULL;
    return base_refuse(problem,
                       at == NULL ? "a quote is not closed in the command '%.300s'"
                                  : "a command is missing: '%.300s' has no words",
                       line);
}

/* Lines with carets. */

enum { MOST_SHOWN = 160, SHOWN_BEFORE = 100 };

/* The line without its end; NULL if the text is shorter. */
static const char *find_line(const char *text, size_t size, uint32_t line, size_t *length) {
    const char *start = text, *const end = text + size;
    for (uint32_t number = 1; number < line; number++) {
        const char *newline = start == end ? NULL : memchr(start, '\n', (size_t)(end - start));
        if (newline == NULL)
            return NULL;
        start = newline + 1;
    }
    const char *newline = start == end ? NULL : memchr(start, '\n', (size_t)(end - start));
    *length = (size_t)((newline == NULL ? end : newline) - start);
    if (*length > 0 && start[*length - 1] == '\r')
        --*length;
    return start;
}

static bool says_something(const char *line, size_t length) {
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)line[i];
        if ((c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c >= 0x80)
            return true;
    }
    return false;
}

/* Does a UTF-8 character go on here? */
static bool is_inside(const char *line, size_t length, size_t at) {
    return at < length && ((unsigned char)line[at] & 0xc0) == 0x80;
}

void base_excerpt_add(base_text *excerpt, const char *text, size_t length, uint32_t line,
                      uint32_t column) {
    text = base_skip_bom(text, &length);
    size_t size = 0;
    const char *found = line == 0 ? NULL : find_line(text, length, line, &size);
    if (found == NULL || !says_something(found, size))
        return;
    const size_t before = column == 0 ? 0 : column - 1 < size ? column - 1 : size;
    size_t first = size > MOST_SHOWN && before > SHOWN_BEFORE ? before - SHOWN_BEFORE : 0;
    size_t last = size - first > MOST_SHOWN ? first + MOST_SHOWN : size;
    while (first < before && is_inside(found, size, first))
        first++;
    while (last > before && is_inside(found, size, last))
        last--;
    char shown[MOST_SHOWN + 1] = "", caret[MOST_SHOWN + 1];
    memcpy(shown, found + first, last - first);
    for (size_t i = 0; i < last - first; i++)
        if (shown[i] == '\0')
            shown[i] = '?';
    shown[last - first] = '\0';
    base_make_printable(shown, true);
    size_t width = 0;
    for (size_t i = 0; i < before - first; i++)
        if (!is_inside(shown, last - first, i)) /* one column for all bytes of a character */
            caret[width++] = shown[i] == '\t' ? '\t' : ' ';
    caret[width] = '\0';
    const int gutter = snprintf(NULL, 0, "%5" PRIu32, line);
    base_text_print(excerpt, "%5" PRIu32 " | %s\n%*s | %s^\n", line, shown, gutter, "", caret);
}
