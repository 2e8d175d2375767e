/* SPDX-License-Identifier: MIT */
/* Coverage from a store: see store_coverage.h. */
#include "results/store/store_coverage.h"

#include "base/json.h"
#include "base/names.h"
#include "cover/holes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The points of the design, which the first design that fits has; those of others must be the same.
 */
typedef struct gathering {
    const char *design; /* that is wanted, or NULL */
    uint32_t cores;
    base_arena arena;
    base_names hashes; /* of designs whose trials count */
    const char *name;
    uint32_t found_cores;
    bool reachable_known;
    cam_point *points;
    size_t point_count;
    uint64_t *hits;
    cam_reach reach;
    const char *path;
} gathering;

/* ---- Designs. */

static bool is_same_design(const gathering *g, const cam_design_row *row) {
    bool is_same = g->point_count == row->point_count && g->found_cores == row->cores &&
                   strcmp(g->name, row->name) == 0;
    for (size_t i = 0; is_same && i < row->point_count; i++) {
        const cam_point *a = &g->points[i], *b = &row->points[i];
        is_same = strcmp(a->machine, b->machine) == 0 && strcmp(a->state, b->state) == 0 &&
                  strcmp(a->event, b->event) == 0;
    }
    return is_same;
}

static const char *keep(gathering *g, const char *text) {
    return base_arena_text(&g->arena, text, strlen(text));
}

static col_status take_points(gathering *g, const cam_design_row *row, col_problem *problem) {
    g->name = keep(g, row->name);
    g->found_cores = row->cores;
    g->reachable_known = row->reachable_known;
    g->point_count = row->point_count;
    g->points = base_arena_take(&g->arena, (row->point_count + 1) * sizeof *g->points);
    g->hits = base_arena_take(&g->arena, (row->point_count + 1) * sizeof *g->hits);
    bool enough = g->name != NULL && g->points != NULL && g->hits != NULL;
    for (size_t i = 0; i < row->point_count && enough; i++) {
        cam_point *p = &g->points[i];
        *p = (cam_point){.machine = keep(g, row->points[i].machine),
                         .state = keep(g, row->points[i].state),
                         .event = keep(g, row->points[i].event),
                         .is_reachable = row->points[i].is_reachable};
        enough = p->machine != NULL && p->state != NULL && p->event != NULL;
    }
    return enough ? COL_OK : base_out_of_memory(problem);
}

static col_status take_design(void *context, const cam_design_row *row, col_problem *problem) {
    gathering *g = context;
    uint32_t number;
    if ((g->design != NULL && strcmp(g->design, row->name) != 0) ||
        (g->cores != 0 && g->cores != row->cores))
        return COL_OK;
    if (g->points == NULL) {
        BASE_TRY(take_points(g, row, problem));
    } else if (!is_same_design(g, row)) {
        return base_refuse(problem,
                           "%.200s has results of %.64s with %u cores and of %.64s with %u, which "
                           "have different points; choose with --design and --cores",
                           g->path, g->name, g->found_cores, row->name, row->cores);
    }
    return base_names_add(&g->hashes, row->hash, &number, NULL, problem);
}

static col_status take_row(void *context, const cam_row *row, col_problem *problem) {
    gathering *g = context;
    const char *hash = row->provenance.design_hash;
    if (!row->is_done || row->hits == NULL || hash == NULL || row->point_count != g->point_count ||
        base_names_find(&g->hashes, hash) == UINT32_MAX)
        return COL_OK;
    for (size_t i = 0; i < g->point_count; i++)
        g->hits[i] =
            g->hits[i] > UINT64_MAX - row->hits[i] ? UINT64_MAX : g->hits[i] + row->hits[i];
    return cam_reach_add(&g->reach, row->result, g->point_count, problem);
}

/* ---- The set. */

typedef struct made {
    col_duv_description description;
    col_duv_machine *machines;
    col_duv_point *points;
    uint32_t *needs;
} made;

/* The bit of a need by its words; levels are numbered as they come. */
static uint32_t bit_of(const char *words, col_geometry *geometry) {
    static const char replacements[] = "replacements in ";
#define ROW(name, bit, text)                                                                       \
    if (strcmp(words, (text)) == 0)                                                                \
        return (name);
    COL_NEEDS(ROW)
#undef ROW
    if (strncmp(words, replacements, strlen(replacements)) != 0)
        return 0;
    const char *level = words + strlen(replacements);
    for (uint32_t l = 0; l < geometry->level_count; l++)
        if (strcmp(geometry->levels[l].name, level) == 0)
            return (uint32_t)COL_NEEDS_REPLACEMENT << l;
    if (geometry->level_count == COL_MAX_LEVELS || strlen(level) >= sizeof geometry->levels[0].name)
        return 0;
    col_cache_level *new = &geometry->levels[geometry->level_count];
    *new = (col_cache_level){.index_low = geometry->block_bits, .ways = 1};
    (void)snprintf(new->name, sizeof new->name, "%s", level);
    return (uint32_t)COL_NEEDS_REPLACEMENT << geometry->level_count++;
}

