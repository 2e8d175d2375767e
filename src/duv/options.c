/* SPDX-License-Identifier: MIT */
/* The built-in simulator's options: see options.h. */
#include "duv/options.h"

#include "base/text.h"
#include "duv/kind.h"

#include <string.h>

enum { WORD = 64 };

/* ---- Lists of what there is instead, for errors. */

/* "there is no option 'x'; there are a, b" */
static col_status refuse_word(const char *kind, const char *word, const char *const *known,
                              uint32_t count, col_problem *problem) {
    base_text list = {0};
    for (uint32_t i = 0; i < count; i++)
        base_text_print(&list, "%s%s", i == 0 ? "" : ", ", known[i]);
    const col_status status = base_text_status(&list, problem);
    if (status == COL_OK)
        (void)base_refuse(problem, "there is no %s '%.64s'; there are %.400s", kind, word,
                          list.data);
    base_text_free(&list);
    return status == COL_OK ? COL_BAD_INPUT : status;
}

static col_status find(const char *kind, const char *word, const char *const *known, uint32_t count,
                       uint32_t *found, col_problem *problem) {
    for (*found = 0; *found < count; (*found)++)
        if (strcmp(known[*found], word) == 0)
            return COL_OK;
    return refuse_word(kind, word, known, count, problem);
}

/* ---- Reading. */

/* The word up to `end`; returns what follows, or NULL if it is empty, too long or not ended so. */
static const char *take_word(const char *text, char end, char *word, size_t size) {
    const char ends[] = {end, '\0'};
    const size_t length = strcspn(text, ends);
    if (length == 0 || length >= size || text[length] != end)
        return NULL;
    memcpy(word, text, length);
    word[length] = '\0';
    return text + length + (end != '\0');
}

static col_status read_without(duv_options *o, const char *value, col_problem *problem) {
    o->says_without = true;
    for (const char *at = value; at != NULL;) {
        char word[WORD];
        uint32_t mechanism;
        const char *end = strchr(at, '+');
        const char *after = take_word(at, end != NULL ? '+' : '\0', word, sizeof word);
        if (after == NULL)
            return base_refuse(problem, "mechanisms are written squash+fifo, not '%.100s'", value);
        const col_status status = find("mechanism of the cores", word, sim_mechanisms,
                                       SIM_MECHANISM_COUNT, &mechanism, problem);
        if (status != COL_OK)
            return status;
        o->without |= UINT32_C(1) << mechanism;
        at = end != NULL ? after : NULL;
    }
    return COL_OK;
}

static col_status read_monitors(duv_options *o, const char *value, col_problem *problem) {
    o->says_monitors = true;
    o->monitors = strcmp(value, "on") == 0;
    if (!o->monitors && strcmp(value, "off") != 0)
        return base_refuse(problem, "monitors are on or off, not '%.100s'", value);
    return COL_OK;
}

static const char *const keys[] = {"without", "monitors"};
static col_status (*const readers[])(duv_options *o, const char *value,
                                     col_problem *problem) = {read_without, read_monitors};

/* Keeps a text; NULL: there is no more room. */
static const char *keep(duv_options *o, const char *text) {
    const size_t size = strlen(text) + 1;
    if (size > sizeof o->texts - o->text_length)
        return NULL;
    char *kept = memcpy(o->texts + o->text_length, text, size);
    o->text_length += size;
    return kept;
}

static col_status read_choice(duv_options *o, const char *key, const char *value,
                              col_problem *problem) {
    const sim_choice choice = {keep(o, key), keep(o, value)};
    if (choice.key == NULL || choice.value == NULL || o->choice_count == DUV_CHOICES)
        return base_refuse(problem, "the simulator takes at most %d options", DUV_CHOICES);
    o->choices[o->choice_count++] = choice;
    return COL_OK;
}

static col_status read_option(duv_options *o, const char *option, col_problem *problem) {
    char key[2 * WORD];
    const char *value = take_word(option, '=', key, sizeof key);
    if (value == NULL)
        return base_refuse(problem, "an option of the simulator is written key=value, not '%.100s'",
                           option);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (strcmp(keys[i], key) == 0)
            return readers[i](o, value, problem);
    return read_choice(o, key, value, problem);
}

col_status duv_options_read(duv_options *o, const char *text, col_problem *problem) {
    *o = (duv_options){0};
    for (const char *at = text; at != NULL && *at != '\0';) {
        char option[4 * WORD];
        const size_t length = strcspn(at, ",");
        if (length >= sizeof option)
            return base_refuse(problem, "the option '%.60s...' of the simulator is too long", at);
        memcpy(option, at, length);
        option[length] = '\0';
        const col_status status = read_option(o, option, problem);
        if (status != COL_OK)
            return status;
        at += length + (at[length] == ',');
    }
    return COL_OK;
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
