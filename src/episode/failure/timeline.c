/* SPDX-License-Identifier: MIT */
/* The events of an instance as lines and as JSON. docs/replay.md has the format: programs read it,
 * so columns and keys stay as they are. */
#include "episode/story_parts.h"
#include "episode/timeline_parts.h"
#include "program/write.h"

#include <stdio.h>

const char *const epi_verbs[COL_EVENT_KINDS] = {
    [COL_LOAD_PERFORMED] = "performs", [COL_STORE_PERFORMED] = "performs",
    [COL_TRANSITION] = "transition",   [COL_EVICTION] = "loses",
    [COL_PROTOCOL_ERROR] = "error",    [COL_DEADLOCK] = "deadlock",
    [COL_INVARIANT_BROKEN] = "error",  [COL_MESSAGE_SENT] = "sends",
    [COL_MESSAGE_RECEIVED] = "gets",   [COL_OPERATION_ISSUED] = "asks",
    [COL_LOAD_BOUND] = "binds",        [COL_LOAD_SQUASHED] = "squashes",
};

/* ---- Parts. */

void epi_say_party(const epi_timeline *t, uint32_t machine, uint32_t controller, base_text *text) {
    char name[EPI_NAME];
    if (machine == COL_OF_MEMORY)
        base_text_add(text, "memory");
    else if (machine == COL_OF_CORE)
        base_text_print(text, "core %u", controller);
    else
        base_text_add(text, epi_controller_name(t->story, machine, controller, name));
}

void epi_moment_who(const epi_timeline *t, const epi_moment *m, base_text *text) {
    switch (m->kind) {
    case COL_TRANSITION:
    case COL_MESSAGE_SENT:
        epi_say_party(t, m->machine, m->controller, text);
        break;
    case COL_MESSAGE_RECEIVED:
        epi_say_party(t, m->state, m->event, text);
        break;
    case COL_PROTOCOL_ERROR:
        if (m->machine < t->story->design->machine_count)
            epi_say_party(t, m->machine, m->controller, text);
        else
            base_text_add(text, "design");
        break;
    case COL_DEADLOCK:
    case COL_INVARIANT_BROKEN:
        base_text_add(text, "design");
        break;
    default:
        base_text_print(text, "core %u", m->core);
    }
}

static void say_word(uint64_t word, base_text *text) {
    base_text_number(text, word & UINT32_MAX);
    if (word >> 32 != 0)
        base_text_print(text, "+%llu", (unsigned long long)(word >> 32));
}

static bool has_value(const epi_timeline *t, const epi_moment *m) {
    return (m->kind == COL_LOAD_PERFORMED || m->kind == COL_STORE_PERFORMED ||
            m->kind == COL_LOAD_BOUND) &&
           col_kinds[t->story->program->operations[m->operation].kind].reads;
}

static uint64_t value_of(const epi_moment *m) {
    return m->kind == COL_STORE_PERFORMED ? m->read : m->word;
}

void epi_moment_operation(const epi_timeline *t, const epi_moment *m, base_text *text) {
    prg_operation_write(&t->story->program->operations[m->operation], text);
    if (!has_value(t, m))
        return;
    base_text_add(text, " = ");
    say_word(value_of(m), text);
    if (m->kind == COL_LOAD_PERFORMED &&
        col_kinds[t->story->program->operations[m->operation].kind].fails)
        base_text_add(text, ", failed");
}

static bool is_edited(const epi_timeline *t, const epi_moment *m) {
    const epi_note note = {
        .kind = m->kind, .machine = m->machine, .state = m->state, .event = m->event};
    return epi_is_edited(t->story, &note);
}

static void say_transition(const epi_timeline *t, const epi_moment *m, base_text *text) {
    char state[EPI_NAME], event[EPI_NAME], next[EPI_NAME];
    base_text_print(text, "%s %s -> %s%s", epi_state_name(t->story, m->machine, m->state, state),
                    epi_event_name(t->story, m->machine, m->event, event),
                    epi_state_name(t->story, m->machine, m->next_state, next),
                    is_edited(t, m) ? " (edited)" : "");
}

