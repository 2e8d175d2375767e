/* SPDX-License-Identifier: MIT */
/* What ends a run as an error of the protocol (a failing assertion, error(), a missing entry,
 * floods), and arithmetic that C leaves undefined. */
#ifndef COLLIDER_PROTOCOL_ERROR_H
#define COLLIDER_PROTOCOL_ERROR_H

#include "collider/protocol/system.h"

#include <stdlib.h>

_Noreturn COL_COLD void sl_fail(sl_controller *c, const char *message, const char *place) {
    c->system->services->stop(c, message, place); /* jumps back to where the run began */
    abort();
}

/* What a protocol may ask of a core, and no core here does. */
_Noreturn static inline void sl_refuse_tlb_invalidation(sl_controller *c) {
    sl_fail(c, "TLB invalidations are not supported", NULL);
}

_Noreturn static inline void sl_refuse_transaction(sl_controller *c) {
    sl_fail(c, "transactional memory is not supported", NULL);
}

/* A pointer that must not be null: a protocol that follows it is wrong. */
static inline void *sl_valid(sl_controller *c, void *pointer, const char *place) {
    if (COL_RARELY(pointer == NULL))
        sl_fail(c, "an entry is used that does not exist", place);
    return pointer;
}

/* An entry of any kind where one of a certain structure is expected. */
static inline void *sl_record(sl_controller *c, void *entry, uint32_t record, const char *place) {
    if (COL_RARELY(entry != NULL && ((const sl_entry *)entry)->record != record))
        sl_fail(c, "an entry is not of the structure that is expected", place);
    return entry;
}

/* The permission that a state has. */
static inline int32_t sl_permission(sl_controller *c, const uint8_t *permissions, uint32_t states,
                                    int32_t state) {
    if (COL_RARELY((uint32_t)state >= states))
        sl_fail(c, "a value is not a state of the machine", NULL);
    return permissions[state];
}

/* A protocol that allocates and never deallocates is wrong, too. */
enum { SL_MOST_RECORDS = 1 << 20 };

static inline void sl_check_records(sl_controller *owner, uint32_t count) {
    if (COL_RARELY(owner != NULL && count >= SL_MOST_RECORDS))
        sl_fail(owner, "a table is flooded with records", NULL);
}

/* Functions that call others again and again: the wakeup would not end in a lifetime. */
enum { SL_MOST_CALLS = 1 << 20 };

static inline void sl_count_call(sl_controller *c, const char *place) {
    if (COL_RARELY(++c->calls > SL_MOST_CALLS))
        sl_fail(c, "functions call each other more than 2^20 times in one step", place);
}

/* ---- Arithmetic that C leaves undefined. Numbers have 64 bits and wrap around; the generated code
 * adds, subtracts, negates and shifts them as uint64_t. Division by zero is a protocol error. See
 * docs/slicc.md. */

static inline void sl_check_divisor(sl_controller *c, uint64_t divisor) {
    if (COL_RARELY(divisor == 0))
        sl_fail(c, "a division by zero", NULL);
}

static inline int64_t sl_quotient(sl_controller *c, int64_t a, int64_t b) {
    sl_check_divisor(c, (uint64_t)b);
    return b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b; /* INT64_MIN / -1 has no result in C */
}

static inline int64_t sl_remainder(sl_controller *c, int64_t a, int64_t b) {
    sl_check_divisor(c, (uint64_t)b);
    return b == -1 ? 0 : a % b;
}

static inline uint64_t sl_quotient_natural(sl_controller *c, uint64_t a, uint64_t b) {
    sl_check_divisor(c, b);
    return a / b;
}

static inline uint64_t sl_remainder_natural(sl_controller *c, uint64_t a, uint64_t b) {
    sl_check_divisor(c, b);
    return a % b;
}

#endif
