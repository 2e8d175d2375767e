/* SPDX-License-Identifier: MIT */
/* The transition table of a machine as C: cells, action lists, fused actions, needed slots. */
#include "protocol/slicc/emit_protocol.h"

#include <stdlib.h>
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
    return found == NULL ? -1 : (int32_t)found->number;
}

static const char *name_at(const slicc_declaration *enumeration, uint32_t place) {
    const slicc_value *v = enumeration->values;
    while (place-- > 0)
        v = v->next;
    return v->name;
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
        slicc_print(e, &t->resources, "{offsetof(struct sm_%M, m_%s), %u},\n", port->buffer->text,
                    slots);
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
    for (uint32_t i = 0; i < t->sequence_count; i++) {
        slicc_out(e,
                  "static void sm_%M_sequence_%u(sl_controller *base, sl_transition *t) {\n"
                  "(void)base; (void)t;\n",
                  i + 1);
        for (const slicc_name *a = t->sequences[i]->actions; a != NULL; a = a->next)
            if (action_of(e, a, false) != NULL)
                slicc_out(e, "sm_%M_do_%s(base, t);\n", a->text);
        base_text_add(e->out, "}\n");
    }
    slicc_out(e, "static const sl_action sm_%M_sequences[] = {NULL, ");
    for (uint32_t i = 0; i < t->sequence_count; i++)
        slicc_out(e, "sm_%M_sequence_%u, ", i + 1);
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
    slicc_out(e, "static const uint32_t sm_%M_needs[%u] = {\n", count);
    for (uint32_t i = 0; i < count; i++)
        if (needs != NULL && t->cells[i] != NULL && needs[i] != 0)
            base_text_print(e->out, "[%u] = %u,\n", i, needs[i]);
    slicc_out(e, "};\nstatic const uint32_t sm_%M_lines[%u] = {\n", count);
    for (uint32_t i = 0; i < count; i++)
        if (t->cells[i] != NULL)
            base_text_print(e->out, "[%u] = %u,\n", i, t->cells[i]->place.line);
    base_text_add(e->out, "};\n");
}

