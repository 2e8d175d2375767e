/* SPDX-License-Identifier: MIT */
/*
 * The parser of cat: see cat_syntax.h. Recursive descent with one token of lookahead. The first
 * problem is kept and ends everything; all functions return NULL or nonsense then.
 */
#include "judge/cat/cat_syntax.h"

#include "base/text.h"

#include <string.h>

typedef struct cat_parser {
    cat_scanner scanner;
    cat_token token; /* the next one */
    col_status status;
    uint32_t depth;
    cat_expression nothing; /* what is made after a problem */
} cat_parser;

/* Zeroed; NULL when something went wrong. */
static void *take(cat_parser *p, size_t size) {
    void *taken = p->status == COL_OK ? base_arena_take(p->scanner.names->arena, size) : NULL;
    if (taken == NULL && p->status == COL_OK)
        p->status = base_out_of_memory(p->scanner.problem);
    return taken;
}

static void next(cat_parser *p) {
    if (p->status == COL_OK)
        p->status = cat_scan(&p->scanner, &p->token);
    if (p->status != COL_OK)
        p->token.kind = CAT_END_OF_FILE;
}

static bool is_next(const cat_parser *p, cat_token_kind kind) {
    return p->status == COL_OK && p->token.kind == kind;
}

static bool accept(cat_parser *p, cat_token_kind kind) {
    if (!is_next(p, kind))
        return false;
    next(p);
    return true;
}

static void refuse_next(cat_parser *p, const char *wanted) {
    const cat_token *t = &p->token;
    if (p->status != COL_OK)
        return;
    const bool quoted = t->kind != CAT_END_OF_FILE;
    p->status = base_refuse_at(p->scanner.problem, t->place.file, t->place.line, t->place.column,
                               "expected %s, not %s%.60s%s", wanted, quoted ? "'" : "", t->text,
                               quoted ? "'" : "");
}

static void expect(cat_parser *p, cat_token_kind kind, const char *wanted) {
    if (!accept(p, kind))
        refuse_next(p, wanted);
}

static const char *expect_text(cat_parser *p, cat_token_kind kind, const char *wanted) {
    const char *text = p->token.text;
    expect(p, kind, wanted);
    return text;
}

