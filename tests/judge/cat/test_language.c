/* SPDX-License-Identifier: MIT */
/* ctest: long-sanitized */
/*
 * The cat language: laws that hold in every graph (tests/data/cat), so that operators, precedence,
 * functions and fixed points are tried against each other; and files of tests/data/cat-bad, whose
 * first lines say what is wrong and where.
 */
#include "base/random.h"
#include "judge/cat/cat_run.h"

#include "texts.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Graphs by chance. */

static uint32_t below(base_rng *rng, uint32_t bound) {
    return (uint32_t)base_rng_below(rng, bound);
}

/* rf and co are any pairs at all: laws hold for these, too. */
static void random_graph(base_rng *rng, uint32_t events, cat_graph *graph) {
    col_problem problem;
    cat_graph_begin(graph, events, &problem);
    assert_int_equal(graph->status, COL_OK);
    for (uint32_t i = 0; i < events; i++)
        graph->events[i] = (cat_event){.thread = i == 0 ? CAT_NO_THREAD : i * 4 / events,
                                       .instance = i / 2,
                                       .location = below(rng, 3),
                                       .kind = i == 0 ? CAT_WRITE : (uint8_t)below(rng, 6)};
    cat_graph_derive(graph);
    for (uint32_t i = 0; i < events * 2; i++) {
        const cat_relation relation = below(rng, 2) == 0 ? CAT_RF : CAT_CO;
        cat_graph_relate(graph, relation, below(rng, events), below(rng, events));
    }
}

static void check_laws(cat_run *run, const cat_model *model, const cat_graph *graph) {
    col_problem problem;
    cat_verdict verdict;
    assert_int_equal(cat_run_load(run, graph, &problem), COL_OK);
    assert_int_equal(cat_run_judge(run, CAT_WITH_CO, &verdict, &problem), COL_OK);
    if (!verdict.is_allowed)
        fail_msg("the law of line %u does not hold in a graph of %u events",
                 model->checks[verdict.check].place.line, graph->size.events);
}

TEST(algebraic_laws_hold_in_every_graph) {
    cat_model model = {0};
    cat_graph graph = {0};
    cat_run *run;
    base_rng rng;
    col_problem problem;
    base_rng_seed(&rng, 1, 0);
    if (cat_model_read_file(&model, TEST_DATA "/cat/laws.cat", NULL, &problem) != COL_OK)
        fail_msg("%u:%u: %s", problem.line, problem.column, problem.message);
    assert_true(model.check_count > 30); /* not all are decided before there is a graph */
    assert_int_equal(cat_run_new(&run, &model, &problem), COL_OK);
    for (uint32_t i = 0; i < 60; i++) {
        random_graph(&rng, i < 50 ? 1 + below(&rng, 70) : 600, &graph);
        check_laws(run, &model, &graph);
    }
    cat_run_free(run);
    cat_graph_free(&graph);
    cat_model_free(&model);
}

/* ---- Expressions by chance, against their definitions. */

enum { EVENTS = 9 };

typedef struct value {
    bool pairs[EVENTS][EVENTS]; /* of a set: the diagonal */
} value;

typedef struct writer {
    base_rng rng;
    const cat_graph *graph;
    base_text text;
} writer;

static value leaf(const writer *w, bool is_set, uint32_t which) {
    value v = {0};
    for (uint32_t i = 0; i < EVENTS; i++) {
        const uint64_t *set = w->graph->sets[which];
        const uint64_t *relation = is_set ? NULL : w->graph->relations[which];
        for (uint32_t j = 0; j < EVENTS; j++)
            v.pairs[i][j] = is_set
                                ? i == j && set != NULL && cat_has(set, i)
                                : relation != NULL && cat_relates(relation, w->graph->size, i, j);
    }
    return v;
}

static value write_set(writer *w, uint32_t depth);

/* Whether two operands with the same pair of events in or out give one that is. */
static value combine(const value *a, const value *b, char operator, bool is_set) {
    value v = {0};
    for (uint32_t i = 0; i < EVENTS; i++) {
        for (uint32_t j = 0; j < EVENTS; j++) {
            const bool x = a->pairs[i][j], y = b->pairs[i][j];
            bool follows = false;
            for (uint32_t k = 0; k < EVENTS; k++)
                follows = follows || (a->pairs[i][k] && b->pairs[k][j]);
            v.pairs[i][j] = operator== '|' ? x || y :
                            operator== '&' ? x && y
                            :
                            operator== '\\' ? x && !y
                            :
                            operator== '~' ? !x && (!is_set || i == j)
                            :
                            operator== '*' ? a->pairs[i][i] && b->pairs[j][j]
                            :
                            operator== '^' ? a->pairs[j][i]
                            :
                            operator== '?' ? x || i == j
                                           : follows;
        }
    }
    return v;
}

