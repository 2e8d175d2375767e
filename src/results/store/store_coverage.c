/* SPDX-License-Identifier: MIT */
/* Coverage from a store: see store_coverage.h. */
#include "campaign/store_coverage.h"

#include "base/memory.h"
#include "base/names.h"
#include "campaign/reach.h"

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

static bool is_same_point(const cam_point *a, const cam_point *b) {
    return strcmp(a->machine, b->machine) == 0 && strcmp(a->state, b->state) == 0 &&
           strcmp(a->event, b->event) == 0;
}

static bool is_same_design(const gathering *g, const cam_design_row *row) {
    bool is_same = g->point_count == row->point_count && g->found_cores == row->cores &&
                   strcmp(g->name, row->name) == 0;
    for (size_t i = 0; is_same && i < row->point_count; i++)
        is_same = is_same_point(&g->points[i], &row->points[i]);
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
        const col_status status = take_points(g, row, problem);
        if (status != COL_OK)
            return status;
    } else if (!is_same_design(g, row)) {
        return base_refuse(problem,
                           "%.200s has results of %.64s with %u cores and of %.64s with %u, which "
                           "have different points; choose with --design and --cores",
                           g->path, g->name, g->found_cores, row->name, row->cores);
    }
    return base_names_add(&g->hashes, row->hash, &number, NULL, problem);
}

/* ---- Trials. */

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

static void describe_needs(const gathering *g, made *m) {
    for (uint32_t n = 0; n < g->reach.need_count; n++) {
        const uint32_t bit = bit_of(g->reach.needs[n], &m->description.geometry);
        for (size_t i = 0; i < g->point_count; i++)
            m->needs[i] |= (g->reach.unmet[i] >> n & 1) != 0 ? bit : 0;
    }
    m->description.needs = g->reach.is_known ? m->needs : NULL;
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
    describe_needs(g, &m);
    const col_status status = col_coverage_new(coverage, &m.description, problem);
    if (status == COL_OK) /* of one controller each: functional points have the same numbers */
        (void)col_coverage_add(*coverage, g->hits);
    return status;
}

static col_status gather(gathering *g, cam_store *store, col_problem *problem) {
    col_status status = cam_store_designs(store, take_design, g, problem);
    if (status == COL_OK && g->points == NULL)
        return g->design == NULL
                   ? base_refuse(problem, "%.300s has no coverage: no episode is in it", g->path)
                   : base_refuse(problem, "%.300s has no results of %.64s", g->path, g->design);
    if (status == COL_OK)
        status = cam_store_each(store, NULL, CAM_HITS, take_row, g, problem);
    return status;
}

col_status cam_store_coverage(col_coverage **coverage, const char *path, const char *design,
                              uint32_t cores, col_problem *problem) {
    gathering g = {.design = design, .cores = cores, .path = path};
    cam_store *store;
    *coverage = NULL;
    g.hashes.arena = &g.arena;
    col_status status = cam_store_open(&store, path, problem);
    if (status != COL_OK)
        return status;
    status = cam_store_settle(store, gather(&g, store, problem), problem);
    cam_store_close(store);
    if (status == COL_OK)
        status = make_set(coverage, &g, problem);
    cam_reach_free(&g.reach);
    base_names_free(&g.hashes);
    base_arena_free(&g.arena);
    return status;
}
