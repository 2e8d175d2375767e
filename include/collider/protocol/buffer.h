/* SPDX-License-Identifier: MIT */
/* Message buffers (enqueue, peek, dequeue, recycle, stall and wait), blocks that are locked, and
 * memory for protocols that ask for it by function and not by message. */
#ifndef COLLIDER_PROTOCOL_BUFFER_H
#define COLLIDER_PROTOCOL_BUFFER_H

#include "collider/protocol/error.h"

/* A message in a buffer: due at `time`; `order` breaks ties by age. */
typedef struct sl_slot {
    uint64_t time, order;
    sl_message *message;
} sl_slot;

/* A message that waits for something to happen to its block. */
typedef struct sl_waiting {
    sl_address address;
    sl_slot slot;
    uint32_t next; /* place of the next one in its list, from 1; 0: it is the last */
    bool is_over;  /* it waits no longer */
} sl_waiting;

/* Messages that wait, in the order in which they began to, and in lists by their blocks: a thousand
 * may wait where all cores want the same blocks. */
enum { SL_WAITING_LISTS = 16 };

typedef struct sl_waiting_list {
    uint32_t first, last; /* places, from 1; 0: there are none */
} sl_waiting_list;

/* A virtual network: how long a message takes, and who gets it. */
typedef struct sl_route {
    uint32_t latency, jitter;
    sl_buffer **receivers; /* of each controller; NULL: it does not listen */
} sl_route;

struct sl_buffer {
    sl_slot first;   /* its time is UINT64_MAX if there is no message */
    uint32_t count;  /* of messages: the first, and those in the ring */
    uint32_t reader; /* the consumer's id, from 1; 0: the network takes the messages */
    sl_system *system;
    uint64_t last_time;
    const sl_route *route; /* to controllers, by a network that takes every message at once */
    int32_t message;       /* the type of its messages; -1: no port reads them */
    bool ordered;
    /* From here on less often used: what is before this is a line of the host's cache. */
    int32_t network;   /* virtual network of a buffer to or from the network; -1: none */
    uint32_t capacity; /* 0: no limit */
    sl_buffer *peer;   /* a buffer wired straight to another one */
    sl_slot *ring;
    uint32_t head, mask;
    sl_controller *consumer; /* who is woken; NULL: nobody */
    sl_controller *owner;
    uint64_t *last_to; /* of an ordered buffer to the network: last arrival at each controller */
    uint32_t waiting_count;                 /* messages that wait */
    uint32_t waiting_end, waiting_capacity; /* places of them, and of some that wait no longer */
    sl_waiting *waiting;
    sl_waiting_list waiting_lists[SL_WAITING_LISTS];
    const char *name;
};

COL_COLD void sl_message_make(sl_system *s) {
    const uint32_t batch = 256;
    sl_message *m = NULL;
    uint8_t *chunk = s->services->grow(s, NULL, (size_t)batch * s->message_size);
    for (uint32_t i = 0; i < batch; i++) {
        sl_message *fresh = (sl_message *)(void *)(chunk + (size_t)i * s->message_size);
        memcpy((void *)fresh, &m, sizeof(void *));
        m = fresh;
    }
    s->free_messages = m;
}

