/* SPDX-License-Identifier: MIT */
/* The tokens of a cat file. Names may hold dots and dashes; comments nest. */
#include "judge/cat/cat_scanner.h"

#include <string.h>

typedef struct spelling {
    const char *text;
    cat_token_kind kind;
} spelling;

#define ROW(name, word) {(word), (name)},
static const spelling keywords[] = {CAT_KEYWORDS(ROW)};
static const spelling symbols[] = {CAT_SYMBOLS(ROW)}; /* a longer one before its beginning */
#undef ROW
enum {
    KEYWORDS = sizeof keywords / sizeof keywords[0],
    SYMBOLS = sizeof symbols / sizeof symbols[0]
};

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_inside_name(char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
}

static bool begins(const cat_scanner *s, const char *text) {
    const size_t length = strlen(text);
    return (size_t)(s->end - s->at) >= length && memcmp(s->at, text, length) == 0;
}

static void advance(cat_scanner *s) {
    if (*s->at == '\n') {
        s->place.line++;
        s->place.column = 1;
    } else {
        s->place.column++;
    }
    s->at++;
}

static void advance_by(cat_scanner *s, size_t count) {
    for (size_t i = 0; i < count; i++)
        advance(s);
}

/* A text that was put together (cat_flatten.c) says which line comes next: (*line 7*). */
static void take_line(cat_scanner *s, const char *comment) {
    static const char word[] = "(*line ";
    uint32_t line = 0;
    if ((size_t)(s->at - comment) < sizeof word || memcmp(comment, word, sizeof word - 1) != 0)
        return;
    for (comment += sizeof word - 1; *comment >= '0' && *comment <= '9' && line < 1U << 24;
         comment++)
        line = line * 10 + (uint32_t)(*comment - '0');
    if (line > 0 && comment + 2 == s->at)
        s->place.line = line;
}

static col_status skip_comment(cat_scanner *s) {
    const cat_place start = s->place;
    const char *comment = s->at;
    uint32_t depth = 0;
    do {
        if (s->at == s->end)
            return base_refuse_at(s->problem, start.file, start.line, start.column,
                                  "this comment has no end");
        const bool opens = begins(s, "(*"), closes = begins(s, "*)");
        depth = opens ? depth + 1 : closes ? depth - 1 : depth;
        advance_by(s, opens || closes ? 2 : 1);
    } while (depth > 0);
    take_line(s, comment);
    return COL_OK;
}

static col_status skip_blanks(cat_scanner *s) {
    while (s->at < s->end) {
        if (*s->at == ' ' || *s->at == '\t' || *s->at == '\r' || *s->at == '\n') {
            advance(s);
        } else if (*s->at == '#' || begins(s, "//")) {
            while (s->at < s->end && *s->at != '\n')
                advance(s);
        } else if (begins(s, "(*")) {
            const col_status status = skip_comment(s);
            if (status != COL_OK)
                return status;
        } else {
            break;
        }
    }
    return COL_OK;
}

/* How long the name is that begins here; 0: none does. */
static size_t name_length(const cat_scanner *s) {
    const size_t left = (size_t)(s->end - s->at);
    size_t length = left > 0 && *s->at == '_' ? 1 : 0;
    if (length >= left || !is_letter(s->at[length]))
        return 0;
    while (length < left && is_inside_name(s->at[length]))
        length++;
    return length < left && s->at[length] == '\'' ? length + 1 : length;
}

static col_status take_text(cat_scanner *s, cat_token *token, cat_token_kind kind, size_t length) {
    uint32_t number = 0;
    if (memchr(s->at, '\0', length) != NULL)
        return base_refuse_at(s->problem, s->place.file, s->place.line, s->place.column,
                              "a string with a zero byte");
    const col_status status =
        base_names_add_part(s->names, s->at, length, &number, NULL, s->problem);
    if (status != COL_OK)
        return status;
    token->kind = kind;
    token->text = s->names->texts[number];
    advance_by(s, length);
    return COL_OK;
}

static col_status take_name(cat_scanner *s, cat_token *token, size_t length) {
    for (size_t i = 0; i < KEYWORDS; i++) {
        if (strlen(keywords[i].text) == length && begins(s, keywords[i].text)) {
            token->kind = keywords[i].kind;
            token->text = keywords[i].text;
            advance_by(s, length);
            return COL_OK;
        }
    }
    return take_text(s, token, CAT_WORD, length);
}

static col_status take_string(cat_scanner *s, cat_token *token) {
    const char *start = s->at + 1;
    const char *quote = memchr(start, '"', (size_t)(s->end - start));
    if (quote == NULL)
        return base_refuse_at(s->problem, s->place.file, s->place.line, s->place.column,
                              "this string has no end");
    advance(s);
    const col_status status = take_text(s, token, CAT_STRING, (size_t)(quote - start));
    advance(s);
    return status;
}

static col_status take_symbol(cat_scanner *s, cat_token *token) {
    for (size_t i = 0; i < SYMBOLS; i++) {
        if (begins(s, symbols[i].text)) {
            token->kind = symbols[i].kind;
            token->text = symbols[i].text;
            advance_by(s, strlen(symbols[i].text));
            return COL_OK;
        }
    }
    if (*s->at == '_') {
        advance(s);
        *token = (cat_token){CAT_UNDERSCORE, token->place, "_"};
        return COL_OK;
    }
    const unsigned char c = (unsigned char)*s->at;
    if (c > ' ' && c < 0x7F)
        return base_refuse_at(s->problem, s->place.file, s->place.line, s->place.column,
                              "unexpected character '%c'", c);
    return base_refuse_at(s->problem, s->place.file, s->place.line, s->place.column,
                          "unexpected byte 0x%02x", c);
}

col_status cat_scan(cat_scanner *s, cat_token *token) {
    const col_status status = skip_blanks(s);
    if (status != COL_OK)
        return status;
    *token = (cat_token){CAT_END_OF_FILE, s->place, "the end of the file"};
    if (s->at == s->end)
        return COL_OK;
    size_t length = name_length(s);
    if (length > 0)
        return take_name(s, token, length);
    if (*s->at == '"')
        return take_string(s, token);
    if (*s->at == '\'') {
        advance(s);
        length = name_length(s);
        if (length == 0)
            return base_refuse_at(s->problem, s->place.file, s->place.line, s->place.column,
                                  "expected the name of a tag behind '");
        return take_text(s, token, CAT_TAG, length);
    }
    return take_symbol(s, token);
}
