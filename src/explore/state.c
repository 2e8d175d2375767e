/* SPDX-License-Identifier: MIT */
/*
 * Packing states: see state.h. A state is first written as words, part by part, with times
 * left out (of cache entries only the order of their use counts) and messages sorted where their
 * order means nothing. What is not in use is zeroed, so that nothing old shines through where a
 * protocol leaves a field unset. Most words are 0, so groups of 64 are packed behind a word that
 * says which are not.
 */
#include "explore/state.h"

#include <stdlib.h>
#include <string.h>

enum {
    CLEAN_MESSAGES = 16, /* more than a step makes */
    MOST_RECORDS = 64    /* of a table: there are few blocks */
};

sl_address exp_world_block(uint32_t block) {
    return 0x100000 + (sl_address)block * 0x100000;
}

void exp_world_meet_limit(world *w, const char *limit) {
    w->limit = limit;
    longjmp(w->system->escape, 1);
}

/* ---- Words. */

static void need(world *w, size_t more) {
    size_t capacity = w->word_capacity;
    if (w->word_count + more <= capacity)
        return;
    while (w->word_count + more > capacity)
        capacity = capacity * 2 + 4096;
    w->words = sim_grow(&w->system->base, w->words, capacity * sizeof *w->words);
    w->packed =
        sim_grow(&w->system->base, w->packed, (capacity + capacity / 64 + 2) * sizeof *w->packed);
    w->word_capacity = capacity;
}

static void put(world *w, uint64_t word) {
    need(w, 1);
    w->words[w->word_count++] = word;
}

static void put_record(world *w, const void *record, size_t bytes) {
    need(w, bytes / 8);
    memcpy(w->words + w->word_count, record, bytes);
    w->word_count += bytes / 8;
}

static uint64_t get(world *w) {
    return w->words[w->word_count++];
}

static void get_record(world *w, void *record, size_t bytes) {
    memcpy(record, w->words + w->word_count, bytes);
    w->word_count += bytes / 8;
}

static void *member_of(const sl_controller *c, const sl_member *m) {
    void *pointer;
    memcpy(&pointer, (const uint8_t *)c + m->offset, sizeof pointer);
    return pointer;
}

/* ---- Caches: of the time of use only the order within the set. */

static uint64_t rank_in_set(const sl_cache *cache, uint64_t first, uint64_t index) {
    const sl_entry *entry =
        (const sl_entry *)(const void *)(cache->entries + index * cache->entry_size);
    uint64_t rank = 1;
    for (uint64_t i = first; i < first + cache->ways; i++) {
        const sl_entry *other =
            (const sl_entry *)(const void *)(cache->entries + i * cache->entry_size);
        rank += cache->tags[i] != 0 && other->last_use < entry->last_use;
    }
    return rank;
}

static void put_cache(world *w, const sl_cache *cache) {
    for (uint64_t set = 0; set <= cache->index_mask; set++)
        for (uint64_t i = set * cache->ways; i < (set + 1) * cache->ways; i++) {
            put(w, cache->tags[i]);
            if (cache->tags[i] == 0)
                continue;
            const size_t start = w->word_count;
            put_record(w, cache->entries + i * cache->entry_size, cache->entry_size);
            sl_entry *saved = (sl_entry *)(void *)(w->words + start);
            saved->last_use = rank_in_set(cache, set * cache->ways, i);
        }
}

static void get_cache(world *w, sl_cache *cache) {
    for (uint64_t i = 0; i < (cache->index_mask + 1) * cache->ways; i++) {
        cache->tags[i] = get(w);
        uint8_t *entry = cache->entries + i * cache->entry_size;
        if (cache->tags[i] != 0)
            get_record(w, entry, cache->entry_size);
        else
            memset(entry, 0, cache->entry_size);
    }
}

/* ---- Tables: records by address. */

static void put_table(world *w, const sl_table *table) {
    sl_entry *list[MOST_RECORDS];
    uint32_t count = 0;
    for (uint32_t i = 0; i <= table->mask && count < table->count; i++) {
        if (table->places[i] == NULL)
            continue;
        if (count == MOST_RECORDS)
            exp_world_meet_limit(w, "records of a table");
        uint32_t place = count++;
        while (place > 0 && list[place - 1]->address > table->places[i]->address) {
            list[place] = list[place - 1];
            place--;
        }
        list[place] = table->places[i];
    }
    put(w, count);
    for (uint32_t i = 0; i < count; i++)
        put_record(w, list[i], table->record_size);
}

