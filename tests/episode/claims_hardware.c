/* SPDX-License-Identifier: MIT */
/*
 * Claims of stories of hardware: values as memory holds them, instructions, what was asked at the
 * pins of a chip, points that caches hit, and where everything stood.
 */
#include "claims.h"
#include "program/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Values. */

static bool is_store_of(const claims *c, uint32_t i, uint64_t word) {
    const col_operation *o = operation_at(c, i);
    return col_kinds[o->kind].writes && o->kind != COL_ADD &&
           col_program_operand(c->program, o) == word;
}

static uint8_t byte_of(uint64_t word, uint32_t b) {
    return (uint8_t)(word >> 8 * b);
}

/* May the location hold the word that the story says here? */
static bool one_of(claims *c, uint32_t location, uint64_t *raw) {
    const char *start = c->at;
    char *end;
    const uint64_t word = strtoull(start, &end, 10);
    bool is_there = word == 0;
    for (uint32_t i = 0; i < col_program_operations(c->program); i++)
        is_there |= is_store_of(c, i, word) && operation_at(c, i)->location == location;
    *raw = raw_of(c, word);
    return claim(c, is_there, "the location may hold it") && need_word(c, word);
}

bool who_else_wrote(claims *c, uint32_t location, uint64_t word) {
    const uint64_t raw = raw_of(c, word);
    uint64_t one, other;
    uint32_t elsewhere;
    char text[160];
    (void)snprintf(text, sizeof text,
                   ": it is what memory holds before the image initialises a%u with 0x%llx",
                   location, (unsigned long long)raw_of(c, 0));
    if (take(c, text))
        return claim(c, raw == 0 && raw_of(c, 0) != 0, "it is 0");
    if (take(c, ": it is the value of "))
        return whole(c, &elsewhere) && claim(c,
                                             is_store_of(c, elsewhere, word) &&
                                                 operation_at(c, elsewhere)->location != location,
                                             "it stores this elsewhere");
    if (!take(c, ": its bytes are those of "))
        return true;
    if (!one_of(c, location, &one) || !need(c, " and of ") || !one_of(c, location, &other))
        return false;
    for (uint32_t b = 0; b < (c->program->is_narrow ? 4u : 8u); b++)
        if (byte_of(raw, b) != byte_of(one, b) && byte_of(raw, b) != byte_of(other, b))
            return claim(c, false, "each byte is of one of them");
    return true;
}

bool what_was_returned(claims *c, uint32_t read) {
    const uint32_t location = operation_at(c, read)->location;
    const uint64_t word = value_of(c, read)->word;
    uint32_t writer, adder;
    if (!need(c, " returned "))
        return false;
    if (take(c, "the value of ")) {
        if (!place(c, &writer) ||
            !claim(c, operation_at(c, writer)->location == location, "it stores there"))
            return false;
        if (!take(c, " plus that of the add of "))
            return claim(c, is_store_of(c, writer, word), "it stores this value") && need(c, ".");
        uint64_t sum = col_program_operand(c->program, operation_at(c, writer));
        return place(c, &adder) &&
               claim(c,
                     operation_at(c, adder)->kind == COL_ADD &&
                         operation_at(c, adder)->location == location &&
                         sum + col_program_operand(c->program, operation_at(c, adder)) == word,
                     "it is the sum") &&
               need(c, ".");
    }
    if (take(c, "the initial value"))
        return claim(c, word == 0, "it is") && need(c, ".");
    for (uint32_t i = 0; i < col_program_operations(c->program); i++)
        if (is_store_of(c, i, word) && operation_at(c, i)->location == location)
            return claim(c, false, "a store wrote it");
    return need(c, "what no single store wrote") && who_else_wrote(c, location, word) &&
           need(c, ".");
}

/* ---- Instructions: "  0x80000a14  lw x13, 0(x5)   thread 0, operation 3, hart 0: load a3 = 5" */

bool instructions(claims *c) {
    while (sees(c, "  ")) {
        const char *colon = strstr(c->at, "thread ");
        char text[200];
        uint32_t operation;
        claims ahead = *c;
        ahead.at = colon == NULL ? c->at : colon;
        if (colon == NULL || !place(&ahead, &operation))
            return no(c, "an operation expected");
        const col_event *at = placed(c, operation);
        if (!claim(c, at != NULL && at->number != 0 && at->message != NULL,
                   "it has an instruction"))
            return false;
        (void)snprintf(text, sizeof text, "  0x%llx  %-28s ", (unsigned long long)at->number,
                       at->message);
        if (!need_name(c, text, "this is its instruction") || !place(c, &operation) ||
            !need(c, ", hart ") ||
            !need_number(c, col_program_thread_of(c->program, operation), "it is of this hart") ||
            !need(c, ": ") || !need_operation(c, operation) || !need(c, "\n"))
            return false;
    }
    return true;
}

