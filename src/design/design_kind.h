/* SPDX-License-Identifier: MIT */
/*
 * The kinds of designs: whatever a user may name as a design is of exactly one, and a kind is a row
 * of the table in design_kind.c and a file that implements it. Nothing else decides by what a name
 * looks like.
 */
#pragma once

#include "base/hash.h"
#include "base/problem.h"
#include "base/text.h"
#include "collider/duv.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* ---- What a design is. What a kind of designs says of one becomes hashes here. All that is said
 * goes into the whole; what is said after one duv_hash_begin also into a part. Things that are said
 * one after the other are told apart by their lengths. */

enum { DUV_HASH = 33 }; /* 128 bits in hexadecimal, with its end */

typedef struct duv_hasher duv_hasher;

void duv_hash_bytes(duv_hasher *hasher, const char *bytes, size_t length);
void duv_hash_word(duv_hasher *hasher, const char *word);
/* What is in the file, or that it cannot be read. */
void duv_hash_file(duv_hasher *hasher, const char *path);

/* A part; the hash stays as it is if nothing was said. The first has begun. */
void duv_hash_begin(duv_hasher *hasher);
void duv_hash_end(const duv_hasher *hasher, char hash[DUV_HASH]);

/* Was it done? What the user's files are is hashed, also that they are wrong; a machine that fails
 * us is remembered, and is what comes of the whole. */
bool duv_hash_done(duv_hasher *hasher, col_status status, const col_problem *problem);

/*
 * What a design is, as hashes: the bytes of a plug-in, or a design file, a protocol (of a built-in
 * one, the source that it was compiled from) and a design error. Campaigns name trials by it, and
 * an episode that goes on compares it. Cores, options and mutants are settings, no part of it.
 */

typedef struct duv_identity {
    char whole[DUV_HASH]; /* all of it; stores have it in their keys, so it must not change */
    /* The parts, to tell what changed; empty: there is none. */
    char file[DUV_HASH];     /* a design file, or a plug-in */
    char protocol[DUV_HASH]; /* as the C that it becomes */
    char error[DUV_HASH];
    uint32_t cores; /* unless others are asked for; 0: a plug-in's choice */
} duv_identity;

/* The same for keys of a cache: something that is said, and what comes of all. */
void duv_key_add(XXH3_state_t *state, const char *bytes, size_t length);
void duv_key_spell(const XXH3_state_t *state, char hash[DUV_HASH]);

/* A design that cannot be opened has an identity too: it is another one when it can be.
 * `error_name` may be NULL. */
col_status duv_identify(duv_identity *identity, const char *design, const char *error_name,
                        col_problem *problem);

/* ---- The kinds. */

struct duv_files;

/* How long a design in another process is waited for. */
typedef struct duv_wait {
    double limit;                  /* seconds for an answer (col_duv_limit); 0: no limit */
    const volatile int *interrupt; /* col_duv_interrupt */
} duv_wait;

typedef struct duv_kind {
    const char *name;                /* in sentences: "a plug-in" */
    const char *form;                /* what it is named by, for help texts: "FILE.so" */
    const char *summary;             /* and what that is, in a line */
    bool (*opens)(const char *what); /* is this the name of such a design? */
    bool is_file; /* a name is a path: in a file it is relative to the folder of that file */
    /* It is code that runs as soon as it is opened. Only the user may name that: what a
     * file names must be refused unless the user allows code. */
    bool is_code;
    bool has_protocol; /* collider design and collider explore show it */
    bool takes_errors, takes_mutants;
    bool has_waves; /* can be loaded so that it traces: writes waveforms */
    /* Says what it is. `error_name` may be NULL. */
    void (*identify)(duv_hasher *hasher, const char *what, const char *error_name,
                     duv_identity *identity);
    /* Adds the files that it consists of (design_files.h); NULL: it is no files. */
    col_status (*gather)(struct duv_files *files, const char *what, const char *errors,
                         col_problem *problem);
    const col_duv_interface *interface; /* NULL: `load` finds it */
    /* `code` is what `unload` is to release once the design is closed. */
    col_status (*load)(const char *what, bool traces, const col_duv_interface **interface,
                       void **code, col_problem *problem);
    void (*unload)(void *code);
    /* Of designs that are in a process of their own anyway, with the state of their interface; else
     * NULL. */
    duv_wait *(*wait)(void *state);
    /* Of designs that run several programs in one start; else NULL. As duv_expect and
     * duv_programs. */
    void (*expect)(void *state, const col_program *const *programs, uint32_t count);
    uint32_t (*programs)(void *state);
    /* Of designs whose configurations are known; else NULL. As duv_keys and duv_drawn. */
    uint32_t (*keys)(void *state);
    void (*drawn)(void *state, uint32_t configuration, uint8_t *values);
    /* Of designs with transition tables; else NULL. */
    struct sim_bench *(*bench)(void *state);
} duv_kind;

