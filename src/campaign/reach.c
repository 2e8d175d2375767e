/* SPDX-License-Identifier: MIT */
/* What episodes could not reach: see reach.h. */
#include "campaign/reach.h"

#include "base/json.h"
#include "base/problem.h"
#include "cover/holes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Telling. */

static void add_point(json_t **unmet, const char *words, uint32_t point) {
    json_t *list = *unmet == NULL ? NULL : json_object_get(*unmet, words);
    if (list == NULL) {
        list = json_array();
        base_json_set(unmet, words, list);
    }
    if (*unmet != NULL && json_array_append_new(list, json_integer((json_int_t)point)) != 0) {
        json_decref(*unmet);
        *unmet = NULL;
    }
}

static json_t *unmet_json(const col_coverage *coverage) {
    json_t *unmet = json_object();
    col_point_facts f;
    for (uint32_t p = 0; col_coverage_point(coverage, p, &f); p++)
        for (uint32_t i = 0; i < CAM_MOST_NEEDS && unmet != NULL; i++) {
            base_text words = {0};
            if ((f.unmet >> i & 1) == 0)
                continue;
            cov_needs_words(coverage, UINT32_C(1) << i, &words);
            if (words.failed) {
                json_decref(unmet);
                unmet = NULL;
            } else {
                add_point(&unmet, words.data, p);
            }
            base_text_free(&words);
        }
    return unmet;
}

json_t *cam_reach_json(const col_coverage *coverage) {
    const col_here here = col_coverage_here(coverage, COL_STRUCTURAL, COL_ALL_MACHINES);
    if (!here.known)
        return json_null();
    return json_pack("{s:{s:i, s:i}, s:o}", "here", "covered", (int)here.covered, "total",
                     (int)here.total, "unmet", unmet_json(coverage));
}

/* ---- Being told. */

/* The number of a need; CAM_MOST_NEEDS: there are too many, or it is too long. */
static uint32_t need_of(cam_reach *r, const char *words) {
    for (uint32_t i = 0; i < r->need_count; i++)
        if (strcmp(r->needs[i], words) == 0)
            return i;
    if (r->need_count == CAM_MOST_NEEDS || strlen(words) >= sizeof r->needs[0])
        return CAM_MOST_NEEDS;
    (void)snprintf(r->needs[r->need_count], sizeof r->needs[0], "%s", words);
    return r->need_count++;
}

static void take_need(cam_reach *r, const char *words, const json_t *points, uint32_t *unmet) {
    const uint32_t need = need_of(r, words);
    for (size_t i = 0; need < CAM_MOST_NEEDS && i < json_array_size(points); i++) {
        bool is_good = true;
        const uint64_t point = base_json_number(json_array_get(points, i), &is_good);
        if (is_good && point < r->point_count)
            unmet[point] |= UINT32_C(1) << need;
    }
}

static void take(cam_reach *r, const json_t *root, uint32_t *unmet) {
    json_t *all = json_object_get(root, "unmet");
    const char *words;
    json_t *points;
    const bool is_told = json_is_object(all);
    json_object_foreach(all, words, points) {
        take_need(r, words, points, unmet);
    }
    for (size_t i = 0; i < r->point_count; i++)
        r->unmet[i] = r->rows == 0 ? unmet[i] : r->unmet[i] & unmet[i];
    r->is_known |= is_told;
    r->rows++;
}

col_status cam_reach_add(cam_reach *r, const char *text, size_t point_count, col_problem *problem) {
    json_t *root = NULL;
    if (r->unmet == NULL) {
        r->unmet = calloc(point_count + 1, sizeof *r->unmet);
        r->point_count = point_count;
    }
    uint32_t *unmet = calloc(point_count + 1, sizeof *unmet);
    if (r->unmet == NULL || unmet == NULL) {
        free(unmet);
        return base_out_of_memory(problem);
    }
    const col_status status = text == NULL ? COL_OK : base_json_parse_stored(text, &root, problem);
    if (status == COL_OK && r->point_count == point_count)
        take(r, root, unmet);
    json_decref(root);
    free(unmet);
    return status;
}

void cam_reach_free(cam_reach *reach) {
    free(reach->unmet);
    *reach = (cam_reach){0};
}
