/* SPDX-License-Identifier: MIT */
/*
 * Statements of cat: see cat_syntax.h. Recursive descent with one token of lookahead; expressions
 * are in cat_expression.c.
 */
#include "judge/cat/cat_syntax.h"

#include "base/text.h"

#include <string.h>

void *cat_take(cat_parser *p, size_t size) {
    void *taken = p->status == COL_OK ? base_arena_take(p->scanner.names->arena, size) : NULL;
    if (taken == NULL && p->status == COL_OK)
        p->status = base_out_of_memory(p->scanner.problem);
    return taken;
}

void cat_next(cat_parser *p) {
    if (p->status == COL_OK)
        p->status = cat_scan(&p->scanner, &p->token);
    if (p->status != COL_OK)
        p->token.kind = CAT_END_OF_FILE;
}

bool cat_is(const cat_parser *p, cat_token_kind kind) {
    return p->status == COL_OK && p->token.kind == kind;
}

bool cat_accept(cat_parser *p, cat_token_kind kind) {
    if (!cat_is(p, kind))
        return false;
    cat_next(p);
    return true;
}

void cat_unexpected(cat_parser *p, const char *wanted) {
    const cat_token *t = &p->token;
    if (p->status != COL_OK)
        return;
    const bool quoted = t->kind != CAT_END_OF_FILE;
    p->status = base_refuse_at(p->scanner.problem, t->place.file, t->place.line, t->place.column,
                               "expected %s, not %s%.60s%s", wanted, quoted ? "'" : "", t->text,
                               quoted ? "'" : "");
}

void cat_expect(cat_parser *p, cat_token_kind kind, const char *wanted) {
    if (!cat_accept(p, kind))
        cat_unexpected(p, wanted);
}

static const char *expect_text(cat_parser *p, cat_token_kind kind, const char *wanted) {
    const char *text = p->token.text;
    cat_expect(p, kind, wanted);
    return text;
}

bool cat_enter(cat_parser *p) {
    if (p->status == COL_OK && p->depth == CAT_MOST_DEPTH)
        p->status =
            base_refuse_at(p->scanner.problem, p->token.place.file, p->token.place.line,
                           p->token.place.column, "nested more than %d deep", CAT_MOST_DEPTH);
    if (p->status != COL_OK)
        return false;
    p->depth++;
    return true;
}

/* ---- Patterns and bindings. */

static void add_name(cat_parser *p, cat_pattern *pattern) {
    const bool is_word = cat_is(p, CAT_WORD);
    if (!is_word && !cat_is(p, CAT_UNDERSCORE)) {
        cat_unexpected(p, "a name or _");
        return;
    }
    const char **names = cat_take(p, (pattern->count + 1) * sizeof *names);
    if (names == NULL)
        return;
    if (pattern->count > 0)
        memcpy(names, pattern->names, pattern->count * sizeof *names);
    names[pattern->count++] = is_word ? p->token.text : NULL;
    pattern->names = names;
    if (pattern->count > CAT_MOST_DEPTH)
        cat_unexpected(p, "fewer names");
    cat_next(p);
}

static cat_pattern parse_names(cat_parser *p) {
    cat_pattern pattern = {0};
    do
        add_name(p, &pattern);
    while (cat_accept(p, CAT_COMMA));
    pattern.is_tuple = pattern.count != 1;
    return pattern;
}

cat_pattern cat_parse_formals(cat_parser *p) {
    cat_pattern pattern = {.is_tuple = true};
    if (!cat_accept(p, CAT_LEFT)) {
        pattern.is_tuple = false;
        add_name(p, &pattern);
        return pattern;
    }
    if (!cat_is(p, CAT_RIGHT))
        pattern = parse_names(p);
    cat_expect(p, CAT_RIGHT, "')'");
    return pattern;
}

/* NAME, NAME, ... = a; (NAME, ...) = a; NAME x = a; NAME (x, ...) = a */
static void parse_binding(cat_parser *p, cat_binding *binding) {
    binding->place = p->token.place;
    if (cat_is(p, CAT_LEFT))
        binding->pattern = cat_parse_formals(p);
    else
        binding->pattern = parse_names(p);
    if (p->status != COL_OK || cat_accept(p, CAT_EQUAL)) {
        binding->value = cat_parse_expression(p);
        return;
    }
    cat_expression *function = cat_take(p, sizeof *function);
    if (function == NULL)
        return;
    if (binding->pattern.count != 1 || binding->pattern.names[0] == NULL) {
        cat_unexpected(p, "'='");
        return;
    }
    *function = (cat_expression){.kind = CAT_E_FUN, .place = binding->place};
    function->pattern = cat_parse_formals(p);
    cat_expect(p, CAT_EQUAL, "'='");
    function->first = cat_parse_expression(p);
    binding->value = function;
}

