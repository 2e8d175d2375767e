/* SPDX-License-Identifier: MIT */
/* All candidate executions of a litmus test, judged: see litmus_run.h. */
#include "judge/litmus/litmus_run.h"

#include "base/clock.h"
#include "judge/litmus/candidate.h"

#include <stdlib.h>
#include <string.h>

/*
 * Orders of the writes to each cell. Where a model keeps locations coherent, what threads see of a
 * cell says of many pairs of writes which one comes first; the rest is tried, in the order of the
 * writes' numbers.
 */

enum { MOST_WRITES = 64 }; /* to a cell */

/* ---- What is known. */

/* Where a write is listed. */
static uint32_t place_of(const lit_candidate *c, uint32_t access) {
    uint32_t place = c->cell_start[c->accesses[access].cell];
    while (c->writes[place] != access)
        place++;
    return place;
}

/* The first write comes before the second one; false: it cannot. Initial writes are first. */
static bool put_before(lit_candidate *c, uint32_t first, uint32_t second) {
    if (first == second || c->accesses[first].thread == CAT_NO_THREAD)
        return true;
    if (c->accesses[second].thread == CAT_NO_THREAD)
        return false;
    c->before[place_of(c, second)] |=
        UINT64_C(1) << (place_of(c, first) - c->cell_start[c->accesses[first].cell]);
    return true;
}

/* Each thread sees a cell's writes in their order: those that it makes and those that it reads. */
static bool follow_threads(lit_candidate *c) {
    for (uint32_t i = 0; i < c->access_count; i++) {
        const lit_access *a = &c->accesses[i];
        if (a->thread == CAT_NO_THREAD)
            continue;
        if (a->reads && a->writes && !put_before(c, a->source, i))
            return false;
        for (uint32_t k = i + 1; k < c->access_count && c->accesses[k].thread == a->thread; k++) {
            const lit_access *b = &c->accesses[k];
            if (b->cell == a->cell && b->instance != a->instance &&
                !put_before(c, a->writes ? i : a->source, b->reads ? b->source : k))
                return false;
        }
    }
    return true;
}

/* ---- Trying. */

static uint64_t placed_before(const lit_candidate *c, uint32_t start, uint32_t place) {
    uint64_t placed = 0;
    for (uint32_t i = start; i < place; i++)
        placed |= UINT64_C(1) << c->order[i];
    return placed;
}

/* The write with the smallest number from `least` on that may stand at the place. */
static bool put_next(lit_candidate *c, uint32_t cell, uint32_t place, uint32_t least) {
    const uint32_t start = c->cell_start[cell], count = c->cell_start[cell + 1] - start;
    const uint64_t placed = placed_before(c, start, place);
    for (uint32_t i = least; i < count; i++) {
        if ((placed >> i & 1) != 0 || (c->before[start + i] & ~placed) != 0)
            continue;
        c->order[place] = i;
        return true;
    }
    return false;
}

static bool fill(lit_candidate *c, uint32_t cell, uint32_t place) {
    for (; place < c->cell_start[cell + 1]; place++)
        if (!put_next(c, cell, place, 0))
            return false;
    return true;
}

/* Any order with this write at the end. */
static bool end_with(lit_candidate *c, uint32_t cell, uint32_t last) {
    const uint32_t start = c->cell_start[cell], end = c->cell_start[cell + 1] - 1;
    for (uint32_t place = start; place < end; place++) {
        if (!put_next(c, cell, place, 0))
            return false;
        if (c->order[place] == last && !put_next(c, cell, place, last + 1))
            return false;
    }
    c->order[end] = last;
    return true;
}

/* The same for a write with a number from `least` on. */
static bool end_with_next(lit_candidate *c, uint32_t cell, uint32_t least) {
    const uint32_t count = c->cell_start[cell + 1] - c->cell_start[cell];
    for (uint32_t last = least; last < count; last++)
        if (end_with(c, cell, last))
            return true;
    return false;
}

