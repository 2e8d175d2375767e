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

/* %t and %T: its text and its type; %n: its number; %l and %a: what is left, and its arguments; %L
 * and %R: its sides, which may need parentheses. */
static const char *const forms[] = {[SLICC_NUMBER] = "%n",
                                    [SLICC_STRING] = "\"%t\"",
                                    [SLICC_NULL] = "OOD",
                                    [SLICC_NAME] = "%t",
                                    [SLICC_ENUMERATOR] = "%T:%t",
                                    [SLICC_LOCAL] = "%T %t",
                                    [SLICC_MEMBER] = "%L.%t",
                                    [SLICC_CALL] = "%t(%a)",
                                    [SLICC_METHOD] = "%L.%t(%a)",
                                    [SLICC_LOOKUP] = "%l[%a]",
                                    [SLICC_CLASS_CALL] = "%T::%t(%a)",
                                    [SLICC_BINARY] = "%L %t %R",
                                    [SLICC_UNARY] = "%t%L",
                                    [SLICC_NEW] = "new %T",
                                    [SLICC_IS_VALID] = "is_valid(%l)",
                                    [SLICC_IS_INVALID] = "is_invalid(%l)",
                                    [SLICC_STATIC_CAST] = "static_cast(%T, %l)"};

static int strength(const slicc_expression *x) {
    return x->kind == SLICC_BINARY ? slicc_binding(x->text) : TIGHTEST;
}

static void write_expression(const slicc_expression *x, base_text *text);

static void write_side(const slicc_expression *side, bool in_parentheses, base_text *text) {
    base_text_add(text, in_parentheses ? "(" : "");
    write_expression(side, text);
    base_text_add(text, in_parentheses ? ")" : "");
}

static void write_part(const slicc_expression *x, char part, base_text *text) {
    switch (part) {
    case 'n':
        base_text_number(text, x->number);
        break;
    case 'l':
        write_expression(x->left, text);
        break;
    case 'L':
        write_side(x->left, strength(x->left) < strength(x), text);
        break;
    case 'R':
        write_side(x->right, strength(x->right) <= strength(x), text);
        break;
    case 'a':
        for (const slicc_expression *a = x->arguments; a != NULL; a = a->next) {
            base_text_add(text, a == x->arguments ? "" : ", ");
            write_expression(a, text);
        }
        break;
    default:
        base_text_add(text, part == 'T' ? x->type : x->text);
    }
}

static void write_expression(const slicc_expression *x, base_text *text) {
    const char *form = x->kind != SLICC_BOOLEAN ? forms[x->kind]
                       : x->number != 0         ? "true"
                                                : "false";
    for (; *form != '\0'; form++)
        if (*form == '%')
            write_part(x, *++form, text);
        else
            base_text_add_bytes(text, form, 1);
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
