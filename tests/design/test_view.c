/* SPDX-License-Identifier: MIT */
/*
 * What observers are shown: reads alone of designs that show more, stores that were merged as if
 * they had performed one after the other, and what reads saw as coverage.
 */
#include "design/black_box_points.h"
#include "harness.h"
#include "watch.h"

#include <stdlib.h>
#include <string.h>

/* ---- Reads alone. */

typedef struct seen {
    const col_program *program;
    uint64_t *words;
    uint32_t *times; /* by operation: how often it was told of */
    uint32_t others; /* events of other kinds */
} seen;

static void see(void *context, const col_event *event) {
    seen *s = context;
    const bool writes = event->kind == COL_STORE_PERFORMED;
    if (event->kind != COL_VALUE_RETURNED && event->kind != COL_LOAD_PERFORMED && !writes) {
        s->others++;
        return;
    }
    if (!col_kinds[s->program->operations[event->operation].kind].reads)
        return;
    s->words[event->operation] = writes ? event->read : event->word;
    s->times[event->operation]++;
}

static void run_seen(const char *design, bool reads_only, const col_program *program, seen *s) {
    const col_duv_settings settings = {.cores = 4, .reads_only = reads_only};
    const size_t count = (size_t)col_program_operations(program) + 1;
    const uint32_t kinds = reads_only ? 1U << COL_VALUE_RETURNED | 1U << COL_STORE_PERFORMED
                                      : 1U << COL_LOAD_PERFORMED | 1U << COL_STORE_PERFORMED;
    col_duv *duv;
    col_problem problem;
    col_run run;
    *s = (seen){.program = program,
                .words = calloc(count, sizeof *s->words),
                .times = calloc(count, sizeof *s->times)};
    const col_observer observer = {s, see, kinds};
    assert_int_equal(col_duv_open(&duv, design, &settings, &problem), COL_OK);
    assert_int_equal(col_duv_describe(duv)->shows, reads_only ? COL_SHOWS_READS : COL_SHOWS_EVENTS);
    assert_int_equal(col_duv_load(duv, program, &problem), COL_OK);
    assert_int_equal(col_duv_run(duv, 7, &observer, NULL, &run, &problem), COL_OK);
    assert_int_equal(run.end, COL_RUN_COMPLETE);
    col_duv_close(duv);
}

static void free_seen(seen *s) {
    free(s->words);
    free(s->times);
}

TEST(reads_alone_are_those_among_the_events) {
    col_program program = COL_PROGRAM_EMPTY;
    col_duv *duv = duv_open("mesi2", 4, NULL, false);
    program_make(&program, col_duv_describe(duv), 800, 12, 3);
    col_duv_close(duv);
    seen all, reads;
    run_seen("mesi2", false, &program, &all);
    run_seen("mesi2", true, &program, &reads);
    uint32_t told = 0;
    for (uint32_t o = 0; o < col_program_operations(&program); o++) {
        assert_int_equal(all.times[o], reads.times[o]);
        assert_int_equal(all.words[o], reads.words[o]);
        told += reads.times[o];
    }
    assert_true(told > 100);
    assert_int_equal(reads.others, 0);
    free_seen(&all);
    free_seen(&reads);
    col_program_free(&program);
}

/* ---- Merged stores. */

static const char merging[] = "collider program 1\nlocation a0 0x40\nlocation a1 0x80\n"
                              "thread 0\nstore a0 1\nstore a0 2\nstore a1 3\nstore a0 4\n"
                              "thread 1\nstore a0 5\nend\n";

typedef struct list {
    col_event events[16];
    uint32_t count;
} list;

static void keep(void *context, const col_event *event) {
    list *l = context;
    assert_true(l->count < 16);
    l->events[l->count++] = *event;
}

static void assert_store(const list *l, uint32_t place, uint32_t operation, uint64_t word,
                         uint64_t overwritten) {
    assert_true(place < l->count);
    const col_event *event = &l->events[place];
    assert_int_equal(event->kind, COL_STORE_PERFORMED);
    assert_int_equal(event->operation, operation);
    assert_int_equal(event->word, word);
    assert_int_equal(event->overwritten, overwritten);
}

