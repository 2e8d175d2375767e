/* SPDX-License-Identifier: MIT */
/* Messages, and what the simulator knows of the prelude: the messages of its own, and constants
 * that generated code checks. */
#ifndef COLLIDER_PROTOCOL_MESSAGE_H
#define COLLIDER_PROTOCOL_MESSAGE_H

#include "collider/protocol/types.h"

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
