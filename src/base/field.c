/* SPDX-License-Identifier: MIT */
/* Fields of all that users can set: see field.h. */
#include "base/field.h"

#include "base/names.h"
#include "base/number.h"

#include <assert.h>
#include <string.h>

const char *const base_no_yes[] = {"no", "yes", NULL};
const char *const base_false_true[] = {"false", "true", NULL};

/* ---- Values. */

typedef struct value {
    uint64_t number;
    double real;
    uint32_t range[2];
    bool is_file;
} value;

static const char *const *words_of(const base_field *field) {
    return field->kind == BASE_FLAG && field->words == NULL ? base_no_yes : field->words;
}

static bool parse_range(const char *text, uint64_t most, uint32_t range[2]) {
    char first[64];
    uint64_t least = 0, greatest = 0;
    const char *colon = strchr(text, ':');
    const size_t length = colon == NULL ? strlen(text) : (size_t)(colon - text);
    if (length >= sizeof first)
        return false;
    memcpy(first, text, length);
    first[length] = '\0';
    if (!base_number_parse(first, &least) ||
        !base_number_parse(colon == NULL ? first : colon + 1, &greatest) || least == 0 ||
        least > greatest || greatest > most)
        return false;
    range[0] = (uint32_t)least;
    range[1] = (uint32_t)greatest;
    return true;
}

static bool parse_real(const char *text, double *real) {
    const bool is_negative = text[0] == '-';
    const char *end = base_decimal_parse(text + is_negative, real);
    if (is_negative)
        *real = -*real;
    return end != NULL && *end == '\0';
}

/* Whether it is of the kind; its range is looked at later. */
static bool parse(const base_field *field, const char *text, value *v) {
    uint32_t place = 0;
    switch (field->kind) {
    case BASE_NUMBER:
    case BASE_POWER:
        return base_number_parse(text, &v->number);
    case BASE_REAL:
    case BASE_FRACTION:
        return parse_real(text, &v->real);
    case BASE_SECONDS:
    case BASE_DELAY:
        return base_duration_parse(text, &v->real);
    case BASE_RANGE:
        return parse_range(text, field->most, v->range);
    case BASE_STRING:
        if (field->words == NULL)
            return true; /* fall through */
    case BASE_FLAG:
    case BASE_WORD:
    case BASE_NAME:
        v->is_file = field->is_file != NULL && field->is_file(text);
        if (!v->is_file && !base_choice_find(words_of(field), text, strlen(text), &place))
            return false;
        v->number = place;
        return true;
    default:
        return true;
    }
}

static bool is_within(const base_field *field, const char *text, const value *v) {
    switch (field->kind) {
    case BASE_POWER:
        if ((v->number & (v->number - 1)) != 0)
            return false; /* fall through */
    case BASE_NUMBER:
        return v->number >= field->least && v->number <= field->most;
    case BASE_REAL:
        return v->real >= field->low && v->real <= field->high;
    case BASE_FRACTION:
        return v->real > 0 && v->real <= 1;
    case BASE_SECONDS:
        return v->real > 0 && v->real <= field->high;
    case BASE_DELAY:
        return v->real <= field->high;
    case BASE_STRING:
        return strlen(text) < field->size;
    default:
        return true;
    }
}

static void put_number(const base_field *field, void *member, uint64_t number) {
    if (field->size == sizeof(bool))
        *(bool *)member = number != 0;
    else if (field->size == sizeof(uint32_t))
        *(uint32_t *)member = (uint32_t)number;
    else if (field->size == sizeof(uint64_t))
        *(uint64_t *)member = number;
    else if (field->size == sizeof(base_said)) { /* its place is set by who knows it */
        ((base_said *)member)->said = true;
        ((base_said *)member)->value = number;
    }
}

static void put(const base_field *field, const char *text, const value *v, void *target) {
    void *member = (char *)target + field->offset;
    switch (field->kind) {
    case BASE_TEXT:
        *(const char **)member = text;
        return;
    case BASE_STRING:
        memcpy(member, text, strlen(text) + 1);
        return;
    case BASE_REAL:
    case BASE_FRACTION:
    case BASE_SECONDS:
    case BASE_DELAY:
        *(double *)member = v->real;
        return;
    case BASE_RANGE:
        memcpy(member, v->range, sizeof v->range);
        return;
    case BASE_NAME:
        *(const char **)member = v->is_file ? text : field->words[v->number];
        return;
    case BASE_WORD:
        if (field->file != 0)
            *(const char **)((char *)target + field->file) = v->is_file ? text : NULL;
        put_number(field, member, v->is_file ? UINT64_MAX : v->number);
        return;
    case BASE_POWER:
        put_number(field, member, v->number == 0 ? 0 : base_lowest_bit(v->number));
        return;
    default:
        put_number(field, member, v->number);
    }
}

col_status base_field_read(const base_field *field, const char *text, const char *prefix,
                           void *target, col_problem *problem) {
    value v = {0};
    if (words_of(field) != NULL && !parse(field, text, &v)) {
        uint32_t place;
        return base_choice_read(prefix, field->name, words_of(field), text, &place, problem);
    }
    if (!parse(field, text, &v) || !is_within(field, text, &v))
        return base_field_refuse(field, text, prefix, problem);
    if (target == NULL)
        return COL_OK;
    put(field, text, &v, target);
    if (field->is_said > 0)
        *(bool *)((char *)target + field->is_said) = true;
    return COL_OK;
}

