/* SPDX-License-Identifier: MIT */
/* Controllers, the system that they are in, its event wheel (who wakes up when) and the instance's
 * chance. */
#ifndef COLLIDER_PROTOCOL_SYSTEM_H
#define COLLIDER_PROTOCOL_SYSTEM_H

#include "collider/protocol/description.h"

#include <stddef.h>
#include <string.h>

/* The state of a block, of which there may be a TBE and an entry. */
typedef uint32_t (*sl_get_state)(sl_controller *c, void *tbe, void *entry, sl_address address);

struct sl_controller {
    sl_system *system;
    uint64_t last_wakeup;
    void (*wakeup)(sl_controller *controller); /* the machine's */
    const sl_machine *machine;
    sl_cell *cells;   /* the design's own copy of the table */
    uint32_t *counts; /* transitions taken, by cell */
    sl_action const *sequences;
    sl_action const *action_functions;
    const uint16_t *action_list;
    uint32_t event_count;
    uint32_t id, number;
    sl_machine_id machine_id;
    uint32_t core; /* whose private controller this is, of several the first; UINT32_MAX: shared */
    uint32_t sequencer; /* which of its cores it speaks to */
    uint32_t transitions_per_cycle;
    uint32_t waiting_total; /* messages that wait for their block */
    uint32_t calls;         /* in this wakeup, of functions that count them */
    uint32_t state, event;  /* of the transition under way, for errors */
    sl_address address;
    sl_get_state get_state; /* of its machine; NULL: it has not taken a transition yet */
    uint32_t in_buffer_count;
    sl_buffer **in_buffers;
    sl_machine_id downstream;    /* where its requests go: the first controller that takes them */
    uint32_t downstream_count;   /* among how many blocks are spread; 0: the design says nothing */
    sl_buffer *memory_responses; /* of a controller with memory behind it */
    bool keeps_data; /* memory, as a MemoryControl, only takes time: until 2014 directories kept the
                      * data, and said in a request what is to be read */
    sl_lock *locks;  /* blocks that its cores have locked */
    uint32_t lock_count, lock_capacity;
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
    /* A store-conditional has failed; is the block of one still linked? */
    void (*store_failed)(sl_controller *controller, sl_address address);
    bool (*is_linked)(sl_controller *controller, sl_address address);
    void (*evicted)(sl_controller *controller, sl_address address);
    void (*dma_read_done)(sl_controller *controller, sl_address address, const sl_data *data);
    void (*dma_write_done)(sl_controller *controller, sl_address address);
    /* A store that goes to the level below: its bytes go into the block. */
    void (*store_through)(sl_controller *controller, sl_address address, sl_data *data);
    void (*send)(sl_buffer *buffer, sl_message *message, sl_cycles delay);
    /* Controller `to` cannot get the message. Does not return. */
    void (*refuse)(const sl_buffer *from, uint32_t to, const sl_message *message);
    /* If messages are watched: */
    void (*sent)(sl_buffer *buffer, sl_message *message);
    void (*received)(sl_buffer *buffer, const sl_message *message);
    void (*transition)(sl_controller *controller, uint32_t state, uint32_t event, uint32_t next,
                       sl_address address);
    void (*permission)(sl_controller *controller, sl_entry *entry, uint32_t permission);
    void (*stop)(sl_controller *controller, const char *message, const char *place);
    void (*missing)(const sl_system *system, sl_machine_id id); /* does not return */
    /* Never NULL: it does not return when memory runs out, so set capacities after it. */
    void *(*grow)(sl_system *system, void *old, size_t size);
} sl_services;

/* Which member of a set a search takes where the smallest one is asked for. */
typedef struct sl_picker {
    uint32_t wanted; /* the smallest is number 0 */
    uint32_t most;   /* members that there were, at most */
    uint32_t calls;  /* with several members; more than one are too many */
} sl_picker;

