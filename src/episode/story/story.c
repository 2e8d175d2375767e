/* SPDX-License-Identifier: MIT */
/*
 * What the story of a failure keeps of an instance: of each block the last transitions and accesses
 * and the state in each controller, and of each operation what it did. Memory is bounded by the
 * program and the design, not by how long the instance runs; it is taken when a block is first met.
 */
#include "episode/story/story.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>

/* Beyond this no further blocks are watched. */
static const size_t most_bytes = (size_t)128 << 20;

/* ---- Blocks. */

static epi_block *find_block(const epi_story *s, uint64_t address) {
    const uint32_t found = base_index_find(&s->index, base_index_hash(address), NULL, NULL, NULL);
    return found == BASE_NO_NUMBER ? NULL : &s->blocks[found];
}

const epi_block *epi_story_block(const epi_story *s, uint64_t address) {
    return find_block(s, address);
}

/* The block, which may be met now; NULL: it is not watched. */
static epi_block *meet_block(epi_story *s, uint64_t address) {
    epi_block *block = find_block(s, address);
    const size_t count = s->index.count;
    if (block != NULL || count == s->most_blocks)
        return block;
    epi_held *held = base_arena_take(&s->arena, s->controllers * sizeof *held);
    s->failed =
        s->failed || held == NULL ||
        base_reserve(&s->blocks, &s->capacity, count + 1, sizeof *s->blocks, NULL) != COL_OK ||
        base_index_put(&s->index, base_index_hash(address), NULL) != COL_OK;
    if (s->failed)
        return NULL;
    block = &s->blocks[count];
    *block = (epi_block){.address = address, .held = held};
    return block;
}

uint64_t epi_story_block_of(const epi_story *s, uint32_t location) {
    return s->program->addresses[location] >> s->design->geometry.block_bits
                                                  << s->design->geometry.block_bits;
}

uint32_t epi_story_notes(const epi_block *block) {
    return (uint32_t)(block->count - block->oldest);
}

const epi_note *epi_story_note(const epi_block *block, uint32_t i) {
    return &block->notes[(block->oldest + i) % EPI_NOTES];
}

bool epi_is_told(const epi_scene *scene, const epi_note *note) {
    return note->number <= scene->until ||
           (note->kind == COL_TRANSITION && note->cycle == scene->cycle);
}

const epi_held *epi_story_held(const epi_story *s, const epi_block *block, uint32_t machine,
                               uint32_t controller) {
    return &block->held[s->first_of[machine] + controller];
}

/* ---- Inside a design that shows it: when loads asked, got their values, were squashed, or kept a
 * value although the block was lost meanwhile; and the last messages about each block. Loads that
 * have a value and have not performed stand in their core's window. */

const epi_load *epi_story_load(const epi_story *s, uint32_t operation) {
    const epi_load *load = &s->loads[operation];
    return load->bound == UINT64_MAX ? NULL : load;
}

/* The block that its operation accesses; false: none. */
static bool find_accessed(const epi_story *s, const col_event *event, uint64_t *block) {
    if (event->operation >= col_program_operations(s->program) ||
        !col_kinds[s->program->operations[event->operation].kind].located)
        return false;
    *block = epi_story_block_of(s, s->program->operations[event->operation].location);
    return true;
}

static void leave_window(epi_story *s, uint32_t core, uint32_t operation) {
    epi_window *w = &s->windows[core];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < w->count; i++)
        if (w->operations[i] != operation)
            w->operations[kept++] = w->operations[i];
    w->count = kept;
}

static void bind(epi_story *s, const col_event *event, epi_load *load) {
    epi_window *w = &s->windows[event->core];
    leave_window(s, event->core, event->operation);
    load->bound = event->cycle;
    load->bound_number = s->happened;
    load->word = event->word;
    load->told = UINT64_MAX;
    load->lost_by = (epi_note){0};
    const bool is_place = event->after < col_program_operations(s->program);
    load->after = is_place ? event->after : event->operation;
    load->is_watched = w->count < EPI_MOST_BOUND && event->source != COL_FROM_STORE_BUFFER;
    if (load->is_watched)
        w->operations[w->count++] = event->operation;
}

static void watch_load(epi_story *s, const col_event *event) {
    epi_load *load = &s->loads[event->operation];
    if (event->kind == COL_OPERATION_ISSUED) {
        load->asked = event->cycle;
    } else if (event->kind == COL_LOAD_BOUND) {
        bind(s, event, load);
    } else {
        leave_window(s, event->core, event->operation);
        load->asked = load->bound = UINT64_MAX;
        load->squashed = event->cycle;
        load->squashes++;
    }
}

