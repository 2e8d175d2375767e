/* SPDX-License-Identifier: MIT */
/* Tests have the same shape if renaming makes them the same, and only then: against a search of
 * all orders of the threads. */
#include "episode/triage/test_shape.h"
#include "harness.h"

#include "../program/random_program.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 6, MOST_OPERATIONS = 16, MOST_LOCATIONS = 8, CODE = 8 * MOST_OPERATIONS + 8 };

static void shape_of(const col_program *program, char shape[EPI_SHAPE_SIZE]) {
    col_problem problem;
    assert_int_equal(epi_test_shape(program, shape, &problem), COL_OK);
}

static void read_text(const char *text, col_program *program) {
    col_problem problem;
    if (col_program_read(program, text, strlen(text), "test", &problem) != COL_OK)
        fail_msg("%s", problem.message);
}

/* ---- Another program of the same shape: threads shuffled, everything renamed. */

static void rename_all(base_rng *rng, const col_program *from, col_program *to) {
    uint32_t order[64], lengths[64], locations[64];
    col_problem problem;
    const uint32_t threads = from->thread_count, count = from->location_count;
    for (uint32_t t = 0; t < threads; t++)
        order[t] = t;
    for (uint32_t l = 0; l < count; l++)
        locations[l] = l;
    base_rng_shuffle(rng, order, threads);
    base_rng_shuffle(rng, locations, count);
    for (uint32_t t = 0; t < threads; t++)
        lengths[t] = from->thread_start[order[t] + 1] - from->thread_start[order[t]];
    assert_int_equal(col_program_shape(to, threads, lengths, count, &problem), COL_OK);
    const uint64_t moved = base_rng_below(rng, 1 << 20) << 32;
    for (uint32_t l = 0; l < count; l++)
        to->addresses[locations[l]] = (from->addresses[l] ^ moved) ^ (from->is_narrow ? 4 : 8);
    to->is_narrow = from->is_narrow;
    for (uint32_t t = 0; t < threads; t++)
        for (uint32_t i = 0; i < lengths[t]; i++) {
            col_operation *o = &to->operations[to->thread_start[t] + i];
            *o = from->operations[from->thread_start[order[t]] + i];
            if (col_kinds[o->kind].located)
                o->location = locations[o->location];
            else if (o->kind == COL_DELAY)
                o->location += 17;
            if (o->value != 0)
                o->value = from->is_narrow ? o->value ^ 0xfffff : ~o->value;
            if (o->value == 0)
                o->value = from->is_narrow ? 0xfffff : UINT32_MAX;
        }
}

TEST(renaming_does_not_change_the_shape) {
    col_program program = COL_PROGRAM_EMPTY, renamed = COL_PROGRAM_EMPTY;
    base_rng rng;
    base_rng_seed(&rng, 1, 0);
    for (int i = 0; i < 5000; i++) {
        char shape[EPI_SHAPE_SIZE], other[EPI_SHAPE_SIZE];
        random_program(&rng, &program);
        rename_all(&rng, &program, &renamed);
        shape_of(&program, shape);
        shape_of(&renamed, other);
        assert_string_equal(shape, other);
    }
    col_program_free(&program);
    col_program_free(&renamed);
}

/* ---- Small programs, and the slow truth about them. */

static void small_program(base_rng *rng, col_program *p) {
    uint32_t lengths[4];
    col_problem problem;
    const uint32_t threads = random_between(rng, 1, 4), locations = random_between(rng, 1, 3);
    for (uint32_t t = 0; t < threads; t++)
        lengths[t] = random_between(rng, 0, 2);
    assert_int_equal(col_program_shape(p, threads, lengths, locations, &problem), COL_OK);
    for (uint32_t l = 0; l < locations; l++)
        p->addresses[l] = (uint64_t)64 * base_rng_below(rng, 2) + (uint64_t)8 * l;
    for (uint32_t o = 0; o < col_program_operations(p); o++) {
        const bool is_write = base_rng_below(rng, 2) != 0;
        p->operations[o] = (col_operation){.kind = is_write ? COL_STORE : COL_LOAD,
                                           .location = random_between(rng, 0, locations - 1),
                                           .value = is_write ? o + 1 : 0};
    }
    for (uint32_t o = 0; o < col_program_operations(p); o++) { /* a load waits for a store */
        const uint32_t write = random_between(rng, 0, col_program_operations(p) - 1);
        col_operation *load = &p->operations[o];
        if (load->kind == COL_LOAD && p->operations[write].kind == COL_STORE) {
            load->kind = COL_AWAIT;
            load->value = p->operations[write].value;
            load->location = p->operations[write].location;
        }
    }
}

/* The program with its threads in this order, written with names in the order of their use. */
static void encode(const col_program *p, const uint32_t *order, uint8_t *code) {
    uint8_t location[MOST_LOCATIONS] = {0}, locations = 0, block[MOST_LOCATIONS] = {0}, blocks = 0;
    uint8_t value[MOST_OPERATIONS + 1] = {0}, values = 0;
    memset(code, 0, CODE);
    for (uint32_t t = 0; t < p->thread_count; t++) {
        const uint32_t first = p->thread_start[order[t]], end = p->thread_start[order[t] + 1];
        for (uint32_t o = first; o < end; o++) {
            const col_operation *operation = &p->operations[o];
            const uint32_t l = operation->location;
            if (location[l] == 0) {
                location[l] = ++locations;
                for (uint32_t k = 0; k < p->location_count; k++)
                    if (block[l] == 0 && p->addresses[k] >> 6 == p->addresses[l] >> 6)
                        block[l] = block[k];
                if (block[l] == 0)
                    block[l] = ++blocks;
            }
            if (operation->value != 0 && value[operation->value] == 0)
                value[operation->value] = ++values;
            *code++ = (uint8_t)(operation->kind + 1);
            *code++ = location[l];
            *code++ = block[l];
            *code++ = value[operation->value];
        }
        if (end > first)
            *code++ = UINT8_MAX;
    }
}

