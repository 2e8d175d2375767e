/* SPDX-License-Identifier: MIT */
/*
 * Cores of every mode, before a memory that is right by construction, run the programs of all
 * cycles of relaxations up to a length. Their accesses take all forms: plain, acquire and
 * release, atomic. Whatever is seen is judged by the models, in cat, that the mode keeps: nothing
 * is forbidden, and what the models allow is still seen.
 *
 * A sample of them here; all of them with COLLIDER_CYCLES=1/1 (make verify-models), or, with 2/3,
 * the second third of them.
 */
#include "judge/cat/program_graph.h"
#include "memory.h"
#include "program/cycle/cycle.h"
#include "protocol/simulate/oracle_random.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fences that order the pair that they are between, and some that do not. Between a read and a
 * write, Fence.r.w also stands for an access that depends on the read: see make_program. */
static const char relaxations[] =
    "Pod** Pos** Fenced** Fence.tsod** Fence.r.rwd** Fence.rw.wd** Fence.r.wdRW Fence.r.rdRR "
    "Fence.w.wdWW Fence.w.rdWR Fence.w.wdWR Fence.tsodWR Fence.r.rdRW Fence.w.wdRR DpAddrd* "
    "DpAddrs* DpDatadW DpDatasW DpCtrld* Rfi Fri Coi Rfe Fre Coe";

enum {
    LONGEST = 6,
    OPERATIONS = 16, /* of a program, at most */
    MOST_SEEN = 512, /* executions of a program */
    GAP = 64,        /* bytes between locations */
    SKEW = 8,
    DECISIVE_RUNS = 1000,
    MOST_RUNS = 20000, /* within which what is allowed is seen */
    ALL_RUNS = 20,
    RANDOM_VARIANTS = 8,
#ifdef REDUCED
    RUNS = 20,
    STRIDE = 400
#else
    RUNS = 40,
    STRIDE = 40 /* of the cycles that are nearly as long as may be, one is tried */
#endif
};

/* ---- Modes. */

enum { MOST_MODELS = 3 };

typedef struct mode {
    const char *name;
    col_agent_core core;
    bool losses, commits, fences;  /* does the port tell, or take, them? */
    col_model models[MOST_MODELS]; /* that it keeps; the first is the one that it shows */
    uint32_t model_count;
} mode;

enum { SC, SC_COMMITS, TSO, TSO_AHEAD, TSO_COMMITS, WEAK, WEAK_COMMITS, MODES };
static const mode modes[MODES] = {
    [SC] = {"sc", COL_AGENT_SC, false, false, false, {COL_SC}, 1},
    [SC_COMMITS] = {"sc, with commits", COL_AGENT_SC, false, true, true, {COL_SC}, 1},
    [TSO] = {"tso", COL_AGENT_TSO, false, false, false, {COL_TSO, COL_WMO}, 2},
    [TSO_AHEAD] = {"tso, running ahead", COL_AGENT_TSO, true, false, false, {COL_TSO, COL_WMO}, 2},
    [TSO_COMMITS] = {"tso, with commits", COL_AGENT_TSO, true, true, true, {COL_TSO, COL_WMO}, 2},
    [WEAK] = {"weak", COL_AGENT_WEAK, false, false, false, {COL_RVWMO, COL_ARMV8, COL_WMO}, 3},
    [WEAK_COMMITS] = {"weak, with commits",
                      COL_AGENT_WEAK,
                      false,
                      true,
                      true,
                      {COL_RVWMO, COL_ARMV8, COL_WMO},
                      3},
};

enum {
    NO_CORES = 0,
    TSO_CORES = 1U << TSO | 1U << TSO_AHEAD | 1U << TSO_COMMITS,
    WEAK_CORES = 1U << WEAK | 1U << WEAK_COMMITS,
    OWN_FENCES = 1U << TSO | 1U << TSO_AHEAD | 1U << WEAK
};

/* ---- Programs. */

typedef enum form { PLAIN, ORDERED, ATOMIC, ATOMIC_ORDERED, FORMS } form;

