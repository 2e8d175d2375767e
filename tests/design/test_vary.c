/* SPDX-License-Identifier: MIT */
/* The simulator with a design that varies: seeds draw configurations, and hits add up over them. */
#include "watch.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdio.h>
#include <string.h>

enum { OPERATIONS = 512, CONFIGURATIONS = 12, CORES = 4 };

static const char path[] = TEST_DATA "/design/varied.yaml";

typedef struct heard {
    char configuration[512];
    uint64_t hash;
} heard;

static void notice(void *context, const col_event *event) {
    heard *h = context;
    if (event->kind == COL_OUTPUT) {
        assert_int_equal(sscanf(event->message, "configuration: %511s", h->configuration), 1);
        return;
    }
    h->hash = (h->hash ^ event->cycle ^ event->word << 20 ^ (uint64_t)event->operation << 40 ^
               event->core) *
              UINT64_C(0x100000001b3);
}

static heard run(col_duv *duv, uint64_t seed) {
    heard h = {.configuration = ""};
    const col_observer observer = {
        &h, notice, 1U << COL_LOAD_PERFORMED | 1U << COL_STORE_PERFORMED | 1U << COL_OUTPUT};
    col_run result = {.message = ""};
    assert_int_equal(col_duv_run(duv, seed, &observer, NULL, &result, NULL), COL_OK);
    if (result.end != COL_RUN_COMPLETE)
        fail_msg("%s: %s", h.configuration, result.message);
    return h;
}

static uint64_t seed_of(uint64_t configuration, uint64_t instance) {
    return configuration << 32 | instance;
}

/* An instance follows from program and seed, whatever ran before; what was drawn, given as options,
 * gives the same execution. */
TEST(a_configuration_follows_from_the_seed) {
    heard first[CONFIGURATIONS];
    col_program program = COL_PROGRAM_EMPTY;
    col_duv *duv = duv_open(path, CORES, NULL, false);
    uint32_t different = 0;
    assert_true(col_duv_describe(duv)->draws);
    program_make(&program, col_duv_describe(duv), OPERATIONS, 16, 1);
    assert_int_equal(col_duv_load(duv, &program, NULL), COL_OK);
    for (uint32_t c = 0; c < CONFIGURATIONS; c++) {
        first[c] = run(duv, seed_of(c, 5));
        different += c > 0 && strcmp(first[c].configuration, first[c - 1].configuration) != 0;
    }
    assert_int_equal(different, CONFIGURATIONS - 1);
    for (uint32_t c = CONFIGURATIONS; c-- > 0;) {
        const heard again = run(duv, seed_of(c, 5));
        assert_int_equal(again.hash, first[c].hash);
        const heard other = run(duv, seed_of(c, 6));
        assert_string_equal(other.configuration, first[c].configuration);
        assert_int_not_equal(other.hash, first[c].hash);
        col_duv *chosen = duv_open(path, CORES, first[c].configuration, false);
        assert_false(col_duv_describe(chosen)->draws);
        assert_int_equal(col_duv_load(chosen, &program, NULL), COL_OK);
        assert_int_equal(run(chosen, seed_of(c, 5)).hash, first[c].hash);
        col_duv_close(chosen);
    }
    col_duv_close(duv);
    col_program_free(&program);
}

/* Also through a child process. */
TEST(a_child_draws_the_same) {
    col_program program = COL_PROGRAM_EMPTY;
    col_duv *duv = duv_open(path, CORES, NULL, false), *child = duv_open(path, CORES, NULL, true);
    assert_true(col_duv_describe(child)->draws);
    program_make(&program, col_duv_describe(duv), OPERATIONS, 16, 1);
    assert_int_equal(col_duv_load(duv, &program, NULL), COL_OK);
    assert_int_equal(col_duv_load(child, &program, NULL), COL_OK);
    for (uint32_t c = 0; c < 3; c++)
        assert_int_equal(run(child, seed_of(c, 5)).hash, run(duv, seed_of(c, 5)).hash);
    col_duv_close(duv);
    col_duv_close(child);
    col_program_free(&program);
}

/* Hits are those of all configurations since they were last collected, each in its place. */
TEST(hits_add_up_over_configurations) {
    enum { MOST = 1 << 14 };
    static uint64_t together[MOST], apart[MOST];
    col_program program = COL_PROGRAM_EMPTY;
    col_duv *one = duv_open(path, CORES, NULL, false), *other = duv_open(path, CORES, NULL, false);
    const uint32_t count = col_duv_functional_count(col_duv_describe(one));
    uint64_t sum = 0;
    assert_true(count <= MOST);
    program_make(&program, col_duv_describe(one), OPERATIONS, 16, 2);
    assert_int_equal(col_duv_load(one, &program, NULL), COL_OK);
    assert_int_equal(col_duv_load(other, &program, NULL), COL_OK);
    for (uint32_t c = 0; c < CONFIGURATIONS; c++) {
        (void)run(one, seed_of(c, 1));
        (void)run(other, seed_of(c, 1));
        col_duv_collect(other, apart);
    }
    col_duv_collect(one, together);
    for (uint32_t i = 0; i < count; i++)
        sum += together[i];
    assert_true(sum > OPERATIONS);
    assert_memory_equal(together, apart, sizeof together);
    col_duv_close(one);
    col_duv_close(other);
    col_program_free(&program);
}