/* The least of all orders. */
static void find_least(const col_program *p, uint32_t *order, uint32_t fixed, uint8_t *least) {
    uint8_t code[CODE];
    if (fixed == p->thread_count) {
        encode(p, order, code);
        if (memcmp(code, least, sizeof code) < 0)
            memcpy(least, code, sizeof code);
        return;
    }
    for (uint32_t t = fixed; t < p->thread_count; t++) {
        const uint32_t one = order[fixed], other = order[t];
        order[fixed] = other;
        order[t] = one;
        find_least(p, order, fixed + 1, least);
        order[fixed] = one;
        order[t] = other;
    }
}

static void canonical(const col_program *p, uint8_t *least) {
    uint32_t order[MOST_THREADS];
    for (uint32_t t = 0; t < p->thread_count; t++)
        order[t] = t;
    memset(least, UINT8_MAX, CODE);
    find_least(p, order, 0, least);
}

typedef struct known {
    uint8_t code[CODE];
    char shape[EPI_SHAPE_SIZE];
} known;

static int by_code(const void *a, const void *b) {
    return memcmp(((const known *)a)->code, ((const known *)b)->code, CODE);
}

static int by_shape(const void *a, const void *b) {
    return strcmp(((const known *)a)->shape, ((const known *)b)->shape);
}

TEST(tests_have_the_same_shape_if_and_only_if_some_order_makes_them_the_same) {
    enum { PROGRAMS = 20000 };
    col_program program = COL_PROGRAM_EMPTY;
    known *all = calloc(PROGRAMS, sizeof *all);
    size_t codes = 1, shapes = 1;
    base_rng rng;
    base_rng_seed(&rng, 2, 0);
    assert_non_null(all);
    for (size_t i = 0; i < PROGRAMS; i++) {
        small_program(&rng, &program);
        canonical(&program, all[i].code);
        shape_of(&program, all[i].shape);
    }
    qsort(all, PROGRAMS, sizeof *all, by_code);
    for (size_t i = 1; i < PROGRAMS; i++) {
        const bool is_same = by_code(&all[i - 1], &all[i]) == 0;
        codes += !is_same;
        if (is_same)
            assert_string_equal(all[i - 1].shape, all[i].shape);
    }
    qsort(all, PROGRAMS, sizeof *all, by_shape);
    for (size_t i = 1; i < PROGRAMS; i++)
        shapes += by_shape(&all[i - 1], &all[i]) != 0;
    assert_int_equal(codes, shapes);
    assert_true(codes > 2000 && codes < PROGRAMS * 9 / 10); /* there is something to tell apart */
    col_program_free(&program);
    free(all);
}

/* Threads that each look alike, in one ring of six or in two of three. */
TEST(what_looks_alike_everywhere_can_differ) {
    col_program one = COL_PROGRAM_EMPTY, two = COL_PROGRAM_EMPTY;
    char of_one[EPI_SHAPE_SIZE], of_two[EPI_SHAPE_SIZE];
    const uint32_t lengths[] = {2, 2, 2, 2, 2, 2};
    col_problem problem;
    assert_int_equal(col_program_shape(&one, 6, lengths, 6, &problem), COL_OK);
    assert_int_equal(col_program_shape(&two, 6, lengths, 6, &problem), COL_OK);
    for (uint32_t t = 0; t < 6; t++) {
        const col_operation store = {.kind = COL_STORE, .value = t + 1, .location = t};
        one.addresses[t] = two.addresses[t] = 64 * (uint64_t)t;
        one.operations[(size_t)2 * t] = two.operations[(size_t)2 * t] = store;
        one.operations[2 * t + 1].location = (t + 1) % 6;
        two.operations[2 * t + 1].location = t / 3 * 3 + (t + 1) % 3;
    }
    shape_of(&one, of_one);
    shape_of(&two, of_two);
    assert_string_not_equal(of_one, of_two);
    col_program_free(&one);
    col_program_free(&two);
}

/* Known bugs are told by it: it may not change from version to version. */
TEST(known_tests_have_known_shapes) {
    static const struct {
        const char *text, *shape;
    } tests[] = {
        {"collider program 1\nlocation a0 0x40\nlocation a1 0x80\nthread 0\nstore a0 1\nload a1\n"
         "thread 1\nstore a1 2\nload a0\nend\n",
         "7d67617f41276df0"},
        {"collider program 1\nlocation a0 0x40\nlocation a1 0x48\nthread 0\nstore a0 1\n"
         "store a1 2 release\nthread 1\nawait a1 2 acquire\nload a0 address@-1\nend\n",
         "9a3f86c671b87b8c"},
    };
    col_program program = COL_PROGRAM_EMPTY;
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        char shape[EPI_SHAPE_SIZE];
        read_text(tests[i].text, &program);
        shape_of(&program, shape);
        assert_string_equal(shape, tests[i].shape);
    }
    col_program_free(&program);
}
