/* SPDX-License-Identifier: MIT */
/* Machine ids, and sets of them: NetDest, Set, and the mapping of addresses to machines. */
#ifndef COLLIDER_PROTOCOL_DESTINATION_H
#define COLLIDER_PROTOCOL_DESTINATION_H

#include "collider/protocol/error.h"

static inline sl_machine_id sl_machine_make(uint32_t type, uint32_t number) {
    return type << 16 | number;
}

static inline uint32_t sl_machine_type(sl_machine_id id) {
    return id >> 16;
}

static inline uint32_t sl_machine_number(sl_machine_id id) {
    return id & 0xffff;
}

/* createMachineID: a number that no controller can have stays one. */
static inline sl_machine_id sl_machine_named(uint32_t type, int64_t number) {
    return sl_machine_make(type, number < 0 || number > 0xffff ? 0xffff : (uint32_t)number);
}

/* Of a controller that exists. */
static inline uint32_t sl_controller_of(const sl_system *s, sl_machine_id id) {
    return s->first_of[sl_machine_type(id)] + sl_machine_number(id);
}

_Noreturn COL_COLD void sl_miss(const sl_system *s, sl_machine_id id) {
    s->services->missing(s, id);
    abort(); /* not reached */
}

/* How many controllers there are of a type; a protocol can make up types that do not exist. */
static inline uint32_t sl_count(const sl_system *s, uint32_t type) {
    if (COL_RARELY(type >= SL_MACHINE_TYPES))
        sl_miss(s, UINT32_MAX);
    return s->count_of[type];
}

/* The first word apart: most systems have no other, for which nobody should call memset. */
static inline void sl_dest_clear(const sl_system *s, sl_destination *d) {
    d->words[0] = 0;
    for (uint32_t i = 1; COL_RARELY(i < s->words); i++)
        d->words[i] = 0;
}

static inline void sl_dest_copy(const sl_system *s, sl_destination *to,
                                const sl_destination *from) {
    to->words[0] = from->words[0];
    for (uint32_t i = 1; COL_RARELY(i < s->words); i++)
        to->words[i] = from->words[i];
}

/* Is there such a controller? */
static inline bool sl_machine_exists(const sl_system *s, sl_machine_id id) {
    return sl_machine_type(id) < SL_MACHINE_TYPES &&
           sl_machine_number(id) < s->count_of[sl_machine_type(id)];
}

static inline void sl_dest_add(const sl_system *s, sl_destination *d, sl_machine_id id) {
    if (COL_RARELY(!sl_machine_exists(s, id)))
        sl_miss(s, id);
    const uint32_t bit = sl_controller_of(s, id);
    d->words[bit / 64] |= UINT64_C(1) << (bit % 64);
}

static inline void sl_dest_remove(const sl_system *s, sl_destination *d, sl_machine_id id) {
    if (COL_RARELY(!sl_machine_exists(s, id)))
        return;
    const uint32_t bit = sl_controller_of(s, id);
    d->words[bit / 64] &= ~(UINT64_C(1) << (bit % 64));
}

static inline bool sl_dest_has(const sl_system *s, const sl_destination *d, sl_machine_id id) {
    if (COL_RARELY(!sl_machine_exists(s, id)))
        return false;
    const uint32_t bit = sl_controller_of(s, id);
    return (d->words[bit / 64] >> (bit % 64) & 1) != 0;
}

static inline void sl_dest_add_all(const sl_system *s, sl_destination *d, const sl_destination *e) {
    for (uint32_t i = 0; i < s->words; i++)
        d->words[i] |= e->words[i];
}

static inline void sl_dest_remove_all(const sl_system *s, sl_destination *d,
                                      const sl_destination *e) {
    for (uint32_t i = 0; i < s->words; i++)
        d->words[i] &= ~e->words[i];
}

static inline int32_t sl_dest_count(const sl_system *s, const sl_destination *d) {
    int32_t count = 0;
    for (uint32_t i = 0; i < s->words; i++)
        count += (int32_t)COL_COUNT_BITS(d->words[i]);
    return count;
}

static inline bool sl_dest_covers(const sl_system *s, const sl_destination *d,
                                  const sl_destination *e) {
    for (uint32_t i = 0; i < s->words; i++)
        if ((e->words[i] & ~d->words[i]) != 0)
            return false;
    return true;
}

static inline bool sl_dest_disjoint(const sl_system *s, const sl_destination *d,
                                    const sl_destination *e) {
    for (uint32_t i = 0; i < s->words; i++)
        if ((e->words[i] & d->words[i]) != 0)
            return false;
    return true;
}

static inline void sl_dest_broadcast(const sl_system *s, sl_destination *d, uint32_t type) {
    for (uint32_t i = 0; i < sl_count(s, type); i++)
        sl_dest_add(s, d, sl_machine_make(type, i));
}

static inline void sl_dest_everyone(const sl_system *s, sl_destination *d) {
    for (uint32_t i = 0; i < s->controller_count; i++)
        d->words[i / 64] |= UINT64_C(1) << (i % 64);
}

static inline sl_machine_id sl_id_of_controller(const sl_system *s, uint32_t controller) {
    for (uint32_t type = 0; type < SL_MACHINE_TYPES; type++)
        if (controller - s->first_of[type] < s->count_of[type])
            return sl_machine_make(type, controller - s->first_of[type]);
    return 0;
}

