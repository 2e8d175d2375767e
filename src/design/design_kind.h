/* SPDX-License-Identifier: MIT */
/*
 * The kinds of designs: whatever a user may name as a design is of exactly one, and a kind is a row
 * of the table in design_kind.c and a file that implements it. Nothing else decides by what a name
 * looks like.
 */
#ifndef DESIGN_DESIGN_KIND_H
#define DESIGN_DESIGN_KIND_H

#include "collider/duv.h"
#include "design/design_identity.h"

#include <stdbool.h>

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
    /* Says what it is. `error_name` may be NULL. */
    void (*identify)(duv_hasher *hasher, const char *what, const char *error_name,
                     duv_identity *identity);
    const col_duv_interface *interface; /* NULL: `load` finds it */
    /* `code` is what `unload` is to release once the design is closed. */
    col_status (*load)(const char *what, const col_duv_interface **interface, void **code,
                       col_problem *problem);
    /* The same, able to write waveforms; NULL: it has none. */
    col_status (*load_traced)(const char *what, const col_duv_interface **interface, void **code,
                              col_problem *problem);
    void (*unload)(void *code);
    /* Of designs that are in a process of their own anyway, with the state of their interface; else
     * NULL. As col_duv_limit and col_duv_interrupt. */
    void (*limit)(void *state, double seconds);
    void (*interrupt)(void *state, const volatile int *stop);
    /* Of designs that run several programs in one start; else NULL. As duv_expect and
     * duv_programs. */
    void (*expect)(void *state, const col_program *const *programs, uint32_t count);
    uint32_t (*programs)(void *state);
    /* Of designs whose configurations are known; else NULL. As duv_keys and duv_drawn. */
    uint32_t (*keys)(void *state);
    void (*drawn)(void *state, uint32_t configuration, uint8_t *values);
} duv_kind;

/* The kinds, ended by NULL. The first that opens a name has it; the last opens all names. */
extern const duv_kind *const duv_kinds[];

const duv_kind *duv_kind_of(const char *design);

/* Is a design error named by its file, rather than by its ID in the library? */
bool duv_error_is_file(const char *error_name);

/* Of designs without points. */
void duv_collect_nothing(void *state, uint64_t *hits);

/* ---- What the rows refer to. */

/* The built-in simulator; what it is opened by is in the settings' `name`. */
extern const col_duv_interface duv_simulator;
uint32_t duv_simulator_keys(void *state);
void duv_simulator_drawn(void *state, uint32_t configuration, uint8_t *values);
void duv_simulator_identify(duv_hasher *hasher, const char *what, const char *error_name,
                            duv_identity *identity);

void duv_plugin_identify(duv_hasher *hasher, const char *what, const char *error_name,
                         duv_identity *identity);
col_status duv_plugin_load(const char *what, const col_duv_interface **interface, void **code,
                           col_problem *problem);

/* Commands that speak the serve protocol: "serve:COMMAND". */
extern const col_duv_interface duv_serve;
bool duv_is_serve(const char *what);
void duv_serve_identify(duv_hasher *hasher, const char *what, const char *error_name,
                        duv_identity *identity);
void duv_serve_limit(void *state, double seconds);
void duv_serve_interrupt(void *state, const volatile int *stop);
/* As the interface's, which gives it COL_DUV_LIMIT seconds for each answer. */
col_status duv_serve_open(void **state, const col_duv_settings *settings, double limit,
                          col_problem *problem);

/* Memory systems in Verilog: design files of kind `verilog`. */
bool duv_is_verilog(const char *what);
void duv_verilog_identify(duv_hasher *hasher, const char *what, const char *error_name,
                          duv_identity *identity);
col_status duv_verilog_load(const char *what, const col_duv_interface **interface, void **code,
                            col_problem *problem);
col_status duv_verilog_load_traced(const char *what, const col_duv_interface **interface,
                                   void **code, col_problem *problem);

/* The same of a simulator whose guest we are (collider/guest.h): from duv_guest_set on, this
 * interface opens them; NULL: Verilator does. */
void duv_guest_set(const col_duv_interface *interface);
bool duv_is_guest(const char *what);
col_status duv_guest_load(const char *what, const col_duv_interface **interface, void **code,
                          col_problem *problem);

/* Commands that run images: design files of kind `command`, the user's and those of the list. */
extern const col_duv_interface duv_command;
bool duv_is_named_command(const char *what);
void duv_command_identify(duv_hasher *hasher, const char *what, const char *error_name,
                          duv_identity *identity);
void duv_command_limit(void *state, double seconds);
void duv_command_interrupt(void *state, const volatile int *stop);
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

#endif
