/* SPDX-License-Identifier: MIT */
/*
 * The compiler runs out of memory at every allocation in turn: it says so, and never calls the
 * protocol wrong, nor writes other C than it does with enough memory.
 */
#include "protocol/slicc/translate.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdlib.h>
#include <string.h>

#ifdef REDUCED /* sanitizers have allocators of their own */
int main(void) {
    return 0;
}
#else
/* What the C library calls these itself. */
void *__libc_calloc(size_t count, size_t size); // NOLINT(bugprone-reserved-identifier)
void *__libc_realloc(void *old, size_t size);   // NOLINT(bugprone-reserved-identifier)

static uint64_t allocations, failing; /* the one that fails, from 1; 0: none */

static bool fails(void) {
    return ++allocations == failing;
}

void *calloc(size_t count, size_t size) {
    return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
    return fails() ? NULL : __libc_realloc(old, size);
}

typedef struct outcome {
    col_status status;
    base_text c, complaints;
    col_problem problem;
} outcome;

static void translate(const char *path, uint64_t failure, outcome *o) {
    char name[SLICC_MOST_NAME];
    slicc_mutations mutations = {.wanted = 1};
    *o = (outcome){0};
    allocations = 0;
    failing = failure;
    o->status = slicc_translate(path, &mutations, &o->c, name, &o->complaints, &o->problem);
    failing = 0;
    slicc_mutations_free(&mutations);
}

static void end(outcome *o) {
    base_text_free(&o->c);
    base_text_free(&o->complaints);
}

static bool is_same(const base_text *a, const base_text *b) {
    return a->length == b->length && (a->length == 0 || memcmp(a->data, b->data, a->length) == 0);
}

static void exhaust(const char *path) {
    outcome whole;
    translate(path, 0, &whole);
    const uint64_t count = allocations;
    for (uint64_t n = 1; n <= count; n++) {
        outcome o;
        translate(path, n, &o);
        if (o.status == COL_FAILURE)
            assert_non_null(strstr(o.problem.message, "out of memory"));
        else if (o.status != whole.status || !is_same(&o.complaints, &whole.complaints) ||
                 (o.status == COL_OK && !is_same(&o.c, &whole.c)))
            fail_msg("%s, allocation %u of %u: status %d, %s", path, (unsigned)n, (unsigned)count,
                     (int)o.status, o.problem.message);
        end(&o);
    }
    end(&whole);
    assert_true(count > 3);
}

static void running_out_of_memory_is_not_a_mistake_of_the_protocol(void **state) {
    (void)state;
    exhaust(TEST_DATA "/slicc-run/defaults.sm");
    exhaust(TEST_DATA "/slicc-run/tbe.sm");
    exhaust(TEST_DATA "/slicc-mutate/counts.sm");
    exhaust(TEST_DATA "/slicc-hostile/names.sm");
}

/* A mistake is a mistake, or there is no memory to tell. */
static void mistakes_are_reported_completely(void **state) {
    (void)state;
    exhaust(TEST_DATA "/slicc-refused/kinds.sm");
    exhaust(TEST_DATA "/slicc-refused/unused.sm");
    exhaust(TEST_DATA "/slicc-bad/five.sm");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(running_out_of_memory_is_not_a_mistake_of_the_protocol),
        cmocka_unit_test(mistakes_are_reported_completely),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
