/* SPDX-License-Identifier: MIT */
/*
 * What cells need: see needs.h. What can happen grows until nothing is new: a transition is taken
 * if its state and its event can come up; its actions name kinds of messages, it leads to its next
 * state, and in_ports trigger events of these kinds. What is named outside of actions can always
 * come up. This is done once with everything, and once without each thing that can be withheld.
 */
#include "slicc/needs.h"

#include "collider/protocol/description.h"
#include "slicc/emit.h"
#include "slicc/needs_parts.h"

#include <string.h>

static bool is_requests(const slicc_kinds *kinds) {
    return slicc_same(kinds->enumeration->name, "RubyRequestType");
}

/* What DMA engines ask for: the types of SequencerMsg. */
static bool is_transfers(const slicc_kinds *kinds) {
    return slicc_same(kinds->enumeration->name, "SequencerRequestType");
}

/* ---- Values. */

slicc_kinds *slicc_flow_kinds(slicc_flow *f, const slicc_flow_machine *machine, const char *type) {
    if (slicc_same(machine->states.enumeration->name, type))
        return (slicc_kinds *)&machine->states;
    for (uint32_t i = 0; i < f->kind_count; i++)
        if (slicc_same(f->kinds[i].enumeration->name, type))
            return &f->kinds[i];
    return NULL;
}

static void mark_at(slicc_flow *f, slicc_kinds *kinds, uint32_t place) {
    f->changed |= !kinds->is_live[place];
    kinds->is_live[place] = true;
}

void slicc_flow_mark(slicc_flow *f, slicc_kinds *kinds, const char *value) {
    const int32_t place = value == NULL ? -1 : slicc_value_place(kinds->enumeration, value);
    if (place >= 0)
        mark_at(f, kinds, (uint32_t)place);
    for (uint32_t i = 0; place < 0 && i < kinds->count; i++)
        mark_at(f, kinds, i);
}

/* ---- What is named. A value that is only compared with does not come up by that. */

static void mark_expressions(slicc_flow *f, const slicc_flow_machine *m, const slicc_expression *x);

static void mark_expression(slicc_flow *f, const slicc_flow_machine *m, const slicc_expression *x) {
    if (x == NULL)
        return;
    if (x->kind == SLICC_ENUMERATOR) {
        slicc_kinds *kinds = slicc_flow_kinds(f, m, x->type);
        if (kinds != NULL)
            slicc_flow_mark(f, kinds, x->text);
        return;
    }
    const bool compares =
        x->kind == SLICC_BINARY && (strcmp(x->text, "==") == 0 || strcmp(x->text, "!=") == 0);
    if (!compares || x->left->kind != SLICC_ENUMERATOR)
        mark_expression(f, m, x->left);
    if (!compares || x->right->kind != SLICC_ENUMERATOR)
        mark_expression(f, m, x->right);
    mark_expressions(f, m, x->arguments);
}

static void mark_expressions(slicc_flow *f, const slicc_flow_machine *m,
                             const slicc_expression *x) {
    for (; x != NULL; x = x->next)
        mark_expression(f, m, x);
}

static void mark_statements(slicc_flow *f, const slicc_flow_machine *m, const slicc_statement *s) {
    for (; s != NULL; s = s->next) {
        mark_expression(f, m, s->target);
        mark_expression(f, m, s->value);
        mark_expression(f, m, s->latency);
        mark_statements(f, m, s->body);
        mark_statements(f, m, s->otherwise);
    }
}

/* Functions, ports and variables: always. */
static void mark_outside_actions(slicc_flow *f, const slicc_flow_machine *m,
                                 const slicc_declaration *list) {
    for (const slicc_declaration *d = list; d != NULL; d = d->next) {
        if (d->kind == SLICC_FUNCTION || d->kind == SLICC_IN_PORT)
            mark_statements(f, m, d->body);
        else if (d->kind == SLICC_OBJECT)
            mark_expression(f, m, d->value);
    }
}

/* ---- Where it starts. */

static bool is_of_prelude(const slicc_declaration *d) {
    return strcmp(d->place.file, "prelude") == 0;
}

