/* SPDX-License-Identifier: MIT */
/* Transition tables of systems: see transition_table.h. */
#include "protocol/simulate/transition_table.h"

#include "base/file.h"
#include "base/path.h"
#include "protocol/simulate/design_show.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Names. */

/* "there is no state 'X'; there are I, S, M" */
static col_status find_word(const char *kind, const char *word, const char *const *known,
                            uint32_t count, uint32_t *found, col_problem *problem) {
    for (*found = 0; *found < count; (*found)++)
        if (strcmp(known[*found], word) == 0)
            return COL_OK;
    base_list list = {""};
    for (uint32_t i = 0; i < count; i++)
        base_list_add(&list, known[i]);
    return base_refuse(problem, "there is no %s '%.64s'; there %s %.400s", kind, word,
                       count == 1 ? "is" : "are", base_list_text(&list));
}

col_status sim_find_machine(const sl_protocol *protocol, const char *name, uint32_t *found,
                            col_problem *problem) {
    const char *names[SIM_MOST_MACHINES];
    for (uint32_t m = 0; m < protocol->machine_count; m++)
        names[m] = protocol->machines[m]->name;
    return find_word("machine", name, names, protocol->machine_count, found, problem);
}

col_status sim_find_state(const sl_machine *machine, const char *name, uint32_t *found,
                          col_problem *problem) {
    return find_word("state", name, machine->states, machine->state_count, found, problem);
}

col_status sim_find_event(const sl_machine *machine, const char *name, uint32_t *found,
                          col_problem *problem) {
    return find_word("event", name, machine->events, machine->event_count, found, problem);
}

col_status sim_find_action(const sl_machine *machine, const char *name, uint32_t *found,
                           col_problem *problem) {
    return find_word("action", name, machine->actions, machine->action_count, found, problem);
}

bool sim_is_transition(const sl_cell *cell) {
    return (cell->flags & SL_DEFINED) != 0 && (cell->flags & SL_STALL) == 0;
}

/* ---- Edits. */

/* What an action needs room for, such as a TBE that it allocates: what the smallest of the cells
 * that take it needs, unless there is one that needs nothing. */
static uint8_t check_of(const sl_machine *machine, uint32_t action) {
    const sl_cell *smallest = NULL;
    for (uint32_t i = 0; i < machine->state_count * machine->event_count; i++) {
        const sl_cell *cell = &machine->cells[i];
        uint32_t place = 0;
        while (place < cell->action_count &&
               machine->action_list[cell->first_action + place] != action)
            place++;
        if (place == cell->action_count)
            continue;
        if ((cell->flags & SL_CHECK_TBE) == 0)
            return 0;
        if (smallest == NULL || cell->action_count < smallest->action_count)
            smallest = cell;
    }
    return smallest == NULL ? 0 : smallest->check;
}

void sim_check_room(const sl_machine *machine, const uint16_t *actions, uint32_t count,
                    sl_cell *cell) {
    for (uint32_t i = 0; i < count && (cell->flags & SL_CHECK_TBE) == 0; i++) {
        cell->check = check_of(machine, actions[i]);
        if (cell->check != 0)
            cell->flags |= (uint8_t)SL_CHECK_TBE;
    }
}

/* The cell's actions go behind those of the machine, in a list for this system: controllers find
 * their actions by places in it. The old list stays until the system is freed. */
static col_status set_actions(sim_system *system, uint32_t m, sl_cell *cell, const sim_edit *edit,
                              col_problem *problem) {
    const sl_machine *machine = system->protocol->machines[m];
    const uint32_t count = system->action_counts[m];
    if (count > UINT16_MAX)
        return base_refuse(problem, "the machine %s has too many actions for an edit",
                           machine->name);
    if (setjmp(system->escape) != 0)
        return base_out_of_memory(problem);
    uint16_t *list =
        sim_grow(&system->base, NULL, ((size_t)count + edit->action_count + 1) * sizeof *list);
    memcpy(list, system->action_lists[m], count * sizeof *list);
    if (edit->action_count > 0)
        memcpy(list + count, edit->actions, edit->action_count * sizeof *list);
    system->action_lists[m] = list;
    system->action_counts[m] = count + edit->action_count;
    for (uint32_t i = 0; i < system->base.controller_count; i++)
        if (system->controllers[i]->machine == machine)
            system->controllers[i]->action_list = list;
    cell->first_action = (uint16_t)count;
    cell->action_count = edit->action_count;
    cell->sequence = 0;
    sim_check_room(machine, edit->actions, edit->action_count, cell);
    return COL_OK;
}

