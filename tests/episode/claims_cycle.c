/* SPDX-License-Identifier: MIT */
/* Claims of stories: what the checker of the memory model said, and its cycle, step by step. */
#include "claims.h"
#include "program/program.h"

#include <stdio.h>
#include <string.h>

enum { MOST_STEPS = 256 };

static bool is_access_with(const claims *c, uint32_t from, uint32_t end, uint8_t order) {
    for (uint32_t i = from; i < end; i++)
        if ((operation_at(c, i)->order & order) != 0)
            return true;
    return false;
}

static bool has_fence(const claims *c, uint32_t from, uint32_t to) {
    for (uint32_t i = from + 1; i < to; i++)
        if (operation_at(c, i)->kind == COL_FENCE)
            return true;
    return false;
}

static bool has_dependency(const claims *c, uint32_t from, uint32_t to) {
    for (uint32_t i = from + 1; i <= to; i++) {
        const col_operation *o = operation_at(c, i);
        if (o->dependency != COL_NO_DEPENDENCY && i - o->distance >= from)
            return true;
    }
    return false;
}

static bool has_atomic(const claims *c, uint32_t from, uint32_t to) {
    for (uint32_t i = from; i <= to; i++)
        if (col_kinds[operation_at(c, i)->kind].reads && col_kinds[operation_at(c, i)->kind].writes)
            return true;
    return false;
}

static bool is_within(const claims *c, uint32_t from, uint32_t to, const char *name) {
    if (col_program_thread_of(c->program, from) != col_program_thread_of(c->program, to) ||
        from >= to)
        return false;
    if (strcmp(name, "fence") == 0)
        return has_fence(c, from, to);
    if (strcmp(name, "acquire") == 0)
        return is_access_with(c, from, to, COL_ACQUIRE);
    if (strcmp(name, "release") == 0)
        return is_access_with(c, from, to + 1, COL_RELEASE);
    if (strcmp(name, "dependency") == 0)
        return has_dependency(c, from, to);
    if (strcmp(name, "atomic") == 0)
        return has_atomic(c, from, to);
    if (strcmp(name, "po-loc") == 0)
        return operation_at(c, from)->location == operation_at(c, to)->location;
    return strcmp(name, "po") == 0;
}

static bool is_between(const claims *c, uint32_t from, uint32_t to, const char *name) {
    const col_event *one = performed(c, from), *other = performed(c, to);
    const uint32_t location = operation_at(c, from)->location;
    if (location != operation_at(c, to)->location)
        return false;
    if (c->design->shows == COL_SHOWS_READS) /* the order of writes is not known */
        return strcmp(name, "rf") != 0 ||
               (value_of(c, to) != NULL && col_kinds[operation_at(c, from)->kind].writes &&
                (operation_at(c, from)->kind == COL_ADD ||
                 col_program_operand(c->program, operation_at(c, from)) == value_of(c, to)->word));
    if (strcmp(name, "rf") == 0) /* a core reads its own stores before they perform */
        return other != NULL && writer_of(c, location, returned(other)) == from;
    if (strcmp(name, "co") == 0)
        return one != NULL && is_replaced_by(c, location, one->word, to);
    return one != NULL && strcmp(name, "fr") == 0 && is_replaced_by(c, location, returned(one), to);
}

bool relation(claims *c, uint32_t from, uint32_t to, const char *name) {
    return claim(c, is_within(c, from, to, name) || is_between(c, from, to, name),
                 "the operations are related like this");
}

/* A thread saw the words of both writes in this order: the last access before it, and it. */
static bool is_seen(const claims *c, uint32_t from, uint32_t to, uint32_t note) {
    const uint32_t location = operation_at(c, note)->location;
    const uint32_t thread = col_program_thread_of(c->program, note);
    const col_event *later = performed(c, note);
    bool is_earlier = false;
    for (uint32_t i = c->program->thread_start[thread]; i < note; i++) {
        const col_event *event = performed(c, i);
        if (event == NULL && i == from && operation_at(c, i)->kind == COL_STORE &&
            operation_at(c, i)->location == location)
            is_earlier = true; /* its own, in a store buffer */
        if (event == NULL || operation_at(c, i)->location != location)
            continue;
        is_earlier = is_earlier || writer_of(c, location, event->word) == from;
    }
    return is_earlier &&
           (note == to || (later != NULL && writer_of(c, location, returned(later)) == to));
}

