/* SPDX-License-Identifier: MIT */
/* ctest: long-sanitized */
/* The check of a program's promises, against a slow oracle that follows the header's comments, and
 * the fault that it names when one promise is broken on purpose. */
#include "harness.h"
#include "random_program.h"

#include <stdio.h>
#include <string.h>

/* ---- The oracle. */

static bool reads(const col_operation *operation) {
    return operation->kind == COL_LOAD || operation->kind == COL_AWAIT ||
           operation->kind == COL_SWAP || operation->kind == COL_ADD ||
           operation->kind == COL_CONDITIONAL || operation->kind == COL_DMA_READ;
}

static bool writes(const col_operation *operation) {
    return operation->kind == COL_STORE || operation->kind == COL_SWAP ||
           operation->kind == COL_ADD || operation->kind == COL_CONDITIONAL ||
           operation->kind == COL_DMA_WRITE;
}

static bool by_dma(const col_operation *operation) {
    return operation->kind == COL_DMA_READ || operation->kind == COL_DMA_WRITE;
}

static bool located(const col_operation *operation) {
    return reads(operation) || writes(operation) || operation->kind == COL_FLUSH ||
           operation->kind == COL_FETCH || operation->kind == COL_PREFETCH;
}

static bool may_depend(const col_operation *operation) {
    return located(operation) && !by_dma(operation) && operation->kind != COL_PREFETCH;
}

/* The promises that an operation keeps by itself. */
static bool is_sound(const col_program *program, const col_operation *operation) {
    const bool fence = operation->kind == COL_FENCE;
    if (operation->kind >= COL_KIND_COUNT)
        return false;
    if (located(operation) && operation->location >= program->location_count)
        return false;
    if (fence && operation->location != 0)
        return false;
    if ((writes(operation) || operation->kind == COL_AWAIT) != (operation->value != 0))
        return false;
    if (operation->order > (by_dma(operation) ? 0 : COL_ACQUIRE | COL_RELEASE))
        return false;
    if ((operation->order & COL_ACQUIRE) != 0 && !reads(operation))
        return false;
    if ((operation->order & COL_RELEASE) != 0 && !writes(operation))
        return false;
    return fence ? operation->fence >= 1 && operation->fence <= 15 : operation->fence == 0;
}

static bool depends_soundly(const col_operation *thread, uint32_t place) {
    const col_operation *operation = &thread[place];
    if (operation->dependency == COL_NO_DEPENDENCY)
        return operation->distance == 0;
    if (operation->dependency != COL_ADDRESS && operation->dependency != COL_DATA &&
        operation->dependency != COL_CONTROL)
        return false;
    if (!may_depend(operation) || (operation->dependency == COL_DATA && !writes(operation)))
        return false;
    for (uint32_t earlier = 0; earlier < place; earlier++)
        if (place - earlier == operation->distance)
            return reads(&thread[earlier]) && !by_dma(&thread[earlier]);
    return false;
}

/* The promises about values that an operation keeps together with all the others. */
static bool is_valued_soundly(const col_program *program, uint32_t index) {
    const col_operation *operation = &program->operations[index];
    bool unique = true, hopeful = false;
    for (uint32_t o = 0; o < col_program_operations(program); o++) {
        const col_operation *other = &program->operations[o];
        if (o != index && writes(other) && other->value == operation->value)
            unique = false;
        if (writes(other) && other->kind != COL_ADD && other->kind != COL_CONDITIONAL &&
            other->location == operation->location && other->value == operation->value)
            hopeful = true;
    }
    return (!writes(operation) || unique) && (operation->kind != COL_AWAIT || hopeful);
}

/* Can this operation happen, given what has happened? */
static bool is_free(const col_program *program, const bool *happened, uint32_t index) {
    for (uint32_t t = 0; t < program->thread_count; t++)
        if (index > program->thread_start[t] && index < program->thread_start[t + 1] &&
            !happened[index - 1])
            return false;
    if (program->operations[index].kind != COL_AWAIT)
        return true;
    for (uint32_t o = 0; o < col_program_operations(program); o++)
        if (writes(&program->operations[o]) && happened[o] &&
            program->operations[o].value == program->operations[index].value)
            return true;
    return false;
}

/* Let whatever can happen happen, again and again: is anything left? */
static bool comes_to_an_end(const col_program *program) {
    bool happened[128] = {false};
    const uint32_t count = col_program_operations(program);
    assert_true(count <= 128);
    uint32_t left = count;
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t o = 0; o < count; o++)
            if (!happened[o] && is_free(program, happened, o)) {
                happened[o] = moved = true;
                left--;
            }
    }
    return left == 0;
}

