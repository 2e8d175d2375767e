/* SPDX-License-Identifier: MIT */
/*
 * The story of a failure in words: what broke, the cycle, where the block was, and what happened to
 * it before. It is meant to fit on a screen or two, so of long stories only the end is told.
 */
#include "check/violation.h"
#include "episode/story_parts.h"
#include "program/write.h"

#include <stdio.h>
#include <string.h>

enum {
    MOST_LINES = 32, /* of the first block's story */
    MOST_MORE = 16,  /* of the others' */
    MOST_HOLDERS = 12,
    WIDTH = 100,
};

/* ---- Where the block is. */

typedef struct holders {
    const epi_story *story;
    const epi_block *block;
    base_text *text;
    uint32_t shown, met, empty;
} holders;

static void say_holder(holders *h, uint32_t machine, uint32_t controller) {
    const epi_held *held = epi_story_held(h->story, h->block, machine, controller);
    char name[EPI_NAME], state[EPI_NAME];
    h->met += held->known;
    if (!held->known || epi_is_empty(h->story, machine, held->state)) {
        h->empty += held->known;
        return;
    }
    if (h->shown++ >= MOST_HOLDERS)
        return;
    base_text_print(h->text, "  %-14s %-12s since cycle %llu\n",
                    epi_controller_name(h->story, machine, controller, name),
                    epi_state_name(h->story, machine, held->state, state),
                    (unsigned long long)held->since);
}

static void say_holders(const epi_story *s, const epi_block *block, base_text *text) {
    holders h = {.story = s, .block = block, .text = text};
    base_text_add(text, "\nState of block ");
    epi_say_block(s, block->address, text);
    base_text_add(text, " at the end:\n");
    for (uint32_t m = 0; m < s->design->machine_count; m++)
        for (uint32_t c = 0; c < s->design->machines[m].controllers; c++)
            say_holder(&h, m, c);
    if (h.shown > MOST_HOLDERS)
        base_text_print(text, "  and %u more controllers\n", h.shown - MOST_HOLDERS);
    if (h.shown == 0)
        base_text_add(text, h.met == 0 ? "  no controller told of it\n"
                                       : "  no controller had the block\n");
    else if (h.empty > 0)
        base_text_print(text, "  (%u other %s without the block)\n", h.empty,
                        h.empty == 1 ? "controller was" : "controllers were");
}

/* ---- What happened to it. */

static void say_transition(const epi_story *s, const epi_note *note, base_text *text) {
    char name[EPI_NAME], state[EPI_NAME], event[EPI_NAME], next[EPI_NAME];
    base_text_print(text, "%-14s %-10s %-22s",
                    epi_controller_name(s, note->machine, note->controller, name),
                    epi_state_name(s, note->machine, note->state, state),
                    epi_event_name(s, note->machine, note->event, event));
    if (note->kind == COL_PROTOCOL_ERROR)
        base_text_add(text, " -> here it went wrong");
    else
        base_text_print(text, " -> %s", epi_state_name(s, note->machine, note->next_state, next));
    if (epi_is_edited(s, note))
        base_text_add(text, " (edited)");
}

static void say_access(const epi_story *s, const epi_note *note, base_text *text) {
    char core[EPI_NAME];
    const char *from = epi_sources[s->done[note->operation].source];
    const col_kind_traits *traits = &col_kinds[s->program->operations[note->operation].kind];
    (void)snprintf(core, sizeof core, "core %u", note->core);
    base_text_print(text, "%-14s ", core);
    epi_say_operation(s, note->operation, text);
    base_text_add(text, " (");
    epi_say_place(s, note->operation, text);
    base_text_add(text, ")");
    if (traits->reads && from != NULL)
        base_text_print(text, ", from %s", from);
}

static void say_early_value(const epi_story *s, const epi_note *note, base_text *text) {
    char core[EPI_NAME];
    (void)snprintf(core, sizeof core, "core %u", note->core);
    base_text_print(text, "%-14s ", core);
    prg_operation_write(&s->program->operations[note->operation], text);
    base_text_add(text, " (");
    epi_say_place(s, note->operation, text);
    base_text_add(text,
                  note->kind == COL_LOAD_BOUND ? ") gets its value, and waits" : ") is squashed");
}

