/* SPDX-License-Identifier: MIT */
/*
 * Steps by numbers: see step_table.h.
 *
 * Invariants:
 *  1. Two pieces of one owner have the same number if and only if their bytes are equal, until the
 *     tables are emptied, which happens between two states alone. So states are equal if and only
 *     if their numbers are, and nothing that is recorded depends on what a number is.
 *  2. An effect holds wherever its key occurs: a step reads and writes its controller, the message
 *     that it takes, memory if that is behind the controller, what is known of its core, and the
 *     last words; and a store lets every load of the block that is under way return its word. This
 *     is what sleep sets rest on, too. Steps that do more are not noted.
 *  3. A step that fails, or that meets a limit, is never taken by numbers: the system takes it, and
 *     so says what is wrong.
 *  4. The image is the one that the system's own state would have, byte for byte: so everything
 *     that follows from images is the same whether steps are known or not.
 */
#include "protocol/explore/step_table.h"

#include <stdlib.h>
#include <string.h>

enum {
    FIRST_PLACES = 1 << 12,
    SPARE = 16, /* bytes behind others, so that sixteen can be copied at once */
    USUAL_BYTES = 64 << 20,
    DRAFT_BYTES = sizeof(exp_effect) + (MOST_FLIGHTS + EXP_MOST_TAKEN + 2) * sizeof(uint32_t)
};

/* What an input is, in the lower bits of its number. */
enum { INPUT_ACCESS, INPUT_MESSAGE, INPUT_ALARM, INPUT_KINDS };

/* ---- Room. */

static void *grow(exp_step_table *t, void *old, size_t size) {
    return sim_grow(&t->steps->world.system->base, old, size);
}

static void clear(exp_step_table *t) {
    static const exp_piece none = {.owner = OF_NOBODY};
    base_index_clear(&t->index);
    memset(t->keys, 0, t->key_places * sizeof *t->keys);
    t->key_count = 0;
    t->used = 0;
    t->effects_used = 1; /* 0 is none */
    t->pieces[0] = none;
    t->flight_count = 0;
    memset(t->segments, 0, sizeof t->segments);
    if (base_index_put(&t->index, 0, NULL) != COL_OK)
        sim_out_of_memory(t->steps->world.system);
}

void exp_step_table_open(exp_step_table *t, stepper *steps, exp_renamer *renamer,
                         uint32_t most_bytes, bool tells_cells) {
    world *w = &steps->world;
    *t = (exp_step_table){.steps = steps,
                          .renamer = renamer,
                          .names = &w->plain,
                          .name_count = 1,
                          .most_bytes = most_bytes == 0 ? USUAL_BYTES : most_bytes,
                          .tells_cells = tells_cells};
    if (renamer != NULL) {
        t->names = renamer->names;
        t->name_count = renamer->count;
    }
    t->cores = w->cores;
    t->blocks = w->blocks;
    t->controllers = w->system->base.controller_count;
    for (uint32_t i = 0; i < t->controllers; i++) {
        const uint32_t core = w->system->controllers[i]->core;
        t->core_of[i] = (uint8_t)(core < w->cores ? core : OF_NOBODY);
    }
    for (uint32_t n = 0; n < t->name_count; n++)
        t->packed_names[n] = exp_renaming_pack(&t->names[n], w->cores, w->blocks);
    t->capacity = 1 << 16;
    t->bytes = grow(t, NULL, t->capacity);
    t->piece_capacity = 1 << 10;
    t->pieces = grow(t, NULL, t->piece_capacity * sizeof *t->pieces);
    t->renamed = grow(t, NULL, (size_t)t->piece_capacity * t->name_count * sizeof *t->renamed);
    t->key_places = FIRST_PLACES;
    t->keys = calloc(t->key_places, sizeof *t->keys);
    if (t->keys == NULL)
        sim_out_of_memory(w->system);
    t->effects_capacity = 1 << 12;
    t->effects = grow(t, NULL, t->effects_capacity * sizeof *t->effects);
    t->scratch = grow(t, NULL, w->image_capacity);
    t->draft = grow(t, NULL, DRAFT_BYTES);
    t->lengths = grow(t, NULL, t->controllers + MOST_FLIGHTS + 2);
    t->lengths[0] = EXP_NO_LENGTHS;
    t->length_bytes = 1;
    t->is_on = true;
    clear(t);
}

