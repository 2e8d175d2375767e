/* SPDX-License-Identifier: MIT */
/* The built-in simulator's options: see options.h. */
#include "duv/options.h"

#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Lists of what there is instead, for errors. */

static col_status refuse_with(col_text *sentence, col_error *error) {
    const col_status status = col_text_status(sentence, error);
    if (status == COL_OK)
        (void)col_refuse(error, "%.500s", sentence->data);
    col_text_free(sentence);
    return status == COL_OK ? COL_BAD_INPUT : status;
}

/* "there is no state 'X' of L1Cache; there are I, S, M" */
static col_status refuse_word(const char *kind, const char *word, const char *const *known,
                              uint32_t count, col_error *error) {
    col_text sentence = {0};
    col_text_print(&sentence, "there is no %s '%.64s'; there %s ", kind, word,
                   count == 1 ? "is" : "are");
    for (uint32_t i = 0; i < count; i++)
        col_text_print(&sentence, "%s%s", i == 0 ? "" : ", ", known[i]);
    return refuse_with(&sentence, error);
}

static col_status find(const char *kind, const char *word, const char *const *known, uint32_t count,
                       uint32_t *found, col_error *error) {
    for (*found = 0; *found < count; (*found)++)
        if (strcmp(known[*found], word) == 0)
            return COL_OK;
    return refuse_word(kind, word, known, count, error);
}

/* ---- Reading. */

/* The word up to `end`; returns what follows, or NULL if it is empty, too long or not ended so. */
static const char *take_word(const char *text, char end, char word[DUV_WORD]) {
    const char ends[] = {end, '\0'};
    const size_t length = strcspn(text, ends);
    if (length == 0 || length >= DUV_WORD || text[length] != end)
        return NULL;
    memcpy(word, text, length);
    word[length] = '\0';
    return text + length + (end != '\0');
}

static col_status read_edit(duv_options *o, const char *value, col_error *error) {
    if (o->machine[0] != '\0')
        return col_refuse(error, "one transition can be edited, not two");
    const char *at = take_word(value, '/', o->machine);
    at = at != NULL ? take_word(at, '/', o->state) : NULL;
    at = at != NULL ? take_word(at, '\0', o->event) : NULL;
    if (at == NULL)
        return col_refuse(error, "a transition is written MACHINE/STATE/EVENT, not '%.100s'",
                          value);
    return COL_OK;
}

static col_status read_next(duv_options *o, const char *value, col_error *error) {
    if (take_word(value, '\0', o->next) == NULL)
        return col_refuse(error, "next is the name of a state, not '%.100s'", value);
    return COL_OK;
}

static col_status read_drop(duv_options *o, const char *value, col_error *error) {
    if (take_word(value, '\0', o->drop) == NULL)
        return col_refuse(error, "drop is the name of an action, not '%.100s'", value);
    return COL_OK;
}

static col_status read_without(duv_options *o, const char *value, col_error *error) {
    o->says_without = true;
    for (const char *at = value; at != NULL;) {
        char word[DUV_WORD];
        uint32_t mechanism;
        const char *end = strchr(at, '+');
        const char *after = take_word(at, end != NULL ? '+' : '\0', word);
        if (after == NULL)
            return col_refuse(error, "mechanisms are written squash+fifo, not '%.100s'", value);
        const col_status status = find("mechanism of the cores", word, sim_mechanisms,
                                       SIM_MECHANISM_COUNT, &mechanism, error);
        if (status != COL_OK)
            return status;
        o->without |= UINT32_C(1) << mechanism;
        at = end != NULL ? after : NULL;
    }
    return COL_OK;
}

static col_status read_monitors(duv_options *o, const char *value, col_error *error) {
    o->says_monitors = true;
    o->monitors = strcmp(value, "on") == 0;
    if (!o->monitors && strcmp(value, "off") != 0)
        return col_refuse(error, "monitors are on or off, not '%.100s'", value);
    return COL_OK;
}

static const char *const keys[] = {"edit", "next", "drop", "without", "monitors"};
static col_status (*const readers[])(duv_options *o, const char *value, col_error *error) = {
    read_edit, read_next, read_drop, read_without, read_monitors};

static col_status read_option(duv_options *o, const char *option, col_error *error) {
    char key[DUV_WORD];
    uint32_t place;
    const char *value = take_word(option, '=', key);
    if (value == NULL)
        return col_refuse(error, "an option of the simulator is written key=value, not '%.100s'",
                          option);
    const col_status status =
        find("option of the simulator", key, keys, sizeof keys / sizeof keys[0], &place, error);
    return status == COL_OK ? readers[place](o, value, error) : status;
}

