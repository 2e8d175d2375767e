/* SPDX-License-Identifier: MIT */
/* Transitions and their witnesses: see explore_results.h. */
#include "cli/explore_results.h"

#include "base/clock.h"
#include "base/folder.h"
#include "base/json.h"
#include "base/path.h"
#include "protocol/explore/witness_test.h"
#include "protocol/simulate/design_show.h"
#include "protocol/simulate/transition_table.h"

#include <string.h>

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
    BASE_TRY(sim_find_machine(protocol, words[0], &cell->machine, problem));
    const sl_machine *m = protocol->machines[cell->machine];
    col_status status = sim_find_state(m, words[1], &cell->state, problem);
    BASE_THEN(status, sim_find_event(m, words[2], &cell->event, problem));
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

/* ", given --options network.jitter=20", if it is not the design's. */
static void print_seeds(FILE *out, const exp_emission *emission) {
    const exp_network *n = &emission->network;
    base_print(out, "%s with %u of %d seeds", emission->is_random ? " by a random test" : "",
               emission->hits, EXP_EMISSION_SEEDS);
    if (emission->hits > 0 && !exp_network_is_own(n)) {
        base_print(out, ", given --options network.");
        if (n->number >= 0)
            base_print(out, "%d.", n->number);
        if (n->latency != SIM_AS_OTHERS)
            base_print(out, "latency=%u", n->latency);
        else
            base_print(out, "jitter=%u", n->jitter);
    }
    base_print(out, "\n");
}

col_status cli_witness_reach(const sim_system *system, const exp_exploration *found,
                             const cli_explore_request *r, const char *file,
                             const volatile int *stop, col_problem *problem) {
    const exp_witness *witness = find(&found->witnesses, &r->goal);
    exp_emission emission;
    if (witness == NULL) {
        base_print(stdout, "%s\n", verdict_of(found, NULL));
        return COL_OK;
    }
    base_print(stdout, "reachable in %u step%s:\n", witness->count, base_plural(witness->count));
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
    if (file == NULL)
        return COL_OK;
    col_status status =
        exp_emit(system, witness, r->seed, r->search.accesses, stop, &emission, problem);
    if (status != COL_OK || base_is_stopped(stop)) {
        col_program_free(&emission.program);
        return status;
    }
    status = col_program_write_file(&emission.program, file, problem);
    col_program_free(&emission.program);
    if (status == COL_OK) {
        base_print(stdout, "%s takes it", file);
        print_seeds(stdout, &emission);
    }
    return status;
}

/* ---- All of them. */

/* A folder of tests that is filled, and what came of it. */
typedef struct filling {
    const sim_system *system;
    const char *folder;
    FILE *out;
    uint32_t tried, taken; /* in one seed or more */
    uint32_t often;        /* in half or more */
    uint32_t slowed;       /* only on another network */
    uint32_t random;       /* only by random tests */
    uint32_t unforeseen;   /* that the search had not reached: by random tests, too */
    uint32_t before;       /* had a test */
} filling;

enum { NAME_BYTES = 256 };

static void name_test(const filling *f, const exp_cell *cell, char *name) {
    const sl_machine *m = f->system->protocol->machines[cell->machine];
    (void)snprintf(name, NAME_BYTES, "%s-%s-%s.txt", m->name, m->states[cell->state],
                   m->events[cell->event]);
}

static bool has_no_test(void *context, const exp_cell *cell) {
    filling *f = context;
    char name[NAME_BYTES];
    name_test(f, cell, name);
    const bool has_test = base_folder_has(f->folder, name);
    f->before += has_test;
    return !has_test;
}

static col_status write_test(const filling *f, const exp_cell *cell, const col_program *program,
                             col_problem *problem) {
    char name[NAME_BYTES], path[PATH_MAX];
    name_test(f, cell, name);
    const col_status status = base_path_in(path, f->folder, name, problem);
    return status == COL_OK ? col_program_write_file(program, path, problem) : status;
}

static col_status take_test(void *context, const exp_cell *cell, bool has_witness,
                            exp_emission *emission, col_problem *problem) {
    filling *f = context;
    const sl_machine *m = f->system->protocol->machines[cell->machine];
    const bool is_taken = emission->hits > 0;
    if (has_witness) {
        f->tried++;
        f->taken += is_taken;
        f->often += emission->hits >= EXP_EMISSION_SEEDS / 2;
        f->slowed += is_taken && !exp_network_is_own(&emission->network);
        f->random += emission->is_random;
    } else {
        f->unforeseen++;
    }
    base_print(f->out, "%s %s %s is taken", m->name, m->states[cell->state],
               m->events[cell->event]);
    print_seeds(f->out, emission);
    return is_taken ? write_test(f, cell, &emission->program, problem) : COL_OK;
}

col_status cli_witness_emit_all(const sim_system *system, const exp_exploration *found,
                                const cli_explore_request *r, const char *folder, FILE *out,
                                const volatile int *stop, col_problem *problem) {
    filling f = {.system = system, .folder = folder, .out = out};
    const exp_aims aims = {.seed = r->seed,
                           .stop = stop,
                           .random_programs = EXP_RANDOM_PROGRAMS,
                           .accesses = r->search.accesses,
                           .wants = has_no_test,
                           .take = take_test,
                           .context = &f};
    col_status status = base_folder_make(folder, problem);
    BASE_THEN(status, exp_emit_all(system, &found->witnesses, &aims, problem));
    if (status == COL_OK)
        base_print(out,
                   "%u transition%s tried: %u taken, %u with half of the seeds or more, %u only on "
                   "another network, %u by random tests; %u more by random tests; %u had a test "
                   "before\n",
                   f.tried, base_plural(f.tried), f.taken, f.often, f.slowed, f.random,
                   f.unforeseen, f.before);
    return status;
}
