/* SPDX-License-Identifier: MIT */
/*
 * Where the system's memory comes from: blocks that are freed together, and counted. Large blocks
 * are pages of their own, which are zero when they are first touched: most of a large cache never
 * is, and a system that is built for every test must not pay for it.
 */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): MAP_ANONYMOUS
#include "sim/system.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LARGE = 64 << 10 };

struct sim_block {
    struct sim_block *next, **to_here;
    size_t size;
    void *allocated;
    size_t mapped;      /* bytes of pages of its own; 0: it is from the heap */
    uint64_t unused[3]; /* what follows starts on a line of the host's cache */
};
_Static_assert(sizeof(struct sim_block) == 64, "blocks keep the alignment");

static sim_system *system_of(sl_system *base) {
    return (sim_system *)(void *)base; /* its first member */
}

static void release(struct sim_block *block) {
    if (block->mapped > 0)
        (void)munmap(block->allocated, block->mapped);
    else
        free(block->allocated);
}

/* Zeroed, at the beginning of a line of the host's cache; NULL: out of memory. */
static struct sim_block *allocate(size_t size) {
    const size_t all = sizeof(struct sim_block) + size;
    if (size >= LARGE) {
        void *pages = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (pages == MAP_FAILED)
            return NULL;
        struct sim_block *block = pages;
        block->allocated = pages;
        block->mapped = all;
        return block;
    }
    uint8_t *allocated = calloc(1, all + 64);
    if (allocated == NULL)
        return NULL;
    struct sim_block *block =
        (struct sim_block *)(void *)(allocated + (64 - (uintptr_t)allocated % 64) % 64);
    block->allocated = allocated;
    return block;
}

/* Zeroed; the content is kept when an old block grows. Running out of memory ends the run. */
void *sim_grow(sl_system *base, void *old, size_t size) {
    sim_system *s = system_of(base);
    struct sim_block *fresh = allocate(size);
    if (fresh == NULL) {
        sim_out_of_memory(s);
        return NULL; /* not reached */
    }
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
        release(block);
    }
    return fresh + 1;
}

void sim_free_all(sim_system *s) {
    while (s->blocks != NULL) {
        struct sim_block *next = s->blocks->next;
        release(s->blocks);
        s->blocks = next;
    }
}