typedef struct step {
    uint32_t from, note;
    char name[16];
} step;

/* "   1. thread 2, operation 0     store a0 2" and what makes a sentence with the next one */
static bool one_step(claims *c, step *s, bool *is_last) {
    static const struct {
        const char *name, *words;
    } relations[] = {
        {"po", "comes, in program order, before"},
        {"fence", "is kept by a fence before"},
        {"acquire", "is kept by an acquire before"},
        {"release", "is kept by a release before"},
        {"dependency", "is kept by a dependency before"},
        {"atomic", "comes, by the atomic between them, before"},
        {"po-loc", "comes, on the same location, before"},
        {"rf", "is read by"},
        {"co", "is replaced by"},
        {"fr", "read the value that is then replaced by"},
    };
    size_t i = 0;
    int used = 0;
    *s = (step){.note = NONE};
    if (!place(c, &s->from))
        return false;
    skip_blanks(c);
    if (!need_mention(c, s->from) || !need(c, "\n        "))
        return false;
    if (sscanf(c->at, "%15[a-z-]%n", s->name, &used) != 1)
        return no(c, "a relation expected");
    c->at += used;
    while (i < sizeof relations / sizeof relations[0] && strcmp(relations[i].name, s->name) != 0)
        i++;
    skip_blanks(c);
    if (i == sizeof relations / sizeof relations[0] || !need(c, relations[i].words))
        return no(c, "unknown relation");
    *is_last = take(c, " 1.");
    if (!need(c, "\n"))
        return false;
    skip_blanks(c);
    return !take(c, "because of ") ||
           (place(c, &s->note) && need(c, ": ") && need_mention(c, s->note) && need(c, "\n"));
}

static bool cycle(claims *c) {
    static step steps[MOST_STEPS];
    uint32_t count = 0;
    char text[16];
    for (bool is_last = false; !is_last; count++) {
        skip_blanks(c);
        (void)snprintf(text, sizeof text, "%u. ", count + 1);
        if (!need(c, text) || !one_step(c, &steps[count], &is_last) || count == MOST_STEPS - 1)
            return no(c, "a step expected");
    }
    for (uint32_t i = 0; i < count; i++) {
        const step *s = &steps[i];
        const uint32_t to = steps[(i + 1) % count].from;
        const bool is_so =
            s->note != NONE && c->design->shows == COL_SHOWS_READS /* who saw what is not known */
                ? (strcmp(s->name, "co") == 0 || strcmp(s->name, "fr") == 0) &&
                      operation_at(c, s->note)->location == operation_at(c, s->from)->location
                : s->note == NONE
                      ? is_within(c, s->from, to, s->name) || is_between(c, s->from, to, s->name)
                      : strcmp(s->name, "co") == 0 && is_seen(c, s->from, to, s->note);
        (void)snprintf(text, sizeof text, "step %u", i + 1);
        if (!claim(c, is_so, text))
            return false;
    }
    return true;
}

/* What the checker said of the operations that it names. */
static bool against_order(claims *c) {
    uint64_t location;
    uint32_t first, second;
    if (!number(c, &location) || !need(c, " is not coherent: ") || !whole_mention(c, &first) ||
        !need(c, " and ") || !whole_mention(c, &second) ||
        !need(c, " saw its values against the order in which they were written"))
        return false;
    const col_event *one = performed(c, first), *other = performed(c, second);
    if (!claim(c,
               first < second && one != NULL && other != NULL &&
                   operation_at(c, first)->location == location &&
                   operation_at(c, second)->location == location &&
                   col_program_thread_of(c->program, first) ==
                       col_program_thread_of(c->program, second),
               "they are accesses of one thread to the location"))
        return false;
    const uint32_t seen = writer_of(c, (uint32_t)location, one->word);
    return claim(c,
                 is_replaced_by(c, (uint32_t)location, other->word, seen) ||
                     is_replaced_by(c, (uint32_t)location, returned(other), seen),
                 "the second saw the older value");
}

