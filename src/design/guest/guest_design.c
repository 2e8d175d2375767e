/* SPDX-License-Identifier: MIT */
/* The simulator as a design, on the side of the command: see guest_design.h. */
#include "design/guest/guest_design.h"

#include "base/field.h"
#include "base/number.h"
#include "base/problem.h"
#include "design/verilog/verilog_wrapper.h"

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

static const base_field fields[] = {
    {BASE_FIELD("stalls", BASE_NUMBER, gst_design, file.agents.stalls), .most = 99},
    {BASE_FIELD("skew", BASE_NUMBER, gst_design, file.agents.skew), .most = UINT32_MAX},
    {BASE_FIELD("patience", BASE_NUMBER, gst_design, file.agents.patience), .most = UINT64_MAX},
    {BASE_FIELD("limit", BASE_NUMBER, gst_design, limit), .most = UINT64_MAX},
    BASE_LAST_FIELD,
};

static col_status read_option(void *context, const char *key, const char *value,
                              col_problem *problem) {
    gst_design *g = context;
    const base_field *field = base_field_find(fields, key);
    for (uint32_t i = 0; i < g->file.input_count; i++) {
        duv_input *input = &g->file.inputs[i];
        const base_field low = {
            .name = key, .kind = BASE_NUMBER, .size = sizeof input->low, .most = UINT64_MAX};
        if (strcmp(input->name.text, key) != 0)
            continue;
        input->is_random = false;
        return base_field_read(&low, value, "", &input->low, problem);
    }
    if (field != NULL)
        return base_field_read(field, value, "", g, problem);
    return base_refuse(problem,
                       "'%.100s' is not an option of this design; there are the inputs of its "
                       "file, stalls, skew, patience and limit",
                       key);
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
        status =
            base_pairs_read(settings->options, "an option of a design", read_option, g, problem);
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
    for (uint32_t i = 0; i < g->file.input_count; i++) {
        const duv_input *input = &g->file.inputs[i];
        g->drawn[i] =
            (col_port_input){.low = input->low, .high = input->high, .percent = input->percent};
        col_port_input_begin(&g->drawn[i], seed, i);
        g->values[i] = input->low;
    }
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

/* Cover points of the simulator. */

static col_duv_machine machines[GST_MOST_MACHINES];
static uint32_t machine_count;
static col_duv_point points[GST_MOST_POINTS];
static uint32_t machine_of[GST_MOST_POINTS];
static uint64_t *counts[GST_MOST_POINTS]; /* by controller */
static uint32_t point_count;

static col_duv_machine *find_machine(const char *name, uint32_t controllers) {
    if (machine_count > 0 && strcmp(machines[machine_count - 1].name, name) == 0)
        return machines[machine_count - 1].controllers == controllers ? &machines[machine_count - 1]
                                                                      : NULL;
    for (uint32_t m = 0; m < machine_count; m++)
        if (strcmp(machines[m].name, name) == 0)
            return NULL;
    char *copy = machine_count < GST_MOST_MACHINES && controllers > 0 ? strdup(name) : NULL;
    if (copy == NULL)
        return NULL;
    machines[machine_count] =
        (col_duv_machine){.name = copy, .controllers = controllers, .first_point = point_count};
    return &machines[machine_count++];
}

int gst_points_add(const char *machine, uint32_t controllers, const char *label) {
    col_duv_machine *m = point_count < GST_MOST_POINTS ? find_machine(machine, controllers) : NULL;
    char *state = m != NULL ? strdup(label) : NULL;
    uint64_t *count = state != NULL ? calloc(controllers, sizeof *count) : NULL;
    if (count == NULL) {
        free(state);
        return -1;
    }
    char *split = strstr(state, "__");
    const bool is_transition = split != NULL && split != state && split[2] != '\0';
    if (is_transition)
        *split = '\0';
    points[point_count] = (col_duv_point){.state = state, .event = is_transition ? split + 2 : ""};
    machine_of[point_count] = machine_count - 1;
    counts[point_count] = count;
    m->point_count++;
    return (int)point_count++;
}

void gst_points_describe(col_duv_description *d) {
    d->machines = machines;
    d->machine_count = machine_count;
    d->points = points;
    d->point_count = point_count;
}

void gst_points_hit(const col_duv_description *d, int point, uint32_t controller) {
    if (d != NULL && point >= 0 && (uint32_t)point < d->point_count &&
        controller < machines[machine_of[point]].controllers)
        counts[point][controller]++;
}

void gst_points_collect(const col_duv_description *d, uint64_t *hits) {
    for (uint32_t p = 0; p < d->point_count; p++)
        for (uint32_t c = 0; c < machines[machine_of[p]].controllers; c++) {
            hits[col_duv_functional(d, machine_of[p], c, p)] += counts[p][c];
            counts[p][c] = 0;
        }
}