col_status duv_options_read(duv_options *o, const char *text, col_error *error) {
    *o = (duv_options){0};
    for (const char *at = text; at != NULL && *at != '\0';) {
        char option[4 * DUV_WORD];
        const size_t length = strcspn(at, ",");
        if (length >= sizeof option)
            return col_refuse(error, "the option '%.60s...' of the simulator is too long", at);
        memcpy(option, at, length);
        option[length] = '\0';
        const col_status status = read_option(o, option, error);
        if (status != COL_OK)
            return status;
        at += length + (at[length] == ',');
    }
    const bool changes = o->next[0] != '\0' || o->drop[0] != '\0';
    if (changes != (o->machine[0] != '\0'))
        return col_refuse(error, "edit=MACHINE/STATE/EVENT goes with next=STATE or drop=ACTION, or "
                                 "both, to say what is edited");
    return COL_OK;
}

void duv_options_wire(const duv_options *o, sim_wiring *wiring) {
    if (o->says_without)
        wiring->core.without = o->without;
    if (o->says_monitors)
        wiring->monitors = o->monitors;
}

/* ---- The edit. */

static col_status find_machine(const sl_protocol *protocol, const char *name, uint32_t *found,
                               col_error *error) {
    const char *names[SIM_MOST_MACHINES];
    for (uint32_t m = 0; m < protocol->machine_count; m++)
        names[m] = protocol->machines[m]->name;
    return find("machine", name, names, protocol->machine_count, found, error);
}

static col_status find_cell(const duv_options *o, const sl_machine *machine, uint32_t *found,
                            col_error *error) {
    uint32_t state, event;
    col_status status =
        find("state", o->state, machine->states, machine->state_count, &state, error);
    if (status == COL_OK)
        status = find("event", o->event, machine->events, machine->event_count, &event, error);
    if (status != COL_OK)
        return status;
    *found = state * machine->event_count + event;
    if ((machine->cells[*found].flags & SL_DEFINED) == 0 ||
        (machine->cells[*found].flags & SL_STALL) != 0)
        return col_refuse(error, "%s has no transition from %s by %s", machine->name, o->state,
                          o->event);
    return COL_OK;
}

static col_status change_next(const duv_options *o, const sl_machine *machine, sl_cell *cell,
                              col_error *error) {
    uint32_t next;
    if (o->next[0] == '\0')
        return COL_OK;
    const col_status status =
        find("state", o->next, machine->states, machine->state_count, &next, error);
    if (status == COL_OK) {
        cell->next = (uint16_t)next;
        cell->flags &= (uint8_t)~SL_NEXT_BY_FUNCTION;
    }
    return status;
}

static col_status refuse_action(const duv_options *o, const sl_machine *machine,
                                const sl_cell *cell, col_error *error) {
    col_text sentence = {0};
    col_text_print(&sentence, "the transition of %s from %s by %s has no action '%s'; it has %s",
                   machine->name, o->state, o->event, o->drop,
                   cell->action_count == 0 ? "none" : "");
    for (uint32_t i = 0; i < cell->action_count; i++)
        col_text_print(&sentence, "%s%s", i == 0 ? "" : ", ",
                       machine->actions[machine->action_list[cell->first_action + i]]);
    return refuse_with(&sentence, error);
}

/* The cell gets a list of its own behind the machine's actions, in a copy for this system. */
static col_status drop_action(const duv_options *o, const sl_machine *machine, sl_cell *cell,
                              uint16_t **actions, col_error *error) {
    const size_t count = machine->action_list_count;
    uint32_t place = 0;
    while (place < cell->action_count &&
           strcmp(machine->actions[machine->action_list[cell->first_action + place]], o->drop) != 0)
        place++;
    if (place == cell->action_count)
        return refuse_action(o, machine, cell, error);
    if (count > UINT16_MAX)
        return col_refuse(error, "the machine %s has too many actions for an edit", machine->name);
    uint16_t *list = malloc((count + cell->action_count) * sizeof *list);
    if (list == NULL)
        return col_out_of_memory(error);
    memcpy(list, machine->action_list, count * sizeof *list);
    uint8_t kept = 0;
    for (uint32_t i = 0; i < cell->action_count; i++)
        if (i != place)
            list[count + kept++] = list[cell->first_action + i];
    cell->first_action = (uint16_t)count;
    cell->action_count = kept;
    cell->sequence = 0;
    *actions = list;
    return COL_OK;
}

col_status duv_options_edit(const duv_options *o, sim_system *system, uint16_t **actions,
                            col_error *error) {
    uint32_t m, place;
    *actions = NULL;
    if (o->machine[0] == '\0')
        return COL_OK;
    col_status status = find_machine(system->protocol, o->machine, &m, error);
    if (status != COL_OK)
        return status;
    const sl_machine *machine = system->protocol->machines[m];
    status = find_cell(o, machine, &place, error);
    if (status == COL_OK)
        status = change_next(o, machine, &system->cells[m][place], error);
    if (status == COL_OK && o->drop[0] != '\0')
        status = drop_action(o, machine, &system->cells[m][place], actions, error);
    for (uint32_t i = 0; *actions != NULL && i < system->base.controller_count; i++)
        if (system->controllers[i]->machine == machine)
            system->controllers[i]->action_list = *actions;
    return status;
}
