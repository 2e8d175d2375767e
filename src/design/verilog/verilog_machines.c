/* SPDX-License-Identifier: MIT */
/*
 * State registers: see verilog_machines.h. verilog_reach.h says what each may become, so no
 * transition that the design takes is missing; names of states are those in the source.
 */
#include "design/verilog/verilog_machines.h"

#include "design/verilog/verilog_reach.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Registers. */

static bool is_register(const duv_reach *s) {
    for (uint32_t i = 0; i < s->own_count; i++) {
        const duv_assignment *as = &s->own[i];
        if (as->process == NULL || as->is_part ||
            (!as->is_initial && (!as->is_clocked || as->is_delayed != s->own[0].is_delayed ||
                                 as->is_element != s->own[0].is_element)))
            return false;
    }
    return s->own_count > 0 && s->own[0].is_clocked;
}

static const xml_node *find_variable(const duv_reach *s) {
    for (const xml_node *n = s->module->child; n != NULL; n = n->next)
        if (xml_is(n, "var") && xml_same(xml_value(n, "name"), s->own->name))
            return n;
    return NULL;
}

/* ---- Names of states. */

static bool is_free(const duv_state_signal *m, const char *name) {
    for (uint32_t i = 0; i < m->state_count; i++)
        if (strcmp(m->states[i].name, name) == 0)
            return false;
    return true;
}

static bool is_word(const char *text) {
    return text[0] != '\0' && strspn(text, DUV_LETTERS) == strlen(text) &&
           (text[0] < '0' || text[0] > '9');
}

/* Is it what the assignment assigns, or may? */
static bool is_assigned(const xml_node *n, const duv_assignment *as) {
    while (n->parent != as->node && xml_is(n->parent, "cond") && n->parent->child != n)
        n = n->parent;
    return n->parent == as->node && n == as->node->child;
}

/* What the source calls the value where one of these assignments has it. */
static bool name_value(duv_reach *s, const duv_assignment *of, uint32_t count, uint64_t value,
                       char name[DUV_NAME]) {
    for (uint32_t i = 0; i < count; i++)
        for (const xml_node *n = of[i].node->child; n != NULL; n = xml_follow(n, of[i].node)) {
            uint64_t own = 0;
            xml_place place;
            if (xml_number(n, &own) && own == value && is_assigned(n, &of[i]) &&
                xml_place_of(n, &place) && duv_source_word(&s->source, &place, name, DUV_NAME))
                return true;
        }
    return false;
}

/* Or where one of a variable that the register becomes has it. */
static void name_value_around(duv_reach *s, uint64_t value, char name[DUV_NAME]) {
    bool is_named = name_value(s, s->own, s->own_count, value, name);
    for (uint32_t i = 0; i < s->own_count && !is_named; i++)
        for (const xml_node *n = s->own[i].node->child; n != NULL && !is_named;
             n = xml_follow(n, s->own[i].node)) {
            uint32_t count = 0;
            const duv_assignment *of = xml_is(n, "varref") && is_assigned(n, &s->own[i])
                                           ? duv_reach_assignments(s, xml_value(n, "name"), &count)
                                           : NULL;
            is_named = of != NULL && name_value(s, of, count, value, name);
        }
    if (!is_named)
        name[0] = '\0';
}

static void add_state(duv_state_signal *m, uint64_t value, const char *name) {
    duv_state *state = &m->states[m->state_count];
    if (is_word(name) && is_free(m, name))
        (void)snprintf(state->name, sizeof state->name, "%s", name);
    else
        (void)snprintf(state->name, sizeof state->name, "S%llu", (unsigned long long)value);
    state->value = value;
    m->state_count++;
}

