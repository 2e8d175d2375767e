/* SPDX-License-Identifier: MIT */
/* Expressions, evaluated before there is an execution: see cat_value.h. */
#include "judge/cat/cat_value.h"

#include <string.h>

static const char *const sort_names[] = {"a set or relation of events",
                                         "a set",
                                         "a tuple",
                                         "a function",
                                         "a function",
                                         "a procedure",
                                         "a tag",
                                         "a set of sets",
                                         "a set of orders"};

void cat_refuse(cat_reader *r, col_status status) {
    if (r->status == COL_OK)
        r->status = status;
}

void *cat_take_memory(cat_reader *r, size_t size) {
    void *taken = r->status == COL_OK ? base_arena_take(&r->model->arena, size) : NULL;
    if (taken == NULL && r->status == COL_OK)
        r->status = base_out_of_memory(r->problem);
    return taken;
}

/* ---- Names. */

void cat_bind(cat_reader *r, const char *name, cat_value value) {
    cat_environment *bound = cat_take_memory(r, sizeof *bound);
    if (bound == NULL)
        return;
    *bound = (cat_environment){name, value, r->environment};
    r->environment = bound;
    r->work += 10;
}

static void bind_pattern(cat_reader *r, const cat_pattern *pattern, cat_value value,
                         cat_place place) {
    if (r->status != COL_OK)
        return;
    if (pattern->is_tuple && (value.kind != CAT_V_TUPLE || value.count != pattern->count)) {
        CAT_REFUSE(r, place, "expected %u values, not %s", pattern->count, sort_names[value.kind]);
        return;
    }
    for (uint32_t i = 0; i < pattern->count; i++)
        if (pattern->names[i] != NULL)
            cat_bind(r, pattern->names[i], pattern->is_tuple ? value.items[i] : value);
}

const cat_value *cat_find(cat_reader *r, const char *name) {
    for (const cat_environment *e = r->environment; e != NULL; e = e->next) {
        r->work++;
        if (e->name == name)
            return &e->value;
    }
    return NULL;
}

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

static const char *intern(cat_reader *r, const char *text) {
    uint32_t number = 0;
    if (r->status == COL_OK)
        r->status = base_names_add(&r->model->names, text, &number, NULL, r->problem);
    return r->status == COL_OK ? r->model->names.texts[number] : text;
}

static void bind_formula(cat_reader *r, const char *name, uint32_t formula) {
    cat_refuse(r, r->model->formulas.status);
    cat_bind(r, intern(r, name), cat_formula_value(formula));
}

void cat_begin_environment(cat_reader *r) {
    cat_formulas *f = &r->model->formulas;
    for (cat_set s = 0; s < CAT_SET_COUNT; s++)
        bind_formula(r, cat_set_names[s], cat_make_set(f, s));
    for (cat_relation i = 0; i < CAT_RELATION_COUNT; i++)
        bind_formula(r, cat_relation_names[i], cat_make_relation(f, i));
    for (const char *const *name = empty_sets; *name != NULL; name++)
        bind_formula(r, *name, cat_make_empty(f, true));
    for (const char *const *name = empty_relations; *name != NULL; name++)
        bind_formula(r, *name, cat_make_empty(f, false));
    bind_formula(r, "id", cat_make_one(f, CAT_O_IDENTITY, cat_make_all(f)));
    for (uint32_t p = 0; p < PRIMITIVE_COUNT; p++)
        cat_bind(r, intern(r, primitive_names[p]),
                 (cat_value){.kind = CAT_V_PRIMITIVE, .primitive = p});
}

/* ---- Sorts. */

static bool is_nothing(cat_value value) {
    return value.kind == CAT_V_LIST && value.count == 0;
}

uint32_t cat_as_formula(cat_reader *r, cat_value value, bool is_set, cat_place place) {
    cat_formulas *f = &r->model->formulas;
    if (r->status != COL_OK)
        return 0;
    if (is_nothing(value))
        return cat_make_empty(f, is_set);
    if (value.kind != CAT_V_FORMULA) {
        CAT_REFUSE(r, place, "expected a %s, not %s", is_set ? "set of events" : "relation",
                   sort_names[value.kind]);
        return 0;
    }
    if (f->items[value.formula].is_set == is_set)
        return value.formula;
    if (cat_is_empty(f, value.formula))
        return cat_make_empty(f, is_set);
    CAT_REFUSE(r, place,
               is_set ? "expected a set of events, not a relation"
                      : "expected a relation, not a set of events");
    return 0;
}

