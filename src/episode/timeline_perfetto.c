/* SPDX-License-Identifier: MIT */
/*
 * The events of an instance in the trace event format of ui.perfetto.dev and chrome://tracing. A
 * cycle is a microsecond. Cores and controllers are tracks: operations are slices from when they
 * ask to when they perform, transitions are instants, and messages are flows between slices of a
 * cycle. An out-of-order core has operations side by side: each takes the first free row of its
 * core.
 */
#include "base/memory.h"
#include "episode/story_parts.h"
#include "episode/timeline_parts.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 64, CORES = 1, MEMORY = 2, MACHINES = 3, NO_ROW = 255 };

typedef struct writer {
    const epi_timeline *timeline;
    base_text *text;
    uint64_t *starts; /* by operation: when it asked */
    uint8_t *rows;    /* by operation: the row it has; NO_ROW: none yet */
    uint64_t *busy;   /* by core: rows in use */
    uint64_t *used;   /* by core: rows that were used */
    bool is_first;
} writer;

typedef struct track {
    uint32_t process, thread;
} track;

static void put(writer *w, json_t *event) {
    base_text_add(w->text, w->is_first ? "\n" : ",\n");
    w->is_first = false;
    base_json_print(event, JSON_COMPACT, w->text);
    json_decref(event);
}

static json_t *begin(const char *name, const char *phase, uint64_t cycle, track at) {
    return json_pack("{s:o, s:s, s:I, s:i, s:i}", "name", base_json_text(name), "ph", phase, "ts",
                     (json_int_t)cycle, "pid", (int)at.process, "tid", (int)at.thread);
}

/* ---- Tracks. */

static track row_of(uint32_t core, uint32_t row) {
    return (track){CORES, core * ROWS + row + 1};
}

static track track_of(uint32_t machine, uint32_t controller) {
    if (machine == COL_OF_MEMORY)
        return (track){MEMORY, 1};
    if (machine == COL_OF_CORE)
        return row_of(controller, 0);
    return (track){MACHINES + machine, controller + 1};
}

static void name_track(writer *w, const char *what, track at, const char *name) {
    put(w, json_pack("{s:s, s:s, s:i, s:i, s:{s:o}}", "name", what, "ph", "M", "pid",
                     (int)at.process, "tid", (int)at.thread, "args", "name", base_json_text(name)));
}

static void sort_process(writer *w, uint32_t process) {
    put(w, json_pack("{s:s, s:s, s:i, s:i, s:{s:i}}", "name", "process_sort_index", "ph", "M",
                     "pid", (int)process, "tid", 0, "args", "sort_index", (int)process));
}

static void name_tracks(writer *w) {
    const col_duv_description *d = w->timeline->story->design;
    char name[EPI_NAME];
    name_track(w, "process_name", (track){CORES, 0}, "cores");
    name_track(w, "process_name", (track){MEMORY, 0}, "memory");
    name_track(w, "thread_name", (track){MEMORY, 1}, "memory");
    for (uint32_t c = 0; c < d->cores; c++)
        for (uint32_t r = 0; r < ROWS; r++) {
            if (r > 0 && (w->used[c] >> r & 1) == 0)
                continue;
            (void)snprintf(name, sizeof name, r == 0 ? "core %u" : "core %u, row %u", c, r + 1);
            name_track(w, "thread_name", row_of(c, r), name);
        }
    for (uint32_t m = 0; m < d->machine_count; m++) {
        if (d->machines[m].controllers == 0)
            continue;
        name_track(w, "process_name", (track){MACHINES + m, 0}, d->machines[m].name);
        sort_process(w, MACHINES + m);
        for (uint32_t c = 0; c < d->machines[m].controllers; c++)
            name_track(w, "thread_name", track_of(m, c),
                       epi_controller_name(w->timeline->story, m, c, name));
    }
}

/* ---- Operations. */

static void take_row(writer *w, uint32_t core, uint32_t operation, uint64_t cycle) {
    if (w->rows[operation] != NO_ROW)
        return; /* it asks again */
    uint32_t row = 0;
    while (row < ROWS - 1 && (w->busy[core] >> row & 1) != 0)
        row++;
    w->rows[operation] = (uint8_t)row;
    w->starts[operation] = cycle;
    w->busy[core] |= UINT64_C(1) << row;
    w->used[core] |= UINT64_C(1) << row;
}

