/* SPDX-License-Identifier: MIT */
/* No text makes the reader of plans crash; what it says has a place in the text; what it takes, it
 * takes again from the text that it kept, with the same hash, and no two trials are the same. */
#include "fuzz.h"
#include "results/plan/plan.h"
#include "results/plan/trial.h"

#include <ctype.h>

static void check_trial(const cam_plan *plan, size_t place) {
    const cam_trial *trial = &plan->trials[place];
    col_episode_settings episode;
    col_tour_settings tour;
    const col_status status = trial->kind == CAM_TOUR ? cam_trial_tour(trial, &tour, NULL)
                                                      : cam_trial_episode(trial, &episode, NULL);
    require(status == COL_OK && cam_trial_value(trial, "seed") != NULL);
    for (size_t i = 0; i < place; i++) {
        const cam_selector same = {trial->pairs, trial->pair_count};
        const cam_trial *other = &plan->trials[i];
        require(other->kind != trial->kind || other->pair_count != trial->pair_count ||
                !cam_selects(&same, other->kind, other->pairs, other->pair_count));
    }
}

static void check_plan(const cam_plan *plan) {
    enum { LOOKED_AT = 40 };
    cam_plan again = {0};
    require(cam_plan_read(&again, plan->text, plan->text_length, "again.yaml", plan->scale, NULL) ==
            COL_OK);
    require(strcmp(again.hash, plan->hash) == 0 && again.trial_count == plan->trial_count &&
            again.published_count == plan->published_count);
    cam_plan_free(&again);
    for (size_t i = 0; i < plan->trial_count && i < LOOKED_AT; i++)
        check_trial(plan, i);
}

/* "1..600000": a second for one text, in which thousands of others find more. */
static bool has_long_sequence(const uint8_t *data, size_t size) {
    enum { LONG = 5 };
    size_t length = 0; /* of the word behind the last ".." */
    bool is_behind = false;
    for (size_t i = 1; i < size && length < LONG; i++) {
        const bool is_dots = data[i] == '.' && data[i - 1] == '.';
        is_behind = is_dots || (is_behind && isalnum(data[i]));
        length = is_behind && !is_dots ? length + 1 : 0;
    }
    return length == LONG;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const scales[] = {NULL, "small"};
    if (has_long_sequence(data, size))
        return 0;
    for (int i = 0; i < 2; i++) {
        cam_plan plan = {0};
        col_problem problem = {0};
        const col_status status =
            cam_plan_read(&plan, (const char *)data, size, "fuzz.yaml", scales[i], &problem);
        require_place(status, &problem, size);
        if (status == COL_OK)
            check_plan(&plan);
        cam_plan_free(&plan);
    }
    return 0;
}