static inline void *sl_message_new(sl_system *s, uint32_t type) {
    if (COL_RARELY(s->free_messages == NULL))
        sl_message_make(s);
    sl_message *m = s->free_messages;
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

static inline sl_slot *sl_buffer_at(sl_buffer *b, uint32_t position) {
    return position == 0 ? &b->first : &b->ring[(b->head + position - 1) & b->mask];
}

/* A protocol that sends and never receives is wrong: without a bound it would take all memory. What
 * a right one has in one queue are a few messages for each access of each core. */
static inline void sl_check_flood(const sl_buffer *b, uint32_t messages) {
    if (COL_RARELY(messages > 4096 + 256 * b->system->controller_count))
        sl_fail(b->owner, "a queue is flooded with messages", b->name);
}

COL_COLD void sl_buffer_grow(sl_buffer *b) {
    const uint32_t size = (b->mask + 1) * 2;
    sl_check_flood(b, size);
    sl_slot *ring = b->system->services->grow(b->system, NULL, size * sizeof *ring);
    for (uint32_t i = 1; i < b->count; i++)
        ring[i - 1] = *sl_buffer_at(b, i);
    /* The old ring stays in the system's memory; rings double, so this at most doubles the use. */
    b->ring = ring;
    b->head = 0;
    b->mask = size - 1;
}

static inline bool sl_slot_before(const sl_slot *a, const sl_slot *b) {
    return a->time < b->time || (a->time == b->time && a->order < b->order);
}

/* Puts a slot where its time and age belong, which is near the end. */
static inline void sl_buffer_insert(sl_buffer *b, sl_slot slot) {
    if (COL_RARELY(b->count > b->mask))
        sl_buffer_grow(b);
    const uint32_t others = b->count++;
    if (others == 0) {
        b->first = slot;
        return;
    }
    uint32_t place = (b->head + others - 1) & b->mask, in_ring = others - 1;
    while (in_ring > 0 && !sl_slot_before(&b->ring[(place - 1) & b->mask], &slot)) {
        b->ring[place] = b->ring[(place - 1) & b->mask];
        place = (place - 1) & b->mask;
        in_ring--;
    }
    const bool is_first = in_ring == 0 && !sl_slot_before(&b->first, &slot);
    b->ring[place] = is_first ? b->first : slot;
    if (is_first)
        b->first = slot;
}

/* A negative latency is an absurd one, too. */
static inline void sl_check_delay(const sl_buffer *b, sl_cycles delay) {
    if (COL_RARELY(delay > UINT32_MAX))
        sl_fail(b->owner, "a message is delayed by a negative or absurd number of cycles", b->name);
}

/* Where there are other messages, or the wheel has no room. */
COL_NEVER_INLINE void sl_buffer_put_among(sl_buffer *b, sl_message *m, uint64_t time) {
    sl_system *s = b->system;
    sl_buffer_insert(b, (sl_slot){.time = time, .order = s->order++, .message = m});
    if (b->reader > 0)
        sl_wake(s, b->reader - 1, time);
}

/* The message arrives at this buffer after `delay` cycles. */
COL_ALWAYS_INLINE void sl_buffer_put(sl_buffer *b, sl_message *m, sl_cycles delay) {
    sl_system *s = b->system;
    uint64_t time = s->now + delay;
    if (b->ordered && time < b->last_time)
        time = b->last_time;
    b->last_time = time;
    if (b->count > 0 || b->reader == 0 || !sl_wheel_takes(s, time)) {
        sl_buffer_put_among(b, m, time);
        return;
    }
    b->count = 1;
    b->first = (sl_slot){.time = time, .order = s->order++, .message = m};
    sl_wheel_add(s, b->reader - 1, time);
}

static inline void sl_forward(sl_buffer *b, sl_message *m, sl_cycles delay) {
    if (b->reader == 0 && (b->peer == NULL || b->capacity > 0))
        b->system->services->send(b, m, delay);
    else if (b->reader > 0)
        sl_buffer_put(b, m, delay);
    else
        sl_buffer_put(b->peer, m, delay + 1);
}

COL_COLD void sl_enqueue_watched(sl_buffer *b, void *message, sl_cycles delay) {
    b->system->services->sent(b, message);
    sl_forward(b, message, delay);
}

/* To one controller, by a network that takes every message at once. */
static inline void sl_send_to(sl_buffer *b, uint32_t id, sl_message *m, sl_cycles delay) {
    sl_system *s = b->system;
    const sl_route *route = b->route;
    sl_buffer *target = COL_RARELY(id >= s->controller_count) ? NULL : route->receivers[id];
    if (COL_RARELY(target == NULL ||
                   (target->message != (int32_t)m->type && target->message >= 0))) {
        s->services->refuse(b, id, m);
        abort(); /* not reached */
    }
    sl_buffer_put(target, m, delay + route->latency + sl_chance(s, route->jitter));
}

COL_NEVER_INLINE void sl_send_to_all(sl_buffer *b, sl_message *m, const sl_destination *to,
                                     sl_cycles delay) {
    sl_system *s = b->system;
    for (uint32_t word = 0; word < s->words; word++)
        for (uint64_t bits = to->words[word]; bits != 0; bits &= bits - 1) {
            m->references++;
            sl_send_to(b, word * 64 + COL_LOWEST_BIT(bits), m, delay);
        }
    sl_message_release(s, m);
}

COL_NEVER_INLINE void sl_send_by_route(sl_buffer *b, sl_message *m, const sl_destination *to,
                                       sl_cycles delay) {
    const uint64_t bits = to->words[0];
    if (b->system->words > 1 || bits == 0 || (bits & (bits - 1)) != 0)
        sl_send_to_all(b, m, to, delay);
    else
        sl_send_to(b, COL_LOWEST_BIT(bits), m, delay);
}

/* enqueue: into a queue of the controller's own, or out through the network. */
static inline void sl_enqueue(sl_buffer *b, void *message, sl_cycles delay) {
    sl_check_delay(b, delay);
    if (COL_RARELY(b->system->watch_messages))
        sl_enqueue_watched(b, message, delay);
    else
        sl_forward(b, message, delay);
}

/* The same, of a message that names its receivers. */
static inline void sl_enqueue_to(sl_buffer *b, void *message, const sl_destination *to,
                                 sl_cycles delay) {
    if (b->route == NULL || COL_RARELY(b->system->watch_messages || delay > UINT32_MAX))
        sl_enqueue(b, message, delay);
    else
        sl_send_by_route(b, message, to, delay);
}

static inline bool sl_is_ready(const sl_buffer *b) {
    return b->first.time <= b->system->now;
}

static inline void *sl_peek(const sl_buffer *b) {
    if (COL_RARELY(b->count == 0))
        sl_fail(b->owner, "a message is looked at that is not there", b->name);
    return b->first.message;
}

static inline sl_slot sl_buffer_take(sl_buffer *b) {
    if (COL_RARELY(b->count == 0))
        sl_fail(b->owner, "a message is taken that is not there", b->name);
    const sl_slot slot = b->first;
    if (--b->count == 0) {
        b->first.time = UINT64_MAX;
    } else {
        b->first = b->ring[b->head];
        b->head = b->count == 1 ? 0 : (b->head + 1) & b->mask; /* the same few slots again */
    }
    return slot;
}

/* A buffer to the network has slots of messages that are gone. */
static inline sl_slot sl_buffer_take_message(sl_buffer *b) {
    const sl_slot slot = sl_buffer_take(b);
    if (COL_RARELY(slot.message == NULL))
        sl_fail(b->owner, "a message is taken that was sent", b->name);
    return slot;
}

static inline sl_cycles sl_drop_first(sl_buffer *b) {
    const sl_slot slot = sl_buffer_take_message(b);
    sl_message_release(b->system, slot.message);
    return b->system->now - slot.time;
}

COL_COLD sl_cycles sl_dequeue_watched(sl_buffer *b) {
    if (b->count > 0 && b->first.message != NULL)
        b->system->services->received(b, b->first.message);
    return sl_drop_first(b);
}

static inline sl_cycles sl_dequeue(sl_buffer *b) {
    return COL_RARELY(b->system->watch_messages) ? sl_dequeue_watched(b) : sl_drop_first(b);
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
    if (b->reader == 0)
        sl_buffer_leave(b);
    return b->count + b->waiting_count + slots <= b->capacity;
}

static inline sl_waiting_list *sl_waiting_list_of(sl_buffer *b, sl_address address) {
    const uint64_t hash = (address >> SL_BLOCK_BITS) * UINT64_C(0x9e3779b97f4a7c15);
    return &b->waiting_lists[hash >> 60 & (SL_WAITING_LISTS - 1)];
}

static inline void sl_waiting_add(sl_buffer *b, sl_address address, sl_slot slot) {
    sl_waiting_list *list = sl_waiting_list_of(b, address);
    b->waiting[b->waiting_end++] = (sl_waiting){.address = address, .slot = slot};
    if (list->last > 0)
        b->waiting[list->last - 1].next = b->waiting_end;
    else
        list->first = b->waiting_end;
    list->last = b->waiting_end;
}

/* Leaves no places of messages that wait no longer, or doubles their number. */
COL_NEVER_INLINE void sl_waiting_make_room(sl_buffer *b) {
    const uint32_t end = b->waiting_end;
    if (b->waiting_count >= end / 2) {
        sl_check_flood(b, b->waiting_capacity * 2 + 8);
        b->waiting = sl_reserve(b->system, b->waiting, b->waiting_end, &b->waiting_capacity,
                                sizeof *b->waiting);
    }
    memset(b->waiting_lists, 0, sizeof b->waiting_lists);
    b->waiting_end = 0;
    for (uint32_t i = 0; i < end; i++)
        if (!b->waiting[i].is_over)
            sl_waiting_add(b, b->waiting[i].address, b->waiting[i].slot);
}

static inline void sl_waiting_clear(sl_buffer *b) {
    if (b->waiting_end > 0)
        memset(b->waiting_lists, 0, sizeof b->waiting_lists);
    b->waiting_count = b->waiting_end = 0;
}

/* stall_and_wait: out of the way until something happens to the block. */
static inline void sl_stall_and_wait(sl_buffer *b, sl_address address) {
    const sl_slot slot = sl_buffer_take(b); /* first: it may not return */
    if (COL_RARELY(b->waiting_end == b->waiting_capacity))
        sl_waiting_make_room(b);
    sl_waiting_add(b, address, slot);
    b->waiting_count++;
    b->owner->waiting_total++;
}

/* Puts slots that are due at the same time, ordered by age, among those of a buffer with room. What
 * is due belongs before all that is on its way: it is looked for from the end that is nearer. */
static inline void sl_buffer_merge(sl_buffer *b, const sl_slot *slots, uint32_t count) {
    const uint32_t others = b->count;
    b->count += count;
    if (others > 0 && sl_slot_before(sl_buffer_at(b, others / 2), slots)) {
        for (uint32_t to = b->count, from = others; count > 0;)
            *sl_buffer_at(b, --to) =
                from > 0 && !sl_slot_before(sl_buffer_at(b, from - 1), &slots[count - 1])
                    ? *sl_buffer_at(b, --from)
                    : slots[--count];
    } else {
        b->head = (b->head - count) & b->mask;
        if (others > 0)
            *sl_buffer_at(b, count) = b->first;
        for (uint32_t to = 0, from = count, i = 0; i < count; to++)
            *sl_buffer_at(b, to) =
                from < b->count && sl_slot_before(sl_buffer_at(b, from), &slots[i])
                    ? *sl_buffer_at(b, from++)
                    : slots[i++];
    }
}

/* Adds a slot to a list by its age. Most are younger than all before. */
static inline void sl_slot_add(sl_slot *slots, uint32_t count, sl_slot slot) {
    uint32_t place = 0, end = count;
    if (count == 0 || slots[count - 1].order < slot.order)
        place = count;
    while (place < end) {
        const uint32_t middle = (place + end) / 2;
        if (slots[middle].order < slot.order)
            place = middle + 1;
        else
            end = middle;
    }
    if (place < count)
        memmove(slots + place + 1, slots + place, (count - place) * sizeof *slots);
    slots[place] = slot;
}

static inline void sl_woken_add(sl_system *s, uint32_t count, sl_slot slot) {
    while (COL_RARELY(count >= s->woken_capacity))
        s->woken = sl_reserve(s, s->woken, s->woken_capacity, &s->woken_capacity, sizeof *s->woken);
    slot.time = s->now;
    sl_slot_add(s->woken, count, slot);
}

/* All that wait are among the woken. */
static inline void sl_waiting_take_all(sl_buffer *b) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < b->waiting_end; i++)
        if (!b->waiting[i].is_over)
            sl_woken_add(b->system, count++, b->waiting[i].slot);
}

