/* SPDX-License-Identifier: MIT */
/* A store as tables: what random rows hold is in the columns, value by value, and what they do not
 * hold is missing. */
#include "collider/store.h"

#include "harness.h"
#include "results/store_sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SAMPLES = 40 };

typedef struct scene {
    char folder[64], path[96];
    sample *samples;
    col_store *store;
} scene;

static void must(col_status status, const col_problem *problem) {
    if (status != COL_OK)
        fail_msg("%s", problem->message);
}

static int set_up(void **state) {
    scene *s = calloc(1, sizeof *s);
    cam_store *store = NULL;
    col_problem problem;
    s->samples = calloc(SAMPLES, sizeof *s->samples);
    (void)snprintf(s->folder, sizeof s->folder, "/tmp/collider-table-XXXXXX");
    assert_non_null(mkdtemp(s->folder));
    (void)snprintf(s->path, sizeof s->path, "%s/store.db", s->folder);
    must(cam_store_create(&store, s->path, &problem), &problem);
    for (uint64_t i = 0; i < SAMPLES; i++) {
        make_sample(&s->samples[i], i);
        must(cam_store_add(store, &s->samples[i].row, &s->samples[i].failure,
                           s->samples[i].has_failure ? 1 : 0, &problem),
             &problem);
    }
    cam_store_close(store);
    must(col_store_open(&s->store, s->path, &problem), &problem);
    *state = s;
    return 0;
}

static int tear_down(void **state) {
    scene *s = *state;
    col_store_close(s->store);
    (void)unlink(s->path);
    (void)rmdir(s->folder);
    free(s->samples);
    free(s);
    return 0;
}

static col_table *read_table(const scene *s, const char *name) {
    col_table *table = NULL;
    col_problem problem;
    must(col_store_read(s->store, name, NULL, &table, &problem), &problem);
    return table;
}

static const col_column *column_of(const col_table *table, const char *name) {
    for (uint32_t c = 0; c < table->column_count; c++)
        if (strcmp(table->columns[c].name, name) == 0)
            return &table->columns[c];
    fail_msg("there is no column %s", name);
    return NULL;
}

static const sample *sample_of(const scene *s, const char *key) {
    for (size_t i = 0; i < SAMPLES; i++)
        if (strcmp(s->samples[i].key, key) == 0)
            return &s->samples[i];
    fail_msg("nobody added %s", key);
    return NULL;
}

static void assert_text(const col_column *column, size_t row, const char *wanted) {
    assert_int_equal(column->is_there[row], wanted != NULL);
    if (wanted == NULL)
        assert_null(column->texts[row]);
    else
        assert_string_equal(column->texts[row], wanted);
}

TEST(trials_have_what_was_added) {
    const scene *s = *state;
    col_table *table = read_table(s, "trials");
    const col_column *trial = column_of(table, "trial"), *done = column_of(table, "done"),
                     *seed = column_of(table, "seed"), *cycles = column_of(table, "cycles"),
                     *seconds = column_of(table, "seconds"), *reason = column_of(table, "reason"),
                     *design = column_of(table, "design"),
                     *reached = column_of(table, "structural_reached");
    size_t episodes = 0, undone = 0;
    assert_int_equal(table->row_count, SAMPLES);
    for (size_t row = 0; row < table->row_count; row++) {
        const cam_row *wanted = &sample_of(s, trial->texts[row])->row;
        const bool runs = wanted->is_done && wanted->kind == CAM_EPISODE;
        episodes += runs ? 1 : 0;
        undone += wanted->is_done ? 0 : 1;
        assert_int_equal(done->numbers[row], wanted->is_done);
        assert_int_equal(seed->numbers[row], wanted->seed);
        assert_int_equal(cycles->is_there[row], runs);
        assert_int_equal(cycles->numbers[row], runs ? wanted->cycles : 0);
        assert_true(seconds->reals[row] == (wanted->is_done ? wanted->seconds : 0));
        assert_text(reason, row, wanted->reason);
        if (wanted->is_done)
            assert_text(design, row, wanted->design);
        assert_int_equal(reached->is_there[row],
                         runs && wanted->coverage[COL_STRUCTURAL].reachable_known);
    }
    assert_true(episodes > 0 && undone > 0);
    col_table_free(table);
}

TEST(curves_and_hits_are_unpacked) {
    const scene *s = *state;
    col_table *curves = read_table(s, "curves"), *hits = read_table(s, "hits");
    const col_column *of = column_of(curves, "trial"), *tests = column_of(curves, "tests"),
                     *owner = column_of(hits, "trial"), *count = column_of(hits, "hits"),
                     *point = column_of(hits, "point"), *first = column_of(hits, "first_test");
    size_t row = 0, hit = 0;
    while (row < curves->row_count) {
        const cam_row *wanted = &sample_of(s, of->texts[row])->row;
        for (size_t i = 0; i < wanted->curve_count; i++, row++)
            assert_int_equal(tests->numbers[row], wanted->curve[i].tests);
    }
    while (hit < hits->row_count) {
        const cam_row *wanted = &sample_of(s, owner->texts[hit])->row;
        for (size_t i = 0; i < wanted->point_count; i++, hit++) {
            assert_int_equal(point->numbers[hit], i);
            assert_int_equal(count->numbers[hit], wanted->hits[i]);
            assert_int_equal(first->is_there[hit], wanted->first[i] > 0);
        }
    }
    assert_true(row > 100 && hit > 100);
    col_table_free(curves);
    col_table_free(hits);
}

TEST(failures_are_those_of_their_trials) {
    const scene *s = *state;
    col_table *table = read_table(s, "failures");
    const col_column *trial = column_of(table, "trial"), *verdict = column_of(table, "verdict");
    size_t wanted = 0;
    for (size_t i = 0; i < SAMPLES; i++)
        wanted += s->samples[i].has_failure ? 1 : 0;
    assert_true(wanted > 0);
    assert_int_equal(table->row_count, wanted);
    for (size_t row = 0; row < table->row_count; row++)
        assert_text(verdict, row, sample_of(s, trial->texts[row])->failure.verdict);
    col_table_free(table);
}

TEST(every_table_of_the_list_is_read) {
    const scene *s = *state;
    size_t count = 0;
    for (; col_store_tables[count] != NULL; count++) {
        col_table *table = read_table(s, col_store_tables[count]);
        assert_true(table->column_count > 4);
        col_table_free(table);
    }
    assert_int_equal(count, 6);
    col_table_free(NULL);
    col_store_close(NULL);
}

TEST(unknown_tables_and_stores_are_refused) {
    const scene *s = *state;
    col_table *table = NULL;
    col_store *store = NULL;
    col_problem problem = {.file = ""};
    assert_int_equal(col_store_read(s->store, "meta", NULL, &table, &problem), COL_BAD_INPUT);
    assert_null(table);
    assert_non_null(strstr(problem.message, "'meta'"));
    assert_int_equal(col_store_open(&store, "/nowhere/at/all.db", &problem), COL_BAD_INPUT);
    assert_null(store);
}

int main(void) {
    return run_all_tests(set_up, tear_down);
}
