/* SPDX-License-Identifier: MIT */
/*
 * This very machine as a design: the threads of a program, as machine code, on threads of this
 * process, each pinned to a processor. Many rounds are run in one go, since starting threads takes
 * longer than most tests; an instance is one round. Before a round each thread clears its share of
 * the locations; the start of a round is a barrier in memory that is not under test. Values of each
 * round are fresh: what is left of another round is recognised.
 */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): affinity, MAP_ANONYMOUS
#include "base/clock.h"
#include "base/field.h"
#include "base/machine.h"
#include "base/memory.h"
#include "base/problem.h"
#include "base/random.h"
#include "design/design_kind.h"
#include "design/isa/isa.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
#define HOST_ISA "x86-64"
#elif defined(__aarch64__)
#define HOST_ISA "aarch64"
#else
#define HOST_ISA "none"
#endif

enum {
    MOST_CORES = 64,
    MOST_ROUNDS = 1024,
    WINDOW = 1 << 25,           /* bytes of memory under test: what generators use */
    MOST_LOG = 1 << 24,         /* bytes of the logs of a batch, about */
    BATCH_OPERATIONS = 1 << 18, /* of a batch, about */
    BATCH_SECONDS = 1,          /* where others keep the processors busy, a batch ends early */
    MOST_DELAY = 1 << 28, /* turns of a loop that nothing ends, in a thread: tenths of a second */
    LONG_DELAY = 1 << 20, /* of a thread: the clock is looked at after each round */
    AWAIT_LIMIT = 2000 * 1000 * 1000, /* about a second: writers may wait for a processor */
    SPINS = 2000,                     /* before a waiting thread lets others have the processor */
    LINE = 64,
    MOST_SKEW = 64,
    LEAD = 400,            /* ticks of the clock between the barrier and the start of a round */
    MOST_FINALS = 64,      /* locations of a program whose final values are reported */
    LEAST_OPERATIONS = 32, /* large tests take long to judge, and race no more than small ones */
    MOST_OPERATIONS = 512,
    INSTANCES = 1000,
};

typedef unsigned thread_function(void *base, void *log, uintptr_t salt, uintptr_t skew);

typedef struct host host;

typedef struct worker {
    host *owner;
    uint32_t number;
    pthread_t thread;
    thread_function *run;
    uint8_t *log;         /* of all rounds of a batch */
    uint32_t reads;       /* of its thread of the program */
    uint32_t first, last; /* the locations that it clears, and looks at in the end */
    uint32_t *skews;      /* by round */
} worker;

struct host {
    const isa_target *target;
    col_duv_description description;
    uint32_t cores;
    bool is_pinned;
    const col_program *program; /* NULL: none */
    isa_code code;
    uint8_t *memory, *executable;
    size_t executable_size;
    uint8_t *logs;
    size_t log_capacity;
    uint32_t *skews;
    size_t skew_capacity;
    uint64_t *finals; /* by round and location; not of programs with many locations */
    size_t final_capacity;
    bool has_finals;
    bool is_slow;         /* its rounds take milliseconds */
    uint32_t rounds;      /* of a batch, at most */
    uint32_t ran;         /* of this one: fewer if it took too long */
    uint32_t next_round;  /* to be handed out; `ran`: none is left */
    uint64_t stride;      /* of salts: more than any value of the program */
    uint32_t salts;       /* that fit into the lower half of a word */
    uint64_t round_count; /* so far, of this program */
    uint64_t first_round; /* of the batch */
    worker *workers;
    uint32_t *operations; /* of each thread, one after the other: its reads */
    size_t operation_capacity;
    /* The batch. */
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    uint64_t batch;           /* its number */
    double deadline;          /* when it is cut short */
    const volatile int *stop; /* or that cuts it short */
    _Atomic uint32_t
        gave_up;      /* the first thread whose await did; ISA_NONE: none. It ends the batch */
    uint32_t running; /* threads that have not ended it */
    bool is_closing;
    _Atomic uint32_t *arrived; /* at the barrier, all rounds together; in a block of its own */
    _Atomic uint64_t *start;   /* the tick at which the round starts; likewise */
    bool has_clock;            /* that all processors share, and each thread has a processor */
};

