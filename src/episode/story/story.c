/* SPDX-License-Identifier: MIT */
/*
 * What the story of a failure keeps of an instance: of each block the last transitions and accesses
 * and the state in each controller, and of each operation what it did. Memory is bounded by the
 * program and the design, not by how long the instance runs; it is taken when a block is first met.
 */
#include "base/memory.h"
#include "episode/story_parts.h"

#include <stdio.h>
#include <stdlib.h>

enum { BLOCKS, NOTES, HELD, LETTERS };

/* Beyond this no further blocks are watched. */
static const size_t most_bytes = (size_t)128 << 20;

/* ---- Blocks. */

static size_t place_of(const epi_story *s, uint64_t address) {
    size_t place = (size_t)(address * UINT64_C(0x9E3779B97F4A7C15) >> 32) & s->place_mask;
    while (s->places[place] != 0 && s->blocks[s->places[place] - 1].address != address)
        place = (place + 1) & s->place_mask;
    return place;
}

/* Of the table that finds blocks, when it is half full. */
static bool grow_places(epi_story *s) {
    const size_t size = 2 * (s->place_mask + 1);
    uint32_t *places = calloc(size, sizeof *places);
    if (places == NULL)
        return false;
    free(s->places);
    s->places = places;
    s->place_mask = size - 1;
    for (uint32_t b = 0; b < s->block_count; b++)
        s->places[place_of(s, s->blocks[b].address)] = b + 1;
    return true;
}

static epi_block *add_block(epi_story *s, uint64_t address) {
    const size_t count = (size_t)s->block_count + 1;
    if (s->block_count == s->most_blocks)
        return NULL;
    if (base_reserve(&s->blocks, &s->capacities[BLOCKS], count, sizeof *s->blocks, NULL) !=
            COL_OK ||
        base_reserve(&s->notes, &s->capacities[NOTES], count * EPI_NOTES, sizeof *s->notes, NULL) !=
            COL_OK ||
        base_reserve(&s->letters, &s->capacities[LETTERS], count * EPI_LETTERS, sizeof *s->letters,
                     NULL) != COL_OK ||
        base_reserve(&s->held, &s->capacities[HELD], count * s->controllers + 1, sizeof *s->held,
                     NULL) != COL_OK ||
        (2 * count > s->place_mask && !grow_places(s))) {
        s->failed = true;
        return NULL;
    }
    for (uint32_t i = 0; i < s->controllers; i++)
        s->held[(size_t)s->block_count * s->controllers + i] = (epi_held){0};
    s->places[place_of(s, address)] = (uint32_t)count;
    epi_block *block = &s->blocks[s->block_count++];
    *block = (epi_block){.address = address};
    return block;
}

epi_block *epi_story_meet(epi_story *s, uint64_t address) {
    const uint32_t found = s->places[place_of(s, address)];
    return found != 0 ? &s->blocks[found - 1] : add_block(s, address);
}

const epi_block *epi_story_block(const epi_story *s, uint64_t address) {
    const uint32_t found = s->places[place_of(s, address)];
    return found == 0 ? NULL : &s->blocks[found - 1];
}

uint64_t epi_story_block_of(const epi_story *s, uint32_t location) {
    return s->program->addresses[location] >> s->design->geometry.block_bits
                                                  << s->design->geometry.block_bits;
}

uint32_t epi_story_notes(const epi_block *block) {
    return block->count < EPI_NOTES ? (uint32_t)block->count : EPI_NOTES;
}

const epi_note *epi_story_note(const epi_story *s, const epi_block *block, uint32_t i) {
    const uint64_t first = block->count - epi_story_notes(block);
    return &s->notes[(size_t)(block - s->blocks) * EPI_NOTES + (size_t)((first + i) % EPI_NOTES)];
}

bool epi_is_told(const epi_scene *scene, const epi_note *note) {
    return note->number <= scene->until ||
           (note->kind == COL_TRANSITION && note->cycle == scene->cycle);
}

const epi_held *epi_story_held(const epi_story *s, const epi_block *block, uint32_t machine,
                               uint32_t controller) {
    return &s->held[(size_t)(block - s->blocks) * s->controllers + s->first_of[machine] +
                    controller];
}

size_t epi_story_bytes(const epi_story *s) {
    return s->capacities[BLOCKS] * sizeof *s->blocks + s->capacities[NOTES] * sizeof *s->notes +
           s->capacities[HELD] * sizeof *s->held + (s->place_mask + 1) * sizeof *s->places +
           s->capacities[LETTERS] * sizeof *s->letters + s->design->cores * sizeof *s->windows +
           col_program_operations(s->program) * (sizeof *s->done + sizeof *s->loads);
}

/* ---- Watching. */

static void keep_note(epi_story *s, uint64_t address, const epi_note *note) {
    epi_block *block = epi_story_meet(s, address);
    if (block == NULL)
        return;
    s->notes[(size_t)(block - s->blocks) * EPI_NOTES + (size_t)(block->count % EPI_NOTES)] = *note;
    block->count++;
}

static void keep_done(epi_story *s, const col_event *event, const epi_note *note) {
    if (event->operation >= col_program_operations(s->program) ||
        !col_kinds[s->program->operations[event->operation].kind].located)
        return;
    s->done[event->operation] = (epi_done){.cycle = event->cycle,
                                           .number = note->number,
                                           .word = event->word,
                                           .overwritten = event->overwritten,
                                           .read = event->read,
                                           .is_load = event->kind == COL_LOAD_PERFORMED,
                                           .source = event->source};
    epi_inside_performed(s, event);
    keep_note(s, epi_story_block_of(s, s->program->operations[event->operation].location), note);
}

