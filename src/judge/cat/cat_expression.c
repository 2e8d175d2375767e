/* SPDX-License-Identifier: MIT */
/*
 * Expressions of cat. From the loosest to the tightest: `|`, `++`, `;`, `\`, `&`, `*` between two
 * sets and the postfixes `* + ?`, `~`, `^-1`, application.
 */
#include "judge/cat/cat_syntax.h"

static cat_expression *make_two(cat_parser *p, cat_expression_kind kind, cat_place place,
                                cat_expression *first, cat_expression *second) {
    cat_expression *made = cat_take(p, sizeof *made);
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
    while (!cat_is(p, end) && p->status == COL_OK) {
        cat_expression *item = parse_union(p);
        if (item == NULL)
            return first;
        *last = item;
        last = &item->next;
        if (!cat_accept(p, CAT_COMMA))
            break;
    }
    cat_expect(p, end, wanted);
    return first;
}

static cat_expression *parse_named(cat_parser *p, cat_expression_kind kind) {
    cat_expression *made = make(p, kind, p->token.place);
    made->name = p->token.text;
    cat_next(p);
    return made;
}

static cat_expression *parse_parenthesised(cat_parser *p, cat_place place) {
    if (cat_accept(p, CAT_RIGHT))
        return make(p, CAT_E_TUPLE, place);
    cat_expression *inner = cat_parse_expression(p);
    cat_expect(p, CAT_RIGHT, "')'");
    return inner;
}

cat_expression *cat_parse_simple(cat_parser *p) {
    const cat_place place = p->token.place;
    if (cat_is(p, CAT_WORD))
        return parse_named(p, CAT_E_NAME);
    if (cat_is(p, CAT_TAG))
        return parse_named(p, CAT_E_TAG);
    if (cat_accept(p, CAT_ZERO))
        return make(p, CAT_E_ZERO, place);
    if (cat_accept(p, CAT_UNDERSCORE))
        return make(p, CAT_E_ALL, place);
    if (cat_accept(p, CAT_LEFT))
        return parse_parenthesised(p, place);
    if (cat_accept(p, CAT_LEFT_BRACE))
        return make_two(p, CAT_E_SET, place, parse_list(p, CAT_RIGHT_BRACE, "'}'"), NULL);
    cat_expression *inner = NULL;
    if (cat_accept(p, CAT_LEFT_BRACKET)) {
        inner = cat_parse_expression(p);
        cat_expect(p, CAT_RIGHT_BRACKET, "']'");
        return make_two(p, CAT_E_IDENTITY, place, inner, NULL);
    }
    if (cat_accept(p, CAT_BEGIN)) {
        inner = cat_parse_expression(p);
        cat_expect(p, CAT_END, "'end'");
    }
    return inner;
}

