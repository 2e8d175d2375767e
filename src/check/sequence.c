/* SPDX-License-Identifier: MIT */
/* A row of labelled nodes: see sequence.h. Spreading takes in as many neighbours as it needs until
 * labels are sparse again, so that it is rare (Bender et al. 2002 bound it). */
#include "check/sequence.h"
#include "base/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define SPARSE (UINT64_C(1) << 12) /* between nodes that were spread */

col_status chk_sequence_reset(chk_sequence *sequence, uint32_t node_count, col_problem *problem) {
    const size_t count = (size_t)node_count + 1;
    const col_status status = base_reserve(&sequence->places, &sequence->capacity, count,
                                           sizeof *sequence->places, problem);
    if (status != COL_OK)
        return status;
    memset(sequence->places, 0, count * sizeof *sequence->places);
    sequence->node_count = node_count;
    sequence->places[node_count] = (chk_place){0, node_count, node_count};
    return COL_OK;
}

void chk_sequence_free(chk_sequence *sequence) {
    free(sequence->places);
    *sequence = (chk_sequence){0};
}

static void link_between(chk_place *places, uint32_t previous, uint32_t node, uint32_t next) {
    places[node].previous = previous;
    places[node].next = next;
    places[previous].next = node;
    places[next].previous = node;
}

/* Labels for `count` nodes behind `from`, evenly up to the one that follows them. */
static void spread(chk_place *places, uint32_t from, uint64_t first, uint64_t limit,
                   uint64_t count) {
    const uint64_t step = (limit - first) / (count + 1);
    base_invariant(limit > first && step > 0);
    uint64_t label = first;
    for (uint32_t node = places[from].next; count > 0; node = places[node].next, count--)
        places[node].label = label += step;
}

/* Room for `count` nodes just linked in behind `from`, whose labels are yet to be given. */
static void make_room(chk_sequence *sequence, uint32_t from, uint64_t count) {
    chk_place *places = sequence->places;
    const uint32_t end = sequence->node_count;
    uint32_t left = from, right = from;
    for (uint64_t i = 0; i <= count; i++)
        right = places[right].next;
    uint64_t inside = count;
    while (true) {
        const uint64_t first = places[left].label; /* of the end: 0 */
        const uint64_t limit =
            right == end ? first + (inside + 1) * CHK_STRIDE : places[right].label;
        if ((limit - first) / (inside + 1) >= (inside == count ? 1 : SPARSE)) {
            spread(places, left, first, limit, inside);
            return;
        }
        for (uint64_t more = inside + 1; more > 0 && (left != end || right != end); more--) {
            if (left != end) {
                left = places[left].previous;
                inside++;
            }
            if (right != end) {
                right = places[right].next;
                inside++;
            }
        }
    }
}

void chk_sequence_move(chk_sequence *sequence, const uint32_t *nodes, uint32_t count,
                       uint32_t mark) {
    chk_place *places = sequence->places;
    for (uint32_t i = 0; i < count; i++) {
        const chk_place *place = &places[nodes[i]];
        places[place->previous].next = place->next;
        places[place->next].previous = place->previous;
    }
    const uint32_t from = places[mark].previous;
    for (uint32_t i = 0; i < count; i++)
        link_between(places, i == 0 ? from : nodes[i - 1], nodes[i], mark);
    make_room(sequence, from, count);
}
