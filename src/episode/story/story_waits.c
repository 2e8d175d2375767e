/* SPDX-License-Identifier: MIT */
/* Who waits for whom, as a design that hangs has told: in words and as data. */
#include "episode/story/story.h"
#include "program/program.h"

#include <stdio.h>

/* A design may be anybody's: what does not fit it is left out, and all that follows. */
static bool is_sound(const epi_story *s, const col_event *e) {
    const col_duv_description *d = s->design;
    if (e->number != s->wait_count + 1 || s->wait_count == EPI_MOST_WAITS)
        return false;
    if (e->operation != UINT32_MAX && e->operation >= col_program_operations(s->program))
        return false;
    if (e->machine == COL_OF_BUS || e->machine == COL_OF_MEMORY)
        return e->controller < EPI_MOST_BUSES;
    return e->machine == COL_OF_CORE ? e->controller < d->cores
                                     : e->machine < d->machine_count &&
                                           e->controller < d->machines[e->machine].controllers;
}

void epi_story_keep_wait(epi_story *s, const col_event *e) {
    if (e->number == 0) {
        s->hang = epi_name_add(&s->names, e->message);
        s->wait_count = 0;
    } else if (is_sound(s, e)) {
        s->waits[s->wait_count++] = (epi_wait){.since = e->overwritten,
                                               .on = e->read,
                                               .block = e->block,
                                               .machine = e->machine,
                                               .controller = e->controller,
                                               .state = e->state,
                                               .operation = e->operation,
                                               .text = epi_name_add(&s->names, e->message)};
    }
    s->failed = s->failed || s->names.failed;
}

static const char *who(const epi_story *s, const epi_wait *w, char name[EPI_NAME]) {
    if (w->machine == COL_OF_CORE)
        (void)snprintf(name, EPI_NAME, "core %u", w->controller);
    else if (w->machine == COL_OF_BUS)
        (void)snprintf(name, EPI_NAME, "bus %u", w->controller);
    else if (w->machine == COL_OF_MEMORY)
        (void)snprintf(name, EPI_NAME, "memory");
    else
        (void)epi_controller_name(s, w->machine, w->controller, name);
    return name;
}

/* Since when it waits, if that is known: by its own account, or since it came to its state. */
static uint64_t since(const epi_story *s, const epi_wait *w) {
    const epi_block *block = epi_story_block(s, w->block);
    if (w->since > 0 || w->machine == COL_OF_CORE || w->state == UINT32_MAX || block == NULL)
        return w->since;
    const epi_held *held = epi_story_held(s, block, w->machine, w->controller);
    return held->known && held->state == w->state ? held->since : 0;
}

/* The last message about the block that the one who waits sent; NULL: none is known. */
static const epi_message *last_sent(const epi_story *s, const epi_wait *w) {
    const epi_block *block = epi_story_block(s, w->block);
    for (uint32_t i = block == NULL ? 0 : epi_story_messages(block); i > 0; i--) {
        const epi_message *m = epi_story_message(block, i - 1);
        if (m->machine == w->machine && m->controller == w->controller)
            return m;
    }
    return NULL;
}

static void say_receiver(const epi_story *s, const epi_message *m, base_text *text) {
    char name[EPI_NAME];
    if (m->to_machine == COL_OF_BUS)
        base_text_print(text, "bus %u", m->to_controller);
    else if (m->to_machine == COL_OF_MEMORY)
        base_text_add(text, "memory");
    else if (m->to_machine == COL_OF_CORE)
        base_text_print(text, "core %u", m->to_controller);
    else
        base_text_add(text, epi_controller_name(s, m->to_machine, m->to_controller, name));
}

/* ---- In words. */

/* What the receiver did with it. */
static void say_answer(const epi_story *s, const epi_message *m, base_text *text) {
    const epi_block *block = NULL;
    char state[EPI_NAME], event[EPI_NAME], next[EPI_NAME];
    for (size_t i = 0; i < s->index.count && block == NULL; i++)
        if (m >= s->blocks[i].messages && m < s->blocks[i].messages + EPI_MESSAGES)
            block = &s->blocks[i];
    for (uint32_t i = 0; block != NULL && i < epi_story_notes(block); i++) {
        const epi_note *n = epi_story_note(block, i);
        if (n->kind != COL_TRANSITION || n->machine != m->to_machine ||
            n->controller != m->to_controller || n->cycle != m->received ||
            n->number < m->received_number)
            continue;
        base_text_print(text, " (%s %s -> %s%s)", epi_state_name(s, n->machine, n->state, state),
                        epi_event_name(s, n->machine, n->event, event),
                        epi_state_name(s, n->machine, n->next_state, next),
                        epi_is_edited(s, n) ? ", edited" : "");
        return;
    }
}

