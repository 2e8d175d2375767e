/* SPDX-License-Identifier: MIT */
/* Long executions from the simulator, and damage to them: see long_runs.h. */
#include "long_runs.h"

#include "collider/generate.h"
#include "program/reshape.h"
#include "protocol/simulate/simulated_design.h"
#include "protocol/simulate/system.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdlib.h>
#include <string.h>

struct workshop {
    run_settings settings;
    col_generator *generator;
    sim_design design;
    sim_system *system;
};

static void *zeroed(size_t count, size_t size) {
    void *memory = calloc(count + 1, size);
    assert_non_null(memory);
    return memory;
}

workshop *workshop_open(const run_settings *settings) {
    workshop *w = zeroed(1, sizeof *w);
    col_problem problem;
    w->settings = *settings;
    w->generator = col_generator_new();
    assert_int_equal(sim_design_open(&w->design, settings->design, settings->cores, NULL, &problem),
                     COL_OK);
    assert_int_equal(sim_system_new(&w->system, w->design.protocol, &w->design.wiring, &problem),
                     COL_OK);
    return w;
}

void workshop_close(workshop *w) {
    sim_system_free(w->system);
    sim_design_close(&w->design);
    col_generator_free(w->generator);
    free(w);
}

/* ---- Taking down. */

static bool reads(const long_run *run, uint32_t i) {
    return col_kinds[run->program.operations[i].kind].reads;
}

static bool writes(const long_run *run, uint32_t i) {
    return col_kinds[run->program.operations[i].kind].writes;
}

static uint32_t location(const long_run *run, uint32_t i) {
    return run->program.operations[i].location;
}

typedef struct met_words {
    long_run *run;
    uint64_t *read, *replaced; /* by operation */
} met_words;

static void take_down(void *context, const col_event *event) {
    met_words *m = context;
    const bool is_load = event->kind == COL_LOAD_PERFORMED;
    assert_true(m->run->order_count < m->run->count);
    m->run->order[m->run->order_count++] = event->operation;
    m->read[event->operation] = is_load ? event->word : event->read;
    m->replaced[event->operation] = is_load ? 0 : event->overwritten;
    m->run->word[event->operation] = is_load ? 0 : event->word;
}

typedef struct left_word {
    uint32_t location, write;
    uint64_t word;
} left_word;

static int compare_words(const void *a, const void *b) {
    const left_word *left = a, *right = b;
    if (left->location != right->location)
        return left->location < right->location ? -1 : 1;
    return left->word < right->word ? -1 : left->word > right->word;
}

static uint32_t find_write(const left_word *words, size_t count, uint32_t where, uint64_t word) {
    const left_word wanted = {.location = where, .word = word};
    if (word == 0)
        return COL_INITIAL;
    const left_word *found = bsearch(&wanted, words, count, sizeof *words, compare_words);
    assert_non_null(found);
    return found->write;
}

static uint32_t *next_of(long_run *run, uint32_t write, uint32_t where) {
    return &run->next[write == COL_INITIAL ? run->count + where : write];
}

static void find_writes(long_run *run, const met_words *m) {
    left_word *words = zeroed(run->count, sizeof *words);
    size_t count = 0;
    for (uint32_t i = 0; i < run->count; i++) {
        if (writes(run, i))
            words[count++] = (left_word){location(run, i), i, run->word[i]};
    }
    qsort(words, count, sizeof *words, compare_words);
    for (uint32_t i = 0; i < run->count + run->program.location_count; i++)
        run->next[i] = NO_WRITE;
    for (uint32_t i = 0; i < run->count; i++) {
        if (reads(run, i))
            run->source[i] = find_write(words, count, location(run, i), m->read[i]);
        if (!writes(run, i))
            continue;
        run->replaced[i] = find_write(words, count, location(run, i), m->replaced[i]);
        *next_of(run, run->replaced[i], location(run, i)) = i;
    }
    free(words);
}

/* The program of the trace has the numbers of its writes as values. */
static void make_trace(long_run *run) {
    const col_program *program = &run->program;
    col_trace *trace = &run->trace;
    uint32_t value = 0;
    col_problem problem;
    assert_int_equal(prg_copy(program, &trace->program, &problem), COL_OK);
    trace->source = run->source;
    trace->read = zeroed(run->count, sizeof *trace->read);
    trace->written = zeroed(run->count, sizeof *trace->written);
    trace->line = zeroed(run->count, sizeof *trace->line);
    trace->thread_names = zeroed(program->thread_count, sizeof *trace->thread_names);
    trace->location_names = zeroed(program->location_count, sizeof *trace->location_names);
    for (uint32_t i = 0; i < run->count; i++) {
        trace->line[i] = i + 1;
        if (writes(run, i))
            trace->written[i] = trace->program.operations[i].value = ++value;
    }
}

static void generate(workshop *w, uint64_t seed, col_program *program) {
    col_generation settings;
    col_problem problem;
    col_generation_default(&settings);
    settings.threads = w->settings.cores;
    settings.operations = w->settings.operations;
    settings.locations = w->settings.locations;
    assert_int_equal(col_instruction_mix_parse(w->settings.mix, &settings.instructions, &problem),
                     COL_OK);
    assert_int_equal(col_generate(w->generator, &settings, seed, 0, program, &problem), COL_OK);
}

