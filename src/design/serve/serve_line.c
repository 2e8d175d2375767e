/* SPDX-License-Identifier: MIT */
/* What a design says of an instance: see serve_line.h. */
#include "design/serve/serve_line.h"

#include "base/memory.h"
#include "base/number.h"

#include <stdlib.h>
#include <string.h>

/* ---- Words. */

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static const char *skip_blanks(const char *at) {
    while (is_blank(*at))
        at++;
    return at;
}

const char *duv_words_next(duv_words *w, size_t *length) {
    const char *start = skip_blanks(w->at);
    w->at = start;
    while (*w->at != '\0' && !is_blank(*w->at))
        w->at++;
    *length = (size_t)(w->at - start);
    return start;
}

bool duv_words_number(duv_words *w, uint64_t *number) {
    const char *at = skip_blanks(w->at);
    const bool is_hexadecimal = at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
    const uint64_t base = is_hexadecimal ? 16 : 10;
    uint64_t sum = 0;
    at += is_hexadecimal ? 2 : 0;
    const char *first = at;
    for (uint32_t digit; (digit = base_digit(*at)) < base; at++) {
        if (sum > (UINT64_MAX - digit) / base)
            return false;
        sum = sum * base + digit;
    }
    if (at == first || (*at != '\0' && !is_blank(*at)))
        return false;
    w->at = at;
    *number = sum;
    return true;
}

bool duv_words_end(const duv_words *w) {
    return *skip_blanks(w->at) == '\0';
}

const char *duv_words_rest(const duv_words *w) {
    return skip_blanks(w->at);
}

bool duv_word_is(const char *word, size_t length, const char *expected) {
    return strncmp(word, expected, length) == 0 && expected[length] == '\0';
}

bool duv_serve_is_comment(const char *line) {
    const char *at = skip_blanks(line);
    return *at == '\0' || *at == '#';
}

void duv_serve_quote(char quote[DUV_QUOTE], const char *line) {
    const char *start = skip_blanks(line);
    size_t length = strlen(start);
    while (length > 0 && is_blank(start[length - 1]))
        length--;
    base_sentence(quote, DUV_QUOTE, "%.*s", (int)length, start);
    base_make_printable(quote, false);
}

/* ---- Operations. */

/* A line that is being read. */
typedef struct reading {
    duv_hearing *hearing;
    const char *line;
    duv_words words;
} reading;

static duv_said refuse(const reading *r, const char *what) {
    char quote[DUV_QUOTE];
    duv_serve_quote(quote, r->line);
    base_sentence(r->hearing->run.message, sizeof r->hearing->run.message,
                  "the design said '%s': %s", quote, what);
    return DUV_SAID_WRONG;
}

/* "OPERATION": the event is about it. */
static bool read_operation(reading *r, const col_operation **operation) {
    duv_hearing *h = r->hearing;
    uint64_t number;
    if (!duv_words_number(&r->words, &number) || number >= col_program_operations(h->program)) {
        (void)refuse(r, "the program has no such operation");
        return false;
    }
    *operation = &h->program->operations[number];
    h->event.operation = (uint32_t)number;
    return true;
}

/* The last word of a load or store, where it came from, may be missing. */
static bool read_source(reading *r) {
    static const char *const names[] = {
        [COL_FROM_UNKNOWN] = "unknown",       [COL_FROM_STORE_BUFFER] = "buffer",
        [COL_FROM_PRIVATE_CACHE] = "private", [COL_FROM_OTHER_CORE] = "other",
        [COL_FROM_SHARED_LEVEL] = "shared",   [COL_FROM_MEMORY] = "memory"};
    size_t length;
    const char *word = duv_words_next(&r->words, &length);
    if (length == 0)
        return true;
    for (int s = COL_FROM_UNKNOWN; s <= COL_FROM_MEMORY; s++)
        if (duv_word_is(word, length, names[s])) {
            r->hearing->event.source = (col_source)s;
            return duv_words_end(&r->words);
        }
    return false;
}

static duv_said tell_operation(duv_hearing *h, col_event_kind kind,
                               const col_operation *operation) {
    h->event.kind = kind;
    h->event.cycle = h->cycle;
    h->operations++;
    h->event.core = col_program_thread_of(h->program, h->event.operation);
    h->event.block = h->program->addresses[operation->location] >>
                     h->description->geometry.block_bits << h->description->geometry.block_bits;
    return DUV_SAID_EVENT;
}