/* ---- Threads. */

static void pause_a_little(uint32_t spins) {
    if (spins % SPINS == SPINS - 1)
        (void)sched_yield();
#if defined(__x86_64__)
    else
        __builtin_ia32_pause();
#endif
}

/* All threads of the program come here twice a round: when their locations are clear, which all
 * must see, and that is what orders it. */
static void meet(host *h, uint32_t target) {
    uint32_t spins = 0;
    (void)atomic_fetch_add_explicit(h->arrived, 1, memory_order_acq_rel);
    while (atomic_load_explicit(h->arrived, memory_order_acquire) < target)
        pause_a_little(spins++);
}

static inline uint64_t ticks(void) {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    return 0;
#endif
}

/* Those who wait at a barrier leave it one after the other. A clock that all see lets them start
 * within some ticks: the first thread says when. */
static void start_together(const worker *w, uint64_t *last) {
    const host *h = w->owner;
    uint64_t start = *last;
    if (!h->has_clock)
        return;
    if (w->number == 0)
        atomic_store_explicit(h->start, ticks() + LEAD, memory_order_release);
    for (uint32_t spins = 0; start == *last; spins++) {
        pause_a_little(spins); /* the first thread may have lost its processor */
        start = atomic_load_explicit(h->start, memory_order_acquire);
    }
    *last = start;
    while (ticks() < start) {
    }
}

static uint32_t salt_of(const host *h, uint32_t round) {
    return (uint32_t)((h->first_round + round) % h->salts * h->stride);
}

static void run_rounds(worker *w) {
    host *h = w->owner;
    const uint32_t threads = h->program->thread_count;
    uint32_t meetings = 0;
    uint64_t start = 0;
    for (uint32_t r = 0; r < h->ran; r++) {
        for (uint32_t l = w->first; l < w->last; l++)
            memset(h->memory + h->program->addresses[l], 0, COL_WORD_BYTES);
        atomic_thread_fence(memory_order_seq_cst);
        meet(h, ++meetings * threads);
        start_together(w, &start);
        if (w->run(h->memory, w->log + (size_t)r * w->reads * COL_WORD_BYTES, salt_of(h, r),
                   w->skews[r]) != 0) {
            uint32_t nobody = ISA_NONE;
            (void)atomic_compare_exchange_strong(&h->gave_up, &nobody, w->number);
        }
        if (w->number == 0 && (h->is_slow || r % 16 == 15) &&
            (base_seconds() > h->deadline || base_is_stopped(h->stop)))
            h->ran = r + 1; /* all see it behind the meeting */
        atomic_thread_fence(memory_order_seq_cst);
        meet(h, ++meetings * threads);
        if (atomic_load(&h->gave_up) != ISA_NONE)
            break;
        for (uint32_t l = w->first; h->has_finals && l < w->last; l++)
            memcpy(&h->finals[(size_t)r * h->program->location_count + l],
                   h->memory + h->program->addresses[l], COL_WORD_BYTES);
    }
}

static void *work(void *context) {
    worker *w = context;
    host *h = w->owner;
    uint64_t done = 0;
    (void)pthread_mutex_lock(&h->mutex);
    while (!h->is_closing) {
        if (h->batch == done) {
            (void)pthread_cond_wait(&h->changed, &h->mutex);
            continue;
        }
        done = h->batch;
        (void)pthread_mutex_unlock(&h->mutex);
        if (w->number < h->program->thread_count)
            run_rounds(w);
        (void)pthread_mutex_lock(&h->mutex);
        if (--h->running == 0)
            (void)pthread_cond_broadcast(&h->changed);
    }
    (void)pthread_mutex_unlock(&h->mutex);
    return NULL;
}

/* The processors that we may use, one after the other. */
static void pin(const worker *w) {
    cpu_set_t allowed, own;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return;
    const uint32_t count = (uint32_t)CPU_COUNT(&allowed);
    uint32_t place = count == 0 ? 0 : w->number % count;
    CPU_ZERO(&own);
    for (size_t c = 0; c < CPU_SETSIZE; c++)
        if (CPU_ISSET(c, &allowed) && place-- == 0) {
            CPU_SET(c, &own);
            break;
        }
    (void)pthread_setaffinity_np(w->thread, sizeof own, &own);
}

