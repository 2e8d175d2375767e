/* SPDX-License-Identifier: MIT */
/* Is this a canonical dependence chain? An oracle written from the definitions of the thesis. */
#include "chain_oracle.h"

#include <stdlib.h>

/* A link with what the definitions speak of: its type, its thread and its place in the program. */
typedef struct element {
    bool store, between;
    uint32_t location, thread, place;
} element;

typedef struct chain {
    const col_program *program;
    const element *elements;
    uint32_t last;
} chain;

static uint32_t pair_of(bool earlier_stores, bool later_stores) {
    if (earlier_stores)
        return later_stores ? COL_WRITE_WRITE : COL_WRITE_READ;
    return later_stores ? COL_READ_WRITE : COL_READ_READ;
}

static bool program_order(const element *x, const element *y) {
    return x->thread == y->thread && x->place < y->place;
}

/* Definition 1: program order, and one location or a barrier between. */
static bool significant_program_order(const col_program *program, const element *x,
                                      const element *y) {
    if (!program_order(x, y))
        return false;
    if (x->location == y->location)
        return true;
    for (uint32_t i = x->place + 1; i < y->place; i++) {
        const col_operation *barrier = &program->operations[i];
        if (barrier->kind == COL_FENCE && (barrier->fence & pair_of(x->store, y->store)) != 0)
            return true;
    }
    return false;
}

/* Definition 2, as far as a program can promise it: one location, two threads, a store. */
static bool conflict_order(const element *x, const element *y) {
    return x->thread != y->thread && x->location == y->location && (x->store || y->store);
}

/* Definition 3; `store` is S^x of its fourth form, or NULL. */
static const char *significant_conflict_order(const element *x, const element *store,
                                              const element *y) {
    if (x->location != y->location)
        return "operations in conflict order are at different locations";
    if (x->thread == y->thread)
        return "operations in conflict order are in one thread";
    if (store == NULL)
        return conflict_order(x, y) ? NULL : "two loads in conflict order, no store between them";
    if (x->store || y->store)
        return "a store intervenes where one of the two is a store already";
    if (!store->store)
        return "what intervenes between two loads is a load";
    if (store->thread == x->thread || store->thread == y->thread)
        return "the intervening store is not of a third thread";
    if (store->location != x->location)
        return "the intervening store is at another location";
    return NULL;
}

/* spo {O_b^i sco O_b^j spo}+ : from the element before the first spo to the one after the last. */
static const char *alternation(const chain *c, uint32_t from) {
    uint32_t at = from;
    do {
        const element *x = &c->elements[at], *u = x + 1;
        const bool intervened = at + 2 <= c->last && u[1].between;
        const element *v = intervened ? u + 2 : u + 1;
        if (v >= &c->elements[c->last])
            return "the chain ends within a repetition";
        if (u->between || v->between)
            return "an intervening store stands in another place than between two loads";
        if (!significant_program_order(c->program, x, u))
            return "no significant program order before a conflict";
        const char *wrong = significant_conflict_order(u, intervened ? u + 1 : NULL, v);
        if (wrong != NULL)
            return wrong;
        at = (uint32_t)(v - c->elements);
    } while (at + 1 < c->last);
    if (c->elements[c->last].between)
        return "the chain ends with an intervening store";
    return significant_program_order(c->program, &c->elements[at], &c->elements[c->last])
               ? NULL
               : "no significant program order before the last operation";
}

static const char *category_0(const chain *c) {
    if (c->last % 2 == 0)
        return "category 0 has a pair of operations, and pairs between them";
    for (uint32_t i = 1; i <= c->last; i++) {
        const element *x = &c->elements[i - 1], *y = &c->elements[i];
        if (x->location != y->location)
            return "category 0 is at one location";
        if (!program_order(x, y))
            return "category 0 is in program order";
        if (!x->store && !y->store)
            return "two successive operations of category 0 are loads";
    }
    return NULL;
}

static const char *category_1(const chain *c) {
    const element *e = c->elements;
    if (c->last != 2)
        return "category 1 has three operations";
    if (!e[0].store)
        return "category 1 starts with a store";
    if (e[1].store)
        return "the second operation of category 1 is a load";
    if (!conflict_order(&e[0], &e[1]))
        return "the first two of category 1 are at one location in two threads";
    if (e[2].location != e[0].location)
        return "category 1 is at one location";
    return program_order(&e[1], &e[2]) ? NULL : "the last two of category 1 are in program order";
}

static const char *category_2(const chain *c) {
    const element *x = c->elements, *y = &c->elements[c->last];
    const char *wrong = alternation(c, 0);
    if (wrong != NULL)
        return wrong;
    if (x->location != y->location)
        return "the endpoints of category 2 are at different locations";
    if (x->thread == y->thread)
        return "the endpoints of category 2 are in one thread";
    return conflict_order(x, y) ? NULL : "the endpoints of category 2 do not conflict";
}