/* Of an enumeration all, unless there are too many; false: it is none. */
static bool take_enumeration(duv_state_signal *m, const xml_node *type) {
    uint64_t value = 0;
    char name[DUV_NAME];
    m->state_count = 0;
    for (const xml_node *item = type->child; item != NULL; item = item->next) {
        if (!xml_is(item, "enumitem") || item->child == NULL ||
            !xml_get(item, "name", name, sizeof name))
            continue;
        if (!xml_number(item->child, &value) || m->state_count == DUV_MOST_STATES)
            return false;
        add_state(m, value, name);
    }
    return m->state_count > 1;
}

/* Does the enumeration have all states by these names? */
static bool has_states(const xml_node *type, const duv_state_signal *m) {
    uint32_t found = 0;
    uint64_t value = 0;
    for (const xml_node *item = type->child; item != NULL; item = item->next)
        for (uint32_t i = 0; i < m->state_count; i++)
            found += xml_is(item, "enumitem") && item->child != NULL &&
                     xml_says(item, "name", m->states[i].name) && xml_number(item->child, &value) &&
                     value == m->states[i].value;
    return found == m->state_count && found > 1;
}

/* ---- All registers of a design. */

/* Without what all names begin with, up to an underscore. */
static void shorten(duv_state_signal *m) {
    size_t common = strlen(m->states[0].name);
    for (uint32_t i = 1; i < m->state_count; i++)
        while (strncmp(m->states[0].name, m->states[i].name, common) != 0)
            common--;
    while (common > 0 && m->states[0].name[common - 1] != '_')
        common--;
    for (uint32_t i = 0; i < m->state_count; i++)
        if (!is_word(m->states[i].name + common))
            return;
    for (uint32_t i = 0; i < m->state_count; i++)
        memmove(m->states[i].name, m->states[i].name + common,
                strlen(m->states[i].name + common) + 1);
}

static void name_states(duv_reach *s, const duv_values *all, duv_state_signal *m) {
    char name[DUV_NAME];
    m->state_count = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        name_value_around(s, all->all[i], name);
        add_state(m, all->all[i], name);
    }
}

/* The enumeration that the register's values are of; NULL: none. Its name, unless the register's
 * type says it. */
static const xml_node *find_enumeration(duv_reach *s, const xml_node *variable,
                                        const duv_values *all, duv_state_signal *m) {
    char type[DUV_NAME] = "";
    (void)xml_get(variable, "vartype", type, sizeof type);
    const xml_node *found = type[0] == '\0' ? NULL : xml_enumeration(s->root, type, m->module.text);
    if (found != NULL)
        return found;
    name_states(s, all, m);
    for (const xml_node *n = s->root; n != NULL && found == NULL;
         n = xml_is_among(n, "module") ? xml_skip(n, s->root) : xml_follow(n, s->root))
        if (xml_is(n, "enumdtype") && has_states(n, m) &&
            xml_get(n, "name", m->type.text, sizeof m->type.text) &&
            m->type.text[strspn(m->type.text, DUV_LETTERS ":.")] == '\0')
            found = n;
    if (found == NULL)
        m->type.text[0] = '\0';
    return found;
}

static void find_transitions(duv_reach *s, duv_state_signal *m) {
    const uint64_t all = m->state_count == 64 ? UINT64_MAX : (UINT64_C(1) << m->state_count) - 1;
    m->lists_transitions = false;
    for (uint32_t i = 0; i < m->state_count; i++) {
        duv_values next = {.count = 0};
        s->now = (duv_values){.all = {m->states[i].value}, .count = 1};
        duv_reach_next(s, &next);
        m->states[i].next = 0;
        for (uint32_t j = 0; j < m->state_count; j++)
            if (j != i && duv_has_value(&next, m->states[j].value))
                m->states[i].next |= UINT64_C(1) << j;
        m->lists_transitions =
            m->lists_transitions || m->states[i].next != (all & ~(UINT64_C(1) << i));
    }
}