/* What a fence between a read and a write may be instead: an access in between that depends on the
 * read. The write comes after it by rule 13 of RVWMO, or by a branch. */
typedef enum between { AS_IT_IS, BEHIND_ADDRESS, BEHIND_BRANCH, BETWEENS } between;

typedef struct variant {
    form accesses[LONGEST]; /* in the order of the program */
    between between;
} variant;

static void take_form(col_operation *o, form which, uint32_t value) {
    const bool is_atomic = which == ATOMIC || which == ATOMIC_ORDERED, reads = o->kind == COL_LOAD;
    o->order = which == ORDERED          ? reads ? COL_ACQUIRE : COL_RELEASE
               : which == ATOMIC_ORDERED ? COL_ACQUIRE | COL_RELEASE
                                         : 0;
    o->kind = reads ? is_atomic ? COL_ADD : COL_LOAD : is_atomic ? COL_SWAP : COL_STORE;
    if (reads)
        o->value = is_atomic ? value : 0;
}

/* The program of a test with one more location, for what comes between. */
static void copy_program(const col_program *from, col_program *program) {
    uint32_t lengths[CYC_MOST];
    col_problem problem;
    for (uint32_t t = 0; t < from->thread_count; t++)
        lengths[t] = from->thread_start[t + 1] - from->thread_start[t];
    assert_int_equal(
        col_program_shape(program, from->thread_count, lengths, from->location_count + 1, &problem),
        COL_OK);
    memcpy(program->operations, from->operations,
           col_program_operations(from) * sizeof *from->operations);
    for (uint32_t l = 0; l <= from->location_count; l++)
        program->addresses[l] = (uint64_t)l * GAP;
}

static bool is_replaceable(const col_operation *o) {
    return o->kind == COL_FENCE && o->fence == COL_READ_WRITE;
}

static void make_program(const cyc_test *test, const variant *v, col_program *program) {
    uint32_t access = 0;
    col_problem problem;
    copy_program(&test->program, program);
    for (uint32_t i = 0; i < col_program_operations(program); i++) {
        col_operation *o = &program->operations[i];
        if (o->kind != COL_FENCE)
            take_form(o, v->accesses[access++], 1000 + i);
        else if (is_replaceable(o) && v->between != AS_IT_IS)
            *o = (col_operation){.kind = COL_LOAD,
                                 .location = program->location_count - 1,
                                 .dependency =
                                     v->between == BEHIND_ADDRESS ? COL_ADDRESS : COL_CONTROL,
                                 .distance = 1};
    }
    if (col_program_check(program, &problem) != COL_OK)
        fail_msg("%s: %s", test->relaxations.data, problem.message);
}

/* ---- What is seen: for each read its source, for each write its place at its location. */

typedef struct seen {
    uint32_t source[OPERATIONS], place[OPERATIONS];
} seen;

typedef struct reads {
    const col_program *program;
    uint64_t words[OPERATIONS];
} reads;

static void note_read(void *context, const col_event *event) {
    reads *r = context;
    if (col_kinds[r->program->operations[event->operation].kind].reads)
        r->words[event->operation] = event->kind == COL_STORE_PERFORMED ? event->read : event->word;
}

static uint32_t find_write(const col_program *program, const performed_write *write) {
    uint32_t i = 0;
    while (!col_kinds[program->operations[i].kind].writes ||
           col_program_operand(program, &program->operations[i]) != write->operand)
        i++;
    return i;
}

static void find_seen(const reads *r, const memory *m, seen *s) {
    const col_program *program = r->program;
    uint32_t places[LONGEST + 1] = {0};
    memset(s, 0, sizeof *s);
    for (uint32_t i = 0; i < col_program_operations(program); i++)
        s->source[i] = r->words[i] == 0 ? COL_INITIAL : COL_NEVER_STORED;
    for (uint32_t w = 0; w < m->write_count; w++) {
        const performed_write *write = &m->writes[w];
        const uint32_t operation = find_write(program, write);
        const uint32_t location = program->operations[operation].location;
        s->place[operation] = ++places[location];
        for (uint32_t i = 0; i < col_program_operations(program); i++)
            if (program->operations[i].location == location && r->words[i] == write->word)
                s->source[i] = operation;
    }
}