static void say_last_sent(const epi_story *s, const epi_wait *w, base_text *text) {
    const epi_message *m = last_sent(s, w);
    const uint64_t start = since(s, w);
    if (start > 0 && (m == NULL || m->sent < start)) {
        base_text_add(text, "     it has sent no message about the block since then\n");
        return;
    }
    if (m == NULL)
        return;
    base_text_print(text, "     its last message about the block: %s to ",
                    epi_name_of(&s->names, m->name));
    say_receiver(s, m, text);
    base_text_print(text, " in cycle %llu", (unsigned long long)m->sent);
    if (m->received_number > 0)
        base_text_print(text, ", taken in cycle %llu", (unsigned long long)m->received);
    else
        base_text_add(text, ", never taken");
    if (m->received_number > 0)
        say_answer(s, m, text);
    base_text_add(text, "\n");
}

static void say_wait(const epi_story *s, uint32_t i, base_text *text) {
    const epi_wait *w = &s->waits[i];
    const uint64_t start = since(s, w);
    char name[EPI_NAME];
    base_text_print(text, "  %2u %s %s", i + 1, who(s, w, name), epi_name_of(&s->names, w->text));
    if (w->block != 0 || w->state != UINT32_MAX) {
        base_text_add(text, ", block ");
        epi_say_block(s, w->block, text);
    }
    if (start > 0)
        base_text_print(text, ", since cycle %llu", (unsigned long long)start);
    if (w->operation != UINT32_MAX) {
        base_text_add(text, ": ");
        prg_operation_write(epi_operation(s, w->operation), text);
        base_text_add(text, " (");
        epi_say_place(s, w->operation, text);
        base_text_add(text, ")");
    }
    if (w->on > 0 && w->on <= s->wait_count)
        base_text_print(text, " -> %llu", (unsigned long long)w->on);
    base_text_add(text, "\n");
    if (w->state != UINT32_MAX && w->machine != COL_OF_CORE)
        say_last_sent(s, w, text);
}

void epi_say_waits(const epi_story *s, base_text *text) {
    if (s->wait_count == 0)
        return;
    base_text_print(text, "\nWho waits for whom (%s):\n", epi_name_of(&s->names, s->hang));
    for (uint32_t i = 0; i < s->wait_count; i++)
        say_wait(s, i, text);
}

/* ---- As data. */

static json_t *sent_json(const epi_story *s, const epi_message *m) {
    base_text receiver = {0};
    say_receiver(s, m, &receiver);
    json_t *object = json_pack(
        "{s:o, s:o*, s:I}", "type", base_json_text(epi_name_of(&s->names, m->name)), "to",
        receiver.failed ? NULL : base_json_text(receiver.data), "cycle", (json_int_t)m->sent);
    base_json_set(&object, "taken",
                  m->received_number > 0 ? json_integer((json_int_t)m->received) : json_null());
    base_text_free(&receiver);
    return object;
}

static json_t *wait_json(const epi_story *s, const epi_wait *w) {
    const uint64_t start = since(s, w);
    const epi_message *m = w->state == UINT32_MAX ? NULL : last_sent(s, w);
    char name[EPI_NAME], block[24];
    (void)snprintf(block, sizeof block, "0x%llx", (unsigned long long)w->block);
    json_t *object = json_pack("{s:o, s:o, s:s}", "who", base_json_text(who(s, w, name)), "what",
                               base_json_text(epi_name_of(&s->names, w->text)), "block", block);
    base_json_set(&object, "on",
                  w->on > 0 && w->on <= s->wait_count ? json_integer((json_int_t)w->on - 1)
                                                      : json_null());
    if (start > 0)
        base_json_set(&object, "since", json_integer((json_int_t)start));
    if (w->state != UINT32_MAX && w->machine != COL_OF_CORE)
        base_json_set(&object, "state",
                      base_json_text(epi_state_name(s, w->machine, w->state, name)));
    if (m != NULL)
        base_json_set(&object, "last_sent", sent_json(s, m));
    if (w->operation == UINT32_MAX)
        return object;
    const uint32_t thread = col_program_thread_of(s->program, w->operation);
    base_json_set(&object, "thread", json_integer(thread));
    base_json_set(&object, "operation",
                  json_integer(w->operation - s->program->thread_start[thread]));
    return object;
}

void epi_set_waits(const epi_story *s, json_t **root) {
    json_t *waits = json_array();
    if (s->wait_count == 0) {
        json_decref(waits);
        return;
    }
    for (uint32_t i = 0; i < s->wait_count; i++)
        base_json_append(&waits, wait_json(s, &s->waits[i]));
    base_json_set(root, "hang", base_json_text(epi_name_of(&s->names, s->hang)));
    base_json_set(root, "waits", waits);
}
