/* SPDX-License-Identifier: MIT */
/*
 * The state of a small system between two steps of the search: what its controllers hold, messages
 * under way, and what the search itself remembers of the cores. Its image is a few dozen bytes,
 * equal for equal states. After a step only what the step touched is written anew, and put back to
 * take the next one.
 */
#pragma once

#include "protocol/explore/search.h"

/*
 * Parts of a state as bytes: caches, tables, timers, variables, messages. What a part holds is
 * known from the protocol's description, so a field takes a byte or two and nothing else is kept.
 * Cores and blocks can be renamed on the way.
 */

enum {
    EXP_MOST_CONTROLLERS = 250, /* their numbers are bytes */
    EXP_MOST_RECORDS = 64,      /* of a table or timer: there are few blocks */
    EXP_NEVER = 1 << 30         /* a time that does not come while time stands still */
};

/* New numbers for cores and blocks, and the old ones of new numbers. */
typedef struct exp_renaming {
    uint8_t controller[EXP_MOST_CONTROLLERS], old_controller[EXP_MOST_CONTROLLERS];
    uint8_t core[EXP_MOST_CORES], old_core[EXP_MOST_CORES];
    uint8_t block[EXP_MOST_BLOCKS], old_block[EXP_MOST_BLOCKS];
    bool keeps_controllers; /* all keep their numbers */
} exp_renaming;

/* What images depend on. */
typedef struct exp_imager {
    const sl_system *base;
    const sl_protocol *protocol;
    uint32_t blocks;
    uint32_t destination_bytes;
} exp_imager;

/* Something of a controller that has a state. */
typedef struct exp_part {
    const sl_member *member;
    const sl_machine *machine; /* NULL: memory itself */
    void *object;
} exp_part;

/* Is it part of a state? */
bool exp_part_counts(const sl_member *member);

/* Bytes that its image takes at most, and those of a message. */
size_t exp_part_bytes(const exp_part *part);
size_t exp_message_bytes(const sl_message_type *type);

/* Write an image at `out` and return its end. NULL: a table has more records than there may be. */
uint8_t *exp_put_part(const exp_imager *imager, const exp_renaming *renaming, const exp_part *part,
                      uint8_t *out);
uint8_t *exp_put_message(const exp_imager *imager, const exp_renaming *renaming,
                         const sl_message *message, uint8_t *out);

/* Put back what an image says, with the numbers that it has, and return its end. */
const uint8_t *exp_get_part(const exp_imager *imager, const exp_part *part, const uint8_t *in);
const uint8_t *exp_get_message(const exp_imager *imager, sl_message *message, const uint8_t *in);

/* ---- The state. */

enum { MOST_FLIGHTS = 64, MOST_ALARMS = 64, NOBODY = UINT32_MAX };
enum { EXP_KEEPS_ORDER = 1 }; /* the channel of messages to a queue from anybody */

/* A message under way to a buffer. */
typedef struct flight {
    uint32_t buffer;  /* which of the search's list */
    uint32_t channel; /* of those with one channel (not 0) the first comes first */
    sl_message *message;
    const uint8_t *image; /* of a message that the step did not touch; else NULL */
    uint32_t bytes;
    uint32_t held; /* which of the origin's it is, if the step did not touch it; else NOBODY */
} flight;

/* An access of a core that the protocol has taken and not completed. */
enum { NO_ACCESS, LOADING, STORING, FLUSHING };

/* What the search knows of a core and a block. */
typedef struct knowledge {
    uint8_t access;   /* NO_ACCESS, … */
    uint8_t possible; /* words that were current since the load was taken, a set */
    bool lost;        /* the core was told that it lost the block since the access was taken */
    bool believes;    /* a load has its word and the core was not told of a loss since */
    uint8_t word;     /* that it has */
} knowledge;

typedef struct memory_of_cores {
    knowledge known[EXP_MOST_CORES][EXP_MOST_BLOCKS];
    uint8_t current[EXP_MOST_BLOCKS]; /* the word that the last store left */
    uint8_t begun[EXP_MOST_CORES];    /* a request that was begun and not taken; 0: none */
} memory_of_cores;

/* A request as a number: its kind from 1, and the block. */
static inline uint8_t exp_begun(uint32_t kind, uint32_t block) {
    return (uint8_t)(kind + 1 + block * 16);
}

static inline uint8_t exp_begun_renamed(const exp_renaming *renaming, uint32_t begun) {
    return begun == 0 ? 0 : exp_begun(begun % 16 - 1, renaming->block[begun / 16]);
}

/* Something with a time that has not come: it may come at any time. */
typedef struct alarm_clock {
    sl_timer *timer;
    uint32_t item;
} alarm_clock;

