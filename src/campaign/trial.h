/* SPDX-License-Identifier: MIT */
/*
 * A trial and the settings that its pairs stand for. Which settings there are is a matter of the
 * trial's kind: an episode has those of collider run, a tour those of collider tour, a study of
 * locations a few of an episode's.
 */
#ifndef CAMPAIGN_TRIAL_H
#define CAMPAIGN_TRIAL_H

#include "campaign/plan.h"
#include "collider/tour.h"
#include "episode/settings.h"

/* The setting of this name and its place in the order of pairs; NULL: the kind has no such setting.
 */
const epi_field *cam_field_find(cam_kind kind, const char *name, uint32_t *place);

/* The settings of a kind in their order; NULL behind the last. */
const epi_field *cam_field_at(cam_kind kind, uint32_t index);

/* Adds the names of a kind's settings, with commas between them. */
void cam_field_list(cam_kind kind, base_text *list);

/* Is this a value of the setting? Says in the error what it takes. */
col_status cam_field_try(const epi_field *field, const char *text, col_problem *problem);

/* The settings of an episode, or of a study of locations; texts belong to the trial. */
col_status cam_trial_episode(const cam_trial *trial, col_episode_settings *settings,
                             col_problem *problem);
col_status cam_trial_tour(const cam_trial *trial, col_tour_settings *settings,
                          col_problem *problem);

/* What its engine learns is to be kept. */
bool cam_trial_learns(const cam_trial *trial);

/* Adds all its pairs, "design=mesi3 engine=htg seed=3". */
void cam_trial_print(const cam_trial *trial, base_text *text);

#endif
