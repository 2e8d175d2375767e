/* SPDX-License-Identifier: MIT */
/*
 * What compiled SLICC protocols are made of: the types and operations that generated code uses, all
 * inline, and the description of a protocol that a plug-in exports as `col_protocol_entry`. The
 * simulator (src/sim) includes the same header: both sides agree by construction. A plug-in built
 * against another SL_ABI is refused.
 *
 * It is one file, and long, because the library carries its text: plug-ins compile against exactly
 * this. The names follow SLICC's: a message buffer, a TBE table, a net destination mean what they
 * mean there.
 */
#ifndef COLLIDER_PROTOCOL_H
#define COLLIDER_PROTOCOL_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SL_ABI 5

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

typedef struct sl_data {
    uint64_t words[SL_BLOCK_BYTES / 8];
} sl_data;

/* A set of controllers; only the first sl_system.words words are ever touched. */
typedef struct sl_destination {
    uint64_t words[SL_WORDS];
} sl_destination;

/* ---- Messages. */

/* While a message is in the pool its header is the link to the next one: a protocol that still
 * looks at it, or writes into it, reaches the body alone. */
typedef struct sl_message {
    uint32_t references;
    uint32_t type; /* index into sl_protocol.messages */
} sl_message;
_Static_assert(sizeof(sl_message) >= sizeof(void *), "the pool's links are in the headers");

/* A message in a buffer: due at `time`; `order` breaks ties by age. */
typedef struct sl_slot {
    uint64_t time, order;
    sl_message *message;
} sl_slot;

/* A message that waits for something to happen to its block. */
typedef struct sl_waiting {
    sl_address address;
    sl_slot slot;
} sl_waiting;

typedef struct sl_buffer {
    uint64_t ready_at; /* when the first message is due; UINT64_MAX: there is none */
    sl_system *system;
    sl_slot *ring;
    uint32_t head, count, mask;
    uint32_t capacity;       /* 0: no limit */
    sl_controller *consumer; /* who is woken; NULL: the network takes the messages */
    uint64_t last_time;
    bool ordered;
    int32_t network; /* virtual network of a buffer to or from the network; -1: none */
    int32_t message; /* the type of its messages; -1: no port reads them */
    /* From here on seldom used. */
    uint32_t waiting_count, waiting_capacity;
    sl_waiting *waiting;
    sl_controller *owner;
    struct sl_buffer *peer; /* a buffer wired straight to another one */
    uint64_t *last_to; /* of an ordered buffer to the network: last arrival at each controller */
    const char *name;
} sl_buffer;

/* ---- Caches and tables. Entries are stored in place; their first member is an sl_entry. */

typedef struct sl_entry {
    sl_address address;
    uint64_t last_use;
    uint32_t permission; /* AccessPermission */
    uint32_t record;     /* what structure of its machine it is, from 1; 0: not started yet */
} sl_entry;

typedef enum sl_replacement { SL_LRU, SL_TREE_PLRU, SL_RANDOM } sl_replacement;

typedef struct sl_cache {
    sl_system *system;
    sl_controller *owner;
    uint64_t *tags;   /* of each way: the block's address with bit 0 set; 0: free */
    uint8_t *entries; /* sets * ways * entry_size bytes */
    uint32_t entry_size, ways;
    uint32_t index_low;  /* first address bit of the index */
    uint64_t index_mask; /* sets - 1 */
    uint64_t *plru;      /* tree bits of each set */
    uint8_t replacement;
    sl_cycles tag_latency, data_latency;
} sl_cache;

/* A map from blocks to records of any size: TBEs, directory entries, perfect caches. Records do not
 * move. */
typedef struct sl_table {
    sl_system *system;
    sl_controller *owner; /* NULL: the simulator */
    uint32_t record_size;
    uint32_t capacity; /* of TBEs; 0: no limit */
    uint32_t count;
    uint32_t mask;
    sl_entry **places; /* open addressing */
    sl_entry *free;    /* unused records, linked through `address` */
    void *chunks;
} sl_table;

/* Blocks with a time each. */
typedef struct sl_timer {
    sl_system *system;
    sl_controller *consumer;
    struct {
        sl_address address;
        uint64_t time;
    } * items;
    uint32_t count, capacity;
} sl_timer;

/* Who holds or waits for a block persistently, by machine number (token coherence). */
typedef struct sl_persistent {
    sl_system *system;
    sl_controller *owner;
    struct sl_persistent_entry {
        sl_address address;
        sl_destination starving, marked, writing;
    } * items;
    uint32_t count, capacity;
} sl_persistent;

/* ---- The transition table. A cell can be edited at run time: that is a design error. */

enum {
    SL_DEFINED = 1,
    SL_STALL = 2, /* z_stall: the message stays */
    SL_NEXT_BY_FUNCTION = 4,
    SL_CHECK_TBE = 8, /* needs a free TBE */
    SL_REACHED = 16,  /* known to be reachable: see docs/exploration.md */
};

typedef struct sl_cell {
    uint16_t next;
    uint16_t first_action; /* index into the machine's action list */
    uint8_t action_count;
    uint8_t flags;
    uint16_t first_resource;
    uint8_t resource_count;
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

/* ---- Descriptions, for building a system and for showing a protocol. */

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
    SL_MEMBER_VALUE, /* a DataBlock or NetDest variable, `record_size` bytes */
} sl_member_kind;

