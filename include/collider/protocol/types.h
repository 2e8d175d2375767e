/* SPDX-License-Identifier: MIT */
/* The simplest types of a protocol: addresses, machine ids, blocks of data, sets of controllers,
 * and the header that every entry has. */
#ifndef COLLIDER_PROTOCOL_TYPES_H
#define COLLIDER_PROTOCOL_TYPES_H

#include "collider/compiler.h"

#include <stdbool.h>
#include <stdint.h>

#define SL_ABI 12

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

/* TriggerQueue of events: see queue.h. */
typedef struct sl_triggers {
    uint16_t count;
    uint16_t items[SL_MOST_TRIGGERS];
} sl_triggers;

/* TriggerQueue of records: these are behind it. */
typedef struct sl_queue {
    uint64_t count;
} sl_queue;

/* ExpectedMap: see expected.h. */
typedef struct sl_expected_kind {
    uint64_t types, seen;            /* values of the enumeration, a bit each */
    int32_t chunks, chunk, received; /* messages for one item, those of the next, items */
    int32_t unused;
} sl_expected_kind;

typedef struct sl_expected {
    sl_expected_kind data, responses;
    int64_t total;
} sl_expected;

/* TBEStorage: see storage.h. */
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

#endif