static duv_said hear_load(reading *r) {
    duv_hearing *h = r->hearing;
    const col_operation *operation;
    if (h->description->shows != COL_SHOWS_EVENTS)
        return refuse(r, "a design that shows reads tells of them by 'read'");
    if (!read_operation(r, &operation))
        return DUV_SAID_WRONG;
    const col_kind_traits *traits = &col_kinds[operation->kind];
    if (!traits->reads || traits->writes)
        return refuse(r, "the operation is not a load or await");
    if (!duv_words_number(&r->words, &h->event.word) || !read_source(r))
        return refuse(r, "load OPERATION WORD [SOURCE] is expected");
    return tell_operation(h, COL_LOAD_PERFORMED, operation);
}

static duv_said hear_store(reading *r) {
    duv_hearing *h = r->hearing;
    const col_operation *operation;
    if (h->description->shows != COL_SHOWS_EVENTS)
        return refuse(r, "a design that shows reads does not tell of stores");
    if (!read_operation(r, &operation))
        return DUV_SAID_WRONG;
    if (!col_kinds[operation->kind].writes)
        return refuse(r, "the operation does not write");
    const bool reads = col_kinds[operation->kind].reads;
    if (!duv_words_number(&r->words, &h->event.word) ||
        !duv_words_number(&r->words, &h->event.overwritten) ||
        (reads && !duv_words_number(&r->words, &h->event.read)) || !read_source(r))
        return refuse(r, reads ? "store OPERATION WORD OVERWRITTEN RETURNED [SOURCE] is expected"
                               : "store OPERATION WORD OVERWRITTEN [SOURCE] is expected");
    if (!reads)
        h->event.read = h->event.overwritten;
    return tell_operation(h, COL_STORE_PERFORMED, operation);
}

static duv_said hear_merged(reading *r) {
    duv_hearing *h = r->hearing;
    const col_operation *operation;
    if (h->description->shows != COL_SHOWS_EVENTS || !h->description->merges)
        return refuse(r, "the design did not describe itself as one that merges stores");
    if (!read_operation(r, &operation))
        return DUV_SAID_WRONG;
    if (operation->kind != COL_STORE)
        return refuse(r, "the operation is not a store");
    if (h->answered[h->event.operation] == h->instance)
        return refuse(r, "the design said before that it merged the store");
    if (!duv_words_end(&r->words))
        return refuse(r, "merged OPERATION is expected");
    h->answered[h->event.operation] = h->instance;
    return tell_operation(h, COL_STORE_MERGED, operation);
}

static duv_said hear_read(reading *r) {
    duv_hearing *h = r->hearing;
    const col_operation *operation;
    if (h->description->shows != COL_SHOWS_READS)
        return refuse(r, "a design that shows events tells of reads by 'load' and 'store'");
    if (!read_operation(r, &operation))
        return DUV_SAID_WRONG;
    if (!col_kinds[operation->kind].reads)
        return refuse(r, "the operation does not read");
    if (h->answered[h->event.operation] == h->instance)
        return refuse(r, "the design said before what the operation read");
    if (!duv_words_number(&r->words, &h->event.word) || !duv_words_end(&r->words))
        return refuse(r, "read OPERATION WORD is expected");
    h->answered[h->event.operation] = h->instance;
    return tell_operation(h, COL_VALUE_RETURNED, operation);
}

/* ---- All else. */

static duv_said hear_final(reading *r) {
    duv_hearing *h = r->hearing;
    uint64_t location;
    r->words.at = duv_words_rest(&r->words);
    r->words.at += *r->words.at == 'a';
    if (h->description->shows != COL_SHOWS_READS)
        return refuse(r, "only a design that shows reads tells of final values");
    if (!duv_words_number(&r->words, &location) || location >= h->program->location_count)
        return refuse(r, "the program has no such location");
    if (h->finals[location] == h->instance)
        return refuse(r, "the design said before what the location holds");
    if (!duv_words_number(&r->words, &h->event.word) || !duv_words_end(&r->words))
        return refuse(r, "final LOCATION WORD is expected");
    h->finals[location] = h->instance;
    h->event.kind = COL_FINAL_VALUE;
    h->event.cycle = h->cycle;
    h->event.location = (uint32_t)location;
    return DUV_SAID_EVENT;
}

