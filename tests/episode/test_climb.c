/* SPDX-License-Identifier: MIT */
/*
 * Climbing, by failures whose chance is known: what is not needed goes, a delay comes where it
 * makes the failure likely, and nowhere else. And operations that move, against a slow oracle.
 */
#include "episode/shrink/shrink_search.h"

#include "harness.h"
#include "program/reshape.h"

#include <string.h>

enum { MOST_OPERATIONS = 32, LOCATIONS = 4, SEEDS = 500 };

static uint32_t below(base_rng *rng, uint32_t bound) {
    return (uint32_t)base_rng_below(rng, bound);
}

static void assert_sound(const col_program *program) {
    col_problem problem;
    if (col_program_check(program, &problem) != COL_OK)
        fail_msg("%s", problem.message);
}

/* Loads, stores, fences and dependencies, each operation with a mark of its own: the value of a
 * store, the cycles of a delay. */
static void draw(base_rng *rng, col_program *program) {
    uint32_t lengths[4] = {0}, threads = 1 + below(rng, 4);
    col_problem problem;
    for (uint32_t t = 0; t < threads; t++)
        lengths[t] = below(rng, 7);
    lengths[0]++;
    assert_int_equal(col_program_shape(program, threads, lengths, LOCATIONS, &problem), COL_OK);
    for (uint32_t l = 0; l < LOCATIONS; l++)
        program->addresses[l] = UINT64_C(64) * (l + 1);
    for (uint32_t t = 0; t < threads; t++)
        for (uint32_t o = program->thread_start[t]; o < program->thread_start[t + 1]; o++) {
            col_operation *operation = &program->operations[o];
            const uint32_t place = o - program->thread_start[t], kind = below(rng, 4);
            operation->kind = (uint8_t)(kind == 0 ? COL_DELAY : kind == 1 ? COL_LOAD : COL_SWAP);
            operation->location = kind == 0 ? 1000 + o : below(rng, LOCATIONS);
            operation->value = kind > 1 ? o + 1 : 0;
            const uint32_t distance = place == 0 ? 0 : 1 + below(rng, place);
            if (kind > 0 && distance > 0 &&
                col_kinds[program->operations[o - distance].kind].reads) {
                operation->dependency = COL_CONTROL;
                operation->distance = distance;
            }
        }
    assert_sound(program);
}

/* An operation, wherever it is, but for its dependency. */
static uint64_t mark(const col_program *program, uint32_t o) {
    const col_operation *operation = &program->operations[o];
    const uint64_t place = col_kinds[operation->kind].located
                               ? program->addresses[operation->location]
                               : operation->location;
    return (place * 16 + operation->kind) * 256 + operation->value;
}

/* The read that an operation depends on; 0: none. */
static uint64_t source_of(const col_program *program, uint32_t o) {
    const col_operation *operation = &program->operations[o];
    return operation->dependency == COL_NO_DEPENDENCY ? 0
                                                      : mark(program, o - operation->distance) + 1;
}

/* The threads as lists of marks, from which one is taken and put elsewhere. */
typedef struct lists {
    uint64_t marks[4][MOST_OPERATIONS];
    uint32_t lengths[4];
} lists;

static void list(const col_program *program, lists *all) {
    *all = (lists){0};
    for (uint32_t o = 0; o < col_program_operations(program); o++) {
        const uint32_t t = col_program_thread_of(program, o);
        all->marks[t][all->lengths[t]++] = mark(program, o);
    }
}

static void put(lists *all, uint32_t thread, uint32_t place, uint64_t what) {
    uint64_t *marks = all->marks[thread];
    memmove(marks + place + 1, marks + place, (all->lengths[thread]++ - place) * sizeof *marks);
    marks[place] = what;
}

static void pull(lists *all, uint32_t thread, uint32_t place) {
    uint64_t *marks = all->marks[thread];
    memmove(marks + place, marks + place + 1, (--all->lengths[thread] - place) * sizeof *marks);
    marks[all->lengths[thread]] = 0;
}

static void assert_lists(const col_program *program, const lists *expected) {
    lists is;
    list(program, &is);
    for (uint32_t t = 0; t < program->thread_count; t++) {
        assert_int_equal(is.lengths[t], expected->lengths[t]);
        assert_memory_equal(is.marks[t], expected->marks[t], is.lengths[t] * sizeof is.marks[t][0]);
    }
}

