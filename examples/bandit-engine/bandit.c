/* SPDX-License-Identifier: MIT */
/*
 * A directing engine as a plug-in: copy it as a start. A bandit with an arm for each point of the
 * space: mostly the arm that has brought most coverage per cycle so far, one time in ten any.
 *
 *     cc -std=c17 -O2 -shared -fPIC $(pkg-config --cflags collider) bandit.c -o bandit.so
 *     collider run mesi3 --engine ./bandit.so
 */
#include <collider/engine.h>

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct bandit {
    const col_engine_space *space;
    uint64_t random;
    uint32_t arm, count;
    struct {
        double gained, cycles;
    } arms[];
} bandit;

static col_status fail(col_problem *problem, col_status status, const char *sentence) {
    (void)snprintf(problem->message, sizeof problem->message, "%s", sentence);
    return status;
}

static col_status open_bandit(void **state, const col_engine_settings *settings,
                              const col_engine_space *space, col_problem *problem) {
    bandit *b = calloc(1, sizeof *b + space->count * sizeof b->arms[0]);
    if (b == NULL)
        return fail(problem, COL_FAILURE, "out of memory");
    b->space = space;
    b->random = settings->seed;
    b->count = space->count;
    *state = b;
    return COL_OK;
}

/* Arms that have not been tried are worth more than any that has. */
static double worth(const bandit *b, uint32_t arm) {
    return b->arms[arm].cycles > 0 ? (b->arms[arm].gained + 1) / b->arms[arm].cycles : 1;
}

static col_status next_test(void *state, const col_feedback *feedback, col_program *program,
                            col_point *point, col_problem *problem) {
    bandit *b = state;
    (void)program; /* stays empty: Collider makes it at the point */
    (void)problem;
    if (feedback->tests > 0) {
        b->arms[b->arm].gained += (double)feedback->gained;
        b->arms[b->arm].cycles += (double)feedback->cycles;
    }
    b->arm = (uint32_t)(col_random(&b->random) % b->count);
    if (col_random(&b->random) % 10 != 0)
        for (uint32_t i = 0; i < b->count; i++)
            if (worth(b, i) > worth(b, b->arm))
                b->arm = i;
    *point = b->space->points[b->arm];
    return COL_OK;
}

/* Everything but the space, which is there again when the engine is restored. */
enum { KEPT = offsetof(bandit, random) };

static size_t length_of(const bandit *b) {
    return sizeof *b - KEPT + b->count * sizeof b->arms[0];
}

static size_t save(const void *state, void *bytes, size_t size) {
    const bandit *b = state;
    if (size >= length_of(b))
        memcpy(bytes, (const char *)b + KEPT, length_of(b));
    return length_of(b);
}

static col_status restore(void *state, const void *bytes, size_t length, col_problem *problem) {
    bandit *b = state;
    const uint32_t count = b->count;
    if (length != length_of(b))
        return fail(problem, COL_BAD_INPUT, "this is not the state of such a bandit");
    memcpy((char *)b + KEPT, bytes, length);
    if (b->count == count && b->arm < count)
        return COL_OK;
    b->count = count;
    return fail(problem, COL_BAD_INPUT, "the state of the bandit is damaged");
}

const col_engine_interface col_engine_plugin = {
    .version = COL_ENGINE_VERSION,
    .name = "bandit",
    .summary = "a bandit over points: coverage gained per cycle",
    .chained = true,
    .biased = true,
    .open = open_bandit,
    .close = free,
    .next = next_test,
    .save = save,
    .restore = restore,
};
