/* SPDX-License-Identifier: MIT */
/* A complete search as a graph in DOT, the language of Graphviz. */
#ifndef EXPLORE_DRAW_H
#define EXPLORE_DRAW_H

#include "explore/search.h"

/* States by their numbers, steps with what they do. False: no memory. */
bool exp_draw(search *x, base_text *text);

#endif