static bool first_of_cell(lit_candidate *c, uint32_t cell) {
    const uint32_t start = c->cell_start[cell];
    return c->needs_order || start == c->cell_start[cell + 1] ? fill(c, cell, start)
                                                              : end_with_next(c, cell, 0);
}

static bool next_of_cell(lit_candidate *c, uint32_t cell) {
    const uint32_t start = c->cell_start[cell], end = c->cell_start[cell + 1];
    if (!c->needs_order)
        return start < end && end_with_next(c, cell, c->order[end - 1] + 1);
    for (uint32_t place = end; place-- > start;)
        if (put_next(c, cell, place, c->order[place] + 1))
            return fill(c, cell, place + 1);
    return false;
}

static bool next_order(lit_candidate *c) {
    for (uint32_t cell = 0; cell < c->test->part_count; cell++) {
        if (next_of_cell(c, cell))
            return true;
        (void)first_of_cell(c, cell);
    }
    return false;
}

/* ---- The whole. */

/* The writes of each cell. */
static col_status list_writes(lit_candidate *c, col_problem *problem) {
    uint32_t count = 0;
    for (uint32_t cell = 0; cell < c->test->part_count; cell++) {
        c->cell_start[cell] = count;
        for (uint32_t i = 0; i < c->access_count; i++)
            if (c->accesses[i].writes && c->accesses[i].cell == cell &&
                c->accesses[i].thread != CAT_NO_THREAD)
                c->writes[count++] = i;
        if (count - c->cell_start[cell] > MOST_WRITES)
            return base_refuse(problem, "%s: more than %d writes to a location are too many",
                               c->test->file, MOST_WRITES);
    }
    c->cell_start[c->test->part_count] = count;
    return COL_OK;
}

/* The first order that what threads see allows; the next one, until there is none. */
static bool first_order(lit_candidate *c) {
    memset(c->before, 0, c->cell_start[c->test->part_count] * sizeof *c->before);
    if (c->is_coherent && !follow_threads(c))
        return false;
    for (uint32_t cell = 0; cell < c->test->part_count; cell++)
        if (!first_of_cell(c, cell))
            return false;
    return true;
}

/* Puts the order into the graph. */
static col_status relate_order(lit_candidate *c) {
    cat_graph *graph = &c->graph;
    cat_graph_clear(graph, CAT_CO);
    for (uint32_t cell = 0; cell < c->test->part_count; cell++) {
        const uint32_t start = c->cell_start[cell], end = c->cell_start[cell + 1];
        for (uint32_t i = start; i < end; i++)
            for (uint32_t k = i + 1; k < end; k++)
                cat_graph_relate(graph, CAT_CO, c->accesses[c->writes[start + c->order[i]]].event,
                                 c->accesses[c->writes[start + c->order[k]]].event);
    }
    for (uint32_t i = 0; i < c->access_count && c->accesses[i].thread == CAT_NO_THREAD; i++) {
        const uint32_t cell = c->accesses[i].cell;
        for (uint32_t k = c->cell_start[cell]; k < c->cell_start[cell + 1]; k++)
            cat_graph_relate(graph, CAT_CO, c->accesses[i].event, c->accesses[c->writes[k]].event);
    }
    if (c->needs_finals)
        cat_graph_find_finals(graph);
    return graph->status;
}

static uint64_t final_part(const lit_candidate *c, uint32_t cell) {
    const uint32_t start = c->cell_start[cell], end = c->cell_start[cell + 1];
    if (start == end)
        return c->test->parts[cell].initial;
    const lit_access *last = &c->accesses[c->writes[start + c->order[end - 1]]];
    return lit_candidate_value(c, last->thread, c->paths[last->thread]->events[last->inside].value);
}

