/* SPDX-License-Identifier: MIT */
/*
 * The story of a failure, for a designer: which axiom broke, which load saw which stale word, whose
 * cache held it, and what the controllers did to that block before. It watches the instance when a
 * failure is run again (failure.c), and is told in words and as a picture.
 */
#pragma once

#include "base/fold.h"
#include "base/json.h"
#include "base/names.h"
#include "base/text.h"
#include "collider/check.h"
#include "collider/duv.h"
#include "collider/episode.h"

typedef struct epi_story epi_story;

/* The design must stay open, and the program as it is, while the story is used. Once `*ended` is
 * not 0, only transitions of the same cycle are a part of the story; may be NULL. */
col_status epi_story_new(epi_story **story, const col_duv_description *design,
                         const col_program *program, const volatile int *ended,
                         col_problem *problem);
void epi_story_free(epi_story *story);
col_observer epi_story_observer(epi_story *story);

/* How the instance ended. */
typedef struct epi_ending {
    col_outcome outcome;
    const char *reason;
    const col_violation *violation; /* NULL: the memory model was not broken */
    const char *model;              /* its name */
    bool is_cat;                    /* the model is a file's: its tests have names of their own */
} epi_ending;

/* Running out of memory, also while watching, shows in the text's status. */
void epi_story_words(const epi_story *story, const epi_ending *ending, base_text *text);
void epi_story_picture(const epi_story *story, const epi_ending *ending, base_text *text); /* SVG */

/* The operation that should not have done what it did; COL_INITIAL: there is none. */
uint32_t epi_story_culprit(const epi_story *story, const epi_ending *ending);

/* ---- The names of messages' types in a recording, each kept once. A design may be anybody's:
 * beyond some thousands all others are "?". */

enum { EPI_MOST_NAMES = 1 << 15 };

/* Start from zeros. It must not be moved. */
typedef struct epi_names {
    base_arena arena;
    base_names names;
    bool failed; /* there was not enough memory */
} epi_names;

uint32_t epi_name_add(epi_names *names, const char *text); /* NULL: "?" */
const char *epi_name_of(const epi_names *names, uint32_t name);
void epi_names_free(epi_names *names);

/*
 * Inside the story of a failure: what was kept of the instance (story.c), what was found out about
 * it (story_find.c), and how it is told (story_words.c, story_picture.c).
 */

enum { EPI_NOTES = 96, EPI_MESSAGES = 128 }; /* the last ones of each block */
enum { EPI_MOST_BUSES = 64 };

/* Something that happened to a block. */
typedef struct epi_note {
    uint64_t cycle, number;                                 /* its place among all events */
    uint32_t kind;                                          /* col_event_kind */
    uint32_t machine, controller, state, event, next_state; /* of a transition or error */
    uint32_t core, operation;                               /* of the rest */
    bool is_folded;                                         /* it stands for many: */
    uint32_t period;       /* of the last of a period, how many it has; else 0. They happened */
    uint64_t times, until; /* so often, the last time to the end in this cycle */
} epi_note;

/* What story_fold.c knows of the last notes of a block, whether they are kept or not. */
typedef struct epi_repeats {
    epi_note last[BASE_MOST_PERIOD];
    uint64_t count;
    uint64_t matches[BASE_MOST_PERIOD + 1]; /* by period */
    uint64_t plain;                         /* kept one by one since the last fold */
    uint32_t period, begun; /* of the fold at the end, and how many of its next period happened;
                               0: there is none */
} epi_repeats;

/* What is known of a controller and a block. */
typedef struct epi_held {
    uint64_t since; /* the cycle in which it came to its state */
    uint32_t state;
    bool known; /* it has taken a transition */
    /* Of the controller beside a core: when its core was told that the block was given up, unless
     * it has come to a state with it since; number 0: not so. */
    uint64_t given_up, given_up_number;
} epi_held;

/* A performed operation. */
typedef struct epi_done {
    uint64_t cycle, number; /* number 0: it has not performed */
    uint64_t word, overwritten, read;
    col_source source;
    bool is_load; /* it performed as one: a conditional that failed, too */
    bool is_read; /* of designs that show no more: its value is known, not when it performed */
} epi_done;

/* Where an operation is in hardware: a COL_PLACED. */
typedef struct epi_place {
    uint64_t pc;   /* 0: it has no instruction */
    uint32_t text; /* the instruction; see epi_name_of */
} epi_place;

/* A point that was hit: a COL_POINT. The last ones are kept. */
enum { EPI_HITS = 4096, EPI_MOST_HITS = 24 };

/* What a core did with a load before it performed, as far as the design tells. */
typedef struct epi_load {
    uint64_t asked; /* the caches, last in this cycle; UINT64_MAX: it is not known */
    uint64_t bound; /* in this cycle it got the value that it performed with; the same */
    uint64_t bound_number, word;
    bool is_watched;  /* while it waits: what follows is known */
    uint64_t told;    /* first, that the block was lost; UINT64_MAX: it was not */
    epi_note lost_by; /* the first transition to a state without the block; number 0: none */
    uint32_t after;   /* what it waited for; itself: nothing */
    uint32_t squashes;
    uint64_t squashed; /* the last of them */
} epi_load;

