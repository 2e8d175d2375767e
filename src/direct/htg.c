/* SPDX-License-Identifier: MIT */
/*
 * The hybrid engine of the thesis, HTG: Algorithms 2 to 7. The Explorer searches for a set of
 * points that covers most in least time, from neighbour to neighbour; the Driver puts points into
 * the order of their tests. No point is visited twice. Time is simulated cycles, so that choices
 * are the same on any machine.
 */
#include "direct/htg.h"

#include <stdlib.h>
#include <string.h>

enum { SIZE_MOVES = 2, PAIR_MOVES = DIR_HTG_MOVES - SIZE_MOVES };

typedef struct dir_htg_cost {
    uint64_t cycles;
    uint32_t number;
} dir_htg_cost;

static const dir_parameter parameters[] = {
    {DIR_PARAMETER(dir_htg_parameters, selection), .kind = DIR_REAL, .initial = 0.5, .least = 0.001,
     .most = 1, .meaning = "probability that a neighbouring point is selected"},
    {DIR_PARAMETER(dir_htg_parameters, start), .kind = DIR_TEXT,
     .meaning = "a file with a starting solution"},
    DIR_RTG_ROWS(dir_htg_parameters, rtg),
    {.name = NULL},
};

/* Its streams are not those of the programs. */
static void draw_from(htg *h, base_rng *rng) {
    base_rng_seed(rng, h->rtg.seed ^ UINT64_C(0x687467), h->draws++);
}

static bool is_any(const htg *h, const bool *points, const bool *but) {
    for (uint32_t i = 0; i < h->count; i++)
        if (points[i] && !but[i])
            return true;
    return false;
}

static bool is_all_visited(const htg *h) {
    for (uint32_t i = 0; i < h->count; i++)
        if (!h->visited[i])
            return false;
    return true;
}

/* ---- Algorithm 7, the Driver. */

uint32_t dir_htg_drive(const htg *h, const bool *points) {
    memcpy(h->wanted, points, h->count * sizeof *points);
    return dir_order_points(&h->rtg, h->wanted, h->left, h->order);
}

static void drive(htg *h, const bool *points) {
    h->queue_count = dir_htg_drive(h, points);
    h->queue_next = 0;
    memcpy(h->queue, h->order, h->queue_count * sizeof *h->queue);
}

/* ---- Algorithms 5 and 6: neighbours. */

uint32_t dir_htg_perturb(const htg *h, uint32_t number, uint32_t move) {
    const uint32_t pairs = h->rtg.pair_count;
    if (move == 0)
        return h->count - number > pairs ? number + pairs : h->count;
    if (move == 1)
        return number >= pairs ? number - pairs : h->count;
    const uint32_t pair = h->moves[number % pairs * PAIR_MOVES + move - SIZE_MOVES];
    return pair == pairs ? h->count : number - number % pairs + pair;
}

void dir_htg_generate_neighbour(htg *h, const bool *solution, bool *neighbour) {
    base_rng rng;
    bool *decided = h->wanted; /* the dictionary: what is in it; `neighbour` is what it says */
    draw_from(h, &rng);
    memset(decided, 0, h->count * sizeof *decided);
    memset(neighbour, 0, h->count * sizeof *neighbour);
    for (uint32_t i = 0; i < h->count; i++)
        for (uint32_t move = 0; solution[i] && move < DIR_HTG_MOVES; move++) {
            const uint32_t p = dir_htg_perturb(h, i, move);
            if (p == h->count || decided[p])
                continue;
            decided[p] = true;
            neighbour[p] = base_rng_unit(&rng) < h->parameters.selection;
        }
}

/* No point that is still to be visited is next to a visited one: caches that allow few points can
 * take a space apart. The thesis's spaces are all of one piece. */
static bool is_stuck(const htg *h) {
    for (uint32_t i = 0; i < h->count; i++)
        for (uint32_t move = 0; h->visited[i] && move < DIR_HTG_MOVES; move++) {
            const uint32_t p = dir_htg_perturb(h, i, move);
            if (p != h->count && !h->visited[p])
                return false;
        }
    return true;
}

static void jump(htg *h) {
    uint32_t count = 0;
    base_rng rng;
    for (uint32_t i = 0; i < h->count; i++)
        if (!h->visited[i])
            h->order[count++] = i;
    draw_from(h, &rng);
    h->neighbour[h->order[base_rng_below(&rng, count)]] = true;
}

/* ---- Algorithm 4: reduction. */