static bool is_set_formula(const cat_reader *r, cat_value value) {
    return value.kind == CAT_V_FORMULA && r->model->formulas.items[value.formula].is_set;
}

/* Whatever the formulas met is the reader's problem. */
static cat_value made(cat_reader *r, uint32_t formula) {
    if (r->status == COL_OK)
        r->status = r->model->formulas.status;
    return cat_formula_value(formula);
}

/* ---- Lists. */

static bool is_same(cat_value a, cat_value b) {
    if (a.kind != b.kind || a.count != b.count)
        return false;
    if (a.kind == CAT_V_FORMULA)
        return a.formula == b.formula;
    if (a.kind == CAT_V_TAG)
        return a.tag == b.tag;
    return a.count == 0 && a.kind == CAT_V_LIST;
}

static bool has_item(cat_value list, cat_value item) {
    for (uint32_t i = 0; i < list.count; i++)
        if (is_same(list.items[i], item))
            return true;
    return false;
}

static cat_value list_with(cat_reader *r, cat_value list, cat_value item, cat_place place) {
    if (has_item(list, item))
        return list;
    r->work += 10 + 8 * (uint64_t)list.count;
    if (list.count >= CAT_MOST_ITEMS)
        CAT_REFUSE(r, place, "a set of more than %d values", CAT_MOST_ITEMS);
    cat_value *items = cat_take_memory(r, (list.count + 1) * sizeof *items);
    if (items == NULL)
        return list;
    if (list.count > 0)
        memcpy(items, list.items, list.count * sizeof *items);
    items[list.count] = item;
    return (cat_value){.kind = CAT_V_LIST, .items = items, .count = list.count + 1};
}

static cat_value evaluate_items(cat_reader *r, const cat_expression *e) {
    cat_value list = {.kind = e->kind == CAT_E_SET ? CAT_V_LIST : CAT_V_TUPLE};
    for (const cat_expression *item = e->first; item != NULL; item = item->next)
        list.count++;
    cat_value *items = list.count > 0 ? cat_take_memory(r, list.count * sizeof *items) : NULL;
    if (list.count > 0 && items == NULL)
        return (cat_value){.kind = CAT_V_LIST};
    uint32_t i = 0;
    for (const cat_expression *item = e->first; item != NULL; item = item->next)
        items[i++] = cat_evaluate(r, item);
    list.items = items;
    return list;
}

/* ---- Operators. */

static cat_value evaluate_two(cat_reader *r, const cat_expression *e) {
    static const uint8_t operators[] = {[CAT_E_UNION] = CAT_O_UNION,
                                        [CAT_E_SEQUENCE] = CAT_O_SEQUENCE,
                                        [CAT_E_DIFFERENCE] = CAT_O_DIFFERENCE,
                                        [CAT_E_INTERSECTION] = CAT_O_INTERSECTION,
                                        [CAT_E_PRODUCT] = CAT_O_PRODUCT};
    cat_formulas *f = &r->model->formulas;
    cat_value a = cat_evaluate(r, e->first);
    const cat_value b = cat_evaluate(r, e->second);
    if (r->status != COL_OK)
        return a;
    f->place = e->place;
    if (e->kind == CAT_E_ADD && b.kind == CAT_V_LIST)
        return list_with(r, b, a, e->place);
    if (e->kind == CAT_E_ADD) {
        CAT_REFUSE(r, e->place, "adding to a set of events with ++ is not supported");
        return b;
    }
    if (e->kind == CAT_E_UNION && a.kind == CAT_V_LIST && b.kind == CAT_V_LIST) {
        for (uint32_t i = 0; i < b.count && r->status == COL_OK; i++)
            a = list_with(r, a, b.items[i], e->place);
        return a;
    }
    const bool has_own_places = e->kind == CAT_E_SEQUENCE || e->kind == CAT_E_PRODUCT;
    const bool of_sets =
        has_own_places ? e->kind == CAT_E_PRODUCT : is_set_formula(r, a) || is_set_formula(r, b);
    const uint32_t first =
        cat_as_formula(r, a, of_sets, has_own_places ? e->first->place : e->place);
    const uint32_t second =
        cat_as_formula(r, b, of_sets, has_own_places ? e->second->place : e->place);
    if (r->status != COL_OK)
        return a;
    return made(r, cat_make_two(f, (cat_operator)operators[e->kind], first, second));
}

