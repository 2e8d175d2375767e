/* SPDX-License-Identifier: MIT */
/* Making formulas, each once and in its simplest form: see cat_formula.h. */
#include "judge/cat/cat_formula.h"

#include "base/memory.h"

#include <stdlib.h>

void cat_formulas_free(cat_formulas *f) {
    for (size_t i = 0; i < f->fixed_count; i++)
        free(f->fixed_points[i].values);
    free(f->fixed_points);
    free(f->items);
    base_index_free(&f->index);
    *f = (cat_formulas){0};
}

static uint64_t mix(uint64_t a, uint64_t b) {
    return base_index_hash(a * UINT64_C(0x100000001b3) + b + 1);
}

static bool is_same(const void *things, uint32_t number, const void *wanted) {
    const cat_formula *a = (const cat_formula *)things + number, *b = wanted;
    return a->kind == b->kind && a->first == b->first && a->second == b->second &&
           a->is_set == b->is_set;
}

static bool commutes(uint8_t kind) {
    return kind == CAT_O_UNION || kind == CAT_O_INTERSECTION;
}

/* How many formulas it is directly made of. */
static const uint8_t operand_counts[] = {
    [CAT_O_DOMAIN] = 1,     [CAT_O_RANGE] = 1,     [CAT_O_IDENTITY] = 1, [CAT_O_PRODUCT] = 2,
    [CAT_O_FROM] = 2,       [CAT_O_TO] = 2,        [CAT_O_SEQUENCE] = 2, [CAT_O_CLOSURE] = 1,
    [CAT_O_OPTIONAL] = 1,   [CAT_O_INVERSE] = 1,   [CAT_O_UNION] = 2,    [CAT_O_INTERSECTION] = 2,
    [CAT_O_DIFFERENCE] = 2, [CAT_O_COMPLEMENT] = 1};

uint32_t cat_operand_count(const cat_formula *formula) {
    return operand_counts[formula->kind];
}

uint32_t cat_part_count(const cat_formulas *f, const cat_formula *formula) {
    return formula->kind == CAT_O_FIXED ? f->fixed_points[formula->first].count
                                        : cat_operand_count(formula);
}

uint32_t cat_part(const cat_formulas *f, const cat_formula *formula, uint32_t number) {
    return formula->kind == CAT_O_FIXED ? f->fixed_points[formula->first].values[number]
                                        : cat_operand(formula, number);
}

static uint64_t digest_of(const cat_formulas *f, const cat_formula *made) {
    const uint64_t own = mix(made->kind, made->is_set);
    const uint8_t count = operand_counts[made->kind];
    if (count == 0)
        return mix(mix(own, made->first), made->second);
    const uint64_t first = f->items[made->first].digest;
    if (count == 1)
        return mix(own, first);
    const uint64_t second = f->items[made->second].digest;
    return commutes(made->kind) ? mix(own, first + second) : mix(mix(own, first), second);
}

/* What follows from the operands. */
static col_status derive(cat_formulas *f, cat_formula *made) {
    made->inside = CAT_NO_FIXED;
    made->grows_with_co = true;
    for (uint32_t i = 0; i < cat_operand_count(made); i++) {
        const cat_formula *operand = &f->items[cat_operand(made, i)];
        made->level = operand->level > made->level ? operand->level : made->level;
        const bool is_taken_away =
            made->kind == CAT_O_COMPLEMENT || (made->kind == CAT_O_DIFFERENCE && i == 1);
        if (!operand->grows_with_co || (is_taken_away && operand->level >= CAT_WITH_CO))
            made->grows_with_co = false;
        if (operand->inside == CAT_NO_FIXED)
            continue;
        if (made->inside != CAT_NO_FIXED && made->inside != operand->inside)
            return base_refuse_at(f->problem, f->place.file, f->place.line, f->place.column,
                                  "a 'let rec' inside another one uses its names: this is not "
                                  "supported");
        made->inside = operand->inside;
    }
    return COL_OK;
}

