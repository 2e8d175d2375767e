/* SPDX-License-Identifier: MIT */
/* ctest: long */
/*
 * What all engines promise of their files: a restored engine goes on as if it had never stopped,
 * and leaves the same file if it is saved again, only an engine with the same settings takes it,
 * and no damage to it does harm: it is refused with a sentence, or the engine goes on.
 */
#include "synthetic.h"

#include "base/file.h"
#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TESTS = 7, MOST_OPERATIONS = 64, MOST_LOCATIONS = 512, THREADS = 4 };

/* One byte in this many of a file is damaged. */
#ifndef STRIDE
#ifdef REDUCED
#define STRIDE 61
#else
#define STRIDE 23
#endif
#endif

/* ---- Engines with a witness of their tests. */

typedef struct watched_walk {
    synthetic_walk walk;
    col_witness_results witness;
    uint32_t event_nondeterminism[MOST_OPERATIONS], fit_locations[MOST_LOCATIONS];
    bool is_fit[MOST_LOCATIONS];
    col_signature signatures[THREADS];
} watched_walk;

static col_engine_settings settings_of(const char *name) {
    col_engine_settings settings =
        synthetic_settings((col_range){16, MOST_OPERATIONS}, (col_range){4, 8}, 3);
    settings.repeat = true;
    if (strcmp(name, "mtg") == 0)
        settings.options = "population=4,memory=1Ki,unconditional=0.3";
    else if (strcmp(name, "mtg-standard") == 0)
        settings.options = "population=4,memory=1Ki,window=3";
    else if (strncmp(name, "rlg", 3) == 0)
        settings.options = "neurons=3,recurrent=3,atoms=3,history=3,batch=2,replay=16,warm-up=3";
    else if (strncmp(name, "dqg", 3) == 0)
        settings.options = "neurons=2,layers=1,history=1,batch=2,replay=16,warm-up=3";
    return settings;
}

static void watch(watched_walk *w) {
    const uint32_t tests = (uint32_t)w->walk.design.feedback.tests;
    w->witness = (col_witness_results){.instances = 3, .events = 20, .conflicts = 20 + tests};
    w->witness.nondeterminism = (double)w->witness.conflicts / w->witness.events;
    for (uint32_t i = 0; i < MOST_OPERATIONS; i++)
        w->event_nondeterminism[i] = i * tests % 5;
    for (uint32_t l = tests % 3; l < w->walk.program.location_count; l += 3)
        w->fit_locations[w->witness.fit_count++] = l;
    for (uint32_t c = 0; c < THREADS; c++)
        w->signatures[c] = (col_signature){.sum = tests + c, .identity = UINT64_MAX - tests - c};
    w->witness.event_nondeterminism = w->event_nondeterminism;
    w->witness.fit_locations = w->fit_locations;
    w->witness.is_fit = w->is_fit;
    for (int o = 0; o < COL_OBSERVATION_COUNT; o++)
        w->witness.signatures[o] = w->signatures;
    w->walk.design.feedback.witness = &w->witness;
}

static void run(watched_walk *w) {
    (void)synthetic_run(&w->walk.design, &w->walk.point);
    watch(w);
}

static void go(watched_walk *w, uint32_t tests) {
    for (uint32_t i = 0; i < tests; i++) {
        assert_true(synthetic_step(&w->walk));
        run(w);
    }
}

/* On the way after some tests. */
static watched_walk *start(const char *name, uint32_t tests) {
    const col_engine_settings settings = settings_of(name);
    watched_walk *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->walk = synthetic_start(name, &settings, 7, 60);
    go(w, tests);
    return w;
}

static void end(watched_walk *w) {
    synthetic_end(&w->walk);
    free(w);
}

