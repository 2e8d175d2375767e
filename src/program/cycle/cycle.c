/* SPDX-License-Identifier: MIT */
/* What makes relaxations a cycle, its form, its name and its test. */
#include "program/cycle/cycle.h"

#include "base/memory.h"
#include "collider/check.h"
#include "program/program.h"

#include <stdlib.h>
#include <string.h>

static const cyc_relaxation *edge(const cyc_cycle *cycle, uint32_t place) {
    /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero) -- a cycle has edges */
    return &cycle->edges[place % cycle->count];
}

/* ---- Is it a cycle? */

static col_status refuse_pair(const cyc_relaxation *a, const cyc_relaxation *b, const char *why,
                              col_problem *problem) {
    base_text first = {0}, second = {0};
    cyc_relaxation_write(a, &first);
    cyc_relaxation_write(b, &second);
    const col_status status =
        first.failed || second.failed
            ? base_out_of_memory(problem)
            : base_refuse(problem, "%s cannot follow %s: %s", second.data, first.data, why);
    base_text_free(&first);
    base_text_free(&second);
    return status;
}

/* Where two meet, what one says of the access counts for both. */
static col_status join(cyc_cycle *cycle, col_problem *problem) {
    for (uint32_t i = 0; i < cycle->count; i++) {
        cyc_relaxation *a = &cycle->edges[i], *b = &cycle->edges[(i + 1) % cycle->count];
        if (a->writes[CYC_TARGET] != b->writes[CYC_SOURCE])
            return refuse_pair(a, b,
                               a->writes[CYC_TARGET] != 0 ? "one ends in a write, the other begins "
                                                            "with a read"
                                                          : "one ends in a read, the other begins "
                                                            "with a write",
                               problem);
        uint8_t *end = &a->annotations[CYC_TARGET], *begin = &b->annotations[CYC_SOURCE];
        if (*end != CYC_NOT_SAID && *begin != CYC_NOT_SAID && *end != *begin)
            return refuse_pair(a, b, "they annotate the access differently", problem);
        const uint8_t said = *end == CYC_NOT_SAID ? *begin : *end;
        *end = *begin = said == CYC_NOT_SAID ? CYC_PLAIN : said;
    }
    return COL_OK;
}

static col_status check(const cyc_cycle *cycle, col_problem *problem) {
    uint32_t external = 0, moves = 0, returns = 0;
    for (uint32_t i = 0; i < cycle->count; i++) {
        const cyc_relaxation *e = &cycle->edges[i];
        external += e->is_external;
        moves += e->moves;
        returns += !cyc_is_communication(e) && e->moves == 0;
    }
    if (external < 2)
        return base_refuse(problem, "a cycle needs two relaxations that go to another thread, such "
                                    "as Rfe, Fre or Coe");
    if (moves == 1)
        return base_refuse(problem, "a cycle that leaves a location must come back: it needs two "
                                    "relaxations that go to another location, such as PodWR");
    if (moves == 0 && returns != 1)
        return base_refuse(problem, "a cycle at one location needs exactly one step of program "
                                    "order, such as PosRR");
    return COL_OK;
}

/* ---- Its form. */

/* The accesses of the thread that begins at a place, first and last, as its rank: W, WW, WR, R, RR,
 * RW. */
static int rank_thread(const cyc_cycle *cycle, uint32_t place, uint32_t *next) {
    const bool first = edge(cycle, place)->writes[CYC_SOURCE] != 0;
    uint32_t last = place;
    while (edge(cycle, last)->is_external == 0)
        last++;
    *next = last + 1;
    const bool writes = edge(cycle, last)->writes[CYC_SOURCE] != 0;
    if (last == place)
        return first ? 0 : 3;
    return first ? writes ? 1 : 2 : writes ? 5 : 4;
}

/* Which of two rotations, of cycles of the same length, comes first? */
static int compare_rotations(const cyc_cycle *a, uint32_t i, const cyc_cycle *b, uint32_t j) {
    uint32_t at = i, other = j;
    while (at < i + a->count && other < j + b->count) {
        const int one = rank_thread(a, at, &at), two = rank_thread(b, other, &other);
        if (one != two)
            return one - two;
    }
    if (at - i != other - j) /* one has fewer threads */
        return at - i > other - j ? -1 : 1;
    for (uint32_t k = 0; k < a->count; k++) {
        const int order = memcmp(edge(a, i + k), edge(b, j + k), sizeof(cyc_relaxation));
        if (order != 0)
            return order;
    }
    return 0;
}