static duv_said hear_cycle(reading *r) {
    uint64_t cycle;
    if (!duv_words_number(&r->words, &cycle) || !duv_words_end(&r->words))
        return refuse(r, "cycle NUMBER is expected");
    if (cycle < r->hearing->cycle)
        return refuse(r, "cycles do not go back");
    r->hearing->cycle = cycle;
    return DUV_SAID_NOTHING;
}

/* "MACHINE CONTROLLER", by numbers. */
static bool read_controller(reading *r, uint32_t *machine, uint32_t *controller) {
    const col_duv_description *d = r->hearing->description;
    uint64_t m, c;
    if (!duv_words_number(&r->words, &m) || m >= d->machine_count) {
        (void)refuse(r, "the design has no such machine");
        return false;
    }
    if (!duv_words_number(&r->words, &c) || c >= d->machines[m].controllers) {
        (void)refuse(r, "the machine has no such controller");
        return false;
    }
    *machine = (uint32_t)m;
    *controller = (uint32_t)c;
    return true;
}

static duv_said hear_hit(reading *r) {
    const col_duv_description *d = r->hearing->description;
    uint32_t machine, controller;
    uint64_t point, count = 1;
    if (!read_controller(r, &machine, &controller))
        return DUV_SAID_WRONG;
    const col_duv_machine *m = &d->machines[machine];
    if (!duv_words_number(&r->words, &point) || point >= m->point_count)
        return refuse(r, "the machine has no such point");
    if (!duv_words_end(&r->words) &&
        (!duv_words_number(&r->words, &count) || count > UINT32_MAX || !duv_words_end(&r->words)))
        return refuse(r, "hit MACHINE CONTROLLER POINT [COUNT] is expected");
    r->hearing
        ->hits[col_duv_functional(d, machine, controller, m->first_point + (uint32_t)point)] +=
        count;
    return DUV_SAID_NOTHING;
}

static bool read_below(reading *r, uint32_t count, uint32_t *number) {
    uint64_t n;
    const bool is_fine = duv_words_number(&r->words, &n) && n < count;
    *number = is_fine ? (uint32_t)n : 0;
    return is_fine;
}

static duv_said hear_transition(reading *r) {
    duv_hearing *h = r->hearing;
    col_event *e = &h->event;
    if (!read_controller(r, &e->machine, &e->controller))
        return DUV_SAID_WRONG;
    const col_duv_names *names =
        h->description->names == NULL ? NULL : &h->description->names[e->machine];
    const uint32_t states = names == NULL ? 0 : names->state_count;
    const uint32_t events = names == NULL ? 0 : names->event_count;
    if (!read_below(r, states, &e->state) || !read_below(r, events, &e->event) ||
        !read_below(r, states, &e->next_state))
        return refuse(r, "the machine did not describe such a state or event");
    if (!duv_words_number(&r->words, &e->block) || !duv_words_end(&r->words))
        return refuse(r, "transition MACHINE CONTROLLER STATE EVENT NEXT BLOCK is expected");
    e->kind = COL_TRANSITION;
    e->cycle = h->cycle;
    return DUV_SAID_EVENT;
}

static duv_said hear_eviction(reading *r) {
    duv_hearing *h = r->hearing;
    if (!read_below(r, h->description->cores, &h->event.core))
        return refuse(r, "the design has no such core");
    if (!duv_words_number(&r->words, &h->event.block) || !duv_words_end(&r->words))
        return refuse(r, "evict CORE BLOCK is expected");
    h->event.kind = COL_EVICTION;
    h->event.cycle = h->cycle;
    return DUV_SAID_EVENT;
}

/* ---- The end. */

static void end_run(duv_hearing *h, col_run_end end, const char *sentence) {
    h->run.end = end;
    h->run.cycles = h->cycle;
    h->run.operations =
        end == COL_RUN_COMPLETE ? col_program_operations(h->program) : h->operations;
    base_sentence(h->run.message, sizeof h->run.message, "%s", sentence);
    base_make_printable(h->run.message, false);
}

static duv_said hear_failed(reading *r) {
    char sentence[sizeof r->hearing->run.message];
    const char *rest = duv_words_rest(&r->words);
    base_sentence(sentence, sizeof sentence, "the design failed%s%s", *rest == '\0' ? "" : ": ",
                  rest);
    end_run(r->hearing, COL_RUN_CRASHED, sentence);
    return DUV_SAID_END;
}

