/* SPDX-License-Identifier: MIT */
/* The tables of names: see cat_builtins.h. */
#include "judge/cat/cat_builtins.h"

#include "judge/cat/cat_value.h"

#include <stddef.h>

#define TEXT(name, word) [name] = (word),
const char *const cat_set_names[CAT_SET_COUNT] = {CAT_SETS(TEXT)};
#undef TEXT

#define TEXT(name, word, level) [name] = (word),
const char *const cat_relation_names[CAT_RELATION_COUNT] = {CAT_RELATIONS(TEXT)};
#undef TEXT

#define LEVEL(name, word, level) [name] = (level),
const uint8_t cat_relation_levels[CAT_RELATION_COUNT] = {CAT_RELATIONS(LEVEL)};
#undef LEVEL

/* Defined, but never filled in, because no graph of ours has such events: address translation,
 * instruction fetches, memory tags, exceptions. */
static const char *const empty_sets[] = {
    "NExp",       "SPEC",        "SPURIOUS",   "PRED",    "FAULT",
    "FAULT-RD",   "FAULT-WR",    "TagCheck",   "MMU",     "D-MMU",
    "EXC-ENTRY",  "EXC-RET",     "SVC",        "T",       "Instr",
    "PTE",        "PTEV",        "PTEINV",     "PTEAF0",  "PTEXS",
    "D-PTE",      "I-PTE",       "AF",         "DB",      "TLBI",
    "TLBIIS",     "TLBInXS",     "DC.CVAU",    "IC.IVAU", "IC.IALLU",
    "IC.IALLUIS", "Translation", "AccessFlag", "CutOff",  "Restricted-CMODX",
    NULL};

static const char *const empty_relations[] = {"inv-domain", "PTEtoPA", "same-low-order-bits", NULL};

/* What is defined before the first line of a model: the sets and relations of graphs, and functions
 * that cat itself cannot define. models/prelude.cat has the rest. */

/* Rows X(NAME, word). */
#define PRIMITIVES(X)                                                                              \
    X(DOMAIN, "domain")                                                                            \
    X(RANGE, "range")                                                                              \
    X(CLASSES, "classes-loc")                                                                      \
    X(LINEARISATIONS, "linearisations")                                                            \
    X(ORDERS, "generate_orders")                                                                   \
    X(COHERENCE_ORDERS, "generate_cos")                                                            \
    X(DIFFERENT_VALUES, "different-values")                                                        \
    X(SAME_OUTPUT_ADDRESS, "same-oa")                                                              \
    X(ONE_WRITABLE, "at-least-one-writable")                                                       \
    X(ADDRESS_CHANGES, "oa-changes")                                                               \
    X(TAG_EVENTS, "tag2events")

typedef enum primitive {
#define NAME(name, word) name,
    PRIMITIVES(NAME)
#undef NAME
        PRIMITIVE_COUNT
} primitive;

#define PRELUDE_TEXT(name, word) [name] = (word),
static const char *const primitive_names[PRIMITIVE_COUNT] = {PRIMITIVES(PRELUDE_TEXT)};
#undef PRELUDE_TEXT

/* ---- Names. */

static const char *intern(cat_reader *r, const char *text) {
    uint32_t number = 0;
    if (r->status == COL_OK)
        r->status = base_names_add(&r->model->names, text, &number, NULL, r->problem);
    return r->status == COL_OK ? r->model->names.texts[number] : text;
}

static const cat_environment *bind_formula(cat_reader *r, const cat_environment *environment,
                                           const char *name, uint32_t formula) {
    cat_refuse(r, r->model->formulas.status);
    return cat_bind(r, environment, intern(r, name), cat_formula_value(formula));
}

const cat_environment *cat_first_environment(cat_reader *r) {
    cat_formulas *f = &r->model->formulas;
    const cat_environment *e = NULL;
    for (cat_set s = 0; s < CAT_SET_COUNT; s++)
        e = bind_formula(r, e, cat_set_names[s], cat_make_set(f, s));
    for (cat_relation i = 0; i < CAT_RELATION_COUNT; i++)
        e = bind_formula(r, e, cat_relation_names[i], cat_make_relation(f, i));
    for (const char *const *name = empty_sets; *name != NULL; name++)
        e = bind_formula(r, e, *name, cat_make_empty(f, true));
    for (const char *const *name = empty_relations; *name != NULL; name++)
        e = bind_formula(r, e, *name, cat_make_empty(f, false));
    e = bind_formula(r, e, "id", cat_make_one(f, CAT_O_IDENTITY, cat_make_all(f)));
    for (uint32_t p = 0; p < PRIMITIVE_COUNT; p++)
        e = cat_bind(r, e, intern(r, primitive_names[p]),
                     (cat_value){.kind = CAT_V_PRIMITIVE, .primitive = p});
    return e;
}

/* ---- Functions. */

static cat_value apply_to_relation(cat_reader *r, primitive which, cat_value argument,
                                   cat_place place) {
    cat_formulas *f = &r->model->formulas;
    const bool is_pair = argument.kind == CAT_V_TUPLE && argument.count == 2;
    if (is_pair && (which == ONE_WRITABLE || which == ADDRESS_CHANGES)) /* (set, order) */
        argument = argument.items[0];
    const uint32_t relation = cat_as_formula(r, argument, false, place);
    if (r->status != COL_OK)
        return argument;
    f->place = place;
    uint32_t made = 0;
    if (which == DOMAIN)
        made = cat_make_one(f, CAT_O_DOMAIN, relation);
    else if (which == RANGE)
        made = cat_make_one(f, CAT_O_RANGE, relation);
    else if (which == DIFFERENT_VALUES)
        made = cat_make_two(f, CAT_O_DIFFERENCE, relation, cat_make_relation(f, CAT_SAME_VALUE));
    else if (cat_is_empty(f, relation))
        made = relation;
    else
        CAT_REFUSE(r, place, "'%s' is about address translation, which is not supported",
                   primitive_names[which]);
    cat_refuse(r, f->status);
    return cat_formula_value(made);
}

/* All orders of a set that keep a relation: (set, relation). */
static cat_value make_orders(cat_reader *r, primitive which, cat_value argument, cat_place place) {
    cat_value orders = {.kind = CAT_V_ORDERS, .by_location = which != LINEARISATIONS};
    if (which == COHERENCE_ORDERS) {
        orders.set = cat_make_set(&r->model->formulas, CAT_W);
        orders.formula = cat_as_formula(r, argument, false, place);
        return orders;
    }
    if (argument.kind != CAT_V_TUPLE || argument.count != 2) {
        CAT_REFUSE(r, place, "'%s' takes a set and a relation", primitive_names[which]);
        return argument;
    }
    orders.set = cat_as_formula(r, argument.items[0], true, place);
    orders.formula = cat_as_formula(r, argument.items[1], false, place);
    return orders;
}

cat_value cat_apply_primitive(cat_reader *r, uint32_t which, cat_value argument, cat_place place) {
    switch ((primitive)which) {
    case CLASSES:
        return (cat_value){.kind = CAT_V_CLASSES};
    case LINEARISATIONS:
    case ORDERS:
    case COHERENCE_ORDERS:
        return make_orders(r, (primitive)which, argument, place);
    case TAG_EVENTS:
        CAT_REFUSE(r, place, "'tag2events' is not supported");
        return argument;
    default:
        return apply_to_relation(r, (primitive)which, argument, place);
    }
}
