/* SPDX-License-Identifier: MIT */
/*
 * Design errors: mistakes that are put into a design to be found. Each is a file (docs/errors.md)
 * that says what is wrong and edits the design: cells of transition tables, mechanisms of the
 * cores, parameters and caches of machines. All edits are of the protocol as it is written, and
 * nothing is compiled again.
 */
#pragma once

#include "base/path.h"
#include "base/text.h"
#include "protocol/simulate/design_file.h"
#include "protocol/simulate/transition_table.h"

enum {
    SIM_MOST_ERRORS = 64,
    SIM_ERROR_EDITS = 32,
    SIM_ERROR_WORDS = 16,
    SIM_ERROR_ACTIONS = UINT8_MAX
};

typedef enum sim_error_class {
    SIM_ERROR_SWMR,       /* a core may write what another may access */
    SIM_ERROR_DATA_VALUE, /* a word that was written is lost */
    SIM_ERROR_ORDERING,   /* accesses of a core perform in an order that the model forbids */
    SIM_ERROR_RACE,       /* messages meet in a way that the protocol does not provide for */
    SIM_ERROR_CLASS_COUNT
} sim_error_class;

extern const char *const sim_error_classes[SIM_ERROR_CLASS_COUNT + 1]; /* ended by NULL */

typedef struct sim_error_word {
    char text[64]; /* empty: not said */
    base_place place;
} sim_error_word;

typedef struct sim_error_words {
    sim_error_word words[SIM_ERROR_WORDS];
    uint32_t count;
    bool said;
} sim_error_words;

/* A cell by its names. */
typedef struct sim_error_cell {
    sim_error_word machine, state, event;
} sim_error_cell;

/* An edit of a cell, as it is written. */
typedef struct sim_error_edit {
    sim_error_cell at;
    bool is_removed, is_new;
    sim_error_word next;
    sim_error_words drop;    /* actions that it leaves out */
    sim_error_words actions; /* all it does, or */
    sim_error_cell as;       /* of a new one: what this cell does, and before that */
    sim_error_words plus;    /* these */
    sim_error_words with;    /* not of a cell: mechanisms that the cores have after all */
} sim_error_edit;

typedef struct sim_design_error {
    char id[64]; /* by which a user asks for it: the file's name */
    char path[1024];
    bool has_file; /* that is the path's */
    char name[64], source[128], level[32], summary[160];
    char explanation[2048], adapted[1024], same_as[64]; /* empty: not said, as are those above */
    sim_error_class class;
    sim_error_word protocol; /* empty: any */
    sim_error_edit edits[SIM_ERROR_EDITS];
    uint32_t edit_count;
    uint32_t with;                 /* a set of mechanisms of the cores that are there after all */
    sim_design_file wiring;        /* of this, `machines` and the `without` of the cores */
    struct sim_design_error *next; /* injected with it; NULL: no more */
} sim_design_error;

/* An edit of a cell of a protocol; not to be copied, because the edit refers to the actions. */
typedef struct sim_cell_change {
    sim_edit edit;
    sl_cell like; /* the edit's, as it was before any edit */
    uint16_t actions[SIM_ERROR_ACTIONS];
} sim_cell_change;

/* ---- One error. */

/* Reads a file without knowing the protocol. */
col_status sim_design_error_parse(sim_design_error *wrong, const char *text, size_t length,
                                  const char *path, col_problem *problem);

/* Reads one edit, and adds it as --error takes it. */
col_status sim_error_edit_read(const base_entry *entry, base_text *text);

/* Is an error named by its file's path? Anything else is an ID, and those have dots in them, too.
 */
bool sim_is_error_file(const char *what);

/* Finds an error that fits the protocol, by its ID or by its file's path (.yaml), and reads it. An
 * error may also be an edit in braces, or the mutant:K of a table, and there may be several, with
 * semicolons between them: each edits what those before it have left. So what edits name is checked
 * when they are applied. */
col_status sim_design_error_open(sim_design_error **wrong, const char *what,
                                 const sl_protocol *protocol, col_problem *problem);
void sim_design_error_free(sim_design_error *wrong);

/* Which cell an edit is of. */
col_status sim_design_error_cell(const sim_design_error *wrong, uint32_t edit,
                                 const sl_protocol *protocol, sim_edit *cell, col_problem *problem);

/* What becomes of a cell. */
col_status sim_design_error_change(const sim_design_error *wrong, uint32_t edit,
                                   const sl_protocol *protocol, sim_cell_change *change,
                                   col_problem *problem);

/* How long the first of several errors is. */
size_t sim_design_error_length(const char *what);

/* Puts the error in, with those after it: into the wiring before the system is built, into the
 * tables after. */
col_status sim_design_error_wire(const sim_design_error *wrong, const sl_protocol *protocol,
                                 sim_wiring *wiring, col_problem *problem);
col_status sim_design_error_apply(const sim_design_error *wrong, sim_system *system,
                                  col_problem *problem);

/* ---- All errors. */

/* All files of the folders of errors, by ID; of one ID the first that fits a protocol is the one
 * that counts. */
col_status sim_design_error_list(base_library *library, col_problem *problem);

/* Reads one of the list. NULL after COL_OK: it is for another protocol. */
col_status sim_design_error_read(sim_design_error **wrong, const base_library_file *file,
                                 const sl_protocol *protocol, col_problem *problem);

/* ---- In words. */

/* "L1Cache: IS by Data_Exclusive leads to EE instead of E" */
void sim_design_error_say(const sl_protocol *protocol, const sim_cell_change *change,
                          base_text *text);
/* What a cell does, before or after the change: "I: takeData, popResponse"; "none" if it is not
 * defined. */
void sim_design_error_say_cell(const sl_protocol *protocol, const sim_cell_change *change,
                               bool after, base_text *text);