void long_run_make(workshop *w, uint64_t seed, long_run *run) {
    sim_result result;
    col_problem problem;
    *run = (long_run){.program = COL_PROGRAM_EMPTY, .trace = COL_TRACE_EMPTY};
    generate(w, seed, &run->program);
    run->count = col_program_operations(&run->program);
    run->order = zeroed(run->count, sizeof *run->order);
    run->source = zeroed(run->count, sizeof *run->source);
    run->replaced = zeroed(run->count, sizeof *run->replaced);
    run->next = zeroed((size_t)run->count + run->program.location_count, sizeof *run->next);
    run->word = zeroed(run->count, sizeof *run->word);
    run->thread = zeroed(run->count, sizeof *run->thread);
    for (uint32_t i = 0; i < run->count; i++)
        run->thread[i] = col_program_thread_of(&run->program, i);
    met_words m = {run, zeroed(run->count, sizeof *m.read), zeroed(run->count, sizeof *m.replaced)};
    const col_observer observer = {&m, take_down,
                                   1U << COL_LOAD_PERFORMED | 1U << COL_STORE_PERFORMED};
    assert_int_equal(
        sim_system_run(w->system, &run->program, seed, seed % 2 == 1, &observer, &result, &problem),
        COL_OK);
    if (w->system->failure.happened)
        fail_msg("%s: %s", w->settings.design, w->system->failure.text);
    find_writes(run, &m);
    make_trace(run);
    free(m.read);
    free(m.replaced);
}

void long_run_free(long_run *run) {
    col_program_free(&run->program);
    col_trace_free(&run->trace); /* and the sources */
    free(run->order);
    free(run->replaced);
    free(run->next);
    free(run->word);
    free(run->thread);
}

/* ---- Verdicts. */

static uint64_t word_of(const long_run *run, uint32_t write) {
    return write == COL_INITIAL ? 0 : run->word[write];
}

col_event long_run_event(const long_run *run, uint32_t i) {
    const bool store = writes(run, i);
    return (col_event){
        .kind = store ? COL_STORE_PERFORMED : COL_LOAD_PERFORMED,
        .core = run->thread[i],
        .operation = i,
        .word = store ? run->word[i] : word_of(run, run->source[i]),
        .overwritten = store ? word_of(run, run->replaced[i]) : 0,
        .read = store && reads(run, i) ? word_of(run, run->source[i]) : 0,
    };
}

bool runtime_accepts(col_checker *checker, const long_run *run) {
    col_problem problem;
    bool fine = true;
    assert_int_equal(col_checker_load(checker, &run->program, &problem), COL_OK);
    for (uint32_t k = 0; k < run->order_count && fine; k++) {
        const col_event event = long_run_event(run, run->order[k]);
        fine = col_checker_notice(checker, &event);
    }
    return col_checker_finish(checker, fine) && fine;
}

bool trace_is_accepted(col_model model, long_run *run) {
    const col_trace_settings settings = {.model = model};
    col_verdict verdict;
    col_problem problem;
    for (uint32_t i = 0; i < run->count; i++) {
        const bool is_number = reads(run, i) && run->source[i] != COL_INITIAL;
        run->trace.read[i] = is_number ? run->trace.written[run->source[i]] : 0;
    }
    assert_int_equal(col_trace_check(&run->trace, &settings, &verdict, NULL, &problem), COL_OK);
    assert_true(verdict != COL_UNDECIDED);
    return verdict == COL_ALLOWED;
}

/* ---- Damage. */

static uint32_t random_below(base_rng *rng, uint32_t bound) {
    return (uint32_t)base_rng_below(rng, bound);
}

/* The next operation on the same location in the thread, or NO_WRITE. */
static uint32_t next_here(const long_run *run, uint32_t i) {
    const uint32_t end = run->program.thread_start[run->thread[i] + 1];
    for (uint32_t j = i + 1; j < end; j++)
        if ((reads(run, j) || writes(run, j)) && location(run, j) == location(run, i))
            return j;
    return NO_WRITE;
}

static bool is_access(const long_run *run, uint32_t i) {
    return reads(run, i) || writes(run, i);
}

static uint32_t word_met(const long_run *run, uint32_t i) {
    return writes(run, i) ? i : run->source[i];
}

static bool is_load(const long_run *run, uint32_t i) {
    return run->program.operations[i].kind == COL_LOAD;
}

static void redirect(long_run *run, uint32_t load, uint32_t source, damaged *d) {
    *d = (damaged){.first = load, .old_source = run->source[load]};
    run->source[load] = source;
}

bool damage_goes_back(base_rng *rng, long_run *run, damaged *d) {
    const uint32_t first = random_below(rng, run->count);
    if (!is_access(run, first))
        return false;
    const uint32_t word = word_met(run, first);
    bool changed = false;
    for (uint32_t j = next_here(run, first); j != NO_WRITE; j = next_here(run, j)) {
        if (changed && is_load(run, j)) {
            redirect(run, j, word, d);
            return true;
        }
        changed |= word_met(run, j) != word;
    }
    return false;
}