col_status sim_edit_apply(sim_system *system, const sim_edit *edit, col_problem *problem) {
    const sl_machine *machine = system->protocol->machines[edit->machine];
    sl_cell *cell = &system->cells[edit->machine][edit->state * machine->event_count + edit->event];
    const char *state = machine->states[edit->state], *event = machine->events[edit->event];
    if (edit->added && sim_is_transition(cell))
        return base_refuse(problem, "%s has a transition from %s by %s already", machine->name,
                           state, event);
    if (!edit->added && !sim_is_transition(cell))
        return base_refuse(problem, "%s has no transition from %s by %s", machine->name, state,
                           event);
    if (edit->removed) {
        *cell = (sl_cell){0};
        return COL_OK;
    }
    if (edit->added) {
        *cell = (sl_cell){.flags = SL_DEFINED, .next = (uint16_t)edit->state};
        if (edit->like != NULL) {
            cell->flags |= (uint8_t)(edit->like->flags & SL_CHECK_TBE);
            cell->check = edit->like->check;
            cell->first_resource = edit->like->first_resource;
            cell->resource_count = edit->like->resource_count;
        }
    }
    if (edit->next != SIM_SAME_STATE) {
        cell->next = (uint16_t)edit->next;
        cell->flags &= (uint8_t)~SL_NEXT_BY_FUNCTION;
    }
    return edit->has_actions ? set_actions(system, edit->machine, cell, edit, problem) : COL_OK;
}

col_status sim_system_copy(sim_system **copy, const sim_system *system, col_problem *problem) {
    BASE_TRY(sim_system_new(copy, system->protocol, &system->wiring, problem));
    for (uint32_t m = 0; m < system->protocol->machine_count; m++) {
        const sl_machine *machine = system->protocol->machines[m];
        memcpy((*copy)->cells[m], system->cells[m],
               (size_t)machine->state_count * machine->event_count * sizeof **system->cells);
        (*copy)->action_lists[m] = system->action_lists[m];
        (*copy)->action_counts[m] = system->action_counts[m];
    }
    for (uint32_t i = 0; i < system->base.controller_count; i++)
        (*copy)->controllers[i]->action_list = system->controllers[i]->action_list;
    return COL_OK;
}

void sim_system_add_counts(sim_system *system, const sim_system *other) {
    for (uint32_t i = 0; i < system->base.controller_count; i++) {
        const sl_machine *machine = system->controllers[i]->machine;
        for (uint32_t c = 0; c < machine->state_count * machine->event_count; c++)
            system->controllers[i]->counts[c] += other->controllers[i]->counts[c];
    }
}

/* ---- Cells that were reached. */

bool sim_was_reached(const sim_system *s, uint32_t machine, uint32_t state, uint32_t event) {
    const sl_machine *m = s->protocol->machines[machine];
    const size_t cells = (size_t)m->state_count * m->event_count;
    const size_t cell = (size_t)state * m->event_count + event;
    for (uint32_t n = 0; n < s->wiring.machines[machine].count; n++)
        if (s->counts[machine][n * cells + cell] > 0)
            return true;
    return false;
}

