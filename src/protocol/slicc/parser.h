/* SPDX-License-Identifier: MIT */
/*
 * From the text of a protocol to its tree. Both functions append to the tree, which starts from
 * {0}, and may be called several times on one. They return COL_OK also when the text is wrong: what
 * is wrong is in the report, and the tree holds what could be read.
 */
#pragma once

#include "protocol/slicc/slicc_report.h"

enum {
    SLICC_MOST_NESTING = 200,    /* levels of blocks, operators, calls and parentheses */
    SLICC_MOST_INCLUDES = 20,    /* files open at once */
    SLICC_MOST_BYTES = 64 << 20, /* of one file */
};

/* A .sm file or a .slicc list of files. COL_BAD_INPUT: it cannot be read. */
col_status slicc_parse_file(slicc_tree *tree, const char *path, slicc_report *report,
                            col_problem *problem);

/* `file` names the text in complaints; its folder is where included files are looked for. */
col_status slicc_parse_text(slicc_tree *tree, const char *text, size_t length, const char *file,
                            slicc_report *report, col_problem *problem);

/* The tree's one copy of a name, or NULL when out of memory. */
const char *slicc_intern(slicc_tree *tree, const char *text, size_t length);

void slicc_tree_free(slicc_tree *tree);

/*
 * The words of SLICC. Words that cannot be read are complained about here and handed on as
 * SLICC_TOKEN_BROKEN, so that the parser knows not to complain again. Strings have no escapes: a
 * backslash is a character like any other.
 */

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

/*
 * What the files of the parser share: recursive descent over one word of lookahead. A function that
 * meets a syntax error complains and returns false or NULL; the list of statements or declarations
 * around it skips to where it can go on. One word is complained about once.
 */

typedef struct slicc_parser {
    slicc_tree *tree;
    slicc_report *report;
    slicc_scanner scanner;
    slicc_token token;               /* the next word */
    slicc_place token_end, last_end; /* the places after it and after the word before it */
    const char *complained;          /* the word of the last complaint */
    uint32_t braces, parentheses;    /* open ones */
    uint32_t nesting;                /* of what is being read */
    uint32_t height;                 /* of the tree of the expression just read */
    bool out_of_memory;

    const slicc_declaration *machine; /* whose members are being read, or NULL */
    const char *main_file;            /* for the folder of included files */
    uint32_t include_depth;
} slicc_parser;

/* Where something begins, and where skipping it stops: see slicc_recover. */
typedef struct slicc_level {
    const char *start; /* its first word */
    uint32_t braces, parentheses;
} slicc_level;

/* ---- Words: parser.c. */

void slicc_advance(slicc_parser *parser);

static inline bool slicc_at(const slicc_parser *parser, slicc_token_kind kind) {
    return parser->token.kind == kind;
}

/* Is the next word this name? */
bool slicc_at_name(const slicc_parser *parser, const char *name);

/* At a name: is it a key, with a '=' behind it? At a ',': is a pair behind it, key="value" or a
 * string? */
bool slicc_at_key(const slicc_parser *parser);
bool slicc_before_pair(const slicc_parser *parser);

/* Takes the word if it is this one. */
bool slicc_take(slicc_parser *parser, slicc_token_kind kind);

/* "expected ';' after the assignment, found '}'"; `where` is "after the assignment". Goes on as if
 * it were there where that is likely to be right. */
bool slicc_expect(slicc_parser *parser, slicc_token_kind kind, const char *where);

/* Takes a keyword and the '(' behind it. */
bool slicc_expect_opened(slicc_parser *parser);

/* "expected a name, found '}'"; always false. */
bool slicc_unexpected(slicc_parser *parser, const char *expected);

/* A name, interned, or NULL; `what` is "the name of an action". */
const char *slicc_expect_name(slicc_parser *parser, const char *what);
const slicc_name *slicc_expect_place_name(slicc_parser *parser, const char *what);
const char *slicc_expect_string(slicc_parser *parser, const char *what);

/* A type's name, perhaps qualified. */
const char *slicc_expect_type(slicc_parser *parser);

/* The rest of a qualified name, as far as "::" goes, in one text. */
const char *slicc_qualify(slicc_parser *parser, const char *first);

/* The '}' of what was opened at `place`; closes it even if it is not there. */
bool slicc_expect_close(slicc_parser *parser, slicc_place place, slicc_level level,
                        const char *kind, const char *name);

/* Zeroed, or NULL and the end of parsing. */
void *slicc_make(slicc_parser *parser, size_t size);
const char *slicc_text_of(slicc_parser *parser, const slicc_token *token);

/* One level deeper, or a complaint. */
bool slicc_enter(slicc_parser *parser);
bool slicc_too_deep(slicc_parser *parser); /* the complaint; always false */

/* ---- Going on after an error: parser.c. */

slicc_level slicc_level_of(const slicc_parser *parser);
bool slicc_begins_declaration(slicc_token_kind kind);

/* Skips to the end of the wrong statement or declaration that began at `level`: past its ';' or
 * '{}', or up to the '}' around it or the next declaration; a word at least. */
void slicc_recover(slicc_parser *parser, slicc_level level, bool statement);

/* ---- The grammar. */

slicc_expression *slicc_parse_expression(slicc_parser *parser);

/* How tightly a binary operator binds; 0 if it is none. */
int slicc_binding(const char *operator);

/* A block; false if it has no '{'. */
bool slicc_parse_block(slicc_parser *parser, slicc_statement **body, const char *where);

/* Pairs behind a comma, if there are any. */
bool slicc_parse_pairs(slicc_parser *parser, const slicc_pair **pairs);
slicc_pair *slicc_parse_string_pair(slicc_parser *parser); /* one whose key is "short" */

/* Declarations until the '}' of a machine or the end of the text; returns the end of the list. */
slicc_declaration **slicc_parse_declarations(slicc_parser *parser, slicc_declaration **end);

/* Reads the file in the place of the include; returns the end of the list. */
slicc_declaration **slicc_include(slicc_parser *parser, slicc_declaration **end, const char *name,
                                  slicc_place place);

/* Adds to a machine what protocols of older releases leave unsaid (parse_older.c). */
bool slicc_parse_quoted(slicc_parser *parser, slicc_expression **value);
void slicc_add_unsaid(slicc_parser *parser, slicc_declaration *machine);