bool damage_knows_the_future(base_rng *rng, long_run *run, damaged *d) {
    const uint32_t load = random_below(rng, run->count);
    if (!is_load(run, load))
        return false;
    for (uint32_t j = next_here(run, load); j != NO_WRITE; j = next_here(run, j)) {
        if (!writes(run, j))
            continue;
        redirect(run, load, j, d);
        return true;
    }
    return false;
}

bool damage_forgets(base_rng *rng, long_run *run, damaged *d) {
    const uint32_t first = random_below(rng, run->count);
    if (!is_access(run, first) || word_met(run, first) == COL_INITIAL)
        return false;
    for (uint32_t j = next_here(run, first); j != NO_WRITE; j = next_here(run, j)) {
        if (!is_load(run, j))
            continue;
        redirect(run, j, COL_INITIAL, d);
        return true;
    }
    return false;
}

/* Exchanges two stores of which the second one replaced the first. */
static void exchange(long_run *run, uint32_t first, uint32_t second) {
    const uint32_t where = location(run, first), before = run->replaced[first];
    const uint32_t after = run->next[second];
    for (uint32_t i = 0; i < run->count; i++) {
        if (!reads(run, i))
            continue;
        if (run->source[i] == first)
            run->source[i] = second;
        else if (run->source[i] == second)
            run->source[i] = first;
    }
    *next_of(run, before, where) = second;
    run->replaced[second] = before;
    run->next[second] = first;
    run->replaced[first] = second;
    run->next[first] = after;
    if (after != NO_WRITE)
        run->replaced[after] = first;
}

/* Did a thread meet the word of one store and then that of the other? */
static bool is_told_apart(const long_run *run, uint32_t first, uint32_t second) {
    for (uint32_t i = 0; i < run->count; i++) {
        if (!is_load(run, i) || run->source[i] != first)
            continue;
        if (run->thread[i] == run->thread[second] && i > first && i < second)
            return true;
        for (uint32_t j = next_here(run, i); j != NO_WRITE; j = next_here(run, j))
            if (is_load(run, j) && run->source[j] == second)
                return true;
    }
    return false;
}

bool damage_swaps_stores(base_rng *rng, long_run *run, damaged *d) {
    const uint32_t first = random_below(rng, run->count);
    if (run->program.operations[first].kind != COL_STORE)
        return false;
    const uint32_t second = run->next[first];
    if (second == NO_WRITE || run->program.operations[second].kind != COL_STORE ||
        run->thread[first] != run->thread[second] || !is_told_apart(run, first, second))
        return false;
    const uint32_t after = run->next[second];
    if (after != NO_WRITE && run->program.operations[after].kind == COL_ADD)
        return false; /* the words after it would change */
    exchange(run, first, second);
    *d = (damaged){.first = first, .second = second, .swapped = true};
    return true;
}

static bool has_fence(const long_run *run, uint32_t from, uint32_t to) {
    for (uint32_t i = from + 1; i < to; i++)
        if (run->program.operations[i].fence == COL_FULL_FENCE)
            return true;
    return false;
}

/* A store to the location that stands before `write` in its thread. */
static bool wrote_before(const long_run *run, uint32_t write, uint32_t where, bool fenced) {
    for (uint32_t i = run->program.thread_start[run->thread[write]]; i < write; i++)
        if (writes(run, i) && location(run, i) == where && (!fenced || has_fence(run, i, write)))
            return true;
    return false;
}

/* The initial word is the one that comes before the missed store whatever the order of writes. */
bool damage_misses_message(base_rng *rng, long_run *run, bool fenced, damaged *d) {
    const uint32_t second = random_below(rng, run->count);
    const uint32_t start = run->program.thread_start[run->thread[second]];
    if (!is_load(run, second))
        return false;
    for (uint32_t i = start; i < second; i++) {
        if (is_access(run, i) && location(run, i) == location(run, second) &&
            word_met(run, i) != COL_INITIAL)
            return false; /* this would be forgetting */
    }
    for (uint32_t first = start; first < second; first++) {
        if (!reads(run, first) || run->source[first] == COL_INITIAL ||
            run->thread[run->source[first]] == run->thread[first] ||
            (fenced && !has_fence(run, first, second)) ||
            !wrote_before(run, run->source[first], location(run, second), fenced))
            continue;
        redirect(run, second, COL_INITIAL, d);
        return true;
    }
    return false;
}

bool damage_at_random(base_rng *rng, long_run *run, damaged *d) {
    const uint32_t load = random_below(rng, run->count), write = random_below(rng, run->count);
    if (!is_load(run, load) || !writes(run, write) || location(run, load) != location(run, write) ||
        run->source[load] == write)
        return false;
    redirect(run, load, write, d);
    return true;
}

void damage_undo(long_run *run, const damaged *d) {
    if (d->swapped)
        exchange(run, d->second, d->first);
    else
        run->source[d->first] = d->old_source;
}