static uint64_t final_value(const lit_candidate *c, const lit_cell *cell) {
    const uint32_t granule = c->test->granule;
    uint64_t value = 0;
    if (granule == 0)
        return final_part(c, cell->first_part);
    for (uint32_t i = 0; i < cell->bytes / granule; i++)
        value |= final_part(c, cell->first_part + i) << (8 * granule * i);
    return value;
}

/* What the items of the test are at the end. */
static void final_state(const lit_candidate *c, uint64_t *values) {
    for (uint32_t i = 0; i < c->test->item_count; i++) {
        const lit_item *item = c->test->items[i];
        values[i] = item->is_register
                        ? lit_candidate_value(c, item->thread,
                                              c->paths[item->thread]->registers[item->register_])
                        : final_value(c, &c->test->cells[item->cell]);
    }
}

/*
 * Accesses of several parts. To herd7 an access is not torn at will: of two writes that a read
 * takes parts from, and that overlap there, the one with fewer bytes came later, and the read takes
 * all of it. The last writes to a cell are found in the same way.
 */

static bool covers(const lit_access *write, uint32_t part) {
    return part >= write->first && part < write->first + write->count;
}

static bool is_one_access(const lit_access *a, const lit_access *b) {
    return a->thread == b->thread && a->instance == b->instance && a->first == b->first &&
           a->count == b->count;
}

/* The first write was found at one part, the second one at another. */
static bool fit(const lit_access *first, uint32_t first_part, const lit_access *second,
                uint32_t second_part) {
    if (is_one_access(first, second))
        return true;
    return (!covers(first, second_part) || second->count < first->count) &&
           (!covers(second, first_part) || first->count < second->count);
}

/* Where an access has several parts (docs/litmus.md): does what the read takes fit with what those
 * of its access before it take? */
static bool is_whole(const lit_candidate *c, uint32_t read) {
    const lit_access *r = &c->accesses[read];
    for (uint32_t i = read; i-- > 0 && r->count > 1;) {
        const lit_access *other = &c->accesses[i];
        if (!other->reads || !is_one_access(other, r))
            break;
        if (!fit(&c->accesses[other->source], other->cell, &c->accesses[r->source], r->cell))
            return false;
    }
    return true;
}

/* The last write to a part; the initial one, if there is no other; or NULL. */
static const lit_access *last_write(const lit_candidate *c, uint32_t part) {
    const uint32_t start = c->cell_start[part], end = c->cell_start[part + 1];
    if (start < end)
        return &c->accesses[c->writes[start + c->order[end - 1]]];
    for (uint32_t i = 0; i < c->access_count && c->accesses[i].thread == CAT_NO_THREAD; i++)
        if (c->accesses[i].cell == part)
            return &c->accesses[i];
    return NULL;
}

static bool ends_whole(const lit_candidate *c, const lit_cell *cell) {
    const uint32_t end = cell->first_part + cell->bytes / c->test->granule;
    for (uint32_t i = cell->first_part; i < end; i++)
        for (uint32_t k = i + 1; k < end; k++) {
            const lit_access *a = last_write(c, i), *b = last_write(c, k);
            if (a != NULL && b != NULL && !fit(a, i, b, k))
                return false;
        }
    return true;
}

/* Do the last writes to the cells that the test asks for? */
static bool all_end_whole(const lit_candidate *c) {
    for (uint32_t i = 0; c->test->granule > 0 && i < c->test->item_count; i++)
        if (!c->test->items[i]->is_register &&
            !ends_whole(c, &c->test->cells[c->test->items[i]->cell]))
            return false;
    return true;
}

/*
 * Whether a model keeps locations coherent. Then most candidates need not be tried: what a thread
 * sees of one location follows program order.
 */

/* Events of a shape: event 0 is the initial write; others are of thread 0 or 1. */
typedef struct part {
    uint32_t thread;
    bool is_read;
    uint32_t source; /* of a read */
    uint32_t order;  /* of a write: its place */
} part;

enum { MOST_PARTS = 4 };

