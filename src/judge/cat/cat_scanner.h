/* SPDX-License-Identifier: MIT */
/* The tokens of a cat file. */
#pragma once

#include "base/names.h"

/* Keywords: rows X(NAME, word). */
#define CAT_KEYWORDS(X)                                                                            \
    X(CAT_LET, "let")                                                                              \
    X(CAT_REC, "rec")                                                                              \
    X(CAT_AND, "and")                                                                              \
    X(CAT_WHEN, "when")                                                                            \
    X(CAT_ACYCLIC, "acyclic")                                                                      \
    X(CAT_IRREFLEXIVE, "irreflexive")                                                              \
    X(CAT_EMPTY, "empty")                                                                          \
    X(CAT_SHOW, "show")                                                                            \
    X(CAT_UNSHOW, "unshow")                                                                        \
    X(CAT_SUBSET, "subset")                                                                        \
    X(CAT_AS, "as")                                                                                \
    X(CAT_FUN, "fun")                                                                              \
    X(CAT_IN, "in")                                                                                \
    X(CAT_UNDEFINED_UNLESS, "undefined_unless")                                                    \
    X(CAT_FLAG, "flag")                                                                            \
    X(CAT_ASSERT, "assert")                                                                        \
    X(CAT_INCLUDE, "include")                                                                      \
    X(CAT_VARIANT, "variant")                                                                      \
    X(CAT_BEGIN, "begin")                                                                          \
    X(CAT_END, "end")                                                                              \
    X(CAT_PROCEDURE, "procedure")                                                                  \
    X(CAT_CALL, "call")                                                                            \
    X(CAT_ENUM, "enum")                                                                            \
    X(CAT_DEBUG, "debug")                                                                          \
    X(CAT_MATCH, "match")                                                                          \
    X(CAT_WITH, "with")                                                                            \
    X(CAT_FORALL, "forall")                                                                        \
    X(CAT_FROM, "from")                                                                            \
    X(CAT_DO, "do")                                                                                \
    X(CAT_TRY, "try")                                                                              \
    X(CAT_IF, "if")                                                                                \
    X(CAT_THEN, "then")                                                                            \
    X(CAT_ELSE, "else")                                                                            \
    X(CAT_CATDEP, "catdep")                                                                        \
    X(CAT_INSTRUCTIONS, "instructions")                                                            \
    X(CAT_DEFAULT, "default")                                                                      \
    X(CAT_NOT, "not")

/* What is not a word. */
#define CAT_SYMBOLS(X)                                                                             \
    X(CAT_ALTERNATIVE, "||")                                                                       \
    X(CAT_BOTH, "&&")                                                                              \
    X(CAT_PLUS_PLUS, "++")                                                                         \
    X(CAT_ARROW, "->")                                                                             \
    X(CAT_MINUS_ONE, "-1")                                                                         \
    X(CAT_LEFT, "(")                                                                               \
    X(CAT_RIGHT, ")")                                                                              \
    X(CAT_LEFT_BRACE, "{")                                                                         \
    X(CAT_RIGHT_BRACE, "}")                                                                        \
    X(CAT_LEFT_BRACKET, "[")                                                                       \
    X(CAT_RIGHT_BRACKET, "]")                                                                      \
    X(CAT_ZERO, "0")                                                                               \
    X(CAT_BAR, "|")                                                                                \
    X(CAT_AMPERSAND, "&")                                                                          \
    X(CAT_STAR, "*")                                                                               \
    X(CAT_TILDE, "~")                                                                              \
    X(CAT_PLUS, "+")                                                                               \
    X(CAT_HAT, "^")                                                                                \
    X(CAT_BACKSLASH, "\\")                                                                         \
    X(CAT_QUESTION, "?")                                                                           \
    X(CAT_EQUAL, "=")                                                                              \
    X(CAT_SEMICOLON, ";")                                                                          \
    X(CAT_COMMA, ",")

typedef enum cat_token_kind {
#define CAT_TOKEN_NAME(name, word) name,
    CAT_KEYWORDS(CAT_TOKEN_NAME) CAT_SYMBOLS(CAT_TOKEN_NAME)
#undef CAT_TOKEN_NAME
        CAT_UNDERSCORE,
    CAT_WORD,   /* a name */
    CAT_TAG,    /* 'name */
    CAT_STRING, /* "..." */
    CAT_END_OF_FILE
} cat_token_kind;

typedef struct cat_place {
    const char *file;
    uint32_t line, column; /* from 1 */
} cat_place;

typedef struct cat_token {
    cat_token_kind kind;
    cat_place place;
    const char *text; /* of a word, tag or string: what it says, in names; else its symbol */
} cat_token;

typedef struct cat_scanner {
    const char *at, *end;
    cat_place place;
    base_names *names; /* where texts are kept: equal ones are one pointer */
    col_problem *problem;
} cat_scanner;

/* The next token; at the end CAT_END_OF_FILE, again and again. */
col_status cat_scan(cat_scanner *scanner, cat_token *token);
