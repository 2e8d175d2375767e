/* SPDX-License-Identifier: MIT */
/*
 * Watching instances: monitors write down what they see, and when an instance ends its execution
 * witnesses and conflict orders are worked out and added to what is known of the test.
 */
#include "judge/witness/witness.h"

#include "base/random.h"

#include <stdlib.h>
#include <string.h>

const char *const col_observations[COL_OBSERVATION_COUNT + 1] = {"rf", "co", "corf", NULL};

col_status col_witness_new(col_witness **witness, col_problem *problem) {
    *witness = calloc(1, sizeof **witness);
    return *witness == NULL ? base_out_of_memory(problem) : COL_OK;
}

void col_witness_free(col_witness *witness) {
    if (witness == NULL)
        return;
    free(witness->writes.block.memory);
    free(witness->records);
    free(witness->returned);
    free(witness->conflicts);
    for (uint32_t i = 0; i <= COL_OBSERVATION_COUNT; i++)
        free(witness->known[i].items);
    free(witness->block.memory);
    free(witness);
}

size_t col_witness_bytes(const col_witness *w) {
    size_t bytes = sizeof *w + w->writes.block.capacity;
    bytes += w->record_capacity * sizeof *w->records;
    bytes += w->returned_capacity * sizeof *w->returned;
    bytes += w->conflict_capacity * sizeof *w->conflicts;
    for (uint32_t i = 0; i <= COL_OBSERVATION_COUNT; i++)
        bytes += w->known[i].capacity * sizeof *w->known[i].items;
    return bytes + w->block.capacity;
}

/* ---- Which write a word comes from: see witness.h. */

/* The place of words that no write left. */
static uint32_t nobody(const wit_writes *writes) {
    return writes->size;
}

static inline bool is_own_place(const wit_writes *writes, uint64_t word) {
    return word < writes->size && writes->table[word].value == word;
}