col_status cyc_cycle_make(cyc_cycle *cycle, col_problem *problem) {
    BASE_TRY(join(cycle, problem));
    BASE_TRY(check(cycle, problem));
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < cycle->count; i++)
        if (edge(cycle, i + cycle->count - 1)->is_external != 0 &&
            (best == UINT32_MAX || compare_rotations(cycle, i, cycle, best) < 0))
            best = i;
    const cyc_cycle from = *cycle;
    for (uint32_t i = 0; i < cycle->count; i++)
        cycle->edges[i] = *edge(&from, best + i);
    return COL_OK;
}

col_status cyc_cycle_read(cyc_cycle *cycle, const char *text, col_problem *problem) {
    cyc_relaxation *relaxations = NULL;
    uint32_t count = 0;
    col_status status = strchr(text, '*') != NULL
                            ? base_refuse(problem, "a cycle names each relaxation: '*' is for "
                                                   "lists of them")
                            : cyc_relaxations_read(text, &relaxations, &count, problem);
    if (status == COL_OK && count > CYC_MOST)
        status = base_refuse(problem, "a cycle has at most %d relaxations", CYC_MOST);
    if (status == COL_OK) {
        memset(cycle, 0, sizeof *cycle);
        for (; cycle->count < count; cycle->count++)
            cycle->edges[cycle->count] = relaxations[cycle->count];
        status = cyc_cycle_make(cycle, problem);
    }
    free(relaxations);
    return status;
}

int cyc_cycle_compare(const cyc_cycle *a, const cyc_cycle *b) {
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    return compare_rotations(a, 0, b, 0);
}

/* ---- Is it critical? */

/* Two steps that are one together: two of program order; plain program order and a communication
 * inside the thread; and of communications co;co, fr;co and rf;fr. */
static bool collapse(const cyc_relaxation *a, const cyc_relaxation *b) {
    if (!cyc_is_communication(b))
        return !cyc_is_communication(a);
    if (cyc_is_communication(a))
        return b->kind == CYC_COHERENCE || b->kind == CYC_FROM_READ;
    return a->kind == CYC_PROGRAM_ORDER && a->annotations[CYC_SOURCE] != CYC_ORDERED &&
           a->annotations[CYC_TARGET] != CYC_ORDERED && b->is_external == 0;
}

bool cyc_cycle_is_critical(const cyc_cycle *cycle) {
    uint32_t moves = 0, returns = 0;
    for (uint32_t i = 0; i < cycle->count; i++) {
        const cyc_relaxation *e = &cycle->edges[i];
        if (collapse(e, edge(cycle, i + 1)))
            return false;
        moves += e->moves;
        returns += !cyc_is_communication(e) && e->moves == 0;
    }
    return moves == 0 || returns == 0;
}

void cyc_cycle_write(const cyc_cycle *cycle, base_text *text) {
    for (uint32_t i = 0; i < cycle->count; i++) {
        base_text_add(text, i == 0 ? "" : " ");
        cyc_relaxation_write(&cycle->edges[i], text);
    }
}

/*
 * All critical cycles over a list of relaxations. A search by depth extends a sequence by what can
 * follow; the first relaxation is the least of its sequence in the order of the list, which leaves
 * at least one rotation of every cycle. What is left twice falls together in its form.
 */

enum { MOST_CYCLES = 1 << 18, MOST_STEPS = 1 << 28 };

typedef struct search {
    const cyc_relaxation *relaxations;
    uint32_t count, up_to;
    cyc_cycle sequence;
    uint64_t steps;
    cyc_list *list;
    col_problem *problem;
} search;

static int compare_items(const void *a, const void *b) {
    return cyc_cycle_compare(a, b);
}

static void sort_once(cyc_list *list) {
    uint32_t kept = 0;
    if (list->count == 0)
        return;
    qsort(list->cycles, list->count, sizeof *list->cycles, compare_items);
    for (uint32_t i = 0; i < list->count; i++)
        if (kept == 0 || cyc_cycle_compare(&list->cycles[kept - 1], &list->cycles[i]) != 0)
            list->cycles[kept++] = list->cycles[i];
    list->count = kept;
}

