/* SPDX-License-Identifier: MIT */
/*
 * Expressions. No tree is higher than the nesting that is allowed, so that walks over it may
 * recurse: `height` follows it, since "a.b.c" and "a + b + c" grow without recursion here.
 */
#include "protocol/slicc/parser.h"

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

/* What stands before a ')', and this. */
static slicc_expression *parse_closed(slicc_parser *parser, const char *where) {
    slicc_expression *inner = slicc_parse_expression(parser);
    return inner != NULL && slicc_expect(parser, SLICC_TOKEN_CLOSE_PARENTHESIS, where) ? inner
                                                                                       : NULL;
}

static slicc_expression *parse_validity(slicc_parser *parser) {
    const bool valid = slicc_at(parser, SLICC_TOKEN_IS_VALID);
    slicc_expression *expression =
        make(parser, valid ? SLICC_IS_VALID : SLICC_IS_INVALID, parser->token.place);
    if (expression == NULL || !slicc_expect_opened(parser))
        return NULL;
    expression->left = parse_closed(parser, "after the argument");
    return expression->left == NULL ? NULL : put_on(parser, expression, parser->height);
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
    cast->left = parse_closed(parser, "after what is cast");
    return cast->left == NULL ? NULL : put_on(parser, cast, parser->height);
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
        slicc_advance(parser);
        return parse_closed(parser, "after the expression");
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

int slicc_binding(const char *operator) {
    static const char *const levels[] = {"||", "&&", "== !=", "< > <= >=", "<< >>", "+ -", "* / %"};
    const size_t length = strlen(operator);
    for (int level = 0; level < 7; level++)
        for (const char *at = levels[level]; *at != '\0'; at += strcspn(at, " ")) {
            at += strspn(at, " ");
            if (strcspn(at, " ") == length && strncmp(at, operator, length) == 0)
                return level + 1;
        }
    return 0;
}

static slicc_expression *parse_binary(slicc_parser *parser, int least, bool first);

/* The operator and the operand behind `left`. */
static slicc_expression *parse_operator(slicc_parser *parser, slicc_expression *left) {
    const uint32_t height = parser->height;
    const int level = slicc_binding(slicc_token_spelling(parser->token.kind));
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
    while (left != NULL && left->kind != SLICC_LOCAL &&
           slicc_binding(slicc_token_spelling(parser->token.kind)) >= least)
        left = parse_operator(parser, left);
    return left;
}

/* `first`: one that may be the declaration of a local variable. */
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

/* Statements. After a wrong one the block around it goes on with the next. */

/* Statements with a keyword: "keyword ( port, ... ) ;" or, with a type, "{ body }". */
typedef struct form {
    slicc_token_kind keyword;
    slicc_statement_kind kind;
    const char *port; /* what it begins with; NULL: nothing */
    bool has_address;
    const char *body; /* NULL: it has neither type nor body */
} form;

static const char in_port[] = "the name of an in_port", out_port[] = "the name of an out_port";

static const form forms[] = {
    {SLICC_TOKEN_PEEK, SLICC_PEEK, in_port, false, "to begin the body of 'peek'"},
    {SLICC_TOKEN_ENQUEUE, SLICC_ENQUEUE, out_port, false, "to begin the body of 'enqueue'"},
    {SLICC_TOKEN_DEFER_ENQUEUEING, SLICC_DEFER_ENQUEUEING, out_port, false,
     "to begin the body of 'defer_enqueueing'"},
    {SLICC_TOKEN_STALL_AND_WAIT, SLICC_STALL_AND_WAIT, in_port, true, NULL},
    {SLICC_TOKEN_WAKEUP_PORT, SLICC_WAKEUP_PORT, in_port, true, NULL},
    {SLICC_TOKEN_CHECK_ON_CACHE_PROBE, SLICC_CHECK_PROBE, in_port, true, NULL},
    {SLICC_TOKEN_CHECK_ALLOCATE, SLICC_CHECK_ALLOCATE, "the name of a table", false, NULL},
    {SLICC_TOKEN_CHECK_NEXT_CYCLE, SLICC_CHECK_NEXT_CYCLE, NULL, false, NULL},
    {SLICC_TOKEN_CHECK_STOP_SLOTS, SLICC_CHECK_STOP_SLOTS, "the name of a port", false, NULL},
};

/* "[, latency [, bypass ]]" of enqueue. */
static bool parse_latency(slicc_parser *parser, slicc_statement *statement) {
    if (slicc_take(parser, SLICC_TOKEN_COMMA)) {
        if (slicc_at_name(parser, "latency") && slicc_at_key(parser)) { /* until 2013 */
            slicc_advance(parser);
            slicc_advance(parser);
        }
        if (!slicc_parse_quoted(parser, &statement->latency))
            return false;
    }
    return statement->latency == NULL || !slicc_take(parser, SLICC_TOKEN_COMMA) ||
           (statement->bypass = slicc_parse_expression(parser)) != NULL;
}

/* ', "x", "y"' of check_stop_slots. */
static bool parse_slots(slicc_parser *parser, const slicc_pair **pairs) {
    for (int i = 0; i < 2; i++) {
        slicc_pair *pair = slicc_expect(parser, SLICC_TOKEN_COMMA, "between the arguments")
                               ? slicc_parse_string_pair(parser)
                               : NULL;
        if (pair == NULL)
            return false;
        *pairs = pair;
        pairs = (const slicc_pair **)&pair->next;
    }
    return true;
}

static bool parse_form(slicc_parser *parser, slicc_statement *s, const form *f) {
    static const char after_port[] = "after the name of the port";
    s->kind = f->kind;
    if (!slicc_expect_opened(parser) ||
        (f->port != NULL && (s->port = slicc_expect_place_name(parser, f->port)) == NULL))
        return false;
    if (f->has_address && (!slicc_expect(parser, SLICC_TOKEN_COMMA, after_port) ||
                           (s->value = slicc_parse_expression(parser)) == NULL))
        return false;
    if (f->kind == SLICC_CHECK_STOP_SLOTS && !parse_slots(parser, &s->pairs))
        return false;
    if (f->body == NULL)
        return slicc_expect(parser, SLICC_TOKEN_CLOSE_PARENTHESIS, "after the arguments") &&
               slicc_expect(parser, SLICC_TOKEN_SEMICOLON, "after the statement");
    if (!slicc_expect(parser, SLICC_TOKEN_COMMA, after_port) ||
        (s->type = slicc_expect_type(parser)) == NULL ||
        (f->kind == SLICC_PEEK && !slicc_parse_pairs(parser, &s->pairs)) ||
        (f->kind == SLICC_ENQUEUE && !parse_latency(parser, s)))
        return false;
    return slicc_expect(parser, SLICC_TOKEN_CLOSE_PARENTHESIS,
                        f->kind == SLICC_ENQUEUE ? "after the arguments"
                                                 : "after the type of the message") &&
           slicc_parse_block(parser, &s->body, f->body);
}

static bool parse_return(slicc_parser *parser, slicc_statement *statement) {
    statement->kind = SLICC_RETURN;
    slicc_advance(parser);
    return (statement->value = slicc_parse_expression(parser)) != NULL &&
           slicc_expect(parser, SLICC_TOKEN_SEMICOLON, "after the value to return");
}

static slicc_statement *make_statement(slicc_parser *parser) {
    slicc_statement *statement = slicc_make(parser, sizeof *statement);
    if (statement != NULL)
        *statement = (slicc_statement){.kind = SLICC_EXPRESSION, .place = parser->token.place};
    return statement;
}

/* One arm: the condition and its body. */
static bool parse_arm(slicc_parser *parser, slicc_statement *statement) {
    statement->kind = SLICC_IF;
    return slicc_expect_opened(parser) &&
           (statement->value = parse_closed(parser, "after the condition")) != NULL &&
           slicc_parse_block(parser, &statement->body, "to begin the body of 'if'");
}

/* "else if" goes one level deeper into the tree without recursion here. */
static bool parse_if(slicc_parser *parser, slicc_statement *statement) {
    const uint32_t nesting = parser->nesting;
    bool good = parse_arm(parser, statement);
    while (good && slicc_take(parser, SLICC_TOKEN_ELSE)) {
        if (!slicc_at(parser, SLICC_TOKEN_IF)) {
            good = slicc_parse_block(parser, &statement->otherwise, "after 'else'");
            break;
        }
        slicc_statement *arm = slicc_enter(parser) ? make_statement(parser) : NULL;
        good = arm != NULL && parse_arm(parser, arm);
        statement->otherwise = arm;
        statement = arm;
    }
    parser->nesting = nesting;
    return good;
}

static bool parse_simple(slicc_parser *parser, slicc_statement *statement) {
    slicc_expression *value = parse_whole(parser, true);
    if (value == NULL)
        return false;
    if (slicc_at(parser, SLICC_TOKEN_IS)) {
        slicc_complain(parser->report, parser->token.place,
                       "an assignment is written ':=', '=' is for pairs");
        parser->token.kind = SLICC_TOKEN_ASSIGN;
    }
    if (!slicc_take(parser, SLICC_TOKEN_ASSIGN)) {
        statement->value = value;
        return slicc_expect(parser, SLICC_TOKEN_SEMICOLON,
                            value->kind == SLICC_LOCAL ? "after the declaration"
                                                       : "after the expression");
    }
    statement->kind = SLICC_ASSIGN;
    statement->target = value;
    return (statement->value = slicc_parse_expression(parser)) != NULL &&
           slicc_expect(parser, SLICC_TOKEN_SEMICOLON, "after the assignment");
}

static bool parse_statement(slicc_parser *parser, slicc_statement *statement) {
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (slicc_at(parser, forms[i].keyword))
            return parse_form(parser, statement, &forms[i]);
    return slicc_at(parser, SLICC_TOKEN_IF)       ? parse_if(parser, statement)
           : slicc_at(parser, SLICC_TOKEN_RETURN) ? parse_return(parser, statement)
                                                  : parse_simple(parser, statement);
}

/* A wrong statement is left out of the tree. */
static void parse_statements(slicc_parser *parser, slicc_statement **end) {
    while (!slicc_at(parser, SLICC_TOKEN_CLOSE_BRACE) && !slicc_at(parser, SLICC_TOKEN_END) &&
           !slicc_begins_declaration(parser->token.kind)) {
        const slicc_level level = slicc_level_of(parser);
        slicc_statement *statement = make_statement(parser);
        if (statement == NULL)
            return;
        if (parse_statement(parser, statement)) {
            *end = statement;
            end = &statement->next;
            continue;
        }
        slicc_recover(parser, level, true);
    }
}

bool slicc_parse_block(slicc_parser *parser, slicc_statement **body, const char *where) {
    const slicc_level level = slicc_level_of(parser);
    const slicc_place place = parser->token.place;
    if (!slicc_at(parser, SLICC_TOKEN_OPEN_BRACE))
        return slicc_expect(parser, SLICC_TOKEN_OPEN_BRACE, where);
    if (!slicc_enter(parser))
        return false;
    slicc_advance(parser);
    parse_statements(parser, body);
    (void)slicc_expect_close(parser, place, level, "block", "");
    parser->nesting--;
    return true;
}