TEST(merged_stores_perform_one_after_the_other) {
    col_program program = COL_PROGRAM_EMPTY;
    col_problem problem;
    list l = {.count = 0};
    duv_view view = {0};
    const col_observer to = {&l, keep, 1U << COL_STORE_PERFORMED};
    assert_int_equal(col_program_read(&program, merging, sizeof merging - 1, "merging", &problem),
                     COL_OK);
    const col_observer from = duv_view_begin(&view, &program, &to, false);
    const col_event told[] = {
        {.kind = COL_STORE_MERGED, .operation = 0},
        {.kind = COL_STORE_MERGED, .operation = 1},
        /* Another thread's store, and one elsewhere: they have nothing to do with it. */
        {.kind = COL_STORE_PERFORMED, .core = 1, .operation = 4, .word = 5, .overwritten = 0},
        {.kind = COL_STORE_PERFORMED, .operation = 2, .word = 3, .overwritten = 0},
        {.kind = COL_STORE_PERFORMED, .operation = 3, .word = 4, .overwritten = 5},
    };
    for (size_t i = 0; i < sizeof told / sizeof told[0]; i++)
        from.notice(from.context, &told[i]);
    assert_int_equal(l.count, 5);
    assert_store(&l, 0, 4, 5, 0);
    assert_store(&l, 1, 2, 3, 0);
    assert_store(&l, 2, 0, 1, 5);
    assert_store(&l, 3, 1, 2, 1);
    assert_store(&l, 4, 3, 4, 2);
    assert_int_equal(view.count, 0);
    duv_view_free(&view);
    col_program_free(&program);
}

/* ---- Sights. */

static const char sights_text[] =
    "collider program 1\nlocation a0 0x40\nlocation a1 0x80\n"
    "thread 0\nstore a0 1\nload a1\nload a1 acquire\nswap a0 2\nadd a1 7\n"
    "thread 1\nstore a1 3 release\nload a0\nawait a0 2\nload a1\nend\n";

static uint64_t hits_of(const duv_read_points *s, const uint64_t *hits, uint32_t machine,
                        uint32_t core, const char *state, const char *event) {
    const col_duv_machine *m = &s->machines[machine];
    for (uint32_t p = m->first_point; p < m->first_point + m->point_count; p++)
        if (strcmp(s->description.points[p].state, state) == 0 &&
            strcmp(s->description.points[p].event, event) == 0)
            return hits[col_duv_functional(&s->description, machine, core, p)];
    fail_msg("there is no point %s/%s", state, event);
    return 0;
}

TEST(what_reads_saw_is_covered) {
    const col_duv_description design = {
        .name = "box", .cores = 2, .shows = COL_SHOWS_READS, .geometry = {.block_bits = 6}};
    static const struct {
        uint32_t core, operation;
        uint64_t word;
    } told[] = {{0, 1, 0},
                {0, 2, 3},
                {0, 3, 1},
                {0, 4, 3},
                {1, 6, 0},
                {1, 7, 2},
                {1, 8, 3 + (UINT64_C(7) << 32)}};
    col_program program = COL_PROGRAM_EMPTY;
    col_problem problem;
    duv_read_points s = {.most_value = 0};
    assert_int_equal(
        col_program_read(&program, sights_text, sizeof sights_text - 1, "sights", &problem),
        COL_OK);
    assert_int_equal(duv_read_points_open(&s, &design, &problem), COL_OK);
    assert_int_equal(duv_check_description(&s.description, &problem), COL_OK);
    assert_int_equal(duv_read_points_load(&s, &program, &problem), COL_OK);
    for (size_t i = 0; i < sizeof told / sizeof told[0]; i++)
        duv_read_points_notice(&s, &(col_event){.kind = COL_VALUE_RETURNED,
                                                .core = told[i].core,
                                                .operation = told[i].operation,
                                                .word = told[i].word});
    uint64_t *hits = calloc(col_duv_functional_count(&s.description), sizeof *hits);
    assert_non_null(hits);
    duv_read_points_collect(&s, hits);
    assert_int_equal(hits_of(&s, hits, 0, 0, "initial", "load"), 1);
    assert_int_equal(hits_of(&s, hits, 0, 0, "release", "acquire"), 1);
    assert_int_equal(hits_of(&s, hits, 0, 0, "own", "swap"), 1);
    assert_int_equal(hits_of(&s, hits, 0, 0, "release", "add"), 1);
    assert_int_equal(hits_of(&s, hits, 0, 1, "initial", "load"), 1);
    assert_int_equal(hits_of(&s, hits, 0, 1, "swap", "await"), 1);
    assert_int_equal(hits_of(&s, hits, 0, 1, "add", "load"), 1);
    assert_int_equal(hits_of(&s, hits, 0, 1, "store", "load"), 0);
    /* The store before the first load; then the acquire comes after the store, too. */
    assert_int_equal(hits_of(&s, hits, 1, 0, "wrote", "then-initial"), 1);
    assert_int_equal(hits_of(&s, hits, 1, 0, "wrote", "then-other"), 1);
    assert_int_equal(hits_of(&s, hits, 1, 0, "saw-other", "then-own"), 1);
    assert_int_equal(hits_of(&s, hits, 1, 0, "saw-own", "then-other"), 1);
    assert_int_equal(hits_of(&s, hits, 1, 1, "saw-other", "then-other"), 1);
    duv_read_points_collect(&s, hits); /* all was told */
    assert_int_equal(hits_of(&s, hits, 0, 0, "initial", "load"), 1);
    free(hits);
    duv_read_points_free(&s);
    col_program_free(&program);
}