/* A load that performs as soon as it has its value is mentioned once, when it performs. */
static void keep_load(epi_story *s, const col_event *event, const epi_note *note) {
    epi_inside_load(s, event);
    if (event->operation >= col_program_operations(s->program) ||
        !col_kinds[s->program->operations[event->operation].kind].located)
        return;
    const bool waits = event->kind == COL_LOAD_BOUND && event->after != event->operation;
    if (waits || event->kind == COL_LOAD_SQUASHED)
        keep_note(s, epi_story_block_of(s, s->program->operations[event->operation].location),
                  note);
}

static bool is_controller(const epi_story *s, const col_event *event) {
    return event->machine < s->design->machine_count &&
           event->controller < s->design->machines[event->machine].controllers;
}

static epi_held *held_by(epi_story *s, uint64_t address, uint32_t machine, uint32_t controller) {
    const uint32_t found = s->places[place_of(s, address)];
    if (found == 0 || machine >= s->design->machine_count ||
        controller >= s->design->machines[machine].controllers)
        return NULL;
    return &s->held[(size_t)(found - 1) * s->controllers + s->first_of[machine] + controller];
}

static void keep_transition(epi_story *s, const col_event *event, const epi_note *note) {
    if (!is_controller(s, event))
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
        epi_inside_lost(s, event->controller, event->block, note);
}

static void keep_eviction(epi_story *s, const col_event *event, const epi_note *note) {
    keep_note(s, event->block, note);
    epi_inside_lost(s, event->core, event->block, note);
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
    if (event->kind == COL_PROTOCOL_ERROR && has_place && is_controller(s, event))
        keep_note(s, event->block, note);
}

static void notice(void *context, const col_event *event) {
    epi_story *s = context;
    const bool is_over = s->ended != NULL && *s->ended != 0;
    if (is_over && (event->kind != COL_TRANSITION || event->cycle != s->cycle))
        return;
    if (event->cycle > s->cycle)
        s->cycle = event->cycle;
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
        epi_inside_message(s, event);
    else if (event->kind >= COL_OPERATION_ISSUED && event->kind <= COL_LOAD_SQUASHED)
        keep_load(s, event, &note);
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
    enum { FIRST_PLACES = 256 };
    epi_story *s = calloc(1, sizeof *s);
    if (s == NULL)
        return base_out_of_memory(problem);
    *s = (epi_story){.design = design, .program = program, .ended = ended};
    s->first_of = calloc((size_t)design->machine_count + 1, sizeof *s->first_of);
    s->places = calloc(FIRST_PLACES, sizeof *s->places);
    s->place_mask = FIRST_PLACES - 1;
    s->done = calloc((size_t)col_program_operations(program) + 1, sizeof *s->done);
    if (s->first_of == NULL || s->places == NULL || s->done == NULL ||
        epi_inside_new(s, problem) != COL_OK) {
        epi_story_free(s);
        return base_out_of_memory(problem);
    }
    for (uint32_t m = 0; m < design->machine_count; m++) {
        s->first_of[m] = s->controllers;
        s->controllers += design->machines[m].controllers;
    }
    while (s->nearest < design->machine_count && (!design->machines[s->nearest].is_private ||
                                                  design->machines[s->nearest].controllers == 0))
        s->nearest++;
    const size_t each = EPI_NOTES * sizeof *s->notes + EPI_LETTERS * sizeof *s->letters +
                        s->controllers * sizeof *s->held;
    s->most_blocks = (uint32_t)(most_bytes / each) + 16;
    *story = s;
    return COL_OK;
}

void epi_story_free(epi_story *story) {
    if (story == NULL)
        return;
    free(story->first_of);
    free(story->places);
    free(story->blocks);
    free(story->notes);
    free(story->held);
    free(story->letters);
    free(story->done);
    epi_inside_free(story);
    free(story);
}

/* ---- Names. */

const char *epi_state_name(const epi_story *s, uint32_t machine, uint32_t state,
                           char buffer[EPI_NAME]) {
    const col_duv_names *names = s->design->names == NULL ? NULL : &s->design->names[machine];
    if (names != NULL && state < names->state_count)
        (void)snprintf(buffer, EPI_NAME, "%s", names->states[state]);
    else
        (void)snprintf(buffer, EPI_NAME, "state %u", state);
    return buffer;
}

const char *epi_event_name(const epi_story *s, uint32_t machine, uint32_t event,
                           char buffer[EPI_NAME]) {
    const col_duv_names *names = s->design->names == NULL ? NULL : &s->design->names[machine];
    if (names != NULL && event < names->event_count)
        (void)snprintf(buffer, EPI_NAME, "%s", names->events[event]);
    else
        (void)snprintf(buffer, EPI_NAME, "event %u", event);
    return buffer;
}

const char *epi_controller_name(const epi_story *s, uint32_t machine, uint32_t controller,
                                char buffer[EPI_NAME]) {
    (void)snprintf(buffer, EPI_NAME, "%.*s %u", EPI_NAME - 16, s->design->machines[machine].name,
                   controller);
    return buffer;
}

bool epi_is_empty(const epi_story *s, uint32_t machine, uint32_t state) {
    const col_duv_names *names = s->design->names == NULL ? NULL : &s->design->names[machine];
    return names != NULL && names->empty != NULL && state < names->state_count &&
           names->empty[state];
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