static col_status refuse_many(const search *s) {
    return base_refuse(s->problem,
                       "too many cycles of up to %u relaxations: lower the length, or give fewer "
                       "relaxations",
                       s->up_to);
}

static col_status keep(search *s) {
    cyc_cycle cycle = s->sequence;
    col_problem ignored;
    if (cycle.edges[cycle.count - 1].writes[CYC_TARGET] != cycle.edges[0].writes[CYC_SOURCE] ||
        cyc_cycle_make(&cycle, &ignored) != COL_OK || !cyc_cycle_is_critical(&cycle))
        return COL_OK;
    if (s->list->count == MOST_CYCLES)
        sort_once(s->list);
    if (s->list->count == MOST_CYCLES)
        return refuse_many(s);
    BASE_TRY(base_reserve(&s->list->cycles, &s->list->capacity, (size_t)s->list->count + 1,
                          sizeof *s->list->cycles, s->problem));
    s->list->cycles[s->list->count++] = cycle;
    return COL_OK;
}

static bool can_follow(const cyc_relaxation *a, const cyc_relaxation *b) {
    const uint8_t end = a->annotations[CYC_TARGET], begin = b->annotations[CYC_SOURCE];
    const bool agree = end == CYC_NOT_SAID || begin == CYC_NOT_SAID || end == begin;
    return agree && a->writes[CYC_TARGET] == b->writes[CYC_SOURCE] &&
           (cyc_is_communication(a) || cyc_is_communication(b));
}

/* NOLINTNEXTLINE(misc-no-recursion): at most CYC_MOST deep */
static col_status extend(search *s, uint32_t first) {
    cyc_cycle *q = &s->sequence;
    BASE_TRY(q->count < 2 ? COL_OK : keep(s));
    for (uint32_t r = first; r < s->count && q->count < s->up_to; r++) {
        if (!can_follow(&q->edges[q->count - 1], &s->relaxations[r]))
            continue;
        if (++s->steps > MOST_STEPS)
            return refuse_many(s);
        q->edges[q->count++] = s->relaxations[r];
        BASE_TRY(extend(s, first));
        q->count--;
    }
    return COL_OK;
}

col_status cyc_list_make(cyc_list *list, const cyc_relaxation *relaxations, uint32_t count,
                         uint32_t up_to, col_problem *problem) {
    if (up_to < 2 || up_to > CYC_MOST)
        return base_refuse(problem, "cycles have 2 to %d relaxations", CYC_MOST);
    search s = {.relaxations = relaxations,
                .count = count,
                .up_to = up_to,
                .list = list,
                .problem = problem};
    col_status status = COL_OK;
    list->count = 0;
    for (uint32_t first = 0; first < count && status == COL_OK; first++) {
        s.sequence.edges[0] = relaxations[first];
        s.sequence.count = 1;
        status = extend(&s, first);
    }
    sort_once(list);
    return status;
}

void cyc_list_free(cyc_list *list) {
    free(list->cycles);
    *list = (cyc_list){0};
}

/*
 * Names of tests, as papers and diy have them. The accesses of the threads name a family; what
 * lies between them follows: "MP+fence+addr". A thread that has more than two accesses counts by
 * its first and last, and says all its steps: "SB+rfi-pos".
 */

static const struct family {
    const char *accesses, *name;
} families[] = {
    {"WR+WR", "SB"},         {"WW+RR", "MP"},         {"RW+RW", "LB"},
    {"WW+RW", "S"},          {"WW+WR", "R"},          {"WW+WW", "2+2W"},
    {"W+RW+RR", "WRC"},      {"W+RR+WR", "RWC"},      {"W+RW+RW", "WWC"},
    {"W+RW+WR", "WRW+WR"},   {"W+RR+WW", "WRR+2W"},   {"W+RW+WW", "WRW+2W"},
    {"WW+RW+RR", "ISA2"},    {"WW+RR+WR", "W+RWC"},   {"WR+WR+WR", "3.SB"},
    {"RW+RW+RW", "3.LB"},    {"WW+WW+WW", "3.2W"},    {"WW+RW+WR", "Z6.0"},
    {"WW+WW+RW", "Z6.1"},    {"WW+RW+RW", "Z6.2"},    {"WW+WW+RR", "Z6.3"},
    {"WW+WR+WR", "Z6.4"},    {"WW+WW+WR", "Z6.5"},    {"W+RR+W+RR", "IRIW"},
    {"W+RR+W+RW", "IRRWIW"}, {"W+RW+W+RW", "IRWIW"},  {"WR+WR+WR+WR", "4.SB"},
    {"RW+RW+RW+RW", "4.LB"}, {"WW+WW+WW+WW", "4.2W"}, {NULL, NULL},
};
/* At one location. */
static const struct family coherence[] = {
    {"W+RR", "CoRR"}, {"W+RW", "CoRW2"}, {"W+WR", "CoWR"}, {NULL, NULL}};

