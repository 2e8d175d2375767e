/* SPDX-License-Identifier: MIT */
/*
 * The events of an instance in the trace event format of ui.perfetto.dev and chrome://tracing. A
 * cycle is a microsecond. Cores and controllers are tracks: operations are slices from when they
 * ask to when they perform, transitions are instants, and messages are flows between slices of a
 * cycle. An out-of-order core has operations side by side: each takes the first free row of its
 * core.
 */
#include "episode/failure/timeline.h"

#include "base/file.h"
#include "base/path.h"
#include "base/problem.h"
#include "design/duv.h"
#include "episode/story/story.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
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

/* A slice; `arguments` is given away. */
static void put_slice(writer *w, const char *name, uint64_t start, uint64_t length, track at,
                      const char *category, json_t *arguments) {
    put(w, json_pack("{s:o, s:s, s:I, s:i, s:i, s:I, s:s, s:o}", "name", base_json_text(name), "ph",
                     "X", "ts", (json_int_t)start, "pid", (int)at.process, "tid", (int)at.thread,
                     "dur", (json_int_t)length, "cat", category, "args", arguments));
}

static const char *say_block(const epi_moment *m, char block[24]) {
    (void)snprintf(block, 24, "0x%llx", (unsigned long long)m->block);
    return block;
}

/* ---- Tracks. */

static track row_of(uint32_t core, uint32_t row) {
    return (track){CORES, core * ROWS + row + 1};
}

static track track_of(uint32_t machine, uint32_t controller) {
    if (machine == COL_OF_MEMORY)
        return (track){MEMORY, 1};
    if (machine == COL_OF_BUS)
        return (track){MEMORY, 2 + controller};
    if (machine == COL_OF_CORE)
        return row_of(controller, 0);
    return (track){MACHINES + machine, controller + 1};
}

static void name_track(writer *w, const char *what, track at, const char *name) {
    put(w, json_pack("{s:s, s:s, s:i, s:i, s:{s:o}}", "name", what, "ph", "M", "pid",
                     (int)at.process, "tid", (int)at.thread, "args", "name", base_json_text(name)));
}

/* How many there are, as far as messages tell. */
static uint32_t count_buses(const epi_timeline *t) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < epi_timeline_count(t); i++) {
        const epi_moment *m = epi_timeline_at(t, i);
        if (epi_moment_is_message(m) && m->machine == COL_OF_BUS && m->controller >= count)
            count = m->controller + 1;
    }
    return count;
}

static void name_tracks(writer *w) {
    const col_duv_description *d = w->timeline->story->design;
    const uint32_t buses = count_buses(w->timeline);
    char name[EPI_NAME];
    for (uint32_t b = 0; b < buses; b++) {
        (void)snprintf(name, sizeof name, "bus %u", b);
        name_track(w, "thread_name", track_of(COL_OF_BUS, b), name);
    }
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
        put(w, json_pack("{s:s, s:s, s:i, s:i, s:{s:i}}", "name", "process_sort_index", "ph", "M",
                         "pid", (int)(MACHINES + m), "tid", 0, "args", "sort_index",
                         (int)(MACHINES + m)));
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
    put_slice(w, name.data, start, length, row_of(m->core, row), "operation",
              json_pack("{s:o, s:s}", "operation", base_json_text(place.data), "block",
                        say_block(m, block)));
    base_text_free_part(&name, w->text);
    base_text_free_part(&place, w->text);
}

/* ---- Instants and messages. */

static void put_instant(writer *w, const epi_moment *m, const char *name, track at,
                        const char *category) {
    char block[24];
    put(w,
        json_pack("{s:o, s:s, s:I, s:i, s:i, s:s, s:s, s:{s:s}}", "name", base_json_text(name),
                  "ph", "i", "ts", (json_int_t)m->cycle, "pid", (int)at.process, "tid",
                  (int)at.thread, "s", "t", "cat", category, "args", "block", say_block(m, block)));
}

static void put_transition(writer *w, const epi_moment *m) {
    char name[3 * EPI_NAME + 8], state[EPI_NAME], event[EPI_NAME], next[EPI_NAME];
    const epi_story *s = w->timeline->story;
    (void)snprintf(name, sizeof name, "%s %s -> %s", epi_state_name(s, m->machine, m->state, state),
                   epi_event_name(s, m->machine, m->event, event),
                   epi_state_name(s, m->machine, m->next_state, next));
    put_instant(w, m, name, track_of(m->machine, m->controller), "transition");
}

