/* SPDX-License-Identifier: MIT */
/* The transition table of a machine as C: cells, action lists, fused actions, needed slots. */
#include "slicc/emit.h"

#include <string.h>

const slicc_declaration *slicc_states_of(const slicc_declaration *machine) {
    for (const slicc_declaration *d = machine->members; d != NULL; d = d->next)
        if (d->kind == SLICC_STATES)
            return d;
    return NULL;
}

static const slicc_declaration *events_of(const slicc_declaration *machine) {
    return slicc_member_find(machine->members, SLICC_ENUMERATION, "Event");
}

int32_t slicc_value_place(const slicc_declaration *enumeration, const char *name) {
    const slicc_value *found = slicc_value_find(enumeration, name);
    int32_t place = 0;
    if (found == NULL)
        return -1;
    if (enumeration->sorted_values != NULL)
        return (int32_t)found->number;
    for (const slicc_value *v = enumeration->values; v != found; v = v->next)
        place++;
    return place;
}

static const char *name_at(const slicc_declaration *enumeration, uint32_t place) {
    const slicc_value *v = enumeration->values;
    while (place-- > 0)
        v = v->next;
    return v->name;
}

static uint32_t count_values(const slicc_declaration *enumeration) {
    uint32_t count = 0;
    for (const slicc_value *v = enumeration->values; v != NULL; v = v->next)
        count++;
    return count;
}

static void place_transition(emitter *e, slicc_table *t, const slicc_declaration *states,
                             const slicc_declaration *events, const slicc_declaration *d) {
    if (d->next_state != NULL && strcmp(d->next_state->text, "*") != 0 &&
        slicc_value_place(states, d->next_state->text) < 0)
        slicc_complain(e->report, d->next_state->place, "there is no state '%s'",
                       d->next_state->text);
    for (const slicc_name *s = d->states; s != NULL; s = s->next) {
        const int32_t state = slicc_value_place(states, s->text);
        if (state < 0) {
            slicc_complain(e->report, s->place, "there is no state '%s'", s->text);
            continue;
        }
        for (const slicc_name *v = d->events; v != NULL; v = v->next) {
            const int32_t event = slicc_value_place(events, v->text);
            if (event < 0) {
                if (s == d->states)
                    slicc_complain(e->report, v->place, "there is no event '%s'", v->text);
                continue;
            }
            const slicc_declaration **cell =
                &t->cells[(uint32_t)state * t->event_count + (uint32_t)event];
            if (*cell != NULL)
                slicc_complain(e->report, d->place,
                               "the transition of %s by %s is already defined in line %u", s->text,
                               v->text, (*cell)->place.line);
            else
                *cell = d;
        }
    }
}

static uint32_t enqueues_to(const slicc_statement *list, const char *port) {
    uint32_t count = 0;
    for (; list != NULL; list = list->next) {
        if ((list->kind == SLICC_ENQUEUE || list->kind == SLICC_DEFER_ENQUEUEING) &&
            slicc_same(list->port->text, port))
            count++;
        if (list->kind != SLICC_ENQUEUE && list->kind != SLICC_DEFER_ENQUEUEING)
            count += enqueues_to(list->body, port) + enqueues_to(list->otherwise, port);
    }
    return count;
}

static const slicc_declaration *action_of(emitter *e, const slicc_name *name, bool complain) {
    const slicc_declaration *action =
        slicc_member_find(e->machine->members, SLICC_ACTION, name->text);
    if (action == NULL && complain)
        slicc_complain(e->report, name->place, "there is no action '%s'", name->text);
    return action;
}

static uint32_t action_place(const emitter *e, const slicc_declaration *action) {
    uint32_t place = 0;
    for (const slicc_declaration *d = e->machine->members; d != action; d = d->next)
        place += d->kind == SLICC_ACTION;
    return place;
}

