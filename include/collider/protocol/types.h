/* SPDX-License-Identifier: MIT */
/* The simplest types of a protocol (addresses, machine ids, blocks of data, sets of controllers,
 * the header that every entry has) and its messages. */
#ifndef COLLIDER_PROTOCOL_TYPES_H
#define COLLIDER_PROTOCOL_TYPES_H

#include "collider/compiler.h"

#include <stdbool.h>
#include <stdint.h>

#define SL_ABI 14

enum {
    SL_BLOCK_BITS = 6,
    SL_BLOCK_BYTES = 1 << SL_BLOCK_BITS,
    SL_WORDS = 64,         /* of a net destination: at most 4,096 controllers */
    SL_MACHINE_TYPES = 32, /* of MachineType */
    SL_PICKABLE = 8,       /* members of a set that a search may take for the smallest */
    SL_WHEEL_BITS = 7,     /* cycles ahead that the event wheel holds */
    SL_WHEEL_SLOTS = 1 << SL_WHEEL_BITS,
};

typedef uint64_t sl_address; /* a byte address; blocks are named by their first byte */
typedef uint64_t sl_cycles;
typedef uint32_t sl_machine_id; /* type << 16 | number */

typedef struct sl_system sl_system;
typedef struct sl_controller sl_controller;
typedef struct sl_buffer sl_buffer;
typedef struct sl_table sl_table;
typedef struct sl_lock sl_lock;

typedef struct sl_data {
    uint64_t words[SL_BLOCK_BYTES / 8];
} sl_data;

/* A set of controllers; only the first sl_system.words words are ever touched. */
typedef struct sl_destination {
    uint64_t words[SL_WORDS];
} sl_destination;

/* WriteMask: a bit for each byte of a block. */
typedef struct sl_mask {
    uint64_t bytes;
} sl_mask;

enum {
    SL_MOST_TRIGGERS = 63, /* events in a TriggerQueue */
    SL_MOST_QUEUED = 1024, /* records in one */
    SL_MOST_SLOTS = 1024,  /* of a TBEStorage */
};

/* TriggerQueue of events. */
typedef struct sl_triggers {
    uint16_t count;
    uint16_t items[SL_MOST_TRIGGERS];
} sl_triggers;

/* TriggerQueue of records: these are behind it. */
typedef struct sl_queue {
    uint64_t count;
} sl_queue;

/* ExpectedMap. */
typedef struct sl_expected_kind {
    uint64_t types, seen;            /* values of the enumeration, a bit each */
    int32_t chunks, chunk, received; /* messages for one item, those of the next, items */
    int32_t unused;
} sl_expected_kind;

typedef struct sl_expected {
    sl_expected_kind data, responses;
    int64_t total;
} sl_expected;

/* TBEStorage. */
typedef struct sl_storage {
    int32_t capacity, used, reserved, unused;
    uint8_t users[SL_MOST_SLOTS]; /* TBEs in each slot */
} sl_storage;

/* Entries of caches and tables are stored in place; this is their first member. */
typedef struct sl_entry {
    sl_address address;
    uint64_t last_use;
    uint32_t permission; /* AccessPermission */
    uint32_t record;     /* what structure of its machine it is, from 1; 0: not started yet */
} sl_entry;

/* ---- Messages, and what the simulator knows of the prelude: the messages of its own, and
 * constants that generated code checks. */

/* While a message is in the pool its header is the link to the next one: a protocol that still
 * looks at it, or writes into it, reaches the body alone. */
typedef struct sl_message {
    uint32_t references;
    uint32_t type;           /* index into sl_protocol.messages */
    uint32_t number, sender; /* set and looked at only while messages are watched */
} sl_message;
_Static_assert(sizeof(sl_message) >= sizeof(void *), "the pool's links are in the headers");

enum {
    SL_LD = 0,
    SL_ST = 1,
    SL_ATOMIC = 2,
    SL_IFETCH = 5,
    SL_STORE_CONDITIONAL = 9,
    SL_LOCKED_READ = 12,
    SL_LOCKED_WRITE = 13,
    SL_FLUSH = 16,
    SL_ACQUIRE = 18
};                                                                  /* RubyRequestType */
enum { SL_READ_ONLY = 0, SL_READ_WRITE = 1, SL_NO_PERMISSION = 5 }; /* AccessPermission */
enum { SL_MEMORY_READ = 0, SL_MEMORY_WB = 1 };                      /* MemoryRequestType */
enum { SL_PREFETCH = 1 };                                           /* PrefetchBit */
enum { SL_DMA_LD = 1, SL_DMA_ST = 2 };                              /* SequencerRequestType */

/* Is a RubyRequestType one of a set, a bit each? */
static inline bool sl_is_type(int32_t type, uint64_t types) {
    return type >= 0 && type < 64 && (types >> type & 1) != 0;
}

enum {                             /* such sets, as gem5 has them */
       SL_WRITE_TYPES = 0x13e1e,   /* stores, atomics, locked accesses, flushes */
       SL_DATA_READ_TYPES = 0x11d, /* loads, atomics */
       SL_READ_TYPES = 0x13d,      /* these and fetches */
       SL_TRANSACTION_TYPES = 0xf00000,
       SL_TLB_TYPES = 0x1e000000
};

/* The block that requests of type SL_ACQUIRE name: no program has it. */
#define SL_NOWHERE (~(sl_address)(SL_BLOCK_BYTES - 1))

/* RubyRequest */
typedef struct sl_request {
    sl_message header;
    sl_address LineAddress, PhysicalAddress, ProgramCounter;
    int64_t Size, contextId;
    int32_t Type, AccessMode, Prefetch;
    uint8_t isTlbi, isGLCSet, isSLCSet, isSecure, htmFromTransaction;
    int64_t htmTransactionUid, wfid;
    uint64_t tlbiTransactionUid, instSeqNum;
    sl_mask writeMask;
    sl_data WTData;
} sl_request;

/* MemoryMsg */
typedef struct sl_memory_message {
    sl_message header;
    sl_address addr;
    int32_t Type;
    sl_machine_id Sender, OriginalRequestorMachId;
    int64_t Len, Acks;
    int32_t MessageSize, Prefetch;
    uint8_t ReadX, isGLCSet, isSLCSet;
    sl_data DataBlk;
} sl_memory_message;

/* SequencerMsg */
typedef struct sl_dma_message {
    sl_message header;
    sl_address LineAddress, PhysicalAddress, ProgramCounter;
    int64_t Len;
    int32_t Type, AccessMode, Prefetch, MessageSize;
    sl_data DataBlk;
} sl_dma_message;

/* The first message types. */
enum { SL_REQUEST_MESSAGE = 0, SL_MEMORY_MESSAGE = 1, SL_DMA_MESSAGE = 2 };

#endif