void exp_step_table_close(exp_step_table *t) {
    base_index_free(&t->index);
    free(t->keys);
}

static bool is_large(const exp_step_table *t) {
    return t->index.count * (sizeof *t->pieces + (size_t)t->name_count * sizeof *t->renamed) +
               t->used + 2 * (size_t)t->key_count * sizeof *t->keys +
               t->effects_used * sizeof *t->effects >
           t->most_bytes;
}

/* ---- Pieces. */

typedef struct wanted_piece {
    const uint8_t *bytes;
    uint32_t count;
    uint8_t owner;
} wanted_piece;

static bool is_piece(const void *table, uint32_t number, const void *wanted) {
    const exp_step_table *t = table;
    const wanted_piece *p = wanted;
    const exp_piece *there = &t->pieces[number];
    return there->count == p->count && there->owner == p->owner &&
           memcmp(t->bytes + there->at, p->bytes, p->count) == 0;
}

static uint64_t first_bytes(const uint8_t *bytes, uint32_t count) {
    uint64_t first = 0;
    for (uint32_t i = 0; i < 8; i++)
        first = first << 8 | (i < count ? bytes[i] : 0);
    return first;
}

static uint32_t number(exp_step_table *t, uint32_t owner, const uint8_t *bytes, size_t count) {
    const wanted_piece wanted = {bytes, (uint32_t)count, (uint8_t)owner};
    const uint64_t hash = XXH3_64bits_withSeed(bytes, count, owner);
    const uint32_t found = base_index_find(&t->index, hash, is_piece, t, &wanted);
    if (found != BASE_NO_NUMBER)
        return found;
    const uint32_t fresh = (uint32_t)t->index.count;
    if (fresh == t->piece_capacity) {
        const uint32_t more = t->piece_capacity * 2;
        t->pieces = grow(t, t->pieces, more * sizeof *t->pieces);
        t->renamed = grow(t, t->renamed, (size_t)more * t->name_count * sizeof *t->renamed);
        t->piece_capacity = more;
    }
    if (t->used + count + SPARE > t->capacity) {
        const size_t more = t->capacity * 2 + count;
        t->bytes = grow(t, t->bytes, more);
        t->capacity = more;
    }
    memcpy(t->bytes + t->used, bytes, count);
    t->pieces[fresh] = (exp_piece){.first = first_bytes(bytes, wanted.count),
                                   .at = (uint32_t)t->used,
                                   .count = wanted.count,
                                   .owner = wanted.owner};
    memset(&t->renamed[(size_t)fresh * t->name_count], 0, t->name_count * sizeof *t->renamed);
    t->used += count;
    if (base_index_put(&t->index, hash, NULL) != COL_OK)
        sim_out_of_memory(t->steps->world.system);
    return fresh;
}

/* The same as the piece that was at this place of the state before, as a rule. */
static inline uint32_t number_again(exp_step_table *t, uint32_t before, uint32_t owner,
                                    const uint8_t *bytes, size_t count) {
    const exp_piece *p = &t->pieces[before];
    if (before != 0 && p->count == count && memcmp(t->bytes + p->at, bytes, count) == 0)
        return before;
    return number(t, owner, bytes, count);
}

/* Of a controller that the system holds: what its private caches may do, and what it waits for. */
static void see(exp_step_table *t, uint32_t controller, uint32_t piece) {
    const world *w = &t->steps->world;
    exp_piece *p = &t->pieces[piece];
    if (p->is_seen)
        return;
    for (uint32_t i = 0; i < w->cache_count; i++)
        for (uint32_t b = 0; b < w->blocks && w->caches[i].controller == controller; b++)
            p->may |=
                (uint8_t)(exp_permission_of(w->caches[i].cache, exp_block_address(b)) << 2 * b);
    for (uint32_t i = 0; i < w->timer_count; i++)
        if (w->timers[i]->consumer->id == controller)
            p->alarms = (uint8_t)(p->alarms + w->timers[i]->count);
    p->is_seen = true;
}