static const char *category_3(const chain *c) {
    const element *e = c->elements, *end = &c->elements[c->last];
    if (!e[0].store)
        return "category 3 starts with a store";
    if (e[1].store)
        return "the second operation of category 3 is a load";
    if (!conflict_order(&e[0], &e[1]))
        return "the first two of category 3 are at one location in two threads";
    if (end->store)
        return "category 3 ends with a load";
    if (end->location != e[0].location)
        return "the endpoints of category 3 are at different locations";
    const char *wrong = alternation(c, 1);
    if (wrong != NULL)
        return wrong;
    return end->thread != e[1].thread ? NULL : "category 3 ends in the thread of its first load";
}

const char *chain_violation(const col_program *program, const col_link *links, uint32_t count,
                            uint8_t category) {
    typedef struct form {
        uint32_t least;
        const char *(*check)(const chain *);
    } form;
    static const form forms[COL_CATEGORIES] = {
        {2, category_0}, {3, category_1}, {4, category_2}, {5, category_3}};
    if (category >= COL_CATEGORIES)
        return "there is no such category";
    if (count < forms[category].least)
        return "the chain is too short for its category";
    element *elements = calloc(count, sizeof *elements);
    if (elements == NULL)
        return "out of memory";
    const char *wrong = NULL;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t place = links[i].operation;
        if (place >= col_program_operations(program)) {
            wrong = "a link points outside of the program";
            break;
        }
        const col_operation *operation = &program->operations[place];
        if (operation->kind != COL_LOAD && operation->kind != COL_STORE)
            wrong = "a link is neither a load nor a store";
        if (links[i].between && category < 2)
            wrong = "an intervening store stands in another place than between two loads";
        for (uint32_t j = 0; j < i; j++)
            if (links[j].operation == place)
                wrong = "an operation is in the chain twice";
        elements[i] = (element){operation->kind == COL_STORE, links[i].between, operation->location,
                                col_program_thread_of(program, place), place};
    }
    const chain c = {program, elements, count - 1};
    if (wrong == NULL)
        wrong = forms[category].check(&c);
    free(elements);
    return wrong;
}

/* How many barriers a chain needs: one for each pair in program order at different locations. */
static uint32_t barriers_needed(const col_program *program, const col_link *links, uint32_t count) {
    uint32_t needed = 0;
    for (uint32_t i = 1; i < count; i++) {
        const uint32_t x = links[i - 1].operation, y = links[i].operation;
        needed += col_program_thread_of(program, x) == col_program_thread_of(program, y) &&
                  program->operations[x].location != program->operations[y].location;
    }
    return needed;
}

/* What is left over when the chains are taken out. */
static const char *leftover_violation(const col_program *program, const bool *chained,
                                      uint32_t fillers, uint32_t barriers) {
    uint32_t loose = 0, fences = 0;
    for (uint32_t t = 0; t < program->thread_count; t++) {
        bool filling = false;
        for (uint32_t i = program->thread_start[t]; i < program->thread_start[t + 1]; i++) {
            const uint8_t kind = program->operations[i].kind;
            if (kind != COL_LOAD && kind != COL_STORE && kind != COL_FENCE)
                return "an operation is neither load, store nor fence";
            if (chained[i] && filling)
                return "a filler stands before an operation of a chain";
            fences += kind == COL_FENCE;
            filling |= kind != COL_FENCE && !chained[i];
            loose += kind != COL_FENCE && !chained[i];
        }
    }
    if (loose > fillers)
        return "more operations without a chain than fillers";
    return fences > barriers + (fillers - loose) ? "more fences than the chains need" : NULL;
}

const char *chained_program_violation(const col_program *program, const col_generated *generated) {
    bool *chained = calloc((size_t)col_program_operations(program) + 1, sizeof *chained);
    if (chained == NULL)
        return "out of memory";
    uint64_t counts[COL_CATEGORIES] = {0};
    uint32_t barriers = 0;
    const char *wrong = NULL;
    for (size_t n = 0; n < generated->chain_total && wrong == NULL; n++) {
        const col_chain *c = &generated->chains[n];
        const col_link *links = &generated->links[c->first];
        wrong = chain_violation(program, links, c->count, c->category);
        if (wrong != NULL)
            break;
        counts[c->category]++;
        barriers += barriers_needed(program, links, c->count);
        for (uint32_t i = 0; i < c->count; i++) {
            if (chained[links[i].operation])
                wrong = "an operation belongs to two chains";
            chained[links[i].operation] = true;
        }
    }
    for (uint32_t c = 0; c < COL_CATEGORIES && wrong == NULL; c++)
        if (counts[c] != generated->chain_counts[c])
            wrong = "the chains of a category are not as many as reported";
    if (wrong == NULL)
        wrong = leftover_violation(program, chained, generated->fillers, barriers);
    free(chained);
    return wrong;
}