col_status base_field_refuse(const base_field *field, const char *shown, const char *prefix,
                             col_problem *problem) {
    const unsigned long long least = field->least, most = field->most;
    base_text what = {0};
    switch (field->kind) {
    case BASE_NUMBER:
    case BASE_POWER:
        base_text_print(&what, "a %s from %llu to %llu",
                        field->kind == BASE_NUMBER ? "number" : "power of two", least, most);
        break;
    case BASE_REAL:
        base_text_print(&what, "a number from %.15g to %.15g", field->low, field->high);
        break;
    case BASE_FRACTION:
        base_text_add(&what, "a number such as 0.9");
        break;
    case BASE_SECONDS:
    case BASE_DELAY:
        base_text_add(&what, BASE_DURATION_FORMS);
        break;
    case BASE_RANGE:
        base_text_print(&what, "a number up to %llu or a range such as 4:128", most);
        break;
    case BASE_FLAG:
    case BASE_WORD:
    case BASE_NAME:
        base_choice_list(words_of(field), &what);
        break;
    case BASE_STRING:
        return base_refuse(problem, "%s%s is a text of 1 to %zu bytes", prefix, field->name,
                           field->size - 1);
    default:
        return base_refuse(problem, "%s%s is a text", prefix, field->name);
    }
    col_status status = base_text_status(&what, problem);
    if (status == COL_OK)
        status =
            base_refuse(problem, "%s%s is %s, not '%.60s'", prefix, field->name, what.data, shown);
    base_text_free(&what);
    return status;
}

/* ---- One spelling. */

static void spell_real(double number, base_text *spelling) {
    char digits[40];
    for (int precision = 15; precision <= 17; precision++) {
        double again = 0;
        (void)snprintf(digits, sizeof digits, "%.*g", precision, number);
        if (base_decimal_parse(digits, &again) != NULL && again == number)
            break;
    }
    base_text_add(spelling, digits);
}

void base_field_spell(const base_field *field, const char *text, base_text *spelling) {
    value v = {0};
    (void)parse(field, text, &v);
    switch (field->kind) {
    case BASE_NUMBER:
        base_text_number(spelling, v.number);
        return;
    case BASE_RANGE:
        base_text_number(spelling, v.range[0]);
        if (v.range[1] > v.range[0])
            base_text_print(spelling, ":%u", v.range[1]);
        return;
    case BASE_SECONDS:
    case BASE_FRACTION:
        spell_real(v.real, spelling);
        if (field->kind == BASE_SECONDS)
            base_text_add(spelling, "s");
        return;
    default:
        base_text_add(spelling, text);
    }
}

void base_field_help(const base_field *field, base_text *help) {
    const char *words = strstr(field->help, "%s");
    if (words == NULL) {
        base_text_add(help, field->help);
    } else {
        base_text_add_bytes(help, field->help, (size_t)(words - field->help));
        base_choice_list(field->words, help);
        base_text_add(help, words + 2);
    }
    if (field->initial != NULL)
        base_text_print(help, " [%s]", field->initial);
}

/* ---- Tables. */

void base_fields_default(const base_field *fields, void *target) {
    for (const base_field *field = fields; field->name != NULL; field++) {
        value v = {0};
        if (field->initial == NULL)
            continue;
        const bool is_of_kind = parse(field, field->initial, &v);
        assert(is_of_kind);
        (void)is_of_kind;
        put(field, field->initial, &v, target);
    }
}

const base_field *base_field_find(const base_field *fields, const char *name) {
    for (const base_field *field = fields; field->name != NULL; field++)
        if (strcmp(field->name, name) == 0)
            return field;
    return NULL;
}

col_status base_fields_refuse(const base_field *fields, const char *what, const char *noun,
                              const char *name, col_problem *problem) {
    base_nearest nearest = {.text = name};
    base_text list = {0};
    for (const base_field *field = fields; field->name != NULL; field++) {
        base_nearest_try(&nearest, field->name);
        base_text_print(&list, "%s%s", field == fields ? "" : ", ", field->name);
    }
    col_status status = base_text_status(&list, problem);
    if (status == COL_OK && nearest.word != NULL)
        status = base_refuse(problem, "%s has no %s '%.60s'; did you mean '%s'?", what, noun, name,
                             nearest.word);
    else if (status == COL_OK)
        status = base_refuse(problem, "%s has no %s '%.60s'; it has %s", what, noun, name,
                             list.data == NULL ? "none" : list.data);
    base_text_free(&list);
    return status;
}

col_status base_pairs_read(const char *text, const char *what, base_pair_reader take, void *context,
                           col_problem *problem) {
    for (const char *at = text; at != NULL && *at != '\0';) {
        char pair[BASE_MOST_PAIR];
        const size_t length = strcspn(at, ",");
        if (length >= sizeof pair)
            return base_refuse(problem, "%s is shorter than '%.60s...'", what, at);
        memcpy(pair, at, length);
        pair[length] = '\0';
        char *equals = strchr(pair, '=');
        if (equals == NULL || equals == pair)
            return base_refuse(problem, "%s is written key=value, not '%.100s'", what, pair);
        *equals = '\0';
        BASE_TRY(take(context, pair, equals + 1, problem));
        at += length + (at[length] == ',');
    }
    return COL_OK;
}
