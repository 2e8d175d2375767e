/* SPDX-License-Identifier: MIT */
/*
 * Evaluating a cat file before there is an execution. Sets and relations of events are formulas
 * then; everything else (functions, tuples, tags, sets of these) is known and vanishes.
 */
#pragma once

#include "judge/cat/cat_model.h"

typedef enum cat_value_kind {
    CAT_V_FORMULA,
    CAT_V_LIST, /* {a, b}: a set of values; {} is also the empty set of events, and relation */
    CAT_V_TUPLE,
    CAT_V_FUNCTION,
    CAT_V_PRIMITIVE,
    CAT_V_PROCEDURE,
    CAT_V_TAG,
    CAT_V_CLASSES, /* the events of a set by location */
    CAT_V_ORDERS   /* all orders of writes, or the like, that keep a relation */
} cat_value_kind;

typedef struct cat_environment cat_environment;

typedef struct cat_function {
    cat_pattern pattern;
    const cat_expression *body;
    const cat_statement *statements; /* of a procedure */
    const cat_environment *environment;
} cat_function;

typedef struct cat_value {
    cat_value_kind kind;
    uint32_t formula;              /* of orders: what they keep */
    uint32_t set;                  /* of orders: of what they are */
    bool by_location;              /* of orders */
    uint32_t count;                /* of a list or tuple */
    const struct cat_value *items; /* the same */
    cat_function *function;        /* of functions and procedures */
    uint32_t primitive;
    const char *tag;
} cat_value;

/* Names, the last defined first. */
struct cat_environment {
    const char *name; /* in the model's names */
    cat_value value;
    const cat_environment *next;
};

/* Limits of what reading a model may take. */
enum { CAT_MOST_NESTED = 1000, CAT_MOST_WORK = 10000000, CAT_MOST_ITEMS = 10000 };

typedef struct cat_reader {
    cat_model *model;
    const cat_environment *environment; /* where the reader is */
    const cat_sources *sources;
    col_problem *problem;
    col_status status;  /* the first problem stays, but for names that `try` asks for */
    bool is_unbound;    /* that problem is a name that is not defined */
    uint32_t depth;     /* of calls */
    uint32_t inclusion; /* of files */
    uint32_t included;  /* files in all */
    uint64_t work;
} cat_reader;

/* Refuses, with a place. */
#define CAT_REFUSE(reader, where, ...)                                                             \
    cat_refuse((reader), base_refuse_at((reader)->problem, (where).file, (where).line,             \
                                        (where).column, __VA_ARGS__))
void cat_refuse(cat_reader *r, col_status status);

/* Zeroed; NULL once the status is not COL_OK. */
void *cat_take_memory(cat_reader *r, size_t size);

/* One name more. */
void cat_bind(cat_reader *r, const char *name, cat_value value);
void cat_bind_all(cat_reader *r, const cat_binding *bindings, bool is_recursive);

/* NULL if it is not defined. */
const cat_value *cat_find(cat_reader *r, const char *name);

/* NULL once the status is not COL_OK. */
cat_function *cat_new_function(cat_reader *r, const cat_pattern *pattern,
                               const cat_expression *body, const cat_statement *statements);
/* Goes to where the function's names are, with its arguments. Returns the environment to go back
 * to. */
const cat_environment *cat_enter_function(cat_reader *r, const cat_function *function,
                                          cat_value argument, cat_place place);

/* Nonsense once the status is not COL_OK. */
cat_value cat_evaluate(cat_reader *r, const cat_expression *e);
bool cat_evaluate_condition(cat_reader *r, const cat_expression *e);

/* As a formula of the wanted sort. {} is empty of whichever; the empty relation is taken for the
 * empty set. */
uint32_t cat_as_formula(cat_reader *r, cat_value value, bool is_set, cat_place place);

/* The names that are there before the first line of a model. */
void cat_begin_environment(cat_reader *r);

static inline cat_value cat_formula_value(uint32_t formula) {
    return (cat_value){.kind = CAT_V_FORMULA, .formula = formula};
}