static uint32_t add(cat_formulas *f, cat_formula made) {
    if (f->status != COL_OK)
        return 0;
    if (commutes(made.kind) && made.first > made.second) {
        const uint32_t first = made.first;
        made.first = made.second;
        made.second = first;
    }
    const uint64_t hash = mix(mix(made.kind, made.first), made.second) + (made.is_set ? 1 : 0);
    const uint32_t known = base_index_find(&f->index, hash, is_same, f->items, &made);
    if (known != BASE_NO_NUMBER)
        return known;
    if (f->count >= CAT_MOST_FORMULAS) {
        f->status =
            base_refuse_at(f->problem, f->place.file, f->place.line, f->place.column,
                           "the model has more than %d formulas up to here", CAT_MOST_FORMULAS);
        return 0;
    }
    f->status = derive(f, &made);
    if (f->status == COL_OK)
        f->status =
            base_reserve(&f->items, &f->capacity, f->count + 1, sizeof *f->items, f->problem);
    if (f->status == COL_OK)
        f->status = base_index_put(&f->index, hash, f->problem);
    if (f->status != COL_OK)
        return 0;
    made.digest = digest_of(f, &made);
    f->items[f->count] = made;
    return (uint32_t)f->count++;
}

/* ---- Leaves. They derive nothing, so that their level and so on is given here. */

static uint32_t add_leaf(cat_formulas *f, cat_formula made) {
    const size_t before = f->count;
    const uint8_t level = made.level;
    const uint32_t added = add(f, made);
    if (f->status == COL_OK && f->count > before) {
        f->items[added].level = level;
        if (made.kind == CAT_O_SET && made.first == CAT_FW)
            f->items[added].grows_with_co = false;
        if (made.kind == CAT_O_VARIABLE)
            f->items[added].inside = made.first;
    }
    return added;
}

uint32_t cat_make_set(cat_formulas *f, cat_set set) {
    return add_leaf(f, (cat_formula){.kind = CAT_O_SET,
                                     .is_set = true,
                                     .first = set,
                                     .level = set == CAT_FW ? CAT_WITH_CO : CAT_FIXED,
                                     .name = cat_set_names[set]});
}

uint32_t cat_make_relation(cat_formulas *f, cat_relation relation) {
    return add_leaf(f, (cat_formula){.kind = CAT_O_RELATION,
                                     .first = relation,
                                     .level = cat_relation_levels[relation],
                                     .name = cat_relation_names[relation]});
}

uint32_t cat_make_choice(cat_formulas *f, uint32_t choice, const char *name) {
    return add_leaf(f, (cat_formula){.kind = CAT_O_CHOICE,
                                     .first = choice,
                                     .level = (uint8_t)(CAT_WITH_CHOICE + choice),
                                     .name = name});
}

uint32_t cat_make_empty(cat_formulas *f, bool is_set) {
    return add_leaf(
        f, (cat_formula){.kind = is_set ? CAT_O_EMPTY_SET : CAT_O_EMPTY, .is_set = is_set});
}

uint32_t cat_make_all(cat_formulas *f) {
    return add_leaf(f, (cat_formula){.kind = CAT_O_ALL, .is_set = true, .name = "_"});
}

uint32_t cat_make_variable(cat_formulas *f, uint32_t fixed_point, uint32_t place) {
    return add_leaf(f,
                    (cat_formula){.kind = CAT_O_VARIABLE, .first = fixed_point, .second = place});
}

/* ---- One operand. */

static uint8_t operator_of(const cat_formulas *f, uint32_t formula) {
    return f->items[formula].kind;
}

static bool is_full(const cat_formulas *f, uint32_t formula) {
    const cat_formula *item = &f->items[formula];
    return item->kind == CAT_O_ALL ||
           (item->kind == CAT_O_PRODUCT && operator_of(f, item->first) == CAT_O_ALL &&
            operator_of(f, item->second) == CAT_O_ALL);
}

static uint32_t make_full(cat_formulas *f, bool is_set) {
    const uint32_t all = cat_make_all(f);
    return is_set ? all : cat_make_two(f, CAT_O_PRODUCT, all, all);
}

