/* SPDX-License-Identifier: MIT */
/* Feedback as JSON: see feedback.h. Numbers of 64 bits are texts, since JSON's integers are not. */
#include "engine/feedback.h"

#include "base/memory.h"
#include "base/problem.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- Writing. */

/* Numbers of 8 bytes, or of 4, with blanks between: as an array of JSON values they would take ten
 * times the room. */
static json_t *numbers(const void *items, size_t size, size_t count) {
    base_text text = {0};
    for (size_t i = 0; i < count; i++)
        base_text_print(&text, "%s%" PRIu64, i == 0 ? "" : " ",
                        size == sizeof(uint64_t) ? ((const uint64_t *)items)[i]
                                                 : ((const uint32_t *)items)[i]);
    json_t *value = text.failed ? NULL : json_string(text.data == NULL ? "" : text.data);
    base_text_free(&text);
    return value;
}

static json_t *save_witness(const col_witness_results *w, uint32_t cores, uint32_t operations,
                            uint32_t locations) {
    json_t *signatures = json_array();
    for (int o = 0; o < COL_OBSERVATION_COUNT; o++)
        base_json_append(&signatures,
                         numbers(w->signatures[o], sizeof(uint64_t), 2 * (size_t)cores));
    return json_pack(
        "{s:I, s:[I, I, I], s:I, s:I, s:I, s:I, s:o, s:o, s:o}", "instances",
        (json_int_t)w->instances, "distinct", (json_int_t)w->distinct[0],
        (json_int_t)w->distinct[1], (json_int_t)w->distinct[2], "outcomes", (json_int_t)w->outcomes,
        "events", (json_int_t)w->events, "conflicts", (json_int_t)w->conflicts, "locations",
        (json_int_t)locations, "event_nondeterminism",
        numbers(w->event_nondeterminism, sizeof(uint32_t), operations), "fit",
        numbers(w->fit_locations, sizeof(uint32_t), w->fit_count), "signatures", signatures);
}

json_t *dir_feedback_save(const col_feedback *f, uint32_t cores, uint32_t operations,
                          uint32_t locations) {
    return json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:o, s:o}", "tests", (json_int_t)f->tests,
        "covered", (json_int_t)f->covered, "total", (json_int_t)f->total, "own_covered",
        (json_int_t)f->own_covered, "gained", (json_int_t)f->gained, "cycles",
        (json_int_t)f->cycles, "operations", (json_int_t)f->operations, "seconds", f->seconds,
        "hits", numbers(f->hits, sizeof(uint64_t), f->hits == NULL ? 0 : f->total), "witness",
        f->witness == NULL ? json_null() : save_witness(f->witness, cores, operations, locations));
}

/* ---- Reading. */

/* As many numbers of this size as the text has; `array` is the address of the array's pointer. */
static col_status read_numbers(const json_t *value, uint64_t most, void *array, size_t size,
                               size_t *count, col_problem *problem) {
    const char *at = json_string_value(value);
    unsigned char *items = NULL;
    *count = 0;
    if (at == NULL)
        return base_refuse(problem, "numbers are missing in the saved feedback");
    BASE_TRY(base_new(array, strlen(at) / 2 + 2, size, problem));
    memcpy(&items, array, sizeof items);
    while (*at != '\0') {
        char *end;
        if (*at < '0' || *at > '9')
            return base_refuse(problem, "'%.20s' in the saved feedback is not a number", at);
        const uint64_t number = strtoull(at, &end, 10);
        const uint32_t narrow = (uint32_t)number;
        if (number > most)
            return base_refuse(problem, "a number in the saved feedback is too large");
        memcpy(items + (*count)++ * size, size == sizeof narrow ? (const void *)&narrow : &number,
               size);
        at = end + (*end == ' ');
    }
    return COL_OK;
}

static uint32_t small_at(const json_t *object, const char *key, bool *is_good) {
    const uint64_t number = base_json_number_at(object, key, is_good);
    *is_good = *is_good && number <= UINT32_MAX;
    return (uint32_t)number;
}