/* The finaliser of splitmix64. Weights do not depend on the program. */
static uint64_t weight_of(uint64_t number) {
    uint64_t x = (number + 1) * UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

/* ---- The table. The place 0 is the initial value's. */

static uint32_t home(const wit_writes *writes, uint32_t value) {
    if (value < writes->size)
        return value;
    const uint32_t hash = value * UINT32_C(0x9E3779B1);
    return 1 + (uint32_t)(((uint64_t)hash * (writes->size - 1)) >> 32);
}

/* The place of the value, or where it would be. There is always one that is empty, or all values
 * have their own. */
static uint32_t find(const wit_writes *writes, uint32_t value) {
    uint32_t place = home(writes, value);
    while (writes->table[place].value != value && writes->table[place].value != 0)
        place = place + 1 < writes->size ? place + 1 : 1;
    return place;
}

static void enter(wit_writes *writes, uint32_t value, uint32_t thread) {
    const uint32_t place = find(writes, value);
    writes->table[place] = (wit_write){.weight = weight_of(value), .value = value};
    writes->thread[place] = thread;
}

/* As many places as values, if they are dense; else twice as many, to be hashed to. */
static void choose_size(wit_writes *writes, const col_program *program) {
    uint32_t count = 0, most = 0;
    writes->add_count = 0;
    for (uint32_t i = 0; i < col_program_operations(program); i++) {
        const col_operation *operation = &program->operations[i];
        const uint32_t writes_value = col_kinds[operation->kind].writes ? operation->value : 0;
        count += writes_value != 0;
        most = writes_value > most ? writes_value : most;
        writes->add_count += operation->kind == COL_ADD;
    }
    writes->is_dense = most <= 2 * count;
    writes->size = writes->is_dense ? most + 1 : 2 * count + 2;
}

static col_status make_tables(wit_writes *writes, col_problem *problem) {
    writes->sum_mask = 1;
    while (writes->sum_mask < 2 * writes->add_count)
        writes->sum_mask = 2 * writes->sum_mask + 1;
    const size_t places = (size_t)writes->size + 1, sums = (size_t)writes->sum_mask + 1;
    const base_part parts[] = {BASE_PART(writes->table, places),
                               BASE_PART(writes->thread, places),
                               BASE_PART(writes->sums, sums),
                               {0}};
    const col_status status = base_block_divide(&writes->block, parts, problem);
    if (status != COL_OK)
        return status;
    memset(writes->table, 0, places * sizeof *writes->table);
    memset(writes->sums, 0, sums * sizeof *writes->sums);
    return COL_OK;
}

/* An instance begins: no add has performed. */
static void writes_begin(wit_writes *writes, uint32_t instance) {
    writes->instance = instance;
    writes->sum_count = 0;
}

static col_status writes_load(wit_writes *writes, const col_program *program,
                              col_problem *problem) {
    choose_size(writes, program);
    const col_status status = make_tables(writes, problem);
    if (status != COL_OK)
        return status;
    writes->table[WIT_INITIAL].weight = weight_of(0);
    writes->table[nobody(writes)].weight = weight_of(UINT64_C(1) << 32); /* of no value */
    writes->thread[WIT_INITIAL] = writes->thread[nobody(writes)] = WIT_NO_THREAD;
    for (uint32_t t = 0; t < program->thread_count; t++)
        for (uint32_t i = program->thread_start[t]; i < program->thread_start[t + 1]; i++)
            if (col_kinds[program->operations[i].kind].writes)
                enter(writes, program->operations[i].value, t);
    writes_begin(writes, UINT32_MAX); /* there is no such instance */
    return COL_OK;
}

/* Takes all marks away. */
static void writes_clear(wit_writes *writes) {
    for (uint32_t place = 0; place <= writes->size; place++)
        writes->table[place].mark = 0;
}

/* ---- Words that adds left. */

/* Where the word is, or would be. There is always an empty place. */
static uint32_t find_sum(const wit_writes *writes, uint32_t location, uint64_t word) {
    const uint64_t mixed =
        (word ^ location * UINT64_C(0xC2B2AE3D27D4EB4F)) * UINT64_C(0x9E3779B97F4A7C15);
    for (uint32_t place = (uint32_t)(mixed >> 32);; place++) {
        const wit_sum *sum = &writes->sums[place & writes->sum_mask];
        if (sum->instance != writes->instance || (sum->word == word && sum->location == location))
            return place & writes->sum_mask;
    }
}

/* An add, of this value, left the word. */
static void writes_add(wit_writes *writes, uint32_t location, uint64_t word, uint32_t value) {
    wit_sum *sum = &writes->sums[find_sum(writes, location, word)];
    /* More words than adds: a design that performs one twice. A word twice: the first add's. */
    if (writes->sum_count == writes->add_count || sum->instance == writes->instance)
        return;
    writes->sum_count++;
    *sum = (wit_sum){word, location, find(writes, value), writes->instance};
}

/* The place of the write that left the word at the location. */
static uint32_t writes_search(const wit_writes *writes, uint32_t location, uint64_t word) {
    if (word >> 32 != 0) {
        const wit_sum *sum = &writes->sums[find_sum(writes, location, word)];
        return sum->instance == writes->instance ? sum->write : nobody(writes);
    }
    if (writes->is_dense)
        return is_own_place(writes, word) ? (uint32_t)word : nobody(writes);
    const uint32_t place = find(writes, (uint32_t)word);
    return writes->table[place].value == word ? place : nobody(writes);
}

/* ---- Events. */

static inline uint32_t events_of(const wit_record *record) {
    return record->kind == WIT_NO_ACCESS ? 0 : 1 + (uint32_t)record->is_atomic;
}

static inline bool has_performed(const col_witness *witness, const wit_record *record) {
    return record->instance == witness->instance && record->kind != WIT_NO_ACCESS;
}

static inline uint32_t find_write(const col_witness *witness, uint32_t operation, uint64_t word) {
    if (is_own_place(&witness->writes, word))
        return (uint32_t)word;
    return writes_search(&witness->writes, witness->program->operations[operation].location, word);
}

/* The last event of an operation that performed; of an atomic that is its write. What another core
 * wrote came from outside, even if the source says that it did not: the reply may have been to a
 * load that lost its word before it performed, or for another location of the block. */
static inline wit_sighting look(const col_witness *witness, uint32_t operation, uint32_t thread) {
    const wit_record *record = &witness->records[operation];
    const uint32_t write = find_write(witness, operation, record->seen);
    const uint32_t writer = witness->writes.thread[write];
    const uint32_t is_external = (writer != thread) & (writer != WIT_NO_THREAD);
    return (wit_sighting){write,
                          record->observations | (WIT_SEEN_FROM_OUTSIDE & (0 - is_external))};
}

/* The read of an atomic. */
static inline wit_sighting look_at_read(const col_witness *witness, uint32_t operation) {
    return (wit_sighting){find_write(witness, operation, witness->returned[operation]),
                          WIT_SEEN_BY_READ};
}

/* ---- Collecting a witness: a set for each observation. */

/* The sets are empty again. */
static inline void start_set(col_witness *witness) {
    if (++witness->stamp < WIT_MOST_STAMPS)
        return;
    writes_clear(&witness->writes);
    witness->stamp = 1;
}

/* Puts the write into the sets of these observations; returns in which it is new. Without
 * branches, for that is anybody's guess. */
static inline uint32_t put_seen(col_witness *witness, wit_sighting seen) {
    uint32_t *mark = &witness->writes.table[seen.write].mark;
    const uint32_t now = witness->stamp << COL_OBSERVATION_COUNT;
    const uint32_t others = *mark ^ now;
    const uint32_t before = others & (0 - (uint32_t)(others < 1U << COL_OBSERVATION_COUNT));
    *mark = now | before | seen.observations;
    return seen.observations & ~before;
}

/* All ones if the observation is in the set. */
static inline uint64_t has_bit(uint32_t observations, uint32_t observation) {
    return 0 - (uint64_t)(observations >> observation & 1);
}

/* The same with a core's signatures. */
static inline void sign(col_witness *witness, wit_sighting seen,
                        col_signature signatures[COL_OBSERVATION_COUNT]) {
    const uint32_t fresh = put_seen(witness, seen);
    const wit_write *write = &witness->writes.table[seen.write];
    for (uint32_t o = 0; o < COL_OBSERVATION_COUNT; o++) {
        signatures[o].sum += write->value & has_bit(fresh, o);
        signatures[o].identity += write->weight & has_bit(fresh, o);
    }
}

/* ---- Programs. */

static wit_record record_of(col_kind kind) {
    const col_kind_traits *traits = &col_kinds[kind];
    const col_event_kind event = traits->writes ? COL_STORE_PERFORMED : COL_LOAD_PERFORMED;
    return (wit_record){.kind = traits->reads || traits->writes ? (uint8_t)event : WIT_NO_ACCESS,
                        .is_atomic = traits->reads && traits->writes};
}

static col_status make_records(col_witness *w, col_problem *problem) {
    wit_record by_kind[COL_KIND_COUNT];
    bool has_atomics = false;
    const size_t count = (size_t)w->operation_count + 1;
    const col_status status =
        base_reserve(&w->records, &w->record_capacity, count, sizeof *w->records, problem);
    if (status != COL_OK)
        return status;
    for (uint32_t k = 0; k < COL_KIND_COUNT; k++)
        by_kind[k] = record_of((col_kind)k);
    w->event_count = 0;
    for (uint32_t i = 0; i < w->operation_count; i++) {
        w->records[i] = by_kind[w->program->operations[i].kind];
        w->event_count += events_of(&w->records[i]);
        has_atomics |= w->records[i].is_atomic;
    }
    if (!has_atomics)
        return COL_OK;
    return base_reserve(&w->returned, &w->returned_capacity, count, sizeof *w->returned, problem);
}

static col_status make_results(col_witness *w, col_problem *problem) {
    const size_t locations = (size_t)w->program->location_count + 1;
    const size_t signatures = (size_t)2 * COL_OBSERVATION_COUNT * w->cores;
    const base_part parts[] = {BASE_PART(w->signatures, signatures + 1),
                               BASE_PART(w->nondeterminism, (size_t)w->operation_count + 1),
                               BASE_PART(w->fit_locations, locations),
                               BASE_PART(w->is_fit, locations),
                               {0}};
    const col_status status = base_block_divide(&w->block, parts, problem);
    if (status == COL_OK)
        memset(w->signatures, 0, signatures * sizeof *w->signatures);
    return status;
}

/* Room for another instance in which every event has a write before it that it never had. */
static col_status make_room(col_witness *w, col_problem *problem) {
    const size_t conflicts = w->conflict_count + w->event_count + 1;
    if (conflicts >= WIT_NONE || w->instance + 1 >= WIT_NONE)
        return base_refuse(problem, "the test has too many instances");
    col_status status = base_reserve(&w->conflicts, &w->conflict_capacity, conflicts,
                                     sizeof *w->conflicts, problem);
    for (uint32_t i = 0; i <= COL_OBSERVATION_COUNT && status == COL_OK; i++) {
        wit_set *set = &w->known[i];
        status = base_reserve(&set->items, &set->capacity, (size_t)set->count + 1,
                              sizeof *set->items, problem);
    }
    return status;
}

static const wit_conflicts no_conflicts = {
    .writes = {WIT_NONE, WIT_NONE, WIT_NONE, WIT_NONE, WIT_NONE}, .more = WIT_NONE};

static col_status load(col_witness *w, const col_program *program, uint32_t cores,
                       col_problem *problem) {
    if (program->thread_count > cores)
        return base_refuse(problem, "the program has %u threads, the design only %u cores",
                           program->thread_count, cores);
    if (col_program_operations(program) >= WIT_MOST_OPERATIONS)
        return base_refuse(problem, "a witness is for programs of less than %d operations",
                           WIT_MOST_OPERATIONS);
    w->program = program;
    w->cores = cores;
    w->operation_count = col_program_operations(program);
    col_status status = writes_load(&w->writes, program, problem);
    if (status == COL_OK)
        status = make_records(w, problem);
    if (status == COL_OK)
        status = make_results(w, problem);
    if (status == COL_OK)
        status = make_room(w, problem);
    if (status != COL_OK)
        return status;
    for (uint32_t e = 0; e < w->event_count; e++)
        w->conflicts[e] = no_conflicts;
    w->conflict_count = w->event_count;
    return COL_OK;
}

static void forget(col_witness *w) {
    w->program = NULL;
    w->cores = w->operation_count = w->event_count = 0;
    w->conflict_count = 0;
    w->instance = w->stamp = 0;
    w->is_open = w->is_summed = false;
    w->results = (col_witness_results){0};
    for (uint32_t i = 0; i <= COL_OBSERVATION_COUNT; i++)
        w->known[i].count = 0;
}

col_status col_witness_load(col_witness *w, const col_program *program, uint32_t cores,
                            col_problem *problem) {
    forget(w);
    const col_status status = load(w, program, cores, problem);
    if (status != COL_OK)
        forget(w);
    return status;
}

col_status col_witness_begin(col_witness *w, col_problem *problem) {
    w->is_open = false;
    if (w->program == NULL)
        return base_refuse(problem, "there is no program to watch");
    const col_status status = make_room(w, problem);
    if (status != COL_OK)
        return status;
    writes_begin(&w->writes, ++w->instance);
    w->is_open = true;
    return COL_OK;
}

/* ---- Monitors. */

/* By source: who sees a word from there besides those who see all reads. */
static const uint8_t seen_from[] = {
    [COL_FROM_UNKNOWN] = 0,
    [COL_FROM_STORE_BUFFER] = 0,
    [COL_FROM_PRIVATE_CACHE] = 0,
    [COL_FROM_OTHER_CORE] = WIT_SEEN_FROM_OUTSIDE,
    [COL_FROM_SHARED_LEVEL] = WIT_SEEN_FROM_OUTSIDE,
    [COL_FROM_MEMORY] = WIT_SEEN_FROM_OUTSIDE,
};

static void notice_atomic(col_witness *w, const col_event *event) {
    const col_operation *operation = &w->program->operations[event->operation];
    w->returned[event->operation] = event->read;
    if (operation->kind == COL_ADD)
        writes_add(&w->writes, operation->location, event->word, operation->value);
}

void col_witness_notice(col_witness *w, const col_event *event) {
    if (!w->is_open || event->operation >= w->operation_count ||
        (uint32_t)event->source >= sizeof seen_from)
        return;
    wit_record *record = &w->records[event->operation];
    if ((uint32_t)event->kind != record->kind)
        return;
    /* Loads and stores come as chance will have it: choose without a branch. */
    const uint32_t is_load = event->kind == COL_LOAD_PERFORMED;
    const uint64_t words[] = {event->overwritten, event->word};
    record->seen = words[is_load];
    record->observations = (uint8_t)(seen_from[event->source] | (WIT_SEEN_BY_READ & (0 - is_load)));
    record->instance = w->instance;
    if (record->is_atomic)
        notice_atomic(w, event);
}

static void notice(void *context, const col_event *event) {
    col_witness_notice(context, event);
}

col_observer col_witness_observer(col_witness *witness) {
    return (col_observer){witness, notice, 1U << COL_LOAD_PERFORMED | 1U << COL_STORE_PERFORMED};
}

/* ---- Conflict orders. */

/* Which of the writes it is, as a set; empty if it is none of them. */
static inline uint32_t match(const wit_conflicts *conflicts, uint32_t write) {
    uint32_t set = 0;
    for (uint32_t i = 0; i < WIT_FEW; i++)
        set |= (uint32_t)(conflicts->writes[i] == write) << i;
    return set;
}

/* Where an event with many writes has this one, or could have it. */
static wit_conflicts *find_room(col_witness *w, wit_conflicts *conflicts, uint32_t write) {
    while (conflicts->count == WIT_FEW && match(conflicts, write) == 0) {
        if (conflicts->more == WIT_NONE) {
            conflicts->more = (uint32_t)w->conflict_count;
            w->conflicts[w->conflict_count++] = no_conflicts;
        }
        conflicts = &w->conflicts[conflicts->more];
    }
    return conflicts;
}

/* Adds the pair to the union of all instances' conflict orders. No branch on whether it is new:
 * that is anybody's guess. */
static inline void note_conflict(col_witness *w, uint32_t event, wit_sighting seen) {
    wit_conflicts *conflicts = &w->conflicts[event];
    if (conflicts->count == WIT_FEW)
        conflicts = find_room(w, conflicts, seen.write);
    const uint32_t known = match(conflicts, seen.write), count = conflicts->count;
    const uint32_t is_new = known == 0;
    const uint32_t is_external = seen.observations >> COL_OBSERVE_CO & 1;
    if (count < WIT_FEW)
        conflicts->writes[count] = seen.write | (is_new - 1);
    conflicts->external |= (uint8_t)((known | is_new << count) & (0 - is_external));
    conflicts->count = (uint8_t)(count + is_new);
}

/* ---- The end of an instance. */

/* What tells instances apart: a core's witnesses, and all events with the writes before them. */
typedef struct traits {
    uint64_t identities[COL_OBSERVATION_COUNT];
    uint64_t outcome;
} traits;

/* A random number for an event with the write before it. These are summed: a product of the two
 * would not do, for sums of small multiples are often the same. */
static inline uint64_t mix(uint64_t weight, uint32_t event) {
    uint64_t x = weight ^ (event + UINT64_C(1)) * UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ (x >> 29)) * UINT64_C(0xBF58476D1CE4E5B9);
    return x ^ (x >> 32);
}