/* The private caches of a core lose a block: by a transition, or because the core is told. */
static void keep_loss(epi_story *s, uint32_t core, uint64_t block, const epi_note *note) {
    if (core >= s->design->cores)
        return;
    const epi_window *w = &s->windows[core];
    for (uint32_t i = 0; i < w->count; i++) {
        epi_load *load = &s->loads[w->operations[i]];
        if (epi_story_block_of(s, s->program->operations[w->operations[i]].location) != block)
            continue;
        if (note->kind == COL_EVICTION && load->told == UINT64_MAX)
            load->told = note->cycle;
        if (note->kind == COL_TRANSITION && load->lost_by.number == 0)
            load->lost_by = *note;
    }
}

uint32_t epi_story_messages(const epi_block *block) {
    return block->sent < EPI_MESSAGES ? (uint32_t)block->sent : EPI_MESSAGES;
}

const epi_message *epi_story_message(const epi_block *block, uint32_t i) {
    return &block->messages[(block->sent - epi_story_messages(block) + i) % EPI_MESSAGES];
}

/* At the pins of a chip: it is a part of the block's history. */
static void keep_access(epi_story *s, const col_event *event) {
    epi_block *block = find_block(s, event->block);
    const epi_note note = {.cycle = event->cycle,
                           .number = s->happened,
                           .kind = COL_MESSAGE_SENT,
                           .machine = event->machine,
                           .controller = event->machine == COL_OF_BUS ? event->controller
                                                                      : event->to_controller,
                           .event = epi_name_add(&s->names, event->message)};
    if (block != NULL)
        epi_block_note(block, &note);
}

static void keep_message(epi_story *s, const col_event *event) {
    epi_block *block = meet_block(s, event->block);
    if (block == NULL)
        return;
    if (event->kind == COL_MESSAGE_SENT) {
        block->messages[block->sent++ % EPI_MESSAGES] =
            (epi_message){.sent = event->cycle,
                          .sent_number = s->happened,
                          .number = event->number,
                          .machine = event->machine,
                          .controller = event->controller,
                          .to_machine = event->to_machine,
                          .to_controller = event->to_controller,
                          .name = epi_name_add(&s->names, event->message)};
        s->failed = s->failed || s->names.failed;
        if (event->machine == COL_OF_BUS || event->to_machine == COL_OF_BUS)
            keep_access(s, event);
        return;
    }
    for (uint64_t i = 1; i <= epi_story_messages(block); i++) {
        epi_message *message = &block->messages[(block->sent - i) % EPI_MESSAGES];
        if (message->number != event->number || message->to_machine != event->to_machine ||
            message->to_controller != event->to_controller || message->received_number > 0)
            continue;
        message->received = event->cycle;
        message->received_number = s->happened;
        return;
    }
}

/* ---- Watching. */

static void keep_note(epi_story *s, uint64_t address, const epi_note *note) {
    epi_block *block = meet_block(s, address);
    if (block != NULL)
        epi_block_note(block, note);
}

static void keep_done(epi_story *s, const col_event *event, const epi_note *note) {
    uint64_t block;
    if (!find_accessed(s, event, &block))
        return;
    s->done[event->operation] = (epi_done){.cycle = event->cycle,
                                           .number = note->number,
                                           .word = event->word,
                                           .overwritten = event->overwritten,
                                           .read = event->read,
                                           .is_load = event->kind == COL_LOAD_PERFORMED,
                                           .source = event->source};
    if (event->core < s->design->cores)
        leave_window(s, event->core, event->operation);
    s->last_done = event->cycle;
    keep_note(s, block, note);
}

/* A load that performs as soon as it has its value is mentioned once, when it performs. */
static void keep_load(epi_story *s, const col_event *event, const epi_note *note) {
    uint64_t block;
    if (!find_accessed(s, event, &block))
        return;
    if (event->core < s->design->cores)
        watch_load(s, event);
    const bool waits = event->kind == COL_LOAD_BOUND && event->after != event->operation;
    if (waits || event->kind == COL_LOAD_SQUASHED)
        keep_note(s, block, note);
}

/* Of designs that show what reads returned, and no more. */
static void keep_returned(epi_story *s, const col_event *event) {
    uint64_t block;
    if (!find_accessed(s, event, &block))
        return;
    epi_done *done = &s->done[event->operation];
    done->word = done->read = event->word;
    done->is_read = true;
}