uint32_t cat_make_one(cat_formulas *f, cat_operator kind, uint32_t operand) {
    if (f->status != COL_OK)
        return 0;
    const cat_formula item = f->items[operand];
    const bool is_empty = cat_is_empty(f, operand);
    const bool is_set =
        kind == CAT_O_DOMAIN || kind == CAT_O_RANGE || (kind == CAT_O_COMPLEMENT && item.is_set);
    if (kind == CAT_O_COMPLEMENT) {
        if (is_empty)
            return make_full(f, is_set);
        if (is_full(f, operand))
            return cat_make_empty(f, is_set);
        if (item.kind == CAT_O_COMPLEMENT)
            return item.first;
    } else if (is_empty && kind == CAT_O_OPTIONAL) {
        return cat_make_one(f, CAT_O_IDENTITY, cat_make_all(f));
    } else if (is_empty) {
        return cat_make_empty(f, is_set);
    }
    const bool is_idle = item.kind == kind && (kind == CAT_O_CLOSURE || kind == CAT_O_OPTIONAL);
    if (is_idle ||
        (item.kind == CAT_O_IDENTITY && (kind == CAT_O_INVERSE || kind == CAT_O_CLOSURE)))
        return operand;
    if (item.kind == CAT_O_IDENTITY && is_set)
        return item.first;
    if (item.kind == CAT_O_INVERSE && kind == CAT_O_INVERSE)
        return item.first;
    return add(f, (cat_formula){.kind = (uint8_t)kind, .is_set = is_set, .first = operand});
}

/* ---- Two operands. */

/* [set]; relation, or relation; [set]. A filter goes as far in as it can, so that less is computed.
 */
static uint32_t make_filter(cat_formulas *f, bool is_from, uint32_t set, uint32_t relation) {
    const cat_formula item = f->items[relation];
    const cat_operator kind = is_from ? CAT_O_FROM : CAT_O_TO;
    if (is_full(f, set))
        return relation;
    if (cat_is_empty(f, set) || cat_is_empty(f, relation))
        return cat_make_empty(f, false);
    if (item.kind == CAT_O_IDENTITY)
        return cat_make_one(f, CAT_O_IDENTITY,
                            cat_make_two(f, CAT_O_INTERSECTION, set, item.first));
    if (item.kind == CAT_O_FROM && !is_from)
        return make_filter(f, true, item.first, make_filter(f, false, set, item.second));
    if (item.kind == CAT_O_PRODUCT || item.kind == kind) {
        const uint32_t inner =
            cat_make_two(f, CAT_O_INTERSECTION, set, is_from ? item.first : item.second);
        return cat_make_two(f, (cat_operator)item.kind, is_from ? inner : item.first,
                            is_from ? item.second : inner);
    }
    if (item.kind == CAT_O_SEQUENCE) {
        const uint32_t inner = make_filter(f, is_from, set, is_from ? item.first : item.second);
        return cat_make_two(f, CAT_O_SEQUENCE, is_from ? inner : item.first,
                            is_from ? item.second : inner);
    }
    return add(f, (cat_formula){.kind = (uint8_t)kind,
                                .first = is_from ? set : relation,
                                .second = is_from ? relation : set});
}

static uint32_t make_sequence(cat_formulas *f, uint32_t first, uint32_t second) {
    if (cat_is_empty(f, first) || cat_is_empty(f, second))
        return cat_make_empty(f, false);
    if (operator_of(f, first) == CAT_O_IDENTITY)
        return make_filter(f, true, f->items[first].first, second);
    if (operator_of(f, second) == CAT_O_IDENTITY)
        return make_filter(f, false, f->items[second].first, first);
    return add(f, (cat_formula){.kind = CAT_O_SEQUENCE, .first = first, .second = second});
}

static uint32_t make_union(cat_formulas *f, uint32_t first, uint32_t second) {
    if (first == second || cat_is_empty(f, second) || is_full(f, first))
        return first;
    if (cat_is_empty(f, first) || is_full(f, second))
        return second;
    return add(f, (cat_formula){.kind = CAT_O_UNION,
                                .is_set = f->items[first].is_set,
                                .first = first,
                                .second = second});
}

static uint32_t make_difference(cat_formulas *f, uint32_t first, uint32_t second) {
    const bool is_set = f->items[first].is_set;
    if (first == second || cat_is_empty(f, first) || is_full(f, second))
        return cat_make_empty(f, is_set);
    if (cat_is_empty(f, second))
        return first;
    if (is_full(f, first))
        return cat_make_one(f, CAT_O_COMPLEMENT, second);
    return add(f,
               (cat_formula){
                   .kind = CAT_O_DIFFERENCE, .is_set = is_set, .first = first, .second = second});
}