cat_binding *cat_parse_bindings(cat_parser *p) {
    cat_binding *first = NULL, **last = &first;
    do {
        cat_binding *binding = cat_take(p, sizeof *binding);
        if (binding == NULL)
            return first;
        parse_binding(p, binding);
        *last = binding;
        last = &binding->next;
    } while (cat_accept(p, CAT_AND));
    return first;
}

/* ---- Statements. */

static cat_statement *parse_statements(cat_parser *p);

static bool begins_test(const cat_parser *p) {
    return cat_is(p, CAT_ACYCLIC) || cat_is(p, CAT_IRREFLEXIVE) || cat_is(p, CAT_EMPTY) ||
           cat_is(p, CAT_TILDE) || cat_is(p, CAT_FLAG) || cat_is(p, CAT_ASSERT) ||
           cat_is(p, CAT_UNDEFINED_UNLESS);
}

/* `let rec a = ... when acyclic a` ends the recursion early: a test behind it says the same. */
static void parse_let(cat_parser *p, cat_statement *s) {
    s->kind = CAT_S_LET;
    s->is_recursive = cat_accept(p, CAT_REC);
    s->bindings = cat_parse_bindings(p);
    if (s->is_recursive && cat_accept(p, CAT_WHEN)) {
        if (!begins_test(p))
            cat_unexpected(p, "acyclic, irreflexive or empty");
        return;
    }
    (void)cat_accept(p, CAT_IN);
}

static const char *parse_as(cat_parser *p) {
    return cat_accept(p, CAT_AS) ? expect_text(p, CAT_WORD, "a name") : NULL;
}

static void parse_test(cat_parser *p, cat_statement *s) {
    s->kind = CAT_S_TEST;
    s->purpose = cat_accept(p, CAT_FLAG)               ? CAT_FLAGS
                 : cat_accept(p, CAT_ASSERT)           ? CAT_ASSERTS
                 : cat_accept(p, CAT_UNDEFINED_UNLESS) ? CAT_REQUIRES
                                                       : CAT_CHECKS;
    s->is_negated = cat_accept(p, CAT_TILDE);
    if (cat_accept(p, CAT_ACYCLIC))
        s->test = CAT_IS_ACYCLIC;
    else if (cat_accept(p, CAT_IRREFLEXIVE))
        s->test = CAT_IS_IRREFLEXIVE;
    else if (cat_accept(p, CAT_EMPTY))
        s->test = CAT_IS_EMPTY;
    else
        cat_unexpected(p, "acyclic, irreflexive or empty");
    s->value = cat_parse_expression(p);
    s->name = parse_as(p);
}

/* show a as NAME; show NAME, NAME, ... Nothing is made of it. */
static void parse_show(cat_parser *p, cat_statement *s) {
    s->kind = CAT_S_SHOW;
    (void)cat_parse_expression(p);
    (void)parse_as(p);
}

static void parse_procedure(cat_parser *p, cat_statement *s) {
    s->kind = CAT_S_PROCEDURE;
    s->is_recursive = cat_accept(p, CAT_REC);
    s->name = expect_text(p, CAT_WORD, "the name of the procedure");
    s->pattern = cat_parse_formals(p);
    cat_expect(p, CAT_EQUAL, "'='");
    s->body = parse_statements(p);
    cat_expect(p, CAT_END, "'end'");
}

static void parse_call(cat_parser *p, cat_statement *s) {
    s->kind = CAT_S_CALL;
    s->name = expect_text(p, CAT_WORD, "the name of a procedure");
    s->value = cat_parse_simple(p);
    if (s->value == NULL)
        cat_unexpected(p, "an argument");
    (void)parse_as(p);
}

static void parse_forall(cat_parser *p, cat_statement *s) {
    s->kind = CAT_S_FORALL;
    s->name = expect_text(p, CAT_WORD, "a name");
    cat_expect(p, CAT_IN, "'in'");
    s->value = cat_parse_expression(p);
    cat_expect(p, CAT_DO, "'do'");
    s->body = parse_statements(p);
    cat_expect(p, CAT_END, "'end'");
}

static void parse_with(cat_parser *p, cat_statement *s) {
    s->kind = CAT_S_WITH;
    s->name = expect_text(p, CAT_WORD, "a name");
    cat_expect(p, CAT_FROM, "'from'");
    s->value = cat_parse_expression(p);
}