static inline void add_event(col_witness *w, uint32_t event, wit_sighting seen, traits *of) {
    const uint32_t fresh = put_seen(w, seen);
    const uint64_t weight = w->writes.table[seen.write].weight;
    for (uint32_t o = 0; o < COL_OBSERVATION_COUNT; o++)
        of->identities[o] += weight & has_bit(fresh, o);
    of->outcome += mix(weight, event);
    note_conflict(w, event, seen);
}

/* Returns the number of the next thread's first event. */
static uint32_t end_thread(col_witness *w, uint32_t thread, uint32_t event, traits *of) {
    traits here = {{0}, of->outcome};
    const uint32_t end = w->program->thread_start[thread + 1];
    start_set(w);
    for (uint32_t i = w->program->thread_start[thread]; i < end; i++) {
        if (!has_performed(w, &w->records[i])) {
            event += events_of(&w->records[i]);
            continue;
        }
        if (w->records[i].is_atomic)
            add_event(w, event++, look_at_read(w, i), &here);
        add_event(w, event++, look(w, i, thread), &here);
    }
    *of = here;
    return event;
}

static void insert(wit_set *set, uint64_t item) {
    uint32_t low = 0, high = set->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (set->items[middle] < item)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < set->count && set->items[low] == item)
        return;
    memmove(&set->items[low + 1], &set->items[low], (set->count - low) * sizeof *set->items);
    set->items[low] = item;
    set->count++;
}