static int compare_costs(const void *a, const void *b) {
    const dir_htg_cost *x = a, *y = b;
    if (x->cycles != y->cycles)
        return x->cycles < y->cycles ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* Adds what a point covered to the sum; was there anything new? */
static bool add_coverage(const htg *h, uint32_t number) {
    const uint64_t *row = &h->covered[number * h->words];
    uint64_t more = 0;
    for (size_t w = 0; w < h->words; w++) {
        more |= row[w] & ~h->sum[w];
        h->sum[w] |= row[w];
    }
    return more != 0;
}

void dir_htg_reduce(const htg *h) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < h->count; i++)
        if (h->solution[i] || h->neighbour[i])
            h->costs[count++] = (dir_htg_cost){h->cycles[i], i};
    qsort(h->costs, count, sizeof *h->costs, compare_costs);
    memset(h->kept, 0, h->count * sizeof *h->kept);
    if (h->words == 0)
        return; /* nothing is known to be covered */
    memset(h->sum, 0, h->words * sizeof *h->sum);
    for (uint32_t i = 0; i < count; i++)
        h->kept[h->costs[i].number] = add_coverage(h, h->costs[i].number);
}

static void reduce(htg *h) {
    dir_htg_reduce(h);
    memcpy(h->solution, h->kept, h->count * sizeof *h->kept);
    memset(h->neighbour, 0, h->count * sizeof *h->neighbour);
    h->exploring = false;
}

/* ---- Algorithm 3, the Explorer. */

/* The next neighbour with something to visit, and the Driver's order of it. */
static void find_neighbour(htg *h) {
    dir_htg_generate_neighbour(h, h->solution, h->neighbour);
    if (!is_any(h, h->neighbour, h->visited))
        dir_htg_generate_neighbour(h, h->visited, h->neighbour);
    if (!is_any(h, h->neighbour, h->visited) && !is_all_visited(h) && is_stuck(h))
        jump(h);
    h->exploring = true;
    for (uint32_t i = 0; i < h->count; i++)
        h->kept[i] = h->neighbour[i] && !h->visited[i];
    drive(h, h->kept);
}

/* The space is exhausted. Who is to start over does so from the solution; what the points have
 * covered is not forgotten, so no later solution covers less. */
static void end_round(htg *h) {
    if (!h->repeat) {
        h->through = true;
        return;
    }
    memset(h->visited, 0, h->count * sizeof *h->visited);
    drive(h, h->solution);
}

/* The Driver is done with its points: on to those of the next neighbour. */
static void explore(htg *h) {
    if (h->exploring) {
        reduce(h);
        if (is_all_visited(h)) {
            end_round(h);
            return;
        }
    }
    find_neighbour(h);
}

/* ---- What tests covered. */

col_status dir_htg_expect(htg *h, uint64_t total, col_problem *problem) {
    if (h->hits != NULL && h->total != total)
        return base_refuse(problem, "the metric has %llu coverage points, not %llu as before",
                           (unsigned long long)total, (unsigned long long)h->total);
    if (h->hits != NULL)
        return COL_OK;
    h->total = total;
    h->words = (size_t)(total / 64 + 1);
    h->hits = calloc((size_t)total + 1, sizeof *h->hits);
    h->sum = calloc(h->words, sizeof *h->sum);
    h->covered = calloc(h->words * h->count, sizeof *h->covered);
    if (h->hits != NULL && h->sum != NULL && h->covered != NULL)
        return COL_OK;
    free(h->hits);
    free(h->sum);
    free(h->covered);
    h->hits = h->sum = h->covered = NULL;
    h->words = 0;
    return base_out_of_memory(problem);
}

/* No test was counted since the last one was made: it did not come to its end, and is due again. */
static void take_back(htg *h) {
    h->pending = h->count;
    h->queue_next--;
    h->test--;
}

/* What the last test hit is what was hit more often than before it. */
static col_status take_feedback(htg *h, const col_feedback *feedback, col_problem *problem) {
    if (h->pending == h->count)
        return COL_OK;
    if (feedback->tests == h->told) {
        take_back(h);
        return COL_OK;
    }
    if (feedback->total > 0 && feedback->hits == NULL)
        return base_refuse(problem, "the feedback does not say how often points were hit");
    const col_status status = dir_htg_expect(h, feedback->total, problem);
    if (status != COL_OK || h->hits == NULL)
        return status;
    uint64_t *row = &h->covered[h->pending * h->words];
    for (uint64_t i = 0; i < feedback->total; i++)
        if (feedback->hits[i] != h->hits[i]) {
            row[i / 64] |= UINT64_C(1) << i % 64;
            h->hits[i] = feedback->hits[i];
        }
    h->cycles[h->pending] = feedback->cycles;
    h->pending = h->count;
    return COL_OK;
}

col_status dir_htg_next(htg *h, const col_feedback *feedback, col_program *program,
                        col_point *point, col_problem *problem) {
    const col_status status = take_feedback(h, feedback, problem);
    if (status != COL_OK)
        return status;
    *point = (col_point){0};
    if (feedback->tests > 0 && feedback->total > 0 && feedback->covered == feedback->total &&
        !h->repeat && !h->through) {
        reduce(h);
        h->through = true;
    }
    while (!h->through && h->queue_next == h->queue_count)
        explore(h);
    if (h->through)
        return COL_OK;
    h->pending = h->queue[h->queue_next++];
    h->visited[h->pending] = true;
    h->told = feedback->tests;
    *point = dir_rtg_point(&h->rtg, h->pending);
    return dir_rtg_make(&h->rtg, point, h->test++, program, problem);
}