/* A product in an intersection is two filters; a complement takes away. */
static uint32_t make_intersection(cat_formulas *f, uint32_t first, uint32_t second) {
    if (first == second || cat_is_empty(f, first) || is_full(f, second))
        return first;
    if (cat_is_empty(f, second) || is_full(f, first))
        return second;
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t one = i == 0 ? first : second, other = i == 0 ? second : first;
        const cat_formula item = f->items[one];
        if (item.kind == CAT_O_PRODUCT)
            return make_filter(f, true, item.first, make_filter(f, false, item.second, other));
        if (item.kind == CAT_O_COMPLEMENT)
            return make_difference(f, other, item.first);
    }
    return add(f, (cat_formula){.kind = CAT_O_INTERSECTION,
                                .is_set = f->items[first].is_set,
                                .first = first,
                                .second = second});
}

uint32_t cat_make_two(cat_formulas *f, cat_operator kind, uint32_t first, uint32_t second) {
    if (f->status != COL_OK)
        return 0;
    switch (kind) {
    case CAT_O_UNION:
        return make_union(f, first, second);
    case CAT_O_INTERSECTION:
        return make_intersection(f, first, second);
    case CAT_O_DIFFERENCE:
        return make_difference(f, first, second);
    case CAT_O_SEQUENCE:
        return make_sequence(f, first, second);
    case CAT_O_FROM:
        return make_filter(f, true, first, second);
    case CAT_O_TO:
        return make_filter(f, false, second, first);
    default: /* a product */
        if (cat_is_empty(f, first) || cat_is_empty(f, second))
            return cat_make_empty(f, false);
        return add(f, (cat_formula){.kind = CAT_O_PRODUCT, .first = first, .second = second});
    }
}

/* ---- Fixed points. */

uint32_t cat_fixed_point_new(cat_formulas *f, uint32_t count, cat_place place) {
    if (f->status != COL_OK)
        return 0;
    f->status = base_reserve(&f->fixed_points, &f->fixed_capacity, f->fixed_count + 1,
                             sizeof *f->fixed_points, f->problem);
    if (f->status != COL_OK)
        return 0;
    uint32_t *values = calloc(count, sizeof *values);
    if (values == NULL) {
        f->status = base_out_of_memory(f->problem);
        return 0;
    }
    f->fixed_points[f->fixed_count] =
        (cat_fixed_point){.place = place, .count = count, .values = values};
    return (uint32_t)f->fixed_count++;
}

/* r = a | r; r: the transitive closure of a. Parts without the variable are gathered in `base`;
 * returns false if another part has it. */
static bool gather_closure(cat_formulas *f, uint32_t part, uint32_t variable, uint32_t *base) {
    const cat_formula item = f->items[part];
    if (part == variable)
        return true;
    if (item.inside == CAT_NO_FIXED) {
        *base = cat_make_two(f, CAT_O_UNION, *base, part);
        return f->status == COL_OK;
    }
    if (item.kind == CAT_O_UNION)
        return gather_closure(f, item.first, variable, base) &&
               gather_closure(f, item.second, variable, base);
    return item.kind == CAT_O_SEQUENCE && item.first == variable && item.second == variable;
}

uint32_t cat_make_fixed(cat_formulas *f, uint32_t fixed_point, uint32_t place) {
    if (f->status != COL_OK)
        return 0;
    const cat_fixed_point *fixed = &f->fixed_points[fixed_point];
    const uint32_t value = fixed->values[place];
    if (f->items[value].inside == CAT_NO_FIXED)
        return value;
    uint32_t base = cat_make_empty(f, false);
    const uint32_t variable = cat_make_variable(f, fixed_point, place);
    if (fixed->count == 1 && gather_closure(f, value, variable, &base))
        return cat_make_one(f, CAT_O_CLOSURE, base);
    const size_t before = f->count;
    const uint32_t made =
        add(f, (cat_formula){.kind = CAT_O_FIXED, .first = fixed_point, .second = place});
    if (f->status != COL_OK || f->count == before)
        return made;
    fixed = &f->fixed_points[fixed_point];
    for (uint32_t i = 0; i < fixed->count; i++) {
        const cat_formula *item = &f->items[fixed->values[i]];
        if (item->level > f->items[made].level)
            f->items[made].level = item->level;
        f->items[made].grows_with_co = f->items[made].grows_with_co && item->grows_with_co;
        f->items[made].digest = mix(f->items[made].digest, item->digest);
    }
    return made;
}
