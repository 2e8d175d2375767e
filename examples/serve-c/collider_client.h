/* SPDX-License-Identifier: MIT */
/*
 * The design's side of Collider's serve protocol (docs/serve.md), version 1, for C and C++: copy
 * this file, fill in a collider_client and call collider_serve. It needs POSIX and nothing else.
 *
 * A design tells what happened by collider_load, collider_store, collider_read and so on, whatever
 * its description says that it shows.
 */
#ifndef COLLIDER_CLIENT_H
#define COLLIDER_CLIENT_H

#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COLLIDER_SERVE_VERSION = 1, COLLIDER_BYTES = 1 << 16 };

/* Words of the text form of programs (docs/program.md). */
typedef enum collider_kind {
    COLLIDER_LOAD,
    COLLIDER_AWAIT,
    COLLIDER_STORE,
    COLLIDER_SWAP,
    COLLIDER_ADD,
    COLLIDER_FENCE,
    COLLIDER_FLUSH,
    COLLIDER_DELAY,
    COLLIDER_KINDS
} collider_kind;

typedef struct collider_operation {
    collider_kind kind;
    uint32_t thread;
    uint32_t location; /* of a delay: its cycles */
    uint32_t value;
    char rest[48]; /* of the line: "acquire address@-1", or what a fence orders */
} collider_operation;

typedef struct collider_test {
    uint32_t word_bytes, thread_count, location_count, operation_count;
    uint64_t *addresses; /* of locations */
    collider_operation *operations;
    size_t location_room, operation_room;
} collider_test;

/* A design. Functions that return a text return NULL, or one sentence on why not. */
typedef struct collider_client {
    void *context;
    const char *(*cores)(void *context, uint32_t cores);        /* asked for before `describe`; */
    const char *(*options)(void *context, const char *options); /* these may be NULL */
    const char *(*describe)(void *context);                     /* says it by collider_say */
    const char *(*load)(void *context, const collider_test *test);
    /* Tells what happens and how it ends: collider_end. */
    void (*run)(void *context, uint64_t seed, bool wants_evictions, bool wants_transitions);
} collider_client;

/* ---- Lines out: kept until somebody waits for them. */

static char collider_out[COLLIDER_BYTES];
static size_t collider_out_count;

static inline void collider_flush(void) {
    for (size_t done = 0; done < collider_out_count;) {
        const ssize_t count = write(1, collider_out + done, collider_out_count - done);
        if (count <= 0)
            exit(0); /* Collider has gone */
        done += (size_t)count;
    }
    collider_out_count = 0;
}

static inline void collider_need(size_t count) {
    if (collider_out_count + count > COLLIDER_BYTES)
        collider_flush();
}

/* A line, as printf; at most 1,000 bytes of it. */
static inline void collider_say(const char *format, ...) {
    va_list arguments;
    collider_need(1002);
    va_start(arguments, format);
    const int count = vsnprintf(collider_out + collider_out_count, 1001, format, arguments);
    va_end(arguments);
    collider_out_count += count < 0 ? 0 : count > 1000 ? 1000 : (size_t)count;
    collider_out[collider_out_count++] = '\n';
}

static inline void collider_put_word(const char *word) {
    while (*word != '\0')
        collider_out[collider_out_count++] = *word++;
}

static inline void collider_put_number(uint64_t number) {
    char digits[20];
    int count = 0;
    do
        digits[count++] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    collider_out[collider_out_count++] = ' ';
    while (count > 0)
        collider_out[collider_out_count++] = digits[--count];
}

/* "WORD NUMBER... [SOURCE]", without printf: events are many. */
static inline void collider_tell_from(const char *word, const uint64_t *numbers, int count,
                                      const char *source) {
    collider_need(200);
    collider_put_word(word);
    for (int i = 0; i < count; i++)
        collider_put_number(numbers[i]);
    if (source != NULL) {
        collider_put_word(" ");
        collider_put_word(source);
    }
    collider_put_word("\n");
}

