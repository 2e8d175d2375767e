/* SPDX-License-Identifier: MIT */
/* Opening a design, whatever kind it is, and handing on what is asked of it. */
#include "duv/duv.h"

#include "duv/child.h"
#include "duv/kind.h"
#include "duv/view.h"
#include "duv/waves.h"

#include <dlfcn.h>
#include <stdlib.h>

struct col_duv {
    const col_duv_interface *interface;
    const duv_kind *kind; /* that has the code */
    void *code;           /* what the kind loaded; NULL: nothing */
    duv_child *child;     /* the process that has the state; NULL: this one */
    void *state;
    const col_duv_description *description;
    const col_program *program;   /* that is loaded; NULL: none */
    bool reads_only;              /* it shows events, and nobody wants them */
    col_duv_description of_reads; /* if so: what it would say of itself */
    duv_view view;
    duv_sights *sights; /* its points, if it has none of its own and shows reads; else NULL */
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

static col_status open_here(col_duv *duv, const col_duv_settings *settings, col_problem *problem) {
    const col_status status = duv->interface->open(&duv->state, settings, problem);
    if (status != COL_OK)
        return status;
    duv->description = duv->interface->describe(duv->state);
    const col_status checked = duv_check_description(duv->description, problem);
    if (checked != COL_OK)
        duv->interface->close(duv->state);
    return checked;
}

static col_status open_state(col_duv *duv, const col_duv_settings *settings, col_problem *problem) {
    const char *name = settings->name != NULL ? settings->name : duv->interface->name;
    const col_status status = check_interface(duv->interface, name, problem);
    if (status != COL_OK)
        return status;
    const bool has_process = duv->kind != NULL && duv->kind->limit != NULL;
    if (has_process || (!settings->own_process && !duv->interface->own_process))
        return open_here(duv, settings, problem);
    const col_status started =
        duv_child_open(&duv->child, duv->kind, duv->interface, settings, problem);
    if (started == COL_OK)
        duv->description = duv_child_describe(duv->child);
    return started;
}

/* Where nothing else can be covered, what reads saw can be. */
static col_status open_sights(col_duv *duv, col_problem *problem) {
    if (duv->description->shows != COL_SHOWS_READS || duv->description->point_count > 0)
        return COL_OK;
    duv->sights = calloc(1, sizeof *duv->sights);
    if (duv->sights == NULL)
        return base_out_of_memory(problem);
    const col_status status = duv_sights_open(duv->sights, duv->description, problem);
    if (status == COL_OK)
        duv->description = &duv->sights->description;
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
    status = open_sights(duv, problem);
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
    if (settings->waves != NULL && kind->load_traced == NULL)
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
    col_status status = check_settings(kind, &own, problem);
    if (status == COL_OK && interface == NULL)
        status =
            (own.waves != NULL ? kind->load_traced : kind->load)(what, &interface, &code, problem);
    if (status != COL_OK)
        return status;
    const col_duv begun = {.interface = interface, .kind = kind, .code = code};
    status = open_with(duv, &begun, &own, problem);
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
    if (duv->child != NULL)
        duv_child_close(duv->child);
    else
        duv->interface->close(duv->state);
    if (duv->code != NULL)
        duv->kind->unload(duv->code);
    duv_view_free(&duv->view);
    if (duv->sights != NULL)
        duv_sights_free(duv->sights);
    free(duv->sights);
    free(duv);
}

/* ---- Using it. */

const char *duv_wave_table(const col_duv *duv) {
    return duv->code == NULL ? NULL : (const char *)dlsym(duv->code, "collider_waves");
}

const col_duv_description *col_duv_describe(const col_duv *duv) {
    return duv->description;
}

col_status col_duv_load(col_duv *duv, const col_program *program, col_problem *problem) {
    duv->program = NULL;
    col_status status = duv_check_program(duv->description, program, problem);
    if (status != COL_OK)
        return status;
    status = duv->child != NULL ? duv_child_load(duv->child, program, problem)
                                : duv->interface->load(duv->state, program, problem);
    if (status == COL_OK && duv->sights != NULL)
        status = duv_sights_load(duv->sights, program, problem);
    duv->program = status == COL_OK ? program : NULL;
    return status;
}

col_status col_duv_run(col_duv *duv, uint64_t seed, const col_observer *observer,
                       const volatile int *stop, col_run *run, col_problem *problem) {
    *run = (col_run){.end = COL_RUN_COMPLETE};
    if (duv->program == NULL)
        return base_refuse(problem, "no program is loaded");
    const bool has_view =
        observer != NULL && (duv->reads_only || duv->description->merges || duv->sights != NULL);
    col_observer view;
    if (duv->sights != NULL)
        duv_sights_begin(duv->sights);
    duv->view.sights = duv->sights;
    if (has_view)
        view = duv_view_begin(&duv->view, duv->program, observer, duv->reads_only);
    const col_observer *told = has_view ? &view : observer;
    const col_status status = duv->child != NULL
                                  ? duv_child_run(duv->child, seed, told, stop, run, problem)
                                  : duv->interface->run(duv->state, seed, told, stop, run, problem);
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
    if (duv->sights != NULL)
        duv_sights_collect(duv->sights, hits);
    else if (duv->child != NULL)
        duv_child_collect(duv->child, hits);
    else
        duv->interface->collect(duv->state, hits);
}

void col_duv_limit(col_duv *duv, double seconds) {
    if (duv->child != NULL)
        duv_child_limit(duv->child, seconds);
    else if (duv->kind != NULL && duv->kind->limit != NULL)
        duv->kind->limit(duv->state, seconds);
}

void col_duv_interrupt(col_duv *duv, const volatile int *stop) {
    if (duv->child != NULL)
        duv_child_interrupt(duv->child, stop);
    else if (duv->kind != NULL && duv->kind->interrupt != NULL)
        duv->kind->interrupt(duv->state, stop);
}

uint32_t duv_programs(const col_duv *duv) {
    const duv_kind *kind = duv->child == NULL ? duv->kind : NULL;
    return kind != NULL && kind->programs != NULL ? kind->programs(duv->state) : 1;
}

void duv_expect(col_duv *duv, const col_program *const *programs, uint32_t count) {
    if (duv_programs(duv) > 1)
        duv->kind->expect(duv->state, programs, count);
}

uint32_t duv_keys(const col_duv *duv) {
    if (duv->child != NULL)
        return duv_child_keys(duv->child);
    return duv->kind != NULL && duv->kind->keys != NULL ? duv->kind->keys(duv->state) : 0;
}

void duv_drawn(col_duv *duv, uint32_t configuration, uint8_t *values) {
    if (duv_keys(duv) == 0)
        return;
    if (duv->child != NULL)
        duv_child_drawn(duv->child, configuration, values);
    else
        duv->kind->drawn(duv->state, configuration, values);
}