/* A cache of a core, for what it may do. */
typedef struct private_cache {
    uint32_t core, controller;
    const sl_cache *cache;
} private_cache;

typedef struct world { /* NOLINT(clang-analyzer-optin.performance.Padding) -- by what it is for */
    sim_system *system;
    uint32_t cores, blocks;
    bool remembers; /* requests that were begun */
    exp_imager imager;
    exp_renaming plain;   /* everything keeps its number */
    exp_part *parts;      /* of all controllers, then memory */
    uint32_t *first_part; /* of each controller, of memory, and the end */
    sl_buffer **buffers;  /* all that are read by controllers */
    uint32_t buffer_count;
    uint32_t *first_buffer; /* of each controller, and the end */
    uint32_t *buffer_owner;
    sl_timer **timers;
    uint32_t timer_count;
    private_cache *caches;
    uint32_t cache_count;

    flight flights[MOST_FLIGHTS];
    uint32_t flight_count;
    memory_of_cores of_cores;
    uint32_t touched;    /* the controller that the step woke; NOBODY: none yet */
    bool memory_touched; /* by the step */
    uint32_t delivered;  /* which of `held` the step takes; NOBODY: none */

    /* The state that steps start from. */
    bool is_there; /* the system holds it; else messages are NULL, and alarms those of the list */
    uint8_t alarm_owners[MOST_ALARMS];
    uint32_t alarm_count;
    const uint8_t *origin;
    size_t origin_bytes;
    uint64_t origin_number; /* another one for each, and not 0 */
    uint32_t *segments;     /* where each controller, memory, and the messages start in it */
    flight held[MOST_FLIGHTS];
    uint32_t held_count;
    memory_of_cores held_of_cores;

    uint8_t *image; /* of the state after the step */
    size_t image_bytes, image_capacity;
    uint8_t places[MOST_FLIGHTS]; /* in it, of the origin's messages that the step did not touch */
    uint8_t *scratch;             /* messages before they are sorted */
    const char *limit;            /* of the search that was met; NULL: none */
} world;

/* Memory is the system's; running out of it leaves by the system's escape. */
void exp_world_open(world *w, sim_system *system, uint32_t blocks, bool remembers);

/* Ends the search, by the system's escape: it has no room for what comes. */
_Noreturn void exp_world_meet_limit(world *w, const char *limit);

/* Alarms of the present state, at most MOST_ALARMS; those of the origin by their controllers. */
uint32_t exp_world_alarms(world *w, alarm_clock *alarms);
uint32_t exp_world_alarm_owners(world *w, const uint8_t **owners);

/* The initial state: empty, with memory of zeros. */
void exp_world_begin(world *w);

/* The present state into `image`: all of it, what follows from the origin and what was touched
 * since, or renamed, into another place. */
void exp_world_pack_all(world *w);
void exp_world_pack(world *w);
size_t exp_world_pack_renamed(world *w, const exp_renaming *renaming, uint8_t *out);
/* Room for one more image. */
uint8_t *exp_world_new_image(world *w);
/* Parts of an image: a controller, or memory after the last; a message; what the search knows. */
uint8_t *exp_world_put_controller(world *w, const exp_renaming *renaming, uint32_t controller,
                                  uint8_t *out);
uint8_t *exp_world_put_flight(const world *w, const exp_renaming *renaming, const flight *f,
                              uint8_t *out);
uint8_t *exp_world_put_core(const world *w, uint32_t core, uint32_t block, uint8_t *out);
/* The same as a number of 16 bits. */
uint64_t exp_world_know(const world *w, uint32_t core, uint32_t block);
/* Messages that have their images, in order of these; it sorts the list, and notes places. */
uint8_t *exp_world_put_sorted(world *w, flight *list, uint32_t count, uint8_t *out);
uint8_t *exp_world_put_begun(const world *w, const exp_renaming *renaming, uint32_t core,
                             uint8_t *out);
/* A part of an image, of any state, under a renaming. */
uint8_t *exp_world_rename(world *w, const exp_renaming *renaming, uint32_t controller,
                          const uint8_t *in, uint8_t *out);
uint8_t *exp_world_rename_flight(world *w, const exp_renaming *renaming, const uint8_t *in,
                                 uint8_t *out);
/* Does the image differ from the origin? */
bool exp_world_moved(const world *w);

/* The state of an image, which must stay, becomes the origin of steps. There may be more bytes: it
 * finds its end. */
void exp_world_unpack(world *w, const uint8_t *image);
/* As the origin, but nothing is put into the system. `lengths`: of its controllers, memory and
 * messages, then how many messages there are. */
void exp_world_point(world *w, const uint8_t *image, const uint8_t *lengths);
/* Back to the origin. */
void exp_world_undo(world *w);
