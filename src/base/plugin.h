/* SPDX-License-Identifier: MIT */
/* Plug-ins: shared objects that define what they are by one symbol. Loading one runs its code, so
 * whoever loads it has the user's word for that. */
#ifndef BASE_PLUGIN_H
#define BASE_PLUGIN_H

#include "base/problem.h"

#include <stdbool.h>

/* Is this the name of a plug-in, FILE.so? */
bool base_is_plugin(const char *what);

/* Finds `symbol` in a file, never in one that the system's loader knows by its name. `code` is what
 * to unload when nothing of it is used any more. */
col_status base_plugin_load(const char *what, const char *symbol, const void **found, void **code,
                            col_problem *problem);
void base_plugin_unload(void *code);

#endif
