/* SPDX-License-Identifier: MIT */
/* Recording the events of an instance: see timeline.h. */
#include "base/memory.h"
#include "episode/story_parts.h"
#include "episode/timeline_parts.h"

#include <stdlib.h>

static bool is_of_core(const epi_timeline *t, uint32_t machine, uint32_t controller) {
    const col_duv_description *d = t->story->design;
    if (controller != t->filter.core)
        return false;
    return machine == COL_OF_CORE ||
           (machine < d->machine_count && d->machines[machine].is_private);
}

bool epi_moment_is_message(const epi_moment *m) {
    return m->kind == COL_MESSAGE_SENT || m->kind == COL_MESSAGE_RECEIVED;
}

static bool is_failure(uint32_t kind) {
    return kind == COL_PROTOCOL_ERROR || kind == COL_DEADLOCK || kind == COL_INVARIANT_BROKEN;
}

/* What ended the instance passes every filter but the cycles. */
static bool passes(const epi_timeline *t, const epi_moment *m) {
    const epi_filter *f = &t->filter;
    if (m->cycle < f->from || m->cycle > f->to)
        return false;
    if (is_failure(m->kind))
        return true;
    if (f->has_block && m->block != f->block)
        return false;
    if (!f->has_core)
        return true;
    if (m->kind == COL_TRANSITION)
        return is_of_core(t, m->machine, m->controller);
    if (epi_moment_is_message(m))
        return is_of_core(t, m->machine, m->controller) || is_of_core(t, m->state, m->event);
    return m->core == f->core;
}

/* The blocks of operations are those of the program: designs need not tell them. */
static uint64_t block_of(const epi_timeline *t, const col_event *event) {
    const col_program *p = t->story->program;
    const bool is_operation =
        event->kind == COL_LOAD_PERFORMED || event->kind == COL_STORE_PERFORMED ||
        (event->kind >= COL_OPERATION_ISSUED && event->kind <= COL_LOAD_SQUASHED);
    if (!is_operation)
        return event->block;
    if (event->operation >= col_program_operations(p) ||
        !col_kinds[p->operations[event->operation].kind].located)
        return 0;
    return epi_story_block_of(t->story, p->operations[event->operation].location);
}

/* Is what it speaks of there? A design may be anybody's. */
static bool is_sound(const epi_timeline *t, const epi_moment *m) {
    const col_duv_description *d = t->story->design;
    const uint32_t operations = col_program_operations(t->story->program);
    switch (m->kind) {
    case COL_TRANSITION:
        return m->machine < d->machine_count && m->controller < d->machines[m->machine].controllers;
    case COL_MESSAGE_SENT:
    case COL_MESSAGE_RECEIVED:
        return epi_is_party(t, m->machine, m->controller) && epi_is_party(t, m->state, m->event);
    case COL_EVICTION:
        return m->core < d->cores;
    case COL_PROTOCOL_ERROR:
    case COL_DEADLOCK:
    case COL_INVARIANT_BROKEN:
        return true;
    case COL_LOAD_BOUND:
        if (m->next_state >= operations)
            return false;
        /* fall through */
    default:
        return m->core < d->cores && m->operation < operations;
    }
}

bool epi_is_party(const epi_timeline *t, uint32_t machine, uint32_t controller) {
    const col_duv_description *d = t->story->design;
    if (machine == COL_OF_MEMORY)
        return true;
    if (machine == COL_OF_CORE)
        return controller < d->cores;
    return machine < d->machine_count && controller < d->machines[machine].controllers;
}