/* The kinds, ended by one without a name. The first that opens a name has it; the last opens all
 * names. */
extern const duv_kind duv_kinds[];

const duv_kind *duv_kind_of(const char *design);

/* Is a design error named by its file, rather than by its ID in the library? Of several, none is.
 */
bool duv_error_is_file(const char *error_name);
/* How long the first of several is: a semicolon, or the end, is behind it. */
size_t duv_error_length(const char *errors);

/* Reads an edit of an error file, and adds it as an error that designs take. */
struct base_entry;
col_status duv_edit_read(const struct base_entry *entry, base_text *text);

/* Hands over the state of a design that was opened, or closes it if that failed. */
static inline col_status duv_opened(void **state, void *made, col_status status,
                                    void (*close)(void *state)) {
    if (status == COL_OK)
        *state = made;
    else
        close(made);
    return status;
}

/* Of designs without points. */
void duv_collect_nothing(void *state, uint64_t *hits);

/* ---- What the rows refer to. */

/* The built-in simulator; what it is opened by is in the settings' `name`. */
extern const col_duv_interface duv_simulator;
uint32_t duv_simulator_keys(void *state);
void duv_simulator_drawn(void *state, uint32_t configuration, uint8_t *values);
struct sim_bench *duv_simulator_bench(void *state);
col_status duv_simulator_gather(struct duv_files *files, const char *what, const char *errors,
                                col_problem *problem);
void duv_simulator_identify(duv_hasher *hasher, const char *what, const char *error_name,
                            duv_identity *identity);

void duv_plugin_identify(duv_hasher *hasher, const char *what, const char *error_name,
                         duv_identity *identity);
col_status duv_plugin_load(const char *what, bool traces, const col_duv_interface **interface,
                           void **code, col_problem *problem);

/* Commands that speak the serve protocol: "serve:COMMAND". */
extern const col_duv_interface duv_serve;
bool duv_is_serve(const char *what);
void duv_serve_identify(duv_hasher *hasher, const char *what, const char *error_name,
                        duv_identity *identity);
duv_wait *duv_serve_wait(void *state);
/* As the interface's, which gives it COL_DUV_LIMIT seconds for each answer. */
col_status duv_serve_open(void **state, const col_duv_settings *settings, double limit,
                          col_problem *problem);

/* Memory systems in Verilog: design files of kind `verilog`, the user's and those of the list. */
bool duv_is_verilog(const char *what);
bool duv_is_named_verilog(const char *what);
void duv_verilog_identify(duv_hasher *hasher, const char *what, const char *error_name,
                          duv_identity *identity);
col_status duv_verilog_gather(struct duv_files *files, const char *what, const char *errors,
                              col_problem *problem);
col_status duv_verilog_load(const char *what, bool traces, const col_duv_interface **interface,
                            void **code, col_problem *problem);

/* The same of a simulator whose guest we are (collider/guest.h): from duv_guest_set on, this
 * interface opens them; NULL: Verilator does. */
void duv_guest_set(const col_duv_interface *interface);
bool duv_is_guest(const char *what);
col_status duv_guest_load(const char *what, bool traces, const col_duv_interface **interface,
                          void **code, col_problem *problem);

/* Commands that run images: design files of kind `command`, the user's and those of the list. */
extern const col_duv_interface duv_command;
bool duv_is_named_command(const char *what);
void duv_command_identify(duv_hasher *hasher, const char *what, const char *error_name,
                          duv_identity *identity);
duv_wait *duv_command_wait(void *state);
void duv_command_expect(void *state, const col_program *const *programs, uint32_t count);
uint32_t duv_command_programs(void *state);

/* The processors that we run on. */
extern const col_duv_interface duv_host;
bool duv_is_host(const char *what);
void duv_host_identify(duv_hasher *hasher, const char *what, const char *error_name,
                       duv_identity *identity);

/* Which kind a design file says that it is: the one place that looks. */

/* Is this a file, of YAML that says kind: WORD? A pipe can be read only once, and is left to who
 * opens it; what is not YAML is nobody's. */
bool duv_file_has_kind(const char *path, const char *word);
/* The file of a design of the list, if it says that; false: it is another design. */
bool duv_find_listed(const char *name, const char *word, char path[PATH_MAX]);