/* Those that wait for the block are among the woken; how many they are. */
static inline uint32_t sl_waiting_find(sl_buffer *b, sl_address address) {
    uint32_t count = 0;
    for (uint32_t place = sl_waiting_list_of(b, address)->first; place > 0;) {
        const sl_waiting *waiting = &b->waiting[place - 1];
        if (waiting->address == address)
            sl_woken_add(b->system, count++, waiting->slot);
        place = waiting->next;
    }
    return count;
}

static inline void sl_waiting_remove(sl_buffer *b, sl_address address) {
    sl_waiting_list *list = sl_waiting_list_of(b, address);
    uint32_t *to = &list->first;
    list->last = 0;
    for (uint32_t place = list->first; place > 0;) {
        sl_waiting *waiting = &b->waiting[place - 1];
        if (waiting->address == address) {
            waiting->is_over = true;
        } else {
            *to = list->last = place;
            to = &waiting->next;
        }
        place = waiting->next;
    }
    *to = 0;
}

/* The messages of a buffer that wait for the block (or all) are looked at again, oldest first. */
static inline void sl_buffer_wake(sl_buffer *b, sl_address address, bool all) {
    const uint32_t woken = all ? b->waiting_count : sl_waiting_find(b, address);
    if (woken == 0)
        return;
    if (all)
        sl_waiting_take_all(b);
    while (COL_RARELY(b->count + woken > b->mask + 1))
        sl_buffer_grow(b); /* first: it may not return */
    if (woken == b->waiting_count)
        sl_waiting_clear(b);
    else {
        sl_waiting_remove(b, address);
        b->waiting_count -= woken;
    }
    b->owner->waiting_total -= woken;
    sl_buffer_merge(b, b->system->woken, woken);
    sl_wake_later(b->owner, 1);
}