/* Something a controller has; the simulator sets it up at `offset`. */
typedef struct sl_member {
    const char *name;
    uint32_t kind;
    uint32_t offset;
    uint32_t record_size; /* of caches, tables and values */
    int32_t network;      /* virtual network of a buffer; -1: none */
    uint8_t to_network, from_network;
    uint8_t parameter;   /* declared before the machine's brace */
    uint8_t has_initial; /* a default was given */
    uint8_t ordered;     /* ordered="true" was said; 2: "false" was */
    int32_t message;     /* of a buffer behind a port: its message type; else -1 */
    uint8_t in_port, out_port;
    int64_t initial;
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
    bool takes_flush;     /* requests of type SL_FLUSH mean something to it */
    bool takes_acquire;   /* so do SL_ACQUIRE and SL_ATOMIC: it may give the core stale words */
    const sl_cell *cells; /* state * event_count + event */
    const uint16_t *action_list;
    uint32_t action_list_count;
    const sl_resource *resources;
    const sl_action *action_functions;
    const sl_action *sequences; /* from 1 */
    void (*initialise)(sl_controller *controller);
    void (*wakeup)(sl_controller *controller);
} sl_machine;

typedef struct sl_message_type {
    const char *name;
    uint32_t size;
    int32_t destination; /* offset of the sl_destination; -1: none */
    int32_t machine;     /* offset of a single machine id that names the receiver; -1: none */
} sl_message_type;

typedef struct sl_protocol {
    uint32_t abi;
    const char *name;
    const sl_machine *const *machines;
    uint32_t machine_count;
    const sl_message_type *messages;
    uint32_t message_count;
} sl_protocol;

/* ---- What the simulator knows by name, fixed by the prelude (checked in generated code). */

enum { SL_LD = 0, SL_ST = 1, SL_ATOMIC = 2, SL_FLUSH = 16, SL_ACQUIRE = 18 }; /* RubyRequestType */
enum { SL_READ_ONLY = 0, SL_READ_WRITE = 1, SL_NO_PERMISSION = 5 };           /* AccessPermission */
enum { SL_MEMORY_READ = 0, SL_MEMORY_WB = 1 }; /* MemoryRequestType */

/* The block that requests of type SL_ACQUIRE name: no program has it. */
#define SL_NOWHERE (~(sl_address)(SL_BLOCK_BYTES - 1))

/* RubyRequest */
typedef struct sl_request {
    sl_message header;
    sl_address LineAddress, PhysicalAddress, ProgramCounter;
    int64_t Size, contextId;
    int32_t Type, AccessMode, Prefetch;
} sl_request;

/* MemoryMsg */
typedef struct sl_memory_message {
    sl_message header;
    sl_address addr;
    int32_t Type;
    sl_machine_id Sender, OriginalRequestorMachId;
    int64_t Len, Acks;
    int32_t MessageSize, Prefetch;
    uint8_t ReadX;
    sl_data DataBlk;
} sl_memory_message;

enum { SL_REQUEST_MESSAGE = 0, SL_MEMORY_MESSAGE = 1 }; /* the first two message types */

/* ---- Controllers and the system. */

struct sl_controller {
    sl_system *system;
    const sl_machine *machine;
    sl_cell *cells;   /* the design's own copy of the table */
    uint32_t *counts; /* transitions taken, by cell */
    sl_action const *sequences;
    sl_action const *action_functions;
    const uint16_t *action_list;
    uint32_t event_count;
    uint32_t id, number;
    sl_machine_id machine_id;
    uint32_t core; /* whose private controller this is; UINT32_MAX: shared */
    uint32_t transitions_per_cycle;
    uint64_t last_wakeup;
    uint32_t waiting_total; /* messages that wait for their block */
    uint32_t state, event;  /* of the transition under way, for errors */
    sl_address address;
    uint32_t in_buffer_count;
    sl_buffer **in_buffers;
    sl_buffer *memory_responses; /* of a controller with memory behind it */
};

typedef struct sl_wheel_slot {
    uint32_t *ids;
    uint32_t count, capacity;
} sl_wheel_slot;

typedef struct sl_far_event {
    uint64_t time;
    uint32_t id;
} sl_far_event;

/* What generated code asks of the simulator and is not inline. */
typedef struct sl_services {
    void (*load_done)(sl_controller *controller, sl_address address, const sl_data *data,
                      bool external, uint32_t machine_type);
    void (*store_done)(sl_controller *controller, sl_address address, sl_data *data, bool external,
                       uint32_t machine_type);
    void (*evicted)(sl_controller *controller, sl_address address);
    void (*send)(sl_buffer *buffer, sl_message *message, sl_cycles delay);
    void (*transition)(sl_controller *controller, uint32_t state, uint32_t event, uint32_t next,
                       sl_address address);
    void (*permission)(sl_controller *controller, sl_entry *entry, uint32_t permission);
    void (*stop)(sl_controller *controller, const char *message, const char *place);
    void (*missing)(const sl_system *system, sl_machine_id id); /* does not return */
    /* Never NULL: it does not return when memory runs out, so set capacities after it. */
    void *(*grow)(sl_system *system, void *old, size_t size);
} sl_services;