/* One level deeper; false if that is too deep. Leave by depth--. */
static bool enter(cat_parser *p) {
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

static cat_expression *parse_expression(cat_parser *p);
static cat_expression *parse_variant(cat_parser *p);

static void add_name(cat_parser *p, cat_pattern *pattern) {
    const bool is_word = is_next(p, CAT_WORD);
    if (!is_word && !is_next(p, CAT_UNDERSCORE)) {
        refuse_next(p, "a name or _");
        return;
    }
    const char **names = take(p, (pattern->count + 1) * sizeof *names);
    if (names == NULL)
        return;
    if (pattern->count > 0)
        memcpy(names, pattern->names, pattern->count * sizeof *names);
    names[pattern->count++] = is_word ? p->token.text : NULL;
    pattern->names = names;
    if (pattern->count > CAT_MOST_DEPTH)
        refuse_next(p, "fewer names");
    next(p);
}

static cat_pattern parse_names(cat_parser *p) {
    cat_pattern pattern = {0};
    do
        add_name(p, &pattern);
    while (accept(p, CAT_COMMA));
    pattern.is_tuple = pattern.count != 1;
    return pattern;
}

static cat_pattern parse_formals(cat_parser *p) {
    cat_pattern pattern = {.is_tuple = true};
    if (!accept(p, CAT_LEFT)) {
        pattern.is_tuple = false;
        add_name(p, &pattern);
        return pattern;
    }
    if (!is_next(p, CAT_RIGHT))
        pattern = parse_names(p);
    expect(p, CAT_RIGHT, "')'");
    return pattern;
}

/* NAME, NAME, ... = a; (NAME, ...) = a; NAME x = a; NAME (x, ...) = a */
static void parse_binding(cat_parser *p, cat_binding *binding) {
    binding->place = p->token.place;
    if (is_next(p, CAT_LEFT))
        binding->pattern = parse_formals(p);
    else
        binding->pattern = parse_names(p);
    if (p->status != COL_OK || accept(p, CAT_EQUAL)) {
        binding->value = parse_expression(p);
        return;
    }
    cat_expression *function = take(p, sizeof *function);
    if (function == NULL)
        return;
    if (binding->pattern.count != 1 || binding->pattern.names[0] == NULL) {
        refuse_next(p, "'='");
        return;
    }
    *function = (cat_expression){.kind = CAT_E_FUN, .place = binding->place};
    function->pattern = parse_formals(p);
    expect(p, CAT_EQUAL, "'='");
    function->first = parse_expression(p);
    binding->value = function;
}

static cat_binding *parse_bindings(cat_parser *p) {
    cat_binding *first = NULL, **last = &first;
    do {
        cat_binding *binding = take(p, sizeof *binding);
        if (binding == NULL)
            return first;
        parse_binding(p, binding);
        *last = binding;
        last = &binding->next;
    } while (accept(p, CAT_AND));
    return first;
}

/* ---- Expressions. From the loosest to the tightest: `|`, `++`, `;`, `\`, `&`, `*` between two
 * sets and the postfixes `* + ?`, `~`, `^-1`, application. */

static cat_expression *make_two(cat_parser *p, cat_expression_kind kind, cat_place place,
                                cat_expression *first, cat_expression *second) {
    cat_expression *made = take(p, sizeof *made);
    if (made == NULL)
        made = &p->nothing;
    *made = (cat_expression){.kind = kind, .place = place, .first = first, .second = second};
    return made;
}

static cat_expression *make(cat_parser *p, cat_expression_kind kind, cat_place place) {
    return make_two(p, kind, place, NULL, NULL);
}

static cat_expression *parse_union(cat_parser *p);

/* ---- What stands for itself. */

/* Expressions between commas, up to `end`. */
static cat_expression *parse_list(cat_parser *p, cat_token_kind end, const char *wanted) {
    cat_expression *first = NULL, **last = &first;
    while (!is_next(p, end) && p->status == COL_OK) {
        cat_expression *item = parse_union(p);
        if (item == NULL)
            return first;
        *last = item;
        last = &item->next;
        if (!accept(p, CAT_COMMA))
            break;
    }
    expect(p, end, wanted);
    return first;
}

static cat_expression *parse_named(cat_parser *p, cat_expression_kind kind) {
    cat_expression *made = make(p, kind, p->token.place);
    made->name = p->token.text;
    next(p);
    return made;
}

static cat_expression *parse_parenthesised(cat_parser *p, cat_place place) {
    if (accept(p, CAT_RIGHT))
        return make(p, CAT_E_TUPLE, place);
    cat_expression *inner = parse_expression(p);
    expect(p, CAT_RIGHT, "')'");
    return inner;
}

/* NULL if none begins here. */
static cat_expression *parse_simple(cat_parser *p) {
    const cat_place place = p->token.place;
    if (is_next(p, CAT_WORD))
        return parse_named(p, CAT_E_NAME);
    if (is_next(p, CAT_TAG))
        return parse_named(p, CAT_E_TAG);
    if (accept(p, CAT_ZERO))
        return make(p, CAT_E_ZERO, place);
    if (accept(p, CAT_UNDERSCORE))
        return make(p, CAT_E_ALL, place);
    if (accept(p, CAT_LEFT))
        return parse_parenthesised(p, place);
    if (accept(p, CAT_LEFT_BRACE))
        return make_two(p, CAT_E_SET, place, parse_list(p, CAT_RIGHT_BRACE, "'}'"), NULL);
    cat_expression *inner = NULL;
    if (accept(p, CAT_LEFT_BRACKET)) {
        inner = parse_expression(p);
        expect(p, CAT_RIGHT_BRACKET, "']'");
        return make_two(p, CAT_E_IDENTITY, place, inner, NULL);
    }
    if (accept(p, CAT_BEGIN)) {
        inner = parse_expression(p);
        expect(p, CAT_END, "'end'");
    }
    return inner;
}

/* Only a name can be applied. */
static cat_expression *parse_application(cat_parser *p) {
    const bool is_name = is_next(p, CAT_WORD);
    cat_expression *function = parse_simple(p);
    if (function == NULL) {
        refuse_next(p, "an expression");
        return NULL;
    }
    while (is_name && p->status == COL_OK) {
        const cat_place place = p->token.place;
        cat_expression *argument = parse_simple(p);
        if (argument == NULL)
            break;
        function = make_two(p, CAT_E_APPLY, place, function, argument);
    }
    return function;
}

/* ---- Operators. */

static bool begins_operand(const cat_parser *p) {
    static const cat_token_kind kinds[] = {CAT_WORD,       CAT_TAG,          CAT_ZERO,
                                           CAT_UNDERSCORE, CAT_LEFT,         CAT_LEFT_BRACE,
                                           CAT_TILDE,      CAT_LEFT_BRACKET, CAT_BEGIN};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (is_next(p, kinds[i]))
            return true;
    return false;
}

static cat_expression *parse_tilde(cat_parser *p);

static cat_expression *parse_inverse(cat_parser *p) {
    cat_expression *operand = is_next(p, CAT_TILDE) ? parse_tilde(p) : parse_application(p);
    for (cat_place place = p->token.place; accept(p, CAT_HAT); place = p->token.place) {
        expect(p, CAT_MINUS_ONE, "-1");
        operand = make_two(p, CAT_E_INVERSE, place, operand, NULL);
    }
    return operand;
}

static cat_expression *parse_tilde(cat_parser *p) {
    const cat_place place = p->token.place;
    if (!accept(p, CAT_TILDE))
        return parse_inverse(p);
    if (!enter(p))
        return NULL;
    cat_expression *inner = parse_inverse(p);
    p->depth--;
    return make_two(p, CAT_E_COMPLEMENT, place, inner, NULL);
}

/* `a * b` and `a*` begin alike: what follows the star decides. */
static cat_expression *parse_postfixes(cat_parser *p) {
    cat_expression *operand = parse_tilde(p);
    while (p->status == COL_OK) {
        const cat_place place = p->token.place;
        if (accept(p, CAT_HAT)) {
            expect(p, CAT_MINUS_ONE, "-1");
            operand = make_two(p, CAT_E_INVERSE, place, operand, NULL);
        } else if (accept(p, CAT_PLUS)) {
            operand = make_two(p, CAT_E_PLUS, place, operand, NULL);
        } else if (accept(p, CAT_QUESTION)) {
            operand = make_two(p, CAT_E_OPTIONAL, place, operand, NULL);
        } else if (!accept(p, CAT_STAR)) {
            break;
        } else if (!begins_operand(p)) {
            operand = make_two(p, CAT_E_STAR, place, operand, NULL);
        } else {
            if (!enter(p))
                return NULL;
            cat_expression *second = parse_postfixes(p);
            p->depth--;
            operand = make_two(p, CAT_E_PRODUCT, place, operand, second);
        }
    }
    return operand;
}

/* The operators between two operands, from the loosest. */
static const struct {
    cat_token_kind token;
    cat_expression_kind kind;
    bool is_left; /* a \ b \ c is (a \ b) \ c; of the others it does not matter, or is a ++ (b ++ c)
                   */
} operators[] = {{CAT_BAR, CAT_E_UNION, false},
                 {CAT_PLUS_PLUS, CAT_E_ADD, false},
                 {CAT_SEMICOLON, CAT_E_SEQUENCE, false},
                 {CAT_BACKSLASH, CAT_E_DIFFERENCE, true},
                 {CAT_AMPERSAND, CAT_E_INTERSECTION, false}};
enum { OPERATORS = sizeof operators / sizeof operators[0] };

/* Chains that lean to the right are built in a loop, as a model may unite a hundred relations. */
static cat_expression *parse_operator(cat_parser *p, uint32_t level) {
    if (level == OPERATORS)
        return parse_postfixes(p);
    cat_expression *whole = parse_operator(p, level + 1), **last = &whole;
    while (p->status == COL_OK && is_next(p, operators[level].token)) {
        const cat_place place = p->token.place;
        next(p);
        cat_expression *second = parse_operator(p, level + 1);
        if (operators[level].is_left) {
            whole = make_two(p, operators[level].kind, place, whole, second);
        } else {
            *last = make_two(p, operators[level].kind, place, *last, second);
            last = &(*last)->second;
        }
    }
    return whole;
}

static cat_expression *parse_union(cat_parser *p) {
    if (!enter(p))
        return NULL;
    cat_expression *parsed = parse_operator(p, 0);
    p->depth--;
    return parsed;
}

/* ---- Words. */

static cat_expression *parse_variant_operand(cat_parser *p) {
    const cat_place place = p->token.place;
    cat_expression *inner = NULL;
    if (!enter(p))
        return NULL;
    if (accept(p, CAT_NOT)) {
        inner = make_two(p, CAT_E_NOT, place, parse_variant_operand(p), NULL);
    } else if (accept(p, CAT_LEFT)) {
        inner = parse_variant(p);
        expect(p, CAT_RIGHT, "')'");
    } else {
        (void)accept(p, CAT_VARIANT);
        if (is_next(p, CAT_STRING))
            inner = parse_named(p, CAT_E_VARIANT);
        else
            refuse_next(p, "the name of a variant, in quotes");
    }
    p->depth--;
    return inner;
}

static cat_expression *parse_chain(cat_parser *p, cat_token_kind between, cat_expression_kind kind,
                                   cat_expression *(*parse)(cat_parser *p)) {
    cat_expression *whole = parse(p);
    for (cat_place place = p->token.place; accept(p, between); place = p->token.place)
        whole = make_two(p, kind, place, whole, parse(p));
    return whole;
}

static cat_expression *parse_variant_both(cat_parser *p) {
    return parse_chain(p, CAT_BOTH, CAT_E_BOTH, parse_variant_operand);
}

static cat_expression *parse_variant(cat_parser *p) {
    return parse_chain(p, CAT_ALTERNATIVE, CAT_E_EITHER, parse_variant_both);
}

/* Of an if among expressions: variants, or a comparison. */
static cat_expression *parse_condition(cat_parser *p) {
    cat_parser ahead = *p;
    while (is_next(&ahead, CAT_LEFT))
        next(&ahead);
    if (is_next(&ahead, CAT_STRING) || is_next(&ahead, CAT_NOT) || is_next(&ahead, CAT_VARIANT))
        return parse_variant(p);
    cat_expression *first = parse_union(p);
    const cat_place place = p->token.place;
    if (accept(p, CAT_EQUAL))
        return make_two(p, CAT_E_EQUAL, place, first, parse_union(p));
    if (accept(p, CAT_SUBSET))
        return make_two(p, CAT_E_SUBSET, place, first, parse_union(p));
    expect(p, CAT_IN, "=, subset or in");
    return make_two(p, CAT_E_MEMBER, place, first, parse_union(p));
}

static cat_expression *parse_if_expression(cat_parser *p, cat_place place) {
    cat_expression *made = make(p, CAT_E_IF, place);
    made->first = parse_condition(p);
    expect(p, CAT_THEN, "'then'");
    made->second = parse_expression(p);
    expect(p, CAT_ELSE, "'else'");
    made->third = parse_expression(p);
    return made;
}

static cat_expression *parse_let_expression(cat_parser *p, cat_place place) {
    cat_expression *made = make(p, CAT_E_LET, place);
    made->is_recursive = accept(p, CAT_REC);
    made->bindings = parse_bindings(p);
    expect(p, CAT_IN, "'in'");
    made->first = parse_expression(p);
    return made;
}

static cat_expression *parse_fun(cat_parser *p, cat_place place) {
    cat_expression *made = make(p, CAT_E_FUN, place);
    made->pattern = parse_formals(p);
    expect(p, CAT_ARROW, "'->'");
    made->first = parse_expression(p);
    return made;
}

static cat_expression *parse_try(cat_parser *p, cat_place place) {
    cat_expression *first = parse_expression(p);
    expect(p, CAT_WITH, "'with'");
    return make_two(p, CAT_E_TRY, place, first, parse_expression(p));
}

/* ---- Matches. */

static void parse_tag_clause(cat_parser *p, cat_expression *match, cat_clause ***last) {
    cat_clause *clause = take(p, sizeof *clause);
    if (clause == NULL)
        return;
    if (is_next(p, CAT_TAG))
        clause->tag = p->token.text;
    next(p);
    expect(p, CAT_ARROW, "'->'");
    clause->value = parse_expression(p);
    match->kind = CAT_E_MATCH_TAGS;
    **last = clause;
    *last = &clause->next;
}

/* `{} -> a` and `element ++ rest -> b`, in any order. */
static void parse_set_clause(cat_parser *p, cat_expression *match, const char *element) {
    match->kind = CAT_E_MATCH_SET;
    if (element == NULL && accept(p, CAT_LEFT_BRACE)) {
        expect(p, CAT_RIGHT_BRACE, "'}'");
        expect(p, CAT_ARROW, "'->'");
        match->second = parse_expression(p);
        return;
    }
    const char **names = take(p, 2 * sizeof *names);
    if (names == NULL)
        return;
    names[0] = element;
    expect(p, CAT_PLUS_PLUS, "'++' or '->'");
    names[1] = is_next(p, CAT_WORD) ? p->token.text : NULL;
    if (!accept(p, CAT_UNDERSCORE))
        expect(p, CAT_WORD, "a name or _");
    match->pattern = (cat_pattern){names, 2, true};
    expect(p, CAT_ARROW, "'->'");
    match->third = parse_expression(p);
}

static void parse_clause(cat_parser *p, cat_expression *match, cat_clause ***last) {
    if (is_next(p, CAT_TAG)) {
        parse_tag_clause(p, match, last);
    } else if (is_next(p, CAT_LEFT_BRACE)) {
        parse_set_clause(p, match, NULL);
    } else if (is_next(p, CAT_WORD)) {
        const char *element = p->token.text;
        next(p);
        parse_set_clause(p, match, element);
    } else if (is_next(p, CAT_UNDERSCORE)) {
        cat_parser ahead = *p;
        next(&ahead);
        if (is_next(&ahead, CAT_ARROW)) {
            parse_tag_clause(p, match, last);
            return;
        }
        next(p);
        parse_set_clause(p, match, "_");
    } else {
        refuse_next(p, "a tag, {} or a name");
    }
}

static cat_expression *parse_match_expression(cat_parser *p, cat_place place) {
    cat_expression *made = make(p, CAT_E_MATCH_TAGS, place);
    cat_clause **last = &made->clauses;
    made->first = parse_expression(p);
    expect(p, CAT_WITH, "'with'");
    (void)accept(p, CAT_ALTERNATIVE);
    do
        parse_clause(p, made, &last);
    while (accept(p, CAT_ALTERNATIVE));
    expect(p, CAT_END, "'end'");
    const bool is_whole =
        made->kind == CAT_E_MATCH_TAGS
            ? made->second == NULL && made->third == NULL
            : made->second != NULL && made->third != NULL && made->clauses == NULL;
    if (p->status == COL_OK && !is_whole)
        p->status = base_refuse_at(p->scanner.problem, place.file, place.line, place.column,
                                   "a match has clauses for tags, or one for {} and one for an "
                                   "element and the rest");
    return made;
}

/* ---- The whole. */

/* A tuple needs no parentheses. */
static cat_expression *parse_tuple(cat_parser *p, cat_place place) {
    cat_expression *first = parse_union(p);
    if (first == NULL || !is_next(p, CAT_COMMA))
        return first;
    cat_expression **last = &first->next;
    while (accept(p, CAT_COMMA)) {
        *last = parse_union(p);
        if (*last == NULL)
            return NULL;
        last = &(*last)->next;
    }
    return make_two(p, CAT_E_TUPLE, place, first, NULL);
}

static cat_expression *parse_expression(cat_parser *p) {
    const cat_place place = p->token.place;
    cat_expression *parsed = NULL;
    if (!enter(p))
        return NULL;
    if (accept(p, CAT_LET))
        parsed = parse_let_expression(p, place);
    else if (accept(p, CAT_FUN))
        parsed = parse_fun(p, place);
    else if (accept(p, CAT_TRY))
        parsed = parse_try(p, place);
    else if (accept(p, CAT_IF))
        parsed = parse_if_expression(p, place);
    else if (accept(p, CAT_MATCH))
        parsed = parse_match_expression(p, place);
    else
        parsed = parse_tuple(p, place);
    p->depth--;
    return parsed;
}

/* ---- Statements. */

static cat_statement *parse_statements(cat_parser *p);

static bool begins_test(const cat_parser *p) {
    return is_next(p, CAT_ACYCLIC) || is_next(p, CAT_IRREFLEXIVE) || is_next(p, CAT_EMPTY) ||
           is_next(p, CAT_TILDE) || is_next(p, CAT_FLAG) || is_next(p, CAT_ASSERT) ||
           is_next(p, CAT_UNDEFINED_UNLESS);
}

/* `let rec a = ... when acyclic a` ends the recursion early: a test behind it says the same. */
static void parse_let(cat_parser *p, cat_statement *s) {
    s->kind = CAT_S_LET;
    s->is_recursive = accept(p, CAT_REC);
    s->bindings = parse_bindings(p);
    if (s->is_recursive && accept(p, CAT_WHEN)) {
        if (!begins_test(p))
            refuse_next(p, "acyclic, irreflexive or empty");
        return;
    }
    (void)accept(p, CAT_IN);
}

static const char *parse_as(cat_parser *p) {
    return accept(p, CAT_AS) ? expect_text(p, CAT_WORD, "a name") : NULL;
}

static void parse_test(cat_parser *p, cat_statement *s) {
    s->kind = CAT_S_TEST;
    s->purpose = accept(p, CAT_FLAG)               ? CAT_FLAGS
                 : accept(p, CAT_ASSERT)           ? CAT_ASSERTS
                 : accept(p, CAT_UNDEFINED_UNLESS) ? CAT_REQUIRES
                                                   : CAT_CHECKS;
    s->is_negated = accept(p, CAT_TILDE);
    if (accept(p, CAT_ACYCLIC))
        s->test = CAT_IS_ACYCLIC;
    else if (accept(p, CAT_IRREFLEXIVE))
        s->test = CAT_IS_IRREFLEXIVE;
    else if (accept(p, CAT_EMPTY))
        s->test = CAT_IS_EMPTY;
    else
        refuse_next(p, "acyclic, irreflexive or empty");
    s->value = parse_expression(p);
    s->name = parse_as(p);
}

/* show a as NAME; show NAME, NAME, ... Nothing is made of it. */
static void parse_show(cat_parser *p, cat_statement *s) {
    s->kind = CAT_S_SHOW;
    (void)parse_expression(p);
    (void)parse_as(p);
}

static void parse_procedure(cat_parser *p, cat_statement *s) {
    s->kind = CAT_S_PROCEDURE;
    s->is_recursive = accept(p, CAT_REC);
    s->name = expect_text(p, CAT_WORD, "the name of the procedure");
    s->pattern = parse_formals(p);
    expect(p, CAT_EQUAL, "'='");
    s->body = parse_statements(p);
    expect(p, CAT_END, "'end'");
}

static void parse_call(cat_parser *p, cat_statement *s) {
    s->kind = CAT_S_CALL;
    s->name = expect_text(p, CAT_WORD, "the name of a procedure");
    s->value = parse_simple(p);
    if (s->value == NULL)
        refuse_next(p, "an argument");
    (void)parse_as(p);
}

static void parse_forall(cat_parser *p, cat_statement *s) {
    s->kind = CAT_S_FORALL;
    s->name = expect_text(p, CAT_WORD, "a name");
    expect(p, CAT_IN, "'in'");
    s->value = parse_expression(p);
    expect(p, CAT_DO, "'do'");
    s->body = parse_statements(p);
    expect(p, CAT_END, "'end'");
}

static void parse_with(cat_parser *p, cat_statement *s) {
    s->kind = CAT_S_WITH;
    s->name = expect_text(p, CAT_WORD, "a name");
    expect(p, CAT_FROM, "'from'");
    s->value = parse_expression(p);
}

static void parse_if(cat_parser *p, cat_statement *s) {
    s->kind = CAT_S_IF;
    s->value = parse_variant(p);
    s->body = parse_statements(p);
    if (accept(p, CAT_ELSE))
        s->rest = parse_statements(p);
    expect(p, CAT_END, "'end'");
}

/* 'tag || ... of an enum; of a match each tag, or _, has statements. */
static cat_clause *parse_clauses(cat_parser *p, bool of_match) {
    cat_clause *first = NULL, **last = &first;
    (void)accept(p, CAT_ALTERNATIVE);
    do {
        cat_clause *clause = take(p, sizeof *clause);
        if (clause == NULL)
            return first;
        if (!of_match || !accept(p, CAT_UNDERSCORE))
            clause->tag = expect_text(p, CAT_TAG, of_match ? "a tag or _" : "a tag");
        if (of_match) {
            expect(p, CAT_ARROW, "'->'");
            clause->statements = parse_statements(p);
        }
        *last = clause;
        last = &clause->next;
    } while (accept(p, CAT_ALTERNATIVE));
    return first;
}

static void parse_match(cat_parser *p, cat_statement *s) {
    s->kind = CAT_S_MATCH;
    s->value = parse_expression(p);
    expect(p, CAT_WITH, "'with'");
    s->clauses = parse_clauses(p, true);
    expect(p, CAT_END, "'end'");
}

static void parse_enum(cat_parser *p, cat_statement *s) {
    s->kind = CAT_S_ENUM;
    s->name = expect_text(p, CAT_WORD, "a name");
    expect(p, CAT_EQUAL, "'='");
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
    if (!enter(p))
        return NULL;
    while (p->status == COL_OK) {
        parse_function *parse = statement_of(p->token.kind);
        const bool is_test = begins_test(p);
        if (parse == NULL && !is_test)
            break;
        cat_statement *s = take(p, sizeof *s);
        if (s == NULL)
            break;
        s->place = p->token.place;
        if (is_test) {
            parse_test(p, s);
        } else {
            next(p);
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
    if (!is_next(p, CAT_WORD) && !is_next(p, CAT_STRING))
        return;
    const bool may_go_on = is_next(p, CAT_WORD);
    file->title = p->token.text;
    next(p);
    if (!may_go_on || (!is_next(p, CAT_WORD) && !is_next(p, CAT_STRING)))
        return;
    file->title = p->token.text;
    next(p);
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
    next(&p);
    parse_title(&p, file);
    file->finds_dependencies = accept(&p, CAT_CATDEP);
    file->statements = parse_statements(&p);
    if (!is_next(&p, CAT_END_OF_FILE))
        refuse_next(&p, "a statement");
    return p.status;
}