static col_status start_threads(host *h, col_problem *problem) {
    for (uint32_t i = 0; i < h->cores; i++) {
        worker *w = &h->workers[i];
        w->owner = h;
        w->number = i;
        if (pthread_create(&w->thread, NULL, work, w) != 0) {
            w->owner = NULL;
            return base_fail(problem, "cannot start thread %u of %u", i + 1, h->cores);
        }
        if (h->is_pinned)
            pin(w);
    }
    return COL_OK;
}

/* ---- Opening. */

/* Level by level, as far as the system tells; 0 where it does not. */
static void find_caches(col_geometry *geometry) {
    static const struct {
        const char *name;
        int size, ways, line;
    } levels[] = {
        {"L1", _SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL1_DCACHE_ASSOC, _SC_LEVEL1_DCACHE_LINESIZE},
        {"L2", _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL2_CACHE_ASSOC, _SC_LEVEL2_CACHE_LINESIZE},
    };
    enum { BLOCK_BITS = 6 };
    *geometry = (col_geometry){.block_bits = BLOCK_BITS};
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        const long size = sysconf(levels[i].size), ways = sysconf(levels[i].ways);
        const long sets = size > 0 && ways > 0 ? size / ways / LINE : 0;
        if (sets < 2 || sets >= 1 << 17 || sysconf(levels[i].line) != LINE)
            continue;
        col_cache_level *level = &geometry->levels[geometry->level_count++];
        *level = (col_cache_level){.index_low = BLOCK_BITS,
                                   .index_bits = 63 - (uint32_t)__builtin_clzll((uint64_t)sets),
                                   .ways = (uint32_t)ways};
        memcpy(level->name, levels[i].name, 3);
    }
}

static void *map_memory(size_t size) {
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static void close_host(void *state) {
    host *h = state;
    (void)pthread_mutex_lock(&h->mutex);
    h->is_closing = true;
    (void)pthread_cond_broadcast(&h->changed);
    (void)pthread_mutex_unlock(&h->mutex);
    for (uint32_t i = 0; i < h->cores && h->workers[i].owner != NULL; i++)
        (void)pthread_join(h->workers[i].thread, NULL);
    if (h->memory != NULL)
        (void)munmap(h->memory, WINDOW);
    if (h->executable != NULL)
        (void)munmap(h->executable, h->executable_size);
    isa_code_free(&h->code);
    free(h->logs);
    free(h->skews);
    free(h->finals);
    free(h->operations);
    free(h->workers);
    free(h->arrived);
    free(h->start);
    (void)pthread_mutex_destroy(&h->mutex);
    (void)pthread_cond_destroy(&h->changed);
    free(h);
}

static const char *const off_on[] = {"off", "on", NULL};

static const base_field option_fields[] = {
    {BASE_FIELD("pin", BASE_FLAG, host, is_pinned), .initial = "on", .words = off_on},
    BASE_LAST_FIELD,
};

static col_status read_option(void *context, const char *key, const char *value,
                              col_problem *problem) {
    const base_field *field = base_field_find(option_fields, key);
    return field != NULL ? base_field_read(field, value, "", context, problem)
                         : base_fields_refuse(option_fields, "the host", "option", key, problem);
}

static col_status open_host(void **state, const col_duv_settings *settings, col_problem *problem) {
    const uint32_t cores = settings->cores > 0 ? settings->cores : base_processors();
    const isa_target *target = isa_find(HOST_ISA);
    if (target == NULL)
        return base_refuse(problem,
                           "the host is neither x86-64 nor AArch64: no machine code can be "
                           "made for it");
    if (cores > MOST_CORES)
        return base_refuse(problem, "the host has at most %d cores here, not %u", MOST_CORES,
                           cores);
    host *h = calloc(1, sizeof *h);
    if (h == NULL)
        return base_out_of_memory(problem);
    *h = (host){.target = target, .cores = cores, .code = ISA_CODE_EMPTY};
    (void)pthread_mutex_init(&h->mutex, NULL);
    (void)pthread_cond_init(&h->changed, NULL);
    h->workers = calloc(cores, sizeof *h->workers);
    h->memory = map_memory(WINDOW);
    h->arrived = aligned_alloc(LINE, LINE);
    h->start = aligned_alloc(LINE, LINE);
    base_fields_default(option_fields, h);
    col_status status =
        base_pairs_read(settings->options, "an option of the host", read_option, h, problem);
    if (h->workers == NULL || h->memory == NULL || h->arrived == NULL || h->start == NULL) {
        h->cores = 0; /* no thread is to be stopped */
        status = base_out_of_memory(problem);
    }
    if (status == COL_OK)
        status = start_threads(h, problem);
    if (status != COL_OK) {
        close_host(h);
        return status;
    }
    h->description = (col_duv_description){.name = "host",
                                           .cores = h->cores,
                                           .model = h->target->model,
                                           .shows = COL_SHOWS_READS,
                                           .varies = true,
                                           .is_single = true,
                                           .executes = true,
                                           .least_operations = LEAST_OPERATIONS,
                                           .most_operations = MOST_OPERATIONS,
                                           .instances = INSTANCES,
                                           .window = WINDOW};
    find_caches(&h->description.geometry);
    *state = h;
    return COL_OK;
}

static const col_duv_description *describe(void *state) {
    return &((host *)state)->description;
}

/* ---- Loading. */

static col_status place_code(host *h, col_problem *problem) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t size = (h->code.size + page) / page * page;
    if (h->executable != NULL)
        (void)munmap(h->executable, h->executable_size);
    h->executable_size = size;
    h->executable = map_memory(size);
    if (h->executable == NULL)
        return base_out_of_memory(problem);
    memcpy(h->executable, h->code.bytes, h->code.size);
    __builtin___clear_cache((char *)h->executable, (char *)h->executable + size);
    if (mprotect(h->executable, size, PROT_READ | PROT_EXEC) != 0)
        return base_fail(problem, "this system does not let a process execute code that it made");
    return COL_OK;
}

