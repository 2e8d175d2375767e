/* SPDX-License-Identifier: MIT */
/*
 * Files of the protocols that Collider comes with: NAME/NAME.slicc, and what is kept beside it.
 * They are looked for in the folder COLLIDER_PROTOCOLS, where they are installed, and in the source
 * tree.
 */
#ifndef SIM_BESIDE_H
#define SIM_BESIDE_H

#include <stdbool.h>

enum { SIM_MOST_PATH = 1024 };

/* The path of NAME/NAME.ENDING; false: there is no such file that can be read. */
bool sim_find_beside(const char *name, const char *ending, char path[SIM_MOST_PATH]);

#endif