static inline void collider_tell(const char *word, const uint64_t *numbers, int count) {
    collider_tell_from(word, numbers, count, NULL);
}

/* ---- What happened. Operations are counted through the whole program, from 0. */

static inline void collider_cycle(uint64_t cycle) {
    collider_tell("cycle", &cycle, 1);
}

/* A load or await performed; a store left this word in place of another one. The source, of words
 * or blocks, is buffer, private, other, shared or memory; NULL: unknown. */
static inline void collider_load(uint32_t operation, uint64_t word, const char *source) {
    const uint64_t numbers[] = {operation, word};
    collider_tell_from("load", numbers, 2, source);
}

static inline void collider_store(uint32_t operation, uint64_t word, uint64_t overwritten,
                                  const char *source) {
    const uint64_t numbers[] = {operation, word, overwritten};
    collider_tell_from("store", numbers, 3, source);
}

static inline void collider_swap_or_add(uint32_t operation, uint64_t word, uint64_t overwritten,
                                        uint64_t returned, const char *source) {
    const uint64_t numbers[] = {operation, word, overwritten, returned};
    collider_tell_from("store", numbers, 4, source);
}

/* Of designs that show reads: what an operation returned, what a location holds at the end. */
static inline void collider_read(uint32_t operation, uint64_t word) {
    const uint64_t numbers[] = {operation, word};
    collider_tell("read", numbers, 2);
}

static inline void collider_final(uint32_t location, uint64_t word) {
    const uint64_t numbers[] = {location, word};
    collider_tell("final", numbers, 2);
}

static inline void collider_hit(uint32_t machine, uint32_t controller, uint32_t point,
                                uint64_t count) {
    const uint64_t numbers[] = {machine, controller, point, count};
    collider_tell("hit", numbers, 4);
}

/* `how` is complete, stopped, deadlock, protocol-error or invariant; the sentence may be "". */
static inline void collider_end(const char *how, uint64_t cycles, const char *sentence) {
    collider_say("end %s %llu%s%s", how, (unsigned long long)cycles, *sentence == '\0' ? "" : " ",
                 sentence);
}

/* ---- Lines in. */

static char collider_in[COLLIDER_BYTES];
static size_t collider_in_begin, collider_in_end;

/* More bytes behind those that are there. False: there are no more. */
static inline bool collider_hear(void) {
    memmove(collider_in, collider_in + collider_in_begin, collider_in_end - collider_in_begin);
    collider_in_end -= collider_in_begin;
    collider_in_begin = 0;
    const ssize_t count = read(0, collider_in + collider_in_end, COLLIDER_BYTES - collider_in_end);
    collider_in_end += count > 0 ? (size_t)count : 0;
    return count > 0;
}

/* The next line without its end; NULL: there is no more. */
static inline char *collider_line(void) {
    while (true) {
        char *start = collider_in + collider_in_begin;
        char *end = (char *)memchr(start, '\n', collider_in_end - collider_in_begin);
        if (end != NULL) {
            *end = '\0';
            collider_in_begin += (size_t)(end - start) + 1;
            return start;
        }
        collider_flush(); /* what is kept back would be waited for */
        if (!collider_hear())
            return NULL;
    }
}

/* Was a stop asked for? Ask now and then in a run: nothing else is said to a design then. */
static inline bool collider_is_stopped(void) {
    struct pollfd input = {0, POLLIN, 0};
    if (collider_in_begin == collider_in_end && poll(&input, 1, 0) > 0 && !collider_hear())
        exit(0); /* Collider has gone */
    return collider_in_end - collider_in_begin >= 5 &&
           memcmp(collider_in + collider_in_begin, "stop\n", 5) == 0;
}

/* ---- Programs. */

static inline void *collider_room(void *items, size_t *room, size_t count, size_t size) {
    if (count <= *room)
        return items;
    *room = 2 * count;
    items = realloc(items, *room * size);
    if (items == NULL) {
        (void)fputs("out of memory\n", stderr);
        exit(1);
    }
    return items;
}

