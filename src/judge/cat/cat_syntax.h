/* SPDX-License-Identifier: MIT */
/* A cat file as a tree, and its parser. Everything is in an arena. */
#pragma once

#include "judge/cat/cat_scanner.h"

/* Depth of expressions and nested blocks: what is deeper is refused, not recursed into. */
enum { CAT_MOST_DEPTH = 200 };

typedef enum cat_expression_kind {
    CAT_E_NAME,
    CAT_E_TAG,
    CAT_E_ZERO,     /* 0 */
    CAT_E_ALL,      /* _ */
    CAT_E_SET,      /* {a, b} */
    CAT_E_TUPLE,    /* (a, b) */
    CAT_E_IDENTITY, /* [a] */
    CAT_E_UNION,    /* a | b */
    CAT_E_ADD,      /* a ++ b */
    CAT_E_SEQUENCE, /* a ; b */
    CAT_E_DIFFERENCE,
    CAT_E_INTERSECTION,
    CAT_E_PRODUCT,    /* a * b */
    CAT_E_COMPLEMENT, /* ~a */
    CAT_E_STAR,
    CAT_E_PLUS,
    CAT_E_OPTIONAL,
    CAT_E_INVERSE,
    CAT_E_APPLY, /* f a */
    CAT_E_FUN,   /* fun x -> a */
    CAT_E_LET,   /* let ... in a */
    CAT_E_TRY,   /* try a with b */
    CAT_E_IF,    /* condition, a, b */
    CAT_E_MATCH_TAGS,
    CAT_E_MATCH_SET,
    CAT_E_EQUAL,   /* conditions: a = b */
    CAT_E_SUBSET,  /* a subset b */
    CAT_E_MEMBER,  /* a in b */
    CAT_E_VARIANT, /* "name" */
    CAT_E_NOT,
    CAT_E_BOTH,
    CAT_E_EITHER
} cat_expression_kind;

/* What arguments and values are bound to: one name, or a tuple of names. NULL stands for `_`. */
typedef struct cat_pattern {
    const char **names;
    uint32_t count;
    bool is_tuple;
} cat_pattern;

typedef struct cat_expression cat_expression;

typedef struct cat_binding {
    cat_place place;
    cat_pattern pattern;
    cat_expression *value;
    struct cat_binding *next;
} cat_binding;

/* Of a match: a tag, or NULL for all others. */
typedef struct cat_clause {
    const char *tag;
    cat_expression *value;
    struct cat_statement *statements; /* of a match among statements */
    struct cat_clause *next;
} cat_clause;

struct cat_expression {
    cat_expression_kind kind;
    cat_place place;
    const char *name; /* of a name, tag or variant */
    cat_expression *first, *second, *third;
    cat_expression *next;  /* in the list of a set or tuple, whose first is `first` */
    cat_pattern pattern;   /* of a fun; of a match on a set: element and rest */
    cat_binding *bindings; /* of a let */
    bool is_recursive;
    cat_clause *clauses;
};

typedef enum cat_statement_kind {
    CAT_S_LET,
    CAT_S_MATCH,
    CAT_S_TEST,
    CAT_S_SHOW, /* and unshow, debug: for drawings alone */
    CAT_S_INCLUDE,
    CAT_S_PROCEDURE,
    CAT_S_CALL,
    CAT_S_FORALL,
    CAT_S_WITH,
    CAT_S_IF,
    CAT_S_ENUM
} cat_statement_kind;

typedef enum cat_test { CAT_IS_ACYCLIC, CAT_IS_IRREFLEXIVE, CAT_IS_EMPTY } cat_test;

/* What it means that a test fails. */
typedef enum cat_purpose {
    CAT_CHECKS,   /* the model forbids the execution */
    CAT_FLAGS,    /* it does not fail but hold: worth a remark */
    CAT_REQUIRES, /* the program is outside of what the model speaks about */
    CAT_ASSERTS,  /* the model is wrong */
    CAT_CHOOSES   /* nothing: its formula says what the model chooses among */
} cat_purpose;

typedef struct cat_statement {
    cat_statement_kind kind;
    cat_place place;
    const char *name; /* that is defined, called, included; of a test: behind `as`, or NULL */
    cat_binding *bindings;
    bool is_recursive;
    cat_expression *value; /* tested, matched, chosen from; the condition of an if */
    cat_test test;
    cat_purpose purpose;
    bool is_negated;
    cat_pattern pattern;               /* of a procedure */
    struct cat_statement *body, *rest; /* of a block; of the else of an if */
    cat_clause *clauses;               /* of a match; of an enum: its tags */
    struct cat_statement *next;
} cat_statement;

typedef struct cat_file {
    const char *title;       /* or NULL */
    bool finds_dependencies; /* `catdep`: dependencies follow from events of registers */
    cat_statement *statements;
} cat_file;

/* `path` is what places say. It and the names must live as long as the tree. */
col_status cat_parse(cat_file *file, const char *text, size_t length, const char *path,
                     base_names *names, col_problem *problem);