struct sl_system {
    uint64_t now;
    uint64_t order; /* messages sent so far */
    const sl_services *services;
    uint32_t words;                      /* of net destinations in use */
    uint32_t message_size;               /* of a record of the pool */
    sl_message *free_messages;           /* linked through their headers */
    uint32_t first_of[SL_MACHINE_TYPES]; /* controller id of number 0 */
    uint32_t count_of[SL_MACHINE_TYPES];
    uint32_t controller_count;
    bool watch_transitions, watch_permissions;
    bool bounded;       /* some buffer has a capacity */
    uint64_t random[4]; /* the instance's chance */
    sl_wheel_slot *wheel;
    uint64_t *wheel_bits;
    sl_far_event *far;
    uint32_t far_count, far_capacity;
    int32_t tokens;  /* max_tokens() */
    int64_t ignored; /* counters that nobody reads */
};

/* Unlikely: errors and slow paths. */
#define SL_RARELY(condition) __builtin_expect(!!(condition), 0)

_Noreturn static inline void sl_fail(sl_controller *c, const char *message, const char *place);

/* ---- Chance. */

static inline uint64_t sl_random(sl_system *s) {
    uint64_t *x = s->random;
    const uint64_t sum = x[0] + x[3];
    const uint64_t result = ((sum << 23) | (sum >> 41)) + x[0];
    const uint64_t t = x[1] << 17;
    x[2] ^= x[0];
    x[3] ^= x[1];
    x[1] ^= x[2];
    x[0] ^= x[3];
    x[2] ^= t;
    x[3] = (x[3] << 45) | (x[3] >> 19);
    return result;
}

/* ---- The event wheel: who wakes up when. */

static inline void sl_wake(sl_system *s, uint32_t id, uint64_t time) {
    if (SL_RARELY(time - s->now >= SL_WHEEL_SLOTS)) {
        if (s->far_count == s->far_capacity) {
            const uint32_t capacity = s->far_capacity * 2 + 64;
            s->far = s->services->grow(s, s->far, capacity * sizeof *s->far);
            s->far_capacity = capacity;
        }
        s->far[s->far_count++] = (sl_far_event){time, id};
        return;
    }
    const uint32_t place = (uint32_t)time & (SL_WHEEL_SLOTS - 1);
    sl_wheel_slot *slot = &s->wheel[place];
    if (SL_RARELY(slot->count == slot->capacity)) {
        uint32_t *ids = s->services->grow(s, NULL, (slot->capacity * 2 + 8) * sizeof *ids);
        memcpy(ids, slot->ids, slot->count * sizeof *ids);
        slot->capacity = slot->capacity * 2 + 8;
        slot->ids = ids;
    }
    slot->ids[slot->count++] = id;
    s->wheel_bits[place / 64] |= UINT64_C(1) << (place % 64);
}

static inline void sl_wake_later(sl_controller *c, sl_cycles delay) {
    sl_wake(c->system, c->id, c->system->now + delay);
}

/* ---- Messages and buffers. */

static inline void *sl_message_new(sl_system *s, uint32_t type) {
    sl_message *m = s->free_messages;
    if (SL_RARELY(m == NULL)) {
        const uint32_t batch = 256;
        uint8_t *chunk = s->services->grow(s, NULL, (size_t)batch * s->message_size);
        for (uint32_t i = 0; i < batch; i++) {
            sl_message *fresh = (sl_message *)(void *)(chunk + (size_t)i * s->message_size);
            memcpy((void *)fresh, &m, sizeof(void *));
            m = fresh;
        }
    }
    memcpy(&s->free_messages, (const void *)m, sizeof(void *));
    m->references = 1;
    m->type = type;
    return m;
}

static inline void sl_message_release(sl_system *s, sl_message *m) {
    if (--m->references > 0)
        return;
    memcpy((void *)m, &s->free_messages, sizeof(void *));
    s->free_messages = m;
}

static inline sl_slot *sl_buffer_at(const sl_buffer *b, uint32_t position) {
    return &b->ring[(b->head + position) & b->mask];
}

/* A protocol that sends and never receives is wrong: without a bound it would take all memory. What
 * a right one has in one queue are a few messages for each access of each core. */
static inline void sl_check_flood(const sl_buffer *b, uint32_t messages) {
    if (SL_RARELY(messages > 4096 + 256 * b->system->controller_count))
        sl_fail(b->owner, "a queue is flooded with messages", b->name);
}

static inline void sl_buffer_grow(sl_buffer *b) {
    const uint32_t size = (b->mask + 1) * 2;
    sl_check_flood(b, size);
    sl_slot *ring = b->system->services->grow(b->system, NULL, size * sizeof *ring);
    for (uint32_t i = 0; i < b->count; i++)
        ring[i] = *sl_buffer_at(b, i);
    /* The old ring stays in the system's memory; rings double, so this at most doubles the use. */
    b->ring = ring;
    b->head = 0;
    b->mask = size - 1;
}

