/* SPDX-License-Identifier: MIT */
/*
 * Single changes of cells: see cell_change.h. The changes of a defined cell are numbered: first
 * those of the next state, then those that add an action at each place, then those that drop one.
 * Those of an undefined cell: the cells of its event, each with every next state.
 */
#include "protocol/simulate/cell_change.h"

#include "base/memory.h"
#include "protocol/simulate/pipeline.h"
#include "protocol/simulate/transition_table.h"

#include <stdlib.h>
#include <string.h>

static const sl_machine *machine_of(const sim_system *system, uint32_t machine) {
    return system->protocol->machines[machine];
}

static sl_cell *cell_of(const sim_system *system, uint32_t machine, uint32_t state,
                        uint32_t event) {
    return &system->cells[machine][state * machine_of(system, machine)->event_count + event];
}

/* The `number`-th state whose cell of the event is a transition; the number of states if there are
 * fewer. */
static uint32_t state_with(const sim_system *system, uint32_t machine, uint32_t event,
                           uint32_t number) {
    const uint32_t count = machine_of(system, machine)->state_count;
    for (uint32_t s = 0; s < count; s++)
        if (sim_is_transition(cell_of(system, machine, s, event)) && number-- == 0)
            return s;
    return count;
}

/* Where an action can be added: nowhere if the cell is full. */
static uint32_t places_in(const sl_cell *cell) {
    return cell->action_count == UINT8_MAX ? 0 : cell->action_count + 1U;
}

uint32_t sim_change_count(const sim_system *system, uint32_t machine, uint32_t state,
                          uint32_t event) {
    const sl_machine *m = machine_of(system, machine);
    const sl_cell *cell = cell_of(system, machine, state, event);
    if (sim_is_transition(cell))
        return m->state_count - 1 + m->action_count * places_in(cell) + cell->action_count;
    uint32_t others = 0;
    while (state_with(system, machine, event, others) < m->state_count)
        others++;
    return others * m->state_count;
}

sim_change sim_change_find(const sim_system *system, uint32_t machine, uint32_t state,
                           uint32_t event, uint32_t number) {
    const sl_machine *m = machine_of(system, machine);
    const sl_cell *cell = cell_of(system, machine, state, event);
    sim_change c = {
        .machine = machine, .state = state, .event = event, .next = cell->next, .was = cell->next};
    const uint32_t places = places_in(cell), nexts = m->state_count - 1;
    if (!sim_is_transition(cell)) {
        /* First those that lead where the other cell leads. */
        c.kind = SIM_CHANGE_LIKE;
        c.like = state_with(system, machine, event, number / m->state_count);
        const uint32_t usual = cell_of(system, machine, c.like, event)->next;
        c.next = (usual + number % m->state_count) % m->state_count;
    } else if (number < nexts) {
        c.kind = SIM_CHANGE_NEXT;
        c.next = number + (number >= cell->next);
    } else if (number - nexts < m->action_count * places) {
        c.kind = SIM_CHANGE_ADD;
        c.action = (number - nexts) / places;
        c.place = (number - nexts) % places;
    } else {
        c.kind = SIM_CHANGE_DROP;
        c.place = number - nexts - m->action_count * places;
    }
    return c;
}

bool sim_core_change(const sim_system *system, uint32_t number, sim_change *change) {
    const sim_pipeline *p = system->cores[0].pipeline;
    for (uint32_t m = 0; p != NULL && m < SIM_MECHANISM_COUNT; m++)
        if ((system->wiring.core.without >> m & 1) != 0 && number-- == 0) {
            *change =
                (sim_change){.machine = SIM_MOST_MACHINES, .event = m, .kind = SIM_CHANGE_CORE};
            return true;
        }
    return false;
}

/* ---- Trying them. */

static void set_cores(const sim_system *system, uint32_t without) {
    for (uint32_t c = 0; c < system->wiring.cores; c++) {
        sim_pipeline *p = system->cores[c].pipeline;
        p->without = without;
        p->always = sim_order_always(system->wiring.core.mode, without);
    }
}

static void use_list(const sim_bench *bench, uint32_t machine, const uint16_t *list) {
    const sim_system *system = bench->system;
    for (uint32_t i = 0; i < system->base.controller_count; i++)
        if (system->controllers[i]->machine == machine_of(system, machine))
            system->controllers[i]->action_list = list;
}

void sim_change_undo(sim_bench *bench, uint32_t left) {
    while (bench->count > left) {
        bench->count--;
        if (bench->made[bench->count].cell == NULL)
            set_cores(bench->system, bench->made[bench->count].without);
        else
            *bench->made[bench->count].cell = bench->made[bench->count].before;
    }
    for (uint32_t m = 0; left == 0 && m < SIM_MOST_MACHINES; m++) {
        if (bench->lengths[m] > 0)
            use_list(bench, m, bench->lists[m]);
        bench->lengths[m] = 0;
    }
}

