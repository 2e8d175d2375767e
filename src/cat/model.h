/* SPDX-License-Identifier: MIT */
/*
 * A memory model as text, in the cat language of herd7 (docs/cat.md). Reading one does all that
 * does not need an execution: what is left are tests of formulas over sets and relations.
 */
#ifndef CAT_MODEL_H
#define CAT_MODEL_H

#include "cat/formula.h"
#include "cat/source.h"
#include "cat/syntax.h"
#include "collider/model.h"

/* acyclic a as NAME, and so on. */
typedef struct cat_check {
    const char *name; /* behind `as`, or NULL */
    cat_place place;
    cat_test test;
    cat_purpose purpose;
    bool is_negated;
    uint32_t formula;
} cat_check;

/* with NAME from linearisations(SET, RELATION): all orders of the set that keep the relation. */
typedef struct cat_choice {
    const char *name;
    cat_place place;
    uint32_t set, relation; /* checks, of these formulas */
    bool by_location;       /* each location has an order of its own */
} cat_choice;

typedef struct cat_model {
    const char *path;        /* as it was given */
    const char *title;       /* the model's own name, or NULL */
    bool finds_dependencies; /* some of them, or all: from events of registers */
    cat_formulas formulas;
    cat_check *checks;
    size_t check_count, check_capacity;
    cat_choice choices[CAT_MOST_CHOICES];
    uint32_t choice_count;
    bool chooses_co; /* it says so: with co from ... */
    uint64_t digest; /* of what it forbids: equal for equal models, whatever their names */
    base_arena arena;
    base_names names;
} cat_model;

/* Initialise with {0}; it must stay where it is. On failure the model is left empty. A path that is
 * none of a file may name one of our own models: sc.cat, ..., power.cat. */
col_status cat_model_read_file(cat_model *model, const char *path, const cat_sources *sources,
                               col_problem *problem);

/* The same for a text; `path` says where included files may lie beside it, and what places say. */
col_status cat_model_read(cat_model *model, const char *text, size_t length, const char *path,
                          const cat_sources *sources, col_problem *problem);
void cat_model_free(cat_model *model);

/* Does what the model forbids depend on this? */
bool cat_model_uses_set(const cat_model *model, cat_set set);
bool cat_model_uses_relation(const cat_model *model, cat_relation relation);

/* Does the model forbid what one of the checkers' own models forbids, formula by formula? */
col_status cat_model_is_built_in(const cat_model *model, bool *is_built_in, col_model *which,
                                 col_problem *problem);

#endif