col_status sim_reached_add(const sim_system *s, const char *path, col_problem *problem) {
    slicc_reached old = {0};
    slicc_report report = {0};
    base_text text = {0};
    col_status status = slicc_reached_read(&old, path, &report, problem);
    /* The cells of the system and of the file, as the tables have them. */
    base_text_print(&text,
                    "# SPDX-License-Identifier: MIT\n# Transitions of %s that are known to be "
                    "reachable, by search and simulation.\n",
                    s->protocol->name);
    for (uint32_t i = 0; i < s->protocol->machine_count; i++) {
        const sl_machine *m = s->protocol->machines[i];
        for (uint32_t c = 0; c < m->state_count * m->event_count; c++) {
            const char *state = m->states[c / m->event_count];
            const char *event = m->events[c % m->event_count];
            if (slicc_reached_has(&old, m->name, state, event) ||
                sim_was_reached(s, i, c / m->event_count, c % m->event_count))
                base_text_print(&text, "%s %s %s\n", m->name, state, event);
        }
    }
    slicc_reached_complain(&old, &report); /* nothing of the file is lost silently */
    if (status == COL_OK)
        status = slicc_report_status(&report, problem);
    if (status == COL_OK)
        status = base_text_status(&text, problem);
    if (status == COL_OK)
        status = base_file_write(path, text.data, text.length, problem);
    slicc_reached_free(&old);
    slicc_report_free(&report);
    base_text_free(&text);
    return status;
}

/* ---- Those that are known to be taken. */

static void say_caches(const sl_protocol *protocol, const sim_wiring *wiring, base_text *text) {
    for (uint32_t m = 0; m < protocol->machine_count; m++) {
        const sim_machine_wiring *w = &wiring->machines[m];
        const char *name = protocol->machines[m]->name;
        if (!w->is_private)
            base_text_print(text, "%s%s=%u", text->length == 0 ? "" : " ", name, w->count);
        for (uint32_t i = 0; i < w->cache_count; i++)
            base_text_print(text, "%s%s.%s=%llu/%u/%s", text->length == 0 ? "" : " ", name,
                            w->caches[i].name, (unsigned long long)w->caches[i].bytes,
                            w->caches[i].ways, sim_replacements[w->caches[i].replacement]);
    }
}

/* Is the file about these caches, and no more cores? It says so in a line
 * "# cores 4, caches L1Cache.cache=...". */
static bool is_about(const char *text, const sim_wiring *wiring, const char *caches) {
    unsigned cores;
    int used = 0;
    const char *line = strstr(text, "# cores ");
    if (line == NULL || sscanf(line, "# cores %u, caches %n", &cores, &used) != 1 || used == 0)
        return false;
    line += used;
    return cores <= wiring->cores && strncmp(line, caches, strlen(caches)) == 0 &&
           line[strlen(caches)] == '\n';
}

uint32_t sim_taken_count(slicc_reached *taken, const sl_machine *machine) {
    uint32_t count = 0;
    for (uint32_t c = 0; c < machine->state_count * machine->event_count; c++)
        count += slicc_reached_has(taken, machine->name, machine->states[c / machine->event_count],
                                   machine->events[c % machine->event_count]);
    return count;
}

static col_status read_list(slicc_reached *taken, const char *path, const sl_protocol *protocol,
                            col_problem *problem) {
    slicc_report report = {0};
    col_status status = slicc_reached_read(taken, path, &report, problem);
    for (uint32_t m = 0; m < protocol->machine_count; m++)
        (void)sim_taken_count(taken, protocol->machines[m]);
    slicc_reached_complain(taken, &report);
    if (status == COL_OK)
        status = slicc_report_status(&report, problem);
    slicc_report_free(&report);
    return status;
}

col_status sim_taken_read(slicc_reached *taken, const sim_design *design, const sim_wiring *wiring,
                          col_problem *problem) {
    char path[sizeof design->path + 8];
    base_text text = {0}, caches = {0};
    const char *dot = strrchr(design->path, '.');
    if (dot == NULL || design->vary != NULL)
        return COL_OK;
    (void)snprintf(path, sizeof path, "%.*s.reached", (int)(dot - design->path), design->path);
    if (access(path, F_OK) != 0)
        return COL_OK;
    col_status status = base_file_read(path, &text, problem);
    say_caches(design->protocol, wiring, &caches);
    if (status == COL_OK)
        status = base_text_status(&caches, problem);
    if (status == COL_OK && text.data != NULL && caches.data != NULL &&
        is_about(text.data, wiring, caches.data))
        status = read_list(taken, path, design->protocol, problem);
    base_text_free(&text);
    base_text_free(&caches);
    return status;
}

