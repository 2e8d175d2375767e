/* SPDX-License-Identifier: MIT */
/*
 * What a monitor saw. A design streams these to an observer as they happen; an event is valid
 * during the call only.
 */
#ifndef COLLIDER_EVENT_H
#define COLLIDER_EVENT_H

#include <collider/program.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum col_event_kind {
    COL_LOAD_PERFORMED,  /* core, operation, word, source */
    COL_STORE_PERFORMED, /* core, operation, word, overwritten, read, source */
    COL_TRANSITION,      /* machine, controller, state, event, next_state, block */
    COL_EVICTION,        /* core, block: the core's private caches gave the block up */
    COL_PROTOCOL_ERROR,  /* machine, controller, state, event, block, message */
    COL_DEADLOCK,        /* message */
    COL_INVARIANT_BROKEN /* block, message */
} col_event_kind;

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
    uint32_t core;      /* of performed operations and evictions */
    uint32_t operation; /* index into the program's operations */
    uint64_t word, overwritten;
    uint64_t read; /* of a swap or add: what it returned; in a correct design `overwritten` */
    col_source source;
    uint32_t machine;    /* type: index into the design's machines */
    uint32_t controller; /* which of that type */
    uint32_t state, event, next_state;
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