static void say_note(const epi_story *s, const epi_note *note, base_text *text) {
    char core[EPI_NAME];
    base_text_print(text, "  %8llu  ", (unsigned long long)note->cycle);
    if (note->kind == COL_TRANSITION || note->kind == COL_PROTOCOL_ERROR) {
        say_transition(s, note, text);
    } else if (note->kind == COL_EVICTION) {
        (void)snprintf(core, sizeof core, "core %u", note->core);
        base_text_print(text, "%-14s its private caches gave the block up", core);
    } else if (note->kind == COL_LOAD_BOUND || note->kind == COL_LOAD_SQUASHED) {
        say_early_value(s, note, text);
    } else {
        say_access(s, note, text);
    }
    base_text_add(text, "\n");
}

static void say_scene(const epi_story *s, const epi_scene *scene, uint32_t most, base_text *text) {
    const epi_block *block = epi_story_block(s, scene->block);
    const uint32_t kept = block == NULL ? 0 : epi_story_notes(block);
    uint32_t told = 0, passed = 0;
    for (uint32_t i = 0; i < kept; i++)
        told += epi_is_told(scene, epi_story_note(s, block, i));
    if (told == 0)
        return;
    const uint32_t skipped = told > most ? told - most : 0;
    const uint64_t untold = block->count - kept + skipped;
    say_holders(s, block, text);
    base_text_add(text, "\nWhat happened to block ");
    epi_say_block(s, scene->block, text);
    base_text_add(text, " before:\n");
    if (untold > 0)
        base_text_print(text, "            ... %llu earlier %s ...\n", (unsigned long long)untold,
                        untold == 1 ? "event" : "events");
    for (uint32_t i = 0; i < kept; i++)
        if (epi_is_told(scene, epi_story_note(s, block, i)) && passed++ >= skipped)
            say_note(s, epi_story_note(s, block, i), text);
}

/* ---- All of it. */

static void say_waiting(const epi_story *s, const epi_finding *f, base_text *text) {
    if (f->waiting_count > 0)
        base_text_add(text, "\nThe first access of each thread that has not performed:\n");
    for (uint32_t i = 0; i < f->waiting_count; i++) {
        base_text_add(text, "  ");
        epi_say_place(s, f->waiting[i], text);
        base_text_add(text, ": ");
        epi_say_operation(s, f->waiting[i], text);
        base_text_add(text, ", block ");
        epi_say_block(s, epi_story_block_of(s, s->program->operations[f->waiting[i]].location),
                      text);
        base_text_add(text, "\n");
    }
    if (f->waiting_total > f->waiting_count)
        base_text_print(text, "  and %u more\n", f->waiting_total - f->waiting_count);
}

static void say_violation(const epi_story *s, const epi_ending *ending, const epi_finding *f,
                          base_text *text) {
    base_text sentences = {0};
    epi_say_wrong(s, ending->violation, f, &sentences);
    base_text_add_wrapped(text, sentences.data == NULL ? "" : sentences.data, WIDTH, "");
    base_text_free_part(&sentences, text);
    base_text_add(text, "\n");
    chk_violation_print(ending->violation, COL_WORDS, text);
}

void epi_story_words(const epi_story *s, const epi_ending *ending, base_text *text) {
    epi_finding f;
    epi_story_find(s, ending, &f);
    base_text_add_wrapped(text, f.axiom, WIDTH, "");
    if (ending->violation != NULL)
        say_violation(s, ending, &f, text);
    say_waiting(s, &f, text);
    for (uint32_t i = 0; i < f.scene_count; i++)
        say_scene(s, &f.scenes[i], i == 0 ? MOST_LINES : MOST_MORE, text);
    if (s->block_count == s->most_blocks)
        base_text_print(text, "\n(Of the many blocks the first %u were watched.)\n",
                        s->most_blocks);
    text->failed = text->failed || s->failed;
}
