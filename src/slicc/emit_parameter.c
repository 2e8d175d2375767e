/* SPDX-License-Identifier: MIT */
/*
 * What a machine's parameters may be, as pairs of their declarations: docs/slicc.md. gem5's
 * protocols leave this to its scripts, so the parameters that these set are known by name.
 */
#include "slicc/emit.h"

#include <stdlib.h>
#include <string.h>

typedef struct known_pair {
    const char *parameter, *key, *value;
} known_pair;

static const known_pair known_pairs[] = {
    {"l2_select_num_bits", "bits_of", "L2Cache"},
    {"N_tokens", "above", "cores"},
    {"send_evictions", "initially", "1"},
};

/* What the declaration says, or what is known of a parameter that says nothing. */
static const char *value_of(const slicc_declaration *d, const char *key) {
    const slicc_pair *said = slicc_pair_find(d->pairs, key);
    if (said != NULL)
        return said->value;
    for (size_t i = 0; i < sizeof known_pairs / sizeof known_pairs[0]; i++)
        if (slicc_same(known_pairs[i].parameter, d->name) && slicc_same(known_pairs[i].key, key))
            return known_pairs[i].value;
    return NULL;
}

static slicc_place place_of(const slicc_declaration *d, const char *key) {
    const slicc_pair *said = slicc_pair_find(d->pairs, key);
    return said != NULL ? said->place : d->place;
}

/* ---- Numbers. */

static bool parse_number(const char *text, int64_t *number) {
    const char *digits = text + (text[0] == '-');
    const size_t length = strspn(digits, "0123456789");
    if (length == 0 || length > 18 || digits[length] != '\0')
        return false;
    *number = strtoll(text, NULL, 10);
    return true;
}

static void emit_number(emitter *e, const slicc_declaration *d, const char *key) {
    const char *text = value_of(d, key);
    int64_t number = 0;
    if (text == NULL)
        return;
    if (!parse_number(text, &number))
        slicc_complain(e->report, place_of(d, key), "%s is a number, not '%.40s'", key, text);
    else if (d->value != NULL && d->value->kind == SLICC_NUMBER && d->value->number <= INT64_MAX &&
             ((strcmp(key, "least") == 0 && (int64_t)d->value->number < number) ||
              (strcmp(key, "most") == 0 && (int64_t)d->value->number > number)))
        slicc_complain(e->report, d->value->place, "the default of '%s' is not within its bounds",
                       d->name);
    else
        base_text_print(e->out, ", .has_%s = 1, .%s = %lld", key, key, (long long)number);
}

/* Of a parameter without a default. */
static void emit_initially(emitter *e, const slicc_declaration *d) {
    int64_t number = 0;
    const char *text = value_of(d, "initially");
    if (text != NULL && parse_number(text, &number))
        base_text_print(e->out, ", .has_initial = 1, .initial = %lld", (long long)number);
}

/* ---- Words. */

/* A pair with one value: above="cores", same="yes". */
static void emit_word(emitter *e, const slicc_declaration *d, const char *key, const char *only,
                      const char *field) {
    const char *text = value_of(d, key);
    if (text == NULL)
        return;
    if (strcmp(text, only) != 0)
        slicc_complain(e->report, place_of(d, key), "%s is %s, not '%.40s'", key, only, text);
    base_text_print(e->out, ", .%s = 1", field);
}

static void emit_bits(emitter *e, const slicc_declaration *d) {
    const char *machine = value_of(d, "bits_of");
    if (machine == NULL)
        return;
    if (slicc_pair_find(d->pairs, "bits_of") != NULL &&
        slicc_member_find(e->tree->declarations, SLICC_MACHINE, machine) == NULL)
        slicc_complain(e->report, place_of(d, "bits_of"), "there is no machine '%.40s'", machine);
    base_text_add(e->out, ", .bits_of = ");
    slicc_c_string(machine, e->out);
}

/* ring="length" or ring="length group": other parameters of the machine. */
static void emit_ring(emitter *e, const slicc_declaration *d) {
    static const char *const fields[] = {"ring_length", "ring_group"};
    const char *at = value_of(d, "ring");
    for (int i = 0; at != NULL && (i == 0 || *at != '\0'); i++) {
        char name[64] = "";
        const size_t length = strcspn(at, " ");
        if (length < sizeof name)
            memcpy(name, at, length);
        at += length + strspn(at + length, " ");
        if (i == 2 || slicc_member_find(e->machine->arguments, SLICC_OBJECT, name) == NULL) {
            slicc_complain(e->report, place_of(d, "ring"),
                           "ring names one or two parameters of the machine, not '%.40s'",
                           value_of(d, "ring"));
            return;
        }
        base_text_print(e->out, ", .%s = ", fields[i]);
        slicc_c_string(name, e->out);
    }
}

void slicc_emit_parameter(emitter *e, const slicc_declaration *d, const slicc_type *type) {
    if (d->value == NULL)
        emit_initially(e, d);
    if (type->kind == KIND_ENUM) {
        uint32_t count = 0;
        for (const slicc_value *v = type->declaration->values; v != NULL; v = v->next)
            count++;
        base_text_print(e->out, ", .has_least = 1, .has_most = 1, .most = %u",
                        count == 0 ? 0 : count - 1);
        return;
    }
    emit_number(e, d, "least");
    emit_number(e, d, "most");
    emit_word(e, d, "above", "cores", "above_cores");
    emit_word(e, d, "same", "yes", "same");
    emit_bits(e, d);
    emit_ring(e, d);
}