static value closure(const value *a) {
    value v = *a;
    for (uint32_t round = 0; round < EVENTS; round++) {
        const value longer = combine(&v, a, ';', false);
        v = combine(&v, &longer, '|', false);
    }
    return v;
}

static value write_relation(writer *w, uint32_t depth) {
    static const cat_relation leaves[] = {CAT_PO, CAT_RF, CAT_CO, CAT_LOC, CAT_INT, CAT_EXT};
    static const char two[] = "|&\\;|;";
    const uint32_t choice = depth == 0 ? 0 : below(&w->rng, 14);
    value a, b;
    if (choice < 2) {
        const cat_relation which = leaves[below(&w->rng, 6)];
        base_text_add(&w->text, cat_relation_names[which]);
        return leaf(w, false, which);
    }
    base_text_add(&w->text, choice == 8 ? "[" : choice == 9 ? "~(" : "(");
    if (choice < 8) {
        a = write_relation(w, depth - 1);
        base_text_print(&w->text, " %c ", two[choice - 2]);
        b = write_relation(w, depth - 1);
        base_text_add(&w->text, ")");
        return combine(&a, &b, two[choice - 2], false);
    }
    if (choice == 8) {
        a = write_set(w, depth - 1);
        base_text_add(&w->text, "]");
        return a;
    }
    if (choice == 13) {
        a = write_set(w, depth - 1);
        base_text_add(&w->text, " * ");
        b = write_set(w, depth - 1);
        base_text_add(&w->text, ")");
        return combine(&a, &b, '*', false);
    }
    a = write_relation(w, depth - 1);
    static const char *const ends[] = {")", ")+", ")?", ")^-1"};
    base_text_add(&w->text, ends[choice - 9]);
    return choice == 10 ? closure(&a) : combine(&a, &a, "~ ?^"[choice - 9], false);
}

static value write_set(writer *w, uint32_t depth) {
    static const cat_set leaves[] = {CAT_R, CAT_W, CAT_M, CAT_F, CAT_IW, CAT_REGISTER_READ};
    static const char two[] = "|&\\";
    const uint32_t choice = depth == 0 ? 0 : below(&w->rng, 8);
    value a, b, v = {0};
    if (choice < 2) {
        const cat_set which = leaves[below(&w->rng, 6)];
        base_text_add(&w->text, cat_set_names[which]);
        return leaf(w, true, which);
    }
    base_text_add(&w->text, choice == 5   ? "~("
                            : choice == 6 ? "(domain("
                            : choice == 7 ? "(range("
                                          : "(");
    if (choice >= 6) {
        a = write_relation(w, depth - 1);
        base_text_add(&w->text, "))");
        for (uint32_t i = 0; i < EVENTS; i++)
            for (uint32_t j = 0; j < EVENTS; j++)
                if (a.pairs[i][j])
                    v.pairs[choice == 6 ? i : j][choice == 6 ? i : j] = true;
        return v;
    }
    a = write_set(w, depth - 1);
    if (choice == 5) {
        base_text_add(&w->text, ")");
        return combine(&a, &a, '~', true);
    }
    base_text_print(&w->text, " %c ", two[choice - 2]);
    b = write_set(w, depth - 1);
    base_text_add(&w->text, ")");
    return combine(&a, &b, two[choice - 2], true);
}

/* `data` is what the expression should be. */
static void check_expression(writer *w, cat_graph *graph) {
    col_problem problem;
    cat_model model = {0};
    cat_run *run;
    cat_verdict verdict;
    w->text.length = 0;
    base_text_add(&w->text, "let e = ");
    const value wanted = write_relation(w, 5);
    base_text_add(&w->text, "\nempty (e \\ data) | (data \\ e)\n");
    cat_graph_clear(graph, CAT_DATA);
    for (uint32_t i = 0; i < EVENTS; i++)
        for (uint32_t j = 0; j < EVENTS; j++)
            if (wanted.pairs[i][j])
                cat_graph_relate(graph, CAT_DATA, i, j);
    if (cat_model_read(&model, w->text.data, w->text.length, "e.cat", NULL, &problem) != COL_OK)
        fail_msg("%s: %s", w->text.data, problem.message);
    assert_int_equal(cat_run_new(&run, &model, &problem), COL_OK);
    assert_int_equal(cat_run_load(run, graph, &problem), COL_OK);
    assert_int_equal(cat_run_judge(run, CAT_WITH_CO, &verdict, &problem), COL_OK);
    if (!verdict.is_allowed)
        fail_msg("not as defined: %s", w->text.data);
    cat_run_free(run);
    cat_model_free(&model);
}

TEST(expressions_have_the_values_of_their_definitions) {
    cat_graph graph = {0};
    writer w = {.graph = &graph};
    base_rng_seed(&w.rng, 5, 0);
    for (uint32_t i = 0; i < 1500; i++) {
        random_graph(&w.rng, EVENTS, &graph);
        check_expression(&w, &graph);
    }
    base_text_free(&w.text);
    cat_graph_free(&graph);
}