static void put_operation(writer *w, const epi_moment *m) {
    char block[24];
    base_text name = {0}, place = {0};
    const bool is_done = m->kind != COL_OPERATION_ISSUED;
    take_row(w, m->core, m->operation, m->cycle);
    const uint64_t start = w->starts[m->operation];
    const uint64_t length = m->cycle > start ? m->cycle - start : 1;
    const uint32_t row = w->rows[m->operation];
    w->busy[m->core] &= ~(UINT64_C(1) << row);
    w->rows[m->operation] = NO_ROW;
    epi_moment_operation(w->timeline, m, &name);
    base_text_add(&name, is_done ? "" : ", not performed");
    epi_say_place(w->timeline->story, m->operation, &place);
    (void)snprintf(block, sizeof block, "0x%llx", (unsigned long long)m->block);
    json_t *event = begin(name.data, "X", start, row_of(m->core, row));
    base_json_set(&event, "dur", json_integer((json_int_t)length));
    base_json_set(&event, "cat", json_string("operation"));
    base_json_set(&event, "args",
                  json_pack("{s:o, s:s}", "operation", base_json_text(place.data), "block", block));
    base_text_free_part(&name, w->text);
    base_text_free_part(&place, w->text);
    put(w, event);
}

/* ---- Instants and messages. */

static void put_instant(writer *w, const epi_moment *m, const char *name, track at,
                        const char *category) {
    char block[24];
    (void)snprintf(block, sizeof block, "0x%llx", (unsigned long long)m->block);
    json_t *event = begin(name, "i", m->cycle, at);
    base_json_set(&event, "s", json_string("t"));
    base_json_set(&event, "cat", json_string(category));
    base_json_set(&event, "args", json_pack("{s:s}", "block", block));
    put(w, event);
}

static void put_transition(writer *w, const epi_moment *m) {
    char name[3 * EPI_NAME + 8], state[EPI_NAME], event[EPI_NAME], next[EPI_NAME];
    const epi_story *s = w->timeline->story;
    (void)snprintf(name, sizeof name, "%s %s -> %s", epi_state_name(s, m->machine, m->state, state),
                   epi_event_name(s, m->machine, m->event, event),
                   epi_state_name(s, m->machine, m->next_state, next));
    put_instant(w, m, name, track_of(m->machine, m->controller), "transition");
}

static void put_core_event(writer *w, const epi_moment *m) {
    char what[160];
    base_text name = {0};
    if (m->kind == COL_EVICTION)
        (void)snprintf(what, sizeof what, "loses block");
    else
        epi_moment_operation(w->timeline, m, &name);
    if (m->kind != COL_EVICTION)
        (void)snprintf(what, sizeof what, "%s %s", epi_verbs[m->kind],
                       name.data == NULL ? "" : name.data);
    base_text_free_part(&name, w->text);
    put_instant(w, m, what, row_of(m->core, 0), "core");
}

/* Both ends of a flow lie in slices of their own, one cycle long. */
static void put_message(writer *w, const epi_moment *m, bool has_other_end) {
    const bool is_sent = m->kind == COL_MESSAGE_SENT;
    const track at = is_sent ? track_of(m->machine, m->controller) : track_of(m->state, m->event);
    const track to = track_of(m->state, m->event);
    char name[600], id[64], block[24];
    (void)snprintf(name, sizeof name, "%s %s", epi_verbs[m->kind], epi_moment_name(w->timeline, m));
    (void)snprintf(block, sizeof block, "0x%llx", (unsigned long long)m->block);
    (void)snprintf(id, sizeof id, "%llu.%u.%u", (unsigned long long)m->word, to.process, to.thread);
    json_t *slice = begin(name, "X", m->cycle, at);
    base_json_set(&slice, "dur", json_integer(1));
    base_json_set(&slice, "cat", json_string("message"));
    base_json_set(&slice, "args",
                  json_pack("{s:s, s:I}", "block", block, "message", (json_int_t)m->word));
    put(w, slice);
    if (!has_other_end)
        return;
    json_t *flow = begin(epi_moment_name(w->timeline, m), is_sent ? "s" : "f", m->cycle, at);
    base_json_set(&flow, "cat", json_string("message"));
    base_json_set(&flow, "id", json_string(id));
    if (!is_sent)
        base_json_set(&flow, "bp", json_string("e"));
    put(w, flow);
}

/* ---- Which messages were both sent and received while events were kept. */

typedef struct end {
    uint64_t number;
    uint32_t machine, controller, moment;
} end;

