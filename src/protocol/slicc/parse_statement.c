/* SPDX-License-Identifier: MIT */
/*
 * Expressions. No tree is higher than the nesting that is allowed, so that walks over it may
 * recurse: `height` follows it, since "a.b.c" and "a + b + c" grow without recursion here.
 */
#include "slicc/parser.h"

#include <string.h>

static slicc_expression *make(slicc_parser *parser, slicc_expression_kind kind, slicc_place place) {
    slicc_expression *expression = slicc_make(parser, sizeof *expression);
    if (expression != NULL)
        *expression = (slicc_expression){.kind = kind, .place = place};
    parser->height = 1;
    return expression;
}

/* The expression, which stands on others that are `height` high, or NULL and a complaint. */
static slicc_expression *put_on(slicc_parser *parser, slicc_expression *expression,
                                uint32_t height) {
    parser->height = height + 1;
    const bool fits = parser->nesting + height < SLICC_MOST_NESTING || slicc_too_deep(parser);
    return fits ? expression : NULL;
}

static uint32_t higher(uint32_t first, uint32_t second) {
    return first > second ? first : second;
}

/* The arguments of `call` up to `close`, a comma behind the last allowed; `height` is that of what
 * stands before them. */
static slicc_expression *parse_arguments(slicc_parser *parser, slicc_expression *call,
                                         slicc_token_kind close, uint32_t height) {
    slicc_expression **end = &call->arguments;
    bool more = true;
    while (more && !slicc_at(parser, close)) {
        *end = slicc_parse_expression(parser);
        if (*end == NULL)
            return NULL;
        end = &(*end)->next;
        height = higher(height, parser->height);
        more = slicc_take(parser, SLICC_TOKEN_COMMA);
    }
    return slicc_expect(parser, close, "after the arguments") ? put_on(parser, call, height) : NULL;
}

static slicc_expression *parse_literal(slicc_parser *parser) {
    const slicc_token token = parser->token;
    slicc_advance(parser);
    slicc_expression *literal = make(parser, SLICC_NUMBER, token.place);
    if (literal == NULL)
        return NULL;
    if (token.kind == SLICC_TOKEN_NUMBER) {
        literal->number = token.number;
    } else if (token.kind == SLICC_TOKEN_STRING) {
        literal->kind = SLICC_STRING;
        literal->text = slicc_text_of(parser, &token);
        return literal->text == NULL ? NULL : literal;
    } else if (token.kind == SLICC_TOKEN_OOD) {
        literal->kind = SLICC_NULL;
    } else {
        literal->kind = SLICC_BOOLEAN;
        literal->number = token.kind == SLICC_TOKEN_TRUE;
    }
    return literal;
}

static slicc_expression *parse_new(slicc_parser *parser) {
    slicc_expression *expression = make(parser, SLICC_NEW, parser->token.place);
    slicc_advance(parser);
    if (expression == NULL)
        return NULL;
    expression->type = slicc_expect_type(parser);
    return expression->type == NULL ? NULL : expression;
}

static slicc_expression *parse_validity(slicc_parser *parser) {
    const bool valid = slicc_at(parser, SLICC_TOKEN_IS_VALID);
    slicc_expression *expression =
        make(parser, valid ? SLICC_IS_VALID : SLICC_IS_INVALID, parser->token.place);
    if (expression == NULL || !slicc_expect_opened(parser))
        return NULL;
    expression->left = slicc_parse_expression(parser);
    if (expression->left == NULL ||
        !slicc_expect(parser, SLICC_TOKEN_CLOSE_PARENTHESIS, "after the argument"))
        return NULL;
    return put_on(parser, expression, parser->height);
}

/* static_cast(Type, "pointer", expression) or static_cast(Type, expression). A string in the second
 * place says what kind of cast it is. */
static slicc_expression *parse_cast(slicc_parser *parser) {
    slicc_expression *cast = make(parser, SLICC_STATIC_CAST, parser->token.place);
    if (cast == NULL || !slicc_expect_opened(parser) ||
        (cast->type = slicc_expect_type(parser)) == NULL ||
        !slicc_expect(parser, SLICC_TOKEN_COMMA, "after the type of the cast"))
        return NULL;
    if (slicc_at(parser, SLICC_TOKEN_STRING)) {
        cast->text = slicc_expect_string(parser, "");
        if (cast->text == NULL ||
            !slicc_expect(parser, SLICC_TOKEN_COMMA, "after the kind of the cast"))
            return NULL;
    }
    cast->left = slicc_parse_expression(parser);
    if (cast->left == NULL ||
        !slicc_expect(parser, SLICC_TOKEN_CLOSE_PARENTHESIS, "after what is cast"))
        return NULL;
    return put_on(parser, cast, parser->height);
}

