/* SPDX-License-Identifier: MIT */
/* Images of parts: see search_state.h. A number that does not fit into a byte follows ESCAPE in
 * full. */
#include "protocol/explore/search_state.h"

#include <string.h>

enum { ESCAPE = 255, FIRST_BLOCK = 0x100000 };

/* Memory: a word of data for each block. */
static const sl_field memory_fields[] = {{sizeof(sl_entry), SL_FIELD_DATA}, {0, SL_FIELD_END}};
static const sl_field no_fields[] = {{0, SL_FIELD_END}};

sl_address exp_block_address(uint32_t block) {
    return FIRST_BLOCK + (sl_address)block * FIRST_BLOCK;
}

/* ---- Values. */

static uint8_t *put_byte(uint8_t *out, uint64_t byte) {
    *out = (uint8_t)byte;
    return out + 1;
}

static uint8_t *put_escaped(uint8_t *out, const void *value, size_t bytes) {
    *out = ESCAPE;
    memcpy(out + 1, value, bytes);
    return out + 1 + bytes;
}

static const uint8_t *get_escaped(const uint8_t *in, void *value, size_t bytes) {
    memcpy(value, in + 1, bytes);
    return in + 1 + bytes;
}

static uint8_t *put_number(uint8_t *out, uint64_t number) {
    return number < ESCAPE ? put_byte(out, number) : put_escaped(out, &number, sizeof number);
}

static const uint8_t *get_number(const uint8_t *in, uint64_t *number) {
    if (*in == ESCAPE)
        return get_escaped(in, number, sizeof *number);
    *number = *in;
    return in + 1;
}

/* The block's new address; addresses of other blocks stay. */
static sl_address rename_address(const exp_imager *i, const exp_renaming *r, sl_address address) {
    const uint64_t block = address / FIRST_BLOCK - 1; /* of a small address: a large number */
    return block < i->blocks && address % FIRST_BLOCK == 0 ? exp_block_address(r->block[block])
                                                           : address;
}

/* Blocks of the search from 1, address 0 as 0. */
static uint8_t *put_renamed_address(const exp_imager *i, uint8_t *out, sl_address address) {
    const uint64_t number = address / FIRST_BLOCK;
    return number <= i->blocks && address % FIRST_BLOCK == 0
               ? put_byte(out, number)
               : put_escaped(out, &address, sizeof address);
}

static uint8_t *put_address(const exp_imager *i, const exp_renaming *r, uint8_t *out,
                            sl_address address) {
    return put_renamed_address(i, out, rename_address(i, r, address));
}

static const uint8_t *get_address(const uint8_t *in, sl_address *address) {
    if (*in == ESCAPE)
        return get_escaped(in, address, sizeof *address);
    *address = *in == 0 ? 0 : exp_block_address(*in - 1U);
    return in + 1;
}

/* Controllers from 1, an id of none that is 0 as 0. */
static uint8_t *put_machine(const exp_imager *i, const exp_renaming *r, uint8_t *out, uint64_t id) {
    const sl_machine_id machine = (sl_machine_id)id;
    if (machine == id && sl_machine_exists(i->base, machine))
        return put_byte(out, r->controller[sl_controller_of(i->base, machine)] + UINT64_C(1));
    return id == 0 ? put_byte(out, 0) : put_escaped(out, &id, sizeof id);
}

static const uint8_t *get_machine(const exp_imager *i, const uint8_t *in, uint64_t *id) {
    if (*in == ESCAPE)
        return get_escaped(in, id, sizeof *id);
    *id = *in == 0 ? 0 : sl_id_of_controller(i->base, *in - 1U);
    return in + 1;
}