/* Slots that the actions of a transition need of each out_port's buffer. */
static uint32_t emit_resources(emitter *e, slicc_table *t, const slicc_declaration *d) {
    uint32_t count = 0;
    for (const slicc_declaration *port = e->machine->members; port != NULL; port = port->next) {
        if (port->kind != SLICC_OUT_PORT)
            continue;
        uint32_t slots = 0;
        for (const slicc_name *a = d->actions; a != NULL; a = a->next) {
            const slicc_declaration *action = action_of(e, a, false);
            slots += action != NULL ? enqueues_to(action->body, port->name) : 0;
        }
        if (slots == 0)
            continue;
        base_text_print(&t->resources, "{offsetof(struct sm_%s, m_%s), %u},\n", e->machine->name,
                        port->buffer->text, slots);
        count++;
    }
    t->resource_count += count;
    return count;
}

static bool same_actions(const slicc_declaration *a, const slicc_declaration *b) {
    const slicc_name *x = a->actions, *y = b->actions;
    while (x != NULL && y != NULL && slicc_same(x->text, y->text)) {
        x = x->next;
        y = y->next;
    }
    return x == NULL && y == NULL;
}

/* The number of the function that takes all actions of a transition; from 1, 0 if there are too
 * many of them. */
static uint32_t sequence_of(slicc_table *t, const slicc_declaration *d) {
    for (uint32_t i = 0; i < t->sequence_count; i++)
        if (same_actions(t->sequences[i], d))
            return i + 1;
    if (t->sequence_count == SLICC_MOST_SEQUENCES)
        return 0;
    t->sequences[t->sequence_count++] = d;
    return t->sequence_count;
}

static void emit_sequences(emitter *e, const slicc_table *t) {
    const char *name = e->machine->name;
    for (uint32_t i = 0; i < t->sequence_count; i++) {
        base_text_print(e->out,
                        "static void sm_%s_sequence_%u(sl_controller *base, sl_transition *t) {\n"
                        "(void)base; (void)t;\n",
                        name, i + 1);
        for (const slicc_name *a = t->sequences[i]->actions; a != NULL; a = a->next)
            if (action_of(e, a, false) != NULL)
                base_text_print(e->out, "sm_%s_do_%s(base, t);\n", name, a->text);
        base_text_add(e->out, "}\n");
    }
    base_text_print(e->out, "static const sl_action sm_%s_sequences[] = {NULL, ", name);
    for (uint32_t i = 0; i < t->sequence_count; i++)
        base_text_print(e->out, "sm_%s_sequence_%u, ", name, i + 1);
    base_text_add(e->out, "};\n");
}

static void emit_cell(emitter *e, slicc_table *t, uint32_t state, uint32_t event) {
    const slicc_declaration *d = t->cells[state * t->event_count + event];
    const slicc_declaration *states = slicc_states_of(e->machine);
    if (d == NULL)
        return;
    uint32_t count = 0;
    bool stall = false;
    const uint32_t check = t->check_of[state * t->event_count + event];
    const bool by_function = d->next_state != NULL && strcmp(d->next_state->text, "*") == 0;
    const uint32_t next = d->next_state == NULL || by_function
                              ? state
                              : (uint32_t)slicc_value_place(states, d->next_state->text);
    const uint32_t first = t->list_count, first_resource = t->resource_count;
    for (const slicc_name *a = d->actions; a != NULL; a = a->next) {
        const slicc_declaration *action = action_of(e, a, false);
        if (action == NULL)
            continue;
        stall = stall || strcmp(a->text, "z_stall") == 0;
        base_text_print(&t->list, "%u,", action_place(e, action));
        t->list_count++;
        count++;
    }
    if (count > UINT8_MAX || t->list_count > UINT16_MAX)
        slicc_complain(e->report, d->place, "the machine has too many actions for its table");
    const uint32_t resources = emit_resources(e, t, d);
    if (resources > UINT8_MAX || t->resource_count > UINT16_MAX)
        slicc_complain(e->report, d->place, "the machine has too many out_ports for its table");
    const bool is_reached = slicc_reached_has(e->reached, e->machine->name, name_at(states, state),
                                              name_at(events_of(e->machine), event));
    base_text_print(e->out, "[%u] = {%u, %u, %u, SL_DEFINED%s%s%s%s, %u, %u, %u, %u},\n",
                    state * t->event_count + event, next, first, count, stall ? " | SL_STALL" : "",
                    by_function ? " | SL_NEXT_BY_FUNCTION" : "",
                    check != 0 ? " | SL_CHECK_TBE" : "", is_reached ? " | SL_REACHED" : "",
                    first_resource, resources, check, sequence_of(t, d));
}