/* ---- Judges. */

typedef struct judges {
    cat_model models[COL_MODEL_COUNT];
    cat_run *runs[COL_MODEL_COUNT];
    cat_program_graph graph;
} judges;

static void open_judges(judges *j) {
    col_problem problem;
    *j = (judges){0};
    for (uint32_t m = 0; m < COL_MODEL_COUNT; m++) {
        char name[32];
        (void)snprintf(name, sizeof name, "%s.cat", col_models[m]);
        assert_int_equal(cat_model_read_file(&j->models[m], name, NULL, &problem), COL_OK);
        assert_int_equal(cat_run_new(&j->runs[m], &j->models[m], &problem), COL_OK);
    }
}

static void close_judges(judges *j) {
    for (uint32_t m = 0; m < COL_MODEL_COUNT; m++) {
        cat_run_free(j->runs[m]);
        cat_model_free(&j->models[m]);
    }
    cat_program_graph_free(&j->graph);
}

static bool is_allowed(judges *j, col_model m, const col_program *program, const seen *s) {
    col_problem problem;
    cat_verdict verdict;
    const cat_execution execution = {.program = program, .source = s->source, .place = s->place};
    assert_int_equal(cat_program_graph_make(&j->graph, &execution, &j->models[m], &problem),
                     COL_OK);
    assert_int_equal(cat_run_load(j->runs[m], &j->graph.graph, &problem), COL_OK);
    assert_int_equal(cat_run_judge(j->runs[m], CAT_WITH_CO, &verdict, &problem), COL_OK);
    return verdict.is_allowed;
}

/* ---- Running them. */

typedef struct tally {
    uint64_t programs, runs, executions;
    uint64_t targets[2], met[2]; /* forbidden or allowed: outcomes that cycles are about; seen */
    uint64_t missed;             /* allowed, and not seen where it should be */
} tally;

typedef struct bench {
    judges judges;
    memory memories[MODES][PORTS + 1]; /* by threads: a core without one costs time */
    tally tallies[MODES];
    cyc_test test;
    col_program program;
    seen seen[MOST_SEEN];
    uint64_t seeds;
    uint32_t runs; /* of each program in each mode */
} bench;

static void complain(const bench *b, const mode *how, col_model model, const seen *s) {
    char *text;
    size_t length;
    col_problem problem;
    assert_int_equal(col_program_write(&b->program, &text, &length, &problem), COL_OK);
    print_error("%s\n%s", b->test.relaxations.data, text);
    for (uint32_t i = 0; i < col_program_operations(&b->program); i++)
        print_error("operation %u: source %d, place %u\n", i, (int)s->source[i], s->place[i]);
    col_text_free(text);
    fail_msg("a core (%s) did what %s forbids", how->name, col_models[model]);
}

/* Judges an execution that is seen for the first time. */
static void judge(bench *b, const mode *how, const seen *s, uint32_t *count) {
    for (uint32_t i = 0; i < *count; i++)
        if (memcmp(&b->seen[i], s, sizeof *s) == 0)
            return;
    assert_true(*count < MOST_SEEN);
    b->seen[(*count)++] = *s;
    for (uint32_t m = 0; m < how->model_count; m++)
        if (!is_allowed(&b->judges, how->models[m], &b->program, s))
            complain(b, how, how->models[m], s);
}

/* Adds to the different executions that were seen. */
static void run_mode(bench *b, uint32_t which, uint32_t *count) {
    memory *m = &b->memories[which][b->program.thread_count];
    reads r = {.program = &b->program};
    const col_observer observer = {&r, note_read,
                                   1U << COL_VALUE_RETURNED | 1U << COL_LOAD_PERFORMED |
                                       1U << COL_STORE_PERFORMED};
    const uint32_t before = *count;
    col_problem problem;
    assert_int_equal(col_agents_load(m->agents, &b->program, &problem), COL_OK);
    for (uint32_t i = 0; i < b->runs; i++) {
        seen s;
        memset(r.words, 0, sizeof r.words);
        memory_run(m, &observer, b->seeds + i);
        assert_null(col_agents_trouble(m->agents));
        assert_true(col_agents_are_done(m->agents));
        find_seen(&r, m, &s);
        judge(b, &modes[which], &s, count);
    }
    b->tallies[which].runs += b->runs;
    b->tallies[which].executions += *count - before;
    b->seeds += b->runs;
}

