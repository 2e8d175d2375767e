/* SPDX-License-Identifier: MIT */
/* What a plug-in exports: the machines of a protocol, their members and transition tables, for
 * building a system and for showing it. */
#ifndef COLLIDER_PROTOCOL_DESCRIPTION_H
#define COLLIDER_PROTOCOL_DESCRIPTION_H

#include "collider/protocol/types.h"

/* The transition table. A cell can be edited at run time: that is a design error. */

enum {
    SL_DEFINED = 1,
    SL_STALL = 2, /* z_stall: the message stays */
    SL_NEXT_BY_FUNCTION = 4,
    SL_CHECK_TBE = 8, /* needs a free TBE, or something else that `check` says */
    SL_REACHED = 16,  /* known to be reachable: see docs/exploration.md */
};

/* What a cell needs that not every test brings: it does not occur without requests of a kind, or
 * (SL_NEEDS_REPLACEMENT and upwards, a bit for each machine) while that machine's caches have room.
 */
enum {
    SL_NEEDS_LOADS = 1,
    SL_NEEDS_STORES = 2,
    SL_NEEDS_ATOMICS = 4,
    SL_NEEDS_FLUSHES = 8,
    SL_NEEDS_FENCES = 16, /* SL_ACQUIRE */
    SL_NEEDS_OTHERS = 32, /* no core makes them */
    SL_NEEDS_FETCHES = 64,
    SL_NEEDS_DMA = 128,
    SL_NEEDS_PREFETCHES = 256,
    SL_NEEDS_REPLACEMENT = 16,
};

typedef struct sl_cell {
    uint16_t next;
    uint16_t first_action; /* index into the machine's action list */
    uint8_t action_count;
    uint8_t flags;
    uint16_t first_resource;
    uint8_t resource_count;
    uint8_t check;     /* of SL_CHECK_TBE: what is needed, by the machine's own count */
    uint16_t sequence; /* the actions as one function; 0: none, as after an edit */
} sl_cell;

/* So many free slots of the buffer at `buffer` bytes into the controller. */
typedef struct sl_resource {
    uint32_t buffer, slots;
} sl_resource;

typedef struct sl_transition {
    void *tbe;
    void *entry;
    sl_address address;
} sl_transition;

typedef void (*sl_action)(sl_controller *controller, sl_transition *transition);

typedef enum sl_result { SL_VALID, SL_RESOURCE_STALL, SL_PROTOCOL_STALL } sl_result;

/* Descriptions. */

/* What a field of a record, or a variable of a machine, means. */
typedef enum sl_field_kind {
    SL_FIELD_END,         /* of a list of fields */
    SL_FIELD_NUMBER,      /* eight bytes: an int64_t, or two numbers of a header */
    SL_FIELD_NODE,        /* int64_t: the number of a controller, of whatever type */
    SL_FIELD_ADDRESS,     /* sl_address */
    SL_FIELD_BOOL,        /* uint8_t */
    SL_FIELD_ENUM,        /* int32_t */
    SL_FIELD_MACHINE,     /* sl_machine_id */
    SL_FIELD_DESTINATION, /* sl_destination: a NetDest */
    SL_FIELD_SET,         /* sl_destination: a Set */
    SL_FIELD_DATA,        /* sl_data */
    SL_FIELD_OTHER,       /* a TriggerQueue and the like, which its functions alone understand */
} sl_field_kind;

typedef struct sl_field {
    uint32_t offset;
    uint32_t kind;
} sl_field;

/* What a machine may tell apart, which others treat alike. */
enum {
    SL_ASYMMETRIC_CORES,
    SL_ASYMMETRIC_BLOCKS,
    SL_ASYMMETRIC_PICKS, /* cores, by the smallest member of a NetDest alone */
    SL_SYMMETRIES
};