/* A field that nobody sets has the first value, or its default; defaults are not read here. */
static void start_kinds(slicc_flow *f, slicc_kinds *kinds) {
    if (is_requests(kinds) || is_transfers(kinds))
        return;
    if (is_of_prelude(kinds->enumeration) ||
        slicc_pair_find(kinds->enumeration->pairs, "default") != NULL)
        slicc_flow_mark(f, kinds, NULL);
    else if (kinds->count > 0)
        mark_at(f, kinds, 0);
}

static void start_defaults(slicc_flow *f, const slicc_flow_machine *m,
                           const slicc_declaration *list) {
    for (const slicc_declaration *d = list; d != NULL; d = d->next) {
        if (d->kind == SLICC_STRUCTURE)
            start_defaults(f, m, d->members);
        if (d->kind != SLICC_OBJECT || slicc_pair_find(d->pairs, "default") == NULL)
            continue;
        slicc_kinds *kinds = slicc_flow_kinds(f, m, d->type);
        if (kinds != NULL && !is_requests(kinds) && !is_transfers(kinds))
            slicc_flow_mark(f, kinds, NULL);
    }
}

/* "L0Cache_State_I" */
static void start_states(slicc_flow *f, slicc_flow_machine *m) {
    const slicc_pair *given = slicc_pair_find(m->states.enumeration->pairs, "default");
    const char *name = given == NULL ? NULL : strstr(given->value, "_State_");
    if (name != NULL)
        slicc_flow_mark(f, &m->states, name + strlen("_State_"));
    else
        slicc_flow_mark(f, &m->states, NULL);
}

static void start(slicc_flow *f) {
    for (uint32_t i = 0; i < f->kind_count; i++)
        memset(f->kinds[i].is_live, 0, f->kinds[i].count * sizeof(bool));
    for (uint32_t i = 0; i < f->machine_count; i++) {
        slicc_flow_machine *m = &f->machines[i];
        memset(m->states.is_live, 0, m->states.count * sizeof(bool));
        memset(m->events.is_live, 0, m->events.count * sizeof(bool));
    }
    for (uint32_t i = 0; i < f->kind_count; i++)
        start_kinds(f, &f->kinds[i]);
    for (uint32_t i = 0; i < f->machine_count; i++) {
        slicc_flow_machine *m = &f->machines[i];
        start_states(f, m);
        start_defaults(f, m, f->tree->declarations);
        start_defaults(f, m, m->machine->members);
        mark_outside_actions(f, m, f->tree->declarations);
        mark_outside_actions(f, m, m->machine->members);
    }
}

/* ---- Prefetches: the second queue of requests, if there are two. */

static bool takes_requests(const slicc_declaration *port) {
    return port->kind == SLICC_IN_PORT && port->buffer != NULL &&
           slicc_same(port->type, "RubyRequest");
}

static const char *prefetch_queue_of(const slicc_declaration *machine) {
    const char *requests = NULL, *other = NULL;
    for (const slicc_declaration *d = machine->members; d != NULL; d = d->next)
        if (takes_requests(d) &&
            (requests == NULL || strcmp(d->buffer->text, "mandatoryQueue") == 0))
            requests = d->buffer->text;
    for (const slicc_declaration *d = machine->members; d != NULL; d = d->next)
        if (takes_requests(d) && strcmp(d->buffer->text, requests) != 0)
            other = d->buffer->text;
    return other;
}

static bool is_idle(const slicc_flow_machine *m, const slicc_declaration *port) {
    return m->is_demanded && m->prefetches != NULL && port->buffer != NULL &&
           strcmp(port->buffer->text, m->prefetches) == 0;
}

/* ---- What follows. */

static bool is_any_live(const slicc_kinds *kinds, const slicc_name *names) {
    for (const slicc_name *n = names; n != NULL; n = n->next) {
        const int32_t place = slicc_value_place(kinds->enumeration, n->text);
        if (place >= 0 && kinds->is_live[place])
            return true;
    }
    return false;
}

static void take(slicc_flow *f, slicc_flow_machine *m, const slicc_declaration *transition) {
    if (!is_any_live(&m->states, transition->states) ||
        !is_any_live(&m->events, transition->events))
        return;
    const slicc_name *next = transition->next_state; /* "*": a function names it */
    if (next != NULL && strcmp(next->text, "*") != 0)
        slicc_flow_mark(f, &m->states, next->text);
    for (const slicc_name *a = transition->actions; a != NULL; a = a->next) {
        const slicc_declaration *action =
            slicc_member_find(m->machine->members, SLICC_ACTION, a->text);
        if (action != NULL)
            mark_statements(f, m, action->body);
    }
}