/* What fetches execute. Threads sleep between programs, so they come across nothing that they have
 * decoded before. */
static col_status place_stubs(host *h, col_problem *problem) {
    const uint32_t word = isa_stub_word(h->target);
    uint64_t *places = NULL;
    uint32_t count = 0;
    col_status status = isa_stub_list(h->program, &places, &count, problem);
    if (count > 0 && mprotect(h->memory, WINDOW, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
        status = base_fail(problem, "this system does not let a process execute memory that it "
                                    "writes, as the program's fetches need");
    for (uint32_t i = 0; i < count && status == COL_OK; i++) {
        char *at = (char *)h->memory + places[i];
        memcpy(at, &word, sizeof word);
        __builtin___clear_cache(at, at + sizeof word);
    }
    free(places);
    return status;
}

static col_status encode(host *h, col_problem *problem) {
    static const isa_settings settings = {
        .log = ISA_LOG_REGISTERS, .await_limit = AWAIT_LIMIT, .has_flush = true};
    const col_program *program = h->program;
    uint32_t starts[MOST_CORES] = {0};
    col_status status = isa_accepts(h->target, program, &settings, problem);
    isa_code_clear(&h->code);
    for (uint32_t t = 0; t < program->thread_count && status == COL_OK; t++) {
        isa_align(&h->code, LINE);
        starts[t] = isa_here(&h->code);
        status = isa_encode_thread(h->target, program, t, &settings, &h->code, problem);
    }
    if (status == COL_OK)
        status = isa_code_finish(&h->code, problem);
    if (status == COL_OK)
        status = place_code(h, problem);
    if (status == COL_OK)
        status = place_stubs(h, problem);
    for (uint32_t t = 0; t < program->thread_count && status == COL_OK; t++) {
        void *start = h->executable + starts[t];
        memcpy(&h->workers[t].run, &start, sizeof start);
    }
    return status;
}

/* What the reads are, how large values get, and whether delays let a round take long. */
static col_status read_threads(host *h, col_problem *problem) {
    const col_program *program = h->program;
    const col_status status =
        base_reserve(&h->operations, &h->operation_capacity,
                     (size_t)col_program_operations(program) + 1, sizeof *h->operations, problem);
    uint32_t count = 0, most = 0;
    h->is_slow = false;
    for (uint32_t t = 0; t < program->thread_count && status == COL_OK; t++) {
        const uint32_t first = count;
        uint64_t delays = 0;
        for (uint32_t o = program->thread_start[t]; o < program->thread_start[t + 1]; o++) {
            const col_operation *operation = &program->operations[o];
            if (col_kinds[operation->kind].reads)
                h->operations[count++] = o;
            if (operation->kind != COL_ADD && operation->value > most)
                most = operation->value;
            if (operation->kind == COL_DELAY)
                delays += operation->location;
        }
        h->workers[t].reads = count - first;
        h->is_slow |= delays > LONG_DELAY;
        if (delays > MOST_DELAY)
            return base_refuse(problem,
                               "the delays of thread %u are %llu in all, and the host takes %d at "
                               "most: nothing could end it before",
                               t, (unsigned long long)delays, MOST_DELAY);
    }
    h->stride = (uint64_t)most + 1;
    h->salts = h->stride > UINT32_MAX ? 1 : (uint32_t)(UINT32_MAX / h->stride);
    return status;
}

/* Many rounds of small programs, few of large ones; all logs in one piece. */
static col_status make_room(host *h, col_problem *problem) {
    const col_program *program = h->program;
    const uint32_t threads = program->thread_count, locations = program->location_count;
    uint64_t round = LINE;
    for (uint32_t t = 0; t < threads; t++)
        round += (uint64_t)h->workers[t].reads * COL_WORD_BYTES + LINE;
    uint64_t rounds = BATCH_OPERATIONS / (col_program_operations(program) + 1) + 1;
    rounds = rounds < MOST_LOG / round + 1 ? rounds : MOST_LOG / round + 1;
    h->rounds = (uint32_t)(rounds < MOST_ROUNDS ? rounds : MOST_ROUNDS);
    col_status status =
        base_reserve(&h->logs, &h->log_capacity, (size_t)(round * h->rounds), 1, problem);
    if (status == COL_OK)
        status = base_reserve(&h->skews, &h->skew_capacity, (size_t)threads * h->rounds + 1,
                              sizeof *h->skews, problem);
    h->has_finals = locations <= MOST_FINALS;
    if (status == COL_OK && h->has_finals)
        status = base_reserve(&h->finals, &h->final_capacity, (size_t)locations * h->rounds + 1,
                              sizeof *h->finals, problem);
    if (status != COL_OK)
        return status;
    uint8_t *log = h->logs;
    for (uint32_t t = 0; t < threads; t++) {
        worker *w = &h->workers[t];
        w->log = log;
        log += ((size_t)w->reads * COL_WORD_BYTES * h->rounds + LINE) / LINE * LINE;
        w->skews = h->skews + (size_t)t * h->rounds;
        w->first = (uint32_t)((uint64_t)locations * t / threads);
        w->last = (uint32_t)((uint64_t)locations * (t + 1) / threads);
    }
    return COL_OK;
}

static col_status load(void *state, const col_program *program, col_problem *problem) {
    host *h = state;
    h->program = program;
    h->round_count = 0;
    col_status status = read_threads(h, problem);
    if (status == COL_OK)
        status = encode(h, problem);
    if (status == COL_OK)
        status = make_room(h, problem);
    h->next_round = h->ran = 0;
    return status;
}

/* ---- Running. */

static void run_batch(host *h, uint64_t seed, const volatile int *stop) {
    /* Threads start at slightly different times, drawn from the seed. */
    base_rng rng;
    base_rng_seed(&rng, seed, 0);
    for (uint32_t r = 0; r < h->rounds; r++) {
        const uint32_t most =
            base_rng_below(&rng, 2) == 0 ? 0 : (uint32_t)base_rng_below(&rng, MOST_SKEW);
        for (uint32_t t = 0; t < h->program->thread_count; t++)
            h->workers[t].skews[r] = (uint32_t)base_rng_below(&rng, (uint64_t)most + 1);
    }
    h->ran = h->rounds;
    h->deadline = base_seconds() + BATCH_SECONDS;
    h->stop = stop;
    atomic_store(&h->gave_up, ISA_NONE);
    atomic_store(h->arrived, 0);
    atomic_store(h->start, 0);
    h->has_clock = ticks() != 0 && h->is_pinned && h->program->thread_count <= base_processors();
    h->first_round = h->round_count;
    (void)pthread_mutex_lock(&h->mutex);
    h->running = h->cores;
    h->batch++;
    (void)pthread_cond_broadcast(&h->changed);
    while (h->running > 0)
        (void)pthread_cond_wait(&h->changed, &h->mutex);
    (void)pthread_mutex_unlock(&h->mutex);
    h->round_count += h->ran;
    h->next_round = 0;
}

/* What the round stored without its salt; another round's stays as it is, and is of no operation.
 */
static uint64_t unsalted(const host *h, uint64_t held, uint32_t salt) {
    const uint32_t value = (uint32_t)held;
    if (value == 0)
        return held;
    if (value - salt == 0 || value - salt >= h->stride)
        return held | UINT64_C(1) << 63;
    return held - salt;
}

static void tell_round(host *h, uint32_t round, const col_observer *observer) {
    const uint32_t salt = salt_of(h, round);
    const uint32_t *operation = h->operations;
    if ((observer->kinds >> COL_VALUE_RETURNED & 1) == 0)
        return;
    for (uint32_t t = 0; t < h->program->thread_count; t++) {
        const worker *w = &h->workers[t];
        const uint8_t *log = w->log + (size_t)round * w->reads * COL_WORD_BYTES;
        for (uint32_t i = 0; i < w->reads; i++) {
            uint64_t held;
            memcpy(&held, log + (size_t)i * COL_WORD_BYTES, sizeof held);
            const col_event event = {.kind = COL_VALUE_RETURNED,
                                     .core = t,
                                     .operation = operation[i],
                                     .word = unsalted(h, held, salt)};
            observer->notice(observer->context, &event);
        }
        operation += w->reads;
    }
}

static void tell_finals(const host *h, uint32_t round, const col_observer *observer) {
    const uint32_t count = h->program->location_count, salt = salt_of(h, round);
    if (!h->has_finals || (observer->kinds >> COL_FINAL_VALUE & 1) == 0)
        return;
    for (uint32_t l = 0; l < count; l++) {
        const uint64_t held = h->finals[(size_t)round * count + l];
        const col_event event = {
            .kind = COL_FINAL_VALUE, .location = l, .word = unsalted(h, held, salt)};
        observer->notice(observer->context, &event);
    }
}

static col_status run(void *state, uint64_t seed, const col_observer *observer,
                      const volatile int *stop, col_run *result, col_problem *problem) {
    host *h = state;
    (void)problem;
    if (base_is_stopped(stop)) {
        result->end = COL_RUN_STOPPED;
        return COL_OK;
    }
    if (h->next_round == h->ran)
        run_batch(h, seed, stop);
    result->operations = col_program_operations(h->program);
    const uint32_t thread = atomic_load(&h->gave_up);
    if (thread != ISA_NONE) {
        h->next_round = h->ran;
        *result = (col_run){.end = COL_RUN_DEADLOCK};
        (void)snprintf(result->message, sizeof result->message,
                       "an await of thread %u gave up: the value it waits for never came", thread);
        return COL_OK;
    }
    if (observer != NULL) {
        tell_round(h, h->next_round, observer);
        tell_finals(h, h->next_round, observer);
    }
    h->next_round++;
    return COL_OK;
}

const col_duv_interface duv_host = {.version = COL_DUV_VERSION,
                                    .name = "host",
                                    .own_process = false,
                                    .open = open_host,
                                    .close = close_host,
                                    .describe = describe,
                                    .load = load,
                                    .run = run,
                                    .collect = duv_collect_nothing};

bool duv_is_host(const char *what) {
    return strcmp(what, "host") == 0;
}

/* Another processor is another design, as far as we can tell. */
void duv_host_identify(duv_hasher *hasher, const char *what, const char *error_name,
                       duv_identity *identity) {
    char name[256] = "";
    (void)error_name; /* it takes none */
    (void)gethostname(name, sizeof name - 1);
    duv_hash_word(hasher, what);
    duv_hash_word(hasher, HOST_ISA);
    duv_hash_word(hasher, name);
    duv_hash_end(hasher, identity->file);
}
