/* SPDX-License-Identifier: MIT */
/* The store: what goes in comes out, whatever it is. */
#include "results/statistics/evolution.h"

#include "harness.h"
#include "results/store_dump.h"
#include "results/store_sample.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 200 };

/* ---- Comparing. */

static void check_text(const char *a, const char *b) {
    if (a == NULL || b == NULL)
        assert_ptr_equal(a, b);
    else
        assert_string_equal(a, b);
}

/* As statistics see it, on each axis. */
static void check_packed(const cam_row *is, const cam_row *was) {
    cam_step mine[MOST_CURVE], theirs[MOST_CURVE];
    assert_int_equal(is->curve_count, was->curve_count);
    assert_null(is->curve);
    for (int axis = 0; axis < CAM_AXIS_COUNT; axis++)
        for (int metric = 0; metric < COL_METRIC_COUNT; metric++) {
            (void)cam_row_curve(is, (cam_axis)axis, (col_metric)metric, mine);
            (void)cam_row_curve(was, (cam_axis)axis, (col_metric)metric, theirs);
            for (size_t i = 0; i < was->curve_count; i++) {
                assert_true(fabs(mine[i].x - theirs[i].x) <= 1e-6);
                assert_int_equal(mine[i].covered, theirs[i].covered);
            }
        }
}

static void check_arrays(const cam_row *is, const cam_row *was, unsigned parts) {
    if ((parts & CAM_PACKED) != 0)
        check_packed(is, was);
    else if ((parts & CAM_CURVES) != 0) {
        assert_int_equal(is->curve_count, was->curve_count);
        for (size_t i = 0; i < was->curve_count; i++) {
            assert_true(is->curve[i].seconds > was->curve[i].seconds - 1e-6 &&
                        is->curve[i].seconds < was->curve[i].seconds + 1e-6);
            assert_int_equal(is->curve[i].tests, was->curve[i].tests);
            assert_int_equal(is->curve[i].operations, was->curve[i].operations);
            assert_int_equal(is->curve[i].cycles, was->curve[i].cycles);
            assert_int_equal(is->curve[i].structural, was->curve[i].structural);
            assert_int_equal(is->curve[i].functional, was->curve[i].functional);
        }
    } else {
        assert_int_equal(is->curve_count, 0);
    }
    if ((parts & CAM_HITS) != 0) {
        assert_int_equal(is->point_count, was->point_count);
        for (size_t i = 0; i < was->point_count; i++) {
            assert_true(is->hits[i] == was->hits[i]);
            assert_int_equal(is->first[i], was->first[i]);
        }
    } else {
        assert_int_equal(is->point_count, 0);
    }
    check_text(is->learning, (parts & CAM_LEARNING) != 0 ? was->learning : NULL);
}

static void check_extent(const cam_extent *is, const cam_extent *was) {
    assert_int_equal(is->covered, was->covered);
    assert_int_equal(is->total, was->total);
    assert_int_equal(is->reachable_known, was->reachable_known);
    assert_int_equal(is->reached, was->reached);
    assert_int_equal(is->reachable, was->reachable);
}

static void check_row(const cam_row *is, const cam_row *was, unsigned parts) {
    assert_int_equal(is->kind, was->kind);
    assert_int_equal(is->pair_count, was->pair_count);
    for (uint32_t i = 0; i < was->pair_count; i++) {
        assert_string_equal(is->pairs[i].name, was->pairs[i].name);
        assert_string_equal(is->pairs[i].value, was->pairs[i].value);
    }
    assert_int_equal(is->seed, was->seed);
    assert_int_equal(is->is_done, was->is_done);
    check_text(is->reason, was->reason);
    check_text(is->provenance.version, was->provenance.version);
    check_text(is->provenance.host, was->provenance.host);
    check_text(is->provenance.design_hash, was->provenance.design_hash);
    assert_int_equal(is->provenance.started, was->provenance.started);
    if (!was->is_done) {
        assert_null(is->verdict);
        assert_int_equal(is->tests, 0);
        return;
    }
    check_text(is->design, was->design);
    check_text(is->verdict, was->verdict);
    check_text(is->model, was->model);
    check_text(is->ended_by, was->ended_by);
    assert_int_equal(is->cores, was->cores);
    assert_int_equal(is->tests, was->tests);
    assert_int_equal(is->instances, was->instances);
    assert_int_equal(is->operations, was->operations);
    assert_int_equal(is->cycles, was->cycles);
    assert_int_equal(is->undecided, was->undecided);
    assert_true(is->seconds == was->seconds && is->failure_seconds == was->failure_seconds);
    assert_true(is->failing_seconds == was->failing_seconds);
    for (int m = 0; m < COL_METRIC_COUNT; m++)
        check_extent(&is->coverage[m], &was->coverage[m]);
    assert_int_equal(is->failing_tests, was->failing_tests);
    assert_int_equal(is->failing_cycles, was->failing_cycles);
    assert_int_equal(is->failure_test, was->failure_test);
    assert_int_equal(is->failure_instance, was->failure_instance);
    assert_int_equal(is->failure_cycles, was->failure_cycles);
    check_arrays(is, was, parts);
}