/* Is this the outcome that the cycle is about? */
static bool is_target(const cyc_test *test, const seen *s) {
    uint32_t writes[CYC_MOST] = {0};
    for (uint32_t i = 0; i < col_program_operations(&test->program); i++)
        writes[test->program.operations[i].location] +=
            col_kinds[test->program.operations[i].kind].writes;
    for (uint32_t i = 0; i < col_program_operations(&test->program); i++) {
        const col_operation *o = &test->program.operations[i];
        if (o->kind == COL_LOAD && s->source[i] != test->source[i])
            return false;
        if (o->kind == COL_STORE && test->says_last[o->location] &&
            (s->place[i] == writes[o->location]) != (test->last[o->location] == i))
            return false;
    }
    return true;
}

static bool was_met(const bench *b, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (is_target(&b->test, &b->seen[i]))
            return true;
    return false;
}

/* Does it still have the outcome of its cycle? */
static bool has_target(const cyc_test *test, const variant *v) {
    uint32_t access = 0;
    for (uint32_t i = 0; i < col_program_operations(&test->program); i++) {
        const col_operation *o = &test->program.operations[i];
        if (o->kind == COL_FENCE ? is_replaceable(o) && v->between != AS_IT_IS
                                 : v->accesses[access++] >= ATOMIC)
            return false;
    }
    return true;
}

static void make_test(bench *b, const cyc_cycle *cycle) {
    col_problem problem;
    assert_int_equal(cyc_test_make(&b->test, cycle, &problem), COL_OK);
}

/* Runs the program until the outcome of its cycle is seen, if it is. */
static bool is_seen(bench *b, uint32_t which, uint32_t most_runs) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < most_runs && !was_met(b, count); i += b->runs)
        run_mode(b, which, &count);
    return was_met(b, count);
}

/* A port takes a fence for one that orders all that it orders before it with all after it. */
static bool has_fence(const col_program *program) {
    for (uint32_t i = 0; i < col_program_operations(program); i++)
        if (program->operations[i].kind == COL_FENCE)
            return true;
    return false;
}

typedef enum wanted_modes { ALL_MODES, WEAK_MODE } wanted_modes;

static void run_program(bench *b, const variant *v, wanted_modes wanted) {
    const bool is_telling = has_target(&b->test, v);
    col_problem problem;
    make_program(&b->test, v, &b->program);
    if (is_telling) { /* its verdicts are those of its variant */
        memcpy(b->test.program.operations, b->program.operations,
               col_program_operations(&b->program) * sizeof *b->program.operations);
        assert_int_equal(cyc_test_judge(&b->test, &problem), COL_OK);
    }
    for (uint32_t which = 0; which < MODES; which++) {
        if (wanted == WEAK_MODE && which != WEAK)
            continue;
        const bool allowed = b->test.allowed[modes[which].models[0]];
        const bool must_see =
            is_telling && allowed && (!modes[which].fences || !has_fence(&b->program));
        const bool met = is_seen(b, which, must_see ? MOST_RUNS : b->runs);
        b->tallies[which].missed += must_see && !met;
        if (must_see && !met)
            print_error("%s: not seen with accesses %u%u%u%u%u%u: %s\n", modes[which].name,
                        v->accesses[0], v->accesses[1], v->accesses[2], v->accesses[3],
                        v->accesses[4], v->accesses[5], b->test.relaxations.data);
        b->tallies[which].programs++;
        b->tallies[which].targets[allowed] += is_telling;
        b->tallies[which].met[allowed] += is_telling && met;
    }
}

