/* SPDX-License-Identifier: MIT */
/*
 * Actions that leave each operation as it is: they change the order within threads and the places
 * of whole threads. Only threads of one length change places, so that all keep their lengths.
 */
#include "direct/dqg.h"

bool dir_dqg_is_same(const dir_mtg_gene *a, const dir_mtg_gene *b) {
    return a->template == b->template && a->location == b->location;
}

static uint32_t length_of(const dir_dqg_space *space, uint32_t thread) {
    const uint32_t operations = space->genes.operations;
    return dir_dqg_start(space, operations, thread + 1) - dir_dqg_start(space, operations, thread);
}

uint32_t dir_dqg_section_of(const dir_dqg_space *space, dir_dqg_section section, uint32_t thread,
                            uint32_t *length) {
    const uint32_t all = length_of(space, thread);
    const uint32_t least = all < section.least ? all : section.least;
    *length = all / section.divisor < least ? least : all / section.divisor;
    return dir_dqg_start(space, space->genes.operations, thread) +
           base_scale(section.place, all - *length + 1);
}

/* Threads have the shorter length or one operation more; the first of either, or all threads. */
static uint32_t first_of_length(const dir_dqg_space *space, uint32_t length) {
    uint32_t thread = 0;
    while (thread < space->genes.threads && length_of(space, thread) != length)
        thread++;
    return thread;
}

static bool is_same_thread(const dir_dqg_space *space, const dir_mtg_gene *genes, uint32_t one,
                           uint32_t other) {
    const uint32_t operations = space->genes.operations, length = length_of(space, one);
    const dir_mtg_gene *a = genes + dir_dqg_start(space, operations, one);
    const dir_mtg_gene *b = genes + dir_dqg_start(space, operations, other);
    for (uint32_t i = 0; i < length; i++)
        if (!dir_dqg_is_same(&a[i], &b[i]))
            return false;
    return true;
}

bool dir_dqg_order_matters(const dir_dqg_space *space, const dir_mtg_gene *genes) {
    for (uint32_t i = 1; i < space->genes.operations; i++)
        if (genes[i].thread == genes[i - 1].thread && !dir_dqg_is_same(&genes[i], &genes[i - 1]))
            return true;
    return false;
}

bool dir_dqg_threads_differ(const dir_dqg_space *space, const dir_mtg_gene *genes) {
    const uint32_t shorter = space->genes.operations / space->genes.threads;
    const uint32_t first[2] = {first_of_length(space, shorter),
                               first_of_length(space, shorter + 1)};
    for (uint32_t t = 0; t < space->genes.threads; t++)
        if (!is_same_thread(space, genes, t, first[length_of(space, t) - shorter]))
            return true;
    return false;
}

/* A part of each thread in any order. */
void dir_dqg_shuffle(dir_dqg_space *space, base_rng *rng, dir_mtg_gene *genes) {
    const dir_dqg_section section = {4, 2, (uint32_t)(base_rng_next(rng) >> 32)};
    for (uint32_t t = 0; t < space->genes.threads; t++) {
        uint32_t length;
        dir_mtg_gene *part = genes + dir_dqg_section_of(space, section, t, &length);
        for (uint32_t i = length; i > 1; i--) {
            const uint32_t other = base_scale((uint32_t)(base_rng_next(rng) >> 32), i);
            const dir_mtg_gene moved = part[i - 1];
            part[i - 1] = part[other];
            part[other] = moved;
        }
    }
}

static void copy_thread(const dir_dqg_space *space, const dir_mtg_gene *genes, uint32_t from,
                        uint32_t to, dir_mtg_gene *copy) {
    const uint32_t operations = space->genes.operations, length = length_of(space, from);
    const dir_mtg_gene *source = genes + dir_dqg_start(space, operations, from);
    dir_mtg_gene *target = copy + dir_dqg_start(space, operations, to);
    for (uint32_t i = 0; i < length; i++) {
        target[i] = source[i];
        target[i].thread = (uint16_t)to;
    }
}

void dir_dqg_permute_threads(dir_dqg_space *space, base_rng *rng, dir_dqg_program *program) {
    const uint32_t threads = space->genes.threads;
    const uint32_t shorter = space->genes.operations / threads;
    uint32_t *places = space->threads, *order = space->threads + threads;
    for (uint32_t more = 0; more < 2; more++) {
        uint32_t count = 0;
        for (uint32_t t = 0; t < threads; t++)
            if (length_of(space, t) == shorter + more)
                places[count] = order[count] = t, count++;
        base_rng_shuffle(rng, order, count);
        for (uint32_t i = 0; i < count; i++)
            copy_thread(space, program->genes, order[i], places[i], space->spare);
    }
    dir_dqg_swap_genes(space, program);
}

/* Threads that do the same collide in all they do. */
void dir_dqg_copy_thread(const dir_dqg_space *space, base_rng *rng, dir_mtg_gene *genes) {
    const uint32_t from = (uint32_t)base_rng_below(rng, space->genes.threads);
    const uint32_t to = (uint32_t)base_rng_below(rng, space->genes.threads);
    if (from != to && length_of(space, from) == length_of(space, to))
        copy_thread(space, genes, from, to, genes);
}
