/* SPDX-License-Identifier: MIT */
/* Where the system's memory comes from: blocks that are freed together, and counted. */
#include "sim/system.h"

#include <stdlib.h>
#include <string.h>

struct sim_block {
    struct sim_block *next, **to_here;
    size_t size;
    void *allocated;
    uint64_t unused[4]; /* what follows starts on a line of the host's cache */
};
_Static_assert(sizeof(struct sim_block) == 64, "blocks keep the alignment");

static sim_system *system_of(sl_system *base) {
    return (sim_system *)(void *)base; /* its first member */
}

/* Zeroed; the content is kept when an old block grows. Running out of memory ends the run. */
void *sim_grow(sl_system *base, void *old, size_t size) {
    sim_system *s = system_of(base);
    /* calloc gives large blocks as pages that are zero when first touched; that is why the
     * alignment is made by hand. */
    uint8_t *allocated = calloc(1, sizeof(struct sim_block) + size + 64);
    if (allocated == NULL) {
        sim_out_of_memory(s);
        return NULL; /* not reached */
    }
    struct sim_block *fresh =
        (struct sim_block *)(void *)(allocated + (64 - (uintptr_t)allocated % 64) % 64);
    fresh->allocated = allocated;
    s->allocations++;
    fresh->size = size;
    fresh->next = s->blocks;
    fresh->to_here = &s->blocks;
    if (s->blocks != NULL)
        s->blocks->to_here = &fresh->next;
    s->blocks = fresh;
    if (old != NULL) {
        struct sim_block *block = (struct sim_block *)old - 1;
        memcpy(fresh + 1, old, block->size < size ? block->size : size);
        *block->to_here = block->next;
        if (block->next != NULL)
            block->next->to_here = block->to_here;
        free(block->allocated);
    }
    return fresh + 1;
}

void sim_free_all(sim_system *s) {
    while (s->blocks != NULL) {
        struct sim_block *next = s->blocks->next;
        free(s->blocks->allocated);
        s->blocks = next;
    }
}