/* Puts a slot where its time and age belong. */
static inline void sl_buffer_insert(sl_buffer *b, sl_slot slot) {
    if (SL_RARELY(b->count > b->mask))
        sl_buffer_grow(b);
    uint32_t position = b->count++;
    while (position > 0) {
        const sl_slot *before = sl_buffer_at(b, position - 1);
        if (before->time < slot.time || (before->time == slot.time && before->order < slot.order))
            break;
        *sl_buffer_at(b, position) = *before;
        position--;
    }
    *sl_buffer_at(b, position) = slot;
    b->ready_at = b->ring[b->head].time;
}

/* A negative latency is an absurd one, too. */
static inline void sl_check_delay(const sl_buffer *b, sl_cycles delay) {
    if (SL_RARELY(delay > UINT32_MAX))
        sl_fail(b->owner, "a message is delayed by a negative or absurd number of cycles", b->name);
}

/* The message arrives at this buffer after `delay` cycles. */
static inline void sl_buffer_put(sl_buffer *b, sl_message *m, sl_cycles delay) {
    sl_system *s = b->system;
    uint64_t time = s->now + delay;
    if (b->ordered && time < b->last_time)
        time = b->last_time;
    b->last_time = time;
    sl_buffer_insert(b, (sl_slot){.time = time, .order = s->order++, .message = m});
    if (b->consumer != NULL)
        sl_wake(s, b->consumer->id, time);
}

/* enqueue: into a queue of the controller's own, or out through the network. */
static inline void sl_enqueue(sl_buffer *b, void *message, sl_cycles delay) {
    sl_check_delay(b, delay);
    if (b->consumer != NULL)
        sl_buffer_put(b, message, delay);
    else if (b->peer != NULL && b->capacity == 0)
        sl_buffer_put(b->peer, message, delay + 1);
    else
        b->system->services->send(b, message, delay);
}

static inline bool sl_is_ready(const sl_buffer *b) {
    return b->ready_at <= b->system->now;
}

static inline void *sl_peek(const sl_buffer *b) {
    if (SL_RARELY(b->count == 0))
        sl_fail(b->owner, "a message is looked at that is not there", b->name);
    return b->ring[b->head].message;
}

static inline sl_slot sl_buffer_take(sl_buffer *b) {
    if (SL_RARELY(b->count == 0))
        sl_fail(b->owner, "a message is taken that is not there", b->name);
    const sl_slot slot = b->ring[b->head];
    if (--b->count == 0) {
        b->head = 0; /* the same few slots again and again: they stay in the host's cache */
        b->ready_at = UINT64_MAX;
    } else {
        b->head = (b->head + 1) & b->mask;
        b->ready_at = b->ring[b->head].time;
    }
    return slot;
}

/* A buffer to the network has slots of messages that are gone. */
static inline sl_slot sl_buffer_take_message(sl_buffer *b) {
    const sl_slot slot = sl_buffer_take(b);
    if (SL_RARELY(slot.message == NULL))
        sl_fail(b->owner, "a message is taken that was sent", b->name);
    return slot;
}

static inline sl_cycles sl_dequeue(sl_buffer *b) {
    const sl_slot slot = sl_buffer_take_message(b);
    sl_message_release(b->system, slot.message);
    return b->system->now - slot.time;
}

static inline void sl_recycle(sl_buffer *b, sl_cycles delay) {
    sl_check_delay(b, delay);
    sl_slot slot = sl_buffer_take_message(b);
    slot.time = b->system->now + delay;
    slot.order = b->system->order++;
    sl_buffer_insert(b, slot);
    sl_wake(b->system, b->owner->id, slot.time);
}

/* A message to the network keeps its slot until it has left, after the delay it was given. */
static inline void sl_buffer_leave(sl_buffer *b) {
    while (sl_is_ready(b))
        (void)sl_buffer_take(b);
}

static inline bool sl_has_room(sl_buffer *b, uint32_t slots) {
    if (b->capacity == 0)
        return true;
    if (b->consumer == NULL)
        sl_buffer_leave(b);
    return b->count + b->waiting_count + slots <= b->capacity;
}

/* stall_and_wait: out of the way until something happens to the block. */
static inline void sl_stall_and_wait(sl_buffer *b, sl_address address) {
    const sl_slot slot = sl_buffer_take(b); /* first: it may not return */
    if (SL_RARELY(b->waiting_count == b->waiting_capacity)) {
        const uint32_t capacity = b->waiting_capacity * 2 + 8;
        sl_check_flood(b, capacity);
        b->waiting =
            b->system->services->grow(b->system, b->waiting, capacity * sizeof *b->waiting);
        b->waiting_capacity = capacity;
    }
    b->waiting[b->waiting_count++] = (sl_waiting){address, slot};
    b->owner->waiting_total++;
}

/* The messages of a buffer that wait for the block (or all) are looked at again, oldest first. */
static inline void sl_buffer_wake(sl_buffer *b, sl_address address, bool all) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < b->waiting_count; i++) {
        if (!all && b->waiting[i].address != address) {
            b->waiting[kept++] = b->waiting[i];
            continue;
        }
        sl_slot slot = b->waiting[i].slot;
        slot.time = b->system->now;
        sl_buffer_insert(b, slot);
        b->owner->waiting_total--;
    }
    if (kept < b->waiting_count)
        sl_wake_later(b->owner, 1);
    b->waiting_count = kept;
}