void col_witness_end(col_witness *w) {
    if (!w->is_open)
        return;
    uint64_t all[COL_OBSERVATION_COUNT] = {0}; /* of the multicore */
    traits of = {{0}, 0};
    uint32_t event = 0;
    w->is_open = w->is_summed = false;
    w->results.instances++;
    for (uint32_t t = 0; t < w->program->thread_count; t++) {
        event = end_thread(w, t, event, &of);
        for (uint32_t o = 0; o < COL_OBSERVATION_COUNT; o++)
            all[o] = (base_rotate(all[o], 23) ^ of.identities[o]) * UINT64_C(0x9E3779B97F4A7C15);
    }
    for (uint32_t o = 0; o < COL_OBSERVATION_COUNT; o++)
        insert(&w->known[o], all[o]);
    insert(&w->known[COL_OBSERVATION_COUNT], of.outcome);
}

/*
 * What all instances of a test showed: the union of their execution witnesses by core, and
 * McVerSi's non-determinism of events and test with the fit addresses that follow from it. All of
 * it is read off the lists of conflicts, when it is asked for.
 */

/* Does the operation's e-th event read? An atomic's first one does. */
static inline uint32_t observations_of(const wit_record *record, uint32_t e) {
    const bool reads = record->kind == COL_LOAD_PERFORMED || (record->is_atomic && e == 0);
    return reads ? WIT_SEEN_BY_READ : 0;
}