/* Under all renamings. */
static void rename_piece(exp_step_table *t, uint32_t piece) {
    world *w = &t->steps->world;
    const uint32_t owner = t->pieces[piece].owner;
    for (uint32_t n = 0; n < t->name_count; n++) {
        const exp_renaming *names = &t->names[n];
        const uint8_t *old = t->bytes + t->pieces[piece].at;
        const uint8_t *end = owner == OF_NOBODY
                                 ? exp_world_rename_flight(w, names, old, t->scratch)
                                 : exp_world_rename(w, names, owner, old, t->scratch);
        const uint32_t place = owner < t->controllers ? names->controller[owner] : owner;
        const uint32_t renamed = number(t, place, t->scratch, (size_t)(end - t->scratch));
        t->renamed[(size_t)piece * t->name_count + n] = renamed;
    }
}

/* So that `renamed` knows it. */
static inline void need_renamed(exp_step_table *t, uint32_t piece) {
    if (t->renamed[(size_t)piece * t->name_count] == 0)
        rename_piece(t, piece);
}

static inline uint32_t renamed(const exp_step_table *t, uint32_t piece, uint32_t n) {
    return t->renamed[(size_t)piece * t->name_count + n];
}

/* ---- The origin. */

static void number_knowledge(exp_step_table *t) {
    const world *w = &t->steps->world;
    exp_knowledge *k = &t->of_cores;
    k->current = 0;
    for (uint32_t b = 0; b < w->blocks; b++)
        k->current |= (uint8_t)(w->of_cores.current[b] << b);
    for (uint32_t c = 0; c < w->cores; c++) {
        k->known[c] = 0;
        k->begun[c] = w->of_cores.begun[c];
        for (uint32_t b = 0; b < w->blocks; b++)
            k->known[c] |= exp_world_know(w, c, b) << 16 * b;
    }
}

void exp_step_table_enter(exp_step_table *t) {
    world *w = &t->steps->world;
    if (!w->is_there)
        exp_world_unpack(w, w->origin);
}

static void see_controllers(exp_step_table *t) {
    world *w = &t->steps->world;
    uint32_t alarms = 0;
    for (uint32_t i = 0; i < t->controllers; i++) {
        const uint32_t piece = t->segments[i];
        if (!t->pieces[piece].is_seen) {
            exp_step_table_enter(t);
            see(t, i, piece);
        }
        for (uint32_t a = 0; a < t->pieces[piece].alarms; a++) {
            if (alarms == MOST_ALARMS)
                exp_world_meet_limit(w, "timers");
            else
                w->alarm_owners[alarms++] = (uint8_t)i;
        }
    }
    w->alarm_count = alarms;
}

void exp_step_table_begin(exp_step_table *t, const image_span *state, image_span *rest) {
    world *w = &t->steps->world;
    const uint32_t segments = t->controllers + 1;
    const uint8_t *const last = state->image + state->bytes - 1;
    const uint8_t *lengths = last;
    if (is_large(t))
        clear(t);
    if (*last == EXP_NO_LENGTHS) {
        exp_world_unpack(w, state->image);
    } else {
        lengths -= segments + *last;
        exp_world_point(w, state->image, lengths);
    }
    rest->image = state->image + w->origin_bytes;
    rest->bytes = (uint32_t)(lengths - rest->image);
    for (uint32_t i = 0; i < segments; i++)
        t->segments[i] = number_again(t, t->segments[i], i, w->origin + w->segments[i],
                                      w->segments[i + 1] - w->segments[i]);
    for (uint32_t i = 0; i < w->held_count; i++) {
        const uint32_t before = i < t->flight_count ? t->flights[i].piece : 0;
        const uint32_t piece =
            number_again(t, before, OF_NOBODY, w->held[i].image, w->held[i].bytes);
        t->flights[i] = (exp_numbered){t->pieces[piece].first, piece, i};
    }
    t->flight_count = w->held_count;
    memcpy(t->segments_after, t->segments, segments * sizeof *t->segments);
    number_knowledge(t);
    see_controllers(t);
}

/* ---- Keys. */

static uint32_t input_of(const exp_step_table *t, uint32_t choice, uint32_t *controller) {
    const world *w = &t->steps->world;
    const uint32_t accesses = exp_step_accesses(t->steps), alarms = accesses + w->held_count;
    if (choice < accesses) {
        *controller = w->system->cores[exp_access_of(t->steps, choice).core].controller->id;
        return choice % (accesses / w->cores) * INPUT_KINDS + INPUT_ACCESS;
    }
    if (choice < alarms) {
        const uint32_t place = choice - accesses;
        *controller = w->buffer_owner[w->held[place].buffer];
        return t->flights[place].piece * INPUT_KINDS + INPUT_MESSAGE;
    }
    const uint32_t alarm = choice - alarms;
    uint32_t before = 0; /* of the controller's own */
    *controller = w->alarm_owners[alarm];
    while (before < alarm && w->alarm_owners[alarm - before - 1] == *controller)
        before++;
    return before * INPUT_KINDS + INPUT_ALARM;
}