static base_text saved(const col_engine *engine, const col_feedback *last, const char *path) {
    base_text text = {0};
    col_problem problem = {0};
    if (col_engine_save(engine, last, path, &problem) != COL_OK ||
        base_file_read(path, &text, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    return text;
}

/* ---- Restored and saved again. */

/* Nobody asked for a test in between, and nobody knows any more what came of the last one. */
TEST(a_restored_state_saves_the_same_bytes) {
    const col_feedback none = {.total = SYNTHETIC_POINTS};
    char path[64];
    (void)synthetic_path(path);
    for (size_t e = 0; col_engines[e] != NULL; e++)
        for (uint32_t tests = 0; tests <= TESTS; tests += TESTS) {
            const col_engine_settings settings = settings_of(col_engines[e]);
            watched_walk *w = start(col_engines[e], tests);
            base_text first = saved(w->walk.engine, &w->walk.design.feedback, path);
            col_engine *again = synthetic_engine(col_engines[e], &settings);
            assert_int_equal(col_engine_restore(again, path, NULL), COL_OK);
            base_text second = saved(again, &none, path);
            assert_string_equal(first.data, second.data);
            base_text_free(&first);
            base_text_free(&second);
            col_engine_free(again);
            end(w);
        }
    (void)remove(path);
}

/* Saved after any test, restored, and gone on: as if it had never stopped. */
TEST(a_restored_engine_continues_identically) {
    enum { LONG = 60, BETWEEN = 3 };
    col_hash hashes[LONG] = {{0}};
    char path[64];
    (void)synthetic_path(path);
    for (size_t e = 0; col_engines[e] != NULL; e++) {
        const col_engine_settings settings = settings_of(col_engines[e]);
        base_text whole = {0};
        for (uint32_t stop = LONG; stop <= LONG; stop -= BETWEEN) { /* the first run is whole */
            watched_walk *w = start(col_engines[e], 0);
            for (uint32_t i = 0; i < LONG; i++) {
                if (i == stop) {
                    base_text state_of = saved(w->walk.engine, &w->walk.design.feedback, path);
                    base_text_free(&state_of);
                    col_engine_free(w->walk.engine);
                    w->walk.engine = synthetic_engine(col_engines[e], &settings);
                    assert_int_equal(col_engine_restore(w->walk.engine, path, NULL), COL_OK);
                }
                assert_true(synthetic_step(&w->walk));
                const col_hash hash = col_program_hash(&w->walk.program);
                if (stop == LONG)
                    hashes[i] = hash;
                if (hash.high != hashes[i].high || hash.low != hashes[i].low)
                    fail_msg("%s, saved after %u tests: test %u is another one", col_engines[e],
                             stop, i + 1);
                run(w);
            }
            base_text last = saved(w->walk.engine, &w->walk.design.feedback, path);
            if (stop < LONG)
                assert_string_equal(last.data, whole.data);
            base_text_free(&whole);
            whole = last;
            end(w);
        }
        base_text_free(&whole);
    }
    (void)remove(path);
}

/* Saved with a test under way, of which the episode keeps the program, and saved again after it. */
TEST(an_unfinished_test_survives_saving) {
    char path[64];
    (void)synthetic_path(path);
    for (size_t e = 0; col_engines[e] != NULL; e++) {
        const col_engine_settings settings = settings_of(col_engines[e]);
        watched_walk *w = start(col_engines[e], TESTS);
        col_feedback before = w->walk.design.feedback;
        before.witness = NULL;
        assert_true(synthetic_step(&w->walk));
        run(w);
        base_text whole = saved(w->walk.engine, &w->walk.design.feedback, path);
        assert_int_equal(col_engine_save(w->walk.engine, &before, path, NULL), COL_OK);
        col_engine *again = synthetic_engine(col_engines[e], &settings);
        assert_int_equal(col_engine_restore(again, path, NULL), COL_OK);
        assert_int_equal(dir_engine_kept(again)->tests, TESTS);
        base_text parts = saved(again, &w->walk.design.feedback, path);
        assert_string_equal(whole.data, parts.data);
        base_text_free(&whole);
        base_text_free(&parts);
        col_engine_free(again);
        end(w);
    }
    (void)remove(path);
}

/* ---- Settings. */

static void expect_other(const char *name, const col_engine_settings *settings, const char *path) {
    col_problem problem = {0};
    col_engine *engine = synthetic_engine(name, settings);
    assert_int_equal(col_engine_restore(engine, path, &problem), COL_BAD_INPUT);
    assert_non_null(strstr(problem.message, "with other settings"));
    col_engine_free(engine);
}

TEST(states_of_other_settings_are_refused) {
    char path[64];
    (void)synthetic_path(path);
    watched_walk *w = start("chain-bias", 2);
    const col_engine_settings same = settings_of("chain-bias");
    assert_int_equal(col_engine_save(w->walk.engine, &w->walk.design.feedback, path, NULL), COL_OK);
    col_engine_settings other = same;
    other.mix = "c1";
    expect_other("chain-bias", &other, path);
    other = same;
    other.options = "sharing=false";
    expect_other("chain-bias", &other, path);
    other = same;
    other.sets = 2;
    expect_other("chain-bias", &other, path);
    other = same;
    other.operations.most *= 2;
    expect_other("chain-bias", &other, path);
    other = same;
    other.seed++;
    expect_other("chain-bias", &other, path);
    other = same;
    other.repeat = false;
    expect_other("chain-bias", &other, path);
    col_engine *engine = synthetic_engine("chain-bias", &same);
    assert_int_equal(col_engine_restore(engine, path, NULL), COL_OK);
    col_engine_free(engine);
    end(w);
    (void)remove(path);
}

/* ---- Damage. */

enum { DAMAGES = 8 };

/* One place of a file: a bit, another byte of the format, a byte less, the end. */
static void damage(const base_text *good, size_t place, uint32_t how, base_text *bad) {
    static const char others[] = {'0', '9', '-', '"', ']'};
    const char byte = good->data[place];
    bad->length = 0;
    base_text_add_bytes(bad, good->data, place);
    if (how < 2)
        base_text_print(bad, "%c", byte ^ (how == 0 ? 1 : 4));
    else if (how - 2 < sizeof others)
        base_text_print(bad, "%c", others[how - 2]);
    base_text_add_bytes(bad, good->data + place + 1, good->length - place - 1);
}

/* Nobody waits for the disk. */
static void write_bytes(const char *path, const char *bytes, size_t length) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static void expect_no_harm(const watched_walk *w, const char *name, bool saves, const char *path) {
    const col_engine_settings settings = settings_of(name);
    col_problem problem = {0};
    col_engine *engine = synthetic_engine(name, &settings);
    synthetic design = w->walk.design;
    col_program program = COL_PROGRAM_EMPTY;
    col_point point = {.operations = 1};
    col_status status = col_engine_restore(engine, path, &problem);
    for (uint32_t i = 0; i < 3 && status == COL_OK && point.operations > 0; i++) {
        status = col_engine_next(engine, &design.feedback, &program, &point, &problem);
        if (status == COL_OK && point.operations > 0)
            (void)synthetic_run(&design, &point);
    }
    if (status == COL_OK && saves) {
        design.feedback.witness = NULL; /* it is not of these programs */
        status = col_engine_save(engine, &design.feedback, path, &problem);
    }
    assert_true(status == COL_OK || (status == COL_BAD_INPUT && problem.message[0] != '\0'));
    col_program_free(&program);
    col_engine_free(engine);
}

TEST(damaged_states_do_no_harm) {
    char path[64];
    base_text bad = {0};
    (void)synthetic_path(path);
    for (size_t e = 0; col_engines[e] != NULL; e++) {
        watched_walk *w = start(col_engines[e], TESTS);
        base_text good = saved(w->walk.engine, &w->walk.design.feedback, path);
        for (size_t place = 0; place < good.length; place += STRIDE)
            for (uint32_t how = 0; how < DAMAGES; how += STRIDE == 1 ? 1 : DAMAGES) {
                const uint32_t chosen = (how + (uint32_t)(place / STRIDE)) % DAMAGES;
                damage(&good, place, chosen, &bad);
                write_bytes(path, bad.data, bad.length);
                expect_no_harm(w, col_engines[e], place / STRIDE % 16 == 0, path);
            }
        for (size_t length = 0; length < good.length; length += 1 + good.length / 8) {
            write_bytes(path, good.data, length);
            expect_no_harm(w, col_engines[e], false, path);
        }
        base_text_free(&good);
        end(w);
    }
    base_text_free(&bad);
    (void)remove(path);
}