static inline void collider_add_operation(collider_test *test, const char *line) {
    static const char *const kinds[COLLIDER_KINDS] = {"load", "await", "store", "swap",
                                                      "add",  "fence", "flush", "delay"};
    char kind[16] = "";
    int used = 0;
    test->operations =
        (collider_operation *)collider_room(test->operations, &test->operation_room,
                                            test->operation_count + 1, sizeof *test->operations);
    collider_operation *o = &test->operations[test->operation_count++];
    memset(o, 0, sizeof *o);
    o->thread = test->thread_count - 1;
    (void)sscanf(line, " %15s%n", kind, &used);
    while (o->kind < COLLIDER_DELAY && strcmp(kind, kinds[o->kind]) != 0)
        o->kind = (collider_kind)(o->kind + 1);
    int more = 0;
    if (o->kind == COLLIDER_DELAY)
        (void)sscanf(line + used, " %u%n", &o->location, &more);
    else if (o->kind != COLLIDER_FENCE)
        (void)sscanf(line + used, " a%u%n", &o->location, &more);
    used += more;
    more = 0;
    if (o->kind >= COLLIDER_AWAIT && o->kind <= COLLIDER_ADD)
        (void)sscanf(line + used, " %u%n", &o->value, &more);
    used += more;
    (void)snprintf(o->rest, sizeof o->rest, "%s", line + used + strspn(line + used, " "));
}

/* The lines behind `load`. False: they ended too early. */
static inline bool collider_read_test(collider_test *test) {
    unsigned long long address;
    test->word_bytes = 8;
    test->thread_count = test->location_count = test->operation_count = 0;
    for (char *line; (line = collider_line()) != NULL;) {
        line += strspn(line, " ");
        if (strcmp(line, "end") == 0)
            return true;
        if (sscanf(line, "location a%*u %llx", &address) == 1) {
            test->addresses =
                (uint64_t *)collider_room(test->addresses, &test->location_room,
                                          test->location_count + 1, sizeof *test->addresses);
            test->addresses[test->location_count++] = address;
        } else if (strncmp(line, "thread ", 7) == 0) {
            test->thread_count++;
        } else if (strncmp(line, "collider ", 9) != 0 &&
                   sscanf(line, "word %u", &test->word_bytes) != 1) {
            collider_add_operation(test, line);
        }
    }
    return false;
}

/* ---- Requests. */

static inline void collider_answer(const char *problem, const char *fine) {
    if (problem != NULL)
        collider_say("failed %s", problem);
    else if (fine != NULL)
        collider_say("%s", fine);
}

/* Does what is asked until there is nothing more. Returns the exit status of the design. */
static inline int collider_serve(const collider_client *client) {
    static collider_test test;
    unsigned long long number;
    for (char *line; (line = collider_line()) != NULL && strcmp(line, "quit") != 0;) {
        if (strncmp(line, "hello ", 6) == 0)
            collider_say("hello %d", COLLIDER_SERVE_VERSION);
        else if (sscanf(line, "cores %llu", &number) == 1)
            collider_answer(client->cores == NULL
                                ? "the cores of this design are fixed"
                                : client->cores(client->context, (uint32_t)number),
                            NULL);
        else if (strncmp(line, "options ", 8) == 0)
            collider_answer(client->options == NULL ? "this design has no options"
                                                    : client->options(client->context, line + 8),
                            NULL);
        else if (strcmp(line, "describe") == 0)
            collider_answer(client->describe(client->context), "end");
        else if (strcmp(line, "load") == 0 && collider_read_test(&test))
            collider_answer(client->load(client->context, &test), "ok");
        else if (sscanf(line, "run %llu", &number) == 1)
            client->run(client->context, number, strstr(line, " evictions") != NULL,
                        strstr(line, " transitions") != NULL);
        /* A stop that comes here came too late. */
    }
    collider_flush();
    free(test.addresses);
    free(test.operations);
    memset(&test, 0, sizeof test);
    return 0;
}

#endif