/* The i-th write before an event, and who saw its value in some instance. */
static inline wit_sighting sighting_of(const wit_conflicts *conflicts, uint32_t i,
                                       uint32_t observations) {
    const uint32_t is_external = conflicts->external >> i & 1U;
    return (wit_sighting){conflicts->writes[i],
                          observations | (WIT_SEEN_FROM_OUTSIDE & (0 - is_external))};
}

/* ---- Signatures, non-determinism and fit addresses. */

static col_signature *signatures_of(const col_witness *w, col_witness_scope scope,
                                    col_observation observation) {
    return &w->signatures[((size_t)scope * COL_OBSERVATION_COUNT + observation) * w->cores];
}

static void set_signatures(const col_witness *w, col_witness_scope scope, uint32_t core,
                           const col_signature signatures[COL_OBSERVATION_COUNT]) {
    for (uint32_t o = 0; o < COL_OBSERVATION_COUNT; o++)
        signatures_of(w, scope, (col_observation)o)[core] = signatures[o];
}

/* Returns how many writes came before the event. */
static uint32_t sum_event(col_witness *w, uint32_t event, uint32_t observations,
                          col_signature signatures[COL_OBSERVATION_COUNT]) {
    uint32_t count = 0;
    for (uint32_t place = event; place != WIT_NONE; place = w->conflicts[place].more) {
        const wit_conflicts *conflicts = &w->conflicts[place];
        for (uint32_t i = 0; i < conflicts->count; i++)
            sign(w, sighting_of(conflicts, i, observations), signatures);
        count += conflicts->count;
    }
    return count;
}

