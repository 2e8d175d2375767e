/* SPDX-License-Identifier: MIT */
/* Lines and words: see lines.h. */
#include "base/lines.h"

#include "base/text.h"

#include <assert.h>
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
        const col_status status = split(l, line_end == NULL ? l->end : line_end, most, has_rest);
        if (status != COL_OK)
            return status;
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
