/* SPDX-License-Identifier: MIT */
/*
 * What cells need: see emit_protocol.h. What can happen grows until nothing is new: a transition is
 * taken if its state and its event can come up; its actions name kinds of messages, it leads to its
 * next state, and in_ports trigger events of these kinds. What is named outside of actions can
 * always come up. This is done once with everything, and once without each thing that can be
 * withheld.
 */

#include "protocol/slicc/emit_protocol.h"

#include <string.h>

/* An enumeration and which of its values can come up. */
typedef struct live_kinds {
    const slicc_declaration *enumeration;
    bool *is_live;
    uint32_t count;
    struct live_kinds *next;
} live_kinds;

typedef struct live_machine {
    const slicc_declaration *machine;
    live_kinds states, events;
    const char *prefetches; /* the buffer that prefetches come from; NULL: there is none */
    bool withheld;          /* its caches never run out of room */
    bool is_demanded;       /* there are no prefetches */
} live_machine;

typedef struct liveness {
    const slicc_tree *tree;
    base_arena arena;
    live_kinds *kinds; /* the enumerations outside of machines, and those inside but for events */
    live_machine *machines;
    uint32_t machine_count;
    bool changed; /* something came up that had not */
    bool failed;  /* out of memory */
} liveness;

enum { TRACKED = 64 }; /* values of an enumeration that a path is followed by */

/* Where an in_port, or a function that chooses an event, has come to: `kinds` are what in_msg.Type,
 * or the parameter that it was given as, can be there. */
typedef struct port_path {
    liveness *flow;
    live_machine *machine;
    const live_kinds *type; /* its enumeration; NULL: it is not followed */
    const char *parameter;  /* its name in a function; NULL: it is in_msg.Type itself */
    uint64_t kinds;         /* 0: nothing gets here */
    uint32_t depth;         /* of calls */
} port_path;

static const char requests_of_cores[] = "RubyRequestType";
static const char requests_of_engines[] = "SequencerRequestType"; /* of DMA, in SequencerMsg */

static bool is_requests(const live_kinds *kinds) {
    return slicc_same(kinds->enumeration->name, requests_of_cores) ||
           slicc_same(kinds->enumeration->name, requests_of_engines);
}

/* ---- Values. */

static live_kinds *find_kinds(liveness *f, const live_machine *machine, const char *type) {
    if (slicc_same(machine->states.enumeration->name, type))
        return (live_kinds *)&machine->states;
    live_kinds *kinds = f->kinds;
    while (kinds != NULL && !slicc_same(kinds->enumeration->name, type))
        kinds = kinds->next;
    return kinds;
}

static void mark_at(liveness *f, live_kinds *kinds, uint32_t place) {
    f->changed |= !kinds->is_live[place];
    kinds->is_live[place] = true;
}

/* NULL: all values. */
static void mark_value(liveness *f, live_kinds *kinds, const char *value) {
    const int32_t place = value == NULL ? -1 : slicc_value_place(kinds->enumeration, value);
    if (place >= 0)
        mark_at(f, kinds, (uint32_t)place);
    for (uint32_t i = 0; place < 0 && i < kinds->count; i++)
        mark_at(f, kinds, i);
}

/* ---- What is named. A value that is only compared with does not come up by that. */

static void mark_expression(liveness *f, const live_machine *m, const slicc_expression *x) {
    if (x == NULL)
        return;
    if (x->kind == SLICC_ENUMERATOR) {
        live_kinds *kinds = find_kinds(f, m, x->type);
        if (kinds != NULL)
            mark_value(f, kinds, x->text);
        return;
    }
    const bool compares =
        x->kind == SLICC_BINARY && (strcmp(x->text, "==") == 0 || strcmp(x->text, "!=") == 0);
    if (!compares || x->left->kind != SLICC_ENUMERATOR)
        mark_expression(f, m, x->left);
    if (!compares || x->right->kind != SLICC_ENUMERATOR)
        mark_expression(f, m, x->right);
    for (const slicc_expression *a = x->arguments; a != NULL; a = a->next)
        mark_expression(f, m, a);
}

static void mark_statements(liveness *f, const live_machine *m, const slicc_statement *s) {
    for (; s != NULL; s = s->next) {
        mark_expression(f, m, s->target);
        mark_expression(f, m, s->value);
        mark_expression(f, m, s->latency);
        mark_statements(f, m, s->body);
        mark_statements(f, m, s->otherwise);
    }
}