/* coWW, coRW within a thread, coRW2, coWR, coRR. */
static const struct {
    uint32_t count;
    part parts[MOST_PARTS];
} shapes[] = {{2, {{0, false, 0, 2}, {0, false, 0, 1}}},
              {2, {{0, true, 2, 0}, {0, false, 0, 1}}},
              {3, {{0, true, 3, 0}, {0, false, 0, 1}, {1, false, 0, 2}}},
              {2, {{0, false, 0, 1}, {0, true, 0, 0}}},
              {3, {{1, false, 0, 1}, {0, true, 1, 0}, {0, true, 0, 0}}}};

static void make(cat_graph *graph, uint32_t shape, col_problem *problem) {
    const uint32_t count = shapes[shape].count;
    const part *parts = shapes[shape].parts;
    cat_graph_begin(graph, count + 1, problem);
    if (graph->status != COL_OK)
        return;
    graph->events[0] = (cat_event){.thread = CAT_NO_THREAD, .kind = CAT_WRITE};
    for (uint32_t i = 0; i < count; i++)
        graph->events[i + 1] =
            (cat_event){.thread = parts[i].thread,
                        .instance = i,
                        .kind = (uint8_t)(parts[i].is_read ? CAT_READ : CAT_WRITE)};
    cat_graph_derive(graph);
    for (uint32_t i = 0; i < count; i++) {
        if (parts[i].is_read) {
            cat_graph_relate(graph, CAT_RF, parts[i].source, i + 1);
            continue;
        }
        cat_graph_relate(graph, CAT_CO, 0, i + 1);
        for (uint32_t k = 0; k < count; k++)
            if (!parts[k].is_read && parts[k].order < parts[i].order)
                cat_graph_relate(graph, CAT_CO, k + 1, i + 1);
    }
    cat_graph_find_finals(graph);
}

/* By any of the orders that the model may choose. */
static col_status judge(cat_run *run, bool *is_allowed, col_problem *problem) {
    cat_verdict verdict = {.is_allowed = false};
    bool is_there = false;
    col_status status = cat_run_choose_first(run, &is_there, problem);
    while (status == COL_OK && is_there && !verdict.is_allowed) {
        status = cat_run_judge(run, CAT_WITH_ALL, &verdict, problem);
        if (status == COL_OK)
            status = cat_run_choose_next(run, &is_there, problem);
    }
    *is_allowed = verdict.is_allowed;
    return status;
}

/* Does the model keep every location coherent, as all usual ones do? It is asked about the five
 * smallest executions that are not. */
static col_status ask_coherence(cat_run *run, bool *is_coherent, col_problem *problem) {
    cat_graph graph = {0};
    col_status status = COL_OK;
    *is_coherent = true;
    for (uint32_t i = 0; status == COL_OK && i < sizeof shapes / sizeof shapes[0]; i++) {
        bool is_allowed = false;
        make(&graph, i, problem);
        status = graph.status;
        if (status == COL_OK)
            status = cat_run_load(run, &graph, problem);
        if (status == COL_OK)
            status = judge(run, &is_allowed, problem);
        *is_coherent = *is_coherent && !is_allowed;
    }
    cat_graph_free(&graph);
    return status;
}

/* ---- The judge. */

/* The model as it reads with a variant. */
typedef struct reading {
    cat_model model;
    cat_run *run; /* NULL: not read yet */
    bool is_coherent;
} reading;

struct lit_judge {
    reading plain;
    reading mixed; /* for tests that access parts of locations */
    reading *now;
    char *path;
    cat_sources sources;
    lit_candidate candidate;
    lit_paths *paths; /* by thread, of the test */
    lit_test *test;
    lit_outcomes *outcomes;
    uint64_t *state;
    bool as_designs;
    base_timer *timer; /* of the budget */
    col_status status; /* of the test: the first problem ends it */
    col_problem *problem;
};

