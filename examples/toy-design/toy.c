/* SPDX-License-Identifier: MIT */
/*
 * A design under verification as a plug-in: copy it as a start. Cores with a store buffer of one
 * entry in front of small MSI caches on a snooping bus; a step of a core takes effect at once, and
 * the seed decides whose step is next. It keeps TSO, unless it is opened with the option bug=stale.
 *
 *     cc -std=c17 -O2 -shared -fPIC -I include examples/toy-design/toy.c -o toy.so
 */
#include <collider/duv.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SETS = 8, BLOCK_BITS = 6, USUAL_CORES = 4, MOST_IDLE_STEPS = 1 << 20 };

/* ---- Coverage points: the transitions of two machines. */

enum { CACHE, STORE_BUFFER, MACHINES };
enum { INVALID, SHARED, MODIFIED };                 /* states of a cache line */
enum { EMPTY, FULL };                               /* and of a store buffer */
enum { LOAD, STORE, BUS_READ, BUS_WRITE, REPLACE }; /* events */
enum { DRAIN = 2 };                                 /* of a store buffer: LOAD, STORE and this */

static const char *const cache_states[] = {"I", "S", "M"};
static const char *const cache_events[] = {"Load", "Store", "Bus_Read", "Bus_Write", "Replace"};
static const char *const buffer_states[] = {"Empty", "Full"};
static const char *const buffer_events[] = {"Load", "Store", "Drain"};

enum { CACHE_POINTS = 12, BUFFER_POINTS = 3, POINTS = CACHE_POINTS + BUFFER_POINTS };

/* By machine, state and event: the point, counted within its machine; -1: never happens. */
static const int cache_point[3][5] = {{0, 1, -1, -1, -1}, {2, 3, 4, 5, 6}, {7, 8, 9, 10, 11}};
static const int buffer_point[2][3] = {{-1, 0, -1}, {1, -1, 2}};

/* ---- The design. */

typedef enum bug { NO_BUG, STALE, CRASH, HANG } bug;
static const char *const bugs[] = {[STALE] = "stale", [CRASH] = "crash", [HANG] = "hang"};

typedef struct line {
    uint32_t state;
    uint64_t block;
} line;

typedef struct core {
    line lines[SETS];
    uint64_t *words;    /* its copy of each location, valid while its block is in a line */
    uint32_t next, end; /* operations of its thread */
    bool full;          /* the store buffer has this: */
    uint32_t buffered;
} core;

typedef struct toy {
    col_duv_description description;
    col_duv_machine machines[MACHINES];
    col_duv_point points[POINTS];
    bug bug;
    core *cores;
    uint64_t *words; /* of all cores */
    uint64_t *memory;
    uint64_t *hits; /* by functional point */
    const col_program *program;
    /* Of the instance. */
    const col_observer *observer;
    uint64_t random, cycle, operations;
} toy;

