/* SPDX-License-Identifier: MIT */
/*
 * States: see search_state.h. An image has a segment for each controller and one for memory, then
 * the messages under way, sorted where their order means nothing, and what the search knows. A step
 * touches one controller, so the other segments are copied.
 */
#include "protocol/explore/search_state.h"

#include <string.h>

enum { IMAGE_SPARE = 16 }; /* bytes that may be written behind it */

void exp_world_meet_limit(world *w, const char *limit) {
    w->limit = limit;
    longjmp(w->system->escape, 1);
}

/* ---- What a system consists of. */

static void *room(world *w, size_t count, size_t size) {
    return sim_grow(&w->system->base, NULL, (count + 1) * size);
}

static void list_parts(world *w) {
    const sl_system *base = &w->system->base;
    uint32_t count = 0, most = 1;
    for (uint32_t i = 0; i < base->controller_count; i++)
        most += w->system->controllers[i]->machine->member_count;
    w->parts = room(w, most, sizeof *w->parts);
    w->timers = room(w, most, sizeof(void *));
    w->caches = room(w, most, sizeof *w->caches);
    w->first_part = room(w, base->controller_count + 1, sizeof *w->first_part);
    for (uint32_t i = 0; i < base->controller_count; i++) {
        sl_controller *c = w->system->controllers[i];
        w->first_part[i] = count;
        for (uint32_t m = 0; m < c->machine->member_count; m++) {
            const sl_member *member = &c->machine->members[m];
            void *pointer = (uint8_t *)c + member->offset;
            if (!exp_part_counts(member))
                continue;
            if (member->kind != SL_MEMBER_NUMBER && member->kind != SL_MEMBER_VALUE)
                memcpy(&pointer, (const uint8_t *)c + member->offset, sizeof pointer);
            w->parts[count++] = (exp_part){member, c->machine, pointer};
            if (member->kind == SL_MEMBER_TIMER)
                w->timers[w->timer_count++] = pointer;
            if (member->kind == SL_MEMBER_CACHE && c->core < w->cores)
                w->caches[w->cache_count++] = (private_cache){c->core, i, pointer};
        }
    }
    w->first_part[base->controller_count] = count;
    w->parts[count++] = (exp_part){.object = w->system->memory};
    w->first_part[base->controller_count + 1] = count;
}

static void list_buffers(world *w) {
    const sl_system *base = &w->system->base;
    for (uint32_t i = 0; i < base->controller_count; i++)
        w->buffer_count += w->system->controllers[i]->in_buffer_count;
    w->buffers = room(w, w->buffer_count, sizeof(void *));
    w->buffer_owner = room(w, w->buffer_count, sizeof *w->buffer_owner);
    w->first_buffer = room(w, base->controller_count, sizeof *w->first_buffer);
    uint32_t next = 0;
    for (uint32_t i = 0; i < base->controller_count; i++) {
        sl_controller *c = w->system->controllers[i];
        c->transitions_per_cycle = 1;
        w->first_buffer[i] = next;
        for (uint32_t b = 0; b < c->in_buffer_count; b++) {
            w->buffer_owner[next] = i;
            w->buffers[next++] = c->in_buffers[b];
        }
    }
    w->first_buffer[base->controller_count] = next;
}

uint8_t *exp_world_new_image(world *w) {
    return room(w, w->image_capacity + IMAGE_SPARE, 1);
}

/* Images never grow: they have room for the largest. */
static void make_room(world *w) {
    size_t bytes = 4 + (size_t)w->blocks * (1 + 2 * w->cores) + w->cores, message = 0;
    for (uint32_t i = 0; i < w->first_part[w->system->base.controller_count + 1]; i++)
        bytes += exp_part_bytes(&w->parts[i]);
    for (uint32_t i = 0; i < w->system->protocol->message_count; i++) {
        const size_t type = exp_message_bytes(&w->system->protocol->messages[i]);
        message = type > message ? type : message;
    }
    w->image_capacity = bytes + MOST_FLIGHTS * (message + 2);
    w->image = exp_world_new_image(w);
    w->scratch = room(w, MOST_FLIGHTS * (message + 2), 1);
    w->segments = room(w, w->system->base.controller_count + 2, sizeof *w->segments);
}

