/* SPDX-License-Identifier: MIT */
/*
 * The hybrid engine of the thesis, HTG: Algorithms 2 to 7. The Explorer searches for a set of
 * points that covers most in least time, from neighbour to neighbour; the Driver puts points into
 * the order of their tests. No point is visited twice. Time is simulated cycles, so that choices
 * are the same on any machine.
 */
#include "engine/htg.h"

#include "base/text.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE_MOVES = 2, PAIR_MOVES = DIR_HTG_MOVES - SIZE_MOVES };

typedef struct dir_htg_cost {
    uint64_t cycles;
    uint32_t number;
} dir_htg_cost;

static const base_field parameters[] = {
    {BASE_FIELD("selection", BASE_REAL, dir_htg_parameters, selection), .initial = "0.5",
     .low = 0.001, .high = 1, .help = "probability that a neighbouring point is selected"},
    {BASE_FIELD("start", BASE_STRING, dir_htg_parameters, start),
     .help = "a file with a starting solution"},
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
    h->queue_told = h->queue_next = 0;
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

/* ---- Algorithm 4: reduction. */

static int compare_costs(const void *a, const void *b) {
    const dir_htg_cost *x = a, *y = b;
    if (x->cycles != y->cycles)
        return x->cycles < y->cycles ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
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
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t *row = &h->covered[h->costs[i].number * h->words];
        uint64_t more = 0;
        for (size_t w = 0; w < h->words; w++) {
            more |= row[w] & ~h->sum[w];
            h->sum[w] |= row[w];
        }
        h->kept[h->costs[i].number] = more != 0;
    }
}

static void reduce(htg *h) {
    dir_htg_reduce(h);
    memcpy(h->solution, h->kept, h->count * sizeof *h->kept);
    memset(h->neighbour, 0, h->count * sizeof *h->neighbour);
    h->exploring = false;
}

/* ---- Algorithm 3, the Explorer. */

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
    /* The next neighbour with something to visit, and the Driver's order of it. */
    dir_htg_generate_neighbour(h, h->solution, h->neighbour);
    if (!is_any(h, h->neighbour, h->visited))
        dir_htg_generate_neighbour(h, h->visited, h->neighbour);
    if (!is_any(h, h->neighbour, h->visited) && !is_all_visited(h) && is_stuck(h)) {
        uint32_t count = 0;
        base_rng rng;
        for (uint32_t i = 0; i < h->count; i++)
            if (!h->visited[i])
                h->order[count++] = i;
        draw_from(h, &rng);
        h->neighbour[h->order[base_rng_below(&rng, count)]] = true;
    }
    h->exploring = true;
    for (uint32_t i = 0; i < h->count; i++)
        h->kept[i] = h->neighbour[i] && !h->visited[i];
    drive(h, h->kept);
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
    const base_part parts[] = {BASE_PART(h->hits, (size_t)total),
                               BASE_PART(h->sum, h->words),
                               BASE_PART(h->covered, h->words * h->count),
                               {0}};
    const col_status status = base_arena_divide(&h->arena, parts, problem);
    if (status != COL_OK) {
        h->hits = h->sum = h->covered = NULL;
        h->words = 0;
    }
    return status;
}

/* What the test hit is what was hit more often than before it. */
static col_status learn(void *state, const col_feedback *feedback, const dir_test *test,
                        col_problem *problem) {
    htg *h = state;
    (void)test;
    if (h->queue_told == h->queue_next)
        return base_refuse(problem, "the engine htg is told of a test that it did not make");
    if (feedback->total > 0 && feedback->hits == NULL)
        return base_refuse(problem, "the feedback does not say how often points were hit");
    const col_status status = dir_htg_expect(h, feedback->total, problem);
    const uint32_t number = h->queue[h->queue_told++];
    if (status != COL_OK || h->hits == NULL)
        return status;
    uint64_t *row = &h->covered[number * h->words];
    for (uint64_t i = 0; i < feedback->total; i++)
        if (feedback->hits[i] != h->hits[i]) {
            row[i / 64] |= UINT64_C(1) << i % 64;
            h->hits[i] = feedback->hits[i];
        }
    h->cycles[number] = feedback->cycles;
    return COL_OK;
}

/* Where the Explorer goes next follows from all tests of the Driver's points: it waits for them. */
static col_status choose_test(void *state, const col_feedback *feedback, dir_test *test,
                              col_problem *problem) {
    htg *h = state;
    (void)problem;
    test->point = (col_point){0};
    if (h->queue_next == h->queue_count && h->queue_told < h->queue_next)
        return COL_OK;
    if (feedback->tests > 0 && feedback->total > 0 && feedback->covered == feedback->total &&
        !h->repeat && !h->through) {
        reduce(h);
        h->through = true;
    }
    while (!h->through && h->queue_next == h->queue_count)
        explore(h);
    if (h->through)
        return COL_OK;
    const uint32_t number = h->queue[h->queue_next++];
    h->visited[number] = true;
    test->point = dir_rtg_point(&h->rtg, number);
    *(dir_rtg_plan *)test->plan = (dir_rtg_plan){h->test++};
    return COL_OK;
}

