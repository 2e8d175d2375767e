/* SPDX-License-Identifier: MIT */
/* Opening a design, whatever kind it is, and handing on what is asked of it. */
#include "design/duv.h"

#include "base/memory.h"
#include "base/plugin.h"
#include "design/black_box_points.h"
#include "design/design_kind.h"
#include "design/isa/isa.h"
#include "design/own_process.h"
#include "program/geometry.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdlib.h>

struct col_duv {
    const col_duv_interface *interface;
    const duv_kind *kind; /* that has the code */
    void *code;           /* what the kind loaded; NULL: nothing */
    const duv_kind *own;  /* of the state: the kind, or a process that has it; NULL: not known */
    void *state;
    const col_duv_description *description;
    const col_program *program;   /* that is loaded; NULL: none */
    bool reads_only;              /* it shows events, and nobody wants them */
    col_duv_description of_reads; /* if so: what it would say of itself */
    duv_view view;
    duv_read_points
        *read_points; /* its points, if it has none of its own and shows reads; else NULL */
};

/* ---- Opening. */

static col_status check_interface(const col_duv_interface *i, const char *what,
                                  col_problem *problem) {
    if (i->version != COL_DUV_VERSION)
        return base_refuse(problem,
                           "%.200s is made for version %u of the design interface, this is version "
                           "%d; compile it again",
                           what, i->version, COL_DUV_VERSION);
    if (i->name == NULL || i->open == NULL || i->close == NULL || i->describe == NULL ||
        i->load == NULL || i->run == NULL || i->collect == NULL)
        return base_refuse(problem,
                           "the design interface of %.200s is not complete: a name and the "
                           "functions open, close, describe, load, run and collect are needed",
                           what);
    return COL_OK;
}

static col_status open_state(col_duv *duv, const col_duv_settings *settings, col_problem *problem) {
    const char *name = settings->name != NULL ? settings->name : duv->interface->name;
    BASE_TRY(check_interface(duv->interface, name, problem));
    col_status status = COL_OK;
    const bool has_process = duv->kind != NULL && duv->kind->wait != NULL;
    duv->own = duv->kind;
    if (has_process || (!settings->own_process && !duv->interface->own_process)) {
        status = duv->interface->open(&duv->state, settings, problem);
    } else {
        status = duv_child_open(&duv->state, duv->kind, duv->interface, settings, problem);
        duv->own = &duv_child;
        duv->interface = duv_child.interface;
    }
    if (status != COL_OK)
        return status;
    duv->description = duv->interface->describe(duv->state);
    status = duv_check_description(duv->description, problem);
    if (status != COL_OK)
        duv->interface->close(duv->state);
    return status;
}

/* Where nothing else can be covered, what reads saw can be. */
static col_status open_read_points(col_duv *duv, col_problem *problem) {
    if (duv->description->shows != COL_SHOWS_READS || duv->description->point_count > 0)
        return COL_OK;
    BASE_TRY(base_new(&duv->read_points, 1, sizeof *duv->read_points, problem));
    const col_status status = duv_read_points_open(duv->read_points, duv->description, problem);
    if (status == COL_OK)
        duv->description = &duv->read_points->description;
    return status;
}

static void look_at_reads(col_duv *duv, const col_duv_settings *settings) {
    duv->reads_only = settings->reads_only && duv->description->shows == COL_SHOWS_EVENTS;
    if (!duv->reads_only)
        return;
    duv->of_reads = *duv->description;
    duv->of_reads.shows = COL_SHOWS_READS;
    duv->of_reads.conditionals = false; /* nobody would know which of them stored */
    duv->description = &duv->of_reads;
}

static col_status open_with(col_duv **out, const col_duv *begun, const col_duv_settings *settings,
                            col_problem *problem) {
    col_duv *duv = malloc(sizeof *duv);
    if (duv == NULL)
        return base_out_of_memory(problem);
    *duv = *begun;
    col_status status = open_state(duv, settings, problem);
    if (status != COL_OK) {
        free(duv);
        return status;
    }
    look_at_reads(duv, settings);
    status = open_read_points(duv, problem);
    if (status != COL_OK) {
        duv->code = NULL; /* the caller's */
        col_duv_close(duv);
        return status;
    }
    *out = duv;
    return COL_OK;
}