/* What each cell needs, and its transition's line. */
static void emit_facts(emitter *e, const slicc_table *t) {
    const uint32_t *needs = slicc_needs_of(&e->needs, e->machine);
    const uint32_t count = t->state_count * t->event_count;
    base_text_print(e->out, "static const uint32_t sm_%s_needs[%u] = {\n", e->machine->name, count);
    for (uint32_t i = 0; i < count; i++)
        if (needs != NULL && t->cells[i] != NULL && needs[i] != 0)
            base_text_print(e->out, "[%u] = %u,\n", i, needs[i]);
    base_text_print(e->out, "};\nstatic const uint32_t sm_%s_lines[%u] = {\n", e->machine->name,
                    count);
    for (uint32_t i = 0; i < count; i++)
        if (t->cells[i] != NULL)
            base_text_print(e->out, "[%u] = %u,\n", i, t->cells[i]->place.line);
    base_text_add(e->out, "};\n");
}

void slicc_emit_table(emitter *e, slicc_table *t) {
    const char *name = e->machine->name;
    base_text_print(e->out, "static const sl_cell sm_%s_cells[%u] = {\n", name,
                    t->state_count * t->event_count);
    for (uint32_t state = 0; state < t->state_count; state++)
        for (uint32_t event = 0; event < t->event_count; event++)
            emit_cell(e, t, state, event);
    base_text_print(e->out, "};\nstatic const uint16_t sm_%s_list[] = {%s0};\n", name,
                    t->list.data == NULL ? "" : t->list.data);
    base_text_print(e->out, "static const sl_resource sm_%s_resources[] = {\n%s{0, 0}};\n", name,
                    t->resources.data == NULL ? "" : t->resources.data);
    emit_sequences(e, t);
    emit_facts(e, t);
}

bool slicc_find_cells(emitter *e, slicc_table *t, base_arena *arena) {
    const slicc_declaration *states = slicc_states_of(e->machine);
    const slicc_declaration *events = events_of(e->machine);
    const bool no_states = states == NULL || states->values == NULL;
    if (no_states || events == NULL || events->values == NULL) {
        slicc_complain(e->report, e->machine->place, "the machine %s declares no %s",
                       e->machine->name, no_states ? "states" : "events");
        return false;
    }
    t->state_count = count_values(states);
    t->event_count = count_values(events);
    if (t->state_count > UINT16_MAX || t->event_count > UINT16_MAX ||
        t->state_count * t->event_count > SLICC_MOST_CELLS) {
        slicc_complain(e->report, e->machine->place,
                       "the machine %s has too many states and events: its table would have more "
                       "than %d cells",
                       e->machine->name, SLICC_MOST_CELLS);
        return false;
    }
    t->cells =
        base_arena_take(arena, (size_t)t->state_count * t->event_count * sizeof *t->cells + 1);
    t->check_of = base_arena_take(arena, (size_t)t->state_count * t->event_count + 1);
    if (t->cells == NULL || t->check_of == NULL) {
        e->report->failed = true;
        return false;
    }
    for (const slicc_declaration *d = e->machine->members; d != NULL; d = d->next) {
        if (d->kind != SLICC_TRANSITION)
            continue;
        place_transition(e, t, states, events, d);
        for (const slicc_name *a = d->actions; a != NULL; a = a->next)
            (void)action_of(e, a, true);
    }
    return true;
}
