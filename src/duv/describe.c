/* SPDX-License-Identifier: MIT */
/*
 * The description of a design: how functional points are numbered, and whether a plug-in's
 * description holds together. Everything else relies on that and does not look again.
 */
#include "duv/duv.h"

#include "base/plural.h"
#include "isa/stub.h"
#include "program/geometry.h"

#include <ctype.h>

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

static col_status check_names(const col_duv_description *d, col_problem *problem) {
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
    const col_status status = prg_geometry_check(&d->geometry, problem);
    if (status != COL_OK)
        return status;
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
    return check_names(d, problem);
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

static col_status check_operations(const col_duv_description *d, const col_program *program,
                                   col_problem *problem) {
    const uint32_t refused = duv_refused(d);
    const uint32_t count = refused == 0 ? 0 : col_program_operations(program);
    for (uint32_t o = 0; o < count; o++)
        if ((refused >> program->operations[o].kind & 1) != 0)
            return base_refuse(problem, "the design %.100s takes no '%s'", d->name,
                               col_kinds[program->operations[o].kind].name);
    return COL_OK;
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
    return check_operations(d, program, problem);
}