static int compare_ends(const void *left, const void *right) {
    const end *a = left, *b = right;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    if (a->machine != b->machine)
        return a->machine < b->machine ? -1 : 1;
    if (a->controller != b->controller)
        return a->controller < b->controller ? -1 : 1;
    return a->moment < b->moment ? -1 : a->moment > b->moment;
}

static bool is_pair(const epi_timeline *t, const end *a, const end *b) {
    return a->number == b->number && a->machine == b->machine && a->controller == b->controller &&
           epi_timeline_at(t, a->moment)->kind == COL_MESSAGE_SENT &&
           epi_timeline_at(t, b->moment)->kind == COL_MESSAGE_RECEIVED;
}

/* By moment: does it have its other end? NULL: no memory. */
static bool *find_pairs(const epi_timeline *t) {
    const uint32_t count = epi_timeline_count(t);
    bool *is_paired = calloc((size_t)count + 1, sizeof *is_paired);
    end *ends = malloc(((size_t)count + 1) * sizeof *ends);
    uint32_t found = 0;
    for (uint32_t i = 0; i < count && ends != NULL; i++) {
        const epi_moment *m = epi_timeline_at(t, i);
        if (epi_moment_is_message(m))
            ends[found++] = (end){m->word, m->state, m->event, i};
    }
    if (ends != NULL)
        qsort(ends, found, sizeof *ends, compare_ends);
    for (uint32_t i = 1; i < found && is_paired != NULL; i++)
        if (is_pair(t, &ends[i - 1], &ends[i]))
            is_paired[ends[i - 1].moment] = is_paired[ends[i].moment] = true;
    const bool failed = ends == NULL;
    free(ends);
    if (!failed)
        return is_paired;
    free(is_paired);
    return NULL;
}

/* ---- All of it. */

static void put_moment(writer *w, const epi_moment *m, bool is_paired) {
    switch (m->kind) {
    case COL_LOAD_PERFORMED:
    case COL_STORE_PERFORMED:
        put_operation(w, m);
        break;
    case COL_OPERATION_ISSUED:
        take_row(w, m->core, m->operation, m->cycle);
        break;
    case COL_LOAD_BOUND:
        take_row(w, m->core, m->operation, m->cycle);
        put_core_event(w, m);
        break;
    case COL_LOAD_SQUASHED:
    case COL_EVICTION:
        put_core_event(w, m);
        break;
    case COL_TRANSITION:
        put_transition(w, m);
        break;
    case COL_MESSAGE_SENT:
    case COL_MESSAGE_RECEIVED:
        put_message(w, m, is_paired);
        break;
    default:
        put_instant(w, m, epi_moment_name(w->timeline, m), row_of(0, 0), "error");
    }
}

/* What asked and did not perform: of a deadlock that is what matters. */
static void put_unperformed(writer *w, uint32_t operations) {
    const col_program *p = w->timeline->story->program;
    for (uint32_t i = 0; i < operations; i++) {
        if (w->rows[i] == NO_ROW)
            continue;
        const epi_moment end_of_time = {.kind = COL_OPERATION_ISSUED,
                                        .cycle = w->timeline->cycle + 1,
                                        .core = col_program_thread_of(p, i),
                                        .operation = i};
        put_operation(w, &end_of_time);
    }
}

void epi_timeline_perfetto(const epi_timeline *t, base_text *text) {
    const uint32_t operations = col_program_operations(t->story->program);
    const uint32_t cores = t->story->design->cores;
    writer w = {.timeline = t, .text = text, .is_first = true};
    w.starts = calloc((size_t)operations + 1, sizeof *w.starts);
    w.rows = malloc((size_t)operations + 1);
    w.busy = calloc(2 * ((size_t)cores + 1), sizeof *w.busy);
    bool *is_paired = find_pairs(t);
    if (w.starts != NULL && w.rows != NULL && w.busy != NULL && is_paired != NULL) {
        memset(w.rows, NO_ROW, (size_t)operations + 1);
        w.used = w.busy + cores + 1;
        base_text_add(text, "{\"displayTimeUnit\": \"ms\", \"otherData\": {\"unit\": \"a cycle is "
                            "a microsecond\"}, \"traceEvents\": [");
        for (uint32_t i = 0; i < epi_timeline_count(t); i++)
            put_moment(&w, epi_timeline_at(t, i), is_paired[i]);
        put_unperformed(&w, operations);
        name_tracks(&w);
        base_text_add(text, "\n]}\n");
    } else {
        text->failed = true;
    }
    free(w.starts);
    free(w.rows);
    free(w.busy);
    free(is_paired);
}
