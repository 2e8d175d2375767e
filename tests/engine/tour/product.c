/* SPDX-License-Identifier: MIT */
/* The product of per-cache machines: see product.h. */
#include "product.h"

#include "harness.h"

#include <string.h>

/* What a cache does: by its own letter, the event, and for a load of its own core whether another
 * cache holds the block. "." is an event that cannot be. */
typedef struct row {
    char letter;
    char own_load_alone, own_load_shared, own_store, own_evict;
    char other_load, other_store, other_evict;
} row;

typedef struct table {
    const char *protocol;
    row rows[5];
} table;

static const table tables[] = {
    {"si", {{'I', 'S', 'S', '.', '.', 'I', '.', 'I'}, {'S', 'S', 'S', '.', 'I', 'S', '.', 'S'}}},
    {"msi",
     {{'I', 'S', 'S', 'M', '.', 'I', 'I', 'I'},
      {'S', 'S', 'S', 'M', 'I', 'S', 'I', 'S'},
      {'M', 'M', '.', 'M', 'I', 'S', 'I', '.'}}},
    {"mesi",
     {{'I', 'E', 'S', 'M', '.', 'I', 'I', 'I'},
      {'S', 'S', 'S', 'M', 'I', 'S', 'I', 'S'},
      {'E', 'E', '.', 'M', 'I', 'S', 'I', '.'},
      {'M', 'M', '.', 'M', 'I', 'S', 'I', '.'}}},
    {"mosi",
     {{'I', 'S', 'S', 'M', '.', 'I', 'I', 'I'},
      {'S', 'S', 'S', 'M', 'I', 'S', 'I', 'S'},
      {'M', 'M', '.', 'M', 'I', 'O', 'I', '.'},
      {'O', 'O', 'O', 'M', 'I', 'O', 'I', 'O'}}},
    {"moesi",
     {{'I', 'E', 'S', 'M', '.', 'I', 'I', 'I'},
      {'S', 'S', 'S', 'M', 'I', 'S', 'I', 'S'},
      {'E', 'E', '.', 'M', 'I', 'S', 'I', '.'},
      {'M', 'M', '.', 'M', 'I', 'O', 'I', '.'},
      {'O', 'O', 'O', 'M', 'I', 'O', 'I', 'O'}}},
};

static const row *row_of(const tour_space *space, char letter) {
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        for (size_t r = 0;
             r < 5 && strcmp(tables[i].protocol, tour_protocols[space->protocol]) == 0; r++)
            if (tables[i].rows[r].letter == letter)
                return &tables[i].rows[r];
    fail_msg("%s has no letter %c", tour_protocols[space->protocol], letter);
    return NULL;
}

product_state product_initial(const tour_space *space) {
    product_state state = {{0}};
    memset(state.letters, 'I', space->cores);
    return state;
}

static char own_next(const row *r, uint8_t kind, bool alone) {
    switch (kind) {
    case TOUR_LOAD:
        if (alone)
            return r->own_load_alone;
        return r->own_load_shared;
    case TOUR_STORE:
        return r->own_store;
    default:
        return r->own_evict;
    }
}

static char other_next(const row *r, uint8_t kind) {
    switch (kind) {
    case TOUR_LOAD:
        return r->other_load;
    case TOUR_STORE:
        return r->other_store;
    default:
        return r->other_evict;
    }
}

bool product_step(const tour_space *space, product_state *state, tour_operation operation) {
    bool alone = true;
    for (uint32_t i = 0; i < space->cores; i++)
        alone = alone && (i == operation.core || state->letters[i] == 'I');
    product_state next = {{0}};
    for (uint32_t i = 0; i < space->cores; i++) {
        const row *r = row_of(space, state->letters[i]);
        next.letters[i] = other_next(r, operation.kind);
        if (i == operation.core)
            next.letters[i] = own_next(r, operation.kind, alone);
    }
    if (next.letters[operation.core] == '.')
        return false;
    assert_null(strchr(next.letters, '.'));
    *state = next;
    return true;
}

product_state product_of(const tour_space *space, const tour_state *state) {
    static const char owners[] = {'S', 'E', 'M', 'O'};
    product_state product = product_initial(space);
    for (uint32_t i = 0; i < space->cores; i++)
        if ((state->holders >> i & 1) != 0)
            product.letters[i] = 'S';
    if (state->holding != TOUR_SHARED)
        product.letters[state->owner] = owners[state->holding];
    return product;
}

bool count_one(void *context, tour_operation operation) {
    const bool is_possible = tour_count_take(context, operation);
    if (!is_possible) /* asked first: an assertion for each operation takes long */
        fail();
    return is_possible;
}

bool count_down(void *context, tour_operation operation) {
    uint32_t *left = context;
    (void)operation;
    assert_true(*left > 0);
    return --*left > 0;
}