static col_status check_settings(const duv_kind *kind, const col_duv_settings *settings,
                                 col_problem *problem) {
    if (settings->waves != NULL && !kind->has_waves)
        return duv_check_waves(settings->name, problem);
    if ((settings->error == NULL || kind->takes_errors) &&
        (settings->mutant == 0 || kind->takes_mutants))
        return COL_OK;
    return base_refuse(problem,
                       "design errors and mutants are for the built-in simulator; %s may have "
                       "options for its own",
                       kind->name);
}

col_status col_duv_open(col_duv **duv, const char *what, const col_duv_settings *settings,
                        col_problem *problem) {
    const duv_kind *kind = duv_kind_of(what);
    const col_duv_interface *interface = kind->interface;
    void *code = NULL;
    col_duv_settings own = settings != NULL ? *settings : (col_duv_settings){0};
    *duv = NULL;
    own.name = what;
    BASE_TRY(check_settings(kind, &own, problem));
    if (interface == NULL)
        BASE_TRY(kind->load(what, own.waves != NULL, &interface, &code, problem));
    const col_duv begun = {.interface = interface, .kind = kind, .code = code};
    const col_status status = open_with(duv, &begun, &own, problem);
    if (status != COL_OK && code != NULL)
        kind->unload(code);
    return status;
}

col_status col_duv_open_interface(col_duv **duv, const col_duv_interface *interface,
                                  const col_duv_settings *settings, col_problem *problem) {
    const col_duv_settings none = {0};
    *duv = NULL;
    const col_duv begun = {.interface = interface};
    return open_with(duv, &begun, settings != NULL ? settings : &none, problem);
}

void col_duv_close(col_duv *duv) {
    if (duv == NULL)
        return;
    duv->interface->close(duv->state);
    if (duv->code != NULL)
        duv->kind->unload(duv->code);
    duv_view_free(&duv->view);
    if (duv->read_points != NULL)
        duv_read_points_free(duv->read_points);
    free(duv->read_points);
    free(duv);
}

/* ---- Using it. */

const char *duv_wave_table(const col_duv *duv) {
    return duv->code == NULL ? NULL : (const char *)dlsym(duv->code, "collider_waves");
}

void duv_waves_from(const col_duv *duv, uint64_t cycle) {
    uint64_t *from = duv->code == NULL ? NULL : dlsym(duv->code, "collider_waves_from");
    if (from != NULL)
        *from = cycle;
}

const col_duv_description *col_duv_describe(const col_duv *duv) {
    return duv->description;
}

col_status col_duv_load(col_duv *duv, const col_program *program, col_problem *problem) {
    duv->program = NULL;
    BASE_TRY(duv_check_program(duv->description, program, problem));
    col_status status = duv->interface->load(duv->state, program, problem);
    if (status == COL_OK && duv->read_points != NULL)
        status = duv_read_points_load(duv->read_points, program, problem);
    duv->program = status == COL_OK ? program : NULL;
    return status;
}

col_status col_duv_run(col_duv *duv, uint64_t seed, const col_observer *observer,
                       const volatile int *stop, col_run *run, col_problem *problem) {
    *run = (col_run){.end = COL_RUN_COMPLETE};
    if (duv->program == NULL)
        return base_refuse(problem, "no program is loaded");
    const bool has_view = observer != NULL &&
                          (duv->reads_only || duv->description->merges || duv->read_points != NULL);
    col_observer view;
    if (duv->read_points != NULL)
        duv_read_points_begin(duv->read_points);
    duv->view.read_points = duv->read_points;
    if (has_view)
        view = duv_view_begin(&duv->view, duv->program, observer, duv->reads_only);
    const col_observer *told = has_view ? &view : observer;
    const col_status status = duv->interface->run(duv->state, seed, told, stop, run, problem);
    run->message[sizeof run->message - 1] = '\0';
    if (status == COL_OK && has_view && duv->view.status != COL_OK) {
        *problem = duv->view.problem;
        return duv->view.status;
    }
    if (status == COL_OK && (unsigned)run->end >= COL_RUN_END_COUNT)
        return base_fail(problem, "the design says that a run ended by %u, which means nothing",
                         (unsigned)run->end);
    return status;
}

