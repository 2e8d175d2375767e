/* SPDX-License-Identifier: MIT */
/*
 * The cache of compiled protocols: a folder of the user's alone. A plug-in is kept under a key for
 * all that it depends on, with its size and hash behind it, and counts only if it is ours and
 * whole. Whoever compiles holds the key's lock and works in a folder of its own; a folder whose
 * lock nobody holds is left over from a process that died, and is removed.
 */
#ifndef SIM_PLUGIN_CACHE_H
#define SIM_PLUGIN_CACHE_H

#include "base/text.h"
#include "sim/patience.h"

#include <limits.h>

enum { SIM_KEY_SIZE = 33 };

typedef struct sim_cache {
    char path[900];
    int folder; /* a descriptor */
} sim_cache;

/* $XDG_CACHE_HOME/collider or ~/.cache/collider, made if need be. */
col_status sim_cache_open(sim_cache *cache, col_problem *problem);
void sim_cache_close(sim_cache *cache);

/* A descriptor of the plug-in, and a hash of its content; -1: there is none that counts. */
int sim_cache_find(const sim_cache *cache, const char *key, uint64_t *hash);

/* A place to compile in, while no other process compiles what has this key. */
typedef struct sim_workshop {
    const sim_cache *cache;
    const char *key;
    int lock;
    char path[1000]; /* the folder; empty: not made yet */
} sim_workshop;

/* Waits while another process has the lock. */
col_status sim_workshop_open(sim_workshop *workshop, const sim_cache *cache, const char *key,
                             sim_patience *patience, col_problem *problem);
/* Makes the folder, and removes those that dead processes left. */
col_status sim_workshop_make(sim_workshop *workshop, col_problem *problem);
/* Keeps FOLDER/protocol.so under the key. */
col_status sim_workshop_keep(const sim_workshop *workshop, col_problem *problem);
void sim_workshop_close(sim_workshop *workshop);

#endif