void exp_world_open(world *w, sim_system *system, uint32_t blocks, bool remembers) {
    *w = (world){.system = system,
                 .remembers = remembers,
                 .cores = system->wiring.cores,
                 .blocks = blocks,
                 .imager = {.base = &system->base,
                            .protocol = system->protocol,
                            .blocks = blocks,
                            .destination_bytes = (system->base.controller_count + 7) / 8},
                 .plain = {.keeps_controllers = true},
                 .is_there = true,
                 .touched = NOBODY,
                 .delivered = NOBODY};
    for (uint32_t i = 0; i < EXP_MOST_CONTROLLERS; i++)
        w->plain.controller[i] = w->plain.old_controller[i] = (uint8_t)i;
    for (uint32_t i = 0; i < EXP_MOST_CORES; i++)
        w->plain.core[i] = w->plain.old_core[i] = (uint8_t)i;
    for (uint32_t i = 0; i < EXP_MOST_BLOCKS; i++)
        w->plain.block[i] = w->plain.old_block[i] = (uint8_t)i;
    list_parts(w);
    list_buffers(w);
    make_room(w);
}

uint32_t exp_world_alarms(world *w, alarm_clock *alarms) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->timer_count; i++)
        for (uint32_t item = 0; item < w->timers[i]->count; item++) {
            if (count == MOST_ALARMS)
                exp_world_meet_limit(w, "timers");
            alarms[count++] = (alarm_clock){w->timers[i], item};
        }
    return count;
}

uint32_t exp_world_alarm_owners(world *w, const uint8_t **owners) {
    alarm_clock alarms[MOST_ALARMS];
    if (w->is_there) {
        w->alarm_count = exp_world_alarms(w, alarms);
        for (uint32_t i = 0; i < w->alarm_count; i++)
            w->alarm_owners[i] = (uint8_t)alarms[i].timer->consumer->id;
    }
    *owners = w->alarm_owners;
    return w->alarm_count;
}

static void release_flights(world *w) {
    for (uint32_t i = 0; w->is_there && i < w->flight_count; i++)
        sl_message_release(&w->system->base, w->flights[i].message);
    w->flight_count = 0;
}

/* The origin holds its messages, too, so that a step can take them. */
static void release_held(world *w) {
    for (uint32_t i = 0; w->is_there && i < w->held_count; i++)
        sl_message_release(&w->system->base, w->held[i].message);
    w->held_count = 0;
}

void exp_world_begin(world *w) {
    release_flights(w);
    release_held(w);
    memset(&w->of_cores, 0, sizeof w->of_cores);
    sim_system_clear(w->system);
    w->is_there = true;
    w->origin_number++;
    w->touched = w->delivered = NOBODY;
    w->memory_touched = false;
}

/* ---- Writing. */

uint8_t *exp_world_put_controller(world *w, const exp_renaming *r, uint32_t segment, uint8_t *out) {
    for (uint32_t i = w->first_part[segment]; i < w->first_part[segment + 1]; i++) {
        out = exp_put_part(&w->imager, r, &w->parts[i], out);
        if (out == NULL)
            exp_world_meet_limit(w, "records of a table");
    }
    return out;
}

/* By buffer, then channel; within a channel by age, else by content. */
static bool comes_later(const flight *a, const flight *b) {
    if (a->image[0] != b->image[0])
        return a->image[0] > b->image[0];
    if (a->image[1] != b->image[1])
        return a->image[1] > b->image[1];
    if (a->image[1] != 0)
        return false; /* the sort is stable */
    const int order = memcmp(a->image, b->image, a->bytes < b->bytes ? a->bytes : b->bytes);
    return order > 0 || (order == 0 && a->bytes > b->bytes);
}

/* Buffer and channel, by the new numbers of who reads the one and feeds the other. */
uint8_t *exp_world_put_flight(const world *w, const exp_renaming *r, const flight *f,
                              uint8_t *out) {
    const uint32_t owner = w->buffer_owner[f->buffer];
    const uint32_t place = f->buffer - w->first_buffer[owner];
    *out++ = (uint8_t)(w->first_buffer[r->controller[owner]] + place);
    *out++ = (uint8_t)(f->channel < 2 ? f->channel : 2U + r->controller[f->channel - 2]);
    return exp_put_message(&w->imager, r, f->message, out);
}

uint8_t *exp_world_put_sorted(world *w, flight *list, uint32_t count, uint8_t *out) {
    for (uint32_t i = 1; i < count; i++) {
        const flight f = list[i];
        uint32_t place = i;
        for (; place > 0 && comes_later(&list[place - 1], &f); place--)
            list[place] = list[place - 1];
        list[place] = f;
    }
    *out++ = (uint8_t)count;
    for (uint32_t i = 0; i < count; i++) {
        memcpy(out, list[i].image, list[i].bytes);
        out += list[i].bytes;
        if (list[i].held != NOBODY)
            w->places[list[i].held] = (uint8_t)i;
    }
    return out;
}

