/* SPDX-License-Identifier: MIT */
/*
 * The simulator whose guest we are (collider/guest.h) as a design. A command, in its own thread,
 * opens it, loads a program and runs an instance: that waits until the simulator's thread, which
 * calls next_instance between two cycles, has run it. One of the two threads waits at any time, so
 * they share all this without further locks.
 */
#include "collider/guest.h"
#include "base/field.h"
#include "base/lines.h"
#include "base/memory.h"
#include "base/number.h"
#include "cli/command_line.h"
#include "cli/diagnose.h"
#include "collider/agent.h"
#include "design/design_kind.h"
#include "design/verilog/verilog_build.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the ports of the simulated memory system are like. */
typedef struct port_shape {
    uint32_t ports, address_bits, data_bits, tag_bits;
    bool has_invalidate, has_commit, clears;
} port_shape;

typedef enum stage { RESETS, CLEARS, RUNS } stage;

typedef struct port_offer {
    bool has_request, is_ready;
} port_offer;

/* An open design, and the instance of it that is under way. */
typedef struct simulated {
    duv_verilog_file file;
    col_duv_description description;
    col_agents *agents;
    const col_program *program;
    uint64_t limit;
    col_port_input drawn[DUV_MOST_INPUTS];
    uint64_t values[DUV_MOST_INPUTS]; /* of inputs, in this cycle */
    port_offer *ports;
    stage stage;
    uint64_t left;    /* cycles of reset */
    uint32_t cleared; /* locations */
    bool clears;      /* as the shape */
    bool is_asked;    /* the store that clears the next one was taken */
    bool failed;      /* the simulator said so: the run has its message */
    const volatile int *stop;
    col_run *run;
} simulated;

/* ---- Cover points that the simulator declares, as points of a design. */

enum { MOST_MACHINES = 64, MOST_POINTS = 4096 };

static col_duv_machine machines[MOST_MACHINES];
static uint32_t machine_count;
static col_duv_point points[MOST_POINTS];
static uint32_t machine_of[MOST_POINTS];
static uint64_t *counts[MOST_POINTS]; /* by controller */
static uint32_t point_count;

static col_duv_machine *find_machine(const char *name, uint32_t controllers) {
    if (machine_count > 0 && strcmp(machines[machine_count - 1].name, name) == 0)
        return machines[machine_count - 1].controllers == controllers ? &machines[machine_count - 1]
                                                                      : NULL;
    for (uint32_t m = 0; m < machine_count; m++)
        if (strcmp(machines[m].name, name) == 0)
            return NULL;
    char *copy = machine_count < MOST_MACHINES && controllers > 0 ? strdup(name) : NULL;
    if (copy == NULL)
        return NULL;
    machines[machine_count] =
        (col_duv_machine){.name = copy, .controllers = controllers, .first_point = point_count};
    return &machines[machine_count++];
}

/* ---- Handing over. */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static port_shape shape;
static simulated *running; /* NULL: the command thinks */
static bool has_ended, has_left;

static void set(bool *flag) {
    (void)pthread_mutex_lock(&lock);
    *flag = true;
    (void)pthread_cond_broadcast(&changed);
    (void)pthread_mutex_unlock(&lock);
}

/* The instance that is to be run, NULL: there will be none. Waits for it. */
static simulated *next_instance(void) {
    (void)pthread_mutex_lock(&lock);
    while (running == NULL && !has_ended)
        (void)pthread_cond_wait(&changed, &lock);
    simulated *design = running;
    (void)pthread_mutex_unlock(&lock);
    return design;
}

/* The instance has been run. */
static void end_instance(void) {
    (void)pthread_mutex_lock(&lock);
    running = NULL;
    (void)pthread_cond_broadcast(&changed);
    (void)pthread_mutex_unlock(&lock);
}