static inline void sl_wake_buffers(sl_controller *c, sl_address address, bool all) {
    if (c->waiting_total == 0)
        return;
    for (uint32_t i = 0; i < c->in_buffer_count; i++)
        if (c->in_buffers[i]->waiting_count > 0)
            sl_buffer_wake(c->in_buffers[i], address, all);
}

static inline bool sl_has_waiting(const sl_buffer *b, sl_address address) {
    for (uint32_t i = 0; i < b->waiting_count; i++)
        if (b->waiting[i].address == address)
            return true;
    return false;
}

/* ---- Net destinations and machine ids. */

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

/* How many controllers there are of a type; a protocol can make up types that do not exist. */
static inline uint32_t sl_count(const sl_system *s, uint32_t type) {
    if (SL_RARELY(type >= SL_MACHINE_TYPES)) {
        s->services->missing(s, UINT32_MAX);
        abort(); /* not reached */
    }
    return s->count_of[type];
}

static inline void sl_dest_clear(const sl_system *s, sl_destination *d) {
    for (uint32_t i = 0; i < s->words; i++)
        d->words[i] = 0;
}

static inline void sl_dest_copy(const sl_system *s, sl_destination *to,
                                const sl_destination *from) {
    for (uint32_t i = 0; i < s->words; i++)
        to->words[i] = from->words[i];
}

/* Is there such a controller? */
static inline bool sl_machine_exists(const sl_system *s, sl_machine_id id) {
    return sl_machine_type(id) < SL_MACHINE_TYPES &&
           sl_machine_number(id) < s->count_of[sl_machine_type(id)];
}

static inline void sl_dest_add(const sl_system *s, sl_destination *d, sl_machine_id id) {
    if (SL_RARELY(!sl_machine_exists(s, id)))
        s->services->missing(s, id);
    const uint32_t bit = sl_controller_of(s, id);
    d->words[bit / 64] |= UINT64_C(1) << (bit % 64);
}

static inline void sl_dest_remove(const sl_system *s, sl_destination *d, sl_machine_id id) {
    if (SL_RARELY(!sl_machine_exists(s, id)))
        return;
    const uint32_t bit = sl_controller_of(s, id);
    d->words[bit / 64] &= ~(UINT64_C(1) << (bit % 64));
}