static bool keeps_all_promises(const col_program *program) {
    for (uint32_t l = 0; l < program->location_count; l++) {
        if (program->addresses[l] % 8 != 0)
            return false;
        for (uint32_t other = 0; other < l; other++)
            if (program->addresses[other] == program->addresses[l])
                return false;
    }
    for (uint32_t t = 0; t < program->thread_count; t++)
        for (uint32_t o = program->thread_start[t]; o < program->thread_start[t + 1]; o++)
            if (!is_sound(program, &program->operations[o]) ||
                !depends_soundly(program->operations + program->thread_start[t],
                                 o - program->thread_start[t]) ||
                !is_valued_soundly(program, o))
                return false;
    return comes_to_an_end(program);
}

/* ---- Any change: the verdicts agree. */

/* Small numbers, those that the program uses, and any. */
static uint32_t interesting_number(base_rng *rng, const col_program *program) {
    const uint32_t other = random_between(rng, 0, col_program_operations(program) - 1);
    switch (random_between(rng, 0, 3)) {
    case 0:
        return program->operations[other].value;
    case 1:
        return (uint32_t)base_rng_next(rng);
    default:
        return random_between(rng, 0, 9);
    }
}

static void change_anything(base_rng *rng, col_program *program) {
    if (random_between(rng, 0, 15) > 0 || program->location_count == 0) {
        const uint32_t index = random_between(rng, 0, col_program_operations(program) - 1);
        col_operation *operation = &program->operations[index];
        const uint32_t number = interesting_number(rng, program);
        uint8_t *const bytes[] = {&operation->kind, &operation->order, &operation->dependency,
                                  &operation->fence};
        uint32_t *const words[] = {&operation->location, &operation->value, &operation->distance};
        const uint32_t field = random_between(rng, 0, 6);
        if (field < 4)
            *bytes[field] = (uint8_t)number;
        else
            *words[field - 4] = number;
        return;
    }
    uint64_t *address = &program->addresses[random_between(rng, 0, program->location_count - 1)];
    switch (random_between(rng, 0, 2)) {
    case 0:
        *address = program->addresses[random_between(rng, 0, program->location_count - 1)];
        break;
    case 1:
        *address ^= UINT64_C(1) << random_between(rng, 0, 63);
        break;
    default:
        program->location_count--;
    }
}

TEST(the_check_agrees_with_the_oracle) {
    enum { TESTS = 50000 };
    uint32_t good = 0;
    col_program program = COL_PROGRAM_EMPTY;
    for (uint64_t test = 0; test < TESTS; test++) {
        base_rng rng;
        base_rng_seed(&rng, 11, test);
        do
            random_program(&rng, &program);
        while (col_program_operations(&program) == 0);
        assert_true(keeps_all_promises(&program));
        for (uint32_t changes = random_between(&rng, 1, 3); changes > 0; changes--)
            change_anything(&rng, &program);
        const bool expected = keeps_all_promises(&program);
        col_problem problem = {.message = "accepted"};
        const col_status status = col_program_check(&program, &problem);
        if (status != (expected ? COL_OK : COL_BAD_INPUT))
            fail_msg("test %llu: %s", (unsigned long long)test, problem.message);
        good += expected;
    }
    assert_true(good > TESTS / 20);
    assert_true(good < TESTS - TESTS / 20);
    col_program_free(&program);
}

/* ---- One broken promise: the fault names it and its place. */

/* A random valid program, and the operation that a breaker is asked to spoil. A breaker says
 * whether it can; `index` becomes the place of the fault (a location when `in_map`). */
typedef struct victim {
    base_rng *rng;
    col_program *program;
    col_operation *operation;
    uint32_t place; /* in its thread */
    uint32_t index;
    bool in_map;
} victim;

static bool repeat_value(victim *v) {
    const uint32_t other = random_between(v->rng, 0, col_program_operations(v->program) - 1);
    if (!writes(v->operation) || !writes(&v->program->operations[other]) || other == v->index)
        return false;
    v->operation->value = v->program->operations[other].value;
    v->index = other > v->index ? other : v->index;
    return true;
}

static bool take_value_away(victim *v) {
    const bool had = v->operation->value != 0;
    v->operation->value = 0;
    return had;
}

static bool give_value(victim *v) {
    const bool had = v->operation->value != 0;
    v->operation->value = random_between(v->rng, 1, UINT32_MAX);
    return !had;
}

