/* SPDX-License-Identifier: MIT */
/*
 * The hybrid engine as files: all it knows, and the solution (the thesis's G_opt) that another run
 * may start from. Points are written by their values, so that a solution can be read by people and
 * used where the space is another one.
 */
#include "base/text.h"
#include "direct/htg.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- Points. */

static json_t *write_point(const htg *h, uint32_t number) {
    const col_point p = dir_rtg_point(&h->rtg, number);
    return json_pack("{s:I, s:I, s:I}", "operations", (json_int_t)p.operations, "locations",
                     (json_int_t)p.locations, "sets", (json_int_t)p.sets);
}

static json_t *write_numbers(const htg *h, const uint32_t *numbers, uint32_t count) {
    json_t *list = json_array();
    for (uint32_t i = 0; list != NULL && i < count; i++)
        if (json_array_append_new(list, write_point(h, numbers[i])) != 0) {
            json_decref(list);
            list = NULL;
        }
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
        const col_status status = read_point(h, json_array_get(list, i), what, i, &number, problem);
        if (status != COL_OK)
            return status;
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
col_status dir_htg_read_start(htg *h, const char *path, col_problem *problem) {
    json_t *root;
    col_status status = base_json_read(path, &root, problem);
    if (status != COL_OK)
        return status;
    const json_t *list = json_object_get(root, "solution");
    if (list == NULL)
        list = json_object_get(json_object_get(dir_saved_engine(root), "state"), "solution");
    status = list == NULL ? base_refuse(problem, "there is no \"solution\" in it")
                          : read_points(h, list, "solution", h->solution, NULL, problem);
    json_decref(root);
    if (status == COL_BAD_INPUT && problem != NULL)
        (void)snprintf(problem->file, sizeof problem->file, "%s", path);
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
    for (uint32_t i = 0; list != NULL && i < h->count; i++) {
        if (!is_known(h, i))
            continue;
        json_t *point = json_pack("{s:b, s:I, s:o}", "visited", (int)h->visited[i], "cycles",
                                  (json_int_t)h->cycles[i], "covered", write_row(h, i));
        json_t *values = write_point(h, i);
        const bool failed = point == NULL || values == NULL || json_object_update(point, values);
        json_decref(values);
        if (failed)
            json_decref(point);
        if (failed || json_array_append_new(list, point) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static json_t *write_hits(const htg *h) {
    if (h->hits == NULL)
        return json_null();
    json_t *list = json_array();
    for (uint64_t i = 0; list != NULL && i < h->total; i++)
        if (json_array_append_new(list, json_integer((json_int_t)h->hits[i])) != 0) {
            json_decref(list);
            list = NULL;
        }
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
    col_status status = read_points(h, list, "known points", h->wanted, h->order, problem);
    for (size_t i = 0; status == COL_OK && i < json_array_size(list); i++) {
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
    return status;
}

static col_status read_hits(htg *h, const json_t *list, col_problem *problem) {
    if (json_is_null(list))
        return COL_OK; /* saved before the first test */
    if (!json_is_array(list))
        return base_refuse(problem, "the hits are not a list of numbers");
    const col_status status = dir_htg_expect(h, json_array_size(list), problem);
    for (size_t i = 0; status == COL_OK && i < json_array_size(list); i++) {
        const json_t *number = json_array_get(list, i);
        if (!json_is_integer(number))
            return base_refuse(problem, "number %zu of the hits is none", i + 1);
        h->hits[i] = (uint64_t)json_integer_value(number);
    }
    return status;
}

/* ---- All of it. */

/* G_opt in the Driver's order. While G itself is being visited, nothing better is known; what the
 * test that is out covers is not known either, so its point stays. */
static json_t *write_solution(const htg *h) {
    if (h->exploring)
        dir_htg_reduce(h);
    else
        memcpy(h->kept, h->solution, h->count * sizeof *h->kept);
    if (h->pending != h->count)
        h->kept[h->pending] = true;
    return write_numbers(h, h->order, dir_htg_drive(h, h->kept));
}

json_t *dir_htg_save(const htg *h) {
    json_t *solution = write_solution(h); /* each list by itself: they share what they work in */
    json_t *current = write_set(h, h->solution);
    json_t *neighbour = h->exploring ? write_set(h, h->neighbour) : json_null();
    json_t *queue = write_numbers(h, h->queue + h->queue_next, h->queue_count - h->queue_next);
    json_t *pending = h->pending == h->count ? json_null() : write_point(h, h->pending);
    return json_pack("{s:I, s:I, s:I, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "test",
                     (json_int_t)h->test, "draws", (json_int_t)h->draws, "told",
                     (json_int_t)h->told, "through", (int)h->through, "solution", solution,
                     "current", current, "neighbour", neighbour, "queue", queue, "pending", pending,
                     "known", write_known(h), "hits", write_hits(h));
}

static col_status read_counts(htg *h, const json_t *saved, col_problem *problem) {
    const json_t *through = json_object_get(saved, "through");
    if (!base_json_take(saved, "test", &h->test) || !base_json_take(saved, "draws", &h->draws) ||
        !base_json_take(saved, "told", &h->told) || !json_is_boolean(through))
        return base_refuse(problem, "the state of the engine has no numbers of tests and draws");
    h->through = json_is_true(through);
    return COL_OK;
}

/* The points under way: that of the test that is out first, then those to come. */
static col_status read_queue(htg *h, const json_t *saved, col_problem *problem) {
    const json_t *list = json_object_get(saved, "queue");
    const json_t *pending = json_object_get(saved, "pending");
    h->pending = h->count;
    h->queue_next = h->queue_count = 0;
    col_status status = COL_OK;
    if (!json_is_null(pending)) {
        status = read_point(h, pending, "pending points", 0, &h->pending, problem);
        if (status != COL_OK)
            return status;
        if (!h->visited[h->pending] || h->test == 0)
            return base_refuse(problem, "the pending point of the state is not visited");
        h->queue[0] = h->pending;
        h->queue_next = h->queue_count = 1;
    }
    if (status == COL_OK)
        status = read_points(h, list, "queue", h->wanted, h->order, problem);
    for (size_t i = 0; status == COL_OK && i < json_array_size(list); i++) {
        if (h->visited[h->order[i]])
            return base_refuse(problem, "point %zu of the queue is visited already", i + 1);
        h->queue[h->queue_count++] = h->order[i];
    }
    return status;
}

col_status dir_htg_restore(htg *h, const json_t *saved, col_problem *problem) {
    const json_t *neighbour = json_object_get(saved, "neighbour");
    col_status status = read_counts(h, saved, problem);
    if (status == COL_OK)
        status = read_points(h, json_object_get(saved, "current"), "current solution", h->solution,
                             NULL, problem);
    h->exploring = !json_is_null(neighbour);
    if (status == COL_OK && h->exploring)
        status = read_points(h, neighbour, "neighbour", h->neighbour, NULL, problem);
    if (status == COL_OK)
        status = read_hits(h, json_object_get(saved, "hits"), problem);
    if (status == COL_OK)
        status = read_known(h, json_object_get(saved, "known"), problem);
    if (status == COL_OK)
        status = read_queue(h, saved, problem);
    return status;
}
