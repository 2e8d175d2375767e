/* SPDX-License-Identifier: MIT */
/*
 * What a monitor saw. A design streams events to an observer as they happen; an event is valid only
 * during the call. Kinds are only ever added, and the structure keeps its layout, so that a plug-in
 * built before a kind was added still works.
 */
#ifndef COLLIDER_EVENT_H
#define COLLIDER_EVENT_H

#include <collider/program.h>

COL_C_BEGIN

typedef enum col_event_kind {
    COL_LOAD_PERFORMED,   /* core, operation, word, source */
    COL_STORE_PERFORMED,  /* core, operation, word, overwritten, read, source */
    COL_TRANSITION,       /* machine, controller, state, event, next_state, block */
    COL_EVICTION,         /* core, block: the core's private caches gave the block up */
    COL_PROTOCOL_ERROR,   /* machine, controller, state, event, block, message */
    COL_DEADLOCK,         /* message; also of an access that starves */
    COL_INVARIANT_BROKEN, /* block, message */
    /* Only from designs that can see inside; they make the story of a failure more detailed. */
    COL_MESSAGE_SENT, /* number, machine, controller (from), to_machine, to_controller, block; */
    COL_MESSAGE_RECEIVED, /* `message` is the type. Received: the receiver takes it. A message to
                           * several receivers is one event for each, with the same number. */
    COL_OPERATION_ISSUED, /* core, operation, block: it is sent to the caches */
    COL_LOAD_BOUND,       /* core, operation, word, source, block, after: it has a value, which it
                           * may lose before it performs */
    COL_LOAD_SQUASHED,    /* core, operation, block: it lost its value and is issued again */
    /* From designs that show events: the core merged the store into its next store to the same
     * location, which performs for both. */
    COL_STORE_MERGED, /* core, operation */
    /* The only events from designs that show reads alone, in any order: */
    COL_VALUE_RETURNED, /* core, operation, word: what a load, await, swap or add returned */
    COL_FINAL_VALUE,    /* location, word: what a location holds at the end; optional */
    /* Of designs that print: some text of this instance, for whoever reads its failure. */
    COL_OUTPUT, /* message */
    /* Before a deadlock: who waits for whom, one event each, in the order in which the first waits
     * for the next; but first what kind of hang it is, with `number` 0. `number`: its place, from
     * 1; machine, controller (of a core: COL_OF_CORE, and core, operation); block; state, or
     * UINT32_MAX; `overwritten`: the cycle since which it waits, 0 if it is not known; `read`: the
     * place of the one that it waits for, 0 if nobody is; an earlier one closes a cycle; `message`:
     * the rest, such as "waits in IM for Data". */
    COL_WAIT,
    /* From designs of hardware, only to whoever asks for them. Before the first cycle, for each
     * operation of the program, where its core has it: core, operation; `number`: the address of
     * its instruction, 0 if there is none; `block`: the address that it accesses; `overwritten`:
     * what memory holds for the word 0; `message`: the instruction. */
    COL_PLACED,
    COL_POINT, /* machine, controller, event (a point of the machine): it was hit in this cycle */
    COL_EVENT_KINDS
} col_event_kind;

/* In place of the machine of a message: the core that a cache serves (`controller` is its number),
 * main memory, and a bus between a chip and memory. */
#define COL_OF_BUS (UINT32_MAX - 2)
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
    uint64_t read; /* what a swap or add returned; equal to `overwritten` in a correct design */
    col_source source;
    uint32_t machine;    /* index into the design's machines */
    uint32_t controller; /* which controller of that machine */
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
        uint32_t after; /* of a bound load: an operation that must perform first; itself if none */
    };
    uint64_t block; /* its address */
    const char *message;
} col_event;

typedef struct col_observer {
    void *context;
    void (*notice)(void *context, const col_event *event);
    uint32_t kinds; /* a set, bit k for kind k; no other kinds are sent */
} col_observer;

COL_C_END
#endif
