/* SPDX-License-Identifier: MIT */
/* Systems, programs and witnesses: see runs.h. */
#include "runs.h"

#include "base/file.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

run_shape plain_shape(uint32_t cores, uint32_t operations) {
    return (run_shape){.cores = cores,
                       .operations = operations,
                       .locations = 16,
                       .sets = 4,
                       .outstanding = 2,
                       .jitter = 8,
                       .topology = SIM_CROSSBAR,
                       .cache_bytes = 1024,
                       .ways = 2,
                       .directories = 1,
                       .memory_latency = 30,
                       .replacement = SL_LRU,
                       .monitors = true};
}

static uint32_t choose(base_rng *rng, const uint32_t *from, uint32_t count) {
    return from[base_rng_below(rng, count)];
}

run_shape random_shape(base_rng *rng, uint32_t cores, uint32_t operations) {
    static const uint32_t locations[] = {1, 2, 4, 16, 32, 64}, sets[] = {0, 1, 2, 4},
                          jitters[] = {0, 1, 4, 20}, latencies[] = {1, 30},
                          bytes[] = {64, 128, 256, 1024};
    run_shape shape = plain_shape(cores, operations);
    shape.locations = choose(rng, locations, 6);
    shape.sets = choose(rng, sets, shape.locations < 4 ? shape.locations + 1 : 4);
    shape.mode = (sim_mode)base_rng_below(rng, SIM_MODE_COUNT);
    shape.outstanding = 1 + (uint32_t)base_rng_below(rng, 8);
    shape.jitter = choose(rng, jitters, 4);
    shape.topology = base_rng_below(rng, 2) == 0 ? SIM_CROSSBAR : SIM_MESH;
    shape.cache_bytes = choose(rng, bytes, 4);
    shape.ways = shape.cache_bytes > SL_BLOCK_BYTES ? 1 + (uint32_t)base_rng_below(rng, 2) : 1;
    shape.directories = 1 + (uint32_t)base_rng_below(rng, 3);
    shape.memory_latency = choose(rng, latencies, 2);
    shape.replacement = (sl_replacement)base_rng_below(rng, 3);
    return shape;
}

static void shape_machine(sim_machine_wiring *wiring, const sl_machine *machine,
                          const run_shape *shape) {
    if (strcmp(machine->name, "Directory") == 0)
        wiring->count = shape->directories;
    for (uint32_t i = 0; i < machine->member_count; i++) {
        if (machine->members[i].kind != SL_MEMBER_CACHE || !wiring->is_private)
            continue;
        sim_cache_shape *cache = sim_wiring_cache(wiring, machine->members[i].name);
        cache->bytes = shape->cache_bytes;
        cache->ways = shape->ways;
        cache->replacement = shape->replacement;
    }
}

