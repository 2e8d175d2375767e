/* SPDX-License-Identifier: MIT */
/*
 * Inside an open design: its interface is called either here, in this process, or by a child
 * process (own_process.h) that holds the design's state and is asked for everything.
 */
#pragma once

#include "base/problem.h"
#include "base/text.h"
#include "collider/duv.h"
#include "protocol/simulate/cell_change.h"

/* Does the description of a design keep what duv.h promises? A plug-in's may not. */
col_status duv_check_description(const col_duv_description *description, col_problem *problem);

/* The kinds of operation that the design does not accept, a set. */
uint32_t duv_refused(const col_duv_description *description);
/* Where the program's fetches go (design/isa/isa.h), in an array that the caller frees; NULL: it
 * has none. */
col_status duv_find_stubs(const col_program *program, uint64_t **stubs, col_problem *problem);
/* Does it take an operation of the program? One that executes machine code takes a fetch only from
 * a block with room for an instruction. */
bool duv_takes(const col_duv_description *description, const col_operation *operation,
               const uint64_t *stubs);
/* Does a design that is so described take the program? */
col_status duv_check_program(const col_duv_description *description, const col_program *program,
                             col_problem *problem);

/* ---- Programs to come. */

/* How many programs one start of the design can run; 1: starts cost nothing, or cannot be shared.
 */
uint32_t duv_programs(const col_duv *duv);

/* Which programs will be loaded next, in this order: the next load is that of the first one. They
 * must not change until they were loaded and run. It is a hint: programs that do not come cost
 * time, no more. */
void duv_expect(col_duv *duv, const col_program *const *programs, uint32_t count);

/* ---- Configurations. */

/* How many keys differ between the configurations of a design that draws them; 0: nobody knows. */
uint32_t duv_keys(const col_duv *duv);
/* Of each key, which of its values this number draws, as a number below COL_KEY_VALUES: of a range,
 * values of about the same size are one. Not while the design runs. */
void duv_drawn(col_duv *duv, uint32_t configuration, uint8_t *values);

/* ---- Changes of a transition table, tried in a design that is open (cell_change.h). */

typedef sim_change duv_change;

bool duv_has_changes(const col_duv *duv);
/* How many there are of the cell, and one of them; while none is made. */
uint32_t duv_change_count(const col_duv *duv, col_duv_cell cell);
duv_change duv_change_find(const col_duv *duv, col_duv_cell cell, uint32_t number);
/* The change of the cores of that number: a mechanism that they lack. False: it lacks no more. */
bool duv_core_change(const col_duv *duv, uint32_t number, duv_change *change);
/* Are they of the same cell, or does the first one copy the other's; and do they add the same
 * action to it? */
bool duv_change_is_of(const duv_change *a, const duv_change *b);
bool duv_change_is_like(const duv_change *a, const duv_change *b);
/* From now on the design has the change, too, until it is undone or the design draws another
 * configuration. */
col_status duv_change_make(col_duv *duv, const duv_change *change, col_problem *problem);
/* Undoes the last changes until `left` remain. */
void duv_change_undo(col_duv *duv, uint32_t left);
/* In words, "L0Cache E Store needs mark_dirty", and as an edit of an error file; while none is
 * made. */
void duv_change_say(const col_duv *duv, const duv_change *change, base_text *text);
void duv_change_write(const col_duv *duv, const duv_change *change, base_text *text);

/* ---- Waveforms, and save files that show them in GTKWave (verilog/gtkwave.c): a marker for each
 * operation that matters, and the ports of the threads that it takes part in. */

/* What a design that writes waveforms says of them; NULL: nothing. */
const char *duv_wave_table(const col_duv *duv);

/* The first cycle of instances whose signals are written; 0: from reset on. */
void duv_waves_from(const col_duv *duv, uint64_t cycle);

/* One for each letter. */
enum { DUV_MOST_MARKS = 26 };

typedef struct duv_wave_mark {
    uint64_t cycle;
    char name[96];
} duv_wave_mark;

typedef struct duv_wave_marks {
    duv_wave_mark marks[DUV_MOST_MARKS];
    uint32_t count;
    uint64_t threads; /* whose ports are shown: bit t for thread t */
    uint64_t last;    /* the cycle in which the instance ended */
} duv_wave_marks;

/* Can designs of this name write waveforms? */
bool duv_has_waves(const char *design);
/* One sentence, if they cannot. */
col_status duv_check_waves(const char *design, col_problem *problem);

/* The save file for what an open design wrote to `waves`. */
void duv_waves_save(const col_duv *duv, const char *waves, const duv_wave_marks *marks,
                    base_text *text);
