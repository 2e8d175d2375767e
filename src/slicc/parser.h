/* SPDX-License-Identifier: MIT */
/*
 * What the files of the parser share: recursive descent over one word of lookahead. A function that
 * meets a syntax error complains and returns false or NULL; the list of statements or declarations
 * around it skips to where it can go on. One word is complained about once.
 */
#ifndef SLICC_PARSER_H
#define SLICC_PARSER_H

#include "slicc/parse.h"
#include "slicc/scan.h"

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

/* Where skipping stops: see slicc_skip. */
typedef struct slicc_level {
    uint32_t braces, parentheses;
} slicc_level;

/* ---- Words: parser.c. */

void slicc_parser_start(slicc_parser *parser, const char *text, size_t length, const char *file);
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

/* Skips to the end of what began at `level`: past its ';' or '{}', or up to the '}' around it or
 * the next declaration. */
void slicc_skip_statement(slicc_parser *parser, slicc_level level);
void slicc_skip_declaration(slicc_parser *parser, slicc_level level);

/* ---- The grammar. */

slicc_expression *slicc_parse_expression(slicc_parser *parser);

/* One that may be the declaration of a local variable. */
slicc_expression *slicc_parse_first_expression(slicc_parser *parser);

/* A block; false if it has no '{'. */
bool slicc_parse_block(slicc_parser *parser, slicc_statement **body, const char *where);

/* Pairs behind a comma, if there are any. */
/* One name or a braced set of names. */
bool slicc_parse_set(slicc_parser *parser, const slicc_name **names, const char *what);
bool slicc_parse_pairs(slicc_parser *parser, const slicc_pair **pairs);
slicc_pair *slicc_parse_string_pair(slicc_parser *parser); /* one whose key is "short" */

/* Declarations until the '}' of a machine or the end of the text; returns the end of the list. */
slicc_declaration **slicc_parse_declarations(slicc_parser *parser, slicc_declaration **end);

/* The value of an enumeration, or a state with its permission. */
slicc_value *slicc_parse_value(slicc_parser *parser, bool state);

/* The parameters of a function, behind its '('. */
bool slicc_parse_parameters(slicc_parser *parser, slicc_parameter **end);

/* Behind the '('. */
bool slicc_parse_transition(slicc_parser *parser, slicc_declaration *transition);

/* Reads the file in the place of the include; returns the end of the list. */
slicc_declaration **slicc_include(slicc_parser *parser, slicc_declaration **end, const char *name,
                                  slicc_place place);

/* Adds to a machine what protocols of older releases leave unsaid (parse_older.c). */
bool slicc_parse_quoted(slicc_parser *parser, slicc_expression **value);
void slicc_add_unsaid(slicc_parser *parser, slicc_declaration *machine);

#endif