static slicc_expression *parse_parenthesized(slicc_parser *parser) {
    slicc_advance(parser);
    slicc_expression *inner = slicc_parse_expression(parser);
    if (inner == NULL ||
        !slicc_expect(parser, SLICC_TOKEN_CLOSE_PARENTHESIS, "after the expression"))
        return NULL;
    return inner;
}

static slicc_expression *parse_call(slicc_parser *parser, slicc_expression *call,
                                    slicc_expression_kind kind, uint32_t height) {
    slicc_advance(parser);
    call->kind = kind;
    return parse_arguments(parser, call, SLICC_TOKEN_CLOSE_PARENTHESIS, height);
}

/* Behind "a::b::c": splits it into the type "a::b" and the function "c". */
static slicc_expression *parse_class_call(slicc_parser *parser, slicc_expression *call,
                                          const char *qualified) {
    const char *last = strrchr(qualified, ':') + 1;
    const slicc_token type = {.start = qualified, .length = (size_t)(last - qualified) - 2};
    const slicc_token function = {.start = last, .length = strlen(last)};
    call->type = slicc_text_of(parser, &type);
    call->text = slicc_text_of(parser, &function);
    if (call->type == NULL || call->text == NULL)
        return NULL;
    if (!slicc_at(parser, SLICC_TOKEN_OPEN_PARENTHESIS)) {
        (void)slicc_expect(parser, SLICC_TOKEN_OPEN_PARENTHESIS, "after the name of a function");
        return NULL;
    }
    return parse_call(parser, call, SLICC_CLASS_CALL, 0);
}

/* Whatever begins with a name: a variable, an enumerator, a call, and where `first` says that a
 * statement begins here, the declaration of a local variable. */
static slicc_expression *parse_named(slicc_parser *parser, bool first) {
    slicc_expression *expression = make(parser, SLICC_NAME, parser->token.place);
    const char *name = slicc_expect_name(parser, "a name");
    const bool qualified = slicc_at(parser, SLICC_TOKEN_DOUBLE_COLON);
    name = slicc_qualify(parser, name);
    if (expression == NULL || name == NULL)
        return NULL;
    if (first && slicc_at(parser, SLICC_TOKEN_NAME)) {
        expression->kind = SLICC_LOCAL;
        expression->type = name;
        expression->text = slicc_expect_name(parser, "a name");
        return expression->text == NULL ? NULL : expression;
    }
    if (qualified)
        return parse_class_call(parser, expression, name);
    expression->text = name;
    if (slicc_at(parser, SLICC_TOKEN_OPEN_PARENTHESIS))
        return parse_call(parser, expression, SLICC_CALL, 0);
    if (slicc_take(parser, SLICC_TOKEN_COLON)) {
        expression->kind = SLICC_ENUMERATOR;
        expression->type = name;
        expression->text = slicc_expect_name(parser, "a value of the enumeration after ':'");
        return expression->text == NULL ? NULL : expression;
    }
    return expression;
}

static slicc_expression *parse_primary(slicc_parser *parser, bool first) {
    switch (parser->token.kind) {
    case SLICC_TOKEN_NAME:
        return parse_named(parser, first);
    case SLICC_TOKEN_NUMBER:
    case SLICC_TOKEN_STRING:
    case SLICC_TOKEN_OOD:
    case SLICC_TOKEN_TRUE:
    case SLICC_TOKEN_FALSE:
        return parse_literal(parser);
    case SLICC_TOKEN_NEW:
        return parse_new(parser);
    case SLICC_TOKEN_IS_VALID:
    case SLICC_TOKEN_IS_INVALID:
        return parse_validity(parser);
    case SLICC_TOKEN_STATIC_CAST:
        return parse_cast(parser);
    case SLICC_TOKEN_OPEN_PARENTHESIS:
        return parse_parenthesized(parser);
    default:
        (void)slicc_unexpected(parser, first ? "a statement" : "an expression");
        return NULL;
    }
}

