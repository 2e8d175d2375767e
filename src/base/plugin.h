/* SPDX-License-Identifier: MIT */
/* Plug-ins: shared objects that define what they are by one symbol. Loading one runs its code, so
 * whoever loads it has the user's word for that. */
#pragma once

#include "base/clock.h"
#include "base/text.h"

#include <limits.h>

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

/*
 * The cache of compiled plug-ins: a folder of the user's alone. A plug-in is kept under a key for
 * all that it depends on, with its size and hash behind it, and counts only if it is ours and
 * whole. Whoever compiles holds the key's lock and works in a folder of its own; a folder whose
 * lock nobody holds is left over from a process that died, and is removed.
 */

enum { BASE_KEY_SIZE = 33 };

typedef struct base_cache {
    char path[900];
    int folder; /* a descriptor */
} base_cache;

/* $XDG_CACHE_HOME/collider or ~/.cache/collider, made if need be. */
col_status base_cache_open(base_cache *cache, col_problem *problem);
void base_cache_close(base_cache *cache);

/* A descriptor of the plug-in, and a hash of its content; -1: there is none that counts. */
int base_cache_find(const base_cache *cache, const char *key, uint64_t *hash);

/* A place to compile in, while no other process compiles what has this key. */
typedef struct base_workshop {
    const base_cache *cache;
    const char *key;
    int lock;
    char path[1000];          /* the folder; empty: not made yet */
    int listed;               /* in file.h */
    const char *const *files; /* to be in it, those of folders first; ended by NULL; may be NULL */
} base_workshop;

/* Waits while another process has the lock. */
col_status base_workshop_open(base_workshop *workshop, const base_cache *cache, const char *key,
                              base_patience *patience, col_problem *problem);
/* Makes the folder, and removes those that dead processes left. */
col_status base_workshop_make(base_workshop *workshop, col_problem *problem);
/* Keeps a file of the folder under the key. */
col_status base_workshop_keep(const base_workshop *workshop, const char *plugin,
                              col_problem *problem);
void base_workshop_close(base_workshop *workshop);