/* Returns how many came before its event, or before that of two which has more. */
static uint32_t sum_operation(col_witness *w, const wit_record *record, uint32_t event,
                              col_signature signatures[COL_OBSERVATION_COUNT]) {
    uint32_t most = 0;
    for (uint32_t e = 0; e < events_of(record); e++) {
        const uint32_t count = sum_event(w, event + e, observations_of(record, e), signatures);
        w->results.events += count > 0;
        w->results.conflicts += count;
        most = count > most ? count : most;
    }
    return most;
}

static void sum_threads(col_witness *w) {
    const uint32_t *start = w->program->thread_start;
    uint32_t event = 0;
    w->results.events = 0;
    w->results.conflicts = 0;
    for (uint32_t t = 0; t < w->program->thread_count; t++) {
        col_signature signatures[COL_OBSERVATION_COUNT] = {{0, 0}};
        start_set(w);
        for (uint32_t i = start[t]; i < start[t + 1]; i++) {
            w->nondeterminism[i] = sum_operation(w, &w->records[i], event, signatures);
            event += events_of(&w->records[i]);
        }
        set_signatures(w, COL_ALL_INSTANCES, t, signatures);
    }
}

/* To the nearest integer, halves upward. */
static uint64_t rounded_average(uint64_t sum, uint64_t count) {
    return count == 0 ? 0 : (2 * sum + count) / (2 * count);
}

static void find_fit_locations(col_witness *w) {
    const uint64_t average = rounded_average(w->results.conflicts, w->results.events);
    memset(w->is_fit, 0, w->program->location_count * sizeof *w->is_fit);
    for (uint32_t i = 0; i < w->operation_count; i++)
        if (w->records[i].kind != WIT_NO_ACCESS)
            w->is_fit[w->program->operations[i].location] |= w->nondeterminism[i] > average;
    w->results.fit_count = 0;
    for (uint32_t l = 0; l < w->program->location_count; l++)
        if (w->is_fit[l])
            w->fit_locations[w->results.fit_count++] = l;
}