/* Functions, ports and variables: always. */
static void mark_outside_actions(liveness *f, const live_machine *m,
                                 const slicc_declaration *list) {
    for (const slicc_declaration *d = list; d != NULL; d = d->next) {
        if (d->kind == SLICC_FUNCTION || d->kind == SLICC_IN_PORT)
            mark_statements(f, m, d->body);
        else if (d->kind == SLICC_OBJECT)
            mark_expression(f, m, d->value);
    }
}

/* ---- Where it starts. */

/* A field that nobody sets has the first value, or its default; defaults are not read here. */
static void start_kinds(liveness *f, live_kinds *kinds) {
    if (is_requests(kinds))
        return;
    if ((strcmp(kinds->enumeration->place.file, "prelude") == 0) ||
        slicc_pair_find(kinds->enumeration->pairs, "default") != NULL)
        mark_value(f, kinds, NULL);
    else if (kinds->count > 0)
        mark_at(f, kinds, 0);
}

static void start_defaults(liveness *f, const live_machine *m, const slicc_declaration *list) {
    for (const slicc_declaration *d = list; d != NULL; d = d->next) {
        if (d->kind == SLICC_STRUCTURE)
            start_defaults(f, m, d->members);
        if (d->kind != SLICC_OBJECT || slicc_pair_find(d->pairs, "default") == NULL)
            continue;
        live_kinds *kinds = find_kinds(f, m, d->type);
        if (kinds != NULL && !is_requests(kinds))
            mark_value(f, kinds, NULL);
    }
}

static void start(liveness *f) {
    for (live_kinds *k = f->kinds; k != NULL; k = k->next)
        memset(k->is_live, 0, k->count * sizeof(bool));
    for (uint32_t i = 0; i < f->machine_count; i++) {
        live_machine *m = &f->machines[i];
        memset(m->states.is_live, 0, m->states.count * sizeof(bool));
        memset(m->events.is_live, 0, m->events.count * sizeof(bool));
    }
    for (live_kinds *k = f->kinds; k != NULL; k = k->next)
        start_kinds(f, k);
    for (uint32_t i = 0; i < f->machine_count; i++) {
        live_machine *m = &f->machines[i];
        const slicc_declaration *states = m->states.enumeration;
        const slicc_value *first = slicc_default_of(states, states->pairs);
        mark_value(f, &m->states, first == NULL ? NULL : first->name);
        start_defaults(f, m, f->tree->declarations);
        start_defaults(f, m, m->machine->members);
        mark_outside_actions(f, m, f->tree->declarations);
        mark_outside_actions(f, m, m->machine->members);
    }
}

/*
 * Which events an in_port can trigger. A path is followed by what in_msg.Type can be on it: each
 * comparison with a value takes kinds away, and a trigger that no kind is left for is never
 * reached. All other conditions can be true and false, but for the room in a cache that never runs
 * out of it.
 */

enum { MOST_CALLS = 8 };

/* ---- Conditions. */

static bool is_tracked(const port_path *p, const slicc_expression *x) {
    if (p->type == NULL)
        return false;
    if (p->parameter != NULL)
        return x->kind == SLICC_NAME && slicc_same(x->text, p->parameter);
    return x->kind == SLICC_MEMBER && slicc_same(x->text, "Type") && x->left->kind == SLICC_NAME &&
           slicc_same(x->left->text, "in_msg");
}

/* Of the kinds, those with which `x` equals this value, or does not. */
static uint64_t compare(const port_path *p, const slicc_expression *x,
                        const slicc_expression *value, bool want, uint64_t kinds) {
    const live_kinds *type = find_kinds(p->flow, p->machine, value->type);
    if (type == NULL)
        return kinds;
    const int32_t place = slicc_value_place(type->enumeration, value->text);
    if (place < 0)
        return kinds;
    if (type == p->type && is_tracked(p, x)) {
        const uint64_t bit = UINT64_C(1) << place;
        return want ? kinds & bit : kinds & ~bit;
    }
    return want && !type->is_live[place] ? 0 : kinds;
}

static uint64_t narrow(const port_path *p, const slicc_expression *x, bool want, uint64_t kinds);

static uint64_t narrow_equality(const port_path *p, const slicc_expression *x, bool want,
                                uint64_t kinds) {
    const slicc_expression *left = x->left, *right = x->right;
    if (right->kind == SLICC_ENUMERATOR)
        return compare(p, left, right, want, kinds);
    if (left->kind == SLICC_ENUMERATOR)
        return compare(p, right, left, want, kinds);
    if (right->kind == SLICC_BOOLEAN)
        return narrow(p, left, (right->number != 0) == want, kinds);
    if (left->kind == SLICC_BOOLEAN)
        return narrow(p, right, (left->number != 0) == want, kinds);
    return kinds;
}

