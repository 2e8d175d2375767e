/* SPDX-License-Identifier: MIT */
/*
 * The example of an engine as a plug-in, as any other engine: what it chooses follows from the seed
 * and the feedback, it goes on from what was saved as if it had never stopped, and no damage to
 * that does harm. What is wrong with others is in the sessions of tests/data/cli/engine.txt.
 */
#include "synthetic.h"

#include "base/file.h"
#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TESTS = 60, HALF = 25 };

static const char *bandit_path(void) {
    static char path[1024];
    const char *slash = strrchr(COLLIDER_COMMAND, '/');
    (void)snprintf(path, sizeof path, "%.*s/bandit.so", (int)(slash - COLLIDER_COMMAND),
                   COLLIDER_COMMAND);
    return path;
}

static col_engine_settings settings_of(uint64_t seed) {
    return synthetic_settings((col_range){16, 64}, (col_range){4, 8}, seed);
}

static synthetic_walk start(uint64_t seed) {
    const col_engine_settings settings = settings_of(seed);
    return synthetic_start(bandit_path(), &settings, 7, 60);
}

/* A hash of the programs of this many tests. */
static uint64_t go(synthetic_walk *walk, uint32_t tests) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < tests; i++) {
        assert_true(synthetic_step(walk));
        sum = 31 * sum + col_program_hash(&walk->program).low;
        (void)synthetic_run(&walk->design, &walk->point);
    }
    return sum;
}

TEST(choices_follow_from_the_seed) {
    uint64_t sums[3];
    for (uint32_t i = 0; i < 3; i++) {
        synthetic_walk walk = start(i == 2 ? 8 : 7);
        sums[i] = go(&walk, TESTS);
        synthetic_end(&walk);
    }
    assert_int_equal(sums[0], sums[1]);
    assert_true(sums[0] != sums[2]);
}

/* Of points that cover ten times as much as others, it takes more. */
TEST(the_example_engine_learns_which_points_pay) {
    synthetic_walk walk = start(3);
    uint32_t small = 0, all = 0;
    for (uint32_t i = 0; i < 400; i++) {
        assert_true(synthetic_step(&walk));
        const col_feedback *feedback = synthetic_run(&walk.design, &walk.point);
        walk.design.feedback.gained = walk.point.operations == 16 ? 50 : 0;
        assert_non_null(feedback);
        small += i >= 100 && walk.point.operations == 16;
        all += i >= 100;
    }
    assert_true(small > all * 8 / 10);
    synthetic_end(&walk);
}

TEST(a_saved_engine_plugin_continues) {
    const col_engine_settings settings = settings_of(7);
    char path[64];
    col_problem problem = {0};
    (void)synthetic_path(path);
    synthetic_walk whole = start(7), parts = start(7);
    (void)go(&whole, HALF);
    (void)go(&parts, HALF);
    assert_int_equal(col_engine_save(parts.engine, &parts.design.feedback, path, &problem), COL_OK);
    col_engine_free(parts.engine);
    parts.engine = synthetic_engine(bandit_path(), &settings);
    assert_int_equal(col_engine_restore(parts.engine, path, &problem), COL_OK);
    assert_int_equal(go(&whole, TESTS - HALF), go(&parts, TESTS - HALF));
    synthetic_end(&whole);
    synthetic_end(&parts);
    (void)remove(path);
}

/* ---- Damage. */

static void write_bytes(const char *path, const base_text *text) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text->data, 1, text->length, file), text->length);
    assert_int_equal(fclose(file), 0);
}

static bool survives(const char *path, const col_feedback *feedback) {
    const col_engine_settings settings = settings_of(7);
    col_program program = COL_PROGRAM_EMPTY;
    col_point point;
    col_problem problem = {0};
    col_engine *engine = synthetic_engine(bandit_path(), &settings);
    col_status status = col_engine_restore(engine, path, &problem);
    const bool taken = status == COL_OK;
    if (taken)
        status = col_engine_next(engine, feedback, &program, &point, &problem);
    assert_true(status == COL_OK || (status == COL_BAD_INPUT && problem.message[0] != '\0'));
    col_program_free(&program);
    col_engine_free(engine);
    return taken;
}

TEST(no_damage_does_harm) {
    base_text good = {0};
    char path[64];
    uint32_t refused = 0;
    (void)synthetic_path(path);
    synthetic_walk walk = start(7);
    (void)go(&walk, 5);
    assert_int_equal(col_engine_save(walk.engine, &walk.design.feedback, path, NULL), COL_OK);
    assert_int_equal(base_file_read(path, &good, NULL), COL_OK);
    assert_true(survives(path, &walk.design.feedback));
    const char *bytes = strstr(good.data, "\"bytes\"");
    assert_non_null(bytes);
    for (size_t place = (size_t)(bytes - good.data); place < good.length; place += 7) {
        static const char others[] = {'f', '0', '"', 'x'};
        for (size_t o = 0; o < sizeof others; o++) {
            const char was = good.data[place];
            good.data[place] = others[o];
            write_bytes(path, &good);
            refused += !survives(path, &walk.design.feedback);
            good.data[place] = was;
        }
    }
    assert_true(refused > 100);
    base_text_free(&good);
    synthetic_end(&walk);
    (void)remove(path);
}