static uint8_t *put_destination(const exp_imager *i, const exp_renaming *r, uint8_t *out,
                                const sl_destination *set) {
    if (r->keeps_controllers) {
        memcpy(out, set->words, i->destination_bytes);
        return out + i->destination_bytes;
    }
    memset(out, 0, i->destination_bytes);
    for (uint32_t word = 0; word < i->base->words; word++)
        for (uint64_t bits = set->words[word]; bits != 0; bits &= bits - 1) {
            const uint32_t id = word * 64 + (uint32_t)__builtin_ctzll(bits);
            if (id < i->base->controller_count)
                out[r->controller[id] / 8] |= (uint8_t)(1U << r->controller[id] % 8);
        }
    return out + i->destination_bytes;
}

static const uint8_t *get_destination(const exp_imager *i, const uint8_t *in, sl_destination *set) {
    sl_dest_clear(i->base, set);
    memcpy(set->words, in, i->destination_bytes);
    return in + i->destination_bytes;
}

/* All but the first word of a block is 0, as a rule. */
static uint8_t *put_data(uint8_t *out, const sl_data *data) {
    uint64_t others = 0;
    for (uint32_t i = 1; i < sizeof data->words / sizeof data->words[0]; i++)
        others |= data->words[i];
    return others == 0 && data->words[0] < ESCAPE ? put_byte(out, data->words[0])
                                                  : put_escaped(out, data, sizeof *data);
}

static const uint8_t *get_data(const uint8_t *in, sl_data *data) {
    if (*in == ESCAPE)
        return get_escaped(in, data, sizeof *data);
    *data = (sl_data){{*in}};
    return in + 1;
}

/* ---- Fields. */

/* A number that is kept in eight bytes. */
static uint8_t *put_wide(const exp_imager *i, const exp_renaming *r, uint32_t kind, uint64_t value,
                         uint8_t *out) {
    return kind == SL_FIELD_ADDRESS   ? put_address(i, r, out, value)
           : kind == SL_FIELD_MACHINE ? put_machine(i, r, out, value)
                                      : put_number(out, value);
}

static const uint8_t *get_wide(const exp_imager *i, uint32_t kind, const uint8_t *in,
                               uint64_t *value) {
    return kind == SL_FIELD_ADDRESS   ? get_address(in, value)
           : kind == SL_FIELD_MACHINE ? get_machine(i, in, value)
                                      : get_number(in, value);
}

static uint8_t *put_fields(const exp_imager *i, const exp_renaming *r, const sl_field *f,
                           const void *record, uint8_t *out) {
    for (; f->kind != SL_FIELD_END; f++) {
        const uint8_t *at = (const uint8_t *)record + f->offset;
        uint64_t wide;
        uint32_t narrow;
        switch (f->kind) {
        case SL_FIELD_BOOL:
            *out++ = *at;
            break;
        case SL_FIELD_ENUM:
            memcpy(&narrow, at, sizeof narrow);
            out = put_number(out, narrow);
            break;
        case SL_FIELD_MACHINE:
            memcpy(&narrow, at, sizeof narrow);
            out = put_machine(i, r, out, narrow);
            break;
        case SL_FIELD_DESTINATION:
        case SL_FIELD_SET:
            out = put_destination(i, r, out, (const sl_destination *)(const void *)at);
            break;
        case SL_FIELD_DATA:
            out = put_data(out, (const sl_data *)(const void *)at);
            break;
        default:
            memcpy(&wide, at, sizeof wide);
            out = put_wide(i, r, f->kind, wide, out);
            break;
        }
    }
    return out;
}

static const uint8_t *get_fields(const exp_imager *i, const sl_field *f, void *record,
                                 const uint8_t *in) {
    for (; f->kind != SL_FIELD_END; f++) {
        uint8_t *at = (uint8_t *)record + f->offset;
        uint64_t wide;
        uint32_t narrow;
        switch (f->kind) {
        case SL_FIELD_BOOL:
            *at = *in++;
            break;
        case SL_FIELD_ENUM:
        case SL_FIELD_MACHINE:
            in = get_wide(i, f->kind, in, &wide);
            narrow = (uint32_t)wide;
            memcpy(at, &narrow, sizeof narrow);
            break;
        case SL_FIELD_DESTINATION:
        case SL_FIELD_SET:
            in = get_destination(i, in, (sl_destination *)(void *)at);
            break;
        case SL_FIELD_DATA:
            in = get_data(in, (sl_data *)(void *)at);
            break;
        default:
            in = get_wide(i, f->kind, in, &wide);
            memcpy(at, &wide, sizeof wide);
            break;
        }
    }
    return in;
}