static void keep_place(epi_story *s, const col_event *event) {
    if (event->operation >= col_program_operations(s->program))
        return;
    const col_operation *o = &s->program->operations[event->operation];
    s->is_hardware = true;
    s->salt = event->overwritten;
    if (col_kinds[o->kind].located)
        s->base = event->block - s->program->addresses[o->location];
    s->places[event->operation] =
        (epi_place){.pc = event->number, .text = epi_name_add(&s->names, event->message)};
    s->failed = s->failed || s->names.failed;
}

static bool is_controller(const epi_story *s, uint32_t machine, uint32_t controller) {
    return machine < s->design->machine_count &&
           controller < s->design->machines[machine].controllers;
}

static epi_held *held_by(epi_story *s, uint64_t address, uint32_t machine, uint32_t controller) {
    const epi_block *block = find_block(s, address);
    if (block == NULL || !is_controller(s, machine, controller))
        return NULL;
    return &block->held[s->first_of[machine] + controller];
}

static void keep_transition(epi_story *s, const col_event *event, const epi_note *note) {
    if (!is_controller(s, event->machine, event->controller))
        return;
    keep_note(s, event->block, note);
    s->last_block = event->block;
    epi_held *held = held_by(s, event->block, event->machine, event->controller);
    if (held == NULL)
        return;
    if (!held->known || held->state != event->next_state)
        held->since = event->cycle;
    held->state = event->next_state;
    held->known = true;
    if (!epi_is_empty(s, event->machine, event->next_state))
        held->given_up_number = 0;
    else if (event->machine == s->nearest && !epi_is_empty(s, event->machine, event->state))
        keep_loss(s, event->controller, event->block, note);
}

static void keep_hit(epi_story *s, const col_event *event, const epi_note *note) {
    if (is_controller(s, event->machine, event->controller) &&
        event->event < s->design->machines[event->machine].point_count)
        s->hits[s->hit_count++ % EPI_HITS] = *note;
}

static void keep_eviction(epi_story *s, const col_event *event, const epi_note *note) {
    keep_note(s, event->block, note);
    keep_loss(s, event->core, event->block, note);
    s->sees_losses = true;
    epi_held *held = held_by(s, event->block, s->nearest, event->core);
    if (held == NULL)
        return;
    held->given_up = note->cycle;
    held->given_up_number = note->number;
}

/* Errors that no controller made (the network's) come without a place: then it is that of the
 * controller that acted last. */
static void keep_wrong(epi_story *s, const col_event *event, const epi_note *note) {
    const bool has_place = event->block != 0 || event->state != 0 || event->event != 0;
    s->wrong = *note;
    s->wrong_block = has_place ? event->block : s->last_block;
    if (event->kind == COL_PROTOCOL_ERROR && has_place &&
        is_controller(s, event->machine, event->controller))
        keep_note(s, event->block, note);
}

static void notice(void *context, const col_event *event) {
    epi_story *s = context;
    const bool is_over = s->ended != NULL && *s->ended != 0;
    const bool is_move = event->kind == COL_TRANSITION || event->kind == COL_POINT;
    if (is_over && (!is_move || event->cycle != s->cycle))
        return;
    if (event->cycle > s->cycle)
        s->cycle = event->cycle;
    if (event->kind == COL_WAIT) {
        epi_story_keep_wait(s, event);
        return;
    }
    if (event->kind == COL_PLACED) {
        keep_place(s, event);
        return;
    }
    const epi_note note = {.cycle = event->cycle,
                           .number = ++s->happened,
                           .kind = event->kind,
                           .machine = event->machine,
                           .controller = event->controller,
                           .state = event->state,
                           .event = event->event,
                           .next_state = event->next_state,
                           .core = event->core,
                           .operation = event->operation};
    if (event->kind == COL_TRANSITION)
        keep_transition(s, event, &note);
    else if (event->kind == COL_LOAD_PERFORMED || event->kind == COL_STORE_PERFORMED)
        keep_done(s, event, &note);
    else if (event->kind == COL_EVICTION)
        keep_eviction(s, event, &note);
    else if (event->kind == COL_MESSAGE_SENT || event->kind == COL_MESSAGE_RECEIVED)
        keep_message(s, event);
    else if (event->kind >= COL_OPERATION_ISSUED && event->kind <= COL_LOAD_SQUASHED)
        keep_load(s, event, &note);
    else if (event->kind == COL_POINT)
        keep_hit(s, event, &note);
    else if (event->kind == COL_VALUE_RETURNED)
        keep_returned(s, event);
    else if (event->kind == COL_PROTOCOL_ERROR || event->kind == COL_DEADLOCK ||
             event->kind == COL_INVARIANT_BROKEN)
        keep_wrong(s, event, &note);
}