static void follow(slicc_flow *f) {
    do {
        f->changed = false;
        for (uint32_t i = 0; i < f->machine_count; i++) {
            slicc_flow_machine *m = &f->machines[i];
            for (const slicc_declaration *d = m->machine->members; d != NULL; d = d->next) {
                if (d->kind == SLICC_IN_PORT && !is_idle(m, d))
                    slicc_flow_port(f, m, d);
                else if (d->kind == SLICC_TRANSITION)
                    take(f, m, d);
            }
        }
    } while (f->changed);
}

/* ---- What is withheld. */

static const struct {
    uint32_t need;
    const char *request;
} requests[] = {{SL_NEEDS_LOADS, "LD"},
                {SL_NEEDS_STORES, "ST"},
                {SL_NEEDS_ATOMICS, "ATOMIC"},
                {SL_NEEDS_FLUSHES, "FLUSH"},
                {SL_NEEDS_FENCES, "Acquire"},
                {SL_NEEDS_FETCHES, "IFETCH"},
                {SL_NEEDS_ATOMICS, "Store_Conditional"}};
enum { REQUESTS = sizeof requests / sizeof requests[0] };

/* Requests that cores never make have no name in the table. */
static uint32_t need_of_request(const char *name) {
    for (uint32_t i = 0; i < REQUESTS; i++)
        if (strcmp(requests[i].request, name) == 0)
            return requests[i].need;
    return SL_NEEDS_OTHERS;
}

/* Everything that can happen without what is in the set. */
static void find_live(slicc_flow *f, uint32_t without) {
    start(f);
    for (uint32_t i = 0; i < f->machine_count; i++) {
        f->machines[i].withheld =
            i < SLICC_MOST_REPLACERS && (without >> SL_NEEDS_REPLACEMENT >> i & 1) != 0;
        f->machines[i].is_demanded = (without & SL_NEEDS_PREFETCHES) != 0;
    }
    for (uint32_t i = 0; i < f->kind_count; i++) {
        uint32_t place = 0;
        if (is_transfers(&f->kinds[i]) && (without & SL_NEEDS_DMA) == 0)
            slicc_flow_mark(f, &f->kinds[i], NULL);
        if (!is_requests(&f->kinds[i]))
            continue;
        for (const slicc_value *v = f->kinds[i].enumeration->values; v != NULL; v = v->next)
            if ((without & need_of_request(v->name)) == 0)
                mark_at(f, &f->kinds[i], place++);
            else
                place++;
    }
    follow(f);
}

static bool is_live(const slicc_flow_machine *m, uint32_t cell) {
    return m->states.is_live[cell / m->events.count] && m->events.is_live[cell % m->events.count];
}

static void add_need(slicc_needs *needs, slicc_flow *f, const bool *const *always, uint32_t need) {
    find_live(f, need);
    for (uint32_t i = 0; i < f->machine_count; i++)
        for (uint32_t c = 0; c < f->machines[i].states.count * f->machines[i].events.count; c++)
            if (always[i][c] && !is_live(&f->machines[i], c))
                needs->cells[i][c] |= need;
}

/* ---- Setting up. */

static bool set_up_kinds(slicc_flow *f, slicc_kinds *kinds, const slicc_declaration *enumeration) {
    *kinds = (slicc_kinds){.enumeration = enumeration};
    for (const slicc_value *v = enumeration->values; v != NULL; v = v->next)
        kinds->count++;
    kinds->is_live = base_arena_take(&f->arena, kinds->count * sizeof(bool) + 1);
    return kinds->is_live != NULL;
}

static bool is_kinds(const slicc_declaration *d) {
    return d->kind == SLICC_ENUMERATION && !slicc_same(d->name, "Event");
}

static uint32_t count_kinds(const slicc_declaration *list) {
    uint32_t count = 0;
    for (const slicc_declaration *d = list; d != NULL; d = d->next)
        count += is_kinds(d) + (d->kind == SLICC_MACHINE ? count_kinds(d->members) : 0);
    return count;
}