static void say_message(const epi_timeline *t, const epi_moment *m, base_text *text) {
    const bool is_sent = m->kind == COL_MESSAGE_SENT;
    base_text_print(text, "%s #%llu %s ", epi_moment_name(t, m), (unsigned long long)m->word,
                    is_sent ? "to" : "from");
    if (is_sent)
        epi_say_party(t, m->state, m->event, text);
    else
        epi_say_party(t, m->machine, m->controller, text);
}

static void say_operation(const epi_timeline *t, const epi_moment *m, base_text *text) {
    const bool has_source = has_value(t, m) && epi_sources[m->source] != NULL;
    epi_moment_operation(t, m, text);
    base_text_add(text, " (");
    epi_say_place(t->story, m->operation, text);
    base_text_add(text, ")");
    if (has_source)
        base_text_print(text, ", from %s", epi_sources[m->source]);
    if (m->kind == COL_LOAD_BOUND && m->next_state != m->operation) {
        base_text_add(text, ", waits for ");
        epi_say_place(t->story, m->next_state, text);
    }
}

/* ---- Lines. */

void epi_moment_line(const epi_timeline *t, const epi_moment *m, base_text *text) {
    const size_t start = text->length;
    base_text_print(text, "%8llu  ", (unsigned long long)m->cycle);
    epi_moment_who(t, m, text);
    const size_t used = text->length - start - 10;
    base_text_print(text, "%*s %-10s 0x%-8llx ", used < EPI_WHO ? (int)(EPI_WHO - used) : 0, "",
                    epi_verbs[m->kind], (unsigned long long)m->block);
    if (m->kind == COL_TRANSITION)
        say_transition(t, m, text);
    else if (epi_moment_is_message(m))
        say_message(t, m, text);
    else if (m->kind == COL_EVICTION)
        base_text_add(text, "its private caches gave the block up");
    else if (m->kind == COL_PROTOCOL_ERROR || m->kind == COL_DEADLOCK ||
             m->kind == COL_INVARIANT_BROKEN)
        base_text_add(text, epi_moment_name(t, m));
    else
        say_operation(t, m, text);
}

void epi_timeline_lines(const epi_timeline *t, base_text *text) {
    if (epi_timeline_missing(t) > 0)
        base_text_print(text,
                        "... %llu earlier events were not kept; narrow them down with "
                        "--block, --core, --from and --to ...\n",
                        (unsigned long long)epi_timeline_missing(t));
    for (uint32_t i = 0; i < epi_timeline_count(t); i++) {
        epi_moment_line(t, epi_timeline_at(t, i), text);
        base_text_add(text, "\n");
    }
}

void epi_moment_block(const epi_timeline *t, const epi_moment *m, base_text *text) {
    epi_say_block(t->story, m->block, text);
}

/* The last transition of this controller for the block up to a moment; NULL: there was none. */
static const epi_moment *last_of(const epi_timeline *t, uint32_t i, uint32_t machine,
                                 uint32_t controller) {
    const uint64_t block = epi_timeline_at(t, i)->block;
    for (uint32_t j = i + 1; j > 0; j--) {
        const epi_moment *m = epi_timeline_at(t, j - 1);
        if (m->kind == COL_TRANSITION && m->block == block && m->machine == machine &&
            m->controller == controller)
            return m;
    }
    return NULL;
}

void epi_timeline_states(const epi_timeline *t, uint32_t i, base_text *text) {
    const col_duv_description *d = t->story->design;
    char name[EPI_NAME], state[EPI_NAME];
    for (uint32_t m = 0; m < d->machine_count; m++)
        for (uint32_t c = 0; c < d->machines[m].controllers; c++) {
            const epi_moment *last = last_of(t, i, m, c);
            if (last != NULL)
                base_text_print(text, "%-14s %-12s since cycle %llu\n",
                                epi_controller_name(t->story, m, c, name),
                                epi_state_name(t->story, m, last->next_state, state),
                                (unsigned long long)last->cycle);
        }
}

