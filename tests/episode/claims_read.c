/* SPDX-License-Identifier: MIT */
/* Claims of stories: reading a story, and looking things up in the recording, all of it each time.
 */
#include "claims.h"
#include "program/program.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Reading. */

bool no(claims *c, const char *format, ...) {
    va_list list;
    if (c->wrong[0] != '\0')
        return false;
    va_start(list, format);
    const int used = vsnprintf(c->wrong, CLAIMS_WRONG / 2, format, list);
    va_end(list);
    (void)snprintf(c->wrong + used, CLAIMS_WRONG - (size_t)used, ", at: %.200s", c->at);
    return false;
}

/* Something that could be false. */
bool claim(claims *c, bool is_true, const char *what) {
    c->checked++;
    return is_true || no(c, "not so: %s", what);
}

bool sees(const claims *c, const char *text) {
    return strncmp(c->at, text, strlen(text)) == 0;
}

bool take(claims *c, const char *text) {
    if (!sees(c, text))
        return false;
    c->at += strlen(text);
    return true;
}

bool need(claims *c, const char *text) {
    return take(c, text) || no(c, "'%s' expected", text);
}

bool number(claims *c, uint64_t *n) {
    char *end;
    *n = 0;
    if (!isdigit((unsigned char)*c->at))
        return no(c, "a number expected");
    *n = strtoull(c->at, &end, 10);
    c->at = end;
    return true;
}

bool need_number(claims *c, uint64_t is, const char *what) {
    uint64_t n;
    return number(c, &n) && claim(c, n == is, what);
}

void print_word(const claims *c, uint64_t word, base_text *text) {
    const unsigned long long low = word & UINT32_MAX, high = word >> 32, raw = raw_of(c, word);
    if (any_placed(c) == NULL) {
        base_text_print(text, high == 0 ? "%llu" : "%llu and %llu added", low, high);
        return;
    }
    if (high != 0)
        base_text_print(text, "0x%llx", raw);
    else
        base_text_print(text, raw == low && raw < 10 ? "%llu" : "%llu (0x%llx)", low, raw);
}

/* "5", or "5 and 2 added" */
bool need_word(claims *c, uint64_t word) {
    base_text text = {0};
    print_word(c, word, &text);
    const bool is_so = need_name(c, text.data, "this is the value");
    base_text_free(&text);
    return is_so && claim(c, strchr("0123456789", *c->at) == NULL || *c->at == '\0', "all of it");
}

bool skip_word(claims *c) {
    uint64_t n;
    char *end;
    if (take(c, "0x")) {
        (void)strtoull(c->at, &end, 16);
        c->at = end;
        return true;
    }
    if (!number(c, &n))
        return false;
    if (take(c, " (0x")) {
        (void)strtoull(c->at, &end, 16);
        c->at = end;
        return need(c, ")");
    }
    return !take(c, " and ") || (number(c, &n) && need(c, " added"));
}

bool need_name(claims *c, const char *name, const char *what) {
    const size_t length = strlen(name);
    if (strncmp(c->at, name, length) != 0)
        return claim(c, false, what);
    c->at += length;
    return claim(c, true, what);
}

void skip_blanks(claims *c) {
    c->at += strspn(c->at, " ");
}

/* ---- The recording. */

const col_event *end_of(const claims *c) {
    return c->e->list + c->e->count;
}

const col_operation *operation_at(const claims *c, uint32_t operation) {
    return &c->program->operations[operation];
}

bool is_performed(const col_event *event) {
    return event->kind == COL_LOAD_PERFORMED || event->kind == COL_STORE_PERFORMED;
}

/* When it performed; NULL: it has not. */
const col_event *performed(const claims *c, uint32_t operation) {
    for (const col_event *at = c->e->list; at < end_of(c); at++)
        if (is_performed(at) && at->operation == operation)
            return at;
    return NULL;
}

bool is_write_to(const claims *c, const col_event *event, uint32_t location) {
    return event->kind == COL_STORE_PERFORMED &&
           operation_at(c, event->operation)->location == location;
}

uint64_t returned(const col_event *event) {
    return event->kind == COL_STORE_PERFORMED ? event->read : event->word;
}

uint64_t block_of(const claims *c, uint32_t operation) {
    const uint32_t bits = c->design->geometry.block_bits;
    return c->program->addresses[operation_at(c, operation)->location] >> bits << bits;
}

/* Did the word make way for this write, at once or after others? */
static bool leads_to(const claims *c, uint32_t location, uint64_t word, uint32_t write,
                     bool *was_here) {
    for (size_t i = 0; i < c->e->count; i++) {
        const col_event *event = &c->e->list[i];
        if (was_here[i] || !is_write_to(c, event, location) || event->overwritten != word)
            continue;
        was_here[i] = true;
        if (event->operation == write || leads_to(c, location, event->word, write, was_here))
            return true;
    }
    return false;
}

bool is_replaced_by(const claims *c, uint32_t location, uint64_t word, uint32_t write) {
    bool *was_here = calloc(c->e->count + 1, sizeof *was_here);
    const bool leads = was_here != NULL && leads_to(c, location, word, write, was_here);
    free(was_here);
    return leads;
}

const col_event *value_of(const claims *c, uint32_t operation) {
    for (const col_event *at = c->e->list; at < end_of(c); at++)
        if (at->kind == COL_VALUE_RETURNED && at->operation == operation)
            return at;
    return NULL;
}

const col_event *placed(const claims *c, uint32_t operation) {
    for (const col_event *at = c->e->list; at < end_of(c); at++)
        if (at->kind == COL_PLACED && at->operation == operation)
            return at;
    return NULL;
}

