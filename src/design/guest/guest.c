/* SPDX-License-Identifier: MIT */
/* What SystemVerilog calls, cycle by cycle: see collider/guest.h. */
#include "collider/guest.h"
#include "base/lines.h"
#include "cli/command_line.h"
#include "cli/diagnose.h"
#include "design/design_kind.h"
#include "design/guest/guest_design.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLEARING_TAG = 0 };
enum { SETTLING = 16 }; /* cycles in which the last commits of clearing come */

static struct {
    bool is_open;
    pthread_t thread;
    char **given; /* words of the command; */
    char **words; /* the same behind "collider" */
    int count, status;
    gst_design *design; /* whose instance is under way */
} session;

/* ---- The command. */

static void *run_command(void *context) {
    (void)context;
    session.status = cli_main(session.count, session.words);
    (void)fflush(stdout);
    gst_end();
    return NULL;
}

static void free_words(void) {
    free(session.given);
    free(session.words);
    session.given = session.words = NULL;
}

static col_status split(const char *command, col_problem *problem) {
    static char name[] = "collider";
    const col_status status = base_command_split(command, &session.given, problem);
    if (status != COL_OK)
        return status;
    int count = 0;
    while (session.given[count] != NULL)
        count++;
    session.words = calloc((size_t)count + 2, sizeof *session.words);
    if (session.words == NULL)
        return base_out_of_memory(problem);
    session.words[0] = name;
    memcpy(session.words + 1, session.given, (size_t)count * sizeof *session.words);
    session.count = count + 1;
    return COL_OK;
}

static int refuse(const col_problem *problem) {
    cli_diagnose(problem);
    free_words();
    return 1;
}

int col_guest_cover(const char *module, unsigned instances, const char *label) {
    return session.is_open ? -1 : gst_points_add(module, instances, label);
}

int col_guest_open(const char *command, unsigned ports, unsigned address_bits, unsigned data_bits,
                   unsigned tag_bits, int has_invalidate, int has_commit, int clears) {
    const gst_shape shape = {.ports = ports,
                             .address_bits = address_bits,
                             .data_bits = data_bits,
                             .tag_bits = tag_bits,
                             .has_invalidate = has_invalidate != 0,
                             .has_commit = has_commit != 0,
                             .clears = clears != 0};
    col_problem problem = {0};
    if (session.is_open)
        return 1;
    if (split(command, &problem) != COL_OK)
        return refuse(&problem);
    gst_begin(&shape);
    duv_guest_set(&gst_interface);
    session.is_open = pthread_create(&session.thread, NULL, run_command, NULL) == 0;
    if (session.is_open)
        return 0;
    (void)base_fail(&problem, "cannot start a thread for the command");
    return refuse(&problem);
}

int col_guest_close(void) {
    if (!session.is_open)
        return COL_FAILURE;
    gst_leave();
    (void)pthread_join(session.thread, NULL);
    duv_guest_set(NULL);
    free_words();
    session.is_open = false;
    session.design = NULL;
    return session.status;
}

/* ---- Clearing memory: a swap where there are swaps, since it performs before it is answered; else
 * a store, and where there are fences, a fence behind the last. */

static uint32_t steps_of_clearing(const gst_design *g) {
    return g->program->location_count + (g->file.agents.takes_fences ? 1 : 0);
}

/* ---- A cycle. */

/* True: the instance goes on. */
static bool goes_on(const gst_design *g) {
    col_run *run = g->run;
    const char *trouble = col_agents_trouble(g->agents);
    if (g->failed)
        return false;
    if (trouble != NULL) {
        run->end = col_agents_are_stuck(g->agents) ? COL_RUN_DEADLOCK : COL_RUN_PROTOCOL_ERROR;
        (void)snprintf(run->message, sizeof run->message, "%s", trouble);
    } else if (col_agents_are_done(g->agents)) {
        run->end = COL_RUN_COMPLETE;
    } else if (run->cycles >= g->limit) {
        run->end = COL_RUN_TIMED_OUT;
        (void)snprintf(run->message, sizeof run->message,
                       "the program has not ended after %llu cycles",
                       (unsigned long long)run->cycles);
    } else if (g->stop != NULL && *g->stop != 0) {
        run->end = COL_RUN_STOPPED;
        (void)snprintf(run->message, sizeof run->message, "the run was stopped");
    } else {
        return true;
    }
    return false;
}