static void sum_test(col_witness *w) {
    col_witness_results *r = &w->results;
    sum_threads(w);
    find_fit_locations(w);
    for (uint32_t o = 0; o < COL_OBSERVATION_COUNT; o++) {
        r->distinct[o] = w->known[o].count;
        r->signatures[o] = signatures_of(w, COL_ALL_INSTANCES, (col_observation)o);
    }
    r->outcomes = w->known[COL_OBSERVATION_COUNT].count;
    r->nondeterminism = r->events == 0 ? 0 : (double)r->conflicts / r->events;
    r->event_nondeterminism = w->nondeterminism;
    r->fit_locations = w->fit_locations;
    r->is_fit = w->is_fit;
}

const col_witness_results *col_witness_results_of(col_witness *witness) {
    if (!witness->is_summed && witness->program != NULL)
        sum_test(witness);
    witness->is_summed = true;
    return &witness->results;
}

static void sign_last(col_witness *w, uint32_t thread) {
    col_signature signatures[COL_OBSERVATION_COUNT] = {{0, 0}};
    const uint32_t *start = w->program->thread_start;
    start_set(w);
    for (uint32_t i = start[thread]; i < start[thread + 1]; i++) {
        if (!has_performed(w, &w->records[i]))
            continue;
        if (w->records[i].is_atomic)
            sign(w, look_at_read(w, i), signatures);
        sign(w, look(w, i, thread), signatures);
    }
    set_signatures(w, COL_LAST_INSTANCE, thread, signatures);
}

const col_signature *col_witness_signatures(col_witness *witness, col_witness_scope scope,
                                            col_observation observation) {
    if (witness->program == NULL)
        return NULL;
    if (scope == COL_ALL_INSTANCES)
        (void)col_witness_results_of(witness);
    else
        for (uint32_t t = 0; t < witness->program->thread_count; t++)
            sign_last(witness, t);
    return signatures_of(witness, scope, observation);
}

/* ---- Witnesses as sets. */

typedef struct collection {
    col_witness *witness;
    uint32_t observations; /* a set of one */
    uint64_t *values;
    uint32_t count, capacity;
} collection;

static void collect(collection *c, wit_sighting seen) {
    const wit_writes *writes = &c->witness->writes;
    seen.observations &= c->observations;
    if (put_seen(c->witness, seen) == 0)
        return;
    if (c->count < c->capacity)
        c->values[c->count] =
            seen.write == nobody(writes) ? COL_NO_VALUE : writes->table[seen.write].value;
    c->count++;
}

static void collect_all(collection *c, uint32_t operation, uint32_t event) {
    const col_witness *w = c->witness;
    const wit_record *record = &w->records[operation];
    for (uint32_t e = 0; e < events_of(record); e++)
        for (uint32_t p = event + e; p != WIT_NONE; p = w->conflicts[p].more)
            for (uint32_t i = 0; i < w->conflicts[p].count; i++)
                collect(c, sighting_of(&w->conflicts[p], i, observations_of(record, e)));
}

static void collect_last(collection *c, uint32_t operation, uint32_t thread) {
    const col_witness *w = c->witness;
    if (!has_performed(w, &w->records[operation]))
        return;
    if (w->records[operation].is_atomic)
        collect(c, look_at_read(w, operation));
    collect(c, look(w, operation, thread));
}

static int compare(const void *left, const void *right) {
    const uint64_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

uint32_t col_witness_values(col_witness *witness, col_witness_scope scope,
                            col_observation observation, uint32_t core, uint64_t *values,
                            uint32_t capacity) {
    collection c = {witness, 1U << observation, values, 0, capacity};
    if (witness->program == NULL || core >= witness->program->thread_count)
        return 0;
    const uint32_t *start = witness->program->thread_start;
    uint32_t event = 0;
    start_set(witness);
    for (uint32_t i = 0; i < start[core + 1]; i++) {
        if (i >= start[core] && scope == COL_ALL_INSTANCES)
            collect_all(&c, i, event);
        else if (i >= start[core] && witness->results.instances > 0)
            collect_last(&c, i, core);
        event += events_of(&witness->records[i]);
    }
    const uint32_t filled = c.count < capacity ? c.count : capacity;
    if (filled > 0)
        qsort(values, filled, sizeof *values, compare);
    return c.count;
}