/* Of the kinds, those with which the condition can be true, or false. */
static uint64_t narrow(const port_path *p, const slicc_expression *x, bool want, uint64_t kinds) {
    if (x->kind == SLICC_BOOLEAN)
        return (x->number != 0) == want ? kinds : 0;
    if (x->kind == SLICC_METHOD)
        return p->machine->withheld && strcmp(x->text, "cacheAvail") == 0 && !want ? 0 : kinds;
    if (x->kind == SLICC_UNARY)
        return strcmp(x->text, "!") == 0 ? narrow(p, x->left, !want, kinds) : kinds;
    if (x->kind != SLICC_BINARY)
        return kinds;
    const bool is_and = strcmp(x->text, "&&") == 0, is_or = strcmp(x->text, "||") == 0;
    if (strcmp(x->text, "==") == 0 || strcmp(x->text, "!=") == 0)
        return narrow_equality(p, x, (x->text[0] == '=') == want, kinds);
    if (!is_and && !is_or)
        return kinds;
    if (is_and == want) /* both are as wanted */
        return narrow(p, x->right, want, narrow(p, x->left, want, kinds));
    return narrow(p, x->left, want, kinds) | narrow(p, x->right, want, kinds);
}

/* ---- Events. */

static void all_events(const port_path *p) {
    mark_value(p->flow, &p->machine->events, NULL);
}

/* The function that is called, if it is clear which; else NULL. */
static const slicc_declaration *function_of(const port_path *p, const slicc_expression *call) {
    const slicc_declaration *found = NULL;
    const slicc_declaration *const lists[] = {p->machine->machine->members,
                                              p->flow->tree->declarations};
    for (size_t i = 0; i < 2; i++)
        for (const slicc_declaration *d = lists[i]; d != NULL; d = d->next) {
            if (d->kind != SLICC_FUNCTION || !d->defined || !slicc_same(d->name, call->text))
                continue;
            if (found != NULL)
                return NULL;
            found = d;
        }
    return found;
}

static bool is_assigned(const slicc_statement *list, const char *name) {
    for (; list != NULL; list = list->next) {
        const slicc_expression *target = list->kind == SLICC_ASSIGN ? list->target : NULL;
        if (target != NULL && slicc_same(target->text, name) &&
            (target->kind == SLICC_NAME || target->kind == SLICC_LOCAL))
            return true;
        if (is_assigned(list->body, name) || is_assigned(list->otherwise, name))
            return true;
    }
    return false;
}

static void choose(const port_path *p, const slicc_expression *event);

/* Events that the statements return. Returns the kinds with which they do not end. */
static uint64_t follow_returns(port_path *p, const slicc_statement *list) {
    for (; list != NULL && p->kinds != 0; list = list->next) {
        if (list->kind == SLICC_RETURN) {
            if (list->value != NULL)
                choose(p, list->value);
            return 0;
        }
        port_path yes = *p, no = *p;
        if (list->kind == SLICC_IF) {
            yes.kinds = narrow(p, list->value, true, p->kinds);
            no.kinds = narrow(p, list->value, false, p->kinds);
            p->kinds = follow_returns(&yes, list->body) | follow_returns(&no, list->otherwise);
        } else if (list->body != NULL) {
            (void)follow_returns(&yes, list->body);
        }
    }
    return p->kinds;
}

/* A function that chooses the event; if it is given in_msg.Type, by what that can be. */
static void choose_by_function(const port_path *p, const slicc_expression *call) {
    const slicc_declaration *function = function_of(p, call);
    if (function == NULL || p->depth == MOST_CALLS) {
        all_events(p);
        return;
    }
    port_path inner = *p;
    inner.depth++;
    inner.type = NULL;
    const slicc_parameter *parameter = function->parameters;
    for (const slicc_expression *a = call->arguments; a != NULL && parameter != NULL; a = a->next) {
        if (is_tracked(p, a) && parameter->name != NULL &&
            !is_assigned(function->body, parameter->name)) {
            inner.type = p->type;
            inner.parameter = parameter->name;
        }
        parameter = parameter->next;
    }
    (void)follow_returns(&inner, function->body);
}

static void choose(const port_path *p, const slicc_expression *event) {
    if (event->kind == SLICC_ENUMERATOR)
        mark_value(p->flow, &p->machine->events, event->text);
    else if (event->kind == SLICC_CALL)
        choose_by_function(p, event);
    else
        all_events(p);
}

/* ---- Statements. */

