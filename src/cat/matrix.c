/* SPDX-License-Identifier: MIT */
/*
 * Composition and closure of relations: see matrix.h. Large relations are mostly empty, because
 * most of what a model says is within a thread: rows are joined only where they have words that are
 * not 0.
 */
#include "cat/matrix.h"
#include "base/bits.h"

#include <string.h>

uint32_t cat_next_member(const uint64_t *set, cat_size size, uint32_t from) {
    uint32_t word = from / 64;
    if (from >= size.events)
        return size.events;
    uint64_t bits = set[word] & (UINT64_MAX << (from % 64));
    while (bits == 0) {
        if (++word == size.words)
            return size.events;
        bits = set[word];
    }
    return word * 64 + base_lowest_bit(bits);
}

/* ---- Composition. */

static void sequence_of_words(uint64_t *result, const uint64_t *first, const uint64_t *second,
                              uint32_t events) {
    for (uint32_t i = 0; i < events; i++) {
        uint64_t row = 0;
        for (uint64_t bits = first[i]; bits != 0; bits &= bits - 1)
            row |= second[base_lowest_bit(bits)];
        result[i] = row;
    }
}

/* Which words of each row are not all 0: from, and up to. */
static void find_spans(const uint64_t *relation, cat_size size, uint32_t *from, uint32_t *to) {
    for (uint32_t i = 0; i < size.events; i++) {
        const uint64_t *row = cat_row_of(relation, size, i);
        uint32_t first = 0, last = size.words;
        while (first < last && row[first] == 0)
            first++;
        while (last > first && row[last - 1] == 0)
            last--;
        from[i] = first;
        to[i] = last;
    }
}

static void join(uint64_t *row, const uint64_t *other, uint32_t from, uint32_t to) {
    for (uint32_t w = from; w < to; w++)
        row[w] |= other[w];
}

void cat_matrix_sequence(uint64_t *result, const uint64_t *first, const uint64_t *second,
                         cat_size size, uint32_t *room) {
    if (size.words == 1) {
        sequence_of_words(result, first, second, size.events);
        return;
    }
    uint32_t *from = room, *to = room + size.events;
    find_spans(second, size, from, to);
    memset(result, 0, cat_matrix_words(size) * sizeof *result);
    for (uint32_t i = 0; i < size.events; i++) {
        const uint64_t *row = cat_row_of(first, size, i);
        uint64_t *made = cat_row(result, size, i);
        for (uint32_t w = 0; w < size.words; w++) {
            for (uint64_t bits = row[w]; bits != 0; bits &= bits - 1) {
                const uint32_t j = w * 64 + base_lowest_bit(bits);
                join(made, cat_row_of(second, size, j), from[j], to[j]);
            }
        }
    }
}

void cat_matrix_inverse(uint64_t *result, const uint64_t *relation, cat_size size) {
    memset(result, 0, cat_matrix_words(size) * sizeof *result);
    for (uint32_t i = 0; i < size.events; i++) {
        const uint64_t *row = cat_row_of(relation, size, i);
        for (uint32_t w = 0; w < size.words; w++)
            for (uint64_t bits = row[w]; bits != 0; bits &= bits - 1)
                cat_relate(result, size, w * 64 + base_lowest_bit(bits), i);
    }
}

/* ---- Closure. */

/* Warshall's, a row at a time. */
void cat_matrix_closure(uint64_t *result, const uint64_t *relation, cat_size size) {
    memcpy(result, relation, cat_matrix_words(size) * sizeof *result);
    for (uint32_t k = 0; k < size.events; k++) {
        const uint64_t *through = cat_row(result, size, k);
        for (uint32_t i = 0; i < size.events; i++)
            if (cat_relates(result, size, i, k))
                join(cat_row(result, size, i), through, 0, size.words);
    }
}

/* What has no successors left can go; if not all can, there is a cycle. */
static bool words_are_acyclic(const uint64_t *relation, uint32_t events) {
    uint64_t left = events == 0 ? 0 : UINT64_MAX >> (64 - events);
    for (bool moved = true; moved && left != 0;) {
        moved = false;
        for (uint64_t bits = left; bits != 0; bits &= bits - 1) {
            if ((relation[base_lowest_bit(bits)] & left) == 0) {
                left &= ~(bits & (~bits + 1));
                moved = true;
            }
        }
    }
    return left == 0;
}

/* Depth first, without recursion: `next` is where the search of an event goes on. */
bool cat_matrix_is_acyclic(const uint64_t *relation, cat_size size, uint32_t *room) {
    enum { NEW, OPEN, CLOSED };
    uint32_t *next = room, *stack = room + size.events, *state = room + 2 * (size_t)size.events;
    if (size.words <= 1)
        return words_are_acyclic(relation, size.events);
    memset(next, 0, size.events * sizeof *next);
    memset(state, 0, size.events * sizeof *state);
    for (uint32_t start = 0; start < size.events; start++) {
        uint32_t depth = 0;
        if (state[start] != NEW)
            continue;
        stack[depth++] = start;
        state[start] = OPEN;
        while (depth > 0) {
            const uint32_t at = stack[depth - 1];
            const uint32_t to = cat_next_member(cat_row_of(relation, size, at), size, next[at]);
            next[at] = to + 1;
            if (to >= size.events) {
                state[at] = CLOSED;
                depth--;
            } else if (state[to] == OPEN) {
                return false;
            } else if (state[to] == NEW) {
                state[to] = OPEN;
                stack[depth++] = to;
            }
        }
    }
    return true;
}

/* ---- Paths. */

/* Breadth first; an event is met once. `before` is from where. */
uint32_t cat_matrix_path(const uint64_t *relation, cat_size size, uint32_t from, uint32_t to,
                         uint32_t *path, uint32_t *room) {
    uint32_t *queue = room, *before = room + size.events;
    uint32_t count = 0;
    memset(before, 0xFF, size.events * sizeof *before);
    for (uint32_t at = from, done = 0;; at = queue[done++]) {
        const uint64_t *row = cat_row_of(relation, size, at);
        for (uint32_t next = cat_next_member(row, size, 0); next < size.events;
             next = cat_next_member(row, size, next + 1)) {
            if (before[next] != UINT32_MAX)
                continue;
            before[next] = at;
            queue[count++] = next;
        }
        if (before[to] != UINT32_MAX)
            break;
        if (done == count)
            return 0;
    }
    uint32_t length = 1;
    for (uint32_t at = before[to]; at != from; at = before[at])
        length++;
    path[0] = from;
    path[length] = to;
    for (uint32_t at = before[to], i = length - 1; at != from; at = before[at])
        path[i--] = at;
    return length + 1;
}