/* False: the simulator has left. */
static bool hand_over(simulated *design) {
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
static col_status connect(simulated *g, col_problem *problem) {
    duv_verilog_file *f = &g->file;
    duv_signals *signals = NULL;
    BASE_TRY(base_new(&signals, 1, sizeof *signals, problem));
    add_signal(signals, f->clock.text, true, 1);
    add_signal(signals, f->reset.text, true, 1);
    for (uint32_t s = 0; s < DUV_PORT_SIGNALS; s++) {
        const struct duv_port_signal *row = &duv_port_signals[s];
        const uint32_t bits = row->bits == DUV_ADDRESS ? shape.address_bits
                              : row->bits == DUV_DATA  ? shape.data_bits
                              : row->bits == DUV_TAG   ? shape.tag_bits
                                                       : (uint32_t)row->bits;
        if (s < DUV_INVALIDATE_VALID ||
            (s < DUV_COMMIT_VALID ? shape.has_invalidate : shape.has_commit))
            add_signal(signals, f->signals[s].text, row->is_input, bits * shape.ports);
    }
    for (uint32_t i = 0; i < f->input_count; i++)
        add_signal(signals, f->inputs[i].name.text, true, 64);
    const col_status status = duv_verilog_connect(f, signals, problem);
    free(signals);
    return status;
}

/* ---- Options: inputs by their names, and settings of the cores, as in collider/verilator.hpp. */

static const base_field fields[] = {
    {BASE_FIELD("stalls", BASE_NUMBER, simulated, file.agents.stalls), .most = 99},
    {BASE_FIELD("skew", BASE_NUMBER, simulated, file.agents.skew), .most = UINT32_MAX},
    {BASE_FIELD("patience", BASE_NUMBER, simulated, file.agents.patience), .most = UINT64_MAX},
    {BASE_FIELD("limit", BASE_NUMBER, simulated, limit), .most = UINT64_MAX},
    BASE_LAST_FIELD,
};

static col_status read_option(void *context, const char *key, const char *value,
                              col_problem *problem) {
    simulated *g = context;
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
    simulated *g = state;
    col_agents_free(g->agents);
    duv_verilog_file_free(&g->file);
    free(g->ports);
    free(g);
}

static void describe_design(simulated *g) {
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
                              .window = f->memory,
                              .machines = machines,
                              .machine_count = machine_count,
                              .points = points,
                              .point_count = point_count};
}

static col_status prepare(simulated *g, const col_duv_settings *settings, col_problem *problem) {
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
    BASE_TRY(base_new(&g->ports, shape.ports, sizeof *g->ports, problem));
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
    simulated *g = NULL;
    BASE_TRY(base_new(&g, 1, sizeof *g, problem));
    return duv_opened(state, g, prepare(g, settings, problem), close_design);
}

static const col_duv_description *describe(void *state) {
    return &((simulated *)state)->description;
}

static col_status load(void *state, const col_program *program, col_problem *problem) {
    simulated *g = state;
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
    simulated *g = state;
    g->stop = stop;
    g->run = run;
    g->stage = RESETS;
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
    const col_duv_description *d = &((simulated *)state)->description;
    for (uint32_t p = 0; p < point_count; p++)
        for (uint32_t c = 0; c < machines[machine_of[p]].controllers; c++) {
            hits[col_duv_functional(d, machine_of[p], c, p)] += counts[p][c];
            counts[p][c] = 0;
        }
}

static const col_duv_interface interface = {
    .version = COL_DUV_VERSION,
    .name = "simulator",
    .open = open_design,
    .close = close_design,
    .describe = describe,
    .load = load,
    .run = run_instance,
    .collect = collect,
};

/* ---- What SystemVerilog calls, cycle by cycle. */

enum { CLEARING_TAG = 0 };
enum { SETTLING = 16 }; /* cycles in which the last commits of clearing come */

static struct {
    bool is_open;
    pthread_t thread;
    char **given; /* words of the command; */
    char **words; /* the same behind "collider" */
    int count, status;
    simulated *design; /* whose instance is under way */
} session;

/* ---- The command. */

static void *run_command(void *context) {
    (void)context;
    session.status = cli_main(session.count, session.words);
    (void)fflush(stdout);
    set(&has_ended);
    return NULL;
}

static void free_words(void) {
    free(session.given);
    free(session.words);
    session.given = session.words = NULL;
}