static size_t field_bytes(const sl_field *f) {
    size_t bytes = 16; /* the header */
    for (; f->kind != SL_FIELD_END; f++)
        bytes += 1 + sizeof(sl_data); /* the largest */
    return bytes;
}

/* ---- Entries: block, permission, which structure, its fields. */

static const sl_field *fields_of(const exp_part *part, uint32_t record) {
    if (part->machine == NULL)
        return memory_fields;
    return record > 0 && record < part->machine->record_count ? part->machine->records[record]
                                                              : no_fields;
}

static uint8_t *put_entry(const exp_imager *i, const exp_renaming *r, const exp_part *part,
                          const sl_entry *entry, uint8_t *out) {
    *out++ = (uint8_t)entry->permission;
    *out++ = (uint8_t)entry->record;
    return put_fields(i, r, fields_of(part, entry->record), entry, out);
}

static const uint8_t *get_entry(const exp_imager *i, const exp_part *part, sl_entry *entry,
                                const uint8_t *in) {
    entry->permission = *in++;
    entry->record = *in++;
    return get_fields(i, fields_of(part, entry->record), entry, in);
}

/* ---- Caches: of the time of use only the order within the set. */

static uint8_t rank_in_set(const sl_cache *cache, uint64_t set, const sl_entry *entry) {
    uint32_t rank = 1;
    for (uint32_t way = 0; way < cache->ways; way++)
        rank += cache->tags[set * cache->ways + way] != 0 &&
                sl_cache_at(cache, set, way)->last_use < entry->last_use;
    return (uint8_t)rank;
}

static uint8_t *put_cache(const exp_imager *i, const exp_renaming *r, const exp_part *part,
                          uint8_t *out) {
    const sl_cache *cache = part->object;
    for (uint64_t set = 0; set <= cache->index_mask; set++)
        for (uint32_t way = 0; way < cache->ways; way++) {
            if (cache->tags[set * cache->ways + way] == 0) {
                *out++ = 0;
                continue;
            }
            const sl_entry *entry = sl_cache_at(cache, set, way);
            out = put_address(i, r, out, entry->address);
            *out++ = rank_in_set(cache, set, entry);
            out = put_entry(i, r, part, entry, out);
        }
    return out;
}

static const uint8_t *get_cache(const exp_imager *i, const exp_part *part, const uint8_t *in) {
    const sl_cache *cache = part->object;
    for (uint64_t set = 0; set <= cache->index_mask; set++)
        for (uint32_t way = 0; way < cache->ways; way++) {
            sl_entry *entry = sl_cache_at(cache, set, way);
            uint64_t *tag = &cache->tags[set * cache->ways + way];
            *entry = (sl_entry){.address = 0};
            *tag = 0;
            if (*in == 0) {
                in++;
                continue;
            }
            in = get_address(in, &entry->address);
            *tag = entry->address | 1;
            sl_cache_use(part->object, set);
            entry->last_use = *in++;
            in = get_entry(i, part, entry, in);
        }
    return in;
}

/* ---- Tables: records by address. */

/* By address. Other blocks than the search's are rare, and so are several records of one block,
 * which a wrong protocol may have: those stay in the order in which they are looked up, which is
 * that of the places, as a ring, from a free one on. */
static uint32_t list_all(const sl_table *table, sl_entry **list) {
    uint32_t count = 0, free = 0;
    while (table->places[free] != NULL)
        free++; /* half of them are free */
    for (uint32_t i = 1; i <= table->mask; i++) {
        sl_entry *entry = table->places[(free + i) & table->mask];
        if (entry == NULL)
            continue;
        uint32_t place = count++;
        for (; place > 0 && list[place - 1]->address > entry->address; place--)
            list[place] = list[place - 1];
        list[place] = entry;
    }
    return count;
}