typedef enum sl_member_kind {
    SL_MEMBER_BUFFER,
    SL_MEMBER_CACHE,
    SL_MEMBER_TBES,
    SL_MEMBER_TABLE,   /* directory memory */
    SL_MEMBER_PERFECT, /* perfect cache */
    SL_MEMBER_TIMER,
    SL_MEMBER_PERSISTENT,
    SL_MEMBER_NUMBER, /* an int, Cycles or bool parameter or variable: int64_t */
    SL_MEMBER_SEQUENCER,
    SL_MEMBER_DMA,       /* what a DMA engine is attached to */
    SL_MEMBER_COALESCER, /* what is in front of a GPU */
    SL_MEMBER_VALUE,     /* a DataBlock or NetDest variable, `record_size` bytes */
} sl_member_kind;

/* Something a controller has; the simulator sets it up at `offset`. */
typedef struct sl_member {
    const char *name;
    uint32_t kind;
    uint32_t offset;
    uint32_t record_size; /* of caches, tables and values */
    uint32_t field;       /* sl_field_kind of numbers (which are int64_t, all of them) and values */
    int32_t network;      /* virtual network of a buffer; -1: none */
    uint8_t to_network, from_network;
    uint8_t parameter;   /* declared before the machine's brace */
    uint8_t has_initial; /* a default was given */
    uint8_t ordered;     /* ordered="true" was said; 2: "false" was */
    int32_t message;     /* of a buffer behind a port: its message type; else -1 */
    uint8_t in_port, out_port;
    uint8_t wire; /* of a buffer: it leads to the one of the same name in another machine */
    int64_t initial;
    /* What a parameter may be; see docs/slicc.md. */
    int64_t least, most;
    uint8_t has_least, has_most;
    uint8_t above_cores; /* it is larger than the number of cores */
    uint8_t same;        /* in all machines that have it */
    const char *bits_of; /* a machine: it is how many bits tell its controllers apart */
    const char *ring_length, *ring_group; /* it counts turns of a ring; parameters of its steps */
} sl_member;

typedef struct sl_machine {
    const char *name, *description;
    uint32_t type; /* of MachineType */
    uint32_t size; /* of the controller's structure */
    int32_t data;  /* offset of the data in an entry of its caches; -1: there is none */
    uint32_t state_count, event_count, action_count;
    const char *const *states;
    const char *const *events;
    const char *const *actions;
    const uint8_t *permissions; /* of each state */
    const sl_member *members;
    uint32_t member_count;
    uint64_t requests; /* types that its running code names, a bit each: see sl_takes */
    const sl_field *const *records;        /* of each structure, by sl_entry.record */
    uint32_t record_count;                 /* of these, the empty first one included */
    const char *asymmetric[SL_SYMMETRIES]; /* file:line that tells them apart; NULL: none does */
    const sl_cell *cells;                  /* state * event_count + event */
    const uint32_t *needs;                 /* of each cell, a set of SL_NEEDS_... */
    const char *file;                      /* that it is written in, without its folder */
    const uint32_t *lines; /* of each cell's transition in the file; 0: there is none */
    const uint16_t *action_list;
    uint32_t action_list_count;
    const sl_resource *resources;
    const sl_action *action_functions;
    const sl_action *sequences; /* from 1 */
    void (*initialise)(sl_controller *controller);
    void (*wakeup)(sl_controller *controller);
} sl_machine;

/* Do requests of this type (SL_FLUSH, ...) mean something to the machine? One that takes SL_ACQUIRE
 * takes SL_ATOMIC, too, and may give the core stale words. SL_LOCKED_WRITE: ports hold back what
 * others want of a block that a core has locked (block_on); both requests of such a pair arrive as
 * SL_ST. */
static inline bool sl_takes(const sl_machine *machine, int32_t type) {
    return (machine->requests >> type & 1) != 0;
}

typedef struct sl_message_type {
    const char *name;
    uint32_t size;
    int32_t destination; /* offset of the sl_destination; -1: none */
    int32_t machine;     /* offset of a single machine id that names the receiver; -1: none */
    int32_t address;     /* offset of the block's address; -1: none */
    int32_t kind;        /* offset of the field Type, an enumeration; -1: none */
    const char *const *kinds;
    uint32_t kind_count;
    const sl_field *fields; /* all but the header */
} sl_message_type;

typedef struct sl_protocol {
    uint32_t abi;
    const char *name;
    const sl_machine *const *machines;
    uint32_t machine_count;
    const sl_message_type *messages;
    uint32_t message_count;
} sl_protocol;

#endif
