/* SPDX-License-Identifier: MIT */
/* Statements. After a wrong one the block around it goes on with the next. */
#include "slicc/parser.h"

/* "keyword ( port", the beginning of most statements with a keyword. */
static bool parse_port(slicc_parser *parser, slicc_statement *statement, const char *what) {
    return slicc_expect_opened(parser) &&
           (statement->port = slicc_expect_place_name(parser, what)) != NULL;
}

static bool parse_type(slicc_parser *parser, slicc_statement *statement) {
    return slicc_expect(parser, SLICC_TOKEN_COMMA, "after the name of the port") &&
           (statement->type = slicc_expect_type(parser)) != NULL;
}

static bool parse_end(slicc_parser *parser) {
    return slicc_expect(parser, SLICC_TOKEN_CLOSE_PARENTHESIS, "after the arguments") &&
           slicc_expect(parser, SLICC_TOKEN_SEMICOLON, "after the statement");
}

static bool parse_peek(slicc_parser *parser, slicc_statement *statement) {
    statement->kind = SLICC_PEEK;
    return parse_port(parser, statement, "the name of an in_port") &&
           parse_type(parser, statement) && slicc_parse_pairs(parser, &statement->pairs) &&
           slicc_expect(parser, SLICC_TOKEN_CLOSE_PARENTHESIS, "after the type of the message") &&
           slicc_parse_block(parser, &statement->body, "to begin the body of 'peek'");
}

static bool parse_enqueue(slicc_parser *parser, slicc_statement *statement) {
    statement->kind = SLICC_ENQUEUE;
    if (!parse_port(parser, statement, "the name of an out_port") || !parse_type(parser, statement))
        return false;
    if (slicc_take(parser, SLICC_TOKEN_COMMA)) {
        if (slicc_at_name(parser, "latency") && slicc_at_key(parser)) { /* until 2013 */
            slicc_advance(parser);
            slicc_advance(parser);
        }
        if (!slicc_parse_quoted(parser, &statement->latency))
            return false;
    }
    if (statement->latency != NULL && slicc_take(parser, SLICC_TOKEN_COMMA) &&
        (statement->bypass = slicc_parse_expression(parser)) == NULL)
        return false;
    return slicc_expect(parser, SLICC_TOKEN_CLOSE_PARENTHESIS, "after the arguments") &&
           slicc_parse_block(parser, &statement->body, "to begin the body of 'enqueue'");
}

static bool parse_defer(slicc_parser *parser, slicc_statement *statement) {
    statement->kind = SLICC_DEFER_ENQUEUEING;
    return parse_port(parser, statement, "the name of an out_port") &&
           parse_type(parser, statement) &&
           slicc_expect(parser, SLICC_TOKEN_CLOSE_PARENTHESIS, "after the type of the message") &&
           slicc_parse_block(parser, &statement->body, "to begin the body of 'defer_enqueueing'");
}

/* Those that name a port and an address. */
static bool parse_at_address(slicc_parser *parser, slicc_statement *statement,
                             slicc_statement_kind kind) {
    statement->kind = kind;
    return parse_port(parser, statement, "the name of an in_port") &&
           slicc_expect(parser, SLICC_TOKEN_COMMA, "after the name of the port") &&
           (statement->value = slicc_parse_expression(parser)) != NULL && parse_end(parser);
}

static bool parse_check_allocate(slicc_parser *parser, slicc_statement *statement) {
    statement->kind = SLICC_CHECK_ALLOCATE;
    return parse_port(parser, statement, "the name of a table") && parse_end(parser);
}

static bool parse_check_next_cycle(slicc_parser *parser, slicc_statement *statement) {
    statement->kind = SLICC_CHECK_NEXT_CYCLE;
    return slicc_expect_opened(parser) && parse_end(parser);
}

static slicc_pair *parse_slot_string(slicc_parser *parser) {
    return slicc_expect(parser, SLICC_TOKEN_COMMA, "between the arguments")
               ? slicc_parse_string_pair(parser)
               : NULL;
}