/* The records by the new numbers of their blocks. */
static uint32_t list_records(const exp_imager *i, const exp_renaming *r, const sl_table *table,
                             sl_entry **list) {
    uint32_t count = 0;
    for (uint32_t b = 0; b < i->blocks && count < table->count; b++) {
        sl_entry *entry = sl_table_lookup(table, exp_block_address(r->old_block[b]));
        if (entry != NULL)
            list[count++] = entry;
    }
    return count < table->count ? list_all(table, list) : count;
}

static uint8_t *put_table(const exp_imager *i, const exp_renaming *r, const exp_part *part,
                          uint8_t *out) {
    const sl_table *table = part->object;
    sl_entry *list[EXP_MOST_RECORDS];
    if (table->count > EXP_MOST_RECORDS)
        return NULL;
    const uint32_t count = list_records(i, r, table, list);
    *out++ = (uint8_t)count;
    for (uint32_t n = 0; n < count; n++) {
        out = put_address(i, r, out, list[n]->address);
        out = put_entry(i, r, part, list[n], out);
    }
    return out;
}

static const uint8_t *get_table(const exp_imager *i, const exp_part *part, const uint8_t *in) {
    sl_table *table = part->object;
    for (uint32_t b = 0; b < i->blocks && table->count > 0; b++)
        sl_table_deallocate(table, exp_block_address(b));
    for (uint32_t n = 0; n <= table->mask && table->count > 0; n++)
        while (table->places[n] != NULL)
            sl_table_deallocate(table, table->places[n]->address);
    for (uint32_t count = *in++; count > 0; count--) {
        sl_address address;
        in = get_address(in, &address);
        in = get_entry(i, part, sl_table_allocate(table, address), in);
    }
    return in;
}

/* ---- Timers: which blocks have one, not when. */

static uint8_t *put_timer(const exp_imager *i, const exp_renaming *r, const sl_timer *timer,
                          uint8_t *out) {
    sl_address list[EXP_MOST_RECORDS] = {0};
    if (timer->count > EXP_MOST_RECORDS)
        return NULL;
    for (uint32_t n = 0; n < timer->count; n++) {
        const sl_address renamed = rename_address(i, r, timer->items[n].address);
        uint32_t place = n;
        for (; place > 0 && list[place - 1] > renamed; place--)
            list[place] = list[place - 1];
        list[place] = renamed;
    }
    *out++ = (uint8_t)timer->count;
    for (uint32_t n = 0; n < timer->count; n++)
        out = put_renamed_address(i, out, list[n]);
    return out;
}

static const uint8_t *get_timer(sl_timer *timer, const uint8_t *in) {
    timer->count = 0;
    for (uint32_t count = *in++; count > 0; count--) {
        sl_address address;
        in = get_address(in, &address);
        sl_timer_set(timer, address, EXP_NEVER);
    }
    return in;
}

/* ---- Persistent requests: each block has one entry. */

static uint8_t *put_persistent(const exp_imager *i, const exp_renaming *r, const sl_persistent *p,
                               uint8_t *out) {
    uint32_t found = 0;
    *out++ = (uint8_t)p->count;
    for (uint32_t b = 0; b < i->blocks; b++)
        for (uint32_t n = 0; n < p->count; n++) {
            const struct sl_persistent_entry *e = &p->items[n];
            if (e->address != exp_block_address(r->old_block[b]))
                continue;
            out = put_address(i, r, out, e->address);
            out = put_destination(i, r, out, &e->starving);
            out = put_destination(i, r, out, &e->marked);
            out = put_destination(i, r, out, &e->writing);
            found++;
        }
    return found == p->count ? out : NULL;
}

