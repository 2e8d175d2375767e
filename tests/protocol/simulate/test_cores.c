/* SPDX-License-Identifier: MIT */
/* ctest: long */
/*
 * Out-of-order cores against the oracle: whatever they do, their memory model allows; what their
 * mode is meant to relax is seen; and without any one of their mechanisms something forbidden is.
 */
#include "base/random.h"
#include "execution.h"
#include "instances.h"
#include "litmus.h"
#include "runs.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef REDUCED
enum { RUNS = 40, PROGRAMS = 1000, LONG_PROGRAMS = 4, DEMONSTRATION_RUNS = 4000 };
#elif defined(THOROUGH)
enum { RUNS = 10000, PROGRAMS = 100000, LONG_PROGRAMS = 400, DEMONSTRATION_RUNS = 4000 };
#else
enum { RUNS = 2000, PROGRAMS = 10000, LONG_PROGRAMS = 40, DEMONSTRATION_RUNS = 4000 };
#endif

enum { MOST_RUNS = 10000 }; /* to see what is allowed but rare */

static const sim_mode modes[] = {SIM_SC, SIM_TSO, SIM_WEAK};

/* What a program did: outcomes, each once. */
typedef struct collection {
    outcome *list;
    uint32_t count, capacity;
} collection;

static bool is_new(collection *known, const outcome *seen) {
    for (uint32_t i = 0; i < known->count; i++)
        if (memcmp(&known->list[i], seen, sizeof *seen) == 0)
            return false;
    if (known->count == known->capacity) {
        known->capacity = known->capacity * 2 + 64;
        known->list = realloc(known->list, known->capacity * sizeof *known->list);
        assert_non_null(known->list);
    }
    known->list[known->count++] = *seen;
    return true;
}

static void print_outcome(const col_program *program, const outcome *seen) {
    for (uint32_t i = 0; i < col_program_operations(program); i++)
        print_error("  %u %s a%u: reads 0x%llx, replaces 0x%llx\n", i,
                    col_kinds[program->operations[i].kind].name, program->operations[i].location,
                    (unsigned long long)seen->read[i], (unsigned long long)seen->replaced[i]);
}

typedef struct tally {
    uint32_t outcomes, forbidden;
    uint32_t seen; /* runs with the outcome that the test asks for */
} tally;

/* Runs a litmus test that often, or more until what is hoped for was seen; judges every outcome. */
static tally judge(variants *all, sim_mode mode, const litmus *test, uint32_t runs, bool hoped) {
    collection known = {0};
    tally t = {0};
    for (uint64_t seed = 0; seed < runs || (hoped && t.seen == 0 && seed < MOST_RUNS); seed++) {
        outcome seen;
        variants_run(all, &test->program, seed, &seen);
        t.seen += litmus_holds(test, &seen);
        if (is_new(&known, &seen))
            t.forbidden += !mode_allows(mode, &test->program, &seen);
    }
    t.outcomes = known.count;
    free(known.list);
    return t;
}

typedef void for_test(const litmus *test, void *context);

static void for_each_test(for_test *run, void *context) {
    glob_t paths;
    col_problem problem;
    litmus test = {.program = COL_PROGRAM_EMPTY};
    assert_int_equal(litmus_list(&paths, &problem), COL_OK);
    assert_true(paths.gl_pathc >= 150);
    for (size_t i = 0; i < paths.gl_pathc; i++) {
        if (litmus_read(paths.gl_pathv[i], &test, &problem) != COL_OK)
            fail_msg("%s:%u: %s", problem.file, problem.line, problem.message);
        run(&test, context);
    }
    litmus_free(&test);
    globfree(&paths);
}

/* ---- Nothing forbidden, and every relaxation. */

typedef struct comparison {
    variants all[3];
    uint32_t wrong;
} comparison;

