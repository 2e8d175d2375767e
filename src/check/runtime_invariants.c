/* SPDX-License-Identifier: MIT */
/* The invariants of the checker that watches a design run: runtime.c lists them by these numbers.
 */
#include "check/runtime.h"

typedef struct proof {
    const col_checker *checker;
    uint32_t node;
    bool holds;
} proof;

static void prove_before(void *context, uint32_t before, col_relation relation, uint32_t note) {
    proof *p = context;
    const chk_sequence *row = &p->checker->row;
    (void)relation;
    (void)note;
    p->holds = p->holds && chk_is_placed(p->checker, before) &&
               chk_label(row, before) < chk_label(row, p->node);
}

/* 1, 3 */
static bool nodes_hold(const col_checker *c, uint32_t *placed) {
    proof p = {c, 0, true};
    for (; p.node < c->order.node_count && p.holds; p.node++) {
        p.holds = c->state[p.node] == CHK_UNTOUCHED;
        if (!chk_is_placed(c, p.node))
            continue;
        ++*placed;
        chk_each_before(&c->execution, p.node, prove_before, &p);
    }
    return p.holds;
}

/* 2 */
static bool row_holds(const col_checker *c, uint32_t placed) {
    const chk_place *places = c->row.places;
    const uint32_t end = c->row.node_count;
    uint32_t count = 0, last = end;
    for (uint32_t node = places[end].next; node != end; node = places[node].next, count++) {
        if (places[node].label <= places[last].label || places[node].previous != last)
            return false;
        last = node;
    }
    return count == placed;
}

static bool is_reader(const chk_seen *seen, uint32_t read) {
    uint32_t reader = seen[seen[read].source].first_reader;
    while (reader != CHK_NONE && reader != read)
        reader = seen[reader].next_reader;
    return reader == read;
}

/* 5, 6. Lists of readers may be long: of a large program only some reads are looked for. */
static bool counts_hold(const col_checker *c) {
    const chk_seen *seen = c->execution.seen;
    const uint32_t count = c->order.operation_count, stride = 1 + count / 256;
    uint32_t left = 0, waiting = 0;
    for (uint32_t i = 0; i < count; i++) {
        const bool reads = chk_reads(&c->execution, i), writes = chk_writes(&c->execution, i);
        if (!c->performed[i]) {
            left += chk_is_access(c, i);
            continue;
        }
        waiting += reads && seen[i].source == CHK_NONE;
        waiting += writes && seen[i].replaced == CHK_NONE;
        if (writes && seen[i].replaced != CHK_NONE && seen[seen[i].replaced].next != i)
            return false;
        if (reads && seen[i].source != CHK_NONE && i % stride == 0 && !is_reader(seen, i))
            return false;
    }
    return left == c->left && waiting == c->waiting;
}

bool chk_invariants_hold(const col_checker *c) {
    enum { SMALL = 64 };
    const uint32_t performed = c->access_count - c->left;
    uint32_t placed = 0;
    if (c->violated ||
        (c->order.node_count > SMALL && c->left > 0 && (performed & (performed - 1)) != 0))
        return true;
    return nodes_hold(c, &placed) && row_holds(c, placed) && counts_hold(c);
}
