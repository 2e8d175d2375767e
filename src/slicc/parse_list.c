/* SPDX-License-Identifier: MIT */
/* The small lists of the language: pairs, sets of names, values, parameters, and transitions, which
 * are made of sets. */
#include "slicc/parser.h"

#include <stdio.h>

/* ---- Pairs. */

static slicc_pair *make_pair(slicc_parser *parser, const char *key, const char *value,
                             slicc_place place) {
    slicc_pair *pair = key == NULL || value == NULL ? NULL : slicc_make(parser, sizeof *pair);
    if (pair != NULL)
        *pair = (slicc_pair){.key = key, .value = value, .place = place};
    return pair;
}

slicc_pair *slicc_parse_string_pair(slicc_parser *parser) {
    static const slicc_token key = {.start = "short", .length = sizeof "short" - 1};
    const slicc_place place = parser->token.place;
    const char *value = slicc_expect_string(parser, "a string");
    return value == NULL ? NULL : make_pair(parser, slicc_text_of(parser, &key), value, place);
}

static slicc_pair *parse_pair(slicc_parser *parser) {
    if (slicc_at(parser, SLICC_TOKEN_STRING))
        return slicc_parse_string_pair(parser);
    const slicc_place place = parser->token.place;
    const char *key = slicc_expect_name(parser, "a pair such as desc=\"text\"");
    if (key == NULL || !slicc_expect(parser, SLICC_TOKEN_IS, "after the key of a pair"))
        return NULL;
    if (!slicc_at(parser, SLICC_TOKEN_STRING) && !slicc_at(parser, SLICC_TOKEN_NAME) &&
        !slicc_at(parser, SLICC_TOKEN_NUMBER)) {
        (void)slicc_unexpected(parser, "a string, a name or a number as the value of a pair");
        return NULL;
    }
    slicc_pair *pair = make_pair(parser, key, slicc_text_of(parser, &parser->token), place);
    slicc_advance(parser);
    return pair;
}

bool slicc_parse_pairs(slicc_parser *parser, const slicc_pair **pairs) {
    const slicc_pair **end = pairs;
    while (slicc_take(parser, SLICC_TOKEN_COMMA)) {
        slicc_pair *pair = parse_pair(parser);
        if (pair == NULL)
            return false;
        *end = pair;
        end = (const slicc_pair **)&pair->next;
    }
    return true;
}

/* ---- Values of enumerations and states. */

/* The "AccessPermission:Read_Only," of a state. */
static bool parse_permission(slicc_parser *parser, slicc_value *value) {
    static const char type[] = "AccessPermission";
    if (!slicc_expect(parser, SLICC_TOKEN_COMMA, "and a permission after the name of the state"))
        return false;
    if (!slicc_at_name(parser, type))
        return slicc_unexpected(parser, "a permission such as AccessPermission:Read_Only");
    slicc_advance(parser);
    return slicc_expect(parser, SLICC_TOKEN_COLON, "after 'AccessPermission'") &&
           (value->permission = slicc_expect_name(parser, "the name of a permission")) != NULL;
}

slicc_value *slicc_parse_value(slicc_parser *parser, bool state) {
    slicc_value *value = slicc_make(parser, sizeof *value);
    if (value == NULL)
        return NULL;
    value->place = parser->token.place;
    value->name = slicc_expect_name(parser, state ? "the name of a state or '}'"
                                                  : "the name of a value or '}'");
    if (value->name == NULL || (state && !parse_permission(parser, value)) ||
        !slicc_parse_pairs(parser, &value->pairs) ||
        !slicc_expect(parser, SLICC_TOKEN_SEMICOLON, state ? "after the state" : "after the value"))
        return NULL;
    return value;
}

/* ---- Parameters. */

static bool parse_default(slicc_parser *parser, slicc_parameter *parameter) {
    if (!slicc_take(parser, SLICC_TOKEN_ASSIGN))
        return true;
    if (!slicc_at(parser, SLICC_TOKEN_STRING) && !slicc_at(parser, SLICC_TOKEN_NUMBER) &&
        !slicc_at(parser, SLICC_TOKEN_TRUE) && !slicc_at(parser, SLICC_TOKEN_FALSE))
        return slicc_unexpected(parser, "a literal as the default of a parameter");
    parameter->initial = slicc_text_of(parser, &parser->token);
    slicc_advance(parser);
    return parameter->initial != NULL;
}