/* Messages that a step left alone have their images, if nothing is renamed. */
static uint8_t *put_flights(world *w, const exp_renaming *r, bool anew, uint8_t *out) {
    flight list[MOST_FLIGHTS];
    uint8_t *free = w->scratch;
    for (uint32_t i = 0; i < w->flight_count; i++) {
        flight *f = &list[i];
        *f = w->flights[i];
        if (!anew && f->image != NULL)
            continue;
        f->image = free;
        free = exp_world_put_flight(w, r, f, free);
        f->bytes = (uint32_t)(free - f->image);
    }
    return exp_world_put_sorted(w, list, w->flight_count, out);
}

uint8_t *exp_world_put_core(const world *w, uint32_t core, uint32_t block, uint8_t *out) {
    const knowledge *k = &w->of_cores.known[core][block];
    *out++ = (uint8_t)(k->access | k->lost << 2 | k->believes << 3);
    *out++ = (uint8_t)(k->possible | k->word << 4);
    return out;
}

uint64_t exp_world_know(const world *w, uint32_t core, uint32_t block) {
    uint8_t bytes[2];
    (void)exp_world_put_core(w, core, block, bytes);
    return bytes[0] | (uint64_t)bytes[1] << 8;
}

uint8_t *exp_world_put_begun(const world *w, const exp_renaming *r, uint32_t core, uint8_t *out) {
    const uint32_t begun = w->of_cores.begun[core];
    if (w->remembers)
        *out++ = exp_begun_renamed(r, begun);
    return out;
}

static uint8_t *put_knowledge(const world *w, const exp_renaming *r, uint8_t *out) {
    for (uint32_t b = 0; b < w->blocks; b++) {
        *out++ = w->of_cores.current[r->old_block[b]];
        for (uint32_t c = 0; c < w->cores; c++)
            out = exp_world_put_core(w, r->old_core[c], r->old_block[b], out);
    }
    for (uint32_t c = 0; c < w->cores; c++)
        out = exp_world_put_begun(w, r, r->old_core[c], out);
    return out;
}

size_t exp_world_pack_renamed(world *w, const exp_renaming *r, uint8_t *out) {
    uint8_t *const start = out;
    const uint32_t controllers = w->system->base.controller_count;
    for (uint32_t i = 0; i < controllers; i++)
        out = exp_world_put_controller(w, r, r->old_controller[i], out);
    out = exp_world_put_controller(w, r, controllers, out);
    out = put_flights(w, r, true, out);
    return (size_t)(put_knowledge(w, r, out) - start);
}

void exp_world_pack_all(world *w) {
    w->image_bytes = exp_world_pack_renamed(w, &w->plain, w->image);
}

static uint8_t *copy(uint8_t *out, const uint8_t *from, size_t bytes) {
    memcpy(out, from, bytes);
    return out + bytes;
}

void exp_world_pack(world *w) {
    const uint32_t controllers = w->system->base.controller_count;
    const uint32_t *s = w->segments;
    uint8_t *out = w->image;
    if (w->touched == NOBODY) {
        out = copy(out, w->origin, s[controllers]);
    } else {
        out = copy(out, w->origin, s[w->touched]);
        out = exp_world_put_controller(w, &w->plain, w->touched, out);
        out = copy(out, w->origin + s[w->touched + 1], s[controllers] - s[w->touched + 1]);
    }
    if (w->memory_touched)
        out = exp_world_put_controller(w, &w->plain, controllers, out);
    else
        out = copy(out, w->origin + s[controllers], s[controllers + 1] - s[controllers]);
    out = put_flights(w, &w->plain, false, out);
    w->image_bytes = (size_t)(put_knowledge(w, &w->plain, out) - w->image);
}

bool exp_world_moved(const world *w) {
    return w->image_bytes != w->origin_bytes || memcmp(w->image, w->origin, w->origin_bytes) != 0;
}

/* ---- Reading. */

static const uint8_t *get_segment(world *w, uint32_t segment, const uint8_t *in) {
    for (uint32_t i = w->first_part[segment]; i < w->first_part[segment + 1]; i++)
        in = exp_get_part(&w->imager, &w->parts[i], in);
    return in;
}

static const uint8_t *get_flights(world *w, const uint8_t *in) {
    w->held_count = *in++;
    for (uint32_t i = 0; i < w->held_count; i++) {
        flight *f = &w->held[i];
        sl_message *message = sl_message_new(&w->system->base, 0);
        *f =
            (flight){.buffer = in[0], .channel = in[1], .message = message, .image = in, .held = i};
        in = exp_get_message(&w->imager, message, in + 2);
        f->bytes = (uint32_t)(in - f->image);
        message->references = 2;
    }
    memcpy(w->flights, w->held, w->held_count * sizeof *w->held);
    w->flight_count = w->held_count;
    return in;
}

