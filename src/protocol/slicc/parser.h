/* SPDX-License-Identifier: MIT */
/*
 * The words of SLICC. Words that cannot be read are complained about here and handed on as
 * SLICC_TOKEN_BROKEN, so that the parser knows not to complain again. Strings have no escapes: a
 * backslash is a character like any other.
 */
#ifndef SLICC_SCAN_H
#define SLICC_SCAN_H

#include "slicc/report.h"

/* Reserved words; those up to VOID begin a declaration and stand nowhere else. */
#define SLICC_KEYWORDS(X)                                                                          \
    X(PROTOCOL, "protocol")                                                                        \
    X(INCLUDE, "include")                                                                          \
    X(GLOBAL, "global")                                                                            \
    X(MACHINE, "machine")                                                                          \
    X(IN_PORT, "in_port")                                                                          \
    X(OUT_PORT, "out_port")                                                                        \
    X(ACTION, "action")                                                                            \
    X(TRANSITION, "transition")                                                                    \
    X(STRUCTURE, "structure")                                                                      \
    X(EXTERNAL_TYPE, "external_type")                                                              \
    X(ENUMERATION, "enumeration")                                                                  \
    X(STATE_DECLARATION, "state_declaration")                                                      \
    X(VOID, "void")                                                                                \
    X(PEEK, "peek")                                                                                \
    X(STALL_AND_WAIT, "stall_and_wait")                                                            \
    X(WAKEUP_PORT, "wakeup_port")                                                                  \
    X(ENQUEUE, "enqueue")                                                                          \
    X(DEFER_ENQUEUEING, "defer_enqueueing")                                                        \
    X(CHECK_ALLOCATE, "check_allocate")                                                            \
    X(CHECK_NEXT_CYCLE, "check_next_cycle")                                                        \
    X(CHECK_STOP_SLOTS, "check_stop_slots")                                                        \
    X(CHECK_ON_CACHE_PROBE, "check_on_cache_probe")                                                \
    X(IF, "if")                                                                                    \
    X(ELSE, "else")                                                                                \
    X(RETURN, "return")                                                                            \
    X(STATIC_CAST, "static_cast")                                                                  \
    X(IS_VALID, "is_valid")                                                                        \
    X(IS_INVALID, "is_invalid")                                                                    \
    X(NEW, "new")                                                                                  \
    X(OOD, "OOD")                                                                                  \
    X(CONST, "const")                                                                              \
    X(TRUE, "true")                                                                                \
    X(FALSE, "false")

/* Longer ones before those that they begin with. */
#define SLICC_PUNCTUATION(X)                                                                       \
    X(EQUAL, "==")                                                                                 \
    X(NOT_EQUAL, "!=")                                                                             \
    X(LESS_EQUAL, "<=")                                                                            \
    X(GREATER_EQUAL, ">=")                                                                         \
    X(SHIFT_LEFT, "<<")                                                                            \
    X(SHIFT_RIGHT, ">>")                                                                           \
    X(AND, "&&")                                                                                   \
    X(OR, "||")                                                                                    \
    X(ASSIGN, ":=")                                                                                \
    X(DOUBLE_COLON, "::")                                                                          \
    X(INCREMENT, "++")                                                                             \
    X(DECREMENT, "--")                                                                             \
    X(NOT, "!")                                                                                    \
    X(PLUS, "+")                                                                                   \
    X(MINUS, "-")                                                                                  \
    X(STAR, "*")                                                                                   \
    X(SLASH, "/")                                                                                  \
    X(PERCENT, "%")                                                                                \
    X(AMPERSAND, "&")                                                                              \
    X(LESS, "<")                                                                                   \
    X(GREATER, ">")                                                                                \
    X(DOT, ".")                                                                                    \
    X(COMMA, ",")                                                                                  \
    X(SEMICOLON, ";")                                                                              \
    X(COLON, ":")                                                                                  \
    X(IS, "=")                                                                                     \
    X(OPEN_BRACKET, "[")                                                                           \
    X(CLOSE_BRACKET, "]")                                                                          \
    X(OPEN_BRACE, "{")                                                                             \
    X(CLOSE_BRACE, "}")                                                                            \
    X(OPEN_PARENTHESIS, "(")                                                                       \
    X(CLOSE_PARENTHESIS, ")")

typedef enum slicc_token_kind {
    SLICC_TOKEN_END,
    SLICC_TOKEN_BROKEN,
    SLICC_TOKEN_NAME,
    SLICC_TOKEN_NUMBER,
    SLICC_TOKEN_STRING,
#define SLICC_TOKEN(name, spelling) SLICC_TOKEN_##name,
    SLICC_KEYWORDS(SLICC_TOKEN) SLICC_PUNCTUATION(SLICC_TOKEN)
#undef SLICC_TOKEN
} slicc_token_kind;

typedef struct slicc_token {
    slicc_token_kind kind;
    slicc_place place;
    const char *start; /* of a string: after the quote */
    size_t length;
    uint64_t number;
} slicc_token;

typedef struct slicc_scanner {
    const char *file, *at, *end;
    const char *line_start;
    uint32_t line;
    bool comment_open; /* the text ended inside a comment */
    slicc_report *report;
} slicc_scanner;

void slicc_scan_start(slicc_scanner *scanner, const char *text, size_t length, const char *file,
                      slicc_report *report);
slicc_token slicc_scan_next(slicc_scanner *scanner);

/* The place that the scanner has come to: just after the last word. */
slicc_place slicc_scan_place(const slicc_scanner *scanner);

/* How a keyword or an operator is spelled. */
const char *slicc_token_spelling(slicc_token_kind kind);

#endif