void col_duv_collect(col_duv *duv, uint64_t *hits) {
    if (duv->read_points != NULL)
        duv_read_points_collect(duv->read_points, hits);
    else
        duv->interface->collect(duv->state, hits);
}

void col_duv_limit(col_duv *duv, double seconds) {
    if (duv->own != NULL && duv->own->wait != NULL)
        duv->own->wait(duv->state)->limit = seconds;
}

void col_duv_interrupt(col_duv *duv, const volatile int *stop) {
    if (duv->own != NULL && duv->own->wait != NULL)
        duv->own->wait(duv->state)->interrupt = stop;
}

uint32_t duv_programs(const col_duv *duv) {
    return duv->own != NULL && duv->own->programs != NULL ? duv->own->programs(duv->state) : 1;
}

void duv_expect(col_duv *duv, const col_program *const *programs, uint32_t count) {
    if (duv_programs(duv) > 1)
        duv->own->expect(duv->state, programs, count);
}

uint32_t duv_keys(const col_duv *duv) {
    return duv->own != NULL && duv->own->keys != NULL ? duv->own->keys(duv->state) : 0;
}

void duv_drawn(col_duv *duv, uint32_t configuration, uint8_t *values) {
    if (duv_keys(duv) != 0)
        duv->own->drawn(duv->state, configuration, values);
}

/* ---- Changes. */

static sim_bench *bench_of(const col_duv *duv) {
    return duv->own->bench(duv->state);
}

bool duv_has_changes(const col_duv *duv) {
    return duv->own != NULL && duv->own->bench != NULL;
}

uint32_t duv_change_count(const col_duv *duv, col_duv_cell cell) {
    return sim_change_count(bench_of(duv)->system, cell.machine, cell.state, cell.event);
}

duv_change duv_change_find(const col_duv *duv, col_duv_cell cell, uint32_t number) {
    return sim_change_find(bench_of(duv)->system, cell.machine, cell.state, cell.event, number);
}

bool duv_core_change(const col_duv *duv, uint32_t number, duv_change *change) {
    return sim_core_change(bench_of(duv)->system, number, change);
}

bool duv_change_is_of(const duv_change *a, const duv_change *b) {
    return a->machine == b->machine && a->event == b->event &&
           (a->state == b->state || (a->kind == SIM_CHANGE_LIKE && a->like == b->state));
}

bool duv_change_is_like(const duv_change *a, const duv_change *b) {
    return duv_change_is_of(a, b) && a->kind == SIM_CHANGE_ADD && b->kind == SIM_CHANGE_ADD &&
           a->action == b->action;
}

col_status duv_change_make(col_duv *duv, const duv_change *change, col_problem *problem) {
    return sim_change_make(bench_of(duv), change, problem);
}

void duv_change_undo(col_duv *duv, uint32_t left) {
    if (duv_has_changes(duv))
        sim_change_undo(bench_of(duv), left);
}

void duv_change_say(const col_duv *duv, const duv_change *change, base_text *text) {
    sim_change_say(bench_of(duv)->system, change, text);
}

void duv_change_write(const col_duv *duv, const duv_change *change, base_text *text) {
    sim_change_write(bench_of(duv)->system, change, text);
}

/*
 * The description of a design: how functional points are numbered, and whether a plug-in's
 * description holds together. Everything else relies on that and does not look again.
 */

enum { MOST_FUNCTIONAL = 1 << 28, MOST_CORES = 1 << 16 };

const char *const col_run_ends[COL_RUN_END_COUNT] = {
    [COL_RUN_COMPLETE] = "complete",   [COL_RUN_PROTOCOL_ERROR] = "protocol-error",
    [COL_RUN_DEADLOCK] = "deadlock",   [COL_RUN_INVARIANT] = "invariant",
    [COL_RUN_STOPPED] = "stopped",     [COL_RUN_CRASHED] = "crashed",
    [COL_RUN_TIMED_OUT] = "timed-out", [COL_RUN_STARVED] = "starvation",
};

