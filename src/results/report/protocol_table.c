/* SPDX-License-Identifier: MIT */
/* Adding up hits of cells: see protocol_table.h. */
#include "results/report/protocol_table.h"

#include "base/memory.h"
#include "results/store/store_coverage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NO_TRIAL = -2 }; /* told whether a cell is reachable here */

struct rep_machine_table {
    const char *design, *machine;
    uint32_t cores, trials;
    bool is_finished;
    base_names states, events, names; /* names: of cells */
    rep_protocol_cell *cells;
    size_t cell_capacity;
};

typedef struct point_place {
    uint32_t table, cell;
} point_place;

struct rep_design_map {
    point_place *places;
    size_t count;
};

/* ---- Designs. */

static col_status find_table(rep_protocols *p, const cam_design_row *design, const char *machine,
                             uint32_t *table, col_problem *problem) {
    char name[512];
    bool is_new;
    (void)snprintf(name, sizeof name, "%s\x1f%u\x1f%s", design->name, design->cores, machine);
    col_status status = base_names_add(&p->machines, name, table, &is_new, problem);
    if (status != COL_OK || !is_new)
        return status;
    status =
        base_reserve(&p->tables, &p->table_capacity, p->machines.count, sizeof *p->tables, problem);
    if (status != COL_OK)
        return status;
    rep_machine_table *t = &p->tables[p->table_count++];
    *t =
        (rep_machine_table){.cores = design->cores,
                            .design = base_arena_text(p->arena, design->name, strlen(design->name)),
                            .machine = base_arena_text(p->arena, machine, strlen(machine)),
                            .states.arena = p->arena,
                            .events.arena = p->arena,
                            .names.arena = p->arena};
    return t->design == NULL || t->machine == NULL ? base_out_of_memory(problem) : COL_OK;
}

/* A cell is as reachable as in any design of this name: an error that is put in may open ways. */
static col_status find_cell(rep_machine_table *t, const cam_point *point, int reachable,
                            uint32_t *cell, col_problem *problem) {
    char name[32];
    bool is_new;
    uint32_t state, event;
    col_status status = base_names_add(&t->states, point->state, &state, NULL, problem);
    if (status == COL_OK)
        status = base_names_add(&t->events, point->event, &event, NULL, problem);
    if (status != COL_OK)
        return status;
    (void)snprintf(name, sizeof name, "%u %u", state, event);
    status = base_names_add(&t->names, name, cell, &is_new, problem);
    if (status == COL_OK && is_new)
        status =
            base_reserve(&t->cells, &t->cell_capacity, t->names.count, sizeof *t->cells, problem);
    if (status != COL_OK)
        return status;
    if (is_new)
        t->cells[*cell] =
            (rep_protocol_cell){.state = state, .event = event, .reachable = -1, .here = NO_TRIAL};
    if (reachable > t->cells[*cell].reachable)
        t->cells[*cell].reachable = reachable;
    return COL_OK;
}

col_status rep_protocols_add_design(rep_protocols *p, const cam_design_row *design,
                                    col_problem *problem) {
    uint32_t number;
    bool is_new;
    col_status status = base_names_add(&p->designs, design->hash, &number, &is_new, problem);
    if (status == COL_OK && is_new)
        status =
            base_reserve(&p->maps, &p->map_capacity, p->designs.count, sizeof *p->maps, problem);
    if (status != COL_OK || !is_new)
        return status;
    rep_design_map *map = &p->maps[number];
    *map = (rep_design_map){
        .places = base_arena_take(p->arena, (design->point_count + 1) * sizeof *map->places)};
    if (map->places == NULL)
        return base_out_of_memory(problem);
    for (size_t i = 0; i < design->point_count && status == COL_OK; i++) {
        const cam_point *point = &design->points[i];
        const int reachable = !design->reachable_known ? -1 : point->is_reachable ? 1 : 0;
        point_place *place = &map->places[i];
        status = find_table(p, design, point->machine, &place->table, problem);
        if (status == COL_OK)
            status = find_cell(&p->tables[place->table], point, reachable, &place->cell, problem);
    }
    map->count = design->point_count;
    return status;
}

/* ---- Trials. */