/* splitmix64 */
static uint64_t chance(toy *t) {
    uint64_t z = t->random += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* ---- What monitors see. */

static void tell(const toy *t, const col_event *event) {
    if (t->observer != NULL && (t->observer->kinds >> event->kind & 1) != 0)
        t->observer->notice(t->observer->context, event);
}

static void transition(toy *t, uint32_t machine, uint32_t number, uint32_t state, uint32_t event,
                       uint32_t next, uint64_t block) {
    const uint32_t cores = t->description.cores;
    const int point = machine == CACHE ? cache_point[state][event] : buffer_point[state][event];
    const uint32_t before = machine == CACHE ? 0 : cores * CACHE_POINTS;
    t->hits[before + number * t->machines[machine].point_count + (uint32_t)point]++;
    const col_event seen = {.kind = COL_TRANSITION,
                            .cycle = t->cycle,
                            .machine = machine,
                            .controller = number,
                            .state = state,
                            .event = event,
                            .next_state = next,
                            .block = block};
    tell(t, &seen);
}

/* ---- The caches. */

static uint64_t block_of(const toy *t, uint32_t location) {
    return t->program->addresses[location] >> BLOCK_BITS << BLOCK_BITS;
}

static line *line_of(core *c, uint64_t block) {
    return &c->lines[(block >> BLOCK_BITS) % SETS];
}

/* Copies all words of a block. */
static void copy_block(const toy *t, uint64_t block, const uint64_t *from, uint64_t *to) {
    for (uint32_t i = 0; i < t->program->location_count; i++)
        if (block_of(t, i) == block)
            to[i] = from[i];
}

/* The line changes its state; a modified one that ceases to be so is written back. */
static void change(toy *t, uint32_t number, line *l, uint32_t event, uint32_t next) {
    if (l->state == MODIFIED && next != MODIFIED)
        copy_block(t, l->block, t->cores[number].words, t->memory);
    transition(t, CACHE, number, l->state, event, next, l->block);
    if (next == INVALID) {
        const col_event lost = {
            .kind = COL_EVICTION, .cycle = t->cycle, .core = number, .block = l->block};
        tell(t, &lost);
    }
    l->state = next;
}

/* All other caches see what is on the bus. Returns where the block comes from. */
static col_source snoop(toy *t, uint32_t number, uint64_t block, uint32_t event) {
    col_source source = COL_FROM_MEMORY;
    for (uint32_t i = 0; i < t->description.cores; i++) {
        line *l = line_of(&t->cores[i], block);
        if (i == number || l->state == INVALID || l->block != block)
            continue;
        if (l->state == MODIFIED)
            source = COL_FROM_OTHER_CORE;
        /* The bug: now and then a copy outlives a write. */
        const bool is_deaf = t->bug == STALE && l->state == SHARED && chance(t) % 16 == 0;
        change(t, i, l, event, event == BUS_READ || is_deaf ? SHARED : INVALID);
    }
    return source;
}

/* Brings the block into the core's cache, to read or to write it. */
static col_source access_block(toy *t, uint32_t number, uint64_t block, uint32_t event) {
    line *l = line_of(&t->cores[number], block);
    if (l->state != INVALID && l->block != block)
        change(t, number, l, REPLACE, INVALID);
    l->block = block;
    const uint32_t next = event == STORE || l->state == MODIFIED ? MODIFIED : SHARED;
    col_source source = COL_FROM_PRIVATE_CACHE;
    if (l->state != next) {
        const col_source found = snoop(t, number, block, event == STORE ? BUS_WRITE : BUS_READ);
        if (l->state == INVALID) {
            copy_block(t, block, t->memory, t->cores[number].words);
            source = found;
        }
    }
    change(t, number, l, event, next);
    return source;
}

/* ---- The cores. Each function does a step and says whether the operation performed. */

static bool do_load(toy *t, uint32_t number, uint32_t index) {
    core *c = &t->cores[number];
    const col_operation *o = &t->program->operations[index];
    const uint64_t block = block_of(t, o->location);
    col_event seen = {.kind = COL_LOAD_PERFORMED,
                      .cycle = t->cycle,
                      .core = number,
                      .operation = index,
                      .block = block};
    if (c->full && t->program->operations[c->buffered].location == o->location) {
        transition(t, STORE_BUFFER, number, FULL, LOAD, FULL, block);
        seen.source = COL_FROM_STORE_BUFFER;
        seen.word = t->program->operations[c->buffered].value;
    } else {
        seen.source = access_block(t, number, block, LOAD);
        seen.word = c->words[o->location];
    }
    if (o->kind == COL_AWAIT && seen.word != o->value)
        return false;
    tell(t, &seen);
    return true;
}

/* Stores, swaps and adds, when they reach the cache. */
static void write_word(toy *t, uint32_t number, uint32_t index) {
    core *c = &t->cores[number];
    const col_operation *o = &t->program->operations[index];
    col_event seen = {.kind = COL_STORE_PERFORMED,
                      .cycle = t->cycle,
                      .core = number,
                      .operation = index,
                      .block = block_of(t, o->location)};
    seen.source = access_block(t, number, seen.block, STORE);
    seen.overwritten = seen.read = c->words[o->location];
    seen.word = o->kind == COL_ADD ? seen.read + ((uint64_t)o->value << 32) : o->value;
    c->words[o->location] = seen.word;
    tell(t, &seen);
}

static void drain(toy *t, uint32_t number) {
    core *c = &t->cores[number];
    const uint64_t block = block_of(t, t->program->operations[c->buffered].location);
    transition(t, STORE_BUFFER, number, FULL, DRAIN, EMPTY, block);
    c->full = false;
    write_word(t, number, c->buffered);
    t->operations++;
}

static void do_store(toy *t, uint32_t number, uint32_t index) {
    core *c = &t->cores[number];
    const uint64_t block = block_of(t, t->program->operations[index].location);
    transition(t, STORE_BUFFER, number, EMPTY, STORE, FULL, block);
    c->full = true;
    c->buffered = index;
}

static void flush(toy *t, uint32_t number, uint32_t location) {
    line *l = line_of(&t->cores[number], block_of(t, location));
    if (l->state != INVALID && l->block == block_of(t, location))
        change(t, number, l, REPLACE, INVALID);
}

/* One step of a core. False: it awaits a word that is not there yet. */
static bool step(toy *t, uint32_t number) {
    core *c = &t->cores[number];
    const bool is_at_end = c->next == c->end;
    const col_operation *o = &t->program->operations[is_at_end ? c->buffered : c->next];
    const bool may_pass = o->kind == COL_LOAD || o->kind == COL_AWAIT || o->kind == COL_DELAY;
    if (c->full && (is_at_end || !may_pass || chance(t) % 4 == 0)) {
        drain(t, number);
        return true;
    }
    if (o->kind == COL_STORE) {
        do_store(t, number, c->next++);
        return true; /* performs when it leaves the buffer */
    }
    if (o->kind == COL_LOAD || o->kind == COL_AWAIT) {
        if (!do_load(t, number, c->next))
            return false;
    } else if (o->kind == COL_SWAP || o->kind == COL_ADD) {
        write_word(t, number, c->next);
    } else if (o->kind == COL_FLUSH) {
        flush(t, number, o->location);
    }
    c->next++;
    t->operations++;
    return true;
}

/* ---- The interface. */

static void close_toy(void *state) {
    toy *t = state;
    free(t->cores);
    free(t->words);
    free(t->memory);
    free(t->hits);
    free(t);
}

static col_status refuse(col_problem *problem, const char *sentence) {
    *problem = (col_problem){.line = 0};
    (void)snprintf(problem->message, sizeof problem->message, "%s", sentence);
    return COL_BAD_INPUT;
}

static void describe_points(toy *t) {
    for (uint32_t s = 0; s < 3; s++)
        for (uint32_t e = 0; e < 5; e++)
            if (cache_point[s][e] >= 0)
                t->points[cache_point[s][e]] =
                    (col_duv_point){.state = cache_states[s], .event = cache_events[e]};
    for (uint32_t s = 0; s < 2; s++)
        for (uint32_t e = 0; e < 3; e++)
            if (buffer_point[s][e] >= 0)
                t->points[CACHE_POINTS + buffer_point[s][e]] =
                    (col_duv_point){.state = buffer_states[s], .event = buffer_events[e]};
}

static void describe_toy(toy *t, uint32_t cores) {
    t->machines[CACHE] = (col_duv_machine){
        .name = "Cache", .controllers = cores, .is_private = true, .point_count = CACHE_POINTS};
    t->machines[STORE_BUFFER] = (col_duv_machine){.name = "StoreBuffer",
                                                  .controllers = cores,
                                                  .is_private = true,
                                                  .first_point = CACHE_POINTS,
                                                  .point_count = BUFFER_POINTS};
    t->description = (col_duv_description){
        .name = "toy",
        .cores = cores,
        .model = COL_TSO,
        .geometry = {.block_bits = BLOCK_BITS,
                     .level_count = 1,
                     .levels = {{.name = "L1", .index_low = 6, .index_bits = 3, .ways = 1}}},
        .machine_count = MACHINES,
        .point_count = POINTS,
        .machines = t->machines,
        .points = t->points};
    describe_points(t);
}

static col_status open_toy(void **state, const col_duv_settings *settings, col_problem *problem) {
    const uint32_t cores = settings->cores != 0 ? settings->cores : USUAL_CORES;
    const char *options = settings->options != NULL ? settings->options : "";
    if (cores > 1024)
        return refuse(problem, "the toy design has 1 to 1024 cores");
    bug found = NO_BUG;
    for (bug b = STALE; b <= HANG; b++)
        if (strncmp(options, "bug=", 4) == 0 && strcmp(options + 4, bugs[b]) == 0)
            found = b;
    if (found == NO_BUG && options[0] != '\0')
        return refuse(problem, "the option of the toy design is bug=stale, bug=crash or bug=hang");
    toy *t = calloc(1, sizeof *t);
    if (t == NULL)
        return refuse(problem, "out of memory");
    t->bug = found;
    t->cores = calloc(cores, sizeof *t->cores);
    t->hits = calloc((size_t)cores * POINTS, sizeof *t->hits);
    if (t->cores == NULL || t->hits == NULL) {
        close_toy(t);
        return refuse(problem, "out of memory");
    }
    describe_toy(t, cores);
    *state = t;
    return COL_OK;
}

static const col_duv_description *describe(void *state) {
    return &((const toy *)state)->description;
}

static col_status load(void *state, const col_program *program, col_problem *problem) {
    toy *t = state;
    const uint32_t cores = t->description.cores;
    const size_t locations = program->location_count;
    free(t->words);
    free(t->memory);
    t->words = calloc(cores * locations + 1, sizeof *t->words);
    t->memory = calloc(locations + 1, sizeof *t->memory);
    t->program = program;
    if (t->words == NULL || t->memory == NULL)
        return refuse(problem, "out of memory");
    for (uint32_t i = 0; i < cores; i++)
        t->cores[i].words = t->words + i * locations;
    return COL_OK;
}

/* Empty caches, memory of zeros: an instance follows from the program and the seed alone. */
static void begin(toy *t, uint64_t seed, const col_observer *observer) {
    for (uint32_t i = 0; i < t->description.cores; i++) {
        core *c = &t->cores[i];
        const bool has_thread = i < t->program->thread_count;
        memset(c->lines, 0, sizeof c->lines);
        c->full = false;
        c->next = has_thread ? t->program->thread_start[i] : 0;
        c->end = has_thread ? t->program->thread_start[i + 1] : 0;
    }
    memset(t->memory, 0, t->program->location_count * sizeof *t->memory);
    t->observer = observer;
    t->random = seed;
    t->cycle = t->operations = 0;
}

/* Who is next? Returns the number of cores if all are done. */
static uint32_t choose(toy *t) {
    const uint32_t cores = t->description.cores;
    const uint32_t first = (uint32_t)(chance(t) % cores);
    for (uint32_t i = 0; i < cores; i++) {
        const uint32_t number = (first + i) % cores;
        if (t->cores[number].full || t->cores[number].next < t->cores[number].end)
            return number;
    }
    return cores;
}

static void misbehave(const toy *t) {
    volatile bool for_ever = t->bug == HANG;
    if (t->bug == CRASH)
        (void)raise(SIGSEGV);
    while (for_ever) {
    }
}

static col_run_end run_steps(toy *t, const volatile int *stop) {
    uint32_t idle = 0;
    for (uint32_t number; (number = choose(t)) < t->description.cores; t->cycle++) {
        if (stop != NULL && *stop != 0)
            return COL_RUN_STOPPED;
        if (t->cycle == 100)
            misbehave(t);
        idle = step(t, number) ? 0 : idle + 1;
        if (idle == MOST_IDLE_STEPS)
            return COL_RUN_DEADLOCK;
    }
    return COL_RUN_COMPLETE;
}

static col_status run_instance(void *state, uint64_t seed, const col_observer *observer,
                               const volatile int *stop, col_run *run, col_problem *problem) {
    toy *t = state;
    (void)problem;
    begin(t, seed, observer);
    *run = (col_run){.end = run_steps(t, stop)};
    run->cycles = t->cycle;
    run->operations = t->operations;
    if (run->end == COL_RUN_STOPPED)
        (void)snprintf(run->message, sizeof run->message, "the run was stopped");
    if (run->end == COL_RUN_DEADLOCK) {
        const col_event stuck = {.kind = COL_DEADLOCK, .cycle = t->cycle, .message = run->message};
        (void)snprintf(run->message, sizeof run->message,
                       "all cores await words that nobody writes");
        tell(t, &stuck);
    }
    return COL_OK;
}

static void collect(void *state, uint64_t *hits) {
    toy *t = state;
    const uint32_t count = t->description.cores * POINTS;
    for (uint32_t i = 0; i < count; i++) {
        hits[i] += t->hits[i];
        t->hits[i] = 0;
    }
}

/* A design that may crash or hang says so here: it then runs in a process of its own. */
#ifndef TOY_OWN_PROCESS
#define TOY_OWN_PROCESS false
#endif

const col_duv_interface col_duv_plugin = {
    .version = COL_DUV_VERSION,
    .name = "toy",
    .own_process = TOY_OWN_PROCESS,
    .open = open_toy,
    .close = close_toy,
    .describe = describe,
    .load = load,
    .run = run_instance,
    .collect = collect,
};