/* Only a name can be applied. */
static cat_expression *parse_application(cat_parser *p) {
    const bool is_name = cat_is(p, CAT_WORD);
    cat_expression *function = cat_parse_simple(p);
    if (function == NULL) {
        cat_unexpected(p, "an expression");
        return NULL;
    }
    while (is_name && p->status == COL_OK) {
        const cat_place place = p->token.place;
        cat_expression *argument = cat_parse_simple(p);
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
        if (cat_is(p, kinds[i]))
            return true;
    return false;
}

static cat_expression *parse_tilde(cat_parser *p);

static cat_expression *parse_inverse(cat_parser *p) {
    cat_expression *operand = cat_is(p, CAT_TILDE) ? parse_tilde(p) : parse_application(p);
    for (cat_place place = p->token.place; cat_accept(p, CAT_HAT); place = p->token.place) {
        cat_expect(p, CAT_MINUS_ONE, "-1");
        operand = make_two(p, CAT_E_INVERSE, place, operand, NULL);
    }
    return operand;
}

static cat_expression *parse_tilde(cat_parser *p) {
    const cat_place place = p->token.place;
    if (!cat_accept(p, CAT_TILDE))
        return parse_inverse(p);
    if (!cat_enter(p))
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
        if (cat_accept(p, CAT_HAT)) {
            cat_expect(p, CAT_MINUS_ONE, "-1");
            operand = make_two(p, CAT_E_INVERSE, place, operand, NULL);
        } else if (cat_accept(p, CAT_PLUS)) {
            operand = make_two(p, CAT_E_PLUS, place, operand, NULL);
        } else if (cat_accept(p, CAT_QUESTION)) {
            operand = make_two(p, CAT_E_OPTIONAL, place, operand, NULL);
        } else if (!cat_accept(p, CAT_STAR)) {
            break;
        } else if (!begins_operand(p)) {
            operand = make_two(p, CAT_E_STAR, place, operand, NULL);
        } else {
            if (!cat_enter(p))
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
    while (p->status == COL_OK && cat_is(p, operators[level].token)) {
        const cat_place place = p->token.place;
        cat_next(p);
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
    if (!cat_enter(p))
        return NULL;
    cat_expression *parsed = parse_operator(p, 0);
    p->depth--;
    return parsed;
}

/* ---- Words. */

static cat_expression *parse_variant_operand(cat_parser *p) {
    const cat_place place = p->token.place;
    cat_expression *inner = NULL;
    if (!cat_enter(p))
        return NULL;
    if (cat_accept(p, CAT_NOT)) {
        inner = make_two(p, CAT_E_NOT, place, parse_variant_operand(p), NULL);
    } else if (cat_accept(p, CAT_LEFT)) {
        inner = cat_parse_variant(p);
        cat_expect(p, CAT_RIGHT, "')'");
    } else {
        (void)cat_accept(p, CAT_VARIANT);
        if (cat_is(p, CAT_STRING))
            inner = parse_named(p, CAT_E_VARIANT);
        else
            cat_unexpected(p, "the name of a variant, in quotes");
    }
    p->depth--;
    return inner;
}

static cat_expression *parse_chain(cat_parser *p, cat_token_kind between, cat_expression_kind kind,
                                   cat_expression *(*parse)(cat_parser *p)) {
    cat_expression *whole = parse(p);
    for (cat_place place = p->token.place; cat_accept(p, between); place = p->token.place)
        whole = make_two(p, kind, place, whole, parse(p));
    return whole;
}

static cat_expression *parse_variant_both(cat_parser *p) {
    return parse_chain(p, CAT_BOTH, CAT_E_BOTH, parse_variant_operand);
}

cat_expression *cat_parse_variant(cat_parser *p) {
    return parse_chain(p, CAT_ALTERNATIVE, CAT_E_EITHER, parse_variant_both);
}

/* Of an if among expressions: variants, or a comparison. */
static cat_expression *parse_condition(cat_parser *p) {
    cat_parser ahead = *p;
    while (cat_is(&ahead, CAT_LEFT))
        cat_next(&ahead);
    if (cat_is(&ahead, CAT_STRING) || cat_is(&ahead, CAT_NOT) || cat_is(&ahead, CAT_VARIANT))
        return cat_parse_variant(p);
    cat_expression *first = parse_union(p);
    const cat_place place = p->token.place;
    if (cat_accept(p, CAT_EQUAL))
        return make_two(p, CAT_E_EQUAL, place, first, parse_union(p));
    if (cat_accept(p, CAT_SUBSET))
        return make_two(p, CAT_E_SUBSET, place, first, parse_union(p));
    cat_expect(p, CAT_IN, "=, subset or in");
    return make_two(p, CAT_E_MEMBER, place, first, parse_union(p));
}

static cat_expression *parse_if(cat_parser *p, cat_place place) {
    cat_expression *made = make(p, CAT_E_IF, place);
    made->first = parse_condition(p);
    cat_expect(p, CAT_THEN, "'then'");
    made->second = cat_parse_expression(p);
    cat_expect(p, CAT_ELSE, "'else'");
    made->third = cat_parse_expression(p);
    return made;
}

static cat_expression *parse_let(cat_parser *p, cat_place place) {
    cat_expression *made = make(p, CAT_E_LET, place);
    made->is_recursive = cat_accept(p, CAT_REC);
    made->bindings = cat_parse_bindings(p);
    cat_expect(p, CAT_IN, "'in'");
    made->first = cat_parse_expression(p);
    return made;
}

static cat_expression *parse_fun(cat_parser *p, cat_place place) {
    cat_expression *made = make(p, CAT_E_FUN, place);
    made->pattern = cat_parse_formals(p);
    cat_expect(p, CAT_ARROW, "'->'");
    made->first = cat_parse_expression(p);
    return made;
}

static cat_expression *parse_try(cat_parser *p, cat_place place) {
    cat_expression *first = cat_parse_expression(p);
    cat_expect(p, CAT_WITH, "'with'");
    return make_two(p, CAT_E_TRY, place, first, cat_parse_expression(p));
}

/* ---- Matches. */

static void parse_tag_clause(cat_parser *p, cat_expression *match, cat_clause ***last) {
    cat_clause *clause = cat_take(p, sizeof *clause);
    if (clause == NULL)
        return;
    if (cat_is(p, CAT_TAG))
        clause->tag = p->token.text;
    cat_next(p);
    cat_expect(p, CAT_ARROW, "'->'");
    clause->value = cat_parse_expression(p);
    match->kind = CAT_E_MATCH_TAGS;
    **last = clause;
    *last = &clause->next;
}

/* `{} -> a` and `element ++ rest -> b`, in any order. */
static void parse_set_clause(cat_parser *p, cat_expression *match, const char *element) {
    match->kind = CAT_E_MATCH_SET;
    if (element == NULL && cat_accept(p, CAT_LEFT_BRACE)) {
        cat_expect(p, CAT_RIGHT_BRACE, "'}'");
        cat_expect(p, CAT_ARROW, "'->'");
        match->second = cat_parse_expression(p);
        return;
    }
    const char **names = cat_take(p, 2 * sizeof *names);
    if (names == NULL)
        return;
    names[0] = element;
    cat_expect(p, CAT_PLUS_PLUS, "'++' or '->'");
    names[1] = cat_is(p, CAT_WORD) ? p->token.text : NULL;
    if (!cat_accept(p, CAT_UNDERSCORE))
        cat_expect(p, CAT_WORD, "a name or _");
    match->pattern = (cat_pattern){names, 2, true};
    cat_expect(p, CAT_ARROW, "'->'");
    match->third = cat_parse_expression(p);
}

static void parse_clause(cat_parser *p, cat_expression *match, cat_clause ***last) {
    if (cat_is(p, CAT_TAG)) {
        parse_tag_clause(p, match, last);
    } else if (cat_is(p, CAT_LEFT_BRACE)) {
        parse_set_clause(p, match, NULL);
    } else if (cat_is(p, CAT_WORD)) {
        const char *element = p->token.text;
        cat_next(p);
        parse_set_clause(p, match, element);
    } else if (cat_is(p, CAT_UNDERSCORE)) {
        cat_parser ahead = *p;
        cat_next(&ahead);
        if (cat_is(&ahead, CAT_ARROW)) {
            parse_tag_clause(p, match, last);
            return;
        }
        cat_next(p);
        parse_set_clause(p, match, "_");
    } else {
        cat_unexpected(p, "a tag, {} or a name");
    }
}

static cat_expression *parse_match(cat_parser *p, cat_place place) {
    cat_expression *made = make(p, CAT_E_MATCH_TAGS, place);
    cat_clause **last = &made->clauses;
    made->first = cat_parse_expression(p);
    cat_expect(p, CAT_WITH, "'with'");
    (void)cat_accept(p, CAT_ALTERNATIVE);
    do
        parse_clause(p, made, &last);
    while (cat_accept(p, CAT_ALTERNATIVE));
    cat_expect(p, CAT_END, "'end'");
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
    if (first == NULL || !cat_is(p, CAT_COMMA))
        return first;
    cat_expression **last = &first->next;
    while (cat_accept(p, CAT_COMMA)) {
        *last = parse_union(p);
        if (*last == NULL)
            return NULL;
        last = &(*last)->next;
    }
    return make_two(p, CAT_E_TUPLE, place, first, NULL);
}

cat_expression *cat_parse_expression(cat_parser *p) {
    const cat_place place = p->token.place;
    cat_expression *parsed = NULL;
    if (!cat_enter(p))
        return NULL;
    if (cat_accept(p, CAT_LET))
        parsed = parse_let(p, place);
    else if (cat_accept(p, CAT_FUN))
        parsed = parse_fun(p, place);
    else if (cat_accept(p, CAT_TRY))
        parsed = parse_try(p, place);
    else if (cat_accept(p, CAT_IF))
        parsed = parse_if(p, place);
    else if (cat_accept(p, CAT_MATCH))
        parsed = parse_match(p, place);
    else
        parsed = parse_tuple(p, place);
    p->depth--;
    return parsed;
}