sim_system *make_system(const sl_protocol *protocol, const run_shape *shape) {
    sim_wiring wiring;
    sim_system *system = NULL;
    col_problem problem;
    assert_int_equal(sim_wiring_infer(&wiring, protocol, shape->cores, &problem), COL_OK);
    wiring.monitors = shape->monitors;
    wiring.core.atomics = shape->atomics;
    wiring.core.mode = shape->mode;
    wiring.core.outstanding = shape->outstanding;
    wiring.jitter = shape->jitter;
    wiring.topology = shape->topology;
    wiring.memory_latency = shape->memory_latency;
    wiring.deadlock_cycles = 50000;
    for (uint32_t m = 0; m < protocol->machine_count; m++)
        shape_machine(&wiring.machines[m], protocol->machines[m], shape);
    if (sim_system_new(&system, protocol, &wiring, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    return system;
}

void generate(const col_generation *settings, uint64_t seed, col_program *program) {
    col_generator *generator = col_generator_new();
    col_problem problem;
    assert_non_null(generator);
    if (col_generate(generator, settings, seed, 0, program, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    col_generator_free(generator);
}

void make_program(const run_shape *shape, uint64_t seed, col_program *program) {
    col_generation settings;
    col_problem problem;
    col_generation_default(&settings);
    settings.threads = shape->cores;
    settings.operations = shape->operations;
    settings.locations = shape->locations;
    if (shape->sets > 0)
        col_addressing_bias(&settings.addressing, shape->sets);
    if (shape->mix != NULL)
        assert_int_equal(col_instruction_mix_parse(shape->mix, &settings.instructions, &problem),
                         COL_OK);
    generate(&settings, seed, program);
}

/* ---- The witness. */

void witness_start(witness *w, const col_program *program) {
    const uint32_t operations = col_program_operations(program);
    uint32_t largest = 0;
    for (uint32_t i = 0; i < operations; i++)
        largest = program->operations[i].value > largest ? program->operations[i].value : largest;
    w->program = program;
    w->value_count = largest + 1;
    w->performed = calloc(operations + 1, sizeof *w->performed);
    w->writer_of = calloc((size_t)largest + 1, sizeof *w->writer_of);
    w->has_adds = calloc(program->location_count + 1, sizeof *w->has_adds);
    w->hash = w->transitions = w->evictions = w->wrong_words = 0;
    for (uint32_t i = 0; i < operations; i++) {
        const col_operation *o = &program->operations[i];
        if (o->kind == COL_STORE || o->kind == COL_SWAP)
            w->writer_of[o->value] = o->location + 1;
        if (o->kind == COL_ADD)
            w->has_adds[o->location] = 1;
    }
}

void witness_end(witness *w) {
    free(w->performed);
    free(w->writer_of);
    free(w->has_adds);
}

/* Stores count in the lower half of a word, adds in the upper. */
static bool could_be(const witness *w, uint32_t location, uint64_t word) {
    const uint32_t stored = (uint32_t)word;
    if (word >> 32 != 0 && !w->has_adds[location])
        return false;
    return stored == 0 || (stored < w->value_count && w->writer_of[stored] == location + 1);
}

static void mix(witness *w, uint64_t number) {
    w->hash = (w->hash ^ number) * UINT64_C(0x9e3779b97f4a7c15);
    w->hash ^= w->hash >> 29;
}

static void notice(void *context, const col_event *e) {
    witness *w = context;
    const uint64_t all[] = {e->kind,        e->cycle,      e->core,    e->operation,  e->word,
                            e->overwritten, e->source,     e->machine, e->controller, e->state,
                            e->event,       e->next_state, e->block};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        mix(w, all[i]);
    if (e->kind == COL_TRANSITION) {
        w->transitions++;
        if (w->taken != NULL)
            w->taken[w->first[e->machine] +
                     e->state * w->protocol->machines[e->machine]->event_count + e->event]++;
    } else if (e->kind == COL_EVICTION) {
        w->evictions++;
    } else if (e->kind == COL_LOAD_PERFORMED || e->kind == COL_STORE_PERFORMED) {
        const uint32_t location = w->program->operations[e->operation].location;
        const bool loads = e->kind == COL_LOAD_PERFORMED;
        w->performed[e->operation]++;
        w->wrong_words += !could_be(w, location, loads ? e->word : e->overwritten);
    }
}

col_observer witness_observer(witness *w) {
    return (col_observer){.context = w, .notice = notice, .kinds = UINT32_MAX};
}

void assert_complete(const witness *w) {
    for (uint32_t i = 0; i < col_program_operations(w->program); i++) {
        const uint8_t kind = w->program->operations[i].kind;
        const bool accesses = col_kinds[kind].reads || col_kinds[kind].writes;
        assert_int_equal(w->performed[i], accesses ? 1 : 0);
    }
    assert_int_equal(w->wrong_words, 0);
}

void run_instance(sim_system *system, const col_program *program, uint64_t seed, bool warm,
                  witness *w) {
    sim_result result;
    col_problem problem;
    witness_start(w, program);
    const col_observer observer = witness_observer(w);
    if (sim_system_run(system, program, seed, warm, &observer, &result, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    if (!system->failure.happened)
        assert_int_equal(result.operations, col_program_operations(program));
}

sim_result run_well(sim_system *system, const col_program *program, uint64_t seed, bool warm,
                    const col_observer *observer) {
    sim_result result;
    col_problem problem;
    if (sim_system_run(system, program, seed, warm, observer, &result, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    if (system->failure.happened)
        fail_msg("%s, %s cores, seed %llu: %s", system->protocol->name,
                 sim_modes[system->wiring.core.mode], (unsigned long long)seed,
                 system->failure.text);
    assert_int_equal(result.operations, col_program_operations(program));
    return result;
}

bool run_judged(sim_system *system, const col_program *program, uint64_t seed, col_model model,
                bool may_fail) {
    col_checker *checker = NULL;
    sim_result result;
    col_problem problem;
    assert_int_equal(col_checker_new(&checker, model, &problem), COL_OK);
    assert_int_equal(col_checker_load(checker, program, &problem), COL_OK);
    const col_observer observer = col_checker_observer(checker);
    assert_int_equal(sim_system_run(system, program, seed, false, &observer, &result, &problem),
                     COL_OK);
    const bool has_failed = system->failure.happened;
    const bool is_good = col_checker_finish(checker, !has_failed) && !has_failed;
    if (!is_good && !may_fail)
        fail_msg("seed %llu: %s", (unsigned long long)seed,
                 has_failed ? system->failure.text : col_checker_violation(checker)->reason);
    if (is_good)
        assert_int_equal(result.operations, col_program_operations(program));
    col_checker_free(checker);
    return is_good;
}

/* ---- What is seen. */

static void take_down(void *context, const col_event *e) {
    seen_run *s = context;
    if (e->kind == COL_EVICTION) {
        s->evictions++;
        return;
    }
    assert_true(e->operation < sizeof s->operations / sizeof s->operations[0]);
    assert_int_equal(s->operations[e->operation].times++, 0); /* each performs once */
    s->operations[e->operation].cycle = e->cycle;
    s->operations[e->operation].word = e->word;
    s->operations[e->operation].overwritten = e->overwritten;
    s->operations[e->operation].source = e->source;
}

seen_run see(sim_system *system, const col_program *program, uint64_t seed) {
    seen_run s = {0};
    const col_observer observer = {
        &s, take_down, 1U << COL_LOAD_PERFORMED | 1U << COL_STORE_PERFORMED | 1U << COL_EVICTION};
    (void)run_well(system, program, seed, false, &observer);
    return s;
}

void see_on(const sl_protocol *protocol, const char *text, uint32_t cores, uint32_t seeds,
            check_seen *check) {
    col_program program = COL_PROGRAM_EMPTY;
    run_shape shape = plain_shape(cores, 0);
    shape.outstanding = 4;
    sim_system *system = make_system(protocol, &shape);
    read_text(&program, text);
    for (uint64_t seed = 0; seed < seeds; seed++) {
        const seen_run s = see(system, &program, seed);
        check(&s);
    }
    sim_system_free(system);
    col_program_free(&program);
}

void see_on_each(const char *text, uint32_t cores, uint32_t seeds, check_seen *check) {
    for (const sl_protocol *const *p = sim_built_in; *p != NULL; p++)
        see_on(*p, text, cores, seeds, check);
}

bool run_until_failure(sim_system *system, const run_shape *shape, uint64_t seeds) {
    col_program program = COL_PROGRAM_EMPTY;
    for (uint64_t seed = 0; seed < seeds && !system->failure.happened; seed++) {
        witness w = {0};
        make_program(shape, seed, &program);
        run_instance(system, &program, seed, false, &w);
        witness_end(&w);
    }
    col_program_free(&program);
    return system->failure.happened;
}

/* ---- What is opened. */

sim_system *open_design(sim_design *design, const char *what, uint32_t cores) {
    col_problem problem = {0};
    sim_system *system = NULL;
    if (sim_design_open(design, what, cores, NULL, &problem) != COL_OK)
        fail_msg("%s: %s", what, problem.message);
    assert_int_equal(sim_system_new(&system, design->protocol, &design->wiring, &problem), COL_OK);
    return system;
}

void compile_protocol(sim_plugin *plugin, const char *path) {
    col_problem problem;
    if (sim_plugin_compile(plugin, path, NULL, &problem) != COL_OK)
        fail_msg("%s: %s", path, problem.message);
}

/* ---- Bad files. */

static bool is_refused(const char *path, bool is_whole, read_bad *read) {
    base_text text = {0};
    col_problem problem = {0};
    char wanted[1024], got[1024];
    assert_int_equal(base_file_read(path, &text, &problem), COL_OK);
    if (sscanf(text.data, "# expect %1023[^\n]", wanted) != 1)
        fail_msg("%s has no line '# expect LINE:COLUMN: message'", path);
    const col_status status = read(path, &text, &problem);
    (void)snprintf(got, sizeof got, "%u:%u: %s", problem.line, problem.column, problem.message);
    const bool same = status == COL_BAD_INPUT && strcmp(problem.file, path) == 0 &&
                      (is_whole ? strcmp(got, wanted) : strncmp(got, wanted, strlen(wanted))) == 0;
    if (!same)
        print_error("%s: status %d\n  expected %s\n  got      %s\n", path, status, wanted, got);
    base_text_free(&text);
    return same;
}

void expect_refusals(const char *folder, uint32_t least_files, bool is_whole, read_bad *read) {
    DIR *files = opendir(folder);
    uint32_t count = 0, wrong = 0;
    assert_non_null(files);
    for (const struct dirent *entry; (entry = readdir(files)) != NULL;) {
        char path[1024];
        if (entry->d_name[0] == '.')
            continue;
        (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        wrong += !is_refused(path, is_whole, read);
        count++;
    }
    (void)closedir(files);
    assert_int_equal(wrong, 0);
    assert_true(count >= least_files);
}

void read_text(col_program *program, const char *text) {
    col_problem problem;
    if (col_program_read(program, text, strlen(text), "text", &problem) != COL_OK)
        fail_msg("%s:%u: %s", problem.file, problem.line, problem.message);
}
