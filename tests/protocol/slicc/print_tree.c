/* SPDX-License-Identifier: MIT */
/*
 * S-expressions: one declaration or statement a line, indented by two for each level. Everything
 * that a node holds is printed, so that a field that was forgotten is seen.
 */
#include "protocol/slicc/slicc_helpers.h"

#include <inttypes.h>

static void print_pairs(base_text *text, const slicc_pair *pair) {
    for (; pair != NULL; pair = pair->next)
        base_text_print(text, " %s=\"%s\"", pair->key, pair->value);
}

static void print_names(base_text *text, const char *label, const slicc_name *name) {
    base_text_print(text, " (%s", label);
    for (; name != NULL; name = name->next)
        base_text_print(text, " %s", name->text);
    base_text_add(text, ")");
}

/* ---- Expressions. */

static void print_expression(base_text *text, const slicc_expression *expression);

static void print_arguments(base_text *text, const slicc_expression *argument) {
    for (; argument != NULL; argument = argument->next) {
        base_text_add(text, " ");
        print_expression(text, argument);
    }
    base_text_add(text, ")");
}

static void print_literal(base_text *text, const slicc_expression *expression) {
    if (expression->kind == SLICC_NUMBER)
        base_text_print(text, "%" PRIu64, expression->number);
    else if (expression->kind == SLICC_BOOLEAN)
        base_text_add(text, expression->number != 0 ? "#true" : "#false");
    else if (expression->kind == SLICC_STRING)
        base_text_print(text, "\"%s\"", expression->text);
    else if (expression->kind == SLICC_ENUMERATOR)
        base_text_print(text, "%s:%s", expression->type, expression->text);
    else
        base_text_add(text, expression->kind == SLICC_NULL ? "OOD" : expression->text);
}

/* "(head type left text right arguments)", with what there is of these. */
static void print_expression(base_text *text, const slicc_expression *x) {
    static const char *const heads[] = {
        [SLICC_LOCAL] = "local",
        [SLICC_NEW] = "new",
        [SLICC_CALL] = "call",
        [SLICC_CLASS_CALL] = "class-call",
        [SLICC_METHOD] = "method",
        [SLICC_LOOKUP] = "lookup",
        [SLICC_MEMBER] = "member",
        [SLICC_IS_VALID] = "is_valid",
        [SLICC_IS_INVALID] = "is_invalid",
        [SLICC_STATIC_CAST] = "cast",
    };
    const bool is_operator = x->kind == SLICC_BINARY || x->kind == SLICC_UNARY;
    const char *head = is_operator ? x->text : heads[x->kind];
    if (head == NULL) {
        print_literal(text, x);
        return;
    }
    base_text_print(text, "(%s", head);
    if (x->type != NULL)
        base_text_print(text, " %s", x->type);
    if (x->kind == SLICC_STATIC_CAST)
        base_text_print(text, " %s", x->text == NULL ? "-" : x->text);
    if (x->left != NULL) {
        base_text_add(text, " ");
        print_expression(text, x->left);
    }
    if (!is_operator && x->kind != SLICC_STATIC_CAST && x->text != NULL)
        base_text_print(text, " %s", x->text);
    print_arguments(text, x->kind == SLICC_BINARY ? x->right : x->arguments);
}

static void print_part(base_text *text, const char *label, const slicc_expression *expression) {
    if (expression == NULL)
        return;
    base_text_print(text, " (%s ", label);
    print_expression(text, expression);
    base_text_add(text, ")");
}

/* ---- Statements. */

static void print_line_start(base_text *text, int indent) {
    base_text_print(text, "\n%*s", indent, "");
}