/* The thread from one place of a cycle to another: edges[from] to edges[to], which leaves it. */
typedef struct thread {
    uint32_t from, to;
} thread;

static bool moves(const cyc_cycle *cycle, thread t) {
    for (uint32_t i = t.from; i < t.to; i++)
        if (cycle->edges[i].moves != 0)
            return true;
    return false;
}

/* "WW+RR"; a thread is its first and last access, or all of them. */
static void write_accesses(const cyc_cycle *cycle, const thread *threads, uint32_t count, bool all,
                           base_text *text) {
    for (uint32_t t = 0; t < count; t++) {
        base_text_add(text, t == 0 ? "" : "+");
        for (uint32_t i = threads[t].from; i <= threads[t].to; i++)
            if (all || i == threads[t].from || i == threads[t].to)
                base_text_print(text, "%c", cycle->edges[i].writes[CYC_SOURCE] != 0 ? 'W' : 'R');
    }
}

static const char *find_family(const struct family *row, const char *accesses) {
    while (accesses != NULL && row->name != NULL && strcmp(row->accesses, accesses) != 0)
        row++;
    return accesses == NULL ? NULL : row->name;
}

/* What is to be said of a thread: its steps, or of a single access that it is ordered. */
static bool write_part(const cyc_cycle *cycle, thread t, base_text *part) {
    if (t.from == t.to) {
        const cyc_relaxation *edge = &cycle->edges[t.from];
        if (edge->annotations[CYC_SOURCE] != CYC_ORDERED)
            return false;
        base_text_add(part, edge->writes[CYC_SOURCE] != 0 ? "rel" : "acq");
        return true;
    }
    for (uint32_t i = t.from; i < t.to; i++) {
        base_text_add(part, i == t.from ? "" : "-");
        cyc_relaxation_write_short(&cycle->edges[i], part);
    }
    return true;
}

static bool is_same(const base_text *a, const char *b) {
    return a->data != NULL && strcmp(a->data, b) == 0;
}

void cyc_cycle_write_name(const cyc_cycle *cycle, base_text *text) {
    thread threads[CYC_MOST];
    base_text parts[CYC_MOST] = {0};
    uint32_t count = 0, from = 0;
    for (uint32_t i = 0; i < cycle->count; i++)
        if (cycle->edges[i].is_external != 0) {
            threads[count++] = (thread){from, i};
            from = i + 1;
        }
    uint32_t said = 0;
    bool all_same = true;
    /* A family is one of threads that go to another location, or of a single location. */
    bool all_move = true, none_moves = true;
    for (uint32_t t = 0; t < count; t++) {
        const bool does = moves(cycle, threads[t]);
        all_move = all_move && (does || threads[t].from == threads[t].to);
        none_moves = none_moves && !does;
    }
    base_text accesses = {0};
    write_accesses(cycle, threads, count, false, &accesses);
    const char *name = none_moves ? find_family(coherence, accesses.data)
                       : all_move ? find_family(families, accesses.data)
                                  : NULL;
    if (name != NULL)
        base_text_add(text, name);
    else
        write_accesses(cycle, threads, count, !all_move || none_moves, text);
    base_text_free_part(&accesses, text);
    for (uint32_t t = 0; t < count; t++)
        said += write_part(cycle, threads[t], &parts[said]);
    for (uint32_t p = 1; p < said; p++)
        all_same = all_same && parts[p].data != NULL && is_same(&parts[0], parts[p].data);
    const bool is_coherence = said == 1 && is_same(&parts[0], "pos");
    if (all_same && said > 1 && !is_same(&parts[0], "po"))
        base_text_print(text, "+%ss", parts[0].data == NULL ? "" : parts[0].data);
    else if (!is_coherence && !(all_same && is_same(&parts[0], "po")))
        for (uint32_t p = 0; p < said; p++)
            base_text_print(text, "+%s", parts[p].data == NULL ? "" : parts[p].data);
    for (uint32_t p = 0; p < said; p++)
        base_text_free_part(&parts[p], text);
}

