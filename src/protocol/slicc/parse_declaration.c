/* SPDX-License-Identifier: MIT */
/* The small lists of the language: pairs, sets of names, values, parameters, and transitions, which
 * are made of sets. */
#include "protocol/slicc/parser.h"

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

static slicc_value *parse_value(slicc_parser *parser, bool state) {
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

/* The parameters of a function, behind its '('. */
static bool parse_parameters(slicc_parser *parser, slicc_parameter **end) {
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

/* One name or a braced set of names. */
static bool parse_set(slicc_parser *parser, const slicc_name **names, const char *what) {
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

/* Behind the '('. */
static bool parse_transition(slicc_parser *parser, slicc_declaration *transition) {
    if (!parse_set(parser, &transition->states, "the name of a state") ||
        !slicc_expect(parser, SLICC_TOKEN_COMMA, "after the states") ||
        !parse_set(parser, &transition->events, "the name of an event"))
        return false;
    if (slicc_take(parser, SLICC_TOKEN_COMMA) && !parse_next_state(parser, transition))
        return false;
    if (!slicc_expect(parser, SLICC_TOKEN_CLOSE_PARENTHESIS,
                      transition->next_state == NULL ? "after the events" : "after the next state"))
        return false;
    if (!slicc_at(parser, SLICC_TOKEN_OPEN_BRACE) && !slicc_at(parser, SLICC_TOKEN_NAME))
        return slicc_expect(parser, SLICC_TOKEN_OPEN_BRACE, "to begin the actions");
    if (!parse_set(parser, &transition->actions, "the name of an action"))
        return false;
    if (!slicc_at(parser, SLICC_TOKEN_OPEN_BRACE))
        return true;
    transition->requests = transition->actions; /* there were two lists */
    transition->actions = NULL;
    return parse_set(parser, &transition->actions, "the name of an action");
}

/* Declarations. After a wrong one the list around it goes on with the next. */

/* "keyword ( name pairs )", the head of most declarations; `what` is "the name of an action". */
static bool parse_head(slicc_parser *parser, slicc_declaration *declaration, bool type,
                       const char *what) {
    if (!slicc_expect_opened(parser))
        return false;
    declaration->place = parser->token.place;
    declaration->name = slicc_expect_name(parser, what);
    if (type)
        declaration->name = slicc_qualify(parser, declaration->name);
    return declaration->name != NULL && slicc_parse_pairs(parser, &declaration->pairs) &&
           slicc_expect(parser, SLICC_TOKEN_CLOSE_PARENTHESIS, "after the pairs");
}

/* ---- Objects and functions. */

static bool parse_function(slicc_parser *parser, slicc_declaration *function) {
    function->kind = SLICC_FUNCTION;
    slicc_advance(parser);
    if (!parse_parameters(parser, &function->parameters) ||
        !slicc_parse_pairs(parser, &function->pairs))
        return false;
    if (!slicc_at(parser, SLICC_TOKEN_OPEN_BRACE))
        return slicc_expect(parser, SLICC_TOKEN_SEMICOLON, "or a body after the function");
    for (const slicc_parameter *parameter = function->parameters; parameter != NULL;
         parameter = parameter->next)
        if (parameter->name == NULL)
            slicc_complain(parser->report, parameter->place,
                           "a parameter of a function with a body needs a name");
    function->defined = true;
    return slicc_parse_block(parser, &function->body, "to begin the function");
}

/* "type name = 2," with a '{' behind the last: parameters of machines until 2014. */
static bool parse_older_parameter(slicc_parser *parser, slicc_declaration *object) {
    return (!slicc_take(parser, SLICC_TOKEN_IS) || slicc_parse_quoted(parser, &object->value)) &&
           (slicc_take(parser, SLICC_TOKEN_COMMA) || slicc_at(parser, SLICC_TOKEN_OPEN_BRACE) ||
            slicc_expect(parser, SLICC_TOKEN_COMMA, "after the parameter"));
}

static bool parse_object(slicc_parser *parser, slicc_declaration *object, bool *is_older) {
    object->kind = SLICC_OBJECT;
    const bool nothing = slicc_at(parser, SLICC_TOKEN_VOID);
    if (nothing) {
        object->type = slicc_text_of(parser, &parser->token);
        slicc_advance(parser);
    } else {
        object->type = slicc_expect_type(parser);
    }
    if (object->type == NULL)
        return false;
    object->pointer = !nothing && slicc_take(parser, SLICC_TOKEN_STAR);
    object->place = parser->token.place;
    object->name = slicc_expect_name(parser, "a name after the type");
    if (object->name == NULL)
        return false;
    if (slicc_at(parser, SLICC_TOKEN_OPEN_PARENTHESIS) && !object->pointer)
        return parse_function(parser, object);
    if (nothing)
        return slicc_expect(parser, SLICC_TOKEN_OPEN_PARENTHESIS, "after the name of a function");
    if (is_older != NULL && (slicc_at(parser, SLICC_TOKEN_IS) ||
                             (slicc_at(parser, SLICC_TOKEN_COMMA) && !slicc_before_pair(parser)) ||
                             (*is_older && slicc_at(parser, SLICC_TOKEN_OPEN_BRACE)))) {
        *is_older = true;
        return parse_older_parameter(parser, object);
    }
    if (slicc_take(parser, SLICC_TOKEN_ASSIGN) &&
        (object->value = slicc_parse_expression(parser)) == NULL)
        return false;
    return slicc_parse_pairs(parser, &object->pairs) &&
           slicc_expect(parser, SLICC_TOKEN_SEMICOLON, "after the declaration");
}

static slicc_declaration *make(slicc_parser *parser) {
    slicc_declaration *declaration = slicc_make(parser, sizeof *declaration);
    if (declaration != NULL)
        declaration->place = declaration->start = parser->token.place;
    return declaration;
}

/* Members of a structure or parameters of a machine, up to a brace. */
static void parse_objects(slicc_parser *parser, slicc_declaration **end, bool are_parameters) {
    bool is_older = false;
    while (!slicc_at(parser, SLICC_TOKEN_CLOSE_BRACE) &&
           !slicc_at(parser, SLICC_TOKEN_OPEN_BRACE) && !slicc_at(parser, SLICC_TOKEN_END)) {
        const slicc_level level = slicc_level_of(parser);
        if (slicc_begins_declaration(parser->token.kind) && !slicc_at(parser, SLICC_TOKEN_VOID))
            return;
        slicc_declaration *member = make(parser);
        if (member == NULL)
            return;
        if (parse_object(parser, member, are_parameters ? &is_older : NULL)) {
            member->end = parser->last_end;
            *end = member;
            end = &member->next;
        } else {
            slicc_recover(parser, level, false);
        }
    }
}

/* ---- Types. */

static bool parse_structure(slicc_parser *parser, slicc_declaration *structure) {
    structure->kind = SLICC_STRUCTURE;
    if (!parse_head(parser, structure, true, "the name of a type"))
        return false;
    if (structure->external)
        return slicc_expect(parser, SLICC_TOKEN_SEMICOLON, "after an external type");
    const slicc_level level = slicc_level_of(parser);
    if (!slicc_expect(parser, SLICC_TOKEN_OPEN_BRACE, "to begin the members"))
        return false;
    parse_objects(parser, &structure->members, false);
    (void)slicc_expect_close(parser, structure->place, level, "structure", structure->name);
    return true;
}

static void parse_values(slicc_parser *parser, slicc_value **end, bool states) {
    while (!slicc_at(parser, SLICC_TOKEN_CLOSE_BRACE) && !slicc_at(parser, SLICC_TOKEN_END) &&
           !slicc_begins_declaration(parser->token.kind)) {
        const slicc_level level = slicc_level_of(parser);
        slicc_value *value = parse_value(parser, states);
        if (value == NULL) {
            slicc_recover(parser, level, false);
            continue;
        }
        *end = value;
        end = &value->next;
    }
}

static bool parse_enumeration(slicc_parser *parser, slicc_declaration *enumeration, bool states) {
    enumeration->kind = states ? SLICC_STATES : SLICC_ENUMERATION;
    if (!parse_head(parser, enumeration, true, "the name of a type"))
        return false;
    const slicc_level level = slicc_level_of(parser);
    if (!slicc_expect(parser, SLICC_TOKEN_OPEN_BRACE,
                      states ? "to begin the states" : "to begin the values"))
        return false;
    parse_values(parser, &enumeration->values, states);
    (void)slicc_expect_close(parser, enumeration->place, level,
                             states ? "state_declaration" : "enumeration", enumeration->name);
    return true;
}

/* ---- Ports and actions. */

static bool parse_port(slicc_parser *parser, slicc_declaration *port, slicc_declaration_kind kind) {
    port->kind = kind;
    if (!slicc_expect_opened(parser))
        return false;
    port->place = parser->token.place;
    if ((port->name = slicc_expect_name(parser, "the name of a port")) == NULL ||
        !slicc_expect(parser, SLICC_TOKEN_COMMA, "after the name of the port") ||
        (port->type = slicc_expect_type(parser)) == NULL ||
        !slicc_expect(parser, SLICC_TOKEN_COMMA, "after the type of the messages") ||
        (port->buffer = slicc_expect_place_name(parser, "the name of a buffer")) == NULL ||
        !slicc_parse_pairs(parser, &port->pairs) ||
        !slicc_expect(parser, SLICC_TOKEN_CLOSE_PARENTHESIS, "after the buffer"))
        return false;
    return kind == SLICC_IN_PORT
               ? slicc_parse_block(parser, &port->body, "to begin the body of the in_port")
               : slicc_expect(parser, SLICC_TOKEN_SEMICOLON, "after the out_port");
}

static bool parse_action(slicc_parser *parser, slicc_declaration *action) {
    action->kind = SLICC_ACTION;
    return parse_head(parser, action, false, "the name of an action") &&
           slicc_parse_block(parser, &action->body, "to begin the body of the action");
}

/* ---- Machines. */

/* "MachineType:name"; older protocols have "name" or "{name, other names it goes by}". */
static bool parse_machine_name(slicc_parser *parser, slicc_declaration *machine) {
    if (slicc_at_name(parser, "MachineType")) {
        slicc_advance(parser);
        if (!slicc_expect(parser, SLICC_TOKEN_COLON, "after 'MachineType'"))
            return false;
    }
    const slicc_name *names = NULL;
    if (!parse_set(parser, &names, "a machine's name such as MachineType:L1Cache") || names == NULL)
        return false;
    machine->place = names->place;
    machine->name = names->text;
    return true;
}

/* "( MachineType:name pairs ) : parameters" */
static bool parse_machine_head(slicc_parser *parser, slicc_declaration *machine) {
    if (!slicc_expect_opened(parser))
        return false;
    if (!parse_machine_name(parser, machine) || !slicc_parse_pairs(parser, &machine->pairs) ||
        !slicc_expect(parser, SLICC_TOKEN_CLOSE_PARENTHESIS, "after the pairs") ||
        !slicc_expect(parser, SLICC_TOKEN_COLON, "and the parameters after the machine's name"))
        return false;
    parse_objects(parser, &machine->arguments, true);
    return true;
}

/* What is wrong with the head must not hide the body. */
static bool skip_to_body(slicc_parser *parser, slicc_level level) {
    while (!slicc_at(parser, SLICC_TOKEN_OPEN_BRACE) && !slicc_at(parser, SLICC_TOKEN_END) &&
           !slicc_at(parser, SLICC_TOKEN_CLOSE_BRACE) &&
           !slicc_begins_declaration(parser->token.kind))
        slicc_advance(parser);
    parser->parentheses = level.parentheses;
    return slicc_at(parser, SLICC_TOKEN_OPEN_BRACE);
}

static bool parse_machine(slicc_parser *parser, slicc_declaration *machine) {
    const slicc_level level = slicc_level_of(parser);
    machine->kind = SLICC_MACHINE;
    if (parser->machine != NULL)
        slicc_complain(parser->report, machine->place, "a machine cannot be inside a machine");
    if (!parse_machine_head(parser, machine) && !skip_to_body(parser, level))
        return false;
    if (!slicc_expect(parser, SLICC_TOKEN_OPEN_BRACE, "to begin the machine"))
        return false;
    const slicc_declaration *around = parser->machine;
    parser->machine = machine;
    (void)slicc_parse_declarations(parser, &machine->members);
    parser->machine = around;
    slicc_add_unsaid(parser, machine);
    (void)slicc_expect_close(parser, machine->place, level, "machine",
                             machine->name == NULL ? "" : machine->name);
    return true;
}

/* ---- The list. */

static bool parse_protocol(slicc_parser *parser) {
    const slicc_place place = parser->token.place;
    slicc_advance(parser);
    const char *name = slicc_expect_string(parser, "the protocol's name in quotes");
    if (name == NULL)
        return false;
    if (parser->tree->protocol != NULL)
        slicc_complain(parser->report, place, "the protocol was named before: '%.40s'",
                       parser->tree->protocol);
    else
        parser->tree->protocol = name;
    return slicc_expect(parser, SLICC_TOKEN_SEMICOLON, "after the protocol's name");
}

static bool parse_include(slicc_parser *parser, slicc_declaration ***end) {
    slicc_advance(parser);
    const slicc_place place = parser->token.place;
    const char *name = slicc_expect_string(parser, "a file's name in quotes");
    if (name == NULL || !slicc_expect(parser, SLICC_TOKEN_SEMICOLON, "after the file's name"))
        return false;
    *end = slicc_include(parser, *end, name, place);
    return true;
}

static bool parse_declaration(slicc_parser *parser, slicc_declaration *declaration) {
    const slicc_token_kind kind = parser->token.kind;
    switch (kind) {
    case SLICC_TOKEN_MACHINE:
        return parse_machine(parser, declaration);
    case SLICC_TOKEN_IN_PORT:
        return parse_port(parser, declaration, SLICC_IN_PORT);
    case SLICC_TOKEN_OUT_PORT:
        return parse_port(parser, declaration, SLICC_OUT_PORT);
    case SLICC_TOKEN_ACTION:
        return parse_action(parser, declaration);
    case SLICC_TOKEN_TRANSITION:
        declaration->kind = SLICC_TRANSITION;
        return slicc_expect_opened(parser) && parse_transition(parser, declaration);
    case SLICC_TOKEN_ENUMERATION:
    case SLICC_TOKEN_STATE_DECLARATION:
        return parse_enumeration(parser, declaration, kind == SLICC_TOKEN_STATE_DECLARATION);
    case SLICC_TOKEN_STRUCTURE:
    case SLICC_TOKEN_GLOBAL:
    case SLICC_TOKEN_EXTERNAL_TYPE:
        declaration->is_global = kind == SLICC_TOKEN_GLOBAL;
        declaration->external = kind == SLICC_TOKEN_EXTERNAL_TYPE;
        return parse_structure(parser, declaration);
    default:
        return parse_object(parser, declaration, NULL);
    }
}

/* Takes one declaration, if there is one, into the list; false if it is wrong. */
static bool parse_item(slicc_parser *parser, slicc_declaration ***end) {
    if (slicc_at(parser, SLICC_TOKEN_PROTOCOL))
        return parse_protocol(parser);
    if (slicc_at(parser, SLICC_TOKEN_INCLUDE))
        return parse_include(parser, end);
    if (!slicc_at(parser, SLICC_TOKEN_NAME) && !slicc_begins_declaration(parser->token.kind))
        return slicc_unexpected(parser, "a declaration");
    slicc_declaration *declaration = make(parser);
    if (declaration == NULL || !parse_declaration(parser, declaration))
        return false;
    declaration->end = parser->last_end;
    **end = declaration;
    *end = &declaration->next;
    return true;
}

/* In a machine of this text a '}' or another machine ends the list; elsewhere nothing does. */
slicc_declaration **slicc_parse_declarations(slicc_parser *parser, slicc_declaration **end) {
    const bool inside = parser->braces > 0;
    while (!slicc_at(parser, SLICC_TOKEN_END)) {
        if (inside &&
            (slicc_at(parser, SLICC_TOKEN_CLOSE_BRACE) || slicc_at(parser, SLICC_TOKEN_MACHINE)))
            break;
        const slicc_level level = slicc_level_of(parser);
        if (slicc_at(parser, SLICC_TOKEN_CLOSE_BRACE)) {
            (void)slicc_unexpected(parser, "a declaration");
            slicc_advance(parser);
        } else if (!parse_item(parser, &end)) {
            slicc_recover(parser, level, false);
        }
    }
    return end;
}