static col_status make_test(void *state, dir_test *test, col_problem *problem) {
    return dir_rtg_make_chosen(&((htg *)state)->rtg, test, problem);
}

/*
 * The hybrid engine as files: all it knows, and the solution (the thesis's G_opt) that another run
 * may start from. Points are written by their values, so that a solution can be read by people and
 * used where the space is another one.
 */

/* ---- Points. */

static json_t *write_point(const htg *h, uint32_t number) {
    const col_point p = dir_rtg_point(&h->rtg, number);
    return json_pack("{s:I, s:I, s:I}", "operations", (json_int_t)p.operations, "locations",
                     (json_int_t)p.locations, "sets", (json_int_t)p.sets);
}

static json_t *write_numbers(const htg *h, const uint32_t *numbers, uint32_t count) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < count; i++)
        base_json_append(&list, write_point(h, numbers[i]));
    return list;
}

static json_t *write_set(const htg *h, const bool *set) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < h->count; i++)
        if (set[i])
            h->order[count++] = i;
    return write_numbers(h, h->order, count);
}

static bool read_value(const json_t *object, const char *key, uint32_t *value) {
    const json_t *number = json_object_get(object, key);
    const json_int_t wide = json_integer_value(number);
    *value = (uint32_t)wide;
    return json_is_integer(number) && wide > 0 && wide <= UINT32_MAX;
}

static col_status read_point(const htg *h, const json_t *object, const char *what, size_t place,
                             uint32_t *number, col_problem *problem) {
    col_point p;
    if (!read_value(object, "operations", &p.operations) ||
        !read_value(object, "locations", &p.locations) || !read_value(object, "sets", &p.sets))
        return base_refuse(problem,
                           "point %zu of the %s needs operations, locations and sets, each a whole "
                           "number above 0",
                           place + 1, what);
    *number = dir_rtg_number(&h->rtg, p);
    if (*number == h->count)
        return base_refuse(
            problem,
            "point %zu of the %s, %u operations on %u locations in %u sets, is not in "
            "the space of this run",
            place + 1, what, p.operations, p.locations, p.sets);
    return COL_OK;
}

/* A list of points, none of them twice: into `set`, and in their order into `numbers`, if given. */
static col_status read_points(const htg *h, const json_t *list, const char *what, bool *set,
                              uint32_t *numbers, col_problem *problem) {
    memset(set, 0, h->count * sizeof *set);
    if (!json_is_array(list))
        return base_refuse(problem, "the %s is not a list of points", what);
    for (size_t i = 0; i < json_array_size(list); i++) {
        uint32_t number = 0;
        BASE_TRY(read_point(h, json_array_get(list, i), what, i, &number, problem));
        if (set[number])
            return base_refuse(problem, "point %zu of the %s is in it twice", i + 1, what);
        set[number] = true;
        if (numbers != NULL)
            numbers[i] = number;
    }
    return COL_OK;
}

/* ---- A starting solution. */

/* {"solution": [...]}, or a saved state that has one inside. */
static col_status read_start(htg *h, const char *path, col_problem *problem) {
    json_t *root;
    BASE_TRY(base_json_read(path, &root, problem));
    const json_t *list = json_object_get(root, "solution");
    if (list == NULL)
        list = json_object_get(json_object_get(dir_saved_engine(root), "state"), "solution");
    col_status status = list == NULL ? base_refuse(problem, "there is no \"solution\" in it")
                                     : read_points(h, list, "solution", h->solution, NULL, problem);
    json_decref(root);
    if (status == COL_BAD_INPUT && problem != NULL)
        (void)snprintf(problem->file, sizeof problem->file, "%.*s", (int)sizeof problem->file - 1,
                       path);
    return status;
}

/* ---- What tests covered. */

enum { DIGITS = 16 };

static bool is_known(const htg *h, uint32_t number) {
    bool any = h->visited[number] || h->cycles[number] > 0;
    for (size_t w = 0; w < h->words; w++)
        any = any || h->covered[number * h->words + w] != 0;
    return any;
}

static json_t *write_row(const htg *h, uint32_t number) {
    base_text text = {0};
    for (size_t w = 0; w < h->words; w++)
        base_text_print(&text, "%016" PRIx64, h->covered[number * h->words + w]);
    json_t *row = text.failed ? NULL : json_string(text.data == NULL ? "" : text.data);
    base_text_free(&text);
    return row;
}