typedef struct visits {
    unsigned parts;
    size_t count;
    char last[CAM_HASH];
} visits;

/* The key's second half is the sample's number. */
static col_status check_visit(void *context, const cam_row *row, col_problem *problem) {
    visits *v = context;
    sample *s = malloc(sizeof *s);
    (void)problem;
    assert_non_null(s);
    make_sample(s, strtoull(row->key + 16, NULL, 16));
    check_row(row, &s->row, v->parts);
    assert_true(strcmp(v->last, row->key) < 0); /* by key, each once */
    (void)snprintf(v->last, sizeof v->last, "%s", row->key);
    v->count++;
    free(s);
    return COL_OK;
}

static col_status check_failure(void *context, const cam_failure_row *is, col_problem *problem) {
    size_t *count = context;
    sample *s = malloc(sizeof *s);
    (void)problem;
    assert_non_null(s);
    make_sample(s, strtoull(is->key + 16, NULL, 16));
    assert_true(s->has_failure);
    check_text(is->story, s->failure.story);
    check_text(is->picture, s->failure.picture);
    check_text(is->hash, s->failure.hash);
    check_text(is->fingerprint, s->failure.fingerprint);
    check_text(is->verdict, s->failure.verdict);
    check_text(is->reason, s->failure.reason);
    check_text(is->record, s->failure.record);
    check_text(is->program, s->failure.program);
    check_text(is->shrunk, s->failure.shrunk);
    assert_int_equal(is->number, 0); /* no plan has these trials */
    assert_int_equal(is->kind, 1);
    assert_int_equal(is->count, s->failure.count);
    assert_int_equal(is->test, s->failure.test);
    assert_int_equal(is->cycles, s->failure.cycles);
    assert_int_equal(is->instance, s->failure.instance);
    assert_true(is->seconds == s->failure.seconds);
    assert_int_equal(is->size, s->failure.size);
    check_text(is->litmus, NULL);
    assert_int_equal(is->threads, s->failure.threads);
    assert_int_equal(is->operations, s->failure.operations);
    (*count)++;
    free(s);
    return COL_OK;
}

/* Odd rounds write in batches. */
static void write_samples(cam_store *store, size_t *failures) {
    sample *s = malloc(sizeof *s);
    col_problem problem;
    assert_non_null(s);
    for (uint64_t i = 0; i < ROWS; i++) {
        make_sample(s, i);
        if (i % 20 == 10)
            assert_int_equal(cam_store_begin(store, &problem), COL_OK);
        assert_int_equal(cam_store_add(store, &s->row, &s->failure, s->has_failure, &problem),
                         COL_OK);
        if (i % 20 == 19)
            assert_int_equal(cam_store_commit(store, &problem), COL_OK);
        *failures += s->has_failure;
    }
    free(s);
}