static void open_memory(memory *m, const mode *how, uint32_t threads) {
    col_agent_settings settings = memory_settings(how->core, how->losses, how->commits);
    settings.ports = threads;
    settings.takes_fences = how->fences;
    settings.skew = SKEW;
    m->is_uneven = true;
    memory_open(m, &settings);
}

static bench *open_bench(uint32_t runs) {
    bench *b = calloc(1, sizeof *b);
    assert_non_null(b);
    b->runs = runs;
    open_judges(&b->judges);
    for (uint32_t which = 0; which < MODES; which++)
        for (uint32_t threads = 2; threads <= PORTS; threads++)
            open_memory(&b->memories[which][threads], &modes[which], threads);
    return b;
}

static void close_bench(bench *b) {
    for (uint32_t which = 0; which < MODES; which++)
        for (uint32_t threads = 2; threads <= PORTS; threads++)
            col_agents_free(b->memories[which][threads].agents);
    close_judges(&b->judges);
    cyc_test_free(&b->test);
    col_program_free(&b->program);
    free(b);
}

/* ---- Cycles that decide. */

static const struct {
    const char *cycle;
    uint32_t seen_by; /* a set of modes */
} decisive[] = {
    {"PodWR Fre PodWR Fre", TSO_CORES | WEAK_CORES},         /* SB */
    {"Rfi PodRR Fre Rfi PodRR Fre", TSO_CORES | WEAK_CORES}, /* SB+rfis */
    {"PodWW Coe PodWR Fre", TSO_CORES | WEAK_CORES},         /* R */
    {"FencedWR Fre FencedWR Fre", NO_CORES},
    {"Fence.tsodWR Fre Fence.tsodWR Fre", OWN_FENCES}, /* a port takes all fences as full ones */
    {"Fence.w.wdWW Rfi Fence.r.rdRR Fre FencedWR Fre", OWN_FENCES}, /* two fences make no third */
    {"PodWRLP Fre PodWRLP Fre", TSO_CORES | WEAK_CORES},            /* loads pass a release, */
    {"PodWRLA Fre PodWRLA Fre", TSO_CORES},                         /* acquires do not */
    {"PodWW Rfe PodRR Fre", WEAK_CORES},                            /* MP */
    {"PodRW Rfe PodRW Rfe", WEAK_CORES},                            /* LB */
    {"PodWW Coe PodWW Coe", WEAK_CORES},                            /* 2+2W */
    {"PodWW Rfe PodRW Coe", WEAK_CORES},                            /* S */
    {"PodWWPL Rfe PodRRAP Fre", NO_CORES},
    {"FencedWW Rfe DpAddrdR Fre", NO_CORES},
    {"FencedWW Rfe DpCtrldR Fre", WEAK_CORES},               /* loads pass a branch, */
    {"DpCtrldW Rfe DpCtrldW Rfe", NO_CORES},                 /* stores do not, */
    {"FencedWW Rfe DpCtrldW Rfi DpAddrdR Fre", WEAK_CORES},  /* but what they supply does, */
    {"FencedWW Rfe DpDatadW Rfi DpAddrdR Fre", NO_CORES},    /* once their value is known */
    {"FencedWW Rfe DpAddrdW Rfi DpAddrdR Fre", NO_CORES},    /* and their address */
    {"FencedWW Rfe PodRWPL RfiLP DpAddrdR Fre", WEAK_CORES}, /* a load takes it from a release, */
    {"FencedWW Rfe PodRW RfiPA PodRRAP Fre", WEAK_CORES},    /* an acquire from a store, */
    {"FencedWW Rfe PodRWPL RfiLA PodRRAP Fre", NO_CORES},    /* but no acquire from a release */
};