/* The same register of a module with other parameters. */
static void merge(duv_state_signal *known, const duv_state_signal *m) {
    bool is_same = known->state_count == m->state_count;
    for (uint32_t i = 0; i < m->state_count && is_same; i++)
        is_same = known->states[i].value == m->states[i].value &&
                  strcmp(known->states[i].name, m->states[i].name) == 0;
    known->lists_transitions = known->lists_transitions && m->lists_transitions && is_same;
    for (uint32_t i = 0; i < m->state_count && is_same; i++)
        known->states[i].next |= m->states[i].next;
}

static col_status keep(duv_reach *s, duv_machines *machines, const duv_state_signal *m) {
    for (uint32_t i = 0; i < machines->count; i++)
        if (strcmp(machines->found[i].module.text, m->module.text) == 0 &&
            strcmp(machines->found[i].signal.text, m->signal.text) == 0) {
            merge(&machines->found[i], m);
            return COL_OK;
        }
    BASE_TRY(base_reserve(&machines->found, &machines->capacity, (size_t)machines->count + 1,
                          sizeof *machines->found, s->problem));
    machines->found[machines->count++] = *m;
    return COL_OK;
}

/* Of enumerations, some value may come from anywhere; of others, all are constants. */
static bool is_machine(duv_reach *s, const xml_node *variable, duv_state_signal *m) {
    duv_values all = {.count = 0};
    duv_reach_values(s, &all);
    if (all.count < 2)
        return false;
    const xml_node *type = find_enumeration(s, variable, &all, m);
    if (type != NULL)
        return take_enumeration(m, type);
    if (all.is_any || all.count < 3)
        return false;
    shorten(m);
    return true;
}

static col_status look_at(duv_reach *s, duv_machines *machines, duv_state_signal *m) {
    const xml_node *variable = is_register(s) ? find_variable(s) : NULL;
    if (variable == NULL || xml_value(variable, "param").text != NULL)
        return COL_OK;
    *m = (duv_state_signal){.type = {.text = ""}};
    const xml_node *type = xml_type_of(s->root, variable);
    s->is_array = type != NULL && xml_is(type, "unpackarraydtype");
    s->is_tested = false;
    if (duv_reach_width(s, variable) == 1 ||
        !xml_get(s->module, "origName", m->module.text, DUV_NAME) ||
        !xml_get(variable, "origName", m->signal.text, DUV_NAME) || !is_word(m->module.text) ||
        !is_word(m->signal.text) || !is_machine(s, variable, m))
        return COL_OK;
    find_transitions(s, m);
    if (!s->is_tested && !s->is_array)
        return COL_OK;
    return keep(s, machines, m);
}

static col_status find_in(duv_reach *s, const xml_node *module, duv_machines *machines,
                          duv_state_signal *m) {
    col_status status = duv_reach_module(s, module);
    for (size_t i = 0; i < s->count && status == COL_OK; i += s->own_count) {
        s->own = duv_reach_assignments(s, s->assignments[i].name, &s->own_count);
        status = look_at(s, machines, m);
    }
    return status;
}

col_status duv_machines_find(duv_machines *machines, const xml_node *root, const duv_net *reset,
                             bool reset_is_low, col_problem *problem) {
    duv_reach *s = NULL;
    duv_state_signal *m = NULL;
    col_status status = base_new(&s, 1, sizeof *s, problem);
    if (status == COL_OK)
        status = base_new(&m, 1, sizeof *m, problem);
    if (status == COL_OK) {
        s->root = s->source.root = root;
        s->reset = reset;
        s->reset_is_low = reset_is_low;
        s->problem = problem;
        status = duv_reach_widths(s);
    }
    for (const xml_node *n = root; n != NULL && status == COL_OK;
         n = xml_is(n, "module") ? xml_skip(n, root) : xml_follow(n, root))
        if (xml_is(n, "module"))
            status = find_in(s, n, machines, m);
    if (s != NULL) {
        duv_source_free(&s->source);
        free(s->assignments);
        free(s->widths);
    }
    free(s);
    free(m);
    return status;
}

void duv_machines_free(duv_machines *machines) {
    free(machines->found);
}
