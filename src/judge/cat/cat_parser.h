/* SPDX-License-Identifier: MIT */
/* What the two halves of the parser share: statements (cat_parser.c) and expressions
 * (cat_expression.c). The first problem is kept and ends everything. */
#ifndef JUDGE_CAT_CAT_PARSER_H
#define JUDGE_CAT_CAT_PARSER_H

#include "judge/cat/cat_syntax.h"

typedef struct cat_parser {
    cat_scanner scanner;
    cat_token token; /* the next one */
    col_status status;
    uint32_t depth;
    cat_expression nothing; /* what is made after a problem */
} cat_parser;

/* Zeroed; NULL when something went wrong. */
void *cat_take(cat_parser *p, size_t size);

void cat_next(cat_parser *p);
bool cat_is(const cat_parser *p, cat_token_kind kind);
bool cat_accept(cat_parser *p, cat_token_kind kind);
void cat_expect(cat_parser *p, cat_token_kind kind, const char *wanted);
void cat_unexpected(cat_parser *p, const char *wanted);

/* One level deeper; false if that is too deep. Leave by depth--. */
bool cat_enter(cat_parser *p);

/* All return NULL or nonsense once something went wrong. */
cat_pattern cat_parse_formals(cat_parser *p);
cat_binding *cat_parse_bindings(cat_parser *p);
cat_expression *cat_parse_expression(cat_parser *p);
cat_expression *cat_parse_simple(cat_parser *p); /* NULL too if none begins here */
cat_expression *cat_parse_variant(cat_parser *p);

#endif