/* The loads of a core that have values and have not performed. */
enum { EPI_MOST_BOUND = 64 };
typedef struct epi_window {
    uint32_t operations[EPI_MOST_BOUND], count;
} epi_window;

/* A message about a block, from one controller to another. */
typedef struct epi_message {
    uint64_t sent, received;               /* cycles */
    uint64_t sent_number, received_number; /* places among all events; 0: it is under way */
    uint64_t number;
    uint32_t machine, controller, to_machine, to_controller;
    uint32_t name; /* see epi_name_of */
} epi_message;

typedef struct epi_block {
    uint64_t address;
    uint64_t happened;      /* to it, whether it is kept or not */
    uint64_t oldest, count; /* the notes that are kept, by their numbers: up to the latter */
    uint64_t sent;          /* messages so far; the last are kept */
    epi_repeats repeats;
    epi_note notes[EPI_NOTES];
    epi_message messages[EPI_MESSAGES];
    epi_held *held; /* by controller, of all machines */
} epi_block;

/* One who waits, and what for: a COL_WAIT. */
enum { EPI_MOST_WAITS = 64 };
typedef struct epi_wait {
    uint64_t since, on; /* since which cycle; the place of whom it waits for, from 1; 0: unknown */
    uint64_t block;
    uint32_t machine, controller, state, operation;
    uint32_t text; /* see epi_name_of */
} epi_wait;

struct epi_story {
    const col_duv_description *design;
    const col_program *program;
    const volatile int *ended;
    uint32_t controllers; /* of all machines */
    uint32_t nearest;     /* the machine beside the cores; machine_count: none is known to be */
    uint32_t *first_of;   /* by machine: the first of its controllers among all */
    base_index index;     /* of blocks, by their addresses */
    epi_block *blocks;    /* in the order in which they were met */
    uint32_t most_blocks;
    size_t capacity;
    epi_done *done;      /* by operation */
    epi_load *loads;     /* by operation */
    epi_window *windows; /* by core */
    epi_place *places;   /* by operation */
    bool sees_losses;    /* some core was told that a block was given up */
    bool is_hardware;    /* it has told where its operations are: values are told as memory holds */
    uint64_t base,
        salt; /* them: where address 0 of the program is, and what stands for the word 0 */
    epi_note *hits;
    uint64_t hit_count;
    epi_names names; /* of messages, instructions, points */
    epi_wait waits[EPI_MOST_WAITS];
    uint32_t wait_count, hang; /* of what kind it is: see epi_name_of */
    uint64_t happened;         /* events */
    uint64_t cycle;            /* of the last one */
    uint64_t last_done;        /* in this cycle the last operation performed */
    epi_note wrong;            /* what the design complained of; number 0: nothing */
    uint64_t wrong_block;
    uint64_t last_block; /* of the last transition of all */
    base_arena arena;    /* of all arrays but the blocks */
    bool failed;         /* there was not enough memory */
};

static inline const col_operation *epi_operation(const epi_story *story, uint32_t operation) {
    return &story->program->operations[operation];
}

/* The block with this address; NULL: it was not met. */
const epi_block *epi_story_block(const epi_story *story, uint64_t address);
uint64_t epi_story_block_of(const epi_story *story, uint32_t location); /* its address */
/* How many notes are kept, and one of them, from 0, the oldest. */
uint32_t epi_story_notes(const epi_block *block);
const epi_note *epi_story_note(const epi_block *block, uint32_t i);
void epi_block_note(epi_block *block, const epi_note *note); /* it happens now */
const epi_held *epi_story_held(const epi_story *story, const epi_block *block, uint32_t machine,
                               uint32_t controller);
/* The same of messages. */
uint32_t epi_story_messages(const epi_block *block);
const epi_message *epi_story_message(const epi_block *block, uint32_t i);
/* What is known of a load before it performed; NULL: nothing. */
const epi_load *epi_story_load(const epi_story *story, uint32_t operation);

/* Names, or "state 3" of designs that give none. */
enum { EPI_NAME = 64 };
const char *epi_state_name(const epi_story *story, uint32_t machine, uint32_t state,
                           char buffer[EPI_NAME]);
const char *epi_event_name(const epi_story *story, uint32_t machine, uint32_t event,
                           char buffer[EPI_NAME]);
const char *epi_controller_name(const epi_story *story, uint32_t machine, uint32_t controller,
                                char buffer[EPI_NAME]);

/* ---- Who waits for whom, of a design that hangs. */

void epi_story_keep_wait(epi_story *story, const col_event *event);
void epi_say_waits(const epi_story *story, base_text *text); /* nothing, if it was not told */
/* As `hang` and `waits`, if it was told. */
void epi_set_waits(const epi_story *story, json_t **root);

/* ---- What was found out. */

enum { EPI_MOST_WRONG = 2, EPI_MOST_BLOCKS = 2, EPI_MOST_WAITING = 8 };

/* The history of a block up to an event. The transition that an access belongs to comes after the
 * access, in the same cycle. */
typedef struct epi_scene {
    uint64_t block;
    uint64_t until, cycle; /* number and cycle of the last event */
} epi_scene;