static void print_statements(base_text *text, const slicc_statement *statement, int indent) {
    static const char *const names[] = {
        [SLICC_EXPRESSION] = "do",
        [SLICC_ASSIGN] = ":=",
        [SLICC_IF] = "if",
        [SLICC_RETURN] = "return",
        [SLICC_PEEK] = "peek",
        [SLICC_ENQUEUE] = "enqueue",
        [SLICC_DEFER_ENQUEUEING] = "defer",
        [SLICC_STALL_AND_WAIT] = "stall-and-wait",
        [SLICC_WAKEUP_PORT] = "wakeup-port",
        [SLICC_CHECK_ALLOCATE] = "check-allocate",
        [SLICC_CHECK_NEXT_CYCLE] = "check-next-cycle",
        [SLICC_CHECK_STOP_SLOTS] = "check-stop-slots",
        [SLICC_CHECK_PROBE] = "check-probe",
    };
    for (; statement != NULL; statement = statement->next) {
        print_line_start(text, indent);
        base_text_print(text, "(%s", names[statement->kind]);
        if (statement->port != NULL)
            base_text_print(text, " %s", statement->port->text);
        if (statement->type != NULL)
            base_text_print(text, " %s", statement->type);
        print_pairs(text, statement->pairs);
        print_part(text, "target", statement->target);
        print_part(text, "value", statement->value);
        print_part(text, "latency", statement->latency);
        print_part(text, "bypass", statement->bypass);
        print_statements(text, statement->body, indent + 2);
        if (statement->otherwise != NULL) {
            print_line_start(text, indent + 1);
            base_text_add(text, "else");
            print_statements(text, statement->otherwise, indent + 2);
        }
        base_text_add(text, ")");
    }
}

/* ---- Declarations. */

static void print_parameters(base_text *text, const slicc_parameter *parameter) {
    for (; parameter != NULL; parameter = parameter->next) {
        base_text_print(text, " (%s%s%s%s", parameter->constant ? "const " : "", parameter->type,
                        parameter->pointer ? " *" : "", parameter->reference ? " &" : "");
        if (parameter->name != NULL)
            base_text_print(text, " %s", parameter->name);
        if (parameter->initial != NULL)
            base_text_print(text, " := %s", parameter->initial);
        base_text_add(text, ")");
    }
}

static void print_values(base_text *text, const slicc_value *value, int indent) {
    for (; value != NULL; value = value->next) {
        print_line_start(text, indent);
        base_text_print(text, "(%s", value->name);
        if (value->permission != NULL)
            base_text_print(text, " %s", value->permission);
        print_pairs(text, value->pairs);
        base_text_add(text, ")");
    }
}

static void print_transition(base_text *text, const slicc_declaration *transition) {
    print_names(text, "states", transition->states);
    print_names(text, "events", transition->events);
    if (transition->next_state != NULL)
        print_names(text, "next", transition->next_state);
    if (transition->requests != NULL)
        print_names(text, "requests", transition->requests);
    print_names(text, "actions", transition->actions);
}

static void print_declarations(base_text *text, const slicc_declaration *declaration, int indent) {
    static const char *const names[] = {
        [SLICC_MACHINE] = "machine",         [SLICC_STRUCTURE] = "structure",
        [SLICC_ENUMERATION] = "enumeration", [SLICC_STATES] = "states",
        [SLICC_OBJECT] = "object",           [SLICC_FUNCTION] = "function",
        [SLICC_IN_PORT] = "in-port",         [SLICC_OUT_PORT] = "out-port",
        [SLICC_ACTION] = "action",           [SLICC_TRANSITION] = "transition",
    };
    for (; declaration != NULL; declaration = declaration->next) {
        print_line_start(text, indent);
        base_text_print(
            text, "(%s%s%s%s", names[declaration->kind], declaration->external ? " external" : "",
            declaration->is_global ? " global" : "", declaration->defined ? " defined" : "");
        if (declaration->type != NULL)
            base_text_print(text, " %s%s", declaration->type, declaration->pointer ? " *" : "");
        if (declaration->name != NULL)
            base_text_print(text, " %s", declaration->name);
        if (declaration->buffer != NULL)
            base_text_print(text, " %s", declaration->buffer->text);
        print_parameters(text, declaration->parameters);
        print_pairs(text, declaration->pairs);
        print_part(text, "value", declaration->value);
        if (declaration->kind == SLICC_TRANSITION)
            print_transition(text, declaration);
        print_declarations(text, declaration->arguments, indent + 4);
        print_values(text, declaration->values, indent + 2);
        print_statements(text, declaration->body, indent + 2);
        print_declarations(text, declaration->members, indent + 2);
        base_text_add(text, ")");
    }
}

void print_tree(const slicc_tree *tree, base_text *text) {
    base_text_print(text, "(protocol %s)", tree->protocol == NULL ? "-" : tree->protocol);
    print_declarations(text, tree->declarations, 0);
    base_text_add(text, "\n");
}
