/* SPDX-License-Identifier: MIT */
/* Recording the events of an instance: see timeline.h. */
#include "episode/failure/timeline.h"

#include "base/memory.h"
#include "program/program.h"

#include <stdio.h>
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
    if (m->kind == COL_TRANSITION || m->kind == COL_POINT)
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
        (event->kind >= COL_OPERATION_ISSUED && event->kind <= COL_VALUE_RETURNED);
    if (!is_operation)
        return event->block;
    if (event->operation >= col_program_operations(p) ||
        !col_kinds[p->operations[event->operation].kind].located)
        return 0;
    return epi_story_block_of(t->story, p->operations[event->operation].location);
}

/* Can this send or receive messages? */
static bool is_party(const epi_timeline *t, uint32_t machine, uint32_t controller) {
    const col_duv_description *d = t->story->design;
    if (machine == COL_OF_MEMORY)
        return true;
    if (machine == COL_OF_BUS)
        return controller < EPI_MOST_BUSES;
    if (machine == COL_OF_CORE)
        return controller < d->cores;
    return machine < d->machine_count && controller < d->machines[machine].controllers;
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
        return is_party(t, m->machine, m->controller) && is_party(t, m->state, m->event);
    case COL_EVICTION:
        return m->core < d->cores;
    case COL_POINT:
        return m->machine < d->machine_count &&
               m->controller < d->machines[m->machine].controllers &&
               m->event < d->machines[m->machine].point_count;
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
    epi_timeline *t = NULL;
    BASE_TRY(base_new(&t, 1, sizeof *t, problem));
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
    const uint32_t unordered =
        1U << COL_FINAL_VALUE | 1U << COL_OUTPUT | 1U << COL_WAIT | 1U << COL_PLACED;
    return (col_observer){
        .context = t, .notice = notice, .kinds = ((1U << COL_EVENT_KINDS) - 1) & ~unordered};
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

const char *epi_moment_name(const epi_timeline *t, const epi_moment *m) {
    return epi_name_of(&t->names, m->name);
}

/* The events of an instance as lines and as JSON. docs/replay.md has the format: programs read it,
 * so columns and keys stay as they are. */

const char *const epi_verbs[COL_EVENT_KINDS] = {
    [COL_LOAD_PERFORMED] = "performs",
    [COL_STORE_PERFORMED] = "performs",
    [COL_TRANSITION] = "transition",
    [COL_EVICTION] = "loses",
    [COL_PROTOCOL_ERROR] = "error",
    [COL_DEADLOCK] = "deadlock",
    [COL_INVARIANT_BROKEN] = "error",
    [COL_MESSAGE_SENT] = "sends",
    [COL_MESSAGE_RECEIVED] = "gets",
    [COL_OPERATION_ISSUED] = "asks",
    [COL_LOAD_BOUND] = "binds",
    [COL_LOAD_SQUASHED] = "squashes",
    [COL_STORE_MERGED] = "merges",
    [COL_VALUE_RETURNED] = "returns",
    [COL_POINT] = "covers",
};

/* ---- Parts. */

/* "L1Cache 0", "core 2", "memory" */
static void say_party(const epi_timeline *t, uint32_t machine, uint32_t controller,
                      base_text *text) {
    char name[EPI_NAME];
    if (machine == COL_OF_MEMORY)
        base_text_add(text, "memory");
    else if (machine == COL_OF_BUS)
        base_text_print(text, "bus %u", controller);
    else if (machine == COL_OF_CORE)
        base_text_print(text, "core %u", controller);
    else
        base_text_add(text, epi_controller_name(t->story, machine, controller, name));
}

/* Whose it is, and who gets a message. */
static void say_who(const epi_timeline *t, const epi_moment *m, base_text *text) {
    switch (m->kind) {
    case COL_TRANSITION:
    case COL_POINT:
    case COL_MESSAGE_SENT:
        say_party(t, m->machine, m->controller, text);
        break;
    case COL_MESSAGE_RECEIVED:
        say_party(t, m->state, m->event, text);
        break;
    case COL_PROTOCOL_ERROR:
        if (m->machine < t->story->design->machine_count && !t->story->is_hardware)
            say_party(t, m->machine, m->controller, text);
        else
            base_text_add(text, "design");
        break;
    case COL_DEADLOCK:
    case COL_INVARIANT_BROKEN:
        base_text_add(text, "design");
        break;
    default:
        base_text_print(text, "core %u", m->core);
    }
}

static void say_word(uint64_t word, base_text *text) {
    base_text_number(text, word & UINT32_MAX);
    if (word >> 32 != 0)
        base_text_print(text, "+%llu", (unsigned long long)(word >> 32));
}

static bool has_value(const epi_timeline *t, const epi_moment *m) {
    return (m->kind == COL_LOAD_PERFORMED || m->kind == COL_STORE_PERFORMED ||
            m->kind == COL_LOAD_BOUND) &&
           col_kinds[t->story->program->operations[m->operation].kind].reads;
}

static uint64_t value_of(const epi_moment *m) {
    return m->kind == COL_STORE_PERFORMED ? m->read : m->word;
}

void epi_moment_operation(const epi_timeline *t, const epi_moment *m, base_text *text) {
    prg_operation_write(&t->story->program->operations[m->operation], text);
    if (!has_value(t, m))
        return;
    base_text_add(text, " = ");
    say_word(value_of(m), text);
    if (m->kind == COL_LOAD_PERFORMED &&
        col_kinds[t->story->program->operations[m->operation].kind].fails)
        base_text_add(text, ", failed");
}

static bool is_edited(const epi_timeline *t, const epi_moment *m) {
    const epi_note note = {
        .kind = m->kind, .machine = m->machine, .state = m->state, .event = m->event};
    return epi_is_edited(t->story, &note);
}

static void say_transition(const epi_timeline *t, const epi_moment *m, base_text *text) {
    char state[EPI_NAME], event[EPI_NAME], next[EPI_NAME];
    base_text_print(text, "%s %s -> %s%s", epi_state_name(t->story, m->machine, m->state, state),
                    epi_event_name(t->story, m->machine, m->event, event),
                    epi_state_name(t->story, m->machine, m->next_state, next),
                    is_edited(t, m) ? " (edited)" : "");
}

static void say_message(const epi_timeline *t, const epi_moment *m, base_text *text) {
    const bool is_sent = m->kind == COL_MESSAGE_SENT;
    base_text_print(text, "%s #%llu %s ", epi_moment_name(t, m), (unsigned long long)m->word,
                    is_sent ? "to" : "from");
    if (is_sent)
        say_party(t, m->state, m->event, text);
    else
        say_party(t, m->machine, m->controller, text);
}

static void say_operation(const epi_timeline *t, const epi_moment *m, base_text *text) {
    const bool has_source = has_value(t, m) && epi_sources[m->source] != NULL;
    epi_moment_operation(t, m, text);
    base_text_add(text, " (");
    epi_say_place(t->story, m->operation, text);
    base_text_add(text, ")");
    if (has_source)
        base_text_print(text, ", from %s", epi_sources[m->source]);
    if (m->kind == COL_LOAD_BOUND && m->next_state != m->operation) {
        base_text_add(text, ", waits for ");
        epi_say_place(t->story, m->next_state, text);
    }
}

/* ---- Lines. */

void epi_moment_line(const epi_timeline *t, const epi_moment *m, base_text *text) {
    const size_t start = text->length;
    base_text_print(text, "%8llu  ", (unsigned long long)m->cycle);
    say_who(t, m, text);
    const size_t used = text->length - start - 10;
    base_text_print(text, "%*s %-10s 0x%-8llx ", used < EPI_WHO ? (int)(EPI_WHO - used) : 0, "",
                    epi_verbs[m->kind], (unsigned long long)m->block);
    if (m->kind == COL_TRANSITION)
        say_transition(t, m, text);
    else if (epi_moment_is_message(m))
        say_message(t, m, text);
    else if (m->kind == COL_EVICTION)
        base_text_add(text, "its private caches gave the block up");
    else if (is_failure(m->kind))
        base_text_add(text, epi_moment_name(t, m));
    else if (m->kind == COL_POINT)
        epi_say_point(t->story, &(epi_note){.machine = m->machine, .event = m->event}, text);
    else
        say_operation(t, m, text);
}

/* But for the cycle, and the number of a message? */
static bool are_alike(const void *context, size_t one, size_t other) {
    const epi_timeline *t = context;
    const epi_moment *a = epi_timeline_at(t, (uint32_t)one),
                     *b = epi_timeline_at(t, (uint32_t)other);
    return a->kind == b->kind && a->block == b->block &&
           (epi_moment_is_message(a) || a->word == b->word) && a->overwritten == b->overwritten &&
           a->read == b->read && a->core == b->core && a->operation == b->operation &&
           a->machine == b->machine && a->controller == b->controller && a->state == b->state &&
           a->event == b->event && a->next_state == b->next_state && a->name == b->name &&
           a->source == b->source;
}

static void say_fold(const epi_timeline *t, const base_fold *fold, base_text *text) {
    const size_t last = fold->first + fold->period * fold->times - 1;
    for (size_t i = 0; i < fold->period; i++) {
        epi_moment_line(t, epi_timeline_at(t, (uint32_t)(fold->first + i)), text);
        base_text_add(text, fold->times > 1 && fold->period == 1 ? " " : "\n");
    }
    if (fold->times == 1)
        return;
    base_text_add(text, fold->period > 1 ? "          " : "");
    epi_say_times(fold->period, fold->times, epi_timeline_at(t, (uint32_t)last)->cycle, text);
    base_text_add(text, "\n");
}

void epi_timeline_lines(const epi_timeline *t, bool all, base_text *text) {
    if (epi_timeline_missing(t) > 0)
        base_text_print(text,
                        "... %llu earlier events were not kept; narrow them down with "
                        "--block, --core, --from and --to ...\n",
                        (unsigned long long)epi_timeline_missing(t));
    const uint32_t count = epi_timeline_count(t);
    base_folding folding = {.alike = are_alike, .context = t, .count = count};
    base_fold fold;
    for (uint32_t i = 0; i < count && all; i++)
        say_fold(t, &(base_fold){i, 1, 1}, text);
    while (!all && base_fold_next(&folding, &fold))
        say_fold(t, &fold, text);
}

void epi_moment_block(const epi_timeline *t, const epi_moment *m, base_text *text) {
    epi_say_block(t->story, m->block, text);
}

/* The last transition of this controller for the block up to a moment; NULL: there was none. */
static const epi_moment *last_of(const epi_timeline *t, uint32_t i, uint32_t machine,
                                 uint32_t controller) {
    const uint64_t block = epi_timeline_at(t, i)->block;
    for (uint32_t j = i + 1; j > 0; j--) {
        const epi_moment *m = epi_timeline_at(t, j - 1);
        if (m->kind == COL_TRANSITION && m->block == block && m->machine == machine &&
            m->controller == controller)
            return m;
    }
    return NULL;
}

void epi_timeline_states(const epi_timeline *t, uint32_t i, base_text *text) {
    const col_duv_description *d = t->story->design;
    char name[EPI_NAME], state[EPI_NAME];
    for (uint32_t m = 0; m < d->machine_count; m++)
        for (uint32_t c = 0; c < d->machines[m].controllers; c++) {
            const epi_moment *last = last_of(t, i, m, c);
            if (last != NULL)
                base_text_print(text, "%-14s %-12s since cycle %llu\n",
                                epi_controller_name(t->story, m, c, name),
                                epi_state_name(t->story, m, last->next_state, state),
                                (unsigned long long)last->cycle);
        }
}

/* ---- JSON. */

static json_t *party(const epi_timeline *t, uint32_t machine, uint32_t controller) {
    base_text name = {0};
    say_party(t, machine, controller, &name);
    json_t *value = name.failed ? NULL : base_json_text(name.data);
    base_text_free(&name);
    return value;
}

static void set_operation(const epi_timeline *t, const epi_moment *m, json_t **object) {
    const col_program *p = t->story->program;
    const uint32_t thread = col_program_thread_of(p, m->operation);
    base_text text = {0};
    prg_operation_write(&p->operations[m->operation], &text);
    base_json_set(object, "thread", json_integer(thread));
    base_json_set(object, "operation", json_integer(m->operation - p->thread_start[thread]));
    base_json_set(object, "text", text.failed ? NULL : base_json_text(text.data));
    base_text_free(&text);
    if (has_value(t, m))
        base_json_set(object, "value", json_integer((json_int_t)value_of(m)));
    if (has_value(t, m) && epi_sources[m->source] != NULL)
        base_json_set(object, "source", base_json_text(epi_sources[m->source]));
    if (m->kind == COL_STORE_PERFORMED) {
        base_json_set(object, "stored", json_integer((json_int_t)m->word));
        base_json_set(object, "overwritten", json_integer((json_int_t)m->overwritten));
    }
    if (m->kind == COL_LOAD_BOUND && m->next_state != m->operation)
        base_json_set(object, "waits_for", json_integer(m->next_state - p->thread_start[thread]));
}

static void set_transition(const epi_timeline *t, const epi_moment *m, json_t **object) {
    char name[EPI_NAME];
    base_json_set(object, "state",
                  base_json_text(epi_state_name(t->story, m->machine, m->state, name)));
    base_json_set(object, "event",
                  base_json_text(epi_event_name(t->story, m->machine, m->event, name)));
    base_json_set(object, "next",
                  base_json_text(epi_state_name(t->story, m->machine, m->next_state, name)));
    base_json_set(object, "edited", json_boolean(is_edited(t, m)));
}

static json_t *json_of(const epi_timeline *t, const epi_moment *m) {
    char block[24];
    base_text who = {0};
    json_t *object = json_object();
    say_who(t, m, &who);
    (void)snprintf(block, sizeof block, "0x%llx", (unsigned long long)m->block);
    base_json_set(&object, "cycle", json_integer((json_int_t)m->cycle));
    base_json_set(&object, "kind", json_string(epi_verbs[m->kind]));
    base_json_set(&object, "who", who.failed ? NULL : base_json_text(who.data));
    base_json_set(&object, "block", json_string(block));
    base_text_free(&who);
    if (m->kind == COL_TRANSITION) {
        set_transition(t, m, &object);
    } else if (epi_moment_is_message(m)) {
        base_json_set(&object, "message", json_integer((json_int_t)m->word));
        base_json_set(&object, "type", base_json_text(epi_moment_name(t, m)));
        base_json_set(&object, "from", party(t, m->machine, m->controller));
        base_json_set(&object, "to", party(t, m->state, m->event));
    } else if (is_failure(m->kind)) {
        base_json_set(&object, "reason", base_json_text(epi_moment_name(t, m)));
    } else if (m->kind == COL_POINT) {
        base_text point = {0};
        epi_say_point(t->story, &(epi_note){.machine = m->machine, .event = m->event}, &point);
        base_json_set(&object, "point", point.failed ? NULL : base_json_text(point.data));
        base_text_free(&point);
    } else if (m->kind != COL_EVICTION) {
        set_operation(t, m, &object);
    }
    return object;
}

json_t *epi_timeline_json(const epi_timeline *t) {
    json_t *array = json_array();
    for (uint32_t i = 0; i < epi_timeline_count(t); i++)
        base_json_append(&array, json_of(t, epi_timeline_at(t, i)));
    return array;
}