static slicc_parameter *parse_parameter(slicc_parser *parser) {
    slicc_parameter *parameter = slicc_make(parser, sizeof *parameter);
    if (parameter == NULL)
        return NULL;
    parameter->place = parser->token.place;
    parameter->constant = slicc_take(parser, SLICC_TOKEN_CONST);
    parameter->type = slicc_expect_type(parser);
    if (parameter->type == NULL)
        return NULL;
    parameter->pointer = slicc_take(parser, SLICC_TOKEN_STAR);
    parameter->reference = !parameter->pointer && slicc_take(parser, SLICC_TOKEN_AMPERSAND);
    if (!slicc_at(parser, SLICC_TOKEN_NAME))
        return parameter;
    parameter->name = slicc_expect_name(parser, "");
    return parameter->name != NULL && parse_default(parser, parameter) ? parameter : NULL;
}

bool slicc_parse_parameters(slicc_parser *parser, slicc_parameter **end) {
    bool more = true;
    while (more && !slicc_at(parser, SLICC_TOKEN_CLOSE_PARENTHESIS)) {
        *end = parse_parameter(parser);
        if (*end == NULL)
            return false;
        end = &(*end)->next;
        more = slicc_take(parser, SLICC_TOKEN_COMMA);
    }
    return slicc_expect(parser, SLICC_TOKEN_CLOSE_PARENTHESIS, "after the parameters");
}

/* ---- Transitions. */

/* "{A, B; C D}": each name may have a ',' or a ';' behind it. */
static bool parse_braced(slicc_parser *parser, const slicc_name **names, const char *what) {
    const slicc_level level = slicc_level_of(parser);
    const slicc_place place = parser->token.place;
    slicc_advance(parser);
    while (slicc_at(parser, SLICC_TOKEN_NAME)) {
        const slicc_name *name = slicc_expect_place_name(parser, what);
        if (name == NULL)
            return false;
        *names = name;
        names = (const slicc_name **)&((slicc_name *)name)->next;
        if (!slicc_take(parser, SLICC_TOKEN_COMMA))
            (void)slicc_take(parser, SLICC_TOKEN_SEMICOLON);
    }
    if (slicc_at(parser, SLICC_TOKEN_END) || slicc_begins_declaration(parser->token.kind))
        return slicc_expect_close(parser, place, level, "list", "");
    if (slicc_at(parser, SLICC_TOKEN_CLOSE_BRACE))
        return slicc_take(parser, SLICC_TOKEN_CLOSE_BRACE);
    char expected[64];
    (void)snprintf(expected, sizeof expected, "%s or '}'", what);
    return slicc_unexpected(parser, expected);
}

bool slicc_parse_set(slicc_parser *parser, const slicc_name **names, const char *what) {
    if (slicc_at(parser, SLICC_TOKEN_OPEN_BRACE))
        return parse_braced(parser, names, what);
    return (*names = slicc_expect_place_name(parser, what)) != NULL;
}

/* The next state; '*' says that a function of the machine finds it. */
static bool parse_next_state(slicc_parser *parser, slicc_declaration *transition) {
    if (!slicc_at(parser, SLICC_TOKEN_STAR))
        return (transition->next_state =
                    slicc_expect_place_name(parser, "the next state or '*'")) != NULL;
    slicc_name *star = slicc_make(parser, sizeof *star);
    const char *text = slicc_text_of(parser, &parser->token);
    if (star == NULL || text == NULL)
        return false;
    *star = (slicc_name){.text = text, .place = parser->token.place};
    transition->next_state = star;
    slicc_advance(parser);
    return true;
}

bool slicc_parse_transition(slicc_parser *parser, slicc_declaration *transition) {
    if (!slicc_parse_set(parser, &transition->states, "the name of a state") ||
        !slicc_expect(parser, SLICC_TOKEN_COMMA, "after the states") ||
        !slicc_parse_set(parser, &transition->events, "the name of an event"))
        return false;
    if (slicc_take(parser, SLICC_TOKEN_COMMA) && !parse_next_state(parser, transition))
        return false;
    if (!slicc_expect(parser, SLICC_TOKEN_CLOSE_PARENTHESIS,
                      transition->next_state == NULL ? "after the events" : "after the next state"))
        return false;
    if (!slicc_at(parser, SLICC_TOKEN_OPEN_BRACE) && !slicc_at(parser, SLICC_TOKEN_NAME))
        return slicc_expect(parser, SLICC_TOKEN_OPEN_BRACE, "to begin the actions");
    if (!slicc_parse_set(parser, &transition->actions, "the name of an action"))
        return false;
    if (!slicc_at(parser, SLICC_TOKEN_OPEN_BRACE))
        return true;
    transition->requests = transition->actions; /* there were two lists */
    transition->actions = NULL;
    return slicc_parse_set(parser, &transition->actions, "the name of an action");
}