TEST(decisive_outcomes_are_seen_or_not) {
    bench *b = open_bench(RUNS);
    for (uint32_t i = 0; i < sizeof decisive / sizeof decisive[0]; i++) {
        cyc_cycle cycle;
        col_problem problem;
        assert_int_equal(cyc_cycle_read(&cycle, decisive[i].cycle, &problem), COL_OK);
        make_test(b, &cycle);
        copy_program(&b->test.program, &b->program);
        for (uint32_t which = 0; which < MODES; which++) {
            const bool wanted = (decisive[i].seen_by >> which & 1) != 0;
            if (is_seen(b, which, DECISIVE_RUNS) != wanted)
                fail_msg("%s (%s): %s", decisive[i].cycle, modes[which].name,
                         wanted ? "not seen" : "seen");
        }
    }
    close_bench(b);
}

/* ---- All cycles. */

static void make_ordered(variant *v, uint32_t set) {
    *v = (variant){0};
    for (uint32_t i = 0; i < LONGEST; i++)
        v->accesses[i] = (set >> i & 1) != 0 ? ORDERED : PLAIN;
}

static void make_any(variant *v, base_rng *rng) {
    for (uint32_t i = 0; i < LONGEST; i++)
        v->accesses[i] = (form)below(rng, FORMS);
    v->between = (between)below(rng, BETWEENS);
}

static void list_cycles(cyc_list *list) {
    cyc_relaxation *all;
    uint32_t count;
    col_problem problem;
    assert_int_equal(cyc_relaxations_read(relaxations, &all, &count, &problem), COL_OK);
    assert_int_equal(cyc_list_make(list, all, count, LONGEST, &problem), COL_OK);
    free(all);
}

/* With all sets of acquires and releases, which only weak cores look at, and some with anything. */
static void run_all_variants(bench *b, base_rng *rng) {
    variant v;
    for (uint32_t set = 0; set < 1U << b->test.cycle.count; set++) {
        make_ordered(&v, set);
        run_program(b, &v, set == 0 ? ALL_MODES : WEAK_MODE);
    }
    for (uint32_t i = 0; i < RANDOM_VARIANTS; i++) {
        make_any(&v, rng);
        run_program(b, &v, ALL_MODES);
    }
}

static void run_two_variants(bench *b, base_rng *rng) {
    variant v;
    make_ordered(&v, below(rng, 1U << b->test.cycle.count));
    run_program(b, &v, ALL_MODES);
    make_any(&v, rng);
    run_program(b, &v, ALL_MODES);
}

static void show_tallies(const bench *b, uint32_t cycles) {
    print_message("%u cycles; nothing forbidden was seen\n", cycles);
    for (uint32_t which = 0; which < MODES; which++) {
        const tally *t = &b->tallies[which];
        print_message(
            "%s: %llu programs, %llu runs, %llu different executions; of the outcomes of cycles "
            "%llu of %llu allowed ones seen, %llu of %llu forbidden ones\n",
            modes[which].name, (unsigned long long)t->programs, (unsigned long long)t->runs,
            (unsigned long long)t->executions, (unsigned long long)t->met[true],
            (unsigned long long)t->targets[true], (unsigned long long)t->met[false],
            (unsigned long long)t->targets[false]);
    }
}

TEST(cores_keep_their_models_on_cycles) {
    uint32_t part = 1, parts = 1;
    const char *wanted = getenv("COLLIDER_CYCLES");
    const bool all = wanted != NULL;
    assert_true(!all || (sscanf(wanted, "%u/%u", &part, &parts) == 2 && part - 1 < parts));
    bench *b = open_bench(all ? ALL_RUNS : RUNS);
    cyc_list list = {0};
    base_rng rng;
    uint32_t cycles = 0;
    base_rng_seed(&rng, 1, 0);
    list_cycles(&list);
    for (uint32_t i = part - 1; i < list.count; cycles++) {
        make_test(b, &list.cycles[i]);
        if (all)
            run_all_variants(b, &rng);
        else
            run_two_variants(b, &rng);
        i += all ? parts : list.cycles[i].count < LONGEST - 1 ? 1 : STRIDE;
    }
    show_tallies(b, cycles);
    for (uint32_t which = 0; which < MODES; which++) {
        const tally *t = &b->tallies[which];
        assert_int_equal(t->met[false], 0);
        assert_int_equal(t->missed, 0);
    }
    cyc_list_free(&list);
    close_bench(b);
}