static bool both_replaced(claims *c, uint32_t first) {
    uint32_t second;
    if (!whole_mention(c, &second) || !need(c, " both replaced the value "))
        return false;
    const col_event *one = performed(c, first), *other = performed(c, second);
    return claim(c,
                 one != NULL && other != NULL && one->kind == COL_STORE_PERFORMED &&
                     is_write_to(c, other, operation_at(c, first)->location) &&
                     one->overwritten == other->overwritten,
                 "both replaced it") &&
           need_word(c, one->overwritten) && need(c, " of a") &&
           need_number(c, operation_at(c, first)->location, "of this location") &&
           need(c, ": one of them was lost");
}

static bool never_stored(claims *c, uint32_t operation) {
    const uint32_t location = operation_at(c, operation)->location;
    const col_event *event = performed(c, operation);
    if (!claim(c, event != NULL, "it performed"))
        return false;
    const uint64_t met =
        col_kinds[operation_at(c, operation)->kind].reads ? returned(event) : event->overwritten;
    return need_word(c, met) && need(c, " at a") && need_number(c, location, "there") &&
           need(c, ", which no operation can have stored there") &&
           claim(c, met != 0 && writer_of(c, location, met) == NONE, "none stored it");
}

static bool of_a_later_write(claims *c, uint32_t read) {
    uint32_t write;
    return whole_mention(c, &write) && claim(c,
                                             col_program_thread_of(c->program, read) ==
                                                     col_program_thread_of(c->program, write) &&
                                                 read < write && performed(c, read) != NULL &&
                                                 writer_of(c, operation_at(c, read)->location,
                                                           returned(performed(c, read))) == write,
                                             "the write is a later one of its thread");
}

static bool not_atomic(claims *c, uint32_t operation) {
    const col_event *event = performed(c, operation);
    return claim(
        c, event != NULL && event->kind == COL_STORE_PERFORMED && event->read != event->overwritten,
        "it replaced another value");
}

/* "TSO" */
bool need_model(claims *c) {
    return need_name(c, prg_model_titles[c->e->worker.judge.model], "it was judged by this model");
}

static bool once_more(claims *c) {
    uint32_t operation;
    while (take(c, "      ")) {
        if (!place(c, &operation))
            return false;
        skip_blanks(c);
        if (!need_mention(c, operation) || !need(c, "\n"))
            return false;
    }
    return true;
}

bool verdict(claims *c) {
    uint32_t operation;
    if (take(c, "these operations form a cycle that "))
        return need_model(c) && need(c, " forbids") &&
               (take(c, ", given which writes are the last") || true) && need(c, "\n") && cycle(c);
    if (take(c, "these operations form a cycle:\n"))
        return claim(c, any_placed(c) != NULL, "it is hardware") && cycle(c);
    if (take(c, "operations:\n"))
        return claim(c, any_placed(c) != NULL, "it is hardware") && once_more(c);
    if (take(c, "location a"))
        return against_order(c) && need(c, "\n") && cycle(c);
    if (!whole_mention(c, &operation))
        return false;
    if (take(c, " returned the value of a later write of its thread, "))
        return of_a_later_write(c, operation) && need(c, "\n") && cycle(c);
    const bool is_so = take(c, " and ") ? both_replaced(c, operation)
                       : take(c, " met the value ")
                           ? never_stored(c, operation)
                           : need(c, " was not atomic: it replaced another value than it "
                                     "returned") &&
                                 not_atomic(c, operation);
    return is_so && need(c, "\n") && once_more(c);
}
