/* SPDX-License-Identifier: MIT */
/* The scanner: see parser.h. */

#include "protocol/slicc/parser.h"

#include <string.h>

typedef struct word {
    const char *spelling;
    size_t length;
} word;

#define WORD(name, spelling) {spelling, sizeof(spelling) - 1},
static const word keywords[] = {SLICC_KEYWORDS(WORD)};
static const word punctuation[] = {SLICC_PUNCTUATION(WORD)};
#undef WORD

enum {
    KEYWORD_COUNT = sizeof keywords / sizeof *keywords,
    PUNCTUATION_COUNT = sizeof punctuation / sizeof *punctuation,
    MOST_SHOWN = 40
};

const char *slicc_token_spelling(slicc_token_kind kind) {
    if (kind >= SLICC_TOKEN_EQUAL)
        return punctuation[kind - SLICC_TOKEN_EQUAL].spelling;
    return kind >= SLICC_TOKEN_PROTOCOL ? keywords[kind - SLICC_TOKEN_PROTOCOL].spelling : "";
}

void slicc_scan_start(slicc_scanner *scanner, const char *text, size_t length, const char *file,
                      slicc_report *report) {
    *scanner = (slicc_scanner){.file = file,
                               .at = text,
                               .end = text + length,
                               .line_start = text,
                               .line = 1,
                               .report = report};
}

