/* SPDX-License-Identifier: MIT */
/* Adding up hits of cells: see report_maker.h. */
#include "results/report/report_maker.h"

#include "results/store/store_coverage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NO_TRIAL = -2 }; /* told whether a cell is reachable here */

typedef struct rep_machine_table {
    const char *design, *machine;
    uint32_t cores, trials;
    bool is_finished;
    base_names states, events, names; /* names: of cells */
    rep_protocol_cell *cells;
    size_t cell_capacity;
} rep_machine_table;

typedef struct point_place {
    uint32_t table, cell;
} point_place;

typedef struct rep_design_map {
    point_place *places;
    size_t count;
} rep_design_map;

/* ---- Designs. */

/* NULL: out of memory. */
static rep_machine_table *find_table(rep_maker *m, const cam_design_row *design,
                                     const char *machine, uint32_t *table) {
    rep_protocols *p = &m->protocols;
    base_arena *arena = &m->report->arena;
    char name[512];
    bool is_new;
    (void)snprintf(name, sizeof name, "%s\x1f%u\x1f%s", design->name, design->cores, machine);
    *table = rep_number_of(m, &p->machines, name, &is_new);
    if (is_new &&
        rep_reserve(m, &p->tables, &p->table_capacity, p->machines.count, sizeof *p->tables))
        p->tables[p->table_count++] = (rep_machine_table){.cores = design->cores,
                                                          .design = rep_keep(m, design->name),
                                                          .machine = rep_keep(m, machine),
                                                          .states.arena = arena,
                                                          .events.arena = arena,
                                                          .names.arena = arena};
    return m->status == COL_OK ? &p->tables[*table] : NULL;
}

/* A cell is as reachable as in any design of this name: an error that is put in may open ways. */
static uint32_t find_cell(rep_maker *m, rep_machine_table *t, const cam_point *point,
                          int reachable) {
    char name[32];
    bool is_new;
    const uint32_t state = rep_number_of(m, &t->states, point->state, NULL);
    const uint32_t event = rep_number_of(m, &t->events, point->event, NULL);
    (void)snprintf(name, sizeof name, "%u %u", state, event);
    const uint32_t cell = rep_number_of(m, &t->names, name, &is_new);
    if (!rep_reserve(m, &t->cells, &t->cell_capacity, t->names.count, sizeof *t->cells))
        return 0;
    if (is_new)
        t->cells[cell] =
            (rep_protocol_cell){.state = state, .event = event, .reachable = -1, .here = NO_TRIAL};
    if (reachable > t->cells[cell].reachable)
        t->cells[cell].reachable = reachable;
    return cell;
}

void rep_protocols_add_design(rep_maker *m, const cam_design_row *design) {
    rep_protocols *p = &m->protocols;
    bool is_new;
    const uint32_t number = rep_number_of(m, &p->designs, design->hash, &is_new);
    if (!is_new || !rep_reserve(m, &p->maps, &p->map_capacity, p->designs.count, sizeof *p->maps))
        return;
    rep_design_map *map = &p->maps[number];
    *map = (rep_design_map){.places = rep_take(m, design->point_count, sizeof *map->places)};
    for (size_t i = 0; i < design->point_count && m->status == COL_OK; i++) {
        const cam_point *point = &design->points[i];
        const int reachable = design->reachable_known ? point->is_reachable : -1;
        rep_machine_table *t = find_table(m, design, point->machine, &map->places[i].table);
        if (t != NULL)
            map->places[i].cell = find_cell(m, t, point, reachable);
    }
    map->count = design->point_count;
}

void rep_protocols_add(rep_maker *m, const cam_row *row) {
    const rep_protocols *p = &m->protocols;
    const char *const *excluded = m->settings->coverage != NULL ? m->settings->excluded : NULL;
    cam_reach reach = {0};
    if (row->point_count == 0 || row->provenance.design_hash == NULL)
        return;
    const uint32_t number = base_names_find(&p->designs, row->provenance.design_hash);
    if (number == BASE_NO_NUMBER || p->maps[number].count != row->point_count)
        return;
    const rep_design_map *map = &p->maps[number];
    BASE_THEN(m->status, cam_reach_add(&reach, row->result, row->point_count, m->problem));
    uint32_t last = UINT32_MAX;
    for (size_t i = 0; i < row->point_count && m->status == COL_OK; i++) {
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
        if (excluded != NULL)
            cell->excluded = excluded[i];
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
}

/* ---- The result. */

static int by_place(const void *a, const void *b) {
    const rep_protocol_cell *x = a, *y = b;
    if (x->state != y->state)
        return x->state < y->state ? -1 : 1;
    return (x->event > y->event) - (x->event < y->event);
}

static void finish_table(rep_maker *m, rep_machine_table *t, rep_protocol *protocol) {
    const size_t count = t->names.count;
    rep_protocol_cell *cells = rep_take(m, count, sizeof *cells);
    *protocol = (rep_protocol){.design = t->design,
                               .machine = t->machine,
                               .cores = t->cores,
                               .trials = t->trials,
                               .states = rep_texts(m, &t->states),
                               .events = rep_texts(m, &t->events),
                               .state_count = (uint32_t)t->states.count,
                               .event_count = (uint32_t)t->events.count,
                               .cells = cells,
                               .cell_count = count};
    for (size_t i = 0; i < count && cells != NULL; i++) {
        cells[i] = t->cells[i];
        if (cells[i].here == NO_TRIAL)
            cells[i].here = -1;
    }
    if (cells != NULL)
        qsort(cells, count, sizeof *cells, by_place);
}

/* Machines of a design follow each other; designs that no trial was of are left out. */
void rep_finish_protocols(rep_maker *m) {
    const rep_protocols *p = &m->protocols;
    rep_report *r = m->report;
    r->protocols = rep_take(m, p->table_count, sizeof *r->protocols);
    for (size_t i = 0; i < p->table_count; i++)
        for (size_t k = i; k < p->table_count && m->status == COL_OK; k++) {
            rep_machine_table *t = &p->tables[k];
            if (t->trials == 0 || t->is_finished || t->cores != p->tables[i].cores ||
                strcmp(t->design, p->tables[i].design) != 0)
                continue;
            t->is_finished = true;
            finish_table(m, t, &r->protocols[r->protocol_count++]);
        }
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
