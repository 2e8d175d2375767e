/* SPDX-License-Identifier: MIT */
/* The parameters of engines: see parameters.h. */
#include "direct/parameters.h"

#include "base/choice.h"
#include "base/number.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static void *member_of(const dir_parameter *p, void *parameters) {
    return (char *)parameters + p->offset;
}

static void set_number(const dir_parameter *p, void *parameters, double number) {
    if (p->kind == DIR_REAL)
        memcpy(member_of(p, parameters), &number, sizeof number);
    else
        memcpy(member_of(p, parameters), &(uint64_t){(uint64_t)number}, sizeof(uint64_t));
}

static bool is_key(const dir_parameter *p, const char *key, size_t length) {
    if (strlen(p->name) != length)
        return false;
    for (size_t i = 0; i < length; i++)
        if (key[i] != (p->name[i] == '_' ? '-' : p->name[i]))
            return false;
    return true;
}

enum { MOST_KEY = 40 };

static const char *key_of(const dir_parameter *p, char key[MOST_KEY]) {
    (void)snprintf(key, MOST_KEY, "%s", p->name);
    for (char *c = key; *c != '\0'; c++)
        if (*c == '_')
            *c = '-';
    return key;
}

static void list_names(const dir_parameter *table, base_text *list) {
    char key[MOST_KEY];
    for (const dir_parameter *p = table; p->name != NULL; p++)
        base_text_print(list, "%s%s", p == table ? "" : ", ", key_of(p, key));
}

static col_status refuse_key(const dir_parameter *table, const char *engine, const char *key,
                             col_problem *problem) {
    base_text list = {0};
    list_names(table, &list);
    col_status status = base_text_status(&list, problem);
    if (status == COL_OK)
        status = base_refuse(problem, "the engine %.40s has no parameter '%.60s'; it has: %.400s",
                             engine, key, list.data == NULL ? "none" : list.data);
    base_text_free(&list);
    return status;
}

static col_status read_word(const dir_parameter *p, const char *value, void *parameters,
                            col_problem *problem) {
    char key[MOST_KEY];
    uint32_t choice = 0;
    const col_status status =
        base_choice_read("the parameter ", key_of(p, key), p->words, value, &choice, problem);
    if (status == COL_OK)
        set_number(p, parameters, choice);
    return status;
}

static bool is_real(const char *value, double *number) {
    const bool is_negative = value[0] == '-';
    const char *end = base_decimal_parse(value + is_negative, number);
    if (is_negative)
        *number = -*number;
    return end != NULL && *end == '\0';
}

static col_status read_number(const dir_parameter *p, const char *value, void *parameters,
                              col_problem *problem) {
    double number = 0;
    uint64_t whole = 0;
    char key[MOST_KEY];
    const bool is_number =
        p->kind == DIR_WHOLE ? base_number_parse(value, &whole) : is_real(value, &number);
    if (p->kind == DIR_WHOLE)
        number = (double)whole;
    if (!is_number || !(number >= p->least && number <= p->most)) /* nor what is no number */
        return base_refuse(problem, "the parameter %s is a number from %.15g to %.15g, not '%.60s'",
                           key_of(p, key), p->least, p->most, value);
    set_number(p, parameters, number);
    return COL_OK;
}

static col_status read_one(const dir_parameter *table, const char *engine, const char *option,
                           void *parameters, col_problem *problem) {
    const char *equals = strchr(option, '=');
    const size_t length = equals == NULL ? strlen(option) : (size_t)(equals - option);
    const dir_parameter *p = table;
    while (p->name != NULL && !is_key(p, option, length))
        p++;
    if (equals == NULL)
        return base_refuse(problem, "a parameter of an engine is written key=value, not '%.60s'",
                           option);
    if (p->name == NULL) {
        char key[64];
        (void)snprintf(key, sizeof key, "%.*s", (int)(length < 60 ? length : 60), option);
        return refuse_key(table, engine, key, problem);
    }
    if (p->kind == DIR_WORD)
        return read_word(p, equals + 1, parameters, problem);
    if (p->kind != DIR_TEXT)
        return read_number(p, equals + 1, parameters, problem);
    (void)snprintf(member_of(p, parameters), DIR_MOST_TEXT, "%s", equals + 1);
    return COL_OK;
}

col_status dir_parameters_read(const dir_parameter *table, const char *engine, const char *options,
                               void *parameters, col_problem *problem) {
    for (const dir_parameter *p = table; p->name != NULL; p++) {
        if (p->kind == DIR_TEXT)
            *(char *)member_of(p, parameters) = '\0';
        else
            set_number(p, parameters, p->initial);
    }
    for (const char *at = options; at != NULL && *at != '\0';) {
        char option[DIR_MOST_TEXT];
        const size_t length = strcspn(at, ",");
        if (length >= sizeof option)
            return base_refuse(problem, "the parameter '%.60s...' of the engine is too long", at);
        memcpy(option, at, length);
        option[length] = '\0';
        const col_status status = read_one(table, engine, option, parameters, problem);
        if (status != COL_OK)
            return status;
        at += length + (at[length] == ',');
    }
    return COL_OK;
}