bool epi_is_told(const epi_scene *scene, const epi_note *note);

/* The cores that a scene is about; none: all are. */
enum { EPI_MOST_CORES = 8, EPI_SCENE_NOTES = EPI_NOTES + EPI_MOST_HITS };
typedef struct epi_cores {
    uint32_t cores[EPI_MOST_CORES], count;
} epi_cores;
epi_cores epi_story_cores(const epi_story *story, const epi_ending *ending, uint64_t block);

/* A line of a history. */
typedef struct epi_row {
    const epi_note *note;
    uint64_t times;
    uint32_t period; /* of the last row of what repeats: of how many that consists; else 0 */
    uint64_t until;  /* likewise: the cycle of its end */
} epi_row;

/* What repeats once; at most as many rows as notes. */
uint32_t epi_fold_rows(const epi_note *const *notes, uint32_t count, epi_row *rows);

/* What is told of a scene, in its order: the notes of its block, of which `shows` is true, and the
 * points that the caches of its cores hit shortly before its end, whatever block they were about.
 */
uint32_t epi_scene_rows(const epi_story *story, const epi_ending *ending, const epi_scene *scene,
                        bool (*shows)(const void *context, const epi_note *note),
                        const void *context, epi_row rows[EPI_SCENE_NOTES]);

typedef struct epi_finding {
    char axiom[1024]; /* a sentence or two: what broke */
    /* Steps of the cycle that lead back in time: these are what should not have happened. */
    uint32_t wrong[EPI_MOST_WRONG], wrong_count;
    uint32_t outdated; /* a load that a port complains of; else COL_INITIAL */
    uint32_t lost; /* a write that did not find the word of the one before it; else COL_INITIAL */
    epi_scene scenes[EPI_MOST_BLOCKS];
    uint32_t scene_count;
    uint32_t waiting[EPI_MOST_WAITING]; /* of a deadlock: the first of each thread that did not */
    uint32_t waiting_count;             /* perform; this many of them, */
    uint32_t waiting_total;             /* and this many in all */
} epi_finding;

void epi_story_find(const epi_story *story, const epi_ending *ending, epi_finding *finding);

/* What a read that performed returned. */
uint64_t epi_returned(const epi_story *story, uint32_t operation);
/* The write that left this word at the location; COL_INITIAL: none did. */
uint32_t epi_writer_of(const epi_story *story, uint32_t location, uint64_t word);
/* The write that replaced it; COL_INITIAL: none did. */
uint32_t epi_replacer_of(const epi_story *story, uint32_t location, uint64_t word);

/* The last write to the location that performed before an event; COL_INITIAL: none did. */
uint32_t epi_newest_before(const epi_story *story, uint32_t location, uint64_t number);

/* ---- Phrases that words and picture share. */

/* What memory holds for a word of the program. */
uint64_t epi_raw(const epi_story *story, uint64_t word);
/* "load a3 = 17", as violations say it; of hardware "load a3 = 17 (0x11)". */
void epi_say_operation(const epi_story *story, uint32_t operation, base_text *text);
/* "(6,381 times, until cycle 9210)", "(these 3 events 2,127 times, until cycle 9210)" */
void epi_say_times(uint64_t period, uint64_t times, uint64_t until, base_text *text);
/* "IS_D Data" */
void epi_say_point(const epi_story *story, const epi_note *note, base_text *text);
/* "17", "17 and 3 added"; of hardware "17 (0x11)", or "0x300000011" */
void epi_say_word(const epi_story *story, uint64_t word, base_text *text);
/* ": it is the value of ...", of a word of hardware that was never written to the location;
 * nothing, if nothing is known. */
void epi_say_stranger(const epi_story *story, uint32_t location, uint64_t word, base_text *text);
/* Of a design that shows what reads returned and no more, whose values the cycle's reads got: a
 * sentence of a line for each. */
void epi_say_values(const epi_story *story, const col_violation *violation, base_text *text);
/* "thread 0, operation 3 (store a3 17)" */
void epi_say_whole(const epi_story *story, uint32_t operation, base_text *text);
/* The first letter from here on becomes a capital. */
void epi_raise_first(base_text *text, size_t from);
/* "thread 2, operation 14" */
void epi_say_place(const epi_story *story, uint32_t operation, base_text *text);
/* "0x1040 (a3 a5)" */
void epi_say_block(const epi_story *story, uint64_t block, base_text *text);
/* A sentence of a line for each thing that should not have happened; `violation` may be NULL. */
void epi_say_wrong(const epi_story *story, const col_violation *violation,
                   const epi_finding *finding, base_text *text);
/* Is this the operation that should not have done what it did? */
bool epi_is_wrong(const epi_ending *ending, const epi_finding *finding, uint32_t operation);
/* Does a controller in this state have nothing of the block, as far as the design tells? */
bool epi_is_empty(const epi_story *story, uint32_t machine, uint32_t state);
/* Is this of a cell that a design error or a mutant has changed? */
bool epi_is_edited(const epi_story *story, const epi_note *note);

extern const char *const epi_sources[COL_FROM_MEMORY + 1];