static void notice(void *context, const col_event *event) {
    epi_timeline *t = context;
    const bool is_over = t->ended != NULL && *t->ended != 0;
    if (t->failed || (is_over && event->cycle != t->cycle))
        return;
    t->cycle = event->cycle;
    epi_moment m = {.cycle = event->cycle,
                    .block = block_of(t, event),
                    .word = event->word,
                    .overwritten = event->overwritten,
                    .read = event->read,
                    .core = event->core,
                    .operation = event->operation,
                    .machine = event->machine,
                    .controller = event->controller,
                    .state = event->state,
                    .event = event->event,
                    .next_state = event->next_state,
                    .kind = (uint8_t)event->kind,
                    .source = event->source <= COL_FROM_MEMORY ? (uint8_t)event->source : 0};
    if (!is_sound(t, &m) || !passes(t, &m))
        return;
    m.name = (uint16_t)epi_name_add(&t->names, event->message);
    const uint64_t kept = t->count < t->most ? t->count + 1 : t->most;
    if (base_reserve(&t->moments, &t->capacity, (size_t)kept, sizeof *t->moments, NULL) != COL_OK) {
        t->failed = true;
        return;
    }
    t->moments[t->count++ % t->most] = m;
}

col_status epi_timeline_new(epi_timeline **timeline, const epi_story *story,
                            const epi_filter *filter, uint32_t most, const volatile int *ended,
                            col_problem *problem) {
    if (filter->has_core && filter->core >= story->design->cores)
        return base_refuse(problem, "the design has no core %u; it has %u, from 0", filter->core,
                           story->design->cores);
    epi_timeline *t = calloc(1, sizeof *t);
    if (t == NULL)
        return base_out_of_memory(problem);
    *t = (epi_timeline){.story = story, .filter = *filter, .most = most, .ended = ended};
    const uint32_t bits = story->design->geometry.block_bits;
    t->filter.block = t->filter.block >> bits << bits;
    *timeline = t;
    return COL_OK;
}

void epi_timeline_free(epi_timeline *t) {
    if (t == NULL)
        return;
    epi_names_free(&t->names);
    free(t->moments);
    free(t);
}

col_observer epi_timeline_observer(epi_timeline *t) {
    return (col_observer){.context = t, .notice = notice, .kinds = (1U << COL_EVENT_KINDS) - 1};
}

col_status epi_timeline_status(const epi_timeline *t, col_problem *problem) {
    return t->failed || t->names.failed ? base_out_of_memory(problem) : COL_OK;
}

uint32_t epi_timeline_count(const epi_timeline *t) {
    return t->count < t->most ? (uint32_t)t->count : t->most;
}

uint64_t epi_timeline_missing(const epi_timeline *t) {
    return t->count - epi_timeline_count(t);
}

const epi_moment *epi_timeline_at(const epi_timeline *t, uint32_t i) {
    return &t->moments[(epi_timeline_missing(t) + i) % t->most];
}

bool epi_moment_follows(const epi_timeline *t, const epi_moment *here, const epi_moment *m) {
    const bool is_received = here->kind == COL_MESSAGE_RECEIVED;
    const bool is_controller = here->kind == COL_TRANSITION || here->kind == COL_PROTOCOL_ERROR ||
                               epi_moment_is_message(here);
    const uint32_t machine = is_received     ? here->state
                             : is_controller ? here->machine
                                             : COL_OF_CORE;
    const uint32_t number = is_received     ? here->event
                            : is_controller ? here->controller
                                            : here->core;
    if (m->kind != COL_TRANSITION || m->controller != number)
        return false;
    return m->machine == machine ||
           (machine == COL_OF_CORE && t->story->design->machines[m->machine].is_private);
}

uint32_t epi_timeline_wrong(const epi_timeline *t, const epi_ending *ending) {
    const uint32_t count = epi_timeline_count(t);
    const uint32_t culprit = epi_story_culprit(t->story, ending);
    for (uint32_t i = count; i > 0 && culprit != COL_INITIAL; i--) {
        const epi_moment *m = epi_timeline_at(t, i - 1);
        if ((m->kind == COL_LOAD_PERFORMED || m->kind == COL_STORE_PERFORMED) &&
            m->operation == culprit)
            return i - 1;
    }
    return count == 0 ? 0 : count - 1;
}

const epi_story *epi_timeline_story(const epi_timeline *t) {
    return t->story;
}

const char *epi_moment_name(const epi_timeline *t, const epi_moment *m) {
    return epi_name_of(&t->names, m->name);
}