/* ---- Lines of histories. */

void bus_line(const col_event *event, base_text *text) {
    const bool asks = event->machine == COL_OF_BUS;
    char who[32];
    (void)snprintf(who, sizeof who, "bus %u", asks ? event->controller : event->to_controller);
    base_text_print(text, "%-14s %s: %s\n", who, asks ? "asks" : "is answered", event->message);
}

/* A point that a cache beside a core hit then. */
bool cover_line(claims *c, const col_event *from) {
    const char *end = strchr(c->at, '\n');
    const char *covers = strstr(c->at, " covers ");
    if (end == NULL || covers == NULL || covers > end || !sees(c, "  "))
        return false;
    for (const col_event *at = from; at < end_of(c); at++) {
        const col_duv_machine *m = &c->design->machines[at->machine];
        char who[80], line[300];
        if (at->kind != COL_POINT || !m->is_private)
            continue;
        const col_duv_point *point = &c->design->points[m->first_point + at->event];
        (void)snprintf(who, sizeof who, "%s %u", m->name, at->controller);
        (void)snprintf(line, sizeof line, "  %8llu  %-14s covers %s%s%s\n",
                       (unsigned long long)at->cycle, who, point->state,
                       point->event[0] == '\0' ? "" : " ", point->event);
        if (take(c, line))
            return claim(c, true, "");
    }
    return claim(c, false, "the point was hit then");
}

/* ---- Where everything stood: as it was told, and what can be seen otherwise. */

static const char *who_of(const col_event *wait, char name[32]) {
    (void)snprintf(name, 32,
                   wait->machine == COL_OF_CORE  ? "core %u"
                   : wait->machine == COL_OF_BUS ? "bus %u"
                                                 : "memory",
                   wait->controller);
    return name;
}

/* When the operation was last sent to the memory system. */
static bool is_asked_in(const claims *c, uint32_t operation, uint64_t cycle) {
    const col_event *last = NULL;
    for (const col_event *at = c->e->list; at < end_of(c); at++)
        if (at->kind == COL_OPERATION_ISSUED && at->operation == operation)
            last = at;
    return last == NULL || last->cycle == cycle; /* a fence is not told of */
}

bool stands(claims *c) {
    const col_event *wait = c->e->list;
    uint64_t block, on;
    char name[32];
    while (wait < end_of(c) && wait->kind != COL_WAIT)
        wait++;
    if (!claim(c, wait < end_of(c), "somebody said so") ||
        !need_name(c, wait->message, "of a kind") || !need(c, "):\n"))
        return false;
    for (uint64_t count = 1; sees(c, "  "); count++) {
        do
            wait++;
        while (wait < end_of(c) && wait->kind != COL_WAIT);
        skip_blanks(c);
        if (!claim(c, wait < end_of(c), "this many wait") ||
            !need_number(c, count, "one after the other") || !need(c, " ") ||
            !need_name(c, who_of(wait, name), "it waits") || !need(c, " ") ||
            !need_name(c, wait->message, "for this"))
            return false;
        if (take(c, ", block ") && !need_block(c, &block))
            return false;
        if (take(c, ", since cycle ") &&
            !(need_number(c, wait->overwritten, "since then") &&
              claim(c,
                    wait->operation >= col_program_operations(c->program) ||
                        strstr(wait->message, "answer") == NULL ||
                        is_asked_in(c, wait->operation, wait->overwritten),
                    "it has been asked since then")))
            return false;
        if (take(c, ": ")) {
            base_text text = {0};
            uint32_t operation;
            prg_operation_write(operation_at(c, wait->operation), &text);
            const bool is_so =
                need_name(c, text.data, "this operation") && need(c, " (") &&
                place(c, &operation) && need(c, ")") &&
                claim(c, operation == wait->operation && performed(c, operation) == NULL,
                      "it has not performed");
            base_text_free(&text);
            if (!is_so)
                return false;
        }
        if (take(c, " -> ") && !(number(c, &on) && claim(c, on == wait->read, "for this one")))
            return false;
        if (!need(c, "\n"))
            return false;
    }
    return true;
}
