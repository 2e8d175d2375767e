/* SPDX-License-Identifier: MIT */
/*
 * Accesses by DMA are judged as if each had a thread of its own: every checker gives a program with
 * them the verdict of the program in which they are loads and stores of further threads.
 */
#include "candidates.h"
#include "collider/check.h"
#include "harness.h"
#include "judge/trace/black_box.h"

#include <string.h>

enum { ROUNDS = 1500, MOST = MOST_SMALL_OPERATIONS };

static const char mix[] =
    "load=0.2,load-acquire=0.05,load-address=0.05,load-control=0.05,store=0.2,"
    "store-release=0.05,store-data=0.05,swap=0.05,fence=0.05,dma-read=0.15,"
    "dma-write=0.15";

/* The same with threads of their own; `place[o]` is where operation o went. */
static void part(const col_program *from, col_program *to, uint32_t *place) {
    uint32_t lengths[MOST] = {0}, next[MOST], threads = from->thread_count;
    const uint32_t count = col_program_operations(from);
    col_problem problem;
    for (uint32_t o = 0; o < count; o++)
        lengths[col_kinds[from->operations[o].kind].dma ? threads++
                                                        : col_program_thread_of(from, o)]++;
    assert_true(threads <= MOST);
    assert_int_equal(col_program_shape(to, threads, lengths, from->location_count, &problem),
                     COL_OK);
    memcpy(next, to->thread_start, threads * sizeof *next);
    memcpy(to->addresses, from->addresses, from->location_count * sizeof *to->addresses);
    threads = from->thread_count;
    for (uint32_t o = 0; o < count; o++) {
        col_operation operation = from->operations[o];
        const bool is_dma = col_kinds[operation.kind].dma;
        place[o] = next[is_dma ? threads++ : col_program_thread_of(from, o)]++;
        if (is_dma)
            operation.kind = operation.kind == COL_DMA_READ ? COL_LOAD : COL_STORE;
        if (operation.dependency != COL_NO_DEPENDENCY)
            operation.distance = place[o] - place[o - operation.distance];
        to->operations[place[o]] = operation;
    }
}

static bool is_allowed(const col_program *program, col_model model, const col_event *events,
                       uint32_t count, const uint32_t *place) {
    col_checker *checker = NULL;
    col_problem problem;
    assert_int_equal(col_checker_new(&checker, model, &problem), COL_OK);
    assert_int_equal(col_checker_load(checker, program, &problem), COL_OK);
    for (uint32_t i = 0; i < count; i++) {
        col_event event = events[i];
        event.operation = place == NULL ? event.operation : place[event.operation];
        (void)col_checker_notice(checker, &event);
    }
    const bool allowed = col_checker_finish(checker, true);
    col_checker_free(checker);
    return allowed;
}

static col_verdict verdict_of_box(const col_program *program, col_model model,
                                  const col_event *events, uint32_t count, const uint32_t *place) {
    chk_black_box box = {.model = model, .budget = 10};
    col_verdict verdict;
    bool is_strange;
    col_problem problem;
    assert_int_equal(chk_black_box_load(&box, program, &problem), COL_OK);
    for (uint32_t i = 0; i < count; i++) {
        col_event event = events[i];
        event.operation = place == NULL ? event.operation : place[event.operation];
        chk_returned_notice(&box.returned, &event);
    }
    assert_int_equal(chk_black_box_finish(&box, true, NULL, NULL, &verdict, &is_strange, &problem),
                     COL_OK);
    chk_black_box_free(&box);
    return verdict;
}

TEST(both_checkers_judge_dma_as_threads) {
    col_program program = COL_PROGRAM_EMPTY, parted = COL_PROGRAM_EMPTY;
    uint32_t place[MOST * 2], forbidden = 0, allowed = 0;
    col_event events[MOST * 2];
    base_rng rng;
    base_rng_seed(&rng, 26, 0);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        draw_small_program(mix, round, &program);
        part(&program, &parted, place);
        const uint32_t count = execute_nearly_in_order(&program, &rng, events);
        const col_model model = (col_model)(round % COL_MODEL_COUNT);
        const bool verdict = is_allowed(&program, model, events, count, NULL);
        if (verdict != is_allowed(&parted, model, events, count, place))
            fail_msg("round %u: the checker at run time differs", (uint32_t)round);
        if (verdict_of_box(&program, model, events, count, NULL) !=
            verdict_of_box(&parted, model, events, count, place))
            fail_msg("round %u: the checker of traces differs", (uint32_t)round);
        allowed += verdict;
        forbidden += !verdict;
    }
    assert_true(allowed > ROUNDS / 10 && forbidden > ROUNDS / 10);
    col_program_free(&program);
    col_program_free(&parted);
}