static duv_said hear_end(reading *r) {
    static const struct {
        const char *word;
        col_run_end end;
        const char *sentence; /* if there is none */
    } ends[] = {
        {"complete", COL_RUN_COMPLETE, ""},
        {"stopped", COL_RUN_STOPPED, "the run was stopped"},
        {"deadlock", COL_RUN_DEADLOCK, "the design said that it deadlocked"},
        {"starvation", COL_RUN_STARVED, "the design said that an access starves"},
        {"protocol-error", COL_RUN_PROTOCOL_ERROR, "the design said that its protocol went wrong"},
        {"invariant", COL_RUN_INVARIANT, "the design said that an invariant was broken"}};
    enum { ENDS = sizeof ends / sizeof ends[0] };
    size_t length, e = 0;
    uint64_t cycle = r->hearing->cycle;
    const char *word = duv_words_next(&r->words, &length);
    while (e < ENDS && !duv_word_is(word, length, ends[e].word))
        e++;
    if (e == ENDS || (!duv_words_end(&r->words) && !duv_words_number(&r->words, &cycle)))
        return refuse(r, "end complete, stopped, deadlock, protocol-error or invariant is "
                         "expected, then cycles and a sentence if there are any");
    if (cycle < r->hearing->cycle)
        return refuse(r, "cycles do not go back");
    const char *rest = duv_words_rest(&r->words);
    r->hearing->cycle = cycle;
    end_run(r->hearing, ends[e].end, *rest == '\0' ? ends[e].sentence : rest);
    return DUV_SAID_END;
}

/* ---- Lines. */

static const struct {
    const char *word;
    duv_said (*hear)(reading *r);
    bool is_operation; /* there are no more of these than operations */
} messages[] = {
    {"read", hear_read, true},       {"load", hear_load, true},
    {"store", hear_store, true},     {"cycle", hear_cycle, false},
    {"hit", hear_hit, false},        {"transition", hear_transition, false},
    {"evict", hear_eviction, false}, {"merged", hear_merged, true},
    {"final", hear_final, true},     {"end", hear_end, true},
    {"failed", hear_failed, true},
};
enum { MESSAGES = sizeof messages / sizeof messages[0] };

/* Loads, stores and merged ones are reported again by a design that performs them again: an error
 * of the design for the checker to find, which ends the instance. */
static bool is_too_much(duv_hearing *h, bool is_operation) {
    if (is_operation)
        return h->operations > 2 * (uint64_t)col_program_operations(h->program);
    return ++h->others > DUV_SERVE_OTHERS;
}

duv_said duv_hearing_line(duv_hearing *h, const char *line) {
    reading r = {.hearing = h, .line = line, .words = {line}};
    size_t length, m = 0;
    const char *word = duv_words_next(&r.words, &length);
    const bool is_comment = length == 0 || *word == '#';
    while (!is_comment && m < MESSAGES && !duv_word_is(word, length, messages[m].word))
        m++;
    if (m == MESSAGES)
        return refuse(&r, "this is not a message of an instance");
    if (is_too_much(h, !is_comment && messages[m].is_operation))
        return refuse(&r, "the instance tells too much");
    if (is_comment)
        return DUV_SAID_NOTHING;
    h->event = (col_event){.kind = COL_LOAD_PERFORMED};
    return messages[m].hear(&r);
}

/* ---- Programs and instances. */

static col_status make_room(uint32_t **array, size_t *capacity, size_t count,
                            col_problem *problem) {
    const col_status status = base_reserve(array, capacity, count + 1, sizeof **array, problem);
    if (status == COL_OK)
        memset(*array, 0, (count + 1) * sizeof **array);
    return status;
}

col_status duv_hearing_load(duv_hearing *h, const col_program *program, col_problem *problem) {
    h->program = program;
    h->instance = 0;
    BASE_TRY(
        make_room(&h->answered, &h->answered_capacity, col_program_operations(program), problem));
    return make_room(&h->finals, &h->finals_capacity, program->location_count, problem);
}

void duv_hearing_begin(duv_hearing *h) {
    if (++h->instance == 0) { /* numbers begin anew: nothing was said in the first */
        memset(h->answered, 0, col_program_operations(h->program) * sizeof *h->answered);
        memset(h->finals, 0, h->program->location_count * sizeof *h->finals);
        h->instance = 1;
    }
    h->cycle = h->operations = h->others = 0;
    h->run = (col_run){.end = COL_RUN_COMPLETE};
}

void duv_hearing_free(duv_hearing *h) {
    free(h->answered);
    free(h->finals);
    *h = (duv_hearing){0};
}