static void compare(const litmus *test, void *context) {
    comparison *c = context;
    const bool allowed[] = {test->verdicts[ORACLE_SC], test->verdicts[ORACLE_TSO],
                            test->verdicts[ORACLE_ARMV8] && test->verdicts[ORACLE_RVWMO] &&
                                !(strncmp(test->name, "RSW", 3) == 0 ||
                                  strcmp(test->name, "MP+fence.ww+addr-flush-po") == 0)};
    char line[256];
    int used = snprintf(line, sizeof line, "%-32s", test->name);
    for (uint32_t m = 0; m < 3; m++) {
        const tally t = judge(&c->all[m], modes[m], test, RUNS, allowed[m]);
        const bool unexpected = allowed[m] != (t.seen > 0);
        used += snprintf(line + used, sizeof line - (size_t)used, " %s %s %u/%u%s",
                         sim_modes[modes[m]], allowed[m] ? "yes" : "no", t.seen, t.outcomes,
                         t.forbidden > 0 ? " FORBIDDEN"
                         : unexpected    ? " UNEXPECTED"
                                         : "");
        c->wrong += t.forbidden > 0;
#ifndef REDUCED
        c->wrong += unexpected;
#endif
    }
    print_message("%s\n", line);
}

TEST(litmus_tests_do_what_their_mode_allows) {
    comparison c = {0};
    for (uint32_t m = 0; m < 3; m++)
        variants_make(&c.all[m], "msi", modes[m], 0);
    for_each_test(compare, &c);
    for (uint32_t m = 0; m < 3; m++)
        variants_free(&c.all[m]);
    assert_int_equal(c.wrong, 0);
}

/* ---- Random programs. */

/* Threads, locations and blocks by chance; a word names its write. */
static void make_random(base_rng *rng, col_program *program) {
    const uint32_t threads = 2 + (uint32_t)base_rng_below(rng, 3);
    const uint32_t locations = 1 + (uint32_t)base_rng_below(rng, 4);
    uint32_t lengths[MOST_CORES] = {0};
    col_problem problem;
    const uint32_t total = threads + (uint32_t)base_rng_below(rng, 11 - threads);
    for (uint32_t i = 0; i < total; i++)
        lengths[i < threads ? i : base_rng_below(rng, threads)]++;
    assert_int_equal(col_program_shape(program, threads, lengths, locations, &problem), COL_OK);
    const bool shares_blocks = base_rng_below(rng, 4) == 0;
    for (uint32_t l = 0; l < locations; l++)
        program->addresses[l] = shares_blocks ? 0x40 + 8 * l : 0x40 * (l + 1);
}

static uint32_t choose_dependency(base_rng *rng, const col_program *program, uint32_t first,
                                  uint32_t index, col_operation *o) {
    const uint32_t distance = 1 + (uint32_t)base_rng_below(rng, index - first);
    if (!col_kinds[program->operations[index - distance].kind].reads)
        return 0;
    const uint32_t choices = col_kinds[o->kind].writes ? 3 : 2;
    static const uint8_t which[] = {COL_ADDRESS, COL_CONTROL, COL_DATA};
    o->dependency = which[base_rng_below(rng, choices)];
    o->distance = distance;
    return distance;
}

static void fill_random(base_rng *rng, col_program *program) {
    static const uint8_t kinds[] = {COL_LOAD,  COL_LOAD, COL_LOAD,  COL_LOAD, COL_STORE, COL_STORE,
                                    COL_STORE, COL_SWAP, COL_FENCE, COL_ADD,  COL_FLUSH, COL_DELAY};
    const bool is_plain = base_rng_below(rng, 3) == 0;
    for (uint32_t t = 0; t < program->thread_count; t++) {
        const uint32_t first = program->thread_start[t];
        for (uint32_t i = first; i < program->thread_start[t + 1]; i++) {
            col_operation *o = &program->operations[i];
            *o = (col_operation){.kind = kinds[base_rng_below(rng, is_plain ? 8 : 12)]};
            if (o->kind == COL_FENCE)
                o->fence = (uint8_t)(1 + base_rng_below(rng, 15));
            else if (o->kind == COL_DELAY)
                o->location = (uint32_t)base_rng_below(rng, 40);
            else
                o->location = (uint32_t)base_rng_below(rng, program->location_count);
            if (col_kinds[o->kind].writes)
                o->value = i + 1;
            if (is_plain || !col_kinds[o->kind].located)
                continue;
            if (col_kinds[o->kind].reads && base_rng_below(rng, 4) == 0)
                o->order |= COL_ACQUIRE;
            if (col_kinds[o->kind].writes && base_rng_below(rng, 4) == 0)
                o->order |= COL_RELEASE;
            if (i > first && base_rng_below(rng, 3) == 0)
                (void)choose_dependency(rng, program, first, i, o);
        }
    }
}