/* Mutants of a protocol. */

const char *const sim_mutant_kinds[SIM_MUTANT_KINDS] = {"next state", "dropped action", "condition",
                                                        "count"};

/* ---- Cells. */

static bool is_stable(const sl_machine *machine, uint32_t state) {
    enum { BACKING_STORE_BUSY = 4, BUSY = 7 }; /* AccessPermission, in the prelude's order */
    const uint8_t permission = machine->permissions[state];
    return permission != BUSY && permission != BACKING_STORE_BUSY;
}

bool sim_reached_is_known(const sl_protocol *protocol) {
    for (uint32_t m = 0; m < protocol->machine_count; m++) {
        const sl_machine *machine = protocol->machines[m];
        for (uint32_t i = 0; i < machine->state_count * machine->event_count; i++)
            if ((machine->cells[i].flags & SL_REACHED) != 0)
                return true;
    }
    return false;
}

/* Where it leads now; none: the protocol works it out, so that every fixed state is another. */
static uint32_t next_of(const sl_cell *cell) {
    return (cell->flags & SL_NEXT_BY_FUNCTION) != 0 ? UINT32_MAX : cell->next;
}

static uint32_t next_count(const sl_machine *machine, const sl_cell *cell) {
    return machine->state_count - (next_of(cell) != UINT32_MAX);
}

static uint32_t count_of_cell(const sl_machine *machine, const sl_cell *cell) {
    return sim_is_transition(cell) ? next_count(machine, cell) + cell->action_count : 0;
}

/* The other next state of that place, from 0: those of the class of the next state come first, of
 * a cell that works it out those of the state it starts from. Within a class in the protocol's
 * order. */
static uint32_t other_state(const sl_machine *machine, const sl_cell *cell, uint32_t state,
                            uint32_t place) {
    const uint32_t next = next_of(cell);
    const bool stable = is_stable(machine, next != UINT32_MAX ? next : state);
    for (int round = 0; round < 2; round++)
        for (uint32_t s = 0; s < machine->state_count; s++)
            if (s != next && (is_stable(machine, s) == stable) == (round == 0) && place-- == 0)
                return s;
    return 0;
}

/* ---- Numbers. */

uint32_t sim_table_mutant_count(const sl_protocol *protocol) {
    uint32_t count = 0;
    for (uint32_t m = 0; m < protocol->machine_count; m++) {
        const sl_machine *machine = protocol->machines[m];
        for (uint32_t i = 0; i < machine->state_count * machine->event_count; i++)
            count += count_of_cell(machine, &machine->cells[i]);
    }
    return count;
}

static void make_table_mutant(const sl_protocol *protocol, uint32_t m, uint32_t i, uint32_t place,
                              sim_mutant *mutant) {
    const sl_machine *machine = protocol->machines[m];
    const sl_cell *cell = &machine->cells[i];
    const uint32_t states = next_count(machine, cell);
    mutant->machine = m;
    mutant->state = i / machine->event_count;
    mutant->event = i % machine->event_count;
    mutant->equivalent = (cell->flags & SL_REACHED) == 0 && sim_reached_is_known(protocol);
    mutant->kind = place < states ? SIM_MUTANT_NEXT : SIM_MUTANT_DROP;
    if (mutant->kind == SIM_MUTANT_NEXT)
        mutant->next = other_state(machine, cell, mutant->state, place);
    else
        mutant->place = place - states;
}

bool sim_table_mutant(const sl_protocol *protocol, uint32_t number, sim_mutant *mutant) {
    uint32_t place = number - 1; /* of number 0: beyond all */
    *mutant = (sim_mutant){.number = number};
    for (uint32_t m = 0; m < protocol->machine_count; m++) {
        const sl_machine *machine = protocol->machines[m];
        for (uint32_t i = 0; i < machine->state_count * machine->event_count; i++) {
            const uint32_t count = count_of_cell(machine, &machine->cells[i]);
            if (place < count) {
                make_table_mutant(protocol, m, i, place, mutant);
                return true;
            }
            place -= count;
        }
    }
    return false;
}