static void set_up_enumerations(slicc_flow *f, const slicc_declaration *list) {
    for (const slicc_declaration *d = list; d != NULL; d = d->next) {
        if (is_kinds(d))
            f->failed |= !set_up_kinds(f, &f->kinds[f->kind_count++], d);
        if (d->kind == SLICC_MACHINE)
            set_up_enumerations(f, d->members);
    }
}

static void set_up_machine(slicc_flow *f, const slicc_declaration *d) {
    const slicc_declaration *states = slicc_states_of(d);
    const slicc_declaration *events = slicc_member_find(d->members, SLICC_ENUMERATION, "Event");
    slicc_flow_machine *m = &f->machines[f->machine_count];
    *m = (slicc_flow_machine){.machine = d, .prefetches = prefetch_queue_of(d)};
    if (states == NULL || events == NULL)
        return; /* it is complained about elsewhere */
    f->failed |= !set_up_kinds(f, &m->states, states) || !set_up_kinds(f, &m->events, events);
    f->machine_count++;
}

static void set_up(slicc_flow *f) {
    uint32_t machines = 0;
    for (const slicc_declaration *d = f->tree->declarations; d != NULL; d = d->next)
        machines += d->kind == SLICC_MACHINE;
    f->kinds =
        base_arena_take(&f->arena, (count_kinds(f->tree->declarations) + 1) * sizeof *f->kinds);
    f->machines = base_arena_take(&f->arena, (machines + 1) * sizeof *f->machines);
    f->failed = f->kinds == NULL || f->machines == NULL;
    if (f->failed)
        return;
    set_up_enumerations(f, f->tree->declarations);
    for (const slicc_declaration *d = f->tree->declarations; d != NULL; d = d->next)
        if (d->kind == SLICC_MACHINE)
            set_up_machine(f, d);
}

/* What can happen if nothing is withheld; the rest needs nothing that a test could bring. */
static const bool *const *find_always(slicc_needs *needs, slicc_flow *f) {
    const bool **always = base_arena_take(&f->arena, (f->machine_count + 1) * sizeof *always);
    find_live(f, 0);
    for (uint32_t i = 0; i < f->machine_count && always != NULL; i++) {
        const uint32_t count = f->machines[i].states.count * f->machines[i].events.count;
        bool *live = base_arena_take(&f->arena, count * sizeof *live + 1);
        needs->cells[i] = base_arena_take(&needs->arena, count * sizeof **needs->cells + 1);
        if (live == NULL || needs->cells[i] == NULL)
            return NULL;
        for (uint32_t c = 0; c < count; c++)
            live[c] = is_live(&f->machines[i], c);
        needs->machines[i] = f->machines[i].machine;
        always[i] = live;
    }
    return always;
}

static bool find(slicc_needs *needs, slicc_flow *f) {
    needs->machines =
        base_arena_take(&needs->arena, (f->machine_count + 1) * sizeof *needs->machines);
    needs->cells = base_arena_take(&needs->arena, (f->machine_count + 1) * sizeof *needs->cells);
    if (needs->machines == NULL || needs->cells == NULL)
        return false;
    const bool *const *always = find_always(needs, f);
    if (always == NULL)
        return false;
    for (uint32_t i = 0; i < REQUESTS; i++)
        add_need(needs, f, always, requests[i].need);
    add_need(needs, f, always, SL_NEEDS_OTHERS);
    add_need(needs, f, always, SL_NEEDS_DMA);
    add_need(needs, f, always, SL_NEEDS_PREFETCHES);
    for (uint32_t m = 0; m < f->machine_count && m < SLICC_MOST_REPLACERS; m++)
        add_need(needs, f, always, UINT32_C(1) << (SL_NEEDS_REPLACEMENT + m));
    needs->count = f->machine_count;
    return true;
}

void slicc_needs_find(slicc_needs *needs, const slicc_tree *tree, slicc_report *report) {
    slicc_flow f = {.tree = tree};
    set_up(&f);
    if (f.failed || !find(needs, &f))
        report->failed = true;
    base_arena_free(&f.arena);
}

const uint32_t *slicc_needs_of(const slicc_needs *needs, const slicc_declaration *machine) {
    for (uint32_t i = 0; i < needs->count; i++)
        if (needs->machines[i] == machine)
            return needs->cells[i];
    return NULL;
}

void slicc_needs_free(slicc_needs *needs) {
    base_arena_free(&needs->arena);
}