static cat_value evaluate_one(cat_reader *r, const cat_expression *e) {
    static const uint8_t operators[] = {[CAT_E_IDENTITY] = CAT_O_IDENTITY,
                                        [CAT_E_COMPLEMENT] = CAT_O_COMPLEMENT,
                                        [CAT_E_PLUS] = CAT_O_CLOSURE,
                                        [CAT_E_OPTIONAL] = CAT_O_OPTIONAL,
                                        [CAT_E_INVERSE] = CAT_O_INVERSE};
    cat_formulas *f = &r->model->formulas;
    const cat_value value = cat_evaluate(r, e->first);
    const bool of_set =
        e->kind == CAT_E_IDENTITY || (e->kind == CAT_E_COMPLEMENT && is_set_formula(r, value));
    const uint32_t operand = cat_as_formula(r, value, of_set, e->first->place);
    if (r->status != COL_OK)
        return value;
    f->place = e->place;
    if (e->kind == CAT_E_STAR)
        return made(r, cat_make_one(f, CAT_O_OPTIONAL, cat_make_one(f, CAT_O_CLOSURE, operand)));
    return made(r, cat_make_one(f, (cat_operator)operators[e->kind], operand));
}

/* ---- Primitives. */

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

static cat_value apply_primitive(cat_reader *r, uint32_t which, cat_value argument,
                                 cat_place place) {
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

/* ---- Functions. */

cat_function *cat_new_function(cat_reader *r, const cat_pattern *pattern,
                               const cat_expression *body, const cat_statement *statements) {
    cat_function *function = cat_take_memory(r, sizeof *function);
    if (function != NULL)
        *function = (cat_function){*pattern, body, statements, r->environment};
    return function;
}

const cat_environment *cat_enter_function(cat_reader *r, const cat_function *function,
                                          cat_value argument, cat_place place) {
    const cat_environment *outer = r->environment;
    r->environment = function->environment;
    bind_pattern(r, &function->pattern, argument, place);
    return outer;
}

static cat_value evaluate_apply(cat_reader *r, const cat_expression *e) {
    const cat_value function = cat_evaluate(r, e->first);
    const cat_value argument = cat_evaluate(r, e->second);
    if (r->status != COL_OK)
        return argument;
    if (function.kind == CAT_V_PRIMITIVE)
        return apply_primitive(r, function.primitive, argument, e->place);
    if (function.kind != CAT_V_FUNCTION) {
        CAT_REFUSE(r, e->first->place, "this is not a function, but %s", sort_names[function.kind]);
        return argument;
    }
    const cat_environment *outer = cat_enter_function(r, function.function, argument, e->place);
    const cat_value value = cat_evaluate(r, function.function->body);
    r->environment = outer;
    return value;
}

static cat_value make_function(cat_reader *r, const cat_expression *e) {
    return (cat_value){.kind = CAT_V_FUNCTION,
                       .function = cat_new_function(r, &e->pattern, e->first, NULL)};
}

/* ---- Definitions. */

/* For explanations: the first name that a formula gets. */
static void give_name(cat_reader *r, const cat_pattern *pattern, cat_value value) {
    if (r->status == COL_OK && !pattern->is_tuple && value.kind == CAT_V_FORMULA &&
        r->model->formulas.items[value.formula].name == NULL)
        r->model->formulas.items[value.formula].name = pattern->names[0];
}

static void bind_functions(cat_reader *r, const cat_binding *bindings) {
    const cat_environment *outer = r->environment;
    for (const cat_binding *b = bindings; b != NULL && r->status == COL_OK; b = b->next)
        bind_pattern(r, &b->pattern, make_function(r, b->value), b->place);
    for (const cat_environment *e = r->environment; e != outer && r->status == COL_OK; e = e->next)
        if (e->value.function != NULL)
            e->value.function->environment = r->environment;
}

/* let rec r = ...: the least relations that are equal to what defines them. */
static void bind_fixed_point(cat_reader *r, const cat_binding *bindings, uint32_t count) {
    cat_formulas *f = &r->model->formulas;
    const uint32_t fixed = cat_fixed_point_new(f, count, bindings->place);
    const cat_environment *outer = r->environment;
    uint32_t place = 0;
    for (const cat_binding *b = bindings; b != NULL && f->status == COL_OK; b = b->next, place++)
        bind_pattern(r, &b->pattern, cat_formula_value(cat_make_variable(f, fixed, place)),
                     b->place);
    place = 0;
    cat_refuse(r, f->status);
    for (const cat_binding *b = bindings; b != NULL && r->status == COL_OK; b = b->next, place++) {
        const uint32_t value = cat_as_formula(r, cat_evaluate(r, b->value), false, b->value->place);
        if (r->status == COL_OK && f->items[value].inside != CAT_NO_FIXED &&
            f->items[value].inside != fixed)
            CAT_REFUSE(r, b->place,
                       "a 'let rec' inside another one uses its names: this is not supported");
        f->fixed_points[fixed].values[place] = value;
    }
    place = 0;
    r->environment = outer;
    for (const cat_binding *b = bindings; b != NULL && r->status == COL_OK; b = b->next, place++) {
        const cat_value value = made(r, cat_make_fixed(f, fixed, place));
        give_name(r, &b->pattern, value);
        bind_pattern(r, &b->pattern, value, b->place);
    }
}

static void bind_recursively(cat_reader *r, const cat_binding *bindings) {
    uint32_t functions = 0, count = 0;
    for (const cat_binding *b = bindings; b != NULL; b = b->next, count++) {
        functions += b->value->kind == CAT_E_FUN;
        if (b->pattern.is_tuple || b->pattern.names[0] == NULL)
            CAT_REFUSE(r, b->place, "'let rec' defines names, not tuples");
    }
    if (r->status != COL_OK)
        return;
    if (functions == count)
        bind_functions(r, bindings);
    else if (functions > 0)
        CAT_REFUSE(r, bindings->place, "a 'let rec' of functions and relations is not supported");
    else
        bind_fixed_point(r, bindings, count);
}

void cat_bind_all(cat_reader *r, const cat_binding *bindings, bool is_recursive) {
    const cat_environment *outer = r->environment, *inner = outer;
    if (is_recursive) {
        bind_recursively(r, bindings);
        return;
    }
    for (const cat_binding *b = bindings; b != NULL && r->status == COL_OK; b = b->next) {
        r->environment = outer;
        const cat_value value = cat_evaluate(r, b->value);
        give_name(r, &b->pattern, value);
        r->environment = inner;
        bind_pattern(r, &b->pattern, value, b->place);
        inner = r->environment;
    }
}

/* ---- Choices. */

static bool has_variant(const cat_reader *r, const char *name) {
    const char *const *variants = r->sources->variants;
    for (; variants != NULL && *variants != NULL; variants++)
        if (strcmp(*variants, name) == 0)
            return true;
    return false;
}

static bool compare(cat_reader *r, const cat_expression *e) {
    const cat_value a = cat_evaluate(r, e->first);
    const cat_value b = cat_evaluate(r, e->second);
    if (r->status != COL_OK)
        return false;
    if (e->kind == CAT_E_MEMBER && b.kind == CAT_V_LIST && a.kind == CAT_V_TAG)
        return has_item(b, a);
    if (e->kind == CAT_E_EQUAL && a.kind == CAT_V_TAG && b.kind == CAT_V_TAG)
        return a.tag == b.tag;
    if (is_same(a, b) && e->kind != CAT_E_MEMBER)
        return true;
    CAT_REFUSE(r, e->place, "a condition that depends on the execution is not supported");
    return false;
}

bool cat_evaluate_condition(cat_reader *r, const cat_expression *e) {
    switch (e->kind) {
    case CAT_E_VARIANT:
        return has_variant(r, e->name);
    case CAT_E_NOT:
        return !cat_evaluate_condition(r, e->first);
    case CAT_E_BOTH:
        return cat_evaluate_condition(r, e->first) && cat_evaluate_condition(r, e->second);
    case CAT_E_EITHER:
        return cat_evaluate_condition(r, e->first) || cat_evaluate_condition(r, e->second);
    default:
        return compare(r, e);
    }
}

static cat_value evaluate_let(cat_reader *r, const cat_expression *e) {
    const cat_environment *outer = r->environment;
    cat_bind_all(r, e->bindings, e->is_recursive);
    const cat_value value = cat_evaluate(r, e->first);
    r->environment = outer;
    return value;
}

static cat_value evaluate_try(cat_reader *r, const cat_expression *e) {
    const cat_value value = cat_evaluate(r, e->first);
    if (r->status == COL_OK || !r->is_unbound)
        return value;
    r->status = COL_OK;
    r->is_unbound = false;
    return cat_evaluate(r, e->second);
}

static cat_value match_tags(cat_reader *r, const cat_expression *e) {
    const cat_value value = cat_evaluate(r, e->first);
    if (r->status == COL_OK && value.kind != CAT_V_TAG)
        CAT_REFUSE(r, e->first->place, "expected a tag, not %s", sort_names[value.kind]);
    for (const cat_clause *c = e->clauses; c != NULL && r->status == COL_OK; c = c->next)
        if (c->tag == NULL || c->tag == value.tag)
            return cat_evaluate(r, c->value);
    if (r->status == COL_OK)
        CAT_REFUSE(r, e->place, "no clause for '%.60s", value.tag);
    return value;
}

static cat_value match_set(cat_reader *r, const cat_expression *e) {
    const cat_value value = cat_evaluate(r, e->first);
    if (r->status != COL_OK)
        return value;
    if (is_nothing(value) ||
        (value.kind == CAT_V_FORMULA && cat_is_empty(&r->model->formulas, value.formula)))
        return cat_evaluate(r, e->second);
    if (value.kind != CAT_V_LIST) {
        CAT_REFUSE(r, e->place, "going through the events of a set by 'match' is not supported");
        return value;
    }
    const cat_value parts[2] = {
        value.items[0], {.kind = CAT_V_LIST, .items = value.items + 1, .count = value.count - 1}};
    const cat_environment *outer = r->environment;
    bind_pattern(r, &e->pattern, (cat_value){.kind = CAT_V_TUPLE, .items = parts, .count = 2},
                 e->place);
    const cat_value matched = cat_evaluate(r, e->third);
    r->environment = outer;
    return matched;
}

/* ---- The whole. */

static cat_value evaluate_name(cat_reader *r, const cat_expression *e) {
    const cat_value *value = cat_find(r, e->name);
    if (value != NULL)
        return *value;
    CAT_REFUSE(r, e->place, "'%.60s' is not defined", e->name);
    r->is_unbound = true;
    return (cat_value){.kind = CAT_V_LIST};
}

static cat_value evaluate_inside(cat_reader *r, const cat_expression *e) {
    switch (e->kind) {
    case CAT_E_NAME:
        return evaluate_name(r, e);
    case CAT_E_TAG:
        return (cat_value){.kind = CAT_V_TAG, .tag = e->name};
    case CAT_E_ZERO:
        return made(r, cat_make_empty(&r->model->formulas, false));
    case CAT_E_ALL:
        return made(r, cat_make_all(&r->model->formulas));
    case CAT_E_SET:
    case CAT_E_TUPLE:
        return evaluate_items(r, e);
    case CAT_E_UNION:
    case CAT_E_ADD:
    case CAT_E_SEQUENCE:
    case CAT_E_DIFFERENCE:
    case CAT_E_INTERSECTION:
    case CAT_E_PRODUCT:
        return evaluate_two(r, e);
    case CAT_E_APPLY:
        return evaluate_apply(r, e);
    case CAT_E_FUN:
        return make_function(r, e);
    case CAT_E_LET:
        return evaluate_let(r, e);
    case CAT_E_TRY:
        return evaluate_try(r, e);
    case CAT_E_IF:
        return cat_evaluate(r, cat_evaluate_condition(r, e->first) ? e->second : e->third);
    case CAT_E_MATCH_TAGS:
        return match_tags(r, e);
    case CAT_E_MATCH_SET:
        return match_set(r, e);
    default:
        return evaluate_one(r, e);
    }
}

cat_value cat_evaluate(cat_reader *r, const cat_expression *e) {
    if (r->status != COL_OK)
        return (cat_value){.kind = CAT_V_LIST};
    r->work++;
    if (r->depth >= CAT_MOST_NESTED)
        CAT_REFUSE(r, e->place, "calls nested more than %d deep", CAT_MOST_NESTED);
    else if (r->work > CAT_MOST_WORK)
        CAT_REFUSE(r, e->place, "evaluating the model takes too long");
    if (r->status != COL_OK)
        return (cat_value){.kind = CAT_V_LIST};
    r->depth++;
    const cat_value value = evaluate_inside(r, e);
    r->depth--;
    return value;
}
