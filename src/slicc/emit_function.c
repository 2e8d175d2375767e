/* SPDX-License-Identifier: MIT */
/*
 * Functions of a machine as C: written when something that runs needs them, else only checked.
 * There are neither loops nor recursion, but functions that call others twice each may make 2^40
 * calls: those that may make many count them, so that a step ends. All others cost nothing.
 */
#include "slicc/emit.h"

enum { FEW_CALLS = 1 << 12 }; /* far more than in any protocol that is meant seriously */

static uint32_t count_parameters(const slicc_declaration *function) {
    uint32_t count = 0;
    for (const slicc_parameter *p = function->parameters; p != NULL; p = p->next)
        count++;
    return count;
}

/* `arguments` NULL: any number of them. */
static const slicc_declaration *find_function(const emitter *e, const char *name,
                                              const uint32_t *arguments) {
    const slicc_declaration *const lists[] = {e->machine != NULL ? e->machine->members : NULL,
                                              e->tree->declarations};
    for (int i = 0; i < 2; i++)
        for (const slicc_declaration *d = NULL; (d = slicc_member_next(lists[i], d, name)) != NULL;)
            if (d->kind == SLICC_FUNCTION && d->defined &&
                (arguments == NULL || count_parameters(d) == *arguments))
                return d;
    return NULL;
}

const slicc_declaration *slicc_function_find(const emitter *e, const char *name,
                                             uint32_t arguments) {
    return find_function(e, name, &arguments);
}

bool slicc_function_exists(const emitter *e, const char *name) {
    return find_function(e, name, NULL) != NULL;
}

void slicc_function_name(const emitter *e, const slicc_declaration *function, base_text *text) {
    base_text_print(text, "sm_%s_call_", e->machine->name);
    slicc_c_name(function->name, text);
    base_text_print(text, "_%u", count_parameters(function));
}

static bool is_called(const emitter *e, const slicc_declaration *function) {
    const slicc_called *called = e->called;
    while (called != NULL && called->function != function)
        called = called->next;
    return called != NULL;
}

static bool is_needed(const emitter *e, const slicc_declaration *function) {
    for (uint32_t i = 0; i < e->needed_count; i++)
        if (e->needed[i].function == function)
            return true;
    return is_called(e, function);
}

/* Functions outside of machines are not among a machine's members. */
static void note_call(emitter *e, const slicc_declaration *function) {
    const slicc_declaration *d = e->tree->declarations;
    while (d != NULL && d != function)
        d = d->next;
    if (d == NULL || is_called(e, function))
        return;
    slicc_called *called = base_arena_take(&e->arena, sizeof *called);
    if (called == NULL) {
        e->report->failed = true;
        return;
    }
    *called = (slicc_called){.function = function, .next = e->called};
    e->called = called;
}

static void note_edge(emitter *e, uint32_t to) {
    if (e->caller == NULL)
        return;
    slicc_edge *edge = base_arena_take(&e->arena, sizeof *edge);
    if (edge == NULL) {
        e->report->failed = true;
        return;
    }
    *edge = (slicc_edge){.to = to, .next = e->caller->calls};
    e->caller->calls = edge;
}

void slicc_need(emitter *e, const slicc_declaration *function) {
    if (e->is_unused)
        return;
    note_call(e, function);
    uint32_t place = 0;
    while (place < e->needed_count && e->needed[place].function != function)
        place++;
    if (place == SLICC_MOST_NEEDED) {
        slicc_complain(e->report, function->place, "a machine has more than %d functions",
                       SLICC_MOST_NEEDED);
        return;
    }
    if (place == e->needed_count)
        e->needed[e->needed_count++] = (slicc_needed){.function = function};
    note_edge(e, place);
}

/* Follows calls depth-first: one that leads to a function that is open is recursion. What a call
 * comes to is a sum over all calls in the text, whichever of them are made. */
static void check_calls(emitter *e, slicc_needed *caller) {
    caller->visit = SLICC_OPEN;
    caller->cost = 1;
    for (const slicc_edge *edge = caller->calls; edge != NULL; edge = edge->next) {
        slicc_needed *called = &e->needed[edge->to];
        if (called->visit == SLICC_OPEN)
            slicc_complain(e->report, called->function->place,
                           called == caller ? "the function '%s' calls itself"
                                            : "the function '%s' calls itself through others",
                           called->function->name);
        else if (called->visit == SLICC_UNSEEN)
            check_calls(e, called);
        if (caller->cost <= FEW_CALLS) /* nobody asks how much more it is */
            caller->cost += called->cost;
    }
    caller->visit = SLICC_DONE;
}

