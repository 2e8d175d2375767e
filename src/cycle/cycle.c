/* SPDX-License-Identifier: MIT */
/* What makes relaxations a cycle, and its form. */
#include "cycle/cycle.h"

#include <stdlib.h>
#include <string.h>

static const cyc_relaxation *edge(const cyc_cycle *cycle, uint32_t place) {
    return &cycle->edges[place % cycle->count];
}

/* ---- Is it a cycle? */

static col_status refuse_pair(const cyc_relaxation *a, const cyc_relaxation *b, const char *why,
                              col_problem *problem) {
    base_text first = {0}, second = {0};
    cyc_relaxation_write(a, &first);
    cyc_relaxation_write(b, &second);
    const col_status status =
        first.failed || second.failed
            ? base_out_of_memory(problem)
            : base_refuse(problem, "%s cannot follow %s: %s", second.data, first.data, why);
    base_text_free(&first);
    base_text_free(&second);
    return status;
}

/* Where two meet, what one says of the access counts for both. */
static col_status join(cyc_cycle *cycle, col_problem *problem) {
    for (uint32_t i = 0; i < cycle->count; i++) {
        cyc_relaxation *a = &cycle->edges[i], *b = &cycle->edges[(i + 1) % cycle->count];
        if (a->writes[CYC_TARGET] != b->writes[CYC_SOURCE])
            return refuse_pair(a, b,
                               a->writes[CYC_TARGET] != 0 ? "one ends in a write, the other begins "
                                                            "with a read"
                                                          : "one ends in a read, the other begins "
                                                            "with a write",
                               problem);
        uint8_t *end = &a->annotations[CYC_TARGET], *begin = &b->annotations[CYC_SOURCE];
        if (*end != CYC_NOT_SAID && *begin != CYC_NOT_SAID && *end != *begin)
            return refuse_pair(a, b, "they annotate the access differently", problem);
        const uint8_t said = *end == CYC_NOT_SAID ? *begin : *end;
        *end = *begin = said == CYC_NOT_SAID ? CYC_PLAIN : said;
    }
    return COL_OK;
}

static col_status check(const cyc_cycle *cycle, col_problem *problem) {
    uint32_t external = 0, moves = 0, returns = 0;
    for (uint32_t i = 0; i < cycle->count; i++) {
        const cyc_relaxation *e = &cycle->edges[i];
        external += e->is_external;
        moves += e->moves;
        returns += !cyc_is_communication(e) && e->moves == 0;
    }
    if (external < 2)
        return base_refuse(problem, "a cycle needs two relaxations that go to another thread, such "
                                    "as Rfe, Fre or Coe");
    if (moves == 1)
        return base_refuse(problem, "a cycle that leaves a location must come back: it needs two "
                                    "relaxations that go to another location, such as PodWR");
    if (moves == 0 && returns != 1)
        return base_refuse(problem, "a cycle at one location needs exactly one step of program "
                                    "order, such as PosRR");
    return COL_OK;
}

/* ---- Its form. */

/* The accesses of the thread that begins at a place, first and last, as its rank: W, WW, WR, R, RR,
 * RW. */
static int rank_thread(const cyc_cycle *cycle, uint32_t place, uint32_t *next) {
    const bool first = edge(cycle, place)->writes[CYC_SOURCE] != 0;
    uint32_t last = place;
    while (edge(cycle, last)->is_external == 0)
        last++;
    *next = last + 1;
    const bool writes = edge(cycle, last)->writes[CYC_SOURCE] != 0;
    if (last == place)
        return first ? 0 : 3;
    return first ? writes ? 1 : 2 : writes ? 5 : 4;
}

/* Which of two rotations, of cycles of the same length, comes first? */
static int compare_rotations(const cyc_cycle *a, uint32_t i, const cyc_cycle *b, uint32_t j) {
    uint32_t at = i, other = j;
    while (at < i + a->count && other < j + b->count) {
        const int one = rank_thread(a, at, &at), two = rank_thread(b, other, &other);
        if (one != two)
            return one - two;
    }
    if (at - i != other - j) /* one has fewer threads */
        return at - i > other - j ? -1 : 1;
    for (uint32_t k = 0; k < a->count; k++) {
        const int order = memcmp(edge(a, i + k), edge(b, j + k), sizeof(cyc_relaxation));
        if (order != 0)
            return order;
    }
    return 0;
}

static void rotate(cyc_cycle *cycle) {
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < cycle->count; i++)
        if (edge(cycle, i + cycle->count - 1)->is_external != 0 &&
            (best == UINT32_MAX || compare_rotations(cycle, i, cycle, best) < 0))
            best = i;
    const cyc_cycle from = *cycle;
    for (uint32_t i = 0; i < cycle->count; i++)
        cycle->edges[i] = *edge(&from, best + i);
}

col_status cyc_cycle_make(cyc_cycle *cycle, col_problem *problem) {
    col_status status = join(cycle, problem);
    if (status == COL_OK)
        status = check(cycle, problem);
    if (status == COL_OK)
        rotate(cycle);
    return status;
}

col_status cyc_cycle_read(cyc_cycle *cycle, const char *text, col_problem *problem) {
    cyc_relaxation *relaxations = NULL;
    uint32_t count = 0;
    col_status status = strchr(text, '*') != NULL
                            ? base_refuse(problem, "a cycle names each relaxation: '*' is for "
                                                   "lists of them")
                            : cyc_relaxations_read(text, &relaxations, &count, problem);
    if (status == COL_OK && count > CYC_MOST)
        status = base_refuse(problem, "a cycle has at most %d relaxations", CYC_MOST);
    if (status == COL_OK) {
        memset(cycle, 0, sizeof *cycle);
        for (; cycle->count < count; cycle->count++)
            cycle->edges[cycle->count] = relaxations[cycle->count];
        status = cyc_cycle_make(cycle, problem);
    }
    free(relaxations);
    return status;
}

int cyc_cycle_compare(const cyc_cycle *a, const cyc_cycle *b) {
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    return compare_rotations(a, 0, b, 0);
}

/* ---- Is it critical? */

/* Two steps that are one together: two of program order; plain program order and a communication
 * inside the thread; and of communications co;co, fr;co and rf;fr. */
static bool collapse(const cyc_relaxation *a, const cyc_relaxation *b) {
    if (!cyc_is_communication(b))
        return !cyc_is_communication(a);
    if (cyc_is_communication(a))
        return b->kind == CYC_COHERENCE || b->kind == CYC_FROM_READ;
    return a->kind == CYC_PROGRAM_ORDER && a->annotations[CYC_SOURCE] != CYC_ORDERED &&
           a->annotations[CYC_TARGET] != CYC_ORDERED && b->is_external == 0;
}

bool cyc_cycle_is_critical(const cyc_cycle *cycle) {
    uint32_t moves = 0, returns = 0;
    for (uint32_t i = 0; i < cycle->count; i++) {
        const cyc_relaxation *e = &cycle->edges[i];
        if (collapse(e, edge(cycle, i + 1)))
            return false;
        moves += e->moves;
        returns += !cyc_is_communication(e) && e->moves == 0;
    }
    return moves == 0 || returns == 0;
}

/* ---- Words. */

void cyc_cycle_write(const cyc_cycle *cycle, base_text *text) {
    for (uint32_t i = 0; i < cycle->count; i++) {
        base_text_add(text, i == 0 ? "" : " ");
        cyc_relaxation_write(&cycle->edges[i], text);
    }
}