void sim_mutant_find(const sim_mutants *mutants, uint32_t number, sim_mutant *mutant) {
    if (number > mutants->table_count) {
        const sl_protocol *protocol = mutants->protocol;
        const slicc_mutation *mutation = &mutants->source.list[number - mutants->table_count - 1];
        *mutant =
            (sim_mutant){.number = number,
                         .kind = mutation->kind == SLICC_MUTATED_CONDITION ? SIM_MUTANT_CONDITION
                                                                           : SIM_MUTANT_COUNT,
                         .mutation = mutation};
        while (mutant->machine + 1 < protocol->machine_count &&
               strcmp(protocol->machines[mutant->machine]->name, mutation->machine) != 0)
            mutant->machine++;
    } else
        (void)sim_table_mutant(mutants->protocol, number, mutant);
    if (mutants->design->wiring.machines[mutant->machine].count == 0)
        mutant->equivalent = true;
}

/* ---- The source. */

static col_status find_source(const sim_design *design, char path[SIM_MOST_PATH],
                              col_problem *problem) {
    const char *name = design->protocol->name;
    if (design->plugin.source[0] != '\0') {
        memcpy(path, design->plugin.source, sizeof design->plugin.source);
        return COL_OK;
    }
    if (sim_find_beside(name, "slicc", path))
        return COL_OK;
    path[0] = '\0';
    return base_refuse(problem,
                       "mutants of the source of %s need its file %s/%s.slicc, which is not here; "
                       "set COLLIDER_PROTOCOLS to the folder of protocols",
                       name, name, name);
}

col_status sim_mutants_open(sim_mutants *mutants, const sim_design *design, col_problem *problem) {
    *mutants = (sim_mutants){.design = design,
                             .protocol = design->protocol,
                             .reached_is_known = sim_reached_is_known(design->protocol),
                             .table_count = sim_table_mutant_count(design->protocol)};
    mutants->count = mutants->table_count;
    if (find_source(design, mutants->path, &mutants->problem) != COL_OK)
        return COL_OK;
    mutants->problem.message[0] = '\0';
    base_text c = {0}, complaints = {0};
    char name[SLICC_MOST_NAME];
    const col_status status =
        slicc_translate(mutants->path, &mutants->source, &c, name, &complaints, problem);
    base_text_free(&c);
    base_text_free(&complaints);
    if (status == COL_OK)
        mutants->count += (uint32_t)mutants->source.count;
    else
        sim_mutants_close(mutants);
    return status;
}

void sim_mutants_close(sim_mutants *mutants) {
    slicc_mutations_free(&mutants->source);
}

/* ---- Making one. */

void sim_mutant_describe(const sl_protocol *protocol, const sim_mutant *mutant, base_text *text) {
    if (mutant->mutation != NULL) {
        base_text_print(text, "%s:%u:%u: %s instead of %s", base_path_name(mutant->mutation->file),
                        mutant->mutation->line, mutant->mutation->column, mutant->mutation->after,
                        mutant->mutation->before);
        return;
    }
    const sl_machine *machine = protocol->machines[mutant->machine];
    const sl_cell *cell = &machine->cells[mutant->state * machine->event_count + mutant->event];
    if (mutant->kind == SIM_MUTANT_NEXT) {
        base_text_print(text, "leads to %s instead of %s", machine->states[mutant->next],
                        sim_next_name(machine, cell));
        return;
    }
    const uint16_t *actions = &machine->action_list[cell->first_action];
    uint32_t same = 0, which = 0;
    for (uint32_t i = 0; i < cell->action_count; i++) {
        same += actions[i] == actions[mutant->place];
        which += i <= mutant->place && actions[i] == actions[mutant->place];
    }
    base_text_print(text, "without %s", machine->actions[actions[mutant->place]]);
    if (same > 1)
        base_text_print(text, " (%u of %u)", which, same);
}