col_observer epi_story_observer(epi_story *story) {
    return (col_observer){.context = story, .notice = notice, .kinds = (1U << COL_EVENT_KINDS) - 1};
}

/* ---- Beginning and end. */

col_status epi_story_new(epi_story **story, const col_duv_description *design,
                         const col_program *program, const volatile int *ended,
                         col_problem *problem) {
    const uint32_t operations = col_program_operations(program);
    epi_story *s = NULL;
    BASE_TRY(base_new(&s, 1, sizeof *s, problem));
    *s = (epi_story){.design = design, .program = program, .ended = ended};
    const base_part parts[] = {BASE_PART(s->first_of, design->machine_count),
                               BASE_PART(s->done, operations),
                               BASE_PART(s->loads, operations),
                               BASE_PART(s->places, operations),
                               BASE_PART(s->hits, EPI_HITS),
                               BASE_PART(s->windows, design->cores),
                               {0}};
    const col_status status = base_arena_divide(&s->arena, parts, problem);
    if (status != COL_OK) {
        epi_story_free(s);
        return status;
    }
    for (uint32_t i = 0; i < operations; i++)
        s->loads[i] =
            (epi_load){.asked = UINT64_MAX, .bound = UINT64_MAX, .told = UINT64_MAX, .after = i};
    for (uint32_t m = 0; m < design->machine_count; m++) {
        s->first_of[m] = s->controllers;
        s->controllers += design->machines[m].controllers;
    }
    while (s->nearest < design->machine_count && (!design->machines[s->nearest].is_private ||
                                                  design->machines[s->nearest].controllers == 0))
        s->nearest++;
    const size_t each = sizeof(epi_block) + s->controllers * sizeof(epi_held);
    s->most_blocks = (uint32_t)(most_bytes / each) + 16;
    *story = s;
    return COL_OK;
}

void epi_story_free(epi_story *story) {
    if (story == NULL)
        return;
    base_index_free(&story->index);
    free(story->blocks);
    base_arena_free(&story->arena);
    epi_names_free(&story->names);
    free(story);
}

/* ---- Names. */

static const col_duv_names *names_of(const epi_story *s, uint32_t machine) {
    static const col_duv_names none = {0};
    return s->design->names == NULL ? &none : &s->design->names[machine];
}

static const char *name_in(const char *const *names, uint32_t count, uint32_t number,
                           const char *what, char buffer[EPI_NAME]) {
    if (number < count)
        (void)snprintf(buffer, EPI_NAME, "%s", names[number]);
    else
        (void)snprintf(buffer, EPI_NAME, "%s %u", what, number);
    return buffer;
}

const char *epi_state_name(const epi_story *s, uint32_t machine, uint32_t state,
                           char buffer[EPI_NAME]) {
    const col_duv_names *names = names_of(s, machine);
    return name_in(names->states, names->state_count, state, "state", buffer);
}

const char *epi_event_name(const epi_story *s, uint32_t machine, uint32_t event,
                           char buffer[EPI_NAME]) {
    const col_duv_names *names = names_of(s, machine);
    return name_in(names->events, names->event_count, event, "event", buffer);
}

const char *epi_controller_name(const epi_story *s, uint32_t machine, uint32_t controller,
                                char buffer[EPI_NAME]) {
    (void)snprintf(buffer, EPI_NAME, "%.*s %u", EPI_NAME - 16, s->design->machines[machine].name,
                   controller);
    return buffer;
}

bool epi_is_empty(const epi_story *s, uint32_t machine, uint32_t state) {
    const col_duv_names *names = names_of(s, machine);
    return names->empty != NULL && state < names->state_count && names->empty[state];
}

bool epi_is_edited(const epi_story *s, const epi_note *note) {
    if (note->kind != COL_TRANSITION && note->kind != COL_PROTOCOL_ERROR)
        return false;
    for (uint32_t i = 0; i < s->design->edited_count; i++)
        if (s->design->edited[i].machine == note->machine &&
            s->design->edited[i].state == note->state && s->design->edited[i].event == note->event)
            return true;
    return false;
}