static inline void sl_wake_buffers(sl_controller *c, sl_address address, bool all) {
    if (c->waiting_total == 0)
        return;
    for (uint32_t i = 0; i < c->in_buffer_count; i++)
        if (c->in_buffers[i]->waiting_count > 0)
            sl_buffer_wake(c->in_buffers[i], address, all);
}

static inline bool sl_has_waiting(sl_buffer *b, sl_address address) {
    for (uint32_t place = sl_waiting_list_of(b, address)->first; place > 0;
         place = b->waiting[place - 1].next)
        if (b->waiting[place - 1].address == address)
            return true;
    return false;
}

/* ---- Blocks that a core has locked between the read and the write of an atomic. Messages about
 * such a block wait in the ports that say block_on, except in the queue that the core's write comes
 * from, and a request that would replace it waits where check_on_cache_probe stands. What waits is
 * looked at again in every cycle, behind what has arrived by then, as in gem5. */

struct sl_lock {
    sl_address address;
    const sl_buffer *queue; /* that the write comes from */
};

static inline const sl_lock *sl_find_lock(const sl_controller *c, sl_address address) {
    for (uint32_t i = 0; i < c->lock_count; i++)
        if (c->locks[i].address == address)
            return &c->locks[i];
    return NULL;
}

/* Called only while something is locked: does the first message of the buffer wait? `own`: for
 * locks whose write comes from this buffer, or for all others. */
static inline bool sl_wait_for_lock(sl_controller *c, sl_buffer *b, sl_address address, bool own) {
    const sl_lock *lock = sl_find_lock(c, address);
    if (lock == NULL || (lock->queue == b) != own)
        return false;
    sl_recycle(b, 1);
    return true;
}

static inline void sl_lock_block(sl_controller *c, sl_address address, const sl_buffer *queue) {
    c->locks = sl_reserve(c->system, c->locks, c->lock_count, &c->lock_capacity, sizeof *c->locks);
    c->locks[c->lock_count++] = (sl_lock){address, queue};
}

static inline void sl_unlock_block(sl_controller *c, sl_address address) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < c->lock_count; i++)
        if (c->locks[i].address != address)
            c->locks[kept++] = c->locks[i];
    c->lock_count = kept;
}

/* ---- Memory, for protocols that ask for it by function and not by message. */

static inline sl_buffer *sl_memory_queue(sl_controller *c) {
    if (COL_RARELY(c->memory_responses == NULL))
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

#endif