static uint32_t find(const col_program *program, uint64_t what) {
    for (uint32_t o = 0; o < col_program_operations(program); o++)
        if (mark(program, o) == what)
            return o;
    return UINT32_MAX;
}

/* A dependency is there exactly if its read is still before it in its thread. Loads of a location
 * are all alike: those are not looked at. */
static void assert_dependencies(const col_program *from, const col_program *to) {
    for (uint32_t o = 0; o < col_program_operations(from); o++) {
        const uint64_t source = source_of(from, o);
        const col_operation *read = &from->operations[o - from->operations[o].distance];
        if (source == 0 || from->operations[o].kind == COL_LOAD || read->kind == COL_LOAD)
            continue;
        const uint32_t at = find(to, mark(from, o)), before = find(to, source - 1);
        const bool stays =
            before < at && col_program_thread_of(to, before) == col_program_thread_of(to, at);
        assert_int_equal(source_of(to, at), stays ? source : 0);
    }
}

TEST(operations_move) {
    const col_operation delay = {.kind = COL_DELAY, .location = 7};
    col_program program = COL_PROGRAM_EMPTY, other = COL_PROGRAM_EMPTY;
    base_rng rng;
    col_problem problem;
    lists expected;
    base_rng_seed(&rng, 1, 0);
    for (int i = 0; i < 5000; i++) {
        draw(&rng, &program);
        const uint32_t o = below(&rng, col_program_operations(&program));
        const uint32_t from = col_program_thread_of(&program, o);
        const uint32_t thread = below(&rng, program.thread_count);
        const uint64_t moved = mark(&program, o);
        list(&program, &expected);
        pull(&expected, from, o - program.thread_start[from]);
        const uint32_t place = below(&rng, expected.lengths[thread] + 1);
        put(&expected, thread, place, moved);
        assert_int_equal(prg_move(&program, o, thread, place, &other, &problem), COL_OK);
        assert_sound(&other);
        assert_lists(&other, &expected);
        assert_dependencies(&program, &other);
        list(&program, &expected);
        const uint32_t where = below(&rng, expected.lengths[thread] + 1);
        assert_int_equal(prg_insert(&program, &delay, thread, where, &other, &problem), COL_OK);
        put(&expected, thread, where, (UINT64_C(7) * 16 + COL_DELAY) * 256);
        assert_sound(&other);
        assert_lists(&other, &expected);
        assert_dependencies(&program, &other);
        assert_int_equal(find(&program, prg_unused_value(&program)), UINT32_MAX);
    }
    col_program_free(&program);
    col_program_free(&other);
}

/* ---- Failures by chance. */

/* In thousandths. */
typedef uint32_t (*chance)(const col_program *program);

typedef struct dice {
    chance chance;
    int64_t answers; /* until there is none any more */
} dice;

static int64_t count(void *context, const col_program *program, uint64_t batch, uint32_t seeds,
                     uint64_t *shown) {
    dice *d = context;
    const col_hash hash = col_program_hash(program);
    const uint32_t thousandths = d->chance(program);
    int64_t failing = 0;
    base_rng rng;
    assert_sound(program);
    if (d->answers-- <= 0)
        return -1;
    base_rng_seed(&rng, hash.low, batch);
    for (uint32_t i = 0; i < seeds; i++)
        if (below(&rng, 1000) < thousandths) {
            failing++;
            *shown = i + 1;
        }
    return failing;
}

static epi_climb climb(dice *d, const char *text) {
    col_program program = COL_PROGRAM_EMPTY;
    col_problem problem;
    epi_climb c = {
        .count = count, .context = d, .seeds = SEEDS, .most_work = UINT64_C(1) << 40, .seed = 1};
    if (col_program_read(&program, text, strlen(text), "text", &problem) != COL_OK)
        fail_msg("%s", problem.message);
    assert_int_equal(epi_climb_begin(&c, &program, &problem), COL_OK);
    (void)epi_climb_run(&c);
    assert_int_equal(c.status, COL_OK);
    assert_sound(&c.best);
    col_program_free(&program);
    return c;
}

static uint32_t count_kind(const col_program *program, col_kind kind) {
    uint32_t found = 0;
    for (uint32_t o = 0; o < col_program_operations(program); o++)
        found += program->operations[o].kind == kind;
    return found;
}