struct sl_slot;
struct sl_system {
    uint64_t now;
    uint64_t order; /* messages sent so far */
    const sl_services *services;
    uint32_t words;                      /* of net destinations in use */
    uint32_t message_size;               /* of a record of the pool */
    sl_message *free_messages;           /* linked through their headers */
    uint32_t first_of[SL_MACHINE_TYPES]; /* controller id of number 0 */
    uint32_t count_of[SL_MACHINE_TYPES];
    uint32_t clusters_of[SL_MACHINE_TYPES]; /* groups, each of which serves some controllers */
    uint32_t controller_count;
    bool watch_transitions, watch_permissions, watch_messages;
    bool bounded;       /* some buffer has a capacity */
    uint64_t random[4]; /* the instance's chance */
    uint64_t wheel_bits[SL_WHEEL_SLOTS / 64];
    sl_wheel_slot wheel[SL_WHEEL_SLOTS];
    sl_far_event *far;
    uint32_t far_count, far_capacity;
    struct sl_slot *woken; /* while messages that waited go back to their queue */
    uint32_t woken_capacity;
    int32_t tokens;    /* max_tokens() */
    int64_t ignored;   /* counters that nobody reads */
    sl_picker *picker; /* of a search; NULL: the smallest member is the smallest */
};

/* Room for one more of `count` items, which may move. */
static inline void *sl_reserve(sl_system *s, void *items, uint32_t count, uint32_t *capacity,
                               size_t size) {
    if (count < *capacity)
        return items;
    const uint32_t more = *capacity * 2 + 8;
    items = s->services->grow(s, items, more * size);
    *capacity = more; /* behind the call, which may not return */
    return items;
}

/* ---- The event wheel. */

/* Is the time near, and is there room? */
static inline bool sl_wheel_takes(const sl_system *s, uint64_t time) {
    const sl_wheel_slot *slot = &s->wheel[time & (SL_WHEEL_SLOTS - 1)];
    return time - s->now < SL_WHEEL_SLOTS && slot->count < slot->capacity;
}

static inline void sl_wheel_add(sl_system *s, uint32_t id, uint64_t time) {
    const uint32_t place = (uint32_t)time & (SL_WHEEL_SLOTS - 1);
    sl_wheel_slot *slot = &s->wheel[place];
    slot->ids[slot->count++] = id;
    s->wheel_bits[place / 64] |= UINT64_C(1) << (place % 64);
}

COL_COLD void sl_wake_with_room(sl_system *s, uint32_t id, uint64_t time) {
    if (time - s->now >= SL_WHEEL_SLOTS) {
        s->far = sl_reserve(s, s->far, s->far_count, &s->far_capacity, sizeof *s->far);
        s->far[s->far_count++] = (sl_far_event){time, id};
        return;
    }
    sl_wheel_slot *slot = &s->wheel[time & (SL_WHEEL_SLOTS - 1)];
    uint32_t *ids = s->services->grow(s, NULL, (slot->capacity * 2 + 8) * sizeof *ids);
    memcpy(ids, slot->ids, slot->count * sizeof *ids);
    slot->capacity = slot->capacity * 2 + 8;
    slot->ids = ids;
    sl_wheel_add(s, id, time);
}

static inline void sl_wake(sl_system *s, uint32_t id, uint64_t time) {
    if (COL_RARELY(!sl_wheel_takes(s, time)))
        sl_wake_with_room(s, id, time);
    else
        sl_wheel_add(s, id, time);
}

static inline void sl_wake_later(sl_controller *c, sl_cycles delay) {
    sl_wake(c->system, c->id, c->system->now + delay);
}

/* The instance's chance (xoshiro256++). */
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

/* Up to `most` by that chance. */
static inline uint32_t sl_chance(sl_system *s, uint32_t most) {
    return most == 0 ? 0 : (uint32_t)((sl_random(s) >> 32) * ((uint64_t)most + 1) >> 32);
}

#endif
