/* SPDX-License-Identifier: MIT */
/* The points of a design: see coverage.h. A name has to be of one point only, or files would
 * not say which; that is checked here, the rest of the description where designs are opened. */
#include "cover/coverage.h"

#include "base/hash.h"
#include "design/duv.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- Names as words. */

/* One word for each name: no blanks, no comment sign; "-" is the empty name. */
char *cov_spell(base_arena *arena, const char *name) {
    static const char digits[] = "0123456789ABCDEF";
    if (name == NULL || *name == '\0')
        return base_arena_text(arena, "-", 1);
    if (strcmp(name, "-") == 0)
        return base_arena_text(arena, "%2D", 3);
    char *const word = base_arena_take(arena, strlen(name) * 3 + 1);
    char *end = word;
    for (; word != NULL && *name != '\0'; name++) {
        const unsigned char c = (unsigned char)*name;
        if (c > ' ' && c != '#' && c != '%' && c != 0x7f) {
            *end++ = (char)c;
            continue;
        }
        *end++ = '%';
        *end++ = digits[c >> 4];
        *end++ = digits[c & 15];
    }
    return word;
}

/* ---- Taking it in. */

/* What it needs, and where it is written. */
static bool take_facts(cov_points *points, const col_duv_description *description, uint32_t p) {
    cov_point *point = &points->points[p];
    const uint32_t needs = description->needs == NULL ? 0 : description->needs[p];
    point->needs = needs & ~(uint32_t)COL_TAKEN_HERE;
    point->taken_here = (needs & COL_TAKEN_HERE) != 0;
    points->taken_known = points->taken_known || point->taken_here;
    if (description->sources == NULL || description->sources[p].file == NULL)
        return true;
    const char *file = description->sources[p].file;
    point->line = description->sources[p].line;
    point->file = base_arena_text(&points->arena, file, strlen(file));
    return point->file != NULL;
}

static bool take_machine(cov_points *points, const col_duv_description *description,
                         uint32_t number) {
    const col_duv_machine *from = &description->machines[number];
    cov_machine *machine = &points->machines[number];
    *machine = (cov_machine){.name = cov_spell(&points->arena, from->name),
                             .controllers = from->controllers,
                             .point_count = from->point_count,
                             .first_point = points->points + from->first_point,
                             .by_name = base_arena_take(
                                 &points->arena, from->point_count * sizeof *machine->by_name + 1)};
    if (machine->name == NULL || machine->by_name == NULL)
        return false;
    points->machines_by_name[number] = machine;
    for (uint32_t p = 0; p < from->point_count; p++) {
        const col_duv_point *point = &description->points[from->first_point + p];
        machine->first_point[p] = (cov_point){.state = cov_spell(&points->arena, point->state),
                                              .event = cov_spell(&points->arena, point->event),
                                              .machine = number,
                                              .reachable = point->reachable};
        if (machine->first_point[p].state == NULL || machine->first_point[p].event == NULL ||
            !take_facts(points, description, from->first_point + p))
            return false;
        machine->by_name[p] = &machine->first_point[p];
        machine->reachable_count += point->reachable;
    }
    return true;
}

/* ---- Names in order. */

static int compare_machines(const void *left, const void *right) {
    const cov_machine *const *a = left, *const *b = right;
    return strcmp((*a)->name, (*b)->name);
}

static int compare_points(const void *left, const void *right) {
    const cov_point *const *a = left, *const *b = right;
    const int order = strcmp((*a)->state, (*b)->state);
    return order != 0 ? order : strcmp((*a)->event, (*b)->event);
}

/* A name must be of one thing only. */
static col_status sort_points(const cov_machine *machine, col_problem *problem) {
    if (machine->point_count == 0)
        return COL_OK;
    qsort(machine->by_name, machine->point_count, sizeof *machine->by_name, compare_points);
    for (uint32_t i = 1; i < machine->point_count; i++)
        if (compare_points(&machine->by_name[i - 1], &machine->by_name[i]) == 0)
            return base_refuse(problem, "the design's machine %s has the point %s %s twice",
                               machine->name, machine->by_name[i]->state,
                               machine->by_name[i]->event);
    return COL_OK;
}

static col_status sort_names(cov_points *points, col_problem *problem) {
    if (points->machine_count == 0)
        return COL_OK;
    qsort(points->machines_by_name, points->machine_count, sizeof *points->machines_by_name,
          compare_machines);
    for (uint32_t m = 0; m < points->machine_count; m++) {
        const cov_machine *machine = points->machines_by_name[m];
        if (m > 0 && strcmp(points->machines_by_name[m - 1]->name, machine->name) == 0)
            return base_refuse(problem, "the design has two machines with the name %s",
                               machine->name);
        BASE_TRY(sort_points(machine, problem));
    }
    return COL_OK;
}