TEST(rows_read_back_as_written) {
    const char *path = scratch_path("rows.db");
    cam_store *store;
    col_problem problem;
    size_t failures = 0, seen = 0;
    assert_int_equal(cam_store_create(&store, path, &problem), COL_OK);
    write_samples(store, &failures);
    cam_store_close(store);
    assert_int_equal(cam_store_open(&store, path, &problem), COL_OK);
    for (unsigned parts = 0; parts < 16; parts++) {
        visits v = {.parts = parts};
        assert_int_equal(cam_store_each(store, NULL, parts, check_visit, &v, &problem), COL_OK);
        assert_int_equal(v.count, ROWS);
    }
    assert_int_equal(cam_store_failures(store, NULL, check_failure, &seen, &problem), COL_OK);
    assert_true(failures > 10);
    assert_int_equal(seen, failures);
    /* To read is not to write. */
    sample *s = calloc(1, sizeof *s);
    make_sample(s, ROWS);
    assert_int_equal(cam_store_add(store, &s->row, NULL, 0, &problem), COL_FAILURE);
    free(s);
    cam_store_close(store);
    remove_store(path);
}

/* ---- Who came first counts, unless it failed. */

static col_status take_verdict(void *context, const cam_row *row, col_problem *problem) {
    char *text = context;
    (void)problem;
    (void)snprintf(text, 64, "%s %s %zu", row->is_done ? "done" : "failed",
                   row->is_done ? row->verdict : row->reason, row->curve_count);
    return COL_OK;
}

TEST(the_first_result_of_a_trial_stays) {
    static const struct {
        bool is_done;
        const char *says, *then;
    } steps[] = {{false, "one", "failed one 0"},
                 {false, "two", "failed two 0"},
                 {true, "pass", "done pass 1"},
                 {true, "violation", "done pass 1"},
                 {false, "three", "done pass 1"}};
    const char *path = scratch_path("first.db");
    const col_curve_point point = {.seconds = 1, .tests = 2};
    cam_store *store;
    col_problem problem;
    char is[64], count[24];
    assert_int_equal(cam_store_create(&store, path, &problem), COL_OK);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        const cam_row row = {.key = "0123456789abcdef0123456789abcdef",
                             .is_done = steps[i].is_done,
                             .reason = steps[i].is_done ? NULL : steps[i].says,
                             .verdict = steps[i].says,
                             .curve = &point,
                             .curve_count = steps[i].is_done};
        assert_int_equal(cam_store_add(store, &row, NULL, 0, &problem), COL_OK);
        assert_int_equal(cam_store_each(store, NULL, CAM_CURVES, take_verdict, is, &problem),
                         COL_OK);
        assert_string_equal(is, steps[i].then);
    }
    cam_store_close(store);
    ask_store(path, "SELECT count(*) FROM trials", count, sizeof count);
    assert_string_equal(count, "1");
    ask_store(path, "SELECT count(*) FROM curves", count, sizeof count);
    assert_string_equal(count, "1");
    remove_store(path);
}

/* A transaction of many is all or nothing. */
TEST(a_transaction_is_all_or_nothing) {
    const char *path = scratch_path("batch.db");
    cam_store *store;
    col_problem problem;
    char count[24];
    const cam_row good = {.key = "0", .reason = "x"}, bad = {.key = NULL, .reason = "x"};
    assert_int_equal(cam_store_create(&store, path, &problem), COL_OK);
    assert_int_equal(cam_store_begin(store, &problem), COL_OK);
    assert_int_equal(cam_store_add(store, &good, NULL, 0, &problem), COL_OK);
    assert_int_equal(cam_store_add(store, &bad, NULL, 0, &problem), COL_FAILURE);
    assert_int_equal(cam_store_commit(store, &problem), COL_FAILURE);
    ask_store(path, "SELECT count(*) FROM trials", count, sizeof count);
    assert_string_equal(count, "0");
    /* One that is not committed is not seen. */
    assert_int_equal(cam_store_begin(store, &problem), COL_OK);
    assert_int_equal(cam_store_add(store, &good, NULL, 0, &problem), COL_OK);
    ask_store(path, "SELECT count(*) FROM trials", count, sizeof count);
    assert_string_equal(count, "0");
    assert_int_equal(cam_store_commit(store, &problem), COL_OK);
    cam_store_close(store);
    ask_store(path, "SELECT count(*) FROM trials", count, sizeof count);
    assert_string_equal(count, "1");
    remove_store(path);
}