static const uint8_t *get_knowledge(world *w, const uint8_t *in) {
    for (uint32_t b = 0; b < w->blocks; b++) {
        w->of_cores.current[b] = *in++;
        for (uint32_t c = 0; c < w->cores; c++, in += 2)
            w->of_cores.known[c][b] = (knowledge){.access = in[0] & 3,
                                                  .possible = in[1] & 15,
                                                  .lost = (in[0] >> 2 & 1) != 0,
                                                  .believes = (in[0] >> 3 & 1) != 0,
                                                  .word = in[1] >> 4};
    }
    if (w->remembers) {
        memcpy(w->of_cores.begun, in, w->cores);
        in += w->cores;
    }
    w->held_of_cores = w->of_cores;
    return in;
}

void exp_world_unpack(world *w, const uint8_t *image) {
    const uint32_t controllers = w->system->base.controller_count;
    const uint8_t *in = image;
    release_flights(w);
    release_held(w);
    w->is_there = true;
    w->origin = image;
    w->origin_number++;
    for (uint32_t i = 0; i <= controllers; i++) {
        w->segments[i] = (uint32_t)(in - image);
        in = get_segment(w, i, in);
    }
    w->segments[controllers + 1] = (uint32_t)(in - image);
    w->origin_bytes = (size_t)(get_knowledge(w, get_flights(w, in)) - image);
    w->touched = w->delivered = NOBODY;
    w->memory_touched = false;
}

void exp_world_point(world *w, const uint8_t *image, const uint8_t *lengths) {
    const uint32_t segments = w->system->base.controller_count + 1;
    const uint8_t *in = image;
    release_flights(w);
    release_held(w);
    w->is_there = false;
    w->origin = image;
    w->origin_number++;
    for (uint32_t i = 0; i < segments; i++) {
        w->segments[i] = (uint32_t)(in - image);
        in += lengths[i];
    }
    w->segments[segments] = (uint32_t)(in - image);
    w->held_count = *in++;
    for (uint32_t i = 0; i < w->held_count; i++) {
        w->held[i] = (flight){.buffer = in[0],
                              .channel = in[1],
                              .image = in,
                              .bytes = lengths[segments + i],
                              .held = i};
        in += w->held[i].bytes;
    }
    memcpy(w->flights, w->held, w->held_count * sizeof *w->held);
    w->flight_count = w->held_count;
    w->origin_bytes = (size_t)(get_knowledge(w, in) - image);
    w->touched = w->delivered = NOBODY;
    w->memory_touched = false;
}

uint8_t *exp_world_rename(world *w, const exp_renaming *r, uint32_t segment, const uint8_t *in,
                          uint8_t *out) {
    (void)get_segment(w, segment, in);
    uint8_t *end = exp_world_put_controller(w, r, segment, out);
    if (w->is_there)
        (void)get_segment(w, segment, w->origin + w->segments[segment]);
    return end;
}

uint8_t *exp_world_rename_flight(world *w, const exp_renaming *r, const uint8_t *in, uint8_t *out) {
    sl_message *message = sl_message_new(&w->system->base, 0);
    const flight f = {.buffer = in[0], .channel = in[1], .message = message};
    (void)exp_get_message(&w->imager, message, in + 2);
    uint8_t *end = exp_world_put_flight(w, r, &f, out);
    sl_message_release(&w->system->base, message);
    return end;
}

void exp_world_undo(world *w) {
    const uint32_t controllers = w->system->base.controller_count;
    if (w->touched != NOBODY)
        (void)get_segment(w, w->touched, w->origin + w->segments[w->touched]);
    if (w->memory_touched)
        (void)get_segment(w, controllers, w->origin + w->segments[controllers]);
    release_flights(w);
    for (uint32_t i = 0; i < w->held_count; i++)
        w->held[i].message->references = 2;
    if (w->delivered != NOBODY) /* a protocol may write into what it reads */
        (void)exp_get_message(&w->imager, w->held[w->delivered].message,
                              w->held[w->delivered].image + 2);
    memcpy(w->flights, w->held, w->held_count * sizeof *w->held);
    w->flight_count = w->held_count;
    w->of_cores = w->held_of_cores;
    w->touched = w->delivered = NOBODY;
    w->memory_touched = false;
}