/* ---- What is refused. */

/* "# expect LINE:COLUMN: message"; 0:0 stands for any place. */
static void refuses_as_expected(const char *name, const base_text *text) {
    char path[1024], expected[300], got[300];
    cat_model model = {0};
    col_problem problem = {0};
    (void)snprintf(path, sizeof path, "%s/cat-bad/%s", TEST_DATA, name);
    assert_true(strncmp(text->data, "# expect ", 9) == 0);
    (void)snprintf(expected, sizeof expected, "%.*s", (int)strcspn(text->data + 9, "\n"),
                   text->data + 9);
    if (cat_model_read_file(&model, path, NULL, &problem) != COL_BAD_INPUT)
        fail_msg("%s is not refused", name);
    const bool any_place = strncmp(expected, "0:0: ", 5) == 0;
    assert_true(problem.line > 0 && problem.column > 0);
    (void)snprintf(got, sizeof got, "%u:%u: %.250s", any_place ? 0 : problem.line,
                   any_place ? 0 : problem.column, problem.message);
    if (strcmp(got, expected) != 0)
        fail_msg("%s: expected '%s', got '%s'", name, expected, got);
}

TEST(bad_files_are_refused_with_a_place) {
    assert_true(for_each_text("cat-bad", ".cat", refuses_as_expected) > 30);
}

/* A relation that takes itself away has no fixed point; the graph decides whether that shows. */
TEST(a_fixed_point_that_is_never_reached_is_stopped) {
    static const char text[] = "let rec a = po \\ a\nacyclic a\n";
    cat_model model = {0};
    cat_graph graph = {0};
    cat_run *run;
    cat_verdict verdict;
    col_problem problem;
    base_rng rng;
    base_rng_seed(&rng, 3, 0);
    assert_int_equal(cat_model_read(&model, text, strlen(text), "a.cat", NULL, &problem), COL_OK);
    assert_int_equal(cat_run_new(&run, &model, &problem), COL_OK);
    random_graph(&rng, 30, &graph);
    assert_int_equal(cat_run_load(run, &graph, &problem), COL_OK);
    assert_int_equal(cat_run_judge(run, CAT_WITH_CO, &verdict, &problem), COL_BAD_INPUT);
    assert_int_equal(problem.line, 1);
    assert_non_null(strstr(problem.message, "no fixed point"));
    cat_run_free(run);
    cat_graph_free(&graph);
    cat_model_free(&model);
}

/* Only what depends on what changed is computed again: the verdicts are those of a fresh run. */
TEST(verdicts_follow_changes_of_rf_and_co) {
    static const char text[] = "acyclic po | rf as first\nlet rec a = co; po | a; rf\n"
                               "irreflexive a as second\nempty co & (po; po; rf) as third\n"
                               "let rec given = loc; po and onward = co | onward; given\n"
                               "irreflexive onward as fourth\n";
    cat_model model = {0};
    cat_graph graph = {0};
    cat_run *kept, *fresh;
    col_problem problem;
    base_rng rng;
    uint32_t allowed = 0;
    base_rng_seed(&rng, 4, 0);
    assert_int_equal(cat_model_read(&model, text, strlen(text), "a.cat", NULL, &problem), COL_OK);
    assert_int_equal(cat_run_new(&kept, &model, &problem), COL_OK);
    random_graph(&rng, 12, &graph);
    assert_int_equal(cat_run_load(kept, &graph, &problem), COL_OK);
    for (uint32_t i = 0; i < 400; i++) {
        cat_verdict one, other;
        const cat_relation relation = below(&rng, 2) == 0 ? CAT_RF : CAT_CO;
        cat_graph_clear(&graph, relation);
        cat_graph_relate(&graph, relation, below(&rng, 12), below(&rng, 12));
        cat_run_change(kept, relation == CAT_RF ? CAT_WITH_RF : CAT_WITH_CO);
        assert_int_equal(cat_run_new(&fresh, &model, &problem), COL_OK);
        assert_int_equal(cat_run_load(fresh, &graph, &problem), COL_OK);
        assert_int_equal(cat_run_judge(kept, CAT_WITH_CO, &one, &problem), COL_OK);
        assert_int_equal(cat_run_judge(fresh, CAT_WITH_CO, &other, &problem), COL_OK);
        assert_int_equal(one.is_allowed, other.is_allowed);
        assert_true(one.is_allowed || one.check == other.check);
        allowed += one.is_allowed;
        cat_run_free(fresh);
    }
    assert_in_range(allowed, 40, 360);
    cat_run_free(kept);
    cat_graph_free(&graph);
    cat_model_free(&model);
}
