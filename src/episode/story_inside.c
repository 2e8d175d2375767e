/* SPDX-License-Identifier: MIT */
/*
 * What a story keeps of the inside of a design that shows it: when loads asked, got their values,
 * were squashed, or kept a value although the block was lost meanwhile; and the last messages about
 * each block. Loads that have a value and have not performed stand in their core's window.
 */
#include "episode/story_parts.h"

#include <stdlib.h>
#include <string.h>

static const epi_load nothing = {.asked = UINT64_MAX, .bound = UINT64_MAX, .told = UINT64_MAX};

col_status epi_inside_new(epi_story *s, col_problem *problem) {
    const uint32_t operations = col_program_operations(s->program);
    s->loads = malloc(((size_t)operations + 1) * sizeof *s->loads);
    s->windows = calloc((size_t)s->design->cores + 1, sizeof *s->windows);
    if (s->loads == NULL || s->windows == NULL)
        return base_out_of_memory(problem);
    for (uint32_t i = 0; i < operations; i++) {
        s->loads[i] = nothing;
        s->loads[i].after = i;
    }
    return COL_OK;
}

void epi_inside_free(epi_story *s) {
    free(s->loads);
    free(s->windows);
    epi_names_free(&s->names);
}

const epi_load *epi_story_load(const epi_story *s, uint32_t operation) {
    const epi_load *load = &s->loads[operation];
    return load->bound == UINT64_MAX ? NULL : load;
}

/* ---- Loads. */

static bool is_load(const epi_story *s, const col_event *event) {
    return event->core < s->design->cores &&
           event->operation < col_program_operations(s->program) &&
           col_kinds[s->program->operations[event->operation].kind].located;
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

void epi_inside_load(epi_story *s, const col_event *event) {
    if (!is_load(s, event))
        return;
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

void epi_inside_performed(epi_story *s, const col_event *event) {
    if (is_load(s, event))
        leave_window(s, event->core, event->operation);
}

void epi_inside_lost(epi_story *s, uint32_t core, uint64_t block, const epi_note *note) {
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

/* ---- Messages. */

uint32_t epi_story_letters(const epi_block *block) {
    return block->letters < EPI_LETTERS ? (uint32_t)block->letters : EPI_LETTERS;
}

static size_t place_of(const epi_story *s, const epi_block *block, uint64_t letter) {
    return (size_t)(block - s->blocks) * EPI_LETTERS + (size_t)(letter % EPI_LETTERS);
}

const epi_letter *epi_story_letter(const epi_story *s, const epi_block *block, uint32_t i) {
    return &s->letters[place_of(s, block, block->letters - epi_story_letters(block) + i)];
}

static bool is_same(const epi_letter *letter, const col_event *event) {
    return letter->number == event->number && letter->to_machine == event->to_machine &&
           letter->to_controller == event->to_controller && letter->received_number == 0;
}

void epi_inside_message(epi_story *s, const col_event *event) {
    epi_block *block = epi_story_meet(s, event->block);
    if (block == NULL)
        return;
    if (event->kind == COL_MESSAGE_SENT) {
        s->letters[place_of(s, block, block->letters++)] =
            (epi_letter){.sent = event->cycle,
                         .sent_number = s->happened,
                         .number = event->number,
                         .machine = event->machine,
                         .controller = event->controller,
                         .to_machine = event->to_machine,
                         .to_controller = event->to_controller,
                         .name = epi_name_add(&s->names, event->message)};
        s->failed = s->failed || s->names.failed;
        return;
    }
    for (uint64_t i = 0; i < epi_story_letters(block); i++) {
        epi_letter *letter = &s->letters[place_of(s, block, block->letters - 1 - i)];
        if (!is_same(letter, event))
            continue;
        letter->received = event->cycle;
        letter->received_number = s->happened;
        return;
    }
}
