/* SPDX-License-Identifier: MIT */
/* Functions of a machine as C: written when something that runs needs them. */
#include "slicc/emit.h"

#include <string.h>

static uint32_t count_parameters(const slicc_declaration *function) {
    uint32_t count = 0;
    for (const slicc_parameter *p = function->parameters; p != NULL; p = p->next)
        count++;
    return count;
}

const slicc_declaration *slicc_function_find(const emitter *e, const char *name,
                                             uint32_t arguments) {
    const slicc_declaration *const lists[] = {e->machine != NULL ? e->machine->members : NULL,
                                              e->tree->declarations};
    for (int i = 0; i < 2; i++)
        for (const slicc_declaration *d = lists[i]; d != NULL; d = d->next)
            if (d->kind == SLICC_FUNCTION && d->defined && slicc_same(d->name, name) &&
                count_parameters(d) == arguments)
                return d;
    return NULL;
}

void slicc_function_name(const emitter *e, const slicc_declaration *function, col_text *text) {
    col_text_print(text, "sm_%s_%s_%u", e->machine->name, function->name,
                   count_parameters(function));
}

void slicc_need(emitter *e, const slicc_declaration *function) {
    for (uint32_t i = 0; i < e->needed_count; i++)
        if (e->needed[i].function == function)
            return;
    if (e->needed_count == SLICC_MOST_NEEDED) {
        slicc_complain(e->report, function->place, "a machine has more than %d functions",
                       SLICC_MOST_NEEDED);
        return;
    }
    e->needed[e->needed_count++] = (slicc_needed){.function = function};
}

static void emit_signature(emitter *e, const slicc_declaration *function, col_text *text) {
    const slicc_type result = slicc_type_find(e, function->type, function->place);
    col_text_add(text, "static ");
    if (result.kind == KIND_DESTINATION || result.kind == KIND_DATA)
        slicc_c_field(&result, text);
    else
        slicc_c_type(&result, text);
    col_text_add(text, " ");
    slicc_function_name(e, function, text);
    col_text_print(text, "(struct sm_%s *c", e->machine->name);
    for (const slicc_parameter *p = function->parameters; p != NULL; p = p->next) {
        const slicc_type type = slicc_type_find(e, p->type, p->place);
        col_text_add(text, ", ");
        slicc_c_type(&type, text);
        col_text_print(text, " v_%s", p->name == NULL ? "unnamed" : p->name);
    }
    col_text_add(text, ")");
}

static void emit_function(emitter *e, const slicc_declaration *function) {
    e->local_count = 0;
    e->result = slicc_type_find(e, function->type, function->place);
    e->within = "function";
    e->within_name = function->name;
    emit_signature(e, function, e->out);
    col_text_add(e->out, " {\n(void)c;\n");
    for (const slicc_parameter *p = function->parameters; p != NULL; p = p->next) {
        char name[96] = "v_";
        slicc_type type = slicc_type_find(e, p->type, p->place);
        type.certain = type.kind == KIND_DESTINATION || type.kind == KIND_DATA;
        (void)strncat(name, p->name == NULL ? "unnamed" : p->name, sizeof name - 3);
        slicc_local_add(e, p->name, &type, name);
        col_text_print(e->out, "(void)%s;\n", name);
    }
    slicc_emit_statements(e, function->body);
    if (e->result.kind != KIND_VOID) {
        col_text_add(e->out, "sl_fail(&c->base, \"a function ends without a value\", ");
        slicc_place_write(function->place, e->out);
        col_text_add(e->out, ");\n__builtin_unreachable();\n");
    }
    col_text_add(e->out, "}\n");
    e->within = NULL;
}

/* Writes what is needed, and what that needs; prototypes go to `prototypes`. */
void slicc_emit_needed(emitter *e, col_text *prototypes) {
    for (uint32_t i = 0; i < e->needed_count; i++) {
        if (e->needed[i].written)
            continue;
        e->needed[i].written = true;
        emit_signature(e, e->needed[i].function, prototypes);
        col_text_add(prototypes, ";\n");
        emit_function(e, e->needed[i].function);
    }
}