static void find_triggers(const port_path *p, const slicc_expression *x) {
    for (; x != NULL; x = x->next) {
        if (x->kind == SLICC_CALL && slicc_same(x->text, "trigger") && x->arguments != NULL)
            choose(p, x->arguments);
        else if (x->kind == SLICC_CALL || x->kind == SLICC_METHOD)
            find_triggers(p, x->arguments);
    }
}

/* What in_msg.Type can be in a message of this type. */
static void peek(port_path *p, const char *message) {
    const slicc_declaration *d =
        slicc_member_find(p->flow->tree->declarations, SLICC_STRUCTURE, message);
    if (d == NULL)
        d = slicc_member_find(p->machine->machine->members, SLICC_STRUCTURE, message);
    const slicc_declaration *field =
        d == NULL ? NULL : slicc_member_find(d->members, SLICC_OBJECT, "Type");
    const live_kinds *type = field == NULL ? NULL : find_kinds(p->flow, p->machine, field->type);
    p->parameter = NULL;
    p->type = type != NULL && type->count <= TRACKED ? type : NULL;
    p->kinds = UINT64_MAX;
    if (p->type == NULL)
        return;
    p->kinds = 0;
    for (uint32_t i = 0; i < type->count; i++)
        p->kinds |= (uint64_t)type->is_live[i] << i;
}

/* A trigger does not end an in_port for what follows it: that is looked at as if it had not been
 * reached. */
static void follow_path(const port_path *at, const slicc_statement *list) {
    for (; list != NULL && at->kinds != 0; list = list->next) {
        port_path yes = *at, no = *at;
        find_triggers(at, list->value);
        if (list->kind == SLICC_IF) {
            yes.kinds = narrow(at, list->value, true, at->kinds);
            no.kinds = narrow(at, list->value, false, at->kinds);
        } else if (list->kind == SLICC_PEEK) {
            peek(&yes, list->type);
        }
        follow_path(&yes, list->body);
        follow_path(&no, list->otherwise);
    }
}

/*
 * What follows from everything together.
 */

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

/* ---- What follows. */

static bool is_any_live(const live_kinds *kinds, const slicc_name *names) {
    for (const slicc_name *n = names; n != NULL; n = n->next) {
        const int32_t place = slicc_value_place(kinds->enumeration, n->text);
        if (place >= 0 && kinds->is_live[place])
            return true;
    }
    return false;
}

static void take(liveness *f, live_machine *m, const slicc_declaration *transition) {
    if (!is_any_live(&m->states, transition->states) ||
        !is_any_live(&m->events, transition->events))
        return;
    const slicc_name *next = transition->next_state; /* "*": a function names it */
    if (next != NULL && strcmp(next->text, "*") != 0)
        mark_value(f, &m->states, next->text);
    for (const slicc_name *a = transition->actions; a != NULL; a = a->next) {
        const slicc_declaration *action =
            slicc_member_find(m->machine->members, SLICC_ACTION, a->text);
        if (action != NULL)
            mark_statements(f, m, action->body);
    }
}