void slicc_emit_table(emitter *e, slicc_table *t) {
    slicc_out(e, "static const sl_cell sm_%M_cells[%u] = {\n", t->state_count * t->event_count);
    for (uint32_t state = 0; state < t->state_count; state++)
        for (uint32_t event = 0; event < t->event_count; event++)
            emit_cell(e, t, state, event);
    slicc_out(e,
              "};\nstatic const uint16_t sm_%M_list[] = {%s0};\nstatic const sl_resource "
              "sm_%M_resources[] = {\n%s{0, 0}};\n",
              t->list.data == NULL ? "" : t->list.data,
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
    t->state_count = states->value_count;
    t->event_count = events->value_count;
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

/*
 * What records hold, for the description of a protocol: where each field is and what it means. A
 * field that is a record itself is written as its own fields.
 */

enum { MOST_NESTED = 8 };

/* Fields on the way to the one at work, in C, joined by dots. */
typedef struct path {
    const slicc_type *record; /* the outermost */
    base_text inner;
    uint32_t depth;
} path;

const char *slicc_field_kind(const slicc_type *type) {
    static const struct {
        slicc_kind kind;
        const char *type; /* NULL: whichever */
        const char *field;
    } rows[] = {
        {KIND_BOOL, NULL, "SL_FIELD_BOOL"},
        {KIND_ENUM, NULL, "SL_FIELD_ENUM"},
        {KIND_MACHINE, NULL, "SL_FIELD_MACHINE"},
        {KIND_DATA, NULL, "SL_FIELD_DATA"},
        {KIND_DESTINATION, "Set", "SL_FIELD_SET"},
        {KIND_DESTINATION, NULL, "SL_FIELD_DESTINATION"},
        {KIND_PLACED, "WriteMask", "SL_FIELD_NUMBER"},
        {KIND_PLACED, NULL, "SL_FIELD_OTHER"},
        {KIND_NUMBER, "Addr", "SL_FIELD_ADDRESS"},
        {KIND_NUMBER, "Address", "SL_FIELD_ADDRESS"},
        {KIND_NUMBER, "NodeID", "SL_FIELD_NODE"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].kind == type->kind &&
            (rows[i].type == NULL || slicc_same(rows[i].type, type->name)))
            return rows[i].field;
    return "SL_FIELD_NUMBER";
}

/* "{offsetof(struct sm_record_X, f_a.f_b), KIND}, " */
static void emit_field(emitter *e, const path *p, const char *name, const char *kind) {
    slicc_out(e, "{offsetof(%r, %s%s), %s}, ", p->record,
              p->inner.data == NULL ? "" : p->inner.data, name, kind);
}

/* Of a record inside another: its header is part of what is copied and compared. */
static void emit_header(emitter *e, const path *p, const slicc_declaration *d) {
    if (slicc_is_message(d)) {
        emit_field(e, p, "header.references", "SL_FIELD_NUMBER");
        emit_field(e, p, "header.number", "SL_FIELD_NUMBER");
        return;
    }
    emit_field(e, p, "header.address", "SL_FIELD_ADDRESS");
    emit_field(e, p, "header.last_use", "SL_FIELD_NUMBER");
    emit_field(e, p, "header.permission", "SL_FIELD_NUMBER");
}

static void emit_all(emitter *e, path *p, const slicc_type *record) {
    if (p->depth > 0)
        emit_header(e, p, record->declaration);
    for (const slicc_declaration *m = record->declaration->members; m != NULL; m = m->next) {
        if (m->kind != SLICC_OBJECT || !slicc_type_exists(e, m->type))
            continue;
        const slicc_type type = slicc_type_find(e, m->type, m->place);
        base_text name = {0};
        slicc_c_field_name(record, m->name, &name);
        if (type.kind != KIND_RECORD) {
            emit_field(e, p, slicc_text_or_zero(&name), slicc_field_kind(&type));
        } else if (p->depth == MOST_NESTED && e->report->count > 0) {
            /* It may be part of itself, which was complained about. */
        } else if (p->depth == MOST_NESTED) {
            slicc_complain(e->report, m->place, "records are nested more than %d deep",
                           MOST_NESTED);
        } else {
            path inside = {.record = p->record, .depth = p->depth + 1};
            base_text_print(&inside.inner, "%s%s.", p->inner.data == NULL ? "" : p->inner.data,
                            slicc_text_or_zero(&name));
            emit_all(e, &inside, &type);
            slicc_text_end(e, &inside.inner);
        }
        slicc_text_end(e, &name);
    }
}

void slicc_emit_fields(emitter *e, const slicc_type *record) {
    path p = {.record = record};
    base_text_add(e->out, "(const sl_field[]){");
    emit_all(e, &p, record);
    base_text_add(e->out, "{0, SL_FIELD_END}}");
}

void slicc_emit_records(emitter *e) {
    slicc_out(e, "static const sl_field *const sm_%M_records[] = {NULL,\n");
    for (const slicc_declaration *d = e->machine->members; d != NULL; d = d->next) {
        if (d->kind != SLICC_STRUCTURE || !slicc_is_entry(d))
            continue;
        const slicc_type type = slicc_record_type(e, d);
        slicc_emit_fields(e, &type);
        base_text_add(e->out, ",\n");
    }
    base_text_add(e->out, "};\n");
}

/*
 * What a machine's parameters may be, as pairs of their declarations: docs/slicc.md. gem5's
 * protocols leave this to its scripts, so the parameters that these set are known by name.
 */

typedef struct known_pair {
    const char *parameter, *key, *value;
} known_pair;

static const known_pair known_pairs[] = {
    {"l2_select_num_bits", "bits_of", "L2Cache"},
    {"N_tokens", "above", "cores"},
    {"send_evictions", "initially", "1"},
};

/* What the declaration says, or what is known of a parameter that says nothing. */
static const char *value_of(const slicc_declaration *d, const char *key) {
    const slicc_pair *said = slicc_pair_find(d->pairs, key);
    if (said != NULL)
        return said->value;
    for (size_t i = 0; i < sizeof known_pairs / sizeof known_pairs[0]; i++)
        if (slicc_same(known_pairs[i].parameter, d->name) && slicc_same(known_pairs[i].key, key))
            return known_pairs[i].value;
    return NULL;
}

static slicc_place place_of(const slicc_declaration *d, const char *key) {
    const slicc_pair *said = slicc_pair_find(d->pairs, key);
    return said != NULL ? said->place : d->place;
}

/* ---- Numbers. */

static bool parse_number(const char *text, int64_t *number) {
    const char *digits = text + (text[0] == '-');
    const size_t length = strspn(digits, "0123456789");
    if (length == 0 || length > 18 || digits[length] != '\0')
        return false;
    *number = strtoll(text, NULL, 10);
    return true;
}

static void emit_number(emitter *e, const slicc_declaration *d, const char *key) {
    const char *text = value_of(d, key);
    int64_t number = 0;
    if (text == NULL)
        return;
    if (!parse_number(text, &number))
        slicc_complain(e->report, place_of(d, key), "%s is a number, not '%.40s'", key, text);
    else if (d->value != NULL && d->value->kind == SLICC_NUMBER && d->value->number <= INT64_MAX &&
             ((strcmp(key, "least") == 0 && (int64_t)d->value->number < number) ||
              (strcmp(key, "most") == 0 && (int64_t)d->value->number > number)))
        slicc_complain(e->report, d->value->place, "the default of '%s' is not within its bounds",
                       d->name);
    else
        base_text_print(e->out, ", .has_%s = 1, .%s = %lld", key, key, (long long)number);
}

/* ---- Words. */

/* A pair with one value: above="cores", same="yes". */
static void emit_word(emitter *e, const slicc_declaration *d, const char *key, const char *only,
                      const char *field) {
    const char *text = value_of(d, key);
    if (text == NULL)
        return;
    if (strcmp(text, only) != 0)
        slicc_complain(e->report, place_of(d, key), "%s is %s, not '%.40s'", key, only, text);
    base_text_print(e->out, ", .%s = 1", field);
}

static void emit_bits(emitter *e, const slicc_declaration *d) {
    const char *machine = value_of(d, "bits_of");
    if (machine == NULL)
        return;
    if (slicc_pair_find(d->pairs, "bits_of") != NULL &&
        slicc_member_find(e->tree->declarations, SLICC_MACHINE, machine) == NULL)
        slicc_complain(e->report, place_of(d, "bits_of"), "there is no machine '%.40s'", machine);
    slicc_out(e, ", .bits_of = %q", machine);
}

/* ring="length" or ring="length group": other parameters of the machine. */
static void emit_ring(emitter *e, const slicc_declaration *d) {
    static const char *const fields[] = {"ring_length", "ring_group"};
    const char *at = value_of(d, "ring");
    for (int i = 0; at != NULL && (i == 0 || *at != '\0'); i++) {
        char name[64] = "";
        const size_t length = strcspn(at, " ");
        if (length < sizeof name)
            memcpy(name, at, length);
        at += length + strspn(at + length, " ");
        if (i == 2 || slicc_member_find(e->machine->arguments, SLICC_OBJECT, name) == NULL) {
            slicc_complain(e->report, place_of(d, "ring"),
                           "ring names one or two parameters of the machine, not '%.40s'",
                           value_of(d, "ring"));
            return;
        }
        slicc_out(e, ", .%s = %q", fields[i], name);
    }
}

void slicc_emit_parameter(emitter *e, const slicc_declaration *d, const slicc_type *type) {
    int64_t number = 0;
    const char *initially = d->value == NULL ? value_of(d, "initially") : NULL;
    if (initially != NULL && parse_number(initially, &number))
        base_text_print(e->out, ", .has_initial = 1, .initial = %lld", (long long)number);
    if (type->kind == KIND_ENUM) {
        const uint32_t count = type->declaration->value_count;
        base_text_print(e->out, ", .has_least = 1, .has_most = 1, .most = %u",
                        count == 0 ? 0 : count - 1);
        return;
    }
    emit_number(e, d, "least");
    emit_number(e, d, "most");
    emit_word(e, d, "above", "cores", "above_cores");
    emit_word(e, d, "same", "yes", "same");
    emit_bits(e, d);
    emit_ring(e, d);
}