static void put_point(writer *w, const epi_moment *m) {
    base_text name = {0};
    epi_say_point(w->timeline->story, &(epi_note){.machine = m->machine, .event = m->event}, &name);
    put_instant(w, m, name.data == NULL ? "" : name.data, track_of(m->machine, m->controller),
                "cover");
    base_text_free_part(&name, w->text);
}

static void put_core_event(writer *w, const epi_moment *m) {
    base_text name = {0};
    if (m->kind == COL_EVICTION) {
        base_text_add(&name, "loses block");
    } else {
        base_text_print(&name, "%s ", epi_verbs[m->kind]);
        epi_moment_operation(w->timeline, m, &name);
    }
    put_instant(w, m, name.data == NULL ? "" : name.data, row_of(m->core, 0), "core");
    base_text_free_part(&name, w->text);
}

/* Both ends of a flow lie in slices of their own, one cycle long. */
static void put_message(writer *w, const epi_moment *m, bool has_other_end) {
    const bool is_sent = m->kind == COL_MESSAGE_SENT;
    const track at = is_sent ? track_of(m->machine, m->controller) : track_of(m->state, m->event);
    const track to = track_of(m->state, m->event);
    const char *type = epi_moment_name(w->timeline, m);
    char name[600], id[64], block[24];
    (void)snprintf(name, sizeof name, "%s %s", epi_verbs[m->kind], type);
    (void)snprintf(id, sizeof id, "%llu.%u.%u", (unsigned long long)m->word, to.process, to.thread);
    put_slice(
        w, name, m->cycle, 1, at, "message",
        json_pack("{s:s, s:I}", "block", say_block(m, block), "message", (json_int_t)m->word));
    if (has_other_end)
        put(w, json_pack("{s:o, s:s, s:I, s:i, s:i, s:s, s:s, s:s*}", "name", base_json_text(type),
                         "ph", is_sent ? "s" : "f", "ts", (json_int_t)m->cycle, "pid",
                         (int)at.process, "tid", (int)at.thread, "cat", "message", "id", id, "bp",
                         is_sent ? NULL : "e"));
}

/* ---- Keys: of a message the one who gets it and its number, of a signal its controller and
 * block; each with a moment. */

typedef struct key {
    uint32_t machine, controller;
    uint64_t number;
    uint32_t moment;
    uint32_t state; /* of a signal: what was written last */
} key;