static bool parse_check_stop_slots(slicc_parser *parser, slicc_statement *statement) {
    statement->kind = SLICC_CHECK_STOP_SLOTS;
    if (!parse_port(parser, statement, "the name of a port"))
        return false;
    slicc_pair *first = parse_slot_string(parser);
    if (first == NULL || (first->next = parse_slot_string(parser)) == NULL)
        return false;
    statement->pairs = first;
    return parse_end(parser);
}

static bool parse_return(slicc_parser *parser, slicc_statement *statement) {
    statement->kind = SLICC_RETURN;
    slicc_advance(parser);
    return (statement->value = slicc_parse_expression(parser)) != NULL &&
           slicc_expect(parser, SLICC_TOKEN_SEMICOLON, "after the value to return");
}

static slicc_statement *make(slicc_parser *parser) {
    slicc_statement *statement = slicc_make(parser, sizeof *statement);
    if (statement != NULL)
        *statement = (slicc_statement){.kind = SLICC_EXPRESSION, .place = parser->token.place};
    return statement;
}

/* One arm: the condition and its body. */
static bool parse_arm(slicc_parser *parser, slicc_statement *statement) {
    statement->kind = SLICC_IF;
    return slicc_expect_opened(parser) &&
           (statement->value = slicc_parse_expression(parser)) != NULL &&
           slicc_expect(parser, SLICC_TOKEN_CLOSE_PARENTHESIS, "after the condition") &&
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
        slicc_statement *arm = slicc_enter(parser) ? make(parser) : NULL;
        good = arm != NULL && parse_arm(parser, arm);
        statement->otherwise = arm;
        statement = arm;
    }
    parser->nesting = nesting;
    return good;
}

static bool parse_simple(slicc_parser *parser, slicc_statement *statement) {
    slicc_expression *value = slicc_parse_first_expression(parser);
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
    switch (parser->token.kind) {
    case SLICC_TOKEN_IF:
        return parse_if(parser, statement);
    case SLICC_TOKEN_RETURN:
        return parse_return(parser, statement);
    case SLICC_TOKEN_PEEK:
        return parse_peek(parser, statement);
    case SLICC_TOKEN_ENQUEUE:
        return parse_enqueue(parser, statement);
    case SLICC_TOKEN_DEFER_ENQUEUEING:
        return parse_defer(parser, statement);
    case SLICC_TOKEN_STALL_AND_WAIT:
        return parse_at_address(parser, statement, SLICC_STALL_AND_WAIT);
    case SLICC_TOKEN_WAKEUP_PORT:
        return parse_at_address(parser, statement, SLICC_WAKEUP_PORT);
    case SLICC_TOKEN_CHECK_ON_CACHE_PROBE:
        return parse_at_address(parser, statement, SLICC_CHECK_PROBE);
    case SLICC_TOKEN_CHECK_ALLOCATE:
        return parse_check_allocate(parser, statement);
    case SLICC_TOKEN_CHECK_NEXT_CYCLE:
        return parse_check_next_cycle(parser, statement);
    case SLICC_TOKEN_CHECK_STOP_SLOTS:
        return parse_check_stop_slots(parser, statement);
    default:
        return parse_simple(parser, statement);
    }
}

/* A wrong statement is left out of the tree. */
static void parse_statements(slicc_parser *parser, slicc_statement **end) {
    while (!slicc_at(parser, SLICC_TOKEN_CLOSE_BRACE) && !slicc_at(parser, SLICC_TOKEN_END) &&
           !slicc_begins_declaration(parser->token.kind)) {
        const char *start = parser->token.start;
        const slicc_level level = slicc_level_of(parser);
        slicc_statement *statement = make(parser);
        if (statement == NULL)
            return;
        if (parse_statement(parser, statement)) {
            *end = statement;
            end = &statement->next;
            continue;
        }
        slicc_skip_statement(parser, level);
        if (parser->token.start == start)
            slicc_advance(parser);
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