TEST(random_programs_do_what_their_mode_allows) {
    col_program program = COL_PROGRAM_EMPTY;
    variants all[3];
    uint32_t relaxed[3] = {0};
    for (uint32_t m = 0; m < 3; m++)
        variants_make(&all[m], "msi", modes[m], 0);
    for (uint64_t i = 0; i < PROGRAMS; i++) {
        base_rng rng;
        col_problem problem;
        outcome seen;
        base_rng_seed(&rng, i, 77);
        make_random(&rng, &program);
        fill_random(&rng, &program);
        if (col_program_check(&program, &problem) != COL_OK)
            fail_msg("program %llu: %s", (unsigned long long)i, problem.message);
        for (uint32_t m = 0; m < 3; m++)
            for (uint64_t instance = 0; instance < 4; instance++) {
                variants_run(&all[m], &program, i * 4 + instance, &seen);
                if (!mode_allows(modes[m], &program, &seen)) {
                    print_outcome(&program, &seen);
                    fail_msg("program %llu, instance %llu: a %s core did what is forbidden",
                             (unsigned long long)i, (unsigned long long)instance,
                             sim_modes[modes[m]]);
                }
                relaxed[m] += !oracle_allows(ORACLE_SC, &program, &seen);
            }
    }
    assert_int_equal(relaxed[0], 0);
    assert_true(relaxed[1] > PROGRAMS / 200);
    assert_true(relaxed[2] > relaxed[1]);
    print_message("not sequentially consistent: tso %u, weak %u of %u\n", relaxed[1], relaxed[2],
                  4 * PROGRAMS);
    for (uint32_t m = 0; m < 3; m++)
        variants_free(&all[m]);
    col_program_free(&program);
}

/* ---- Long programs, so that windows and queues fill and turn. */

static void fill_long(base_rng *rng, col_program *program) {
    fill_random(rng, program);
    for (uint32_t i = 0; i < col_program_operations(program); i++)
        if (program->operations[i].kind == COL_ADD)
            program->operations[i].kind = COL_SWAP;
}

static bool run_long(sim_system *system, const col_program *program, sim_mode mode, uint64_t seed) {
    execution e;
    execution_start(&e, program);
    const col_observer observer = execution_observer(&e);
    (void)run_well(system, program, seed, seed % 2 == 1, &observer);
    const bool allowed = execution_is_allowed(&e, mode);
    execution_free(&e);
    return allowed;
}

TEST(long_programs_do_what_their_mode_allows) {
    col_program program = COL_PROGRAM_EMPTY;
    for (uint32_t m = 0; m < 3; m++) {
        variants all;
        variants_make(&all, "msi", modes[m], 0);
        for (uint64_t i = 0; i < LONG_PROGRAMS; i++) {
            const uint32_t lengths[MOST_CORES] = {100, 160, 90, 170};
            base_rng rng;
            col_problem problem;
            base_rng_seed(&rng, i, 79);
            const uint32_t locations = 2 + (uint32_t)base_rng_below(&rng, 8);
            assert_int_equal(col_program_shape(&program, MOST_CORES, lengths, locations, &problem),
                             COL_OK);
            for (uint32_t l = 0; l < locations; l++)
                program.addresses[l] = 0x40 * (l + 1) + 8 * l;
            fill_long(&rng, &program);
            if (!run_long(all.systems[i % VARIANTS], &program, modes[m], i))
                fail_msg("long program %llu: a %s core did what is forbidden",
                         (unsigned long long)i, sim_modes[modes[m]]);
        }
        variants_free(&all);
    }
    col_program_free(&program);
}

/* ---- Where words come from. */

static void note_source(void *context, const col_event *event) {
    ((col_source *)context)[event->operation] = event->source;
}