const col_event *any_placed(const claims *c) {
    for (const col_event *at = c->e->list; at < end_of(c); at++)
        if (at->kind == COL_PLACED)
            return at;
    return NULL;
}

/* A narrow word has 20 bits for what was stored and 12 for what was added. */
uint64_t raw_of(const claims *c, uint64_t word) {
    const col_event *at = any_placed(c);
    const uint64_t salt = at == NULL ? 0 : at->overwritten;
    return c->program->is_narrow
               ? (((word >> 32) * 0x100000 + (word & UINT32_MAX)) + salt) & UINT32_MAX
               : word + salt;
}

/* The write of this word: it performed, or waits in a store buffer. */
uint32_t writer_of(const claims *c, uint32_t location, uint64_t word) {
    for (const col_event *at = c->e->list; at < end_of(c); at++)
        if (is_write_to(c, at, location) && at->word == word)
            return at->operation;
    for (uint32_t i = 0; i < col_program_operations(c->program); i++) {
        const col_operation *o = operation_at(c, i);
        if (col_kinds[o->kind].writes && o->location == location && o->kind != COL_ADD &&
            performed(c, i) == NULL && col_program_operand(c->program, o) == word)
            return i;
    }
    return NONE;
}

/* ---- Operations. */

static bool need_value(claims *c, uint32_t operation) {
    const col_event *event = performed(c, operation);
    if (event == NULL)
        event = value_of(c, operation);
    if (event == NULL || !col_kinds[operation_at(c, operation)->kind].reads)
        return true;
    return need(c, " = ") && need_word(c, returned(event));
}

/* As programs have it. */
bool need_operation(claims *c, uint32_t operation) {
    base_text text = {0};
    prg_operation_write(operation_at(c, operation), &text);
    const bool is_named = need_name(c, text.data, "this is the operation");
    base_text_free(&text);
    return is_named && need_value(c, operation);
}

/* As checkers have it: "store.release a3 17". */
bool need_mention(claims *c, uint32_t operation) {
    const col_operation *o = operation_at(c, operation);
    char text[80], value[16] = "";
    if (any_placed(c) != NULL)
        return need_operation(c, operation);
    if (o->value != 0)
        (void)snprintf(value, sizeof value, " %u", o->value);
    (void)snprintf(text, sizeof text, "%s%s%s a%u%s", col_kinds[o->kind].name,
                   (o->order & COL_ACQUIRE) != 0 ? ".acquire" : "",
                   (o->order & COL_RELEASE) != 0 ? ".release" : "", o->location, value);
    return need_name(c, text, "this is the operation") && need_value(c, operation);
}

/* "thread 0, operation 3" */
bool place(claims *c, uint32_t *operation) {
    uint64_t thread, at;
    if ((!take(c, "thread ") && !need(c, "Thread ")) || !number(c, &thread) ||
        !need(c, ", operation ") || !number(c, &at))
        return false;
    if (thread >= c->program->thread_count ||
        at >= c->program->thread_start[thread + 1] - c->program->thread_start[thread])
        return claim(c, false, "there is such an operation");
    *operation = c->program->thread_start[thread] + (uint32_t)at;
    return true;
}

/* "thread 0, operation 3 (store a3 17)" */
bool whole(claims *c, uint32_t *operation) {
    return place(c, operation) && need(c, " (") && need_operation(c, *operation) && need(c, ")");
}

bool whole_mention(claims *c, uint32_t *operation) {
    return place(c, operation) && need(c, " (") && need_mention(c, *operation) && need(c, ")");
}

bool need_whole(claims *c, uint32_t operation, const char *what) {
    uint32_t named;
    return whole(c, &named) && claim(c, named == operation, what);
}

/* " in cycle 812", or that it has not performed */
bool need_cycle(claims *c, uint32_t operation) {
    const col_event *event = performed(c, operation);
    if (event == NULL)
        return need(c, ", but has not performed");
    return need(c, " in cycle ") && need_number(c, event->cycle, "it performed in this cycle");
}

/* "0x1040 (a3 a5)" */
bool need_block(claims *c, uint64_t *block) {
    enum { MOST = 4 };
    char text[128];
    char *end;
    uint32_t count = 0;
    const uint32_t bits = c->design->geometry.block_bits;
    if (!sees(c, "0x"))
        return no(c, "a block expected");
    *block = strtoull(c->at, &end, 16);
    for (uint32_t i = 0; i < col_program_operations(c->program); i++)
        if (placed(c, i) != NULL && col_kinds[operation_at(c, i)->kind].located) {
            *block -= placed(c, i)->block - c->program->addresses[operation_at(c, i)->location];
            break;
        }
    c->at = end;
    for (uint32_t l = 0; l < c->program->location_count; l++) {
        if (c->program->addresses[l] >> bits != *block >> bits || count++ >= MOST)
            continue;
        (void)snprintf(text, sizeof text, "%sa%u", count == 1 ? " (" : " ", l);
        if (!need_name(c, text, "the location is in the block"))
            return false;
    }
    return count == 0 || need(c, count > MOST ? " ...)" : ")");
}

bool need_source(claims *c, const col_event *event, const char *before) {
    static const char *const sources[] = {
        [COL_FROM_STORE_BUFFER] = "its own store buffer",
        [COL_FROM_PRIVATE_CACHE] = "its private cache",
        [COL_FROM_OTHER_CORE] = "another core's cache",
        [COL_FROM_SHARED_LEVEL] = "the shared level",
        [COL_FROM_MEMORY] = "memory",
    };
    if (event->source == COL_FROM_UNKNOWN)
        return true;
    return need(c, before) && need_name(c, sources[event->source], "it came from there");
}