/* The cell's actions after the change, behind those of the machine. */
static col_status change_actions(sim_bench *bench, const sim_change *change, sl_cell *cell,
                                 col_problem *problem) {
    const uint32_t m = change->machine;
    const sl_cell before = *cell;
    if (bench->lengths[m] == 0) {
        bench->lists[m] = bench->system->action_lists[m];
        bench->lengths[m] = bench->system->action_counts[m];
    }
    const size_t all = bench->lengths[m];
    if (all + before.action_count >= UINT16_MAX)
        return base_refuse(problem, "the machine %s has too many actions for a change",
                           machine_of(bench->system, m)->name);
    const bool is_copied = bench->longer[m] != NULL && all > bench->system->action_counts[m];
    BASE_TRY(base_reserve(&bench->longer[m], &bench->capacities[m], all + before.action_count + 1U,
                          sizeof *bench->longer[m], problem));
    uint16_t *to = bench->longer[m];
    if (!is_copied)
        memcpy(to, bench->lists[m], all * sizeof *to);
    size_t count = all;
    for (uint32_t i = 0; i <= before.action_count; i++) {
        if (change->kind == SIM_CHANGE_ADD && i == change->place)
            to[count++] = (uint16_t)change->action;
        if (i < before.action_count && !(change->kind == SIM_CHANGE_DROP && i == change->place))
            to[count++] = to[before.first_action + i];
    }
    cell->first_action = (uint16_t)all;
    cell->action_count = (uint8_t)(count - all);
    cell->sequence = 0;
    sim_check_room(machine_of(bench->system, m), to + all, (uint32_t)(count - all), cell);
    bench->lengths[m] = count;
    use_list(bench, m, to);
    return COL_OK;
}

col_status sim_change_make(sim_bench *bench, const sim_change *change, col_problem *problem) {
    if (bench->count == SIM_MOST_CHANGES)
        return base_refuse(problem, "at most %d changes can be made at once", SIM_MOST_CHANGES);
    if (change->kind == SIM_CHANGE_CORE) {
        const uint32_t without = bench->system->cores[0].pipeline->without;
        bench->made[bench->count].cell = NULL;
        bench->made[bench->count++].without = without;
        set_cores(bench->system, without & ~(1U << change->event));
        return COL_OK;
    }
    sl_cell *cell = cell_of(bench->system, change->machine, change->state, change->event);
    bench->made[bench->count].cell = cell;
    bench->made[bench->count++].before = *cell;
    if (change->kind == SIM_CHANGE_ADD || change->kind == SIM_CHANGE_DROP)
        return change_actions(bench, change, cell, problem);
    if (change->kind == SIM_CHANGE_LIKE)
        *cell = *cell_of(bench->system, change->machine, change->like, change->event);
    cell->next = (uint16_t)change->next;
    cell->flags &= (uint8_t)~SL_NEXT_BY_FUNCTION;
    return COL_OK;
}

void sim_bench_free(sim_bench *bench) {
    sim_change_undo(bench, 0);
    for (uint32_t m = 0; m < SIM_MOST_MACHINES; m++)
        free(bench->longer[m]);
}

/* ---- In words. */

static const char *dropped(const sim_system *system, const sim_change *change) {
    const sl_cell *cell = cell_of(system, change->machine, change->state, change->event);
    const uint16_t *list = system->action_lists[change->machine] + cell->first_action;
    return machine_of(system, change->machine)->actions[list[change->place]];
}

void sim_change_say(const sim_system *system, const sim_change *change, base_text *text) {
    if (change->kind == SIM_CHANGE_CORE) {
        base_text_print(text, "the cores need %s", sim_mechanisms[change->event]);
        return;
    }
    const sl_machine *m = machine_of(system, change->machine);
    base_text_print(text, "%s %s %s ", m->name, m->states[change->state], m->events[change->event]);
    switch (change->kind) {
    case SIM_CHANGE_NEXT:
        base_text_print(text, "should lead to %s", m->states[change->next]);
        break;
    case SIM_CHANGE_ADD:
        base_text_print(text, "needs %s", m->actions[change->action]);
        break;
    case SIM_CHANGE_DROP:
        base_text_print(text, "should not do %s", dropped(system, change));
        break;
    case SIM_CHANGE_LIKE:
        base_text_print(text, "is undefined; it could do as in %s and go to %s",
                        m->states[change->like], m->states[change->next]);
        break;
    case SIM_CHANGE_CORE: /* see above */
        break;
    }
}

static void write_list(const sim_system *system, const sim_change *change, base_text *text) {
    const sl_machine *m = machine_of(system, change->machine);
    const sl_cell *cell = cell_of(system, change->machine, change->state, change->event);
    const char *between = "";
    for (uint32_t i = 0; i <= cell->action_count; i++) {
        if (i == change->place && change->kind == SIM_CHANGE_ADD) {
            base_text_print(text, "%s%s", between, m->actions[change->action]);
            between = ", ";
        }
        if (i == cell->action_count || (i == change->place && change->kind == SIM_CHANGE_DROP))
            continue;
        base_text_print(text, "%s%s", between,
                        m->actions[system->action_lists[change->machine][cell->first_action + i]]);
        between = ", ";
    }
}

void sim_change_write(const sim_system *system, const sim_change *change, base_text *text) {
    if (change->kind == SIM_CHANGE_CORE) {
        base_text_print(text, "{ with: [%s] }", sim_mechanisms[change->event]);
        return;
    }
    const sl_machine *m = machine_of(system, change->machine);
    const char *event = m->events[change->event];
    base_text_print(text, "{ at: %s/%s/%s, ", m->name, m->states[change->state], event);
    if (change->kind == SIM_CHANGE_NEXT) {
        base_text_print(text, "next: %s }", m->states[change->next]);
    } else if (change->kind == SIM_CHANGE_LIKE) {
        base_text_print(text, "new: true, next: %s, as: %s/%s/%s }", m->states[change->next],
                        m->name, m->states[change->like], event);
    } else if (change->kind == SIM_CHANGE_ADD && change->place == 0) {
        base_text_print(text, "plus: [%s] }", m->actions[change->action]);
    } else {
        base_text_add(text, "actions: [");
        write_list(system, change, text);
        base_text_add(text, "] }");
    }
}