static void get_table(world *w, sl_table *table) {
    for (uint32_t i = 0; i <= table->mask && table->count > 0; i++)
        while (table->places[i] != NULL) {
            sl_entry *entry = table->places[i];
            memset(entry + 1, 0, table->record_size - sizeof *entry);
            sl_table_deallocate(table, entry->address);
        }
    for (uint64_t count = get(w); count > 0; count--) {
        const sl_entry *saved = (const sl_entry *)(const void *)(w->words + w->word_count);
        void *record = sl_table_allocate(table, saved->address);
        get_record(w, record, table->record_size);
    }
}

/* ---- Timers: which blocks have one, not when. */

static void put_timer(world *w, const sl_timer *timer) {
    const size_t start = w->word_count;
    put(w, timer->count);
    for (uint32_t i = 0; i < timer->count; i++) {
        put(w, 0);
        size_t place = w->word_count - 1;
        for (; place > start + 1 && w->words[place - 1] > timer->items[i].address; place--)
            w->words[place] = w->words[place - 1];
        w->words[place] = timer->items[i].address;
    }
}

static void get_timer(world *w, sl_timer *timer) {
    timer->count = 0;
    for (uint64_t count = get(w); count > 0; count--)
        sl_timer_set(timer, get(w), NEVER);
}

uint32_t exp_world_alarms(const world *w, uint32_t number, alarm_clock *alarm) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->system->base.controller_count; i++) {
        const sl_controller *c = w->system->controllers[i];
        for (uint32_t m = 0; m < c->machine->member_count; m++) {
            if (c->machine->members[m].kind != SL_MEMBER_TIMER)
                continue;
            sl_timer *timer = member_of(c, &c->machine->members[m]);
            if (alarm != NULL && number >= count && number < count + timer->count)
                *alarm = (alarm_clock){timer, number - count};
            count += timer->count;
        }
    }
    return count;
}

/* ---- Controllers. */

static void put_controller(world *w, const sl_controller *c) {
    for (uint32_t i = 0; i < c->machine->member_count; i++) {
        const sl_member *m = &c->machine->members[i];
        if (m->kind == SL_MEMBER_CACHE)
            put_cache(w, member_of(c, m));
        else if (m->kind == SL_MEMBER_TBES || m->kind == SL_MEMBER_TABLE ||
                 m->kind == SL_MEMBER_PERFECT)
            put_table(w, member_of(c, m));
        else if (m->kind == SL_MEMBER_TIMER)
            put_timer(w, member_of(c, m));
        else if (m->kind == SL_MEMBER_NUMBER && !m->parameter)
            put_record(w, (const uint8_t *)c + m->offset, 8);
        else if (m->kind == SL_MEMBER_VALUE)
            put_record(w, (const uint8_t *)c + m->offset, m->record_size);
    }
}

static void get_controller(world *w, sl_controller *c) {
    for (uint32_t i = 0; i < c->machine->member_count; i++) {
        const sl_member *m = &c->machine->members[i];
        if (m->kind == SL_MEMBER_CACHE)
            get_cache(w, member_of(c, m));
        else if (m->kind == SL_MEMBER_TBES || m->kind == SL_MEMBER_TABLE ||
                 m->kind == SL_MEMBER_PERFECT)
            get_table(w, member_of(c, m));
        else if (m->kind == SL_MEMBER_TIMER)
            get_timer(w, member_of(c, m));
        else if (m->kind == SL_MEMBER_NUMBER && !m->parameter)
            get_record(w, (uint8_t *)c + m->offset, 8);
        else if (m->kind == SL_MEMBER_VALUE)
            get_record(w, (uint8_t *)c + m->offset, m->record_size);
    }
}

/* ---- Messages. */

static size_t body_bytes(const world *w, const sl_message *m) {
    const sl_message_type *type = &w->system->protocol->messages[m->type];
    return (type->size - sizeof *m + 7) / 8 * 8; /* the records are larger */
}

/* By buffer, then channel; within a channel by age, else by content. */
static int compare_flights(const world *w, const flight *a, const flight *b) {
    if (a->buffer != b->buffer)
        return a->buffer < b->buffer ? -1 : 1;
    if (a->channel != b->channel)
        return a->channel < b->channel ? -1 : 1;
    if (a->channel != 0)
        return 0; /* the sort is stable */
    if (a->message->type != b->message->type)
        return a->message->type < b->message->type ? -1 : 1;
    return memcmp(a->message + 1, b->message + 1, body_bytes(w, a->message));
}

