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

/* Opens the very file of a descriptor, whatever has its name by now; `path` is for errors. What has
 * the same number is the same code and is shared, so the number is a hash of the content, or one
 * that no other has. */
col_status base_plugin_open(const char *path, int file, uint64_t number, void **code,
                            col_problem *problem);

#endif