static col_status read_model(reading *r, const char *path, const cat_sources *sources,
                             col_problem *problem) {
    col_status status = cat_model_read_file(&r->model, path, sources, problem);
    if (status == COL_OK)
        status = cat_run_new(&r->run, &r->model, problem);
    return status == COL_OK ? ask_coherence(r->run, &r->is_coherent, problem) : status;
}

static void free_reading(reading *r) {
    cat_run_free(r->run);
    cat_model_free(&r->model);
}

/* As herd7's -variant mixed. */
static void read_mixed(lit_judge *j) {
    static const char *const variants[] = {"mixed", NULL};
    cat_sources sources = j->sources;
    sources.variants = variants;
    j->now = &j->mixed;
    if (j->mixed.run == NULL)
        j->status = read_model(&j->mixed, j->path, &sources, j->problem);
}

col_status lit_judge_new(lit_judge **judge, const char *path, const cat_sources *sources,
                         col_problem *problem) {
    *judge = calloc(1, sizeof **judge);
    if (*judge == NULL)
        return base_out_of_memory(problem);
    (*judge)->path = strdup(path);
    if (sources != NULL)
        (*judge)->sources = *sources;
    col_status status = (*judge)->path != NULL
                            ? read_model(&(*judge)->plain, path, sources, problem)
                            : base_out_of_memory(problem);
    if (status == COL_OK)
        status = base_timer_new(&(*judge)->timer, NULL, problem);
    if (status == COL_OK)
        return COL_OK;
    lit_judge_free(*judge);
    *judge = NULL;
    return status;
}

void lit_judge_free(lit_judge *judge) {
    if (judge == NULL)
        return;
    lit_candidate_free(&judge->candidate);
    free_reading(&judge->plain);
    free_reading(&judge->mixed);
    base_timer_free(judge->timer);
    free(judge->path);
    free(judge);
}

void lit_judge_as_designs(lit_judge *judge) {
    judge->as_designs = true;
}

static bool goes_on(const lit_judge *j) {
    return j->status == COL_OK && !base_is_stopped(base_timer_stop(j->timer));
}

/* ---- From the inside out: an order of writes, sources, paths. */

static bool is_allowed(lit_judge *j, cat_level level) {
    cat_verdict verdict = {.is_allowed = false};
    j->status = cat_run_judge(j->now->run, level, &verdict, j->problem);
    return j->status == COL_OK && verdict.is_allowed;
}

static void add_outcome(lit_judge *j) {
    j->status = lit_outcomes_add(j->outcomes, j->test, j->state, 1, NULL, j->problem);
}

/* Each way in which the model chooses orders of its own is an execution. */
static void judge_choices(lit_judge *j) {
    bool is_there = false;
    j->status = cat_run_choose_first(j->now->run, &is_there, j->problem);
    while (goes_on(j) && is_there) {
        if (is_allowed(j, CAT_WITH_ALL))
            add_outcome(j);
        if (j->status == COL_OK)
            j->status = cat_run_choose_next(j->now->run, &is_there, j->problem);
    }
}

static void judge_order(lit_judge *j) {
    j->status = relate_order(&j->candidate);
    cat_run_change(j->now->run, CAT_WITH_CO);
    if (j->status != COL_OK || !is_allowed(j, CAT_WITH_CO))
        return;
    final_state(&j->candidate, j->state);
    if (j->now->model.choice_count > 0)
        judge_choices(j);
    else
        add_outcome(j);
}

/* The sources are chosen. */
static void judge_sources(lit_judge *j) {
    lit_candidate *c = &j->candidate;
    if (!lit_candidate_is_solved(c) || !first_order(c))
        return;
    j->status = lit_candidate_relate_sources(c);
    cat_run_change(j->now->run, CAT_WITH_RF);
    do {
        if (j->status == COL_OK && all_end_whole(c))
            judge_order(j);
    } while (goes_on(j) && next_order(c));
}