static const char eleven[] =
    "collider program 1\nlocation a0 0x40\nlocation a1 0x80\nthread 0\n load a1\n store a0 1\n"
    " load a0\n load a1\n store a1 2\nthread 1\n load a0\n load a1\n store a1 3\n load a1\n"
    " load a1\n load a1\nend\n";

/* A store and a load of one location in different threads; more operations make it rarer. */
static uint32_t message(const col_program *program) {
    bool loads[2] = {0}, stores[2] = {0};
    uint32_t others = 0;
    for (uint32_t o = 0; o < col_program_operations(program); o++) {
        const col_operation *operation = &program->operations[o];
        const uint32_t t = col_program_thread_of(program, o);
        others += operation->kind != COL_DELAY;
        loads[t] |= operation->kind == COL_LOAD && program->addresses[operation->location] == 0x40;
        stores[t] |=
            operation->kind == COL_STORE && program->addresses[operation->location] == 0x40;
    }
    if ((!loads[0] || !stores[1]) && (!loads[1] || !stores[0]))
        return 0;
    return others == 0 ? 0 : 220 / others;
}

TEST(unneeded_operations_are_removed) {
    dice d = {.chance = message, .answers = INT64_MAX};
    epi_climb c = climb(&d, eleven);
    assert_false(c.over);
    assert_int_equal(col_program_operations(&c.best), 2); /* no delays: these do not help */
    assert_true(message(&c.best) > 0);
    assert_true(c.shown > 0);
    assert_in_range(c.rate.failing, 35, 75); /* 11 % of 504 */
    epi_climb_free(&c);
}

/* As before, but rare unless the store is delayed. */
static uint32_t late_message(const col_program *program) {
    for (uint32_t o = 1; o < col_program_operations(program); o++)
        if (program->operations[o].kind == COL_STORE &&
            program->operations[o - 1].kind == COL_DELAY &&
            program->operations[o - 1].location >= 256 && message(program) > 0)
            return 400;
    return message(program) > 0 ? 2 : 0;
}

TEST(delays_are_added_where_they_help) {
    dice d = {.chance = late_message, .answers = INT64_MAX};
    epi_climb c = climb(&d, eleven);
    assert_false(c.over);
    assert_int_equal(late_message(&c.best), 400);
    assert_int_equal(count_kind(&c.best, COL_DELAY), 1);
    assert_int_equal(col_program_operations(&c.best), 3);
    assert_true(c.rate.failing * 3 > c.rate.tried);
    epi_climb_free(&c);
}

/* The load must come before its thread's store, which it does not at first. */
static uint32_t in_order(const col_program *program) {
    const uint32_t operations = col_program_operations(program);
    uint32_t load = UINT32_MAX, store = UINT32_MAX;
    for (uint32_t o = operations; o-- > 0;) {
        load = program->operations[o].kind == COL_LOAD ? o : load;
        store = program->operations[o].kind == COL_STORE ? o : store;
    }
    if (load == UINT32_MAX || store == UINT32_MAX)
        return 0;
    return load < store ? 300 : 10;
}

TEST(operations_change_places) {
    static const char text[] = "collider program 1\nlocation a0 0x40\nlocation a1 0x80\nthread 0\n"
                               " store a0 1\n load a1\nend\n";
    dice d = {.chance = in_order, .answers = INT64_MAX};
    epi_climb c = climb(&d, text);
    assert_int_equal(col_program_operations(&c.best), 2);
    assert_int_equal(in_order(&c.best), 300);
    epi_climb_free(&c);
}

/* Awaits stay where they are; without an answer, or with too much work, it ends. */
TEST(climbing_stops_without_answers_or_with_too_much_work) {
    static const char waits[] = "collider program 1\nlocation a0 0x40\nthread 0\n store a0 1\n"
                                "thread 1\n await a0 1\n load a0\nend\n";
    dice d = {.chance = message, .answers = INT64_MAX};
    epi_climb c = climb(&d, waits);
    assert_int_equal(col_program_operations(&c.best), 3);
    assert_int_equal(d.answers, INT64_MAX);
    epi_climb_free(&c);
    for (int64_t answers = 0; answers < 200; answers += 13) {
        d.answers = answers;
        c = climb(&d, eleven);
        assert_true(c.over);
        assert_true(message(&c.best) > 0);
        assert_true(d.answers >= -1); /* it does not ask again */
        epi_climb_free(&c);
    }
}
