/* SPDX-License-Identifier: MIT */
/*
 * Which events an in_port can trigger. A path is followed by what in_msg.Type can be on it: each
 * comparison with a value takes kinds away, and a trigger that no kind is left for is never
 * reached. All other conditions can be true and false, but for the room in a cache that never runs
 * out of it.
 */
#include "slicc/emit.h"
#include "slicc/needs_parts.h"

#include <string.h>

enum { MOST_CALLS = 8 };

/* ---- Conditions. */

static bool is_tracked(const slicc_path *p, const slicc_expression *x) {
    if (p->type == NULL)
        return false;
    if (p->parameter != NULL)
        return x->kind == SLICC_NAME && slicc_same(x->text, p->parameter);
    return x->kind == SLICC_MEMBER && slicc_same(x->text, "Type") && x->left->kind == SLICC_NAME &&
           slicc_same(x->left->text, "in_msg");
}

/* Of the kinds, those with which `x` equals this value, or does not. */
static uint64_t compare(const slicc_path *p, const slicc_expression *x,
                        const slicc_expression *value, bool want, uint64_t kinds) {
    const slicc_kinds *type = slicc_flow_kinds(p->flow, p->machine, value->type);
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

static uint64_t narrow(const slicc_path *p, const slicc_expression *x, bool want, uint64_t kinds);

static uint64_t narrow_equality(const slicc_path *p, const slicc_expression *x, bool want,
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

static uint64_t narrow_binary(const slicc_path *p, const slicc_expression *x, bool want,
                              uint64_t kinds) {
    const bool is_and = strcmp(x->text, "&&") == 0, is_or = strcmp(x->text, "||") == 0;
    if (strcmp(x->text, "==") == 0)
        return narrow_equality(p, x, want, kinds);
    if (strcmp(x->text, "!=") == 0)
        return narrow_equality(p, x, !want, kinds);
    if (!is_and && !is_or)
        return kinds;
    if (is_and == want) /* both are as wanted */
        return narrow(p, x->right, want, narrow(p, x->left, want, kinds));
    return narrow(p, x->left, want, kinds) | narrow(p, x->right, want, kinds);
}

/* Of the kinds, those with which the condition can be true, or false. */
static uint64_t narrow(const slicc_path *p, const slicc_expression *x, bool want, uint64_t kinds) {
    switch (x->kind) {
    case SLICC_BOOLEAN:
        return (x->number != 0) == want ? kinds : 0;
    case SLICC_UNARY:
        return strcmp(x->text, "!") == 0 ? narrow(p, x->left, !want, kinds) : kinds;
    case SLICC_BINARY:
        return narrow_binary(p, x, want, kinds);
    case SLICC_METHOD:
        return p->machine->withheld && strcmp(x->text, "cacheAvail") == 0 && !want ? 0 : kinds;
    default:
        return kinds;
    }
}

/* ---- Events. */

static void all_events(const slicc_path *p) {
    slicc_flow_mark(p->flow, &p->machine->events, NULL);
}

/* The function that is called, if it is clear which; else NULL. */
static const slicc_declaration *function_of(const slicc_path *p, const slicc_expression *call) {
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

static void choose(const slicc_path *p, const slicc_expression *event);

/* Events that the statements return. Returns the kinds with which they do not end. */
static uint64_t follow_returns(slicc_path *p, const slicc_statement *list) {
    for (; list != NULL && p->kinds != 0; list = list->next) {
        if (list->kind == SLICC_RETURN) {
            if (list->value != NULL)
                choose(p, list->value);
            return 0;
        }
        slicc_path yes = *p, no = *p;
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
static void choose_by_function(const slicc_path *p, const slicc_expression *call) {
    const slicc_declaration *function = function_of(p, call);
    if (function == NULL || p->depth == MOST_CALLS) {
        all_events(p);
        return;
    }
    slicc_path inner = *p;
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

static void choose(const slicc_path *p, const slicc_expression *event) {
    if (event->kind == SLICC_ENUMERATOR)
        slicc_flow_mark(p->flow, &p->machine->events, event->text);
    else if (event->kind == SLICC_CALL)
        choose_by_function(p, event);
    else
        all_events(p);
}

/* ---- Statements. */

static void find_triggers(const slicc_path *p, const slicc_expression *x) {
    for (; x != NULL; x = x->next) {
        if (x->kind == SLICC_CALL && slicc_same(x->text, "trigger") && x->arguments != NULL)
            choose(p, x->arguments);
        else if (x->kind == SLICC_CALL || x->kind == SLICC_METHOD)
            find_triggers(p, x->arguments);
    }
}

/* What in_msg.Type can be in a message of this type. */
static void peek(slicc_path *p, const char *message) {
    const slicc_declaration *d =
        slicc_member_find(p->flow->tree->declarations, SLICC_STRUCTURE, message);
    if (d == NULL)
        d = slicc_member_find(p->machine->machine->members, SLICC_STRUCTURE, message);
    const slicc_declaration *field =
        d == NULL ? NULL : slicc_member_find(d->members, SLICC_OBJECT, "Type");
    const slicc_kinds *type =
        field == NULL ? NULL : slicc_flow_kinds(p->flow, p->machine, field->type);
    p->parameter = NULL;
    p->type = type != NULL && type->count <= SLICC_TRACKED ? type : NULL;
    p->kinds = UINT64_MAX;
    if (p->type == NULL)
        return;
    p->kinds = 0;
    for (uint32_t i = 0; i < type->count; i++)
        p->kinds |= (uint64_t)type->is_live[i] << i;
}

/* A trigger does not end an in_port for what follows it: that is looked at as if it had not been
 * reached. */
static void follow(const slicc_path *at, const slicc_statement *list) {
    for (; list != NULL && at->kinds != 0; list = list->next) {
        slicc_path yes = *at, no = *at;
        find_triggers(at, list->value);
        if (list->kind == SLICC_IF) {
            yes.kinds = narrow(at, list->value, true, at->kinds);
            no.kinds = narrow(at, list->value, false, at->kinds);
        } else if (list->kind == SLICC_PEEK) {
            peek(&yes, list->type);
        }
        follow(&yes, list->body);
        follow(&no, list->otherwise);
    }
}

void slicc_flow_port(slicc_flow *flow, slicc_flow_machine *machine, const slicc_declaration *port) {
    const slicc_path path = {.flow = flow, .machine = machine, .kinds = UINT64_MAX};
    follow(&path, port->body);
}
