/* SPDX-License-Identifier: MIT */
/*
 * A system's transition tables: edits of them, which design errors and mutants are made of, and
 * which cells were reached. A system has tables of its own, so nothing is compiled again and other
 * systems of the protocol are not touched.
 */
#pragma once

#include "protocol/simulate/simulated_design.h"
#include "protocol/simulate/system.h"
#include "protocol/slicc/translate.h"

enum { SIM_SAME_STATE = -1 };

/* A cell of a machine's table, and what becomes of it. */
typedef struct sim_edit {
    uint32_t machine, state, event;
    bool removed;            /* the cell is not defined any more; the rest is unused */
    bool added;              /* it was not defined, or stalled, before; its flags become those of
                              * an ordinary cell */
    int32_t next;            /* where it leads; SIM_SAME_STATE: as before, of an added one: stay */
    bool has_actions;        /* these are its actions from now on; else they stay */
    const uint16_t *actions; /* need not outlive the call */
    uint8_t action_count;
    const sl_cell *like; /* of an added one: it needs the room, in buffers and for TBEs, that this
                          * cell needs; NULL: none */
} sim_edit;

/* The machine of that name, or a state, event or action of a machine; what is wrong is said with a
 * list of what there is. */
col_status sim_find_machine(const sl_protocol *protocol, const char *name, uint32_t *found,
                            col_problem *problem);
col_status sim_find_state(const sl_machine *machine, const char *name, uint32_t *found,
                          col_problem *problem);
col_status sim_find_event(const sl_machine *machine, const char *name, uint32_t *found,
                          col_problem *problem);
col_status sim_find_action(const sl_machine *machine, const char *name, uint32_t *found,
                           col_problem *problem);

/* Is it a transition: defined, and more than a stall? */
bool sim_is_transition(const sl_cell *cell);

/* A cell that takes these actions waits until there is room for what they allocate, unless it waits
 * already. */
void sim_check_room(const sl_machine *machine, const uint16_t *actions, uint32_t count,
                    sl_cell *cell);

/* Edits may follow each other, also of one cell. They are checked against the table as it is. */
col_status sim_edit_apply(sim_system *system, const sim_edit *edit, col_problem *problem);

/* Another system of the same protocol and wiring, with the same edits; the first must outlive it.
 */
col_status sim_system_copy(sim_system **copy, const sim_system *system, col_problem *problem);
/* Adds the transitions that the other one has taken. */
void sim_system_add_counts(sim_system *system, const sim_system *other);

/*
 * Which cells were reached by the runs or searches of a system, and the file in which they are kept
 * beside a protocol: a line `MACHINE STATE EVENT` for each.
 */

bool sim_was_reached(const sim_system *system, uint32_t machine, uint32_t state, uint32_t event);

/* Adds the cells of the system to those in the file, sorted as in the tables. It need not exist. */
col_status sim_reached_add(const sim_system *system, const char *path, col_problem *problem);

/*
 * Transitions that are known to be taken in a design's own caches: DESIGN.reached beside
 * DESIGN.yaml, a line `MACHINE STATE EVENT` for each, as tools/reached makes it. What a protocol
 * can do in some caches it need not do in others, so the file says which caches it is about, and
 * with how many cores; with others, or fewer, nothing is known.
 */

/* Start from {0}; empty if nothing is known. Free it also after a failure. */
col_status sim_taken_read(slicc_reached *taken, const sim_design *design, const sim_wiring *wiring,
                          col_problem *problem);

/* How many transitions of a machine they are; 0: nothing is known. */
uint32_t sim_taken_count(slicc_reached *taken, const sl_machine *machine);

/*
 * Mutants of a protocol: every way to put one small fault into it, each with a number from 1. The
 * numbers follow from the protocol alone: machine by machine and cell by cell those of the tables,
 * which are edits of a built system, then those of the source, which are compiled.
 */

typedef enum sim_mutant_kind {
    SIM_MUTANT_NEXT, /* the transition leads to another state */
    SIM_MUTANT_DROP, /* it leaves one of its actions out */
    SIM_MUTANT_CONDITION,
    SIM_MUTANT_COUNT, /* of the source: as slicc_mutation_kind */
    SIM_MUTANT_KINDS
} sim_mutant_kind;
extern const char *const sim_mutant_kinds[SIM_MUTANT_KINDS];

typedef struct sim_mutant {
    uint32_t number;
    sim_mutant_kind kind;
    uint32_t machine;               /* its place in the protocol */
    uint32_t state, event;          /* the cell of a table mutant */
    uint32_t next;                  /* SIM_MUTANT_NEXT: where it leads now */
    uint32_t place;                 /* SIM_MUTANT_DROP: of the action in the cell's list */
    const slicc_mutation *mutation; /* of a source mutant */
    bool equivalent; /* its cell is not known to be reachable, or nothing of its machine is built */
} sim_mutant;

/* Does the protocol say which of its cells are reachable? */
bool sim_reached_is_known(const sl_protocol *protocol);

/* The mutants of a design's protocol. Those of the source need its files: where they are not,
 * `problem` says so and there are table mutants alone. */
typedef struct sim_mutants {
    const sim_design *design;
    const sl_protocol *protocol;
    bool reached_is_known;
    uint32_t table_count, count;
    char path[1024]; /* of the protocol's source */
    slicc_mutations source;
    col_problem problem; /* an empty message: none */
} sim_mutants;

col_status sim_mutants_open(sim_mutants *mutants, const sim_design *design, col_problem *problem);
void sim_mutants_close(sim_mutants *mutants);

/* Mutants of the tables alone: cheap, needs no files. */
uint32_t sim_table_mutant_count(const sl_protocol *protocol);
/* The mutant of that number; false: there is none. */
bool sim_table_mutant(const sl_protocol *protocol, uint32_t number, sim_mutant *mutant);
void sim_mutant_find(const sim_mutants *mutants, uint32_t number, sim_mutant *mutant);

/* "next state M, not S", "without writeback". */
void sim_mutant_describe(const sl_protocol *protocol, const sim_mutant *mutant, base_text *text);

/* Puts a table mutant into a system. */
col_status sim_mutant_apply(sim_system *system, const sim_mutant *mutant, col_problem *problem);

/* Gives the design the protocol of a mutant of its source, compiled now or before. The plug-in must
 * outlive the system that is built from it. Mutants of the tables change nothing here. */
col_status sim_mutant_prepare(sim_design *design, uint32_t number, sim_plugin *plugin,
                              sim_mutant *mutant, col_problem *problem);