/* ---- Algorithm 2: the space, and the first solution. */

static void find_moves(htg *h) {
    static const dir_move moves[PAIR_MOVES] = {DIR_MORE_LOCATIONS, DIR_MORE_SETS,
                                               DIR_FEWER_LOCATIONS, DIR_FEWER_SETS};
    for (uint32_t i = 0; i < h->rtg.pair_count; i++)
        for (uint32_t move = 0; move < PAIR_MOVES; move++)
            h->moves[i * PAIR_MOVES + move] = dir_rtg_move(&h->rtg, i, moves[move]);
}

/* Of the smallest tests, those with any sets and no more locations than a random number of them. */
static void draw_solution(htg *h) {
    base_rng rng;
    draw_from(h, &rng);
    const uint32_t end = h->rtg.runs[base_rng_below(&rng, h->rtg.location_count) + 1];
    for (uint32_t i = 0; i < end; i++)
        h->solution[i] = true;
}

static col_status make_room(htg *h, col_problem *problem) {
    const size_t count = h->count = dir_rtg_count(&h->rtg);
    h->pending = h->count;
    h->moves = calloc(h->rtg.pair_count * (size_t)PAIR_MOVES, sizeof *h->moves);
    h->visited = calloc(count, sizeof *h->visited);
    h->solution = calloc(count, sizeof *h->solution);
    h->neighbour = calloc(count, sizeof *h->neighbour);
    h->cycles = calloc(count, sizeof *h->cycles);
    h->queue = calloc(count, sizeof *h->queue);
    h->wanted = calloc(count, sizeof *h->wanted);
    h->left = calloc(h->rtg.pair_count, sizeof *h->left);
    h->kept = calloc(count, sizeof *h->kept);
    h->costs = calloc(count, sizeof *h->costs);
    h->order = calloc(count, sizeof *h->order);
    if (h->moves == NULL || h->visited == NULL || h->solution == NULL || h->neighbour == NULL ||
        h->cycles == NULL || h->queue == NULL || h->wanted == NULL || h->left == NULL ||
        h->kept == NULL || h->costs == NULL || h->order == NULL)
        return base_out_of_memory(problem);
    return COL_OK;
}

col_status dir_htg_open(htg *h, const dir_engine *kind, const col_engine_settings *settings,
                        col_problem *problem) {
    *h = (htg){.repeat = settings->repeat};
    col_status status =
        dir_parameters_read(parameters, kind->name, settings->options, &h->parameters, problem);
    if (status == COL_OK)
        status = dir_rtg_open(&h->rtg, kind, h->parameters.rtg, settings, problem);
    if (status == COL_OK)
        status = make_room(h, problem);
    if (status == COL_OK && h->parameters.start[0] != '\0')
        status = dir_htg_read_start(h, h->parameters.start, problem);
    if (status != COL_OK)
        return status;
    find_moves(h);
    if (!is_any(h, h->solution, h->visited))
        draw_solution(h);
    drive(h, h->solution);
    return COL_OK;
}

void dir_htg_close(htg *h) {
    void *const memory[] = {h->moves, h->visited, h->solution, h->neighbour, h->cycles,
                            h->queue, h->hits,    h->covered,  h->wanted,    h->left,
                            h->kept,  h->sum,     h->costs,    h->order};
    for (size_t i = 0; i < sizeof memory / sizeof memory[0]; i++)
        free(memory[i]);
    dir_rtg_close(&h->rtg);
}

/* ---- As an engine. */

static void close_engine(void *state) {
    dir_htg_close(state);
    free(state);
}

static col_status open_engine(const dir_engine *kind, void **state,
                              const col_engine_settings *settings, col_problem *problem) {
    htg *h = malloc(sizeof *h);
    if (h == NULL)
        return base_out_of_memory(problem);
    const col_status status = dir_htg_open(h, kind, settings, problem);
    if (status != COL_OK) {
        close_engine(h);
        return status;
    }
    *state = h;
    return COL_OK;
}

static col_status next_test(void *state, const col_feedback *feedback, col_program *program,
                            col_point *point, col_problem *problem) {
    return dir_htg_next(state, feedback, program, point, problem);
}

static json_t *save_engine(const void *state) {
    return dir_htg_save(state);
}

static col_status restore_engine(void *state, const json_t *saved, col_problem *problem) {
    return dir_htg_restore(state, saved, problem);
}

const dir_functions dir_htg = {.open = open_engine,
                               .close = close_engine,
                               .next = next_test,
                               .save = save_engine,
                               .restore = restore_engine};
