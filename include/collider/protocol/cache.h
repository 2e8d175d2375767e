/* SPDX-License-Identifier: MIT */
/* Set-associative caches. */
#ifndef COLLIDER_PROTOCOL_CACHE_H
#define COLLIDER_PROTOCOL_CACHE_H

#include "collider/protocol/error.h"

typedef enum sl_replacement { SL_LRU, SL_TREE_PLRU, SL_RANDOM } sl_replacement;

typedef struct sl_cache {
    sl_system *system;
    sl_controller *owner;
    uint64_t *tags;   /* of each way: the block's address with bit 0 set; 0: free */
    uint64_t *used;   /* a bit for each set: it has had entries since the cache was cleared */
    uint8_t *entries; /* sets * ways * entry_size bytes */
    uint32_t entry_size, ways;
    uint32_t index_low;  /* first address bit of the index */
    uint64_t index_mask; /* sets - 1 */
    uint64_t *plru;      /* tree bits of each set */
    uint8_t replacement;
    sl_cycles tag_latency, data_latency;
} sl_cache;

static inline sl_entry *sl_cache_at(const sl_cache *c, uint64_t set, uint32_t way) {
    return (sl_entry *)(void *)(c->entries + (set * c->ways + way) * c->entry_size);
}

static inline uint64_t sl_cache_set(const sl_cache *c, sl_address address) {
    return address >> c->index_low & c->index_mask;
}

static inline void *sl_cache_lookup(const sl_cache *c, sl_address address) {
    const uint64_t first = sl_cache_set(c, address) * c->ways;
    for (uint32_t way = 0; way < c->ways; way++)
        if (c->tags[first + way] == (address | 1))
            return c->entries + (first + way) * c->entry_size;
    return NULL;
}

static inline bool sl_cache_has_room(const sl_cache *c, sl_address address) {
    const uint64_t *tags = c->tags + sl_cache_set(c, address) * c->ways;
    for (uint32_t way = 0; way < c->ways; way++)
        if (tags[way] == 0 || tags[way] == (address | 1))
            return true;
    return false;
}

static inline void sl_cache_touch_way(sl_cache *c, uint64_t set, uint32_t way) {
    sl_cache_at(c, set, way)->last_use = ++c->system->order;
    if (c->replacement != SL_TREE_PLRU)
        return;
    /* Point every node on the way's path away from it. */
    uint32_t node = 1;
    for (uint32_t half = c->ways / 2; half > 0; half /= 2) {
        const bool upper = (way & half) != 0;
        const uint64_t bit = UINT64_C(1) << node;
        c->plru[set] = upper ? c->plru[set] & ~bit : c->plru[set] | bit;
        node = node * 2 + upper;
    }
}

static inline void sl_cache_touch(sl_cache *c, const void *entry) {
    if (entry == NULL)
        return;
    const uint64_t offset = (uint64_t)((uintptr_t)entry - (uintptr_t)c->entries);
    if (COL_RARELY(offset >= (c->index_mask + 1) * c->ways * c->entry_size))
        sl_fail(c->owner, "setMRU names an entry that the cache does not have", NULL);
    if (c->replacement != SL_TREE_PLRU) { /* it is the entry alone: no need to divide */
        ((sl_entry *)(void *)(c->entries + offset))->last_use = ++c->system->order;
        return;
    }
    const uint64_t index = offset / c->entry_size;
    sl_cache_touch_way(c, index / c->ways, (uint32_t)(index % c->ways));
}

static inline uint32_t sl_cache_victim(const sl_cache *c, uint64_t set) {
    if (c->replacement == SL_RANDOM)
        return (uint32_t)(sl_random(c->system) % c->ways);
    uint32_t victim = 0;
    if (c->replacement == SL_TREE_PLRU) {
        for (uint32_t half = c->ways / 2, node = 1; half > 0; half /= 2) {
            const bool upper = (c->plru[set] >> node & 1) != 0;
            victim |= upper ? half : 0;
            node = node * 2 + upper;
        }
        return victim;
    }
    for (uint32_t way = 1; way < c->ways; way++)
        if (sl_cache_at(c, set, way)->last_use < sl_cache_at(c, set, victim)->last_use)
            victim = way;
    return victim;
}

/* cacheProbe: the block that must go to make room. */
static inline sl_address sl_cache_probe(const sl_cache *c, sl_address address) {
    const uint64_t set = sl_cache_set(c, address);
    return sl_cache_at(c, set, sl_cache_victim(c, set))->address;
}

/* Sets that may have entries, lowest first: the next one from `set` on; index_mask + 1: there is
 * none. Most of a large cache is empty. */
static inline uint64_t sl_cache_next_used(const sl_cache *c, uint64_t set) {
    for (uint64_t word = set / 64; word <= c->index_mask / 64; word++) {
        const uint64_t bits =
            c->used[word] & (word == set / 64 ? UINT64_MAX << set % 64 : UINT64_MAX);
        if (bits != 0)
            return word * 64 + COL_LOWEST_BIT(bits);
    }
    return c->index_mask + 1;
}

static inline void sl_cache_use(sl_cache *c, uint64_t set) {
    c->used[set / 64] |= UINT64_C(1) << set % 64;
}

/* findOther: the first block but this one that the machine has this permission for; this one: there
 * is none. */
static inline sl_address sl_cache_find_other(const sl_cache *c, uint32_t permission,
                                             sl_address but) {
    for (uint64_t set = 0; (set = sl_cache_next_used(c, set)) <= c->index_mask; set++)
        for (uint32_t way = 0; way < c->ways; way++) {
            const uint64_t tag = c->tags[set * c->ways + way];
            const sl_entry *e = sl_cache_at(c, set, way);
            if (tag != 0 && tag != (but | 1) && e->permission == permission)
                return e->address;
        }
    return but;
}

/* NULL if the set is full: the caller reports it. The record behind the sl_entry is not cleared. */
static inline void *sl_cache_allocate(sl_cache *c, sl_address address) {
    const uint64_t set = sl_cache_set(c, address);
    for (uint32_t way = 0; way < c->ways; way++) {
        if (c->tags[set * c->ways + way] != 0)
            continue;
        c->tags[set * c->ways + way] = address | 1;
        sl_cache_use(c, set);
        sl_entry *e = sl_cache_at(c, set, way);
        *e = (sl_entry){.address = address, .permission = SL_NO_PERMISSION};
        sl_cache_touch_way(c, set, way);
        return e;
    }
    return NULL;
}

static inline void sl_cache_deallocate(sl_cache *c, sl_address address) {
    uint64_t *tags = c->tags + sl_cache_set(c, address) * c->ways;
    for (uint32_t way = 0; way < c->ways; way++) {
        if (tags[way] != (address | 1))
            continue;
        if (COL_RARELY(c->system->watch_permissions))
            c->system->services->permission(c->owner, sl_cache_at(c, sl_cache_set(c, address), way),
                                            SL_NO_PERMISSION);
        tags[way] = 0;
    }
}

#endif