static const uint8_t *get_persistent(const exp_imager *i, sl_persistent *p, const uint8_t *in) {
    p->count = 0;
    for (uint32_t count = *in++; count > 0; count--) {
        sl_address address;
        in = get_address(in, &address);
        sl_persistent_lock(p, address, p->owner->machine_id, false);
        struct sl_persistent_entry *e = &p->items[p->count - 1];
        in = get_destination(i, in, &e->starving);
        in = get_destination(i, in, &e->marked);
        in = get_destination(i, in, &e->writing);
    }
    return in;
}

/* ---- Parts. */

static bool is_table(uint32_t kind) {
    return kind == SL_MEMBER_TBES || kind == SL_MEMBER_TABLE || kind == SL_MEMBER_PERFECT;
}

bool exp_part_counts(const sl_member *m) {
    return is_table(m->kind) || m->kind == SL_MEMBER_CACHE || m->kind == SL_MEMBER_TIMER ||
           m->kind == SL_MEMBER_PERSISTENT || m->kind == SL_MEMBER_VALUE ||
           (m->kind == SL_MEMBER_NUMBER && !m->parameter);
}

size_t exp_part_bytes(const exp_part *part) {
    size_t record = field_bytes(memory_fields);
    for (uint32_t n = 1; part->machine != NULL && n < part->machine->record_count; n++) {
        const size_t bytes = field_bytes(part->machine->records[n]);
        record = bytes > record ? bytes : record;
    }
    size_t records = EXP_MOST_RECORDS;
    if (part->machine != NULL && part->member->kind == SL_MEMBER_CACHE) {
        const sl_cache *cache = part->object;
        records = (cache->index_mask + 1) * cache->ways;
    }
    return 1 + records * (record + (size_t)3 * (EXP_MOST_CONTROLLERS / 8 + 1));
}

uint8_t *exp_put_part(const exp_imager *i, const exp_renaming *r, const exp_part *part,
                      uint8_t *out) {
    uint64_t number;
    if (part->machine == NULL || is_table(part->member->kind))
        return put_table(i, r, part, out);
    switch (part->member->kind) {
    case SL_MEMBER_CACHE:
        return put_cache(i, r, part, out);
    case SL_MEMBER_TIMER:
        return put_timer(i, r, part->object, out);
    case SL_MEMBER_PERSISTENT:
        return put_persistent(i, r, part->object, out);
    case SL_MEMBER_VALUE:
        return part->member->field == SL_FIELD_DATA ? put_data(out, part->object)
                                                    : put_destination(i, r, out, part->object);
    default:
        memcpy(&number, part->object, sizeof number);
        return put_wide(i, r, part->member->field, number, out);
    }
}

const uint8_t *exp_get_part(const exp_imager *i, const exp_part *part, const uint8_t *in) {
    uint64_t number;
    if (part->machine == NULL || is_table(part->member->kind))
        return get_table(i, part, in);
    switch (part->member->kind) {
    case SL_MEMBER_CACHE:
        return get_cache(i, part, in);
    case SL_MEMBER_TIMER:
        return get_timer(part->object, in);
    case SL_MEMBER_PERSISTENT:
        return get_persistent(i, part->object, in);
    case SL_MEMBER_VALUE:
        return part->member->field == SL_FIELD_DATA ? get_data(in, part->object)
                                                    : get_destination(i, in, part->object);
    default:
        in = get_wide(i, part->member->field, in, &number);
        memcpy(part->object, &number, sizeof number);
        return in;
    }
}

/* ---- Messages. */

size_t exp_message_bytes(const sl_message_type *type) {
    return 1 + field_bytes(type->fields);
}

uint8_t *exp_put_message(const exp_imager *i, const exp_renaming *r, const sl_message *message,
                         uint8_t *out) {
    *out++ = (uint8_t)message->type;
    return put_fields(i, r, i->protocol->messages[message->type].fields, message, out);
}

const uint8_t *exp_get_message(const exp_imager *i, sl_message *message, const uint8_t *in) {
    message->type = *in++;
    return get_fields(i, i->protocol->messages[message->type].fields, message, in);
}
