/* SPDX-License-Identifier: MIT */
/*
 * Accesses by DMA are judged as if each had a thread of its own: every checker gives a program with
 * them the verdict of the program in which they are loads and stores of further threads.
 */
#include "check/box.h"
#include "collider/check.h"
#include "harness.h"

#include "base/rng.h"
#include "collider/generate.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 1500, MOST = 24, LOCATIONS = 3 };

static void make_program(uint64_t seed, col_program *program) {
    col_generator *generator = col_generator_new();
    col_generation settings;
    col_problem problem;
    col_generation_default(&settings);
    settings.threads = 3;
    settings.operations = 10;
    settings.locations = LOCATIONS;
    assert_int_equal(col_instruction_mix_parse(
                         "load=0.2,load-acquire=0.05,load-address=0.05,load-control=0.05,store=0.2,"
                         "store-release=0.05,store-data=0.05,swap=0.05,fence=0.05,dma-read=0.15,"
                         "dma-write=0.15",
                         &settings.instructions, &problem),
                     COL_OK);
    assert_int_equal(col_generate(generator, &settings, seed, 0, program, &problem), COL_OK);
    col_generator_free(generator);
}

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

/* Accesses in nearly the order of the program, one after the other in one memory: some executions
 * are allowed, and some are not. */
static uint32_t execute(const col_program *program, base_rng *rng, col_event *events) {
    const uint32_t count = col_program_operations(program);
    uint64_t memory[LOCATIONS] = {0};
    bool is_done[MOST * 2] = {false};
    uint32_t event_count = 0;
    for (uint32_t left = count; left > 0; left--) {
        uint32_t o = (uint32_t)base_rng_below(rng, count), step = (uint32_t)base_rng_below(rng, 2);
        const uint32_t thread = col_program_thread_of(program, o);
        for (o = program->thread_start[thread];
             o < program->thread_start[thread + 1] && (is_done[o] || step-- > 0);)
            o++;
        for (o = o < count ? o : 0; is_done[o];)
            o = (o + 1) % count;
        is_done[o] = true;
        const col_operation *operation = &program->operations[o];
        const col_kind_traits *traits = &col_kinds[operation->kind];
        if (!traits->reads && !traits->writes)
            continue;
        uint64_t *word = &memory[operation->location];
        col_event event = {.kind = traits->writes ? COL_STORE_PERFORMED : COL_LOAD_PERFORMED,
                           .operation = o,
                           .word = *word};
        if (traits->writes) {
            event.overwritten = event.read = *word;
            event.word = *word = col_program_operand(program, operation);
        }
        events[event_count++] = event;
    }
    return event_count;
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
    chk_box box = {.model = model, .budget = 10};
    col_verdict verdict;
    bool is_strange;
    col_problem problem;
    assert_int_equal(chk_box_load(&box, program, &problem), COL_OK);
    for (uint32_t i = 0; i < count; i++) {
        col_event event = events[i];
        event.operation = place == NULL ? event.operation : place[event.operation];
        chk_box_notice(&box, &event);
    }
    assert_int_equal(chk_box_finish(&box, true, NULL, NULL, &verdict, &is_strange, &problem),
                     COL_OK);
    chk_box_free(&box);
    return verdict;
}

static void both_checkers_judge_dma_as_threads(void **state) {
    col_program program = COL_PROGRAM_EMPTY, parted = COL_PROGRAM_EMPTY;
    uint32_t place[MOST * 2], forbidden = 0, allowed = 0;
    col_event events[MOST * 2];
    base_rng rng;
    (void)state;
    base_rng_seed(&rng, 26, 0);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        make_program(round, &program);
        part(&program, &parted, place);
        const uint32_t count = execute(&program, &rng, events);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_checkers_judge_dma_as_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