static json_t *write_known(const htg *h) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < h->count; i++) {
        if (!is_known(h, i))
            continue;
        const col_point p = dir_rtg_point(&h->rtg, i);
        base_json_append(&list,
                         json_pack("{s:b, s:I, s:o, s:I, s:I, s:I}", "visited", (int)h->visited[i],
                                   "cycles", (json_int_t)h->cycles[i], "covered", write_row(h, i),
                                   "operations", (json_int_t)p.operations, "locations",
                                   (json_int_t)p.locations, "sets", (json_int_t)p.sets));
    }
    return list;
}

static json_t *write_hits(const htg *h) {
    if (h->hits == NULL)
        return json_null();
    json_t *list = json_array();
    for (uint64_t i = 0; i < h->total; i++)
        base_json_append(&list, json_integer((json_int_t)h->hits[i]));
    return list;
}

/* Exactly the digits of a row, and no bit beyond the last coverage point. */
static bool read_row(htg *h, uint32_t number, const char *digits) {
    if (digits == NULL || strlen(digits) != h->words * DIGITS ||
        strspn(digits, "0123456789abcdef") != h->words * DIGITS)
        return false;
    uint64_t *row = &h->covered[number * h->words];
    for (size_t i = 0; i < h->words * DIGITS; i++) {
        const uint64_t digit =
            (uint64_t)(digits[i] <= '9' ? digits[i] - '0' : digits[i] - 'a' + 10);
        row[i / DIGITS] = row[i / DIGITS] << 4 | digit;
    }
    return row[h->words - 1] >> h->total % 64 == 0;
}

static col_status read_known(htg *h, const json_t *list, col_problem *problem) {
    BASE_TRY(read_points(h, list, "known points", h->wanted, h->order, problem));
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *point = json_array_get(list, i);
        const json_t *cycles = json_object_get(point, "cycles");
        const json_t *visited = json_object_get(point, "visited");
        const char *digits = json_string_value(json_object_get(point, "covered"));
        const bool has_row =
            h->words == 0 ? digits != NULL && *digits == '\0' : read_row(h, h->order[i], digits);
        if (!json_is_boolean(visited) || !json_is_integer(cycles) ||
            json_integer_value(cycles) < 0 || !has_row)
            return base_refuse(problem, "what point %zu of the known points covered is malformed",
                               i + 1);
        h->visited[h->order[i]] = json_is_true(visited);
        h->cycles[h->order[i]] = (uint64_t)json_integer_value(cycles);
    }
    return COL_OK;
}

static col_status read_hits(htg *h, const json_t *list, col_problem *problem) {
    if (json_is_null(list))
        return COL_OK; /* saved before the first test */
    if (!json_is_array(list))
        return base_refuse(problem, "the hits are not a list of numbers");
    BASE_TRY(dir_htg_expect(h, json_array_size(list), problem));
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *number = json_array_get(list, i);
        if (!json_is_integer(number))
            return base_refuse(problem, "number %zu of the hits is none", i + 1);
        assert(h->hits != NULL);
        h->hits[i] = (uint64_t)json_integer_value(number);
    }
    return COL_OK;
}

/* ---- All of it. */

/* G_opt in the Driver's order. While G itself is being visited, nothing better is known; what the
 * tests under way cover is not known either, so their points stay. */
static json_t *write_solution(const htg *h) {
    if (h->exploring)
        dir_htg_reduce(h);
    else
        memcpy(h->kept, h->solution, h->count * sizeof *h->kept);
    for (uint32_t i = h->queue_told; i < h->queue_next; i++)
        h->kept[h->queue[i]] = true;
    return write_numbers(h, h->order, dir_htg_drive(h, h->kept));
}

static json_t *save_engine(const void *state) {
    const htg *h = state;
    json_t *solution = write_solution(h); /* each list by itself: they share what they work in */
    json_t *current = write_set(h, h->solution);
    json_t *neighbour = h->exploring ? write_set(h, h->neighbour) : json_null();
    json_t *queue = write_numbers(h, h->queue + h->queue_next, h->queue_count - h->queue_next);
    json_t *under_way = write_numbers(h, h->queue + h->queue_told, h->queue_next - h->queue_told);
    return json_pack("{s:I, s:I, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "test",
                     (json_int_t)h->test, "draws", (json_int_t)h->draws, "through", (int)h->through,
                     "solution", solution, "current", current, "neighbour", neighbour, "queue",
                     queue, "under_way", under_way, "known", write_known(h), "hits", write_hits(h));
}