static int compare_keys(const void *left, const void *right) {
    const key *a = left, *b = right;
    if (a->machine != b->machine)
        return a->machine < b->machine ? -1 : 1;
    if (a->controller != b->controller)
        return a->controller < b->controller ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static int by_key_and_moment(const void *left, const void *right) {
    const key *a = left, *b = right;
    const int order = compare_keys(a, b);
    return order != 0 ? order : a->moment < b->moment ? -1 : a->moment > b->moment;
}

/* The keys of all messages, or of all transitions, in order. NULL: no memory. */
static key *sort_keys(const epi_timeline *t, bool of_messages, uint32_t *found) {
    key *keys = malloc(((size_t)epi_timeline_count(t) + 1) * sizeof *keys);
    *found = 0;
    for (uint32_t i = 0; i < epi_timeline_count(t) && keys != NULL; i++) {
        const epi_moment *m = epi_timeline_at(t, i);
        if (of_messages && epi_moment_is_message(m))
            keys[(*found)++] = (key){m->state, m->event, m->word, i, 0};
        else if (!of_messages && m->kind == COL_TRANSITION)
            keys[(*found)++] = (key){m->machine, m->controller, m->block, i, m->state};
    }
    if (keys != NULL)
        qsort(keys, *found, sizeof *keys, by_key_and_moment);
    return keys;
}

/* By moment: was the message both sent and received while events were kept? NULL: no memory. */
static bool *find_pairs(const epi_timeline *t) {
    uint32_t found;
    bool *is_paired = calloc((size_t)epi_timeline_count(t) + 1, sizeof *is_paired);
    key *ends = sort_keys(t, true, &found);
    for (uint32_t i = 1; i < found && is_paired != NULL; i++)
        if (compare_keys(&ends[i - 1], &ends[i]) == 0 &&
            epi_timeline_at(t, ends[i - 1].moment)->kind == COL_MESSAGE_SENT &&
            epi_timeline_at(t, ends[i].moment)->kind == COL_MESSAGE_RECEIVED)
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
    case COL_STORE_MERGED:
    case COL_VALUE_RETURNED:
        put_core_event(w, m);
        break;
    case COL_POINT:
        put_point(w, m);
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

/*
 * The states of controllers as a waveform (VCD, IEEE 1364): a signal for each controller and block,
 * a time unit for each cycle. Values are the numbers of states; a comment at the top has their
 * names.
 */

/* Each controller and block once, with the state before its first transition. NULL: no memory. */
static key *find_signals(const epi_timeline *t, uint32_t *count) {
    uint32_t found;
    key *all = sort_keys(t, false, &found);
    *count = 0;
    for (uint32_t i = 0; i < found; i++)
        if (*count == 0 || compare_keys(&all[*count - 1], &all[i]) != 0)
            all[(*count)++] = all[i];
    return all;
}

/* ---- The head. */

/* Of the largest state that is known of the machine. */
static uint32_t width_of(const epi_timeline *t, uint32_t machine) {
    const col_duv_description *d = t->story->design;
    const uint32_t states = d->names == NULL ? 0 : d->names[machine].state_count;
    uint32_t bits = 1;
    while (states > 0 && bits < 32 && states > UINT32_C(1) << bits)
        bits++;
    return states == 0 ? 32 : bits;
}

/* Characters from ! to ~, as few as it takes. */
static const char *code_of(uint32_t number, char code[8]) {
    enum { CODES = '~' - '!' + 1 };
    size_t length = 0;
    do {
        code[length++] = (char)('!' + number % CODES);
        number /= CODES;
    } while (number > 0 && length < 7);
    code[length] = '\0';
    return code;
}

/* Names in VCD are words of letters, digits and underscores. */
static void put_word(base_text *text, const char *name) {
    for (; *name != '\0'; name++) {
        const char c = isalnum((unsigned char)*name) ? *name : '_';
        base_text_add_bytes(text, &c, 1);
    }
}

static void put_table(const epi_timeline *t, base_text *text) {
    const col_duv_description *d = t->story->design;
    base_text_add(text, "$comment\n  A time unit is a cycle. States by number:\n");
    for (uint32_t m = 0; m < d->machine_count && d->names != NULL; m++) {
        base_text_add(text, "  ");
        put_word(text, d->machines[m].name);
        base_text_add(text, ":");
        for (uint32_t i = 0; i < d->names[m].state_count; i++) {
            base_text_print(text, " %u=", i);
            put_word(text, d->names[m].states[i]);
        }
        base_text_add(text, "\n");
    }
    base_text_add(text, "$end\n");
}

static void put_signals(const epi_timeline *t, const key *signals, uint32_t count,
                        base_text *text) {
    const col_duv_description *d = t->story->design;
    char code[8];
    for (uint32_t i = 0; i < count; i++) {
        const key *this = &signals[i], *before = i == 0 ? NULL : this - 1;
        if (before == NULL || before->machine != this->machine ||
            before->controller != this->controller) {
            base_text_add(text,
                          before == NULL ? "$scope module " : "$upscope $end\n$scope module ");
            put_word(text, d->machines[this->machine].name);
            base_text_print(text, "_%u $end\n", this->controller);
        }
        base_text_print(text, "$var reg %u %s block_0x%llx $end\n", width_of(t, this->machine),
                        code_of(i, code), (unsigned long long)this->number);
    }
    base_text_add(text, count > 0 ? "$upscope $end\n" : "");
}

/* ---- Values. */

static void put_value(uint32_t value, uint32_t number, base_text *text) {
    char digits[33], code[8];
    size_t length = 0;
    for (uint32_t bit = 32; bit-- > 0;)
        if (length > 0 || bit == 0 || (value >> bit & 1) != 0)
            digits[length++] = (value >> bit & 1) != 0 ? '1' : '0';
    digits[length] = '\0';
    base_text_print(text, "b%s %s\n", digits, code_of(number, code));
}

static void put_changes(const epi_timeline *t, key *signals, uint32_t count, base_text *text) {
    uint64_t cycle = 0;
    for (uint32_t i = 0; i < epi_timeline_count(t); i++) {
        const epi_moment *m = epi_timeline_at(t, i);
        if (m->kind != COL_TRANSITION)
            continue;
        const key wanted = {m->machine, m->controller, m->block, 0, 0};
        key *s = bsearch(&wanted, signals, count, sizeof *signals, compare_keys);
        if (s == NULL || s->state == m->next_state)
            continue;
        if (m->cycle > cycle)
            base_text_print(text, "#%llu\n", (unsigned long long)m->cycle);
        cycle = m->cycle > cycle ? m->cycle : cycle;
        s->state = m->next_state;
        put_value(s->state, (uint32_t)(s - signals), text);
    }
    base_text_print(text, "#%llu\n", (unsigned long long)(t->cycle > cycle ? t->cycle : cycle + 1));
}

void epi_timeline_vcd(const epi_timeline *t, base_text *text) {
    uint32_t count;
    key *signals = find_signals(t, &count);
    if (signals == NULL) {
        text->failed = true;
        return;
    }
    base_text_add(text, "$version Collider $end\n");
    put_table(t, text);
    base_text_add(text, "$timescale 1 ns $end\n$scope module ");
    put_word(text, t->story->design->name);
    base_text_add(text, " $end\n");
    put_signals(t, signals, count, text);
    base_text_add(text, "$upscope $end\n$enddefinitions $end\n#0\n$dumpvars\n");
    for (uint32_t i = 0; i < count; i++)
        put_value(signals[i].state, i, text);
    base_text_add(text, "$end\n");
    put_changes(t, signals, count, text);
    free(signals);
}

/* ---- Markers in waveforms. */

/* False: no memory. */
static bool add_mark(const epi_story *s, uint32_t operation, duv_wave_marks *marks) {
    const uint32_t thread = col_program_thread_of(s->program, operation);
    base_text text = {0};
    marks->threads |= thread < 64 ? UINT64_C(1) << thread : 0;
    if (s->done[operation].number == 0 || marks->count == DUV_MOST_MARKS)
        return true;
    duv_wave_mark *mark = &marks->marks[marks->count++];
    mark->cycle = s->done[operation].cycle;
    epi_say_operation(s, operation, &text);
    (void)snprintf(mark->name, sizeof mark->name, "%u:%.80s", thread,
                   text.data == NULL ? "" : text.data);
    const bool is_whole = !text.failed;
    base_text_free(&text);
    return is_whole;
}

/* The operations of the cycle; of a deadlock, those that wait; a load that a port complains of. */
static bool add_marks(const epi_story *s, const epi_ending *ending, duv_wave_marks *marks) {
    const col_violation *violation = ending->violation;
    epi_finding f;
    bool is_enough = true;
    epi_story_find(s, ending, &f);
    for (uint32_t i = 0; violation != NULL && i < violation->mention_count; i++)
        is_enough &= add_mark(s, violation->mentions[i].operation, marks);
    for (uint32_t i = 0; i < f.waiting_count; i++)
        is_enough &= add_mark(s, f.waiting[i], marks);
    return is_enough && (f.outdated == COL_INITIAL || add_mark(s, f.outdated, marks));
}

uint64_t epi_waves_begin(const epi_story *story, const epi_ending *ending, uint64_t cycles) {
    enum { BEFORE = 5000, BEFORE_HANG = 20000 }; /* cycles */
    duv_wave_marks marks = {.last = cycles};
    uint64_t first = cycles;
    (void)add_marks(story, ending, &marks); /* without memory: later ones count */
    for (uint32_t i = 0; i < marks.count; i++)
        first = marks.marks[i].cycle < first ? marks.marks[i].cycle : first;
    /* Nothing happens while a hang is waited for. */
    const bool hangs = ending->outcome == COL_DEADLOCKED || ending->outcome == COL_STARVED;
    const bool is_late = hangs && story->last_done > 0 && story->last_done < first;
    const uint64_t before = hangs && story->last_done == 0 ? BEFORE_HANG : BEFORE;
    first = is_late ? story->last_done : first;
    return first > before ? first - before : 0;
}

col_status epi_waves_write(const epi_story *story, const epi_ending *ending, const col_duv *duv,
                           const char *waves, uint64_t cycles, col_problem *problem) {
    duv_wave_marks marks = {.last = cycles > 0 ? cycles - 1 : 0};
    const size_t stem = strlen(waves) - (base_path_ends(waves, ".fst") ? 4 : 0);
    base_text text = {0};
    char path[PATH_MAX];
    const int length = snprintf(path, sizeof path, "%.*s.gtkw", (int)stem, waves);
    if (length < 0 || (size_t)length >= sizeof path)
        return base_refuse(problem, "the name of the file %.100s... is too long", waves);
    if (!add_marks(story, ending, &marks))
        return base_out_of_memory(problem);
    if (marks.threads == 0) /* all ports are of interest */
        marks.threads = UINT64_MAX;
    duv_waves_save(duv, waves, &marks, &text);
    return base_file_write_text(path, &text, problem);
}
