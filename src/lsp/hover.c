/* SPDX-License-Identifier: MIT */
/*
 * What a word of a protocol stands for, in a few lines: see answer.h. Lines are code, so that what
 * a file says is shown and never interpreted.
 */
#include "base/json.h"
#include "lsp/answer.h"
#include "lsp/resolve.h"

#include <string.h>

enum { MOST_ROWS = 100, MOST_LINES = 60 };

json_t *lsp_hover_text(const base_text *text, const char *language, bool is_markdown) {
    base_text fenced = {0}, clean = {0};
    for (const char *c = text->data == NULL ? "" : text->data; *c != '\0'; c++)
        base_text_add_bytes(&clean, *c == '`' ? "'" : c, 1); /* no fence ends early */
    if (is_markdown)
        base_text_print(&fenced, "```%s\n%s```\n", language, clean.data == NULL ? "" : clean.data);
    const char *value = is_markdown ? fenced.data : clean.data;
    const bool failed = text->failed || clean.failed || fenced.failed;
    json_t *hover = failed ? NULL
                           : json_pack("{s:{s:s, s:o}}", "contents", "kind",
                                       is_markdown ? "markdown" : "plaintext", "value",
                                       base_json_text(value == NULL ? "" : value));
    base_text_free(&fenced);
    base_text_free(&clean);
    return hover;
}

/* ---- Transitions. */

static const char *pair_of(const slicc_pair *pairs, const char *key) {
    for (; pairs != NULL; pairs = pairs->next)
        if (strcmp(pairs->key, key) == 0)
            return pairs->value;
    return NULL;
}

static void print_row(const slicc_declaration *t, const char *state, const char *event,
                      base_text *text) {
    const char *next = t->next_state == NULL                   ? state
                       : strcmp(t->next_state->text, "*") == 0 ? "(by function)"
                                                               : t->next_state->text;
    base_text_print(text, "%s × %s → %s:", state, event, next);
    for (const slicc_name *a = t->actions; a != NULL; a = a->next)
        base_text_print(text, "%s %s", a == t->actions ? "" : ",", a->text);
    base_text_add(text, t->actions == NULL ? " no action\n" : "\n");
}

/* Rows of a transition, of one state or event if it is given. */
static uint32_t print_transition(const slicc_declaration *t, const char *state, const char *event,
                                 uint32_t room, base_text *text) {
    uint32_t count = 0;
    for (const slicc_name *s = t->states; s != NULL; s = s->next)
        for (const slicc_name *e = t->events; e != NULL; e = e->next) {
            if ((state != NULL && strcmp(s->text, state) != 0) ||
                (event != NULL && strcmp(e->text, event) != 0))
                continue;
            if (count++ < room)
                print_row(t, s->text, e->text, text);
        }
    return count;
}

static void print_more(uint32_t count, base_text *text) {
    if (count > MOST_ROWS)
        base_text_print(text, "... and %u more\n", count - MOST_ROWS);
}

/* The row of a state, or the column of an event, in its machine's table. */
static void print_table(const slicc_declaration *machine, const char *state, const char *event,
                        base_text *text) {
    uint32_t count = 0;
    for (const slicc_declaration *d = machine->members; d != NULL; d = d->next)
        if (d->kind == SLICC_TRANSITION)
            count +=
                print_transition(d, state, event, count < MOST_ROWS ? MOST_ROWS - count : 0, text);
    print_more(count, text);
}

/* ---- Declarations. */

static void print_comment(const slicc_pair *pairs, base_text *text) {
    const char *said = pair_of(pairs, "desc");
    if (said != NULL)
        base_text_print(text, "// %s\n", said);
}

static void print_parameters(const slicc_declaration *d, base_text *text) {
    base_text_add(text, "(");
    for (const slicc_parameter *p = d->parameters; p != NULL; p = p->next)
        base_text_print(text, "%s%s%s%s%s%s", p == d->parameters ? "" : ", ", p->type,
                        p->pointer ? " *" : "", p->reference ? " &" : "",
                        p->name == NULL ? "" : " ", p->name == NULL ? "" : p->name);
    base_text_add(text, ")");
}

static void print_members(const slicc_declaration *d, base_text *text) {
    uint32_t lines = 0;
    for (const slicc_declaration *m = d->members; m != NULL && lines < MOST_LINES; m = m->next) {
        base_text_print(text, "  %s%s %s", m->type == NULL ? "" : m->type, m->pointer ? " *" : "",
                        m->name);
        if (m->kind == SLICC_FUNCTION)
            print_parameters(m, text);
        base_text_add(text, ";\n");
        lines++;
    }
}

static void print_values(const slicc_declaration *d, base_text *text) {
    uint32_t lines = 0;
    for (const slicc_value *v = d->values; v != NULL && lines++ < MOST_LINES; v = v->next) {
        const char *said = pair_of(v->pairs, "desc");
        base_text_print(text, "  %s%s%s;%s%s\n", v->name, v->permission == NULL ? "" : ", ",
                        v->permission == NULL ? "" : v->permission, said == NULL ? "" : " // ",
                        said == NULL ? "" : said);
    }
}