/* The member that a search wants, of any type if `type` is SL_MACHINE_TYPES. */
static inline sl_machine_id sl_dest_pick(const sl_system *s, const sl_destination *d,
                                         uint32_t type) {
    sl_picker *p = s->picker;
    sl_machine_id members[SL_PICKABLE];
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->controller_count; i++) {
        const sl_machine_id id = sl_id_of_controller(s, i);
        if ((d->words[i / 64] >> (i % 64) & 1) == 0 ||
            (type != SL_MACHINE_TYPES && sl_machine_type(id) != type))
            continue;
        if (count < SL_PICKABLE)
            members[count++] = id;
        else
            p->calls += 2; /* too many */
    }
    p->calls += count > 1;
    p->most = count > p->most ? count : p->most;
    return count == 0 ? 0 : members[p->wanted % count];
}

static inline sl_machine_id sl_dest_smallest(const sl_system *s, const sl_destination *d) {
    if (COL_RARELY(s->picker != NULL))
        return sl_dest_pick(s, d, SL_MACHINE_TYPES);
    for (uint32_t i = 0; i < s->words; i++)
        if (d->words[i] != 0)
            return sl_id_of_controller(s, i * 64 + COL_LOWEST_BIT(d->words[i]));
    return 0;
}

static inline sl_machine_id sl_dest_smallest_of(const sl_system *s, const sl_destination *d,
                                                uint32_t type) {
    if (COL_RARELY(s->picker != NULL))
        return sl_dest_pick(s, d, type);
    for (uint32_t i = 0; i < sl_count(s, type); i++)
        if (sl_dest_has(s, d, sl_machine_make(type, i)))
            return sl_machine_make(type, i);
    return 0;
}

/* A Set holds plain numbers where a NetDest holds controllers. None is as large as there are
 * controllers. */

static inline void sl_set_add(sl_controller *c, sl_destination *d, int64_t number) {
    if (COL_RARELY(number < 0 || number >= (int64_t)c->system->controller_count))
        sl_fail(c, "a set is given a number that no controller has", NULL);
    d->words[number / 64] |= UINT64_C(1) << (number % 64);
}

static inline bool sl_set_has(const sl_system *s, const sl_destination *d, int64_t number) {
    return number >= 0 && number < (int64_t)s->words * 64 &&
           (d->words[number / 64] >> (number % 64) & 1) != 0;
}

static inline void sl_set_remove(const sl_system *s, sl_destination *d, int64_t number) {
    if (sl_set_has(s, d, number))
        d->words[number / 64] &= ~(UINT64_C(1) << (number % 64));
}

static inline uint32_t sl_set_smallest(const sl_system *s, const sl_destination *d) {
    for (uint32_t i = 0; i < s->words; i++)
        if (d->words[i] != 0)
            return i * 64 + COL_LOWEST_BIT(d->words[i]);
    return 0;
}

/* The controllers of one type whose numbers are in the set. */
static inline void sl_dest_set(const sl_system *s, sl_destination *d, uint32_t type,
                               const sl_destination *set) {
    for (uint32_t i = 0; i < sl_count(s, type); i++)
        if (sl_set_has(s, set, i))
            sl_dest_add(s, d, sl_machine_make(type, i));
        else
            sl_dest_remove(s, d, sl_machine_make(type, i));
}

/* The controller of a type that serves the address for controller `c`: of the cluster that c
 * belongs to, by its place among its own kind, the one with this number, modulo those that there
 * are. */
static inline sl_machine_id sl_serving(const sl_controller *c, uint32_t type, uint64_t number) {
    const sl_system *s = c->system;
    const uint32_t count = sl_count(s, type);
    if (count <= 1)
        return sl_machine_make(type, 0);
    const uint32_t clusters = s->clusters_of[type];
    if (clusters == 1 && (count & (count - 1)) == 0) /* as mostly: no need to divide */
        return sl_machine_make(type, (uint32_t)number & (count - 1));
    const uint32_t banks = count / clusters;
    const uint32_t cluster =
        (uint32_t)((uint64_t)c->number * clusters / s->count_of[c->machine->type]);
    return sl_machine_make(type, cluster * banks + (uint32_t)(number % banks));
}

/* Blocks are spread over the controllers of a cluster, block by block. */
static inline sl_machine_id sl_map_address(const sl_controller *c, sl_address address,
                                           uint32_t type) {
    return sl_serving(c, type, address >> SL_BLOCK_BITS);
}

static inline sl_machine_id sl_map_range(const sl_controller *c, sl_address address, uint32_t type,
                                         int64_t low, int64_t bits) {
    return sl_serving(
        c, type, bits <= 0 || bits > 16 ? 0 : address >> (low & 63) & ((UINT64_C(1) << bits) - 1));
}

/* The controller that this one's requests go to, as the design file says. */
static inline sl_machine_id sl_map_downstream(sl_controller *c, sl_address address) {
    if (COL_RARELY(c->downstream_count == 0))
        sl_fail(c, "the design names nothing downstream of this machine", NULL);
    return c->downstream + (uint32_t)((address >> SL_BLOCK_BITS) % c->downstream_count);
}

static inline sl_machine_id sl_map_downstream_of(sl_controller *c, sl_address address,
                                                 uint32_t type) {
    return c->downstream_count > 0 && sl_machine_type(c->downstream) == type
               ? sl_map_downstream(c, address)
               : sl_map_address(c, address, type);
}

static inline sl_address sl_line(sl_address address) {
    return address & ~(sl_address)(SL_BLOCK_BYTES - 1);
}

/* Bits small to big, both included; an address has 64. */
static inline sl_address sl_bit_select(sl_address address, int64_t small, int64_t big) {
    if (small < 0 || small > 63 || big < small)
        return 0;
    const int64_t bits = (big < 63 ? big : 63) - small + 1;
    return address >> small & (UINT64_MAX >> (64 - bits));
}

#endif
