/* SPDX-License-Identifier: MIT */
/* The files of a model: where they are looked for, and what is in them. */
#pragma once

#include "base/text.h"
#include "collider/model.h"
#include "judge/cat/cat_formula.h"
#include "judge/cat/cat_syntax.h"

#include <limits.h>

enum { CAT_MOST_INCLUSION = 20, CAT_MOST_INCLUDED = 300, CAT_MOST_BYTES = 1 << 20 };

/* Where to look for files, besides the folder of the file that includes them. */
typedef struct cat_sources {
    const char
        *path; /* folders, between colons; may be NULL. Then come those of COLLIDER_CATPATH */
    const char *const *variants; /* that `if "name"` asks for; ended by NULL; may be NULL */
    bool is_whole; /* the text has all that it needs: no file is looked for but our own */
} cat_sources;

/* It must stay where it is. Close it also after an error. */
typedef struct cat_source {
    const char *bytes; /* NULL: there is no such file */
    size_t length;
    const char *path; /* what places say */
    base_text text;   /* of a file that was read: empty if it is one of our own */
    char found[PATH_MAX];
} cat_source;

/* The file of a model, by a path or a name. */
col_status cat_source_open(cat_source *source, const char *path, const cat_sources *sources,
                           col_problem *problem);

/* COL_OK, and no bytes, if there is none of this name. */
col_status cat_source_include(cat_source *source, const char *includer, const char *name,
                              const cat_sources *sources, col_problem *problem);
void cat_source_close(cat_source *source);

/* Does the name of an included file lead out of the folders that are searched? */
bool cat_leaves_folder(const char *name);

/* Is this herd7's library as it was up to 7.58? It does not speak of EX, the exclusives, and takes
 * for granted what our own file of this name defines. */
#define CAT_OLD_NAMES "herd758.cat"
bool cat_is_old_library(const cat_source *library);

/* Our own files: what the library carries, by name; NULL if there is none such. */
const char *cat_own_file(const char *name, size_t *length);

/*
 * A memory model as text, in the cat language of herd7 (docs/cat.md). Reading one does all that
 * does not need an execution: what is left are tests of formulas over sets and relations.
 */

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

/* Does what the model forbids depend on this CAT_O_SET or CAT_O_RELATION? */
bool cat_model_uses(const cat_model *model, cat_operator kind, uint32_t which);

/* Does the model forbid what one of the checkers' own models forbids, formula by formula? */
col_status cat_model_is_built_in(const cat_model *model, bool *is_built_in, col_model *which,
                                 col_problem *problem);

/* The text of a file with those that it includes in their places. Where that of a file is the
 * model's own, the text is the file. A comment, (*line 7*), says where lines come from. The model
 * must be one that can be read; it is refused if its text does not mean the same. */
col_status cat_whole(base_text *text, const char *path, const cat_sources *sources,
                     col_problem *problem);