static bool leave_the_map(victim *v) {
    v->operation->location = random_between(v->rng, v->program->location_count, UINT32_MAX);
    return located(v->operation);
}

static bool locate_fence(victim *v) {
    v->operation->location = 1;
    return v->operation->kind == COL_FENCE;
}

static bool acquire_without_read(victim *v) {
    v->operation->order |= COL_ACQUIRE;
    return !by_dma(v->operation) && !reads(v->operation);
}

static bool release_without_write(victim *v) {
    v->operation->order |= COL_RELEASE;
    return !by_dma(v->operation) && !writes(v->operation);
}

static bool order_unknown(victim *v) {
    v->operation->order |= (uint8_t)(4u << random_between(v->rng, 0, 5));
    return true;
}

static bool become_unknown(victim *v) {
    v->operation->kind = (uint8_t)random_between(v->rng, COL_KIND_COUNT, UINT8_MAX);
    return true;
}

static bool order_no_pair(victim *v) {
    v->operation->fence = random_between(v->rng, 0, 1) == 0
                              ? 0
                              : (uint8_t)random_between(v->rng, COL_FULL_FENCE + 1, UINT8_MAX);
    return v->operation->kind == COL_FENCE;
}

static bool order_pairs_without_fence(victim *v) {
    v->operation->fence = (uint8_t)random_between(v->rng, 1, UINT8_MAX);
    return v->operation->kind != COL_FENCE;
}

static bool keep_distance_alone(victim *v) {
    v->operation->dependency = COL_NO_DEPENDENCY;
    v->operation->distance = random_between(v->rng, 1, 3);
    return true;
}

static bool depend_in_unknown_way(victim *v) {
    v->operation->dependency = (uint8_t)random_between(v->rng, COL_DEPENDENCY_COUNT, UINT8_MAX);
    return true;
}

static bool depend_on_no_read(victim *v) {
    v->operation->dependency = COL_CONTROL;
    v->operation->distance = random_between(v->rng, 1, v->place + 1);
    return may_depend(v->operation) && v->operation->distance <= v->place &&
           !reads(v->operation - v->operation->distance);
}

static bool depend_too_far(victim *v) {
    v->operation->dependency = COL_ADDRESS;
    v->operation->distance = random_between(v->rng, v->place + 1, UINT32_MAX);
    return may_depend(v->operation);
}

static bool depend_on_the_thread_before(victim *v) {
    v->operation->dependency = COL_ADDRESS;
    v->operation->distance = v->place + 1; /* the last operation of the thread before */
    return may_depend(v->operation);
}

static bool depend_on_itself(victim *v) {
    v->operation->dependency = COL_ADDRESS;
    v->operation->distance = 0;
    return reads(v->operation) && !by_dma(v->operation);
}

static bool depend_for_no_data(victim *v) {
    const bool depended = v->operation->dependency != COL_NO_DEPENDENCY;
    v->operation->dependency = COL_DATA;
    return depended && !writes(v->operation);
}

static bool depend_without_location(victim *v) {
    v->operation->dependency = COL_CONTROL;
    v->operation->distance = 1;
    return !located(v->operation);
}

static bool depend_by_dma(victim *v) {
    v->operation->dependency = COL_CONTROL;
    v->operation->distance = 1;
    return by_dma(v->operation) || v->operation->kind == COL_PREFETCH;
}

static bool depend_on_dma(victim *v) {
    v->operation->dependency = COL_CONTROL;
    v->operation->distance = 1;
    return may_depend(v->operation) && v->place > 0 && v->operation[-1].kind == COL_DMA_READ;
}

static bool order_dma(victim *v) {
    v->operation->order = COL_ACQUIRE;
    return by_dma(v->operation);
}

static bool misalign_address(victim *v) {
    if (v->program->location_count == 0)
        return false;
    v->in_map = true;
    v->index = random_between(v->rng, 0, v->program->location_count - 1);
    v->program->addresses[v->index] += random_between(v->rng, 1, 7);
    return true;
}

static bool share_address(victim *v) {
    if (v->program->location_count < 2)
        return false;
    v->in_map = true;
    v->index = random_between(v->rng, 1, v->program->location_count - 1);
    v->program->addresses[v->index] =
        v->program->addresses[random_between(v->rng, 0, v->index - 1)];
    return true;
}

/* For a value that nothing writes, an add's value, or one that is written elsewhere. */
static bool wait_in_vain(victim *v) {
    if (v->operation->kind != COL_AWAIT)
        return false;
    v->operation->value = interesting_number(v->rng, v->program);
    return v->operation->value != 0 && !is_valued_soundly(v->program, v->index);
}