const char *const col_shows_names[COL_SHOWS_COUNT] = {
    [COL_SHOWS_EVENTS] = "events", [COL_SHOWS_READS] = "reads"};

uint32_t col_duv_functional(const col_duv_description *d, uint32_t machine, uint32_t controller,
                            uint32_t point) {
    uint32_t before = 0;
    for (uint32_t m = 0; m < machine; m++)
        before += d->machines[m].controllers * d->machines[m].point_count;
    const col_duv_machine *own = &d->machines[machine];
    return before + controller * own->point_count + (point - own->first_point);
}

uint32_t col_duv_functional_count(const col_duv_description *d) {
    uint32_t count = 0;
    for (uint32_t m = 0; m < d->machine_count; m++)
        count += d->machines[m].controllers * d->machines[m].point_count;
    return count;
}

/* ---- Does it hold together? */

/* Names stand in files, one beside the other. */
static bool is_word(const char *name) {
    for (const char *c = name; *c != '\0'; c++)
        if (isspace((unsigned char)*c) || iscntrl((unsigned char)*c))
            return false;
    return true;
}

static col_status check_machine(const col_duv_description *d, uint32_t m, uint32_t first,
                                col_problem *problem) {
    const col_duv_machine *machine = &d->machines[m];
    if (machine->name == NULL || machine->name[0] == '\0' || !is_word(machine->name))
        return base_refuse(problem, "the name of the design's machine %u is not a word", m);
    if (machine->first_point != first || machine->point_count > d->point_count - first)
        return base_refuse(
            problem,
            "the points of the design's machine %s must begin at %u, behind those of "
            "the machines before it, and end within the %u points",
            machine->name, first, d->point_count);
    if (machine->is_private && machine->controllers != d->cores && machine->controllers != 0)
        return base_refuse(problem,
                           "the design's machine %s is private to a core, but %u cores have %u "
                           "controllers of it",
                           machine->name, d->cores, machine->controllers);
    for (uint32_t p = first; p < first + machine->point_count; p++) {
        const col_duv_point *point = &d->points[p];
        if (point->state == NULL || point->state[0] == '\0' || !is_word(point->state) ||
            point->event == NULL || !is_word(point->event))
            return base_refuse(problem, "the state or event of the design's point %u is not a word",
                               p);
    }
    return COL_OK;
}

static bool are_words(const char *const *names, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (names == NULL || names[i] == NULL || names[i][0] == '\0' || !is_word(names[i]))
            return false;
    return true;
}

col_status duv_check_description(const col_duv_description *d, col_problem *problem) {
    if (d == NULL || d->name == NULL || d->name[0] == '\0')
        return base_refuse(problem, "the design does not describe itself by a name");
    if (d->cores == 0 || d->cores > MOST_CORES)
        return base_refuse(problem, "the design describes itself with %u cores", d->cores);
    if ((unsigned)d->model >= COL_MODEL_COUNT)
        return base_refuse(problem, "the design promises memory model %u, which there is not",
                           (unsigned)d->model);
    if ((unsigned)d->shows >= COL_SHOWS_COUNT)
        return base_refuse(problem, "the design shows %u, which means nothing", (unsigned)d->shows);
    if (d->least_operations > d->most_operations ||
        (d->least_operations == 0) != (d->most_operations == 0))
        return base_refuse(problem, "the design likes tests of %u to %u operations best",
                           d->least_operations, d->most_operations);
    BASE_TRY(prg_geometry_check(&d->geometry, problem));
    if ((d->machine_count > 0 && d->machines == NULL) || (d->point_count > 0 && d->points == NULL))
        return base_refuse(problem, "the design's description has no machines, or no points");
    uint32_t first = 0;
    uint64_t functional = 0;
    for (uint32_t m = 0; m < d->machine_count; m++) {
        const col_status machine_status = check_machine(d, m, first, problem);
        if (machine_status != COL_OK)
            return machine_status;
        first += d->machines[m].point_count;
        functional += (uint64_t)d->machines[m].controllers * d->machines[m].point_count;
    }
    if (first != d->point_count)
        return base_refuse(problem, "of the design's %u points %u belong to no machine",
                           d->point_count, d->point_count - first);
    if (functional > MOST_FUNCTIONAL)
        return base_refuse(problem, "the design has more than %d functional points",
                           MOST_FUNCTIONAL);
    if (d->edited_count > 0 && d->edited == NULL)
        return base_refuse(problem, "the design's description has no edited cells");
    for (uint32_t m = 0; d->names != NULL && m < d->machine_count; m++) {
        const col_duv_names *names = &d->names[m];
        if (!are_words(names->states, names->state_count) ||
            !are_words(names->events, names->event_count))
            return base_refuse(problem,
                               "the name of a state or event of the design's machine %s is not a "
                               "word",
                               d->machines[m].name);
    }
    return COL_OK;
}

