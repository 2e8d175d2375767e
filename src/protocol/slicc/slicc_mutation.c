/* SPDX-License-Identifier: MIT */
/* Mutations of a protocol's source: see translate.h. */
#include "protocol/slicc/translate.h"

#include "base/memory.h"
#include "protocol/slicc/emit_protocol.h"
#include "protocol/slicc/parser.h"

#include <stdlib.h>
#include <string.h>

/* ---- Expressions as SLICC, for people: parentheses where the meaning needs them. */

enum { TIGHTEST = 100 };

static int strength(const slicc_expression *x) {
    return x->kind == SLICC_BINARY ? slicc_binding(x->text) : TIGHTEST;
}

static void write_expression(const slicc_expression *x, base_text *text);

static void write_part(const slicc_expression *x, bool in_parentheses, base_text *text) {
    if (in_parentheses)
        base_text_add(text, "(");
    write_expression(x, text);
    if (in_parentheses)
        base_text_add(text, ")");
}

static void write_arguments(const slicc_expression *list, char open, char close, base_text *text) {
    base_text_print(text, "%c", open);
    for (const slicc_expression *a = list; a != NULL; a = a->next) {
        base_text_add(text, a == list ? "" : ", ");
        write_expression(a, text);
    }
    base_text_print(text, "%c", close);
}

static void write_expression(const slicc_expression *x, base_text *text) {
    switch (x->kind) {
    case SLICC_NUMBER:
        base_text_number(text, x->number);
        break;
    case SLICC_BOOLEAN:
        base_text_add(text, x->number != 0 ? "true" : "false");
        break;
    case SLICC_STRING:
        base_text_print(text, "\"%s\"", x->text);
        break;
    case SLICC_NULL:
        base_text_add(text, "OOD");
        break;
    case SLICC_NAME:
        base_text_add(text, x->text);
        break;
    case SLICC_ENUMERATOR:
        base_text_print(text, "%s:%s", x->type, x->text);
        break;
    case SLICC_LOCAL:
        base_text_print(text, "%s %s", x->type, x->text);
        break;
    case SLICC_MEMBER:
    case SLICC_METHOD:
        write_part(x->left, strength(x->left) < TIGHTEST, text);
        base_text_print(text, ".%s", x->text);
        if (x->kind == SLICC_METHOD)
            write_arguments(x->arguments, '(', ')', text);
        break;
    case SLICC_CALL:
        base_text_add(text, x->text);
        write_arguments(x->arguments, '(', ')', text);
        break;
    case SLICC_CLASS_CALL:
        base_text_print(text, "%s::%s", x->type, x->text);
        write_arguments(x->arguments, '(', ')', text);
        break;
    case SLICC_LOOKUP:
        write_expression(x->left, text);
        write_arguments(x->arguments, '[', ']', text);
        break;
    case SLICC_BINARY:
        write_part(x->left, strength(x->left) < strength(x), text);
        base_text_print(text, " %s ", x->text);
        write_part(x->right, strength(x->right) <= strength(x), text);
        break;
    case SLICC_UNARY:
        base_text_add(text, x->text);
        write_part(x->left, strength(x->left) < TIGHTEST, text);
        break;
    case SLICC_NEW:
        base_text_print(text, "new %s", x->type);
        break;
    case SLICC_IS_VALID:
    case SLICC_IS_INVALID:
        base_text_add(text, x->kind == SLICC_IS_VALID ? "is_valid" : "is_invalid");
        write_part(x->left, true, text);
        break;
    case SLICC_STATIC_CAST:
        base_text_print(text, "static_cast(%s, ", x->type);
        write_expression(x->left, text);
        base_text_add(text, ")");
        break;
    }
}

/* ---- Noting. */

static const char *keep(slicc_mutations *m, const char *text) {
    const char *copy = text == NULL ? NULL : base_arena_text(&m->arena, text, strlen(text));
    m->failed = m->failed || copy == NULL;
    return copy;
}

static const char *written(slicc_mutations *m, const slicc_expression *target,
                           const slicc_expression *value, const char *front, const char *back) {
    base_text text = {0};
    if (target != NULL) {
        write_expression(target, &text);
        base_text_add(&text, " := ");
    }
    base_text_add(&text, front);
    write_expression(value, &text);
    base_text_add(&text, back);
    const char *copy = text.failed ? NULL : keep(m, text.data);
    m->failed = m->failed || copy == NULL;
    base_text_free(&text);
    return copy;
}

bool slicc_mutate(emitter *e, slicc_mutation_kind kind, const slicc_expression *target,
                  const slicc_expression *value, const char *front, const char *back) {
    static const char *const kinds[] = {
        [SLICC_ACTION] = "action", [SLICC_IN_PORT] = "in_port", [SLICC_FUNCTION] = "function"};
    slicc_mutations *m = e->mutations;
    if (m == NULL || m->failed || e->machine == NULL || e->within == NULL)
        return false;
    if (base_reserve(&m->list, &m->capacity, m->count + 1, sizeof *m->list, NULL) != COL_OK) {
        m->failed = true;
        return false;
    }
    m->list[m->count++] = (slicc_mutation){
        .kind = kind,
        .machine = keep(m, e->machine->name),
        .within = keep(m, kinds[e->within->kind]),
        .name = keep(m, e->within->name),
        .file = keep(m, value->place.file),
        .line = value->place.line,
        .column = value->place.column,
        .before = written(m, target, value, "", ""),
        .after = written(m, target, value, front, back),
    };
    return m->count == m->wanted;
}

int slicc_mutate_count(emitter *e, slicc_mutation_kind kind, const slicc_expression *target,
                       const slicc_expression *value) {
    const bool wrapped = target != NULL && strength(value) < slicc_binding("+");
    const char *front = wrapped ? "(" : "";
    const bool more = slicc_mutate(e, kind, target, value, front, wrapped ? ") + 1" : " + 1");
    const bool less = slicc_mutate(e, kind, target, value, front, wrapped ? ") - 1" : " - 1");
    return more - less;
}

void slicc_mutations_free(slicc_mutations *m) {
    free(m->list);
    base_arena_free(&m->arena);
    *m = (slicc_mutations){0};
}