/* Chooses the source of one read after the other; those that contradict a path are left at once. */
static void choose_sources(lit_judge *j, uint32_t number) {
    lit_candidate *c = &j->candidate;
    if (number == c->read_count) {
        judge_sources(j);
        return;
    }
    lit_access *read = &c->accesses[c->reads[number]];
    for (uint32_t i = 0; i < c->access_count && goes_on(j); i++) {
        if (!lit_candidate_may_read(c, read, i))
            continue;
        read->source = i;
        if (is_whole(c, c->reads[number]) && lit_candidate_compute(c))
            choose_sources(j, number + 1);
    }
    read->source = LIT_NO_EVENT;
}

static void choose_paths(lit_judge *j, uint32_t thread) {
    lit_candidate *c = &j->candidate;
    const lit_paths *paths = &j->paths[thread];
    if (thread == j->test->thread_count) {
        j->status = lit_candidate_make(c, &j->now->model, j->problem);
        if (j->status == COL_OK)
            j->status = list_writes(c, j->problem);
        if (j->status == COL_OK)
            j->status = cat_run_load(j->now->run, &c->graph, j->problem);
        if (j->status == COL_OK && lit_candidate_compute(c))
            choose_sources(j, 0);
        return;
    }
    for (size_t i = 0; i < paths->count && goes_on(j); i++) {
        c->paths[thread] = &paths->paths[i];
        choose_paths(j, thread + 1);
    }
}

/* ---- The whole. */

static void free_paths(lit_judge *j) {
    for (uint32_t t = 0; j->paths != NULL && t < j->test->thread_count; t++)
        lit_paths_free(&j->paths[t]);
}

static void make_paths(lit_judge *j) {
    const lit_path_settings settings = {.with_registers = j->now->model.finds_dependencies,
                                        .splits_atomics = j->as_designs};
    for (uint32_t t = 0; j->paths != NULL && j->status == COL_OK && t < j->test->thread_count;
         t++) {
        j->status = lit_paths_make(&j->paths[t], j->test, t, settings, j->problem);
        if (j->as_designs)
            lit_paths_drop_failed(&j->paths[t]);
        j->outcomes->is_cut = j->outcomes->is_cut || j->paths[t].is_cut;
    }
}

/* With whole locations, or with parts of them if an access asks for these. */
static void judge_all(lit_judge *j) {
    j->now = &j->plain;
    if (j->test->granule == 0)
        make_paths(j);
    if (j->test->needs_parts) {
        free_paths(j);
        j->status = j->test->granule == 0 ? lit_test_split(j->test, j->problem) : COL_OK;
        if (j->status == COL_OK)
            read_mixed(j);
        make_paths(j);
    }
    if (j->status == COL_OK)
        j->status = lit_candidate_begin(&j->candidate, j->test, j->now->is_coherent, j->problem);
    j->candidate.has_all_names = j->as_designs;
    if (j->status == COL_OK)
        choose_paths(j, 0);
    lit_outcomes_sort(j->outcomes);
}

col_status lit_judge_test(lit_judge *judge, lit_test *test, double budget, lit_outcomes *outcomes,
                          bool *is_complete, col_problem *problem) {
    judge->test = test;
    judge->outcomes = outcomes;
    judge->problem = problem;
    base_timer_set(judge->timer, budget);
    judge->paths = calloc((size_t)test->thread_count + 1, sizeof *judge->paths);
    judge->state = calloc((size_t)test->item_count + 1, sizeof *judge->state);
    lit_outcomes_begin(outcomes);
    judge->status =
        judge->paths != NULL && judge->state != NULL ? COL_OK : base_out_of_memory(problem);
    if (judge->status == COL_OK)
        judge_all(judge);
    free_paths(judge);
    lit_candidate_free(&judge->candidate);
    free(judge->paths);
    free(judge->state);
    *is_complete = !base_is_stopped(base_timer_stop(judge->timer));
    base_timer_set(judge->timer, 0);
    return judge->status;
}
