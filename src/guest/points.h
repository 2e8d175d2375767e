/* SPDX-License-Identifier: MIT */
/* Cover points that a simulator declares, as points of a design. */
#ifndef GUEST_POINTS_H
#define GUEST_POINTS_H

#include "collider/duv.h"

enum { GST_MOST_MACHINES = 64, GST_MOST_POINTS = 4096 };

/* Of the next point of a machine, by its label: STATE__EVENT, or a name. -1: there are too many, or
 * the machine is not the last one. */
int gst_points_add(const char *machine, uint32_t controllers, const char *label);

void gst_points_describe(col_duv_description *description);

/* A point was hit; and what was, since it was last asked. */
void gst_points_hit(const col_duv_description *description, int point, uint32_t controller);
void gst_points_collect(const col_duv_description *description, uint64_t *hits);

#endif
