/* SPDX-License-Identifier: MIT */
/* The test program in memory: its shape, its kinds of operation, equality, and its promises. */
#include "program/program.h"

#include "base/hash.h"
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(col_operation) == 16, "an operation takes 16 bytes");

const col_kind_traits col_kinds[COL_KIND_COUNT] = {
    [COL_LOAD] = {.name = "load", .reads = true, .located = true},
    [COL_AWAIT] = {.name = "await", .reads = true, .located = true},
    [COL_STORE] = {.name = "store", .writes = true, .located = true},
    [COL_SWAP] = {.name = "swap", .reads = true, .writes = true, .located = true},
    [COL_ADD] = {.name = "add", .reads = true, .writes = true, .located = true},
    [COL_FENCE] = {.name = "fence"},
    [COL_FLUSH] = {.name = "flush", .located = true},
    [COL_FETCH] = {.name = "fetch", .located = true},
    [COL_DELAY] = {.name = "delay"},
    [COL_PREFETCH] = {.name = "prefetch", .located = true},
    [COL_DMA_READ] = {.name = "dma-read", .reads = true, .located = true, .dma = true},
    [COL_DMA_WRITE] = {.name = "dma-write", .writes = true, .located = true, .dma = true},
    [COL_CONDITIONAL] =
        {.name = "conditional", .reads = true, .writes = true, .located = true, .fails = true},
};

col_status col_program_shape(col_program *program, uint32_t threads, const uint32_t *lengths,
                             uint32_t locations, col_problem *problem) {
    if (threads > COL_MAX_THREADS)
        return base_refuse(problem, "a program has at most %d threads", COL_MAX_THREADS);
    if (locations > COL_MAX_LOCATIONS)
        return base_refuse(problem, "a program has at most %d locations", COL_MAX_LOCATIONS);
    uint64_t operations = 0;
    for (uint32_t t = 0; t < threads; t++)
        operations += lengths[t];
    if (operations >= UINT32_MAX)
        return base_refuse(problem, "a program has fewer than 2^32 - 1 operations");

    BASE_TRY(base_reserve(&program->thread_start, &program->thread_capacity, (size_t)threads + 1,
                          sizeof *program->thread_start, problem));
    BASE_TRY(base_reserve(&program->operations, &program->operation_capacity, operations,
                          sizeof *program->operations, problem));
    BASE_TRY(base_reserve(&program->addresses, &program->location_capacity, locations,
                          sizeof *program->addresses, problem));

    program->thread_count = threads;
    program->location_count = locations;
    program->is_narrow = false;
    program->thread_start[0] = 0;
    for (uint32_t t = 0; t < threads; t++)
        program->thread_start[t + 1] = program->thread_start[t] + lengths[t];
    if (operations > 0)
        memset(program->operations, 0, operations * sizeof *program->operations);
    if (locations > 0)
        memset(program->addresses, 0, locations * sizeof *program->addresses);
    return COL_OK;
}

void col_program_free(col_program *program) {
    free(program->thread_start);
    free(program->operations);
    free(program->addresses);
    *program = (col_program)COL_PROGRAM_EMPTY;
}

uint32_t col_program_operations(const col_program *program) {
    return program->thread_count == 0 ? 0 : program->thread_start[program->thread_count];
}

