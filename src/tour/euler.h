/* SPDX-License-Identifier: MIT */
/* A tour of all transitions out of parts that have Euler tours of their own: hypercubes and a
 * clique. It is made as it goes, in memory that does not depend on the number of states. */
#ifndef TOUR_EULER_H
#define TOUR_EULER_H

#include "tour/space.h"

/* False: the sink had enough. */
bool tour_euler(const tour_space *space, tour_sink sink);

#endif
