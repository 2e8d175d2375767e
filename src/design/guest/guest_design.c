/* SPDX-License-Identifier: MIT */
/* The simulator as a design, on the side of the command: see design.h. */
#include "guest/design.h"

#include "base/number.h"
#include "base/problem.h"
#include "duv/verilog/wrapper.h"
#include "guest/points.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static gst_shape shape;
static gst_design *running; /* NULL: the command thinks */
static bool has_ended, has_left;

/* ---- Handing over. */

void gst_begin(const gst_shape *of_ports) {
    shape = *of_ports;
    running = NULL;
    has_ended = has_left = false;
}

static void set(bool *flag) {
    (void)pthread_mutex_lock(&lock);
    *flag = true;
    (void)pthread_cond_broadcast(&changed);
    (void)pthread_mutex_unlock(&lock);
}

void gst_end(void) {
    set(&has_ended);
}

void gst_leave(void) {
    set(&has_left);
}

gst_design *gst_next(void) {
    (void)pthread_mutex_lock(&lock);
    while (running == NULL && !has_ended)
        (void)pthread_cond_wait(&changed, &lock);
    gst_design *design = running;
    (void)pthread_mutex_unlock(&lock);
    return design;
}

void gst_done(void) {
    (void)pthread_mutex_lock(&lock);
    running = NULL;
    (void)pthread_cond_broadcast(&changed);
    (void)pthread_mutex_unlock(&lock);
}

/* False: the simulator has left. */
static bool hand_over(gst_design *design) {
    (void)pthread_mutex_lock(&lock);
    running = has_left ? NULL : design;
    (void)pthread_cond_broadcast(&changed);
    while (running != NULL && !has_left)
        (void)pthread_cond_wait(&changed, &lock);
    const bool is_run = running == NULL && !has_left;
    running = NULL;
    (void)pthread_mutex_unlock(&lock);
    return is_run;
}

/* ---- The design file, and what the simulator says of the ports. */

static void add_signal(duv_signals *signals, const char *name, bool is_input, uint32_t bits) {
    duv_signal *signal = &signals->all[signals->count++];
    (void)snprintf(signal->name, sizeof signal->name, "%s", name);
    signal->is_input = is_input;
    signal->bits = bits;
}

/* As if the module had exactly the signals that the file asks for. */
static col_status connect(gst_design *g, col_problem *problem) {
    enum { ADDRESS = 1000, DATA, TAG, ONE = 1, TWO = 2, FOUR = 4, IN = 1, OUT = 0 };
#define ROW(name, word, direction, bits) {direction, bits},
    static const uint32_t rows[][2] = {DUV_PORT_SIGNALS(ROW)};
#undef ROW
    duv_verilog_file *f = &g->file;
    duv_signals *signals = calloc(1, sizeof *signals);
    if (signals == NULL)
        return base_out_of_memory(problem);
    add_signal(signals, f->clock.text, true, 1);
    add_signal(signals, f->reset.text, true, 1);
    for (uint32_t s = 0; s < DUV_PORT_SIGNAL_COUNT; s++) {
        const uint32_t bits = rows[s][1] == ADDRESS ? shape.address_bits
                              : rows[s][1] == DATA  ? shape.data_bits
                              : rows[s][1] == TAG   ? shape.tag_bits
                                                    : rows[s][1];
        const bool is_commit = s >= DUV_COMMIT_VALID;
        const bool is_invalidate = s >= DUV_INVALIDATE_VALID && !is_commit;
        if ((is_commit && !shape.has_commit) || (is_invalidate && !shape.has_invalidate))
            continue;
        add_signal(signals, f->signals[s].text, rows[s][0] == IN, bits * shape.ports);
    }
    for (uint32_t i = 0; i < f->input_count; i++)
        add_signal(signals, f->inputs[i].name.text, true, 64);
    const col_status status = duv_verilog_connect(f, signals, problem);
    free(signals);
    return status;
}

/* ---- Options: inputs by their names, and settings of the cores, as in collider/verilator.hpp. */

static bool set_option(gst_design *g, const char *key, uint64_t value) {
    duv_verilog_file *f = &g->file;
    for (uint32_t i = 0; i < f->input_count; i++)
        if (strcmp(f->inputs[i].name.text, key) == 0) {
            f->inputs[i].is_random = false;
            f->inputs[i].low = value;
            return true;
        }
    if (strcmp(key, "stalls") == 0 && value < 100)
        f->agents.stalls = (uint32_t)value;
    else if (strcmp(key, "skew") == 0 && value <= UINT32_MAX)
        f->agents.skew = (uint32_t)value;
    else if (strcmp(key, "patience") == 0)
        f->agents.patience = value;
    else if (strcmp(key, "limit") == 0)
        g->limit = value;
    else
        return false;
    return true;
}

static col_status read_options(gst_design *g, const char *options, col_problem *problem) {
    for (const char *at = options; at != NULL && *at != '\0';) {
        char option[256];
        const size_t length = strcspn(at, ",");
        uint64_t value = 0;
        (void)snprintf(option, sizeof option, "%.*s", (int)length, at);
        char *equals = strchr(option, '=');
        if (equals != NULL)
            *equals = '\0';
        if (equals == NULL || !base_number_parse(equals + 1, &value) ||
            !set_option(g, option, value))
            return base_refuse(problem,
                               "'%.100s' is not an option of this design with a number; there are "
                               "the inputs of its file, stalls, skew, patience and limit",
                               option);
        at += length + (at[length] == ',');
    }
    return COL_OK;
}