/* ---- Functional points, and the hash. */

static void feed(XXH3_state_t *state, const char *word) {
    (void)XXH3_128bits_update(state, word, strlen(word) + 1);
}

static void feed_number(XXH3_state_t *state, uint32_t number) {
    uint8_t bytes[4];
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(number >> (8 * i));
    (void)XXH3_128bits_update(state, bytes, sizeof bytes);
}

col_status cov_points_take(cov_points *points, const col_duv_description *description,
                           col_problem *problem) {
    BASE_TRY(duv_check_description(description, problem));
    points->design = cov_spell(&points->arena, description->name);
    points->cores = description->cores;
    points->reachable_known = description->reachable_known;
    points->needs_known = description->needs != NULL;
    points->level_count = description->geometry.level_count;
    for (uint32_t l = 0; l < points->level_count; l++)
        memcpy(points->levels[l], description->geometry.levels[l].name, sizeof points->levels[l]);
    points->machine_count = description->machine_count;
    points->count[COL_STRUCTURAL] = description->point_count;
    points->count[COL_FUNCTIONAL] = col_duv_functional_count(description);
    const base_part parts[] = {BASE_PART(points->machines, points->machine_count),
                               BASE_PART(points->machines_by_name, points->machine_count),
                               BASE_PART(points->points, points->count[COL_STRUCTURAL]),
                               BASE_PART(points->transition_of, points->count[COL_FUNCTIONAL]),
                               BASE_PART(points->by_name, points->count[COL_FUNCTIONAL]),
                               {0}};
    BASE_TRY(base_arena_divide(&points->arena, parts, problem));
    bool enough = points->design != NULL;
    for (uint32_t m = 0; enough && m < points->machine_count; m++)
        enough = take_machine(points, description, m);
    if (!enough)
        return base_out_of_memory(problem);
    BASE_TRY(sort_names(points, problem));
    uint32_t place = 0;
    for (uint32_t m = 0; m < points->machine_count; m++) {
        cov_machine *machine = &points->machines[points->machines_by_name[m] - points->machines];
        machine->first_place = place;
        for (uint32_t c = 0; c < machine->controllers; c++) {
            const uint32_t first_place = machine->first_place + c * machine->point_count;
            for (uint32_t i = 0; i < machine->point_count; i++) {
                const cov_point *point = machine->by_name[i];
                const uint32_t transition = (uint32_t)(point - points->points);
                const uint32_t number =
                    col_duv_functional(description, point->machine, c, transition);
                assert(number < points->count[COL_FUNCTIONAL]);
                points->by_name[first_place + i] = number;
                points->transition_of[number] = transition;
            }
        }
        place += machine->controllers * machine->point_count;
    }
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    (void)XXH3_128bits_reset(&state);
    for (uint32_t m = 0; m < points->machine_count; m++) {
        const cov_machine *machine = points->machines_by_name[m];
        feed(&state, machine->name);
        feed_number(&state, machine->controllers);
        feed_number(&state, machine->point_count);
        for (uint32_t p = 0; p < machine->point_count; p++) {
            feed(&state, machine->by_name[p]->state);
            feed(&state, machine->by_name[p]->event);
        }
    }
    const XXH128_hash_t digest = XXH3_128bits_digest(&state);
    points->hash = (col_hash){.high = digest.high64, .low = digest.low64};
    return COL_OK;
}

void cov_points_free(cov_points *points) {
    base_arena_free(&points->arena);
}

/* ---- Looking up. */

static int compare(base_word w, const char *name) {
    const size_t length = strlen(name);
    const int order = memcmp(w.start, name, w.length < length ? w.length : length);
    return order != 0 ? order : (w.length > length) - (w.length < length);
}

static int compare_machine(const void *name, const void *machine) {
    return compare(*(const base_word *)name, (*(const cov_machine *const *)machine)->name);
}

static int compare_point(const void *words, const void *point) {
    const base_word *w = words;
    const cov_point *const *p = point;
    const int order = compare(w[0], (*p)->state);
    return order != 0 ? order : compare(w[1], (*p)->event);
}

const cov_machine *cov_find_machine(const cov_points *points, base_word name) {
    const cov_machine *const *found =
        bsearch(&name, points->machines_by_name, points->machine_count,
                sizeof *points->machines_by_name, compare_machine);
    return found == NULL ? NULL : *found;
}

uint32_t cov_find_point(const cov_machine *machine, base_word state, base_word event) {
    const base_word words[] = {state, event};
    const cov_point *const *found = bsearch(words, machine->by_name, machine->point_count,
                                            sizeof *machine->by_name, compare_point);
    return found == NULL ? machine->point_count : (uint32_t)(found - machine->by_name);
}