/* ---- JSON. */

static json_t *party(const epi_timeline *t, uint32_t machine, uint32_t controller) {
    base_text name = {0};
    epi_say_party(t, machine, controller, &name);
    json_t *value = name.failed ? NULL : base_json_text(name.data);
    base_text_free(&name);
    return value;
}

static void set_operation(const epi_timeline *t, const epi_moment *m, json_t **object) {
    const col_program *p = t->story->program;
    const uint32_t thread = col_program_thread_of(p, m->operation);
    base_text text = {0};
    prg_operation_write(&p->operations[m->operation], &text);
    base_json_set(object, "thread", json_integer(thread));
    base_json_set(object, "operation", json_integer(m->operation - p->thread_start[thread]));
    base_json_set(object, "text", text.failed ? NULL : base_json_text(text.data));
    base_text_free(&text);
    if (has_value(t, m))
        base_json_set(object, "value", json_integer((json_int_t)value_of(m)));
    if (has_value(t, m) && epi_sources[m->source] != NULL)
        base_json_set(object, "source", base_json_text(epi_sources[m->source]));
    if (m->kind == COL_STORE_PERFORMED) {
        base_json_set(object, "stored", json_integer((json_int_t)m->word));
        base_json_set(object, "overwritten", json_integer((json_int_t)m->overwritten));
    }
    if (m->kind == COL_LOAD_BOUND && m->next_state != m->operation)
        base_json_set(object, "waits_for", json_integer(m->next_state - p->thread_start[thread]));
}

static void set_transition(const epi_timeline *t, const epi_moment *m, json_t **object) {
    char name[EPI_NAME];
    base_json_set(object, "state",
                  base_json_text(epi_state_name(t->story, m->machine, m->state, name)));
    base_json_set(object, "event",
                  base_json_text(epi_event_name(t->story, m->machine, m->event, name)));
    base_json_set(object, "next",
                  base_json_text(epi_state_name(t->story, m->machine, m->next_state, name)));
    base_json_set(object, "edited", json_boolean(is_edited(t, m)));
}

static json_t *json_of(const epi_timeline *t, const epi_moment *m) {
    char block[24];
    base_text who = {0};
    json_t *object = json_object();
    epi_moment_who(t, m, &who);
    (void)snprintf(block, sizeof block, "0x%llx", (unsigned long long)m->block);
    base_json_set(&object, "cycle", json_integer((json_int_t)m->cycle));
    base_json_set(&object, "kind", json_string(epi_verbs[m->kind]));
    base_json_set(&object, "who", who.failed ? NULL : base_json_text(who.data));
    base_json_set(&object, "block", json_string(block));
    base_text_free(&who);
    if (m->kind == COL_TRANSITION) {
        set_transition(t, m, &object);
    } else if (epi_moment_is_message(m)) {
        base_json_set(&object, "message", json_integer((json_int_t)m->word));
        base_json_set(&object, "type", base_json_text(epi_moment_name(t, m)));
        base_json_set(&object, "from", party(t, m->machine, m->controller));
        base_json_set(&object, "to", party(t, m->state, m->event));
    } else if (m->kind == COL_PROTOCOL_ERROR || m->kind == COL_DEADLOCK ||
               m->kind == COL_INVARIANT_BROKEN) {
        base_json_set(&object, "reason", base_json_text(epi_moment_name(t, m)));
    } else if (m->kind != COL_EVICTION) {
        set_operation(t, m, &object);
    }
    return object;
}

json_t *epi_timeline_json(const epi_timeline *t) {
    json_t *array = json_array();
    for (uint32_t i = 0; i < epi_timeline_count(t); i++)
        base_json_append(&array, json_of(t, epi_timeline_at(t, i)));
    return array;
}