/* ---- The interface. */

static void close_design(void *state) {
    gst_design *g = state;
    col_agents_free(g->agents);
    duv_verilog_file_free(&g->file);
    free(g->ports);
    free(g);
}

static void describe_design(gst_design *g) {
    const duv_verilog_file *f = &g->file;
    const uint32_t atomics = 1U << COL_SWAP | 1U << COL_ADD;
    g->description =
        (col_duv_description){.name = f->name,
                              .cores = shape.ports,
                              .model = f->model,
                              .geometry = f->geometry,
                              .shows = f->agents.tells_commits ? COL_SHOWS_EVENTS : COL_SHOWS_READS,
                              .merges = f->agents.merges,
                              .is_narrow = f->data_bits < 64,
                              .is_single = true,
                              .refuses = f->takes_atomics ? 0 : atomics,
                              .least_operations = 64,
                              .most_operations = 2048,
                              .instances = 3,
                              .packs = true,
                              .window = f->memory};
    gst_points_describe(&g->description);
}

static col_status prepare(gst_design *g, const col_duv_settings *settings, col_problem *problem) {
    col_status status = duv_verilog_file_read(&g->file, settings->name, problem);
    if (status == COL_OK)
        status = connect(g, problem);
    g->limit = g->file.limit;
    if (status == COL_OK)
        status = read_options(g, settings->options, problem);
    if (status == COL_OK)
        status = col_agents_new(&g->agents, &g->file.agents, problem);
    if (status != COL_OK)
        return status;
    g->ports = calloc(shape.ports, sizeof *g->ports);
    if (g->ports == NULL)
        return base_out_of_memory(problem);
    describe_design(g);
    if (settings->cores > shape.ports)
        return base_refuse(problem, "the design %s has %u ports, not %u", g->file.name, shape.ports,
                           settings->cores);
    if (settings->cores != 0)
        g->description.cores = settings->cores;
    return COL_OK;
}

static col_status open_design(void **state, const col_duv_settings *settings,
                              col_problem *problem) {
    gst_design *g = calloc(1, sizeof *g);
    if (g == NULL)
        return base_out_of_memory(problem);
    const col_status status = prepare(g, settings, problem);
    if (status == COL_OK)
        *state = g;
    else
        close_design(g);
    return status;
}

static const col_duv_description *describe(void *state) {
    return &((gst_design *)state)->description;
}

static col_status load(void *state, const col_program *program, col_problem *problem) {
    gst_design *g = state;
    g->program = program;
    return col_agents_load(g->agents, program, problem);
}

static void begin_inputs(gst_design *g, uint64_t seed) {
    for (uint32_t i = 0; i < g->file.input_count; i++) {
        const duv_input *input = &g->file.inputs[i];
        g->drawn[i] =
            (col_port_input){.low = input->low, .high = input->high, .percent = input->percent};
        col_port_input_begin(&g->drawn[i], seed, i);
        g->values[i] = input->low;
    }
}

static void tell_end(const col_observer *observer, const col_run *run) {
    static const int kinds[COL_RUN_END_COUNT] = {[COL_RUN_DEADLOCK] = COL_DEADLOCK,
                                                 [COL_RUN_PROTOCOL_ERROR] = COL_PROTOCOL_ERROR,
                                                 [COL_RUN_INVARIANT] = COL_INVARIANT_BROKEN};
    const bool is_told = run->end == COL_RUN_DEADLOCK || run->end == COL_RUN_PROTOCOL_ERROR ||
                         run->end == COL_RUN_INVARIANT;
    if (observer == NULL || !is_told || (observer->kinds >> kinds[run->end] & 1) == 0)
        return;
    observer->notice(observer->context, &(col_event){.kind = (col_event_kind)kinds[run->end],
                                                     .cycle = run->cycles,
                                                     .message = run->message});
}

static col_status run_instance(void *state, uint64_t seed, const col_observer *observer,
                               const volatile int *stop, col_run *run, col_problem *problem) {
    gst_design *g = state;
    g->stop = stop;
    g->run = run;
    g->stage = GST_RESETS;
    g->left = g->file.reset_cycles;
    g->cleared = 0;
    g->clears = shape.clears;
    g->is_asked = g->failed = false;
    begin_inputs(g, seed);
    col_agents_begin(g->agents, seed, observer);
    if (!hand_over(g))
        return base_fail(problem, "the simulation ended before the command did");
    run->operations = col_agents_performed(g->agents);
    tell_end(observer, run);
    return COL_OK;
}

static void collect(void *state, uint64_t *hits) {
    gst_points_collect(&((gst_design *)state)->description, hits);
}

const col_duv_interface gst_interface = {.version = COL_DUV_VERSION,
                                         .name = "simulator",
                                         .open = open_design,
                                         .close = close_design,
                                         .describe = describe,
                                         .load = load,
                                         .run = run_instance,
                                         .collect = collect};
