/* SPDX-License-Identifier: MIT */
/*
 * What a protocol declares and never uses: actions of no transition, events that nothing triggers,
 * states that nothing leads to. Such a protocol is translated all the same: see report.h.
 */
#include "slicc/emit.h"

#include <string.h>

/* Is Type:name written anywhere in these? Mentions in functions count, too: getState may well be
 * the only one to know of a state. */
static bool mentions_in(const slicc_expression *x, const char *type, const char *name) {
    for (; x != NULL; x = x->next)
        if ((x->kind == SLICC_ENUMERATOR && slicc_same(x->type, type) &&
             slicc_same(x->text, name)) ||
            mentions_in(x->left, type, name) || mentions_in(x->right, type, name) ||
            mentions_in(x->arguments, type, name))
            return true;
    return false;
}

static bool mentions(const slicc_statement *s, const char *type, const char *name) {
    for (; s != NULL; s = s->next)
        if (mentions_in(s->target, type, name) || mentions_in(s->value, type, name) ||
            mentions_in(s->latency, type, name) || mentions_in(s->bypass, type, name) ||
            mentions(s->body, type, name) || mentions(s->otherwise, type, name))
            return true;
    return false;
}

static bool is_written(const slicc_declaration *machine, const char *type, const char *name) {
    for (const slicc_declaration *d = machine->members; d != NULL; d = d->next)
        if (mentions(d->body, type, name) || mentions_in(d->value, type, name))
            return true;
    return false;
}

static bool has_name(const slicc_name *list, const char *name) {
    for (; list != NULL; list = list->next)
        if (slicc_same(list->text, name))
            return true;
    return false;
}

static bool is_action_used(const slicc_declaration *machine, const char *name) {
    for (const slicc_declaration *d = machine->members; d != NULL; d = d->next)
        if (d->kind == SLICC_TRANSITION && has_name(d->actions, name))
            return true;
    return false;
}

/* By a transition; one without a next state stays in its states, which leads nowhere new. */
static bool is_state_entered(const slicc_declaration *machine, const char *name) {
    for (const slicc_declaration *d = machine->members; d != NULL; d = d->next)
        if (d->kind == SLICC_TRANSITION && d->next_state != NULL &&
            slicc_same(d->next_state->text, name))
            return true;
    return false;
}

static bool is_default(const slicc_declaration *states, const char *name) {
    const slicc_pair *pair = slicc_pair_find(states->pairs, "default");
    if (pair == NULL)
        return false;
    const size_t length = strlen(name), size = strlen(pair->value);
    return size >= length && strcmp(pair->value + size - length, name) == 0 &&
           (size == length || pair->value[size - length - 1] == '_');
}

static void warn_of_states(slicc_report *report, const slicc_declaration *machine,
                           const slicc_declaration *states) {
    for (const slicc_value *v = states->values; v != NULL; v = v->next)
        if (!is_default(states, v->name) && !is_state_entered(machine, v->name) &&
            !is_written(machine, states->name, v->name))
            slicc_warn(report, v->place, "the state %s is never entered", v->name);
}

static void warn_of_events(slicc_report *report, const slicc_declaration *machine,
                           const slicc_declaration *events) {
    for (const slicc_value *v = events->values; v != NULL; v = v->next)
        if (!is_written(machine, events->name, v->name))
            slicc_warn(report, v->place, "the event %s is never triggered", v->name);
}

void slicc_warn_of_unused(const slicc_tree *tree, slicc_report *report) {
    for (const slicc_declaration *m = tree->declarations; m != NULL; m = m->next) {
        if (m->kind != SLICC_MACHINE)
            continue;
        for (const slicc_declaration *d = m->members; d != NULL; d = d->next) {
            if (d->kind == SLICC_STATES)
                warn_of_states(report, m, d);
            else if (d->kind == SLICC_ENUMERATION && slicc_same(d->name, "Event"))
                warn_of_events(report, m, d);
            else if (d->kind == SLICC_ACTION && !is_action_used(m, d->name))
                slicc_warn(report, d->place, "the action %s is never used", d->name);
        }
    }
}