static col_status split(const char *command, col_problem *problem) {
    static char name[] = "collider";
    BASE_TRY(base_command_split(command, &session.given, problem));
    int count = 0;
    while (session.given[count] != NULL)
        count++;
    BASE_TRY(base_new(&session.words, (size_t)count + 2, sizeof *session.words, problem));
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

/* The label is STATE__EVENT, or a name. -1: there are too many points, or the machine is not the
 * last one. */
int col_guest_cover(const char *module, unsigned instances, const char *label) {
    const bool has_room = !session.is_open && point_count < MOST_POINTS;
    col_duv_machine *machine = has_room ? find_machine(module, instances) : NULL;
    char *state = machine != NULL ? strdup(label) : NULL;
    uint64_t *count = state != NULL ? calloc(instances, sizeof *count) : NULL;
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
    machine->point_count++;
    return (int)point_count++;
}

int col_guest_open(const char *command, unsigned ports, unsigned address_bits, unsigned data_bits,
                   unsigned tag_bits, int has_invalidate, int has_commit, int clears) {
    col_problem problem = {0};
    if (session.is_open)
        return 1;
    if (split(command, &problem) != COL_OK)
        return refuse(&problem);
    shape = (port_shape){.ports = ports,
                         .address_bits = address_bits,
                         .data_bits = data_bits,
                         .tag_bits = tag_bits,
                         .has_invalidate = has_invalidate != 0,
                         .has_commit = has_commit != 0,
                         .clears = clears != 0};
    running = NULL;
    has_ended = has_left = false;
    duv_guest_set(&interface);
    session.is_open = pthread_create(&session.thread, NULL, run_command, NULL) == 0;
    if (session.is_open)
        return 0;
    (void)base_fail(&problem, "cannot start a thread for the command");
    return refuse(&problem);
}

int col_guest_close(void) {
    if (!session.is_open)
        return COL_FAILURE;
    set(&has_left);
    (void)pthread_join(session.thread, NULL);
    duv_guest_set(NULL);
    free_words();
    session.is_open = false;
    session.design = NULL;
    return session.status;
}

/* ---- Clearing memory: a swap where there are swaps, since it performs before it is answered; else
 * a store, and where there are fences, a fence behind the last. */

static uint32_t steps_of_clearing(const simulated *g) {
    return g->program->location_count + (g->file.agents.takes_fences ? 1 : 0);
}

/* ---- A cycle. */

/* True: the instance goes on. */
static bool goes_on(const simulated *g) {
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

static void count_cycle(simulated *g) {
    if (g->stage == RESETS) {
        if (g->left > 1)
            g->left--;
        else
            g->stage = g->clears && steps_of_clearing(g) > 0 ? CLEARS : RUNS;
    } else if (g->stage == CLEARS) {
        if (g->cleared == steps_of_clearing(g) && ++g->left > SETTLING)
            g->stage = RUNS;
    } else {
        col_agents_end_cycle(g->agents);
        g->run->cycles++;
    }
}

int col_guest_cycle(void) {
    simulated *g = session.design;
    if (g != NULL) {
        count_cycle(g);
        if (g->stage != RUNS)
            return g->stage == RESETS ? COL_GUEST_RESET : COL_GUEST_RUNS;
        if (goes_on(g)) {
            for (uint32_t i = 0; i < g->file.input_count; i++)
                if (g->file.inputs[i].is_random)
                    g->values[i] = col_port_input_next(&g->drawn[i]);
            return COL_GUEST_RUNS;
        }
        session.design = NULL;
        end_instance();
    }
    session.design = session.is_open ? next_instance() : NULL;
    return session.design != NULL ? COL_GUEST_RESET : COL_GUEST_DONE;
}

void col_guest_drive(unsigned port, int *request_valid, int *operation, int *width,
                     uint64_t *address, uint64_t *data, unsigned *tag, int *response_ready) {
    simulated *g = session.design;
    col_port_request request = {.bytes = 8};
    port_offer now = {false, false};
    if (g != NULL && g->stage == RUNS) {
        now.has_request = col_agents_offer(g->agents, port, &request);
        now.is_ready = col_agents_takes(g->agents, port);
    } else if (g != NULL && g->stage == CLEARS && port == 0) {
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
    simulated *g = session.design;
    if (g == NULL || g->stage == RESETS)
        return;
    const bool is_taken = g->ports[port].has_request && request_ready != 0;
    const bool is_answered = g->ports[port].is_ready && response_valid != 0;
    if (g->stage == CLEARS) {
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
    const simulated *g = session.design;
    return g != NULL && number < g->file.input_count ? g->values[number] : 0;
}

void col_guest_hit(int point, unsigned instance) {
    if (session.design != NULL && session.design->stage == RUNS && point >= 0 &&
        (uint32_t)point < point_count && instance < machines[machine_of[point]].controllers)
        counts[point][instance]++;
}

void col_guest_fail(const char *message) {
    simulated *g = session.design;
    if (g == NULL || g->stage != RUNS || g->failed)
        return;
    g->failed = true;
    g->run->end = COL_RUN_INVARIANT;
    (void)snprintf(g->run->message, sizeof g->run->message, "%s", message);
}
