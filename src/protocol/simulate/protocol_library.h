/* SPDX-License-Identifier: MIT */
/*
 * Finding a protocol: built in under a name, or a user's files, which are translated to C, compiled
 * by the system's compiler into a plug-in and kept in a cache under a hash of their content.
 */
#pragma once

#include "base/machine.h"
#include "base/text.h"
#include "collider/protocol.h"
#include "protocol/slicc/translate.h"

#include <stdbool.h>

typedef struct sim_plugin {
    const sl_protocol *protocol;
    void *handle;  /* of the shared object; NULL: built in */
    bool compiled; /* now, not taken from the cache */
    char path[1024];
    char source[1024]; /* the file that was compiled */
} sim_plugin;

/* The built-in protocols, a NULL-terminated list. */
extern const sl_protocol *const sim_built_in[];
const sl_protocol *sim_built_in_find(const char *name);
/* Of the source of each, in the same order; that of a protocol, "" if it is not built in. */
extern const char *const sim_built_in_hashes[];
const char *sim_built_in_hash(const sl_protocol *protocol);

/* A .slicc or .sm file. Complaints about the protocol go to `complaints`, which may be NULL: the
 * first is the problem. */
col_status sim_plugin_compile(sim_plugin *plugin, const char *path, base_text *complaints,
                              col_problem *problem);
/* The same with a mutation made, if one is wanted; all that there are are noted. */
col_status sim_plugin_compile_mutant(sim_plugin *plugin, const char *path,
                                     slicc_mutations *mutations, base_text *complaints,
                                     col_problem *problem);
void sim_plugin_close(sim_plugin *plugin);

/*
 * Files of the protocols that Collider comes with: NAME/NAME.slicc, and what is kept beside it.
 * They are looked for in the folder COLLIDER_PROTOCOLS, where they are installed, and in the source
 * tree.
 */

enum { SIM_MOST_PATH = 1024 };

/* The path of NAME/NAME.ENDING; false: there is no such file that can be read. */
bool sim_find_beside(const char *name, const char *ending, char path[SIM_MOST_PATH]);

/* A compiler of the system, for protocols or other designs. */
typedef struct sim_compiler {
    const char *what, *language, *package; /* "the C compiler", "C compiler", "gcc" */
    const char *variable, *usual;          /* $CC, or cc */
    const char *makes;                     /* "protocol" */
    int most_shown;                        /* of its errors, in bytes */
    const char *const *flags;              /* ended by NULL */
} sim_compiler;

const char *sim_compiler_name(const sim_compiler *compiler);
/* Its version, flags and optimisation. */
col_status sim_compiler_describe(const sim_compiler *compiler, base_text *description,
                                 col_problem *problem);
/* What it means how it ended; what it said is in the file `log`. */
col_status sim_compiler_judge(const sim_compiler *compiler, base_tool_end end,
                              const base_patience *patience, const char *log, col_problem *problem);

/* How hard it tries: -O2, or what a user says who compiles much and runs little. */
const char *sim_compiler_optimisation(void);
