/* SPDX-License-Identifier: MIT */
/* Cover points of the simulator: see points.h. There is one simulator, so they are global. */
#include "guest/points.h"

#include <stdlib.h>
#include <string.h>

static col_duv_machine machines[GST_MOST_MACHINES];
static uint32_t machine_count;
static col_duv_point points[GST_MOST_POINTS];
static uint32_t machine_of[GST_MOST_POINTS];
static uint64_t *counts[GST_MOST_POINTS]; /* by controller */
static uint32_t point_count;

static col_duv_machine *find_machine(const char *name, uint32_t controllers) {
    if (machine_count > 0 && strcmp(machines[machine_count - 1].name, name) == 0)
        return machines[machine_count - 1].controllers == controllers ? &machines[machine_count - 1]
                                                                      : NULL;
    for (uint32_t m = 0; m < machine_count; m++)
        if (strcmp(machines[m].name, name) == 0)
            return NULL;
    char *copy = machine_count < GST_MOST_MACHINES && controllers > 0 ? strdup(name) : NULL;
    if (copy == NULL)
        return NULL;
    machines[machine_count] =
        (col_duv_machine){.name = copy, .controllers = controllers, .first_point = point_count};
    return &machines[machine_count++];
}

int gst_points_add(const char *machine, uint32_t controllers, const char *label) {
    col_duv_machine *m = point_count < GST_MOST_POINTS ? find_machine(machine, controllers) : NULL;
    char *state = m != NULL ? strdup(label) : NULL;
    uint64_t *count = state != NULL ? calloc(controllers, sizeof *count) : NULL;
    if (count == NULL) {
        free(state);
        return -1;
    }
    char *split = strstr(state, "__");
    const bool is_transition = split != NULL && split != state && split[2] != '\0';
    if (is_transition)
        *split = '\0';
    points[point_count] = (col_duv_point){.state = state, .event = is_transition ? split + 2 : ""};
    machine_of[point_count] = machine_count - 1;
    counts[point_count] = count;
    m->point_count++;
    return (int)point_count++;
}

void gst_points_describe(col_duv_description *d) {
    d->machines = machines;
    d->machine_count = machine_count;
    d->points = points;
    d->point_count = point_count;
}

void gst_points_hit(const col_duv_description *d, int point, uint32_t controller) {
    if (d != NULL && point >= 0 && (uint32_t)point < d->point_count &&
        controller < machines[machine_of[point]].controllers)
        counts[point][controller]++;
}

void gst_points_collect(const col_duv_description *d, uint64_t *hits) {
    for (uint32_t p = 0; p < d->point_count; p++)
        for (uint32_t c = 0; c < machines[machine_of[p]].controllers; c++) {
            hits[col_duv_functional(d, machine_of[p], c, p)] += counts[p][c];
            counts[p][c] = 0;
        }
}
