/* SPDX-License-Identifier: MIT */
/*
 * Which types go together, as gem5's compiler has it: a value is of the type that is wanted, an int
 * is neither a bool nor a number of cycles, and operators take the pairs of types listed here.
 */
#include "slicc/emit.h"

#include <string.h>

/* Older protocols have other names for two of the types. */
static const char *usual_name(const slicc_type *type) {
    return slicc_same(type->name, "Address") ? "Addr"
           : slicc_same(type->name, "Time")  ? "Cycles"
                                             : type->name;
}

bool slicc_numbers_fit(const slicc_type *type, const slicc_type *wanted) {
    if (type->kind != wanted->kind)
        return false;
    return type->kind != KIND_NUMBER || wanted->is_any || type->is_any ||
           slicc_same(usual_name(type), usual_name(wanted));
}

bool slicc_numbers_compare(const slicc_type *a, const slicc_type *b) {
    const char *left = usual_name(a), *right = usual_name(b);
    return slicc_numbers_fit(a, b) || (slicc_same(left, "Addr") && slicc_same(right, "int")) ||
           (slicc_same(left, "int") && slicc_same(right, "Addr"));
}

bool slicc_operate(const char *name, const slicc_type *a, const slicc_type *b,
                   const char **result) {
    static const struct {
        const char *operators, *left, *right, *result;
    } rows[] = {
        {"&& ||", "bool", "bool", "bool"},           {"<< >>", "int", "int", "int"},
        {"<< >>", "Cycles", "int", "Cycles"},        {"+ - * / %", "int", "int", "int"},
        {"+ - * / %", "Cycles", "Cycles", "Cycles"}, {"+ - * / %", "Tick", "Tick", "Tick"},
        {"+ - * / %", "Addr", "Addr", "Addr"},       {"+ - * / %", "Cycles", "int", "Cycles"},
        {"+ - * / %", "Scalar", "int", "Scalar"},    {"+ - * / %", "int", "bool", "int"},
        {"+ - * / %", "bool", "int", "int"},         {"+ - * / %", "int", "Cycles", "Cycles"},
        {"+ - * / %", "Addr", "int", "Addr"},        {"+ - * / %", "int", "Addr", "Addr"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strstr(rows[i].operators, name) != NULL && slicc_same(rows[i].left, usual_name(a)) &&
            slicc_same(rows[i].right, usual_name(b))) {
            *result = rows[i].result;
            return true;
        }
    return false;
}