static void emit_signature(emitter *e, const slicc_declaration *function, base_text *text) {
    const slicc_type result = slicc_type_find(e, function->type, function->place);
    base_text_add(text, "static ");
    if (slicc_is_in_place(&result))
        slicc_c_field(&result, text);
    else
        slicc_c_type(&result, text);
    base_text_add(text, " ");
    slicc_function_name(e, function, text);
    base_text_print(text, "(struct sm_%s *c", e->machine->name);
    for (const slicc_parameter *p = function->parameters; p != NULL; p = p->next) {
        const slicc_type type = slicc_type_find(e, p->type, p->place);
        base_text_add(text, ", ");
        slicc_c_type(&type, text);
        base_text_add(text, " v_");
        slicc_c_name(p->name == NULL ? "" : p->name, text);
    }
    base_text_add(text, ")");
}

static void add_parameter(emitter *e, const slicc_parameter *parameter, const slicc_type *type) {
    base_text name = {0};
    base_text_add(&name, "v_");
    slicc_c_name(parameter->name == NULL ? "" : parameter->name, &name);
    slicc_local_add(e, parameter->name, type, slicc_text_or_zero(&name));
    base_text_print(e->out, "(void)%s;\n", slicc_text_or_zero(&name));
    slicc_text_end(e, &name);
}

static void emit_function(emitter *e, const slicc_declaration *function) {
    e->local_count = 0;
    e->result = slicc_type_find(e, function->type, function->place);
    e->within = "function";
    e->within_name = function->name;
    emit_signature(e, function, e->out);
    base_text_add(e->out, " {\n(void)c;\n");
    for (const slicc_parameter *p = function->parameters; p != NULL; p = p->next) {
        slicc_type type = slicc_type_find(e, p->type, p->place);
        type.certain = slicc_is_in_place(&type);
        add_parameter(e, p, &type);
    }
    if (e->caller != NULL)
        e->caller->entry = e->out->length;
    slicc_emit_statements(e, function->body);
    if (e->result.kind != KIND_VOID) {
        base_text_add(e->out, "sl_fail(&c->base, \"a function ends without a value\", ");
        slicc_c_place(function->place, e->out);
        base_text_add(e->out, ");\n__builtin_unreachable();\n");
    }
    base_text_add(e->out, "}\n");
    e->within = NULL;
}

/* The bodies, with a count at the beginning of those that may make many calls. */
static void add_bodies(emitter *e, const base_text *bodies) {
    size_t from = 0;
    for (uint32_t i = 0; i < e->needed_count && bodies->data != NULL; i++) {
        const slicc_needed *needed = &e->needed[i];
        if (needed->cost <= FEW_CALLS)
            continue;
        base_text_add_bytes(e->out, bodies->data + from, needed->entry - from);
        base_text_add(e->out, "sl_count_call(&c->base, ");
        slicc_c_place(needed->function->place, e->out);
        base_text_add(e->out, ");\n");
        e->counts_calls = true;
        from = needed->entry;
    }
    if (bodies->data != NULL)
        base_text_add_bytes(e->out, bodies->data + from, bodies->length - from);
}

/* Writes what is needed, and what that needs; prototypes go to `prototypes`. */
void slicc_emit_needed(emitter *e, base_text *prototypes) {
    base_text *const out = e->out;
    base_text bodies = {0};
    e->out = &bodies;
    for (uint32_t i = 0; i < e->needed_count; i++) {
        emit_signature(e, e->needed[i].function, prototypes);
        base_text_add(prototypes, ";\n");
        e->caller = &e->needed[i];
        emit_function(e, e->needed[i].function);
        e->caller = NULL;
    }
    for (uint32_t i = 0; i < e->needed_count; i++)
        if (e->needed[i].visit == SLICC_UNSEEN)
            check_calls(e, &e->needed[i]);
    e->out = out;
    add_bodies(e, &bodies);
    slicc_text_end(e, &bodies);
}

static void check_function(emitter *e, const slicc_declaration *function) {
    base_text *const out = e->out;
    slicc_mutations *const mutations = e->mutations;
    const uint64_t requests = e->requests;
    base_text text = {0};
    e->out = &text;
    e->mutations = NULL;
    e->is_unused = true;
    emit_function(e, function);
    e->is_unused = false;
    e->mutations = mutations;
    e->out = out;
    e->requests = requests;
    slicc_text_end(e, &text);
}

void slicc_check_unused(emitter *e, const slicc_declaration *list) {
    for (const slicc_declaration *d = list; d != NULL; d = d->next)
        if (d->kind == SLICC_FUNCTION && d->defined && !is_needed(e, d))
            check_function(e, d);
}
