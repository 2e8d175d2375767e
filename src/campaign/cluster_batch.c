/* SPDX-License-Identifier: MIT */
/* What is left of a batch, as JSON: see cluster.h. */
#include "campaign/cluster.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/path.h"

#include <stdlib.h>
#include <string.h>

enum { PLACE = CAM_CLUSTER_NAME + 20 };

static void name_place(char place[PLACE], const char *name) {
    (void)snprintf(place, PLACE, "batches/%s.json", name);
}

static bool take_trial(const json_t *pair, cam_batch_trial *trial) {
    bool is_good = true;
    const json_t *cost = json_array_get(pair, 1);
    *trial =
        (cam_batch_trial){.position = (size_t)base_json_number(json_array_get(pair, 0), &is_good),
                          .cost = json_number_value(cost)};
    return is_good && json_is_number(cost) && trial->cost >= 0;
}

static col_status take_trials(cam_batch *batch, const json_t *list, bool *is_good,
                              col_problem *problem) {
    const size_t count = json_array_size(list);
    const col_status status =
        base_reserve(&batch->trials, &batch->capacity, count + 1, sizeof *batch->trials, problem);
    for (size_t i = 0; i < count && status == COL_OK && *is_good; i++)
        *is_good = take_trial(json_array_get(list, i), &batch->trials[batch->count++]);
    return status;
}

col_status cam_batch_read(cam_batch *batch, const cam_cluster *c, const char *name,
                          col_problem *problem) {
    char place[PLACE];
    json_t *object = NULL;
    uint64_t tries = 0, parts = 0;
    batch->count = 0;
    (void)snprintf(batch->name, sizeof batch->name, "%s", name);
    name_place(place, name);
    col_status status = base_json_read_in(c->folder, place, &object, problem);
    if (status != COL_OK)
        return status;
    bool is_good = base_json_take(object, "tries", &tries) &&
                   base_json_take(object, "parts", &parts) && tries < UINT32_MAX &&
                   parts < UINT32_MAX && json_is_array(json_object_get(object, "trials"));
    batch->tries = (uint32_t)tries;
    batch->parts = (uint32_t)parts;
    if (is_good)
        status = take_trials(batch, json_object_get(object, "trials"), &is_good, problem);
    json_decref(object);
    if (status != COL_OK || is_good)
        return status;
    return base_refuse(problem, "%.300s/%s is not a batch of trials", c->folder, place);
}

col_status cam_batch_write(const cam_batch *batch, const cam_cluster *c, col_problem *problem) {
    char path[PATH_MAX], place[PLACE];
    json_t *list = json_array();
    name_place(place, batch->name);
    const col_status status = base_path_in(path, c->folder, place, problem);
    for (size_t i = 0; i < batch->count; i++)
        base_json_append(&list, json_pack("[I, f]", (json_int_t)batch->trials[i].position,
                                          batch->trials[i].cost));
    if (status != COL_OK) {
        json_decref(list);
        return status;
    }
    return base_json_write_exact(path,
                                 json_pack("{s:I, s:I, s:o}", "tries", (json_int_t)batch->tries,
                                           "parts", (json_int_t)batch->parts, "trials", list),
                                 problem);
}

void cam_batch_free(cam_batch *batch) {
    free(batch->trials);
    *batch = (cam_batch){0};
}