/* ---- From a cycle to its test. */

enum { BLOCK = 64 }; /* locations are this many bytes apart */

/* Where the accesses are: access i is the source of edges[i]. */
typedef struct layout {
    uint32_t threads, locations;
    uint32_t lengths[CYC_MOST];
    uint32_t location[CYC_MOST], operation[CYC_MOST];
    uint32_t start; /* the first access behind the last move; at one location: behind the return */
} layout;

static void lay_out(const cyc_cycle *cycle, layout *l) {
    uint32_t moves = 0, operation = 0;
    *l = (layout){.threads = 0};
    for (uint32_t i = 0; i < cycle->count; i++)
        l->locations += cycle->edges[i].moves;
    l->locations = l->locations == 0 ? 1 : l->locations;
    for (uint32_t i = 0; i < cycle->count; i++) {
        const cyc_relaxation *e = &cycle->edges[i];
        l->location[i] = moves % l->locations;
        l->operation[i] = operation;
        l->lengths[l->threads]++;
        l->lengths[l->threads] += e->kind == CYC_FENCED;
        operation += e->kind == CYC_FENCED ? 2 : 1;
        moves += e->moves;
        l->threads += e->is_external;
        if (e->moves != 0 || (l->locations == 1 && !cyc_is_communication(e)))
            l->start = (i + 1) % cycle->count;
    }
}

static col_operation operation_of(const cyc_cycle *cycle, const layout *l, uint32_t i,
                                  uint32_t *values) {
    const cyc_relaxation *e = &cycle->edges[i];
    const cyc_relaxation *before = &cycle->edges[(i + cycle->count - 1) % cycle->count];
    const bool writes = e->writes[CYC_SOURCE] != 0;
    const bool is_ordered = e->annotations[CYC_SOURCE] == CYC_ORDERED;
    col_operation o = {.kind = writes ? COL_STORE : COL_LOAD, .location = l->location[i]};
    if (writes)
        o.value = ++*values;
    if (is_ordered)
        o.order = writes ? COL_RELEASE : COL_ACQUIRE;
    if (before->kind == CYC_DEPENDENT) {
        o.dependency = before->dependency;
        o.distance = l->operation[i] - l->operation[i - 1];
    }
    return o;
}

static void fill_program(cyc_test *test, const layout *l) {
    const cyc_cycle *cycle = &test->cycle;
    uint32_t values = 0;
    for (uint32_t i = 0; i < cycle->count; i++) {
        col_operation *o = &test->program.operations[l->operation[i]];
        o[0] = operation_of(cycle, l, i, &values);
        if (cycle->edges[i].kind == CYC_FENCED)
            o[1] = (col_operation){.kind = COL_FENCE, .fence = cycle->edges[i].fence};
    }
    for (uint32_t a = 0; a < l->locations; a++)
        test->program.addresses[a] = (uint64_t)a * BLOCK;
}

/* The cycle visits each location once. There, each access comes after the one before: a read
 * returns the latest write, and a write replaces it. */
static void find_outcome(cyc_test *test, const layout *l) {
    const cyc_cycle *cycle = &test->cycle;
    for (uint32_t a = 0; a < l->locations; a++) {
        test->last[a] = COL_INITIAL;
        test->says_last[a] = false;
    }
    for (uint32_t k = 0; k < cycle->count; k++) {
        const uint32_t i = (l->start + k) % cycle->count, o = l->operation[i];
        uint32_t *last = &test->last[l->location[i]];
        test->source[o] = *last;
        if (cycle->edges[i].writes[CYC_SOURCE] == 0)
            continue;
        test->says_last[l->location[i]] = *last != COL_INITIAL;
        *last = o;
    }
}

col_status cyc_test_make(cyc_test *test, const cyc_cycle *cycle, col_problem *problem) {
    layout l;
    test->cycle = *cycle;
    test->name.length = test->relaxations.length = 0;
    cyc_cycle_write_name(cycle, &test->name);
    cyc_cycle_write(cycle, &test->relaxations);
    lay_out(cycle, &l);
    BASE_TRY(base_text_status(&test->name, problem));
    BASE_TRY(base_text_status(&test->relaxations, problem));
    BASE_TRY(col_program_shape(&test->program, l.threads, l.lengths, l.locations, problem));
    fill_program(test, &l);
    find_outcome(test, &l);
    return COL_OK;
}