static inline bool is_private(const exp_step_table *t, uint32_t controller) {
    return t->core_of[controller] != OF_NOBODY;
}

static exp_step_key key_of(const exp_step_table *t, uint32_t choice, uint32_t *touched) {
    const world *w = &t->steps->world;
    exp_step_key key = {.input = input_of(t, choice % EXP_MOST_CHOICES, touched),
                        .words = choice / EXP_MOST_CHOICES << 16};
    const sl_controller *c = w->system->controllers[*touched];
    key.piece = t->segments[*touched];
    if (c->memory_responses != NULL)
        key.memory = t->segments[t->controllers];
    if (c->core < w->cores) {
        key.known = t->of_cores.known[c->core];
        key.words |= t->of_cores.current | (uint32_t)t->of_cores.begun[c->core] << 8;
    }
    return key;
}

static uint64_t mix(uint64_t hash, uint64_t number) {
    hash = (hash ^ number) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

/* The place of the key, or a free one. */
static exp_step_key *find_key(const exp_step_table *t, const exp_step_key *key) {
    const uint64_t hash =
        mix(mix(mix(key->known, key->words), (uint64_t)key->piece << 32 | key->input), key->memory);
    for (uint32_t place = (uint32_t)hash & (t->key_places - 1);;
         place = (place + 1) & (t->key_places - 1)) {
        exp_step_key *there = &t->keys[place];
        if (there->effect == 0 || (there->piece == key->piece && there->input == key->input &&
                                   there->known == key->known && there->words == key->words &&
                                   there->memory == key->memory))
            return there;
    }
}

static void add_key(exp_step_table *t, const exp_step_key *key) {
    if (t->key_count >= t->key_places / 2) {
        exp_step_key *const old = t->keys;
        const uint32_t places = t->key_places;
        exp_step_key *fresh = calloc(2 * (size_t)places, sizeof *fresh);
        if (fresh == NULL)
            sim_out_of_memory(t->steps->world.system);
        t->keys = fresh;
        t->key_places = 2 * places;
        for (uint32_t i = 0; i < places; i++)
            if (old[i].effect != 0)
                *find_key(t, &old[i]) = old[i];
        free(old);
    }
    *find_key(t, key) = *key;
    t->key_count++;
}

/* ---- Effects. */

static exp_effect *effect_at(const exp_step_table *t, uint32_t place) {
    return (exp_effect *)(void *)&t->effects[place];
}

static bool can_be_noted(const exp_step_table *t, uint32_t touched) {
    const stepper *x = t->steps;
    const bool has_memory = x->world.system->controllers[touched]->memory_responses != NULL;
    return x->world.touched == touched && !x->blocked &&
           x->stores == (uint32_t)__builtin_popcount(x->writes) &&
           x->taken_count < EXP_MOST_TAKEN && (has_memory || !x->world.memory_touched) &&
           (is_private(t, touched) || !x->touches_core);
}

/* A controller as the system has it now, or memory. */
static uint32_t number_segment(exp_step_table *t, uint32_t segment) {
    world *w = &t->steps->world;
    const uint8_t *end = exp_world_put_controller(w, &w->plain, segment, t->scratch);
    return number(t, segment, t->scratch, (size_t)(end - t->scratch));
}

/* What the step has made of the system. */
static uint32_t note_effect(exp_step_table *t, bool is_taken) {
    stepper *x = t->steps;
    world *w = &x->world;
    const uint32_t touched = w->touched, place = t->effects_used;
    exp_effect *e = t->draft;
    *e = (exp_effect){.done = x->done,
                      .piece = number_segment(t, touched),
                      .orders = x->orders,
                      .reads = x->reads,
                      .writes = x->writes,
                      .members = (uint8_t)x->picker.most,
                      .is_taken = is_taken,
                      .touches_core = x->touches_core,
                      .touches_memory = w->memory_touched};
    see(t, touched, e->piece);
    if (w->memory_touched)
        e->memory = number_segment(t, t->controllers);
    if (is_private(t, touched)) {
        const uint32_t core = w->system->controllers[touched]->core;
        for (uint32_t b = 0; b < w->blocks; b++) {
            e->known |= exp_world_know(w, core, b) << 16 * b;
            e->current |= (uint8_t)(w->of_cores.current[b] << b);
        }
        e->begun = w->of_cores.begun[core];
    }
    for (uint32_t i = 0; i < w->flight_count; i++) {
        const flight *f = &w->flights[i];
        if (f->held != NOBODY)
            continue;
        e->puts_back = e->puts_back || (i == 0 && w->delivered != NOBODY &&
                                        f->message == w->held[w->delivered].message);
        const uint8_t *end = exp_world_put_flight(w, &w->plain, f, t->scratch);
        e->list[e->sent++] = number(t, OF_NOBODY, t->scratch, (size_t)(end - t->scratch));
    }
    for (uint32_t i = 0; i < x->taken_count; i++) {
        const sl_controller *c = w->system->controllers[touched];
        e->list[e->sent + e->cells++] = (uint32_t)(x->counted[i] - c->counts);
    }
    const uint32_t words =
        (uint32_t)((sizeof *e + (e->sent + e->cells) * sizeof *e->list + 7) / sizeof *t->effects);
    if (t->effects_used + words > t->effects_capacity) {
        const uint32_t more = t->effects_capacity * 2 + DRAFT_BYTES;
        t->effects = grow(t, t->effects, more * sizeof *t->effects);
        t->effects_capacity = more;
    }
    memcpy(&t->effects[place], e, words * sizeof *t->effects);
    t->effects_used += words;
    return place;
}

/* Lets the system take the step, and notes what comes of it; 0: it cannot be noted. */
static uint32_t learn(exp_step_table *t) {
    stepper *x = t->steps;
    exp_step_table_enter(t);
    const bool is_taken = exp_step_take(x, t->choice);
    const bool is_noted = can_be_noted(t, t->wakes);
    if (is_noted) {
        t->key.effect = note_effect(t, is_taken);
        add_key(t, &t->key);
    }
    for (uint32_t i = 0; i < x->taken_count; i++)
        --*x->counted[i]; /* it is taken again, by numbers or not */
    exp_world_undo(&x->world);
    return t->key.effect;
}

/* ---- Taking steps. */

/* As comes_later in search_state.c. */
static inline bool comes_later(const exp_step_table *t, const exp_numbered *a,
                               const exp_numbered *b) {
    if (a->first >> 48 != b->first >> 48)
        return a->first > b->first;
    if (a->piece == b->piece || (a->first >> 48 & 255) != 0)
        return false;
    if (a->first != b->first)
        return a->first > b->first;
    const exp_piece *p = &t->pieces[a->piece], *q = &t->pieces[b->piece];
    const int order =
        memcmp(t->bytes + p->at, t->bytes + q->at, p->count < q->count ? p->count : q->count);
    return order > 0 || (order == 0 && p->count > q->count);
}

static inline void insert(const exp_step_table *t, exp_numbered *list, uint32_t count,
                          exp_numbered item) {
    for (; count > 0 && comes_later(t, &list[count - 1], &item); count--)
        list[count] = list[count - 1];
    list[count] = item;
}

static inline exp_numbered numbered(const exp_step_table *t, uint32_t piece) {
    return (exp_numbered){t->pieces[piece].first, piece, NOBODY};
}

/* Messages after the step: as if one that was put back had been the first. */
static void send_all(exp_step_table *t, uint32_t delivered) {
    const exp_effect *e = t->effect;
    uint32_t count = 0, sent = 0;
    if (e->puts_back)
        t->after[count++] = numbered(t, e->list[sent++]);
    for (uint32_t i = 0; i < t->flight_count; i++)
        if (i != delivered)
            insert(t, t->after, count++, t->flights[i]);
    for (; sent < e->sent; sent++)
        insert(t, t->after, count++, numbered(t, e->list[sent]));
    t->after_count = count;
}

/* A store lets loads of its block under way return what it wrote, those of other cores too. */
static void tell_loads(exp_step_table *t, uint32_t own) {
    exp_knowledge *k = &t->of_cores_after;
    for (uint32_t b = 0; b < t->blocks; b++) {
        if ((t->effect->writes >> b & 1) == 0)
            continue;
        for (uint32_t c = 0; c < t->cores; c++)
            if (c != own && (k->known[c] >> 16 * b & 3) == LOADING)
                k->known[c] |= UINT64_C(1) << (16 * b + 8 + (k->current >> b & 1));
    }
}

static void learn_of_cores(exp_step_table *t) {
    const uint32_t core = t->core_of[t->touched];
    exp_knowledge *k = &t->of_cores_after;
    *k = t->of_cores;
    if (core == OF_NOBODY)
        return;
    k->known[core] = t->effect->known;
    k->current = t->effect->current;
    k->begun[core] = t->effect->begun;
    if (t->effect->writes != 0 && !exp_is_lazy(t->steps->world.system->controllers[t->touched]))
        tell_loads(t, core);
}

/* What check_state in search_step.c looks at. */
static bool is_sound(const exp_step_table *t) {
    uint8_t may[EXP_MOST_CORES] = {0};
    for (uint32_t i = 0; i < t->controllers; i++)
        if (t->core_of[i] != OF_NOBODY)
            may[t->core_of[i]] |= t->pieces[t->segments_after[i]].may;
    for (uint32_t b = 0; b < t->blocks; b++) {
        uint32_t readers = 0, writers = 0;
        for (uint32_t c = 0; c < t->cores; c++) {
            const uint32_t known = (uint32_t)(t->of_cores_after.known[c] >> 16 * b & 0xffff);
            readers += (may[c] >> 2 * b & 3) != 0;
            writers += (may[c] >> 2 * b & 2) != 0;
            if ((known >> 3 & 1) != 0 && known >> 12 != (t->of_cores_after.current >> b & 1U))
                return false;
        }
        if (writers > 0 && readers > 1)
            return false;
    }
    return true;
}

/* Other cores know what they did before unless a last word changes. */
static bool has_changed(const exp_step_table *t) {
    const uint32_t core = t->core_of[t->touched];
    const exp_knowledge *before = &t->of_cores, *after = &t->of_cores_after;
    if (t->segments_after[t->touched] != t->segments[t->touched] ||
        t->segments_after[t->controllers] != t->segments[t->controllers] ||
        t->after_count != t->flight_count || before->current != after->current)
        return true;
    if (core != OF_NOBODY &&
        (before->known[core] != after->known[core] || before->begun[core] != after->begun[core]))
        return true;
    for (uint32_t i = 0; i < t->after_count; i++)
        if (t->after[i].piece != t->flights[i].piece)
            return true;
    return false;
}

/* The stepper's members are those of the step. */
static void tell_stepper(exp_step_table *t) {
    stepper *x = t->steps;
    const exp_effect *e = t->effect;
    const sl_controller *c = x->world.system->controllers[t->touched];
    const uint32_t events = c->machine->event_count;
    x->done = e->done;
    x->reads = e->reads;
    x->writes = e->writes;
    x->touches_core = e->touches_core;
    x->picker.most = e->members;
    x->orders = e->orders;
    x->taken_count = e->cells;
    for (uint32_t i = 0; i < e->cells; i++) {
        const uint32_t cell = e->list[e->sent + i];
        c->counts[cell]++;
        if (t->tells_cells)
            x->taken[i] =
                (exp_cell){sim_machine_of(x->world.system, c), cell / events, cell % events};
    }
    x->world.touched = t->touched;
    x->world.memory_touched = e->touches_memory;
}

bool exp_step_table_find(exp_step_table *t, uint32_t choice) {
    t->choice = choice;
    t->key = key_of(t, choice, &t->wakes);
    t->key.effect = find_key(t, &t->key)->effect;
    return t->key.effect != 0;
}

bool exp_step_table_take(exp_step_table *t, bool is_quiet, bool *changes) {
    stepper *x = t->steps;
    world *w = &x->world;
    const uint32_t touched = t->wakes;
    t->lengths[0] = EXP_NO_LENGTHS;
    t->length_bytes = 1;
    const uint32_t effect = t->key.effect != 0 ? t->key.effect : learn(t);
    if (effect == 0)
        return false;
    const exp_effect *e = t->effect = effect_at(t, effect);
    const uint32_t plain = t->choice % EXP_MOST_CHOICES, accesses = exp_step_accesses(x);
    const bool is_access = plain < accesses;
    if (w->held_count + e->sent > MOST_FLIGHTS)
        return false;
    t->segments_after[t->touched] = t->segments[t->touched];
    t->touched = touched;
    t->segments_after[touched] = e->piece;
    t->segments_after[t->controllers] = e->touches_memory ? e->memory : t->segments[t->controllers];
    send_all(t, is_access ? NOBODY : plain - accesses);
    learn_of_cores(t);
    if ((e->touches_core || e->writes != 0 || is_private(t, touched)) && !is_sound(t))
        return false;
    *changes = has_changed(t);
    if (is_quiet && !e->is_taken && !*changes)
        return false; /* it is refused */
    if (w->remembers && !e->is_taken && *changes) {
        const exp_access a = exp_access_of(x, plain);
        t->of_cores_after.begun[a.core] = exp_begun(plain % EXP_KINDS, a.block);
    }
    tell_stepper(t);
    return true;
}

uint64_t exp_step_table_hash(const exp_step_table *t) {
    const uint64_t *hashes = t->index.hashes;
    uint64_t hash = t->of_cores_after.current;
    for (uint32_t i = 0; i <= t->controllers; i++)
        hash = mix(hash, hashes[t->segments_after[i]]);
    for (uint32_t i = 0; i < t->after_count; i++)
        hash = mix(hash, hashes[t->after[i].piece]);
    for (uint32_t c = 0; c < t->cores; c++)
        hash = mix(mix(hash, t->of_cores_after.begun[c]), t->of_cores_after.known[c]);
    return hash == 0 ? 1 : hash;
}

/* ---- Writing images. */

/* As put_knowledge in state_symmetry.c. */
static inline uint8_t *put_knowledge(const exp_step_table *t, uint32_t n, uint8_t *out) {
    const exp_renaming *names = &t->names[n];
    const exp_knowledge *k = &t->of_cores_after;
    for (uint32_t b = 0; b < t->blocks; b++) {
        const uint32_t old = names->old_block[b];
        *out++ = k->current >> old & 1;
        for (uint32_t c = 0; c < t->cores; c++, out += 2) {
            const uint64_t known = k->known[names->old_core[c]] >> 16 * old;
            out[0] = (uint8_t)known;
            out[1] = (uint8_t)(known >> 8);
        }
    }
    if (t->steps->world.remembers)
        for (uint32_t c = 0; c < t->cores; c++)
            *out++ = exp_begun_renamed(names, k->begun[names->old_core[c]]);
    return out;
}

static inline uint32_t piece_at(const exp_step_table *t, uint32_t n, uint32_t place) {
    const uint32_t old = place == t->controllers ? place : t->names[n].old_controller[place];
    return renamed(t, t->segments_after[old], n);
}

/* By length, then bytes. */
static int compare_pieces(const exp_step_table *t, uint32_t a, uint32_t b) {
    const exp_piece *p = &t->pieces[a], *q = &t->pieces[b];
    if (a == b)
        return 0;
    if (p->count != q->count)
        return p->count < q->count ? -1 : 1;
    if (p->first != q->first)
        return p->first < q->first ? -1 : 1;
    return memcmp(t->bytes + p->at, t->bytes + q->at, p->count);
}

/* The contests of state_symmetry.c, in the same order. */

typedef struct contest {
    uint32_t left[EXP_FEW];
    uint32_t count;
} contest;

static void contest_knowledge(const exp_step_table *t, contest *c) {
    uint8_t rooms[2][EXP_KNOWLEDGE_BYTES], *best = rooms[0], *other = rooms[1];
    const size_t bytes = (size_t)(put_knowledge(t, c->left[0], best) - best);
    uint32_t kept = 1;
    for (uint32_t i = 1; i < c->count; i++) {
        (void)put_knowledge(t, c->left[i], other);
        const int order = memcmp(other, best, bytes);
        if (order > 0)
            continue;
        if (order < 0) {
            uint8_t *smaller = other;
            other = best;
            best = smaller;
            kept = 0;
        }
        c->left[kept++] = c->left[i];
    }
    c->count = kept;
}

static void contest_segment(const exp_step_table *t, contest *c, uint32_t place) {
    uint32_t kept = 1, best = piece_at(t, c->left[0], place);
    for (uint32_t i = 1; i < c->count; i++) {
        const uint32_t piece = piece_at(t, c->left[i], place);
        const int order = compare_pieces(t, piece, best);
        if (order > 0)
            continue;
        if (order < 0) {
            best = piece;
            kept = 0;
        }
        c->left[kept++] = c->left[i];
    }
    c->count = kept;
}

/* Messages under a renaming, in their order. */
static void order_flights(const exp_step_table *t, uint32_t n, exp_numbered *list) {
    for (uint32_t i = 0; i < t->after_count; i++) {
        exp_numbered item = numbered(t, renamed(t, t->after[i].piece, n));
        item.held = t->after[i].held;
        insert(t, list, i, item);
    }
}

/* As if their bytes were one piece: by length, then bytes. */
static int compare_flights(const exp_step_table *t, const exp_numbered *a, const exp_numbered *b) {
    uint32_t a_bytes = 0, b_bytes = 0;
    for (uint32_t i = 0; i < t->after_count; i++) {
        a_bytes += t->pieces[a[i].piece].count;
        b_bytes += t->pieces[b[i].piece].count;
    }
    if (a_bytes != b_bytes)
        return a_bytes < b_bytes ? -1 : 1;
    for (uint32_t i = 0; i < t->after_count; i++) {
        const exp_piece *p = &t->pieces[a[i].piece], *q = &t->pieces[b[i].piece];
        if (a[i].piece == b[i].piece)
            continue;
        /* No piece is the beginning of another one: its bytes say where it ends. */
        return memcmp(t->bytes + p->at, t->bytes + q->at,
                      p->count < q->count ? p->count : q->count);
    }
    return 0;
}

/* The renaming of the smallest image, and its messages. */
static uint32_t choose(const exp_step_table *t, exp_numbered *best) {
    exp_numbered other[MOST_FLIGHTS];
    contest c = {.count = t->name_count};
    for (uint32_t i = 0; i < t->name_count; i++)
        c.left[i] = i;
    if (c.count > 1)
        contest_knowledge(t, &c);
    for (uint32_t i = 0; i <= t->controllers && c.count > 1; i++)
        contest_segment(t, &c, i);
    uint32_t chosen = c.left[0];
    order_flights(t, chosen, best);
    for (uint32_t i = 1; i < c.count; i++) {
        order_flights(t, c.left[i], other);
        if (compare_flights(t, other, best) >= 0)
            continue;
        chosen = c.left[i];
        memcpy(best, other, t->after_count * sizeof *best);
    }
    return chosen;
}

static uint8_t *put_piece(exp_step_table *t, uint32_t piece, uint8_t *out, bool *is_long) {
    const exp_piece *p = &t->pieces[piece];
    const uint8_t *bytes = t->bytes + p->at;
    memcpy(out, bytes, SPARE);
    if (p->count > SPARE)
        memcpy(out + SPARE, bytes + SPARE, p->count - SPARE);
    t->lengths[t->length_bytes++] = (uint8_t)p->count;
    *is_long = *is_long || p->count > UINT8_MAX;
    return out + p->count;
}

void exp_step_table_pack(exp_step_table *t) {
    exp_numbered list[MOST_FLIGHTS];
    world *w = &t->steps->world;
    uint8_t *out = w->image;
    bool is_long = false;
    for (uint32_t i = 0; i <= t->controllers; i++)
        need_renamed(t, t->segments_after[i]);
    for (uint32_t i = 0; i < t->after_count; i++)
        need_renamed(t, t->after[i].piece);
    const uint32_t n = choose(t, list);
    t->length_bytes = 0;
    for (uint32_t i = 0; i <= t->controllers; i++)
        out = put_piece(t, piece_at(t, n, i), out, &is_long);
    *out++ = (uint8_t)t->after_count;
    for (uint32_t i = 0; i < t->after_count; i++) {
        out = put_piece(t, list[i].piece, out, &is_long);
        if (list[i].held != NOBODY)
            w->places[list[i].held] = (uint8_t)i;
    }
    t->lengths[t->length_bytes++] = (uint8_t)t->after_count;
    if (is_long) {
        t->lengths[0] = EXP_NO_LENGTHS;
        t->length_bytes = 1;
    }
    out = put_knowledge(t, n, out);
    w->image_bytes = (size_t)(out - w->image);
    if (t->renamer != NULL)
        t->renamer->renaming = t->packed_names[n];
}