static col_status read_counts(htg *h, const json_t *saved, col_problem *problem) {
    const json_t *through = json_object_get(saved, "through");
    if (!base_json_take(saved, "test", &h->test) || !base_json_take(saved, "draws", &h->draws) ||
        !json_is_boolean(through))
        return base_refuse(problem, "the state of the engine has no numbers of tests and draws");
    h->through = json_is_true(through);
    return COL_OK;
}

/* The points of the tests under way, which are visited, and then those to come, which are not. */
static col_status read_queue(htg *h, const json_t *saved, col_problem *problem) {
    static const char *const parts[] = {"under_way", "queue"};
    h->queue_told = h->queue_next = h->queue_count = 0;
    for (size_t p = 0; p < 2; p++) {
        const json_t *list = json_object_get(saved, parts[p]);
        BASE_TRY(read_points(h, list, parts[p], h->wanted, h->order, problem));
        h->queue_next = h->queue_count;
        for (size_t i = 0; i < json_array_size(list); i++) {
            if (h->visited[h->order[i]] != (p == 0))
                return base_refuse(problem, "point %zu of %s is %svisited", i + 1, parts[p],
                                   p == 0 ? "not " : "");
            h->queue[h->queue_count++] = h->order[i];
        }
    }
    return COL_OK;
}

static col_status restore_engine(void *state, const json_t *saved, col_problem *problem) {
    htg *h = state;
    const json_t *neighbour = json_object_get(saved, "neighbour");
    BASE_TRY(read_counts(h, saved, problem));
    BASE_TRY(read_points(h, json_object_get(saved, "current"), "current solution", h->solution,
                         NULL, problem));
    h->exploring = !json_is_null(neighbour);
    if (h->exploring)
        BASE_TRY(read_points(h, neighbour, "neighbour", h->neighbour, NULL, problem));
    BASE_TRY(read_hits(h, json_object_get(saved, "hits"), problem));
    BASE_TRY(read_known(h, json_object_get(saved, "known"), problem));
    return read_queue(h, saved, problem);
}

/* ---- Algorithm 2: the space, and the first solution. */

static col_status make_room(htg *h, col_problem *problem) {
    const size_t count = h->count = dir_rtg_count(&h->rtg);
    const size_t pairs = h->rtg.pair_count;
    const base_part parts[] = {BASE_PART(h->moves, pairs * PAIR_MOVES),
                               BASE_PART(h->visited, count),
                               BASE_PART(h->solution, count),
                               BASE_PART(h->neighbour, count),
                               BASE_PART(h->cycles, count),
                               BASE_PART(h->queue, count),
                               BASE_PART(h->wanted, count),
                               BASE_PART(h->left, pairs),
                               BASE_PART(h->kept, count),
                               BASE_PART(h->costs, count),
                               BASE_PART(h->order, count),
                               {0}};
    return base_arena_divide(&h->arena, parts, problem);
}

static col_status open_engine(void *state, const dir_engine *kind,
                              const col_engine_settings *settings, col_problem *problem) {
    htg *h = state;
    h->repeat = settings->repeat;
    BASE_TRY(
        dir_parameters_read(parameters, kind->name, settings->options, &h->parameters, problem));
    BASE_TRY(dir_rtg_open(&h->rtg, kind, h->parameters.rtg, settings, problem));
    BASE_TRY(make_room(h, problem));
    if (h->parameters.start[0] != '\0')
        BASE_TRY(read_start(h, h->parameters.start, problem));
    static const dir_move moves[PAIR_MOVES] = {DIR_MORE_LOCATIONS, DIR_MORE_SETS,
                                               DIR_FEWER_LOCATIONS, DIR_FEWER_SETS};
    for (uint32_t i = 0; i < h->rtg.pair_count; i++)
        for (uint32_t move = 0; move < PAIR_MOVES; move++)
            h->moves[i * PAIR_MOVES + move] = dir_rtg_move(&h->rtg, i, moves[move]);
    if (!is_any(h, h->solution, h->visited)) {
        /* Of the smallest tests, those with any sets and no more locations than a random number of
         * them. */
        base_rng rng;
        draw_from(h, &rng);
        const uint32_t end = h->rtg.runs[base_rng_below(&rng, h->rtg.location_count) + 1];
        for (uint32_t i = 0; i < end; i++)
            h->solution[i] = true;
    }
    drive(h, h->solution);
    return COL_OK;
}

static void close_engine(void *state) {
    htg *h = state;
    base_arena_free(&h->arena);
    dir_rtg_close(&h->rtg);
}

const dir_functions dir_htg = {.size = sizeof(htg),
                               .open = open_engine,
                               .close = close_engine,
                               .plan = sizeof(dir_rtg_plan),
                               .choose = choose_test,
                               .make = make_test,
                               .learn = learn,
                               .save = save_engine,
                               .restore = restore_engine};