void cyc_test_free(cyc_test *test) {
    col_program_free(&test->program);
    base_text_free(&test->name);
    base_text_free(&test->relaxations);
}

col_status cyc_test_judge(cyc_test *test, col_problem *problem) {
    uint32_t final[CYC_MOST];
    for (uint32_t a = 0; a < test->program.location_count; a++)
        final[a] = test->says_last[a] ? test->last[a] : COL_NOT_SAID;
    const col_trace trace = {.program = test->program, .source = test->source, .final = final};
    for (uint32_t m = 0; m < COL_MODEL_COUNT; m++) {
        const col_trace_settings settings = {.model = (col_model)m};
        col_verdict verdict = COL_UNDECIDED;
        BASE_TRY(col_trace_check(&trace, &settings, &verdict, NULL, problem));
        test->allowed[m] = verdict == COL_ALLOWED;
    }
    return COL_OK;
}

static bool write_models(const cyc_test *test, bool allowed, const char *before, base_text *text) {
    bool any = false;
    for (uint32_t m = 0; m < COL_MODEL_COUNT; m++)
        if (test->allowed[m] == allowed) {
            base_text_print(text, "%s%s", any ? ", " : before, col_models[m]);
            any = true;
        }
    return any;
}

static void write_verdicts(const cyc_test *test, base_text *text) {
    const bool any = write_models(test, false, "forbidden by ", text);
    (void)write_models(test, true, any ? "; allowed by " : "allowed by ", text);
}

static uint64_t word_of(const cyc_test *test, uint32_t write) {
    return write == COL_INITIAL
               ? 0
               : col_program_operand(&test->program, &test->program.operations[write]);
}

/* "thread 0: a1 = 0, thread 1: ...; at the end a0 = 2" */
static void write_outcome(const cyc_test *test, base_text *text) {
    const col_program *p = &test->program;
    const char *before = "";
    for (uint32_t o = 0; o < col_program_operations(p); o++)
        if (p->operations[o].kind == COL_LOAD) {
            base_text_print(text, "%sthread %u reads a%u = %llu", before,
                            col_program_thread_of(p, o), p->operations[o].location,
                            (unsigned long long)word_of(test, test->source[o]));
            before = ", ";
        }
    for (uint32_t a = 0; a < p->location_count; a++)
        if (test->says_last[a]) {
            base_text_print(text, "%sa%u ends as %llu", before, a,
                            (unsigned long long)word_of(test, test->last[a]));
            before = ", ";
        }
}

void cyc_test_write_program(const cyc_test *test, base_text *text) {
    base_text_print(text, "# %s: %s\n# outcome: ", test->name.data, test->relaxations.data);
    write_outcome(test, text);
    base_text_add(text, "\n# ");
    write_verdicts(test, text);
    base_text_add(text, "\n");
    prg_program_write(&test->program, text);
}

col_status cyc_test_write_litmus(const cyc_test *test, prg_isa isa, base_text *text,
                                 col_problem *problem) {
    uint64_t words[CYC_MOST_OPERATIONS] = {0}, finals[CYC_MOST] = {0};
    bool has_word[CYC_MOST_OPERATIONS] = {0};
    base_text comment = {0};
    for (uint32_t o = 0; o < col_program_operations(&test->program); o++) {
        has_word[o] = test->program.operations[o].kind == COL_LOAD;
        words[o] = has_word[o] ? word_of(test, test->source[o]) : 0;
    }
    for (uint32_t a = 0; a < test->program.location_count; a++)
        finals[a] = word_of(test, test->last[a]);
    base_text_print(&comment, "%s\n", test->relaxations.data);
    write_verdicts(test, &comment);
    col_status status = base_text_status(&comment, problem);
    const prg_litmus about = {.name = test->name.data,
                              .comment = comment.data,
                              .words = words,
                              .has_word = has_word,
                              .finals = finals,
                              .has_final = test->says_last,
                              .forbidden = !test->allowed[prg_isa_models[isa]]};
    if (status == COL_OK)
        status = prg_litmus_write(&test->program, isa, &about, text, problem);
    base_text_free(&comment);
    return status;
}