TEST(loads_report_where_their_values_come_from) {
    /* Thread 0 owns a0 before thread 1 asks; a1 is in memory only. */
    static const char text[] = "collider program 1\nlocation a0 0x40\nlocation a1 0x80\n"
                               "thread 0\n store a0 1\n load a0\n fence\n load a0\n load a1\n"
                               "thread 1\n delay 2000\n load a0\n load a0 address@-1\nend\n";
    static const col_source expected[] = {
        COL_FROM_MEMORY, COL_FROM_STORE_BUFFER, COL_FROM_UNKNOWN,    COL_FROM_PRIVATE_CACHE,
        COL_FROM_MEMORY, COL_FROM_UNKNOWN,      COL_FROM_OTHER_CORE, COL_FROM_PRIVATE_CACHE};
    col_program program = COL_PROGRAM_EMPTY;
    col_problem problem;
    variants all;
    variants_make(&all, "msi", SIM_TSO, 0);
    assert_int_equal(col_program_read(&program, text, sizeof text - 1, "text", &problem), COL_OK);
    for (uint64_t seed = 0; seed < 100; seed++) {
        col_source sources[8] = {COL_FROM_UNKNOWN};
        const col_observer observer = {.context = sources,
                                       .notice = note_source,
                                       .kinds =
                                           1U << COL_LOAD_PERFORMED | 1U << COL_STORE_PERFORMED};
        (void)run_well(all.systems[0], &program, seed, false, &observer);
        assert_memory_equal(sources, expected, sizeof sources);
    }
    variants_free(&all);
    col_program_free(&program);
}

/* ---- What each mechanism is for. */

static const struct demonstration {
    sim_mechanism mechanism;
    sim_mode mode;
    const char *test; /* shows a forbidden outcome when the mechanism is missing */
} demonstrations[] = {
    {SIM_SQUASH, SIM_SC, "MP"},
    {SIM_SQUASH, SIM_TSO, "MP"},
    {SIM_SQUASH, SIM_WEAK, "CoRR"},
    {SIM_FIFO, SIM_SC, "2+2W"},
    {SIM_FIFO, SIM_TSO, "MP"},
    {SIM_FORWARD, SIM_SC, "CoWR0"},
    {SIM_FORWARD, SIM_TSO, "CoWR0"},
    {SIM_FORWARD, SIM_WEAK, "CoWR0"},
    {SIM_SAME_ADDRESS, SIM_WEAK, "CoRR"},
    {SIM_SAME_ADDRESS, SIM_WEAK, "CoWW"},
    {SIM_SAME_ADDRESS, SIM_WEAK, "CoRW1"},
    {SIM_FENCE, SIM_TSO, "SB+fences"},
    {SIM_FENCE, SIM_WEAK, "SB+fences"},
    {SIM_FENCE, SIM_WEAK, "MP+fences"},
    {SIM_FENCE, SIM_WEAK, "LB+fences"},
    {SIM_FENCE, SIM_WEAK, "2+2W+fences"},
    {SIM_ACQUIRE, SIM_WEAK, "MP+popl+poap"},
    {SIM_RELEASE, SIM_WEAK, "MP+popl+poap"},
    {SIM_RELEASE, SIM_WEAK, "SB+polas"},
    {SIM_DEPENDENCY, SIM_WEAK, "LB+datas"},
    {SIM_DEPENDENCY, SIM_WEAK, "LB+ctrls"},
    {SIM_DEPENDENCY, SIM_WEAK, "MP+fence.ww+addr"},
    {SIM_ATOMIC, SIM_SC, "2Add"},
    {SIM_ATOMIC, SIM_TSO, "2Swap"},
    {SIM_ATOMIC, SIM_WEAK, "3Add"},
};

TEST(without_a_mechanism_something_forbidden_happens) {
    uint32_t shown = 0;
    for (size_t i = 0; i < sizeof demonstrations / sizeof demonstrations[0]; i++) {
        const struct demonstration *d = &demonstrations[i];
        litmus test = {.program = COL_PROGRAM_EMPTY};
        char path[256];
        col_problem problem;
        variants all;
        (void)snprintf(path, sizeof path, "%s/litmus/%s.txt", TEST_DATA, d->test);
        if (litmus_read(path, &test, &problem) != COL_OK)
            fail_msg("%s: %s", path, problem.message);
        variants_make(&all, "msi", d->mode, 1U << d->mechanism);
        const tally t = judge(&all, d->mode, &test, DEMONSTRATION_RUNS, false);
        print_message("%s without %s on %s: %u outcomes, %u forbidden\n", sim_modes[d->mode],
                      sim_mechanisms[d->mechanism], d->test, t.outcomes, t.forbidden);
        if (t.forbidden == 0)
            fail_msg("%s without %s does nothing forbidden on %s", sim_modes[d->mode],
                     sim_mechanisms[d->mechanism], d->test);
        shown |= 1U << d->mechanism;
        variants_free(&all);
        litmus_free(&test);
    }
    assert_int_equal(shown, (1U << SIM_MECHANISM_COUNT) - 1);
}