static col_status read_signatures(const json_t *saved, uint32_t cores, dir_kept_feedback *kept,
                                  col_problem *problem) {
    for (int o = 0; o < COL_OBSERVATION_COUNT; o++) {
        size_t count = 0;
        BASE_TRY(read_numbers(json_array_get(saved, (size_t)o), UINT64_MAX, &kept->signatures[o],
                              sizeof(uint64_t), &count, problem));
        kept->witness.signatures[o] = kept->signatures[o];
        if (count != 2 * (size_t)cores)
            return base_refuse(
                problem, "the saved feedback does not have the signatures of %u cores", cores);
    }
    return COL_OK;
}

static col_status read_witness(const json_t *saved, uint32_t cores, dir_kept_feedback *kept,
                               col_problem *problem) {
    col_witness_results *w = &kept->witness;
    bool is_good = true;
    size_t count = 0;
    const uint32_t locations = small_at(saved, "locations", &is_good);
    w->instances = small_at(saved, "instances", &is_good);
    w->outcomes = small_at(saved, "outcomes", &is_good);
    w->events = small_at(saved, "events", &is_good);
    w->conflicts = base_json_number_at(saved, "conflicts", &is_good);
    w->nondeterminism = w->events == 0 ? 0 : (double)w->conflicts / (double)w->events;
    for (size_t o = 0; o < COL_OBSERVATION_COUNT; o++)
        w->distinct[o] =
            (uint32_t)json_integer_value(json_array_get(json_object_get(saved, "distinct"), o));
    if (!is_good || locations > COL_MAX_LOCATIONS)
        return base_refuse(problem, "the saved feedback is not complete");
    BASE_TRY(read_numbers(json_object_get(saved, "event_nondeterminism"), UINT32_MAX,
                          &kept->event_nondeterminism, sizeof(uint32_t), &count, problem));
    kept->operations = (uint32_t)count;
    kept->locations = locations;
    BASE_TRY(read_numbers(json_object_get(saved, "fit"),
                          locations == 0 ? 0 : (uint64_t)locations - 1, &kept->fit_locations,
                          sizeof(uint32_t), &count, problem));
    if (count > locations)
        return base_refuse(problem, "the saved feedback has more fit locations than there are");
    BASE_TRY(base_new(&kept->is_fit, (size_t)locations + 1, sizeof *kept->is_fit, problem));
    w->fit_count = (uint32_t)count;
    for (size_t i = 0; i < count; i++)
        kept->is_fit[kept->fit_locations[i]] = true;
    w->event_nondeterminism = kept->event_nondeterminism;
    w->fit_locations = kept->fit_locations;
    w->is_fit = kept->is_fit;
    kept->feedback.witness = w;
    return read_signatures(json_object_get(saved, "signatures"), cores, kept, problem);
}

col_status dir_feedback_restore(const json_t *saved, uint32_t cores, dir_kept_feedback *kept,
                                col_problem *problem) {
    col_feedback *f = &kept->feedback;
    bool is_good = true;
    size_t count = 0;
    f->tests = base_json_number_at(saved, "tests", &is_good);
    f->covered = base_json_number_at(saved, "covered", &is_good);
    f->total = base_json_number_at(saved, "total", &is_good);
    f->own_covered = base_json_number_at(saved, "own_covered", &is_good);
    f->gained = base_json_number_at(saved, "gained", &is_good);
    f->cycles = base_json_number_at(saved, "cycles", &is_good);
    f->operations = base_json_number_at(saved, "operations", &is_good);
    f->seconds = json_number_value(json_object_get(saved, "seconds"));
    if (!is_good)
        return base_refuse(problem, "the saved feedback is not complete");
    BASE_TRY(read_numbers(json_object_get(saved, "hits"), UINT64_MAX, &kept->hits,
                          sizeof *kept->hits, &count, problem));
    /* Before the first test there are none. */
    if (count != f->total && (count > 0 || f->tests > 0))
        return base_refuse(problem, "the saved feedback has hits of %zu points, not of %" PRIu64,
                           count, f->total);
    f->hits = count == 0 ? NULL : kept->hits;
    const json_t *witness = json_object_get(saved, "witness");
    if (json_is_null(witness))
        return COL_OK;
    return read_witness(witness, cores, kept, problem);
}

void dir_feedback_free(dir_kept_feedback *kept) {
    free(kept->hits);
    free(kept->event_nondeterminism);
    free(kept->fit_locations);
    free(kept->is_fit);
    for (int o = 0; o < COL_OBSERVATION_COUNT; o++)
        free(kept->signatures[o]);
    *kept = (dir_kept_feedback){0};
}