uint32_t col_program_thread_of(const col_program *program, uint32_t index) {
    uint32_t low = 0, high = program->thread_count; /* start[low] <= index < start[high] */
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (program->thread_start[middle] <= index)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static bool same_bytes(const void *a, const void *b, size_t size) {
    return size == 0 || memcmp(a, b, size) == 0;
}

bool col_program_equal(const col_program *a, const col_program *b) {
    if (a->thread_count != b->thread_count || a->location_count != b->location_count ||
        a->is_narrow != b->is_narrow)
        return false;
    return same_bytes(a->thread_start, b->thread_start,
                      a->thread_count * sizeof *a->thread_start) &&
           col_program_operations(a) == col_program_operations(b) &&
           same_bytes(a->operations, b->operations,
                      col_program_operations(a) * sizeof *a->operations) &&
           same_bytes(a->addresses, b->addresses, a->location_count * sizeof *a->addresses);
}

uint32_t col_program_word_bytes(const col_program *program) {
    return program->is_narrow ? COL_NARROW_BYTES : COL_WORD_BYTES;
}

uint64_t col_program_operand(const col_program *program, const col_operation *operation) {
    if (operation->kind != COL_ADD)
        return operation->value;
    return (uint64_t)(program->is_narrow ? 1 : operation->value) << 32;
}

uint64_t col_program_from_memory(const col_program *program, uint64_t held) {
    const uint64_t values = (UINT64_C(1) << COL_NARROW_VALUE_BITS) - 1;
    if (!program->is_narrow)
        return held;
    return (held & UINT32_MAX) >> COL_NARROW_VALUE_BITS << 32 | (held & values);
}

uint64_t col_program_to_memory(const col_program *program, uint64_t word) {
    if (!program->is_narrow)
        return word;
    return (word >> 32 << COL_NARROW_VALUE_BITS | (word & UINT32_MAX)) & UINT32_MAX;
}

/* The content hash: XXH3 over a fixed little-endian encoding, so that it is the same everywhere. */

static void feed(XXH3_state_t *state, const uint8_t *bytes, size_t count) {
    (void)XXH3_128bits_update(state, bytes, count);
}

static uint8_t *put32(uint8_t *at, uint32_t number) {
    for (int i = 0; i < 4; i++)
        *at++ = (uint8_t)(number >> (8 * i));
    return at;
}

static void feed_pair(XXH3_state_t *state, uint32_t low, uint32_t high) {
    uint8_t bytes[8];
    (void)put32(put32(bytes, low), high);
    feed(state, bytes, sizeof bytes);
}

col_hash col_program_hash(const col_program *program) {
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    (void)XXH3_128bits_reset(&state);
    feed_pair(&state, program->thread_count, program->location_count);
    for (uint32_t l = 0; l < program->location_count; l++)
        feed_pair(&state, (uint32_t)program->addresses[l], (uint32_t)(program->addresses[l] >> 32));
    for (uint32_t t = 0; t < program->thread_count; t++)
        feed_pair(&state, t, program->thread_start[t + 1] - program->thread_start[t]);
    for (uint32_t o = 0; o < col_program_operations(program); o++) {
        const col_operation *operation = &program->operations[o];
        uint8_t bytes[16];
        uint8_t *at = put32(bytes, operation->location);
        at = put32(at, operation->value);
        at = put32(at, operation->distance);
        *at++ = operation->kind;
        *at++ = operation->order;
        *at++ = operation->dependency;
        *at++ = operation->fence;
        feed(&state, bytes, sizeof bytes);
    }
    if (program->is_narrow) /* others hash as they did when there were no others */
        feed_pair(&state, COL_NARROW_BYTES, 0);
    const XXH128_hash_t digest = XXH3_128bits_digest(&state);
    return (col_hash){.high = digest.high64, .low = digest.low64};
}

/* The names of memory models. */

#define WORD(name, word, summary) [name] = #word,
const char *const col_models[COL_MODEL_COUNT + 1] = {COL_MODELS(WORD)};

/* COL_TSO is TSO. */
#define TITLE(name, word, summary) [name] = &#name[4],
const char *const prg_model_titles[COL_MODEL_COUNT] = {COL_MODELS(TITLE)};

/* What conditionals turned out to be. */

bool prg_has_conditionals(const col_program *program) {
    for (uint32_t o = 0; o < col_program_operations(program); o++)
        if (col_kinds[program->operations[o].kind].fails)
            return true;
    return false;
}

void prg_resolve_conditional(col_operation *operation, bool has_failed) {
    if (!has_failed || !col_kinds[operation->kind].fails)
        return;
    operation->kind = COL_LOAD;
    operation->value = 0;
    operation->order &= COL_ACQUIRE;
    if (operation->dependency == COL_DATA) {
        operation->dependency = COL_NO_DEPENDENCY;
        operation->distance = 0;
    }
}

/* The promises that every program keeps (docs/program.md lists them). */

static bool report(prg_fault *fault, bool in_map, uint32_t index, prg_part part, const char *format,
                   ...) BASE_PRINTF(5, 6);

/* Always true, so that a finder can end with it. */
static bool report(prg_fault *fault, bool in_map, uint32_t index, prg_part part, const char *format,
                   ...) {
    va_list arguments;
    va_start(arguments, format);
    *fault = (prg_fault){.in_map = in_map, .index = index, .part = part};
    (void)vsnprintf(fault->message, sizeof fault->message, format, arguments);
    va_end(arguments);
    return true;
}

/* Of an operation at `index`. */
#define FAULT(part, ...) report(fault, false, index, PRG_PART_##part, __VA_ARGS__)

/* A number with the index of what carries it, to be sorted. */
typedef struct numbered {
    uint64_t number;
    uint32_t index;
} numbered;

static int compare_numbered(const void *left, const void *right) {
    const numbered *a = left, *b = right;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

/* The repetition that comes first in the program: its second bearer. */
static const numbered *find_repetition(const numbered *sorted, size_t count) {
    const numbered *first = NULL;
    for (size_t i = 1; i < count; i++)
        if (sorted[i].number == sorted[i - 1].number &&
            (first == NULL || sorted[i].index < first->index))
            first = &sorted[i];
    return first;
}

static bool find_map_fault(const col_program *program, numbered *scratch, prg_fault *fault) {
    const uint32_t bytes = col_program_word_bytes(program);
    for (uint32_t l = 0; l < program->location_count; l++) {
        if (program->addresses[l] % bytes != 0)
            return report(fault, true, l, PRG_PART_VALUE,
                          "the address 0x%llx is not a multiple of %u, the size of a word",
                          (unsigned long long)program->addresses[l], bytes);
        scratch[l] = (numbered){.number = program->addresses[l], .index = l};
    }
    if (program->location_count == 0)
        return false;
    qsort(scratch, program->location_count, sizeof *scratch, compare_numbered);
    const numbered *twice = find_repetition(scratch, program->location_count);
    if (twice == NULL)
        return false;
    return report(fault, true, twice->index, PRG_PART_VALUE,
                  "the address 0x%llx already belongs to another location",
                  (unsigned long long)twice->number);
}

static bool find_dependency_fault(const col_operation *thread, uint32_t place, uint32_t index,
                                  prg_fault *fault) {
    const col_operation *operation = &thread[place];
    const col_kind_traits *traits = &col_kinds[operation->kind];
    if (operation->dependency >= COL_DEPENDENCY_COUNT)
        return FAULT(DEPENDENCY, "unknown kind of dependency %u", operation->dependency);
    if (operation->dependency == COL_NO_DEPENDENCY) {
        if (operation->distance != 0)
            return FAULT(DEPENDENCY, "a distance without a dependency");
        return false;
    }
    if (!traits->located || traits->dma || operation->kind == COL_PREFETCH)
        return FAULT(DEPENDENCY, "'%s' cannot depend on a read", traits->name);
    if (operation->dependency == COL_DATA && !traits->writes)
        return FAULT(DEPENDENCY, "a data dependency is for what writes; '%s' does not",
                     traits->name);
    if (operation->distance == 0 || operation->distance > place)
        return FAULT(DEPENDENCY, "@-%u is not an earlier operation of this thread",
                     operation->distance);
    const col_operation *source = &thread[place - operation->distance];
    if (!col_kinds[source->kind].reads)
        return FAULT(DEPENDENCY, "the operation at @-%u is '%s', which reads nothing",
                     operation->distance, col_kinds[source->kind].name);
    if (col_kinds[source->kind].dma)
        return FAULT(DEPENDENCY,
                     "the operation at @-%u is '%s', which the thread does not wait for",
                     operation->distance, col_kinds[source->kind].name);
    return false;
}

bool prg_is_sound_dependency(const col_operation *thread, uint32_t place) {
    prg_fault ignored;
    return !find_dependency_fault(thread, place, 0, &ignored);
}

static bool find_operation_fault(const col_program *program, uint32_t thread, uint32_t place,
                                 prg_fault *fault) {
    const uint32_t start = program->thread_start[thread];
    const uint32_t index = start + place;
    const col_operation *operation = &program->operations[index];
    if (operation->kind >= COL_KIND_COUNT)
        return FAULT(KIND, "unknown kind of operation %u", operation->kind);
    const col_kind_traits *traits = &col_kinds[operation->kind];
    if (traits->located && operation->location >= program->location_count)
        return FAULT(LOCATION, "a%u is not declared as a location", operation->location);
    if (operation->kind == COL_FENCE && operation->location != 0)
        return FAULT(LOCATION, "a fence has no location");

    const bool valued = traits->writes || operation->kind == COL_AWAIT;
    if (valued && operation->value == 0)
        return FAULT(VALUE, "0 is the initial value of every location; '%s' needs another",
                     traits->name);
    if (!valued && operation->value != 0)
        return FAULT(VALUE, "'%s' has no value", traits->name);
    if (program->is_narrow && operation->kind != COL_ADD &&
        operation->value >> COL_NARROW_VALUE_BITS != 0)
        return FAULT(VALUE, "values are at most %u where words have %d bytes",
                     (1U << COL_NARROW_VALUE_BITS) - 1, COL_NARROW_BYTES);

    if ((operation->order & ~(COL_ACQUIRE | COL_RELEASE)) != 0)
        return FAULT(KIND, "unknown ordering attribute");
    if (operation->order != 0 && traits->dma)
        return report(fault, false, index,
                      (operation->order & COL_ACQUIRE) != 0 ? PRG_PART_ACQUIRE : PRG_PART_RELEASE,
                      "nothing is ordered with '%s'", traits->name);
    if ((operation->order & COL_ACQUIRE) != 0 && !traits->reads)
        return FAULT(ACQUIRE, "acquire is for what reads; '%s' does not", traits->name);
    if ((operation->order & COL_RELEASE) != 0 && !traits->writes)
        return FAULT(RELEASE, "release is for what writes; '%s' does not", traits->name);

    const bool fenced = operation->fence >= 1 && operation->fence <= COL_FULL_FENCE;
    if (operation->kind == COL_FENCE ? !fenced : operation->fence != 0)
        return FAULT(FENCE, "a fence orders at least one pair, and nothing else does");
    return find_dependency_fault(&program->operations[start], place, index, fault);
}

static int compare_number(const void *left, const void *right) {
    const numbered *a = left, *b = right;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* The write that an await waits for, or NULL. */
static const numbered *awaited(const col_operation *await, const numbered *writes, size_t count) {
    const numbered key = {.number = await->value};
    return count > 0 ? bsearch(&key, writes, count, sizeof *writes, compare_number) : NULL;
}

/* An await of a value that nothing leaves at its location would never end. */
static bool find_hopeless_await(const col_program *program, const numbered *writes, size_t count,
                                prg_fault *fault) {
    for (uint32_t o = 0; o < col_program_operations(program); o++) {
        const col_operation *await = &program->operations[o];
        if (await->kind != COL_AWAIT)
            continue;
        const numbered *found = awaited(await, writes, count);
        const col_operation *write = found ? &program->operations[found->index] : NULL;
        if (write == NULL || write->kind == COL_ADD || col_kinds[write->kind].fails ||
            write->location != await->location)
            return report(fault, false, o, PRG_PART_VALUE,
                          "no store or swap leaves %u at a%u: the await would never end",
                          await->value, await->location);
    }
    return false;
}

/* Threads that run against each other to see whether awaits let them end. */
typedef struct race {
    const col_program *program;
    const numbered *writes;
    size_t write_count;
    uint32_t *next;         /* of each thread: the operation it stands at */
    uint32_t *first_waiter; /* of each thread: a thread that waits for one of its writes */
    uint32_t *next_waiter;  /* of each waiting thread: another one that waits for the same thread */
    uint32_t *ready;        /* threads that may move */
    uint32_t ready_count;
} race;

#define NO_THREAD UINT32_MAX

/* Moves a thread on until its end or an await of a write that has not been reached. */
static void advance(race *r, uint32_t thread) {
    const col_program *program = r->program;
    const uint32_t before = r->next[thread];
    for (; r->next[thread] < program->thread_start[thread + 1]; r->next[thread]++) {
        const col_operation *operation = &program->operations[r->next[thread]];
        if (operation->kind != COL_AWAIT)
            continue;
        const uint32_t write = awaited(operation, r->writes, r->write_count)->index;
        const uint32_t writer = col_program_thread_of(program, write);
        if (write >= r->next[writer]) {
            r->next_waiter[thread] = r->first_waiter[writer];
            r->first_waiter[writer] = thread;
            break;
        }
    }
    if (r->next[thread] == before)
        return;
    /* Whoever waits for this thread looks again. */
    uint32_t waiter = r->first_waiter[thread];
    r->first_waiter[thread] = NO_THREAD;
    for (; waiter != NO_THREAD; waiter = r->next_waiter[waiter])
        if (waiter != thread) /* which waits for its own later write: for ever */
            r->ready[r->ready_count++] = waiter;
}

/* Awaits that wait for each other never end either: run the threads until none moves. */
static bool find_circular_await(race *r, prg_fault *fault) {
    const col_program *program = r->program;
    for (uint32_t t = program->thread_count; t-- > 0;) {
        r->next[t] = program->thread_start[t];
        r->first_waiter[t] = NO_THREAD;
        r->ready[r->ready_count++] = t;
    }
    while (r->ready_count > 0) {
        const uint32_t thread = r->ready[--r->ready_count];
        advance(r, thread);
    }
    for (uint32_t t = 0; t < program->thread_count; t++)
        if (r->next[t] < program->thread_start[t + 1])
            return report(fault, false, r->next[t], PRG_PART_VALUE,
                          "the write of %u comes after this await: neither would ever happen",
                          program->operations[r->next[t]].value);
    return false;
}

static bool find_value_fault(const col_program *program, numbered *scratch, uint32_t *next,
                             prg_fault *fault) {
    size_t count = 0;
    for (uint32_t o = 0; o < col_program_operations(program); o++) {
        const col_operation *operation = &program->operations[o];
        if (col_kinds[operation->kind].writes)
            scratch[count++] = (numbered){.number = operation->value, .index = o};
    }
    if (count > 0)
        qsort(scratch, count, sizeof *scratch, compare_numbered);
    const numbered *twice = find_repetition(scratch, count);
    if (twice != NULL)
        return report(fault, false, twice->index, PRG_PART_VALUE,
                      "the value %llu is written elsewhere already; values are unique",
                      (unsigned long long)twice->number);
    return find_hopeless_await(program, scratch, count, fault) ||
           find_circular_await(&(race){.program = program,
                                       .writes = scratch,
                                       .write_count = count,
                                       .next = next,
                                       .first_waiter = next + program->thread_count,
                                       .next_waiter = next + 2 * (size_t)program->thread_count,
                                       .ready = next + 3 * (size_t)program->thread_count},
                               fault);
}

static bool find_fault(const col_program *program, numbered *scratch, uint32_t *next,
                       prg_fault *fault) {
    if (find_map_fault(program, scratch, fault))
        return true;
    for (uint32_t t = 0; t < program->thread_count; t++) {
        const uint32_t length = program->thread_start[t + 1] - program->thread_start[t];
        for (uint32_t place = 0; place < length; place++)
            if (find_operation_fault(program, t, place, fault))
                return true;
    }
    return find_value_fault(program, scratch, next, fault);
}

col_status prg_program_find_fault(const col_program *program, prg_fault *fault,
                                  col_problem *problem) {
    const size_t operations = col_program_operations(program);
    const size_t room = operations > program->location_count ? operations : program->location_count;
    numbered *scratch = malloc((room + 1) * sizeof *scratch);
    uint32_t *next = malloc((4 * (size_t)program->thread_count + 1) * sizeof *next);
    if (scratch == NULL || next == NULL) {
        free(scratch);
        free(next);
        return base_out_of_memory(problem);
    }
    const bool found = find_fault(program, scratch, next, fault);
    free(scratch);
    free(next);
    return found ? COL_BAD_INPUT : COL_OK;
}

col_status col_program_check(const col_program *program, col_problem *problem) {
    prg_fault fault = {0};
    const col_status status = prg_program_find_fault(program, &fault, problem);
    if (status != COL_BAD_INPUT)
        return status;
    if (fault.in_map)
        return base_refuse(problem, "location a%u: %s", fault.index, fault.message);
    const uint32_t thread = col_program_thread_of(program, fault.index);
    return base_refuse(problem, "thread %u, operation %u: %s", thread,
                       fault.index - program->thread_start[thread], fault.message);
}