static void follow(liveness *f) {
    do {
        f->changed = false;
        for (uint32_t i = 0; i < f->machine_count; i++) {
            live_machine *m = &f->machines[i];
            for (const slicc_declaration *d = m->machine->members; d != NULL; d = d->next) {
                if (d->kind == SLICC_IN_PORT &&
                    !(m->is_demanded && m->prefetches != NULL && d->buffer != NULL &&
                      strcmp(d->buffer->text, m->prefetches) == 0)) {
                    /* Events that the statements of an in_port can trigger become live. */
                    const port_path path = {.flow = f, .machine = m, .kinds = UINT64_MAX};
                    follow_path(&path, d->body);
                } else if (d->kind == SLICC_TRANSITION)
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
static void find_live(liveness *f, uint32_t without) {
    start(f);
    for (uint32_t i = 0; i < f->machine_count; i++) {
        f->machines[i].withheld =
            i < SLICC_MOST_REPLACERS && (without >> SL_NEEDS_REPLACEMENT >> i & 1) != 0;
        f->machines[i].is_demanded = (without & SL_NEEDS_PREFETCHES) != 0;
    }
    for (live_kinds *k = f->kinds; k != NULL; k = k->next) {
        const bool of_cores = slicc_same(k->enumeration->name, requests_of_cores);
        uint32_t place = 0;
        for (const slicc_value *v = k->enumeration->values; v != NULL && is_requests(k);
             v = v->next, place++)
            if ((without & (of_cores ? need_of_request(v->name) : SL_NEEDS_DMA)) == 0)
                mark_at(f, k, place);
    }
    follow(f);
}

static bool is_live(const live_machine *m, uint32_t cell) {
    return m->states.is_live[cell / m->events.count] && m->events.is_live[cell % m->events.count];
}

static const uint32_t never = UINT32_C(1) << 15; /* of cells that do not occur with everything */

static void add_need(slicc_needs *needs, liveness *f, uint32_t need) {
    find_live(f, need == never ? 0 : need);
    for (uint32_t i = 0; i < f->machine_count; i++)
        for (uint32_t c = 0; c < f->machines[i].states.count * f->machines[i].events.count; c++)
            if ((needs->cells[i][c] & never) == 0 && !is_live(&f->machines[i], c))
                needs->cells[i][c] |= need;
}

/* ---- Setting up. */

static void set_up_kinds(liveness *f, live_kinds *kinds, const slicc_declaration *enumeration) {
    *kinds = (live_kinds){.enumeration = enumeration, .count = enumeration->value_count};
    kinds->is_live = base_arena_take(&f->arena, kinds->count * sizeof(bool) + 1);
    f->failed |= kinds->is_live == NULL;
}

/* Returns the end of the list of kinds. */
static live_kinds **list_kinds(liveness *f, const slicc_declaration *list, live_kinds **end) {
    for (const slicc_declaration *d = list; d != NULL; d = d->next) {
        if (d->kind == SLICC_MACHINE)
            end = list_kinds(f, d->members, end);
        if (d->kind != SLICC_ENUMERATION || slicc_same(d->name, "Event"))
            continue;
        live_kinds *kinds = base_arena_take(&f->arena, sizeof *kinds);
        if (kinds == NULL) {
            f->failed = true;
            return end;
        }
        set_up_kinds(f, kinds, d);
        *end = kinds;
        end = &kinds->next;
    }
    return end;
}

static void set_up(slicc_needs *needs, liveness *f) {
    uint32_t machines = 1;
    for (const slicc_declaration *d = f->tree->declarations; d != NULL; d = d->next)
        machines += d->kind == SLICC_MACHINE;
    f->machines = base_arena_take(&f->arena, machines * sizeof *f->machines);
    needs->machines = base_arena_take(&needs->arena, machines * sizeof *needs->machines);
    needs->cells = base_arena_take(&needs->arena, machines * sizeof *needs->cells);
    f->failed = f->machines == NULL || needs->machines == NULL || needs->cells == NULL;
    (void)list_kinds(f, f->tree->declarations, &f->kinds);
    for (const slicc_declaration *d = f->tree->declarations; d != NULL && !f->failed; d = d->next) {
        const slicc_declaration *states = d->kind == SLICC_MACHINE ? slicc_states_of(d) : NULL;
        const slicc_declaration *events = slicc_member_find(d->members, SLICC_ENUMERATION, "Event");
        if (states == NULL || events == NULL)
            continue; /* it is complained about elsewhere */
        live_machine *m = &f->machines[f->machine_count];
        *m = (live_machine){.machine = d, .prefetches = prefetch_queue_of(d)};
        set_up_kinds(f, &m->states, states);
        set_up_kinds(f, &m->events, events);
        needs->machines[f->machine_count] = d;
        needs->cells[f->machine_count] = base_arena_take(
            &needs->arena, (size_t)m->states.count * m->events.count * sizeof **needs->cells + 1);
        f->failed |= needs->cells[f->machine_count++] == NULL;
    }
}

/* A cell that never occurs needs nothing that a test could bring. */
static void find(slicc_needs *needs, liveness *f) {
    add_need(needs, f, never);
    for (uint32_t i = 0; i < REQUESTS; i++)
        add_need(needs, f, requests[i].need);
    add_need(needs, f, SL_NEEDS_OTHERS);
    add_need(needs, f, SL_NEEDS_DMA);
    add_need(needs, f, SL_NEEDS_PREFETCHES);
    for (uint32_t m = 0; m < f->machine_count && m < SLICC_MOST_REPLACERS; m++)
        add_need(needs, f, UINT32_C(1) << (SL_NEEDS_REPLACEMENT + m));
    needs->count = f->machine_count;
    for (uint32_t i = 0; i < f->machine_count; i++)
        for (uint32_t c = 0; c < f->machines[i].states.count * f->machines[i].events.count; c++)
            needs->cells[i][c] &= ~never;
}

void slicc_needs_find(slicc_needs *needs, const slicc_tree *tree, slicc_report *report) {
    liveness f = {.tree = tree};
    set_up(needs, &f);
    if (f.failed)
        report->failed = true;
    else
        find(needs, &f);
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
