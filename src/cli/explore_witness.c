/* SPDX-License-Identifier: MIT */
/* Transitions and their witnesses: see explore_witness.h. */
#include "cli/explore_witness.h"
#include "base/folder.h"
#include "base/json.h"
#include "base/plural.h"
#include "explore/emit.h"
#include "sim/edit.h"
#include "sim/reached.h"
#include "sim/show.h"

#include <stdio.h>
#include <string.h>

enum { EMISSION_SEED = 1 };

col_status cli_witness_parse(const sl_protocol *protocol, const char *text, exp_cell *cell,
                             col_problem *problem) {
    char words[3][64];
    int length = 0;
    if (sscanf(text, "%63s %63s %63s %n", words[0], words[1], words[2], &length) != 3 ||
        text[length] != '\0')
        return base_refuse(problem,
                           "--reach is a machine, a state and an event such as 'L1Cache IS_I "
                           "Data', not '%.60s'",
                           text);
    col_status status = sim_find_machine(protocol, words[0], &cell->machine, problem);
    if (status != COL_OK)
        return status;
    const sl_machine *m = protocol->machines[cell->machine];
    status = sim_find_state(m, words[1], &cell->state, problem);
    if (status == COL_OK)
        status = sim_find_event(m, words[2], &cell->event, problem);
    const sl_cell *found = status == COL_OK ? sim_cell(m, cell->state, cell->event) : NULL;
    if (status == COL_OK && (found == NULL || !sim_is_transition(found)))
        status = base_refuse(problem, "%s has no transition from %s at %s", words[0], words[1],
                             words[2]);
    return status;
}

/* ---- Paths as JSON. */

static const char *access_name(int32_t request) {
    switch (request) {
    case SL_LD:
        return "load";
    case SL_FLUSH:
        return "flush";
    case SL_ATOMIC:
        return "swap";
    case SL_ACQUIRE:
        return "fence";
    default:
        return "store";
    }
}

static json_t *make_step(const exp_path_step *s) {
    if (s->kind == EXP_ACCESS)
        return json_pack("{s:s, s:i, s:I}", "access", access_name(s->request), "core", (int)s->core,
                         "block", (json_int_t)s->block);
    if (s->kind == EXP_MESSAGE)
        return json_pack("{s:s, s:s, s:i, s:s}", "message", s->message, "machine", s->machine,
                         "number", (int)s->number, "queue", s->queue);
    return json_pack("{s:I, s:s, s:i}", "time", (json_int_t)s->block, "machine", s->machine,
                     "number", (int)s->number);
}

static json_t *make_path(const exp_witness *witness) {
    json_t *path = json_array();
    for (uint32_t i = 0; i < witness->count; i++)
        base_json_append(&path, make_step(&witness->steps[i]));
    return path;
}

static const exp_witness *find(const exp_witnesses *all, const exp_cell *cell) {
    for (uint32_t i = 0; i < all->count; i++)
        if (memcmp(&all->list[i].cell, cell, sizeof *cell) == 0)
            return &all->list[i];
    return NULL;
}

static const char *verdict_of(const exp_exploration *found, const exp_witness *witness) {
    return witness != NULL   ? "reachable"
           : found->complete ? "not reachable in this abstraction"
                             : "unknown";
}

static json_t *make_transition(const sl_machine *m, const exp_exploration *found,
                               const exp_cell *cell) {
    const exp_witness *witness = find(&found->witnesses, cell);
    return json_pack("{s:s, s:s, s:s, s:s, s:o}", "machine", m->name, "state",
                     m->states[cell->state], "event", m->events[cell->event], "verdict",
                     verdict_of(found, witness), "path",
                     witness == NULL ? json_null() : make_path(witness));
}

col_status cli_witness_write(const sim_system *system, uint32_t blocks,
                             const exp_exploration *found, const char *file, col_problem *problem) {
    const sl_protocol *p = system->protocol;
    json_t *transitions = json_array();
    exp_cell cell;
    for (cell.machine = 0; cell.machine < p->machine_count; cell.machine++) {
        const sl_machine *m = p->machines[cell.machine];
        for (cell.state = 0; cell.state < m->state_count; cell.state++)
            for (cell.event = 0; cell.event < m->event_count; cell.event++) {
                const sl_cell *row = sim_cell(m, cell.state, cell.event);
                if (row != NULL && sim_is_transition(row))
                    base_json_append(&transitions, make_transition(m, found, &cell));
            }
    }
    return base_json_write(file,
                           json_pack("{s:s, s:i, s:i, s:b, s:o}", "protocol", p->name, "cores",
                                     (int)system->wiring.cores, "blocks", (int)blocks, "complete",
                                     (int)found->complete, "transitions", transitions),
                           problem);
}