col_status sim_mutant_apply(sim_system *system, const sim_mutant *mutant, col_problem *problem) {
    const sl_machine *machine = system->protocol->machines[mutant->machine];
    const sl_cell *cell = &machine->cells[mutant->state * machine->event_count + mutant->event];
    uint16_t actions[UINT8_MAX];
    sim_edit edit = {.machine = mutant->machine,
                     .state = mutant->state,
                     .event = mutant->event,
                     .next = SIM_SAME_STATE};
    if (mutant->number == 0 || mutant->mutation != NULL || mutant->kind > SIM_MUTANT_DROP)
        return COL_OK;
    if (mutant->kind == SIM_MUTANT_NEXT) {
        edit.next = (int32_t)mutant->next;
    } else {
        for (uint32_t i = 0; i < cell->action_count; i++)
            if (i != mutant->place)
                actions[edit.action_count++] = machine->action_list[cell->first_action + i];
        edit.actions = actions;
        edit.has_actions = true;
    }
    return sim_edit_apply(system, &edit, problem);
}

static bool is_same_machine(const sl_machine *a, const sl_machine *b) {
    if (strcmp(a->name, b->name) != 0 || a->state_count != b->state_count ||
        a->event_count != b->event_count)
        return false;
    for (uint32_t i = 0; i < a->state_count * a->event_count; i++)
        if (a->cells[i].next != b->cells[i].next || a->cells[i].flags != b->cells[i].flags ||
            a->cells[i].action_count != b->cells[i].action_count)
            return false;
    return true;
}

/* The files that were found may be older or newer than what was built in. */
static bool is_same_protocol(const sl_protocol *a, const sl_protocol *b) {
    bool same = a->machine_count == b->machine_count;
    for (uint32_t m = 0; same && m < a->machine_count; m++)
        same = is_same_machine(a->machines[m], b->machines[m]);
    return same;
}

static col_status compile_mutant(sim_design *design, uint32_t number, sim_plugin *plugin,
                                 sim_mutant *mutant, col_problem *problem) {
    sim_mutants mutants;
    BASE_TRY(sim_mutants_open(&mutants, design, problem));
    col_status status = COL_OK;
    slicc_mutations mutations = {.wanted = number - mutants.table_count};
    if (mutants.problem.message[0] != '\0')
        status = base_refuse(problem, "%s", mutants.problem.message);
    else if (number > mutants.count)
        status =
            base_refuse(problem, "the protocol %s has %u mutant%s; there is no mutant %u",
                        design->protocol->name, mutants.count, base_plural(mutants.count), number);
    else
        status = sim_plugin_compile_mutant(plugin, mutants.path, &mutations, NULL, problem);
    const sl_protocol *built = design->roles != NULL ? design->roles->of : design->protocol;
    if (status == COL_OK && !is_same_protocol(plugin->protocol, built)) {
        sim_plugin_close(plugin);
        status = base_refuse(problem,
                             "mutant %u is one of the source, and %.400s is not the protocol %s as "
                             "it was built",
                             number, mutants.path, design->protocol->name);
    }
    if (status == COL_OK) {
        *mutant = (sim_mutant){.number = number, .kind = SIM_MUTANT_CONDITION};
        if (design->roles != NULL)
            sim_roles_renew(design->roles, plugin->protocol);
        else
            design->protocol = plugin->protocol;
    }
    sim_mutants_close(&mutants);
    slicc_mutations_free(&mutations);
    return status;
}

col_status sim_mutant_prepare(sim_design *design, uint32_t number, sim_plugin *plugin,
                              sim_mutant *mutant, col_problem *problem) {
    *plugin = (sim_plugin){0};
    *mutant = (sim_mutant){0};
    if (number == 0 || sim_table_mutant(design->protocol, number, mutant))
        return COL_OK;
    return compile_mutant(design, number, plugin, mutant, problem);
}
