/* SPDX-License-Identifier: MIT */
/*
 * How fast designs behind the serve protocol are heard, on one core each: the parser alone, on
 * lines in memory, beside finding the ends of the lines; then over a pipe from a client in C that
 * makes no effort of its own (this program, started again), with an observer that counts.
 */
#include "collider_client.h"

#include "base/clock.h"
#include "base/text.h"
#include "collider/generate.h"
#include "design/serve/serve_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPERATIONS = 1 << 16, ROUNDS = 20 };

static void give_up(const char *message) {
    (void)fprintf(stderr, "bench: %s\n", message);
    exit(COL_FAILURE);
}

/* ---- The client. */

typedef struct client_state {
    bool reads;
    const collider_test *test;
} client_state;

static const char *describe(void *context) {
    const client_state *c = context;
    collider_say("name bench\ncores 8\nmodel wmo\nshows %s", c->reads ? "reads" : "events");
    return NULL;
}

static const char *load(void *context, const collider_test *test) {
    client_state *c = context;
    c->test = test;
    return NULL;
}

static void run(void *context, uint64_t seed, bool wants_evictions, bool wants_transitions) {
    const client_state *c = context;
    (void)seed;
    (void)wants_evictions;
    (void)wants_transitions;
    for (uint32_t i = 0; c->test != NULL && i < c->test->operation_count; i++) {
        const bool is_load = c->test->operations[i].kind == COLLIDER_LOAD;
        if (c->reads && is_load)
            collider_read(i, i);
        else if (is_load)
            collider_load(i, i, NULL);
        else if (!c->reads)
            collider_store(i, c->test->operations[i].value, i, NULL);
    }
    collider_end("complete", 0, "");
}

static int be_client(bool reads) {
    client_state state = {.reads = reads};
    const collider_client client = {
        .context = &state, .describe = describe, .load = load, .run = run};
    return collider_serve(&client);
}

/* ---- The parser. */

static void make_program(col_program *program, bool reads) {
    col_problem problem;
    col_generation generation;
    col_generator *generator = col_generator_new();
    col_generation_default(&generation);
    generation.threads = 8;
    generation.operations = OPERATIONS;
    generation.locations = 64;
    if (generator == NULL ||
        col_instruction_mix_parse("even", &generation.instructions, &problem) != COL_OK ||
        col_generate(generator, &generation, 1, 0, program, &problem) != COL_OK)
        give_up(problem.message);
    for (uint32_t i = 0; i < OPERATIONS; i++) { /* loads and stores alone, or loads alone */
        col_operation *o = &program->operations[i];
        const bool is_load = reads || i % 2 == 0;
        *o = (col_operation){.kind = is_load ? COL_LOAD : COL_STORE,
                             .location = i % 64,
                             .value = is_load ? 0 : i + 1};
    }
    col_generator_free(generator);
}

static void write_lines(const col_program *program, bool reads, base_text *text) {
    for (uint32_t i = 0; i < OPERATIONS; i++) {
        const uint32_t value = program->operations[i].value;
        if (value != 0)
            base_text_print(text, "store %u %u %u", i, value, i);
        else
            base_text_print(text, "%s %u %u", reads ? "read" : "load", i, i);
        base_text_add_bytes(text, "\n", 1);
    }
    if (text->failed)
        give_up("out of memory");
}

static size_t hear_all(duv_hearing *hearing, base_text *text) {
    size_t events = 0;
    char *line = text->data;
    duv_hearing_begin(hearing);
    for (char *end; (end = memchr(line, '\n', (size_t)(text->data + text->length - line))) != NULL;
         line = end + 1) {
        *end = '\0';
        const duv_said said = duv_hearing_line(hearing, line);
        if (said == DUV_SAID_WRONG)
            give_up(hearing->run.message);
        events += said == DUV_SAID_EVENT;
        *end = '\n';
    }
    return events;
}

static size_t find_ends(const base_text *text) {
    size_t lines = 0;
    const char *end = text->data + text->length;
    for (const char *at = text->data; (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++)
        lines++;
    return lines;
}

static void measure_parser(const col_program *program, bool reads) {
    const col_duv_description description = {.cores = 8,
                                             .shows = reads ? COL_SHOWS_READS : COL_SHOWS_EVENTS,
                                             .geometry = {.block_bits = 6}};
    duv_hearing hearing = {.description = &description};
    base_text text = {0};
    col_problem problem;
    size_t lines = 0, events = 0;
    write_lines(program, reads, &text);
    if (duv_hearing_load(&hearing, program, &problem) != COL_OK)
        give_up(problem.message);
    const double start = base_seconds();
    for (int i = 0; i < ROUNDS; i++)
        lines += find_ends(&text);
    const double found = base_seconds() - start;
    for (int i = 0; i < ROUNDS; i++)
        events += hear_all(&hearing, &text);
    const double heard = base_seconds() - start - found;
    printf("parser      %-7s %7.1f million a second; finding lines takes %.2f of that time\n",
           reads ? "reads" : "events", 1e-6 * (double)events / heard,
           found / heard * (double)events / (double)lines);
    duv_hearing_free(&hearing);
    base_text_free(&text);
}

/* ---- Over the pipe. */

static void count(void *context, const col_event *event) {
    uint64_t *events = context;
    (void)event;
    ++*events;
}

static void measure_pipe(const char *self, const col_program *program, bool reads) {
    char command[4200];
    col_duv *duv;
    col_problem problem;
    col_run result;
    uint64_t events = 0;
    const col_observer observer = {&events, count, UINT32_MAX};
    (void)snprintf(command, sizeof command, "serve:%s %s", self, reads ? "reads" : "events");
    if (col_duv_open(&duv, command, NULL, &problem) != COL_OK ||
        col_duv_load(duv, program, &problem) != COL_OK)
        give_up(problem.message);
    const double start = base_seconds();
    for (uint64_t i = 0; i < ROUNDS; i++)
        if (col_duv_run(duv, i, &observer, NULL, &result, &problem) != COL_OK ||
            result.end != COL_RUN_COMPLETE)
            give_up(result.message);
    printf("over a pipe %-7s %7.1f million a second\n", reads ? "reads" : "events",
           1e-6 * (double)events / (base_seconds() - start));
    col_duv_close(duv);
}

int main(int argument_count, char **arguments) {
    col_program program = COL_PROGRAM_EMPTY;
    if (argument_count == 2)
        return be_client(strcmp(arguments[1], "reads") == 0);
    for (int reads = 0; reads < 2; reads++) {
        make_program(&program, reads == 1);
        measure_parser(&program, reads == 1);
        measure_pipe(arguments[0], &program, reads == 1);
    }
    col_program_free(&program);
    return 0;
}