slicc_place slicc_scan_place(const slicc_scanner *scanner) {
    return (slicc_place){.file = scanner->file,
                         .line = scanner->line,
                         .column = (uint32_t)(scanner->at - scanner->line_start) + 1};
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* The character `ahead` of the scanner, NUL at the end. */
static char peek(const slicc_scanner *scanner, size_t ahead) {
    return (char)((size_t)(scanner->end - scanner->at) > ahead ? scanner->at[ahead] : '\0');
}

static void take_newline(slicc_scanner *scanner) {
    scanner->at++;
    scanner->line++;
    scanner->line_start = scanner->at;
}

static void skip_comment(slicc_scanner *scanner) {
    const slicc_place place = slicc_scan_place(scanner);
    scanner->at += 2;
    while (scanner->at < scanner->end) {
        if (peek(scanner, 0) == '*' && peek(scanner, 1) == '/') {
            scanner->at += 2;
            return;
        }
        if (*scanner->at == '\n')
            take_newline(scanner);
        else
            scanner->at++;
    }
    scanner->comment_open = true;
    slicc_complain(scanner->report, place, "this comment does not end: expected '*/'");
}

static void skip_blanks(slicc_scanner *scanner) {
    while (scanner->at < scanner->end) {
        const char c = *scanner->at;
        if (c == '\n')
            take_newline(scanner);
        else if (c == ' ' || c == '\t' || c == '\r')
            scanner->at++;
        else if (c == '/' && peek(scanner, 1) == '/')
            while (scanner->at < scanner->end && *scanner->at != '\n')
                scanner->at++;
        else if (c == '/' && peek(scanner, 1) == '*')
            skip_comment(scanner);
        else
            return;
    }
}

static void scan_name(slicc_scanner *scanner, slicc_token *token) {
    while (is_letter(peek(scanner, 0)) || is_digit(peek(scanner, 0)))
        scanner->at++;
    token->length = (size_t)(scanner->at - token->start);
    token->kind = SLICC_TOKEN_NAME;
    for (int i = 0; i < KEYWORD_COUNT; i++)
        if (token->length == keywords[i].length &&
            memcmp(token->start, keywords[i].spelling, token->length) == 0)
            token->kind = (slicc_token_kind)(SLICC_TOKEN_PROTOCOL + i);
}

static int shown(const slicc_token *token) {
    return token->length > MOST_SHOWN ? MOST_SHOWN : (int)token->length;
}

static void scan_number(slicc_scanner *scanner, slicc_token *token) {
    bool large = false, fraction = false;
    for (; is_digit(peek(scanner, 0)); scanner->at++) {
        const uint64_t digit = (uint64_t)(*scanner->at - '0');
        large |= token->number > (UINT64_MAX - digit) / 10;
        token->number = token->number * 10 + digit;
    }
    if (peek(scanner, 0) == '.' && is_digit(peek(scanner, 1)))
        for (scanner->at++; is_digit(peek(scanner, 0)); scanner->at++)
            fraction |= *scanner->at != '0'; /* one of zeros is none */
    const bool decimal = !is_letter(peek(scanner, 0));
    while (is_letter(peek(scanner, 0)) || is_digit(peek(scanner, 0)))
        scanner->at++;
    token->length = (size_t)(scanner->at - token->start);
    token->kind = decimal ? SLICC_TOKEN_NUMBER : SLICC_TOKEN_BROKEN;
    if (!decimal)
        slicc_complain(scanner->report, token->place, "'%.*s' is neither a name nor a number",
                       shown(token), token->start);
    else if (large)
        slicc_complain(scanner->report, token->place, "a number is at most %llu",
                       (unsigned long long)UINT64_MAX);
    else if (fraction)
        slicc_complain(scanner->report, token->place, "numbers are whole, '%.*s' is not",
                       shown(token), token->start);
}

static void scan_string(slicc_scanner *scanner, slicc_token *token) {
    const char quote = *scanner->at++;
    token->start = scanner->at;
    bool holds_nul = false;
    while (scanner->at < scanner->end && *scanner->at != quote && *scanner->at != '\n')
        holds_nul |= *scanner->at++ == '\0';
    token->length = (size_t)(scanner->at - token->start);
    token->kind = SLICC_TOKEN_STRING;
    const bool ended = scanner->at < scanner->end && *scanner->at == quote;
    if (ended)
        scanner->at++;
    if (ended && !holds_nul)
        return;
    token->kind = SLICC_TOKEN_BROKEN;
    if (ended)
        slicc_complain(scanner->report, token->place, "a string cannot hold a byte 0x00");
    else
        slicc_complain(scanner->report, token->place,
                       "this string does not end: expected %c before the end of the line", quote);
}

static bool scan_punctuation(slicc_scanner *scanner, slicc_token *token) {
    const size_t left = (size_t)(scanner->end - scanner->at);
    for (int i = 0; i < PUNCTUATION_COUNT; i++) {
        if (punctuation[i].length > left ||
            memcmp(scanner->at, punctuation[i].spelling, punctuation[i].length) != 0)
            continue;
        token->kind = (slicc_token_kind)(SLICC_TOKEN_EQUAL + i);
        token->length = punctuation[i].length;
        scanner->at += token->length;
        return true;
    }
    return false;
}

/* Neighbours that mean nothing either share one complaint. */
static void scan_rubbish(slicc_scanner *scanner, slicc_token *token) {
    const unsigned char first = (unsigned char)*scanner->at;
    slicc_token other = {0};
    do {
        scanner->at++;
        const char c = peek(scanner, 0);
        if (scanner->at == scanner->end || is_letter(c) || is_digit(c) || c == ' ' || c == '\t' ||
            c == '\r' || c == '\n' || c == '"' || c == '\'')
            break;
        const char *here = scanner->at;
        if (scan_punctuation(scanner, &other)) {
            scanner->at = here;
            break;
        }
    } while (true);
    token->kind = SLICC_TOKEN_BROKEN;
    token->length = (size_t)(scanner->at - token->start);
    if (first > ' ' && first < 0x7f)
        slicc_complain(scanner->report, token->place, "'%c' is not a character of SLICC", first);
    else
        slicc_complain(scanner->report, token->place, "the byte 0x%02x is not a character of SLICC",
                       first);
}

slicc_token slicc_scan_next(slicc_scanner *scanner) {
    skip_blanks(scanner);
    slicc_token token = {.place = slicc_scan_place(scanner), .start = scanner->at};
    if (scanner->at == scanner->end)
        return token;
    const char c = *scanner->at;
    if (is_letter(c))
        scan_name(scanner, &token);
    else if (is_digit(c))
        scan_number(scanner, &token);
    else if (c == '"' || c == '\'')
        scan_string(scanner, &token);
    else if (!scan_punctuation(scanner, &token))
        scan_rubbish(scanner, &token);
    return token;
}

/* One copy of every name of a tree. */

const char *slicc_intern(slicc_tree *tree, const char *text, size_t length) {
    uint32_t number;
    tree->names.arena = &tree->arena; /* wherever the tree is */
    if (base_names_add_part(&tree->names, text, length, &number, NULL, NULL) != COL_OK)
        return NULL;
    return tree->names.texts[number];
}
