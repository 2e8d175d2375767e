/* SPDX-License-Identifier: MIT */
/*
 * What a monitor saw. A design streams these to an observer as they happen; an event is valid
 * during the call only. Kinds are only ever added, and the structure keeps its layout: a plug-in
 * that was built before a kind was added does not send it, and works as before.
 */
#ifndef COLLIDER_EVENT_H
#define COLLIDER_EVENT_H

#include <collider/program.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum col_event_kind {
    COL_LOAD_PERFORMED,   /* core, operation, word, source */
    COL_STORE_PERFORMED,  /* core, operation, word, overwritten, read, source */
    COL_TRANSITION,       /* machine, controller, state, event, next_state, block */
    COL_EVICTION,         /* core, block: the core's private caches gave the block up */
    COL_PROTOCOL_ERROR,   /* machine, controller, state, event, block, message */
    COL_DEADLOCK,         /* message */
    COL_INVARIANT_BROKEN, /* block, message */
    /* Told only by designs that see inside; a recording is more telling with them. */
    COL_MESSAGE_SENT, /* number, machine, controller (from), to_machine, to_controller, block; */
    COL_MESSAGE_RECEIVED, /* `message` is the type. Received: when the receiver takes it. A message
                           * to several receivers is one event for each, with the same number. */
    COL_OPERATION_ISSUED, /* core, operation, block: it asks the caches */
    COL_LOAD_BOUND,       /* core, operation, word, source, block, after: it has a value, which it
                           * may lose until it performs */
    COL_LOAD_SQUASHED,    /* core, operation, block: it lost its value, and asks again */
    /* Of designs that show events: the core combined the store with its next one to the same
     * location, which performs for both. */
    COL_STORE_MERGED, /* core, operation */
    /* All that is seen of designs that show reads alone, in any order: */
    COL_VALUE_RETURNED, /* core, operation, word: what a load, await, swap or add returned */
    COL_FINAL_VALUE,    /* location, word: what a location holds at the end; optional */
    COL_EVENT_KINDS
} col_event_kind;

/* In place of the machine of a message: the core in front (`controller` is its number), and the
 * memory behind. */
#define COL_OF_CORE (UINT32_MAX - 1)
#define COL_OF_MEMORY UINT32_MAX

/* Where a load's value came from. */
typedef enum col_source {
    COL_FROM_UNKNOWN,
    COL_FROM_STORE_BUFFER,
    COL_FROM_PRIVATE_CACHE,
    COL_FROM_OTHER_CORE,
    COL_FROM_SHARED_LEVEL,
    COL_FROM_MEMORY
} col_source;

typedef struct col_event {
    col_event_kind kind;
    uint64_t cycle;
    uint32_t core; /* of performed operations and evictions */
    union {
        uint32_t operation; /* index into the program's operations */
        uint32_t location;  /* of a final value */
    };
    union {
        uint64_t word;
        uint64_t number; /* of a message, from 1 */
    };
    uint64_t overwritten;
    uint64_t read; /* of a swap or add: what it returned; in a correct design `overwritten` */
    col_source source;
    uint32_t machine;    /* type: index into the design's machines */
    uint32_t controller; /* which of that type */
    union {
        uint32_t state;
        uint32_t to_machine; /* of a message */
    };
    union {
        uint32_t event;
        uint32_t to_controller;
    };
    union {
        uint32_t next_state;
        uint32_t after; /* of a bound load: an operation that must perform first; or itself: none */
    };
    uint64_t block; /* its address */
    const char *message;
} col_event;

typedef struct col_observer {
    void *context;
    void (*notice)(void *context, const col_event *event);
    uint32_t kinds; /* a set: bit k for kind k; others are not sent */
} col_observer;

#ifdef __cplusplus
}
#endif
#endif
