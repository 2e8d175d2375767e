/* SPDX-License-Identifier: MIT */
/*
 * Steps that were taken before. A step touches one controller, so what comes of it follows from
 * little: what that controller holds, the access or message, what the search knows of its core and
 * of the last words, and memory if it is behind the controller. That repeats all the time although
 * states do not. So a worker numbers the pieces of images that it meets, and notes what each step
 * makes of its pieces; from then on the step is taken by numbers, and the system rests.
 */
#pragma once

#include "base/hash.h"
#include "protocol/explore/search_step.h"
#include "protocol/explore/state_symmetry.h"
#include "protocol/explore/state_table.h"

/* Instead of the lengths of its pieces, behind the image of a state that waits. */
enum { EXP_NO_LENGTHS = 255, OF_NOBODY = 255 };

/* A piece of an image: a controller, memory, or a message under way. */
typedef struct exp_piece {
    uint64_t first; /* its first eight bytes, as a number that compares as they do */
    uint32_t at;    /* where its bytes are */
    uint32_t count; /* of them */
    uint8_t owner;  /* the controller; the number of controllers: memory; OF_NOBODY: a message */
    bool is_seen;   /* the rest is known, of a controller */
    uint8_t may;    /* read a block, or write it: two bits each */
    uint8_t alarms;
} exp_piece;

/* What a step makes of what it depends on. */
typedef struct exp_effect {
    uint64_t known;  /* of its core */
    uint64_t orders; /* as in exp_trial */
    uint64_t done;
    uint32_t piece, memory;
    uint8_t current, begun, reads, writes, members, sent, cells;
    bool is_taken, touches_core, touches_memory, puts_back;
    uint32_t list[]; /* messages that it sends, then cells that it takes */
} exp_effect;

/* What it depends on, and where its effect is. */
typedef struct exp_step_key {
    uint64_t known;
    uint32_t piece, memory, input, words;
    uint32_t effect; /* 0: the place is free */
} exp_step_key;

/* A message: which of the origin's it is; NOBODY: none. */
typedef struct exp_numbered {
    uint64_t first; /* as in its piece */
    uint32_t piece, held;
} exp_numbered;

/* What the search knows of cores, in numbers: 16 bits a block, as in images. */
typedef struct exp_knowledge {
    uint64_t known[EXP_MOST_CORES];
    uint8_t current, begun[EXP_MOST_CORES]; /* current: a bit each block */
} exp_knowledge;

typedef struct exp_step_table {
    bool is_on;
    stepper *steps;
    exp_renamer *renamer; /* NULL: nothing is renamed */
    const exp_renaming *names;
    uint32_t packed_names[EXP_FEW]; /* as exp_renaming_pack has them */
    uint32_t name_count;
    uint32_t controllers, cores, blocks, most_bytes;
    bool tells_cells;                      /* the stepper is told which transitions a step takes */
    uint8_t core_of[EXP_MOST_CONTROLLERS]; /* whose it is; OF_NOBODY: shared */

    exp_piece *pieces;
    uint32_t piece_capacity;
    uint32_t *renamed; /* of each piece and renaming: a piece; 0: not known yet */
    base_index index;
    uint8_t *bytes;
    size_t used, capacity;
    exp_step_key *keys;
    uint32_t key_count, key_places;
    uint64_t *effects;
    uint32_t effects_used, effects_capacity; /* of eight bytes */
    uint8_t *scratch;
    exp_effect *draft;

    /* The state that steps start from. */
    uint32_t segments[EXP_MOST_CONTROLLERS + 1];
    exp_numbered flights[MOST_FLIGHTS];
    uint32_t flight_count;
    exp_knowledge of_cores;
    /* And the one that the last step leads to. */
    uint32_t choice;
    uint32_t wakes; /* the controller */
    exp_step_key key;
    const exp_effect *effect;
    uint32_t touched;
    uint32_t segments_after[EXP_MOST_CONTROLLERS + 1];
    exp_numbered after[MOST_FLIGHTS];
    uint32_t after_count;
    exp_knowledge of_cores_after;
    uint8_t *lengths; /* of the pieces of the image that was written, and how many bytes */
    uint32_t length_bytes;
} exp_step_table;

/* `most_bytes`: then it starts again; 0: 64 MB. Running out of memory leaves by the system's
 * escape. */
void exp_step_table_open(exp_step_table *table, stepper *steps, exp_renamer *renamer,
                         uint32_t most_bytes, bool tells_cells);
void exp_step_table_close(exp_step_table *table);

/* The state becomes the origin of steps, but the system need not hold it. What follows its image
 * and the lengths of its pieces is `*rest`. */
void exp_step_table_begin(exp_step_table *table, const image_span *state, image_span *rest);

/* The system holds the origin from now on. */
void exp_step_table_enter(exp_step_table *table);

/* Is the step known? Then taking it does not leave by the escape. */
bool exp_step_table_find(exp_step_table *table, uint32_t choice);
/* Takes the step that was looked for, as far as the stepper's own members tell. `*changes`: it
 * leads to another state. False: this step has to be taken by the system. */
bool exp_step_table_take(exp_step_table *table, bool is_quiet, bool *changes);

/* A hash of the state that the step leads to; of no use to others. */
uint64_t exp_step_table_hash(const exp_step_table *table);

/* Writes the image of that state, renamed as exp_renamer_pack does it. */
void exp_step_table_pack(exp_step_table *table);