static inline bool sl_dest_has(const sl_system *s, const sl_destination *d, sl_machine_id id) {
    if (SL_RARELY(!sl_machine_exists(s, id)))
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
        count += __builtin_popcountll(d->words[i]);
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

static inline sl_machine_id sl_dest_smallest(const sl_system *s, const sl_destination *d) {
    for (uint32_t i = 0; i < s->words; i++)
        if (d->words[i] != 0)
            return sl_id_of_controller(s, i * 64 + (uint32_t)__builtin_ctzll(d->words[i]));
    return 0;
}

static inline sl_machine_id sl_dest_smallest_of(const sl_system *s, const sl_destination *d,
                                                uint32_t type) {
    for (uint32_t i = 0; i < sl_count(s, type); i++)
        if (sl_dest_has(s, d, sl_machine_make(type, i)))
            return sl_machine_make(type, i);
    return 0;
}

/* A Set holds plain numbers where a NetDest holds controllers. None is as large as there are
 * controllers. */

static inline void sl_set_add(sl_controller *c, sl_destination *d, int64_t number) {
    if (SL_RARELY(number < 0 || number >= (int64_t)c->system->controller_count))
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
            return i * 64 + (uint32_t)__builtin_ctzll(d->words[i]);
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

/* Blocks are spread over the controllers of a type, block by block. */
static inline sl_machine_id sl_map_address(const sl_system *s, sl_address address, uint32_t type) {
    const uint32_t count = sl_count(s, type);
    return sl_machine_make(type, count <= 1 ? 0 : (uint32_t)((address >> SL_BLOCK_BITS) % count));
}

static inline sl_machine_id sl_map_range(const sl_system *s, sl_address address, uint32_t type,
                                         int64_t low, int64_t bits) {
    const uint32_t count = sl_count(s, type);
    const uint32_t number = bits <= 0 || bits > 16
                                ? 0
                                : (uint32_t)(address >> (low & 63) & ((UINT64_C(1) << bits) - 1));
    return sl_machine_make(type, count <= 1 ? 0 : number % count);
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

/* ---- Caches. */

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

static inline bool sl_cache_holds(const sl_cache *c, sl_address address) {
    const uint64_t *tags = c->tags + sl_cache_set(c, address) * c->ways;
    for (uint32_t way = 0; way < c->ways; way++)
        if (tags[way] == (address | 1))
            return true;
    return false;
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
    const uint64_t index = (uint64_t)((uintptr_t)entry - (uintptr_t)c->entries) / c->entry_size;
    if (SL_RARELY(index >= (c->index_mask + 1) * c->ways))
        sl_fail(c->owner, "setMRU names an entry that the cache does not have", NULL);
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

/* findOther: the first block but this one that the machine has this permission for; this one: there
 * is none. */
static inline sl_address sl_cache_find_other(const sl_cache *c, uint32_t permission,
                                             sl_address but) {
    const uint64_t count = (c->index_mask + 1) * c->ways;
    const uint64_t *t = c->tags;
    for (uint64_t i = 0; i < count; i++) {
        while (i + 8 <= count && (t[i] | t[i + 1] | t[i + 2] | t[i + 3] | t[i + 4] | t[i + 5] |
                                  t[i + 6] | t[i + 7]) == 0)
            i += 8; /* most of a large cache is empty */
        if (i == count || t[i] == 0 || t[i] == (but | 1))
            continue;
        const sl_entry *e = (const sl_entry *)(const void *)(c->entries + i * c->entry_size);
        if (e->permission == permission)
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
        if (SL_RARELY(c->system->watch_permissions))
            c->system->services->permission(c->owner, sl_cache_at(c, sl_cache_set(c, address), way),
                                            SL_NO_PERMISSION);
        tags[way] = 0;
    }
}

/* ---- Tables. */

static inline uint32_t sl_table_place(const sl_table *t, sl_address address) {
    return (uint32_t)((address >> SL_BLOCK_BITS) * UINT64_C(0x9e3779b97f4a7c15) >> 40) & t->mask;
}

static inline void *sl_table_lookup(const sl_table *t, sl_address address) {
    if (t->count == 0)
        return NULL;
    for (uint32_t place = sl_table_place(t, address);; place = (place + 1) & t->mask) {
        sl_entry *e = t->places[place];
        if (e == NULL || e->address == address)
            return e;
    }
}

static inline void sl_table_insert(sl_table *t, sl_entry *e) {
    uint32_t place = sl_table_place(t, e->address);
    while (t->places[place] != NULL)
        place = (place + 1) & t->mask;
    t->places[place] = e;
}

static inline void sl_table_enlarge(sl_table *t) {
    sl_entry **old = t->places;
    const uint32_t old_mask = t->mask, mask = old_mask * 2 + 1;
    t->places = t->system->services->grow(t->system, NULL, (mask + 1) * sizeof *t->places);
    t->mask = mask;
    memset(t->places, 0, (mask + 1) * sizeof *t->places);
    for (uint32_t i = 0; i <= old_mask; i++)
        if (old[i] != NULL)
            sl_table_insert(t, old[i]);
}

/* A protocol that allocates and never deallocates is wrong, too. */
enum { SL_MOST_RECORDS = 1 << 20 };

static inline void sl_check_records(sl_controller *owner, uint32_t count) {
    if (SL_RARELY(owner != NULL && count >= SL_MOST_RECORDS))
        sl_fail(owner, "a table is flooded with records", NULL);
}

static inline void *sl_table_allocate(sl_table *t, sl_address address) {
    if (SL_RARELY(t->free == NULL)) {
        sl_check_records(t->owner, t->count);
        const uint32_t batch = 32;
        uint8_t *chunk = t->system->services->grow(t->system, NULL, (size_t)batch * t->record_size);
        for (uint32_t i = 0; i < batch; i++) {
            sl_entry *e = (sl_entry *)(void *)(chunk + (size_t)i * t->record_size);
            memcpy(&e->address, &t->free, sizeof(void *));
            t->free = e;
        }
    }
    if (SL_RARELY((t->count + 1) * 2 > t->mask))
        sl_table_enlarge(t);
    sl_entry *e = t->free;
    memcpy(&t->free, &e->address, sizeof(void *));
    *e = (sl_entry){.address = address, .permission = SL_NO_PERMISSION};
    t->count++;
    sl_table_insert(t, e);
    return e;
}

static inline void sl_table_deallocate(sl_table *t, sl_address address) {
    if (t->count == 0)
        return;
    uint32_t place = sl_table_place(t, address);
    while (t->places[place] != NULL && t->places[place]->address != address)
        place = (place + 1) & t->mask;
    sl_entry *e = t->places[place];
    if (e == NULL)
        return;
    t->places[place] = NULL;
    t->count--;
    memcpy(&e->address, &t->free, sizeof(void *));
    t->free = e;
    /* Close the gap: entries behind it may have passed over this place. */
    for (uint32_t next = (place + 1) & t->mask; t->places[next] != NULL;
         next = (next + 1) & t->mask) {
        sl_entry *moved = t->places[next];
        t->places[next] = NULL;
        sl_table_insert(t, moved);
    }
}

static inline bool sl_table_has_room(const sl_table *t) {
    return t->capacity == 0 || t->count < t->capacity;
}

/* ---- Timers. */

static inline void sl_timer_set(sl_timer *t, sl_address address, uint64_t time) {
    if (t->count == t->capacity) {
        const uint32_t capacity = t->capacity * 2 + 8;
        sl_check_records(t->consumer, t->count);
        t->items = t->system->services->grow(t->system, t->items, capacity * sizeof *t->items);
        t->capacity = capacity;
    }
    t->items[t->count].address = address;
    t->items[t->count++].time = time;
    sl_wake(t->system, t->consumer->id, time > t->system->now ? time : t->system->now + 1);
}

static inline void sl_timer_unset(sl_timer *t, sl_address address) {
    for (uint32_t i = 0; i < t->count; i++)
        if (t->items[i].address == address) {
            t->items[i] = t->items[--t->count];
            return;
        }
}

static inline bool sl_timer_is_set(const sl_timer *t, sl_address address) {
    for (uint32_t i = 0; i < t->count; i++)
        if (t->items[i].address == address)
            return true;
    return false;
}

/* The earliest item that is due; its place, or the count. */
static inline uint32_t sl_timer_due(const sl_timer *t) {
    uint32_t due = t->count;
    for (uint32_t i = 0; i < t->count; i++)
        if (t->items[i].time <= t->system->now &&
            (due == t->count || t->items[i].time < t->items[due].time))
            due = i;
    return due;
}

static inline bool sl_timer_is_ready(const sl_timer *t) {
    return sl_timer_due(t) < t->count;
}

static inline sl_address sl_timer_next(const sl_timer *t) {
    const uint32_t due = sl_timer_due(t);
    return due < t->count ? t->items[due].address : 0;
}

/* ---- Persistent requests (token coherence): one entry a block. */

static inline struct sl_persistent_entry *sl_persistent_find(sl_persistent *p, sl_address address) {
    for (uint32_t i = 0; i < p->count; i++)
        if (p->items[i].address == address)
            return &p->items[i];
    return NULL;
}

static inline void sl_persistent_lock(sl_persistent *p, sl_address address, sl_machine_id who,
                                      bool write) {
    struct sl_persistent_entry *e = sl_persistent_find(p, address);
    if (e == NULL) {
        if (p->count == p->capacity) {
            const uint32_t capacity = p->capacity * 2 + 8;
            sl_check_records(p->owner, p->count);
            p->items = p->system->services->grow(p->system, p->items, capacity * sizeof *p->items);
            p->capacity = capacity;
        }
        e = &p->items[p->count++];
        e->address = address;
        sl_dest_clear(p->system, &e->starving);
        sl_dest_clear(p->system, &e->marked);
        sl_dest_clear(p->system, &e->writing);
    }
    sl_dest_add(p->system, &e->starving, who);
    if (write)
        sl_dest_add(p->system, &e->writing, who);
}

static inline void sl_persistent_unlock(sl_persistent *p, sl_address address, sl_machine_id who) {
    struct sl_persistent_entry *e = sl_persistent_find(p, address);
    if (e == NULL)
        return;
    sl_dest_remove(p->system, &e->starving, who);
    sl_dest_remove(p->system, &e->marked, who);
    sl_dest_remove(p->system, &e->writing, who);
    if (sl_dest_count(p->system, &e->starving) == 0)
        *e = p->items[--p->count];
}

static inline bool sl_persistent_may_issue(sl_persistent *p, sl_address address,
                                           sl_machine_id who) {
    const struct sl_persistent_entry *e = sl_persistent_find(p, address);
    return e == NULL ||
           (!sl_dest_has(p->system, &e->starving, who) && !sl_dest_has(p->system, &e->marked, who));
}

static inline sl_machine_id sl_persistent_smallest(sl_persistent *p, sl_address address) {
    const struct sl_persistent_entry *e = sl_persistent_find(p, address);
    return e == NULL ? 0 : sl_dest_smallest(p->system, &e->starving);
}

/* Does the first in line want to write? */
static inline bool sl_persistent_writes(sl_persistent *p, sl_address address) {
    const struct sl_persistent_entry *e = sl_persistent_find(p, address);
    return e != NULL &&
           sl_dest_has(p->system, &e->writing, sl_dest_smallest(p->system, &e->starving));
}

/* All that starve now are marked: they wait for the others before they ask again. */
static inline void sl_persistent_mark(sl_persistent *p, sl_address address) {
    struct sl_persistent_entry *e = sl_persistent_find(p, address);
    if (e != NULL)
        sl_dest_copy(p->system, &e->marked, &e->starving);
}

static inline int32_t sl_persistent_count(sl_persistent *p, sl_address address) {
    const struct sl_persistent_entry *e = sl_persistent_find(p, address);
    return e == NULL ? 0 : sl_dest_count(p->system, &e->starving);
}

static inline int32_t sl_persistent_readers(sl_persistent *p, sl_address address) {
    const struct sl_persistent_entry *e = sl_persistent_find(p, address);
    return e == NULL
               ? 0
               : sl_dest_count(p->system, &e->starving) - sl_dest_count(p->system, &e->writing);
}

/* ---- Data. */

static inline void sl_data_clear(sl_data *d) {
    memset(d, 0, sizeof *d);
}

static inline void sl_data_copy_part(sl_controller *c, sl_data *to, const sl_data *from,
                                     int64_t offset, int64_t length) {
    if (SL_RARELY(offset < 0 || offset > SL_BLOCK_BYTES || length < 0 ||
                  length > SL_BLOCK_BYTES - offset))
        sl_fail(c, "copyPartial names bytes outside of the block", NULL);
    memmove((uint8_t *)to + offset, (const uint8_t *)from + offset, (size_t)length);
}

/* ---- Errors: a failing assertion, error(), a missing entry. Does not return. */

_Noreturn static inline void sl_fail(sl_controller *c, const char *message, const char *place) {
    c->system->services->stop(c, message, place); /* jumps back to where the run began */
    abort();
}

/* A pointer that must not be null: a protocol that follows it is wrong. */
static inline void *sl_valid(sl_controller *c, void *pointer, const char *place) {
    if (SL_RARELY(pointer == NULL))
        sl_fail(c, "an entry is used that does not exist", place);
    return pointer;
}

/* An entry of any kind where one of a certain structure is expected. */
static inline void *sl_record(sl_controller *c, void *entry, uint32_t record, const char *place) {
    if (SL_RARELY(entry != NULL && ((const sl_entry *)entry)->record != record))
        sl_fail(c, "an entry is not of the structure that is expected", place);
    return entry;
}

/* The permission that a state has. */
static inline int32_t sl_permission(sl_controller *c, const uint8_t *permissions, uint32_t states,
                                    int32_t state) {
    if (SL_RARELY((uint32_t)state >= states))
        sl_fail(c, "a value is not a state of the machine", NULL);
    return permissions[state];
}

/* ---- Memory, for protocols that ask for it by function and not by message. */

static inline sl_buffer *sl_memory_queue(sl_controller *c) {
    if (SL_RARELY(c->memory_responses == NULL))
        sl_fail(c, "the controller has no queue for memory's answers", NULL);
    return c->memory_responses;
}

static inline void sl_memory_access(sl_controller *c, int32_t type, sl_machine_id sender,
                                    sl_address address, sl_cycles delay, const sl_data *data) {
    sl_check_delay(sl_memory_queue(c), delay);
    sl_memory_message *m = sl_message_new(c->system, SL_MEMORY_MESSAGE);
    const sl_message header = m->header;
    *m = (sl_memory_message){.addr = address, .Type = type, .Sender = sender};
    m->header = header;
    if (data != NULL)
        m->DataBlk = *data;
    c->system->services->send(c->memory_responses, &m->header, delay);
}

/* ---- Arithmetic. Numbers have 64 bits and wrap around; the generated code adds, subtracts,
 * negates and shifts them as uint64_t. Division by zero is a protocol error. */

static inline void sl_check_divisor(sl_controller *c, uint64_t divisor) {
    if (SL_RARELY(divisor == 0))
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

/* ---- Taking a transition. The functions are the machine's own. */

typedef uint32_t (*sl_get_state)(sl_controller *c, void *tbe, void *entry, sl_address address);
typedef void (*sl_set_state)(sl_controller *c, void *tbe, void *entry, sl_address address,
                             uint32_t state);
typedef uint32_t (*sl_next_state)(sl_controller *c, sl_address address);

/* Inlined into each machine's own function, so that its state functions are called directly and the
 * size of its table is known. */
__attribute__((always_inline)) static inline sl_result
sl_take(sl_controller *c, uint32_t event, void *entry, void *tbe, sl_address address,
        sl_table *tbes, uint32_t states, uint32_t events, sl_get_state get_state,
        sl_set_state set_state, sl_next_state next_state) {
    const uint32_t state = get_state(c, tbe, entry, address);
    if (SL_RARELY(state >= states))
        sl_fail(c, "getState returns a value that is not a state of the machine", NULL);
    if (SL_RARELY(event >= events))
        sl_fail(c, "trigger is given a value that is not an event of the machine", NULL);
    c->state = state;
    c->event = event;
    c->address = address;
    const uint32_t index = state * events + event;
    const sl_cell *cell = &c->cells[index];
    const uint32_t flags = cell->flags;
    if (SL_RARELY((flags & SL_DEFINED) == 0))
        sl_fail(c, "the protocol defines no transition", NULL);
    for (uint32_t i = 0; SL_RARELY(c->system->bounded) && i < cell->resource_count; i++) {
        const sl_resource *r = &c->machine->resources[cell->first_resource + i];
        sl_buffer *buffer;
        memcpy(&buffer, (const uint8_t *)c + r->buffer, sizeof buffer);
        if (!sl_has_room(buffer, r->slots))
            return SL_RESOURCE_STALL;
    }
    if ((flags & (SL_CHECK_TBE | SL_STALL)) != 0) {
        if ((flags & SL_CHECK_TBE) != 0 && !sl_table_has_room(tbes))
            return SL_RESOURCE_STALL;
        if ((flags & SL_STALL) != 0)
            return SL_PROTOCOL_STALL;
    }
    uint32_t next = cell->next;
    if (SL_RARELY((flags & SL_NEXT_BY_FUNCTION) != 0)) {
        next = next_state(c, address);
        if (SL_RARELY(next >= states))
            sl_fail(c, "getNextState returns a value that is not a state of the machine", NULL);
    }
    sl_transition t = {.tbe = tbe, .entry = entry, .address = address};
    if (SL_RARELY(cell->sequence == 0))
        for (uint32_t i = 0; i < cell->action_count; i++)
            c->action_functions[c->action_list[cell->first_action + i]](c, &t);
    else
        c->sequences[cell->sequence](c, &t);
    c->counts[index]++;
    if (SL_RARELY(c->system->watch_transitions))
        c->system->services->transition(c, state, event, next, address);
    set_state(c, t.tbe, t.entry, address, next);
    return SL_VALID;
}

/* changePermission */
static inline void sl_change_permission(sl_controller *c, void *entry, uint32_t permission) {
    sl_entry *e = entry;
    if (SL_RARELY(e == NULL))
        sl_fail(c, "an entry is used that does not exist", NULL);
    if (SL_RARELY(c->system->watch_permissions && e->permission != permission))
        c->system->services->permission(c, e, permission);
    e->permission = permission;
}

#endif