/* ---- Plans. */

static col_status take_plan(void *context, const cam_plan_row *row, col_problem *problem) {
    base_text *text = context;
    (void)problem;
    base_text_print(text, "%s/%s/%s/%llu\n%s", row->name, row->scale, row->title,
                    (unsigned long long)row->trials, row->text);
    return COL_OK;
}

/* What a plan says of papers may be mended: the trials are the same, and the last word counts. */
TEST(the_latest_text_of_a_plan_counts) {
    static const char trials[] = "grids:\n  - {design: mi, engine: plain, tests: 1, seed: 1..2}\n"
                                 "scales:\n  tiny: {seed: 1}\n";
    const char *path = scratch_path("plans.db");
    cam_store *store;
    col_problem problem;
    base_text is = {0}, was = {0};
    assert_int_equal(cam_store_create(&store, path, &problem), COL_OK);
    for (int turn = 0; turn < 4; turn++) {
        cam_plan plan = {0};
        char text[512];
        (void)snprintf(text, sizeof text, "plan: p\ntitle: %s\n%s", turn < 2 ? "Old" : "New",
                       trials);
        assert_int_equal(cam_plan_read(&plan, text, strlen(text), "plan",
                                       turn % 2 == 0 ? NULL : "tiny", &problem),
                         COL_OK);
        assert_int_equal(cam_store_add_plan(store, &plan, &problem), COL_OK);
        if (turn >= 2)
            base_text_print(&was, "p/%s/New/%d\n%s", turn == 2 ? "" : "tiny", turn == 2 ? 2 : 1,
                            text);
        cam_plan_free(&plan);
    }
    assert_int_equal(cam_store_plans(store, take_plan, &is, &problem), COL_OK);
    assert_string_equal(is.data, was.data);
    base_text_free(&is);
    base_text_free(&was);
    cam_store_close(store);
    remove_store(path);
}

/* ---- Designs. */

typedef struct designs {
    size_t count;
    uint32_t cores[4];
    char events[4][16];
} designs;

static col_status take_design(void *context, const cam_design_row *row, col_problem *problem) {
    designs *d = context;
    (void)problem;
    assert_string_equal(row->name, "toy");
    assert_int_equal(row->point_count, 2);
    assert_string_equal(row->points[0].machine, "L1");
    assert_true(row->reachable_known && row->points[0].is_reachable &&
                !row->points[1].is_reachable);
    d->cores[d->count] = row->cores;
    (void)snprintf(d->events[d->count++], sizeof d->events[0], "%s", row->points[1].event);
    return COL_OK;
}

TEST(designs_are_kept_once_per_hash) {
    const char *path = scratch_path("designs.db");
    static const struct {
        const char *hash, *event;
        uint32_t cores;
    } rows[] = {{"b", "Load", 8}, {"a", "Load", 4}, {"c", "Store", 8}, {"a", "other", 99}};
    cam_store *store;
    col_problem problem;
    designs d = {0};
    char count[24];
    assert_int_equal(cam_store_create(&store, path, &problem), COL_OK);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const cam_point points[] = {{"L1", "I", "Load", true}, {"L1", "M", rows[i].event, false}};
        const cam_design_row row = {.hash = rows[i].hash,
                                    .name = "toy",
                                    .cores = rows[i].cores,
                                    .reachable_known = true,
                                    .points = points,
                                    .point_count = 2};
        assert_int_equal(cam_store_add_design(store, &row, &problem), COL_OK);
    }
    assert_int_equal(cam_store_designs(store, take_design, &d, &problem), COL_OK);
    cam_store_close(store);
    assert_int_equal(d.count, 3); /* of one hash the first counts */
    assert_int_equal(d.cores[0], 4);
    assert_string_equal(d.events[0], "Load");
    ask_store(path,
              "SELECT group_concat(e) FROM (SELECT event AS e FROM designs JOIN points USING"
              " (point_set) WHERE hash = 'c' ORDER BY number)",
              count, sizeof count);
    assert_string_equal(count, "Load,Store");
    remove_store(path);
}

int main(void) {
    return run_all_tests(NULL, remove_scratch);
}