static uint32_t count_uses(const slicc_declaration *machine, const char *action) {
    uint32_t uses = 0;
    for (const slicc_declaration *d = machine->members; d != NULL; d = d->next)
        uses += d->kind == SLICC_TRANSITION && lsp_names_have(d->actions, action) ? 1 : 0;
    return uses;
}

static void print_declaration(const lsp_target *target, base_text *text) {
    const slicc_declaration *d = target->declaration;
    switch (d->kind) {
    case SLICC_MACHINE:
        base_text_print(text, "machine(MachineType:%s)\n", d->name);
        print_comment(d->pairs, text);
        for (const slicc_declaration *a = d->arguments; a != NULL; a = a->next)
            base_text_print(text, "  %s%s %s;\n", a->type, a->pointer ? " *" : "", a->name);
        return;
    case SLICC_STRUCTURE:
        base_text_print(text, "%s(%s)\n", d->external ? "external_type" : "structure", d->name);
        print_comment(d->pairs, text);
        print_members(d, text);
        return;
    case SLICC_ENUMERATION:
    case SLICC_STATES:
        base_text_print(text, "%s(%s)\n",
                        d->kind == SLICC_STATES ? "state_declaration" : "enumeration", d->name);
        print_comment(d->pairs, text);
        print_values(d, text);
        return;
    case SLICC_FUNCTION:
        base_text_print(text, "%s %s", d->type, d->name);
        print_parameters(d, text);
        base_text_add(text, "\n");
        return;
    case SLICC_IN_PORT:
    case SLICC_OUT_PORT:
        base_text_print(text, "%s(%s, %s, %s)\n", d->kind == SLICC_IN_PORT ? "in_port" : "out_port",
                        d->name, d->type, d->buffer == NULL ? "" : d->buffer->text);
        return;
    case SLICC_ACTION:
        base_text_print(text, "action(%s)\n", d->name);
        print_comment(d->pairs, text);
        if (target->machine != NULL)
            base_text_print(text, "// transitions that use it: %u\n",
                            count_uses(target->machine, d->name));
        return;
    case SLICC_OBJECT:
        base_text_print(text, "%s%s %s\n", d->type, d->pointer ? " *" : "", d->name);
        print_comment(d->pairs, text);
        return;
    case SLICC_TRANSITION:
        return;
    }
}

static void print_value(const lsp_target *target, base_text *text) {
    const slicc_declaration *d = target->declaration;
    const bool is_event =
        target->machine != NULL && d->kind == SLICC_ENUMERATION && strcmp(d->name, "Event") == 0;
    base_text_print(text, "%s:%s", d->name, target->value->name);
    if (target->value->permission != NULL)
        base_text_print(text, " (%s)", target->value->permission);
    base_text_add(text, "\n");
    print_comment(target->value->pairs, text);
    if (target->machine != NULL && d->kind == SLICC_STATES)
        print_table(target->machine, target->value->name, NULL, text);
    else if (is_event)
        print_table(target->machine, NULL, target->value->name, text);
}

static void print_target(const lsp_target *target, base_text *text) {
    if (target->value != NULL)
        print_value(target, text);
    else if (target->parameter != NULL)
        base_text_print(text, "%s%s%s %s\n", target->parameter->type,
                        target->parameter->pointer ? " *" : "",
                        target->parameter->reference ? " &" : "", target->parameter->name);
    else if (target->local != NULL)
        base_text_print(text, "%s %s\n", target->local->type, target->local->text);
    else
        print_declaration(target, text);
}

/* In a transition, a state or an event stands for its rows of that transition; an action for
 * itself; anything else for the whole transition. */
static bool print_within(const lsp_cursor *cursor, const lsp_targets *targets, base_text *text) {
    const slicc_declaration *t = cursor->member;
    uint32_t count;
    if (t == NULL || t->kind != SLICC_TRANSITION ||
        (targets->count > 0 && targets->list[0].value == NULL))
        return false;
    const bool is_state = targets->count > 0 && targets->list[0].declaration->kind == SLICC_STATES;
    const bool is_event = targets->count > 0 && !is_state;
    const bool is_from = is_state && lsp_names_have(t->states, cursor->word);
    if (is_state && !is_from)
        return false; /* the next state: its own row is of interest */
    if (targets->count > 0) {
        const slicc_value *value = targets->list[0].value;
        print_comment(value->pairs, text);
    }
    count = print_transition(t, is_from ? cursor->word : NULL, is_event ? cursor->word : NULL,
                             MOST_ROWS, text);
    print_more(count, text);
    return count > 0;
}

json_t *lsp_hover(const lsp_protocol *protocol, const lsp_file *file, size_t offset,
                  bool is_markdown) {
    lsp_cursor cursor;
    lsp_targets targets;
    base_text text = {0};
    if (!lsp_cursor_find(protocol, file, offset, &cursor))
        return json_null();
    lsp_resolve(protocol, &cursor, &targets);
    const char *message = lsp_message_type(&cursor);
    if (message != NULL && targets.count == 0)
        base_text_print(&text, "%s %s\n", message, cursor.word);
    else if (!print_within(&cursor, &targets, &text))
        for (size_t i = 0; i < targets.count; i++)
            print_target(&targets.list[i], &text);
    json_t *hover = text.length == 0 && !text.failed ? json_null()
                                                     : lsp_hover_text(&text, "slicc", is_markdown);
    base_text_free(&text);
    return hover;
}