/* One of . name, . name ( arguments ) and [ arguments ] behind `left`. */
static slicc_expression *parse_postfix(slicc_parser *parser, slicc_expression *left) {
    const uint32_t height = parser->height;
    slicc_expression *expression = make(parser, SLICC_LOOKUP, parser->token.place);
    if (expression == NULL)
        return NULL;
    expression->left = left;
    if (slicc_take(parser, SLICC_TOKEN_OPEN_BRACKET))
        return parse_arguments(parser, expression, SLICC_TOKEN_CLOSE_BRACKET, height);
    slicc_advance(parser);
    expression->kind = SLICC_MEMBER;
    expression->place = parser->token.place;
    expression->text = slicc_expect_name(parser, "the name of a member after '.'");
    if (expression->text == NULL)
        return NULL;
    if (slicc_at(parser, SLICC_TOKEN_OPEN_PARENTHESIS))
        return parse_call(parser, expression, SLICC_METHOD, height);
    return put_on(parser, expression, height);
}

static slicc_expression *parse_postfixes(slicc_parser *parser, bool first) {
    slicc_expression *expression = parse_primary(parser, first);
    while (expression != NULL && expression->kind != SLICC_LOCAL &&
           (slicc_at(parser, SLICC_TOKEN_DOT) || slicc_at(parser, SLICC_TOKEN_OPEN_BRACKET)))
        expression = parse_postfix(parser, expression);
    return expression;
}

static slicc_expression *parse_unary(slicc_parser *parser, bool first) {
    const slicc_token_kind kind = parser->token.kind;
    if (kind != SLICC_TOKEN_NOT && kind != SLICC_TOKEN_MINUS && kind != SLICC_TOKEN_INCREMENT &&
        kind != SLICC_TOKEN_DECREMENT)
        return parse_postfixes(parser, first);
    slicc_expression *expression = make(parser, SLICC_UNARY, parser->token.place);
    if (expression == NULL || !slicc_enter(parser))
        return NULL;
    expression->text = slicc_text_of(parser, &parser->token);
    slicc_advance(parser);
    expression->left = parse_unary(parser, false);
    parser->nesting--;
    if (expression->text == NULL || expression->left == NULL)
        return NULL;
    return put_on(parser, expression, parser->height);
}

/* How tightly a binary operator binds; 0 if it is none. */
static int binding(slicc_token_kind kind) {
    switch (kind) {
    case SLICC_TOKEN_OR:
        return 1;
    case SLICC_TOKEN_AND:
        return 2;
    case SLICC_TOKEN_EQUAL:
    case SLICC_TOKEN_NOT_EQUAL:
        return 3;
    case SLICC_TOKEN_LESS:
    case SLICC_TOKEN_GREATER:
    case SLICC_TOKEN_LESS_EQUAL:
    case SLICC_TOKEN_GREATER_EQUAL:
        return 4;
    case SLICC_TOKEN_SHIFT_LEFT:
    case SLICC_TOKEN_SHIFT_RIGHT:
        return 5;
    case SLICC_TOKEN_PLUS:
    case SLICC_TOKEN_MINUS:
        return 6;
    case SLICC_TOKEN_STAR:
    case SLICC_TOKEN_SLASH:
    case SLICC_TOKEN_PERCENT:
        return 7;
    default:
        return 0;
    }
}

static slicc_expression *parse_binary(slicc_parser *parser, int least, bool first);

/* The operator and the operand behind `left`. */
static slicc_expression *parse_operator(slicc_parser *parser, slicc_expression *left) {
    const uint32_t height = parser->height;
    const int level = binding(parser->token.kind);
    slicc_expression *binary = make(parser, SLICC_BINARY, parser->token.place);
    if (binary == NULL || (binary->text = slicc_text_of(parser, &parser->token)) == NULL)
        return NULL;
    slicc_advance(parser);
    binary->left = left;
    binary->right = parse_binary(parser, level + 1, false);
    if (binary->right == NULL)
        return NULL;
    return put_on(parser, binary, higher(height, parser->height));
}

/* Operands joined by operators that bind at least as tightly as `least`; all group to the left. */
static slicc_expression *parse_binary(slicc_parser *parser, int least, bool first) {
    slicc_expression *left = parse_unary(parser, first);
    while (left != NULL && left->kind != SLICC_LOCAL && binding(parser->token.kind) >= least)
        left = parse_operator(parser, left);
    return left;
}

static slicc_expression *parse_whole(slicc_parser *parser, bool first) {
    if (!slicc_enter(parser))
        return NULL;
    slicc_expression *expression = parse_binary(parser, 1, first);
    parser->nesting--;
    return expression;
}

slicc_expression *slicc_parse_expression(slicc_parser *parser) {
    return parse_whole(parser, false);
}

slicc_expression *slicc_parse_first_expression(slicc_parser *parser) {
    return parse_whole(parser, true);
}