static void count_cycle(gst_design *g) {
    if (g->stage == GST_RESETS) {
        if (g->left > 1)
            g->left--;
        else
            g->stage = g->clears && steps_of_clearing(g) > 0 ? GST_CLEARS : GST_RUNS;
    } else if (g->stage == GST_CLEARS) {
        if (g->cleared == steps_of_clearing(g) && ++g->left > SETTLING)
            g->stage = GST_RUNS;
    } else {
        col_agents_end_cycle(g->agents);
        g->run->cycles++;
    }
}

int col_guest_cycle(void) {
    gst_design *g = session.design;
    if (g != NULL) {
        count_cycle(g);
        if (g->stage != GST_RUNS)
            return g->stage == GST_RESETS ? COL_GUEST_RESET : COL_GUEST_RUNS;
        if (goes_on(g)) {
            for (uint32_t i = 0; i < g->file.input_count; i++)
                if (g->file.inputs[i].is_random)
                    g->values[i] = col_port_input_next(&g->drawn[i]);
            return COL_GUEST_RUNS;
        }
        session.design = NULL;
        gst_done();
    }
    session.design = session.is_open ? gst_next() : NULL;
    return session.design != NULL ? COL_GUEST_RESET : COL_GUEST_DONE;
}

void col_guest_drive(unsigned port, int *request_valid, int *operation, int *width,
                     uint64_t *address, uint64_t *data, unsigned *tag, int *response_ready) {
    gst_design *g = session.design;
    col_port_request request = {.bytes = 8};
    gst_port now = {false, false};
    if (g != NULL && g->stage == GST_RUNS) {
        now.has_request = col_agents_offer(g->agents, port, &request);
        now.is_ready = col_agents_takes(g->agents, port);
    } else if (g != NULL && g->stage == GST_CLEARS && port == 0) {
        now.has_request = !g->is_asked && g->cleared < steps_of_clearing(g);
        now.is_ready = true;
        if (now.has_request) {
            const bool is_fence = g->cleared == g->program->location_count;
            request = (col_port_request){
                .operation = is_fence                ? COL_PORT_FENCE
                             : g->file.takes_atomics ? COL_PORT_SWAP
                                                     : COL_PORT_STORE,
                .tag = CLEARING_TAG,
                .address = g->file.agents.base + (is_fence ? 0 : g->program->addresses[g->cleared]),
                .bytes = col_program_word_bytes(g->program)};
        }
    }
    if (g != NULL)
        g->ports[port] = now;
    *request_valid = now.has_request;
    *response_ready = now.is_ready;
    *operation = (int)request.operation;
    *width = request.bytes == 8 ? 3 : 2;
    *address = request.address;
    *data = request.data;
    *tag = request.tag;
}

void col_guest_listen(unsigned port, int request_ready, int response_valid, unsigned response_tag,
                      uint64_t response_data, int invalidate_valid, uint64_t invalidate_address,
                      int commit_valid, unsigned commit_tag, uint64_t commit_old) {
    gst_design *g = session.design;
    if (g == NULL || g->stage == GST_RESETS)
        return;
    const bool is_taken = g->ports[port].has_request && request_ready != 0;
    const bool is_answered = g->ports[port].is_ready && response_valid != 0;
    if (g->stage == GST_CLEARS) {
        g->is_asked = (g->is_asked || is_taken) && !(port == 0 && is_answered);
        g->cleared += port == 0 && is_answered;
        return;
    }
    if (is_taken)
        col_agents_accept(g->agents, port);
    if (is_answered)
        col_agents_answer(g->agents, port, response_tag, response_data);
    if (g->file.agents.tells_losses && invalidate_valid != 0)
        col_agents_lose(g->agents, port, invalidate_address);
    if (g->file.agents.tells_commits && commit_valid != 0)
        col_agents_commit(g->agents, port, commit_tag, commit_old);
}

uint64_t col_guest_input(unsigned number) {
    const gst_design *g = session.design;
    return g != NULL && number < g->file.input_count ? g->values[number] : 0;
}

void col_guest_hit(int point, unsigned instance) {
    if (session.design != NULL && session.design->stage == GST_RUNS)
        gst_points_hit(&session.design->description, point, instance);
}

void col_guest_fail(const char *message) {
    gst_design *g = session.design;
    if (g == NULL || g->stage != GST_RUNS || g->failed)
        return;
    g->failed = true;
    g->run->end = COL_RUN_INVARIANT;
    (void)snprintf(g->run->message, sizeof g->run->message, "%s", message);
}