static void parse_if(cat_parser *p, cat_statement *s) {
    s->kind = CAT_S_IF;
    s->value = cat_parse_variant(p);
    s->body = parse_statements(p);
    if (cat_accept(p, CAT_ELSE))
        s->rest = parse_statements(p);
    cat_expect(p, CAT_END, "'end'");
}

/* 'tag || ... of an enum; of a match each tag, or _, has statements. */
static cat_clause *parse_clauses(cat_parser *p, bool of_match) {
    cat_clause *first = NULL, **last = &first;
    (void)cat_accept(p, CAT_ALTERNATIVE);
    do {
        cat_clause *clause = cat_take(p, sizeof *clause);
        if (clause == NULL)
            return first;
        if (!of_match || !cat_accept(p, CAT_UNDERSCORE))
            clause->tag = expect_text(p, CAT_TAG, of_match ? "a tag or _" : "a tag");
        if (of_match) {
            cat_expect(p, CAT_ARROW, "'->'");
            clause->statements = parse_statements(p);
        }
        *last = clause;
        last = &clause->next;
    } while (cat_accept(p, CAT_ALTERNATIVE));
    return first;
}

static void parse_match(cat_parser *p, cat_statement *s) {
    s->kind = CAT_S_MATCH;
    s->value = cat_parse_expression(p);
    cat_expect(p, CAT_WITH, "'with'");
    s->clauses = parse_clauses(p, true);
    cat_expect(p, CAT_END, "'end'");
}

static void parse_enum(cat_parser *p, cat_statement *s) {
    s->kind = CAT_S_ENUM;
    s->name = expect_text(p, CAT_WORD, "a name");
    cat_expect(p, CAT_EQUAL, "'='");
    s->clauses = parse_clauses(p, false);
}

static void parse_include(cat_parser *p, cat_statement *s) {
    s->kind = CAT_S_INCLUDE;
    s->name = expect_text(p, CAT_STRING, "the name of a file, in quotes");
}

typedef void parse_function(cat_parser *p, cat_statement *s);

static parse_function *statement_of(cat_token_kind kind) {
    static const struct {
        cat_token_kind kind;
        parse_function *parse;
    } rows[] = {
        {CAT_LET, parse_let},    {CAT_SHOW, parse_show},       {CAT_UNSHOW, parse_show},
        {CAT_DEBUG, parse_show}, {CAT_INCLUDE, parse_include}, {CAT_PROCEDURE, parse_procedure},
        {CAT_CALL, parse_call},  {CAT_FORALL, parse_forall},   {CAT_WITH, parse_with},
        {CAT_IF, parse_if},      {CAT_MATCH, parse_match},     {CAT_ENUM, parse_enum}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].kind == kind)
            return rows[i].parse;
    return NULL;
}

/* As many as there are. */
static cat_statement *parse_statements(cat_parser *p) {
    cat_statement *first = NULL, **last = &first;
    if (!cat_enter(p))
        return NULL;
    while (p->status == COL_OK) {
        parse_function *parse = statement_of(p->token.kind);
        const bool is_test = begins_test(p);
        if (parse == NULL && !is_test)
            break;
        cat_statement *s = cat_take(p, sizeof *s);
        if (s == NULL)
            break;
        s->place = p->token.place;
        if (is_test) {
            parse_test(p, s);
        } else {
            cat_next(p);
            parse(p, s);
        }
        *last = s;
        last = &s->next;
    }
    p->depth--;
    return first;
}

/* NAME NAME, NAME "text", NAME, "text" or nothing. */
static void parse_title(cat_parser *p, cat_file *file) {
    if (!cat_is(p, CAT_WORD) && !cat_is(p, CAT_STRING))
        return;
    const bool may_go_on = cat_is(p, CAT_WORD);
    file->title = p->token.text;
    cat_next(p);
    if (!may_go_on || (!cat_is(p, CAT_WORD) && !cat_is(p, CAT_STRING)))
        return;
    file->title = p->token.text;
    cat_next(p);
}

col_status cat_parse(cat_file *file, const char *text, size_t length, const char *path,
                     base_names *names, col_problem *problem) {
    const char *start = base_skip_bom(text, &length);
    cat_parser p = {.scanner = {.at = start,
                                .end = start + length,
                                .place = {path, 1, 1},
                                .names = names,
                                .problem = problem},
                    .status = COL_OK};
    *file = (cat_file){0};
    cat_next(&p);
    parse_title(&p, file);
    file->finds_dependencies = cat_accept(&p, CAT_CATDEP);
    file->statements = parse_statements(&p);
    if (!cat_is(&p, CAT_END_OF_FILE))
        cat_unexpected(&p, "a statement");
    return p.status;
}