/* For a value that the same thread writes later. */
static bool wait_for_oneself(victim *v) {
    const uint32_t thread = col_program_thread_of(v->program, v->index);
    if (v->operation->kind != COL_LOAD)
        return false;
    for (uint32_t o = v->index + 1; o < v->program->thread_start[thread + 1]; o++) {
        const col_operation *write = &v->program->operations[o];
        if (write->kind != COL_STORE && write->kind != COL_SWAP)
            continue;
        v->operation->kind = COL_AWAIT;
        v->operation->location = write->location;
        v->operation->value = write->value;
        return true;
    }
    return false;
}

static const struct breaker {
    bool (*break_promise)(victim *v);
    const char *complaint;
} breakers[] = {
    {repeat_value, "values are unique"},
    {take_value_away, "0 is the initial value of every location"},
    {give_value, "has no value"},
    {leave_the_map, "is not declared"},
    {locate_fence, "a fence has no location"},
    {acquire_without_read, "acquire is for what reads"},
    {release_without_write, "release is for what writes"},
    {order_unknown, "unknown ordering attribute"},
    {become_unknown, "unknown kind of operation"},
    {order_no_pair, "a fence orders at least one pair"},
    {order_pairs_without_fence, "a fence orders at least one pair"},
    {keep_distance_alone, "a distance without a dependency"},
    {depend_in_unknown_way, "unknown kind of dependency"},
    {depend_on_no_read, "which reads nothing"},
    {depend_too_far, "is not an earlier operation of this thread"},
    {depend_on_the_thread_before, "is not an earlier operation of this thread"},
    {depend_on_itself, "is not an earlier operation of this thread"},
    {depend_for_no_data, "a data dependency is for what writes"},
    {depend_without_location, "cannot depend on a read"},
    {depend_by_dma, "cannot depend on a read"},
    {depend_on_dma, "which the thread does not wait for"},
    {order_dma, "nothing is ordered with"},
    {misalign_address, "is not a multiple of 8"},
    {share_address, "already belongs to another location"},
    {wait_in_vain, "the await would never end"},
    {wait_for_oneself, "neither would ever happen"},
};
enum { BREAKERS = sizeof breakers / sizeof *breakers };

static uint32_t thread_of(const col_program *program, uint32_t index) {
    uint32_t thread = 0;
    while (program->thread_start[thread + 1] <= index)
        thread++;
    return thread;
}

static victim find_victim(base_rng *rng, col_program *program) {
    do
        random_program(rng, program);
    while (col_program_operations(program) == 0);
    const uint32_t index = random_between(rng, 0, col_program_operations(program) - 1);
    return (victim){.rng = rng,
                    .program = program,
                    .operation = &program->operations[index],
                    .place = index - program->thread_start[thread_of(program, index)],
                    .index = index};
}

static void assert_complaint(const victim *v, const char *complaint) {
    char place[64];
    const uint32_t thread = v->in_map ? 0 : thread_of(v->program, v->index);
    if (v->in_map)
        (void)snprintf(place, sizeof place, "location a%u: ", v->index);
    else
        (void)snprintf(place, sizeof place, "thread %u, operation %u: ", thread,
                       v->index - v->program->thread_start[thread]);
    col_problem problem = {.message = "accepted"};
    const col_status status = col_program_check(v->program, &problem);
    if (status != COL_BAD_INPUT || strncmp(problem.message, place, strlen(place)) != 0 ||
        strstr(problem.message, complaint) == NULL)
        fail_msg("expected %s... %s, got %s", place, complaint, problem.message);
    assert_string_equal(problem.file, "");
}

TEST(a_broken_promise_is_named) {
    enum { TESTS = 120000 };
    uint32_t broken[BREAKERS] = {0};
    col_program program = COL_PROGRAM_EMPTY;
    for (uint64_t test = 0; test < TESTS; test++) {
        base_rng rng;
        base_rng_seed(&rng, 12, test);
        victim v = find_victim(&rng, &program);
        const uint32_t breaker = random_between(&rng, 0, BREAKERS - 1);
        if (!breakers[breaker].break_promise(&v))
            continue;
        broken[breaker]++;
        assert_false(keeps_all_promises(&program));
        assert_complaint(&v, breakers[breaker].complaint);
    }
    for (uint32_t b = 0; b < BREAKERS; b++)
        if (broken[b] < 50)
            fail_msg("%s: tried only %u times", breakers[b].complaint, broken[b]);
    col_program_free(&program);
}
