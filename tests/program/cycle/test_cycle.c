/* SPDX-License-Identifier: MIT */
/* ctest: long-sanitized */
/*
 * Cycles of relaxations: their names, the classic tests with what each model says of them, all
 * cycles against a search that knows nothing of forms, and verdicts against the oracles, which try
 * every order of writes.
 */
#include "judge/candidates.h"

#include "base/random.h"
#include "program/cycle/cycle.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdlib.h>
#include <string.h>

static void read_all(const char *text, cyc_relaxation **relaxations, uint32_t *count) {
    col_problem problem = {0};
    if (cyc_relaxations_read(text, relaxations, count, &problem) != COL_OK)
        fail_msg("%s", problem.message);
}

static void make(cyc_test *test, const cyc_cycle *cycle) {
    col_problem problem = {0};
    if (cyc_test_make(test, cycle, &problem) != COL_OK ||
        col_program_check(&test->program, &problem) != COL_OK ||
        cyc_test_judge(test, &problem) != COL_OK)
        fail_msg("%s", problem.message);
}

static void list_all(cyc_list *list, const char *text, uint32_t up_to) {
    cyc_relaxation *relaxations = NULL;
    uint32_t count = 0;
    col_problem problem = {0};
    read_all(text, &relaxations, &count);
    *list = (cyc_list){0};
    if (cyc_list_make(list, relaxations, count, up_to, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    free(relaxations);
}

/* ---- Names of relaxations. */

static void expect_names(const char *text, const char *expected) {
    cyc_relaxation *relaxations = NULL;
    uint32_t count = 0;
    base_text written = {0};
    read_all(text, &relaxations, &count);
    for (uint32_t i = 0; i < count; i++) {
        base_text_add(&written, i == 0 ? "" : " ");
        cyc_relaxation_write(&relaxations[i], &written);
    }
    assert_string_equal(written.data, expected);
    base_text_free(&written);
    free(relaxations);
}

TEST(names_are_read_and_written) {
    expect_names("PodWR,PosRR Rfe Rfi Fre Fri Coe Coi", "PodWR PosRR Rfe Rfi Fre Fri Coe Coi");
    expect_names("Wse Wsi MFencedWR DMB.SYdRR DMB.STdWW", "Coe Coi FencedWR FencedRR Fence.w.wdWW");
    expect_names("Fence.r.rwdRW Fence.tsosWW DMB.LDdRR",
                 "Fence.r.rwdRW Fence.tsosWW Fence.r.rwdRR");
    expect_names("DpAddrdR DpAddrsW DpDatadW DpCtrldR", "DpAddrdR DpAddrsW DpDatadW DpCtrldR");
    expect_names("PodWRLA PodRRAqP RfeRlAq PodWWPP", "PodWRLA PodRRAP RfeLA PodWW");
    expect_names("Pod**", "PodRR PodRW PodWR PodWW");
    expect_names("DpAddrd* DpDatad* Fence.r.rwd**",
                 "DpAddrdR DpAddrdW DpDatadW Fence.r.rwdRR Fence.r.rwdRW");
    expect_names("Pod**PL", "PodRWPL PodWWPL");
}

TEST(unknown_names_are_refused) {
    static const char *const wrong[] = {
        "",         " , ",     "Pod",      "PodRX",    "PodWRL", "PodWRAL",  "Rf",
        "Rfx",      "RfeAL",   "DpDatadR", "Fence.rd", "podWR",  "PodWRLAA", "DpAddr",
        "PodWR Fr", "FencedW", "PodWRQA",  "Rfe;",     "Coe*",   "RfPodWR",  "DpAddrPodWR"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        cyc_relaxation *relaxations = NULL;
        uint32_t count = 0;
        col_problem problem = {0};
        assert_int_equal(cyc_relaxations_read(wrong[i], &relaxations, &count, &problem),
                         COL_BAD_INPUT);
        assert_null(relaxations);
        assert_true(problem.message[0] != '\0');
    }
}

TEST(texts_that_are_not_cycles_are_refused) {
    static const char *const wrong[] = {
        "PodWR Coe",     /* a read, then a write */
        "PodWR Fri",     /* within a thread */
        "PodWR Fre",     /* one other thread */
        "Rfe PodRR Fre", /* does not come back to its location */
        "Rfe Fre",       /* one location, no program order */
        "Rfe PosRR Fre Rfe PosRR Fre" /* twice */,
        "PodWWPL RfePA PodRR Fre", /* a release that is plain */
        "Pod** Rfe",
        "PodWR Fre PodWR Fre PodWR Fre PodWR Fre PodWR Fre PodWR Fre PodWR Fre PodWR Fre PodWR Fre",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        cyc_cycle cycle;
        col_problem problem = {0};
        assert_int_equal(cyc_cycle_read(&cycle, wrong[i], &problem), COL_BAD_INPUT);
        assert_true(problem.message[0] != '\0');
    }
}

/* ---- The classic tests. By model, y or n: sc, tso, pso, wmo, armv8, rvwmo. WMO knows nothing of
 * dependencies, nor do TSO and PSO of acquire and release. */

static const char *const classics[][3] = {
    {"SB", "PodWR Fre PodWR Fre", "nyyyyy"},
    {"MP", "PodWW Rfe PodRR Fre", "nnyyyy"},
    {"LB", "PodRW Rfe PodRW Rfe", "nnnyyy"},
    {"S", "PodWW Rfe PodRW Wse", "nnyyyy"},
    {"R", "PodWW Coe PodWR Fre", "nyyyyy"},
    {"2+2W", "PodWW Coe PodWW Coe", "nnyyyy"},
    {"WRC", "Rfe PodRW Rfe PodRR Fre", "nnnyyy"},
    {"RWC", "Rfe PodRR Fre PodWR Fre", "nyyyyy"},
    {"WWC", "Rfe PodRW Rfe PodRW Coe", "nnnyyy"},
    {"WRW+WR", "Rfe PodRW Coe PodWR Fre", "nyyyyy"},
    {"WRR+2W", "Rfe PodRR Fre PodWW Coe", "nnyyyy"},
    {"WRW+2W", "Rfe PodRW Coe PodWW Coe", "nnyyyy"},
    {"ISA2", "PodWW Rfe PodRW Rfe PodRR Fre", "nnyyyy"},
    {"W+RWC", "PodWW Rfe PodRR Fre PodWR Fre", "nyyyyy"},
    {"3.SB", "PodWR Fre PodWR Fre PodWR Fre", "nyyyyy"},
    {"3.LB", "PodRW Rfe PodRW Rfe PodRW Rfe", "nnnyyy"},
    {"3.2W", "PodWW Coe PodWW Coe PodWW Coe", "nnyyyy"},
    {"Z6.0", "PodWW Rfe PodRW Coe PodWR Fre", "nyyyyy"},
    {"Z6.3", "PodWW Coe PodWW Rfe PodRR Fre", "nnyyyy"},
    {"IRIW", "Rfe PodRR Fre Rfe PodRR Fre", "nnnyyy"},
    {"IRRWIW", "Rfe PodRR Fre Rfe PodRW Coe", "nnnyyy"},
    {"IRWIW", "Rfe PodRW Coe Rfe PodRW Coe", "nnnyyy"},
    {"CoRR", "Rfe PosRR Fre", "nnnnnn"},
    {"CoRW2", "Rfe PosRW Coe", "nnnnnn"},
    {"CoWR", "PosWR Fre Coe", "nnnnnn"},
    {"SB+fences", "MFencedWR Fre MFencedWR Fre", "nnnnnn"},
    {"SB+fence+po", "PodWR Fre MFencedWR Fre", "nyyyyy"},
    {"SB+rfi-pos", "Rfi PodRR Fre Rfi PodRR Fre", "nyyyyy"},
    {"R+po+fence", "PodWW Coe FencedWR Fre", "nnyyyy"},
    {"MP+fences", "FencedWW Rfe FencedRR Fre", "nnnnnn"},
    {"MP+fence.w.w+fence.r.r", "Fence.w.wdWW Rfe Fence.r.rdRR Fre", "nnnnnn"},
    {"MP+fence+addr", "FencedWW Rfe DpAddrdR Fre", "nnnynn"},
    {"MP+fence+ctrl", "FencedWW Rfe DpCtrldR Fre", "nnnyyy"},
    {"MP+popl+poap", "PodWWPL RfeLA PodRRAP Fre", "nnyynn"},
    {"SB+polas", "PodWRLA Fre PodWRLA Fre", "nyyynn"},
    {"LB+datas", "DpDatadW Rfe DpDatadW Rfe", "nnnynn"},
    {"LB+data+po", "DpDatadW Rfe PodRW Rfe", "nnnyyy"},
    {"LB+ctrls", "DpCtrldW Rfe DpCtrldW Rfe", "nnnynn"},
    {"WRC+data+addr", "Rfe DpDatadW Rfe DpAddrdR Fre", "nnnynn"},
    {"IRIW+addrs", "Rfe DpAddrdR Fre Rfe DpAddrdR Fre", "nnnynn"},
    {"IRIW+fences", "Rfe FencedRR Fre Rfe FencedRR Fre", "nnnnnn"},
    {"MP+fence+addr-rfi-addr", "FencedWW Rfe DpAddrdW Rfi DpAddrdR Fre", "nnnynn"},
    {"MP+fence+data-rfi-addr", "FencedWW Rfe DpDatadW Rfi DpAddrdR Fre", "nnnynn"},
    {"MP+fence+ctrl-rfi-addr", "FencedWW Rfe DpCtrldW Rfi DpAddrdR Fre", "nnnyyy"},
    {"W+RW+WW+RR", "Rfe PodRW Coe PodWW Rfe PodRR Fre", "nnyyyy"},
};

TEST(classic_tests_are_known) {
    cyc_test test = {0};
    for (size_t i = 0; i < sizeof classics / sizeof classics[0]; i++) {
        cyc_cycle cycle;
        col_problem problem = {0};
        char verdicts[COL_MODEL_COUNT + 1] = "";
        if (cyc_cycle_read(&cycle, classics[i][1], &problem) != COL_OK)
            fail_msg("%s: %s", classics[i][1], problem.message);
        make(&test, &cycle);
        for (uint32_t m = 0; m < COL_MODEL_COUNT; m++)
            verdicts[m] = test.allowed[m] ? 'y' : 'n';
        assert_string_equal(test.name.data, classics[i][0]);
        if (strcmp(verdicts, classics[i][2]) != 0)
            fail_msg("%s: %s, not %s", classics[i][0], verdicts, classics[i][2]);
    }
    cyc_test_free(&test);
}

/* ---- All cycles, found another way: by names alone, every sequence, every rotation. */

enum { MOST_TEXT = 256, MOST_FOUND = 4096, MOST_NAMES = 24 };

typedef struct naive {
    const char *names[MOST_NAMES];
    char reads[MOST_NAMES][2]; /* 'R' or 'W' at the ends */
    uint32_t count, up_to;
    uint32_t sequence[CYC_MOST];
    char found[MOST_FOUND][MOST_TEXT];
    uint32_t found_count;
} naive;

static bool is_program_order(const char *name) {
    return name[0] == 'P' || (name[0] == 'F' && name[1] == 'e') || name[0] == 'D';
}

static bool goes_away(const char *name) {
    return is_program_order(name) && strstr(name, "s") == NULL;
}

/* Rf, Fr and Co by their first letter. */
static bool is_one_step(const char *a, const char *b) {
    if (is_program_order(a))
        return is_program_order(b) || (a[0] == 'P' && strchr("RFC", b[0]) != NULL && b[2] == 'i');
    if (is_program_order(b))
        return false;
    return !(a[0] == 'C' && b[0] == 'R') && !(a[0] == 'F' && b[0] == 'R');
}

static bool is_naive_cycle(const naive *n, uint32_t length) {
    uint32_t threads = 0, away = 0, stays = 0;
    for (uint32_t i = 0; i < length; i++) {
        const uint32_t a = n->sequence[i], b = n->sequence[(i + 1) % length];
        const char *name = n->names[a];
        if (n->reads[a][1] != n->reads[b][0] || is_one_step(name, n->names[b]))
            return false;
        threads += !is_program_order(name) && name[2] == 'e';
        away += goes_away(name);
        stays += is_program_order(name) && !goes_away(name);
    }
    return threads >= 2 && (away == 0 ? stays == 1 : away >= 2 && stays == 0);
}

/* The rotation whose text is the least. */
static void least_text(const char *const *names, uint32_t length, char text[MOST_TEXT]) {
    text[0] = '\0';
    for (uint32_t r = 0; r < length; r++) {
        char other[MOST_TEXT] = "";
        for (uint32_t i = 0; i < length; i++) {
            (void)strcat(other, names[(r + i) % length]);
            (void)strcat(other, " ");
        }
        if (text[0] == '\0' || strcmp(other, text) < 0)
            (void)strcpy(text, other);
    }
}

static bool is_found(const naive *n, const char *text) {
    for (uint32_t i = 0; i < n->found_count; i++)
        if (strcmp(n->found[i], text) == 0)
            return true;
    return false;
}

/* NOLINTNEXTLINE(misc-no-recursion) */
static void search_naively(naive *n, uint32_t length) {
    if (length >= 2 && is_naive_cycle(n, length)) {
        const char *names[CYC_MOST];
        char text[MOST_TEXT];
        for (uint32_t i = 0; i < length; i++)
            names[i] = n->names[n->sequence[i]];
        least_text(names, length, text);
        if (!is_found(n, text)) {
            assert_true(n->found_count < MOST_FOUND);
            (void)strcpy(n->found[n->found_count++], text);
        }
    }
    for (uint32_t r = 0; r < n->count && length < n->up_to; r++) {
        n->sequence[length] = r;
        if (length == 0 || n->reads[n->sequence[length - 1]][1] == n->reads[r][0])
            search_naively(n, length + 1);
    }
}

static void expect_in(const naive *n, const cyc_cycle *cycle) {
    base_text written = {0};
    const char *names[CYC_MOST];
    char text[MOST_TEXT];
    cyc_cycle_write(cycle, &written);
    uint32_t count = 0;
    for (char *at = strtok(written.data, " "); at != NULL; at = strtok(NULL, " "))
        names[count++] = at;
    assert_int_equal(count, cycle->count);
    least_text(names, count, text);
    if (!is_found(n, text))
        fail_msg("%s is no cycle", text);
    base_text_free(&written);
}

static void compare_with_naive(const char *const *names, const char *const *ends, uint32_t count,
                               uint32_t up_to) {
    naive *n = calloc(1, sizeof *n);
    assert_non_null(n);
    base_text text = {0};
    cyc_list list;
    n->count = count;
    n->up_to = up_to;
    for (uint32_t i = 0; i < count; i++) {
        n->names[i] = names[i];
        memcpy(n->reads[i], ends[i], 2);
        base_text_print(&text, "%s ", names[i]);
    }
    search_naively(n, 0);
    list_all(&list, text.data, up_to);
    assert_int_equal(list.count, n->found_count);
    for (uint32_t i = 0; i < list.count; i++)
        expect_in(n, &list.cycles[i]);
    for (uint32_t i = 1; i < list.count; i++)
        assert_true(cyc_cycle_compare(&list.cycles[i - 1], &list.cycles[i]) < 0);
    cyc_list_free(&list);
    base_text_free(&text);
    free(n);
}

TEST(every_cycle_is_found_once) {
    static const char *const names[] = {"PodRR", "PodRW",    "PodWR",        "PodWW", "PosRR",
                                        "PosRW", "FencedWR", "DpAddrdR",     "Rfi",   "Fri",
                                        "Rfe",   "Fre",      "Fence.w.wdWW", "Coe"};
    static const char *const ends[] = {"RR", "RW", "WR", "WW", "RR", "RW", "WR",
                                       "RR", "WR", "RW", "WR", "RW", "WW", "WW"};
    static const char *const few[] = {"PodRR", "PodRW", "PodWR", "PodWW", "Rfe", "Fre", "Coe"};
    static const char *const few_ends[] = {"RR", "RW", "WR", "WW", "WR", "RW", "WW"};
    compare_with_naive(names, ends, 14, 6);
    compare_with_naive(few, few_ends, 7, 9);
}

/* ---- No two programs are the same but for names of threads and locations. */

typedef struct naming {
    uint32_t thread[CYC_MOST], location[CYC_MOST];
} naming;

static uint32_t place_in(const col_program *p, uint32_t operation) {
    return operation - p->thread_start[col_program_thread_of(p, operation)];
}

/* The write that a read of `a` reads from, or that a write replaces, is that of `b`'s. */
static bool is_same_write(const cyc_test *a, uint32_t x, const cyc_test *b, uint32_t y,
                          const naming *n) {
    if (x == COL_INITIAL || y == COL_INITIAL)
        return x == y;
    return n->thread[col_program_thread_of(&a->program, x)] ==
               col_program_thread_of(&b->program, y) &&
           place_in(&a->program, x) == place_in(&b->program, y);
}

static bool is_same_named(const cyc_test *a, const cyc_test *b, naming *n) {
    for (uint32_t l = 0; l < CYC_MOST; l++)
        n->location[l] = UINT32_MAX;
    for (uint32_t o = 0; o < col_program_operations(&a->program); o++) {
        const uint32_t t = n->thread[col_program_thread_of(&a->program, o)];
        const uint32_t place = place_in(&a->program, o), start = b->program.thread_start[t];
        if (start + place >= b->program.thread_start[t + 1])
            return false;
        const col_operation *x = &a->program.operations[o];
        const col_operation *y = &b->program.operations[start + place];
        if (x->kind != y->kind || x->order != y->order || x->fence != y->fence ||
            x->dependency != y->dependency || x->distance != y->distance)
            return false;
        if (x->kind == COL_FENCE)
            continue;
        if (n->location[x->location] == UINT32_MAX)
            n->location[x->location] = y->location;
        if (n->location[x->location] != y->location ||
            !is_same_write(a, a->source[o], b, b->source[start + place], n))
            return false;
    }
    return true;
}

/* NOLINTNEXTLINE(misc-no-recursion): all orders of threads */
static bool is_same_test(const cyc_test *a, const cyc_test *b, naming *n, uint32_t threads) {
    if (threads == a->program.thread_count)
        return is_same_named(a, b, n);
    for (uint32_t t = 0; t < b->program.thread_count; t++) {
        bool is_free = true;
        for (uint32_t i = 0; i < threads; i++)
            is_free = is_free && n->thread[i] != t;
        n->thread[threads] = t;
        if (is_free && is_same_test(a, b, n, threads + 1))
            return true;
    }
    return false;
}

static void expect_distinct(const char *text, uint32_t up_to) {
    cyc_list list;
    list_all(&list, text, up_to);
    cyc_test *tests = calloc(list.count, sizeof *tests);
    assert_non_null(tests);
    for (uint32_t i = 0; i < list.count; i++) {
        naming n;
        make(&tests[i], &list.cycles[i]);
        assert_true(is_same_test(&tests[i], &tests[i], &n, 0)); /* the comparison can say so */
        for (uint32_t j = 0; j < i; j++) {
            assert_string_not_equal(tests[i].name.data, tests[j].name.data);
            if (tests[i].program.thread_count == tests[j].program.thread_count &&
                col_program_operations(&tests[i].program) ==
                    col_program_operations(&tests[j].program) &&
                is_same_test(&tests[i], &tests[j], &n, 0))
                fail_msg("%s is %s", tests[i].name.data, tests[j].name.data);
        }
    }
    for (uint32_t i = 0; i < list.count; i++)
        cyc_test_free(&tests[i]);
    free(tests);
    cyc_list_free(&list);
}

TEST(no_test_is_repeated) {
    for (uint32_t m = 0; m < COL_MODEL_COUNT; m++)
        expect_distinct(cyc_model_relaxations[m], m < COL_WMO ? 6 : 5);
    expect_distinct("PodRR PodWW PodRRAP PodWWPL RfeLA Rfe Fre FrePL PodRRPA Coe PosRR", 6);
    expect_distinct("FencedWW MFencedWW Wse Coe Rfe Fre Pos** PodRR", 6); /* twice in the list */
    expect_distinct("Pod** Rfe Fre Coe", 8);
}

/* Whichever relaxation one begins with. */
TEST(rotations_are_the_same_test) {
    cyc_list list;
    list_all(&list, cyc_model_relaxations[COL_PSO], 6);
    for (uint32_t i = 0; i < list.count; i++)
        for (uint32_t r = 1; r < list.cycles[i].count; r++) {
            const cyc_cycle *from = &list.cycles[i];
            cyc_cycle turned = *from;
            col_problem problem = {0};
            for (uint32_t k = 0; k < from->count; k++)
                turned.edges[k] = from->edges[(k + r) % from->count];
            assert_int_equal(cyc_cycle_make(&turned, &problem), COL_OK);
            assert_int_equal(cyc_cycle_compare(&turned, from), 0);
        }
    cyc_list_free(&list);
}

/* ---- Verdicts against the oracles. */

static void judge_naively(const cyc_test *test) {
    static small_trace t;
    candidate c = {0};
    memcpy(c.source, test->source, sizeof test->source);
    small_trace_make(&t, &test->program, &c);
    t.trace.final = t.final;
    for (uint32_t l = 0; l < test->program.location_count; l++)
        t.final[l] = test->says_last[l] ? test->last[l] : COL_NOT_SAID;
    for (uint32_t m = 0; m < COL_MODEL_COUNT; m++)
        if (small_trace_allowed((oracle_model)m, &t) != test->allowed[m])
            fail_msg("%s (%s): %s %s it", test->name.data, test->relaxations.data, col_models[m],
                     test->allowed[m] ? "forbids" : "allows");
}

/* The execution of the cycle itself, order of writes and all. With two writes to a location at most
 * the outcome says as much. */
static void judge_execution(const cyc_test *test) {
    outcome seen = {0};
    const col_program *p = &test->program;
    for (uint32_t o = 0; o < col_program_operations(p); o++) {
        const uint32_t source = test->source[o];
        seen.read[o] = seen.replaced[o] =
            source == COL_INITIAL || p->operations[o].kind == COL_FENCE
                ? 0
                : col_program_operand(p, &p->operations[source]);
    }
    for (uint32_t m = 0; m < COL_MODEL_COUNT; m++)
        if (oracle_allows((oracle_model)m, p, &seen) != test->allowed[m])
            fail_msg("%s: %s and the execution", test->name.data, col_models[m]);
    assert_false(test->allowed[COL_SC]);
}

TEST(verdicts_match_the_oracles) {
    cyc_test test = {0};
    for (uint32_t m = 0; m < COL_MODEL_COUNT; m++) {
        cyc_list list;
        list_all(&list, cyc_model_relaxations[m], m < COL_WMO ? 6 : 5);
        for (uint32_t i = 0; i < list.count; i++) {
            make(&test, &list.cycles[i]);
            judge_naively(&test);
            judge_execution(&test);
        }
        cyc_list_free(&list);
    }
    cyc_test_free(&test);
}

/* Cycles of anything, critical or not. */
TEST(odd_cycles_are_judged_alike) {
#ifdef REDUCED
    enum { CYCLES = 100 };
#else
    enum { CYCLES = 1500 };
#endif
    cyc_relaxation *relaxations = NULL;
    uint32_t count = 0, made = 0;
    cyc_test test = {0};
    base_rng rng;
    read_all("Pod** Pos** Fenced** Fence.r.rwd** Fence.tsod** DpAddrd* DpDatadW DpCtrld* DpDatasW "
             "PodRRAP PodWRLA PodRWPL PodWWPL Rfe Fre Coe Rfi Fri Coi Rfe Fre Coe",
             &relaxations, &count);
    base_rng_seed(&rng, 23, 0);
    while (made < CYCLES) {
        cyc_cycle cycle = {.count = 3 + (uint32_t)base_rng_below(&rng, 6)};
        col_problem problem = {0};
        for (uint32_t i = 0; i < cycle.count; i++)
            do
                cycle.edges[i] = relaxations[base_rng_below(&rng, count)];
            while (i > 0 && cycle.edges[i - 1].writes[1] != cycle.edges[i].writes[0]);
        if (cyc_cycle_make(&cycle, &problem) != COL_OK)
            continue;
        make(&test, &cycle);
        judge_naively(&test);
        made++;
    }
    cyc_test_free(&test);
    free(relaxations);
}

/* ---- Files. */

TEST(programs_are_read_back) {
    cyc_list list;
    cyc_test test = {0};
    col_program read = COL_PROGRAM_EMPTY;
    list_all(&list, cyc_model_relaxations[COL_RVWMO], 5);
    for (uint32_t i = 0; i < list.count; i++) {
        base_text text = {0};
        col_problem problem = {0};
        make(&test, &list.cycles[i]);
        cyc_test_write_program(&test, &text);
        if (col_program_read(&read, text.data, text.length, "test", &problem) != COL_OK)
            fail_msg("%s", problem.message);
        assert_true(col_program_equal(&read, &test.program));
        base_text_free(&text);
        for (uint32_t isa = 0; isa < PRG_ISA_COUNT; isa++) {
            base_text litmus = {0};
            if (cyc_test_write_litmus(&test, (prg_isa)isa, &litmus, &problem) != COL_OK)
                fail_msg("%s", problem.message);
            assert_int_equal(strstr(litmus.data, "forbids the condition") != NULL,
                             !test.allowed[prg_isa_models[isa]]);
            base_text_free(&litmus);
        }
    }
    col_program_free(&read);
    cyc_test_free(&test);
    cyc_list_free(&list);
}

TEST(too_many_cycles_are_refused) {
    cyc_relaxation *relaxations = NULL;
    uint32_t count = 0;
    cyc_list list = {0};
    col_problem problem = {0};
    read_all("Pod** Rfe Fre Coe", &relaxations, &count);
    assert_int_equal(cyc_list_make(&list, relaxations, count, 1, &problem), COL_BAD_INPUT);
    assert_int_equal(cyc_list_make(&list, relaxations, count, CYC_MOST + 1, &problem),
                     COL_BAD_INPUT);
    free(relaxations);
    read_all(cyc_model_relaxations[COL_RVWMO], &relaxations, &count);
    assert_int_equal(cyc_list_make(&list, relaxations, count, 12, &problem), COL_BAD_INPUT);
    assert_non_null(strstr(problem.message, "too many cycles"));
    free(relaxations);
    cyc_list_free(&list);
}