/* ---- What it takes. */

uint32_t duv_refused(const col_duv_description *d) {
    return d->refuses | (d->fetches || d->executes ? 0 : 1U << COL_FETCH) |
           (d->prefetches || d->executes ? 0 : 1U << COL_PREFETCH) |
           (d->conditionals ? 0 : 1U << COL_CONDITIONAL) |
           (d->dma ? 0 : 1U << COL_DMA_READ | 1U << COL_DMA_WRITE);
}

col_status duv_find_stubs(const col_program *program, uint64_t **stubs, col_problem *problem) {
    return isa_stub_places(program, 0, col_program_operations(program), stubs, problem);
}

bool duv_takes(const col_duv_description *d, const col_operation *operation,
               const uint64_t *stubs) {
    return (duv_refused(d) >> operation->kind & 1) == 0 &&
           (!d->executes || operation->kind != COL_FETCH ||
            stubs[operation->location] != ISA_NO_STUB);
}

col_status duv_check_program(const col_duv_description *d, const col_program *program,
                             col_problem *problem) {
    if (program->thread_count > d->cores)
        return base_refuse(problem, "the program has %u thread%s, the design %u core%s",
                           program->thread_count, base_plural(program->thread_count), d->cores,
                           base_plural(d->cores));
    if (program->is_narrow != d->is_narrow)
        return base_refuse(problem, "the program's words have %u bytes, those of the design %d",
                           col_program_word_bytes(program),
                           d->is_narrow ? COL_NARROW_BYTES : COL_WORD_BYTES);
    for (uint32_t l = 0; d->window != 0 && l < program->location_count; l++)
        if (program->addresses[l] > d->window - col_program_word_bytes(program))
            return base_refuse(problem,
                               "a%u is at 0x%llx, beyond the 0x%llx bytes of memory that the "
                               "design %.100s has for tests",
                               l, (unsigned long long)program->addresses[l],
                               (unsigned long long)d->window, d->name);
    const uint32_t refused = duv_refused(d);
    const uint32_t count = refused == 0 ? 0 : col_program_operations(program);
    for (uint32_t o = 0; o < count; o++)
        if ((refused >> program->operations[o].kind & 1) != 0)
            return base_refuse(problem, "the design %.100s takes no '%s'", d->name,
                               col_kinds[program->operations[o].kind].name);
    return COL_OK;
}

/* Designs that are plug-ins: shared objects that define col_duv_plugin. */

void duv_plugin_identify(duv_hasher *hasher, const char *what, const char *error_name,
                         duv_identity *identity) {
    (void)error_name; /* it takes none */
    duv_hash_file(hasher, what);
    duv_hash_end(hasher, identity->file);
}

col_status duv_plugin_load(const char *what, bool traces, const col_duv_interface **interface,
                           void **code, col_problem *problem) {
    const void *found = NULL;
    (void)traces; /* it cannot */
    const col_status status = base_plugin_load(what, "col_duv_plugin", &found, code, problem);
    *interface = found;
    return status;
}
