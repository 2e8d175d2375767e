/* SPDX-License-Identifier: MIT */
/*
 * Declarations and values by their names. A tree that is complete is sorted once: its lists stay as
 * they are, and the first of each gets an array of all, by name and then by place. A list that has
 * none, because a tree is still being read or memory is short, is searched from its beginning.
 */
#include "slicc/emit.h"

#include "slicc/parse.h"

#include <stdlib.h>
#include <string.h>

/* ---- Sorting. */

static int compare_declarations(const void *a, const void *b) {
    const slicc_declaration *x = *(const slicc_declaration *const *)a,
                            *y = *(const slicc_declaration *const *)b;
    const int order = strcmp(x->name, y->name);
    return order != 0 ? order : (x->number > y->number) - (x->number < y->number);
}

static int compare_values(const void *a, const void *b) {
    const slicc_value *x = *(const slicc_value *const *)a, *y = *(const slicc_value *const *)b;
    const int order = strcmp(x->name, y->name);
    return order != 0 ? order : (x->number > y->number) - (x->number < y->number);
}

static void sort_values(slicc_tree *tree, slicc_declaration *enumeration) {
    uint32_t count = 0;
    for (slicc_value *v = enumeration->values; v != NULL; v = v->next)
        v->number = count++;
    const slicc_value **sorted = base_arena_take(&tree->arena, (count + 1) * sizeof *sorted);
    if (sorted == NULL)
        return;
    for (const slicc_value *v = enumeration->values; v != NULL; v = v->next)
        sorted[v->number] = v;
    qsort(sorted, count, sizeof *sorted, compare_values);
    enumeration->sorted_values = sorted;
    enumeration->value_count = count;
}

static void sort_list(slicc_tree *tree, slicc_declaration *list) {
    uint32_t count = 0, named = 0;
    for (slicc_declaration *d = list; d != NULL; d = d->next) {
        d->number = count++;
        sort_list(tree, d->members);
        sort_list(tree, d->arguments);
        if (d->values != NULL)
            sort_values(tree, d);
    }
    const slicc_declaration **sorted =
        count == 0 ? NULL : base_arena_take(&tree->arena, count * sizeof *sorted);
    if (sorted == NULL)
        return;
    for (const slicc_declaration *d = list; d != NULL; d = d->next)
        if (d->name != NULL)
            sorted[named++] = d;
    qsort(sorted, named, sizeof *sorted, compare_declarations);
    list->sorted = sorted;
    list->sorted_count = named;
}

void slicc_tree_sort(slicc_tree *tree) {
    sort_list(tree, tree->declarations);
}

/* ---- Finding. */

const slicc_declaration *slicc_member_next(const slicc_declaration *list,
                                           const slicc_declaration *before, const char *name) {
    if (name == NULL)
        return NULL;
    if (list == NULL || list->sorted == NULL) {
        const slicc_declaration *d = before == NULL ? list : before->next;
        while (d != NULL && !slicc_same(d->name, name))
            d = d->next;
        return d;
    }
    uint32_t from = 0, to = list->sorted_count; /* the first that is not before it */
    while (from < to) {
        const uint32_t middle = from + (to - from) / 2;
        const slicc_declaration *d = list->sorted[middle];
        const int order = strcmp(d->name, name);
        if (order < 0 || (order == 0 && before != NULL && d->number <= before->number))
            from = middle + 1;
        else
            to = middle;
    }
    return from < list->sorted_count && strcmp(list->sorted[from]->name, name) == 0
               ? list->sorted[from]
               : NULL;
}

const slicc_declaration *slicc_member_find(const slicc_declaration *list,
                                           slicc_declaration_kind kind, const char *name) {
    const slicc_declaration *d = slicc_member_next(list, NULL, name);
    while (d != NULL && d->kind != kind)
        d = slicc_member_next(list, d, name);
    return d;
}

const slicc_value *slicc_value_find(const slicc_declaration *enumeration, const char *name) {
    if (enumeration->sorted_values == NULL) {
        const slicc_value *v = enumeration->values;
        while (v != NULL && !slicc_same(v->name, name))
            v = v->next;
        return v;
    }
    uint32_t from = 0, to = enumeration->value_count;
    while (name != NULL && from < to) {
        const uint32_t middle = from + (to - from) / 2;
        if (strcmp(enumeration->sorted_values[middle]->name, name) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return name != NULL && from < enumeration->value_count &&
                   strcmp(enumeration->sorted_values[from]->name, name) == 0
               ? enumeration->sorted_values[from]
               : NULL;
}