/* ---- One transition. */

static void print_path(const exp_witness *witness) {
    for (uint32_t i = 0; i < witness->count; i++) {
        const exp_path_step *s = &witness->steps[i];
        if (s->kind == EXP_ACCESS)
            base_print(stdout, "core %u: %s 0x%llx\n", s->core, access_name(s->request),
                       (unsigned long long)s->block);
        else if (s->kind == EXP_MESSAGE)
            base_print(stdout, "%s %u gets a %s in %s\n", s->machine, s->number, s->message,
                       s->queue);
        else
            base_print(stdout, "%s %u: a time has come\n", s->machine, s->number);
    }
}

/* "; with --options network.jitter=20", if it is not the design's. */
static void print_seeds(const sim_system *system, const exp_emission *emission) {
    base_print(stdout, " with %u of %d seeds", emission->hits, EXP_EMISSION_SEEDS);
    if (emission->hits > 0 && emission->jitter != system->wiring.jitter)
        base_print(stdout, ", given --options network.jitter=%u", emission->jitter);
    base_print(stdout, "\n");
}

/* Writes the test; of all: if it takes the transition. */
static col_status emit(const sim_system *system, const exp_witness *witness, const char *file,
                       bool always, exp_emission *emission, col_problem *problem) {
    col_status status = exp_emit(system, witness, EMISSION_SEED, emission, problem);
    if (status != COL_OK)
        return status;
    if (always || emission->hits > 0)
        status = col_program_write_file(&emission->program, file, problem);
    col_program_free(&emission->program);
    return status;
}

col_status cli_witness_reach(const sim_system *system, const exp_exploration *found,
                             const exp_cell *cell, const char *file, col_problem *problem) {
    const exp_witness *witness = find(&found->witnesses, cell);
    exp_emission emission;
    if (witness == NULL) {
        base_print(stdout, "%s\n", verdict_of(found, NULL));
        return COL_OK;
    }
    base_print(stdout, "reachable in %u step%s:\n", witness->count, base_plural(witness->count));
    print_path(witness);
    if (file == NULL)
        return COL_OK;
    const col_status status = emit(system, witness, file, true, &emission, problem);
    if (status == COL_OK) {
        base_print(stdout, "%s takes it", file);
        print_seeds(system, &emission);
    }
    return status;
}

/* ---- All of them. */

typedef struct tally {
    uint32_t tried, taken; /* in one seed or more */
    uint32_t often;        /* in half or more */
    uint32_t jittered;     /* only on a network with more jitter */
    uint32_t before;       /* had a test */
} tally;

static col_status emit_one(const sim_system *system, const exp_witness *witness, const char *folder,
                           tally *t, col_problem *problem) {
    const sl_machine *m = system->protocol->machines[witness->cell.machine];
    const char *state = m->states[witness->cell.state], *event = m->events[witness->cell.event];
    char name[256];
    exp_emission emission;
    base_text path = {0};
    (void)snprintf(name, sizeof name, "%s-%s-%s.txt", m->name, state, event);
    if (base_folder_has(folder, name)) {
        t->before++;
        return COL_OK;
    }
    base_text_print(&path, "%s/%s", folder, name);
    col_status status = base_text_status(&path, problem);
    if (status == COL_OK)
        status = emit(system, witness, path.data, false, &emission, problem);
    base_text_free(&path);
    if (status != COL_OK)
        return status;
    t->tried++;
    t->taken += emission.hits > 0;
    t->often += emission.hits >= EXP_EMISSION_SEEDS / 2;
    t->jittered += emission.hits > 0 && emission.jitter != system->wiring.jitter;
    base_print(stdout, "%s %s %s is taken", m->name, state, event);
    print_seeds(system, &emission);
    return COL_OK;
}

col_status cli_witness_emit_all(const sim_system *system, const exp_exploration *found,
                                const char *folder, const volatile int *stop,
                                col_problem *problem) {
    col_status status = base_folder_make(folder, problem);
    tally t = {0};
    for (uint32_t i = 0; i < found->witnesses.count && status == COL_OK && *stop == 0; i++)
        status = emit_one(system, &found->witnesses.list[i], folder, &t, problem);
    if (status != COL_OK)
        return status;
    base_print(stdout,
               "%u transition%s tried: %u taken, %u with half of the seeds or more, %u only on a "
               "network with more jitter; %u had a test before\n",
               t.tried, base_plural(t.tried), t.taken, t.often, t.jittered, t.before);
    return COL_OK;
}
