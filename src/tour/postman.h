/* SPDX-License-Identifier: MIT */
/*
 * A shortest tour: every transition of the space at least once, from the initial state on, in as
 * few operations as any walk needs that may end where it likes (see optimum.h). It is made on the
 * fly, in memory linear in the cores: no state is remembered.
 */
#ifndef TOUR_POSTMAN_H
#define TOUR_POSTMAN_H

#include "tour/space.h"

/* False: the sink had enough. */
bool tour_postman(const tour_space *space, tour_sink sink);

#endif