/* Points of a machine follow each other. */
static void describe_points(const gathering *g, made *m) {
    col_duv_description *d = &m->description;
    for (size_t i = 0; i < g->point_count; i++) {
        const cam_point *p = &g->points[i];
        const bool is_new =
            i == 0 || strcmp(p->machine, m->machines[d->machine_count - 1].name) != 0;
        if (is_new)
            m->machines[d->machine_count++] =
                (col_duv_machine){.name = p->machine, .controllers = 1, .first_point = (uint32_t)i};
        m->machines[d->machine_count - 1].point_count++;
        m->points[i] = (col_duv_point){p->state, p->event, p->is_reachable};
    }
    d->point_count = (uint32_t)g->point_count;
    d->machines = m->machines;
    d->points = m->points;
}

static col_status make_set(col_coverage **coverage, gathering *g, col_problem *problem) {
    made m = {.description = {.name = g->name,
                              .cores = g->found_cores,
                              .geometry.block_bits = 6,
                              .reachable_known = g->reachable_known},
              .machines = base_arena_take(&g->arena, (g->point_count + 1) * sizeof *m.machines),
              .points = base_arena_take(&g->arena, (g->point_count + 1) * sizeof *m.points),
              .needs = base_arena_take(&g->arena, (g->point_count + 1) * sizeof *m.needs)};
    if (m.machines == NULL || m.points == NULL || m.needs == NULL)
        return base_out_of_memory(problem);
    describe_points(g, &m);
    for (uint32_t n = 0; n < g->reach.need_count; n++) {
        const uint32_t bit = bit_of(g->reach.needs[n], &m.description.geometry);
        for (size_t i = 0; i < g->point_count; i++)
            m.needs[i] |= (g->reach.unmet[i] >> n & 1) != 0 ? bit : 0;
    }
    m.description.needs = g->reach.is_known ? m.needs : NULL;
    const col_status status = col_coverage_new(coverage, &m.description, problem);
    if (status == COL_OK) /* of one controller each: functional points have the same numbers */
        (void)col_coverage_add(*coverage, g->hits);
    return status;
}

col_status cam_store_coverage(col_coverage **coverage, const char *path, const char *design,
                              uint32_t cores, col_problem *problem) {
    gathering g = {.design = design, .cores = cores, .path = path};
    cam_store *store;
    *coverage = NULL;
    g.hashes.arena = &g.arena;
    col_status status = cam_store_open(&store, path, problem);
    BASE_THEN(status, cam_store_designs(store, take_design, &g, problem));
    if (status == COL_OK && g.points == NULL)
        status = design == NULL
                     ? base_refuse(problem, "%.300s has no coverage: no episode is in it", path)
                     : base_refuse(problem, "%.300s has no results of %.64s", path, design);
    BASE_THEN(status, cam_store_each(store, NULL, CAM_HITS, take_row, &g, problem));
    status = cam_store_end(store, status, problem);
    BASE_THEN(status, make_set(coverage, &g, problem));
    cam_reach_free(&g.reach);
    base_names_free(&g.hashes);
    base_arena_free(&g.arena);
    return status;
}

cam_extent cam_extent_of(const col_coverage *coverage, col_metric metric) {
    const col_covered all = col_coverage_of(coverage, COL_CUMULATIVE, metric, COL_ALL_MACHINES);
    return (cam_extent){.covered = all.covered,
                        .total = all.total,
                        .reachable_known = all.reachable_known,
                        .reached = all.reached,
                        .reachable = all.reachable};
}

/* What episodes could not reach. */

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

json_t *cam_result_json(const col_coverage *coverage, json_t *waived) {
    const col_here here = col_coverage_here(coverage, COL_STRUCTURAL, COL_ALL_MACHINES);
    const bool has_waived = json_array_size(waived) > 0;
    if (!here.known && !has_waived)
        return json_null();
    json_t *result = json_object();
    if (here.known) {
        base_json_set(
            &result, "here",
            json_pack("{s:i, s:i}", "covered", (int)here.covered, "total", (int)here.total));
        base_json_set(&result, "unmet", unmet_json(coverage));
    }
    if (has_waived)
        base_json_set(&result, "waived", json_incref(waived));
    return result;
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

static void take(cam_reach *r, const json_t *root, uint32_t *unmet) {
    json_t *all = json_object_get(root, "unmet");
    const char *words;
    json_t *points;
    const bool is_told = json_is_object(all);
    json_object_foreach(all, words, points) {
        const uint32_t need = need_of(r, words);
        for (size_t i = 0; need < CAM_MOST_NEEDS && i < json_array_size(points); i++) {
            bool is_good = true;
            const uint64_t point = base_json_number(json_array_get(points, i), &is_good);
            if (is_good && point < r->point_count)
                unmet[point] |= UINT32_C(1) << need;
        }
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