col_status rep_protocols_add(rep_protocols *p, const cam_row *row, col_problem *problem) {
    cam_reach reach = {0};
    if (row->hits == NULL || row->point_count == 0 || row->provenance.design_hash == NULL)
        return COL_OK;
    const uint32_t number = base_names_find(&p->designs, row->provenance.design_hash);
    if (number == UINT32_MAX || p->maps[number].count != row->point_count)
        return COL_OK;
    const rep_design_map *map = &p->maps[number];
    const col_status status = cam_reach_add(&reach, row->result, row->point_count, problem);
    uint32_t last = UINT32_MAX;
    for (size_t i = 0; i < row->point_count && status == COL_OK; i++) {
        const point_place place = map->places[i];
        rep_machine_table *t = &p->tables[place.table];
        rep_protocol_cell *cell = &t->cells[place.cell];
        if (place.table != last) /* points come machine by machine */
            t->trials++;
        last = place.table;
        /* A cell is reachable here if it is with any trial; it is not if all of them say so. */
        const int here = !reach.is_known ? -1 : reach.unmet[i] == 0;
        if (cell->here == NO_TRIAL || cell->here == 0 || here == 1)
            cell->here = here;
        if (p->excluded != NULL)
            cell->excluded = p->excluded[i];
        const uint64_t hits = row->hits[i];
        const uint32_t first = row->first == NULL ? 0 : row->first[i];
        if (hits == 0)
            continue;
        cell->hits = cell->hits > UINT64_MAX - hits ? UINT64_MAX : cell->hits + hits;
        cell->trials++;
        if (first != 0 && (cell->first == 0 || first < cell->first))
            cell->first = first;
    }
    cam_reach_free(&reach);
    return status;
}

/* ---- The result. */

static int by_place(const void *a, const void *b) {
    const rep_protocol_cell *x = a, *y = b;
    if (x->state != y->state)
        return x->state < y->state ? -1 : 1;
    return (x->event > y->event) - (x->event < y->event);
}

static const char *const *copy_texts(base_arena *arena, const base_names *names) {
    const char **texts = base_arena_take(arena, (names->count + 1) * sizeof *texts);
    if (texts != NULL && names->count > 0)
        memcpy(texts, names->texts, names->count * sizeof *texts);
    return texts;
}

static col_status finish_table(rep_protocols *p, rep_machine_table *t, rep_protocol *protocol,
                               col_problem *problem) {
    const size_t count = t->names.count;
    rep_protocol_cell *cells = base_arena_take(p->arena, (count + 1) * sizeof *cells);
    *protocol = (rep_protocol){.design = t->design,
                               .machine = t->machine,
                               .cores = t->cores,
                               .trials = t->trials,
                               .states = copy_texts(p->arena, &t->states),
                               .events = copy_texts(p->arena, &t->events),
                               .state_count = (uint32_t)t->states.count,
                               .event_count = (uint32_t)t->events.count,
                               .cells = cells,
                               .cell_count = count};
    if (cells == NULL || protocol->states == NULL || protocol->events == NULL)
        return base_out_of_memory(problem);
    memcpy(cells, t->cells, count * sizeof *cells);
    for (size_t i = 0; i < count; i++)
        if (cells[i].here == NO_TRIAL)
            cells[i].here = -1;
    qsort(cells, count, sizeof *cells, by_place);
    return COL_OK;
}

/* Machines of a design follow each other; designs that no trial was of are left out. */
col_status rep_protocols_finish(rep_protocols *p, rep_report *report, col_problem *problem) {
    col_status status = COL_OK;
    report->protocols = base_arena_take(p->arena, (p->table_count + 1) * sizeof *report->protocols);
    if (report->protocols == NULL)
        return base_out_of_memory(problem);
    for (size_t i = 0; i < p->table_count; i++)
        for (size_t k = i; k < p->table_count && status == COL_OK; k++) {
            rep_machine_table *t = &p->tables[k];
            if (t->trials == 0 || t->is_finished || t->cores != p->tables[i].cores ||
                strcmp(t->design, p->tables[i].design) != 0)
                continue;
            t->is_finished = true;
            status = finish_table(p, t, &report->protocols[report->protocol_count++], problem);
        }
    return status;
}

void rep_protocols_free(rep_protocols *p) {
    for (size_t i = 0; i < p->table_count; i++) {
        base_names_free(&p->tables[i].states);
        base_names_free(&p->tables[i].events);
        base_names_free(&p->tables[i].names);
        free(p->tables[i].cells);
    }
    base_names_free(&p->machines);
    base_names_free(&p->designs);
    free(p->tables);
    free(p->maps);
}
