/* SPDX-License-Identifier: MIT */
/* An oracle: two levels of caches as letters, one for each cache, that change by what each cache
 * sees. Written as the paper writes states: (IS)S(SI)S. */
#ifndef TESTS_TOUR_LETTERS_H
#define TESTS_TOUR_LETTERS_H

#include "engine/tour/levels.h"

typedef struct letters {
    char first[TOUR_MOST_CORES];
    char second[TOUR_LEVELS_MOST_CLUSTERS];
} letters;

letters letters_initial(const tour_levels_space *space);
letters letters_of(const tour_levels_space *space, const tour_levels_state *state);
/* False: the operation is not possible. */
bool letters_step(const tour_levels_space *space, letters *l, tour_operation operation);
/* May the caches be so? By the table of the documentation. */
bool letters_are_legal(const tour_levels_space *space, const letters *l);
/* At least 64 characters. */
const char *letters_text(const tour_levels_space *space, const letters *l, char *text);

#endif
