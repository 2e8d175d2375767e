/* SPDX-License-Identifier: MIT */
/* The simplest types of a protocol: addresses, machine ids, blocks of data, sets of controllers,
 * and the header that every entry has. */
#ifndef COLLIDER_PROTOCOL_TYPES_H
#define COLLIDER_PROTOCOL_TYPES_H

#include "collider/compiler.h"

#include <stdbool.h>
#include <stdint.h>

#define SL_ABI 9

enum {
    SL_BLOCK_BITS = 6,
    SL_BLOCK_BYTES = 1 << SL_BLOCK_BITS,
    SL_WORDS = 64,         /* of a net destination: at most 4,096 controllers */
    SL_MACHINE_TYPES = 32, /* of MachineType */
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

typedef struct sl_data {
    uint64_t words[SL_BLOCK_BYTES / 8];
} sl_data;

/* A set of controllers; only the first sl_system.words words are ever touched. */
typedef struct sl_destination {
    uint64_t words[SL_WORDS];
} sl_destination;

/* Entries of caches and tables are stored in place; this is their first member. */
typedef struct sl_entry {
    sl_address address;
    uint64_t last_use;
    uint32_t permission; /* AccessPermission */
    uint32_t record;     /* what structure of its machine it is, from 1; 0: not started yet */
} sl_entry;

#endif
