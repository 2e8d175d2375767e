/* SPDX-License-Identifier: MIT */
/*
 * What a model says, as formulas over the sets and relations of a graph. Functions, variants, tags
 * and includes are gone: the same formula is there once, with a number, behind those it is made of.
 * What is known to be empty before any graph is, vanishes here.
 */
#pragma once

#include "base/hash.h"
#include "judge/cat/cat_builtins.h"
#include "judge/cat/cat_scanner.h"

/* A model of more formulas is refused: it is a mistake, or means harm. */
enum { CAT_MOST_FORMULAS = 5000 };

typedef enum cat_operator {
    /* Sets. */
    CAT_O_EMPTY_SET,
    CAT_O_ALL,
    CAT_O_SET,    /* first: cat_set */
    CAT_O_DOMAIN, /* of a relation */
    CAT_O_RANGE,
    /* Relations. */
    CAT_O_EMPTY,
    CAT_O_RELATION, /* first: cat_relation */
    CAT_O_CHOICE,   /* an order that the model chooses; first: its number */
    CAT_O_VARIABLE, /* of a fixed point: first its number, second its place in the definition */
    CAT_O_FIXED,    /* the same when the fixed point is reached */
    CAT_O_IDENTITY, /* on a set */
    CAT_O_PRODUCT,  /* of two sets */
    CAT_O_FROM,     /* [set]; relation */
    CAT_O_TO,       /* relation; [set] */
    CAT_O_SEQUENCE,
    CAT_O_CLOSURE,  /* r+ */
    CAT_O_OPTIONAL, /* r? */
    CAT_O_INVERSE,
    /* Either. */
    CAT_O_UNION,
    CAT_O_INTERSECTION,
    CAT_O_DIFFERENCE,
    CAT_O_COMPLEMENT
} cat_operator;

enum { CAT_NO_FIXED = UINT32_MAX };

typedef struct cat_formula {
    uint8_t kind; /* cat_operator */
    bool is_set;
    uint8_t level;      /* cat_level: what its value changes with */
    bool grows_with_co; /* more pairs in co never mean fewer in this */
    bool is_used;       /* by a test */
    uint32_t first, second;
    uint32_t inside;  /* the fixed point whose variables it has in it, or CAT_NO_FIXED */
    const char *name; /* that the model gives it first, or NULL */
    uint64_t digest;  /* of its meaning, whatever the numbers */
} cat_formula;

/* let rec a = ... and b = ... */
typedef struct cat_fixed_point {
    cat_place place;
    uint32_t count;
    uint32_t *values; /* formulas, over the variables */
} cat_fixed_point;

typedef struct cat_formulas {
    cat_formula *items;
    size_t count, capacity;
    base_index index;
    cat_fixed_point *fixed_points;
    size_t fixed_count, fixed_capacity;
    cat_place place;   /* where the model is being read */
    col_status status; /* the first problem stays */
    col_problem *problem;
} cat_formulas;

void cat_formulas_free(cat_formulas *formulas);

/* Each returns a formula's number. Operands must be of the right sort (set or relation), and of the
 * same sort where either is right. */
uint32_t cat_make_set(cat_formulas *f, cat_set set);
uint32_t cat_make_relation(cat_formulas *f, cat_relation relation);
uint32_t cat_make_choice(cat_formulas *f, uint32_t choice, const char *name);
uint32_t cat_make_empty(cat_formulas *f, bool is_set);
uint32_t cat_make_all(cat_formulas *f);
uint32_t cat_make_variable(cat_formulas *f, uint32_t fixed_point, uint32_t place);
uint32_t cat_make_one(cat_formulas *f, cat_operator kind, uint32_t operand);
uint32_t cat_make_two(cat_formulas *f, cat_operator kind, uint32_t first, uint32_t second);

/* A new fixed point of that many variables, whose values are not known yet. */
uint32_t cat_fixed_point_new(cat_formulas *f, uint32_t count, cat_place place);

/* The values are set: what the variable at this place comes to. */
uint32_t cat_make_fixed(cat_formulas *f, uint32_t fixed_point, uint32_t place);

/* How many formulas it is directly made of: 2 at most. */
uint32_t cat_operand_count(const cat_formula *formula);

static inline uint32_t cat_operand(const cat_formula *formula, uint32_t number) {
    return number == 0 ? formula->first : formula->second;
}

/* The same with the values of the fixed point that it is. Parts have lower numbers. */
uint32_t cat_part_count(const cat_formulas *f, const cat_formula *formula);
uint32_t cat_part(const cat_formulas *f, const cat_formula *formula, uint32_t number);

static inline bool cat_is_empty(const cat_formulas *f, uint32_t formula) {
    return f->items[formula].kind == CAT_O_EMPTY || f->items[formula].kind == CAT_O_EMPTY_SET;
}
