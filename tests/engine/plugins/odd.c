/* SPDX-License-Identifier: MIT */
/* Engines as plug-ins that are odd, each in its own way: ODD says which. The sessions of
 * tests/data/cli/engine.txt say what comes of each. */
#include <collider/engine.h>

#include <stdio.h>
#include <string.h>

#define IS(variant) (strcmp(ODD, variant) == 0)

static const col_engine_settings *asked_for;
static uint32_t handed_out;

static col_status open_odd(void **state, const col_engine_settings *settings,
                           const col_engine_space *space, col_problem *problem) {
    *state = (void *)space;
    asked_for = settings;
    handed_out = 0;
    if (!IS("refuses"))
        return COL_OK;
    (void)snprintf(problem->message, sizeof problem->message, "I do not feel like it: %s",
                   settings->options == NULL ? "no options" : settings->options);
    return COL_BAD_INPUT;
}

static void close_odd(void *state) {
    (void)state;
}

/* Message passing, over and over; broken: both stores have one value. */
static col_status write_program(col_program *program, uint32_t threads, col_problem *problem) {
    const uint32_t lengths[] = {2, 2, 0, 0, 0, 0, 0, 0, 0, 0};
    const col_status status = col_program_shape(program, threads, lengths, 2, problem);
    if (status != COL_OK)
        return status;
    program->addresses[1] = 0x40;
    program->operations[0] = (col_operation){.kind = COL_STORE, .location = 0, .value = 1};
    program->operations[1] = (col_operation){
        .kind = COL_STORE, .location = 1, .value = IS("broken") ? 1 : handed_out + 1};
    program->operations[2] = (col_operation){.kind = COL_LOAD, .location = 1};
    program->operations[3] = (col_operation){.kind = COL_LOAD, .location = 0};
    return COL_OK;
}

static col_status next_test(void *state, const col_feedback *feedback, col_program *program,
                            col_point *point, col_problem *problem) {
    const col_engine_space *space = state;
    (void)feedback;
    handed_out++;
    if (IS("silent"))
        return COL_FAILURE;
    if (IS("programs") || IS("broken") || IS("threads"))
        return write_program(program, IS("threads") ? asked_for->threads + 1 : 2, problem);
    if (IS("ends") && handed_out > 3)
        return COL_OK;
    *point = space->points[handed_out % space->count];
    if (IS("outside"))
        point->operations = asked_for->operations.most + 1;
    if (IS("sets"))
        point->sets = 1;
    return COL_OK;
}

const col_engine_interface col_engine_plugin = {
    .version = IS_OLD ? 0 : COL_ENGINE_VERSION,
    .name = ODD,
    .summary = "an engine that is odd",
    .open = open_odd,
    .close = close_odd,
    .next = IS_PARTIAL ? NULL : next_test,
};