static void sort_flights(world *w) {
    for (uint32_t i = 1; i < w->flight_count; i++) {
        const flight moved = w->flights[i];
        uint32_t place = i;
        for (; place > 0 && compare_flights(w, &w->flights[place - 1], &moved) > 0; place--)
            w->flights[place] = w->flights[place - 1];
        w->flights[place] = moved;
    }
}

static void put_flights(world *w) {
    sort_flights(w);
    put(w, w->flight_count);
    for (uint32_t i = 0; i < w->flight_count; i++) {
        const flight *f = &w->flights[i];
        put(w, (uint64_t)f->buffer << 32 | f->channel);
        put(w, f->message->type);
        put_record(w, f->message + 1, body_bytes(w, f->message));
    }
}

/* The records that the next messages will be made of, but for the header: the link to the next. */
static void zero_free_messages(sl_system *base) {
    sl_message *m = base->free_messages;
    for (uint32_t i = 0; i < CLEAN_MESSAGES && m != NULL; i++) {
        memset(m + 1, 0, base->message_size - sizeof *m);
        memcpy(&m, (const void *)m, sizeof m);
    }
}

static void get_flights(world *w) {
    for (uint32_t i = 0; i < w->flight_count; i++)
        sl_message_release(&w->system->base, w->flights[i].message);
    w->flight_count = (uint32_t)get(w);
    for (uint32_t i = 0; i < w->flight_count; i++) {
        const uint64_t where = get(w);
        sl_message *m = sl_message_new(&w->system->base, (uint32_t)get(w));
        get_record(w, m + 1, body_bytes(w, m));
        w->flights[i] = (flight){(uint32_t)(where >> 32), (uint32_t)where, m};
    }
    zero_free_messages(&w->system->base);
}

/* ---- What the search knows. */

static uint64_t number_of(const knowledge *k) {
    return (uint64_t)k->access | (uint64_t)k->possible << 8 | (uint64_t)k->lost << 16 |
           (uint64_t)k->believes << 17 | (uint64_t)k->word << 24;
}

static knowledge knowledge_of(uint64_t number) {
    return (knowledge){.access = (uint8_t)number,
                       .possible = (uint8_t)(number >> 8),
                       .lost = (number >> 16 & 1) != 0,
                       .believes = (number >> 17 & 1) != 0,
                       .word = (uint8_t)(number >> 24)};
}

static void put_knowledge(world *w) {
    for (uint32_t b = 0; b < w->blocks; b++) {
        put(w, w->current[b]);
        for (uint32_t c = 0; c < w->system->wiring.cores; c++)
            put(w, number_of(&w->known[c][b]));
    }
}

static void get_knowledge(world *w) {
    for (uint32_t b = 0; b < w->blocks; b++) {
        w->current[b] = (uint8_t)get(w);
        for (uint32_t c = 0; c < w->system->wiring.cores; c++)
            w->known[c][b] = knowledge_of(get(w));
    }
}

/* ---- The whole. */

static void squeeze(world *w) {
    w->packed_count = 0;
    w->packed[w->packed_count++] = w->word_count;
    for (size_t i = 0; i < w->word_count; i += 64) {
        const size_t end = i + 64 < w->word_count ? i + 64 : w->word_count;
        uint64_t filled = 0;
        const size_t place = w->packed_count++;
        for (size_t j = i; j < end; j++)
            if (w->words[j] != 0) {
                filled |= UINT64_C(1) << (j - i);
                w->packed[w->packed_count++] = w->words[j];
            }
        w->packed[place] = filled;
    }
}

void exp_world_pack(world *w) {
    w->word_count = 0;
    need(w, 1);
    for (uint32_t i = 0; i < w->system->base.controller_count; i++)
        put_controller(w, w->system->controllers[i]);
    put_table(w, w->system->memory);
    put_flights(w);
    put_knowledge(w);
    squeeze(w);
}

void exp_world_unpack(world *w, const uint64_t *packed, size_t count) {
    const size_t words = packed[0];
    size_t next = 1;
    w->word_count = 0;
    need(w, words);
    memset(w->words, 0, words * sizeof *w->words);
    for (size_t i = 0; next < count; i += 64)
        for (uint64_t filled = packed[next++]; filled != 0; filled &= filled - 1)
            w->words[i + (size_t)__builtin_ctzll(filled)] = packed[next++];
    for (uint32_t i = 0; i < w->system->base.controller_count; i++)
        get_controller(w, w->system->controllers[i]);
    get_table(w, w->system->memory);
    get_flights(w);
    get_knowledge(w);
}
