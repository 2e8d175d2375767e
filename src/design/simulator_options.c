/* SPDX-License-Identifier: MIT */
/* The built-in simulator's options: see simulator_options.h. */
#include "design/simulator_options.h"

#include "base/field.h"
#include "design/design_kind.h"

#include <string.h>

static const char *const off_on[] = {"off", "on", NULL};

static const base_field fields[] = {
    {BASE_FIELD("monitors", BASE_FLAG, duv_options, monitors), .words = off_on,
     .is_said = offsetof(duv_options, says_monitors)},
    BASE_LAST_FIELD,
};

/* "squash+fifo" */
static col_status read_without(duv_options *o, const char *value, col_problem *problem) {
    static const base_field without = {
        .name = "without", .kind = BASE_WORD, .size = sizeof(uint32_t), .words = sim_mechanisms};
    o->says_without = true;
    for (const char *at = value; at != NULL;) {
        char word[64];
        uint32_t mechanism = 0;
        const size_t length = strcspn(at, "+");
        if (length == 0 || length >= sizeof word)
            return base_refuse(problem, "mechanisms are written squash+fifo, not '%.100s'", value);
        memcpy(word, at, length);
        word[length] = '\0';
        BASE_TRY(base_field_read(&without, word, "", &mechanism, problem));
        o->without |= UINT32_C(1) << mechanism;
        at = at[length] == '+' ? at + length + 1 : NULL;
    }
    return COL_OK;
}

/* Keeps a text; NULL: there is no more room. */
static const char *keep(duv_options *o, const char *text) {
    const size_t size = strlen(text) + 1;
    if (size > sizeof o->texts - o->text_length)
        return NULL;
    char *kept = memcpy(o->texts + o->text_length, text, size);
    o->text_length += size;
    return kept;
}

static col_status read_option(void *context, const char *key, const char *value,
                              col_problem *problem) {
    duv_options *o = context;
    const base_field *field = base_field_find(fields, key);
    if (field != NULL)
        return base_field_read(field, value, "", o, problem);
    if (strcmp(key, "without") == 0)
        return read_without(o, value, problem);
    const sim_choice choice = {keep(o, key), keep(o, value)};
    if (choice.key == NULL || choice.value == NULL || o->choice_count == DUV_CHOICES)
        return base_refuse(problem, "the simulator takes at most %d options", DUV_CHOICES);
    o->choices[o->choice_count++] = choice;
    return COL_OK;
}

col_status duv_options_read(duv_options *o, const char *text, col_problem *problem) {
    *o = (duv_options){0};
    return base_pairs_read(text, "an option of the simulator", read_option, o, problem);
}

bool duv_options_inject(const char *design, const char *options) {
    duv_options o;
    col_problem problem;
    return options != NULL && duv_options_read(&o, options, &problem) == COL_OK && o.without != 0 &&
           duv_kind_of(design)->interface == &duv_simulator;
}

void duv_options_wire(const duv_options *o, sim_wiring *wiring) {
    if (o->says_without)
        wiring->core.without = o->without;
    if (o->says_monitors)
        wiring->monitors = o->monitors;
}
